//! LDLᵀ of a positive definite matrix, and solves with either half of it.

use super::dispatch;
use super::kernel::{UnitLower, factor_definite};

/// A = L D Lᵀ with L unit lower triangular, block by block on the diagonal. With B = L D^(1/2), A = B Bᵀ.
#[derive(Clone, Debug)]
pub struct Definite {
    n: usize,
    /// L and D, row-major; before [`Definite::factor`] the lower triangle of A.
    a: Vec<f64>,
    /// First index of each block, then the number of rows.
    starts: Vec<usize>,
    /// Diagonal of A, then D^(−1/2).
    diagonal: Vec<f64>,
    inverse_root: Vec<f64>,
}

/// A pivot that is not positive compared with the round-off of its row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadPivot {
    pub at: usize,
    pub value: f64,
    /// The bound that the pivot must exceed.
    pub least: f64,
}

impl Definite {
    pub fn new(n: usize) -> Definite {
        Definite {
            n,
            a: vec![0.0; n * n],
            starts: Vec::with_capacity(n + 1),
            diagonal: vec![0.0; n],
            inverse_root: vec![0.0; n],
        }
    }

    /// The n × n matrix, row-major, to fill before [`Definite::factor`]; only the lower triangles of its
    /// blocks are read.
    pub fn matrix(&mut self) -> &mut [f64] {
        &mut self.a
    }

    /// Factors in place a matrix of blocks that begin at these indices; the last index is n.
    ///
    /// # Errors
    /// The first pivot that shows that the matrix is not definite to within round-off.
    pub fn factor(&mut self, starts: &[usize]) -> Result<(), BadPivot> {
        let n = self.n;
        self.starts.clear();
        self.starts.extend_from_slice(starts);
        for (k, d) in self.diagonal.iter_mut().enumerate() {
            *d = self.a[k * n + k];
        }
        for block in starts.windows(2) {
            let (first, size) = (block[0], block[1] - block[0]);
            let scratch = &mut self.inverse_root[first..block[1]];
            factor(&mut self.a[first * n + first..], n, size, scratch);
            for k in first..block[1] {
                let value = self.a[k * n + k];
                let least = n as f64 * f64::EPSILON * self.diagonal[k].max(0.0);
                // NaN counts as a bad pivot. Pivots after the first bad one are not computed.
                let good = value > least;
                if !good {
                    return Err(BadPivot {
                        at: k,
                        value,
                        least,
                    });
                }
                self.inverse_root[k] = 1.0 / value.sqrt();
            }
        }
        Ok(())
    }

    /// x ← B⁻¹ x of a block.
    pub fn solve_half<const W: usize>(&self, block: usize, x: &mut [[f64; W]]) {
        let (a, roots) = self.block(block);
        solve_half(a, self.n, roots, x);
    }

    /// x ← B⁻ᵀ x of a block.
    pub fn solve_half_transposed(&self, block: usize, x: &mut [[f64; 1]]) {
        let (a, roots) = self.block(block);
        solve_half_transposed(a, self.n, roots, x);
    }

    fn block(&self, block: usize) -> (&[f64], &[f64]) {
        let (first, end) = (self.starts[block], self.starts[block + 1]);
        (
            &self.a[first * self.n + first..],
            &self.inverse_root[first..end],
        )
    }
}

#[inline(always)]
fn factor_kernel(a: &mut [f64], stride: usize, n: usize, scratch: &mut [f64]) -> bool {
    factor_definite(a, stride, n, scratch)
}

#[inline(always)]
fn solve_half_kernel<const W: usize>(
    a: &[f64],
    stride: usize,
    inverse_root: &[f64],
    x: &mut [[f64; W]],
) {
    let lower = UnitLower {
        values: a,
        stride,
        n: inverse_root.len(),
    };
    lower.solve(x);
    for (x, r) in x.iter_mut().zip(inverse_root) {
        *x = x.map(|x| x * r);
    }
}

#[inline(always)]
fn solve_half_transposed_kernel(
    a: &[f64],
    stride: usize,
    inverse_root: &[f64],
    x: &mut [[f64; 1]],
) {
    for (x, r) in x.iter_mut().zip(inverse_root) {
        x[0] *= r;
    }
    let lower = UnitLower {
        values: a,
        stride,
        n: inverse_root.len(),
    };
    lower.solve_transpose(x);
}

dispatch! {
    fn factor = factor_kernel(a: &mut [f64], stride: usize, n: usize, scratch: &mut [f64]) -> bool
}

dispatch! {
    fn solve_half<const W: usize> = solve_half_kernel(
        a: &[f64], stride: usize, inverse_root: &[f64], x: &mut [[f64; W]],
    )
}

dispatch! {
    fn solve_half_transposed = solve_half_transposed_kernel(
        a: &[f64], stride: usize, inverse_root: &[f64], x: &mut [[f64; 1]],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::scattered;

    /// Two blocks; their upper triangles and the entries between them are not read.
    #[test]
    fn halves_make_the_whole_and_a_bad_pivot_is_named() {
        const N: usize = 7;
        let starts = [0, 5, N];
        let b: Vec<f64> = (0..N * N).map(|k| scattered(k, 1)).collect();
        let of = |i: usize| usize::from(i >= starts[1]);
        let entry = |i: usize, j: usize| {
            let dot: f64 = (0..N).map(|k| b[i * N + k] * b[j * N + k]).sum();
            f64::from(of(i) == of(j)) * dot + f64::from(i == j)
        };
        let mut a = Definite::new(N);
        let fill = |a: &mut Definite, but: f64| {
            for i in 0..N {
                for j in 0..N {
                    let is_read = of(i) == of(j) && i >= j;
                    a.matrix()[i * N + j] = if is_read { entry(i, j) } else { 99.0 };
                }
            }
            a.matrix()[4 * N + 4] -= but;
        };
        fill(&mut a, 0.0);
        a.factor(&starts).unwrap();
        let y: Vec<[f64; 1]> = (0..N).map(|k| [scattered(k, 2)]).collect();
        let mut half = y.clone();
        for block in 0..2 {
            a.solve_half(block, &mut half[starts[block]..starts[block + 1]]);
        }
        let mut x = half.clone();
        for block in 0..2 {
            a.solve_half_transposed(block, &mut x[starts[block]..starts[block + 1]]);
        }
        for i in 0..N {
            let product: f64 = (0..N).map(|j| entry(i, j) * x[j][0]).sum();
            assert!((product - y[i][0]).abs() < 1e-13);
        }
        // yᵀ A⁻¹ y = ‖B⁻¹ y‖².
        let energy: f64 = half.iter().map(|[h]| h * h).sum();
        let direct: f64 = x.iter().zip(&y).map(|([x], [y])| x * y).sum();
        assert!((energy - direct).abs() < 1e-13 * energy);
        fill(&mut a, 9.0);
        let bad = a.factor(&starts).unwrap_err();
        assert!(bad.at == 4 && bad.value < 0.0, "{bad:?}");
    }
}
