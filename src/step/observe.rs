//! What a recorder sees of a step.

use super::contact::ContactReport;
use super::info::StepInfo;
use super::sim::Sim;
use super::state::Last;
use crate::error::{Error, Result};

/// The last step of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct LastStep<'a> {
    /// State at the beginning.
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub u: &'a [f64],
    /// State at the end.
    pub q_next: &'a [f64],
    pub v_next: &'a [f64],
    pub contacts: &'a [ContactReport],
    pub info: StepInfo,
}

impl Sim {
    /// The last step.
    ///
    /// # Errors
    /// `NoStep` before one, or when something has been changed since.
    pub fn last_step(&self) -> Result<LastStep<'_>> {
        let s = &self.state;
        if self.last != Last::Step {
            return Err(Error::no_step("no step has been taken"));
        }
        Ok(LastStep {
            q: &s.q,
            v: &s.v,
            u: &s.u,
            q_next: &s.q_next,
            v_next: &s.v_next,
            contacts: self.contacts(),
            info: s.info,
        })
    }

    /// The wrench (force; moment) set on a body, world axes at the body's origin [N, N m].
    pub fn external_wrench(&self, body: usize) -> [f64; 6] {
        self.forces.wrenches.get(body)
    }
}
