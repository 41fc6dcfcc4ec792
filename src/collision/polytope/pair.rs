//! Two placed hulls, and the axes of their faces and edges.

use super::axis::{Axis, PARALLEL};
use super::gjk::{SupportMap, Vertex};
use super::hull::Hull;
use super::patch::Reference;
use crate::collision::Sinks;
use crate::spatial::{Pose, Vec3};

/// Relative to the sizes of the hulls: hulls closer than this count as touching, and axes or depths
/// that differ by less count as equal.
pub(in crate::collision) const ROUNDING: f64 = 1e-8;
/// 1 − cosine of the angle within which an axis counts as a face's normal.
pub(in crate::collision) const ON_FACE: f64 = 1e-12;
/// Cosine between a contact's normal and a face's normal from which on the face adds its patch.
pub(super) const NEARLY_PARALLEL: f64 = 0.99;

/// Two hulls, and B's placement in A's frame.
pub(super) struct Pair<'a> {
    pub a: &'a Hull,
    pub b: &'a Hull,
    pub b_in_a: Pose,
    /// Centre of B in A's frame.
    pub b_centre: Vec3,
    /// Given if the bodies rest while they overlap.
    pub sinks: Option<Sinks>,
}

impl SupportMap for Pair<'_> {
    #[inline]
    fn support(&self, dir: Vec3, near: Option<Vertex>) -> Vertex {
        let dir_b = -self.b_in_a.rot.tr_mul_vec(dir);
        match near {
            Some(v) => self.vertex(
                self.a.support_from(dir, v.a),
                self.b.support_from(dir_b, v.b),
            ),
            None => self.vertex(self.a.support(dir), self.b.support(dir_b)),
        }
    }

    fn outlook(&self) -> Vec3 {
        self.b_centre - self.a.centre()
    }
}

impl<'a> Pair<'a> {
    pub fn new(a: &'a Hull, b: &'a Hull, b_in_a: Pose) -> Self {
        Pair {
            a,
            b,
            b_in_a,
            b_centre: b_in_a.point(b.centre()),
            sinks: None,
        }
    }

    /// The same pair of bodies that rest while they overlap (if `sinks` is given), or not.
    pub fn sinking(self, sinks: Option<Sinks>) -> Self {
        Pair { sinks, ..self }
    }

    /// Largest depth of a corner below the plane of its face, summed over both hulls [m].
    pub(super) fn flatness(&self) -> f64 {
        self.a.flatness() + self.b.flatness()
    }

    /// Whether the hulls have these vertices.
    pub(super) fn has(&self, a: u16, b: u16) -> bool {
        usize::from(a) < self.a.vertices().len() && usize::from(b) < self.b.vertices().len()
    }

    #[inline(always)]
    pub(super) fn vertex(&self, a: u16, b: u16) -> Vertex {
        let on_b = self.b.vertex(b);
        Vertex {
            w: self.a.vertex(a) - self.b_in_a.point(on_b),
            on_b,
            a,
            b,
        }
    }

    /// The axis along a face of `owner`, for the other hull's vertex deepest below the face.
    pub(super) fn face_axis(&self, owner: u8, face: u16, vertex: u16) -> Axis {
        let gap = if owner == 0 {
            let f = self.a.face(face);
            f.normal.dot(self.b_in_a.point(self.b.vertex(vertex))) - f.offset
        } else {
            let f = self.b.face(face);
            f.normal
                .dot(self.b_in_a.inverse_point(self.a.vertex(vertex)))
                - f.offset
        };
        Axis::Face { owner, face, gap }
    }

    /// The axis perpendicular to two edges, pointing out of A; `None` for parallel edges.
    pub(super) fn edge_axis(&self, a: [u16; 2], b: [u16; 2]) -> Option<Axis> {
        let [a0, a1] = a.map(|i| self.a.vertex(i));
        let [b0, b1] = b.map(|i| self.b_in_a.point(self.b.vertex(i)));
        let (u, v) = (a1 - a0, b1 - b0);
        let n = u.cross(v);
        let length = n.norm();
        if length <= PARALLEL * u.norm() * v.norm() {
            return None;
        }
        let outwards = (n.dot(a0 - self.a.centre()) - n.dot(b0 - self.b_centre)).signum();
        let normal = n * (outwards / length);
        Some(Axis::Edges {
            a,
            b,
            normal,
            gap: normal.dot(b0 - a0),
        })
    }

    /// The hull that holds a face, as the reference of a patch.
    pub(super) fn reference(&self, owner: u8, face: u16) -> Reference<'_> {
        if owner == 0 {
            Reference {
                owner,
                hull: self.a,
                face,
                other: self.b,
                other_pose: self.b_in_a,
                to_a: Pose::IDENTITY,
            }
        } else {
            Reference {
                owner,
                hull: self.b,
                face,
                other: self.a,
                other_pose: self.b_in_a.inverse(),
                to_a: self.b_in_a,
            }
        }
    }
}
