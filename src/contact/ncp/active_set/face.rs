//! The faces of laws: the directions in which a block's impulse may move, and those in which its velocity
//! is zero.

use crate::contact::block::Small;
use crate::contact::digits::{NEGLIGIBLE, ROUND_OFF};
use crate::contact::ncp::cone::planar_norm;

/// One block on its face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    pub block: usize,
    /// First row of the block that takes part, and the number of such rows (rows of the problem).
    pub row: usize,
    pub rows: usize,
    /// Index of the first unknown, and number of unknowns.
    pub start: usize,
    pub size: usize,
    pub slide: Option<Slide>,
    /// Index of a [`WideFace`](super::WideFace). The face then has the rows of a contact and of its torsional
    /// or rolling friction.
    pub wide: Option<usize>,
    /// Mean diagonal of G on the block.
    pub response: f64,
}

impl Face {
    /// True if the faces are equal, or differ only in the last digits of a slip direction, which changes no
    /// derivative visibly.
    pub fn is_close(&self, b: &Face) -> bool {
        self.block == b.block
            && self.row == b.row
            && self.size == b.size
            && self.wide.or(b.wide).is_none()
            && match (&self.slide, &b.slide) {
                (None, None) => true,
                (Some(a), Some(b)) => {
                    (a.u[0] - b.u[0]).abs().max((a.u[1] - b.u[1]).abs()) <= ROUND_OFF
                        && (a.across - b.across).abs() <= ROUND_OFF * a.across.abs()
                        && (a.turn - b.turn).abs() <= ROUND_OFF * a.turn.abs()
                }
                _ => false,
            }
    }
}

/// Geometry of a sliding contact with friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slide {
    pub mu: f64,
    pub u: [f64; 2],
    /// c and s as in the module's documentation.
    pub across: f64,
    pub turn: f64,
    /// u is fixed by the face of a pyramid and does not follow the impulse.
    pub is_fixed: bool,
}

impl Slide {
    /// (g₁, g₂, g₃) R for a row vector g.
    #[inline]
    pub fn right(&self, g: [f64; 3]) -> [f64; 2] {
        [
            g[2] - self.mu * (g[0] * self.u[0] + g[1] * self.u[1]),
            g[1] * self.u[0] - g[0] * self.u[1],
        ]
    }

    #[inline]
    pub fn left(&self, s: [f64; 3]) -> [f64; 2] {
        [s[2], self.across * (s[1] * self.u[0] - s[0] * self.u[1])]
    }
}

/// eᵀ G e of a slip direction, from G₁₁, G₁₂ and G₂₂.
pub fn response_across(u: [f64; 2], [xx, xy, yy]: [f64; 3]) -> f64 {
    u[1] * u[1] * xx - 2.0 * u[0] * u[1] * xy + u[0] * u[0] * yy
}

pub fn sliding(mu: f64, lambda: &[f64], sigma: &[f64], w: &Small) -> Slide {
    let (force, slip) = (
        planar_norm(lambda[0], lambda[1]),
        planar_norm(sigma[0], sigma[1]),
    );
    // Of the two opposite directions, take the one that suffers less from the error of the other: −λ_T
    // close to sticking, σ_T for a small impulse. They agree at a solution.
    let mean = 0.5 * (w[0][0] + w[1][1]);
    let held = mu * lambda[2].max(0.0) * mean;
    let u = if force > 0.0 && held >= slip {
        [-lambda[0] / force, -lambda[1] / force]
    } else if slip > 0.0 {
        [sigma[0] / slip, sigma[1] / slip]
    } else {
        [1.0, 0.0]
    };
    let along = (u[0] * sigma[0] + u[1] * sigma[1]).max(0.0);
    // If no impulse changes the velocity across the slip, the term s of the turning direction alone
    // determines x₂. The bound keeps the row above round-off.
    let response = response_across(u, [w[0][0], w[0][1], w[1][1]]).max(NEGLIGIBLE * mean);
    let held = mu * lambda[2].max(0.0) * response;
    let (across, turn) = if held + along > 0.0 {
        (held / (held + along), along * response / (held + along))
    } else {
        (1.0, 0.0)
    };
    Slide {
        mu,
        u,
        across,
        turn,
        is_fixed: false,
    }
}
