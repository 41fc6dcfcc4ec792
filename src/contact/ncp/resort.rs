//! The result for a problem that no method solved: impulses in the cones that do not increase the kinetic
//! energy.
//!
//! Without the De Saxcé shift the laws are those of a convex problem, min ½ λᵀGλ + gᵀλ with λ in the cones
//! (Anitescu 2006). It always has a solution; its sliding contacts also open. Without stabilization the
//! objective is the change of the kinetic energy by the impulses. Velocities therefore stay bounded for
//! every λ in the cones with a nonpositive objective.

use super::NcpSolver;
use super::block_law;
use crate::contact::problem::{Block, Delassus, Problem, Small};
use crate::contact::tuning::{USELESS, USELESS_SWEEPS};

impl NcpSolver {
    /// Moves the present iterate, which has this residual, into the cones and to a nonpositive
    /// objective. If the residual is large, it lowers the objective further. If a number is not finite,
    /// the iterate stays.
    pub(super) fn settle_for(&mut self, problem: &Problem, residual: f64) {
        let work = &mut self.work;
        work.keep();
        for (i, block) in problem.blocks.iter().enumerate() {
            let part = work.part(i);
            block_law::project(*block, &mut work.lambda[part]);
        }
        work.update_sigma(problem);
        // For s λ the objective is s gᵀλ + s²/2 λᵀGλ.
        let (mut given, mut taken) = (0.0, 0.0);
        for ((l, s), g) in work.lambda.iter().zip(&work.sigma).zip(problem.g) {
            given += l * g;
            taken += l * (s - g);
        }
        if given + 0.5 * taken > 0.0 {
            let part = if taken > 0.0 { -given / taken } else { 0.0 };
            let part = part.clamp(0.0, 1.0);
            work.lambda.iter_mut().for_each(|l| *l *= part);
            work.update_sigma(problem);
        }
        if residual > USELESS {
            for _ in 0..USELESS_SWEEPS {
                self.descend(problem);
            }
            self.work.update_sigma(problem);
        }
        let work = &mut self.work;
        if !work.lambda.iter().chain(&work.sigma).all(|x| x.is_finite()) {
            work.restore();
        }
    }

    /// One sweep of projected descent, block by block. No block raises the objective. Contacts with torsional
    /// or rolling friction keep their impulses.
    fn descend(&mut self, problem: &Problem) {
        let work = &mut self.work;
        if let Delassus::Trees(rows) = problem.delassus {
            rows.velocities(&work.lambda, &mut work.z);
        }
        for (i, block) in problem.blocks.iter().enumerate() {
            if work.is_wide(i) || matches!(block, Block::Torsion { .. }) {
                continue;
            }
            let part = work.offsets[i]..work.offsets[i + 1];
            let rows = part.len();
            let step = bound(&work.diagonal[i], rows).recip();
            if !step.is_finite() {
                continue;
            }
            let mut sigma = [0.0; 3];
            match problem.delassus {
                Delassus::Dense(_) => sigma[..rows].copy_from_slice(&work.sigma[part.clone()]),
                Delassus::Trees(trees) => {
                    let own = trees.velocity(i, &work.z, &work.lambda[part.clone()]);
                    let own = problem.g[part.clone()].iter().zip(own);
                    for (sigma, (g, [x])) in sigma.iter_mut().zip(own) {
                        *sigma = g + x;
                    }
                }
            }
            let lambda = &mut work.lambda[part.clone()];
            let mut delta = [0.0; 3];
            for ((d, l), s) in delta.iter_mut().zip(&mut *lambda).zip(sigma) {
                *d = -*l;
                *l -= step * s;
            }
            block_law::project(*block, lambda);
            for (d, l) in delta.iter_mut().zip(&*lambda) {
                *d += l;
            }
            let delta = &delta[..rows];
            match problem.delassus {
                Delassus::Dense(_) => {
                    problem
                        .delassus
                        .add_columns(i, part.start, delta, &mut work.sigma);
                }
                Delassus::Trees(trees) => {
                    let delta: [[f64; 1]; 3] =
                        std::array::from_fn(|k| [delta.get(k).copied().unwrap_or(0.0)]);
                    trees.add_transposed(i, &delta[..rows], &mut work.z);
                }
            }
        }
    }
}

/// An upper bound of the largest eigenvalue of a symmetric block: the largest sum of magnitudes in a
/// row.
fn bound(w: &Small, rows: usize) -> f64 {
    let sums = w[..rows]
        .iter()
        .map(|row| row[..rows].iter().map(|x| x.abs()).sum::<f64>());
    sums.fold(0.0, f64::max)
}
