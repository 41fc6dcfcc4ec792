//! The last step as its derivatives use it, and the preparations common to all of them: the balance of its
//! forces, and the matrices of its derivative.

use super::contact::{ContactStage, Larger, SolveSystem};
use super::implicit::Implicit;
use super::info::{Gradient, STIFFEST};
use super::linearization::*;
use super::load_friction::LoadFriction;
use super::options::Options;
use super::parameters::At;
use super::prescribed::Prescribed;
use super::reduced::ByReduction;
use super::split::Split;
use super::state::{Held, StepState};
use super::theta::ThetaWorkspace;
use crate::dynamics::Dynamics;
use crate::dynamics::rnea_derivatives::FreeAxes;
use crate::error::{Error, Result};
use crate::force::Forces;
use crate::integrator::Scheme;
use crate::model::Model;
use crate::model::params::{Param, Params};
use crate::spatial::Vec3;

/// The parts of a simulation that the derivatives of its last step use, borrowed for one call. A step uses
/// those in [`Stepping`](super::stages::Stepping).
pub(super) struct Taken<'a> {
    pub model: &'a Model,
    pub options: &'a Options,
    /// Gravity changes within a call ([`Taken::without_gravity`]).
    pub params: &'a mut Params,
    pub integrator: &'a mut dyn Scheme,
    /// Recursions over the tree, and the factors of A.
    pub dynamics: &'a mut Dynamics,
    /// Inputs and results of the last step.
    pub state: &'a mut StepState,
    pub implicit: Option<&'a mut Implicit>,
    pub theta: Option<&'a mut ThetaWorkspace>,
    pub contact: Option<&'a mut ContactStage>,
    pub loads: Option<&'a mut LoadFriction>,
    pub forces: &'a mut Forces,
    pub split: Option<&'a mut Split>,
    pub by_reduction: Option<&'a mut ByReduction>,
    /// Dofs with a prescribed velocity.
    pub prescribed: &'a mut Prescribed,
    /// Parameters by which derivatives are taken, np.
    pub selected: &'a [Param],
    /// Implicit terms on each dof, nv.
    pub diagonal: &'a mut [f64],
    /// Generalized force, nv.
    pub tau: &'a mut [f64],
    /// nv.
    pub work: &'a mut Vec<f64>,
    /// How far the derivatives are prepared; see [`Taken::held`].
    pub held: &'a mut Held,
}

/// The last step in the form of [`At`].
macro_rules! at {
    ($step:expr, $d:expr) => {
        At {
            model: $step.model,
            params: $step.params,
            kin: &$step.dynamics.kin,
            rnea: &$step.dynamics.rnea,
            id: &$d.id,
            v: &$step.state.v,
            forces: $step.forces,
            q: &$step.state.q,
            u: &$step.state.drives.drive,
            acc: &$step.state.acc,
            time_step: $step.options.time_step,
        }
    };
}

/// Visits the terms of R_q and R_v from forces other than contacts, and from couplings between dofs of a
/// branch: (row, column, by q, by v).
macro_rules! force_terms {
    ($step:expr, $visit:expr) => {{
        ($step.forces).for_listed($step.model.topology(), $step.options.time_step, $visit);
        if let Some(c) = &$step.contact
            && let Some(l) = &c.linear
        {
            let mut visit = $visit;
            let t = $step.model.topology();
            (l.variation).for_couplings(t, &c.paths, |row, column, x| visit(row, column, x, 0.0));
        }
    }};
}

pub(super) use {at, force_terms};

impl Taken<'_> {
    /// How far the derivatives of the last step are prepared. A query may have moved the contacts of the
    /// forces.
    pub fn held(&self) -> Held {
        match self.forces.contacts_moved {
            true => Held::Other,
            false => *self.held,
        }
    }

    /// True if the step ends at the last stage of an implicit formula, without impulses.
    pub fn is_formula(&self) -> bool {
        (self.implicit.as_ref()).is_some_and(|i| i.formula().is_some())
    }

    /// Number of selected parameters.
    pub fn np(&self) -> usize {
        self.selected.len()
    }

    /// True if the free velocity of the step has terms through which impulses do not act.
    pub fn is_split(&self) -> bool {
        self.contact.is_some() && !self.dynamics.system.is_definite()
    }

    /// Computes the loads on links at the placements of the recursions.
    pub fn apply_loads(&mut self) {
        let d = &mut *self.dynamics;
        d.external.clear();
        (self.forces).load(self.model, self.params, &d.kin, &mut d.external);
    }

    /// As [`Stepping::hold_servos`](super::stages::Stepping::hold_servos).
    pub fn hold_servos(&mut self, h: f64, constant: bool) {
        if self.forces.has_servos() {
            self.forces.hold(h, constant, self.diagonal);
            self.prescribed.take_diagonal(self.diagonal);
        }
    }

    /// Runs `run` with gravity set to zero.
    pub fn without_gravity<T>(&mut self, run: impl FnOnce(&mut Taken<'_>) -> T) -> T {
        let gravity = std::mem::replace(&mut self.params.gravity, Vec3::ZERO);
        let done = run(self);
        self.params.gravity = gravity;
        done
    }

    /// Prepares the data that all derivatives of the last step need, unless they are up to date: the
    /// recursions at its acceleration with the contact loads, and the factors of A in `Dynamics::mass`.
    pub fn prepare(&mut self, lin: &mut Linearization) -> Result<()> {
        if self.theta.is_some() {
            return self.linearize_theta(lin);
        }
        if self.implicit.is_some() {
            return self.linearize_stages(lin);
        }
        if self.held() >= Held::Balance {
            return Ok(());
        }
        self.differentiate_reduction()?;
        let fresh = self.held() == Held::Velocities;
        if !fresh {
            self.dynamics
                .update(self.model, self.params, &self.state.q, &self.state.v);
        }
        // Without the contact loads of an earlier linearization.
        self.apply_loads();
        let (s, h) = (&*self.state, self.options.time_step);
        let at = s.for_forces(self.model, self.params, &self.dynamics.kin, h);
        if !fresh {
            self.forces.apply(&at, self.tau)?;
            self.forces.set_products(&mut self.dynamics.system);
            self.hold_servos(h, false);
        }
        self.linearize_free()?;
        let (is_split, s) = (self.is_split(), &self.state);
        let at = s.for_forces(self.model, self.params, &self.dynamics.kin, h);
        let free = if is_split { &s.acc_free } else { &s.acc };
        self.forces.differentiate(&at, [&s.acc, free]);
        let (model, d) = (self.model, &mut *self.dynamics);
        // A step with contacts has left the factors.
        if !fresh || self.contact.is_none() {
            d.factor_system(model, &self.prescribed.pivots);
            let stiffness = d.system.stiffness();
            if stiffness > STIFFEST {
                self.state.info.gradient = Gradient::Refused;
                return Err(Error::numerical(format!(
                    "h² K / M of a tendon, spring or force between joints is {stiffness:e}, so that a derivative would be round-off; expected at most {STIFFEST:e}"
                )));
            }
            if let Some(k) = d.mass.singular_at(&self.prescribed.pivots) {
                return Err(Error::numerical(format!(
                    "the mass matrix is singular at {}",
                    model.said_of_dof(k)
                )));
            }
        }
        self.linearize_contact()?;
        self.need_contact_derivative()?;
        let (d, s) = (&mut *self.dynamics, &*self.state);
        match self.contact {
            Some(_) => d.accelerate(self.model, self.params, &s.acc),
            None => d.inverse(self.model, self.params, &s.acc, self.work),
        }
        self.label_gradient(lin, |d, t, x| d.mass.solve(t, x))?;
        self.linearize_friction_by_load()?;
        let s = &*self.state;
        self.integrator.linearize(&s.start(self.model, h), &s.v_end);
        *self.held = Held::Balance;
        Ok(())
    }

    /// Computes the parts of the selected entries of reductions at the last step.
    fn differentiate_reduction(&mut self) -> Result<()> {
        let (Some(of), Some(r)) = (self.by_reduction.take(), self.params.reduction.clone()) else {
            return Ok(());
        };
        let mut done = self.unheld_balance(&mut of.balance);
        if done.is_ok() && self.is_split() {
            done = Err(Error::unsupported(
                "derivative by Reduction: this version has none with constraints beside a feedback (ds_sim_set_force); \
                 expected options.contact None",
            ));
        }
        let given = [&self.diagonal[..], &self.state.acc];
        let h = self.options.time_step;
        of.differentiate((self.model, &r), self.dynamics, given, h);
        self.by_reduction = Some(of);
        done
    }

    /// Prepares the derivative of the impulses and adds the contact loads. The recursions must have the
    /// placements of the last step.
    pub fn linearize_contact(&mut self) -> Result<()> {
        let Some(c) = &mut self.contact else {
            return Ok(());
        };
        let larger = Larger {
            params: self.params,
            selected: self.selected,
        };
        let (s, d) = (&*self.state, &mut *self.dynamics);
        let state = [&s.q[..], &s.v, &s.v_end];
        let at = (&d.kin, &d.mass);
        c.linearize(self.model, at, state, larger, &mut d.external)
    }

    /// Refuses if there is no derivative of the impulses.
    pub fn need_contact_derivative(&mut self) -> Result<()> {
        let contact = self.contact.as_ref().and_then(|c| c.linear.as_ref());
        if let Some(why) = contact.and_then(|l| l.refused) {
            self.state.info.gradient = Gradient::Refused;
            return Err(Error::numerical(why));
        }
        Ok(())
    }

    /// Decides whether the derivative is the same on all sides.
    pub fn label_gradient(&mut self, lin: &mut Linearization, solve: SolveSystem) -> Result<()> {
        if let (Some(c), Some(d)) = (&mut self.contact, &self.dynamics.derivatives) {
            for p in self.selected {
                c.check_parameter(&at!(self, d), p, &mut lin.column)?;
            }
            let one_sided = c.linear.as_ref().is_some_and(|l| l.one_sided) || {
                let v_end = &self.state.v_end;
                let (model, dynamics) = (self.model, &mut *self.dynamics);
                c.feels_ties(model, dynamics, v_end, solve, &mut lin.x)?
                    || c.gains_rank(model, dynamics, &self.state.q, &mut lin.x)?
            };
            if one_sided {
                self.state.info.gradient = Gradient::OneSided;
            } else if self.state.only_modes_switch {
                // Both sides were compared.
                self.state.info.gradient = Gradient::Exact;
            }
        }
        if (self.forces).are_one_sided(self.model, self.params, self.selected) {
            self.state.info.gradient = Gradient::OneSided;
        }
        Ok(())
    }

    /// True if Jacobians are computed direction by direction: for deep trees, if A couples different
    /// branches, if friction lags, if joints have friction by load, and with reduced coordinates and a stage.
    pub fn by_directions(&self) -> bool {
        self.model.topology().is_deep()
            || self.theta.is_some() && self.model.reduction().is_some()
            || self.has_loads()
            || self.theta.is_none() && !self.dynamics.system.is_definite()
            || self.contact.as_ref().is_some_and(|c| c.constraints.lags())
    }

    /// Builds R_q and R_v at the last step, unless they are up to date; for a deep tree, the form that
    /// takes their products.
    pub fn linearize(&mut self, lin: &mut Linearization) -> Result<()> {
        self.prepare(lin)?;
        if self.held() >= Held::Matrices || self.is_formula() {
            return Ok(());
        }
        let model = self.model;
        let t = model.topology();
        let by_directions = self.by_directions();
        let (contact, dynamics) = (&mut self.contact, &mut *self.dynamics);
        let Some(d) = &mut dynamics.derivatives else {
            return Err(Error::internal("the workspace of derivatives is missing"));
        };
        d.id.stiffness.set(&dynamics.external);
        if let Some(c) = contact {
            c.expand(t, &dynamics.kin, &mut d.id.stiffness);
        }
        let axes = match by_directions {
            false => self.integrator.axes(),
            true => FreeAxes::Body,
        };
        d.id.centres.copy_from_slice(&self.state.centres);
        dynamics.differentiate_loaded(model, self.params, axes);
        let Some(d) = &mut dynamics.derivatives else {
            return Err(Error::internal("the workspace of derivatives is missing"));
        };
        if !t.is_deep() {
            force_terms!(self, |row, column, by_q, by_v| {
                add_entry(&mut d.id, t, [row, column], by_q, by_v);
            });
            self.forces.for_touching(t, |row, column, by_q, by_v| {
                add_entry(&mut d.id, t, [row, column], by_q, by_v);
            });
        }
        if !by_directions {
            let at = self.state.start(model, self.options.time_step);
            (self.integrator).for_start_terms(&at, self.diagonal, &mut |row, column, x| {
                add_entry(&mut d.id, t, [row, column], 0.0, x);
            });
        }
        *self.held = Held::Matrices;
        Ok(())
    }
}
