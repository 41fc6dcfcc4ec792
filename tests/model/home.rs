//! A configuration to start from.

use crate::common::checker::quadruped_spec;
use crate::common::scene::*;
use diffsim::constraint::home;
use diffsim::model::spec::{EqualityKind, EqualitySpec, JointKind, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, Options, Sim};
use std::sync::Arc;

fn compiled(spec: ModelSpec) -> Arc<Model> {
    Arc::new(Model::compile(spec, Actuation::Full).unwrap())
}

/// The deepest gap at q; zero where nothing touches.
fn deepest(model: &Arc<Model>, q: &[f64]) -> f64 {
    let options = Options {
        contact: Contact::None,
        max_contacts: 256,
        ..Options::default()
    };
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    sim.collide(q).unwrap();
    sim.contacts().iter().fold(0.0, |m: f64, c| m.min(c.gap))
}

fn is_within_limits(model: &Model, q: &[f64]) -> bool {
    let limited = model.joints().iter().filter_map(|j| Some((j, j.limits?)));
    limited
        .into_iter()
        .all(|(j, (lo, hi))| (lo..=hi).contains(&q[j.iq]))
}

/// Its calves are beyond their limits at zero, and its feet below the ground: the first step of that was taken at
/// 900 rad/s.
#[test]
fn a_quadruped_stands_within_its_limits() {
    let mut spec = quadruped_spec(true);
    spec.bodies[1].placement.pos.z = 0.1;
    let model = compiled(spec);
    assert!(!is_within_limits(&model, model.neutral()));
    assert!(deepest(&model, model.neutral()) < -0.1);
    let q = home(&model).unwrap();
    assert!(is_within_limits(&model, &q));
    assert!(deepest(&model, &q).abs() < 1e-9);
    assert_eq!(home(&model).unwrap(), q);
    // It touches the ground.
    let mut lower = q.clone();
    lower[2] -= 1e-6;
    assert!((deepest(&model, &lower) + 1e-6).abs() < 1e-9);
    let (mut sim, mut v) = (
        Sim::new(model.clone(), &options(1e-3)).unwrap(),
        vec![0.0; 18],
    );
    let (mut q_next, v0) = (q.clone(), v.clone());
    sim.step(&q, &v0, &[0.0; 18], &mut q_next, &mut v).unwrap();
    assert!(v.iter().all(|x| x.abs() < 1.0), "{v:?}");
}

/// A finger of two hinges whose tip lies within the palm.
#[test]
fn a_folded_finger_opens() {
    let mut spec = ModelSpec::default();
    fixed(
        &mut spec,
        "palm",
        at(0.0, 0.0, 0.0),
        cuboid(0.1, 0.1, 0.02),
        0.5,
    );
    let lower = body(
        &mut spec,
        "lower",
        JointKind::Revolute,
        at(0.0, 0.0, 0.06),
        0.1,
        ball(0.02),
    );
    let tip = body(
        &mut spec,
        "tip",
        JointKind::Revolute,
        at(0.05, 0.0, -0.03),
        0.1,
        ball(0.02),
    );
    spec.bodies[tip].parent = lower;
    for id in [lower, tip] {
        spec.bodies[id].joints[0].axis = Vec3::Y;
        spec.bodies[id].joints[0].limits = Some((-1.0, 1.0));
    }
    let model = compiled(spec);
    assert!(deepest(&model, model.neutral()) < -5e-3);
    let q = home(&model).unwrap();
    assert!(
        is_within_limits(&model, &q) && deepest(&model, &q) > -1e-6,
        "{q:?}"
    );
}

/// A crank that an equality couples to another.
#[test]
fn couplings_hold_at_home() {
    let mut spec = ModelSpec::default();
    for (name, y) in [("a", 0.0), ("b", 1.0)] {
        let id = body(
            &mut spec,
            name,
            JointKind::Revolute,
            at(0.0, y, 0.0),
            1.0,
            ball(0.1),
        );
        spec.bodies[id].joints[0].name = name.into();
        spec.bodies[id].joints[0].limits = Some((0.2, 1.5));
    }
    spec.equalities.push(EqualitySpec {
        name: "gear".into(),
        active: true,
        kind: EqualityKind::Joint {
            joint1: "a".into(),
            joint2: Some("b".into()),
            coefficients: [0.1, 0.5, 0.0, 0.0, 0.0],
        },
        origin: String::new(),
    });
    let model = compiled(spec);
    let q = home(&model).unwrap();
    assert!(is_within_limits(&model, &q));
    assert!((q[0] - 0.1 - 0.5 * q[1]).abs() < 1e-8, "{q:?}");
}
