//! Control by the derivatives of the step: a linear-quadratic regulator about a state, and trajectories that an iterative one
//! improves within bounds of the inputs.
//!
//! Building blocks: the model of the future is a [`Sim`](crate::step::Sim), the cost a sum of squares, and what becomes of
//! the inputs and gains is the caller's business.

mod box_qp;
mod cost;
mod ilqr;
mod passes;
mod riccati;
mod sizes;

pub use ilqr::{Ilqr, IlqrInfo, IlqrOptions, IlqrOutcome};
pub use riccati::lqr;
