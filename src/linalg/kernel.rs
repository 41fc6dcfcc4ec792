//! Triangular loops over row-major matrices with contiguous rows.

/// Σ aᵢ bᵢ over the shorter of the two, in a fixed order with four running sums.
#[inline(always)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let (a4, ra) = a.as_chunks::<4>();
    let (b4, rb) = b.as_chunks::<4>();
    let mut sum = [0.0; 4];
    for (x, y) in a4.iter().zip(b4) {
        for k in 0..4 {
            sum[k] += x[k] * y[k];
        }
    }
    let mut rest = 0.0;
    for (x, y) in ra.iter().zip(rb) {
        rest += x * y;
    }
    (sum[0] + sum[2]) + (sum[1] + sum[3]) + rest
}

/// Largest magnitude; NaN does not count.
#[inline(always)]
pub fn largest(x: &[f64]) -> f64 {
    let (x4, rest) = x.as_chunks::<4>();
    let mut most = [0.0; 4];
    for x in x4 {
        for k in 0..4 {
            most[k] = larger(x[k].abs(), most[k]);
        }
    }
    let rest = rest.iter().fold(0.0, |m, x| larger(x.abs(), m));
    most.into_iter().fold(rest, |m, x| larger(x, m))
}

/// The larger of x and y: one instruction, unlike [`f64::max`], which also handles NaN.
#[inline(always)]
pub fn larger(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}

/// The smaller of x and y, and y if x is NaN: one instruction, unlike [`f64::min`].
#[inline(always)]
pub fn smaller(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

/// y += s x.
#[inline(always)]
pub fn axpy<const W: usize>(s: f64, x: &[f64; W], y: &mut [f64; W]) {
    for k in 0..W {
        y[k] += s * x[k];
    }
}

/// y −= Σₖ rowₖ xₖ, over as many rows of `x` as `row` has entries.
#[inline(always)]
pub fn subtract_combination<const W: usize>(row: &[f64], x: &[[f64; W]], y: &mut [f64; W]) {
    if W == 1 {
        y[0] -= dot(row, x.as_flattened());
        return;
    }
    let mut sum = *y;
    for (l, x) in row.iter().zip(x) {
        axpy(-l, x, &mut sum);
    }
    *y = sum;
}

/// y += Σₖ rowₖ xₖ, over as many rows of `x` as `row` has entries.
#[inline(always)]
pub fn add_combination<const W: usize>(row: &[f64], x: &[[f64; W]], y: &mut [f64; W]) {
    if W == 1 {
        y[0] += dot(row, x.as_flattened());
        return;
    }
    let mut sum = *y;
    for (l, x) in row.iter().zip(x) {
        axpy(*l, x, &mut sum);
    }
    *y = sum;
}

/// y += s Aᵀ x for a matrix of six columns: y stays in registers.
///
/// Two widths of vectors, because compilers do not split six lanes by themselves.
#[inline(always)]
pub fn add_six_columns(s: f64, a: &[f64], x: &[f64], y: &mut [f64]) {
    let (y4, y2) = y[..6].split_at_mut(4);
    let (mut head, mut tail) = ([0.0; 4], [0.0; 2]);
    head.copy_from_slice(y4);
    tail.copy_from_slice(y2);
    for (row, x) in a.as_chunks::<6>().0.iter().zip(x) {
        let x = s * x;
        for (y, a) in head.iter_mut().zip(row) {
            *y += a * x;
        }
        for (y, a) in tail.iter_mut().zip(&row[4..]) {
            *y += a * x;
        }
    }
    y4.copy_from_slice(&head);
    y2.copy_from_slice(&tail);
}

/// A unit lower triangular matrix (its strict part) of order n, row-major with a stride.
#[derive(Clone, Copy)]
pub struct UnitLower<'a> {
    pub values: &'a [f64],
    pub stride: usize,
    pub n: usize,
}

impl<'a> UnitLower<'a> {
    #[inline(always)]
    fn row(self, i: usize) -> &'a [f64] {
        &self.values[i * self.stride..i * self.stride + i]
    }

    /// x ← L⁻¹ x.
    #[inline(always)]
    pub fn solve<const W: usize>(self, x: &mut [[f64; W]]) {
        for i in 1..self.n {
            let (done, rest) = x.split_at_mut(i);
            subtract_combination(self.row(i), done, &mut rest[0]);
        }
    }

    /// x ← L⁻ᵀ x.
    #[inline(always)]
    pub fn solve_transpose<const W: usize>(self, x: &mut [[f64; W]]) {
        for i in (1..self.n).rev() {
            let (rest, done) = x.split_at_mut(i);
            for (l, y) in self.row(i).iter().zip(rest) {
                axpy(-l, &done[0], y);
            }
        }
    }
}

/// LDLᵀ of a positive definite matrix in place, without pivoting: L strictly below the diagonal, D on it.
/// `scratch` has n entries. Returns false at a pivot that is not positive.
#[inline(always)]
pub fn factor_definite(a: &mut [f64], stride: usize, n: usize, scratch: &mut [f64]) -> bool {
    for i in 0..n {
        let (above, row) = a.split_at_mut(i * stride);
        let row = &mut row[..=i];
        // The row of L D first, then of L: each entry needs only finished rows of L.
        for j in 0..i {
            row[j] -= dot(&row[..j], &above[j * stride..j * stride + j]);
        }
        let mut pivot = row[i];
        for j in 0..i {
            scratch[j] = row[j] / above[j * stride + j];
            pivot -= scratch[j] * row[j];
        }
        row[..i].copy_from_slice(&scratch[..i]);
        row[i] = pivot;
        if pivot <= 0.0 || pivot.is_nan() {
            return false;
        }
    }
    true
}

/// A definite matrix factored by [`factor_definite`]: x ← A⁻¹ x.
#[inline(always)]
pub fn solve_definite<const W: usize>(a: &[f64], stride: usize, n: usize, x: &mut [[f64; W]]) {
    let lower = UnitLower {
        values: a,
        stride,
        n,
    };
    lower.solve(x);
    for i in 0..n {
        let inverse = 1.0 / a[i * stride + i];
        x[i] = x[i].map(|v| v * inverse);
    }
    lower.solve_transpose(x);
}

/// Writes lane k of a panel contiguously at `out[places[k]·stride..]`.
#[inline(always)]
pub fn store_columns<const W: usize>(
    panel: &[[f64; W]],
    places: &[usize],
    out: &mut [f64],
    stride: usize,
) {
    for (lane, place) in places.iter().take(W).enumerate() {
        for (out, x) in out[place * stride..].iter_mut().zip(panel) {
            *out = x[lane];
        }
    }
}
