//! The mode of an impulse and a velocity, and their violation of the laws.

use super::block_law;
use super::cone::planar_norm;
use super::measure::Scales;
use super::pyramid;
use super::wide;
use super::work::Work;
use crate::contact::mode::Mode;
use crate::contact::problem::Block;

/// A row without impulse whose scaled velocity is below this counts as active. With ten times as much
/// problems take 9 % longer; with a tenth 95 of 10,734 have another solution.
pub const CLOSED: f64 = 1e-9;

/// The mode of (λ, σ), and the distance to the nearest other mode, dimensionless.
///
/// `closed` is the scaled velocity below which a row counts as active.
#[inline]
pub fn classify(
    block: Block,
    lambda: &[f64],
    sigma: &[f64],
    scales: Scales,
    closed: f64,
) -> (Mode, f64) {
    let velocity = |s: f64| s / scales.velocity;
    let impulse = |l: f64| l / scales.impulse;
    match (block, lambda, sigma) {
        (Block::Contact { mu }, [lx, ly, lz], [sx, sy, sz]) => {
            let slip = velocity((sx * sx + sy * sy).sqrt());
            let force = (lx * lx + ly * ly).sqrt();
            let normal = impulse(*lz);
            let gap = velocity(*sz);
            if gap > closed && gap > normal {
                return (Mode::Breaking, gap);
            }
            if mu == 0.0 {
                return (Mode::Sliding, normal.max(gap));
            }
            let inside = impulse((mu * lz - force) / (1.0 + mu * mu).sqrt());
            if slip <= closed || inside > slip {
                return (
                    Mode::Sticking,
                    inside.min(normal).max(0.0).max(slip.max(gap)),
                );
            }
            (Mode::Sliding, slip.max(inside).min(normal.max(gap)))
        }
        (Block::Pyramid { mu }, &[lx, ly, lz], &[sx, sy, sz]) => {
            pyramid::classify(mu, [lx, ly, lz], [sx, sy, sz], scales, closed)
        }
        (Block::Unilateral, [l], [s]) => {
            let (l, s) = (impulse(*l), velocity(*s));
            if s > closed && s > l {
                (Mode::Breaking, s)
            } else {
                (Mode::Sticking, l.max(s))
            }
        }
        (Block::Box { bound }, [l], [s]) => {
            let slip = velocity(s.abs());
            let inside = if bound > 0.0 {
                1.0 - l.abs() / bound
            } else {
                0.0
            };
            if slip <= closed || inside > slip {
                (Mode::Sticking, inside.max(slip))
            } else if *s > 0.0 {
                (Mode::AtLower, slip)
            } else {
                (Mode::AtUpper, slip)
            }
        }
        _ => (Mode::Sticking, f64::INFINITY),
    }
}

/// Largest magnitude; NaN is ignored.
#[inline]
pub(super) fn largest(values: &[f64]) -> f64 {
    // This is one instruction. `f64::max` also handles NaN on either side.
    let larger = |m: f64, x: f64| if x > m { x } else { m };
    values.iter().fold(0.0, |m, x| larger(m, x.abs()))
}

/// Residuals of (λ, σ): cone, dual cone, complementarity, scaled as
/// [`Certificate`](crate::contact::certificate::Certificate) documents.
pub(super) fn residuals(blocks: &[Block], g: &[f64], lambda: &[f64], sigma: &[f64]) -> [f64; 3] {
    let velocity = largest(g).max(1.0);
    let impulse = match largest(lambda) {
        0.0 => 1.0,
        size => size,
    };
    let mut worst = [0.0f64; 3];
    let (mut at, mut end) = (0, 0);
    for block in blocks {
        end += block.rows();
        if let Block::Torsion { .. } = block {
            // Its rows belong to the law of the next block.
            continue;
        }
        let v = block_law::violation(*block, &lambda[at..end], &sigma[at..end]);
        for (worst, v) in worst.iter_mut().zip([v.cone, v.dual, v.complementarity]) {
            // NaN stays.
            if v > *worst || v.is_nan() {
                *worst = v;
            }
        }
        at = end;
    }
    [
        worst[0] / impulse,
        worst[1] / velocity,
        worst[2] / (impulse * velocity),
    ]
}

/// The mode that a block on the central path tends to: of each complementary pair, the smaller number goes
/// to zero. For a box, and the tangents of a pyramid, σ is the difference of the slacks.
pub(super) fn tending(block: Block, bound: f64, l: &[f64], s: &[f64], slack: [f64; 4]) -> Mode {
    match block {
        Block::Contact { mu } => {
            let inside = mu * l[2] - planar_norm(l[0], l[1]);
            if l[2] < s[2] {
                Mode::Breaking
            } else if mu > 0.0 && inside > planar_norm(s[0], s[1]) {
                Mode::Sticking
            } else {
                Mode::Sliding
            }
        }
        Block::Pyramid { .. } if l[2] < s[2] => Mode::Breaking,
        Block::Pyramid { mu: 0.0 } => Mode::Sliding,
        Block::Pyramid { mu } => pyramid::closed([0, 1].map(|k| {
            let bound = mu * l[2];
            i8::from(bound - l[k] < slack[2 * k + 1]) - i8::from(l[k] + bound < slack[2 * k])
        })),
        Block::Unilateral if l[0] < s[0] => Mode::Breaking,
        Block::Box { .. } => {
            let [lower, upper, ..] = match bound {
                0.0 => [s[0], -s[0], 0.0, 0.0],
                _ => slack,
            };
            if l[0] + bound < lower {
                Mode::AtLower
            } else if bound - l[0] < upper {
                Mode::AtUpper
            } else {
                Mode::Sticking
            }
        }
        _ => Mode::Sticking,
    }
}

/// Largest velocity of an active row.
pub(super) fn held_residual(blocks: &[Block], work: &Work) -> f64 {
    let mut worst: f64 = 0.0;
    for (i, block) in blocks.iter().enumerate() {
        let at = work.offsets[i];
        let sigma = &work.sigma[at..at + block.rows()];
        match (*block, work.modes[i]) {
            (Block::Torsion { .. }, Mode::Sticking) => {
                for (k, s) in sigma.iter().enumerate() {
                    worst = worst.max((work.weight(at + k) * s).abs());
                }
            }
            (_, Mode::Sticking) => worst = worst.max(largest(sigma)),
            (Block::Contact { .. }, Mode::Sliding) if work.is_wide(i) => {
                let part = work.part(i);
                worst = worst.max(sigma[2].abs());
                if let Some(u) = wide::against(&work.lambda[part.clone()]) {
                    let mut across = wide::across(&work.sigma[part.clone()], &u);
                    for (x, row) in across.iter_mut().zip(part) {
                        *x *= work.weight(row);
                    }
                    worst = worst.max(wide::norm(&across));
                }
            }
            (Block::Torsion { .. }, Mode::Turned(signs)) => {
                for (k, _) in signs.iter().enumerate().filter(|(_, b)| **b == 0) {
                    let s = sigma.get(k).copied().unwrap_or(0.0);
                    worst = worst.max((work.weight(at + k) * s).abs());
                }
            }
            (Block::Contact { mu }, Mode::Sliding) => {
                worst = worst.max(sigma[2].abs());
                let (x, y) = (work.lambda[at], work.lambda[at + 1]);
                let force = planar_norm(x, y);
                if mu > 0.0 && force > 0.0 {
                    worst = worst.max((sigma[0] * y - sigma[1] * x).abs() / force);
                }
            }
            (Block::Pyramid { .. }, Mode::Sliding) => worst = worst.max(sigma[2].abs()),
            (Block::Pyramid { .. }, Mode::Bounded(bounds)) => {
                worst = worst.max(sigma[2].abs());
                for (s, _) in sigma.iter().zip(bounds).filter(|(_, b)| *b == 0) {
                    worst = worst.max(s.abs());
                }
            }
            _ => {}
        }
    }
    worst
}
