//! The problem σ = G λ + g that a step builds from contacts, joints and equalities.
//!
//! Rows come in groups of up to three that share a panel of the Jacobian. A group is one block of the
//! problem. The exception is an equality: each of its rows is a block. Equalities come last, so that the
//! number of any other group is the number of its block.

use super::compliance::Compliance;
use super::dof_pivots::DofBounds;
use super::equality::Equality;
use super::equality_list::{equalities, springs};
use super::held::Held;
use super::levers::{Bound, Levers};
use super::limits::misses;
use super::memory::{Key, Memory, Recall};
use super::rebound::Rebound;
use super::regions::Regions;
use super::rows::Rows;
use super::source::{Along, Source};
use super::stabilization::Stabilization;
use super::tendon_list::{Tendon, tendons};
use super::weights::Weights;
use crate::collision::scene::Scene;
use crate::contact::block::Cone;
use crate::contact::law::Posed;
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Problem};
use crate::error::Result;
use crate::linalg::F4;
use crate::model::Model;
use crate::model::limits::{Limit, SpeedLimit, keep_tightest, limits};
use crate::model::reduction::Reduction;
use crate::spatial::Mat3;
use crate::tendon::Paths;

/// The constraint problem of a step. Sized at creation.
#[derive(Debug)]
pub struct Constraints {
    pub(super) limits: Vec<Limit>,
    /// Per limit of a spherical joint that has a row: distance of its angle to a jump of the slopes [rad].
    pub(super) turn_margins: Vec<f64>,
    /// Limits of joint speeds, if the options ask for them.
    pub(super) speeds: Vec<SpeedLimit>,
    pub(super) friction: Vec<usize>,
    /// Per dof: dry friction by the load of its joint in this step [N or N m].
    pub(super) by_load: Vec<f64>,
    /// True for dofs whose dry friction is a known force of the step.
    pub(super) known: Vec<bool>,
    /// Per dof: true if its velocity is prescribed, so that no impulse changes it.
    pub(super) prescribed: Vec<bool>,
    /// Per dof: true while its bounds act without rows ([`Constraints::take_out`]).
    pub(super) alone: Vec<bool>,
    /// Per dof: true if an equality or the limit of a tendon depends on its coordinate.
    pub(super) coupled: Vec<bool>,
    pub equalities: Vec<Equality>,
    /// Springs, as equalities of two points.
    pub(super) springs: Vec<Equality>,
    pub(super) tendons: Vec<Tendon>,
    /// Distance of the tendons to a jump of their force [m].
    pub(super) pull_margin: f64,
    /// Per tendon: distance of its path to a jump of the slopes of its length [m].
    pub(super) path_margins: Vec<f64>,
    pub rows: Rows,
    /// The blocks of this step: with the present stabilization ([`Constraints::ask`]), and as assembled.
    pub blocks: Vec<Block>,
    pub(super) assembled: Vec<Block>,
    pub sources: Vec<Source>,
    /// First row of each group, and the number of rows at the end.
    pub offsets: Vec<usize>,
    /// Per group: contact frame [t₁ t₂ n], and gap or distance to the bound.
    pub frames: Vec<Mat3>,
    pub gaps: Vec<f64>,
    /// Per group: size of the two coordinates whose difference is the gap, for its round-off [m or rad].
    pub(super) places: Vec<f64>,
    /// Per group: its weight ([`Weights`](super::weights::Weights)); true if its violation is an angle;
    /// and, for contacts, the bound on the push-out speed.
    pub(super) group_weights: Vec<f64>,
    pub(super) angular: Vec<bool>,
    pub(super) bounds: Vec<Bound>,
    /// Per contact. The groups of contacts come first.
    pub(super) rebounds: Vec<Rebound>,
    /// True if the normal row of J of some contact is zero.
    pub(super) has_zero_normals: bool,
    pub g: Vec<f64>,
    pub(super) delassus: Held,
    pub lambda: Vec<f64>,
    /// Per block.
    pub modes: Vec<Mode>,
    /// The friction cone of the contacts.
    pub cone: Cone,
    /// Only with the convex law.
    pub compliance: Option<Compliance>,
    pub(super) keys: Vec<Key>,
    pub memory: Memory,
    /// The last solution within this step, from which the next solve of this step starts (a step is
    /// repeated if contacts were missed).
    round: Memory,
    in_round: bool,
    /// Bounds of single dofs, for models whose other rows are all contacts.
    pub(super) dofs: Option<Box<DofBounds>>,
    /// True while the groups have neither Jacobians nor G ([`Constraints::complete`]).
    pub(super) is_deferred: bool,
    pub levers: Levers,
    pub weights: Weights,
    /// R per row, if rows are compliant ([`PushOut::Soft`](crate::contact::push_out::PushOut::Soft)).
    pub(super) softness: Vec<f64>,
    /// The stabilization with which every step begins, and the regions with those of the last step.
    pub(super) desired: Stabilization,
    pub(super) regions: Regions,
    /// Impulses and modes from which solves start ([`Constraints::recall`]), by groups.
    guess: Vec<([f64; 3], Mode)>,
    /// True if some region of this step was posed.
    pub(super) is_begun: bool,
    max_rows: usize,
    max_blocks: usize,
    /// Contacts with torsional or rolling friction.
    pub(super) max_torsion: usize,
}

impl Constraints {
    /// With `by_trees`, or torsional friction, G is always stored by trees; otherwise `Held` decides.
    ///
    /// # Errors
    /// `Unsupported` naming a joint whose bounds are not supported, or a tendon that joins more than two
    /// trees; `InvalidArgument` naming an equality without effect.
    pub fn new(
        model: &Model,
        scene: &Scene,
        paths: &Paths,
        max_contacts: usize,
        by_trees: bool,
        speeds: Vec<SpeedLimit>,
        desired: Stabilization,
    ) -> Result<Self> {
        let t = model.topology();
        let equalities = equalities(model)?;
        let mut limits = limits(model)?;
        let friction: Vec<usize> = (0..t.nv())
            .filter(|&k| model.params().friction_loss[k] > 0.0 || model.has_load_friction(k))
            .collect();
        let coupled = (0..t.nv()).map(|k| equalities.iter().any(|e| e.moves_with(t, paths, k)));
        let mut coupled: Vec<bool> = coupled.collect();
        let mut shared = coupled.clone();
        limits
            .iter()
            .for_each(|l| shared[l.dof..l.dof + l.nv()].fill(true));
        let tendons = tendons(model, paths, &shared)?;
        for (i, tendon) in tendons.iter().enumerate() {
            if tendon.is_limited() {
                paths.support(i).iter().for_each(|k| coupled[*k] = true);
            }
        }
        let springs: Vec<Equality> = springs(model, model.params()).collect();
        let held = equalities.iter().chain(&springs);
        let bilateral: usize = held.map(Equality::rows).sum();
        // Both bounds of a joint have rows if the joint may cross its whole range within a step.
        let bounds = limits.iter().flat_map(|l| [l.lower, l.upper]);
        let single = bounds.filter(|b| b.is_finite()).count() + friction.len();
        if let Some(r) = model.reduction() {
            keep_tightest(model, r, &mut limits)?;
        }
        let single = single + tendons.iter().map(Tendon::most_rows).sum::<usize>();
        let single = single + 2 * speeds.len();
        let torsion = if scene.turns() { max_contacts } else { 0 };
        let max_rows = 3 * (max_contacts + torsion) + single + bilateral;
        let max_blocks = max_contacts + torsion + single + bilateral;
        let groups = max_contacts + torsion + single + equalities.len() + springs.len();
        Ok(Constraints {
            rows: Rows::new(t, groups),
            blocks: Vec::with_capacity(max_blocks),
            assembled: Vec::with_capacity(max_blocks),
            sources: Vec::with_capacity(groups),
            offsets: Vec::with_capacity(groups + 1),
            frames: Vec::with_capacity(groups),
            gaps: Vec::with_capacity(groups),
            places: Vec::with_capacity(groups),
            group_weights: Vec::with_capacity(groups),
            angular: Vec::with_capacity(groups),
            bounds: Vec::with_capacity(groups),
            rebounds: Vec::with_capacity(max_contacts),
            has_zero_normals: false,
            g: Vec::with_capacity(max_rows),
            // The rigid law brings torsional rows to their contacts.
            delassus: Held::new(t, by_trees || scene.turns(), max_rows, max_blocks),
            lambda: Vec::with_capacity(max_rows),
            modes: Vec::with_capacity(max_blocks),
            cone: Cone::Circular,
            compliance: None,
            keys: Vec::with_capacity(groups),
            memory: Memory::with_capacity(t.trees.len(), groups),
            round: Memory::with_capacity(t.trees.len(), groups),
            in_round: false,
            dofs: None,
            is_deferred: false,
            weights: Weights::new(model, scene, &equalities, paths, &tendons, &limits),
            turn_margins: vec![0.0; limits.iter().filter(|l| l.turn.is_some()).count()],
            softness: Vec::with_capacity(max_rows),
            limits,
            speeds,
            friction,
            by_load: vec![0.0; t.nv()],
            known: vec![false; t.nv()],
            prescribed: vec![false; t.nv()],
            alone: vec![false; t.nv()],
            coupled,
            equalities,
            springs,
            path_margins: vec![f64::INFINITY; tendons.len()],
            tendons,
            pull_margin: f64::INFINITY,
            levers: Levers::new(model, [desired.max_push_out, desired.max_push_out_angle]),
            regions: Regions::new(t, groups, max_blocks, desired),
            guess: Vec::with_capacity(groups),
            is_begun: false,
            desired,
            max_rows,
            max_blocks,
            max_torsion: torsion,
        })
    }

    /// Takes the bounds that hold with other reductions.
    ///
    /// # Errors
    /// As [`keep_tightest`]. Then the bounds stay.
    pub fn reduce(&mut self, model: &Model, reduction: &Reduction) -> Result<()> {
        let mut own = limits(model)?;
        keep_tightest(model, reduction, &mut own)?;
        self.limits = own;
        Ok(())
    }

    /// True if the bound of a dof belongs to two joints that follow the same coordinate.
    pub fn is_tied(&self, dof: usize, sign: f64) -> bool {
        let mut own = self.limits.iter().filter(|l| l.dof == dof);
        own.any(|l| l.tied[usize::from(sign < 0.0)])
    }

    /// Sets the dry friction of a dof by the load of its joint [N or N m]; `None` for a dof whose friction is
    /// a known force, and has no row.
    pub fn set_friction_by_load(&mut self, dof: usize, friction: Option<f64>) {
        self.by_load[dof] = friction.unwrap_or(0.0);
        self.known[dof] = friction.is_none();
    }

    /// The group of the dry friction of a dof.
    pub fn friction_group(&self, dof: usize) -> Option<usize> {
        let is_own =
            |s: &Source| matches!(s, Source::Friction { along: Along::Dof(k) } if *k == dof);
        self.sources.iter().position(is_own)
    }

    /// The impulse of the dry friction of a dof; 0 if it has no row.
    pub fn friction_impulse(&self, dof: usize) -> f64 {
        let group = self.friction_group(dof);
        group.map_or(0.0, |group| self.lambda[self.offsets[group]])
    }

    /// Number of rows of the largest problem whose G is dense.
    pub fn max_dense(&self) -> usize {
        self.delassus.max_dense()
    }

    /// True if some problem is stored by trees.
    pub fn may_be_by_trees(&self) -> bool {
        self.delassus.by_trees.is_some()
    }

    pub fn max_rows(&self) -> usize {
        self.max_rows
    }

    pub fn max_blocks(&self) -> usize {
        self.max_blocks
    }

    pub fn max_groups(&self) -> usize {
        self.rows.capacity()
    }

    /// Number of groups of the step.
    pub fn groups(&self) -> usize {
        self.sources.len()
    }

    /// Rows of a group.
    #[inline(always)]
    pub fn range(&self, group: usize) -> std::ops::Range<usize> {
        self.offsets[group]..self.offsets[group + 1]
    }

    /// The block of a group; the first block of an equality.
    pub(super) fn block(&self, group: usize) -> usize {
        match self.sources[group] {
            // The blocks from here on have one row.
            Source::Equality { .. } | Source::Spring { .. } => {
                let rows = self.offsets[self.groups()];
                self.assembled.len() - (rows - self.offsets[group])
            }
            _ => group,
        }
    }

    /// The equality or spring of a group.
    pub fn equality(&self, group: usize) -> Option<&Equality> {
        match self.sources[group] {
            Source::Equality { index, .. } => self.equalities.get(index),
            Source::Spring { index, .. } => self.springs.get(index),
            _ => None,
        }
    }

    /// The problem as the solver takes it.
    pub fn problem(&self) -> Problem<'_> {
        problem(&self.blocks, &self.delassus, &self.g)
    }

    /// The problem with the guess of its solution, which the solution replaces. `kept` is
    /// [`Posed::kept`].
    pub fn posed<'a>(&'a mut self, kept: &'a [f64]) -> Posed<'a> {
        let compliance = self.compliance.as_ref();
        Posed {
            problem: problem(&self.blocks, &self.delassus, &self.g),
            blocks: self.regions.blocks(),
            regularization: compliance.map_or(&[], |c| &c.regularization),
            kept,
            lambda: &mut self.lambda,
            modes: &mut self.modes,
        }
    }

    /// Stores the present solution as the start of the next solves, until [`Constraints::begin`].
    pub fn keep_round(&mut self) {
        std::mem::swap(&mut self.memory, &mut self.round);
        self.remember(true);
        std::mem::swap(&mut self.memory, &mut self.round);
        self.in_round = true;
    }

    /// Makes problems start from the last step again.
    pub fn begin(&mut self) {
        self.in_round = false;
        self.regions.begin();
    }

    /// Reads the impulses and modes of the last solution of this step, or of the last step, for the groups
    /// that it had.
    pub(super) fn recall(&mut self) {
        let mut recall = Recall::of(match self.in_round {
            true => &self.round,
            false => &self.memory,
        });
        self.guess.clear();
        self.guess
            .extend(self.keys.iter().map(|key| recall.group(*key)));
        self.lambda.clear();
        self.lambda.resize(self.g.len(), 0.0);
        self.modes.clear();
        self.modes.resize(self.assembled.len(), Mode::Unknown);
    }

    /// Guesses the impulses and modes of the region from those of the last solution of this step, or of the
    /// last step.
    pub fn warm_start(&mut self) {
        for k in 0..self.regions.count(self.groups()) {
            let group = self.regions.group(k);
            let (impulse, mode) = self.guess[group];
            let (range, first) = (self.range(group), self.block(group));
            let (rows, block) = (range.len(), self.blocks[first]);
            let lambda = &mut self.lambda[range];
            lambda.copy_from_slice(&impulse[..rows]);
            if let (Block::Contact { mu: 0.0 } | Block::Pyramid { mu: 0.0 }, [x, y, _]) =
                (block, lambda)
            {
                (*x, *y) = (0.0, 0.0);
            }
            let mode = if mode.fits(block) {
                mode
            } else {
                Mode::Unknown
            };
            let count = rows / block.rows();
            self.modes[first..first + count].fill(mode);
        }
    }

    /// Stores impulses and modes for the next step, and the levels of the regions. `converged`: the solution
    /// of the step did. If it did not, the solutions of regions that did are stored; the impulses of the
    /// others may be far off, and the next step starts better without them.
    pub fn remember(&mut self, converged: bool) {
        self.memory.start(&self.keys);
        for group in 0..self.groups() {
            let solved = converged || self.regions.is_solved(group);
            let entry = match solved {
                true => {
                    let [x, y, z, _] = self.impulse(group).0;
                    (self.modes[self.block(group)], [x, y, z])
                }
                false => Default::default(),
            };
            self.memory.push(entry.0, entry.1);
            if solved {
                self.keep_jam(group);
            }
        }
    }

    /// True if `v_next` passes, by more than `tolerance` [rad or m], a bound that has no row yet.
    pub fn missed_limit(
        &self,
        paths: &Paths,
        q: &[f64],
        v_next: &[f64],
        h: f64,
        tolerance: f64,
    ) -> bool {
        let limits = self.limits.iter().filter(|l| self.may_bind(l));
        misses(limits, &self.sources, paths, q, v_next, h, tolerance)
            || self.misses_tendon(paths, v_next, h, tolerance)
            || self.misses_speed(v_next, tolerance / h)
    }

    /// The row of the group that may only open: the normal of a contact, or the row of a limit.
    pub fn normal_row(&self, group: usize) -> Option<usize> {
        match self.sources[group] {
            Source::Contact(_) | Source::Limit { .. } => Some(self.offsets[group + 1] - 1),
            _ => None,
        }
    }

    /// Impulses of a group in three lanes.
    #[inline(always)]
    pub fn impulse(&self, group: usize) -> F4 {
        let mut l = F4::ZERO;
        for (l, x) in l.0.iter_mut().zip(&self.lambda[self.range(group)]) {
            *l = *x;
        }
        l
    }
}

fn problem<'a>(blocks: &'a [Block], delassus: &'a Held, g: &'a [f64]) -> Problem<'a> {
    Problem {
        blocks,
        delassus: delassus.values(),
        g,
    }
}
