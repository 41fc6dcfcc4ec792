//! Warm start for overlapping curved shapes: the last solution, and a proof that it is still the least
//! depth.

use super::array_vec::ArrayVec;
use super::feature::Spot;
use super::inner::{ALIKE, CORNERS, Inner};
use crate::spatial::{Pose, Vec3};

/// A closed surface of triangles about the origin, inside the Minkowski difference of two overlapping
/// shapes, with the solution of the query that left it. Its corners are points of the two bodies and move
/// with them. Along a direction through a facet, the boundary of the difference is at least as far as that
/// facet's plane. If all planes except those across the solution are deeper than the solution, no other
/// direction has less depth.
///
/// It is valid only for the two shapes that left it.
#[derive(Clone, Debug)]
pub struct Cage {
    /// Points of A and of B, each in its body's frame.
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

    /// The features and the normal (A's frame) of the solution, if there is one.
    pub(super) fn solution(&self) -> Option<([Spot; 2], Vec3)> {
        (!self.facets.is_empty()).then_some((self.spots, self.normal))
    }

    /// Stores a solution with the polytope inside the difference. A polytope with too many corners is
    /// left out.
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

    /// Sets the normal from which the next query starts.
    pub(super) fn turn(&mut self, normal: Vec3) {
        self.normal = normal;
    }

    /// Whether every direction is deeper than `depth`, except those near `normal`.
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
