//! The inverse of a step: the force under which it ends with a given velocity, contacts included.
//!
//! If impulses are a function of velocity, λ = γ(J v̂), as for compliant contact, they follow from the
//! given velocity v̂ = v̂₀ + h a at the end. Then τ = A a + b − f − Jᵀγ(J v̂)/h, in addition to the forces
//! f of the step. For rigid laws impulses are not a function of velocity: a resting foot has the same
//! motion under any force that presses it down.

use super::linearization::Linearization;
use super::link::Along;
use super::loads::refuse_with_loads;
use super::options::Contact;
use super::stages::Stepping;
use super::state::{Held, StepState};
use super::taken::Taken;
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

/// The force from the balance of the pending step at acceleration a. The recursions must be at its (q, v).
/// nv entries each; `work` is overwritten.
pub(super) fn balance_at(
    at: &mut Stepping<'_>,
    a: &[f64],
    work: &mut [f64],
    force: &mut [f64],
) -> Result<()> {
    let (model, params, h) = (at.model, at.params, at.options.time_step);
    at.start();
    let s = &mut *at.s;
    for (end, (start, a)) in s.v_end.iter_mut().zip(s.v_start.iter().zip(a)) {
        *end = start + h * a;
    }
    at.push()?;
    let (d, s) = (&mut *at.dynamics, &*at.s);
    d.inverse(model, params, a, force);
    d.system.add_product(a, force);
    let beside = at.diagonal.iter().zip(&params.armature);
    for (k, (diagonal, armature)) in beside.enumerate() {
        force[k] += (diagonal - armature) * a[k] - at.tau[k];
    }
    if let Some(c) = at.contact.as_deref_mut() {
        work.fill(0.0);
        d.factor_mass(model, at.diagonal);
        c.answer(model, params, d, [&s.q, &s.v, &s.v_end], work)?;
        for (f, x) in force.iter_mut().zip(&*work) {
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

/// Checks that a step has this acceleration.
pub(super) fn check_end(s: &StepState, h: f64, a: &[f64]) -> Result<()> {
    let (mut off, mut size) = (0.0_f64, 0.0_f64);
    for ((end, start), a) in s.v_end.iter().zip(&s.v_start).zip(a) {
        off = off.max((end - start - h * a).abs());
        size = size.max(start.abs()).max((h * a).abs());
    }
    match off <= SAME * size {
        true => Ok(()),
        false => Err(Error::not_converged(format!(
            "a: no force gives this acceleration: with the force found, the velocity after the step differs by {off:e}"
        ))),
    }
}

impl Taken<'_> {
    /// Refuses simulations whose steps have no inverse here.
    pub(super) fn need_inverse(&self) -> Result<()> {
        refuse_with_loads(
            self.loads.as_deref(),
            self.model,
            "inverse dynamics of a step",
        )?;
        if self.implicit.is_some() {
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

    /// Writes the derivatives of the force of the last [`Sim::inverse`](super::sim::Sim::inverse); `square`
    /// is memory for A.
    pub(super) fn inverse_jacobians(
        &mut self,
        lin: &mut Linearization,
        square: &mut [f64],
        out: InverseJacobians<'_>,
    ) -> Result<()> {
        let nv = self.model.nv();
        self.linearize(lin)?;
        // The factors and columns are overwritten.
        *self.held = Held::Other;
        let (model, params) = (self.model, &*self.params);
        if !self.dynamics.mass_matrix(model, params, square) {
            return Err(Error::numerical("dforce_da would not be finite"));
        }
        for k in 0..nv {
            square[k * nv + k] += self.diagonal[k] - params.armature[k];
            lin.unit.fill(0.0);
            lin.unit[k] = 1.0;
            let column = &mut square[k * nv..][..nv];
            self.dynamics.system.add_product(&lin.unit[..nv], column);
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
                done = done.and_then(|()| self.force_direction(lin, &along, square, column));
            }
        }
        // The derivative by a is A minus the response of the impulses.
        for k in 0..nv {
            unit.fill(0.0);
            unit[k] = self.options.time_step;
            let column = &mut square[k * nv..][..nv];
            done = done.and_then(|()| self.subtract_answer(&unit[..nv], column));
        }
        unit.fill(0.0);
        lin.unit = unit;
        [lin.by_q, lin.by_v] = columns;
        done?;
        let all = [
            (&lin.by_q[..], out.by_q),
            (&lin.by_v[..], out.by_v),
            (&*square, out.by_a),
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
            let at = self.state.start(self.model, h);
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
