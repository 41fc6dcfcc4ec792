//! The law of rigid contact: solve, with the highest level of stabilization that has a solution, and
//! linearize.
//!
//! If friction jams bodies, no impulse may push them apart. If a problem is not solved, or its solution
//! throws bodies, the contacts become compliant; this always has a solution ([`PushOut`]). While
//! bodies stay jammed, only some steps try rigid rows again.

use super::island_solver::IslandSolver;
use super::ladder::{DEMANDS, Demand, full_push_out};
use super::{Method, NcpOptions};
use crate::contact::block::Cone;
use crate::contact::capacity::Capacity;
use crate::contact::certificate::{Certificate, Effort, Path};
use crate::contact::law::{Chosen, Law, Linearized, Outcome, Request, Start};
use crate::contact::mode::Mode;
use crate::contact::problem::Problem;
use crate::contact::push_out::PushOut;
use crate::contact::tuning::{NEARLY, SMALL_BIASES};
use crate::contact::work_budget::WorkBudget;
use crate::error::Result;

/// Rigid contact with the exact Coulomb cone. Sized at creation.
#[derive(Debug)]
pub struct Ncp {
    options: NcpOptions,
    solver: IslandSolver,
}

impl Ncp {
    /// Uses the method and the tolerance of `options` in every solve. The ladder decides the effort.
    pub fn new(capacity: &Capacity, options: NcpOptions) -> Ncp {
        Ncp {
            options,
            solver: IslandSolver::new(capacity),
        }
    }

    /// A new law of the same kind, with capacity for problems of this size.
    pub fn with_room(&self, capacity: &Capacity) -> Ncp {
        Ncp::new(capacity, self.options)
    }
}

/// Solves a region of rigid rows with the highest level of stabilization that has a solution and throws no
/// body. `solve` receives the effort and the budget. Velocities of stabilization up to `small_biases` are
/// dropped if Newton's method only finds a solution without them.
///
/// # Errors
/// The errors of `solve`.
fn undo(
    step: &mut dyn Request,
    region: usize,
    work_budget: &WorkBudget,
    small_biases: f64,
    mut solve: impl FnMut(&mut dyn Request, PushOut, &Demand, &WorkBudget) -> Result<Certificate>,
) -> Result<Outcome> {
    let Start { jam, begun } = step.enter(region);
    let (tried, first) = match begun {
        PushOut::Full => (full_push_out(jam), jam.push_out),
        _ => (None, begun),
    };
    let mut push_out = match tried {
        None if step.gentler(PushOut::Full).is_some() => first,
        _ => PushOut::Full,
    };
    let full = tried.unwrap_or(DEMANDS.jammed);
    let (mut yielded, mut unsolved) = (false, false);
    let mut failed = Certificate::new(Path::Empty);
    let mut certificate = loop {
        step.ask(push_out);
        let gentler = step.gentler(push_out);
        let demand = match (gentler, push_out) {
            (Some(_), PushOut::Full) => full,
            _ => DEMANDS.least,
        };
        let brief = Demand {
            effort: Effort::Brief,
            ..demand
        };
        let attempts = [(brief, false), (brief, true), (demand, false)];
        let has_small_biases = push_out == PushOut::Full && step.has_small_biases(small_biases);
        let attempts = match (has_small_biases, demand.effort) {
            (true, Effort::Brief) => &attempts[..2],
            (true, _) => &attempts[..],
            (false, _) => &attempts[2..],
        };
        let mut certificate = Certificate::new(Path::Empty);
        for (k, (demand, drops)) in attempts.iter().enumerate() {
            if *drops && certificate.residual() > NEARLY {
                continue;
            }
            failed.add_cost(&certificate);
            match drops {
                true => step.drop_biases(small_biases),
                false if k > 0 => step.ask(push_out),
                false => {}
            }
            let left = work_budget.without(&failed.spent).share(demand.share);
            certificate = solve(step, push_out, demand, &left)?;
            if certificate.converged {
                break;
            }
        }
        let throws = certificate.converged && step.throws();
        match gentler {
            Some(less) if !certificate.converged || throws => {
                failed.add_cost(&certificate);
                yielded = true;
                unsolved |= !certificate.converged;
                push_out = less;
            }
            _ => break certificate,
        }
    };
    certificate.add_cost(&failed);
    // While bodies are jammed, most steps try full stabilization only with a small effort. If this step
    // needed more, a step from a nearby state could fail to solve it and have compliant rows instead.
    let is_tried = tried.is_some_and(|full| {
        let most = work_budget.share(full.share).work;
        certificate.effort <= full.effort && certificate.spent.work <= most
    });
    step.leave(Chosen {
        beside: (!is_tried).then_some(PushOut::Soft),
        jam: jam.next(push_out),
        solved: certificate.converged,
        unsolved,
    });
    Ok(Outcome {
        certificate,
        yielded,
    })
}

impl Law for Ncp {
    fn renewed(&self, capacity: &Capacity) -> Box<dyn Law> {
        Box::new(self.with_room(capacity))
    }

    fn solve(&mut self, step: &mut dyn Request, work_budget: &WorkBudget) -> Result<Outcome> {
        let (solver, options) = (&mut self.solver, self.options);
        let small_biases = options.tolerance.min(SMALL_BIASES);
        let regions = step.split()?;
        let mut all: Option<Outcome> = None;
        solver.begin(&step.posed().problem)?;
        for region in 0..regions {
            let own = undo(
                step,
                region,
                work_budget,
                small_biases,
                |step, push_out, demand, left| {
                    let options = NcpOptions {
                        effort: demand.effort,
                        yields: push_out != PushOut::Full,
                        ..options.within(left)
                    };
                    solver.solve_region(step.posed(), &options)
                },
            )?;
            match &mut all {
                None => all = Some(own),
                Some(all) => all.join(&own),
            }
        }
        let all = all.unwrap_or_else(|| Outcome::full(Certificate::new(Path::Empty)));
        solver.end(&step.posed().problem, &all.certificate)?;
        Ok(all)
    }

    fn adopts_within(&self) -> Option<f64> {
        matches!(self.options.method, Method::Auto).then_some(self.options.tolerance)
    }

    fn adopt(
        &mut self,
        problem: &Problem,
        lambda: &[f64],
        modes: &[Mode],
        certificate: Certificate,
    ) -> Result<()> {
        self.solver.adopt(problem, lambda, modes, certificate)
    }

    fn linearize(&mut self, problem: &Problem) -> Result<&mut dyn Linearized> {
        self.solver.linearize(problem)?;
        Ok(&mut self.solver)
    }

    fn cone(&self) -> Cone {
        Cone::Circular
    }

    fn is_local(&self) -> bool {
        true
    }
}
