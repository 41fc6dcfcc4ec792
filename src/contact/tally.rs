//! Counts of each method of the contact solvers in a step: tries, solutions and work.

/// A method of rigid contact, in the tables of [`ncp`](super::ncp).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Newton's method with fixed modes, from the modes of the last step. The budget is small because
    /// further iterations rarely repair wrong modes.
    Given,
    /// Sweeps that guess modes, and Newton's method from these modes.
    Guessed,
    /// Alternating directions, and Newton's method from their modes: for compliant contacts.
    Alternating,
    /// Pivots along the line from a problem that the impulses of the sweeps solve.
    Parametric,
    /// Pivots from the present impulses, and with a matrix also from zero impulses: for nearly dependent
    /// rows.
    Pivots,
    /// The interior point, which finds modes from any start.
    Interior,
    /// Continuation: the central path through its folds.
    Continuation,
}

/// A method of any contact solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Block pivots on the bounds of single dofs, in a step without contacts.
    Bounds,
    Rigid(Method),
    /// Newton's method for compliant contact.
    Compliant,
}

/// Number of stages.
const STAGES: usize = 9;

impl Stage {
    /// All stages, in the order of their counts.
    pub const ALL: [Stage; STAGES] = [
        Stage::Bounds,
        Stage::Compliant,
        Stage::Rigid(Method::Given),
        Stage::Rigid(Method::Guessed),
        Stage::Rigid(Method::Alternating),
        Stage::Rigid(Method::Parametric),
        Stage::Rigid(Method::Pivots),
        Stage::Rigid(Method::Interior),
        Stage::Rigid(Method::Continuation),
    ];

    fn index(self) -> usize {
        match self {
            Stage::Bounds => 0,
            Stage::Compliant => 1,
            Stage::Rigid(method) => 2 + method as usize,
        }
    }
}

/// Counts of one method.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Count {
    /// Number of islands on which it was tried; at most 65,535 in a step.
    pub tried: u16,
    /// Number of islands that it solved.
    pub found: u16,
    /// Work of all tries, in factorizations as in
    /// [`WorkBudget`](crate::contact::work_budget::WorkBudget).
    pub work: f32,
}

/// Counts of all methods, summed over all islands and all problems of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Bit k says whether stage k was tried: most solves try one, and only its counts are added.
    used: u32,
    counts: [Count; STAGES],
}

impl Tally {
    pub const NONE: Tally = Tally {
        used: 0,
        counts: [Count {
            tried: 0,
            found: 0,
            work: 0.0,
        }; STAGES],
    };

    pub fn of(&self, stage: Stage) -> Count {
        self.counts[stage.index()]
    }

    /// Counts one try of a method.
    pub(crate) fn count(&mut self, stage: Stage, found: bool, work: f64) {
        self.used |= 1 << stage.index();
        let own = &mut self.counts[stage.index()];
        own.tried = own.tried.saturating_add(1);
        own.found = own.found.saturating_add(u16::from(found));
        own.work += work as f32;
    }

    /// Scales all work.
    pub(in crate::contact) fn weigh(&mut self, weight: f64) {
        for k in bits(self.used) {
            self.counts[k].work *= weight as f32;
        }
    }

    /// Adds the counts of another solve.
    pub(in crate::contact) fn add(&mut self, other: &Tally) {
        self.used |= other.used;
        for k in bits(other.used) {
            let (own, other) = (&mut self.counts[k], other.counts[k]);
            own.tried = own.tried.saturating_add(other.tried);
            own.found = own.found.saturating_add(other.found);
            own.work += other.work;
        }
    }
}

/// The bits that are set.
fn bits(mut left: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(next)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_hold_the_counts_of_both() {
        let [given, last] = [Method::Given, Method::Continuation].map(Stage::Rigid);
        let (mut sum, mut other) = (Tally::NONE, Tally::NONE);
        sum.count(Stage::Bounds, true, 3.0);
        other.count(given, true, 1.5);
        other.count(given, false, 1.0);
        other.count(last, false, 4.0);
        other.weigh(2.0);
        sum.add(&other);
        let counts = |tried: u16, found: u16, work: f32| Count { tried, found, work };
        assert_eq!(sum.of(given), counts(2, 1, 5.0));
        assert_eq!(sum.of(last), counts(1, 0, 8.0));
        assert_eq!(sum.of(Stage::Bounds), counts(1, 1, 3.0));
        assert_eq!(sum.of(Stage::Compliant), counts(0, 0, 0.0));
    }

    #[test]
    fn every_stage_has_its_own_place() {
        for (k, stage) in Stage::ALL.into_iter().enumerate() {
            assert_eq!(stage.index(), k, "{stage:?}");
        }
    }
}
