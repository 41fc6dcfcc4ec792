//! G of a step's rows: dense, or by kinematic trees.

use super::assemble::{Constraints, Source};
use crate::contact::capacity::{Capacity, DENSE};
use crate::contact::problem::Delassus;
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::dynamics::factors::Factors;
use crate::linalg::{Reflections, dispatch};
use crate::model::topology::{Topology, Tree};

/// Dofs of a tree above which rows that are few beside them get coordinates of their own.
const LARGE: usize = 64;

fn size(tree: &Tree) -> usize {
    tree.end_dof - tree.first_dof
}

/// Whether so many rows on a tree are turned to coordinates as few as they are.
fn is_turned(size: usize, rows: usize) -> bool {
    size > LARGE && 2 * rows <= size
}

/// Coordinates of a tree on which so many rows act; never none.
fn coordinates(size: usize, rows: usize) -> usize {
    if is_turned(size, rows) {
        rows.max(1)
    } else {
        size
    }
}

/// The most coordinates of a tree that problems of up to so many rows may have.
fn most_coordinates(tree: &Tree, max_rows: usize) -> usize {
    coordinates(size(tree), max_rows)
}

/// Room for problems by trees of up to so many rows: coordinates of all trees and of the largest one, and numbers of rows
/// that are turned.
pub fn room(t: &Topology, max_rows: usize) -> [usize; 3] {
    let most = |tree| most_coordinates(tree, max_rows);
    let large = t.trees.iter().map(size).filter(|n| *n > LARGE);
    [
        t.trees.iter().map(most).sum(),
        t.trees.iter().map(most).max().unwrap_or(0),
        large.map(|n| n * max_rows.min(n / 2)).sum(),
    ]
}

/// A tree whose rows are turned.
#[derive(Debug)]
struct Turned {
    tree: usize,
    reflections: Reflections,
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
    pub by_trees: Option<WhitenedJacobian>,
    /// Rows up to which it is dense, if it ever is.
    most_dense: Option<usize>,
    /// Whether that of the present problem is.
    pub is_dense: bool,
    /// Its diagonal where rows are rigid, while some are not.
    rigid: Vec<f64>,
    /// The large trees, rows on each tree, and its coordinates.
    turned: Vec<Turned>,
    rows_on: Vec<usize>,
    sizes: Vec<usize>,
}

impl Held {
    /// Sized for the largest problem. Always `by_trees`, or as the rows are.
    pub fn new(t: &Topology, by_trees: bool, max_rows: usize, max_blocks: usize) -> Held {
        let most_dense = match by_trees || t.trees.len() > 1 {
            true => None,
            false => Some(max_rows.min(DENSE)),
        };
        let [_, largest, _] = room(t, max_rows);
        let entries = 2 * max_rows * largest;
        let is_held = most_dense != Some(max_rows);
        let large = t
            .trees
            .iter()
            .enumerate()
            .filter(|(_, tree)| is_held && size(tree) > LARGE);
        let turned = large.map(|(k, tree)| {
            let rows = max_rows.min(size(tree) / 2);
            Turned {
                tree: k,
                reflections: Reflections::with_capacity(rows, rows * size(tree)),
            }
        });
        Held {
            dense: Vec::with_capacity(most_dense.unwrap_or(0).pow(2)),
            by_trees: is_held
                .then(|| WhitenedJacobian::with_capacity(t.trees.len(), max_blocks, entries)),
            most_dense,
            is_dense: true,
            rigid: Vec::with_capacity(most_dense.unwrap_or(0)),
            turned: turned.collect(),
            rows_on: vec![0; t.trees.len()],
            sizes: vec![0; t.trees.len()],
        }
    }

    /// Begins a problem.
    pub fn start(&mut self, rows: usize) {
        self.is_dense = self.most_dense.is_some_and(|most| rows <= most);
        self.rigid.clear();
        if self.is_dense {
            self.dense.resize(rows * rows, 0.0);
        }
    }

    /// Sets R, by rows; none: all are rigid.
    pub fn set_compliance(&mut self, compliance: &[f64]) {
        match &mut self.by_trees {
            Some(rows) if !self.is_dense => rows.set_compliance(compliance.iter().copied()),
            _ => {
                let n = self.dense.len().isqrt();
                let diagonal = self.dense.iter_mut().step_by(n + 1);
                if self.rigid.is_empty() && !compliance.is_empty() {
                    self.rigid.extend(diagonal.map(|x| *x));
                }
                let yielding = self
                    .rigid
                    .iter()
                    .zip(compliance.iter().chain(std::iter::repeat(&0.0)));
                for (x, (rigid, r)) in self.dense.iter_mut().step_by(n + 1).zip(yielding) {
                    *x = rigid + r;
                }
            }
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

    /// G; `m` must be factored.
    pub fn condense(&mut self, t: &Topology, m: &Factors) {
        let n = self.offsets.last().copied().unwrap_or(0);
        self.delassus.start(n);
        condense(self, t, m, n);
        self.fill_trees(t);
    }

    /// Fills G by trees, if that is how it is kept; after the rows' half solve. On a tree of many dofs few rows see few
    /// directions, which become its coordinates: what is solved by trees then grows with the rows alone.
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
        // Rows met so far of each tree.
        held.rows_on.fill(0);
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

    /// The panels of turned rows.
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

    /// From the coordinates of all dofs ([`Rows::coordinates`]) to those of the problem, which come first.
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
    let dense = &mut c.delassus.dense;
    for i in 0..c.sources.len() {
        let rows = |k: usize| c.offsets[k]..c.offsets[k + 1];
        let ri = rows(i);
        for j in 0..=i {
            let rj = rows(j);
            // Column b of the block (i, j) in lanes.
            let g = c.rows.delassus(i, j);
            for (b, column) in rj.zip(&g) {
                for (a, x) in ri.clone().zip(&column.0) {
                    dense[b * n + a] = *x;
                    dense[a * n + b] = *x;
                }
            }
        }
    }
}

dispatch! {
    fn condense = condense_kernel(c: &mut Constraints, t: &Topology, m: &Factors, n: usize)
}
