//! How much H bends, and how large round-off of corrections is, as the steps before have seen it.

/// How fast γ is thought to grow from step to step while nothing tells.
const DOUBT: f64 = 2.0;

/// How many times less a jump of slopes has come nearer by corrections before, as their directions are others.
const SURPLUS: f64 = 1e3;

/// γ of a stage, half of what H varies by beside itself, as steps before have seen it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curvature {
    /// Zero where none has.
    pub seen: f64,
    /// How far a jump of the forces' slopes moves by a correction, as much; the largest number where that is not known.
    pub moves: f64,
    /// How many times more either may be by now.
    pub doubt: f64,
    /// The size of a correction that was round-off; zero where none was.
    pub floor: f64,
}

impl Curvature {
    pub const UNKNOWN: Curvature = Curvature {
        seen: 0.0,
        moves: f64::MAX,
        doubt: 1.0,
        floor: 0.0,
    };

    /// How much of itself a correction of this size leaves by the H of where it begins; NaN where that is not known.
    pub fn rate(&self, size: f64) -> f64 {
        match self.seen > 0.0 {
            true => self.seen * self.doubt * size,
            false => f64::NAN,
        }
    }

    /// Whether it stays clear of a jump of slopes at the distance `margin`.
    pub fn is_clear(&self, size: f64, margin: f64) -> bool {
        margin == f64::INFINITY || margin > SURPLUS * self.moves * self.doubt * size
    }

    /// Such a correction has left `next`, known to within `rounding`, and moved a jump of slopes from the first distance to
    /// the second.
    pub fn see(&mut self, size: f64, next: f64, rounding: f64, margins: [f64; 2]) {
        let most = (next + rounding) / (size * size);
        if !most.is_finite() {
            return;
        }
        let [from, to] = margins;
        let moves = ((to - from).abs() + f64::EPSILON * from) / size;
        self.moves = if moves.is_finite() { moves } else { f64::MAX };
        // Round-off bounds γ from above alone.
        if next > rounding || self.seen == 0.0 || most < self.seen {
            self.seen = most;
        }
        self.doubt = 1.0;
    }

    /// A step has relied on it.
    pub fn trust(&mut self) {
        self.doubt *= DOUBT;
    }
}
