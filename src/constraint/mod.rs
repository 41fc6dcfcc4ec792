//! The constraint problem of a step: contacts, joint limits, dry friction and equalities as rows of a Jacobian
//! with their laws. Nothing here knows how it is solved.

mod assemble;
mod compliance;
mod contact_derivative;
mod delassus;
mod derivative;
mod dof_bounds;
mod dof_groups;
mod dof_pivots;
mod driven;
mod elastic;
mod equality;
mod equality_derivative;
mod equality_list;
mod fill;
mod held;
mod home;
pub mod levers;
mod limits;
mod memory;
pub mod rebound;
pub mod rows;
mod source;
mod speed_limits;
mod stabilization;
mod stabilize;
mod target;
mod tendon_list;
mod tendon_rows;
mod turning;
mod turning_derivative;
mod turning_rows;
mod varied;
mod weights;

pub use assemble::Constraints;
pub use compliance::Compliance;
pub use derivative::ConstraintDerivative;
pub use dof_groups::Free;
pub use equality::Equality;
pub use equality_list::equalities;
pub use held::room;
pub use home::home;
pub use source::{Along, Source};
pub use stabilization::Stabilization;
pub use target::Target;
pub use turning::Turning;
