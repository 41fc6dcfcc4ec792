//! What is tried on a contact problem, in which order, and what each may spend: the one place that says so.
//!
//! A step asks for what overlaps and passed limits are to give back, and where that has no solution for less
//! ([`DEMANDS`]). Each of these problems falls into islands, on each of which the methods of `METHODS` are tried one
//! after the other until one solves it. Islands that are left over are tried once more at the last, with a dense matrix if
//! they are small enough ([`DENSE_AT_LAST`]): it tells which rows depend on each other. What a step spends in all is
//! bounded by [`Allowance`](crate::contact::allowance::Allowance), whatever the table would allow; what remains unsolved then is returned as
//! [`NcpSolver`](super::NcpSolver) documents.

use crate::contact::certificate::Effort;

/// A method of the default path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Mode-fixed Newton from the modes given: wrong ones are rarely mended by more of it.
    Given,
    /// Sweeps that guess modes, and Newton from these.
    Guessed,
    /// Pivots that follow nearly dependent rows: from the present impulses and then from rest, each as long.
    Pivots,
    /// The interior point, which finds modes from any start.
    Interior,
    /// Pivots that find the rank; ranks are not found by trees.
    PivotsByRank,
    /// The central path through its folds.
    Continuation,
}

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rung {
    pub method: Method,
    /// Factorizations, without those that polish what was found (at most [`FOUND`]).
    pub at_most: usize,
    /// The least effort with which it is tried.
    pub effort: Effort,
}

/// On an island, in this order. Five of six solved islands end in the first line, with one or two factorizations.
pub(super) const METHODS: [Rung; 6] = [
    rung(Method::Given, 6, Effort::Brief),
    rung(Method::Guessed, 5, Effort::Brief),
    rung(Method::Pivots, 16, Effort::Usual),
    rung(Method::Interior, 50, Effort::Usual),
    rung(Method::PivotsByRank, 100, Effort::Thorough),
    rung(Method::Continuation, 600, Effort::Thorough),
];

/// Factorizations on the least impulse in modes that were found, and on polishing what pivots, the interior point or
/// continuation ended in.
pub(super) const FOUND: usize = 12;
pub(super) const POLISH: usize = 4;

/// Factorizations on choosing the least of the impulses of one set of modes and those that follow from it: 98 of 100 that
/// are found take fewer, others 340. Without it the nearest impulse stands. With 24 a robot that stands with dry friction in
/// its joints seeks it in every step, and never has it.
pub(super) const LEAST_NORM: f64 = 60.0;

/// Sweeps that guess modes.
pub(super) const SWEEPS: usize = 6;

/// Islands of more rows are solved by trees even at the last.
pub const DENSE_AT_LAST: usize = 330;

/// How hard a step tries for one of its demands.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// Share of what is left of the allowance.
    pub share: f64,
    pub effort: Effort,
}

/// For what overlaps and passed limits are to give back by rigid rows; the same while bodies stay jammed and most steps
/// take no pains; by rows that yield; and what is asked where there is nothing gentler, with the whole allowance.
pub struct Demands {
    pub all: Demand,
    pub jammed: Demand,
    pub soft: Demand,
    pub least: Demand,
}

pub const DEMANDS: Demands = Demands {
    all: demand(0.5, Effort::Usual),
    jammed: demand(0.25, Effort::Brief),
    soft: demand(0.5, Effort::Usual),
    least: demand(1.0, Effort::Thorough),
};

/// Work of a sweep of Gauss–Seidel, in factorizations: by trees it reads what the matrix is filled from, whose product
/// with itself takes as many times longer as a row has entries, six for a free body; its own solutions cost as much
/// as some of that.
pub(super) const SWEEP: f64 = 0.25;

const fn rung(method: Method, at_most: usize, effort: Effort) -> Rung {
    Rung {
        method,
        at_most,
        effort,
    }
}

const fn demand(share: f64, effort: Effort) -> Demand {
    Demand { share, effort }
}
