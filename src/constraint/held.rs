//! Stores the Delassus matrix G: dense, or by kinematic trees.

use crate::constraint::tuning::LARGE_TREE;
use crate::contact::capacity::DENSE;
use crate::contact::problem::Delassus;
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::linalg::Reflections;
use crate::model::topology::{Topology, Tree};

pub(super) fn size(tree: &Tree) -> usize {
    tree.end_dof - tree.first_dof
}

/// True if this number of rows on a tree is reduced to as many coordinates.
pub(super) fn is_turned(size: usize, rows: usize) -> bool {
    size > LARGE_TREE && 2 * rows <= size
}

/// Number of coordinates of a tree on which this number of rows acts; at least one.
pub(super) fn coordinates(size: usize, rows: usize) -> usize {
    if is_turned(size, rows) {
        rows.max(1)
    } else {
        size
    }
}

/// Largest number of coordinates of a tree in problems of up to `max_rows` rows.
fn most_coordinates(tree: &Tree, max_rows: usize) -> usize {
    coordinates(size(tree), max_rows)
}

/// Capacity for problems by trees of up to `max_rows` rows: coordinates of all trees, coordinates of the
/// largest tree, and numbers of reduced rows.
pub fn room(t: &Topology, max_rows: usize) -> [usize; 3] {
    let most = |tree| most_coordinates(tree, max_rows);
    let large = t.trees.iter().map(size).filter(|n| *n > LARGE_TREE);
    [
        t.trees.iter().map(most).sum(),
        t.trees.iter().map(most).max().unwrap_or(0),
        large.map(|n| n * max_rows.min(n / 2)).sum(),
    ]
}

/// A tree whose rows are reduced by reflections.
#[derive(Debug)]
pub(super) struct Turned {
    pub tree: usize,
    pub reflections: Reflections,
}

/// The matrix G. It is dense if there is one tree and rows are few. If there are more rows than coordinates
/// of the tree, rows are dependent; G is then stored by trees, whose cost is linear in the rows.
#[derive(Debug)]
pub(super) struct Held {
    pub dense: Vec<f64>,
    /// Present if some problem may be stored by trees.
    pub by_trees: Option<WhitenedJacobian>,
    /// Number of rows up to which it is dense, if it ever is.
    most_dense: Option<usize>,
    /// True if G of the present problem is dense.
    pub is_dense: bool,
    /// Diagonal of the dense G without R, while R is set.
    rigid: Vec<f64>,
    /// The large trees; per tree, its number of rows and its coordinates.
    pub turned: Vec<Turned>,
    pub rows_on: Vec<usize>,
    pub sizes: Vec<usize>,
}

impl Held {
    /// Sized for the largest problem. With `by_trees` it is always stored by trees; otherwise the rows
    /// decide.
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
            .filter(|(_, tree)| is_held && size(tree) > LARGE_TREE);
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

    /// Sets R per row. An empty list means that all rows are rigid.
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
