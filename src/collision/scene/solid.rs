//! A geom compiled for the narrow phase.

use super::hierarchy::{Aabb, around};
use crate::collision::Shape;
use crate::collision::polytope::{self, Convex, Terrain};
use crate::error::{Error, Result};
use crate::model::spec::{GeomSpec, ShapeSpec};
use crate::spatial::Vec3;
use std::sync::Arc;

/// Clones share all tables, except for a height field, which holds the buffers of its queries.
#[derive(Clone, Debug)]
pub(super) enum Solid {
    /// A shape with a formula; for all but a plane also the convex shape for contacts with hulls.
    Primitive {
        shape: Shape,
        convex: Option<Arc<Convex>>,
    },
    /// A mesh: its hull, or the convex pieces whose union it is.
    Pieces(Arc<[Convex]>),
    Terrain(Box<Terrain>),
}

impl Solid {
    /// # Errors
    /// The errors of the parts' constructors, with the geom's name.
    pub fn new(g: &GeomSpec) -> Result<Solid> {
        Solid::compile(&g.shape).map_err(|e| Error {
            message: format!("geom {}: {}", g.described(), e.message),
            ..e
        })
    }

    /// [`Solid::new`] for a geom without a name.
    pub fn compile(shape: &ShapeSpec) -> Result<Solid> {
        let primitive = |shape, convex| {
            Ok(Solid::Primitive {
                shape,
                convex: Some(Arc::new(convex)),
            })
        };
        match *shape {
            ShapeSpec::Plane { .. } => Ok(Solid::Primitive {
                shape: Shape::Plane,
                convex: None,
            }),
            ShapeSpec::Sphere { radius } => {
                primitive(Shape::Sphere { radius }, Convex::sphere(radius)?)
            }
            ShapeSpec::Capsule {
                radius,
                half_length,
            } => primitive(
                Shape::Capsule {
                    radius,
                    half_length,
                },
                Convex::capsule(radius, half_length)?,
            ),
            ShapeSpec::Cylinder {
                radius,
                half_length,
            } => primitive(
                Shape::Cylinder {
                    radius,
                    half_length,
                },
                Convex::cylinder(radius, half_length)?,
            ),
            ShapeSpec::Ellipsoid { semi_axes } => primitive(
                Shape::Ellipsoid { semi_axes },
                Convex::ellipsoid(semi_axes)?,
            ),
            ShapeSpec::Box { half_extents } => {
                primitive(Shape::Box { half_extents }, Convex::cuboid(half_extents)?)
            }
            ShapeSpec::Mesh {
                ref mesh,
                mode,
                open,
            } => Ok(Solid::Pieces(polytope::shapes(mesh, mode, open)?.into())),
            ShapeSpec::HeightField(ref field) => Ok(Solid::Terrain(Box::new(Terrain::new(field)?))),
        }
    }

    /// A solid that touches nothing.
    pub fn nothing() -> Solid {
        Solid::Pieces(Arc::new([]))
    }

    pub fn is_nothing(&self) -> bool {
        matches!(self, Solid::Pieces(p) if p.is_empty())
    }

    pub fn is_plane(&self) -> bool {
        matches!(
            self,
            Solid::Primitive {
                shape: Shape::Plane,
                ..
            }
        )
    }

    pub fn is_terrain(&self) -> bool {
        matches!(self, Solid::Terrain(_))
    }

    /// Centre and radius of a ball that holds the solid, in its frame [m]; infinite for a plane.
    pub fn bound(&self, spec: &ShapeSpec) -> (Vec3, f64) {
        match (self, spec) {
            (Solid::Primitive { shape, .. }, _) => (Vec3::ZERO, shape.bounding_radius()),
            (Solid::Pieces(pieces), _) => {
                let count = pieces.len().max(1) as f64;
                let sum = pieces.iter().fold(Vec3::ZERO, |s, p| s + p.centre());
                let centre = sum * (1.0 / count);
                let radius = pieces.iter().fold(0.0, |r: f64, p| {
                    r.max((p.centre() - centre).norm() + p.size())
                });
                (centre, radius)
            }
            (Solid::Terrain(t), ShapeSpec::HeightField(f)) => {
                let (low, high) = (-f.base, t.highest());
                let half = Vec3::new(f.half_extents[0], f.half_extents[1], 0.5 * (high - low));
                (Vec3::Z * (0.5 * (high + low)), half.norm())
            }
            (Solid::Terrain(_), _) => (Vec3::ZERO, f64::INFINITY),
        }
    }

    /// Lower and upper corner of a box that holds the solid, in its frame [m]; infinite for a plane.
    pub fn aabb(&self, spec: &ShapeSpec) -> Aabb {
        match (self, spec) {
            (Solid::Primitive { shape, .. }, _) => shape.local_aabb(),
            (Solid::Pieces(pieces), _) => {
                let boxes = pieces.iter().map(Convex::aabb);
                boxes.reduce(around).unwrap_or([Vec3::ZERO; 2])
            }
            (Solid::Terrain(t), ShapeSpec::HeightField(f)) => {
                let [x, y] = f.half_extents;
                [Vec3::new(-x, -y, -f.base), Vec3::new(x, y, t.highest())]
            }
            (Solid::Terrain(_), _) => Shape::Plane.local_aabb(),
        }
    }
}
