//! The law of boxed contact: solve and linearize.

use crate::contact::block::Cone;
use crate::contact::capacity::Capacity;
use crate::contact::certificate::Certificate;
use crate::contact::law::{Law, Linearized, Outcome, Request};
use crate::contact::mode::Mode;
use crate::contact::ncp::{Ncp, NcpOptions};
use crate::contact::problem::Problem;
use crate::contact::work_budget::WorkBudget;
use crate::error::Result;

/// Rigid contact with friction pyramids. Sized at creation.
#[derive(Debug)]
pub struct Lcp(Ncp);

impl Lcp {
    /// Takes `options` as [`Ncp::new`]. Every method except
    /// [`Method::Admm`](crate::contact::ncp::Method::Admm) is allowed.
    pub fn new(capacity: &Capacity, options: NcpOptions) -> Lcp {
        Lcp(Ncp::new(capacity, options))
    }
}

impl Law for Lcp {
    fn renewed(&self, capacity: &Capacity) -> Box<dyn Law> {
        Box::new(Lcp(self.0.with_room(capacity)))
    }

    fn solve(&mut self, step: &mut dyn Request, work_budget: &WorkBudget) -> Result<Outcome> {
        self.0.solve(step, work_budget)
    }

    fn adopts_within(&self) -> Option<f64> {
        self.0.adopts_within()
    }

    fn adopt(
        &mut self,
        problem: &Problem,
        lambda: &[f64],
        modes: &[Mode],
        certificate: Certificate,
    ) -> Result<()> {
        self.0.adopt(problem, lambda, modes, certificate)
    }

    fn linearize(&mut self, problem: &Problem) -> Result<&mut dyn Linearized> {
        self.0.linearize(problem)
    }

    fn cone(&self) -> Cone {
        Cone::Pyramid
    }

    fn is_local(&self) -> bool {
        self.0.is_local()
    }
}
