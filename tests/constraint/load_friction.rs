//! Friction of joints by the loads that they carry: closed forms, energy, derivatives, refusals.

use crate::common::checker::{Checker, FOURTH_ORDER};
use crate::common::*;
use diffsim::load::mjcf::{MjcfOptions, read_str};
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{JointKind, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim};
use std::sync::Arc;

pub const LAWS: [Contact; 3] = [Contact::Ncp, Contact::Lcp, Contact::Convex];

pub fn options(contact: Contact) -> Options {
    Options {
        contact,
        time_step: 1e-3,
        tolerance: 1e-12,
        ..Options::default()
    }
}

pub fn spec(text: &str) -> ModelSpec {
    read_str(text, None, &MjcfOptions::default()).unwrap()
}

/// Gives every revolute, prismatic and spherical joint friction by its load.
pub fn dry(mut spec: ModelSpec, [mu, radius, height, loss]: [f64; 4]) -> Arc<Model> {
    for j in spec.bodies.iter_mut().flat_map(|b| &mut b.joints) {
        if matches!(j.kind, JointKind::Revolute | JointKind::Prismatic) {
            (j.friction_coefficient, j.friction_radius) = (mu, radius);
            (j.friction_loss, j.damping) = (loss, loss);
            j.friction_height = height;
        }
        if j.kind == JointKind::Spherical {
            (j.friction_coefficient, j.friction_radius) = (mu, radius);
            (j.friction_loss, j.damping) = (0.0, loss);
        }
    }
    Arc::new(Model::compile(spec, Actuation::Full).unwrap())
}

/// A mass of 2 kg that hangs 0.5 m below a hinge with a moment of inertia of 0.3 kg m² about its centre.
const PENDULUM: &str = "<mujoco><worldbody><body><joint name=\"hinge\" axis=\"0 1 0\"/>\
    <inertial mass=\"2\" pos=\"0 0 -0.5\" diaginertia=\"0.3 0.3 0.3\"/></body></worldbody></mujoco>";

const SLIDE: &str = "<mujoco><worldbody><body><joint name=\"slide\" type=\"slide\" axis=\"1 0 0\"/>\
    <inertial mass=\"2\" pos=\"0 0 0.1\" diaginertia=\"0.3 0.3 0.3\"/></body></worldbody></mujoco>";

/// A foot on two hinges and a slide, with friction on the ground.
const LEG: &str = "<mujoco><worldbody><geom type=\"plane\" size=\"5 5 1\"/>\
    <body pos=\"0 0 0.9\"><joint name=\"slide\" type=\"slide\" axis=\"0.1 0 1\"/><geom type=\"sphere\" size=\"0.1\" mass=\"3\" contype=\"0\" conaffinity=\"0\"/>\
    <body><joint name=\"hip\" axis=\"0 1 0\"/><geom type=\"capsule\" fromto=\"0 0 0 0.1 0.02 -0.4\" size=\"0.03\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/>\
    <body pos=\"0.1 0.02 -0.4\"><joint name=\"knee\" axis=\"0 1 0.1\"/><geom type=\"capsule\" fromto=\"0 0 0 -0.1 0 -0.4\" size=\"0.03\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/>\
    <geom type=\"sphere\" pos=\"-0.1 0 -0.45\" size=\"0.05\" mass=\"0.5\"/></body></body></body></worldbody></mujoco>";

/// A four-bar: crank, coupler and rocker, closed by a point.
const FOUR_BAR: &str = "<mujoco><worldbody>\
    <body><joint name=\"crank\" axis=\"0 1 0\"/><geom type=\"capsule\" fromto=\"0 0 0 0 0 0.3\" size=\"0.02\" mass=\"0.5\" contype=\"0\" conaffinity=\"0\"/>\
    <body name=\"coupler\" pos=\"0 0 0.3\"><joint name=\"coupler\" axis=\"0 1 0\"/><geom type=\"capsule\" fromto=\"0 0 0 0.7 0 0.2\" size=\"0.02\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/></body></body>\
    <body name=\"rocker\" pos=\"0.8 0 0\"><joint name=\"rocker\" axis=\"0 1 0\"/><geom type=\"capsule\" fromto=\"0 0 0 -0.1 0 0.5\" size=\"0.02\" mass=\"0.8\" contype=\"0\" conaffinity=\"0\"/></body>\
    </worldbody><equality><connect body1=\"rocker\" body2=\"coupler\" anchor=\"-0.1 0 0.5\"/></equality></mujoco>";

pub fn coefficients(model: &Model) -> Vec<Param> {
    let mut list = vec![
        param(ParamKind::Gravity, 0, 2),
        param(ParamKind::BodyInertia, model.nbody() - 1, 0),
        param(ParamKind::BodyInertia, 1, 1),
        param(ParamKind::ExternalWrench, model.nbody() - 1, 2),
        param(ParamKind::ExternalWrench, 1, 4),
    ];
    for joint in model.load_friction() {
        list.push(param(ParamKind::JointFrictionCoefficient, joint, 0));
        let kind = model.joint(joint).kind;
        if kind != JointKind::Prismatic {
            list.push(param(ParamKind::JointFrictionCoefficient, joint, 1));
        }
        list.push(param(ParamKind::JointDamping, joint, 0));
        if kind != JointKind::Spherical {
            list.push(param(ParamKind::JointFriction, joint, 0));
        }
    }
    list
}

#[test]
fn a_hinge_holds_up_to_its_cone_and_slides_beyond() {
    let (mu, r, m, l, g) = (0.4, 0.05, 2.0, 0.5, 9.81);
    let inertia = 0.3 + m * l * l;
    for contact in [Contact::Ncp, Contact::Lcp] {
        let mut sim = Sim::new(dry(spec(PENDULUM), [mu, r, 0.0, 0.0]), &options(contact)).unwrap();
        let (h, mut q, mut v) = (1e-3, [0.0], [0.0]);
        let holds = mu * r * m * g;
        for (share, moves) in [(0.999, false), (-0.999, false), (1.5, true), (-4.0, true)] {
            sim.step(&[0.0], &[0.0], &[share * holds], &mut q, &mut v)
                .unwrap();
            let info = sim.step_info().unwrap();
            assert!(info.converged && info.residual < 1e-12);
            if !moves {
                assert_eq!((q, v), ([0.0], [0.0]));
                continue;
            }
            // I a = |u| − μ r √((m g)² + (m l a)²)
            let (u, c) = (share.abs() * holds, (mu * r).powi(2));
            let (a2, a1) = (inertia.powi(2) - c * (m * l).powi(2), inertia * u);
            let a0 = u * u - c * (m * g).powi(2);
            let a = (a1 - (a1 * a1 - a2 * a0).sqrt()) / a2;
            let a = a * share.signum();
            assert!((v[0] / h - a).abs() < 1e-8 * a.abs(), "{} {a}", v[0] / h);
        }
        // At the edge of sticking the derivative is one-sided.
        sim.step(&[0.0], &[0.0], &[holds], &mut q, &mut v).unwrap();
        let mut j = [0.0];
        sim.step_jvp(&[], &[], &[1.0], &[], &mut j, &mut [0.0])
            .unwrap();
        assert_eq!(sim.step_info().unwrap().gradient, Gradient::OneSided);
    }
}

#[test]
fn a_slide_feels_forces_and_moments_across_it() {
    // At rest the guide carries m g, and the moment of the mass above it as it accelerates.
    let (mu, m, g, up) = (0.3, 2.0, 9.81, 0.1);
    for height in [0.0, 0.2] {
        let mut sim = Sim::new(
            dry(spec(SLIDE), [mu, 0.0, height, 0.0]),
            &options(Contact::Ncp),
        )
        .unwrap();
        let (mut q, mut v) = ([0.0], [0.0]);
        sim.step(&[0.0], &[0.0], &[0.99 * mu * m * g], &mut q, &mut v)
            .unwrap();
        assert_eq!(v, [0.0]);
        sim.step(&[0.0], &[0.0], &[9.0], &mut q, &mut v).unwrap();
        let a = v[0] / 1e-3;
        let moment = if height == 0.0 {
            0.0
        } else {
            m * a * up * 2.0 / height
        };
        let load = (m * g).hypot(moment);
        assert!((m * a - (9.0 - mu * load)).abs() < 1e-8, "{a}");
    }
}

pub fn check(name: &str, model: &Arc<Model>, o: &Options, q: &[f64], speed: f64, steps: usize) {
    let mut checker = Checker::new(model.clone(), o);
    // The norm of a load bends within a wider difference.
    (checker.eps, checker.stencil) = (1e-7, FOURTH_ORDER);
    checker.select(&coefficients(model));
    checker.run(name, q, speed, steps);
}

#[test]
fn derivatives_of_trees() {
    for (i, contact) in LAWS.into_iter().enumerate() {
        for height in [0.0, 0.3] {
            let mut rng = Rng::new(3 + i as u64);
            let mut s = ModelSpec::default();
            let kinds = [
                JointKind::Revolute,
                JointKind::Prismatic,
                JointKind::Spherical,
                JointKind::Revolute,
            ];
            for (k, kind) in kinds.into_iter().enumerate() {
                let mut body = random_body(&mut rng, k, [0, 1, 1, 3][k], kind);
                body.joints[0].limits = None;
                body.joints[0].friction_loss = 0.0;
                s.bodies.push(body);
            }
            let model = dry(s, [0.2, 0.05, height, 0.1]);
            let q = random_q(&mut rng, &model, 0.5);
            check(
                &format!("tree {contact:?}"),
                &model,
                &options(contact),
                &q,
                1.0,
                5,
            );
        }
    }
}

#[test]
fn derivatives_with_contact_and_loops() {
    for (contact, height) in LAWS.into_iter().zip([0.0, 1.0, 0.5]) {
        let leg = dry(spec(LEG), [0.2, 0.05, height, 0.1]);
        check(
            &format!("leg {contact:?}"),
            &leg,
            &options(contact),
            &[0.0, 0.0, 0.0],
            0.5,
            5,
        );
        let bars = dry(spec(FOUR_BAR), [0.2, 0.03, height, 0.1]);
        check(
            &format!("four-bar {contact:?}"),
            &bars,
            &options(contact),
            &[0.0, 0.0, 0.0],
            0.0,
            5,
        );
    }
}

#[test]
fn the_adjoint_of_a_trajectory_is_that_of_differences() {
    let model = dry(spec(FOUR_BAR), [0.2, 0.03, 0.0, 0.1]);
    let (steps, nv) = (40, model.nv());
    let mut rollout = Rollout::new(model.clone(), &options(Contact::Ncp), steps).unwrap();
    let list = coefficients(&model);
    rollout.select_params(&list).unwrap();
    let mut p = vec![0.0; list.len()];
    rollout.sim().get_params(&mut p).unwrap();
    let (mut q, mut v) = (vec![0.0; nv * (steps + 1)], vec![0.0; nv * (steps + 1)]);
    let (q0, v0) = (vec![0.0; nv], vec![0.4, -0.1, 0.2]);
    // A torque on the crank drives it through dry friction.
    let u: Vec<f64> = (0..model.nu() * steps)
        .map(|i| if i % model.nu() == 0 { 2.0 } else { 0.0 })
        .collect();
    let weights: Vec<f64> = (0..q.len()).map(|i| (1.3 * i as f64).sin()).collect();
    let mut value = |rollout: &mut Rollout, [q0, v0]: [&[f64]; 2]| -> f64 {
        (rollout.run(q0, v0, &u, steps, Some(&mut q), Some(&mut v))).unwrap();
        let at = |x: &[f64], s: f64| x.iter().zip(&weights).map(|(x, w)| s * x * w).sum::<f64>();
        at(&q, 1.0) + at(&v, 0.3)
    };
    value(&mut rollout, [&q0, &v0]);
    let v_bar: Vec<f64> = weights.iter().map(|w| 0.3 * w).collect();
    let (mut by_v, mut by_p) = (vec![0.0; nv], vec![0.0; p.len()]);
    rollout
        .adjoint(
            &weights,
            &v_bar,
            None,
            Some(&mut by_v),
            None,
            Some(&mut by_p),
        )
        .unwrap();
    assert_eq!(rollout.gradient(), Gradient::Exact);
    let h = 1e-6;
    for k in 0..p.len() {
        let ends = [h, -h].map(|h| {
            let mut moved = p.clone();
            moved[k] += h;
            rollout.sim_mut().set_params(&moved).unwrap();
            value(&mut rollout, [&q0, &v0])
        });
        let slope = (ends[0] - ends[1]) / (2.0 * h);
        let off = (by_p[k] - slope).abs();
        assert!(
            off < 1e-6 * (1.0 + slope.abs()),
            "{:?}: {} {slope}",
            list[k],
            by_p[k]
        );
    }
    rollout.sim_mut().set_params(&p).unwrap();
    // A velocity that keeps the loop closed.
    let along = [0.4, -0.1, 0.2];
    let ends = [h, -h].map(|h| {
        let moved: Vec<f64> = v0.iter().zip(along).map(|(v, a)| v + h * a).collect();
        value(&mut rollout, [&q0, &moved])
    });
    let slope = (ends[0] - ends[1]) / (2.0 * h);
    let ours: f64 = by_v.iter().zip(along).map(|(x, a)| x * a).sum();
    assert!(
        (ours - slope).abs() < 1e-6 * (1.0 + slope.abs()),
        "{ours} {slope}"
    );
}

#[test]
fn refuses_schemes_that_do_not_know_loads() {
    let model = dry(spec(PENDULUM), [0.4, 0.05, 0.0, 0.0]);
    for o in [
        Options {
            contact: Contact::None,
            ..Options::default()
        },
        Options {
            contact: Contact::Penalty,
            ..Options::default()
        },
        Options {
            integrator: Integrator::Midpoint,
            ..Options::default()
        },
    ] {
        let e = Sim::new(model.clone(), &o).unwrap_err();
        assert_eq!(e.status, diffsim::error::Status::Unsupported);
        assert!(
            e.message.contains("\"hinge\"") && e.message.contains("expected"),
            "{e}"
        );
    }
    let mut sim = Sim::new(model, &Options::default()).unwrap();
    for p in [
        param(ParamKind::JointPlacement, 0, 0),
        param(ParamKind::JointFrictionCoefficient, 0, 2),
    ] {
        sim.select_params(&[p]).unwrap_err();
    }
}
