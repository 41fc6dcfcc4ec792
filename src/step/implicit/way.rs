//! Convergence model of Newton's method: the distance from the point of the factors, and the rate at which
//! corrections shrink.

use crate::step::options::Options;

/// A correction counts as shrinking if it is at most this share of the one before.
pub(super) const SHRINKS: f64 = 0.5;

/// Number of times that corrections of this size may fail to shrink because the slopes of forces jump on
/// their way.
pub(super) const JUMPS: usize = 2;

/// A jump of slopes counts as far if its distance is more than this multiple of its predicted change.
const CLEAR: f64 = 10.0;

/// Cost of new factors of H, in balances, unless they are sparse.
pub(super) const FACTORS: usize = 2;

/// Lower bound of γ, because the next corrections have other directions than those in which γ was seen.
const LEAST: f64 = 1.0;

/// Bound on the share of the round-off that the observed size of corrections may miss.
const UNSEEN: f64 = 1e-5;

/// A correction may be this many times larger than predicted, because its direction differs from the
/// earlier ones.
pub(super) const SURPLUS: f64 = 100.0;

/// Round-off of corrections is at most this multiple of the round-off of positions.
const MOST: f64 = 16.0;

/// Round-off of corrections is at most this multiple of the observed round-off.
const NOISE: f64 = 4.0;

/// Larger predicted numbers of balances count as this number.
const MANY: usize = 50;

/// Stopping criteria.
#[derive(Clone, Copy, Debug)]
pub(in crate::step) struct Limits {
    pub tolerance: f64,
    pub iterations: usize,
}

impl Limits {
    pub fn of(options: &Options) -> Limits {
        Limits {
            tolerance: options.newton_tolerance,
            iterations: options.max_newton,
        }
    }

    /// Text of an error message about a stage whose last correction has this size.
    pub fn missed(&self, residual: f64) -> String {
        format!(
            "Newton's method stopped at a correction of {residual:e}, above options.newton_tolerance {:e}",
            self.tolerance
        )
    }
}

/// The largest of |x|.
pub(super) fn largest(x: &[f64]) -> f64 {
    // |x| is ordered as its bits, with infinity and NaN last.
    let bits = x.iter().fold(0, |m: u64, x| m.max(x.abs().to_bits()));
    match f64::from_bits(bits) {
        largest if largest.is_finite() => largest,
        _ => f64::INFINITY,
    }
}

/// The largest of |a − b|.
pub(super) fn difference(a: &[f64], b: &[f64]) -> f64 {
    let all = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    all.fold(
        0.0,
        |m: f64, x| if x.is_nan() { f64::INFINITY } else { m.max(x) },
    )
}

/// True if a jump of slopes is far from the changes of the next correction. A correction has moved the jump
/// from distance `before` to `after`; the next correction is `shrinks` times as large.
pub(super) fn stays_clear([before, after]: [f64; 2], shrinks: f64) -> bool {
    before == f64::INFINITY || after > CLEAR * (after - before).abs() * shrinks
}

/// Decides whether a correction is the last one.
pub(super) struct Goal {
    pub tolerance: f64,
    /// Corrections up to this size are round-off.
    pub rounding: f64,
    /// Size of corrections observed to be round-off; zero if there were none.
    pub floor: f64,
}

impl Goal {
    /// Bounds `floor` by the largest plausible round-off.
    pub fn new(tolerance: f64, rounding: f64, floor: f64) -> Goal {
        Goal {
            tolerance,
            rounding,
            floor: floor.min(MOST * rounding),
        }
    }

    /// True if corrections of this size that have stalled this often are round-off.
    pub fn is_round_off(&self, size: f64, stalls: usize) -> bool {
        stalls > if size <= self.rounding { 0 } else { JUMPS }
    }

    /// Uncertainty of corrections.
    pub fn noise(&self) -> f64 {
        self.rounding.max(NOISE * self.floor)
    }

    /// True if this size does not exceed the observed round-off.
    pub fn is_noise(&self, size: f64) -> bool {
        size <= NOISE * self.floor
    }

    /// True if round-off may be that large: along many links the round-off of each link adds up.
    pub fn may_be_floor(&self, size: f64) -> bool {
        size <= MOST * self.rounding
    }

    /// True if no further correction is needed after one of this size, if each correction is `rate` times
    /// the one before.
    pub fn is_met(&self, size: f64, rate: f64) -> bool {
        SURPLUS * size * rate <= self.tolerance.max(self.floor)
            || size <= self.rounding && rate <= UNSEEN
    }

    /// Number of evaluations of the balance of forces until convergence, from a correction of this size on,
    /// if each correction is `rate` times the one before.
    pub fn balances(&self, mut size: f64, rate: f64) -> usize {
        let mut count = 0;
        while count < MANY && !self.is_met(size, rate) {
            size *= rate;
            count += 1;
        }
        count
    }
}

/// Observed convergence, relative to velocities.
pub(super) struct Way {
    /// Distance from the point of the factors; infinite for factors of another stage.
    pub gone: f64,
    /// γ; zero while unknown.
    pub bend: f64,
    /// Ratio of the last correction to the one before.
    pub last: f64,
    /// Cost of new factors of H, in balances.
    pub price: usize,
}

impl Way {
    /// Predicted ratio of the next correction to a correction of this size; NaN if unknown.
    pub fn rate(&self, size: f64) -> f64 {
        match self.gone.is_finite() {
            true if self.bend > 0.0 => self.bend.max(LEAST) * (size + 2.0 * self.gone),
            true => f64::NAN,
            false => self.last,
        }
    }

    /// As [`Goal::balances`] with new factors, including their cost.
    pub fn balances_if_renewed(&self, goal: &Goal, size: f64) -> usize {
        let bend = self.bend.max(LEAST);
        let rate = bend * size;
        self.price
            + match goal.is_met(size, rate) {
                true => 0,
                false => 1 + goal.balances(size * rate, bend * (2.0 + rate) * size),
            }
    }

    /// Records that a share of a correction was taken, and that the next correction has the size `next`.
    pub fn go(&mut self, share: f64, size: f64, next: f64) {
        self.last = next / size;
        if share < 1.0 {
            // A shortened step says nothing about γ.
            self.bend = 0.0;
        } else if self.gone.is_finite() {
            self.bend = self.bend.max(self.last / (size + 2.0 * self.gone));
        }
        self.gone += share * size;
    }

    pub fn renew(&mut self) {
        self.gone = 0.0;
        if self.last > SHRINKS {
            // The last correction failed to shrink for another reason than curvature.
            self.bend = 0.0;
        }
    }
}
