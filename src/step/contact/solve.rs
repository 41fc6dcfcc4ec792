//! From a free velocity to impulses: with the contacts that the step can reach, and as much push-out as has a solution.

use super::ContactStage;
use crate::constraint::PushOut;
use crate::contact::certificate::{Certificate, Path};
use crate::contact::convex::ConvexOptions;
use crate::contact::ladder::{Allowance, DEMANDS, Demand};
use crate::contact::law::Law;
use crate::contact::ncp::NcpOptions;
use crate::dynamics::Dynamics;
use crate::dynamics::factors::Factors;
use crate::dynamics::kinematics::twists;
use crate::error::Result;
use crate::model::Model;
use crate::model::params::Params;
use crate::step::contact_kernels::respond;

/// A body may gain this speed within a step before a limit that was out of reach is passed; the step
/// then repeats with all limits [rad/s or m/s].
const SPECULATIVE_SPEED: f64 = 1.0;

/// Contacts enter the step at this many steps' travel, at the larger of the speeds that the links have
/// and would have without impulses. Where impulses make one faster than that the step repeats with
/// the contacts it could then reach.
const HORIZON_STEPS: f64 = 2.0;

/// The same of compliant contacts, which may be found when they are closed.
const COMPLIANT_HORIZON_STEPS: f64 = 1.0;

/// When bodies jam, so many steps take pains to push them out by rigid rows, and then one in so many; one of fewer tries
/// it briefly, and the others begin with what the last one did.
const FIRST_PAINS: u8 = 2;
const TRIES: u8 = 8;
const PAINS: u8 = 128;

impl ContactStage {
    /// Velocity at the end from the factored matrix, the velocity without forces and the free acceleration.
    ///
    /// # Errors
    /// `Capacity` for too many contacts, `Numerical` where the problem is not finite.
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
        let h = self.stabilization.h;
        self.certificate = None;
        self.relaxed = None;
        for (k, x) in self.v_free.iter_mut().enumerate() {
            *x = v_start[k] + h * acc[k];
        }
        let (kin, mass) = (&dynamics.kin, &mut dynamics.mass);
        self.scene.place(model, kin);
        twists(kin, model, &self.v_free, &mut self.twists);
        let horizon = h * match self.law {
            Law::Ncp(_) => HORIZON_STEPS,
            Law::Convex(_) => COMPLIANT_HORIZON_STEPS,
        };
        (self.scene).speculate(&kin.v, &self.twists, horizon);
        self.scene.collide(horizon)?;
        let t = model.topology();
        let mut speculative_margin = SPECULATIVE_SPEED * h + self.speculative_margin;
        let allowance = self.options.allowance();
        let mut before = Certificate::new(Path::Empty);
        let mut kept = 0;
        loop {
            let c = &mut self.constraints;
            c.assemble(
                model,
                params,
                kin,
                &self.scene,
                q,
                v,
                &self.v_free,
                h,
                speculative_margin,
            );
            c.regularize(&self.scene, params, v, &self.desired);
            c.condense(t, mass);
            if let Law::Convex(_) = self.law {
                for (x, (start, free)) in self.kept.iter_mut().zip(v_start.iter().zip(&self.v_free))
                {
                    *x = start - free;
                }
                c.rows.coordinates(t, mass, &mut self.kept);
                kept = c.turn(t, &mut self.kept).len();
            }
            let left = allowance.without(&before.spent);
            let mut certificate = self.solve_condensed(model, mass, v, v_end, kept, &left)?;
            certificate.add_work(&before);
            certificate.spent.add(&before.spent);
            let c = &mut self.constraints;
            respond(c, mass, model, &self.v_free, v_end);
            let mut repeat = false;
            if speculative_margin != f64::INFINITY && c.missed_limit(q, v_end, h, 1e-12) {
                speculative_margin = f64::INFINITY;
                repeat = true;
            }
            twists(kin, model, v_end, &mut self.twists);
            if (self.scene).misses(&self.twists, [horizon, h])? {
                repeat |= self.scene.collide(horizon)?;
            }
            before = certificate;
            if !repeat {
                self.certificate = Some(certificate);
                return Ok(certificate);
            }
        }
    }

    /// Impulses of the condensed problem. Where friction jams bodies no impulse may push them apart: in a problem that
    /// is not solved the violated rows yield, which always has a solution ([`PushOut`]); and so in one whose
    /// solution throws what is pinched. While that lasts, only some steps take pains over rigid rows. Uses
    /// `v_end`; `kept` is the number of coordinates of the velocity before the step.
    fn solve_condensed(
        &mut self,
        model: &Model,
        mass: &mut Factors,
        v: &[f64],
        v_end: &mut [f64],
        kept: usize,
        allowance: &Allowance,
    ) -> Result<Certificate> {
        let full = self.full_push_out();
        let c = &mut self.constraints;
        self.stabilization = self.desired;
        self.yielded = false;
        let jam = c.jam();
        let solver = match &mut self.law {
            Law::Ncp(solver) => solver,
            // Always has a solution, with push-out for what it does not throw.
            Law::Convex(solver) => {
                let kept = &self.kept[..kept];
                let mut thrown = Certificate::new(Path::Empty);
                loop {
                    c.stabilize(v, &self.v_free, &self.stabilization);
                    c.warm_start();
                    let left = allowance.without(&thrown.spent);
                    let options = ConvexOptions {
                        tolerance: self.options.tolerance,
                        max_iterations: left.newton_steps(),
                    };
                    let (problem, r, lambda, modes) = c.convex_problem_and_solution();
                    let mut found = solver.solve(&problem, r, kept, lambda, modes, &options)?;
                    found.spent.spend(found.newton, 1.0);
                    found.add_work(&thrown);
                    found.spent.add(&thrown.spent);
                    if !c.may_throw(&self.stabilization) {
                        return Ok(found);
                    }
                    respond(c, mass, model, &self.v_free, v_end);
                    if !c
                        .levers
                        .throws(self.stabilization.push_out, v, &self.v_free, v_end)
                    {
                        return Ok(found);
                    }
                    thrown = found;
                    self.yielded = true;
                    self.stabilization = self.desired.limited_to(PushOut::Slow);
                }
            }
        };
        if full.is_none() && c.fallback(&self.desired).is_some() {
            self.stabilization = self.desired.limited_to(jam.push_out);
        }
        let full = full.unwrap_or(DEMANDS.jammed);
        let mut failed = Certificate::new(Path::Empty);
        loop {
            c.stabilize(v, &self.v_free, &self.stabilization);
            c.warm_start();
            let fallback = c.fallback(&self.stabilization);
            let demand = match (fallback, self.stabilization.push_out) {
                (None, _) => DEMANDS.least,
                (_, PushOut::Full) => full,
                _ => DEMANDS.soft,
            };
            let left = allowance.without(&failed.spent);
            let options = NcpOptions {
                effort: demand.effort,
                ..self.options.within(&left.share(demand.share))
            };
            let (problem, lambda, modes) = c.problem_and_solution();
            let mut certificate = solver.solve(&problem, lambda, modes, &options)?;
            let throws = certificate.converged && c.may_throw(&self.stabilization) && {
                respond(c, mass, model, &self.v_free, v_end);
                c.levers
                    .throws(self.stabilization.push_out, v, &self.v_free, v_end)
            };
            match fallback {
                Some(less) if !certificate.converged || throws => {
                    failed.add_work(&certificate);
                    failed.spent.add(&certificate.spent);
                    self.yielded = true;
                    self.stabilization = self.desired.limited_to(less);
                }
                _ => {
                    certificate.add_work(&failed);
                    certificate.spent.add(&failed.spent);
                    return Ok(certificate);
                }
            }
        }
    }

    /// What a step does for all of the push-out before it does with less; none if it begins with what the last one did.
    fn full_push_out(&self) -> Option<Demand> {
        let steps = self.constraints.jam().steps;
        if steps < FIRST_PAINS || steps.is_multiple_of(PAINS) {
            Some(DEMANDS.all)
        } else if steps.is_power_of_two() || steps.is_multiple_of(TRIES) {
            Some(DEMANDS.jammed)
        } else {
            None
        }
    }

    /// Whether the last step was not taken with the push-out that was asked for.
    pub fn gave_up_push_out(&self) -> bool {
        self.stabilization != self.desired
    }

    /// Whether that was decided by what came of more: of such a decision no derivative tells.
    pub fn yielded(&self) -> bool {
        self.yielded
    }

    /// Distance of the last step to the nearest kink of the stabilization ([`Constraints::kink_distance`]).
    pub fn kink_distance(&self, certificate: &Certificate) -> f64 {
        let s = &self.stabilization;
        let kink = self.constraints.kink_distance(s);
        let full = self.full_push_out();
        if full.is_some_and(|full| certificate.effort <= full.effort) {
            return kink;
        }
        // Beyond gap zero this is a push-out, which would not be solved but yield.
        let soft = s.limited_to(PushOut::Soft);
        kink.min(self.constraints.kink_distance(&soft))
    }
}
