//! Newton's method with an exact line search, which lowers the cost from any start.

use super::body_sweep::{Local, relax};
use super::impulse::{answer, energy, impulse, is_line, moved};
use super::{ConvexOptions, ConvexSolver};
use crate::contact::certificate::Certificate;
use crate::contact::problem::Problem;
use crate::contact::whitened_jacobian::WhitenedJacobian;

/// How close to Newton's own a step must have been for others with its factorization.
const NEARLY: f64 = 0.1;

/// Steps shorter than this were held up by contacts that change their mode, and are followed by steps of single bodies.
const SHORT: f64 = 0.9;

/// After one shorter than this sliding contacts are expected to stop ([`Answer::cautious`](super::impulse::Answer)).
const CAUTIOUS: f64 = 0.6;

/// Newton steps without progress before the method gives up, and before it is content with the tolerance.
const PATIENCE: usize = 100;
const PATIENCE_BELOW: usize = 2;

/// Share of the slope along a step that its end may have left.
const EXACT: f64 = 0.05;

/// How far beyond Newton's step the line search looks.
const LONGEST: f64 = 1.5;

impl ConvexSolver {
    /// Newton steps from z, whose residual is given, to a residual that is returned.
    pub(super) fn descend(
        &mut self,
        problem: &Problem,
        rows: &WhitenedJacobian,
        mut residual: f64,
        options: &ConvexOptions,
        certificate: &mut Certificate,
    ) -> f64 {
        let enough = options.enough();
        let (mut best, mut stalled) = (f64::INFINITY, 0);
        let patience = |residual: f64| {
            if residual <= options.tolerance.max(enough) {
                PATIENCE_BELOW
            } else {
                PATIENCE
            }
        };
        while residual > enough
            && certificate.newton < options.max_iterations
            && stalled < patience(residual)
            && self.factor(problem, rows)
        {
            let step = self.newton_step(problem, rows);
            certificate.newton += 1;
            self.cautious = step < CAUTIOUS;
            if step < SHORT {
                for (sigma, d) in self.sigma.iter_mut().zip(&self.d_sigma) {
                    *sigma += step * d;
                }
                self.find_disturbed(rows);
                self.relax(problem, rows);
            }
            residual = self.residual(problem, rows);
            if (1.0 - step).abs() < NEARLY {
                residual = self.chords(problem, rows, residual, enough, usize::MAX);
            }
            stalled = if residual < 0.5 * best {
                0
            } else {
                stalled + 1
            };
            best = best.min(residual);
        }
        residual
    }

    /// z ← the better of z and another one.
    pub(super) fn keep_better(
        &mut self,
        problem: &Problem,
        rows: &WhitenedJacobian,
        other: &[[f64; 1]],
    ) {
        let cost = self.cost(problem, rows);
        self.dz.copy_from_slice(&self.z);
        self.z.copy_from_slice(other);
        if self.cost(problem, rows) >= cost {
            std::mem::swap(&mut self.z, &mut self.dz);
        }
    }

    /// ½‖z‖² + ½‖γ‖²_R.
    fn cost(&mut self, problem: &Problem, rows: &WhitenedJacobian) -> f64 {
        self.sigma.copy_from_slice(problem.g);
        rows.add_times(&self.z, &mut self.sigma);
        let mut sum: f64 = self.z.iter().map(|[z]| z * z).sum();
        for (i, (block, r)) in problem.blocks.iter().zip(&self.regularization).enumerate() {
            sum += energy(*block, *r, &self.sigma[rows.range(i)]);
        }
        0.5 * sum
    }

    /// Returns the step's length.
    fn newton_step(&mut self, problem: &Problem, rows: &WhitenedJacobian) -> f64 {
        self.direction();
        self.d_sigma.fill(0.0);
        rows.add_times(&self.dz, &mut self.d_sigma);
        let step = self.line_search(problem, rows);
        self.advance(step);
        step
    }

    /// The trees on which the blocks act that have bent the last step.
    fn find_disturbed(&mut self, rows: &WhitenedJacobian) {
        self.disturbed.clear();
        self.disturbed.resize(rows.trees(), false);
        for &b in &self.bent {
            for tree in rows.trees_of(b).into_iter().flatten() {
                self.disturbed[tree] = true;
            }
        }
    }

    /// Lowers the cost body by body, on all trees: most of what changes from step to step is a matter of single ones. Returns
    /// the residual.
    pub(super) fn relax_all(&mut self, problem: &Problem, rows: &WhitenedJacobian) -> f64 {
        self.disturbed.clear();
        self.disturbed.resize(rows.trees(), true);
        self.relax(problem, rows);
        self.residual(problem, rows)
    }

    /// The same on the disturbed trees.
    fn relax(&mut self, problem: &Problem, rows: &WhitenedJacobian) {
        let mut local = Local {
            problem,
            rows,
            regularization: &self.regularization,
            z: &mut self.z,
            sigma: &mut self.sigma,
            d_sigma: &mut self.d_sigma,
        };
        relax(&mut local, &self.disturbed);
    }

    /// The minimum along dz, by Newton's method within a bracket that bisection closes.
    fn line_search(&mut self, problem: &Problem, rows: &WhitenedJacobian) -> f64 {
        let [mut along, mut square] = [0.0; 2];
        for ([z], [d]) in self.z.iter().zip(&self.dz) {
            along += z * d;
            square += d * d;
        }
        // Modes are left along a line once at most where what is open or sticks is convex: what does so at both ends
        // adds a line to the slope, of which that at the beginning and at the end is all there is to know.
        self.bent.clear();
        for (i, (block, r)) in problem.blocks.iter().zip(&self.regularization).enumerate() {
            let range = rows.range(i);
            let (d, sigma) = (&self.d_sigma[range.clone()], &self.sigma[range.clone()]);
            let end = moved(sigma, d, LONGEST);
            if !is_line(*block, *r, sigma, &end[..d.len()]) {
                self.bent.push(i);
                continue;
            }
            let gamma = impulse(*block, *r, sigma);
            let change = impulse(*block, *r, &end[..d.len()]);
            for ((d, from), to) in d.iter().zip(gamma).zip(change) {
                along -= d * from;
                square -= d * (to - from) / LONGEST;
            }
        }
        // The slope, and its own.
        let slope = |step: f64, curvature: bool| {
            let (mut first, mut second) = (along + step * square, square);
            for &i in &self.bent {
                let (block, r, range) = (problem.blocks[i], self.regularization[i], rows.range(i));
                let d = &self.d_sigma[range.clone()];
                let sigma = moved(&self.sigma[range], d, step);
                let sigma = &sigma[..d.len()];
                let gamma = impulse(block, r, sigma);
                first -= d.iter().zip(gamma).map(|(d, g)| d * g).sum::<f64>();
                if curvature && gamma != [0.0; 3] {
                    let a = answer(block, r, sigma);
                    for (row, x) in a.slope.iter().zip(d) {
                        second += x * row.iter().zip(d).map(|(s, d)| s * d).sum::<f64>();
                    }
                }
            }
            [first, second]
        };
        let [start, _] = slope(0.0, false);
        let enough = EXACT * start.abs();
        let [end, _] = slope(1.0, false);
        if end.abs() <= enough {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        if end < 0.0 {
            let [end, _] = slope(LONGEST, false);
            if end <= enough {
                return LONGEST;
            }
            (low, high) = (1.0, LONGEST);
        }
        let mut step = 0.5 * (low + high);
        for _ in 0..60 {
            let [first, second] = slope(step, true);
            if first.abs() <= enough {
                break;
            }
            if first < 0.0 {
                low = step;
            } else {
                high = step;
            }
            step -= first / second;
            if !(step > low && step < high) {
                step = 0.5 * (low + high);
            }
        }
        step
    }
}
