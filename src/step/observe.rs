//! Queries of the last step, and the scene in which its contacts are.

use super::contact::ContactReport;
use super::info::{StepInfo, check_length};
use super::loads::refuse_with_loads;
use super::sim::Sim;
use super::state::Last;
use crate::collision::scene::Scene;
use crate::constraint::{Along, Source};
use crate::contact::mode::Mode;
use crate::error::{Error, Result, Status};
use crate::spatial::{Vec3, Wrench};

/// The last step of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct LastStep<'a> {
    /// State at the start.
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
    /// Contacts of the last step or [`Sim::collide`], in the order of the pairs of geoms; empty before
    /// either.
    pub fn contacts(&self) -> &[ContactReport] {
        match (self.last, &self.contact) {
            (Last::Step, Some(c)) => c.reports(),
            (Last::Step, None) if self.forces.penalty.is_none() => &[],
            (Last::Step | Last::Collide, _) => self.geometry.contacts(),
            (Last::Nothing, _) => &[],
        }
    }

    /// Modes of all constraints of the last step, in this order: contacts; limits of joints (in their
    /// order) and of tendons, if within reach; dry friction of joints and of tendons; active springs and
    /// dampers of tendons; every row of the equalities and of springs.
    pub fn constraint_modes(&self) -> &[Mode] {
        match &self.contact {
            Some(c) if self.last == Last::Step => &c.constraints.modes,
            _ => &[],
        }
    }

    /// Facts about the last step.
    pub fn step_info(&self) -> Result<StepInfo> {
        if self.last == Last::Step {
            Ok(self.facts())
        } else {
            Err(Error::no_step("no step has been taken"))
        }
    }

    fn facts(&self) -> StepInfo {
        let (deepest, too_deep) = self.geometry.deepest(self.contacts());
        StepInfo {
            deepest,
            too_deep,
            near_singular: self.model.near_singular(&self.state.q),
            ..self.state.info
        }
    }

    /// The last step.
    ///
    /// # Errors
    /// `NoStep` before a step, or if the simulation has been changed since.
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
            info: self.facts(),
        })
    }

    /// The state (q, v) at the start and at the end of the last step.
    pub(crate) fn ends(&self) -> [[&[f64]; 2]; 2] {
        let s = &self.state;
        [[&s.q, &s.v], [&s.q_next, &s.v_next]]
    }

    /// The acceleration of the last step.
    pub(crate) fn tell_acceleration(&self, out: &mut [f64]) {
        let (s, h) = (&self.state, self.options.time_step);
        match self.formula() {
            None => out.copy_from_slice(&s.acc),
            Some(_) => {
                for (a, (next, v)) in out.iter_mut().zip(s.v_next.iter().zip(&s.v)) {
                    *a = (next - v) / h;
                }
            }
        }
    }

    /// Generalized impulses [N s or N m s] that enforced the prescribed velocities in the last step, in
    /// addition to all forces and constraints of the step; zero for other dofs. nv entries. Limits and dry
    /// friction of a prescribed dof itself are not included.
    ///
    /// # Errors
    /// `NoStep` before a step; `InvalidArgument` for a wrong length; `Unsupported` with integrators other
    /// than the two symplectic Euler schemes; `Numerical` if an impulse is not finite.
    pub fn prescribed_impulses(&mut self, out: &mut [f64]) -> Result<()> {
        check_length("impulse", out, self.model.nv())?;
        if self.last != Last::Step {
            return Err(Error::no_step("no step has been taken"));
        }
        if self.implicit.is_some() {
            return Err(Error::unsupported(format!(
                "options.integrator: impulses of prescribed dofs are available with SymplecticEuler and SymplecticEulerWorld, got {:?}",
                self.options.integrator
            )));
        }
        if self.prescribed.is_empty() {
            out.fill(0.0);
            return Ok(());
        }
        let h = self.options.time_step;
        let mut balance = std::mem::take(&mut self.work);
        let done = self.taken().unheld_balance(&mut balance);
        let is_sound = self.prescribed.dofs().all(|k| (h * balance[k]).is_finite());
        if done.is_ok() && is_sound {
            out.fill(0.0);
            for k in self.prescribed.dofs() {
                out[k] = h * balance[k];
            }
        }
        self.work = balance;
        match is_sound {
            true => done,
            false => done.and(Err(Error::numerical(
                "an impulse that holds a prescribed dof is not finite",
            ))),
        }
    }

    /// Total contact wrench (force; moment) on every body in the last step or [`Sim::forward`], with
    /// impulses over the time step as forces: 6 × nbody, world axes, at the bodies' origins [N, N m]; for
    /// the world at its own origin.
    ///
    /// # Errors
    /// `NoStep` before a step; `InvalidArgument` for a wrong length.
    pub fn body_contact_wrenches(&mut self, wrenches: &mut [f64]) -> Result<()> {
        self.need_taken()?;
        check_length("wrenches", wrenches, 6 * self.model.nbody())?;
        let d = &mut self.asked.dynamics;
        d.update_motion(&self.model, &self.params, &self.state.q, None);
        wrenches.fill(0.0);
        let (model, kin, rate) = (
            &*self.model,
            &self.asked.dynamics.kin,
            1.0 / self.options.time_step,
        );
        for c in self.contacts() {
            let (force, torque) = (c.force_on_b(rate), c.torque_on_b(rate));
            let point = Vec3::from_slice(&c.point);
            for (body, sign) in c.body.into_iter().zip([-1.0, 1.0]) {
                let arm = point - kin.body_pose(model, body).pos;
                let sum = &mut wrenches[6 * body..6 * body + 6];
                let torsion = Wrench::new(Vec3::ZERO, torque * sign);
                let w = Wrench::from_slice(sum) + Wrench::of_force_at(force * sign, arm) + torsion;
                sum.copy_from_slice(&w.to_array());
            }
        }
        Ok(())
    }

    /// Impulse of the last step on the limits of a dof or of a tendon's length [N s or N m s].
    pub(crate) fn impulse_of_limit(&self, of: Along) -> f64 {
        let Some(c) = &self.contact else {
            return 0.0;
        };
        let c = &c.constraints;
        let bounds = c
            .sources
            .iter()
            .enumerate()
            .filter(|(_, s)| matches!(s, Source::Limit { along, .. } if *along == of));
        bounds.map(|(group, _)| c.impulse(group).0[0]).sum()
    }

    /// The wrench (force; moment) set on a body, world axes at the body's origin [N, N m].
    pub fn external_wrench(&self, body: usize) -> [f64; 6] {
        self.forces.wrenches.get(body)
    }

    /// The steps' scene, if they have contacts.
    pub(crate) fn scene(&self) -> Option<&Scene> {
        let stage = self.contact.as_ref().map(|c| &c.scene);
        stage.or(self.forces.penalty.as_ref().map(|p| &p.scene))
    }

    pub(super) fn scene_mut(&mut self) -> Option<&mut Scene> {
        let stage = self.contact.as_mut().map(|c| &mut c.scene);
        stage.or(self.forces.penalty.as_mut().map(|p| &mut p.scene))
    }

    /// Copies the user's pair filters from the steps' scene to the adhesion's scene.
    pub(crate) fn filter_adhesion(&mut self) {
        let stage = self.contact.as_ref().map(|c| &c.scene);
        let forces = &mut self.forces;
        let of_steps = stage.or(forces.penalty.as_ref().map(|p| &p.scene));
        if let (Some(adhesion), Some(of_steps)) = (&mut forces.adhesion, of_steps) {
            adhesion.scene.filter_as(&self.model, of_steps);
        }
    }

    /// The error of a search that found too many contacts, with the geoms that have most of them.
    pub(crate) fn name_crowd(&self, e: Error) -> Error {
        if e.status != Status::Capacity {
            return e;
        }
        // Adhesion is searched first.
        let adhesion = self.forces.adhesion.as_ref().map(|a| &a.scene);
        let scene = self.scene().or(self.geometry.scene.as_deref());
        let mut scenes = adhesion.into_iter().chain(scene);
        scenes.find_map(|s| s.crowd(&self.model)).unwrap_or(e)
    }

    /// Places links at the configuration where the contacts of [`Sim::contacts`] were found. True if the
    /// scene still holds them. Only contacts with rows stay in the scene. Other contacts are in `geometry`
    /// only, because forces at other states use the same scene.
    pub(crate) fn place_contacts(&mut self) -> bool {
        let of_step = self.last == Last::Step;
        let of_rows = of_step && self.contact.is_some();
        // A stage finds contacts at its own configuration.
        if of_step && !of_rows && self.implicit.is_some() {
            // The query moves the scene of the forces.
            self.forces.contacts_moved = true;
        }
        let q = match of_rows {
            true => &self.state.q,
            false => &self.geometry.q,
        };
        (self.asked.dynamics).update_motion(&self.model, &self.params, q, None);
        of_rows
    }

    /// Refuses a computation that does not support friction by load.
    pub(crate) fn refuse_with_loads(&self, what: &str) -> Result<()> {
        refuse_with_loads(self.loads.as_deref(), &self.model, what)
    }

    pub(crate) fn need_contacts(&self) -> Result<()> {
        if self.last != Last::Nothing {
            Ok(())
        } else {
            Err(Error::no_step("neither a step nor collide has been done"))
        }
    }
}
