//! Forward dynamics: the articulated-body algorithm in world axes, dof by dof.
//!
//! Featherstone (2008), §7.3. A joint of several dofs is eliminated one dof after the other, which
//! is the LDLᵀ factorization of its block and needs no inverse.

use super::external::External;
use super::kinematics::{Kinematics, joint_twist};
use super::rnea::world_acceleration;
use crate::linalg::dispatch;
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::WORLD;
use crate::spatial::{Inertia, Mat3, Sym3, Twist, Wrench};

/// A symmetric 6×6 matrix [[m, h], [hᵀ, i]] that maps accelerations to forces.
#[derive(Clone, Copy, Debug, Default)]
pub struct Articulated {
    pub m: Sym3,
    /// Linear force by angular acceleration.
    pub h: Mat3,
    pub i: Sym3,
}

impl Articulated {
    #[inline(always)]
    fn rigid(r: &Inertia) -> Self {
        let m = r.mass;
        Articulated {
            m: Sym3::new(m, 0.0, m, 0.0, 0.0, m),
            h: -Mat3::skew(r.h),
            i: r.i,
        }
    }

    #[inline(always)]
    fn mul(&self, t: Twist) -> Wrench {
        Wrench::new(
            self.m.mul_vec(t.lin) + self.h.mul_vec(t.ang),
            self.h.tr_mul_vec(t.lin) + self.i.mul_vec(t.ang),
        )
    }

    /// self − u uᵀ s
    #[inline(always)]
    fn deflate(&mut self, u: Wrench, s: f64) {
        let (a, b) = (u.lin * s, u.ang * s);
        let (l, w) = (u.lin, u.ang);
        self.m = self.m
            - Sym3::new(
                a.x * l.x,
                a.x * l.y,
                a.y * l.y,
                a.x * l.z,
                a.y * l.z,
                a.z * l.z,
            );
        self.h = self.h - Mat3::outer(a, w);
        self.i = self.i
            - Sym3::new(
                b.x * w.x,
                b.x * w.y,
                b.y * w.y,
                b.x * w.z,
                b.y * w.z,
                b.z * w.z,
            );
    }

    #[inline(always)]
    fn add(&mut self, o: &Articulated) {
        self.m += o.m;
        self.h += o.h;
        self.i += o.i;
    }
}

/// Intermediate results of the last elimination.
#[derive(Clone, Debug)]
pub struct Aba {
    ia: Vec<Articulated>,
    /// Per link: bias force.
    p: Vec<Wrench>,
    /// Per link: velocity-product acceleration.
    c: Vec<Twist>,
    a: Vec<Twist>,
    /// Per dof: IA S and 1/(Sᵀ IA S + diagonal), and the force left on the dof.
    u: Vec<Wrench>,
    dinv: Vec<f64>,
    left: Vec<f64>,
}

impl Aba {
    pub fn new(model: &Model) -> Self {
        let (n, nv) = (model.topology().links.len(), model.nv());
        Aba {
            ia: vec![Articulated::default(); n],
            p: vec![Wrench::ZERO; n],
            c: vec![Twist::ZERO; n],
            a: vec![Twist::ZERO; n],
            u: vec![Wrench::ZERO; nv],
            dinv: vec![0.0; nv],
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
    v: &[f64],
    tau: &[f64],
    acc: &mut [f64],
) {
    let links = &model.topology().links;
    for (i, l) in links.iter().enumerate() {
        let (inertia, vel) = (&kin.inertia[i], kin.v[i]);
        w.ia[i] = Articulated::rigid(inertia);
        w.p[i] = vel.cross_wrench(inertia.mul(vel)) - external.link[i].wrench;
        if l.parent != WORLD {
            w.c[i] = kin.v[l.parent].cross(joint_twist(l.kind, &kin.s[l.iv..], &v[l.iv..]));
        }
    }
    for (i, l) in links.iter().enumerate().rev() {
        let mut ia = w.ia[i];
        let mut p = w.p[i];
        for k in (l.iv..l.iv + l.kind.nv()).rev() {
            let s = kin.s[k];
            let u = ia.mul(s);
            let dinv = 1.0 / (s.dot(u) + diagonal[k]);
            let left = tau[k] - s.dot(p);
            ia.deflate(u, dinv);
            p += u * (left * dinv);
            w.u[k] = u;
            w.dinv[k] = dinv;
            w.left[k] = left;
        }
        if l.parent != WORLD {
            w.ia[l.parent].add(&ia);
            w.p[l.parent] += p + ia.mul(w.c[i]);
        }
    }
    let world = world_acceleration(params);
    for (i, l) in links.iter().enumerate() {
        let mut a = if l.parent == WORLD {
            world
        } else {
            w.a[l.parent] + w.c[i]
        };
        for k in l.iv..l.iv + l.kind.nv() {
            acc[k] = (w.left[k] - a.dot(w.u[k])) * w.dinv[k];
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
        diagonal: &[f64], v: &[f64], tau: &[f64], acc: &mut [f64],
    )
}
