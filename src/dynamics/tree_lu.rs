//! LU of a matrix with the sparsity of a tree that need not be symmetric.
//!
//! An entry A_ij is zero unless one dof is above the other. Eliminating dofs from the tips to the root
//! causes no fill-in, as for M = LᵀDL (Featherstone 2008, §6.4): the update by dof k is on the path
//! above it. Pivoting would cause fill-in, so there is none: a pivot that is tiny compared with its
//! summands is refused.

use crate::linalg::{F4, axpy, dispatch};
use crate::model::topology::{Dof, LANES, Topology, WORLD, padded};
use std::ops::Range;

/// A pivot of at most this share of the sum of its summands' magnitudes counts as zero.
pub const TINY: f64 = 1e-14;

/// A, then its factors, over the path from the root to each dof. Rows are padded to lanes.
#[derive(Clone, Debug)]
pub struct TreeLu {
    /// The dofs of the matrix. Numbers of dofs below count from the first of them.
    dofs: Range<usize>,
    /// Index at which the row of a dof begins, as in branch-packed storage. Entry d belongs to its
    /// ancestor at depth d, the last one to itself.
    starts: Vec<usize>,
    /// The dof of each entry, and the lane at which the row of this dof begins.
    path: Vec<(usize, usize)>,
    /// A_dk and A_kd for a dof k and its ancestor at depth d. The diagonal is in the first.
    above: Vec<F4>,
    below: Vec<F4>,
    /// For the diagonal: the sum of the magnitudes added to it; and the largest ratio of this sum to the
    /// remaining pivot.
    sizes: Vec<f64>,
    cancelled: f64,
}

impl TreeLu {
    pub fn new(t: &Topology) -> Self {
        Self::of(t, 0..t.nv())
    }

    /// For the dofs of some successive trees.
    pub fn of(t: &Topology, dofs: Range<usize>) -> Self {
        let (first, nv) = (dofs.start, dofs.len());
        let own = &t.dofs[dofs.clone()];
        let mut count = 0;
        let mut next = |length: usize| {
            count += length;
            count - length
        };
        let starts: Vec<usize> = own.iter().map(|d| next(padded(d.depth + 1))).collect();
        let mut path = vec![(0, 0); count];
        for (k, start) in starts.iter().enumerate() {
            let mut a = k;
            for d in (0..=own[k].depth).rev() {
                path[start + d] = (a, starts[a] / LANES);
                a = match own[a].parent {
                    WORLD => WORLD,
                    parent => parent - first,
                };
            }
        }
        TreeLu {
            dofs,
            starts,
            path,
            above: F4::zeros(count / LANES),
            below: F4::zeros(count / LANES),
            sizes: vec![0.0; nv],
            cancelled: 1.0,
        }
    }

    fn dofs<'a>(&self, t: &'a Topology) -> &'a [Dof] {
        &t.dofs[self.dofs.clone()]
    }

    pub fn clear(&mut self) {
        self.above.fill(F4::ZERO);
        self.below.fill(F4::ZERO);
    }

    /// Adds to an entry between dofs of one path. Call it before [`TreeLu::factor`].
    pub fn add(&mut self, t: &Topology, row: usize, column: usize, value: f64) {
        let at = self.starts[row.max(column)] + self.dofs(t)[row.min(column)].depth;
        match row <= column {
            true => F4::flat_mut(&mut self.above)[at] += value,
            false => F4::flat_mut(&mut self.below)[at] += value,
        }
    }

    /// All entries, branch-packed: A_dk with the diagonal, and A_kd, whose diagonal is not read. Both
    /// include padding.
    pub fn packed_mut(&mut self) -> [&mut [F4]; 2] {
        [&mut self.above, &mut self.below]
    }

    /// The row of dof k over its path: A_dk with the diagonal last, and A_kd, whose last entry is not read.
    pub fn row_mut(&mut self, t: &Topology, k: usize) -> [&mut [f64]; 2] {
        let row = self.starts[k]..self.starts[k] + self.dofs(t)[k].depth + 1;
        let [above, below] = self.packed_mut().map(F4::flat_mut);
        [&mut above[row.clone()], &mut below[row]]
    }

    /// Factors in place. Returns the dof of a pivot that is tiny or not finite, if any; the factors are
    /// then unusable.
    pub fn factor(&mut self, t: &Topology) -> Option<usize> {
        factor(self, t)
    }

    #[inline(always)]
    fn factor_kernel(&mut self, t: &Topology) -> Option<usize> {
        self.cancelled = 1.0;
        let (dofs, above) = (self.dofs(t), F4::flat(&self.above));
        for (size, (start, dof)) in self.sizes.iter_mut().zip(self.starts.iter().zip(dofs)) {
            *size = above[start + dof.depth].abs();
        }
        for (k, dof) in dofs.iter().enumerate().rev() {
            let start = self.starts[k];
            // The rows of ancestors are stored before this row.
            let (above_up, above) = self.above.split_at_mut(start / LANES);
            let (below_up, below) = self.below.split_at_mut(start / LANES);
            let row = F4::flat_mut(above);
            let pivot = row[dof.depth];
            let size = self.sizes[k];
            if !pivot.is_finite() || pivot.abs() <= TINY * size {
                return Some(k);
            }
            self.cancelled = self.cancelled.max(size / pivot.abs());
            for x in &mut row[..dof.depth] {
                *x /= pivot;
            }
            let (own, up) = ([&*above, &*below], &mut [above_up, below_up]);
            let path = &self.path[start..start + dof.depth];
            for (b, path) in path.chunks(LANES).enumerate() {
                match b {
                    0 => update::<1>(path, own, up, &mut self.sizes),
                    1 => update::<2>(path, own, up, &mut self.sizes),
                    2 => update::<3>(path, own, up, &mut self.sizes),
                    3 => update::<4>(path, own, up, &mut self.sizes),
                    _ => update_many(b + 1, path, own, up, &mut self.sizes),
                }
            }
        }
        None
    }

    /// The largest ratio of a pivot's summands to the pivot. Call it after [`TreeLu::factor`].
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

    /// Sweeps from the tips to the root. `of` gives the new number of a dof from its pivot; the dof is
    /// then subtracted from those above by its row.
    #[inline(always)]
    fn sweep_up<const W: usize>(
        &self,
        t: &Topology,
        all: &[F4],
        x: &mut [[f64; W]],
        of: impl Fn(f64, f64) -> f64,
    ) {
        let (all, pivots) = (F4::flat(all), F4::flat(&self.above));
        let rows = self.starts.iter().zip(self.dofs(t)).enumerate().rev();
        for (k, (start, dof)) in rows {
            let row = *start..*start + dof.depth;
            let pivot = pivots[row.end];
            let own = x[k].map(|x| of(x, pivot));
            x[k] = own;
            for (l, (a, _)) in all[row.clone()].iter().zip(&self.path[row]) {
                axpy(-l, &own, &mut x[*a]);
            }
        }
    }

    /// Sweeps from the root to the tips. `of` gives the new number of a dof from the sum over its row
    /// and its pivot.
    #[inline(always)]
    fn sweep_down<const W: usize>(
        &self,
        t: &Topology,
        all: &[F4],
        x: &mut [[f64; W]],
        of: impl Fn(f64, f64, f64) -> f64,
    ) {
        let (all, pivots) = (F4::flat(all), F4::flat(&self.above));
        for (k, (start, dof)) in self.starts.iter().zip(self.dofs(t)).enumerate() {
            let row = *start..*start + dof.depth;
            let pivot = pivots[row.end];
            let mut sum = [0.0; W];
            for (l, (a, _)) in all[row.clone()].iter().zip(&self.path[row]).rev() {
                axpy(*l, &x[*a], &mut sum);
            }
            for (x, sum) in x[k].iter_mut().zip(sum) {
                *x = of(*x, sum, pivot);
            }
        }
    }
}

/// Subtracts multiples of a row and a column from those of the ancestors that end in lane W: from the row up
/// to its diagonal, and from the column above it. The rest of the lanes is padding and the diagonal that is
/// not read.
#[inline(always)]
fn update<const W: usize>(
    path: &[(usize, usize)],
    own: [&[F4]; 2],
    up: &mut [&mut [F4]; 2],
    sizes: &mut [f64],
) {
    let own = own.map(|own| &own[..W]);
    let [row, column]: [[F4; W]; 2] = own.map(|own| std::array::from_fn(|w| own[w]));
    for (i, (a, first)) in path.iter().enumerate() {
        let (s, l) = (own[0][W - 1].0[i], own[1][W - 1].0[i]);
        sizes[*a] += (s * l).abs();
        let [above, below] = &mut *up;
        let to = (
            &mut above[*first..*first + W],
            &mut below[*first..*first + W],
        );
        for w in 0..W {
            to.0[w] -= row[w] * l;
            to.1[w] -= column[w] * s;
        }
    }
}

/// [`update`] for any number of lanes.
#[inline(always)]
fn update_many(
    lanes: usize,
    path: &[(usize, usize)],
    own: [&[F4]; 2],
    up: &mut [&mut [F4]; 2],
    sizes: &mut [f64],
) {
    let [row, column] = own.map(|own| &own[..lanes]);
    for (i, (a, first)) in path.iter().enumerate() {
        let (s, l) = (row[lanes - 1].0[i], column[lanes - 1].0[i]);
        sizes[*a] += (s * l).abs();
        for (to, (from, scale)) in up.iter_mut().zip([(row, l), (column, s)]) {
            for (to, from) in to[*first..*first + lanes].iter_mut().zip(from) {
                *to -= *from * scale;
            }
        }
    }
}

dispatch! {
    fn factor = TreeLu::factor_kernel(lu: &mut TreeLu, t: &Topology) -> Option<usize>
}
