//! The factors of A in reduced coordinates.
//!
//! Let E be the matrix with v = E v_f, where v_f are the velocities of the free dofs ([`Reduction`]). The
//! factors are those of Eᵀ A E = LᵀDL, for each tree a dense matrix. In the place of A⁻¹ they have
//! P = E (Eᵀ A E)⁻¹ Eᵀ = L'⁻¹ D'⁻¹ L'⁻ᵀ with L'⁻¹ = E L⁻¹ on the free dofs, and 1/D' = 0 on the dofs that
//! follow. All vectors have the length of v.

use super::mass::{BranchMatrix, DenseInverse};
use crate::linalg::F4;
use crate::model::reduction::Reduction;
use crate::model::topology::Topology;
use std::ops::{Mul, SubAssign};
use std::sync::Arc;

/// M, and the factors of Eᵀ A E.
#[derive(Clone, Debug)]
pub struct ReducedFactors {
    /// M of the tree.
    pub whole: BranchMatrix,
    pub dinv: Vec<f64>,
    reduction: Arc<Reduction>,
    /// Per dof: the free dofs, by their index, that it follows, with coefficients; begin of each list.
    starts: Vec<usize>,
    leaders: Vec<(usize, f64)>,
    /// Rows of L, one after the other; index of the row's first entry, and the free dof of this entry.
    l: Vec<f64>,
    row_starts: Vec<usize>,
    firsts: Vec<usize>,
}

impl ReducedFactors {
    pub fn new(t: &Topology, reduction: &Arc<Reduction>) -> ReducedFactors {
        let r = reduction;
        let index = |dof: usize| r.free.partition_point(|k| *k < dof);
        let (mut starts, mut leaders) = (vec![0], Vec::new());
        for dof in 0..t.nv() {
            match r.followers.iter().find(|f| f.dof == dof) {
                None => leaders.push((index(dof), 1.0)),
                Some(f) => leaders.extend(f.leaders.iter().map(|(k, x)| (index(*k), *x))),
            }
            starts.push(leaders.len());
        }
        let (mut row_starts, mut firsts, mut size) = (Vec::new(), Vec::new(), 0);
        for of in &r.free_of {
            for a in of.clone() {
                row_starts.push(size);
                firsts.push(of.start);
                size += a + 1 - of.start;
            }
        }
        ReducedFactors {
            whole: BranchMatrix::new(t),
            dinv: vec![0.0; t.nv()],
            reduction: reduction.clone(),
            starts,
            leaders,
            l: vec![0.0; size],
            row_starts,
            firsts,
        }
    }

    fn leaders(&self, dof: usize) -> std::ops::Range<usize> {
        self.starts[dof]..self.starts[dof + 1]
    }

    /// Entries of row a: those of the free dofs from `firsts[a]` to a.
    fn row(&self, a: usize) -> &[f64] {
        &self.l[self.row_starts[a]..][..a + 1 - self.firsts[a]]
    }

    /// Factors Eᵀ (M + diag(`diagonal`)) E, with the M in `whole`.
    pub fn factor(&mut self, t: &Topology, diagonal: &[f64]) {
        self.l.fill(0.0);
        for (k, dof) in t.dofs.iter().enumerate() {
            let mut a = k;
            for d in (0..=dof.depth).rev() {
                let mut x = self.whole.row(dof)[d];
                if a == k {
                    x += diagonal[k];
                }
                for i in self.leaders(k) {
                    for j in self.leaders(a) {
                        self.add(a == k, self.leaders[i], self.leaders[j], x);
                    }
                }
                a = t.dofs[a].parent;
            }
        }
        for a in (0..self.firsts.len()).rev() {
            let first = self.firsts[a];
            let (above, own) = self.l.split_at_mut(self.row_starts[a]);
            let own = &mut own[..a + 1 - first];
            let dinv = 1.0 / own[a - first];
            self.dinv[self.reduction.free[a]] = dinv;
            for b in first..a {
                let x = own[b - first];
                if x != 0.0 {
                    let s = x * dinv;
                    let row = &mut above[self.row_starts[b]..][..b + 1 - first];
                    row.iter_mut().zip(&*own).for_each(|(x, y)| *x -= s * y);
                }
            }
            own.iter_mut().for_each(|x| *x *= dinv);
        }
    }

    /// Adds an entry of A, once for the dof itself and otherwise for both of its places.
    fn add(&mut self, is_own: bool, (i, f): (usize, f64), (j, g): (usize, f64), x: f64) {
        let (low, high) = (i.min(j), i.max(j));
        let times = match (is_own, i == j) {
            (true, false) if i < j => return,
            (false, true) => 2.0,
            _ => 1.0,
        };
        self.l[self.row_starts[high] + low - self.firsts[high]] += times * f * g * x;
    }

    /// x ← L'⁻ᵀ x on the dofs of a tree. The entry of a dof is at `at(dof)`.
    #[inline(always)]
    pub fn solve_transposed_tree<T>(&self, tree: usize, x: &mut [T], at: impl Fn(usize) -> usize)
    where
        T: Copy + Default + PartialEq + Mul<f64, Output = T> + SubAssign,
    {
        let r = &*self.reduction;
        for f in &r.followers[r.followers_of[tree].clone()] {
            let own = std::mem::take(&mut x[at(f.dof)]);
            for (k, g) in &f.leaders {
                x[at(*k)] -= own * -g;
            }
        }
        for a in r.free_of[tree].clone().rev() {
            let own = x[at(r.free[a])];
            if own != T::default() {
                for (b, l) in (self.firsts[a]..a).zip(self.row(a)) {
                    x[at(r.free[b])] -= own * *l;
                }
            }
        }
    }

    /// x ← L'⁻¹ x on the dofs of a tree, of which only the free ones are read.
    #[inline(always)]
    pub fn solve_lower_tree<T>(&self, tree: usize, x: &mut [T], at: impl Fn(usize) -> usize)
    where
        T: Copy + Default + Mul<f64, Output = T> + SubAssign,
    {
        let r = &*self.reduction;
        for a in r.free_of[tree].clone() {
            let mut own = x[at(r.free[a])];
            for (b, l) in (self.firsts[a]..a).zip(self.row(a)) {
                own -= x[at(r.free[b])] * *l;
            }
            x[at(r.free[a])] = own;
        }
        for f in &r.followers[r.followers_of[tree].clone()] {
            let mut own = T::default();
            for (k, g) in &f.leaders {
                own -= x[at(*k)] * -g;
            }
            x[at(f.dof)] = own;
        }
    }

    pub fn solve_transposed(&self, x: &mut [f64]) {
        (0..self.reduction.free_of.len()).for_each(|k| self.solve_transposed_tree(k, x, |i| i));
    }

    pub fn solve_lower(&self, x: &mut [f64]) {
        (0..self.reduction.free_of.len()).for_each(|k| self.solve_lower_tree(k, x, |i| i));
    }

    /// x ← L x of a velocity in the range of E, on the free dofs; zero on the others.
    pub fn times_lower(&self, x: &mut [f64]) {
        let r = &*self.reduction;
        for f in &r.followers {
            x[f.dof] = 0.0;
        }
        for a in (0..r.free.len()).rev() {
            let mut own = x[r.free[a]];
            for (b, l) in (self.firsts[a]..a).zip(self.row(a)) {
                own += x[r.free[b]] * l;
            }
            x[r.free[a]] = own;
        }
    }

    /// x ← P x for `width` lanes of columns at once. The lanes of dof k begin at k·width.
    pub fn solve_columns(&self, width: usize, x: &mut [F4]) {
        for w in 0..width {
            let at = |dof: usize| dof * width + w;
            for tree in 0..self.reduction.free_of.len() {
                self.solve_transposed_tree(tree, x, at);
            }
            for (k, d) in self.dinv.iter().enumerate() {
                x[at(k)] = x[at(k)] * *d;
            }
            for tree in 0..self.reduction.free_of.len() {
                self.solve_lower_tree(tree, x, at);
            }
        }
    }

    /// P as a dense matrix.
    pub fn inverse(&self, t: &Topology, out: &mut DenseInverse) {
        let stride = 4 * out.stride;
        for (tree, of) in t.trees.iter().enumerate() {
            for k in of.first_dof..of.end_dof {
                let row = &mut F4::flat_mut(&mut out.rows)[k * stride..][..stride];
                row.fill(0.0);
                row[k] = 1.0;
                self.solve_transposed_tree(tree, row, |i| i);
                for dof in of.first_dof..of.end_dof {
                    row[dof] *= self.dinv[dof];
                }
                self.solve_lower_tree(tree, row, |i| i);
            }
        }
    }

    /// The dof at which A with this `diagonal` is found not to be positive definite.
    pub fn singular_at(&self, diagonal: &[f64]) -> Option<usize> {
        let is_sound = |d: f64, x: f64| d > 0.0 && d.is_finite() || d == 0.0 && x == f64::INFINITY;
        let mut free = self.reduction.free.iter().copied();
        free.find(|k| !is_sound(self.dinv[*k], diagonal[*k]))
    }
}
