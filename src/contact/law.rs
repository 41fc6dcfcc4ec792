//! The interface between a step and the contact laws: a law solves the problem of a step, and linearizes
//! the solution.
//!
//! A step poses the problem and does not depend on the solver. A law knows nothing of bodies and joints.
//! A new law is a type with [`Law::solve`] and a [`Linearized`] of two maps and a verdict. Jacobians,
//! JVPs, VJPs and derivatives by parameters follow from these.

use super::block::Cone;
use super::capacity::Capacity;
use super::certificate::Certificate;
use super::mode::Mode;
use super::problem::{Problem, Regularization};
use super::product::Product;
use super::push_out::{Jam, PushOut};
use super::work_budget::WorkBudget;
use crate::error::{Error, Result};
use std::fmt::{Debug, Formatter};

/// A contact law with its solver and its last solution.
pub trait Law: Send {
    /// A new law of the same kind, with capacity for problems of this size.
    fn renewed(&self, capacity: &Capacity) -> Box<dyn Law>;

    /// Solves for the impulses and modes of a step's rows, and writes them over the guess in
    /// [`Request::posed`]. If the budget ends first, the best iterate is returned, and the certificate says
    /// that it did not converge.
    ///
    /// # Errors
    /// `Capacity`, and `Numerical` for NaN or ∞ in the input or output.
    fn solve(&mut self, step: &mut dyn Request, work_budget: &WorkBudget) -> Result<Outcome>;

    /// Largest scaled residual at which [`Law::adopt`] accepts a solution. `None` for a law without
    /// [`Law::adopt`].
    fn adopts_within(&self) -> Option<f64> {
        None
    }

    /// Takes impulses and modes found elsewhere as if [`Law::solve`] had found them, so that they can be
    /// linearized.
    ///
    /// # Errors
    /// `Unsupported` for a law that cannot take a solution.
    fn adopt(
        &mut self,
        _problem: &Problem,
        _lambda: &[f64],
        _modes: &[Mode],
        _certificate: Certificate,
    ) -> Result<()> {
        Err(Error::unsupported(
            "this contact law does not take solutions of another solver",
        ))
    }

    /// The derivative at the last solution. `problem` is the problem that was solved. The preparation is
    /// done once and kept.
    ///
    /// # Errors
    /// `NoStep` before a solve, `NotConverged` if the last solve did not converge.
    fn linearize(&mut self, problem: &Problem) -> Result<&mut dyn Linearized>;

    /// For a law whose impulses are a function of the velocity at the end of the step (compliant contact):
    /// the impulses for the velocity g, as in inverse dynamics. They are written as by [`Law::solve`].
    ///
    /// # Errors
    /// `Unsupported` for other laws.
    fn answer(&mut self, _step: &mut dyn Request) -> Result<()> {
        Err(not_a_function())
    }

    /// The friction cone of the contacts that the law expects.
    fn cone(&self) -> Cone;

    /// True if impulses do not depend, to the last bit, on rows of other islands.
    fn is_local(&self) -> bool;
}

// A supertrait would keep the texts of all types behind this one in the library.
impl Debug for dyn Law {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("a contact law")
    }
}

/// The problem builder of a step: a law asks it to set the biases of the rows.
pub trait Request {
    /// Sets the biases of all rows for this level of stabilization, and guesses impulses and modes from
    /// the last step. Call it before [`Request::posed`].
    fn ask(&mut self, push_out: PushOut);

    /// True if some stabilization velocity is nonzero, and all of them are at most `up_to` [m/s or rad/s].
    /// The tolerance of a solution leaves small gaps, which cause such velocities in the next step. If
    /// friction holds all contacts, no impulse can satisfy them.
    fn has_small_biases(&self, _up_to: f64) -> bool {
        false
    }

    /// Poses the last problem again with biases of at most `up_to` set to zero. The guess is that of
    /// [`Request::ask`].
    fn drop_biases(&mut self, _up_to: f64) {}

    /// The problem with the biases that were set last.
    fn posed(&mut self) -> Posed<'_>;

    /// The next gentler level of stabilization; `None` if nothing is to be stabilized, or this is the
    /// last level.
    fn gentler(&self, push_out: PushOut) -> Option<PushOut>;

    /// True if the last solution throws a body (overshoot): the stabilization makes a dof several times
    /// faster than it may be by stabilization.
    fn throws(&mut self) -> bool;

    /// Splits the step into regions that no row joins, and returns their number. Each region has its own
    /// level of stabilization. Without this call the step is one region.
    ///
    /// # Errors
    /// `Internal` for rows of trees that the model does not have.
    fn split(&mut self) -> Result<usize> {
        Ok(1)
    }

    /// Makes the other requests act on one region, and returns where its stabilization may begin.
    fn enter(&mut self, _region: usize) -> Start {
        Start::NONE
    }

    /// Takes the level of stabilization of the region's solution.
    fn leave(&mut self, _chosen: Chosen) {}
}

/// Where the stabilization of a region may begin.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// The levels of the last steps.
    pub jam: Jam,
    /// The level of an earlier solve of this step with fewer rows; full if there was none.
    pub begun: PushOut,
}

impl Start {
    pub const NONE: Start = Start {
        jam: Jam::NONE,
        begun: PushOut::Full,
    };
}

/// The level of stabilization of a region's solution.
#[derive(Clone, Copy, Debug)]
pub struct Chosen {
    /// The level that a slightly deeper penetration would have selected, if it is another level (a kink).
    pub beside: Option<PushOut>,
    /// State for the next step.
    pub jam: Jam,
    /// True if the solution converged.
    pub solved: bool,
    /// True if a problem at a higher level was not solved. If it was solved and threw a body, the choice of
    /// the level is a bound on a velocity, which holds at nearby states.
    pub unsolved: bool,
}

/// The problem of a step with a guess of its solution. The solution replaces the guess.
pub struct Posed<'a> {
    pub problem: Problem<'a>,
    /// The blocks to solve, in increasing order: those of the region that was entered. `None`: all blocks.
    pub blocks: Option<&'a [usize]>,
    /// For compliant rows: R by blocks; and `kept`, the velocity before the step minus the velocity without
    /// impulses, in the coordinates of the `WhitenedJacobian`. Both are empty for rigid rows.
    pub regularization: &'a [Regularization],
    pub kept: &'a [f64],
    pub lambda: &'a mut [f64],
    /// Mode of each block, which the step reports.
    pub modes: &'a mut [Mode],
}

/// The result of a solve.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub certificate: Certificate,
    /// Whether a failure at a higher level of stabilization led to the solution of some region. The
    /// derivative does not include this choice.
    pub yielded: bool,
}

impl Outcome {
    /// The result of a solve with full stabilization.
    pub fn full(certificate: Certificate) -> Outcome {
        Outcome {
            certificate,
            yielded: false,
        }
    }

    /// Joins the results of two regions. Each region may spend the whole budget.
    pub(in crate::contact) fn join(&mut self, other: &Outcome) {
        let [mut spent, own] = [self.certificate.spent, other.certificate.spent];
        spent.most(&own);
        self.certificate.join(&other.certificate);
        self.certificate.add_work(&other.certificate);
        self.certificate.spent = spent;
        self.yielded |= other.yielded;
    }
}

pub(in crate::contact) fn not_a_function() -> Error {
    Error::unsupported(
        "with this contact law, impulses are not a function of the velocity after the step",
    )
}

/// The derivative of a law at its solution. `problem` is the problem that was solved.
pub trait Linearized {
    /// dλ for `columns` directions. `w` (n × columns) is the variation of σ at fixed λ; `limits`
    /// (blocks × columns) is the variation of friction coefficients and bounds.
    fn apply(
        &mut self,
        problem: &Problem,
        w: &[f64],
        limits: Option<&[f64]>,
        columns: usize,
        dlambda: &mut [f64],
    ) -> Result<()>;

    /// dλ for the total variation of σ, for a law with [`Law::answer`].
    ///
    /// # Errors
    /// As [`Law::answer`].
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

    /// The label of the derivative. Call it before you use the derivative: it may replace the derivative.
    /// This happens at a switch, if the equations that all modes there have in common determine the
    /// derivative.
    fn verdict(&mut self, problem: &Problem, state: &mut dyn Variations) -> Result<Verdict>;

    /// True if some variation of the impulses cancels the variation `w` on all active rows. Redundant rows
    /// may be inconsistent.
    fn answers(&mut self, _problem: &Problem, _w: &[f64]) -> Result<bool> {
        Ok(true)
    }

    /// Whether the impulses are unique, as far as is known.
    fn is_unique(&mut self, _problem: &Problem) -> Result<bool> {
        Ok(true)
    }

    /// Takes the derivative in other modes (the aware gradient), until [`Linearized::put_back`]. A contact
    /// or limit changes its mode if λ̄ = ∂L/∂λ < 0 in its normal row: then a descent of L can lead to the
    /// other mode. `turn` says whether active or open contacts change. Returns the number of changes; with
    /// 0 the derivative stays. A law without modes returns 0.
    fn sort_by_descent(
        &mut self,
        _problem: &Problem,
        _lambda_bar: &[f64],
        _turn: Turn,
    ) -> Result<usize> {
        Ok(0)
    }

    /// Restores the derivative at the solution, to the bit, after [`Linearized::sort_by_descent`]. Call
    /// it before any other use.
    fn put_back(&mut self, _problem: &Problem) -> Result<()> {
        Ok(())
    }

    /// Prepares [`Linearized::differs`] at the last solution. [`Linearized::end_sides`] must follow before
    /// any other use.
    fn begin_sides(&mut self, _problem: &Problem) -> Result<()> {
        Ok(())
    }

    /// True if the response to one variation may depend on the side of a switch. Call it with
    /// [`Side::Solution`] for every variation of interest, and then with [`Side::Released`]. The response
    /// is the same on all sides if both calls return false.
    ///
    /// A law that does not compare sides returns true for every nonzero variation.
    fn differs(&mut self, _problem: &Problem, x: &Variation<'_>, _side: Side) -> Result<bool> {
        Ok(x.is_felt())
    }

    /// Restores the derivative at the solution, to the bit.
    fn end_sides(&mut self, _problem: &Problem) -> Result<()> {
        Ok(())
    }

    /// The form in which Jacobians read the derivative.
    fn product(&mut self, _problem: &Problem) -> Product<'_> {
        Product::Columns
    }
}

/// Which contacts change their mode for a descent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Active contacts are released.
    Release,
    /// Open contacts are closed.
    Hold,
}

/// One variation of a problem: of σ at fixed impulses, and of friction coefficients and bounds by blocks.
#[derive(Clone, Copy, Debug)]
pub struct Variation<'a> {
    pub w: &'a [f64],
    pub limits: &'a [f64],
    /// Velocities up to this are round-off of the variation.
    pub felt: f64,
}

impl Variation<'_> {
    /// True if some row or block varies.
    pub fn is_felt(&self) -> bool {
        self.w.iter().any(|w| w.abs() > self.felt) || self.limits.iter().any(|x| *x != 0.0)
    }
}

/// The modes in which [`Linearized::differs`] computes the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The modes of the solution.
    Solution,
    /// The modes of the solution, with every block at a switch released.
    Released,
}

/// Random variations of a step's problem. A linear condition that one random variation satisfies holds for
/// all variations (almost surely).
pub trait Variations {
    /// w ← the variation of σ along a displacement, a velocity before the step, and a velocity caused by
    /// forces.
    fn of_state(&mut self, w: &mut [f64]);

    /// w ← J x for the first or the second of two random velocities x. The second one is the velocity by
    /// forces that [`Variations::of_state`] uses.
    fn of_velocity(&mut self, which: usize, w: &mut [f64]);

    /// w ← the variation of J x along the random displacement, for a random velocity x. Zero if J is
    /// constant.
    fn of_rows(&mut self, w: &mut [f64]);
}

/// The label of a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is the derivative.
    Exact,
    /// It is the derivative of one side of a switch.
    OneSided,
    /// There is no derivative, for this reason.
    Refused(&'static str),
}
