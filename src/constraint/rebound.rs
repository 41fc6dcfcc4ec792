//! Impacts that rebound: which contacts do, and what their normal rows ask for then.
//!
//! A contact with a coefficient of restitution e > 0 rebounds in a step if before it it approaches faster than the threshold,
//! (J v)_n < −threshold, and without impulses it would be closed at the end, Φ/h + (J v_free)_n ≤ 0. Its row is then
//! σ_n = (J v⁺)_n + e (J v)_n: it ends with −e times its old velocity, or opens faster (Newton's law of restitution). All
//! rows of a step are solved together, those that rebound and those that do not.

use super::stabilization::Stabilization;
use crate::contact::push_out::PushOut;

/// The coefficient of a pair, the larger of its geoms', and which of them has it; at a tie the first.
pub fn of_pair(restitution: &[f64], [a, b]: [usize; 2]) -> (f64, usize) {
    match restitution[a] >= restitution[b] {
        true => (restitution[a], a),
        false => (restitution[b], b),
    }
}

/// What decides whether a contact rebounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rebound {
    /// Coefficient of restitution; where it is zero nothing else counts.
    pub e: f64,
    /// (J v)_n before the step [m/s].
    pub speed: f64,
    /// Φ/h + (J v_free)_n, at most zero where the contact would be closed at the end [m/s].
    pub opening: f64,
    /// By what was asked the row is that of a rebound.
    pub holds: bool,
}

impl Rebound {
    /// What is added to the normal row.
    pub fn term(&self) -> f64 {
        self.e * self.speed
    }

    /// Whether rows that are asked for this may rebound at all.
    fn is_possible(&self, gap: f64, s: &Stabilization) -> bool {
        self.e > 0.0
            && match s.push_out {
                PushOut::Full => true,
                // What overlaps yields.
                PushOut::Soft => gap >= 0.0,
                PushOut::Slow => false,
            }
    }

    pub fn is_due(&self, gap: f64, s: &Stabilization) -> bool {
        self.is_possible(gap, s) && self.speed < -s.rebound_above && self.opening <= 0.0
    }

    /// Whether the contact rebounds where it is otherwise asked for `term`: the faster one of a rebound and a push-out.
    pub fn prevails(&self, gap: f64, s: &Stabilization, term: f64) -> bool {
        self.is_due(gap, s) && self.term() <= term
    }

    /// Distance to where it rebounds if it does not, and the other way round [m/s].
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
