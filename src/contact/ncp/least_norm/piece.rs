//! The sets in which the unknowns of one face lie.

use super::inside::Inside;
use crate::contact::ncp::pyramid;

/// Unknowns of the widest set: five tangents and a normal.
pub(super) const WIDEST: usize = 6;

/// The set of the unknowns of one face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::contact::ncp) enum Set {
    /// ‖x_T‖ ≤ μ x_n; the last unknown is the normal.
    Cone {
        mu: f64,
    },
    /// |x_i| ≤ μ x_n for each tangent; the last unknown is the normal.
    Pyramid {
        mu: f64,
    },
    /// The same; the first unknown is the normal.
    PyramidFromNormal {
        mu: f64,
    },
    /// The first unknown is not negative, all others are free.
    HalfLine,
    /// |x| ≤ bound.
    Interval {
        bound: f64,
    },
    Line,
}

/// Unknowns that share a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::contact::ncp) struct Piece {
    /// Index of the first unknown, and number of unknowns.
    pub start: usize,
    pub size: usize,
    pub set: Set,
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| x.abs().max(m))
}

impl Piece {
    /// The unknown of the piece that must be at least [`Inside::least`].
    pub fn raised(&self) -> Option<usize> {
        match self.set {
            Set::Cone { .. } | Set::Pyramid { .. } => Some(self.start + self.size - 1),
            Set::HalfLine | Set::PyramidFromNormal { .. } => Some(self.start),
            Set::Interval { .. } | Set::Line => None,
        }
    }

    /// Whether the piece of the unknowns `x` keeps this distance from the boundary, up to a slack.
    pub fn holds(&self, x: &[f64], inside: Inside, slack: f64) -> bool {
        let least = inside.least;
        match (
            self.set.narrowed(inside.share),
            &x[self.start..][..self.size],
        ) {
            (Set::Cone { mu }, [tangents @ .., n]) => {
                n - least >= -slack && norm(tangents) <= mu * (n - least) + slack
            }
            (Set::Pyramid { mu }, [tangents @ .., n])
            | (Set::PyramidFromNormal { mu }, [n, tangents @ ..]) => {
                n - least >= -slack && largest(tangents) <= mu * (n - least) + slack
            }
            (Set::HalfLine, [x, ..]) => *x >= least - slack,
            (Set::Interval { bound }, [x, ..]) => x.abs() <= bound + slack,
            _ => true,
        }
    }
}

impl Set {
    /// The set with a share of its friction coefficient or bound.
    pub(super) fn narrowed(self, share: f64) -> Set {
        match self {
            Set::Cone { mu } => Set::Cone { mu: share * mu },
            Set::Pyramid { mu } => Set::Pyramid { mu: share * mu },
            Set::PyramidFromNormal { mu } => Set::PyramidFromNormal { mu: share * mu },
            Set::Interval { bound } => Set::Interval {
                bound: share * bound,
            },
            other => other,
        }
    }

    /// Projects on the set.
    #[inline]
    pub(in crate::contact::ncp) fn project(self, x: &mut [f64]) {
        match (self, x) {
            (Set::Cone { mu }, [tangents @ .., n]) => {
                let tangent = norm(tangents);
                if tangent <= mu * *n {
                    return;
                }
                if mu * tangent <= -*n {
                    tangents.fill(0.0);
                    *n = 0.0;
                    return;
                }
                *n = (mu * tangent + *n) / (1.0 + mu * mu);
                let scale = mu * *n / tangent;
                tangents.iter_mut().for_each(|x| *x *= scale);
            }
            (Set::Pyramid { mu }, [tangents @ .., n])
            | (Set::PyramidFromNormal { mu }, [n, tangents @ ..]) => {
                pyramid::project(mu, tangents, n);
            }
            (Set::HalfLine, [x, ..]) => *x = x.max(0.0),
            (Set::Interval { bound }, [x, ..]) => *x = x.clamp(-bound, bound),
            _ => {}
        }
    }

    /// v ← P'(w) v of the projection P.
    pub(in crate::contact::ncp) fn derivative(self, w: &[f64], v: &mut [f64]) {
        match (self, w, v) {
            (Set::Cone { mu }, [w_t @ .., w_n], [v_t @ .., v_n]) => {
                let tangent = norm(w_t);
                if tangent <= mu * w_n {
                    return;
                }
                if mu * tangent <= -w_n {
                    v_t.fill(0.0);
                    *v_n = 0.0;
                    return;
                }
                let scale = 1.0 / (1.0 + mu * mu);
                let normal = (mu * tangent + w_n) * scale;
                let products = w_t.iter().zip(&*v_t).map(|(w, v)| w * v);
                let along = products.sum::<f64>() / tangent;
                let rise = (mu * along + *v_n) * scale;
                let turn = mu * normal / tangent;
                for (v, w) in v_t.iter_mut().zip(w_t) {
                    let u = w / tangent;
                    *v = mu * rise * u + turn * (*v - along * u);
                }
                *v_n = rise;
            }
            (Set::Pyramid { mu }, [w_t @ .., w_n], [v_t @ .., v_n])
            | (Set::PyramidFromNormal { mu }, [w_n, w_t @ ..], [v_n, v_t @ ..]) => {
                pyramid::projected(mu, (w_t, *w_n), (v_t, v_n));
            }
            (Set::HalfLine, [w, ..], [v, ..]) if *w < 0.0 => *v = 0.0,
            (Set::Interval { bound }, [w, ..], [v, ..]) if w.abs() > bound => *v = 0.0,
            _ => {}
        }
    }
}
