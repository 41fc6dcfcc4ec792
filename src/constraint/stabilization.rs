//! Stabilization: the velocity that undoes an overlap, a passed limit or a violated equality.
//!
//! For contacts and limits the normal row gets the term max(Φ/h − K_p min(Φ, 0)/h, −max_push_out) − K_d
//! (J v)_N. `stabilize` adds it to g.

use crate::constraint::tuning::{APPROACH, ARRIVED, SLOW_PUSH_OUT};
use crate::contact::push_out::PushOut;
use crate::spatial::Vec3;

/// Baumgarte's gains (eq. 57–59 of the differentiable-simulation paper): K_p is the share of a violation
/// that is left after a step, K_d the share of the normal velocity that is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stabilization {
    pub kp: f64,
    pub kd: f64,
    /// Bounds on the speed at which a penetration, a passed limit or the violation of an equality is
    /// undone: of lengths [m/s] and of angles [rad/s]. After [`Stabilization::of`], `max_push_out` is
    /// the bound of one constraint, in its unit.
    pub max_push_out: f64,
    pub max_push_out_angle: f64,
    /// Contacts with restitution rebound if they approach faster than this [m/s].
    pub rebound_above: f64,
    /// True for a passed limit to which the joint is led back: its row is bilateral, and the speed is
    /// proportional to the remaining distance. Otherwise the row is unilateral, with a bounded push-out
    /// speed.
    pub led: bool,
    /// Time step [s].
    pub h: f64,
    pub push_out: PushOut,
    /// Contacts at a larger gap have no friction [m].
    pub friction_reach: f64,
    /// Biases up to this are set to zero [m/s or rad/s].
    pub least_bias: f64,
}

impl Stabilization {
    /// For a step of length `h` [s]. `max_push_out` holds the bounds of lengths and of angles.
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
            least_bias: 0.0,
        }
    }

    /// This stabilization at a level. Below [`PushOut::Full`], K_d is zero.
    pub fn limited_to(&self, push_out: PushOut) -> Stabilization {
        let bound = match push_out {
            PushOut::Slow => SLOW_PUSH_OUT,
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

    /// True if the level is below full.
    pub fn limits(&self) -> bool {
        self.push_out != PushOut::Full
    }

    /// The stabilization of one constraint, with the bound of its unit in `max_push_out`.
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

    /// True if a joint beyond its limit, which returns at `speed`, is led: it is near the limit, and not
    /// faster than its push-out.
    pub fn leads(&self, gap: f64, speed: f64) -> bool {
        if gap >= 0.0 || self.push_out != PushOut::Full || self.kd != 0.0 {
            return false;
        }
        let near = self.approach();
        near.is_finite()
            && (-near..-ARRIVED * near).contains(&gap)
            && speed <= self.max_push_out * (1.0 + 1e-6)
    }

    /// Distance of a gap to the next gap at which leading begins or ends [m/s or rad/s]. Velocities jump
    /// there. Infinite if limits are not led, or the limit is not passed.
    pub fn lead_distance(&self, gap: f64) -> f64 {
        let near = self.approach();
        let leads = self.push_out == PushOut::Full && self.kd == 0.0 && near.is_finite();
        match leads && gap < 0.0 {
            true => (gap + near).abs().min((gap + ARRIVED * near).abs()) / self.h,
            false => f64::INFINITY,
        }
    }

    /// True if a passed limit is within the distance at which limits are led.
    pub fn is_near(&self, gap: f64) -> bool {
        gap >= -self.approach()
    }

    /// Distance within which a limit is led [m or rad].
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
        if speed.abs() <= self.least_bias {
            0.0
        } else {
            speed
        }
    }

    /// Time in which a violation is undone if no bound limits its speed [s].
    fn horizon(&self) -> f64 {
        if self.led { APPROACH * self.h } else { self.h }
    }

    /// True if the term of an equality is so large that jammed bodies may prevent it.
    pub fn pulls(&self, undoing: &Undoing) -> bool {
        undoing.term().norm() > SLOW_PUSH_OUT
    }

    /// True if a contact of this gap has no friction in this step: it is beyond the reach of friction, or
    /// its normal row is zero (`has_zero_normal`).
    pub fn slips(&self, gap: f64, has_zero_normal: bool) -> bool {
        has_zero_normal || gap > self.friction_reach
    }

    /// True if the row has a nonzero push-out speed.
    pub fn pushes(&self, gap: f64) -> bool {
        self.kd > 0.0 || self.closing_speed(gap) < 0.0
    }

    /// True if this gap is undone fast enough to throw joints.
    pub fn may_throw(&self, gap: f64) -> bool {
        self.push_out != PushOut::Slow && self.closing_speed(gap) < -SLOW_PUSH_OUT
    }

    /// Share of a violation that is removed per second [1/s].
    fn closing(&self) -> f64 {
        (1.0 - self.kp) / self.horizon()
    }

    /// The term of an equality: σ = J v⁺ + φ (1 − K_p)/h, shortened to the norm `bound`. The bound may vary
    /// with ‖φ‖ at `slope`. K_d has no effect on equalities, which do not rebound.
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

    /// Slope of [`Stabilization::term`] by the gap. At gap zero it is the slope of the open side. Where
    /// the speed reaches its bound, it is the slope of the unbounded side.
    pub fn by_gap(&self, gap: f64) -> f64 {
        if gap >= 0.0 {
            1.0 / self.h
        } else if self.is_bounded(gap) {
            0.0
        } else {
            self.closing()
        }
    }

    /// Slope of [`Stabilization::term`] by `max_push_out`. Where the speed reaches this bound, it is the
    /// slope of the unbounded side.
    pub fn by_push_out(&self, gap: f64) -> f64 {
        if gap < 0.0 && self.closing_speed(gap) < -self.max_push_out {
            -1.0
        } else {
            0.0
        }
    }

    /// Slope of [`Stabilization::term`] by K_p at this gap, on the same sides of the kinks.
    pub fn by_kp(&self, gap: f64) -> f64 {
        if gap >= 0.0 || self.is_bounded(gap) {
            0.0
        } else {
            -gap / self.horizon()
        }
    }

    /// True if the speed is at its bound, so that the depth makes no difference.
    fn is_bounded(&self, gap: f64) -> bool {
        self.closing_speed(gap) < -self.max_push_out
    }

    /// Difference between [`Stabilization::term`] at this gap and the value of the neighbouring linear
    /// piece [m/s or rad/s]. Infinite if there is no other piece.
    ///
    /// `softens`: below full stabilization the row is compliant only if it is violated.
    pub fn kink_distance(&self, gap: f64, softens: bool) -> f64 {
        let distance = |is_kink: bool, change: f64| {
            if is_kink { change.abs() } else { f64::INFINITY }
        };
        let pushed = self.closing() * gap;
        let bounded = self.kp < 1.0 && self.max_push_out < f64::INFINITY;
        let at_reach = (gap - self.friction_reach).abs() / self.h;
        let at_bound = distance(bounded, pushed + self.max_push_out).min(at_reach);
        match self.push_out {
            PushOut::Full if self.led => at_bound,
            PushOut::Soft | PushOut::Slow if softens => (gap / self.h).abs().min(at_bound),
            _ => distance(self.kp > 0.0, self.kp * gap / self.h).min(at_bound),
        }
    }
}

/// The term that undoes a violation φ of an equality, with its slopes.
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
    /// The term of a spring: φ times a constant `share`.
    pub fn linear(error: Vec3, share: f64) -> Undoing {
        Undoing {
            error,
            share,
            radial: 0.0,
            by_kp: 0.0,
            kink_distance: f64::INFINITY,
        }
    }

    /// Added to the rows of the equality.
    pub fn term(&self) -> Vec3 {
        self.error * self.share
    }

    /// The change of [`Undoing::term`] with φ. Where the speed reaches its bound, it is that of the
    /// unbounded side.
    pub fn vary(&self, change: Vec3) -> Vec3 {
        change * self.share + self.error * (self.radial * self.error.dot(change))
    }

    /// The change of [`Undoing::term`] with K_p.
    pub fn by_kp(&self) -> Vec3 {
        self.error * self.by_kp
    }
}
