//! Inverse dynamics: the recursive Newton–Euler algorithm in world axes.
//!
//! Featherstone, Rigid Body Dynamics Algorithms (2008), §5.3.

use super::external::External;
use super::kinematics::{Kinematics, joint_twist, link_twists};
use crate::joint::MAX_DOFS;
use crate::linalg::dispatch;
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::{Link, Topology, WORLD};
use crate::spatial::{Real, Twist, Vec3, Wrench};

/// Accelerations and forces of the last recursion.
#[derive(Clone, Debug)]
pub struct Rnea<T = f64> {
    /// Per link: spatial acceleration minus gravity (the world accelerates by −g).
    pub a: Vec<Twist<T>>,
    /// Per link: force that the subtree needs from its joint.
    pub f: Vec<Wrench<T>>,
    /// Per link: momentum, and the force that moves the link alone.
    pub momentum: Vec<Wrench<T>>,
    own: Vec<Wrench<T>>,
    /// Per link: the change of the acceleration by joint accelerations.
    gained: Vec<Twist<T>>,
    /// Per varying link: its joint accelerations.
    pub(super) varying: Vec<[f64; MAX_DOFS]>,
}

impl<T: Real> Rnea<T> {
    pub fn new(model: &Model) -> Self {
        let n = model.topology().links.len();
        Rnea {
            a: vec![Twist::zeros(); n],
            f: vec![Wrench::zeros(); n],
            momentum: vec![Wrench::zeros(); n],
            own: vec![Wrench::zeros(); n],
            gained: vec![Twist::zeros(); n],
            varying: vec![[0.0; MAX_DOFS]; model.topology().varying.len()],
        }
    }
}

impl Rnea {
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
    rnea.keep(model.topology(), acc);
    let links = &model.topology().links[..];
    let external = &external.link[..links.len()];
    let load = |i: usize| external[i].wrench;
    let given = (params.gravity, &params.armature[..]);
    newton_euler(rnea, kin, links, given, load, acc, tau);
}

/// The recursion for one simulation or in lanes, under gravity and with the armature of each dof. `load`
/// returns the external wrench on a link.
#[inline(always)]
pub(super) fn newton_euler<T: Real>(
    rnea: &mut Rnea<T>,
    kin: &Kinematics<T>,
    links: &[Link],
    (gravity, armature): (Vec3<T>, &[T]),
    load: impl Fn(usize) -> Wrench<T>,
    acc: &[T],
    tau: &mut [T],
) {
    // All slices have the same length, so that one bounds check serves all.
    let (n, nv) = (links.len(), tau.len());
    let (inertia, v, c) = (&kin.inertia[..n], &kin.v[..n], &kin.c[..n]);
    let (a, f) = (&mut rnea.a[..n], &mut rnea.f[..n]);
    let (momentum, own) = (&mut rnea.momentum[..n], &mut rnea.own[..n]);
    let (s, armature, acc) = (&kin.s[..nv], &armature[..nv], &acc[..nv]);
    // The world accelerates by −g.
    let world = Twist::new(-gravity, Vec3::zeros());
    for (i, l) in links.iter().enumerate() {
        let carrier = match l.parent {
            WORLD => world,
            parent => a[parent],
        };
        let sum = joint_twist(l, s, acc) + (carrier + c[i]);
        a[i] = sum;
        momentum[i] = inertia[i].mul(v[i]);
        own[i] = inertia[i].mul(sum) + v[i].cross_wrench(momentum[i]);
        f[i] = own[i] - load(i);
    }
    for (i, l) in links.iter().enumerate().rev() {
        for k in l.dofs() {
            tau[k] = s[k].dot(f[i]) + armature[k] * acc[k];
        }
        if l.parent != WORLD {
            let own = f[i];
            f[l.parent] += own;
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
    let n = t.links.len();
    let (inertia, loads) = (&kin.inertia[..n], &external.link[..n]);
    let (a, own, f) = (&mut rnea.a[..n], &rnea.own[..n], &mut rnea.f[..n]);
    for (i, gained) in rnea.gained[..n].iter().enumerate() {
        a[i] += *gained;
        f[i] = own[i] + inertia[i].mul(*gained) - loads[i].wrench;
    }
    for (i, l) in t.links.iter().enumerate().rev() {
        if l.parent != WORLD {
            let own = f[i];
            f[l.parent] += own;
        }
    }
}

dispatch! {
    /// Updates the recursion from zero joint acceleration to `acc`, nv entries, with the present loads.
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
