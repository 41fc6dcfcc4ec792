//! The last step, and what the workspace that steps, derivatives and queries share still holds of it.

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
use crate::spatial::Vec3;

/// The share of a step's velocities that may be roundings of forces which are not implicit.
const ROUNDINGS: f64 = 1e-5;

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
    /// Of an implicit step: recursions and forces where the balance of its only stage was taken last.
    Stage,
    /// Those of the stage that is loaded, with what columns by parameters are taken from.
    StageMatrices,
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
    /// Activations, and what forces see of them and of u.
    pub drives: Drives,
    pub acc: Vec<f64>,
    /// Of the free motion, where forces between dofs act beside impulses.
    pub acc_free: Vec<f64>,
    pub q_next: Vec<f64>,
    pub v_next: Vec<f64>,
    /// What the integrator carries beside (q, v).
    pub carried: Vec<f64>,
    pub carried_next: Vec<f64>,
    /// Velocities at the beginning and the end in the axes of the beginning: what no force changes, and what impulses
    /// act on.
    pub v_start: Vec<f64>,
    pub v_end: Vec<f64>,
    /// What the step takes each free joint's frame around, along its axes.
    pub centres: Vec<Vec3>,
    pub info: StepInfo,
    /// The label is one-sided for no other reason than that modes of the contact solver are at a switch.
    pub only_modes_switch: bool,
    /// What was made of it by descent, if that was asked for.
    pub aware: Option<Aware>,
}

impl StepState {
    /// With so many numbers that the integrator carries.
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
            only_modes_switch: false,
            aware: None,
        }
    }

    /// Facts about a step whose forces are so far from where their slopes jump.
    pub fn begin(&mut self, margin: f64) {
        (self.only_modes_switch, self.aware) = (false, None);
        self.info = StepInfo {
            switch_distance: margin,
            ..StepInfo::NONE
        };
    }

    /// Refuses a step in which round-off is what is left: of an acceleration of the size `before` by forces that are not
    /// implicit only what these leave of it is known, and its roundings.
    ///
    /// # Errors
    /// `Numerical` where they are more than a share of the velocities, or of what an acceleration of 1 adds.
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
                "a tendon, spring or force between joints is so stiff that without being implicit it would bring an acceleration of {before:e}, whose roundings are more than {ROUNDINGS:e} of the step's velocities, {size:e}"
            ))),
        }
    }

    /// Takes what the contact problem's solution says, and the acceleration with its impulses.
    ///
    /// # Errors
    /// `NotConverged` where `options` require that.
    pub(super) fn settle(
        &mut self,
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
        info.residual = certificate.residual();
        info.converged = certificate.converged;
        info.push_out_given_up = c.gave_up_push_out();
        info.contacts = c.scene.contacts().len();
        info.impacts = c.constraints.impacts().count();
        let kink = c.kink_distance();
        info.switch_distance = margin.min(certificate.margin).min(kink);
        let kinked = kink < 1e-9 || c.yielded();
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

    /// The label of forces at a jump of their slopes, and the state at the end.
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

    /// Takes notice of kinks of activations: the label of a step that is otherwise finished.
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

    /// The state that a step begins with.
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
