//! The residual of a rigid law: how much impulses and velocities violate it.

use super::system::System;
use super::unit::{Set, norm, size};

pub(super) fn positive(x: f64) -> f64 {
    if x > 0.0 { x } else { 1.0 }
}

pub(super) fn largest(x: &[f64; 3]) -> f64 {
    // NaN counts as larger than any number.
    x.iter().fold(0.0, |m, x| match x.is_nan() || *x > m {
        true => *x,
        false => m,
    })
}

/// Residuals of cone, dual cone and complementarity, scaled as in [`Certificate`].
pub(super) fn residuals(system: &System, lambda: &[f64], sigma: &[f64]) -> [f64; 3] {
    let velocity = system.speed(&system.g).max(1.0);
    let impulse = positive(size(lambda));
    let mut worst = [0.0f64; 3];
    for unit in &system.units {
        let (l, s) = (&lambda[unit.range()], &sigma[unit.range()]);
        let last = unit.rows - 1;
        let along = || l.iter().zip(s).map(|(l, s)| l * s).sum::<f64>();
        let own = match unit.set {
            Set::Cone { mu } => [
                (norm(&l[..last]) - mu * l[last]).max(-l[last]),
                -s[last],
                (along() + l[last] * mu * norm(&s[..last])).abs(),
            ],
            Set::Pyramid { mu } => {
                let bound = mu * l[last];
                let side = |k: usize| (l[k] * s[k] + bound * s[k].abs()).abs();
                [
                    (size(&l[..last]) - bound).max(-l[last]),
                    -s[last],
                    (l[last] * s[last]).abs() + (0..last).map(side).sum::<f64>(),
                ]
            }
            Set::HalfLine => [-l[0], -s[0], along().abs()],
            Set::Interval { bound } => [
                l[0].abs() - bound,
                0.0,
                (along() + bound * s[0].abs()).abs(),
            ],
            Set::Line => [0.0, s[0].abs(), 0.0],
        };
        for (worst, x) in worst.iter_mut().zip(own) {
            // NaN stays.
            if x > *worst || x.is_nan() {
                *worst = x;
            }
        }
    }
    [
        worst[0] / impulse,
        worst[1] / velocity,
        worst[2] / (impulse * velocity),
    ]
}
