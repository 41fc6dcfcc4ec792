//! What a solve may spend.

/// What a solve may spend or has spent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowance {
    /// Iterations of any kind.
    pub iterations: usize,
    /// In factorizations of the problem at hand as it is usually held, each with what is solved with it; one that is larger
    /// than the bodies call for counts as more. Of several islands each may spend as much: together as many
    /// factorizations of the whole.
    pub work: f64,
}

/// Multiplications up to which a factorization counts as one: four times those of 250 contacts on a quadruped.
const LARGE: f64 = 1e6;

/// Rows for each coordinate up to which it does, too: four contacts under each body of a pile. More are a jam, and many of
/// them redundant.
const JAMMED: f64 = 2.0;

/// Multiplications of a factorization of so many rows in one matrix.
pub(in crate::contact) fn dense_cost(rows: usize) -> f64 {
    (rows as f64).powi(3) / 3.0
}

/// What a factorization of so many multiplications counts as, of that many rows on so many coordinates.
pub(in crate::contact) fn weight(cost: f64, rows: usize, coordinates: usize) -> f64 {
    let crowded = rows as f64 / (JAMMED * coordinates.max(1) as f64);
    (cost / LARGE).min(crowded).max(1.0)
}

impl Allowance {
    pub const NONE: Allowance = Allowance {
        iterations: 0,
        work: 0.0,
    };

    /// What is left after `spent`.
    #[must_use]
    pub fn without(&self, spent: &Allowance) -> Allowance {
        Allowance {
            iterations: self.iterations.saturating_sub(spent.iterations),
            work: (self.work - spent.work).max(0.0),
        }
    }

    /// A part of it.
    #[must_use]
    pub fn share(&self, part: f64) -> Allowance {
        Allowance {
            iterations: (part * self.iterations as f64).ceil() as usize,
            work: part * self.work,
        }
    }

    /// How many of at most `wanted` iterations of this work each it lets through.
    pub(in crate::contact) fn grant(&self, wanted: usize, each: f64) -> usize {
        // A count that no integer holds saturates.
        wanted.min(self.iterations).min((self.work / each) as usize)
    }

    /// How many Newton steps it lets through.
    pub fn newton_steps(&self) -> usize {
        self.grant(usize::MAX, 1.0)
    }

    /// Adds iterations of this work each.
    pub fn spend(&mut self, iterations: usize, each: f64) {
        self.iterations += iterations;
        self.work += each * iterations as f64;
    }

    /// Adds what came after.
    pub fn add(&mut self, other: &Allowance) {
        self.iterations += other.iterations;
        self.work += other.work;
    }

    /// Of two islands that were solved at a time, what the one that spent more did.
    pub(in crate::contact) fn most(&mut self, other: &Allowance) {
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
        // A quadruped's jam, and a pile of 60 boxes on four contacts each, whose matrix is sparse.
        assert_eq!(by_trees(750, 18), 1.0);
        assert_eq!(weight(5e6, 720, 360), 1.0);
        // By rows, and by multiplications.
        assert_eq!(by_trees(680, 85), 4.0);
        assert_eq!(by_trees(1250, 40), 2.0);
    }
}
