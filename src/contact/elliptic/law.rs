//! The law with torsional and rolling friction: solve, with as much stabilization as has a solution, and
//! linearize.

use super::groups::Groups;
use super::plain::Plain;
use super::solver::Solver;
use crate::contact::block::Cone;
use crate::contact::capacity::Capacity;
use crate::contact::certificate::{Certificate, Effort, Path};
use crate::contact::law::{Law, Linearized, Outcome, Posed, Request, not_a_function};
use crate::contact::mode::Mode;
use crate::contact::ncp::undo;
use crate::contact::problem::Problem;
use crate::contact::push_out::PushOut;
use crate::contact::work_budget::WorkBudget;
use crate::error::{Error, Result};
use crate::linalg::LANES;

/// Contact with torsional and rolling friction, rigid or compliant. Sized at creation. A step without
/// such contacts gives the same bits as the law of three rows.
#[derive(Debug)]
pub struct Elliptic {
    pub(super) plain: Plain,
    /// True if the law of three rows solved the whole last step.
    is_plain: bool,
    tolerance: f64,
    capacity: Capacity,
    pub(super) groups: Groups,
    pub(super) solver: Solver,
    /// Vectors by rows of an island.
    pub(super) w: Vec<f64>,
    pub(super) d: Vec<f64>,
    pub(super) scratch: Vec<f64>,
    /// Vectors by rows of the whole problem.
    pub(super) probe: Vec<f64>,
    pub(super) change: Vec<f64>,
    pub(super) panel: Vec<[f64; LANES]>,
    last: Option<Certificate>,
}

impl Elliptic {
    /// Extends the law of three rows `plain`, which is compliant or rigid (`is_compliant`). `tolerance`
    /// is the largest scaled residual of a converged solution ([`Certificate`]).
    pub fn new(
        capacity: &Capacity,
        plain: Box<dyn Law>,
        is_compliant: bool,
        tolerance: f64,
    ) -> Elliptic {
        let numbers = || vec![0.0; capacity.rows];
        Elliptic {
            plain: Plain::new(capacity, plain),
            is_plain: true,
            tolerance,
            capacity: *capacity,
            groups: Groups::new(capacity),
            solver: Solver::new(capacity, is_compliant, tolerance),
            w: numbers(),
            d: numbers(),
            scratch: numbers(),
            probe: numbers(),
            change: numbers(),
            panel: vec![[0.0; LANES]; capacity.rows],
            last: None,
        }
    }

    /// Splits the problem into islands.
    fn start(&mut self, posed: &Posed<'_>) -> Result<()> {
        let problem = &posed.problem;
        let (n, blocks) = (problem.rows(), problem.blocks.len());
        if n > self.capacity.rows || blocks > self.capacity.blocks {
            return Err(Error::capacity(format!(
                "{n} rows in {blocks} blocks, room for {} in {}",
                self.capacity.rows, self.capacity.blocks
            )));
        }
        self.last = None;
        self.solver.start(posed.regularization);
        self.groups.split(problem)?;
        if !self.groups.plain.is_empty() {
            self.plain.take(posed, &self.groups.plain)?;
        }
        Ok(())
    }

    /// Solves the problem island by island.
    pub(super) fn solve_posed(
        &mut self,
        mut posed: Posed<'_>,
        effort: Effort,
        left: &WorkBudget,
    ) -> Result<Certificate> {
        posed.problem.validate()?;
        self.start(&posed)?;
        let mut all = Certificate::new(Path::Empty);
        let mut most = WorkBudget::NONE;
        for island in 0..self.groups.len() {
            let found = (self.solver).solve(&mut posed, &self.groups, island, effort, left);
            all.join(&found);
            all.add_work(&found);
            most.most(&found.spent);
        }
        if !self.groups.plain.is_empty() {
            let found = self.plain.solve(&mut posed, left)?;
            all.join(&found);
            all.add_work(&found);
            most.most(&found.spent);
        }
        all.spent = most;
        let numbers = posed.lambda.iter().chain([&all.dual]);
        if !numbers.clone().all(|x| x.is_finite()) {
            return Err(Error::numerical(
                "the contact solver left the finite numbers",
            ));
        }
        self.last = Some(all);
        Ok(all)
    }

    /// Solves a step here, without `plain`. The problem must be posed with full push-out.
    pub(super) fn solve_alone(
        &mut self,
        step: &mut dyn Request,
        work_budget: &WorkBudget,
    ) -> Result<Outcome> {
        self.is_plain = false;
        if !self.solver.is_compliant {
            return undo(step, 0, work_budget, 0.0, |step, push_out, demand, left| {
                // Compliant rows have a solution, rigid ones may have none.
                let effort = match push_out {
                    PushOut::Full => demand.effort,
                    _ => Effort::Thorough,
                };
                self.solve_posed(step.posed(), effort, left)
            });
        }
        let thrown = self.solve_posed(step.posed(), Effort::Thorough, work_budget)?;
        if !step.throws() {
            return Ok(Outcome::full(thrown));
        }
        step.ask(PushOut::Slow);
        let left = work_budget.without(&thrown.spent);
        let mut certificate = self.solve_posed(step.posed(), Effort::Thorough, &left)?;
        certificate.add_cost(&thrown);
        Ok(Outcome {
            certificate,
            yielded: true,
        })
    }
}

impl Law for Elliptic {
    fn renewed(&self, capacity: &Capacity) -> Box<dyn Law> {
        Box::new(Elliptic::new(
            capacity,
            self.plain.law.renewed(capacity),
            self.solver.is_compliant,
            self.tolerance,
        ))
    }

    /// Rigid rows become compliant if they have no solution or throw bodies. Compliant rows always have
    /// a solution.
    fn solve(&mut self, step: &mut dyn Request, work_budget: &WorkBudget) -> Result<Outcome> {
        step.ask(PushOut::Full);
        self.is_plain = !step.posed().problem.has_torsion();
        match self.is_plain {
            true => self.plain.law.solve(step, work_budget),
            false => self.solve_alone(step, work_budget),
        }
    }

    fn answer(&mut self, step: &mut dyn Request) -> Result<()> {
        if !self.solver.is_compliant {
            return Err(not_a_function());
        }
        step.ask(PushOut::Full);
        self.is_plain = !step.posed().problem.has_torsion();
        if self.is_plain {
            return self.plain.law.answer(step);
        }
        let mut posed = step.posed();
        self.start(&posed)?;
        for island in 0..self.groups.len() {
            self.solver.answer(&mut posed, &self.groups, island);
        }
        if !self.groups.plain.is_empty() {
            self.plain.answer(&mut posed)?;
        }
        Ok(())
    }

    fn adopts_within(&self) -> Option<f64> {
        self.plain.law.adopts_within()
    }

    fn adopt(
        &mut self,
        problem: &Problem,
        lambda: &[f64],
        modes: &[Mode],
        certificate: Certificate,
    ) -> Result<()> {
        self.is_plain = !problem.has_torsion();
        if self.is_plain {
            return self.plain.law.adopt(problem, lambda, modes, certificate);
        }
        self.solver.start(&[]);
        self.groups.split(problem)?;
        for island in 0..self.groups.len() {
            self.solver.adopt(problem, &self.groups, island, lambda);
        }
        self.solver.at_switch |= certificate.at_switch;
        self.last = Some(certificate);
        if self.groups.plain.is_empty() {
            return Ok(());
        }
        (self.plain).adopt(problem, &self.groups.plain, lambda, modes, certificate)
    }

    fn linearize(&mut self, problem: &Problem) -> Result<&mut dyn Linearized> {
        if self.is_plain {
            return self.plain.law.linearize(problem);
        }
        match self.last {
            None => Err(Error::no_step("linearization asked for before a solve")),
            Some(c) if !c.converged => Err(Error::not_converged(
                "the contact problem was not solved: there is no derivative",
            )),
            _ => Ok(self),
        }
    }

    fn cone(&self) -> Cone {
        self.plain.law.cone()
    }

    fn is_local(&self) -> bool {
        self.plain.law.is_local()
    }
}
