//! Solves the contact problem of a step: from the free velocity to the impulses of all contacts that the
//! step can reach.

use super::ContactStage;
use super::dofs::Alone;
use super::request::OfStep;
use crate::constraint::{DofsAlone, Free, Source};
use crate::contact::certificate::Certificate;
use crate::contact::law::Outcome;
use crate::dynamics::Dynamics;
use crate::dynamics::factors::Factors;
use crate::dynamics::kinematics::{Kinematics, twists};
use crate::error::Result;
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::Topology;
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

/// Rounds in vain with bounds of dofs without rows, before all of them become rows.
const ALONE_ROUNDS: usize = 2;

/// Work of a round with bounds of dofs without rows, in factorizations of its problem. With the dofs that
/// are locked, push-out may have no solution.
const ALONE_WORK: f64 = 12.0;

/// The largest share of the remaining work for such a round.
const ALONE_SHARE: f64 = 0.05;

/// The factors of A with which a round is solved.
fn factors<'a>(alone: &'a mut Option<DofsAlone>, all: &'a mut Factors) -> &'a mut Factors {
    alone.as_mut().map_or(all, DofsAlone::factors)
}

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
        let speculative_margin = SPECULATIVE_SPEED * h + self.speculative_margin;
        let reach = [self.horizon(), speculative_margin];
        let before = match self.solve_alone(model, params, dynamics, [q, v], reach, v_end)? {
            Alone::Solved(certificate) => return Ok(certificate),
            Alone::Left(certificate) => certificate,
        };
        let mut alone = self.take_out(model, params, dynamics, [q, v]);
        let found = self.solve_rounds(
            model,
            params,
            dynamics,
            [q, v, v_start],
            speculative_margin,
            before,
            &mut alone,
            v_end,
        );
        if let Some(own) = alone {
            self.constraints.put_back(own);
        }
        found
    }

    /// Solves the rows that the step needs, until none is missing. `before` is the cost so far.
    fn solve_rounds(
        &mut self,
        model: &Model,
        params: &Params,
        dynamics: &mut Dynamics,
        [q, v, v_start]: [&[f64]; 3],
        mut speculative_margin: f64,
        mut before: Certificate,
        alone: &mut Option<DofsAlone>,
        v_end: &mut [f64],
    ) -> Result<Certificate> {
        let (t, h) = (model.topology(), self.constraints.time_step());
        let Dynamics { kin, mass, .. } = dynamics;
        let mut vain = 0;
        loop {
            let own = factors(alone, mass);
            self.assemble(model, params, (kin, own), [q, v], speculative_margin);
            let is_felt = |own: &DofsAlone| self.constraints.moves_free_dofs(own);
            if alone.as_ref().is_some_and(|own| !is_felt(own)) {
                self.constraints.no_dofs_alone();
                self.take_out_again(t, alone);
                continue;
            }
            let has_rows = alone.is_none();
            let own = factors(alone, mass);
            let mut outcome = self.apply_law(model, own, has_rows, [v, v_start], &before, v_end)?;
            outcome.certificate.add_cost(&before);
            let without = match has_rows {
                true => &self.v_free,
                false => &self.v_without,
            };
            respond(&self.constraints, own, model, without, v_end);
            let c = &mut self.constraints;
            if let Some(own) = alone {
                let at = Free {
                    q,
                    v,
                    v_free: &self.v_free,
                };
                let certificate = &mut outcome.certificate;
                let is_solved = certificate.converged && !outcome.yielded;
                let at = (at, speculative_margin);
                if !(is_solved && c.append_alone(own, t, at, v_end, certificate)) {
                    before = *certificate;
                    vain += 1;
                    if is_solved {
                        c.keep_round();
                    }
                    if !is_solved || vain == ALONE_ROUNDS {
                        c.no_dofs_alone();
                    }
                    self.take_out_again(t, alone);
                    continue;
                }
            }
            before = outcome.certificate;
            c.keep_levels();
            let mut repeat = false;
            if speculative_margin != f64::INFINITY
                && c.missed_limit(&self.paths, q, v_end, h, 1e-12)
            {
                speculative_margin = f64::INFINITY;
                repeat = true;
            }
            repeat |= self.missed_contact(model, kin, v_end)?;
            if !repeat {
                self.outcome = Some(outcome);
                return Ok(before);
            }
            if before.converged {
                self.constraints.keep_round();
            }
            self.take_out_again(t, alone);
        }
    }

    /// Prepares the dofs without rows for another round.
    fn take_out_again(&mut self, t: &Topology, alone: &mut Option<DofsAlone>) {
        let (c, free, without) = (&mut self.constraints, &self.v_free, &mut self.v_without);
        *alone = alone
            .take()
            .and_then(|own| c.take_out_again(own, t, free, without));
    }

    /// Takes bounds of dofs out of the rows, for a law whose solutions can be completed.
    fn take_out(
        &mut self,
        model: &Model,
        params: &Params,
        dynamics: &Dynamics,
        [q, v]: [&[f64]; 2],
    ) -> Option<DofsAlone> {
        // Friction by load is iterated: the impulses must be continuous in it.
        self.tolerance
            .filter(|_| model.load_friction().next().is_none())?;
        let at = Free {
            q,
            v,
            v_free: &self.v_free,
        };
        let (t, c) = (model.topology(), &mut self.constraints);
        c.take_out((t, params), &dynamics.mass, at, &mut self.v_without)
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
        if self.scene.expects_doubts() {
            self.scene.set_aside()?;
        }
        Ok(())
    }

    /// Rows: J, their targets, and G = J A⁻¹ Jᵀ.
    fn assemble(
        &mut self,
        model: &Model,
        params: &Params,
        (kin, mass): (&Kinematics, &Factors),
        [q, v]: [&[f64]; 2],
        speculative_margin: f64,
    ) {
        let c = &mut self.constraints;
        let h = c.time_step();
        c.assemble(
            model,
            params,
            kin,
            &self.scene,
            &self.paths,
            q,
            v,
            &self.v_free,
            h,
            speculative_margin,
        );
        c.regularize(&self.scene, params, v);
        c.condense(model.topology(), mass);
    }

    /// Law: the impulses, within the work that `before` has left. `has_rows` is false if some
    /// bounds of dofs have no rows; `mass` then holds the factors of A without the locked dofs.
    fn apply_law(
        &mut self,
        model: &Model,
        mass: &mut Factors,
        has_rows: bool,
        [v, v_start]: [&[f64]; 2],
        before: &Certificate,
        v_end: &mut [f64],
    ) -> Result<Outcome> {
        let mut left = self.work_budget.without(&before.spent);
        let mut v_free = &self.v_free;
        if !has_rows {
            left.work = ALONE_WORK.min(ALONE_SHARE * left.work);
            v_free = &self.v_without;
        }
        let (t, c) = (model.topology(), &mut self.constraints);
        let mut kept = &[][..];
        if c.compliance.is_some() {
            for (x, (start, free)) in self.kept.iter_mut().zip(v_start.iter().zip(v_free)) {
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
            v_free,
            kept,
            v_end,
            v_pulled: &mut self.v_pulled,
        };
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
        Ok(repeat || self.scene.hold_middles(&self.twists)?)
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
        self.constraints.gave_up_push_out()
    }

    /// Distance of the last step to the nearest kink of the stabilization ([`Constraints::kink_distance`]).
    ///
    /// [`Constraints::kink_distance`]: crate::constraint::Constraints::kink_distance
    pub fn kink_distance(&self) -> f64 {
        self.constraints.kink_distance()
    }
}
