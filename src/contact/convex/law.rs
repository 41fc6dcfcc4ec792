//! The law of compliant contact: solve and linearize.

use super::impulse::impulse;
use super::{ConvexOptions, ConvexSolver};
use crate::contact::block::Cone;
use crate::contact::capacity::Capacity;
use crate::contact::certificate::{Certificate, Path};
use crate::contact::law::{Law, Linearized, Outcome, Request};
use crate::contact::problem::Problem;
use crate::contact::push_out::PushOut;
use crate::contact::tally::Stage;
use crate::contact::work_budget::WorkBudget;
use crate::error::Result;

/// Compliant contact as a convex problem. Sized at creation.
#[derive(Debug)]
pub struct Convex {
    tolerance: f64,
    solver: ConvexSolver,
}

impl Convex {
    /// `tolerance` as [`ConvexOptions::tolerance`].
    pub fn new(capacity: &Capacity, tolerance: f64) -> Convex {
        Convex {
            tolerance,
            solver: ConvexSolver::new(capacity),
        }
    }
}

impl Law for Convex {
    fn renewed(&self, capacity: &Capacity) -> Box<dyn Law> {
        Box::new(Convex::new(capacity, self.tolerance))
    }

    /// A solution always exists. Every solve begins with full push-out, and lowers it if bodies would be
    /// thrown.
    fn solve(&mut self, step: &mut dyn Request, work_budget: &WorkBudget) -> Result<Outcome> {
        let mut push_out = PushOut::Full;
        let mut thrown = Certificate::new(Path::Empty);
        let certificate = loop {
            step.ask(push_out);
            let left = work_budget.without(&thrown.spent);
            let options = ConvexOptions {
                tolerance: self.tolerance,
                max_iterations: left.newton_steps(),
            };
            let p = step.posed();
            let (r, kept) = (p.regularization, p.kept);
            let mut found = self
                .solver
                .solve(&p.problem, r, kept, p.lambda, p.modes, &options)?;
            found.spent.spend(found.newton, 1.0);
            (found.tally).count(Stage::Compliant, found.converged, found.spent.work);
            found.add_cost(&thrown);
            if !step.throws() {
                break found;
            }
            thrown = found;
            push_out = PushOut::Slow;
        };
        Ok(Outcome {
            certificate,
            yielded: push_out != PushOut::Full,
        })
    }

    fn answer(&mut self, step: &mut dyn Request) -> Result<()> {
        step.ask(PushOut::Full);
        let p = step.posed();
        let mut at = 0;
        for (block, r) in p.problem.blocks.iter().zip(p.regularization) {
            let rows = at..at + block.rows();
            at = rows.end;
            let answer = impulse(*block, *r, &p.problem.g[rows.clone()]);
            p.lambda[rows.clone()].copy_from_slice(&answer[..rows.len()]);
        }
        Ok(())
    }

    fn linearize(&mut self, problem: &Problem) -> Result<&mut dyn Linearized> {
        self.solver.factor_solution(problem)?;
        Ok(&mut self.solver)
    }

    fn cone(&self) -> Cone {
        Cone::Circular
    }

    fn is_local(&self) -> bool {
        true
    }
}
