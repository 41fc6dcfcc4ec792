//! A part of a path between two points next to each other: its length, and what a unit of tension does to the links.

use super::support::{FIXED, Support};
use crate::dynamics::kinematics::Kinematics;
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::{Twist, Vec3, Wrench};
use std::ops::Range;

/// A point on a link.
#[derive(Clone, Copy, Debug)]
pub struct Station {
    link: usize,
    tree: usize,
    /// In the link's frame; in the world's without a link.
    at: Vec3,
    /// Of the link in the support.
    pub place: usize,
    /// Where it is: relative to its tree's origin, and that origin.
    rel: Vec3,
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

    /// Where it moves as the links in a range of places do by ξ.
    fn moved(&self, range: &Range<usize>, xi: Twist) -> Vec3 {
        match range.contains(&self.place) {
            true => xi.at(self.rel),
            false => Vec3::ZERO,
        }
    }

    /// From a to b; without the origins where they are the same.
    fn between(a: &Station, b: &Station) -> Vec3 {
        (b.rel - a.rel) + (b.origin - a.origin)
    }
}

/// What the length of a leg is.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// The distance.
    Straight,
    /// The difference of a coordinate, by its axis in the world.
    Along(Vec3),
}

/// A leg, and where it is.
#[derive(Clone, Debug)]
pub struct Leg {
    pub ends: [Station; 2],
    pub shape: Shape,
    /// What it counts in the length.
    pub share: f64,
    /// Slope of its length by its second end, and the opposite by its first.
    pull: Vec3,
    length: f64,
}

impl Leg {
    pub fn new(ends: [Station; 2], shape: Shape, share: f64) -> Self {
        Leg {
            ends,
            shape,
            share,
            pull: Vec3::ZERO,
            length: 0.0,
        }
    }

    /// Links on which it acts.
    pub fn links(&self) -> impl Iterator<Item = usize> + '_ {
        self.ends.iter().map(Station::link)
    }

    pub fn seat(&mut self, support: &Support) {
        self.ends.iter_mut().for_each(|end| end.seat(support));
    }

    /// Takes the stations where they are; its part of the length, and how far it is from where slopes jump.
    pub fn update(&mut self, kin: &Kinematics) -> (f64, f64) {
        self.ends.iter_mut().for_each(|end| end.update(kin));
        let d = Station::between(&self.ends[0], &self.ends[1]);
        let mut margin = f64::INFINITY;
        match self.shape {
            Shape::Straight => {
                self.length = d.norm();
                margin = self.length;
                // Points that coincide have no direction between them.
                self.pull = d.normalized().unwrap_or(Vec3::ZERO);
            }
            Shape::Along(axis) => {
                self.length = d.dot(axis);
                self.pull = axis;
            }
        }
        (self.share * self.length, margin)
    }

    /// Visits the wrenches of a unit of the slope on links, about their trees' origins, by the links' places.
    pub fn for_wrenches(&self, mut visit: impl FnMut(usize, Wrench)) {
        for (end, sign) in self.ends.iter().zip([-self.share, self.share]) {
            if end.place != FIXED {
                visit(end.place, Wrench::of_force_at(self.pull * sign, end.rel));
            }
        }
    }

    /// Visits how those wrenches change as the links in a range of places move by ξ.
    pub fn for_changes(
        &self,
        range: &Range<usize>,
        xi: Twist,
        mut visit: impl FnMut(usize, Wrench),
    ) {
        let moved = [0, 1].map(|k| self.ends[k].moved(range, xi));
        if !self.ends.iter().any(|end| range.contains(&end.place)) {
            return;
        }
        let turned = match self.shape {
            Shape::Straight if self.length > 0.0 => {
                let d = moved[1] - moved[0];
                (d - self.pull * self.pull.dot(d)) * (1.0 / self.length)
            }
            _ => Vec3::ZERO,
        };
        for ((end, moved), sign) in self.ends.iter().zip(moved).zip([-self.share, self.share]) {
            if end.place != FIXED {
                let moment = moved.cross(self.pull) + end.rel.cross(turned);
                visit(end.place, Wrench::new(turned, moment) * sign);
            }
        }
    }
}
