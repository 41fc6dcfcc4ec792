//! The contact laws: each solves the constraint problem of a step and linearizes its solution.
//!
//! [`law`] is what a step sees of them. [`ncp`] is rigid contact with the true friction cone, [`lcp`] the same with a friction
//! pyramid, [`convex`] compliant contact, [`relaxed`] rigid contact with complementarity relaxed; [`elliptic`] solves the
//! first three where contacts resist torsion and rolling.

pub mod allowance;
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
mod tree_system;
pub mod whitened_jacobian;
