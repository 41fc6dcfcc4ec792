//! What a step asks of the gaps of contacts and limits beyond not to close.

/// Which penetrations and passed limits a step undoes.
///
/// Friction can jam bodies so that no impulse moves them apart. A step that is not solved as asked then takes the next of
/// these, and overlaps stay small also where bodies are jammed for long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushOut {
    /// All, as asked.
    Full,
    /// Those that would be undone faster than 0.01 m/s or rad/s, by contacts without friction: these jam only where bodies
    /// are shut in.
    Deep,
    /// None. Standing still obeys this.
    None,
}

/// Speed of push-out up to which jammed contacts keep their friction and their overlap instead [m/s or rad/s].
const PATIENCE: f64 = 1e-2;

/// Baumgarte's terms: the share of a violation that is left after a step, and the share of the normal
/// velocity that is kept (eq. 57–59 of the differentiable-simulation paper).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stabilization {
    pub kp: f64,
    pub kd: f64,
    /// Largest speed at which a penetration or a passed limit is undone [m/s or rad/s].
    pub max_push_out: f64,
    /// Time step [s].
    pub h: f64,
    pub push_out: PushOut,
    /// Contacts at a larger gap have no friction [m].
    pub friction_reach: f64,
}

impl Stabilization {
    /// Undoing fewer violations; what is less than [`PushOut::Full`] keeps nothing of the old velocity either.
    pub fn limited_to(&self, push_out: PushOut) -> Stabilization {
        let kd = if push_out == PushOut::Full {
            self.kd
        } else {
            0.0
        };
        Stabilization {
            kd,
            push_out,
            ..*self
        }
    }

    /// Added to the normal row: max(Φ/h − K_p min(Φ, 0)/h, −max_push_out) − K_d (J v)_N, where this is undone;
    /// elsewhere max(Φ, 0)/h.
    pub fn term(&self, gap: f64, speed: f64) -> f64 {
        let closing = if self.undoes(gap) {
            self.closing_speed(gap).max(-self.max_push_out)
        } else {
            gap.max(0.0) / self.h
        };
        closing - self.kd * speed
    }

    fn closing_speed(&self, gap: f64) -> f64 {
        (gap - self.kp * gap.min(0.0)) / self.h
    }

    /// Whether a violation is undone, as far as `max_push_out` allows.
    fn undoes(&self, gap: f64) -> bool {
        match self.push_out {
            PushOut::Full => true,
            PushOut::Deep => self.closing_speed(gap) < -PATIENCE,
            PushOut::None => false,
        }
    }

    /// Whether a contact of this gap has no friction in this step.
    pub fn slips(&self, gap: f64) -> bool {
        gap > self.friction_reach || (self.push_out == PushOut::Deep && self.undoes(gap))
    }

    /// Whether more is asked of this gap than not to close further.
    pub fn pushes(&self, gap: f64) -> bool {
        self.kd > 0.0 || (self.undoes(gap) && self.closing_speed(gap) < 0.0)
    }

    /// Share of an equality's violation that a step removes, per time step: σ = J v⁺ + φ (1 − K_p)/h.
    /// The old velocity has no part in it: what holds in both directions has nothing to rebound from.
    pub fn closing(&self) -> f64 {
        (1.0 - self.kp) / self.h
    }

    /// Slope of [`Stabilization::term`] by the gap; at zero that of the open side, where the speed reaches
    /// its bound that of the side without.
    pub fn by_gap(&self, gap: f64) -> f64 {
        if gap >= 0.0 {
            1.0 / self.h
        } else if self.is_bounded(gap) {
            0.0
        } else {
            self.closing()
        }
    }

    /// Slope of [`Stabilization::term`] by K_p at this gap, on the same side of kinks.
    pub fn by_kp(&self, gap: f64) -> f64 {
        if gap >= 0.0 || self.is_bounded(gap) {
            0.0
        } else {
            -gap / self.h
        }
    }

    /// Whether how deep a violation is makes no difference.
    fn is_bounded(&self, gap: f64) -> bool {
        !self.undoes(gap) || self.closing_speed(gap) < -self.max_push_out
    }

    /// How much [`Stabilization::term`] at this gap differs from what the next linear piece of it would
    /// give [m/s or rad/s]; infinite where there is no other piece.
    pub fn kink_distance(&self, gap: f64) -> f64 {
        let distance = |is_kink: bool, change: f64| {
            if is_kink { change.abs() } else { f64::INFINITY }
        };
        let pushed = self.closing() * gap;
        let bounded = self.kp < 1.0 && self.max_push_out < f64::INFINITY;
        let at_reach = (gap - self.friction_reach).abs() / self.h;
        let at_bound = distance(bounded, pushed + self.max_push_out).min(at_reach);
        match self.push_out {
            PushOut::Full => distance(self.kp > 0.0, self.kp * gap / self.h).min(at_bound),
            PushOut::Deep => (gap / self.h)
                .abs()
                .min((pushed + PATIENCE).abs())
                .min(at_bound),
            PushOut::None => (gap / self.h).abs(),
        }
    }
}
