//! What joints are made of: primitive ones along their axes.

use super::spec::{JointKind, JointSpec};
use super::topology::LinkKind;
use crate::error::{Error, Result};
use crate::spatial::{Mat3, Vec3};

/// The axes of a joint with length one; z where it has none.
pub(super) fn unit_axes(j: &JointSpec, who: &str) -> Result<[Vec3; 2]> {
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
    match j.kind {
        JointKind::Fixed | JointKind::Spherical | JointKind::Free | JointKind::Translation => {
            Ok([Vec3::Z; 2])
        }
        JointKind::Universal => {
            let (a, b) = (axis(j.axis)?, axis(j.axis2)?);
            if a.cross(b).norm() < 1e-6 {
                return Err(Error::invalid(format!(
                    "joint {who}: the axes of a universal joint must differ"
                )));
            }
            Ok([a, b])
        }
        _ => Ok([axis(j.axis)?, Vec3::Z]),
    }
}

/// The primitive joints of a joint, outermost first, with their axes in the body frame.
pub(super) fn primitives(kind: JointKind, axis: Vec3, axis2: Vec3) -> Vec<(LinkKind, Vec3)> {
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
pub(super) fn align_z(a: Vec3) -> Mat3 {
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
