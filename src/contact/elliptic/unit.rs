//! Units: the rows that share a law, and the set of their impulses.

use crate::contact::problem::Regularization;

/// Rows of the widest law: five tangents and a normal.
pub(super) const WIDEST: usize = 6;

/// Numbers by the rows of a unit; entries beyond are zero.
pub(super) type Wide = [f64; WIDEST];

/// −∂λ/∂σ of the rows of a unit.
pub(super) type Slope = [Wide; WIDEST];

/// The set of a unit's impulses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Set {
    /// ‖λ_T‖ ≤ μ λ_n.
    Cone {
        mu: f64,
    },
    /// |λ_i| ≤ μ λ_n for each tangent.
    Pyramid {
        mu: f64,
    },
    /// λ ≥ 0.
    HalfLine,
    /// |λ| ≤ bound.
    Interval {
        bound: f64,
    },
    Line,
}

pub(super) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The rows of one law within [`System`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    pub at: usize,
    pub rows: usize,
    pub set: Set,
    /// Its block, and the block of its torsional and rolling friction.
    pub block: usize,
    pub torsion: Option<usize>,
    /// R of its tangents and of its normal. A single row uses the normal part.
    pub r: Regularization,
}

impl Unit {
    pub fn range(&self) -> std::ops::Range<usize> {
        self.at..self.at + self.rows
    }

    /// The velocity of a row nearest to the stiffest mode within `unsure` of x.
    pub fn pressed(&self, k: usize, x: f64, unsure: f64) -> f64 {
        match self.set {
            Set::Interval { .. } => x - x.clamp(-unsure, unsure),
            _ if k + 1 < self.rows => x - x.clamp(-unsure, unsure),
            _ => x - unsure,
        }
    }
}
