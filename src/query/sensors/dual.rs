//! Vectors and rotations with their variation along one direction: one formula gives the value and the
//! variation.

use crate::spatial::{Mat3, Quat, Vec3};
use std::ops::{Add, Mul, Sub};

/// A vector and its variation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Dual {
    pub x: Vec3,
    pub d: Vec3,
}

impl Dual {
    pub fn new(x: Vec3, d: Vec3) -> Dual {
        Dual { x, d }
    }

    pub fn constant(x: Vec3) -> Dual {
        Dual { x, d: Vec3::ZERO }
    }

    pub fn cross(self, o: Dual) -> Dual {
        Dual {
            x: self.x.cross(o.x),
            d: self.d.cross(o.x) + self.x.cross(o.d),
        }
    }
}

impl Add for Dual {
    type Output = Dual;
    fn add(self, o: Dual) -> Dual {
        Dual::new(self.x + o.x, self.d + o.d)
    }
}

impl Sub for Dual {
    type Output = Dual;
    fn sub(self, o: Dual) -> Dual {
        Dual::new(self.x - o.x, self.d - o.d)
    }
}

impl Mul<f64> for Dual {
    type Output = Dual;
    fn mul(self, s: f64) -> Dual {
        Dual::new(self.x * s, self.d * s)
    }
}

/// Axes in the world, and their rotation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axes {
    pub r: Mat3,
    pub turn: Vec3,
}

impl Axes {
    /// Axes that do not rotate.
    pub fn still(r: Mat3) -> Axes {
        Axes {
            r,
            turn: Vec3::ZERO,
        }
    }

    /// From these axes to the world's.
    pub fn out(&self, v: Dual) -> Dual {
        let x = self.r.mul_vec(v.x);
        Dual::new(x, self.r.mul_vec(v.d) + self.turn.cross(x))
    }

    /// From the world's axes to these.
    pub fn inward(&self, v: Dual) -> Dual {
        let d = v.d - self.turn.cross(v.x);
        Dual::new(self.r.tr_mul_vec(v.x), self.r.tr_mul_vec(d))
    }

    /// The unit quaternion (x y z w) of these axes relative to others, with its variation.
    pub fn quaternion(&self, from: &Axes) -> [[f64; 4]; 2] {
        let q = Quat::from_mat3(&from.r.transpose().mul_mat(&self.r));
        let turn = from.r.tr_mul_vec(self.turn - from.turn) * 0.5;
        let half = Quat::new(turn.x, turn.y, turn.z, 0.0);
        [q.to_array(), half.mul(q).to_array()]
    }
}
