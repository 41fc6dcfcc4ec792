//! The bounded cost of a step: jams of many contacts, and the options that bound them.

mod common;

use common::Rng;
use common::scene::*;
use diffsim::error::Status;
use diffsim::model::spec::{JointKind, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, Options, Sim, StepInfo, StepJacobians};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Factorizations beyond the budget: those that complete an unsolved step, and those that end an attempt.
const SETTLED: f64 = 10.0;

/// A free trunk with twelve boxes on hinges, all of them in each other.
fn jammed_robot() -> ModelSpec {
    let mut spec = ModelSpec::default();
    let trunk = free(
        &mut spec,
        "trunk",
        at(0.0, 0.0, 1.0),
        5.0,
        cuboid(0.2, 0.1, 0.05),
    );
    let mut rng = Rng::new(11);
    for k in 0..12 {
        let shape = cuboid(0.08, 0.04, 0.05);
        let name = format!("link{k}");
        let place = rng.vector(3, 0.06);
        let pose = at(place[0], place[1], place[2]);
        let id = body(&mut spec, &name, JointKind::Revolute, pose, 0.3, shape);
        spec.bodies[id].parent = trunk;
        let axis = rng.vector(3, 1.0);
        spec.bodies[id].joints[0].axis = Vec3::new(axis[0], axis[1], axis[2]);
    }
    spec
}

/// Free boxes with centres at random in a cube that would hold few of them.
fn jammed_boxes(count: usize) -> ModelSpec {
    let mut spec = ModelSpec::default();
    let mut rng = Rng::new(5);
    for k in 0..count {
        let p = rng.vector(3, 0.2);
        let pose = at(p[0], p[1], 1.0 + p[2]);
        free(
            &mut spec,
            &format!("box{k}"),
            pose,
            1.0,
            cuboid(0.1, 0.1, 0.1),
        );
    }
    spec
}

fn world(spec: ModelSpec, options: Options) -> World {
    let options = Options {
        max_contacts: 2048,
        ..options
    };
    let mut world = World::new(spec, Actuation::FromFile, &options);
    world.v = Rng::new(3).vector(world.v.len(), 3.0);
    world
}

/// A step from the world's state, its end and how long it took; the fastest of three.
fn step(w: &mut World) -> (StepInfo, Vec<f64>, Duration) {
    let (mut q, mut v) = (w.q.clone(), w.v.clone());
    let mut fastest = Duration::MAX;
    for _ in 0..3 {
        w.sim.reset();
        let start = Instant::now();
        w.sim.step(&w.q, &w.v, &w.u, &mut q, &mut v).unwrap();
        fastest = fastest.min(start.elapsed());
    }
    (w.sim.step_info().unwrap(), v, fastest)
}

/// Go2 with its thighs in its trunk: a step of 230 contacts took 206 ms where the convex law takes 1.6, and
/// up to 12 s in an iLQR, since every factorization was that of all rows. In the robot's coordinates it takes
/// 2 ms, at most 5.
#[test]
fn many_contacts_on_one_robot_cost_in_proportion() {
    let options = options(1e-2);
    let (info, _, rigid) = step(&mut world(jammed_robot(), options));
    let convex = Options {
        contact: Contact::Convex,
        ..options
    };
    let (_, _, compliant) = step(&mut world(jammed_robot(), convex));
    println!("{rigid:?}, {compliant:?}: {info:?}");
    assert!(info.contacts > 200 && info.converged, "{info:?}");
    assert!(info.work <= options.max_work + SETTLED, "{info:?}");
    // All rows in one matrix: some thousand times.
    assert!(rigid < 200 * compliant.max(Duration::from_micros(100)));
}

/// A robot that overlaps itself in a way that no motion undoes took 50 to 90 factorizations in every step,
/// most of them to find out once more that it is jammed.
#[test]
fn a_lasting_jam_costs_little_more_than_its_steps() {
    let mut w = world(jammed_robot(), options(1e-3));
    let (mut work, mut jammed, mut most) = (0.0, 0, 0);
    for k in 0..160 {
        let info = w.step();
        assert!(info.converged, "{k}: {info:?}");
        if k >= 20 {
            work += info.work;
            jammed += usize::from(info.push_out_given_up);
            most += usize::from(info.work > 20.0);
        }
    }
    println!("work {work}, jammed {jammed}, dear {most}");
    assert!(jammed > 70, "{jammed}");
    assert!(work < 10.0 * 140.0, "{work}");
}

/// Whatever is asked of it, and whatever it is: what was 580 iterations of 12 s with any `max_iterations`.
#[test]
fn a_step_spends_what_it_may_and_what_it_leaves_is_sane() {
    let mut unsolved = 0;
    for spec in [jammed_robot(), jammed_boxes(30)] {
        for (max_work, max_iterations) in [(1.0, 1000), (8.0, 1000), (60.0, 1000), (1e3, 4)] {
            let options = Options {
                max_work,
                max_iterations,
                ..options(1e-2)
            };
            let free = Options {
                contact: Contact::None,
                ..options
            };
            let mut w = world(spec.clone(), options);
            let q = w.q.clone();
            let mut kinetic = |v: &[f64]| w.sim.energy(&q, v).unwrap().0;
            let (_, v_free, _) = step(&mut world(spec.clone(), free));
            let before = kinetic(&v_free);
            let (info, v, _) = step(&mut w);
            println!("{max_work} {max_iterations}: {info:?}");
            assert!(info.work <= max_work + SETTLED, "{info:?}");
            assert!(max_iterations > 100 || info.iterations <= 3 * max_iterations);
            if info.converged {
                continue;
            }
            unsolved += 1;
            // In the axes of the start or the end, kinetic energy is nearly the same.
            let after = w.sim.energy(&q, &v).unwrap().0;
            assert!(after <= 1.01 * before, "{after} {before}");
            let (_, _, _) = step(&mut w);
            let mut all = vec![7.0; v.len() * v.len()];
            let out = StepJacobians {
                dv_dv: Some(&mut all),
                ..StepJacobians::default()
            };
            let refused = w.sim.step_jacobians(out).unwrap_err();
            assert_eq!(refused.status, Status::NotConverged);
            assert!(all.iter().all(|x| *x == 7.0));
        }
    }
    assert!(unsolved >= 3, "{unsolved}");
}

#[test]
fn work_without_bound_is_asked_for_and_less_than_one_factorization_refused() {
    let model = Arc::new(Model::compile(jammed_boxes(2), Actuation::FromFile).unwrap());
    let with = |max_work| {
        let options = Options {
            max_work,
            ..options(1e-3)
        };
        Sim::new(model.clone(), &options)
    };
    assert!(with(f64::INFINITY).is_ok());
    for bad in [0.0, -1.0, f64::NAN] {
        let message = with(bad).unwrap_err().to_string();
        assert!(message.contains("max_work"), "{message}");
    }
}
