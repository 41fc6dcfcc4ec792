//! Forward dynamics: the articulated-body algorithm in world axes, dof by dof.
//!
//! Featherstone (2008), §7.3. A joint of several dofs is eliminated one dof after the other. This is the
//! LDLᵀ factorization of its block and needs no inverse.

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
    /// Per dof: the remaining force τ − Sᵀp.
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
    // All slices have the same length, so that one bounds check serves all.
    let links = &model.topology().links[..];
    let (n, nv) = (links.len(), tau.len());
    let (inertia, v, c, external) = (
        &kin.inertia[..n],
        &kin.v[..n],
        &kin.c[..n],
        &external.link[..n],
    );
    let (ia, p, a) = (&mut w.factors.ia[..n], &mut w.p[..n], &mut w.a[..n]);
    let (s, diagonal, acc) = (&kin.s[..nv], &diagonal[..nv], &mut acc[..nv]);
    let (u, dinv, left) = (
        &mut w.factors.u[..nv],
        &mut w.factors.dinv[..nv],
        &mut w.left[..nv],
    );
    for i in 0..n {
        ia[i] = Articulated::rigid(&inertia[i]);
        p[i] = v[i].cross_wrench(inertia[i].mul(v[i])) - external[i].wrench;
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
    let world = world_acceleration(params);
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
