//! The Delassus operator by its factor, for rows that act on a few trees each.

use super::block::{Block, Small};
use crate::error::{Error, Result};
use crate::linalg::{F4, FREE, add_combination, add_six_columns, axpy, dispatch};

/// G = H Hᵀ + R, where a block of rows of H has entries on the coordinates of at most two trees, and R
/// is diagonal.
///
/// With H = J L⁻¹ D^(−1/2) and M = LᵀDL, its coordinates are those of v, tree by tree, in which the
/// kinetic energy is half the square. The cost of a product with G is the number of entries of H.
/// Solving with G becomes a system in the trees' coordinates, which are far fewer than rows in piles of
/// bodies:
///
///   (H Hᵀ + W⁻¹) x = b  ⟺  x = W (b − H z),  (1 + Hᵀ W H) z = Hᵀ W b.
#[derive(Debug, Default)]
pub struct WhitenedJacobian {
    /// First coordinate of each tree, and the number of coordinates.
    starts: Vec<usize>,
    blocks: Vec<Sides>,
    /// Panels, rows × coordinates of the tree, row-major.
    values: Vec<f64>,
    /// R by rows; empty where it is zero.
    compliance: Vec<f64>,
    /// Blocks that act on each tree.
    touching_starts: Vec<usize>,
    touching: Vec<usize>,
}

/// A block's first row and its panels.
#[derive(Clone, Copy, Debug)]
struct Sides {
    at: usize,
    rows: usize,
    panels: [Panel; 2],
    count: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Panel {
    tree: usize,
    at: usize,
}

impl WhitenedJacobian {
    /// Capacity for this many trees and blocks, and for `entries` numbers in all panels.
    pub fn with_capacity(trees: usize, blocks: usize, entries: usize) -> WhitenedJacobian {
        WhitenedJacobian {
            starts: Vec::with_capacity(trees + 1),
            blocks: Vec::with_capacity(blocks),
            values: Vec::with_capacity(entries),
            compliance: Vec::with_capacity(3 * blocks),
            touching_starts: Vec::with_capacity(trees + 1),
            touching: Vec::with_capacity(2 * blocks),
        }
    }

    /// Starts a matrix on trees with these numbers of coordinates. Blocks follow by
    /// [`WhitenedJacobian::push`].
    pub fn clear(&mut self, sizes: impl Iterator<Item = usize>) {
        self.starts.clear();
        let mut at = 0;
        self.starts.push(0);
        for size in sizes {
            at += size;
            self.starts.push(at);
        }
        self.blocks.clear();
        self.values.clear();
        self.compliance.clear();
    }

    /// Appends a block of `rows` that acts on one or two different trees (`None`: the world). Its
    /// entries are zero.
    pub fn push(&mut self, rows: usize, trees: [Option<usize>; 2]) {
        let at = self.blocks.last().map_or(0, |b| b.at + b.rows);
        let mut sides = Sides {
            at,
            rows,
            panels: [Panel::default(); 2],
            count: 0,
        };
        for tree in trees.into_iter().flatten() {
            let panel = Panel {
                tree,
                at: self.values.len(),
            };
            sides.panels[sides.count] = panel;
            sides.count += 1;
            let size = rows * self.size(tree);
            self.values.resize(panel.at + size, 0.0);
        }
        self.blocks.push(sides);
    }

    /// Sets R, by rows.
    pub fn set_compliance(&mut self, compliance: impl Iterator<Item = f64>) {
        self.compliance.clear();
        self.compliance.extend(compliance);
    }

    /// R of a row.
    #[inline(always)]
    pub fn compliance(&self, row: usize) -> f64 {
        self.compliance.get(row).copied().unwrap_or(0.0)
    }

    /// R of all rows; empty where it is zero.
    pub(super) fn compliances(&self) -> &[f64] {
        &self.compliance
    }

    /// Finds the blocks that act on each tree. Call it after the last block.
    pub fn finish(&mut self) {
        let trees = self.trees();
        self.touching_starts.clear();
        self.touching_starts.resize(trees + 1, 0);
        for panel in self.blocks.iter().flat_map(Sides::panels) {
            self.touching_starts[panel.tree + 1] += 1;
        }
        for k in 0..trees {
            self.touching_starts[k + 1] += self.touching_starts[k];
        }
        self.touching.clear();
        self.touching.resize(self.touching_starts[trees], 0);
        for (b, sides) in self.blocks.iter().enumerate().rev() {
            for panel in sides.panels() {
                // The ends move down to the starts of their trees.
                let end = &mut self.touching_starts[panel.tree + 1];
                *end -= 1;
                self.touching[*end] = b;
            }
        }
        self.touching_starts.rotate_left(1);
        self.touching_starts[trees] = self.touching.len();
    }

    pub fn trees(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of coordinates of all trees.
    pub fn coordinates(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// First coordinate of each tree, and the number of coordinates.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The trees that a block acts on.
    pub fn trees_of(&self, block: usize) -> [Option<usize>; 2] {
        let b = &self.blocks[block];
        std::array::from_fn(|x| (x < b.count).then_some(b.panels[x].tree))
    }

    /// The blocks that act on a tree, each with its panel for this tree.
    pub(super) fn touching(&self, tree: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let touching = self.touching_starts[tree]..self.touching_starts[tree + 1];
        self.touching[touching].iter().map(move |&b| {
            let side = usize::from(self.blocks[b].panels[0].tree != tree);
            (b, self.panel(b, side))
        })
    }

    /// Panels of a block, rows × coordinates, row-major, in the order of [`WhitenedJacobian::trees_of`].
    pub fn panel_mut(&mut self, block: usize, side: usize) -> &mut [f64] {
        let b = self.blocks[block];
        let panel = b.panels[side];
        let size = b.rows * self.size(panel.tree);
        &mut self.values[panel.at..panel.at + size]
    }

    pub(super) fn panel(&self, block: usize, side: usize) -> &[f64] {
        let b = &self.blocks[block];
        self.values_of(b, &b.panels[side])
    }

    fn values_of(&self, b: &Sides, panel: &Panel) -> &[f64] {
        &self.values[panel.at..panel.at + b.rows * self.size(panel.tree)]
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.blocks.last().map_or(0, |b| b.at + b.rows)
    }

    /// The rows of a block.
    #[inline(always)]
    pub fn range(&self, block: usize) -> std::ops::Range<usize> {
        let b = &self.blocks[block];
        b.at..b.at + b.rows
    }

    /// Coordinates of a tree.
    pub(super) fn size(&self, tree: usize) -> usize {
        self.starts[tree + 1] - self.starts[tree]
    }

    fn part(&self, tree: usize) -> std::ops::Range<usize> {
        self.starts[tree]..self.starts[tree + 1]
    }

    pub(super) fn entries(&self) -> &[f64] {
        &self.values
    }

    /// Checks that the blocks are those of the matrix. Errors: `InvalidArgument` for other blocks.
    pub(super) fn check_shape(&self, blocks: &[Block]) -> Result<()> {
        let same = self.blocks.len() == blocks.len()
            && self
                .blocks
                .iter()
                .zip(blocks)
                .all(|(a, b)| a.rows == b.rows());
        if same {
            return Ok(());
        }
        Err(Error::invalid(
            "the Delassus operator by trees was built for other blocks",
        ))
    }

    /// z += Hᵀ λ of a block.
    #[inline(always)]
    pub fn add_transposed<const W: usize>(
        &self,
        block: usize,
        lambda: &[[f64; W]],
        z: &mut [[f64; W]],
    ) {
        let b = &self.blocks[block];
        for panel in b.panels() {
            let (h, z) = (self.values_of(b, panel), &mut z[self.part(panel.tree)]);
            if W == 1 && z.len() == FREE {
                let (lambda, z) = (lambda.as_flattened(), z.as_flattened_mut());
                add_six_columns(1.0, h, lambda, z);
            } else {
                add_transposed_panel(h, lambda, z);
            }
        }
    }

    /// H z of a block.
    #[inline(always)]
    pub fn times<const W: usize>(&self, block: usize, z: &[[f64; W]]) -> [[f64; W]; 3] {
        let mut out = [[0.0; W]; 3];
        let rows = self.blocks[block].rows;
        self.write_times(block, z, &mut out[..rows]);
        out
    }

    /// out ← H z of a block.
    #[inline(always)]
    pub(super) fn write_times<const W: usize>(
        &self,
        block: usize,
        z: &[[f64; W]],
        out: &mut [[f64; W]],
    ) {
        let b = &self.blocks[block];
        out.fill([0.0; W]);
        for panel in b.panels() {
            let (h, z) = (self.values_of(b, panel), &z[self.part(panel.tree)]);
            if b.rows == 3 && z.len() == FREE {
                add_times_panel(&h[..3 * FREE], &z[..FREE], &mut out[..3]);
            } else {
                add_times_panel(h, z, out);
            }
        }
    }

    /// Gᵢⱼ.
    #[inline(always)]
    pub fn block(&self, i: usize, j: usize) -> Small {
        let (a, b) = (&self.blocks[i], &self.blocks[j]);
        let mut out = [[0.0; 3]; 3];
        for p in a.panels() {
            for q in b.panels().iter().filter(|q| q.tree == p.tree) {
                let size = self.size(p.tree);
                add_panels(self.values_of(a, p), self.values_of(b, q), size, &mut out);
            }
        }
        if i == j {
            for (r, line) in out.iter_mut().enumerate().take(a.rows) {
                line[r] += self.compliance(a.at + r);
            }
        }
        out
    }

    /// G of these blocks, in increasing order, as a symmetric matrix. `out` has the square of their rows.
    pub(super) fn matrix(&self, blocks: &[usize], out: &mut [f64]) {
        matrix(self, blocks, out);
    }

    /// Calls `visit(j)` for the blocks that share a tree with block i. Block i itself is included; a
    /// block may be visited twice.
    fn for_meeting(&self, i: usize, mut visit: impl FnMut(&Panel, usize, &Panel)) {
        for panel in self.blocks[i].panels() {
            let touching = self.touching_starts[panel.tree]..self.touching_starts[panel.tree + 1];
            for &j in &self.touching[touching] {
                for other in self.blocks[j].panels() {
                    if other.tree == panel.tree {
                        visit(panel, j, other);
                    }
                }
            }
        }
    }

    /// H z + R λ of a block with the impulses `lambda`.
    #[inline(always)]
    pub(super) fn velocity(&self, block: usize, z: &[[f64; 1]], lambda: &[f64]) -> [[f64; 1]; 3] {
        let mut out = self.times(block, z);
        for ((out, row), l) in out.iter_mut().zip(self.range(block)).zip(lambda) {
            out[0] += self.compliance(row) * l;
        }
        out
    }

    /// σ += G[:, block i] δ.
    pub(super) fn add_columns(&self, i: usize, delta: &[f64], sigma: &mut [f64]) {
        let a = &self.blocks[i];
        for (row, d) in self.range(i).zip(delta) {
            sigma[row] += self.compliance(row) * d;
        }
        self.for_meeting(i, |p, j, q| {
            let b = &self.blocks[j];
            let size = self.size(p.tree);
            for (y, s) in self
                .values_of(b, q)
                .chunks_exact(size)
                .zip(&mut sigma[b.at..])
            {
                for (x, d) in self.values_of(a, p).chunks_exact(size).zip(delta) {
                    *s += d * x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
                }
            }
        });
    }

    /// z ← Hᵀ λ, the velocities of the trees caused by the impulses.
    pub(super) fn velocities(&self, lambda: &[f64], z: &mut [[f64; 1]]) {
        velocities(self, lambda, z);
    }

    /// σ += H z.
    pub(super) fn add_times(&self, z: &[[f64; 1]], sigma: &mut [f64]) {
        add_times(self, z, sigma);
    }

    /// σ += G λ. `z` receives the velocities of the trees.
    pub(super) fn add_product(&self, lambda: &[f64], z: &mut [[f64; 1]], sigma: &mut [f64]) {
        add_product(self, lambda, z, sigma);
    }
}

dispatch! {
    fn matrix = matrix_kernel(rows: &WhitenedJacobian, blocks: &[usize], out: &mut [f64])
}

#[inline(always)]
fn matrix_kernel(rows: &WhitenedJacobian, blocks: &[usize], out: &mut [f64]) {
    let n: usize = blocks.iter().map(|&b| rows.blocks[b].rows).sum();
    let mut at = 0;
    for (k, &i) in blocks.iter().enumerate() {
        let (height, mut other) = (rows.blocks[i].rows, 0);
        for &j in &blocks[..=k] {
            let (g, width) = (rows.block(i, j), rows.blocks[j].rows);
            for (r, line) in g.iter().enumerate().take(height) {
                for (c, x) in line.iter().enumerate().take(width) {
                    out[(other + c) * n + at + r] = *x;
                    out[(at + r) * n + other + c] = *x;
                }
            }
            other += width;
        }
        at += height;
    }
}

dispatch! {
    fn velocities = velocities_kernel(rows: &WhitenedJacobian, lambda: &[f64], z: &mut [[f64; 1]])
}

#[inline(always)]
fn velocities_kernel(rows: &WhitenedJacobian, lambda: &[f64], z: &mut [[f64; 1]]) {
    z[..rows.coordinates()].fill([0.0]);
    let lambda = lambda.as_chunks::<1>().0;
    for (i, b) in rows.blocks.iter().enumerate() {
        let lambda = &lambda[b.at..b.at + b.rows];
        if lambda.iter().any(|l| l[0] != 0.0) {
            rows.add_transposed(i, lambda, z);
        }
    }
}

dispatch! {
    fn add_product = add_product_kernel(
        rows: &WhitenedJacobian, lambda: &[f64], z: &mut [[f64; 1]], sigma: &mut [f64],
    )
}

#[inline(always)]
fn add_product_kernel(
    rows: &WhitenedJacobian,
    lambda: &[f64],
    z: &mut [[f64; 1]],
    sigma: &mut [f64],
) {
    velocities_kernel(rows, lambda, z);
    add_times_kernel(rows, z, sigma);
    for ((s, r), l) in sigma.iter_mut().zip(&rows.compliance).zip(lambda) {
        *s += r * l;
    }
}

dispatch! {
    fn add_times = add_times_kernel(rows: &WhitenedJacobian, z: &[[f64; 1]], sigma: &mut [f64])
}

#[inline(always)]
fn add_times_kernel(rows: &WhitenedJacobian, z: &[[f64; 1]], sigma: &mut [f64]) {
    for (i, b) in rows.blocks.iter().enumerate() {
        let mut out = [[0.0]; 3];
        rows.write_times(i, z, &mut out[..b.rows]);
        for (s, [x]) in sigma[b.at..b.at + b.rows].iter_mut().zip(out) {
            *s += x;
        }
    }
}

impl Sides {
    fn panels(&self) -> &[Panel] {
        &self.panels[..self.count]
    }
}

/// out += X Yᵀ of two panels of at most three rows with `size` columns. Each sum runs over the columns in
/// order.
#[inline(always)]
fn add_panels(x: &[f64], y: &[f64], size: usize, out: &mut Small) {
    let mut sums = [F4::ZERO; 3];
    let three = 3 * size;
    if x.len() == three && y.len() == three {
        let (x0, x) = x.split_at(size);
        let (x1, x2) = x.split_at(size);
        let (y0, y) = y.split_at(size);
        let (y1, y2) = y.split_at(size);
        for k in 0..size {
            let column = F4([y0[k], y1[k], y2[k], 0.0]);
            sums[0] += column * x0[k];
            sums[1] += column * x1[k];
            sums[2] += column * x2[k];
        }
    } else {
        for (x, sums) in x.chunks_exact(size).zip(&mut sums) {
            for (y, sum) in y.chunks_exact(size).zip(&mut sums.0) {
                *sum = x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + x * y);
            }
        }
    }
    for (out, sums) in out.iter_mut().zip(&sums) {
        for (out, sum) in out.iter_mut().zip(sums.0) {
            *out += sum;
        }
    }
}

/// z += Hᵀ λ.
#[inline(always)]
fn add_transposed_panel<const W: usize>(h: &[f64], lambda: &[[f64; W]], z: &mut [[f64; W]]) {
    for (row, l) in h.chunks_exact(z.len()).zip(lambda) {
        for (z, h) in z.iter_mut().zip(row) {
            axpy(*h, l, z);
        }
    }
}

/// out += H z.
#[inline(always)]
fn add_times_panel<const W: usize>(h: &[f64], z: &[[f64; W]], out: &mut [[f64; W]]) {
    for (row, out) in h.chunks_exact(z.len()).zip(out) {
        add_combination(row, z, out);
    }
}
