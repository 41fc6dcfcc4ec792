//! LU of a square matrix, with its rank and an inverse on its range.

use super::kernel::{axpy, dot, factor_definite, largest, solve_definite, subtract_combination};
use super::{LANES, dispatch};

/// A = L U Qᵀ with column exchanges, or, when rows depend on each other, P A Q = L D U with complete pivoting.
///
/// In the second case L (n × r) and U (r × n) are unit trapezoidal with entries at most 1, so A's condition sits in D.
/// Solves then take b by least squares and return the solution in the range of A,
///
///   x = PᵀL (U Qᵀ PᵀL)⁻¹ D⁻¹ (LᵀL)⁻¹ Lᵀ P b,
///
/// which for a symmetric A is A⁺b. Where the range meets the null space the inner matrix is singular, and the solution
/// of least norm, x = Q Uᵀ (UUᵀ)⁻¹ D⁻¹ (LᵀL)⁻¹ Lᵀ P b, is returned instead.
#[derive(Clone, Debug)]
pub struct General {
    capacity: usize,
    n: usize,
    rank: usize,
    complete: bool,
    in_range: bool,
    a: Vec<f64>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    place: Vec<usize>,
    inner_columns: Vec<usize>,
    sizes: Vec<f64>,
    /// Largest remaining entry of each row.
    remaining: Vec<f64>,
    left: Vec<f64>,
    inner: Vec<f64>,
}

impl General {
    pub fn new(capacity: usize) -> General {
        let square = capacity * capacity;
        General {
            capacity,
            n: 0,
            rank: 0,
            complete: false,
            in_range: false,
            a: vec![0.0; square],
            rows: vec![0; capacity],
            columns: vec![0; capacity],
            place: vec![0; capacity],
            inner_columns: vec![0; capacity],
            sizes: vec![0.0; capacity],
            remaining: vec![0.0; capacity],
            left: vec![0.0; square],
            inner: vec![0.0; square],
        }
    }

    /// The n × n matrix to be filled before a factorization, row-major. n is cut at the capacity.
    pub fn matrix(&mut self, n: usize) -> &mut [f64] {
        self.n = n.min(self.capacity);
        &mut self.a[..self.n * self.n]
    }

    pub fn order(&self) -> usize {
        self.n
    }

    pub fn rank(&self) -> usize {
        self.rank
    }

    #[inline(always)]
    fn start(&mut self) {
        let n = self.n;
        for i in 0..n {
            self.rows[i] = i;
            self.columns[i] = i;
            self.sizes[i] = largest(&self.a[i * n..(i + 1) * n]);
        }
        self.rank = n;
    }

    /// LU by rows with column exchanges. Returns false, the matrix spent, if a row's pivot is at most `tolerance` times
    /// the row's largest entry: fill the matrix again and use [`General::factor_complete`].
    pub fn factor(&mut self, tolerance: f64) -> bool {
        self.start();
        self.complete = false;
        let n = self.n;
        let mut done = false;
        factor_lu(
            &mut self.a[..n * n],
            n,
            &mut self.columns,
            &self.sizes,
            tolerance,
            &mut done,
        );
        done
    }

    /// Complete pivoting, with the rank: entries at most `tolerance` times the original row's largest count as zero.
    pub fn factor_complete(&mut self, tolerance: f64) {
        factor_complete(self, tolerance);
    }

    /// The row below k with the largest entry that counts, and that entry's column.
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
        let line = &self.a[row * n + k..(row + 1) * n];
        let column = line.iter().position(|x| x.abs() == size)?;
        Some([row, k + column])
    }

    #[inline(always)]
    fn eliminate(&mut self, tolerance: f64) {
        self.start();
        self.complete = true;
        let n = self.n;
        self.remaining[..n].copy_from_slice(&self.sizes[..n]);
        for k in 0..n {
            let Some([i, j]) = self.find_pivot(k, tolerance) else {
                self.rank = k;
                break;
            };
            if i != k {
                let (head, tail) = self.a.split_at_mut(i * n);
                head[k * n..(k + 1) * n].swap_with_slice(&mut tail[..n]);
                self.rows.swap(i, k);
                self.sizes.swap(i, k);
                self.remaining.swap(i, k);
            }
            if j != k {
                for line in self.a.chunks_exact_mut(n).take(n) {
                    line.swap(j, k);
                }
                self.columns.swap(j, k);
            }
            let (head, tail) = self.a.split_at_mut((k + 1) * n);
            let row = &mut head[k * n..];
            let pivot = row[k];
            for x in &mut row[k + 1..n] {
                *x /= pivot;
            }
            let row = &row[k + 1..n];
            let lines = tail.chunks_exact_mut(n).zip(&mut self.remaining[k + 1..n]);
            for (line, remaining) in lines {
                let factor = line[k];
                let rest = &mut line[k + 1..];
                for (x, u) in rest.iter_mut().zip(row) {
                    *x -= factor * u;
                }
                *remaining = largest(rest);
                line[k] = factor / pivot;
            }
        }
    }

    #[inline(always)]
    fn form_grams(&mut self) {
        let (n, r) = (self.n, self.rank);
        self.left[..r * r].fill(0.0);
        for i in 0..n {
            let line = &self.a[i * n..i * n + i.min(r)];
            for (p, x) in line.iter().enumerate() {
                for (g, y) in self.left[p * r..=p * r + p].iter_mut().zip(line) {
                    *g += x * y;
                }
            }
            if i < r {
                for (g, y) in self.left[i * r..i * r + i].iter_mut().zip(line) {
                    *g += y;
                }
                self.left[i * r + i] += 1.0;
            }
        }
        factor_definite(&mut self.left[..r * r], r, r, &mut self.sizes);
        self.form_inner();
    }

    /// U Qᵀ PᵀL, or UUᵀ where that is singular.
    #[inline(always)]
    fn form_inner(&mut self) {
        let (n, r) = (self.n, self.rank);
        for (i, p) in self.rows[..n].iter().enumerate() {
            self.place[*p] = i;
        }
        let inner = &mut self.inner[..r * r];
        for k in 0..r {
            let row = &mut inner[k * r..(k + 1) * r];
            row.fill(0.0);
            for j in k..n {
                let u = if j == k { 1.0 } else { self.a[k * n + j] };
                let i = self.place[self.columns[j]];
                for (x, l) in row.iter_mut().zip(&self.a[i * n..i * n + i.min(r)]) {
                    *x += u * l;
                }
                if i < r {
                    row[i] += u;
                }
            }
            self.sizes[k] = largest(row);
            self.inner_columns[k] = k;
        }
        factor_lu(
            inner,
            r,
            &mut self.inner_columns,
            &self.sizes,
            1e-8,
            &mut self.in_range,
        );
        if self.in_range {
            return;
        }
        for p in 0..r {
            let upper = &self.a[p * n + p + 1..(p + 1) * n];
            for q in 0..p {
                let other = &self.a[q * n + p..(q + 1) * n];
                self.inner[p * r + q] = other[0] + dot(&other[1..], upper);
            }
            self.inner[p * r + p] = 1.0 + dot(upper, upper);
        }
        factor_definite(&mut self.inner[..r * r], r, r, &mut self.sizes);
    }

    /// x ← A⁻¹ x, or the solution that [`General`] documents if the rank is not full. `scratch` has room for the order.
    pub fn solve<const W: usize>(&self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        let n = self.n;
        if self.complete {
            return self.solve_complete(x, scratch);
        }
        solve_lu(&self.a[..n * n], n, &self.columns, x, scratch);
    }

    /// The transpose of the map of [`General::solve`].
    pub fn solve_transpose<const W: usize>(&self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        let n = self.n;
        if self.complete {
            return self.solve_complete_transpose(x, scratch);
        }
        solve_lu_transpose(&self.a[..n * n], n, &self.columns, x, scratch);
    }

    fn solve_complete<const W: usize>(&self, x: &mut [[f64; W]], y: &mut [[f64; W]]) {
        let (n, r) = (self.n, self.rank);
        self.target(x, y);
        if self.in_range {
            solve_lu(&self.inner[..r * r], r, &self.inner_columns, y, x);
            self.multiply_left(y);
            for (y, p) in y[..n].iter().zip(&self.rows) {
                x[*p] = *y;
            }
            return;
        }
        solve_definite(&self.inner[..r * r], r, r, &mut y[..r]);
        // Uᵀ y, bottom up: entry j gathers rows at or above j.
        for j in (0..n).rev() {
            let mut sum = if j < r { y[j] } else { [0.0; W] };
            for (k, y) in y.iter().enumerate().take(j.min(r)) {
                axpy(self.a[k * n + j], y, &mut sum);
            }
            y[j] = sum;
        }
        for (y, c) in y[..n].iter().zip(&self.columns) {
            x[*c] = *y;
        }
    }

    #[inline(always)]
    fn divide<const W: usize>(&self, y: &mut [[f64; W]]) {
        for (k, y) in y[..self.rank].iter_mut().enumerate() {
            let inverse = 1.0 / self.a[k * self.n + k];
            *y = y.map(|v| v * inverse);
        }
    }

    /// y ← Lᵀ y: entry k gathers entries at or below k.
    fn multiply_left_transpose<const W: usize>(&self, y: &mut [[f64; W]]) {
        let (n, r) = (self.n, self.rank);
        for i in 1..n {
            let (head, tail) = y.split_at_mut(i);
            for (l, t) in self.a[i * n..i * n + i.min(r)].iter().zip(head) {
                axpy(*l, &tail[0], t);
            }
        }
    }

    /// y ← L y: entry i gathers entries at or above i.
    fn multiply_left<const W: usize>(&self, y: &mut [[f64; W]]) {
        let (n, r) = (self.n, self.rank);
        for i in (0..n).rev() {
            let mut sum = if i < r { y[i] } else { [0.0; W] };
            for (l, t) in self.a[i * n..i * n + i.min(r)].iter().zip(y.iter()) {
                axpy(*l, t, &mut sum);
            }
            y[i] = sum;
        }
    }

    /// y ← D⁻¹ (LᵀL)⁻¹ Lᵀ P x, r entries.
    fn target<const W: usize>(&self, x: &[[f64; W]], y: &mut [[f64; W]]) {
        let (n, r) = (self.n, self.rank);
        for (y, p) in y[..n].iter_mut().zip(&self.rows) {
            *y = x[*p];
        }
        self.multiply_left_transpose(y);
        solve_definite(&self.left[..r * r], r, r, &mut y[..r]);
        self.divide(y);
    }

    fn solve_complete_transpose<const W: usize>(&self, x: &mut [[f64; W]], y: &mut [[f64; W]]) {
        let (n, r) = (self.n, self.rank);
        if self.in_range {
            for (y, p) in y[..n].iter_mut().zip(&self.rows) {
                *y = x[*p];
            }
            self.multiply_left_transpose(y);
            solve_lu_transpose(&self.inner[..r * r], r, &self.inner_columns, y, x);
        } else {
            for (y, c) in y[..n].iter_mut().zip(&self.columns) {
                *y = x[*c];
            }
            // U y, top down: entry k gathers entries at or below k.
            for k in 0..r {
                let (head, tail) = y.split_at_mut(k + 1);
                for (u, t) in self.a[k * n + k + 1..(k + 1) * n].iter().zip(tail) {
                    axpy(*u, t, &mut head[k]);
                }
            }
            solve_definite(&self.inner[..r * r], r, r, &mut y[..r]);
        }
        self.divide(y);
        solve_definite(&self.left[..r * r], r, r, &mut y[..r]);
        self.multiply_left(y);
        for (y, p) in y[..n].iter().zip(&self.rows) {
            x[*p] = *y;
        }
    }

    /// The map of [`General::solve`] as RᵀXL with L and R r × n, of which column i is written at `i·stride` of `left` and
    /// `right`, where zeros are expected. X is left to [`General::solve_middle`]: a product with an explicit inverse would
    /// lose digits that solving keeps.
    pub fn split_sides(&self, left: &mut [f64], right: &mut [f64], stride: usize) {
        let (n, r) = (self.n, self.rank);
        if !self.complete {
            for i in 0..n {
                left[i * stride + i] = 1.0;
                right[i * stride + i] = 1.0;
            }
            return;
        }
        for (i, row) in self.rows[..n].iter().enumerate() {
            let lower = &self.a[i * n..i * n + i.min(r)];
            let sides: [&mut [f64]; 2] = [left, right];
            for side in sides.into_iter().take(1 + usize::from(self.in_range)) {
                side[row * stride..][..lower.len()].copy_from_slice(lower);
                if i < r {
                    side[row * stride + i] = 1.0;
                }
            }
        }
        if !self.in_range {
            for (j, column) in self.columns[..n].iter().enumerate() {
                for k in 0..r.min(j + 1) {
                    right[column * stride + k] = self.range_entry(k, j);
                }
            }
        }
    }

    /// x ← X x for the X of [`General::split_sides`], r entries. `scratch` has room for the order.
    pub fn solve_middle(&self, x: &mut [[f64; LANES]], scratch: &mut [[f64; LANES]]) {
        solve_middle(self, x, scratch);
    }

    /// As [`Symmetric::range_target`](super::Symmetric::range_target), for F = U Qᵀ: after [`General::factor_complete`].
    pub fn range_target(&self, x: &mut [[f64; 1]], scratch: &mut [[f64; 1]]) {
        self.target(x, scratch);
        x[..self.rank].copy_from_slice(&scratch[..self.rank]);
    }

    /// Coefficient of unknown `columns()[j]` in equation k of F x = t.
    pub fn range_entry(&self, k: usize, j: usize) -> f64 {
        match j.cmp(&k) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => self.a[k * self.n + j],
        }
    }

    /// Which unknown each column of U stands for.
    pub fn columns(&self) -> &[usize] {
        &self.columns[..self.n]
    }
}

#[inline(always)]
fn factor_complete_kernel(g: &mut General, tolerance: f64) {
    g.eliminate(tolerance);
    g.form_grams();
}

#[inline(always)]
fn solve_middle_kernel(g: &General, x: &mut [[f64; LANES]], scratch: &mut [[f64; LANES]]) {
    let (n, r) = (g.n, g.rank);
    let x = &mut x[..r];
    if !g.complete {
        return solve_lu(&g.a[..n * n], n, &g.columns, x, scratch);
    }
    solve_definite(&g.left[..r * r], r, r, x);
    g.divide(x);
    if g.in_range {
        solve_lu(&g.inner[..r * r], r, &g.inner_columns, x, scratch);
    } else {
        solve_definite(&g.inner[..r * r], r, r, x);
    }
}

dispatch! {
    fn factor_complete = factor_complete_kernel(g: &mut General, tolerance: f64)
}

dispatch! {
    fn solve_middle = solve_middle_kernel(
        g: &General, x: &mut [[f64; LANES]], scratch: &mut [[f64; LANES]],
    )
}

dispatch! {
    /// A = L U Qᵀ by rows with column exchanges, in place: L with its diagonal, U with a unit one. `done` becomes false at
    /// a row whose pivot is at most `tolerance` times its size in `sizes`. `columns` brings and takes the order.
    fn factor_lu = factor_lu_kernel(
        a: &mut [f64], n: usize, columns: &mut [usize], sizes: &[f64], tolerance: f64, done: &mut bool,
    )
}

#[inline(always)]
fn factor_lu_kernel(
    a: &mut [f64],
    n: usize,
    columns: &mut [usize],
    sizes: &[f64],
    tolerance: f64,
    done: &mut bool,
) {
    *done = false;
    for i in 0..n {
        let (above, row) = a.split_at_mut(i * n);
        let row = &mut row[..n];
        let mut k = 0;
        // Four rows at a time: the row in work is loaded and stored once for the four.
        while k + 4 <= i {
            let [u, v, w, z] = [0, 1, 2, 3].map(|r| &above[(k + r) * n + k..(k + r + 1) * n]);
            let row = &mut row[k..];
            let f = row[0];
            let g = row[1] - f * u[1];
            let h = row[2] - f * u[2] - g * v[2];
            let l = row[3] - f * u[3] - g * v[3] - h * w[3];
            (row[1], row[2], row[3]) = (g, h, l);
            let upper = u[4..].iter().zip(&v[4..]).zip(&w[4..]).zip(&z[4..]);
            for (x, (((u, v), w), z)) in row[4..].iter_mut().zip(upper) {
                *x = *x - f * u - g * v - h * w - l * z;
            }
            k += 4;
        }
        for (k, upper) in above.chunks_exact(n).enumerate().skip(k) {
            let (head, rest) = row.split_at_mut(k + 1);
            let factor = head[k];
            for (x, u) in rest.iter_mut().zip(&upper[k + 1..]) {
                *x -= factor * u;
            }
        }
        let (mut best, mut size) = (i, 0.0);
        for (j, x) in row.iter().enumerate().skip(i) {
            if x.abs() > size {
                (best, size) = (j, x.abs());
            }
        }
        if size <= tolerance * sizes[i] {
            return;
        }
        if best != i && row[i].abs() < 0.1 * size {
            for line in a.chunks_exact_mut(n) {
                line.swap(i, best);
            }
            columns.swap(i, best);
        }
        let row = &mut a[i * n..(i + 1) * n];
        let inverse = 1.0 / row[i];
        for x in &mut row[i + 1..] {
            *x *= inverse;
        }
    }
    *done = true;
}

/// x ← A⁻¹ x.
#[inline(always)]
fn solve_lu<const W: usize>(
    a: &[f64],
    n: usize,
    columns: &[usize],
    x: &mut [[f64; W]],
    y: &mut [[f64; W]],
) {
    let y = &mut y[..n];
    for i in 0..n {
        let mut sum = x[i];
        let row = &a[i * n..];
        subtract_combination(&row[..i], &y[..i], &mut sum);
        let inverse = 1.0 / row[i];
        y[i] = sum.map(|v| v * inverse);
    }
    for i in (0..n).rev() {
        let (head, tail) = y.split_at_mut(i + 1);
        subtract_combination(&a[i * n + i + 1..(i + 1) * n], tail, &mut head[i]);
    }
    for (y, c) in y.iter().zip(columns) {
        x[*c] = *y;
    }
}

/// x ← A⁻ᵀ x.
fn solve_lu_transpose<const W: usize>(
    a: &[f64],
    n: usize,
    columns: &[usize],
    x: &mut [[f64; W]],
    y: &mut [[f64; W]],
) {
    let y = &mut y[..n];
    for (y, c) in y.iter_mut().zip(columns) {
        *y = x[*c];
    }
    for i in 0..n {
        let (head, tail) = y.split_at_mut(i + 1);
        for (u, t) in a[i * n + i + 1..(i + 1) * n].iter().zip(tail) {
            axpy(-u, &head[i], t);
        }
    }
    for i in (0..n).rev() {
        let (head, tail) = y.split_at_mut(i);
        let row = &a[i * n..];
        let inverse = 1.0 / row[i];
        tail[0] = tail[0].map(|v| v * inverse);
        for (l, t) in row[..i].iter().zip(head) {
            axpy(-l, &tail[0], t);
        }
    }
    x[..n].copy_from_slice(y);
}
