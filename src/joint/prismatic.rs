//! Translation along z [m]: S = (z; 0).

use super::family::Family;
use crate::spatial::{Mat3, Twist, Vec3};

pub(super) struct Prismatic;

impl Family for Prismatic {
    const NQ: usize = 1;
    const NV: usize = 1;

    #[inline(always)]
    fn place(rot: Mat3, pos: Vec3, q: &[f64], reference: f64) -> (Mat3, Vec3) {
        (rot, pos + rot.c[2] * (q[0] - reference))
    }

    #[inline(always)]
    fn columns(rot: &Mat3, _p: Vec3, s: &mut [Twist]) {
        s[0] = Twist::new(rot.c[2], Vec3::ZERO);
    }
}
