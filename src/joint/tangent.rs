//! How q ⊕ w varies: matrices on the tangents of a link.

use crate::linalg::F4;
use crate::spatial::{Mat3, Pose, Vec3};

/// Blocks of ∂(q ⊕ w)/∂q and ∂(q ⊕ w)/∂w in tangent coordinates of both sides.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntegrateBlocks {
    /// Ad(exp(−w)): by q.
    pub by_q: LinkMatrix,
    /// Jᵣ(w): by w.
    pub by_w: LinkMatrix,
}

/// Of a free link the 6×6 matrix [[`m₀`, `m₁`], [0, `m₂`]]; of a spherical one `m₀`.
pub type LinkMatrix = [Mat3; 3];

impl IntegrateBlocks {
    /// Those of addition.
    pub const ONE: IntegrateBlocks = IntegrateBlocks {
        by_q: [Mat3::IDENTITY, Mat3::ZERO, Mat3::IDENTITY],
        by_w: [Mat3::IDENTITY, Mat3::ZERO, Mat3::IDENTITY],
    };
}

/// Ad of a pose.
pub fn adjoint(pose: &Pose) -> LinkMatrix {
    let turned = Mat3::skew(pose.pos).mul_mat(&pose.rot);
    [pose.rot, turned, pose.rot]
}

/// m x for the three or six numbers of a link.
#[inline(always)]
pub fn block_mul(m: &LinkMatrix, x: &mut [f64]) {
    let a = Vec3::from_slice(x);
    let mut first = m[0].mul_vec(a);
    if x.len() == 6 {
        let b = Vec3::from_slice(&x[3..]);
        first += m[1].mul_vec(b);
        x[3..6].copy_from_slice(&m[2].mul_vec(b).to_array());
    }
    x[..3].copy_from_slice(&first.to_array());
}

/// A [`LinkMatrix`] by columns in lanes, for many products.
#[derive(Clone, Copy, Debug)]
pub struct LaneMatrix([[F4; 3]; 3]);

impl LaneMatrix {
    #[inline(always)]
    pub fn new(m: &LinkMatrix) -> Self {
        LaneMatrix(m.map(|m| m.c.map(|c| F4([c.x, c.y, c.z, 0.0]))))
    }

    /// x ← m x as [`block_mul`] does, with the same bits.
    #[inline(always)]
    pub fn multiply(&self, x: &mut [f64]) {
        let times = |[a, b, c]: [F4; 3], x: [f64; 3]| a * x[0] + b * x[1] + c * x[2];
        match x {
            [a, b, c] => {
                let F4([x, y, z, _]) = times(self.0[0], [*a, *b, *c]);
                (*a, *b, *c) = (x, y, z);
            }
            [a, b, c, d, e, f] => {
                let (linear, angular) = ([*a, *b, *c], [*d, *e, *f]);
                let F4([x, y, z, _]) = times(self.0[0], linear) + times(self.0[1], angular);
                (*a, *b, *c) = (x, y, z);
                let F4([x, y, z, _]) = times(self.0[2], angular);
                (*d, *e, *f) = (x, y, z);
            }
            _ => (),
        }
    }
}

/// mᵀ x for the three or six numbers of a link.
#[inline(always)]
pub fn block_tr_mul(m: &LinkMatrix, x: &mut [f64]) {
    let a = Vec3::from_slice(x);
    if x.len() == 6 {
        let b = Vec3::from_slice(&x[3..]);
        let second = m[1].tr_mul_vec(a) + m[2].tr_mul_vec(b);
        x[3..6].copy_from_slice(&second.to_array());
    }
    x[..3].copy_from_slice(&m[0].tr_mul_vec(a).to_array());
}
