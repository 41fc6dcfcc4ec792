//! Options and results of a search.

use crate::error::{Error, Result};

/// Options of a solver of inverse kinematics.
#[derive(Clone, Copy, Debug)]
pub struct IkOptions {
    /// Largest residual [m, rad] of a task that counts as solved.
    pub tolerance: f64,
    /// Largest number of iterations of each start.
    pub max_iterations: usize,
    /// Number of further starts, at random configurations, if the first does not solve the tasks.
    pub max_restarts: usize,
    /// Seed of the random starts.
    pub seed: u64,
    /// Weight of the model's equalities; 0 leaves them out.
    pub equality_weight: f64,
    /// True if the bounds of joints hold.
    pub limits: bool,
}

impl Default for IkOptions {
    fn default() -> Self {
        IkOptions {
            tolerance: 1e-10,
            max_iterations: 100,
            max_restarts: 0,
            seed: 0,
            equality_weight: 1.0,
            limits: true,
        }
    }
}

impl IkOptions {
    pub(super) fn check(&self) -> Result<()> {
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return Err(Error::invalid(format!(
                "options.tolerance: must be positive and finite, got {}",
                self.tolerance
            )));
        }
        if self.max_iterations == 0 {
            return Err(Error::invalid(
                "options.max_iterations: must be positive, got 0",
            ));
        }
        check_weight("options.equality_weight", self.equality_weight)
    }
}

/// How a search ended.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IkOutcome {
    /// Every task with a tolerance is within it, and preferences are at their best.
    Solved = 0,
    /// A local minimum of the objective, at which a task is not within its tolerance.
    Stationary = 1,
    /// Neither of these after all iterations.
    Iterations = 2,
}

/// Result of the last search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IkInfo {
    pub outcome: IkOutcome,
    /// Iterations of all starts together.
    pub iterations: usize,
    /// Starts after the first.
    pub restarts: usize,
    /// Largest residual of a task with a tolerance, unweighted [m, rad].
    pub residual: f64,
    /// ½ Σ ‖W r‖².
    pub objective: f64,
    /// Largest entry of the objective's gradient at a dof that no bound holds.
    pub slope: f64,
}

pub(super) fn check_weight(name: &str, weight: f64) -> Result<()> {
    match (0.0..=1e100).contains(&weight) {
        true => Ok(()),
        false => Err(Error::invalid(format!(
            "{name}: must be 0 to 1e100, got {weight}"
        ))),
    }
}
