//! The work budget of a solve.

use crate::contact::tuning::{JAMMED_ROWS, LARGE_FACTORIZATION};

/// The budget of a solve, or the part of it that was spent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkBudget {
    /// Number of iterations of any kind.
    pub iterations: usize,
    /// Work, in factorizations of this problem in its usual form, each with its solves. A factorization
    /// that is larger than the bodies require counts as more. With several islands each island may spend
    /// the full budget: all islands together then take as many factorizations of the whole problem.
    pub work: f64,
}

/// Multiplications of a factorization of one matrix with this many rows.
pub(in crate::contact) fn dense_cost(rows: usize) -> f64 {
    (rows as f64).powi(3) / 3.0
}

/// Weight of a factorization with `cost` multiplications, of `rows` rows on `coordinates` coordinates.
pub(in crate::contact) fn weight(cost: f64, rows: usize, coordinates: usize) -> f64 {
    let crowded = rows as f64 / (JAMMED_ROWS * coordinates.max(1) as f64);
    (cost / LARGE_FACTORIZATION).min(crowded).max(1.0)
}

impl WorkBudget {
    pub const NONE: WorkBudget = WorkBudget {
        iterations: 0,
        work: 0.0,
    };

    /// The budget that remains after `spent`.
    #[must_use]
    pub fn without(&self, spent: &WorkBudget) -> WorkBudget {
        WorkBudget {
            iterations: self.iterations.saturating_sub(spent.iterations),
            work: (self.work - spent.work).max(0.0),
        }
    }

    /// A share of the budget.
    #[must_use]
    pub fn share(&self, part: f64) -> WorkBudget {
        WorkBudget {
            iterations: (part * self.iterations as f64).ceil() as usize,
            work: part * self.work,
        }
    }

    /// Number of iterations, at most `wanted`, that the budget allows if each costs `each`.
    pub(in crate::contact) fn grant(&self, wanted: usize, each: f64) -> usize {
        // The cast of a number too large for an integer saturates.
        wanted.min(self.iterations).min((self.work / each) as usize)
    }

    /// Number of Newton steps that the budget allows.
    pub fn newton_steps(&self) -> usize {
        self.grant(usize::MAX, 1.0)
    }

    /// Adds `iterations` iterations that cost `each`.
    pub fn spend(&mut self, iterations: usize, each: f64) {
        self.iterations += iterations;
        self.work += each * iterations as f64;
    }

    /// Adds the cost of a later solve.
    pub fn add(&mut self, other: &WorkBudget) {
        self.iterations += other.iterations;
        self.work += other.work;
    }

    /// Takes the larger of the costs of two islands that were solved side by side.
    pub(in crate::contact) fn most(&mut self, other: &WorkBudget) {
        self.iterations = self.iterations.max(other.iterations);
        self.work = self.work.max(other.work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_factorizations_of_jams_alone_count_as_more() {
        let by_trees = |rows: usize, dofs: usize| weight((rows * dofs * dofs) as f64, rows, dofs);
        // A jammed quadruped, and a pile of 60 boxes with four contacts each, whose matrix is sparse.
        assert_eq!(by_trees(750, 18), 1.0);
        assert_eq!(weight(5e6, 720, 360), 1.0);
        // The first is bounded by rows, the second by multiplications.
        assert_eq!(by_trees(680, 85), 4.0);
        assert_eq!(by_trees(1250, 40), 2.0);
    }
}
