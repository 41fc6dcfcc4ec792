//! The factors of M = LᵀDL in the form that suits the tree.
//!
//! Packed rows cost n·depth² to factor and n·depth to solve with, in contiguous memory: the faster form
//! for robots. Sweeps over articulated bodies cost n for any depth. The topology of a model decides
//! between the two.

use super::articulated::Articulation;
use super::mass::{BranchMatrix, DenseInverse, inverse, solve_columns};
use super::reduced::ReducedFactors;
use crate::linalg::{F4, all_positive};
use crate::model::Model;
use crate::model::reduction::Reduction;
use crate::model::topology::Topology;
use std::sync::Arc;

/// L and 1/D, after a method of [`Dynamics`](super::Dynamics) has factored M.
#[derive(Clone, Debug)]
pub enum Factors {
    Packed(BranchMatrix),
    Swept(Articulation),
    /// Of A in reduced coordinates.
    Reduced(Box<ReducedFactors>),
}

impl Factors {
    pub fn new(model: &Model) -> Self {
        let t = model.topology();
        match &t.reduction {
            Some(r) => Factors::Reduced(Box::new(ReducedFactors::new(t, r))),
            None if t.is_deep() => Factors::Swept(Articulation::new(model)),
            None => Factors::Packed(BranchMatrix::new(t)),
        }
    }

    /// From now on, packed factors keep the matrix of each factorization.
    pub fn keep_whole(&mut self) {
        if let Factors::Packed(m) = self {
            m.keep_whole();
        }
    }

    /// Takes other values of the reductions of the model. Allocates.
    pub fn reduce(&mut self, t: &Topology, reduction: &Arc<Reduction>) {
        if let Factors::Reduced(r) = self {
            **r = ReducedFactors::new(t, reduction);
        }
    }

    /// 1/D. If M is not positive definite, some are negative or not finite. Dofs that follow others have 0.
    #[inline(always)]
    pub fn dinv(&self) -> &[f64] {
        match self {
            Factors::Packed(m) => &m.dinv,
            Factors::Swept(a) => &a.dinv,
            Factors::Reduced(r) => &r.dinv,
        }
    }

    /// The dof at which M with this `diagonal` is found not to be positive definite. For an infinite
    /// diagonal entry 1/D is zero.
    pub fn singular_at(&self, diagonal: &[f64]) -> Option<usize> {
        if let Factors::Reduced(r) = self {
            return r.singular_at(diagonal);
        }
        if all_positive(self.dinv()) {
            return None;
        }
        let is_sound = |d: f64, x: f64| d > 0.0 && d.is_finite() || d == 0.0 && x == f64::INFINITY;
        let mut all = self.dinv().iter().zip(diagonal);
        all.position(|(d, x)| !is_sound(*d, *x))
    }

    /// x ← M⁻¹ x.
    pub fn solve(&mut self, t: &Topology, x: &mut [f64]) {
        self.solve_transposed(t, x);
        for (x, d) in x.iter_mut().zip(self.dinv()) {
            *x *= d;
        }
        self.solve_lower(t, x);
    }

    /// x ← L⁻ᵀ x.
    #[inline(always)]
    pub fn solve_transposed(&mut self, t: &Topology, x: &mut [f64]) {
        match self {
            Factors::Packed(m) => m.solve_transposed(t, x),
            Factors::Swept(a) => a.solve_transposed(t, x),
            Factors::Reduced(r) => r.solve_transposed(x),
        }
    }

    /// x ← L⁻¹ x.
    #[inline(always)]
    pub fn solve_lower(&mut self, t: &Topology, x: &mut [f64]) {
        match self {
            Factors::Packed(m) => m.solve_lower(t, x),
            Factors::Swept(a) => a.solve_lower(t, x),
            Factors::Reduced(r) => r.solve_lower(x),
        }
    }

    /// x ← L x.
    pub fn times_lower(&mut self, t: &Topology, x: &mut [f64]) {
        match self {
            Factors::Packed(m) => m.times_lower(t, x),
            Factors::Swept(a) => a.times_lower(t, x),
            Factors::Reduced(r) => r.times_lower(x),
        }
    }

    /// x ← M⁻¹ x for `lanes` lanes of columns at once, row by row. False for swept factors, which have no
    /// such form.
    pub fn solve_columns(&self, t: &Topology, lanes: usize, x: &mut [F4]) -> bool {
        match self {
            Factors::Packed(m) => solve_columns(m, t, 0..t.nv(), lanes, x),
            Factors::Reduced(r) => r.solve_columns(lanes, x),
            Factors::Swept(_) => return false,
        }
        true
    }

    /// Writes M⁻¹ as a dense matrix. Does nothing for swept factors, which have no such form.
    pub fn inverse(&self, t: &Topology, out: &mut DenseInverse) {
        match self {
            Factors::Packed(m) => inverse(out, m, t),
            Factors::Reduced(r) => r.inverse(t, out),
            Factors::Swept(_) => {}
        }
    }
}
