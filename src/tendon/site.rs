//! The motion of a site: the transmission of an actuator.
//!
//! Without a reference the length is zero. The moment is that of the wrench `gear` along the axes of the
//! site. With a reference, d is the vector from the reference to the site and w is the rotation vector of
//! the site, both along the axes of the reference. Then l = gear · (d, w). The moment is that of the wrench
//! `gear` along the axes of the reference, at the site, and of the opposite wrench at the reference. This is
//! MuJoCo's convention: the moment is not ∂l/∂q if the reference turns or the rotation is large.

use super::displacement::Moved;
use super::station::Station;
use super::support::{FIXED, Span, Support};
use crate::dynamics::kinematics::Kinematics;
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::{Mat3, Vec3, Wrench, so3_log, so3_log_jacobian};
use std::f64::consts::PI;

/// A site at the last state.
#[derive(Clone, Debug)]
struct Seat {
    station: Station,
    /// Axes in the frame of the link, or in that of the world without a link, and in the world.
    in_link: Mat3,
    axes: Mat3,
}

impl Seat {
    fn new(model: &Model, site: usize) -> Self {
        let s = &model.sites()[site];
        let in_link = model.bodies()[s.body].in_link.rot;
        Seat {
            station: Station::new(model, (s.body, s.placement.pos)),
            in_link: in_link.mul_mat(&s.placement.rot),
            axes: Mat3::IDENTITY,
        }
    }

    fn update(&mut self, kin: &Kinematics) {
        self.station.update(kin);
        self.axes = match self.station.link() {
            WORLD => self.in_link,
            link => kin.rot[link].mul_mat(&self.in_link),
        };
    }

    /// All links above the site in the support. A support of two sites ends below their common ancestor.
    fn span(&self) -> Span {
        Span {
            from: self.station.place,
            until: FIXED,
        }
    }
}

#[derive(Clone, Debug)]
pub struct SiteMotion {
    site: Seat,
    reference: Option<Seat>,
    /// Force and torque per unit of the actuator's force, along the axes of the reference or the site.
    gear: Wrench,
    /// The same along the axes of the world.
    push: Wrench,
    /// With a reference: d along the axes of the world, and ∂l/∂θ for a rotation θ of the site.
    arm: Vec3,
    turn: Vec3,
}

impl SiteMotion {
    pub fn new(model: &Model, site: usize, reference: Option<usize>, gear: [f64; 6]) -> Self {
        SiteMotion {
            site: Seat::new(model, site),
            reference: reference.map(|site| Seat::new(model, site)),
            gear: Wrench::from_slice(&gear),
            push: Wrench::ZERO,
            arm: Vec3::ZERO,
            turn: Vec3::ZERO,
        }
    }

    fn seats(&self) -> impl Iterator<Item = &Seat> {
        std::iter::once(&self.site).chain(&self.reference)
    }

    pub fn links(&self) -> Vec<usize> {
        self.seats().map(|s| s.station.link()).collect()
    }

    pub fn has_reference(&self) -> bool {
        self.reference.is_some()
    }

    pub fn seat(&mut self, support: &Support) {
        self.site.station.seat(support);
        if let Some(reference) = &mut self.reference {
            reference.station.seat(support);
        }
    }

    /// Returns the length and the distance to the nearest jump of its slopes.
    pub fn update(&mut self, kin: &Kinematics) -> (f64, f64) {
        self.site.update(kin);
        let Some(reference) = &mut self.reference else {
            let axes = &self.site.axes;
            self.push = Wrench::new(axes.mul_vec(self.gear.lin), axes.mul_vec(self.gear.ang));
            return (0.0, f64::INFINITY);
        };
        reference.update(kin);
        let axes = &reference.axes;
        self.push = Wrench::new(axes.mul_vec(self.gear.lin), axes.mul_vec(self.gear.ang));
        self.arm = Station::between(&reference.station, &self.site.station);
        let mut length = self.push.lin.dot(self.arm);
        if self.gear.ang == Vec3::ZERO {
            self.turn = Vec3::ZERO;
            return (length, f64::INFINITY);
        }
        let w = so3_log(&axes.transpose().mul_mat(&self.site.axes));
        length += self.gear.ang.dot(w);
        let by_turn = so3_log_jacobian(w).transpose().mul_vec(self.gear.ang);
        self.turn = self.site.axes.mul_vec(by_turn);
        (length, PI - w.norm())
    }

    /// Visits the wrenches of a unit of force on links, about their trees' origins.
    pub fn for_wrenches(&self, mut visit: impl FnMut(Span, Wrench)) {
        for (seat, sign) in self.seats().zip([1.0, -1.0]) {
            let moment = self.push.ang + seat.station.rel.cross(self.push.lin);
            visit(seat.span(), Wrench::new(self.push.lin, moment) * sign);
        }
    }

    /// Visits the same for the gradient of the length.
    pub fn for_gradient(&self, mut visit: impl FnMut(&Station, Span, Wrench)) {
        let Some(reference) = &self.reference else {
            return;
        };
        let force = self.push.lin;
        let at = |seat: &Seat| Wrench::new(force, seat.station.rel.cross(force) + self.turn);
        let turned = Wrench::new(Vec3::ZERO, force.cross(self.arm));
        visit(&self.site.station, self.site.span(), at(&self.site));
        let opposite = turned - at(reference);
        visit(&reference.station, reference.span(), opposite);
    }

    /// Visits the changes of the wrenches when sites move.
    pub fn for_changes(&self, m: &Moved, mut visit: impl FnMut(Span, Wrench)) {
        let carrier = self.reference.as_ref().unwrap_or(&self.site);
        let turn = m.carried(&carrier.station).map(|xi| xi.ang);
        let turn = turn.unwrap_or(Vec3::ZERO);
        let change = Wrench::new(turn.cross(self.push.lin), turn.cross(self.push.ang));
        for (seat, sign) in self.seats().zip([1.0, -1.0]) {
            let at = seat.station.rel;
            let moved = m.carried(&seat.station).map(|xi| xi.at(at));
            let moved = moved.unwrap_or(Vec3::ZERO);
            let moment = change.ang + at.cross(change.lin) + moved.cross(self.push.lin);
            visit(seat.span(), Wrench::new(change.lin, moment) * sign);
        }
    }
}
