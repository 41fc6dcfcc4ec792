//! The adjoint of inverse dynamics: wᵀ∂τ/∂q and wᵀ∂τ/∂v without the matrices.
//!
//! In the notation of [`rnea_derivatives`](super::rnea_derivatives), the forces τ_i = S_iᵀ f_i weighted
//! by w are powers on the virtual velocities W of the links, W = W_p + S w. With the sums P = Σ I W and
//! Q = Σ (2B)ᵀ W over the bodies of the subtree of dof k, and with E of the loads,
//!
//!   wᵀ∂τ/∂q_k = α_k·P + η_k·Q + S_k·Σ Eᵀ W + W_p·(S_k ×* f),   wᵀ∂τ/∂v_k = β_k·P + S_k·Q
//!
//! in one sweep up and one down: O(n), while the matrices take O(n·depth). As (u × S)·P = −S·(u ×* P),
//! the factor of S_k is the same for all dofs of a link: with R = Q − v_p ×* P
//!
//!   wᵀ∂τ/∂q_k = S_k·(Σ Eᵀ W − W_p ×* f − a_p ×* P − v_p ×* R),   wᵀ∂τ/∂v_k = S_k·(R − v_b ×* P).

use super::external::External;
use super::kinematics::{Kinematics, joint_twist};
use super::rnea::{Rnea, world_acceleration};
use super::rnea_derivatives::two_b_row;
use super::varying::{for_forces, gained};
use crate::linalg::dispatch;
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::{Link, WORLD};
use crate::spatial::{Twist, Vec3, Wrench};

/// W, P, Q (whose linear part is zero) and Σ Eᵀ W of a link.
#[derive(Clone, Copy, Debug, Default)]
struct Weighed {
    twist: Twist,
    momentum: Wrench,
    turn: Vec3,
    load: Wrench,
}

/// The sums of all links.
#[derive(Clone, Debug)]
pub struct RneaAdjoint(Vec<Weighed>);

impl RneaAdjoint {
    pub fn new(model: &Model) -> Self {
        RneaAdjoint(vec![Weighed::default(); model.topology().links.len()])
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
    let t = model.topology();
    let own = |_: usize, l: &Link| joint_twist(l, &kin.s, w);
    sweep(x, kin, rnea, model, params, external, own, q_bar, v_bar);
    for_forces(kin, rnea, t, |k, j, x| q_bar[j] += w[k] * x);
}

#[inline(always)]
fn subtree_adjoint_kernel(
    x: &mut RneaAdjoint,
    kin: &Kinematics,
    rnea: &Rnea,
    model: &Model,
    params: &Params,
    external: &External,
    (link, twist): (usize, Twist),
    q_bar: &mut [f64],
    v_bar: &mut [f64],
    a_bar: &mut [f64],
) {
    let own = |i: usize, _: &Link| if i == link { twist } else { Twist::ZERO };
    sweep(x, kin, rnea, model, params, external, own, q_bar, v_bar);
    for (l, x) in model.topology().links.iter().zip(&x.0) {
        for k in l.dofs() {
            a_bar[k] += kin.s[k].dot(x.momentum);
        }
    }
}

/// The two sweeps. `own` is the twist that a link adds to the twist W of its parent.
#[inline(always)]
fn sweep(
    x: &mut RneaAdjoint,
    kin: &Kinematics,
    rnea: &Rnea,
    model: &Model,
    params: &Params,
    external: &External,
    own: impl Fn(usize, &Link) -> Twist,
    q_bar: &mut [f64],
    v_bar: &mut [f64],
) {
    let t = model.topology();
    let world = world_acceleration(params);
    // All slices have the same length, so that one bounds check serves all.
    let links = &t.links[..];
    let (n, nv) = (links.len(), q_bar.len());
    let (x, loads, inertia) = (&mut x.0[..n], &external.link[..n], &kin.inertia[..n]);
    let (v, a, f, momentum) = (&kin.v[..n], &rnea.a[..n], &rnea.f[..n], &rnea.momentum[..n]);
    let (s, q_bar, v_bar) = (&kin.s[..nv], &mut q_bar[..nv], &mut v_bar[..nv]);
    for (i, l) in links.iter().enumerate() {
        let mut twist = own(i, l);
        if l.parent != WORLD {
            twist += x[l.parent].twist;
        }
        let (inertia, load) = (&inertia[i], &loads[i]);
        x[i] = Weighed {
            twist,
            momentum: inertia.mul(twist),
            turn: two_b_row(inertia, v[i], momentum[i], twist),
            load: match load.has_stiffness {
                true => load.stiffness.tr_mul(twist),
                false => Wrench::ZERO,
            },
        };
    }
    for (i, l) in links.iter().enumerate().rev() {
        let own = x[i];
        let (vp, ap, weighed) = match l.parent {
            WORLD => (&Twist::ZERO, &world, &Twist::ZERO),
            p => (&v[p], &a[p], &x[p].twist),
        };
        let carried = vp.cross_wrench(own.momentum);
        let rest = Wrench::new(Vec3::ZERO, own.turn) - carried;
        let mut by_q =
            -(weighed.cross_wrench(f[i]) + ap.cross_wrench(own.momentum) + vp.cross_wrench(rest));
        if external.has_stiffness {
            by_q += own.load;
        }
        let by_v = match l.nv {
            // A single dof is not affected by its own velocity: S·((S v) ×* P) = 0.
            1 => rest - carried,
            _ => rest - v[i].cross_wrench(own.momentum),
        };
        for k in l.dofs() {
            q_bar[k] += s[k].dot(by_q);
            v_bar[k] += s[k].dot(by_v);
        }
        if l.parent != WORLD {
            let parent = &mut x[l.parent];
            parent.momentum += own.momentum;
            parent.turn += own.turn;
            if external.has_stiffness {
                parent.load += own.load;
            }
        }
    }
    for (index, link) in t.varying.iter().enumerate() {
        let own = x[link.link];
        let turn = Wrench::new(Vec3::ZERO, own.turn);
        for (k, gained) in
            t.links[link.link]
                .dofs()
                .zip(gained(kin, &rnea.varying[index], t, index))
        {
            q_bar[k] += gained.alpha.dot(own.momentum) + gained.eta.dot(turn);
            v_bar[k] += gained.beta.dot(own.momentum);
        }
    }
}

dispatch! {
    /// Adds the slopes of the power of `twist` on the force that the subtree of `link` needs, by the tangent
    /// of q, by v and by the acceleration. The twist moves with the link.
    pub fn subtree_adjoint = subtree_adjoint_kernel(
        x: &mut RneaAdjoint, kin: &Kinematics, rnea: &Rnea, model: &Model, params: &Params,
        external: &External, of: (usize, Twist), q_bar: &mut [f64], v_bar: &mut [f64], a_bar: &mut [f64],
    )
}

dispatch! {
    /// Adds wᵀ∂τ/∂q to `q_bar` and wᵀ∂τ/∂v to `v_bar`, nv entries each.
    ///
    /// `kin` must hold positions, velocities and inertias, `rnea` the recursion at the acceleration in
    /// question.
    pub fn rnea_adjoint = rnea_adjoint_kernel(
        x: &mut RneaAdjoint, kin: &Kinematics, rnea: &Rnea, model: &Model, params: &Params,
        external: &External, w: &[f64], q_bar: &mut [f64], v_bar: &mut [f64],
    )
}
