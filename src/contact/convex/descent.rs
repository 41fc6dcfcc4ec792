//! Newton's method with an exact line search. It lowers the cost from any start.

use super::body_sweep::{Local, relax};
use super::impulse::{answer, energy, impulse, is_line, moved};
use super::{ConvexOptions, ConvexSolver};
use crate::contact::certificate::Certificate;
use crate::contact::problem::Problem;
use crate::contact::tuning::{CONVEX_CAUTIOUS, CONVEX_EXACT, CONVEX_PATIENCE};
use crate::contact::whitened_jacobian::WhitenedJacobian;

impl ConvexSolver {
    /// Newton steps from z with the given residual. Returns the new residual.
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
        let patience = |residual: f64| match residual <= options.tolerance.max(enough) {
            true => 1,
            false => CONVEX_PATIENCE,
        };
        while residual > enough && certificate.newton < options.max_iterations {
            // While the residual still falls, it is not at round-off and needs no check.
            if stalled > 0 {
                let certified = self.certified(problem, rows, residual);
                if certified <= enough || stalled >= patience(certified) {
                    break;
                }
            }
            if !self.factor(problem, rows) {
                break;
            }
            let step = self.newton_step(problem, rows);
            certificate.newton += 1;
            self.cautious = step < CONVEX_CAUTIOUS;
            for (sigma, d) in self.sigma.iter_mut().zip(&self.d_sigma) {
                *sigma += step * d;
            }
            self.find_disturbed(rows);
            self.relax(problem, rows);
            residual = self.residual(problem, rows);
            if step == 1.0 {
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

    /// z ← the z with the lower cost: the present one or `other`.
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

    /// The cost ½‖z‖² + ½‖γ‖²_R.
    fn cost(&mut self, problem: &Problem, rows: &WhitenedJacobian) -> f64 {
        self.sigma.copy_from_slice(problem.g);
        rows.add_times(&self.z, &mut self.sigma);
        let mut sum: f64 = self.z.iter().map(|[z]| z * z).sum();
        for (i, (block, r)) in problem.blocks.iter().zip(&self.regularization).enumerate() {
            sum += energy(*block, *r, &self.sigma[rows.range(i)]);
        }
        0.5 * sum
    }

    /// One Newton step. Returns its length.
    fn newton_step(&mut self, problem: &Problem, rows: &WhitenedJacobian) -> f64 {
        self.direction();
        self.d_sigma.fill(0.0);
        rows.add_times(&self.dz, &mut self.d_sigma);
        let step = self.line_search(problem, rows);
        self.advance(step);
        step
    }

    /// Marks the trees of the blocks whose impulse was not linear along the last step.
    fn find_disturbed(&mut self, rows: &WhitenedJacobian) {
        self.disturbed.clear();
        self.disturbed.resize(rows.trees(), false);
        for &b in &self.bent {
            for tree in rows.trees_of(b).into_iter().flatten() {
                self.disturbed[tree] = true;
            }
        }
    }

    /// Lowers the cost body by body, on all trees: most changes from step to step concern single bodies.
    /// Returns the residual.
    pub(super) fn relax_all(&mut self, problem: &Problem, rows: &WhitenedJacobian) -> f64 {
        self.disturbed.clear();
        self.disturbed.resize(rows.trees(), true);
        self.relax(problem, rows);
        self.residual(problem, rows)
    }

    /// Lowers the cost body by body on the disturbed trees.
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

    /// The minimum along dz, by Newton's method within a bracket that bisection narrows.
    fn line_search(&mut self, problem: &Problem, rows: &WhitenedJacobian) -> f64 {
        let [mut along, mut square] = [0.0; 2];
        for ([z], [d]) in self.z.iter().zip(&self.dz) {
            along += z * d;
            square += d * d;
        }
        // The sets of open and of sticking velocities are convex, so a block that is open (or sticks) at
        // both ends of the line is so all along it. Its slope is then linear in the step, and the values
        // at both ends determine it.
        self.bent.clear();
        for (i, (block, r)) in problem.blocks.iter().zip(&self.regularization).enumerate() {
            let range = rows.range(i);
            let (d, sigma) = (&self.d_sigma[range.clone()], &self.sigma[range.clone()]);
            let end = moved(sigma, d, 1.0);
            if !is_line(*block, *r, sigma, &end[..d.len()]) {
                self.bent.push(i);
                continue;
            }
            let gamma = impulse(*block, *r, sigma);
            let change = impulse(*block, *r, &end[..d.len()]);
            for ((d, from), to) in d.iter().zip(gamma).zip(change) {
                along -= d * from;
                square -= d * (to - from);
            }
        }
        // The slope of the cost along the step, and the derivative of this slope.
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
        let enough = CONVEX_EXACT * start.abs();
        let [end, _] = slope(1.0, false);
        // A step longer than Newton's own gains nothing.
        if end <= enough {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
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
