//! The contact of two placed hulls.

use super::axis::Axis;
use super::cache::Memory;
use super::depth;
use super::distinct::Distinct;
use super::feature::Feature;
use super::gjk::{self, Proximity, Simplex};
use super::hull::Hull;
use super::pair::{NEARLY_PARALLEL, ON_FACE, Pair};
use super::patch::Candidates;
use super::sat;
use super::shell::Shell;
use crate::collision::ContactPoint;
use crate::spatial::Vec3;

/// Relative accuracy of the distance between hulls: round-off.
const ACCURACY: f64 = 1e-14;
/// In units of round-off: the sign of a difference below this is not known.
const DOUBT: f64 = 0.01;
/// In units of round-off: at smaller distances, cancellation makes the normal too inaccurate to find the
/// features.
const CLEARLY_APART: f64 = 1e3;
/// As [`ON_FACE`], for axes that differ only as the results of two searches may differ.
const ON_FACE_SURELY: f64 = 1e-13;
const OFF_FACE_SURELY: f64 = 1e-9;
/// 1 − cosine to the neighbouring faces from which on an axis of two edges is distinct from theirs.
const BENT: f64 = 1e-7;
/// Relative to a feature's or a hull's size: two searches differ by less than this.
const WELL_WITHIN: f64 = 1e-6;
/// Relative to the sizes of the hulls: a point of such a patch is dropped if it is nearer to the
/// contact's own point than this.
const SAME_POINT: f64 = 1e-3;

impl Pair<'_> {
    pub(super) fn contact(
        &self,
        margin: f64,
        rounding: f64,
        memory: &mut Memory,
        found: &mut Candidates,
    ) {
        if let (Some(ha), Some(hb)) = (self.a.half_extents(), self.b.half_extents()) {
            let Some(axis) = sat::boxes(self, ha, hb, rounding) else {
                return;
            };
            if axis.gap() > margin {
                return;
            }
            if axis.gap() <= rounding {
                return self.on_axis(axis, margin, rounding, found);
            }
        }
        if memory.cache.is_promising() {
            let start = memory.cache.recall(self);
            let settled = self.search_from(start, margin, rounding, memory, found);
            memory.cache.learn(settled);
            if settled {
                return;
            }
        }
        match gjk::distance(self, Simplex::default(), margin, rounding, ACCURACY) {
            Proximity::Beyond => {}
            Proximity::Apart { simplex, normal } => {
                memory.cache.remember(&simplex);
                self.apart(&simplex, normal, margin, rounding, found);
            }
            Proximity::Overlap(mut simplex) => {
                let mut spare = Shell::default();
                let shell = memory.shell().unwrap_or(&mut spare);
                let axis = depth::least_depth(self, &mut simplex, shell, rounding)
                    .or_else(|| sat::exhaustive(self, rounding))
                    .or_else(|| self.crossing_cores());
                memory.cache.remember(&simplex);
                if let Some(axis) = axis {
                    self.on_axis(axis, margin, rounding, found);
                }
            }
        }
    }

    /// Warm-started search. Adds the contact and returns true if a cold search would certainly end on the
    /// same features. Otherwise returns false and adds nothing.
    fn search_from(
        &self,
        start: Simplex,
        margin: f64,
        rounding: f64,
        memory: &mut Memory,
        found: &mut Candidates,
    ) -> bool {
        let doubt = DOUBT * rounding;
        let surely = |axis: &Axis| axis.gap() <= rounding - doubt && self.is_within(axis);
        let mut simplex = start;
        if let Some(shell) = memory.known_shell()
            && let Some(again) = depth::least_depth_again(self, &mut simplex, shell, rounding)
        {
            let Some(axis) = again.filter(surely) else {
                return false;
            };
            memory.cache.remember(&simplex);
            self.on_axis(axis, margin, rounding, found);
            return true;
        }
        match gjk::distance(self, start, margin + doubt, rounding, ACCURACY) {
            Proximity::Beyond => true,
            Proximity::Apart { simplex, normal } => {
                let mut s = simplex;
                let distance = s.nearest().map_or(0.0, |v| v.norm());
                let clear = distance < margin - doubt && distance > CLEARLY_APART * rounding;
                if !(clear && self.is_distinct(&simplex, normal)) {
                    return false;
                }
                memory.cache.remember(&simplex);
                self.apart(&simplex, normal, margin, rounding, found);
                true
            }
            Proximity::Overlap(mut simplex) => {
                let mut spare = Shell::default();
                let shell = memory.shell().unwrap_or(&mut spare);
                let alone = depth::least_depth_alone(self, &mut simplex, shell, rounding);
                let Some(axis) = alone.filter(surely) else {
                    return false;
                };
                memory.cache.remember(&simplex);
                self.on_axis(axis, margin, rounding, found);
                true
            }
        }
    }

    /// Whether the deepest point of overlapping hulls lies well within the features of its axis, and the
    /// normal of two edges is not nearly a face's. At the border of a feature, its neighbour has the same
    /// depth.
    fn is_within(&self, axis: &Axis) -> bool {
        match *axis {
            Axis::Face { owner, face, .. } => {
                let r = self.reference(owner, face);
                let x = r.other_pose.point(r.other.vertex(r.deepest(0)));
                r.holds(x, WELL_WITHIN * r.hull.size())
            }
            Axis::Edges { a, b, normal, .. } => {
                let [a0, a1] = a.map(|i| self.a.vertex(i));
                let [b0, b1] = b.map(|i| self.b_in_a.point(self.b.vertex(i)));
                let (u, v) = (a1 - a0, b1 - b0);
                let (s, t) = (v.cross(normal), u.cross(normal));
                let inside = |x: f64| x > WELL_WITHIN && x < 1.0 - WELL_WITHIN;
                let against = -self.b_in_a.rot.tr_mul_vec(normal);
                let bent = |hull: &Hull, vertex: u16, n: Vec3| {
                    hull.face(hull.face_towards(vertex, n)).normal.dot(n) < 1.0 - BENT
                };
                inside(s.dot(b0 - a0) / s.dot(u))
                    && inside(t.dot(a0 - b0) / t.dot(v))
                    && bent(self.a, a[0], normal)
                    && bent(self.b, b[0], against)
            }
        }
    }

    /// Whether every search for the nearest points ends on the features that this simplex names. The
    /// normal must be that of a face or far from every face normal. The points must lie well within
    /// features that stand out from their surroundings.
    fn is_distinct(&self, simplex: &Simplex, normal: Vec3) -> bool {
        let vertices = simplex.as_slice();
        let ids_a = Distinct::new(vertices.iter().map(|v| v.a));
        let ids_b = Distinct::new(vertices.iter().map(|v| v.b));
        let against = -self.b_in_a.rot.tr_mul_vec(normal);
        for (hull, ids, n) in [(self.a, &ids_a, normal), (self.b, &ids_b, against)] {
            let face = hull.face_towards(ids.ids[0], n);
            let off = 1.0 - hull.face(face).normal.dot(n);
            if off <= ON_FACE_SURELY {
                return true;
            }
            if off < OFF_FACE_SURELY {
                return false;
            }
        }
        if ids_a.len.max(ids_b.len) > 2 || vertices.len() < ids_a.len * ids_b.len - 1 {
            return false;
        }
        if ids_a.len == 2 && ids_b.len == 2 {
            let [u, v] = [
                self.a.vertex(ids_a.ids[1]) - self.a.vertex(ids_a.ids[0]),
                self.b_in_a
                    .rot
                    .mul_vec(self.b.vertex(ids_b.ids[1]) - self.b.vertex(ids_b.ids[0])),
            ];
            if u.cross(v).norm() < WELL_WITHIN * u.norm() * v.norm() {
                return false;
            }
        }
        simplex.least_weight() > WELL_WITHIN
            && self.a.stands_out(&ids_a, normal, WELL_WITHIN)
            && self.b.stands_out(&ids_b, against, WELL_WITHIN)
    }

    /// The axis of two cores that meet. If both are segments, it is perpendicular to both, else some
    /// perpendicular to either. The gap of the cores is zero.
    fn crossing_cores(&self) -> Option<Axis> {
        let core = |h: &Hull| [0, h.vertices().len() as u16 - 1];
        self.edge_axis(core(self.a), core(self.b))
    }

    pub(super) fn on_axis(&self, axis: Axis, margin: f64, rounding: f64, found: &mut Candidates) {
        match axis {
            Axis::Face { owner, face, gap } => {
                let r = self.or_larger(self.reference(owner, face), gap);
                let (owner, face, vertex) = (r.owner, r.face, r.deepest(0));
                r.clip(vertex, margin, rounding, found);
                if found.points().is_empty() {
                    let x = r.other_pose.point(r.other.vertex(vertex));
                    found.push(r.point(
                        x,
                        Feature::FaceVertex {
                            owner,
                            face,
                            vertex,
                        },
                    ));
                }
            }
            Axis::Edges { a, b, normal, gap } => {
                let point = self.at_edges(a, b, normal, gap);
                self.with_patch(point, a[0], b[0], margin, rounding, found);
            }
        }
    }

    /// The contact of two edges along their common normal; `None` for parallel edges.
    pub(super) fn crossing(&self, a: [u16; 2], b: [u16; 2]) -> Option<ContactPoint> {
        match self.edge_axis(a, b)? {
            Axis::Edges { normal, gap, .. } => Some(self.at_edges(a, b, normal, gap)),
            Axis::Face { .. } => None,
        }
    }

    fn at_edges(&self, a: [u16; 2], b: [u16; 2], normal: Vec3, gap: f64) -> ContactPoint {
        let a0 = self.a.vertex(a[0]);
        let b0 = self.b_in_a.point(self.b.vertex(b[0]));
        let u = self.a.vertex(a[1]) - a0;
        let v = self.b_in_a.point(self.b.vertex(b[1])) - b0;
        // The foot on A's edge, where the edges cross as seen along the normal.
        let w = v.cross(normal);
        let foot = a0 + u * (w.dot(b0 - a0) / w.dot(u));
        ContactPoint {
            point: foot + normal * (0.5 * gap),
            normal,
            gap,
            feature: Feature::EdgeEdge { a, b }.encode(),
        }
    }

    /// Contact along the shortest connection of hulls that are apart.
    fn apart(
        &self,
        simplex: &Simplex,
        normal: Vec3,
        margin: f64,
        rounding: f64,
        found: &mut Candidates,
    ) {
        if let Some(axis) = self.axis_of(simplex.as_slice(), normal) {
            return self.on_axis(axis, margin, rounding, found);
        }
        let ids_a = Distinct::new(simplex.as_slice().iter().map(|v| v.a));
        let ids_b = Distinct::new(simplex.as_slice().iter().map(|v| v.b));
        let point = self.nearest_vertex(&ids_a, &ids_b);
        self.with_patch(point, ids_a.ids[0], ids_b.ids[0], margin, rounding, found);
    }

    /// Adds `point` and the patch around it. If faces are parallel there, adds only the patch.
    fn with_patch(
        &self,
        point: ContactPoint,
        a: u16,
        b: u16,
        margin: f64,
        rounding: f64,
        found: &mut Candidates,
    ) {
        if self.level_patch(point.normal, point.gap, [a, b], margin, rounding, found) {
            return;
        }
        self.patch(point.normal, a, b, margin, rounding, found);
        self.drop_near(point.gap - rounding, 0.0, Some(&point), found);
        found.push(point);
    }

    /// Drops points of a patch that seem deeper than `least` (the faces' normal is not the axis of
    /// least depth), points that coincide with `point`, and points no farther from it than `beside`.
    pub(super) fn drop_near(
        &self,
        least: f64,
        beside: f64,
        point: Option<&ContactPoint>,
        found: &mut Candidates,
    ) {
        found.retain(|p| {
            let is_near = |q| self.is_same(p, q) || (p.point - q.point).norm() <= beside;
            p.gap >= least && !point.is_some_and(is_near)
        });
    }

    /// Whether two points of a patch count as one.
    pub(super) fn is_same(&self, p: &ContactPoint, q: &ContactPoint) -> bool {
        (p.point - q.point).norm() <= SAME_POINT * (self.a.size() + self.b.size())
    }

    /// Adds the patch of two faces at the vertices `a` and `b` (or of a face and a segment) if both are
    /// nearly perpendicular to `normal`. Otherwise adds the ends of edges that run along each other.
    pub(super) fn patch(
        &self,
        normal: Vec3,
        a: u16,
        b: u16,
        margin: f64,
        rounding: f64,
        found: &mut Candidates,
    ) {
        self.faces(normal, [a, b], margin, rounding, found);
        if found.points().is_empty() {
            self.parallel_edges(normal, a, b, margin, rounding, found);
        }
    }

    /// The part of [`Pair::patch`] for faces.
    pub(super) fn faces(
        &self,
        normal: Vec3,
        vertices: [u16; 2],
        margin: f64,
        rounding: f64,
        found: &mut Candidates,
    ) {
        let f = self.facing(normal, vertices);
        let [along_a, along_b] = f.along;
        let (solid_a, solid_b) = (self.a.is_solid(), self.b.is_solid());
        if f.least() >= NEARLY_PARALLEL && (solid_a || solid_b) {
            let by_b = !solid_a || solid_b && along_a < along_b - ON_FACE;
            self.clip_on(u8::from(by_b), &f, margin, rounding, found);
        }
    }

    /// Clips the other hull's face at its vertex on the face of `owner`, if this one is nearly perpendicular
    /// to `normal`, whatever the slope of the other.
    pub(super) fn over_face(
        &self,
        owner: u8,
        normal: Vec3,
        vertices: [u16; 2],
        margin: f64,
        rounding: f64,
        found: &mut Candidates,
    ) {
        let f = self.facing(normal, vertices);
        if f.along[usize::from(owner)] >= NEARLY_PARALLEL {
            self.clip_on(owner, &f, margin, rounding, found);
        }
    }

    /// Adds the patch alone, which is the whole contact, if the faces are parallel within [`Pair::level`].
    /// Returns whether it did.
    pub(super) fn level_patch(
        &self,
        normal: Vec3,
        gap: f64,
        vertices: [u16; 2],
        margin: f64,
        rounding: f64,
        found: &mut Candidates,
    ) -> bool {
        let f = self.facing(normal, vertices);
        if !f.is_level(self.level(gap)) {
            return false;
        }
        let owner = match [self.a.is_solid(), self.b.is_solid()] {
            [true, true] => self.larger(f.faces, gap),
            [true, false] => Some(0),
            [false, true] => Some(1),
            [false, false] => None,
        };
        if let Some(owner) = owner {
            self.clip_on(owner, &f, margin, rounding, found);
        }
        !found.points().is_empty()
    }

    /// Whether faces at two vertices are parallel to the normal of two edges within [`Pair::level`]. Such
    /// edges touch without a patch ([`Pair::level_patch`]) only while round-off chooses faces that look
    /// apart: at a nearby state the whole patch of other faces is the contact.
    pub(super) fn may_lie_level(&self, normal: Vec3, gap: f64, vertices: [u16; 2]) -> bool {
        self.facing(normal, vertices).is_level(self.level(gap))
    }

    /// The faces at two vertices most along `normal` on A, and most against it on B.
    fn facing(&self, normal: Vec3, [a, b]: [u16; 2]) -> Facing {
        let against = -self.b_in_a.rot.tr_mul_vec(normal);
        let fa = self.a.face_towards(a, normal);
        let fb = self.b.face_towards(b, against);
        Facing {
            vertices: [a, b],
            faces: [fa, fb],
            along: [self.a.alignment(fa, normal), self.b.alignment(fb, against)],
        }
    }

    fn clip_on(&self, owner: u8, f: &Facing, margin: f64, rounding: f64, found: &mut Candidates) {
        let (ours, theirs) = (usize::from(owner), usize::from(1 - owner));
        self.reference(owner, f.faces[ours])
            .clip(f.vertices[theirs], margin, rounding, found);
    }
}

/// A face (or a segment) of each hull at one of its vertices, and the cosine of each to the normal
/// between the hulls.
struct Facing {
    vertices: [u16; 2],
    faces: [u16; 2],
    along: [f64; 2],
}

impl Facing {
    fn least(&self) -> f64 {
        self.along[0].min(self.along[1])
    }

    /// The normal may be off by twice the angle between parallel faces.
    fn is_level(&self, level: f64) -> bool {
        self.least() >= 1.0 - 4.0 * level
    }
}
