//! The adjoint of inverse dynamics: wᵀ∂τ/∂q and wᵀ∂τ/∂v without the matrices.
//!
//! With the notation of [`rnea_derivatives`](super::rnea_derivatives), the forces τ_i = S_iᵀ f_i weighed
//! by w are powers on the virtual velocities W of the links, W = W_p + S w. Summed over the bodies of the
//! subtree of dof k, P = Σ I W and Q = Σ (2B)ᵀ W, and with the loads' E,
//!
//!   wᵀ∂τ/∂q_k = α_k·P + η_k·Q + S_k·Σ Eᵀ W + W_p·(S_k ×* f),   wᵀ∂τ/∂v_k = β_k·P + S_k·Q
//!
//! in one sweep up and one down: O(n) where the matrices take O(n·depth). As (u × S)·P = −S·(u ×* P), all that
//! multiplies S_k is the same for the dofs of a link: with R = Q − v_p ×* P
//!
//!   wᵀ∂τ/∂q_k = S_k·(Σ Eᵀ W − W_p ×* f − a_p ×* P − v_p ×* R),   wᵀ∂τ/∂v_k = S_k·(R − v_b ×* P).

use super::external::External;
use super::kinematics::{Kinematics, joint_twist};
use super::rnea::{Rnea, world_acceleration};
use super::rnea_derivatives::two_b_row;
use crate::linalg::dispatch;
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::WORLD;
use crate::spatial::{Twist, Vec3, Wrench};

/// W, P, Q (whose linear part is zero) and Σ Eᵀ W of the links.
#[derive(Clone, Debug)]
pub struct RneaAdjoint {
    weighed: Vec<Twist>,
    momentum: Vec<Wrench>,
    turn: Vec<Vec3>,
    load: Vec<Wrench>,
}

impl RneaAdjoint {
    pub fn new(model: &Model) -> Self {
        let n = model.topology().links.len();
        RneaAdjoint {
            weighed: vec![Twist::ZERO; n],
            momentum: vec![Wrench::ZERO; n],
            turn: vec![Vec3::ZERO; n],
            load: vec![Wrench::ZERO; n],
        }
    }
}

#[inline(always)]
fn rnea_adjoint_kernel(
    x: &mut RneaAdjoint,
    kin: &Kinematics,
    rnea: &Rnea,
    model: &Model,
    params: &Params,
    external: &External,
    w: &[f64],
    q_bar: &mut [f64],
    v_bar: &mut [f64],
) {
    let links = &model.topology().links;
    let world = world_acceleration(params);
    for (i, l) in links.iter().enumerate() {
        let mut weighed = joint_twist(l.kind, &kin.s[l.iv..], &w[l.iv..]);
        if l.parent != WORLD {
            weighed += x.weighed[l.parent];
        }
        x.weighed[i] = weighed;
        x.momentum[i] = kin.inertia[i].mul(weighed);
        x.turn[i] = two_b_row(&kin.inertia[i], kin.v[i], rnea.momentum[i], weighed);
        if external.active {
            let load = &external.link[i];
            x.load[i] = match load.acts {
                true => load.stiffness.tr_mul(weighed),
                false => Wrench::ZERO,
            };
        }
    }
    for (i, l) in links.iter().enumerate().rev() {
        let (vp, ap, weighed) = match l.parent {
            WORLD => (&Twist::ZERO, &world, &Twist::ZERO),
            p => (&kin.v[p], &rnea.a[p], &x.weighed[p]),
        };
        let (momentum, turn) = (x.momentum[i], x.turn[i]);
        let carried = vp.cross_wrench(momentum);
        let rest = Wrench::new(Vec3::ZERO, turn) - carried;
        let mut by_q =
            -(weighed.cross_wrench(rnea.f[i]) + ap.cross_wrench(momentum) + vp.cross_wrench(rest));
        if external.active {
            by_q += x.load[i];
        }
        let by_v = match l.kind.nv() {
            // A single dof does not feel what its own velocity adds: S·((S v) ×* P) = 0.
            1 => rest - carried,
            _ => rest - kin.v[i].cross_wrench(momentum),
        };
        for k in l.iv..l.iv + l.kind.nv() {
            q_bar[k] += kin.s[k].dot(by_q);
            v_bar[k] += kin.s[k].dot(by_v);
        }
        if l.parent != WORLD {
            x.momentum[l.parent] += momentum;
            x.turn[l.parent] += turn;
            if external.active {
                let own = x.load[i];
                x.load[l.parent] += own;
            }
        }
    }
}

dispatch! {
    /// Adds wᵀ∂τ/∂q to `q_bar` and wᵀ∂τ/∂v to `v_bar`, nv entries each.
    ///
    /// `kin` must hold positions, velocities and inertias, `rnea` the recursion at the acceleration
    /// in question.
    pub fn rnea_adjoint = rnea_adjoint_kernel(
        x: &mut RneaAdjoint, kin: &Kinematics, rnea: &Rnea, model: &Model, params: &Params,
        external: &External, w: &[f64], q_bar: &mut [f64], v_bar: &mut [f64],
    )
}
