//! Small kernels that tree and contact structure make special.
//!
//! The dense factorizations know when rows depend on each other and live in memory sized at creation. Their
//! right-hand sides come as panels of `W` lanes: one loop serves one vector (`W = 1`) and eight columns at a time.

mod block_lu;
mod complete;
mod definite;
mod dispatch;
mod general;
mod kernel;
mod lanes;
mod lu;
mod plain_lu;
mod reflections;
mod symmetric;

pub use block_lu::{BlockLu, Place};
pub use definite::{BadPivot, Definite};
pub(crate) use dispatch::{by_tile, dispatch};
pub use general::General;
pub use kernel::{
    add_combination, add_six_columns, axpy, dot, factor_definite, largest, solve_definite,
};
pub use lanes::{F4, grow};
pub(crate) use lu::Lu;
pub(crate) use plain_lu::{factor_plain, solve_plain, solve_plain_transposed};
pub use reflections::Reflections;
pub use symmetric::Symmetric;

/// Coordinates of a free body, for which blocks of that size have code of their own.
pub(crate) const FREE: usize = 6;

/// Of positions and velocities, relative: what their differences leave, of a few roundings each.
pub(crate) const DIGITS: f64 = 4.0 * f64::EPSILON;

/// Columns that [`Symmetric::solve`] and [`General::solve`] treat at once for best speed.
pub const LANES: usize = 8;

/// Numbers between ±1 without a pattern: the fractional parts of √2 times `seed`-shifted squares.
pub fn scattered(k: usize, seed: usize) -> f64 {
    let n = (4 * k + seed) as f64;
    2.0 * (n * n * std::f64::consts::SQRT_2).fract() - 1.0
}

/// `out` += `scale` x.
pub(crate) fn add_scaled(scale: f64, x: &[f64], out: &mut [f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out += scale * x;
    }
}

/// Whether all numbers are below `bound`, which is positive, and numbers.
#[inline(always)]
pub(crate) fn within(bound: f64, x: &[f64]) -> bool {
    debug_assert!(bound > 0.0);
    // Whole numbers, whose sums vectorize in any order, instead of a branch per number: |x| is ordered as its bits are,
    // infinity and NaN last, so that a sign is set where one is not below.
    let limit = bound.to_bits() as i64 - 1;
    let over = |x: &f64| limit.wrapping_sub(x.abs().to_bits() as i64);
    x.iter().fold(0, |signs, x| signs | over(x)) >= 0
}

/// Whether all numbers are finite.
pub(crate) fn all_finite(x: &[f64]) -> bool {
    within(f64::INFINITY, x)
}

/// Whether all numbers are finite and above zero.
pub(crate) fn all_positive(x: &[f64]) -> bool {
    // As in `within`: below zero, and 0 less one, have the sign set.
    let limit = f64::INFINITY.to_bits() as i64 - 1;
    let off = |x: &f64| {
        let bits = x.to_bits() as i64;
        bits.wrapping_sub(1) | limit.wrapping_sub(bits)
    };
    x.iter().fold(0, |signs, x| signs | off(x)) >= 0
}

/// Where the first number is that is not finite.
pub(crate) fn first_not_finite(x: &[f64]) -> Option<usize> {
    match all_finite(x) {
        true => None,
        false => x.iter().position(|x| !x.is_finite()),
    }
}

#[cfg(test)]
mod tests;
