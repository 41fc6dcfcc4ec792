//! The matrix of a step's linear part, as forces and integrators make it.

use super::couplings::Couplings;
use super::factors::Factors;
use super::tree_lu::TreeLu;
use crate::model::topology::Topology;

/// What a system matrix A is beside the tree's factors of M plus a diagonal. Constraints respond through these alone: they
/// take [`System::Definite`].
#[derive(Clone, Debug)]
pub enum System {
    /// Nothing.
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

    /// Takes terms beside the diagonal: (row, column, value), and has room for so many products with so many numbers in
    /// all. Allocates where there are other terms than before.
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

    /// Takes other products than before: of each w g gᵀ the weight, the dofs of g and its entries.
    pub fn set_products<'a>(
        &mut self,
        products: impl Iterator<Item = (f64, &'a [usize], &'a [f64])>,
    ) {
        if let System::Coupled(c) = self {
            c.set_products(products);
        }
    }

    /// `out` += what A has beyond M and the diagonal, times x. Nothing of a matrix that is none of a tree.
    pub fn add_product(&self, x: &[f64], out: &mut [f64]) {
        if let System::Coupled(c) = self {
            c.add_product(x, out);
        }
    }

    /// After the tree's factors have been made.
    pub fn factor(&mut self, m: &mut Factors, t: &Topology) {
        if let System::Coupled(c) = self {
            c.factor(|x| m.solve(t, x));
        }
    }

    /// How many times more than what it moves is inert a force is stiff that A has beside the tree's factors; after
    /// [`System::factor`].
    pub fn stiffness(&self) -> f64 {
        match self {
            System::Coupled(c) => c.stiffness(),
            _ => 0.0,
        }
    }

    /// The largest entry of what forces would bring about without being implicit, of whose roundings the last solution has
    /// some; zero where there are none of that kind.
    pub fn before(&self) -> f64 {
        match self {
            System::Coupled(c) if c.rank() > 0 => c.before(),
            _ => 0.0,
        }
    }

    /// `out` −= the terms between dofs and the products times x.
    pub fn subtract_couplings(&self, x: &[f64], out: &mut [f64]) {
        if let System::Coupled(c) = self {
            c.subtract(x, out);
        }
    }

    /// `out` −= their transposes times x.
    pub fn subtract_couplings_transposed(&self, x: &[f64], out: &mut [f64]) {
        if let System::Coupled(c) = self {
            c.subtract_transposed(x, out);
        }
    }

    /// x ← A⁻¹ x; not finite where A is singular.
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
