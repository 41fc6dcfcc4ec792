//! Decides when a frame is due.

/// The time of steps, and the number of frames that were due.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// Time and length of step `since`, from which time is counted.
    start: f64,
    h: f64,
    since: u64,
    pub step: u64,
    /// Number of frames that were due so far.
    ticks: u64,
}

impl Clock {
    pub fn time(&self) -> f64 {
        self.start + (self.step - self.since) as f64 * self.h
    }

    pub fn advance(&mut self, h: f64) {
        if h != self.h {
            (self.start, self.since, self.h) = (self.time(), self.step, h);
        }
        self.step += 1;
    }

    /// True if this step is the nearest to the next tick of this rate, or after it.
    pub fn due(&mut self, rate: f64) -> bool {
        if rate == 0.0 {
            return true;
        }
        let now = (self.time() + 0.5 * self.h) * rate;
        if now < self.ticks as f64 {
            return false;
        }
        self.ticks = now as u64 + 1;
        true
    }
}
