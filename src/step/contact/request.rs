//! A step as the law that solves its problem sees it.

use crate::constraint::{Constraints, Stabilization};
use crate::contact::law::{Posed, Request};
use crate::contact::push_out::{Jam, PushOut};
use crate::dynamics::factors::Factors;
use crate::model::Model;
use crate::step::contact_kernels::respond;

/// The problem of a step, condensed.
pub(super) struct OfStep<'a> {
    pub c: &'a mut Constraints,
    pub model: &'a Model,
    pub mass: &'a mut Factors,
    /// What is asked at most, and what is asked now.
    pub desired: &'a Stabilization,
    pub stabilization: &'a mut Stabilization,
    /// Velocities before the step and without impulses, and coordinates of what is kept of the one beside the other.
    pub v: &'a [f64],
    pub v_free: &'a [f64],
    pub kept: &'a [f64],
    /// Scratch of as many numbers.
    pub v_end: &'a mut [f64],
}

impl Request for OfStep<'_> {
    fn ask(&mut self, push_out: PushOut) {
        *self.stabilization = self.desired.limited_to(push_out);
        self.c.stabilize(self.v, self.v_free, self.stabilization);
        self.c.warm_start();
    }

    fn posed(&mut self) -> Posed<'_> {
        let (problem, regularization, lambda, modes) = self.c.posed();
        Posed {
            problem,
            regularization,
            kept: self.kept,
            lambda,
            modes,
        }
    }

    fn gentler(&self, push_out: PushOut) -> Option<PushOut> {
        self.c.fallback(&self.desired.limited_to(push_out))
    }

    fn throws(&mut self) -> bool {
        self.c.may_throw(self.stabilization) && {
            respond(self.c, self.mass, self.model, self.v_free, self.v_end);
            let push_out = self.stabilization.push_out;
            (self.c.levers).throws(push_out, self.v, self.v_free, self.v_end)
        }
    }

    fn jam(&self) -> Jam {
        self.c.jam()
    }
}
