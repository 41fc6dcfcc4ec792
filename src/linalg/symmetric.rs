//! LDLᵀ of a symmetric positive semi-definite matrix, with its rank and its pseudo-inverse.

use super::kernel::{
    UnitLower, add_combination, axpy, dot, factor_definite, solve_definite, store_columns,
};
use super::{LANES, dispatch, grow};

/// P A Pᵀ = L D Lᵀ with L unit lower trapezoidal (n × r), r the numerical rank.
///
/// If r < n, solves apply A⁺ = Pᵀ L (LᵀL)⁻¹ D⁻¹ (LᵀL)⁻¹ Lᵀ P: the least-norm least-squares solution. Pivoting
/// keeps L well conditioned, so forming LᵀL does not square the condition of A, which D carries. If the
/// dependent rows of A are zero, so are those of L, and A⁺ is the inverse of the rest.
#[derive(Clone, Debug)]
pub struct Symmetric {
    capacity: usize,
    n: usize,
    rank: usize,
    a: Vec<f64>,
    d: Vec<f64>,
    diagonal: Vec<f64>,
    scaled: Vec<f64>,
    permutation: Vec<usize>,
    /// True if the rows of L beyond its first r are zero.
    square: bool,
    gram: Vec<f64>,
}

impl Symmetric {
    pub fn new(capacity: usize) -> Symmetric {
        Symmetric {
            capacity,
            n: 0,
            rank: 0,
            a: Vec::with_capacity(capacity * capacity),
            d: vec![0.0; capacity],
            diagonal: vec![0.0; capacity],
            scaled: vec![0.0; capacity],
            permutation: vec![0; capacity],
            square: true,
            gram: Vec::with_capacity(capacity * capacity),
        }
    }

    /// The n × n matrix, row-major, to fill before [`Symmetric::factor`]; only the lower triangle is read. n
    /// is limited to the capacity.
    pub fn matrix(&mut self, n: usize) -> &mut [f64] {
        self.n = n.min(self.capacity);
        grow(&mut self.a, self.n * self.n);
        &mut self.a[..self.n * self.n]
    }

    /// Order of the matrix.
    pub fn order(&self) -> usize {
        self.n
    }

    /// Numerical rank found by the last factorization.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Factors in place. A row counts as dependent if its remaining diagonal is at most `tolerance` times the
    /// original one.
    pub fn factor(&mut self, tolerance: f64) {
        factor(self, tolerance);
    }

    #[inline(always)]
    fn factor_kernel(&mut self, tolerance: f64) {
        let n = self.n;
        // Slices of one length: an index is checked once for all of them.
        let (a, permutation) = (&mut self.a[..n * n], &mut self.permutation[..n]);
        let (remaining, diagonal) = (&mut self.d[..n], &mut self.diagonal[..n]);
        let scaled = &mut self.scaled[..n];
        for i in 0..n {
            let own = a[i * n + i];
            (remaining[i], diagonal[i], permutation[i]) = (own, own, i);
        }
        self.rank = n;
        for k in 0..n {
            let (mut best, mut size) = (n, 0.0);
            for i in k..n {
                if remaining[i] > size && remaining[i] > tolerance * diagonal[i] {
                    (best, size) = (i, remaining[i]);
                }
            }
            if best == n {
                self.rank = k;
                break;
            }
            // Keeping the pivot in place saves an exchange; a pivot within a factor of ten of the best keeps
            // L well bounded.
            if best != k && !(remaining[k] > 0.1 * size && remaining[k] > tolerance * diagonal[k]) {
                swap_symmetric(a, n, k, best);
                remaining.swap(k, best);
                diagonal.swap(k, best);
                permutation.swap(k, best);
            }
            let (head, tail) = a.split_at_mut((k + 1) * n);
            let (done, rest) = remaining.split_at_mut(k + 1);
            let row = &head[k * n..k * n + k];
            let scaled = &mut scaled[..k];
            for ((s, l), d) in scaled.iter_mut().zip(row).zip(&*done) {
                *s = l * d;
            }
            let inverse = 1.0 / done[k];
            for (line, d) in tail.chunks_exact_mut(n).zip(rest) {
                let u = line[k] - dot(&line[..k], scaled);
                line[k] = u * inverse;
                *d -= u * line[k];
            }
        }
        let r = self.rank;
        let mut beyond = a[r * n..].chunks_exact(n.max(1));
        self.square = beyond.all(|line| line[..r].iter().all(|l| *l == 0.0));
        if !self.square {
            self.form_gram();
        }
    }

    #[inline(always)]
    fn form_gram(&mut self) {
        let (n, r) = (self.n, self.rank);
        self.gram.clear();
        self.gram.resize(r * r, 0.0);
        let gram = &mut self.gram[..];
        for i in 0..n {
            // Row i of L: i entries, then the unit one.
            let width = i.min(r);
            let line = &self.a[i * n..i * n + width];
            for (p, x) in line.iter().enumerate() {
                for (g, y) in gram[p * r..=p * r + p].iter_mut().zip(line) {
                    *g += x * y;
                }
            }
            if i < r {
                for (g, y) in gram[i * r..i * r + i].iter_mut().zip(line) {
                    *g += y;
                }
                gram[i * r + i] += 1.0;
            }
        }
        factor_definite(gram, r, r, &mut self.scaled);
    }

    /// x ← A⁻¹ x, or A⁺ x if the rank is not full. `scratch` has n entries.
    pub fn solve<const W: usize>(&self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        let (n, r) = (self.n, self.rank);
        let (x, y) = (&mut x[..n], &mut scratch[..n]);
        for (y, p) in y.iter_mut().zip(&self.permutation) {
            *y = x[*p];
        }
        let lower = UnitLower {
            values: &self.a,
            stride: n,
            n: r,
        };
        if self.square {
            lower.solve(y);
            self.divide(y);
            lower.solve_transpose(y);
            y[r..].fill([0.0; W]);
        } else {
            self.reduce(y);
            solve_definite(&self.gram, r, r, y);
            self.divide(y);
            solve_definite(&self.gram, r, r, y);
            for i in (0..n).rev() {
                let (head, tail) = y.split_at_mut(i);
                if i >= r {
                    tail[0] = [0.0; W];
                }
                add_combination(&self.a[i * n..i * n + i.min(r)], head, &mut tail[0]);
            }
        }
        for (y, p) in y.iter().zip(&self.permutation) {
            x[*p] = *y;
        }
    }

    /// The consistent part of A x = b in r equations: F x = t with F = Lᵀ P (full row rank). `x` holds b on
    /// entry, and t in its first r entries on return.
    pub fn range_target(&self, x: &mut [[f64; 1]], scratch: &mut [[f64; 1]]) {
        let (n, r) = (self.n, self.rank);
        for (y, p) in scratch[..n].iter_mut().zip(&self.permutation) {
            *y = x[*p];
        }
        let y = &mut scratch[..n];
        if self.square {
            UnitLower {
                values: &self.a,
                stride: n,
                n: r,
            }
            .solve(y);
        } else {
            self.reduce(y);
            solve_definite(&self.gram, r, r, y);
        }
        self.divide(y);
        x[..r].copy_from_slice(&y[..r]);
    }

    /// Row i of Fᵀ (one for each unknown): the coefficients of unknown `permutation()[i]` in the r equations,
    /// without its unit entry in equation i if i < r.
    pub fn range_row(&self, i: usize) -> &[f64] {
        &self.a[i * self.n..i * self.n + i.min(self.rank)]
    }

    /// H (r × n) with HᵀH = A⁻¹ (or A⁺): column i is written at `out[i·stride..]`. `scratch` has n entries.
    pub fn half_inverse(&self, out: &mut [f64], stride: usize, scratch: &mut [[f64; LANES]]) {
        half_inverse(self, out, stride, scratch);
    }

    #[inline(always)]
    fn half_inverse_kernel(&self, out: &mut [f64], stride: usize, scratch: &mut [[f64; LANES]]) {
        let (n, r) = (self.n, self.rank);
        for start in (0..n).step_by(LANES) {
            let x = &mut scratch[..r];
            x.fill([0.0; LANES]);
            // D^(−1/2) L⁻¹ P, or D^(−1/2) (LᵀL)⁻¹ Lᵀ P, from the columns that P moves here.
            let first = if self.square {
                let first = start.min(r);
                for (lane, x) in x[first..].iter_mut().take(LANES).enumerate() {
                    x[lane] = 1.0;
                }
                let lower = UnitLower {
                    values: &self.a[first * n + first..],
                    stride: n,
                    n: r - first,
                };
                lower.solve(&mut x[first..]);
                first
            } else {
                for (lane, i) in (start..n).take(LANES).enumerate() {
                    for (x, l) in x.iter_mut().zip(&self.a[i * n..i * n + i.min(r)]) {
                        x[lane] = *l;
                    }
                    if i < r {
                        x[i][lane] = 1.0;
                    }
                }
                solve_definite(&self.gram, r, r, x);
                0
            };
            for (x, d) in x[first..].iter_mut().zip(&self.d[first..]) {
                let s = 1.0 / d.sqrt();
                *x = x.map(|v| v * s);
            }
            store_columns(x, &self.permutation[start..n], out, stride);
        }
    }

    /// The unknown of each row of the factor.
    pub fn permutation(&self) -> &[usize] {
        &self.permutation[..self.n]
    }

    /// y ← Lᵀ y in place: entry k gathers only entries at or below k.
    fn reduce<const W: usize>(&self, y: &mut [[f64; W]]) {
        let (n, r) = (self.n, self.rank);
        for i in 1..n {
            let (head, tail) = y.split_at_mut(i);
            let width = i.min(r);
            for (l, target) in self.a[i * n..i * n + width].iter().zip(head) {
                axpy(*l, &tail[0], target);
            }
        }
    }

    fn divide<const W: usize>(&self, y: &mut [[f64; W]]) {
        for (y, d) in y[..self.rank].iter_mut().zip(&self.d) {
            let inverse = 1.0 / d;
            *y = y.map(|v| v * inverse);
        }
    }
}

dispatch! {
    fn factor = Symmetric::factor_kernel(f: &mut Symmetric, tolerance: f64)
}

dispatch! {
    fn half_inverse = Symmetric::half_inverse_kernel(
        f: &Symmetric, out: &mut [f64], stride: usize, scratch: &mut [[f64; LANES]],
    )
}

/// Exchanges rows and columns p < q of a symmetric matrix stored by its lower triangle.
#[inline(always)]
fn swap_symmetric(a: &mut [f64], n: usize, p: usize, q: usize) {
    for j in 0..p {
        a.swap(p * n + j, q * n + j);
    }
    for i in p + 1..q {
        a.swap(i * n + p, q * n + i);
    }
    for i in q + 1..n {
        a.swap(i * n + p, i * n + q);
    }
    a.swap(p * n + p, q * n + q);
}
