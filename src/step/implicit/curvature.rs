//! Curvature of H and round-off of corrections, as observed in earlier steps.

/// Factor by which the bound on γ grows with each step in which γ is not observed.
const DOUBT: f64 = 2.0;

/// A jump of slopes may approach this many times faster than observed, because corrections have other
/// directions.
const SURPLUS: f64 = 1e3;

/// Lower bound of γ: two dofs may have a curvature together that neither has alone, and nearby points may
/// have more.
const LEAST: f64 = 0.01;

/// Factor by which γ, and its directions, decrease whenever it is observed again.
const FADES: f64 = 0.9;

/// γ of a stage, half of the relative variation of H, as observed in earlier steps.
#[derive(Clone, Debug)]
pub(super) struct Curvature {
    /// Zero if it was never observed.
    pub seen: f64,
    /// Change of the distance to a jump of the forces' slopes, per size of a correction; `f64::MAX` if
    /// unknown.
    pub moves: f64,
    /// Factor by which `seen` and `moves` may have grown since.
    pub doubt: f64,
    /// Size of a correction that was round-off; zero if there was none.
    pub floor: f64,
    /// Each dof's largest share of the corrections in which γ was observed. γ says nothing about other
    /// dofs.
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

    /// Size of the smallest multiple of the observed corrections that bounds every entry of `step`;
    /// infinite if `step` moves a dof that never moved.
    pub fn reach(&self, step: &[f64]) -> f64 {
        step.iter().zip(&self.along).fold(0.0, |most, (d, share)| {
            let reach = if *d == 0.0 { 0.0 } else { d.abs() / share };
            if reach > most { reach } else { most }
        })
    }

    /// Ratio of the next correction to a correction of this reach, with the factors of H at its start; NaN
    /// if unknown.
    pub fn rate(&self, reach: f64) -> f64 {
        match self.seen > 0.0 {
            true => self.seen.max(LEAST) * self.doubt * reach,
            false => f64::NAN,
        }
    }

    /// True if a correction of this reach stays clear of a jump of slopes at the distance `margin`.
    pub fn is_clear(&self, reach: f64, margin: f64) -> bool {
        margin == f64::INFINITY || margin > SURPLUS * self.moves * self.doubt * reach
    }

    /// Observes a correction `step` of this size, in units of `scale`. The next correction has the size
    /// `next`, known to within `rounding`. The distance to a jump of slopes has changed from `from` to
    /// `to`.
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
        // Round-off gives only an upper bound of γ.
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

    /// Records that a step has relied on γ.
    pub fn trust(&mut self) {
        self.doubt *= DOUBT;
    }
}
