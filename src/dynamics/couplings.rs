//! Terms of the system matrix between dofs of any branches, as a product of low rank around the tree's factors.
//!
//! A = A₀ + U Wᵀ, where the columns of U are units of the rows that have terms, and those of W hold their terms. With
//! Z = A₀⁻¹ U and the capacitance matrix C = 1 + WᵀZ (Sherman–Morrison–Woodbury):
//!
//!   A⁻¹ x = y − Z C⁻¹ Wᵀ y, y = A₀⁻¹ x,   A⁻ᵀ x = A₀⁻¹ (x − W C⁻ᵀ Zᵀ x).
//!
//! C is factored by LU, so that A need not be symmetric. Of rank r, it costs r solves with A₀ and r³.

use super::factors::Factors;
use crate::linalg::Lu;
use crate::model::topology::Topology;

/// A pivot of the capacitance matrix at most this share of its row counts as zero.
const TINY: f64 = 1e-14;

/// The terms, and what solving takes.
#[derive(Clone, Debug)]
pub struct Couplings {
    nv: usize,
    /// Rows that have terms.
    rows: Vec<usize>,
    /// Column of U and W, row of W, value.
    terms: Vec<(usize, usize, f64)>,
    /// Z, column by column, and C by rows.
    z: Vec<f64>,
    capacitance: Vec<f64>,
    lu: Lu,
    is_regular: bool,
    small: Vec<[f64; 1]>,
    scratch: Vec<[f64; 1]>,
}

impl Couplings {
    /// Of a matrix of order `nv` with such terms: (row, column, value). Allocates.
    pub fn new(nv: usize, terms: impl Iterator<Item = (usize, usize, f64)>) -> Self {
        let mut rows: Vec<usize> = Vec::new();
        let terms = terms.map(|(row, column, x)| {
            let known = rows.iter().position(|r| *r == row);
            let k = known.unwrap_or(rows.len());
            if known.is_none() {
                rows.push(row);
            }
            (k, column, x)
        });
        let terms: Vec<_> = terms.collect();
        let rank = rows.len();
        Couplings {
            nv,
            rows,
            terms,
            z: vec![0.0; nv * rank],
            capacitance: vec![0.0; rank * rank],
            lu: Lu::new(rank),
            is_regular: false,
            small: vec![[0.0]; rank],
            scratch: vec![[0.0]; rank],
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// New values of the same terms; false if they are others.
    pub fn set(&mut self, mut terms: impl Iterator<Item = (usize, usize, f64)>) -> bool {
        self.is_regular = false;
        for (k, column, value) in &mut self.terms {
            match terms.next() {
                Some((r, c, x)) if (r, c) == (self.rows[*k], *column) => *value = x,
                _ => return false,
            }
        }
        terms.next().is_none()
    }

    /// Prepares solving with these factors of A₀.
    pub fn factor(&mut self, m: &mut Factors, t: &Topology) {
        let rank = self.rows.len();
        self.z.fill(0.0);
        for (z, row) in self.z.chunks_exact_mut(self.nv).zip(&self.rows) {
            z[*row] = 1.0;
            m.solve(t, z);
        }
        self.capacitance.fill(0.0);
        for (j, z) in self.z.chunks_exact(self.nv).enumerate() {
            self.capacitance[j * rank + j] = 1.0;
            for (i, column, x) in &self.terms {
                self.capacitance[i * rank + j] += x * z[*column];
            }
        }
        self.is_regular = self.lu.factor(&self.capacitance, rank, rank, TINY);
    }

    /// x ← A⁻¹ x; not finite where A is singular.
    pub fn solve(&mut self, m: &mut Factors, t: &Topology, x: &mut [f64]) {
        m.solve(t, x);
        self.small.fill([0.0]);
        for (k, column, value) in &self.terms {
            self.small[*k][0] += value * x[*column];
        }
        self.lu.solve(&mut self.small, &mut self.scratch);
        for ([s], z) in self.small.iter().zip(self.z.chunks_exact(self.nv)) {
            for (x, z) in x.iter_mut().zip(z) {
                *x -= z * s;
            }
        }
        self.refuse_singular(x);
    }

    /// x ← A⁻ᵀ x.
    pub fn solve_transposed(&mut self, m: &mut Factors, t: &Topology, x: &mut [f64]) {
        for ([s], z) in self.small.iter_mut().zip(self.z.chunks_exact(self.nv)) {
            *s = z.iter().zip(&*x).map(|(z, x)| z * x).sum();
        }
        self.lu.solve_transpose(&mut self.small, &mut self.scratch);
        for (k, column, value) in &self.terms {
            x[*column] -= value * self.small[*k][0];
        }
        m.solve(t, x);
        self.refuse_singular(x);
    }

    fn refuse_singular(&self, x: &mut [f64]) {
        if !self.is_regular {
            x.fill(f64::NAN);
        }
    }
}
