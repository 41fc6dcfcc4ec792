//! The problem of some blocks with which no other blocks couple, such as an island: extracts it from the
//! whole problem, and puts its solution back.

use super::capacity::Capacity;
use super::mode::Mode;
use super::problem::{Block, Delassus, Problem};
use super::whitened_jacobian::WhitenedJacobian;

/// The problem of some blocks.
#[derive(Debug)]
pub(in crate::contact) struct Part {
    /// Blocks and rows of the whole problem.
    pub members: Vec<usize>,
    pub rows: Vec<usize>,
    /// For each tree of the whole problem, its index in the part.
    place: Vec<usize>,
    trees: Vec<usize>,
    factor: WhitenedJacobian,
    /// How G is stored: as a matrix, or by trees.
    pub is_dense: bool,
    dense: Vec<f64>,
    blocks: Vec<Block>,
    g: Vec<f64>,
    lambda: Vec<f64>,
    modes: Vec<Mode>,
}

impl Part {
    /// Capacity for this many rows and blocks. Up to `most_dense` rows may be stored as a matrix.
    pub fn new(capacity: &Capacity, rows: usize, blocks: usize, most_dense: usize) -> Part {
        let trees = capacity.trees;
        Part {
            members: Vec::with_capacity(blocks),
            rows: Vec::with_capacity(rows),
            place: vec![0; trees],
            // Two trees of every block, before duplicates are removed.
            trees: Vec::with_capacity(2 * blocks),
            factor: WhitenedJacobian::with_capacity(
                trees,
                blocks,
                2 * rows * capacity.largest_tree,
            ),
            is_dense: false,
            dense: Vec::with_capacity(rows.min(most_dense).pow(2)),
            blocks: Vec::with_capacity(blocks),
            g: Vec::with_capacity(rows),
            lambda: Vec::with_capacity(rows),
            modes: Vec::with_capacity(blocks),
        }
    }

    pub fn extract(
        &mut self,
        problem: &Problem,
        rows: &WhitenedJacobian,
        members: &[usize],
        lambda: &[f64],
        modes: &[Mode],
        most_dense: usize,
    ) {
        self.members.clear();
        self.members.extend_from_slice(members);
        self.rows.clear();
        self.blocks.clear();
        self.g.clear();
        self.lambda.clear();
        self.modes.clear();
        self.trees.clear();
        for &b in members {
            let range = rows.range(b);
            self.blocks.push(match problem.blocks[b] {
                // Its contact follows.
                Block::Torsion { rows, .. } => Block::Torsion {
                    contact: self.blocks.len() + 1,
                    rows,
                },
                block => block,
            });
            self.modes.push(modes[b]);
            self.g.extend_from_slice(&problem.g[range.clone()]);
            self.lambda.extend_from_slice(&lambda[range.clone()]);
            self.rows.extend(range);
            self.trees.extend(rows.trees_of(b).into_iter().flatten());
        }
        self.is_dense = self.rows.len() <= most_dense;
        if self.is_dense {
            let n = self.rows.len();
            self.dense.resize(n * n, 0.0);
            rows.matrix(members, &mut self.dense);
            return;
        }
        self.trees.sort_unstable();
        self.trees.dedup();
        for (k, tree) in self.trees.iter().enumerate() {
            self.place[*tree] = k;
        }
        let starts = rows.starts();
        let sizes = self.trees.iter().map(|t| starts[t + 1] - starts[*t]);
        self.factor.clear(sizes);
        for (k, &b) in members.iter().enumerate() {
            let trees = rows.trees_of(b);
            self.factor
                .push(rows.range(b).len(), trees.map(|t| t.map(|t| self.place[t])));
            for side in 0..trees.iter().flatten().count() {
                self.factor
                    .panel_mut(k, side)
                    .copy_from_slice(rows.panel(b, side));
            }
        }
        if !rows.compliances().is_empty() {
            let compliance = self.rows.iter().map(|row| rows.compliance(*row));
            self.factor.set_compliance(compliance);
        }
        self.factor.finish();
    }

    /// The problem, its impulses and its modes.
    pub fn problem(&mut self) -> (Problem<'_>, &mut [f64], &mut [Mode]) {
        let held = [&self.dense[..], &self.g];
        let problem = pose(&self.blocks, self.is_dense, &self.factor, held);
        (problem, &mut self.lambda, &mut self.modes)
    }

    /// The problem, without its impulses and modes.
    pub fn posed(&self) -> Problem<'_> {
        pose(
            &self.blocks,
            self.is_dense,
            &self.factor,
            [&self.dense, &self.g],
        )
    }

    /// For a part stored by trees: the indices of its coordinates in the whole problem.
    pub fn coordinates<'a>(
        &'a self,
        rows: &'a WhitenedJacobian,
    ) -> impl Iterator<Item = usize> + 'a {
        let starts = rows.starts();
        self.trees.iter().flat_map(|t| starts[*t]..starts[t + 1])
    }

    pub fn put_back(&self, lambda: &mut [f64], modes: &mut [Mode]) {
        for (x, r) in self.lambda.iter().zip(&self.rows) {
            lambda[*r] = *x;
        }
        for (x, b) in self.modes.iter().zip(&self.members) {
            modes[*b] = *x;
        }
    }
}

fn pose<'a>(
    blocks: &'a [Block],
    is_dense: bool,
    factor: &'a WhitenedJacobian,
    [dense, g]: [&'a [f64]; 2],
) -> Problem<'a> {
    let delassus = match is_dense {
        true => Delassus::Dense(dense),
        false => Delassus::Trees(factor),
    };
    Problem {
        blocks,
        delassus,
        g,
    }
}

/// Gathers the entries at `places` of some `columns` of the whole. Columns of the whole begin at
/// multiples of `stride`.
pub(in crate::contact) fn gather(
    places: &[usize],
    whole: &[f64],
    stride: usize,
    columns: &[usize],
    part: &mut [f64],
) {
    for (part, k) in part.chunks_exact_mut(places.len()).zip(columns) {
        for (to, place) in part.iter_mut().zip(places) {
            *to = whole[k * stride + place];
        }
    }
}

/// The inverse of [`gather`].
pub(in crate::contact) fn scatter(
    places: &[usize],
    part: &[f64],
    stride: usize,
    columns: &[usize],
    whole: &mut [f64],
) {
    for (part, k) in part.chunks_exact(places.len()).zip(columns) {
        for (x, place) in part.iter().zip(places) {
            whole[k * stride + place] = *x;
        }
    }
}
