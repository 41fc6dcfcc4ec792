//! The constraint problem of a step: contacts, joint limits and dry friction as rows of a Jacobian
//! with their laws. Nothing here knows how it is solved.

mod assemble;
mod derivative;
pub mod rows;

pub use assemble::{Constraints, Source, Stabilization};
pub use derivative::Variation;
