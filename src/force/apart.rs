//! Kinds of forces, and the forces at the state of a query.

use super::actuators::Actuators;
use super::deformable::Deformables;
use super::elastic::Elastic;
use super::face::Force;
use super::fluid::FluidForces;
use super::joint_spring::JointSpring;
use super::slopes::Slopes;
use crate::dynamics::kinematics::Kinematics;
use crate::model::Model;
use crate::model::params::Params;
use crate::tendon::Paths;
use std::ops::{BitOr, BitOrAssign};

/// Kinds of forces, as a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForceKinds(pub u32);

impl ForceKinds {
    pub const JOINT_SPRING: Self = ForceKinds(1);
    pub const JOINT_DAMPER: Self = ForceKinds(2);
    pub const GRAVITY_COMPENSATION: Self = ForceKinds(4);
    /// Springs and dampers of tendons, springs between points, and deformable bodies.
    pub const TENDON: Self = ForceKinds(8);
    pub const FLUID: Self = ForceKinds(16);
    pub const ACTUATOR: Self = ForceKinds(32);
    /// Penalty forces of contacts and limits, with penalty contact.
    pub const CONTACT: Self = ForceKinds(64);
    /// External wrenches set by the user.
    pub const EXTERNAL: Self = ForceKinds(128);
    /// Forces defined outside the library. Not in the C interface; the bits between belong to kinds to come.
    pub const OTHER: Self = ForceKinds(1 << 31);
    /// Forces that act without input: springs, dampers, gravity compensation, tendons, fluid.
    pub const PASSIVE: Self = ForceKinds(31);
    pub const ALL: Self = ForceKinds(u32::MAX);

    pub fn has(self, kind: Self) -> bool {
        self.0 & kind.0 != 0
    }
}

impl BitOr for ForceKinds {
    type Output = Self;
    fn bitor(self, o: Self) -> Self {
        ForceKinds(self.0 | o.0)
    }
}

impl BitOrAssign for ForceKinds {
    fn bitor_assign(&mut self, o: Self) {
        self.0 |= o.0;
    }
}

/// The forces at the state of the last query, separate from those of steps. Forces that keep no state are
/// not here. Forces at contacts (penalty, adhesion) are shared with steps.
#[derive(Debug)]
pub struct Apart {
    pub spring: JointSpring,
    pub paths: Paths,
    pub actuators: Actuators,
    /// The forces of all tendons and springs. In steps with constraints they are rows instead.
    pub elastic: Elastic,
    pub deformables: Deformables,
    pub fluid: FluidForces,
    pub others: Vec<Box<dyn Force>>,
    pub slopes: Slopes,
}

impl Apart {
    /// `others`: the forces defined outside the library, of which this has copies.
    pub fn new(model: &Model, others: &[Box<dyn Force>], derivatives: bool) -> Self {
        let paths = Paths::new(model, derivatives).with_actuators(model, derivatives);
        Apart {
            spring: JointSpring::new(model),
            actuators: Actuators::new(model, &paths),
            elastic: Elastic::new(model, &paths, true),
            paths,
            deformables: Deformables::new(model),
            fluid: FluidForces::new(model),
            others: others.iter().map(|f| f.duplicate()).collect(),
            slopes: Slopes::new(0, 0),
        }
    }

    /// Makes room for the slopes, `entries` of which belong to forces other than tendons and springs.
    pub fn reserve(&mut self, model: &Model, entries: usize) {
        let entries = entries + self.elastic.entries(&self.paths);
        self.slopes = Slopes::new(model.nv(), entries);
    }

    /// Takes new parameters.
    pub fn refresh(&mut self, model: &Model, params: &Params) {
        self.paths.place_points(model, params);
        self.deformables.refresh(params);
    }

    /// Energy stored at q [J], without contacts. `kin` holds positions.
    pub fn energy(&mut self, model: &Model, params: &Params, kin: &Kinematics, q: &[f64]) -> f64 {
        let mut stored = self.spring.energy(model, params, kin, q);
        for f in &mut self.others {
            stored += f.energy(model, params, kin, q);
        }
        stored += self.deformables.energy(model, kin);
        if self.paths.tensions() == 0 {
            return stored;
        }
        self.paths.update(kin, q);
        stored + self.elastic.energy(model, params, &self.paths)
    }
}
