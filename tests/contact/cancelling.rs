//! Compliant contact where forces or velocities cancel each other: solved, and in few steps.

use crate::common::scene::*;
use diffsim::model::spec::ModelSpec;
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Pose, Quat, Vec3};
use diffsim::step::{Contact, Options, Sim};
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

fn convex(h: f64) -> Options {
    Options {
        contact: Contact::Convex,
        ..options(h)
    }
}

/// A box of 20 cm with walls on both sides, which it overlaps by so much, without gravity; with torsion where
/// condim is 4.
fn between_walls(overlap: f64, condim: i32) -> ModelSpec {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    for (name, turn) in [("left", FRAC_PI_2), ("right", -FRAC_PI_2)] {
        let rot = Quat::exp(Vec3::new(0.0, turn, 0.0)).normalized();
        let place = Vec3::new(-turn.signum() * (0.1 - overlap), 0.0, 0.0);
        plane(&mut spec, name, Pose::from_quat(rot, place), 0.5);
    }
    free(&mut spec, "box", Pose::IDENTITY, 1.0, cuboid(0.1, 0.1, 0.1));
    spec.geoms.iter_mut().for_each(|g| g.condim = condim);
    spec
}

/// Steps from a twist; the most iterations of one, every one of which must be solved.
fn most_iterations(spec: ModelSpec, place: &[f64], twist: [f64; 6], steps: usize) -> usize {
    let model = Model::compile(spec, Actuation::FromFile).unwrap();
    let mut q = model.neutral().to_vec();
    model.integrate(&q.clone(), place, &mut q);
    let mut v = twist.to_vec();
    let mut sim = Sim::new(Arc::new(model), &convex(2e-3)).unwrap();
    let mut most = 0;
    for step in 0..steps {
        let (before, speed) = (q.clone(), v.clone());
        sim.step(&before, &speed, &[], &mut q, &mut v).unwrap();
        let info = sim.step_info().unwrap();
        assert!(info.converged, "step {step}: {:e}", info.residual);
        most = most.max(info.iterations);
    }
    most
}

/// Every second step was called unsolved after a hundred Newton steps: the pressures of the walls cancel, and
/// the remaining momentum was measured by their round-off.
#[test]
fn a_box_between_two_walls_is_solved() {
    for condim in [3, 4] {
        for overlap in [1e-3, 1e-6, 1e-9, 0.0, -1e-9] {
            let along = |v: f64| [0.0, 0.0, v, 0.0, 0.0, 0.0];
            let torsion = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
            for twist in [along(0.0), along(1e-3), along(10.0), torsion] {
                let spec = between_walls(overlap, condim);
                let most = most_iterations(spec, &[0.0; 6], twist, 30);
                assert!(most < 20, "{overlap:e} {twist:?}: {most}");
            }
        }
    }
}

/// A spinning box that grazes the ground: of a normal velocity that cancels to its last digits there is an
/// impulse.
#[test]
fn a_spinning_box_that_grazes_the_ground_is_solved() {
    for condim in [3, 4] {
        for speed in [1.0, 10.0] {
            for depth in [1e-3, 1e-6, 1e-9, 1e-12, 0.0] {
                let mut spec = on_ground(0.5, 0.1 - depth, 1.0, cuboid(0.1, 0.1, 0.1));
                spec.gravity = Vec3::ZERO;
                spec.geoms.iter_mut().for_each(|g| g.condim = condim);
                let twist = [0.0, 0.0, 0.0, 0.0, 0.0, speed];
                let most = most_iterations(spec, &[0.0; 6], twist, 60);
                assert!(most < 60, "{speed} {depth:e}: {most}");
            }
        }
    }
}
