//! What is asked of a simulation without a step: dynamics, contacts and distances at any state, smoothed derivatives.

mod contact_motion;
mod distance_smoothing;
mod dynamics;
mod geometry;
mod normal;
mod smoothing;

pub use distance_smoothing::{DistanceSmoothing, SmoothedDistance, SmoothedDistanceDerivatives};
pub use geometry::{ContactDerivatives, Distance};
pub use smoothing::{Smoothing, SmoothingInfo, SmoothingMethod};
