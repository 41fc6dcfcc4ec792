//! Distances of joints to their bounds, and the check for bounds that a step passes without a row.

use super::source::{Along, Source};
use crate::model::limits::Limit;
use crate::tendon::Paths;

/// The quantity that a limit bounds, its value, and its rate at v.
#[inline]
pub fn place(l: &Limit, paths: &Paths, q: &[f64], v: &[f64]) -> (Along, [f64; 2]) {
    match l.turn {
        None => (Along::Dof(l.dof), [q[l.iq], v[l.dof]]),
        Some(i) => {
            let turn = paths.of_turn(i);
            (Along::Turn(i), [paths.length(turn), paths.rate(turn, v)])
        }
    }
}

/// Gap that counts as zero, relative to the coordinates whose difference it is: positions carry the
/// round-off of earlier steps.
const TOUCHING: f64 = 1e-13;

/// The gap, or zero if it may be round-off of the difference of numbers of this size. Zero is at the
/// switch; a gap of round-off would look like one side of it.
#[inline]
pub fn without_roundings(gap: f64, size: f64) -> f64 {
    match gap.abs() <= TOUCHING * size {
        true => 0.0,
        false => gap,
    }
}

/// The gap of a one-dof joint to a bound, and the size of the numbers whose difference it is. `None` for
/// a bound at infinity.
#[inline]
pub fn gap(l: &Limit, bound: f64, sign: f64, q: &[f64]) -> Option<(f64, f64)> {
    if !bound.is_finite() {
        return None;
    }
    let size = q[l.iq].abs().max(bound.abs());
    Some((without_roundings(sign * (q[l.iq] - bound), size), size))
}

/// True if `v_next` passes, by more than `tolerance` [rad or m], a bound that no row holds.
pub fn misses<'a>(
    mut limits: impl Iterator<Item = &'a Limit>,
    sources: &[Source],
    paths: &Paths,
    q: &[f64],
    v_next: &[f64],
    h: f64,
    tolerance: f64,
) -> bool {
    limits.any(|l| {
        let (along, [now, speed]) = place(l, paths, q, v_next);
        let at = now + h * speed;
        [(l.lower, 1.0), (l.upper, -1.0)]
            .into_iter()
            .any(|(bound, sign)| {
                let passed = sign * (at - bound) < -tolerance;
                passed && !sources.contains(&Source::Limit { along, sign })
            })
    })
}
