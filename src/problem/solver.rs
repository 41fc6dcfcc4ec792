//! A solver of contact problems, and its memory of the last solution.

use super::data::ProblemData;
use super::options::ProblemOptions;
use super::request::{Answer, OfProblem};
use super::rows::Rows;
use super::system::System;
use crate::contact::law::{Law, Verdict};
use crate::contact::mode::Mode;
use crate::contact::work_budget::WorkBudget;
use crate::error::{Error, Result};
use crate::linalg::{LANES, scattered};
use crate::step::info::{check_length, deliver};
use crate::step::{Gradient, StepInfo, law_of};

/// Solves contact problems up to a size, one after the other, and differentiates the last one. All memory is
/// made at creation.
///
/// A solve starts from the impulses and modes of the last one if both have the same number of contacts, which
/// count as the same contacts in the same order. This warm start is state; [`ContactProblem::reset`] forgets
/// it.
#[derive(Debug)]
pub struct ContactProblem {
    pub(super) options: ProblemOptions,
    work_budget: WorkBudget,
    pub(super) law: Box<dyn Law>,
    /// Systems of the last problem, and of the next one, whose A may be indefinite.
    pub(super) system: System,
    pending: System,
    pub(super) rows: Rows,
    pub(super) answer: Answer,
    guess: Answer,
    /// Coordinates of the velocity by the guessed impulses.
    kept: Vec<[f64; 1]>,
    pub(super) v: Vec<f64>,
    /// v − v_free.
    pub(super) change: Vec<f64>,
    /// `None` before a solve, and after one that failed.
    pub(super) info: Option<StepInfo>,
    pub(super) at_switch: bool,
    /// The verdict on the derivative, once it is known.
    pub(super) verdict: Option<Verdict>,
    pub(super) work: Workspace,
}

/// Memory of derivatives.
#[derive(Debug)]
pub(super) struct Workspace {
    /// One for each dof.
    pub x: Vec<f64>,
    pub force: Vec<f64>,
    /// One for each coordinate.
    pub z: Vec<[f64; 1]>,
    /// One for each row.
    pub w: Vec<f64>,
    pub dlambda: Vec<f64>,
    /// One for each contact.
    pub limits: Vec<f64>,
    /// Three random probe velocities.
    pub general: [Vec<f64>; 3],
}

impl ContactProblem {
    /// # Errors
    /// `InvalidArgument` naming the option; `Unsupported` for a law that this version lacks; `Capacity` if
    /// memory does not suffice.
    pub fn new(options: &ProblemOptions) -> Result<ContactProblem> {
        options.check()?;
        let ProblemOptions {
            nv, max_contacts, ..
        } = *options;
        check_memory(nv, max_contacts)?;
        let (rows, yields) = (3 * max_contacts, options.yields());
        let steps = options.of_steps();
        let capacity = Rows::capacity(nv, max_contacts, yields);
        Ok(ContactProblem {
            options: *options,
            work_budget: WorkBudget {
                iterations: steps.max_iterations,
                work: steps.max_work,
            },
            law: law_of(&steps).renewed(&capacity),
            system: System::new(nv, max_contacts),
            pending: System::new(nv, max_contacts),
            rows: Rows::new(nv, max_contacts, yields),
            answer: Answer::with_capacity(max_contacts),
            guess: Answer::with_capacity(max_contacts),
            kept: vec![[0.0]; nv],
            v: vec![0.0; nv],
            change: vec![0.0; nv],
            info: None,
            at_switch: false,
            verdict: None,
            work: Workspace {
                x: vec![0.0; nv],
                force: vec![0.0; nv],
                z: vec![[0.0]; nv],
                w: Vec::with_capacity(rows),
                dlambda: Vec::with_capacity(rows),
                limits: Vec::with_capacity(max_contacts),
                general: [1, 2, 3].map(|seed| (0..nv).map(|k| scattered(k, seed)).collect()),
            },
        })
    }

    pub fn options(&self) -> &ProblemOptions {
        &self.options
    }

    /// Velocity (nv) and impulses (3 for each contact: t₁, t₂, n) of a problem. Without contacts v is v_free.
    /// A solution above the tolerance is written, too; the result says so.
    ///
    /// # Errors
    /// `InvalidArgument` for a wrong length, an A that is not symmetric or not definite, a negative friction
    /// coefficient, or a compliance that the law does not take or that is not positive; `Capacity` for too
    /// many contacts; `Numerical` for a number that is not finite, in or out. Nothing is written then. If a
    /// problem is refused, the last solution stays.
    pub fn solve(
        &mut self,
        data: &ProblemData<'_>,
        v: &mut [f64],
        impulse: &mut [f64],
    ) -> Result<StepInfo> {
        data.check(&self.options)?;
        check_length("v", v, self.options.nv)?;
        check_length("impulse", impulse, 3 * data.contacts())?;
        self.pending.factor(data)?;
        std::mem::swap(&mut self.system, &mut self.pending);
        self.info = None;
        self.verdict = None;
        let solved = self.solve_rows(data);
        if solved.is_err() {
            self.guess.clear(0);
        }
        let info = solved?;
        deliver([
            ("v", &self.v, Some(v)),
            ("impulse", &self.answer.lambda, Some(impulse)),
        ])
        .inspect_err(|_| self.guess.clear(0))?;
        self.info = Some(info);
        Ok(info)
    }

    fn solve_rows(&mut self, data: &ProblemData<'_>) -> Result<StepInfo> {
        let contacts = data.contacts();
        self.rows.fill(data, self.law.cone(), &self.system);
        if self.guess.modes.len() != contacts {
            self.guess.clear(contacts);
        }
        self.guess.fit(&self.rows.blocks);
        self.kept.fill([0.0]);
        self.rows.add_transposed(&self.guess.lambda, &mut self.kept);
        let kept = match self.options.yields() {
            true => self.kept.as_flattened(),
            false => &[],
        };
        self.answer.copy_from(&self.guess);
        let mut info = StepInfo {
            contacts,
            ..StepInfo::NONE
        };
        self.at_switch = false;
        if contacts > 0 {
            let mut request = OfProblem {
                rows: &self.rows,
                kept,
                guess: &self.guess,
                answer: &mut self.answer,
            };
            let found = self.law.solve(&mut request, &self.work_budget)?.certificate;
            info.iterations = found.iterations();
            info.work = found.spent.work;
            info.tally = found.tally;
            info.residual = found.residual();
            info.converged = found.converged;
            info.switch_distance = found.margin;
            self.at_switch = found.at_switch;
            info.gradient = match (found.converged, found.at_switch) {
                (false, _) => Gradient::Refused,
                (_, true) => Gradient::OneSided,
                _ => Gradient::Exact,
            };
            // Impulses of a failed solve may be far off: the next solve is better without them.
            match found.converged {
                true => self.guess.copy_from(&self.answer),
                false => self.guess.clear(0),
            }
        }
        let z = &mut self.work.z;
        z.fill([0.0]);
        self.rows.add_transposed(&self.answer.lambda, z);
        self.system.solve_half_transposed(z, &mut self.change);
        for ((v, free), change) in self.v.iter_mut().zip(data.v_free).zip(&self.change) {
            *v = free + change;
        }
        Ok(info)
    }

    /// Facts about the last solve. The gradient label is the one known since a derivative was requested
    /// ([`ContactProblem::jvp`], [`ContactProblem::vjp`]).
    ///
    /// # Errors
    /// `NoStep` before a solve.
    pub fn info(&self) -> Result<StepInfo> {
        self.info.ok_or_else(no_solve)
    }

    /// Mode of every contact of the last solve; empty before a solve.
    pub fn modes(&self) -> &[Mode] {
        match self.info {
            Some(_) => &self.answer.modes,
            None => &[],
        }
    }

    /// Number of contacts of the last solve.
    pub fn contacts(&self) -> usize {
        self.modes().len()
    }

    /// Forgets the last solution and its use as a warm start: the next solve is like that of a new solver.
    pub fn reset(&mut self) {
        self.guess.clear(0);
        self.info = None;
    }
}

pub(super) fn no_solve() -> Error {
    Error::no_step("no problem has been solved")
}

/// Refuses sizes for which memory is not available.
fn check_memory(nv: usize, contacts: usize) -> Result<()> {
    let refused = || {
        Error::capacity(format!(
            "options: there is no memory for nv = {nv} and max_contacts = {contacts}"
        ))
    };
    let rows = contacts.checked_mul(3).ok_or_else(refused)?;
    let most = nv.max(rows).checked_add(LANES).ok_or_else(refused)?;
    // A few panels of all rows by all dofs, of all dofs by lanes, and of all dofs by all dofs.
    let numbers = nv
        .checked_add(rows)
        .and_then(|n| n.checked_mul(nv))
        .and_then(|n| n.checked_add(most.checked_mul(8 * LANES)?))
        .and_then(|n| n.checked_mul(8))
        .ok_or_else(refused)?;
    let mut probe: Vec<f64> = Vec::new();
    probe.try_reserve_exact(numbers).map_err(|_| refused())
}

// A solver may move to another thread.
const _: () = {
    const fn movable<T: Send>() {}
    movable::<ContactProblem>();
};
