//! Newton's system of an island in the coordinates of its trees, for islands with many more rows than
//! coordinates.
//!
//! With G = H Hᵀ, (1 + 𝒢 G) d = r is
//!
//!   (1 + Hᵀ𝒢 H) z = Hᵀ r,   d = r − 𝒢 H z.

use super::unit::{Slope, Unit, WIDEST};
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::contact::work_budget::{dense_cost, weight};
use crate::linalg::{Lu, add_scaled, dispatch, dot};

/// The rows of H in the order of the system's rows. Empty if the matrix of the rows is cheaper.
#[derive(Debug, Default)]
pub(super) struct Coordinates {
    /// Number of coordinates of all trees of the island.
    count: usize,
    /// H, rows × coordinates.
    rows: Vec<f64>,
    /// Trees of the problem, each with the index of its first coordinate here.
    trees: Vec<(usize, usize)>,
}

/// Multiplications of a factorization by coordinates.
fn cost([rows, coordinates]: [usize; 2]) -> f64 {
    let [n, c] = [rows, coordinates].map(|x| x as f64);
    n * c * c + dense_cost(coordinates)
}

impl Coordinates {
    pub fn with_capacity(rows: usize, blocks: usize) -> Coordinates {
        Coordinates {
            count: 0,
            // At most 0.54 coordinates for each row: see `cost`.
            rows: Vec::with_capacity(3 * rows * rows / 5),
            trees: Vec::with_capacity(2 * blocks),
        }
    }

    /// Solves with the matrix of the rows from now on.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Takes the rows of the blocks `members` if this makes the system cheaper. Block k starts at row
    /// `offsets[k]` of the problem. Row r of the problem is row `place[r]` here.
    pub fn take(
        &mut self,
        trees: &WhitenedJacobian,
        members: &[usize],
        offsets: &[usize],
        place: &[usize],
    ) {
        self.clear();
        self.trees.clear();
        let (mut count, mut n) = (0, 0);
        for &i in members {
            let range = offsets[i]..offsets[i + 1];
            n += range.len();
            for tree in trees.trees_of(i).into_iter().flatten() {
                if self.trees.iter().all(|(t, _)| *t != tree) {
                    self.trees.push((tree, count));
                    count += trees.size(tree);
                }
            }
        }
        if count == 0 || cost([n, count]) >= dense_cost(n) {
            return;
        }
        self.count = count;
        self.rows.clear();
        self.rows.resize(n * count, 0.0);
        for &i in members {
            let sides = trees.trees_of(i).into_iter().flatten().enumerate();
            for (side, tree) in sides {
                let start = self.trees.iter().find(|(t, _)| *t == tree);
                let start = start.map_or(0, |(_, start)| *start);
                let size = trees.size(tree);
                let panel = trees.panel(i, side).chunks_exact(size.max(1));
                for (row, line) in (offsets[i]..offsets[i + 1]).zip(panel) {
                    let to = &mut self.rows[place[row] * count + start..][..size];
                    to.copy_from_slice(line);
                }
            }
        }
    }

    /// Writes G of all rows into `matrix`.
    pub fn write_matrix(&self, matrix: &mut [f64]) {
        products(&self.rows, self.count, matrix);
    }

    pub fn are_used(&self) -> bool {
        self.count > 0
    }

    /// Weight of a factorization in the work budget.
    pub fn weight(&self, rows: usize) -> f64 {
        match self.are_used() {
            true => weight(cost([rows, self.count]), rows, self.count),
            false => 1.0,
        }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    fn of(&self, unit: &Unit) -> &[f64] {
        &self.rows[unit.at * self.count..][..unit.rows * self.count]
    }

    /// Writes 1 + Hᵀ𝒢 H into `a`. `lines` is scratch.
    pub fn assemble<'a>(
        &self,
        units: &[Unit],
        slopes: impl Iterator<Item = &'a Slope>,
        lines: &mut Vec<f64>,
        a: &mut [f64],
    ) {
        let c = self.count;
        a.fill(0.0);
        (0..c).for_each(|k| a[k * c + k] = 1.0);
        for (unit, slope) in units.iter().zip(slopes) {
            let slopes = &slope[..unit.rows];
            if slopes.iter().flatten().all(|s| *s == 0.0) {
                continue;
            }
            let h = self.of(unit);
            lines.clear();
            lines.resize(unit.rows * c, 0.0);
            for (slope, line) in slopes.iter().zip(lines.chunks_exact_mut(c)) {
                for (s, h) in slope.iter().zip(h.chunks_exact(c)) {
                    add_scaled(*s, h, line);
                }
            }
            add_products(h, lines, c, a);
        }
    }

    /// r ← d.
    pub fn solve<'a>(
        &self,
        units: &[Unit],
        slopes: impl Iterator<Item = &'a Slope>,
        lu: &Lu,
        r: &mut [[f64; 1]],
        [z, scratch]: [&mut [[f64; 1]]; 2],
    ) {
        let c = self.count;
        let (z, scratch) = (&mut z[..c], &mut scratch[..c]);
        z.fill([0.0]);
        for ([r], h) in r.iter().zip(self.rows.chunks_exact(c)) {
            add_scaled(*r, h, z.as_flattened_mut());
        }
        lu.solve(z, scratch);
        for (unit, slope) in units.iter().zip(slopes) {
            let mut moved = [0.0; WIDEST];
            for (moved, h) in moved.iter_mut().zip(self.of(unit).chunks_exact(c)) {
                *moved = h.iter().zip(z.as_flattened()).map(|(h, z)| h * z).sum();
            }
            for ([r], slope) in r[unit.range()].iter_mut().zip(slope) {
                *r -= slope.iter().zip(&moved).map(|(s, x)| s * x).sum::<f64>();
            }
        }
    }
}

/// out += Σₖ leftₖᵀ rightₖ over rows of c numbers.
#[inline(always)]
fn add_products_kernel(left: &[f64], right: &[f64], c: usize, out: &mut [f64]) {
    for (i, out) in out.chunks_exact_mut(c).enumerate() {
        for (left, right) in left.chunks_exact(c).zip(right.chunks_exact(c)) {
            for (out, x) in out.iter_mut().zip(right) {
                *out += left[i] * x;
            }
        }
    }
}

/// out ← A Aᵀ, where the rows of A have c numbers.
#[inline(always)]
fn products_kernel(a: &[f64], c: usize, out: &mut [f64]) {
    let n = a.len() / c.max(1);
    for (i, x) in a.chunks_exact(c).enumerate() {
        for (j, y) in a.chunks_exact(c).take(i + 1).enumerate() {
            let product = dot(x, y);
            out[i * n + j] = product;
            out[j * n + i] = product;
        }
    }
}

dispatch! {
    fn products = products_kernel(a: &[f64], c: usize, out: &mut [f64])
}

dispatch! {
    fn add_products = add_products_kernel(left: &[f64], right: &[f64], c: usize, out: &mut [f64])
}
