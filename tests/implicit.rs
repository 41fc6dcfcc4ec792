//! Implicit formulas: order, energy and momentum, derivatives of steps and trajectories, options, no heap.

mod common;

use common::{
    KINDS, Rng, all_jacobians, by_q, by_vector, param, random_q, random_tree, relative_error,
    single_joint,
};
use diffsim::model::Model;
use diffsim::model::params::{Param, ParamKind};
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim};
use std::sync::Arc;

const ONE_STEP: [Integrator; 2] = [Integrator::Bdf1, Integrator::Sdirk2];

fn options(integrator: Integrator, h: f64) -> Options {
    Options {
        time_step: h,
        integrator,
        contact: Contact::None,
        ..Options::default()
    }
}

/// All that a step without contact depends on, of every body and joint in turn.
fn parameters(model: &Model) -> Vec<Param> {
    let mut list = vec![param(ParamKind::Gravity, 0, 1)];
    for b in 1..model.nbody() {
        list.push(param(ParamKind::BodyInertia, b, b % 10));
        if model.bodies()[b].link != usize::MAX {
            list.push(param(ParamKind::ExternalWrench, b, b % 6));
        }
    }
    for j in 0..model.njoint() {
        if model.joint(j).nv == 0 {
            continue;
        }
        for kind in [
            ParamKind::JointDamping,
            ParamKind::JointStiffness,
            ParamKind::JointArmature,
        ] {
            list.push(param(kind, j, j % model.joint(j).nv));
        }
        list.push(param(ParamKind::JointPlacement, j, j % 6));
        let p = param(ParamKind::JointSpringReference, j, 0);
        if model.check_param(&p).is_ok() {
            list.push(p);
        }
    }
    list
}

/// Where a step leads: the tangent from `base`, and the velocity.
fn step(sim: &mut Sim, base: &[f64], q: &[f64], v: &[f64], u: &[f64]) -> Vec<f64> {
    let (mut qn, mut vn) = (q.to_vec(), v.to_vec());
    sim.step(q, v, u, &mut qn, &mut vn).unwrap();
    let info = sim.step_info().unwrap();
    assert!(info.converged, "{info:?}");
    let mut x = vec![0.0; v.len()];
    sim.model().difference(base, &qn, &mut x);
    [x, vn].concat()
}

/// The largest errors of the Jacobians against differences, and of directions and adjoints against the Jacobians.
fn check_step(sim: &mut Sim, q: &[f64], v: &[f64], u: &[f64], list: &[Param]) -> [f64; 2] {
    let model = sim.model().clone();
    let (nv, nu) = (model.nv(), model.nu());
    sim.select_params(list).unwrap();
    let np = list.len();
    let (mut base, mut vn) = (q.to_vec(), v.to_vec());
    sim.step(q, v, u, &mut base, &mut vn).unwrap();
    let sizes = [nv, nv, nu, np];
    let mut jq = sizes.map(|n| vec![f64::NAN; nv * n]);
    let mut jv = jq.clone();
    sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
    assert_eq!(sim.step_info().unwrap().gradient, Gradient::Exact);
    let mut rng = Rng::new(9);
    let w = sizes.map(|n| rng.vector(n, 1.0));
    let z = rng.vector(2 * nv, 1.0);
    let (mut dq, mut dv) = (vec![0.0; nv], vec![0.0; nv]);
    sim.step_jvp(&w[0], &w[1], &w[2], &w[3], &mut dq, &mut dv)
        .unwrap();
    let mut bars = sizes.map(|n| vec![0.0; n]);
    let [a, b, c, d] = &mut bars;
    sim.step_vjp(&z[..nv], &z[nv..], Some(a), Some(b), Some(c), Some(d))
        .unwrap();
    let mut product = vec![0.0; 2 * nv];
    let mut apart = 0.0_f64;
    let mut p = vec![0.0; np];
    sim.get_params(&mut p).unwrap();
    let mut errors = 0.0_f64;
    for (kind, n) in sizes.into_iter().enumerate() {
        let columns: Vec<f64> = (0..n)
            .flat_map(|k| [&jq[kind][k * nv..][..nv], &jv[kind][k * nv..][..nv]].concat())
            .collect();
        let fd = match kind {
            0 => by_q(&model, q, |q| step(sim, &base, q, v, u)),
            1 => by_vector(v, |v| step(sim, &base, q, v, u)),
            2 => by_vector(u, |u| step(sim, &base, q, v, u)),
            _ => by_vector(&p, |p| {
                sim.set_params(p).unwrap();
                step(sim, &base, q, v, u)
            }),
        };
        let error = relative_error(&columns, &fd);
        errors = errors.max(error);
        for (k, column) in columns.chunks_exact(2 * nv).enumerate() {
            for (y, c) in product.iter_mut().zip(column) {
                *y += c * w[kind][k];
            }
            let adjoint: f64 = column.iter().zip(&z).map(|(c, z)| c * z).sum();
            let size = column.iter().fold(1.0_f64, |m, c| m.max(c.abs()));
            apart = apart.max((bars[kind][k] - adjoint).abs() / size);
        }
    }
    sim.set_params(&p).unwrap();
    [
        errors,
        apart.max(relative_error(&[dq, dv].concat(), &product)),
    ]
}

#[test]
fn jacobians_of_every_joint() {
    for integrator in ONE_STEP {
        for kind in &KINDS[1..] {
            let model = Arc::new(single_joint(7, *kind));
            let mut rng = Rng::new(3);
            let list = parameters(&model);
            let mut sim = Sim::new(model.clone(), &options(integrator, 0.02)).unwrap();
            let (q, v) = (random_q(&mut rng, &model, 0.8), rng.vector(model.nv(), 2.0));
            let u = rng.vector(model.nu(), 3.0);
            let [error, apart] = check_step(&mut sim, &q, &v, &u, &list);
            println!("{integrator:?} {kind:?}: {error:.1e}, {apart:.1e}");
            assert!(error < 1e-8 && apart < 1e-11, "{integrator:?} {kind:?}");
        }
    }
}

#[test]
fn jacobians_of_trees() {
    for integrator in ONE_STEP {
        for seed in [1, 4, 6] {
            let model = Arc::new(random_tree(seed, 7));
            let mut rng = Rng::new(seed);
            let list = parameters(&model);
            let mut sim = Sim::new(model.clone(), &options(integrator, 0.01)).unwrap();
            let (q, v) = (random_q(&mut rng, &model, 0.5), rng.vector(model.nv(), 1.0));
            let u = rng.vector(model.nu(), 2.0);
            let [error, apart] = check_step(&mut sim, &q, &v, &u, &list);
            println!("{integrator:?} tree {seed}: {error:.1e}, {apart:.1e}");
            assert!(error < 1e-8 && apart < 1e-11, "{integrator:?} {seed}");
        }
    }
}
