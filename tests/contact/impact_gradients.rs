//! Derivatives through impacts that rebound: of velocities against differences, and of positions, which go
//! through the time of impact, against solutions in continuous time, since a difference of one step does not
//! show that.

use crate::common::checker::{Checker, FOURTH_ORDER, quadruped_spec, standing};
use crate::common::impacts::*;
use crate::common::runs::Run;
use crate::common::scene::*;
use crate::common::{Rng, all_jacobians, param};
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{JointKind, JointSpec, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::query::{Smoothing, SmoothingMethod};
use diffsim::rollout::Rollout;
use diffsim::spatial::{Pose, Quat, Vec3};
use diffsim::step::{Contact, JacobianPattern, Options, Sim, StepJacobians};
use std::sync::Arc;

/// Gradient of one number of the last configuration by the first q and v, and by parameters.
fn gradient(
    model: &Arc<Model>,
    options: &Options,
    params: &[Param],
    [q, v]: [&[f64]; 2],
    steps: usize,
    of: usize,
) -> [Vec<f64>; 3] {
    let nv = model.nv();
    let mut rollout = Rollout::new(model.clone(), options, steps).unwrap();
    rollout.sim_mut().select_params(params).unwrap();
    rollout.run(q, v, &[], steps, None, None).unwrap();
    let mut q_bar = vec![0.0; nv * (steps + 1)];
    q_bar[nv * steps + of] = 1.0;
    let v_bar = vec![0.0; nv * (steps + 1)];
    let mut out = [nv, nv, params.len()].map(|n| vec![f64::NAN; n]);
    let [by_q, by_v, by_p] = &mut out;
    rollout
        .adjoint(&q_bar, &v_bar, Some(by_q), Some(by_v), None, Some(by_p))
        .unwrap();
    out
}

/// Of the second ball, which was struck: ((1 + e)/2, (1 − e)/2, T (1 + e)/2, T (1 − e)/2) for any step; of
/// the first with −e.
#[test]
fn the_gradient_of_two_balls_is_exact_for_any_step() {
    let end = 0.6;
    for (e, law) in [
        (0.5, Contact::Ncp),
        (1.0, Contact::Ncp),
        (0.5, Contact::Lcp),
    ] {
        let model = Model::compile(line(e, &[0.0, 0.3], &[1.0; 2]), Actuation::FromFile);
        let model = Arc::new(model.unwrap());
        for steps in [6, 10, 33, 100, 1000] {
            let h = end / f64::from(steps);
            for (of, sign) in [(1, 1.0), (0, -1.0)] {
                let state = [&[0.0, 0.0][..], &[0.7, 0.1]];
                let options = with(law, h);
                let [by_q, by_v, _] = gradient(&model, &options, &[], state, steps as usize, of);
                let (own, other) = (0.5 * (1.0 + sign * e), 0.5 * (1.0 - sign * e));
                close(&by_q, &[own, other], 1e-9);
                close(&by_v, &[end * own, end * other], 1e-9);
            }
        }
    }
}

fn hinge(name: &str, kind: JointKind, axis: Vec3) -> JointSpec {
    JointSpec {
        axis,
        ..JointSpec::new(name, kind)
    }
}

/// A ball in the plane y = 0 that meets the ground and leaves it, without gravity in continuous time: x and z
/// at the end. The numbers: x, z, their velocities, the spin, the radius, e and μ.
fn flight([x, z, vx, vz, spin, radius, e, mu]: [f64; 8], turns: bool, end: f64) -> [f64; 2] {
    let meets = (radius - z) / vz;
    assert!(meets < end);
    // Impulses per mass; the inertia is that of a homogeneous ball of radius 0.1.
    let (normal, inertia) = (-(1.0 + e) * vz, 0.4 * 0.01);
    let stop = match turns {
        true => (vx - spin * radius) / (1.0 + radius * radius / inertia),
        false => vx,
    };
    let left = end - meets;
    let tangent = stop.clamp(-mu * normal, mu * normal);
    [x + vx * end - tangent * left, radius - e * vz * left]
}

/// The gradient through a bounce is that of continuous time, to the length of a step: of a ball that slides
/// and is spun by that, and of one that sticks. (With both, the arm of its friction would be longer by the
/// gap at which a step finds it.)
#[test]
fn a_ball_is_differentiated_through_its_bounce() {
    let end = 0.5;
    let cases = [(false, 0.6), (true, 0.15)];
    for ((turns, mu), law) in cases.into_iter().flat_map(|c| RIGID.map(|law| (c, law))) {
        let numbers = [0.0, 0.4, 0.8, -1.0, 60.0, 0.1, 0.7, mu];
        let exact = |i: usize, of: usize| {
            let shifted = |s: f64| {
                let mut n = numbers;
                n[i] += s;
                flight(n, turns, end)[of]
            };
            (shifted(1e-6) - shifted(-1e-6)) / 2e-6
        };
        let mut spec = bouncing(0.7, mu, 0.4);
        spec.gravity = Vec3::ZERO;
        spec.bodies[1].joints = vec![
            hinge("x", JointKind::Prismatic, Vec3::X),
            hinge("z", JointKind::Prismatic, Vec3::Z),
        ];
        if turns {
            let spin = hinge("spin", JointKind::Continuous, Vec3::Y);
            spec.bodies[1].joints.push(spin);
        }
        let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
        let params = [
            param(ParamKind::GeomSize, 1, 0),
            param(RESTITUTION, 0, 0),
            param(ParamKind::GeomFriction, 0, 0),
        ];
        for h in [1e-2, 1e-3, 1e-4] {
            for of in 0..2 {
                let q = model.neutral().to_vec();
                let v = &[0.8, -1.0, 60.0][..model.nv()];
                let steps = (end / h).round() as usize;
                let [by_q, by_v, by_p] =
                    gradient(&model, &with(law, h), &params, [&q, v], steps, of);
                let ours = [&by_q[..2], &by_v[..2], &by_p].concat();
                let numbers = [0, 1, 2, 3, 5, 6, 7];
                close(&ours, &numbers.map(|i| exact(i, of)), 3.0 * h);
            }
        }
    }
}

/// The derivative of a spinning free ball has a term beyond the differences of its step: as long as the ball
/// meets later, it keeps its old velocity.
#[test]
fn a_free_ball_that_meets_later_leaves_on_another_path() {
    let (h, eps) = (1e-4, 1e-6);
    for mu in [0.0, 0.1, 0.9] {
        let mut spec = bouncing(0.7, mu, 0.0);
        spec.gravity = Vec3::ZERO;
        let mut w = World::new(spec, Actuation::FromFile, &options(h));
        let at = Vec3::new(0.3, -0.2, 0.10005);
        w.q[..3].copy_from_slice(&at.to_array());
        w.q[3..].copy_from_slice(&Quat::exp(Vec3::new(0.4, -0.7, 0.3)).normalized().to_array());
        w.launch(0, Vec3::new(0.8, 0.3, -1.0));
        w.v[3..].copy_from_slice(&[3.0, 5.0, -4.0]);
        let (q, v) = (w.q.clone(), w.v.clone());
        let turned = |w: &World| {
            let rot = Pose::from_quat(Quat::from_slice(&w.q[3..]), Vec3::ZERO).rot;
            let spin = rot.mul_vec(w.spin(0));
            (rot, [w.velocity(0).to_array(), spin.to_array()].concat())
        };
        let (before, old) = turned(&w);
        assert_eq!(w.step().impacts, 1);
        let (after, new) = turned(&w);
        let [by_q, ..] = jacobians(&mut w);
        let base = w.q.clone();
        let model = w.sim.model().clone();
        for k in 0..6 {
            let mut ends = [1.0, -1.0].map(|sign| {
                let mut unit = [0.0; 6];
                unit[k] = sign * eps;
                model.integrate(&q, &unit, &mut w.q);
                w.v.copy_from_slice(&v);
                w.step();
                let mut x = vec![0.0; 6];
                model.difference(&base, &w.q, &mut x);
                x
            });
            let minus = std::mem::take(&mut ends[1]);
            let beyond: Vec<f64> = (0..6)
                .map(|i| by_q[6 * k + i] - (ends[0][i] - minus[i]) / (2.0 * eps))
                .collect();
            let of = |x: &[f64]| after.mul_vec(Vec3::from_slice(x)).to_array();
            let beyond = [of(&beyond[..3]), of(&beyond[3..])].concat();
            // The change of the gap, which turning a ball does not change.
            let gap = if k < 3 {
                before.mul_vec(Vec3::unit(k)).z
            } else {
                0.0
            };
            let later = gap / -old[2];
            let exact: Vec<f64> = (0..6).map(|i| later * (old[i] - new[i])).collect();
            close(&beyond[..3], &exact[..3], 1e-6);
            close(&beyond[3..], &exact[3..], 10.0 * h);
        }
    }
}

/// Velocities, and positions by v and e, against differences; directions and adjoints against the Jacobians,
/// which have the displacement that impacts leave.
#[test]
fn robots_that_rebound_are_differentiated() {
    for (seed, e, law) in [
        (1, 0.3, Contact::Ncp),
        (2, 0.5, Contact::Ncp),
        (3, 0.8, Contact::Ncp),
        (4, 0.5, Contact::Lcp),
    ] {
        let mut spec = quadruped_spec(false);
        for (i, g) in spec.geoms.iter_mut().enumerate() {
            g.restitution = e + 0.01 * i as f64;
        }
        let model = Model::compile(spec, Actuation::Full).unwrap();
        let feet: Vec<usize> = (0..model.ngeom())
            .filter(|g| model.geoms()[*g].name.starts_with("foot"))
            .collect();
        let mut params = vec![
            param(ParamKind::GeomFriction, 0, 0),
            param(ParamKind::JointPlacement, 3, 2),
            param(ParamKind::BodyInertia, 1, 0),
        ];
        for foot in &feet[..2] {
            params.push(param(RESTITUTION, *foot, 0));
            params.push(param(ParamKind::GeomSize, *foot, 0));
        }
        let mut rng = Rng::new(seed);
        let mut q = standing(&model);
        q[2] += 0.05;
        let mut v = rng.vector(model.nv(), 0.5);
        v[2] = -1.5;
        let mut checker = Checker::new(model, &with(law, 1e-3));
        checker.stencil = FOURTH_ORDER;
        checker.select(&params);
        let mut impacts = 0;
        for _ in 0..150 {
            let u = rng.vector(v.len(), 2.0);
            checker.check(&mut q, &mut v, &u);
            impacts += checker.impacts;
        }
        assert!(impacts > 8, "{impacts}");
        checker.report(&format!("quadruped with e = {e}, {law:?}"));
    }
}

/// Robots that are thrown about by their motors, and bodies dropped into a container: every step is solved,
/// and those in which something rebounds are differentiated.
#[test]
fn runs_that_rebound_are_solved_and_differentiated() {
    let runs = ["quadruped.xml", "humanoid.xml", "runner.xml"].map(Run::example);
    for run in runs.into_iter().chain([Run::container(10)]) {
        for law in RIGID {
            let options = Options {
                contact: law,
                max_contacts: run.options.max_contacts,
                ..options(1e-3)
            };
            let mut sim = run.sim(&options);
            let geoms = 0..run.model.ngeom();
            let list: Vec<Param> = geoms.clone().map(|g| param(RESTITUTION, g, 0)).collect();
            sim.select_params(&list).unwrap();
            let e: Vec<f64> = geoms
                .map(|g| 0.3 + 0.5 * ((7 * g) % 20) as f64 / 20.0)
                .collect();
            sim.set_params(&e).unwrap();
            let some = [list[0], list[list.len() / 2]];
            let mut checker = Checker::of(sim);
            checker.stencil = FOURTH_ORDER;
            checker.select(&some);
            let (mut q, mut rng) = (run.start.clone(), Rng::new(17));
            let (mut v, mut u) = (vec![0.0; run.model.nv()], vec![0.0; run.model.nu()]);
            let mut memory = vec![0.0; checker.sim.memory_size()];
            let [mut impacts, mut checked, mut unsolved, mut yielded] = [0; 4];
            for step in 0..1500 {
                if step % 10 == 0 {
                    for (u, a) in u.iter_mut().zip(&run.amplitude) {
                        *u = rng.range(-a, *a);
                    }
                }
                checker.sim.get_memory(&mut memory).unwrap();
                let (mut q_next, mut v_next) = (q.clone(), v.clone());
                (checker.sim)
                    .step(&q, &v, &u, &mut q_next, &mut v_next)
                    .unwrap();
                let info = checker.sim.step_info().unwrap();
                unsolved += usize::from(!info.converged);
                yielded += usize::from(info.push_out_given_up);
                impacts += info.impacts;
                if info.converged && info.impacts > 0 && checked < 12 && impacts % 3 == 0 {
                    checked += 1;
                    checker.sim.set_memory(&memory).unwrap();
                    checker.check(&mut q, &mut v, &u);
                } else {
                    (q, v) = (q_next, v_next);
                }
            }
            let name = &run.name;
            println!("{name}, {law:?}: {impacts} impacts, {yielded} steps yield");
            assert!(impacts > 40 && unsolved == 0, "{name}: {unsolved} unsolved");
            checker.report(&format!("{}, {law:?}", run.name));
        }
    }
}

/// Several at once, in islands of their own and together, and a tree so deep that its Jacobians come by
/// directions; the sparse ones are the dense ones.
#[test]
fn heaps_and_deep_trees_that_rebound_are_differentiated() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.4);
    spec.geoms[0].restitution = 0.3;
    for (i, (x, z)) in [
        (0.0, 0.12),
        (0.05, 0.33),
        (1.0, 0.13),
        (1.22, 0.12),
        (3.0, 0.11),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("ball{i}");
        let mass = 0.5 + 0.3 * i as f64;
        free(&mut spec, &name, at(x, 0.02 * i as f64, z), mass, ball(0.1));
        spec.geoms[i + 1].restitution = 0.6 + 0.05 * i as f64;
    }
    let model = Model::compile(spec, Actuation::FromFile).unwrap();
    let mut q = model.neutral().to_vec();
    let mut v = Rng::new(3).vector(model.nv(), 1.0);
    for i in 0..5 {
        v[6 * i + 2] = -1.5 - 0.5 * f64::from(u8::from(i == 1));
    }
    (v[12], v[18]) = (0.7, -0.7);
    let mut checker = Checker::new(model, &options(2e-3));
    checker.stencil = FOURTH_ORDER;
    checker.select(&[param(ParamKind::GeomSize, 2, 0), param(RESTITUTION, 2, 0)]);
    let (mut impacts, mut most) = (0, 0);
    for _ in 0..40 {
        same_without_zeros(&mut checker.sim, &q, &v);
        checker.check(&mut q, &mut v, &[]);
        impacts += checker.impacts;
        most = most.max(checker.impacts);
    }
    assert!(impacts > 5 && most > 1, "{impacts} impacts, {most} at once");
    checker.report("five balls");

    let mut spec = lying_spec(70, 7);
    for g in &mut spec.geoms {
        g.restitution = 0.7;
    }
    let model = Model::compile(spec, Actuation::Full).unwrap();
    let mut q = model.neutral().to_vec();
    let mut v = vec![0.0; model.nv()];
    v[0] = 0.3;
    let mut checker = Checker::new(model, &options(1e-3));
    checker.stencil = FOURTH_ORDER;
    checker.select(&[param(ParamKind::JointPlacement, 20, 2)]);
    checker.check(&mut q, &mut v, &[0.0; 70]);
    assert!(checker.impacts > 3, "{}", checker.impacts);
    checker.report("a chain of 70 links");
}

/// Compares sparse Jacobians of a step with dense ones. The warm start stays.
fn same_without_zeros(sim: &mut Sim, q: &[f64], v: &[f64]) {
    let nv = sim.model().nv();
    let mut memory = vec![0.0; sim.memory_size()];
    sim.get_memory(&mut memory).unwrap();
    let (mut q_next, mut v_next) = (q.to_vec(), v.to_vec());
    sim.step(q, v, &[], &mut q_next, &mut v_next).unwrap();
    let entries = sim.jacobian_entries().unwrap().by_state;
    let (mut starts, mut rows) = (vec![0; nv + 1], vec![0; entries]);
    sim.jacobian_pattern(JacobianPattern {
        state_starts: Some(&mut starts),
        state_rows: Some(&mut rows),
        ..JacobianPattern::default()
    })
    .unwrap();
    let (mut dense, mut sparse) = (vec![f64::NAN; nv * nv], vec![f64::NAN; entries]);
    let by_q = |x| StepJacobians {
        dq_dq: Some(x),
        ..StepJacobians::default()
    };
    sim.step_jacobians(by_q(&mut dense)).unwrap();
    sim.step_jacobians_sparse(by_q(&mut sparse)).unwrap();
    for column in 0..nv {
        for at in starts[column] as usize..starts[column + 1] as usize {
            let entry = &mut dense[column * nv + rows[at] as usize];
            assert_eq!(entry.to_bits(), sparse[at].to_bits());
            *entry = 0.0;
        }
    }
    assert!(dense.iter().all(|x| *x == 0.0));
    sim.set_memory(&memory).unwrap();
}
/// The smoothed derivative of a step that rebounds has the displacement, too, and tends to that of the step.
#[test]
fn on_the_central_path_impacts_leave_as_much() {
    let mut w = World::new(
        bouncing(0.7, 0.4, 0.1005),
        Actuation::FromFile,
        &options(1e-3),
    );
    w.launch(0, Vec3::Z * -2.0);
    assert_eq!(w.step().impacts, 1);
    for (kappa, tolerance) in [(1e-3, 2e-2), (1e-8, 1e-6)] {
        let central = Smoothing {
            method: SmoothingMethod::CentralPath,
            kappa,
            ..Smoothing::default()
        };
        let mut by_q = vec![f64::NAN; 36];
        let out = StepJacobians {
            dq_dq: Some(&mut by_q),
            ..StepJacobians::default()
        };
        w.sim.smoothed_jacobians(&central, out).unwrap();
        close(&[by_q[2 * 6 + 2]], &[-0.7], tolerance);
    }
}

#[test]
fn nothing_of_an_impact_takes_heap() {
    let mut spec = quadruped_spec(false);
    for g in &mut spec.geoms {
        g.restitution = 0.5;
    }
    let mut w = World::new(spec, Actuation::Full, &options(1e-3));
    w.q = standing(w.sim.model());
    w.q[2] = 0.314;
    w.v[2] = -2.0;
    let list = [param(ParamKind::GeomSize, 2, 0), param(RESTITUTION, 0, 0)];
    w.sim.select_params(&list).unwrap();
    let (nq, nv, np) = (w.q.len(), w.v.len(), list.len());
    let (mut q, mut v) = (vec![0.0; nq], vec![0.0; nv]);
    let sizes = [nv, nv, w.u.len(), np];
    let (mut jq, mut jv) = (
        sizes.map(|n| vec![0.0; nv * n]),
        sizes.map(|n| vec![0.0; nv * n]),
    );
    let mut bars = sizes.map(|n| vec![0.0; n]);
    let one = vec![1.0; nv];
    let used = allocation_counter::measure(|| {
        w.sim.step(&w.q, &w.v, &w.u, &mut q, &mut v).unwrap();
        w.sim
            .step_jacobians(all_jacobians(&mut jq, &mut jv))
            .unwrap();
        let [dq, dv, ..] = &mut jq;
        (w.sim)
            .step_jvp(&one, &one, &one, &one[..np], &mut dq[..nv], &mut dv[..nv])
            .unwrap();
        let [a, b, c, d] = &mut bars;
        w.sim
            .step_vjp(&one, &one, Some(a), Some(b), Some(c), Some(d))
            .unwrap();
    });
    assert!(w.sim.step_info().unwrap().impacts > 0);
    assert_eq!(used.count_total, 0);
}
