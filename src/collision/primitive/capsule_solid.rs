//! A capsule against a box, cylinder or ellipsoid: the closest point, and further points of a capsule
//! that lies along a flat or straight surface.

use super::capsule::{Capsule, PARALLEL, SAME_PATCH};
use super::feature::{Feature, Kind};
use super::manifold::Manifold;
use super::project::{BoxSolid, CylinderSolid, Foot, edge, face, vertex};
use super::segment::{Depth, Touch, line_meets, over_face, touch};
use super::sphere::ball_on;
use crate::collision::approach::level_sine;
use crate::collision::{ContactDerivative, ContactPoint, Smoothness};
use crate::spatial::{Mat3, Pose, Vec3};

/// Sine of the angle of SAME_PATCH, rounded up.
const LEAN: f64 = 0.15;

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

/// One point, or more if the closest point's normal is nearly a face's: both ends of the part of the
/// segment over that face, and the closest point if it is not one of them. The order follows the
/// capsule's z.
#[inline]
pub(super) fn cuboid(
    c: &Capsule,
    solid: BoxSolid,
    b: &Pose,
    margin: f64,
    sinks: bool,
    out: &mut Manifold,
) {
    let local = c.seen_from(b);
    let mut first = touch(solid, &local);
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
                face_end(&local, solid.half, i, positive, from, false, sinks),
                face_end(&local, solid.half, i, positive, to, true, sinks),
            ];
        }
        let mut crossings = ends.iter().flatten();
        let crossing = Feature::new(Kind::Crossing, first.foot.feature.index);
        let is_at_edge = first.foot.feature.kind == Kind::Edge && first.part == Feature::SURFACE;
        if let Some(twin) = crossings.find(|t| is_at_edge && t.part == crossing) {
            first = *twin;
        }
    }
    let mut parallel = first.foot.feature.kind == Kind::Face;
    if first.foot.feature.kind == Kind::Edge
        && first.foot.distance > 0.0
        && ends.iter().all(Option::is_none)
    {
        ends = along_edge(&local, solid.half, &first.foot);
        let m = (first.foot.feature.index / 4) as usize;
        parallel = 1.0 - local.axis[m].abs() < 0.5 * PARALLEL * PARALLEL;
    }
    report(c, &first, ends, parallel, b, margin, out);
}

/// For a segment along a box's edge, both ends of its part beside the edge: the segment's own ends or
/// the box's vertices.
fn along_edge(c: &Capsule, h: Vec3, first: &Foot) -> [Option<Touch>; 2] {
    let m = (first.feature.index / 4) as usize;
    let (p, k) = (c.center[m], c.axis[m]);
    if 1.0 - k.abs() > 0.5 * LEAN * LEAN {
        return [None; 2];
    }
    let (t0, t1) = ((-h[m] - p) / k, (h[m] - p) / k);
    let (from, to) = (t0.min(t1), t0.max(t1));
    if from >= c.half_length || to <= -c.half_length {
        return [None; 2];
    }
    [(from, false), (to, true)].map(|(t, high)| {
        let mut on = first.on;
        let (at, part, feature) = if t.abs() < c.half_length {
            on[m] = h[m].copysign(c.at(t)[m]);
            (c.along(on), Feature::SURFACE, vertex(on))
        } else {
            let (at, part) = c.end(high);
            on[m] = c.at(at)[m];
            (at, part, first.feature)
        };
        let apart = c.at(at) - on;
        let distance = apart.norm();
        let normal = apart * (1.0 / distance);
        let foot = Foot {
            on,
            normal,
            distance,
            feature,
        };
        (normal.dot(first.normal) >= SAME_PATCH).then_some(Touch { part, foot })
    })
}

/// The touch at one end of the part of the segment over a face.
#[inline]
fn face_end(
    c: &Capsule,
    h: Vec3,
    i: usize,
    positive: bool,
    (t, leaves): (f64, Option<usize>),
    high: bool,
    sinks: bool,
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
    if sinks && let Some(touch) = over_edge(c, h, i, sign, t, j) {
        return Some(touch);
    }
    // The segment leaves the face over an edge: take the closest points of the two lines.
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

/// The touch of a segment that leaves the face across axis `i` over an edge at `t`, with the normal of the
/// face, if the segment is level with the face. A compliant capsule that has sunk in leans a little, and the
/// normal of the edge would lean with it.
fn over_edge(c: &Capsule, h: Vec3, i: usize, sign: f64, t: f64, j: usize) -> Option<Touch> {
    let m = 3 - i - j;
    let mut on = c.at(t);
    let distance = sign * on[i] - h[i];
    let lean = c.axis[i].abs();
    if lean > level_sine(distance - c.radius, c.half_length) || on[m].abs() > h[m] {
        return None;
    }
    on[i] = sign * h[i];
    on[j] = h[j].copysign(on[j]);
    let foot = Foot {
        on,
        normal: Vec3::unit(i) * sign,
        distance,
        feature: face(i, sign > 0.0),
    };
    let part = Feature::new(Kind::Crossing, edge(m, on).index);
    Some(Touch { part, foot })
}

/// Where on its axis a capsule, seen from a box, lies over the box's edge `crossing` beside the face `flat`.
pub(super) fn crosses(c: &Capsule, h: Vec3, crossing: Feature, flat: Feature) -> Option<f64> {
    let (i, m) = (flat.index as usize / 2, crossing.index as usize / 4);
    let j = 3 - i - m;
    let bit = usize::from(j != (m + 1) % 3);
    let side = if crossing.index >> bit & 1 == 1 {
        h[j]
    } else {
        -h[j]
    };
    let at = (side - c.center[j]) / c.axis[j];
    (at.abs() <= c.half_length).then_some(at)
}

/// The derivative of the contact of a capsule's side (A) with a box's face over its edge `crossing`: the
/// point moves along the capsule's axis and stays over the edge.
pub(super) fn differentiate_crossing(
    c: &Pose,
    b: &Pose,
    (crossing, flat): (Feature, Feature),
    radius: f64,
    p: &ContactPoint,
    out: &mut ContactDerivative,
) -> Smoothness {
    let (i, m) = (flat.index as usize / 2, crossing.index as usize / 4);
    let (n, k) = (-p.normal, c.rot.c[2]);
    let side = b.rot.c[3 - i - m];
    let across = side.dot(k);
    if across.abs() < PARALLEL {
        *out = ContactDerivative::default();
        out.gap[0] = p.normal;
        return Smoothness::Degenerate;
    }
    // The point of the axis, seen from the contact point, and how it slides along the axis.
    let arm = n * (radius + 0.5 * p.gap);
    let slides = [side, arm.cross(side)].map(|x| x * (1.0 / across));
    let climbs = n.dot(k);
    out.gap = [slides[0] * climbs - n, slides[1] * climbs];
    let [by_lin, by_ang] =
        [0, 1].map(|x| Mat3::outer(k, slides[x]) - Mat3::outer(n, out.gap[x]) * 0.5);
    out.point = [by_lin, by_ang + Mat3::skew(arm)];
    out.normal = [Mat3::ZERO, Mat3::skew(-p.normal)];
    Smoothness::Smooth
}

/// One point, or more if the closest point's normal is nearly along or across the cylinder's axis: both
/// ends of the part of the segment over that end or beside that side, and the closest point if it is
/// not one of them. The order follows the capsule's z.
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
    let n = first.foot.normal;
    let (flat, steep) = (n.z.abs(), (n.x * n.x + n.y * n.y).sqrt());
    let (r, h) = (solid.radius, solid.half_length);
    let (p, k) = (local.center, local.axis);
    let range = if flat >= SAME_PATCH {
        // |p + t k| = r across the cylinder's axis.
        let (kk, pk) = (k.x * k.x + k.y * k.y, p.x * k.x + p.y * k.y);
        let room = pk * pk - kk * (p.x * p.x + p.y * p.y - r * r);
        (kk > 0.0 && room > 0.0).then(|| {
            let root = room.sqrt();
            ((-pk - root) / kk, (-pk + root) / kk)
        })
    } else if steep >= SAME_PATCH && k.z != 0.0 {
        let (t0, t1) = ((-h - p.z) / k.z, (h - p.z) / k.z);
        Some((t0.min(t1), t0.max(t1)))
    } else {
        None
    };
    let l = local.half_length;
    let ends = match range {
        Some((from, to)) if from < l && to > -l => {
            let end = |t: f64, high: bool| {
                if t.abs() < l {
                    rim_crossing(&local, solid, t, n)
                } else {
                    cap_end(&local, solid, high, n)
                }
            };
            [end(from.max(-l), false), end(to.min(l), true)]
        }
        _ => [None; 2],
    };
    let parallel = first.foot.feature.kind == Kind::Face
        || (first.foot.feature == Feature::SURFACE && k.x.hypot(k.y) < PARALLEL);
    report(c, &first, ends, parallel, b, margin, out);
}

/// The touch of a capsule's end on the cylinder's end or side with a normal near `n`.
#[inline]
fn cap_end(c: &Capsule, solid: CylinderSolid, high: bool, n: Vec3) -> Option<Touch> {
    let (at, part) = c.end(high);
    let p = c.at(at);
    let (normal, distance, feature) = if n.z.abs() >= SAME_PATCH {
        let normal = Vec3::Z * n.z.signum();
        let feature = Feature::new(Kind::Face, u32::from(n.z > 0.0));
        (normal, normal.dot(p) - solid.half_length, feature)
    } else {
        let normal = Vec3::new(p.x, p.y, 0.0).normalized()?;
        (normal, normal.dot(p) - solid.radius, Feature::SURFACE)
    };
    let foot = Foot {
        on: p - normal * distance,
        normal,
        distance,
        feature,
    };
    (normal.dot(n) >= SAME_PATCH).then_some(Touch { part, foot })
}

/// The touch of the capsule's side on a rim, near the place `t` where the axis passes over the rim,
/// with a normal near `n`. It is the rim's point closest to the axis, by Newton's method along the rim.
fn rim_crossing(c: &Capsule, solid: CylinderSolid, t: f64, n: Vec3) -> Option<Touch> {
    let (radius, near) = (solid.radius, c.at(t));
    let upper = if n.z.abs() >= SAME_PATCH {
        n.z > 0.0
    } else {
        near.z > 0.0
    };
    let z = if upper {
        solid.half_length
    } else {
        -solid.half_length
    };
    let mut angle = near.y.atan2(near.x);
    let (mut on, mut tangent) = (Vec3::ZERO, Vec3::ZERO);
    for _ in 0..20 {
        let (s, co) = angle.sin_cos();
        on = Vec3::new(radius * co, radius * s, z);
        tangent = Vec3::new(-s, co, 0.0);
        let apart = on - c.center;
        let away = apart - c.axis * c.axis.dot(apart);
        let lean = c.axis.dot(tangent);
        let slope = radius * (1.0 - lean * lean) - away.dot(Vec3::new(co, s, 0.0));
        let step = -away.dot(tangent) / slope;
        if !step.is_finite() || step.abs() > 1.0 {
            return None;
        }
        angle += step;
        if step.abs() < 1e-15 {
            break;
        }
    }
    let normal = tangent.cross(c.axis).normalized()?;
    let normal = if normal.dot(n) < 0.0 { -normal } else { normal };
    let at = c.axis.dot(on - c.center);
    let touch = Touch {
        part: Feature::SURFACE,
        foot: Foot {
            on,
            normal,
            distance: normal.dot(c.at(at) - on),
            feature: Feature::new(Kind::Rim, u32::from(upper)),
        },
    };
    // A tilted axis may lean the normal slightly over the rim, but not to the far side.
    let out = Vec3::new(on.x, on.y, 0.0) * (1.0 / radius);
    let outward = normal.dot(out) > -LEAN && normal.z * z > -LEAN * z.abs();
    let same = outward && normal.dot(n) >= SAME_PATCH;
    (at.abs() < c.half_length && same).then(|| touch.told_apart(c.axis))
}

/// Pushes the touches within the margin in the order low end, closest, high end. The closest is left
/// out if it is one of the ends, or if it is undetermined (a segment `parallel` to the surface, between
/// two ends). An end is left out if it claims to be deeper than the closest. This happens if the
/// closest is the way out of the solid past another feature.
#[inline]
fn report(
    c: &Capsule,
    first: &Touch,
    ends: [Option<Touch>; 2],
    parallel: bool,
    b: &Pose,
    margin: f64,
    out: &mut Manifold,
) {
    let same = |s: &Touch, t: &Touch| t.part == s.part && t.foot.feature == s.foot.feature;
    // Near a place where the axis only grazes the rim, its two crossings count as one.
    let least = first.foot.distance - 1e-9 * (c.radius + c.half_length);
    let ends = ends.map(|end| end.filter(|t| t.foot.distance >= least));
    let ends = match ends {
        [Some(low), Some(high)] if same(&low, &high) => [Some(low), None],
        other => other,
    };
    let among = ends.iter().flatten().any(|t| same(first, t));
    let undetermined =
        parallel && first.part == Feature::SURFACE && ends.iter().all(Option::is_some);
    let middle = (!among && !undetermined).then_some(*first);
    for t in [ends[0], middle, ends[1]].into_iter().flatten() {
        if t.foot.distance - c.radius <= margin {
            out.push(ball_on(c.radius, t.part, &t.foot, b));
        }
    }
}
