//! The system matrix of a step, as forces and integrators define it.

use super::couplings::Couplings;
use super::factors::Factors;
use super::tree_lu::TreeLu;
use crate::model::topology::Topology;

/// The part of the system matrix A beyond the trees' factors of M plus a diagonal. Constraints respond
/// through these factors alone: they require [`System::Definite`].
#[derive(Clone, Debug)]
pub enum System {
    /// No further part.
    Definite,
    /// Terms between dofs of different branches, and products g gᵀ.
    Coupled(Box<Couplings>),
    /// A itself, with the sparsity of the tree, not symmetric.
    General(TreeLu),
}

impl System {
    pub fn is_definite(&self) -> bool {
        match self {
            System::Definite => true,
            System::Coupled(c) => c.rank() == 0,
            System::General(_) => false,
        }
    }

    /// Sets the terms beside the diagonal: (row, column, value), with capacity for products: [their
    /// number, the numbers in them]. Allocates if the positions of the terms change.
    pub fn couple(
        &mut self,
        nv: usize,
        terms: impl Iterator<Item = (usize, usize, f64)> + Clone,
        room: [usize; 2],
    ) {
        if let System::Coupled(c) = self
            && c.set(terms.clone())
        {
            return;
        }
        let couplings = Couplings::new(nv, terms, room);
        *self = match couplings.is_empty() && room[0] == 0 {
            true => System::Definite,
            false => System::Coupled(Box::new(couplings)),
        };
    }

    /// Replaces the products w g gᵀ: for each the weight, the dofs of g and its entries.
    pub fn set_products<'a>(
        &mut self,
        products: impl Iterator<Item = (f64, &'a [usize], &'a [f64])>,
    ) {
        if let System::Coupled(c) = self {
            c.set_products(products);
        }
    }

    /// `out` += the part of A beyond M and the diagonal, times x. Does nothing for a general matrix.
    pub fn add_product(&self, x: &[f64], out: &mut [f64]) {
        if let System::Coupled(c) = self {
            c.add_product(x, out);
        }
    }

    /// Completes the factorization. Call it after the trees' factors are computed.
    pub fn factor(&mut self, m: &mut Factors, t: &Topology) {
        if let System::Coupled(c) = self {
            c.factor(|x| m.solve(t, x));
        }
    }

    /// Stiffness of the terms beyond the trees' factors, relative to the inertia that they move. Call it
    /// after [`System::factor`].
    pub fn stiffness(&self) -> f64 {
        match self {
            System::Coupled(c) => c.stiffness(),
            _ => 0.0,
        }
    }

    /// The largest entry of the last solution without the implicit terms; the solution has the round-off
    /// of this number. Zero if there are no such terms.
    pub fn before(&self) -> f64 {
        match self {
            System::Coupled(c) if c.rank() > 0 => c.before(),
            _ => 0.0,
        }
    }

    /// `out` −= the terms between dofs and the products, times x.
    pub fn subtract_couplings(&self, x: &[f64], out: &mut [f64]) {
        if let System::Coupled(c) = self {
            c.subtract(x, out);
        }
    }

    /// `out` −= their transposes, times x.
    pub fn subtract_couplings_transposed(&self, x: &[f64], out: &mut [f64]) {
        if let System::Coupled(c) = self {
            c.subtract_transposed(x, out);
        }
    }

    /// x ← A⁻¹ x. Not finite if A is singular.
    #[inline(always)]
    pub fn solve(&mut self, m: &mut Factors, t: &Topology, x: &mut [f64]) {
        match self {
            System::Definite => m.solve(t, x),
            System::Coupled(c) => c.solve(|x| m.solve(t, x), x),
            System::General(lu) => lu.solve(t, x),
        }
    }

    /// x ← A⁻ᵀ x.
    #[inline(always)]
    pub fn solve_transposed(&mut self, m: &mut Factors, t: &Topology, x: &mut [f64]) {
        match self {
            System::Definite => m.solve(t, x),
            System::Coupled(c) => c.solve_transposed(|x| m.solve(t, x), x),
            System::General(lu) => lu.solve_transposed(t, x),
        }
    }
}
