//! Joints whose motion subspace depends on their coordinates: against the same motion by constant ones, and
//! against differences.

use crate::common::checker::{Checker, quadruped_spec};
use crate::common::varying::{
    Surface, Universal, spline_tree, splines, surface_tree, universal_tree,
};
use crate::common::*;
use diffsim::dynamics::Dynamics;
use diffsim::dynamics::articulated::{Articulation, articulate};
use diffsim::dynamics::jacobian::{body_jacobian, body_jacobian_rate};
use diffsim::dynamics::rnea_direction::{RneaDirection, rnea_direction};
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{JointKind, JointSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Vec3, Wrench};
use diffsim::step::{Contact, Options};
use std::sync::Arc;

/// Loads on every other body.
fn load(d: &mut Dynamics, model: &Model, q: &[f64], v: &[f64]) {
    let mut rng = Rng::new(7);
    d.update(model, model.params(), q, v);
    d.external.clear();
    for b in (1..model.nbody()).step_by(2) {
        let w = Wrench::new(rng.vec3(3.0), rng.vec3(1.0));
        d.external.add_on_body(model, &d.kin, b, w);
    }
}

/// Every output of the recursions at a state, each with its name.
fn outputs(
    model: &Model,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    tau: &[f64],
) -> Vec<(&'static str, Vec<f64>)> {
    let (t, p, nv) = (model.topology(), model.params(), model.nv());
    let mut d = Dynamics::new(model, true);
    let mut all = Vec::new();
    load(&mut d, model, q, v);
    let poses = (1..model.nbody()).flat_map(|b| {
        let pose = d.kin.body_pose(model, b);
        [pose.rot.c[0], pose.rot.c[1], pose.pos].map(Vec3::to_array)
    });
    all.push(("placements", poses.flatten().collect()));
    let (last, point) = (model.nbody() - 1, Vec3::new(0.1, -0.2, 0.3));
    let (mut j, mut rate) = (vec![0.0; 6 * nv], vec![0.0; 6 * nv]);
    body_jacobian(model, &d.kin, last, point, &mut j);
    body_jacobian_rate(model, &d.kin, last, point, &mut rate);
    all.extend([("body Jacobian", j), ("its rate", rate)]);
    let mut x = vec![0.0; nv];
    d.inverse(model, p, a, &mut x);
    all.push(("inverse dynamics", x.clone()));
    let (mut q_bar, mut v_bar) = (vec![0.0; nv], vec![0.0; nv]);
    d.inverse_adjoint(model, p, tau, &mut q_bar, &mut v_bar);
    all.extend([("adjoint by q", q_bar), ("adjoint by v", v_bar)]);
    d.differentiate_inverse(model, p);
    let (mut by_q, mut by_v) = (vec![0.0; nv * nv], vec![0.0; nv * nv]);
    let id = &d.derivatives.as_ref().unwrap().id;
    id.to_dense(t, Some(&mut by_q), Some(&mut by_v));
    all.extend([("∂τ/∂q", by_q.clone()), ("∂τ/∂v", by_v.clone())]);
    let loads = {
        let mut loads = diffsim::dynamics::external::LinkStiffness::new(t.links.len());
        loads.set(&d.external);
        loads
    };
    let mut along = RneaDirection::new(model);
    x.fill(0.0);
    rnea_direction(
        &mut along, &d.kin, &d.rnea, model, p, &loads, tau, a, &mut x,
    );
    all.push(("direction", x.clone()));
    d.forward(model, p, &p.armature, tau, &mut x);
    all.push(("forward dynamics", x.clone()));
    d.differentiate_forward(model, p, &p.armature, tau, &mut x, &mut by_q, &mut by_v);
    all.extend([("∂a/∂q", by_q), ("∂a/∂v", by_v)]);
    let mut m = vec![0.0; nv * nv];
    d.mass_inverse(t, &mut m);
    all.push(("M⁻¹", m.clone()));
    assert!(d.mass_matrix(model, p, &mut m));
    all.push(("M", m));
    let mut swept = Articulation::new(model);
    articulate(&mut swept, &d.kin, model, &p.armature);
    all.push(("1/D", swept.dinv));
    all
}

#[test]
fn a_universal_joint_is_two_revolute_ones() {
    for seed in 0..20 {
        let [one, two] =
            [true, false].map(|varying| universal_tree(seed, 3 + seed as usize, varying));
        assert_eq!((one.nq(), one.nv()), (two.nq(), two.nv()));
        assert!(one.topology().links.len() < two.topology().links.len());
        let mut rng = Rng::new(seed);
        let q = random_q(&mut rng, &two, 1.5);
        let nv = one.nv();
        let (v, a, tau) = (
            rng.vector(nv, 2.0),
            rng.vector(nv, 5.0),
            rng.vector(nv, 3.0),
        );
        let [x, y] = [&one, &two].map(|m| outputs(m, &q, &v, &a, &tau));
        for ((name, x), (_, y)) in x.iter().zip(&y) {
            let error = relative_error(x, y);
            assert!(error < 1e-11, "{name}, seed {seed}: {error:e}");
        }
    }
}

/// Both directions of differences, and the recursions against each other.
#[test]
fn derivatives_on_surfaces_are_those_of_differences() {
    for seed in 0..12 {
        let n = 3 + seed as usize / 2;
        check_derivatives(&surface_tree(seed, n), seed);
    }
}

#[test]
fn derivatives_on_splines_are_those_of_differences() {
    for seed in 0..24 {
        let n = 3 + seed as usize / 4;
        check_derivatives(&spline_tree(seed, n), seed);
    }
}

fn check_derivatives(model: &Model, seed: u64) {
    let (p, nv) = (model.params(), model.nv());
    let mut rng = Rng::new(seed);
    let q = random_q(&mut rng, model, 0.7);
    let (v, a, w) = (
        rng.vector(nv, 2.0),
        rng.vector(nv, 5.0),
        rng.vector(nv, 3.0),
    );
    let all = outputs(model, &q, &v, &a, &w);
    let of = |name: &str| &all.iter().find(|(n, _)| *n == name).unwrap().1;
    let near = |name: &str, x: &[f64], y: &[f64], bound: f64| {
        let error = relative_error(x, y);
        assert!(error < bound, "{name}, seed {seed}: {error:e}");
    };
    let mut d = Dynamics::new(model, false);
    let inverse = |d: &mut Dynamics, q: &[f64], v: &[f64], a: &[f64]| {
        let mut tau = vec![0.0; nv];
        load(d, model, q, v);
        d.inverse(model, p, a, &mut tau);
        tau
    };
    let forward = |d: &mut Dynamics, q: &[f64], v: &[f64]| {
        let mut a = vec![0.0; nv];
        load(d, model, q, v);
        d.forward(model, p, &p.armature, &w, &mut a);
        a
    };
    let tau = inverse(
        &mut d,
        &q,
        &v,
        &forward(&mut Dynamics::new(model, false), &q, &v),
    );
    near("aba and rnea", &tau, &w, 1e-9);
    let (fd_q, fd_v) = (
        by_q(model, &q, |q| inverse(&mut d, q, &v, &a)),
        by_vector(&v, |v| inverse(&mut d, &q, v, &a)),
    );
    near("∂τ/∂q", of("∂τ/∂q"), &fd_q, 1e-7);
    near("∂τ/∂v", of("∂τ/∂v"), &fd_v, 1e-7);
    near(
        "M",
        of("M"),
        &by_vector(&a, |a| inverse(&mut d, &q, &v, a)),
        1e-7,
    );
    near(
        "∂a/∂q",
        of("∂a/∂q"),
        &by_q(model, &q, |q| forward(&mut d, q, &v)),
        1e-6,
    );
    near(
        "∂a/∂v",
        of("∂a/∂v"),
        &by_vector(&v, |v| forward(&mut d, &q, v)),
        1e-6,
    );
    let product = |m: &[f64], x: &[f64]| -> Vec<f64> {
        (0..nv)
            .map(|i| (0..nv).map(|j| m[j * nv + i] * x[j]).sum())
            .collect()
    };
    let transposed = |m: &[f64]| -> Vec<f64> {
        m.chunks(nv)
            .map(|c| c.iter().zip(&w).map(|(x, w)| x * w).sum())
            .collect()
    };
    near("adjoint by q", of("adjoint by q"), &transposed(&fd_q), 1e-7);
    near("adjoint by v", of("adjoint by v"), &transposed(&fd_v), 1e-7);
    let along: Vec<f64> = product(&fd_q, &w)
        .iter()
        .zip(product(&fd_v, &a))
        .map(|(x, y)| x + y)
        .collect();
    near("direction", of("direction"), &along, 1e-7);
    // The body Jacobian's rate is its difference along v.
    let (last, point) = (model.nbody() - 1, Vec3::new(0.1, -0.2, 0.3));
    let rate = difference(EPS, |x| {
        let moved: Vec<f64> = v.iter().map(|v| v * x).collect();
        let (mut at, mut j) = (q.clone(), vec![0.0; 6 * nv]);
        model.integrate(&q, &moved, &mut at);
        d.update_positions(model, p, &at);
        body_jacobian(model, &d.kin, last, point, &mut j);
        j
    });
    near("the body Jacobian's rate", of("its rate"), &rate, 1e-7);
}

/// A quadruped whose hips turn about two axes, of one link or of two, or slide on surfaces.
fn walker(hip: impl Fn(&mut JointSpec)) -> Model {
    let mut spec = quadruped_spec(false);
    for b in spec.bodies.iter_mut().filter(|b| b.name.starts_with("hip")) {
        let j = &mut b.joints[0];
        j.kind = JointKind::Universal;
        j.limits = None;
        j.stiffness = 20.0;
        (j.axis, j.axis2) = (Vec3::X, Vec3::new(0.0, 0.6, 0.8));
        hip(j);
    }
    Model::compile(spec, Actuation::Full).unwrap()
}

fn posed(model: &Model) -> Vec<f64> {
    let mut q = model.neutral().to_vec();
    q[2] = 0.31;
    for leg in 0..4 {
        q[7 + 4 * leg..][..4].copy_from_slice(&[0.02, -0.03, 0.8, -1.6]);
    }
    q
}

/// A start of [`posed`] for hips with as many coordinates as the model's, the first ones near where they are
/// at rest.
fn posed_with(model: &Model, hips: &[f64]) -> Vec<f64> {
    let mut q = model.neutral().to_vec();
    q[2] = 0.31;
    for leg in q[7..].chunks_mut(hips.len() + 2) {
        leg[..hips.len()].copy_from_slice(hips);
        leg[hips.len()..].copy_from_slice(&[0.8, -1.6]);
    }
    q
}

fn some_params(model: &Model) -> Vec<diffsim::model::params::Param> {
    let hip = model.joint_id("hip1").unwrap();
    let mut list: Vec<_> = (0..6)
        .map(|c| param(ParamKind::JointPlacement, hip, c))
        .collect();
    for kind in [
        ParamKind::JointStiffness,
        ParamKind::JointDamping,
        ParamKind::JointArmature,
    ] {
        list.extend((0..model.joint(hip).nv).map(|c| param(kind, hip, c)));
    }
    list.extend((0..10).map(|c| param(ParamKind::BodyInertia, model.joint(hip).body, c)));
    list
}

/// Numbers of the shape of a hip.
fn shape_params(model: &Model) -> Vec<diffsim::model::params::Param> {
    let hip = model.joint_id("hip1").unwrap();
    let of = |c: usize| param(ParamKind::SplineFrame, hip, c);
    let known = |p: &diffsim::model::params::Param| model.check_param(p).is_ok();
    (0..96).step_by(5).map(of).filter(known).collect()
}

fn walker_options(contact: Contact) -> Options {
    Options {
        contact,
        // Convex contacts have dissipation of their own.
        kd: if contact == Contact::Ncp { 0.1 } else { 0.0 },
        ..crate::common::checker::options(2e-3)
    }
}

#[test]
fn steps_on_surfaces_have_exact_jacobians() {
    for contact in [Contact::None, Contact::Ncp, Contact::Convex] {
        let model = walker(|j| j.varying = Some(Arc::new(Surface)));
        let (q, params) = (posed(&model), some_params(&model));
        let mut c = Checker::new(model, &walker_options(contact));
        c.select(&params);
        c.run(&format!("hips on surfaces, {contact:?}"), &q, 0.5, 12);
    }
}

#[test]
fn steps_on_splines_have_exact_jacobians() {
    let kinds = [
        (JointKind::SplineCurve, &[0.3][..]),
        (JointKind::SplineSurface, &[0.4, 0.5]),
        (JointKind::Euler, &[0.02, -0.03, 0.1]),
    ];
    for contact in [Contact::None, Contact::Ncp, Contact::Convex] {
        for (kind, hips) in kinds {
            let model = walker(|j| match kind {
                JointKind::Euler => j.kind = kind,
                _ => splines(&mut Rng::new(5), j, kind, false),
            });
            let q = posed_with(&model, hips);
            let mut params = some_params(&model);
            params.extend(shape_params(&model));
            let mut c = Checker::new(model, &walker_options(contact));
            c.select(&params);
            c.run(&format!("hips of {kind:?}, {contact:?}"), &q, 0.5, 12);
        }
    }
}

#[test]
fn steps_of_a_universal_joint_are_those_of_two_revolute_ones() {
    let (a, b) = (Vec3::X, Vec3::new(0.0, 0.6, 0.8));
    for contact in [Contact::None, Contact::Ncp, Contact::Convex] {
        let models = [
            walker(|j| j.varying = Some(Arc::new(Universal { a, b }))),
            walker(|_| ()),
        ];
        let [one, two] = models.map(|model| {
            let (nq, nv, nu) = (model.nq(), model.nv(), model.nu());
            let (mut q, params) = (posed(&model), some_params(&model));
            let (mut rng, np) = (Rng::new(3), params.len());
            let mut v = rng.vector(nv, 0.5);
            let mut sim = diffsim::step::Sim::new(model.into(), &walker_options(contact)).unwrap();
            sim.select_params(&params).unwrap();
            let mut all = Vec::new();
            for _ in 0..10 {
                let u = rng.vector(nu, 2.0);
                let (mut qn, mut vn) = (vec![0.0; nq], vec![0.0; nv]);
                sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
                let mut jq = [nv, nv, nu, np].map(|n| vec![0.0; nv * n]);
                let mut jv = jq.clone();
                sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
                (q, v) = (qn, vn);
                all.push([&[q.clone(), v.clone()][..], &jq, &jv].concat());
            }
            all
        });
        for (step, (x, y)) in one.iter().zip(&two).enumerate() {
            for (k, (x, y)) in x.iter().zip(y).enumerate() {
                let error = relative_error(x, y);
                assert!(
                    error < 1e-8,
                    "{contact:?}, step {step}, output {k}: {error:e}"
                );
            }
        }
    }
}
