//! Composes users' joints from primitive joints along their axes.

use super::link_kind::LinkKind;
use crate::error::{Error, Result};
use crate::spatial::{Mat3, Vec3, so3_exp};

/// The motion of a joint. Layouts of `q` and `v` are Pinocchio's if it has the joint.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// No motion: a named weld.
    Fixed = 0,
    /// Rotation about `axis` [rad].
    Revolute = 1,
    /// Rotation about `axis` without limits [rad]; otherwise as revolute.
    Continuous = 2,
    /// Translation along `axis` [m].
    Prismatic = 3,
    /// q = unit quaternion (x y z w), v = angular velocity in the body frame.
    Spherical = 4,
    /// q = (x y z, qx qy qz qw), v = body-frame twist (linear; angular).
    Free = 5,
    /// Translations along the two directions perpendicular to `axis`, without rotation.
    PlanarTranslation = 6,
    /// Translations along x, y, z.
    Translation = 7,
    /// q = (x, y, θ): translations in the plane perpendicular to `axis`, then the rotation about it.
    Planar = 8,
    /// Rotation about `axis`, then about `axis2`, which the first rotation moves.
    Universal = 9,
    /// One coordinate along a curve of frames: [`Spline::Curve`](super::spline::Spline::Curve).
    SplineCurve = 10,
    /// Two coordinates on a patch of a surface: [`Spline::Surface`](super::spline::Spline::Surface).
    SplineSurface = 11,
    /// Rotations about `axis`, `axis2` and `axis3`, each moved by those before it [rad].
    Euler = 12,
}

/// Distance of the second angle of an Euler joint from the configuration in which its axes lie in one
/// plane, as a sine; 0 there.
pub fn gimbal(axes: [Vec3; 3], second: f64) -> f64 {
    let [a, b, c] = axes;
    let volume = a.cross(b).dot(so3_exp(b * second).mul_vec(c));
    volume.abs() / (a.cross(b).norm() * b.cross(c).norm())
}

/// An Euler joint counts as near its singularity where [`gimbal`] is below this: three degrees.
pub const GIMBAL: f64 = 0.052;

/// The three axes of a joint, scaled to length one; z for an unused axis.
pub(crate) fn unit_axes(kind: JointKind, axes: [Vec3; 3], who: &str) -> Result<[Vec3; 3]> {
    let axis = |a: Vec3| {
        a.normalized()
            .filter(|_| a.max_abs() > 1e-12)
            .ok_or_else(|| {
                Error::invalid(format!(
                    "joint {who}: axis must have a direction, got ({} {} {})",
                    a.x, a.y, a.z
                ))
            })
    };
    match kind {
        JointKind::Fixed
        | JointKind::Spherical
        | JointKind::Free
        | JointKind::Translation
        | JointKind::SplineCurve
        | JointKind::SplineSurface => Ok([Vec3::Z; 3]),
        JointKind::Universal => {
            let (a, b) = (axis(axes[0])?, axis(axes[1])?);
            if a.cross(b).norm() < 1e-6 {
                return Err(Error::invalid(format!(
                    "joint {who}: the axes of a universal joint must differ"
                )));
            }
            Ok([a, b, Vec3::Z])
        }
        JointKind::Euler => {
            let [a, b, c] = [axis(axes[0])?, axis(axes[1])?, axis(axes[2])?];
            if a.cross(b).norm() < 1e-6 || b.cross(c).norm() < 1e-6 {
                return Err(Error::invalid(format!(
                    "joint {who}: the second axis of an Euler joint must differ from the first and from the third"
                )));
            }
            Ok([a, b, c])
        }
        _ => Ok([axis(axes[0])?, Vec3::Z, Vec3::Z]),
    }
}

/// The primitive joints of a joint, outermost first, with their axes in the body frame.
pub(crate) fn primitives(kind: JointKind, axes: [Vec3; 3]) -> Vec<(LinkKind, Vec3)> {
    use LinkKind::{Free, Prismatic, Revolute, Spherical};
    let [axis, axis2, axis3] = axes;
    match kind {
        // A spline is one link of its own.
        JointKind::Fixed | JointKind::SplineCurve | JointKind::SplineSurface => vec![],
        JointKind::Revolute | JointKind::Continuous => vec![(Revolute, axis)],
        JointKind::Prismatic => vec![(Prismatic, axis)],
        JointKind::Spherical => vec![(Spherical, Vec3::Z)],
        JointKind::Free => vec![(Free, Vec3::Z)],
        JointKind::Translation => vec![
            (Prismatic, Vec3::X),
            (Prismatic, Vec3::Y),
            (Prismatic, Vec3::Z),
        ],
        JointKind::PlanarTranslation | JointKind::Planar => {
            let r = align_z(axis);
            let mut list = vec![(Prismatic, r.c[0]), (Prismatic, r.c[1])];
            if kind == JointKind::Planar {
                list.push((Revolute, r.c[2]));
            }
            list
        }
        JointKind::Universal => vec![(Revolute, axis), (Revolute, axis2)],
        JointKind::Euler => vec![(Revolute, axis), (Revolute, axis2), (Revolute, axis3)],
    }
}

/// The rotation by the smallest angle that takes z to the unit vector `a`; exact for the axes.
pub(crate) fn align_z(a: Vec3) -> Mat3 {
    if a.z < -0.999_999 {
        // Half a turn about x, then the small rest.
        let flip = Mat3::diagonal(Vec3::new(1.0, -1.0, -1.0));
        return flip.mul_mat(&align_z(Vec3::new(a.x, -a.y, -a.z)));
    }
    // 1 / (1 + z) for a unit vector, without cancellation.
    let k = if a.z < 0.0 {
        (1.0 - a.z) / (a.x * a.x + a.y * a.y)
    } else {
        1.0 / (1.0 + a.z)
    };
    let xy = -a.x * a.y * k;
    Mat3::from_columns(
        Vec3::new(1.0 - a.x * a.x * k, xy, -a.x),
        Vec3::new(xy, 1.0 - a.y * a.y * k, -a.y),
        a,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An axis of a public hand, (0, −0.00155, −1), gave a rotation that was off by 1.4e-10.
    #[test]
    fn rotations_to_any_axis_are_rotations() {
        let mut worst: f64 = 0.0;
        for k in 0..2000 {
            let (turn, tilt) = (
                0.37 * f64::from(k),
                10f64.powf(-8.0 * f64::from(k) / 2000.0),
            );
            for side in [1.0, -1.0] {
                let z = side * (1.0 - tilt * tilt).max(0.0).sqrt();
                let a = Vec3::new(tilt * turn.cos(), tilt * turn.sin(), z);
                let Some(a) = a.normalized() else { continue };
                let r = align_z(a);
                for i in 0..3 {
                    for j in 0..3 {
                        let unit = f64::from(u8::from(i == j));
                        worst = worst.max((r.c[i].dot(r.c[j]) - unit).abs());
                    }
                }
                assert_eq!(r.c[2], a);
            }
        }
        assert!(worst < 1e-15, "{worst:e}");
    }
}
