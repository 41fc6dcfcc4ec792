//! Solves the contact problem of a step: from the free velocity to the impulses of all contacts that the
//! step can reach.

use super::ContactStage;
use super::dofs::Alone;
use super::request::OfStep;
use crate::constraint::Source;
use crate::contact::certificate::Certificate;
use crate::contact::law::Outcome;
use crate::contact::push_out::PushOut;
use crate::dynamics::Dynamics;
use crate::dynamics::kinematics::{Kinematics, twists};
use crate::error::Result;
use crate::model::Model;
use crate::model::params::Params;
use crate::step::contact_kernels::respond;

/// Limits that a joint can reach with this additional speed get rows [rad/s or m/s]. If a joint passes a
/// limit without a row, the step repeats with all limits.
const SPECULATIVE_SPEED: f64 = 1.0;

/// Contacts enter the step within the travel of this many steps, at the larger of the links' present
/// speed and their speed without impulses. If impulses make a link faster, the step repeats with the
/// contacts that it could then reach.
const HORIZON_STEPS: f64 = 2.0;

/// The same for compliant contacts. A shorter horizon is enough: they may overlap before they are found.
const COMPLIANT_HORIZON_STEPS: f64 = 1.0;

impl ContactStage {
    /// Computes the velocity at the end of the step from the factored matrix, the velocity without
    /// forces and the free acceleration.
    ///
    /// # Errors
    /// `Capacity` for too many contacts, `Numerical` if the problem is not finite.
    pub fn solve(
        &mut self,
        model: &Model,
        params: &Params,
        dynamics: &mut Dynamics,
        q: &[f64],
        v: &[f64],
        v_start: &[f64],
        acc: &[f64],
        v_end: &mut [f64],
    ) -> Result<Certificate> {
        let h = self.constraints.time_step();
        self.collide(model, &dynamics.kin, q, v_start, acc)?;
        let mut speculative_margin = SPECULATIVE_SPEED * h + self.speculative_margin;
        let reach = [self.horizon(), speculative_margin];
        let mut before = match self.solve_alone(model, params, dynamics, [q, v], reach, v_end)? {
            Alone::Solved(certificate) => return Ok(certificate),
            Alone::Left(certificate) => certificate,
        };
        loop {
            self.assemble(model, params, dynamics, [q, v], speculative_margin);
            let mut outcome = self.apply_law(model, dynamics, [v, v_start], &before, v_end)?;
            outcome.certificate.add_cost(&before);
            let c = &mut self.constraints;
            respond(c, &mut dynamics.mass, model, &self.v_free, v_end);
            let mut repeat = false;
            if speculative_margin != f64::INFINITY
                && c.missed_limit(&self.paths, q, v_end, h, 1e-12)
            {
                speculative_margin = f64::INFINITY;
                repeat = true;
            }
            repeat |= self.missed_contact(model, &dynamics.kin, v_end)?;
            before = outcome.certificate;
            if repeat && before.converged {
                self.constraints.keep_round();
            }
            if !repeat {
                self.outcome = Some(outcome);
                return Ok(before);
            }
        }
    }

    /// Collision: finds the contacts that the step can reach at its free velocity v̂₀ + h a.
    fn collide(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        q: &[f64],
        v_start: &[f64],
        acc: &[f64],
    ) -> Result<()> {
        let h = self.constraints.time_step();
        self.outcome = None;
        self.constraints.begin();
        (self.relaxed, self.is_alone) = (None, false);
        for (k, x) in self.v_free.iter_mut().enumerate() {
            *x = v_start[k] + h * acc[k];
        }
        self.scene.place(model, kin);
        self.paths.update(kin, q);
        twists(kin, model, &self.v_free, &mut self.twists);
        let horizon = self.horizon();
        (self.scene).speculate(&kin.v, &self.twists, horizon);
        self.scene.begin_meetings(h, &self.twists);
        self.scene.collide(horizon)?;
        Ok(())
    }

    /// Rows: J, their targets, and G = J A⁻¹ Jᵀ.
    fn assemble(
        &mut self,
        model: &Model,
        params: &Params,
        dynamics: &mut Dynamics,
        [q, v]: [&[f64]; 2],
        speculative_margin: f64,
    ) {
        let c = &mut self.constraints;
        let h = c.time_step();
        c.assemble(
            model,
            params,
            &dynamics.kin,
            &self.scene,
            &self.paths,
            q,
            v,
            &self.v_free,
            h,
            speculative_margin,
        );
        c.regularize(&self.scene, params, v);
        c.condense(model.topology(), &dynamics.mass);
    }

    /// Law: the impulses, within the work that `before` has left.
    fn apply_law(
        &mut self,
        model: &Model,
        dynamics: &mut Dynamics,
        [v, v_start]: [&[f64]; 2],
        before: &Certificate,
        v_end: &mut [f64],
    ) -> Result<Outcome> {
        let (t, mass, c) = (model.topology(), &mut dynamics.mass, &mut self.constraints);
        let mut kept = &[][..];
        if c.compliance.is_some() {
            for (x, (start, free)) in self.kept.iter_mut().zip(v_start.iter().zip(&self.v_free)) {
                *x = start - free;
            }
            c.rows.coordinates(t, mass, &mut self.kept);
            kept = c.turn(t, &mut self.kept);
        }
        let mut request = OfStep {
            c,
            model,
            mass,
            v,
            v_free: &self.v_free,
            kept,
            v_end,
            v_pulled: &mut self.v_pulled,
        };
        let left = self.work_budget.without(&before.spent);
        self.law.solve(&mut request, &left)
    }

    /// Finds contacts that were missing at the velocity at the end. True if the step must repeat with them.
    fn missed_contact(&mut self, model: &Model, kin: &Kinematics, v_end: &[f64]) -> Result<bool> {
        let (horizon, h) = (self.horizon(), self.constraints.time_step());
        let mut repeat = false;
        twists(kin, model, v_end, &mut self.twists);
        if (self.scene).misses(&self.twists, [horizon, h])? {
            repeat |= self.scene.collide(horizon)?;
        }
        repeat |= match self.scene.sets_aside() {
            true => self.scene.meet(&self.twists)?,
            false => {
                let doubts = self.is_in_doubt();
                if doubts {
                    self.scene.set_aside()?;
                }
                doubts
            }
        };
        Ok(repeat)
    }

    /// True if an impulse acts at a predicted contact that may not be a contact at the end of the step.
    fn is_in_doubt(&mut self) -> bool {
        let c = &self.constraints;
        for (group, source) in c.sources.iter().enumerate() {
            if let Source::Contact(i) = *source
                && c.impulse(group).0[c.range(group).len() - 1] > 0.0
                && self.scene.doubts(i)
            {
                return true;
            }
        }
        false
    }

    /// Contacts that may close within this time enter a step [s].
    pub(super) fn horizon(&self) -> f64 {
        let steps = match self.constraints.compliance {
            Some(_) => COMPLIANT_HORIZON_STEPS,
            None => HORIZON_STEPS,
        };
        self.constraints.time_step() * steps
    }

    /// True if the last step was not taken with full stabilization.
    pub fn gave_up_push_out(&self) -> bool {
        self.constraints.push_out() != PushOut::Full
    }

    /// True if a failure at a higher level of stabilization led to this level. The derivative does not
    /// include this choice.
    pub fn yielded(&self) -> bool {
        self.outcome.is_some_and(|o| o.yielded)
    }

    /// Distance of the last step to the nearest kink of the stabilization ([`Constraints::kink_distance`]).
    ///
    /// [`Constraints::kink_distance`]: crate::constraint::Constraints::kink_distance
    pub fn kink_distance(&self) -> f64 {
        let beside = self.outcome.and_then(|o| o.beside);
        self.constraints.kink_distance(beside)
    }
}
