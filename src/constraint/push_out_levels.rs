//! The levels of stabilization of a step's regions: the level at which a region begins, the choice of the
//! law, and the level that the next round or step takes over.

use super::assemble::Constraints;
use super::regions::Region;
use super::stabilization::Stabilization;
use crate::contact::law::{Chosen, Start};
use crate::contact::push_out::PushOut;
use crate::error::Result;
use crate::model::topology::Topology;

impl Constraints {
    /// Splits the step into regions. Returns their number; at least one.
    ///
    /// # Errors
    /// `Internal` if a row acts on a tree that the model does not have.
    pub fn split(&mut self) -> Result<usize> {
        self.begin_problem();
        if self.regions.found.len() > 1 {
            let groups = self.groups();
            (self.regions).split(&self.rows, groups, self.desired)?;
        }
        Ok(self.regions.parts.len())
    }

    /// Makes requests act on this region. Returns the levels with which its stabilization may begin.
    pub fn enter(&mut self, t: &Topology, region: usize) -> Start {
        self.regions.now = region;
        let mut start = Start::NONE;
        let join = |start: &mut Start, tree: usize| {
            let jam = self.memory.jams[tree];
            if (jam.push_out, jam.steps) > (start.jam.push_out, start.jam.steps) {
                start.jam = jam;
            }
            start.begun = start.begun.max(self.regions.found[tree].begun);
        };
        if !self.regions.is_split() {
            (0..self.regions.found.len()).for_each(|tree| join(&mut start, tree));
            return start;
        }
        self.regions.moves.fill(false);
        self.regions.own_blocks.clear();
        self.regions.trees.clear();
        for k in 0..self.regions.count(self.groups()) {
            let group = self.regions.group(k);
            let rows = self.offsets[group + 1] - self.offsets[group];
            let first = self.block(group);
            let count = self.sources[group].blocks(rows);
            self.regions.own_blocks.extend(first..first + count);
            for tree in self.rows.trees(group).into_iter().flatten() {
                join(&mut start, tree);
                self.regions.trees.push(tree);
                let dofs = &t.trees[tree];
                self.regions.moves[dofs.first_dof..dofs.end_dof].fill(true);
            }
        }
        start
    }

    /// Stores the choice of the law for the present region.
    pub fn leave(&mut self, chosen: Chosen) {
        self.regions.present_mut().chosen = Some(chosen);
    }

    /// The groups of the present region.
    pub(super) fn present_groups(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        (0..self.regions.count(self.groups())).map(|k| self.regions.group(k))
    }

    /// The stabilization of a group in the last problem.
    #[inline(always)]
    pub(super) fn asked(&self, group: usize) -> &Stabilization {
        &self.regions.of(group).asked
    }

    /// The level that a slightly deeper penetration would have selected in a group's region, if it is
    /// another level.
    pub(super) fn beside(&self, group: usize) -> Option<PushOut> {
        self.regions.of(group).chosen.and_then(|c| c.beside)
    }

    /// True if some region of the last step was not taken with full stabilization.
    pub fn gave_up_push_out(&self) -> bool {
        let mut parts = self.regions.parts.iter();
        parts.any(|part| part.asked.push_out != PushOut::Full)
    }

    /// True if a step from a nearby state may take another level of stabilization for a tree: a problem at a
    /// higher level was not solved, which is known of this state alone, or a dof is closer than `near` to the
    /// speed from which it counts as thrown.
    pub fn may_change_level(&self, tree: usize, near: f64) -> bool {
        let found = &self.regions.found[tree];
        found.unsolved || found.throw_margin < near
    }

    /// Keeps the levels of this round for the label, and those below full as the first ones of the next
    /// round of this step.
    pub fn keep_levels(&mut self) {
        for group in 0..self.rows.in_use().min(self.groups()) {
            let Region { asked, chosen, .. } = *self.regions.of(group);
            for tree in self.rows.trees(group).into_iter().flatten() {
                let found = &mut self.regions.found[tree];
                found.begun = found.begun.max(asked.push_out);
                found.unsolved |= chosen.is_some_and(|c| c.unsolved);
            }
        }
    }

    /// Stores the level of a group's region for the next step.
    pub(super) fn keep_jam(&mut self, group: usize) {
        let Some(Chosen { jam, .. }) = self.regions.of(group).chosen else {
            return;
        };
        if group < self.rows.in_use() {
            for tree in self.rows.trees(group).into_iter().flatten() {
                self.memory.jams[tree] = jam;
            }
        }
    }
}
