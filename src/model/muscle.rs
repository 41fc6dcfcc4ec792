//! The force of a muscle by its length and speed: MuJoCo's curves, which are piecewise parabolas with
//! continuous derivatives.
//!
//! Let L be the length in units of the optimal length, where `range` is the image of the transmission's
//! `length_range`, and V the speed in units of the highest speed. The muscle pulls with F₀ (act FL(L)
//! FV(V) + FP(L)).

use crate::error::{Error, Result};

/// The curves of a muscle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Muscle {
    /// The transmission's lengths between which the muscle works [m or rad], and the corresponding
    /// lengths of the muscle in units of the optimal length.
    pub length_range: (f64, f64),
    pub range: (f64, f64),
    /// F₀ at the optimal length and at rest [N or N m]. If negative, F₀ is `scale` divided by the
    /// model's acceleration per unit of force at its reference configuration.
    pub force: f64,
    pub scale: f64,
    /// There is no active force below and above these lengths.
    pub shortest: f64,
    pub longest: f64,
    /// Speed of shortening at which the active force vanishes, in optimal lengths per second.
    pub fastest: f64,
    /// Scale of the passive force, half of which is reached midway from the optimal to the longest
    /// length; and active force at the highest speed of lengthening. In units of F₀.
    pub passive: f64,
    pub lengthening: f64,
}

impl Default for Muscle {
    /// MuJoCo's numbers; `length_range` must be given.
    fn default() -> Self {
        Muscle {
            length_range: (0.0, 0.0),
            range: (0.75, 1.05),
            force: -1.0,
            scale: 200.0,
            shortest: 0.5,
            longest: 1.6,
            fastest: 1.5,
            passive: 1.3,
            lengthening: 1.2,
        }
    }
}

/// A force, its derivatives by length and speed, and the distance of the speed to the nearest jump of
/// these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    pub force: f64,
    pub by_length: f64,
    pub by_rate: f64,
    pub margin: f64,
}

impl Muscle {
    /// # Errors
    /// `InvalidArgument`. The caller puts the actuator's name before the message.
    pub(super) fn check(&self) -> Result<()> {
        let numbers = [
            self.length_range.0,
            self.length_range.1,
            self.range.0,
            self.range.1,
            self.force,
            self.scale,
            self.shortest,
            self.longest,
            self.fastest,
            self.passive,
            self.lengthening,
        ];
        if let Some(x) = numbers.iter().find(|x| !x.is_finite()) {
            return Err(Error::invalid(format!(
                "the numbers of a muscle must be finite, got {x}"
            )));
        }
        let refuse = |what: &str| Err(Error::invalid(format!("its muscle needs {what}")));
        let ordered = |(lower, upper): (f64, f64)| lower < upper;
        if !ordered(self.length_range) {
            let (lower, upper) = self.length_range;
            return refuse(&format!(
                "an ordered length range (lengthrange), which is not computed, got {lower} {upper}"
            ));
        }
        if !ordered(self.range) {
            let (lower, upper) = self.range;
            return refuse(&format!("an ordered operating range, got {lower} {upper}"));
        }
        if !(self.shortest < 1.0 && self.longest > 1.0) {
            let (lower, upper) = (self.shortest, self.longest);
            return refuse(&format!("lmin < 1 < lmax, got {lower} {upper}"));
        }
        if self.fastest <= 0.0 {
            return refuse(&format!("a positive vmax, got {}", self.fastest));
        }
        if self.lengthening < 1.0 {
            return refuse(&format!("fvmax of at least 1, got {}", self.lengthening));
        }
        Ok(())
    }

    /// F₀, given the model's acceleration per unit of force.
    pub fn peak(&self, acceleration: f64) -> f64 {
        match self.force < 0.0 {
            true => self.scale / acceleration.max(1e-15),
            false => self.force,
        }
    }

    /// The optimal length.
    fn unit(&self) -> f64 {
        (self.length_range.1 - self.length_range.0) / (self.range.1 - self.range.0)
    }

    fn normal_length(&self, length: f64, unit: f64) -> f64 {
        self.range.0 + (length - self.length_range.0) / unit
    }

    /// The force at full activation without the passive force.
    pub fn active(&self, peak: f64, length: f64, rate: f64) -> Pull {
        let unit = self.unit();
        let (by_length, longer) = self.force_length(self.normal_length(length, unit));
        let speed = unit * self.fastest;
        let (by_speed, faster) = self.force_speed(rate / speed);
        Pull {
            force: -peak * by_length * by_speed,
            by_length: -peak * longer / unit * by_speed,
            by_rate: -peak * by_length * faster / speed,
            // With fvmax = 1 the derivative jumps at rest.
            margin: match self.lengthening > 1.0 {
                true => f64::INFINITY,
                false => rate.abs(),
            },
        }
    }

    /// The passive force.
    pub fn passive(&self, peak: f64, length: f64) -> Pull {
        let unit = self.unit();
        let (force, longer) = self.force_passive(self.normal_length(length, unit));
        Pull {
            force: -peak * force,
            by_length: -peak * longer / unit,
            by_rate: 0.0,
            margin: f64::INFINITY,
        }
    }

    fn force_length(&self, x: f64) -> (f64, f64) {
        let (low, high) = (self.shortest, self.longest);
        if !(low..=high).contains(&x) {
            return (0.0, 0.0);
        }
        // From an end halfway to the optimum a parabola that opens upwards, then one that opens
        // downwards.
        let (end, sign) = if x <= 1.0 { (low, 1.0) } else { (high, -1.0) };
        let half = 0.5 * (end - 1.0).abs();
        let from_end = sign * (x - end) / half;
        let from_top = sign * (1.0 - x) / half;
        match from_end <= 1.0 {
            true => (0.5 * from_end * from_end, sign * from_end / half),
            false => (1.0 - 0.5 * from_top * from_top, sign * from_top / half),
        }
    }

    fn force_speed(&self, v: f64) -> (f64, f64) {
        let most = self.lengthening;
        let rise = most - 1.0;
        if v <= -1.0 {
            (0.0, 0.0)
        } else if v <= 0.0 {
            ((v + 1.0) * (v + 1.0), 2.0 * (v + 1.0))
        } else if v <= rise {
            let left = rise - v;
            (most - left * left / rise, 2.0 * left / rise)
        } else {
            (most, 0.0)
        }
    }

    fn force_passive(&self, x: f64) -> (f64, f64) {
        let half = 0.5 * (self.longest - 1.0);
        let stretched = (x - 1.0) / half;
        if stretched <= 0.0 {
            (0.0, 0.0)
        } else if stretched <= 1.0 {
            (
                self.passive * 0.5 * stretched * stretched,
                self.passive * stretched / half,
            )
        } else {
            (self.passive * (stretched - 0.5), self.passive / half)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_differences_and_continuous() {
        let muscle = Muscle {
            length_range: (-0.4, 1.1),
            ..Muscle::default()
        };
        let e = 1e-6;
        for k in 0..2000 {
            let (length, rate) = (
                -3.0 + 9.0 * f64::from(k % 50) / 49.0,
                -8.0 + 10.0 * f64::from(k / 50) / 39.0,
            );
            let at = muscle.active(30.0, length, rate);
            let force = |l: f64, r: f64| muscle.active(30.0, length + l, rate + r).force;
            let slopes = [
                (force(e, 0.0) - force(-e, 0.0)) / (2.0 * e),
                (force(0.0, e) - force(0.0, -e)) / (2.0 * e),
            ];
            assert!((slopes[0] - at.by_length).abs() < 1e-4, "{length} {rate}");
            assert!((slopes[1] - at.by_rate).abs() < 1e-4, "{length} {rate}");
            let slack = |l: f64| muscle.passive(30.0, length + l).force;
            let slope = (slack(e) - slack(-e)) / (2.0 * e);
            let found = muscle.passive(30.0, length).by_length;
            assert!((slope - found).abs() < 1e-4, "{length}");
        }
    }

    #[test]
    fn the_slope_at_rest_is_one_sided_where_it_is_cut_off() {
        let muscle = Muscle {
            length_range: (0.0, 1.0),
            lengthening: 1.0,
            ..Muscle::default()
        };
        assert_eq!(muscle.active(1.0, 0.7, 0.0).margin, 0.0);
        assert_eq!(Muscle::default().lengthening, 1.2);
    }
}
