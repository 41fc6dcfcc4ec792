//! Smooth dynamics: identities between the recursions, and their derivatives against differences.

use crate::common::*;
use diffsim::dynamics::Dynamics;
use diffsim::dynamics::articulated::{Articulation, articulate};
use diffsim::dynamics::factors::Factors;
use diffsim::dynamics::rnea_direction::{RneaDirection, rnea_direction};
use diffsim::model::Model;
use diffsim::spatial::{Vec3, Wrench};

struct Fixture {
    model: Model,
    dynamics: Dynamics,
    wrenches: Vec<(usize, Wrench)>,
}

impl Fixture {
    fn new(model: Model, rng: &mut Rng) -> Self {
        let dynamics = Dynamics::new(&model, true);
        let wrenches = (1..model.nbody())
            .step_by(2)
            .map(|b| (b, Wrench::new(rng.vec3(3.0), rng.vec3(1.0))))
            .collect();
        Fixture {
            model,
            dynamics,
            wrenches,
        }
    }

    fn update(&mut self, q: &[f64], v: &[f64]) {
        let d = &mut self.dynamics;
        d.update(&self.model, self.model.params(), q, v);
        d.external.clear();
        for (b, w) in &self.wrenches {
            d.external.add_on_body(&self.model, &d.kin, *b, *w);
        }
    }

    fn inverse(&mut self, q: &[f64], v: &[f64], a: &[f64]) -> Vec<f64> {
        self.update(q, v);
        let mut tau = vec![0.0; self.model.nv()];
        self.dynamics
            .inverse(&self.model, self.model.params(), a, &mut tau);
        tau
    }

    fn forward(&mut self, q: &[f64], v: &[f64], tau: &[f64]) -> Vec<f64> {
        self.update(q, v);
        let mut a = vec![0.0; self.model.nv()];
        let p = self.model.params();
        self.dynamics
            .forward(&self.model, p, &p.armature, tau, &mut a);
        a
    }
}

#[test]
fn recursions_agree() {
    for (seed, model) in models() {
        let mut rng = Rng::new(seed);
        let nv = model.nv();
        let q = random_q(&mut rng, &model, 1.5);
        let (v, a) = (rng.vector(nv, 2.0), rng.vector(nv, 5.0));
        let mut f = Fixture::new(model, &mut rng);
        let tau = f.inverse(&q, &v, &a);
        let back = f.forward(&q, &v, &tau);
        assert!(relative_error(&back, &a) < 1e-10, "aba∘rnea, seed {seed}");

        // Column k of M is the difference of inverse dynamics along e_k.
        let mut m = vec![0.0; nv * nv];
        f.dynamics.update_positions(&f.model, f.model.params(), &q);
        f.dynamics.mass_matrix(&f.model, f.model.params(), &mut m);
        let zero = f.inverse(&q, &v, &vec![0.0; nv]);
        for k in 0..nv {
            let mut e = vec![0.0; nv];
            e[k] = 1.0;
            let column: Vec<f64> = f
                .inverse(&q, &v, &e)
                .iter()
                .zip(&zero)
                .map(|(a, b)| a - b)
                .collect();
            assert!(
                relative_error(&m[k * nv..(k + 1) * nv], &column) < 1e-11,
                "crba, seed {seed}"
            );
        }
    }
}

/// What deep trees use instead of packed rows, on trees that have both.
#[test]
fn sweeps_agree_with_packed_rows() {
    for (seed, model) in models() {
        let mut rng = Rng::new(seed);
        let (nv, p) = (model.nv(), model.params().clone());
        let q = random_q(&mut rng, &model, 1.5);
        let (v, a) = (rng.vector(nv, 2.0), rng.vector(nv, 5.0));
        let mut f = Fixture::new(model, &mut rng);
        f.inverse(&q, &v, &a);
        let (dq, dv) = (rng.vector(nv, 1.0), rng.vector(nv, 1.0));
        let mut along = vec![0.0; nv];
        let (d, t) = (&mut f.dynamics, f.model.topology());
        d.differentiate_inverse(&f.model, &p);
        let (mut by_q, mut by_v) = (vec![0.0; nv * nv], vec![0.0; nv * nv]);
        let id = &mut d.derivatives.as_mut().unwrap().id;
        id.to_dense(t, Some(&mut by_q), Some(&mut by_v));
        id.stiffness.set(&d.external);
        let mut work = RneaDirection::new(&f.model);
        let loads = &id.stiffness;
        let (kin, rnea) = (&d.kin, &d.rnea);
        rnea_direction(
            &mut work, kin, rnea, &f.model, &p, loads, &dq, &dv, &mut along,
        );
        let mut product = vec![0.0; nv];
        for k in 0..nv {
            for (i, x) in product.iter_mut().enumerate() {
                *x += by_q[k * nv + i] * dq[k] + by_v[k * nv + i] * dv[k];
            }
        }
        assert!(relative_error(&along, &product) < 1e-12, "seed {seed}");

        let mut swept = Articulation::new(&f.model);
        articulate(&mut swept, &d.kin, &f.model, &p.armature);
        let mut forms = [d.mass.clone(), Factors::Swept(swept)];
        assert!(matches!(forms[0], Factors::Packed(_)));
        d.factor_mass(&f.model, &p.armature);
        forms[0] = d.mass.clone();
        let same = |of: &dyn Fn(&mut Factors, &mut [f64])| {
            let [x, y] = forms.clone().map(|mut m| {
                let mut x = dq.clone();
                of(&mut m, &mut x);
                x
            });
            assert!(relative_error(&x, &y) < 1e-10, "seed {seed}");
        };
        same(&|m, x| x.copy_from_slice(m.dinv()));
        same(&|m, x| m.solve(t, x));
        same(&|m, x| m.solve_transposed(t, x));
        same(&|m, x| m.solve_lower(t, x));
        same(&|m, x| m.times_lower(t, x));
    }
}

#[test]
fn derivatives_against_differences() {
    let mut worst = [0.0_f64; 4];
    for (seed, model) in models() {
        let mut rng = Rng::new(seed);
        let nv = model.nv();
        let q = random_q(&mut rng, &model, 1.5);
        let (v, tau) = (rng.vector(nv, 2.0), rng.vector(nv, 5.0));
        let mut f = Fixture::new(model, &mut rng);
        let a = f.forward(&q, &v, &tau);
        let (mut dq, mut dv) = (vec![0.0; nv * nv], vec![0.0; nv * nv]);

        f.update(&q, &v);
        let mut scratch = vec![0.0; nv];
        let p = f.model.params().clone();
        f.dynamics.inverse(&f.model, &p, &a, &mut scratch);
        f.dynamics.differentiate_inverse(&f.model, &p);
        let id = &f.dynamics.derivatives.as_ref().unwrap().id;
        id.to_dense(f.model.topology(), Some(&mut dq), Some(&mut dv));
        // The adjoint, weighed by τ, is that of the matrices.
        let (mut q_bar, mut v_bar) = (vec![0.0; nv], vec![0.0; nv]);
        f.dynamics
            .inverse_adjoint(&f.model, &p, &tau, &mut q_bar, &mut v_bar);
        for (bar, matrix) in [(&q_bar, &dq), (&v_bar, &dv)] {
            let columns = matrix.chunks_exact(nv.max(1));
            let weighed: Vec<f64> = columns
                .map(|c| c.iter().zip(&tau).map(|(c, t)| c * t).sum())
                .collect();
            assert!(
                relative_error(bar, &weighed) < 1e-12,
                "adjoint, seed {seed}"
            );
        }
        let model = f.model.clone();
        let fd_q = by_q(&model, &q, |q| f.inverse(q, &v, &a));
        let fd_v = by_vector(&v, |v| f.inverse(&q, v, &a));
        let e = [relative_error(&dq, &fd_q), relative_error(&dv, &fd_v)];
        assert!(e[0] < 1e-7 && e[1] < 1e-7, "inverse, seed {seed}: {e:?}");

        f.update(&q, &v);
        let mut acc = vec![0.0; nv];
        f.dynamics.differentiate_forward(
            &f.model,
            &p,
            &p.armature,
            &tau,
            &mut acc,
            &mut dq,
            &mut dv,
        );
        let fd_q = by_q(&model, &q, |q| f.forward(q, &v, &tau));
        let fd_v = by_vector(&v, |v| f.forward(&q, v, &tau));
        let g = [relative_error(&dq, &fd_q), relative_error(&dv, &fd_v)];
        assert!(g[0] < 1e-7 && g[1] < 1e-7, "forward, seed {seed}: {g:?}");
        for (w, e) in worst.iter_mut().zip(e.into_iter().chain(g)) {
            *w = w.max(e);
        }

        // M⁻¹ M = 1.
        let mut m = vec![0.0; nv * nv];
        f.dynamics.mass_matrix(&f.model, &p, &mut m);
        let inverse = &f.dynamics.derivatives.as_ref().unwrap().inverse;
        for i in 0..nv {
            for j in 0..nv {
                let x: f64 = (0..nv).map(|k| inverse.at(i, k) * m[j * nv + k]).sum();
                let one = if i == j { 1.0 } else { 0.0 };
                assert!((x - one).abs() < 1e-10, "inverse of M, seed {seed}");
            }
        }
    }
    println!("largest relative differences (ID q, v; FD q, v): {worst:?}");
}

#[test]
fn hybrid_dynamics_completes_both_sides() {
    for (seed, model) in models() {
        let mut rng = Rng::new(seed);
        let nv = model.nv();
        let q = random_q(&mut rng, &model, 1.0);
        let (v, a) = (rng.vector(nv, 1.0), rng.vector(nv, 3.0));
        let mut f = Fixture::new(model, &mut rng);
        let tau = f.inverse(&q, &v, &a);
        let prescribed: Vec<bool> = (0..nv).map(|_| rng.below(2) == 0).collect();
        let hide = |x: &[f64], keep: bool| -> Vec<f64> {
            x.iter()
                .zip(&prescribed)
                .map(|(x, p)| if *p == keep { *x } else { f64::NAN })
                .collect()
        };
        let (mut t, mut acc) = (hide(&tau, false), hide(&a, true));
        f.update(&q, &v);
        let p = f.model.params().clone();
        f.dynamics
            .hybrid(&f.model, &p, &prescribed, &mut t, &mut acc);
        assert!(relative_error(&t, &tau) < 1e-9, "forces, seed {seed}");
        assert!(
            relative_error(&acc, &a) < 1e-9,
            "accelerations, seed {seed}"
        );
    }
}

#[test]
fn body_jacobian_and_its_rate() {
    use diffsim::dynamics::jacobian::{body_jacobian, body_jacobian_rate};
    for (seed, model) in models() {
        let mut rng = Rng::new(seed);
        let nv = model.nv();
        let q = random_q(&mut rng, &model, 1.0);
        let v = rng.vector(nv, 1.0);
        let body = 1 + rng.below(model.nbody() - 1);
        let point = rng.vec3(0.3);
        let mut d = Dynamics::new(&model, false);
        let mut jacobian = |q: &[f64]| {
            let mut j = vec![0.0; 6 * nv];
            d.update(&model, model.params(), q, &v);
            body_jacobian(&model, &d.kin, body, point, &mut j);
            let at = d.kin.body_pose(&model, body);
            let mut rate = vec![0.0; 6 * nv];
            body_jacobian_rate(&model, &d.kin, body, point, &mut rate);
            (j, at, rate)
        };
        let (j, at, rate) = jacobian(&q);
        let eps = 1e-6;
        let fd = by_q(&model, &q, |q| {
            let p = jacobian(q).1;
            let w = diffsim::spatial::so3_log(&p.rot.mul_mat(&at.rot.transpose()));
            [p.point(point).to_array(), w.to_array()].concat()
        });
        assert!(relative_error(&j, &fd) < 1e-8, "seed {seed}");
        let (mut plus, mut minus) = (vec![0.0; model.nq()], vec![0.0; model.nq()]);
        model.integrate(
            &q,
            &v.iter().map(|x| x * eps).collect::<Vec<_>>(),
            &mut plus,
        );
        model.integrate(
            &q,
            &v.iter().map(|x| -x * eps).collect::<Vec<_>>(),
            &mut minus,
        );
        let fd: Vec<f64> = jacobian(&plus)
            .0
            .iter()
            .zip(&jacobian(&minus).0)
            .map(|(a, b)| (a - b) / (2.0 * eps))
            .collect();
        assert!(relative_error(&rate, &fd) < 1e-8, "rate, seed {seed}");
    }
}

#[test]
fn energy_balances_power() {
    use diffsim::dynamics::jacobian::energy;
    for (seed, model) in models() {
        let mut rng = Rng::new(seed);
        let nv = model.nv();
        let q = random_q(&mut rng, &model, 1.0);
        let (v, tau) = (rng.vector(nv, 1.0), rng.vector(nv, 2.0));
        let mut f = Fixture::new(model, &mut rng);
        f.wrenches.clear();
        let a = f.forward(&q, &v, &tau);
        let model = f.model.clone();
        let eps = 1e-6;
        let mut total = |s: f64| {
            let mut at = vec![0.0; model.nq()];
            let dv: Vec<f64> = v.iter().map(|x| x * s).collect();
            model.integrate(&q, &dv, &mut at);
            let vel: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v + a * s).collect();
            f.update(&at, &vel);
            let (k, p) = energy(&model, model.params(), &f.dynamics.kin, &vel);
            k + p
        };
        let rate = (total(eps) - total(-eps)) / (2.0 * eps);
        let power: f64 = v.iter().zip(&tau).map(|(v, t)| v * t).sum();
        assert!(
            (rate - power).abs() < 1e-6 * (1.0 + power.abs()),
            "seed {seed}: {rate} {power}"
        );
    }
}

#[test]
fn center_of_mass_jacobian_carries_momentum() {
    use diffsim::dynamics::jacobian::{center_of_mass, momentum};
    for (seed, model) in models() {
        let mut rng = Rng::new(seed);
        let nv = model.nv();
        let q = random_q(&mut rng, &model, 1.0);
        let v = rng.vector(nv, 1.0);
        let mut d = Dynamics::new(&model, false);
        d.update(&model, model.params(), &q, &v);
        let mut subtree = vec![(0.0, Vec3::ZERO); model.topology().links.len()];
        let (mut com, mut j) = (Vec3::ZERO, vec![0.0; 3 * nv]);
        let mass = center_of_mass(&model, &d.kin, &mut subtree, &mut com, Some(&mut j));
        let mut velocity = Vec3::ZERO;
        for k in 0..nv {
            velocity += Vec3::from_slice(&j[3 * k..]) * v[k];
        }
        let h = momentum(&model, &d.kin, com);
        assert!(
            (h.lin - velocity * mass).norm() < 1e-11 * (1.0 + h.lin.norm()),
            "seed {seed}"
        );
    }
}
