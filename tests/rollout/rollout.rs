//! Trajectories: the adjoint against differences of the whole run, and checkpoints.

use crate::common::*;
use diffsim::model::params::{Param, ParamKind};
use diffsim::rollout::Rollout;
use diffsim::step::{Contact, Options};
use std::sync::Arc;

const STEPS: usize = 200;

struct Setup {
    rollout: Rollout,
    q0: Vec<f64>,
    v0: Vec<f64>,
    u: Vec<f64>,
    q_bar: Vec<f64>,
    v_bar: Vec<f64>,
    /// Reference configurations at which the loss measures tangents.
    at: Vec<f64>,
}

impl Setup {
    fn new(seed: u64, checkpoint_interval: usize) -> Self {
        let model = Arc::new(random_tree(seed, 6));
        let mut rng = Rng::new(seed);
        let options = Options {
            contact: Contact::None,
            time_step: 2e-3,
            checkpoint_interval,
            ..Options::default()
        };
        let rollout = Rollout::new(model.clone(), &options, STEPS).unwrap();
        let q0 = random_q(&mut rng, &model, 0.5);
        let v0 = rng.vector(model.nv(), 0.5);
        let u = rng.vector(model.nu() * STEPS, 1.0);
        let n = model.nv() * (STEPS + 1);
        let mut s = Setup {
            rollout,
            q0,
            v0,
            u,
            q_bar: rng.vector(n, 1.0),
            v_bar: rng.vector(n, 1.0),
            at: Vec::new(),
        };
        s.at = s.run(None).0;
        s
    }

    fn run(&mut self, change: Option<(&[f64], &[f64], &[f64])>) -> (Vec<f64>, Vec<f64>) {
        let (q0, v0, u) = change.unwrap_or((&self.q0, &self.v0, &self.u));
        let m = self.rollout.sim().model().clone();
        let mut q = vec![0.0; m.nq() * (STEPS + 1)];
        let mut v = vec![0.0; m.nv() * (STEPS + 1)];
        self.rollout
            .run(q0, v0, u, STEPS, Some(&mut q), Some(&mut v))
            .unwrap();
        (q, v)
    }

    /// Σ q_bar·(q ⊖ at) + v_bar·v over the run, a loss with the partial derivatives q_bar, v_bar.
    fn loss(&mut self, q0: &[f64], v0: &[f64], u: &[f64]) -> f64 {
        let (q, v) = self.run(Some((q0, v0, u)));
        let m = self.rollout.sim().model().clone();
        let mut sum: f64 = v.iter().zip(&self.v_bar).map(|(a, b)| a * b).sum();
        let mut d = vec![0.0; m.nv()];
        for k in 0..=STEPS {
            let (nq, nv) = (m.nq(), m.nv());
            m.difference(
                &self.at[k * nq..(k + 1) * nq],
                &q[k * nq..(k + 1) * nq],
                &mut d,
            );
            sum += d
                .iter()
                .zip(&self.q_bar[k * nv..])
                .map(|(a, b)| a * b)
                .sum::<f64>();
        }
        sum
    }

    fn gradients(&mut self) -> [Vec<f64>; 4] {
        self.run(None);
        let m = self.rollout.sim().model().clone();
        let np = self.rollout.sim().np();
        let mut g = [m.nv(), m.nv(), m.nu() * STEPS, np].map(|n| vec![0.0; n]);
        let [a, b, c, d] = &mut g;
        self.rollout
            .adjoint(&self.q_bar, &self.v_bar, Some(a), Some(b), Some(c), Some(d))
            .unwrap();
        g
    }
}

#[test]
fn adjoint_against_differences_of_the_rollout() {
    for seed in [41, 42, 43] {
        let mut s = Setup::new(seed, 1);
        let model = s.rollout.sim().model().clone();
        let joint = model.joints().iter().position(|j| j.nv > 0).unwrap() as i32;
        let params = [
            Param {
                kind: ParamKind::BodyInertia,
                index: model.nbody() as i32 - 1,
                component: 0,
            },
            Param {
                kind: ParamKind::JointDamping,
                index: joint,
                component: 0,
            },
            Param {
                kind: ParamKind::Gravity,
                index: 0,
                component: 2,
            },
        ];
        s.rollout.sim_mut().select_params(&params).unwrap();
        let g = s.gradients();
        let (q0, v0, u) = (s.q0.clone(), s.v0.clone(), s.u.clone());
        let fd_q = by_q(&model, &q0, |q| vec![s.loss(q, &v0, &u)]);
        assert!(relative_error(&g[0], &fd_q) < 1e-6, "q0, seed {seed}");
        let fd_v = by_vector(&v0, |v| vec![s.loss(&q0, v, &u)]);
        assert!(relative_error(&g[1], &fd_v) < 1e-6, "v0, seed {seed}");
        let mut rng = Rng::new(seed);
        for _ in 0..10 {
            let k = rng.below(u.len());
            let mut w = u.clone();
            let fd = difference(EPS, |x| {
                w[k] = u[k] + x;
                vec![s.loss(&q0, &v0, &w)]
            });
            assert!(
                (g[2][k] - fd[0]).abs() < 1e-6 * g[2].iter().fold(1.0_f64, |m, x| m.max(x.abs()))
            );
        }
        let mut p = vec![0.0; 3];
        s.rollout.sim().get_params(&mut p).unwrap();
        let fd_p = by_vector(&p, |x| {
            s.rollout.sim_mut().set_params(x).unwrap();
            vec![s.loss(&q0, &v0, &u)]
        });
        assert!(
            relative_error(&g[3], &fd_p) < 1e-6,
            "p, seed {seed}: {:?} {fd_p:?}",
            g[3]
        );
    }
}

#[test]
fn checkpoints_change_no_bit() {
    let mut every = Setup::new(51, 1);
    let trajectory = every.run(None);
    let gradients = every.gradients();
    for interval in [7, 64, 1000] {
        let mut s = Setup::new(51, interval);
        assert_eq!(s.run(None), trajectory);
        assert_eq!(s.gradients(), gradients);
    }
}

#[test]
fn a_failing_step_is_named_and_nothing_is_written() {
    let mut s = Setup::new(52, 1);
    let m = s.rollout.sim().model().clone();
    s.u[3 * m.nu()] = f64::INFINITY;
    let mut q = vec![7.0; m.nq() * (STEPS + 1)];
    let e = s
        .rollout
        .run(&s.q0, &s.v0, &s.u, STEPS, Some(&mut q), None)
        .unwrap_err();
    assert!(
        e.message.contains("step 3") && e.message.contains("u[0]"),
        "{e}"
    );
    assert!(q.iter().all(|x| *x == 7.0));
    let g = s
        .rollout
        .adjoint(&s.q_bar, &s.v_bar, None, None, None, None);
    assert_eq!(g.unwrap_err().status, diffsim::error::Status::NoStep);
}
