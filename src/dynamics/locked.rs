//! The mass matrix with some dofs locked.
//!
//! A locked dof is left out of the factors of A: its 1/D is zero and its row of L is empty, so that
//! solutions with the factors have zero rows and columns there. The recursion is that of
//! [`factor`](super::mass::factor) with the locked columns skipped. It costs less than with all dofs
//! free.

use super::factors::Factors;
use super::mass::{BranchMatrix, subtract_above};
use crate::linalg::{F4, dispatch};
use crate::model::topology::{DEEP, LANES, Topology, WORLD};

/// A, and its factors on the free dofs. Sized at creation.
#[derive(Clone, Debug)]
pub struct LockedMass {
    /// A in packed rows, from [`LockedMass::take`].
    whole: BranchMatrix,
    /// The factors on the free dofs.
    free: Factors,
}

impl LockedMass {
    pub fn new(t: &Topology) -> LockedMass {
        LockedMass {
            whole: BranchMatrix::new(t),
            free: Factors::Packed(BranchMatrix::new(t)),
        }
    }

    /// Takes A from factors that keep it ([`BranchMatrix::keep_whole`]). A dof of infinite inertia gets an
    /// empty row.
    pub fn take(&mut self, factors: &BranchMatrix, t: &Topology) {
        self.whole.rows.copy_from_slice(&factors.whole);
        for (dof, dinv) in t.dofs.iter().zip(&factors.dinv) {
            if *dinv == 0.0 {
                self.whole.rows[dof.row / LANES..][..dof.depth / LANES + 1].fill(F4::ZERO);
            }
        }
    }

    /// Factors A on the free dofs.
    pub fn factor(&mut self, t: &Topology, locked: &[bool]) {
        if let Factors::Packed(free) = &mut self.free {
            factor_free(free, &self.whole, t, locked);
        }
    }

    /// The factors on the free dofs.
    pub fn free(&mut self) -> &mut Factors {
        &mut self.free
    }

    /// x ← the solution of A_FF x_F = x_F on the free dofs, and zero on the locked ones.
    pub fn solve(&mut self, t: &Topology, x: &mut [f64]) {
        self.free.solve(t, x);
    }

    /// y ← A x.
    pub fn times(&self, t: &Topology, x: &[f64], y: &mut [f64]) {
        times(&self.whole, t, x, y);
    }
}

#[inline(always)]
fn times_kernel(whole: &BranchMatrix, t: &Topology, x: &[f64], y: &mut [f64]) {
    let dofs = &t.dofs[..];
    let (x, y) = (&x[..dofs.len()], &mut y[..dofs.len()]);
    // Entries of x and sums of y on the path from the root to the current dof, by depth. Those at depths
    // below `known` are from the dof visited before.
    let (mut on_path, mut known) = ([[F4::ZERO; 2]; DEEP / LANES], 0);
    for (k, dof) in dofs.iter().enumerate().rev() {
        let mut a = k;
        for d in (known..=dof.depth).rev() {
            let [xs, ys] = &mut on_path[d / LANES];
            (xs.0[d % LANES], ys.0[d % LANES]) = (x[a], 0.0);
            a = dofs[a].parent;
        }
        known = dof.depth;
        let row = &whole.rows[dof.row / LANES..][..dof.depth / LANES + 1];
        let own = x[k];
        let mut sum = F4::ZERO;
        let (last, full) = (dof.depth / LANES, &mut on_path[..dof.depth / LANES]);
        for ([xs, ys], m) in full.iter_mut().zip(row) {
            sum += *m * *xs;
            *ys += *m * own;
        }
        // Lanes after the entry of the dof itself are padding.
        let mut m = row[last];
        for lane in dof.depth % LANES + 1..LANES {
            m.0[lane] = 0.0;
        }
        let [xs, ys] = &mut on_path[last];
        sum += m * *xs;
        y[k] = ys.0[dof.depth % LANES] + (sum.0[0] + sum.0[2]) + (sum.0[1] + sum.0[3]);
        *ys += m * own;
    }
}

#[inline(always)]
fn factor_free_kernel(
    free: &mut BranchMatrix,
    whole: &BranchMatrix,
    t: &Topology,
    locked: &[bool],
) {
    let (dofs, rows) = (&t.dofs[..], &mut free.rows[..]);
    for (k, dof) in dofs.iter().enumerate() {
        let lanes = dof.row / LANES..dof.row / LANES + dof.depth / LANES + 1;
        match locked[k] {
            true => rows[lanes].fill(F4::ZERO),
            false => rows[lanes.clone()].copy_from_slice(&whole.rows[lanes]),
        }
    }
    for (k, dof) in dofs.iter().enumerate().rev() {
        if locked[k] {
            free.dinv[k] = 0.0;
            continue;
        }
        let (above, from) = rows.split_at_mut(dof.row / LANES);
        let row = &mut from[..dof.depth / LANES + 1];
        let dinv = 1.0 / F4::flat(row)[dof.depth];
        free.dinv[k] = dinv;
        let own = F4::flat(row);
        subtract_above(dofs, dof, above, row, |a, d| {
            (!locked[a]).then(|| own[d] * dinv)
        });
        let s = F4::splat(dinv);
        for x in row {
            *x = *x * s;
        }
        // A locked dof transmits nothing.
        let mut a = dof.parent;
        let row = F4::flat_mut(from);
        while a != WORLD {
            if locked[a] {
                row[dofs[a].depth] = 0.0;
            }
            a = dofs[a].parent;
        }
    }
}

dispatch! {
    fn times = times_kernel(whole: &BranchMatrix, t: &Topology, x: &[f64], y: &mut [f64])
}

dispatch! {
    fn factor_free = factor_free_kernel(
        free: &mut BranchMatrix, whole: &BranchMatrix, t: &Topology, locked: &[bool],
    )
}
