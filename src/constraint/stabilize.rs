//! Sets the biases of the rows, which undo violations: g = J v_free + bias. Also sets the block and the
//! compliance of each group.
//!
//! The laws call it through `Request`; [`Constraints::assemble`] has filled the rows before.

use super::assemble::Constraints;
use super::source::{Along, Source};
use super::stabilization::{Stabilization, Undoing};
use crate::collision::scene::Scene;
use crate::contact::mode::Mode;
use crate::contact::problem::Block;
use crate::contact::push_out::PushOut;
use crate::linalg::{DIGITS, largest};
use crate::model::params::Params;
use crate::spatial::Vec3;

/// Compliance of a contact below full stabilization, in units of its weight. With a third of it, piles of 80
/// bodies take three times as much work and leave steps unsolved; with five times as much, robots that fall
/// sink by millimetres and stay jammed longer.
const SOFT: f64 = 0.01;

/// Compliance of the tangents of a compliant contact, in units of that of its normal.
const CREEP: f64 = 0.3;

/// A normal row of J below this, relative to the tangential rows, is round-off of zero.
const ZERO_NORMAL: f64 = 1e-12;

/// A variation of the normal row below this, relative to the tangential rows, counts as zero.
const FIXED: f64 = 1e-9;

/// Distances of a group to the kinks of the stabilization.
#[derive(Clone, Copy, Debug)]
pub struct Kinks {
    /// Kinks by the group's own gap.
    pub gap: f64,
    /// Kinks by the configuration, also that of other bodies.
    pub path: f64,
    /// The switch between rebound and no rebound, by the gap and the speed of approach.
    pub rebound: f64,
}

impl Kinks {
    const NONE: Kinks = Kinks {
        gap: f64::INFINITY,
        path: f64::INFINITY,
        rebound: f64::INFINITY,
    };

    fn nearest(&self) -> f64 {
        self.gap.min(self.path).min(self.rebound)
    }
}

impl Constraints {
    /// Sets the gains K_p and K_d of all following steps.
    pub fn set_gains(&mut self, kp: f64, kd: f64) {
        (self.desired.kp, self.desired.kd) = (kp, kd);
    }

    /// Poses the present region with this level of stabilization: sets g = J v_free + bias, and the blocks.
    pub fn ask(&mut self, push_out: PushOut, v: &[f64], v_free: &[f64]) {
        self.regions.present_mut().asked = self.desired.limited_to(push_out);
        self.pose(v, v_free);
    }

    /// Poses the region's last problem again with biases of at most `least_bias` [m/s or rad/s] set to zero.
    pub fn drop_biases(&mut self, least_bias: f64, v: &[f64], v_free: &[f64]) {
        self.regions.present_mut().asked.least_bias = least_bias;
        self.pose(v, v_free);
    }

    /// True if some bias of the region is nonzero, all of them at most `least_bias` [m/s or
    /// rad/s].
    pub fn has_small_biases(&self, least_bias: f64) -> bool {
        let mut any = false;
        for i in self.present_groups() {
            let undone = match self.sources[i] {
                Source::Contact(_) | Source::Limit { .. } => {
                    let own = self.stabilization(i, self.asked(i));
                    let term = own.term(self.gaps[i], 0.0);
                    any |= term != 0.0 && term.abs() <= least_bias;
                    -term
                }
                Source::Equality { error, .. } => {
                    let speed = self.undoing(i, error, self.asked(i)).term().norm();
                    any |= speed != 0.0 && speed <= least_bias;
                    speed
                }
                _ => continue,
            };
            if undone > least_bias {
                return false;
            }
        }
        any
    }

    /// Fills g and the blocks of the present region for its stabilization.
    fn pose(&mut self, v: &[f64], v_free: &[f64]) {
        let asked = self.regions.present().asked;
        let s = &asked;
        let fastest = largest(v).max(largest(v_free));
        let h = self.time_step();
        self.begin_problem();
        let again = std::mem::replace(&mut self.regions.present_mut().is_posed, true);
        for k in 0..self.regions.count(self.groups()) {
            let i = self.regions.group(k);
            let range = self.range(i);
            let last = range.len() - 1;
            if again {
                let first = self.block(i);
                let blocks = first..first + self.sources[i].blocks(range.len());
                self.blocks[blocks.clone()].copy_from_slice(&self.assembled[blocks]);
            }
            if self.leads(i, v, s) {
                self.blocks[i] = Block::Bilateral;
            }
            let free = self.rows.times(i, v_free).0;
            match self.sources[i] {
                Source::Contact(_) | Source::Limit { .. } => {
                    let own = self.stabilization(i, s);
                    let speed = if s.kd == 0.0 {
                        0.0
                    } else {
                        self.rows.times(i, v).0[last]
                    };
                    let mut term = own.term(self.gaps[i], speed);
                    if let Some(r) = self.rebounds.get_mut(i).filter(|r| r.e > 0.0) {
                        r.holds = r.prevails(self.gaps[i], s, term);
                        if r.holds {
                            term = r.term();
                        }
                    }
                    let has_zero_normal = self.has_zero_normal(i);
                    self.has_zero_normals |= has_zero_normal;
                    let g = &mut self.g[range];
                    g.copy_from_slice(&free[..=last]);
                    // A zero row of J gets no push-out.
                    g[last] += match has_zero_normal && self.compliance.is_none() {
                        true => term.max(0.0),
                        false => term,
                    };
                    // A g that is round-off counts as zero: the row is at a switch and has no load.
                    let rest = DIGITS * (self.places[i] / h + fastest);
                    if g[last].abs() <= rest {
                        g[last] = 0.0;
                    }
                    if own.slips(self.gaps[i], has_zero_normal)
                        && let Block::Contact { mu } | Block::Pyramid { mu } = &mut self.blocks[i]
                    {
                        *mu = 0.0;
                    }
                }
                Source::Equality { error, .. } => {
                    let term = self.undoing(i, error, s).term().to_array();
                    for ((g, free), x) in self.g[range].iter_mut().zip(free).zip(term) {
                        *g = free + x;
                    }
                }
                Source::Friction { .. } | Source::Torsion(_) => {
                    self.g[range].copy_from_slice(&free[..=last]);
                }
                Source::Speed { limit, .. } => self.g[range][0] = free[0] + limit,
                Source::Path { elastic, .. } => {
                    self.g[range][0] = free[0] + elastic.by_elongation() * self.gaps[i];
                }
                Source::Spring { error, elastic, .. } => {
                    let term = (error * elastic.by_elongation()).to_array();
                    for ((g, free), x) in self.g[range].iter_mut().zip(free).zip(term) {
                        *g = free + x;
                    }
                }
            }
        }
        self.soften(s);
    }

    /// Begins the problem of the groups of this step, unless a region is already posed.
    pub(super) fn begin_problem(&mut self) {
        if self.is_begun {
            return;
        }
        let n = self.offsets.last().copied().unwrap_or(0);
        self.g.resize(n, 0.0);
        self.blocks.clone_from(&self.assembled);
        self.is_begun = true;
        self.softness.clear();
        self.has_zero_normals = false;
        self.recall();
    }

    /// Sets the compliance R of the compliant rows of the present region.
    ///
    /// Springs have their own R. Below full stabilization all contacts, passed limits and all equalities have
    /// an R in proportion to their weight. Contacts have it whatever their gap: the impulses of a jam are
    /// then unique, and do not jump when a gap closes. On rows of lengths, R is bounded: at the impulse that
    /// carries the weight of all bodies, R λ is at most half of the push-out speed. A body therefore sinks
    /// only if joints bound its push-out below that speed. The tangents of a contact have a smaller R
    /// (`CREEP`).
    fn soften(&mut self, s: &Stabilization) {
        let yields = s.push_out != PushOut::Full;
        // Compliant contact has its own R, which is not part of G.
        if self.compliance.is_none() && (yields || self.has_springs()) {
            self.softness.resize(self.g.len(), 0.0);
            for k in 0..self.regions.count(self.groups()) {
                let group = self.regions.group(k);
                let (range, source) = (self.range(group), &self.sources[group]);
                let weight = self.group_weights[group];
                let r = match source {
                    Source::Path { elastic, .. } | Source::Spring { elastic, .. } => {
                        self.softness[range].fill(elastic.compliance());
                        continue;
                    }
                    _ if !yields => 0.0,
                    Source::Contact(_) if self.has_zero_normal(group) => 0.0,
                    Source::Contact(_) => SOFT * weight,
                    Source::Limit { .. } if self.gaps[group] < 0.0 => weight,
                    Source::Equality { .. } => weight,
                    // The same R as on the tangents of its contact.
                    Source::Torsion(_) => CREEP * SOFT * weight,
                    _ => 0.0,
                };
                let r = match (self.angular[group], source) {
                    (true, Source::Torsion(_)) => {
                        r.min(CREEP * 0.5 * s.max_push_out / self.weights.load(s.h))
                    }
                    (true, _) => r,
                    (false, _) => r.min(0.5 * s.max_push_out / self.weights.load(s.h)),
                };
                let tangent = match source {
                    Source::Contact(_) => CREEP * r,
                    _ => r,
                };
                let normal = range.end - 1;
                self.softness[range].fill(tangent);
                self.softness[normal] = r;
            }
            self.delassus.set_compliance(&self.softness);
        }
    }

    /// True if a row of the group is compliant.
    pub fn yields(&self, group: usize) -> bool {
        let own = self.softness.get(self.range(group));
        self.compliance.is_some() || own.is_some_and(|r| r.iter().any(|r| *r != 0.0))
    }

    /// True if the step has rows of springs or of elastic tendons.
    pub fn has_springs(&self) -> bool {
        self.sources.iter().any(|s| s.elastic().is_some())
    }

    /// True if the normal row of a contact is zero up to round-off: no dof moves the bodies along the
    /// normal. Any normal impulse would solve the problem. The contact is taken to carry no load, and so to
    /// have no friction.
    fn has_zero_normal(&self, group: usize) -> bool {
        let mut dofs = self.rows.dofs(group);
        self.range(group).len() == 3 && dofs.all(|k| self.moves_across(group, k))
    }

    /// True if a dof moves the bodies of a contact only across its normal, up to round-off.
    pub(super) fn moves_across(&self, group: usize, dof: usize) -> bool {
        let column = &self.rows.column(group, dof).0[..self.range(group).len()];
        let Some((normal, tangents)) = column.split_last() else {
            return true;
        };
        let across = tangents.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        normal.abs() <= ZERO_NORMAL * across
    }

    /// True if a contact has no friction in this step, even if its coefficient is positive.
    pub fn slips(&self, group: usize) -> bool {
        let own = self.stabilization(group, self.asked(group));
        own.slips(self.gaps[group], self.has_zero_normal(group))
    }

    /// True if the problem has a contact whose normal row is zero.
    pub fn has_zero_normals(&self) -> bool {
        self.has_zero_normals
    }

    /// True if friction begins at a nearby state: the normal row of a contact is zero here, but not after a
    /// small displacement.
    ///
    /// `v_end` is the velocity at the end of the step. `varied` is the variation of J x, for a velocity
    /// x of size about one, along a displacement of size about one.
    pub fn has_friction_beside(&self, v_end: &[f64], varied: &[f64]) -> bool {
        (0..self.groups()).any(|group| {
            let (Block::Contact { mu } | Block::Pyramid { mu }) = self.assembled[group] else {
                return false;
            };
            let last = self.range(group).end - 1;
            let [x, y, ..] = self.rows.times(group, v_end).0;
            // A compliant contact that slides opens at μ‖v_T‖.
            let glides = match self.compliance {
                Some(_) => mu * x.hypot(y),
                None => 0.0,
            };
            let across = self.rows.dofs(group).map(|k| {
                let [x, y, ..] = self.rows.column(group, k).0;
                x.abs().max(y.abs())
            });
            self.is_freed(group)
                && self.g[last] <= glides
                && varied[last].abs() > FIXED * across.fold(0.0, f64::max)
        })
    }

    fn is_freed(&self, group: usize) -> bool {
        let own = || self.stabilization(group, self.asked(group));
        match self.assembled[group] {
            Block::Contact { mu } | Block::Pyramid { mu } => {
                mu > 0.0 && self.has_zero_normal(group) && !own().slips(self.gaps[group], false)
            }
            _ => false,
        }
    }

    /// Sets R of all blocks for the convex law. Call it after [`Constraints::assemble`]. `v` is the
    /// velocity before the step.
    pub fn regularize(&mut self, scene: &Scene, params: &Params, v: &[f64]) {
        let Some(mut compliance) = self.compliance.take() else {
            return;
        };
        compliance.clear();
        for (group, source) in self.sources.iter().enumerate() {
            let blocks = source.blocks(self.offsets[group + 1] - self.offsets[group]);
            let (slip, speed) = match source {
                Source::Contact(_) => {
                    let [x, y, z, _] = self.rows.times(group, v).0;
                    (x.hypot(y), z)
                }
                _ => (0.0, 0.0),
            };
            let own = self.bounded(group, &self.desired);
            let weight = self.group_weights[group];
            compliance.push(
                (source, blocks, weight),
                (self.gaps[group], slip, speed),
                scene,
                params,
                &own,
            );
        }
        self.compliance = Some(compliance);
    }

    /// For a push-out speed bounded by joints: its slope by the entry of the normal row at a dof.
    pub fn push_out_weight(&self, group: usize, dof: usize) -> f64 {
        let normal = self.rows.column(group, dof).0[self.range(group).len() - 1];
        self.levers.weight(&self.bounds[group], dof, normal)
    }

    /// Stabilization of the gap of a group.
    pub(super) fn stabilization(&self, group: usize, s: &Stabilization) -> Stabilization {
        let led = matches!(self.sources[group], Source::Limit { .. })
            && self.blocks[group] == Block::Bilateral;
        let own = Stabilization {
            led,
            ..self.bounded(group, s)
        };
        match &self.compliance {
            Some(c) => c.stabilization(group, &own),
            None => own,
        }
    }

    /// The stabilization `s` with the group's own bound on push-out.
    fn bounded(&self, group: usize, s: &Stabilization) -> Stabilization {
        let mut own = s.of(self.angular[group]);
        if let Source::Contact(_) = self.sources[group] {
            own.max_push_out = own.max_push_out.min(self.bounds[group].speed);
        }
        own
    }

    /// The term that undoes the violation of an equality, with its slopes.
    pub(super) fn undoing(&self, group: usize, error: Vec3, s: &Stabilization) -> Undoing {
        match self.sources[group] {
            Source::Equality { index, .. } => {
                self.equalities[index].undoing(error, &self.bounded(group, s))
            }
            _ => s.undoing(error, [f64::INFINITY, 0.0]),
        }
    }

    /// True if a joint beyond its limit is led back to it. It is pushed instead if an equality or another
    /// limit also constrains its dofs, because two led limits may require a configuration that does not
    /// exist; and if the limit is compliant, because the joint then rests beyond it.
    fn leads(&self, group: usize, v: &[f64], s: &Stabilization) -> bool {
        let Source::Limit { along, sign } = self.sources[group] else {
            return false;
        };
        self.may_lead(along) && {
            let speed = match along {
                Along::Dof(dof) => sign * v[dof],
                Along::Tendon(_) | Along::Turn(_) => self.rows.times(group, v).0[0],
            };
            s.of(self.angular[group]).leads(self.gaps[group], speed)
        }
    }

    /// True if limits of this quantity are led back.
    fn may_lead(&self, along: Along) -> bool {
        let is_alone = match along {
            Along::Dof(dof) => !self.coupled[dof],
            Along::Tendon(i) => self.tendons[i].is_alone,
            Along::Turn(i) => {
                let mut own = self.limits.iter().filter(|l| l.turn == Some(i));
                own.all(|l| (l.dof..l.dof + l.nv()).all(|k| !self.coupled[k]))
            }
        };
        self.compliance.is_none() && is_alone
    }

    /// Distance to the nearest kink of the stabilization, relative to the largest entry of g (at least
    /// 1). Infinite if there is no kink. The kinks are:
    ///
    /// - of equalities, and of active contacts and limits: gap zero, and the push-out speed at its
    ///   bound;
    /// - of passed limits: the gaps between which the limit is led back;
    /// - of contacts with restitution: the switch between rebound and no rebound;
    /// - of tendons with active rows: a jump of the slopes of the path;
    /// - of all dofs: the excess from which a body is thrown, so that another level is taken.
    ///
    /// It considers the stabilization of the last problem, and the level that a region could have taken
    /// beside it.
    pub fn kink_distance(&self) -> f64 {
        let groups = (0..self.groups()).map(|b| self.kinks(b).nearest());
        let paths = self.pull_margin / self.desired.h;
        (groups.fold(paths, f64::min) / self.kink_scale()).min(self.regions.throw_margin())
    }

    /// Distance of a group to the switch between rebound and no rebound with the stabilization `s`
    /// [m/s]; and whether the group rebounds.
    fn rebound_kink(&self, group: usize, s: &Stabilization) -> (f64, bool) {
        match self.rebounds.get(group) {
            Some(r) if r.e > 0.0 => {
                let gap = self.gaps[group];
                let term = self.stabilization(group, s).term(gap, r.speed);
                (r.kink_distance(gap, s, term), r.prevails(gap, s, term))
            }
            _ => (f64::INFINITY, false),
        }
    }

    /// Unit of distances to kinks [m/s or rad/s].
    pub fn kink_scale(&self) -> f64 {
        self.g.iter().fold(1.0, |m: f64, x| m.max(x.abs()))
    }

    /// The distances of one group, of which [`Constraints::kink_distance`] takes the smallest, not yet
    /// divided by [`Constraints::kink_scale`].
    pub fn kinks(&self, group: usize) -> Kinks {
        let asked = self.asked(group);
        let (kinks, paths) = (self.kinks_of(group, asked), self.pull_margin / asked.h);
        let others = match self.beside(group) {
            Some(push_out) => self.kinks_of(group, &asked.limited_to(push_out)),
            None => Kinks::NONE,
        };
        Kinks {
            gap: kinks.gap.min(others.gap),
            path: kinks.path.min(others.path).min(paths),
            rebound: kinks.rebound.min(others.rebound),
        }
    }

    fn kinks_of(&self, b: usize, s: &Stabilization) -> Kinks {
        let path = self.path_margin(b) / s.h;
        let along = Kinks {
            path,
            ..Kinks::NONE
        };
        match self.sources[b] {
            Source::Friction { .. } => along,
            Source::Path { .. } if self.modes[b] == Mode::Breaking => Kinks::NONE,
            Source::Path { .. } => along,
            Source::Spring { .. } | Source::Speed { .. } | Source::Torsion(_) => Kinks::NONE,
            Source::Equality { error, .. } => Kinks {
                gap: self.undoing(b, error, s).kink_distance,
                ..along
            },
            _ => {
                let (rebound, rebounds) = self.rebound_kink(b, s);
                let is_open = rebounds || self.modes[b] == Mode::Breaking;
                if is_open && self.gaps[b] >= 0.0 {
                    return Kinks {
                        rebound,
                        ..Kinks::NONE
                    };
                }
                let own = self.stabilization(b, s);
                let softens = matches!(self.sources[b], Source::Limit { .. });
                let levers = match own.by_push_out(self.gaps[b]) != 0.0 {
                    true => self.bounds[b].apart,
                    false => f64::INFINITY,
                };
                let led = match self.sources[b] {
                    Source::Limit { along, .. } if self.may_lead(along) => {
                        own.lead_distance(self.gaps[b])
                    }
                    _ => f64::INFINITY,
                };
                match is_open {
                    true => Kinks {
                        gap: led,
                        rebound,
                        ..Kinks::NONE
                    },
                    false => Kinks {
                        gap: own.kink_distance(self.gaps[b], softens).min(led),
                        path: path.min(levers),
                        rebound,
                    },
                }
            }
        }
    }

    /// The next gentler level of stabilization of the present region. `None` if there is nothing to undo, or
    /// if this is the last level.
    pub fn gentler(&self, push_out: PushOut) -> Option<PushOut> {
        let s = &self.desired.limited_to(push_out);
        let less = match push_out {
            PushOut::Full => PushOut::Soft,
            PushOut::Soft => PushOut::Slow,
            PushOut::Slow => return None,
        };
        let mut violable = self
            .present_groups()
            .filter(|b| self.normal_row(*b).is_some());
        // Inconsistent rows without contacts and limits are not a jam. The exception is a tendon whose path
        // passes through the axes that it turns: it cannot change its length.
        let blocked = violable.clone().next().is_some()
            || self.present_groups().any(|b| self.is_along_tendons(b));
        let rebounds = |b: usize| {
            self.rebounds
                .get(b)
                .is_some_and(|r| r.is_due(self.gaps[b], s))
        };
        let pushes = violable.any(|b| s.pushes(self.gaps[b]) || rebounds(b));
        let pulls = blocked
            && self.present_groups().any(|b| match self.sources[b] {
                Source::Equality { error, .. } => s.pulls(&self.undoing(b, error, s)),
                _ => false,
            });
        (pushes || pulls).then_some(less)
    }

    /// Time step [s].
    pub fn time_step(&self) -> f64 {
        self.desired.h
    }

    /// True if a step that ends at `v_end` throws joints of the present region
    /// ([`Levers::excess`](super::levers::Levers::excess)). `v_free` is the velocity at the end without
    /// impulses other than those of springs.
    pub fn throws(&mut self, v: &[f64], v_free: &[f64], v_end: &[f64]) -> bool {
        let push_out = self.regions.present().asked.push_out;
        let moves = &self.regions.moves;
        let excess = self.levers.excess(push_out, moves, v, v_free, v_end);
        self.regions.approach_throw(excess.abs());
        excess > 0.0
    }

    /// True if some violation of the present region is undone fast enough to throw joints.
    pub fn may_throw(&self) -> bool {
        let s = &self.regions.present().asked;
        // A contact that rebounds has no push-out.
        let is_pushed = |b: usize| self.normal_row(b).is_some() && self.rebound(b).is_none();
        // A spherical joint at its limit passes it a little in every step, because its axis turns. This is
        // undone in one step and throws nothing.
        let strays = |b: usize| {
            let turn = matches!(
                self.sources[b],
                Source::Limit {
                    along: Along::Turn(_),
                    ..
                }
            );
            turn && s.of(true).is_near(self.gaps[b])
        };
        let is_pulled = |b: usize| match self.sources[b] {
            Source::Equality { error, .. } if self.is_along_tendons(b) => {
                s.push_out != PushOut::Slow && s.pulls(&self.undoing(b, error, s))
            }
            _ => false,
        };
        self.present_groups()
            .any(|b| is_pushed(b) && s.may_throw(self.gaps[b]) && !strays(b) || is_pulled(b))
    }

    /// True if the group is an equality of tendon lengths.
    fn is_along_tendons(&self, group: usize) -> bool {
        match self.sources[group] {
            Source::Equality { index, .. } => self.equalities[index].along_tendons().is_some(),
            _ => false,
        }
    }
}
