//! Steps of the θ-method: an implicit stage finds the velocity without impulses, then the contact law adds them.
//!
//! The equations are in [`integrator::Theta`](crate::integrator::Theta). The stage is that of the implicit formulas; rows, laws
//! and the end of the step are those of every scheme. What is here joins the two: the matrix through which impulses
//! act, at the stage's placements (`matrix`), and the links of the chain that differ.

mod chain;
mod columns;
mod linear;
mod matrix;
mod take;
mod workspace;

pub(super) use chain::{balance, balance_transposed, impulses, impulses_transposed};
pub(crate) use workspace::Theta;
