//! Continuous collision detection: whether and when two parts meet on a motion within the step.
//!
//! The separation at a time within the step is the gap of the narrow phase there: the gap along the axis
//! that separates the bodies most. The bodies meet when the separation falls below zero by more than
//! round-off. The narrow phase then finds the axis along which they were separated last. The separation of
//! bodies that do not rotate is convex along the way, so Newton's method from the beginning never passes
//! the first meeting.
//!
//! A step calls [`Scene::meet`] when contacts were set aside (see [`super::meetings`]).

use super::Scene;
use super::SceneContact;
use super::face::Face;
use super::meetings::{Hit, Parts, Verdict};
use super::narrow;
use crate::collision::{Approach, ContactPoint};
use crate::error::Result;
use crate::model::topology::WORLD;
use crate::spatial::{Mat3, Pose, Quat, Twist, Vec3};

/// Most places on the way at which the separation is computed.
const MOST_PLACES: usize = 32;
/// After ORDERED_ROUNDS rounds all hits become contacts at once. After MOST_ROUNDS rounds all contacts
/// that are set aside act as they are.
const ORDERED_ROUNDS: usize = 8;
const MOST_ROUNDS: usize = 16;
/// Cosine between normals within which a point at a meeting belongs to the meeting's contact.
const PATCH: f64 = 0.999;

/// A shift of one of the two bodies [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift {
    side: usize,
    by: Vec3,
}

impl Shift {
    pub fn none() -> Shift {
        Shift::of(0, Vec3::ZERO)
    }

    pub fn of(side: usize, by: Vec3) -> Shift {
        Shift { side, by }
    }
}

/// The separation at a place on the way.
#[derive(Clone, Copy, Debug)]
struct Separation {
    gap: f64,
    normal: Vec3,
    feature: u64,
    /// Share of the step until the first of the points meets, by linear extrapolation.
    ahead: f64,
}

/// A motion of all links (spatial velocities about their trees' origins), and the share of the step it
/// has lasted.
type Motion<'a> = (&'a [Twist], f64);

impl Scene {
    /// Sweeps the parts of the contacts that are set aside along a motion of the links (spatial velocities
    /// about their trees' origins). For each link, the parts that meet first become contacts. Returns
    /// whether any parts meet.
    ///
    /// # Errors
    /// `Capacity` if there are too many contacts.
    pub fn meet(&mut self, twists: &[Twist]) -> Result<bool> {
        if self.meetings.rounds >= MOST_ROUNDS {
            return self.keep_all();
        }
        self.meetings.hits.clear();
        for i in 0..self.meetings.aside.len() {
            let c = self.meetings.aside[i];
            let parts = self.parts(&c);
            let is_known = i > 0 && self.parts(&self.meetings.aside[i - 1]) == parts;
            if is_known || self.meetings.hits.iter().any(|hit| hit.parts == parts) {
                continue;
            }
            if let Some(at) = self.first_meeting(parts, twists) {
                let link = c.link;
                self.meetings.hits.push(Hit { parts, link, at });
            }
        }
        let ordered = self.meetings.rounds < ORDERED_ROUNDS;
        for i in 0..self.meetings.hits.len() {
            let hit = self.meetings.hits[i];
            if !ordered || self.meetings.is_first(&hit, WORLD) {
                self.admit(&hit, twists)?;
            }
        }
        let any = !self.meetings.hits.is_empty();
        self.meetings.rounds += usize::from(any);
        Ok(any)
    }

    /// Makes contacts of all that are set aside, unchanged. Returns whether there were any.
    fn keep_all(&mut self) -> Result<bool> {
        let any = !self.meetings.aside.is_empty();
        while let Some(c) = self.meetings.aside.pop() {
            let parts = self.parts(&c);
            if self.meetings.verdict(parts).is_none() {
                self.meetings.verdicts.push((parts, Verdict::Kept));
            }
            self.found.add(c)?;
        }
        Ok(any)
    }

    /// The time at which two parts meet, as a share of the step. `None` if they do not meet, or if they no
    /// longer meet when either body is moved out of its other supports ([`Scene::lift`]).
    fn first_meeting(&mut self, parts: Parts, twists: &[Twist]) -> Option<f64> {
        let (at, met) = self.sweep_parts(parts, twists, Shift::none())?;
        if self.sinks() && self.is_passed(parts, &met, twists) {
            return None;
        }
        for side in [0, 1] {
            let all = self.found.take();
            let lift = self.lift(parts, side, met.normal, &all, Some(twists));
            self.found.put_back(all);
            if lift != Vec3::ZERO {
                self.sweep_parts(parts, twists, Shift::of(side, lift))?;
            }
        }
        Some(at)
    }

    /// Whether compliant bodies pass each other, or come to stand on each other, once one of them is raised
    /// out of another support ([`Scene::raise`]).
    fn is_passed(&mut self, parts: Parts, met: &Separation, twists: &[Twist]) -> bool {
        let [a, b] = parts.geom;
        let face = Face::teller(&self.solids[a], &self.solids[b])(met.feature);
        let along = (met.normal, face != Face::None);
        (0..self.found.contacts().len()).any(|i| {
            let o = self.found.contacts()[i];
            [0, 1].iter().any(|&side| {
                let Some(lift) = self.raise(parts, side, along, &o, Some(twists)) else {
                    return false;
                };
                let again = self.sweep_parts(parts, twists, Shift::of(side, lift));
                let away = if side == 1 { 1.0 } else { -1.0 };
                again.is_none_or(|(_, met)| met.normal.dot(lift) * away > PATCH * lift.norm())
            })
        })
    }

    /// The share of the step after which two parts meet with one of them shifted, and the meeting.
    fn sweep_parts(
        &mut self,
        parts: Parts,
        twists: &[Twist],
        shift: Shift,
    ) -> Option<(f64, Separation)> {
        let slack = self.touching(parts.geom);
        let (mut low, mut s) = ((0.0, f64::INFINITY), 0.0);
        let mut high: Option<(f64, Separation)> = None;
        for place in 0..MOST_PLACES {
            let now = self.separation(parts, (twists, s), shift)?;
            if now.gap <= -0.5 * slack {
                if s == 0.0 || now.gap >= -2.0 * slack {
                    return Some((s, now));
                }
                high = Some((s, now));
            } else {
                low = (s, now.gap);
            }
            s = match high {
                // Search between a place where they are apart and one where they overlap.
                Some((end, inside)) => {
                    let share = (low.1 + slack) / (low.1 - inside.gap);
                    let share = if place % 3 == 2 { 0.5 } else { share };
                    low.0 + (end - low.0) * share.clamp(0.01, 0.99)
                }
                None if s == 1.0 => return None,
                None => (s + now.ahead).min(1.0),
            };
        }
        high
    }

    /// The separation of two parts on their way; `None` if they are farther apart than they can move.
    fn separation(&mut self, parts: Parts, at: Motion<'_>, shift: Shift) -> Option<Separation> {
        let slack = self.touching(parts.geom);
        let h = self.meetings.h;
        let reach = self.travel(parts.geom, at.0);
        let [wa, wb] = [0, 1].map(|i| self.about_geom(parts.geom[i], at));
        let on_terrain = parts.geom.iter().any(|&g| self.solids[g].is_terrain());
        // Contacts that already touch a height field are not meetings.
        let all = self.found.take();
        let from = all.iter().position(|c| on_terrain && c.geom == parts.geom);
        let known = from.map_or(&[][..], |from| &all[from..]);
        let is_known = |n: Vec3| {
            let mut same = known.iter().filter(|c| c.geom == parts.geom);
            same.any(|c| c.point.normal.dot(n) > PATCH)
        };
        let mut found: Option<Separation> = None;
        let still = Approach::still(reach + slack);
        self.narrow_at(parts, Some(at), shift, &still, |p, _| {
            if is_known(p.normal) {
                return;
            }
            let of = |(centre, w): (Vec3, Twist)| w.at(p.point - centre);
            let closing = -(of(wb) - of(wa)).dot(p.normal) * h;
            let ahead = match closing > 0.0 {
                true => (p.gap + slack) / closing,
                false => f64::INFINITY,
            };
            let this = Separation {
                gap: p.gap,
                normal: p.normal,
                feature: p.feature,
                ahead,
            };
            let nearest = found.filter(|f| f.gap <= p.gap).unwrap_or(this);
            found = Some(Separation {
                ahead: found.map_or(ahead, |f| f.ahead.min(ahead)),
                ..nearest
            });
        });
        self.found.put_back(all);
        found
    }

    /// Bound on how far points of two geoms move relative to each other within the step [m].
    fn travel(&self, geom: [usize; 2], twists: &[Twist]) -> f64 {
        let [(ca, wa), (cb, wb)] = geom.map(|g| self.about_geom(g, (twists, 0.0)));
        let [ra, rb] = geom.map(|g| self.geoms[g].radius);
        let [ma, mb] = geom.map(|g| self.middles[g]);
        let torsion = (wb.ang - wa.ang).norm();
        let at = |x: Vec3| (wb.at(x - cb) - wa.at(x - ca)).norm();
        let bound = (at(ma) + torsion * ra).min(at(mb) + torsion * rb);
        self.meetings.h * bound
    }

    /// Where a geom's link is on its way [m], and its velocity there.
    pub(super) fn about_geom(&self, geom: usize, (twists, s): Motion<'_>) -> (Vec3, Twist) {
        let g = &self.geoms[geom];
        if g.link == WORLD {
            return (Vec3::ZERO, Twist::ZERO);
        }
        let origin = self.poses[geom].compose(&g.in_link.inverse()).pos;
        let arm = self.arms[g.link] + (origin - self.centers[g.link]);
        let (lin, ang) = (twists[g.link].at(arm), twists[g.link].ang);
        (origin + lin * (s * self.meetings.h), Twist::new(lin, ang))
    }

    /// Where a geom is on its way.
    pub(super) fn moved(&self, geom: usize, at: Motion<'_>) -> Pose {
        let (pose, g) = (&self.poses[geom], &self.geoms[geom]);
        if g.link == WORLD || at.1 == 0.0 {
            return *pose;
        }
        let (origin, w) = self.about_geom(geom, at);
        let from = origin - w.lin * (at.1 * self.meetings.h);
        let turn: Mat3 = Quat::exp(w.ang * (at.1 * self.meetings.h)).to_mat3();
        Pose::new(
            turn.mul_mat(&pose.rot),
            origin + turn.mul_vec(pose.pos - from),
        )
    }

    /// Gives the points of two parts to `sink`, with the parts as the narrow phase numbers them. The
    /// bodies are on their way if `at` is given, and one of them is shifted.
    pub(super) fn narrow_at(
        &mut self,
        parts: Parts,
        at: Option<Motion<'_>>,
        shift: Shift,
        approach: &Approach,
        mut sink: impl FnMut(ContactPoint, [u32; 2]),
    ) {
        let mut poses = parts.geom.map(|g| match at {
            Some(at) => self.moved(g, at),
            None => self.poses[g],
        });
        poses[shift.side].pos += shift.by;
        let terrain = parts.geom.map(|g| self.solids[g].is_terrain());
        let approach = approach.sinking(self.sinking(parts.geom));
        let Ok([sa, sb]) = self.solids.get_disjoint_mut(parts.geom) else {
            return;
        };
        // A key of its own keeps the warm start of the pair at its real place.
        let key = (parts.geom[1] as u32) << 16 | parts.geom[0] as u32;
        let buffers = &mut self.buffers;
        let of_parts = &mut |p: ContactPoint, part: [u32; 2]| {
            if (0..2).all(|i| terrain[i] || part[i] == parts.part[i]) {
                sink(p, part);
            }
        };
        narrow::collide(
            sa, &poses[0], sb, &poses[1], &approach, key, buffers, of_parts,
        );
    }

    /// Makes the contacts of a meeting. They have the features of the meeting and the bodies' current
    /// places. If these features have no contact now, the contacts that were set aside are used.
    fn admit(&mut self, hit: &Hit, twists: &[Twist]) -> Result<()> {
        let parts = hit.parts;
        let Some(now) = self.separation(parts, (twists, hit.at), Shift::none()) else {
            return Ok(());
        };
        let aside = self.meetings.aside.iter();
        let Some(like) = aside.copied().find(|c| self.parts(c) == parts) else {
            return Ok(());
        };
        let from = self.meetings.met.len();
        let mut met = std::mem::take(&mut self.meetings.met);
        let still = Approach::still(self.travel(parts.geom, twists));
        let room = met.capacity();
        self.narrow_at(
            parts,
            Some((twists, hit.at)),
            Shift::none(),
            &still,
            |p, part| {
                if p.normal.dot(now.normal) > PATCH && met.len() < room {
                    met.push(SceneContact {
                        part,
                        point: p,
                        ..like
                    });
                }
            },
        );
        let mut kept = from;
        let [pa, pb] = parts.geom.map(|g| self.poses[g]);
        if let Ok([sa, sb]) = self.solids.get_disjoint_mut(parts.geom) {
            let face = Face::teller(sa, sb);
            let sharp = narrow::is_sharp(sa) && narrow::is_sharp(sb);
            for i in from..met.len() {
                let c = met[i];
                if let Some(p) = narrow::again(sa, &pa, sb, &pb, &c.point, c.part) {
                    let face = face(p.feature);
                    met[kept] = SceneContact {
                        point: face.place(p),
                        face,
                        ..c
                    };
                    kept += 1;
                }
            }
            // A round shape would rotate about the points that are left.
            if !sharp && kept < met.len() {
                kept = from;
            }
        }
        met.truncate(kept);
        self.meetings.met = met;
        let verdict = if kept > from {
            Verdict::Replaced
        } else {
            Verdict::Kept
        };
        self.meetings.verdicts.push((parts, verdict));
        for i in 0..self.meetings.aside.len() {
            let c = self.meetings.aside[i];
            if verdict == Verdict::Kept && self.parts(&c) == parts {
                self.found.add(c)?;
            }
        }
        for i in from..kept {
            let c = self.meetings.met[i];
            self.found.add(c)?;
        }
        let mut aside = std::mem::take(&mut self.meetings.aside);
        aside.retain(|c| self.parts(c) != parts);
        self.meetings.aside = aside;
        Ok(())
    }
}
