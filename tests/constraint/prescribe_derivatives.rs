//! Prescribed motion: the velocity to the bit of round-off, derivatives against differences with every law
//! and scheme, of impulses, of trajectories and in sparse form.

use crate::common::checker::{Checker, FOURTH_ORDER, SECOND_ORDER, quadruped, standing};
use crate::common::prescribed::{
    ALL, CONVEYOR, LAWS, Run, SYMPLECTIC, mjcf, prescribed, seen_from_the_start, some_dofs, with,
};
use crate::common::scene::lying;
use crate::common::tendons::corded;
use crate::common::*;
use diffsim::error::Status;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::JointKind;
use diffsim::rollout::Rollout;
use diffsim::step::{Contact, Integrator, Options, Sim, StepJacobians};
use std::sync::Arc;

/// A free body with all of its dofs driven, under a hinge that is not, and with others of a trunk's.
#[test]
fn a_free_joint_as_a_whole() {
    let model = Arc::new(quadruped(false));
    for (scheme, contact) in SYMPLECTIC
        .into_iter()
        .flat_map(|s| LAWS.map(|law| (s, law)))
    {
        let mut sim = Sim::new(model.clone(), &with(scheme, contact, 2e-3)).unwrap();
        let velocity = [0.3, -0.2, 0.4, 1.5, -2.0, 2.5];
        for (k, v) in velocity.iter().enumerate() {
            sim.prescribe(k, *v).unwrap();
        }
        let mut c = Checker::of(sim);
        (c.eps, c.stencil) = (1e-6, FOURTH_ORDER);
        c.select(&(0..6).map(prescribed).collect::<Vec<_>>());
        let (mut q, mut v) = (standing(&model), Rng::new(4).vector(18, 0.5));
        for _ in 0..3 {
            c.check(&mut q, &mut v, &[0.0; 18]);
            for (v, wanted) in v.iter().zip(velocity) {
                assert!(
                    (v - wanted).abs() < 1e-15,
                    "{scheme:?}, {contact:?}: {v} for {wanted}"
                );
            }
        }
        let t = c.tally(&format!("{scheme:?}, {contact:?}, as a whole"));
        assert!(t.p99 < 1e-6 && t.wrong == 0 && t.apart < 1e-10, "{t:?}");
        // One let go, the others are along the axes where the step begins.
        c.sim.select_params(&[]).unwrap();
        c.sim.prescribe(4, f64::NAN).unwrap();
        let (before, v0) = (q.clone(), v.clone());
        c.sim
            .step(&before, &v0, &[0.0; 18], &mut q, &mut v)
            .unwrap();
        let seen = seen_from_the_start(&model, scheme, &[], &before, &q, &v);
        for k in [0, 1, 2, 3, 5] {
            assert!((seen[k] - velocity[k]).abs() < 1e-14, "{scheme:?}: dof {k}");
        }
    }
}

#[test]
fn derivatives_of_random_trees() {
    for seed in [1, 4, 6, 9] {
        let model = Arc::new(random_tree(seed, 7));
        for scheme in ALL {
            let mut rng = Rng::new(seed);
            let dofs = some_dofs(&mut rng, &model);
            let options = with(scheme, Contact::None, 0.02);
            let mut sim = Sim::new(model.clone(), &options).unwrap();
            for k in &dofs {
                sim.prescribe(*k, rng.range(-1.5, 1.5)).unwrap();
            }
            let mut c = Checker::of(sim);
            (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
            let mut list: Vec<Param> = dofs.iter().map(|k| prescribed(*k)).collect();
            list.extend([
                param(ParamKind::Gravity, 0, 1),
                param(ParamKind::BodyInertia, 2, 0),
                param(ParamKind::BodyInertia, model.nbody() - 1, 5),
                param(ParamKind::JointPlacement, 1, 2),
                param(ParamKind::JointArmature, 2, 0),
                param(ParamKind::ExternalWrench, 3, 4),
            ]);
            list.retain(|p| model.check_param(p).is_ok());
            c.select(&list);
            let (mut q, mut v) = (random_q(&mut rng, &model, 0.8), rng.vector(model.nv(), 2.0));
            for _ in 0..2 {
                let u = rng.vector(model.nu(), 3.0);
                let before = q.clone();
                c.check(&mut q, &mut v, &u);
                let seen = seen_from_the_start(&model, scheme, &dofs, &before, &q, &v);
                for k in &dofs {
                    let wanted = c.sim.prescribed_velocity(*k);
                    assert!((seen[*k] - wanted).abs() < 1e-12, "{scheme:?}: dof {k}");
                }
            }
            let t = c.tally(&format!("{scheme:?}, {dofs:?} of {}", model.nv()));
            assert!(t.p99 < 1e-8 && t.wrong == 0 && t.apart < 1e-10, "{t:?}");
        }
    }
}

/// With contacts, limits and dry friction: a leg is driven through all of them, and the trunk forward.
#[test]
fn derivatives_of_a_quadruped() {
    let model = Arc::new(quadruped(false));
    let rest = standing(&model);
    let schemes = [SYMPLECTIC[0], SYMPLECTIC[1], Integrator::Midpoint];
    for (scheme, contact) in schemes.into_iter().flat_map(|s| LAWS.map(|law| (s, law))) {
        let driven = match scheme {
            Integrator::Midpoint => vec![(8, 0.5), (9, -0.7), (11, 0.0)],
            _ => vec![(0, 0.3), (8, 0.5), (9, -0.7), (11, 0.0)],
        };
        let mut sim = Sim::new(model.clone(), &with(scheme, contact, 2e-3)).unwrap();
        for (k, v) in &driven {
            sim.prescribe(*k, *v).unwrap();
        }
        let mut c = Checker::of(sim);
        (c.eps, c.stencil) = match contact {
            Contact::Convex | Contact::None => (1e-6, FOURTH_ORDER),
            _ => (3e-8, SECOND_ORDER),
        };
        let mut list: Vec<Param> = driven.iter().map(|(k, _)| prescribed(*k)).collect();
        let calf = model.joint_id("calf1").unwrap();
        list.extend([
            param(ParamKind::JointPlacement, calf, 1),
            param(ParamKind::JointDamping, calf, 0),
            param(ParamKind::BodyInertia, 3, 0),
        ]);
        if contact != Contact::None {
            list.push(param(ParamKind::GeomFriction, 0, 0));
        }
        c.select(&list);
        let mut rng = Rng::new(4);
        let (mut q, mut v) = (rest.clone(), vec![0.0; 18]);
        let mut touched = 0;
        for step in 0..60 {
            let mut u = vec![0.0; 18];
            for k in 6..18 {
                u[k] = 40.0 * (rest[k + 1] - q[k + 1]) - v[k] + rng.range(-2.0, 2.0);
            }
            let before = q.clone();
            if step % 12 == 11 {
                c.check(&mut q, &mut v, &u);
            } else {
                let v0 = v.clone();
                c.sim.step(&before, &v0, &u, &mut q, &mut v).unwrap();
            }
            let dofs: Vec<usize> = driven.iter().map(|(k, _)| *k).collect();
            let seen = seen_from_the_start(&model, scheme, &dofs, &before, &q, &v);
            for (k, wanted) in &driven {
                assert!((seen[*k] - wanted).abs() < 1e-13, "{contact:?}: dof {k}");
            }
            touched += usize::from(c.sim.contacts().iter().any(|c| c.impulse[2] > 0.0));
        }
        assert!(touched > 10 || contact == Contact::None);
        c.report(&format!("{scheme:?}, {contact:?}"));
    }
}

/// Σ of random weights times the last state of a simulation, and how it varies by central differences along a
/// direction of the state, the inputs and the parameters, against directional derivative and adjoint.
fn check_direction(sim: &mut Sim, q: &[f64], v: &[f64], bound: f64) {
    let model = sim.model().clone();
    let (nv, nu, np) = (model.nv(), model.nu(), sim.np());
    let mut rng = Rng::new(8);
    let along = [nv, nv, nu, np].map(|n| rng.vector(n, 1.0));
    let u = rng.vector(nu, 1.0);
    let mut p = vec![0.0; np];
    sim.get_params(&mut p).unwrap();
    let mut base = q.to_vec();
    let mut at = |sim: &mut Sim, e: f64| {
        let moved = |x: &[f64], k: usize| -> Vec<f64> {
            x.iter().zip(&along[k]).map(|(x, d)| x + e * d).collect()
        };
        let mut start = q.to_vec();
        model.integrate(q, &moved(&vec![0.0; nv], 0), &mut start);
        sim.set_params(&moved(&p, 3)).unwrap();
        let (mut qn, mut vn) = (q.to_vec(), v.to_vec());
        sim.step(&start, &moved(v, 1), &moved(&u, 2), &mut qn, &mut vn)
            .unwrap();
        if e == 0.0 {
            base.copy_from_slice(&qn);
        }
        let mut x = vec![0.0; nv];
        model.difference(&base, &qn, &mut x);
        [x, vn].concat()
    };
    at(sim, 0.0);
    let fd = difference(1e-6, |e| at(sim, e));
    at(sim, 0.0);
    let (mut dq, mut dv) = (vec![0.0; nv], vec![0.0; nv]);
    let [a, b, c, d] = &along;
    sim.step_jvp(a, b, c, d, &mut dq, &mut dv).unwrap();
    let jvp = [dq, dv].concat();
    let z = rng.vector(2 * nv, 1.0);
    let mut bars = [nv, nv, nu, np].map(|n| vec![0.0; n]);
    let [qb, vb, ub, pb] = bars.each_mut().map(|x| Some(&mut x[..]));
    sim.step_vjp(&z[..nv], &z[nv..], qb, vb, ub, pb).unwrap();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let back: f64 = bars.iter().zip(&along).map(|(b, w)| dot(b, w)).sum();
    let there = dot(&z, &jvp);
    let error = relative_error(&jvp, &fd);
    assert!(error < bound, "{error:e}");
    assert!(
        (back - there).abs() < 1e-9 * there.abs().max(1.0),
        "{back} {there}"
    );
}

/// Where A has terms between dofs of different branches, which tie driven ones to free ones.
#[test]
fn forces_between_branches() {
    for seed in 1..6 {
        let model = Arc::new(corded(seed, 6));
        for (scheme, contact) in ALL
            .into_iter()
            .flat_map(|s| [Contact::None, Contact::Penalty].map(|c| (s, c)))
        {
            let mut rng = Rng::new(seed);
            let dofs = some_dofs(&mut rng, &model);
            let mut sim = match Sim::new(model.clone(), &with(scheme, contact, 5e-3)) {
                Ok(sim) => sim,
                Err(e) => {
                    assert_eq!((e.status, contact), (Status::Unsupported, Contact::Penalty));
                    continue;
                }
            };
            for k in &dofs {
                sim.prescribe(*k, rng.range(-1.0, 1.0)).unwrap();
            }
            let list: Vec<Param> = dofs.iter().map(|k| prescribed(*k)).collect();
            sim.select_params(&list).unwrap();
            let (q, v) = (random_q(&mut rng, &model, 0.5), rng.vector(model.nv(), 1.0));
            check_direction(&mut sim, &q, &v, 1e-6);
            // In world axes a free or ball joint turns by the discrete Euler equations once it is freed, and
            // as it is driven before: one is not the other with an impulse more.
            let turns = model.joints().iter().any(|j| {
                let own = j.iv..j.iv + j.nv;
                matches!(j.kind, JointKind::Free | JointKind::Spherical)
                    && dofs.iter().any(|k| own.contains(k))
            });
            let balances = scheme == SYMPLECTIC[0] || !turns;
            if SYMPLECTIC.contains(&scheme) && balances {
                free_dofs_balance(&mut sim, &dofs);
            }
        }
    }
}

/// The impulse on a driven dof follows from the balance of all forces, which is zero on free dofs. A free
/// mechanism with this impulse as an input over the step moves the same way.
fn free_dofs_balance(sim: &mut Sim, dofs: &[usize]) {
    let (nv, h) = (sim.model().nv(), sim.options().time_step);
    assert_eq!(sim.model().nu(), nv);
    let mut rng = Rng::new(2);
    let (q, v) = (
        random_q(&mut rng, &sim.model().clone(), 0.5),
        rng.vector(nv, 1.0),
    );
    let u = rng.vector(nv, 1.0);
    let (mut qn, mut vn) = (q.clone(), v.clone());
    sim.reset();
    sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
    let mut impulse = vec![f64::NAN; nv];
    sim.prescribed_impulses(&mut impulse).unwrap();
    let driven: Vec<f64> = u.iter().zip(&impulse).map(|(u, x)| u + x / h).collect();
    sim.select_params(&[]).unwrap();
    for k in dofs {
        sim.prescribe(*k, f64::NAN).unwrap();
    }
    let (mut qf, mut vf) = (q.clone(), v.clone());
    sim.reset();
    sim.step(&q, &v, &driven, &mut qf, &mut vf).unwrap();
    let size = vn.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    let apart = vn
        .iter()
        .zip(&vf)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(apart < 1e-7 * size, "{apart:e}");
}

/// Beyond the depth of packed rows, on the ground.
#[test]
fn a_deep_tree() {
    let model = lying(72, 4);
    let nv = model.nv();
    assert!(model.topology().is_deep());
    let schemes = [
        SYMPLECTIC[0],
        SYMPLECTIC[1],
        Integrator::Midpoint,
        Integrator::Sdirk2,
    ];
    for (scheme, contact) in schemes.into_iter().flat_map(|s| LAWS.map(|law| (s, law))) {
        if scheme == Integrator::Sdirk2 && contact != Contact::None {
            continue;
        }
        let mut sim = Sim::new(model.clone(), &with(scheme, contact, 2e-3)).unwrap();
        for k in [0, 20, 21, 50] {
            sim.prescribe(k, 0.01 * k as f64 - 0.1).unwrap();
        }
        sim.select_params(&[
            prescribed(20),
            prescribed(50),
            param(ParamKind::BodyInertia, 40, 1),
        ])
        .unwrap();
        let mut rng = Rng::new(3);
        let v = rng.vector(nv, 0.01);
        check_direction(&mut sim, model.neutral(), &v, 1e-5);
        let (mut qn, mut vn) = (model.neutral().to_vec(), v.clone());
        sim.step(model.neutral(), &v, &vec![0.0; nv], &mut qn, &mut vn)
            .unwrap();
        for k in [0, 20, 21, 50] {
            assert_eq!(vn[k], 0.01 * k as f64 - 0.1, "{scheme:?}, {contact:?}");
        }
        if SYMPLECTIC.contains(&scheme) && contact == Contact::None {
            free_dofs_balance(&mut sim, &[0, 20, 21, 50]);
        }
    }
}

/// The adjoint of a trajectory by the prescribed velocity is that of all of its steps; free, it is gone.
#[test]
fn adjoint_of_a_trajectory() {
    const STEPS: usize = 150;
    let model = mjcf(CONVEYOR);
    let belt = model.joint(model.joint_id("belt").unwrap()).iv;
    let (nq, nv) = (model.nq(), model.nv());
    for (scheme, contact, interval) in [
        (SYMPLECTIC[0], Contact::Ncp, 1),
        (SYMPLECTIC[1], Contact::Lcp, 7),
        (SYMPLECTIC[1], Contact::Convex, 1),
        (Integrator::Midpoint, Contact::Convex, 5),
    ] {
        let options = Options {
            checkpoint_interval: interval,
            ..with(scheme, contact, 1e-3)
        };
        let mut rollout = Rollout::new(model.clone(), &options, STEPS).unwrap();
        rollout.sim_mut().prescribe(belt, 0.25).unwrap();
        rollout.select_params(&[prescribed(belt)]).unwrap();
        let mut run = |speed: f64| {
            rollout.sim_mut().set_params(&[speed]).unwrap();
            let (mut q, mut v) = (vec![0.0; nq * (STEPS + 1)], vec![0.0; nv * (STEPS + 1)]);
            let (q0, v0) = (model.neutral(), vec![0.0; nv]);
            rollout
                .run(q0, &v0, &[], STEPS, Some(&mut q), Some(&mut v))
                .unwrap();
            let (mut q_bar, mut v_bar) = (vec![0.0; nv * (STEPS + 1)], vec![0.0; nv * (STEPS + 1)]);
            // Where the box goes, and how fast it is at last.
            let box_x = usize::from(belt == 0);
            q_bar[nv * STEPS + box_x] = 1.0;
            v_bar[nv * STEPS + box_x] = 0.3;
            v_bar[nv * 40 + box_x] = 0.2;
            let mut p_bar = [f64::NAN];
            rollout
                .adjoint(&q_bar, &v_bar, None, None, None, Some(&mut p_bar))
                .unwrap();
            let at = |x: &[f64], n: usize, step: usize| x[n * step + box_x];
            let loss = at(&q, nq, STEPS) + 0.3 * at(&v, nv, STEPS) + 0.2 * at(&v, nv, 40);
            (loss, p_bar[0])
        };
        let (_, gradient) = run(0.25);
        let e = 1e-6;
        let slope = (run(0.25 + e).0 - run(0.25 - e).0) / (2.0 * e);
        assert!(
            (slope - gradient).abs() < 2e-5 * slope.abs().max(1.0),
            "{scheme:?}, {contact:?}: {slope} {gradient}"
        );
        assert!(slope.abs() > 0.05);
    }
}

/// Contact impulses by the prescribed velocity: of a box that slides and of one that a driven plate throws
/// up.
#[test]
fn derivatives_of_impulses() {
    let model = mjcf(&CONVEYOR.replace("axis=\"1 0 0\"", "axis=\"1 0 1\""));
    let belt = model.joint(model.joint_id("belt").unwrap()).iv;
    for (scheme, contact) in SYMPLECTIC
        .into_iter()
        .flat_map(|s| LAWS[..3].iter().map(move |law| (s, *law)))
    {
        let mut run = Run::new(&model, &with(scheme, contact, 1e-3));
        run.sim.prescribe(belt, 0.1).unwrap();
        run.sim.select_params(&[prescribed(belt)]).unwrap();
        for _ in 0..3 {
            run.step();
        }
        let (q, v) = (run.q.clone(), run.v.clone());
        let mut warm = vec![0.0; run.sim.memory_size()];
        run.sim.get_memory(&mut warm).unwrap();
        let total = |speed: f64, sim: &mut Sim| {
            sim.set_memory(&warm).unwrap();
            sim.set_params(&[speed]).unwrap();
            sim.step(&q, &v, &[], &mut q.clone(), &mut v.clone())
                .unwrap();
            let all = sim.contacts().iter();
            all.fold([0.0; 3], |s, c| [0, 1, 2].map(|k| s[k] + c.impulse[k]))
        };
        let e = 1e-7;
        let [up, down] = [0.1 + e, 0.1 - e].map(|x| total(x, &mut run.sim));
        total(0.1, &mut run.sim);
        let n = 3 * run.sim.contacts().len();
        assert!(n > 0);
        let mut change = vec![0.0; n];
        run.sim
            .impulse_jvp(&[], &[], &[], &[1.0], &mut change)
            .unwrap();
        for k in 0..3 {
            let ours: f64 = change.iter().skip(k).step_by(3).sum();
            let slope = (up[k] - down[k]) / (2.0 * e);
            assert!(
                (ours - slope).abs() < 1e-5 * slope.abs().max(1.0),
                "{contact:?}: {ours} {slope}"
            );
        }
        let z = Rng::new(1).vector(n, 1.0);
        let mut p_bar = [f64::NAN];
        run.sim
            .impulse_vjp(&z, None, None, None, Some(&mut p_bar))
            .unwrap();
        let there: f64 = z.iter().zip(&change).map(|(a, b)| a * b).sum();
        assert!((p_bar[0] - there).abs() < 1e-10 * there.abs().max(1.0));
    }
}

/// Rows of a driven dof are zero but for its parameter's column; sparse Jacobians have the same numbers.
#[test]
fn rows_of_driven_dofs() {
    let model = Arc::new(quadruped(false));
    let (nv, q) = (model.nv(), standing(&model));
    for contact in LAWS {
        let mut sim = Sim::new(model.clone(), &with(SYMPLECTIC[1], contact, 1e-3)).unwrap();
        sim.prescribe(8, 0.5).unwrap();
        sim.select_params(&[prescribed(8), param(ParamKind::BodyInertia, 3, 0)])
            .unwrap();
        sim.step(
            &q,
            &vec![0.1; nv],
            &vec![0.0; nv],
            &mut q.clone(),
            &mut vec![0.0; nv],
        )
        .unwrap();
        let sizes = [nv, nv, nv, 2];
        let mut jq = sizes.map(|n| vec![f64::NAN; nv * n]);
        let mut jv = jq.clone();
        sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
        for (kind, j) in jv.iter().enumerate() {
            for (k, column) in j.chunks_exact(nv).enumerate() {
                let own = f64::from(u8::from(kind == 3 && k == 0));
                assert_eq!(column[8], own, "{contact:?}, {kind}, {k}");
            }
        }
        let count = sim.jacobian_entries().unwrap().by_state;
        let mut sparse = vec![f64::NAN; count];
        let out = StepJacobians {
            dv_dv: Some(&mut sparse),
            ..StepJacobians::default()
        };
        sim.step_jacobians_sparse(out).unwrap();
        let sum = |x: &[f64]| x.iter().map(|x| x.abs()).sum::<f64>();
        assert!((sum(&sparse) - sum(&jv[1])).abs() < 1e-12 * sum(&sparse));
    }
}
