//! The last step, and what the workspace that steps, derivatives and queries share still holds of it.

use super::info::{Aware, StepInfo};
use crate::dynamics::kinematics::Kinematics;
use crate::error::{Error, Result};
use crate::force::State;
use crate::integrator::{End, Scheme, Start};
use crate::linalg::within;
use crate::model::Model;
use crate::model::params::Params;

/// What users may ask about: the latest of a step and [`Sim::collide`](super::sim::Sim::collide).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    Nothing,
    Step,
    Collide,
}

/// What the shared workspace holds; of the last step each includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Held {
    /// Recursions at another state.
    Other,
    /// Placements at the state of [`Last`].
    Positions,
    /// Recursions at (q, v), and the forces.
    Velocities,
    /// Those at the step's acceleration with its loads, and the factors of A.
    Balance,
    /// R_q and R_v, or what takes their products.
    Matrices,
    /// The Jacobians by q and v, and what answers forces.
    Columns,
}

/// Inputs and results of the last step.
#[derive(Clone, Debug)]
pub(crate) struct StepState {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub u: Vec<f64>,
    pub acc: Vec<f64>,
    pub q_next: Vec<f64>,
    pub v_next: Vec<f64>,
    /// What the integrator carries beside (q, v).
    pub carried: Vec<f64>,
    pub carried_next: Vec<f64>,
    /// Velocities at the beginning and the end in the axes of the beginning: what no force changes, and what impulses
    /// act on.
    pub v_start: Vec<f64>,
    pub v_end: Vec<f64>,
    pub info: StepInfo,
    /// The label is one-sided for no other reason than that modes of the contact solver are at a switch.
    pub only_modes_switch: bool,
    /// What was made of it by descent, if that was asked for.
    pub aware: Option<Aware>,
}

impl StepState {
    /// The state that a step begins with.
    pub fn start<'a>(&'a self, model: &'a Model, h: f64) -> Start<'a> {
        Start {
            model,
            h,
            q: &self.q,
            v: &self.v,
            carried: &self.carried,
        }
    }

    /// The same as forces see it.
    pub fn for_forces<'a>(
        &'a self,
        model: &'a Model,
        params: &'a Params,
        kin: &'a Kinematics,
        time_step: f64,
    ) -> State<'a> {
        State {
            model,
            params,
            kin,
            q: &self.q,
            v: &self.v,
            u: &self.u,
            time_step,
        }
    }

    /// q⁺ and v⁺ from the velocity at the end.
    pub fn advance(&mut self, model: &Model, scheme: &dyn Scheme, h: f64) -> Result<()> {
        let at = Start {
            model,
            h,
            q: &self.q,
            v: &self.v,
            carried: &self.carried,
        };
        let next = End {
            q: &mut self.q_next,
            v: &mut self.v_next,
            carried: &mut self.carried_next,
        };
        scheme.end(&at, &self.v_end, next);
        if within(f64::INFINITY, &self.q_next) && within(f64::INFINITY, &self.carried_next) {
            Ok(())
        } else {
            Err(Error::numerical(
                "q_next is not finite: the velocity is too large",
            ))
        }
    }
}
