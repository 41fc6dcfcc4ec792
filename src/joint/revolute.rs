//! Rotation about z [rad]: S = (0; z).

use super::family::Family;
use crate::spatial::{Mat3, Real, Twist, Vec3};

pub(super) struct Revolute;

impl Family for Revolute {
    const NQ: usize = 1;
    const NV: usize = 1;

    #[inline(always)]
    fn place<T: Real>(rot: Mat3<T>, pos: Vec3<T>, q: &[T], reference: f64) -> (Mat3<T>, Vec3<T>) {
        let (s, c) = (q[0] - T::splat(reference)).sin_cos();
        let [x, y, z] = rot.c;
        (Mat3::from_columns(x * c + y * s, y * c - x * s, z), pos)
    }

    #[inline(always)]
    fn columns<T: Real>(rot: &Mat3<T>, p: Vec3<T>, s: &mut [Twist<T>]) {
        s[0] = Twist::new(p.cross(rot.c[2]), rot.c[2]);
    }
}
