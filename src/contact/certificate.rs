//! How well a contact problem was solved, and by which method.

use super::tally::Tally;
use super::work_budget::WorkBudget;

/// The quality of a solution. For convex contact `dual` is the residual of momentum. Velocities are
/// scaled by max(1, ‖g‖∞) m/s, impulses by ‖λ‖∞ (1 if λ = 0). A velocity of a torsional or rolling row
/// counts as the sliding velocity with the same energy.
#[derive(Clone, Copy, Debug)]
pub struct Certificate {
    /// Largest violation of λ ∈ K, scaled.
    pub cone: f64,
    /// Largest violation of σ + Γ ∈ K* (σ = 0 for bilateral rows), scaled.
    pub dual: f64,
    /// Largest |⟨λ, σ + Γ⟩| of a block, scaled by both.
    pub complementarity: f64,
    /// True if all three are within the requested tolerance.
    pub converged: bool,
    /// The method that produced the solution.
    pub path: Path,
    /// Counts: Newton factorizations, interior-point steps, factorizations along the path, PGS sweeps
    /// and ADMM factorizations or chunks of iterations (with ADMM alone, iterations).
    pub newton: usize,
    pub interior: usize,
    pub continuation: usize,
    pub sweeps: usize,
    pub admm: usize,
    /// Budget spent by the island that spent most.
    pub spent: WorkBudget,
    /// Tries, solutions and work of each method.
    pub tally: Tally,
    /// Distance to the nearest mode switch, the smallest over all blocks; infinite if no block can
    /// switch. Velocities are in units of ‖g‖∞, at least 1 mm/s. Impulses are in units of ‖λ‖∞, at least
    /// the impulse that causes a thousandth of that velocity. Dry friction is in units of its bound.
    pub margin: f64,
    /// True if the margin is below the closed tolerance, or if the solution is not accurate enough to
    /// separate the modes. The derivative is then that of the closed side ([`Mode`](super::mode::Mode)). It
    /// is exact if all sides have the same derivative.
    pub at_switch: bool,
    /// True if some active rows are linearly dependent, so that λ is not unique (see [`ncp`](super::ncp)).
    /// Only Newton's method sets it.
    pub redundant: bool,
    /// True if the returned λ is the least-norm one, which does not depend on the warm start.
    pub least_norm: bool,
    /// The last stage that the default path reached.
    pub effort: Effort,
}

/// The method that produced a solution, in increasing order of cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Path {
    /// The problem was empty.
    Empty,
    /// Newton's method with fixed modes, from the given modes.
    Newton,
    /// Newton's method with fixed modes, from modes that another method found.
    Polished,
    /// Interior point.
    Interior,
    /// The central path, followed through its folds.
    Continuation,
    /// Projected Gauss–Seidel.
    Pgs,
    /// Alternating directions (ADMM).
    Admm,
}

impl Certificate {
    /// The largest of the three residuals.
    pub fn residual(&self) -> f64 {
        self.cone.max(self.dual).max(self.complementarity)
    }

    /// Adds the counts of another solve.
    pub fn add_work(&mut self, other: &Certificate) {
        self.newton += other.newton;
        self.interior += other.interior;
        self.continuation += other.continuation;
        self.sweeps += other.sweeps;
        self.admm += other.admm;
        self.tally.add(&other.tally);
    }

    /// Adds the counts and the cost of an earlier solve.
    pub fn add_cost(&mut self, before: &Certificate) {
        self.add_work(before);
        self.spent.add(&before.spent);
    }

    /// The certificate with the smaller residual; `self` if they are equal.
    pub(in crate::contact) fn better(self, other: Certificate) -> Certificate {
        if self.residual() < other.residual() {
            self
        } else {
            other
        }
    }

    /// Iterations of any kind, over all islands.
    pub fn iterations(&self) -> usize {
        self.newton + self.interior + self.continuation + self.sweeps + self.admm
    }

    /// Joins the certificates of two independent problems.
    pub(in crate::contact) fn join(&mut self, other: &Certificate) {
        self.cone = self.cone.max(other.cone);
        self.dual = self.dual.max(other.dual);
        self.complementarity = self.complementarity.max(other.complementarity);
        self.converged &= other.converged;
        self.path = self.path.max(other.path);
        self.margin = self.margin.min(other.margin);
        self.at_switch |= other.at_switch;
        self.redundant |= other.redundant;
        self.least_norm &= other.least_norm;
        self.effort = self.effort.max(other.effort);
    }

    pub fn new(path: Path) -> Certificate {
        Certificate {
            cone: 0.0,
            dual: 0.0,
            complementarity: 0.0,
            converged: true,
            path,
            newton: 0,
            interior: 0,
            continuation: 0,
            sweeps: 0,
            admm: 0,
            spent: WorkBudget::NONE,
            tally: Tally::NONE,
            margin: f64::INFINITY,
            at_switch: false,
            redundant: false,
            least_norm: path == Path::Empty,
            effort: Effort::Brief,
        }
    }
}

/// The last stage of the default path that a solve may use before it returns a problem as unsolved. A
/// problem without a solution would otherwise use them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Newton's method from the given modes, and from modes guessed by a few sweeps.
    Brief,
    /// Also pivots and the interior point.
    Usual,
    /// Also continuation.
    Thorough,
}
