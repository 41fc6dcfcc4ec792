//! Dry friction of joints that acts without rows beside contacts.

use crate::common::checker::{Checker, FOURTH_ORDER, options, quadruped_spec, standing};
use crate::common::{Rng, param};
use diffsim::contact::ncp::Method;
use diffsim::model::params::ParamKind;
use diffsim::model::{Actuation, Model};
use diffsim::step::{Contact, Options, Sim};
use std::sync::Arc;

const H: f64 = 1e-3;

/// A quadruped whose joints have this dry friction.
fn dry(friction: f64) -> Model {
    let mut spec = quadruped_spec(false);
    for body in &mut spec.bodies {
        for joint in &mut body.joints {
            joint.friction_loss = friction;
        }
    }
    Model::compile(spec, Actuation::Full).unwrap()
}

/// On stiff joints it comes to rest to the last bit, and a step takes one or two factorizations.
#[test]
fn joints_that_friction_holds_are_at_rest() {
    let model = dry(20.0);
    let mut q = standing(&model);
    let mut sim = Sim::new(model.into(), &options(H)).unwrap();
    let (mut v, u) = (vec![0.0; 18], vec![0.0; 18]);
    let mut work = 0.0;
    for k in 0..300 {
        let (from, speed) = (q.clone(), v.clone());
        sim.step(&from, &speed, &u, &mut q, &mut v).unwrap();
        if k >= 200 {
            work += sim.step_info().unwrap().work;
        }
    }
    assert!(v[6..].iter().all(|v| *v == 0.0), "{v:?}");
    assert!(v[..6].iter().all(|v| v.abs() < 1e-9), "{v:?}");
    assert!(work <= 200.0, "{work}");
}

/// Joints that are held, slip, stop and begin to slip: the velocities are those of a method that has rows for
/// all friction.
#[test]
fn steps_are_those_with_rows_for_all_friction() {
    for friction in [0.5, 2.0, 20.0] {
        let mut rng = Rng::new(7);
        let mut q = standing(&dry(friction));
        let mut sim = Sim::new(dry(friction).into(), &options(H)).unwrap();
        let mut with_rows = options(H);
        with_rows.solver = Method::Continuation;
        with_rows.tolerance = 1e-13;
        let mut rows = Sim::new(dry(friction).into(), &with_rows).unwrap();
        let (mut v, mut other) = (vec![0.0; 18], vec![0.0; 18]);
        let (mut worst, mut compared) = (0.0_f64, 0);
        for k in 0..150 {
            let mut u = vec![0.0; 18];
            if k % 30 < 15 {
                u[6..].copy_from_slice(&rng.vector(12, 3.0));
            }
            let (from, speed) = (q.clone(), v.clone());
            sim.step(&from, &speed, &u, &mut q, &mut v).unwrap();
            rows.step(&from, &speed, &u, &mut q.clone(), &mut other)
                .unwrap();
            if !rows.step_info().unwrap().converged {
                continue;
            }
            compared += 1;
            let size = v.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            for (a, b) in v.iter().zip(&other) {
                worst = worst.max((a - b).abs() / size);
            }
        }
        assert!(
            compared > 60 && worst < 1e-12,
            "{friction}: {compared}, {worst:e}"
        );
    }
}

/// All columns, forward and reverse, where joints are held, slip, stop and begin to slip.
#[test]
fn columns_beside_dry_friction_are_those_of_differences() {
    for (friction, law) in [
        (0.5, Contact::Ncp),
        (3.0, Contact::Ncp),
        (0.5, Contact::Lcp),
        (3.0, Contact::Lcp),
    ] {
        let model = dry(friction);
        let (mut q, mut rng) = (standing(&model), Rng::new(3));
        let with_law = Options {
            contact: law,
            ..options(H)
        };
        let mut checker = Checker::new(model, &with_law);
        let losses = (1..=12).map(|joint| param(ParamKind::JointFriction, joint, 0));
        checker.select(&losses.collect::<Vec<_>>());
        (checker.eps, checker.stencil) = (2e-7, FOURTH_ORDER);
        let mut v = vec![0.0; 18];
        for k in 0..60 {
            let mut u = vec![0.0; 18];
            if k % 20 >= 10 {
                u[6..].copy_from_slice(&rng.vector(12, 4.0));
            }
            checker.check(&mut q, &mut v, &u);
        }
        checker.report(&format!("{law:?}, dry friction {friction}"));
    }
}

/// A joint is beyond its limit, and its velocity limit does not let it back at once. There are a contact and
/// a joint with dry friction, too. The bounds are inconsistent, so the step has rows for them. It leaves no
/// trace in the sim.
#[test]
fn inconsistent_bounds_leave_no_trace() {
    let mut spec = quadruped_spec(false);
    let hip = &mut spec.bodies[2].joints[0];
    (hip.limits, hip.velocity_limit) = (Some((-1.0, 1.0)), 0.1);
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let mut with_limits = options(H);
    with_limits.velocity_limits = true;
    let mut sim = Sim::new(model.clone(), &with_limits).unwrap();
    let (q0, u) = (standing(&model), vec![0.0; 18]);
    let (mut q, mut v) = (q0.clone(), vec![0.0; 18]);
    let at_rest = v.clone();
    for _ in 0..30 {
        let (from, speed) = (q.clone(), v.clone());
        sim.step(&from, &speed, &u, &mut q, &mut v).unwrap();
    }
    let mut beyond = q.clone();
    beyond[7] = 1.05;
    let (mut qn, mut vn) = (q.clone(), v.clone());
    sim.step(&beyond, &at_rest, &u, &mut qn, &mut vn).unwrap();
    let mut memory = vec![0.0; sim.memory_size()];
    sim.get_memory(&mut memory).unwrap();
    let mut fresh = Sim::new(model, &with_limits).unwrap();
    fresh.set_memory(&memory).unwrap();
    let (mut qf, mut vf) = (q.clone(), v.clone());
    for _ in 0..5 {
        let (from, speed) = (q.clone(), v.clone());
        sim.step(&from, &speed, &u, &mut q, &mut v).unwrap();
        fresh.step(&from, &speed, &u, &mut qf, &mut vf).unwrap();
        assert_eq!((&q, &v), (&qf, &vf));
    }
}
