//! Solves steps in which every row acts on a single dof (limits, dry friction) as bounds of these dofs.
//! Converts the solution to rows when rows are needed.

use super::{ContactStage, respond, solved_by};
use crate::constraint::Free;
use crate::contact::certificate::{Certificate, Path};
use crate::contact::law::{Outcome, Verdict};
use crate::contact::relaxed::Relaxed;
use crate::dynamics::Dynamics;
use crate::dynamics::coupling::Coupling;
use crate::dynamics::factors::Factors;
use crate::dynamics::kinematics::twists;
use crate::error::Result;
use crate::model::Model;
use crate::model::params::Params;

/// The result of solving a step by bounds of single dofs.
pub(super) enum Alone {
    Solved(Certificate),
    /// The step must be solved by rows. The certificate contains the work spent so far.
    Left(Certificate),
}

impl ContactStage {
    /// Solves a step as bounds of single dofs, if it has no contacts. Limits within `reach` get groups.
    /// Place the scene before, and search it within this horizon.
    pub(super) fn solve_alone(
        &mut self,
        model: &Model,
        params: &Params,
        dynamics: &mut Dynamics,
        [q, v]: [&[f64]; 2],
        [horizon, reach]: [f64; 2],
        v_end: &mut [f64],
    ) -> Result<Alone> {
        let nothing = Certificate::new(Path::Empty);
        let nothing_near = self.scene.contacts().is_empty() && !self.scene.sets_aside();
        let (Some(tolerance), true) = (self.tolerance, nothing_near) else {
            return Ok(Alone::Left(nothing));
        };
        let (t, c) = (model.topology(), &mut self.constraints);
        let at = Free {
            q,
            v,
            v_free: &self.v_free,
        };
        let budget = (&self.work_budget, tolerance);
        let found = c.solve_dofs((t, params), &dynamics.mass, at, reach, budget, v_end);
        let Some(certificate) = found else {
            return Ok(Alone::Left(nothing));
        };
        twists(&dynamics.kin, model, v_end, &mut self.twists);
        let h = self.constraints.time_step();
        if (self.scene).misses(&self.twists, [horizon, h])? && self.scene.collide(horizon)? {
            return Ok(Alone::Left(certificate));
        }
        self.outcome = Some(Outcome::full(certificate));
        self.is_alone = true;
        Ok(Alone::Solved(certificate))
    }

    /// Converts the solution of the last step to that of a problem of rows, if it is not one yet. `mass`
    /// holds the factors of its A.
    pub(in crate::step) fn complete_rows(&mut self, model: &Model, mass: &Factors) -> Result<()> {
        let c = &mut self.constraints;
        let Some(outcome) = self.outcome.filter(|_| c.is_deferred()) else {
            return Ok(());
        };
        c.complete(model.topology(), mass, &self.scene);
        let c = &self.constraints;
        if !outcome.certificate.converged {
            return Ok(());
        }
        (self.law).adopt(&c.problem(), &c.lambda, &c.modes, outcome.certificate)
    }

    /// The verdict on the derivative of a step that was solved as bounds of single dofs; `None` for
    /// other steps.
    pub(super) fn verdict_alone(&self) -> Option<Verdict> {
        let outcome = self
            .outcome
            .filter(|_| self.is_alone && self.relaxed.is_none())?;
        Some(match outcome.certificate.at_switch {
            true => Verdict::OneSided,
            false => Verdict::Exact,
        })
    }

    /// Replaces the last solution by the one on the central path.
    pub fn relax(
        &mut self,
        model: &Model,
        dynamics: &mut Dynamics,
        kappa: f64,
        v_end: &mut [f64],
    ) -> Result<()> {
        self.complete_rows(model, &dynamics.mass)?;
        let c = &mut self.constraints;
        let mut relaxed = Box::new(Relaxed::new(kappa));
        let posed = c.posed(&[]);
        relaxed.relax(&posed.problem, posed.lambda)?;
        respond(c, &mut dynamics.mass, model, &self.v_free, v_end);
        self.relaxed = Some(relaxed);
        Ok(())
    }

    /// True if the active constraints are known to be independent of each other, so that impulses are
    /// unique.
    pub fn independent(&mut self) -> Result<bool> {
        if !self.has_rows() {
            return Ok(true);
        }
        if self.constraints.is_deferred() {
            let redundant = self.outcome.is_some_and(|o| o.certificate.redundant);
            return Ok(!redundant && !self.constraints.holds_twice());
        }
        let problem = self.constraints.problem();
        let law = solved_by(&mut self.law, &mut self.relaxed);
        law.linearize(&problem)?.is_unique(&problem)
    }

    /// Joins the trees on which rows of the last step act together.
    pub fn couple(&self, coupling: &mut Coupling) {
        let c = &self.constraints;
        if self.relaxed.is_some() || !self.law.is_local() {
            return coupling.join_all();
        }
        // Bounds of single dofs join no trees.
        for group in 0..c.rows.in_use() {
            if let [Some(a), Some(b)] = c.rows.trees(group) {
                coupling.join(a, b);
            }
        }
    }
}
