//! The stages of an explicit step, in their order: forces, free motion, impulses. The page is
//! [`explicit`](super::explicit).

use super::contact::ContactStage;
use super::info::{Gradient, STIFFEST, check_places};
use super::load_friction::LoadFriction;
use super::options::Options;
use super::prescribed::Prescribed;
use super::state::StepState;
use crate::dynamics::Dynamics;
use crate::dynamics::four::Four;
use crate::error::{Error, Result};
use crate::force::{Forces, State};
use crate::integrator::Scheme;
use crate::linalg::first_not_finite;
use crate::model::Model;
use crate::model::params::Params;

/// The parts of a simulation that a step uses, borrowed for one step.
pub(super) struct Stepping<'a> {
    pub model: &'a Model,
    pub options: &'a Options,
    pub params: &'a Params,
    pub scheme: &'a dyn Scheme,
    /// Recursions over the tree, at (q, v) before an explicit step; the matrix A and its factors.
    pub dynamics: &'a mut Dynamics,
    pub forces: &'a mut Forces,
    /// Dofs with a prescribed velocity.
    pub prescribed: &'a mut Prescribed,
    pub contact: Option<&'a mut ContactStage>,
    pub loads: Option<&'a mut LoadFriction>,
    /// Implicit terms on each dof, nv.
    pub diagonal: &'a mut [f64],
    /// Generalized force, nv.
    pub tau: &'a mut [f64],
    /// Generalized force of the caller, nv or empty.
    pub applied: &'a [f64],
    /// Inputs and results of the step; q, v, u, the drives and `carried` are set.
    pub s: &'a mut StepState,
}

impl Stepping<'_> {
    /// Adds the implicit terms of servos, at the forces of the last [`Forces::apply`], to the diagonal. h:
    /// time step of the implicit forces. `constant`: leave out servos whose slopes depend on their input.
    pub fn hold_servos(&mut self, h: f64, constant: bool) {
        if self.forces.has_servos() {
            self.forces.hold(h, constant, self.diagonal);
            self.prescribed.take_diagonal(self.diagonal);
        }
    }

    /// Kinematics: placements, columns of the dofs, velocities, and the loads on links at (q, v).
    ///
    /// # Errors
    /// `Numerical` if a body is too far away.
    pub fn place(&mut self) -> Result<()> {
        let d = &mut *self.dynamics;
        d.update(self.model, self.params, &self.s.q, &self.s.v);
        self.load();
        check_places(&self.dynamics.kin)
    }

    /// The velocity without any force, v̂₀.
    pub fn start(&mut self) {
        let (model, h, s) = (self.model, self.options.time_step, &mut *self.s);
        s.take_centres(self.forces, model, self.params);
        let mut v_start = std::mem::take(&mut s.v_start);
        self.scheme.start(&s.start(model, h), &mut v_start);
        s.v_start = v_start;
    }

    /// The generalized force f(q, v, u) in `tau`, and its implicit terms in A. Returns the distance to the
    /// nearest jump of its slopes.
    ///
    /// # Errors
    /// Those of [`Forces::apply`].
    pub fn push(&mut self) -> Result<f64> {
        self.push_by(Forces::apply)
    }

    /// [`Stepping::push`] without the forces of motion ([`Forces::add_inertial`]).
    ///
    /// # Errors
    /// As [`Stepping::push`].
    pub fn push_applied(&mut self) -> Result<f64> {
        self.push_by(Forces::add_applied)
    }

    fn push_by(
        &mut self,
        apply: impl FnOnce(&mut Forces, &State<'_>, &mut [f64]) -> Result<f64>,
    ) -> Result<f64> {
        let h = self.options.time_step;
        let at = (self.s).for_forces(self.model, self.params, &self.dynamics.kin, h);
        let margin = apply(self.forces, &at, self.tau)?;
        for (tau, f) in self.tau.iter_mut().zip(self.applied) {
            *tau += f;
        }
        self.forces.set_products(&mut self.dynamics.system);
        self.s.begin(margin);
        self.hold_servos(h, false);
        Ok(margin)
    }

    /// The acceleration a of the free motion: A a = τ − b.
    ///
    /// # Errors
    /// `Numerical` if it is not finite.
    pub fn fall(&mut self) -> Result<()> {
        let (model, params, s) = (self.model, self.params, &mut *self.s);
        let (h, d) = (self.options.time_step, &mut *self.dynamics);
        let (diagonal, tau) = (&*self.diagonal, &*self.tau);
        let is_split = self.contact.is_some() && !d.system.is_definite();
        if !self.prescribed.is_empty() {
            self.prescribed.accelerate(&s.v_start, h);
            let Prescribed { pivots, given, .. } = &*self.prescribed;
            d.forward_given(model, params, pivots, tau, given, &mut s.acc);
        } else if self.contact.is_none() || is_split {
            d.forward_system(model, params, diagonal, tau, &mut s.acc);
        } else {
            d.forward_factored(model, params, diagonal, tau, &mut s.acc);
        }
        self.settle_fall()?;
        if is_split {
            self.s.acc_free.copy_from_slice(&self.s.acc);
        }
        Ok(())
    }

    /// Accelerations of bodies that are alone, the label, and the check of the free motion.
    fn settle_fall(&mut self) -> Result<()> {
        let (model, h) = (self.model, self.options.time_step);
        let (s, d) = (&mut *self.s, &*self.dynamics);
        s.settle_free(self.forces, d, model, h, [&*self.diagonal, self.applied]);
        if self.contact.is_none() && d.system.stiffness() > STIFFEST {
            s.info.gradient = Gradient::Refused;
        }
        check_acceleration(model, &s.acc)
    }

    /// The loads on links, at the placements of the recursions.
    pub fn load(&mut self) {
        let d = &mut *self.dynamics;
        d.external.clear();
        (self.forces).load(self.model, self.params, &d.kin, &mut d.external);
    }

    /// The end of a step whose free motion is in this lane.
    ///
    /// # Errors
    /// `Numerical` if a result is not finite; those of [`Stepping::respond`].
    pub fn land(&mut self, four: &Four, lane: usize) -> Result<()> {
        let (s, d) = (&mut *self.s, &mut *self.dynamics);
        four.write_acc(lane, &mut s.acc);
        if self.contact.is_some() {
            d.take_factors(four, lane, self.model.topology(), &mut s.acc);
        }
        self.settle_fall()?;
        self.end()
    }

    /// The end of a step beside others whose matrix A has terms around the tree.
    ///
    /// # Errors
    /// As [`Stepping::land`].
    pub fn land_alone(&mut self) -> Result<()> {
        self.fall()?;
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        let margin = self.s.forces_margin;
        self.respond(margin)?;
        self.advance(margin)
    }

    /// The velocity at the end, with the impulses of contacts and other constraints: collision, rows, law.
    ///
    /// # Errors
    /// `Capacity` for too many contacts; `Numerical` if a result is not finite or mostly round-off;
    /// `NotConverged` if the options require convergence.
    pub fn respond(&mut self, margin: f64) -> Result<()> {
        let (model, params, s) = (self.model, self.params, &mut *self.s);
        let (h, d) = (self.options.time_step, &mut *self.dynamics);
        let Some(c) = self.contact.as_deref_mut() else {
            for k in 0..model.nv() {
                s.v_end[k] = s.v_start[k] + h * s.acc[k];
            }
            self.prescribed.write(&mut s.v_end);
            s.check_digits(d.system.before(), h)?;
            if let Some(penalty) = &self.forces.penalty {
                s.info.contacts = penalty.scene.contacts().len();
            }
            return Ok(());
        };
        let certificate = match self.loads.as_deref_mut() {
            None => c.solve(
                model,
                params,
                d,
                &s.q,
                &s.v,
                &s.v_start,
                &s.acc,
                &mut s.v_end,
            )?,
            Some(loads) => {
                let beside = (&*self.forces, &*self.prescribed);
                loads.solve(c, (model, params), d, beside, s, self.options.tolerance)?
            }
        };
        self.prescribed.write(&mut s.v_end);
        s.settle(self.model.topology(), c, &certificate, margin, self.options)
    }

    /// The state at the end, (q⁺, v⁺) = Φ(q, v, v̂).
    ///
    /// # Errors
    /// `Numerical` if it is not finite.
    pub fn advance(&mut self, margin: f64) -> Result<()> {
        let h = self.options.time_step;
        self.s.finish(self.model, self.scheme, h, margin)
    }
}

fn check_acceleration(model: &Model, acc: &[f64]) -> Result<()> {
    match first_not_finite(acc) {
        None => Ok(()),
        Some(k) => Err(Error::numerical(format!(
            "the acceleration of {} is not finite: singular mass or a state too large",
            model.said_of_dof(k)
        ))),
    }
}
