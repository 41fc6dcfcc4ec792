//! Derivatives of contact impulses against differences of the impulses that steps report.

use crate::common::checker::{free_body, ground, options, quadruped};
use crate::common::*;
use diffsim::contact::mode::Mode;
use diffsim::error::Status;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, ContactReport, ImpulseGradient, ImpulseJacobians, Options, Sim};
use std::sync::Arc;

struct Scene {
    sim: Sim,
    model: Arc<Model>,
    q: Vec<f64>,
    v: Vec<f64>,
    u: Vec<f64>,
}

impl Scene {
    fn new(model: Model, q: Vec<f64>, options: &Options) -> Scene {
        let model = Arc::new(model);
        Scene {
            sim: Sim::new(model.clone(), options).unwrap(),
            v: vec![0.0; model.nv()],
            u: vec![0.0; model.nu()],
            q,
            model,
        }
    }

    /// All impulses after a step from this state, contact by contact.
    fn impulses(&mut self, q: &[f64], v: &[f64], u: &[f64]) -> Vec<f64> {
        let (mut q_next, mut v_next) = (q.to_vec(), v.to_vec());
        self.sim.step(q, v, u, &mut q_next, &mut v_next).unwrap();
        let all = self.sim.contacts().iter().flat_map(|c| c.impulse);
        all.collect()
    }

    /// Goes on by some steps.
    fn settle(&mut self, steps: usize) {
        for _ in 0..steps {
            let (q, v) = (self.q.clone(), self.v.clone());
            self.sim
                .step(&q, &v, &self.u, &mut self.q, &mut self.v)
                .unwrap();
        }
    }

    /// The Jacobians by q, v, u and p of the step from here.
    fn jacobians(&mut self) -> ([Vec<f64>; 4], ImpulseGradient) {
        let (q, v, u) = (self.q.clone(), self.v.clone(), self.u.clone());
        let rows = self.impulses(&q, &v, &u).len();
        let m = &self.model;
        let mut j = [m.nv(), m.nv(), m.nu(), self.sim.np()].map(|n| vec![f64::NAN; rows * n]);
        let [by_q, by_v, by_u, by_p] = j.each_mut().map(|x| Some(&mut x[..]));
        let out = ImpulseJacobians {
            by_q,
            by_v,
            by_u,
            by_p,
        };
        let gradient = self.sim.impulse_jacobians(out).unwrap();
        (j, gradient)
    }

    /// Of differences. Friction that yields little magnifies the round-off of velocities.
    fn step(&self) -> f64 {
        match self.sim.options().contact {
            Contact::Convex => 2e-6,
            _ => 1e-6,
        }
    }

    /// The same by central differences.
    fn differences(&mut self) -> [Vec<f64>; 4] {
        let (q, v, u) = (self.q.clone(), self.v.clone(), self.u.clone());
        let model = self.model.clone();
        let h = self.step();
        let mut p = vec![0.0; self.sim.np()];
        self.sim.get_params(&mut p).unwrap();
        let by_q = central(h, model.nv(), |d| {
            let mut moved = q.clone();
            model.integrate(&q, d, &mut moved);
            self.impulses(&moved, &v, &u)
        });
        let by_v = central(h, model.nv(), |d| self.impulses(&q, &sum(&v, d), &u));
        let by_u = central(h, model.nu(), |d| self.impulses(&q, &v, &sum(&u, d)));
        // Impulses hardly change with a newton or a kilogram: the round-off of shorter steps would be all
        // that is seen.
        let by_p = central(50.0 * h, p.len(), |d| {
            self.sim.set_params(&sum(&p, d)).unwrap();
            self.impulses(&q, &v, &u)
        });
        self.sim.set_params(&p).unwrap();
        [by_q, by_v, by_u, by_p]
    }
}

/// The quadruped on its feet.
fn standing(model: &Model) -> Vec<f64> {
    let mut q = crate::common::checker::standing(model);
    q[2] = 0.42 * 0.8_f64.cos() + 0.02;
    q
}

fn sum(x: &[f64], d: &[f64]) -> Vec<f64> {
    x.iter().zip(d).map(|(x, d)| x + d).collect()
}

fn central(h: f64, n: usize, mut f: impl FnMut(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let mut d = vec![0.0; n];
    let mut columns = Vec::new();
    for k in 0..n {
        d[k] = h;
        let plus = f(&d);
        d[k] = -h;
        let minus = f(&d);
        d[k] = 0.0;
        assert_eq!(plus.len(), minus.len());
        columns.extend(plus.iter().zip(&minus).map(|(p, m)| (p - m) / (2.0 * h)));
    }
    columns
}

/// Largest differences, relative to the largest entry of each Jacobian, and the contacts.
fn errors(name: &str, scene: &mut Scene) -> (f64, Vec<ContactReport>) {
    let (exact, gradient) = scene.jacobians();
    let contacts = scene.sim.contacts().to_vec();
    assert_eq!(gradient, ImpulseGradient::Unique, "{name}");
    let differences = scene.differences();
    let mut worst = 0.0_f64;
    for (what, (a, b)) in ["q", "v", "u", "p"]
        .iter()
        .zip(exact.iter().zip(&differences))
    {
        let size = b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let error = a
            .iter()
            .zip(b)
            .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        println!("{name} by {what}: largest entry {size:.2e}, error {error:.1e}");
        assert!(a.is_empty() || size > 0.0, "{name} by {what}");
        if size > 0.0 {
            worst = worst.max(error / size);
        }
    }
    (worst, contacts)
}

#[test]
fn of_feet_that_stick_and_slide() {
    let model = quadruped(false);
    let q = standing(&model);
    let feet = [
        (0.0, Mode::Sticking, "sticking"),
        (1.5, Mode::Sliding, "sliding"),
    ];
    let kinds = INTEGRATORS.map(|i| (i, Contact::Ncp)).into_iter();
    let kinds = kinds.chain([(INTEGRATORS[0], Contact::Convex)]);
    let cases = kinds.flat_map(|i| feet.map(|f| (i, f)));
    for ((integrator, contact), (push, mode, name)) in cases {
        let options = Options {
            integrator,
            contact,
            ..options(1e-3)
        };
        let mut scene = Scene::new(model.clone(), q.clone(), &options);
        if contact == Contact::Convex {
            // Away from the kink at gap zero.
            scene.q[2] -= 1e-4;
        }
        scene.settle(5);
        scene.v[0] += push;
        scene.v[1] += 0.3 * push;
        let trunk = param(ParamKind::ExternalWrench, 1, 2);
        let mass = param(ParamKind::BodyInertia, 1, 0);
        let mu = param(ParamKind::GeomFriction, 0, 0);
        let list = if push == 0.0 {
            vec![trunk, mass]
        } else {
            vec![trunk, mass, mu]
        };
        scene.sim.select_params(&list).unwrap();
        let (error, contacts) = errors(name, &mut scene);
        let tolerance = if contact == Contact::Convex {
            5e-6
        } else {
            5e-7
        };
        assert!(error < tolerance, "{name}: {error:e}");
        assert!(contacts.len() == 4 && contacts.iter().all(|c| c.mode == mode));
    }
}

/// A ball on another, which a third one holds: contacts between moving bodies, turning frames.
#[test]
fn of_balls_on_balls() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.9);
    let ball = || ShapeSpec::Sphere { radius: 0.1 };
    free_body(&mut spec, "left", Vec3::new(0.0, 0.0, 0.099), ball());
    free_body(&mut spec, "right", Vec3::new(0.17, 0.02, 0.099), ball());
    free_body(&mut spec, "top", Vec3::new(0.09, 0.01, 0.27), ball());
    spec.geoms[1].condim = 1;
    spec.geoms[1].priority = 2;
    let model = Model::compile(spec, Actuation::Full).unwrap();
    let q = model.neutral().to_vec();
    for integrator in INTEGRATORS {
        let o = Options {
            kp: 0.5,
            kd: 0.1,
            integrator,
            ..options(2e-3)
        };
        let mut scene = Scene::new(model.clone(), q.clone(), &o);
        scene.v[12..15].copy_from_slice(&[0.1, 0.2, -1.0]);
        scene.v[15..18].copy_from_slice(&[3.0, -2.0, 4.0]);
        scene.u[3] = 0.2;
        let (error, contacts) = errors("balls", &mut scene);
        assert!(error < 5e-7, "{error:e}");
        assert!(
            contacts
                .iter()
                .any(|c| c.body[0] != 0 && c.impulse[2] > 0.0)
        );
        assert!(
            contacts
                .iter()
                .any(|c| c.geom == [0, 1] && c.impulse[2] > 0.0)
        );
    }
}

/// Four points under a box: no single impulse is unique, their sum is.
#[test]
fn of_redundant_points_only_the_sum_is_unique() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.8);
    let half = Vec3::new(0.2, 0.1, 0.05);
    free_body(
        &mut spec,
        "box",
        Vec3::Z * 0.05,
        ShapeSpec::Box { half_extents: half },
    );
    let model = Model::compile(spec, Actuation::Full).unwrap();
    let q = model.neutral().to_vec();
    let mut scene = Scene::new(model, q, &options(1e-3));
    scene.settle(3);
    let (exact, gradient) = scene.jacobians();
    assert_eq!(gradient, ImpulseGradient::Shared);
    let n = scene.sim.contacts().len();
    assert_eq!(n, 4);
    // By u the contacts stay where they are: force, and moment about the origin.
    let points: Vec<Vec3> = scene
        .sim
        .contacts()
        .iter()
        .map(|c| Vec3::from_slice(&c.point))
        .collect();
    let wrench = |column: &[f64]| -> Vec<f64> {
        let (mut f, mut m) = (Vec3::ZERO, Vec3::ZERO);
        for (p, l) in points.iter().zip(column.chunks_exact(3)) {
            let l = Vec3::from_slice(l);
            (f, m) = (f + l, m + p.cross(l));
        }
        [f.to_array(), m.to_array()].concat()
    };
    let by_u = scene.differences()[2].clone();
    let mut largest = 0.0_f64;
    for (a, b) in exact[2].chunks_exact(3 * n).zip(by_u.chunks_exact(3 * n)) {
        for (a, b) in wrench(a).iter().zip(wrench(b)) {
            assert!((a - b).abs() < 1e-9, "{a} against {b}");
            largest = largest.max(b.abs());
        }
    }
    assert!(largest > 1e-4);
}

#[test]
fn a_direction_is_the_jacobians_times_it_and_nothing_is_disturbed() {
    let model = quadruped(false);
    let q = standing(&model);
    let mut scene = Scene::new(model.clone(), q, &options(1e-3));
    scene.settle(20);
    let trunk = param(ParamKind::ExternalWrench, 1, 0);
    scene.sim.select_params(&[trunk]).unwrap();
    let (jacobians, _) = scene.jacobians();
    let mut rng = Rng::new(5);
    let along = [model.nv(), model.nv(), model.nu(), 1].map(|n| rng.vector(n, 1.0));
    let rows = 3 * scene.sim.contacts().len();
    let mut expected = vec![0.0; rows];
    for (j, d) in jacobians.iter().zip(&along) {
        for (column, d) in j.chunks_exact(rows).zip(d) {
            for (e, x) in expected.iter_mut().zip(column) {
                *e += x * d;
            }
        }
    }
    // Reverse mode: ⟨z, J d⟩ = ⟨Jᵀz, d⟩.
    let z = rng.vector(rows, 1.0);
    let mut bars = [model.nv(), model.nv(), model.nu(), 1].map(|n| vec![f64::NAN; n]);
    let [a, b, c, d] = &mut bars;
    let sim = &mut scene.sim;
    sim.impulse_vjp(&z, Some(a), Some(b), Some(c), Some(d))
        .unwrap();
    for ((bar, j), n) in bars
        .iter()
        .zip(&jacobians)
        .zip(along.each_ref().map(Vec::len))
    {
        let expected: Vec<f64> = (0..n)
            .map(|k| {
                j[k * rows..(k + 1) * rows]
                    .iter()
                    .zip(&z)
                    .map(|(x, z)| x * z)
                    .sum()
            })
            .collect();
        assert!(relative_error(bar, &expected) < 1e-12);
    }
    let mut out = vec![0.0; rows];
    let [dq, dv, du, dp] = &along;
    let mut by_u = vec![0.0; rows * model.nu()];
    let used = allocation_counter::measure(|| {
        scene.sim.impulse_jvp(dq, dv, du, dp, &mut out).unwrap();
        scene
            .sim
            .impulse_vjp(&z, Some(&mut bars[0]), None, None, None)
            .unwrap();
        let jacobians = ImpulseJacobians {
            by_u: Some(&mut by_u),
            ..Default::default()
        };
        scene.sim.impulse_jacobians(jacobians).unwrap();
    });
    assert_eq!(used.count_total, 0);
    assert!(relative_error(&out, &expected) < 1e-12);
    assert_eq!(by_u, jacobians[2]);
    // The step's own derivatives have the same bits before and after.
    let nv = model.nv();
    let [mut a, mut b, mut x] = [(); 3].map(|()| vec![0.0; nv]);
    scene.sim.step_jvp(dq, dv, du, dp, &mut x, &mut a).unwrap();
    scene.jacobians();
    scene.sim.step_jvp(dq, dv, du, dp, &mut x, &mut b).unwrap();
    assert_eq!(a, b);
}

#[test]
fn wrong_calls_are_refused() {
    let model = quadruped(false);
    let q = standing(&model);
    let mut scene = Scene::new(model.clone(), q.clone(), &options(1e-3));
    let mut out = vec![7.0; 12];
    let e = scene
        .sim
        .impulse_jvp(&[], &[], &[], &[], &mut out)
        .unwrap_err();
    assert_eq!(e.status, Status::NoStep);
    scene.settle(1);
    let n = 3 * scene.sim.contacts().len();
    assert!(n > 0);
    let e = scene
        .sim
        .impulse_jvp(&[], &[], &[], &[], &mut out[..n - 1])
        .unwrap_err();
    assert!(e.status == Status::InvalidArgument && e.message.contains("dimpulse"));
    let e = scene
        .sim
        .impulse_jvp(&[1.0], &[], &[], &[], &mut out[..n])
        .unwrap_err();
    assert_eq!(e.status, Status::InvalidArgument);
    assert!(out.iter().all(|x| *x == 7.0));
    let e = scene.sim.impulse_vjp(&out[..n - 1], None, None, None, None);
    let e = e.unwrap_err();
    assert!(e.status == Status::InvalidArgument && e.message.contains("impulse_bar"));
    out[0] = f64::NAN;
    let e = scene.sim.impulse_vjp(&out[..n], None, None, None, None);
    assert_eq!(e.unwrap_err().status, Status::Numerical);
    let unsolved = Options {
        tolerance: 1e-300,
        ..options(1e-3)
    };
    let mut scene = Scene::new(model.clone(), q.clone(), &unsolved);
    scene.settle(1);
    let mut by_v = vec![7.0; 3 * scene.sim.contacts().len() * model.nv()];
    let out = ImpulseJacobians {
        by_v: Some(&mut by_v),
        ..Default::default()
    };
    assert_eq!(
        scene.sim.impulse_jacobians(out).unwrap_err().status,
        Status::NotConverged
    );
    assert!(by_v.iter().all(|x| *x == 7.0));
    let without = Options {
        contact: Contact::None,
        ..Options::default()
    };
    let mut scene = Scene::new(model, q, &without);
    scene.settle(1);
    let gradient = scene.sim.impulse_jacobians(ImpulseJacobians::default());
    assert_eq!(gradient.ok(), Some(ImpulseGradient::Unique));
}
