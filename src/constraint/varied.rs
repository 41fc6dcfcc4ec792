//! The derivatives of a group of constraint rows by the motion of one of its two bodies.

use crate::model::topology::WORLD;
use crate::spatial::{Twist, Vec3, Wrench};

/// The derivatives of a group of constraint rows by the motion of one of its two bodies. The motion
/// displaces the body by the twist ξ, and changes its velocity V by ξ × V + η. Entry k of an array is the
/// derivative by coordinate k of ξ or η (linear; angular) about the origin of the body's tree.
#[derive(Clone, Copy, Debug, Default)]
pub struct Varied {
    /// By ξ: of J v⁺, one number a row.
    pub velocity: [Vec3; 6],
    /// By ξ: of the gap of a contact or the violation of an equality, one number a row.
    pub gap: [Vec3; 6],
    /// By η: of J v⁺, one number a row.
    pub by_eta: [Vec3; 6],
    /// By ξ: of the impulse on each body, about the origin of the body's tree. It leaves out the
    /// derivative of an impulse that keeps its direction in the world and its point on the body.
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
