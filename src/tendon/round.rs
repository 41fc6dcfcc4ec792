//! A solid around which a leg of a path may bend, on its link.

use super::station::Station;
use super::support::{FIXED, Support};
use crate::dynamics::kinematics::Kinematics;
use crate::model::Model;
use crate::model::tendon::WrapSpec;
use crate::model::topology::WORLD;
use crate::spatial::wrap::{Side, Solid, Wrap};
use crate::spatial::{Mat3, Vec3};

/// The side on which the path passes.
#[derive(Clone, Debug)]
enum Guide {
    /// A constant side, in the frame of the solid's link.
    Fixed(Side),
    /// The side of a point on another link.
    Point(Station),
}

/// A solid, and the path around it if it bends.
#[derive(Clone, Debug)]
pub struct Round {
    pub centre: Station,
    /// The solid in the frame of its link.
    solid: Solid,
    radius: f64,
    guide: Guide,
    /// The ends of the leg relative to the centre.
    pub from_centre: [Vec3; 2],
    /// Common ancestors of each end and the solid.
    pub meet: [usize; 2],
    /// `None`: the leg is straight.
    pub wrap: Option<Wrap>,
}

impl Round {
    pub fn new(model: &Model, spec: &WrapSpec) -> Self {
        let centre = Station::new(model, (spec.body, spec.placement.pos));
        let guide = match spec.side.map(|side| Station::new(model, side)) {
            None => Guide::Fixed(Side::Any),
            Some(side) if side.link() == centre.link() => {
                Guide::Fixed(Side::of(Some(side.at - centre.at), spec.radius))
            }
            Some(side) => Guide::Point(side),
        };
        Round {
            centre,
            solid: spec.solid().turned(&model.bodies()[spec.body].in_link.rot),
            radius: spec.radius,
            guide,
            from_centre: [Vec3::ZERO; 2],
            meet: [FIXED; 2],
            wrap: None,
        }
    }

    pub fn seat(&mut self, support: &Support, ends: [usize; 2]) {
        self.centre.seat(support);
        self.meet = ends.map(|end| support.meet(end, self.centre.place));
    }

    /// Updates the ends. Returns the distance of the path from the nearest switch: where it begins or ceases
    /// to bend, or changes its side.
    pub fn update(&mut self, kin: &Kinematics, ends: &[Station; 2]) -> f64 {
        self.centre.update(kin);
        let turn = match self.centre.link() {
            WORLD => Mat3::IDENTITY,
            link => kin.rot[link],
        };
        let mut margin = f64::INFINITY;
        let side = match &mut self.guide {
            Guide::Fixed(side) => side.turned(&turn),
            Guide::Point(point) => {
                point.update(kin);
                let at = Station::between(&self.centre, point);
                margin = (at.norm() - self.radius).abs();
                Side::of(Some(at), self.radius)
            }
        };
        self.from_centre = [0, 1].map(|k| Station::between(&self.centre, &ends[k]));
        let solid = self.solid.turned(&turn);
        let (wrap, way) = Wrap::new(solid, self.radius, side, self.from_centre);
        self.wrap = wrap;
        margin.min(way)
    }
}
