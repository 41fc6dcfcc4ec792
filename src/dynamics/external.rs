//! Wrenches that the outside applies to bodies: along world axes, carried by a point of the body.

use super::kinematics::Kinematics;
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::{Mat3, Twist, Vec3, Wrench};
use std::ops::AddAssign;

/// A linear map from displacements (linear; angular) to wrenches, by its columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stiffness {
    pub c: [Wrench; 6],
}

impl Stiffness {
    /// E ξ.
    #[inline(always)]
    pub fn mul(&self, xi: Twist) -> Wrench {
        let (c, l, a) = (&self.c, xi.lin, xi.ang);
        (c[0] * l.x + c[1] * l.y + c[2] * l.z) + (c[3] * a.x + c[4] * a.y + c[5] * a.z)
    }

    /// Eᵀ ξ.
    #[inline(always)]
    pub fn tr_mul(&self, xi: Twist) -> Wrench {
        let d = |k: usize| xi.dot(self.c[k]);
        Wrench::new(Vec3::new(d(0), d(1), d(2)), Vec3::new(d(3), d(4), d(5)))
    }
}

impl AddAssign<&Stiffness> for Stiffness {
    #[inline(always)]
    fn add_assign(&mut self, o: &Stiffness) {
        for (c, o) in self.c.iter_mut().zip(o.c) {
            *c += o;
        }
    }
}

/// External load on a link, about the tree's origin.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkLoad {
    pub wrench: Wrench,
    /// A displacement ξ of the link changes the wrench, seen from the displaced link, by −E ξ. A load
    /// fixed in the world has E ξ = Σ (ξ_w × F, ((p·F) 1 − F pᵀ − N×) ξ_w).
    pub stiffness: Stiffness,
    /// Whether any of these may differ from zero.
    pub acts: bool,
}

/// External loads of all links.
#[derive(Clone, Debug)]
pub struct External {
    pub link: Vec<LinkLoad>,
    /// Whether any load may differ from zero.
    pub active: bool,
}

impl External {
    pub fn new(model: &Model) -> Self {
        External {
            link: vec![LinkLoad::default(); model.topology().links.len()],
            active: false,
        }
    }

    pub fn clear(&mut self) {
        if self.active {
            for l in self.link.iter_mut().filter(|l| l.acts) {
                *l = LinkLoad::default();
            }
            self.active = false;
        }
    }

    /// Adds a force [N] acting at `point` and a moment [N m], world axes; the point is relative to
    /// the tree's origin and moves with the link.
    #[inline(always)]
    pub fn add(&mut self, link: usize, point: Vec3, force: Vec3, moment: Vec3) {
        let l = &mut self.link[link];
        l.wrench += Wrench::new(force, point.cross(force) + moment);
        let turn =
            Mat3::IDENTITY * point.dot(force) - Mat3::outer(force, point) - Mat3::skew(moment);
        for (k, moment) in turn.c.into_iter().enumerate() {
            l.stiffness.c[3 + k] += Wrench::new(Vec3::unit(k).cross(force), moment);
        }
        l.acts = true;
        self.active = true;
    }

    /// Adds a wrench (world axes) acting at a body's origin.
    pub fn add_on_body(&mut self, model: &Model, kin: &Kinematics, body: usize, w: Wrench) {
        let b = &model.bodies()[body];
        if b.link != WORLD {
            let at = kin.pos[b.link] + kin.rot[b.link].mul_vec(b.in_link.pos);
            self.add(b.link, at, w.lin, w.ang);
        }
    }
}
