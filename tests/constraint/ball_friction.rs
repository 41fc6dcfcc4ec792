//! Friction of spherical joints by the loads that they carry: closed forms, directions, derivatives,
//! refusals.

use super::load_friction::{LAWS, check, coefficients, dry, options, spec};
use crate::common::*;
use diffsim::error::Status;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{JointKind, JointSpec, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::spatial::{Quat, Vec3};
use diffsim::step::{Contact, Gradient, Options, Sim};
use std::sync::Arc;

/// A mass of 2 kg that hangs 0.5 m below a ball, with a moment of inertia of 0.3 kg m² about its centre.
const PENDULUM: &str = "<mujoco><worldbody><body><joint name=\"ball\" type=\"ball\"/>\
    <inertial mass=\"2\" pos=\"0 0 -0.5\" diaginertia=\"0.3 0.3 0.3\"/></body></worldbody></mujoco>";

/// A foot on two balls and a slide, with friction on the ground.
const LEG: &str = "<mujoco><worldbody><geom type=\"plane\" size=\"5 5 1\"/>\
    <body pos=\"0 0 0.9\"><joint name=\"slide\" type=\"slide\" axis=\"0 0 1\"/><geom type=\"sphere\" size=\"0.1\" mass=\"3\" contype=\"0\" conaffinity=\"0\"/>\
    <body><joint name=\"hip\" type=\"ball\"/><geom type=\"capsule\" fromto=\"0 0 0 0.1 0.02 -0.4\" size=\"0.03\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/>\
    <body pos=\"0.1 0.02 -0.4\"><joint name=\"knee\" type=\"ball\"/><geom type=\"capsule\" fromto=\"0 0 0 -0.1 0 -0.4\" size=\"0.03\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/>\
    <geom type=\"sphere\" pos=\"-0.1 0 -0.45\" size=\"0.05\" mass=\"0.5\"/></body></body></body></worldbody></mujoco>";

/// A bar between two balls of which one closes a loop, and a hinge.
const LOOP: &str = "<mujoco><worldbody>\
    <body><joint name=\"crank\" axis=\"0 1 0\"/><geom type=\"capsule\" fromto=\"0 0 0 0 0 0.3\" size=\"0.02\" mass=\"0.5\" contype=\"0\" conaffinity=\"0\"/>\
    <body name=\"coupler\" pos=\"0 0 0.3\"><joint name=\"coupler\" type=\"ball\"/><geom type=\"capsule\" fromto=\"0 0 0 0.7 0 0.2\" size=\"0.02\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/></body></body>\
    <body name=\"rocker\" pos=\"0.8 0 0\"><joint name=\"rocker\" type=\"ball\"/><geom type=\"capsule\" fromto=\"0 0 0 -0.1 0 0.5\" size=\"0.02\" mass=\"0.8\" contype=\"0\" conaffinity=\"0\"/></body>\
    </worldbody><equality><connect body1=\"rocker\" body2=\"coupler\" anchor=\"-0.1 0 0.5\"/></equality></mujoco>";

#[test]
fn a_ball_holds_up_to_its_cone_in_every_direction() {
    let (mu, r, m, l, g, h) = (0.4, 0.05, 2.0, 0.5, 9.81, 1e-3);
    let about = 0.3 + m * l * l;
    let holds = mu * r * m * g;
    for contact in [Contact::Ncp, Contact::Lcp] {
        let mut sim = Sim::new(dry(spec(PENDULUM), [mu, r, 0.0, 0.0]), &options(contact)).unwrap();
        let rest = sim.model().neutral().to_vec();
        let (mut q, mut v) = (rest.clone(), vec![0.0; 3]);
        for i in 0..24 {
            let (sin, cos) = (0.3 + i as f64 * std::f64::consts::TAU / 24.0).sin_cos();
            for (share, moves) in [(0.999, false), (1.001, true), (1.5, true), (4.0, true)] {
                let u = [share * holds * cos, share * holds * sin, 0.0];
                sim.step(&rest, &[0.0; 3], &u, &mut q, &mut v).unwrap();
                let info = sim.step_info().unwrap();
                assert!(info.converged && info.residual < 1e-12, "{info:?}");
                if !moves {
                    assert_eq!((&q, &v), (&rest, &vec![0.0; 3]));
                    continue;
                }
                // I a = |u| − μ r √((m g)² + (m l a)²)
                let (u, c) = (share * holds, (mu * r).powi(2));
                let (a2, a1) = (about.powi(2) - c * (m * l).powi(2), about * u);
                let a0 = u * u - c * (m * g).powi(2);
                let a = (a1 - (a1 * a1 - a2 * a0).sqrt()) / a2;
                for (v, part) in v.iter().zip([cos, sin, 0.0]) {
                    assert!((v / h - a * part).abs() < 1e-8 * a, "{v:?} {a}");
                }
            }
        }
    }
}

#[test]
fn a_spinning_ball_stops_when_its_moment_has_stopped_it() {
    let (mu, r, m, g, h) = (0.4, 0.05, 2.0, 9.81, 1e-3);
    let mut sim = Sim::new(
        dry(spec(PENDULUM), [mu, r, 0.0, 0.0]),
        &options(Contact::Ncp),
    )
    .unwrap();
    let (mut q, mut v) = (sim.model().neutral().to_vec(), vec![0.0, 0.0, 0.5]);
    for step in 1..500 {
        let (from, speed) = (q.clone(), v.clone());
        sim.step(&from, &speed, &[0.0; 3], &mut q, &mut v).unwrap();
        let left = (0.5 - step as f64 * h * mu * r * m * g / 0.3).max(0.0);
        assert!((v[2] - left).abs() < 1e-12 && v[0] == 0.0 && v[1] == 0.0);
    }
    assert_eq!(v, [0.0; 3]);
}

/// The moment that the equations of motion of a body on a ball are short of, and the force on the ball.
fn balance(body: &ModelSpec, from: (&[f64], &[f64]), v_end: &[f64], h: f64) -> (Vec3, Vec3) {
    let inertia = body.bodies[1].inertia;
    let placed = &body.bodies[1].placement.rot;
    let q = Quat::from_slice(from.0).to_mat3();
    let up = placed.mul_mat(&q).tr_mul_vec(body.gravity);
    let (w, end) = (Vec3::from_slice(from.1), Vec3::from_slice(v_end));
    let a = (end - w) * (1.0 / h);
    let (m, first) = (inertia.mass, inertia.h);
    let turned = inertia.i.mul_vec(a) + w.cross(inertia.i.mul_vec(w));
    let moment = turned - first.cross(up);
    let force = a.cross(first) + w.cross(w.cross(first)) - up * m;
    (moment, force)
}

#[test]
fn the_moment_of_a_body_at_random_is_against_its_velocity() {
    let (mu, r, h) = (0.3, 0.2, 1e-3);
    let (mut held, mut slipping) = (0, 0);
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let mut s = ModelSpec::default();
        let mut body = random_body(&mut rng, 1, 0, JointKind::Spherical);
        let j = &mut body.joints[0];
        (j.damping, j.stiffness, j.armature, j.friction_loss) = (0.0, 0.0, 0.0, 0.0);
        (j.limits, j.anchor) = (None, Vec3::ZERO);
        s.bodies.push(body);
        let model = dry(s.clone(), [mu, r, 0.0, 0.0]);
        let mut sim = Sim::new(model.clone(), &in_body(options(Contact::Ncp))).unwrap();
        let q = random_q(&mut rng, &model, 1.0);
        // From at rest to fast, with velocities that friction takes a part or all of in the step.
        let speed = [0.0, 1e-4, 1e-2, 3.0][seed as usize % 4];
        let v = rng.vector(3, speed);
        let u = rng.vector(3, 1.0);
        let (mut q_end, mut v_end) = (q.clone(), v.clone());
        sim.step(&q, &v, &u, &mut q_end, &mut v_end).unwrap();
        let info = sim.step_info().unwrap();
        assert!(info.converged && info.residual < 1e-12, "{seed}: {info:?}");
        let (moment, force) = balance(&s, (&q, &v), &v_end, h);
        let friction = moment - Vec3::from_slice(&u);
        let most = mu * r * force.norm();
        let end = Vec3::from_slice(&v_end);
        if end.norm() < 1e-13 {
            held += 1;
            assert!(friction.norm() < most * (1.0 + 1e-9), "{seed}");
            continue;
        }
        slipping += 1;
        let off = friction + end * (most / end.norm());
        assert!(
            off.norm() < 1e-9 * most,
            "{seed}: {friction:?} {end:?} {most}"
        );
    }
    assert!(held > 20 && slipping > 200, "{held} {slipping}");
}

#[test]
fn derivatives_of_trees_of_balls() {
    for (i, contact) in LAWS.into_iter().enumerate() {
        for speed in [0.0, 1.0] {
            let mut rng = Rng::new(23 + i as u64);
            let mut s = ModelSpec::default();
            let kinds = [
                JointKind::Spherical,
                JointKind::Prismatic,
                JointKind::Spherical,
                JointKind::Revolute,
                JointKind::Spherical,
            ];
            for (k, kind) in kinds.into_iter().enumerate() {
                let mut body = random_body(&mut rng, k, [0, 1, 1, 3, 4][k], kind);
                body.joints[0].limits = None;
                body.joints[0].friction_loss = 0.0;
                s.bodies.push(body);
            }
            let model = dry(s, [0.4, 0.1, 0.3, 0.1]);
            let q = random_q(&mut rng, &model, 0.5);
            let name = format!("balls {contact:?} {speed}");
            check(&name, &model, &options(contact), &q, speed, 10);
        }
    }
}

#[test]
fn derivatives_with_contact_and_loops_of_balls() {
    for contact in LAWS {
        for (name, text, speed) in [("leg", LEG, 0.5), ("loop", LOOP, 0.0)] {
            let model = dry(spec(text), [0.2, 0.05, 0.0, 0.1]);
            let q = model.neutral().to_vec();
            let name = format!("{name} of balls {contact:?}");
            check(&name, &model, &options(contact), &q, speed, 8);
        }
    }
}

#[test]
fn the_adjoint_of_a_trajectory_of_balls_is_that_of_differences() {
    let model = dry(spec(LOOP), [0.2, 0.03, 0.0, 0.1]);
    let (steps, nq, nv) = (50, model.nq(), model.nv());
    let mut rollout = Rollout::new(model.clone(), &options(Contact::Ncp), steps).unwrap();
    let list = coefficients(&model);
    rollout.select_params(&list).unwrap();
    let mut p = vec![0.0; list.len()];
    rollout.sim().get_params(&mut p).unwrap();
    let (mut q, mut v) = (vec![0.0; nq * (steps + 1)], vec![0.0; nv * (steps + 1)]);
    let (q0, v0) = (model.neutral().to_vec(), vec![0.0; nv]);
    let u: Vec<f64> = (0..model.nu() * steps)
        .map(|i| if i % model.nu() == 0 { 2.0 } else { 0.0 })
        .collect();
    let weights: Vec<f64> = (0..v.len()).map(|i| (1.3 * i as f64).sin()).collect();
    let mut value = |rollout: &mut Rollout| -> f64 {
        (rollout.run(&q0, &v0, &u, steps, Some(&mut q), Some(&mut v))).unwrap();
        v.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>()
    };
    value(&mut rollout);
    let mut by_p = vec![0.0; p.len()];
    let q_bar = vec![0.0; nv * (steps + 1)];
    (rollout.adjoint(&q_bar, &weights, None, None, None, Some(&mut by_p))).unwrap();
    assert_eq!(rollout.gradient(), Gradient::Exact);
    let h = 1e-4;
    for k in 0..p.len() {
        let mut at = |h: f64| {
            let mut moved = p.clone();
            moved[k] += h;
            rollout.sim_mut().set_params(&moved).unwrap();
            value(&mut rollout)
        };
        let [wide, half] = [h, 0.5 * h].map(|h| (at(h) - at(-h)) / (2.0 * h));
        let slope = (4.0 * half - wide) / 3.0;
        let off = (by_p[k] - slope).abs();
        let what = &list[k];
        assert!(
            off < 1e-6 * (1.0 + slope.abs()),
            "{what:?}: {} {slope}",
            by_p[k]
        );
    }
}

#[test]
fn the_edge_of_the_ball_is_one_sided() {
    let (mu, r) = (0.4, 0.05);
    let model = dry(spec(PENDULUM), [mu, r, 0.0, 0.0]);
    let mut sim = Sim::new(model, &options(Contact::Ncp)).unwrap();
    let (mut q, mut v) = (sim.model().neutral().to_vec(), vec![0.0; 3]);
    let from = q.clone();
    for (share, gradient) in [
        (0.5, Gradient::Exact),
        (1.0, Gradient::OneSided),
        (1.5, Gradient::Exact),
    ] {
        let most = share * mu * r * 2.0 * 9.81;
        sim.step(
            &from,
            &[0.0; 3],
            &[0.6 * most, 0.8 * most, 0.0],
            &mut q,
            &mut v,
        )
        .unwrap();
        let mut j = [0.0; 3];
        sim.step_jvp(&[], &[], &[1.0, 0.0, 0.0], &[], &mut j, &mut [0.0; 3])
            .unwrap();
        assert_eq!(sim.step_info().unwrap().gradient, gradient, "{share}");
        assert!(share == 1.0 || (j == [0.0; 3]) == (share == 0.5));
    }
}

#[test]
fn refuses_what_a_ball_does_not_have() {
    let build = |change: fn(&mut JointSpec)| {
        let mut s = spec(PENDULUM);
        let j = &mut s.bodies[1].joints[0];
        (j.friction_coefficient, j.friction_radius) = (0.3, 0.1);
        change(j);
        Model::compile(s, Actuation::Full)
    };
    type Change = fn(&mut JointSpec);
    build(|_| {}).unwrap();
    let bad: [(Status, &str, Change); 4] = [
        (Status::InvalidArgument, "friction radius", |j| {
            j.friction_radius = 0.0;
        }),
        (Status::InvalidArgument, "friction radius", |j| {
            j.friction_radius = f64::NAN;
        }),
        (Status::Unsupported, "friction height", |j| {
            j.friction_height = 0.1;
        }),
        (Status::Unsupported, "friction loss", |j| {
            j.friction_loss = 0.1;
        }),
    ];
    for (status, words, change) in bad {
        let e = build(change).unwrap_err();
        assert!(
            e.status == status && e.message.contains(words) && e.message.contains("ball"),
            "{e}"
        );
    }
    let model = Arc::new(build(|_| {}).unwrap());
    Sim::new(
        model.clone(),
        &Options {
            contact: Contact::None,
            ..Options::default()
        },
    )
    .unwrap_err();
    let mut sim = Sim::new(model, &Options::default()).unwrap();
    sim.select_params(&[param(ParamKind::JointFriction, 0, 0)])
        .unwrap_err();
    sim.select_params(&[param(ParamKind::JointFrictionCoefficient, 0, 1)])
        .unwrap();
}
