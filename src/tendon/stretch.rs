//! The range of lengths in which a tendon's spring and damper act.

/// Relative difference up to which lengths count as equal.
const ROUND_OFF: f64 = 1e-12;

/// The spring-damper of a tendon at a length.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// Active stiffness and damping.
    pub law: [f64; 2],
    /// Rest length that is exceeded, the lower (0) or the upper (1), and the elongation beyond it [m]; `None`
    /// between them, or if the tendon is slack.
    pub elongation: f64,
    pub end: Option<usize>,
    /// Distance to the length at which another law acts [m].
    pub margin: f64,
}

impl Stretch {
    /// From a stiffness, a damping and the two rest lengths.
    pub fn of([k, d, lower, upper]: [f64; 4], length: f64, pull_only: bool) -> Stretch {
        let beyond = [length - lower, length - upper];
        if pull_only {
            let is_taut = beyond[1] > 0.0;
            return Stretch {
                law: if is_taut { [k, d] } else { [0.0; 2] },
                elongation: beyond[1],
                end: is_taut.then_some(1),
                margin: match [k, d] == [0.0; 2] {
                    true => f64::INFINITY,
                    false => beyond[1].abs(),
                },
            };
        }
        // If the rest lengths are equal, the force is a line through this length.
        let end = match beyond {
            [x, _] if x < 0.0 => Some(0),
            [_, x] if x > 0.0 || lower == upper => Some(1),
            _ => None,
        };
        Stretch {
            law: [if end.is_some() { k } else { 0.0 }, d],
            elongation: end.map_or(0.0, |end| beyond[end]),
            end,
            margin: match lower == upper || k == 0.0 {
                true => f64::INFINITY,
                false => beyond[0].abs().min(beyond[1].abs()),
            },
        }
    }

    /// True if a length equals both rest lengths. If they moved apart, no spring force would act at this
    /// length, so the derivative of the force by one of them is at most one-sided.
    pub fn is_at_both_ends([k, _, lower, upper]: [f64; 4], length: f64, pull_only: bool) -> bool {
        let beyond = (length - lower).abs();
        k > 0.0
            && !pull_only
            && lower == upper
            && beyond <= ROUND_OFF * length.abs().max(lower.abs())
    }
}
