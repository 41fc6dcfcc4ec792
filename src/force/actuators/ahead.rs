//! The part of a servo's force that a step takes implicitly.

/// The slopes of a servo's force by the length and rate of its transmission, which a step takes implicitly.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ahead {
    /// K̃ [N/m or N m/rad] and D̃ [N s/m or N m s/rad].
    pub(super) resists: [f64; 2],
    /// Their slopes by u.
    pub(super) by_u: [f64; 2],
}

impl Ahead {
    /// From the slopes of a force by length and rate: those that slow the transmission or pull it back.
    #[inline(always)]
    pub(super) fn of(gear: f64, slopes: [f64; 2]) -> Ahead {
        Ahead {
            resists: slopes.map(|slope| match -gear * slope {
                resists if resists > 0.0 => resists,
                _ => 0.0,
            }),
            by_u: [0.0; 2],
        }
    }

    /// Takes the slopes of the slopes by u. Returns the distance of u to the nearest point at which a slope
    /// changes its sign.
    #[inline(always)]
    pub(super) fn vary(&mut self, gear: f64, slopes: [f64; 2], by_u: [f64; 2]) -> f64 {
        let mut margin = f64::INFINITY;
        for (slope, (k, by_u)) in slopes.into_iter().zip(by_u.into_iter().enumerate()) {
            if self.resists[k] > 0.0 {
                self.by_u[k] = -gear * by_u;
            }
            if by_u != 0.0 {
                margin = margin.min((slope / by_u).abs());
            }
        }
        margin
    }

    /// h K̃ l̇ + (h D̃ + h² K̃) g·a.
    pub(super) fn held([stiffness, damping]: [f64; 2], h: f64, [rate, acc]: [f64; 2]) -> f64 {
        h * (stiffness * rate + (damping + h * stiffness) * acc)
    }
}
