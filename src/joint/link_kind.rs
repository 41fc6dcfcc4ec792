//! The families by name, and their functions.

use super::family::Family;
use super::free::Free;
use super::prismatic::Prismatic;
use super::revolute::Revolute;
use super::spherical::Spherical;
use super::tangent::IntegrateBlocks;
use super::varying::{MAX_DOFS, VaryingLink};
use crate::spatial::{Mat3, Pose, Real, Twist, Vec3};

/// The primitive joints. S is constant in the link frame for all except the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// About z.
    Revolute,
    /// Along z.
    Prismatic,
    /// Quaternion.
    Spherical,
    /// Position and quaternion.
    Free,
    /// A varying joint of the model, by index, with its number of coordinates and dofs.
    Varying { index: u16, dofs: u8 },
}

/// The value of the link's family; of a varying joint `$varying`.
macro_rules! of_family {
    ($kind:expr, $index:pat, $dofs:pat => $varying:expr, $($what:tt)*) => {
        match $kind {
            LinkKind::Revolute => Revolute::$($what)*,
            LinkKind::Prismatic => Prismatic::$($what)*,
            LinkKind::Spherical => Spherical::$($what)*,
            LinkKind::Free => Free::$($what)*,
            LinkKind::Varying { index: $index, dofs: $dofs } => $varying,
        }
    };
}

impl LinkKind {
    /// Number of coordinates.
    pub const fn nq(self) -> usize {
        of_family!(self, _, dofs => dofs as usize, NQ)
    }

    /// Number of dofs.
    pub const fn nv(self) -> usize {
        of_family!(self, _, dofs => dofs as usize, NV)
    }

    /// Index of a unit quaternion among its coordinates; without one ⊕ is addition.
    pub const fn quaternion(self) -> Option<usize> {
        of_family!(self, _, _ => None, QUATERNION)
    }

    /// The moved frame at the first coordinates of `q`, from its position at the reference.
    #[inline(always)]
    pub fn place<T: Real>(
        self,
        varying: &[VaryingLink],
        rot: Mat3<T>,
        pos: Vec3<T>,
        q: &[T],
        reference: f64,
    ) -> (Mat3<T>, Vec3<T>) {
        of_family!(
            self,
            index, dofs => {
                let moved = varying[index as usize].moved(&q[..dofs as usize]);
                (rot.mul_mat(&moved.rot), rot.mul_vec(moved.pos) + pos)
            },
            place(rot, pos, q, reference)
        )
    }

    /// Writes the columns of S of the moved frame at `rot`, `p` into the first entries of `s`, along the axes
    /// and about the point of `rot` and `p`. Columns of a varying joint do not change.
    #[inline(always)]
    pub fn columns<T: Real>(self, rot: &Mat3<T>, p: Vec3<T>, s: &mut [Twist<T>]) {
        of_family!(self, _, _ => (), columns(rot, p, s));
    }

    /// Appends the coordinates at which a body has the placement of its description.
    pub fn neutral(self, placement: &Pose, reference: f64, q: &mut Vec<f64>) {
        of_family!(self, _, dofs => q.extend([0.0; MAX_DOFS][..dofs as usize].iter()), neutral(placement, reference, q));
    }

    /// out ← q ⊕ dv.
    #[inline(always)]
    pub fn integrate(self, q: &[f64], dv: &[f64], out: &mut [f64]) {
        of_family!(self, _, dofs => flat(dofs, q, dv, out, |q, dv| q + dv), integrate(q, dv, out));
    }

    /// The tangent vector dv with a ⊕ dv = b, rotations of at most π.
    #[inline(always)]
    pub fn difference(self, a: &[f64], b: &[f64], dv: &mut [f64]) {
        of_family!(self, _, dofs => flat(dofs, a, b, dv, |a, b| b - a), difference(a, b, dv));
    }

    /// Derivatives of q ⊕ w, at the tangent vector w.
    pub fn integrate_blocks(self, w: &[f64]) -> IntegrateBlocks {
        of_family!(self, _, _ => IntegrateBlocks::ONE, integrate_blocks(w))
    }
}

/// Number by number.
fn flat(n: u8, a: &[f64], b: &[f64], out: &mut [f64], of: impl Fn(f64, f64) -> f64) {
    for k in 0..n as usize {
        out[k] = of(a[k], b[k]);
    }
}
