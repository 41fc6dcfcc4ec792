//! Impulse of a compliant constraint as a function of its velocity, block by block.
//!
//! γ = P(−R⁻¹σ) with the projection P on the block's set in the norm of R. With r = ‖σ_T‖ and D = R_n +
//! μ² R_t the impulse of a contact is
//!
//! | mode | where | γ_T | γ_N |
//! |---|---|---|---|
//! | sticking | r ≤ −μ σ_N R_t/R_n | −σ_T/R_t | −σ_N/R_n |
//! | sliding | otherwise, if σ_N < μ r | −μ γ_N σ_T/r | (μ r − σ_N)/D |
//! | breaking | σ_N ≥ μ r | 0 | 0 |
//!
//! With lagged friction ([`Lag`](crate::contact::problem::Lag)) the normal impulse is that of a
//! frictionless contact, and a disc bounds γ_T. The radius of the disc is b = μ n₀; n₀ is the normal
//! impulse that the state before the step gives. Sliding contacts do not open.
//!
//! | mode | where | γ_T | γ_N |
//! |---|---|---|---|
//! | sticking | r ≤ b R_t | −σ_T/R_t | max(−σ_N/R_n, 0) |
//! | sliding | otherwise | −b σ_T/r | max(−σ_N/R_n, 0) |
//!
//! With similar friction (Castro, Han and Masterjohn, "A Theory of Irrotational Contact Fields", 2024) the
//! impulse is the negative gradient of the energy ½ R_n γ_N², with e = (r² + s²)^½ for a slip speed s:
//!
//! | mode | where | γ_T | γ_N |
//! |---|---|---|---|
//! | closed | σ_N < μ (e − s) | −μ γ_N σ_T/e | (μ (e − s) − σ_N)/R_n |
//! | breaking | otherwise | 0 | 0 |
//!
//! The energy is convex: it falls with σ_N − μ (e − s), which is concave. It does not depend on R_t. The
//! impulse is smooth while the contact is closed; at slips below s it counts as sticking.

use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Friction, Lag, Regularization, Small};
use crate::contact::tuning::CONVEX_CAUTION;

/// A block's impulse with its derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Answer {
    /// −∂γ/∂σ, symmetric and positive semi-definite.
    pub slope: Small,
    /// For a sliding contact: the slope across the slip direction, rotated to act along the slip direction.
    pub along: Small,
    /// Derivative by μ of a contact, or by the bound of dry or lagged friction.
    pub by_limit: [f64; 3],
    pub mode: Mode,
    /// Distance of σ to the nearest other mode [m/s or rad/s].
    pub margin: f64,
}

impl Answer {
    /// The slope, plus a share of `along` for a sliding contact. The exact slope along the slip is zero,
    /// which makes Newton steps too long if the contact stops.
    pub fn cautious(&self) -> Small {
        let mut slope = self.slope;
        for (row, turn) in slope.iter_mut().zip(&self.along) {
            for (x, t) in row.iter_mut().zip(turn) {
                *x += CONVEX_CAUTION * t;
            }
        }
        slope
    }
}

/// γ(σ); entries beyond the block's rows are zero.
#[inline(always)]
pub(super) fn impulse(block: Block, r: Regularization, sigma: &[f64]) -> [f64; 3] {
    match (block, sigma) {
        (Block::Contact { mu }, [x, y, z]) => {
            let slip = (x * x + y * y).sqrt();
            match r.friction {
                Friction::Lagged(lag) => {
                    let along = -(mu * lag.impulse / slip).min(1.0 / r.tangential);
                    return [along * x, along * y, (-z / r.normal).max(0.0)];
                }
                Friction::Similar { slip: soft } => {
                    let long = (slip * slip + soft * soft).sqrt();
                    let normal = (-height(mu, soft, slip, *z) / r.normal).max(0.0);
                    let along = -mu * normal / long;
                    return [along * x, along * y, normal];
                }
                Friction::Projected => {}
            }
            if sticks(mu, r, slip, *z) {
                return [-x / r.tangential, -y / r.tangential, -z / r.normal];
            }
            let open = z - mu * slip;
            if open >= 0.0 {
                return [0.0; 3];
            }
            let normal = -open / yielding(mu, r);
            let along = if slip > 0.0 { -mu * normal / slip } else { 0.0 };
            [along * x, along * y, normal]
        }
        (Block::Unilateral, [s]) => [(-s / r.normal).max(0.0), 0.0, 0.0],
        (Block::Box { bound }, [s]) => [(-s / r.tangential).clamp(-bound, bound), 0.0, 0.0],
        (_, [s]) => [-s / r.normal, 0.0, 0.0],
        _ => [0.0; 3],
    }
}

/// Whether γ is linear between two velocities: true if the block sticks at both or is open at both, because
/// both regions are convex.
#[inline(always)]
pub(super) fn is_line(block: Block, r: Regularization, from: &[f64], to: &[f64]) -> bool {
    match (block, from, to) {
        (Block::Contact { mu }, [x0, y0, z0], [x1, y1, z1]) => {
            let slip = [(x0 * x0 + y0 * y0).sqrt(), (x1 * x1 + y1 * y1).sqrt()];
            let normal = [*z0, *z1];
            let both = |holds: &dyn Fn(f64, f64) -> bool| {
                holds(slip[0], normal[0]) && holds(slip[1], normal[1])
            };
            match r.friction {
                Friction::Lagged(lag) => {
                    let disc = mu * lag.impulse * r.tangential;
                    let is_held = disc == 0.0 || both(&|slip, _| slip <= disc);
                    return is_held && (normal[0] < 0.0) == (normal[1] < 0.0);
                }
                Friction::Similar { slip: soft } => {
                    let is_open = |slip, normal| height(mu, soft, slip, normal) >= 0.0;
                    return both(&is_open) || (mu == 0.0 && !normal.iter().any(|z| *z >= 0.0));
                }
                Friction::Projected => {}
            }
            both(&|slip, normal| normal >= mu * slip)
                || both(&|slip, normal| sticks(mu, r, slip, normal))
        }
        (Block::Unilateral, [a], [b]) => (*a < 0.0) == (*b < 0.0),
        (Block::Box { bound }, [a], [b]) => a.abs().max(b.abs()) <= bound * r.tangential,
        _ => true,
    }
}

/// ‖γ‖²_R, twice the energy of the constraint. For dry friction at its bound it includes the part that
/// grows with σ, as for lagged friction.
pub(super) fn energy(block: Block, r: Regularization, sigma: &[f64]) -> f64 {
    let [x, y, z] = impulse(block, r, sigma);
    match block {
        Block::Contact { .. } if matches!(r.friction, Friction::Lagged(_)) => {
            let along = -2.0 * (sigma[0] * x + sigma[1] * y);
            along - r.tangential * (x * x + y * y) + r.normal * z * z
        }
        Block::Contact { .. } if matches!(r.friction, Friction::Similar { .. }) => r.normal * z * z,
        Block::Contact { .. } => r.tangential * (x * x + y * y) + r.normal * z * z,
        Block::Box { .. } => x * (-2.0 * sigma[0] - r.tangential * x),
        _ => r.normal * x * x,
    }
}

/// The impulse with its slopes and its distance to the next mode.
#[inline(always)]
pub(super) fn answer(block: Block, r: Regularization, sigma: &[f64]) -> Answer {
    let mut a = Answer::default();
    match (block, sigma) {
        (Block::Contact { mu }, [x, y, z]) => {
            let slip = (x * x + y * y).sqrt();
            match r.friction {
                Friction::Lagged(lag) => return lagged(mu, r, lag, [*x, *y, *z]),
                Friction::Similar { slip } => return similar(mu, r, slip, [*x, *y, *z]),
                Friction::Projected => {}
            }
            let open = z - mu * slip;
            if sticks(mu, r, slip, *z) {
                let stiff = 1.0 / r.tangential;
                (a.slope[0][0], a.slope[1][1], a.slope[2][2]) = (stiff, stiff, 1.0 / r.normal);
                a.mode = Mode::Sticking;
                a.margin = (-mu * z * r.tangential / r.normal - slip).min(-z);
                return a;
            }
            a.margin = open.abs();
            if open >= 0.0 {
                a.mode = Mode::Breaking;
                return a;
            }
            a.mode = Mode::Sliding;
            let give = 1.0 / yielding(mu, r);
            let normal = -open * give;
            a.slope[2][2] = give;
            a.by_limit[2] = (slip - 2.0 * mu * r.tangential * normal) * give;
            if mu > 0.0 {
                a.margin = a.margin.min(slip - mu * r.tangential * normal);
            }
            if slip > 0.0 {
                let t = [x / slip, y / slip];
                let turn = mu * normal / slip;
                for i in 0..2 {
                    for j in 0..2 {
                        a.along[i][j] = turn * t[i] * t[j];
                        a.slope[i][j] = mu * mu * give * t[i] * t[j] - a.along[i][j];
                    }
                    a.slope[i][i] += turn;
                    a.slope[i][2] = -mu * give * t[i];
                    a.slope[2][i] = a.slope[i][2];
                    a.by_limit[i] = -(normal + mu * a.by_limit[2]) * t[i];
                }
            }
        }
        (Block::Unilateral, [s]) => {
            a.margin = s.abs();
            a.mode = Mode::Breaking;
            if *s < 0.0 {
                a.mode = Mode::Sticking;
                a.slope[0][0] = 1.0 / r.normal;
            }
        }
        (Block::Box { bound }, [s]) => {
            let slack = bound * r.tangential - s.abs();
            a.margin = slack.abs();
            if slack > 0.0 {
                a.mode = Mode::Sticking;
                a.slope[0][0] = 1.0 / r.tangential;
            } else {
                a.mode = if *s > 0.0 {
                    Mode::AtLower
                } else {
                    Mode::AtUpper
                };
                a.by_limit[0] = -s.signum();
            }
        }
        _ => {
            a.mode = Mode::Sticking;
            a.slope[0][0] = 1.0 / r.normal;
            a.margin = f64::INFINITY;
        }
    }
    a
}

/// The answer of a contact with lagged friction; its bound is the radius of the disc.
fn lagged(mu: f64, r: Regularization, lag: Lag, [x, y, z]: [f64; 3]) -> Answer {
    let mut a = Answer {
        margin: z.abs(),
        ..Answer::default()
    };
    let (slip, bound) = ((x * x + y * y).sqrt(), mu * lag.impulse);
    if z < 0.0 {
        a.slope[2][2] = 1.0 / r.normal;
    }
    let spare = bound * r.tangential - slip;
    if mu > 0.0 {
        a.margin = a.margin.min(lag.margin);
    }
    if bound > 0.0 {
        a.margin = a.margin.min(spare.abs());
    }
    if bound > 0.0 && spare >= 0.0 {
        (a.slope[0][0], a.slope[1][1]) = (1.0 / r.tangential, 1.0 / r.tangential);
        a.mode = Mode::Sticking;
        return a;
    }
    a.mode = match z < 0.0 || bound > 0.0 {
        true => Mode::Sliding,
        false => Mode::Breaking,
    };
    if slip > 0.0 {
        let (t, turn) = ([x / slip, y / slip], bound / slip);
        for i in 0..2 {
            for j in 0..2 {
                a.along[i][j] = turn * t[i] * t[j];
                a.slope[i][j] = -a.along[i][j];
            }
            a.slope[i][i] += turn;
            a.by_limit[i] = -t[i];
        }
    }
    a
}

/// The answer of a contact with similar friction.
fn similar(mu: f64, r: Regularization, soft: f64, [x, y, z]: [f64; 3]) -> Answer {
    let slip = (x * x + y * y).sqrt();
    let (high, long) = (
        height(mu, soft, slip, z),
        (slip * slip + soft * soft).sqrt(),
    );
    let mut a = Answer {
        margin: high.abs(),
        mode: Mode::Breaking,
        ..Answer::default()
    };
    if high >= 0.0 {
        return a;
    }
    a.mode = match slip <= soft && mu > 0.0 {
        true => Mode::Sticking,
        false => Mode::Sliding,
    };
    let (give, normal) = (1.0 / r.normal, -high / r.normal);
    let (t, turn) = ([x / long, y / long], mu * normal / long);
    a.slope[2][2] = give;
    a.by_limit[2] = (long - soft) * give;
    for i in 0..2 {
        for j in 0..2 {
            a.slope[i][j] = (mu * mu * give - turn) * t[i] * t[j];
            a.along[i][j] = turn * t[i] * t[j];
        }
        a.slope[i][i] += turn;
        a.slope[i][2] = -mu * give * t[i];
        a.slope[2][i] = a.slope[i][2];
        a.by_limit[i] = -(normal + mu * a.by_limit[2]) * t[i];
    }
    a
}

/// σ_N − μ (e − s) of a contact with similar friction, without cancellation.
#[inline(always)]
fn height(mu: f64, soft: f64, slip: f64, normal: f64) -> f64 {
    normal - mu * slip * (slip / ((slip * slip + soft * soft).sqrt() + soft))
}

/// The impulse γ = γ(x + ργ) at the velocity that it shifts itself.
pub(super) fn shifted(block: Block, r: Regularization, rho: f64, x: &[f64]) -> [f64; 3] {
    if let (Block::Contact { mu }, Friction::Similar { slip: soft }, [a, b, z]) =
        (block, r.friction, x)
    {
        let long = (a * a + b * b).sqrt();
        let slip = shifted_slip(mu, r.normal + rho, soft, rho, [long, *z]);
        let normal = (-height(mu, soft, slip, *z) / (r.normal + rho)).max(0.0);
        // The share of x_T that is left: r (1 + ρμγ_N/e) = ‖x_T‖.
        let turn = mu * normal / (slip * slip + soft * soft).sqrt();
        let along = -turn / (1.0 + rho * turn);
        return [along * a, along * b, normal];
    }
    let softer = Regularization {
        tangential: r.tangential + rho,
        normal: r.normal + rho,
        ..r
    };
    impulse(block, softer, x)
}

/// The slip r of similar friction with r (1 + ρ μ γ_N/e) = ‖x_T‖, by Newton's method between 0 and ‖x_T‖.
/// The left side rises with r.
fn shifted_slip(mu: f64, give: f64, soft: f64, rho: f64, [length, z]: [f64; 2]) -> f64 {
    let (mut low, mut high, mut r) = (0.0, length, length);
    while low < high {
        let long = (r * r + soft * soft).sqrt();
        let normal = (-height(mu, soft, r, z) / give).max(0.0);
        let (t, share) = (r / long, rho * mu / long);
        let off = r * (1.0 + share * normal) - length;
        match off > 0.0 {
            true => high = r,
            false => low = r,
        }
        let by_normal = if normal > 0.0 {
            rho * mu * mu / give
        } else {
            0.0
        };
        let slope = 1.0 + share * normal * (1.0 - t * t) + by_normal * t * t;
        let next = r - off / slope;
        if (next - r).abs() <= 4.0 * f64::EPSILON * length {
            return r;
        }
        r = match next > low && next < high {
            true => next,
            false => 0.5 * (low + high),
        };
        if r == low || r == high {
            return r;
        }
    }
    r
}

/// D of a sliding contact.
#[inline(always)]
fn yielding(mu: f64, r: Regularization) -> f64 {
    r.normal + mu * mu * r.tangential
}

#[inline(always)]
fn sticks(mu: f64, r: Regularization, slip: f64, normal: f64) -> bool {
    normal < 0.0 && mu > 0.0 && slip * r.normal <= -mu * normal * r.tangential
}

/// Among the velocities within `unsure` of σ, the one nearest to the stiffest mode.
pub(super) fn pressed(block: Block, sigma: &[f64], unsure: &[f64; 3]) -> [f64; 3] {
    let mut out = [0.0; 3];
    for ((x, s), u) in out.iter_mut().zip(sigma).zip(unsure) {
        *x = s - s.clamp(-u, *u);
    }
    match (block, sigma) {
        // Less slip opens a sliding contact.
        (Block::Contact { mu }, [_, _, z]) => {
            out[2] = z - unsure[2] - mu * (unsure[0] + unsure[1]);
        }
        (Block::Unilateral, [s]) => out[0] = s - unsure[0],
        _ => {}
    }
    out
}

/// σ + step dσ.
#[inline(always)]
pub(super) fn moved(sigma: &[f64], d: &[f64], step: f64) -> [f64; 3] {
    let mut out = [0.0; 3];
    for ((x, s), d) in out.iter_mut().zip(sigma).zip(d) {
        *x = s + step * d;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const R: Regularization = Regularization {
        tangential: 0.03,
        normal: 0.5,
        friction: Friction::Projected,
    };

    const SIMILAR: Regularization = Regularization {
        friction: Friction::Similar { slip: 0.05 },
        ..R
    };

    /// Blocks with velocities that cover all their modes.
    fn cases() -> Vec<(Block, Vec<f64>, Mode)> {
        let contact = Block::Contact { mu: 0.7 };
        let smooth = Block::Contact { mu: 0.0 };
        let dry = Block::Box { bound: 2.0 };
        vec![
            (contact, vec![0.01, -0.02, -1.0], Mode::Sticking),
            (contact, vec![0.3, -0.2, -1.0], Mode::Sliding),
            (contact, vec![0.3, -0.2, 0.1], Mode::Sliding),
            (contact, vec![0.1, 0.1, 0.3], Mode::Breaking),
            (smooth, vec![0.1, 0.1, -0.3], Mode::Sliding),
            (smooth, vec![0.1, 0.1, 0.3], Mode::Breaking),
            (Block::Unilateral, vec![-0.2], Mode::Sticking),
            (Block::Unilateral, vec![0.2], Mode::Breaking),
            (dry, vec![0.01], Mode::Sticking),
            (dry, vec![0.2], Mode::AtLower),
            (dry, vec![-0.2], Mode::AtUpper),
            (Block::Bilateral, vec![0.4], Mode::Sticking),
        ]
    }

    fn limited(block: Block, by: f64) -> Block {
        match block {
            Block::Contact { mu } => Block::Contact { mu: mu + by },
            Block::Box { bound } => Block::Box { bound: bound + by },
            other => other,
        }
    }

    #[test]
    fn slopes_are_those_of_differences() {
        const STEP: f64 = 1e-6;
        for (r, (block, sigma, mode)) in [R, SIMILAR]
            .into_iter()
            .flat_map(|r| cases().into_iter().map(move |case| (r, case)))
        {
            let a = answer(block, r, &sigma);
            assert_eq!(a.mode, mode, "{r:?} {block:?} {sigma:?}");
            assert!(a.margin > 1e-3, "{r:?} {block:?} {sigma:?}");
            let close = |x: f64, y: f64| (x - y).abs() < 1e-8 * (1.0 + x.abs());
            for j in 0..sigma.len() {
                let at = |by: f64| {
                    let mut s = sigma.clone();
                    s[j] += by;
                    s
                };
                let (up, down) = (at(STEP), at(-STEP));
                let fall = energy(block, r, &down) - energy(block, r, &up);
                let (up, down) = (impulse(block, r, &up), impulse(block, r, &down));
                let here = impulse(block, r, &sigma);
                assert!(
                    close(here[j], fall / (4.0 * STEP)),
                    "{r:?} {block:?} {sigma:?} {j}"
                );
                for i in 0..3 {
                    let slope = -(up[i] - down[i]) / (2.0 * STEP);
                    assert!(
                        close(a.slope[i][j], slope),
                        "{r:?} {block:?} {sigma:?} {i} {j}"
                    );
                }
            }
            if limited(block, 0.0) != limited(block, STEP) && block != (Block::Contact { mu: 0.0 })
            {
                let at = |by: f64| impulse(limited(block, by), r, &sigma);
                let (up, down) = (at(STEP), at(-STEP));
                for i in 0..3 {
                    let slope = (up[i] - down[i]) / (2.0 * STEP);
                    assert!(close(a.by_limit[i], slope), "{r:?} {block:?} {sigma:?} {i}");
                }
            }
        }
    }

    /// γ(x + ργ) = γ, for loads and slips of all sizes.
    #[test]
    fn shifted_impulses_answer_the_velocity_that_they_shift() {
        let sharp = Regularization {
            friction: Friction::Similar { slip: 1e-4 },
            tangential: 1e-3,
            normal: 1e-4,
        };
        for r in [R, SIMILAR, sharp] {
            for rho in [1e-4, 1.0, 30.0] {
                for (mu, slip, z) in (0..729).map(|k| {
                    let size = |i: i32| 10.0f64.powi(i - 6);
                    let [i, j, l] = [k % 9, k / 9 % 9, k / 81];
                    (
                        0.2 * f64::from(l % 3),
                        size(i),
                        if l < 5 { -size(j) } else { size(j) },
                    )
                }) {
                    let x = [0.6 * slip, -0.8 * slip, z];
                    let gamma = shifted(Block::Contact { mu }, r, rho, &x);
                    let at = [0, 1, 2].map(|k| x[k] + rho * gamma[k]);
                    let due = impulse(Block::Contact { mu }, r, &at);
                    let slope = answer(Block::Contact { mu }, r, &at).slope;
                    for k in 0..3 {
                        let steep: f64 = slope[k].iter().map(|s| s.abs()).sum();
                        let round = 1e-14 * (slip + z.abs()) * (1.0 + steep * (1.0 + rho));
                        let off = (gamma[k] - due[k]).abs();
                        assert!(
                            off <= round + 1e-13 * due[k].abs(),
                            "{r:?} {rho} {mu} {x:?} {off}"
                        );
                    }
                }
            }
        }
    }

    /// P(y) is the nearest point of the cone in the norm of R: it lies in the cone, y − P(y) lies in the
    /// polar cone, and the two are orthogonal.
    #[test]
    fn the_impulse_is_the_projection_on_the_cone() {
        let mu = 0.7;
        for (block, sigma, _) in cases() {
            let Block::Contact { mu: m } = block else {
                continue;
            };
            if m != mu {
                continue;
            }
            let g = impulse(block, R, &sigma);
            let weights = [R.tangential, R.tangential, R.normal];
            // R (P(y) − y), which must lie in the dual cone.
            let rest: Vec<f64> = (0..3).map(|k| weights[k] * g[k] + sigma[k]).collect();
            let friction = (g[0] * g[0] + g[1] * g[1]).sqrt();
            assert!(friction <= mu * g[2] * (1.0 + 1e-12));
            let slip = (rest[0] * rest[0] + rest[1] * rest[1]).sqrt();
            assert!(mu * slip <= rest[2] + 1e-12, "{sigma:?}");
            let dot: f64 = g.iter().zip(&rest).map(|(a, b)| a * b).sum();
            assert!(dot.abs() < 1e-12, "{sigma:?} {dot}");
        }
    }

    #[test]
    fn impulses_meet_where_modes_change() {
        let mu = 0.7;
        let contact = Block::Contact { mu };
        // At the edge of sticking, and at the edge of breaking.
        let edge = mu * R.tangential / R.normal;
        for (slip, normal) in [(edge, -1.0), (0.4, 0.4 * mu)] {
            let at = |by: f64| impulse(contact, R, &[slip * (1.0 + by), 0.0, normal]);
            let (below, above) = (at(-1e-9), at(1e-9));
            for k in 0..3 {
                assert!((below[k] - above[k]).abs() < 1e-6, "{below:?} {above:?}");
            }
        }
    }
}
