//! LU of a matrix with the sparsity of a tree that need not be symmetric.
//!
//! An entry A_ij is zero unless one dof is above the other. Eliminating dofs from the tips to the root fills nothing in, as
//! for M = LᵀDL (Featherstone 2008, §6.4): what dof k leaves behind is on the path above it. There is no pivoting, which
//! would: a pivot that is tiny beside what it has been made of is refused.

use crate::linalg::{F4, axpy, dispatch};
use crate::model::topology::{LANES, Topology, WORLD, padded};

/// A pivot at most this share of the sum that it is left of counts as zero.
const TINY: f64 = 1e-14;

/// A, then its factors, over the path from the root to each dof.
#[derive(Clone, Debug)]
pub struct TreeLu {
    /// Where the row of a dof begins, in whole lanes: entry d belongs to its ancestor at depth d, the last to itself.
    starts: Vec<usize>,
    /// A_dk and A_kd for a dof k and its ancestor at depth d; the diagonal is in the first.
    above: Vec<F4>,
    below: Vec<F4>,
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
        let starts = t.dofs.iter().map(|d| next(padded(d.depth + 1))).collect();
        TreeLu {
            starts,
            above: F4::zeros(count / LANES),
            below: F4::zeros(count / LANES),
            sizes: vec![0.0; t.nv()],
            cancelled: 1.0,
        }
    }

    pub fn clear(&mut self) {
        self.above.fill(F4::ZERO);
        self.below.fill(F4::ZERO);
    }

    /// Adds to an entry between dofs of one path; before [`TreeLu::factor`].
    pub fn add(&mut self, t: &Topology, row: usize, column: usize, value: f64) {
        let at = self.starts[row.max(column)] + t.dofs[row.min(column)].depth;
        match row <= column {
            true => F4::flat_mut(&mut self.above)[at] += value,
            false => F4::flat_mut(&mut self.below)[at] += value,
        }
    }

    /// The row of dof k over its path: A_dk with the diagonal last, and A_kd, whose last entry is not read.
    pub fn row_mut(&mut self, t: &Topology, k: usize) -> [&mut [f64]; 2] {
        let row = self.starts[k]..self.starts[k] + t.dofs[k].depth + 1;
        [
            &mut F4::flat_mut(&mut self.above)[row.clone()],
            &mut F4::flat_mut(&mut self.below)[row],
        ]
    }

    /// The same in so many whole lanes, of which those beyond the dof are not read.
    pub fn blocks_mut(&mut self, k: usize, count: usize) -> [&mut [F4]; 2] {
        let row = self.starts[k] / LANES..self.starts[k] / LANES + count;
        [&mut self.above[row.clone()], &mut self.below[row]]
    }

    /// Factors in place. The dof of a pivot that is tiny or not finite, with nothing to solve by, if there is one.
    pub fn factor(&mut self, t: &Topology) -> Option<usize> {
        let mut singular = None;
        factor(self, t, &mut singular);
        singular
    }

    #[inline(always)]
    fn factor_kernel(&mut self, t: &Topology, singular: &mut Option<usize>) {
        self.cancelled = 1.0;
        for (size, (start, dof)) in self.sizes.iter_mut().zip(self.starts.iter().zip(&t.dofs)) {
            *size = F4::flat(&self.above)[start + dof.depth].abs();
        }
        for (k, dof) in t.dofs.iter().enumerate().rev() {
            // Rows of ancestors come before.
            let start = self.starts[k] / LANES;
            let (above_up, above) = self.above.split_at_mut(start);
            let (below_up, below) = self.below.split_at_mut(start);
            let blocks = dof.depth / LANES + 1;
            let (above, below) = (&mut above[..blocks], &below[..blocks]);
            let pivot = F4::flat(above)[dof.depth];
            if !pivot.is_finite() || pivot.abs() <= TINY * self.sizes[k] {
                *singular = Some(k);
                return;
            }
            self.cancelled = self.cancelled.max(self.sizes[k] / pivot.abs());
            for x in &mut F4::flat_mut(above)[..dof.depth] {
                *x /= pivot;
            }
            let mut a = dof.parent;
            for d in (0..dof.depth).rev() {
                let (s, own) = (F4::flat(above)[d], F4::flat(below)[d]);
                self.sizes[a] += (s * own).abs();
                let row = self.starts[a] / LANES..self.starts[a] / LANES + d / LANES + 1;
                // Of the ancestor's row those at and above it, of its column those above it; in whole lanes, what is beyond them
                // is not read.
                let parts = above_up[row.clone()].iter_mut().zip(&mut below_up[row]);
                for ((up_above, up_below), (x, y)) in parts.zip(above.iter().zip(below)) {
                    *up_above -= *x * own;
                    *up_below -= *y * s;
                }
                a = t.dofs[a].parent;
            }
        }
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
        self.sweep_up(t, F4::flat(&self.above), x, |x, _| x);
        self.sweep_down(t, F4::flat(&self.below), x, |x, sum, pivot| {
            (x - sum) / pivot
        });
    }

    /// x ← A⁻ᵀ x.
    pub fn solve_transposed(&self, t: &Topology, x: &mut [f64]) {
        let x = x.as_chunks_mut::<1>().0;
        self.sweep_up(t, F4::flat(&self.below), x, |x, pivot| x / pivot);
        self.sweep_down(t, F4::flat(&self.above), x, |x, sum, _| x - sum);
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
        let above = F4::flat(&self.above);
        for (k, dof) in t.dofs.iter().enumerate().rev() {
            let start = self.starts[k];
            let pivot = above[start + dof.depth];
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
        let above = F4::flat(&self.above);
        for (k, dof) in t.dofs.iter().enumerate() {
            let start = self.starts[k];
            let (mut sum, mut a) = ([0.0; W], dof.parent);
            for d in (0..dof.depth).rev() {
                axpy(row[start + d], &x[a], &mut sum);
                a = t.dofs[a].parent;
            }
            debug_assert_eq!(a, WORLD);
            let pivot = above[start + dof.depth];
            for (x, sum) in x[k].iter_mut().zip(sum) {
                *x = of(*x, sum, pivot);
            }
        }
    }
}

dispatch! {
    fn factor = TreeLu::factor_kernel(lu: &mut TreeLu, t: &Topology, singular: &mut Option<usize>)
}
