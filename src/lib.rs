//! Articulated rigid-body simulation with contact in which every output has an exact derivative.

pub mod collision;
pub mod error;
pub mod load;
pub mod model;
pub mod spatial;
