//! The matrix H = ∂r/∂w of a stage, and its factors.

use super::balance::Balance;
use super::blocks::Blocks;
use super::by_trees::ByTrees;
use super::stage::Rule;
use super::way::FACTORS;
use crate::dynamics::general_articulation::{ByUnknown, GeneralArticulation};
use crate::dynamics::link_terms::LinkTerms;
use crate::dynamics::tied::{factor_general, solve_general, solve_general_transposed};
use crate::dynamics::ties::Ties;
use crate::dynamics::tree_lu::TreeLu;
use crate::force::Forces;
use crate::integrator::implicit::Motion;
use crate::linalg::{F4, LANES, Lu, axpy, dispatch};
use crate::model::reduction::Map;
use crate::model::topology::{Link, Topology};

/// Up to this many dofs a dense matrix is allocated, as a fallback if the elimination along the tree meets
/// a tiny pivot.
const SMALL: usize = 256;

/// Cancellation by more than this factor may lose more than a few digits.
const FEW_DIGITS: f64 = 1e3;

/// A pivot of at most this share of its row counts as zero.
const TINY: f64 = 1e-14;

/// Form of the factors of H.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Tree,
    Trees,
    Links,
    Dense,
    Reduced,
}

/// For a deep tree: sweeps over the links, with the terms that couple dofs of different links.
#[derive(Clone, Debug)]
struct Swept {
    factors: GeneralArticulation,
    ties: Ties,
}

/// For a model with reduced coordinates: Gᵀ H G, whose inverse stands for that of H, and memory.
///
/// The velocities of a stage and its corrections are in the range of G, and the balance r only in its part
/// Gᵀ r: H⁻¹ becomes G (Gᵀ H G)⁻¹ Gᵀ ([`model::reduction`](crate::model::reduction)).
#[derive(Clone, Debug)]
struct Projected {
    map: Map,
    half: Vec<f64>,
    matrix: Vec<f64>,
    /// For up to [`LANES`] columns.
    x: Vec<f64>,
}

impl Projected {
    fn new(map: &Map) -> Projected {
        let [n, free] = map.sizes();
        Projected {
            map: map.clone(),
            half: vec![0.0; n * free],
            matrix: vec![0.0; free * free],
            x: vec![0.0; LANES * free],
        }
    }

    /// Gᵀ H G row by row, of H row by row.
    fn take(&mut self, h: &[f64]) {
        let map = &self.map;
        let [n, free] = map.sizes();
        map.times(n, h, &mut self.half);
        let columns = self.half.chunks_exact(n.max(1));
        for (column, row) in columns.zip(self.matrix.chunks_exact_mut(free.max(1))) {
            map.expand_transposed(column, row);
        }
    }

    /// x ← G solve(Gᵀ x).
    #[inline(always)]
    fn solve<const W: usize>(&mut self, x: &mut [[f64; W]], solve: impl FnOnce(&mut [[f64; W]])) {
        let y = &mut self.x.as_chunks_mut().0[..self.map.sizes()[1]];
        y.fill([0.0; W]);
        for (k, x) in x.iter().enumerate() {
            for (i, g) in self.map.factors(k) {
                axpy(*g, x, &mut y[*i]);
            }
        }
        solve(y);
        for (k, x) in x.iter_mut().enumerate() {
            *x = [0.0; W];
            for (i, g) in self.map.factors(k) {
                axpy(*g, &y[*i], x);
            }
        }
    }
}

/// H, then its factors. Normally they are computed along the tree; for a deep tree, by sweeps over its
/// links. A dense LU with pivoting is used if forces connect branches, if the tree meets a tiny pivot, and
/// if contacts are penalty forces on a deep tree.
#[derive(Clone, Debug)]
pub(in crate::step) struct Solver {
    form: Form,
    /// `None` for a deep tree.
    tree: Option<TreeLu>,
    swept: Option<Box<Swept>>,
    /// For a model with deformable bodies.
    trees: Option<Box<ByTrees>>,
    /// For a model with reduced coordinates.
    projected: Option<Box<Projected>>,
    /// Row by row; empty if it can never be needed.
    dense: Vec<f64>,
    lu: Lu,
    scratch: Vec<f64>,
}

impl Solver {
    pub fn new(t: &Topology, forces: &Forces) -> Solver {
        let nv = t.nv();
        let reduction = t.reduction.as_ref();
        let may_be_dense = match t.is_deep() {
            _ if reduction.is_some() => true,
            true => forces.may_touch(),
            false => !forces.has_deformables() && (forces.may_cross() || nv <= SMALL),
        };
        let sparse = forces.has_deformables() && !t.is_deep() && reduction.is_none();
        let room = if may_be_dense { nv } else { 0 };
        let [rows, entries] = forces.room();
        // A column of a wide link fills as many columns as the link has unknowns.
        let widest = t.wide_links().map(|l| l.nv).max().unwrap_or(1);
        Solver {
            form: Form::Tree,
            tree: (!t.is_deep()).then(|| TreeLu::new(t)),
            swept: t.is_deep().then(|| {
                Box::new(Swept {
                    factors: GeneralArticulation::new(t),
                    ties: Ties::with_room(t, [rows, widest * entries]),
                })
            }),
            trees: sparse.then(|| Box::new(ByTrees::new(t, forces))),
            projected: reduction.map(|r| Box::new(Projected::new(&r.v))),
            dense: vec![0.0; room * room],
            lu: Lu::new(room),
            scratch: vec![0.0; LANES * room],
        }
    }

    /// Factors ∂r/∂w. Rows of dofs in `prescribed` are those of the identity. If the last factors are those
    /// of a point near by (`near`), those of a sparse matrix may stay. `Err` gives the dof at which the
    /// matrix is singular.
    pub fn factor(
        &mut self,
        t: &Topology,
        rule: &Rule,
        motion: &Motion,
        balance: &Balance,
        prescribed: &[bool],
        near: bool,
    ) -> Result<(), usize> {
        if let (Some(swept), Some(terms)) = (&mut self.swept, balance.links()) {
            self.form = Form::Links;
            return swept.factor(t, rule, motion, terms, prescribed);
        }
        if let (Some(trees), Some(entries)) = (&mut self.trees, balance.listed()) {
            self.form = Form::Trees;
            return trees.factor(t, rule, motion, (balance, entries), prescribed, near);
        }
        let mut singular = None;
        let along_tree = !balance.joins_branches() && self.projected.is_none();
        if let Some(tree) = self.tree.as_mut().filter(|_| along_tree) {
            fill_tree(tree, t, rule, motion, balance);
            drive_tree(tree, t, prescribed);
            singular = tree.factor(t);
        }
        if self.tree.is_some() && along_tree && singular.is_none() {
            self.form = Form::Tree;
            return Ok(());
        }
        self.form = Form::Dense;
        let nv = t.nv();
        if self.dense.len() < nv * nv {
            return Err(singular.unwrap_or(0));
        }
        self.fill_dense(t, rule, motion, balance);
        for row in (0..nv).filter(|k| prescribed[*k]) {
            let line = &mut self.dense[row * nv..][..nv];
            line.fill(0.0);
            line[row] = 1.0;
        }
        if let Some(projected) = &mut self.projected {
            self.form = Form::Reduced;
            projected.take(&self.dense);
            let n = projected.map.sizes()[1];
            return match self.lu.factor(&projected.matrix, n, n, TINY) {
                true => Ok(()),
                false => Err(0),
            };
        }
        match self.lu.factor(&self.dense, nv, nv, TINY) {
            true => Ok(()),
            false => Err(singular.unwrap_or(0)),
        }
    }

    fn fill_dense(&mut self, t: &Topology, rule: &Rule, motion: &Motion, balance: &Balance) {
        let nv = t.nv();
        self.dense.fill(0.0);
        let related = |a, b| balance.joins_branches() || t.are_on_a_path(a, b);
        for row in 0..nv {
            for column in (0..nv).filter(|c| related(row, *c)) {
                let [m, d, q] = balance.entry(t, row, column);
                self.dense[row * nv + column] =
                    rule.rate * m + rule.share * d + rule.displacement * q;
            }
        }
        for (l, blocks) in motion.wide(t) {
            let by = Blocks::of(rule, blocks);
            for row in 0..nv {
                if !related(row, l.iv) {
                    continue;
                }
                let x = by.row(rows(t, balance, row, l), l.nv);
                self.dense[row * nv + l.iv..][..l.nv].copy_from_slice(&x[..l.nv]);
            }
        }
    }

    /// True if a solve may lose more than a few digits. For factors along a tree their pivots show this.
    pub fn may_lose_digits(&self) -> bool {
        match (self.form, &self.tree) {
            (Form::Tree, Some(tree)) => tree.cancelled() > FEW_DIGITS,
            _ => true,
        }
    }

    /// Cost of new factors, in balances.
    pub fn price(&self) -> usize {
        self.trees.as_ref().map_or(FACTORS, |t| t.price())
    }

    /// Takes the current values of the reductions.
    pub fn reduce(&mut self, map: &Map) {
        if let Some(projected) = &mut self.projected {
            projected.map.clone_from(map);
        }
    }

    /// x = `scale` times a column of H, with reduced coordinates.
    pub fn column(&self, dof: usize, scale: f64, x: &mut [f64]) {
        let rows = self.dense.chunks_exact(x.len().max(1));
        for (x, row) in x.iter_mut().zip(rows) {
            *x = scale * row[dof];
        }
    }

    /// A vector that [`Solver::solve`] can return: with reduced coordinates, the nearest one in the range of
    /// G.
    pub fn project(&mut self, x: &mut [f64]) {
        if let Some(projected) = &mut self.projected {
            let Projected { map, x: y, .. } = &mut **projected;
            let y = &mut y[..map.sizes()[1]];
            map.restrict(x, y);
            map.expand(y, x);
        }
    }

    /// x ← H⁻¹ x.
    pub fn solve(&mut self, t: &Topology, x: &mut [f64]) {
        self.solve_columns::<1>(t, x.as_chunks_mut().0);
    }

    /// [`Solver::solve`] for up to [`LANES`] columns, row by row; only one column if the factors are link
    /// by link.
    #[inline(always)]
    pub fn solve_columns<const W: usize>(&mut self, t: &Topology, x: &mut [[f64; W]]) {
        match (self.form, &self.tree, &mut self.swept) {
            (Form::Tree, Some(tree), _) => tree.solve_columns(t, x),
            (Form::Links, _, Some(swept)) => {
                debug_assert_eq!(W, 1);
                let Swept { factors, ties } = &mut **swept;
                solve_general(factors, t, ties, x.as_flattened_mut());
            }
            (Form::Trees, ..) => {
                if let Some(trees) = &mut self.trees {
                    trees.solve(x, false);
                }
            }
            (Form::Reduced, ..) => {
                let Some(projected) = &mut self.projected else {
                    return;
                };
                let (lu, scratch) = (&self.lu, self.scratch.as_chunks_mut().0);
                projected.solve(x, |y| lu.solve(y, &mut scratch[..y.len()]));
            }
            _ => {
                let scratch = &mut self.scratch.as_chunks_mut().0[..x.len()];
                self.lu.solve(x, scratch);
            }
        }
    }

    /// x ← H⁻ᵀ x.
    pub fn solve_transposed(&mut self, t: &Topology, x: &mut [f64]) {
        match (self.form, &self.tree, &mut self.swept) {
            (Form::Tree, Some(tree), _) => return tree.solve_transposed(t, x),
            (Form::Links, _, Some(swept)) => {
                let Swept { factors, ties } = &mut **swept;
                return solve_general_transposed(factors, t, ties, x);
            }
            (Form::Trees, ..) => {
                if let Some(trees) = &mut self.trees {
                    trees.solve(x.as_chunks_mut::<1>().0, true);
                }
                return;
            }
            (Form::Reduced, ..) => {
                let Some(projected) = &mut self.projected else {
                    return;
                };
                let (lu, scratch) = (&self.lu, self.scratch.as_chunks_mut().0);
                let x = x.as_chunks_mut::<1>().0;
                return projected.solve(x, |y| lu.solve_transpose(y, &mut scratch[..y.len()]));
            }
            _ => {}
        }
        let x = x.as_chunks_mut::<1>().0;
        let scratch = &mut self.scratch.as_chunks_mut().0[..x.len()];
        self.lu.solve_transpose(x, scratch);
    }
}

impl Swept {
    fn factor(
        &mut self,
        t: &Topology,
        rule: &Rule,
        motion: &Motion,
        terms: &LinkTerms,
        prescribed: &[bool],
    ) -> Result<(), usize> {
        let plain = [rule.rate, rule.share, rule.displacement];
        let mut of = |l: &Link, by: &mut ByUnknown| by_unknown(t, rule, motion, l, by);
        let Swept { factors, ties } = self;
        let free = terms.coupled().iter().filter(|e| !prescribed[e.row]);
        let entries = free.flat_map(|e| {
            let l = &t.links[t.dofs[e.column].link];
            let blocks = motion.of_link(t.dofs[e.column].link);
            let blocks = blocks.map(|b| Blocks::of(rule, b));
            let columns = match blocks {
                Some(_) => l.dofs(),
                None => e.column..e.column + 1,
            };
            columns.map(move |c| {
                let [_, v, q] = match &blocks {
                    Some(blocks) => (blocks.columns(l.nv, c - l.iv)).map(|x| x[e.column - l.iv]),
                    None => plain,
                };
                (e.row, c, e.by_v * v + e.by_q * q)
            })
        });
        ties.take(t, entries);
        let mut singular = None;
        factor_general(factors, t, terms, prescribed, &mut of, ties, &mut singular);
        singular.map_or(Ok(()), Err)
    }
}

/// a, v and q of the dofs of a link for a unit of each of its unknowns.
fn by_unknown(t: &Topology, rule: &Rule, motion: &Motion, l: &Link, by: &mut ByUnknown) {
    let blocks = motion.of_link(t.dofs[l.iv].link);
    let blocks = blocks.map(|b| Blocks::of(rule, b));
    for (c, by) in by[..l.nv].iter_mut().enumerate() {
        match &blocks {
            Some(blocks) => *by = blocks.columns(l.nv, c),
            None => {
                for (by, x) in by
                    .iter_mut()
                    .zip([rule.rate, rule.share, rule.displacement])
                {
                    by[..l.nv].fill(0.0);
                    by[c] = x;
                }
            }
        }
    }
}

fn fill_tree(tree: &mut TreeLu, t: &Topology, rule: &Rule, motion: &Motion, balance: &Balance) {
    if let Some(sides) = balance.packed() {
        for (to, by) in tree.packed_mut().into_iter().zip(sides) {
            combine(rule, by, to);
        }
    }
    for (l, blocks) in motion.wide(t) {
        let by = Blocks::of(rule, blocks);
        for row in t.path(l.parent).chain(l.iv..t.dofs[l.iv].end) {
            let x = by.row(rows(t, balance, row, l), l.nv);
            for (c, x) in l.dofs().zip(x) {
                let [above, below] = tree.row_mut(t, row.max(c));
                let d = t.dofs[row.min(c)].depth;
                match row <= c {
                    true => above[d] = x,
                    false => below[d] = x,
                }
            }
        }
    }
}

#[inline(always)]
fn combine_kernel(rule: &Rule, [m, by_v, by_q]: [&[F4]; 3], to: &mut [F4]) {
    for (((to, m), d), q) in to.iter_mut().zip(m).zip(by_v).zip(by_q) {
        *to = *m * rule.rate + *d * rule.share + *q * rule.displacement;
    }
}

dispatch! {
    /// The part of H that is a plain sum of the derivatives by a', v' and q'.
    fn combine = combine_kernel(rule: &Rule, by: [&[F4]; 3], to: &mut [F4])
}

/// Rows of the identity for prescribed dofs.
fn drive_tree(tree: &mut TreeLu, t: &Topology, prescribed: &[bool]) {
    for k in (0..t.nv()).filter(|k| prescribed[*k]) {
        let depth = t.dofs[k].depth;
        let [above, below] = tree.row_mut(t, k);
        above[depth] = 1.0;
        below.fill(0.0);
        for j in k + 1..t.dofs[k].end {
            tree.row_mut(t, j)[0][depth] = 0.0;
        }
    }
}

/// A row of M, D and Q in the columns of a link.
fn rows(t: &Topology, balance: &Balance, row: usize, l: &Link) -> [[f64; 6]; 3] {
    let mut all = [[0.0; 6]; 3];
    for (k, c) in l.dofs().enumerate() {
        for (to, x) in all.iter_mut().zip(balance.entry(t, row, c)) {
            to[k] = x;
        }
    }
    all
}
