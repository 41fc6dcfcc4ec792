//! Where rows come from.

use crate::spatial::Vec3;

/// What a group of rows stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// Contact of the scene by index; one row (the normal) where it is frictionless.
    Contact(usize),
    /// A bound of a one-dof link: σ = `sign`·v.
    Limit { dof: usize, sign: f64 },
    /// Dry friction of a dof.
    Friction { dof: usize },
    /// A part of an equality, by index among the equalities of the model, and its violation.
    Equality { index: usize, error: Vec3 },
}
