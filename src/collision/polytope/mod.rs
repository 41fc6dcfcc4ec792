//! Contact of convex shapes of which at least one is a box, the hull of a mesh, a cylinder or an
//! ellipsoid.
//!
//! Hulls that are apart by more than rounding touch along their shortest connection. Hulls that touch
//! or overlap touch along the axis of least depth. Either axis is the normal of a face, perpendicular
//! to two edges, or (only if apart) through a vertex. A face's normal gives a patch of up to four
//! points by clipping. Other axes give one point; the patch of two faces that are nearly parallel to
//! the contact is added to it.
//!
//! The scene's narrow phase calls [`collide_deep`] and [`differentiate`].

mod again;
mod array_vec;
mod axis;
mod bodies;
mod build;
mod cache;
mod cage;
mod convex;
mod convex_parts;
mod curved;
mod decompose;
mod depth;
mod derivative;
mod distinct;
mod edges;
mod epa;
mod feature;
mod gjk;
mod height_grid;
mod hull;
mod hull_contact;
mod inner;
mod manifold;
mod naming;
mod pair;
mod patch;
mod placed;
mod plane;
mod ray;
mod sat;
mod second_order;
mod shell;
mod stand_in;
mod stationary;
mod terrain;
#[cfg(test)]
mod tests;
mod tie;

pub use build::MAX_TRIANGLES;
pub use cache::{Depths, Memory, PairCache};
pub use convex::Convex;
pub use convex_parts::{opening, shapes};
pub use decompose::{Decomposition, decompose};
pub use derivative::differentiate;
pub use feature::{Feature, Spot};
pub use hull::{Edge, Face, Hull, MAX_SIDES, MAX_VERTICES};
pub use manifold::{MAX_POINTS, Manifold};
pub use placed::of_features;
pub use plane::{collide_plane, differentiate_plane};
pub use ray::first_of;
pub use terrain::{Terrain, TerrainContact};

use crate::collision::Approach;
use crate::spatial::Pose;
use bodies::Bodies;
use manifold::inflated;
use pair::Pair;
pub(in crate::collision) use pair::{ON_FACE, ROUNDING};
use patch::Candidates;

/// Finds the contact of two shapes placed in the world. Reports points with gaps up to `margin` [m],
/// none if the shapes are farther apart. Poses must be finite. Normals point from A to B. At most one
/// shape should be a sphere or a capsule: two cores that meet in a point or overlap along a line give
/// no contact.
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

/// [`collide`] for moving bodies. If there are too many points, those that may touch within the step
/// are kept. `memory` keeps the result of a pair that overlaps, as a warm start for the next query.
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
    let sinks = approach.sinks;
    let bodies = Bodies {
        a,
        b,
        b_in_a,
        sinks,
    };
    if memory.cache.keeps_apart(&bodies, margin, rounding) {
        return;
    }
    let mut found = Candidates::new();
    if a.is_curved() || b.is_curved() {
        curved::contact(&bodies, margin, memory, &mut found);
    } else {
        let (ra, rb) = (a.radius(), b.radius());
        let pair = Pair::new(&a.hull, &b.hull, b_in_a).sinking(sinks);
        pair.contact(margin + ra + rb, rounding, memory, &mut found);
        found.update(|p| *p = inflated(*p, ra, rb));
    }
    if found.points().is_empty() {
        memory.cache.look_apart(&bodies, rounding);
    }
    found.reduce(pose_a, approach, rounding, out);
}
