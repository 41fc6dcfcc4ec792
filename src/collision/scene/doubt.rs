//! Decides which predicted contacts are certain. A contact is certain if the two bodies, whatever their
//! motion, meet at it when they meet.
//!
//! A contact that is not certain is set aside and decided by a sweep ([`super::sweep`]).

use super::Scene;
use super::SceneContact;
use super::face::Face;
use super::meetings::{Parts, Verdict};
use super::narrow;
use super::sweep::Shift;
use crate::collision::frame::contact_frame;
use crate::collision::{Approach, ContactPoint, Sinks};
use crate::error::Result;
use crate::model::topology::WORLD;
use crate::spatial::{Pose, Twist, Vec3};

/// Gap that counts as touching in a sweep, relative to the sizes of both geoms. It exceeds the
/// tolerance of ties in the narrow phase.
const TOUCHING: f64 = 4e-8;
/// Relative to the smaller geom. ZONE: gap up to which contacts are certain. LEVEL: height of a step
/// between faces that counts as level.
const ZONE: f64 = 1e-4;
const LEVEL: f64 = 1e-5;
/// Relative to the smaller geom. Bodies that overlap deeper than this have met already, and do not stand on
/// each other.
const SUNK: f64 = 4e-3;
/// Forces press two bodies together if they bring them closer within the step by more than this share of
/// the bodies' slip. It exceeds round-off.
const PRESSED: f64 = 1e-9;
/// 1 − cosine within which two normals are the same.
pub(super) const SAME: f64 = 1e-6;
/// Squared sine from which on a support's normal is another one. A lift by LEVEL is then at most a third of
/// the smaller geom long.
const TILTED: f64 = 1e-9;
/// 1 − cosine within which the normal counts as unchanged by a shift.
const PARALLEL: f64 = 1e-9;
/// Squared sine from which on faces lie across a support (25 degrees).
const ACROSS: f64 = 0.18;
/// Depth down to which a compliant body is raised, relative to the smaller geom. Deeper bodies lie within
/// each other.
const DEEPEST: f64 = 0.1;
/// Largest share of the depth by which bodies that rest sink within a step.
const RESTING: f64 = 0.05;
/// Most depth of a body that has sunk in and leans, as a multiple of that at a support.
const LEANING: f64 = 4.0;

impl Scene {
    /// Takes the length of the step [s] and the velocities of the links without contact impulses (about
    /// their trees' origins).
    pub fn begin_meetings(&mut self, h: f64, free: &[Twist]) {
        let m = &mut self.meetings;
        m.clear();
        m.h = h;
        m.free.copy_from_slice(free);
    }

    /// Whether contacts are being set aside.
    pub fn sets_aside(&self) -> bool {
        self.meetings.on
    }

    /// Whether a contact with an impulse is uncertain: the bodies may not meet there.
    pub fn doubts(&mut self, contact: usize) -> bool {
        let c = self.found.contacts()[contact];
        if self.is_predicted(&c).is_none() {
            return false;
        }
        let all = self.found.take();
        let first = self.decisive(all.iter().filter(|o| self.is_with(&c, o)), c);
        let doubts = self.is_doubtful(&first, &all);
        self.found.put_back(all);
        doubts
    }

    /// Whether some uncertain contact closes along its normal if the bodies move without contact impulses. It
    /// would very likely get an impulse, and then be set aside.
    pub fn expects_doubts(&mut self) -> bool {
        (0..self.found.contacts().len()).any(|i| {
            let c = self.found.contacts()[i];
            !self.is_certain(&c)
                && self.closing(&c, &self.meetings.free) > c.point.gap
                && self.doubts(i)
        })
    }

    /// From now on within this step, sets uncertain contacts aside.
    pub fn set_aside(&mut self) -> Result<()> {
        self.meetings.on = true;
        self.sort_out()
    }

    /// Sets uncertain contacts of the last search aside, and adds the contacts that replaced earlier
    /// ones. Middles are forgotten: they name contacts by their index.
    pub(super) fn sort_out(&mut self) -> Result<()> {
        self.meetings.aside.clear();
        let mut all = self.found.take();
        all.retain(|c| !c.face.is_of_middle());
        let (mut kept, mut from) = (0, 0);
        while from < all.len() {
            let first = all[from];
            let len = all[from..].iter().take_while(|c| self.is_with(&first, c));
            let to = from + len.count();
            let group = self.decisive(all[from..to].iter(), first);
            let verdict = self.meetings.verdict(self.parts(&first));
            let stays = verdict == Some(Verdict::Kept) || !self.is_doubtful(&group, &all[..]);
            for i in from..to {
                if stays {
                    all[kept] = all[i];
                    kept += 1;
                } else if verdict.is_none() {
                    let c = all[i];
                    self.meetings.aside.push(c);
                }
            }
            from = to;
        }
        all.truncate(kept);
        self.found.put_back(all);
        for i in 0..self.meetings.met.len() {
            let c = self.meetings.met[i];
            self.found.add(c)?;
        }
        Ok(())
    }

    /// Whether two contacts are of the same parts along the same normal.
    fn is_with(&self, a: &SceneContact, b: &SceneContact) -> bool {
        let is_of_middle = [a, b].map(|c| c.face.is_of_middle());
        is_of_middle[0] == is_of_middle[1]
            && self.parts(a) == self.parts(b)
            && a.point.normal.dot(b.point.normal) > 1.0 - SAME
    }

    /// The contact that decides for others of the same parts along the same normal: the one whose gap, less
    /// its zone, is least. The gaps of a level face differ by round-off alone, while its points may move
    /// differently.
    fn decisive<'a>(
        &self,
        others: impl Iterator<Item = &'a SceneContact>,
        c: SceneContact,
    ) -> SceneContact {
        let beyond = |c: &SceneContact| c.point.gap - self.zone(c);
        let (first, _) = others.fold((c, beyond(&c)), |(first, least), o| match beyond(o) {
            x if x < least => (*o, x),
            _ => (first, least),
        });
        first
    }

    pub(super) fn parts(&self, c: &SceneContact) -> Parts {
        c.parts(c.geom.map(|g| self.solids[g].is_terrain()))
    }

    /// Gap up to which geoms count as touching in a sweep [m].
    pub(super) fn touching(&self, geom: [usize; 2]) -> f64 {
        let [a, b] = geom.map(|g| self.geoms[g].radius);
        TOUCHING * (a + b)
    }

    fn smaller(&self, geom: [usize; 2]) -> f64 {
        let [a, b] = geom.map(|g| self.geoms[g].radius);
        a.min(b)
    }

    /// Height of a step between faces that counts as level [m].
    pub(super) fn level(&self, geom: [usize; 2]) -> f64 {
        LEVEL * self.smaller(geom)
    }

    /// Depth down to which a body stands on another one, and has not passed into it [m].
    pub(super) fn sunk(&self, geom: [usize; 2]) -> f64 {
        SUNK * self.smaller(geom)
    }

    /// Whether contacts are compliant, so that bodies rest while they overlap.
    pub(super) fn sinks(&self) -> bool {
        !self.friction.is_empty()
    }

    /// How two geoms sink into each other.
    pub(super) fn sinking(&self, geom: [usize; 2]) -> Option<Sinks> {
        let fixed = geom.map(|g| self.geoms[g].link == WORLD);
        self.sinks().then_some(Sinks { fixed })
    }

    fn is_sharp(&self, geom: [usize; 2]) -> bool {
        geom.iter().all(|&g| narrow::is_sharp(&self.solids[g]))
    }

    /// Gap up to which a contact is certain [m]. Compliant bodies that slide glide on each other at a gap, if
    /// forces press them together; otherwise they pass each other.
    fn zone(&self, c: &SceneContact) -> f64 {
        let near = ZONE * self.smaller(c.geom);
        if !self.sinks() || c.condim == 1 {
            return near;
        }
        let w = self.velocity_before(c) * self.meetings.h;
        let rises = w.dot(c.point.normal);
        let slip = (w - c.point.normal * rises).norm();
        let is_pressed = self.closing(c, &self.meetings.free) + rises > PRESSED * slip;
        match is_pressed {
            true => near + c.friction.sliding(&self.friction) * slip,
            false => 0.0,
        }
    }

    /// Velocity of B against A at a contact before the step [m/s].
    fn velocity_before(&self, c: &SceneContact) -> Vec3 {
        let link = c.link.map(|l| self.slot(l));
        let approach = self.motions.approach(link, &self.centers, self.meetings.h);
        approach.first_at(c.point.point)
    }

    /// Whether a contact is certain by its kind.
    fn is_certain(&self, c: &SceneContact) -> bool {
        c.press.is_some()
            || c.face.is_of_middle()
            || c.geom.iter().any(|&g| self.solids[g].is_plane())
    }

    /// Whether a contact is a predicted one: `Some(true)` if the surfaces are apart and may meet within the
    /// step, `Some(false)` if they touch already and close. `None` if the contact is certain.
    fn is_predicted(&self, c: &SceneContact) -> Option<bool> {
        if self.is_certain(c) {
            return None;
        }
        // A compliant contact that overlaps has an impulse also where the bodies do not close.
        let presses = self.sinks() && c.point.gap < 0.0;
        (presses || !self.rests(c)).then_some(c.point.gap > self.touching(c.geom))
    }

    /// Whether bodies touch at a contact and do not close.
    fn rests(&self, c: &SceneContact) -> bool {
        let closing = -self.velocity_before(c).dot(c.point.normal) * self.meetings.h;
        closing <= TOUCHING * self.smaller(c.geom) && c.point.gap <= self.zone(c)
    }

    /// Whether a contact is uncertain. `c` decides for its parts along its normal ([`Scene::decisive`]),
    /// `all` are the contacts of the search.
    fn is_doubtful(&mut self, c: &SceneContact, all: &[SceneContact]) -> bool {
        match self.is_predicted(c) {
            None => false,
            Some(true) => {
                let link = c.link.map(|l| self.slot(l));
                let (pair, h) = (c.like(), self.meetings.h);
                let approach = self.motions.approach(link, &self.centers, h);
                let reach = approach.within(0.0, self.balls(&pair)).farthest + self.slack(link);
                let is_face = self.is_met_beyond(c, reach) && self.is_flat(c, reach);
                !(is_face && (c.point.gap <= self.zone(c) || self.closes_freely(c)))
            }
            Some(false) if self.sinks() && self.is_buried(c, all) => true,
            Some(false) if c.point.gap < -self.sunk(c.geom) || self.rests(c) => false,
            Some(false) => {
                self.is_sharp(c.geom) && !self.is_met_beyond(c, self.level(c.geom))
                    || [0, 1].iter().any(|&side| {
                        let lift = self.lift(self.parts(c), side, c.point.normal, all, None);
                        lift != Vec3::ZERO && !self.touches(c, Shift::of(side, lift))
                    })
            }
        }
    }

    /// Whether the bodies would have to move sideways by more than `reach` to miss the contact. Two tests:
    /// when pushed into each other by `reach`, their axis of least depth is still the normal. When they just
    /// overlap, they still do so after a move by √2 `reach` along or against each tangent. The moves after
    /// which convex parts overlap form a convex set, so it then contains all moves by `reach`. A face whose
    /// neighbour leans passes the first test alone: the push brings the bodies closer along the neighbour's
    /// normal, too.
    fn is_met_beyond(&mut self, c: &SceneContact, reach: f64) -> bool {
        let p = c.point;
        let shift = Shift::of(1, p.normal * -(p.gap + reach));
        let tie = self.touching(c.geom);
        let mut holds = false;
        let same = |q: &ContactPoint| {
            q.normal.dot(p.normal) > 1.0 - SAME && (q.gap + reach).abs() <= tie + 1e-3 * reach
        };
        self.narrow_at(self.parts(c), None, shift, &Approach::still(tie), |q, _| {
            holds |= same(&q);
        });
        let overlap = p.normal * -(p.gap + tie);
        let around = contact_frame(p.normal);
        holds
            && around.c[..2].iter().all(|&t| {
                [-reach, reach].iter().all(|by| {
                    let aside = t * (by * std::f64::consts::SQRT_2);
                    self.touches(c, Shift::of(1, overlap + aside))
                })
            })
    }

    /// Whether the normal stays when the bodies move by `reach` along either tangent. The normal of a
    /// face stays; the normal of an edge against a round shape rotates with the motion. Flat shapes are
    /// already judged by [`Scene::is_met_beyond`].
    fn is_flat(&mut self, c: &SceneContact, reach: f64) -> bool {
        let p = c.point;
        if self.is_sharp(c.geom) {
            return true;
        }
        let still = Approach::still(p.gap + reach);
        contact_frame(p.normal).c[..2].iter().all(|&t| {
            let mut stays = false;
            self.narrow_at(
                self.parts(c),
                None,
                Shift::of(1, t * reach),
                &still,
                |q, _| {
                    stays |= q.normal.dot(p.normal) > 1.0 - PARALLEL;
                },
            );
            stays
        })
    }

    /// Whether the bodies meet if they move without contact impulses.
    fn closes_freely(&mut self, c: &SceneContact) -> bool {
        let free = std::mem::take(&mut self.meetings.free);
        let mut closes = false;
        let (at, still) = (Some((&free[..], 1.0)), Approach::still(0.0));
        self.narrow_at(self.parts(c), at, Shift::none(), &still, |q, _| {
            closes |= q.gap <= 0.0;
        });
        self.meetings.free = free;
        closes
    }

    /// Whether the parts of a contact overlap with one of them shifted.
    fn touches(&mut self, c: &SceneContact, shift: Shift) -> bool {
        let mut touches = false;
        let still = Approach::still(0.0);
        self.narrow_at(self.parts(c), None, shift, &still, |q, _| {
            touches |= q.gap < 0.0;
        });
        touches
    }

    /// The time since the bodies met at a contact, in steps, at their velocities before the step. Infinite if
    /// they rest there or part.
    fn age(&self, c: &SceneContact) -> f64 {
        let closing = -self.velocity_before(c).dot(c.point.normal) * self.meetings.h;
        match closing > (TOUCHING * self.smaller(c.geom)).max(-RESTING * c.point.gap) {
            true => -c.point.gap / closing,
            false => f64::INFINITY,
        }
    }

    /// Whether a compliant body reaches a contact only because it has sunk in at another one
    /// ([`Scene::raise`]), which it met earlier.
    fn is_buried(&mut self, c: &SceneContact, all: &[SceneContact]) -> bool {
        let (parts, of_face) = (self.parts(c), c.face != Face::None);
        let age = self.age(c);
        all.iter().any(|o| {
            [0, 1].iter().any(|&side| {
                let lift = self.raise(parts, side, (c.point.normal, of_face), o, None);
                lift.is_some_and(|lift| {
                    self.age(o) >= age && !self.touches(c, Shift::of(side, lift))
                })
            })
        })
    }

    /// The side of the contact `o` on which the body of one side of two parts is, and the direction in which
    /// `o` bears this body. `None` if `o` is not a contact of the body, or if it is one of the two parts.
    fn bears(&self, o: &SceneContact, parts: Parts, side: usize) -> Option<(usize, Vec3)> {
        let link = self.geoms[parts.geom[side]].link;
        let own = o.link.iter().position(|&l| l == link && l != WORLD)?;
        let other = (o.geom[1 - own], self.parts(o).part[1 - own]);
        let is_of_both = other == (parts.geom[1 - side], parts.part[1 - side]);
        let is_same = is_of_both && !self.solids[other.0].is_terrain();
        (!is_same && !o.face.is_of_middle()).then(|| (own, towards(o.point.normal, own)))
    }

    /// The shift that raises one side of two parts out of a support `o`, if this side lies above the support
    /// except for the depth there: the largest one at the beginning and (with `end`) at the end of a motion
    /// of the links. It may lean a little. A support has a flat face, and its normal is another one than that
    /// of the parts: a body stands on both of two faces that are nearly parallel.
    pub(super) fn raise(
        &self,
        parts: Parts,
        side: usize,
        (normal, of_face): (Vec3, bool),
        o: &SceneContact,
        end: Option<&[Twist]>,
    ) -> Option<Vec3> {
        let geom = parts.geom;
        if o.face == Face::None {
            return None;
        }
        let (own, up) = self.bears(o, parts, side)?;
        let [a, b] = geom.map(|g| narrow::is_sharp(&self.solids[g]));
        let least = match of_face || a == b {
            true => ACROSS,
            false => TILTED,
        };
        if up.cross(normal).norm_squared() <= least {
            return None;
        }
        let sinks = end.map_or(0.0, |twists| self.closing(o, twists));
        let sunk = sinks.max(0.0) - o.point.gap;
        if sunk < -self.zone(o) || sunk > DEEPEST * self.smaller(o.geom) {
            return None;
        }
        let piece = narrow::parts(&self.solids[geom[side]]).get(parts.part[side] as usize)?;
        let surface = o.face.lift(o.point).point - up * (0.5 * o.point.gap);
        let lowest = |pose: &Pose| pose.point(piece.extreme(-pose.rot.tr_mul_vec(up))).dot(up);
        let mut below = surface.dot(up) - lowest(&self.poses[geom[side]]);
        if let Some(twists) = end {
            let (centre, w) = self.about_geom(o.geom[1 - own], (twists, 0.0));
            let rises = w.at(surface - centre).dot(up) * self.meetings.h;
            let there = lowest(&self.moved(geom[side], (twists, 1.0)));
            below = below.max(surface.dot(up) + rises - there);
        }
        let (depth, level) = (sunk.max(0.0), self.level(geom));
        (below <= LEANING * depth + level).then(|| up * (below.max(depth) + level))
    }

    /// The shift of one side of a contact out of its other supports (contacts of the same body), at the
    /// beginning and (with `end`) at the end of a motion of the links. The shift is perpendicular to
    /// `normal`, so that it keeps the depth along `normal`. A support whose normal is `normal` gives no
    /// shift.
    pub(super) fn lift(
        &self,
        parts: Parts,
        side: usize,
        normal: Vec3,
        all: &[SceneContact],
        end: Option<&[Twist]>,
    ) -> Vec3 {
        let geom = parts.geom;
        let mut lift = Vec3::ZERO;
        let n = towards(normal, side);
        for o in all {
            let Some((_, support)) = self.bears(o, parts, side) else {
                continue;
            };
            let across = support - n * support.dot(n);
            let is_support = across.norm_squared() > TILTED
                && o.point.gap <= self.zone(o)
                && o.point.gap >= -self.sunk(o.geom);
            if is_support {
                let sinks = end.map_or(0.0, |twists| self.closing(o, twists));
                let depth = sinks.max(0.0) - o.point.gap;
                let to = depth.max(0.0) + self.level(geom);
                let rise = across * (1.0 / across.norm_squared());
                lift += rise * (to - lift.dot(support)).max(0.0);
            }
        }
        lift
    }

    /// How much closer the bodies of a contact come along its normal on a motion of the links [m].
    fn closing(&self, c: &SceneContact, twists: &[Twist]) -> f64 {
        let [a, b] = c.geom.map(|g| {
            let (centre, w) = self.about_geom(g, (twists, 0.0));
            w.at(c.point.point - centre)
        });
        (a - b).dot(c.point.normal) * self.meetings.h
    }
}

/// A normal from A to B, turned towards the body of a side.
fn towards(normal: Vec3, side: usize) -> Vec3 {
    match side {
        1 => normal,
        _ => -normal,
    }
}
