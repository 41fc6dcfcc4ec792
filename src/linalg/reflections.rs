//! Reduces few long rows to a small triangle by reflections.

use super::dispatch;
use super::kernel::dot;

/// Householder reflections Q that reduce rows A to a lower triangle, A = [L 0] Qᵀ, also if rows are
/// dependent: L has the products of the rows, A Aᵀ = L Lᵀ. Sized at creation.
#[derive(Clone, Debug)]
pub struct Reflections {
    length: usize,
    rows: usize,
    /// Row by row: the entries of L before the diagonal, then the vector of the row's reflection.
    values: Vec<f64>,
    diagonal: Vec<f64>,
    /// 2/vᵀv of each vector; zero if there is no reflection.
    scales: Vec<f64>,
}

impl Reflections {
    /// Reserves memory for this many rows and numbers.
    pub fn with_capacity(rows: usize, numbers: usize) -> Reflections {
        Reflections {
            length: 0,
            rows: 0,
            values: Vec::with_capacity(numbers),
            diagonal: Vec::with_capacity(rows),
            scales: Vec::with_capacity(rows),
        }
    }

    /// Starts with rows of zeros. Their length is at least their number.
    pub fn start(&mut self, rows: usize, length: usize) {
        (self.rows, self.length) = (rows, length);
        self.values.clear();
        self.values.resize(rows * length, 0.0);
        for x in [&mut self.diagonal, &mut self.scales] {
            x.clear();
            x.resize(rows, 0.0);
        }
    }

    /// A row, to fill before [`Reflections::factor`].
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.length..][..self.length]
    }

    /// Finds L and the reflections.
    pub fn factor(&mut self) {
        factor(self);
    }

    /// Writes a row of L, up to the diagonal, into the first numbers of `out`.
    pub fn write(&self, row: usize, out: &mut [f64]) {
        out[..row].copy_from_slice(&self.values[row * self.length..][..row]);
        out[row] = self.diagonal[row];
    }

    /// x ← Qᵀ x. The rows act on its first numbers only.
    pub fn turn(&self, x: &mut [f64]) {
        turn(self, x);
    }
}

/// x ← x − s (vᵀx) v.
#[inline(always)]
fn reflect(v: &[f64], s: f64, x: &mut [f64]) {
    let along = s * dot(v, x);
    for (x, v) in x.iter_mut().zip(v) {
        *x -= along * v;
    }
}

#[inline(always)]
fn factor_kernel(r: &mut Reflections) {
    for i in 0..r.rows {
        let (own, below) = r.values[i * r.length..].split_at_mut(r.length);
        let v = &mut own[i..];
        let size = dot(v, v).sqrt();
        if size.is_nan() || size == 0.0 {
            // NaN is passed on.
            r.diagonal[i] = size;
            continue;
        }
        // Away from the vector, so that nothing cancels.
        let to = if v[0] > 0.0 { -size } else { size };
        v[0] -= to;
        let s = 2.0 / dot(v, v);
        (r.diagonal[i], r.scales[i]) = (to, s);
        for row in below.chunks_exact_mut(r.length) {
            reflect(v, s, &mut row[i..]);
        }
    }
}

dispatch! {
    fn factor = factor_kernel(r: &mut Reflections)
}

#[inline(always)]
fn turn_kernel(r: &Reflections, x: &mut [f64]) {
    for i in (0..r.rows).filter(|i| r.scales[*i] != 0.0) {
        let v = &r.values[i * r.length..][i..r.length];
        reflect(v, r.scales[i], &mut x[i..]);
    }
}

dispatch! {
    fn turn = turn_kernel(r: &Reflections, x: &mut [f64])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::scattered;

    #[test]
    fn short_rows_have_the_products_of_the_long_ones() {
        let (m, n) = (7, 23);
        let mut rows: Vec<Vec<f64>> = (0..m)
            .map(|i| (0..n).map(|k| scattered(k, 3 * i)).collect())
            .collect();
        // One row is zero, one depends on two others.
        rows[2].fill(0.0);
        for k in 0..n {
            rows[5][k] = rows[0][k] - 2.0 * rows[3][k];
        }
        let mut r = Reflections::with_capacity(m, m * n);
        r.start(m, n);
        for (i, row) in rows.iter().enumerate() {
            r.row_mut(i).copy_from_slice(row);
        }
        r.factor();
        let mut short = vec![vec![0.0; m]; m];
        for (i, row) in short.iter_mut().enumerate() {
            r.write(i, row);
        }
        let x: Vec<f64> = (0..n).map(|k| scattered(k, 5)).collect();
        let mut turned = x.clone();
        r.turn(&mut turned);
        for i in 0..m {
            for j in 0..m {
                let (exact, found) = (dot(&rows[i], &rows[j]), dot(&short[i], &short[j]));
                assert!((exact - found).abs() < 1e-13, "{i} {j}: {exact} {found}");
            }
            let (exact, found) = (dot(&rows[i], &x), dot(&short[i], &turned[..m]));
            assert!((exact - found).abs() < 1e-13, "{i}: {exact} {found}");
        }
    }
}
