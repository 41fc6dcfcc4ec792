//! Forces kind by kind, with their derivatives, at any state and without the implicit terms of a step.

use super::Forces;
use crate::dynamics::external::External;
use crate::dynamics::kinematics::Kinematics;
use crate::error::Result;
use crate::force::apart::Apart;
use crate::force::{Force, ForceKinds, State};
use crate::model::Model;
use crate::model::params::Params;

impl Forces {
    /// Adds the generalized forces of these kinds, without loads on links, to `tau`. The time step in
    /// `at` must be zero, so that no term is implicit. Returns the distance to the nearest jump of the
    /// derivatives. The state of the last [`Forces::apply`] is kept, except its contacts
    /// ([`Forces::contacts_moved`]).
    ///
    /// # Errors
    /// The errors of penalty contacts and of adhesion.
    pub fn apply_kinds(
        &mut self,
        kinds: ForceKinds,
        at: &State<'_>,
        tau: &mut [f64],
    ) -> Result<f64> {
        let mut distance = f64::INFINITY;
        self.contacts_moved |= self.penalty.is_some() && kinds.has(ForceKinds::CONTACT)
            || self.adhesion.is_some() && kinds.has(ForceKinds::ACTUATOR);
        if kinds.has(ForceKinds::JOINT_DAMPER) {
            self.damper.apply(at, tau);
        }
        if kinds.has(ForceKinds::JOINT_SPRING) {
            self.apart.spring.apply(at, tau);
        }
        if kinds.has(ForceKinds::FLUID) {
            self.apart.fluid.apply(at, tau);
        }
        if kinds.has(ForceKinds::ACTUATOR | ForceKinds::TENDON) {
            self.apart.paths.update(at.kin, at.q);
        }
        if kinds.has(ForceKinds::ACTUATOR) {
            let Apart {
                actuators, paths, ..
            } = &mut self.apart;
            let adhesion = self.adhesion.as_deref_mut();
            distance = distance.min(actuators.act(at, paths, adhesion, tau)?);
        }
        if kinds.has(ForceKinds::TENDON) && self.apart.elastic.acts() {
            self.apart.elastic.apply(at, &self.apart.paths, tau);
            distance = distance.min(self.apart.elastic.switch_distance());
        }
        if kinds.has(ForceKinds::TENDON) && !self.apart.deformables.is_empty() {
            self.apart.deformables.apply(at, tau);
            distance = distance.min(self.apart.deformables.switch_distance());
        }
        if kinds.has(ForceKinds::OTHER) {
            for f in &mut self.apart.others {
                f.apply(at, tau);
                distance = distance.min(f.switch_distance());
            }
        }
        if let Some(penalty) = self
            .penalty
            .as_mut()
            .filter(|_| kinds.has(ForceKinds::CONTACT))
        {
            penalty.apply(at, tau)?;
            distance = distance.min(penalty.switch_distance());
        }
        Ok(distance)
    }

    /// Derivative of [`Forces::actuator`]'s force by the input.
    pub fn actuator_by_input(&self, i: usize) -> f64 {
        self.apart.actuators.by_input(i)
    }

    /// Loads on links by these kinds. `kin` holds positions.
    pub fn load_kinds(
        &self,
        kinds: ForceKinds,
        model: &Model,
        params: &Params,
        kin: &Kinematics,
        loads: &mut External,
    ) {
        for (_, f) in self.loads().filter(|(kind, _)| kinds.has(*kind)) {
            f.load(model, params, kin, loads);
        }
    }

    /// Visits the derivatives of these kinds' generalized forces at the state of the last
    /// [`Forces::apply_kinds`] with the same kinds: (row, column, −by q, −by v). A pair may be visited
    /// more than once. The forces must have been created with derivatives.
    pub fn for_kinds(
        &mut self,
        kinds: ForceKinds,
        at: &State<'_>,
        mut visit: impl FnMut(usize, usize, f64, f64),
    ) {
        let mut slopes = std::mem::take(&mut self.apart.slopes);
        slopes.clear();
        if kinds.has(ForceKinds::JOINT_DAMPER) {
            self.damper.slopes(at, &mut slopes);
        }
        if kinds.has(ForceKinds::JOINT_SPRING) {
            self.apart.spring.slopes(at, &mut slopes);
        }
        if kinds.has(ForceKinds::FLUID) {
            self.apart.fluid.differentiate(at);
            self.apart.fluid.slopes(at, &mut slopes);
        }
        if kinds.has(ForceKinds::ACTUATOR | ForceKinds::TENDON) {
            self.apart.paths.differentiate(at.kin);
        }
        if kinds.has(ForceKinds::ACTUATOR) {
            self.apart
                .actuators
                .slopes(at, &self.apart.paths, [&[]; 2], &mut slopes);
        }
        if kinds.has(ForceKinds::TENDON) && self.apart.elastic.acts() {
            (self.apart.elastic).slopes(at, &self.apart.paths, &[], &mut slopes);
        }
        if kinds.has(ForceKinds::TENDON) && !self.apart.deformables.is_empty() {
            self.apart.deformables.differentiate(at);
            self.apart.deformables.slopes(at.kin, &mut slopes, None);
        }
        if kinds.has(ForceKinds::OTHER) {
            self.apart
                .others
                .iter()
                .for_each(|f| f.slopes(at, &mut slopes));
        }
        for (k, [by_q, by_v]) in slopes.diagonal.iter().enumerate() {
            visit(k, k, *by_q, *by_v);
        }
        for e in &slopes.entries {
            visit(e.row, e.column, e.by_q, e.by_v);
        }
        self.apart.slopes = slopes;
        if let Some(penalty) = self
            .penalty
            .as_mut()
            .filter(|_| kinds.has(ForceKinds::CONTACT))
        {
            penalty.differentiate(at);
            penalty.for_branches(&mut visit);
            penalty.for_cross(&mut visit);
        }
        if let Some(adhesion) = self
            .adhesion
            .as_mut()
            .filter(|_| kinds.has(ForceKinds::ACTUATOR))
        {
            let t = at.model.topology();
            adhesion.differentiate(at);
            adhesion.for_branches(t, &mut visit);
            adhesion.for_cross(t, &mut visit);
        }
    }

    /// Visits the derivatives of these kinds' generalized forces by the inputs: (dof, input, value).
    /// Call it after [`Forces::apply_kinds`].
    pub fn for_kinds_by_input(&self, kinds: ForceKinds, mut visit: impl FnMut(usize, usize, f64)) {
        let own = kinds
            .has(ForceKinds::ACTUATOR)
            .then(|| self.apart.actuators.inputs());
        let others = (self.apart.others.iter())
            .filter(|_| kinds.has(ForceKinds::OTHER))
            .map(|f| f.inputs());
        for input in own.into_iter().chain(others).flatten() {
            for (k, moment) in input.moments() {
                visit(k, input.input, moment * input.slope);
            }
        }
    }

    /// Force of an actuator (before the gear), and length and rate of its transmission (after the gear).
    /// Call it after [`Forces::apply_kinds`] with actuators.
    pub fn actuator(&self, at: &State<'_>, i: usize) -> [f64; 3] {
        self.apart.actuators.told(at, &self.apart.paths, i)
    }

    /// Visits the derivatives of an actuator's force: (dof, by q, by v). Call it after
    /// [`Forces::for_kinds`] with actuators.
    pub fn for_actuator(&self, at: &State<'_>, i: usize, visit: impl FnMut(usize, f64, f64)) {
        self.apart
            .actuators
            .for_slopes(at, &self.apart.paths, i, visit);
    }

    /// Visits the derivatives of an actuator's transmission: (dof, [length by q, rate by v, rate by q]).
    /// Call it after [`Forces::for_kinds`] with actuators.
    pub fn for_motion(&self, at: &State<'_>, i: usize, visit: impl FnMut(usize, [f64; 3])) {
        self.apart
            .actuators
            .for_motion(at, &self.apart.paths, i, visit);
    }

    /// Length, rate and tension of a tendon. Call it after [`Forces::apply_kinds`] with tendons.
    pub fn tendon(&self, at: &State<'_>, i: usize) -> [f64; 3] {
        let tension = self.apart.elastic.tension(i);
        [
            self.apart.paths.length(i),
            self.apart.paths.rate(i, at.v),
            tension,
        ]
    }

    /// Visits the derivatives of a tendon: (dof, length by q, rate by q, tension by q, tension by v).
    /// Call it after [`Forces::for_kinds`] with tendons.
    pub fn for_tendon(&self, at: &State<'_>, i: usize, mut visit: impl FnMut(usize, [f64; 4])) {
        let [by_length, by_rate] = self.apart.elastic.slopes_of(i);
        self.apart.paths.for_rate(i, at.v, |k, g, turned| {
            let tension = by_length * g + by_rate * turned;
            visit(k, [g, turned, tension, by_rate * g]);
        });
    }
}
