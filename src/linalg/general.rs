//! A factorization of a square matrix that finds its rank, with an inverse on its range if rows are
//! dependent.

use super::complete::Complete;
use super::{LANES, dispatch, grow};

/// A = L U Qᵀ with column exchanges or, if rows are dependent, P A Q = L D U with complete pivoting.
///
/// In the second case L (n × r) and U (r × n) are unit trapezoidal with entries at most 1, so D carries the
/// condition of A. Solves then take b by least squares and return the solution in the range of A,
///
///   x = PᵀL (U Qᵀ PᵀL)⁻¹ D⁻¹ (LᵀL)⁻¹ Lᵀ P b,
///
/// which for a symmetric A is A⁺b. If the range meets the null space, the inner matrix is singular, and the
/// least-norm solution, x = Q Uᵀ (UUᵀ)⁻¹ D⁻¹ (LᵀL)⁻¹ Lᵀ P b, is returned instead.
#[derive(Clone, Debug)]
pub struct General {
    capacity: usize,
    n: usize,
    a: Vec<f64>,
    is_complete: bool,
    complete: Complete,
}

impl General {
    pub fn new(capacity: usize) -> General {
        General {
            capacity,
            n: 0,
            a: Vec::with_capacity(capacity * capacity),
            is_complete: false,
            complete: Complete::new(capacity),
        }
    }

    /// The n × n matrix, row-major, to fill before a factorization, which does not change it. n is limited to
    /// the capacity.
    pub fn matrix(&mut self, n: usize) -> &mut [f64] {
        self.n = n.min(self.capacity);
        grow(&mut self.a, self.n * self.n);
        &mut self.a[..self.n * self.n]
    }

    pub fn order(&self) -> usize {
        self.n
    }

    /// The rank; the order, if no rows are known to be dependent.
    pub fn rank(&self) -> usize {
        match self.is_complete {
            true => self.complete.rank(),
            false => self.n,
        }
    }

    /// LU by rows with column exchanges. Returns false, without factors, if a row's pivot is at most
    /// `tolerance` times the row's largest entry; then use [`General::factor_complete`].
    pub fn factor(&mut self, tolerance: f64) -> bool {
        self.is_complete = false;
        self.complete.lu.factor(&self.a, self.n, self.n, tolerance)
    }

    /// Complete pivoting, with the rank: entries at most `tolerance` times the original row's largest count
    /// as zero.
    pub fn factor_complete(&mut self, tolerance: f64) {
        self.is_complete = true;
        self.complete.factor(&self.a, self.n, tolerance);
    }

    /// x ← A⁻¹ x, or the solution that [`General`] documents if the rank is not full. `scratch` has n
    /// entries.
    pub fn solve<const W: usize>(&self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        match self.is_complete {
            true => self.complete.solve(x, scratch),
            false => self.complete.lu.solve(x, scratch),
        }
    }

    /// The transpose of the map of [`General::solve`].
    pub fn solve_transpose<const W: usize>(&self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        match self.is_complete {
            true => self.complete.solve_transpose(x, scratch),
            false => self.complete.lu.solve_transpose(x, scratch),
        }
    }

    /// The map of [`General::solve`] as RᵀXL with L and R r × n. Column i is written at `i·stride` of `left`
    /// and `right`, which must hold zeros. [`General::solve_middle`] applies X: a product with an explicit
    /// inverse would lose digits.
    pub fn split_sides(&self, left: &mut [f64], right: &mut [f64], stride: usize) {
        if self.is_complete {
            return self.complete.split_sides(left, right, stride);
        }
        for i in 0..self.n {
            left[i * stride + i] = 1.0;
            right[i * stride + i] = 1.0;
        }
    }

    /// x ← X x for the X of [`General::split_sides`], r entries. `scratch` has n entries.
    pub fn solve_middle(&self, x: &mut [[f64; LANES]], scratch: &mut [[f64; LANES]]) {
        solve_middle(self, x, scratch);
    }

    /// As [`Symmetric::range_equations`](super::Symmetric::range_equations), with F = U Qᵀ. Call it after
    /// [`General::factor_complete`].
    pub fn range_equations(
        &self,
        f: &mut [f64],
        stride: usize,
        x: &mut [[f64; 1]],
        scratch: &mut [[f64; 1]],
    ) {
        let (all, r) = (&self.complete, self.complete.rank());
        all.target(x, scratch);
        x[..r].copy_from_slice(&scratch[..r]);
        for (j, unknown) in all.columns().iter().enumerate() {
            for (k, f) in f[unknown * stride..][..r.min(j + 1)].iter_mut().enumerate() {
                *f = all.upper(k, j);
            }
        }
    }
}

#[inline(always)]
fn solve_middle_kernel(g: &General, x: &mut [[f64; LANES]], scratch: &mut [[f64; LANES]]) {
    match g.is_complete {
        true => (g.complete).solve_middle(&mut x[..g.complete.rank()], scratch),
        false => g.complete.lu.solve_kernel(x, scratch),
    }
}

dispatch! {
    fn solve_middle = solve_middle_kernel(
        g: &General, x: &mut [[f64; LANES]], scratch: &mut [[f64; LANES]],
    )
}
