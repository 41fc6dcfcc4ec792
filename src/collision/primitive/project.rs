//! The closest point of a solid's surface to a given point, in the solid's own frame.

use super::feature::{Feature, Kind};
use super::surface::LocalSurface;
use crate::collision::{Shape, contact_frame};
use crate::spatial::{Pose, Vec3};

/// The foot of a point on a solid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    /// Closest point of the surface.
    pub on: Vec3,
    /// Outward unit normal there.
    pub normal: Vec3,
    /// Signed distance of the point, negative inside.
    pub distance: f64,
    pub feature: Feature,
}

/// A solid onto which points can be projected.
pub(super) trait Solid: Copy {
    /// The closest surface point to `p`. For an inner point, ties follow the rule documented with the
    /// solid.
    fn foot(&self, p: Vec3) -> Foot;

    /// The surface (in the solid's frame) around the point `on` of `feature` with outward normal `m`.
    fn surface(&self, feature: Feature, m: Vec3, on: Vec3) -> LocalSurface;
}

#[derive(Clone, Copy, Debug)]
pub(super) struct BoxSolid {
    pub half: Vec3,
}

impl Solid for BoxSolid {
    /// Inside: the nearest face. Of equally near faces that of the first axis counts, and its positive
    /// side.
    #[inline]
    fn foot(&self, p: Vec3) -> Foot {
        let h = self.half;
        let on = Vec3::new(
            p.x.clamp(-h.x, h.x),
            p.y.clamp(-h.y, h.y),
            p.z.clamp(-h.z, h.z),
        );
        let d = p - on;
        let outside = [d.x != 0.0, d.y != 0.0, d.z != 0.0];
        match (outside, d.normalized()) {
            ([false, false, false], _) | (_, None) => {
                let depth = h - p.abs();
                let mut k = 0;
                for i in 1..3 {
                    if depth[i] < depth[k] {
                        k = i;
                    }
                }
                let positive = p[k] >= 0.0;
                let sign = if positive { 1.0 } else { -1.0 };
                let mut on = p;
                on[k] = sign * h[k];
                Foot {
                    on,
                    normal: Vec3::unit(k) * sign,
                    distance: -depth[k],
                    feature: face(k, positive),
                }
            }
            (_, Some(normal)) => Foot {
                on,
                normal,
                distance: d.norm(),
                feature: box_feature(outside, p),
            },
        }
    }

    #[inline]
    fn surface(&self, feature: Feature, _: Vec3, _: Vec3) -> LocalSurface {
        match feature.kind {
            Kind::Face => LocalSurface::FACE,
            Kind::Edge => LocalSurface::ruled(Vec3::unit((feature.index / 4) as usize), 0.0),
            _ => LocalSurface::VERTEX,
        }
    }
}

/// The box's face on the given side of axis `k`.
#[inline(always)]
pub(super) fn face(k: usize, positive: bool) -> Feature {
    Feature::new(Kind::Face, 2 * k as u32 + u32::from(positive))
}

/// The box's edge along axis `k` on the side of `p`.
#[inline(always)]
pub(super) fn edge(k: usize, p: Vec3) -> Feature {
    let bit = |i: usize| u32::from(p[i % 3] >= 0.0);
    Feature::new(Kind::Edge, 4 * k as u32 + bit(k + 1) + 2 * bit(k + 2))
}

/// The box's vertex on the side of `p`.
#[inline(always)]
pub(super) fn vertex(p: Vec3) -> Feature {
    let bit = |i: usize| u32::from(p[i] >= 0.0) << i;
    Feature::new(Kind::Vertex, bit(0) + bit(1) + bit(2))
}

#[inline]
fn box_feature(outside: [bool; 3], p: Vec3) -> Feature {
    match outside {
        [true, false, false] => face(0, p.x >= 0.0),
        [false, true, false] => face(1, p.y >= 0.0),
        [false, false, true] => face(2, p.z >= 0.0),
        [false, true, true] => edge(0, p),
        [true, false, true] => edge(1, p),
        [true, true, false] => edge(2, p),
        _ => vertex(p),
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct CylinderSolid {
    pub radius: f64,
    pub half_length: f64,
}

impl Solid for CylinderSolid {
    /// Inside: the nearer of end and side. In ties: the end before the side, the upper end at the
    /// middle, the side along +x on the axis.
    #[inline]
    fn foot(&self, p: Vec3) -> Foot {
        let (r, h) = (self.radius, self.half_length);
        let rho = (p.x * p.x + p.y * p.y).sqrt();
        let out = if rho > 0.0 {
            Vec3::new(p.x / rho, p.y / rho, 0.0)
        } else {
            Vec3::X
        };
        let upper = p.z >= 0.0;
        let sign = if upper { 1.0 } else { -1.0 };
        let (side, end) = (rho - r, p.z.abs() - h);
        if side > 0.0 && end > 0.0 {
            let distance = side.hypot(end);
            Foot {
                on: out * r + Vec3::Z * (sign * h),
                normal: out * (side / distance) + Vec3::Z * (sign * end / distance),
                distance,
                feature: Feature::new(Kind::Rim, u32::from(upper)),
            }
        } else if end >= side {
            Foot {
                on: Vec3::new(p.x, p.y, sign * h),
                normal: Vec3::Z * sign,
                distance: end,
                feature: Feature::new(Kind::Face, u32::from(upper)),
            }
        } else {
            Foot {
                on: out * r + Vec3::Z * p.z,
                normal: out,
                distance: side,
                feature: Feature::SURFACE,
            }
        }
    }

    /// The rim is curved along itself with its radius, in the share by which the normal leans outward;
    /// across it is a sharp edge.
    #[inline]
    fn surface(&self, feature: Feature, m: Vec3, on: Vec3) -> LocalSurface {
        match feature.kind {
            Kind::Face => LocalSurface::FACE,
            Kind::Vertex => LocalSurface::VERTEX,
            Kind::Rim => {
                let out = Vec3::new(on.x, on.y, 0.0).normalized().unwrap_or(Vec3::X);
                LocalSurface {
                    axis: Some(Vec3::new(-out.y, out.x, 0.0)),
                    x: [1.0, 0.0],
                    y: [out.dot(m) / self.radius, 1.0],
                    most: [1.0 / self.radius, 1.0],
                }
            }
            _ => LocalSurface::ruled(Vec3::Z, self.radius),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct EllipsoidSolid {
    pub semi_axes: Vec3,
}

impl Solid for EllipsoidSolid {
    /// The foot is x = A² p / (A² + t) with |A p / (A² + t)| = 1, t > −min aᵢ². The root is found by
    /// Newton's method on 1/|A p / (A² + t)| − 1, which is concave and nearly linear in t (Hebden's
    /// form of the trust-region equation; Moré and Sorensen 1983). The iteration climbs to the root
    /// from any point left of it without overshooting. The unknown is τ = t + min aᵢ², which may be
    /// tiny without cancellation.
    ///
    /// A point on the plane across the shortest axis may have two equally near feet. The foot on the
    /// positive side of that axis counts.
    #[inline]
    fn foot(&self, p: Vec3) -> Foot {
        let a = self.semi_axes;
        let a2 = a.scale(a);
        let ap = a.scale(p);
        let k = shortest(a);
        let excess = a2 - Vec3::new(a2[k], a2[k], a2[k]);
        // At this τ one component alone has length one, so the whole vector has at least length one.
        let lower = ap.abs() - excess;
        let mut tau = lower.x.max(lower.y).max(lower.z);
        if tau <= 0.0
            && let Some(foot) = self.medial_foot(p, k)
        {
            return foot;
        }
        for _ in 0..60 {
            let den = excess + Vec3::new(tau, tau, tau);
            let v = Vec3::new(ratio(ap.x, den.x), ratio(ap.y, den.y), ratio(ap.z, den.z));
            let s2 = v.norm_squared();
            let s = s2.sqrt();
            let slope = ratio(v.x * v.x, den.x) + ratio(v.y * v.y, den.y) + ratio(v.z * v.z, den.z);
            let step = (s - 1.0) * s2 / slope;
            if !step.is_finite() {
                break;
            }
            tau += step;
            // The remaining error is of the order of the last step's square.
            if step.abs() <= 1e-9 * tau && (s - 1.0).abs() <= 1e-9 {
                break;
            }
        }
        let den = excess + Vec3::new(tau, tau, tau);
        let on = Vec3::new(
            ratio(a2.x * p.x, den.x),
            ratio(a2.y * p.y, den.y),
            ratio(a2.z * p.z, den.z),
        );
        self.foot_on(on, p)
    }

    /// The second fundamental form |A m| P A⁻² P, P = 1 − m mᵀ, in principal directions.
    #[inline]
    fn surface(&self, _: Feature, m: Vec3, _: Vec3) -> LocalSurface {
        let a = self.semi_axes;
        let scale = m.scale(a).norm();
        let inverse = Vec3::new(1.0 / a.x, 1.0 / a.y, 1.0 / a.z);
        let form = |u: Vec3, v: Vec3| scale * u.scale(inverse).dot(v.scale(inverse));
        let basis = contact_frame(m);
        let (e1, e2) = (basis.c[0], basis.c[1]);
        let (c, s) = principal(form(e1, e1) - form(e2, e2), 2.0 * form(e1, e2));
        let t1 = e1 * c + e2 * s;
        let t2 = m.cross(t1);
        let y = [form(t1, t1), form(t2, t2)];
        LocalSurface {
            axis: Some(t1),
            x: [1.0, 1.0],
            y,
            most: y,
        }
    }
}

/// (cos α, sin α) for half the angle of the vector (`x`, `y`).
#[inline]
fn principal(x: f64, y: f64) -> (f64, f64) {
    let r = (x * x + y * y).sqrt();
    if r == 0.0 {
        return (1.0, 0.0);
    }
    // The larger of the two is computed without cancellation.
    let larger = (0.5 * (1.0 + x.abs() / r)).sqrt();
    let smaller = 0.5 * y / (r * larger);
    if x >= 0.0 {
        (larger, smaller)
    } else {
        (smaller.abs(), larger.copysign(y))
    }
}

impl EllipsoidSolid {
    /// The outward normal at the other surface point whose distance from `p` is a local minimum along
    /// the surface, on the far side of the plane across the shortest axis; `None` if there is none. In
    /// the terms of [`Solid::foot`] it is the root nearest to τ = 0 from below. Newton's method on |A p
    /// / (A² + t)|² − 1, which is convex there, descends to it from any point above.
    pub fn far_normal(&self, p: Vec3) -> Option<Vec3> {
        let a = self.semi_axes;
        let k = shortest(a);
        let ap = a.scale(p);
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let excess = |i: usize| a[i] * a[i] - a[k] * a[k];
        if ap[k] == 0.0 {
            let mut normal = self.medial_foot(p, k)?.normal;
            normal[k] = -normal[k];
            return Some(normal);
        }
        let mut sigma = ap[k].abs();
        for _ in 0..60 {
            let (di, dj) = (excess(i) - sigma, excess(j) - sigma);
            if di <= 0.0 || dj <= 0.0 {
                return None;
            }
            let (vk, vi, vj) = (ap[k] / sigma, ap[i] / di, ap[j] / dj);
            let value = vk * vk + vi * vi + vj * vj - 1.0;
            let slope = 2.0 * (vi * vi / di + vj * vj / dj - vk * vk / sigma);
            if slope >= 0.0 {
                return None;
            }
            let step = -value / slope;
            sigma += step;
            if step.abs() <= 1e-15 * sigma {
                break;
            }
        }
        let mut gradient = Vec3::ZERO;
        gradient[k] = -p[k] / sigma;
        gradient[i] = p[i] / (excess(i) - sigma);
        gradient[j] = p[j] / (excess(j) - sigma);
        gradient.normalized()
    }

    /// The foot of `p` for its closest surface point `on`.
    #[inline]
    fn foot_on(&self, on: Vec3, p: Vec3) -> Foot {
        let a = self.semi_axes;
        let gradient = Vec3::new(on.x / a.x / a.x, on.y / a.y / a.y, on.z / a.z / a.z);
        let normal = gradient.normalized().unwrap_or(Vec3::unit(shortest(a)));
        Foot {
            on,
            normal,
            distance: normal.dot(p - on),
            feature: Feature::SURFACE,
        }
    }

    /// The foot of a point with coordinate zero along the shortest axis `k`, if the foot lies off that
    /// coordinate plane.
    fn medial_foot(&self, p: Vec3, k: usize) -> Option<Foot> {
        let a = self.semi_axes;
        let mut on = Vec3::ZERO;
        let mut rest = 1.0;
        for i in [(k + 1) % 3, (k + 2) % 3] {
            let den = a[i] * a[i] - a[k] * a[k];
            if den > 0.0 {
                on[i] = a[i] * a[i] * p[i] / den;
                rest -= (on[i] / a[i]) * (on[i] / a[i]);
            } else if p[i] != 0.0 {
                return None;
            }
        }
        if rest < 0.0 {
            return None;
        }
        on[k] = a[k] * rest.sqrt();
        Some(self.foot_on(on, p))
    }
}

#[inline]
fn shortest(a: Vec3) -> usize {
    if a.x <= a.y && a.x <= a.z {
        0
    } else if a.y <= a.z {
        1
    } else {
        2
    }
}

/// n/d, and zero for n = 0 regardless of d.
#[inline(always)]
fn ratio(n: f64, d: f64) -> f64 {
    if n == 0.0 { 0.0 } else { n / d }
}

/// Distance from the border of a feature, relative to a face or to a unit normal, below which a point
/// may belong to the neighbouring feature as well.
const BORDER: f64 = 1e-12;

/// Sine of an angle between lines that counts as zero: along a tangent, points are accurate to the
/// square root of round-off.
const TANGENT: f64 = 1e-3;

impl Shape {
    /// Whether a cylinder's feature ends at its point `on`, where a capsule's side with this axis
    /// touches it with this outward normal (world frame). The cylinder's side ends at a rim. A rim ends
    /// where the normal is the side's, or where it is an end's and the axis is tangent to the rim.
    pub(super) fn ends_under_line(
        &self,
        feature: Feature,
        pose: &Pose,
        outward: Vec3,
        on: Vec3,
        axis: Vec3,
    ) -> bool {
        let Shape::Cylinder { half_length, .. } = self else {
            return false;
        };
        let [on, n] = [pose.inverse_point(on), pose.rot.tr_mul_vec(outward)];
        let axis = pose.rot.tr_mul_vec(axis);
        let lies_along_side = axis.x.hypot(axis.y) <= TANGENT;
        match feature.kind {
            Kind::Surface => !lies_along_side && on.z.abs() >= half_length * (1.0 - BORDER),
            Kind::Rim if lies_along_side => false,
            Kind::Rim => {
                let across = (on.x * axis.x + on.y * axis.y) / on.x.hypot(on.y);
                n.z.abs() <= BORDER
                    || across.abs() <= TANGENT && n.x.hypot(n.y) <= TANGENT * TANGENT
            }
            _ => false,
        }
    }

    /// Whether a feature ends at its point `on` with this outward normal (world frame). A face ends at
    /// its sides; an edge, vertex or rim ends where its normal is a face's. Beyond, the surface has
    /// another curvature.
    pub(super) fn ends(&self, feature: Feature, pose: &Pose, outward: Vec3, on: Vec3) -> bool {
        let seen = || (pose.inverse_point(on), pose.rot.tr_mul_vec(outward));
        match (self, feature.kind) {
            (Shape::Box { half_extents: h }, Kind::Face) => {
                let (on, n) = seen();
                (0..3).any(|i| on[i].abs() >= h[i] * (1.0 - BORDER) && n[i].abs() <= BORDER)
            }
            (Shape::Box { .. }, Kind::Edge) => {
                let along = (feature.index / 4) as usize;
                let (_, n) = seen();
                (0..3).any(|i| i != along && n[i].abs() <= BORDER)
            }
            (Shape::Box { .. }, Kind::Vertex) => {
                seen().1.to_array().iter().any(|x| x.abs() <= BORDER)
            }
            (Shape::Cylinder { radius, .. }, Kind::Face) => {
                let (on, _) = seen();
                on.x.hypot(on.y) >= radius * (1.0 - BORDER)
            }
            (Shape::Cylinder { .. }, Kind::Rim) => {
                let (_, n) = seen();
                n.z.abs() <= BORDER || n.x.hypot(n.y) <= BORDER
            }
            _ => false,
        }
    }
}

impl LocalSurface {
    /// The surface of `shape` around the point `on` of `feature`, where the outward normal is `outward`
    /// (world frame).
    #[inline]
    pub fn of(
        shape: &Shape,
        pose: &Pose,
        feature: Feature,
        outward: Vec3,
        on: Vec3,
    ) -> LocalSurface {
        match *shape {
            Shape::Plane => LocalSurface::FACE,
            Shape::Sphere { radius } => LocalSurface::isotropic(radius, 1.0),
            Shape::Capsule { radius, .. } => match feature.kind {
                Kind::Vertex => LocalSurface::isotropic(radius, 1.0),
                _ => LocalSurface::ruled(pose.rot.c[2], radius),
            },
            Shape::Cylinder {
                radius,
                half_length,
            } => CylinderSolid {
                radius,
                half_length,
            }
            .surface(
                feature,
                pose.rot.tr_mul_vec(outward),
                pose.inverse_point(on),
            )
            .turned(pose),
            Shape::Ellipsoid { semi_axes } => EllipsoidSolid { semi_axes }
                .surface(
                    feature,
                    pose.rot.tr_mul_vec(outward),
                    pose.inverse_point(on),
                )
                .turned(pose),
            Shape::Box { half_extents } => BoxSolid { half: half_extents }
                .surface(feature, outward, on)
                .turned(pose),
        }
    }
}
