//! A capsule against a box, cylinder or ellipsoid: the closest point, and the others of a capsule
//! that lies along a flat or straight surface.

use super::Manifold;
use super::capsule::Capsule;
use super::feature::{Feature, Kind};
use super::project::{BoxSolid, CylinderSolid, Foot, Solid, edge, face};
use super::segment::{Depth, Touch, line_meets, over_face, touch};
use super::sphere::ball_on;
use crate::collision::ContactPoint;
use crate::spatial::{Pose, Vec3};

/// Cosine between the normals of one patch, at least.
const SAME_PATCH: f64 = 0.99;

/// The one closest (or deepest) point.
#[inline]
pub(super) fn closest(c: &Capsule, solid: impl Depth, b: &Pose) -> ContactPoint {
    let t = touch(solid, &c.seen_from(b));
    ball_on(c.radius, t.part, &t.foot, b)
}

#[inline]
pub(super) fn one(c: &Capsule, solid: impl Depth, b: &Pose, margin: f64, out: &mut Manifold) {
    let point = closest(c, solid, b);
    if point.gap <= margin {
        out.push(point);
    }
}

/// Where the closest point's normal is nearly a face's: both ends of the part of the segment over
/// that face, and the closest point if it is not one of them; in the order of the capsule's z.
#[inline]
pub(super) fn cuboid(c: &Capsule, solid: BoxSolid, b: &Pose, margin: f64, out: &mut Manifold) {
    let local = c.seen_from(b);
    let first = touch(solid, &local);
    let n = first.foot.normal.abs();
    let i = if n.x >= SAME_PATCH {
        0
    } else if n.y >= SAME_PATCH {
        1
    } else {
        2
    };
    let mut ends = [None; 2];
    if n[i] >= SAME_PATCH {
        let (from, to) = over_face(solid.half, &local, i);
        if from.0 < to.0 {
            let positive = first.foot.normal[i] > 0.0;
            ends = [
                face_end(&local, solid.half, i, positive, from, false),
                face_end(&local, solid.half, i, positive, to, true),
            ];
        }
    }
    report(c, &first, ends, b, margin, out);
}

/// The touch at one end of the part of the segment that lies over a face.
#[inline]
fn face_end(
    c: &Capsule,
    h: Vec3,
    i: usize,
    positive: bool,
    (t, leaves): (f64, Option<usize>),
    high: bool,
) -> Option<Touch> {
    let sign = if positive { 1.0 } else { -1.0 };
    let Some(j) = leaves else {
        let (at, part) = c.end(high);
        let mut on = c.at(at);
        let distance = sign * on[i] - h[i];
        on[i] = sign * h[i];
        let foot = Foot {
            on,
            normal: Vec3::unit(i) * sign,
            distance,
            feature: face(i, positive),
        };
        return Some(Touch { part, foot });
    };
    // The segment leaves the face over an edge: the two lines' own closest points.
    let m = 3 - i - j;
    let mut corner = Vec3::ZERO;
    corner[i] = sign * h[i];
    corner[j] = h[j].copysign(c.at(t)[j]);
    let e = Vec3::unit(m);
    let normal = c.axis.cross(e).normalized()?;
    let normal = if normal[i] * sign < 0.0 {
        -normal
    } else {
        normal
    };
    let at = line_meets(c, corner, e);
    let p = c.at(at);
    let distance = normal.dot(p - corner);
    let on = p - normal * distance;
    let inside = at.abs() < c.half_length && on[m].abs() <= h[m];
    (inside && normal[i].abs() >= SAME_PATCH).then(|| Touch {
        part: Feature::SURFACE,
        foot: Foot {
            on,
            normal,
            distance,
            feature: edge(m, corner),
        },
    })
}

/// The closest point and the capsule's ends, where they lie on the same patch of the cylinder.
#[inline]
pub(super) fn cylinder(
    c: &Capsule,
    solid: CylinderSolid,
    b: &Pose,
    margin: f64,
    out: &mut Manifold,
) {
    let local = c.seen_from(b);
    let first = touch(solid, &local);
    let end = |high: bool| {
        let (at, part) = local.end(high);
        let foot = solid.foot(local.at(at));
        let same = foot.normal.dot(first.foot.normal) >= SAME_PATCH;
        same.then_some(Touch { part, foot })
    };
    report(c, &first, [end(false), end(true)], b, margin, out);
}

/// Pushes the touches within the margin in the order low end, closest, high end: the closest
/// unless it is one of the ends, or an undetermined point of a segment parallel to a face between
/// two ends.
#[inline]
fn report(
    c: &Capsule,
    first: &Touch,
    ends: [Option<Touch>; 2],
    b: &Pose,
    margin: f64,
    out: &mut Manifold,
) {
    let same = |t: &Touch| t.part == first.part && t.foot.feature == first.foot.feature;
    let among = ends.iter().flatten().any(same);
    let undetermined = first.part == Feature::SURFACE
        && first.foot.feature.kind == Kind::Face
        && ends.iter().all(Option::is_some);
    let middle = (!among && !undetermined).then_some(*first);
    for t in [ends[0], middle, ends[1]].into_iter().flatten() {
        if t.foot.distance - c.radius <= margin {
            out.push(ball_on(c.radius, t.part, &t.foot, b));
        }
    }
}
