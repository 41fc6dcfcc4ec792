//! Implicit stages: Newton's method solves each stage; the derivative is the derivative of the solution. A
//! step of a formula ends at its last stage. A scheme with a stage adds impulses ([`theta`](super::theta)).
//!
//! [`integrator::implicit`](crate::integrator::implicit) has the equations of a stage. The solutions of a
//! step's stages are kept, so that each stage can be linearized there ([`Linear`]). A direction runs
//! through the stages in order, an adjoint backwards with transposed solves. Jacobians take all columns
//! through a stage before the next.

mod balance;
mod blocks;
mod by_trees;
mod chain;
mod columns;
mod curvature;
mod linear;
mod memory;
mod newton;
mod panels;
mod physics;
mod solver;
mod stage;
mod take;
mod way;
mod workspace;

pub(super) use balance::{Balance, Of};
pub(super) use chain::{arrive, arrive_transposed, missing, stages, stages_transposed};
pub(super) use columns::Kind;
pub(super) use linear::Linear;
pub(super) use newton::{Found, Newton};
pub(super) use stage::{Source, StageState};
pub(super) use take::{solve_stages, take};
pub(crate) use workspace::Implicit;
pub(super) use workspace::Lanes;
