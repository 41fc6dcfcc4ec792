//! Overlapping curved shapes met again: where the depth was least, and what proves that it still is.

use super::array_vec::ArrayVec;
use super::feature::Spot;
use super::inner::{ALIKE, CORNERS, Inner};
use crate::spatial::{Pose, Vec3};

/// A closed surface of triangles about the origin, inside the Minkowski difference of two shapes that
/// overlap, with the solution of the query that left it. Its corners are points of the two bodies,
/// which stay in them however they move. A direction through a facet leaves the difference no
/// nearer than that facet's plane: where all planes but those across the solution are deeper
/// than the solution, no other direction is as good.
///
/// It holds for the two shapes that left it alone.
#[derive(Clone, Debug)]
pub struct Cage {
    /// Of A and of B, each in its body's frame.
    corners: ArrayVec<[Vec3; 2], CORNERS>,
    /// Counter-clockwise seen from outside.
    facets: ArrayVec<[u8; 3], { 2 * CORNERS }>,
    spots: [Spot; 2],
    normal: Vec3,
}

impl Default for Cage {
    fn default() -> Cage {
        Cage {
            corners: ArrayVec::new(),
            facets: ArrayVec::new(),
            spots: [Spot::Smooth; 2],
            normal: Vec3::ZERO,
        }
    }
}

impl Cage {
    pub fn clear(&mut self) {
        self.corners.clear();
        self.facets.clear();
    }

    /// The features and the normal (A's frame) of the solution, where there is one.
    pub(super) fn solution(&self) -> Option<([Spot; 2], Vec3)> {
        (!self.facets.is_empty()).then_some((self.spots, self.normal))
    }

    /// Keeps a solution with a polytope in the difference, or without where that has too many corners.
    pub(super) fn keep(&mut self, inner: &Inner, b_in_a: &Pose, spots: [Spot; 2], normal: Vec3) {
        self.clear();
        if self.kept(inner, b_in_a).is_none() {
            self.clear();
        }
        (self.spots, self.normal) = (spots, normal);
    }

    fn kept(&mut self, inner: &Inner, b_in_a: &Pose) -> Option<()> {
        for v in inner.vertices.iter() {
            self.corners.push([v.w + b_in_a.point(v.on_b), v.on_b])?;
        }
        for f in inner.facets() {
            self.facets.push(f.corners)?;
        }
        Some(())
    }

    /// The next query starts from this normal.
    pub(super) fn turn(&mut self, normal: Vec3) {
        self.normal = normal;
    }

    /// Whether every direction but those about `normal` is deeper than `depth`.
    pub(super) fn is_deeper(&self, b_in_a: &Pose, normal: Vec3, depth: f64) -> bool {
        let mut corners = ArrayVec::<Vec3, CORNERS>::new();
        for [a, b] in self.corners.iter() {
            let _ = corners.push(*a - b_in_a.point(*b));
        }
        self.facets.iter().all(|f| {
            let [p, q, r] = f.map(|i| corners[usize::from(i)]);
            let out = (q - p).cross(r - p);
            let length = out.norm_squared();
            let beyond = |height: f64, least: f64| height > 0.0 && height * height > least * length;
            let along = out.dot(normal);
            beyond(out.dot(p), depth * depth)
                || out.dot(p) > 0.0 && beyond(along, (1.0 - ALIKE) * (1.0 - ALIKE))
        })
    }
}
