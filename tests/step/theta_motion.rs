//! The θ-method, implicit Euler and midpoint: order, momentum and energy, stiffness, stages that are not
//! solved.

use crate::common::checker::quadruped_spec;
use crate::common::scene::*;
use crate::common::*;
use diffsim::error::Status;
use diffsim::model::spec::{JointKind, JointSpec, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim};
use std::sync::Arc;

const SCHEMES: [Integrator; 2] = [Integrator::ImplicitEuler, Integrator::Midpoint];

fn with(integrator: Integrator, contact: Contact, h: f64) -> Options {
    Options {
        integrator,
        contact,
        time_step: h,
        ..Options::default()
    }
}

/// Where a run of this length leads.
fn led(model: &Arc<Model>, options: &Options, q: &[f64], v: &[f64], time: f64) -> [Vec<f64>; 2] {
    let mut sim = Sim::new(model.clone(), options).unwrap();
    let (mut q, mut v) = (q.to_vec(), v.to_vec());
    let u = vec![0.0; model.nu()];
    for _ in 0..(time / options.time_step).round() as usize {
        let (q0, v0) = (q.clone(), v.clone());
        sim.step(&q0, &v0, &u, &mut q, &mut v).unwrap();
    }
    [q, v]
}

/// Five links in space with springs and dampers.
fn chain() -> ModelSpec {
    let mut rng = Rng::new(5);
    let mut spec = ModelSpec::default();
    let kinds = [
        JointKind::Universal,
        JointKind::Revolute,
        JointKind::Spherical,
        JointKind::Revolute,
        JointKind::Universal,
    ];
    for (i, kind) in kinds.into_iter().enumerate() {
        let mut b = random_body(&mut rng, i + 1, i, kind);
        (b.joints[0].stiffness, b.joints[0].damping) = (3.0, 0.05);
        spec.bodies.push(b);
    }
    spec
}

#[test]
fn orders_of_convergence() {
    let bodies = [
        Model::compile(chain(), Actuation::Full).unwrap(),
        single_joint(7, JointKind::Free),
        single_joint(8, JointKind::Planar),
    ];
    for model in bodies.map(Arc::new) {
        let mut rng = Rng::new(2);
        let (q, v) = (random_q(&mut rng, &model, 0.4), rng.vector(model.nv(), 2.0));
        let fine = with(Integrator::Midpoint, Contact::None, 0.02 / 64.0);
        let reference = led(&model, &fine, &q, &v, 0.2);
        for (scheme, order) in SCHEMES.into_iter().zip([1.0, 2.0]) {
            let errors = [0.02, 0.01, 0.005].map(|h| {
                let [q, v] = led(&model, &with(scheme, Contact::None, h), &q, &v, 0.2);
                let mut d = vec![0.0; model.nv()];
                model.difference(&reference[0], &q, &mut d);
                d.extend(v.iter().zip(&reference[1]).map(|(a, b)| a - b));
                d.iter().fold(0.0_f64, |m, x| m.max(x.abs()))
            });
            let orders = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
            println!("{scheme:?}, {} dofs: {errors:?} {orders:.2?}", model.nv());
            assert!((orders[1] - order).abs() < 0.15, "{scheme:?} {orders:?}");
        }
    }
}

/// Of a free body the midpoint rule keeps momentum, energy and the size of the angular momentum.
#[test]
fn a_free_body_keeps_its_momentum() {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    free(
        &mut spec,
        "body",
        at(0.0, 0.0, 1.0),
        2.0,
        cuboid(0.1, 0.2, 0.3),
    );
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    let options = with(Integrator::Midpoint, Contact::None, 0.02);
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    let (q, v) = (
        model.neutral().to_vec(),
        vec![1.0, -2.0, 0.5, 3.0, 0.2, -1.0],
    );
    let [q1, v1] = led(&model, &options, &q, &v, 4.0);
    let mut facts = |q: &[f64], v: &[f64]| {
        let center = [q[0], q[1], q[2]];
        let m = sim.momentum(q, v, center).unwrap();
        let torsion = m[3..].iter().map(|x| x * x).sum::<f64>();
        vec![m[0], m[1], m[2], torsion, sim.energy(q, v).unwrap().0]
    };
    let error = relative_error(&facts(&q1, &v1), &facts(&q, &v));
    assert!(error < 1e-12, "{error:e}");
}

const RADIUS: f64 = 0.05;
const MASS: f64 = 0.5;

/// A ball on a compliant ground, pulled by a spring along x.
fn rolling(friction: f64, stiffness: f64) -> Arc<Model> {
    let mut spec = ModelSpec::default();
    ground(&mut spec, friction);
    let id = body(
        &mut spec,
        "ball",
        JointKind::Prismatic,
        at(0.0, 0.0, RADIUS - MASS * 9.81 / 1e4),
        MASS,
        ball(RADIUS),
    );
    let axes = [
        (JointKind::Prismatic, Vec3::X, stiffness),
        (JointKind::Prismatic, Vec3::Z, 0.0),
        (JointKind::Revolute, Vec3::Y, 0.0),
    ];
    spec.bodies[id].joints = axes
        .map(|(kind, axis, stiffness)| {
            let mut j = JointSpec::new(format!("{axis:?}"), kind);
            (j.axis, j.stiffness) = (axis, stiffness);
            j
        })
        .to_vec();
    for g in &mut spec.geoms {
        g.dissipation = 0.01;
    }
    if let Some(g) = spec.geoms.last_mut() {
        g.stiffness = 1e4;
    }
    Arc::new(Model::compile(spec, Actuation::Full).unwrap())
}

#[test]
fn a_ball_that_rolls_is_followed_at_second_order() {
    for friction in [0.0, 1.0] {
        let model = rolling(friction, 100.0);
        let errors = [0.02, 0.01, 0.005, 0.0025].map(|h| {
            let options = with(Integrator::Midpoint, Contact::Convex, h);
            let mut sim = Sim::new(model.clone(), &options).unwrap();
            let (mut q, mut v) = (vec![0.1, 0.0, 0.0], vec![0.0; 3]);
            sim.step(&q, &v, &[0.0; 3], &mut q.clone(), &mut v.clone())
                .unwrap();
            // It rolls about the contact's point, which is nearer to the centre than the radius by the depth.
            let lever = RADIUS - MASS * 9.81 / 1e4 - sim.contacts()[0].point[2];
            let torsion = 0.4 * MASS * (RADIUS / lever).powi(2);
            let inertia = MASS + if friction > 0.0 { torsion } else { 0.0 };
            let rate = (100.0 / inertia).sqrt();
            let mut worst = 0.0_f64;
            for k in 1..=(0.4 / h).round() as usize {
                let (q0, v0) = (q.clone(), v.clone());
                sim.step(&q0, &v0, &[0.0; 3], &mut q, &mut v).unwrap();
                worst = worst.max((q[0] - 0.1 * (rate * k as f64 * h).cos()).abs());
            }
            worst
        });
        let ratios = [0, 1, 2].map(|k| errors[k] / errors[k + 1]);
        println!("friction {friction}: {errors:?}, {ratios:.2?}");
        assert!(ratios.iter().all(|r| (r - 4.0).abs() < 0.3), "{ratios:?}");
    }
}

/// Of the ball without friction, smallest and largest over 10 s relative to the first. A joint's spring is
/// taken implicitly by every integrator; as an input it is where the step begins.
fn energies(integrator: Integrator) -> [f64; 2] {
    let by_input = integrator == Integrator::SymplecticEuler;
    let model = rolling(0.0, if by_input { 0.0 } else { 100.0 });
    let mut sim = Sim::new(model.clone(), &with(integrator, Contact::Convex, 0.01)).unwrap();
    let (mut q, mut v) = (vec![0.1, 0.0, 0.0], vec![0.0; 3]);
    let first = 0.5 * 100.0 * 0.1 * 0.1;
    let mut band = [f64::INFINITY, 0.0];
    for _ in 0..1000 {
        let (q0, v0) = (q.clone(), v.clone());
        let pull = if by_input { -100.0 * q[0] } else { 0.0 };
        sim.step(&q0, &v0, &[pull, 0.0, 0.0], &mut q, &mut v)
            .unwrap();
        let energy = 0.5 * (100.0 * q[0] * q[0] + MASS * (v[0] * v[0] + v[1] * v[1]));
        band = [band[0].min(energy / first), band[1].max(energy / first)];
    }
    band
}

#[test]
fn energy_stays_in_a_band_or_where_it_is() {
    let band = energies(Integrator::SymplecticEuler);
    assert!(band[0] > 0.8 && band[1] < 1.2, "{band:?}");
    let band = energies(Integrator::Midpoint);
    assert!(band.iter().all(|e| (e - 1.0).abs() < 1e-6), "{band:?}");
    let band = energies(Integrator::ImplicitEuler);
    assert!(band[0] < 1e-3 && band[1] < 1.0, "{band:?}");
}

#[test]
fn stiff_joints_in_contact_stay_calm() {
    let mut spec = quadruped_spec(false);
    for b in &mut spec.bodies {
        for j in b
            .joints
            .iter_mut()
            .filter(|j| j.kind == JointKind::Revolute)
        {
            (j.stiffness, j.damping, j.limits) = (1e8, 1e3, None);
        }
    }
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    for contact in LAWS {
        let options = with(Integrator::ImplicitEuler, contact, 0.01);
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        let mut q = model.neutral().to_vec();
        q[2] += 0.1;
        let mut v = vec![0.0; model.nv()];
        let total = |sim: &mut Sim, q: &[f64], v: &[f64]| {
            let (kinetic, potential) = sim.energy(q, v).unwrap();
            kinetic + potential
        };
        let most = total(&mut sim, &q, &v);
        for _ in 0..150 {
            let (q0, v0) = (q.clone(), v.clone());
            sim.step(&q0, &v0, &[], &mut q, &mut v).unwrap();
            assert!(sim.step_info().unwrap().converged, "{contact:?}");
            let energy = total(&mut sim, &q, &v);
            assert!(energy < most, "{contact:?} {energy}");
        }
        let bend = q[7..].iter().zip(&model.neutral()[7..]);
        assert!(
            bend.clone().all(|(a, b)| (a - b).abs() < 1e-5),
            "{contact:?}"
        );
        assert!(v.iter().all(|v| v.abs() < 0.3), "{contact:?} {v:?}");
    }
}

/// A stage that is not solved refuses the derivative, or the step where that is asked for.
#[test]
fn a_stage_that_is_not_solved_says_so() {
    let model = Arc::new(Model::compile(chain(), Actuation::Full).unwrap());
    let mut rng = Rng::new(2);
    let (q, v) = (
        random_q(&mut rng, &model, 0.8),
        rng.vector(model.nv(), 30.0),
    );
    let u = vec![0.0; model.nu()];
    let hasty = |require_convergence| Options {
        max_newton: 1,
        require_convergence,
        ..with(Integrator::Midpoint, Contact::Ncp, 0.05)
    };
    let (mut qn, mut vn) = (q.clone(), v.clone());
    let mut sim = Sim::new(model.clone(), &hasty(false)).unwrap();
    sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
    let info = sim.step_info().unwrap();
    assert!(!info.converged && info.gradient == Gradient::Refused && info.residual > 1e-9);
    let z = vec![0.0; model.nv()];
    let e = sim.step_vjp(&z, &z, None, None, None, None).unwrap_err();
    assert_eq!(e.status, Status::NotConverged);
    let mut sim = Sim::new(model.clone(), &hasty(true)).unwrap();
    let e = sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap_err();
    assert_eq!(e.status, Status::NotConverged);
}

/// Penalty forces belong to the stage; nothing is left for impulses.
#[test]
fn derivatives_with_penalty_contact() {
    let spec = on_ground(0.5, 0.05 - 1e-4, 2.0, ball(0.05));
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    for scheme in SCHEMES {
        let mut sim = Sim::new(model.clone(), &with(scheme, Contact::Penalty, 2e-3)).unwrap();
        let (q, mut rng) = (model.neutral().to_vec(), Rng::new(8));
        let [mut v, u, dq, dv, du] = [0.3, 1.0, 0.01, 1.0, 1.0].map(|s| rng.vector(6, s));
        v[2] = -0.2;
        let at = |sim: &mut Sim, e: f64| {
            let moved = |x: &[f64], d: &[f64]| -> Vec<f64> {
                x.iter().zip(d).map(|(x, d)| x + e * d).collect()
            };
            let (mut from, mut qn, mut vn) = (q.clone(), q.clone(), v.clone());
            model.integrate(&q, &moved(&[0.0; 6], &dq), &mut from);
            let (v, u) = (moved(&v, &dv), moved(&u, &du));
            sim.step(&from, &v, &u, &mut qn, &mut vn).unwrap();
            let mut x = vec![0.0; 6];
            model.difference(&q, &qn, &mut x);
            (qn, [x, vn].concat())
        };
        let fd = difference(1e-5, |e| at(&mut sim, e).1);
        let (end, _) = at(&mut sim, 0.0);
        assert!(sim.contacts().iter().any(|c| c.impulse[2] > 0.0));
        let (mut to_q, mut to_v) = (vec![0.0; 6], vec![0.0; 6]);
        sim.step_jvp(&dq, &dv, &du, &[], &mut to_q, &mut to_v)
            .unwrap();
        // The tangent at the end, seen from the beginning.
        let (mut there, mut seen) = (end.clone(), vec![0.0; 6]);
        let along = difference(1e-5, |e| {
            let w: Vec<f64> = to_q.iter().map(|x| e * x).collect();
            model.integrate(&end, &w, &mut there);
            model.difference(&q, &there, &mut seen);
            seen.clone()
        });
        let error = relative_error(&[along, to_v].concat(), &fd);
        assert!(error < 1e-8, "{scheme:?} {error:e}");
    }
}
