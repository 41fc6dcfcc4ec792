//! Velocities of the links, and what they carry along.

use crate::constraint::contact_derivative::ContactState;
use crate::dynamics::kinematics::{Kinematics, joint_twist, link_twists};
use crate::model::topology::{Topology, WORLD};
use crate::spatial::{Twist, Wrench};

#[derive(Clone, Debug)]
pub(super) struct Flow {
    velocity: Vec<Twist>,
    /// V_parent × S of the dofs, after [`Flow::carry`].
    carried: Vec<Twist>,
}

impl Flow {
    pub fn new(t: &Topology) -> Self {
        Flow {
            velocity: vec![Twist::ZERO; t.links.len()],
            carried: vec![Twist::ZERO; t.nv()],
        }
    }

    #[inline(always)]
    pub fn set(&mut self, t: &Topology, kin: &Kinematics, v: &[f64]) {
        link_twists(t, &kin.s, v, &mut self.velocity);
    }

    #[inline(always)]
    pub fn carry(&mut self, t: &Topology, kin: &Kinematics) {
        for l in &t.links {
            let parent = self.of(l.parent);
            for k in l.iv..l.iv + l.kind.nv() {
                self.carried[k] = parent.cross(kin.s[k]);
            }
        }
    }

    #[inline(always)]
    pub fn of(&self, link: usize) -> Twist {
        of_link(&self.velocity, link)
    }

    /// A contact at these velocities.
    #[inline(always)]
    pub fn see(&self, contact: &ContactState) -> ContactState {
        contact.at_velocities(contact.sides.link.map(|l| self.of(l)))
    }

    #[inline(always)]
    pub fn carried(&self, dof: usize) -> Twist {
        self.carried[dof]
    }

    /// η of all links by a displacement `dq`: V_parent × S dq summed from the world.
    #[inline(always)]
    pub fn displaced(&self, t: &Topology, kin: &Kinematics, dq: &[f64], eta: &mut [Twist]) {
        for (i, l) in t.links.iter().enumerate() {
            eta[i] = if l.parent == WORLD {
                Twist::ZERO
            } else {
                let own = joint_twist(l.kind, &kin.s[l.iv..], &dq[l.iv..]);
                eta[l.parent] + self.velocity[l.parent].cross(own)
            };
        }
    }

    /// What the adjoint of η on the subtree of a link adds to that of ξ of its dofs.
    #[inline(always)]
    pub fn weigh(&self, parent: usize, eta: Wrench) -> Wrench {
        -self.of(parent).cross_wrench(eta)
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
