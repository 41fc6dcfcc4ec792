//! Constraint Jacobians by blocks of up to three rows, one panel of four lanes per dof.
//!
//! A block touches the dofs between its links and the world; a bit per dof says which. Panels of
//! other dofs are never read, so nothing is cleared between steps.

use crate::dynamics::mass::BranchMatrix;
use crate::linalg::F4;
use crate::model::topology::{Topology, WORLD};

/// Which dofs a block touches.
#[derive(Clone, Debug)]
pub struct DofSet {
    words: usize,
    bits: Vec<u64>,
}

impl DofSet {
    fn of(&self, block: usize) -> &[u64] {
        &self.bits[block * self.words..(block + 1) * self.words]
    }
}

/// The set bits of a word list in increasing order. An iterator, because a closure would be compiled
/// apart from the kernel that it stands in, for the baseline.
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

/// Jacobians of all blocks, and their products with the inverse of M.
#[derive(Clone, Debug)]
pub struct Rows {
    nv: usize,
    count: usize,
    set: DofSet,
    /// Trees that a block touches.
    trees: Vec<[Option<usize>; 2]>,
    /// Per block and dof: the column of J in lanes 0–2.
    jac: Vec<F4>,
    /// Per block and dof: D^(−1/2) L⁻ᵀ Jᵀ, on the same dofs.
    half: Vec<F4>,
    sqrt_dinv: Vec<f64>,
}

impl Rows {
    pub fn new(nv: usize, max_blocks: usize) -> Self {
        let words = nv.div_ceil(64).max(1);
        Rows {
            nv,
            count: 0,
            trees: vec![[None; 2]; max_blocks],
            set: DofSet {
                words,
                bits: vec![0; words * max_blocks],
            },
            jac: F4::zeros(nv * max_blocks),
            half: F4::zeros(nv * max_blocks),
            sqrt_dinv: vec![0.0; nv],
        }
    }

    pub fn capacity(&self) -> usize {
        self.set.bits.len() / self.set.words
    }

    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Starts a block that touches all dofs from each of `tips` to the world, with a zero Jacobian.
    pub fn push(&mut self, t: &Topology, tips: [usize; 2]) -> usize {
        let block = self.count;
        self.count += 1;
        let tree = |tip: usize| (tip != WORLD).then(|| t.links[t.dofs[tip].link].tree);
        let [a, b] = tips.map(tree);
        self.trees[block] = if a == b { [a, None] } else { [a, b] };
        let words = self.set.words;
        let bits = &mut self.set.bits[block * words..(block + 1) * words];
        bits.fill(0);
        for tip in tips {
            let mut k = tip;
            while k != WORLD && bits[k / 64] >> (k % 64) & 1 == 0 {
                bits[k / 64] |= 1 << (k % 64);
                self.jac[block * self.nv + k] = F4::ZERO;
                k = t.dofs[k].parent;
            }
        }
        block
    }

    /// The column of a block at a dof that it touches.
    #[inline(always)]
    pub fn column_mut(&mut self, block: usize, dof: usize) -> &mut F4 {
        &mut self.jac[block * self.nv + dof]
    }

    #[inline(always)]
    pub fn column(&self, block: usize, dof: usize) -> F4 {
        self.jac[block * self.nv + dof]
    }

    /// The dofs of a block in increasing order.
    #[inline(always)]
    pub fn dofs(&self, block: usize) -> SetBits<impl Iterator<Item = u64>> {
        SetBits::new(self.set.of(block).iter().copied())
    }

    /// J x of a block.
    #[inline(always)]
    pub fn times(&self, block: usize, x: &[f64]) -> F4 {
        let jac = &self.jac[block * self.nv..][..self.nv];
        let mut sum = F4::ZERO;
        for k in self.dofs(block) {
            sum += jac[k] * F4::splat(x[k]);
        }
        sum
    }

    /// The product of a block's D^(−1/2) L⁻ᵀ Jᵀ, transposed, with x; after [`Rows::solve_half`].
    #[inline(always)]
    pub fn times_half(&self, block: usize, x: &[f64]) -> F4 {
        let half = &self.half[block * self.nv..][..self.nv];
        let mut sum = F4::ZERO;
        for k in self.dofs(block) {
            sum += half[k] * F4::splat(x[k]);
        }
        sum
    }

    /// y += Jᵀ λ of a block.
    #[inline(always)]
    pub fn add_transposed(&self, block: usize, lambda: F4, y: &mut [f64]) {
        let jac = &self.jac[block * self.nv..][..self.nv];
        for k in self.dofs(block) {
            let p = (jac[k] * lambda).0;
            y[k] += p[0] + p[1] + p[2];
        }
    }

    /// Solves D^(−1/2) L⁻ᵀ Jᵀ for all blocks; `m` must be factored.
    #[inline(always)]
    pub fn solve_half(&mut self, t: &Topology, m: &BranchMatrix) {
        for (s, d) in self.sqrt_dinv.iter_mut().zip(&m.dinv) {
            *s = d.sqrt();
        }
        for block in 0..self.count {
            let at = block * self.nv;
            let (jac, half) = (
                &self.jac[at..at + self.nv],
                &mut self.half[at..at + self.nv],
            );
            let set = self.set.of(block);
            for k in SetBits::new(set.iter().copied()) {
                half[k] = jac[k];
            }
            for w in (0..set.len()).rev() {
                let mut bits = set[w];
                while bits != 0 {
                    let top = 63 - bits.leading_zeros() as usize;
                    bits &= !(1 << top);
                    let k = 64 * w + top;
                    let dof = &t.dofs[k];
                    let row = m.row(dof);
                    let x = half[k];
                    let mut a = dof.parent;
                    for d in (0..dof.depth).rev() {
                        half[a] -= x * F4::splat(row[d]);
                        a = t.dofs[a].parent;
                    }
                    half[k] = x * F4::splat(self.sqrt_dinv[k]);
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
        self.half[block * self.nv + dof]
    }

    /// The block (i, j) of G = J M⁻¹ Jᵀ: columns of up to three numbers; after [`Rows::solve_half`].
    #[inline(always)]
    pub fn delassus(&self, i: usize, j: usize) -> [F4; 3] {
        let hi = &self.half[i * self.nv..][..self.nv];
        let hj = &self.half[j * self.nv..][..self.nv];
        let mut g = [F4::ZERO; 3];
        let both = self
            .set
            .of(i)
            .iter()
            .zip(self.set.of(j))
            .map(|(a, b)| a & b);
        for k in SetBits::new(both) {
            let (a, b) = (hi[k], hj[k].0);
            for (g, b) in g.iter_mut().zip(b) {
                *g += a * F4::splat(b);
            }
        }
        g
    }

    /// x += D^(−1/2) L⁻ᵀ Jᵀ λ of a block: the part of M⁻¹Jᵀλ that L⁻¹ D^(−1/2) completes.
    #[inline(always)]
    pub fn add_half(&self, block: usize, lambda: F4, x: &mut [f64]) {
        let half = &self.half[block * self.nv..][..self.nv];
        for k in self.dofs(block) {
            let p = (half[k] * lambda).0;
            x[k] += p[0] + p[1] + p[2];
        }
    }

    /// x ← D^(−1/2) L⁻ᵀ x, the half of M⁻¹ x that [`Rows::complete`] completes.
    #[inline(always)]
    pub fn begin(&self, t: &Topology, m: &BranchMatrix, x: &mut [f64]) {
        m.solve_transposed(t, x);
        for (x, s) in x.iter_mut().zip(&self.sqrt_dinv) {
            *x *= s;
        }
    }

    /// x ← L⁻¹ D^(−1/2) x.
    #[inline(always)]
    pub fn complete(&self, t: &Topology, m: &BranchMatrix, x: &mut [f64]) {
        for (x, s) in x.iter_mut().zip(&self.sqrt_dinv) {
            *x *= s;
        }
        m.solve_lower(t, x);
    }
}
