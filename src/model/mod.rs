//! The model: constant once built, shared by any number of simulations and threads.

pub mod mesh;
pub mod spec;
