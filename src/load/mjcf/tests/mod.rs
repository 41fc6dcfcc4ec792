//! Small files with expectations worked out by hand, and broken ones.

mod activations;
mod actuators;
mod adhesion;
mod attach;
mod bodies;
mod errors;
mod files;
mod flex;
mod forms;
mod inertias;
mod mocap;
mod passive;
mod tendons;

use super::{MjcfOptions, read_str};
use crate::error::{Error, Result};
use crate::model::spec::ModelSpec;
use crate::spatial::{Mat3, Pose, Vec3};

fn load(text: &str) -> Result<ModelSpec> {
    read_str(text, None, &MjcfOptions::default())
}

fn model(inside: &str) -> ModelSpec {
    load(&format!("<mujoco>{inside}</mujoco>")).unwrap()
}

/// The error of a file whose first line is `<mujoco>`, so that `inside` starts on line 2.
fn failure(inside: &str) -> Error {
    load(&format!("<mujoco>\n{inside}\n</mujoco>")).unwrap_err()
}

/// A model of these bodies; angles are in radians.
fn bodies(inside: &str) -> ModelSpec {
    model(&format!(
        "<compiler angle=\"radian\"/><worldbody>{inside}</worldbody>"
    ))
}

#[track_caller]
fn assert_near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{a} is not {b}");
}

#[track_caller]
fn assert_vec(a: Vec3, b: [f64; 3]) {
    assert!(
        (a - Vec3::from_slice(&b)).max_abs() <= 1e-14,
        "{a:?} is not {b:?}"
    );
}

/// Rotation given by the images of the x and y axes.
#[track_caller]
fn assert_axes(r: &Mat3, x: [f64; 3], y: [f64; 3]) {
    assert_vec(r.c[0], x);
    assert_vec(r.c[1], y);
}

#[track_caller]
fn assert_pose(p: &Pose, position: [f64; 3], x: [f64; 3], y: [f64; 3]) {
    assert_vec(p.pos, position);
    assert_axes(&p.rot, x, y);
}
