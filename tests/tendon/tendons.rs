//! Springs and tendons in steps: Jacobians, directions and adjoints, stiff ones, energy, momentum, bits,
//! heap.

use crate::common::checker::{Checker, options};
use crate::common::tendons::{anchors, corded, corded_spec, spring, tendon};
use crate::common::trajectory::{From, compare};
use crate::common::{Rng, in_body, param, random_body, random_q, relative_error};
use allocation_counter::measure;
use diffsim::dynamics::{Dynamics, jacobian};
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{JointKind, ModelSpec};
use diffsim::model::tendon::{PathPoint, TendonPath};
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::spatial::{Inertia, Sym3, Vec3};
use diffsim::step::{Contact, Integrator, Options, Sim, StepJacobians};
use std::sync::Arc;

fn smooth(h: f64) -> Options {
    Options {
        contact: Contact::None,
        ..options(h)
    }
}

/// All numbers of tendons and springs, and placements of joints.
fn parameters(model: &Model) -> Vec<Param> {
    let mut list = anchors(model);
    for i in 0..model.tendons().len() {
        list.extend((0..4).map(|c| param(ParamKind::Tendon, i, c)));
    }
    for i in 0..model.springs().len() {
        list.extend((0..2).map(|c| param(ParamKind::Spring, i, c)));
    }
    let joints = model.joints().iter().enumerate();
    for (j, _) in joints.filter(|(_, j)| j.nv > 0).take(3) {
        list.extend((0..6).map(|c| param(ParamKind::JointPlacement, j, c)));
    }
    list
}

#[test]
fn derivatives_against_differences() {
    for seed in 0..6 {
        let mut spec = corded_spec(60 + seed, 4 + seed as usize);
        // One with a band, one that is slack in some of the states.
        spec.tendons[0].rest = Some((0.1, 0.3));
        spec.tendons[1].pull_only = true;
        spec.tendons[1].rest = Some((0.2, 0.5));
        let model = Model::compile(spec, Actuation::Full).unwrap();
        let contact = match seed % 3 {
            2 => Contact::Ncp,
            _ => Contact::None,
        };
        let options = Options {
            contact,
            ..smooth(0.01)
        };
        let options = if seed % 2 == 0 {
            options
        } else {
            in_body(options)
        };
        let q = random_q(&mut Rng::new(seed), &model, 0.4);
        let list = parameters(&model);
        let mut c = Checker::new(model, &options);
        c.select(&list);
        c.run(&format!("seed {seed}"), &q, 1.0, 2);
    }
}

/// What a step sees of a tension is that at its end, to first order.
#[test]
fn a_tension_is_that_at_the_end_of_the_step() {
    let mut model = corded_spec(70, 7);
    model.springs.clear();
    let bare = ModelSpec {
        tendons: Vec::new(),
        ..model.clone()
    };
    let model = Model::compile(model, Actuation::Full).unwrap();
    let bare = Model::compile(bare, Actuation::Full).unwrap();
    let (nv, h, mut rng) = (model.nv(), 0.01, Rng::new(4));
    let q = random_q(&mut rng, &model, 0.4);
    let (v, mut u) = (rng.vector(nv, 1.0), rng.vector(nv, 1.0));
    let options = in_body(smooth(h));
    let step = |model: &Model, u: &[f64]| {
        let mut sim = Sim::new(Arc::new(model.clone()), &options).unwrap();
        let (mut q_next, mut v_next) = (q.clone(), v.clone());
        sim.step(&q, &v, u, &mut q_next, &mut v_next).unwrap();
        v_next
    };
    let v_next = step(&model, &u);
    let n = model.tendons().len();
    let (mut lengths, mut moments) = (vec![0.0; n], vec![0.0; n * nv]);
    let mut sim = Sim::new(Arc::new(model.clone()), &options).unwrap();
    sim.tendon_lengths(&q, &mut lengths, Some(&mut moments))
        .unwrap();
    for (i, g) in moments.chunks_exact(nv).enumerate() {
        let [k, d, rest, _] = model.params().tendon[i];
        let rate: f64 = g.iter().zip(&v_next).map(|(g, v)| g * v).sum();
        let tension = k * (lengths[i] + h * rate - rest) + d * rate;
        u.iter_mut().zip(g).for_each(|(u, g)| *u -= g * tension);
    }
    let again = step(&bare, &u);
    let error = relative_error(&v_next, &again);
    assert!(error < 1e-10, "{error:e}");
}

/// A chain, and a second tree, held by cables of 10⁸ N/m and a spring as stiff between points that meet at
/// the reference.
fn stiff() -> Model {
    let mut rng = Rng::new(9);
    let mut spec = ModelSpec::default();
    for id in 1..=6 {
        let kind = match id {
            6 => JointKind::Free,
            _ => [JointKind::Revolute, JointKind::Spherical][id % 2],
        };
        let parent = if id == 6 { 0 } else { id - 1 };
        let mut b = random_body(&mut rng, id, parent, kind);
        let j = &mut b.joints[0];
        (j.damping, j.stiffness) = (0.0, 0.0);
        spec.bodies.push(b);
    }
    let at = |body, rng: &mut Rng| PathPoint::Point {
        body,
        at: rng.vec3(0.2),
    };
    for (a, b) in [(0, 5), (2, 4), (5, 6)] {
        let path = vec![at(a, &mut rng), at(b, &mut rng)];
        let mut t = tendon("", TendonPath::Spatial(path));
        (t.stiffness, t.pull_only) = (1e8, true);
        spec.tendons.push(t);
    }
    let bare = Model::compile(spec.clone(), Actuation::Full).unwrap();
    let mut d = Dynamics::new(&bare, false);
    d.update_positions(&bare, bare.params(), bare.neutral());
    let [three, six] = ["body3", "body6"].map(|n| d.kin.body_pose(&bare, bare.body_id(n).unwrap()));
    let mut s = spring("", [3, 6], &mut rng);
    (s.stiffness, s.damping) = (1e8, 0.0);
    s.anchor2 = six.inverse_point(three.point(s.anchor1));
    spec.springs.push(s);
    Model::compile(spec, Actuation::Full).unwrap()
}

/// At the end of a step a stiff spring stores the stretch that the curvature of its path left. The next step
/// returns almost none of this energy.
#[test]
fn stiff_ones_stay_stable_and_motion_gains_no_energy() {
    let model = Arc::new(stiff());
    let mut dynamics = Dynamics::new(&model, false);
    let (nv, mut sim) = (model.nv(), Sim::new(model.clone(), &smooth(0.01)).unwrap());
    let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; nv]);
    let u = vec![0.0; nv];
    let mut energy = |q: &[f64], v: &[f64]| {
        let d = &mut dynamics;
        d.update(&model, model.params(), q, v);
        let (kinetic, potential) = jacobian::energy(&model, model.params(), &d.kin, v);
        kinetic + potential
    };
    let start = energy(&q, &v);
    let mut most = start;
    for _ in 0..300 {
        let (q0, v0) = (q.clone(), v.clone());
        sim.step(&q0, &v0, &u, &mut q, &mut v).unwrap();
        most = most.max(energy(&q, &v));
    }
    println!("energy {start} at first, {most} at most");
    assert!(most < start + 0.01 * start.abs(), "{most} {start}");
}

#[test]
fn springs_between_free_bodies_keep_their_momentum() {
    let mut rng = Rng::new(2);
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    for id in 1..=3 {
        let mut b = random_body(&mut rng, id, 0, JointKind::Free);
        // Of others the step keeps the momentum to first order in its length only.
        b.inertia = Inertia::from_com(
            1.0 + id as f64,
            Vec3::ZERO,
            Sym3::diagonal(Vec3::new(0.1, 0.2, 0.25)),
        );
        let j = &mut b.joints[0];
        (j.damping, j.stiffness, j.armature) = (0.0, 0.0, 0.0);
        spec.bodies.push(b);
    }
    spec.springs.push(spring("a", [1, 2], &mut rng));
    spec.springs.push(spring("b", [2, 3], &mut rng));
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let (nv, mut sim) = (model.nv(), Sim::new(model.clone(), &smooth(0.01)).unwrap());
    let (mut q, mut v) = (model.neutral().to_vec(), rng.vector(nv, 1.0));
    let u = vec![0.0; nv];
    let before = sim.momentum(&q, &v, [0.0; 3]).unwrap();
    for _ in 0..100 {
        let (q0, v0) = (q.clone(), v.clone());
        sim.step(&q0, &v0, &u, &mut q, &mut v).unwrap();
    }
    let after = sim.momentum(&q, &v, [0.0; 3]).unwrap();
    assert!(
        relative_error(&after[..3], &before[..3]) < 1e-11,
        "{after:?} {before:?}"
    );
}

#[test]
fn steps_and_derivatives_do_not_use_the_heap_and_repeat_their_bits() {
    let model = Arc::new(corded(63, 8));
    let (nv, nu) = (model.nv(), model.nu());
    let mut sim = Sim::new(model.clone(), &smooth(0.01)).unwrap();
    let list = parameters(&model);
    sim.select_params(&list).unwrap();
    let mut rng = Rng::new(1);
    let q = random_q(&mut rng, &model, 0.4);
    let (v, u) = (rng.vector(nv, 1.0), rng.vector(nu, 1.0));
    let (mut q_next, mut v_next) = (q.clone(), v.clone());
    let mut jacobian = [nv, nv, nu, list.len()].map(|n| vec![0.0; nv * n]);
    let mut run = || {
        sim.step(&q, &v, &u, &mut q_next, &mut v_next).unwrap();
        let [by_q, by_v, by_u, by_p] = &mut jacobian;
        let out = StepJacobians {
            dv_dq: Some(by_q),
            dv_dv: Some(by_v),
            dv_du: Some(by_u),
            dv_dp: Some(by_p),
            ..StepJacobians::default()
        };
        sim.step_jacobians(out).unwrap();
        [&q_next[..], &v_next, &jacobian[0], &jacobian[3]].map(|x| {
            x.iter()
                .map(|x| x.to_bits())
                .fold(0, |a: u64, b| a.rotate_left(7) ^ b)
        })
    };
    let first = run();
    let mut again = first;
    let used = measure(|| again = run());
    assert_eq!(used.count_total, 0);
    assert_eq!(again, first);
}

#[test]
fn implicit_formulas_take_them_too() {
    use Integrator::{Bdf1, ImplicitEuler, Midpoint, Sdirk2};
    for integrator in [Bdf1, Sdirk2, ImplicitEuler, Midpoint] {
        let model = corded(71, 6);
        let q = random_q(&mut Rng::new(3), &model, 0.4);
        let list = parameters(&model);
        let options = Options {
            integrator,
            ..smooth(0.01)
        };
        let mut c = Checker::new(model, &options);
        c.select(&list);
        c.run(&format!("{integrator:?}"), &q, 1.0, 2);
    }
}

/// Trees so deep that matrices are never written out, with joints of all kinds and tendons between branches.
#[test]
fn deep_trees_take_them_too() {
    use Integrator::{Bdf1, ImplicitEuler, Sdirk2};
    let mut spec = corded_spec(76, 6);
    let mut rng = Rng::new(7);
    for k in 0..66 {
        let id = spec.bodies.len();
        let parent = if k == 0 { 2 } else { id - 1 };
        let mut b = random_body(&mut rng, id, parent, JointKind::Revolute);
        b.placement.pos = b.placement.pos * 0.1;
        b.joints[0].armature = 0.05;
        spec.bodies.push(b);
    }
    spec.springs.push(spring("far", [1, 60], &mut rng));
    let path = [4, 20, 30].map(|body| PathPoint::Point {
        body,
        at: rng.vec3(0.1),
    });
    let mut tendon = tendon("near", TendonPath::Spatial(path.to_vec()));
    (tendon.stiffness, tendon.damping) = (30.0, 1.0);
    spec.tendons.push(tendon);
    let model = Model::compile(spec, Actuation::Full).unwrap();
    assert!(model.topology().is_deep());
    for integrator in [Bdf1, Sdirk2, ImplicitEuler] {
        let q = random_q(&mut Rng::new(3), &model, 0.2);
        let options = Options {
            integrator,
            ..smooth(2e-3)
        };
        let mut c = Checker::new(model.clone(), &options);
        c.select(&parameters(&model)[..6]);
        c.run(&format!("deep, {integrator:?}"), &q, 0.2, 1);
    }
}

/// Forces without contact, rows with it; the history of BDF2.
#[test]
fn gradients_of_trajectories() {
    use Integrator::{Bdf2, Midpoint, SymplecticEulerWorld};
    const STEPS: usize = 40;
    let model = Arc::new(corded(74, 5));
    let (nv, list) = (model.nv(), parameters(&model));
    let mut rng = Rng::new(4);
    let from = From {
        q0: random_q(&mut rng, &model, 0.3),
        v0: rng.vector(nv, 0.5),
        u: rng.vector(model.nu() * STEPS, 0.5),
    };
    for (integrator, contact) in [
        (SymplecticEulerWorld, Contact::None),
        (SymplecticEulerWorld, Contact::Ncp),
        (Midpoint, Contact::None),
        (Midpoint, Contact::Convex),
        (Bdf2, Contact::None),
    ] {
        let o = Options {
            integrator,
            contact,
            checkpoint_interval: 7,
            ..smooth(2e-3)
        };
        compare(&model, &o, STEPS, &from, &list, 1e-5)
            .accept(&format!("{integrator:?}, {contact:?}"), 1e-7);
    }
}

/// Of five links in space with springs, dampers, a spring between points and a tendon: BDF1 and implicit
/// Euler are of order 1, SDIRK2, BDF2 and the midpoint rule of order 2.
#[test]
fn errors_fall_at_the_order_of_the_formula() {
    use Integrator::{Bdf1, Bdf2, ImplicitEuler, Midpoint, Sdirk2};
    let mut rng = Rng::new(6);
    let mut spec = ModelSpec::default();
    let [hinge, ball, cross] = [
        JointKind::Revolute,
        JointKind::Spherical,
        JointKind::Universal,
    ];
    for (i, kind) in [cross, hinge, ball, hinge, cross].into_iter().enumerate() {
        let mut b = random_body(&mut rng, i + 1, i, kind);
        (b.joints[0].stiffness, b.joints[0].damping) = (3.0, 0.05);
        spec.bodies.push(b);
    }
    spec.springs.push(spring("spring", [0, 5], &mut rng));
    let at = |body, rng: &mut Rng| PathPoint::Point {
        body,
        at: rng.vec3(0.3),
    };
    let path = [0, 2, 4].map(|body| at(body, &mut rng)).to_vec();
    let mut t = tendon("tendon", TendonPath::Spatial(path));
    (t.stiffness, t.damping, t.rest) = (40.0, 0.5, Some((0.1, 0.1)));
    spec.tendons.push(t);
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    let q0 = random_q(&mut rng, &model, 0.3);
    let v0 = rng.vector(model.nv(), 0.5);
    let led = |integrator, h: f64| {
        let steps = (0.1 / h).round() as usize;
        let o = Options {
            integrator,
            ..smooth(h)
        };
        let mut r = Rollout::new(model.clone(), &o, steps).unwrap();
        let (mut q, mut v) = (
            vec![0.0; model.nq() * (steps + 1)],
            vec![0.0; model.nv() * (steps + 1)],
        );
        r.run(&q0, &v0, &[], steps, Some(&mut q), Some(&mut v))
            .unwrap();
        let mut at = vec![0.0; model.nv()];
        model.difference(model.neutral(), &q[model.nq() * steps..], &mut at);
        [&at[..], &v[model.nv() * steps..]].concat()
    };
    let reference = led(Sdirk2, 5e-3 / 64.0);
    for (integrator, order) in [
        (Bdf1, 1.0),
        (ImplicitEuler, 1.0),
        (Sdirk2, 2.0),
        (Bdf2, 2.0),
        (Midpoint, 2.0),
    ] {
        let errors = [2.5e-3, 1.25e-3].map(|h| {
            let end = led(integrator, h);
            let apart = end.iter().zip(&reference).map(|(a, b)| (a - b).abs());
            apart.fold(0.0, f64::max)
        });
        let found = (errors[0] / errors[1]).log2();
        println!("{integrator:?}: {errors:?}, order {found:.2}");
        assert!((found - order).abs() < 0.15, "{integrator:?}: {found}");
    }
}

/// Newton's method takes derivatives, whether the caller wants them or not.
#[test]
fn steps_without_derivatives_have_the_same_bits() {
    use Integrator::{Bdf1, ImplicitEuler, Midpoint, Sdirk2, SymplecticEulerWorld};
    let model = Arc::new(corded(75, 6));
    let mut rng = Rng::new(5);
    let (q, v) = (random_q(&mut rng, &model, 0.4), rng.vector(model.nv(), 1.0));
    let u = rng.vector(model.nu(), 1.0);
    for integrator in [SymplecticEulerWorld, Bdf1, Sdirk2, ImplicitEuler, Midpoint] {
        let [with, without] = [true, false].map(|derivatives| {
            let o = Options {
                integrator,
                derivatives,
                ..smooth(0.01)
            };
            let mut sim = Sim::new(model.clone(), &o).unwrap();
            let (mut q_next, mut v_next) = (q.clone(), v.clone());
            sim.step(&q, &v, &u, &mut q_next, &mut v_next).unwrap();
            assert!(sim.step_info().unwrap().converged);
            [q_next, v_next]
        });
        assert_eq!(with, without, "{integrator:?}");
    }
}
