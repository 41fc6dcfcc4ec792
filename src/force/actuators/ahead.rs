//! The part of a servo's force that a step takes implicitly.

/// The slopes of a servo's force that a step takes implicitly, by the length and the rate of the transmission.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ahead {
    /// K̃ [N/m or N m/rad] and D̃ [N s/m or N m s/rad].
    pub(super) resists: [f64; 2],
    /// Their slopes by u.
    pub(super) by_u: [f64; 2],
}

impl Ahead {
    /// Of the slopes of a force by length and rate, and of their slopes by u, those that slow the transmission or pull it
    /// back; and how far u is from where one changes its sign.
    #[inline(always)]
    pub(super) fn of(gear: f64, slopes: [f64; 2], by_u: [f64; 2]) -> (Ahead, f64) {
        let (mut ahead, mut margin) = (Ahead::default(), f64::INFINITY);
        for (slope, (k, by_u)) in slopes.into_iter().zip(by_u.into_iter().enumerate()) {
            let resists = -gear * slope;
            if resists > 0.0 {
                ahead.resists[k] = resists;
                ahead.by_u[k] = -gear * by_u;
            }
            if by_u != 0.0 {
                margin = margin.min((slope / by_u).abs());
            }
        }
        (ahead, margin)
    }

    /// h K̃ l̇ + (h D̃ + h² K̃) g·a.
    pub(super) fn held([stiffness, damping]: [f64; 2], h: f64, [rate, acc]: [f64; 2]) -> f64 {
        h * (stiffness * rate + (damping + h * stiffness) * acc)
    }
}
