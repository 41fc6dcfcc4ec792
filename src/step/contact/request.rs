//! Implements [`Request`] for a step: the problem builder that a law calls while it solves.

use crate::constraint::Constraints;
use crate::contact::law::{Chosen, Posed, Request, Start};
use crate::contact::push_out::PushOut;
use crate::dynamics::factors::Factors;
use crate::error::Result;
use crate::model::Model;
use crate::step::contact_kernels::{pulled, respond};

/// The problem of a step, condensed.
pub(super) struct OfStep<'a> {
    pub c: &'a mut Constraints,
    pub model: &'a Model,
    pub mass: &'a mut Factors,
    /// Velocity before the step and without impulses. `kept` is the first minus the second, in the
    /// coordinates of the problem.
    pub v: &'a [f64],
    pub v_free: &'a [f64],
    pub kept: &'a [f64],
    /// Scratch of nv numbers each.
    pub v_end: &'a mut [f64],
    pub v_pulled: &'a mut [f64],
}

impl Request for OfStep<'_> {
    fn ask(&mut self, push_out: PushOut) {
        self.c.ask(push_out, self.v, self.v_free);
        self.c.warm_start();
    }

    fn has_small_biases(&self, up_to: f64) -> bool {
        self.c.has_small_biases(up_to)
    }

    fn drop_biases(&mut self, up_to: f64) {
        self.c.drop_biases(up_to, self.v, self.v_free);
        self.c.warm_start();
    }

    fn posed(&mut self) -> Posed<'_> {
        self.c.posed(self.kept)
    }

    fn gentler(&self, push_out: PushOut) -> Option<PushOut> {
        self.c.gentler(push_out)
    }

    fn throws(&mut self) -> bool {
        self.c.may_throw() && {
            respond(self.c, self.mass, self.model, self.v_free, self.v_end);
            let mut without = self.v_free;
            if self.c.has_springs() {
                // The speed caused by springs is not overshoot of the stabilization.
                pulled(self.c, self.mass, self.model, self.v_free, self.v_pulled);
                without = &*self.v_pulled;
            }
            self.c.throws(self.v, without, self.v_end)
        }
    }

    fn split(&mut self) -> Result<usize> {
        self.c.split()
    }

    fn enter(&mut self, region: usize) -> Start {
        self.c.enter(self.model.topology(), region)
    }

    fn leave(&mut self, chosen: Chosen) {
        self.c.leave(chosen);
    }
}
