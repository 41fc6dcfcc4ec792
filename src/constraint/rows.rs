//! Stores constraint Jacobians by blocks of up to three rows, one panel of four lanes per dof, and
//! computes their products with M⁻¹.
//!
//! A block touches the dofs between its links and the world. They belong to one tree or two. The block
//! has a place for each dof of these trees, and a bit per place that says whether the dof is touched.
//! Panels of other dofs are never read, so that nothing is cleared between steps.

use crate::dynamics::articulated::{Articulation, PathSweep};
use crate::dynamics::factors::Factors;
use crate::dynamics::mass::BranchMatrix;
use crate::dynamics::reduced::ReducedFactors;
use crate::linalg::{F4, grow};
use crate::model::topology::{Topology, WORLD};
use std::ops::Range;

/// The places of the dofs of a block's trees. The tree with the lower index comes first.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    /// First dof of the second tree, and its place; beyond all dofs if there is no second tree.
    split: usize,
    split_place: usize,
    /// Dof minus place in the two trees.
    shift: [usize; 2],
}

impl Places {
    fn of(t: &Topology, trees: [Option<usize>; 2]) -> Places {
        let [first, second] = match trees {
            [Some(a), Some(b)] => [Some(a.min(b)), Some(a.max(b))],
            [a, b] => [a.or(b), None],
        };
        let range = |tree: Option<usize>| tree.map(|k| (t.trees[k].first_dof, t.trees[k].end_dof));
        let (start, end) = range(first).unwrap_or((0, 0));
        let size = end - start;
        match range(second) {
            Some((split, _)) => Places {
                split,
                split_place: size,
                shift: [start, split - size],
            },
            None => Places {
                split: usize::MAX,
                split_place: usize::MAX,
                shift: [start, start],
            },
        }
    }

    #[inline(always)]
    fn place(&self, dof: usize) -> usize {
        dof - self.shift[usize::from(dof >= self.split)]
    }

    #[inline(always)]
    fn dof(&self, place: usize) -> usize {
        place + self.shift[usize::from(place >= self.split_place)]
    }
}

/// The set bits of a word list in increasing order. It is an iterator and not a closure, because the
/// compiler would build a closure apart from the kernel around it, for the baseline processor.
pub struct SetBits<I> {
    words: I,
    base: usize,
    bits: u64,
}

impl<I: Iterator<Item = u64>> SetBits<I> {
    #[inline(always)]
    fn new(mut words: I) -> Self {
        let bits = words.next().unwrap_or(0);
        SetBits {
            words,
            base: 0,
            bits,
        }
    }
}

impl<I: Iterator<Item = u64>> Iterator for SetBits<I> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            self.bits = self.words.next()?;
            self.base += 64;
        }
        let k = self.base + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(k)
    }
}

/// The runs of successive set bits of a word list, in increasing order. A run ends with its word.
struct Runs<I> {
    words: I,
    base: usize,
    bits: u64,
}

impl<I: Iterator<Item = u64>> Runs<I> {
    #[inline(always)]
    fn new(mut words: I) -> Self {
        let bits = words.next().unwrap_or(0);
        Runs {
            words,
            base: 0,
            bits,
        }
    }
}

impl<I: Iterator<Item = u64>> Iterator for Runs<I> {
    type Item = Range<usize>;

    #[inline(always)]
    fn next(&mut self) -> Option<Range<usize>> {
        while self.bits == 0 {
            self.bits = self.words.next()?;
            self.base += 64;
        }
        let start = self.bits.trailing_zeros();
        let end = start + (!(self.bits >> start)).trailing_zeros();
        self.bits &= u64::MAX.checked_shl(end).unwrap_or(0);
        Some(self.base + start as usize..self.base + end as usize)
    }
}

/// The bits of [`SetBits`] in decreasing order.
struct SetBitsDown<'a> {
    words: &'a [u64],
    bits: u64,
}

impl<'a> SetBitsDown<'a> {
    #[inline(always)]
    fn new(words: &'a [u64]) -> Self {
        let bits = words.last().copied().unwrap_or(0);
        SetBitsDown { words, bits }
    }
}

impl Iterator for SetBitsDown<'_> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            self.words = &self.words[..self.words.len().checked_sub(1)?];
            self.bits = *self.words.last()?;
        }
        let top = 63 - self.bits.leading_zeros() as usize;
        self.bits &= !(1 << top);
        Some(64 * (self.words.len() - 1) + top)
    }
}

/// The dofs that a block touches, in increasing order, with their places.
struct Entries<I> {
    set: SetBits<I>,
    places: Places,
}

impl<I: Iterator<Item = u64>> Iterator for Entries<I> {
    type Item = (usize, usize);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, usize)> {
        let place = self.set.next()?;
        Some((place, self.places.dof(place)))
    }
}

/// The dofs alone.
pub struct Dofs<I>(Entries<I>);

impl<I: Iterator<Item = u64>> Iterator for Dofs<I> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        Some(self.0.next()?.1)
    }
}

/// Jacobians of all blocks, and their products with the inverse of M.
#[derive(Clone, Debug)]
pub struct Rows {
    count: usize,
    /// Places of a block, and words of their bits.
    width: usize,
    words: usize,
    bits: Vec<u64>,
    places: Vec<Places>,
    /// Trees that a block touches.
    trees: Vec<[Option<usize>; 2]>,
    /// Per block and place: the column of J in lanes 0–2.
    jac: Vec<F4>,
    /// Per block and place: D^(−1/2) L⁻ᵀ Jᵀ, on the same dofs.
    half: Vec<F4>,
    sqrt_dinv: Vec<f64>,
    /// True if a block touches all dofs of its trees, as dofs with reduced coordinates move together.
    is_whole: bool,
}

impl Rows {
    pub fn new(t: &Topology, max_blocks: usize) -> Self {
        let width = t.nv().min(2 * t.largest_tree());
        let words = width.div_ceil(64).max(1);
        Rows {
            count: 0,
            width,
            words,
            bits: vec![0; words * max_blocks],
            places: vec![Places::default(); max_blocks],
            trees: vec![[None; 2]; max_blocks],
            jac: Vec::with_capacity(width * max_blocks),
            half: Vec::with_capacity(width * max_blocks),
            sqrt_dinv: vec![0.0; t.nv()],
            is_whole: t.reduction.is_some(),
        }
    }

    pub fn capacity(&self) -> usize {
        self.places.len()
    }

    /// Number of blocks that were started.
    pub fn in_use(&self) -> usize {
        self.count
    }

    /// Capacity for columns of all blocks.
    pub fn columns(&self) -> usize {
        self.width * self.places.len()
    }

    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Starts a block that touches all dofs from each of `tips` to the world, with a zero Jacobian.
    pub fn push(&mut self, t: &Topology, tips: [usize; 2]) -> usize {
        let tree = |tip: usize| (tip != WORLD).then(|| t.links[t.dofs[tip].link].tree);
        let [a, b] = tips.map(tree);
        self.push_on(t, if a == b { [a, None] } else { [a, b] }, tips)
    }

    /// The same with any number of tips, which are on these trees.
    pub fn push_on(
        &mut self,
        t: &Topology,
        trees: [Option<usize>; 2],
        tips: impl IntoIterator<Item = usize>,
    ) -> usize {
        let block = self.count;
        self.count += 1;
        grow(&mut self.jac, self.count * self.width);
        grow(&mut self.half, self.count * self.width);
        self.trees[block] = trees;
        let places = Places::of(t, trees);
        self.places[block] = places;
        let bits = &mut self.bits[block * self.words..(block + 1) * self.words];
        bits.fill(0);
        if self.is_whole {
            for tree in trees.into_iter().flatten().map(|k| &t.trees[k]) {
                for p in (tree.first_dof..tree.end_dof).map(|k| places.place(k)) {
                    bits[p / 64] |= 1 << (p % 64);
                    self.jac[block * self.width + p] = F4::ZERO;
                }
            }
            return block;
        }
        for tip in tips {
            let mut k = tip;
            while k != WORLD {
                let p = places.place(k);
                if bits[p / 64] >> (p % 64) & 1 == 1 {
                    break;
                }
                bits[p / 64] |= 1 << (p % 64);
                self.jac[block * self.width + p] = F4::ZERO;
                k = t.dofs[k].parent;
            }
        }
        block
    }

    /// Multiplies the Jacobian of a block.
    pub fn scale(&mut self, block: usize, by: f64) {
        let set = &self.bits[block * self.words..(block + 1) * self.words];
        let jac = &mut self.jac[block * self.width..][..self.width];
        for place in SetBits::new(set.iter().copied()) {
            jac[place] = jac[place] * F4::splat(by);
        }
    }

    /// Adds a column to a block at each dof of a path. The block must touch all of them.
    #[inline(always)]
    pub fn add_columns(
        &mut self,
        block: usize,
        path: impl Iterator<Item = usize>,
        column: impl Fn(usize) -> F4,
    ) {
        let places = self.places[block];
        let jac = &mut self.jac[block * self.width..][..self.width];
        for k in path {
            jac[places.place(k)] += column(k);
        }
    }

    /// The column of a block at a dof that it touches.
    #[inline(always)]
    pub fn column_mut(&mut self, block: usize, dof: usize) -> &mut F4 {
        let place = self.places[block].place(dof);
        &mut self.jac[block * self.width + place]
    }

    #[inline(always)]
    pub fn column(&self, block: usize, dof: usize) -> F4 {
        self.jac[block * self.width + self.places[block].place(dof)]
    }

    /// Index of the column of a block at a dof that it touches.
    #[inline(always)]
    pub fn entry(&self, block: usize, dof: usize) -> usize {
        block * self.width + self.places[block].place(dof)
    }

    /// The column at an index from [`Rows::entry`].
    #[inline(always)]
    pub fn at(&self, entry: usize) -> F4 {
        self.jac[entry]
    }

    /// Entries of a block with their dofs, in increasing order.
    #[inline(always)]
    pub fn entries_of(&self, block: usize) -> impl Iterator<Item = (usize, usize)> {
        let first = block * self.width;
        self.entries(block)
            .map(move |(place, dof)| (first + place, dof))
    }

    /// Number of entries of the blocks in use.
    pub fn entries_in_use(&self) -> usize {
        self.count * self.width
    }

    /// Number of entries of all blocks within the capacity.
    pub fn most_entries(&self) -> usize {
        self.capacity() * self.width
    }

    /// The dofs of a block in increasing order.
    #[inline(always)]
    pub fn dofs(&self, block: usize) -> Dofs<impl Iterator<Item = u64>> {
        Dofs(self.entries(block))
    }

    #[inline(always)]
    fn entries(&self, block: usize) -> Entries<impl Iterator<Item = u64>> {
        Entries {
            set: SetBits::new(self.set(block).iter().copied()),
            places: self.places[block],
        }
    }

    #[inline(always)]
    fn set(&self, block: usize) -> &[u64] {
        &self.bits[block * self.words..(block + 1) * self.words]
    }

    /// J x of a block.
    #[inline(always)]
    pub fn times(&self, block: usize, x: &[f64]) -> F4 {
        let jac = &self.jac[block * self.width..][..self.width];
        let mut sum = F4::ZERO;
        for (place, k) in self.entries(block) {
            sum += jac[place] * F4::splat(x[k]);
        }
        sum
    }

    /// The product of a block's D^(−1/2) L⁻ᵀ Jᵀ, transposed, with x; after [`Rows::solve_half`].
    #[inline(always)]
    pub fn times_half(&self, block: usize, x: &[f64]) -> F4 {
        let half = &self.half[block * self.width..][..self.width];
        let mut sum = F4::ZERO;
        for (place, k) in self.entries(block) {
            sum += half[place] * F4::splat(x[k]);
        }
        sum
    }

    /// y += Jᵀ λ of a block.
    #[inline(always)]
    pub fn add_transposed(&self, block: usize, lambda: F4, y: &mut [f64]) {
        let jac = &self.jac[block * self.width..][..self.width];
        for (place, k) in self.entries(block) {
            let p = (jac[place] * lambda).0;
            y[k] += p[0] + p[1] + p[2];
        }
    }

    /// Solves D^(−1/2) L⁻ᵀ Jᵀ for all blocks; `m` must be factored.
    #[inline(always)]
    pub fn solve_half(&mut self, t: &Topology, m: &Factors) {
        for (s, d) in self.sqrt_dinv.iter_mut().zip(m.dinv()) {
            *s = d.sqrt();
        }
        match m {
            Factors::Packed(m) => self.solve_half_packed(t, m),
            Factors::Swept(a) => self.solve_half_swept(t, a),
            Factors::Reduced(r) => self.solve_half_reduced(t, r),
        }
    }

    fn solve_half_reduced(&mut self, t: &Topology, r: &ReducedFactors) {
        for block in 0..self.count {
            let (at, places) = (block * self.width, self.places[block]);
            let half = &mut self.half[at..at + self.width];
            half.copy_from_slice(&self.jac[at..at + self.width]);
            for tree in self.trees[block].into_iter().flatten() {
                r.solve_transposed_tree(tree, half, |dof| places.place(dof));
                for k in t.trees[tree].first_dof..t.trees[tree].end_dof {
                    let half = &mut half[places.place(k)];
                    *half = *half * F4::splat(self.sqrt_dinv[k]);
                }
            }
        }
    }

    #[inline(always)]
    fn solve_half_swept(&mut self, t: &Topology, a: &Articulation) {
        for block in 0..self.count {
            let words = &self.bits[block * self.words..(block + 1) * self.words];
            let places = self.places[block];
            let mut descending = SetBitsDown::new(words).map(|place| (place, places.dof(place)));
            let mut sweep = PathSweep::new(a);
            let mut this = descending.next();
            while let Some((place, k)) = this {
                let next = descending.next();
                let at = block * self.width + place;
                let x = sweep.pass(k, &t.dofs[k], next.map(|(_, k)| k), self.jac[at]);
                self.half[at] = x * F4::splat(self.sqrt_dinv[k]);
                this = next;
            }
        }
    }

    #[inline(always)]
    fn solve_half_packed(&mut self, t: &Topology, m: &BranchMatrix) {
        let (dofs, sqrt_dinv) = (&t.dofs[..], &self.sqrt_dinv[..t.dofs.len()]);
        for block in 0..self.count {
            let at = block * self.width;
            let (jac, half) = (
                &self.jac[at..at + self.width],
                &mut self.half[at..at + self.width],
            );
            let words = &self.bits[block * self.words..(block + 1) * self.words];
            for place in SetBits::new(words.iter().copied()) {
                half[place] = jac[place];
            }
            let places = self.places[block];
            for place in SetBitsDown::new(words) {
                let k = places.dof(place);
                let (dof, shift) = (&dofs[k], k - place);
                let x = half[place];
                half[place] = x * sqrt_dinv[k];
                // A dof that is locked or of infinite inertia has an empty row.
                if sqrt_dinv[k] == 0.0 {
                    continue;
                }
                let mut a = dof.parent;
                for l in m.above(dof).iter().rev() {
                    half[a - shift] -= x * *l;
                    a = dofs[a].parent;
                }
            }
        }
    }

    /// The trees that a block touches.
    pub fn trees(&self, block: usize) -> [Option<usize>; 2] {
        self.trees[block]
    }

    /// The column of D^(−1/2) L⁻ᵀ Jᵀ at a dof that the block touches; after [`Rows::solve_half`].
    #[inline(always)]
    pub fn half(&self, block: usize, dof: usize) -> F4 {
        self.half[block * self.width + self.places[block].place(dof)]
    }

    /// The block (i, j) of G = J M⁻¹ Jᵀ of two blocks on the same trees: columns of up to three numbers;
    /// after [`Rows::solve_half`].
    #[inline(always)]
    pub fn delassus(&self, i: usize, j: usize) -> [F4; 3] {
        let hi = &self.half[i * self.width..][..self.width];
        let hj = &self.half[j * self.width..][..self.width];
        let mut g = [F4::ZERO; 3];
        let both = self.set(i).iter().zip(self.set(j)).map(|(a, b)| a & b);
        for run in Runs::new(both) {
            let [mut x, mut y, mut z] = g;
            for (a, b) in hi[run.clone()].iter().zip(&hj[run]) {
                x += *a * b.0[0];
                y += *a * b.0[1];
                z += *a * b.0[2];
            }
            // The compiler splits sums that two nested loops carry into single numbers, and would join and
            // split them in each turn.
            g = std::hint::black_box([x, y, z]);
        }
        g
    }

    /// The only row of block i of the block (i, j) of G: the numbers of [`Rows::delassus`] with one sum
    /// instead of three.
    #[inline(always)]
    pub fn delassus_row(&self, i: usize, j: usize) -> F4 {
        let hi = &self.half[i * self.width..][..self.width];
        let hj = &self.half[j * self.width..][..self.width];
        let mut g = F4::ZERO;
        let both = self.set(i).iter().zip(self.set(j)).map(|(a, b)| a & b);
        for run in Runs::new(both) {
            for (a, b) in hi[run.clone()].iter().zip(&hj[run]) {
                g += *b * F4::splat(a.0[0]);
            }
        }
        g
    }

    /// x += D^(−1/2) L⁻ᵀ Jᵀ λ of a block: the part of M⁻¹Jᵀλ that L⁻¹ D^(−1/2) completes.
    #[inline(always)]
    pub fn add_half(&self, block: usize, lambda: F4, x: &mut [f64]) {
        let half = &self.half[block * self.width..][..self.width];
        for (place, k) in self.entries(block) {
            let p = (half[place] * lambda).0;
            x[k] += p[0] + p[1] + p[2];
        }
    }

    /// x ← D^(−1/2) L⁻ᵀ x, the half of M⁻¹ x that [`Rows::complete`] completes.
    #[inline(always)]
    pub fn begin(&self, t: &Topology, m: &mut Factors, x: &mut [f64]) {
        m.solve_transposed(t, x);
        for (x, s) in x.iter_mut().zip(&self.sqrt_dinv) {
            *x *= s;
        }
    }

    /// x ← D^(1/2) L x, the coordinates of a velocity in which kinetic energy is half the square; after
    /// [`Rows::solve_half`]. A dof of infinite inertia has none.
    pub fn coordinates(&self, t: &Topology, m: &mut Factors, x: &mut [f64]) {
        let moves = |s: f64| s > 0.0;
        for (x, s) in x.iter_mut().zip(&self.sqrt_dinv) {
            *x = if moves(*s) { *x } else { 0.0 };
        }
        m.times_lower(t, x);
        for (x, s) in x.iter_mut().zip(&self.sqrt_dinv) {
            *x = if moves(*s) { *x / s } else { 0.0 };
        }
    }

    /// x ← L⁻¹ D^(−1/2) x.
    #[inline(always)]
    pub fn complete(&self, t: &Topology, m: &mut Factors, x: &mut [f64]) {
        for (x, s) in x.iter_mut().zip(&self.sqrt_dinv) {
            *x *= s;
        }
        m.solve_lower(t, x);
    }
}
