//! One contact: its force, the change of the force with the motion of the bodies, and the resulting
//! generalized forces.
//!
//! The force f acts at the contact point p on body B and with opposite sign on A. Dofs that move both
//! bodies do not change the effect of the force on other dofs, and the force has no effect on them. Only
//! the dofs that move one body alone take part, its *arms*. With S_i along world axes about p, and σ =
//! +1 for the dofs of B and −1 for those of A, the generalized force is τ_i = σ_i S_iᵀ (f; 0). A
//! displacement ξ of one body alone by dof j varies it by
//!
//!   δτ_i = σ_i S_iᵀ (δf; δp × f) + σ_i (ξ × S_i)ᵀ (f; 0)
//!
//! where the last term applies to the dofs that ξ carries along: those of the same link and below. The
//! velocity of a carried body changes by ξ × V + η, with η = V_parent × ξ.

use super::law::Reaction;
use super::material::Material;
use crate::collision::ContactDerivative;
use crate::dynamics::kinematics::Kinematics;
use crate::joint::VaryingState;
use crate::model::topology::{LinkKind, Topology, WORLD};
use crate::spatial::{Twist, Vec3, Wrench};

/// A contact at the last state.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    pub link: [usize; 2],
    pub material: Material,
    pub reaction: Reaction,
    /// The last dof that moves both bodies; the world if there is none.
    pub common: usize,
    /// The contact point relative to the origins of the bodies' trees.
    pub at: [Vec3; 2],
    pub n: Vec3,
    /// Velocities of the bodies about the origins of their trees.
    velocity: [Twist; 2],
    pub motion: ContactDerivative,
}

/// The sign of the force for the dofs of each body.
const SIGN: [f64; 2] = [-1.0, 1.0];

impl Touch {
    /// A contact of a material, at a point in the world with this gap and normal.
    pub fn new(
        t: &Topology,
        kin: &Kinematics,
        link: [usize; 2],
        material: Material,
        (point, gap, n): (Vec3, f64, Vec3),
        ease: f64,
    ) -> Touch {
        Touch::with(t, kin, link, material, (point, n), |relative| {
            Reaction::new(material, gap, n, relative, ease)
        })
    }

    /// A contact whose reaction is computed from the relative velocity of the second body.
    pub fn with(
        t: &Topology,
        kin: &Kinematics,
        link: [usize; 2],
        material: Material,
        (point, n): (Vec3, Vec3),
        reaction: impl FnOnce(Vec3) -> Reaction,
    ) -> Touch {
        let at = link.map(|l| match l {
            WORLD => point,
            l => point - kin.origin[t.links[l].tree],
        });
        let velocity = link.map(|l| match l {
            WORLD => Twist::ZERO,
            l => kin.v[l],
        });
        let relative = velocity[1].at(at[1]) - velocity[0].at(at[0]);
        Touch {
            link,
            material,
            reaction: reaction(relative),
            common: t.join(t.tip(link[0]), t.tip(link[1])),
            at,
            n,
            velocity,
            motion: ContactDerivative::default(),
        }
    }

    pub fn acts(&self) -> bool {
        self.reaction.normal.force.abs() > 0.0
    }

    /// The dofs that move only this body.
    #[inline(always)]
    fn path<'a>(&self, t: &'a Topology, side: usize) -> impl Iterator<Item = usize> + use<'a> {
        let common = self.common;
        t.path(self.link[side]).take_while(move |k| *k != common)
    }

    /// The dofs that move both bodies.
    pub fn shared<'a>(&self, t: &'a Topology) -> impl Iterator<Item = usize> + use<'a> {
        let common = self.common;
        t.path(self.link[0]).skip_while(move |k| *k != common)
    }

    /// Adds the generalized force.
    pub fn spread(&self, t: &Topology, kin: &Kinematics, tau: &mut [f64]) {
        self.spread_force(self.reaction.force, t, kin, tau);
    }

    /// Adds the generalized force of any force on the second body against the first.
    pub fn spread_force(&self, force: Vec3, t: &Topology, kin: &Kinematics, tau: &mut [f64]) {
        for side in 0..2 {
            let f = Wrench::of_force_at(force * SIGN[side], self.at[side]);
            for k in self.path(t, side) {
                tau[k] += kin.s[k].dot(f);
            }
        }
    }

    /// δgap by a displacement of one body, given at the contact point.
    pub fn gap_change(&self, side: usize, xi: Twist) -> f64 {
        let mut displaced = [Twist::ZERO; 2];
        displaced[side] = xi;
        let [a, b] = displaced;
        self.motion.apply(self.n, a, b).2
    }

    /// −(δf; δp × f) by a displacement of one body, given at the contact point. `change` is the change
    /// of the body's velocity there, at a fixed point.
    #[inline(always)]
    fn answer(&self, side: usize, xi: Twist, change: Vec3) -> Wrench {
        let mut displaced = [Twist::ZERO; 2];
        displaced[side] = xi;
        let [a, b] = displaced;
        let (point, n, gap) = self.motion.apply(self.n, a, b);
        let turning = self.velocity[1].ang - self.velocity[0].ang;
        let velocity = change * SIGN[side] + turning.cross(point);
        let f = self.reaction.vary(gap, n, velocity);
        -Wrench::new(f, point.cross(self.reaction.force))
    }

    /// The effects of a displacement of the body by `xi` about its tree's origin with this η. Returns
    /// the displacement at the contact point, and the change of the wrench for dofs that it does not
    /// carry along and for dofs that it does.
    #[inline(always)]
    pub fn displaced(&self, side: usize, xi: Twist, eta: Twist) -> (Twist, [Wrench; 2]) {
        let p = self.at[side];
        let change = (xi.cross(self.velocity[side]) + eta).at(p);
        let xi = Twist::new(xi.at(p), xi.ang);
        let by = self.answer(side, xi, change);
        let load = Wrench::new(self.reaction.force, Vec3::ZERO);
        (xi, [by, by + xi.cross_wrench(load)])
    }

    /// −(δf; δp × f) for a surface that moves by itself.
    pub fn surface_moved(&self, side: usize, by: Vec3) -> Wrench {
        self.answer(side, Twist::new(by, Vec3::ZERO), Vec3::ZERO)
    }

    /// Calls `take` with the arms of a body, beginning with its own dofs. Adds to R_q the effect of the
    /// change of S within links.
    pub fn for_arms(
        &self,
        t: &Topology,
        kin: &Kinematics,
        v: &[f64],
        side: usize,
        mut take: impl FnMut(Arm),
    ) {
        for dof in self.path(t, side) {
            let link = t.dofs[dof].link;
            let eta = kin.eta(t, dof, v, Twist::ZERO);
            let (s, by_q) = self.displaced(side, kin.s[dof], eta);
            let by_v = -(self.reaction).vary(0.0, Vec3::ZERO, s.lin * SIGN[side]);
            take(Arm {
                dof,
                link,
                side,
                s: s * SIGN[side],
                by_q,
                by_v,
            });
        }
    }

    /// The wrench of the contact on a body, about its tree's origin.
    pub fn load(&self, side: usize) -> Wrench {
        Wrench::of_force_at(self.reaction.force * SIGN[side], self.at[side])
    }

    /// Visits (row, column, R_q) by the change of S within the links of joints whose S depends on q.
    pub fn for_bends(
        &self,
        t: &Topology,
        kin: &Kinematics,
        side: usize,
        mut take: impl FnMut(usize, usize, f64),
    ) {
        let f = self.load(side);
        for row in self.path(t, side) {
            let link = t.dofs[row].link;
            if let Some(state) = varying(t, kin, link) {
                let l = &t.links[link];
                for column in l.dofs() {
                    let bent = state.slope(row - l.iv, column - l.iv);
                    take(row, column, -bent.dot(f));
                }
            }
        }
    }
}

/// The derivative of S of a link by q; `None` if S is constant.
#[inline(always)]
fn varying<'a>(t: &Topology, kin: &'a Kinematics, link: usize) -> Option<&'a VaryingState> {
    match t.links[link].kind {
        LinkKind::Varying { index, .. } => Some(&kin.varying[usize::from(index)]),
        _ => None,
    }
}

/// A dof that moves one of two bodies in contact alone.
#[derive(Clone, Copy, Debug)]
pub struct Arm {
    pub dof: usize,
    pub link: usize,
    /// Index of the body that it moves: 0 or 1.
    pub side: usize,
    /// σ S at the contact point.
    pub s: Twist,
    /// −δ(force, moment about the contact point) by a displacement: for dofs that are not carried along,
    /// and for dofs that are.
    pub by_q: [Wrench; 2],
    /// −δforce by a velocity.
    pub by_v: Vec3,
}

impl Arm {
    /// The displacement of the body at the contact point per unit of the dof.
    pub fn displacement(&self) -> Twist {
        self.s * SIGN[self.side]
    }

    /// Entries of R_q and R_v in the row of `row` and this column; both move the same body.
    #[inline(always)]
    pub fn on(&self, row: &Arm) -> [f64; 2] {
        let carried = usize::from(row.link >= self.link);
        [row.s.dot(self.by_q[carried]), row.s.lin.dot(self.by_v)]
    }

    /// The difference for dofs that it carries along.
    #[inline(always)]
    pub fn carried(&self) -> Wrench {
        self.by_q[1] - self.by_q[0]
    }

    /// Entries of R_q and R_v in the row of `row` and this column, if they move different bodies.
    #[inline(always)]
    pub fn across(&self, row: &Arm) -> [f64; 2] {
        [row.s.dot(self.by_q[0]), row.s.lin.dot(self.by_v)]
    }
}
