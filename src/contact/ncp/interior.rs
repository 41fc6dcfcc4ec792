//! Interior point: finds modes from any start, with or without redundant contacts.
//!
//! Along the central path every pair of impulse and velocity is inside its cones and has the Jordan
//! product κ e. For a contact this uses the self-dual coordinates λ̃ = (μλ_n, λ_T), ỹ = (σ_n/μ + ‖σ_T‖,
//! σ_T), which contain the De Saxcé shift:
//!
//!   λ̃ ∘ ỹ = (λ̃·ỹ, λ̃₀ỹ_T + ỹ₀λ̃_T) = (κ, 0).
//!
//! A limit has λσ = κ. Dry friction has (λ + bound) s₁ = (bound − λ) s₂ = κ with σ = s₁ − s₂, and so do
//! the tangents of a pyramid with the bound μλ_n. Newton steps act on these equations and on σ = Gλ + g.
//! With the velocities eliminated block by block they solve (G + D) dλ = c − r, D block-diagonal. A
//! predictor and a corrector share the matrix (Mehrotra 1992; for cones Alizadeh, Haeberly and Overton
//! 1998; for friction with the shift inside the iteration Acary et al. 2023). Among redundant contacts
//! the limit κ → 0 is in the middle of the admissible impulses, which keeps the modes apart.

mod wides;

use super::cone::{contact_product, divide, dual_head, exit, planar_norm, velocity_of};
use super::modes::largest;
use super::path_system::{PathSystem, frozen};
use super::pyramid;
use super::wide::{self, WideMode};
use super::wide_pairs::WidePairs;
use super::work::Work;
use crate::contact::capacity::Capacity;
use crate::contact::digits::ROUND_OFF;
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Problem};
use crate::contact::tuning::INTERIOR_REACH;

/// Products of impulse and velocity of a block. In a pyramid the third entry is that of the normal.
type Products = [f64; 5];

/// The data of the method, in addition to the iterate of [`PathSystem`].
#[derive(Debug)]
pub(super) struct Interior {
    /// s₁, s₂ of dry friction, and of the two tangents of a pyramid.
    slack: Vec<[f64; 4]>,
    /// Gλ + g − σ.
    residual: Vec<f64>,
    target: Vec<f64>,
    /// Right side of the linear system.
    right: Vec<f64>,
    correction: Vec<Products>,
    dlambda: Vec<f64>,
    dsigma: Vec<f64>,
    dslack: Vec<[f64; 4]>,
    /// Contacts with torsional or rolling friction, which the other lists leave out.
    wides: Vec<WidePairs>,
    kappa: f64,
    /// True if the last step was cut short: the iterate has left the path and must return before κ
    /// shrinks.
    short: bool,
}

impl Interior {
    pub fn new(capacity: &Capacity) -> Interior {
        let max_blocks = capacity.blocks;
        let rows = || Vec::with_capacity(capacity.rows);
        Interior {
            slack: Vec::with_capacity(max_blocks),
            residual: rows(),
            target: rows(),
            right: rows(),
            correction: Vec::with_capacity(max_blocks),
            dlambda: rows(),
            dsigma: rows(),
            dslack: Vec::with_capacity(max_blocks),
            wides: Vec::with_capacity(capacity.torsion),
            kappa: 1.0,
            short: false,
        }
    }

    /// Starts in the middle of the cones, `part` of the way from their apex. Returns false if no row responds
    /// to any impulse.
    pub fn start(
        &mut self,
        problem: &Problem,
        work: &Work,
        system: &mut PathSystem,
        part: f64,
    ) -> bool {
        if !system.start(problem, work) {
            return false;
        }
        let (n, nb) = (problem.rows(), problem.blocks.len());
        for v in [
            &mut self.residual,
            &mut self.target,
            &mut self.right,
            &mut self.dlambda,
            &mut self.dsigma,
        ] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.slack.clear();
        self.slack.resize(nb, [part; 4]);
        self.dslack.clear();
        self.dslack.resize(nb, [0.0; 4]);
        self.correction.clear();
        self.correction.resize(nb, [0.0; 5]);
        self.wides.clear();
        self.wides.extend(
            (0..nb)
                .filter(|i| work.is_wide(*i))
                .map(|i| WidePairs::new(i, part)),
        );
        for (i, block) in problem.blocks.iter().enumerate() {
            if let Block::Contact { .. } | Block::Pyramid { .. } | Block::Unilateral = block {
                system.sigma[work.offsets[i + 1] - 1] = part;
                system.lambda[work.offsets[i + 1] - 1] = part;
            }
        }
        self.update_residual(problem, work, system);
        self.kappa = self.mean_product(problem, work, system, 0.0);
        self.short = false;
        true
    }

    /// κ, scaled; `None` if a number is not finite.
    pub fn distance(&self, system: &PathSystem) -> Option<f64> {
        let finite = system.lambda.iter().all(|l| l.is_finite()) && self.kappa.is_finite();
        finite.then_some(self.kappa)
    }

    /// One predictor and corrector step. Returns its length, 0 to 1.
    pub fn advance(&mut self, problem: &Problem, work: &Work, system: &mut PathSystem) -> f64 {
        self.linearize(problem, work, system);
        self.correction.fill([0.0; 5]);
        self.wides.iter_mut().for_each(WidePairs::clear_correction);
        let aim = if self.short {
            0.5 * self.kappa
        } else {
            self.set_target(problem, work, system, 0.0);
            self.solve(problem, work, system, 0.0);
            let reach = self.reach(problem, work, system).min(1.0);
            let predicted = self.mean_product(problem, work, system, reach).max(0.0);
            for (i, block) in problem.blocks.iter().enumerate() {
                let at = work.offsets[i];
                self.correction[i] = self.product(system, *block, i, at, 1.0);
            }
            self.correct_wides(problem, work, system);
            let ratio = (predicted / self.kappa).min(1.0);
            self.kappa * (ratio * ratio * ratio).clamp(ROUND_OFF, 0.5)
        };
        self.set_target(problem, work, system, aim);
        self.solve(problem, work, system, aim);
        let mut step = (INTERIOR_REACH * self.reach(problem, work, system)).min(1.0);
        // The products can grow if the slip reverses within a step. Bound them by the present κ, or a tenth
        // of the residual.
        let allowed = self.kappa.max(0.1 * largest(&self.residual));
        while step > 1e-3 && self.mean_product(problem, work, system, step) > allowed {
            step *= 0.5;
        }
        for (l, d) in system.lambda.iter_mut().zip(&self.dlambda) {
            *l += step * d;
        }
        for (s, d) in system.sigma.iter_mut().zip(&self.dsigma) {
            *s += step * d;
        }
        for (s, d) in self.slack.iter_mut().zip(&self.dslack) {
            s.iter_mut().zip(d).for_each(|(s, d)| *s += step * d);
        }
        self.wides.iter_mut().for_each(|w| w.advance(step));
        self.update_residual(problem, work, system);
        self.kappa = self.mean_product(problem, work, system, 0.0);
        self.short = step < 0.3 && !self.short;
        step
    }

    /// Puts the impulses in `work` on the faces of their modes.
    pub fn snap(system: &PathSystem, problem: &Problem, work: &mut Work) {
        for (i, block) in problem.blocks.iter().enumerate() {
            if work.is_wide(i) {
                let (part, mode) = (
                    work.part(i),
                    wide::mode_of(problem.blocks, &system.modes, i),
                );
                let lambda = &mut work.lambda[part];
                wide::put_on_face(*block, mode, lambda);
                if mode == WideMode::Sliding {
                    wide::turn_onto_cone(wide::friction(*block), lambda);
                }
                continue;
            }
            let lambda = &mut work.lambda[work.offsets[i]..work.offsets[i + 1]];
            match (*block, system.modes[i], lambda) {
                (_, Mode::Breaking, lambda) => lambda.fill(0.0),
                (Block::Box { bound }, Mode::AtLower, [l]) => *l = -bound,
                (Block::Box { bound }, Mode::AtUpper, [l]) => *l = bound,
                (Block::Pyramid { mu }, Mode::Bounded(bounds), lambda) => {
                    pyramid::put_at_bounds(mu, bounds, lambda);
                }
                (Block::Contact { mu }, Mode::Sliding, [x, y, z]) => {
                    let force = planar_norm(*x, *y);
                    if force > 0.0 {
                        let scale = mu * *z / force;
                        (*x, *y) = (scale * *x, scale * *y);
                    }
                }
                _ => {}
            }
        }
        work.update_sigma(problem);
    }

    /// As [`PathSystem::update_modes`].
    pub fn update_modes(&self, problem: &Problem, work: &Work, system: &mut PathSystem) -> bool {
        let same = system.update_modes(problem.blocks, &work.offsets, |i, _| self.slack[i]);
        self.update_wide_modes(problem, work, system) && same
    }

    fn update_residual(&mut self, problem: &Problem, work: &Work, system: &mut PathSystem) {
        system.velocities(problem, &work.offsets, &mut self.residual);
        for (i, block) in problem.blocks.iter().enumerate() {
            for r in work.offsets[i]..work.offsets[i + 1] {
                self.residual[r] -= system.sigma[r];
                if frozen(*block, r - work.offsets[i]) {
                    // A frozen row has no impulse: its velocity is Gλ + g.
                    system.sigma[r] += self.residual[r];
                    self.residual[r] = 0.0;
                }
            }
        }
    }

    /// The Jordan product of a block after `step` of the present direction.
    fn product(
        &self,
        system: &PathSystem,
        block: Block,
        i: usize,
        at: usize,
        step: f64,
    ) -> Products {
        let l = |k: usize| system.lambda[at + k] + step * self.dlambda[at + k];
        let s = |k: usize| system.sigma[at + k] + step * self.dsigma[at + k];
        match block {
            Block::Contact { mu } if mu > 0.0 => {
                let [x, y, z] = contact_product(mu, [l(0), l(1), l(2)], [s(0), s(1), s(2)]);
                [x, y, z, 0.0, 0.0]
            }
            Block::Pyramid { mu } if mu > 0.0 => {
                let [a, b] = self.segment(i, 0, mu * l(2), l(0), step);
                let [c, d] = self.segment(i, 1, mu * l(2), l(1), step);
                [a, b, l(2) * s(2), c, d]
            }
            Block::Contact { .. } | Block::Pyramid { .. } => [0.0, 0.0, l(2) * s(2), 0.0, 0.0],
            Block::Unilateral => [l(0) * s(0), 0.0, 0.0, 0.0, 0.0],
            Block::Box { .. } => {
                let [a, b] = self.segment(i, 0, system.bounds[i], l(0), step);
                [a, b, 0.0, 0.0, 0.0]
            }
            Block::Bilateral | Block::Torsion { .. } => [0.0; 5],
        }
    }

    /// The products of an impulse within a bound, the `k`-th of its block, after `step`.
    fn segment(&self, i: usize, k: usize, bound: f64, l: f64, step: f64) -> [f64; 2] {
        let slack = |j: usize| self.slack[i][2 * k + j] + step * self.dslack[i][2 * k + j];
        [(l + bound) * slack(0), (bound - l) * slack(1)]
    }

    /// κ after `step`: the mean over all pairs.
    fn mean_product(&self, problem: &Problem, work: &Work, system: &PathSystem, step: f64) -> f64 {
        let (mut sum, mut count) = self.wide_products(problem, work, system, step);
        for (i, block) in problem
            .blocks
            .iter()
            .enumerate()
            .filter(|(i, _)| !work.is_wide(*i))
        {
            let p = self.product(system, *block, i, work.offsets[i], step);
            match block {
                Block::Pyramid { mu } if *mu > 0.0 => {
                    sum += p.iter().sum::<f64>();
                    count += 4;
                }
                Block::Contact { mu } | Block::Pyramid { mu } => {
                    sum += if *mu > 0.0 { p[0] } else { p[2] };
                }
                Block::Unilateral => sum += p[0],
                Block::Box { .. } => {
                    sum += p[0] + p[1];
                    count += 1;
                }
                Block::Bilateral | Block::Torsion { .. } => continue,
            }
            count += 1;
        }
        sum / f64::from(count.max(1))
    }

    /// Computes D of every block, and factors G + D.
    fn linearize(&mut self, problem: &Problem, work: &Work, system: &mut PathSystem) {
        self.wide_slopes(problem, work, system);
        for (i, block) in problem.blocks.iter().enumerate() {
            let at = work.offsets[i];
            let mut d = [[0.0; 3]; 3];
            match *block {
                _ if work.is_wide(i) => {}
                Block::Contact { mu } if mu > 0.0 => {
                    let (l, s) = (triple(&system.lambda, at), triple(&system.sigma, at));
                    // Columns of L(ỹ) S, then (L(λ̃) J)⁻¹.
                    let y = dual_head(mu, s);
                    for (k, column) in [
                        [s[0], y, 0.0],
                        [s[1], 0.0, y],
                        [mu * y, mu * s[0], mu * s[1]],
                    ]
                    .into_iter()
                    .enumerate()
                    {
                        for (row, x) in d.iter_mut().zip(velocity_of(mu, s, divide(mu, l, column)))
                        {
                            row[k] = x;
                        }
                    }
                }
                Block::Contact { .. } => d[2][2] = system.sigma[at + 2] / system.lambda[at + 2],
                Block::Pyramid { mu } => {
                    d[2][2] = system.sigma[at + 2] / system.lambda[at + 2];
                    for k in (0..2).filter(|_| mu > 0.0) {
                        let (bound, l) = (mu * system.lambda[at + 2], system.lambda[at + k]);
                        let lower = self.slack[i][2 * k] / (l + bound);
                        let upper = self.slack[i][2 * k + 1] / (bound - l);
                        d[k][k] = lower + upper;
                        d[k][2] = mu * (lower - upper);
                    }
                }
                Block::Unilateral => d[0][0] = system.sigma[at] / system.lambda[at],
                Block::Box { .. } => {
                    let bound = system.bounds[i];
                    if bound > 0.0 {
                        let l = system.lambda[at];
                        d[0][0] = self.slack[i][0] / (l + bound) + self.slack[i][1] / (bound - l);
                    }
                }
                Block::Bilateral | Block::Torsion { .. } => {}
            }
            system.shift[i] = d;
        }
        system.factor(problem, &work.offsets);
    }

    /// Computes c of every block for products of κ, minus the correction.
    fn set_target(&mut self, problem: &Problem, work: &Work, system: &PathSystem, kappa: f64) {
        for (i, block) in problem.blocks.iter().enumerate() {
            let at = work.offsets[i];
            let p = self.product(system, *block, i, at, 0.0);
            let e = self.correction[i];
            match *block {
                _ if work.is_wide(i) => {}
                Block::Contact { mu } if mu > 0.0 => {
                    let (l, s) = (triple(&system.lambda, at), triple(&system.sigma, at));
                    // L(λ̃)⁻¹ (κe − λ̃ ∘ ỹ) = κ λ̃⁻¹ − ỹ, without the cancellation in the product.
                    let by = divide(mu, l, [kappa - e[0], -e[1], -e[2]]);
                    let change = [by[0] - dual_head(mu, s), by[1] - s[0], by[2] - s[1]];
                    self.target[at..at + 3].copy_from_slice(&velocity_of(mu, s, change));
                }
                Block::Contact { .. } => {
                    self.target[at + 2] = (kappa - p[2] - e[2]) / system.lambda[at + 2];
                }
                Block::Pyramid { mu } => {
                    self.target[at + 2] = (kappa - p[2] - e[2]) / system.lambda[at + 2];
                    let left = [0, 1, 3, 4].map(|k| kappa - p[k] - e[k]);
                    for k in (0..2).filter(|_| mu > 0.0) {
                        let (bound, l) = (mu * system.lambda[at + 2], system.lambda[at + k]);
                        let [lower, upper] = [0, 1].map(|j| self.slack[i][2 * k + j]);
                        self.target[at + k] = left[2 * k] / (l + bound)
                            - left[2 * k + 1] / (bound - l)
                            - (system.sigma[at + k] - lower + upper);
                    }
                }
                Block::Unilateral => self.target[at] = (kappa - p[0] - e[0]) / system.lambda[at],
                Block::Box { .. } => {
                    let (bound, l) = (system.bounds[i], system.lambda[at]);
                    if bound > 0.0 {
                        let [lower, upper, ..] = self.slack[i];
                        self.target[at] = (kappa - p[0] - e[0]) / (l + bound)
                            - (kappa - p[1] - e[1]) / (bound - l)
                            - (system.sigma[at] - lower + upper);
                    }
                }
                Block::Bilateral | Block::Torsion { .. } => self.target[at] = -system.sigma[at],
            }
        }
        self.wide_targets(problem, work, system, kappa);
    }

    /// Solves for the direction towards the target.
    fn solve(&mut self, problem: &Problem, work: &Work, system: &mut PathSystem, kappa: f64) {
        for (x, (c, r)) in (self.right.iter_mut()).zip(self.target.iter().zip(&self.residual)) {
            *x = c - r;
        }
        // A predictor has no target κ. It only finds the longest step, so that a rough solution is
        // enough.
        let rough = kappa == 0.0;
        system.solve(
            problem,
            &work.offsets,
            &self.right,
            &mut self.dlambda,
            rough,
        );
        for (i, block) in problem.blocks.iter().enumerate() {
            let at = work.offsets[i];
            for k in 0..block.rows() {
                let d = &system.shift[i][k];
                self.dsigma[at + k] = self.target[at + k]
                    - (0..block.rows())
                        .map(|j| d[j] * self.dlambda[at + j])
                        .sum::<f64>();
            }
            // Bounds with their change, and impulses with theirs.
            let (l, d) = (&system.lambda[at..], &self.dlambda[at..]);
            match *block {
                _ if work.is_wide(i) => {}
                Block::Box { .. } => {
                    self.set_dslack(i, 0, [system.bounds[i], 0.0], l[0], d[0], kappa)
                }
                Block::Pyramid { mu } => {
                    let bound = [mu * l[2], mu * d[2]];
                    let change = [d[0], d[1]];
                    for k in 0..2 {
                        self.set_dslack(i, k, bound, l[k], change[k], kappa);
                    }
                }
                _ => {}
            }
        }
        self.follow_wides(problem, work, system, kappa);
    }

    /// The change of the slacks of the `k`-th bounded impulse of a block.
    fn set_dslack(
        &mut self,
        i: usize,
        k: usize,
        [bound, db]: [f64; 2],
        l: f64,
        d: f64,
        kappa: f64,
    ) {
        if bound > 0.0 {
            let [lower, upper] = [0, 1].map(|j| self.slack[i][2 * k + j]);
            let [e, f] = [0, 1].map(|j| self.correction[i][if k == 0 { j } else { 3 + j }]);
            self.dslack[i][2 * k] =
                (kappa - e - lower * (l + bound) - lower * (d + db)) / (l + bound);
            self.dslack[i][2 * k + 1] =
                (kappa - f - upper * (bound - l) + upper * (d - db)) / (bound - l);
        }
    }

    /// The largest step inside the cones, at most 2.
    fn reach(&self, problem: &Problem, work: &Work, system: &PathSystem) -> f64 {
        let mut step = self.wide_reach(problem, work, system, 2.0);
        let mut keep = |x: f64, d: f64| {
            if d < 0.0 {
                step = step.min(-x / d);
            }
        };
        let mut cone: f64 = f64::INFINITY;
        for (i, block) in problem
            .blocks
            .iter()
            .enumerate()
            .filter(|(i, _)| !work.is_wide(*i))
        {
            let at = work.offsets[i];
            match *block {
                Block::Pyramid { mu } => {
                    keep(system.sigma[at + 2], self.dsigma[at + 2]);
                    keep(system.lambda[at + 2], self.dlambda[at + 2]);
                    let (l, d) = (triple(&system.lambda, at), triple(&self.dlambda, at));
                    for k in (0..2).filter(|_| mu > 0.0) {
                        keep(l[k] + mu * l[2], d[k] + mu * d[2]);
                        keep(mu * l[2] - l[k], mu * d[2] - d[k]);
                        for j in 2 * k..2 * k + 2 {
                            keep(self.slack[i][j], self.dslack[i][j]);
                        }
                    }
                }
                Block::Contact { mu } => {
                    keep(system.sigma[at + 2], self.dsigma[at + 2]);
                    keep(system.lambda[at + 2], self.dlambda[at + 2]);
                    if mu > 0.0 {
                        let (l, d) = (triple(&system.lambda, at), triple(&self.dlambda, at));
                        cone = cone.min(exit(mu, &l, &d));
                    }
                }
                Block::Unilateral => {
                    keep(system.sigma[at], self.dsigma[at]);
                    keep(system.lambda[at], self.dlambda[at]);
                }
                Block::Box { .. } => {
                    let (bound, l, d) = (system.bounds[i], system.lambda[at], self.dlambda[at]);
                    if bound > 0.0 {
                        keep(l + bound, d);
                        keep(bound - l, -d);
                        keep(self.slack[i][0], self.dslack[i][0]);
                        keep(self.slack[i][1], self.dslack[i][1]);
                    }
                }
                Block::Bilateral | Block::Torsion { .. } => {}
            }
        }
        step.min(cone)
    }
}

fn triple(v: &[f64], at: usize) -> [f64; 3] {
    [v[at], v[at + 1], v[at + 2]]
}
