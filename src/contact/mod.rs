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
pub mod tree_rows;
mod tree_system;
mod working_set;
