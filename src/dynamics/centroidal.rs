//! Momentum of all moving bodies about their centre of mass, its rate, and the derivatives of both.
//!
//! In the notation of [`rnea_derivatives`](super::rnea_derivatives), with A without gravity, and with H
//! and f the momentum of the subtree of dof k and the force that it needs,
//!
//!   ∂H/∂q_k = S_k ×* H + I η_k,  ∂H/∂v_k = I S_k,
//!   ∂Ḣ/∂q_k = S_k ×* f + I α_k + 2B η_k,  ∂Ḣ/∂v_k = I β_k + 2B S_k,  ∂Ḣ/∂v̇_k = I S_k.
//!
//! About the centre of mass c, which moves by ∂c/∂q_k, the moments lose ∂c/∂q_k × the linear parts.
//! Orin, Goswami & Lee, Centroidal Dynamics of a Humanoid Robot (Autonomous Robots 2013).

use super::kinematics::Kinematics;
use super::motion::Accelerated;
use super::rnea_derivatives::{Composite, gather};
use super::varying::{Carried, gained};
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::{Inertia, Twist, Vec3, Wrench};

/// Memory for subtrees, by links: inertias, the data of the derivatives, and the force that moves each
/// subtree.
#[derive(Clone, Debug)]
pub struct Subtrees {
    pub inertia: Vec<Inertia>,
    pub composite: Vec<Composite>,
    force: Vec<Wrench>,
}

impl Subtrees {
    pub fn new(model: &Model) -> Self {
        let n = model.topology().links.len();
        Subtrees {
            inertia: vec![Inertia::ZERO; n],
            composite: vec![Composite::default(); n],
            force: vec![Wrench::ZERO; n],
        }
    }
}

/// All moving bodies: mass, and centre of mass in the world.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    pub mass: f64,
    pub center: Vec3,
}

impl Whole {
    /// `kin` must hold positions and inertias.
    pub fn new(model: &Model, kin: &Kinematics) -> Self {
        let (mut mass, mut first) = (0.0, Vec3::ZERO);
        for (l, i) in model.topology().links.iter().zip(&kin.inertia) {
            mass += i.mass;
            first += i.h + kin.origin[l.tree] * i.mass;
        }
        Whole {
            mass,
            center: first * reciprocal(mass),
        }
    }

    /// Moves a wrench from a tree's origin to the centre of mass.
    #[inline(always)]
    fn shift(&self, kin: &Kinematics, tree: usize, w: Wrench) -> Wrench {
        w.about_origin(kin.origin[tree] - self.center)
    }

    /// Momentum about the centre of mass (linear; angular) and, given the links' accelerations, its
    /// rate. `kin` must hold positions, velocities and inertias.
    pub fn momentum(
        &self,
        model: &Model,
        kin: &Kinematics,
        acceleration: Option<&[Twist]>,
    ) -> (Wrench, Wrench) {
        let (mut momentum, mut rate) = (Wrench::ZERO, Wrench::ZERO);
        for (i, l) in model.topology().links.iter().enumerate() {
            let (inertia, v) = (&kin.inertia[i], kin.v[i]);
            let own = inertia.mul(v);
            momentum += self.shift(kin, l.tree, own);
            if let Some(a) = acceleration {
                let force = inertia.mul(a[i]) + v.cross_wrench(own);
                rate += self.shift(kin, l.tree, force);
            }
        }
        (momentum, rate)
    }

    /// Velocity or acceleration of the centre of mass, from a momentum or its rate.
    pub fn per_mass(&self, w: Wrench) -> Vec3 {
        w.lin * reciprocal(self.mass)
    }

    /// The matrix that maps v to the momentum: 6×nv, column-major. `kin` must hold positions and
    /// inertias.
    pub fn map(&self, sub: &mut Subtrees, model: &Model, kin: &Kinematics, out: &mut [f64]) {
        let t = model.topology();
        sub.inertia.copy_from_slice(&kin.inertia);
        for (i, l) in t.links.iter().enumerate().rev() {
            if l.parent != WORLD {
                let own = sub.inertia[i];
                sub.inertia[l.parent] += own;
            }
        }
        for ((dof, s), out) in t.dofs.iter().zip(&kin.s).zip(out.chunks_exact_mut(6)) {
            let w = sub.inertia[dof.link].mul(*s);
            let tree = t.links[dof.link].tree;
            out.copy_from_slice(&self.shift(kin, tree, w).to_array());
        }
    }

    /// Derivatives of the momentum by q, and of its rate by q, v and v̇: 6×nv each, column-major. `kin`
    /// must hold positions, velocities and inertias.
    pub fn derivatives(
        &self,
        sub: &mut Subtrees,
        model: &Model,
        kin: &Kinematics,
        accelerated: Accelerated<'_>,
        [momentum_q, rate_q, rate_v, rate_a]: [&mut [f64]; 4],
    ) {
        let t = model.topology();
        let (momentum, rate) = self.momentum(model, kin, Some(accelerated.link));
        gather(&mut sub.composite, kin, t);
        for (i, force) in sub.force.iter_mut().enumerate() {
            let (inertia, v) = (&kin.inertia[i], kin.v[i]);
            *force = inertia.mul(accelerated.link[i]) + v.cross_wrench(inertia.mul(v));
        }
        let mut varying = t.varying.iter().enumerate().rev().peekable();
        for (i, l) in t.links.iter().enumerate().rev() {
            let (vp, ap) = match l.parent {
                WORLD => (Twist::ZERO, Twist::ZERO),
                p => (kin.v[p], accelerated.link[p]),
            };
            let more = varying
                .next_if(|(_, v)| v.link == i)
                .map(|(index, _)| gained(kin, &accelerated.joint[l.dofs()], t, index));
            let (all, force) = (sub.composite[i], sub.force[i]);
            for (j, k) in l.dofs().enumerate() {
                let s = kin.s[k];
                let mut c = Carried::of(s, vp, kin.v[i], ap);
                if let Some(more) = &more {
                    c += more[j];
                }
                let own = all.inertia.mul(s);
                let center = self.per_mass(own);
                let put = |out: &mut [f64], w: Wrench, moved: Vec3| {
                    let mut w = self.shift(kin, l.tree, w);
                    w.ang -= center.cross(moved);
                    out[6 * k..6 * k + 6].copy_from_slice(&w.to_array());
                };
                let by_q = s.cross_wrench(all.momentum) + all.inertia.mul(c.eta);
                put(momentum_q, by_q, momentum.lin);
                let by_q = s.cross_wrench(force) + all.inertia.mul(c.alpha) + all.two_b(c.eta);
                put(rate_q, by_q, rate.lin);
                let by_v = all.inertia.mul(c.beta) + all.two_b(s);
                put(rate_v, by_v, Vec3::ZERO);
                put(rate_a, own, Vec3::ZERO);
            }
            if l.parent != WORLD {
                sub.force[l.parent] += force;
            }
        }
    }
}

fn reciprocal(mass: f64) -> f64 {
    if mass > 0.0 { 1.0 / mass } else { 0.0 }
}
