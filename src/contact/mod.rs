//! The contact laws: each solves the constraint problem of a step and linearizes its solution.

pub mod central_path;
pub mod certificate;
pub mod convex;
pub mod island;
mod island_part;
pub mod island_solver;
pub mod ladder;
pub mod law;
pub mod mode;
pub mod ncp;
pub mod panels;
pub mod problem;
mod tree_system;
pub mod whitened_jacobian;
mod working_set;
