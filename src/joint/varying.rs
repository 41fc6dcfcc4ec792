//! Joints whose motion subspace depends on their coordinates: universal as one joint, Euler angles, curves,
//! surfaces.
//!
//! Their coordinates are plain numbers, so ⊕ is addition. In the frame that the joint moves, with S_k,j =
//! ∂S_k/∂q_j, the velocity of the joint S v changes by S v̇ + c, where
//!
//!   c = Ṡ v = Σ S_k,j v_j v_k,   ∂c/∂q_j = Σ S_k,lj v_l v_k,   ∂c/∂v_j = Σ (S_k,j + S_j,k) v_k.

use crate::spatial::{Mat3, Pose, Real, Twist, Vec3};
use std::fmt::{Debug, Formatter};
use std::sync::Arc;

/// Largest number of dofs of a joint.
pub const MAX_DOFS: usize = 6;

/// A joint with S(q). All slices have [`VaryingJoint::dofs`] entries; twists are along the axes of the frame
/// that the joint moves and about its origin, (linear; angular).
pub trait VaryingJoint: Send + Sync {
    /// Number of coordinates and of dofs: 1 to [`MAX_DOFS`].
    fn dofs(&self) -> usize;

    /// The moved frame in the fixed one. If this is the identity at q = 0, the body then has the placement of
    /// its description.
    fn pose(&self, q: &[f64]) -> Pose;

    /// S_k: the velocity of the moved frame by the rate of q_k.
    fn columns(&self, q: &[f64], s: &mut [Twist]);

    /// S_k,j into `slopes[j][k]`.
    fn slopes(&self, q: &[f64], slopes: &mut [[Twist; MAX_DOFS]]);

    /// ∂c/∂q_j, of c = Σ S_k,l v_l v_k.
    fn bias_slopes(&self, q: &[f64], v: &[f64], dc: &mut [Twist]);

    /// Number of shape parameters, by which derivatives can be taken.
    fn parameters(&self) -> usize {
        0
    }

    /// Value of a shape parameter.
    fn parameter(&self, _index: usize) -> f64 {
        0.0
    }

    /// The joint with another value of a shape parameter. `None` if there is no such joint. Allocates.
    fn with_parameter(&self, _index: usize, _value: f64) -> Option<Arc<dyn VaryingJoint>> {
        None
    }

    /// The reason if no joint can have this shape.
    fn fault(&self) -> Option<String> {
        None
    }

    /// Change by a shape parameter at fixed coordinates and rates.
    fn by_parameter(&self, _q: &[f64], _v: &[f64], _index: usize) -> Reshaped {
        Reshaped::default()
    }
}

// A supertrait would keep the texts of all types behind this one in the library.
impl Debug for dyn VaryingJoint {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("a joint with S(q)")
    }
}

/// Change of a joint by a shape parameter, at fixed coordinates and rates.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reshaped {
    /// Motion of the moved frame.
    pub xi: Twist,
    /// Change of S_k in the moved frame.
    pub bent: [Twist; MAX_DOFS],
    /// Change of c.
    pub bias: Twist,
}

/// A varying joint of a model, and the link that it moves.
#[derive(Clone, Debug)]
pub struct VaryingLink {
    pub link: usize,
    pub joint: Arc<dyn VaryingJoint>,
}

impl VaryingLink {
    /// The moved frame in the fixed one, at the joint's coordinates.
    #[inline(always)]
    pub fn moved<T: Real>(&self, q: &[T]) -> Pose<T> {
        let mut all = [T::ZERO; MAX_DOFS];
        all[..q.len()].copy_from_slice(q);
        let [xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz] = T::map(all, |all| {
            let Pose { rot, pos } = self.joint.pose(&all[..q.len()]);
            let [x, y, z] = rot.c;
            [
                x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z, pos.x, pos.y, pos.z,
            ]
        });
        let rot = Mat3::from_columns(
            Vec3::new(xx, xy, xz),
            Vec3::new(yx, yy, yz),
            Vec3::new(zx, zy, zz),
        );
        Pose::new(rot, Vec3::new(px, py, pz))
    }
}

/// A varying joint at a state, along the axes and about the point of the recursions.
#[derive(Clone, Debug, Default)]
pub struct VaryingState {
    dofs: usize,
    q: [f64; MAX_DOFS],
    v: [f64; MAX_DOFS],
    frame: Pose,
    /// The joint with its present shape.
    joint: Option<Arc<dyn VaryingJoint>>,
    slopes: [[Twist; MAX_DOFS]; MAX_DOFS],
}

impl VaryingState {
    /// Sets coordinates and the moved frame, and returns the columns of S.
    pub fn set_position(
        &mut self,
        joint: &Arc<dyn VaryingJoint>,
        q: &[f64],
        frame: Pose,
        s: &mut [Twist],
    ) {
        let n = joint.dofs();
        (self.dofs, self.frame) = (n, frame);
        if !self
            .joint
            .as_ref()
            .is_some_and(|own| Arc::ptr_eq(own, joint))
        {
            self.joint = Some(joint.clone());
        }
        self.q[..n].copy_from_slice(&q[..n]);
        joint.columns(&q[..n], &mut s[..n]);
        joint.slopes(&q[..n], &mut self.slopes[..n]);
        let slopes = self.slopes[..n].iter_mut().flat_map(|by| &mut by[..n]);
        for s in s[..n].iter_mut().chain(slopes) {
            *s = frame.twist(*s);
        }
    }

    /// Sets the rates of the coordinates and returns c.
    pub fn set_velocity(&mut self, v: &[f64]) -> Twist {
        self.v[..self.dofs].copy_from_slice(&v[..self.dofs]);
        let terms = (0..self.dofs).map(|j| self.by_dof(j, v) * v[j]);
        terms.fold(Twist::ZERO, |c, x| c + x)
    }

    /// The rates of the coordinates.
    pub fn velocity(&self) -> &[f64] {
        &self.v[..self.dofs]
    }

    /// S_k,j.
    pub fn slope(&self, k: usize, j: usize) -> Twist {
        self.slopes[j][k]
    }

    /// Change of S x by q_j: Σ S_k,j x_k.
    pub fn by_dof(&self, j: usize, x: &[f64]) -> Twist {
        let terms = self.slopes[j][..self.dofs].iter().zip(x);
        terms.fold(Twist::ZERO, |sum, (s, x)| sum + *s * *x)
    }

    /// Change of S_k when the coordinates change by x: Σ S_k,j x_j.
    pub fn along(&self, k: usize, x: &[f64]) -> Twist {
        let terms = self.slopes[..self.dofs].iter().zip(x);
        terms.fold(Twist::ZERO, |sum, (by, x)| sum + by[k] * *x)
    }

    /// ∂c/∂q_j.
    pub fn bias_slopes(&self) -> [Twist; MAX_DOFS] {
        let mut dc = [Twist::ZERO; MAX_DOFS];
        if let Some(joint) = &self.joint {
            joint.bias_slopes(&self.q[..self.dofs], self.velocity(), &mut dc[..self.dofs]);
        }
        dc.map(|x| self.frame.twist(x))
    }
    /// Change by a shape parameter of the joint.
    pub fn by_parameter(&self, index: usize) -> Reshaped {
        let Some(joint) = &self.joint else {
            return Reshaped::default();
        };
        let by = joint.by_parameter(&self.q[..self.dofs], self.velocity(), index);
        Reshaped {
            xi: self.frame.twist(by.xi),
            bent: by.bent.map(|s| self.frame.twist(s)),
            bias: self.frame.twist(by.bias),
        }
    }
}
