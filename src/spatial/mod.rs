//! Rigid-body geometry: rotations, placements, twists, wrenches and inertias.
//!
//! Spatial vectors are (linear; angular), in SI units. A twist's linear part is the velocity of the
//! body's point that is now at the frame's origin; a wrench's angular part is the moment about it.

mod angles;
mod inertia;
mod log_cholesky;
mod mat3;
mod pose;
mod quat;
mod real;
mod twist;
mod vec3;
pub mod wrap;

pub use angles::{angles_of_rotation, rotation_by_angles};
pub use inertia::{INERTIA_PARAMS, Inertia};
pub use log_cholesky::{from_log_cholesky, log_cholesky_jacobian, to_log_cholesky};
pub use mat3::{Mat3, Sym3};
pub use pose::Pose;
pub use quat::{Quat, so3_exp, so3_left_jacobian, so3_log, so3_log_jacobian, so3_right_jacobian};
pub use real::Real;
pub use twist::{Twist, Wrench};
pub use vec3::Vec3;
