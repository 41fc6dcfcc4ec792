//! The matrix H of a stage as a sparse matrix of blocks, one row and column of blocks for each tree,
//! for models with deformable bodies: their nodes are many small trees, and elements join each with a
//! few others.

use super::balance::Balance;
use super::blocks::Blocks;
use super::stage::Rule;
use super::way::largest;
use crate::force::{Entry, Forces};
use crate::integrator::implicit::Motion;
use crate::linalg::{Block, Fronts, LANES, scattered};
use crate::model::topology::Topology;

/// H and factors. Which trees are joined is known at creation.
#[derive(Clone, Debug)]
pub(super) struct ByTrees {
    /// The entries of H, block after block.
    entries: Vec<Nonzero>,
    /// Factors of H, or of the matrix at a point near by if `is_near`. Solves are then refined.
    lu: Fronts,
    is_near: bool,
    /// Cost of `lu`, in solves.
    price: f64,
    /// If `is_near`: factors of H itself, for many columns, if `has_own`.
    own: Fronts,
    has_own: bool,
    /// The tree of each dof, and the first dof of each tree.
    trees: Vec<usize>,
    starts: Vec<usize>,
    /// Trees without quaternions, where the unknown of each dof moves this dof alone.
    is_plain: Vec<bool>,
    /// Blocks in the order in which the last entries visited them, with their trees: the next ones mostly
    /// visit the same.
    visited: Vec<([usize; 2], Block)>,
    scratch: Vec<f64>,
    /// A right side, and the residual of a solution.
    right: Vec<f64>,
    missed: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Nonzero {
    row: u32,
    column: u32,
    x: f64,
}

/// Corrections of a refined solution up to this size are round-off.
const REFINED: f64 = 2.0 * f64::EPSILON;

/// Corrections that no longer shrink may be round-off up to this size.
const STALLED: f64 = 1e-11;

/// Largest share that a correction may be of the one before.
const SHRINKS: f64 = 0.5;

/// Seed of the vector that tells how near factors are.
const PROBE: usize = 29;

impl ByTrees {
    pub fn new(t: &Topology, forces: &Forces) -> ByTrees {
        let mut starts: Vec<usize> = t.trees.iter().map(|tree| tree.first_dof).collect();
        starts.push(t.nv());
        let mut trees = vec![0; t.nv()];
        for (k, tree) in t.trees.iter().enumerate() {
            trees[tree.first_dof..tree.end_dof].fill(k);
        }
        let mut joined = Vec::new();
        forces.for_coupled_trees(t, |a, b| joined.push([a, b]));
        let mut places = vec![None; t.trees.len()];
        forces.for_places(t, |tree, place| places[tree] = Some(place.to_array()));
        let lu = Fronts::new(&starts, &joined, &places);
        let mut is_plain = vec![true; t.trees.len()];
        t.wide_links().for_each(|l| is_plain[l.tree] = false);
        let own = (0..t.trees.len()).map(|k| [k, k]);
        let visited = own.chain(joined).map(|[a, b]| ([a, b], lu.block(a, b)));
        // A column of a wide link fills as many columns as the link has unknowns.
        let widest = t.wide_links().map(|l| l.nv).max().unwrap_or(1);
        let squares = starts.windows(2).map(|ends| (ends[1] - ends[0]).pow(2));
        let room = squares.sum::<usize>() + widest * forces.most_crossing(t);
        ByTrees {
            entries: Vec::with_capacity(room),
            visited: visited.collect(),
            own: lu.unfilled(),
            price: lu.price(),
            lu,
            is_near: false,
            has_own: false,
            trees,
            starts,
            is_plain,
            scratch: vec![0.0; 2 * LANES * t.nv()],
            right: vec![0.0; t.nv()],
            missed: vec![0.0; t.nv()],
        }
    }

    /// Takes H = ∂r/∂w, with rows of the identity for prescribed dofs (`prescribed`), and factors it.
    /// `entries` are those between dofs of different branches. If `near` and if the last factors, of a point
    /// near by, solve with H for less, they stay. `Err` gives a dof of the tree at which the matrix is
    /// singular.
    pub fn factor(
        &mut self,
        t: &Topology,
        rule: &Rule,
        motion: &Motion,
        (balance, entries): (&Balance, &[Entry]),
        prescribed: &[bool],
        near: bool,
    ) -> Result<(), usize> {
        self.entries.clear();
        for tree in 0..t.trees.len() {
            self.take_own(t, rule, (balance, motion), prescribed, tree);
        }
        self.take_between(t, rule, motion, entries, prescribed);
        self.has_own = false;
        self.is_near = near && self.is_near_by();
        if self.is_near {
            return Ok(());
        }
        self.fill(false);
        match self.lu.factor() {
            true => Ok(()),
            false => Err(self.starts[self.lu.reached()]),
        }
    }

    /// Cost of new factors, in balances: as measured on bodies of 100 to 1000 nodes.
    pub fn price(&self) -> usize {
        3 + (self.price / 3.0) as usize
    }

    /// The block of a tree with itself, without the entries between its branches.
    fn take_own(
        &mut self,
        t: &Topology,
        rule: &Rule,
        (balance, motion): (&Balance, &Motion),
        prescribed: &[bool],
        tree: usize,
    ) {
        let dofs = self.starts[tree]..self.starts[tree + 1];
        for row in dofs.clone() {
            if prescribed[row] {
                self.add(row, row, 1.0);
                continue;
            }
            for column in dofs.clone().filter(|c| t.are_on_a_path(row, *c)) {
                let [m, d, q] = balance.entry(t, row, column);
                let l = t.dofs[column].link;
                let Some(blocks) = motion.of_link(l) else {
                    let x = rule.rate * m + rule.share * d + rule.displacement * q;
                    self.add(row, column, x);
                    continue;
                };
                let l = &t.links[l];
                let by = Blocks::of(rule, blocks);
                for (k, c) in l.dofs().enumerate() {
                    let [by_a, by_v, by_q] = by.columns(l.nv, k).map(|x| x[column - l.iv]);
                    self.add(row, c, by_a * m + by_v * d + by_q * q);
                }
            }
        }
    }

    /// The entries between dofs of different branches.
    fn take_between(
        &mut self,
        t: &Topology,
        rule: &Rule,
        motion: &Motion,
        entries: &[Entry],
        prescribed: &[bool],
    ) {
        for e in entries.iter().filter(|e| !prescribed[e.row]) {
            let blocks = match self.is_plain[self.trees[e.column]] {
                true => None,
                false => motion.of_link(t.dofs[e.column].link),
            };
            let Some(blocks) = blocks else {
                let x = rule.share * e.by_v + rule.displacement * e.by_q;
                self.add(e.row, e.column, x);
                continue;
            };
            let (l, by) = (&t.links[t.dofs[e.column].link], Blocks::of(rule, blocks));
            for (k, unknown) in l.dofs().enumerate() {
                let [_, v, q] = by.columns(l.nv, k).map(|x| x[e.column - l.iv]);
                self.add(e.row, unknown, v * e.by_v + q * e.by_q);
            }
        }
    }

    #[inline(always)]
    fn add(&mut self, row: usize, column: usize, x: f64) {
        let [row, column] = [row, column].map(|k| k as u32);
        self.entries.push(Nonzero { row, column, x });
    }

    /// Copies H into `lu`, or into `own`.
    fn fill(&mut self, own: bool) {
        let (trees, starts) = (&self.trees, &self.starts);
        let lu = if own { &mut self.own } else { &mut self.lu };
        lu.clear();
        let pair = |e: &Nonzero| [e.row, e.column].map(|k| trees[k as usize]);
        for (k, run) in (self.entries.chunk_by(|a, b| pair(a) == pair(b))).enumerate() {
            let of = pair(&run[0]);
            let block = match self.visited.get(k) {
                Some((seen, block)) if *seen == of => *block,
                _ => lu.block(of[0], of[1]),
            };
            if let Some(seen) = self.visited.get_mut(k) {
                *seen = (of, block);
            }
            let [row, column] = of.map(|tree| starts[tree]);
            for e in run {
                lu.add(block, e.row as usize - row, e.column as usize - column, e.x);
            }
        }
    }

    /// True if refined solves with the factors of a point near by cost less than new factors. A random vector
    /// tells their rate.
    fn is_near_by(&mut self) -> bool {
        let (mut x, mut b) = (
            std::mem::take(&mut self.right),
            std::mem::take(&mut self.missed),
        );
        (x.iter_mut().enumerate()).for_each(|(k, x)| *x = scattered(k, PROBE));
        b.fill(0.0);
        self.add_product(&x, &mut b, false);
        self.solve_with(false, b.as_chunks_mut::<1>().0, false);
        let wrong = b.iter().zip(&x).map(|(b, x)| (b - x).abs());
        let rate = wrong.fold(0.0, |m: f64, x| if x > m || x.is_nan() { x } else { m });
        (self.right, self.missed) = (x, b);
        // Solves until an error of 1 is round-off.
        let solves = REFINED.ln() / rate.max(f64::MIN_POSITIVE).ln();
        rate < SHRINKS && solves < self.price
    }

    /// out += H x, or Hᵀ x.
    fn add_product(&self, x: &[f64], out: &mut [f64], transposed: bool) {
        for e in &self.entries {
            let [row, column] = [e.row, e.column].map(|k| k as usize);
            match transposed {
                true => out[column] += e.x * x[row],
                false => out[row] += e.x * x[column],
            }
        }
    }

    fn solve_with<const W: usize>(&mut self, own: bool, x: &mut [[f64; W]], transposed: bool) {
        let scratch = &mut self.scratch.as_chunks_mut().0[..2 * x.len()];
        let lu = if own { &self.own } else { &self.lu };
        lu.solve(x, scratch, transposed);
    }

    /// x ← H⁻¹ x, or H⁻ᵀ x.
    pub fn solve<const W: usize>(&mut self, x: &mut [[f64; W]], transposed: bool) {
        if !self.is_near {
            return self.solve_with(false, x, transposed);
        }
        // Single columns are refined in any case, so that their bits do not depend on what came before.
        if W == 1 && self.refine(x.as_flattened_mut(), transposed) {
            return;
        }
        if !self.has_own {
            self.fill(true);
            self.own.factor();
            self.has_own = true;
        }
        self.solve_with(true, x, transposed);
    }

    /// x ← H⁻¹ x, or H⁻ᵀ x, by iterative refinement. If it does not converge, x stays, and the result is
    /// false.
    fn refine(&mut self, x: &mut [f64], transposed: bool) -> bool {
        let (mut b, mut r) = (
            std::mem::take(&mut self.right),
            std::mem::take(&mut self.missed),
        );
        b.copy_from_slice(x);
        self.solve_with(false, x.as_chunks_mut::<1>().0, transposed);
        let mut last = largest(x);
        let converged = loop {
            r.fill(0.0);
            self.add_product(x, &mut r, transposed);
            for (r, b) in r.iter_mut().zip(&b) {
                *r = b - *r;
            }
            self.solve_with(false, r.as_chunks_mut::<1>().0, transposed);
            for (x, r) in x.iter_mut().zip(&r) {
                *x += r;
            }
            let (size, whole) = (largest(&r), largest(x));
            if size * size <= REFINED * whole * last {
                break true;
            }
            let shrinks = size <= SHRINKS * last;
            if !shrinks {
                break size <= STALLED * whole;
            }
            last = size;
        };
        if !converged {
            x.copy_from_slice(&b);
        }
        (self.right, self.missed) = (b, r);
        converged
    }
}
