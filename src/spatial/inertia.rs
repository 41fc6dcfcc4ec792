//! Rigid-body inertias in the ten numbers that enter the dynamics linearly.

use super::mat3::{Mat3, Sym3};
use super::pose::Pose;
use super::real::Real;
use super::twist::{Twist, Wrench};
use super::vec3::Vec3;
use std::ops::{Add, AddAssign};

/// Length of the vector of inertial parameters of a body.
pub const INERTIA_PARAMS: usize = 10;

/// A spatial inertia about its frame's origin: mass, first moment, second moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Inertia<T = f64> {
    /// Mass [kg].
    pub mass: T,
    /// First moment m·c [kg m]: mass times the centre of mass.
    pub h: Vec3<T>,
    /// Rotational inertia about the frame's origin, not the centre of mass [kg m²].
    pub i: Sym3<T>,
}

impl<T: Real> Inertia<T> {
    /// Zeros in every lane; [`Inertia::ZERO`] for one number.
    #[inline(always)]
    pub fn zeros() -> Self {
        Inertia {
            mass: T::ZERO,
            h: Vec3::zeros(),
            i: Sym3::zeros(),
        }
    }

    /// Momentum of the body moving with twist `v`, or the force that accelerates it by `v`.
    #[inline(always)]
    pub fn mul(&self, v: Twist<T>) -> Wrench<T> {
        Wrench::new(
            v.lin * self.mass - self.h.cross(v.ang),
            self.i.mul_vec(v.ang) + self.h.cross(v.lin),
        )
    }

    #[inline(always)]
    pub fn transformed_by(&self, rot: &Mat3<T>, d: Vec3<T>) -> Self {
        let h0 = rot.mul_vec(self.h);
        let h = h0 + d * self.mass;
        // About A: R I Rᵀ + 2 (d·h₀) 1 − d h₀ᵀ − h₀ dᵀ + m (d·d 1 − d dᵀ), folded into
        // products of d with h₀ + h.
        Inertia {
            mass: self.mass,
            h,
            i: self.i.rotated(rot) + across(d, h0 + h),
        }
    }
}

impl Inertia {
    pub const ZERO: Inertia = Inertia {
        mass: 0.0,
        h: Vec3::ZERO,
        i: Sym3::ZERO,
    };

    /// From mass, centre of mass, and rotational inertia about the centre of mass (frame axes).
    pub fn from_com(mass: f64, com: Vec3, about_com: Sym3) -> Self {
        Inertia {
            mass,
            h: com * mass,
            i: about_com + Sym3::of_point(com) * mass,
        }
    }

    /// Centre of mass; the origin for a massless body.
    pub fn com(&self) -> Vec3 {
        if self.mass > 0.0 {
            self.h * (1.0 / self.mass)
        } else {
            Vec3::ZERO
        }
    }

    /// Rotational inertia about the centre of mass.
    pub fn about_com(&self) -> Sym3 {
        self.i - Sym3::of_point(self.com()) * self.mass
    }

    /// (m, m·cx, m·cy, m·cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz), the inertia about the frame's origin:
    /// the order of Pinocchio's `toDynamicParameters`.
    pub fn to_params(&self) -> [f64; INERTIA_PARAMS] {
        let (h, i) = (self.h, self.i);
        [self.mass, h.x, h.y, h.z, i.xx, i.xy, i.yy, i.xz, i.yz, i.zz]
    }

    /// The inverse of [`Inertia::to_params`].
    pub fn from_params(p: &[f64]) -> Self {
        Inertia {
            mass: p[0],
            h: Vec3::new(p[1], p[2], p[3]),
            i: Sym3::new(p[4], p[5], p[6], p[7], p[8], p[9]),
        }
    }

    /// The same inertia, given in frame B, about and along frame A, where B is placed at `p` in A.
    #[inline(always)]
    pub fn transformed(&self, p: &Pose) -> Inertia {
        self.transformed_by(&p.rot, p.pos)
    }

    /// Rotational inertia about a point, along the same axes. Linear in the inertia.
    pub fn about(&self, point: Vec3) -> Sym3 {
        self.i - across(point, self.h * 2.0 - point * self.mass)
    }

    pub fn is_finite(&self) -> bool {
        self.to_params().iter().all(|x| x.is_finite())
    }
}

/// (d·s) 1 − ½ (d sᵀ + s dᵀ).
#[inline(always)]
fn across<T: Real>(d: Vec3<T>, s: Vec3<T>) -> Sym3<T> {
    let half = T::splat(-0.5);
    Sym3::new(
        d.y * s.y + d.z * s.z,
        half * (d.x * s.y + d.y * s.x),
        d.x * s.x + d.z * s.z,
        half * (d.x * s.z + d.z * s.x),
        half * (d.y * s.z + d.z * s.y),
        d.x * s.x + d.y * s.y,
    )
}

impl<T: Real> Add for Inertia<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Inertia {
            mass: self.mass + o.mass,
            h: self.h + o.h,
            i: self.i + o.i,
        }
    }
}

impl<T: Real> AddAssign for Inertia<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::so3_exp;

    #[test]
    fn transform_agrees_with_the_action_on_twists() {
        let i = Inertia::from_com(
            2.3,
            Vec3::new(0.1, -0.4, 0.2),
            Sym3::new(0.3, 0.02, 0.4, -0.05, 0.01, 0.5),
        );
        let p = Pose::new(
            so3_exp(Vec3::new(0.4, 1.0, -0.3)),
            Vec3::new(1.0, -2.0, 0.5),
        );
        let j = i.transformed(&p);
        for k in 0..6 {
            let v = Twist::unit(k);
            let d = j.mul(v) - p.wrench(i.mul(p.inverse_twist(v)));
            assert!(d.lin.norm() < 1e-13 && d.ang.norm() < 1e-13);
        }
        assert!((j.com() - p.point(i.com())).norm() < 1e-14);
    }
}
