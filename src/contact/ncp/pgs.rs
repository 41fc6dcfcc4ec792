//! Projected Gauss–Seidel, block by block, each block solved exactly for its own law (the nonsmooth contact dynamics
//! method of Jean and Moreau, with the three-row problem solved in closed form up to one angle).

use super::local;
use crate::contact::problem::{Block, Delassus, Small};

/// One sweep over all blocks, in order; σ = G λ + g is kept up to date.
///
/// `diagonal` holds the diagonal blocks of G. Returns the largest change of a row's own velocity, in σ's units.
pub(super) fn sweep(
    blocks: &[Block],
    delassus: &Delassus,
    diagonal: &[Small],
    lambda: &mut [f64],
    sigma: &mut [f64],
) -> f64 {
    let mut change: f64 = 0.0;
    let mut at = 0;
    for (i, block) in blocks.iter().enumerate() {
        let rows = block.rows();
        let w = &diagonal[i];
        let mut old = [0.0; 3];
        old[..rows].copy_from_slice(&lambda[at..at + rows]);
        let mut free = [0.0; 3];
        for r in 0..rows {
            free[r] = sigma[at + r] - (w[r][0] * old[0] + w[r][1] * old[1] + w[r][2] * old[2]);
        }
        let new = local::solve(*block, w, free, old);
        let delta = [new[0] - old[0], new[1] - old[1], new[2] - old[2]];
        if delta != [0.0; 3] {
            lambda[at..at + rows].copy_from_slice(&new[..rows]);
            delassus.add_columns(i, at, &delta[..rows], sigma);
            for row in w.iter().take(rows) {
                change =
                    change.max((row[0] * delta[0] + row[1] * delta[1] + row[2] * delta[2]).abs());
            }
        }
        at += rows;
    }
    change
}
