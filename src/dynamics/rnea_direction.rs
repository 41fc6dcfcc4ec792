//! Inverse dynamics along a direction: ∂τ/∂q dq + ∂τ/∂v dv without the matrices.
//!
//! The forward-mode counterpart of [`rnea_adjoint`](super::rnea_adjoint), in the notation of
//! [`rnea_derivatives`](super::rnea_derivatives). Along the direction a link is displaced by X = Σ S_j
//! dq_j, and carried with N = Σ (η_j dq_j + S_j dv_j) and A = Σ (α_j dq_j + β_j dv_j), over the dofs
//! above it and its own. The link then requires the force I A + 2B N + E X. It is summed over subtrees,
//! where the displacement of a link turns the force f of its subtree for all dofs above it. O(n), while
//! the matrices take O(n·depth).

use super::external::LinkStiffness;
use super::kinematics::{Kinematics, joint_twist};
use super::rnea::{Rnea, world_acceleration};
use super::rnea_derivatives::Composite;
use super::varying::{for_forces, gained};
use crate::linalg::dispatch;
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::WORLD;
use crate::spatial::{Twist, Wrench};

/// X, N, A of a link, and the additional force that its subtree requires.
#[derive(Clone, Copy, Debug, Default)]
struct Displaced {
    turn: Twist,
    velocity: Twist,
    acceleration: Twist,
    force: Wrench,
}

/// The changes of all links.
#[derive(Clone, Debug)]
pub struct RneaDirection(Vec<Displaced>);

impl RneaDirection {
    pub fn new(model: &Model) -> Self {
        RneaDirection(vec![Displaced::default(); model.topology().links.len()])
    }
}

#[inline(always)]
fn rnea_direction_kernel(
    x: &mut RneaDirection,
    kin: &Kinematics,
    rnea: &Rnea,
    model: &Model,
    params: &Params,
    loads: &LinkStiffness,
    dq: &[f64],
    dv: &[f64],
    tau: &mut [f64],
) {
    let t = model.topology();
    let links = &t.links;
    let world = world_acceleration(params);
    let along = |d: &[f64], i: usize| match d {
        [] => Twist::ZERO,
        d => joint_twist(&links[i], &kin.s, d),
    };
    let x = &mut x.0[..];
    let mut varying = t.varying.iter().map(|v| v.link).enumerate().peekable();
    for (i, l) in links.iter().enumerate() {
        let (vp, ap, mut own) = match l.parent {
            WORLD => (Twist::ZERO, world, Displaced::default()),
            p => (kin.v[p], rnea.a[p], x[p]),
        };
        let (turn, speed) = (along(dq, i), along(dv, i));
        let eta = vp.cross(turn);
        own.turn += turn;
        own.velocity += eta + speed;
        own.acceleration += ap.cross(turn) + vp.cross(eta) + (kin.v[i] + vp).cross(speed);
        if let Some((index, _)) = varying.next_if(|(_, link)| *link == i) {
            for (k, gained) in l.dofs().zip(gained(kin, &rnea.varying[index], t, index)) {
                if !dq.is_empty() {
                    own.velocity += gained.eta * dq[k];
                    own.acceleration += gained.alpha * dq[k];
                }
                if !dv.is_empty() {
                    own.acceleration += gained.beta * dv[k];
                }
            }
        }
        let body = Composite::of(&kin.inertia[i], kin.v[i]);
        own.force = body.inertia.mul(own.acceleration) + body.two_b(own.velocity);
        if let Some(e) = loads.get(i) {
            own.force += e.mul(own.turn);
        }
        x[i] = own;
    }
    for (i, l) in links.iter().enumerate().rev() {
        let force = x[i].force;
        for k in l.dofs() {
            tau[k] += kin.s[k].dot(force);
        }
        if l.parent != WORLD {
            x[l.parent].force += force + along(dq, i).cross_wrench(rnea.f[i]);
        }
    }
    if !dq.is_empty() {
        for_forces(kin, rnea, t, |k, j, x| tau[k] += x * dq[j]);
    }
}

dispatch! {
    /// Adds ∂τ/∂q dq + ∂τ/∂v dv to `tau`, nv entries. An empty direction stands for zero.
    ///
    /// `kin` must hold positions, velocities and inertias, `rnea` the recursion at the acceleration in
    /// question, and `loads` the stiffness of the loads on each link alone.
    pub fn rnea_direction = rnea_direction_kernel(
        x: &mut RneaDirection, kin: &Kinematics, rnea: &Rnea, model: &Model, params: &Params,
        loads: &LinkStiffness, dq: &[f64], dv: &[f64], tau: &mut [f64],
    )
}
