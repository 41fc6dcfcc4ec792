//! Time stepping and the derivatives of a step.

mod carried;
mod chain;
mod constrained_inverse;
mod contact;
mod contact_kernels;
mod derivatives;
mod geometry;
mod impulse_workspace;
mod impulses;
pub(crate) mod info;
mod jacobian_pattern;
mod jacobians;
mod linearization;
mod memory;
mod observe;
mod options;
mod parameters;
mod parts;
mod scene;
mod selection;
mod sim;
pub(crate) mod state;
mod tree_inverse;

pub use contact::ContactReport;
pub use impulses::{ImpulseGradient, ImpulseJacobians};
pub(crate) use info::deliver;
pub use info::{Gradient, StepInfo};
pub use jacobian_pattern::{JacobianEntries, JacobianPattern};
pub use jacobians::StepJacobians;
pub use memory::Bytes;
pub(crate) use memory::is_there;
pub use observe::LastStep;
pub use options::{Contact, Integrator, Options};
pub use parts::Parts;
pub(crate) use parts::law_of;
pub use sim::Sim;
