//! LDLᵀ of a positive definite matrix, and solves with either half of it.

use super::dispatch;
use super::kernel::{UnitLower, factor_definite};

/// A = L D Lᵀ with L unit lower triangular. With B = L D^(1/2), A = B Bᵀ.
#[derive(Clone, Debug)]
pub struct Definite {
    n: usize,
    /// L and D, row-major; before [`Definite::factor`] the lower triangle of A.
    a: Vec<f64>,
    /// Of A, and D^(−1/2).
    diagonal: Vec<f64>,
    inverse_root: Vec<f64>,
}

/// A pivot that is not positive beside the round-off of its row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadPivot {
    pub at: usize,
    pub value: f64,
    /// What it must exceed.
    pub least: f64,
}

impl Definite {
    pub fn new(n: usize) -> Definite {
        Definite {
            n,
            a: vec![0.0; n * n],
            diagonal: vec![0.0; n],
            inverse_root: vec![0.0; n],
        }
    }

    /// The n × n matrix to be filled before [`Definite::factor`], row-major; only the lower triangle is read.
    pub fn matrix(&mut self) -> &mut [f64] {
        &mut self.a
    }

    /// Factors in place.
    ///
    /// # Errors
    /// The first pivot that a matrix which is definite to within round-off does not have.
    pub fn factor(&mut self) -> Result<(), BadPivot> {
        let n = self.n;
        for (k, d) in self.diagonal.iter_mut().enumerate() {
            *d = self.a[k * n + k];
        }
        factor(&mut self.a, n, &mut self.inverse_root);
        for k in 0..n {
            let value = self.a[k * n + k];
            let least = n as f64 * f64::EPSILON * self.diagonal[k].max(0.0);
            // NaN is no pivot either. Those after the first bad one were not reached.
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
        Ok(())
    }

    /// x ← B⁻¹ x.
    pub fn solve_half<const W: usize>(&self, x: &mut [[f64; W]]) {
        solve_half(&self.a, &self.inverse_root, x);
    }

    /// x ← B⁻ᵀ x.
    pub fn solve_half_transposed(&self, x: &mut [[f64; 1]]) {
        solve_half_transposed(&self.a, &self.inverse_root, x);
    }

    /// x ← A⁻¹ x.
    pub fn solve(&self, x: &mut [[f64; 1]]) {
        self.solve_half(x);
        self.solve_half_transposed(x);
    }
}

#[inline(always)]
fn factor_kernel(a: &mut [f64], n: usize, scratch: &mut [f64]) -> bool {
    factor_definite(a, n, n, scratch)
}

#[inline(always)]
fn solve_half_kernel<const W: usize>(a: &[f64], inverse_root: &[f64], x: &mut [[f64; W]]) {
    let n = inverse_root.len();
    let lower = UnitLower {
        values: a,
        stride: n,
        n,
    };
    lower.solve(x);
    for (x, r) in x.iter_mut().zip(inverse_root) {
        *x = x.map(|x| x * r);
    }
}

#[inline(always)]
fn solve_half_transposed_kernel(a: &[f64], inverse_root: &[f64], x: &mut [[f64; 1]]) {
    let n = inverse_root.len();
    for (x, r) in x.iter_mut().zip(inverse_root) {
        x[0] *= r;
    }
    let lower = UnitLower {
        values: a,
        stride: n,
        n,
    };
    lower.solve_transpose(x);
}

dispatch! {
    fn factor = factor_kernel(a: &mut [f64], n: usize, scratch: &mut [f64]) -> bool
}

dispatch! {
    fn solve_half<const W: usize> = solve_half_kernel(a: &[f64], inverse_root: &[f64], x: &mut [[f64; W]])
}

dispatch! {
    fn solve_half_transposed = solve_half_transposed_kernel(a: &[f64], inverse_root: &[f64], x: &mut [[f64; 1]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::scattered;

    #[test]
    fn halves_make_the_whole_and_a_bad_pivot_is_named() {
        const N: usize = 7;
        let b: Vec<f64> = (0..N * N).map(|k| scattered(k, 1)).collect();
        let entry = |i: usize, j: usize| {
            let dot: f64 = (0..N).map(|k| b[i * N + k] * b[j * N + k]).sum();
            dot + f64::from(i == j)
        };
        let mut a = Definite::new(N);
        let fill = |a: &mut Definite, but: f64| {
            for i in 0..N {
                for j in 0..N {
                    a.matrix()[i * N + j] = entry(i, j);
                }
            }
            a.matrix()[4 * N + 4] -= but;
        };
        fill(&mut a, 0.0);
        a.factor().unwrap();
        let y: Vec<[f64; 1]> = (0..N).map(|k| [scattered(k, 2)]).collect();
        let (mut x, mut half) = (y.clone(), y.clone());
        a.solve(&mut x);
        for i in 0..N {
            let product: f64 = (0..N).map(|j| entry(i, j) * x[j][0]).sum();
            assert!((product - y[i][0]).abs() < 1e-13);
        }
        // yᵀ A⁻¹ y = ‖B⁻¹ y‖².
        a.solve_half(&mut half);
        let energy: f64 = half.iter().map(|[h]| h * h).sum();
        let direct: f64 = x.iter().zip(&y).map(|([x], [y])| x * y).sum();
        assert!((energy - direct).abs() < 1e-13 * energy);
        fill(&mut a, 9.0);
        let bad = a.factor().unwrap_err();
        assert!(bad.at == 4 && bad.value < 0.0, "{bad:?}");
    }
}
