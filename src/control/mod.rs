//! Control with the derivatives of the step: a linear-quadratic regulator about a state, and trajectories
//! that an iterative regulator improves within bounds of the inputs.
//!
//! These are building blocks: the prediction model is a [`Sim`](crate::step::Sim), the cost is a sum of
//! squares, and the caller decides how to use inputs and gains.

mod box_qp;
mod cost;
mod ilqr;
mod passes;
mod riccati;
mod sizes;

pub use ilqr::{Ilqr, IlqrInfo, IlqrOptions, IlqrOutcome};
pub use riccati::lqr;
