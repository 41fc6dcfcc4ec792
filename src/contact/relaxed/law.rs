//! The relaxed law: solve and linearize.

use super::CentralPath;
use crate::contact::block::Cone;
use crate::contact::capacity::Capacity;
use crate::contact::certificate::{Certificate, Path};
use crate::contact::law::{Law, Linearized, Outcome, Request, Variations, Verdict};
use crate::contact::problem::Problem;
use crate::contact::push_out::PushOut;
use crate::contact::work_budget::WorkBudget;
use crate::error::{Error, Result};

/// The contact laws with complementarity relaxed by κ. Allocates its memory in each step.
#[derive(Debug)]
pub struct Relaxed {
    kappa: f64,
    path: Option<CentralPath>,
}

impl Relaxed {
    /// `kappa` is κ [J], positive.
    pub fn new(kappa: f64) -> Relaxed {
        Relaxed { kappa, path: None }
    }

    /// Moves a solution of the exact problem to the solution of the relaxed one, in place.
    ///
    /// # Errors
    /// As [`CentralPath::solve`].
    pub fn relax(&mut self, problem: &Problem, lambda: &mut [f64]) -> Result<()> {
        self.path = None;
        let path = CentralPath::solve(problem, lambda, self.kappa)?;
        lambda.copy_from_slice(path.lambda());
        self.path = Some(path);
        Ok(())
    }
}

impl Law for Relaxed {
    fn renewed(&self, _capacity: &Capacity) -> Box<dyn Law> {
        Box::new(Relaxed::new(self.kappa))
    }

    fn solve(&mut self, step: &mut dyn Request, _work_budget: &WorkBudget) -> Result<Outcome> {
        step.ask(PushOut::Full);
        let posed = step.posed();
        self.relax(&posed.problem, posed.lambda)?;
        Ok(Outcome::full(Certificate::new(Path::Continuation)))
    }

    fn linearize(&mut self, _problem: &Problem) -> Result<&mut dyn Linearized> {
        match &mut self.path {
            Some(path) => Ok(path),
            None => Err(Error::no_step("linearization asked for before a solve")),
        }
    }

    fn cone(&self) -> Cone {
        Cone::Circular
    }

    /// One matrix of all rows is factored.
    fn is_local(&self) -> bool {
        false
    }
}

impl Linearized for CentralPath {
    fn apply(
        &mut self,
        _problem: &Problem,
        w: &[f64],
        limits: Option<&[f64]>,
        columns: usize,
        dlambda: &mut [f64],
    ) -> Result<()> {
        self.direction(w, limits, columns, dlambda);
        Ok(())
    }

    fn apply_transpose(
        &mut self,
        _problem: &Problem,
        lambda_bar: &[f64],
        w_bar: &mut [f64],
        limits_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        self.adjoint(lambda_bar, w_bar, limits_bar);
        Ok(())
    }

    /// A smooth law has no sides.
    fn verdict(&mut self, _problem: &Problem, _state: &mut dyn Variations) -> Result<Verdict> {
        Ok(Verdict::Exact)
    }
}
