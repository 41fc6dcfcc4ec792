//! Contacts with torsional or rolling friction: round cones and pyramids of four to six rows.
//!
//! The torsional and rolling rows of a contact are block i − 1 ([`Block::Torsion`]), its own rows are block
//! i. Together they are one run of rows, tangents first and the normal last, with one law: that of block i,
//! with more tangents. The functions here take slices of these rows.

use super::least_norm::Set;
use super::measure::{Scales, Violation};
use super::pyramid;
use crate::contact::digits::ROUND_OFF;
use crate::contact::law::Turn;
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Small};

/// Rows of the widest law: five tangents and a normal.
pub(super) const WIDEST: usize = 6;

/// Numbers by rows; entries beyond the rows of a law are zero.
pub(super) type Wide = [f64; WIDEST];

/// By tangents: the sign of an impulse at its bound, 0 for a tangent that holds.
pub(super) type Signs = [i8; WIDEST - 1];

/// The common mode of both blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum WideMode {
    Open,
    /// All rows are at rest.
    Held,
    /// A cone with friction at its bound.
    Sliding,
    /// A pyramid with some tangents at their bounds.
    Bounded(Signs),
}

/// ‖x‖.
pub(super) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// The friction coefficient of a contact.
pub(super) fn friction(block: Block) -> f64 {
    match block {
        Block::Contact { mu } | Block::Pyramid { mu } => mu,
        _ => 0.0,
    }
}

pub(super) fn bounded(signs: Signs) -> WideMode {
    match signs {
        [0, 0, 0, 0, 0] => WideMode::Held,
        signs => WideMode::Bounded(signs),
    }
}

/// Whether block `i` is a contact with torsional rows.
pub(super) fn is_wide(blocks: &[Block], i: usize) -> bool {
    i > 0 && matches!(blocks[i - 1], Block::Torsion { .. })
}

/// The mode of the contact in block `i`, and of its torsional rows.
pub(super) fn mode_of(blocks: &[Block], modes: &[Mode], i: usize) -> WideMode {
    match (blocks[i], modes[i]) {
        (_, Mode::Breaking) => WideMode::Open,
        (Block::Pyramid { .. }, contact) => {
            let (mut signs, k) = ([0; WIDEST - 1], blocks[i - 1].rows());
            if let Mode::Turned(turned) = modes[i - 1] {
                signs[..k].copy_from_slice(&turned[..k]);
            }
            signs[k..k + 2].copy_from_slice(&pyramid::bounds(contact));
            bounded(signs)
        }
        (_, Mode::Sticking) => WideMode::Held,
        _ => WideMode::Sliding,
    }
}

/// Sets the modes of the contact in block `i` and of its torsional rows.
pub(super) fn set_mode(blocks: &[Block], modes: &mut [Mode], i: usize, mode: WideMode) {
    (modes[i - 1], modes[i]) = match mode {
        WideMode::Open => (Mode::Breaking, Mode::Breaking),
        WideMode::Held => (Mode::Sticking, Mode::Sticking),
        WideMode::Sliding => (Mode::Sliding, Mode::Sliding),
        WideMode::Bounded(signs) => {
            let (k, mut turned) = (blocks[i - 1].rows(), [0; 3]);
            turned[..k].copy_from_slice(&signs[..k]);
            let torsion = match turned {
                [0, 0, 0] => Mode::Sticking,
                turned => Mode::Turned(turned),
            };
            (torsion, pyramid::closed([signs[k], signs[k + 1]]))
        }
    };
}

impl WideMode {
    /// The signs of tangents at their bounds.
    pub fn signs(self) -> Signs {
        match self {
            WideMode::Bounded(signs) => signs,
            _ => [0; WIDEST - 1],
        }
    }

    /// The mode with which a contact closes that moves with σ. A tangent is at rest up to `still`.
    pub fn closed(block: Block, s: &[f64], still: f64) -> WideMode {
        let tangents = &s[..s.len() - 1];
        match block {
            Block::Pyramid { .. } => {
                let mut signs = [0; WIDEST - 1];
                for (sign, s) in signs.iter_mut().zip(tangents) {
                    *sign = if s.abs() > still {
                        -pyramid::sign(*s)
                    } else {
                        0
                    };
                }
                bounded(signs)
            }
            _ if norm(tangents) > still => WideMode::Sliding,
            _ => WideMode::Held,
        }
    }

    /// The mode of an impulse that lies on its face.
    pub fn of_impulse(block: Block, l: &[f64]) -> WideMode {
        let last = l.len() - 1;
        let bound = friction(block) * l[last] * (1.0 - ROUND_OFF);
        match block {
            _ if l[last] <= 0.0 => WideMode::Open,
            Block::Pyramid { .. } => {
                let mut signs = [0; WIDEST - 1];
                for (sign, l) in signs.iter_mut().zip(&l[..last]) {
                    *sign = if l.abs() < bound {
                        0
                    } else {
                        pyramid::sign(*l)
                    };
                }
                bounded(signs)
            }
            _ if norm(&l[..last]) < bound => WideMode::Held,
            _ => WideMode::Sliding,
        }
    }

    /// The neighbouring mode if the impulse has left its set by more than `slack`.
    pub fn by_impulse(self, block: Block, l: &[f64], slack: f64) -> Option<WideMode> {
        let last = l.len() - 1;
        let most = friction(block) * l[last] + slack;
        match (block, self) {
            (_, WideMode::Open) => None,
            _ if l[last] < -slack => Some(WideMode::Open),
            (Block::Pyramid { .. }, mode) => {
                let mut signs = mode.signs();
                for (sign, l) in signs.iter_mut().zip(&l[..last]) {
                    if *sign == 0 && l.abs() > most {
                        *sign = pyramid::sign(*l);
                    }
                }
                (signs != mode.signs()).then_some(bounded(signs))
            }
            (_, WideMode::Held) => (norm(&l[..last]) > most).then_some(WideMode::Sliding),
            _ => None,
        }
    }

    /// The neighbouring mode if the velocity contradicts this one by more than `slack`. The impulse of a
    /// contact that closes is set to a guess from its responses `w`.
    pub fn by_velocity(
        self,
        block: Block,
        (l, s): (&mut [f64], &[f64]),
        w: [&Small; 2],
        slack: f64,
    ) -> Option<WideMode> {
        let last = l.len() - 1;
        match self {
            WideMode::Open if s[last] < -slack => {
                guess(block, l, s, w);
                Some(match WideMode::of_impulse(block, l) {
                    WideMode::Open => WideMode::closed(block, s, slack),
                    mode => mode,
                })
            }
            WideMode::Sliding => {
                let tangents = &l[..last];
                (dot(tangents, s) > slack * norm(tangents)).then_some(WideMode::Held)
            }
            WideMode::Bounded(mut signs) => {
                for (sign, s) in signs.iter_mut().zip(&s[..last]) {
                    if f64::from(*sign) * s > slack {
                        *sign = 0;
                    }
                }
                (signs != self.signs()).then_some(bounded(signs))
            }
            _ => None,
        }
    }

    /// The closed side of a switch: the mode in which rows without velocity are active.
    pub fn promoted(self, block: Block, s: &[f64], closed: f64) -> Option<WideMode> {
        let last = s.len() - 1;
        match self {
            WideMode::Open if s[last] <= closed => Some(WideMode::closed(block, s, closed)),
            WideMode::Sliding if norm(&s[..last]) <= closed => Some(WideMode::Held),
            WideMode::Bounded(mut signs) => {
                for (sign, s) in signs.iter_mut().zip(&s[..last]) {
                    *sign = if s.abs() <= closed { 0 } else { *sign };
                }
                (signs != self.signs()).then_some(bounded(signs))
            }
            _ => None,
        }
    }

    /// The mode in which tangents of a closed contact that move faster than `still` are at their bounds.
    pub fn released(self, block: Block, s: &[f64], still: f64) -> Option<WideMode> {
        if self == WideMode::Open {
            return None;
        }
        let (before, moving) = (self.signs(), WideMode::closed(block, s, still).signs());
        let mut signs = before;
        for (sign, moving) in signs.iter_mut().zip(moving).filter(|(s, _)| **s == 0) {
            *sign = moving;
        }
        (signs != before).then_some(bounded(signs))
    }

    /// The mode to which a descent leads, as for three rows. λ̄_n above −`felt` and slips of at most
    /// `still` count as zero.
    pub fn by_descent(
        self,
        turn: Turn,
        block: Block,
        normal_bar: f64,
        s: &[f64],
        [felt, still]: [f64; 2],
    ) -> Option<WideMode> {
        let turns = (self == WideMode::Open) == (turn == Turn::Hold);
        match turn {
            _ if !turns || normal_bar >= -felt => None,
            Turn::Release => Some(WideMode::Open),
            Turn::Hold => Some(WideMode::closed(block, s, still)),
        }
    }
}

/// The mode of the torsional rows with velocities σ of a contact that a descent released or closed. A closed
/// cone slides, too, if these rows move faster than `still`.
pub(super) fn close_torsion(contact: Block, mode: &mut Mode, s: &[f64], still: f64) -> Mode {
    match (contact, *mode) {
        (Block::Pyramid { .. }, Mode::Sticking | Mode::Bounded(_)) => {
            let mut signs = [0; 3];
            for (sign, s) in signs.iter_mut().zip(s).filter(|(_, s)| s.abs() > still) {
                *sign = -pyramid::sign(*s);
            }
            match signs {
                [0, 0, 0] => Mode::Sticking,
                signs => Mode::Turned(signs),
            }
        }
        (_, Mode::Sticking) if norm(s) > still => {
            *mode = Mode::Sliding;
            Mode::Sliding
        }
        (_, mode) => mode,
    }
}

/// The impulse that stops the rows one by one, projected on its set.
fn guess(block: Block, l: &mut [f64], s: &[f64], [torsion, contact]: [&Small; 2]) {
    let k = l.len() - 3;
    for (r, (l, s)) in l.iter_mut().zip(s).enumerate() {
        let response = if r < k {
            torsion[r][r]
        } else {
            contact[r - k][r - k]
        };
        *l = if response > 0.0 { -s / response } else { 0.0 };
    }
    project(block, l);
}

/// Γ: the addition to the normal velocity by the tangential velocities.
pub(super) fn shift(block: Block, tangents: &[f64]) -> f64 {
    let slip = match block {
        Block::Pyramid { .. } => tangents.iter().map(|s| s.abs()).sum(),
        _ => norm(tangents),
    };
    friction(block) * slip
}

/// Projects on the set of impulses.
pub(super) fn project(block: Block, l: &mut [f64]) {
    let mu = friction(block);
    match block {
        Block::Pyramid { .. } => Set::Pyramid { mu }.project(l),
        _ => Set::Cone { mu }.project(l),
    }
}

/// The violation of the law by (λ, σ).
pub(super) fn violation(block: Block, l: &[f64], s: &[f64]) -> Violation {
    let last = l.len() - 1;
    let bound = friction(block) * l[last];
    let (tangents, slips) = (&l[..last], &s[..last]);
    let (force, complementarity) = match block {
        Block::Pyramid { .. } => {
            let side = |(l, s): (&f64, &f64)| (l * s + bound * s.abs()).abs();
            let sides: f64 = tangents.iter().zip(slips).map(side).sum();
            let force = tangents.iter().fold(0.0, |m: f64, l| m.max(l.abs()));
            (force, (l[last] * s[last]).abs() + sides)
        }
        _ => (norm(tangents), (dot(l, s) + bound * norm(slips)).abs()),
    };
    Violation {
        cone: (force - bound).max(-l[last]).max(0.0),
        dual: (-s[last]).max(0.0),
        complementarity,
    }
}

/// As [`classify`](super::modes::classify).
pub(super) fn classify(
    block: Block,
    l: &[f64],
    s: &[f64],
    scales: Scales,
    closed: f64,
) -> (WideMode, f64) {
    let last = l.len() - 1;
    let mu = friction(block);
    let (gap, normal) = (s[last] / scales.velocity, l[last] / scales.impulse);
    if gap > closed && gap > normal {
        return (WideMode::Open, gap);
    }
    let inside = |force: f64| (mu * l[last] - force) / ((1.0 + mu * mu).sqrt() * scales.impulse);
    if let Block::Pyramid { .. } = block {
        let (mut signs, mut margin) = ([0; WIDEST - 1], normal.max(gap));
        for ((sign, l), s) in signs.iter_mut().zip(&l[..last]).zip(s) {
            let (slip, inside) = (s.abs() / scales.velocity, inside(l.abs()));
            margin = margin.min(inside.max(slip));
            if slip > closed && inside <= slip {
                *sign = -pyramid::sign(*s);
            }
        }
        return (bounded(signs), margin.max(0.0));
    }
    let (slip, inside) = (norm(&s[..last]) / scales.velocity, inside(norm(&l[..last])));
    if slip <= closed || inside > slip {
        let margin = inside.min(normal).max(0.0).max(slip.max(gap));
        return (WideMode::Held, margin);
    }
    (WideMode::Sliding, slip.max(inside).min(normal.max(gap)))
}

/// The mode of a contact at a switch with the fewest active rows, and the rows that are at rest in the mode
/// with the most. `None` if it is in one mode on all sides. `closed` is the margin of a switch.
pub(super) fn switch(
    block: Block,
    l: &[f64],
    s: &[f64],
    scales: Scales,
    closed: f64,
) -> Option<(WideMode, [bool; WIDEST])> {
    let (mode, margin) = classify(block, l, s, scales, closed);
    if margin > closed {
        return None;
    }
    let last = l.len() - 1;
    let at_rest = |s: f64| s.abs() <= closed * scales.velocity;
    let leaves = (l[last] / scales.impulse).max(s[last] / scales.velocity) <= closed;
    let mut held = [false; WIDEST];
    let Block::Pyramid { mu } = block else {
        let slips = norm(&s[..last]) > closed * scales.velocity;
        held[..last].fill(!(leaves && slips));
        held[last] = true;
        let released = if leaves {
            WideMode::Open
        } else {
            WideMode::Sliding
        };
        return Some((released, held));
    };
    if leaves {
        for (held, s) in held.iter_mut().zip(&s[..last]) {
            *held = at_rest(*s);
        }
        held[last] = true;
        return Some((WideMode::Open, held));
    }
    let mut signs = mode.signs();
    for k in 0..last {
        let inside = mu * l[last] - l[k].abs();
        held[k] = at_rest(s[k]) && inside <= closed * scales.impulse * (1.0 + mu * mu).sqrt();
        if held[k] {
            signs[k] = pyramid::sign(l[k]);
        }
    }
    Some((bounded(signs), held))
}

/// Whether all impulses in the range `reach` around `middle` are inside the set.
pub(super) fn is_inside(
    block: Block,
    sticks: bool,
    middle: &[f64],
    reach: &[f64],
    slack: f64,
) -> bool {
    let last = middle.len() - 1;
    let least = middle[last] - reach[last];
    let most = match block {
        Block::Pyramid { .. } => {
            let sums = middle[..last].iter().zip(reach).map(|(x, d)| x.abs() + d);
            sums.fold(0.0, f64::max)
        }
        _ => norm(&middle[..last]) + norm(&reach[..last]),
    };
    least > slack && (!sticks || most < friction(block) * least - slack)
}

/// The change of λ with μ at a fixed face, times `rate`.
pub(super) fn face_rate(block: Block, mode: WideMode, l: &[f64], rate: f64) -> Wide {
    let (last, mut out) = (l.len() - 1, [0.0; WIDEST]);
    for (k, out) in out.iter_mut().enumerate().take(last) {
        *out = match mode {
            WideMode::Sliding => l[k] / friction(block) * rate,
            WideMode::Bounded(signs) => f64::from(signs[k]) * l[last] * rate,
            _ => 0.0,
        };
    }
    out
}

/// Puts an impulse on its face: at the bounds of a pyramid, or zero if the contact is open.
pub(super) fn put_on_face(block: Block, mode: WideMode, l: &mut [f64]) {
    let last = l.len() - 1;
    match mode {
        WideMode::Open => l.fill(0.0),
        WideMode::Bounded(signs) => {
            let bound = friction(block) * l[last];
            for (l, sign) in l[..last].iter_mut().zip(signs).filter(|(_, s)| *s != 0) {
                *l = f64::from(sign) * bound;
            }
        }
        _ => {}
    }
}

/// Scales the friction of a sliding impulse to μ λ_n.
pub(super) fn turn_onto_cone(mu: f64, l: &mut [f64]) {
    let last = l.len() - 1;
    let (force, normal) = (norm(&l[..last]), l[last]);
    let scale = match normal > 0.0 {
        true if force == 0.0 => return,
        true => mu * normal / force,
        false => 0.0,
    };
    l[..last].iter_mut().for_each(|l| *l *= scale);
}

/// σ_T without its part along `u`.
pub(super) fn across(s: &[f64], u: &Wide) -> Wide {
    let last = s.len() - 1;
    let along = dot(&s[..last], u);
    std::array::from_fn(|k| if k < last { s[k] - along * u[k] } else { 0.0 })
}

/// The direction against an impulse; `None` for an impulse without friction.
pub(super) fn against(l: &[f64]) -> Option<Wide> {
    let last = l.len() - 1;
    let force = norm(&l[..last]);
    let along = |k: usize| if k < last { -l[k] / force } else { 0.0 };
    (force > 0.0).then(|| std::array::from_fn(along))
}
