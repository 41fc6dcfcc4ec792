//! Rotation about a point: q = (qx qy qz qw), v = angular velocity in the moved frame; S = (0; 1₃).

use super::family::Family;
use super::tangent::IntegrateBlocks;
use crate::spatial::{Mat3, Pose, Quat, Twist, Vec3, so3_right_jacobian};

pub(super) struct Spherical;

impl Family for Spherical {
    const NQ: usize = 4;
    const NV: usize = 3;
    const QUATERNION: Option<usize> = Some(0);

    #[inline(always)]
    fn place(rot: Mat3, pos: Vec3, q: &[f64], _reference: f64) -> (Mat3, Vec3) {
        let r = Quat::from_slice(q).normalized().to_mat3();
        (rot.mul_mat(&r), pos)
    }

    #[inline(always)]
    fn columns(rot: &Mat3, p: Vec3, s: &mut [Twist]) {
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
