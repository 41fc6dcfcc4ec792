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
