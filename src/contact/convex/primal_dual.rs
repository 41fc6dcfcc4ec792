//! Newton's method on pairs of a velocity and an impulse.
//!
//! Where contacts are nearly rigid the impulse at a velocity that is a little off is far off, and so are the modes that it
//! tells: Newton's method by velocity alone takes most of its steps to find them. Here each block keeps a pair (σ, γ) on
//! the graph of its law, which is linearized there. A step solves the problem with the linearized laws and takes the pairs
//! beside their graphs; the next ones are those of the graphs with the same σ − ργ, of which each graph has one: they obey
//! the law with R + ρ in the place of R,
//!
//!   γ ← P(−(R + ρ)⁻¹ x),   σ ← x + ργ,   x = σ − ργ.
//!
//! This is the primal–dual active set method (Hintermüller, Ito, Kunisch, The primal-dual active set strategy as a
//! semismooth Newton method, 2002). Begun at the impulses of the step before it mostly takes a few steps, but nothing says
//! that it ends: where it does not, [`super::descent`] goes on.

use super::impulse::impulse;
use super::{ConvexOptions, ConvexSolver};
use crate::contact::certificate::Certificate;
use crate::contact::digits::TOLD;
use crate::contact::problem::{Problem, Regularization};
use crate::contact::whitened_jacobian::WhitenedJacobian;

/// ρ in units of R of friction: what an impulse changes of the velocity, of which R is a thousandth. In piles of 15 to 60 bodies
/// a tenth takes 25 % more factorizations, and ten times as much 17 %.
const SOFTER: f64 = 1000.0;

impl ConvexSolver {
    /// z from the velocity `kept` and the impulses `lambda`, and whether its modes have been found; if not, it is the better
    /// one of the last z and `kept`.
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
            if off < TOLD {
                return true;
            }
            // What goes round in a circle, creeps, or goes to numbers that are none.
            if off.is_nan() || off > 0.5 * before {
                break;
            }
            before = off;
        }
        self.keep_better(problem, rows, kept);
        false
    }

    /// z of the laws linearized at the pairs, and the pairs that they make of it.
    fn step_of_pairs(&mut self, problem: &Problem, rows: &WhitenedJacobian) {
        // At σ = g first, then at the new σ.
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

    /// The pairs ← those of the graphs. How far they were beside them, relative to the impulses.
    fn project(&mut self, problem: &Problem, rows: &WhitenedJacobian) -> f64 {
        let (mut off, mut all) = (0.0, 0.0);
        for (i, (block, r)) in problem.blocks.iter().zip(&self.regularization).enumerate() {
            let range = rows.range(i);
            let (sigma, lambda) = (&mut self.sigma[range.clone()], &mut self.lambda[range]);
            let rho = SOFTER * r.tangential;
            let softer = Regularization {
                tangential: r.tangential + rho,
                normal: r.normal + rho,
            };
            let mut x = [0.0; 3];
            for ((x, s), l) in x.iter_mut().zip(sigma.iter()).zip(lambda.iter()) {
                *x = s - rho * l;
            }
            let gamma = impulse(*block, softer, &x[..sigma.len()]);
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
