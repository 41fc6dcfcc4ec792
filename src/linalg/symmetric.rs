//! LDLᵀ of a symmetric positive semi-definite matrix, with its rank and its pseudo-inverse.

use super::kernel::{axpy, store_columns};
use super::lanes::{product, total};
use super::{F4, LANES, dispatch, grow};

/// Sums that a kernel keeps in registers; more would make its code larger for few rows.
const TILE: usize = 4;

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
    factor: UnitLower,
    /// D in the first r entries; during the factorization, the rest of the diagonal behind them.
    remaining: Vec<F4>,
    /// Per row: the least pivot.
    least: Vec<f64>,
    permutation: Vec<usize>,
    /// True if the rows of L beyond its first r are zero.
    square: bool,
    /// LᵀL = N E Nᵀ, if they are not. Its memory holds A before the factorization.
    gram: UnitLower,
    gram_d: Vec<F4>,
    /// Row k of L D while column k is computed.
    scaled: Vec<f64>,
    /// The right-hand side of a solve, padded with zeros.
    y: Vec<F4>,
}

/// The strict part of a unit lower trapezoidal matrix, column by column. Each column is padded with zeros
/// above and below, so that loops run over whole lanes.
#[derive(Clone, Debug)]
struct UnitLower {
    columns: Vec<F4>,
    /// Lanes of a column.
    width: usize,
}

impl UnitLower {
    fn new(capacity: usize) -> UnitLower {
        UnitLower {
            columns: Vec::with_capacity(capacity * capacity.div_ceil(4)),
            width: 0,
        }
    }

    fn start(&mut self, n: usize) {
        self.width = n.div_ceil(4);
        grow(&mut self.columns, n * self.width);
    }

    #[inline(always)]
    fn lanes(&self, k: usize) -> &[F4] {
        &self.columns[k * self.width..(k + 1) * self.width]
    }

    #[inline(always)]
    fn lanes_mut(&mut self, k: usize) -> &mut [F4] {
        &mut self.columns[k * self.width..(k + 1) * self.width]
    }

    #[inline(always)]
    fn column(&self, k: usize) -> &[f64] {
        F4::flat(self.lanes(k))
    }

    /// Computes column k of L. Before, the column holds rows k + 1 to n of the same column of A. `d` holds D
    /// up to the pivot k, and the rest of the diagonal, which loses its part. `scaled` is scratch.
    #[inline(always)]
    fn finish(&mut self, k: usize, d: &mut [F4], scaled: &mut [f64]) {
        let (first, width) = ((k + 1) / 4, self.width);
        for (j, (s, d)) in scaled[..k].iter_mut().zip(F4::flat(d)).enumerate() {
            *s = self.column(j)[k] * d;
        }
        let mut at = first;
        while at + TILE <= width {
            subtract_tile::<TILE>(self, k, at, &scaled[..k]);
            at += TILE;
        }
        for at in at..width {
            subtract_tile::<1>(self, k, at, &scaled[..k]);
        }
        let column = self.lanes_mut(k);
        // The rows up to k in the first lanes.
        F4::flat_mut(column)[..k + 1]
            .iter_mut()
            .skip(4 * first)
            .for_each(|x| *x = 0.0);
        let inverse = 1.0 / F4::flat(d)[k];
        for (x, d) in column.iter_mut().zip(d).skip(first) {
            let l = *x * inverse;
            *d -= *x * l;
            *x = l;
        }
    }

    /// y ← L⁻¹ y of the first r rows.
    #[inline(always)]
    fn solve_one(&self, r: usize, y: &mut [F4]) {
        for k in 0..r {
            let x = F4::flat(y)[k];
            self.add_column(k, -x, y);
        }
    }

    /// y ← L⁻ᵀ y of the first r rows. The other rows of y or of L are zero.
    #[inline(always)]
    fn solve_one_transposed(&self, r: usize, y: &mut [F4]) {
        for k in (0..r).rev() {
            let sum = self.product(k, y);
            F4::flat_mut(y)[k] -= sum;
        }
    }

    /// The product of column k with y.
    #[inline(always)]
    fn product(&self, k: usize, y: &[F4]) -> f64 {
        let first = (k + 1) / 4;
        total(product(&self.lanes(k)[first..], &y[first..]))
    }

    /// y += x times column k.
    #[inline(always)]
    fn add_column(&self, k: usize, x: f64, y: &mut [F4]) {
        let first = (k + 1) / 4;
        for (l, y) in self.lanes(k)[first..].iter().zip(&mut y[first..]) {
            *y += *l * x;
        }
    }

    /// y ← L⁻¹ y for rows `from..r` of L and y, if the rows of y above are zero.
    #[inline(always)]
    fn solve_many<const W: usize>(&self, from: usize, r: usize, y: &mut [[f64; W]]) {
        for k in from..r {
            let (done, rest) = y[..r].split_at_mut(k + 1);
            for (l, y) in self.column(k)[k + 1..].iter().zip(rest) {
                axpy(-l, &done[k], y);
            }
        }
    }

    /// y ← L⁻ᵀ y of the first r rows.
    #[inline(always)]
    fn solve_many_transposed<const W: usize>(&self, r: usize, y: &mut [[f64; W]]) {
        for k in (0..r).rev() {
            let (done, rest) = y[..r].split_at_mut(k + 1);
            for (l, y) in self.column(k)[k + 1..].iter().zip(rest) {
                axpy(-l, y, &mut done[k]);
            }
        }
    }
}

impl Symmetric {
    pub fn new(capacity: usize) -> Symmetric {
        Symmetric {
            capacity,
            n: 0,
            rank: 0,
            factor: UnitLower::new(capacity),
            remaining: F4::zeros(capacity.div_ceil(4)),
            least: vec![0.0; capacity],
            permutation: vec![0; capacity],
            square: true,
            gram: UnitLower::new(capacity),
            gram_d: F4::zeros(capacity.div_ceil(4)),
            scaled: vec![0.0; capacity],
            y: F4::zeros(capacity.div_ceil(4)),
        }
    }

    /// The n × n matrix, row-major, to fill before [`Symmetric::factor`]. n is limited to the capacity.
    pub fn matrix(&mut self, n: usize) -> &mut [f64] {
        self.n = n.min(self.capacity);
        self.gram.start(self.n);
        &mut F4::flat_mut(&mut self.gram.columns)[..self.n * self.n]
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
        self.factor.start(n);
        let a = &F4::flat(&self.gram.columns)[..n * n];
        let (permutation, least) = (&mut self.permutation[..n], &mut self.least[..n]);
        let remaining = &mut self.remaining[..n.div_ceil(4)];
        for i in 0..n {
            let own = a[i * n + i];
            F4::flat_mut(remaining)[i] = own;
            (least[i], permutation[i]) = (tolerance * own, i);
        }
        self.rank = n;
        for k in 0..n {
            let left = &F4::flat(remaining)[..n];
            let (mut best, mut size) = (n, 0.0);
            for i in k..n {
                if left[i] > size && left[i] > least[i] {
                    (best, size) = (i, left[i]);
                }
            }
            if best == n {
                self.rank = k;
                break;
            }
            // Keeping the pivot in place saves an exchange; a pivot within a factor of ten of the best keeps
            // L well bounded.
            if best != k && !(left[k] > 0.1 * size && left[k] > least[k]) {
                for column in self.factor.columns.chunks_exact_mut(n.div_ceil(4)).take(k) {
                    F4::flat_mut(column).swap(k, best);
                }
                F4::flat_mut(remaining).swap(k, best);
                least.swap(k, best);
                permutation.swap(k, best);
            }
            let column = F4::flat_mut(self.factor.lanes_mut(k));
            let (above, below) = column.split_at_mut(k + 1);
            above.fill(0.0);
            let rows = &permutation[k + 1..];
            let line = &a[permutation[k] * n..(permutation[k] + 1) * n];
            for (x, i) in below.iter_mut().zip(rows) {
                *x = line[*i];
            }
            below[rows.len()..].fill(0.0);
            self.factor.finish(k, remaining, &mut self.scaled);
        }
        let r = self.rank;
        let beyond = |k: usize| &self.factor.column(k)[r..];
        self.square = (0..r).all(|k| beyond(k).iter().all(|l| *l == 0.0));
        if !self.square {
            self.form_gram();
        }
    }

    /// Forms and factors LᵀL.
    #[inline(always)]
    fn form_gram(&mut self) {
        let r = self.rank;
        self.gram.start(r);
        let d = &mut self.gram_d[..r.div_ceil(4)];
        for p in 0..r {
            let own = self.factor.lanes(p);
            F4::flat_mut(d)[p] = 1.0 + total(product(own, own));
        }
        for p in 0..r {
            let mut q = p + 1;
            self.gram.lanes_mut(p).fill(F4::ZERO);
            while q + TILE <= r {
                gram_tile::<TILE>(&self.factor, p, q, &mut self.gram);
                q += TILE;
            }
            for q in q..r {
                gram_tile::<1>(&self.factor, p, q, &mut self.gram);
            }
            self.gram.finish(p, d, &mut self.scaled);
        }
    }

    /// x ← A⁻¹ x, or A⁺ x if the rank is not full. `scratch` has n entries.
    pub fn solve<const W: usize>(&mut self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        match W {
            1 => solve_one(self, &mut x.as_flattened_mut()[..self.n]),
            _ => self.solve_many(x, scratch),
        }
    }

    #[inline(always)]
    fn solve_one_kernel(&mut self, x: &mut [f64]) {
        let (n, r) = (self.n, self.rank);
        let (factor, gram) = (&self.factor, &self.gram);
        let y = &mut self.y[..n.div_ceil(4)];
        y.iter_mut().skip(n / 4).for_each(|y| *y = F4::ZERO);
        for (y, p) in F4::flat_mut(y).iter_mut().zip(&self.permutation[..n]) {
            *y = x[*p];
        }
        if self.square {
            factor.solve_one(r, y);
            F4::flat_mut(y)[r..].fill(0.0);
            divide_one(&self.remaining, r, y);
            factor.solve_one_transposed(r, y);
        } else {
            // Lᵀ y: entry k gathers only entries at or below k.
            for k in 0..r {
                F4::flat_mut(y)[k] += factor.product(k, y);
            }
            F4::flat_mut(y)[r..].fill(0.0);
            gram.solve_one(r, y);
            divide_one(&self.gram_d, r, y);
            gram.solve_one_transposed(r, y);
            divide_one(&self.remaining, r, y);
            gram.solve_one(r, y);
            divide_one(&self.gram_d, r, y);
            gram.solve_one_transposed(r, y);
            for k in (0..r).rev() {
                let x = F4::flat(y)[k];
                factor.add_column(k, x, y);
            }
        }
        for (y, p) in F4::flat(y).iter().zip(&self.permutation[..n]) {
            x[*p] = *y;
        }
    }

    #[inline(always)]
    fn solve_many<const W: usize>(&self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        let (n, r) = (self.n, self.rank);
        let (x, y) = (&mut x[..n], &mut scratch[..n]);
        for (y, p) in y.iter_mut().zip(&self.permutation) {
            *y = x[*p];
        }
        if self.square {
            self.factor.solve_many(0, r, y);
            self.divide(y);
            self.factor.solve_many_transposed(r, y);
            y[r..].fill([0.0; W]);
        } else {
            self.reduce(y);
            self.solve_gram(y);
            self.divide(y);
            self.solve_gram(y);
            y[r..].fill([0.0; W]);
            for k in (0..r).rev() {
                let (done, rest) = y.split_at_mut(k + 1);
                for (l, y) in self.factor.column(k)[k + 1..].iter().zip(rest) {
                    axpy(*l, &done[k], y);
                }
            }
        }
        for (y, p) in y.iter().zip(&self.permutation) {
            x[*p] = *y;
        }
    }

    /// y ← (LᵀL)⁻¹ y.
    #[inline(always)]
    fn solve_gram<const W: usize>(&self, y: &mut [[f64; W]]) {
        let r = self.rank;
        self.gram.solve_many(0, r, y);
        for (y, d) in y[..r].iter_mut().zip(F4::flat(&self.gram_d)) {
            let inverse = 1.0 / d;
            *y = y.map(|v| v * inverse);
        }
        self.gram.solve_many_transposed(r, y);
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
            self.factor.solve_many(0, r, y);
        } else {
            self.reduce(y);
            self.solve_gram(y);
        }
        self.divide(y);
        x[..r].copy_from_slice(&y[..r]);
    }

    /// The equations of [`Symmetric::range_target`] with F. `f` receives Fᵀ, n rows of `stride` numbers, and
    /// must be zero before.
    pub fn range_equations(
        &self,
        f: &mut [f64],
        stride: usize,
        x: &mut [[f64; 1]],
        scratch: &mut [[f64; 1]],
    ) {
        self.range_target(x, scratch);
        for (i, unknown) in self.permutation().iter().enumerate() {
            for (k, f) in f[unknown * stride..][..self.rank].iter_mut().enumerate() {
                *f = self.range_entry(k, i);
            }
        }
    }

    /// Entry (k, i) of F: the coefficient of unknown `permutation()[i]` in equation k.
    pub fn range_entry(&self, k: usize, i: usize) -> f64 {
        match k == i {
            true => 1.0,
            false => self.factor.column(k)[i],
        }
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
                self.factor.solve_many(first, r, x);
                first
            } else {
                for (lane, i) in (start..n).take(LANES).enumerate() {
                    for (k, x) in x.iter_mut().enumerate() {
                        x[lane] = self.range_entry(k, i);
                    }
                }
                self.solve_gram(x);
                0
            };
            let d = &F4::flat(&self.remaining)[first..];
            for (x, d) in x[first..].iter_mut().zip(d) {
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
    #[inline(always)]
    fn reduce<const W: usize>(&self, y: &mut [[f64; W]]) {
        for k in 0..self.rank {
            let (head, tail) = y.split_at_mut(k + 1);
            for (l, y) in self.factor.column(k)[k + 1..].iter().zip(tail) {
                axpy(*l, y, &mut head[k]);
            }
        }
    }

    #[inline(always)]
    fn divide<const W: usize>(&self, y: &mut [[f64; W]]) {
        let d = F4::flat(&self.remaining);
        for (y, d) in y[..self.rank].iter_mut().zip(d) {
            let inverse = 1.0 / d;
            *y = y.map(|v| v * inverse);
        }
    }
}

dispatch! {
    fn factor = Symmetric::factor_kernel(f: &mut Symmetric, tolerance: f64)
}

dispatch! {
    fn solve_one = Symmetric::solve_one_kernel(f: &mut Symmetric, x: &mut [f64])
}

dispatch! {
    fn half_inverse = Symmetric::half_inverse_kernel(
        f: &Symmetric, out: &mut [f64], stride: usize, scratch: &mut [[f64; LANES]],
    )
}

/// y ← D⁻¹ y of the first r rows.
#[inline(always)]
fn divide_one(d: &[F4], r: usize, y: &mut [F4]) {
    for (y, d) in F4::flat_mut(y)[..r].iter_mut().zip(F4::flat(d)) {
        *y *= 1.0 / d;
    }
}

/// Takes the finished columns out of lanes `at..at + W` of column k.
#[inline(always)]
fn subtract_tile<const W: usize>(factor: &mut UnitLower, k: usize, at: usize, scaled: &[f64]) {
    let mut sums = [F4::ZERO; W];
    sums.copy_from_slice(&factor.lanes(k)[at..at + W]);
    for (j, s) in scaled.iter().enumerate() {
        for (sum, l) in sums.iter_mut().zip(&factor.lanes(j)[at..at + W]) {
            *sum -= *l * *s;
        }
    }
    factor.lanes_mut(k)[at..at + W].copy_from_slice(&sums);
}

/// Rows q to q + W of column p of LᵀL.
#[inline(always)]
fn gram_tile<const W: usize>(factor: &UnitLower, p: usize, q: usize, gram: &mut UnitLower) {
    let own = factor.lanes(p);
    let others: [&[F4]; W] = std::array::from_fn(|w| factor.lanes(q + w));
    let mut sums = [F4::ZERO; W];
    for lane in (q + 1) / 4..own.len() {
        for (sum, other) in sums.iter_mut().zip(others) {
            *sum += own[lane] * other[lane];
        }
    }
    let out = &mut F4::flat_mut(gram.lanes_mut(p))[q..q + W];
    for (w, (out, sum)) in out.iter_mut().zip(sums).enumerate() {
        *out = F4::flat(own)[q + w] + total(sum);
    }
}
