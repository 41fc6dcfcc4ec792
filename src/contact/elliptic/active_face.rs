//! The face of its law that each unit is on in the rigid laws, and the neighbouring faces.

use super::answer::Answer;
use super::unit::{Set, Unit, WIDEST, norm};
use crate::contact::digits::{READABLE, ROUND_OFF};
use crate::contact::mode::Mode;
use crate::contact::ncp::pyramid;

/// A row without impulse whose scaled velocity is below this counts as held, as in
/// [`ncp`](crate::contact::ncp).
pub(super) const CLOSED: f64 = 1e-9;

/// The face that a unit is on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ActiveFace {
    Open,
    Held,
    Sliding,
    /// A pyramid or an interval: the sign of the impulse of each tangent that is at its bound, and 0 for
    /// other tangents.
    Bounded([i8; WIDEST - 1]),
}

impl ActiveFace {
    /// The face of a compliant solution.
    pub fn of_answer(unit: &Unit, a: &Answer) -> ActiveFace {
        let bound = |l: f64, bound: f64| match l.abs() < bound * (1.0 - ROUND_OFF) {
            true => 0,
            false => l.signum() as i8,
        };
        match (unit.set, a.mode) {
            (_, Mode::Breaking) => ActiveFace::Open,
            (Set::Pyramid { mu }, _) => {
                let last = unit.rows - 1;
                let most = mu * a.gamma[last];
                let mut signs = [0; WIDEST - 1];
                for (sign, l) in signs.iter_mut().zip(&a.gamma[..last]) {
                    *sign = bound(*l, most);
                }
                ActiveFace::Bounded(signs)
            }
            (Set::Interval { bound: most }, _) => {
                let mut signs = [0; WIDEST - 1];
                signs[0] = bound(a.gamma[0], most);
                ActiveFace::Bounded(signs)
            }
            (_, Mode::Sliding) => ActiveFace::Sliding,
            _ => ActiveFace::Held,
        }
    }

    /// The face of an open unit with velocities σ that closes with a vanishing impulse. Its friction is
    /// at the bound against every motion faster than `still`.
    pub fn closed(unit: &Unit, sigma: &[f64], still: f64) -> ActiveFace {
        match unit.set {
            Set::Cone { mu } if mu == 0.0 || unit.slip(sigma) > still => ActiveFace::Sliding,
            Set::Pyramid { .. } => {
                let mut signs = [0; WIDEST - 1];
                let tangents = signs.iter_mut().zip(&sigma[..unit.rows - 1]);
                for ((sign, s), w) in tangents.zip(&unit.weight) {
                    if w * s.abs() > still {
                        *sign = -pyramid::sign(*s);
                    }
                }
                ActiveFace::Bounded(signs)
            }
            _ => ActiveFace::Held,
        }
    }

    /// The face for a mode of the last step and its impulses; `None` for an unknown mode.
    pub fn of_mode(unit: &Unit, mode: Mode, l: &[f64]) -> Option<ActiveFace> {
        let last = unit.rows - 1;
        let mut signs = [0; WIDEST - 1];
        Some(match (unit.set, mode) {
            (_, Mode::Unknown) => return None,
            (_, Mode::Breaking) => ActiveFace::Open,
            (Set::Interval { .. }, mode) => {
                signs[0] = match mode {
                    Mode::AtLower => -1,
                    Mode::AtUpper => 1,
                    _ => 0,
                };
                ActiveFace::Bounded(signs)
            }
            (Set::Pyramid { mu }, _) => {
                let bound = mu * l[last] * (1.0 - ROUND_OFF);
                for (sign, l) in signs.iter_mut().zip(&l[..last]) {
                    *sign = if l.abs() < bound {
                        0
                    } else {
                        pyramid::sign(*l)
                    };
                }
                ActiveFace::Bounded(signs)
            }
            (_, Mode::Sliding) => ActiveFace::Sliding,
            _ => ActiveFace::Held,
        })
    }
}

/// The units of velocities and impulses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scales {
    pub velocity: f64,
    pub impulse: f64,
}

/// The neighbouring face of a unit that violates its law, and by which factor it does. The impulse may
/// leave its set by at most `slack`; the velocity may violate the law by at most `creep`. `None` if the
/// unit obeys the law.
pub(super) fn neighbour(
    unit: &Unit,
    active_face: ActiveFace,
    [l, s]: [&[f64]; 2],
    [slack, creep]: [f64; 2],
) -> Option<(ActiveFace, f64)> {
    let last = unit.rows - 1;
    let closing = -s[last] / creep;
    let pulling = -l[last] / slack;
    match (unit.set, active_face) {
        (Set::Line, _) => None,
        (Set::Interval { bound }, ActiveFace::Bounded(mut signs)) => {
            let off = move_to_bound(&mut signs[0], l[0], s[0], bound, [slack, creep]);
            (off > 1.0).then_some((ActiveFace::Bounded(signs), off))
        }
        (_, ActiveFace::Open) => {
            (closing > 1.0).then(|| (ActiveFace::closed(unit, s, creep), closing))
        }
        _ if pulling > 1.0 => Some((ActiveFace::Open, pulling)),
        (Set::Pyramid { mu }, ActiveFace::Bounded(mut signs)) => {
            let mut worst = 0.0f64;
            for k in 0..last {
                let bound = mu * l[last];
                let off = move_to_bound(&mut signs[k], l[k], s[k], bound, [slack, creep]);
                worst = worst.max(off);
            }
            (worst > 1.0).then_some((ActiveFace::Bounded(signs), worst))
        }
        (Set::Cone { mu }, ActiveFace::Held) => {
            let beyond = (norm(&l[..last]) - mu * l[last]) / slack;
            (beyond > 1.0).then_some((ActiveFace::Sliding, beyond))
        }
        (Set::Cone { mu }, ActiveFace::Sliding) if mu > 0.0 => {
            let along: f64 = l[..last].iter().zip(s).map(|(l, s)| l * s).sum();
            let force = norm(&l[..last]);
            let forward = if along > 0.0 {
                along / force / creep
            } else {
                0.0
            };
            (forward > 1.0).then_some((ActiveFace::Held, forward))
        }
        _ => None,
    }
}

/// Sets the sign of the bound that the impulse belongs at, 0 for none. Returns the violation in units of
/// `slack` or `creep`.
fn move_to_bound(sign: &mut i8, l: f64, s: f64, bound: f64, [slack, creep]: [f64; 2]) -> f64 {
    let (off, next) = match *sign {
        0 => ((l.abs() - bound) / slack, pyramid::sign(l)),
        sign => (f64::from(sign) * s / creep, 0),
    };
    if off > 1.0 {
        *sign = next;
    }
    off
}

/// As for three rows in [`ncp`](crate::contact::ncp).
pub(super) fn classify(unit: &Unit, l: &[f64], s: &[f64], scales: Scales) -> (ActiveFace, f64) {
    let last = unit.rows - 1;
    let (gap, normal) = (s[last] / scales.velocity, l[last] / scales.impulse);
    match unit.set {
        Set::Cone { .. } | Set::Pyramid { .. } | Set::HalfLine if gap > CLOSED && gap > normal => {
            (ActiveFace::Open, gap)
        }
        Set::HalfLine => (ActiveFace::Held, normal.max(gap)),
        Set::Line => (ActiveFace::Held, f64::INFINITY),
        Set::Cone { mu } if mu > 0.0 => {
            let slip = unit.slip(s) / scales.velocity;
            let room = mu * l[last] - norm(&l[..last]);
            let inside = room / ((1.0 + mu * mu).sqrt() * scales.impulse);
            if slip <= CLOSED || inside > slip {
                let margin = inside.min(normal).max(0.0).max(slip.max(gap));
                return (ActiveFace::Held, margin);
            }
            (ActiveFace::Sliding, slip.max(inside).min(normal.max(gap)))
        }
        Set::Cone { .. } => (ActiveFace::Sliding, normal.max(gap)),
        Set::Pyramid { mu } => {
            let (mut signs, mut margin) = ([0; WIDEST - 1], normal.max(gap));
            for k in 0..last {
                let slip = unit.weight[k] * s[k].abs() / scales.velocity;
                let room = mu * l[last] - l[k].abs();
                let inside = room / ((1.0 + mu * mu).sqrt() * scales.impulse);
                if mu > 0.0 {
                    margin = margin.min(inside.max(slip));
                }
                if slip > CLOSED && inside <= slip {
                    signs[k] = -pyramid::sign(s[k]);
                }
            }
            (ActiveFace::Bounded(signs), margin.max(0.0))
        }
        Set::Interval { bound } => {
            let slip = s[0].abs() / scales.velocity;
            let inside = match bound > 0.0 {
                true => 1.0 - l[0].abs() / bound,
                false => 0.0,
            };
            let mut signs = [0; WIDEST - 1];
            if slip > CLOSED && inside <= slip {
                signs[0] = -pyramid::sign(s[0]);
            }
            (ActiveFace::Bounded(signs), inside.max(slip))
        }
    }
}

/// Whether impulses that are not yet a solution determine the face of a unit. At a solution one number
/// of each pair is zero, so it must be small beside the other; and friction must act against the slip.
pub(super) fn is_readable(unit: &Unit, l: &[f64], s: &[f64], scales: Scales) -> bool {
    let last = unit.rows - 1;
    let told = |a: f64, b: f64| a.abs().min(b.abs()) <= READABLE * a.abs().max(b.abs());
    let within = |k: usize, bound: f64| {
        let slip = unit.weight[k] * s[k] / scales.velocity;
        bound == 0.0 || told(1.0 - l[k].abs() / bound, slip)
    };
    match unit.set {
        Set::Line => return true,
        Set::Interval { bound } => return within(0, bound),
        _ => {}
    }
    let (gap, normal) = (s[last] / scales.velocity, l[last] / scales.impulse);
    if !told(gap, normal) {
        return false;
    }
    match unit.set {
        _ if gap > normal => true,
        Set::Cone { mu } if mu * l[last] > 0.0 => {
            let force = norm(&l[..last]);
            let (inside, slip) = (1.0 - force / (mu * l[last]), unit.slip(s));
            let slides = inside < slip / scales.velocity;
            told(inside, slip / scales.velocity)
                && (!slides || unit.across(l, s) <= READABLE * slip)
        }
        Set::Pyramid { mu } => (0..last).all(|k| within(k, mu * l[last])),
        _ => true,
    }
}

/// Mode of a unit's block, and of its torsional and rolling block.
pub(super) fn modes(unit: &Unit, active_face: ActiveFace) -> [Mode; 2] {
    match (unit.set, active_face) {
        (_, ActiveFace::Open) => [Mode::Breaking; 2],
        (_, ActiveFace::Held) => [Mode::Sticking; 2],
        (_, ActiveFace::Sliding) => [Mode::Sliding; 2],
        (Set::Pyramid { mu: 0.0 }, _) => [Mode::Sliding; 2],
        (Set::Interval { .. }, ActiveFace::Bounded([0, ..])) => [Mode::Sticking; 2],
        (Set::Interval { .. }, ActiveFace::Bounded([1, ..])) => [Mode::AtUpper; 2],
        (Set::Interval { .. }, ActiveFace::Bounded(_)) => [Mode::AtLower; 2],
        (_, ActiveFace::Bounded(signs)) => {
            let [x, y, torsion @ ..] = signs;
            let torsion = match torsion {
                [0, 0, 0] => Mode::Sticking,
                signs => Mode::Turned(signs),
            };
            [pyramid::closed([x, y]), torsion]
        }
    }
}
