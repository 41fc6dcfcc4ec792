//! Derivatives of steps and rollouts by activations and of them, with every integrator and contact law.

use crate::common::activated::{Point, actuate, dot, pulled, step, walker};
use crate::common::checker::standing;
use crate::common::scene::options;
use crate::common::tendons::corded_spec;
use crate::common::{LAWS, Rng, all_jacobians, relative_error};
use diffsim::model::{Actuation, Model};
use diffsim::rollout::{Rollout, RolloutAdjoint, Trajectory};
use diffsim::step::{
    ActJacobians, Contact, Gradient, Integrator, Options, Sim, StepAdjoint, StepJacobians,
};
use std::sync::Arc;

/// Everything by everything, with differences along random directions, forward against reverse mode, columns
/// against directions. Whether the step has a derivative to compare with, and no mode of a contact or limit
/// changes inside the differences.
fn check(sim: &mut Sim, memory: &[f64], at: &Point, rng: &mut Rng, name: &str) -> bool {
    let model = sim.model().clone();
    let (nv, nu, na) = (model.nv(), model.nu(), model.na());
    let base = step(sim, memory, at).unwrap();
    if sim.step_info().unwrap().switch_distance < 1e-4 {
        return false;
    }
    assert_eq!(sim.step_info().unwrap().gradient, Gradient::Exact, "{name}");
    let along = Point::direction(rng, &model);
    let [mut dq, mut dv, mut dact] = [nv, nv, na].map(|n| vec![0.0; n]);
    let to_act = Some(&mut dact[..]);
    sim.step_jvp_act(
        &along.q,
        &along.v,
        &along.act,
        &along.u,
        &[],
        &mut dq,
        &mut dv,
        to_act,
    )
    .unwrap();
    // Jacobians.
    let blocks = [nv, nv, nu, 0].map(|n| vec![0.0; nv * n]);
    let (mut jq, mut jv) = (blocks.clone(), blocks);
    sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
    let mut acts = [nv * na, nv * na, na * nv, na * nv, na * na, na * nu].map(|n| vec![9.0; n]);
    let [a, b, c, d, e, f] = acts.each_mut().map(|x| Some(&mut x[..]));
    sim.step_act_jacobians(ActJacobians {
        dq_dact: a,
        dv_dact: b,
        dact_dq: c,
        dact_dv: d,
        dact_dact: e,
        dact_du: f,
    })
    .unwrap();
    let times = |m: &[f64], rows: usize, x: &[f64], y: &mut Vec<f64>| {
        y.resize(rows, 0.0);
        for (column, x) in m.chunks_exact(rows.max(1)).zip(x) {
            y.iter_mut().zip(column).for_each(|(y, m)| *y += m * x);
        }
    };
    for (found, of, more) in [(&dq, &jq, &acts[0]), (&dv, &jv, &acts[1])] {
        let mut sum = Vec::new();
        times(&of[0], nv, &along.q, &mut sum);
        times(&of[1], nv, &along.v, &mut sum);
        times(&of[2], nv, &along.u, &mut sum);
        times(more, nv, &along.act, &mut sum);
        assert!(relative_error(&sum, found) < 1e-10, "{name}: columns");
    }
    let mut sum = Vec::new();
    times(&acts[2], na, &along.q, &mut sum);
    times(&acts[3], na, &along.v, &mut sum);
    times(&acts[4], na, &along.act, &mut sum);
    times(&acts[5], na, &along.u, &mut sum);
    assert!(relative_error(&sum, &dact) < 1e-12, "{name}: activations");
    // Reverse mode.
    let weights = Point::direction(rng, &model);
    let mut bars = [nv, nv, na, nu].map(|n| vec![0.0; n]);
    let [q, v, act, u] = bars.each_mut().map(|x| Some(&mut x[..]));
    let out = StepAdjoint {
        q,
        v,
        act,
        u,
        ..StepAdjoint::default()
    };
    sim.step_vjp_act(&weights.q, &weights.v, &weights.act, out)
        .unwrap();
    let forward = [
        dot(&weights.q, &dq),
        dot(&weights.v, &dv),
        dot(&weights.act, &dact),
    ];
    let [q, v, act, u] = &bars;
    let backward = [
        dot(q, &along.q),
        dot(v, &along.v),
        dot(act, &along.act),
        dot(u, &along.u),
    ];
    let size: f64 = backward.iter().chain(&forward).map(|x| x.abs()).sum();
    let apart = forward.iter().sum::<f64>() - backward.iter().sum::<f64>();
    assert!(apart.abs() < 1e-10 * size, "{name}: {apart:e} of {size}");
    // Differences. A margin of a velocity is one of a position h times as far, so that modes are compared,
    // too.
    let e = 1e-5;
    let modes = sim.constraint_modes().to_vec();
    let mut ends = Vec::new();
    for scale in [1.0, -1.0, 2.0, -2.0] {
        let to = step(sim, memory, &at.moved(&model, &along, scale * e)).unwrap();
        if sim.constraint_modes() != modes {
            return false;
        }
        let mut dq = vec![0.0; nv];
        model.difference(&base.q, &to.q, &mut dq);
        let rest = to.v.iter().chain(&to.act).copied();
        ends.push(dq.into_iter().chain(rest).collect::<Vec<f64>>());
    }
    let by_difference: Vec<f64> = (0..2 * nv + na)
        .map(|k| (8.0 * (ends[0][k] - ends[1][k]) - (ends[2][k] - ends[3][k])) / (12.0 * e))
        .collect();
    let all = [&dq[..], &dv, &dact].concat();
    let parts = [0..nv, nv..2 * nv, 2 * nv..2 * nv + na];
    for (part, bound) in parts.into_iter().zip([2e-7, 2e-7, 1e-8]) {
        let error = relative_error(&all[part.clone()], &by_difference[part]);
        assert!(error < bound, "{name}: {error:e}");
    }
    true
}

fn check_many(model: Model, o: &Options, seed: u64, count: usize, name: &str) {
    let model = Arc::new(model);
    let mut sim = Sim::new(model.clone(), o).unwrap();
    let mut memory = vec![0.0; sim.memory_size()];
    sim.get_memory(&mut memory).unwrap();
    let mut rng = Rng::new(seed);
    let name = format!("{name}, {:?}, {:?}", o.integrator, o.contact);
    let compared = (0..count)
        .filter(|_| {
            let at = Point::random(&mut rng, &model);
            check(&mut sim, &memory, &at, &mut rng, &name)
        })
        .count();
    assert!(2 * compared > count, "{name}: {compared} of {count}");
}

#[test]
fn derivatives_with_every_integrator_and_law() {
    use Integrator::{
        Bdf1, ImplicitEuler, Midpoint, Sdirk2, SymplecticEuler, SymplecticEulerWorld,
    };
    let model = pulled();
    assert!(model.na() > 20 && model.na() < model.nu());
    for integrator in [
        SymplecticEuler,
        SymplecticEulerWorld,
        ImplicitEuler,
        Midpoint,
        Bdf1,
        Sdirk2,
    ] {
        let one_stage = !matches!(integrator, Bdf1 | Sdirk2);
        let laws = LAWS.into_iter().filter(|_| one_stage);
        for contact in [Contact::None, Contact::Penalty].into_iter().chain(laws) {
            let o = Options {
                integrator,
                contact,
                newton_tolerance: 1e-13,
                ..options(4e-3)
            };
            check_many(model.clone(), &o, 3, 4, "arms");
        }
    }
}

#[test]
fn derivatives_of_random_trees() {
    for seed in 0..4 {
        let mut spec = corded_spec(80 + seed, 5 + seed as usize);
        actuate(&mut spec);
        let model = Model::compile(spec, Actuation::FromFile).unwrap();
        for contact in [Contact::None, Contact::Ncp] {
            let o = Options {
                contact,
                ..options(4e-3)
            };
            check_many(model.clone(), &o, seed, 6, &format!("seed {seed}"));
        }
    }
}

/// Trees so deep that columns go direction by direction.
#[test]
fn derivatives_of_deep_trees() {
    let mut spec = crate::common::random_spec(5, 80);
    for (k, b) in spec.bodies.iter_mut().enumerate().skip(1) {
        b.parent = k - 1;
    }
    actuate(&mut spec);
    let model = Model::compile(spec, Actuation::FromFile).unwrap();
    assert!(model.topology().is_deep());
    for integrator in [Integrator::SymplecticEulerWorld, Integrator::Sdirk2] {
        let o = Options {
            contact: Contact::None,
            integrator,
            newton_tolerance: 1e-13,
            ..options(1e-3)
        };
        check_many(model.clone(), &o, 4, 2, "deep");
    }
}

#[test]
fn in_contact() {
    let model = Arc::new(walker());
    for contact in LAWS {
        let o = Options {
            contact,
            ..options(2e-3)
        };
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        let mut rng = Rng::new(4);
        let mut at = Point {
            q: standing(&model),
            v: vec![0.0; model.nv()],
            act: standing(&model)[7..].to_vec(),
            u: Vec::new(),
        };
        let mut memory = vec![0.0; sim.memory_size()];
        let (mut compared, mut touching) = (0, false);
        for k in 0..60 {
            at.u = at.q[7..]
                .iter()
                .map(|q| q + rng.range(-0.05, 0.05))
                .collect();
            sim.get_memory(&mut memory).unwrap();
            if k % 2 == 0 {
                let name = format!("walker, {contact:?}");
                compared += usize::from(check(&mut sim, &memory, &at, &mut rng, &name));
            }
            at = Point {
                u: at.u.clone(),
                ..step(&mut sim, &memory, &at).unwrap()
            };
            touching |= sim.contacts().iter().any(|c| c.impulse[2] > 0.0);
        }
        assert!(touching && compared > 6, "{contact:?}: {compared}");
    }
}

/// The loss is a weighted sum of all states and activations.
#[test]
fn gradients_of_trajectories() {
    use Integrator::{
        Bdf1, Bdf2, ImplicitEuler, Midpoint, Sdirk2, SymplecticEuler, SymplecticEulerWorld,
    };
    const STEPS: usize = 50;
    let model = Arc::new(pulled());
    let (nq, nv, nu, na) = (model.nq(), model.nv(), model.nu(), model.na());
    for (integrator, contact) in [
        (SymplecticEuler, Contact::None),
        (SymplecticEulerWorld, Contact::Ncp),
        (ImplicitEuler, Contact::None),
        (Midpoint, Contact::Convex),
        (Bdf1, Contact::None),
        (Sdirk2, Contact::None),
        (Bdf2, Contact::None),
    ] {
        let mut rng = Rng::new(12);
        let at = Point::random(&mut rng, &model);
        let u: Vec<f64> = (0..nu * STEPS).map(|_| rng.range(0.1, 0.9)).collect();
        let along = Point::direction(&mut rng, &model);
        let du = rng.vector(nu * STEPS, 1.0);
        let of_v = rng.vector(nv * (STEPS + 1), 1.0);
        let of_act = rng.vector(na * (STEPS + 1), 1.0);
        let zero = vec![0.0; nv * (STEPS + 1)];
        let mut both = Vec::new();
        for checkpoint_interval in [1, 7] {
            let o = Options {
                integrator,
                contact,
                checkpoint_interval,
                newton_tolerance: 1e-13,
                ..options(1e-3)
            };
            let name = format!("{integrator:?}, {contact:?}, {checkpoint_interval}");
            let mut rollout = Rollout::new(model.clone(), &o, STEPS).unwrap();
            let run = |rollout: &mut Rollout, e: f64| {
                let from = at.moved(&model, &along, e);
                let u: Vec<f64> = u.iter().zip(&du).map(|(u, d)| u + e * d).collect();
                let n = STEPS + 1;
                let (mut q, mut v, mut act) =
                    (vec![0.0; nq * n], vec![0.0; nv * n], vec![0.0; na * n]);
                let out = Trajectory {
                    q: Some(&mut q),
                    v: Some(&mut v),
                    act: Some(&mut act),
                };
                rollout
                    .run_act(&from.q, &from.v, &from.act, &u, STEPS, out)
                    .unwrap();
                assert_eq!(act[..na], from.act);
                assert_eq!(act[na * STEPS..], *rollout.sim().act());
                assert_eq!(q[..nq], from.q);
                (dot(&v, &of_v) + dot(&act, &of_act), act)
            };
            let e = 2e-6;
            let values = [1.0, -1.0, 2.0, -2.0].map(|s| run(&mut rollout, s * e).0);
            let slope = (8.0 * (values[0] - values[1]) - (values[2] - values[3])) / (12.0 * e);
            let (_, acts) = run(&mut rollout, 0.0);
            let mut bars = [nv, nv, na, nu * STEPS].map(|n| vec![0.0; n]);
            let [q0, v0, act0, u] = bars.each_mut().map(|x| Some(&mut x[..]));
            let out = RolloutAdjoint {
                q0,
                v0,
                act0,
                u,
                p: None,
            };
            rollout.adjoint_act(&zero, &of_v, &of_act, out).unwrap();
            let [q0, v0, act0, ub] = &bars;
            let terms = [
                dot(q0, &along.q),
                dot(v0, &along.v),
                dot(act0, &along.act),
                dot(ub, &du),
            ];
            let size: f64 = terms.iter().map(|x| x.abs()).sum();
            let found: f64 = terms.iter().sum();
            assert!(
                (found - slope).abs() < 2e-6 * size,
                "{name}: {found} {slope} {terms:?}"
            );
            assert!(
                act0.iter().filter(|x| **x != 0.0).count() > na / 2,
                "{name}"
            );
            both.push((bars, acts));
        }
        let [first, second] = &both[..] else {
            panic!("two intervals")
        };
        assert_eq!(first, second, "{integrator:?}");
    }
}

/// The calls without activations: a step's at fixed activations, a trajectory's through them.
#[test]
fn calls_without_activations() {
    let model = Arc::new(walker());
    let (nv, nu) = (model.nv(), model.nu());
    assert_eq!(model.na(), nu);
    let o = options(2e-3);
    let mut sim = Sim::new(model.clone(), &o).unwrap();
    let q = standing(&model);
    let (v, u) = (vec![0.0; nv], q[7..].to_vec());
    let (mut qn, mut vn) = (q.clone(), v.clone());
    sim.set_act(&u).unwrap();
    sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
    let (mut by_u, mut bar) = (vec![1.0; nv * nu], vec![1.0; nu]);
    sim.step_jacobians(StepJacobians {
        dv_du: Some(&mut by_u),
        ..StepJacobians::default()
    })
    .unwrap();
    sim.step_vjp(
        &vec![1.0; nv],
        &vec![1.0; nv],
        None,
        None,
        Some(&mut bar),
        None,
    )
    .unwrap();
    assert!(by_u.iter().chain(&bar).all(|x| *x == 0.0));
    let steps = 20;
    let mut rollout = Rollout::new(model.clone(), &o, steps).unwrap();
    let mut us = u.repeat(steps);
    let weights = Rng::new(3).vector(nv * (steps + 1), 1.0);
    let zero = vec![0.0; nv * (steps + 1)];
    let loss = |rollout: &mut Rollout, us: &[f64]| {
        let mut v = vec![0.0; nv * (steps + 1)];
        let start = vec![0.0; nv];
        rollout
            .run(&q, &start, us, steps, None, Some(&mut v))
            .unwrap();
        dot(&v, &weights)
    };
    loss(&mut rollout, &us);
    let mut u_bar = vec![0.0; nu * steps];
    rollout
        .adjoint(&zero, &weights, None, None, Some(&mut u_bar), None)
        .unwrap();
    for k in [0, 3 * nu + 2, 9 * nu + 5] {
        let e = 1e-5;
        let u = us[k];
        us[k] = u + e;
        let up = loss(&mut rollout, &us);
        us[k] = u - e;
        let down = loss(&mut rollout, &us);
        us[k] = u;
        let slope = (up - down) / (2.0 * e);
        assert!(
            (slope - u_bar[k]).abs() < 1e-5 * slope.abs().max(1e-2),
            "{k}: {slope} {}",
            u_bar[k]
        );
        assert!(slope != 0.0);
    }
}
