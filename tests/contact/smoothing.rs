//! Smoothed derivatives: their limits, their view of the next contact, and that they change nothing.

use crate::common::checker::{free_body, ground, quadruped, standing};
use crate::common::*;
use diffsim::error::Status;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{JointKind, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::query::{Smoothing, SmoothingInfo, SmoothingMethod};
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim, StepJacobians};
use std::sync::Arc;

/// Of q⁺ and of v⁺: by q, v, u, p.
type Jacobians = [[Vec<f64>; 4]; 2];

fn ask(
    sim: &Sim,
    to_zeroth: bool,
    give: impl FnOnce(StepJacobians<'_>) -> diffsim::error::Result<()>,
) -> diffsim::error::Result<Jacobians> {
    let m = sim.model();
    let np = if to_zeroth { 0 } else { sim.np() };
    let columns = [m.nv(), m.nv(), m.nu(), np];
    let empty = || columns.map(|n| vec![f64::NAN; m.nv() * n]);
    let mut out = [empty(), empty()];
    let [of_q, of_v] = &mut out;
    let mut into = all_jacobians(of_q, of_v);
    if to_zeroth {
        (into.dq_dp, into.dv_dp) = (None, None);
    }
    give(into)?;
    Ok(out)
}

fn exact(sim: &mut Sim) -> Jacobians {
    let shape = sim.duplicate().unwrap();
    ask(&shape, false, |out| sim.step_jacobians(out)).unwrap()
}

fn smoothed(sim: &Sim, s: &Smoothing) -> diffsim::error::Result<(Jacobians, SmoothingInfo)> {
    let mut info = None;
    let zeroth = s.method == SmoothingMethod::ZerothOrder;
    let j = ask(sim, zeroth, |out| {
        info = Some(sim.smoothed_jacobians(s, out)?);
        Ok(())
    })?;
    Ok((j, info.unwrap()))
}

fn error(a: &Jacobians, b: &Jacobians) -> f64 {
    let blocks = a.as_flattened().iter().zip(b.as_flattened());
    let blocks = blocks.filter(|(a, b)| a.len() == b.len());
    blocks.fold(0.0, |m, (a, b)| m.max(relative_error(a, b)))
}

fn step(sim: &mut Sim, q: &[f64], v: &[f64], u: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut qn, mut vn) = (q.to_vec(), v.to_vec());
    sim.step(q, v, u, &mut qn, &mut vn).unwrap();
    (qn, vn)
}

/// A tree with joints of all kinds in a smooth scene, and one step of it.
struct Smooth {
    sim: Sim,
    q: Vec<f64>,
    v: Vec<f64>,
    u: Vec<f64>,
    q_next: Vec<f64>,
}

fn smooth() -> Smooth {
    let mut rng = Rng::new(61);
    let mut spec = ModelSpec::default();
    for (i, kind) in [
        JointKind::Free,
        JointKind::Revolute,
        JointKind::Spherical,
        JointKind::Universal,
    ]
    .into_iter()
    .enumerate()
    {
        spec.bodies
            .push(random_body(&mut rng, i + 1, i.div_ceil(2), kind));
    }
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let options = Options {
        contact: Contact::None,
        time_step: 0.01,
        ..Options::default()
    };
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    sim.select_params(&[
        Param {
            kind: ParamKind::BodyInertia,
            index: 2,
            component: 0,
        },
        Param {
            kind: ParamKind::ExternalWrench,
            index: 3,
            component: 1,
        },
    ])
    .unwrap();
    sim.set_external_wrench(3, [1.0, 0.5, -2.0, 0.1, 0.2, 0.0])
        .unwrap();
    let q = random_q(&mut rng, &model, 0.8);
    let v = rng.vector(model.nv(), 2.0);
    let u = rng.vector(model.nu(), 3.0);
    let (q_next, _) = step(&mut sim, &q, &v, &u);
    Smooth {
        sim,
        q,
        v,
        u,
        q_next,
    }
}

#[test]
fn without_contact_the_mean_tends_to_the_exact_jacobian() {
    let mut s = smooth();
    let exact = exact(&mut s.sim);
    let at = |width: f64| {
        let options = Smoothing {
            width_q: width,
            width_v: width,
            width_u: width,
            pairs: 8,
            ..Smoothing::default()
        };
        let (j, info) = smoothed(&s.sim, &options).unwrap();
        assert_eq!(info.gradient, Gradient::Smoothed);
        assert_eq!((info.pairs, info.failures), (8, 0));
        error(&j, &exact)
    };
    let (coarse, fine) = (at(1e-1), at(1e-3));
    println!("first order: {coarse:e} at width 0.1, {fine:e} at 0.001");
    // Both signs of a displacement: the remainder is of second order in the width.
    assert!(coarse > 1e-5 && fine < 2e-4 * coarse);
}

/// Standard normal numbers as the library draws them from a seed.
fn normals(seed: u64, n: usize) -> Vec<f64> {
    let mut rng = Rng::new(seed);
    let mut uniform = || ((rng.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64;
    let mut out = Vec::new();
    while out.len() < n {
        let (r, angle) = (
            (-2.0 * uniform().ln()).sqrt(),
            std::f64::consts::TAU * uniform(),
        );
        out.extend([r * angle.cos(), r * angle.sin()]);
    }
    out.truncate(n);
    out
}

/// The mean over given displacements is a function of the state; to first order its derivative is the
/// answer, tangents of rotations included.
#[test]
fn first_order_is_the_derivative_of_the_mean_over_the_displacements() {
    let Smooth {
        mut sim,
        q,
        v,
        u,
        q_next,
    } = smooth();
    let model = sim.model().clone();
    let (nv, nu) = (model.nv(), model.nu());
    let widths = [0.3, 0.2, 0.1];
    let options = Smoothing {
        width_q: widths[0],
        width_v: widths[1],
        width_u: widths[2],
        pairs: 2,
        seed: 12,
        ..Smoothing::default()
    };
    let (ours, _) = smoothed(&sim, &options).unwrap();
    let n = 2 * nv + nu;
    let draws = normals(12, 2 * n);
    // Displacement by δ on top of every draw.
    let mut mean = |delta: &[f64]| {
        let mut sum = vec![0.0; 2 * nv];
        for xi in draws.chunks(n) {
            for sign in [1.0, -1.0] {
                let x: Vec<f64> = (0..n)
                    .map(|k| delta[k] + sign * xi[k] * widths[(k / nv).min(2)])
                    .collect();
                let mut at = q.clone();
                model.integrate(&q, &x[..nv], &mut at);
                let add = |a: &[f64], b: &[f64]| -> Vec<f64> {
                    a.iter().zip(b).map(|(a, b)| a + b).collect()
                };
                let (vs, us) = (add(&v, &x[nv..2 * nv]), add(&u, &x[2 * nv..]));
                let (qn, vn) = step(&mut sim, &at, &vs, &us);
                let mut out = vec![0.0; nv];
                model.difference(&q_next, &qn, &mut out);
                out.extend(vn);
                for (s, x) in sum.iter_mut().zip(&out) {
                    *s += x / 4.0;
                }
            }
        }
        sum
    };
    let fd = by_vector(&vec![0.0; n], &mut mean);
    let mut assembled = Vec::new();
    for (i, columns) in [(0, nv), (1, nv), (2, nu)] {
        for k in 0..columns {
            for of in &ours {
                assembled.extend(&of[i][k * nv..(k + 1) * nv]);
            }
        }
    }
    let e = relative_error(&assembled, &fd);
    println!("first order against differences of the mean: {e:e}");
    assert!(e < 1e-8, "{e:e}");
}

#[test]
fn orders_agree_where_the_step_is_smooth() {
    let s = smooth();
    let options = |method, pairs| Smoothing {
        method,
        pairs,
        width_q: 0.02,
        width_v: 0.02,
        width_u: 0.02,
        ..Smoothing::default()
    };
    let (first, _) = smoothed(&s.sim, &options(SmoothingMethod::FirstOrder, 50)).unwrap();
    let off = |pairs| {
        let (j, _) = smoothed(&s.sim, &options(SmoothingMethod::ZerothOrder, pairs)).unwrap();
        error(&j, &first)
    };
    let (few, many) = (off(200), off(20_000));
    println!("zeroth against first order: {few:e} with 200 pairs, {many:e} with 20000");
    // A hundred times the samples, a tenth of the spread.
    assert!(many < 0.2 * few && many < 0.1);
}

/// A ball above the floor, falling.
fn falling_ball(gap: f64, speed: f64) -> Sim {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    free_body(
        &mut spec,
        "ball",
        Vec3::new(0.0, 0.0, 0.1 + gap),
        ShapeSpec::Sphere { radius: 0.1 },
    );
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    // v⁺ in the axes of the beginning, in which the closed forms are.
    let options = in_body(Options {
        time_step: 5e-3,
        ..Options::default()
    });
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    step(
        &mut sim,
        model.neutral(),
        &[0.3, 0.0, -speed, 0.0, 0.0, 0.0],
        &[],
    );
    sim
}

/// Before a contact the exact gradient carries nothing about it.
#[test]
fn a_ball_above_the_floor_feels_it() {
    // The ball covers 5 mm in the step and is 8 mm above the floor.
    let mut sim = falling_ball(8e-3, 1.0);
    // By the height: of v⁺ along z, column-major with six rows.
    let height = 2 + 6 * 2;
    assert_eq!(exact(&mut sim)[1][0][height], 0.0);
    for method in [SmoothingMethod::FirstOrder, SmoothingMethod::ZerothOrder] {
        let (j, _) = smoothed(
            &sim,
            &Smoothing {
                method,
                width_q: 4e-3,
                pairs: 4000,
                ..Smoothing::default()
            },
        )
        .unwrap();
        // v⁺ = max(v_f, −Φ/h): slope −1/h with the probability that the gap is closed in the step.
        // Both the gap and h times the speed are displaced.
        let (h, gap, fall) = (5e-3, 8e-3, 5e-3 * (1.0 + 9.81 * 5e-3));
        let spread = f64::hypot(4e-3, h * 1e-2);
        let expected = -normal_cumulative((fall - gap) / spread) / h;
        println!("{method:?}: {} (expected {expected})", j[1][0][height]);
        assert!((j[1][0][height] / expected - 1.0).abs() < 0.15);
    }
    let (j, info) = smoothed(
        &sim,
        &Smoothing {
            method: SmoothingMethod::CentralPath,
            kappa: 1e-3,
            ..Smoothing::default()
        },
    )
    .unwrap();
    assert_eq!(info.gradient, Gradient::Smoothed);
    // One row: λ σ = κ with σ = λ/m + g, so dλ/dg = −λ/(σ + λ/m); dv⁺/dz = dλ/dg /(m h).
    let (h, m): (f64, f64) = (5e-3, 1.0);
    let g = 8e-3 / h - 1.0 - 9.81 * h;
    let lambda = m * (-g + (g * g + 4e-3 / m).sqrt()) / 2.0;
    let expected = -lambda / (g + 2.0 * lambda / m) / (m * h);
    assert!(expected < -0.1, "{expected}");
    assert!((j[1][0][height] / expected - 1.0).abs() < 1e-10);
}

/// Simpson's rule over the density.
fn normal_cumulative(x: f64) -> f64 {
    let n = 2000;
    let (lo, density) = (-9.0, |t: f64| {
        (-t * t / 2.0).exp() / std::f64::consts::TAU.sqrt()
    });
    let w = (x - lo) / n as f64;
    (0..=n)
        .map(|k| {
            let weight = match k {
                0 => 1.0,
                k if k == n => 1.0,
                k if k % 2 == 1 => 4.0,
                _ => 2.0,
            };
            weight * density(lo + k as f64 * w)
        })
        .sum::<f64>()
        * w
        / 3.0
}

/// The quadruped some steps after it has landed.
fn landed(integrator: Integrator) -> (Sim, Vec<f64>, Vec<f64>, Vec<f64>) {
    let model = Arc::new(quadruped(false));
    let options = Options {
        time_step: 2e-3,
        integrator,
        ..Options::default()
    };
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    let calf = model.joint_id("calf0").unwrap() as i32;
    sim.select_params(
        &[
            (ParamKind::GeomFriction, 0),
            (ParamKind::JointFriction, calf),
            (ParamKind::BodyInertia, 1),
            (ParamKind::ExternalWrench, 1),
        ]
        .map(|(kind, index)| Param {
            kind,
            index,
            component: 0,
        }),
    )
    .unwrap();
    let (mut q, mut v) = (standing(&model), vec![0.0; 18]);
    v[0] = 0.4;
    let rest = q.clone();
    let mut u = vec![0.0; 18];
    for _ in 0..60 {
        for k in 6..18 {
            u[k] = 40.0 * (rest[k + 1] - q[k + 1]) - v[k];
        }
        (q, v) = step(&mut sim, &q, &v, &u);
    }
    let before = (q.clone(), v.clone());
    step(&mut sim, &q, &v, &u);
    assert_eq!(sim.contacts().len(), 4);
    (sim, before.0, before.1, u)
}

#[test]
fn central_path_is_the_derivative_of_the_relaxed_step() {
    // The smaller κ, the sharper the relaxed laws bend.
    let sizes = [(1e-2, 1e-5), (1e-4, 1e-6)];
    for (integrator, (kappa, eps)) in (INTEGRATORS.into_iter()).flat_map(|i| sizes.map(|s| (i, s)))
    {
        let (mut sim, q, v, u) = landed(integrator);
        let model = sim.model().clone();
        let nv = model.nv();
        let options = Smoothing {
            method: SmoothingMethod::CentralPath,
            kappa,
            reach: 0.1,
            ..Smoothing::default()
        };
        step(&mut sim, &q, &v, &u);
        let (ours, _) = smoothed(&sim, &options).unwrap();
        let (mut base, mut vn) = (q.clone(), v.clone());
        sim.relaxed_step(&options, &mut base, &mut vn).unwrap();
        let mut p = vec![0.0; sim.np()];
        sim.get_params(&mut p).unwrap();
        let mut relaxed = |q: &[f64], v: &[f64], u: &[f64], p: &[f64]| {
            sim.set_params(p).unwrap();
            step(&mut sim, q, v, u);
            let (mut qn, mut vn) = (q.to_vec(), v.to_vec());
            sim.relaxed_step(&options, &mut qn, &mut vn).unwrap();
            let mut out = vec![0.0; nv];
            model.difference(&base, &qn, &mut out);
            out.extend(vn);
            out
        };
        let mut worst = 0.0_f64;
        for (kind, columns) in [nv, nv, model.nu(), p.len()].into_iter().enumerate() {
            let size = ours[1][kind].iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            for k in 0..columns {
                let fd = difference(eps, |s| {
                    let (mut q2, mut v2, mut u2, mut p2) =
                        (q.clone(), v.clone(), u.clone(), p.clone());
                    match kind {
                        0 => {
                            let mut dv = vec![0.0; nv];
                            dv[k] = s;
                            model.integrate(&q, &dv, &mut q2);
                        }
                        1 => v2[k] += s,
                        2 => u2[k] += s,
                        _ => p2[k] += s,
                    }
                    relaxed(&q2, &v2, &u2, &p2)
                });
                for r in 0..2 * nv {
                    let column = &ours[r / nv][kind];
                    worst = worst.max((fd[r] - column[k * nv + r % nv]).abs() / size);
                }
            }
        }
        relaxed(&q, &v, &u, &p);
        println!(
            "relaxed step, {integrator:?}, kappa {kappa:e}: largest relative difference {worst:e}"
        );
        assert!(worst < 1e-7, "{worst:e}");
    }
}

#[test]
fn the_central_path_tends_to_the_exact_jacobian() {
    let (mut sim, ..) = landed(Integrator::SymplecticEuler);
    let exact = exact(&mut sim);
    let off = |kappa: f64| {
        let options = Smoothing {
            method: SmoothingMethod::CentralPath,
            kappa,
            ..Smoothing::default()
        };
        error(&smoothed(&sim, &options).unwrap().0, &exact)
    };
    let (coarse, fine) = (off(1e-4), off(1e-7));
    println!("central path against exact: {coarse:e} at kappa 1e-4, {fine:e} at 1e-7");
    assert!(fine < 0.02 * coarse && fine < 1e-2);
}

#[test]
fn the_same_seed_gives_the_same_bits_and_no_step_changes() {
    let (mut sim, q, v, u) = landed(Integrator::SymplecticEuler);
    let (mut plain, ..) = landed(Integrator::SymplecticEuler);
    let info = sim.step_info().unwrap();
    for method in [
        SmoothingMethod::FirstOrder,
        SmoothingMethod::ZerothOrder,
        SmoothingMethod::CentralPath,
    ] {
        let options = |seed| Smoothing {
            method,
            seed,
            pairs: 5,
            width_u: 0.1,
            max_failures: 2,
            ..Smoothing::default()
        };
        let (one, _) = smoothed(&sim, &options(3)).unwrap();
        let (same, _) = smoothed(&sim, &options(3)).unwrap();
        let (other, _) = smoothed(&sim, &options(4)).unwrap();
        assert!(one == same);
        assert_eq!(one == other, method == SmoothingMethod::CentralPath);
    }
    // The last step is still there, and those that follow have the same bits.
    assert_eq!(sim.step_info().unwrap(), info);
    let j = exact(&mut sim);
    assert!(j == exact(&mut plain));
    let (mut a, mut b) = ((q.clone(), v.clone()), (q, v));
    for _ in 0..10 {
        a = step(&mut sim, &a.0, &a.1, &u);
        let options = Smoothing {
            pairs: 1,
            max_failures: 1,
            ..Smoothing::default()
        };
        // Its outcome does not matter here, a refusal must not leave a trace either.
        let _ = smoothed(&sim, &options);
        b = step(&mut plain, &b.0, &b.1, &u);
        assert!(a == b);
    }
}

#[test]
fn failing_samples_are_counted_and_refused() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    free_body(
        &mut spec,
        "box",
        Vec3::new(0.0, 0.0, 0.12),
        ShapeSpec::Box {
            half_extents: Vec3::new(0.1, 0.1, 0.1),
        },
    );
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    // A displaced box may touch with more corners than there is room for.
    let options = Options {
        max_contacts: 1,
        ..Options::default()
    };
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    let mut smoothing = Smoothing {
        width_q: 0.03,
        pairs: 40,
        ..Smoothing::default()
    };
    let early = smoothed(&sim, &smoothing).unwrap_err();
    assert_eq!(early.status, Status::NoStep);
    step(&mut sim, model.neutral(), &[0.0; 6], &[]);
    let mut out = vec![7.0; 36];
    let into = StepJacobians {
        dv_dq: Some(&mut out),
        ..Default::default()
    };
    let e = sim.smoothed_jacobians(&smoothing, into).unwrap_err();
    assert_eq!(e.status, Status::NotConverged);
    assert!(e.message.contains("of 40 pairs failed"), "{e}");
    assert!(e.message.contains("max_contacts"), "{e}");
    assert!(out.iter().all(|x| *x == 7.0));
    smoothing.max_failures = 39;
    let (j, info) = smoothed(&sim, &smoothing).unwrap();
    assert!(info.failures > 0 && info.pairs + info.failures == 40);
    assert!(j.as_flattened().iter().flatten().all(|x| x.is_finite()));
}

#[test]
fn wrong_options_are_named() {
    let mut s = smooth();
    let good = Smoothing::default();
    for (bad, name) in [
        (Smoothing { pairs: 0, ..good }, "pairs"),
        (
            Smoothing {
                width_v: f64::NAN,
                ..good
            },
            "width_v",
        ),
        (
            Smoothing {
                width_q: 0.0,
                width_v: 0.0,
                ..good
            },
            "width_q",
        ),
        (
            Smoothing {
                method: SmoothingMethod::CentralPath,
                kappa: 0.0,
                ..good
            },
            "kappa",
        ),
        (
            Smoothing {
                method: SmoothingMethod::ZerothOrder,
                ..good
            },
            "width_u",
        ),
    ] {
        let e = smoothed(&s.sim, &bad).unwrap_err();
        assert_eq!(e.status, Status::InvalidArgument);
        assert!(e.message.contains(name), "{e}");
    }
    let mut p = vec![0.0; 2 * s.sim.model().nv()];
    let by_p = StepJacobians {
        dv_dp: Some(&mut p),
        ..Default::default()
    };
    let zeroth = Smoothing {
        method: SmoothingMethod::ZerothOrder,
        ..good
    };
    let e = s.sim.smoothed_jacobians(&zeroth, by_p).unwrap_err();
    assert!(e.message.contains("dv_dp"), "{e}");
    let mut short = [0.0];
    let wrong = StepJacobians {
        dq_dv: Some(&mut short),
        ..Default::default()
    };
    let e = s.sim.smoothed_jacobians(&good, wrong).unwrap_err();
    assert!(e.message.starts_with("dq_dv"), "{e}");
    s.sim.reset();
    let path = Smoothing {
        method: SmoothingMethod::CentralPath,
        ..good
    };
    let e = s.sim.relaxed_step(&path, &mut s.q, &mut s.v).unwrap_err();
    assert_eq!(e.status, Status::NoStep);
}
