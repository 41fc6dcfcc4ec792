//! Targets of tasks.

use crate::error::{Error, Result};
use crate::spatial::{Pose, Vec3};

/// Target of a task.
#[derive(Clone, Debug)]
pub enum Target {
    Frame(Pose),
    Center(Vec3),
    Posture(Vec<f64>),
}

/// Squares of the target's numbers must be finite.
pub fn check_reach(target: &[f64]) -> Result<()> {
    const REACH: f64 = 1e100;
    match target.iter().position(|x| x.abs() > REACH) {
        None => Ok(()),
        Some(i) => Err(Error::numerical(format!(
            "target[{i}]: must be below {REACH:e}, got {}",
            target[i]
        ))),
    }
}
