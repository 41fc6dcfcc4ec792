//! Bodies whose weight a force carries, in part, wholly or beyond.

use crate::common::checker::{Checker, FOURTH_ORDER};
use crate::common::{EPS, INTEGRATORS, KINDS, Rng, param, random_body, random_q, relative_error};
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{JointKind, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, Options, Sim};
use std::sync::Arc;

fn options() -> Options {
    Options {
        contact: Contact::None,
        time_step: 0.01,
        ..Options::default()
    }
}

/// A chain of all kinds of joints that forks, with a welded body.
fn tree(share: impl Fn(usize) -> f64) -> ModelSpec {
    let mut rng = Rng::new(31);
    let mut spec = ModelSpec {
        gravity: rng.vec3(9.0),
        ..ModelSpec::default()
    };
    for (k, kind) in KINDS.into_iter().enumerate() {
        let parent = if k == 6 { 2 } else { k };
        let mut body = random_body(&mut rng, k + 1, parent, kind);
        body.gravity_compensation = share(k + 1);
        spec.bodies.push(body);
    }
    spec
}

fn compiled(spec: ModelSpec) -> Arc<Model> {
    Arc::new(Model::compile(spec, Actuation::Full).unwrap())
}

#[test]
fn a_body_that_is_wholly_carried_floats() {
    let weightless = ModelSpec {
        gravity: Vec3::ZERO,
        ..tree(|_| 0.0)
    };
    let [carried, weightless] = [tree(|_| 1.0), weightless].map(compiled);
    let mut rng = Rng::new(7);
    for _ in 0..10 {
        let q = random_q(&mut rng, &carried, 1.0);
        let v = rng.vector(carried.nv(), 1.0);
        let u = rng.vector(carried.nu(), 1.0);
        let [a, b] = [&carried, &weightless].map(|m| {
            let mut sim = Sim::new(m.clone(), &options()).unwrap();
            let (mut qn, mut vn) = (q.clone(), v.clone());
            sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
            [qn, vn].concat()
        });
        assert!(relative_error(&a, &b) < 1e-12);
    }
}

#[test]
fn derivatives_by_state_gravity_and_inertia() {
    let model = compiled(tree(|b| 0.4 * b as f64 - 1.0));
    let mut rng = Rng::new(3);
    for integrator in INTEGRATORS {
        let mut c = Checker::new(
            model.clone(),
            &Options {
                integrator,
                ..options()
            },
        );
        (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
        let gravity = (0..3).map(|i| param(ParamKind::Gravity, 0, i));
        let inertia = [1, 3, 5, 8]
            .into_iter()
            .flat_map(|b| (0..10).map(move |i| param(ParamKind::BodyInertia, b, i)));
        let placement = (0..6).map(|i| param(ParamKind::JointPlacement, 4, i));
        c.select(&gravity.chain(inertia).chain(placement).collect::<Vec<_>>());
        for _ in 0..2 {
            let mut q = random_q(&mut rng, &model, 1.0);
            let mut v = rng.vector(model.nv(), 1.0);
            let u = rng.vector(model.nu(), 1.0);
            c.check(&mut q, &mut v, &u);
        }
        let t = c.tally(&format!("{integrator:?}"));
        assert!(t.wrong == 0 && t.p99 < 1e-8 && t.apart < 1e-10);
        assert!(t.checked > 100 && t.excluded == 0);
    }
}

#[test]
fn every_call_of_the_dynamics_has_it() {
    let mut spec = ModelSpec::default();
    let mut body = random_body(&mut Rng::new(5), 1, 0, JointKind::Revolute);
    body.gravity_compensation = 1.0;
    spec.bodies.push(body);
    let model = compiled(spec);
    let mut sim = Sim::new(model.clone(), &options()).unwrap();
    let (mut tau, mut a) = ([f64::NAN], [f64::NAN]);
    sim.inverse_dynamics(&[0.7], &[0.0], &[0.0], &mut tau)
        .unwrap();
    sim.forward_dynamics(&[0.7], &[0.0], &[0.0], &mut a)
        .unwrap();
    assert!(tau[0].abs() < 1e-13 && a[0].abs() < 1e-13);
    let mut by_q = [f64::NAN];
    sim.inverse_dynamics_derivatives(&[0.7], &[0.0], &[0.0], Some(&mut by_q), None)
        .unwrap();
    assert!(by_q[0].abs() < 1e-13);
}

#[test]
fn a_share_that_is_no_number_is_refused() {
    let mut spec = tree(|_| 0.0);
    spec.bodies[2].gravity_compensation = f64::NAN;
    let e = Model::compile(spec, Actuation::Full).unwrap_err();
    assert!(
        e.message
            .contains("body \"body2\": gravity compensation must be finite, got NaN"),
        "{e}"
    );
}
