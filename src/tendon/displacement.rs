//! What a parameter moves of paths while coordinates stay.

use super::station::Station;
use crate::dynamics::kinematics::Kinematics;
use crate::model::Model;
use crate::model::cord::TendonPath;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::topology::WORLD;
use crate::spatial::{Twist, Vec3};
use std::ops::Range;

/// What moves.
#[derive(Clone, Copy, Debug)]
pub enum Displacement {
    /// A link moves by ξ about its tree's origin with all that it carries: what a displaced joint does.
    Carried { link: usize, xi: Twist },
    /// A point of the path of a tendon moves against its body, along the axes of the world.
    Point {
        tendon: usize,
        point: usize,
        by: Vec3,
    },
    /// So does an end of a spring.
    End { spring: usize, end: usize, by: Vec3 },
}

impl Displacement {
    /// That by a unit of a parameter; none where it moves no path.
    pub fn of(model: &Model, params: &Params, kin: &Kinematics, p: &Param) -> Option<Displacement> {
        let index = p.index as usize;
        if p.kind == ParamKind::JointPlacement {
            let xi = kin.placement_twist(model, params, [index, p.component as usize]);
            let link = model.joint(index).first_link;
            return Some(Displacement::Carried { link, xi });
        }
        let (point, axis) = p.anchor()?;
        let body = match p.kind {
            ParamKind::Spring => {
                let s = &model.springs()[index];
                [s.body1, s.body2][point]
            }
            _ => match &model.tendons()[index].path {
                TendonPath::Spatial(path) => path[point].body()?,
                TendonPath::Fixed(_) => return None,
            },
        };
        let b = &model.bodies()[body];
        let in_link = b.in_link.rot.c[axis];
        let by = match b.link {
            WORLD => in_link,
            link => kin.rot[link].mul_vec(in_link),
        };
        Some(match p.kind {
            ParamKind::Spring => Displacement::End {
                spring: index,
                end: point,
                by,
            },
            _ => Displacement::Point {
                tendon: index,
                point,
                by,
            },
        })
    }
}

/// What moves of one length.
#[derive(Clone, Debug)]
pub enum Moved {
    /// The links in a range of places, by ξ.
    Carried(Range<usize>, Twist),
    /// A point of the path.
    Point(usize, Vec3),
}

impl Moved {
    /// Where a station moves that is a point of the path.
    pub fn end(&self, station: &Station, point: usize) -> Option<Vec3> {
        match self {
            Moved::Carried(..) => self.carried(station).map(|xi| xi.at(station.rel)),
            Moved::Point(i, by) => (*i == point).then_some(*by),
        }
    }

    /// How the link moves that carries a station.
    pub fn carried(&self, station: &Station) -> Option<Twist> {
        match self {
            Moved::Carried(range, xi) => range.contains(&station.place).then_some(*xi),
            Moved::Point(..) => None,
        }
    }
}
