//! Users' joints as sequences of primitive joints along their axes.

use super::link_kind::LinkKind;
use crate::error::{Error, Result};
use crate::spatial::{Mat3, Vec3};

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
}

/// The axes of a joint, scaled to length one; z for an unused axis.
pub(crate) fn unit_axes(kind: JointKind, axes: [Vec3; 2], who: &str) -> Result<[Vec3; 2]> {
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
        JointKind::Fixed | JointKind::Spherical | JointKind::Free | JointKind::Translation => {
            Ok([Vec3::Z; 2])
        }
        JointKind::Universal => {
            let (a, b) = (axis(axes[0])?, axis(axes[1])?);
            if a.cross(b).norm() < 1e-6 {
                return Err(Error::invalid(format!(
                    "joint {who}: the axes of a universal joint must differ"
                )));
            }
            Ok([a, b])
        }
        _ => Ok([axis(axes[0])?, Vec3::Z]),
    }
}

/// The primitive joints of a joint, outermost first, with their axes in the body frame.
pub(crate) fn primitives(kind: JointKind, axis: Vec3, axis2: Vec3) -> Vec<(LinkKind, Vec3)> {
    use LinkKind::{Free, Prismatic, Revolute, Spherical};
    match kind {
        JointKind::Fixed => vec![],
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
    }
}

/// The rotation by the smallest angle that takes z to the unit vector `a`; exact for the axes.
pub(crate) fn align_z(a: Vec3) -> Mat3 {
    if a.z < -0.999_999 {
        // Half a turn about x, then the small rest.
        let flip = Mat3::diagonal(Vec3::new(1.0, -1.0, -1.0));
        return flip.mul_mat(&align_z(Vec3::new(a.x, -a.y, -a.z)));
    }
    let k = 1.0 / (1.0 + a.z);
    let xy = -a.x * a.y * k;
    Mat3::from_columns(
        Vec3::new(1.0 - a.x * a.x * k, xy, -a.x),
        Vec3::new(xy, 1.0 - a.y * a.y * k, -a.y),
        a,
    )
}
