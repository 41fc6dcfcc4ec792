//! LU of a matrix with the sparsity of a tree that need not be symmetric.
//!
//! An entry A_ij is zero unless one dof is above the other. Eliminating dofs from the tips to the root fills nothing in, as
//! for M = LᵀDL (Featherstone 2008, §6.4): what dof k leaves behind is on the path above it. There is no pivoting, which
//! would: a pivot that is tiny beside what it has been made of is refused.

use crate::linalg::axpy;
use crate::model::topology::{Topology, WORLD};

/// A pivot at most this share of the sum that it is left of counts as zero.
const TINY: f64 = 1e-14;

/// A, then its factors, over the path from the root to each dof.
#[derive(Clone, Debug)]
pub struct TreeLu {
    /// Where the row of a dof begins: entry d belongs to its ancestor at depth d, the last to itself.
    starts: Vec<usize>,
    /// A_dk and A_kd for a dof k and its ancestor at depth d; the diagonal is in the first.
    above: Vec<f64>,
    below: Vec<f64>,
    /// Of the diagonal: the sum of all that was added to it; and how much larger it is than the pivot that is left, at most.
    sizes: Vec<f64>,
    cancelled: f64,
}

impl TreeLu {
    pub fn new(t: &Topology) -> Self {
        let mut count = 0;
        let mut next = |length: usize| {
            count += length;
            count - length
        };
        let starts = t.dofs.iter().map(|d| next(d.depth + 1)).collect();
        TreeLu {
            starts,
            above: vec![0.0; count],
            below: vec![0.0; count],
            sizes: vec![0.0; t.nv()],
            cancelled: 1.0,
        }
    }

    pub fn clear(&mut self) {
        self.above.fill(0.0);
        self.below.fill(0.0);
    }

    /// Adds to an entry between dofs of one path; before [`TreeLu::factor`].
    pub fn add(&mut self, t: &Topology, row: usize, column: usize, value: f64) {
        let at = self.starts[row.max(column)] + t.dofs[row.min(column)].depth;
        match row <= column {
            true => self.above[at] += value,
            false => self.below[at] += value,
        }
    }

    /// The row of dof k over its path: A_dk with the diagonal last, and A_kd, whose last entry is not read.
    pub fn row_mut(&mut self, t: &Topology, k: usize) -> [&mut [f64]; 2] {
        let row = self.starts[k]..self.starts[k] + t.dofs[k].depth + 1;
        [&mut self.above[row.clone()], &mut self.below[row]]
    }

    /// Factors in place. The dof of a pivot that is tiny or not finite, with nothing to solve by, if there is one.
    pub fn factor(&mut self, t: &Topology) -> Option<usize> {
        self.cancelled = 1.0;
        for (size, (start, dof)) in self.sizes.iter_mut().zip(self.starts.iter().zip(&t.dofs)) {
            *size = self.above[start + dof.depth].abs();
        }
        for (k, dof) in t.dofs.iter().enumerate().rev() {
            let start = self.starts[k];
            let pivot = self.above[start + dof.depth];
            if !pivot.is_finite() || pivot.abs() <= TINY * self.sizes[k] {
                return Some(k);
            }
            self.cancelled = self.cancelled.max(self.sizes[k] / pivot.abs());
            for x in &mut self.above[start..start + dof.depth] {
                *x /= pivot;
            }
            let mut a = dof.parent;
            for d in (0..dof.depth).rev() {
                let s = self.above[start + d];
                let up = self.starts[a];
                // Of the ancestor's row those at and above it, of its column those above it.
                let own = s * self.below[start + d];
                self.above[up + d] -= own;
                self.sizes[a] += own.abs();
                for e in 0..d {
                    self.below[up + e] -= s * self.below[start + e];
                    self.above[up + e] -= self.above[start + e] * self.below[start + d];
                }
                a = t.dofs[a].parent;
            }
        }
        None
    }

    /// How many times larger what a pivot was summed from was than the pivot; after [`TreeLu::factor`].
    pub fn cancelled(&self) -> f64 {
        self.cancelled
    }

    /// x ← A⁻¹ x.
    pub fn solve(&self, t: &Topology, x: &mut [f64]) {
        self.solve_columns::<1>(t, x.as_chunks_mut().0);
    }

    /// The same for W columns, row by row.
    #[inline(always)]
    pub fn solve_columns<const W: usize>(&self, t: &Topology, x: &mut [[f64; W]]) {
        self.sweep_up(t, &self.above, x, |x, _| x);
        self.sweep_down(t, &self.below, x, |x, sum, pivot| (x - sum) / pivot);
    }

    /// x ← A⁻ᵀ x.
    pub fn solve_transposed(&self, t: &Topology, x: &mut [f64]) {
        let x = x.as_chunks_mut::<1>().0;
        self.sweep_up(t, &self.below, x, |x, pivot| x / pivot);
        self.sweep_down(t, &self.above, x, |x, sum, _| x - sum);
    }

    /// From the tips to the root: what a dof becomes of its pivot, and takes from those above by its row.
    #[inline(always)]
    fn sweep_up<const W: usize>(
        &self,
        t: &Topology,
        row: &[f64],
        x: &mut [[f64; W]],
        of: impl Fn(f64, f64) -> f64,
    ) {
        for (k, dof) in t.dofs.iter().enumerate().rev() {
            let start = self.starts[k];
            let pivot = self.above[start + dof.depth];
            let own = x[k].map(|x| of(x, pivot));
            x[k] = own;
            let mut a = dof.parent;
            for d in (0..dof.depth).rev() {
                axpy(-row[start + d], &own, &mut x[a]);
                a = t.dofs[a].parent;
            }
        }
    }

    /// From the root to the tips: what a dof becomes of the sum over its row and of its pivot.
    #[inline(always)]
    fn sweep_down<const W: usize>(
        &self,
        t: &Topology,
        row: &[f64],
        x: &mut [[f64; W]],
        of: impl Fn(f64, f64, f64) -> f64,
    ) {
        for (k, dof) in t.dofs.iter().enumerate() {
            let start = self.starts[k];
            let (mut sum, mut a) = ([0.0; W], dof.parent);
            for d in (0..dof.depth).rev() {
                axpy(row[start + d], &x[a], &mut sum);
                a = t.dofs[a].parent;
            }
            debug_assert_eq!(a, WORLD);
            let pivot = self.above[start + dof.depth];
            for (x, sum) in x[k].iter_mut().zip(sum) {
                *x = of(*x, sum, pivot);
            }
        }
    }
}
