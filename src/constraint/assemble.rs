//! From contacts, joints and equalities to the blocks of σ = G λ + g.
//!
//! Rows come in groups of up to three that share a panel of the Jacobian. A group is one block of the
//! problem, but for equalities: each of their rows is a block of its own. They come last, so that any
//! other group has the number of its block.

use super::compliance::Compliance;
use super::equality::Equality;
use super::equality_list::equalities;
use super::held::Held;
use super::levers::{Bound, Levers};
use super::limits::misses;
use super::memory::{Key, Memory, Recall};
use super::rebound::{Rebound, of_pair};
use super::rows::Rows;
use super::source::Source;
use super::stabilization::Stabilization;
use super::weights::Weights;
use crate::collision::contact_frame;
use crate::collision::scene::Scene;
use crate::contact::block::Cone;
use crate::contact::law::Posed;
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Problem};
use crate::contact::push_out::Jam;
use crate::dynamics::kinematics::Kinematics;
use crate::error::Result;
use crate::linalg::F4;
use crate::model::Model;
use crate::model::limits::{Limit, limits};
use crate::model::params::Params;
use crate::model::topology::{Topology, WORLD};
use crate::spatial::{Mat3, Vec3};

/// Share of a point's distance from the origin of its tree below which a lever arm is round-off: a force through the axis
/// of a joint does not move it.
const ROUND_OFF: f64 = 1e-14;

/// The blocks of a step. Sized at creation.
#[derive(Debug)]
pub struct Constraints {
    pub(super) limits: Vec<Limit>,
    friction: Vec<usize>,
    /// Per dof: whether an equality has a part in where it goes.
    pub(super) coupled: Vec<bool>,
    pub equalities: Vec<Equality>,
    pub rows: Rows,
    /// The laws of this step, and those that were assembled ([`Constraints::stabilize`]).
    pub blocks: Vec<Block>,
    pub(super) assembled: Vec<Block>,
    pub sources: Vec<Source>,
    /// First row of each group, and the number of rows at the end.
    pub offsets: Vec<usize>,
    /// Per group: contact frame [t₁ t₂ n], and gap or distance to the bound.
    pub frames: Vec<Mat3>,
    pub gaps: Vec<f64>,
    /// Per group: its weight; whether what may be violated is an angle, and the bound on its speed of push-out, of contacts.
    pub(super) group_weights: Vec<f64>,
    pub(super) angular: Vec<bool>,
    pub(super) bounds: Vec<Bound>,
    /// Of contacts, whose groups come first.
    pub(super) rebounds: Vec<Rebound>,
    pub g: Vec<f64>,
    pub(super) delassus: Held,
    pub lambda: Vec<f64>,
    /// By blocks.
    pub modes: Vec<Mode>,
    /// What friction impulses of contacts are in.
    pub cone: Cone,
    /// Of the convex law.
    pub compliance: Option<Compliance>,
    pub(super) keys: Vec<Key>,
    pub memory: Memory,
    pub levers: Levers,
    pub weights: Weights,
    /// R by rows, where rows yield ([`PushOut::Soft`](crate::contact::push_out::PushOut::Soft)).
    pub(super) softness: Vec<f64>,
    /// What every step begins with, and what the last one ended with.
    pub(super) desired: Stabilization,
    pub(super) asked: Stabilization,
    max_rows: usize,
    max_blocks: usize,
}

impl Constraints {
    /// G is held `by_trees` always, or as `Held` says.
    ///
    /// # Errors
    /// `Unsupported` naming a joint whose bounds this version cannot enforce; `InvalidArgument` naming an
    /// equality that holds nothing.
    pub fn new(
        model: &Model,
        scene: &Scene,
        max_contacts: usize,
        by_trees: bool,
        desired: Stabilization,
    ) -> Result<Self> {
        let t = model.topology();
        let equalities = equalities(model)?;
        let limits = limits(model)?;
        let friction: Vec<usize> = (0..t.nv())
            .filter(|&k| model.params().friction_loss[k] > 0.0)
            .collect();
        let coupled = (0..t.nv()).map(|k| equalities.iter().any(|e| e.moves_with(t, k)));
        let coupled = coupled.collect();
        let bilateral: usize = equalities.iter().map(Equality::rows).sum();
        // A joint fast enough to cross its whole range in a step meets both of its bounds.
        let bounds = limits.iter().flat_map(|l| [l.lower, l.upper]);
        let single = bounds.filter(|b| b.is_finite()).count() + friction.len();
        let max_rows = 3 * max_contacts + single + bilateral;
        let max_blocks = max_contacts + single + bilateral;
        let groups = max_contacts + single + equalities.len();
        Ok(Constraints {
            rows: Rows::new(t, groups),
            blocks: Vec::with_capacity(max_blocks),
            assembled: Vec::with_capacity(max_blocks),
            sources: Vec::with_capacity(groups),
            offsets: Vec::with_capacity(groups + 1),
            frames: Vec::with_capacity(groups),
            gaps: Vec::with_capacity(groups),
            group_weights: Vec::with_capacity(groups),
            angular: Vec::with_capacity(groups),
            bounds: Vec::with_capacity(groups),
            rebounds: Vec::with_capacity(max_contacts),
            g: Vec::with_capacity(max_rows),
            delassus: Held::new(t, by_trees, max_rows, max_blocks),
            lambda: Vec::with_capacity(max_rows),
            modes: Vec::with_capacity(max_blocks),
            cone: Cone::Circular,
            compliance: None,
            keys: Vec::with_capacity(groups),
            memory: Memory::with_capacity(groups),
            weights: Weights::new(model, scene, &equalities),
            softness: Vec::with_capacity(max_rows),
            limits,
            friction,
            coupled,
            equalities,
            levers: Levers::new(model, [desired.max_push_out, desired.max_push_out_angle]),
            desired,
            asked: desired,
            max_rows,
            max_blocks,
        })
    }

    /// Rows of the largest problem whose G is dense.
    pub fn max_dense(&self) -> usize {
        self.delassus.max_dense()
    }

    /// Whether any problem is held by trees.
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

    /// The block of a group, the first one of an equality's.
    pub(super) fn block(&self, group: usize) -> usize {
        match self.sources[group] {
            // Only one-row blocks follow.
            Source::Equality { .. } => {
                let rows = self.offsets[self.groups()];
                self.assembled.len() - (rows - self.offsets[group])
            }
            _ => group,
        }
    }

    /// The problem in the solver's terms.
    pub fn problem(&self) -> Problem<'_> {
        problem(&self.blocks, &self.delassus, &self.g)
    }

    /// The problem with the guess of its solution, in whose place the solution goes; `kept` as [`Posed::kept`].
    pub fn posed<'a>(&'a mut self, kept: &'a [f64]) -> Posed<'a> {
        let compliance = self.compliance.as_ref();
        Posed {
            problem: problem(&self.blocks, &self.delassus, &self.g),
            regularization: compliance.map_or(&[], |c| &c.regularization),
            kept,
            lambda: &mut self.lambda,
            modes: &mut self.modes,
        }
    }

    fn start(&mut self) {
        self.rows.clear();
        self.assembled.clear();
        self.sources.clear();
        self.offsets.clear();
        self.offsets.push(0);
        self.frames.clear();
        self.gaps.clear();
        self.group_weights.clear();
        self.angular.clear();
        self.bounds.clear();
        self.rebounds.clear();
        self.g.clear();
        self.keys.clear();
    }

    /// Appends a group of `count` blocks of one law.
    fn push(
        &mut self,
        (block, count): (Block, usize),
        source: Source,
        frame: Mat3,
        (gap, angular): (f64, bool),
        key: Key,
    ) {
        let rows = count * block.rows();
        self.sources.push(source);
        let at = self.offsets.last().copied().unwrap_or(0);
        self.offsets.push(at + rows);
        self.frames.push(frame);
        self.gaps.push(gap);
        self.angular.push(angular);
        let bound = match source {
            Source::Contact(_) => {
                let group = self.bounds.len();
                self.levers.bound(&self.rows, group, rows - 1, gap)
            }
            _ => self.levers.own(),
        };
        self.bounds.push(bound);
        self.assembled.extend(std::iter::repeat_n(block, count));
        self.keys.push(key);
    }

    /// Impulses and modes of the last step, where it had the same groups.
    pub fn warm_start(&mut self) {
        self.lambda.clear();
        self.modes.clear();
        let mut recall = Recall::of(&self.memory);
        for (group, key) in self.keys.iter().enumerate() {
            let (impulse, mode) = recall.group(*key);
            let rows = self.offsets[group + 1] - self.offsets[group];
            self.lambda.extend_from_slice(&impulse[..rows]);
            let block = self.blocks[self.modes.len()];
            if let (Block::Contact { mu: 0.0 } | Block::Pyramid { mu: 0.0 }, [.., x, y, _]) =
                (block, &mut self.lambda[..])
            {
                (*x, *y) = (0.0, 0.0);
            }
            let mode = if mode.fits(block) {
                mode
            } else {
                Mode::Unknown
            };
            let count = rows / block.rows();
            self.modes.extend(std::iter::repeat_n(mode, count));
        }
    }

    /// Keeps the impulses and modes for the next step, and what steps came to up to this one.
    pub fn remember(&mut self, jam: Jam) {
        self.memory.start(jam, &self.keys);
        for group in 0..self.groups() {
            let [x, y, z, _] = self.impulse(group).0;
            let mode = self.modes[self.block(group)];
            self.memory.push(mode, [x, y, z]);
        }
    }

    /// Rows of all contacts of the scene, of limits within reach, of dry friction and of equalities.
    /// `v_free` is the velocity at the end of the step without any impulse.
    pub fn assemble(
        &mut self,
        model: &Model,
        params: &Params,
        kin: &Kinematics,
        scene: &Scene,
        q: &[f64],
        v: &[f64],
        v_free: &[f64],
        h: f64,
        speculative_margin: f64,
    ) {
        self.start();
        let t = model.topology();
        for (i, c) in scene.contacts().iter().enumerate() {
            let block = if c.condim == 1 {
                Block::Unilateral
            } else {
                let mu = c.friction.sliding(&params.geom_friction);
                self.cone.block(mu)
            };
            let frame = contact_frame(c.point.normal);
            let id = self.rows.push(t, c.link.map(|l| t.tip(l)));
            for (link, sign) in [(c.link[1], 1.0), (c.link[0], -1.0)] {
                if link != WORLD {
                    let p = c.point.point - kin.origin[t.links[link].tree];
                    add_point_rows(&mut self.rows, t, kin, id, link, p, &frame, sign, block);
                }
            }
            let key = Key {
                kind: 0,
                a: c.pair_key(),
                feature: c.identity(),
            };
            self.push(
                (block, 1),
                Source::Contact(i),
                frame,
                (c.point.gap, false),
                key,
            );
            let (e, _) = of_pair(&params.geom_restitution, c.geom);
            let mut rebound = Rebound::default();
            // What yields by its compliance has dissipation instead.
            if e > 0.0 && self.compliance.is_none() {
                let normal = block.rows() - 1;
                let [speed, free] = [v, v_free].map(|v| self.rows.times(id, v).0[normal]);
                (rebound.e, rebound.speed) = (e, speed);
                rebound.opening = c.point.gap / h + free;
            }
            self.rebounds.push(rebound);
        }
        for i in 0..self.limits.len() {
            let l = self.limits[i];
            for (bound, sign) in [(l.lower, 1.0), (l.upper, -1.0)] {
                let gap = sign * (q[l.iq] - bound);
                let speed = v[l.dof].abs().max(v_free[l.dof].abs());
                if gap <= l.margin + speculative_margin + 2.0 * h * speed {
                    let side = u32::from(sign < 0.0);
                    let key = Key {
                        kind: 1 + side,
                        a: l.dof as u32,
                        feature: 0,
                    };
                    self.push_dof(
                        t,
                        l.dof,
                        sign,
                        Block::Unilateral,
                        Source::Limit { dof: l.dof, sign },
                        (gap, l.angular),
                        key,
                    );
                }
            }
        }
        for i in 0..self.friction.len() {
            let dof = self.friction[i];
            let key = Key {
                kind: 3,
                a: dof as u32,
                feature: 0,
            };
            let bound = h * params.friction_loss[dof];
            self.push_dof(
                t,
                dof,
                1.0,
                Block::Box { bound },
                Source::Friction { dof },
                (0.0, false),
                key,
            );
        }
        for index in 0..self.equalities.len() {
            let e = self.equalities[index];
            let error = e.fill(t, kin, q, &mut self.rows);
            let key = Key {
                kind: 4,
                a: index as u32,
                feature: 0,
            };
            self.push(
                (Block::Bilateral, e.rows()),
                Source::Equality { index, error },
                Mat3::IDENTITY,
                (0.0, e.is_angular(t)),
                key,
            );
        }
        let weights = self.sources.iter().map(|s| self.weights.of(s, scene));
        self.group_weights.extend(weights);
    }

    fn push_dof(
        &mut self,
        t: &Topology,
        dof: usize,
        sign: f64,
        block: Block,
        source: Source,
        gap: (f64, bool),
        key: Key,
    ) {
        let id = self.rows.push(t, [dof, WORLD]);
        *self.rows.column_mut(id, dof) = F4([sign, 0.0, 0.0, 0.0]);
        self.push((block, 1), source, Mat3::IDENTITY, gap, key);
    }

    /// A bound that `v_next` would pass by more than `tolerance` [rad or m] and that has no row yet.
    pub fn missed_limit(&self, q: &[f64], v_next: &[f64], h: f64, tolerance: f64) -> bool {
        misses(&self.limits, &self.sources, q, v_next, h, tolerance)
    }

    /// Row of the group that may only open: the normal of a contact, the limit itself.
    pub fn normal_row(&self, group: usize) -> Option<usize> {
        match self.sources[group] {
            Source::Friction { .. } | Source::Equality { .. } => None,
            _ => Some(self.offsets[group + 1] - 1),
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

/// Adds ±Rᵀ J(p) of a link's point, relative to the tree's origin, to a block.
#[inline(always)]
fn add_point_rows(
    rows: &mut Rows,
    t: &Topology,
    kin: &Kinematics,
    block: usize,
    link: usize,
    p: Vec3,
    frame: &Mat3,
    sign: f64,
    law: Block,
) {
    let distance = p.norm();
    let mut k = t.tip(link);
    while k != WORLD {
        let s = kin.s[k];
        let noise = ROUND_OFF * (s.lin.norm() + s.ang.norm() * distance);
        let flush = |x: f64| if x.abs() <= noise { 0.0 } else { x };
        let u = frame.tr_mul_vec(s.at(p)) * sign;
        let u = Vec3::new(flush(u.x), flush(u.y), flush(u.z));
        *rows.column_mut(block, k) += if law.rows() == 3 {
            F4([u.x, u.y, u.z, 0.0])
        } else {
            F4([u.z, 0.0, 0.0, 0.0])
        };
        k = t.dofs[k].parent;
    }
}
