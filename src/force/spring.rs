//! Tension of springs between points: k (x₂ − x₁) + d (ẋ₂ − ẋ₁), along the axes of the world.
//!
//! The damper opposes the ends' relative velocity in the world. If x₂ ≠ x₁ this velocity need not be
//! along the line between them: a spring that turns as a whole is damped, and its forces then have a
//! moment.

use super::tension::Tension;
use crate::model::params::Params;
use crate::tendon::Paths;

/// The tension of a spring along an axis.
pub fn tension(
    params: &Params,
    paths: &Paths,
    [spring, axis]: [usize; 2],
    v: &[f64],
    ahead: f64,
) -> Tension {
    let i = paths.of_spring(spring, axis);
    Tension::of(i, params.spring[spring], paths.length(i), ahead).at_rate(paths.rate(i, v))
}

/// ∂T/∂p of a tension at the rate g·(v + h a), by the component of the parameter.
pub fn by_parameter(x: &Tension, component: usize, rate: f64) -> f64 {
    match component {
        0 => x.stretch + x.ahead * rate,
        _ => rate,
    }
}

/// Energy along an axis [J].
pub fn energy(params: &Params, spring: usize, stretch: f64) -> f64 {
    0.5 * params.spring[spring][0] * stretch * stretch
}
