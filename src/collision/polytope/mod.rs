//! Contact of convex shapes where at least one is a box, the hull of a mesh, a cylinder or an
//! ellipsoid.
//!
//! Hulls that are apart by more than rounding touch along their shortest connection; hulls that
//! touch or overlap, along the axis on which they can part soonest. In both cases that axis is the
//! normal of a face, perpendicular to two edges, or (only apart) through a vertex. A face's normal
//! gives a patch of up to four points by clipping; other axes give one point, to which the patch of
//! two faces that are nearly parallel to the contact is added.

mod again;
mod array_vec;
mod build;
mod cache;
mod cage;
mod convex;
mod curved;
mod decompose;
mod derivative;
mod edges;
mod epa;
mod feature;
mod gjk;
mod hull;
mod inner;
mod local;
mod mesh;
mod naming;
mod pair;
mod patch;
mod plane;
mod sat;
mod shell;
mod terrain;
#[cfg(test)]
mod tests;

pub use build::MAX_TRIANGLES;
pub use cache::{Depths, Memory, PairCache};
pub use convex::Convex;
pub use decompose::{Decomposition, decompose};
pub use derivative::differentiate;
pub use feature::{Feature, Spot};
pub use hull::{Edge, Face, Hull, MAX_SIDES, MAX_VERTICES};
pub use mesh::{opening, shapes};
pub use plane::{collide_plane, differentiate_plane};
pub use terrain::{Terrain, TerrainContact};

use crate::collision::{Approach, ContactPoint};
use crate::spatial::Pose;
use curved::Bodies;
use pair::{Pair, ROUNDING};
use patch::Candidates;

/// Most points reported for a pair.
pub const MAX_POINTS: usize = 4;

/// The contact points of one pair, in order of feature.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manifold {
    points: [ContactPoint; MAX_POINTS],
    len: usize,
}

impl Manifold {
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.len]
    }

    /// Adds a point; a full manifold stays as it is.
    pub fn push(&mut self, p: ContactPoint) {
        if self.len < MAX_POINTS {
            self.points[self.len] = p;
            self.len += 1;
        }
    }

    pub fn clear(&mut self) {
        self.len = 0;
    }
}

impl PartialEq for Manifold {
    fn eq(&self, other: &Manifold) -> bool {
        self.points() == other.points()
    }
}

/// Finds the contact of two shapes placed in the world. Points with gaps up to `margin` [m] are
/// reported; none when the shapes are farther apart. Poses must be finite. Normals point from A
/// to B. Spheres and capsules are meant to meet one of the other shapes: of two, cores that meet
/// in a point or overlap along a line give no contact.
///
/// No heap allocation.
pub fn collide(
    a: &Convex,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
    margin: f64,
    cache: &mut PairCache,
    out: &mut Manifold,
) {
    let memory = &mut Memory {
        cache,
        depths: &mut Depths::new(0),
        key: 0,
    };
    let still = Approach::still(margin);
    collide_deep(a, pose_a, b, pose_b, &still, memory, out);
}

/// As [`collide`], of bodies that move: where there are too many points, those count that may touch. Of a pair
/// that overlapped at the last query, `memory` keeps what makes the next one quick.
pub fn collide_deep(
    a: &Convex,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
    approach: &Approach,
    memory: &mut Memory,
    out: &mut Manifold,
) {
    out.clear();
    let margin = approach.farthest;
    let b_in_a = pose_a.relative(pose_b);
    let rounding = ROUNDING * (a.size() + b.size());
    let bodies = Bodies { a, b, b_in_a };
    if memory.cache.keeps_apart(&bodies, margin, rounding) {
        return;
    }
    let mut found = Candidates::new();
    if a.is_curved() || b.is_curved() {
        curved::contact(&bodies, margin, memory, &mut found);
    } else {
        let (ra, rb) = (a.radius(), b.radius());
        let pair = Pair::new(&a.hull, &b.hull, b_in_a);
        pair.contact(margin + ra + rb, rounding, memory, &mut found);
        found.update(|p| *p = inflated(*p, ra, rb));
    }
    if found.points().is_empty() {
        memory.cache.look_apart(&bodies, rounding);
    }
    found.reduce(pose_a, approach, rounding, out);
}

/// The contact of two cores as that of the shapes with these radii about them.
fn inflated(p: ContactPoint, ra: f64, rb: f64) -> ContactPoint {
    ContactPoint {
        point: p.point + p.normal * (0.5 * (ra - rb)),
        gap: p.gap - ra - rb,
        ..p
    }
}
