//! The law: solve, with as much push-out as has a solution, and linearize.

use super::descent::{Centre, Descent};
use super::faces::Faces;
use super::rigid::Rigid;
use super::stand::{Stand, modes};
use super::system::System;
use crate::contact::allowance::Allowance;
use crate::contact::block::Cone;
use crate::contact::capacity::Capacity;
use crate::contact::certificate::{Certificate, Path};
use crate::contact::law::{Law, Linearized, Outcome, Posed, Request, not_a_function};
use crate::contact::mode::Mode;
use crate::contact::ncp::undo;
use crate::contact::problem::Problem;
use crate::contact::push_out::{Jam, PushOut};
use crate::error::{Error, Result};

/// Distance of the compliant law to a switch of its modes, in units of ‖g‖∞, below which its derivative is one-sided.
const AT_SWITCH: f64 = 1e-9;

/// Residual of the compliant law at round-off.
const ROUND_OFF: f64 = 1e-15;

/// Contact with torsional and rolling friction, rigid or compliant. Sized at creation. Steps without any are those of the law of
/// three rows, to the bit.
#[derive(Debug)]
pub struct Elliptic {
    plain: Box<dyn Law>,
    /// Whether that one took the last step.
    is_plain: bool,
    pub(super) is_compliant: bool,
    tolerance: f64,
    capacity: Capacity,
    pub(super) system: System,
    pub(super) descent: Descent,
    rigid: Rigid,
    pub(super) faces: Faces,
    lambda: Vec<f64>,
    sigma: Vec<f64>,
    pub(super) w: Vec<f64>,
    pub(super) d: Vec<f64>,
    pub(super) scratch: Vec<f64>,
    pub(super) probe: Vec<f64>,
    pub(super) last: Option<Certificate>,
    factored: bool,
}

impl Elliptic {
    /// As the law of three rows `plain`, which `is_compliant` or rigid. `tolerance` is the largest scaled residual of a converged
    /// solution ([`Certificate`]).
    pub fn new(
        capacity: &Capacity,
        plain: Box<dyn Law>,
        is_compliant: bool,
        tolerance: f64,
    ) -> Elliptic {
        let Capacity { rows, blocks, .. } = *capacity;
        let numbers = || vec![0.0; rows];
        Elliptic {
            plain,
            is_plain: true,
            is_compliant,
            tolerance,
            capacity: *capacity,
            system: System::with_capacity(rows, blocks),
            descent: Descent::new(rows, blocks),
            rigid: Rigid::new(rows, blocks),
            faces: Faces::new(rows, blocks),
            lambda: numbers(),
            sigma: numbers(),
            w: numbers(),
            d: numbers(),
            scratch: numbers(),
            probe: numbers(),
            last: None,
            factored: false,
        }
    }

    /// Solves what was posed, in at most so many factorizations.
    fn solve_posed(&mut self, posed: Posed<'_>, most: usize) -> Result<Certificate> {
        let problem = &posed.problem;
        problem.validate()?;
        let n = problem.rows();
        if n > self.capacity.rows || problem.blocks.len() > self.capacity.blocks {
            return Err(Error::capacity(format!(
                "{n} rows in {} blocks, room for {} in {}",
                problem.blocks.len(),
                self.capacity.rows,
                self.capacity.blocks
            )));
        }
        self.last = None;
        self.factored = false;
        self.system.start(problem, posed.regularization);
        let lambda = self.system.take(posed.lambda, &mut self.lambda);
        let sigma = &mut self.sigma[..n];
        let mut certificate = match (n, self.is_compliant) {
            (0, _) => Certificate::new(Path::Empty),
            (_, false) => {
                self.rigid.guess(&self.system, posed.modes, lambda);
                self.rigid.solve(
                    &mut self.system,
                    &mut self.descent,
                    &mut self.faces,
                    [lambda, sigma],
                    self.tolerance,
                    most,
                )
            }
            _ => {
                let mut certificate = Certificate::new(Path::Newton);
                let (system, count) = (&self.system, &mut certificate.newton);
                let (descent, none) = (&mut self.descent, Centre::NONE);
                certificate.dual = descent.run(
                    system,
                    none,
                    [lambda, sigma],
                    [ROUND_OFF, self.tolerance],
                    most,
                    count,
                );
                certificate.converged = certificate.dual <= self.tolerance;
                descent.look(system, none, sigma);
                let margins = descent.answers.iter().map(|a| a.margin);
                let speed = system.g.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                let unit = if speed > 0.0 { speed } else { 1.0 };
                certificate.margin = margins.fold(f64::INFINITY, f64::min) / unit;
                certificate.at_switch = certificate.margin <= AT_SWITCH;
                certificate
            }
        };
        certificate.spent.spend(certificate.newton, 1.0);
        let numbers = self.lambda[..n].iter().chain(&self.sigma[..n]);
        if !numbers.clone().all(|x| x.is_finite()) {
            return Err(Error::numerical(
                "the contact solver left the finite numbers",
            ));
        }
        self.system.give(&self.lambda[..n], posed.lambda);
        self.write_modes(posed.modes);
        self.last = Some(certificate);
        Ok(certificate)
    }

    /// A step whose problem is posed with all push-out, by this room.
    pub(super) fn solve_alone(
        &mut self,
        step: &mut dyn Request,
        allowance: &Allowance,
    ) -> Result<Outcome> {
        self.is_plain = false;
        if !self.is_compliant {
            return undo(step, allowance, |step, _, left| {
                self.solve_posed(step.posed(), left.newton_steps())
            });
        }
        let thrown = self.solve_posed(step.posed(), allowance.newton_steps())?;
        if !step.throws() {
            return Ok(Outcome::full(thrown));
        }
        step.ask(PushOut::Slow);
        let left = allowance.without(&thrown.spent);
        let mut certificate = self.solve_posed(step.posed(), left.newton_steps())?;
        certificate.add_work(&thrown);
        certificate.spent.add(&thrown.spent);
        Ok(Outcome {
            certificate,
            push_out: PushOut::Slow,
            yielded: true,
            beside: None,
            jam: Jam::NONE,
        })
    }

    fn write_modes(&self, to: &mut [Mode]) {
        for (k, unit) in self.system.units.iter().enumerate() {
            let [own, turning] = match self.is_compliant {
                true => [self.descent.answers[k].mode; 2],
                false => modes(unit, self.rigid.stands[k]),
            };
            to[unit.block] = own;
            if let Some(block) = unit.turning {
                to[block] = turning;
            }
        }
    }
}

impl Law for Elliptic {
    fn renewed(&self, capacity: &Capacity) -> Box<dyn Law> {
        Box::new(Elliptic::new(
            capacity,
            self.plain.renewed(capacity),
            self.is_compliant,
            self.tolerance,
        ))
    }

    /// Rigid rows that have no solution, or throw what they push, yield; compliant ones always have one.
    fn solve(&mut self, step: &mut dyn Request, allowance: &Allowance) -> Result<Outcome> {
        step.ask(PushOut::Full);
        self.is_plain = !step.posed().problem.has_turning();
        match self.is_plain {
            true => self.plain.solve(step, allowance),
            false => self.solve_alone(step, allowance),
        }
    }

    fn answer(&mut self, step: &mut dyn Request) -> Result<()> {
        if !self.is_compliant {
            return Err(not_a_function());
        }
        step.ask(PushOut::Full);
        self.is_plain = !step.posed().problem.has_turning();
        if self.is_plain {
            return self.plain.answer(step);
        }
        let posed = step.posed();
        let n = posed.problem.rows();
        self.system.start(&posed.problem, posed.regularization);
        let sigma = self.system.take(posed.problem.g, &mut self.sigma);
        self.descent.look(&self.system, Centre::NONE, sigma);
        for (unit, a) in self.system.units.iter().zip(&self.descent.answers) {
            self.lambda[unit.range()].copy_from_slice(&a.gamma[..unit.rows]);
        }
        self.system.give(&self.lambda[..n], posed.lambda);
        self.last = Some(Certificate::new(Path::Empty));
        self.factored = false;
        Ok(())
    }

    fn linearize(&mut self, problem: &Problem) -> Result<&mut dyn Linearized> {
        if self.is_plain {
            return self.plain.linearize(problem);
        }
        match self.last {
            None => return Err(Error::no_step("linearization asked for before a solve")),
            Some(c) if !c.converged => {
                return Err(Error::not_converged(
                    "the contact problem was not solved: there is no derivative",
                ));
            }
            _ => {}
        }
        if !self.factored {
            let n = problem.rows();
            match self.is_compliant {
                true => self.faces.of_answers(&self.system, &self.descent.answers),
                false => {
                    let stands: &[Stand] = &self.rigid.stands;
                    let (lambda, sigma) = (&mut self.lambda[..n], &self.sigma[..n]);
                    self.faces.of_rigid(&self.system, stands, lambda, sigma);
                }
            }
            self.faces.factor(&self.system);
            self.factored = true;
        }
        Ok(self)
    }

    fn cone(&self) -> Cone {
        self.plain.cone()
    }

    /// One matrix of all rows is factored.
    fn is_local(&self) -> bool {
        self.is_plain && self.plain.is_local()
    }
}
