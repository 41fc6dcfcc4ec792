//! The step with rigid contact: Jacobians against differences wherever no mode changes inside the
//! difference, forward against reverse mode, and invariants of the interface.

mod common;

use common::*;
use diffsim::contact::ncp::Mode;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Quat, Vec3};
use diffsim::step::{Options, Sim, StepJacobians};
use std::sync::Arc;

/// Outcome of a step as tangent of q⁺ at `base` and v⁺, and the modes it went through.
struct Outcome {
    x: Vec<f64>,
    modes: Modes,
}

/// Which contacts there are, on which side of gap zero, and the modes of all constraints.
type Modes = (Vec<(usize, usize, bool)>, Vec<Mode>);

fn modes(sim: &Sim) -> Modes {
    let kink = sim.options().kp > 0.0;
    let contacts = sim
        .contacts()
        .iter()
        .map(|c| (c.geom[0], c.geom[1], kink && c.gap < 0.0))
        .collect();
    (contacts, sim.constraint_modes().to_vec())
}

struct Checker {
    sim: Sim,
    memory: Vec<f64>,
    checked: usize,
    excluded: usize,
    errors: Vec<f64>,
}

impl Checker {
    fn new(model: Model, options: &Options) -> Self {
        let sim = Sim::new(Arc::new(model), options).unwrap();
        let memory = vec![0.0; sim.memory_size()];
        Checker {
            sim,
            memory,
            checked: 0,
            excluded: 0,
            errors: Vec::new(),
        }
    }

    fn outcome(&mut self, base: &[f64], q: &[f64], v: &[f64], u: &[f64]) -> Outcome {
        self.sim.set_memory(&self.memory).unwrap();
        let (mut qn, mut vn) = (q.to_vec(), v.to_vec());
        self.sim.step(q, v, u, &mut qn, &mut vn).unwrap();
        let mut x = vec![0.0; v.len()];
        self.sim.model().difference(base, &qn, &mut x);
        x.extend(vn);
        let modes = modes(&self.sim);
        Outcome { x, modes }
    }

    /// Checks all Jacobians of the step from (q, v, u) and advances to the next state.
    fn check(&mut self, q: &mut Vec<f64>, v: &mut Vec<f64>, u: &[f64]) {
        let model = self.sim.model().clone();
        let (nv, nu, np) = (model.nv(), model.nu(), self.sim.np());
        self.sim.get_memory(&mut self.memory).unwrap();
        let (mut base, mut vn) = (q.clone(), v.clone());
        self.sim.step(q, v, u, &mut base, &mut vn).unwrap();
        let here = modes(&self.sim);
        let mut memory_after = vec![0.0; self.memory.len()];
        self.sim.get_memory(&mut memory_after).unwrap();
        let info = self.sim.step_info().unwrap();
        assert!(info.converged, "residual {:e}", info.residual);
        let sizes = [nv, nv, nu, np];
        let mut jq: Vec<Vec<f64>> = sizes.iter().map(|n| vec![f64::NAN; nv * n]).collect();
        let mut jv = jq.clone();
        {
            let [a, b, c, d] = &mut jq[..] else {
                unreachable!()
            };
            let [e, f, g, h] = &mut jv[..] else {
                unreachable!()
            };
            self.sim
                .step_jacobians(StepJacobians {
                    dq_dq: Some(a),
                    dq_dv: Some(b),
                    dq_du: Some(c),
                    dq_dp: Some(d),
                    dv_dq: Some(e),
                    dv_dv: Some(f),
                    dv_du: Some(g),
                    dv_dp: Some(h),
                })
                .unwrap();
        }
        self.modes_of_differentiation(&jq, &jv);
        let mut p = vec![0.0; np];
        self.sim.get_params(&mut p).unwrap();
        let scale = jv[0]
            .iter()
            .chain(&jv[1])
            .fold(1.0_f64, |m, x| m.max(x.abs()));
        for (kind, &size) in sizes.iter().enumerate() {
            for k in 0..size {
                let eps = 1e-6;
                let mut same = true;
                let mut shifted = |s: f64, this: &mut Checker| {
                    let (mut q2, mut v2, mut u2) = (q.clone(), v.clone(), u.to_vec());
                    match kind {
                        0 => {
                            let mut dv = vec![0.0; nv];
                            dv[k] = s;
                            model.integrate(q, &dv, &mut q2);
                        }
                        1 => v2[k] += s,
                        2 => u2[k] += s,
                        _ => {
                            let mut p2 = p.clone();
                            p2[k] += s;
                            this.sim.set_params(&p2).unwrap();
                        }
                    }
                    let o = this.outcome(&base, &q2, &v2, &u2);
                    if kind == 3 {
                        this.sim.set_params(&p).unwrap();
                    }
                    same &= o.modes == here;
                    o.x
                };
                let (p1, m1) = (shifted(eps, self), shifted(-eps, self));
                if !same {
                    self.excluded += 1;
                    continue;
                }
                let ours = [
                    &jq[kind][k * nv..(k + 1) * nv],
                    &jv[kind][k * nv..(k + 1) * nv],
                ]
                .concat();
                let mut worst = 0.0_f64;
                for i in 0..2 * nv {
                    let fd = (p1[i] - m1[i]) / (2.0 * eps);
                    worst = worst.max((fd - ours[i]).abs());
                }
                let size = ours
                    .iter()
                    .fold(1.0_f64, |m, x| m.max(x.abs()))
                    .max(1e-3 * scale);
                self.errors.push(worst / size);
                self.checked += 1;
            }
        }
        self.sim.set_memory(&memory_after).unwrap();
        (*q, *v) = (base, vn);
    }

    /// Directional derivative and adjoint of the last step against its Jacobians.
    fn modes_of_differentiation(&mut self, jq: &[Vec<f64>], jv: &[Vec<f64>]) {
        let model = self.sim.model().clone();
        let (nv, nu, np) = (model.nv(), model.nu(), self.sim.np());
        let mut rng = Rng::new(5);
        let w: [Vec<f64>; 4] = [nv, nv, nu, np].map(|n| rng.vector(n, 1.0));
        let z = rng.vector(2 * nv, 1.0);
        let mut product = vec![0.0; 2 * nv];
        let mut adjoint: [Vec<f64>; 4] = [nv, nv, nu, np].map(|n| vec![0.0; n]);
        for i in 0..4 {
            for (k, x) in w[i].iter().enumerate() {
                let column = [&jq[i][k * nv..(k + 1) * nv], &jv[i][k * nv..(k + 1) * nv]].concat();
                for (y, c) in product.iter_mut().zip(&column) {
                    *y += c * x;
                }
                adjoint[i][k] = column.iter().zip(&z).map(|(c, z)| c * z).sum();
            }
        }
        let (mut dq, mut dv) = (vec![0.0; nv], vec![0.0; nv]);
        self.sim
            .step_jvp(&w[0], &w[1], &w[2], &w[3], &mut dq, &mut dv)
            .unwrap();
        let e = relative_error(&[dq, dv].concat(), &product);
        assert!(e < 1e-10, "jvp: {e:e}");
        let mut bars: [Vec<f64>; 4] = [nv, nv, nu, np].map(|n| vec![0.0; n]);
        let [a, b, c, d] = &mut bars;
        self.sim
            .step_vjp(&z[..nv], &z[nv..], Some(a), Some(b), Some(c), Some(d))
            .unwrap();
        for i in 0..4 {
            let e = relative_error(&bars[i], &adjoint[i]);
            assert!(e < 1e-10, "vjp {i}: {e:e}");
        }
    }

    fn report(mut self, name: &str) {
        self.errors.sort_by(f64::total_cmp);
        let n = self.errors.len();
        let (median, p99) = (self.errors[n / 2], self.errors[(n * 99) / 100]);
        println!(
            "{name}: {} columns checked, {} excluded, median {median:.1e}, 99 % {p99:.1e}, worst {:.1e}",
            self.checked,
            self.excluded,
            self.errors[n - 1]
        );
        assert!(median < 1e-7 && p99 < 1e-5, "{name}");
        assert!(self.checked > 2 * self.excluded, "{name}");
    }
}

fn options(h: f64) -> Options {
    Options {
        time_step: h,
        ..Options::default()
    }
}

#[test]
fn a_box_that_drops_slides_and_sticks() {
    for (kp, kd) in [(0.0, 0.0), (0.5, 0.0), (0.2, 0.3)] {
        let mut spec = ModelSpec::default();
        ground(&mut spec, 0.5);
        free_body(
            &mut spec,
            "box",
            Vec3::new(0.0, 0.0, 0.12),
            ShapeSpec::Box {
                half_extents: Vec3::new(0.1, 0.08, 0.1),
            },
        );
        let model = Model::compile(spec, Actuation::Full).unwrap();
        let mut q = model.neutral().to_vec();
        q[3..7].copy_from_slice(
            &Quat::exp(Vec3::new(0.02, 0.05, 0.3))
                .normalized()
                .to_array(),
        );
        let mut v = vec![0.6, 0.2, -0.3, 0.3, -0.2, 0.5];
        let mut c = Checker::new(
            model,
            &Options {
                kp,
                kd,
                ..options(5e-3)
            },
        );
        let friction = Param {
            kind: ParamKind::GeomFriction,
            index: 0,
            component: 0,
        };
        let mass = Param {
            kind: ParamKind::BodyInertia,
            index: 1,
            component: 0,
        };
        c.sim.select_params(&[friction, mass]).unwrap();
        for _ in 0..60 {
            c.check(&mut q, &mut v, &[0.0; 6]);
        }
        c.report(&format!("box, kp {kp} kd {kd}"));
    }
}

#[test]
fn round_bodies_that_roll_and_collide() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.4);
    free_body(
        &mut spec,
        "ball",
        Vec3::new(0.0, 0.0, 0.1),
        ShapeSpec::Sphere { radius: 0.1 },
    );
    free_body(
        &mut spec,
        "rod",
        Vec3::new(0.02, 0.24, 0.09),
        ShapeSpec::Capsule {
            radius: 0.08,
            half_length: 0.1,
        },
    );
    free_body(
        &mut spec,
        "egg",
        Vec3::new(-0.01, 0.01, 0.33),
        ShapeSpec::Ellipsoid {
            semi_axes: Vec3::new(0.1, 0.12, 0.14),
        },
    );
    spec.geoms[3].condim = 1;
    let model = Model::compile(spec, Actuation::FromFile).unwrap();
    let mut q = model.neutral().to_vec();
    let mut rng = Rng::new(3);
    let mut v = rng.vector(18, 0.4);
    let mut c = Checker::new(model, &options(2e-3));
    let list: Vec<Param> = (0..4)
        .map(|i| Param {
            kind: ParamKind::GeomFriction,
            index: i,
            component: 0,
        })
        .collect();
    c.sim.select_params(&list).unwrap();
    for _ in 0..60 {
        c.check(&mut q, &mut v, &[]);
    }
    c.report("round bodies");
}

#[test]
fn a_quadruped_that_lands_and_stands() {
    for self_collision in [false, true] {
        let model = quadruped(self_collision);
        let (mut q, mut v) = (standing(&model), vec![0.0; 18]);
        v[0] = 0.4;
        let rest = q.clone();
        let calf = model.joint_id("calf0").unwrap() as i32;
        let hip = model.joint_id("hip1").unwrap() as i32;
        let mut c = Checker::new(model, &options(2e-3));
        let mut list = vec![
            Param {
                kind: ParamKind::GeomFriction,
                index: 0,
                component: 0,
            },
            Param {
                kind: ParamKind::JointFriction,
                index: calf,
                component: 0,
            },
            Param {
                kind: ParamKind::JointDamping,
                index: hip,
                component: 0,
            },
            Param {
                kind: ParamKind::BodyInertia,
                index: 1,
                component: 1,
            },
            Param {
                kind: ParamKind::Gravity,
                index: 0,
                component: 0,
            },
        ];
        for (kind, index) in [
            (ParamKind::JointPlacement, calf),
            (ParamKind::ExternalWrench, 1),
        ] {
            list.extend((0..6).map(|component| Param {
                kind,
                index,
                component,
            }));
        }
        c.sim.select_params(&list).unwrap();
        let mut rng = Rng::new(9);
        for step in 0..80 {
            let mut u = vec![0.0; 18];
            for k in 6..18 {
                u[k] = 40.0 * (rest[k + 1] - q[k + 1]) - v[k] + rng.range(-2.0, 2.0);
            }
            if step % 4 == 0 {
                c.check(&mut q, &mut v, &u);
            } else {
                let (q0, v0) = (q.clone(), v.clone());
                c.sim.step(&q0, &v0, &u, &mut q, &mut v).unwrap();
            }
        }
        c.report("quadruped");
    }
}
