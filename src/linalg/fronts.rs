//! LU of a large sparse matrix with a fixed graph of nodes, by dense fronts.
//!
//! Nodes with the same later neighbours are eliminated together: their rows and columns form a dense front.
//! The Schur complement in the rows and columns of later nodes is a dense matrix, too. The front of the next
//! of these nodes takes it over (the multifrontal method of Duff and Reid, 1983). Almost all arithmetic is
//! then in products of dense matrices.

mod front;
mod kernel;
mod layout;
mod order;

use super::dispatch;
use super::kernel::{axpy, subtract_combination};
use front::{Front, padded};
use kernel::eliminate;

/// A = L U by fronts. Rows are exchanged within a front, not between fronts. Sized at creation.
///
/// The panel of a front with the coordinates 1 that it eliminates and the coordinates 2 of later nodes holds
/// A₁₁, A₁₂ and A₂₁ᵀ, row by row with one row for each coordinate 1; after factorization L₁₁ and U₁₁ with the
/// reciprocals of its diagonal, U₁₂ and L₂₁ᵀ. Rows are padded with zeros to whole vectors.
#[derive(Clone, Debug)]
pub struct Fronts {
    /// First coordinate of each node, then the number of coordinates.
    starts: Vec<usize>,
    /// Front of each node, and its first coordinate there.
    homes: Vec<[usize; 2]>,
    /// Nodes in the order of elimination.
    order: Vec<usize>,
    fronts: Vec<Front>,
    later: Vec<Later>,
    runs: Vec<Run>,
    /// Fronts whose rest each front takes over.
    children: Vec<usize>,
    values: Vec<f64>,
    exchanges: Vec<usize>,
    /// The matrices that fronts leave to later ones, on two stacks: fronts at even depth of their tree, and
    /// those at odd depth. A front takes the top of one stack and puts its own rest on the other.
    rests: [Vec<f64>; 2],
    /// The node that was eliminated last.
    reached: usize,
}

/// Cost of an entry of the factors in a solve, in multiplications of dense products: it is read from memory.
const SOLVE: f64 = 4.0;

/// A node eliminated later than the nodes of a front: its place in the front's rest.
#[derive(Clone, Copy, Debug)]
struct Later {
    position: usize,
    at: usize,
}

/// Coordinates of a front's rest that follow each other in the elimination and in the front that takes them
/// over.
#[derive(Clone, Copy, Debug)]
struct Run {
    from: usize,
    len: usize,
    /// First coordinate in the order of elimination.
    first: usize,
    /// First coordinate among those that the next front eliminates, or among its later ones.
    to: usize,
    is_own: bool,
}

/// Where a block of two nodes is stored: the place of an entry from its row and column.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    at: usize,
    by_row: usize,
    by_column: usize,
}

impl Fronts {
    /// Sets the matrix to zero.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// The same graph without values. Their memory is taken when it is filled.
    pub fn unfilled(&self) -> Fronts {
        Fronts {
            values: vec![0.0; self.values.len()],
            rests: self.rests.each_ref().map(|r| vec![0.0; r.len()]),
            ..self.clone()
        }
    }

    /// Cost of factors, in solves.
    pub fn price(&self) -> f64 {
        let fronts = self.fronts.iter().map(|f| {
            let [width, rest] = [f.width, f.rest].map(|n| n as f64);
            let all = width + rest;
            [all.powi(3) - rest.powi(3), width * (width + 2.0 * rest)]
        });
        let [factor, solve] = fronts.fold([0.0; 2], |sum, x| [sum[0] + x[0], sum[1] + x[1]]);
        factor / (3.0 * SOLVE * solve.max(1.0))
    }

    /// The node at which the last [`Fronts::factor`] ended.
    pub fn reached(&self) -> usize {
        self.reached
    }

    /// The block (a, b) of two nodes that are joined.
    pub fn block(&self, a: usize, b: usize) -> Block {
        let ([front, i], [other, j]) = (self.homes[a], self.homes[b]);
        let (early, late, [i, node]) = match front <= other {
            true => (front, other, [i, b]),
            false => (other, front, [j, a]),
        };
        let f = &self.fronts[early];
        let [own, rest] = f.rows();
        if early == late {
            return Block {
                at: f.at + i * own + j,
                by_row: own,
                by_column: 1,
            };
        }
        let [h, k] = self.homes[node];
        let position = self.fronts[h].first + k;
        let later = &self.later[f.later.clone()];
        let found = later.partition_point(|l| l.position < position);
        debug_assert_eq!(later[found].position, position);
        let [square, beside, _] = f.parts();
        let (part, [by_row, by_column]) = match front == early {
            true => (f.at + square, [rest, 1]),
            false => (f.at + square + beside, [1, rest]),
        };
        Block {
            at: part + i * rest + later[found].at,
            by_row,
            by_column,
        }
    }

    /// Adds to an entry of a block.
    #[inline(always)]
    pub fn add(&mut self, block: Block, row: usize, column: usize, x: f64) {
        self.values[block.at + row * block.by_row + column * block.by_column] += x;
    }

    /// Factors in place. False at a front whose matrix is singular to working precision.
    pub fn factor(&mut self) -> bool {
        factor(self)
    }

    /// x ← A⁻¹ x, or A⁻ᵀ x, by coordinates; `scratch` has twice the length of x.
    pub fn solve<const W: usize>(
        &self,
        x: &mut [[f64; W]],
        scratch: &mut [[f64; W]],
        transposed: bool,
    ) {
        solve(self, x, scratch, transposed);
    }

    /// The parts of a panel.
    #[inline(always)]
    fn panel(&self, f: &Front) -> [&[f64]; 3] {
        let [square, beside, _] = f.parts();
        let (square, rest) = self.values[f.values()].split_at(square);
        let (upper, lower) = rest.split_at(beside);
        [square, upper, lower]
    }
}

dispatch! {
    fn factor = factor_kernel(of: &mut Fronts) -> bool
}

#[inline(always)]
fn factor_kernel(of: &mut Fronts) -> bool {
    let Fronts {
        fronts,
        runs,
        children,
        values,
        exchanges,
        rests,
        ..
    } = of;
    for f in fronts.iter() {
        let [own, beside] = f.rows();
        let [square_len, beside_len, _] = f.parts();
        let (square, both) = values[f.values()].split_at_mut(square_len);
        let (upper, lower) = both.split_at_mut(beside_len);
        let [even, odd] = rests.each_mut();
        let (mine, theirs) = match f.stack {
            0 => (even, odd),
            _ => (odd, even),
        };
        let rest = &mut mine[f.rest_at..][..f.left()];
        rest.fill(0.0);
        for child in &children[f.children.clone()] {
            let child = &fronts[*child];
            let left = &theirs[child.rest_at..][..child.left()];
            let row = padded(child.rest);
            let runs = &runs[child.runs.clone()];
            for r in runs {
                for c in runs {
                    for i in 0..r.len {
                        let from = &left[(r.from + i) * row + c.from..][..c.len];
                        let into = r.to + i;
                        match (r.is_own, c.is_own) {
                            (true, true) => add(from, &mut square[into * own + c.to..]),
                            (true, false) => add(from, &mut upper[into * beside + c.to..]),
                            (false, false) => add(from, &mut rest[into * beside + c.to..]),
                            (false, true) => {
                                for (k, x) in from.iter().enumerate() {
                                    lower[(c.to + k) * beside + into] += x;
                                }
                            }
                        }
                    }
                }
            }
        }
        let exchanges = &mut exchanges[f.first..][..f.width];
        if let Err(k) = eliminate(f, [square, upper, lower, rest], exchanges) {
            // The node of this coordinate.
            let mut end = 0;
            of.reached = of.order[f.nodes.start];
            for node in &of.order[f.nodes.clone()] {
                if end <= k {
                    of.reached = *node;
                }
                end += of.starts[node + 1] - of.starts[*node];
            }
            return false;
        }
    }
    true
}

#[inline(always)]
fn add(from: &[f64], to: &mut [f64]) {
    for (to, x) in to[..from.len()].iter_mut().zip(from) {
        *to += x;
    }
}

dispatch! {
    fn solve<const W: usize> = solve_kernel(
        of: &Fronts,
        x: &mut [[f64; W]],
        scratch: &mut [[f64; W]],
        transposed: bool,
    )
}

#[inline(always)]
fn solve_kernel<const W: usize>(
    of: &Fronts,
    x: &mut [[f64; W]],
    scratch: &mut [[f64; W]],
    transposed: bool,
) {
    let (y, gathered) = scratch.split_at_mut(x.len());
    let mut at = 0;
    for node in &of.order {
        let coordinates = of.starts[*node]..of.starts[node + 1];
        let end = at + coordinates.len();
        y[at..end].copy_from_slice(&x[coordinates]);
        at = end;
    }
    for f in &of.fronts {
        let [own, beside] = f.rows();
        let [square, upper, lower] = of.panel(f);
        let exchanges = &of.exchanges[f.first..][..f.width];
        let y1 = &mut y[f.first..][..f.width];
        // Aᵀ = Uᵀ Lᵀ P: its lower factor is Uᵀ.
        let below = if transposed { upper } else { lower };
        if transposed {
            for k in 0..f.width {
                let line = &square[k * own..][..f.width];
                y1[k] = y1[k].map(|y| y * line[k]);
                let (done, next) = y1.split_at_mut(k + 1);
                for (y, u) in next.iter_mut().zip(&line[k + 1..]) {
                    axpy(-u, &done[k], y);
                }
            }
        } else {
            for (k, other) in exchanges.iter().enumerate() {
                y1.swap(k, *other);
            }
            for k in 1..f.width {
                let (done, next) = y1.split_at_mut(k);
                subtract_combination(&square[k * own..][..k], done, &mut next[0]);
            }
        }
        let sum = &mut gathered[..f.rest];
        sum.fill([0.0; W]);
        for (line, y) in below.chunks_exact(beside.max(1)).zip(&*y1) {
            for (sum, a) in sum.iter_mut().zip(line) {
                axpy(*a, y, sum);
            }
        }
        for run in &of.runs[f.runs.clone()] {
            let sum = &sum[run.from..][..run.len];
            for (y, sum) in y[run.first..].iter_mut().zip(sum) {
                axpy(-1.0, sum, y);
            }
        }
    }
    for f in of.fronts.iter().rev() {
        let [own, beside] = f.rows();
        let [square, upper, lower] = of.panel(f);
        let later = &mut gathered[..f.rest];
        for run in &of.runs[f.runs.clone()] {
            later[run.from..][..run.len].copy_from_slice(&y[run.first..][..run.len]);
        }
        let y1 = &mut y[f.first..][..f.width];
        let right = if transposed { lower } else { upper };
        for (line, y) in right.chunks_exact(beside.max(1)).zip(&mut *y1) {
            subtract_combination(&line[..f.rest], later, y);
        }
        if transposed {
            for k in (1..f.width).rev() {
                let line = &square[k * own..][..k];
                let (next, done) = y1.split_at_mut(k);
                for (y, l) in next.iter_mut().zip(line) {
                    axpy(-l, &done[0], y);
                }
            }
            let exchanges = &of.exchanges[f.first..][..f.width];
            for (k, other) in exchanges.iter().enumerate().rev() {
                y1.swap(k, *other);
            }
        } else {
            for k in (0..f.width).rev() {
                let line = &square[k * own..][..f.width];
                let (next, done) = y1.split_at_mut(k + 1);
                subtract_combination(&line[k + 1..], done, &mut next[k]);
                next[k] = next[k].map(|y| y * line[k]);
            }
        }
    }
    let mut at = 0;
    for node in &of.order {
        let coordinates = of.starts[*node]..of.starts[node + 1];
        let end = at + coordinates.len();
        x[coordinates].copy_from_slice(&y[at..end]);
        at = end;
    }
}

#[cfg(test)]
mod tests;
