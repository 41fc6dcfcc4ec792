//! Small kernels for the structure of trees and contacts.
//!
//! The dense factorizations find dependent rows and use memory sized at creation. Their right-hand sides are
//! panels of `W` lanes: one loop serves one vector (`W = 1`) and eight columns at a time.

mod block_lu;
mod complete;
mod definite;
mod dispatch;
mod few;
mod fronts;
mod general;
mod kernel;
mod lanes;
mod lu;
mod plain_lu;
mod reflections;
mod symmetric;

pub use block_lu::{BlockLu, Place, invert};
pub use definite::{BadPivot, Definite};
pub(crate) use dispatch::{Wide, by_tile, dispatch, wide};
pub(crate) use few::sort_few;
pub use fronts::{Block, Fronts};
pub use general::General;
pub use kernel::{
    add_combination, add_six_columns, axpy, dot, factor_definite, larger, largest, smaller,
    solve_definite,
};
pub use lanes::{F4, grow, product, total};
pub(crate) use lu::Lu;
pub(crate) use plain_lu::{factor_plain, solve_plain, solve_plain_transposed};
pub use reflections::Reflections;
pub use symmetric::Symmetric;

/// Coordinates of a free body; blocks of this size have special code.
pub(crate) const FREE: usize = 6;

/// Relative round-off of differences of positions and velocities, after a few roundings each.
pub(crate) const DIGITS: f64 = 4.0 * f64::EPSILON;

/// Columns that [`Symmetric::solve`] and [`General::solve`] treat at once for best speed.
pub const LANES: usize = 8;

/// Pseudo-random numbers between ±1: the fractional parts of √2 times `seed`-shifted squares.
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

/// True if all numbers are below the positive `bound`, and none is NaN.
#[inline(always)]
pub(crate) fn within(bound: f64, x: &[f64]) -> bool {
    debug_assert!(bound > 0.0);
    // Integer arithmetic on the bits, which vectorizes in any order, instead of a branch for each number: |x|
    // is ordered like its bits, with infinity and NaN last, so the sign is set where a number is not below
    // the bound.
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
    // As in `within`: numbers below zero, and 0 minus one, have the sign bit set.
    let limit = f64::INFINITY.to_bits() as i64 - 1;
    let off = |x: &f64| {
        let bits = x.to_bits() as i64;
        bits.wrapping_sub(1) | limit.wrapping_sub(bits)
    };
    x.iter().fold(0, |signs, x| signs | off(x)) >= 0
}

/// Index of the first number that is not finite.
pub(crate) fn first_not_finite(x: &[f64]) -> Option<usize> {
    match all_finite(x) {
        true => None,
        false => x.iter().position(|x| !x.is_finite()),
    }
}

#[cfg(test)]
mod tests;
