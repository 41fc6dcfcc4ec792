//! Newton's method on pairs of a velocity and an impulse.
//!
//! If contacts are nearly rigid, a small error of the velocity causes a large error of the impulse and
//! wrong modes. Newton's method by velocity alone then takes most of its steps to find the modes. Here
//! each block keeps a pair (σ, γ) on the graph of its law. A step linearizes all laws at their pairs and
//! solves the resulting linear problem. The solution moves the pairs off their graphs. The next pair is
//! the point of the graph with the same σ − ργ. Each graph has exactly one such point. With friction
//! regularized by R, it obeys the law with R + ρ in place of R,
//!
//!   γ ← P(−(R + ρ)⁻¹ x),   σ ← x + ργ,   x = σ − ργ.
//!
//! This is the primal–dual active set method (Hintermüller, Ito, Kunisch, The primal-dual active set
//! strategy as a semismooth Newton method, 2002). From the impulses of the last step it usually takes a
//! few steps. It need not converge; if it does not, [`super::descent`] continues.

use super::impulse::shifted;
use super::{ConvexOptions, ConvexSolver};
use crate::contact::certificate::Certificate;
use crate::contact::digits::READABLE;
use crate::contact::problem::Problem;
use crate::contact::tuning::CONVEX_SOFTER;
use crate::contact::whitened_jacobian::WhitenedJacobian;

impl ConvexSolver {
    /// Starts from the velocity `kept` and the impulses `lambda`. Returns whether it found the modes of
    /// the solution. If not, z becomes the better one of the last z and `kept`.
    pub(super) fn follow_pairs(
        &mut self,
        problem: &Problem,
        rows: &WhitenedJacobian,
        kept: &[f64],
        lambda: &[f64],
        options: &ConvexOptions,
        certificate: &mut Certificate,
    ) -> bool {
        let kept = kept.as_chunks::<1>().0;
        self.sigma.copy_from_slice(problem.g);
        rows.add_times(kept, &mut self.sigma);
        self.lambda.copy_from_slice(lambda);
        self.project(problem, rows);
        let mut before = f64::INFINITY;
        while certificate.newton < options.max_iterations && self.factor(problem, rows) {
            self.step_of_pairs(problem, rows);
            certificate.newton += 1;
            let off = self.project(problem, rows);
            if off < READABLE {
                return true;
            }
            // Stops if the pairs cycle, converge slowly, or are no longer finite.
            if off.is_nan() || off > 0.5 * before {
                break;
            }
            before = off;
        }
        self.keep_better(problem, rows, kept);
        false
    }

    /// Computes z of the laws linearized at the pairs, and the next pairs.
    fn step_of_pairs(&mut self, problem: &Problem, rows: &WhitenedJacobian) {
        // First at σ = g, then at the new σ.
        self.add_slopes(problem, rows, 1.0);
        rows.velocities(&self.lambda, &mut self.z);
        self.system.solve(&mut self.z);
        self.sigma.copy_from_slice(problem.g);
        rows.add_times(&self.z, &mut self.sigma);
        self.add_slopes(problem, rows, -1.0);
    }

    /// γ += ±𝒢(σ − g).
    fn add_slopes(&mut self, problem: &Problem, rows: &WhitenedJacobian, sign: f64) {
        for (i, a) in self.answers.iter().enumerate() {
            let range = rows.range(i);
            let (sigma, g) = (&self.sigma[range.clone()], &problem.g[range.clone()]);
            for (gamma, slope) in self.lambda[range].iter_mut().zip(&a.slope) {
                let there = sigma.iter().zip(g).zip(slope);
                *gamma += sign * there.map(|((x, g), s)| s * (x - g)).sum::<f64>();
            }
        }
    }

    /// Moves the pairs back onto their graphs. Returns their distance from the graphs, relative to the
    /// impulses.
    fn project(&mut self, problem: &Problem, rows: &WhitenedJacobian) -> f64 {
        let (mut off, mut all) = (0.0, 0.0);
        for (i, (block, r)) in problem.blocks.iter().zip(&self.regularization).enumerate() {
            let range = rows.range(i);
            let (sigma, lambda) = (&mut self.sigma[range.clone()], &mut self.lambda[range]);
            let rho = CONVEX_SOFTER * r.tangential;
            let mut x = [0.0; 3];
            for ((x, s), l) in x.iter_mut().zip(sigma.iter()).zip(lambda.iter()) {
                *x = s - rho * l;
            }
            let gamma = shifted(*block, *r, rho, &x[..sigma.len()]);
            for (((x, g), s), l) in x.iter().zip(gamma).zip(sigma).zip(lambda) {
                off += rho * (g - *l) * (g - *l);
                all += rho * g * g;
                *s = x + rho * g;
                *l = g;
            }
        }
        if off == 0.0 { 0.0 } else { (off / all).sqrt() }
    }
}
