//! The factors of M by articulated bodies, and products with them by sweeps over the tree.
//!
//! Eliminating dofs from the tips to the root gives, per dof, u = I^A S and D = Sᵀu + diagonal, where
//! I^A is the articulated inertia of the subtree of the dof. These are the factors of M = LᵀDL with unit
//! lower L (Rodriguez, Jain & Kreutz-Delgado, A spatial operator algebra, IJRR 1991):
//!
//!   L_kj = S_jᵀ u_k / D_k   for every dof j above k.
//!
//! Products therefore do not need the entries. A chain has n·depth entries, while the sweeps are linear
//! in the links.

use super::kinematics::Kinematics;
use crate::linalg::{F4, dispatch};
use crate::model::Model;
use crate::model::topology::{Dof, Topology, WORLD};
use crate::spatial::{Inertia, Mat3, Real, Sym3, Twist, Wrench};

/// A symmetric 6×6 matrix [[m, h], [hᵀ, i]] that maps accelerations to forces.
#[derive(Clone, Copy, Debug)]
pub struct Articulated<T = f64> {
    m: Sym3<T>,
    /// Linear force by angular acceleration.
    h: Mat3<T>,
    i: Sym3<T>,
}

impl<T: Real> Articulated<T> {
    fn zeros() -> Self {
        Articulated {
            m: Sym3::zeros(),
            h: Mat3::zeros(),
            i: Sym3::zeros(),
        }
    }

    #[inline(always)]
    pub(super) fn rigid(r: &Inertia<T>) -> Self {
        let (m, z) = (r.mass, T::ZERO);
        Articulated {
            m: Sym3::new(m, z, m, z, z, m),
            h: -Mat3::skew(r.h),
            i: r.i,
        }
    }

    #[inline(always)]
    pub(super) fn mul(&self, t: Twist<T>) -> Wrench<T> {
        Wrench::new(
            self.m.mul_vec(t.lin) + self.h.mul_vec(t.ang),
            self.h.tr_mul_vec(t.lin) + self.i.mul_vec(t.ang),
        )
    }

    /// self − u uᵀ s
    #[inline(always)]
    fn deflate(&mut self, u: Wrench<T>, s: T) {
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

    /// Releases a dof. Returns its u and 1/D.
    #[inline(always)]
    pub(super) fn release(&mut self, s: Twist<T>, diagonal: T) -> (Wrench<T>, T) {
        let u = self.mul(s);
        let dinv = T::splat(1.0) / (s.dot(u) + diagonal);
        self.deflate(u, dinv);
        (u, dinv)
    }

    #[inline(always)]
    pub(super) fn add(&mut self, o: &Self) {
        self.m += o.m;
        self.h += o.h;
        self.i += o.i;
    }
}

/// L and D of the last elimination, and memory for the sweeps.
#[derive(Clone, Debug)]
pub struct Articulation<T = f64> {
    pub(super) ia: Vec<Articulated<T>>,
    /// Per dof: S (not filled by forward dynamics alone), I^A S and 1/D.
    s: Vec<Twist<T>>,
    pub(super) u: Vec<Wrench<T>>,
    pub dinv: Vec<T>,
    /// Per link: the force on its parent, and the motion by all dofs above.
    force: Vec<Wrench<T>>,
    motion: Vec<Twist<T>>,
}

impl<T: Real> Articulation<T> {
    pub fn new(model: &Model) -> Self {
        let (n, nv) = (model.topology().links.len(), model.nv());
        Articulation {
            ia: vec![Articulated::zeros(); n],
            s: vec![Twist::zeros(); nv],
            u: vec![Wrench::zeros(); nv],
            dinv: vec![T::ZERO; nv],
            force: vec![Wrench::zeros(); n],
            motion: vec![Twist::zeros(); n],
        }
    }
}

impl Articulation {
    /// Completes the factors of forward dynamics for the sweeps.
    pub(super) fn adopt(&mut self, s: &[Twist]) {
        self.s.copy_from_slice(s);
    }

    /// S and u / D of a dof. The entries L_kj are products of two of them.
    #[inline(always)]
    fn pair(&self, k: usize) -> (Twist, Wrench) {
        (self.s[k], self.u[k] * self.dinv[k])
    }

    /// x ← L⁻ᵀ x.
    pub fn solve_transposed(&mut self, t: &Topology, x: &mut [f64]) {
        self.force.fill(Wrench::ZERO);
        for (i, l) in t.links.iter().enumerate().rev() {
            let mut f = self.force[i];
            for k in l.dofs().rev() {
                let (s, u) = self.pair(k);
                x[k] -= s.dot(f);
                f += u * x[k];
            }
            if l.parent != WORLD {
                self.force[l.parent] += f;
            }
        }
    }

    /// x ← L⁻¹ x.
    pub fn solve_lower(&mut self, t: &Topology, x: &mut [f64]) {
        self.sweep_down(t, x, |above, x| (x - above, x - above));
    }

    /// x ← L x.
    pub fn times_lower(&mut self, t: &Topology, x: &mut [f64]) {
        self.sweep_down(t, x, |above, x| (x + above, x));
    }

    /// Sweeps from the root to the tips. `of` takes u / D times the motion of the dofs above, and the entry
    /// of x of the dof. It returns the new entry, and the speed of the dof for the dofs below.
    #[inline(always)]
    fn sweep_down(&mut self, t: &Topology, x: &mut [f64], of: impl Fn(f64, f64) -> (f64, f64)) {
        for (i, l) in t.links.iter().enumerate() {
            let mut motion = match l.parent {
                WORLD => Twist::ZERO,
                p => self.motion[p],
            };
            for k in l.dofs() {
                let (s, u) = self.pair(k);
                let (own, speed) = of(motion.dot(u), x[k]);
                x[k] = own;
                motion += s * speed;
            }
            self.motion[i] = motion;
        }
    }
}

/// The sweep of [`Articulation::solve_transposed`] for up to four columns that are zero except on the
/// paths of one or two links: dof by dof, in decreasing order.
pub struct PathSweep<'a> {
    a: &'a Articulation,
    force: [F4; 6],
    /// Force of the path that reaches the dof where two paths meet first.
    waiting: [F4; 6],
    at: usize,
}

impl<'a> PathSweep<'a> {
    #[inline(always)]
    pub fn new(a: &'a Articulation) -> Self {
        PathSweep {
            a,
            force: [F4::ZERO; 6],
            waiting: [F4::ZERO; 6],
            at: WORLD,
        }
    }

    /// L⁻ᵀ x at dof k, from x there. `next` is the next dof, if any.
    #[inline(always)]
    pub fn pass(&mut self, k: usize, dof: &Dof, next: Option<usize>, x: F4) -> F4 {
        if k == self.at {
            for (f, w) in self.force.iter_mut().zip(self.waiting) {
                *f += w;
            }
            self.at = WORLD;
        }
        let (s, u) = self.a.pair(k);
        let mut own = x;
        for (f, s) in self.force.iter().zip(s.to_array()) {
            own -= *f * s;
        }
        for (f, u) in self.force.iter_mut().zip(u.to_array()) {
            *f += own * u;
        }
        if next != Some(dof.parent) {
            // The next dof is on another branch or in another tree. The force of this path is kept until
            // the other path arrives.
            if dof.parent != WORLD {
                (self.waiting, self.at) = (self.force, dof.parent);
            }
            self.force = [F4::ZERO; 6];
        }
        own
    }
}

#[inline(always)]
fn articulate_kernel(w: &mut Articulation, kin: &Kinematics, model: &Model, diagonal: &[f64]) {
    let links = &model.topology().links;
    w.s.copy_from_slice(&kin.s);
    for (ia, inertia) in w.ia.iter_mut().zip(&kin.inertia) {
        *ia = Articulated::rigid(inertia);
    }
    for (i, l) in links.iter().enumerate().rev() {
        let mut ia = w.ia[i];
        for k in l.dofs().rev() {
            (w.u[k], w.dinv[k]) = ia.release(w.s[k], diagonal[k]);
        }
        if l.parent != WORLD {
            w.ia[l.parent].add(&ia);
        }
    }
}

dispatch! {
    /// The factors of M − armature + diag(`diagonal`).
    ///
    /// `kin` must hold positions and inertias. A matrix that is not positive definite gives a 1/D that
    /// is negative or not finite.
    pub fn articulate = articulate_kernel(
        w: &mut Articulation, kin: &Kinematics, model: &Model, diagonal: &[f64],
    )
}
