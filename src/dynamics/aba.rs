//! Forward dynamics: the articulated-body algorithm in world axes, dof by dof.
//!
//! Featherstone (2008), §7.3. A joint of several dofs is eliminated one dof after the other, which
//! is the LDLᵀ factorization of its block and needs no inverse.

use super::articulated::{Articulated, Articulation};
use super::external::External;
use super::kinematics::Kinematics;
use super::rnea::world_acceleration;
use crate::linalg::dispatch;
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::WORLD;
use crate::spatial::{Twist, Wrench};

/// Intermediate results of the last elimination.
#[derive(Clone, Debug)]
pub struct Aba {
    pub(super) factors: Articulation,
    /// Per link: bias force.
    p: Vec<Wrench>,
    a: Vec<Twist>,
    /// Per dof: the force left on it.
    left: Vec<f64>,
}

impl Aba {
    pub fn new(model: &Model) -> Self {
        let (n, nv) = (model.topology().links.len(), model.nv());
        Aba {
            factors: Articulation::new(model),
            p: vec![Wrench::ZERO; n],
            a: vec![Twist::ZERO; n],
            left: vec![0.0; nv],
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
    let links = &model.topology().links;
    let factors = &mut w.factors;
    for i in 0..links.len() {
        let (inertia, vel) = (&kin.inertia[i], kin.v[i]);
        factors.ia[i] = Articulated::rigid(inertia);
        w.p[i] = vel.cross_wrench(inertia.mul(vel)) - external.link[i].wrench;
    }
    for (i, l) in links.iter().enumerate().rev() {
        let mut ia = factors.ia[i];
        let mut p = w.p[i];
        for k in l.dofs().rev() {
            let s = kin.s[k];
            let (u, dinv) = ia.release(s, diagonal[k]);
            let left = tau[k] - s.dot(p);
            p += u * (left * dinv);
            factors.u[k] = u;
            factors.dinv[k] = dinv;
            w.left[k] = left;
        }
        if l.parent != WORLD {
            factors.ia[l.parent].add(&ia);
            w.p[l.parent] += p + ia.mul(kin.c[i]);
        }
    }
    let world = world_acceleration(params);
    for (i, l) in links.iter().enumerate() {
        let carrier = match l.parent {
            WORLD => world,
            p => w.a[p],
        };
        let mut a = carrier + kin.c[i];
        for k in l.dofs() {
            acc[k] = (w.left[k] - a.dot(factors.u[k])) * factors.dinv[k];
            a += kin.s[k] * acc[k];
        }
        w.a[i] = a;
    }
}

dispatch! {
    /// Solves (M(q) − armature + diag(`diagonal`)) acc = τ − b(q, v) + Jᵀ(external wrenches).
    ///
    /// With `diagonal` the armature this is forward dynamics; a step adds what it treats implicitly.
    /// `kin` must hold positions, velocities and inertias at (q, v); all slices have nv entries.
    /// A singular matrix shows as an acceleration that is not finite.
    pub fn aba = aba_kernel(
        w: &mut Aba, kin: &Kinematics, model: &Model, params: &Params, external: &External,
        diagonal: &[f64], tau: &[f64], acc: &mut [f64],
    )
}
