//! Contacts and joint limits by penalty forces: their effect, and refusals.

use crate::common::scene::{
    G, World, at, ball, body, cuboid, fixed, free, ground, on_ground, tilt,
};
use crate::common::{all_jacobians, param};
use diffsim::contact::mode::Mode;
use diffsim::error::Status;
use diffsim::force::ForceKinds;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{EqualityKind, EqualitySpec, JointKind, ModelSpec, ShapeSpec};
use diffsim::model::tendon::{TendonPath, TendonSpec};
use diffsim::model::{Actuation, Model};
use diffsim::query::{ContactDerivatives, ForceDerivatives};
use diffsim::spatial::{Pose, Quat, Vec3};
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim};
use std::sync::Arc;

fn options(h: f64) -> Options {
    Options {
        time_step: h,
        contact: Contact::Penalty,
        ..Options::default()
    }
}

const SCHEMES: [Integrator; 5] = [
    Integrator::SymplecticEuler,
    Integrator::ImplicitEuler,
    Integrator::Midpoint,
    Integrator::Bdf1,
    Integrator::Sdirk2,
];

/// A box that stands on one of its corners.
fn tilted_box() -> ModelSpec {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    let turn = Quat::exp(Vec3::new(0.3, 0.2, 0.1));
    let turned = Pose::from_quat(turn.normalized(), Vec3::Z * 0.12);
    free(&mut spec, "box", turned, 1.0, cuboid(0.1, 0.1, 0.1));
    spec
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
    // Stiffness of the ball alone, 1e4 of its mass at most: the ground is rigid.
    let stiffness = w.sim.params().geom_stiffness.iter();
    let stiffness = stiffness.fold(f64::INFINITY, |k, x| k.min(*x));
    assert!((1e3..=2e4).contains(&stiffness), "{stiffness:e}");
    assert!((sunk - 2.0 * 9.81 / stiffness).abs() < 1e-9, "{sunk:e}");
    let c = w.sim.contacts()[0];
    assert_eq!((c.mode, w.sim.contacts().len()), (Mode::Sticking, 1));
    assert!((c.impulse[2] - 2.0 * 9.81 * 1e-3).abs() < 1e-9);
}

/// Stiffness of two geoms that move is in series; what stands in the world is rigid.
#[test]
fn stiffness_and_damping_of_a_pair() {
    let mut spec = ModelSpec::default();
    free(&mut spec, "lower", at(0.0, 0.0, 0.0), 1.0, ball(0.05));
    free(&mut spec, "upper", at(0.0, 0.0, 0.099), 3.0, ball(0.05));
    spec.gravity = Vec3::ZERO;
    (spec.geoms[0].stiffness, spec.geoms[0].dissipation) = (2e3, 0.1);
    let mut w = World::new(spec, Actuation::Full, &options(1e-4));
    let kinds = [ParamKind::ContactStiffness, ParamKind::ContactTangential];
    let list = kinds.map(|kind| [0, 1].map(|g| param(kind, g, 0)));
    w.sim.select_params(&list.concat()).unwrap();
    let mut p = [0.0; 4];
    w.sim.get_params(&mut p).unwrap();
    assert_eq!(p, [2e3, 3e4, 200.0, 600.0]);
    // Closing slowly enough for both branches of the damping.
    w.launch(0, Vec3::Z * 0.5);
    w.step();
    let (x, tau) = (1e-3, 0.11);
    let k = 1.0 / (1.0 / 2e3 + 1.0 / 3e4);
    let force = k * (x + tau * x / (x + tau * 0.01) * 0.5);
    let impulse = w.sim.contacts()[0].impulse;
    assert!(
        (impulse[2] / 1e-4 - force).abs() < 1e-9 * force,
        "{impulse:?}"
    );
}

/// A block that slides loses μ g h a step, and one on a slope below the angle of friction creeps at m g sin α
/// / k_t.
#[test]
fn friction_slides_and_creeps() {
    let mu = 0.4;
    let mut w = World::new(
        on_ground(mu, 0.0999, 2.0, cuboid(0.2, 0.2, 0.1)),
        Actuation::Full,
        &options(1e-4),
    );
    w.run(4000);
    w.launch(0, Vec3::X * 3.0);
    w.run(200);
    let before = w.velocity(0).x;
    w.run(1000);
    let slowed = (before - w.velocity(0).x) / 0.1;
    assert!((slowed / (mu * G) - 1.0).abs() < 1e-3, "{slowed}");
    assert!(w.sim.contacts().iter().all(|c| c.mode == Mode::Sliding));

    let angle: f64 = 0.2;
    let mut spec = on_ground(mu, 0.0, 2.0, cuboid(0.2, 0.2, 0.1));
    let slope = tilt(angle, 0.0);
    spec.geoms[0].placement = slope;
    spec.bodies[1].placement = slope.compose(&at(0.0, 0.0, 0.0999));
    let mut w = World::new(spec, Actuation::Full, &options(1e-4));
    w.run(8000);
    // Four points, each of 200 N s/m per kg.
    let creep = G * angle.sin() / 800.0;
    let speed = w.velocity(0).norm();
    assert!((speed / creep - 1.0).abs() < 1e-3, "{speed} {creep}");
    let contacts = w.sim.contacts();
    assert_eq!(contacts.len(), 4);
    assert!(contacts.iter().all(|c| c.mode == Mode::Sticking));
}

/// Whatever the speed, the force begins at zero where surfaces touch.
#[test]
fn forces_are_continuous_at_touch_down() {
    for speed in [0.0, 0.01, 1.0, 30.0] {
        for slip in [0.0, 1.0] {
            let forces = [1e-9, 0.0, -1e-9].map(|gap| {
                let mut w = World::new(
                    on_ground(0.5, 0.05 + gap, 1.0, ball(0.05)),
                    Actuation::Full,
                    &options(1e-3),
                );
                w.launch(0, Vec3::new(slip, 0.0, -speed));
                w.step();
                let info = w.sim.step_info().unwrap();
                assert_eq!(info.gradient == Gradient::OneSided, gap == 0.0);
                (w.velocity(0) - Vec3::new(slip, 0.0, -speed - 1e-3 * G)).norm()
            });
            // k x (1 + speed/v₀) for a nanometre.
            let least = 1e-3 * 1e4 * 1e-9 * (1.0 + speed / 0.01);
            assert!(forces[..2].iter().all(|f| *f < 1e-12), "{forces:?}");
            assert!(forces[2] <= 1.2 * least + 1e-12, "{speed}: {forces:?}");
        }
    }
}

/// It never pulls: what leaves fast is let go.
#[test]
fn what_leaves_is_not_held() {
    let mut w = World::new(
        on_ground(0.5, 0.049, 1.0, ball(0.05)),
        Actuation::Full,
        &options(1e-3),
    );
    w.launch(0, Vec3::Z);
    let info = w.step();
    assert_eq!(info.contacts, 1);
    let c = w.sim.contacts()[0];
    assert_eq!((c.mode, c.impulse), (Mode::Breaking, [0.0; 3]));
    assert!((w.velocity(0).z - (1.0 - 1e-3 * G)).abs() < 1e-12);
}

/// A beam leans on the bound of its hinge with a spring of 10⁴ s⁻² times its inertia.
#[test]
fn limits_are_springs() {
    let mut spec = ModelSpec::default();
    let beam = body(
        &mut spec,
        "beam",
        JointKind::Revolute,
        Pose::IDENTITY,
        2.0,
        cuboid(0.2, 0.05, 0.05),
    );
    let joint = &mut spec.bodies[beam].joints[0];
    (joint.axis, joint.anchor, joint.limits) = (Vec3::Y, Vec3::X * -0.2, Some((-1.0, 0.0)));
    joint.armature = 0.1;
    let mut w = World::new(spec, Actuation::Full, &options(1e-3));
    w.run(3000);
    let inertia = w.sim.model().params().body_inertia[1].i.mul_vec(Vec3::Y).y + 2.0 * 0.04 + 0.1;
    let leaned = 2.0 * G * 0.2 * w.q[0].cos() / (1e4 * inertia);
    assert!((w.q[0] - leaned).abs() < 1e-9, "{} {leaned}", w.q[0]);
}

/// Boxes fall on each other and come to rest: nothing sinks away, nothing gains energy.
#[test]
fn a_stack_comes_to_rest() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.6);
    for k in 0..3 {
        let place = at(0.003 * k as f64, 0.0, 0.06 + 0.11 * k as f64);
        free(
            &mut spec,
            &format!("box{k}"),
            place,
            1.0,
            cuboid(0.05, 0.05, 0.05),
        );
    }
    let mut w = World::new(spec, Actuation::Full, &options(2e-4));
    w.run(8000);
    for k in 0..3 {
        assert!(w.velocity(k).norm() < 1e-3, "{k}: {:?}", w.velocity(k));
        let rest = 0.05 + 0.1 * k as f64;
        let z = w.position(k).z;
        assert!(z < rest && z > rest - 0.004, "{k}: {z}");
    }
}

/// What collides inside the step leaves queries in between alone, and a copy takes the same steps.
#[test]
fn queries_and_copies_change_no_bit() {
    let spec = || on_ground(0.4, 0.0995, 2.0, cuboid(0.2, 0.15, 0.1));
    let mut a = World::new(spec(), Actuation::Full, &options(1e-3));
    a.launch(0, Vec3::X);
    a.run(5);
    let mut copy = a.sim.duplicate().unwrap();
    for _ in 0..5 {
        let (mut q, mut v) = (a.q.clone(), a.v.clone());
        copy.step(&a.q, &a.v, &a.u, &mut q, &mut v).unwrap();
        let high = [0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 1.0];
        a.sim.distance(0, 1, &high, None).unwrap();
        a.sim.collide(&high).unwrap();
        assert!(a.sim.contacts().is_empty());
        a.step();
        assert_eq!((&a.q, &a.v), (&q, &v));
        let n = a.sim.contacts().len();
        assert_eq!(n, 4);
        let mut gap = vec![0.0; 6 * n];
        let out = ContactDerivatives {
            gap: Some(&mut gap),
            ..Default::default()
        };
        a.sim.contact_derivatives(out).unwrap();
        assert!(gap.iter().any(|x| *x != 0.0));
    }
}

/// Whatever was asked of other states since, and where stages of a step lead elsewhere: how a step's contacts
/// move is told of where they were found.
#[test]
fn contacts_move_where_they_were_found() {
    for integrator in SCHEMES {
        let o = Options {
            integrator,
            ..options(5e-3)
        };
        let model = Arc::new(Model::compile(tilted_box(), Actuation::Full).unwrap());
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        let (q, v) = (model.neutral().to_vec(), [0.3, 4.0, 1.0, 0.2, 0.1, -0.3]);
        let (mut q_next, mut v_next) = (q.clone(), v);
        let u = [0.0; 6];
        sim.step(&q, &v, &u, &mut q_next, &mut v_next).unwrap();
        let seen: Vec<_> = sim.contacts().iter().map(|c| (c.point, c.gap)).collect();
        assert!(!seen.is_empty(), "{integrator:?}");
        let high = [0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 1.0];
        let mut force = [0.0; 6];
        let none = ForceDerivatives::default();
        sim.generalized_forces(&high, &v, &u, ForceKinds::ALL, &mut force, none)
            .unwrap();
        let n = seen.len();
        let (mut by_gap, mut by_point) = (vec![0.0; 6 * n], vec![0.0; 18 * n]);
        let out = ContactDerivatives {
            gap: Some(&mut by_gap),
            point: Some(&mut by_point),
            ..Default::default()
        };
        assert_eq!(sim.contact_derivatives(out).unwrap(), Gradient::Exact);
        // Where the contacts are: on the way from q to q⁺.
        let place = |share: f64| {
            let (mut d, mut at) = ([0.0; 6], q.clone());
            model.difference(&q, &q_next, &mut d);
            model.integrate(&q, &d.map(|d| share * d), &mut at);
            at
        };
        let mut other = sim.duplicate().unwrap();
        let mut found = |q: &[f64]| {
            other.collide(q).unwrap();
            let all = other.contacts().iter();
            all.map(|c| (c.point, c.gap)).collect::<Vec<_>>()
        };
        let apart = |x: &[([f64; 3], f64)]| {
            let pairs = x.iter().zip(&seen);
            pairs.fold(0.0_f64, |m, (a, b)| m.max((a.1 - b.1).abs()))
        };
        let at = [0.0, 0.5, 1.0]
            .map(place)
            .into_iter()
            .min_by(|a, b| apart(&found(a)).total_cmp(&apart(&found(b))))
            .unwrap();
        assert!(apart(&found(&at)) < 1e-5, "{integrator:?}");
        let mut moved = 0.0_f64;
        for k in 0..6 {
            let mut ends = [1e-6, -1e-6].map(|e| {
                let (mut d, mut to) = ([0.0; 6], at.clone());
                d[k] = e;
                model.integrate(&at, &d, &mut to);
                found(&to)
            });
            let [up, down] = ends.each_mut();
            for (i, (a, b)) in up.iter().zip(&*down).enumerate() {
                let slope = (a.1 - b.1) / 2e-6;
                let error = (by_gap[k * n + i] - slope).abs();
                assert!(error < 1e-7, "{integrator:?} {k} {i}: {error:e}");
                for x in 0..3 {
                    let slope = (a.0[x] - b.0[x]) / 2e-6;
                    let error = (by_point[(k * n + i) * 3 + x] - slope).abs();
                    assert!(error < 1e-7, "{integrator:?} {k} {i} {x}: {error:e}");
                }
                moved = moved.max(slope.abs());
            }
        }
        assert!(moved > 0.5);
    }
}

/// A mesh of equal coefficients says that a derivative by one of them is one-sided, where it slides.
/// With every law that slides.
#[test]
fn equal_coefficients_are_a_kink() {
    for contact in [Contact::Penalty, Contact::Ncp, Contact::Lcp] {
        let mut spec = on_ground(0.4, 0.0995, 2.0, ball(0.1));
        spec.geoms[0].priority = 0;
        spec.geoms[1].friction[0] = 0.4;
        let options = Options {
            contact,
            ..options(1e-3)
        };
        let mut w = World::new(spec, Actuation::Full, &options);
        for (speed, label) in [(0.001, Gradient::Exact), (2.0, Gradient::OneSided)] {
            // How slow a ball must be for rigid contact to hold it is another matter.
            if contact != Contact::Penalty && label == Gradient::Exact {
                continue;
            }
            w.sim
                .select_params(&[param(ParamKind::GeomFriction, 1, 0)])
                .unwrap();
            w.launch(0, Vec3::new(0.6, 0.8, 0.0) * speed);
            w.step();
            w.velocity_jacobians();
            let info = w.sim.step_info().unwrap();
            assert_eq!(info.gradient, label, "{contact:?}");
        }
    }
}

/// The label is that of the parameters that are selected when a derivative is asked for, with every scheme.
#[test]
fn a_kink_is_told_when_it_is_selected_after_derivatives() {
    for integrator in SCHEMES {
        let mut spec = on_ground(0.4, 0.0995, 2.0, ball(0.1));
        spec.geoms[0].priority = 0;
        spec.geoms[1].friction[0] = 0.4;
        let o = Options {
            integrator,
            ..options(1e-3)
        };
        let mut w = World::new(spec, Actuation::Full, &o);
        w.launch(0, Vec3::new(0.6, 0.8, 0.0) * 2.0);
        w.step();
        for (list, label) in [
            (vec![], Gradient::Exact),
            (
                vec![param(ParamKind::GeomFriction, 1, 0)],
                Gradient::OneSided,
            ),
        ] {
            w.sim.select_params(&list).unwrap();
            w.velocity_jacobians();
            let info = w.sim.step_info().unwrap();
            assert_eq!(info.gradient, label, "{integrator:?}");
        }
    }
}

/// Asking how contacts move, before derivatives of the step or between them, changes no bit of these.
#[test]
fn how_contacts_move_is_asked_in_between() {
    for integrator in SCHEMES {
        let o = Options {
            integrator,
            ..options(2e-3)
        };
        let list = [0, 1].map(|g| param(ParamKind::ContactStiffness, g, 0));
        let spec = on_ground(0.4, 0.0995, 2.0, cuboid(0.2, 0.15, 0.1));
        let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        sim.select_params(&list).unwrap();
        let mut other = sim.duplicate().unwrap();
        let (mut jq, mut jv) = (
            [6, 6, 6, 2].map(|k| vec![0.0; 6 * k]),
            [6, 6, 6, 2].map(|k| vec![0.0; 6 * k]),
        );
        let mut bits = |sim: &mut Sim, by_p: bool| {
            let mut all = all_jacobians(&mut jq, &mut jv);
            if !by_p {
                (all.dq_dp, all.dv_dp) = (None, None);
            }
            sim.step_jacobians(all).unwrap();
            let kept = if by_p { 4 } else { 3 };
            let numbers = jq[..kept].iter().chain(&jv[..kept]).flatten();
            numbers.map(|x| x.to_bits()).collect::<Vec<_>>()
        };
        let ask = |sim: &mut Sim| {
            let mut gap = vec![0.0; 6 * sim.contacts().len()];
            let out = ContactDerivatives {
                gap: Some(&mut gap),
                ..Default::default()
            };
            sim.contact_derivatives(out).unwrap();
            gap
        };
        let mut wrenches = vec![0.0; 6 * model.nbody()];
        let (mut q, mut v) = (model.neutral().to_vec(), vec![0.6, 0.2, 0.0, 0.0, 0.0, 0.5]);
        let mut seen = 0;
        for _ in 0..40 {
            let [(mut q1, mut v1), (mut q2, mut v2)] = [(); 2].map(|()| (q.clone(), v.clone()));
            sim.step(&q, &v, &[0.0; 6], &mut q1, &mut v1).unwrap();
            other.step(&q, &v, &[0.0; 6], &mut q2, &mut v2).unwrap();
            assert_eq!((&q1, &v1), (&q2, &v2), "{integrator:?}");
            let gap = ask(&mut other);
            seen += gap.iter().filter(|x| **x != 0.0).count();
            other.body_contact_wrenches(&mut wrenches).unwrap();
            assert_eq!(ask(&mut other), gap, "{integrator:?}, after wrenches");
            for by_p in [false, true] {
                let plain = bits(&mut sim, by_p);
                assert_eq!(bits(&mut other, by_p), plain, "{integrator:?} {by_p}");
                assert_eq!(ask(&mut other), gap, "{integrator:?}");
            }
            (q, v) = (q1, v1);
        }
        assert!(seen > 500, "{integrator:?} {seen}");
    }
}

fn refused(spec: ModelSpec, o: Options) -> (Status, String) {
    let model = Model::compile(spec, Actuation::Full).unwrap();
    let e = Sim::new(Arc::new(model), &o).unwrap_err();
    (e.status, e.message)
}

#[test]
fn what_it_does_not_do_is_refused() {
    let scene = || on_ground(0.4, 0.05, 2.0, ball(0.05));
    let mut dry = scene();
    dry.bodies[1].joints[0].friction_loss = 0.1;
    let (status, message) = refused(dry, options(1e-3));
    assert!(
        status == Status::Unsupported && message.contains("body_joint"),
        "{message}"
    );

    let mut tied = scene();
    free(&mut tied, "other", at(1.0, 0.0, 1.0), 1.0, ball(0.05));
    tied.equalities.push(EqualitySpec {
        name: "tie".into(),
        active: true,
        kind: EqualityKind::Connect {
            body1: 1,
            body2: 2,
            anchor: Vec3::ZERO,
        },
        origin: String::new(),
    });
    let (status, message) = refused(tied, options(1e-3));
    assert!(
        status == Status::Unsupported && message.contains("\"tie\""),
        "{message}"
    );

    let mut bounded = scene();
    let slide = body(
        &mut bounded,
        "slide",
        JointKind::Prismatic,
        at(1.0, 0.0, 1.0),
        1.0,
        ball(0.05),
    );
    bounded.tendons.push(TendonSpec {
        name: "cord".into(),
        path: TendonPath::Fixed(vec![(bounded.bodies[slide].joints[0].name.clone(), 1.0)]),
        stiffness: 1.0,
        damping: 0.0,
        stiffness_terms: [0.0; 2],
        damping_terms: [0.0; 2],
        rest: None,
        pull_only: false,
        limits: Some((-1.0, 1.0)),
        limit_margin: 0.0,
        friction_loss: 0.0,
        origin: String::new(),
    });
    let (status, message) = refused(bounded, options(1e-3));
    assert!(
        status == Status::Unsupported && message.contains("\"cord\""),
        "{message}"
    );

    let o = Options {
        kp: 0.1,
        ..options(1e-3)
    };
    let (status, message) = refused(scene(), o);
    assert!(
        status == Status::InvalidArgument && message.contains("kp"),
        "{message}"
    );

    for (field, bad) in [
        ("stiffness", 0.0),
        ("dissipation", -1.0),
        ("tangential", f64::NAN),
    ] {
        let mut spec = scene();
        let g = &mut spec.geoms[1];
        match field {
            "stiffness" => g.stiffness = bad,
            "dissipation" => g.dissipation = bad,
            _ => g.tangential = bad,
        }
        let e = Model::compile(spec, Actuation::Full).unwrap_err();
        assert!(
            e.message.contains(field) && e.message.contains("\"body\""),
            "{e}"
        );
    }
}

#[test]
fn bad_values_and_too_many_contacts() {
    let o = Options {
        max_contacts: 3,
        ..options(1e-3)
    };
    let spec = on_ground(0.4, 0.0995, 2.0, cuboid(0.2, 0.15, 0.1));
    let mut w = World::new(spec, Actuation::Full, &o);
    let (mut q, mut v) = (vec![7.0; 7], vec![7.0; 6]);
    let e = w.sim.step(&w.q, &w.v, &w.u, &mut q, &mut v).unwrap_err();
    assert_eq!(e.status, Status::Capacity);
    assert!(e.message.contains("max_contacts"), "{e}");
    assert_eq!((q, v), (vec![7.0; 7], vec![7.0; 6]));
    assert!(w.sim.contacts().is_empty());

    use ParamKind as K;
    let kinds = [K::ContactStiffness, K::ContactTangential];
    let list = kinds.map(|kind| [0, 1].map(|g| param(kind, g, 0))).concat();
    w.sim.select_params(&list).unwrap();
    let mut p = vec![0.0; 4];
    w.sim.get_params(&mut p).unwrap();
    // The ground is rigid; the box must not be.
    assert_eq!((p[0], p[2]), (f64::INFINITY, f64::INFINITY));
    w.sim.set_params(&p).unwrap();
    for (k, bad) in [
        (1, f64::INFINITY),
        (3, f64::INFINITY),
        (1, 0.0),
        (3, -1.0),
        (0, f64::NAN),
    ] {
        let mut x = p.clone();
        x[k] = bad;
        let e = w.sim.set_params(&x).unwrap_err();
        assert!(e.message.contains(&format!("p[{k}]")), "{e}");
        let mut after = vec![0.0; 4];
        w.sim.get_params(&mut after).unwrap();
        assert_eq!(after, p);
    }
    for kind in [K::GeomRestitution, K::Stabilization, K::JointFriction] {
        let e = w.sim.select_params(&[param(kind, 0, 0)]).unwrap_err();
        assert_eq!(e.status, Status::Unsupported, "{kind:?}");
    }
    let mut rigid = Sim::new(
        w.sim.model().clone(),
        &Options {
            time_step: 1e-3,
            ..Options::default()
        },
    )
    .unwrap();
    let e = rigid.select_params(&list[2..]).unwrap_err();
    assert_eq!(e.status, Status::Unsupported);

    let mut w = World::new(
        on_ground(0.4, 0.0995, 2.0, ball(0.1)),
        Actuation::Full,
        &options(1e-3),
    );
    w.step();
    let e = w
        .sim
        .impulse_jvp(&[], &[], &[], &[], &mut [0.0; 3])
        .unwrap_err();
    assert_eq!(e.status, Status::Unsupported);
}

/// URDF and MJCF have no word for what contacts are made of, and saving says so.
#[test]
fn files_that_have_no_stiffness_say_so() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (said, name) in [(true, "soft.xml"), (true, "soft.urdf"), (false, "hard.xml")] {
        let mut spec = on_ground(0.4, 0.05, 2.0, ball(0.05));
        if said {
            spec.geoms[1].tangential = 100.0;
        }
        let model = Model::compile(spec, Actuation::FromFile).unwrap();
        let losses = diffsim::save::save_file(&model, &folder.join(name), false).unwrap();
        let lost = losses.iter().any(|l| l.contains("viscous friction"));
        assert_eq!(lost, said, "{name}: {losses:?}");
    }
}

/// A ball between two walls that stand in the world: nothing is asked of what cannot move.
#[test]
fn what_stands_still_takes_no_part() {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    let wall = ShapeSpec::Box {
        half_extents: Vec3::new(0.1, 1.0, 1.0),
    };
    for (name, x) in [("left", -0.149), ("right", 0.149)] {
        fixed(&mut spec, name, at(x, 0.0, 0.0), wall.clone(), 0.5);
    }
    free(&mut spec, "ball", Pose::IDENTITY, 1.0, ball(0.05));
    let mut w = World::new(spec, Actuation::Full, &options(1e-3));
    w.step();
    assert_eq!(w.sim.contacts().len(), 2);
    assert!(w.velocity(0).norm() < 1e-15);
}
