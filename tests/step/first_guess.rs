//! The history of implicit steps makes them faster and nothing else: after any history a step equals that of
//! a new simulation to round-off.

use crate::common::tendons::tendon;
use crate::common::{Rng, random_q, random_tree};
use diffsim::model::spec::{BodySpec, JointKind, JointSpec, ModelSpec};
use diffsim::model::tendon::{PathPoint, TendonPath};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Sym3, Vec3};
use diffsim::step::{Contact, Integrator, Options, Sim};
use std::sync::Arc;

const SCHEMES: [Integrator; 4] = [
    Integrator::Bdf1,
    Integrator::Sdirk2,
    Integrator::ImplicitEuler,
    Integrator::Midpoint,
];

/// Bodies of unlike inertias, side by side.
fn bodies(kinds: &[JointKind], gravity: f64) -> Arc<Model> {
    Arc::new(Model::compile(specification(kinds, gravity), Actuation::Full).unwrap())
}

fn specification(kinds: &[JointKind], gravity: f64) -> ModelSpec {
    let mut spec = ModelSpec {
        gravity: Vec3::Z * -gravity,
        ..ModelSpec::default()
    };
    spec.bodies
        .extend(kinds.iter().enumerate().map(|(k, kind)| BodySpec {
            name: format!("body{k}"),
            inertia: Inertia::from_com(1.0, Vec3::ZERO, Sym3::diagonal(Vec3::new(0.1, 0.2, 0.25))),
            joints: vec![JointSpec::new(format!("joint{k}"), *kind)],
            ..BodySpec::world()
        }));
    spec
}

fn sim(model: &Arc<Model>, integrator: Integrator, h: f64) -> Sim {
    let options = Options {
        time_step: h,
        integrator,
        contact: Contact::None,
        ..Options::default()
    };
    Sim::new(model.clone(), &options).unwrap()
}

fn step(sim: &mut Sim, q: &[f64], v: &[f64], u: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut q_next, mut v_next) = (q.to_vec(), v.to_vec());
    sim.step(q, v, u, &mut q_next, &mut v_next).unwrap();
    assert!(sim.step_info().unwrap().converged);
    (q_next, v_next)
}

/// How far a step ends from that of a new simulation, relative to the largest velocity.
fn apart(sim: &mut Sim, model: &Arc<Model>, integrator: Integrator, [q, v, u]: [&[f64]; 3]) -> f64 {
    let h = sim.options().time_step;
    let (_, found) = step(sim, q, v, u);
    let (_, alone) = step(&mut self::sim(model, integrator, h), q, v, u);
    let off = found.iter().zip(&alone).map(|(a, b)| (a - b).abs());
    let largest = alone.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    off.fold(0.0, f64::max) / largest
}

/// A fall says nothing of how turning bends the balance.
#[test]
fn a_torque_after_a_fall() {
    let model = bodies(&[JointKind::Free], 9.81);
    let mut worst: f64 = 0.0;
    for integrator in SCHEMES {
        for (torque, h) in [(0.01, 1e-2), (0.1, 1e-2), (1.0, 1e-2), (1.0, 1e-3)] {
            for steps in [1, 2, 7, 30, 120] {
                let mut falling = sim(&model, integrator, h);
                let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; 6]);
                for _ in 0..steps {
                    (q, v) = step(&mut falling, &q, &v, &[0.0; 6]);
                }
                let u = [0.0, 0.0, 0.0, 0.0, torque, torque];
                worst = worst.max(apart(&mut falling, &model, integrator, [&q, &v, &u]));
            }
        }
    }
    assert!(worst < 1e-14, "{worst:e}");
}

/// Nor does a slide say how another body turns, whichever of them moves farther.
#[test]
fn a_torque_beside_a_slide() {
    let model = bodies(&[JointKind::Prismatic, JointKind::Spherical], 0.0);
    let mut worst: f64 = 0.0;
    for integrator in SCHEMES {
        for h in [1e-3, 1e-2, 5e-2] {
            for (push, torque) in [(1000.0, 7.5), (1.0, 7.5), (1e3, 0.1), (0.1, 1.0)] {
                let mut sliding = sim(&model, integrator, h);
                let u = [push, 0.0, 0.0, 0.0];
                let (q, v) = step(&mut sliding, model.neutral(), &[0.0, 0.1, 0.0, 0.0], &u);
                let u = [push, 0.0, torque, torque];
                worst = worst.max(apart(&mut sliding, &model, integrator, [&q, &v, &u]));
            }
        }
    }
    assert!(worst < 1e-14, "{worst:e}");
}

/// More than curvature allows may be left in a direction of its own: one that is no round-off is taken.
#[test]
fn what_is_left_is_not_taken_for_round_off() {
    for (seed, links, integrator, h, last) in [
        (12, 7, Integrator::Bdf1, 1e-4, 69),
        (17, 12, Integrator::Sdirk2, 1e-3, 79),
    ] {
        let model = Arc::new(random_tree(seed, links));
        let mut along = sim(&model, integrator, h);
        let mut rng = Rng::new(seed);
        let (mut q, mut v) = (random_q(&mut rng, &model, 0.5), rng.vector(model.nv(), 1.0));
        for k in 0..=last {
            let u: Vec<f64> = (0..model.nu())
                .map(|j| match (k + j) % 3 {
                    0 => rng.range(-10.0, 10.0),
                    _ => 0.01,
                })
                .collect();
            if k == last {
                let off = apart(&mut along, &model, integrator, [&q, &v, &u]);
                assert!(off < 1e-14, "{integrator:?} {off:e}");
                assert!(along.step_info().unwrap().residual < 1e-15);
            } else {
                (q, v) = step(&mut along, &q, &v, &u);
            }
        }
    }
}

/// Turning about x and about y is linear, about both it is not.
#[test]
fn two_axes_that_were_turned_about_alone() {
    let model = bodies(&[JointKind::Spherical], 0.0);
    let mut worst: f64 = 0.0;
    for integrator in SCHEMES {
        for h in [1e-3, 1e-2, 5e-2] {
            for push in [4.0, 0.4, 0.04, 0.004] {
                let mut torsion = sim(&model, integrator, h);
                let (q, rest) = (model.neutral(), [0.0; 3]);
                for u in [[40.0, 0.0, 0.0], [0.0, 40.0, 0.0]] {
                    for u in [u, [0.0; 3], [0.0; 3]] {
                        step(&mut torsion, q, &rest, &u);
                    }
                }
                let u = [push, push, 0.0];
                worst = worst.max(apart(&mut torsion, &model, integrator, [q, &rest, &u]));
            }
        }
    }
    assert!(worst < 1e-13, "{worst:e}");
}

/// A cable far from taut says nothing of another one that becomes taut.
#[test]
fn a_cable_that_becomes_taut_beside_one_that_does_not() {
    let mut spec = specification(&[JointKind::Prismatic; 2], 0.0);
    for (k, slack) in [1e-4, 1.2e-4].into_iter().enumerate() {
        let path = TendonPath::Fixed(vec![(format!("joint{k}"), 1.0)]);
        let mut cable = tendon(&format!("cable{k}"), path);
        (cable.stiffness, cable.damping) = (1e6, 0.0);
        (cable.rest, cable.pull_only) = (Some((-100.0, slack)), true);
        spec.tendons.push(cable);
    }
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    for integrator in SCHEMES {
        for h in [1e-2, 5e-2] {
            let mut slack = sim(&model, integrator, h);
            let (q, rest) = ([0.0; 2], [0.0; 2]);
            for u in [[0.0, -10.0 / h], [0.0; 2], [0.0; 2]] {
                step(&mut slack, &q, &rest, &u);
            }
            let u = [0.0, 0.04 / h];
            let off = apart(&mut slack, &model, integrator, [&q, &rest, &u]);
            assert!(off < 1e-13, "{integrator:?} {h} {off:e}");
        }
    }
}

/// Far from the anchor of a spring beside the way its force is linear, near it it bends.
#[test]
fn a_slide_past_the_anchor_of_a_spring() {
    let mut spec = specification(&[JointKind::Prismatic], 0.0);
    spec.bodies[1].joints[0].axis = Vec3::X;
    let ends = [(0, Vec3::Z * 0.01), (1, Vec3::ZERO)];
    let ends = ends.map(|(body, at)| PathPoint::Point { body, at });
    let mut tendon = tendon("cord", TendonPath::Spatial(ends.to_vec()));
    (tendon.stiffness, tendon.damping, tendon.rest) = (1e6, 0.0, Some((0.01, 0.01)));
    spec.tendons.push(tendon);
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    for k in 0..60 {
        let mut sliding = sim(&model, Integrator::Bdf1, 1e-3);
        let (mut q, mut v) = (vec![1.0 + 0.004 * f64::from(k)], vec![0.0]);
        for _ in 0..2 {
            // There are several solutions: its own is found again by one that knows nothing but where it is.
            let before = (q.clone(), v.clone());
            (q, v) = step(&mut sliding, &q, &v, &[0.0]);
            let mut there = vec![0.0; sliding.memory_size()];
            there[0] = (v[0] - before.1[0]) / 1e-3;
            let mut alone = sim(&model, Integrator::Bdf1, 1e-3);
            alone.set_memory(&there).unwrap();
            let (_, again) = step(&mut alone, &before.0, &before.1, &[0.0]);
            let off = (again[0] - v[0]).abs() / v[0].abs().max(before.1[0].abs());
            assert!(off < 1e-13, "{k}: {off:e}");
        }
    }
}
