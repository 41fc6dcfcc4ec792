//! How far Newton's method is, and how far it will be: what is known of how corrections shrink.

/// The share of the correction before to which one must shrink that is more than round-off.
pub(super) const SHRINKS: f64 = 0.5;

/// So often a correction of that size may fail to shrink because the slopes of forces jump on its way.
pub(super) const JUMPS: usize = 2;

/// What new factors of H cost, in balances.
const FACTORS: usize = 2;

/// The share of round-off that may be left unseen.
const UNSEEN: f64 = 1e-5;

/// Corrections may shrink so many times less than those before, as their directions are others.
const SURPLUS: f64 = 100.0;

/// Balances that are not counted further.
const MANY: usize = 50;

/// When a correction is the last one.
pub(super) struct Goal {
    pub tolerance: f64,
    /// Corrections up to this size are round-off.
    pub rounding: f64,
}

impl Goal {
    /// Whether corrections of this size that have stalled so often are round-off.
    pub fn is_round_off(&self, size: f64, stalls: usize) -> bool {
        stalls > if size <= self.rounding { 0 } else { JUMPS }
    }

    /// Whether nothing is left to do after a correction that leaves so much of itself.
    pub fn is_met(&self, size: f64, rate: f64) -> bool {
        SURPLUS * size * rate <= self.tolerance || size <= self.rounding && rate <= UNSEEN
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
            true if self.bend > 0.0 => self.bend * (size + 2.0 * self.gone),
            true => f64::NAN,
            false => self.last,
        }
    }

    /// As [`Goal::balances`] with new factors, and what these cost.
    pub fn balances_if_renewed(&self, goal: &Goal, size: f64) -> usize {
        let rate = self.bend * size;
        FACTORS
            + match goal.is_met(size, rate) {
                true => 0,
                false => 1 + goal.balances(size * rate, self.bend * (2.0 + rate) * size),
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
