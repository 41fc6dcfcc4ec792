//! The blocks that a solve includes: blocks that were active, blocks that the motion without impulses would
//! violate, and blocks that an earlier solution of this step violates. The other blocks have no impulse.
//! Most predicted contacts of falling bodies never close; without them the problem splits into smaller
//! islands.

use super::modes::largest;
use crate::contact::digits::SLOWEST;
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Problem};
use crate::contact::tuning::{LEFT_OUT_EXTENSIONS, LEFT_OUT_OPENING};
use crate::contact::whitened_jacobian::WhitenedJacobian;

/// Sized at creation.
#[derive(Debug)]
pub(super) struct WorkingSet {
    inside: Vec<bool>,
    /// The included blocks, in the order of `region`.
    blocks: Vec<usize>,
    /// True for blocks that the last extension added.
    is_new: Vec<bool>,
    /// The blocks of the region that is solved, in increasing order, but torsional rows directly before
    /// their contact.
    region: Vec<usize>,
    extensions: usize,
    /// A velocity of all trees, in their coordinates.
    z: Vec<[f64; 1]>,
}

impl WorkingSet {
    pub fn new(max_blocks: usize, max_coordinates: usize) -> WorkingSet {
        WorkingSet {
            inside: Vec::with_capacity(max_blocks),
            blocks: Vec::with_capacity(max_blocks),
            is_new: Vec::with_capacity(max_blocks),
            region: Vec::with_capacity(max_blocks),
            extensions: 0,
            z: vec![[0.0]; max_coordinates],
        }
    }

    /// Begins a problem with this number of blocks. None is included.
    pub fn begin(&mut self, blocks: usize) {
        self.inside.clear();
        self.inside.resize(blocks, false);
        self.is_new.clone_from(&self.inside);
        self.region.clear();
        self.list();
    }

    /// Starts a region, or the whole problem (`None`), with the blocks that are active in `modes` and those
    /// that do not open without impulses.
    pub fn start(
        &mut self,
        problem: &Problem,
        rows: &WhitenedJacobian,
        modes: &[Mode],
        region: Option<&[usize]>,
    ) {
        self.region.clear();
        match region {
            Some(blocks) => self.region.extend_from_slice(blocks),
            None => self.region.extend(0..problem.blocks.len()),
        }
        sort_by_laws(problem.blocks, &mut self.region);
        let unit = self.unit(problem, rows);
        for &b in &self.region {
            let of = contact_of(problem.blocks, b);
            let held = !matches!(modes[of], Mode::Breaking | Mode::Unknown);
            let opening = opening(problem.blocks[of], &problem.g[rows.range(of)]) / unit;
            self.inside[b] = held || opening <= LEFT_OUT_OPENING;
            self.is_new[b] = self.inside[b];
        }
        self.extensions = 0;
        self.list();
    }

    /// The velocity that counts as one.
    fn unit(&self, problem: &Problem, rows: &WhitenedJacobian) -> f64 {
        let own = self
            .region
            .iter()
            .map(|b| largest(&problem.g[rows.range(*b)]));
        own.fold(SLOWEST, f64::max)
    }

    /// The blocks of the region.
    pub fn region(&self) -> &[usize] {
        &self.region
    }

    /// Lists the included blocks of all regions.
    pub fn list_all(&mut self, problem: &Problem) {
        self.region.clear();
        self.region.extend(0..self.inside.len());
        sort_by_laws(problem.blocks, &mut self.region);
        self.list();
    }

    pub fn blocks(&self) -> &[usize] {
        &self.blocks
    }

    /// Whether the block came with the last extension, or at the start if there was none.
    pub fn is_new(&self, block: usize) -> bool {
        self.is_new[block]
    }

    /// Adds the blocks that do not open under the impulses. If there are none, returns the distance of the
    /// left-out blocks from closing, scaled.
    pub fn extend(
        &mut self,
        problem: &Problem,
        rows: &WhitenedJacobian,
        lambda: &[f64],
    ) -> Option<f64> {
        let unit = self.unit(problem, rows);
        let (z, starts) = (&mut self.z[..rows.coordinates()], rows.starts());
        for &b in &self.region {
            for tree in rows.trees_of(b).into_iter().flatten() {
                z[starts[tree]..starts[tree + 1]].fill([0.0]);
            }
        }
        for &b in &self.blocks {
            rows.add_transposed(b, lambda[rows.range(b)].as_chunks().0, z);
        }
        let (mut margin, mut any) = (f64::INFINITY, false);
        for &b in &self.region {
            self.is_new[b] = false;
            if self.inside[b] {
                continue;
            }
            let of = contact_of(problem.blocks, b);
            let mut sigma = rows.times(of, z).map(|x| x[0]);
            let range = rows.range(of);
            let n = range.len();
            for (s, g) in sigma.iter_mut().zip(&problem.g[range]) {
                *s += g;
            }
            let opening = opening(problem.blocks[of], &sigma[..n]) / unit;
            margin = margin.min(opening);
            self.is_new[b] = opening <= LEFT_OUT_OPENING;
            any |= self.is_new[b];
        }
        if !any {
            return Some(margin);
        }
        let all = self.extensions == LEFT_OUT_EXTENSIONS;
        self.extensions += 1;
        for &b in &self.region {
            self.is_new[b] |= all && !self.inside[b];
            self.inside[b] |= self.is_new[b];
        }
        self.list();
        None
    }

    /// Adds the left-out blocks that are `wanted`.
    pub fn take_in(&mut self, mut wanted: impl FnMut(usize) -> bool) {
        for &b in &self.region {
            self.is_new[b] = !self.inside[b] && wanted(b);
            self.inside[b] |= self.is_new[b];
        }
        self.list();
    }

    fn list(&mut self) {
        self.blocks.clear();
        let inside = self.region.iter().filter(|b| self.inside[**b]);
        self.blocks.extend(inside);
    }
}

/// The contact of a block of torsional rows; for other blocks the block itself.
fn contact_of(blocks: &[Block], block: usize) -> usize {
    match blocks[block] {
        Block::Torsion { contact, .. } => contact,
        _ => block,
    }
}

/// Sorts blocks by their number, but torsional rows directly before their contact.
pub(super) fn sort_by_laws(blocks: &[Block], order: &mut [usize]) {
    let is_torsion = |b: &usize| matches!(blocks[*b], Block::Torsion { .. });
    let is_sorted = order.is_sorted() && !order.iter().any(is_torsion);
    if !is_sorted {
        order.sort_unstable_by_key(|b| (contact_of(blocks, *b), !is_torsion(b)));
    }
}

/// Velocity at which a block separates; −∞ for a block that never does.
fn opening(block: Block, sigma: &[f64]) -> f64 {
    match (block, sigma) {
        (Block::Contact { .. } | Block::Pyramid { .. }, [_, _, s]) | (Block::Unilateral, [s]) => *s,
        _ => f64::NEG_INFINITY,
    }
}
