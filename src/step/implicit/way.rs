//! How far Newton's method is, and how far it will be: what is known of how corrections shrink.

use crate::step::options::Options;

/// The share of the correction before to which one must shrink that is more than round-off.
pub(super) const SHRINKS: f64 = 0.5;

/// So often a correction of that size may fail to shrink because the slopes of forces jump on its way.
pub(super) const JUMPS: usize = 2;

/// How many times nearer than the next correction may lead a jump of slopes must not be for that to go unseen.
const CLEAR: f64 = 10.0;

/// What new factors of H cost, in balances.
const FACTORS: usize = 2;

/// γ of a way is taken for this at least, as its next corrections go elsewhere than those that have shown it.
const LEAST: f64 = 1.0;

/// The share of round-off that may be left unseen.
const UNSEEN: f64 = 1e-5;

/// Corrections may shrink so many times less than those before, as their directions are others.
pub(super) const SURPLUS: f64 = 100.0;

/// How many times larger than a rounding of positions makes it a correction that is round-off may be.
const MOST: f64 = 16.0;

/// How many times larger than one that was seen a correction that is round-off may be.
const NOISE: f64 = 4.0;

/// Balances that are not counted further.
const MANY: usize = 50;

/// When to stop.
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

    /// What a message says of a stage with this correction left.
    pub fn missed(&self, residual: f64) -> String {
        format!(
            "Newton's method stopped at a correction of {residual:e}, above options.newton_tolerance {:e}",
            self.tolerance
        )
    }
}

/// The largest of |x|.
pub(super) fn largest(x: &[f64]) -> f64 {
    // |x| is ordered as its bits are, infinity and NaN last.
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

/// Whether a jump of slopes, moved by a correction from the first distance to the second, is far from what the next one
/// changes, which is so many times its size.
pub(super) fn stays_clear([before, after]: [f64; 2], shrinks: f64) -> bool {
    before == f64::INFINITY || after > CLEAR * (after - before).abs() * shrinks
}

/// When a correction is the last one.
pub(super) struct Goal {
    pub tolerance: f64,
    /// Corrections up to this size are round-off.
    pub rounding: f64,
    /// The size of those that have been seen to be, zero where none were.
    pub floor: f64,
}

impl Goal {
    /// With a floor that is no more than may be one.
    pub fn new(tolerance: f64, rounding: f64, floor: f64) -> Goal {
        Goal {
            tolerance,
            rounding,
            floor: floor.min(MOST * rounding),
        }
    }

    /// Whether corrections of this size that have stalled so often are round-off.
    pub fn is_round_off(&self, size: f64, stalls: usize) -> bool {
        stalls > if size <= self.rounding { 0 } else { JUMPS }
    }

    /// What corrections are known to within.
    pub fn noise(&self) -> f64 {
        self.rounding.max(NOISE * self.floor)
    }

    /// Whether this is no more than has been seen to be round-off.
    pub fn is_noise(&self, size: f64) -> bool {
        size <= NOISE * self.floor
    }

    /// Whether round-off may be that large: along many links that of each adds up.
    pub fn may_be_floor(&self, size: f64) -> bool {
        size <= MOST * self.rounding
    }

    /// Whether nothing is left to do after a correction that leaves so much of itself.
    pub fn is_met(&self, size: f64, rate: f64) -> bool {
        SURPLUS * size * rate <= self.tolerance.max(self.floor)
            || size <= self.rounding && rate <= UNSEEN
    }

    /// How many balances it takes from a correction of this size, each of which leaves that much.
    pub fn balances(&self, mut size: f64, rate: f64) -> usize {
        let mut count = 0;
        while count < MANY && !self.is_met(size, rate) {
            size *= rate;
            count += 1;
        }
        count
    }
}

/// What is known of how corrections shrink, relative to velocities.
pub(super) struct Way {
    /// From where the factors are; infinite where they are another stage's.
    pub gone: f64,
    /// γ, zero while it is not known.
    pub bend: f64,
    /// What the last correction has left of itself.
    pub last: f64,
}

impl Way {
    /// How much of itself a correction of this size leaves, should nothing have changed; NaN where that is not known.
    pub fn rate(&self, size: f64) -> f64 {
        match self.gone.is_finite() {
            true if self.bend > 0.0 => self.bend.max(LEAST) * (size + 2.0 * self.gone),
            true => f64::NAN,
            false => self.last,
        }
    }

    /// As [`Goal::balances`] with new factors, and what these cost.
    pub fn balances_if_renewed(&self, goal: &Goal, size: f64) -> usize {
        let bend = self.bend.max(LEAST);
        let rate = bend * size;
        FACTORS
            + match goal.is_met(size, rate) {
                true => 0,
                false => 1 + goal.balances(size * rate, bend * (2.0 + rate) * size),
            }
    }

    /// A share of a correction has been taken, after which one of the size `next` is due.
    pub fn go(&mut self, share: f64, size: f64, next: f64) {
        self.last = next / size;
        if share < 1.0 {
            // How it shrank says nothing.
            self.bend = 0.0;
        } else if self.gone.is_finite() {
            self.bend = self.bend.max(self.last / (size + 2.0 * self.gone));
        }
        self.gone += share * size;
    }

    pub fn renew(&mut self) {
        self.gone = 0.0;
        if self.last > SHRINKS {
            // It was no curvature that kept the last correction from shrinking.
            self.bend = 0.0;
        }
    }
}
