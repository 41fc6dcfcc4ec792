//! What is asked of a simulation without a step: dynamics, contacts and distances at any state, smoothed derivatives.

mod contact_motion;
mod distance_smoothing;
mod dynamics;
mod geometry;
mod normal;
mod random_pairs;
mod sites;
mod smoothing;

pub use contact_motion::ContactDerivatives;
pub use distance_smoothing::{DistanceSmoothing, SmoothedDistance, SmoothedDistanceDerivatives};
pub use geometry::Distance;
pub use smoothing::{Smoothing, SmoothingInfo, SmoothingMethod};
