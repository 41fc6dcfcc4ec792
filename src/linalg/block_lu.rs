//! LU of a sparse matrix of dense blocks; each node of a graph has one row and one column of blocks.

mod blocks;
mod order;

pub use blocks::invert;

use super::dispatch;
use blocks::{
    copy, divide, divide_block, invert_root, subtract_product, subtract_times,
    subtract_transposed_times,
};
use std::ops::Range;

/// A = (1 + L) D (1 + U) by blocks, eliminated in an order with small fill. Rows are exchanged within a
/// node's own block, not between nodes.
///
/// The panel of a node holds blocks one after the other, each row-major with one row for each coordinate of
/// the node: the node's own block, its blocks with the nodes eliminated later (neighbours in the graph, and
/// fill), and the transposes of the opposite blocks. After factorization these are D⁻¹, U and (L D)ᵀ. A
/// symmetric positive definite matrix ([`BlockLu::definite`]) needs no transposes: with D = C Cᵀ its panels
/// become C⁻¹, and C⁻¹ times the blocks beside it.
///
/// Panels are stored in the order of elimination. Each is finished before the next one begins: it applies the
/// earlier panels that act on it while its own values are in the cache (left-looking). Sized at creation.
#[derive(Clone, Debug)]
pub struct BlockLu {
    /// First coordinate of each node, then the number of coordinates.
    starts: Vec<usize>,
    words: usize,
    /// Neighbours of each node, one bit for each; after [`BlockLu::analyze`] only those eliminated later.
    neighbours: Vec<u64>,
    alive: Vec<u64>,
    /// Number of neighbours of each node that are not yet eliminated.
    degrees: Vec<u32>,
    /// Place of each node in the order of elimination.
    positions: Vec<usize>,
    /// Panels in the order of elimination, then an empty one that begins where the next would begin.
    panels: Vec<Panel>,
    /// Later nodes, panel by panel, in the order of elimination.
    later: Vec<Later>,
    /// The panels that act on each one.
    sources: Vec<Source>,
    values: Vec<f64>,
    /// Start of the block of each position in the current panel.
    columns: Vec<usize>,
    /// Scratch: one block, and the row exchanges of a node's own block.
    buffer: Vec<f64>,
    exchanges: Vec<usize>,
    is_negative: bool,
    /// True if the matrix is symmetric and positive definite.
    definite: bool,
}

#[derive(Clone, Copy, Debug)]
struct Panel {
    node: usize,
    /// Number of coordinates, and the first one in the order of elimination.
    size: usize,
    first: usize,
    /// Numbers in the blocks of all later nodes together, and in all blocks except the own one: twice as many
    /// with transposes.
    after: usize,
    beside: usize,
    /// Start of the panel's values, of its later nodes and of its sources.
    at: usize,
    later: usize,
    sources: usize,
}

impl Panel {
    /// Offset from a block to the transpose of the opposite block; zero if both are the same.
    #[inline(always)]
    fn transposes(&self) -> usize {
        self.beside - self.after
    }

    /// Entries of the own block.
    #[inline(always)]
    fn own(&self) -> usize {
        self.size * self.size
    }

    #[inline(always)]
    fn values(&self) -> Range<usize> {
        self.at..self.at + self.own() + self.beside
    }
}

/// A node eliminated later than the node of a panel.
#[derive(Clone, Copy, Debug)]
struct Later {
    position: usize,
    /// Number of coordinates, and the first one in the order of elimination.
    size: usize,
    first: usize,
    /// Start of its block in the panel.
    at: usize,
}

impl Later {
    /// Its block in the values of a panel of `rows`, or, `shift` numbers after it, the transpose of the
    /// opposite block.
    #[inline(always)]
    fn block<'a>(&self, values: &'a [f64], rows: usize, shift: usize) -> &'a [f64] {
        &values[self.at + shift..][..rows * self.size]
    }
}

/// A panel, and the later node on which it acts.
#[derive(Clone, Copy, Debug, Default)]
struct Source {
    position: usize,
    later: usize,
}

/// Start of a block, and its number of entries.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    at: usize,
    entries: usize,
}

impl BlockLu {
    /// Reserves memory for `nodes` with `order` coordinates in all, at most `largest` of them at one node.
    pub fn new(nodes: usize, order: usize, largest: usize) -> BlockLu {
        let words = nodes.div_ceil(64);
        BlockLu {
            starts: Vec::with_capacity(nodes + 1),
            words,
            neighbours: Vec::with_capacity(nodes * words),
            alive: Vec::with_capacity(words),
            degrees: Vec::with_capacity(nodes),
            positions: Vec::with_capacity(nodes),
            panels: Vec::with_capacity(nodes + 1),
            later: Vec::with_capacity(nodes * nodes / 2),
            sources: Vec::with_capacity(nodes * nodes / 2),
            values: vec![0.0; order * order],
            columns: Vec::with_capacity(nodes),
            buffer: vec![0.0; largest * largest],
            exchanges: vec![0; largest],
            is_negative: false,
            definite: false,
        }
    }

    /// [`BlockLu::new`] for symmetric positive definite matrices; fill only the first block of
    /// [`BlockLu::between`].
    pub fn definite(nodes: usize, order: usize, largest: usize) -> BlockLu {
        BlockLu {
            definite: true,
            ..BlockLu::new(nodes, order, largest)
        }
    }

    pub fn is_definite(&self) -> bool {
        self.definite
    }

    /// Number of coordinates.
    pub fn order(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Sets the matrix to one.
    pub fn set_identity(&mut self) {
        let end = self.panels.last().map_or(0, |p| p.at);
        self.values[..end].fill(0.0);
        for panel in &self.panels {
            for i in 0..panel.size {
                self.values[panel.at + i * (panel.size + 1)] = 1.0;
            }
        }
    }

    /// True if the nodes begin at these coordinates.
    pub fn is_for(&self, starts: &[usize]) -> bool {
        self.starts == starts
    }

    /// A node's own block.
    pub fn own(&self, node: usize) -> Place {
        let panel = &self.panels[self.positions[node]];
        Place {
            at: panel.at,
            entries: panel.own(),
        }
    }

    /// Whether node a is eliminated before node b.
    pub fn precedes(&self, a: usize, b: usize) -> bool {
        self.positions[a] < self.positions[b]
    }

    /// Block (a, b) and the transpose of block (b, a) of two connected nodes, where a precedes b. Both are
    /// the same place if the matrix is definite.
    pub fn between(&self, a: usize, b: usize) -> [Place; 2] {
        let (k, position) = (self.positions[a], self.positions[b]);
        let later = self.later(k);
        let found = later.partition_point(|l| l.position < position);
        debug_assert_eq!(later[found].position, position);
        let panel = &self.panels[k];
        [0, panel.transposes()].map(|shift| Place {
            at: panel.at + later[found].at + shift,
            entries: panel.size * later[found].size,
        })
    }

    /// A block, row-major.
    #[inline(always)]
    pub fn block_mut(&mut self, place: Place) -> &mut [f64] {
        &mut self.values[place.at..place.at + place.entries]
    }

    /// Factors in place. False if the block of a node is singular to working precision.
    pub fn factor(&mut self) -> bool {
        let mut done = false;
        factor(self, &mut done);
        done
    }

    /// Multiplications of a factorization.
    pub fn cost(&self) -> f64 {
        let sides = if self.definite { 1 } else { 2 };
        let pairs = self.panels.windows(2);
        let panels = pairs.map(|pair| {
            let own = (pair[0].size + pair[0].beside / pair[0].size.max(1)) * pair[0].own();
            let sources = &self.sources[pair[0].sources..pair[1].sources];
            let updates = sources.iter().map(|s| {
                let (other, from) = (&self.panels[s.position], &self.later[s.later]);
                let end = self.panels[s.position + 1].later;
                let width: usize = self.later[s.later..end].iter().map(|l| l.size).sum();
                sides * from.size * other.size * width
            });
            own + updates.sum::<usize>()
        });
        panels.sum::<usize>() as f64
    }

    /// Whether the determinant is negative.
    pub fn is_negative(&self) -> bool {
        self.is_negative
    }

    /// x ← A⁻¹ x, or A⁻ᵀ x, by coordinates; `scratch` has the length of x.
    #[inline(always)]
    pub fn solve<const W: usize>(
        &self,
        x: &mut [[f64; W]],
        scratch: &mut [[f64; W]],
        transposed: bool,
    ) {
        let panels = &self.panels[..self.positions.len()];
        let y = &mut scratch[..self.order()];
        for panel in panels {
            let from = self.starts[panel.node];
            copy(&x[from..from + panel.size], &mut y[panel.first..]);
        }
        // Aᵀ = (1 + Uᵀ) (D + (L D)ᵀ): D then belongs to the upper factor. Each factor of a definite matrix
        // has a root of D.
        for (k, panel) in panels.iter().enumerate() {
            let values = &self.values[panel.values()];
            let (own, rest) = y[panel.first..].split_at_mut(panel.size);
            if self.definite || !transposed {
                divide(&values[..panel.own()], own, x, false);
            }
            let shift = if transposed { 0 } else { panel.transposes() };
            for l in self.later(k) {
                let y = &mut rest[l.first - panel.first - panel.size..][..l.size];
                subtract_transposed_times(l.block(values, panel.size, shift), own, y);
            }
        }
        for (k, panel) in panels.iter().enumerate().rev() {
            let values = &self.values[panel.values()];
            let (own, rest) = y[panel.first..].split_at_mut(panel.size);
            let shift = if transposed { panel.transposes() } else { 0 };
            for l in self.later(k) {
                let y = &rest[l.first - panel.first - panel.size..][..l.size];
                subtract_times(l.block(values, panel.size, shift), y, own);
            }
            if self.definite || transposed {
                divide(&values[..panel.own()], own, x, true);
            }
        }
        for panel in panels {
            let to = self.starts[panel.node];
            copy(&y[panel.first..panel.first + panel.size], &mut x[to..]);
        }
    }

    #[inline(always)]
    fn later(&self, k: usize) -> &[Later] {
        &self.later[self.panels[k].later..self.panels[k + 1].later]
    }
}

dispatch! {
    fn factor = factor_kernel(lu: &mut BlockLu, done: &mut bool)
}

#[inline(always)]
fn factor_kernel(lu: &mut BlockLu, done: &mut bool) {
    *done = false;
    let BlockLu {
        panels,
        later,
        sources,
        values,
        columns,
        buffer,
        exchanges,
        is_negative,
        definite,
        ..
    } = lu;
    *is_negative = false;
    for (k, pair) in panels.windows(2).enumerate() {
        let (panel, size) = (&pair[0], pair[0].size);
        columns[k] = 0;
        for l in &later[panel.later..pair[1].later] {
            columns[l.position] = l.at;
        }
        let (finished, rest) = values.split_at_mut(panel.at);
        let target = &mut rest[..panel.values().len()];
        for source in &sources[panel.sources..pair[1].sources] {
            let other = &panels[source.position];
            let values = &finished[other.values()];
            let own = &later[source.later];
            let upper = own.block(values, other.size, 0);
            let lower = own.block(values, other.size, other.transposes());
            for l in &later[source.later..panels[source.position + 1].later] {
                let (to, entries) = (columns[l.position], size * l.size);
                let shape = [size, other.size, l.size];
                let beside = l.block(values, other.size, 0);
                subtract_product(&mut target[to..][..entries], lower, beside, shape);
                // The own block has no transpose to keep.
                if !*definite && to > 0 {
                    let beside = l.block(values, other.size, other.transposes());
                    let to = to + panel.transposes();
                    subtract_product(&mut target[to..][..entries], upper, beside, shape);
                }
            }
        }
        let (own, beside) = target.split_at_mut(panel.own());
        let flips = if *definite {
            invert_root(own, size).then_some(false)
        } else {
            invert(own, size, exchanges)
        };
        let Some(flips) = flips else {
            return;
        };
        *is_negative ^= flips;
        for l in &later[panel.later..pair[1].later] {
            let block = &mut beside[l.at - panel.own()..][..size * l.size];
            divide_block(own, block, size, buffer);
        }
    }
    *done = true;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Lu;

    /// Nodes of a ring with chords, and a random matrix on it, dense and by blocks.
    fn example() -> (Vec<usize>, Vec<f64>, BlockLu) {
        let starts = vec![0, 6, 7, 13, 16, 22, 28, 34, 35, 41];
        let (nodes, n) = (starts.len() - 1, 41);
        let mut lu = BlockLu::new(nodes, n, 6);
        analyze(&starts, &mut lu);
        let mut seed = 1u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
        };
        let node = |i: usize| starts.partition_point(|s| *s <= i) - 1;
        let mut dense = vec![0.0; n * n];
        for i in 0..n {
            for j in (0..n).filter(|j| node(i) == node(*j) || touch(nodes, node(i), node(*j))) {
                dense[i * n + j] = random() + 3.0 * f64::from(i == j);
            }
        }
        refill(&starts, &dense, &mut lu);
        (starts, dense, lu)
    }

    #[test]
    fn a_definite_matrix_needs_no_transposes() {
        let (starts, mut dense, mut lu) = example();
        let (n, nodes) = (lu.order(), starts.len() - 1);
        for i in 0..n {
            for j in 0..i {
                dense[i * n + j] = dense[j * n + i];
            }
            dense[i * n + i] += 5.0;
        }
        refill(&starts, &dense, &mut lu);
        assert!(lu.factor());
        let b: Vec<[f64; 2]> = (0..n).map(|i| [1.0 - 0.1 * i as f64, i as f64]).collect();
        let (mut x, mut scratch) = (b.clone(), b.clone());
        lu.solve(&mut x, &mut scratch, false);
        let mut definite = BlockLu::definite(nodes, n, 6);
        analyze(&starts, &mut definite);
        refill(&starts, &dense, &mut definite);
        assert!(definite.factor());
        for transposed in [false, true] {
            let mut y = b.clone();
            definite.solve(&mut y, &mut scratch, transposed);
            for (x, y) in x.as_flattened().iter().zip(y.as_flattened()) {
                assert!((x - y).abs() < 1e-11, "{x} {y}");
            }
        }
        // A matrix that is not definite is reported.
        dense[0] = -1.0;
        refill(&starts, &dense, &mut definite);
        assert!(!definite.factor());
    }

    /// The graph of the example.
    fn analyze(starts: &[usize], lu: &mut BlockLu) {
        let nodes = starts.len() - 1;
        lu.start(starts);
        let pairs = (0..nodes).flat_map(|a| (0..a).map(move |b| [a, b]));
        for [a, b] in pairs.filter(|[a, b]| touch(nodes, *a, *b)) {
            lu.connect(a, b);
        }
        lu.analyze();
    }

    fn touch(nodes: usize, a: usize, b: usize) -> bool {
        let ring = (a + 1) % nodes == b || (b + 1) % nodes == a;
        ring || [[1, 5], [2, 7]].contains(&[a.min(b), a.max(b)])
    }

    #[test]
    fn solves_with_the_matrix_and_its_transpose() {
        let (_, dense, mut lu) = example();
        let n = lu.order();
        assert!(lu.factor());
        let b: Vec<[f64; 2]> = (0..n).map(|i| [i as f64, 1.0 - 0.1 * i as f64]).collect();
        let mut scratch = vec![[0.0; 2]; n];
        for transposed in [false, true] {
            let mut x = b.clone();
            lu.solve(&mut x, &mut scratch, transposed);
            for (i, b) in b.iter().enumerate() {
                for (k, b) in b.iter().enumerate() {
                    let product: f64 = (0..n)
                        .map(|j| dense[if transposed { j * n + i } else { i * n + j }] * x[j][k])
                        .sum();
                    assert!((product - b).abs() < 1e-11, "{product} {b}");
                }
            }
        }
    }

    #[test]
    fn the_sign_of_the_determinant_is_that_of_a_dense_factorization() {
        let (starts, mut dense, mut lu) = example();
        let n = lu.order();
        let mut by_rows = Lu::new(n);
        let mut signs = Vec::new();
        for node in 0..starts.len() {
            assert!(lu.factor() && by_rows.factor(&dense, n, n, 0.0));
            assert_eq!(lu.is_negative(), by_rows.is_negative(), "{node}");
            signs.push(lu.is_negative());
            // A matrix with one row of the node negated, filled again: the factors replaced the last one.
            let Some(range) = starts.get(node..node + 2) else {
                break;
            };
            dense[range[0] * n..(range[0] + 1) * n]
                .iter_mut()
                .for_each(|x| *x = -*x);
            refill(&starts, &dense, &mut lu);
        }
        assert!(signs.windows(2).all(|s| s[0] != s[1]), "{signs:?}");
    }

    /// Sets the blocks to those of a dense matrix.
    fn refill(starts: &[usize], dense: &[f64], lu: &mut BlockLu) {
        let n = lu.order();
        lu.set_identity();
        let nodes = starts.len() - 1;
        for a in 0..nodes {
            for b in (0..nodes).filter(|b| a == *b || touch(nodes, a, *b)) {
                for (i, r) in (starts[a]..starts[a + 1]).enumerate() {
                    for (j, c) in (starts[b]..starts[b + 1]).enumerate() {
                        let size = |node: usize| starts[node + 1] - starts[node];
                        let (block, columns, [row, column]) = if a == b {
                            (lu.own(a), size(a), [i, j])
                        } else if lu.precedes(a, b) {
                            (lu.between(a, b)[0], size(b), [i, j])
                        } else if lu.is_definite() {
                            continue;
                        } else {
                            (lu.between(b, a)[1], size(a), [j, i])
                        };
                        lu.block_mut(block)[row * columns + column] = dense[r * n + c];
                    }
                }
            }
        }
    }

    #[test]
    fn a_singular_node_is_told() {
        let mut lu = BlockLu::new(2, 4, 2);
        lu.start(&[0, 2, 4]);
        lu.analyze();
        lu.set_identity();
        assert!(lu.factor());
        lu.set_identity();
        lu.block_mut(lu.own(1)).fill(1.0);
        assert!(!lu.factor());
    }
}
