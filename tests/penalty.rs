//! Contacts and joint limits by penalty forces: what they do, and what they refuse.

mod common;

use common::param;
use common::scene::{G, World, at, ball, body, cuboid, fixed, free, ground, on_ground, tilt};
use diffsim::contact::mode::Mode;
use diffsim::error::Status;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{EqualityKind, EqualitySpec, JointKind, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Pose, Vec3};
use diffsim::step::{Contact, Gradient, Options, Sim};
use std::sync::Arc;

fn options(h: f64) -> Options {
    Options {
        time_step: h,
        contact: Contact::Penalty,
        ..Options::default()
    }
}

#[test]
fn a_ball_sinks_by_its_weight() {
    let mut w = World::new(
        on_ground(0.5, 0.05, 2.0, ball(0.05)),
        Actuation::Full,
        &options(1e-3),
    );
    w.run(2000);
    let sunk = 0.05 - w.position(0).z;
    // Stiffness of the ball alone: the ground is rigid.
    assert!((sunk - 9.81 / 1e4).abs() < 1e-9, "{sunk:e}");
    let c = w.sim.contacts()[0];
    assert_eq!((c.mode, w.sim.contacts().len()), (Mode::Sticking, 1));
    assert!((c.impulse[2] - 2.0 * 9.81 * 1e-3).abs() < 1e-9);
}
