//! Twists (motion vectors) and wrenches (force vectors), linear part first.

use super::real::Real;
use super::vec3::Vec3;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A motion vector: velocity, acceleration, or a column of a motion subspace.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Twist<T = f64> {
    pub lin: Vec3<T>,
    pub ang: Vec3<T>,
}

/// A force vector: force and moment, or momentum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Wrench<T = f64> {
    pub lin: Vec3<T>,
    pub ang: Vec3<T>,
}

macro_rules! linear_space {
    ($t:ident) => {
        impl<T> $t<T> {
            #[inline(always)]
            pub const fn new(lin: Vec3<T>, ang: Vec3<T>) -> Self {
                $t { lin, ang }
            }
        }

        impl<T: Real> $t<T> {
            /// Zeros in every lane; `ZERO` for one number.
            #[inline(always)]
            pub fn zeros() -> Self {
                $t::new(Vec3::zeros(), Vec3::zeros())
            }
        }

        impl $t {
            pub const ZERO: $t = $t::new(Vec3::ZERO, Vec3::ZERO);

            /// The unit vector along coordinate `k` of (linear; angular).
            #[inline(always)]
            pub fn unit(k: usize) -> Self {
                if k < 3 {
                    $t::new(Vec3::unit(k), Vec3::ZERO)
                } else {
                    $t::new(Vec3::ZERO, Vec3::unit(k - 3))
                }
            }

            #[inline(always)]
            pub const fn to_array(self) -> [f64; 6] {
                let (l, a) = (self.lin, self.ang);
                [l.x, l.y, l.z, a.x, a.y, a.z]
            }

            #[inline(always)]
            pub fn from_slice(s: &[f64]) -> Self {
                $t::new(Vec3::from_slice(&s[..3]), Vec3::from_slice(&s[3..6]))
            }

            #[inline(always)]
            pub fn is_finite(self) -> bool {
                self.lin.is_finite() && self.ang.is_finite()
            }
        }

        impl<T: Real> Add for $t<T> {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                $t::new(self.lin + o.lin, self.ang + o.ang)
            }
        }

        impl<T: Real> Sub for $t<T> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                $t::new(self.lin - o.lin, self.ang - o.ang)
            }
        }

        impl<T: Real> Neg for $t<T> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                $t::new(-self.lin, -self.ang)
            }
        }

        impl<T: Real> Mul<T> for $t<T> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, s: T) -> Self {
                $t::new(self.lin * s, self.ang * s)
            }
        }

        impl<T: Real> AddAssign for $t<T> {
            #[inline(always)]
            fn add_assign(&mut self, o: Self) {
                *self = *self + o;
            }
        }

        impl<T: Real> SubAssign for $t<T> {
            #[inline(always)]
            fn sub_assign(&mut self, o: Self) {
                *self = *self - o;
            }
        }
    };
}

linear_space!(Twist);
linear_space!(Wrench);

impl<T: Real> Twist<T> {
    /// The rate of change of a twist `o` carried along by `self`: `self × o`.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Twist::new(
            self.ang.cross(o.lin) + self.lin.cross(o.ang),
            self.ang.cross(o.ang),
        )
    }

    /// The rate of change of a wrench `f` carried along by `self`: `self ×* f`.
    #[inline(always)]
    pub fn cross_wrench(self, f: Wrench<T>) -> Wrench<T> {
        Wrench::new(
            self.ang.cross(f.lin),
            self.ang.cross(f.ang) + self.lin.cross(f.lin),
        )
    }

    /// Power of a wrench on this twist.
    #[inline(always)]
    pub fn dot(self, f: Wrench<T>) -> T {
        self.lin.dot(f.lin) + self.ang.dot(f.ang)
    }

    /// Velocity of the body's point that is now at `p` (same frame).
    #[inline(always)]
    pub fn at(self, p: Vec3<T>) -> Vec3<T> {
        self.lin + self.ang.cross(p)
    }
}

impl Wrench {
    /// A force `f` acting at point `p`.
    #[inline(always)]
    pub fn of_force_at(f: Vec3, p: Vec3) -> Wrench {
        Wrench::new(f, p.cross(f))
    }

    /// A wrench with its moment about `p`, about the origin.
    #[inline(always)]
    pub fn about_origin(self, p: Vec3) -> Wrench {
        Wrench::new(self.lin, self.ang + p.cross(self.lin))
    }
}
