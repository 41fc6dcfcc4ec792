//! The law of unrelaxed contact: solve, with as much push-out as has a solution, and linearize.
//!
//! Where friction jams bodies no impulse may push them apart: in a problem that is not solved the violated rows yield, which
//! always has a solution ([`PushOut`]); and so in one whose solution throws what is pinched. While that lasts, only some
//! steps take pains over rigid rows.

use super::NcpOptions;
use super::island_solver::IslandSolver;
use super::ladder::{DEMANDS, full_push_out};
use super::uniqueness::Probe;
use crate::contact::allowance::Allowance;
use crate::contact::capacity::Capacity;
use crate::contact::certificate::{Certificate, Path};
use crate::contact::law::{Law, Linearized, Outcome, Request, Variations, Verdict};
use crate::contact::problem::{Delassus, Problem};
use crate::contact::product::{Columns, Islands, LowRank, Product, Split};
use crate::contact::push_out::PushOut;
use crate::error::Result;

/// Rigid contact with the exact Coulomb cone. Sized at creation.
#[derive(Debug)]
pub struct Ncp {
    options: NcpOptions,
    solver: IslandSolver,
    probe: Probe,
    at_switch: bool,
}

impl Ncp {
    /// Of `options` the method and the tolerance hold for every solve; how far one goes is for the ladder to say.
    pub fn new(capacity: &Capacity, options: NcpOptions) -> Ncp {
        Ncp {
            options,
            solver: IslandSolver::new(capacity, options.method),
            probe: Probe::new(capacity.rows),
            at_switch: false,
        }
    }
}

impl Law for Ncp {
    fn renewed(&self, capacity: &Capacity) -> Box<dyn Law> {
        Box::new(Ncp::new(capacity, self.options))
    }

    fn solve(&mut self, step: &mut dyn Request, allowance: &Allowance) -> Result<Outcome> {
        let jam = step.jam();
        let tried = full_push_out(jam);
        let mut push_out = match tried {
            None if step.gentler(PushOut::Full).is_some() => jam.push_out,
            _ => PushOut::Full,
        };
        let full = tried.unwrap_or(DEMANDS.jammed);
        let mut yielded = false;
        let mut failed = Certificate::new(Path::Empty);
        let mut certificate = loop {
            step.ask(push_out);
            let gentler = step.gentler(push_out);
            let demand = match (gentler, push_out) {
                (None, _) => DEMANDS.least,
                (_, PushOut::Full) => full,
                _ => DEMANDS.soft,
            };
            let left = allowance.without(&failed.spent);
            let options = NcpOptions {
                effort: demand.effort,
                ..self.options.within(&left.share(demand.share))
            };
            let posed = step.posed();
            let certificate =
                self.solver
                    .solve(&posed.problem, posed.lambda, posed.modes, &options)?;
            let throws = certificate.converged && step.throws();
            match gentler {
                Some(less) if !certificate.converged || throws => {
                    failed.add_work(&certificate);
                    failed.spent.add(&certificate.spent);
                    yielded = true;
                    push_out = less;
                }
                _ => break certificate,
            }
        };
        certificate.add_work(&failed);
        certificate.spent.add(&failed.spent);
        self.at_switch = certificate.at_switch;
        // What was hard to have is not tried in every step: there more push-out would not be solved but yield.
        let is_tried = tried.is_some_and(|full| certificate.effort <= full.effort);
        Ok(Outcome {
            certificate,
            push_out,
            yielded,
            beside: (!is_tried).then_some(PushOut::Soft),
            jam: jam.next(push_out),
        })
    }

    fn linearize(&mut self, problem: &Problem) -> Result<&mut dyn Linearized> {
        self.solver.linearize(problem)?;
        Ok(self)
    }

    fn is_local(&self) -> bool {
        true
    }
}

impl Linearized for Ncp {
    fn apply(
        &mut self,
        problem: &Problem,
        w: &[f64],
        limits: Option<&[f64]>,
        columns: usize,
        dlambda: &mut [f64],
    ) -> Result<()> {
        self.solver.apply(problem, w, limits, columns, dlambda)
    }

    fn apply_transpose(
        &mut self,
        problem: &Problem,
        lambda_bar: &[f64],
        w_bar: &mut [f64],
        limits_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        self.solver
            .apply_transpose(problem, lambda_bar, w_bar, limits_bar)
    }

    fn verdict(&mut self, problem: &Problem, state: &mut dyn Variations) -> Result<Verdict> {
        self.probe
            .judge(problem, &mut self.solver, self.at_switch, state)
    }

    fn answers(&mut self, problem: &Problem, w: &[f64]) -> Result<bool> {
        self.probe.answers(problem, &mut self.solver, w)
    }

    fn is_unique(&mut self, problem: &Problem) -> Result<bool> {
        self.solver.independent(problem)
    }

    fn product(&mut self, problem: &Problem) -> Product<'_> {
        match problem.delassus {
            Delassus::Dense(_) => Product::LowRank(self),
            Delassus::Trees(_) => Product::Islands(self),
        }
    }
}

impl LowRank for Ncp {
    fn rank(&self) -> usize {
        self.solver.dense().rank().independent
    }

    fn split(
        &mut self,
        problem: &Problem,
        stride: usize,
        left: &mut [f64],
        right: &mut [f64],
    ) -> Result<Split> {
        self.solver.dense_mut().split(problem, stride, left, right)
    }

    fn solve_middle(&mut self, stride: usize, columns: &mut [f64]) {
        self.solver.dense_mut().solve_middle(stride, columns);
    }
}

impl Islands for Ncp {
    fn times_right(&mut self, problem: &Problem, columns: &mut dyn Columns) -> Result<()> {
        self.solver.times_right(problem, columns)
    }
}
