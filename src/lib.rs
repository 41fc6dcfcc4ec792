//! Articulated rigid-body simulation with contact in which every output has an exact derivative.

pub mod collision;
pub mod contact;
pub mod error;
pub mod linalg;
pub mod model;
pub mod spatial;
