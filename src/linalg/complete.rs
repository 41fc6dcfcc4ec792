//! LU with complete pivoting of a matrix with dependent rows, and an inverse on its range.

use super::kernel::{add_combination, axpy, factor_definite, larger, largest, solve_definite};
use super::lu::Lu;
use super::{F4, LANES, dispatch, grow};

/// Places of L, LᵀL and the inner matrix in [`Complete::squares`], behind U.
const LOWER: usize = 1;
const GRAM: usize = 2;
const INNER: usize = 3;

/// P A Q = L D U with unit trapezoidal L (n × r) and U (r × n) whose entries are at most 1, so D carries the
/// condition of A.
///
/// [`General`](super::General) documents the solution. Rows are padded with zeros to whole lanes.
#[derive(Clone, Debug)]
pub(super) struct Complete {
    n: usize,
    rank: usize,
    /// Lanes of a row of A, and of L.
    width: usize,
    rank_width: usize,
    in_range: bool,
    /// Four matrices one behind the other, so that a small system touches few pages: U, right of its diagonal;
    /// L, a row of A each; LᵀL; and U Qᵀ PᵀL or UUᵀ.
    squares: Vec<F4>,
    inverses: Vec<f64>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    /// Largest entry of each row, originally and of the remainder.
    sizes: Vec<f64>,
    remaining: Vec<f64>,
    pivot_row: Vec<F4>,
    /// Row of L of each unknown.
    place: Vec<usize>,
    /// U Qᵀ PᵀL, factored. [`General`](super::General) factors A here if no rows are dependent.
    pub lu: Lu,
}

impl Complete {
    pub fn new(capacity: usize) -> Complete {
        let width = capacity.div_ceil(4);
        Complete {
            n: 0,
            rank: 0,
            width,
            rank_width: width,
            in_range: false,
            squares: Vec::with_capacity(4 * capacity * width),
            inverses: vec![0.0; capacity],
            rows: vec![0; capacity],
            columns: vec![0; capacity],
            sizes: vec![0.0; capacity],
            remaining: vec![0.0; capacity],
            pivot_row: F4::zeros(width),
            place: vec![0; capacity],
            lu: Lu::new(capacity),
        }
    }

    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Factors an n × n matrix, row-major: entries at most `tolerance` times the row's largest count as zero.
    pub fn factor(&mut self, a: &[f64], n: usize, tolerance: f64) {
        factor(self, a, n, tolerance);
    }

    #[inline(always)]
    fn factor_kernel(&mut self, a: &[f64], n: usize, tolerance: f64) {
        let width = n.div_ceil(4);
        (self.n, self.width) = (n, width);
        grow(&mut self.squares, 4 * n * width);
        for (i, line) in a.chunks_exact(n.max(1)).take(n).enumerate() {
            let row = &mut self.squares[i * width..(i + 1) * width];
            row[width - 1] = F4::ZERO;
            F4::flat_mut(row)[..n].copy_from_slice(line);
            self.sizes[i] = largest(line);
        }
        self.eliminate(tolerance);
        self.form_gram();
        self.form_inner();
    }

    #[inline(always)]
    fn eliminate(&mut self, tolerance: f64) {
        let (n, width) = (self.n, self.width);
        for i in 0..n {
            (self.rows[i], self.columns[i]) = (i, i);
        }
        self.remaining[..n].copy_from_slice(&self.sizes[..n]);
        self.rank = n;
        for k in 0..n {
            let Some([i, j]) = self.find_pivot(k, tolerance) else {
                self.rank = k;
                break;
            };
            if i != k {
                let (head, tail) = self.squares.split_at_mut(i * width);
                head[k * width..(k + 1) * width].swap_with_slice(&mut tail[..width]);
                self.rows.swap(i, k);
                self.sizes.swap(i, k);
                self.remaining.swap(i, k);
            }
            if j != k {
                let lines = F4::flat_mut(&mut self.squares).chunks_exact_mut(4 * width);
                for line in lines.take(n) {
                    line.swap(j, k);
                }
                self.columns.swap(j, k);
            }
            let (head, tail) = self.squares[..n * width].split_at_mut((k + 1) * width);
            let (own, lane) = (k / 4, k % 4);
            let row = &mut head[k * width..];
            let inverse = 1.0 / row[own].0[lane];
            self.inverses[k] = inverse;
            // Lanes up to the pivot get zeros, so that elimination leaves them unchanged.
            let (pivot_row, row) = (&mut self.pivot_row[own..width], &mut row[own..]);
            let mut beyond = F4::ZERO;
            beyond.0[lane + 1..].fill(1.0);
            for (u, x) in pivot_row.iter_mut().zip(row.iter()) {
                *u = *x * inverse;
            }
            pivot_row[0] = pivot_row[0] * beyond;
            for x in &mut row[0].0[lane + 1..] {
                *x *= inverse;
            }
            row[1..].copy_from_slice(&pivot_row[1..]);
            let lines = tail
                .chunks_exact_mut(width)
                .zip(&mut self.remaining[k + 1..n]);
            for (line, remaining) in lines {
                let line = &mut line[own..];
                let factor = line[0].0[lane];
                line[0] -= pivot_row[0] * factor;
                let mut most = larger_of(line[0] * beyond, F4::ZERO);
                for (x, u) in line[1..].iter_mut().zip(&pivot_row[1..]) {
                    *x -= *u * factor;
                    most = larger_of(*x, most);
                }
                let [a, b, c, d] = most.0;
                *remaining = larger(larger(a, b), larger(c, d));
                line[0].0[lane] = factor * inverse;
            }
        }
    }

    /// The row below k with the largest significant entry, and the column of this entry.
    #[inline(always)]
    fn find_pivot(&self, k: usize, tolerance: f64) -> Option<[usize; 2]> {
        let n = self.n;
        let (mut row, mut size) = (None, 0.0);
        for i in k..n {
            if self.remaining[i] > size && self.remaining[i] > tolerance * self.sizes[i] {
                (row, size) = (Some(i), self.remaining[i]);
            }
        }
        let row = row?;
        let line = &F4::flat(&self.squares[row * self.width..])[k..n];
        let column = line.iter().position(|x| x.abs() == size)?;
        Some([row, k + column])
    }

    /// L with its unit diagonal, and LᵀL, factored.
    #[inline(always)]
    fn form_gram(&mut self) {
        let (n, r) = (self.n, self.rank);
        let width = r.div_ceil(4);
        self.rank_width = width;
        let [values, lower, gram, _] = split(&mut self.squares, n * self.width);
        lower[..n * width].fill(F4::ZERO);
        for i in 0..n {
            let line = F4::flat(&values[i * self.width..]);
            let row = F4::flat_mut(&mut lower[i * width..(i + 1) * width]);
            row[..i.min(r)].copy_from_slice(&line[..i.min(r)]);
            if i < r {
                row[i] = 1.0;
            }
        }
        let gram = &mut gram[..r * width];
        gram.fill(F4::ZERO);
        for (p, gram) in gram.chunks_exact_mut(width.max(1)).enumerate() {
            // Only the lower triangle is read.
            let gram = &mut gram[..=p / 4];
            for row in lower[p * width..n * width].chunks_exact(width) {
                add_multiple(row[p / 4].0[p % 4], row, gram);
            }
        }
        factor_definite(F4::flat_mut(gram), 4 * width, r, &mut self.sizes);
    }

    /// U Qᵀ PᵀL, or UUᵀ if the former is singular; factored.
    #[inline(always)]
    fn form_inner(&mut self) {
        let (n, r, width) = (self.n, self.rank, self.rank_width);
        let [values, lower, _, inner] = split(&mut self.squares, n * self.width);
        let inner = &mut inner[..r * width];
        inner.fill(F4::ZERO);
        for (i, p) in self.rows[..n].iter().enumerate() {
            self.place[*p] = i;
        }
        let flat = F4::flat(values);
        for (k, row) in inner.chunks_exact_mut(width.max(1)).enumerate() {
            for j in k..n {
                let u = entry(flat, 4 * self.width, k, j);
                let i = self.place[self.columns[j]];
                add_multiple(u, &lower[i * width..(i + 1) * width], row);
            }
        }
        self.in_range = (self.lu).factor(F4::flat(inner), r, 4 * width, 1e-8);
        if self.in_range {
            return;
        }
        let inner = F4::flat_mut(inner);
        for p in 0..r {
            for q in 0..=p {
                let products = (p..n)
                    .map(|j| entry(flat, 4 * self.width, p, j) * entry(flat, 4 * self.width, q, j));
                inner[p * 4 * width + q] = products.sum();
            }
        }
        factor_definite(inner, 4 * width, r, &mut self.sizes);
    }

    /// y ← D⁻¹ (LᵀL)⁻¹ Lᵀ P x, r entries.
    #[inline(always)]
    pub fn target<const W: usize>(&self, x: &[[f64; W]], y: &mut [[f64; W]]) {
        self.multiply_transpose(x, y);
        self.solve_gram(&mut y[..self.rank]);
        self.divide(&mut y[..self.rank]);
    }

    /// y ← Lᵀ P x, r entries.
    #[inline(always)]
    fn multiply_transpose<const W: usize>(&self, x: &[[f64; W]], y: &mut [[f64; W]]) {
        let y = &mut y[..self.rank];
        y.fill([0.0; W]);
        for (i, p) in self.rows[..self.n].iter().enumerate() {
            let row = self.lower_row(i);
            if W == 1 {
                let x = x[*p][0];
                for (y, l) in y.as_flattened_mut().iter_mut().zip(row) {
                    *y += l * x;
                }
            } else {
                for (y, l) in y.iter_mut().zip(row) {
                    axpy(*l, &x[*p], y);
                }
            }
        }
    }

    /// x ← Pᵀ L y.
    #[inline(always)]
    fn multiply<const W: usize>(&self, y: &[[f64; W]], x: &mut [[f64; W]]) {
        for (i, p) in self.rows[..self.n].iter().enumerate() {
            let mut sum = [0.0; W];
            add_combination(self.lower_row(i), &y[..self.rank], &mut sum);
            x[*p] = sum;
        }
    }

    #[inline(always)]
    fn solve_gram<const W: usize>(&self, y: &mut [[f64; W]]) {
        solve_definite(
            F4::flat(self.square(GRAM)),
            4 * self.rank_width,
            self.rank,
            y,
        );
    }

    #[inline(always)]
    fn divide<const W: usize>(&self, y: &mut [[f64; W]]) {
        for (y, inverse) in y.iter_mut().zip(&self.inverses) {
            *y = y.map(|v| v * inverse);
        }
    }

    /// The solution that [`General`](super::General) documents. `scratch` has n entries.
    pub fn solve<const W: usize>(&self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        let (x, scratch) = (x.as_flattened_mut(), scratch.as_flattened_mut());
        match W {
            1 => solve_one(self, x.as_chunks_mut().0, scratch.as_chunks_mut().0),
            LANES => solve_panel(self, x.as_chunks_mut().0, scratch.as_chunks_mut().0),
            _ => self.solve_kernel::<W>(x.as_chunks_mut().0, scratch.as_chunks_mut().0),
        }
    }

    #[inline(always)]
    fn solve_kernel<const W: usize>(&self, x: &mut [[f64; W]], y: &mut [[f64; W]]) {
        let (n, r) = (self.n, self.rank);
        self.target(x, y);
        if self.in_range {
            self.lu.solve_kernel(&mut y[..r], x);
            return self.multiply(y, x);
        }
        solve_definite(
            F4::flat(self.square(INNER)),
            4 * self.rank_width,
            r,
            &mut y[..r],
        );
        for (j, c) in self.columns[..n].iter().enumerate() {
            let mut sum = [0.0; W];
            for (k, y) in y[..r.min(j + 1)].iter().enumerate() {
                axpy(self.upper(k, j), y, &mut sum);
            }
            x[*c] = sum;
        }
    }

    /// The transpose of the map of [`Complete::solve`].
    pub fn solve_transpose<const W: usize>(&self, x: &mut [[f64; W]], y: &mut [[f64; W]]) {
        let (n, r) = (self.n, self.rank);
        if self.in_range {
            self.multiply_transpose(x, y);
            self.lu.solve_transpose(&mut y[..r], x);
        } else {
            for (k, y) in y[..r].iter_mut().enumerate() {
                *y = [0.0; W];
                for (j, c) in self.columns[..n].iter().enumerate().skip(k) {
                    axpy(self.upper(k, j), &x[*c], y);
                }
            }
            solve_definite(
                F4::flat(self.square(INNER)),
                4 * self.rank_width,
                r,
                &mut y[..r],
            );
        }
        self.divide(&mut y[..r]);
        self.solve_gram(&mut y[..r]);
        self.multiply(y, x);
    }

    /// As [`General::split_sides`](super::General::split_sides).
    pub fn split_sides(&self, left: &mut [f64], right: &mut [f64], stride: usize) {
        let (n, r) = (self.n, self.rank);
        let sides: [&mut [f64]; 2] = [left, &mut *right];
        for side in sides.into_iter().take(1 + usize::from(self.in_range)) {
            for (i, row) in self.rows[..n].iter().enumerate() {
                side[row * stride..][..r].copy_from_slice(self.lower_row(i));
            }
        }
        if !self.in_range {
            for (j, column) in self.columns[..n].iter().enumerate() {
                for k in 0..r.min(j + 1) {
                    right[column * stride + k] = self.upper(k, j);
                }
            }
        }
    }

    /// x ← X x, r entries, for the X of [`Complete::split_sides`].
    #[inline(always)]
    pub fn solve_middle(&self, x: &mut [[f64; LANES]], scratch: &mut [[f64; LANES]]) {
        self.solve_gram(x);
        self.divide(x);
        if self.in_range {
            self.lu.solve_kernel(x, scratch);
        } else {
            solve_definite(
                F4::flat(self.square(INNER)),
                4 * self.rank_width,
                self.rank,
                x,
            );
        }
    }

    /// Entry (k, j) of U, j ≥ k.
    #[inline(always)]
    pub fn upper(&self, k: usize, j: usize) -> f64 {
        entry(F4::flat(&self.squares), 4 * self.width, k, j)
    }

    /// One of [`Complete::squares`], by [`LOWER`], [`GRAM`] or [`INNER`].
    #[inline(always)]
    fn square(&self, index: usize) -> &[F4] {
        let size = self.n * self.width;
        &self.squares[index * size..(index + 1) * size]
    }

    /// The unknown of each column of U.
    pub fn columns(&self) -> &[usize] {
        &self.columns[..self.n]
    }

    #[inline(always)]
    fn lower_row(&self, i: usize) -> &[f64] {
        &F4::flat(&self.square(LOWER)[i * self.rank_width..(i + 1) * self.rank_width])[..self.rank]
    }
}

dispatch! {
    fn factor = Complete::factor_kernel(c: &mut Complete, a: &[f64], n: usize, tolerance: f64)
}

dispatch! {
    fn solve_one = Complete::solve_kernel(c: &Complete, x: &mut [[f64; 1]], scratch: &mut [[f64; 1]])
}

dispatch! {
    fn solve_panel = Complete::solve_kernel(
        c: &Complete, x: &mut [[f64; LANES]], scratch: &mut [[f64; LANES]],
    )
}

/// The four matrices of [`Complete::squares`], each of `size` lanes.
#[inline(always)]
fn split(squares: &mut [F4], size: usize) -> [&mut [F4]; 4] {
    let (a, rest) = squares.split_at_mut(size);
    let (b, rest) = rest.split_at_mut(size);
    let (c, d) = rest.split_at_mut(size);
    [a, b, c, &mut d[..size]]
}

/// Entry (k, j) of U from rows that include the diagonal, j ≥ k.
#[inline(always)]
fn entry(values: &[f64], stride: usize, k: usize, j: usize) -> f64 {
    if j == k { 1.0 } else { values[k * stride + j] }
}

/// y += s x, over the shorter of the two.
#[inline(always)]
fn add_multiple(s: f64, x: &[F4], y: &mut [F4]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += *x * s;
    }
}

/// The larger of |x| and y, by lanes.
#[inline(always)]
fn larger_of(x: F4, y: F4) -> F4 {
    F4(std::array::from_fn(|k| larger(x.0[k].abs(), y.0[k])))
}
