//! Rotation about a point: q = (qx qy qz qw), v = angular velocity in the moved frame; S = (0; 1₃).

use super::family::Family;
use super::tangent::IntegrateBlocks;
use crate::spatial::{Mat3, Pose, Quat, Real, Twist, Vec3, so3_right_jacobian};

/// The rotation of a quaternion, which is normalized.
#[inline(always)]
pub(super) fn turned<T: Real>(q: [T; 4]) -> Mat3<T> {
    let [xx, xy, xz, yx, yy, yz, zx, zy, zz] = T::map(q, |q| {
        let [x, y, z] = Quat::from_slice(&q).normalized().to_mat3().c;
        [x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z]
    });
    let column = Vec3::new;
    Mat3::from_columns(column(xx, xy, xz), column(yx, yy, yz), column(zx, zy, zz))
}

pub(super) struct Spherical;

impl Family for Spherical {
    const NQ: usize = 4;
    const NV: usize = 3;
    const QUATERNION: Option<usize> = Some(0);

    #[inline(always)]
    fn place<T: Real>(rot: Mat3<T>, pos: Vec3<T>, q: &[T], _reference: f64) -> (Mat3<T>, Vec3<T>) {
        (rot.mul_mat(&turned([q[0], q[1], q[2], q[3]])), pos)
    }

    #[inline(always)]
    fn columns<T: Real>(rot: &Mat3<T>, p: Vec3<T>, s: &mut [Twist<T>]) {
        for (s, c) in s.iter_mut().zip(rot.c) {
            *s = Twist::new(p.cross(c), c);
        }
    }

    fn neutral(_placement: &Pose, _reference: f64, q: &mut Vec<f64>) {
        q.extend([0.0, 0.0, 0.0, 1.0]);
    }

    #[inline(always)]
    fn integrate(q: &[f64], dv: &[f64], out: &mut [f64]) {
        let r = Quat::from_slice(q).mul(Quat::exp(Vec3::from_slice(dv)));
        out[..4].copy_from_slice(&r.normalized().to_array());
    }

    #[inline(always)]
    fn difference(a: &[f64], b: &[f64], dv: &mut [f64]) {
        let (a, b) = (Quat::from_slice(a), Quat::from_slice(b));
        let r = a.normalized().conjugate().mul(b.normalized());
        dv[..3].copy_from_slice(&r.log().to_array());
    }

    fn integrate_blocks(w: &[f64]) -> IntegrateBlocks {
        let w = Vec3::from_slice(w);
        IntegrateBlocks {
            by_q: [Quat::exp(-w).normalized().to_mat3(), Mat3::ZERO, Mat3::ZERO],
            by_w: [so3_right_jacobian(w), Mat3::ZERO, Mat3::ZERO],
        }
    }
}
