//! Transformations of the nodes of mesh files.

use crate::spatial::{Mat3, Vec3};

/// x ↦ linear·x + offset. With scales it is not a rigid placement.
#[derive(Clone, Copy)]
pub(super) struct Affine {
    pub(super) linear: Mat3,
    pub(super) offset: Vec3,
}

impl Affine {
    pub(super) fn linear(linear: Mat3) -> Self {
        Affine {
            linear,
            offset: Vec3::ZERO,
        }
    }

    pub(super) fn point(&self, x: Vec3) -> Vec3 {
        self.linear.mul_vec(x) + self.offset
    }

    pub(super) fn compose(&self, o: &Affine) -> Affine {
        Affine {
            linear: self.linear.mul_mat(&o.linear),
            offset: self.point(o.offset),
        }
    }
}
