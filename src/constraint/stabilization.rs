//! What a step asks of the gaps of contacts and limits beyond not to close, and of what equalities are off.

use crate::contact::push_out::PushOut;
use crate::spatial::Vec3;

/// Speed of [`PushOut::Slow`], and up to which push-out throws nothing [m/s or rad/s].
const PATIENCE: f64 = 1e-2;

/// Limits that are undone slow down as they come near: within the distance of so many steps at the largest speed they go
/// at its share of it, since what arrives at a speed would keep that and end at the other limit.
const APPROACH: f64 = 8.0;

/// Share of that distance at which they have arrived.
const ARRIVED: f64 = 1e-4;

/// Baumgarte's terms: the share of a violation that is left after a step, and the share of the normal
/// velocity that is kept (eq. 57–59 of the differentiable-simulation paper).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stabilization {
    pub kp: f64,
    pub kd: f64,
    /// Largest speed at which a penetration, a passed limit or an equality's violation is undone, of lengths [m/s] and of
    /// angles [rad/s]; of one constraint ([`Stabilization::of`]) the first is its own, in either unit.
    pub max_push_out: f64,
    pub max_push_out_angle: f64,
    /// Contacts that approach faster than this rebound, if they have restitution [m/s].
    pub rebound_above: f64,
    /// A passed limit is led back: its row holds in both directions, and the speed falls with what is left.
    pub led: bool,
    /// Time step [s].
    pub h: f64,
    pub push_out: PushOut,
    /// Contacts at a larger gap have no friction [m].
    pub friction_reach: f64,
    /// Speeds up to this are not asked for [m/s or rad/s].
    pub unfelt: f64,
}

impl Stabilization {
    /// Of a step of length `h` [s]; `max_push_out` of lengths and of angles.
    pub fn new(h: f64, [kp, kd]: [f64; 2], max_push_out: [f64; 2]) -> Stabilization {
        Stabilization {
            kp,
            kd,
            max_push_out: max_push_out[0],
            max_push_out_angle: max_push_out[1],
            rebound_above: 0.0,
            led: false,
            h,
            push_out: PushOut::Full,
            friction_reach: f64::INFINITY,
            unfelt: 0.0,
        }
    }

    /// Undoing violations this way; what is less than [`PushOut::Full`] keeps nothing of the old velocity either.
    pub fn limited_to(&self, push_out: PushOut) -> Stabilization {
        let bound = match push_out {
            PushOut::Slow => PATIENCE,
            PushOut::Full | PushOut::Soft => f64::INFINITY,
        };
        Stabilization {
            kd: if push_out == PushOut::Full {
                self.kd
            } else {
                0.0
            },
            push_out,
            max_push_out: self.max_push_out.min(bound),
            max_push_out_angle: self.max_push_out_angle.min(bound),
            ..*self
        }
    }

    /// Whether less is undone than is asked for at most.
    pub fn limits(&self) -> bool {
        self.push_out != PushOut::Full
    }

    /// That of one constraint.
    pub fn of(&self, angular: bool) -> Stabilization {
        Stabilization {
            max_push_out: if angular {
                self.max_push_out_angle
            } else {
                self.max_push_out
            },
            ..*self
        }
    }

    /// Whether a passed limit that returns at `speed` is to be led: near, and not faster than push-out made it.
    pub fn leads(&self, gap: f64, speed: f64) -> bool {
        let near = self.approach();
        self.push_out == PushOut::Full
            && self.kd == 0.0
            && near.is_finite()
            && (-near..-ARRIVED * near).contains(&gap)
            && speed <= self.max_push_out * (1.0 + 1e-6)
    }

    /// Whether a passed limit is as near as those that are led.
    pub fn is_near(&self, gap: f64) -> bool {
        gap >= -self.approach()
    }

    /// Within which a limit is led.
    fn approach(&self) -> f64 {
        APPROACH * self.h * self.max_push_out / (1.0 - self.kp)
    }

    /// Added to the normal row: max(Φ/h − K_p min(Φ, 0)/h, −max_push_out) − K_d (J v)_N.
    pub fn term(&self, gap: f64, speed: f64) -> f64 {
        self.closing_speed(gap).max(-self.max_push_out) - self.kd * speed
    }

    fn closing_speed(&self, gap: f64) -> f64 {
        self.felt((gap - self.kp * gap.min(0.0)) / self.horizon())
    }

    fn felt(&self, speed: f64) -> f64 {
        if speed.abs() <= self.unfelt {
            0.0
        } else {
            speed
        }
    }

    /// Time in which a violation would be undone without a bound [s].
    fn horizon(&self) -> f64 {
        if self.led { APPROACH * self.h } else { self.h }
    }

    /// Whether an equality's error is undone at a speed that bodies can be too jammed for.
    pub fn pulls(&self, undoing: &Undoing) -> bool {
        undoing.term().norm() > PATIENCE
    }

    /// Whether a contact of this gap has no friction in this step, as none has that no dof moves along its normal (`is_unfelt`).
    pub fn slips(&self, gap: f64, is_unfelt: bool) -> bool {
        is_unfelt || gap > self.friction_reach
    }

    /// Whether more is asked of this gap than not to close further.
    pub fn pushes(&self, gap: f64) -> bool {
        self.kd > 0.0 || self.closing_speed(gap) < 0.0
    }

    /// Whether this gap is undone so fast that joints may be thrown.
    pub fn may_throw(&self, gap: f64) -> bool {
        self.push_out != PushOut::Slow && self.closing_speed(gap) < -PATIENCE
    }

    /// Share of a violation that a step removes, per time step.
    fn closing(&self) -> f64 {
        (1.0 - self.kp) / self.horizon()
    }

    /// How an equality's violation is undone: σ = J v⁺ + φ (1 − K_p)/h, as long as this is shorter than `bound`, which may
    /// vary with ‖φ‖ at `slope`. The old velocity has no part in it: what holds in both directions has nothing to
    /// rebound from.
    pub fn undoing(&self, error: Vec3, [bound, slope]: [f64; 2]) -> Undoing {
        let size = error.norm();
        let within = size * self.closing() <= bound;
        let share = if within { self.closing() } else { bound / size };
        let (radial, by_kp) = if within {
            (0.0, -1.0 / self.h)
        } else {
            ((slope - share) / (size * size), 0.0)
        };
        let is_felt = self.felt(size * share) != 0.0;
        Undoing {
            error: if is_felt { error } else { Vec3::ZERO },
            share,
            radial,
            by_kp,
            kink_distance: (size * self.closing() - bound).abs(),
        }
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

    /// Slope of [`Stabilization::term`] by `max_push_out`; where the speed reaches it that of the side without.
    pub fn by_push_out(&self, gap: f64) -> f64 {
        if gap < 0.0 && self.closing_speed(gap) < -self.max_push_out {
            -1.0
        } else {
            0.0
        }
    }

    /// Slope of [`Stabilization::term`] by K_p at this gap, on the same side of kinks.
    pub fn by_kp(&self, gap: f64) -> f64 {
        if gap >= 0.0 || self.is_bounded(gap) {
            0.0
        } else {
            -gap / self.horizon()
        }
    }

    /// Whether how deep a violation is makes no difference.
    fn is_bounded(&self, gap: f64) -> bool {
        self.closing_speed(gap) < -self.max_push_out
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
            PushOut::Full if self.led => {
                let arrived = ARRIVED * self.approach();
                at_bound.min((gap + arrived).abs() / self.h)
            }
            PushOut::Full => distance(self.kp > 0.0, self.kp * gap / self.h).min(at_bound),
            PushOut::Soft | PushOut::Slow => (gap / self.h).abs().min(at_bound),
        }
    }
}

/// How a violation φ of an equality is undone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Undoing {
    error: Vec3,
    share: f64,
    radial: f64,
    by_kp: f64,
    /// As [`Stabilization::kink_distance`].
    pub kink_distance: f64,
}

impl Undoing {
    /// Of a spring: a share that does not vary.
    pub fn linear(error: Vec3, share: f64) -> Undoing {
        Undoing {
            error,
            share,
            radial: 0.0,
            by_kp: 0.0,
            kink_distance: f64::INFINITY,
        }
    }

    /// Added to its rows.
    pub fn term(&self) -> Vec3 {
        self.error * self.share
    }

    /// The change of that with φ; where the speed reaches its bound that of the side without.
    pub fn vary(&self, change: Vec3) -> Vec3 {
        change * self.share + self.error * (self.radial * self.error.dot(change))
    }

    /// The change with K_p.
    pub fn by_kp(&self) -> Vec3 {
        self.error * self.by_kp
    }
}
