//! Rotations: quaternions, rotation vectors and angles, with the derivatives of one by another.

use super::args::{self, Out};
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::spatial::{
    Mat3, Quat, Vec3, angles_of_rotation, rotation_by_angles, so3_log_jacobian, so3_right_jacobian,
};

fn columns(m: &Mat3) -> [f64; 9] {
    let mut out = [0.0; 9];
    for (to, c) in out.chunks_mut(3).zip(&m.c) {
        to.copy_from_slice(&c.to_array());
    }
    out
}

unsafe fn quaternion(quat: *const f64) -> Result<Quat> {
    let q = Quat::from_slice(args::numbers(quat, 4, "quat")?);
    match (0.81..=1.21).contains(&q.norm_squared()) {
        true => Ok(q.normalized()),
        false => Err(Error::invalid(format!(
            "quat: must have a length near 1, got {}",
            q.norm_squared().sqrt()
        ))),
    }
}

/// Three axes of unit length; the second one perpendicular to the others if it must be.
unsafe fn axes(list: *const f64, square: bool) -> Result<[Vec3; 3]> {
    let list = args::numbers(list, 9, "axes")?;
    let mut unit = [Vec3::ZERO; 3];
    for (k, (unit, x)) in unit.iter_mut().zip(list.chunks(3)).enumerate() {
        *unit = Vec3::from_slice(x).normalized().ok_or_else(|| {
            Error::invalid(format!("axes: axis {k} must have a direction, got {x:?}"))
        })?;
    }
    let off = [0, 2].map(|k| unit[k].dot(unit[1]).abs());
    if square && off[0].max(off[1]) > 1e-9 {
        return Err(Error::invalid(format!(
            "axes: the second axis must be perpendicular to the others, got cosines {} and {}",
            off[0], off[1]
        )));
    }
    Ok(unit)
}

/// The quaternion (x y z w) of a rotation vector (3 numbers) [rad], the exponential map.
///
/// jacobian: 3×3, column-major: the derivative of the rotation (about the rotated axes) by the vector; may
/// be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rotation_vector_to_quat(
    vector: *const f64,
    quat: *mut f64,
    jacobian: *mut f64,
) -> ds_status {
    wall::status(|| {
        let w = Vec3::from_slice(args::numbers(vector, 3, "vector")?);
        let q = Quat::exp(w).normalized().to_array();
        let by = columns(&so3_right_jacobian(w));
        args::publish([
            (&q[..], Out::new(quat, 4, "quat")?),
            (&by[..], Out::optional(jacobian, 9, "jacobian")?),
        ])
    })
}

/// The rotation vector (3 numbers) of a quaternion (x y z w), of length pi at most [rad].
///
/// jacobian: 3×3, column-major: the vector by rotations about the moved axes; may be NULL.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a quaternion whose length is far from 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_quat_to_rotation_vector(
    quat: *const f64,
    vector: *mut f64,
    jacobian: *mut f64,
) -> ds_status {
    wall::status(|| {
        let w = quaternion(quat)?.log();
        let by = columns(&so3_log_jacobian(w));
        args::publish([
            (&w.to_array()[..], Out::new(vector, 3, "vector")?),
            (&by[..], Out::optional(jacobian, 9, "jacobian")?),
        ])
    })
}

/// The quaternion (x y z w) of rotations by three angles [rad] about three axes. Each rotation carries the
/// axes after it along: this is the rotation of a DS_JOINT_EULER.
///
/// axes: 9 numbers, one axis after the other, of any length. jacobian: 3×3, column-major: rotation about the
/// moved axes by the angles; may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_euler_to_quat(
    axes: *const f64,
    angles: *const f64,
    quat: *mut f64,
    jacobian: *mut f64,
) -> ds_status {
    wall::status(|| {
        let axes = self::axes(axes, false)?;
        let x = args::numbers(angles, 3, "angles")?;
        let (rot, by) = rotation_by_angles(axes, [x[0], x[1], x[2]]);
        args::publish([
            (
                &Quat::from_mat3(&rot).to_array()[..],
                Out::new(quat, 4, "quat")?,
            ),
            (&columns(&by)[..], Out::optional(jacobian, 9, "jacobian")?),
        ])
    })
}

/// The angles [rad] of a quaternion (x y z w) about three axes. The second axis is perpendicular to the
/// others. The second angle is from -pi/2 to pi/2 if all axes are perpendicular, and from 0 to pi if the
/// third axis is the first one.
///
/// axes: 9 numbers, one axis after the other, of any length. jacobian: 3×3, column-major: the angles by
/// rotations about the moved axes; may be NULL.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for other axes, and for a quaternion whose length is far from 1;
/// DS_ERR_NUMERICAL within 1e-9 rad of where the axes are in one plane, for there are no two angles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_quat_to_euler(
    axes: *const f64,
    quat: *const f64,
    angles: *mut f64,
    jacobian: *mut f64,
) -> ds_status {
    wall::status(|| {
        let axes = self::axes(axes, true)?;
        let rot = quaternion(quat)?.to_mat3();
        let plane = || {
            Error::numerical(
                "quat: the axes are in one plane at this rotation, so that their angles are not determined",
            )
        };
        let found = angles_of_rotation(axes, &rot).ok_or_else(plane)?;
        let by = rotation_by_angles(axes, found).1.inverse();
        let by = by.ok_or_else(plane)?;
        args::publish([
            (&found[..], Out::new(angles, 3, "angles")?),
            (&columns(&by)[..], Out::optional(jacobian, 9, "jacobian")?),
        ])
    })
}
