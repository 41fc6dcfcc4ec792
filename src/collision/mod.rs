//! Contacts between geometries, and the exact motion of each contact.

mod contact;
pub mod polytope;

pub use contact::{ContactDerivative, ContactPoint};
