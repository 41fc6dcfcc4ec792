//! What is tried on a contact problem, in which order, when, with what budget, and who may end it: the one place that
//! says so. docs/contact.md has the same tables.
//!
//! A step asks for what overlaps and passed limits are to give back, and where that has no solution for less
//! ([`DEMANDS`]). Each of these problems falls into islands, on each of which the methods of [`METHODS`] are tried one
//! after the other until one solves it, and those of [`AT_LAST`] once all have had their turn. What a step spends in
//! all is bounded by [`Allowance`](crate::contact::allowance::Allowance), whatever the tables would allow; what remains
//! unsolved then is returned as [`NcpSolver`](super::NcpSolver) documents.

use crate::contact::capacity::DENSE;
use crate::contact::certificate::{Effort, Path};
use crate::contact::push_out::Jam;
use Effort::{Brief, Thorough, Usual};
use Method::{
    Continuation, Given, Guessed, Interior, Parametric, ParametricFromRest, Pivots, PivotsByRank,
    PivotsFromRest, Rays,
};
use When::{
    Always, Circular, CircularDense, Closed, Dense, FewHeld, Pyramids, PyramidsByTrees,
    PyramidsDense, Trees,
};

/// A method of the default path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Mode-fixed Newton from the modes given: wrong ones are rarely mended by more of it.
    Given,
    /// Sweeps that guess modes, and Newton from these.
    Guessed,
    /// Pivots from the present impulses, which follow nearly dependent rows.
    Pivots,
    /// The same from rest.
    PivotsFromRest,
    /// The interior point, which finds modes from any start.
    Interior,
    /// Pivots that find the rank, from the present impulses and then from rest.
    PivotsByRank,
    /// The central path through its folds.
    Continuation,
    /// Pivots from a problem that has no impulses along normals, however much more it opens.
    Rays,
    /// Pivots along the line from a problem that the impulses of the sweeps solve.
    Parametric,
    /// The same from a problem that no impulse solves.
    ParametricFromRest,
}

/// Which impulse Newton's method takes where redundant rows leave a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The one of least norm; for problems by trees the nearest one.
    Least,
    /// The one nearest to the start: from close to a solution this stays close, also where the velocity itself depends
    /// on the choice, as for bodies that slide and turn on many points.
    Nearest,
    /// The nearest one in modes as they come: what is done next takes the closed side of switches.
    Any,
    /// The least one, if at most a few blocks are in other modes than they seem to be.
    Direct,
}

impl Choice {
    /// Whether it is one of least norm, where that can be found.
    pub(super) fn is_least(self) -> bool {
        matches!(self, Choice::Least | Choice::Direct)
    }
}

/// What a line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Always,
    /// Friction is in circular cones.
    Circular,
    /// So it is, and G is a matrix.
    CircularDense,
    /// Friction is in pyramids.
    Pyramids,
    /// So it is, and G is a matrix.
    PyramidsDense,
    /// So it is, and G comes by trees.
    PyramidsByTrees,
    /// G is a matrix.
    Dense,
    /// G is a matrix, and blocks at a switch were closed after a cold start.
    Closed,
    /// G comes by trees.
    Trees,
    /// G is a matrix, and the modes hold at most [`FEW_HELD`] rows.
    FewHeld,
}

/// One line of [`METHODS`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Rung {
    pub method: Method,
    pub when: When,
    /// Factorizations, without those of [`SETTLE`] and [`POLISH`].
    pub at_most: usize,
    /// The least effort with which it is tried.
    pub effort: Effort,
    /// Who ends the search, besides [`Path::Polished`]: but for the central path's two, which may end it by a residual
    /// within the tolerance, only Newton's method does, which verifies every inequality.
    pub path: Path,
}

/// On an island, in this order. docs/contact.md has how many found their answer in which line.
pub(super) const METHODS: [Rung; 11] = [
    rung(Given, Always, 6, Brief, Path::Newton),
    rung(Guessed, Always, 5, Brief, Path::Polished),
    rung(Parametric, Pyramids, 40, Usual, Path::Polished),
    rung(Rays, PyramidsByTrees, 200, Usual, Path::Polished),
    rung(Pivots, Circular, 16, Usual, Path::Polished),
    rung(PivotsFromRest, CircularDense, 16, Usual, Path::Polished),
    rung(Interior, Always, 50, Usual, Path::Interior),
    rung(PivotsByRank, Dense, 100, Thorough, Path::Polished),
    rung(Rays, PyramidsByTrees, 200, Thorough, Path::Polished),
    rung(Continuation, Always, 800, Thorough, Path::Continuation),
    rung(
        ParametricFromRest,
        PyramidsDense,
        200,
        Thorough,
        Path::Polished,
    ),
];

/// How fast open contacts move across their normals where parametric pivots from rest begin, one tried after the other, in
/// units of the largest velocity: where bodies can wedge themselves, mostly one of two opposite slips has a path to the end.
pub(super) const SLIPS: [f64; 3] = [0.0, 10.0, -10.0];

/// Factorizations of Newton's method from the modes that a ray leads to, where settling takes more than usual.
pub(super) const FROM_RAY: usize = 8;

/// One run of Newton's method.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    pub choice: Choice,
    pub when: When,
    /// Factorizations; zero: as many as the line of [`METHODS`] allows.
    pub at_most: usize,
}

/// From modes, the first that succeeds; what [`Choice::Any`] finds is settled.
pub(super) const FROM_MODES: [Attempt; 3] = [
    attempt(Choice::Direct, FewHeld, 0),
    attempt(Choice::Any, Dense, 0),
    attempt(Choice::Nearest, Trees, 0),
];

/// From a solution to the one that is returned, the first that succeeds.
pub(super) const SETTLE: [Attempt; 3] = [
    attempt(Choice::Least, Dense, 12),
    attempt(Choice::Least, Closed, 12),
    attempt(Choice::Nearest, Always, 4),
];

/// From an iterate at the end of the central path.
pub(super) const POLISH: [Attempt; 2] = [
    attempt(Choice::Least, Dense, 4),
    attempt(Choice::Nearest, Always, 4),
];

/// Held rows that are few enough to find their rank before it is known whether the modes are right: with half of them warm
/// starts take 44 % more factorizations, with twice as many hard problems take 6 % longer.
pub(super) const FEW_HELD: usize = 12;

/// Factorizations on choosing the least of the impulses of one set of modes and those that follow from it; without it the
/// nearest impulse stands. With 24 a robot that creeps on dry friction has 45 % of its steps one-sided instead of 41 %.
pub(super) const LEAST_NORM: f64 = 60.0;

/// Short steps of the interior point in a row that end it: one loses 59 of 148 problems that get there, and six find two more for
/// 4 % of the work.
pub(super) const PATIENCE: usize = 3;

/// Sweeps that guess modes: three lose 8 of 1,355 problems that need them.
pub(super) const SWEEPS: usize = 6;

/// Work of a sweep of Gauss–Seidel, in factorizations: by trees it reads what the matrix is filled from, whose product
/// with itself takes as many times longer as a row has entries, six for a free body; its own solutions cost as much
/// as some of that.
pub(super) const SWEEP: f64 = 0.25;

/// What [`METHODS`] left unsolved where nothing gentler can be asked: continuation alone, by trees after pivots
/// along a ray, with a matrix for islands of up to so many rows, which tells what depends on what. Each way of holding an island has one
/// turn.
pub(super) const AT_LAST: [usize; 2] = [DENSE, DENSE_AT_LAST];

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
    all: demand(0.5, Usual),
    jammed: demand(0.25, Brief),
    soft: demand(0.5, Usual),
    least: demand(1.0, Thorough),
};

/// When bodies jam, so many steps take pains to push them out by rigid rows, and then one in so many; one of fewer tries
/// it briefly, and the others begin with what the last one did.
const FIRST_PAINS: u8 = 2;
const TRIES: u8 = 8;
const PAINS: u8 = 128;

/// What a step does for all of the push-out before it does with less; none if it begins with what the last one did.
pub(super) fn full_push_out(jam: Jam) -> Option<Demand> {
    let steps = jam.steps;
    if steps < FIRST_PAINS || steps.is_multiple_of(PAINS) {
        Some(DEMANDS.all)
    } else if steps.is_power_of_two() || steps.is_multiple_of(TRIES) {
        Some(DEMANDS.jammed)
    } else {
        None
    }
}

const fn rung(method: Method, when: When, at_most: usize, effort: Effort, path: Path) -> Rung {
    Rung {
        method,
        when,
        at_most,
        effort,
        path,
    }
}

const fn attempt(choice: Choice, when: When, at_most: usize) -> Attempt {
    Attempt {
        choice,
        when,
        at_most,
    }
}

const fn demand(share: f64, effort: Effort) -> Demand {
    Demand { share, effort }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn when(when: When) -> String {
        match when {
            Always => "all".into(),
            Circular => "circular cones".into(),
            CircularDense => "circular cones, matrix".into(),
            Closed => "matrix, cold, closed at a switch".into(),
            Pyramids => "pyramids".into(),
            PyramidsDense => "pyramids, matrix".into(),
            PyramidsByTrees => "pyramids, trees".into(),
            Dense => "matrix".into(),
            Trees => "trees".into(),
            FewHeld => format!("matrix, ≤ {FEW_HELD} rows held"),
        }
    }

    fn choice(choice: Choice) -> &'static str {
        match choice {
            Choice::Least => "least impulse",
            Choice::Nearest => "nearest impulse",
            Choice::Any => "nearest impulse, modes as they come, then settled",
            Choice::Direct => "least impulse, a few wrong modes",
        }
    }

    fn method(method: Method) -> String {
        match method {
            Given => "Newton from the modes given".into(),
            Guessed => format!("{SWEEPS} sweeps, Newton from their modes"),
            Parametric => "parametric pivots from the present impulses".into(),
            Rays => "pivots along a ray".into(),
            ParametricFromRest => "parametric pivots from rest".into(),
            Pivots => "pivots from the present impulses".into(),
            PivotsFromRest => "pivots from rest".into(),
            Interior => "interior point".into(),
            PivotsByRank => "pivots that find the rank".into(),
            Continuation => "continuation".into(),
        }
    }

    /// The tables as docs/contact.md has them.
    fn tables() -> String {
        let mut text = String::from(
            "| method | problems | factorizations | effort | ends as |\n|---|---|---|---|---|\n",
        );
        for r in METHODS {
            let (name, when) = (method(r.method), when(r.when));
            let (at_most, effort) = (r.at_most, format!("{:?}", r.effort).to_lowercase());
            text += &format!(
                "| {name} | {when} | {at_most} | {effort} | {:?} |\n",
                r.path
            );
        }
        text += "\n| Newton | problems | factorizations |\n|---|---|---|\n";
        let runs = [
            ("from modes", FROM_MODES.as_slice()),
            ("settled", &SETTLE),
            ("polished", &POLISH),
        ];
        for (name, attempts) in runs {
            for a in attempts {
                let at_most = match a.at_most {
                    0 => "as above".into(),
                    n => n.to_string(),
                };
                text += &format!(
                    "| {name}: {} | {} | {at_most} |\n",
                    choice(a.choice),
                    when(a.when)
                );
            }
        }
        text += "\n| demand | share of what is left | effort |\n|---|---|---|\n";
        for (name, d) in [
            ("all push-out, rigid rows", DEMANDS.all),
            ("the same in most steps of a jam", DEMANDS.jammed),
            ("rows that yield", DEMANDS.soft),
            ("where there is nothing gentler", DEMANDS.least),
        ] {
            let effort = format!("{:?}", d.effort).to_lowercase();
            text += &format!("| {name} | {} | {effort} |\n", d.share);
        }
        let [held, most] = AT_LAST;
        text + &format!(
            "\nAt the last: continuation with a matrix up to {held} rows, then up to {most}; by trees after pivots along a ray.\n"
        )
    }

    #[test]
    fn the_docs_have_these_tables() {
        let docs = include_str!("../../../docs/contact.md");
        let tables = tables();
        println!("{tables}");
        assert!(
            docs.contains(&tables),
            "docs/contact.md should have\n{tables}"
        );
    }
}
