//! Inverse dynamics: the recursive Newton–Euler algorithm in world axes.
//!
//! Featherstone, Rigid Body Dynamics Algorithms (2008), §5.3.

use super::external::External;
use super::kinematics::{Kinematics, joint_twist, link_twists};
use crate::linalg::dispatch;
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::{Topology, WORLD};
use crate::spatial::{Twist, Vec3, Wrench};

/// Accelerations and forces of the last recursion.
#[derive(Clone, Debug)]
pub struct Rnea {
    /// Per link: spatial acceleration with gravity taken off (the world accelerates by −g).
    pub a: Vec<Twist>,
    /// Per link: force that the subtree needs from its joint.
    pub f: Vec<Wrench>,
    /// Per link: momentum, and the force that moves the link alone.
    pub momentum: Vec<Wrench>,
    own: Vec<Wrench>,
    /// Per link: what joint accelerations add.
    gained: Vec<Twist>,
}

impl Rnea {
    pub fn new(model: &Model) -> Self {
        let n = model.topology().links.len();
        Rnea {
            a: vec![Twist::ZERO; n],
            f: vec![Wrench::ZERO; n],
            momentum: vec![Wrench::ZERO; n],
            own: vec![Wrench::ZERO; n],
            gained: vec![Twist::ZERO; n],
        }
    }
}

/// Acceleration of the world in the recursions: −g.
#[inline(always)]
pub(super) fn world_acceleration(params: &Params) -> Twist {
    Twist::new(-params.gravity, Vec3::ZERO)
}

#[inline(always)]
pub(super) fn rnea_kernel(
    rnea: &mut Rnea,
    kin: &Kinematics,
    model: &Model,
    params: &Params,
    external: &External,
    v: &[f64],
    acc: &[f64],
    tau: &mut [f64],
) {
    let links = &model.topology().links;
    let world = world_acceleration(params);
    for (i, l) in links.iter().enumerate() {
        let s = &kin.s[l.iv..];
        let mut a = joint_twist(l.kind, s, &acc[l.iv..]);
        if l.parent == WORLD {
            a += world;
        } else {
            // v_i × S v = v_parent × S v, because a twist does not turn itself.
            a += rnea.a[l.parent] + kin.v[l.parent].cross(joint_twist(l.kind, s, &v[l.iv..]));
        }
        rnea.a[i] = a;
        let (inertia, vel) = (&kin.inertia[i], kin.v[i]);
        let momentum = inertia.mul(vel);
        let own = inertia.mul(a) + vel.cross_wrench(momentum);
        rnea.momentum[i] = momentum;
        rnea.own[i] = own;
        rnea.f[i] = own - external.link[i].wrench;
    }
    for (i, l) in links.iter().enumerate().rev() {
        let f = rnea.f[i];
        for k in l.iv..l.iv + l.kind.nv() {
            tau[k] = kin.s[k].dot(f) + params.armature[k] * acc[k];
        }
        if l.parent != WORLD {
            rnea.f[l.parent] += f;
        }
    }
}

#[inline(always)]
pub(super) fn accelerate_kernel(
    rnea: &mut Rnea,
    kin: &Kinematics,
    t: &Topology,
    external: &External,
    acc: &[f64],
) {
    link_twists(t, &kin.s, acc, &mut rnea.gained);
    for (i, gained) in rnea.gained.iter().enumerate() {
        rnea.a[i] += *gained;
        rnea.f[i] = rnea.own[i] + kin.inertia[i].mul(*gained) - external.link[i].wrench;
    }
    for (i, l) in t.links.iter().enumerate().rev() {
        if l.parent != WORLD {
            let f = rnea.f[i];
            rnea.f[l.parent] += f;
        }
    }
}

dispatch! {
    /// From the recursion at no joint acceleration to that at `acc`, nv entries, with the loads that act now.
    pub fn accelerate = accelerate_kernel(
        rnea: &mut Rnea, kin: &Kinematics, t: &Topology, external: &External, acc: &[f64],
    )
}

dispatch! {
    /// τ = M(q) a + b(q, v) − Jᵀ(external wrenches), with rotor armature in M.
    ///
    /// `kin` must hold positions, velocities and inertias at (q, v); `v`, `acc`, `tau` have nv
    /// entries.
    pub fn rnea = rnea_kernel(
        rnea: &mut Rnea, kin: &Kinematics, model: &Model, params: &Params,
        external: &External, v: &[f64], acc: &[f64], tau: &mut [f64],
    )
}
