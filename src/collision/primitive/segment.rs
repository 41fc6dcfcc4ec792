//! A capsule against a solid: the closest point of its segment, or its depth.
//!
//! All coordinates are in the solid's frame. Outside, half the squared distance of the segment's point
//! c + t k to the solid is convex in t. Its derivative is φ(t) = (p − x)·k for the foot x of p. The
//! zero of φ is found by Newton's method within a bracket.
//!
//! If the segment itself enters the solid, the depth is the least translation that takes it out: the
//! minimum over directions n of depth(n) = max over the solid of n·x − min over the segment of n·p. At
//! a local minimum either an end's foot is perpendicular, or n ⟂ k.

use super::capsule::Capsule;
use super::feature::{Feature, Kind};
use super::project::{BoxSolid, CylinderSolid, EllipsoidSolid, Foot, Solid, edge, face};
use super::sphere::on_segment;
use crate::collision::contact_frame;
use crate::spatial::Vec3;

/// Cosine (or sine) below which directions count as perpendicular (or parallel).
const TINY: f64 = 1e-9;

/// A segment this close to the solid, relative to its size and place, counts as having entered.
/// Newton's method reaches the surface from outside, where the direction to the foot is lost.
const TOUCHING: f64 = 1e-8;

/// Samples of the circle n ⟂ k that bracket the local minima of the depth.
const SAMPLES: usize = 24;

/// Most steps to the closest point. The halving steps among them alone reach round-off.
const ROUNDS: usize = 120;

/// The part of the capsule in contact, and the foot on the solid of the axis point there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub part: Feature,
    pub foot: Foot,
}

impl Touch {
    #[inline(always)]
    fn new(t: f64, half_length: f64, foot: Foot) -> Touch {
        let (_, part) = on_segment(t, half_length);
        Touch { part, foot }
    }

    /// The same touch. A capsule's side may cross one rim twice; the two crossings get different numbers.
    #[inline]
    pub fn told_apart(mut self, axis: Vec3) -> Touch {
        let on = self.foot.on;
        let outward = axis.x * on.x + axis.y * on.y >= 0.0;
        if self.part == Feature::SURFACE && self.foot.feature.kind == Kind::Rim && outward {
            self.foot.feature.index += 2;
        }
        self
    }
}

/// A solid that a segment can enter.
pub(super) trait Depth: Solid {
    /// The least translation that takes an entered segment out of the solid.
    fn sunk(&self, c: &Capsule) -> Touch;
}

/// The touch at the closest point of the capsule's segment, or at the least way out of the solid.
#[inline]
pub(super) fn touch<S: Depth>(solid: S, c: &Capsule) -> Touch {
    closest(solid, c)
        .unwrap_or_else(|| solid.sunk(c))
        .told_apart(c.axis)
}

/// The point of the segment closest to the solid; `None` if they overlap.
#[inline]
fn closest<S: Solid>(solid: S, c: &Capsule) -> Option<Touch> {
    let (k, l) = (c.axis, c.half_length);
    let (mut low, mut high) = (-l, l);
    let mut tried = (false, false);
    let mut t = (-k.dot(c.center)).clamp(-l, l);
    let scale = l + c.center.max_abs();
    let contact = TOUCHING * scale;
    for round in 0..ROUNDS {
        let foot = solid.foot(c.at(t));
        if foot.distance <= contact {
            return None;
        }
        let value = foot.distance * foot.normal.dot(k);
        if value > 0.0 {
            (high, tried.1) = (t, true);
        } else {
            (low, tried.0) = (t, true);
        }
        let surface = solid.surface(foot.feature, foot.normal, foot.on);
        let slope = 1.0 - surface.foot_slope(foot.normal, foot.distance, k);
        let newton = t - value / slope.max(f64::MIN_POSITIVE);
        // After slow steps of Newton's method, halve.
        let trusted = round < 8 || round % 2 == 0;
        let (next, resolution) = if newton > low && newton < high && trusted {
            // The remaining error is of the order of the step's square.
            (newton, 1e-9 * scale)
        } else if newton <= low && !tried.0 {
            (low, 0.0)
        } else if newton >= high && !tried.1 {
            (high, 0.0)
        } else {
            (0.5 * (low + high), 1e-15 * scale)
        };
        if value == 0.0 || low == high || (next == t && t.abs() == l) {
            return Some(Touch::new(t, l, foot));
        }
        let last = (next - t).abs() <= resolution;
        t = next;
        if last {
            break;
        }
    }
    let foot = solid.foot(c.at(t));
    (foot.distance > contact).then(|| Touch::new(t, l, foot))
}

impl Depth for BoxSolid {
    /// By separating axes: the box's faces, and the cross products of its edges with the segment. Of
    /// equally deep directions the first counts, in the order faces x, y, z, then edges x, y, z, the
    /// positive one first.
    fn sunk(&self, c: &Capsule) -> Touch {
        let (h, k, l, p) = (self.half, c.axis, c.half_length, c.center);
        let mut best = (f64::INFINITY, Vec3::Z, 0, false);
        for i in 0..3 {
            let depth = h[i] + l * k[i].abs() - p[i].abs();
            if depth < best.0 {
                let sign = if p[i] >= 0.0 { 1.0 } else { -1.0 };
                best = (depth, Vec3::unit(i) * sign, i, false);
            }
        }
        for i in 0..3 {
            let cross = k.cross(Vec3::unit(i));
            let norm = cross.norm();
            if norm < TINY {
                continue;
            }
            let n = cross * (if p.dot(cross) >= 0.0 { 1.0 } else { -1.0 } / norm);
            let depth = h.dot(n.abs()) - p.dot(n);
            if depth < best.0 * (1.0 - TINY) {
                best = (depth, n, i, true);
            }
        }
        let (depth, n, i, is_edge) = best;
        if is_edge {
            let corner = Vec3::new(h.x.copysign(n.x), h.y.copysign(n.y), h.z.copysign(n.z));
            let (at, part) = on_segment(line_meets(c, corner, Vec3::unit(i)), l);
            let foot = Foot {
                on: c.at(at) + n * depth,
                normal: n,
                distance: -depth,
                feature: edge(i, corner),
            };
            return Touch { part, foot };
        }
        let lean = n.dot(k);
        let (at, part) = if lean.abs() < TINY {
            // Parallel to the face: the middle of the part over it.
            let (from, to) = over_face(h, c, i);
            on_segment(0.5 * (from.0 + to.0), l)
        } else {
            c.end(lean < 0.0)
        };
        let foot = Foot {
            on: c.at(at) + n * depth,
            normal: n,
            distance: -depth,
            feature: face(i, n[i] > 0.0),
        };
        Touch { part, foot }
    }
}

/// The part of a segment over the box's faces across axis `i`: both ends, each with the axis across
/// whose face the segment leaves, or `None` at the segment's own end. The ends of an empty part are in the
/// wrong order.
#[inline]
pub(super) fn over_face(
    h: Vec3,
    c: &Capsule,
    i: usize,
) -> ((f64, Option<usize>), (f64, Option<usize>)) {
    let (mut from, mut to) = ((-c.half_length, None), (c.half_length, None));
    for j in [(i + 1) % 3, (i + 2) % 3] {
        let k = c.axis[j];
        if k.abs() < 1e-12 {
            if c.center[j].abs() > h[j] {
                return (to, from);
            }
            continue;
        }
        let (t0, t1) = ((-h[j] - c.center[j]) / k, (h[j] - c.center[j]) / k);
        let (t0, t1) = if t0 <= t1 { (t0, t1) } else { (t1, t0) };
        if t0 > from.0 {
            from = (t0, Some(j));
        }
        if t1 < to.0 {
            to = (t1, Some(j));
        }
    }
    (from, to)
}

/// Coordinate on the capsule's axis of the point closest to the line through `q` along `e`.
#[inline]
pub(super) fn line_meets(c: &Capsule, q: Vec3, e: Vec3) -> f64 {
    let cross = c.axis.cross(e);
    (q - c.center).cross(e).dot(cross) / cross.norm_squared()
}

/// A solid with a round outline. Segments that enter such solids are treated alike.
trait Round: Solid {
    /// The point of the surface farthest along `n`, with its feature.
    fn farthest(&self, n: Vec3) -> (Vec3, Feature);

    /// Outward normals, with their features, of surface points whose normal line passes through the
    /// inner point `p`.
    fn normals_through(&self, p: Vec3) -> [Option<(Vec3, Feature)>; 3];

    /// The place on the segment and on the solid where the capsule's side touches along `n` ⟂ axis.
    #[inline]
    fn side_touch(&self, c: &Capsule, n: Vec3) -> (f64, Vec3, Feature) {
        let (on, feature) = self.farthest(n);
        (c.axis.dot(on - c.center), on, feature)
    }
}

impl Round for EllipsoidSolid {
    #[inline]
    fn farthest(&self, n: Vec3) -> (Vec3, Feature) {
        let scaled = n.scale(self.semi_axes);
        (
            scaled.scale(self.semi_axes) * (1.0 / scaled.norm()),
            Feature::SURFACE,
        )
    }

    #[inline]
    fn normals_through(&self, p: Vec3) -> [Option<(Vec3, Feature)>; 3] {
        let far = self.far_normal(p).map(|n| (n, Feature::SURFACE));
        [Some((self.foot(p).normal, Feature::SURFACE)), far, None]
    }
}

impl Round for CylinderSolid {
    #[inline]
    fn farthest(&self, n: Vec3) -> (Vec3, Feature) {
        let out = Vec3::new(n.x, n.y, 0.0).normalized().unwrap_or(Vec3::X);
        let upper = n.z >= 0.0;
        let end = if upper {
            self.half_length
        } else {
            -self.half_length
        };
        (
            out * self.radius + Vec3::Z * end,
            Feature::new(Kind::Rim, u32::from(upper)),
        )
    }

    #[inline]
    fn normals_through(&self, p: Vec3) -> [Option<(Vec3, Feature)>; 3] {
        let out = Vec3::new(p.x, p.y, 0.0).normalized().unwrap_or(Vec3::X);
        [
            Some((Vec3::Z, Feature::new(Kind::Face, 1))),
            Some((-Vec3::Z, Feature::new(Kind::Face, 0))),
            Some((out, Feature::SURFACE)),
        ]
    }

    #[inline]
    fn side_touch(&self, c: &Capsule, n: Vec3) -> (f64, Vec3, Feature) {
        if n.z.abs() < TINY {
            // Side on side: where the two axes pass each other.
            let at = line_meets(c, Vec3::ZERO, Vec3::Z);
            let z = c.at(at).z;
            let beyond = z.abs() > self.half_length * (1.0 + TINY);
            let on = n * self.radius + Vec3::Z * z;
            return (
                if beyond { f64::INFINITY } else { at },
                on,
                Feature::SURFACE,
            );
        }
        let (on, feature) = self.farthest(n);
        (c.axis.dot(on - c.center), on, feature)
    }
}

impl Depth for EllipsoidSolid {
    fn sunk(&self, c: &Capsule) -> Touch {
        sunk_round(self, c)
    }
}

impl Depth for CylinderSolid {
    fn sunk(&self, c: &Capsule) -> Touch {
        sunk_round(self, c)
    }
}

/// The best of the perpendicular feet of both ends and the local minima over the circle n ⟂ k. Of
/// equally deep ones the first counts.
fn sunk_round<S: Round>(solid: &S, c: &Capsule) -> Touch {
    let mut best: Option<Touch> = None;
    let mut offer = |touch: Touch| {
        let depth = -touch.foot.distance;
        let better = |b: &Touch| depth < -b.foot.distance * (1.0 - TINY);
        if depth.is_finite() && best.as_ref().is_none_or(better) {
            best = Some(touch);
        }
    };
    for high in [false, true] {
        let (at, part) = c.end(high);
        let p = c.at(at);
        for (n, feature) in solid.normals_through(p).into_iter().flatten() {
            // The deeper end along n, or either if both are as deep.
            let lean = n.dot(c.axis);
            if lean.abs() > TINY && (lean > 0.0) == high {
                continue;
            }
            let depth = n.dot(solid.farthest(n).0 - p);
            let foot = Foot {
                on: p + n * depth,
                normal: n,
                distance: -depth,
                feature,
            };
            offer(Touch { part, foot });
        }
    }
    let frame = contact_frame(c.axis);
    let at_angle = |angle: f64| {
        let (s, co) = angle.sin_cos();
        (
            frame.c[0] * co + frame.c[1] * s,
            frame.c[1] * co - frame.c[0] * s,
        )
    };
    let slope = |angle: f64| {
        let (n, dn) = at_angle(angle);
        dn.dot(solid.farthest(n).0 - c.center)
    };
    // The samples lie off the frame's axes, where kinks of the outline are likely.
    let angle = |k: usize| (k as f64 + 0.3) * (std::f64::consts::TAU / SAMPLES as f64);
    let mut before = slope(angle(0));
    for k in 1..=SAMPLES {
        let after = slope(angle(k));
        if before < 0.0 && after >= 0.0 {
            let (mut low, mut high) = (angle(k - 1), angle(k));
            for _ in 0..52 {
                let mid = 0.5 * (low + high);
                if slope(mid) < 0.0 {
                    low = mid;
                } else {
                    high = mid;
                }
            }
            let (n, _) = at_angle(high);
            let (at, on, feature) = solid.side_touch(c, n);
            if at.abs() <= c.half_length * (1.0 + TINY) {
                let foot = Foot {
                    on,
                    normal: n,
                    distance: n.dot(c.center - on),
                    feature,
                };
                offer(Touch::new(at, c.half_length, foot));
            }
        }
        before = after;
    }
    best.unwrap_or_else(|| {
        let (at, part) = c.end(true);
        let foot = solid.foot(c.at(at));
        Touch { part, foot }
    })
}
