//! What a family of joints gives whose S is constant in the frame that it moves.

use super::tangent::IntegrateBlocks;
use crate::spatial::{Mat3, Pose, Twist, Vec3};

/// A primitive joint about or along the axes of its frame. What is said of coordinates and tangents that are plain
/// numbers serves every family of one dof.
pub(super) trait Family {
    const NQ: usize;
    const NV: usize;
    /// Where among the coordinates a unit quaternion (x y z w) begins.
    const QUATERNION: Option<usize> = None;

    /// The moved frame, from the one in which it is at the reference.
    fn place(rot: Mat3, pos: Vec3, q: &[f64], reference: f64) -> (Mat3, Vec3);

    /// S along world axes, of the moved frame at `rot`, `p`.
    fn columns(rot: &Mat3, p: Vec3, s: &mut [Twist]);

    /// Appends the coordinates at which a body is where its description places it.
    fn neutral(_placement: &Pose, reference: f64, q: &mut Vec<f64>) {
        q.push(reference);
    }

    /// out ← q ⊕ dv.
    #[inline(always)]
    fn integrate(q: &[f64], dv: &[f64], out: &mut [f64]) {
        out[0] = q[0] + dv[0];
    }

    /// The tangent vector with a ⊕ dv = b.
    #[inline(always)]
    fn difference(a: &[f64], b: &[f64], dv: &mut [f64]) {
        dv[0] = b[0] - a[0];
    }

    /// How q ⊕ w varies.
    fn integrate_blocks(_w: &[f64]) -> IntegrateBlocks {
        IntegrateBlocks::ONE
    }
}
