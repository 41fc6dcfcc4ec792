//! The effect of displacing one side of a group of rows.

use crate::model::topology::WORLD;
use crate::spatial::{Twist, Vec3, Wrench};

/// The effect of displacing one side of a group, by the coordinates of ξ and η (linear; angular) about
/// the tree's origin.
#[derive(Clone, Copy, Debug, Default)]
pub struct Varied {
    /// J v⁺ and the gap or violation, row by row.
    pub velocity: [Vec3; 6],
    pub gap: [Vec3; 6],
    pub by_eta: [Vec3; 6],
    /// On each side, about the origin of its tree, beyond the load that is fixed in the world.
    pub wrench: [[Wrench; 6]; 2],
}

/// The two bodies between which a group acts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sides {
    pub link: [usize; 2],
    /// Points about the origins of their trees.
    pub point: [Vec3; 2],
    /// Velocities after the step.
    pub velocity: [Twist; 2],
}

/// The sides that are not the world.
pub fn moving(sides: &Sides) -> impl Iterator<Item = usize> + use<> {
    let link = sides.link;
    (0..2).filter(move |x| link[*x] != WORLD)
}
