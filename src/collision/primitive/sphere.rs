//! A sphere against every bounded shape: one point, at the shape's closest point to the centre.

use super::feature::{Feature, Kind, pack};
use super::project::{Foot, Solid};
use crate::collision::ContactPoint;
use crate::spatial::{Pose, Vec3};

/// Centres closer than this, relative to the radii, define no direction.
const CONCENTRIC: f64 = 1e-10;

/// The contact of two balls about the points `a` and `b` of two axes. If the points coincide, the
/// normal is `fallback`.
#[inline]
pub(super) fn balls(
    (a, radius_a): (Vec3, f64),
    (b, radius_b): (Vec3, f64),
    fallback: impl FnOnce() -> Vec3,
    feature: u64,
) -> ContactPoint {
    let d = b - a;
    let distance = d.norm();
    let reach = radius_a + radius_b;
    let (normal, distance) = if distance < CONCENTRIC * reach {
        (fallback(), 0.0)
    } else {
        (d * (1.0 / distance), distance)
    };
    ContactPoint {
        point: (a + b + normal * (radius_a - radius_b)) * 0.5,
        normal,
        gap: distance - reach,
        feature,
    }
}

/// Two spheres. Concentric ones have the world's z as normal.
#[inline]
pub(super) fn sphere(radius_a: f64, a: &Pose, radius_b: f64, b: &Pose) -> ContactPoint {
    let feature = pack(Feature::SURFACE, Feature::SURFACE);
    balls((a.pos, radius_a), (b.pos, radius_b), || Vec3::Z, feature)
}

/// A sphere and a capsule. A centre on the capsule's segment is pushed along the capsule's x.
#[inline]
pub(super) fn capsule(
    radius: f64,
    a: &Pose,
    (radius_b, half_length): (f64, f64),
    b: &Pose,
) -> ContactPoint {
    let axis = b.rot.c[2];
    let along = axis.dot(a.pos - b.pos);
    let (s, part) = on_segment(along, half_length);
    let feature = pack(Feature::SURFACE, part);
    let on = b.pos + axis * s;
    balls((a.pos, radius), (on, radius_b), || -b.rot.c[0], feature)
}

/// Coordinate and feature of the point of a capsule's segment closest to the point at `along`.
#[inline(always)]
pub(super) fn on_segment(along: f64, half_length: f64) -> (f64, Feature) {
    if along <= -half_length {
        (-half_length, Feature::new(Kind::Vertex, 0))
    } else if along >= half_length {
        (half_length, Feature::new(Kind::Vertex, 1))
    } else {
        (along, Feature::SURFACE)
    }
}

/// A sphere and any solid with a projection.
#[inline]
pub(super) fn solid(radius: f64, a: &Pose, solid: impl Solid, b: &Pose) -> ContactPoint {
    let foot = solid.foot(b.inverse_point(a.pos));
    ball_on(radius, Feature::SURFACE, &foot, b)
}

/// A ball of feature `part` whose centre has the given foot on a solid placed at `b`.
#[inline]
pub(super) fn ball_on(radius: f64, part: Feature, foot: &Foot, b: &Pose) -> ContactPoint {
    let gap = foot.distance - radius;
    ContactPoint {
        point: b.point(foot.on + foot.normal * (0.5 * gap)),
        normal: -b.rot.mul_vec(foot.normal),
        gap,
        feature: pack(part, foot.feature),
    }
}
