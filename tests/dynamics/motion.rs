//! Motion of bodies, sites and frames without a step, in every reference frame, against differences.

use crate::common::varying::{surface_tree, universal_tree};
use crate::common::*;
use diffsim::dynamics::motion::{Frame, ReferenceFrame};
use diffsim::model::sensor::Zone;
use diffsim::model::spec::SiteSpec;
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Mat3, Pose, Twist, Vec3, so3_log};
use diffsim::step::{Contact, Options, Sim};
use std::sync::Arc;

const FRAMES: [ReferenceFrame; 3] = [
    ReferenceFrame::Local,
    ReferenceFrame::World,
    ReferenceFrame::LocalWorldAligned,
];

fn without_steps() -> Options {
    Options {
        contact: Contact::None,
        derivatives: false,
        ..Options::default()
    }
}

/// Trees of joints of all kinds, with a site on every other body.
fn sited() -> impl Iterator<Item = (u64, Model)> {
    let random = (0..12).map(|seed| {
        let mut spec = random_spec(seed, 2 + seed as usize);
        let mut rng = Rng::new(seed);
        for body in (0..spec.bodies.len()).step_by(2) {
            spec.sites.push(SiteSpec {
                name: format!("site{body}"),
                body,
                placement: rng.pose(0.3),
                zone: Zone::default(),
            });
        }
        (seed, Model::compile(spec, Actuation::Full).unwrap())
    });
    let varying = (0..4).map(|s| (20 + s, surface_tree(s, 7)));
    let torsion = (0..4).map(|s| (30 + s, universal_tree(s, 7, true)));
    random.chain(varying).chain(torsion)
}

/// How a pose moves at 0: the twist of its frame as `reference` tells it, from the poses around.
fn difference_of_poses(reference: ReferenceFrame, mut at: impl FnMut(f64) -> Pose) -> Vec<f64> {
    let here = at(0.0);
    let moved = difference(EPS, |x| {
        let p = at(x);
        let turn = so3_log(&p.rot.mul_mat(&here.rot.transpose()));
        [p.pos.to_array(), turn.to_array()].concat()
    });
    let t = Twist::from_slice(&moved);
    let told = match reference {
        ReferenceFrame::Local => Twist::new(here.rot.tr_mul_vec(t.lin), here.rot.tr_mul_vec(t.ang)),
        ReferenceFrame::World => Twist::new(t.lin - t.ang.cross(here.pos), t.ang),
        ReferenceFrame::LocalWorldAligned => t,
    };
    told.to_array().to_vec()
}

fn pose(m: &[f64]) -> Pose {
    let column = |k: usize| Vec3::from_slice(&m[4 * k..]);
    Pose::new(
        Mat3::from_columns(column(0), column(1), column(2)),
        column(3),
    )
}

/// The state that (q, v) moves to in the time x at joint accelerations a.
fn moved(model: &Model, q: &[f64], v: &[f64], a: &[f64], x: f64) -> (Vec<f64>, Vec<f64>) {
    // ⊕ of ½ a x² keeps the differences' order: free joints' exponential has d/dt = v + a t to that order.
    let step: Vec<f64> = (v.iter().zip(a))
        .map(|(v, a)| v * x + 0.5 * a * x * x)
        .collect();
    let (mut at, ahead) = (
        q.to_vec(),
        v.iter().zip(a).map(|(v, a)| v + a * x).collect(),
    );
    model.integrate(q, &step, &mut at);
    (at, ahead)
}

#[test]
fn velocities_and_accelerations_are_rates() {
    for (seed, model) in sited() {
        let mut rng = Rng::new(seed);
        let (nv, n, sites) = (model.nv(), model.nbody(), model.sites().len());
        let q = random_q(&mut rng, &model, 1.0);
        let (v, a) = (rng.vector(nv, 1.5), rng.vector(nv, 3.0));
        let mut sim = Sim::new(Arc::new(model.clone()), &without_steps()).unwrap();
        for reference in FRAMES {
            let mut velocities = vec![0.0; 6 * n];
            sim.body_velocities(&q, &v, reference, &mut velocities)
                .unwrap();
            let mut told = vec![0.0; 6 * sites];
            sim.site_velocities(&q, &v, reference, &mut told).unwrap();
            velocities.extend(told);
            let mut places = |x: f64| {
                let at = moved(&model, &q, &v, &a, x).0;
                let (mut bodies, mut of_sites) = (vec![0.0; 16 * n], vec![0.0; 16 * sites]);
                sim.forward_kinematics(&at, &mut bodies).unwrap();
                sim.site_placements(&at, &mut of_sites).unwrap();
                bodies.extend(of_sites);
                bodies
            };
            for (i, told) in velocities.chunks_exact(6).enumerate() {
                let fd = difference_of_poses(reference, |x| pose(&places(x)[16 * i..]));
                assert!(
                    relative_error(told, &fd) < 1e-9,
                    "velocity {i}, seed {seed}"
                );
            }

            let mut rates = vec![0.0; 6 * n];
            sim.body_accelerations(&q, &v, &a, reference, &mut rates)
                .unwrap();
            let mut told = vec![0.0; 6 * sites];
            sim.site_accelerations(&q, &v, &a, reference, &mut told)
                .unwrap();
            rates.extend(told);
            let fd = difference(EPS, |x| {
                let (at, ahead) = moved(&model, &q, &v, &a, x);
                let (mut bodies, mut of_sites) = (vec![0.0; 6 * n], vec![0.0; 6 * sites]);
                sim.body_velocities(&at, &ahead, reference, &mut bodies)
                    .unwrap();
                sim.site_velocities(&at, &ahead, reference, &mut of_sites)
                    .unwrap();
                bodies.extend(of_sites);
                bodies
            });
            assert!(
                relative_error(&rates, &fd) < 1e-8,
                "acceleration, seed {seed}"
            );
            assert!(rates[..6].iter().all(|x| *x == 0.0), "the world moves");
        }
    }
}

#[test]
fn frames_have_exact_derivatives() {
    let mut worst = [0.0_f64; 4];
    for (seed, model) in sited() {
        let mut rng = Rng::new(seed);
        let (nv, n) = (model.nv(), model.nbody());
        let q = random_q(&mut rng, &model, 1.0);
        let (v, a) = (rng.vector(nv, 1.5), rng.vector(nv, 3.0));
        let mut sim = Sim::new(Arc::new(model.clone()), &without_steps()).unwrap();
        for reference in FRAMES {
            let frame = Frame {
                body: n - 1 - rng.below(2),
                placement: rng.pose(0.4),
                reference,
            };
            let fresh = || vec![f64::NAN; 6 * nv];
            let (mut j, mut rate) = (fresh(), fresh());
            sim.frame_jacobian(&q, &frame, &mut j).unwrap();
            sim.frame_jacobian_rate(&q, &v, &frame, &mut rate).unwrap();
            let (mut dv_dq, mut dv_dv) = (fresh(), fresh());
            let velocity = sim
                .frame_velocity(&q, &v, &frame, Some(&mut dv_dq), Some(&mut dv_dv))
                .unwrap();
            let (mut da_dq, mut da_dv, mut da_da) = (fresh(), fresh(), fresh());
            let (x, y, z) = (
                Some(&mut da_dq[..]),
                Some(&mut da_dv[..]),
                Some(&mut da_da[..]),
            );
            let acceleration = sim.frame_acceleration(&q, &v, &a, &frame, x, y, z).unwrap();
            assert!(dv_dv == j && da_da == j);

            let times = |m: &[f64], x: &[f64]| -> Vec<f64> {
                (0..6)
                    .map(|i| (0..nv).map(|k| m[6 * k + i] * x[k]).sum())
                    .collect()
            };
            assert!(relative_error(&times(&j, &v), &velocity) < 1e-12);
            let (ahead, torsion) = (times(&j, &a), times(&rate, &v));
            let sum: Vec<f64> = ahead.iter().zip(torsion).map(|(x, y)| x + y).collect();
            assert!(relative_error(&sum, &acceleration) < 1e-12, "seed {seed}");

            let fd_rate = difference(EPS, |x| {
                let at = moved(&model, &q, &v, &vec![0.0; nv], x).0;
                let mut j = fresh();
                sim.frame_jacobian(&at, &frame, &mut j).unwrap();
                j
            });
            let of_v = |sim: &mut Sim, q: &[f64]| {
                sim.frame_velocity(q, &v, &frame, None, None)
                    .unwrap()
                    .to_vec()
            };
            let of_a = |sim: &mut Sim, q: &[f64], v: &[f64]| {
                let told = sim.frame_acceleration(q, v, &a, &frame, None, None, None);
                told.unwrap().to_vec()
            };
            let errors = [
                relative_error(&rate, &fd_rate),
                relative_error(&dv_dq, &by_q(&model, &q, |q| of_v(&mut sim, q))),
                relative_error(&da_dq, &by_q(&model, &q, |q| of_a(&mut sim, q, &v))),
                relative_error(&da_dv, &by_vector(&v, |v| of_a(&mut sim, &q, v))),
            ];
            assert!(
                errors.iter().all(|e| *e < 1e-8),
                "{reference:?}, seed {seed}: {errors:?}"
            );
            for (w, e) in worst.iter_mut().zip(errors) {
                *w = w.max(e);
            }
        }
        let mut all = vec![f64::NAN; 6 * nv * n];
        for reference in FRAMES {
            sim.body_jacobians(&q, reference, &mut all).unwrap();
            for (body, all) in all.chunks_exact(6 * nv.max(1)).enumerate() {
                let placement = Pose::IDENTITY;
                let frame = Frame {
                    body,
                    placement,
                    reference,
                };
                let mut j = vec![f64::NAN; 6 * nv];
                sim.frame_jacobian(&q, &frame, &mut j).unwrap();
                assert_eq!(j, all);
            }
        }
    }
    println!("largest relative differences (J̇, ∂V/∂q, ∂A/∂q, ∂A/∂v): {worst:?}");
}
