//! Bounds of joints that no row of a step holds.

use super::source::{Along, Source};
use crate::model::limits::Limit;
use crate::tendon::Cords;

/// What a limit bounds, where that is, and how fast it changes at v.
#[inline]
pub fn place(l: &Limit, cords: &Cords, q: &[f64], v: &[f64]) -> (Along, [f64; 2]) {
    match l.turn {
        None => (Along::Dof(l.dof), [q[l.iq], v[l.dof]]),
        Some(i) => {
            let turn = cords.of_turn(i);
            (Along::Turn(i), [cords.length(turn), cords.rate(turn, v)])
        }
    }
}

/// Gap that is none, as a share of what it is between: positions have the roundings of the motions that led to them.
const TOUCHING: f64 = 1e-13;

/// A gap that is the difference of numbers of this size; what the roundings of that may leave is none: it would be at a
/// switch, as zero is, but look like one side of it.
#[inline]
pub fn without_roundings(gap: f64, size: f64) -> f64 {
    match gap.abs() <= TOUCHING * size {
        true => 0.0,
        false => gap,
    }
}

/// The gap of a one-dof joint to a bound and the size of what it is the difference of; none to a bound at infinity.
#[inline]
pub fn gap(l: &Limit, bound: f64, sign: f64, q: &[f64]) -> Option<(f64, f64)> {
    if !bound.is_finite() {
        return None;
    }
    let size = q[l.iq].abs().max(bound.abs());
    Some((without_roundings(sign * (q[l.iq] - bound), size), size))
}

/// Whether `v_next` passes a bound by more than `tolerance` [rad or m] that none of the rows holds.
pub fn misses<'a>(
    mut limits: impl Iterator<Item = &'a Limit>,
    sources: &[Source],
    cords: &Cords,
    q: &[f64],
    v_next: &[f64],
    h: f64,
    tolerance: f64,
) -> bool {
    limits.any(|l| {
        let (along, [now, speed]) = place(l, cords, q, v_next);
        let at = now + h * speed;
        [(l.lower, 1.0), (l.upper, -1.0)]
            .into_iter()
            .any(|(bound, sign)| {
                let passed = sign * (at - bound) < -tolerance;
                passed && !sources.contains(&Source::Limit { along, sign })
            })
    })
}
