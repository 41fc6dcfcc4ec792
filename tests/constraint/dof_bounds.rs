//! Limits, velocity limits and dry friction of single dofs where nothing else acts: one convex problem.
//! Solutions against an enumeration of all modes, from any start, with derivatives, at ties, and without
//! the heap.

use crate::common::checker::{Checker, FOURTH_ORDER};
use crate::common::*;
use allocation_counter::measure;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{BodySpec, JointKind, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim};
use std::sync::Arc;

const LAWS: [Contact; 2] = [Contact::Ncp, Contact::Lcp];

fn options(contact: Contact, h: f64) -> Options {
    Options {
        contact,
        time_step: h,
        velocity_limits: true,
        ..Options::default()
    }
}

/// A tree of hinges and slides, on a free body or on the world.
fn tree(rng: &mut Rng, joints: usize, is_free: bool) -> ModelSpec {
    let mut spec = ModelSpec::default();
    let first = if is_free {
        JointKind::Free
    } else {
        JointKind::Revolute
    };
    for k in 0..joints {
        let kind = match k {
            0 => first,
            _ if rng.below(3) == 0 => JointKind::Prismatic,
            _ => JointKind::Revolute,
        };
        let parent = if k == 0 { 0 } else { 1 + rng.below(k) };
        let mut body: BodySpec = random_body(rng, k, parent, kind);
        for j in &mut body.joints {
            (j.damping, j.stiffness, j.limits) = (0.0, 0.0, None);
            j.reference = 0.0;
            (j.friction_loss, j.velocity_limit) = (0.0, f64::INFINITY);
        }
        spec.bodies.push(body);
    }
    spec
}

/// Gives the joints of one dof friction and bounds around q: at a bound, near it or far from it.
fn bound(rng: &mut Rng, spec: &mut ModelSpec, h: f64, at: &mut Vec<(String, f64)>) {
    at.clear();
    for j in spec.bodies.iter_mut().flat_map(|b| &mut b.joints) {
        if !matches!(j.kind, JointKind::Revolute | JointKind::Prismatic) {
            continue;
        }
        let q = rng.range(-0.5, 0.5);
        at.push((j.name.clone(), q));
        let mut gap = |scale: f64| match rng.below(3) {
            0 => 0.0,
            1 => scale * rng.range(0.0, 1.0),
            _ => 1.0,
        };
        let (below, above) = (gap(h), gap(h));
        j.limits = (rng.below(4) > 0).then_some((q - below, q + above));
        j.friction_loss = if rng.below(4) > 0 {
            rng.range(0.1, 3.0)
        } else {
            0.0
        };
        if rng.below(3) == 0 {
            j.velocity_limit = rng.range(0.1, 1.0);
        }
    }
}

fn compiled(spec: ModelSpec) -> Arc<Model> {
    Arc::new(Model::compile(spec, Actuation::Full).unwrap())
}

/// q with these coordinates of the joints of one dof.
fn placed(model: &Model, at: &[(String, f64)]) -> Vec<f64> {
    let mut q = model.neutral().to_vec();
    for (name, x) in at {
        let joint = model.joints().iter().find(|j| j.name == *name).unwrap();
        q[joint.iq] = *x;
    }
    q
}

/// Solves a dense system.
fn dense(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n)
            .max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs()))
            .unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let s = a[i][k] / a[k][k];
            let (above, below) = a.split_at_mut(i);
            for (x, y) in below[0][k..].iter_mut().zip(&above[k][k..]) {
                *x -= s * y;
            }
            b[i] -= s * b[k];
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k][k];
    }
    b
}

/// Bounds of the velocity of a dof, and of the impulse of dry friction.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    dof: usize,
    lo: f64,
    hi: f64,
    friction: f64,
}

fn bounds(model: &Model, q: &[f64], h: f64) -> Vec<Bounds> {
    let ones = model.joints().iter().filter(|j| j.nv == 1);
    ones.map(|j| {
        let (lower, upper) = j.limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        Bounds {
            dof: j.iv,
            lo: ((lower - q[j.iq]) / h).max(-j.velocity_limit),
            hi: ((upper - q[j.iq]) / h).min(j.velocity_limit),
            friction: h * model.params().friction_loss[j.iv],
        }
    })
    .collect()
}

/// All solutions of A (v − v_f) = ρ, ρ ∈ −∂φ(v), by the modes of every dof: at a bound, slipping either
/// way, held by friction.
fn solutions(a: &[f64], v_free: &[f64], bounds: &[Bounds]) -> Vec<Vec<f64>> {
    let (n, m) = (v_free.len(), bounds.len());
    let mut found: Vec<Vec<f64>> = Vec::new();
    for code in 0..5usize.pow(m as u32) {
        let modes: Vec<usize> = (0..m).map(|i| code / 5usize.pow(i as u32) % 5).collect();
        // At the lower bound, slipping downwards, held, slipping upwards, at the upper bound.
        let target = |i: usize| match modes[i] {
            0 => Some(bounds[i].lo),
            2 => Some(0.0),
            4 => Some(bounds[i].hi),
            _ => None,
        };
        if (0..m).any(|i| target(i).is_some_and(|t| t.is_infinite())) {
            continue;
        }
        let mut system: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..n).map(|j| a[j * n + i]).collect())
            .collect();
        let mut right: Vec<f64> = (0..n)
            .map(|i| (0..n).map(|j| a[j * n + i] * v_free[j]).sum())
            .collect();
        for (i, b) in bounds.iter().enumerate() {
            match target(i) {
                Some(t) => {
                    system[b.dof] = (0..n).map(|j| f64::from(u8::from(j == b.dof))).collect();
                    right[b.dof] = t;
                }
                None => {
                    right[b.dof] += if modes[i] == 1 {
                        b.friction
                    } else {
                        -b.friction
                    }
                }
            }
        }
        let v = dense(system, right);
        let fits = bounds.iter().enumerate().all(|(i, b)| {
            let x = v[b.dof];
            let rho: f64 = (0..n).map(|j| a[j * n + b.dof] * (v[j] - v_free[j])).sum();
            let (tiny, few) = (1e-10, 1e-10);
            let inside = x >= b.lo - tiny && x <= b.hi + tiny;
            inside
                && match modes[i] {
                    0 => rho >= if b.lo < 0.0 { b.friction } else { -b.friction } - few,
                    1 => x <= tiny,
                    2 => rho.abs() <= b.friction + few,
                    3 => x >= -tiny,
                    _ => rho <= if b.hi > 0.0 { -b.friction } else { b.friction } + few,
                }
        });
        if fits {
            found.push(v);
        }
    }
    found
}

/// The largest difference, in units of the largest velocity where that is above 1.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    let difference = a
        .iter()
        .zip(b)
        .fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    difference / size
}

#[test]
fn every_step_is_the_solution_that_an_enumeration_finds() {
    let (h, mut rng) = (0.01, Rng::new(3));
    let (mut work, mut most, mut moved) = (0.0, 0.0_f64, 0);
    let cases = 120;
    for case in 0..cases {
        let mut spec = tree(&mut rng, 4 + usize::from(case % 2 == 0), case % 2 == 0);
        let mut at = Vec::new();
        bound(&mut rng, &mut spec, h, &mut at);
        let model = compiled(spec);
        let q = placed(&model, &at);
        let (nv, nu) = (model.nv(), model.nu());
        let (v, u) = (rng.vector(nv, 1.0), rng.vector(nu, 20.0));
        let none = Options {
            velocity_limits: false,
            ..options(Contact::None, h)
        };
        let mut free = Sim::new(model.clone(), &none).unwrap();
        let mut a = vec![0.0; nv * nv];
        free.mass_matrix(&q, &mut a).unwrap();
        let (mut qn, mut acc) = (q.clone(), vec![0.0; nv]);
        free.forward(&q, &v, &u, &mut acc).unwrap();
        let v_free: Vec<f64> = v.iter().zip(&acc).map(|(v, a)| v + h * a).collect();
        let all = solutions(&a, &v_free, &bounds(&model, &q, h));
        assert!(!all.is_empty(), "case {case}");
        for other in &all {
            assert!(apart(other, &all[0]) < 1e-7, "case {case}: two solutions");
        }
        moved += usize::from(apart(&all[0], &v_free) > 1e-6);
        for law in LAWS {
            let mut o = options(law, h);
            o.integrator = Integrator::SymplecticEulerWorld;
            let mut sim = Sim::new(model.clone(), &o).unwrap();
            let mut vn = v.clone();
            sim.forward(&q, &v, &u, &mut acc).unwrap();
            let info = sim.step_info().unwrap();
            assert!(
                info.converged && info.residual < 1e-11,
                "case {case}: {info:?}"
            );
            let end: Vec<f64> = v.iter().zip(&acc).map(|(v, a)| v + h * a).collect();
            assert!(
                apart(&end, &all[0]) < 1e-8,
                "case {case}, {law:?}: {:e}",
                apart(&end, &all[0])
            );
            (work, most) = (work + info.work, most.max(info.work));
            sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
        }
    }
    let mean = work / (2 * cases) as f64;
    println!(
        "{moved} of {cases} steps felt a bound; {mean:.2} factorizations a step, at most {most}"
    );
    assert!(moved > cases / 2 && most <= 30.0 && mean <= 3.0);
}

/// Whatever the memory says that the last step was.
#[test]
fn any_start_leads_to_the_same_velocity() {
    let (h, mut rng) = (0.01, Rng::new(8));
    let mut most = 0.0_f64;
    for case in 0..30 {
        let mut spec = tree(&mut rng, 12, case % 2 == 0);
        let mut at = Vec::new();
        bound(&mut rng, &mut spec, h, &mut at);
        let model = compiled(spec);
        let q = placed(&model, &at);
        let (v, u) = (rng.vector(model.nv(), 1.0), rng.vector(model.nu(), 20.0));
        let mut sim = Sim::new(model.clone(), &options(Contact::Ncp, h)).unwrap();
        let (mut qn, mut wanted) = (q.clone(), v.clone());
        sim.step(&q, &v, &u, &mut qn, &mut wanted).unwrap();
        let mut memory = vec![0.0; sim.memory_size()];
        sim.get_memory(&mut memory).unwrap();
        for _ in 0..20 {
            let groups = memory[0] as usize;
            for entry in memory[2..].chunks_exact_mut(8).take(groups) {
                // Of dry friction holding and slipping either way, of bounds open and held.
                let modes = if entry[0] == 3.0 {
                    [2.0, 4.0, 5.0]
                } else {
                    [1.0, 2.0, 2.0]
                };
                entry[4] = modes[rng.below(3)];
            }
            sim.set_memory(&memory).unwrap();
            let (mut qn, mut vn) = (q.clone(), v.clone());
            sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
            let info = sim.step_info().unwrap();
            assert!(
                info.converged && apart(&vn, &wanted) < 1e-10,
                "case {case}: {info:?}"
            );
            most = most.max(info.work);
            // The same memory, the same bits.
            sim.set_memory(&memory).unwrap();
            let mut again = v.clone();
            sim.step(&q, &v, &u, &mut qn, &mut again).unwrap();
            assert_eq!(again, vn);
        }
    }
    println!("at most {most} factorizations");
    assert!(most <= 40.0);
}

#[test]
fn derivatives_are_those_of_differences() {
    let (h, mut rng) = (2e-3, Rng::new(21));
    for (is_free, integrator) in [
        (true, Integrator::SymplecticEuler),
        (false, Integrator::SymplecticEulerWorld),
        (true, Integrator::ImplicitEuler),
    ] {
        for law in LAWS {
            let mut spec = tree(&mut rng, 7, is_free);
            for (i, j) in spec
                .bodies
                .iter_mut()
                .flat_map(|b| &mut b.joints)
                .enumerate()
            {
                if matches!(j.kind, JointKind::Revolute | JointKind::Prismatic) {
                    j.limits = Some((-0.02, 0.02));
                    j.friction_loss = 0.3 * (i % 3) as f64;
                    j.velocity_limit = if i % 2 == 0 { 1.0 } else { f64::INFINITY };
                }
            }
            let model = compiled(spec);
            let mut o = options(law, h);
            o.integrator = integrator;
            let mut c = Checker::new(model.clone(), &o);
            (c.eps, c.stencil) = (1e-6, FOURTH_ORDER);
            let with_friction = model.joints().iter().enumerate();
            let with_friction =
                with_friction.filter(|(_, j)| model.params().friction_loss[j.iv] > 0.0);
            let list: Vec<_> = with_friction
                .map(|(i, _)| param(ParamKind::JointFriction, i, 0))
                .collect();
            c.select(&list);
            c.run(
                &format!("{integrator:?}, {law:?}"),
                model.neutral(),
                1.0,
                40,
            );
        }
    }
}

/// A hinge with friction at its limit, and another one that hangs on it.
fn at_a_limit() -> Arc<Model> {
    let mut rng = Rng::new(4);
    let mut spec = tree(&mut rng, 3, false);
    spec.gravity = Vec3::ZERO;
    let j = &mut spec.bodies[1].joints[0];
    (j.friction_loss, j.limits) = (1.0, Some((0.0, 1.0)));
    compiled(spec)
}

/// Exactly on a limit and pressed with twice its friction a joint goes where the limit is, on both sides
/// alike.
#[test]
fn a_limit_and_friction_of_one_joint_are_one_bound() {
    let h = 1e-3;
    let model = at_a_limit();
    let (nv, q) = (model.nv(), placed(&model, &[]));
    for law in LAWS {
        for (push, label) in [
            (-2.0, Gradient::Exact),
            (-0.5, Gradient::OneSided),
            (0.5, Gradient::OneSided),
        ] {
            let mut sim = Sim::new(model.clone(), &options(law, h)).unwrap();
            let mut u = vec![0.0; model.nu()];
            u[0] = push;
            let (mut qn, mut vn) = (q.clone(), vec![0.0; nv]);
            sim.step(&q, &vec![0.0; nv], &u, &mut qn, &mut vn).unwrap();
            assert_eq!(vn[0], 0.0);
            let sizes = [nv, nv, model.nu(), 0];
            let mut jq = sizes.map(|n| vec![0.0; nv * n]);
            let mut jv = jq.clone();
            sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
            assert_eq!(sim.step_info().unwrap().gradient, label, "{law:?} {push}");
            // Neither velocities nor torques move it.
            for k in 0..nv {
                assert!(jv[1][k * nv].abs() < 1e-12 && jv[2][k * nv].abs() < 1e-12);
            }
            let slope = jv[0][0];
            let mut sides = [1e-7, -1e-7].map(|e| {
                let mut moved = q.clone();
                moved[0] += e;
                sim.step(&moved, &vec![0.0; nv], &u, &mut qn, &mut vn)
                    .unwrap();
                vn[0] / e
            });
            sides.sort_by(f64::total_cmp);
            match label {
                Gradient::Exact => {
                    assert!((slope + 1.0 / h).abs() < 1e-9 / h, "{slope}");
                    assert!(
                        sides.iter().all(|s| (s - slope).abs() < 1e-6 / h),
                        "{sides:?}"
                    );
                }
                _ => {
                    assert!(
                        (sides[1] - sides[0] - 1.0 / h).abs() < 1e-6 / h,
                        "{sides:?}"
                    );
                    assert!(
                        sides.iter().any(|s| (s - slope).abs() < 1e-6 / h),
                        "{slope} {sides:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn no_heap_in_the_loop() {
    let mut rng = Rng::new(30);
    let mut spec = tree(&mut rng, 10, true);
    let mut at = Vec::new();
    bound(&mut rng, &mut spec, 1e-3, &mut at);
    let model = compiled(spec);
    let mut sim = Sim::new(model.clone(), &options(Contact::Ncp, 1e-3)).unwrap();
    let (mut q, mut v) = (placed(&model, &at), vec![0.0; model.nv()]);
    let (u, nv) = (rng.vector(model.nu(), 5.0), model.nv());
    let sizes = [nv, nv, model.nu(), 0];
    let mut jq = sizes.map(|n| vec![0.0; nv * n]);
    let mut jv = jq.clone();
    let (mut qn, mut vn) = (q.clone(), v.clone());
    let heap = measure(|| {
        for _ in 0..50 {
            sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
            sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
            q.copy_from_slice(&qn);
            v.copy_from_slice(&vn);
        }
    });
    assert_eq!(heap.count_total, 0);
}
