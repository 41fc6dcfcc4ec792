//! LU of a sparse matrix whose entries are dense blocks, one row and column of blocks a node of a graph.

use super::dispatch;

/// A = (1 + L)(D + U) by blocks, eliminated in an order of small fill; no exchanges between nodes, exchanges of rows
/// within a node's own block.
///
/// Block (i, j), row-major, has a fixed place in a square store, so that structure costs no search; only blocks of the
/// graph and its fill are ever touched. Sized at creation.
#[derive(Clone, Debug)]
pub struct BlockLu {
    /// First coordinate of each node, and their number.
    starts: Vec<usize>,
    words: usize,
    /// Neighbours of each node, a bit each; those eliminated later, after [`BlockLu::analyze`].
    neighbours: Vec<u64>,
    alive: Vec<u64>,
    order: Vec<usize>,
    /// Nodes that follow the k-th one of the order in its row and column.
    later_starts: Vec<usize>,
    later: Vec<usize>,
    values: Vec<f64>,
    /// A block of L in work, and a block beside its inverse.
    left: Vec<f64>,
    pivot: Vec<f64>,
}

impl BlockLu {
    /// Room for `nodes` with `order` coordinates in all, `largest` of them at one node.
    pub fn new(nodes: usize, order: usize, largest: usize) -> BlockLu {
        let words = nodes.div_ceil(64);
        BlockLu {
            starts: Vec::with_capacity(nodes + 1),
            words,
            neighbours: Vec::with_capacity(nodes * words),
            alive: Vec::with_capacity(words),
            order: Vec::with_capacity(nodes),
            later_starts: Vec::with_capacity(nodes + 1),
            later: Vec::with_capacity(nodes * nodes / 2),
            values: vec![0.0; order * order],
            left: vec![0.0; largest * largest],
            pivot: vec![0.0; 2 * largest * largest],
        }
    }

    /// Number of coordinates.
    pub fn order(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Starts a matrix whose nodes have these coordinates: first one of each, and their number.
    pub fn start(&mut self, starts: &[usize]) {
        self.starts.clear();
        self.starts.extend_from_slice(starts);
        let nodes = starts.len() - 1;
        self.words = nodes.div_ceil(64);
        self.neighbours.clear();
        self.neighbours.resize(nodes * self.words, 0);
    }

    /// The blocks (a, b) and (b, a) may differ from zero.
    pub fn connect(&mut self, a: usize, b: usize) {
        if a != b {
            self.neighbours[a * self.words + b / 64] |= 1 << (b % 64);
            self.neighbours[b * self.words + a / 64] |= 1 << (a % 64);
        }
    }

    /// Chooses the order of elimination, the node of the smallest front first (minimum degree, ties by number), and
    /// finds the fill.
    pub fn analyze(&mut self) {
        let (nodes, words) = (self.starts.len() - 1, self.words);
        self.alive.clear();
        self.alive.resize(words, 0);
        for k in 0..nodes {
            self.alive[k / 64] |= 1 << (k % 64);
        }
        self.order.clear();
        self.later.clear();
        self.later_starts.clear();
        self.later_starts.push(0);
        for _ in 0..nodes {
            let (mut best, mut least) = (0, u32::MAX);
            for k in bits(&self.alive) {
                let degree = self.row(k).iter().map(|w| w.count_ones()).sum();
                if degree < least {
                    (best, least) = (k, degree);
                }
            }
            self.alive[best / 64] &= !(1 << (best % 64));
            self.order.push(best);
            let from = self.later.len();
            let row = &self.neighbours[best * words..(best + 1) * words];
            self.later.extend(bits(row));
            self.later_starts.push(self.later.len());
            for i in from..self.later.len() {
                let other = self.later[i];
                for w in 0..words {
                    let joined = self.neighbours[best * words + w];
                    self.neighbours[other * words + w] |= joined;
                }
                self.neighbours[other * words + best / 64] &= !(1 << (best % 64));
                self.neighbours[other * words + other / 64] &= !(1 << (other % 64));
            }
        }
    }

    fn row(&self, node: usize) -> &[u64] {
        &self.neighbours[node * self.words..(node + 1) * self.words]
    }

    fn size(&self, node: usize) -> usize {
        self.starts[node + 1] - self.starts[node]
    }

    /// Sets the matrix to one.
    pub fn set_identity(&mut self) {
        for k in 0..self.order.len() {
            let p = self.order[k];
            let part = self.place(p, p);
            let size = self.size(p);
            let block = &mut self.values[part];
            block.fill(0.0);
            block.iter_mut().step_by(size + 1).for_each(|x| *x = 1.0);
            for i in self.later_starts[k]..self.later_starts[k + 1] {
                let q = self.later[i];
                for part in [self.place(p, q), self.place(q, p)] {
                    self.values[part].fill(0.0);
                }
            }
        }
    }

    /// Block (a, b), row-major, of two nodes that were connected, or of one node.
    pub fn block_mut(&mut self, a: usize, b: usize) -> &mut [f64] {
        let part = self.place(a, b);
        &mut self.values[part]
    }

    fn place(&self, a: usize, b: usize) -> std::ops::Range<usize> {
        place(&self.starts, a, b)
    }

    /// Factors in place. False at a node whose block is singular to working precision.
    pub fn factor(&mut self) -> bool {
        let mut done = false;
        factor(self, &mut done);
        done
    }

    /// x ← A⁻¹ x, by coordinates; `scratch` has room for the largest node.
    pub fn solve<const W: usize>(&self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        for k in 0..self.order.len() {
            let p = self.order[k];
            for &q in self.followers(k) {
                let (from, to) = two_parts(x, &self.starts, p, q);
                subtract_times(&self.values[self.place(q, p)], from, to);
            }
        }
        for k in (0..self.order.len()).rev() {
            let p = self.order[k];
            for &q in self.followers(k) {
                let (from, to) = two_parts(x, &self.starts, q, p);
                subtract_times(&self.values[self.place(p, q)], from, to);
            }
            let part = &mut x[self.starts[p]..self.starts[p + 1]];
            times_in_place(&self.values[self.place(p, p)], part, scratch, false);
        }
    }

    /// x ← A⁻ᵀ x, by coordinates; `scratch` has room for the largest node.
    pub fn solve_transpose<const W: usize>(&self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        for k in 0..self.order.len() {
            let p = self.order[k];
            let part = &mut x[self.starts[p]..self.starts[p + 1]];
            times_in_place(&self.values[self.place(p, p)], part, scratch, true);
            for &q in self.followers(k) {
                let (from, to) = two_parts(x, &self.starts, p, q);
                subtract_transposed_times(&self.values[self.place(p, q)], from, to);
            }
        }
        for k in (0..self.order.len()).rev() {
            let p = self.order[k];
            for &q in self.followers(k) {
                let (from, to) = two_parts(x, &self.starts, q, p);
                subtract_transposed_times(&self.values[self.place(q, p)], from, to);
            }
        }
    }

    fn followers(&self, k: usize) -> &[usize] {
        &self.later[self.later_starts[k]..self.later_starts[k + 1]]
    }
}

fn bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(w, bits)| {
        let mut bits = *bits;
        std::iter::from_fn(move || {
            let k = (bits != 0).then(|| 64 * w + bits.trailing_zeros() as usize);
            bits &= bits.wrapping_sub(1);
            k
        })
    })
}

#[inline(always)]
fn place(starts: &[usize], a: usize, b: usize) -> std::ops::Range<usize> {
    let n = starts[starts.len() - 1];
    let (rows, columns) = (starts[a + 1] - starts[a], starts[b + 1] - starts[b]);
    let at = starts[a] * n + rows * starts[b];
    at..at + rows * columns
}

/// The parts of two nodes, the first to read and the second to write.
fn two_parts<'a, const W: usize>(
    x: &'a mut [[f64; W]],
    starts: &[usize],
    from: usize,
    to: usize,
) -> (&'a [[f64; W]], &'a mut [[f64; W]]) {
    let (size, other) = (starts[from + 1] - starts[from], starts[to + 1] - starts[to]);
    if from < to {
        let (head, tail) = x.split_at_mut(starts[to]);
        (&head[starts[from]..][..size], &mut tail[..other])
    } else {
        let (head, tail) = x.split_at_mut(starts[from]);
        (&tail[..size], &mut head[starts[to]..][..other])
    }
}

fn subtract_times<const W: usize>(a: &[f64], x: &[[f64; W]], y: &mut [[f64; W]]) {
    for (row, y) in a.chunks_exact(x.len()).zip(y) {
        for (a, x) in row.iter().zip(x) {
            for (y, x) in y.iter_mut().zip(x) {
                *y -= a * x;
            }
        }
    }
}

fn subtract_transposed_times<const W: usize>(a: &[f64], x: &[[f64; W]], y: &mut [[f64; W]]) {
    for (row, x) in a.chunks_exact(y.len()).zip(x) {
        for (a, y) in row.iter().zip(y.iter_mut()) {
            for (y, x) in y.iter_mut().zip(x) {
                *y -= a * x;
            }
        }
    }
}

/// x ← A x or Aᵀ x for a square block; `y` has room for x.
fn times_in_place<const W: usize>(
    a: &[f64],
    x: &mut [[f64; W]],
    y: &mut [[f64; W]],
    transposed: bool,
) {
    let n = x.len();
    let y = &mut y[..n];
    for (i, y) in y.iter_mut().enumerate() {
        *y = [0.0; W];
        for (j, x) in x.iter().enumerate() {
            let a = if transposed {
                a[j * n + i]
            } else {
                a[i * n + j]
            };
            for (y, x) in y.iter_mut().zip(x) {
                *y += a * x;
            }
        }
    }
    x.copy_from_slice(y);
}

dispatch! {
    fn factor = factor_kernel(lu: &mut BlockLu, done: &mut bool)
}

#[inline(always)]
fn factor_kernel(lu: &mut BlockLu, done: &mut bool) {
    *done = false;
    let BlockLu {
        starts,
        order,
        later_starts,
        later,
        values,
        left,
        pivot,
        ..
    } = lu;
    for (k, &p) in order.iter().enumerate() {
        let size = starts[p + 1] - starts[p];
        if !invert(&mut values[place(starts, p, p)], size, pivot) {
            return;
        }
        let followers = &later[later_starts[k]..later_starts[k + 1]];
        for &q in followers {
            // The row of q is divided, and subtracted from where it meets the columns of p.
            let (rows, part) = (starts[q + 1] - starts[q], place(starts, q, p));
            let left = &mut left[..rows * size];
            left.fill(0.0);
            let inverse = &values[place(starts, p, p)];
            accumulate::<false>(left, &values[part.clone()], inverse, [rows, size, size]);
            values[part].copy_from_slice(left);
            for &r in followers {
                let columns = starts[r + 1] - starts[r];
                let (from, to) = disjoint(values, place(starts, p, r), place(starts, q, r));
                accumulate::<true>(to, left, from, [rows, size, columns]);
            }
        }
    }
    *done = true;
}

#[inline(always)]
fn disjoint(
    values: &mut [f64],
    from: std::ops::Range<usize>,
    to: std::ops::Range<usize>,
) -> (&[f64], &mut [f64]) {
    if from.start < to.start {
        let (head, tail) = values.split_at_mut(to.start);
        (&head[from], &mut tail[..to.len()])
    } else {
        let (head, tail) = values.split_at_mut(from.start);
        (&tail[..from.len()], &mut head[to])
    }
}

/// C += A B, or C −= A B, all row-major; [rows of A, columns of A, columns of B].
#[inline(always)]
fn accumulate<const MINUS: bool>(c: &mut [f64], a: &[f64], b: &[f64], shape: [usize; 3]) {
    // Free bodies: the shape known to the compiler.
    if shape == [6, 6, 6] {
        accumulate_any::<MINUS>(&mut c[..36], &a[..36], &b[..36], [6, 6, 6]);
    } else {
        accumulate_any::<MINUS>(c, a, b, shape);
    }
}

#[inline(always)]
fn accumulate_any<const MINUS: bool>(c: &mut [f64], a: &[f64], b: &[f64], shape: [usize; 3]) {
    let [_, inner, columns] = shape;
    for (c, a) in c.chunks_exact_mut(columns).zip(a.chunks_exact(inner)) {
        for (a, b) in a.iter().zip(b.chunks_exact(columns)) {
            for (c, b) in c.iter_mut().zip(b) {
                if MINUS {
                    *c -= a * b;
                } else {
                    *c += a * b;
                }
            }
        }
    }
}

/// A ← A⁻¹ by Gauss–Jordan with row exchanges; `work` has room for twice the block. False if it is singular.
#[inline(always)]
fn invert(a: &mut [f64], n: usize, work: &mut [f64]) -> bool {
    let width = 2 * n;
    let work = &mut work[..n * width];
    for (i, (line, a)) in work
        .chunks_exact_mut(width)
        .zip(a.chunks_exact(n))
        .enumerate()
    {
        line[..n].copy_from_slice(a);
        line[n..].fill(0.0);
        line[n + i] = 1.0;
    }
    for k in 0..n {
        let size = |i: usize| work[i * width + k].abs();
        let best = (k..n).fold(k, |b, i| if size(i) > size(b) { i } else { b });
        let largest = size(best);
        if !(largest > f64::MIN_POSITIVE && largest.is_finite()) {
            return false;
        }
        if best != k {
            let (head, tail) = work.split_at_mut(best * width);
            head[k * width..(k + 1) * width].swap_with_slice(&mut tail[..width]);
        }
        let (above, rest) = work.split_at_mut(k * width);
        let (row, below) = rest.split_at_mut(width);
        let inverse = 1.0 / row[k];
        for x in &mut row[k..] {
            *x *= inverse;
        }
        for line in above
            .chunks_exact_mut(width)
            .chain(below.chunks_exact_mut(width))
        {
            let factor = line[k];
            for (x, r) in line[k..].iter_mut().zip(&row[k..]) {
                *x -= factor * r;
            }
        }
    }
    for (a, line) in a.chunks_exact_mut(n).zip(work.chunks_exact(width)) {
        a.copy_from_slice(&line[n..]);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A random matrix on a ring with chords, dense and by blocks.
    fn example() -> (Vec<usize>, Vec<f64>, BlockLu) {
        let starts = vec![0, 6, 7, 13, 16, 22, 28, 34, 35, 41];
        let (nodes, n) = (starts.len() - 1, 41);
        let mut seed = 1u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
        };
        let edges: Vec<[usize; 2]> = (0..nodes)
            .map(|k| [k, (k + 1) % nodes])
            .chain([[1, 5], [2, 7]])
            .collect();
        let mut lu = BlockLu::new(nodes, n, 6);
        let mut dense = vec![0.0; n * n];
        lu.start(&starts);
        for [a, b] in &edges {
            lu.connect(*a, *b);
        }
        lu.analyze();
        lu.set_identity();
        for i in 0..n {
            dense[i * n + i] = 1.0;
        }
        let pairs = edges.iter().flat_map(|[a, b]| [(*a, *b), (*b, *a)]);
        for (a, b) in (0..nodes).map(|k| (k, k)).chain(pairs) {
            let columns = starts[b + 1] - starts[b];
            for (k, x) in lu.block_mut(a, b).iter_mut().enumerate() {
                let r = random()
                    + if a == b {
                        2.0 * f64::from(k % (columns + 1) == 0)
                    } else {
                        0.0
                    };
                *x += r;
                dense[(starts[a] + k / columns) * n + starts[b] + k % columns] += r;
            }
        }
        (starts, dense, lu)
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
            if transposed {
                lu.solve_transpose(&mut x, &mut scratch);
            } else {
                lu.solve(&mut x, &mut scratch);
            }
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
    fn a_singular_node_is_told() {
        let mut lu = BlockLu::new(2, 4, 2);
        lu.start(&[0, 2, 4]);
        lu.analyze();
        lu.set_identity();
        assert!(lu.factor());
        lu.set_identity();
        lu.block_mut(1, 1).fill(1.0);
        assert!(!lu.factor());
    }
}
