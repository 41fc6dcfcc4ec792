//! Ties between nearly parallel faces: which face gives the normal, and how the corners of their patch
//! move.
//!
//! Let f(x) be the distance by which a small motion lifts B off A at x, and P_A and P_B the polygons of
//! two parallel faces. Over all normals near the faces' normals, the best gap grows by the least f over
//! P_A ∩ P_B. (This is linear programming: a normal that leans by δ adds δ·x_B − δ·x_A.) The best
//! normal may be A's for one motion, B's for another and that of two edges for a third. The patch has
//! just these gaps, whichever face it is clipped on.
//!
//! Nearly parallel faces therefore take one normal for all motions: that of the larger face. It is the
//! best normal whenever the larger face contains the other one. The normal and its derivative then
//! persist from step to step.
//!
//! Where a third side passes through a corner of the patch, small motions decide which two sides cross
//! there.

use super::axis::PARALLEL;
use super::feature::Feature;
use super::pair::Pair;
use super::patch::{Reference, STEEPEST};
use crate::collision::Sinks;
use crate::collision::approach::level_sine;
use crate::spatial::Vec3;

/// 1 − cosine of the angle between faces that count as parallel: 1e-5 rad.
const LEVEL: f64 = 5e-11;
/// Relative difference of area from which on a face counts as the larger one.
const LARGER: f64 = 1e-6;
/// Weights of the two sides in a slide: arbitrary, such that no signed sum of them is zero.
const GENERAL: [f64; 2] = [1.0, 0.61];

impl<'a> Pair<'a> {
    /// The body (0: A, 1: B) that holds the larger of two parallel faces of A and B; A if they are
    /// equally large. `None` if the faces are not parallel. `gap` is that of the contact.
    pub(super) fn larger(&self, [fa, fb]: [u16; 2], gap: f64) -> Option<u8> {
        let [a, b] = [self.a.face(fa), self.b.face(fb)];
        let solid = self.a.is_solid() && self.b.is_solid();
        if !solid || a.normal.dot(self.b_in_a.rot.mul_vec(b.normal)) > self.level(gap) - 1.0 {
            return None;
        }
        if let Some(Sinks { fixed: [a, b] }) = self.sinks
            && a != b
        {
            return Some(u8::from(b));
        }
        let [of_a, of_b] = [self.a.area(fa), self.b.area(fb)];
        Some(u8::from(of_b > of_a * (1.0 + LARGER)))
    }

    /// 1 − cosine of the angle between faces that count as parallel. A body that has sunk into two others
    /// may lean by a few times its depth across its size. With the normal of its own face, the contact with
    /// one of them would push it along the other.
    pub(super) fn level(&self, gap: f64) -> f64 {
        if self.sinks.is_none() {
            return LEVEL;
        }
        let lean = level_sine(gap, self.a.size().min(self.b.size()));
        0.5 * lean * lean
    }

    /// The reference, or the parallel face of the other hull if it is larger.
    pub(super) fn or_larger(&'a self, r: Reference<'a>, gap: f64) -> Reference<'a> {
        let incident = r.incident(r.deepest(0));
        let faces = match r.owner {
            0 => [r.face, incident],
            _ => [incident, r.face],
        };
        match self.larger(faces, gap) {
            Some(owner) if owner != r.owner => self.reference(owner, incident),
            _ => r,
        }
    }

    /// The direction in which a point of a patch slides if more than two sides pass through it, A's
    /// frame. The point slides along one of its own two sides once a third one cuts the other off. Its
    /// length is that of the hulls; its component along the normal is the change of the gap. Zero if
    /// only two sides cross.
    pub(super) fn slide(&self, feature: Feature, point: Vec3, rounding: f64) -> Vec3 {
        let (Feature::FaceVertex { owner, face, .. }
        | Feature::FaceCorner { owner, face, .. }
        | Feature::SideSide { owner, face, .. }) = feature
        else {
            return Vec3::ZERO;
        };
        let r = self.reference(owner, face);
        let n = r.hull.face(face).normal;
        let slide = r.slide(feature, r.to_a.inverse_point(point), rounding);
        let slide = match owner {
            0 => slide,
            _ => slide - n * (2.0 * n.dot(slide)),
        };
        r.to_a.rot.mul_vec(slide) * (self.a.size() + self.b.size())
    }
}

/// A side of the reference face or of the incident face.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Ours(usize),
    Theirs(usize),
}

/// A side in the reference frame. Its direction runs along the incident face and has unit length as
/// seen along the normal.
#[derive(Clone, Copy)]
struct Line {
    from: Vec3,
    along: Vec3,
}

impl Reference<'_> {
    /// The face of the other hull at its vertex `vertex` that faces the reference face most.
    pub fn incident(&self, vertex: u16) -> u16 {
        let n = self.hull.face(self.face).normal;
        let against = -self.other_pose.rot.tr_mul_vec(n);
        self.other.face_towards(vertex, against)
    }

    /// The direction in which the point of a feature at `x` slides if a third side cuts off one of its
    /// two sides: a generic combination of both sides. Its component along the face's normal is the
    /// change of height. Zero if no third side passes through `x`.
    fn slide(&self, feature: Feature, x: Vec3, rounding: f64) -> Vec3 {
        let Some((incident, own)) = self.own_sides(feature) else {
            return Vec3::ZERO;
        };
        let n = self.hull.face(self.face).normal;
        let lines = own.map(|side| self.line(side, incident));
        let ours = (0..self.hull.polygon(self.face).len()).map(Side::Ours);
        // A segment is a polygon of two sides on one line.
        let others = match self.other.is_solid() {
            true => self.other.polygon(incident).len(),
            false => 0,
        };
        let theirs = (0..others).map(Side::Theirs);
        let mut slide = Vec3::ZERO;
        for side in ours.chain(theirs).filter(|side| !own.contains(side)) {
            let third = self.line(side, incident);
            let across = n.cross(third.along);
            if across.dot(x - third.from).abs() > rounding {
                continue;
            }
            for (line, share) in lines.iter().zip(GENERAL) {
                if across.dot(line.along).abs() > PARALLEL {
                    slide += line.along * share;
                }
            }
            // The whole slide runs along the side; beyond it there is no patch.
            if !self.other.is_solid() && across.dot(lines[1].along).abs() <= PARALLEL {
                slide += across;
            }
        }
        slide
    }

    /// The incident face of a feature, and the two sides that cross there.
    fn own_sides(&self, feature: Feature) -> Option<(u16, [Side; 2])> {
        let before = |k: usize, count: usize| (k + count - 1) % count;
        match feature {
            Feature::FaceVertex { vertex, .. } => {
                let incident = self.incident(vertex);
                let polygon = self.other.polygon(incident);
                let k = polygon.iter().position(|&v| v == vertex)?;
                Some((incident, [before(k, polygon.len()), k].map(Side::Theirs)))
            }
            Feature::FaceCorner {
                corner, incident, ..
            } => {
                let k = usize::from(corner);
                let count = self.hull.polygon(self.face).len();
                Some((incident, [before(k, count), k].map(Side::Ours)))
            }
            Feature::SideSide {
                side,
                incident,
                incident_side,
                ..
            } => Some((
                incident,
                [Side::Ours(side.into()), Side::Theirs(incident_side.into())],
            )),
            _ => None,
        }
    }

    fn line(&self, side: Side, incident: u16) -> Line {
        let n = self.hull.face(self.face).normal;
        let (from, along) = match side {
            Side::Ours(k) => {
                let (from, along) = self.side(k);
                let m = self
                    .other_pose
                    .rot
                    .mul_vec(self.other.face(incident).normal);
                let slope = match m.dot(n) {
                    steep if steep > -STEEPEST => 0.0,
                    steep => m.dot(along) / steep,
                };
                (from, along - n * slope)
            }
            Side::Theirs(k) => {
                let polygon = self.other.polygon(incident);
                let end = |k: usize| {
                    let vertex = polygon[k % polygon.len()];
                    self.other_pose.point(self.other.vertex(vertex))
                };
                (end(k), end(k + 1) - end(k))
            }
        };
        let length = n.cross(along).norm().max(f64::MIN_POSITIVE);
        Line {
            from,
            along: along * (1.0 / length),
        }
    }
}
