//! Kinds of forces, and what questions about them need beside the forces.

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
    /// Of tendons' springs and dampers, and of springs between points.
    pub const TENDON: Self = ForceKinds(8);
    pub const FLUID: Self = ForceKinds(16);
    pub const ACTUATOR: Self = ForceKinds(32);
    /// Penalty forces of contacts and limits, where contact is by such.
    pub const CONTACT: Self = ForceKinds(64);
    /// External wrenches that are set.
    pub const EXTERNAL: Self = ForceKinds(128);
    /// Those made outside of the library.
    pub const OTHER: Self = ForceKinds(256);
    /// What acts by itself: springs, dampers, compensation of gravity, tendons, fluid.
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

/// Workspace of these questions.
#[derive(Clone, Debug)]
pub struct Apart {
    /// Of all tendons and springs, which in steps with constraints are rows instead.
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
