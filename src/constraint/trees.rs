//! The constraint problem by kinematic trees.

use super::assemble::{Constraints, Source};
use crate::contact::island_solver::Capacity;
use crate::contact::ladder::DENSE;
use crate::contact::problem::Delassus;
use crate::contact::tree_rows::TreeRows;
use crate::model::topology::{Topology, Tree};

fn size(tree: &Tree) -> usize {
    tree.end_dof - tree.first_dof
}

/// Dofs of the largest tree.
pub(super) fn largest_tree(t: &Topology) -> usize {
    t.trees.iter().map(size).max().unwrap_or(0)
}

/// G. Dense where there is one tree and rows are few; more rows than the tree has coordinates depend on each other, and
/// by trees their cost grows in proportion.
#[derive(Debug)]
pub(super) struct Held {
    pub dense: Vec<f64>,
    /// Where any problem may be.
    pub by_trees: Option<TreeRows>,
    /// Rows up to which it is dense, if it ever is.
    most_dense: Option<usize>,
    /// Whether that of the present problem is.
    pub is_dense: bool,
}

impl Held {
    /// Sized for the largest problem. Always `by_trees`, or as the rows are.
    pub fn new(t: &Topology, by_trees: bool, max_rows: usize, max_blocks: usize) -> Held {
        let most_dense = match by_trees || t.trees.len() > 1 {
            true => None,
            false => Some(max_rows.min(DENSE)),
        };
        let entries = 2 * max_rows * largest_tree(t);
        Held {
            dense: Vec::with_capacity(most_dense.unwrap_or(0).pow(2)),
            by_trees: (most_dense != Some(max_rows))
                .then(|| TreeRows::with_capacity(t.trees.len(), max_blocks, entries)),
            most_dense,
            is_dense: true,
        }
    }

    /// Begins a problem.
    pub fn start(&mut self, rows: usize) {
        self.is_dense = self.most_dense.is_some_and(|most| rows <= most);
        if self.is_dense {
            self.dense.resize(rows * rows, 0.0);
        }
    }

    pub fn max_dense(&self) -> usize {
        self.most_dense.unwrap_or(0)
    }

    pub fn values(&self) -> Delassus<'_> {
        match &self.by_trees {
            Some(rows) if !self.is_dense => Delassus::Trees(rows),
            _ => Delassus::Dense(&self.dense),
        }
    }
}

impl Constraints {
    /// What a solver of these problems needs room for.
    pub fn capacity(&self, t: &Topology) -> Capacity {
        let dense = Capacity {
            rows: self.max_rows(),
            blocks: self.max_blocks(),
            ..Capacity::default()
        };
        match self.delassus.by_trees {
            None => dense,
            Some(_) => Capacity {
                trees: t.trees.len(),
                coordinates: t.nv(),
                largest_tree: largest_tree(t),
                ..dense
            },
        }
    }

    /// Fills G by trees, if that is how it is kept; after the rows' half solve.
    pub(super) fn fill_trees(&mut self, t: &Topology) {
        let Some(out) = &mut self.delassus.by_trees else {
            return;
        };
        if self.delassus.is_dense {
            return;
        }
        out.clear(t.trees.iter().map(size));
        for (group, source) in self.sources.iter().enumerate() {
            let rows = self.offsets[group + 1] - self.offsets[group];
            let trees = self.rows.trees(group);
            // Each row of an equality is a block of its own.
            let (count, height) = match source {
                Source::Equality { .. } => (rows, 1),
                _ => (1, rows),
            };
            for part in 0..count {
                let block = out.blocks();
                out.push(height, trees);
                for (side, tree) in trees.into_iter().flatten().enumerate() {
                    let tree = &t.trees[tree];
                    let panel = out.panel_mut(block, side);
                    for k in self.rows.dofs(group) {
                        if (tree.first_dof..tree.end_dof).contains(&k) {
                            let x = self.rows.half(group, k).0;
                            for r in 0..height {
                                panel[r * size(tree) + k - tree.first_dof] = x[part + r];
                            }
                        }
                    }
                }
            }
        }
        out.finish();
    }
}
