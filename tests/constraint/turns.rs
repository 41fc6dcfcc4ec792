//! Bounds on how far a spherical joint is turned: in steps with every law, with their derivatives.

use crate::common::checker::{Checker, FOURTH_ORDER};
use crate::common::penalty::{self, Tally};
use crate::common::scene::options;
use crate::common::tethers::arms;
use crate::common::{EPS, LAWS, Rng, param, random_q};
use diffsim::constraint::home;
use diffsim::contact::mode::Mode;
use diffsim::joint::Turn;
use diffsim::load::options::{Format, LoadOptions, load_file, load_str};
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{BodySpec, JointKind, JointSpec, KeyframeSpec, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::record::{Recorder, RecorderOptions, read};
use diffsim::save::save_file;
use diffsim::spatial::{Inertia, Pose, Quat, Sym3, Vec3};
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim};
use std::path::Path;
use std::sync::Arc;

/// The arms, whose second joint may turn so much more than at a state of theirs, which is the second.
fn bounded_arms(room: f64, scale: f64) -> (Model, Vec<f64>) {
    let (mut spec, mut rng) = arms();
    let free = Model::compile(spec.clone(), Actuation::Full).unwrap();
    let q = random_q(&mut rng, &free, scale);
    let iq = free.joint(free.joint_id("joint2").unwrap()).iq;
    let turn = Turn::of(&q[iq..iq + 4]);
    spec.bodies[2].joints[0].limits = Some((0.0, turn.angle + room));
    (Model::compile(spec, Actuation::Full).unwrap(), q)
}

#[test]
fn bounds_have_derivatives_with_every_law() {
    for (name, room) in [("passed", -0.05), ("reached", 1e-3), ("far", 0.4)] {
        for scale in [0.3, 2.0] {
            let (model, q) = bounded_arms(room, scale);
            let index = model.joint_id("joint2").unwrap();
            for contact in LAWS {
                for (kp, kd) in [(0.0, 0.0), (0.6, 0.3)] {
                    if contact == Contact::Convex && kp > 0.0 {
                        continue;
                    }
                    let o = Options {
                        contact,
                        kp,
                        kd,
                        ..options(4e-3)
                    };
                    let mut c = Checker::new(model.clone(), &o);
                    (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
                    c.select(&[0, 4].map(|k| param(ParamKind::JointPlacement, index, k)));
                    c.run(
                        &format!("{name}, {contact:?}, {scale}, kp {kp}"),
                        &q,
                        1.0,
                        3,
                    );
                }
            }
        }
    }
}

#[test]
fn bounds_have_derivatives_with_stages() {
    for integrator in [
        Integrator::ImplicitEuler,
        Integrator::Midpoint,
        Integrator::SymplecticEuler,
    ] {
        for room in [-0.05, 1e-3] {
            let (model, q) = bounded_arms(room, 0.3);
            let o = Options {
                integrator,
                ..options(4e-3)
            };
            let mut c = Checker::new(model, &o);
            (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
            c.run(&format!("{integrator:?}, {room}"), &q, 1.0, 3);
        }
    }
}

/// A rod of 0.3 m that hangs sideways on a ball joint at the origin, and a spinning top on its end.
fn rod(upper: f64) -> ModelSpec {
    let mut spec = ModelSpec::default();
    for (name, parent, at, mass) in [("rod", 0, 0.0, 1.0), ("top", 1, 0.3, 0.2)] {
        let mut b = BodySpec::world();
        b.name = name.into();
        b.parent = parent;
        b.placement = Pose::translation(Vec3::X * at);
        b.inertia = Inertia::from_com(
            mass,
            Vec3::new(0.15, 0.0, 0.0),
            Sym3::diagonal(Vec3::new(1e-3, 8e-3, 8e-3)),
        );
        let mut j = JointSpec::new(name, JointKind::Spherical);
        j.damping = 0.05;
        j.limits = Some((0.0, upper));
        b.joints = vec![j];
        spec.bodies.push(b);
    }
    spec
}

fn angles(q: &[f64]) -> [f64; 2] {
    [0, 4].map(|i| Turn::of(&q[i..i + 4]).angle)
}

#[test]
fn what_falls_comes_to_rest_at_its_bound() {
    for contact in LAWS.into_iter().chain([Contact::Penalty]) {
        let model = Arc::new(Model::compile(rod(0.6), Actuation::FromFile).unwrap());
        let o = Options {
            contact,
            ..options(1e-3)
        };
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; 6]);
        v[..3].copy_from_slice(&[3.0, 0.5, -1.0]);
        let mut most = 0.0f64;
        for _ in 0..4000 {
            let at = q.clone();
            let u = v.clone();
            sim.step(&at, &u, &[], &mut q, &mut v).unwrap();
            most = angles(&q).into_iter().fold(most, f64::max);
        }
        let slack = match contact {
            Contact::Penalty => 0.05,
            Contact::Convex => 4e-3,
            // The bound is held to first order: at 10 rad/s a step turns by 0.01.
            _ => 2e-3,
        };
        assert!(most < 0.6 + slack, "{contact:?}: {most}");
        let speed = v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        assert!(speed < 0.05, "{contact:?}: {v:?}");
        assert!(
            (angles(&q)[0] - 0.6).abs() < slack,
            "{contact:?}: {:?}",
            angles(&q)
        );
        if contact != Contact::Penalty {
            assert_eq!(sim.constraint_modes().len(), 2);
            assert!(sim.constraint_modes().iter().any(|m| *m != Mode::Breaking));
        }
    }
}

#[test]
fn a_passed_bound_is_undone_gently() {
    for kind in [Contact::Ncp, Contact::Convex] {
        let mut spec = rod(0.3);
        spec.gravity = Vec3::ZERO;
        let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
        let o = Options {
            contact: kind,
            ..options(1e-3)
        };
        let mut sim = Sim::new(model, &o).unwrap();
        let turned = Quat::exp(Vec3::new(0.5, -0.7, 0.4)).to_array();
        let mut q = [turned, [0.0, 0.0, 0.0, 1.0]].concat();
        let mut v = vec![0.0; 6];
        for _ in 0..1500 {
            let (at, u) = (q.clone(), v.clone());
            sim.step(&at, &u, &[], &mut q, &mut v).unwrap();
            // How fast the angle falls is bounded, not what turns across.
            let turn = Turn::of(&at[..4]);
            let rate = turn.direction.dot(Vec3::from_slice(&v));
            assert!(rate.abs() < 1.0 + 1e-6, "{kind:?}: {rate}");
        }
        // What has a spin across goes on within.
        assert!(angles(&q)[0] < 0.3 + 1e-3, "{kind:?}: {:?}", angles(&q));
    }
}

/// No direction is better than another where nothing is turned, and a half turn has two.
#[test]
fn labels_at_no_turn_and_half_a_turn() {
    let label = |upper: f64, w: [f64; 3], speed: [f64; 3]| {
        let model = Arc::new(Model::compile(rod(upper), Actuation::FromFile).unwrap());
        let o = options(1e-2);
        let mut sim = Sim::new(model, &o).unwrap();
        let q = [
            Quat::exp(Vec3::from_slice(&w)).to_array(),
            [0.0, 0.0, 0.0, 1.0],
        ]
        .concat();
        let v = [speed, [0.0; 3]].concat();
        let (mut a, mut b) = (q.clone(), v.clone());
        sim.step(&q, &v, &[], &mut a, &mut b).unwrap();
        let (mut bars, ones) = (vec![0.0; 6], vec![1.0; 6]);
        sim.step_vjp(&ones, &ones, Some(&mut bars), None, None, None)
            .unwrap();
        assert!(a.iter().chain(&b).chain(&bars).all(|x| x.is_finite()));
        (sim.step_info().unwrap().gradient, bars)
    };
    // A bound that is met from rest at the middle within a step.
    assert_eq!(label(1e-3, [0.0; 3], [1.0, 0.0, 0.0]).0, Gradient::OneSided);
    assert_eq!(label(1e-3, [0.0; 3], [0.0; 3]).0, Gradient::Exact);
    assert_eq!(label(1.0, [0.0; 3], [1.0, 0.0, 0.0]).0, Gradient::Exact);
    let pi = std::f64::consts::PI;
    assert_eq!(label(3.0, [pi, 0.0, 0.0], [0.0; 3]).0, Gradient::OneSided);
    assert_eq!(label(3.0, [3.1, 0.0, 0.0], [0.0; 3]).0, Gradient::Exact);
    // No turn is more than a half one.
    for upper in [pi, 4.0, f64::INFINITY] {
        assert_eq!(
            label(upper, [pi, 0.0, 0.0], [9.0, 0.0, 0.0]).0,
            Gradient::Exact
        );
    }
}

#[test]
fn files_have_bounds_and_recordings_say_who_is_there() {
    let text = "<mujoco><option gravity='0 0 0'/><worldbody>\
         <body><joint type='ball' range='0 40' margin='.01'/><geom size='.1'/></body>\
         <body><joint type='ball' range='0 200'/><geom size='.1' contype='0'/></body></worldbody></mujoco>";
    let load = |text: &str| load_str(text, Format::Mjcf, None, &LoadOptions::default()).unwrap();
    let bound = 40f64.to_radians();
    let every = &RecorderOptions {
        rate: 0.0,
        ..RecorderOptions::default()
    };
    let first = load(text);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("turns");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("balls.xml");
    save_file(&first, &path, false).unwrap();
    let second = load_file(&path, &LoadOptions::default()).unwrap();
    for model in [first, second] {
        let (_, upper) = model.joints()[0].limits.unwrap();
        assert!((upper - bound).abs() < 1e-12);
        assert_eq!(model.joints()[0].limit_margin, 0.01);
        let model = Arc::new(model);
        let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
        let mut recorder = Recorder::new(model, every).unwrap();
        for angle in [bound - 0.1, bound] {
            let there = Quat::exp(Vec3::new(0.0, -angle, 0.0)).to_array();
            let q = [there, there].concat();
            let (mut qn, mut vn) = (q.clone(), vec![0.0; 6]);
            sim.step(&q, &[0.0; 6], &[], &mut qn, &mut vn).unwrap();
            recorder.step(&sim).unwrap();
        }
        let frames = read(recorder.bytes()).unwrap().frames;
        let last = frames.last().unwrap();
        assert_eq!(last.limits, [2, 0]);
    }
}

#[test]
fn bounds_of_a_ball_are_checked() {
    for (bounds, message) in [
        ((0.1, 1.0), "no lower bound above 0"),
        ((0.0, 0.0), "must be above 0"),
        ((-1.0, -0.5), "must be above 0"),
        ((0.0, f64::NAN), "must be ordered"),
    ] {
        let mut spec = rod(1.0);
        spec.bodies[1].joints[0].limits = Some(bounds);
        let e = Model::compile(spec, Actuation::Full).unwrap_err();
        assert!(e.to_string().contains(message), "{bounds:?}: {e}");
    }
}

#[test]
fn a_home_is_within_the_bound() {
    let mut spec = rod(0.4);
    let [x, y, z, w] = Quat::exp(Vec3::new(1.0, 0.0, 0.5)).to_array();
    spec.keyframes.push(KeyframeSpec {
        name: "home".into(),
        qpos: [[w, x, y, z]; 2].concat(),
        mocap: vec![],
        qvel: vec![],
        ctrl: vec![],
        act: vec![],
        origin: String::new(),
    });
    let model = Model::compile(spec, Actuation::Full).unwrap();
    let q = home(&model).unwrap();
    assert!(angles(&q).iter().all(|a| (0.35..0.4).contains(a)), "{q:?}");
}

#[test]
fn penalty_forces_have_derivatives() {
    for integrator in [
        Integrator::SymplecticEuler,
        Integrator::Bdf1,
        Integrator::Sdirk2,
    ] {
        let mut tally = Tally::default();
        for (room, scale) in [(-0.03, 0.3), (-0.03, 2.0), (-0.002, 1.0), (0.3, 0.3)] {
            let (model, q) = bounded_arms(room, scale);
            let mut sim = Sim::new(
                Arc::new(model),
                &Options {
                    contact: Contact::Penalty,
                    integrator,
                    ..options(1e-3)
                },
            )
            .unwrap();
            let mut rng = Rng::new(3);
            for _ in 0..2 {
                let v = rng.vector(sim.model().nv(), 1.0);
                let u = rng.vector(sim.model().nu(), 1.0);
                penalty::check(&mut sim, &[], (&q, &v, &u), 5e-6, &mut tally);
            }
        }
        penalty::accept(&tally, &format!("{integrator:?}"), [0; 3]);
        assert!(tally.columns > 300, "{tally:?}");
    }
}

/// More dofs than are factored by branches, most joints at their bounds.
#[test]
fn a_long_chain_hangs_within_its_bounds() {
    let mut spec = ModelSpec::default();
    for id in 1..=25 {
        let mut b = BodySpec::world();
        b.name = format!("link{id}");
        b.parent = id - 1;
        b.placement = Pose::translation(Vec3::X * 0.1);
        b.inertia = Inertia::from_com(
            0.1,
            Vec3::X * 0.05,
            Sym3::diagonal(Vec3::new(1e-4, 2e-4, 2e-4)),
        );
        let mut j = JointSpec::new(format!("ball{id}"), JointKind::Spherical);
        (j.limits, j.damping, j.armature) = (Some((0.0, 0.1)), 0.02, 0.002);
        b.joints = vec![j];
        spec.bodies.push(b);
    }
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    let mut c = Checker::new(model.clone(), &options(5e-4));
    (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
    let mut rng = Rng::new(2);
    let (mut q, mut v) = (model.neutral().to_vec(), rng.vector(model.nv(), 0.3));
    for _ in 0..800 {
        let (at, u) = (q.clone(), v.clone());
        c.sim.step(&at, &u, &[], &mut q, &mut v).unwrap();
    }
    let turned = |q: &[f64]| q.chunks(4).map(|q| Turn::of(q).angle).fold(0.0, f64::max);
    assert!((0.09..0.101).contains(&turned(&q)), "{}", turned(&q));
    c.check(&mut q, &mut v, &[]);
    let t = c.tally("long chain");
    assert!(t.wrong == 0 && t.apart < 1e-9 && t.checked > 50, "{t:?}");
}
