//! Decides which contacts rebound, and computes the bias of their normal rows.
//!
//! A contact with a coefficient of restitution e > 0 rebounds in a step under two conditions. Before the
//! step it approaches faster than the threshold, (J v)_n < −threshold. And without impulses it would be
//! closed at the end, Φ/h + (J v_free)_n ≤ 0. Its row is then σ_n = (J v⁺)_n + e (J v)_n: the contact
//! ends with −e times its old velocity, or opens faster (Newton's law of restitution). One problem holds
//! all rows of the step, with and without rebound.
//!
//! `fill` makes a [`Rebound`] per contact, and `stabilize` applies it.

use super::stabilization::Stabilization;
use crate::contact::push_out::PushOut;

/// The coefficient of a pair, which is the larger of its geoms', and the geom that has it. If both are
/// equal, it is the first geom.
pub fn of_pair(restitution: &[f64], [a, b]: [usize; 2]) -> (f64, usize) {
    match restitution[a] >= restitution[b] {
        true => (restitution[a], a),
        false => (restitution[b], b),
    }
}

/// The data that decide whether a contact rebounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rebound {
    /// Coefficient of restitution. If it is zero, the other fields have no effect.
    pub e: f64,
    /// (J v)_n before the step [m/s].
    pub speed: f64,
    /// Φ/h + (J v_free)_n [m/s]. It is at most zero if the contact would be closed at the end.
    pub opening: f64,
    /// True if the row is that of a rebound in the last posed problem.
    pub holds: bool,
}

impl Rebound {
    /// Added to the normal row.
    pub fn term(&self) -> f64 {
        self.e * self.speed
    }

    /// True if the level of stabilization allows a rebound.
    fn is_possible(&self, gap: f64, s: &Stabilization) -> bool {
        self.e > 0.0
            && match s.push_out {
                PushOut::Full => true,
                // A contact that overlaps is compliant at this level.
                PushOut::Soft => gap >= 0.0,
                PushOut::Slow => false,
            }
    }

    pub fn is_due(&self, gap: f64, s: &Stabilization) -> bool {
        self.is_possible(gap, s) && self.speed < -s.rebound_above && self.opening <= 0.0
    }

    /// True if the contact rebounds: its rebound is possible, and faster than push-out. `term` is the bias
    /// without rebound.
    pub fn prevails(&self, gap: f64, s: &Stabilization, term: f64) -> bool {
        self.is_due(gap, s) && self.term() <= term
    }

    /// Distance to the switch between rebound and no rebound [m/s].
    pub fn kink_distance(&self, gap: f64, s: &Stabilization, term: f64) -> f64 {
        if !self.is_possible(gap, s) {
            return f64::INFINITY;
        }
        let slow = self.speed + s.rebound_above;
        if !self.is_due(gap, s) {
            return slow.max(self.opening);
        }
        let other = match gap < 0.0 {
            true => (self.term() - term).abs(),
            false => f64::INFINITY,
        };
        match self.term() <= term {
            true => other.min(-slow).min(-self.opening),
            false => other,
        }
    }
}
