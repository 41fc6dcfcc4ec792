//! The contact-free step: Jacobians against differences, forward against reverse mode, identities.

use crate::common::*;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{ActuatorSpec, JointKind, ModelSpec};
use diffsim::model::tendon::Transmission;
use diffsim::model::{Actuation, Model};
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim, StepJacobians};
use std::sync::Arc;

/// Every parameter of every body and joint on which the step depends.
fn all_params(model: &Model) -> Vec<Param> {
    let mut list = Vec::new();
    let mut add = |kind, index: usize, count: usize| {
        for c in 0..count {
            list.push(Param {
                kind,
                index: index as i32,
                component: c as i32,
            });
        }
    };
    for b in 1..model.nbody() {
        add(ParamKind::BodyInertia, b, 10);
        // A step refuses the wrench on a body that is welded to the world.
        if model.bodies()[b].link != usize::MAX {
            add(ParamKind::ExternalWrench, b, 6);
        }
    }
    for (j, joint) in model.joints().iter().enumerate().filter(|(_, j)| j.nv > 0) {
        add(ParamKind::JointDamping, j, joint.nv);
        add(ParamKind::JointStiffness, j, joint.nv);
        add(ParamKind::JointArmature, j, joint.nv);
        add(ParamKind::JointPlacement, j, 6);
        if !matches!(joint.kind, JointKind::Spherical | JointKind::Free) {
            add(ParamKind::JointSpringReference, j, joint.nv);
        }
    }
    add(ParamKind::Gravity, 0, 3);
    list
}

fn options() -> Options {
    Options {
        contact: Contact::None,
        time_step: 0.01,
        ..Options::default()
    }
}

fn step(sim: &mut Sim, q: &[f64], v: &[f64], u: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut qn, mut vn) = (q.to_vec(), v.to_vec());
    sim.step(q, v, u, &mut qn, &mut vn)
        .expect("the step is taken");
    (qn, vn)
}

/// Tangent of q⁺ at `base`, then v⁺.
fn outcome(sim: &mut Sim, base: &[f64], q: &[f64], v: &[f64], u: &[f64]) -> Vec<f64> {
    let (qn, vn) = step(sim, q, v, u);
    let mut d = vec![0.0; v.len()];
    sim.model().difference(base, &qn, &mut d);
    d.extend(vn);
    d
}

struct Blocks {
    /// Stacked columns of (q⁺; v⁺) by q, v, u, p.
    columns: [Vec<f64>; 4],
}

fn jacobians(sim: &mut Sim) -> Blocks {
    let (nv, nu, np) = (sim.model().nv(), sim.model().nu(), sim.np());
    let sizes = [nv, nv, nu, np];
    let mut q = sizes.map(|n| vec![f64::NAN; nv * n]);
    let mut v = q.clone();
    sim.step_jacobians(all_jacobians(&mut q, &mut v))
        .expect("the Jacobians are there");
    let columns = std::array::from_fn(|i| {
        (0..sizes[i])
            .flat_map(|k| {
                let at = k * nv..(k + 1) * nv;
                [&q[i][at.clone()], &v[i][at]].concat()
            })
            .collect()
    });
    Blocks { columns }
}

/// Random models, and how they are stepped.
fn models() -> impl Iterator<Item = (u64, Model, Options)> {
    let singles = KINDS
        .iter()
        .enumerate()
        .map(|(i, &k)| (i as u64, single_joint(i as u64, k)));
    let trees = (0..12).map(|s| (200 + s, random_tree(200 + s, 2 + (s as usize * 38) / 11)));
    let free = [900, 901].map(|seed| (seed, single_joint(seed, JointKind::Free)));
    singles.chain(trees).chain(free).map(move |(seed, model)| {
        let options = Options {
            integrator: INTEGRATORS[seed as usize % 2],
            ..options()
        };
        (seed, model, options)
    })
}

#[test]
fn jacobians_against_differences() {
    let mut worst = [0.0_f64; 4];
    for (seed, model, options) in models() {
        let mut rng = Rng::new(seed);
        let (nv, nu) = (model.nv(), model.nu());
        let mut sim = Sim::new(Arc::new(model), &options).unwrap();
        let model = sim.model().clone();
        let q = random_q(&mut rng, &model, 0.8);
        let (v, u) = (rng.vector(nv, 1.0), rng.vector(nu, 3.0));
        for b in (1..model.nbody()).step_by(3) {
            let w = rng.vector(6, 2.0);
            sim.set_external_wrench(b, w.try_into().unwrap()).unwrap();
        }
        // Differences by every parameter of a large tree take long: a random third will do.
        let mut params = all_params(&model);
        if params.len() > 120 {
            params.retain(|_| rng.below(params_stride(nv)) == 0);
        }
        sim.select_params(&params).unwrap();
        let mut p = vec![0.0; sim.np()];
        sim.get_params(&mut p).unwrap();
        // Away from zero displacement, so that its rotation vector counts.
        for (x, param) in p.iter_mut().zip(&params) {
            if param.kind == ParamKind::JointPlacement {
                *x = rng.range(-0.3, 0.3);
            }
        }
        sim.set_params_for_differences(&p).unwrap();
        let (base, _) = step(&mut sim, &q, &v, &u);
        let ours = jacobians(&mut sim);
        let fd = [
            by_q(&model, &q, |q| outcome(&mut sim, &base, q, &v, &u)),
            by_vector(&v, |v| outcome(&mut sim, &base, &q, v, &u)),
            by_vector(&u, |u| outcome(&mut sim, &base, &q, &v, u)),
            by_vector(&p, |x| {
                // Below zero a damping is refused; the step itself is smooth there.
                sim.set_params_for_differences(x).unwrap();
                outcome(&mut sim, &base, &q, &v, &u)
            }),
        ];
        for i in 0..4 {
            let e = relative_error(&ours.columns[i], &fd[i]);
            worst[i] = worst[i].max(e);
            assert!(e < 1e-7, "block {i}, seed {seed}: {e:e}");
        }
    }
    println!("largest relative differences by q, v, u, p: {worst:?}");
}

fn params_stride(nv: usize) -> usize {
    2 + nv / 8
}

#[test]
fn forward_and_reverse_mode_agree_with_the_jacobian() {
    for (seed, model, options) in models() {
        let mut rng = Rng::new(seed);
        let (nv, nu) = (model.nv(), model.nu());
        let mut sim = Sim::new(Arc::new(model), &options).unwrap();
        let q = random_q(&mut rng, &sim.model().clone(), 0.8);
        let (v, u) = (rng.vector(nv, 1.0), rng.vector(nu, 3.0));
        let params = all_params(sim.model());
        sim.select_params(&params).unwrap();
        step(&mut sim, &q, &v, &u);
        let j = jacobians(&mut sim);
        let w: [Vec<f64>; 4] = [nv, nv, nu, params.len()].map(|n| rng.vector(n, 1.0));
        let z = rng.vector(2 * nv, 1.0);
        let mut product = vec![0.0; 2 * nv];
        let mut adjoint: [Vec<f64>; 4] = [nv, nv, nu, params.len()].map(|n| vec![0.0; n]);
        for i in 0..4 {
            for (k, x) in w[i].iter().enumerate() {
                let column = &j.columns[i][2 * nv * k..2 * nv * (k + 1)];
                for (y, c) in product.iter_mut().zip(column) {
                    *y += c * x;
                }
                adjoint[i][k] = column.iter().zip(&z).map(|(c, z)| c * z).sum();
            }
        }
        let (mut dq, mut dv) = (vec![0.0; nv], vec![0.0; nv]);
        sim.step_jvp(&w[0], &w[1], &w[2], &w[3], &mut dq, &mut dv)
            .unwrap();
        assert!(
            relative_error(&[dq, dv].concat(), &product) < 1e-10,
            "jvp, seed {seed}"
        );
        let mut bars: [Vec<f64>; 4] = [nv, nv, nu, params.len()].map(|n| vec![0.0; n]);
        let [a, b, c, d] = &mut bars;
        sim.step_vjp(&z[..nv], &z[nv..], Some(a), Some(b), Some(c), Some(d))
            .unwrap();
        for i in 0..4 {
            assert!(
                relative_error(&bars[i], &adjoint[i]) < 1e-10,
                "vjp {i}, seed {seed}"
            );
        }
    }
}

/// Reported of MuJoCo (#1344): a parameter that is accepted has a derivative that is not zero.
#[test]
fn no_accepted_parameter_is_silently_without_effect() {
    let model = random_tree(7, 6);
    let mut rng = Rng::new(7);
    let (nv, nu) = (model.nv(), model.nu());
    let params: Vec<Param> = all_params(&model)
        .into_iter()
        .filter(|p| {
            // A body welded to the world takes no part, nor does placement of a free body.
            let moves = p.kind != ParamKind::BodyInertia
                || model.bodies()[p.index as usize].link != usize::MAX;
            moves && p.kind != ParamKind::JointPlacement
        })
        .collect();
    let mut sim = Sim::new(Arc::new(model), &options()).unwrap();
    sim.select_params(&params).unwrap();
    let q = random_q(&mut rng, &sim.model().clone(), 0.8);
    step(&mut sim, &q, &rng.vector(nv, 1.0), &rng.vector(nu, 1.0));
    let j = jacobians(&mut sim);
    // Nor does it feel a wrench across its chain.
    let may_be_carried =
        |p: &Param| matches!(p.kind, ParamKind::BodyInertia | ParamKind::ExternalWrench);
    for (k, p) in params.iter().enumerate() {
        let size = j.columns[3][2 * nv * k..2 * nv * (k + 1)]
            .iter()
            .fold(0.0_f64, |m, x| m.max(x.abs()));
        // A body on a prismatic chain alone does not feel its rotational inertia.
        assert!(size > 0.0 || may_be_carried(p), "{p:?} has no effect");
    }
    let friction = Param {
        kind: ParamKind::JointFriction,
        index: 0,
        component: 0,
    };
    let e = sim.select_params(&[friction]).unwrap_err();
    assert_eq!(e.status, diffsim::error::Status::Unsupported);
}

#[test]
fn a_wrench_set_as_a_parameter_is_the_external_wrench() {
    let model = Arc::new(random_tree(8, 6));
    let (nv, nu) = (model.nv(), model.nu());
    let mut rng = Rng::new(8);
    let q = random_q(&mut rng, &model, 0.8);
    let (v, u) = (rng.vector(nv, 1.0), rng.vector(nu, 1.0));
    let body = (1..model.nbody())
        .rfind(|&b| model.bodies()[b].link != usize::MAX)
        .unwrap();
    let list: Vec<Param> = (0..6)
        .map(|component| Param {
            kind: ParamKind::ExternalWrench,
            index: body as i32,
            component,
        })
        .collect();
    let wrench = [1.0, -2.0, 3.0, 0.1, 0.2, -0.3];
    let mut direct = Sim::new(model.clone(), &options()).unwrap();
    let unloaded = step(&mut direct, &q, &v, &u);
    direct.set_external_wrench(body, wrench).unwrap();
    let loaded = step(&mut direct, &q, &v, &u);
    let mut sim = Sim::new(model.clone(), &options()).unwrap();
    sim.select_params(&list).unwrap();
    sim.set_params(&wrench).unwrap();
    assert_eq!(step(&mut sim, &q, &v, &u), loaded);
    let mut p = [0.0; 6];
    direct.select_params(&list).unwrap();
    direct.get_params(&mut p).unwrap();
    assert_eq!(p, wrench);
    sim.set_params(&[0.0; 6]).unwrap();
    assert_eq!(step(&mut sim, &q, &v, &u), unloaded);
    let world = Param {
        kind: ParamKind::ExternalWrench,
        index: 0,
        component: 0,
    };
    let e = sim.select_params(&[world]).unwrap_err();
    assert_eq!(e.status, diffsim::error::Status::Unsupported);
}

/// Of one hinge with this actuator: ∂v⁺/∂u by the input, and what it is called.
fn slopes_of(actuator: ActuatorSpec) -> impl FnMut(f64) -> (f64, Gradient) {
    let mut spec = ModelSpec::default();
    let mut rng = Rng::new(3);
    spec.bodies
        .push(random_body(&mut rng, 1, 0, JointKind::Revolute));
    spec.actuators.push(actuator);
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    let mut sim = Sim::new(model, &options()).unwrap();
    move |u| {
        step(&mut sim, &[0.2], &[0.1], &[u]);
        let mut du = [f64::NAN];
        sim.step_jacobians(StepJacobians {
            dv_du: Some(&mut du),
            ..Default::default()
        })
        .unwrap();
        (du[0], sim.step_info().unwrap().gradient)
    }
}

#[test]
fn clamped_actuators_have_one_sided_slopes_and_say_so() {
    let mut slope = slopes_of(ActuatorSpec {
        gear: [2.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        gain: 3.0,
        bias: [0.1, -3.0, -0.4],
        control_range: Some((-1.0, 1.0)),
        force_range: Some((-5.0, 5.0)),
        ..ActuatorSpec::new("servo", Transmission::Joint("joint1".into()))
    });
    let (inside, exact) = slope(0.5);
    assert!(inside != 0.0 && exact == Gradient::Exact);
    assert_eq!(slope(1.0), (inside, Gradient::OneSided));
    assert_eq!(slope(1.5), (0.0, Gradient::Exact));
}

/// Any input does nothing, and the slope at zero was that of a motor without bounds.
#[test]
fn motors_without_strength_have_no_slope() {
    let mut slope = slopes_of(ActuatorSpec {
        gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        force_range: Some((0.0, 0.0)),
        ..ActuatorSpec::new("motor", Transmission::Joint("joint1".into()))
    });
    for u in [0.0, 0.3] {
        assert_eq!(slope(u), (0.0, Gradient::Exact));
    }
}

#[test]
fn energy_error_of_an_undamped_pendulum_is_first_order() {
    let mut spec = ModelSpec::default();
    let mut rng = Rng::new(11);
    let mut body = random_body(&mut rng, 1, 0, JointKind::Universal);
    let j = &mut body.joints[0];
    (j.damping, j.stiffness, j.armature) = (0.0, 0.0, 0.0);
    spec.bodies.push(body);
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    drift_shrinks_with_the_step(model, &[0.3, -0.2], |_| vec![0.5, 1.0]);
}

#[test]
fn energy_error_of_a_tumbling_body_is_first_order() {
    let mut spec = ModelSpec::default();
    let mut rng = Rng::new(12);
    let mut body = random_body(&mut rng, 1, 0, JointKind::Free);
    let j = &mut body.joints[0];
    (j.damping, j.stiffness, j.armature) = (0.0, 0.0, 0.0);
    spec.bodies.push(body);
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    let q = model.neutral().to_vec();
    drift_shrinks_with_the_step(model, &q, |_| vec![0.3, -0.1, 0.4, 1.0, 2.0, -1.5]);
}

fn drift_shrinks_with_the_step(model: Arc<Model>, q0: &[f64], v0: impl Fn(usize) -> Vec<f64>) {
    let drift = |h: f64| {
        let options = Options {
            contact: Contact::None,
            time_step: h,
            derivatives: false,
            ..Options::default()
        };
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        let (mut q, mut v) = (q0.to_vec(), v0(0));
        let total = |sim: &mut Sim, q: &[f64], v: &[f64]| {
            let (k, p) = sim.energy(q, v).unwrap();
            k + p
        };
        let start = total(&mut sim, &q, &v);
        for _ in 0..(1.0 / h).round() as usize {
            (q, v) = step(&mut sim, &q, &v, &[]);
        }
        (total(&mut sim, &q, &v) - start).abs()
    };
    let (coarse, fine) = (drift(1e-3), drift(2.5e-4));
    let order = (coarse / fine).log2() / 2.0;
    assert!(
        (0.8..1.3).contains(&order),
        "order {order}, drifts {coarse:e} {fine:e}"
    );
}

/// The impulses of a step on a floating tree add up to nothing: what its root would have to carry,
/// the rate of change of its momentum, is zero. (Momentum itself, evaluated at the moved
/// configuration, is kept to the order of the integrator.)
#[test]
fn momentum_of_a_floating_tree_is_conserved() {
    let mut rng = Rng::new(21);
    let mut spec = ModelSpec {
        gravity: diffsim::spatial::Vec3::ZERO,
        ..ModelSpec::default()
    };
    let kinds = [
        JointKind::Free,
        JointKind::Revolute,
        JointKind::Spherical,
        JointKind::Prismatic,
        JointKind::Universal,
    ];
    for (i, kind) in kinds.into_iter().enumerate() {
        let mut b = random_body(&mut rng, i + 1, i.div_ceil(2), kind);
        if kind == JointKind::Free {
            (b.joints[0].damping, b.joints[0].stiffness) = (0.0, 0.0);
        }
        b.joints[0].armature = 0.0;
        spec.bodies.push(b);
    }
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    let nv = model.nv();
    let drift = |integrator: Integrator, h: f64| {
        let options = Options {
            contact: Contact::None,
            time_step: h,
            integrator,
            ..Options::default()
        };
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        let mut rng = Rng::new(22);
        let (mut q, mut v) = (random_q(&mut rng, &model, 0.5), rng.vector(nv, 1.0));
        let start = sim.momentum(&q, &v, [0.0; 3]).unwrap();
        for _ in 0..(0.1 / h).round() as usize {
            let (qn, vn) = step(&mut sim, &q, &v, &[]);
            // In world axes the couple of the discrete Euler equations is in the balance, too, and the centre
            // of mass of the root goes on with its velocity: only the drift is left.
            if integrator == Integrator::SymplecticEuler {
                let a: Vec<f64> = vn.iter().zip(&v).map(|(x, y)| (x - y) / h).collect();
                let mut tau = vec![0.0; nv];
                sim.inverse_dynamics(&q, &v, &a, &mut tau).unwrap();
                assert!(
                    tau[..6].iter().all(|t| (h * t).abs() < 1e-12),
                    "{:?}",
                    &tau[..6]
                );
            }
            (q, v) = (qn, vn);
        }
        let end = sim.momentum(&q, &v, [0.0; 3]).unwrap();
        (0..6)
            .map(|k| (end[k] - start[k]).abs())
            .fold(0.0, f64::max)
    };
    for integrator in INTEGRATORS {
        let (coarse, fine) = (drift(integrator, 1e-3), drift(integrator, 2.5e-4));
        println!(
            "{integrator:?}: momentum drift over 0.1 s: {coarse:e} at 1 ms, {fine:e} at 0.25 ms"
        );
        assert!(fine < 0.3 * coarse);
    }
}

#[test]
fn derivatives_change_no_bit_of_the_step() {
    let model = Arc::new(random_tree(31, 12));
    let (nv, nu) = (model.nv(), model.nu());
    let mut rng = Rng::new(31);
    let q = random_q(&mut rng, &model, 0.5);
    let (v, u) = (rng.vector(nv, 1.0), rng.vector(nu, 1.0));
    let run = |derivatives: bool, ask: bool| {
        let mut sim = Sim::new(
            model.clone(),
            &Options {
                contact: Contact::None,
                derivatives,
                ..options()
            },
        )
        .unwrap();
        let (mut q, mut v) = (q.clone(), v.clone());
        for _ in 0..20 {
            (q, v) = step(&mut sim, &q, &v, &u);
            if ask {
                jacobians(&mut sim);
                let (mut a, mut b) = (vec![0.0; nv], vec![0.0; nv]);
                sim.step_vjp(&v, &v, Some(&mut a), Some(&mut b), None, None)
                    .unwrap();
            }
        }
        (q, v)
    };
    let plain = run(false, false);
    assert_eq!(plain, run(true, false));
    assert_eq!(plain, run(true, true));
}
