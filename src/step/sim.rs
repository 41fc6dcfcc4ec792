//! A simulation: one model, one set of parameters, and all memory that a step needs.

use super::asking::Query;
use super::contact::ContactStage;
use super::geometry::Geometry;
use super::implicit::{self, Implicit, Source};
use super::info::{
    Gradient, are_near, check_finite, check_length, check_place_sums, check_places, check_state,
};
use super::inverse::{balance_at, check_end};
use super::load_friction::{LoadFriction, refuse_loads};
use super::memory::Bytes;
use super::options::{Advance, Contact, Options};
use super::parts::{Parts, law_of, refuse_deformables, refuse_paths, refuse_variant};
use super::penalty::report_penalty;
use super::prescribed::Prescribed;
use super::reduced::ByReduction;
use super::split::Split;
use super::stages::Stepping;
use super::state::{Held, Last, StepState};
use super::taken::Taken;
use super::theta::ThetaWorkspace;
use super::workspace::Workspace;
use super::{explicit, implicit_stage};
use crate::dynamics::Dynamics;
use crate::dynamics::asked::Asked;
use crate::dynamics::four::Four;
use crate::dynamics::system::System;
use crate::error::{Error, Result};
use crate::force::Forces;
use crate::force::adhesion::Adhesion;
use crate::force::penalty::{self, PenaltyContacts};
use crate::integrator::Scheme;
use crate::integrator::implicit::Formula;
use crate::linalg::all_finite;
use crate::model::Model;
use crate::model::params::{Param, Params};
use std::sync::Arc;

/// Steps one model. Owns all memory and allocates nothing after creation. One per thread.
///
/// Not `Clone`: a copied `Vec` has no capacity beyond its length. See [`Sim::duplicate`].
#[derive(Debug)]
pub struct Sim {
    pub(crate) model: Arc<Model>,
    pub(crate) options: Options,
    pub(crate) params: Params,
    pub(crate) dynamics: Dynamics,
    /// Data of queries outside a step.
    pub(crate) asked: Box<Asked>,
    pub(crate) state: Box<StepState>,
    pub(crate) pending: Box<StepState>,
    /// `None` without options.derivatives.
    pub(super) workspace: Option<Box<Workspace>>,
    pub(crate) integrator: Box<dyn Scheme>,
    /// Implicit stages: of a formula, which replaces the integrator, or of the θ-method.
    pub(super) implicit: Option<Box<Implicit>>,
    /// Beside the stage of the θ-method: the data through which impulses act.
    pub(super) theta: Option<Box<ThetaWorkspace>>,
    /// State of the integrator at the start of the next step, beside (q, v).
    pub(super) carried: Vec<f64>,
    /// Activations at the start of the next step.
    pub(crate) act: Vec<f64>,
    /// `None` without contact.
    pub(super) contact: Option<Box<ContactStage>>,
    /// `None` if no joint has friction by its load.
    pub(super) loads: Option<Box<LoadFriction>>,
    pub(crate) last: Last,
    pub(crate) held: Held,
    pub(crate) geometry: Geometry,
    pub(crate) selected: Vec<Param>,
    pub(crate) forces: Forces,
    /// Forces that couple dofs in a step with constraints ([`free_motion`](super::free_motion)).
    pub(super) split: Option<Box<Split>>,
    /// `None` if no entry of a reduction is selected.
    pub(super) by_reduction: Option<Box<ByReduction>>,
    /// Implicit terms on each dof: armature + h D + h² K.
    pub(crate) diagonal: Vec<f64>,
    pub(crate) tau: Vec<f64>,
    pub(crate) work: Vec<f64>,
    /// Force of the inverse of a step.
    applied: Vec<f64>,
    /// Dofs with a prescribed velocity.
    pub(super) prescribed: Prescribed,
}

impl Sim {
    /// # Errors
    /// `InvalidArgument` or `Unsupported` naming the option; `Capacity` if there is not enough memory.
    pub fn new(model: Arc<Model>, options: &Options) -> Result<Sim> {
        let parts = Parts::new(&model, options);
        Sim::with_parts(model, options, parts)
    }

    /// Makes a simulation from these parts instead of the ones that the options name.
    ///
    /// # Errors
    /// As [`Sim::new`].
    pub fn with_parts(model: Arc<Model>, options: &Options, parts: Parts) -> Result<Sim> {
        let options = &options.for_model(&model);
        options.check()?;
        refuse_paths(&model, options)?;
        let (source, advance) = (parts.source(), parts.advance());
        if let Some(Source::Scheme(stage)) = &source {
            stage.check()?;
        }
        options.refuse_impulses(advance)?;
        refuse_variant(&model, options, advance)?;
        refuse_loads(&model, options, advance, model.resists_torsion())?;
        refuse_deformables(&model, options, advance)?;
        let (nv, h, room) = (model.nv(), options.time_step, options.max_contacts);
        Bytes::check(&model, options, advance)?;
        let carried = match parts.formula {
            None => parts.integrator.carried(&model),
            Some(formula) => formula.carried(&model),
        };
        let workspace =
            (options.derivatives).then(|| Box::new(Workspace::new(&model, options, carried)));
        let contact = match options.contact {
            Contact::None | Contact::Penalty => None,
            _ => Some(Box::new(ContactStage::new(&model, options, &*parts.law)?)),
        };
        // Newton's method needs derivatives too.
        let differentiate = options.derivatives || source.is_some();
        let torsion = parts.torsion(&model, differentiate);
        let limbs = parts.limbs(&model, torsion.as_deref(), differentiate);
        let (mut params, others) = (model.params().clone(), parts.forces);
        let mut forces = Forces::new(&model, others, contact.is_none(), differentiate);
        if options.contact == Contact::Penalty {
            let explicit = source.is_none().then_some(h);
            let contacts =
                PenaltyContacts::new(&model, room, options.friction_rule, differentiate, explicit)?;
            penalty::fill(&model, &mut params, &contacts.scene, explicit);
            forces.penalty = Some(Box::new(contacts));
        }
        if options.contact != Contact::None {
            let adhesion = Adhesion::new(&model, options.max_contacts, differentiate)?;
            forces.adhesion = adhesion.map(Box::new);
        }
        forces.gyroscopic = torsion;
        forces.coriolis = limbs;
        let state = Box::new(StepState::new(&model, carried));
        let derivatives = options.derivatives;
        let implicit = source.map(|s| Box::new(Implicit::new(&model, s, &forces, derivatives)));
        let theta = match &source {
            Some(Source::Scheme(s)) => {
                Some(Box::new(ThetaWorkspace::new(&model, s, h, derivatives)))
            }
            Some(Source::Formula(_)) | None => None,
        };
        let mut dynamics = Dynamics::new(&model, differentiate);
        if contact
            .as_ref()
            .is_some_and(|c| c.constraints.bounds_dofs())
        {
            dynamics.mass.keep_whole();
        }
        let mut sim = Sim {
            options: *options,
            params,
            dynamics,
            asked: Box::new(Asked::new(&model, options.derivatives)),
            pending: state.clone(),
            state,
            workspace,
            integrator: parts.integrator,
            carried: vec![0.0; carried],
            act: vec![0.0; model.na()],
            loads: (contact.as_ref()).and_then(|c| {
                LoadFriction::new(&model, c.constraints.max_rows(), options.derivatives)
            }),
            contact,
            last: Last::Nothing,
            held: Held::Other,
            geometry: Geometry::new(&model, options),
            selected: Vec::new(),
            forces,
            split: None,
            by_reduction: None,
            implicit,
            theta,
            diagonal: vec![0.0; nv],
            tau: vec![0.0; nv],
            work: vec![0.0; nv],
            applied: vec![0.0; nv],
            prescribed: Prescribed::new(nv),
            model,
        };
        sim.refresh_forces();
        sim.drive_mocap();
        sim.check_couplings().map(|()| sim)
    }

    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    /// How its steps find the velocity without impulses.
    pub(crate) fn advance(&self) -> Advance {
        match (&self.implicit, &self.theta) {
            (None, _) => Advance::Explicit,
            (Some(_), Some(_)) => Advance::Stage,
            (Some(_), None) => Advance::Formula,
        }
    }

    /// Current values of all parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Number of selected parameters.
    pub fn np(&self) -> usize {
        self.selected.len()
    }

    pub(crate) fn forget_step(&mut self) {
        self.last = Last::Nothing;
        self.held = Held::Other;
    }

    /// Checks a state: lengths, finite numbers, quaternions that can be normalized.
    pub(crate) fn check_state(&self, q: &[f64], v: Option<&[f64]>) -> Result<()> {
        check_state(&self.model, q, v)
    }

    /// The part that queries use. They change nothing of the last step, except the contacts of its forces.
    pub(crate) fn query(&mut self) -> Query<'_> {
        Query {
            model: &self.model,
            options: &self.options,
            params: &mut self.params,
            forces: &mut self.forces,
            asked: &mut self.asked,
            geometry: &mut self.geometry,
            drives: &mut self.pending.drives,
            act: &self.act,
            scene: self.contact.as_mut().map(|c| &mut c.scene),
        }
    }

    /// Computes the recursions at (q, v), with the loads on links ([`Forces::load`]).
    fn update(&mut self, q: &[f64], v: &[f64]) {
        self.dynamics.update(&self.model, &self.params, q, v);
        self.taken().apply_loads();
        self.held = Held::Other;
    }

    /// Places the bodies at q, without velocities and inertias; an error if they are too far away.
    fn update_positions_alone(&mut self, q: &[f64]) -> Result<()> {
        self.dynamics
            .update_motion(&self.model, &self.params, q, None);
        self.held = Held::Other;
        self.check_positions()
    }

    fn check_positions(&self) -> Result<()> {
        check_places(&self.dynamics.kin)
    }

    /// Takes one step. Lengths nq, nv, nu, nq, nv.
    ///
    /// Symplectic Euler with implicit joint damping and springs: (M + h D + h² K)(v⁺ − v) = h (τ(q, v,
    /// u) − b − D v − K (e(q) + h v)), q⁺ = q ⊕ h v⁺. For free joints see [`Integrator`]. The step also
    /// advances the activations ([`Sim::act`]).
    ///
    /// # Errors
    /// `InvalidArgument` for a wrong length or a quaternion far from unit length; `Numerical` for an
    /// argument or result that is not finite, and for tendons and springs so stiff that the result would be
    /// round-off; `Capacity` for too many contacts. Then nothing is written and the memory does not change.
    /// The last step is also kept, unless its contacts had already been replaced.
    pub fn step(
        &mut self,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        q_next: &mut [f64],
        v_next: &mut [f64],
    ) -> Result<()> {
        self.need_single_step()?;
        self.step_on(q, v, u, q_next, v_next)
    }

    /// Refuses multistep schemes, which need more than one state.
    pub(super) fn need_single_step(&self) -> Result<()> {
        match self.formula() {
            Some(formula) if formula.is_multistep() => Err(Error::unsupported(format!(
                "options.integrator: {:?} needs the previous step, which only a rollout has; expected a one-step scheme",
                self.options.integrator
            ))),
            _ => Ok(()),
        }
    }

    /// The formula, if the step ends at its last stage, without impulses.
    pub(super) fn formula(&self) -> Option<Formula> {
        self.implicit.as_ref().and_then(|i| i.formula())
    }

    /// [`Sim::step`] within a trajectory: continues with the integrator's state of the last step.
    pub(crate) fn step_on(
        &mut self,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        q_next: &mut [f64],
        v_next: &mut [f64],
    ) -> Result<()> {
        check_length("q_next", q_next, self.model.nq())?;
        check_length("v_next", v_next, self.model.nv())?;
        self.take(q, v, u, &[])?;
        self.deliver(q_next, v_next);
        Ok(())
    }

    /// Keeps the memory of the last step for the next one, and copies its end out.
    pub(super) fn deliver(&mut self, q_next: &mut [f64], v_next: &mut [f64]) {
        if let Some(c) = &mut self.contact {
            c.remember();
        }
        self.remember_guess();
        let s = &self.state;
        self.carried.copy_from_slice(&s.carried_next);
        self.act.copy_from_slice(&s.drives.next);
        q_next.copy_from_slice(&s.q_next);
        v_next.copy_from_slice(&s.v_next);
    }

    /// Computes the step from (q, v, u), with additional generalized forces `applied` (may be empty), and
    /// makes it the last step. The memory between steps does not change.
    pub(super) fn take(&mut self, q: &[f64], v: &[f64], u: &[f64], applied: &[f64]) -> Result<()> {
        self.begin_take(q, v, u)?;
        // A stage computes recursions at its own state.
        let placed = match self.implicit.is_some() {
            true if are_near(&self.model, &self.params, q) => Ok(()),
            true => self.update_positions_alone(q),
            false => Ok(()),
        };
        let stepped = placed.and_then(|()| self.pending_step(q, v, u, applied));
        self.end_take(stepped, Held::Velocities)?;
        if let Some(implicit) = &mut self.implicit {
            self.held = implicit.accept(self.held);
        }
        Ok(())
    }

    /// Checks the arguments of a step.
    fn begin_take(&mut self, q: &[f64], v: &[f64], u: &[f64]) -> Result<()> {
        self.check_state(q, Some(v))?;
        check_finite("u", u, self.model.nu())?;
        self.check_prescribed()?;
        if self.last == Last::Collide {
            self.last = Last::Nothing;
        }
        self.held = Held::Other;
        Ok(())
    }

    /// True if the recursions of a step may run beside those of other simulations
    /// ([`SideBySide`](super::SideBySide)): explicit steps.
    pub(crate) fn may_run_beside(&self) -> bool {
        let has_rows = self.contact.is_some();
        self.implicit.is_none()
            && self.loads.is_none()
            && self.prescribed.is_empty()
            && self.model.reduction().is_none()
            && self.model.topology().varying.is_empty()
            && !(has_rows && self.model.topology().is_deep())
    }

    /// Whether a step needs placements and velocities of the bodies beyond its free motion.
    fn needs_places(&self) -> bool {
        let is_tree = matches!(self.dynamics.system, System::Definite);
        self.contact.is_some() || !is_tree || !self.forces.act_on_dofs_alone()
    }

    /// Whether A has terms around the tree in this step, whose free motion is then not in a lane. Valid after
    /// [`Sim::push_beside`].
    fn falls_alone(&self) -> bool {
        !self.dynamics.system.is_definite()
    }

    /// Begins a step in this lane.
    pub(super) fn set_out(
        &mut self,
        four: &mut Four,
        lane: usize,
        [q, v, u]: [&[f64]; 3],
    ) -> Result<()> {
        self.begin_take(q, v, u)?;
        let begun = self.begin_pending(q, v, u);
        four.take_state(lane, q, v);
        begun.map_err(|e| self.fail(e))
    }

    /// Computes the applied forces. The lane has placements and velocities.
    pub(super) fn push_beside(&mut self, four: &mut Four, lane: usize) -> Result<()> {
        let pushed = check_place_sums(four.reach(lane)).and_then(|()| {
            if self.needs_places() {
                self.dynamics.take_kinematics(four, lane);
            }
            let mut at = self.stepping(&[]);
            at.load();
            at.start();
            at.push_applied()
        });
        four.take_forces(lane, &self.tau, &self.diagonal);
        four.take_loads(lane, &self.dynamics.external);
        pushed.map(|_| ()).map_err(|e| self.fail(e))
    }

    /// Adds the forces of bodies that rotate freely; the lane has all others.
    pub(super) fn turn_beside(&mut self, four: &mut Four, lane: usize) {
        if self.falls_alone() {
            let (kin, h) = (&self.dynamics.kin, self.options.time_step);
            let at = (self.pending).for_forces(&self.model, &self.params, kin, h);
            return self.forces.add_inertial(&at, &mut self.tau);
        }
        let Some(gyroscopic) = &mut self.forces.gyroscopic else {
            return;
        };
        let (t, kin) = (self.model.topology(), &mut self.dynamics.kin);
        for link in gyroscopic.links() {
            four.write_link(lane, t, link, kin);
        }
        four.write_tau(lane, &mut self.tau);
        let h = self.options.time_step;
        let at = (self.pending).for_forces(&self.model, &self.params, &self.dynamics.kin, h);
        gyroscopic.apply(&at, &mut self.tau);
        four.take_tau(lane, &self.tau);
    }

    /// Ends the step whose free motion is in this lane.
    pub(super) fn arrive(
        &mut self,
        four: &Four,
        lane: usize,
        [q, v]: [&mut [f64]; 2],
    ) -> Result<()> {
        let is_alone = self.falls_alone();
        let mut at = self.stepping(&[]);
        let stepped = match is_alone {
            true => at.land_alone(),
            false => at.land(four, lane),
        };
        let held = match self.needs_places() {
            true => Held::Velocities,
            // The recursions of this simulation are not at this state.
            false => Held::Other,
        };
        self.end_take(stepped, held)?;
        if let (Some(coriolis), false) = (&mut self.forces.coriolis, is_alone) {
            coriolis.leave_beside();
        }
        self.deliver(q, v);
        Ok(())
    }

    /// Makes a step the last one if it has succeeded.
    fn end_take(&mut self, stepped: Result<()>, held: Held) -> Result<()> {
        stepped
            .and_then(|()| self.report_contacts())
            .map_err(|e| self.fail(e))?;
        self.accept(held);
        Ok(())
    }

    /// The error of a step.
    fn fail(&mut self, e: Error) -> Error {
        // The contacts of the last step are gone.
        if self.scene().is_some() {
            self.last = Last::Nothing;
        }
        self.name_crowd(e)
    }

    /// Makes the pending step the last one.
    pub(super) fn accept(&mut self, held: Held) {
        self.pending.label_activations();
        std::mem::swap(&mut self.state, &mut self.pending);
        (self.last, self.held) = (Last::Step, held);
    }

    /// Writes the contact reports of the pending step.
    fn report_contacts(&mut self) -> Result<()> {
        match &mut self.contact {
            Some(c) => c.report(&self.model, &self.pending.v_end),
            None => {
                let (Some(penalty), s) = (&self.forces.penalty, &self.pending) else {
                    return Ok(());
                };
                let place = match &self.implicit {
                    // The last stage of an implicit formula is the end of the step.
                    Some(implicit) if implicit.formula().is_some() => &s.q_next,
                    Some(implicit) => &implicit.pending[0].q,
                    None => &s.q,
                };
                let (kin, h, out) = (
                    &self.dynamics.kin,
                    self.options.time_step,
                    &mut self.geometry,
                );
                report_penalty(penalty, &self.model, kin, h, place, &s.v_end, out)
            }
        }
    }

    /// Computes a step into `pending`. The last step is kept until this one has succeeded.
    fn pending_step(&mut self, q: &[f64], v: &[f64], u: &[f64], applied: &[f64]) -> Result<()> {
        self.begin_pending(q, v, u)?;
        let (mut implicit, theta) = (self.implicit.take(), self.theta.take());
        let mut at = self.stepping(applied);
        let done = match (&mut implicit, &theta) {
            (Some(implicit), Some(theta)) => implicit_stage(&mut at, implicit, theta),
            (Some(implicit), None) => implicit::take(&mut at, implicit),
            _ => explicit(&mut at),
        };
        (self.implicit, self.theta) = (implicit, theta);
        done
    }

    /// Takes the inputs of the pending step.
    pub(super) fn begin_pending(&mut self, q: &[f64], v: &[f64], u: &[f64]) -> Result<()> {
        let s = &mut self.pending;
        s.q.copy_from_slice(q);
        s.v.copy_from_slice(v);
        s.u.copy_from_slice(u);
        s.carried.copy_from_slice(&self.carried);
        (s.drives).take(&self.model, self.options.time_step, u, &self.act)
    }

    /// Replaces the last step's impulses and results by those with complementarity relaxed by κ; Jacobians
    /// are then those of these results. The memory of the next step is not relaxed.
    pub(crate) fn relax_last_step(&mut self, kappa: f64) -> Result<()> {
        if self.formula().is_some() {
            // Without contact there is nothing to relax.
            self.state.info.gradient = Gradient::Smoothed;
            return Ok(());
        }
        let (model, h, s) = (&*self.model, self.options.time_step, &mut self.state);
        if let Some(c) = &mut self.contact {
            c.relax(model, &mut self.dynamics, kappa, &mut s.v_end)?;
            self.prescribed.write(&mut s.v_end);
        }
        for k in 0..model.nv() {
            s.acc[k] = (s.v_end[k] - s.v_start[k]) / h;
        }
        s.advance(model, &*self.integrator, h)?;
        s.info.gradient = Gradient::Smoothed;
        s.only_modes_switch = false;
        let held = self.taken().held();
        self.held = held.min(Held::Velocities);
        Ok(())
    }

    /// Acceleration and contact forces at a state by the laws of a step, without advancing the state.
    /// Lengths nq, nv, nu, nv. Afterwards the step from here is the last step for all queries: contacts
    /// (whose forces are impulses over the time step), modes, info, derivatives. The warm start of the next
    /// step does not change.
    ///
    /// # Errors
    /// As [`Sim::step`].
    pub fn forward(
        &mut self,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        acceleration: &mut [f64],
    ) -> Result<()> {
        self.need_single_step()?;
        check_length("acceleration", acceleration, self.model.nv())?;
        self.take(q, v, u, &[])?;
        self.tell_acceleration(acceleration);
        match all_finite(acceleration) {
            true => Ok(()),
            false => Err(Error::numerical(
                "acceleration: it would not be finite, the state is too large",
            )),
        }
    }

    /// The generalized force τ which, in addition to the forces of a step under inputs u, gives the step
    /// from (q, v) the acceleration a of [`Sim::forward`]. Lengths nq, nv, nu, nv, nv. With u = 0 it is the
    /// force that motors must supply; with [`Actuation::Full`](crate::model::Actuation) it is u.
    ///
    /// The step under τ becomes the last step, for contacts and all other queries. The warm start of the
    /// next step does not change.
    ///
    /// # Errors
    /// As [`Sim::step`]; `Unsupported` for rigid contact laws and for integrators with a stage;
    /// `NotConverged` if no force gives a, because stabilization separates overlapping bodies by other
    /// impulses than the law's.
    pub fn inverse(
        &mut self,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        a: &[f64],
        force: &mut [f64],
    ) -> Result<()> {
        self.taken().need_inverse()?;
        self.check_state(q, Some(v))?;
        check_finite("u", u, self.model.nu())?;
        check_finite("a", a, self.model.nv())?;
        check_length("force", force, self.model.nv())?;
        if self.scene().is_some() {
            // The contacts of the last step are replaced.
            self.last = Last::Nothing;
        }
        self.update(q, v);
        self.check_positions()?;
        let mut applied = std::mem::take(&mut self.applied);
        let done = self.force_for(q, v, u, a, &mut applied);
        if done.is_ok() {
            force.copy_from_slice(&applied);
        }
        self.applied = applied;
        done.map_err(|e| self.name_crowd(e))
    }

    /// Finds the force of [`Sim::inverse`], and takes the step under it.
    fn force_for(
        &mut self,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        a: &[f64],
        force: &mut [f64],
    ) -> Result<()> {
        self.begin_pending(q, v, u)?;
        let mut work = std::mem::take(&mut self.work);
        let found = balance_at(&mut self.stepping(&[]), a, &mut work, force);
        self.work = work;
        found?;
        self.take(q, v, u, force)?;
        let done = check_end(&self.state, self.options.time_step, a);
        if done.is_err() {
            self.forget_step();
        }
        done
    }

    /// The same simulation with a new workspace. It keeps parameters, wrenches, prescribed velocities and
    /// pair filters. Warm starts and the last step are forgotten.
    pub(crate) fn renewed(&self) -> Result<Sim> {
        let parts = Parts {
            integrator: (self.integrator).duplicate(&self.model, self.options.derivatives),
            formula: self.formula(),
            law: match &self.contact {
                Some(c) => c.renewed_law(),
                None => law_of(&self.options),
            },
            forces: self.forces.duplicate_others(),
        };
        let mut sim = Sim::with_parts(self.model.clone(), &self.options, parts)?;
        if let (Some(to), Some(from)) = (sim.scene_mut(), self.scene()) {
            to.filter_as(&self.model, from);
        }
        sim.filter_adhesion();
        sim.drive_as(&self.prescribed);
        sim.select_params(&self.selected)?;
        sim.params = self.params.clone();
        sim.refresh_reduction()?;
        sim.forces.wrenches = self.forces.wrenches.clone();
        sim.forces.copy_feedback(&self.forces);
        sim.refresh_forces();
        sim.refresh_contact()?;
        Ok(sim)
    }

    /// A copy of this simulation: parameters, wrenches, prescribed velocities, pair filters and warm starts
    /// are the same, and so are the bits of all following steps. The last step is not copied.
    ///
    /// # Errors
    /// As [`Sim::new`].
    pub fn duplicate(&self) -> Result<Sim> {
        let mut sim = self.renewed()?;
        let mut warm = vec![0.0; self.memory_size()];
        self.get_memory(&mut warm)?;
        sim.set_memory(&warm)?;
        Ok(sim)
    }

    /// The parts that derivatives of the last step use.
    pub(super) fn taken(&mut self) -> Taken<'_> {
        self.parts().0
    }

    /// The parts that derivatives of the last step use, and their workspace.
    pub(super) fn parts(&mut self) -> (Taken<'_>, Option<&mut Workspace>) {
        let taken = Taken {
            model: &self.model,
            options: &self.options,
            params: &mut self.params,
            integrator: &mut *self.integrator,
            dynamics: &mut self.dynamics,
            state: &mut self.state,
            implicit: self.implicit.as_deref_mut(),
            theta: self.theta.as_deref_mut(),
            contact: self.contact.as_deref_mut(),
            loads: self.loads.as_deref_mut(),
            forces: &mut self.forces,
            split: self.split.as_deref_mut(),
            by_reduction: self.by_reduction.as_deref_mut(),
            prescribed: &mut self.prescribed,
            selected: &self.selected,
            diagonal: &mut self.diagonal,
            tau: &mut self.tau,
            work: &mut self.work,
            held: &mut self.held,
        };
        (taken, self.workspace.as_deref_mut())
    }

    /// The parts that a step uses, with the pending state.
    pub(super) fn stepping<'a>(&'a mut self, applied: &'a [f64]) -> Stepping<'a> {
        Stepping {
            model: &self.model,
            options: &self.options,
            params: &self.params,
            scheme: &*self.integrator,
            dynamics: &mut self.dynamics,
            forces: &mut self.forces,
            prescribed: &mut self.prescribed,
            contact: self.contact.as_deref_mut(),
            loads: self.loads.as_deref_mut(),
            diagonal: &mut self.diagonal,
            tau: &mut self.tau,
            applied,
            s: &mut self.pending,
        }
    }
}

// A simulation may move to another thread.
const _: () = {
    const fn movable<T: Send>() {}
    movable::<Sim>();
};
