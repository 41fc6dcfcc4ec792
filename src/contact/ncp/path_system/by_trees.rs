//! The linear system G + D if G is stored by trees.

use super::{PathSystem, frozen};
use crate::contact::digits::DEPENDENT;
use crate::contact::ncp::wide::{self, WIDEST};
use crate::contact::problem::{Block, Problem, Small};
use crate::contact::tuning::{PATH_PROXIMAL, PATH_REPETITIONS};
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::linalg::invert;

impl PathSystem {
    /// Factors with W, the inverse of D + R in the problem's units.
    pub(super) fn factor_by_trees(&mut self, problem: &Problem, rows: &WhitenedJacobian) {
        self.trees.clear_weights(problem.blocks.len());
        self.sizes.clear();
        for (i, block) in problem.blocks.iter().enumerate() {
            let n = block.rows();
            let mut d = self.shift[i];
            let size = |m: f64, d: &f64| m.max(d.abs());
            self.sizes.push(d.as_flattened().iter().fold(1.0, size));
            let unit = self.unit[i] * self.unit[i];
            for ((r, line), row) in d.iter_mut().enumerate().take(n).zip(rows.range(i)) {
                line[r] += PATH_PROXIMAL + unit * rows.compliance(row);
            }
            let w = &mut self.trees.weights[i];
            match *block {
                Block::Contact { mu } | Block::Pyramid { mu } if mu > 0.0 => *w = inverse(&d),
                Block::Contact { .. } | Block::Pyramid { .. } => w[2][2] = d[2][2].recip(),
                _ if frozen(*block, 0) => {}
                _ => w[0][0] = d[0][0].recip(),
            }
            w.iter_mut().flatten().for_each(|w| *w *= unit);
        }
        for wide in &self.wides {
            let i = wide.block;
            let (torsion, unit) = (rows.range(i - 1).len(), self.unit[i] * self.unit[i]);
            let (mut d, count) = (wide.slope, torsion + 3);
            let size = d.as_flattened().iter().fold(1.0f64, |m, d| m.max(d.abs()));
            (self.sizes[i - 1], self.sizes[i]) = (size, size);
            let first = rows.range(i - 1).start;
            for (r, line) in d.iter_mut().enumerate() {
                line[r] += match r < count {
                    true => PATH_PROXIMAL + unit * rows.compliance(first + r),
                    false => 1.0,
                };
            }
            if invert(d.as_flattened_mut(), WIDEST, &mut [0; WIDEST]).is_none() {
                // A singular matrix leads to numbers that end the path.
                d.as_flattened_mut().fill(f64::NAN);
            }
            d.as_flattened_mut().iter_mut().for_each(|w| *w *= unit);
            self.trees.set_wide(i, torsion, &d);
        }
        self.trees.factor(rows);
    }

    /// det(G + D) = det W⁻¹ det(1 + HᵀWH).
    pub(super) fn is_negative_by_trees(&self, blocks: &[Block]) -> bool {
        let flips = |(block, w): &(&Block, &Small)| match **block {
            Block::Contact { mu } | Block::Pyramid { mu } if mu > 0.0 => determinant(w) < 0.0,
            Block::Contact { .. } | Block::Pyramid { .. } => w[2][2] < 0.0,
            _ => w[0][0] < 0.0,
        };
        let flipped = blocks.iter().zip(&self.trees.weights).filter(flips).count();
        (flipped % 2 == 1) ^ self.trees.is_negative()
    }

    /// x ← (G + D)⁻¹ x where x is `right` without frozen rows. A `rough` solution, which has about eight
    /// digits, is not corrected.
    pub(super) fn solve_by_trees(
        &mut self,
        problem: &Problem,
        rows: &WhitenedJacobian,
        right: &[f64],
        rough: bool,
    ) {
        // Unscale x = U y, with (G + W⁻¹) y = U⁻¹ x.
        let mut remainder = std::mem::take(&mut self.remainder);
        remainder.copy_from_slice(&self.x);
        self.x.fill([0.0]);
        // A smaller remainder does not matter: the next step corrects it.
        let enough = PATH_PROXIMAL * self.weighted(rows, &remainder);
        let repetitions = if rough { 0 } else { PATH_REPETITIONS };
        for repetition in 0..=repetitions {
            // y = W (b − H (1 + HᵀWH)⁻¹ HᵀW b)
            for (i, block) in problem.blocks.iter().enumerate() {
                let (part, w) = (rows.range(i), &self.trees.weights[i]);
                let b = &mut remainder[part.clone()];
                for x in b.iter_mut() {
                    x[0] /= self.unit[i];
                }
                for r in 0..block.rows() {
                    self.rows[part.start + r][0] =
                        b.iter().zip(&w[r]).map(|(b, w)| w * b[0]).sum::<f64>();
                }
            }
            self.trees
                .add_couplings(rows, |row| remainder[row][0], &mut self.rows, |_| 1.0);
            self.trees.respond(rows, &mut self.rows, false);
            for (i, block) in problem.blocks.iter().enumerate() {
                let (at, w) = (rows.range(i).start, &self.trees.weights[i]);
                for r in 0..block.rows() {
                    let y = (0..block.rows())
                        .map(|c| w[r][c] * (remainder[at + c][0] - self.rows[at + c][0]))
                        .sum::<f64>();
                    self.x[at + r][0] += y / self.unit[i];
                }
            }
            let left = |row: usize| remainder[row][0] - self.rows[row][0];
            self.trees
                .add_couplings(rows, left, &mut self.x, |i| self.unit[i].recip());
            if repetition == repetitions {
                break;
            }
            for i in 0..problem.blocks.len() {
                for r in rows.range(i) {
                    self.rows[r][0] = self.unit[i] * self.x[r][0];
                }
            }
            self.trees.multiply(rows, &mut self.rows);
            for (i, block) in problem.blocks.iter().enumerate() {
                let (at, d) = (rows.range(i).start, &self.shift[i]);
                for r in 0..block.rows() {
                    if frozen(*block, r) {
                        remainder[at + r][0] = 0.0;
                        continue;
                    }
                    let own: f64 = (0..block.rows()).map(|c| d[r][c] * self.x[at + c][0]).sum();
                    let x = self.x[at + r][0];
                    // The right-hand side minus the product with the matrix.
                    remainder[at + r][0] =
                        right[at + r] - (self.unit[i] * self.rows[at + r][0] + own + DEPENDENT * x);
                }
            }
            for wide in &self.wides {
                let part = rows.range(wide.block - 1).start..rows.range(wide.block).end;
                let x = self.x[part.clone()].as_flattened();
                for (r, line) in remainder[part].iter_mut().zip(&wide.slope) {
                    r[0] -= wide::dot(x, line);
                }
            }
            if self.weighted(rows, &remainder) <= enough {
                break;
            }
        }
        self.remainder = remainder;
    }

    /// The largest part of a right-hand side, relative to the size of its block of D.
    fn weighted(&self, rows: &WhitenedJacobian, right: &[[f64; 1]]) -> f64 {
        let sizes = self.sizes.iter().enumerate().map(|(i, own)| {
            let largest = right[rows.range(i)]
                .iter()
                .fold(0.0f64, |m, x| m.max(x[0].abs()));
            largest / own
        });
        sizes.fold(0.0, f64::max)
    }
}

fn determinant(a: &Small) -> f64 {
    let minor = |r: usize, s: usize| a[1][r] * a[2][s] - a[1][s] * a[2][r];
    a[0][0] * minor(1, 2) - a[0][1] * minor(0, 2) + a[0][2] * minor(0, 1)
}

/// The inverse by elimination with row exchanges.
fn inverse(a: &Small) -> Small {
    let mut work = [0, 1, 2].map(|r| {
        let mut line = [0.0; 6];
        line[..3].copy_from_slice(&a[r]);
        line[3 + r] = 1.0;
        line
    });
    for k in 0..3 {
        let size = |i: usize| work[i][k].abs();
        let best = (k..3).fold(k, |b, i| if size(i) > size(b) { i } else { b });
        work.swap(k, best);
        let pivot = work[k][k].recip();
        work[k] = work[k].map(|x| x * pivot);
        let row = work[k];
        for (_, line) in (work.iter_mut().enumerate()).filter(|(i, _)| *i != k) {
            let factor = line[k];
            for (x, r) in line.iter_mut().zip(row) {
                *x -= factor * r;
            }
        }
    }
    work.map(|line| [line[3], line[4], line[5]])
}
