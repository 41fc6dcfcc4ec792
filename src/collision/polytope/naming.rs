//! The axis named by the corners of a facet of the Minkowski difference of two hulls.

use super::axis::{Axis, prefer};
use super::distinct::Distinct;
use super::gjk::{SupportMap, Vertex};
use super::pair::{NEARLY_PARALLEL, ON_FACE, Pair};
use crate::spatial::Vec3;

impl Pair<'_> {
    /// Whether the hulls separate along an axis at this depth, up to rounding and the flatness of the
    /// faces.
    pub(super) fn bears(&self, axis: &Axis, depth: f64, rounding: f64) -> bool {
        axis.gap() >= -depth - rounding - self.flatness()
    }

    /// The axis of least depth near a facet of the difference. Candidates are the faces at its corners, and
    /// the pairs of edges at its corners whose common normal is nearly that of the facet. It is for hulls
    /// whose faces are plane only to the digits of a file: a facet may then bridge two faces and lie on
    /// neither.
    pub(super) fn axis_near(
        &self,
        corners: &[Vertex; 3],
        normal: Vec3,
        rounding: f64,
    ) -> Option<Axis> {
        let rot = &self.b_in_a.rot;
        let ids_a = Distinct::new(corners.iter().map(|v| v.a));
        let ids_b = Distinct::new(corners.iter().map(|v| v.b));
        let [a0, b0] = [ids_a.ids[0], ids_b.ids[0]];
        let is_about = |n: Vec3| n.dot(normal) >= NEARLY_PARALLEL;
        let mut best: Option<Axis> = None;
        let mut offer = |axis: Axis| {
            if best.is_none_or(|b| prefer(&axis, &b, rounding)) {
                best = Some(axis);
            }
        };
        for &f in ids_a.iter().flat_map(|a| self.a.faces_at(a)) {
            let n = self.a.face(f).normal;
            if is_about(n) {
                let deepest = self.b.support_from(-rot.tr_mul_vec(n), b0);
                offer(self.face_axis(0, f, deepest));
            }
        }
        for &f in ids_b.iter().flat_map(|b| self.b.faces_at(b)) {
            let n = -rot.mul_vec(self.b.face(f).normal);
            if is_about(n) {
                offer(self.face_axis(1, f, self.a.support_from(n, a0)));
            }
        }
        for (a, &a2) in ids_a
            .iter()
            .flat_map(|a| self.a.neighbours(a).iter().map(move |n| (a, n)))
        {
            for (b, &b2) in ids_b
                .iter()
                .flat_map(|b| self.b.neighbours(b).iter().map(move |n| (b, n)))
            {
                let edges = self.edge_axis([a.min(a2), a.max(a2)], [b.min(b2), b.max(b2)]);
                let Some(Axis::Edges { normal: n, gap, .. }) = edges else {
                    continue;
                };
                // Two edges touch if no vertex is farther out.
                let near = Vertex { a, b, ..corners[0] };
                if is_about(n) && gap <= rounding - self.support(n, Some(near)).w.dot(n) {
                    edges.into_iter().for_each(&mut offer);
                }
            }
        }
        best
    }

    /// The axis of the features that the vertices of a simplex name; it is nearly `normal`. `None` if
    /// they name vertices, or an edge and a vertex.
    pub(super) fn axis_of(&self, simplex: &[Vertex], normal: Vec3) -> Option<Axis> {
        let ids_a = Distinct::new(simplex.iter().map(|v| v.a));
        let ids_b = Distinct::new(simplex.iter().map(|v| v.b));
        let (a0, b0) = (ids_a.ids[0], ids_b.ids[0]);
        let against = -self.b_in_a.rot.tr_mul_vec(normal);
        let fa = self.a.face_towards(a0, normal);
        let fb = self.b.face_towards(b0, against);
        let on_a = self.a.face(fa).normal.dot(normal) >= 1.0 - ON_FACE;
        let on_b = self.b.face(fb).normal.dot(against) >= 1.0 - ON_FACE;
        if on_a || (ids_a.len >= 3 && !on_b) {
            let n = self.a.face(fa).normal;
            let deepest = self.b.support_from(-self.b_in_a.rot.tr_mul_vec(n), b0);
            return Some(self.face_axis(0, fa, deepest));
        }
        if on_b || ids_b.len >= 3 {
            let n = self.b_in_a.rot.mul_vec(self.b.face(fb).normal);
            let deepest = self.a.support_from(-n, a0);
            return Some(self.face_axis(1, fb, deepest));
        }
        if ids_a.len == 2 && ids_b.len == 2 {
            return self.edge_axis(ids_a.sorted(), ids_b.sorted());
        }
        None
    }
}
