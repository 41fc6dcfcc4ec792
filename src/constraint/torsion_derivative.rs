//! Derivative of the rows of [`Torsion`] and of their couples by the motion of the bodies.
//!
//! Let δφ be the rotation of the contact frame, as in [`contact_derivative`](super::contact_derivative),
//! and τ the couple on B. Then
//!
//! - δ(relative angular velocity) = Rᵀ(δω_B − δω_A − δφ × ω_rel)
//! - τ changes by δφ × τ, beyond a couple that is fixed in the world.

use super::contact_derivative::{Change, ContactState, on_side};
use super::torsion::Torsion;
use super::varied::Varied;
use crate::linalg::F4;
use crate::model::topology::WORLD;
use crate::spatial::{Twist, Vec3, Wrench};

/// Torsional and rolling friction of a contact after the step.
pub(super) struct TorsionState<'a> {
    pub torsion: &'a Torsion,
    pub contact: &'a ContactState,
    /// Couple on B, world axes [N m s].
    pub couple: Vec3,
}

/// The effect of a displacement on the rows, and on the couple on B.
pub(super) struct Turned {
    pub rows: F4,
    pub couple: Vec3,
}

impl TorsionState<'_> {
    /// The effect of displacing side `x` alone, by coordinates of ξ and η.
    pub fn columns(&self, x: usize) -> (Varied, [F4; 6], [F4; 6]) {
        let mut out = Varied::default();
        let (mut by_xi, mut by_eta) = ([F4::ZERO; 6], [F4::ZERO; 6]);
        for k in 0..6 {
            let e = Twist::unit(k);
            let turned = self.displaced(x, e, Twist::ZERO);
            by_xi[k] = turned.rows;
            by_eta[k] = self.displaced(x, Twist::ZERO, e).rows;
            for (w, sign) in out.wrench.iter_mut().zip([-1.0, 1.0]) {
                w[k] = Wrench::new(Vec3::ZERO, turned.couple * sign);
            }
        }
        (out, by_xi, by_eta)
    }

    /// The effect of displacing side `x` by ξ and changing its velocity by ξ × V + η.
    fn displaced(&self, x: usize, xi: Twist, eta: Twist) -> Turned {
        let s = &self.contact.sides;
        if s.link[x] == WORLD {
            return self.turned([Twist::ZERO; 2], Vec3::ZERO);
        }
        let mut at_point = [Twist::ZERO; 2];
        at_point[x] = Twist::new(xi.at(s.point[x]), xi.ang);
        let sign = if x == 1 { 1.0 } else { -1.0 };
        let change = xi.cross(s.velocity[x]) + eta;
        self.turned(at_point, change.ang * sign)
    }

    /// The effect of a change of the surfaces alone.
    pub fn changed(&self, change: Change) -> Turned {
        match change {
            Change::Surface { side, by } => self.turned(on_side(side, by), Vec3::ZERO),
            Change::Slide(by) => self.along(by.tilt, Vec3::ZERO),
            Change::Face { by, .. } => self.along(by.normal, Vec3::ZERO),
        }
    }

    fn turned(&self, [a, b]: [Twist; 2], change: Vec3) -> Turned {
        let c = self.contact;
        let dn = match c.turns {
            true => c.motion.apply(c.normal, a, b).1,
            false => Vec3::ZERO,
        };
        self.along(dn, change)
    }

    /// The effect of turning the normal and changing the relative angular velocity.
    fn along(&self, dn: Vec3, change: Vec3) -> Turned {
        let c = self.contact;
        let phi = c.turn.mul_vec(dn);
        let [a, b] = c.sides.velocity;
        let change = change - phi.cross(b.ang - a.ang);
        Turned {
            rows: self.torsion.rows_of(c.frame.tr_mul_vec(change)),
            couple: phi.cross(self.couple),
        }
    }
}
