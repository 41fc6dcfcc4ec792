//! Displacements of paths by parameters, at fixed coordinates.

use super::station::Station;
use crate::dynamics::kinematics::Kinematics;
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::tendon::TendonPath;
use crate::model::topology::WORLD;
use crate::spatial::{Twist, Vec3};
use std::ops::Range;

/// A displacement.
#[derive(Clone, Copy, Debug)]
pub enum Displacement {
    /// A link moves by ξ about its tree's origin with all its descendants: the effect of a displaced joint.
    Carried { link: usize, xi: Twist },
    /// A point of a tendon's path moves relative to its body, along the axes of the world.
    Point {
        tendon: usize,
        point: usize,
        by: Vec3,
    },
    /// An end of a spring moves likewise.
    End { spring: usize, end: usize, by: Vec3 },
}

impl Displacement {
    /// The displacement by a unit of a parameter; `None` if it moves no path.
    pub fn of(model: &Model, params: &Params, kin: &Kinematics, p: &Param) -> Option<Displacement> {
        let index = p.index as usize;
        if p.kind.displaces() {
            let moved = kin.displaced(model, params, p);
            let (link, xi) = (moved.link, moved.by.xi);
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

/// A displacement of one length.
#[derive(Clone, Debug)]
pub enum Moved {
    /// The links in a range of the support move by ξ.
    Carried(Range<usize>, Twist),
    /// A point of the path moves.
    Point(usize, Vec3),
}

impl Moved {
    /// Displacement of a station that is this point of the path.
    pub fn end(&self, station: &Station, point: usize) -> Option<Vec3> {
        match self {
            Moved::Carried(..) => self.carried(station).map(|xi| xi.at(station.rel)),
            Moved::Point(i, by) => (*i == point).then_some(*by),
        }
    }

    /// Motion of the link of a station.
    pub fn carried(&self, station: &Station) -> Option<Twist> {
        match self {
            Moved::Carried(range, xi) => range.contains(&station.place).then_some(*xi),
            Moved::Point(..) => None,
        }
    }
}
