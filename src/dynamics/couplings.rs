//! Terms of the system matrix between dofs of any branches, as a product of low rank around the factors
//! of the trees.
//!
//! A = A₀ + U Wᵀ. The columns of U are unit vectors of the rows that have terms, and those of W hold
//! their terms. With Z = A₀⁻¹ U and the capacitance matrix C = 1 + WᵀZ (Sherman–Morrison–Woodbury):
//!
//!   A⁻¹ x = y − Z C⁻¹ Wᵀ y, y = A₀⁻¹ x,   A⁻ᵀ x = A₀⁻¹ (x − W C⁻ᵀ Zᵀ x).
//!
//! A symmetric product w g gᵀ with w > 0 has √w g in both U and W. Products may change in every step.
//!
//! C is factored by LU, so that neither A nor A₀ needs to be symmetric. With rank r this costs r solves
//! with A₀ and r³.

use crate::linalg::Lu;

/// A pivot of the capacitance matrix at most this share of its row counts as zero.
const TINY: f64 = 1e-14;

/// The terms, and the data for solving.
#[derive(Clone, Debug)]
pub struct Couplings {
    nv: usize,
    /// Rows that have terms.
    rows: Vec<usize>,
    /// Index of the column of U and W, row of W, value.
    terms: Vec<(usize, usize, f64)>,
    /// √w g of all products as (dof, value), and the index at which each product ends.
    products: Vec<(usize, f64)>,
    ends: Vec<usize>,
    /// Z, column by column, and C by rows.
    z: Vec<f64>,
    capacitance: Vec<f64>,
    lu: Lu,
    is_regular: bool,
    /// The largest entry of C, and of A₀⁻¹ x in the last solution.
    largest: f64,
    before: f64,
    small: Vec<[f64; 1]>,
    scratch: Vec<[f64; 1]>,
}

impl Couplings {
    /// For a matrix of order `nv` with these terms: (row, column, value), and capacity for `products`
    /// products with `numbers` numbers in total. Allocates.
    pub fn new(
        nv: usize,
        terms: impl Iterator<Item = (usize, usize, f64)>,
        [products, numbers]: [usize; 2],
    ) -> Self {
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
        let rank = rows.len() + products;
        Couplings {
            nv,
            rows,
            terms,
            products: Vec::with_capacity(numbers),
            ends: Vec::with_capacity(products),
            z: vec![0.0; nv * rank],
            capacitance: vec![0.0; rank * rank],
            lu: Lu::new(rank),
            is_regular: false,
            largest: 0.0,
            before: 0.0,
            small: vec![[0.0]; rank],
            scratch: vec![[0.0]; rank],
        }
    }

    /// Stiffness of the terms relative to A₀. In a product with A⁻¹ a force along the terms is reduced by
    /// about this factor, so that its result has round-off larger by this factor.
    pub fn stiffness(&self) -> f64 {
        self.largest
    }

    /// The largest entry of A₀⁻¹ x in the last solution A⁻¹ x. The solution has the round-off of this
    /// number.
    pub fn before(&self) -> f64 {
        self.before
    }

    /// Columns of U and W.
    pub fn rank(&self) -> usize {
        self.rows.len() + self.ends.len()
    }

    /// Replaces the products: for each the weight, the dofs of g and its entries.
    pub fn set_products<'a>(
        &mut self,
        products: impl Iterator<Item = (f64, &'a [usize], &'a [f64])>,
    ) {
        self.is_regular = false;
        self.largest = 0.0;
        self.products.clear();
        self.ends.clear();
        for (weight, dofs, g) in products {
            let root = weight.sqrt();
            (self.products).extend(dofs.iter().zip(g).map(|(k, g)| (*k, root * g)));
            self.ends.push(self.products.len());
        }
    }

    /// Passes Wᵀ x to `out`, one entry per column.
    fn project(&self, x: &[f64], mut out: impl FnMut(usize, f64)) {
        for (k, column, value) in &self.terms {
            out(*k, value * x[*column]);
        }
        for k in 0..self.ends.len() {
            let product = self.product(k).iter().map(|(i, g)| g * x[*i]);
            out(self.rows.len() + k, product.sum());
        }
    }

    /// `out` −= U Wᵀ x.
    pub fn subtract(&self, x: &[f64], out: &mut [f64]) {
        for (k, column, value) in &self.terms {
            out[self.rows[*k]] -= value * x[*column];
        }
        self.subtract_products(x, out);
    }

    /// `out` −= W Uᵀ x.
    pub fn subtract_transposed(&self, x: &[f64], out: &mut [f64]) {
        for (k, column, value) in &self.terms {
            out[*column] -= value * x[self.rows[*k]];
        }
        self.subtract_products(x, out);
    }

    fn subtract_products(&self, x: &[f64], out: &mut [f64]) {
        for k in 0..self.ends.len() {
            let g = self.product(k);
            let along: f64 = g.iter().map(|(i, g)| g * x[*i]).sum();
            g.iter().for_each(|(i, g)| out[*i] -= g * along);
        }
    }

    /// `out` += U Wᵀ x.
    pub fn add_product(&self, x: &[f64], out: &mut [f64]) {
        self.project(x, |k, y| match self.rows.get(k) {
            Some(row) => out[*row] += y,
            None => {
                for (i, g) in self.product(k - self.rows.len()) {
                    out[*i] += g * y;
                }
            }
        });
    }

    /// √w g of a product.
    fn product(&self, k: usize) -> &[(usize, f64)] {
        let start = if k == 0 { 0 } else { self.ends[k - 1] };
        &self.products[start..self.ends[k]]
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Sets new values for the same terms. Returns false if the positions differ.
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

    /// Prepares solving. `solve` computes x ← A₀⁻¹ x.
    pub fn factor(&mut self, mut solve: impl FnMut(&mut [f64])) {
        let (rank, rows) = (self.rank(), self.rows.len());
        (self.largest, self.before) = (0.0, 0.0);
        if rank == 0 {
            return;
        }
        let mut z = std::mem::take(&mut self.z);
        z[..rank * self.nv].fill(0.0);
        for (k, z) in z.chunks_exact_mut(self.nv).take(rank).enumerate() {
            match k.checked_sub(rows) {
                None => z[self.rows[k]] = 1.0,
                Some(k) => self.product(k).iter().for_each(|(i, g)| z[*i] = *g),
            }
            solve(z);
        }
        let mut capacitance = std::mem::take(&mut self.capacitance);
        capacitance[..rank * rank].fill(0.0);
        for (j, z) in z.chunks_exact(self.nv).take(rank).enumerate() {
            capacitance[j * rank + j] = 1.0;
            self.project(z, |i, x| capacitance[i * rank + j] += x);
        }
        let size = capacitance[..rank * rank].iter();
        self.largest = size.fold(0.0, |m: f64, x| m.max(x.abs()));
        self.is_regular = self.lu.factor(&capacitance, rank, rank, TINY);
        (self.z, self.capacitance) = (z, capacitance);
    }

    /// x ← A⁻¹ x, where `solve` does the same for A₀. Not finite if A is singular.
    pub fn solve(&mut self, mut solve: impl FnMut(&mut [f64]), x: &mut [f64]) {
        solve(x);
        let rank = self.rank();
        if rank == 0 {
            return;
        }
        self.before = x.iter().fold(0.0, |m, x| x.abs().max(m));
        let mut small = std::mem::take(&mut self.small);
        small.fill([0.0]);
        self.project(x, |k, y| small[k][0] += y);
        self.lu.solve(&mut small[..rank], &mut self.scratch[..rank]);
        for ([s], z) in small[..rank].iter().zip(self.z.chunks_exact(self.nv)) {
            for (x, z) in x.iter_mut().zip(z) {
                *x -= z * s;
            }
        }
        self.small = small;
        self.refuse_singular(x);
    }

    /// x ← A⁻ᵀ x, where `solve` does the same for A₀.
    pub fn solve_transposed(&mut self, mut solve: impl FnMut(&mut [f64]), x: &mut [f64]) {
        let (rank, rows) = (self.rank(), self.rows.len());
        if rank == 0 {
            return solve(x);
        }
        let small = &mut self.small[..rank];
        for ([s], z) in small.iter_mut().zip(self.z.chunks_exact(self.nv)) {
            *s = z.iter().zip(&*x).map(|(z, x)| z * x).sum();
        }
        (self.lu).solve_transpose(small, &mut self.scratch[..rank]);
        for (k, column, value) in &self.terms {
            x[*column] -= value * self.small[*k][0];
        }
        for k in rows..rank {
            let s = self.small[k][0];
            self.product(k - rows)
                .iter()
                .for_each(|(i, g)| x[*i] -= g * s);
        }
        solve(x);
        self.refuse_singular(x);
    }

    fn refuse_singular(&self, x: &mut [f64]) {
        if !self.is_regular {
            x.fill(f64::NAN);
        }
    }
}
