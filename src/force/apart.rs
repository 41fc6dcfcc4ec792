//! Kinds of forces, and the workspace for queries about single kinds.

use super::elastic::Elastic;
use super::slopes::Slopes;
use crate::model::Model;
use crate::tendon::Cords;
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
    /// Forces defined outside the library.
    pub const OTHER: Self = ForceKinds(256);
    /// Forces that act without input: springs, dampers, gravity compensation, tendons, fluid.
    pub const PASSIVE: Self = ForceKinds(31);
    pub const ALL: Self = ForceKinds(511);

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

/// Workspace of queries about single kinds.
#[derive(Clone, Debug)]
pub struct Apart {
    /// The forces of all tendons and springs. In steps with constraints they are rows instead.
    pub elastic: Elastic,
    pub slopes: Slopes,
}

impl Apart {
    pub fn new(model: &Model, cords: &Cords, entries: usize, derivatives: bool) -> Self {
        let elastic = Elastic::new(model, cords, true);
        let entries = if derivatives {
            entries + elastic.entries(cords)
        } else {
            0
        };
        Apart {
            elastic,
            slopes: Slopes::new(if derivatives { model.nv() } else { 0 }, entries),
        }
    }
}
