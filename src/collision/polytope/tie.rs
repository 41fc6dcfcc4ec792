//! Parallel faces: along whose normal two hulls part.
//!
//! Let two faces lie on each other, P_A and P_B their polygons and f(x) how a small motion lifts B off A at x. Along A's face
//! the gap grows by the least f over P_B, along B's by the least over P_A, and along the best of all normals near these by
//! the least over P_A ∩ P_B (linear programming: a normal that leans by δ adds δ·x_B − δ·x_A). Whatever the motion, A's face is
//! best if P_B lies within P_A, and B's if P_A lies within P_B. Where neither does, it is A's where f is least in a corner of
//! B, B's where in one of A, and between them a normal of two edges: the normal has a derivative by sides alone.

use super::feature::Feature;
use super::pair::{ON_FACE, Pair};
use super::patch::Reference;
use crate::collision::Smoothness;

impl Pair<'_> {
    /// Of parallel faces of A and B, the hull whose face holds the other, A before B; `None` where they are not parallel, or
    /// neither holds the other.
    pub(super) fn holder(&self, faces: [u16; 2], rounding: f64) -> Option<u8> {
        let [a, b] = [self.a.face(faces[0]).normal, self.b.face(faces[1]).normal];
        let solid = self.a.is_solid() && self.b.is_solid();
        if !solid || a.dot(self.b_in_a.rot.mul_vec(b)) > ON_FACE - 1.0 {
            return None;
        }
        [0, 1].into_iter().find(|&owner| {
            let [face, other] = match owner {
                0 => faces,
                _ => [faces[1], faces[0]],
            };
            let r = self.reference(owner, face);
            r.other
                .polygon(other)
                .iter()
                .all(|&v| r.is_over(v, rounding))
        })
    }

    /// The reference, or the face parallel to it that holds it.
    pub(super) fn holding<'a>(&'a self, r: Reference<'a>, rounding: f64) -> Reference<'a> {
        let incident = r.incident(r.deepest(0));
        let faces = match r.owner {
            0 => [r.face, incident],
            _ => [incident, r.face],
        };
        match self.holder(faces, rounding) {
            Some(owner) if owner != r.owner => self.reference(owner, incident),
            _ => r,
        }
    }

    /// Whether the normal at a point of a patch, at this gap of the cores, has one derivative: not if it is among the lowest of the
    /// other hull, and some of these lie beyond the face.
    pub(super) fn smoothness(&self, feature: Feature, gap: f64, rounding: f64) -> Smoothness {
        let (Feature::FaceVertex { owner, face, .. }
        | Feature::FaceCorner { owner, face, .. }
        | Feature::SideSide { owner, face, .. }) = feature
        else {
            return Smoothness::Smooth;
        };
        let r = self.reference(owner, face);
        let lowest = r.deepest(0);
        if gap > r.height(lowest) + rounding || r.holds_lowest(lowest, rounding) {
            Smoothness::Smooth
        } else {
            Smoothness::Tied
        }
    }
}

impl Reference<'_> {
    /// The face of the other hull at its vertex `vertex` that looks most towards the reference face.
    pub fn incident(&self, vertex: u16) -> u16 {
        let n = self.hull.face(self.face).normal;
        let against = -self.other_pose.rot.tr_mul_vec(n);
        self.other.face_towards(vertex, against)
    }

    /// Of a vertex of the other hull over the face [m].
    fn height(&self, vertex: u16) -> f64 {
        let f = self.hull.face(self.face);
        f.normal
            .dot(self.other_pose.point(self.other.vertex(vertex)))
            - f.offset
    }

    /// Whether a vertex of the other hull is over the face.
    fn is_over(&self, vertex: u16, rounding: f64) -> bool {
        self.holds(self.other_pose.point(self.other.vertex(vertex)), -rounding)
    }

    /// Whether all of the other hull that is as low over the face as `vertex`, its lowest, lies within the face's sides.
    pub fn holds_lowest(&self, vertex: u16, rounding: f64) -> bool {
        let level = self.height(vertex) + rounding;
        let polygon = self.other.polygon(self.incident(vertex));
        let mut low = polygon.iter().filter(|&&v| self.height(v) <= level);
        low.all(|&v| self.is_over(v, rounding))
    }
}
