//! Steps of the θ-method: an implicit stage finds the velocity without impulses, then the contact law adds
//! the impulses.
//!
//! [`integrator::Theta`](crate::integrator::Theta) has the equations. The stage and its link are those of the
//! implicit formulas ([`implicit`](super::implicit)). Rows, laws and the end of the step are common to all
//! schemes. This module connects them: it has the matrix through which impulses act, at the stage's
//! placements (`matrix`), and the links of the chain rule that differ.

mod chain;
mod columns;
mod linear;
mod matrix;
mod take;
mod workspace;

pub(super) use chain::{change, change_transposed, impulses, impulses_transposed};
pub(super) use take::{fall, respond};
pub(crate) use workspace::ThetaWorkspace;
