//! Inverse kinematics.

#[path = "../common/mod.rs"]
mod common;
mod ik;
mod ik_ends;
