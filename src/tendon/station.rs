//! Points of links, through which a path goes.

use super::support::{FIXED, Support};
use crate::dynamics::kinematics::Kinematics;
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::Vec3;

/// A point on a link.
#[derive(Clone, Copy, Debug)]
pub struct Station {
    link: usize,
    tree: usize,
    /// In the link's frame; in the world's without a link.
    pub at: Vec3,
    /// Index of the link in the support.
    pub place: usize,
    /// Position relative to its tree's origin, and this origin.
    pub rel: Vec3,
    origin: Vec3,
}

impl Station {
    /// A point in a body's frame.
    pub fn new(model: &Model, (body, at): (usize, Vec3)) -> Self {
        let b = &model.bodies()[body];
        let tree = match b.link {
            WORLD => 0,
            link => model.topology().links[link].tree,
        };
        Station {
            link: b.link,
            tree,
            at: b.in_link.point(at),
            place: FIXED,
            rel: Vec3::ZERO,
            origin: Vec3::ZERO,
        }
    }

    pub fn link(&self) -> usize {
        self.link
    }

    pub fn seat(&mut self, support: &Support) {
        self.place = support.place(self.link);
    }

    pub fn update(&mut self, kin: &Kinematics) {
        if self.link == WORLD {
            self.rel = self.at;
        } else {
            self.rel = kin.rot[self.link].mul_vec(self.at) + kin.pos[self.link];
            self.origin = kin.origin[self.tree];
        }
    }

    /// Moves the station to another place in the frame of its body.
    pub fn place_at(&mut self, model: &Model, (body, at): (usize, Vec3)) {
        self.at = model.bodies()[body].in_link.point(at);
    }

    /// Vector from a to b; without the origins if they are the same.
    pub fn between(a: &Station, b: &Station) -> Vec3 {
        (b.rel - a.rel) + (b.origin - a.origin)
    }
}
