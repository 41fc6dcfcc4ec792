//! Kinematics and smooth dynamics, and the joints.

#[path = "../common/mod.rs"]
mod common;
mod dynamics;
mod joint;
mod motion;
mod spline;
mod terms;
