//! Tension of a spring and a damper along a length.

use super::fade::Fade;
use crate::tendon::Paths;

/// T = k s + (d + h k) l̇ of a length, with s the stretch beyond rest. h is the time step if the tension
/// is implicit, else 0. A step then uses T + h (d + h k) g·a = k (s + h l̇⁺) + d l̇⁺ with l̇⁺ = g·(v + h
/// a).
#[derive(Clone, Copy, Debug, Default)]
pub struct Tension {
    /// Index of the length.
    pub path: usize,
    /// k [N/m] and d [N s/m] of the parts that act.
    pub stiffness: f64,
    pub damping: f64,
    /// Whether spring and damper act.
    pub taut: bool,
    pub damped: bool,
    /// s [m].
    pub stretch: f64,
    /// ∂T/∂l at the rate of the last [`Tension::at_rate`] [N/m].
    pub by_length: f64,
    /// Time step for which it is implicit, or zero [s].
    pub ahead: f64,
    /// T [N].
    pub force: f64,
}

impl Tension {
    /// Spring and damper act.
    pub fn of(path: usize, [stiffness, damping]: [f64; 2], stretch: f64, ahead: f64) -> Self {
        Tension {
            path,
            stiffness,
            damping,
            taut: true,
            damped: true,
            stretch,
            by_length: stiffness,
            ahead,
            force: 0.0,
        }
    }

    /// Only the damper acts.
    pub fn damped(path: usize, damping: f64, ahead: f64) -> Self {
        Tension {
            taut: false,
            ..Tension::of(path, [0.0, damping], 0.0, ahead)
        }
    }

    /// Nothing acts.
    pub fn slack(path: usize) -> Self {
        Tension {
            path,
            ..Tension::default()
        }
    }

    /// The tension with the share of the damper in `fade`.
    pub fn fading(mut self, fade: Fade, rate: f64) -> Self {
        self.by_length += self.damping * fade.by_depth * rate;
        self.damping *= fade.share;
        self
    }

    /// The tension with its force at the rate l̇.
    pub fn at_rate(mut self, rate: f64) -> Self {
        self.force = self.stiffness * self.stretch + self.by_rate() * rate;
        self
    }

    /// Whether anything acts.
    pub fn acts(&self) -> bool {
        self.stiffness != 0.0 || self.damping != 0.0
    }

    /// d + h k.
    pub fn by_rate(&self) -> f64 {
        self.damping + self.ahead * self.stiffness
    }

    /// h (d + h k): the factor of g gᵀ in the system matrix.
    pub fn weight(&self) -> f64 {
        self.ahead * self.by_rate()
    }

    /// T + h (d + h k) g·a.
    pub fn whole(&self, paths: &Paths, acc: &[f64]) -> f64 {
        match self.ahead {
            0.0 => self.force,
            _ => self.force + self.weight() * paths.rate(self.path, acc),
        }
    }

    /// l̇ at the end of the step if it is implicit, g·(v + h a); otherwise l̇ at the start.
    pub fn rate_ahead(&self, paths: &Paths, v: &[f64], acc: &[f64]) -> f64 {
        match self.ahead {
            0.0 => paths.rate(self.path, v),
            h => paths.rate(self.path, v) + h * paths.rate(self.path, acc),
        }
    }

    /// The factor of g in the part of the tension that is linear in the motion: (d + h k) v + h (d + h
    /// k) a.
    pub fn motion(&self, v: f64, acc: Option<&f64>) -> f64 {
        self.by_rate() * v + acc.map_or(0.0, |a| self.weight() * a)
    }
}
