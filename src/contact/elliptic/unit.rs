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

impl Set {
    /// Γ of the rigid law: the addition to the normal velocity by the tangential velocities.
    pub fn shift(self, tangents: &[f64]) -> f64 {
        match self {
            Set::Cone { mu } => mu * norm(tangents),
            Set::Pyramid { mu } => mu * tangents.iter().map(|x| x.abs()).sum::<f64>(),
            _ => 0.0,
        }
    }
}

pub(super) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The largest magnitude.
pub(super) fn size(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| x.abs().max(m))
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
    /// Weight of each row's velocity, relative to a sliding row.
    pub weight: Wide,
}

impl Unit {
    pub fn range(&self) -> std::ops::Range<usize> {
        self.at..self.at + self.rows
    }

    /// Weighted norm of the tangential velocities.
    pub fn slip(&self, s: &[f64]) -> f64 {
        let tangents = s[..self.rows - 1].iter().zip(&self.weight);
        tangents.map(|(s, w)| (w * s).powi(2)).sum::<f64>().sqrt()
    }

    /// Weighted norm of the tangential velocities across the impulse.
    pub fn across(&self, l: &[f64], s: &[f64]) -> f64 {
        let last = self.rows - 1;
        let force = norm(&l[..last]).max(f64::MIN_POSITIVE);
        let along = l[..last].iter().zip(s).map(|(l, s)| l * s).sum::<f64>() / force;
        let rest: Wide = std::array::from_fn(|k| match k < last {
            true => s[k] - along * l[k] / force,
            false => 0.0,
        });
        self.slip(&rest)
    }

    /// The velocity of a row nearest to the stiffest mode within `unsure` of x.
    pub fn pressed(&self, k: usize, x: f64, unsure: f64) -> f64 {
        match self.set {
            Set::Interval { .. } => x - x.clamp(-unsure, unsure),
            _ if k + 1 < self.rows => x - x.clamp(-unsure, unsure),
            _ => x - unsure,
        }
    }

    /// R of a row.
    pub fn compliance(&self, k: usize) -> f64 {
        let is_tangent = k + 1 < self.rows || matches!(self.set, Set::Interval { .. });
        match is_tangent {
            true => self.r.tangential,
            false => self.r.normal,
        }
    }
}
