//! Numbers that may carry derivatives: the same formulas give a face and its derivative.

use crate::spatial::Vec3;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Number of derivatives: by a displacement of the second body (linear, then angular), and by the
/// moduli of both.
pub(super) const SEEDS: usize = 8;

/// A number in the formulas of a face.
pub(super) trait Number:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    fn of(x: f64) -> Self;
    fn value(self) -> f64;
    fn sqrt(self) -> Self;
}

/// A number that may vary with the placement of the second body and with the moduli.
pub(super) trait Seeded: Number {
    /// A point of the second body, which translates, and rotates about `about`.
    fn carried(y: Vec3, about: Vec3) -> V3<Self>;
    /// A direction of the second body.
    fn turned(n: Vec3) -> V3<Self>;
    /// The modulus of one of the two bodies.
    fn modulus(body: usize, x: f64) -> Self;
}

impl Number for f64 {
    #[inline(always)]
    fn of(x: f64) -> f64 {
        x
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self
    }

    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
}

impl Seeded for f64 {
    #[inline(always)]
    fn carried(y: Vec3, _: Vec3) -> V3<f64> {
        V3::of(y)
    }

    #[inline(always)]
    fn turned(n: Vec3) -> V3<f64> {
        V3::of(n)
    }

    #[inline(always)]
    fn modulus(_: usize, x: f64) -> f64 {
        x
    }
}

/// A number with N derivatives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dual<const N: usize> {
    pub x: f64,
    pub d: [f64; N],
}

/// A number with its derivatives by a displacement and by the moduli.
pub(super) type Varied = Dual<SEEDS>;

/// A number with its derivative by one size.
pub(super) type Growth = Dual<1>;

impl<const N: usize> Dual<N> {
    #[inline(always)]
    fn chain(self, x: f64, slope: f64) -> Self {
        Dual {
            x,
            d: self.d.map(|d| slope * d),
        }
    }
}

impl<const N: usize> Add for Dual<N> {
    type Output = Self;

    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Dual {
            x: self.x + o.x,
            d: std::array::from_fn(|k| self.d[k] + o.d[k]),
        }
    }
}

impl<const N: usize> Sub for Dual<N> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Dual {
            x: self.x - o.x,
            d: std::array::from_fn(|k| self.d[k] - o.d[k]),
        }
    }
}

impl<const N: usize> Mul for Dual<N> {
    type Output = Self;

    // The derivative of a product is a sum.
    #[allow(clippy::suspicious_arithmetic_impl)]
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Dual {
            x: self.x * o.x,
            d: std::array::from_fn(|k| self.d[k] * o.x + self.x * o.d[k]),
        }
    }
}

impl<const N: usize> Div for Dual<N> {
    type Output = Self;

    #[inline(always)]
    fn div(self, o: Self) -> Self {
        let (x, by) = (self.x / o.x, 1.0 / o.x);
        Dual {
            x,
            d: std::array::from_fn(|k| (self.d[k] - x * o.d[k]) * by),
        }
    }
}

impl<const N: usize> Neg for Dual<N> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self.chain(-self.x, -1.0)
    }
}

impl<const N: usize> Number for Dual<N> {
    #[inline(always)]
    fn of(x: f64) -> Self {
        Dual { x, d: [0.0; N] }
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self.x
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.x.sqrt();
        self.chain(root, 0.5 / root)
    }
}

impl Seeded for Varied {
    #[inline(always)]
    fn carried(y: Vec3, about: Vec3) -> V3<Varied> {
        let mut moved = Varied::turned(y - about);
        for k in 0..3 {
            moved.0[k].x = y[k];
            moved.0[k].d[k] = 1.0;
        }
        moved
    }

    /// n with the derivative ω × n by ω.
    #[inline(always)]
    fn turned(n: Vec3) -> V3<Varied> {
        let mut turned: V3<Varied> = V3::of(n);
        for axis in 0..3 {
            let change = Vec3::unit(axis).cross(n);
            for k in 0..3 {
                turned.0[k].d[3 + axis] = change[k];
            }
        }
        turned
    }

    #[inline(always)]
    fn modulus(body: usize, x: f64) -> Varied {
        let mut e = Varied::of(x);
        e.d[6 + body] = 1.0;
        e
    }
}

/// Placements and moduli do not vary with a size.
impl Seeded for Growth {
    #[inline(always)]
    fn carried(y: Vec3, _: Vec3) -> V3<Growth> {
        V3::of(y)
    }

    #[inline(always)]
    fn turned(n: Vec3) -> V3<Growth> {
        V3::of(n)
    }

    #[inline(always)]
    fn modulus(_: usize, x: f64) -> Growth {
        Growth::of(x)
    }
}

/// A vector of such numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct V3<T>(pub [T; 3]);

impl<T: Number> V3<T> {
    #[inline(always)]
    pub fn of(v: Vec3) -> V3<T> {
        V3(v.to_array().map(T::of))
    }

    #[inline(always)]
    pub fn value(self) -> Vec3 {
        Vec3::from_slice(&self.0.map(T::value))
    }

    #[inline(always)]
    pub fn dot(self, o: V3<T>) -> T {
        self.0[0] * o.0[0] + self.0[1] * o.0[1] + self.0[2] * o.0[2]
    }

    #[inline(always)]
    pub fn cross(self, o: V3<T>) -> V3<T> {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        V3([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    /// The unit vector along this one, which is not zero.
    pub fn normalized(self) -> V3<T> {
        self.times(T::of(1.0) / self.dot(self).sqrt())
    }

    #[inline(always)]
    pub fn times(self, s: T) -> V3<T> {
        V3(self.0.map(|x| x * s))
    }
}

impl<T: Number> Add for V3<T> {
    type Output = V3<T>;

    #[inline(always)]
    fn add(self, o: V3<T>) -> V3<T> {
        V3(std::array::from_fn(|k| self.0[k] + o.0[k]))
    }
}

impl<T: Number> Sub for V3<T> {
    type Output = V3<T>;

    #[inline(always)]
    fn sub(self, o: V3<T>) -> V3<T> {
        V3(std::array::from_fn(|k| self.0[k] - o.0[k]))
    }
}

impl<T: Number> Neg for V3<T> {
    type Output = V3<T>;

    #[inline(always)]
    fn neg(self) -> V3<T> {
        V3(self.0.map(|x| -x))
    }
}
