//! Time stepping and the derivatives of a step.

mod actuation;
mod contact;
mod derivatives;
mod options;
mod parameters;
mod queries;
mod sim;
mod smoothing;

pub use contact::ContactReport;
pub use derivatives::StepJacobians;
pub use options::{Contact, Integrator, Options};
pub use sim::{Gradient, Sim, StepInfo};
pub use smoothing::{Smoothing, SmoothingInfo, SmoothingMethod};
