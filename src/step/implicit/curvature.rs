//! How much H bends, and how large round-off of corrections is, as the steps before have seen it.

/// How fast γ is thought to grow from step to step while nothing tells.
const DOUBT: f64 = 2.0;

/// How many times less a jump of slopes has come nearer by corrections before, as their directions are others.
const SURPLUS: f64 = 1e3;

/// γ is taken for this at least: two dofs may bend together that alone do not, and what is near by more than what is here.
const LEAST: f64 = 0.01;

/// What of γ, and of the directions in which it was seen, is left whenever it is seen again.
const FADES: f64 = 0.9;

/// γ of a stage, half of what H varies by beside itself, as steps before have seen it.
#[derive(Clone, Debug)]
pub(super) struct Curvature {
    /// Zero where none has.
    pub seen: f64,
    /// How far a jump of the forces' slopes moves by a correction, as much; the largest number where that is not known.
    pub moves: f64,
    /// How many times more either may be by now.
    pub doubt: f64,
    /// The size of a correction that was round-off; zero where none was.
    pub floor: f64,
    /// Each dof's share of the size of the corrections that have shown γ: of others it says nothing.
    pub along: Vec<f64>,
}

impl Curvature {
    pub fn unknown(nv: usize) -> Curvature {
        Curvature {
            seen: 0.0,
            moves: f64::MAX,
            doubt: 1.0,
            floor: 0.0,
            along: vec![0.0; nv],
        }
    }

    /// The size of a correction along those that have shown γ of which no dof has less than of `step`; infinite where one of
    /// them never moved.
    pub fn reach(&self, step: &[f64]) -> f64 {
        step.iter().zip(&self.along).fold(0.0, |most, (d, share)| {
            let reach = if *d == 0.0 { 0.0 } else { d.abs() / share };
            if reach > most { reach } else { most }
        })
    }

    /// How much of itself a correction of this reach leaves by the H of where it begins; NaN where that is not known.
    pub fn rate(&self, reach: f64) -> f64 {
        match self.seen > 0.0 {
            true => self.seen.max(LEAST) * self.doubt * reach,
            false => f64::NAN,
        }
    }

    /// Whether it stays clear of a jump of slopes at the distance `margin`.
    pub fn is_clear(&self, reach: f64, margin: f64) -> bool {
        margin == f64::INFINITY || margin > SURPLUS * self.moves * self.doubt * reach
    }

    /// The correction `step`, of this size in units of `scale`, has left `next`, known to within `rounding`, and moved a jump of
    /// slopes from the first distance to the second.
    pub fn see(
        &mut self,
        (step, scale): (&[f64], f64),
        [size, next]: [f64; 2],
        rounding: f64,
        [from, to]: [f64; 2],
    ) {
        let most = (next + rounding) / (size * size);
        if !most.is_finite() {
            return;
        }
        let moves = ((to - from).abs() + f64::EPSILON * from) / size;
        self.moves = match moves.is_finite() {
            true if self.moves < f64::MAX => moves.max(FADES * self.moves),
            true => moves,
            false => f64::MAX,
        };
        // Round-off bounds γ from above alone.
        let at_least = if next > rounding || self.seen == 0.0 {
            most
        } else {
            most.min(self.seen)
        };
        self.seen = at_least.max(FADES * self.seen);
        for (share, d) in self.along.iter_mut().zip(step) {
            *share = (d.abs() / (scale * size)).max(FADES * *share);
        }
        self.doubt = 1.0;
    }

    /// A step has relied on it.
    pub fn trust(&mut self) {
        self.doubt *= DOUBT;
    }
}
