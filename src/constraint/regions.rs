//! Splits the problem of a step into regions that no row joins. Each region has its own level of
//! stabilization: jammed bodies become compliant, and bodies elsewhere stay rigid.

use super::rows::Rows;
use super::stabilization::Stabilization;
use crate::contact::island::Islands;
use crate::contact::law::Chosen;
use crate::contact::push_out::PushOut;
use crate::error::Result;
use crate::model::topology::Topology;

/// The stabilization of one region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    /// The stabilization of its last problem.
    pub asked: Stabilization,
    /// The result of the law, if it chose a level.
    pub chosen: Option<Chosen>,
    /// True if the region was posed.
    pub is_posed: bool,
}

/// The regions of a step. Sized at creation.
#[derive(Debug)]
pub(super) struct Regions {
    islands: Islands,
    /// One entry for each region; a single one if the problem is not split.
    pub parts: Vec<Region>,
    /// Per group: its region. Empty if the problem is not split: all groups then belong to the first region.
    of_group: Vec<usize>,
    /// The region on which requests act.
    pub now: usize,
    /// The blocks of that region, if the problem is split, and its trees.
    pub own_blocks: Vec<usize>,
    pub trees: Vec<usize>,
    /// Per dof: true if it belongs to that region.
    pub moves: Vec<bool>,
    /// Per tree: the results of earlier rounds and problems of this step.
    pub found: Vec<Found>,
}

/// The results of a step's problems for a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// The level of an earlier round of this step; full if there was none.
    pub begun: PushOut,
    /// True if a problem at a higher level than the solution's was not solved.
    pub unsolved: bool,
    /// The least distance of the solutions from throwing a body, or from not throwing it
    /// ([`Constraints::throws`]).
    pub throw_margin: f64,
}

impl Found {
    const NOTHING: Found = Found {
        begun: PushOut::Full,
        unsolved: false,
        throw_margin: f64::INFINITY,
    };
}

impl Regions {
    pub fn new(t: &Topology, groups: usize, blocks: usize, desired: Stabilization) -> Regions {
        let mut own = Regions {
            islands: Islands::new(t.trees.len(), groups),
            parts: Vec::with_capacity(groups.max(1)),
            of_group: Vec::with_capacity(groups),
            now: 0,
            own_blocks: Vec::with_capacity(blocks),
            moves: vec![true; t.nv()],
            trees: Vec::with_capacity(2 * groups.max(t.trees.len())),
            found: vec![Found::NOTHING; t.trees.len()],
        };
        own.join(desired);
        own
    }

    /// Makes all groups one region with the stabilization `desired`.
    pub fn join(&mut self, desired: Stabilization) {
        self.of_group.clear();
        self.parts.clear();
        self.parts.push(Region {
            asked: desired,
            chosen: None,
            is_posed: false,
        });
        self.now = 0;
        self.moves.fill(true);
        self.trees.clear();
        self.trees.extend(0..self.found.len());
    }

    /// Begins a step: no round came before.
    pub fn begin(&mut self) {
        self.found.fill(Found::NOTHING);
    }

    /// Takes the distance of a solution of the present region from throwing a body.
    pub fn approach_throw(&mut self, margin: f64) {
        for tree in &self.trees {
            let own = &mut self.found[*tree].throw_margin;
            *own = own.min(margin);
        }
    }

    /// The least distance of the step's solutions from throwing a body, or from not throwing it.
    pub fn throw_margin(&self) -> f64 {
        let own = self.found.iter().map(|found| found.throw_margin);
        own.fold(f64::INFINITY, f64::min)
    }

    /// Splits these groups where no row joins their trees.
    pub fn split(&mut self, rows: &Rows, groups: usize, desired: Stabilization) -> Result<()> {
        self.join(desired);
        self.of_group.extend(0..groups);
        let trees = self.found.len();
        let split = self
            .islands
            .split(trees, &self.of_group, |group| rows.trees(group));
        if split.is_err() || self.islands.len() < 2 {
            self.of_group.clear();
            return split;
        }
        for region in 0..self.islands.len() {
            for &group in self.islands.blocks(region) {
                self.of_group[group] = region;
            }
        }
        let first = self.parts[0];
        self.parts.resize(self.islands.len(), first);
        Ok(())
    }

    /// True if the problem is split, and the solution of a group's region converged.
    pub fn is_solved(&self, group: usize) -> bool {
        self.is_split() && self.of(group).chosen.is_some_and(|c| c.solved)
    }

    pub fn is_split(&self) -> bool {
        !self.of_group.is_empty()
    }

    /// Number of groups of the present region, out of this number in all.
    pub fn count(&self, groups: usize) -> usize {
        match self.is_split() {
            true => self.islands.blocks(self.now).len(),
            false => groups,
        }
    }

    /// A group of the present region.
    pub fn group(&self, k: usize) -> usize {
        match self.is_split() {
            true => self.islands.blocks(self.now)[k],
            false => k,
        }
    }

    #[inline(always)]
    pub fn of(&self, group: usize) -> &Region {
        &self.parts[self.of_group.get(group).copied().unwrap_or(0)]
    }

    pub fn present(&self) -> &Region {
        &self.parts[self.now]
    }

    pub fn present_mut(&mut self) -> &mut Region {
        &mut self.parts[self.now]
    }

    /// The blocks of the present region; `None` if these are all blocks.
    pub fn blocks(&self) -> Option<&[usize]> {
        self.is_split().then_some(&self.own_blocks)
    }
}
