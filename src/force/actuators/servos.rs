//! Servos: actuators whose force depends on the length and rate of the transmission. A step takes these
//! derivatives implicitly.
//!
//! With K̃ = −∂F/∂l and D̃ = −∂F/∂l̇, times the gear and only where positive, and g = ∂l/∂q before the
//! gear, a step has
//!
//!   gear F − h K̃ l̇ − (h D̃ + h² K̃) g·a   along g.
//!
//! On joints the last term is on the diagonal of the system matrix. On tendons it is a product (h D̃ +
//! h² K̃) g gᵀ.

use super::ahead::Ahead;
use super::{ActuatorForce, Actuators};
use crate::force::State;
use crate::model::Actuator;
use crate::tendon::Paths;

/// See [`Ahead::of`].
#[inline(always)]
fn ahead_of(a: &Actuator, force: &ActuatorForce) -> Ahead {
    Ahead::of(a.gear[0], [force.by_length, force.by_rate])
}

impl Actuators {
    /// Whether any servo contributes to the diagonal of the system matrix.
    pub fn has_servos(&self) -> bool {
        !self.servos.is_empty()
    }

    /// Largest number of products, and of numbers in them.
    pub fn room(&self, paths: &Paths) -> [usize; 2] {
        let numbers = self.pulls.iter().map(|(_, i)| paths.support(*i).len());
        [self.pulls.len(), numbers.sum()]
    }

    /// Adds h D̃ + h² K̃ of the last [`Actuators::apply`] to the diagonal of the system matrix. With
    /// `constant` it only adds servos whose derivatives do not depend on an input.
    pub fn add_diagonal(&self, h: f64, constant: bool, diagonal: &mut [f64]) {
        for (j, k) in &self.servos {
            let ahead = &self.ahead[*j];
            if !constant || ahead.by_u == [0.0; 2] {
                let [stiffness, damping] = ahead.resists;
                diagonal[*k] += h * (damping + h * stiffness);
            }
        }
    }

    /// (h D̃ + h² K̃) g gᵀ of the last [`Actuators::apply`]: weight, dofs and entries of g.
    pub fn products<'a>(
        &'a self,
        paths: &'a Paths,
    ) -> impl Iterator<Item = (f64, &'a [usize], &'a [f64])> {
        self.pulls.iter().filter_map(|(j, i)| {
            let weight = self.weight(*j);
            let acts = weight > 0.0 && !paths.support(*i).is_empty();
            acts.then(|| (weight, paths.support(*i), paths.moment(*i)))
        })
    }

    /// h D̃ + h² K̃ of a servo on a tendon.
    pub(super) fn weight(&self, j: usize) -> f64 {
        let [stiffness, damping] = self.ahead[j].resists;
        self.time_step * (damping + self.time_step * stiffness)
    }

    /// Finds the derivatives of servos that a step takes implicitly, and subtracts h K̃ l̇ from the forces.
    /// Returns the distance of the inputs to the nearest point at which a derivative changes its sign.
    pub(super) fn lead(&mut self, at: &State<'_>, paths: &Paths, tau: &mut [f64]) -> f64 {
        let (h, list, mut distance) = (at.time_step, at.model.actuators(), f64::INFINITY);
        self.time_step = h;
        for (j, k) in &self.servos {
            let ahead = match self.forces[*j].held {
                true => Ahead::default(),
                false => ahead_of(&list[*j], &self.forces[*j]),
            };
            tau[*k] -= h * ahead.resists[0] * at.v[*k];
            self.ahead[*j] = ahead;
        }
        for (j, i) in &self.pulls {
            let ahead = ahead_of(&list[*j], &self.forces[*j]);
            self.ahead[*j] = ahead;
            let pull = h * ahead.resists[0] * paths.rate(*i, at.v);
            if pull != 0.0 {
                paths.moments(*i).for_each(|(k, g)| tau[k] -= pull * g);
            }
        }
        let joints = self.varying.iter().map(|(j, _)| j);
        for j in joints.chain(self.pulls.iter().map(|(j, _)| j)) {
            let (a, force) = (&list[*j], &self.forces[*j]);
            let mut by_u = a.gain_slopes.map(|x| force.open * x * a.gear[0]);
            if let Some(i) = paths.of_actuator(*j)
                && !paths.has_length(i)
            {
                by_u[0] = 0.0;
            }
            let slopes = [force.by_length, force.by_rate];
            distance = distance.min(self.ahead[*j].vary(a.gear[0], slopes, by_u));
        }
        distance
    }

    /// Adds the derivatives by u of the implicit terms at an acceleration. Servos on tendons use the
    /// acceleration of the free motion, which is kept.
    pub(super) fn accelerate(&mut self, at: &State<'_>, paths: &Paths, [acc, free]: [&[f64]; 2]) {
        for (own, free) in self.acc.iter_mut().zip(free) {
            *own = *free;
        }
        if free.is_empty() {
            self.acc.fill(0.0);
        }
        let h = at.time_step;
        if h == 0.0 {
            return;
        }
        let on_joints = (self.varying.iter()).map(|(j, k)| {
            let acc = acc.get(*k).copied().unwrap_or(0.0);
            (*j, [at.v[*k], acc])
        });
        let along = self.pulls.iter();
        let along = along.map(|(j, i)| (*j, [paths.rate(*i, at.v), paths.rate(*i, &self.acc)]));
        for (j, motion) in on_joints.chain(along) {
            let by_u = self.ahead[j].by_u;
            if by_u != [0.0; 2] {
                let held = Ahead::held(by_u, h, motion);
                self.inputs[j].slope = self.forces[j].by_u - held / at.model.actuators()[j].gear[0];
            }
        }
    }

    /// Force of a servo along a tendon before the gear, including the implicit terms.
    pub(super) fn whole(&self, at: &State<'_>, paths: &Paths, [j, i]: [usize; 2]) -> f64 {
        let (force, gear) = (&self.forces[j], at.model.actuators()[j].gear[0]);
        match self.ahead[j].resists {
            [0.0, 0.0] => gear * force.force,
            ahead => {
                let motion = [paths.rate(i, at.v), paths.rate(i, &self.acc)];
                gear * force.force - Ahead::held(ahead, at.time_step, motion)
            }
        }
    }
}
