//! Queries without a step: dynamics, contacts, distances and rays at any state, sensors, smoothed
//! derivatives.
//!
//! A query is a function of the parts in `step::Query`, with data of its own. Queries of a step are
//! functions of the simulation. The methods of [`Sim`](crate::step::Sim) that call them are in `sim.rs`,
//! with their descriptions.

mod centroidal;
mod contact_motion;
mod distance_smoothing;
mod dynamics;
mod forces;
mod geometry;
mod loads;
mod motion;
mod normal;
mod patches;
mod random_pairs;
mod rays;
mod sensors;
mod sim;
mod sites;
mod smoothing;
mod terms;

pub use centroidal::Centroidal;
pub use contact_motion::ContactDerivatives;
pub use distance_smoothing::{DistanceSmoothing, SmoothedDistance, SmoothedDistanceDerivatives};
pub use forces::{ForceDerivatives, Transmissions};
pub use geometry::Distance;
pub use patches::{Outlines, Patch};
pub use rays::{RayHit, Rays};
pub use sensors::{SensorJacobians, SensorRoom};
pub use smoothing::{Smoothing, SmoothingInfo, SmoothingMethod};
