//! What sensors tell of bounds of joints and of tendons' lengths.

use super::motion::By;
use super::rows::Rows;
use crate::constraint::Along;
use crate::error::{Error, Result};
use crate::model::sensor::{Reading, Seat, Sensor};
use crate::step::{Contact, Sim};

/// A length, its rate, its bounds, and the margin within which these count.
pub(super) struct Bounded {
    pub at: f64,
    pub rate: f64,
    pub limits: (f64, f64),
    pub margin: f64,
}

impl Bounded {
    /// Signs and distances of the bounds; the lower one first, which is told of where both are near, as in MuJoCo.
    fn distances(&self) -> [(f64, f64); 2] {
        let (lower, upper) = self.limits;
        [(lower, 1.0), (upper, -1.0)]
            .map(|(bound, sign)| (sign, sign * (self.at - bound) - self.margin))
    }

    fn near(&self) -> Option<(f64, f64)> {
        self.distances().into_iter().find(|(_, d)| *d < 0.0)
    }

    /// Whether a bound is just where it begins to count.
    pub fn is_at_edge(&self) -> bool {
        self.distances().iter().any(|(_, d)| *d == 0.0)
    }

    /// Tells position or velocity; gives the sign of the bound that is told of.
    pub fn tell(&self, reading: Reading, rows: &mut Rows<'_>) -> Option<f64> {
        let near = self.near();
        let is_position = matches!(
            reading,
            Reading::JointLimitPosition | Reading::TendonLimitPosition
        );
        let (sign, distance) = near.unwrap_or((0.0, 0.0));
        rows.tell(&[if is_position {
            distance
        } else {
            sign * self.rate
        }]);
        near.map(|(sign, _)| sign)
    }
}

/// How position or velocity of a bound of this sign varies with a dof, of which the length has a moment that turns so fast.
pub(super) fn vary(
    rows: &mut Rows<'_>,
    reading: Reading,
    sign: f64,
    (dof, moment, turned): (usize, f64, f64),
) {
    match reading {
        Reading::JointLimitPosition | Reading::TendonLimitPosition => {
            rows.add(By::Positions, dof, &[sign * moment]);
        }
        _ => {
            rows.add(By::Positions, dof, &[sign * turned]);
            rows.add(By::Velocities, dof, &[sign * moment]);
        }
    }
}

impl Sim {
    /// The force with which the last step holds the bounds; its derivative is with those of other impulses.
    ///
    /// # Errors
    /// `Unsupported` where bounds are springs.
    pub(super) fn force_of_limit(&self, s: &Sensor) -> Result<f64> {
        if self.options.contact == Contact::Penalty {
            return Err(Error::unsupported(format!(
                "sensor \"{}\": with Penalty limits are springs and dampers, of which no {:?} sensor tells",
                s.name, s.reading
            )));
        }
        Ok(self.impulse_of_limit(self.bound_of(s)) / self.options.time_step)
    }

    /// What a sensor of a bound tells of.
    pub(super) fn bound_of(&self, s: &Sensor) -> Along {
        match s.reading.seat() {
            Seat::Tendon => Along::Tendon(s.index),
            _ => Along::Dof(self.model.joints()[s.index].iv),
        }
    }
}
