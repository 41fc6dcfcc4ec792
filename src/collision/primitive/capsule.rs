//! A capsule against a capsule.

use super::feature::{Feature, Kind, pack};
use super::manifold::Manifold;
use super::sphere::{balls, on_segment};
use crate::collision::{ContactPoint, contact_frame};
use crate::spatial::{Pose, Vec3};

/// Capsules whose axes are parallel within this sine touch at both ends of their overlap. The closest
/// point between the ends is then nearer by at most 1e-6·L²/8d, for an overlap L of axes at distance d.
pub(super) const PARALLEL: f64 = 1e-3;

/// An overlap shorter than this, relative to the lengths, counts as a point.
const SHORTEST: f64 = 1e-6;

/// Axes within this sine of parallel have no usable crossing.
const NO_CROSSING: f64 = 1e-12;

/// Least cosine between the normals of one patch.
pub(super) const SAME_PATCH: f64 = 0.99;

/// A capsule in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capsule {
    pub center: Vec3,
    pub axis: Vec3,
    pub half_length: f64,
    pub radius: f64,
}

impl Capsule {
    #[inline(always)]
    pub fn new((radius, half_length): (f64, f64), pose: &Pose) -> Capsule {
        Capsule {
            center: pose.pos,
            axis: pose.rot.c[2],
            half_length,
            radius,
        }
    }

    /// The same capsule in the frame placed at `pose`.
    #[inline(always)]
    pub fn seen_from(&self, pose: &Pose) -> Capsule {
        Capsule {
            center: pose.inverse_point(self.center),
            axis: pose.rot.tr_mul_vec(self.axis),
            ..*self
        }
    }

    #[inline(always)]
    pub fn at(&self, s: f64) -> Vec3 {
        self.center + self.axis * s
    }

    /// Coordinate of the foot of `p` on the axis.
    #[inline(always)]
    pub fn along(&self, p: Vec3) -> f64 {
        self.axis.dot(p - self.center)
    }

    /// Coordinate and feature of the high or low end (feature 0 low, 1 high).
    #[inline(always)]
    pub fn end(&self, high: bool) -> (f64, Feature) {
        let s = if high {
            self.half_length
        } else {
            -self.half_length
        };
        (s, Feature::new(Kind::Vertex, u32::from(high)))
    }
}

/// The closest points of the two segments. If the axes cross, the normal is along the cross product of
/// A's and B's axis. If they lie on one line, it is perpendicular to that line. Both are the same for
/// either order of A and B.
#[inline]
pub(super) fn closest(a: &Capsule, b: &Capsule) -> ContactPoint {
    let d = b.center - a.center;
    let cross = a.axis.cross(b.axis);
    let sin2 = cross.norm_squared();
    let crossing = sin2 > NO_CROSSING * NO_CROSSING;
    let s = if crossing {
        d.cross(b.axis).dot(cross) / sin2
    } else {
        // The middle of the overlap.
        let middle = a.axis.dot(d);
        let low = (middle - b.half_length).max(-a.half_length);
        let high = (middle + b.half_length).min(a.half_length);
        0.5 * (low + high)
    };
    let (mut s, mut part_a) = on_segment(s, a.half_length);
    let (t, part_b) = on_segment(b.along(a.at(s)), b.half_length);
    if part_b != Feature::SURFACE {
        (s, part_a) = on_segment(a.along(b.at(t)), a.half_length);
    }
    let feature = pack(part_a, part_b);
    let ends = ((a.at(s), a.radius), (b.at(t), b.radius));
    if crossing && part_a == Feature::SURFACE && part_b == Feature::SURFACE {
        // The normal of the crossing stays exact as the distance of the segments vanishes.
        let normal = cross * (1.0 / sin2.sqrt());
        let room = d.dot(normal);
        let (normal, room) = if room < 0.0 {
            (-normal, -room)
        } else {
            (normal, room)
        };
        return ContactPoint {
            point: (ends.0.0 + ends.1.0 + normal * (a.radius - b.radius)) * 0.5,
            normal,
            gap: room - a.radius - b.radius,
            feature,
        };
    }
    balls(ends.0, ends.1, || across(a, b), feature)
}

/// A direction perpendicular to both axes, for segments that touch.
fn across(a: &Capsule, b: &Capsule) -> Vec3 {
    let cross = a.axis.cross(b.axis);
    let sin2 = cross.norm_squared();
    if sin2 > NO_CROSSING * NO_CROSSING {
        cross * (1.0 / sin2.sqrt())
    } else {
        contact_frame(a.axis).c[0]
    }
}

/// One point, or the two ends (in the order of A's axis) of the overlap of capsules parallel within
/// 1e-3. If both end at the same place, the end is A's.
#[inline]
pub(super) fn collide(a: &Capsule, b: &Capsule, margin: f64, out: &mut Manifold) {
    let cross = a.axis.cross(b.axis);
    if cross.norm_squared() < PARALLEL * PARALLEL {
        let middle = a.along(b.center);
        let (low, high) = (middle - b.half_length, middle + b.half_length);
        let overlap = high.min(a.half_length) - low.max(-a.half_length);
        if overlap > SHORTEST * (a.half_length + b.half_length) {
            let first = overlap_end(a, b, low > -a.half_length, false);
            let last = overlap_end(a, b, high < a.half_length, true);
            // Axes that nearly cross are on opposite sides at the two ends.
            if first.normal.dot(last.normal) > SAME_PATCH {
                for point in [first, last] {
                    if point.gap <= margin {
                        out.push(point);
                    }
                }
                return;
            }
        }
    }
    let point = closest(a, b);
    if point.gap <= margin {
        out.push(point);
    }
}

/// The contact at the low or `high` end of an overlap along A's axis; `of_b` if B ends there.
#[inline]
fn overlap_end(a: &Capsule, b: &Capsule, of_b: bool, high: bool) -> ContactPoint {
    let (s, t, feature) = if of_b {
        let (t, part) = b.end(high == (a.axis.dot(b.axis) > 0.0));
        let (s, other) = on_segment(a.along(b.at(t)), a.half_length);
        (s, t, pack(other, part))
    } else {
        let (s, part) = a.end(high);
        let (t, other) = on_segment(b.along(a.at(s)), b.half_length);
        (s, t, pack(part, other))
    };
    balls(
        (a.at(s), a.radius),
        (b.at(t), b.radius),
        || across(a, b),
        feature,
    )
}
