//! Solves linear systems with the factored 1 + Hᵀ W H of [`WhitenedJacobian`].

use crate::contact::capacity::Capacity;
use crate::contact::problem::Small;
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::linalg::{BlockLu, FREE, LANES, Place, add_combination, add_six_columns, dispatch};

/// Factorization and memory. Sized at creation; a capacity without trees takes none.
#[derive(Debug)]
pub(in crate::contact) struct TreeSystem {
    lu: BlockLu,
    /// For each block of rows that acts on two trees: which of the two is eliminated first, and the places
    /// of the matrix blocks that couple the trees.
    meetings: Vec<Option<Meeting>>,
    /// W, one small matrix for each block of rows. Fill it before [`TreeSystem::factor`].
    pub weights: Vec<Small>,
    /// The weights between blocks, for laws of two blocks.
    couplings: Vec<Coupling>,
    /// Blocks of rows with a nonzero W in the present factorization.
    weighted: Vec<usize>,
    z: Vec<f64>,
    scratch: Vec<f64>,
    /// Right-hand side and remainder of [`TreeSystem::answer`].
    target: Vec<f64>,
    remainder: Vec<f64>,
}

/// W between a block and the next one, which acts on the same trees: above and below the diagonal.
#[derive(Clone, Copy, Debug)]
struct Coupling {
    block: usize,
    above: Small,
    below: Small,
}

impl Coupling {
    fn is_of(&self, block: usize) -> bool {
        self.block == block || self.block + 1 == block
    }
}

#[derive(Clone, Copy, Debug)]
struct Meeting {
    first: usize,
    places: [Place; 2],
}

impl TreeSystem {
    pub fn new(capacity: &Capacity) -> TreeSystem {
        TreeSystem::with(capacity, BlockLu::new)
    }

    /// For symmetric weights that are positive semi-definite.
    pub fn definite(capacity: &Capacity) -> TreeSystem {
        TreeSystem::with(capacity, BlockLu::definite)
    }

    fn with(capacity: &Capacity, lu: impl Fn(usize, usize, usize) -> BlockLu) -> TreeSystem {
        let Capacity {
            trees,
            coordinates,
            largest_tree,
            ..
        } = *capacity;
        let blocks = if trees == 0 { 0 } else { capacity.blocks };
        TreeSystem {
            lu: lu(trees, coordinates, largest_tree),
            meetings: Vec::with_capacity(blocks),
            weights: Vec::with_capacity(blocks),
            couplings: Vec::with_capacity(capacity.torsion.min(blocks)),
            weighted: Vec::with_capacity(blocks),
            z: vec![0.0; coordinates * LANES],
            scratch: vec![0.0; coordinates * LANES],
            target: vec![0.0; coordinates * LANES],
            remainder: vec![0.0; coordinates * LANES],
        }
    }

    /// Chooses the order of elimination. Call it once per problem.
    pub fn analyze(&mut self, rows: &WhitenedJacobian) {
        self.analyze_some(rows, |_| true);
    }

    /// As [`TreeSystem::analyze`], if only these blocks will have weight.
    pub fn analyze_some(
        &mut self,
        rows: &WhitenedJacobian,
        may_have_weight: impl Fn(usize) -> bool,
    ) {
        self.lu.start(rows.starts());
        let pair = |i: usize| match rows.trees_of(i) {
            [Some(a), Some(b)] if may_have_weight(i) => Some([a, b]),
            _ => None,
        };
        for [a, b] in (0..rows.blocks()).filter_map(pair) {
            self.lu.connect(a, b);
        }
        self.lu.analyze();
        self.meetings.clear();
        self.meetings.extend((0..rows.blocks()).map(|i| {
            let trees = pair(i)?;
            let first = usize::from(!self.lu.precedes(trees[0], trees[1]));
            let places = self.lu.between(trees[first], trees[1 - first]);
            Some(Meeting { first, places })
        }));
    }

    /// Whether an order was chosen for the trees of these rows.
    pub fn is_for(&self, rows: &WhitenedJacobian) -> bool {
        self.lu.is_for(rows.starts())
    }

    pub fn clear_weights(&mut self, blocks: usize) {
        self.weights.clear();
        self.weights.resize(blocks, [[0.0; 3]; 3]);
        self.couplings.clear();
    }

    /// Sets W of a law of two blocks, `block` and the one before, which has `torsion` rows.
    pub fn set_wide(&mut self, block: usize, torsion: usize, w: &[[f64; 6]; 6]) {
        let part = |r: usize, s: usize, size: [usize; 2]| {
            let mut out = [[0.0; 3]; 3];
            for (out, line) in out.iter_mut().zip(&w[r..]).take(size[0]) {
                out[..size[1]].copy_from_slice(&line[s..s + size[1]]);
            }
            out
        };
        let k = torsion;
        self.weights[block - 1] = part(0, 0, [k, k]);
        self.weights[block] = part(k, k, [3, 3]);
        self.couplings.push(Coupling {
            block: block - 1,
            above: part(0, k, [k, 3]),
            below: part(k, 0, [3, k]),
        });
    }

    /// y += W between blocks times x, by the problem's rows, times `scale` of the block.
    pub fn add_couplings(
        &self,
        rows: &WhitenedJacobian,
        x: impl Fn(usize) -> f64,
        y: &mut [[f64; 1]],
        scale: impl Fn(usize) -> f64,
    ) {
        for c in &self.couplings {
            let [own, next] = [rows.range(c.block), rows.range(c.block + 1)];
            for (m, to, from) in [(&c.above, &own, &next), (&c.below, &next, &own)] {
                for (y, line) in y[to.clone()].iter_mut().zip(m) {
                    let sum: f64 = line
                        .iter()
                        .zip(from.clone())
                        .map(|(w, row)| w * x(row))
                        .sum();
                    y[0] += scale(c.block) * sum;
                }
            }
        }
    }

    /// Fills and factors 1 + Hᵀ W H. Returns false if it is singular.
    pub fn factor(&mut self, rows: &WhitenedJacobian) -> bool {
        let couplings = &self.couplings;
        let weighted =
            |i: &usize| self.weights[*i] != [[0.0; 3]; 3] || couplings.iter().any(|c| c.is_of(*i));
        self.weighted.clear();
        self.weighted
            .extend((0..self.weights.len()).filter(weighted));
        self.lu.set_identity();
        fill(self, rows);
        self.lu.factor()
    }

    /// Multiplications of [`TreeSystem::factor`] if all blocks have weight.
    pub fn cost(&self, rows: &WhitenedJacobian) -> f64 {
        let fill = (0..rows.blocks()).map(|i| {
            let entries = rows.trees_of(i).into_iter().flatten().enumerate();
            let width: usize = entries.map(|(side, _)| rows.panel(i, side).len()).sum();
            (width * width) as f64 / rows.range(i).len() as f64
        });
        fill.sum::<f64>() + self.lu.cost()
    }

    /// z ← (1 + Hᵀ W H)⁻¹ z, in the coordinates of the trees.
    pub fn solve(&mut self, z: &mut [[f64; 1]]) {
        solve(self, z);
    }

    /// Whether the determinant of the factored matrix is negative.
    pub fn is_negative(&self) -> bool {
        self.lu.is_negative()
    }

    /// y ← H (1 + Hᵀ W H)⁻¹ Hᵀ y, or with Wᵀ, over the problem's rows. Rows of blocks without weight are
    /// not read.
    pub fn respond<const W: usize>(
        &mut self,
        rows: &WhitenedJacobian,
        y: &mut [[f64; W]],
        transposed: bool,
    ) {
        respond(self, rows, y, Some(transposed));
    }

    /// y ← H (1 + Hᵀ W H)⁻¹ Hᵀ y over all rows, with one step of iterative refinement.
    pub fn answer<const W: usize>(&mut self, rows: &WhitenedJacobian, y: &mut [[f64; W]]) {
        answer(self, rows, y);
    }

    /// y ← G y over the rows of blocks with weight, which are the only ones read and written.
    pub fn multiply<const W: usize>(&mut self, rows: &WhitenedJacobian, y: &mut [[f64; W]]) {
        respond(self, rows, y, None);
    }
}

dispatch! {
    fn respond<const W: usize> = respond_kernel(
        system: &mut TreeSystem, rows: &WhitenedJacobian, y: &mut [[f64; W]], solve_transposed: Option<bool>,
    )
}

#[inline(always)]
fn respond_kernel<const W: usize>(
    system: &mut TreeSystem,
    rows: &WhitenedJacobian,
    y: &mut [[f64; W]],
    solve_transposed: Option<bool>,
) {
    let z = &mut system.z.as_chunks_mut::<W>().0[..rows.coordinates()];
    z.fill([0.0; W]);
    for &i in &system.weighted {
        rows.add_transposed(i, &y[rows.range(i)], z);
    }
    let Some(transposed) = solve_transposed else {
        for &i in &system.weighted {
            let own = rows.times(i, z);
            for (row, own) in rows.range(i).zip(own) {
                let r = rows.compliance(row);
                y[row] = std::array::from_fn(|k| own[k] + r * y[row][k]);
            }
        }
        return;
    };
    let scratch = system.scratch.as_chunks_mut::<W>().0;
    system.lu.solve(z, scratch, transposed);
    for &i in &system.weighted {
        rows.write_times(i, z, &mut y[rows.range(i)]);
    }
}

dispatch! {
    fn answer<const W: usize> = answer_kernel(
        system: &mut TreeSystem, rows: &WhitenedJacobian, y: &mut [[f64; W]],
    )
}

#[inline(always)]
fn answer_kernel<const W: usize>(
    system: &mut TreeSystem,
    rows: &WhitenedJacobian,
    y: &mut [[f64; W]],
) {
    let n = rows.coordinates();
    let z = &mut system.z.as_chunks_mut::<W>().0[..n];
    let target = &mut system.target.as_chunks_mut::<W>().0[..n];
    let left = &mut system.remainder.as_chunks_mut::<W>().0[..n];
    let scratch = system.scratch.as_chunks_mut::<W>().0;
    target.fill([0.0; W]);
    for i in 0..rows.blocks() {
        rows.add_transposed(i, &y[rows.range(i)], target);
    }
    z.copy_from_slice(target);
    system.lu.solve(z, scratch, false);
    left.fill([0.0; W]);
    for &i in &system.weighted {
        let velocity = rows.times(i, z);
        let (w, count) = (&system.weights[i], rows.range(i).len());
        let mut force = [[0.0; W]; 3];
        for (force, w) in force.iter_mut().zip(w).take(count) {
            add_combination(w, &velocity, force);
        }
        rows.add_transposed(i, &force[..count], left);
    }
    for ((left, target), z) in left.iter_mut().zip(target.iter()).zip(z.iter()) {
        *left = std::array::from_fn(|k| target[k] - z[k] - left[k]);
    }
    system.lu.solve(left, scratch, false);
    for (z, left) in z.iter_mut().zip(left.iter()) {
        *z = std::array::from_fn(|k| z[k] + left[k]);
    }
    for i in 0..rows.blocks() {
        rows.write_times(i, z, &mut y[rows.range(i)]);
    }
}

dispatch! {
    fn solve = solve_kernel(system: &mut TreeSystem, z: &mut [[f64; 1]])
}

#[inline(always)]
fn solve_kernel(system: &mut TreeSystem, z: &mut [[f64; 1]]) {
    let scratch = system.scratch.as_chunks_mut::<1>().0;
    system.lu.solve(z, scratch, false);
}

dispatch! {
    /// Adds Hᵀ W H. For a definite system the transposed blocks are left out.
    fn fill = fill_kernel(system: &mut TreeSystem, rows: &WhitenedJacobian)
}

#[inline(always)]
fn fill_kernel(system: &mut TreeSystem, rows: &WhitenedJacobian) {
    let lu = &mut system.lu;
    let count_of_places = if lu.is_definite() { 1 } else { 2 };
    for &i in &system.weighted {
        let (w, count) = (&system.weights[i], rows.range(i).len());
        for (side, tree) in rows.trees_of(i).into_iter().flatten().enumerate() {
            let panel = rows.panel(i, side);
            add_weighted(panel, w, panel, count, lu.block_mut(lu.own(tree)));
        }
        if let Some(Meeting { first, places }) = system.meetings[i] {
            let (p, q) = (rows.panel(i, first), rows.panel(i, 1 - first));
            let transposed = [0, 1, 2].map(|r| [0, 1, 2].map(|s| w[s][r]));
            let weights = [w, &transposed].into_iter().zip(places);
            for (w, place) in weights.take(count_of_places) {
                add_weighted(p, w, q, count, lu.block_mut(place));
            }
        }
    }
    for c in &system.couplings {
        for (side, tree) in rows.trees_of(c.block).into_iter().flatten().enumerate() {
            let place = lu.own(tree);
            add_coupling(rows, c, [side, side], false, lu.block_mut(place));
        }
        if let Some(Meeting { first, places }) = system.meetings[c.block] {
            for (place, transposed) in places.into_iter().zip([false, true]) {
                add_coupling(rows, c, [first, 1 - first], transposed, lu.block_mut(place));
            }
        }
    }
}

/// C += Hᵀ W H for the weights between two blocks, on these sides; with Wᵀ if `transposed`.
fn add_coupling(
    rows: &WhitenedJacobian,
    c: &Coupling,
    sides: [usize; 2],
    transposed: bool,
    out: &mut [f64],
) {
    let panel = |block: usize, side: usize| (rows.panel(block, side), rows.range(block).len());
    let [own, next] = [0, 1].map(|k| sides.map(|side| panel(c.block + k, side)));
    let [above, below] = match transposed {
        false => [&c.above, &c.below],
        true => [&c.below, &c.above],
    };
    add_coupled(own[0], (above, transposed), next[1], out);
    add_coupled(next[0], (below, transposed), own[1], out);
}

/// C += Pᵀ W Q for panels with these numbers of rows.
#[inline(always)]
fn add_coupled(
    (p, rows): (&[f64], usize),
    (w, transposed): (&Small, bool),
    (q, columns): (&[f64], usize),
    c: &mut [f64],
) {
    let (m, n) = (p.len() / rows, q.len() / columns);
    for (i, c) in c.chunks_exact_mut(n).enumerate() {
        for (s, q) in q.chunks_exact(n).enumerate() {
            let own = |r: usize| if transposed { w[s][r] } else { w[r][s] };
            let weight: f64 = (0..rows).map(|r| p[r * m + i] * own(r)).sum();
            for (c, q) in c.iter_mut().zip(q) {
                *c += weight * q;
            }
        }
    }
}

/// C += Pᵀ W Q for panels of `rows`.
#[inline(always)]
fn add_weighted(p: &[f64], w: &Small, q: &[f64], rows: usize, c: &mut [f64]) {
    let (m, n) = (p.len() / rows, q.len() / rows);
    if rows == 3 && n == FREE {
        let mut wq = [[0.0; FREE]; 3];
        for (w, wq) in w.iter().zip(&mut wq) {
            add_six_columns(1.0, &q[..3 * FREE], w, wq);
        }
        for (i, c) in c.as_chunks_mut::<FREE>().0.iter_mut().enumerate() {
            let p = [p[i], p[m + i], p[2 * m + i]];
            add_six_columns(1.0, wq.as_flattened(), &p, c);
        }
        return;
    }
    for (i, c) in c.chunks_exact_mut(n).enumerate() {
        for (s, q) in q.chunks_exact(n).enumerate() {
            let weight: f64 = (0..rows).map(|r| p[r * m + i] * w[r][s]).sum();
            // A row of one dof has entries on the path to this dof only.
            if weight != 0.0 {
                for (c, q) in c.iter_mut().zip(q) {
                    *c += weight * q;
                }
            }
        }
    }
}
