//! Solves the contact problem of a step: from the free velocity to the impulses of all contacts that the
//! step can reach.

use super::ContactStage;
use super::dofs::Alone;
use super::request::OfStep;
use crate::constraint::Source;
use crate::contact::certificate::Certificate;
use crate::contact::push_out::PushOut;
use crate::dynamics::Dynamics;
use crate::dynamics::kinematics::twists;
use crate::error::Result;
use crate::model::Model;
use crate::model::params::Params;
use crate::step::contact_kernels::respond;

/// A joint may gain this speed within a step before it passes a limit that was out of reach. The step
/// then repeats with all limits [rad/s or m/s].
const SPECULATIVE_SPEED: f64 = 1.0;

/// Contacts enter the step within the travel of this many steps, at the larger of the links' present
/// speed and their speed without impulses. If impulses make a link faster, the step repeats with the
/// contacts that it could then reach.
const HORIZON_STEPS: f64 = 2.0;

/// The same for compliant contacts. They may be found when they close or glide.
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
        self.outcome = None;
        self.constraints.begin();
        (self.relaxed, self.is_alone) = (None, false);
        for (k, x) in self.v_free.iter_mut().enumerate() {
            *x = v_start[k] + h * acc[k];
        }
        let kin = &dynamics.kin;
        self.scene.place(model, kin);
        self.cords.update(kin, q);
        twists(kin, model, &self.v_free, &mut self.twists);
        let yields = self.constraints.compliance.is_some();
        let horizon = self.horizon();
        (self.scene).speculate(&kin.v, &self.twists, horizon);
        self.scene.begin_meetings(h, &self.twists);
        self.scene.collide(horizon)?;
        let t = model.topology();
        let mut speculative_margin = SPECULATIVE_SPEED * h + self.speculative_margin;
        let allowance = self.allowance;
        let reach = [horizon, speculative_margin];
        let mut before = match self.solve_alone(model, params, dynamics, [q, v], reach, v_end)? {
            Alone::Solved(certificate) => return Ok(certificate),
            Alone::Left(certificate) => certificate,
        };
        let (kin, mass) = (&dynamics.kin, &mut dynamics.mass);
        loop {
            let c = &mut self.constraints;
            c.assemble(
                model,
                params,
                kin,
                &self.scene,
                &self.cords,
                q,
                v,
                &self.v_free,
                h,
                speculative_margin,
            );
            c.regularize(&self.scene, params, v);
            c.condense(t, mass);
            let mut kept = &[][..];
            if yields {
                for (x, (start, free)) in self.kept.iter_mut().zip(v_start.iter().zip(&self.v_free))
                {
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
            let left = allowance.without(&before.spent);
            let mut outcome = self.law.solve(&mut request, &left)?;
            outcome.certificate.add_cost(&before);
            let c = &mut self.constraints;
            respond(c, mass, model, &self.v_free, v_end);
            let mut repeat = false;
            if speculative_margin != f64::INFINITY
                && c.missed_limit(&self.cords, q, v_end, h, 1e-12)
            {
                speculative_margin = f64::INFINITY;
                repeat = true;
            }
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

    /// True if an impulse acts at a contact that may not exist.
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

    /// True if a failure at a higher level of stabilization decided this. The derivative does not
    /// include this decision.
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
