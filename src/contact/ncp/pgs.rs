//! Projected Gauss–Seidel, block by block. Each block is solved exactly for its own law (the nonsmooth
//! contact dynamics method of Jean and Moreau, with the three-row problem solved in closed form up to
//! one angle).

use super::block_law;
use crate::contact::problem::{Delassus, Problem, Small};

/// One sweep over all blocks, in order. It updates σ = G λ + g. If G is stored by trees, it updates
/// their velocities z = Hᵀ λ instead, from which σ follows block by block.
///
/// `diagonal` holds the diagonal blocks of G. Returns the largest change of a row's own velocity, in
/// units of σ.
pub(super) fn sweep(
    problem: &Problem,
    diagonal: &[Small],
    lambda: &mut [f64],
    sigma: &mut [f64],
    z: &mut [[f64; 1]],
) -> f64 {
    let mut change: f64 = 0.0;
    let mut at = 0;
    for (i, block) in problem.blocks.iter().enumerate() {
        let rows = block.rows();
        let w = &diagonal[i];
        let mut old = [0.0; 3];
        old[..rows].copy_from_slice(&lambda[at..at + rows]);
        let mut free = [0.0; 3];
        match problem.delassus {
            Delassus::Dense(_) => free[..rows].copy_from_slice(&sigma[at..at + rows]),
            Delassus::Trees(trees) => {
                let own = trees.velocity(i, z, &old);
                let own = problem.g[at..at + rows].iter().zip(own);
                for (free, (g, [x])) in free.iter_mut().zip(own) {
                    *free = g + x;
                }
            }
        }
        for (free, w) in free.iter_mut().zip(w).take(rows) {
            *free -= w[0] * old[0] + w[1] * old[1] + w[2] * old[2];
        }
        let new = block_law::solve(*block, w, free, old);
        let delta = [new[0] - old[0], new[1] - old[1], new[2] - old[2]];
        if delta != [0.0; 3] {
            lambda[at..at + rows].copy_from_slice(&new[..rows]);
            match problem.delassus {
                Delassus::Dense(_) => problem.delassus.add_columns(i, at, &delta[..rows], sigma),
                Delassus::Trees(trees) => {
                    trees.add_transposed(i, &delta.map(|d| [d])[..rows], z);
                }
            }
            for row in w.iter().take(rows) {
                change =
                    change.max((row[0] * delta[0] + row[1] * delta[1] + row[2] * delta[2]).abs());
            }
        }
        at += rows;
    }
    change
}
