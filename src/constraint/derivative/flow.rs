//! Velocities of the links, and η, the change of a link's velocity that ξ × V leaves out.

use crate::constraint::contact_derivative::ContactState;
use crate::dynamics::kinematics::{Displaced, Kinematics, joint_twist, link_twists};
use crate::joint::MAX_DOFS;
use crate::model::topology::{LinkKind, Topology, WORLD};
use crate::spatial::{Twist, Wrench};

#[derive(Clone, Debug)]
pub(super) struct Flow {
    velocity: Vec<Twist>,
    /// η by each dof: V_parent × S, and the change of S; after [`Flow::carry`].
    carried: Vec<Twist>,
    /// Per varying link: change of the velocity within it by each of its dofs.
    varying: Vec<[Twist; MAX_DOFS]>,
    /// Per varying link: the rates of its dofs.
    rates: Vec<[f64; MAX_DOFS]>,
}

impl Flow {
    pub fn new(t: &Topology) -> Self {
        Flow {
            velocity: vec![Twist::ZERO; t.links.len()],
            carried: vec![Twist::ZERO; t.nv()],
            varying: vec![[Twist::ZERO; MAX_DOFS]; t.varying.len()],
            rates: vec![[0.0; MAX_DOFS]; t.varying.len()],
        }
    }

    #[inline(always)]
    pub fn set(&mut self, t: &Topology, kin: &Kinematics, v: &[f64]) {
        link_twists(t, &kin.s, v, &mut self.velocity);
        for ((by, state), link) in self.varying.iter_mut().zip(&kin.varying).zip(&t.varying) {
            let v = &v[t.links[link.link].dofs()];
            for j in 0..v.len() {
                by[j] = state.by_dof(j, v);
            }
        }
        for (rates, link) in self.rates.iter_mut().zip(&t.varying) {
            let l = &t.links[link.link];
            rates[..l.nv].copy_from_slice(&v[l.dofs()]);
        }
    }

    /// Change of the velocity within a displaced link by the change of its columns.
    pub fn within(&self, t: &Topology, moved: &Displaced) -> Twist {
        match t.links[moved.link].kind {
            LinkKind::Varying { index, .. } => {
                let first = t.links[moved.link].iv;
                moved.within(t, |k| self.rates[usize::from(index)][k - first])
            }
            _ => Twist::ZERO,
        }
    }

    #[inline(always)]
    pub fn carry(&mut self, t: &Topology, kin: &Kinematics) {
        for l in &t.links {
            let parent = self.of(l.parent);
            for k in l.dofs() {
                self.carried[k] = parent.cross(kin.s[k]);
            }
        }
        for (by, link) in self.varying.iter().zip(&t.varying) {
            for (k, by) in t.links[link.link].dofs().zip(by) {
                self.carried[k] += *by;
            }
        }
    }

    #[inline(always)]
    pub fn of(&self, link: usize) -> Twist {
        of_link(&self.velocity, link)
    }

    /// The contact at these velocities.
    #[inline(always)]
    pub fn see(&self, contact: &ContactState) -> ContactState {
        contact.at_velocities(contact.sides.link.map(|l| self.of(l)))
    }

    #[inline(always)]
    pub fn carried(&self, dof: usize) -> Twist {
        self.carried[dof]
    }

    /// η of all links by a displacement `dq`, summed from the world outwards.
    #[inline(always)]
    pub fn displaced(&self, t: &Topology, kin: &Kinematics, dq: &[f64], eta: &mut [Twist]) {
        let mut varying = t.varying.iter().zip(&self.varying);
        let mut next = varying.next();
        // Slices of one length: the compiler checks an index once for all of them.
        let n = t.links.len();
        let (eta, velocity) = (&mut eta[..n], &self.velocity[..n]);
        let (s, dq) = (&kin.s[..], &dq[..kin.s.len()]);
        for (i, l) in t.links.iter().enumerate() {
            eta[i] = if l.parent == WORLD {
                Twist::ZERO
            } else {
                let own = joint_twist(l, s, dq);
                eta[l.parent] + velocity[l.parent].cross(own)
            };
            if let Some((link, by)) = next
                && link.link == i
            {
                next = varying.next();
                for (k, by) in l.dofs().zip(by) {
                    eta[i] += *by * dq[k];
                }
            }
        }
    }

    /// Part of the adjoint of ξ of a link's dofs that the adjoint of η on its subtree adds.
    #[inline(always)]
    pub fn weigh(&self, parent: usize, eta: Wrench) -> Wrench {
        -self.of(parent).cross_wrench(eta)
    }

    /// Adds to `q_bar` the part of the adjoints of η on subtrees by the change of S.
    pub fn weigh_varying(&self, t: &Topology, eta: &[Wrench], q_bar: &mut [f64]) {
        for (by, link) in self.varying.iter().zip(&t.varying) {
            for (k, by) in t.links[link.link].dofs().zip(by) {
                q_bar[k] += by.dot(eta[link.link]);
            }
        }
    }
}

/// Zero for the world.
#[inline(always)]
pub(super) fn of_link(twists: &[Twist], link: usize) -> Twist {
    match link {
        WORLD => Twist::ZERO,
        link => twists[link],
    }
}
