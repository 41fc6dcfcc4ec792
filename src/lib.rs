//! Articulated rigid-body simulation with contact in which every output has an exact derivative.

// Kernels take each array by its own name and walk several of them with one index.
#![allow(clippy::too_many_arguments, clippy::needless_range_loop)]

pub mod batch;
pub mod capi;
pub mod collision;
pub mod constraint;
pub mod contact;
pub mod control;
pub mod dynamics;
pub mod error;
pub mod force;
pub mod ik;
pub mod integrator;
pub mod joint;
pub mod linalg;
pub mod load;
pub mod model;
pub mod problem;
pub mod query;
pub mod record;
pub mod rollout;
pub mod save;
pub mod spatial;
pub mod step;
pub mod tendon;
