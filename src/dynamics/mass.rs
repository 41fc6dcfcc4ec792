//! The joint-space inertia matrix, its branch-sparse factorization, and products with its inverse.
//!
//! An entry M_ij is zero unless one dof is above the other, so row k is stored over the path from
//! the root to k: entry d belongs to the ancestor at depth d ("branch-packed"). M = LᵀDL with unit
//! lower L has the same pattern (Featherstone 2008, §6.4), and the ancestors of an ancestor are a
//! prefix of the row: every update runs over contiguous numbers.

use super::kinematics::Kinematics;
use crate::linalg::{F4, all_positive, axpy, by_tile, dispatch};
use crate::model::Model;
use crate::model::topology::{DEEP, Dof, LANES, Topology, WORLD, padded};
use crate::spatial::Inertia;
use std::ops::Range;

/// M or its factors, branch-packed.
#[derive(Clone, Debug)]
pub struct BranchMatrix {
    /// Row of dof k begins at `dofs[k].row / LANES` and has `depth + 1` entries. The content of the
    /// lanes behind them is undefined.
    pub rows: Vec<F4>,
    /// 1/D of the factorization.
    pub dinv: Vec<f64>,
    /// `rows` before the last factorization. Empty unless [`BranchMatrix::keep_whole`] was called.
    pub whole: Vec<F4>,
}

impl BranchMatrix {
    pub fn new(t: &Topology) -> Self {
        BranchMatrix {
            rows: F4::zeros(t.packed / LANES),
            dinv: vec![0.0; t.nv()],
            whole: Vec::new(),
        }
    }

    /// From now on, keeps the matrix of each factorization.
    pub fn keep_whole(&mut self) {
        self.whole.resize(self.rows.len(), F4::ZERO);
    }

    /// Entries of row k, from the root to k itself.
    #[inline(always)]
    pub fn row(&self, dof: &Dof) -> &[f64] {
        &F4::flat(&self.rows)[dof.row..=dof.row + dof.depth]
    }

    /// Row k without k itself.
    #[inline(always)]
    pub fn above(&self, dof: &Dof) -> &[f64] {
        &F4::flat(&self.rows)[dof.row..dof.row + dof.depth]
    }

    /// The dof at which a factored M is found not to be positive definite.
    pub fn singular_at(&self) -> Option<usize> {
        match all_positive(&self.dinv) {
            true => None,
            false => self.dinv.iter().position(|x| !(*x > 0.0 && x.is_finite())),
        }
    }

    /// x ← L⁻ᵀ x.
    pub fn solve_transposed(&self, t: &Topology, x: &mut [f64]) {
        solve_transposed(self, t, x);
    }

    /// x ← L⁻¹ x.
    pub fn solve_lower(&self, t: &Topology, x: &mut [f64]) {
        let x = &mut x[..t.dofs.len()];
        // Entries of x on the path from the root to the current dof, by depth.
        let mut path = [0.0; DEEP];
        for (x, dof) in x.iter_mut().zip(&t.dofs) {
            let (row, mut own) = (self.above(dof), *x);
            let above = &path[..row.len()];
            for d in (0..row.len()).rev() {
                own -= row[d] * above[d];
            }
            (path[dof.depth], *x) = (own, own);
        }
    }

    /// x ← M x of a factored M, for W columns row by row. A dof of infinite inertia counts as at rest.
    #[inline(always)]
    pub fn times_columns<const W: usize>(&self, t: &Topology, x: &mut [[f64; W]]) {
        for (k, dof) in t.dofs.iter().enumerate().rev() {
            let (row, mut own, mut a) = (self.row(dof), x[k], dof.parent);
            for d in (0..dof.depth).rev() {
                axpy(row[d], &x[a], &mut own);
                a = t.dofs[a].parent;
            }
            let pivot = match self.dinv[k] {
                0.0 => 0.0,
                inverse => 1.0 / inverse,
            };
            x[k] = own.map(|x| x * pivot);
        }
        for (k, dof) in t.dofs.iter().enumerate() {
            let (row, own, mut a) = (self.row(dof), x[k], dof.parent);
            for d in (0..dof.depth).rev() {
                axpy(row[d], &own, &mut x[a]);
                a = t.dofs[a].parent;
            }
        }
    }

    /// x ← L x.
    pub fn times_lower(&self, t: &Topology, x: &mut [f64]) {
        let (dofs, x) = (&t.dofs[..], &mut x[..t.dofs.len()]);
        for (k, dof) in dofs.iter().enumerate().rev() {
            let mut xk = x[k];
            let mut a = dof.parent;
            for l in self.above(dof).iter().rev() {
                xk += l * x[a];
                a = dofs[a].parent;
            }
            x[k] = xk;
        }
    }
}

/// One block of the path from the root to the current dof: component c of four ancestors.
pub(crate) type PathBlock<const N: usize> = [F4; N];

/// Writes column `c` (`numbers`) of the dof at `depth` into the path.
#[inline(always)]
pub(crate) fn set_path<const N: usize>(
    path: &mut [PathBlock<N>],
    depth: usize,
    first: usize,
    numbers: [f64; 6],
) {
    let block = &mut path[depth / LANES];
    for (k, x) in numbers.into_iter().enumerate() {
        block[first + k].0[depth % LANES] = x;
    }
}

/// Workspace of the composite-rigid-body algorithm.
#[derive(Clone, Debug)]
pub struct Crba {
    composite: Vec<Inertia>,
    path: Vec<PathBlock<6>>,
    /// The dof whose column is in the path at each depth.
    filled: Vec<usize>,
}

impl Crba {
    pub fn new(model: &Model) -> Self {
        let t = model.topology();
        Crba {
            composite: vec![Inertia::ZERO; t.links.len()],
            path: vec![[F4::ZERO; 6]; t.max_depth / LANES],
            filled: vec![WORLD; t.max_depth],
        }
    }
}

#[inline(always)]
fn crba_kernel(w: &mut Crba, kin: &Kinematics, model: &Model, m: &mut BranchMatrix) {
    let t = model.topology();
    let (links, dofs) = (&t.links[..], &t.dofs[..]);
    let (s, composite) = (&kin.s[..dofs.len()], &mut w.composite[..links.len()]);
    let (path, filled, rows) = (&mut w.path[..], &mut w.filled[..], &mut m.rows[..]);
    composite.copy_from_slice(&kin.inertia);
    filled.fill(WORLD);
    for (k, dof) in dofs.iter().enumerate().rev() {
        let mut a = k;
        while a != WORLD && filled[dofs[a].depth] != a {
            let depth = dofs[a].depth;
            filled[depth] = a;
            set_path(path, depth, 0, s[a].to_array());
            a = dofs[a].parent;
        }
        let i = dof.link;
        let f = composite[i].mul(s[k]).to_array().map(F4::splat);
        let first = dof.row / LANES;
        let blocks = dof.depth / LANES + 1;
        for (out, s) in rows[first..first + blocks].iter_mut().zip(&*path) {
            *out =
                s[0] * f[0] + s[1] * f[1] + s[2] * f[2] + (s[3] * f[3] + s[4] * f[4] + s[5] * f[5]);
        }
        let l = &links[i];
        if k == l.iv && l.parent != WORLD {
            let own = composite[i];
            composite[l.parent] += own;
        }
    }
}

/// M without armature as a dense column-major matrix. [`Kinematics`] must hold positions and inertias.
pub fn crba_dense(w: &mut Crba, kin: &Kinematics, model: &Model, out: &mut [f64]) {
    let t = model.topology();
    let n = t.nv();
    out.fill(0.0);
    w.composite.copy_from_slice(&kin.inertia);
    for (i, l) in t.links.iter().enumerate().rev() {
        let own = w.composite[i];
        for k in l.dofs() {
            let f = own.mul(kin.s[k]);
            let mut a = k;
            while a != WORLD {
                let x = kin.s[a].dot(f);
                (out[k * n + a], out[a * n + k]) = (x, x);
                a = t.dofs[a].parent;
            }
        }
        if l.parent != WORLD {
            w.composite[l.parent] += own;
        }
    }
}

/// Subtracts multiples of the `row` of a dof from the rows of the dofs above it. `factor` returns the
/// multiple for a dof above and its depth, or `None` to leave this row as it is.
#[inline(always)]
pub(super) fn subtract_above(
    dofs: &[Dof],
    dof: &Dof,
    above: &mut [F4],
    row: &[F4],
    factor: impl Fn(usize, usize) -> Option<f64>,
) {
    let mut at = (dof.parent, dof.depth);
    while at.1 > 0 {
        at = match at.1.div_ceil(LANES) {
            1 => subtract_lanes::<1>(dofs, at, above, row, &factor),
            2 => subtract_lanes::<2>(dofs, at, above, row, &factor),
            3 => subtract_lanes::<3>(dofs, at, above, row, &factor),
            4 => subtract_lanes::<4>(dofs, at, above, row, &factor),
            lanes => subtract_many(dofs, at, above, &row[..lanes], &factor),
        };
    }
}

/// [`subtract_above`] for the dofs with W lanes in their rows. `at` is the nearest of them, and the number of
/// dofs from it to the root. Returns the same of the dofs with fewer lanes.
#[inline(always)]
fn subtract_lanes<const W: usize>(
    dofs: &[Dof],
    (mut a, mut left): (usize, usize),
    above: &mut [F4],
    row: &[F4],
    factor: &impl Fn(usize, usize) -> Option<f64>,
) -> (usize, usize) {
    let row = &row[..W];
    let lanes: [F4; W] = std::array::from_fn(|w| row[w]);
    while left > LANES * (W - 1) {
        left -= 1;
        let up = &dofs[a];
        if let Some(s) = factor(a, left) {
            let first = up.row / LANES;
            let target = &mut above[first..first + W];
            for w in 0..W {
                target[w] -= lanes[w] * s;
            }
        }
        a = up.parent;
    }
    (a, left)
}

/// [`subtract_lanes`] for one dof with any number of lanes.
#[inline(always)]
fn subtract_many(
    dofs: &[Dof],
    (a, left): (usize, usize),
    above: &mut [F4],
    row: &[F4],
    factor: &impl Fn(usize, usize) -> Option<f64>,
) -> (usize, usize) {
    let up = &dofs[a];
    if let Some(s) = factor(a, left - 1) {
        let target = &mut above[up.row / LANES..][..row.len()];
        for (x, y) in target.iter_mut().zip(row) {
            *x -= *y * s;
        }
    }
    (up.parent, left - 1)
}

#[inline(always)]
fn solve_transposed_kernel(m: &BranchMatrix, t: &Topology, x: &mut [f64]) {
    let (dofs, x) = (&t.dofs[..], &mut x[..t.dofs.len()]);
    // Entries of x on the path from the root to the current dof, by depth. Those at depths below `known` are
    // from the dof visited before, whose ancestors they are, too.
    let (mut path, mut known) = ([F4::ZERO; DEEP / LANES], 0);
    for (k, dof) in dofs.iter().enumerate().rev() {
        let mut a = k;
        for d in (known..=dof.depth).rev() {
            F4::flat_mut(&mut path)[d] = x[a];
            a = dofs[a].parent;
        }
        known = dof.depth;
        let own = F4::flat(&path)[dof.depth];
        x[k] = own;
        if own != 0.0 {
            let row = &m.rows[dof.row / LANES..][..dof.depth.div_ceil(LANES)];
            match row.len() {
                1 => subtract_row::<1>(&mut path, row, own),
                2 => subtract_row::<2>(&mut path, row, own),
                3 => subtract_row::<3>(&mut path, row, own),
                4 => subtract_row::<4>(&mut path, row, own),
                _ => {
                    for (x, y) in path.iter_mut().zip(row) {
                        *x -= *y * own;
                    }
                }
            }
        }
    }
}

/// path −= s row, over the W lanes of the row.
#[inline(always)]
fn subtract_row<const W: usize>(path: &mut [F4; DEEP / LANES], row: &[F4], s: f64) {
    let row = &row[..W];
    for w in 0..W {
        path[w] -= row[w] * s;
    }
}

#[inline(always)]
fn factor_kernel(m: &mut BranchMatrix, t: &Topology, diagonal: &[f64]) {
    let (dofs, rows, pivots) = (&t.dofs[..], &mut m.rows[..], &mut m.dinv[..t.dofs.len()]);
    for (dof, x) in dofs.iter().zip(diagonal) {
        F4::flat_mut(rows)[dof.row + dof.depth] += x;
    }
    if !m.whole.is_empty() {
        m.whole.copy_from_slice(rows);
    }
    for (k, dof) in dofs.iter().enumerate().rev() {
        let (above, from) = rows.split_at_mut(dof.row / LANES);
        let row = &mut from[..dof.depth / LANES + 1];
        let dinv = 1.0 / F4::flat(row)[dof.depth];
        pivots[k] = dinv;
        let own = F4::flat(row);
        subtract_above(dofs, dof, above, row, |_, d| Some(own[d] * dinv));
        let s = F4::splat(dinv);
        for x in row {
            *x = *x * s;
        }
    }
}

/// The inverse of M as a dense symmetric matrix with rows padded to whole lanes; zero between trees.
#[derive(Clone, Debug)]
pub struct DenseInverse {
    /// Numbers per row, in lanes.
    pub stride: usize,
    pub rows: Vec<F4>,
}

impl DenseInverse {
    pub fn new(nv: usize) -> Self {
        let stride = padded(nv) / LANES;
        DenseInverse {
            stride,
            rows: F4::zeros(stride * nv),
        }
    }

    /// Row (and column) i.
    #[inline(always)]
    pub fn row(&self, i: usize) -> &[F4] {
        &self.rows[i * self.stride..(i + 1) * self.stride]
    }

    #[inline(always)]
    pub fn at(&self, i: usize, j: usize) -> f64 {
        F4::flat(&self.rows)[i * self.stride * LANES + j]
    }
}

/// Lanes of a row of the inverse before its diagonal, beginning at `first`.
#[inline(always)]
fn inverse_tile<const W: usize>(
    above: &[F4],
    out: &mut [F4],
    stride: usize,
    first: usize,
    t: &Topology,
    dof: &Dof,
    row: &[f64],
) {
    let mut sum = [F4::ZERO; W];
    let mut a = dof.parent;
    for l in row.iter().rev() {
        for (sum, x) in sum.iter_mut().zip(&above[a * stride + first..][..W]) {
            *sum -= *x * *l;
        }
        a = t.dofs[a].parent;
    }
    out[first..][..W].copy_from_slice(&sum);
}

#[inline(always)]
fn inverse_kernel(inv: &mut DenseInverse, m: &BranchMatrix, t: &Topology) {
    let (stride, dofs) = (inv.stride, &t.dofs[..]);
    for tree in &t.trees {
        let (start, stop) = (tree.first_dof / LANES, padded(tree.end_dof));
        for i in tree.first_dof..tree.end_dof {
            let dof = &dofs[i];
            let end = padded(i) / LANES;
            let row = m.above(dof);
            let (above, from) = inv.rows.split_at_mut(i * stride);
            let mut b = start;
            while b < end {
                b += by_tile!(end - b, inverse_tile(above, from, stride, b, t, dof, row));
            }
            let mut diagonal = m.dinv[i];
            let flat = F4::flat_mut(&mut from[..stride]);
            let mut a = dof.parent;
            for l in row.iter().rev() {
                diagonal -= l * flat[a];
                a = dofs[a].parent;
            }
            // Lanes before the tree or after i contain entries of other rows.
            flat[start * LANES..tree.first_dof].fill(0.0);
            flat[i] = diagonal;
            flat[i + 1..stop].fill(0.0);
            let column = F4::flat_mut(above);
            for j in tree.first_dof..i {
                column[j * stride * LANES + i] = flat[j];
            }
        }
    }
}

dispatch! {
    /// Composite-rigid-body algorithm (Featherstone 2008, §6.2): M without armature, branch-packed.
    ///
    /// `kin` must hold positions and inertias.
    pub fn crba = crba_kernel(w: &mut Crba, kin: &Kinematics, model: &Model, m: &mut BranchMatrix)
}

#[inline(always)]
fn solve_columns_kernel(
    m: &BranchMatrix,
    t: &Topology,
    trees: Range<usize>,
    width: usize,
    x: &mut [F4],
) {
    let mut first = 0;
    while first < width {
        first += by_tile!(width - first, solve_tile(m, t, &trees, width, first, x));
    }
}

/// The lanes of every dof, beginning at `first`.
#[inline(always)]
fn solve_tile<const W: usize>(
    m: &BranchMatrix,
    t: &Topology,
    trees: &Range<usize>,
    width: usize,
    first: usize,
    x: &mut [F4],
) {
    let (base, dofs) = (trees.start, &t.dofs[trees.clone()]);
    for (k, dof) in dofs.iter().enumerate().rev() {
        let row = m.above(dof);
        let (above, own) = x.split_at_mut(k * width);
        let own: [F4; W] = std::array::from_fn(|w| own[first + w]);
        // Branches without nonzero columns.
        if own == [F4::ZERO; W] {
            continue;
        }
        let mut a = dof.parent;
        for l in row.iter().rev() {
            for (x, y) in above[(a - base) * width + first..][..W]
                .iter_mut()
                .zip(&own)
            {
                *x -= *y * *l;
            }
            a = t.dofs[a].parent;
        }
    }
    for (k, dof) in dofs.iter().enumerate() {
        let row = m.above(dof);
        let (above, own) = x.split_at_mut(k * width);
        let own = &mut own[first..][..W];
        let mut sum: [F4; W] = std::array::from_fn(|w| own[w] * m.dinv[base + k]);
        let mut a = dof.parent;
        for l in row.iter().rev() {
            for (sum, x) in sum
                .iter_mut()
                .zip(&above[(a - base) * width + first..][..W])
            {
                *sum -= *x * *l;
            }
            a = t.dofs[a].parent;
        }
        own.copy_from_slice(&sum);
    }
}

dispatch! {
    /// x ← M⁻¹ x on the dofs of some `trees`, for `width` lanes of columns at once. Lanes of their k-th
    /// dof begin at k·width. Call it after [`factor`].
    pub fn solve_columns = solve_columns_kernel(
        m: &BranchMatrix, t: &Topology, trees: Range<usize>, width: usize, x: &mut [F4],
    )
}

dispatch! {
    fn solve_transposed = solve_transposed_kernel(m: &BranchMatrix, t: &Topology, x: &mut [f64])
}

dispatch! {
    /// M + diag(`diagonal`) = LᵀDL in place. A matrix that is not positive definite gives a 1/D that is
    /// negative or not finite.
    pub fn factor = factor_kernel(m: &mut BranchMatrix, t: &Topology, diagonal: &[f64])
}

dispatch! {
    /// The dense inverse of a factored matrix, in O(nv² · depth).
    pub fn inverse = inverse_kernel(inv: &mut DenseInverse, m: &BranchMatrix, t: &Topology)
}
