//! Implicit formulas: order, energy and momentum, derivatives of steps and trajectories, options, no heap.

use crate::common::trajectory::{From, compare};
use crate::common::{
    KINDS, Rng, all_jacobians, by_q, by_vector, param, random_q, random_tree, relative_error,
    single_joint,
};
use diffsim::error::Status;
use diffsim::force::{Force, Slopes, State};
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{JointKind, JointSpec, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::spatial::{Inertia, Sym3, Vec3};
use diffsim::step::{Contact, Gradient, Integrator, Options, Parts, Sim};
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

/// The largest errors of the Jacobians against differences, and of directions and adjoints against the
/// Jacobians.
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

/// The start of Newton's method goes from step to step. Restored memory gives the same bits, forgotten memory
/// those of a new simulation; the result depends on it by round-off alone.
#[test]
fn the_first_guess_is_memory() {
    let model = Arc::new(limbs());
    for integrator in [
        Integrator::Bdf1,
        Integrator::Sdirk2,
        Integrator::ImplicitEuler,
        Integrator::Midpoint,
    ] {
        let new = || Sim::new(model.clone(), &options(integrator, 2e-3)).unwrap();
        let (mut rng, mut sim) = (Rng::new(3), new());
        let (q, v) = (random_q(&mut rng, &model, 1.0), rng.vector(model.nv(), 1.0));
        let u = rng.vector(model.nu(), 1.0);
        let from = |sim: &mut Sim, q: &[f64], v: &[f64]| {
            let (mut q_next, mut v_next) = (q.to_vec(), v.to_vec());
            sim.step(q, v, &u, &mut q_next, &mut v_next).unwrap();
            (q_next, v_next)
        };
        let fresh = from(&mut sim, &q, &v);
        let (mut q1, mut v1) = fresh.clone();
        for _ in 0..4 {
            (q1, v1) = from(&mut sim, &q1, &v1);
        }
        let mut memory = vec![0.0; sim.memory_size()];
        let stages = match integrator {
            Integrator::Sdirk2 => 2,
            _ => 1,
        };
        assert_eq!(memory.len(), stages * (17 * model.nv() + 5));
        sim.get_memory(&mut memory).unwrap();
        assert!(memory.iter().any(|x| *x != 0.0));
        let next = from(&mut sim, &q1, &v1);
        let iterations = sim.step_info().unwrap().iterations;
        let mut other = new();
        other.set_memory(&memory).unwrap();
        assert_eq!(from(&mut other, &q1, &v1), next, "{integrator:?}");
        let mut without = new();
        let apart = from(&mut without, &q1, &v1);
        assert!(relative_error(&apart.1, &next.1) < 1e-13, "{integrator:?}");
        assert!(without.step_info().unwrap().iterations > iterations);
        sim.reset();
        assert_eq!(from(&mut sim, &q, &v), fresh, "{integrator:?}");
    }
}

/// Where motion goes on smoothly a step evaluates its balance once: its solution and its Jacobians are those
/// of one that knows nothing of the steps before, and a question in between changes no bit of them.
#[test]
fn one_balance_is_enough_where_motion_goes_on() {
    let model = Arc::new(chain(0.0, 0.0));
    let nv = model.nv();
    for h in [1e-3, 5e-3] {
        let new = || Sim::new(model.clone(), &options(Integrator::Bdf1, h)).unwrap();
        let (mut rng, mut sim) = (Rng::new(5), new());
        let (mut q, mut v) = (rng.vector(nv, 0.3), rng.vector(nv, 1.0));
        let u = vec![0.0; model.nu()];
        let (mut alone, mut asked, mut once) = (new(), new(), 0);
        let mut memory = vec![0.0; sim.memory_size()];
        let mut columns = [[nv, nv, nv, 0], [nv, nv, nv, 0]].map(|n| n.map(|n| vec![0.0; n * nv]));
        for _ in 0..60 {
            let (mut q_next, mut v_next) = (q.clone(), v.clone());
            let mut other = (q.clone(), v.clone());
            sim.get_memory(&mut memory).unwrap();
            sim.step(&q, &v, &u, &mut q_next, &mut v_next).unwrap();
            alone.reset();
            alone.step(&q, &v, &u, &mut other.0, &mut other.1).unwrap();
            once += usize::from(sim.step_info().unwrap().iterations == 1);
            assert!(relative_error(&other.0, &q_next) < 1e-14);
            assert!(relative_error(&other.1, &v_next) < 1e-13);
            let mut jacobians = |sim: &mut Sim| {
                let [jq, jv] = &mut columns;
                sim.step_jacobians(all_jacobians(jq, jv)).unwrap();
                columns.concat().concat()
            };
            let expected = jacobians(&mut alone);
            let found = jacobians(&mut sim);
            assert!(relative_error(&found, &expected) < 1e-10);
            // The same step once more, with a question before its Jacobians.
            asked.set_memory(&memory).unwrap();
            asked.step(&q, &v, &u, &mut other.0, &mut other.1).unwrap();
            asked.energy(&other.0, &v).unwrap();
            assert_eq!(jacobians(&mut asked), found);
            (q, v) = (q_next, v_next);
        }
        assert!(h > 1e-3 || once > 40, "{once}");
    }
}

/// After a jump of inputs the first guess is far off, and is one all the same: it is not left for a worse
/// one.
#[test]
fn inputs_that_jump_keep_the_guess() {
    let model = Arc::new(chain(0.0, 0.0));
    let nv = model.nv();
    for integrator in [Integrator::Bdf1, Integrator::ImplicitEuler] {
        let new = || Sim::new(model.clone(), &options(integrator, 1e-3)).unwrap();
        let (mut rng, mut sim, mut alone) = (Rng::new(5), new(), new());
        let (mut q, mut v) = (rng.vector(nv, 0.3), rng.vector(nv, 1.0));
        let mut balances = 0;
        for _ in 0..50 {
            let u = rng.vector(model.nu(), 0.1);
            let (mut q_next, mut v_next) = (q.clone(), v.clone());
            let mut other = (q.clone(), v.clone());
            sim.step(&q, &v, &u, &mut q_next, &mut v_next).unwrap();
            balances += sim.step_info().unwrap().iterations;
            alone.reset();
            alone.step(&q, &v, &u, &mut other.0, &mut other.1).unwrap();
            assert!(relative_error(&other.1, &v_next) < 1e-13);
            (q, v) = (q_next, v_next);
        }
        println!("{integrator:?}: {balances} balances");
        assert!(balances < 210, "{integrator:?}: {balances}");
    }
}

/// Along many links round-off adds up: it is seen to be, and no correction is made to shrink below it.
#[test]
fn balances_do_not_grow_with_links() {
    let links = 1000;
    let mut spec = crate::common::scene::lying_spec(links, 0);
    spec.gravity = Vec3::ZERO;
    spec.geoms.clear();
    for (k, b) in spec.bodies[1..].iter_mut().enumerate() {
        let j = &mut b.joints[0];
        j.axis = [Vec3::X, Vec3::Y, Vec3::new(0.5, 0.3, 1.0), Vec3::Z, Vec3::Y][k % 5];
        (j.stiffness, j.damping, j.armature) = (1.0, 0.05, 1e-3);
        b.inertia = Inertia::from_com(
            0.5,
            Vec3::new(0.05, 0.01, 0.02),
            Sym3::diagonal(Vec3::new(1e-3, 2e-3, 2e-3)),
        );
    }
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let new = || Sim::new(model.clone(), &options(Integrator::Bdf1, 1e-3)).unwrap();
    let (mut rng, mut sim, mut alone) = (Rng::new(5), new(), new());
    let (mut q, mut v) = (rng.vector(links, 0.03), rng.vector(links, 1e-3));
    let u = vec![0.0; model.nu()];
    let mut balances = [0; 2];
    for k in 0..40 {
        let (mut q_next, mut v_next) = (q.clone(), v.clone());
        sim.step(&q, &v, &u, &mut q_next, &mut v_next).unwrap();
        let info = sim.step_info().unwrap();
        assert!(info.converged && info.residual < 1e-10, "{info:?}");
        balances[usize::from(k >= 10)] += info.iterations;
        if k < 10 {
            let mut other = (q.clone(), v.clone());
            alone.reset();
            alone.step(&q, &v, &u, &mut other.0, &mut other.1).unwrap();
            let size = other.1.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let all = other.1.iter().zip(&v_next).map(|(a, b)| (a - b).abs());
            let apart = all.fold(0.0, f64::max) / size;
            assert!(apart < 1e-10, "{apart:e}");
        }
        (q, v) = (q_next, v_next);
    }
    println!("{balances:?} balances");
    assert!(balances[0] < 40 && balances[1] < 60, "{balances:?}");
}

/// A spatial chain of five hinges, with springs and dampers.
fn chain(stiffness: f64, damping: f64) -> Model {
    let mut spec = crate::common::scene::lying_spec(5, 0);
    spec.geoms.clear();
    for (k, b) in spec.bodies[1..].iter_mut().enumerate() {
        let j = &mut b.joints[0];
        j.axis = [Vec3::X, Vec3::Y, Vec3::new(0.5, 0.3, 1.0), Vec3::Z, Vec3::Y][k];
        (j.stiffness, j.damping, j.armature) = (stiffness, damping, 1e-3);
        j.spring_reference = 0.1 * k as f64;
        b.inertia = Inertia::from_com(
            0.5,
            Vec3::new(0.05, 0.01, 0.02),
            Sym3::diagonal(Vec3::new(1e-3, 2e-3, 2e-3)),
        );
    }
    Model::compile(spec, Actuation::Full).unwrap()
}

/// One body on a joint of the kind in this gravity, without springs, dampers and rotors.
fn plain_body(kind: JointKind, gravity: Vec3) -> Model {
    let mut spec = ModelSpec {
        gravity,
        ..ModelSpec::default()
    };
    let mut b = crate::common::random_body(&mut Rng::new(11), 1, 0, kind);
    b.inertia = Inertia::from_com(
        1.3,
        Vec3::new(0.1, -0.05, 0.2),
        Sym3::diagonal(Vec3::new(0.02, 0.03, 0.045)),
    );
    b.joints[0] = JointSpec::new("joint", kind);
    spec.bodies.push(b);
    Model::compile(spec, Actuation::Full).unwrap()
}

/// A trunk that floats, with a planar, a universal and a spherical limb.
fn limbs() -> Model {
    let mut rng = Rng::new(21);
    let mut spec = ModelSpec::default();
    for (id, (parent, kind)) in [
        (0, JointKind::Free),
        (1, JointKind::Planar),
        (1, JointKind::Universal),
        (3, JointKind::Spherical),
    ]
    .into_iter()
    .enumerate()
    {
        spec.bodies
            .push(crate::common::random_body(&mut rng, id + 1, parent, kind));
    }
    Model::compile(spec, Actuation::Full).unwrap()
}

fn rollout(model: &Arc<Model>, o: &Options, steps: usize) -> Rollout {
    Rollout::new(model.clone(), o, steps).unwrap()
}

/// Where a trajectory without inputs ends.
fn end(model: &Arc<Model>, integrator: Integrator, steps: usize) -> [Vec<f64>; 2] {
    let mut rng = Rng::new(2);
    let (q0, v0) = (random_q(&mut rng, model, 0.4), rng.vector(model.nv(), 1.5));
    let mut r = rollout(model, &options(integrator, 0.4 / steps as f64), steps);
    let (nq, nv) = (model.nq(), model.nv());
    let (mut q, mut v) = (vec![0.0; nq * (steps + 1)], vec![0.0; nv * (steps + 1)]);
    let u = vec![0.0; model.nu() * steps];
    r.run(&q0, &v0, &u, steps, Some(&mut q), Some(&mut v))
        .unwrap();
    [q[nq * steps..].to_vec(), v[nv * steps..].to_vec()]
}

#[test]
fn errors_fall_at_the_order_of_the_formula() {
    let gravity = Vec3::new(0.0, 0.0, -9.81);
    let scenes = [
        ("chain", chain(2.0, 0.02)),
        ("free body", plain_body(JointKind::Free, gravity)),
        (
            "spherical pendulum",
            plain_body(JointKind::Spherical, gravity),
        ),
        ("limbs", limbs()),
    ];
    for (name, model) in scenes {
        let model = Arc::new(model);
        let [q_end, v_end] = end(&model, Integrator::Sdirk2, 6400);
        for (integrator, order) in [
            (Integrator::Bdf1, 1.0),
            (Integrator::Sdirk2, 2.0),
            (Integrator::Bdf2, 2.0),
        ] {
            let errors = [80, 160, 320].map(|steps| {
                let [q, v] = end(&model, integrator, steps);
                let mut e = vec![0.0; model.nv()];
                model.difference(&q_end, &q, &mut e);
                e.extend(v.iter().zip(&v_end).map(|(a, b)| a - b));
                e.iter().fold(0.0_f64, |m, x| m.max(x.abs()))
            });
            let found = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
            println!("{name} {integrator:?}: {errors:?}, order {found:.2?}");
            assert!(
                (found[1] - order).abs() < 0.25,
                "{name} {integrator:?} {found:?}"
            );
        }
    }
}

/// In no gravity a body that spins about its centre of mass flies straight.
#[test]
fn a_free_body_keeps_its_momentum() {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    let mut b = crate::common::random_body(&mut Rng::new(11), 1, 0, JointKind::Free);
    let moments = Sym3::diagonal(Vec3::new(0.02, 0.03, 0.045));
    b.inertia = Inertia::from_com(1.3, Vec3::ZERO, moments);
    b.joints[0] = JointSpec::new("joint", JointKind::Free);
    spec.bodies.push(b);
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let (nq, nv, steps) = (model.nq(), model.nv(), 200);
    let v0 = [0.3, -0.2, 0.5, 6.0, 2.0, -3.0];
    let in_world = |q: &[f64], v: &[f64]| {
        diffsim::joint::free_pose(q)
            .rot
            .mul_vec(Vec3::from_slice(v))
    };
    for integrator in [Integrator::Bdf1, Integrator::Sdirk2, Integrator::Bdf2] {
        let mut r = rollout(&model, &options(integrator, 0.01), steps);
        let (mut q, mut v) = (vec![0.0; nq * (steps + 1)], vec![0.0; nv * (steps + 1)]);
        let u = vec![0.0; model.nu() * steps];
        r.run(model.neutral(), &v0, &u, steps, Some(&mut q), Some(&mut v))
            .unwrap();
        let drift = in_world(&q[nq * steps..], &v[nv * steps..]) - in_world(&q, &v);
        assert!(drift.norm() < 1e-12, "{integrator:?}: {drift:?}");
    }
}

/// Springs of 10⁸ N m/rad at steps of 10 ms.
#[test]
fn stiff_springs_lose_energy() {
    let mut spec = crate::common::scene::lying_spec(5, 0);
    spec.geoms.clear();
    spec.gravity = Vec3::ZERO;
    for b in &mut spec.bodies[1..] {
        b.joints[0].stiffness = 1e8;
        b.joints[0].damping = 0.0;
    }
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let (nq, nv, steps) = (model.nq(), model.nv(), 100);
    let mut rng = Rng::new(8);
    let (q0, v0) = (rng.vector(nq, 1e-3), rng.vector(nv, 1.0));
    let mut sim = Sim::new(model.clone(), &options(Integrator::Bdf1, 0.01)).unwrap();
    for integrator in [Integrator::Bdf1, Integrator::Sdirk2, Integrator::Bdf2] {
        let mut r = rollout(&model, &options(integrator, 0.01), steps);
        let (mut q, mut v) = (vec![0.0; nq * (steps + 1)], vec![0.0; nv * (steps + 1)]);
        let u = vec![0.0; model.nu() * steps];
        r.run(&q0, &v0, &u, steps, Some(&mut q), Some(&mut v))
            .unwrap();
        let energy: Vec<f64> = (0..=steps)
            .map(|k| {
                let (q, v) = (&q[k * nq..][..nq], &v[k * nv..][..nv]);
                let (kinetic, potential) = sim.energy(q, v).unwrap();
                kinetic + potential
            })
            .collect();
        for (k, e) in energy.windows(2).enumerate() {
            let round_off = 1e-12 * energy[0];
            assert!(e[1] <= e[0] + round_off, "{integrator:?} step {k}: {e:?}");
        }
        println!(
            "{integrator:?}: from {:.1e} to {:.1e}",
            energy[0], energy[steps]
        );
    }
}

#[test]
fn gradients_of_trajectories() {
    let models = [chain(2.0, 0.05), limbs()];
    for model in models {
        let model = Arc::new(model);
        for integrator in [Integrator::Bdf1, Integrator::Sdirk2, Integrator::Bdf2] {
            let o = options(integrator, 0.005);
            let (nv, mut rng) = (model.nv(), Rng::new(17));
            let from = From {
                q0: random_q(&mut rng, &model, 0.4),
                v0: rng.vector(nv, 0.5),
                u: rng.vector(model.nu() * 100, 0.5),
            };
            compare(&model, &o, 100, &from, &parameters(&model), 1e-5)
                .accept(&format!("{integrator:?} {nv} dofs"), 1e-8);
        }
    }
}

/// A spring between two hinges on whatever branches.
#[derive(Clone, Debug)]
struct Bar {
    dofs: [usize; 2],
    coordinates: [usize; 2],
    stiffness: f64,
}

impl Force for Bar {
    fn entries(&self, _: &Model) -> usize {
        4
    }

    fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) {
        let [i, j] = self.coordinates;
        let f = -self.stiffness * (at.q[i] - at.q[j]);
        tau[self.dofs[0]] += f;
        tau[self.dofs[1]] -= f;
    }

    fn slopes(&self, _: &State<'_>, into: &mut Slopes) {
        for (row, x) in [(0, 1.0), (1, -1.0)] {
            for (column, y) in [(0, x), (1, -x)] {
                into.add([self.dofs[row], self.dofs[column]], self.stiffness * y, 0.0);
            }
        }
    }
}

#[test]
fn forces_between_branches() {
    for integrator in ONE_STEP {
        let model = Arc::new(random_tree(41, 12));
        let o = options(integrator, 0.005);
        let hinges: Vec<_> = (model.topology().links.iter())
            .filter(|l| l.kind.nv() == 1)
            .map(|l| (l.iv, l.iq))
            .collect();
        let ((i, at_i), (j, at_j)) = (hinges[0], hinges[hinges.len() - 1]);
        assert!(!model.topology().are_on_a_path(i, j));
        let mut parts = Parts::new(&model, &o);
        parts.forces.push(Box::new(Bar {
            dofs: [i, j],
            coordinates: [at_i, at_j],
            stiffness: 500.0,
        }));
        let mut sim = Sim::with_parts(model.clone(), &o, parts).unwrap();
        let mut rng = Rng::new(4);
        let (q, v) = (random_q(&mut rng, &model, 0.5), rng.vector(model.nv(), 0.5));
        let u = rng.vector(model.nu(), 1.0);
        let [error, apart] = check_step(&mut sim, &q, &v, &u, &parameters(&model));
        println!("{integrator:?} with a bar: {error:.1e}, {apart:.1e}");
        assert!(error < 1e-8 && apart < 1e-11);
    }
}

#[test]
fn deep_trees() {
    let mut spec = crate::common::scene::lying_spec(66, 0);
    spec.geoms.clear();
    for b in &mut spec.bodies[1..] {
        b.joints[0].stiffness = 20.0;
    }
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    assert!(model.topology().is_deep());
    let mut sim = Sim::new(model.clone(), &options(Integrator::Bdf1, 0.002)).unwrap();
    let mut rng = Rng::new(6);
    let (q, v) = (random_q(&mut rng, &model, 0.2), rng.vector(model.nv(), 0.2));
    let u = rng.vector(model.nu(), 0.1);
    let list = [
        param(ParamKind::BodyInertia, 40, 0),
        param(ParamKind::JointStiffness, 30, 0),
        param(ParamKind::Gravity, 0, 2),
    ];
    let [error, apart] = check_step(&mut sim, &q, &v, &u, &list);
    println!("deep: {error:.1e}, {apart:.1e}");
    assert!(error < 1e-7 && apart < 1e-10);
}

/// A ball that slides on penalty contact.
#[test]
fn penalty_contact_is_implicit_too() {
    for integrator in ONE_STEP {
        let ball = crate::common::scene::ball(0.05);
        let spec = crate::common::scene::on_ground(0.5, 0.05, 2.0, ball);
        let model = Model::compile(spec, Actuation::Full).unwrap();
        let o = Options {
            contact: Contact::Penalty,
            ..options(integrator, 0.002)
        };
        let mut sim = Sim::new(model.into(), &o).unwrap();
        let mut q = sim.model().neutral().to_vec();
        q[..3].copy_from_slice(&[0.1, 0.2, 0.035]);
        let v = [0.8, 0.1, -0.02, 0.5, -0.3, 1.0];
        let list = [
            param(ParamKind::BodyInertia, 1, 0),
            param(ParamKind::Gravity, 0, 2),
        ];
        let (mut qn, mut vn) = (q.clone(), v.to_vec());
        sim.step(&q, &v, &[0.0; 6], &mut qn, &mut vn).unwrap();
        assert_eq!(sim.contacts().len(), 1);
        let [error, apart] = check_step(&mut sim, &q, &v, &[0.0; 6], &list);
        println!("{integrator:?} on the ground: {error:.1e}, {apart:.1e}");
        assert!(error < 1e-7 && apart < 1e-10);
    }
}

#[test]
fn what_is_refused() {
    let model = Arc::new(chain(2.0, 0.1));
    let refused = |o: Options| Sim::new(model.clone(), &o).unwrap_err();
    let bdf1 = options(Integrator::Bdf1, 0.01);
    for contact in [Contact::Ncp, Contact::Lcp, Contact::Convex] {
        let e = refused(Options { contact, ..bdf1 });
        assert_eq!(e.status, Status::Unsupported);
        assert!(e.message.contains("options.integrator") && e.message.contains("options.contact"));
    }
    for newton_tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let e = refused(Options {
            newton_tolerance,
            ..bdf1
        });
        assert_eq!(e.status, Status::InvalidArgument);
        assert!(e.message.contains("newton_tolerance"));
    }
    let e = refused(Options {
        max_newton: 0,
        ..bdf1
    });
    assert!(e.status == Status::InvalidArgument && e.message.contains("max_newton"));

    let (nv, q) = (model.nv(), model.neutral().to_vec());
    let (mut qn, mut vn) = (vec![7.0; nv], vec![7.0; nv]);
    let (v, u) = (vec![1.0; nv], vec![0.0; nv]);
    let mut sim = Sim::new(model.clone(), &options(Integrator::Bdf2, 0.01)).unwrap();
    let e = sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap_err();
    assert!(e.status == Status::Unsupported && e.message.contains("Bdf2"));
    assert!(qn.iter().chain(&vn).all(|x| *x == 7.0));

    // One iteration is not enough.
    let few = Options {
        max_newton: 1,
        ..bdf1
    };
    let mut sim = Sim::new(model.clone(), &few).unwrap();
    sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
    let info = sim.step_info().unwrap();
    assert!(!info.converged && info.gradient == Gradient::Refused && info.residual > 1e-15);
    let bar = vec![1.0; nv];
    let e = sim
        .step_vjp(&bar, &bar, None, None, None, None)
        .unwrap_err();
    assert_eq!(e.status, Status::NotConverged);
    let strict = Options {
        require_convergence: true,
        ..few
    };
    let mut sim = Sim::new(model.clone(), &strict).unwrap();
    let e = sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap_err();
    assert!(e.status == Status::NotConverged && e.message.contains("newton_tolerance"));
}

#[test]
fn no_heap_after_creation() {
    let model = Arc::new(limbs());
    let (nq, nv, nu, steps) = (model.nq(), model.nv(), model.nu(), 12);
    let list = parameters(&model);
    let mut rng = Rng::new(4);
    let (q, v) = (random_q(&mut rng, &model, 0.4), rng.vector(nv, 0.5));
    let u = rng.vector(nu * steps, 0.5);
    for integrator in [Integrator::Bdf1, Integrator::Sdirk2, Integrator::Bdf2] {
        let o = Options {
            checkpoint_interval: 5,
            ..options(integrator, 0.01)
        };
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        sim.select_params(&list).unwrap();
        let mut r = rollout(&model, &o, steps);
        r.select_params(&list).unwrap();
        let sizes = [nv, nv, nu, list.len()];
        let mut jq = sizes.map(|n| vec![0.0; nv * n]);
        let mut jv = jq.clone();
        let w = sizes.map(|n| vec![1.0; n]);
        let mut bars = [nv, nv, nu * steps, list.len()].map(|n| vec![0.0; n]);
        let (mut qn, mut vn) = (q.clone(), v.clone());
        let weights = vec![1.0; nv * (steps + 1)];
        let (mut qs, mut vs) = (vec![0.0; nq * (steps + 1)], vec![0.0; nv * (steps + 1)]);
        let used = allocation_counter::measure(|| {
            if integrator != Integrator::Bdf2 {
                sim.step(&q, &v, &u[..nu], &mut qn, &mut vn).unwrap();
                sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
                let [a, b, c, d] = &w;
                sim.step_jvp(a, b, c, d, &mut qn[..nv], &mut vn).unwrap();
            }
            r.run(&q, &v, &u, steps, Some(&mut qs), Some(&mut vs))
                .unwrap();
            let [a, b, c, d] = &mut bars;
            r.adjoint(&weights, &weights, Some(a), Some(b), Some(c), Some(d))
                .unwrap();
        });
        assert_eq!(used.count_total, 0, "{integrator:?}");
    }
}
