//! A configuration to start from.

use crate::common::checker::quadruped_spec;
use crate::common::prescribed::mjcf;
use crate::common::scene::*;
use diffsim::constraint::{home, place_on_ground};
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

/// Its calves are beyond their limits at zero, and its feet below the ground: the first step of that was
/// taken at 900 rad/s.
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
            dofs: [0; 2],
        },
        origin: String::new(),
    });
    let model = compiled(spec);
    let q = home(&model).unwrap();
    assert!(is_within_limits(&model, &q));
    assert!((q[0] - 0.1 - 0.5 * q[1]).abs() < 1e-8, "{q:?}");
}

/// A free cube with edges of 0.1 m whose centre lies at x and z.
fn cube([x, z]: [f64; 2]) -> String {
    format!(
        "<body pos=\"{x} 0 {z}\"><freejoint/><geom type=\"box\" size=\".05 .05 .05\" mass=\"1\"/></body>"
    )
}

/// Heights of the free bodies at home.
fn heights(bodies: &str) -> Vec<f64> {
    let floor = "<geom type=\"plane\" size=\"0 0 1\"/>";
    let model = mjcf(&format!(
        "<mujoco><worldbody>{floor}{bodies}</worldbody></mujoco>"
    ));
    let q = home(&model).unwrap();
    assert!(deepest(&model, &q) > -2e-6, "{bodies}: {q:?}");
    q.chunks(7).map(|q| q[2]).collect()
}

fn assert_heights(bodies: &str, expected: &[f64]) {
    let found = heights(bodies);
    let near = found
        .iter()
        .zip(expected)
        .all(|(a, b)| (a - b).abs() < 5e-4);
    assert!(near && found.len() == expected.len(), "{bodies}: {found:?}");
}

/// Each body was put on the floor by itself, the upper ones into the lower ones.
#[test]
fn stacked_bodies_stay_stacked() {
    let pile = |z: f64| [0.0, 0.1, 0.2].map(|up| cube([0.0, z + up])).concat();
    assert_heights(&pile(0.05), &[0.05, 0.15, 0.25]);
    // In the air and below the floor; with small gaps and overlaps, the upper ones first.
    assert_heights(&pile(0.5), &[0.05, 0.15, 0.25]);
    assert_heights(&pile(-0.3), &[0.05, 0.15, 0.25]);
    let loose = [0.25005, 0.15, 0.0499].map(|z| cube([0.0, z])).concat();
    assert_heights(&loose, &[0.25, 0.15, 0.05]);
    // A bridge on two pillars, and a cube that hovers above another.
    let bridge = "<body pos=\"0 0 .61\"><freejoint/><geom type=\"box\" size=\".3 .05 .01\" mass=\"1\"/></body>";
    let pillars = [cube([-0.2, 0.55]), cube([0.2, 0.55])].concat();
    assert_heights(&format!("{bridge}{pillars}"), &[0.11, 0.05, 0.05]);
    assert_heights(
        &[cube([0.0, 0.05]), cube([0.0, 0.4])].concat(),
        &[0.05, 0.4],
    );
}

/// A cube was put through its table onto the floor.
#[test]
fn bodies_on_a_table_stay_there() {
    let table = "<geom type=\"box\" size=\"1 1 .01\" pos=\"0 0 .49\"/>";
    let things = [cube([0.0, 0.55]), cube([0.0, 0.65]), cube([3.0, 0.55])].concat();
    assert_heights(&format!("{table}{things}"), &[0.55, 0.65, 0.05]);
}

/// A second plane, from `ground_plane` or a file of its own, kept robots in the air by a tenth of a
/// millimetre. Of parallel planes the highest holds.
#[test]
fn bodies_stand_on_the_highest_of_parallel_planes() {
    let placed = |planes: &str, start: f64| {
        let model = mjcf(&format!(
            "<mujoco><worldbody><geom type=\"plane\" size=\"0 0 1\"/>{planes}{}</worldbody></mujoco>",
            cube([0.0, start])
        ));
        let put = place_on_ground(&model, model.neutral()).unwrap()[2];
        (put, home(&model).unwrap()[2])
    };
    let plane = |z: f64| format!("<geom type=\"plane\" size=\"0 0 1\" pos=\"0 0 {z}\"/>");
    for start in [0.4, 0.05, 0.02, -0.3] {
        for (z, height) in [(0.0, 0.05), (-0.2, 0.05), (0.1, 0.15)] {
            let (put, at_home) = placed(&plane(z), start);
            assert!((put - height).abs() < 1e-12, "{z} from {start}: {put}");
            assert!(
                (at_home - height).abs() < 1e-12,
                "{z} from {start}: {at_home}"
            );
        }
        let ceiling = "<geom type=\"plane\" size=\"0 0 1\" pos=\"0 0 2\" euler=\"180 0 0\"/>";
        let (put, at_home) = placed(ceiling, start);
        assert!((put - 0.05).abs() < 1e-12 && (at_home - 0.05).abs() < 1e-12);
    }
}

/// A mocap body stays where the file places it, and so does a body that is welded to it.
#[test]
fn mocap_bodies_and_bodies_welded_to_them_stay() {
    let hand = "<body name=\"m\" mocap=\"true\" pos=\"0 0 1\"><geom size=\".1\"/></body>\
        <body name=\"h\" pos=\"0 0 1.5\"><freejoint/><geom size=\".1\"/></body></worldbody>\
        <equality><weld body1=\"m\" body2=\"h\"/></equality><worldbody>";
    assert_heights(hand, &[1.0, 1.5]);
}
