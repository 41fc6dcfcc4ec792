//! Collision: contacts between geoms, and the exact derivative of each contact.

mod approach;
mod contact_point;
mod frame;
pub mod patch;
pub mod polytope;
pub mod primitive;
pub mod ray;
pub mod scene;
mod shape;

pub use approach::{Approach, MOTIONS, Sinks};
pub use contact_point::{ContactDerivative, ContactPoint, Smoothness, Tie};
pub use frame::{contact_frame, contact_frame_derivative, contact_frame_rotation};
pub use shape::Shape;
