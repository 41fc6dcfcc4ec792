//! Rotation about z [rad]: S = (0; z).

use super::family::Family;
use crate::spatial::{Mat3, Twist, Vec3};

pub(super) struct Revolute;

impl Family for Revolute {
    const NQ: usize = 1;
    const NV: usize = 1;

    #[inline(always)]
    fn place(rot: Mat3, pos: Vec3, q: &[f64], reference: f64) -> (Mat3, Vec3) {
        let (s, c) = (q[0] - reference).sin_cos();
        let [x, y, z] = rot.c;
        (Mat3::from_columns(x * c + y * s, y * c - x * s, z), pos)
    }

    #[inline(always)]
    fn columns(rot: &Mat3, p: Vec3, s: &mut [Twist]) {
        s[0] = Twist::new(p.cross(rot.c[2]), rot.c[2]);
    }
}
