//! Derivatives of contacts that keep a share of their normal velocity, and of redundant ones that hold
//! together, at one state only or around it.

use crate::common::relative_error;
use crate::common::scene::*;
use diffsim::contact::mode::Mode;
use diffsim::model::Actuation;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{GeomSpec, ModelSpec, ShapeSpec};
use diffsim::spatial::{Quat, Vec3};
use diffsim::step::{Gradient, Options, StepJacobians};

/// A body on the ground with a share of the normal velocity kept: tilted, sunk and moving as given.
fn damped(shape: &ShapeSpec, [tilt, depth]: [f64; 2], v: [f64; 6], kd: f64, push: f64) -> World {
    let spec = on_ground(0.6, 0.1 - depth, 1.0, shape.clone());
    let options = Options {
        kd,
        max_push_out: push,
        ..options(1e-2)
    };
    let mut w = World::new(spec, Actuation::Full, &options);
    let rot = Quat::exp(Vec3::new(1.0, 0.7, 0.0) * tilt).normalized();
    w.q[3..].copy_from_slice(&[rot.x, rot.y, rot.z, rot.w]);
    w.v.copy_from_slice(&v);
    w
}

/// Modes and kind of gradient of the step, its derivatives by the ground's friction having been compared
/// with differences.
fn check_friction(w: &mut World) -> (Vec<Mode>, Gradient) {
    w.sim
        .select_params(&[Param {
            kind: ParamKind::GeomFriction,
            index: 0,
            component: 0,
        }])
        .unwrap();
    let (q, v, u) = (w.q.clone(), w.v.clone(), w.u.clone());
    let memory = vec![0.0; w.sim.memory_size()];
    let mut jacobian = [f64::NAN; 6];
    let [up, down] = [1e-6, -1e-6].map(|s| {
        w.sim.set_params(&[0.6 + s]).unwrap();
        outcome(w, &memory, &q, &q, &v, &u).0
    });
    w.sim.set_params(&[0.6]).unwrap();
    outcome(w, &memory, &q, &q, &v, &u);
    w.sim
        .step_jacobians(StepJacobians {
            dv_dp: Some(&mut jacobian),
            ..Default::default()
        })
        .unwrap();
    let slope: Vec<f64> = (6..12).map(|i| (up[i] - down[i]) / 2e-6).collect();
    let error = relative_error(&jacobian, &slope);
    assert!(error < 1e-6, "{jacobian:?} {slope:?}");
    let modes = w.sim.constraint_modes().to_vec();
    (modes, w.sim.step_info().unwrap().gradient)
}

/// A share of the normal velocity that is kept varies with the velocity and the pose before the step.
#[test]
fn damped_contacts_have_exact_jacobians() {
    let ball = ball(0.1);
    let corners = cuboid(0.2, 0.15, 0.1);
    let falling = [0.0, 0.0, -0.5, 0.0, 0.0, 0.0];
    let sticking = [0.02, 0.01, -0.5, 0.1, 0.2, 0.05];
    let sliding = [3.0, 1.5, -0.3, 0.2, 0.1, 0.3];
    let straight = [3.0, 1.5, -0.3, 0.0, 0.0, 0.0];
    for (shape, tilt, v, mode) in [
        (&ball, 0.3, sticking, Mode::Sticking),
        (&ball, 0.3, sliding, Mode::Sliding),
        (&corners, 0.0, falling, Mode::Sticking),
        (&corners, 0.0, straight, Mode::Sliding),
    ] {
        for (kd, push) in [(0.2, f64::INFINITY), (0.2, 0.05), (1.0, 0.05)] {
            let mut w = damped(shape, [tilt, 2e-3], v, kd, push);
            let (modes, gradient) = check_friction(&mut w);
            assert!(modes.iter().all(|m| *m == mode), "{modes:?}");
            assert_eq!(gradient, Gradient::Exact, "{shape:?} {v:?} {kd} {push}");
            assert_eq!(check_jacobians(&mut w), 18, "{shape:?} {v:?} {kd} {push}");
        }
    }
}

/// The corners of a rocking or levelling box are in one plane across their normal: all may stick, at this
/// state and at those around it.
#[test]
fn corners_that_stick_while_the_box_turns_have_exact_jacobians() {
    let rocking = [0.0, 0.0, -0.05, 0.06, 0.3, 0.0];
    let still = [0.0; 6];
    let unbounded = f64::INFINITY;
    for (tilt, v, push, kd) in [
        (0.0, rocking, unbounded, 0.2),
        (0.0, rocking, unbounded, 0.0),
        (1e-3, still, 0.1, 0.2),
        (1e-3, still, 0.1, 0.0),
    ] {
        let shape = cuboid(0.2, 0.15, 0.1);
        let depth = if tilt == 0.0 { 0.0 } else { 3e-3 };
        let mut w = damped(&shape, [tilt, depth], v, kd, push);
        let (modes, gradient) = check_friction(&mut w);
        assert_eq!(modes, [Mode::Sticking; 4]);
        assert_eq!(gradient, Gradient::Exact, "{tilt} {v:?} {push} {kd}");
        assert_eq!(check_jacobians(&mut w), 18);
    }
}

/// Feet on two stairs of different height stick at once at this state only: where the body must level itself,
/// one of them slips. The step must say that its derivative is not that of all sides.
#[test]
fn feet_on_two_stairs_have_no_exact_jacobian() {
    let foot = cuboid(0.05, 0.15, 0.1);
    let mut spec = ModelSpec::default();
    for (name, x, top) in [("low", -0.15, 0.0), ("high", 0.15, 0.05)] {
        fixed(
            &mut spec,
            name,
            at(x, 0.0, top - 0.1),
            cuboid(0.1, 0.3, 0.1),
            0.6,
        );
    }
    let body = free(&mut spec, "body", at(-0.15, 0.0, 0.1), 1.0, foot.clone());
    spec.geoms
        .push(GeomSpec::new("second", body, at(0.3, 0.0, 0.05), foot));
    let mut w = World::new(spec, Actuation::Full, &options(1e-2));
    let (modes, gradient) = check_friction(&mut w);
    assert_eq!(modes, [Mode::Sticking; 8]);
    assert_eq!(gradient, Gradient::OneSided);
}
