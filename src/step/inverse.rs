//! The inverse of a step: the force under which it ends with a given velocity, contacts included.
//!
//! If impulses are a function of velocity, λ = γ(J v̂), as for compliant contact, they follow from the
//! given velocity v̂ = v̂₀ + h a at the end. Then τ = A a + b − f − Jᵀγ(J v̂)/h, in addition to the forces
//! f of the step. For rigid laws impulses are not a function of velocity: a resting foot has the same
//! motion under any force that presses it down.

use super::info::{check_finite, check_length};
use super::linearization::Linearization;
use super::link::Along;
use super::options::Contact;
use super::sim::Sim;
use super::state::{Held, Last};
use crate::error::{Error, Result};
use crate::linalg::{add_scaled, all_finite};

/// Largest deviation of a step under the computed force from the given velocity, relative to the largest
/// velocity.
const SAME: f64 = 1e-6;

/// Destination of the derivatives of the force: dense column-major nv×nv, by the tangent of q, by v and by
/// a.
#[derive(Default)]
pub struct InverseJacobians<'a> {
    pub by_q: Option<&'a mut [f64]>,
    pub by_v: Option<&'a mut [f64]>,
    pub by_a: Option<&'a mut [f64]>,
}

impl Sim {
    /// The generalized force τ which, in addition to the forces of a step under inputs u, gives the step
    /// from (q, v) the acceleration a of [`Sim::forward`]. Lengths nq, nv, nu, nv, nv. With u = 0 it is the
    /// force that motors must supply; with [`Actuation::Full`](crate::model::Actuation) it is u.
    ///
    /// The step under τ becomes the last step, for contacts and all other queries. The warm start of the
    /// next step does not change.
    ///
    /// # Errors
    /// As [`Sim::step`]; `Unsupported` for rigid contact laws and for integrators with a stage;
    /// `NotConverged` if no force gives a, because stabilization separates overlapping bodies by other
    /// impulses than the law's.
    pub fn inverse(
        &mut self,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        a: &[f64],
        force: &mut [f64],
    ) -> Result<()> {
        self.need_inverse()?;
        self.check_state(q, Some(v))?;
        check_finite("u", u, self.model.nu())?;
        check_finite("a", a, self.model.nv())?;
        check_length("force", force, self.model.nv())?;
        if self.scene().is_some() {
            // The contacts of the last step are replaced.
            self.last = Last::Nothing;
        }
        self.update(q, v);
        self.check_positions()?;
        let mut applied = std::mem::take(&mut self.applied);
        let done = self.balance_at(q, v, u, a, &mut applied).and_then(|()| {
            self.take(q, v, u, &applied)?;
            self.check_end(a)
        });
        if done.is_ok() {
            force.copy_from_slice(&applied);
        }
        self.applied = applied;
        done.map_err(|e| self.name_crowd(e))
    }

    fn need_inverse(&self) -> Result<()> {
        self.refuse_with_loads("inverse dynamics of a step")?;
        if self.implicit.is_some() || self.theta.is_some() {
            return Err(Error::unsupported(format!(
                "options.integrator: inverse dynamics of a step needs SymplecticEuler or SymplecticEulerWorld, got {:?}",
                self.options.integrator
            )));
        }
        if !self.prescribed.is_empty() {
            return Err(Error::unsupported(
                "ds_sim_prescribe: inverse dynamics of a step needs a robot without prescribed velocities",
            ));
        }
        if self.is_split() || self.contact.is_some() && self.forces.feedback().is_some() {
            return Err(Error::unsupported(
                "forces: with contact, inverse dynamics of a step is not available if forces between dofs are implicit",
            ));
        }
        match self.options.contact {
            Contact::Ncp | Contact::Lcp => Err(Error::unsupported(format!(
                "options.contact: inverse dynamics of a step needs Convex, Penalty or None, got {:?}, with which many forces lead to the same motion",
                self.options.contact
            ))),
            _ => Ok(()),
        }
    }

    /// The force from the balance at acceleration a. The recursions must be at (q, v).
    fn balance_at(
        &mut self,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        a: &[f64],
        force: &mut [f64],
    ) -> Result<()> {
        let (model, h, s) = (&*self.model, self.options.time_step, &mut self.pending);
        s.q.copy_from_slice(q);
        s.v.copy_from_slice(v);
        s.u.copy_from_slice(u);
        s.drives.take(model, h, u, &self.act)?;
        s.carried.copy_from_slice(&self.carried);
        let mut at = self.stepping(&[]);
        at.start();
        let s = &mut *at.s;
        for (end, (start, a)) in s.v_end.iter_mut().zip(s.v_start.iter().zip(a)) {
            *end = start + h * a;
        }
        at.push()?;
        let (model, s) = (&*self.model, &mut self.pending);
        (self.dynamics).inverse(model, &self.params, a, force);
        self.dynamics.system.add_product(a, force);
        let beside = self.diagonal.iter().zip(&self.params.armature);
        for (k, (d, armature)) in beside.enumerate() {
            force[k] += (d - armature) * a[k] - self.tau[k];
        }
        if let Some(c) = &mut self.contact {
            self.work.fill(0.0);
            self.dynamics.factor_mass(model, &self.diagonal);
            c.answer(
                model,
                &self.params,
                &mut self.dynamics,
                [q, v, &s.v_end],
                &mut self.work,
            )?;
            for (f, x) in force.iter_mut().zip(&self.work) {
                *f -= x / h;
            }
        }
        match all_finite(force) {
            true => Ok(()),
            false => Err(Error::numerical(
                "force: it would not be finite, the state or the acceleration is too large",
            )),
        }
    }

    /// Checks that the last step has this acceleration.
    fn check_end(&mut self, a: &[f64]) -> Result<()> {
        let (s, h) = (&self.state, self.options.time_step);
        let (mut off, mut size) = (0.0_f64, 0.0_f64);
        for ((end, start), a) in s.v_end.iter().zip(&s.v_start).zip(a) {
            off = off.max((end - start - h * a).abs());
            size = size.max(start.abs()).max((h * a).abs());
        }
        if off <= SAME * size {
            return Ok(());
        }
        self.forget_step();
        Err(Error::not_converged(format!(
            "a: no force gives this acceleration: with the force found, the velocity after the step differs by {off:e}"
        )))
    }

    /// Derivatives of the force of the last [`Sim::inverse`]. No other call may have been made since.
    ///
    /// # Errors
    /// `NoStep` before [`Sim::inverse`]; those of [`Sim::step_jacobians`].
    pub fn inverse_jacobians(&mut self, out: InverseJacobians<'_>) -> Result<()> {
        self.need_inverse()?;
        let nv = self.model.nv();
        for (name, x) in [
            ("dforce_dq", &out.by_q),
            ("dforce_dv", &out.by_v),
            ("dforce_da", &out.by_a),
        ] {
            if let Some(x) = x {
                check_length(name, x, nv * nv)?;
            }
        }
        self.linearize()?;
        // The factors and columns are overwritten.
        self.held = Held::Other;
        let mut square = std::mem::take(&mut self.square);
        let done = self.with_linear(|sim, lin| {
            let (model, params) = (&*sim.model, &sim.params);
            if !sim.dynamics.mass_matrix(model, params, &mut square) {
                return Err(Error::numerical("dforce_da would not be finite"));
            }
            for k in 0..nv {
                square[k * nv + k] += sim.diagonal[k] - params.armature[k];
                lin.unit.fill(0.0);
                lin.unit[k] = 1.0;
                let column = &mut square[k * nv..][..nv];
                sim.dynamics.system.add_product(&lin.unit[..nv], column);
            }
            let mut unit = std::mem::take(&mut lin.unit);
            let mut columns = [std::mem::take(&mut lin.by_q), std::mem::take(&mut lin.by_v)];
            let mut done = Ok(());
            for (kind, columns) in columns.iter_mut().enumerate() {
                for k in 0..nv {
                    unit.fill(0.0);
                    unit[k] = 1.0;
                    let along = match kind {
                        0 => Along {
                            q: &unit[..nv],
                            ..Along::default()
                        },
                        _ => Along {
                            v: &unit[..nv],
                            ..Along::default()
                        },
                    };
                    let column = &mut columns[k * nv..][..nv];
                    done = done.and_then(|()| sim.force_direction(lin, &along, &square, column));
                }
            }
            // The derivative by a is A minus the response of the impulses.
            for k in 0..nv {
                unit.fill(0.0);
                unit[k] = sim.options.time_step;
                let column = &mut square[k * nv..][..nv];
                done = done.and_then(|()| sim.subtract_answer(&unit[..nv], column));
            }
            unit.fill(0.0);
            lin.unit = unit;
            [lin.by_q, lin.by_v] = columns;
            done?;
            let all = [
                (&lin.by_q, out.by_q),
                (&lin.by_v, out.by_v),
                (&square, out.by_a),
            ];
            if !all.iter().all(|(x, _)| all_finite(x)) {
                return Err(Error::numerical(
                    "a derivative of the force is not finite: the state is too large",
                ));
            }
            for (x, out) in all {
                if let Some(out) = out {
                    out.copy_from_slice(x);
                }
            }
            Ok(())
        });
        self.square = square;
        done
    }

    /// δτ along a direction of q or v at fixed acceleration; `system` is A.
    fn force_direction(
        &mut self,
        lin: &mut Linearization,
        along: &Along<'_>,
        system: &[f64],
        out: &mut [f64],
    ) -> Result<()> {
        self.loads_direction(lin, along)?;
        let (nv, h) = (self.model.nv().max(1), self.options.time_step);
        for (out, x) in out.iter_mut().zip(&lin.x) {
            *out = -x / h;
        }
        lin.z.fill(0.0);
        if !along.v.is_empty() {
            let at = self.state.start(&self.model, h);
            self.integrator.start_direction(&at, along.v, &mut lin.z);
            if !self.by_directions() {
                // The branch-packed R_v contains A (δv̂₀ − δv).
                for ((z, dv), column) in lin.z.iter().zip(along.v).zip(system.chunks_exact(nv)) {
                    if z != dv {
                        add_scaled((z - dv) / h, column, out);
                    }
                }
            }
        }
        match &mut self.contact {
            Some(c) => c.answer_direction(&lin.z, -1.0 / h, out),
            None => Ok(()),
        }
    }

    /// Subtracts from `out` the response of the impulses, as a force, to a change of the velocity at the
    /// end.
    fn subtract_answer(&mut self, dv: &[f64], out: &mut [f64]) -> Result<()> {
        match &mut self.contact {
            Some(c) => {
                c.hold();
                c.answer_direction(dv, -1.0 / self.options.time_step, out)
            }
            None => Ok(()),
        }
    }
}
