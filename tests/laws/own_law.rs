//! A law of contact that the library does not know: with `solve` and a linear map at the solution it gets
//! Jacobians, directions, adjoints, columns by parameters and rollouts. So does the relaxed law, which
//! smoothing uses.

use crate::common::checker::{Checker, quadruped, standing};
use crate::common::scene::{at, ball, body, cuboid, ground, options, tilt};
use crate::common::{Rng, param, relative_error};
use diffsim::contact::block::Cone;
use diffsim::contact::capacity::Capacity;
use diffsim::contact::certificate::{Certificate, Path};
use diffsim::contact::law::{Law, Linearized, Outcome, Request, Variations, Verdict};
use diffsim::contact::mode::Mode;
use diffsim::contact::problem::{Block, Problem};
use diffsim::contact::push_out::PushOut;
use diffsim::contact::relaxed::Relaxed;
use diffsim::contact::work_budget::WorkBudget;
use diffsim::error::{Error, Result};
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{JointKind, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::step::{Options, Parts, Sim};
use std::sync::Arc;

/// Dampers: λ_N = k max(−σ_N, 0), and where that acts λ_T = −μ k σ_T; whatever holds in both directions has λ
/// = −k σ.
#[derive(Debug)]
struct Dampers {
    k: f64,
    /// The held rows at the last solution: row, λ = −d σ, and d by the friction coefficient of which block.
    held: Vec<Held>,
    sigma: Vec<f64>,
    is_solved: bool,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    row: usize,
    d: f64,
    by_mu: Option<usize>,
}

impl Dampers {
    fn new(k: f64) -> Dampers {
        Dampers {
            k,
            held: Vec::new(),
            sigma: Vec::new(),
            is_solved: false,
        }
    }

    fn hold(&mut self, problem: &Problem) -> Vec<bool> {
        let mut first = 0;
        self.held.clear();
        let mut acts = Vec::new();
        for (block, b) in problem.blocks.iter().enumerate() {
            let last = first + b.rows() - 1;
            let may_open = matches!(b, Block::Contact { .. } | Block::Unilateral);
            acts.push(!may_open || self.sigma[last] < 0.0);
            if acts[block] {
                let d = self.k;
                if let Block::Contact { mu } = *b {
                    self.held.extend((first..last).map(|row| Held {
                        row,
                        d: mu * d,
                        by_mu: Some(block),
                    }));
                }
                let by_mu = None;
                self.held.push(Held {
                    row: last,
                    d,
                    by_mu,
                });
            }
            first = last + 1;
        }
        acts
    }

    /// 1 + D G on the held rows, or its transpose.
    fn matrix(&self, problem: &Problem, transposed: bool) -> Vec<Vec<f64>> {
        let g = columns(problem);
        let entry =
            |a: &Held, b: &Held| f64::from(u8::from(a.row == b.row)) + a.d * g[b.row][a.row];
        let line = |a: &Held| {
            let entries = self.held.iter().map(|b| match transposed {
                false => entry(a, b),
                true => entry(b, a),
            });
            entries.collect()
        };
        self.held.iter().map(line).collect()
    }

    fn limit(&self, h: &Held, limits: Option<&[f64]>) -> f64 {
        match (h.by_mu, limits) {
            (Some(block), Some(limits)) => self.k * self.sigma[h.row] * limits[block],
            _ => 0.0,
        }
    }
}

/// G by columns.
fn columns(problem: &Problem) -> Vec<Vec<f64>> {
    let n = problem.rows();
    let (mut all, mut first) = (Vec::new(), 0);
    for (i, b) in problem.blocks.iter().enumerate() {
        for r in 0..b.rows() {
            let (mut column, mut unit) = (vec![0.0; n], vec![0.0; b.rows()]);
            unit[r] = 1.0;
            problem.delassus.add_columns(i, first, &unit, &mut column);
            all.push(column);
        }
        first += b.rows();
    }
    all
}

/// By elimination with row pivots.
fn eliminate(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let size = |i: &usize| a[*i][k].abs();
        let p = (k..n).max_by(|i, j| size(i).total_cmp(&size(j))).unwrap();
        a.swap(k, p);
        b.swap(k, p);
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            let pivot = a[k].clone();
            a[i].iter_mut().zip(pivot).for_each(|(x, y)| *x -= f * y);
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b
}

impl Law for Dampers {
    fn renewed(&self, _capacity: &Capacity) -> Box<dyn Law> {
        Box::new(Dampers::new(self.k))
    }

    fn solve(&mut self, step: &mut dyn Request, _work_budget: &WorkBudget) -> Result<Outcome> {
        step.ask(PushOut::Full);
        let posed = step.posed();
        let p = &posed.problem;
        self.sigma = p.g.to_vec();
        let mut acts = self.hold(p);
        let mut certificate = Certificate::new(Path::Newton);
        for _ in 0..100 {
            certificate.newton += 1;
            let free = self.held.iter().map(|h| -h.d * p.g[h.row]).collect();
            let x = eliminate(self.matrix(p, false), free);
            posed.lambda.fill(0.0);
            for (h, x) in self.held.iter().zip(x) {
                posed.lambda[h.row] = x;
            }
            self.sigma = p.g.to_vec();
            for (column, l) in columns(p).iter().zip(&*posed.lambda) {
                self.sigma
                    .iter_mut()
                    .zip(column)
                    .for_each(|(s, g)| *s += g * l);
            }
            let now = self.hold(p);
            if now == acts {
                break;
            }
            acts = now;
        }
        for ((mode, acts), block) in posed.modes.iter_mut().zip(acts).zip(p.blocks) {
            *mode = match (acts, block) {
                (false, _) => Mode::Breaking,
                (true, Block::Contact { .. }) => Mode::Sliding,
                _ => Mode::Sticking,
            };
        }
        self.is_solved = true;
        Ok(Outcome::full(certificate))
    }

    fn linearize(&mut self, _problem: &Problem) -> Result<&mut dyn Linearized> {
        match self.is_solved {
            true => Ok(self),
            false => Err(Error::no_step("linearized before a solve")),
        }
    }

    fn cone(&self) -> Cone {
        Cone::Circular
    }

    fn is_local(&self) -> bool {
        false
    }
}

impl Linearized for Dampers {
    fn apply(
        &mut self,
        problem: &Problem,
        w: &[f64],
        limits: Option<&[f64]>,
        columns: usize,
        dlambda: &mut [f64],
    ) -> Result<()> {
        let (n, nb) = (problem.rows(), problem.blocks.len());
        for k in 0..columns {
            let limits = limits.map(|l| &l[k * nb..][..nb]);
            let along = |h: &Held| -h.d * w[k * n + h.row] - self.limit(h, limits);
            let x = eliminate(
                self.matrix(problem, false),
                self.held.iter().map(along).collect(),
            );
            dlambda[k * n..][..n].fill(0.0);
            for (h, x) in self.held.iter().zip(x) {
                dlambda[k * n + h.row] = x;
            }
        }
        Ok(())
    }

    fn apply_transpose(
        &mut self,
        problem: &Problem,
        lambda_bar: &[f64],
        w_bar: &mut [f64],
        limits_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        let bars = self.held.iter().map(|h| lambda_bar[h.row]).collect();
        let y = eliminate(self.matrix(problem, true), bars);
        w_bar.fill(0.0);
        for (h, y) in self.held.iter().zip(&y) {
            w_bar[h.row] = -h.d * y;
        }
        if let Some(limits_bar) = limits_bar {
            limits_bar.fill(0.0);
            for (h, y) in self.held.iter().zip(&y) {
                if let Some(block) = h.by_mu {
                    limits_bar[block] -= self.k * self.sigma[h.row] * y;
                }
            }
        }
        Ok(())
    }

    fn verdict(&mut self, _problem: &Problem, _state: &mut dyn Variations) -> Result<Verdict> {
        Ok(Verdict::Exact)
    }
}

fn with_law(model: &Arc<Model>, options: &Options, law: impl Law + 'static) -> Sim {
    let parts = Parts {
        law: Box::new(law),
        ..Parts::new(model, options)
    };
    Sim::with_parts(model.clone(), options, parts).unwrap()
}

fn robot() -> (Arc<Model>, Vec<f64>) {
    let model = quadruped(false);
    let q = standing(&model);
    (Arc::new(model), q)
}

/// Two bodies of several trees, one on the other.
fn tower() -> (Arc<Model>, Vec<f64>) {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.7);
    let box_ = cuboid(0.2, 0.15, 0.1);
    let (under, over) = (at(0.0, 0.0, 0.0995), at(0.03, 0.02, 0.249));
    body(
        &mut spec,
        "box",
        JointKind::Free,
        under.compose(&tilt(0.01, 0.3)),
        2.0,
        box_,
    );
    body(&mut spec, "ball", JointKind::Free, over, 0.5, ball(0.05));
    // Of two that are equal the larger has no derivative.
    spec.geoms[2].friction[0] = 0.4;
    let model = Model::compile(spec, Actuation::Full).unwrap();
    let q = model.neutral().to_vec();
    (Arc::new(model), q)
}

/// All derivatives of some steps, against differences and each other.
fn check(sim: Sim, q: &[f64], eps: f64, label: &str) {
    let model = sim.model().clone();
    let mut c = Checker::of(sim);
    c.eps = eps;
    let friction = (0..model.ngeom()).map(|g| param(ParamKind::GeomFriction, g, 0));
    let mass = [param(ParamKind::BodyInertia, 1, 0)];
    c.select(&friction.chain(mass).collect::<Vec<_>>());
    let mut rng = Rng::new(3);
    let (mut q, mut v) = (q.to_vec(), rng.vector(model.nv(), 0.2));
    for step in 0..8 {
        c.label = format!("{label}, step {step}");
        let u = rng.vector(model.nu(), 0.3);
        c.check(&mut q, &mut v, &u);
    }
    let tally = c.tally(label);
    assert_eq!(
        (tally.wrong, tally.refused, tally.one_sided),
        (0, 0, 0),
        "{tally:?}"
    );
    assert!(tally.checked > 100 && tally.apart < 1e-9, "{tally:?}");
}

#[test]
fn a_law_of_dampers_has_all_derivatives() {
    let (model, q) = robot();
    check(
        with_law(&model, &options(1e-3), Dampers::new(0.3)),
        &q,
        1e-6,
        "robot",
    );
    let (model, q) = tower();
    check(
        with_law(&model, &options(1e-3), Dampers::new(0.3)),
        &q,
        1e-6,
        "tower",
    );
}

#[test]
fn the_relaxed_law_has_all_derivatives() {
    let (model, q) = robot();
    check(
        with_law(&model, &options(2e-3), Relaxed::new(1e-4)),
        &q,
        1e-5,
        "robot, relaxed",
    );
}

#[test]
fn a_rollout_with_a_law_of_dampers_has_an_adjoint() {
    let (model, q) = robot();
    let (nq, nv, nu, steps) = (model.nq(), model.nv(), model.nu(), 12);
    let mut rollout =
        Rollout::of(with_law(&model, &options(1e-3), Dampers::new(0.3)), steps).unwrap();
    let mut rng = Rng::new(9);
    let (v, u) = (rng.vector(nv, 0.2), rng.vector(nu * steps, 0.3));
    let w = rng.vector(nv, 1.0);
    let (mut qs, mut vs) = (vec![0.0; nq * (steps + 1)], vec![0.0; nv * (steps + 1)]);
    let mut end = |rollout: &mut Rollout, q: &[f64], v: &[f64], u: &[f64]| {
        let (to_q, to_v) = (Some(&mut qs[..]), Some(&mut vs[..]));
        rollout.run(q, v, u, steps, to_q, to_v).unwrap();
        let end = &vs[nv * steps..];
        end.iter().zip(&w).map(|(v, w)| v * w).sum::<f64>()
    };
    let eps = 1e-6;
    let mut differences = Vec::new();
    for k in 0..nv {
        let mut along = |s: f64| {
            let (mut d, mut q2) = (vec![0.0; nv], q.clone());
            d[k] = s;
            model.integrate(&q, &d, &mut q2);
            end(&mut rollout, &q2, &v, &u)
        };
        differences.push((along(eps) - along(-eps)) / (2.0 * eps));
    }
    for k in 0..nu * steps {
        let mut along = |s: f64| {
            let mut u2 = u.clone();
            u2[k] += s;
            end(&mut rollout, &q, &v, &u2)
        };
        differences.push((along(eps) - along(-eps)) / (2.0 * eps));
    }
    end(&mut rollout, &q, &v, &u);
    let (q_bar, mut v_bar) = (vec![0.0; nv * (steps + 1)], vec![0.0; nv * (steps + 1)]);
    v_bar[nv * steps..].copy_from_slice(&w);
    let (mut q0, mut v0, mut us) = (vec![0.0; nv], vec![0.0; nv], vec![0.0; nu * steps]);
    rollout
        .adjoint(
            &q_bar,
            &v_bar,
            Some(&mut q0),
            Some(&mut v0),
            Some(&mut us),
            None,
        )
        .unwrap();
    let error = relative_error(&[q0, us].concat(), &differences);
    assert!(error < 1e-6, "{error:e}");
}
