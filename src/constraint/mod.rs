//! The constraint problem of a step: contacts, joint limits, dry friction and equalities as rows of a Jacobian
//! with their laws. Nothing here knows how it is solved.

mod assemble;
mod compliance;
mod contact_derivative;
mod derivative;
mod equality;
mod equality_derivative;
mod home;
pub mod levers;
mod limits;
mod memory;
pub mod rows;
mod stabilization;
mod stabilize;
mod trees;
mod weights;

pub use assemble::{Constraints, Source};
pub use compliance::Compliance;
pub use derivative::ConstraintDerivative;
pub use home::home;
pub use stabilization::Stabilization;
pub use trees::room;
