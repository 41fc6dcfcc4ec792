//! Four numbers that move together.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// Four lanes; one AVX register, two of SSE2 or NEON.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct F4(pub [f64; 4]);

impl F4 {
    pub const ZERO: F4 = F4([0.0; 4]);

    #[inline(always)]
    pub const fn splat(x: f64) -> F4 {
        F4([x; 4])
    }

    /// `n` zeros.
    pub fn zeros(n: usize) -> Vec<F4> {
        vec![F4::ZERO; n]
    }

    /// The numbers of a slice of lanes.
    #[inline(always)]
    pub fn flat(lanes: &[F4]) -> &[f64] {
        // SAFETY: F4 is four f64 without padding.
        unsafe { std::slice::from_raw_parts(lanes.as_ptr().cast(), 4 * lanes.len()) }
    }

    /// The numbers of a slice of lanes.
    #[inline(always)]
    pub fn flat_mut(lanes: &mut [F4]) -> &mut [f64] {
        // SAFETY: F4 is four f64 without padding.
        unsafe { std::slice::from_raw_parts_mut(lanes.as_mut_ptr().cast(), 4 * lanes.len()) }
    }
}

/// Products lane by lane, summed over the shorter of the two.
#[inline(always)]
pub fn product(a: &[F4], b: &[F4]) -> F4 {
    let mut sum = F4::ZERO;
    for (a, b) in a.iter().zip(b) {
        sum += *a * *b;
    }
    sum
}

/// The sum of the four lanes.
#[inline(always)]
pub fn total(F4([a, b, c, d]): F4) -> f64 {
    (a + c) + (b + d)
}

/// Extends to `n` with zeros, within the capacity: memory that no problem has needed so far stays untouched.
#[inline]
pub fn grow<T: Copy + Default>(x: &mut Vec<T>, n: usize) {
    if x.len() < n {
        debug_assert!(n <= x.capacity());
        x.resize(n, T::default());
    }
}

macro_rules! lanewise {
    ($($op:ident $f:ident $sign:tt),*) => {$(
        impl $op for F4 {
            type Output = F4;
            #[inline(always)]
            fn $f(self, o: F4) -> F4 {
                let (a, b) = (self.0, o.0);
                F4([a[0] $sign b[0], a[1] $sign b[1], a[2] $sign b[2], a[3] $sign b[3]])
            }
        }
    )*};
}

lanewise!(Add add +, Sub sub -, Mul mul *, Div div /);

impl Neg for F4 {
    type Output = F4;
    #[inline(always)]
    fn neg(self) -> F4 {
        F4(self.0.map(|x| -x))
    }
}

impl Mul<f64> for F4 {
    type Output = F4;
    #[inline(always)]
    fn mul(self, s: f64) -> F4 {
        self * F4::splat(s)
    }
}

impl AddAssign for F4 {
    #[inline(always)]
    fn add_assign(&mut self, o: F4) {
        *self = *self + o;
    }
}

impl SubAssign for F4 {
    #[inline(always)]
    fn sub_assign(&mut self, o: F4) {
        *self = *self - o;
    }
}
