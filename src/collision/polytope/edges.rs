//! Contacts of vertices and edges of two separated hulls.

use super::array_vec::ArrayVec;
use super::distinct::Distinct;
use super::feature::Feature;
use super::hull::Hull;
use super::pair::Pair;
use super::patch::Candidates;
use crate::collision::ContactPoint;
use crate::spatial::Vec3;

/// Sine of the angle between two edges up to which both ends of their overlap touch.
pub(super) const PARALLEL_EDGES: f64 = 0.1;
/// In roundings: vertices whose heights differ by less count as equally far out.
const TIED: f64 = 1e3;
/// Most edges of a hull that are tested as parallel to an edge of the other hull.
const MAX_CROSSWISE: usize = 8;

impl Pair<'_> {
    /// The contact of two vertices, of a vertex with an edge, or of two parallel edges. Parallel edges
    /// count as an edge of A with the first end of B's edge beside it, or as an edge of B with an end
    /// of A's.
    pub(super) fn nearest_vertex(&self, ids_a: &Distinct, ids_b: &Distinct) -> ContactPoint {
        let xa = |i: u16| self.a.vertex(i);
        let xb = |i: u16| self.b_in_a.point(self.b.vertex(i));
        // Offset from the edge to the vertex, and whether the foot lies within the edge.
        let beside = |p: Vec3, q: Vec3, x: Vec3| {
            let u = q - p;
            let t = (x - p).dot(u) / u.norm_squared();
            ((x - p) - u * t, (0.0..=1.0).contains(&t))
        };
        let mut best: Option<(Vec3, Vec3, Feature, bool)> = None;
        let mut offer = |c: (Vec3, Vec3, Feature, bool)| {
            if best.is_none_or(|b| !b.3 && c.3) {
                best = Some(c);
            }
        };
        if ids_a.len == 2 {
            let edge = ids_a.sorted();
            for vertex in ids_b.iter() {
                let x = xb(vertex);
                let (d, inside) = beside(xa(edge[0]), xa(edge[1]), x);
                let feature = Feature::EdgeVertex {
                    owner: 0,
                    edge,
                    vertex,
                };
                offer((x - d * 0.5, d, feature, inside));
            }
        }
        if ids_b.len == 2 {
            let edge = ids_b.sorted();
            for vertex in ids_a.iter() {
                let x = xa(vertex);
                let (d, inside) = beside(xb(edge[0]), xb(edge[1]), x);
                let feature = Feature::EdgeVertex {
                    owner: 1,
                    edge,
                    vertex,
                };
                offer((x - d * 0.5, -d, feature, inside));
            }
        }
        let (a, b) = (ids_a.ids[0], ids_b.ids[0]);
        let (point, d, feature, _) = best.unwrap_or_else(|| {
            let d = xb(b) - xa(a);
            (xa(a) + d * 0.5, d, Feature::VertexVertex { a, b }, true)
        });
        let gap = d.norm();
        ContactPoint {
            point,
            normal: d * (1.0 / gap),
            gap,
            feature: feature.encode(),
        }
    }

    /// Adds contacts of nearly parallel edges that are nearly perpendicular to `normal`: an edge of A
    /// at its outermost vertex `a` along `normal`, and an edge of B at `b`. The contacts are the ends
    /// of each edge that lie beside the other one.
    pub(super) fn parallel_edges(
        &self,
        normal: Vec3,
        a: u16,
        b: u16,
        margin: f64,
        rounding: f64,
        found: &mut Candidates,
    ) {
        self.lengthwise(normal, [a, b], rounding, |end| {
            let (share, d) = (end.share, end.offset);
            let out = if end.owner == 0 { d } else { -d };
            let gap = d.norm();
            let outwards = out.dot(normal) > 0.5 * gap;
            if (0.0..=1.0).contains(&share) && outwards && gap > rounding && gap <= margin {
                let (owner, edge, vertex) = (end.owner, end.edge, end.vertex);
                found.push(ContactPoint {
                    point: end.at - d * 0.5,
                    normal: out * (1.0 / gap),
                    gap,
                    feature: Feature::EdgeVertex {
                        owner,
                        edge,
                        vertex,
                    }
                    .encode(),
                });
            }
        });
    }

    /// Offers the four ends of each pair of such edges.
    pub(super) fn lengthwise(
        &self,
        normal: Vec3,
        [a, b]: [u16; 2],
        rounding: f64,
        mut offer: impl FnMut(End),
    ) {
        let against = -self.b_in_a.rot.tr_mul_vec(normal);
        let (edges_a, edges_b) = (
            crosswise(self.a, a, normal, rounding),
            crosswise(self.b, b, against, rounding),
        );
        for &ids_a in edges_a.iter() {
            let [p, q] = ids_a.map(|i| self.a.vertex(i));
            for &ids_b in edges_b.iter() {
                let [r, s] = ids_b.map(|i| self.b_in_a.point(self.b.vertex(i)));
                let (u, v) = (q - p, s - r);
                if u.cross(v).norm() > PARALLEL_EDGES * u.norm() * v.norm() {
                    continue;
                }
                let mut end = |owner: u8, edge, from: Vec3, along: Vec3, at: Vec3, vertex| {
                    let share = (at - from).dot(along) / along.norm_squared();
                    offer(End {
                        owner,
                        edge,
                        vertex,
                        at,
                        share,
                        offset: at - from - along * share,
                    });
                };
                end(0, ids_a, p, u, r, ids_b[0]);
                end(0, ids_a, p, u, s, ids_b[1]);
                end(1, ids_b, r, v, p, ids_a[0]);
                end(1, ids_b, r, v, q, ids_a[1]);
            }
        }
    }
}

/// An end of an edge of one hull, and an edge of the other hull (the `owner`) along it. A's frame.
pub(super) struct End {
    pub owner: u8,
    pub edge: [u16; 2],
    pub vertex: u16,
    at: Vec3,
    /// Place of the end along the owner's edge, as a share of the edge's length.
    share: f64,
    /// Offset from the line of the owner's edge to the end.
    offset: Vec3,
}

impl End {
    /// The direction from A to B.
    pub fn normal(&self) -> Option<Vec3> {
        let n = self.offset.normalized()?;
        Some(if self.owner == 0 { n } else { -n })
    }
}

/// The edges nearly perpendicular to `dir` at the vertex `top`, which is outermost along `dir`, and at
/// its neighbours that are equally far out. Those are needed because a search may give either end of a
/// touching edge.
fn crosswise(hull: &Hull, top: u16, dir: Vec3, rounding: f64) -> ArrayVec<[u16; 2], MAX_CROSSWISE> {
    let mut edges = ArrayVec::new();
    let height = |i: u16| hull.vertex(i).dot(dir);
    let outermost = |i: &u16| height(top) - height(*i) <= TIED * rounding;
    let tops = hull.neighbours(top).iter().copied().filter(outermost);
    for from in std::iter::once(top).chain(tops) {
        for &to in hull.neighbours(from) {
            let edge = [from.min(to), from.max(to)];
            let along = hull.vertex(to) - hull.vertex(from);
            let flat = along.dot(dir).abs() <= PARALLEL_EDGES * along.norm();
            if flat && !edges.contains(&edge) {
                let _ = edges.push(edge);
            }
        }
    }
    edges
}
