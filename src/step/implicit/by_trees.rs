//! The matrix H of a stage as a sparse matrix of blocks, one row and column of blocks for each tree,
//! for models with deformable bodies: their nodes are many small trees, and elements join each with a
//! few others.

use super::balance::Balance;
use super::blocks::Blocks;
use super::stage::Rule;
use crate::force::{Entry, Forces};
use crate::integrator::implicit::Motion;
use crate::linalg::{Block, Fronts, LANES};
use crate::model::topology::Topology;

/// H, then its factors. Which trees are joined is known at creation.
#[derive(Clone, Debug)]
pub(super) struct ByTrees {
    lu: Fronts,
    /// The tree of each dof, and the first dof of each tree.
    trees: Vec<usize>,
    starts: Vec<usize>,
    /// Trees without quaternions, where the unknown of each dof moves this dof alone.
    is_plain: Vec<bool>,
    /// Blocks in the order in which the last entries visited them, with their trees: the next ones mostly
    /// visit the same.
    visited: Vec<([usize; 2], Block)>,
    scratch: Vec<f64>,
}

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
        let visited = joined.iter().map(|[a, b]| ([*a, *b], lu.block(*a, *b)));
        ByTrees {
            visited: visited.collect(),
            lu,
            trees,
            starts,
            is_plain,
            scratch: vec![0.0; 2 * LANES * t.nv()],
        }
    }

    /// Factors ∂r/∂w, with rows of the identity for prescribed dofs (`prescribed`). `entries` are those
    /// between dofs of different branches. `Err` gives a dof of the tree at which the matrix is
    /// singular.
    pub fn factor(
        &mut self,
        t: &Topology,
        rule: &Rule,
        motion: &Motion,
        (balance, entries): (&Balance, &[Entry]),
        prescribed: &[bool],
    ) -> Result<(), usize> {
        self.lu.clear();
        for tree in 0..t.trees.len() {
            self.fill_own(t, rule, (balance, motion), prescribed, tree);
        }
        self.fill_between(t, rule, motion, entries, prescribed);
        match self.lu.factor() {
            true => Ok(()),
            false => Err(self.starts[self.lu.reached()]),
        }
    }

    /// The block of a tree with itself, without the entries between its branches.
    fn fill_own(
        &mut self,
        t: &Topology,
        rule: &Rule,
        (balance, motion): (&Balance, &Motion),
        prescribed: &[bool],
        tree: usize,
    ) {
        let dofs = self.starts[tree]..self.starts[tree + 1];
        let block = self.lu.block(tree, tree);
        for row in dofs.clone() {
            let r = row - dofs.start;
            if prescribed[row] {
                self.lu.add(block, r, r, 1.0);
                continue;
            }
            for column in dofs.clone().filter(|c| t.are_on_a_path(row, *c)) {
                let [m, d, q] = balance.entry(t, row, column);
                let l = t.dofs[column].link;
                let Some(blocks) = motion.of_link(l) else {
                    let x = rule.rate * m + rule.share * d + rule.displacement * q;
                    self.lu.add(block, r, column - dofs.start, x);
                    continue;
                };
                let l = &t.links[l];
                let by = Blocks::of(rule, blocks);
                for (k, c) in l.dofs().enumerate() {
                    let [by_a, by_v, by_q] = by.columns(l.nv, k).map(|x| x[column - l.iv]);
                    let x = by_a * m + by_v * d + by_q * q;
                    self.lu.add(block, r, c - dofs.start, x);
                }
            }
        }
    }

    /// Adds the entries between dofs of different branches.
    fn fill_between(
        &mut self,
        t: &Topology,
        rule: &Rule,
        motion: &Motion,
        entries: &[Entry],
        prescribed: &[bool],
    ) {
        let trees = &self.trees;
        let pair = |e: &Entry| [trees[e.row], trees[e.column]];
        for (k, run) in entries.chunk_by(|a, b| pair(a) == pair(b)).enumerate() {
            let of = pair(&run[0]);
            let block = match self.visited.get(k) {
                Some((seen, block)) if *seen == of => *block,
                _ => self.lu.block(of[0], of[1]),
            };
            if let Some(seen) = self.visited.get_mut(k) {
                *seen = (of, block);
            }
            let [row, column] = of.map(|tree| self.starts[tree]);
            for e in run.iter().filter(|e| !prescribed[e.row]) {
                let blocks = match self.is_plain[of[1]] {
                    true => None,
                    false => motion.of_link(t.dofs[e.column].link),
                };
                let Some(blocks) = blocks else {
                    let x = rule.share * e.by_v + rule.displacement * e.by_q;
                    self.lu.add(block, e.row - row, e.column - column, x);
                    continue;
                };
                let (l, by) = (&t.links[t.dofs[e.column].link], Blocks::of(rule, blocks));
                for (k, unknown) in l.dofs().enumerate() {
                    let [_, v, q] = by.columns(l.nv, k).map(|x| x[e.column - l.iv]);
                    let x = v * e.by_v + q * e.by_q;
                    self.lu.add(block, e.row - row, unknown - column, x);
                }
            }
        }
    }

    /// x ← H⁻¹ x, or H⁻ᵀ x.
    pub fn solve<const W: usize>(&mut self, x: &mut [[f64; W]], transposed: bool) {
        let scratch = &mut self.scratch.as_chunks_mut().0[..2 * x.len()];
        self.lu.solve(x, scratch, transposed);
    }
}
