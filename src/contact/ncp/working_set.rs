//! The blocks that a solve includes: blocks that were active, blocks that the motion without impulses would
//! violate, and blocks that an earlier solution of this step violates. The other blocks have no impulse.
//! Most predicted contacts of falling bodies never close; without them the problem splits into smaller
//! islands.

use super::modes::largest;
use crate::contact::digits::SLOWEST;
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Problem};
use crate::contact::whitened_jacobian::WhitenedJacobian;

/// A block is left out only if it separates at least at this velocity, scaled as margins are. Blocks that
/// may be at a switch are therefore included.
const OPENING: f64 = 1e-6;

/// After this many extensions by violated blocks, all blocks are included.
const EXTENSIONS: usize = 8;

/// Sized at creation.
#[derive(Debug)]
pub(super) struct WorkingSet {
    inside: Vec<bool>,
    /// The included blocks, in increasing order.
    blocks: Vec<usize>,
    /// True for blocks that the last extension added.
    is_new: Vec<bool>,
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
            extensions: 0,
            z: vec![[0.0]; max_coordinates],
        }
    }

    /// Starts with the blocks that are active in `modes` and those that do not open without impulses.
    pub fn start(&mut self, problem: &Problem, rows: &WhitenedJacobian, modes: &[Mode]) {
        let unit = unit(problem);
        self.inside.clear();
        for (b, (block, mode)) in problem.blocks.iter().zip(modes).enumerate() {
            let held = !matches!(mode, Mode::Breaking | Mode::Unknown);
            let opening = opening(*block, &problem.g[rows.range(b)]) / unit;
            self.inside.push(held || opening <= OPENING);
        }
        self.is_new.clone_from(&self.inside);
        self.extensions = 0;
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
        let z = &mut self.z[..rows.coordinates()];
        z.fill([0.0]);
        for &b in &self.blocks {
            rows.add_transposed(b, lambda[rows.range(b)].as_chunks().0, z);
        }
        let unit = unit(problem);
        let mut margin = f64::INFINITY;
        self.is_new.fill(false);
        for (b, block) in problem.blocks.iter().enumerate() {
            if self.inside[b] {
                continue;
            }
            let mut sigma = rows.times(b, z).map(|x| x[0]);
            let range = rows.range(b);
            let n = range.len();
            for (s, g) in sigma.iter_mut().zip(&problem.g[range]) {
                *s += g;
            }
            let opening = opening(*block, &sigma[..n]) / unit;
            margin = margin.min(opening);
            self.is_new[b] = opening <= OPENING;
        }
        if !self.is_new.contains(&true) {
            return Some(margin);
        }
        let all = self.extensions == EXTENSIONS;
        self.extensions += 1;
        for (inside, is_new) in self.inside.iter_mut().zip(&mut self.is_new) {
            *is_new |= all && !*inside;
            *inside |= *is_new;
        }
        self.list();
        None
    }

    /// Adds the left-out blocks that are `wanted`.
    pub fn take_in(&mut self, mut wanted: impl FnMut(usize) -> bool) {
        for (b, (inside, is_new)) in self.inside.iter_mut().zip(&mut self.is_new).enumerate() {
            *is_new = !*inside && wanted(b);
            *inside |= *is_new;
        }
        self.list();
    }

    fn list(&mut self) {
        self.blocks.clear();
        let inside = self
            .inside
            .iter()
            .enumerate()
            .filter(|(_, inside)| **inside);
        self.blocks.extend(inside.map(|(b, _)| b));
    }
}

/// Velocity at which a block separates; −∞ for a block that never does.
fn opening(block: Block, sigma: &[f64]) -> f64 {
    match (block, sigma) {
        (Block::Contact { .. } | Block::Pyramid { .. }, [_, _, s]) | (Block::Unilateral, [s]) => *s,
        _ => f64::NEG_INFINITY,
    }
}

/// The velocity that counts as one.
fn unit(problem: &Problem) -> f64 {
    largest(problem.g).max(SLOWEST)
}
