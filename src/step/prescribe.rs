//! Dofs with a prescribed velocity.
//!
//! In a step such a dof goes from v̂₀ to a known velocity whatever forces act on it. In A it has infinite
//! inertia ([`hybrid`](crate::dynamics::hybrid)): forces and impulses do not accelerate it, and it acts on
//! the other dofs by its acceleration. This is exact with every law and needs no row. A bilateral row would
//! be compliant with the convex law, would add an unknown impulse to every problem, and would hold only to
//! the solver's tolerance.
//!
//! With w = δv̂ − δv̂₀ on these dofs and zero elsewhere, the chain of a step becomes
//!
//!   x = δv̂₀ + w − A⁻¹ (h δr + A w),   w̄ = z − Aᵀ A⁻ᵀ z,
//!
//! where A⁻¹ has zero rows and columns for these dofs. If R_v already contains A (δv̂₀ − δv), then w is
//! relative to δv. Panels of columns first treat these dofs as continuing with δv̂₀; this is corrected
//! column by column. Rows between dofs that are all prescribed have no impulse and are left out.

use super::info::check_length;
use super::link::{Along, Parameters};
use super::prescribed::Prescribed;
use super::sim::Sim;
use super::state::Last;
use crate::error::{Error, Result};
use crate::integrator::Scheme;
use crate::linalg::add_scaled;
use crate::model::params::{Param, ParamKind};

impl Sim {
    /// Prescribes the velocity [m/s or rad/s] of a dof at the end of all following steps, until it is
    /// changed; NaN frees the dof. [`Sim::reset`] keeps it. The last step is forgotten.
    ///
    /// Axes of a free joint. They are the body's axes at the end of the step, as for v⁺, in two cases: with
    /// [`Integrator::SymplecticEuler`](super::options::Integrator::SymplecticEuler), and with
    /// [`Integrator::SymplecticEulerWorld`](super::options::Integrator::SymplecticEulerWorld) if all six
    /// dofs are prescribed. Otherwise the linear dofs have the velocity along the body's axes at the start
    /// of the step, and v⁺ shows the same vector in the axes at its end.
    ///
    /// # Errors
    /// `InvalidArgument` for a dof that the model does not have, or NaN while the prescribed velocity of
    /// the dof is a selected parameter; `Numerical` for an infinite velocity. Then nothing changes.
    pub fn prescribe(&mut self, dof: usize, velocity: f64) -> Result<()> {
        if dof >= self.model.nv() {
            return Err(Error::invalid(format!(
                "dof must be in 0..{}, got {dof}",
                self.model.nv()
            )));
        }
        let joint = self.model.topology().links[self.model.topology().dofs[dof].link].joint;
        if (self.model.reduction()).is_some_and(|r| r.is_reduced(joint)) {
            return Err(Error::unsupported(format!(
                "dof: the velocity of {} cannot be prescribed, as its coordinates are reduced",
                self.model.called_of_dof(dof)
            )));
        }
        if velocity.is_infinite() {
            return Err(Error::numerical(format!(
                "velocity must be finite, or NaN to free the dof, got {velocity}"
            )));
        }
        let is_selected = |p: &Param| p.kind == ParamKind::Prescribed && p.index as usize == dof;
        if velocity.is_nan() && self.selected.iter().any(is_selected) {
            return Err(Error::invalid(format!(
                "velocity: dof {dof} cannot be freed while its prescribed velocity is a selected parameter"
            )));
        }
        match self.prescribed.set(dof, velocity) {
            true => {
                self.forget_curvature();
                self.refresh_prescribed();
            }
            false => self.reach_prescribed(),
        }
        self.forget_step();
        Ok(())
    }

    /// The prescribed velocity of a dof below nv; NaN for a dof without one.
    pub fn prescribed_velocity(&self, dof: usize) -> f64 {
        self.prescribed.velocity(dof)
    }

    /// Updates all data that depend on which dofs are prescribed.
    pub(super) fn refresh_prescribed(&mut self) {
        self.prescribed.take_diagonal(&self.diagonal);
        if let Some(c) = &mut self.contact {
            let t = self.model.topology();
            c.constraints
                .set_prescribed(self.prescribed.is_prescribed());
            c.scene.drive(t, self.prescribed.is_prescribed());
        }
        if let Some(gyroscopic) = &mut self.forces.gyroscopic {
            gyroscopic.drive(self.model.topology(), self.prescribed.is_prescribed());
        }
        if let Some(a) = &mut self.forces.adhesion {
            let t = self.model.topology();
            a.scene.drive(t, self.prescribed.is_prescribed());
        }
        self.reach_prescribed();
    }

    /// Computes v̂ for the prescribed velocities.
    pub(super) fn reach_prescribed(&mut self) {
        let Prescribed { end, velocity, .. } = &mut self.prescribed;
        end.copy_from_slice(velocity);
        self.for_whole(|scheme, h, dofs, prescribed| scheme.reach(h, &mut prescribed.end[dofs]));
    }

    /// Calls `visit` with the dofs of each free joint that is prescribed as a whole, if the integrator has
    /// a v̂ for it.
    fn for_whole(
        &mut self,
        mut visit: impl FnMut(&dyn Scheme, f64, std::ops::Range<usize>, &mut Prescribed),
    ) {
        if self.prescribed.is_empty() || self.implicit.is_some() {
            return;
        }
        for l in self.model.free_links() {
            if self.prescribed.is_prescribed()[l.dofs()].iter().all(|d| *d) {
                let h = self.options.time_step;
                visit(&*self.integrator, h, l.dofs(), &mut self.prescribed);
            }
        }
    }

    /// Prescribes zero velocity for mocap bodies.
    pub(super) fn drive_mocap(&mut self) {
        for l in self.model.mocap_links() {
            for k in l.dofs() {
                self.prescribed.set(k, 0.0);
            }
        }
        self.refresh_prescribed();
    }

    /// Copies the prescribed velocities of another simulation of the model.
    pub(super) fn drive_as(&mut self, other: &Prescribed) {
        for k in 0..self.model.nv() {
            self.prescribed.set(k, other.velocity(k));
        }
        self.refresh_prescribed();
    }

    /// Checks that implicit schemes have all three linear dofs of a free joint prescribed, or none. Their
    /// balance is along the axes at a stage.
    pub(super) fn check_prescribed(&self) -> Result<()> {
        if self.prescribed.is_empty() || self.implicit.is_none() && self.theta.is_none() {
            return Ok(());
        }
        for l in self.model.free_links() {
            let prescribed = &self.prescribed.is_prescribed()[l.iv..l.iv + 3];
            if prescribed.iter().any(|d| *d) && !prescribed.iter().all(|d| *d) {
                return Err(Error::unsupported(format!(
                    "joint \"{}\": {:?} needs all three of its linear dofs to be prescribed, or none",
                    self.model.joint_of_dof(l.iv).name,
                    self.options.integrator
                )));
            }
        }
        Ok(())
    }

    /// Subtracts A w of a direction from −h δr in `x`.
    pub(super) fn subtract_prescribed(&mut self, along: &Along<'_>, x: &mut [f64]) {
        if self.prescribed.is_empty() {
            return;
        }
        let prescribed = &mut self.prescribed;
        let Prescribed { change, .. } = &mut *prescribed;
        change.fill(0.0);
        let mut vary = |p: &Param, x: f64| {
            if p.kind == ParamKind::Prescribed {
                change[p.index as usize] += x;
            }
        };
        match along.p {
            Parameters::Unit(p) => vary(&self.selected[p], 1.0),
            Parameters::Along(dp) => {
                let all = self.selected.iter().zip(dp);
                all.for_each(|(p, dp)| vary(p, *dp));
            }
        }
        self.for_whole(|scheme, h, dofs, prescribed| {
            let v = &prescribed.velocity[dofs.clone()];
            scheme.reach_direction(h, v, &mut prescribed.change[dofs]);
        });
        let by_directions = self.by_directions();
        let prescribed = &mut self.prescribed;
        let start = &mut prescribed.work;
        start.fill(0.0);
        if !along.v.is_empty() && by_directions {
            let at = self.state.start(&self.model, self.options.time_step);
            self.integrator.start_direction(&at, along.v, start);
        } else if !along.v.is_empty() {
            // The branch-packed R_v already contains the rest.
            start.copy_from_slice(along.v);
        }
        prescribed.leave_start();
        let (given, work) = (&prescribed.given, &mut prescribed.work);
        (self.dynamics).times_system(&self.model, false, given, work);
        for (x, work) in x.iter_mut().zip(&*work) {
            *x -= work;
        }
    }

    /// Corrects panels in which prescribed dofs continued with their velocity, with the response of the
    /// impulses to it. Afterwards their acceleration w acts on the other dofs.
    pub(super) fn drive_columns(&mut self) -> Result<()> {
        if self.prescribed.is_empty() {
            return Ok(());
        }
        let (model, nv) = (&*self.model, self.model.nv());
        let Some(lin) = &mut self.linear else {
            return Err(Error::internal("the linearization is missing"));
        };
        for k in self.prescribed.dofs() {
            let (x, unit) = (&mut lin.x, &mut lin.unit[..nv]);
            x.fill(0.0);
            // For a stage, its own columns contain w.
            if self.theta.is_none() {
                unit[k] = 1.0;
                self.dynamics.times_system(model, false, unit, x);
                unit[k] = 0.0;
                self.dynamics.mass.solve(model.topology(), x);
            }
            x[k] -= 1.0;
            if let Some(c) = &mut self.contact {
                c.direction(model.topology(), &self.dynamics.kin, &[], &[], x);
                c.correct_one(model, &mut self.dynamics.mass, x)?;
            }
            let column = &mut lin.by_v[k * nv..][..nv];
            for span in lin.coupling.spans(lin.coupling.of_dof(k)) {
                add_scaled(1.0, &lin.x[span.clone()], &mut column[span.clone()]);
            }
        }
        Ok(())
    }

    /// δv̂ of prescribed dofs, after [`Sim::subtract_prescribed`].
    pub(super) fn write_prescribed(&self, x: &mut [f64]) {
        for k in self.prescribed.dofs() {
            x[k] = self.prescribed.change[k];
        }
    }

    /// On entry z is the adjoint by v̂, and `weights` = A⁻ᵀ z. On return z is the adjoint by v̂₀; the
    /// adjoint by the prescribed velocities is kept in the workspace.
    pub(super) fn adjoin_prescribed(&mut self, z: &mut [f64], weights: &[f64]) {
        if self.prescribed.is_empty() {
            return;
        }
        let prescribed = &mut self.prescribed;
        (self.dynamics).times_system(&self.model, true, weights, &mut prescribed.work);
        prescribed.share(z);
        self.for_whole(|scheme, h, dofs, prescribed| {
            let v = &prescribed.velocity[dofs.clone()];
            scheme.reach_adjoint(h, v, &mut prescribed.change[dofs]);
        });
    }

    /// Generalized impulses [N s or N m s] that enforced the prescribed velocities in the last step, in
    /// addition to all forces and constraints of the step; zero for other dofs. nv entries. Limits and dry
    /// friction of a prescribed dof itself are not included.
    ///
    /// # Errors
    /// `NoStep` before a step; `InvalidArgument` for a wrong length; `Unsupported` with integrators other
    /// than the two symplectic Euler schemes; `Numerical` if an impulse is not finite.
    pub fn prescribed_impulses(&mut self, out: &mut [f64]) -> Result<()> {
        check_length("impulse", out, self.model.nv())?;
        if self.last != Last::Step {
            return Err(Error::no_step("no step has been taken"));
        }
        if self.implicit.is_some() || self.theta.is_some() {
            return Err(Error::unsupported(format!(
                "options.integrator: impulses of prescribed dofs are available with SymplecticEuler and SymplecticEulerWorld, got {:?}",
                self.options.integrator
            )));
        }
        if self.prescribed.is_empty() {
            out.fill(0.0);
            return Ok(());
        }
        let h = self.options.time_step;
        let mut balance = std::mem::take(&mut self.work);
        let done = self.unheld_balance(&mut balance);
        let is_sound = self.prescribed.dofs().all(|k| (h * balance[k]).is_finite());
        if done.is_ok() && is_sound {
            out.fill(0.0);
            for k in self.prescribed.dofs() {
                out[k] = h * balance[k];
            }
        }
        self.work = balance;
        match is_sound {
            true => done,
            false => done.and(Err(Error::numerical(
                "an impulse that holds a prescribed dof is not finite",
            ))),
        }
    }

    /// The balance A a + b − f − Jᵀλ/h of the last step.
    pub(super) fn unheld_balance(&mut self, out: &mut [f64]) -> Result<()> {
        let mut acc = std::mem::take(&mut self.prescribed.given);
        acc.copy_from_slice(&self.state.acc);
        let (q, v) = (
            std::mem::take(&mut self.state.q),
            std::mem::take(&mut self.state.v),
        );
        self.update(&q, &v);
        (self.state.q, self.state.v) = (q, v);
        let (model, h, s) = (&*self.model, self.options.time_step, &self.state);
        let at = s.for_forces(model, &self.params, &self.dynamics.kin, h);
        let forces = self.forces.apply(&at, &mut self.tau);
        if forces.is_ok() {
            let system = &mut self.dynamics.system;
            self.forces.set_products(system);
            self.hold_servos();
            let model = &*self.model;
            (self.dynamics).inverse(model, &self.params, &acc, out);
            for (k, out) in out.iter_mut().enumerate() {
                // Both terms contain the armature.
                let implicit = self.diagonal[k] - self.params.armature[k];
                *out = self.tau[k] - (*out + implicit * acc[k]);
            }
            let free = match self.contact {
                Some(_) => &self.state.acc_free,
                None => &acc,
            };
            (self.dynamics.system).subtract_couplings(free, out);
            out.iter_mut().for_each(|x| *x = -*x);
            if let Some(c) = &self.contact {
                c.subtract_impulses(1.0 / h, out);
            }
        }
        self.prescribed.given = acc;
        forces.map(|_| ())
    }
}
