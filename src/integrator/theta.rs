//! The θ-method: an implicit stage finds the motion with forces at a share θ of the step; then impulses
//! are added.
//!
//! With q' = q ⊕ θ h (θ v* + (1 − θ) v) and v' ← θ v* + (1 − θ) v the stage solves M(q')(v* − v)/h +
//! b(q', v') = f(q', v', u) for the velocity v* without impulses. Impulses act through A = M(q') + θ h
//! D̃ + (θ h)² K̃, with the terms that forces declare as implicit:
//!
//!   A (v̂ − v*) = Jᵀ λ,   q⁺ = q ⊕ h (θ v̂ + (1 − θ) v),
//!
//! where rows and their targets are those at q (Castro, Permenter & Han, An Unconstrained Convex
//! Formulation of Compliant Contact, 2021, §II; θ = 1 is implicit Euler, θ = ½ the midpoint rule). For a
//! free joint v, v* and v̂ have their linear part along the axes that the body has at the start of the
//! step, and v⁺ is v̂ in the axes at the end.

use super::implicit::{Mix, Stage, arrive};
use super::{By, End, EndMap, Scheme, Start, Tangent};
use crate::dynamics::coupling::Columns;
use crate::joint::{IntegrateBlocks, LinkMatrix, adjoint};
use crate::linalg::add_scaled;
use crate::model::Model;
use crate::model::topology::LinkKind;
use crate::spatial::{Mat3, Pose, Twist, Vec3, so3_exp, so3_right_jacobian};

#[derive(Debug)]
pub struct Theta {
    theta: f64,
    /// Derivative by v̂.
    map: EndMap,
    /// For each free link: derivative of the linear part of v⁺ by the rotation of the step.
    by_turn: Vec<Mat3>,
}

impl Theta {
    pub fn implicit_euler(model: &Model, derivatives: bool) -> Self {
        Theta::new(1.0, model, derivatives)
    }

    pub fn midpoint(model: &Model, derivatives: bool) -> Self {
        Theta::new(0.5, model, derivatives)
    }

    fn new(theta: f64, model: &Model, derivatives: bool) -> Self {
        let free = if derivatives {
            model.free_links().count()
        } else {
            0
        };
        Theta {
            theta,
            map: EndMap::new(model, derivatives),
            by_turn: Vec::with_capacity(free),
        }
    }

    /// h (θ v̂ + (1 − θ) v).
    fn displacement(&self, at: &Start<'_>, v_end: &[f64], xi: &mut [f64]) {
        let [by_end, by_start] = [at.h * self.theta, self.rest(at)];
        for ((xi, end), start) in xi.iter_mut().zip(v_end).zip(at.v) {
            *xi = match self.theta {
                1.0 => at.h * end,
                _ => by_end * end + by_start * start,
            };
        }
    }

    /// The displacement of a link.
    fn link_displacement(
        &self,
        at: &Start<'_>,
        dofs: std::ops::Range<usize>,
        v_end: &[f64],
    ) -> [f64; 6] {
        let mut xi = [0.0; 6];
        let here = Start {
            v: &at.v[dofs.clone()],
            ..*at
        };
        self.displacement(&here, &v_end[dofs], &mut xi);
        xi
    }

    /// The step with the share of h that multiplies v̂.
    fn share<'a>(&self, at: &Start<'a>) -> Start<'a> {
        Start {
            h: at.h * self.theta,
            ..*at
        }
    }

    /// The share of h that multiplies v.
    fn rest(&self, at: &Start<'_>) -> f64 {
        at.h * (1.0 - self.theta)
    }
}

/// For one free joint with the displacement ξ: ∂q⁺ by q and by ξ, and the linear part of ∂v⁺ by v̂ and
/// by ξ.
fn blocks(xi: Twist, v_end: &[f64]) -> (IntegrateBlocks, [Mat3; 2]) {
    let back = Pose {
        rot: so3_exp(xi.ang),
        pos: xi.lin,
    }
    .inverse();
    let jacobian = so3_right_jacobian(xi.ang);
    let seen = back.rot.mul_vec(Vec3::from_slice(v_end));
    let position = IntegrateBlocks {
        by_q: adjoint(&back),
        by_w: [back.rot, Mat3::ZERO, jacobian],
    };
    (position, [back.rot, Mat3::skew(seen).mul_mat(&jacobian)])
}

impl Scheme for Theta {
    fn duplicate(&self, model: &Model, derivatives: bool) -> Box<dyn Scheme> {
        Box::new(Theta::new(self.theta, model, derivatives))
    }

    fn stage(&self) -> Option<Stage> {
        let start = |start| Mix {
            start,
            before: 0.0,
            history: 0.0,
        };
        let theta = self.theta;
        Some(Stage {
            displacement: theta * theta,
            rate: 1.0,
            share: theta,
            w0: start(1.0),
            xi0: start(theta * (1.0 - theta)),
        })
    }

    fn end(&self, at: &Start<'_>, v_end: &[f64], next: End<'_>) {
        // v⁺ is not computed yet: use its memory.
        self.displacement(at, v_end, next.v);
        arrive(at.model, at.q, next.v, next.q);
        next.v.copy_from_slice(v_end);
        for l in at.model.free_links() {
            let xi = Twist::from_slice(&self.link_displacement(at, l.dofs(), v_end));
            let seen = so3_exp(xi.ang).tr_mul_vec(Vec3::from_slice(&v_end[l.iv..]));
            next.v[l.iv..l.iv + 3].copy_from_slice(&seen.to_array());
        }
    }

    fn linearize(&mut self, at: &Start<'_>, v_end: &[f64]) {
        let (mut map, mut by_turn) = (
            std::mem::take(&mut self.map),
            std::mem::take(&mut self.by_turn),
        );
        by_turn.clear();
        let share = self.share(at).h;
        map.fill(at.model.topology(), |l| {
            let xi = self.link_displacement(at, l.dofs(), v_end);
            if l.kind == LinkKind::Free {
                let (position, [turn, slip]) = blocks(Twist::from_slice(&xi), &v_end[l.iv..]);
                by_turn.push(slip);
                let velocity: LinkMatrix = [turn, slip * share, Mat3::IDENTITY];
                return (position, Some(velocity));
            }
            (l.kind.integrate_blocks(&xi[..l.kind.nv()]), None)
        });
        (self.map, self.by_turn) = (map, by_turn);
    }

    fn map(&self) -> &EndMap {
        &self.map
    }

    fn end_columns(
        &self,
        at: &Start<'_>,
        by: By,
        which: Columns<'_>,
        v_end: &[f64],
        mut q_next: Option<&mut [f64]>,
        mut v_next: Option<&mut [f64]>,
    ) {
        let (q, v) = (q_next.as_deref_mut(), v_next.as_deref_mut());
        self.map.columns(&self.share(at), by, which, v_end, q, v);
        let rest = self.rest(at);
        if by != By::Velocities || rest == 0.0 {
            return;
        }
        if let Some(out) = q_next {
            (self.map).add_displacement_columns(at.model.topology(), which, rest, out);
        }
        let Some(out) = v_next else { return };
        for (slip, l) in self.by_turn.iter().zip(at.model.free_links()) {
            for (k, column) in slip.c.iter().enumerate() {
                let own = &mut out[which.index(l.iv + 3 + k, l.iv)..][..3];
                add_scaled(rest, &column.to_array(), own);
            }
        }
    }

    fn end_direction(&self, at: &Start<'_>, state: Tangent<'_>, dv_end: &[f64], next: End<'_>) {
        let End { q, v, carried } = next;
        let parts = End {
            q: &mut *q,
            v: &mut *v,
            carried,
        };
        (self.map).direction(&self.share(at), state.q, dv_end, parts);
        let rest = self.rest(at);
        if state.v.is_empty() || rest == 0.0 {
            return;
        }
        (self.map).add_displacement(at.model.topology(), rest, state.v, q);
        for (slip, l) in self.by_turn.iter().zip(at.model.free_links()) {
            let by_turn = slip.mul_vec(Vec3::from_slice(&state.v[l.iv + 3..]));
            add_scaled(rest, &by_turn.to_array(), &mut v[l.iv..]);
        }
    }

    fn end_adjoint(&self, at: &Start<'_>, next: Tangent<'_>, z: &mut [f64]) {
        self.map.adjoint(&self.share(at), next, z);
    }

    fn state_adjoint(&self, at: &Start<'_>, next: Tangent<'_>, state: End<'_>) {
        self.map.position_adjoint(at, next.q, state.q);
        let rest = self.rest(at);
        if rest == 0.0 {
            return;
        }
        (self.map).add_displacement_adjoint(at.model.topology(), rest, next.q, state.v);
        for (slip, l) in self.by_turn.iter().zip(at.model.free_links()) {
            let by_turn = slip.tr_mul_vec(Vec3::from_slice(&next.v[l.iv..]));
            add_scaled(rest, &by_turn.to_array(), &mut state.v[l.iv + 3..]);
        }
    }
}
