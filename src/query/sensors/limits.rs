//! Sensors of joint limits and of bounds of tendon lengths.

use super::motion::By;
use super::rows::Rows;
use crate::constraint::Along;
use crate::error::{Error, Result};
use crate::model::sensor::{Reading, Seat, Sensor};
use crate::step::{Contact, Sim};

/// A length, its rate, its bounds, and the margin within which the bounds count.
pub(super) struct Bounded {
    pub at: f64,
    pub rate: f64,
    pub limits: (f64, f64),
    pub margin: f64,
}

impl Bounded {
    /// Signs and distances of the bounds. The lower bound comes first and is measured if both are near, as in
    /// MuJoCo.
    fn distances(&self) -> [(f64, f64); 2] {
        let (lower, upper) = self.limits;
        [(lower, 1.0), (upper, -1.0)]
            .map(|(bound, sign)| (sign, sign * (self.at - bound) - self.margin))
    }

    fn near(&self) -> Option<(f64, f64)> {
        self.distances().into_iter().find(|(_, d)| *d < 0.0)
    }

    /// True if a bound is exactly at the distance where it begins to count.
    pub fn is_at_edge(&self) -> bool {
        self.distances().iter().any(|(_, d)| *d == 0.0)
    }

    /// Writes the position or velocity reading; returns the sign of the measured bound.
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

/// Variation of the position or velocity of a bound of this sign with a dof, from the length's moment and its
/// rate of change.
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

/// The force of the bounds in the last step. Its derivative belongs to those of the other impulses.
///
/// # Errors
/// `Unsupported` if bounds are springs.
pub(super) fn force_of_limit(sim: &Sim, s: &Sensor) -> Result<f64> {
    if sim.options.contact == Contact::Penalty {
        return Err(Error::unsupported(format!(
            "sensor \"{}\": with contact Penalty, limits are springs and dampers, which a {:?} sensor does not measure",
            s.name, s.reading
        )));
    }
    Ok(sim.impulse_of_limit(bound_of(sim, s)) / sim.options.time_step)
}

/// The bound that a sensor measures.
pub(super) fn bound_of(sim: &Sim, s: &Sensor) -> Along {
    match s.reading.seat() {
        Seat::Tendon => Along::Tendon(s.index),
        _ => Along::Dof(sim.model.joints()[s.index].iv),
    }
}
