//! Inverse dynamics: the recursive Newton–Euler algorithm in world axes.
//!
//! Featherstone, Rigid Body Dynamics Algorithms (2008), §5.3.

use super::external::External;
use super::kinematics::{Kinematics, joint_twist, link_twists};
use crate::joint::MAX_DOFS;
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
    /// Per varying link: its joint accelerations.
    pub(super) varying: Vec<[f64; MAX_DOFS]>,
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
            varying: vec![[0.0; MAX_DOFS]; model.topology().varying.len()],
        }
    }

    #[inline(always)]
    fn keep(&mut self, t: &Topology, acc: &[f64]) {
        for (own, link) in self.varying.iter_mut().zip(&t.varying) {
            let acc = &acc[t.links[link.link].dofs()];
            own[..acc.len()].copy_from_slice(acc);
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
    acc: &[f64],
    tau: &mut [f64],
) {
    let links = &model.topology().links;
    rnea.keep(model.topology(), acc);
    let world = world_acceleration(params);
    for (i, l) in links.iter().enumerate() {
        let carrier = match l.parent {
            WORLD => world,
            p => rnea.a[p],
        };
        let a = joint_twist(l, &kin.s, acc) + (carrier + kin.c[i]);
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
        for k in l.dofs() {
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
    rnea.keep(t, acc);
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
    /// `kin` must hold positions, velocities and inertias at (q, v); `acc`, `tau` have nv entries.
    pub fn rnea = rnea_kernel(
        rnea: &mut Rnea, kin: &Kinematics, model: &Model, params: &Params,
        external: &External, acc: &[f64], tau: &mut [f64],
    )
}
