//! Time stepping and the derivatives of a step.

mod actuation;
mod agreement;
mod collision;
mod contact;
mod contact_kernels;
mod contact_motion;
mod derivatives;
mod distance_smoothing;
mod impulses;
mod info;
mod jacobians;
mod linearization;
mod memory;
mod normal;
mod options;
mod parameters;
mod queries;
mod response;
mod selection;
mod sim;
mod smoothing;
mod world_axes;

pub use collision::{ContactDerivatives, Distance};
pub use contact::ContactReport;
pub use distance_smoothing::{DistanceSmoothing, SmoothedDistance, SmoothedDistanceDerivatives};
pub use impulses::{ImpulseGradient, ImpulseJacobians};
pub(crate) use info::deliver;
pub use info::{Gradient, StepInfo};
pub use jacobians::StepJacobians;
pub use memory::Bytes;
pub(crate) use memory::is_there;
pub use options::{Contact, Integrator, Options};
pub use queries::homogeneous;
pub use sim::Sim;
pub use smoothing::{Smoothing, SmoothingInfo, SmoothingMethod};
