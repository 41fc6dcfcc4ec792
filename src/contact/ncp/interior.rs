//! Interior point: finds modes from any start, redundant contacts or not.
//!
//! Along the central path every pair of impulse and velocity is inside its cones and has the Jordan product κ e, for a
//! contact in the self-dual coordinates λ̃ = (μλ_n, λ_T), ỹ = (σ_n/μ + ‖σ_T‖, σ_T), which contain the De Saxcé shift:
//!
//!   λ̃ ∘ ỹ = (λ̃·ỹ, λ̃₀ỹ_T + ỹ₀λ̃_T) = (κ, 0).
//!
//! A limit has λσ = κ; dry friction has (λ + bound) s₁ = (bound − λ) s₂ = κ with σ = s₁ − s₂. Newton steps on these and on
//! σ = Gλ + g, with the velocities eliminated block by block, solve (G + D) dλ = c − r, D block-diagonal; a predictor and
//! a corrector share the matrix (Mehrotra 1992; for cones Alizadeh, Haeberly and Overton 1998; for friction with the
//! shift inside the iteration Acary et al. 2023). What κ → 0 leaves open among redundant contacts ends in the middle of
//! the admissible impulses, which keeps the modes apart.

mod trees;

use super::cone::{contact_product, divide, dual_head, exit, planar_norm, velocity_of};
use super::modes::{Mode, largest};
use super::tree_system::TreeSystem;
use super::work::Work;
use crate::contact::problem::{Block, Delassus, Problem, Small};
use crate::linalg::General;

/// How much each step is allowed to risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    Bold,
    Careful,
}

impl Pace {
    /// Part of the way to the cones' boundary that a step may go.
    fn reach(self) -> f64 {
        match self {
            Pace::Bold => 0.99,
            Pace::Careful => 0.9,
        }
    }

    /// Smallest factor by which a step aims to shrink κ.
    fn floor(self) -> f64 {
        match self {
            Pace::Bold => 1e-6,
            Pace::Careful => 0.1,
        }
    }
}

/// Added to the scaled diagonal, whose mean is one, on the matrix only: fixed points stay where they are.
const PROXIMAL: f64 = 1e-11;

/// How far pairs are moved inwards where the path was lost, in units of κ.
const RECENTER: f64 = 100.0;

/// Iterates in units that make the mean diagonal of each block of G and the largest entry of g one.
#[derive(Debug)]
pub(super) struct Interior {
    matrix: General,
    trees: TreeSystem,
    /// λ = unit · λ', σ = velocity / unit · σ' of each block.
    unit: Vec<f64>,
    velocity: f64,
    lambda: Vec<f64>,
    sigma: Vec<f64>,
    /// Dry friction's s₁, s₂.
    slack: Vec<[f64; 2]>,
    /// Gλ + g − σ.
    residual: Vec<f64>,
    curvature: Vec<Small>,
    target: Vec<f64>,
    correction: Vec<[f64; 3]>,
    dlambda: Vec<f64>,
    dsigma: Vec<f64>,
    dslack: Vec<[f64; 2]>,
    x: Vec<[f64; 1]>,
    scratch: Vec<[f64; 1]>,
    rows: Vec<[f64; 1]>,
    part: Vec<f64>,
    z: Vec<[f64; 1]>,
    modes: Vec<Mode>,
    kappa: f64,
    /// The last step was cut short: the iterate has left the path and must return before κ shrinks.
    short: bool,
}

impl Interior {
    pub fn new(
        max_rows: usize,
        max_blocks: usize,
        max_coordinates: usize,
        trees: TreeSystem,
    ) -> Interior {
        let rows = || Vec::with_capacity(max_rows);
        Interior {
            matrix: General::new(max_rows),
            trees,
            unit: Vec::with_capacity(max_blocks),
            velocity: 1.0,
            lambda: rows(),
            sigma: rows(),
            slack: Vec::with_capacity(max_blocks),
            residual: rows(),
            curvature: Vec::with_capacity(max_blocks),
            target: rows(),
            correction: Vec::with_capacity(max_blocks),
            dlambda: rows(),
            dsigma: rows(),
            dslack: Vec::with_capacity(max_blocks),
            x: Vec::with_capacity(max_rows),
            scratch: Vec::with_capacity(max_rows),
            rows: Vec::with_capacity(max_rows),
            part: rows(),
            z: vec![[0.0]; max_coordinates],
            modes: Vec::with_capacity(max_blocks),
            kappa: 1.0,
            short: false,
        }
    }

    /// Begins in the middle of the cones. False if no row responds to any impulse.
    pub fn start(&mut self, problem: &Problem, work: &Work) -> bool {
        let (n, nb) = (problem.rows(), problem.blocks.len());
        let mean = |i: usize| {
            let rows = problem.blocks[i].rows();
            (0..rows).map(|r| work.diagonal[i][r][r]).sum::<f64>() / rows as f64
        };
        let largest = (0..nb).map(mean).fold(0.0, f64::max);
        if largest <= 0.0 {
            return false;
        }
        self.unit.clear();
        self.unit
            .extend((0..nb).map(|i| mean(i).max(1e-12 * largest).sqrt().recip()));
        let scaled = |i: usize, r: usize| problem.g[r] * self.unit[i];
        let size = (0..nb)
            .flat_map(|i| (work.offsets[i]..work.offsets[i + 1]).map(move |r| (i, r)))
            .fold(0.0f64, |m, (i, r)| m.max(scaled(i, r).abs()));
        self.velocity = if size > 0.0 { size } else { 1.0 };
        for v in [
            &mut self.lambda,
            &mut self.sigma,
            &mut self.residual,
            &mut self.target,
            &mut self.dlambda,
            &mut self.dsigma,
        ] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.modes.clear();
        self.modes.resize(nb, Mode::Unknown);
        self.slack.clear();
        self.slack.resize(nb, [1.0; 2]);
        self.dslack.clear();
        self.dslack.resize(nb, [0.0; 2]);
        self.curvature.clear();
        self.curvature.resize(nb, [[0.0; 3]; 3]);
        self.correction.clear();
        self.correction.resize(nb, [0.0; 3]);
        self.x.resize(n, [0.0]);
        self.scratch.resize(n, [0.0]);
        self.rows.resize(n, [0.0]);
        self.part.resize(n, 0.0);
        if let Delassus::Trees(rows) = problem.delassus {
            self.trees.analyze(rows);
        }
        for (i, block) in problem.blocks.iter().enumerate() {
            let at = work.offsets[i];
            match block {
                Block::Contact { .. } => (self.lambda[at + 2], self.sigma[at + 2]) = (1.0, 1.0),
                Block::Unilateral => (self.lambda[at], self.sigma[at]) = (1.0, 1.0),
                _ => {}
            }
        }
        self.update_residual(problem, work);
        self.kappa = self.mean_product(problem, work, 0.0);
        self.short = false;
        true
    }

    /// κ, scaled; none if the steps left the finite numbers.
    pub fn distance(&self) -> Option<f64> {
        let finite = self.lambda.iter().all(|l| l.is_finite()) && self.kappa.is_finite();
        finite.then_some(self.kappa)
    }

    /// One predictor and corrector step; returns its length, 0 to 1.
    pub fn advance(&mut self, problem: &Problem, work: &Work, pace: Pace) -> f64 {
        self.linearize(problem, work);
        self.correction.fill([0.0; 3]);
        let aim = if self.short {
            0.5 * self.kappa
        } else {
            self.set_target(problem, work, 0.0);
            self.solve(problem, work, 0.0);
            let reach = self.reach(problem, work).min(1.0);
            let predicted = self.mean_product(problem, work, reach).max(0.0);
            for (i, block) in problem.blocks.iter().enumerate() {
                let at = work.offsets[i];
                self.correction[i] = self.product(*block, i, at, 1.0);
            }
            let ratio = (predicted / self.kappa).min(1.0);
            self.kappa * (ratio * ratio * ratio).clamp(pace.floor(), 0.5)
        };
        self.set_target(problem, work, aim);
        self.solve(problem, work, aim);
        let mut step = (pace.reach() * self.reach(problem, work)).min(1.0);
        // Where slip turns round within a step the products can grow: never further from the end than before.
        let allowed = self.kappa.max(0.1 * largest(&self.residual));
        while step > 1e-3 && self.mean_product(problem, work, step) > allowed {
            step *= 0.5;
        }
        for (l, d) in self.lambda.iter_mut().zip(&self.dlambda) {
            *l += step * d;
        }
        for (s, d) in self.sigma.iter_mut().zip(&self.dsigma) {
            *s += step * d;
        }
        for (s, d) in self.slack.iter_mut().zip(&self.dslack) {
            s[0] += step * d[0];
            s[1] += step * d[1];
        }
        self.update_residual(problem, work);
        self.kappa = self.mean_product(problem, work, 0.0);
        self.short = step < 0.3 && !self.short;
        step
    }

    /// Moves every pair deeper into its cones: from an iterate at their boundary, where no step is left, back to where
    /// the path can be followed again.
    pub fn recenter(&mut self, problem: &Problem, work: &Work) {
        let shift = RECENTER * self.kappa;
        for (i, block) in problem.blocks.iter().enumerate() {
            let at = work.offsets[i];
            match block {
                Block::Contact { .. } => {
                    self.lambda[at + 2] += shift;
                    self.sigma[at + 2] += shift;
                }
                Block::Unilateral => {
                    self.lambda[at] += shift;
                    self.sigma[at] += shift;
                }
                Block::Box { .. } => {
                    self.slack[i][0] += shift;
                    self.slack[i][1] += shift;
                }
                Block::Bilateral => {}
            }
        }
        self.update_residual(problem, work);
        self.kappa = self.mean_product(problem, work, 0.0);
        self.short = false;
    }

    /// Impulses and modes in the problem's units, and their σ.
    pub fn write(&self, problem: &Problem, work: &mut Work) {
        for i in 0..self.unit.len() {
            for r in work.offsets[i]..work.offsets[i + 1] {
                work.lambda[r] = self.lambda[r] * self.unit[i] * self.velocity;
            }
        }
        work.modes.copy_from_slice(&self.modes);
        work.update_sigma(problem);
    }

    /// Puts the impulses in `work` on the faces of their modes.
    pub fn snap(&self, problem: &Problem, work: &mut Work) {
        for (i, block) in problem.blocks.iter().enumerate() {
            let lambda = &mut work.lambda[work.offsets[i]..work.offsets[i + 1]];
            match (*block, self.modes[i], lambda) {
                (_, Mode::Breaking, lambda) => lambda.fill(0.0),
                (Block::Box { bound }, Mode::AtLower, [l]) => *l = -bound,
                (Block::Box { bound }, Mode::AtUpper, [l]) => *l = bound,
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

    /// Takes the modes that the blocks tend to; returns whether they are those of the step before.
    pub fn update_modes(&mut self, blocks: &[Block], offsets: &[usize]) -> bool {
        let mut same = true;
        for (i, block) in blocks.iter().enumerate() {
            let mode = self.mode(*block, i, offsets[i]);
            same &= self.modes[i] == mode;
            self.modes[i] = mode;
        }
        same
    }

    /// The mode that a block tends to: of two that vanish together the smaller one.
    fn mode(&self, block: Block, i: usize, at: usize) -> Mode {
        match block {
            Block::Contact { mu } => {
                let (l, s) = (&self.lambda[at..at + 3], &self.sigma[at..at + 3]);
                let inside = mu * l[2] - planar_norm(l[0], l[1]);
                if l[2] < s[2] {
                    Mode::Breaking
                } else if mu > 0.0 && inside > planar_norm(s[0], s[1]) {
                    Mode::Sticking
                } else {
                    Mode::Sliding
                }
            }
            Block::Unilateral if self.lambda[at] < self.sigma[at] => Mode::Breaking,
            Block::Box { bound } => {
                let bound = self.bound(bound, i);
                let [lower, upper] = match bound {
                    0.0 => [self.sigma[at], -self.sigma[at]],
                    _ => self.slack[i],
                };
                if self.lambda[at] + bound < lower {
                    Mode::AtLower
                } else if bound - self.lambda[at] < upper {
                    Mode::AtUpper
                } else {
                    Mode::Sticking
                }
            }
            _ => Mode::Sticking,
        }
    }

    fn bound(&self, bound: f64, i: usize) -> f64 {
        bound / (self.unit[i] * self.velocity)
    }

    fn update_residual(&mut self, problem: &Problem, work: &Work) {
        let nb = problem.blocks.len();
        for i in 0..nb {
            for r in work.offsets[i]..work.offsets[i + 1] {
                self.residual[r] = problem.g[r];
            }
        }
        for i in 0..nb {
            for r in work.offsets[i]..work.offsets[i + 1] {
                self.part[r] = self.lambda[r] * self.unit[i] * self.velocity;
            }
        }
        problem
            .delassus
            .add_product(&work.offsets, &self.part, &mut self.z, &mut self.residual);
        for i in 0..nb {
            for r in work.offsets[i]..work.offsets[i + 1] {
                self.residual[r] = self.residual[r] * self.unit[i] / self.velocity - self.sigma[r];
                if frozen(problem.blocks[i], r - work.offsets[i]) {
                    // Free to move: the velocity follows.
                    self.sigma[r] += self.residual[r];
                    self.residual[r] = 0.0;
                }
            }
        }
    }

    /// The Jordan product of a block after `step` of the present direction.
    fn product(&self, block: Block, i: usize, at: usize, step: f64) -> [f64; 3] {
        let l = |k: usize| self.lambda[at + k] + step * self.dlambda[at + k];
        let s = |k: usize| self.sigma[at + k] + step * self.dsigma[at + k];
        match block {
            Block::Contact { mu } if mu > 0.0 => {
                contact_product(mu, [l(0), l(1), l(2)], [s(0), s(1), s(2)])
            }
            Block::Contact { .. } => [0.0, 0.0, l(2) * s(2)],
            Block::Unilateral => [l(0) * s(0), 0.0, 0.0],
            Block::Box { bound } => {
                let bound = self.bound(bound, i);
                let [lower, upper] = self.slack[i];
                let d = self.dslack[i];
                [
                    (l(0) + bound) * (lower + step * d[0]),
                    (bound - l(0)) * (upper + step * d[1]),
                    0.0,
                ]
            }
            Block::Bilateral => [0.0; 3],
        }
    }

    /// κ after `step`: the mean over all pairs.
    fn mean_product(&self, problem: &Problem, work: &Work, step: f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0);
        for (i, block) in problem.blocks.iter().enumerate() {
            let p = self.product(*block, i, work.offsets[i], step);
            match block {
                Block::Contact { mu } => sum += if *mu > 0.0 { p[0] } else { p[2] },
                Block::Unilateral => sum += p[0],
                Block::Box { .. } => {
                    sum += p[0] + p[1];
                    count += 1;
                }
                Block::Bilateral => continue,
            }
            count += 1;
        }
        sum / f64::from(count.max(1))
    }

    /// D of every block, and the factored G + D.
    fn linearize(&mut self, problem: &Problem, work: &Work) {
        let n = problem.rows();
        for (i, block) in problem.blocks.iter().enumerate() {
            let at = work.offsets[i];
            let mut d = [[0.0; 3]; 3];
            match *block {
                Block::Contact { mu } if mu > 0.0 => {
                    let (l, s) = (self.triple(&self.lambda, at), self.triple(&self.sigma, at));
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
                Block::Contact { .. } => d[2][2] = self.sigma[at + 2] / self.lambda[at + 2],
                Block::Unilateral => d[0][0] = self.sigma[at] / self.lambda[at],
                Block::Box { bound } => {
                    let bound = self.bound(bound, i);
                    if bound > 0.0 {
                        let l = self.lambda[at];
                        d[0][0] = self.slack[i][0] / (l + bound) + self.slack[i][1] / (bound - l);
                    }
                }
                Block::Bilateral => {}
            }
            self.curvature[i] = d;
        }
        if let Delassus::Trees(rows) = problem.delassus {
            self.factor_by_trees(problem, rows);
            return;
        }
        let a = self.matrix.matrix(n);
        a.fill(0.0);
        for (i, block) in problem.blocks.iter().enumerate() {
            let at = work.offsets[i];
            problem.delassus.for_row(
                i,
                problem.blocks,
                &work.offsets,
                |_| true,
                |j, g| {
                    let scale = self.unit[i] * self.unit[j];
                    let columns = problem.blocks[j].rows();
                    for (r, line) in g.iter().enumerate().take(block.rows()) {
                        let start = (at + r) * n + work.offsets[j];
                        for (a, x) in a[start..start + columns].iter_mut().zip(line) {
                            *a = scale * x;
                        }
                    }
                },
            );
            for r in 0..block.rows() {
                let line = &mut a[(at + r) * n..(at + r + 1) * n];
                for c in 0..block.rows() {
                    line[at + c] += self.curvature[i][r][c];
                }
                line[at + r] += PROXIMAL;
                if frozen(*block, r) {
                    line.fill(0.0);
                    line[at + r] = 1.0;
                }
            }
        }
        self.matrix.factor(0.0);
    }

    fn triple(&self, v: &[f64], at: usize) -> [f64; 3] {
        [v[at], v[at + 1], v[at + 2]]
    }

    /// c of every block for the products' target κ, less the correction.
    fn set_target(&mut self, problem: &Problem, work: &Work, kappa: f64) {
        for (i, block) in problem.blocks.iter().enumerate() {
            let at = work.offsets[i];
            let p = self.product(*block, i, at, 0.0);
            let e = self.correction[i];
            match *block {
                Block::Contact { mu } if mu > 0.0 => {
                    let (l, s) = (self.triple(&self.lambda, at), self.triple(&self.sigma, at));
                    // L(λ̃)⁻¹ (κe − λ̃ ∘ ỹ) = κ λ̃⁻¹ − ỹ, without the product's cancellation.
                    let by = divide(mu, l, [kappa - e[0], -e[1], -e[2]]);
                    let change = [by[0] - dual_head(mu, s), by[1] - s[0], by[2] - s[1]];
                    self.target[at..at + 3].copy_from_slice(&velocity_of(mu, s, change));
                }
                Block::Contact { .. } => {
                    self.target[at + 2] = (kappa - p[2] - e[2]) / self.lambda[at + 2];
                }
                Block::Unilateral => self.target[at] = (kappa - p[0] - e[0]) / self.lambda[at],
                Block::Box { bound } => {
                    let (bound, l) = (self.bound(bound, i), self.lambda[at]);
                    if bound > 0.0 {
                        let [lower, upper] = self.slack[i];
                        self.target[at] = (kappa - p[0] - e[0]) / (l + bound)
                            - (kappa - p[1] - e[1]) / (bound - l)
                            - (self.sigma[at] - lower + upper);
                    }
                }
                Block::Bilateral => self.target[at] = -self.sigma[at],
            }
        }
    }

    /// The direction for the target that was set.
    fn solve(&mut self, problem: &Problem, work: &Work, kappa: f64) {
        let n = problem.rows();
        for (i, block) in problem.blocks.iter().enumerate() {
            for (k, r) in (work.offsets[i]..work.offsets[i + 1]).enumerate() {
                self.x[r][0] = if frozen(*block, k) {
                    0.0
                } else {
                    self.target[r] - self.residual[r]
                };
            }
        }
        match problem.delassus {
            Delassus::Dense(_) => self.matrix.solve(&mut self.x[..n], &mut self.scratch),
            // A predictor, which has no κ of its own to aim at, only tells how far it could go.
            Delassus::Trees(rows) => self.solve_by_trees(problem, rows, kappa == 0.0),
        }
        for (i, block) in problem.blocks.iter().enumerate() {
            let at = work.offsets[i];
            for k in 0..block.rows() {
                self.dlambda[at + k] = self.x[at + k][0];
            }
            for k in 0..block.rows() {
                let d = &self.curvature[i][k];
                self.dsigma[at + k] = self.target[at + k]
                    - (0..block.rows())
                        .map(|j| d[j] * self.dlambda[at + j])
                        .sum::<f64>();
            }
            if let Block::Box { bound } = block {
                let (bound, l, d) = (self.bound(*bound, i), self.lambda[at], self.dlambda[at]);
                if bound > 0.0 {
                    let [lower, upper] = self.slack[i];
                    let e = self.correction[i];
                    self.dslack[i] = [
                        (kappa - e[0] - lower * (l + bound) - lower * d) / (l + bound),
                        (kappa - e[1] - upper * (bound - l) + upper * d) / (bound - l),
                    ];
                }
            }
        }
    }

    /// The largest step inside the cones, at most 2.
    fn reach(&self, problem: &Problem, work: &Work) -> f64 {
        let mut step: f64 = 2.0;
        let mut keep = |x: f64, d: f64| {
            if d < 0.0 {
                step = step.min(-x / d);
            }
        };
        let mut cone: f64 = f64::INFINITY;
        for (i, block) in problem.blocks.iter().enumerate() {
            let at = work.offsets[i];
            match *block {
                Block::Contact { mu } => {
                    keep(self.sigma[at + 2], self.dsigma[at + 2]);
                    keep(self.lambda[at + 2], self.dlambda[at + 2]);
                    if mu > 0.0 {
                        let (l, d) = (
                            self.triple(&self.lambda, at),
                            self.triple(&self.dlambda, at),
                        );
                        cone = cone.min(exit(mu, l, d));
                    }
                }
                Block::Unilateral => {
                    keep(self.sigma[at], self.dsigma[at]);
                    keep(self.lambda[at], self.dlambda[at]);
                }
                Block::Box { bound } => {
                    let (bound, l, d) = (self.bound(bound, i), self.lambda[at], self.dlambda[at]);
                    if bound > 0.0 {
                        keep(l + bound, d);
                        keep(bound - l, -d);
                        keep(self.slack[i][0], self.dslack[i][0]);
                        keep(self.slack[i][1], self.dslack[i][1]);
                    }
                }
                Block::Bilateral => {}
            }
        }
        step.min(cone)
    }
}

/// Rows whose impulse is zero by law: tangents without friction, dry friction without a bound.
fn frozen(block: Block, row: usize) -> bool {
    match block {
        Block::Contact { mu } => mu == 0.0 && row < 2,
        Block::Box { bound } => bound == 0.0,
        _ => false,
    }
}
