//! The seam between a step and the laws of contact: a law solves the problem of a step, and is linear at its solution.
//!
//! A step poses the problem and does not ask how it is solved; a law knows nothing of bodies and joints. A new law is a
//! type with [`Law::solve`] and a [`Linearized`] of two maps and a verdict: Jacobians, directions, adjoints and columns by
//! parameters follow from these.

use super::allowance::Allowance;
use super::block::Cone;
use super::capacity::Capacity;
use super::certificate::Certificate;
use super::mode::Mode;
use super::problem::{Problem, Regularization};
use super::product::Product;
use super::push_out::{Jam, PushOut};
use crate::error::{Error, Result};
use std::fmt::Debug;

/// A law of contact with its solver and the solution that it found last.
pub trait Law: Debug + Send {
    /// Another one like it, with room for problems of up to this size.
    fn renewed(&self, capacity: &Capacity) -> Box<dyn Law>;

    /// Impulses and modes of the rows of a step, written where [`Request::posed`] has its guess of them. What is not solved
    /// within the allowance is returned, too: the certificate says so.
    ///
    /// # Errors
    /// `Capacity`, and `Numerical` for NaN or ∞ in or out.
    fn solve(&mut self, step: &mut dyn Request, allowance: &Allowance) -> Result<Outcome>;

    /// Of a law of rigid rows that takes solutions which were found elsewhere ([`Law::adopt`]): the largest
    /// scaled residual of one. None of other laws.
    fn adopts_within(&self) -> Option<f64> {
        None
    }

    /// Takes impulses and modes of a problem as if [`Law::solve`] had found them, to be linearized.
    ///
    /// # Errors
    /// `Unsupported` for a law that takes none.
    fn adopt(
        &mut self,
        _problem: &Problem,
        _lambda: &[f64],
        _modes: &[Mode],
        _certificate: Certificate,
    ) -> Result<()> {
        Err(Error::unsupported(
            "this law of contact takes no solutions that were found elsewhere",
        ))
    }

    /// The derivative at the last solution, whose problem it is given. What it takes is done once, and kept.
    ///
    /// # Errors
    /// `NoStep` before a solve, `NotConverged` where it was not solved.
    fn linearize(&mut self, problem: &Problem) -> Result<&mut dyn Linearized>;

    /// Of a law that makes impulses a function of the velocity at the end: those of a step that ends with the one which
    /// the request has without impulses, written as [`Law::solve`] does.
    ///
    /// # Errors
    /// `Unsupported` for a law of which they are none.
    fn answer(&mut self, _step: &mut dyn Request) -> Result<()> {
        Err(not_a_function())
    }

    /// What friction impulses of the contacts that it is given are in.
    fn cone(&self) -> Cone;

    /// Whether impulses do not depend, to the last bit, on rows whose trees no rows join with theirs.
    fn is_local(&self) -> bool;
}

/// What a law asks of the step whose problem it solves.
pub trait Request {
    /// Asks the rows to undo what they are off in this way, and guesses impulses and modes from those of the last step. Comes
    /// before [`Request::posed`].
    fn ask(&mut self, push_out: PushOut);

    /// Whether gaps or errors ask for speeds of so much and less, but not for none [m/s or rad/s], and nothing more is to be
    /// undone. A solution may lack as much as its tolerance, which leaves gaps that ask for it in the next step: where friction
    /// holds everything, they can only be had by sliding to and fro for good.
    fn has_remnants(&self, _up_to: f64) -> bool {
        false
    }

    /// Asks for what was asked last but for these, and guesses as [`Request::ask`] does.
    fn overlook(&mut self, _up_to: f64) {}

    /// The problem as it was asked for last.
    fn posed(&mut self) -> Posed<'_>;

    /// What is gentler than this; none where nothing is to be undone, or no way is gentler.
    fn gentler(&self, push_out: PushOut) -> Option<PushOut>;

    /// Whether with the impulses of the last solution bodies are thrown by what was asked.
    fn throws(&mut self) -> bool;

    /// What the last steps came to.
    fn jam(&self) -> Jam;
}

/// The problem of a step with a guess of its solution, in whose place the solution goes.
pub struct Posed<'a> {
    pub problem: Problem<'a>,
    /// R by blocks, and the change of the velocity before the step by impulses, in the coordinates of the rows: where rows
    /// yield by the stiffness of bodies, else empty.
    pub regularization: &'a [Regularization],
    pub kept: &'a [f64],
    pub lambda: &'a mut [f64],
    /// By blocks. What the step reports.
    pub modes: &'a mut [Mode],
}

/// What became of a solve.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub certificate: Certificate,
    /// What was asked for in the end, and whether that was decided by what came of more: of such a decision no derivative
    /// tells.
    pub push_out: PushOut,
    pub yielded: bool,
    /// What the same rows might have been asked for instead had they been off by a little more, where that is another thing.
    pub beside: Option<PushOut>,
    /// What the next step is to know.
    pub jam: Jam,
}

impl Outcome {
    /// Of a solve with all that was asked.
    pub fn full(certificate: Certificate) -> Outcome {
        Outcome {
            certificate,
            push_out: PushOut::Full,
            yielded: false,
            beside: None,
            jam: Jam::NONE,
        }
    }
}

pub(in crate::contact) fn not_a_function() -> Error {
    Error::unsupported(
        "with this law of contact impulses are no function of the velocity at the end of a step",
    )
}

/// The derivative of a law at its solution; `problem` is the one that was solved.
pub trait Linearized {
    /// dλ for `columns` directions: `w` (n × columns) is the variation of σ at fixed λ, `limits` (blocks × columns) that
    /// of friction coefficients and bounds.
    fn apply(
        &mut self,
        problem: &Problem,
        w: &[f64],
        limits: Option<&[f64]>,
        columns: usize,
        dlambda: &mut [f64],
    ) -> Result<()>;

    /// dλ along a variation of σ with all that moves it, of a law as [`Law::answer`] says.
    ///
    /// # Errors
    /// As there.
    fn answer(&mut self, _problem: &Problem, _dsigma: &[f64], _dlambda: &mut [f64]) -> Result<()> {
        Err(not_a_function())
    }

    /// Adjoint of [`Linearized::apply`], for one column.
    fn apply_transpose(
        &mut self,
        problem: &Problem,
        lambda_bar: &[f64],
        w_bar: &mut [f64],
        limits_bar: Option<&mut [f64]>,
    ) -> Result<()>;

    /// What the derivative is worth. Comes before its use: where sides of a switch are alike only in what their modes have
    /// in common, the derivative is that afterwards.
    fn verdict(&mut self, problem: &Problem, state: &mut dyn Variations) -> Result<Verdict>;

    /// Whether impulses can answer the variation `w` of σ: redundant rows may contradict each other.
    fn answers(&mut self, _problem: &Problem, _w: &[f64]) -> Result<bool> {
        Ok(true)
    }

    /// Whether no other impulses give the same velocities, as far as is known.
    fn is_unique(&mut self, _problem: &Problem) -> Result<bool> {
        Ok(true)
    }

    /// Takes the derivative in other modes, until [`Linearized::put_back`]: contacts and limits that a descent of L leads to the
    /// other side of complementarity, λ̄ = ∂L/∂λ < 0 in their normal row, go there by the turn. Returns how many that
    /// are; of none nothing changes. A law without modes has none.
    fn sort_by_descent(
        &mut self,
        _problem: &Problem,
        _lambda_bar: &[f64],
        _turn: Turn,
    ) -> Result<usize> {
        Ok(0)
    }

    /// The derivative at the solution again, to the bit, after [`Linearized::sort_by_descent`]; comes before any other use.
    fn put_back(&mut self, _problem: &Problem) -> Result<()> {
        Ok(())
    }

    /// What Jacobians are built from.
    fn product(&mut self, _problem: &Problem) -> Product<'_> {
        Product::Columns
    }
}

/// How a descent goes on to other modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Contacts that hold let go.
    Release,
    /// Contacts that are open hold.
    Hold,
}

/// Variations of the problem of a step in general position, so that one shows what holds for all.
pub trait Variations {
    /// w ← that of σ along a displacement, a velocity before the step and a velocity that forces add.
    fn of_state(&mut self, w: &mut [f64]);

    /// w ← J x of the first or the second of two velocities x; forces add the second in [`Variations::of_state`].
    fn of_velocity(&mut self, which: usize, w: &mut [f64]);

    /// w ← how J x of a velocity x in general position varies along the displacement: zero where J is fixed.
    fn of_rows(&mut self, w: &mut [f64]);
}

/// What a derivative is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is the derivative.
    Exact,
    /// It is that of one side.
    OneSided,
    /// It is none, and why.
    Refused(&'static str),
}
