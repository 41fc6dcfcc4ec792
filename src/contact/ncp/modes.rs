//! Which face of its law a block is on.

use super::cone::planar_norm;
use super::{Effort, local};
use crate::contact::problem::Block;

/// The state of one block at the solution.
///
/// At a switch (λ = 0 with σ = 0, or λ on the edge of its set with σ = 0) the closed side is taken: the constraint
/// counts as holding, so the mode is `Sticking`, or `Sliding` if only the normal velocity vanishes. This is the one
/// side that is also right for redundant contacts, whose impulse may vanish while the point stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// No guess: as input, the solver finds the mode itself.
    #[default]
    Unknown,
    /// Contact or limit is separating, λ = 0.
    Breaking,
    /// σ = 0: sticking contact, active limit, dry friction that holds, bilateral row.
    Sticking,
    /// Contact with σ_n = 0, friction at its bound against σ_T (a frictionless contact that touches, too).
    Sliding,
    /// Dry friction at −bound, σ > 0.
    AtLower,
    /// Dry friction at +bound, σ < 0.
    AtUpper,
}

impl Mode {
    const ALL: [Mode; 6] = [
        Mode::Unknown,
        Mode::Breaking,
        Mode::Sticking,
        Mode::Sliding,
        Mode::AtLower,
        Mode::AtUpper,
    ];

    /// The mode whose place in the declaration is `index`; none for any other number.
    pub fn from_index(index: f64) -> Option<Mode> {
        Mode::ALL
            .into_iter()
            .find(|m| f64::from(*m as i32) == index)
    }

    /// Whether this mode exists for the block.
    pub fn fits(self, block: Block) -> bool {
        match block {
            Block::Contact { mu } => match self {
                Mode::Sticking => mu > 0.0,
                Mode::Breaking | Mode::Sliding => true,
                _ => false,
            },
            Block::Unilateral => matches!(self, Mode::Breaking | Mode::Sticking),
            Block::Box { .. } => matches!(self, Mode::Sticking | Mode::AtLower | Mode::AtUpper),
            Block::Bilateral => self == Mode::Sticking,
        }
    }
}

/// Units in which a velocity and an impulse of this problem count as one.
#[derive(Clone, Copy, Debug)]
pub struct Scales {
    pub velocity: f64,
    pub impulse: f64,
}

/// The mode that (λ, σ) is in, and the distance to the nearest other mode, dimensionless.
///
/// `closed` is the scaled velocity below which a row counts as held.
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

/// How well a solve went. Velocities are scaled by max(1, ‖g‖∞) m/s, impulses by ‖λ‖∞ (1 if λ = 0).
#[derive(Clone, Copy, Debug)]
pub struct Certificate {
    /// Largest violation of λ ∈ K, scaled.
    pub cone: f64,
    /// Largest violation of σ + Γ ∈ K* (σ = 0 for bilateral rows), scaled.
    pub dual: f64,
    /// Largest |⟨λ, σ + Γ⟩| of a block, scaled by both.
    pub complementarity: f64,
    /// All three are within the tolerance asked for.
    pub converged: bool,
    /// Who produced the answer.
    pub path: Path,
    /// Newton factorizations, interior-point steps, factorizations along the path, PGS sweeps and ADMM iterations spent.
    pub newton: usize,
    pub interior: usize,
    pub continuation: usize,
    pub sweeps: usize,
    pub admm: usize,
    /// Distance to the nearest mode switch: velocities in units of ‖g‖∞, impulses in units of ‖λ‖∞, dry friction in
    /// units of its bound; infinite if no block can switch. The smallest over all blocks.
    pub margin: f64,
    /// The margin is below the closed tolerance: the derivative is that of the closed side ([`Mode`]).
    pub at_switch: bool,
    /// Some held rows are linearly dependent: λ is a choice (see the module's text). Told by Newton only.
    pub redundant: bool,
    /// That choice is the documented one, of least norm, independent of the warm start.
    pub least_norm: bool,
    /// How far the default path went.
    pub effort: Effort,
}

/// The method that produced a solution, in the order of what they cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Path {
    /// There was nothing to solve.
    Empty,
    /// Mode-fixed Newton from the modes given.
    Newton,
    /// Mode-fixed Newton from modes that another method found.
    Polished,
    /// Interior point.
    Interior,
    /// The central path followed through its folds.
    Continuation,
    /// Projected Gauss–Seidel.
    Pgs,
    /// Alternating directions.
    Admm,
}

impl Certificate {
    /// The largest of the three residuals.
    pub fn residual(&self) -> f64 {
        self.cone.max(self.dual).max(self.complementarity)
    }

    /// Counts what another solve took.
    pub(in crate::contact) fn add_work(&mut self, other: &Certificate) {
        self.newton += other.newton;
        self.interior += other.interior;
        self.continuation += other.continuation;
        self.sweeps += other.sweeps;
        self.admm += other.admm;
    }

    /// Of the solutions of two independent problems together.
    pub(in crate::contact) fn join(&mut self, other: &Certificate) {
        self.cone = self.cone.max(other.cone);
        self.dual = self.dual.max(other.dual);
        self.complementarity = self.complementarity.max(other.complementarity);
        self.converged &= other.converged;
        self.path = self.path.max(other.path);
        self.margin = self.margin.min(other.margin);
        self.at_switch |= other.at_switch;
        self.redundant |= other.redundant;
        self.least_norm &= other.least_norm;
        self.effort = self.effort.max(other.effort);
    }

    pub(in crate::contact) fn new(path: Path) -> Certificate {
        Certificate {
            cone: 0.0,
            dual: 0.0,
            complementarity: 0.0,
            converged: true,
            path,
            newton: 0,
            interior: 0,
            continuation: 0,
            sweeps: 0,
            admm: 0,
            margin: f64::INFINITY,
            at_switch: false,
            redundant: false,
            least_norm: path == Path::Empty,
            effort: Effort::Brief,
        }
    }
}

#[inline]
pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// Residuals of (λ, σ): cone, dual cone, complementarity, scaled as [`Certificate`] documents.
pub(super) fn residuals(blocks: &[Block], g: &[f64], lambda: &[f64], sigma: &[f64]) -> [f64; 3] {
    let velocity = largest(g).max(1.0);
    let impulse = match largest(lambda) {
        0.0 => 1.0,
        size => size,
    };
    let mut worst = [0.0f64; 3];
    let mut at = 0;
    for block in blocks {
        let end = at + block.rows();
        let v = local::violation(*block, &lambda[at..end], &sigma[at..end]);
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

/// Takes new modes; whether they are those there were.
pub(super) fn replace_modes(modes: &mut [Mode], new: impl Iterator<Item = Mode>) -> bool {
    let mut same = true;
    for (mode, new) in modes.iter_mut().zip(new) {
        same &= *mode == new;
        *mode = new;
    }
    same
}

/// The mode that a block inside its cones tends to: of two that vanish together the smaller one. Of a box, σ is the
/// difference of the slacks.
pub(super) fn tending(block: Block, bound: f64, l: &[f64], s: &[f64], slack: [f64; 2]) -> Mode {
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
        Block::Unilateral if l[0] < s[0] => Mode::Breaking,
        Block::Box { .. } => {
            let [lower, upper] = match bound {
                0.0 => [s[0], -s[0]],
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
