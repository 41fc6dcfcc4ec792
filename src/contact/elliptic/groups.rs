//! Splits the blocks of a problem: each island with torsional or rolling friction is solved by itself,
//! all other islands together.

use crate::contact::capacity::Capacity;
use crate::contact::island::Islands;
use crate::contact::problem::{Block, Delassus, Problem};
use crate::error::Result;

/// The blocks of a problem. Sized at creation.
#[derive(Debug)]
pub(super) struct Groups {
    islands: Islands,
    /// All blocks, and the blocks of islands without torsional and rolling friction.
    all: Vec<usize>,
    pub plain: Vec<usize>,
    /// Numbers of the islands with torsional or rolling friction. A problem that is not stored by trees
    /// is one island.
    torsion: Vec<usize>,
    is_one: bool,
}

impl Groups {
    pub fn new(capacity: &Capacity) -> Groups {
        let Capacity { blocks, trees, .. } = *capacity;
        Groups {
            islands: Islands::new(trees, blocks),
            all: Vec::with_capacity(blocks),
            plain: Vec::with_capacity(blocks),
            torsion: Vec::with_capacity(blocks.max(1)),
            is_one: true,
        }
    }

    /// Errors: `Capacity`.
    pub fn split(&mut self, problem: &Problem) -> Result<()> {
        self.all.clear();
        self.all.extend(0..problem.blocks.len());
        self.plain.clear();
        self.torsion.clear();
        let Delassus::Trees(rows) = problem.delassus else {
            self.is_one = true;
            self.torsion.push(0);
            return Ok(());
        };
        self.is_one = false;
        self.islands
            .split(rows.trees(), &self.all, |b| rows.trees_of(b))?;
        let turns = |b: &usize| matches!(problem.blocks[*b], Block::Torsion { .. });
        for island in 0..self.islands.len() {
            let blocks = self.islands.blocks(island);
            match blocks.iter().any(turns) {
                true => self.torsion.push(island),
                false => self.plain.extend_from_slice(blocks),
            }
        }
        self.plain.sort_unstable();
        Ok(())
    }

    /// Number of islands with torsional or rolling friction.
    pub fn len(&self) -> usize {
        self.torsion.len()
    }

    /// Blocks of such an island, in increasing order.
    pub fn members(&self, k: usize) -> &[usize] {
        match self.is_one {
            true => &self.all,
            false => self.islands.blocks(self.torsion[k]),
        }
    }
}
