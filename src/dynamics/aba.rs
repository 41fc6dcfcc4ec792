//! Forward dynamics: the articulated-body algorithm in world axes, dof by dof.
//!
//! Featherstone (2008), §7.3. A joint of several dofs is eliminated one dof after the other. This is the
//! LDLᵀ factorization of its block and needs no inverse.

use super::articulated::{Articulated, Articulation};
use super::external::External;
use super::kinematics::Kinematics;
use crate::linalg::dispatch;
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::{Link, WORLD};
use crate::spatial::{Real, Twist, Vec3, Wrench};

/// Intermediate results of the last elimination.
#[derive(Clone, Debug)]
pub struct Aba<T = f64> {
    pub(super) factors: Articulation<T>,
    /// Per link: bias force.
    p: Vec<Wrench<T>>,
    a: Vec<Twist<T>>,
    /// Per dof: the remaining force τ − Sᵀp.
    left: Vec<T>,
}

impl<T: Real> Aba<T> {
    pub fn new(model: &Model) -> Self {
        let (n, nv) = (model.topology().links.len(), model.nv());
        Aba {
            factors: Articulation::new(model),
            p: vec![Wrench::zeros(); n],
            a: vec![Twist::zeros(); n],
            left: vec![T::ZERO; nv],
        }
    }
}

#[inline(always)]
fn aba_kernel(
    w: &mut Aba,
    kin: &Kinematics,
    model: &Model,
    params: &Params,
    external: &External,
    diagonal: &[f64],
    tau: &[f64],
    acc: &mut [f64],
) {
    let links = &model.topology().links[..];
    let external = &external.link[..links.len()];
    let load = |i: usize| external[i].wrench;
    eliminate(w, kin, links, params.gravity, load, diagonal, tau, acc);
}

/// The algorithm for one simulation or in lanes. `load` returns the external wrench on a link.
#[inline(always)]
pub(super) fn eliminate<T: Real>(
    w: &mut Aba<T>,
    kin: &Kinematics<T>,
    links: &[Link],
    gravity: Vec3<T>,
    load: impl Fn(usize) -> Wrench<T>,
    diagonal: &[T],
    tau: &[T],
    acc: &mut [T],
) {
    // All slices have the same length, so that one bounds check serves all.
    let (n, nv) = (links.len(), tau.len());
    let (inertia, v, c) = (&kin.inertia[..n], &kin.v[..n], &kin.c[..n]);
    let (ia, p, a) = (&mut w.factors.ia[..n], &mut w.p[..n], &mut w.a[..n]);
    let (s, diagonal, acc) = (&kin.s[..nv], &diagonal[..nv], &mut acc[..nv]);
    let (u, dinv, left) = (
        &mut w.factors.u[..nv],
        &mut w.factors.dinv[..nv],
        &mut w.left[..nv],
    );
    for i in 0..n {
        ia[i] = Articulated::rigid(&inertia[i]);
        p[i] = v[i].cross_wrench(inertia[i].mul(v[i])) - load(i);
    }
    for (i, l) in links.iter().enumerate().rev() {
        let mut own = ia[i];
        let mut force = p[i];
        for k in l.dofs().rev() {
            (u[k], dinv[k]) = own.release(s[k], diagonal[k]);
            left[k] = tau[k] - s[k].dot(force);
            force += u[k] * (left[k] * dinv[k]);
        }
        if l.parent != WORLD {
            ia[l.parent].add(&own);
            p[l.parent] += force + own.mul(c[i]);
        }
    }
    // The world accelerates by −g.
    let world = Twist::new(-gravity, Vec3::zeros());
    for (i, l) in links.iter().enumerate() {
        let carrier = match l.parent {
            WORLD => world,
            parent => a[parent],
        };
        let mut sum = carrier + c[i];
        for k in l.dofs() {
            acc[k] = (left[k] - sum.dot(u[k])) * dinv[k];
            sum += s[k] * acc[k];
        }
        a[i] = sum;
    }
}

dispatch! {
    /// Solves (M(q) − armature + diag(`diagonal`)) acc = τ − b(q, v) + Jᵀ(external wrenches).
    ///
    /// With `diagonal` the armature this is forward dynamics; a step adds its implicit terms. `kin` must
    /// hold positions, velocities and inertias at (q, v). All slices have nv entries. A singular matrix
    /// gives an acceleration that is not finite.
    pub fn aba = aba_kernel(
        w: &mut Aba, kin: &Kinematics, model: &Model, params: &Params, external: &External,
        diagonal: &[f64], tau: &[f64], acc: &mut [f64],
    )
}
