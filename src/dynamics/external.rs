//! Wrenches that the outside applies to bodies: along world axes, carried by a point of the body.

use super::kinematics::Kinematics;
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::{Mat3, Vec3, Wrench};

/// External load on a link, about the tree's origin.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkLoad {
    pub wrench: Wrench,
    /// Σ (p·F) 1 − F pᵀ − N×: how the load turns when the link does. With E ξ = (ξ_w × F, `turn` ξ_w)
    /// a displacement ξ of the link changes the wrench, seen from the displaced link, by −E ξ.
    pub turn: Mat3,
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
            self.link.fill(LinkLoad::default());
            self.active = false;
        }
    }

    /// Adds a force [N] acting at `point` and a moment [N m], world axes; the point is relative to
    /// the tree's origin and moves with the link.
    #[inline(always)]
    pub fn add(&mut self, link: usize, point: Vec3, force: Vec3, moment: Vec3) {
        let l = &mut self.link[link];
        l.wrench += Wrench::new(force, point.cross(force) + moment);
        l.turn +=
            Mat3::IDENTITY * point.dot(force) - Mat3::outer(force, point) - Mat3::skew(moment);
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
