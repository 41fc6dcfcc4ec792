//! Smooth dynamics at any state, with the simulation's parameters and external wrenches.
//!
//! Forces are total generalized forces: joint damping, springs and friction belong to the step.

use crate::dynamics::asked::Asked;
use crate::dynamics::jacobian::{self, center_of_mass};
use crate::dynamics::kinematics::body_placements;
use crate::error::{Error, Result};
use crate::linalg::{F4, all_finite, first_not_finite};
use crate::spatial::{Vec3, Wrench};
use crate::step::Sim;
use crate::step::info::{REACH, check_finite, check_length};
use crate::step::state::Held;

impl Sim {
    /// World placements of all bodies: 16 × nbody, column-major 4×4 each.
    pub fn forward_kinematics(&mut self, q: &[f64], placements: &mut [f64]) -> Result<()> {
        self.check_state(q, None)?;
        let n = self.model.nbody();
        check_length("placements", placements, 16 * n)?;
        self.move_to(q, None, None)?;
        body_placements(&self.asked.dynamics.kin, &self.model, placements);
        Ok(())
    }

    /// τ = M a + b − Jᵀ(external wrenches), M with armature; lengths nq, nv, nv, nv.
    pub fn inverse_dynamics(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        tau: &mut [f64],
    ) -> Result<()> {
        self.check_state(q, Some(v))?;
        check_finite("a", a, self.model.nv())?;
        check_length("tau", tau, self.model.nv())?;
        self.ask(q, v);
        self.asked
            .dynamics
            .inverse(&self.model, &self.params, a, &mut self.work);
        self.deliver("tau", tau)
    }

    /// Copies `work` out if it is finite.
    pub(super) fn deliver(&self, name: &str, out: &mut [f64]) -> Result<()> {
        match first_not_finite(&self.work) {
            Some(i) => Err(Error::numerical(format!(
                "{name}[{i}] would not be finite: {} moves no mass, or the state is too large",
                self.model.called_of_dof(i)
            ))),
            None => {
                out.copy_from_slice(&self.work);
                Ok(())
            }
        }
    }

    /// Acceleration under the total generalized force τ; lengths nq, nv, nv, nv.
    pub fn forward_dynamics(
        &mut self,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        a: &mut [f64],
    ) -> Result<()> {
        self.check_state(q, Some(v))?;
        check_finite("tau", tau, self.model.nv())?;
        check_length("a", a, self.model.nv())?;
        self.ask(q, v);
        let p = &self.params;
        self.asked
            .dynamics
            .forward(&self.model, p, &p.armature, tau, &mut self.work);
        self.deliver("a", a)
    }

    /// Joint-space inertia with armature: dense, column-major, nv×nv.
    pub fn mass_matrix(&mut self, q: &[f64], m: &mut [f64]) -> Result<()> {
        self.check_state(q, None)?;
        check_length("M", m, self.model.nv() * self.model.nv())?;
        self.update_positions(q)?;
        if !self
            .asked
            .dynamics
            .mass_matrix(&self.model, &self.params, m)
        {
            return Err(Error::numerical(
                "M would not be finite: a mass or a distance is too large",
            ));
        }
        Ok(())
    }

    /// Derivatives of inverse dynamics by the tangent of q and by v, column-major nv×nv. The derivative by a
    /// is the mass matrix.
    pub fn inverse_dynamics_derivatives(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        dtau_dq: Option<&mut [f64]>,
        dtau_dv: Option<&mut [f64]>,
    ) -> Result<()> {
        self.check_state(q, Some(v))?;
        let nv = self.model.nv();
        check_finite("a", a, nv)?;
        for (name, x) in [("dtau_dq", &dtau_dq), ("dtau_dv", &dtau_dv)] {
            if let Some(x) = x {
                check_length(name, x, nv * nv)?;
            }
        }
        self.need_derivatives()?;
        self.ask(q, v);
        self.asked
            .dynamics
            .inverse(&self.model, &self.params, a, &mut self.work);
        self.asked
            .dynamics
            .differentiate_inverse(&self.model, &self.params);
        if self.model.topology().is_deep() {
            let Asked {
                dynamics,
                by_q,
                by_v,
                ..
            } = &mut *self.asked;
            dynamics.inverse_columns(&self.model, &self.params, by_q, by_v);
            let pairs = [(dtau_dq, by_q), (dtau_dv, by_v)];
            if !pairs.iter().all(|(_, x)| all_finite(x)) {
                return Err(Error::numerical(
                    "a derivative is not finite: the state is too large",
                ));
            }
            for (out, x) in pairs {
                if let Some(out) = out {
                    out.copy_from_slice(x);
                }
            }
        } else if let Some(d) = &self.asked.dynamics.derivatives {
            let parts = [&d.id.above_q, &d.id.below_q, &d.id.above_v, &d.id.below_v];
            if !parts.iter().all(|x| all_finite(F4::flat(x))) {
                return Err(Error::numerical(
                    "a derivative is not finite: the state is too large",
                ));
            }
            d.id.to_dense(self.model.topology(), dtau_dq, dtau_dv);
        }
        Ok(())
    }

    pub(super) fn need_derivatives(&mut self) -> Result<()> {
        match &mut self.linear {
            None => Err(Error::invalid(
                "options.derivatives is 0: this simulation was made without their workspace",
            )),
            Some(_) => Ok(()),
        }
    }

    /// Derivatives of forward dynamics by the tangent of q, by v and by τ (M⁻¹), column-major nv×nv.
    pub fn forward_dynamics_derivatives(
        &mut self,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        da_dq: Option<&mut [f64]>,
        da_dv: Option<&mut [f64]>,
        da_dtau: Option<&mut [f64]>,
    ) -> Result<()> {
        self.check_state(q, Some(v))?;
        let nv = self.model.nv();
        check_finite("tau", tau, nv)?;
        for (name, x) in [("da_dq", &da_dq), ("da_dv", &da_dv), ("da_dtau", &da_dtau)] {
            if let Some(x) = x {
                check_length(name, x, nv * nv)?;
            }
        }
        self.need_derivatives()?;
        self.ask(q, v);
        let (model, p) = (&*self.model, &self.params);
        let Asked {
            dynamics,
            by_q,
            by_v,
            ..
        } = &mut *self.asked;
        // Only entries within a tree are computed.
        by_q.fill(0.0);
        by_v.fill(0.0);
        let singular =
            dynamics.differentiate_forward(model, p, &p.armature, tau, &mut self.work, by_q, by_v);
        if let Some(k) = singular {
            return Err(Error::numerical(format!(
                "the mass matrix is singular at {}",
                model.said_of_dof(k)
            )));
        }
        if !all_finite(by_q) || !all_finite(by_v) {
            return Err(Error::numerical(
                "a derivative is not finite: the state is too large",
            ));
        }
        if let Some(x) = da_dq {
            x.copy_from_slice(by_q);
        }
        if let Some(x) = da_dv {
            x.copy_from_slice(by_v);
        }
        if let Some(x) = da_dtau {
            dynamics.mass_inverse(model.topology(), x);
        }
        Ok(())
    }

    /// Jacobian of a point fixed on a body (body axes): 6×nv, column-major, world axes; rows linear
    /// velocity of the point, then angular velocity.
    pub fn body_jacobian(
        &mut self,
        q: &[f64],
        body: usize,
        point: [f64; 3],
        j: &mut [f64],
    ) -> Result<()> {
        self.check_state(q, None)?;
        self.check_body(body)?;
        check_finite("point", &point, 3)?;
        check_length("J", j, 6 * self.model.nv())?;
        if let Some(i) = point.iter().position(|x| x.abs() >= REACH) {
            return Err(Error::numerical(format!(
                "point[{i}]: must be below {REACH:e}, got {}",
                point[i]
            )));
        }
        self.move_to(q, None, None)?;
        let p = Vec3::from_slice(&point);
        jacobian::body_jacobian(&self.model, &self.asked.dynamics.kin, body, p, j);
        Ok(())
    }

    /// Time derivative of [`Sim::body_jacobian`] along v; 6×nv.
    pub fn body_jacobian_rate(
        &mut self,
        q: &[f64],
        v: &[f64],
        body: usize,
        point: [f64; 3],
        rate: &mut [f64],
    ) -> Result<()> {
        self.check_state(q, Some(v))?;
        self.check_body(body)?;
        check_finite("point", &point, 3)?;
        check_length("J_rate", rate, 6 * self.model.nv())?;
        self.ask(q, v);
        let p = Vec3::from_slice(&point);
        jacobian::body_jacobian_rate(&self.model, &self.asked.dynamics.kin, body, p, rate);
        Ok(())
    }

    pub(super) fn check_body(&self, body: usize) -> Result<()> {
        let n = self.model.nbody();
        if body < n {
            Ok(())
        } else {
            Err(Error::invalid(format!(
                "body must be in 0..{n}, got {body}"
            )))
        }
    }

    /// Kinetic energy, including rotors, and potential energy of gravity (zero at the world's origin), of
    /// joint springs, of springs between points and of tendons [J].
    pub fn energy(&mut self, q: &[f64], v: &[f64]) -> Result<(f64, f64)> {
        self.check_state(q, Some(v))?;
        self.ask(q, v);
        let (model, params, kin) = (&self.model, &self.params, &self.asked.dynamics.kin);
        let (kinetic, potential) = jacobian::energy(model, params, kin, v);
        // The forces leave the state of the last step.
        self.held = Held::Other;
        let stored = self.forces.energy(model, params, kin, q);
        Ok((kinetic, potential + stored))
    }

    /// Lengths of the tendons at q, and ∂l/∂q of each, nv × the number of tendons, column-major.
    pub fn tendon_lengths(
        &mut self,
        q: &[f64],
        lengths: &mut [f64],
        moments: Option<&mut [f64]>,
    ) -> Result<()> {
        self.check_state(q, None)?;
        let (nv, count) = (self.model.nv(), self.model.tendons().len());
        check_length("lengths", lengths, count)?;
        if let Some(moments) = &moments {
            check_length("moments", moments, nv * count)?;
        }
        self.update_positions(q)?;
        // The forces leave the state of the last step.
        self.held = Held::Other;
        let cords = self.forces.lengths(&self.asked.dynamics.kin, q);
        if let Some(i) = (0..count).find(|i| !cords.is_finite(*i)) {
            return Err(Error::numerical(format!(
                "tendon \"{}\": its length or its moment is not finite: the path is too long",
                self.model.tendons()[i].name
            )));
        }
        for (i, length) in lengths.iter_mut().enumerate() {
            *length = cords.length(i);
        }
        if let Some(moments) = moments {
            moments.fill(0.0);
            for (i, column) in moments.chunks_exact_mut(nv.max(1)).enumerate() {
                cords.moments(i).for_each(|(k, g)| column[k] = g);
            }
        }
        Ok(())
    }

    /// Mass [kg], centre of mass (world) [m], and its Jacobian (3×nv, column-major) of all moving bodies.
    pub fn center_of_mass(
        &mut self,
        q: &[f64],
        com: &mut [f64; 3],
        j: Option<&mut [f64]>,
    ) -> Result<f64> {
        self.check_state(q, None)?;
        if let Some(j) = &j {
            check_length("J", j, 3 * self.model.nv())?;
        }
        self.update_positions(q)?;
        let mut c = Vec3::ZERO;
        let d = &mut self.asked.dynamics;
        let mass = center_of_mass(&self.model, &d.kin, &mut d.subtree, &mut c, j);
        *com = c.to_array();
        Ok(mass)
    }

    /// Linear and angular momentum of all moving bodies, world axes, angular about `about` [N s, N m s].
    pub fn momentum(&mut self, q: &[f64], v: &[f64], about: [f64; 3]) -> Result<[f64; 6]> {
        self.check_state(q, Some(v))?;
        check_finite("about", &about, 3)?;
        self.ask(q, v);
        let h: Wrench = jacobian::momentum(
            &self.model,
            &self.asked.dynamics.kin,
            Vec3::from_slice(&about),
        );
        Ok(h.to_array())
    }

    /// Hybrid dynamics. Where `prescribed` is not 0, the acceleration is given and the force is computed;
    /// elsewhere the converse. The missing entries of `tau` and `a` are filled in. All have nv entries.
    pub fn hybrid_dynamics(
        &mut self,
        q: &[f64],
        v: &[f64],
        prescribed: &[i32],
        tau: &mut [f64],
        a: &mut [f64],
    ) -> Result<()> {
        self.check_state(q, Some(v))?;
        let nv = self.model.nv();
        check_length("tau", tau, nv)?;
        check_length("a", a, nv)?;
        if prescribed.len() != nv {
            return Err(Error::invalid(format!(
                "prescribed must have {nv} entries, got {}",
                prescribed.len()
            )));
        }
        for (k, p) in prescribed.iter().enumerate() {
            let (name, x) = if *p != 0 {
                ("a", a[k])
            } else {
                ("tau", tau[k])
            };
            if !x.is_finite() {
                return Err(Error::numerical(format!(
                    "{name}[{k}] must be finite, got {x}"
                )));
            }
            self.prescribed[k] = *p != 0;
        }
        self.ask(q, v);
        self.work.copy_from_slice(tau);
        self.work2.copy_from_slice(a);
        self.asked.dynamics.hybrid(
            &self.model,
            &self.params,
            &self.prescribed,
            &mut self.work,
            &mut self.work2,
        );
        if let Some(k) = (0..nv).find(|&k| !(self.work[k] + self.work2[k]).is_finite()) {
            return Err(Error::numerical(format!(
                "the acceleration of {} is not finite: singular mass or a state too large",
                self.model.said_of_dof(k)
            )));
        }
        tau.copy_from_slice(&self.work);
        a.copy_from_slice(&self.work2);
        Ok(())
    }
}
