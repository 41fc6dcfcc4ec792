//! Taking a step of the θ-method.

use super::linear::missing;
use super::matrix::factor;
use crate::error::{Error, Result};
use crate::step::implicit::{Limits, Physics, Problem, mix};
use crate::step::info::{Gradient, StepInfo};
use crate::step::sim::Sim;

impl Sim {
    /// Computes the pending step from the pending (q, v). Afterwards the recursions are at the stage; with
    /// contact, the factors of A are available too.
    pub(in crate::step) fn pending_theta(&mut self) -> Result<()> {
        let (model, h, s) = (&*self.model, self.options.time_step, &mut self.pending);
        let Some(theta) = &mut self.theta else {
            return Err(missing());
        };
        let (rule, at) = (theta.rule, &mut theta.pending.at);
        mix(rule.w0, &s.v, &[], &[], &mut at.w0);
        mix(rule.xi0, &s.v, &[], &[], &mut at.xi0);
        theta.newton.guess(0, at, &rule, None);
        let mut problem = Problem {
            physics: Physics {
                model,
                params: &self.params,
                dynamics: &mut self.dynamics,
                forces: &mut self.forces,
                u: &s.drives.drive,
                driven: &self.driven,
                ease: 1.0,
                tau: &mut self.tau,
            },
            rule,
            q: &s.q,
        };
        let limits = Limits::of(&self.options);
        let linear = &mut theta.linear;
        let found = (theta.newton).solve(&mut problem, at, linear, limits, &s.v, None)?;
        (theta.pending.residual, theta.pending.converged) = (found.residual, found.converged);
        if !found.converged && self.options.require_convergence {
            return Err(Error::not_converged(format!(
                "{}, after {} iterations",
                limits.missed(found.residual),
                found.iterations
            )));
        }
        self.hold_servos();
        let Some(theta) = &mut self.theta else {
            return Err(missing());
        };
        let (model, s, at) = (&*self.model, &mut self.pending, &theta.pending.at);
        s.v_start.copy_from_slice(&s.v);
        for k in 0..model.nv() {
            s.acc[k] = (at.w[k] - s.v[k]) / h;
        }
        s.begin(found.margin);
        if self.contact.is_some() {
            factor(
                model,
                &self.params,
                &mut self.dynamics,
                &self.driven.pivots,
                at,
            )?;
        }
        (self.dynamics).update(model, &self.params, &s.q, &s.v);
        match &mut self.contact {
            None => {
                s.v_end.copy_from_slice(&at.w);
                if let Some(penalty) = &self.forces.penalty {
                    s.info.contacts = penalty.scene.contacts().len();
                }
            }
            Some(c) => {
                let certificate = c.solve(
                    model,
                    &self.params,
                    &mut self.dynamics,
                    &s.q,
                    &s.v,
                    &s.v_start,
                    &s.acc,
                    &mut s.v_end,
                )?;
                c.complete_rows(model, &self.dynamics.mass)?;
                self.driven.write(&mut s.v_end);
                s.settle(c, &certificate, found.margin, &self.options)?;
            }
        }
        s.info = StepInfo {
            iterations: s.info.iterations + found.iterations,
            residual: s.info.residual.max(found.residual),
            converged: s.info.converged && found.converged,
            ..s.info
        };
        if !found.converged {
            s.info.gradient = Gradient::Refused;
            s.only_modes_switch = false;
        }
        s.finish(model, &*self.integrator, h, found.margin)
    }
}
