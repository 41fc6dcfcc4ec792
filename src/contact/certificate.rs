//! How well a contact problem was solved, and by whom.

use super::allowance::Allowance;

/// How well a solve went; of convex contact `dual` is the residual of momentum. Velocities are scaled by max(1, ‖g‖∞) m/s, impulses by ‖λ‖∞ (1 if λ = 0).
/// Of rows that turn velocities count as those of what slides with the same energy.
#[derive(Clone, Copy, Debug)]
pub struct Certificate {
    /// Largest violation of λ ∈ K, scaled.
    pub cone: f64,
    /// Largest violation of σ + Γ ∈ K* (σ = 0 for bilateral rows), scaled.
    pub dual: f64,
    /// Largest |⟨λ, σ + Γ⟩| of a block, scaled by both.
    pub complementarity: f64,
    /// All three are within the tolerance asked for.
    pub converged: bool,
    /// Who produced the answer.
    pub path: Path,
    /// Newton factorizations, interior-point steps, factorizations along the path, PGS sweeps and ADMM iterations spent.
    pub newton: usize,
    pub interior: usize,
    pub continuation: usize,
    pub sweeps: usize,
    pub admm: usize,
    /// What was spent, by the island that spent most.
    pub spent: Allowance,
    /// Distance to the nearest mode switch: velocities in units of ‖g‖∞, 1 mm/s at least; impulses in units of ‖λ‖∞, at least
    /// what brings about a thousandth of that velocity; dry friction in units of its bound; infinite if no block can switch. The
    /// smallest over all blocks.
    pub margin: f64,
    /// The margin is below the closed tolerance, or the solution does not tell modes apart: the derivative is that of the closed side
    /// ([`Mode`](super::mode::Mode)), and that of others where they are alike.
    pub at_switch: bool,
    /// Some held rows are linearly dependent: λ is a choice (see [`ncp`](super::ncp)). Told by Newton only.
    pub redundant: bool,
    /// That choice is the documented one, of least norm, independent of the warm start.
    pub least_norm: bool,
    /// How far the default path went.
    pub effort: Effort,
}

/// The method that produced a solution, in the order of what they cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Path {
    /// There was nothing to solve.
    Empty,
    /// Mode-fixed Newton from the modes given.
    Newton,
    /// Mode-fixed Newton from modes that another method found.
    Polished,
    /// Interior point.
    Interior,
    /// The central path followed through its folds.
    Continuation,
    /// Projected Gauss–Seidel.
    Pgs,
    /// Alternating directions.
    Admm,
}

impl Certificate {
    /// The largest of the three residuals.
    pub fn residual(&self) -> f64 {
        self.cone.max(self.dual).max(self.complementarity)
    }

    /// Counts what another solve took.
    pub fn add_work(&mut self, other: &Certificate) {
        self.newton += other.newton;
        self.interior += other.interior;
        self.continuation += other.continuation;
        self.sweeps += other.sweeps;
        self.admm += other.admm;
    }

    /// Counts what a solve before this one took and spent.
    pub fn add_cost(&mut self, before: &Certificate) {
        self.add_work(before);
        self.spent.add(&before.spent);
    }

    /// This one, unless the solution of the other has a smaller residual.
    pub(in crate::contact) fn better(self, other: Certificate) -> Certificate {
        if self.residual() < other.residual() {
            self
        } else {
            other
        }
    }

    /// Iterations of any kind, of all islands.
    pub fn iterations(&self) -> usize {
        self.newton + self.interior + self.continuation + self.sweeps + self.admm
    }

    /// Of the solutions of two independent problems together.
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
            spent: Allowance::NONE,
            margin: f64::INFINITY,
            at_switch: false,
            redundant: false,
            least_norm: path == Path::Empty,
            effort: Effort::Brief,
        }
    }
}

/// How far the default path goes before it gives a problem back unsolved, as one is that may have no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Newton from the modes given and from those that a few sweeps guess.
    Brief,
    /// Pivots and the interior point, too.
    Usual,
    /// Continuation, too.
    Thorough,
}
