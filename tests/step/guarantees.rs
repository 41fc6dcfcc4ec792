//! Guarantees of the loop: the same bits with derivatives on or off and after a restore, an error instead of
//! a dropped contact, nothing lost by bad input, no heap call.

use crate::common::runs::container;
use crate::common::scene::*;
use crate::common::{Rng, in_body};
use diffsim::error::Status;
use diffsim::model::Actuation;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{JointKind, JointSpec, ModelSpec, ShapeSpec};
use diffsim::spatial::{Pose, Quat, Vec3};
use diffsim::step::{Options, Sim, StepInfo};

/// A scene of spheres and a capsule on a box and the ground.
fn scene(derivatives: bool) -> World {
    let mut spec = on_ground(0.5, 0.12, 1.0, cuboid(0.2, 0.15, 0.1));
    free(&mut spec, "ball", at(0.03, 0.02, 0.3), 0.5, ball(0.06));
    let rod = ShapeSpec::Capsule {
        radius: 0.04,
        half_length: 0.15,
    };
    let turned = Pose::from_quat(
        Quat::exp(Vec3::new(1.4, 0.2, 0.0)).normalized(),
        Vec3::new(-0.1, 0.05, 0.35),
    );
    free(&mut spec, "rod", turned, 0.7, rod);
    let hinge = at(0.5, 0.0, 0.5);
    let id = body(
        &mut spec,
        "arm",
        JointKind::Revolute,
        hinge,
        0.4,
        ball(0.05),
    );
    spec.bodies[id].joints[0] = JointSpec {
        axis: Vec3::Y,
        anchor: Vec3::new(0.0, 0.0, 0.3),
        limits: Some((-0.2, 0.3)),
        friction_loss: 0.01,
        ..spec.bodies[id].joints[0].clone()
    };
    let options = Options {
        derivatives,
        ..options(2e-3)
    };
    let mut w = World::new(spec, Actuation::Full, &options);
    w.launch(0, Vec3::new(0.7, 0.2, -0.3));
    w
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// State after each of the steps, and impulses.
fn record(w: &mut World, rng: &mut Rng, steps: usize) -> Vec<Vec<u64>> {
    (0..steps)
        .map(|_| {
            w.u = rng.vector(w.u.len(), 0.4);
            w.step();
            let impulses: Vec<f64> = w.sim.contacts().iter().flat_map(|c| c.impulse).collect();
            [bits(&w.q), bits(&w.v), bits(&impulses)].concat()
        })
        .collect()
}

/// newton #2133, genesis #2865: contacts and motion are the same with derivatives on, off, and after
/// they have been asked for.
#[test]
fn derivatives_change_no_bit_of_the_step() {
    let steps = 200;
    let plain = record(&mut scene(false), &mut Rng::new(8), steps);
    assert_eq!(record(&mut scene(true), &mut Rng::new(8), steps), plain);
    let (mut w, mut rng) = (scene(true), Rng::new(8));
    let n = w.v.len();
    for expected in &plain {
        let got = record(&mut w, &mut rng, 1);
        assert_eq!(got[0], *expected);
        let mut bar = vec![0.0; n];
        w.velocity_jacobians();
        w.sim
            .step_vjp(
                &vec![1.0; n],
                &vec![1.0; n],
                Some(&mut bar),
                None,
                None,
                None,
            )
            .unwrap();
        let (mut a, mut b) = (bar.clone(), bar.clone());
        w.sim
            .step_jvp(&bar.clone(), &bar, &vec![0.0; n], &[], &mut a, &mut b)
            .unwrap();
    }
    assert!(plain.iter().any(|s| s.len() > 2 * n + 20));
}

/// gym #1193, mujoco #493: a state restored with its warm start replays the same bits, also in
/// another simulation.
#[test]
fn restored_memory_replays_the_same_bits() {
    let mut w = scene(true);
    let mut rng = Rng::new(8);
    record(&mut w, &mut rng, 90);
    let mut memory = vec![0.0; w.sim.memory_size()];
    w.sim.get_memory(&mut memory).unwrap();
    let (q, v) = (w.q.clone(), w.v.clone());
    let first = record(&mut w, &mut Rng::new(9), 100);
    for mut other in [w, scene(false)] {
        other.sim.set_memory(&memory).unwrap();
        (other.q, other.v) = (q.clone(), v.clone());
        assert_eq!(record(&mut other, &mut Rng::new(9), 100), first);
    }
}

/// Places in the memory of the levels of the trees: the number of steps that a jam has lasted, and 256 times
/// the level of the last step.
const JAMMED: std::ops::Range<usize> = 1..13;

/// Spheres on their way into a container, where they lock each other as they hop in body axes.
fn spheres() -> World {
    let options = in_body(options(1e-3));
    World::new(container(12, false), Actuation::FromFile, &options)
}

/// The memory between two steps of a jam.
fn jam(w: &mut World) -> Vec<f64> {
    let mut memory = vec![0.0; w.sim.memory_size()];
    for _ in 0..400 {
        w.step();
        w.sim.get_memory(&mut memory).unwrap();
        if memory[JAMMED].iter().any(|x| x % 256.0 == 4.0) {
            return memory;
        }
    }
    panic!("nothing jams");
}

/// State and facts of each of the steps, and the memory after them.
fn steps(w: &mut World) -> (Vec<(Vec<u64>, StepInfo)>, Vec<u64>) {
    let steps = (0..10).map(|_| {
        let info = w.step();
        (bits(&[&w.q[..], &w.v].concat()), info)
    });
    let steps = steps.collect();
    let mut memory = vec![0.0; w.sim.memory_size()];
    w.sim.get_memory(&mut memory).unwrap();
    (steps, bits(&memory))
}

#[test]
fn memory_restored_within_a_jam_replays_the_same_bits() {
    let mut w = spheres();
    let memory = jam(&mut w);
    let (q, v) = (w.q.clone(), w.v.clone());
    let first = steps(&mut w);
    let mut lasting = first.0.iter().take(5);
    assert!(lasting.all(|(_, info)| info.push_out_given_up));
    for mut other in [w, spheres()] {
        other.sim.set_memory(&memory).unwrap();
        (other.q, other.v) = (q.clone(), v.clone());
        assert!(steps(&mut other) == first);
    }
}

#[test]
fn memory_with_a_bad_count_of_jammed_steps_is_refused() {
    let (mut w, mut untouched) = (spheres(), spheres());
    let mut memory = vec![0.0; jam(&mut w).len()];
    jam(&mut untouched);
    let info = w.sim.step_info().unwrap();
    for bad in [0.5, 3.0, 1024.0, -1.0, f64::NAN] {
        memory[JAMMED.start] = bad;
        let e = w.sim.set_memory(&memory).unwrap_err();
        assert_eq!(e.status, Status::InvalidArgument);
        assert!(e.message.starts_with(&format!("warm[1] is {bad}")), "{e}");
        assert_eq!(w.sim.step_info().unwrap(), info);
    }
    assert!(steps(&mut w) == steps(&mut untouched));
}

/// rapier #868, mujoco #2724: simulations in turns are as alone.
#[test]
fn interleaved_simulations_are_as_alone() {
    let alone = record(&mut scene(true), &mut Rng::new(8), 100);
    let mut worlds = [scene(true), scene(true)];
    let mut rngs = [Rng::new(8), Rng::new(8)];
    for expected in &alone {
        for (w, rng) in worlds.iter_mut().zip(&mut rngs) {
            assert_eq!(record(w, rng, 1)[0], *expected);
        }
    }
}

/// The step fails with `status`, writes nothing, and the next good one is as if it had not been.
fn fails_harmlessly(
    w: &mut World,
    status: Status,
    bad: impl Fn(&mut Sim, &[f64], &[f64], &[f64], &mut [f64], &mut [f64]) -> diffsim::error::Result<()>,
) {
    let mut untouched = scene(true);
    let (mut a, mut b) = (Rng::new(8), Rng::new(8));
    record(&mut untouched, &mut a, 60);
    record(w, &mut b, 60);
    let (mut qn, mut vn) = (vec![7.0; w.q.len()], vec![7.0; w.v.len()]);
    let e = bad(&mut w.sim, &w.q, &w.v, &w.u, &mut qn, &mut vn).unwrap_err();
    assert_eq!(e.status, status, "{e}");
    assert!(qn.iter().chain(&vn).all(|x| *x == 7.0));
    assert_eq!(record(w, &mut b, 60), record(&mut untouched, &mut a, 60));
}

#[test]
fn bad_input_leaves_the_simulation_as_it_was() {
    fails_harmlessly(&mut scene(true), Status::Numerical, |s, q, v, u, qn, vn| {
        let mut u = u.to_vec();
        u[4] = f64::NAN;
        s.step(q, v, &u, qn, vn)
    });
    fails_harmlessly(&mut scene(true), Status::Numerical, |s, q, v, u, qn, vn| {
        let mut u = u.to_vec();
        u[2] = 1e308;
        u[8] = -1e308;
        s.step(q, v, &u, qn, vn)
    });
    fails_harmlessly(&mut scene(true), Status::Numerical, |s, q, v, u, qn, vn| {
        let list: Vec<Param> = (0..10)
            .map(|component| Param {
                kind: ParamKind::BodyInertia,
                index: 2,
                component,
            })
            .collect();
        s.select_params(&list).unwrap();
        let mut good = vec![0.0; 10];
        s.get_params(&mut good).unwrap();
        s.set_params(&[0.0; 10]).unwrap();
        let result = s.step(q, v, u, qn, vn);
        s.set_params(&good).unwrap();
        result
    });
}

#[test]
fn too_many_contacts_are_an_error_and_no_contact_is_dropped() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    for i in 0..3 {
        let x = f64::from(i);
        free(
            &mut spec,
            &format!("box{i}"),
            at(x, 0.0, 0.1),
            1.0,
            cuboid(0.1, 0.1, 0.1),
        );
    }
    let few = Options {
        max_contacts: 8,
        ..options(1e-3)
    };
    let mut w = World::new(spec, Actuation::Full, &few);
    let low = w.q.clone();
    let mut high = low.clone();
    high[16] = 5.0;
    let (mut qn, mut vn) = (vec![7.0; 21], vec![7.0; 18]);
    let zero = [0.0; 18];
    for _ in 0..2 {
        let e = w
            .sim
            .step(&low, &zero, &zero, &mut qn, &mut vn)
            .unwrap_err();
        assert_eq!(e.status, Status::Capacity);
        assert!(qn.iter().chain(&vn).all(|x| *x == 7.0));
        assert!(w.sim.step_info().is_err());
        let (mut q, mut v) = (vec![0.0; 21], vec![0.0; 18]);
        w.sim.step(&high, &zero, &zero, &mut q, &mut v).unwrap();
        assert_eq!(w.sim.contacts().len(), 8);
    }
}

/// A joint that a step could carry across its whole range meets both of its bounds, also where the
/// contacts take all of their places.
#[test]
fn both_bounds_of_a_narrow_joint_fit_beside_all_contacts() {
    let mut spec = ModelSpec::default();
    let rod = cuboid(0.1, 0.02, 0.02);
    for i in 0..3 {
        let name = format!("rod{i}");
        let id = body(
            &mut spec,
            &name,
            JointKind::Revolute,
            at(f64::from(i), 0.0, 1.0),
            1.0,
            rod.clone(),
        );
        spec.bodies[id].joints[0].limits = Some((-1e-3, 1e-3));
    }
    ground(&mut spec, 0.5);
    free(&mut spec, "ball", at(0.0, 0.0, 0.1), 1.0, ball(0.1));
    let one = Options {
        max_contacts: 1,
        ..options(0.01)
    };
    let mut w = World::new(spec, Actuation::Full, &one);
    w.v[..3].fill(10.0);
    w.step();
    assert_eq!(w.sim.contacts().len(), 1);
    for (q, v) in w.q.iter().zip(&w.v).take(3) {
        assert!(q.abs() <= 1e-3 + 1e-9 && v.is_finite(), "{q} {v}");
    }
}

/// pinocchio #658 and many more: no heap call in the loop.
#[test]
fn a_step_and_its_derivatives_allocate_nothing() {
    let mut w = scene(true);
    let (nq, n) = (w.q.len(), w.v.len());
    let mut jacobians = [n, n, n].map(|k| vec![0.0; n * k]);
    let (mut qn, mut vn) = (vec![0.0; nq], vec![0.0; n]);
    let (one, mut bar, mut bar2) = (vec![1.0; n], vec![0.0; n], vec![0.0; n]);
    let mut memory = vec![0.0; w.sim.memory_size()];
    let mut rng = Rng::new(8);
    let inputs: Vec<Vec<f64>> = (0..200).map(|_| rng.vector(n, 0.4)).collect();
    let mut contacts = 0;
    let info = allocation_counter::measure(|| {
        for u in &inputs {
            w.sim.step(&w.q, &w.v, u, &mut qn, &mut vn).unwrap();
            w.q.copy_from_slice(&qn);
            w.v.copy_from_slice(&vn);
            contacts = contacts.max(w.sim.contacts().len());
            let [a, b, c] = &mut jacobians;
            w.sim
                .step_jacobians(diffsim::step::StepJacobians {
                    dv_dq: Some(a),
                    dv_dv: Some(b),
                    dv_du: Some(c),
                    ..Default::default()
                })
                .unwrap();
            w.sim
                .step_vjp(&one, &one, Some(&mut bar), Some(&mut bar2), None, None)
                .unwrap();
            w.sim
                .step_jvp(&one, &one, &one, &[], &mut bar, &mut bar2)
                .unwrap();
            w.sim.get_memory(&mut memory).unwrap();
            w.sim.set_memory(&memory).unwrap();
        }
    });
    assert!(contacts >= 6, "{contacts}");
    assert_eq!(info.count_total, 0);
}
