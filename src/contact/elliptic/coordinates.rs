//! Newton's system of an island in the coordinates of its trees, for islands with many more rows than
//! coordinates.
//!
//! With G = H Hᵀ, (1 + 𝒢 G) d = r is
//!
//!   (1 + Hᵀ𝒢 H) z = Hᵀ r,   d = r − 𝒢 H z.
//!
//! Compliant rows have G = H Hᵀ + R. Then 𝒢 and r are replaced by (1 + 𝒢 R)⁻¹𝒢 and (1 + 𝒢 R)⁻¹ r
//! ([`Eased`]), and the system has the same size.

use super::unit::{Slope, Unit, WIDEST, Wide};
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::contact::work_budget::{dense_cost, weight};
use crate::linalg::{Lu, add_scaled, dispatch, dot, invert};

/// The rows of H in the order of the system's rows. Empty if the matrix of the rows is cheaper.
#[derive(Debug, Default)]
pub(super) struct Coordinates {
    /// Number of coordinates of all trees of the island.
    count: usize,
    /// H, rows × coordinates.
    rows: Vec<f64>,
    /// R by rows; empty where it is zero.
    compliance: Vec<f64>,
    /// Trees of the problem, each with the index of its first coordinate here.
    trees: Vec<(usize, usize)>,
}

/// The slope of a unit in series with its compliance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eased {
    /// (1 + 𝒢 R)⁻¹𝒢.
    pub slope: Slope,
    /// (1 + 𝒢 R)⁻¹.
    pub share: Slope,
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
            compliance: Vec::with_capacity(rows),
            trees: Vec::with_capacity(2 * blocks),
        }
    }

    /// Solves with the matrix of the rows from now on.
    pub fn clear(&mut self) {
        self.count = 0;
        self.compliance.clear();
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
        let (mut count, mut n, mut yields) = (0, 0, false);
        for &i in members {
            let range = offsets[i]..offsets[i + 1];
            n += range.len();
            yields |= range.clone().any(|row| trees.compliance(row) != 0.0);
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
        if yields {
            self.compliance.resize(n, 0.0);
            for row in members.iter().flat_map(|i| offsets[*i]..offsets[i + 1]) {
                self.compliance[place[row]] = trees.compliance(row);
            }
        }
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
        self.weight_of(cost([rows, self.count]), rows)
    }

    /// Weight of a factorization of a matrix with `held` rows.
    pub fn weight_of_faces(&self, held: usize, rows: usize) -> f64 {
        self.weight_of(dense_cost(held), rows)
    }

    fn weight_of(&self, cost: f64, rows: usize) -> f64 {
        match self.are_used() {
            true => weight(cost, rows, self.count),
            false => 1.0,
        }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether any row is compliant. Such a system has no matrix of the rows.
    pub fn are_compliant(&self) -> bool {
        !self.compliance.is_empty()
    }

    /// R of a row.
    pub fn compliance(&self, row: usize) -> f64 {
        self.compliance.get(row).copied().unwrap_or(0.0)
    }

    fn of(&self, unit: &Unit) -> &[f64] {
        &self.rows[unit.at * self.count..][..unit.rows * self.count]
    }

    /// ‖H‖² of a row.
    pub fn square(&self, row: usize) -> f64 {
        let h = &self.rows[row * self.count..][..self.count];
        dot(h, h)
    }

    /// y ← (H Hᵀ + R) x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        multiply(&self.rows, self.count, &self.compliance, x, y);
    }

    /// z += s Hᵀ x of a unit.
    pub fn add_transposed(&self, unit: &Unit, s: f64, x: &[f64], z: &mut [[f64; 1]]) {
        for (x, h) in x.iter().zip(self.of(unit).chunks_exact(self.count)) {
            add_scaled(s * x, h, z.as_flattened_mut());
        }
    }

    /// H z of a unit.
    pub fn times(&self, unit: &Unit, z: &[[f64; 1]]) -> Wide {
        let mut out = [0.0; WIDEST];
        for (out, h) in out.iter_mut().zip(self.of(unit).chunks_exact(self.count)) {
            *out = dot(h, z.as_flattened());
        }
        out
    }

    /// The slope of a unit in series with its compliance; `None` if this is singular.
    pub fn ease(&self, unit: &Unit, slope: &Slope) -> Option<Eased> {
        let mut sum = [[0.0; WIDEST]; WIDEST];
        for (k, line) in sum.iter_mut().enumerate().take(unit.rows) {
            line[k] = 1.0;
            for (j, x) in line.iter_mut().enumerate().take(unit.rows) {
                *x += slope[k][j] * self.compliance(unit.at + j);
            }
        }
        let share = inverse(&sum, unit.rows)?;
        Some(Eased {
            slope: product(&share, slope),
            share,
        })
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

/// A B.
pub(super) fn product(a: &Slope, b: &Slope) -> Slope {
    let mut out = [[0.0; WIDEST]; WIDEST];
    for (out, a) in out.iter_mut().zip(a) {
        for (a, b) in a.iter().zip(b) {
            for (out, b) in out.iter_mut().zip(b) {
                *out += a * b;
            }
        }
    }
    out
}

/// The inverse of the leading n × n part; `None` if it is singular.
pub(super) fn inverse(a: &Slope, n: usize) -> Option<Slope> {
    let (mut packed, mut exchanges) = ([0.0; WIDEST * WIDEST], [0; WIDEST]);
    let packed = &mut packed[..n * n];
    for (line, a) in packed.chunks_exact_mut(n).zip(a) {
        line.copy_from_slice(&a[..n]);
    }
    invert(packed, n, &mut exchanges[..n])?;
    let mut out = [[0.0; WIDEST]; WIDEST];
    for (out, line) in out.iter_mut().zip(packed.chunks_exact(n)) {
        out[..n].copy_from_slice(line);
    }
    Some(out)
}

/// Coordinates that a product takes at a time.
const CHUNK: usize = 32;

/// y ← (H Hᵀ + R) x, where the rows of H have c numbers.
#[inline(always)]
fn multiply_kernel(h: &[f64], c: usize, compliance: &[f64], x: &[f64], y: &mut [f64]) {
    y.fill(0.0);
    for ((y, x), r) in y.iter_mut().zip(x).zip(compliance) {
        *y = r * x;
    }
    for at in (0..c).step_by(CHUNK) {
        let width = CHUNK.min(c - at);
        let mut z = [0.0; CHUNK];
        let z = &mut z[..width];
        for (x, h) in x.iter().zip(h.chunks_exact(c)) {
            for (z, h) in z.iter_mut().zip(&h[at..at + width]) {
                *z += x * h;
            }
        }
        for (y, h) in y.iter_mut().zip(h.chunks_exact(c)) {
            *y += dot(z, &h[at..at + width]);
        }
    }
}

dispatch! {
    fn multiply = multiply_kernel(h: &[f64], c: usize, compliance: &[f64], x: &[f64], y: &mut [f64])
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
