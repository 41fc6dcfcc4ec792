//! Data of the derivative's rows: on bodies for contacts and equalities, on dofs for the other rows.

use crate::collision::Tie;
use crate::collision::patch::Shift;
use crate::constraint::contact_derivative::{Change, ContactState, Moved};
use crate::dynamics::external::Stiffness;
use crate::linalg::F4;
use crate::model::topology::WORLD;
use crate::spatial::{Twist, Vec3, Wrench};
use std::ops::Range;

pub(super) const AFTER: usize = 0;
pub(super) const BEFORE: usize = 1;

/// Rows of a group on one of its bodies: slopes of σ by (ξ, η) of the link.
#[derive(Clone, Debug)]
pub struct Side {
    pub rows: Range<usize>,
    pub link: usize,
    /// The velocity to which η belongs: `AFTER` or `BEFORE`.
    pub(super) time: usize,
    pub(super) by_xi: [F4; 6],
    pub(super) by_eta: [F4; 6],
}

impl Side {
    #[inline(always)]
    pub(super) fn apply(&self, xi: Twist, eta: Twist) -> F4 {
        let (x, e) = (xi.to_array(), eta.to_array());
        let mut sum = F4::ZERO;
        for k in 0..6 {
            sum += self.by_xi[k] * x[k] + self.by_eta[k] * e[k];
        }
        sum
    }
}

/// ∂σ/∂q of a row that acts on dofs.
#[derive(Clone, Copy, Debug)]
pub struct OnDof {
    pub row: usize,
    pub dof: usize,
    pub slope: f64,
}

/// The part of a coupling in the diagonal of R_q.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bend {
    pub dof: usize,
    pub by_q: f64,
}

/// A row of a tendon: its slopes by the rate of the length after the step and before it, and by the
/// length.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnTendon {
    pub row: usize,
    pub tendon: usize,
    pub by_rate: [f64; 2],
    pub by_length: f64,
}

/// The impulse of all rows of a tendon along its length, and its slope by that length [N s and N s/m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Pull {
    pub tendon: usize,
    pub impulse: f64,
    pub bend: f64,
}

/// Impulses on the link `to` by a displacement of the link `from`.
#[derive(Clone, Copy, Debug)]
pub struct Cross {
    pub from: usize,
    pub to: usize,
    pub stiffness: Stiffness,
}

impl Cross {
    /// Adds the effect of displacing the first link on the second.
    #[inline(always)]
    pub fn add(all: &mut Vec<Cross>, [from, to]: [usize; 2], wrench: &[Wrench; 6]) {
        if to == WORLD {
            return;
        }
        let stiffness = Stiffness { c: *wrench };
        match all.iter_mut().find(|c| (c.from, c.to) == (from, to)) {
            Some(c) => c.stiffness += &stiffness,
            None => all.push(Cross {
                from,
                to,
                stiffness,
            }),
        }
    }
}

/// Rows by the motion of single bodies, and impulses on other bodies.
#[derive(Debug)]
pub(super) struct BodyRows {
    pub sides: Vec<Side>,
    pub cross: Vec<Cross>,
}

impl BodyRows {
    pub fn new(max_groups: usize) -> Self {
        BodyRows {
            // Two bodies, at two velocities.
            sides: Vec::with_capacity(4 * max_groups),
            cross: Vec::with_capacity(2 * max_groups),
        }
    }

    pub fn clear(&mut self) {
        self.sides.clear();
        self.cross.clear();
    }
}

/// A contact, its rows, and the slopes of its normal row by the gap and by the velocity before the step.
#[derive(Clone, Debug, Default)]
pub(super) struct VariedContact {
    pub group: usize,
    pub rows: Range<usize>,
    pub slope: f64,
    pub by_speed: f64,
    pub state: ContactState,
    /// Direction in which the point is not unique, and the change of its normal. Zero if the features
    /// define one point.
    pub tie: Tie,
    /// True if the contact's place has no unique derivative.
    pub degenerate: bool,
    /// Variation of a face with the moduli of its two geoms.
    pub by_modulus: [Shift; 2],
    /// Slopes of a face's normal row by the gap and by the stiffness.
    pub by_face: [f64; 2],
    /// Set for a contact with lagged friction.
    pub bound: Option<LaggedBound>,
}

/// Slopes of the bound μ n₀ of lagged friction.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaggedBound {
    /// By the motion of the bodies: coefficients on (ζ.lin, ζ.ang), as for the gap.
    pub by_motion: [Vec3; 2],
    /// By the gap of a contact that moves in other ways, and by the stiffness of a face.
    pub by_gap: f64,
    pub by_stiffness: f64,
    /// By the normal velocity before the step.
    pub by_speed: f64,
}

impl VariedContact {
    /// Maps a motion along the frame to the contact's rows. A frictionless contact has only its normal.
    #[inline(always)]
    pub fn lanes(&self, x: Vec3) -> F4 {
        match self.rows.len() {
            1 => normal_lane(x),
            _ => three_lanes(x),
        }
    }

    /// The change of a face by this shift.
    pub fn pressed(&self, shift: &Shift) -> Change {
        let [by_gap, by_stiffness] = self.by_face;
        let bound = self.bound.as_ref();
        Change::Face {
            by: Shift {
                gap: shift.gap * by_gap + shift.stiffness * by_stiffness,
                ..*shift
            },
            bound: bound.map_or(0.0, |b| {
                shift.gap * b.by_gap + shift.stiffness * b.by_stiffness
            }),
        }
    }

    /// The contact before the step, with the bound of its friction in the place of the gap.
    #[inline(always)]
    pub fn bounded(&self, bound: &LaggedBound) -> ContactState {
        let mut state = self.state;
        state.impulse = Vec3::ZERO;
        state.motion.gap = bound.by_motion;
        state
    }

    /// Adds a motion along the frame to the contact's rows.
    #[inline(always)]
    pub fn add(&self, x: Vec3, sigma: &mut [f64]) {
        add(&mut sigma[self.rows.clone()], self.lanes(x));
    }

    /// Maps weights of the contact's rows to its frame.
    #[inline(always)]
    pub fn weights(&self, rows: &[f64]) -> Vec3 {
        match &rows[self.rows.clone()] {
            [n] => Vec3::Z * *n,
            w => Vec3::from_slice(w),
        }
    }
}

/// A contact whose push-out speed is bounded by its joints.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounded {
    /// Index among the contacts of the derivative.
    pub contact: usize,
    pub group: usize,
    /// Its normal row, and the row's slope by the push-out speed.
    pub row: usize,
    pub slope: f64,
    /// Velocities of its bodies at the dofs' speeds w.
    pub velocity: [Twist; 2],
}

impl Bounded {
    #[inline(always)]
    pub fn add(&self, moved: &Moved, sigma: &mut [f64]) {
        sigma[self.row] += self.slope * moved.velocity.z;
    }
}

pub(super) fn lanes_to_vec(x: F4) -> Vec3 {
    Vec3::new(x.0[0], x.0[1], x.0[2])
}

pub(super) fn three_lanes(x: Vec3) -> F4 {
    F4([x.x, x.y, x.z, 0.0])
}

pub(super) fn normal_lane(x: Vec3) -> F4 {
    F4([x.z, 0.0, 0.0, 0.0])
}

/// Up to three numbers as lanes.
pub(super) fn lanes_of(x: &[f64]) -> F4 {
    let mut l = F4::ZERO;
    l.0[..x.len()].copy_from_slice(x);
    l
}

pub(super) fn add(x: &mut [f64], y: F4) {
    for (x, y) in x.iter_mut().zip(y.0) {
        *x += y;
    }
}
