//! Projections on the sets of impulses, with their derivatives.

use super::unit::{Set, Slope, Unit, WIDEST, Wide, norm};
use crate::contact::mode::Mode;
use crate::contact::ncp::pyramid;
use crate::contact::problem::Regularization;

/// The impulse γ(x) = P(−R⁻¹x) with its derivatives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub gamma: Wide,
    /// −∂γ/∂x, symmetric and positive semi-definite; and the derivative of γ by μ or the bound.
    pub slope: Slope,
    pub by_limit: Wide,
    pub mode: Mode,
    /// Distance of x to the nearest mode switch.
    pub margin: f64,
}

impl Default for Answer {
    fn default() -> Answer {
        Answer {
            gamma: [0.0; WIDEST],
            slope: [[0.0; WIDEST]; WIDEST],
            by_limit: [0.0; WIDEST],
            mode: Mode::Breaking,
            margin: f64::INFINITY,
        }
    }
}

/// The projection alone.
pub(super) fn impulse(unit: &Unit, x: &[f64]) -> Wide {
    let mut out = [0.0; WIDEST];
    let (r, last) = (unit.r, x.len() - 1);
    match unit.set {
        Set::Cone { mu } => {
            let (slip, z) = (norm(&x[..last]), x[last]);
            if sticks(mu, r, slip, z) {
                for (out, x) in out.iter_mut().zip(&x[..last]) {
                    *out = -x / r.tangential;
                }
                out[last] = -z / r.normal;
            } else if z < mu * slip {
                let normal = (mu * slip - z) / yielding(mu, r);
                let along = if slip > 0.0 { -mu * normal / slip } else { 0.0 };
                for (out, x) in out.iter_mut().zip(&x[..last]) {
                    *out = along * x;
                }
                out[last] = normal;
            }
        }
        Set::Pyramid { mu } => {
            for (out, x) in out.iter_mut().zip(x) {
                *out = -x / r.normal;
            }
            let (tangents, rest) = out.split_at_mut(last);
            pyramid::project(mu, tangents, &mut rest[0]);
        }
        Set::HalfLine => out[0] = (-x[0] / r.normal).max(0.0),
        Set::Interval { bound } => out[0] = (-x[0] / r.tangential).clamp(-bound, bound),
        Set::Line => out[0] = -x[0] / r.normal,
    }
    out
}

/// The projection with its derivatives.
pub(super) fn answer(unit: &Unit, x: &[f64]) -> Answer {
    let mut a = Answer {
        gamma: impulse(unit, x),
        ..Answer::default()
    };
    let (r, last) = (unit.r, x.len() - 1);
    match unit.set {
        Set::Cone { mu } => of_cone(&mut a, mu, r, x),
        Set::Pyramid { mu } => {
            let w: Wide = std::array::from_fn(|k| x.get(k).map_or(0.0, |x| -x / r.normal));
            for k in 0..x.len() {
                let mut v = [0.0; WIDEST];
                v[k] = 1.0 / r.normal;
                let (tangents, rest) = v.split_at_mut(last);
                pyramid::projected(mu, (&w[..last], w[last]), (tangents, &mut rest[0]));
                for (line, v) in a.slope.iter_mut().zip(v) {
                    line[k] = v;
                }
            }
            let inside = |k: usize| w[k].abs() < mu * w[last];
            a.mode = match a.gamma[last] > 0.0 {
                false => Mode::Breaking,
                true if (0..last).all(inside) => Mode::Sticking,
                true => Mode::Sliding,
            };
        }
        Set::HalfLine => {
            a.margin = x[0].abs();
            if x[0] < 0.0 {
                a.slope[0][0] = 1.0 / r.normal;
                a.mode = Mode::Sticking;
            }
        }
        Set::Interval { bound } => {
            let slack = bound * r.tangential - x[0].abs();
            a.margin = slack.abs();
            if slack > 0.0 {
                a.slope[0][0] = 1.0 / r.tangential;
                a.mode = Mode::Sticking;
            } else {
                a.by_limit[0] = -x[0].signum();
                a.mode = match x[0] > 0.0 {
                    true => Mode::AtLower,
                    false => Mode::AtUpper,
                };
            }
        }
        Set::Line => {
            a.slope[0][0] = 1.0 / r.normal;
            a.mode = Mode::Sticking;
        }
    }
    a
}

/// As for two tangents in [`convex`](crate::contact::convex): with r = ‖x_T‖ and D = R_n + μ² R_t the
/// impulse of a sliding contact is γ_n = (μ r − x_n)/D, γ_T = −μ γ_n x_T/r.
fn of_cone(a: &mut Answer, mu: f64, r: Regularization, x: &[f64]) {
    let last = x.len() - 1;
    let (slip, z) = (norm(&x[..last]), x[last]);
    if sticks(mu, r, slip, z) {
        for k in 0..last {
            a.slope[k][k] = 1.0 / r.tangential;
        }
        a.slope[last][last] = 1.0 / r.normal;
        a.mode = Mode::Sticking;
        a.margin = (-mu * z * r.tangential / r.normal - slip).min(-z);
        return;
    }
    let open = z - mu * slip;
    a.margin = open.abs();
    if open >= 0.0 {
        return;
    }
    a.mode = Mode::Sliding;
    let give = 1.0 / yielding(mu, r);
    let normal = -open * give;
    a.slope[last][last] = give;
    a.by_limit[last] = (slip - 2.0 * mu * r.tangential * normal) * give;
    if mu > 0.0 {
        a.margin = a.margin.min(slip - mu * r.tangential * normal);
    }
    if slip > 0.0 {
        let turn = mu * normal / slip;
        for i in 0..last {
            let t = x[i] / slip;
            for j in 0..last {
                a.slope[i][j] = (mu * mu * give - turn) * t * x[j] / slip;
            }
            a.slope[i][i] += turn;
            a.slope[i][last] = -mu * give * t;
            a.slope[last][i] = a.slope[i][last];
            a.by_limit[i] = -(normal + mu * a.by_limit[last]) * t;
        }
    }
}

fn yielding(mu: f64, r: Regularization) -> f64 {
    r.normal + mu * mu * r.tangential
}

fn sticks(mu: f64, r: Regularization, slip: f64, normal: f64) -> bool {
    normal < 0.0 && mu > 0.0 && slip * r.normal <= -mu * normal * r.tangential
}
