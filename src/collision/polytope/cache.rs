//! What a query on a pair of shapes leaves for the next one.

use super::convex::{Convex, Kind};
use super::curved::Bodies;
use super::gjk::{self, Proximity, Simplex, SupportMap, Vertex};
use super::pair::Pair;
use crate::spatial::Vec3;

/// Relative accuracy of the distance along the axis that keeps two shapes apart.
const ROUGHLY: f64 = 1e-2;
/// In roundings: by this much more than the margin shapes must be apart along an old axis.
const CLEAR: f64 = 4.0;

/// Where the last query on a pair ended, for the next one to start from. What is found does not
/// depend on it, to the last bit: where another start could lead to other features (a tie), the
/// query starts afresh. Any pair may start from the default, or from what another pair left.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairCache {
    /// Unit, A's frame: the shapes were apart along it; else zero.
    axis: Vec3,
    /// The vertices of A and B nearest to each other along it.
    near: [u16; 2],
    /// Vertices of A and B that make the simplex on which the search ended.
    simplex: [[u16; 2]; 4],
    len: u8,
}

impl PairCache {
    /// Whether the shapes are apart by more than the margin along the axis of the last query.
    #[inline]
    pub(super) fn keeps_apart(&mut self, bodies: &Bodies, margin: f64, rounding: f64) -> bool {
        if self.axis == Vec3::ZERO {
            return false;
        }
        let [a, b] = self.near;
        let near = Vertex {
            w: Vec3::ZERO,
            a: known(bodies.a, a),
            b: known(bodies.b, b),
        };
        let v = bodies.support(self.axis, Some(near));
        let gap = -v.w.dot(self.axis) - bodies.a.radius() - bodies.b.radius();
        self.near = [v.a, v.b];
        let apart = gap > margin + CLEAR * rounding;
        if !apart {
            self.axis = Vec3::ZERO;
        }
        apart
    }

    /// Looks for an axis that keeps the shapes apart.
    pub(super) fn look_apart(&mut self, bodies: &Bodies, rounding: f64) {
        let start = Simplex::default();
        if let Proximity::Apart { simplex, normal } =
            gjk::distance(bodies, start, f64::INFINITY, rounding, ROUGHLY)
        {
            self.axis = normal;
            self.near = [simplex.vertices[0].a, simplex.vertices[0].b];
        }
    }

    pub(super) fn remember(&mut self, s: &Simplex) {
        for (id, v) in self.simplex.iter_mut().zip(s.as_slice()) {
            *id = [v.a, v.b];
        }
        self.len = s.len as u8;
    }

    /// The simplex at this placement, without vertices that the hulls do not have.
    pub(super) fn recall(&self, pair: &Pair) -> Simplex {
        let mut s = Simplex::default();
        let ids = &self.simplex[..usize::from(self.len)];
        for (k, &[a, b]) in ids.iter().enumerate() {
            if pair.has(a, b) && !ids[..k].contains(&[a, b]) {
                s.push(pair.vertex(a, b));
            }
        }
        s
    }
}

/// The vertex, or the first one where the shape's hull has no such vertex.
fn known(c: &Convex, vertex: u16) -> u16 {
    match c.kind {
        Kind::Hull { .. } if usize::from(vertex) >= c.hull.vertices().len() => 0,
        _ => vertex,
    }
}
