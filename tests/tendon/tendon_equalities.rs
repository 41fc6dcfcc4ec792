//! Equalities of tendons: they hold, with derivatives of steps and trajectories by every law, across branches
//! and trees.

use crate::common::checker::{Checker, FOURTH_ORDER};
use crate::common::scene::options;
use crate::common::tendons::{anchors, tendon};
use crate::common::tethers::{arms, paths, point};
use crate::common::trajectory::{From, compare};
use crate::common::{EPS, LAWS, Rng, at_once, param, random_q};
use diffsim::error::Status;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{EqualityKind, EqualitySpec, ModelSpec};
use diffsim::model::tendon::{PathPoint, TendonPath};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, Integrator, Options, Sim, StepJacobians};
use std::sync::Arc;

fn follows(first: &str, second: Option<&str>, coefficients: [f64; 5]) -> EqualitySpec {
    EqualitySpec {
        name: format!("{first} follows"),
        active: true,
        kind: EqualityKind::Tendon {
            tendon1: first.into(),
            tendon2: second.map(String::from),
            coefficients,
        },
        origin: String::new(),
    }
}

const CURVE: [f64; 5] = [0.02, 0.7, -0.3, 0.1, 0.05];

/// The arms with their tendons, one of which pulls as a spring.
fn corded() -> ModelSpec {
    let (mut spec, mut rng) = arms();
    for (name, path) in paths(&mut rng) {
        spec.tendons.push(tendon(name, path));
    }
    (spec.tendons[1].stiffness, spec.tendons[1].damping) = (30.0, 0.5);
    spec
}

/// What follows what.
fn cases() -> [(&'static str, Vec<EqualitySpec>); 4] {
    [
        (
            "path by joints",
            vec![follows("branches", Some("joints"), CURVE)],
        ),
        (
            "joints by path",
            vec![follows("joints", Some("branches"), CURVE)],
        ),
        ("two trees", vec![follows("trees", Some("branches"), CURVE)]),
        (
            "both held",
            vec![
                follows("trees", None, CURVE),
                follows("branches", None, CURVE),
            ],
        ),
    ]
}

fn with(equalities: Vec<EqualitySpec>) -> Model {
    let mut spec = corded();
    spec.equalities = equalities;
    Model::compile(spec, Actuation::Full).unwrap()
}

fn placements(model: &Model) -> Vec<Param> {
    let of = |name| model.joint_id(name).unwrap();
    let each = |j| (0..6).map(move |k| param(ParamKind::JointPlacement, j, k));
    let joints = [of("joint2"), of("joint4"), of("joint6")];
    let mut list: Vec<Param> = joints.into_iter().flat_map(each).collect();
    list.push(param(ParamKind::Tendon, 1, 0));
    list.extend(anchors(model));
    list
}

#[test]
fn steps_have_derivatives() {
    for (name, equalities) in cases() {
        let model = with(equalities);
        for (contact, o) in [
            (Contact::Ncp, options(4e-3)),
            (Contact::Ncp, at_once(options(4e-3))),
            (Contact::Lcp, options(4e-3)),
            (Contact::Convex, options(4e-3)),
        ] {
            for integrator in [Integrator::SymplecticEulerWorld, Integrator::Midpoint] {
                let o = Options {
                    contact,
                    integrator,
                    ..o
                };
                let mut c = Checker::new(model.clone(), &o);
                (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
                c.select(&placements(&model));
                let q = random_q(&mut Rng::new(5), &model, 0.3);
                c.run(&format!("{name}, {contact:?}, {integrator:?}"), &q, 1.0, 2);
            }
        }
    }
}

#[test]
fn trajectories_have_adjoints() {
    const STEPS: usize = 25;
    let model = Arc::new(with(cases()[2].1.clone()));
    let mut rng = Rng::new(4);
    let from = From {
        q0: random_q(&mut rng, &model, 0.1),
        v0: rng.vector(model.nv(), 0.3),
        u: rng.vector(model.nu() * STEPS, 0.5),
    };
    for contact in LAWS {
        let o = Options {
            contact,
            checkpoint_interval: 6,
            ..options(2e-3)
        };
        compare(&model, &o, STEPS, &from, &placements(&model), 1e-5)
            .accept(&format!("{contact:?}"), 1e-7);
    }
}

/// From where they hold they go on doing so, while inputs pull them apart.
#[test]
fn they_hold() {
    for (name, equalities) in cases() {
        let kinds: Vec<EqualityKind> = equalities.iter().map(|e| e.kind.clone()).collect();
        let model = Arc::new(with(equalities));
        let (nv, n) = (model.nv(), model.tendons().len());
        let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
        let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; nv]);
        let mut reference = vec![0.0; n];
        sim.tendon_lengths(&q, &mut reference, None).unwrap();
        let id = |name: &String| model.tendon_id(name).unwrap();
        let mut worst: f64 = 0.0;
        let mut travel: f64 = 0.0;
        for step in 0..600 {
            let u: Vec<f64> = (0..nv)
                .map(|k| (0.01 * step as f64 + k as f64).sin())
                .collect();
            let (q0, v0) = (q.clone(), v.clone());
            sim.step(&q0, &v0, &u, &mut q, &mut v).unwrap();
            let mut lengths = vec![0.0; n];
            sim.tendon_lengths(&q, &mut lengths, None).unwrap();
            for kind in &kinds {
                let EqualityKind::Tendon {
                    tendon1, tendon2, ..
                } = kind
                else {
                    unreachable!()
                };
                let moved = |name| lengths[id(name)] - reference[id(name)];
                let x = tendon2.as_ref().map_or(0.0, moved);
                let target = CURVE.iter().rev().fold(0.0, |sum, c| sum * x + c);
                let target = if tendon2.is_some() { target } else { CURVE[0] };
                travel = travel.max(moved(tendon1).abs());
                // The curve does not pass through the reference: it is reached first.
                if step > 200 {
                    worst = worst.max((moved(tendon1) - target).abs());
                }
            }
        }
        println!("{name}: {travel:.2} m and rad covered, off by {worst:.1e}");
        assert!(worst < 1e-4, "{name}: {worst:e}");
    }
}

#[test]
fn no_heap_after_creation() {
    for contact in LAWS {
        let model = Arc::new(with(cases()[2].1.clone()));
        let nv = model.nv();
        let o = Options {
            contact,
            ..options(4e-3)
        };
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        sim.select_params(&placements(&model)).unwrap();
        let mut rng = Rng::new(1);
        let (q, v) = (random_q(&mut rng, &model, 0.3), rng.vector(nv, 1.0));
        let (mut qn, mut vn, mut bar) = (q.clone(), v.clone(), vec![0.0; nv]);
        let (mut by_q, mut by_p) = (vec![0.0; nv * nv], vec![0.0; nv * sim.np()]);
        let used = allocation_counter::measure(|| {
            sim.step(&q, &v, &v, &mut qn, &mut vn).unwrap();
            let out = StepJacobians {
                dv_dq: Some(&mut by_q),
                dv_dp: Some(&mut by_p),
                ..StepJacobians::default()
            };
            sim.step_jacobians(out).unwrap();
            sim.step_vjp(&v, &v, Some(&mut bar), None, None, None)
                .unwrap();
        });
        assert_eq!(used.count_total, 0, "{contact:?}");
    }
}

#[test]
fn what_is_refused() {
    let refusal = |equality: EqualitySpec, change: &dyn Fn(&mut ModelSpec)| {
        let mut spec = corded();
        spec.equalities.push(equality);
        change(&mut spec);
        let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
        Sim::new(model, &options(1e-3)).unwrap_err()
    };
    let nothing = |_: &mut ModelSpec| ();
    let is = |e: diffsim::error::Error, status, what: &str| {
        assert!(e.status == status && e.to_string().contains(what), "{e}");
    };
    let invalid = Status::InvalidArgument;
    is(
        refusal(follows("rope", None, CURVE), &nothing),
        invalid,
        "no tendon is called \"rope\"",
    );
    is(
        refusal(follows("trees", Some("trees"), CURVE), &nothing),
        invalid,
        "cannot follow itself",
    );
    let odd = [0.0, f64::NAN, 0.0, 0.0, 0.0];
    is(
        refusal(follows("trees", None, odd), &nothing),
        invalid,
        "coefficients must be finite",
    );
    let rigid = |s: &mut ModelSpec| {
        s.tendons[2].path = TendonPath::Spatial(vec![point(2, Vec3::X), point(2, Vec3::Y)]);
    };
    is(
        refusal(follows("trees", None, CURVE), &rigid),
        invalid,
        "constant length",
    );
    let third = |s: &mut ModelSpec| {
        let mut b = s.bodies[6].clone();
        (b.name, b.parent) = ("third".into(), 0);
        b.joints[0].name = "third".into();
        s.bodies.push(b);
        let id = s.bodies.len() - 1;
        let at = |body| PathPoint::Point {
            body,
            at: Vec3::new(0.1, 0.2, 0.0),
        };
        s.tendons[1].path = TendonPath::Spatial(vec![at(0), at(id)]);
        (s.tendons[1].stiffness, s.tendons[1].damping) = (0.0, 0.0);
    };
    is(
        refusal(follows("trees", Some("branches"), CURVE), &third),
        Status::Unsupported,
        "its tendons join 3 kinematic trees",
    );
    let penalty = Options {
        contact: Contact::Penalty,
        ..options(1e-3)
    };
    let model = Arc::new(with(cases()[0].1.clone()));
    let e = Sim::new(model, &penalty).unwrap_err();
    is(e, Status::Unsupported, "branches follows");
}
