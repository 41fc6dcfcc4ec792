//! Computes the Delassus matrix G = J A⁻¹ Jᵀ of a step's rows.

use super::assemble::Constraints;
use super::held::{Turned, coordinates, is_turned, room, size};
use crate::contact::capacity::Capacity;
use crate::dynamics::factors::Factors;
use crate::linalg::{F4, dispatch};
use crate::model::topology::{Topology, Tree};

impl Constraints {
    /// The capacity that a solver of these problems needs.
    pub fn capacity(&self, t: &Topology) -> Capacity {
        let dense = Capacity {
            rows: self.max_rows(),
            blocks: self.max_blocks(),
            torsion: self.max_torsion,
            ..Capacity::default()
        };
        match self.delassus.by_trees {
            None => dense,
            Some(_) => {
                let [coordinates, largest_tree, _] = room(t, self.max_rows());
                Capacity {
                    trees: t.trees.len(),
                    coordinates,
                    largest_tree,
                    ..dense
                }
            }
        }
    }

    /// Computes G; `m` must be factored.
    pub fn condense(&mut self, t: &Topology, m: &Factors) {
        let n = self.offsets.last().copied().unwrap_or(0);
        self.delassus.start(n);
        condense(self, t, m, n);
        self.fill_trees(t);
    }

    /// Fills G by trees, if it is stored by trees; after [`Rows::solve_half`]. If few rows act on a tree of
    /// many dofs, an orthonormal basis of these rows replaces the coordinates of the tree. The cost of a
    /// solve by trees then grows with the rows only.
    ///
    /// [`Rows::solve_half`]: super::rows::Rows::solve_half
    fn fill_trees(&mut self, t: &Topology) {
        let held = &mut self.delassus;
        let Some(out) = &mut held.by_trees else {
            return;
        };
        if held.is_dense {
            return;
        }
        held.rows_on.fill(0);
        for group in 0..self.sources.len() {
            for tree in self.rows.trees(group).into_iter().flatten() {
                held.rows_on[tree] += self.offsets[group + 1] - self.offsets[group];
            }
        }
        let trees = t.trees.iter().zip(&held.rows_on);
        for (to, (tree, rows)) in held.sizes.iter_mut().zip(trees) {
            *to = coordinates(size(tree), *rows);
        }
        for turned in &mut held.turned {
            let (dofs, rows) = (size(&t.trees[turned.tree]), held.rows_on[turned.tree]);
            let rows = if is_turned(dofs, rows) { rows } else { 0 };
            turned.reflections.start(rows, dofs);
        }
        out.clear(held.sizes.iter().copied());
        // Number of rows of each tree so far.
        held.rows_on.fill(0);
        for (group, source) in self.sources.iter().enumerate() {
            let rows = self.offsets[group + 1] - self.offsets[group];
            let trees = self.rows.trees(group);
            let count = source.blocks(rows);
            let height = rows / count;
            for part in 0..count {
                let block = out.blocks();
                out.push(height, trees);
                for (side, tree) in trees.into_iter().flatten().enumerate() {
                    let first = held.rows_on[tree];
                    held.rows_on[tree] += height;
                    let Tree {
                        first_dof, end_dof, ..
                    } = t.trees[tree];
                    let n = end_dof - first_dof;
                    let own = self.rows.dofs(group);
                    let own = own.filter(|k| (first_dof..end_dof).contains(k));
                    if held.sizes[tree] == n {
                        let panel = out.panel_mut(block, side);
                        for k in own {
                            let x = self.rows.half(group, k).0;
                            for r in 0..height {
                                panel[r * n + k - first_dof] = x[part + r];
                            }
                        }
                    } else if let Some(turned) = of_tree(&mut held.turned, tree) {
                        for k in own {
                            let x = self.rows.half(group, k).0;
                            for r in 0..height {
                                turned.reflections.row_mut(first + r)[k - first_dof] = x[part + r];
                            }
                        }
                    }
                }
            }
        }
        for turned in &mut held.turned {
            turned.reflections.factor();
        }
        self.write_turned(t);
        if let Some(out) = &mut self.delassus.by_trees {
            out.finish();
        }
    }

    /// Writes the panels of the reduced rows.
    fn write_turned(&mut self, t: &Topology) {
        let held = &mut self.delassus;
        let Some(out) = held.by_trees.as_mut().filter(|_| !held.turned.is_empty()) else {
            return;
        };
        held.rows_on.fill(0);
        for block in 0..out.blocks() {
            let height = out.range(block).len();
            for (side, tree) in out.trees_of(block).into_iter().flatten().enumerate() {
                let first = held.rows_on[tree];
                held.rows_on[tree] += height;
                let n = held.sizes[tree];
                if n == size(&t.trees[tree]) {
                    continue;
                }
                if let Some(turned) = of_tree(&mut held.turned, tree) {
                    let lines = out.panel_mut(block, side).chunks_exact_mut(n);
                    for (r, line) in lines.enumerate() {
                        turned.reflections.write(first + r, line);
                    }
                }
            }
        }
    }

    /// Converts the coordinates of all dofs ([`Rows::coordinates`]) to those of the problem, which are
    /// moved to the front of `x`.
    ///
    /// [`Rows::coordinates`]: super::rows::Rows::coordinates
    pub fn turn<'a>(&self, t: &Topology, x: &'a mut [f64]) -> &'a [f64] {
        let held = &self.delassus;
        if held.is_dense || held.turned.is_empty() {
            return x;
        }
        let mut at = 0;
        for (k, (tree, n)) in t.trees.iter().zip(&held.sizes).enumerate() {
            let dofs = tree.first_dof..tree.end_dof;
            if *n < dofs.len()
                && let Some(at) = place_of(&held.turned, k)
            {
                held.turned[at].reflections.turn(&mut x[dofs.clone()]);
            }
            x.copy_within(dofs.start..dofs.start + n, at);
            at += n;
        }
        &x[..at]
    }
}

fn of_tree(turned: &mut [Turned], tree: usize) -> Option<&mut Turned> {
    place_of(turned, tree).map(|k| &mut turned[k])
}

fn place_of(turned: &[Turned], tree: usize) -> Option<usize> {
    turned
        .binary_search_by_key(&tree, |turned| turned.tree)
        .ok()
}

#[inline(always)]
fn condense_kernel(c: &mut Constraints, t: &Topology, m: &Factors, n: usize) {
    c.rows.solve_half(t, m);
    if !c.delassus.is_dense {
        return;
    }
    let (dense, offsets) = (&mut c.delassus.dense[..n * n], &c.offsets[..]);
    // The lower triangle, column by column; then the upper one.
    for (i, ri) in offsets.windows(2).enumerate() {
        let (at, rows) = (ri[0], ri[1] - ri[0]);
        for (j, rj) in offsets[..i + 2].windows(2).enumerate() {
            let columns = rj[0]..rj[1];
            if rows == 1 {
                for (b, x) in columns.zip(c.rows.delassus_row(i, j).0) {
                    dense[b * n + at] = x;
                }
                continue;
            }
            for (b, F4([x, y, z, _])) in columns.zip(c.rows.delassus(i, j)) {
                match &mut dense[b * n + at..b * n + at + rows] {
                    [a, b, c] => (*a, *b, *c) = (x, y, z),
                    some => some.copy_from_slice(&[x, y, z][..rows]),
                }
            }
        }
    }
    for a in 1..n {
        let (above, row) = dense.split_at_mut(a * n);
        for (x, column) in row[..a].iter_mut().zip(above.chunks_exact(n)) {
            *x = column[a];
        }
    }
}

dispatch! {
    fn condense = condense_kernel(c: &mut Constraints, t: &Topology, m: &Factors, n: usize)
}
