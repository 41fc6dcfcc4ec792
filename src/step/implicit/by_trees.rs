//! The matrix H of a stage as a sparse matrix of blocks, one row and column of blocks for each tree,
//! for models with deformable bodies: their nodes are many small trees, and elements join each with a
//! few others.

use super::balance::Balance;
use super::blocks::Blocks;
use super::stage::Rule;
use crate::force::{Entry, Forces};
use crate::integrator::implicit::Motion;
use crate::linalg::{BlockLu, LANES, Place};
use crate::model::topology::Topology;

/// H, then its factors. Which trees are joined is known at creation.
#[derive(Clone, Debug)]
pub(super) struct ByTrees {
    lu: BlockLu,
    /// The tree of each dof, and the first dof of each tree.
    trees: Vec<usize>,
    starts: Vec<usize>,
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
        let lu = BlockLu::of_graph(&starts, |lu| {
            forces.for_coupled_trees(t, |a, b| lu.connect(a, b));
        });
        ByTrees {
            lu,
            trees,
            starts,
            scratch: vec![0.0; LANES * t.nv()],
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
        let mut last = None;
        for e in entries.iter().filter(|e| !prescribed[e.row]) {
            let l = t.dofs[e.column].link;
            let Some(blocks) = motion.of_link(l) else {
                let x = rule.share * e.by_v + rule.displacement * e.by_q;
                self.add(&mut last, e.row, e.column, x);
                continue;
            };
            let l = &t.links[l];
            let by = Blocks::of(rule, blocks);
            for (k, column) in l.dofs().enumerate() {
                let [_, v, q] = by.columns(l.nv, k).map(|x| x[e.column - l.iv]);
                self.add(&mut last, e.row, column, v * e.by_v + q * e.by_q);
            }
        }
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
        let place = self.lu.own(tree);
        let block = self.lu.block_mut(place);
        for row in dofs.clone() {
            let line = &mut block[(row - dofs.start) * dofs.len()..][..dofs.len()];
            if prescribed[row] {
                line[row - dofs.start] = 1.0;
                continue;
            }
            for column in dofs.clone().filter(|c| t.are_on_a_path(row, *c)) {
                let [m, d, q] = balance.entry(t, row, column);
                let l = t.dofs[column].link;
                let Some(blocks) = motion.of_link(l) else {
                    line[column - dofs.start] +=
                        rule.rate * m + rule.share * d + rule.displacement * q;
                    continue;
                };
                let l = &t.links[l];
                let by = Blocks::of(rule, blocks);
                for (k, c) in l.dofs().enumerate() {
                    let [by_a, by_v, by_q] = by.columns(l.nv, k).map(|x| x[column - l.iv]);
                    line[c - dofs.start] += by_a * m + by_v * d + by_q * q;
                }
            }
        }
    }

    /// Adds to an entry. `last` remembers the block of the last entry by its trees.
    fn add(&mut self, last: &mut Option<([usize; 2], Place)>, row: usize, column: usize, x: f64) {
        let [a, b] = [row, column].map(|k| self.trees[k]);
        let [r, c] = [row - self.starts[a], column - self.starts[b]];
        let is_first = a == b || self.lu.precedes(a, b);
        let place = match last {
            Some((of, place)) if *of == [a, b] => *place,
            _ => {
                let place = match (a == b, is_first) {
                    (true, _) => self.lu.own(a),
                    (_, true) => self.lu.between(a, b)[0],
                    (_, false) => self.lu.between(b, a)[1],
                };
                *last = Some(([a, b], place));
                place
            }
        };
        // The opposite block is stored as its transpose.
        let at = match is_first {
            true => r * (self.starts[b + 1] - self.starts[b]) + c,
            false => c * (self.starts[a + 1] - self.starts[a]) + r,
        };
        self.lu.block_mut(place)[at] += x;
    }

    /// x ← H⁻¹ x, or H⁻ᵀ x.
    pub fn solve<const W: usize>(&mut self, x: &mut [[f64; W]], transposed: bool) {
        let scratch = &mut self.scratch.as_chunks_mut().0[..x.len()];
        self.lu.solve(x, scratch, transposed);
    }
}
