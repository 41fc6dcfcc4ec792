//! Joint dry friction beside contacts that hold: rows like any others, whose impulses stay inside their sets from step to
//! step, at the cost of rows.

mod common;

use common::checker::{options, quadruped_spec, standing};
use diffsim::model::spec::JointKind;
use diffsim::model::{Actuation, Model};
use diffsim::step::Sim;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A quadruped whose servos hold it, on joints with dry friction, after a second: the time of the last steps, and the most
/// factorizations that one of them took.
fn stand(friction: f64, stiffness: f64, damping: f64) -> (Duration, usize) {
    let mut spec = quadruped_spec(false);
    let joints = spec.bodies.iter_mut().flat_map(|b| &mut b.joints);
    for j in joints.filter(|j| j.kind == JointKind::Revolute) {
        (j.friction_loss, j.damping) = (friction, 0.0);
    }
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
    let mut q = standing(&model);
    let (desired, mut v) = (q.clone(), vec![0.0; model.nv()]);
    let (mut spent, mut most) = (Duration::ZERO, 0);
    for step in 0..1500 {
        let mut u = vec![0.0; model.nu()];
        for k in 6..model.nv() {
            u[k] = stiffness * (desired[k + 1] - q[k + 1]) - damping * v[k];
        }
        let (mut q_next, mut v_next) = (q.clone(), v.clone());
        let start = Instant::now();
        sim.step(&q, &v, &u, &mut q_next, &mut v_next).unwrap();
        if step >= 1000 {
            spent += start.elapsed();
            most = most.max(sim.step_info().unwrap().iterations);
        }
        (q, v) = (q_next, v_next);
    }
    (spent, most)
}

/// Of Go1, with the 0.2 N m of its own file, a standing step took 12 µs without dry friction and 320 with it, or
/// 26 and 8071 on eight contacts, as the least impulse was sought on the edges of the cones in every step: 49 and 67 now.
/// Of this robot creeping to rest (the second gains) it took 50 times as long and 15 factorizations: 11 times and 6 now.
#[test]
fn dry_friction_of_a_standing_robot_costs_what_its_rows_cost() {
    for (stiffness, damping) in [(100.0, 5.0), (40.0, 1.0), (300.0, 3.0)] {
        let (without, _) = stand(0.0, stiffness, damping);
        let (with, most) = stand(0.2, stiffness, damping);
        let ratio = with.as_secs_f64() / without.as_secs_f64();
        println!("{stiffness} {damping}: {ratio:.1} times, at most {most} factorizations");
        assert!(ratio < 25.0, "{ratio}");
        assert!(most <= 8, "{most}");
    }
}
