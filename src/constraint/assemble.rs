//! From contacts, joints and equalities to the blocks of σ = G λ + g.
//!
//! Rows come in groups of up to three that share a panel of the Jacobian. A group is one block of the
//! problem, but for equalities: each of their rows is a block of its own. They come last, so that any
//! other group has the number of its block.

use super::compliance::Compliance;
use super::equality::{Equality, equalities};
use super::memory::{Key, Memory, Recall};
use super::rows::Rows;
use super::stabilization::{PushOut, Stabilization, Undoing};
use super::trees::Held;
use crate::collision::contact_frame;
use crate::collision::scene::Scene;
use crate::contact::convex::Regularization;
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Problem};
use crate::dynamics::factors::Factors;
use crate::dynamics::kinematics::Kinematics;
use crate::error::{Error, Result};
use crate::linalg::{F4, dispatch};
use crate::model::Model;
use crate::model::params::Params;
use crate::model::spec::JointKind;
use crate::model::topology::{LinkKind, Topology, WORLD};
use crate::spatial::{Mat3, Vec3};

/// Share of a point's distance from the origin of its tree below which a lever arm is round-off: a force through the axis
/// of a joint does not move it.
const ROUND_OFF: f64 = 1e-14;

/// Motion along a normal that is round-off beside that across it.
const UNFELT: f64 = 1e-12;

/// What a group of rows stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// Contact of the scene by index; one row (the normal) where it is frictionless.
    Contact(usize),
    /// A bound of a one-dof link: σ = `sign`·v.
    Limit { dof: usize, sign: f64 },
    /// Dry friction of a dof.
    Friction { dof: usize },
    /// A part of an equality, by index among [`Constraints::equalities`], and its violation.
    Equality { index: usize, error: Vec3 },
}

/// Bounds of a one-dof link that a step enforces.
#[derive(Clone, Copy, Debug)]
struct Limit {
    dof: usize,
    iq: usize,
    lower: f64,
    upper: f64,
    margin: f64,
    /// An angle, not a length.
    angular: bool,
}

/// The blocks of a step. Sized at creation.
#[derive(Debug)]
pub struct Constraints {
    limits: Vec<Limit>,
    friction: Vec<usize>,
    /// Per dof: whether an equality has a part in where it goes.
    coupled: Vec<bool>,
    pub equalities: Vec<Equality>,
    pub rows: Rows,
    /// The laws of this step, and those that were assembled ([`Constraints::stabilize`]).
    pub blocks: Vec<Block>,
    assembled: Vec<Block>,
    pub sources: Vec<Source>,
    /// First row of each group, and the number of rows at the end.
    pub offsets: Vec<usize>,
    /// Per group: contact frame [t₁ t₂ n], and gap or distance to the bound.
    pub frames: Vec<Mat3>,
    pub gaps: Vec<f64>,
    /// Per group: whether what may be violated is an angle.
    angular: Vec<bool>,
    pub g: Vec<f64>,
    pub(super) delassus: Held,
    pub lambda: Vec<f64>,
    pub modes: Vec<Mode>,
    /// Of the convex law.
    pub compliance: Option<Compliance>,
    pub(super) keys: Vec<Key>,
    pub(super) memory: Memory,
    max_rows: usize,
    max_blocks: usize,
}

impl Constraints {
    /// G is held `by_trees` always, or as `Held` says.
    ///
    /// # Errors
    /// `Unsupported` naming a joint whose bounds this version cannot enforce; `InvalidArgument` naming an
    /// equality that holds nothing.
    pub fn new(model: &Model, max_contacts: usize, by_trees: bool) -> Result<Self> {
        let t = model.topology();
        let equalities = equalities(model)?;
        let mut limits = Vec::new();
        for j in model.joints() {
            let Some((lower, upper)) = j.limits else {
                continue;
            };
            if j.nv != 1 || j.kind == JointKind::Continuous {
                return Err(Error::unsupported(format!(
                    "joint \"{}\": bounds on a {:?} joint are not enforced in this version",
                    j.name, j.kind
                )));
            }
            if lower.is_finite() || upper.is_finite() {
                limits.push(Limit {
                    dof: j.iv,
                    iq: j.iq,
                    lower,
                    upper,
                    margin: j.limit_margin,
                    angular: t.links[j.first_link].kind == LinkKind::Revolute,
                });
            }
        }
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
            angular: Vec::with_capacity(groups),
            g: Vec::with_capacity(max_rows),
            delassus: Held::new(t, by_trees, max_rows, max_blocks),
            lambda: Vec::with_capacity(max_rows),
            modes: Vec::with_capacity(max_blocks),
            compliance: None,
            keys: Vec::with_capacity(groups),
            memory: Memory::with_capacity(groups),
            limits,
            friction,
            coupled,
            equalities,
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

    /// The problem, its impulses and its modes.
    pub fn problem_and_solution(&mut self) -> (Problem<'_>, &mut [f64], &mut [Mode]) {
        (
            problem(&self.blocks, &self.delassus, &self.g),
            &mut self.lambda,
            &mut self.modes,
        )
    }

    /// The problem of the convex law with R of its blocks, its impulses and its modes.
    pub fn convex_problem_and_solution(
        &mut self,
    ) -> (Problem<'_>, &[Regularization], &mut [f64], &mut [Mode]) {
        let regularization = self
            .compliance
            .as_ref()
            .map_or(&[][..], |c| &c.regularization);
        (
            problem(&self.blocks, &self.delassus, &self.g),
            regularization,
            &mut self.lambda,
            &mut self.modes,
        )
    }

    fn start(&mut self) {
        self.rows.clear();
        self.assembled.clear();
        self.sources.clear();
        self.offsets.clear();
        self.offsets.push(0);
        self.frames.clear();
        self.gaps.clear();
        self.angular.clear();
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
            if let (Block::Contact { mu: 0.0 }, [.., x, y, _]) = (block, &mut self.lambda[..]) {
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
        reach: f64,
    ) {
        self.start();
        let t = model.topology();
        for (i, c) in scene.contacts().iter().enumerate() {
            let block = if c.condim == 1 {
                Block::Unilateral
            } else {
                let mu = c.friction.sliding(&params.geom_friction);
                Block::Contact { mu }
            };
            let frame = contact_frame(c.point.normal);
            let id = self.rows.push(t, c.link.map(|l| tip(t, l)));
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
        }
        for i in 0..self.limits.len() {
            let l = self.limits[i];
            for (bound, sign) in [(l.lower, 1.0), (l.upper, -1.0)] {
                let gap = sign * (q[l.iq] - bound);
                let speed = v[l.dof].abs().max(v_free[l.dof].abs());
                if gap <= l.margin + reach + 2.0 * h * speed {
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

    /// G; `m` must be factored.
    pub fn condense(&mut self, t: &Topology, m: &Factors) {
        let n = self.offsets.last().copied().unwrap_or(0);
        self.delassus.start(n);
        condense(self, t, m, n);
        self.fill_trees(t);
    }

    /// g = J v_free + stabilization, and the laws under it.
    pub fn stabilize(&mut self, v: &[f64], v_free: &[f64], s: &Stabilization) {
        let n = self.offsets.last().copied().unwrap_or(0);
        self.g.resize(n, 0.0);
        self.blocks.clone_from(&self.assembled);
        for i in 0..self.groups() {
            let range = self.range(i);
            let last = range.len() - 1;
            if self.leads(i, v, s) {
                self.blocks[i] = Block::Bilateral;
            }
            let own = self.stabilization(i, s);
            let undoing = match self.sources[i] {
                Source::Equality { error, .. } => Some(self.undoing(i, error, s)),
                _ => None,
            };
            let free = self.rows.times(i, v_free);
            let g = &mut self.g[range.clone()];
            g.copy_from_slice(&free.0[..=last]);
            match self.sources[i] {
                Source::Contact(_) | Source::Limit { .. } => {
                    let speed = if s.kd == 0.0 {
                        0.0
                    } else {
                        self.rows.times(i, v).0[last]
                    };
                    g[last] += own.term(self.gaps[i], speed);
                    if (own.slips(self.gaps[i]) || self.is_unfelt(i))
                        && let Block::Contact { mu } = &mut self.blocks[i]
                    {
                        *mu = 0.0;
                    }
                }
                Source::Equality { .. } => {
                    let term = undoing.map_or(Vec3::ZERO, |u| u.term());
                    for (g, x) in g.iter_mut().zip(term.to_array()) {
                        *g += x;
                    }
                }
                Source::Friction { .. } => {}
            }
        }
    }

    /// Whether no dof moves along the normal of a contact: it carries no load, and so has no friction, though any impulse
    /// there would do as well as none.
    fn is_unfelt(&self, group: usize) -> bool {
        let rows = self.range(group).len();
        rows == 3
            && self.rows.dofs(group).all(|k| {
                let [x, y, n, _] = self.rows.column(group, k).0;
                n.abs() <= UNFELT * x.abs().max(y.abs())
            })
    }

    /// R of all blocks for the convex law, after [`Constraints::assemble`]; `v` is the velocity before the step.
    pub fn regularize(&mut self, scene: &Scene, params: &Params, v: &[f64], s: &Stabilization) {
        let Some(mut compliance) = self.compliance.take() else {
            return;
        };
        compliance.clear();
        for (group, source) in self.sources.iter().enumerate() {
            let blocks = match source {
                Source::Equality { .. } => self.offsets[group + 1] - self.offsets[group],
                _ => 1,
            };
            let slip = match source {
                Source::Contact(_) => {
                    let [x, y, ..] = self.rows.times(group, v).0;
                    x.hypot(y)
                }
                _ => 0.0,
            };
            compliance.push((source, blocks), (self.gaps[group], slip), scene, params, s);
        }
        self.compliance = Some(compliance);
    }

    /// How the normal row of a group varies with its gap, at fixed impulse.
    pub fn by_gap(&self, group: usize, s: &Stabilization) -> f64 {
        let asked = self.stabilization(group, s).by_gap(self.gaps[group]);
        match (&self.compliance, self.normal_row(group)) {
            (Some(c), Some(row)) => asked + c.by_gap(group) * self.lambda[row],
            _ => asked,
        }
    }

    /// What is asked of the gap of a group.
    pub fn stabilization(&self, group: usize, s: &Stabilization) -> Stabilization {
        let led = matches!(self.sources[group], Source::Limit { .. })
            && self.blocks[group] == Block::Bilateral;
        let own = Stabilization {
            led,
            ..s.of(self.angular[group])
        };
        match &self.compliance {
            Some(c) => c.stabilization(group, &own),
            None => own,
        }
    }

    /// How the violation of an equality is undone.
    pub fn undoing(&self, group: usize, error: Vec3, s: &Stabilization) -> Undoing {
        match self.sources[group] {
            Source::Equality { index, .. } => {
                self.equalities[index].undoing(error, &s.of(self.angular[group]))
            }
            _ => s.undoing(error, [f64::INFINITY, 0.0]),
        }
    }

    /// Whether a passed limit is led back. One that an equality has a part in is pushed: two of these might be led to
    /// where no configuration is. So is a compliant one, which rests beyond its bound.
    fn leads(&self, group: usize, v: &[f64], s: &Stabilization) -> bool {
        let Source::Limit { dof, sign } = self.sources[group] else {
            return false;
        };
        self.compliance.is_none()
            && !self.coupled[dof]
            && s.of(self.angular[group])
                .leads(self.gaps[group], sign * v[dof])
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

    /// Distance of equalities, and of active contacts and limits, to the nearest kink of the stabilization, at gap zero and
    /// where the speed of pushing out reaches its bound, in units of the largest free velocity; infinite
    /// where it has none.
    pub fn kink_distance(&self, s: &Stabilization) -> f64 {
        let scale = self.g.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
        let distance = |b: usize| match self.sources[b] {
            Source::Friction { .. } => f64::INFINITY,
            Source::Equality { error, .. } => self.undoing(b, error, s).kink_distance,
            _ if self.modes[b] == Mode::Breaking => f64::INFINITY,
            _ => self.stabilization(b, s).kink_distance(self.gaps[b]),
        };
        (0..self.groups()).fold(f64::INFINITY, |m, b| m.min(distance(b) / scale))
    }

    /// What to ask of the gaps where this cannot be had; none where it asks nothing but not to close further.
    pub fn fallback(&self, s: &Stabilization) -> Option<PushOut> {
        let pushes = |s: &Stabilization| {
            (0..self.groups()).any(|b| self.normal_row(b).is_some() && s.pushes(self.gaps[b]))
        };
        let deep = PushOut::Deep;
        if !pushes(s) {
            None
        } else if s.push_out == PushOut::Full && pushes(&s.limited_to(deep)) {
            Some(deep)
        } else {
            Some(PushOut::None)
        }
    }

    /// A bound that `v_next` would pass by more than `tolerance` [rad or m] and that has no row yet.
    pub fn missed_limit(&self, q: &[f64], v_next: &[f64], h: f64, tolerance: f64) -> bool {
        self.limits.iter().any(|l| {
            let at = q[l.iq] + h * v_next[l.dof];
            [(l.lower, 1.0), (l.upper, -1.0)]
                .into_iter()
                .any(|(bound, sign)| {
                    let passed = sign * (at - bound) < -tolerance;
                    passed && !self.sources.contains(&Source::Limit { dof: l.dof, sign })
                })
        })
    }
}

fn problem<'a>(blocks: &'a [Block], delassus: &'a Held, g: &'a [f64]) -> Problem<'a> {
    Problem {
        blocks,
        delassus: delassus.values(),
        g,
    }
}

/// The last dof of a link, or the world.
pub(super) fn tip(t: &Topology, link: usize) -> usize {
    if link == WORLD {
        WORLD
    } else {
        t.links[link].iv + t.links[link].kind.nv() - 1
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
    let mut k = tip(t, link);
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

#[inline(always)]
fn condense_kernel(c: &mut Constraints, t: &Topology, m: &Factors, n: usize) {
    c.rows.solve_half(t, m);
    if !c.delassus.is_dense {
        return;
    }
    let dense = &mut c.delassus.dense;
    for i in 0..c.sources.len() {
        let rows = |k: usize| c.offsets[k]..c.offsets[k + 1];
        let ri = rows(i);
        for j in 0..=i {
            let rj = rows(j);
            // Column b of the block (i, j) in lanes.
            let g = c.rows.delassus(i, j);
            for (b, column) in rj.zip(&g) {
                for (a, x) in ri.clone().zip(&column.0) {
                    dense[b * n + a] = *x;
                    dense[a * n + b] = *x;
                }
            }
        }
    }
}

dispatch! {
    fn condense = condense_kernel(c: &mut Constraints, t: &Topology, m: &Factors, n: usize)
}
