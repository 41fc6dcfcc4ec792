//! Inputs and results of the last step, and the state of the workspace that steps, derivatives and queries
//! share.

use super::contact::ContactStage;
use super::drives::Drives;
use super::info::{Aware, Gradient, StepInfo};
use super::options::Options;
use crate::contact::certificate::Certificate;
use crate::dynamics::kinematics::Kinematics;
use crate::error::{Error, Result};
use crate::force::State;
use crate::integrator::{End, Scheme, Start};
use crate::linalg::within;
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::Topology;
use crate::spatial::Vec3;

/// Largest share of a step's velocities that may be round-off of explicit forces.
const ROUNDINGS: f64 = 1e-5;

/// The call whose results users may query: the latest step or [`Sim::collide`](super::sim::Sim::collide).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    Nothing,
    Step,
    Collide,
}

/// How far the derivatives of the last step are prepared. From `Velocities` on, each level includes the ones
/// before it. Queries have data of their own, and set nothing here
/// ([`Query`](super::asking::Query)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Held {
    /// Recursions or forces at another state.
    Other,
    /// Implicit step: recursions and forces at the last balance of its only stage.
    Stage,
    /// Implicit step: recursions of the loaded stage, and the matrices needed for columns by parameters.
    StageMatrices,
    /// Recursions at (q, v), and the forces.
    Velocities,
    /// Recursions at the step's acceleration with its loads, and the factors of A.
    Balance,
    /// R_q and R_v as matrices, or in the form that takes their products.
    Matrices,
    /// The Jacobians by q and v, and the response to forces.
    Columns,
}

/// Inputs and results of the last step.
#[derive(Clone, Debug)]
pub(crate) struct StepState {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub u: Vec<f64>,
    /// Activations, and the drives of the actuators from activations and u.
    pub drives: Drives,
    pub acc: Vec<f64>,
    /// Acceleration of the free motion, used if forces couple dofs in a step with constraints.
    pub acc_free: Vec<f64>,
    pub q_next: Vec<f64>,
    pub v_next: Vec<f64>,
    /// State of the integrator beside (q, v).
    pub carried: Vec<f64>,
    pub carried_next: Vec<f64>,
    /// Velocities at the start and end of the step, both in the axes at the start. `v_start` is the
    /// velocity without any force; impulses act on `v_end`.
    pub v_start: Vec<f64>,
    pub v_end: Vec<f64>,
    /// Point of each free joint's frame about which the step integrates it, along the frame's axes [m].
    pub centres: Vec<Vec3>,
    pub info: StepInfo,
    /// Distance of the step's forces to the next jump of their slopes.
    pub forces_margin: f64,
    /// True if the label is one-sided only because modes of the contact solver are at a switch.
    pub only_modes_switch: bool,
    /// Result of the aware gradient, if it was computed.
    pub aware: Option<Aware>,
}

impl StepState {
    /// `carried`: number of entries that the integrator carries.
    pub fn new(model: &Model, carried: usize) -> StepState {
        let zeros = |n: usize| vec![0.0; n];
        let [nq, nv] = [model.nq(), model.nv()];
        StepState {
            q: zeros(nq),
            v: zeros(nv),
            u: zeros(model.nu()),
            drives: Drives::new(model),
            acc: zeros(nv),
            acc_free: zeros(nv),
            q_next: zeros(nq),
            v_next: zeros(nv),
            carried: zeros(carried),
            carried_next: zeros(carried),
            v_start: zeros(nv),
            v_end: zeros(nv),
            centres: vec![Vec3::ZERO; model.free_links().count()],
            info: StepInfo::NONE,
            forces_margin: f64::INFINITY,
            only_modes_switch: false,
            aware: None,
        }
    }

    /// Resets the facts for a step whose forces have the distance `margin` to the next jump of their
    /// slopes.
    pub fn begin(&mut self, margin: f64) {
        (self.only_modes_switch, self.aware) = (false, None);
        self.forces_margin = margin;
        self.info = StepInfo {
            switch_distance: margin,
            ..StepInfo::NONE
        };
    }

    /// Refuses a step whose result is mostly round-off. If the implicit treatment cancels an acceleration
    /// of size `before`, the result contains the round-off of `before`.
    ///
    /// # Errors
    /// `Numerical` if the round-off exceeds [`ROUNDINGS`] times the velocities, and times the velocity that
    /// an acceleration of 1 adds.
    pub(super) fn check_digits(&self, before: f64, h: f64) -> Result<()> {
        let roundings = h * f64::EPSILON * before;
        if roundings <= ROUNDINGS * h {
            return Ok(());
        }
        let both = self.v.iter().chain(&self.v_end);
        let size = both.fold(h, |m, x| m.max(x.abs()));
        match roundings <= ROUNDINGS * size {
            true => Ok(()),
            false => Err(Error::numerical(format!(
                "a tendon, spring or force between joints is too stiff: its explicit acceleration would be {before:e}, whose round-off exceeds {ROUNDINGS:e} of the velocities of the step, {size:e}"
            ))),
        }
    }

    /// Takes the results of the contact problem, and the acceleration including its impulses.
    ///
    /// # Errors
    /// `NotConverged` if `options` require convergence.
    pub(super) fn settle(
        &mut self,
        t: &Topology,
        c: &ContactStage,
        certificate: &Certificate,
        margin: f64,
        options: &Options,
    ) -> Result<()> {
        if !certificate.converged && options.require_convergence {
            return Err(Error::not_converged(format!(
                "the contact solver stopped at residual {:e}, above options.tolerance {:e}",
                certificate.residual(),
                options.tolerance
            )));
        }
        for (a, (end, start)) in self
            .acc
            .iter_mut()
            .zip(self.v_end.iter().zip(&self.v_start))
        {
            *a = (end - start) / options.time_step;
        }
        let info = &mut self.info;
        info.iterations = certificate.iterations();
        info.work = certificate.spent.work;
        info.tally = certificate.tally;
        info.residual = certificate.residual();
        info.converged = certificate.converged;
        info.push_out_given_up = c.gave_up_push_out();
        info.contacts = c.scene.contacts().len();
        info.impacts = c.constraints.impacts().count();
        let kink = c.kink_distance();
        info.switch_distance = margin.min(certificate.margin).min(kink);
        let mut changes = c.may_change_level(t);
        let kinked = kink < 1e-9 || changes.next().is_some();
        if certificate.at_switch || kinked {
            info.gradient = Gradient::OneSided;
        }
        self.only_modes_switch = certificate.at_switch && !kinked && margin > 0.0;
        if !certificate.converged {
            info.gradient = Gradient::Refused;
            self.only_modes_switch = false;
        }
        Ok(())
    }

    /// Labels forces at a jump of their slopes, and computes the state at the end.
    pub fn finish(
        &mut self,
        model: &Model,
        scheme: &dyn Scheme,
        h: f64,
        margin: f64,
    ) -> Result<()> {
        if margin == 0.0 && self.info.gradient == Gradient::Exact {
            self.info.gradient = Gradient::OneSided;
        }
        self.advance(model, scheme, h)
    }

    /// Updates the label of a finished step for kinks of activations.
    pub fn label_activations(&mut self) {
        let (margin, info) = (self.drives.margin, &mut self.info);
        info.switch_distance = info.switch_distance.min(margin);
        if margin > 0.0 {
            return;
        }
        self.only_modes_switch = false;
        if info.gradient == Gradient::Exact {
            info.gradient = Gradient::OneSided;
        }
    }

    /// The state at the start of the step, for the integrator.
    pub fn start<'a>(&'a self, model: &'a Model, h: f64) -> Start<'a> {
        Start {
            model,
            h,
            q: &self.q,
            v: &self.v,
            carried: &self.carried,
            centres: &self.centres,
        }
    }

    /// The state at the start of the step, for forces.
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
            u: &self.drives.drive,
            time_step,
            ease: 1.0,
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
            centres: &self.centres,
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
