//! A violation that a step finds is undone at a bounded speed, by every law, and nothing is thrown.

use crate::common::checker::Checker;
use crate::common::scene::*;
use crate::common::{LAWS, at_once, param};
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{EqualityKind, EqualitySpec, GeomSpec, JointKind, ModelSpec, PairSpec};
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
    // Rises by v²/2g of its speed when it leaves, and then rests.
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

/// A free trunk with an arm on a hinge and a light finger at its end, all upright. A knob of the arm or
/// finger overlaps with a post of the trunk by 8 mm, on a level that is `lever` above the hinge.
fn short_lever(of_finger: bool, lever: f64) -> ModelSpec {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    let trunk = free(&mut spec, "trunk", at(0.0, 0.0, 0.0), 3.0, ball(0.1));
    let links = [
        ("arm", trunk, 0.3, 0.2, cuboid(0.02, 0.03, 0.1)),
        ("finger", trunk + 1, 0.2, 5e-3, cuboid(0.01, 0.01, 0.02)),
    ];
    for (name, parent, height, mass, shape) in links {
        let pose = at(0.0, 0.0, height);
        let link = body(&mut spec, name, JointKind::Revolute, pose, mass, shape);
        spec.bodies[link].parent = parent;
        spec.bodies[link].joints[0].axis = Vec3::Y;
    }
    let (knob, height) = match of_finger {
        true => (trunk + 2, 0.5),
        false => (trunk + 1, 0.3),
    };
    let geoms = [
        ("post", trunk, at(-0.006, 0.0, height + lever)),
        ("knob", knob, at(0.006, 0.001, lever)),
    ];
    spec.geoms = geoms
        .map(|(name, body, pose)| GeomSpec::new(name, body, pose, ball(0.01)))
        .to_vec();
    // Otherwise neighbours do not touch. No friction, which would hold such small rotations.
    spec.pairs.push(PairSpec {
        geom1: 0,
        geom2: 1,
        friction: None,
        condim: Some(1),
        margin: None,
        gap: None,
    });
    spec
}

/// A contact 0.7 mm beside a hinge's axis was undone at 0.5 m/s: 714 rad/s. (Unitree's B1 from home: 725
/// rad/s.) One at the end of a long arm turned the light finger there at 48 rad/s.
#[test]
fn overlaps_with_short_levers_turn_joints_at_the_bounded_speed() {
    for contact in LAWS {
        for (of_finger, lever) in [(false, 7e-4), (true, 0.01)] {
            let options = Options {
                contact,
                ..options(1e-3)
            };
            let mut w = World::new(short_lever(of_finger, lever), Actuation::FromFile, &options);
            let mut fastest: f64 = 0.0;
            for _ in 0..200 {
                w.step();
                fastest = w.v[6..].iter().fold(fastest, |m, x| m.max(x.abs()));
            }
            // The bound uses the masses of the neutral configuration, without those of trunk and arm.
            let most = 1.5 * options.max_push_out_angle;
            assert!(
                (0.3..most).contains(&fastest),
                "{contact:?}, finger {of_finger}: {fastest}"
            );
        }
    }
}

/// By the state, by where joints and by how large geoms are.
#[test]
fn derivatives_of_push_out_that_joints_bound() {
    for contact in LAWS {
        for (of_finger, kp, stiffness) in [
            (false, 0.0, f64::INFINITY),
            (true, 0.0, f64::INFINITY),
            (true, 0.3, f64::INFINITY),
            (false, 0.0, 100.0),
        ] {
            let convex = contact == Contact::Convex;
            if (convex && kp != 0.0) || (!convex && stiffness.is_finite()) {
                continue;
            }
            let spec = short_lever(of_finger, 0.01);
            let model = Model::compile(spec, Actuation::Full).unwrap();
            let options = Options {
                contact,
                kp,
                ..options(5e-3)
            };
            let mut c = Checker::new(model, &options);
            let placement = |joint, component| param(ParamKind::JointPlacement, joint, component);
            let mut parameters: Vec<_> = (0..6).map(|k| placement(1, k)).collect();
            parameters.extend((0..6).map(|k| placement(2, k)));
            parameters.extend([0, 1].map(|geom| param(ParamKind::GeomSize, geom, 0)));
            let first = parameters.len();
            if stiffness.is_finite() {
                let kinds = [ParamKind::ContactStiffness, ParamKind::ContactDissipation];
                parameters.extend(kinds.map(|kind| param(kind, 0, 0)));
                parameters.push(param(ParamKind::ContactStiffness, 1, 0));
            }
            c.select(&parameters);
            if stiffness.is_finite() {
                c.set(&[(first, stiffness), (first + 2, stiffness)]);
            }
            let (mut q, mut v) = (c.sim.model().neutral().to_vec(), vec![0.0; 8]);
            (q[7], q[8]) = (0.02, -0.03);
            (v[3], v[4], v[7]) = (0.1, 0.2, 0.3);
            // Against the push, gently for the finger.
            let arm = if of_finger { -1e-5 } else { -0.02 };
            let u = [0.0, 0.1, -0.2, 0.03, 0.01, 0.02, arm, -1e-5];
            let mut pushed = 0;
            for _ in 0..10 {
                let (mut q_next, mut v_next) = (q.clone(), v.clone());
                c.sim.step(&q, &v, &u, &mut q_next, &mut v_next).unwrap();
                pushed += usize::from(c.sim.contacts()[0].impulse[2] > 0.0);
                c.check(&mut q, &mut v, &u);
            }
            let t = c.tally(&format!("{contact:?}, finger {of_finger}, kp {kp}"));
            assert!(pushed > 5 && t.checked > 250 && t.wrong == 0, "{t:?}");
            assert!(t.apart < 1e-10, "{t:?}");
        }
    }
}

/// Two links on hinges, the second one between posts that overlap with it by 8 mm from both sides, 1 cm
/// apart: no single push is fast, but both together turn it at 40 times the speed.
#[test]
fn what_is_pinched_is_not_thrown() {
    for contact in LAWS {
        let mut spec = ModelSpec {
            gravity: Vec3::ZERO,
            ..ModelSpec::default()
        };
        let mut parent = 0;
        for name in ["thigh", "calf"] {
            let pose = at(0.0, 0.0, if parent == 0 { 0.0 } else { 0.2 });
            let shape = cuboid(0.02, 0.02, 0.1);
            let link = body(&mut spec, name, JointKind::Revolute, pose, 0.5, shape);
            spec.bodies[link].parent = parent;
            spec.bodies[link].joints[0].axis = Vec3::Y;
            parent = link;
        }
        spec.geoms.clear();
        for (name, side, height) in [("left", -1.0, 0.3), ("right", 1.0, 0.31)] {
            let (x, calf) = (0.006 * side, height - 0.2);
            fixed(&mut spec, name, at(x, 0.0, height), ball(0.01), 0.0);
            let knob = GeomSpec::new(format!("{name}_knob"), 2, at(-x, 0.0, calf), ball(0.01));
            spec.geoms.push(knob);
        }
        // Only the overlaps.
        for (geom, bits) in [(0, 1), (1, 1), (2, 2), (3, 2)] {
            spec.geoms[geom].contype = bits;
            spec.geoms[geom].conaffinity = bits;
        }
        let options = Options {
            contact,
            ..options(1e-3)
        };
        let mut w = World::new(spec, Actuation::FromFile, &options);
        for _ in 0..300 {
            let info = w.step();
            assert!(info.converged);
            // Beyond five times its bound a joint gains no more than a tenth of it in a step.
            let most = 5.5 * options.max_push_out_angle;
            assert!(w.v.iter().all(|x| x.abs() < most), "{contact:?} {:?}", w.v);
        }
    }
}

/// Of a slider on a plane along which it moves: any load there would do, and held it by friction.
#[test]
fn a_contact_whose_normal_no_dof_moves_has_no_friction() {
    for contact in LAWS {
        let mut spec = ModelSpec::default();
        ground(&mut spec, 1.0);
        let pose = at(0.0, 0.0, 0.099);
        let slider = body(
            &mut spec,
            "slider",
            JointKind::Prismatic,
            pose,
            1.0,
            ball(0.1),
        );
        spec.bodies[slider].joints[0].axis = Vec3::X;
        let options = Options {
            contact,
            ..options(1e-3)
        };
        let mut w = World::new(spec, Actuation::FromFile, &options);
        w.v[0] = 1.0;
        w.run(100);
        assert_eq!(w.sim.contacts().len(), 1);
        assert!((w.v[0] - 1.0).abs() < 1e-12, "{contact:?}: {:?}", w.v);
    }
}
