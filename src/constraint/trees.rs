//! The constraint problem by kinematic trees.

use super::assemble::{Constraints, Source};
use crate::contact::island_solver::Capacity;
use crate::model::topology::{Topology, Tree};

fn size(tree: &Tree) -> usize {
    tree.end_dof - tree.first_dof
}

/// Dofs of the largest tree.
pub(super) fn largest_tree(t: &Topology) -> usize {
    t.trees.iter().map(size).max().unwrap_or(0)
}

impl Constraints {
    /// Whether G is held by trees: where there are several, and where it is `wanted`.
    pub fn fall_into_trees(t: &Topology, wanted: bool) -> bool {
        wanted || t.trees.len() > 1
    }

    /// What a solver of these problems needs room for.
    pub fn capacity(&self, t: &Topology) -> Capacity {
        let dense = Capacity {
            rows: self.max_rows(),
            blocks: self.max_blocks(),
            ..Capacity::default()
        };
        match self.by_trees {
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
        let Some(out) = &mut self.by_trees else {
            return;
        };
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
