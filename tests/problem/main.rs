//! The contact solver alone.

#[path = "../common/mod.rs"]
mod common;
mod problem;
mod problem_edges;
