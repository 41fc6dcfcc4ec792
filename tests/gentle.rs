//! What a step finds violated is undone at a bounded speed, by every law, and nothing is thrown.

mod common;

use common::checker::Checker;
use common::scene::*;
use common::{LAWS, at_once};
use diffsim::model::spec::{EqualityKind, EqualitySpec, JointKind, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, Options};

/// A joint whose bounds its neutral configuration passes by 0.1 rad or m, without gravity.
fn passed(kind: JointKind) -> ModelSpec {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    let arm = body(&mut spec, "arm", kind, at(0.0, 0.0, 0.0), 1.0, ball(0.1));
    spec.bodies[arm].joints[0].limits = Some((0.1, 1.0));
    spec
}

/// It ended at the opposite bound, having crossed its range at 100 rad/s.
#[test]
fn a_hinge_outside_its_limit_comes_back_and_stays() {
    for kind in [JointKind::Revolute, JointKind::Prismatic] {
        for h in [1e-3, 5e-3] {
            let options = options(h);
            let mut w = World::new(passed(kind), Actuation::FromFile, &options);
            let bound = match kind {
                JointKind::Revolute => options.max_push_out_angle,
                _ => options.max_push_out,
            };
            for _ in 0..(3.0 / h) as usize {
                w.step();
                assert!(w.v[0] <= bound * (1.0 + 1e-9), "{kind:?} {:?}", w.v);
            }
            let near = 8.0 * h * bound;
            assert!(
                (w.q[0] - 0.1).abs() < 0.3 * near,
                "{kind:?}, h {h}: {:?}",
                w.q
            );
            assert!(w.v[0].abs() < 1e-3 * bound, "{kind:?}: {:?}", w.v);
            let mut free = World::new(passed(kind), Actuation::FromFile, &at_once(options));
            free.step();
            assert!((free.v[0] - 0.1 / h).abs() < 1e-9);
        }
    }
}

/// One that comes back faster than push-out would bring it is not held up.
#[test]
fn a_joint_that_comes_back_by_itself_keeps_its_speed() {
    let options = options(1e-3);
    let mut w = World::new(passed(JointKind::Revolute), Actuation::FromFile, &options);
    w.v[0] = 3.0;
    w.run(50);
    assert!((w.v[0] - 3.0).abs() < 1e-9, "{:?}", w.v);
}

/// A limit of the convex law was undone at 100 rad/s, too.
#[test]
fn a_compliant_limit_is_undone_at_the_bounded_speed() {
    let options = Options {
        contact: Contact::Convex,
        ..options(1e-3)
    };
    let mut w = World::new(passed(JointKind::Revolute), Actuation::FromFile, &options);
    for _ in 0..200 {
        w.step();
        assert!(w.v[0] <= 1.0 + 1e-9, "{:?}", w.v);
    }
    assert!(w.q[0] > 0.1 - 1e-3);
}

/// A box 5 cm in the ground left it at 50 m/s.
#[test]
fn a_box_in_the_ground_is_not_thrown() {
    let mut w = World::new(
        on_ground(0.5, 0.05, 1.0, cuboid(0.1, 0.1, 0.1)),
        Actuation::FromFile,
        &options(1e-3),
    );
    let mut highest: f64 = 0.0;
    for _ in 0..1000 {
        w.step();
        assert!(w.v.iter().all(|x| x.abs() < 0.5 + 1e-6), "{:?}", w.v);
        highest = highest.max(w.position(0)[2]);
    }
    // v²/2g of what it leaves with, and it rests.
    assert!(highest < 0.1 + 0.014 && (w.position(0)[2] - 0.1).abs() < 1e-9);
}

/// Ends 0.3 m apart that are to be one point met at 300 m/s.
#[test]
fn an_open_loop_is_closed_at_the_bounded_speed() {
    for contact in LAWS {
        let mut spec = ModelSpec {
            gravity: Vec3::ZERO,
            ..ModelSpec::default()
        };
        let a = free(&mut spec, "a", at(0.0, 0.0, 0.0), 1.0, ball(0.05));
        let b = free(&mut spec, "b", at(0.5, 0.0, 0.0), 1.0, ball(0.05));
        spec.equalities.push(EqualitySpec {
            name: "loop".into(),
            active: true,
            kind: EqualityKind::Connect {
                body1: a,
                body2: b,
                anchor: Vec3::X * 0.25,
            },
            origin: String::new(),
        });
        let options = Options {
            contact,
            ..options(1e-3)
        };
        let mut w = World::new(spec, Actuation::FromFile, &options);
        w.q[7] += 0.3;
        for _ in 0..1000 {
            w.step();
            assert!((w.velocity(1) - w.velocity(0)).norm() < 0.5 + 1e-6);
        }
        let apart = w.position(1) - w.position(0);
        assert!((apart.norm() - 0.5).abs() < 1e-3, "{contact:?} {apart:?}");
        assert!((w.velocity(1) - w.velocity(0)).norm() < 1e-2);
    }
}

/// On the way, near the limit where it is led, and at rest.
#[test]
fn derivatives_of_limits_that_are_undone() {
    for kp in [0.0, 0.3] {
        let model = Model::compile(passed(JointKind::Revolute), Actuation::Full).unwrap();
        let options = Options {
            kp,
            ..options(2e-2)
        };
        let mut c = Checker::new(model, &options);
        let (mut q, mut v) = (vec![0.0], vec![0.0]);
        for _ in 0..40 {
            c.check(&mut q, &mut v, &[0.3]);
        }
        let t = c.tally(&format!("passed limit, kp {kp}"));
        assert!(t.checked > 90 && t.wrong == 0, "{t:?}");
    }
}
