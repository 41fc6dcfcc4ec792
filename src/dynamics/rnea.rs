//! Inverse dynamics: the recursive Newton–Euler algorithm in world axes.
//!
//! Featherstone, Rigid Body Dynamics Algorithms (2008), §5.3.

use super::external::External;
use super::kinematics::{Kinematics, joint_twist};
use crate::linalg::dispatch;
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::WORLD;
use crate::spatial::{Twist, Vec3, Wrench};

/// Accelerations and forces of the last recursion.
#[derive(Clone, Debug)]
pub struct Rnea {
    /// Per link: spatial acceleration with gravity taken off (the world accelerates by −g).
    pub a: Vec<Twist>,
    /// Per link: force that the subtree needs from its joint.
    pub f: Vec<Wrench>,
}

impl Rnea {
    pub fn new(model: &Model) -> Self {
        let n = model.topology().links.len();
        Rnea {
            a: vec![Twist::ZERO; n],
            f: vec![Wrench::ZERO; n],
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
        rnea.f[i] = inertia.mul(a) + vel.cross_wrench(inertia.mul(vel)) - external.link[i].wrench;
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
