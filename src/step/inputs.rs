//! Data that a caller sets between steps: wrenches, forces, prescribed velocities, parameters, and the memory
//! from step to step.

use super::implicit::Newton;
use super::info::{check_finite, check_length};
use super::prescribe::for_whole;
use super::prescribed::Prescribed;
use super::reduced::ByReduction;
use super::selection::Selection;
use super::sim::Sim;
use super::split::Split;
use super::state::Held;
use crate::dynamics::system::System;
use crate::error::{Error, Result};
use crate::linalg::first_not_finite;
use crate::model::params::{Param, ParamKind};

/// Wrenches and forces.
impl Sim {
    /// Sets the wrench (force; moment) on a body, world axes at the body's origin [N, N m], for all calls
    /// until it is changed.
    pub fn set_external_wrench(&mut self, body: usize, wrench: [f64; 6]) -> Result<()> {
        if body >= self.model.nbody() {
            return Err(Error::invalid(format!(
                "body must be in 0..{}, got {body}",
                self.model.nbody()
            )));
        }
        check_finite("wrench", &wrench, 6)?;
        self.forces.wrenches.set(body, wrench);
        self.forget_step();
        Ok(())
    }

    /// Sets a generalized force on all dofs in all following steps: `force` at the state at the start of
    /// the step [N or N m], with its slopes K = ∂τ/∂q and D = ∂τ/∂v at this state, nv×nv, column-major;
    /// empty means zero. The step uses τ + h K v⁺ + D (v⁺ − v), so that a caller's stiff feedback is as
    /// stable as a servo of the model. `None` ends the force. Derivatives of the step hold τ, K and D
    /// fixed. The last step is forgotten.
    ///
    /// # Errors
    /// `InvalidArgument` for a wrong length, `Numerical` for a number that is not finite, `Unsupported`
    /// with implicit integrators. Then nothing changes.
    pub fn set_force(&mut self, given: Option<[&[f64]; 3]>) -> Result<()> {
        if let Some([force, by_q, by_v]) = given {
            let nv = self.model.nv();
            check_finite("tau", force, nv)?;
            for (name, x) in [("K", by_q), ("D", by_v)] {
                if !x.is_empty() {
                    check_finite(name, x, nv * nv)?;
                }
            }
            if self.implicit.is_some() {
                return Err(Error::unsupported(format!(
                    "options.integrator: with {:?} a force with slopes cannot be given; expected SymplecticEuler or SymplecticEulerWorld",
                    self.options.integrator
                )));
            }
        }
        self.forces.set_feedback(given);
        self.refresh_forces();
        self.forget_step();
        Ok(())
    }

    /// Refuses implicit user-defined forces between dofs with constraints: derivatives by a force's own
    /// parameters do not separate the part that acts on impulses.
    pub(super) fn check_couplings(&self) -> Result<()> {
        if self.contact.is_some() && self.forces.couples() {
            return Err(Error::unsupported(
                "forces: with constraints, a force between dofs must be explicit; options.contact None makes no constraints",
            ));
        }
        Ok(())
    }

    /// Contacts and limits at up to this distance [m or rad] enter all following steps.
    pub(crate) fn widen_speculative_margin(&mut self, distance: f64) {
        if let Some(c) = &mut self.contact {
            c.widen_speculative_margin(distance);
        }
    }

    /// Time step of the implicit forces [s]: the θ-method's own, otherwise h.
    pub(super) fn implicit_step(&self) -> f64 {
        self.theta
            .as_ref()
            .map_or(self.options.time_step, |t| t.step)
    }

    pub(crate) fn refresh_forces(&mut self) {
        let (h, system) = (self.implicit_step(), &mut self.dynamics.system);
        (self.forces).refresh(&self.model, &self.params, h, &mut self.diagonal, system);
        self.prescribed.take_diagonal(&self.diagonal);
        self.refresh_split();
    }

    /// Allocates the derivative of a balance that may be split.
    fn refresh_split(&mut self) {
        let may_split = self.contact.is_some()
            && self.workspace.is_some()
            && matches!(self.dynamics.system, System::Coupled(_));
        let sizes = [self.model.nv(), self.model.nu(), self.np()];
        Split::fit(&mut self.split, may_split, sizes);
    }
}

/// Prescribed velocities.
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
        if let Some(coriolis) = &mut self.forces.coriolis {
            coriolis.drive(self.prescribed.is_prescribed());
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
        if self.formula().is_none() {
            let (scheme, h) = (&*self.integrator, self.options.time_step);
            for_whole(&self.model, &mut self.prescribed, |dofs, prescribed| {
                scheme.reach(h, &mut prescribed.end[dofs]);
            });
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
        if self.prescribed.is_empty() || self.implicit.is_none() {
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
}

/// Parameters.
impl Sim {
    /// The parts by which parameters are selected and checked.
    fn selection(&self) -> Selection<'_> {
        Selection {
            model: &self.model,
            params: &self.params,
            options: &self.options,
            forces: &self.forces,
            prescribed: &self.prescribed,
            contact: self.contact.as_deref(),
            loads: self.loads.as_deref(),
            selected: &self.selected,
        }
    }

    /// Selects the parameters by which derivatives are taken; replaces an earlier selection.
    ///
    /// # Errors
    /// `InvalidArgument` for a parameter that the model does not have; `Unsupported` for one on which the
    /// step does not depend (its derivative would silently be zero). Then the earlier selection stays.
    pub fn select_params(&mut self, list: &[Param]) -> Result<()> {
        self.selection().check(list)?;
        self.selected = list.to_vec();
        self.refresh_split();
        self.by_reduction = ByReduction::new(&self.model, &self.params, list);
        self.held = self.held.min(match self.formula() {
            // The label must be computed again.
            Some(_) => Held::Other,
            None => Held::Velocities,
        });
        if let Some(implicit) = &mut self.implicit {
            implicit.fit(self.model.nv(), list.len());
        }
        if let Some(theta) = &mut self.theta {
            theta.fit(self.model.nv(), list.len());
        }
        if let Some(w) = &mut self.workspace {
            w.fit(&self.model, list.len());
        }
        Ok(())
    }

    /// The selected parameters.
    pub fn selected(&self) -> &[Param] {
        &self.selected
    }

    /// Values of the selected parameters; np entries.
    pub fn get_params(&self, out: &mut [f64]) -> Result<()> {
        check_length("p", out, self.np())?;
        let selection = self.selection();
        for (x, p) in out.iter_mut().zip(&self.selected) {
            *x = selection.value(p);
        }
        Ok(())
    }

    /// Sets the selected parameters; np entries. The last step is forgotten.
    ///
    /// # Errors
    /// `Numerical` for a number that is not finite. `InvalidArgument` for a negative mass, damping,
    /// stiffness, armature or friction, for a size that is not positive, for a gain or restitution outside
    /// [0, 1], for a change to an inertia that no body can have, and with penalty contact for an infinite
    /// stiffness of a geom that is not fixed to the world. Then nothing is set.
    pub fn set_params(&mut self, values: &[f64]) -> Result<()> {
        self.selection().check_values(values)?;
        self.selection().check_inertias(values)?;
        self.write_params(values)
    }

    /// [`Sim::set_params`] that also allows impossible inertias, for finite differences at the border of
    /// the valid set (flat bodies).
    ///
    /// # Errors
    /// As [`Sim::set_params`], except for inertias.
    pub fn set_params_for_differences(&mut self, values: &[f64]) -> Result<()> {
        self.selection().check_values(values)?;
        self.write_params(values)
    }

    /// Sets a selected parameter. The caller updates derived numbers.
    fn set_param(&mut self, p: &Param, value: f64) {
        match p.kind {
            ParamKind::ExternalWrench => {
                let body = p.index as usize;
                let mut x = self.forces.wrenches.get(body);
                x[p.component as usize] = value;
                self.forces.wrenches.set(body, x);
            }
            ParamKind::Force => self.forces.set_param(p, value),
            ParamKind::Prescribed => self.prescribed.change_velocity(p.index as usize, value),
            ParamKind::Stabilization => {
                *[&mut self.options.kp, &mut self.options.kd][p.component as usize] = value;
            }
            _ => self.params.set(&self.model, p, value),
        }
    }

    fn write_params(&mut self, values: &[f64]) -> Result<()> {
        for (i, x) in values.iter().enumerate() {
            let p = self.selected[i];
            self.set_param(&p, *x);
        }
        (self.params).reduce(&self.model, &self.selected, values)?;
        if self.selected.iter().any(|p| p.kind == ParamKind::Reduction) {
            self.refresh_reduction()?;
        }
        self.params.refresh(&self.model);
        self.refresh_forces();
        self.reach_prescribed();
        self.refresh_contact()?;
        self.forget_curvature();
        self.forget_step();
        Ok(())
    }

    /// Takes the current values of the reductions.
    pub(super) fn refresh_reduction(&mut self) -> Result<()> {
        let Some(r) = &self.params.reduction else {
            return Ok(());
        };
        let t = self.model.topology();
        self.dynamics.mass.reduce(t, r);
        self.asked.dynamics.mass.reduce(t, r);
        if let Some(implicit) = &mut self.implicit {
            implicit.reduce(r);
        }
        match &mut self.contact {
            Some(c) => c.constraints.reduce(&self.model, r),
            None => Ok(()),
        }
    }

    /// Updates the contact stage with the current parameters: sizes of geoms and gains.
    pub(super) fn refresh_contact(&mut self) -> Result<()> {
        if let Some(c) = &mut self.contact {
            c.constraints.set_gains(self.options.kp, self.options.kd);
            c.paths.place_points(&self.model, &self.params);
            c.constraints.place_springs(&self.model, &self.params);
            if c.constraints.compliance.is_some() {
                c.scene.glide(&self.params.geom_friction);
                c.scene.set_moduli(&self.params.geom_modulus);
            }
        }
        let (stage, penalty) = (&mut self.contact, &mut self.forces.penalty);
        let stage = stage.as_mut().map(|c| &mut c.scene);
        let penalty = penalty.as_mut().map(|p| &mut p.scene);
        let adhesion = self.forces.adhesion.as_mut().map(|a| &mut a.scene);
        let mut scenes = stage.into_iter().chain(penalty).chain(adhesion);
        scenes.try_for_each(|scene| scene.resize(&self.model, &self.params.geom_size))
    }
}

/// Memory from step to step, beside the state.
impl Sim {
    /// Length of the memory between steps: the warm starts of the contact solver and of Newton's method,
    /// the integrator's state, and the activations.
    pub fn memory_size(&self) -> usize {
        self.warm_size() + self.guess().len() + self.carried.len() + self.act.len()
    }

    /// Activations at the start of the next step; na numbers, initially zero.
    pub fn act(&self) -> &[f64] {
        &self.act
    }

    /// Sets the activations. The last step and its derivatives do not change.
    ///
    /// # Errors
    /// `InvalidArgument` for a wrong length, `Numerical` for a number that is not finite.
    pub fn set_act(&mut self, act: &[f64]) -> Result<()> {
        check_finite("act", act, self.act.len())?;
        self.act.copy_from_slice(act);
        Ok(())
    }

    /// Length of the integrator's state between steps.
    pub fn carried(&self) -> usize {
        self.carried.len()
    }

    fn newton_mut(&mut self) -> Option<&mut Newton> {
        self.implicit.as_mut().map(|i| &mut i.newton)
    }

    /// Memory of Newton's method; empty without an implicit stage.
    fn guess(&self) -> &[f64] {
        self.implicit.as_ref().map_or(&[], |i| i.newton.memory())
    }

    /// Stores the data from which Newton's method starts in the next step.
    pub(super) fn remember_guess(&mut self) {
        let (model, h) = (&*self.model, self.options.time_step);
        if let Some(implicit) = &mut self.implicit {
            let count = implicit.source.rules(&self.state.carried, h).len();
            (implicit.newton).remember(model, implicit.stages.iter().take(count));
        }
    }

    /// Forgets the memory of Newton's method.
    pub(super) fn forget_guess(&mut self) {
        if let Some(newton) = self.newton_mut() {
            newton.memory_mut().fill(0.0);
        }
    }

    /// Forgets the curvature γ in the memory of Newton's method, after forces have changed.
    pub(super) fn forget_curvature(&mut self) {
        if let Some(newton) = self.newton_mut() {
            newton.forget_curvature();
        }
    }

    fn warm_size(&self) -> usize {
        self.contact
            .as_ref()
            .map_or(0, |c| c.constraints.memory.size())
    }

    /// Copies the memory between steps; `memory_size` entries.
    pub fn get_memory(&self, out: &mut [f64]) -> Result<()> {
        check_length("warm", out, self.memory_size())?;
        self.write_memory(self.warm_size(), out);
        Ok(())
    }

    /// Appends the memory between steps without the zeros of unused room: most steps use little of it.
    pub(crate) fn append_memory(&self, out: &mut Vec<f64>) {
        let warm = (self.contact.as_ref()).map_or(0, |c| c.constraints.memory.used());
        let (start, rest) = (out.len(), self.memory_size() - self.warm_size());
        out.resize(start + warm + rest, 0.0);
        self.write_memory(warm, &mut out[start..]);
    }

    /// Writes the memory between steps, with this many numbers of the warm start.
    fn write_memory(&self, warm: usize, out: &mut [f64]) {
        let (warm, rest) = out.split_at_mut(warm);
        let (guess, rest) = rest.split_at_mut(self.guess().len());
        let (carried, act) = rest.split_at_mut(self.carried.len());
        guess.copy_from_slice(self.guess());
        if let Some(c) = &self.contact {
            c.constraints.memory.save(warm);
        }
        carried.copy_from_slice(&self.carried);
        act.copy_from_slice(&self.act);
    }

    /// Restores the memory between steps; the following steps repeat bit for bit.
    pub fn set_memory(&mut self, memory: &[f64]) -> Result<()> {
        check_length("warm", memory, self.memory_size())?;
        self.take_memory(memory)
    }

    /// Restores the memory of [`Sim::append_memory`], or that of [`Sim::get_memory`].
    pub(crate) fn take_memory(&mut self, memory: &[f64]) -> Result<()> {
        let rest = self.memory_size() - self.warm_size();
        let (warm, rest) = memory.split_at(memory.len() - rest);
        if let Some(i) = first_not_finite(rest) {
            let i = warm.len() + i;
            return Err(Error::numerical(format!(
                "warm[{i}] must be finite, got {}",
                memory[i]
            )));
        }
        if let Some(c) = &mut self.contact {
            c.constraints.memory.restore(warm)?;
        }
        let (guess, rest) = rest.split_at(self.guess().len());
        let (carried, act) = rest.split_at(self.carried.len());
        if let Some(newton) = self.newton_mut() {
            newton.memory_mut().copy_from_slice(guess);
        }
        self.carried.copy_from_slice(carried);
        self.act.copy_from_slice(act);
        self.forget_step();
        Ok(())
    }

    /// Forgets warm starts and the last step, and sets activations to zero.
    pub fn reset(&mut self) {
        if let Some(c) = &mut self.contact {
            c.forget();
        }
        self.forget_guess();
        self.carried.fill(0.0);
        self.act.fill(0.0);
        self.forget_step();
    }
}
