//! Translation along z [m]: S = (z; 0).

use super::family::Family;
use crate::spatial::{Mat3, Real, Twist, Vec3};

pub(super) struct Prismatic;

impl Family for Prismatic {
    const NQ: usize = 1;
    const NV: usize = 1;

    #[inline(always)]
    fn place<T: Real>(rot: Mat3<T>, pos: Vec3<T>, q: &[T], reference: f64) -> (Mat3<T>, Vec3<T>) {
        (rot, pos + rot.c[2] * (q[0] - T::splat(reference)))
    }

    #[inline(always)]
    fn columns<T: Real>(rot: &Mat3<T>, _p: Vec3<T>, s: &mut [Twist<T>]) {
        s[0] = Twist::new(rot.c[2], Vec3::zeros());
    }
}
