//! The tables of the default path. For each method they give its place in the order, the problems it
//! applies to, its budget, and whether it may end the search. docs/contact-methods.md has the same tables.
//!
//! A step first requests full stabilization of overlaps and passed limits. If that problem is not solved,
//! the step requests a lower level ([`DEMANDS`]). Each of these problems splits into islands. On each
//! island the methods of [`METHODS`] are tried one after the other until one solves it.
//! [`WorkBudget`](crate::contact::work_budget::WorkBudget) bounds the total work of a step, in addition to
//! the tables. [`NcpSolver`](super::NcpSolver) documents the result for a problem that no method solved.

use crate::contact::certificate::{Effort, Path};
use crate::contact::push_out::Jam;
use crate::contact::tally::Method;
use crate::contact::tuning::{JAM_BRIEF, JAM_FIRST, JAM_USUAL};
use Effort::{Brief, Thorough, Usual};
use Method::{Alternating, Continuation, Given, Guessed, Interior, Parametric, Pivots};
use When::{Always, Dense, FewHeld, Narrow, Pyramids, Rigid, RigidCones, Torsion, Trees, Warm};

/// The impulse that Newton's method takes if redundant rows make it not unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The impulse of least norm. For problems stored by trees, the nearest one.
    Least,
    /// The impulse nearest to the start. A start near a solution thus leads to a nearby solution, even if
    /// the velocity depends on the choice, as for bodies that slide and turn on many points.
    Nearest,
    /// The nearest impulse, with modes at a switch left as they are. The next step (settling) takes the
    /// closed side of switches.
    Any,
    /// The impulse of least norm, given up if more than a few blocks turn out to be in other modes.
    Direct,
    /// The same, given up at the first block in another mode, and if no impulse near that of the last step
    /// is inside.
    Same,
}

impl Choice {
    /// Whether this is a least-norm choice, if such an impulse can be found.
    pub(super) fn is_least(self) -> bool {
        matches!(self, Choice::Least | Choice::Direct | Choice::Same)
    }
}

/// The problems that a line applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Always,
    /// No contact has torsional or rolling friction, and contacts are rigid.
    Rigid,
    /// The same, and friction is in circular cones.
    RigidCones,
    /// Some contact has torsional or rolling friction, or all contacts are compliant.
    Alternating,
    /// No contact has torsional or rolling friction.
    Narrow,
    /// Some contact has torsional or rolling friction. The interior point then starts near the boundary: its
    /// path from there often has no fold where the one from the middle has one.
    Torsion,
    /// Friction is in pyramids without torsional or rolling friction.
    Pyramids,
    /// G is a matrix.
    Dense,
    /// G is stored by trees.
    Trees,
    /// G is a matrix, and at most [`FEW_HELD`] rows are active.
    FewHeld,
    /// G is a matrix, more rows are active, and modes and impulses are those of the last step.
    Warm,
}

/// One line of [`METHODS`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Rung {
    pub method: Method,
    pub when: When,
    /// Budget in factorizations, without those of [`SETTLE`] and [`POLISH`].
    pub at_most: usize,
    /// The least effort with which it is tried.
    pub effort: Effort,
    /// The search always ends with [`Path::Polished`], for which Newton's method has verified every
    /// inequality. It also ends with this path. Only the two methods on the central path end the search
    /// without Newton's method, by a residual within the tolerance.
    pub path: Path,
}

/// The methods for an island, in this order. docs/contact-methods.md lists how often each finds the solution.
pub(super) const METHODS: [Rung; 8] = [
    rung(Given, Always, 6, Brief, Path::Newton),
    rung(Guessed, Rigid, 5, Brief, Path::Polished),
    rung(Alternating, When::Alternating, 8, Brief, Path::Polished),
    rung(Parametric, Pyramids, 40, Usual, Path::Polished),
    rung(Pivots, RigidCones, 16, Usual, Path::Polished),
    rung(Interior, Always, 50, Usual, Path::Interior),
    rung(Interior, Torsion, 50, Thorough, Path::Interior),
    rung(Continuation, Narrow, 800, Thorough, Path::Continuation),
];

/// One run of Newton's method.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    pub choice: Choice,
    pub when: When,
    /// Budget in factorizations; zero for the budget of the line of [`METHODS`].
    pub at_most: usize,
}

/// Attempts of Newton's method from guessed modes, until one succeeds. A solution by [`Choice::Any`] is
/// settled afterwards.
pub(super) const FROM_MODES: [Attempt; 4] = [
    attempt(Choice::Direct, FewHeld, 0),
    attempt(Choice::Same, Warm, 0),
    attempt(Choice::Any, Dense, 0),
    attempt(Choice::Nearest, Trees, 0),
];

/// Settling: attempts of Newton's method from a solution to the one that is returned, until one succeeds.
pub(super) const SETTLE: [Attempt; 2] = [
    attempt(Choice::Least, Dense, 12),
    attempt(Choice::Nearest, Always, 4),
];

/// Polish: attempts of Newton's method from an iterate at the end of the central path.
pub(super) const POLISH: [Attempt; 2] = [
    attempt(Choice::Least, Dense, 4),
    attempt(Choice::Nearest, Always, 4),
];

/// The effort of a step for one level of stabilization.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// Share of the remaining budget.
    pub share: f64,
    pub effort: Effort,
}

/// Efforts of a step. `all`: full stabilization by rigid rows. `jammed`: the same, in a brief trial while
/// bodies stay jammed. `least`: where no gentler level is left, or rows are compliant, with the whole
/// remaining budget.
pub struct Demands {
    pub all: Demand,
    pub jammed: Demand,
    pub least: Demand,
}

pub const DEMANDS: Demands = Demands {
    all: demand(0.5, Usual),
    jammed: demand(0.25, Brief),
    least: demand(1.0, Thorough),
};

/// The effort for full stabilization before a gentler level; `None` if the step begins with the level of
/// the last one.
pub(super) fn full_push_out(jam: Jam) -> Option<Demand> {
    let steps = jam.steps;
    if steps < JAM_FIRST || steps.is_multiple_of(JAM_USUAL) {
        Some(DEMANDS.all)
    } else if steps.is_power_of_two() || steps.is_multiple_of(JAM_BRIEF) {
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
    use crate::contact::tuning::{FEW_HELD, SWEEPS};

    fn when(when: When) -> String {
        match when {
            Always => "all".into(),
            Narrow => "`condim` 1 and 3".into(),
            Torsion => "`condim` 4 and 6, from near the boundary".into(),
            RigidCones => "`condim` 1 and 3: circular cones, rigid".into(),
            Rigid => "`condim` 1 and 3: rigid".into(),
            When::Alternating => "compliant; `condim` 4 and 6".into(),
            Pyramids => "`condim` 1 and 3: pyramids".into(),
            Dense => "matrix".into(),
            Trees => "trees".into(),
            FewHeld => format!("matrix, ≤ {FEW_HELD} rows held"),
            Warm => format!("matrix, > {FEW_HELD} rows held, warm"),
        }
    }

    fn choice(choice: Choice) -> &'static str {
        match choice {
            Choice::Least => "least impulse",
            Choice::Nearest => "nearest impulse",
            Choice::Any => "nearest impulse, modes as they come, then settled",
            Choice::Direct => "least impulse, a few wrong modes",
            Choice::Same => "nearest impulse inside, no wrong mode",
        }
    }

    fn method(method: Method) -> String {
        match method {
            Given => "Newton from the modes given".into(),
            Guessed => format!("{SWEEPS} sweeps, Newton from their modes"),
            Parametric => "parametric pivots from the present impulses".into(),
            Pivots => "pivots from the present impulses; with a matrix also from rest".into(),
            Alternating => "alternating directions, Newton from their modes".into(),
            Interior => "interior point".into(),
            Continuation => "continuation".into(),
        }
    }

    /// The tables as in docs/contact-methods.md.
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
            ("rows that yield, or nothing gentler", DEMANDS.least),
        ] {
            let effort = format!("{:?}", d.effort).to_lowercase();
            text += &format!("| {name} | {} | {effort} |\n", d.share);
        }
        text
    }

    #[test]
    fn the_docs_have_these_tables() {
        let docs = include_str!("../../../docs/contact-methods.md");
        let tables = tables();
        println!("{tables}");
        assert!(
            docs.contains(&tables),
            "docs/contact-methods.md should have\n{tables}"
        );
    }
}
