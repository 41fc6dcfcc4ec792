//! Velocity limits of joints as rows of a step: closed forms, derivatives against differences with every law
//! and scheme that has them, forces that would make a joint faster, refusals, no heap.

use crate::common::checker::{Checker, FOURTH_ORDER, quadruped_spec, standing};
use crate::common::*;
use allocation_counter::measure;
use diffsim::error::Status;
use diffsim::model::spec::{EqualityKind, EqualitySpec, JointKind, JointSpec, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Sym3, Vec3};
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim};
use std::sync::Arc;

const LAWS: [Contact; 3] = [Contact::Ncp, Contact::Lcp, Contact::Convex];

const SCHEMES: [Integrator; 4] = [
    Integrator::SymplecticEuler,
    Integrator::SymplecticEulerWorld,
    Integrator::ImplicitEuler,
    Integrator::Midpoint,
];

fn with(integrator: Integrator, contact: Contact, h: f64) -> Options {
    Options {
        integrator,
        contact,
        time_step: h,
        velocity_limits: true,
        ..Options::default()
    }
}

/// Bodies on the world, each on a joint of its own of these kinds and limits, with moments of inertia and
/// masses 2.
fn joints(kinds: &[(JointKind, f64)]) -> ModelSpec {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    for (i, (kind, limit)) in kinds.iter().enumerate() {
        let mut body = diffsim::model::spec::BodySpec::world();
        body.name = format!("body{i}");
        body.inertia = Inertia::from_com(2.0, Vec3::ZERO, Sym3::diagonal(Vec3::new(2.0, 2.0, 2.0)));
        let mut joint = JointSpec::new(format!("joint{i}"), *kind);
        joint.axis = Vec3::Z;
        joint.velocity_limit = *limit;
        body.joints = vec![joint];
        spec.bodies.push(body);
    }
    spec
}

fn built(spec: ModelSpec) -> Arc<Model> {
    Arc::new(Model::compile(spec, Actuation::Full).unwrap())
}

struct Stepped {
    sim: Sim,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Stepped {
    fn new(model: Arc<Model>, options: &Options) -> Stepped {
        Stepped {
            q: model.neutral().to_vec(),
            v: vec![0.0; model.nv()],
            sim: Sim::new(model, options).unwrap(),
        }
    }

    fn step(&mut self, u: &[f64]) {
        let (q, v) = (self.q.clone(), self.v.clone());
        self.sim.step(&q, &v, u, &mut self.q, &mut self.v).unwrap();
    }
}

/// Each runs up to its limit, stays there, and leaves it at once; derivatives are those of either side.
#[test]
fn a_motor_runs_up_to_its_limit() {
    let h = 0.01;
    let kinds = [
        (JointKind::Revolute, 0.35),
        (JointKind::Continuous, 0.35),
        (JointKind::Prismatic, 0.35),
        (JointKind::Prismatic, f64::INFINITY),
    ];
    let model = built(joints(&kinds));
    for (scheme, law) in SCHEMES
        .into_iter()
        .flat_map(|s| [Contact::Ncp, Contact::Lcp].map(|law| (s, law)))
    {
        for way in [1.0, -1.0] {
            let mut s = Stepped::new(model.clone(), &with(scheme, law, h));
            // 0.1 a step.
            let u = [20.0 * way; 4];
            for k in 1..=6 {
                s.step(&u);
                let free = 0.1 * f64::from(k);
                for v in &s.v[..3] {
                    assert!((v - way * free.min(0.35)).abs() < 1e-12, "{scheme:?}: {v}");
                }
                assert!((s.v[3] - way * free).abs() < 1e-12);
                let (mut jq, mut jv) = (
                    [(); 4].map(|()| vec![0.0; 16]),
                    [(); 4].map(|()| vec![0.0; 16]),
                );
                jq[3].clear();
                jv[3].clear();
                s.sim
                    .step_jacobians(all_jacobians(&mut jq, &mut jv))
                    .unwrap();
                assert_eq!(s.sim.step_info().unwrap().gradient, Gradient::Exact);
                let moves = if k > 3 { 0.0 } else { 1.0 };
                for i in 0..3 {
                    let d = 5 * i;
                    for (found, wanted) in [
                        (jv[1][d], moves),
                        (jv[2][d], moves * h / 2.0),
                        (jv[0][d], 0.0),
                        (jq[0][d], 1.0),
                    ] {
                        assert!(
                            (found - wanted).abs() < 1e-12,
                            "{scheme:?}, step {k}: {found} for {wanted}"
                        );
                    }
                }
            }
            s.step(&[-40.0 * way; 4]);
            assert!((s.v[0] - way * 0.15).abs() < 1e-12);
        }
    }
}

/// Without the option limits are nobody's business, to the bit.
#[test]
fn nothing_is_held_unasked() {
    let kinds = [(JointKind::Revolute, 0.1)];
    let mut asked = Stepped::new(
        built(joints(&kinds)),
        &with(Integrator::SymplecticEulerWorld, Contact::Ncp, 0.01),
    );
    let mut unasked = Stepped::new(
        built(joints(&kinds)),
        &Options {
            time_step: 0.01,
            ..Options::default()
        },
    );
    asked.step(&[100.0]);
    unasked.step(&[100.0]);
    assert!((asked.v[0] - 0.1).abs() < 1e-12);
    assert_eq!(unasked.v[0], 0.5);
    // Nor where there are none.
    let free = [(JointKind::Revolute, f64::INFINITY)];
    let mut none = Stepped::new(
        built(joints(&free)),
        &with(Integrator::SymplecticEulerWorld, Contact::Ncp, 0.01),
    );
    none.step(&[100.0]);
    assert_eq!(none.v[0], 0.5);
    assert!(none.sim.constraint_modes().is_empty());
}

/// A limit of zero is one row that holds both ways.
#[test]
fn a_limit_of_zero_holds() {
    for law in LAWS {
        let kinds = [(JointKind::Revolute, 0.0), (JointKind::Revolute, 1.0)];
        let mut s = Stepped::new(
            built(joints(&kinds)),
            &with(Integrator::SymplecticEulerWorld, law, 0.01),
        );
        for u in [50.0, -50.0] {
            s.v = vec![0.2 * u; 2];
            s.step(&[u, u]);
            // The convex law yields.
            let held = if law == Contact::Convex { 0.3 } else { 1e-12 };
            assert!(
                s.v[0].abs() < held && (s.v[1].abs() - 1.0).abs() < held,
                "{law:?}: {:?}",
                s.v
            );
            assert_eq!(s.sim.constraint_modes().len(), 2);
        }
    }
}

/// A joint at rest that an equality makes ten times as fast as the one that is driven: its limit is found
/// when it is passed.
#[test]
fn a_joint_that_others_make_fast_is_held() {
    let mut spec = joints(&[
        (JointKind::Revolute, f64::INFINITY),
        (JointKind::Revolute, 5.0),
    ]);
    spec.equalities.push(EqualitySpec {
        name: "gear".into(),
        active: true,
        kind: EqualityKind::Joint {
            joint1: "joint1".into(),
            joint2: Some("joint0".into()),
            coefficients: [0.0, 10.0, 0.0, 0.0, 0.0],
            dofs: [0; 2],
        },
        origin: String::new(),
    });
    let mut s = Stepped::new(
        built(spec),
        &with(Integrator::SymplecticEulerWorld, Contact::Ncp, 0.01),
    );
    // By itself 2·v₀ + 20·v₁ = h u, v₁ = 10 v₀: v₁ = 10 · 10⁶/20200.
    s.step(&[2e6 * 0.0101 * 2.0, 0.0]);
    assert!(
        (s.v[1] - 5.0).abs() < 1e-9 && (s.v[0] - 0.5).abs() < 1e-9,
        "{:?}",
        s.v
    );
    assert_eq!(s.sim.constraint_modes().len(), 3);
    // One that it does not pass has no row.
    s.v.fill(0.0);
    s.step(&[202.0, 0.0]);
    assert!((s.v[1] - 0.1).abs() < 1e-9, "{:?}", s.v);
    assert_eq!(s.sim.constraint_modes().len(), 1);
}

fn limited_quadruped(limit: f64) -> Arc<Model> {
    let mut spec = quadruped_spec(false);
    for joint in spec.bodies.iter_mut().flat_map(|b| &mut b.joints) {
        if joint.kind == JointKind::Revolute {
            joint.velocity_limit = limit;
        }
    }
    built(spec)
}

#[test]
fn a_quadruped_at_its_limits() {
    let (limit, h) = (1.5, 2e-3);
    let model = limited_quadruped(limit);
    for (scheme, law) in SCHEMES.into_iter().flat_map(|s| LAWS.map(|law| (s, law))) {
        let mut c = Checker::new(model.clone(), &with(scheme, law, h));
        let mut beside = Sim::new(model.clone(), &with(scheme, law, h)).unwrap();
        (c.eps, c.stencil) = (1e-6, FOURTH_ORDER);
        let mut rng = Rng::new(11);
        let (mut q, mut v) = (standing(&model), rng.vector(18, 0.5));
        // Until it is on its feet.
        while c.sim.contacts().len() < 3 {
            let (q0, v0) = (q.clone(), v.clone());
            c.sim.step(&q0, &v0, &[0.0; 18], &mut q, &mut v).unwrap();
        }
        let (mut at_limit, mut contacts) = (0, 0);
        for _ in 0..12 {
            let u: Vec<f64> = rng
                .vector(18, 12.0)
                .into_iter()
                .enumerate()
                .map(|(k, u)| if k < 6 { 0.0 } else { u })
                .collect();
            // Steps from another state come between.
            let (mut qn, mut vn) = (q.clone(), v.clone());
            beside.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
            contacts += beside.contacts().len();
            c.check(&mut q, &mut v, &u);
            for v in &v[6..] {
                // The convex law yields, here by a fortieth of the impulses' effect, and more where bodies
                // respond less.
                let most = if law == Contact::Convex {
                    0.1 * limit
                } else {
                    1e-9
                };
                assert!(v.abs() < limit + most, "{scheme:?}, {law:?}: {v}");
                at_limit += usize::from(v.abs() > limit - 1e-9);
            }
        }
        let name = format!("{scheme:?}, {law:?}");
        println!("{name}: {at_limit} speeds at their limits, {contacts} contacts");
        assert!(
            at_limit > 15 && contacts > 0,
            "{name}: {at_limit} {contacts}"
        );
        let t = c.tally(&name);
        assert!(t.checked > 300, "{t:?}");
        assert!(
            t.p99 < 1e-6 && t.wrong == 0 && t.apart < 1e-10 && t.refused == 0,
            "{t:?}"
        );
    }
}

#[test]
fn a_prescribed_velocity_is_not_bounded() {
    let kinds = [(JointKind::Revolute, 0.1), (JointKind::Revolute, 0.1)];
    let mut s = Stepped::new(
        built(joints(&kinds)),
        &with(Integrator::SymplecticEulerWorld, Contact::Ncp, 0.01),
    );
    s.sim.prescribe(0, 3.0).unwrap();
    s.step(&[0.0, 100.0]);
    assert!(
        (s.v[0] - 3.0).abs() < 1e-14 && (s.v[1] - 0.1).abs() < 1e-12,
        "{:?}",
        s.v
    );
}

#[test]
fn what_holds_nothing_is_refused() {
    let model = built(joints(&[(JointKind::Revolute, 0.1)]));
    for contact in [Contact::None, Contact::Penalty] {
        for scheme in [
            Integrator::SymplecticEulerWorld,
            Integrator::Bdf1,
            Integrator::Sdirk2,
        ] {
            let e = Sim::new(model.clone(), &with(scheme, contact, 0.01)).unwrap_err();
            assert_eq!(e.status, Status::Unsupported, "{e}");
            for words in [
                "options.velocity_limits",
                "options.contact",
                &format!("{contact:?}"),
            ] {
                assert!(e.message.contains(words), "{words:?} is not in: {e}");
            }
        }
    }
}

#[test]
fn no_heap_in_the_loop() {
    let model = limited_quadruped(1.0);
    for law in LAWS {
        let mut s = Stepped::new(
            model.clone(),
            &with(Integrator::SymplecticEulerWorld, law, 2e-3),
        );
        s.q = standing(&model);
        let u: Vec<f64> = (0..18)
            .map(|k| {
                if k < 6 {
                    0.0
                } else {
                    10.0 * f64::from(k).sin()
                }
            })
            .collect();
        let nv = 18;
        let (mut jq, mut jv) = (
            [(); 4].map(|()| vec![0.0; nv * nv]),
            [(); 4].map(|()| vec![0.0; nv * nv]),
        );
        jq[3].clear();
        jv[3].clear();
        let (mut q, mut v) = (s.q.clone(), s.v.clone());
        let (mut qn, mut vn) = (q.clone(), v.clone());
        let made = measure(|| {
            for _ in 0..20 {
                s.sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
                s.sim
                    .step_jacobians(all_jacobians(&mut jq, &mut jv))
                    .unwrap();
                q.copy_from_slice(&qn);
                v.copy_from_slice(&vn);
            }
        });
        assert_eq!(made.count_total, 0, "{law:?}");
        assert!(v[6..].iter().any(|v| v.abs() > 0.99));
    }
}
