//! The residual of convex contact, and the part of it that is round-off.

use super::ConvexSolver;
use super::impulse::{answer, impulse, pressed};
use crate::contact::digits::{ROUND_OFF, ROUNDINGS};
use crate::contact::problem::Problem;
use crate::contact::whitened_jacobian::WhitenedJacobian;

impl ConvexSolver {
    /// Computes impulses and gradient at z. Returns the gradient's norm, relative to the larger of z and
    /// Hᵀγ.
    pub(super) fn residual(&mut self, problem: &Problem, rows: &WhitenedJacobian) -> f64 {
        self.sigma.copy_from_slice(problem.g);
        rows.add_times(&self.z, &mut self.sigma);
        for (i, (block, r)) in problem.blocks.iter().zip(&self.regularization).enumerate() {
            let range = rows.range(i);
            let gamma = impulse(*block, *r, &self.sigma[range.clone()]);
            let count = range.len();
            self.lambda[range].copy_from_slice(&gamma[..count]);
        }
        rows.velocities(&self.lambda, &mut self.gradient);
        let mut sums = [0.0; 3];
        for ([g], [z]) in self.gradient.iter_mut().zip(&self.z) {
            let by_impulses = *g;
            *g = z - by_impulses;
            for (sum, x) in sums.iter_mut().zip([*g, *z, by_impulses]) {
                *sum += x * x;
            }
        }
        let [gradient, z, impulses] = sums;
        if gradient == 0.0 {
            return 0.0;
        }
        (gradient / z.max(impulses)).sqrt()
    }

    /// The residual that [`ConvexSolver::residual`] has just found, corrected for cancellation. If
    /// impulses or velocities cancel each other, the gradient cannot be smaller than their round-off. A
    /// gradient of this size counts as [`ROUND_OFF`].
    pub(super) fn certified(
        &self,
        problem: &Problem,
        rows: &WhitenedJacobian,
        residual: f64,
    ) -> f64 {
        let square = |x: &[[f64; 1]]| x.iter().map(|[x]| x * x).sum::<f64>();
        let gradient = square(&self.gradient).sqrt();
        let counts = gradient / (self.round_off(problem, rows) / ROUND_OFF);
        // If a number is not finite, the residual stays as it is.
        match counts > 0.0 {
            true => residual.min(counts),
            false => residual,
        }
    }

    /// Norm of the round-off in the gradient, from the impulse of each row and the velocity that
    /// determines it.
    fn round_off(&self, problem: &Problem, rows: &WhitenedJacobian) -> f64 {
        let mut sum = 0.0;
        for (i, (block, r)) in problem.blocks.iter().zip(&self.regularization).enumerate() {
            let range = rows.range(i);
            let own = rows.block(i, i);
            let trees = rows.trees_of(i).into_iter().flatten();
            let z = trees.map(|t| rows.starts()[t]..rows.starts()[t + 1]);
            let z = z.flat_map(|k| &self.z[k]).map(|[z]| z * z).sum::<f64>();
            let mut unsure = [0.0; 3];
            for ((unsure, g), (k, line)) in
                (unsure.iter_mut().zip(&problem.g[range.clone()])).zip(own.iter().enumerate())
            {
                *unsure = ROUNDINGS * f64::EPSILON * (g.abs() + (line[k] * z).sqrt());
            }
            let at = pressed(*block, &self.sigma[range.clone()], &unsure);
            let slope = answer(*block, *r, &at[..range.len()]).slope;
            for (k, (gamma, line)) in self.lambda[range].iter().zip(&slope).enumerate() {
                let by_velocity = line.iter().zip(&unsure).map(|(s, u)| s.abs() * u);
                let all = ROUNDINGS * f64::EPSILON * gamma.abs() + by_velocity.sum::<f64>();
                sum += own[k][k] * all * all;
            }
        }
        sum.sqrt()
    }
}
