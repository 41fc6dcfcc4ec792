//! A half space against every shape: the shape's lowest points, and their derivatives.

use super::feature::{Feature, Kind, pack};
use super::manifold::Manifold;
use crate::collision::{ContactDerivative, ContactPoint, Smoothness};
use crate::spatial::{Mat3, Pose, Vec3};

/// A cylinder stands on four fixed points of its rim if the sine between its axis and the plane's
/// normal is below this.
const FLAT: f64 = 1e-4;

const COS_THIRD: f64 = -0.5;
const SIN_THIRD: f64 = 0.866_025_403_784_438_6;

/// The contact of the plane with the point `p` of the shape.
#[inline(always)]
fn push(out: &mut Manifold, plane: &Pose, p: Vec3, feature: Feature, margin: f64) {
    let normal = plane.rot.c[2];
    let gap = normal.dot(p - plane.pos);
    if gap <= margin {
        out.push(ContactPoint {
            point: p - normal * (0.5 * gap),
            normal,
            gap,
            feature: pack(Feature::SURFACE, feature),
        });
    }
}

#[inline]
pub(super) fn sphere(plane: &Pose, radius: f64, pose: &Pose, margin: f64, out: &mut Manifold) {
    let p = pose.pos - plane.rot.c[2] * radius;
    push(out, plane, p, Feature::SURFACE, margin);
}

/// Both ends, the low one (of the capsule's z) first.
#[inline]
pub(super) fn capsule(
    plane: &Pose,
    (radius, half_length): (f64, f64),
    pose: &Pose,
    margin: f64,
    out: &mut Manifold,
) {
    let below = pose.pos - plane.rot.c[2] * radius;
    let reach = pose.rot.c[2] * half_length;
    push(
        out,
        plane,
        below - reach,
        Feature::new(Kind::Vertex, 0),
        margin,
    );
    push(
        out,
        plane,
        below + reach,
        Feature::new(Kind::Vertex, 1),
        margin,
    );
}

#[inline]
pub(super) fn ellipsoid(
    plane: &Pose,
    semi_axes: Vec3,
    pose: &Pose,
    margin: f64,
    out: &mut Manifold,
) {
    let scaled = pose.rot.tr_mul_vec(-plane.rot.c[2]).scale(semi_axes);
    let low = scaled.scale(semi_axes) * (1.0 / scaled.norm());
    push(out, plane, pose.point(low), Feature::SURFACE, margin);
}

/// The four lowest vertices in the order of their numbers. They belong to the face across the axis
/// along which the box reaches highest above the plane (the last such axis if two are equal).
#[inline]
pub(super) fn cuboid(plane: &Pose, half: Vec3, pose: &Pose, margin: f64, out: &mut Manifold) {
    let down = pose.rot.tr_mul_vec(-plane.rot.c[2]);
    let reach = down.scale(half).abs();
    let k = if reach.z >= reach.x && reach.z >= reach.y {
        2
    } else if reach.y >= reach.x {
        1
    } else {
        0
    };
    let (i, j) = if k == 0 {
        (1, 2)
    } else if k == 1 {
        (0, 2)
    } else {
        (0, 1)
    };
    let lower = u32::from(down[k] >= 0.0) << k;
    for corner in 0..4 {
        let bits = lower | (corner & 1) << i | (corner >> 1) << j;
        let sign = |axis: usize| {
            if bits >> axis & 1 == 1 {
                half[axis]
            } else {
                -half[axis]
            }
        };
        let p = pose.point(Vec3::new(sign(0), sign(1), sign(2)));
        push(out, plane, p, Feature::new(Kind::Vertex, bits), margin);
    }
}

/// The lowest points of both rims and the two points on the lower rim a third of a turn away. Within
/// [`FLAT`] of standing upright, the lowest point would move around the rim under tiny rotations. There
/// the contacts are the four points of the lower rim on the cylinder's x and y axes.
#[inline]
pub(super) fn cylinder(
    plane: &Pose,
    (radius, half_length): (f64, f64),
    pose: &Pose,
    margin: f64,
    out: &mut Manifold,
) {
    let down = pose.rot.tr_mul_vec(-plane.rot.c[2]);
    let lean = (down.x * down.x + down.y * down.y).sqrt();
    let low = u32::from(down.z >= 0.0);
    let height = |end: u32| if end == 1 { half_length } else { -half_length };
    if lean < FLAT {
        let quarters = [Vec3::X, Vec3::Y, -Vec3::X, -Vec3::Y];
        for (quarter, u) in (0..).zip(quarters) {
            let p = pose.point(u * radius + Vec3::Z * height(low));
            push(
                out,
                plane,
                p,
                Feature::new(Kind::Vertex, 4 * low + quarter),
                margin,
            );
        }
        return;
    }
    let u = Vec3::new(down.x / lean, down.y / lean, 0.0);
    for end in 0..2 {
        let p = pose.point(u * radius + Vec3::Z * height(end));
        push(out, plane, p, Feature::new(Kind::Rim, end), margin);
    }
    for side in 0..2 {
        let p = pose.point(spread(u, side) * radius + Vec3::Z * height(low));
        push(
            out,
            plane,
            p,
            Feature::new(Kind::Spread, 2 * low + side),
            margin,
        );
    }
}

/// `u`, which is perpendicular to z, rotated about z by a third of a turn to the right or left.
#[inline(always)]
fn spread(u: Vec3, side: u32) -> Vec3 {
    let s = if side == 1 { SIN_THIRD } else { -SIN_THIRD };
    u * COS_THIRD + Vec3::new(-u.y, u.x, 0.0) * s
}

/// The derivative at a [`Kind::Spread`] point, with the plane as A. The cylinder carries the point, and
/// the point moves along the rim as the lowest direction rotates.
pub(super) fn differentiate_spread(
    pose: &Pose,
    radius: f64,
    feature: Feature,
    n: Vec3,
    gap: f64,
    out: &mut ContactDerivative,
) -> Smoothness {
    let down = pose.rot.tr_mul_vec(-n);
    let lean = (down.x * down.x + down.y * down.y).sqrt();
    let smooth = lean > 0.0;
    let r = if smooth { 1.0 / lean } else { 0.0 };
    let u = Vec3::new(down.x * r, down.y * r, 0.0);
    let across = |v: Vec3| Vec3::new(-v.y, v.x, 0.0);
    // As seen from the cylinder, −n rotates by ω × n, so the azimuth of u by across(u)·(ω × n)/lean.
    let azimuth = n.cross(pose.rot.mul_vec(across(u))) * r;
    let run = pose.rot.mul_vec(across(spread(u, feature.index & 1))) * radius;
    // δb = ζ.lin + ζ.ang × (½ gap n) + run (azimuth·ζ.ang), and the point is b's projection halfway.
    let carried = Mat3::skew(n * (-0.5 * gap)) + Mat3::outer(run, azimuth);
    let halfway = Mat3::IDENTITY - Mat3::outer(n, n) * 0.5;
    out.normal = [Mat3::ZERO; 2];
    out.point = [halfway, halfway.mul_mat(&carried)];
    out.gap = [n, azimuth * n.dot(run)];
    Smoothness::from_bool(smooth)
}
