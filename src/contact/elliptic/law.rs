//! The compliant law with torsional and rolling friction: solve and linearize.

use super::groups::Groups;
use super::plain::Plain;
use super::solver::Solver;
use crate::contact::block::Cone;
use crate::contact::capacity::Capacity;
use crate::contact::certificate::{Certificate, Path};
use crate::contact::law::{Law, Linearized, Outcome, Posed, Request};
use crate::contact::problem::Problem;
use crate::contact::push_out::PushOut;
use crate::contact::work_budget::WorkBudget;
use crate::error::{Error, Result};
use crate::linalg::LANES;

/// Compliant contact with torsional and rolling friction. Sized at creation. A step without such contacts
/// gives the same bits as the law of three rows.
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
    /// A vector by rows of the whole problem.
    pub(super) change: Vec<f64>,
    pub(super) panel: Vec<[f64; LANES]>,
    last: Option<Certificate>,
}

impl Elliptic {
    /// Extends the compliant law of three rows `plain`. `tolerance` is the largest scaled residual of a
    /// converged solution ([`Certificate`]).
    pub fn new(capacity: &Capacity, plain: Box<dyn Law>, tolerance: f64) -> Elliptic {
        let numbers = || vec![0.0; capacity.rows];
        Elliptic {
            plain: Plain::new(capacity, plain),
            is_plain: true,
            tolerance,
            capacity: *capacity,
            groups: Groups::new(capacity),
            solver: Solver::new(capacity, tolerance),
            w: numbers(),
            d: numbers(),
            scratch: numbers(),
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
    fn solve_posed(&mut self, mut posed: Posed<'_>, left: &WorkBudget) -> Result<Certificate> {
        posed.problem.validate()?;
        self.start(&posed)?;
        let mut all = Certificate::new(Path::Empty);
        let mut most = WorkBudget::NONE;
        for island in 0..self.groups.len() {
            let found = self.solver.solve(&mut posed, &self.groups, island, left);
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
        let thrown = self.solve_posed(step.posed(), work_budget)?;
        if !step.throws() {
            return Ok(Outcome::full(thrown));
        }
        step.ask(PushOut::Slow);
        let left = work_budget.without(&thrown.spent);
        let mut certificate = self.solve_posed(step.posed(), &left)?;
        certificate.add_cost(&thrown);
        Ok(Outcome {
            certificate,
            yielded: true,
        })
    }
}

impl Law for Elliptic {
    fn renewed(&self, capacity: &Capacity) -> Box<dyn Law> {
        let plain = self.plain.law.renewed(capacity);
        Box::new(Elliptic::new(capacity, plain, self.tolerance))
    }

    fn solve(&mut self, step: &mut dyn Request, work_budget: &WorkBudget) -> Result<Outcome> {
        step.ask(PushOut::Full);
        self.is_plain = !step.posed().problem.has_torsion();
        match self.is_plain {
            true => self.plain.law.solve(step, work_budget),
            false => self.solve_alone(step, work_budget),
        }
    }

    fn answer(&mut self, step: &mut dyn Request) -> Result<()> {
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
