//! Where a tendon's spring and damper act.

/// Of lengths that are the same.
const ROUND_OFF: f64 = 1e-12;

/// What a tendon's spring-damper does at a length.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// Stiffness and damping that act.
    pub law: [f64; 2],
    /// Beyond an end of the lengths at rest, the lower (0) or the upper (1) [m]; none between them, or where it is slack.
    pub elongation: f64,
    pub end: Option<usize>,
    /// Distance to where another law acts [m].
    pub margin: f64,
}

impl Stretch {
    /// Of a stiffness, a damping and the ends of the lengths at rest.
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
        // Where the ends are one the force is a line through it.
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

    /// Whether a length is where both ends of the lengths at rest are: parted they would leave it no spring, so that by one of them
    /// it has a derivative to one side at most.
    pub fn is_at_both_ends([k, _, lower, upper]: [f64; 4], length: f64, pull_only: bool) -> bool {
        let beyond = (length - lower).abs();
        k > 0.0
            && !pull_only
            && lower == upper
            && beyond <= ROUND_OFF * length.abs().max(lower.abs())
    }
}
