//! The contact laws: each solves the constraint problem of a step and linearizes its solution.
//!
//! [`law`] is their interface to a step. [`ncp`] is rigid contact with the round friction cone, [`lcp`]
//! rigid contact with a friction pyramid, [`convex`] compliant contact, and [`relaxed`] rigid contact
//! with relaxed complementarity. [`elliptic`] solves the first three if contacts have torsional or
//! rolling friction.

pub mod block;
pub mod capacity;
pub mod certificate;
pub mod convex;
pub(crate) mod digits;
pub mod elliptic;
pub mod island;
mod island_part;
pub mod law;
pub mod lcp;
pub mod mode;
pub mod ncp;
pub mod problem;
pub mod product;
pub mod push_out;
pub mod relaxed;
pub mod tally;
mod tree_system;
mod tuning;
pub mod whitened_jacobian;
pub mod work_budget;
