//! Keeps the middle of a geom from passing into another geom within a step.
//!
//! A contact holds two geoms apart at one point. A slender body that hits a wall beside its middle rotates
//! about this point, and at high speed its middle and its other end pass through the wall within the same
//! step. If the solved motion leads the middle of the smaller geom through the plane of a contact and into
//! the other geom, the middle becomes a contact with that plane, and the step is solved again. Geoms that
//! do not overlap have no such contact: the middle of a convex geom lies inside it.

use super::Scene;
use super::SceneContact;
use super::face::Face;
use super::narrow;
use crate::collision::ray::Ray;
use crate::collision::{ContactDerivative, ContactPoint, Smoothness};
use crate::error::Result;
use crate::model::topology::WORLD;
use crate::spatial::{Mat3, Twist, Vec3};

/// The plane of a contact that holds a middle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    /// Midway between the surfaces.
    pub contact: ContactPoint,
    /// The side of the middle.
    pub side: usize,
}

impl Plane {
    /// The normal on the side of the middle.
    fn normal(&self) -> Vec3 {
        match self.side {
            0 => -self.contact.normal,
            _ => self.contact.normal,
        }
    }

    fn height(&self, point: Vec3) -> f64 {
        self.normal().dot(point - self.contact.point) + 0.5 * self.contact.gap
    }
}

impl Scene {
    /// Adds the middles that pass into another geom on a motion of the links (spatial velocities about
    /// their trees' origins). Returns whether there are any.
    ///
    /// # Errors
    /// `Capacity` if there are too many contacts.
    pub fn hold_middles(&mut self, twists: &[Twist]) -> Result<bool> {
        let count = self.contacts().len();
        for i in 0..count {
            let c = &self.contacts()[i];
            let Some(share) = self.share_to_plane(c, twists) else {
                continue;
            };
            let (c, parts) = (*c, self.parts(c));
            let mut same = self.contacts().iter().filter(|o| self.parts(o) == parts);
            // A convex geom is entered through the plane that is passed last.
            let is_last = same.all(|o| {
                let later = self.share_to_plane(o, twists).filter(|x| *x > share);
                later.is_none() && !o.face.is_of_middle()
            });
            if is_last && self.enters(&c, twists) {
                self.hold_middle(i)?;
            }
        }
        Ok(self.contacts().len() > count)
    }

    /// The share of the step until a middle passes the plane of a contact; `None` if it does not.
    fn share_to_plane(&self, c: &SceneContact, twists: &[Twist]) -> Option<f64> {
        if c.press.is_some() || c.face.is_of_middle() || !self.turns_far(c, twists) {
            return None;
        }
        let plane = self.plane(c);
        let middle = self.middle(c, plane.side);
        let [own, other] =
            [plane.side, 1 - plane.side].map(|side| self.velocity_at(c.link[side], middle, twists));
        let (height, closing) = (
            plane.height(middle),
            plane.normal().dot(other - own) * self.meetings.h,
        );
        // A middle that is deeper has passed before.
        let is_above = height >= -self.sunk(c.geom);
        (is_above && closing > height.max(0.0)).then(|| height / closing)
    }

    /// Whether the bodies rotate against each other far enough for a middle to pass the plane of a contact
    /// that holds. This bound is cheap.
    fn turns_far(&self, c: &SceneContact, twists: &[Twist]) -> bool {
        let side = self.smaller_side(c);
        if narrow::parts(&self.solids[c.geom[side]]).len() > 1 {
            return true;
        }
        let spin = |link: usize| match link {
            WORLD => Vec3::ZERO,
            l => twists[l].ang,
        };
        let turn = (spin(c.link[1]) - spin(c.link[0])) * self.meetings.h;
        let arm = self.middles[c.geom[side]] - c.point.point;
        let above = (arm.dot(c.point.normal).abs() - c.point.gap.abs()).max(0.0);
        turn.norm_squared() * arm.norm_squared() > above * above
    }

    /// The side of the smaller geom; a height field counts as large.
    fn smaller_side(&self, c: &SceneContact) -> usize {
        let [a, b] = c.geom.map(|g| match self.solids[g].is_terrain() {
            true => f64::INFINITY,
            false => self.geoms[g].radius,
        });
        usize::from(b <= a)
    }

    /// The plane of a contact, with the middle of the smaller geom.
    fn plane(&self, c: &SceneContact) -> Plane {
        Plane {
            contact: c.face.lift(c.point),
            side: self.smaller_side(c),
        }
    }

    /// The middle of the part on one side of a contact, in the geom's frame.
    fn own_middle(&self, c: &SceneContact, side: usize) -> Vec3 {
        let parts = narrow::parts(&self.solids[c.geom[side]]);
        parts
            .get(c.part[side] as usize)
            .map_or(Vec3::ZERO, |p| p.centre())
    }

    fn middle(&self, c: &SceneContact, side: usize) -> Vec3 {
        self.poses[c.geom[side]].point(self.own_middle(c, side))
    }

    /// Velocity of a link's material at a point.
    fn velocity_at(&self, link: usize, point: Vec3, twists: &[Twist]) -> Vec3 {
        match link {
            WORLD => Vec3::ZERO,
            l => twists[l].at(self.arms[l] + (point - self.centers[l])),
        }
    }

    /// Whether the middle enters the other geom on its way.
    fn enters(&self, c: &SceneContact, twists: &[Twist]) -> bool {
        let plane = self.plane(c);
        let side = plane.side;
        let (own, other) = (c.geom[side], c.geom[1 - side]);
        // A middle on the plane, or behind it where geoms overlap, has not entered.
        let middle = self.middle(c, side);
        let before = self.touching(c.geom) - plane.height(middle).min(0.0);
        let from = self.poses[other].inverse_point(middle + plane.normal() * before);
        let [own, other_end] = [own, other].map(|g| self.moved(g, (twists, 1.0)));
        let to = other_end.inverse_point(own.point(self.own_middle(c, side)));
        let reach = (to - from).norm();
        let Some(direction) = (to - from).normalized() else {
            return false;
        };
        let ray = Ray {
            origin: from,
            direction,
        };
        let first = self.solids[other].first_crossing(&ray, reach);
        first.is_some_and(|x| x.at <= reach && x.normal.dot(direction) < 0.0)
    }

    /// Makes a contact of the middle and the plane of a contact, given by its index.
    fn hold_middle(&mut self, contact: usize) -> Result<()> {
        let c = self.contacts()[contact];
        let plane = self.plane(&c);
        let middle = self.middle(&c, plane.side);
        let gap = plane.height(middle);
        self.found.add(SceneContact {
            point: ContactPoint {
                point: middle - plane.normal() * (0.5 * gap),
                normal: c.point.normal,
                gap,
                feature: !c.point.feature,
            },
            face: Face::OfMiddle(contact as u32),
            ..c
        })
    }

    /// The plane that holds a middle, for the contact of a middle.
    pub(super) fn plane_of(&self, c: &SceneContact) -> Option<Plane> {
        match c.face {
            Face::OfMiddle(index) => (self.contacts().get(index as usize)).map(|c| self.plane(c)),
            _ => None,
        }
    }

    /// The derivative of the contact of a middle.
    pub(super) fn differentiate_middle(
        &mut self,
        c: &SceneContact,
        plane: &Plane,
        out: &mut ContactDerivative,
    ) -> Smoothness {
        let [a, b] = c.geom;
        let Ok([sa, sb]) = self.solids.get_disjoint_mut([a, b]) else {
            return Smoothness::Degenerate;
        };
        let (pa, pb) = (&self.poses[a], &self.poses[b]);
        let (near, mut d) = (plane.contact, ContactDerivative::default());
        let smoothness = narrow::differentiate(sa, pa, sb, pb, &near, c.part, &mut d);
        let n = plane.normal();
        if plane.side == 0 {
            d = d.swapped(near.normal);
        }
        let middle = c.point.point + n * (0.5 * c.point.gap);
        let surface = near.point - n * (0.5 * near.gap);
        for k in 0..6 {
            let (part, e) = (k / 3, Vec3::unit(k % 3));
            // Twist of the middle's body, at the new contact and at the plane's.
            let (lin, ang) = match part {
                0 => (e, Vec3::ZERO),
                _ => (Vec3::ZERO, e),
            };
            let there = lin + ang.cross(near.point - c.point.point);
            let of = |m: &[Mat3; 2]| m[0].mul_vec(there) + m[1].mul_vec(ang);
            let (dp, dn) = (of(&d.point), of(&d.normal));
            let dg = d.gap[0].dot(there) + d.gap[1].dot(ang);
            let on_plane = dp - (dn * near.gap + n * dg) * 0.5;
            let moved = lin + ang.cross(middle - c.point.point);
            let gap = dn.dot(middle - surface) + n.dot(moved - on_plane);
            out.gap[part][k % 3] = gap;
            out.normal[part].c[k % 3] = dn;
            out.point[part].c[k % 3] = moved - (dn * c.point.gap + n * gap) * 0.5;
        }
        if plane.side == 0 {
            *out = out.swapped(n);
        }
        match d.normal[0] == Mat3::ZERO {
            true => smoothness,
            // The plane would turn with the sizes of the middle's geom, which this leaves out.
            false => Smoothness::Degenerate,
        }
    }
}
