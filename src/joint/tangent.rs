//! Derivatives of q ⊕ w: matrices on the tangents of a link.

use crate::linalg::{F4, axpy};
use crate::spatial::{Mat3, Pose, Vec3};

/// Blocks of ∂(q ⊕ w)/∂q and ∂(q ⊕ w)/∂w in tangent coordinates of both sides.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntegrateBlocks {
    /// Ad(exp(−w)): by q.
    pub by_q: LinkMatrix,
    /// Jᵣ(w): by w.
    pub by_w: LinkMatrix,
}

/// For a free link the 6×6 matrix [[`m₀`, `m₁`], [0, `m₂`]]; for a spherical link `m₀`.
pub type LinkMatrix = [Mat3; 3];

impl IntegrateBlocks {
    /// The blocks of addition.
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
    block_mul_columns::<1>(m, x.as_chunks_mut().0);
}

/// The same for W columns, row by row.
#[inline(always)]
pub fn block_mul_columns<const W: usize>(m: &LinkMatrix, x: &mut [[f64; W]]) {
    let three = |x: &[[f64; W]]| [x[0], x[1], x[2]];
    let mut first = mul(&m[0], three(x));
    if x.len() == 6 {
        let b = three(&x[3..]);
        for (first, more) in first.iter_mut().zip(mul(&m[1], b)) {
            axpy(1.0, &more, first);
        }
        x[3..6].copy_from_slice(&mul(&m[2], b));
    }
    x[..3].copy_from_slice(&first);
}

/// Three rows of W columns, multiplied as [`Mat3::mul_vec`] does.
#[inline(always)]
fn mul<const W: usize>(m: &Mat3, x: [[f64; W]; 3]) -> [[f64; W]; 3] {
    let [a, b, c] = m.c.map(Vec3::to_array);
    std::array::from_fn(|i| {
        std::array::from_fn(|k| a[i] * x[0][k] + b[i] * x[1][k] + c[i] * x[2][k])
    })
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
    block_tr_mul_columns::<1>(m, x.as_chunks_mut().0);
}

/// The same for W columns, row by row.
#[inline(always)]
pub fn block_tr_mul_columns<const W: usize>(m: &LinkMatrix, x: &mut [[f64; W]]) {
    let three = |x: &[[f64; W]]| [x[0], x[1], x[2]];
    let [first, across, second] = m.each_ref().map(|m| m.transpose());
    let a = three(x);
    if x.len() == 6 {
        let mut sum = mul(&across, a);
        for (sum, more) in sum.iter_mut().zip(mul(&second, three(&x[3..]))) {
            axpy(1.0, &more, sum);
        }
        x[3..6].copy_from_slice(&sum);
    }
    x[..3].copy_from_slice(&mul(&first, a));
}
