//! Bounds of joints that no row of a step holds.

use super::source::{Along, Source};
use crate::model::limits::Limit;

/// Whether `v_next` passes a bound by more than `tolerance` [rad or m] that none of the rows holds.
pub fn misses(
    limits: &[Limit],
    sources: &[Source],
    q: &[f64],
    v_next: &[f64],
    h: f64,
    tolerance: f64,
) -> bool {
    limits.iter().any(|l| {
        let at = q[l.iq] + h * v_next[l.dof];
        [(l.lower, 1.0), (l.upper, -1.0)]
            .into_iter()
            .any(|(bound, sign)| {
                let passed = sign * (at - bound) < -tolerance;
                let along = Along::Dof(l.dof);
                passed && !sources.contains(&Source::Limit { along, sign })
            })
    })
}
