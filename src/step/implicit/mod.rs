//! Steps of implicit formulas: Newton's method solves each stage; the derivative is the derivative of the
//! solution.
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
pub(super) use chain::STAGES;
pub(super) use linear::{Columns as StageColumns, Linear, Start, columns as stage_columns};
pub(super) use newton::{Found, Newton, Problem};
pub(super) use physics::Physics;
pub(super) use stage::{Rule, StageState, mix};
pub(super) use take::take;
pub(super) use way::Limits;
pub(crate) use workspace::Implicit;
pub(super) use workspace::Lanes;
