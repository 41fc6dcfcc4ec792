//! Any motion: q = (x y z, qx qy qz qw), v = twist in the moved frame (linear; angular); S = 1₆, ⊕ by the
//! SE(3) exponential.

use super::family::Family;
use super::spherical::turned;
use super::tangent::{IntegrateBlocks, adjoint};
use crate::spatial::{Mat3, Pose, Quat, Real, Twist, Vec3};

/// Pose of a free joint's coordinates; the quaternion is normalized.
#[inline(always)]
pub fn free_pose(q: &[f64]) -> Pose {
    Pose::from_quat(Quat::from_slice(&q[3..7]).normalized(), Vec3::from_slice(q))
}

pub(super) struct Free;

impl Family for Free {
    const NQ: usize = 7;
    const NV: usize = 6;
    const QUATERNION: Option<usize> = Some(3);

    #[inline(always)]
    fn place<T: Real>(rot: Mat3<T>, pos: Vec3<T>, q: &[T], _reference: f64) -> (Mat3<T>, Vec3<T>) {
        let turn = turned([q[3], q[4], q[5], q[6]]);
        (
            rot.mul_mat(&turn),
            rot.mul_vec(Vec3::new(q[0], q[1], q[2])) + pos,
        )
    }

    #[inline(always)]
    fn columns<T: Real>(rot: &Mat3<T>, p: Vec3<T>, s: &mut [Twist<T>]) {
        for (k, c) in rot.c.into_iter().enumerate() {
            s[k] = Twist::new(c, Vec3::zeros());
            s[k + 3] = Twist::new(p.cross(c), c);
        }
    }

    fn neutral(placement: &Pose, _reference: f64, q: &mut Vec<f64>) {
        q.extend(placement.pos.to_array());
        q.extend(Quat::from_mat3(&placement.rot).to_array());
    }

    #[inline(always)]
    fn integrate(q: &[f64], dv: &[f64], out: &mut [f64]) {
        let here = free_pose(q);
        let t = Twist::from_slice(dv);
        // The translation of exp; its rotation is a quaternion here, which stays of unit length.
        let moved = here.point(Pose::exp(t).pos);
        let r = Quat::from_slice(&q[3..7]).mul(Quat::exp(t.ang));
        out[..3].copy_from_slice(&moved.to_array());
        out[3..7].copy_from_slice(&r.normalized().to_array());
    }

    #[inline(always)]
    fn difference(a: &[f64], b: &[f64], dv: &mut [f64]) {
        let t = free_pose(a).relative(&free_pose(b)).log();
        dv[..6].copy_from_slice(&t.to_array());
    }

    fn integrate_blocks(w: &[f64]) -> IntegrateBlocks {
        let t = Twist::from_slice(w);
        let back = Pose::exp(t).inverse();
        let (a, b) = Pose::exp_right_jacobian(t);
        IntegrateBlocks {
            by_q: adjoint(&back),
            by_w: [a, b, a],
        }
    }
}
