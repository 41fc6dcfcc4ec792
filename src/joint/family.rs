//! The interface of a family of joints whose S is constant in the frame that it moves.

use super::tangent::IntegrateBlocks;
use crate::spatial::{Mat3, Pose, Real, Twist, Vec3};

/// A primitive joint about or along the axes of its frame. The default methods for coordinates and tangents
/// that are plain numbers serve every family of one dof.
pub(super) trait Family {
    const NQ: usize;
    const NV: usize;
    /// Index of a unit quaternion (x y z w) among the coordinates.
    const QUATERNION: Option<usize> = None;

    /// The moved frame, from its position at the reference.
    fn place<T: Real>(rot: Mat3<T>, pos: Vec3<T>, q: &[T], reference: f64) -> (Mat3<T>, Vec3<T>);

    /// S along world axes, of the moved frame at `rot`, `p`.
    fn columns<T: Real>(rot: &Mat3<T>, p: Vec3<T>, s: &mut [Twist<T>]);

    /// Appends the coordinates at which a body has the placement of its description.
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

    /// Derivatives of q ⊕ w.
    fn integrate_blocks(_w: &[f64]) -> IntegrateBlocks {
        IntegrateBlocks::ONE
    }
}
