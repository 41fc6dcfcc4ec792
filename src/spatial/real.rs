//! The numbers of a recursion: one simulation's, or those of several simulations side by side.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A number, or several lanes of numbers that take the same operations. An operation acts on each lane as on
/// a single number, so that a lane has the bits of a computation of its own.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    const ZERO: Self;

    /// The same number in every lane.
    fn splat(x: f64) -> Self;

    /// A function of N numbers, lane by lane.
    fn map<const N: usize, const M: usize>(
        x: [Self; N],
        f: impl Fn([f64; N]) -> [f64; M],
    ) -> [Self; M];

    /// The magnitude in each lane.
    fn abs(self) -> Self;

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let [s, c] = Self::map([self], |[x]| x.sin_cos().into());
        (s, c)
    }
}

impl Real for f64 {
    const ZERO: f64 = 0.0;

    #[inline(always)]
    fn splat(x: f64) -> f64 {
        x
    }

    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }

    #[inline(always)]
    fn map<const N: usize, const M: usize>(
        x: [f64; N],
        f: impl Fn([f64; N]) -> [f64; M],
    ) -> [f64; M] {
        f(x)
    }
}
