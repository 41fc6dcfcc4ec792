//! How G is held: dense, or by kinematic trees.

use crate::contact::capacity::DENSE;
use crate::contact::problem::Delassus;
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::linalg::Reflections;
use crate::model::topology::{Topology, Tree};

/// Dofs of a tree above which rows that are few beside them get coordinates of their own.
const LARGE: usize = 64;

pub(super) fn size(tree: &Tree) -> usize {
    tree.end_dof - tree.first_dof
}

/// Whether so many rows on a tree are turned to coordinates as few as they are.
pub(super) fn is_turned(size: usize, rows: usize) -> bool {
    size > LARGE && 2 * rows <= size
}

/// Coordinates of a tree on which so many rows act; never none.
pub(super) fn coordinates(size: usize, rows: usize) -> usize {
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
pub(super) struct Turned {
    pub tree: usize,
    pub reflections: Reflections,
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
    pub turned: Vec<Turned>,
    pub rows_on: Vec<usize>,
    pub sizes: Vec<usize>,
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
