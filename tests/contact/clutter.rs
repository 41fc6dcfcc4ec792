//! Several bodies: islands of contacts, small ones and one too large for a dense matrix.

use crate::common::scene::*;
use crate::common::{LAWS, Rng};
use allocation_counter::measure;
use diffsim::model::spec::ModelSpec;
use diffsim::model::{Actuation, Model};
use diffsim::step::{Options, Sim, StepJacobians};
use std::sync::Arc;

const LEVELS: usize = 8;
const SPEED: f64 = 1.0;

/// A tower that slides on the ground as one, a box that slides alone, and one in the air.
fn sliding() -> World {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.4);
    let mut boxed = |name: &str, x: f64, z: f64| {
        let id = free(&mut spec, name, at(x, 0.0, z), 1.0, cuboid(0.1, 0.1, 0.1));
        spec.geoms.last_mut().unwrap().friction[0] = 0.9;
        id
    };
    for k in 0..LEVELS {
        boxed(&format!("level{k}"), 0.0, 0.1 + 0.2 * k as f64);
    }
    boxed("alone", 3.0, 0.1);
    boxed("flying", 5.0, 2.0);
    let options = Options {
        max_contacts: 64,
        ..options(1e-3)
    };
    let mut world = World::new(spec, Actuation::FromFile, &options);
    world.v.iter_mut().step_by(6).for_each(|v| *v = SPEED);
    world
}

#[test]
fn derivatives_through_islands_are_those_of_differences_and_take_no_heap() {
    let mut w = sliding();
    let n = w.v.len();
    let mut rng = Rng::new(3);
    let (dv, z) = (rng.vector(n, 1.0), rng.vector(n, 1.0));
    let (mut q, mut ends) = (w.q.clone(), [w.v.clone(), w.v.clone()]);
    let step = 1e-5;
    for (end, sign) in ends.iter_mut().zip([1.0, -1.0]) {
        let v: Vec<f64> =
            w.v.iter()
                .zip(&dv)
                .map(|(v, d)| v + sign * step * d)
                .collect();
        w.sim.step(&w.q, &v, &[], &mut q, end).unwrap();
        let info = w.sim.step_info().unwrap();
        assert!(info.converged && info.residual < RESIDUAL, "{info:?}");
        // More rows than an island with a dense matrix has.
        assert!(info.contacts >= 3 * (LEVELS + 1), "{info:?}");
    }
    let zero = vec![0.0; n];
    let (mut dq_next, mut dv_next, mut v_next) = (zero.clone(), zero.clone(), zero.clone());
    let (mut q_bar, mut v_bar, mut jacobian) = (zero.clone(), zero.clone(), vec![0.0; n * n]);
    let used = measure(|| {
        w.sim.reset();
        w.sim.step(&w.q, &w.v, &[], &mut q, &mut v_next).unwrap();
        w.sim
            .step_jvp(&zero, &dv, &[], &[], &mut dq_next, &mut dv_next)
            .unwrap();
        w.sim
            .step_vjp(&zero, &z, Some(&mut q_bar), Some(&mut v_bar), None, None)
            .unwrap();
        let out = StepJacobians {
            dv_dv: Some(&mut jacobian),
            ..StepJacobians::default()
        };
        w.sim.step_jacobians(out).unwrap();
    });
    assert_eq!((used.count_total, used.bytes_total), (0, 0));
    let mut worst: f64 = 0.0;
    for k in 0..n {
        let difference = (ends[0][k] - ends[1][k]) / (2.0 * step);
        let column: f64 = (0..n).map(|j| jacobian[j * n + k] * dv[j]).sum();
        worst = worst.max((difference - dv_next[k]).abs());
        assert!(
            (difference - dv_next[k]).abs() < 1e-6,
            "{k}: {difference} {}",
            dv_next[k]
        );
        assert!(
            (column - dv_next[k]).abs() < 1e-8,
            "{k}: {column} {}",
            dv_next[k]
        );
    }
    println!("largest error of the directional derivative {worst:e}");
    let forward: f64 = z.iter().zip(&dv_next).map(|(a, b)| a * b).sum();
    let backward: f64 = v_bar.iter().zip(&dv).map(|(a, b)| a * b).sum();
    assert!((forward - backward).abs() < 1e-9 * forward.abs().max(1.0));
}

/// With derivatives; no matrix has all rows of all contacts.
#[test]
fn room_for_contacts_of_free_bodies_takes_memory_in_proportion() {
    const BODIES: usize = 10;
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.4);
    for k in 0..BODIES {
        let place = at(0.0, 0.0, 0.1 + 0.2 * k as f64);
        free(&mut spec, &format!("ball{k}"), place, 1.0, ball(0.1));
    }
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    for contact in LAWS {
        let bytes = |max_contacts: usize| {
            let options = Options {
                max_contacts,
                contact,
                ..options(1e-3)
            };
            let used = measure(|| drop(Sim::new(model.clone(), &options).unwrap()));
            used.bytes_max as f64
        };
        let [some, many] = [1000, 4000].map(bytes);
        println!("{contact:?}: {:.1} MB, {:.1} MB", 1e-6 * some, 1e-6 * many);
        assert!(many < 4.1 * some);
        // Panels of a number a row and dof, and some more numbers a row.
        let rows = (3 * 4000) as f64;
        assert!(many < 8.0 * rows * (12 * 6 * BODIES + 400) as f64 + 30e6);
    }
}
