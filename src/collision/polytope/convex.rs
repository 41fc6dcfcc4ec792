//! Convex shapes in the form that the narrow phase needs.

use super::hull::Hull;
use crate::error::{Error, Result};
use crate::model::mesh::TriMesh;
use crate::spatial::Vec3;

/// Sides of the prism that represents a cylinder whose cap lies on a face.
const PRISM_SIDES: usize = 16;

/// A convex shape in its geom's frame; built once at load.
#[derive(Clone, Debug)]
pub struct Convex {
    pub(super) kind: Kind,
    /// The polytope itself, the core of a rounded shape, or the prism inside a cylinder.
    pub(super) hull: Hull,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// All points within `radius` of the hull (0: the hull).
    Hull {
        radius: f64,
    },
    Cylinder {
        radius: f64,
        half_length: f64,
        /// The segment along the axis.
        axis: Box<Hull>,
    },
    Ellipsoid {
        semi_axes: Vec3,
    },
}

impl Convex {
    /// See [`Hull::cuboid`].
    pub fn cuboid(half_extents: Vec3) -> Result<Convex> {
        Ok(Hull::cuboid(half_extents)?.into())
    }

    /// See [`Hull::from_mesh`].
    pub fn from_mesh(mesh: &TriMesh) -> Result<Convex> {
        Ok(Hull::from_mesh(mesh)?.into())
    }

    /// A ball about the origin.
    pub fn sphere(radius: f64) -> Result<Convex> {
        positive("sphere", &[radius])?;
        Ok(Convex {
            kind: Kind::Hull { radius },
            hull: Hull::core(&[Vec3::ZERO]),
        })
    }

    /// The segment along z from −`half_length` to `half_length`, thickened.
    pub fn capsule(radius: f64, half_length: f64) -> Result<Convex> {
        positive("capsule", &[radius, half_length])?;
        Ok(Convex {
            kind: Kind::Hull { radius },
            hull: Hull::core(&[Vec3::Z * -half_length, Vec3::Z * half_length]),
        })
    }

    /// A cylinder about z.
    pub fn cylinder(radius: f64, half_length: f64) -> Result<Convex> {
        positive("cylinder", &[radius, half_length])?;
        let rim: Vec<Vec3> = (0..2 * PRISM_SIDES)
            .map(|i| {
                let angle = std::f64::consts::TAU * (i / 2) as f64 / PRISM_SIDES as f64;
                let z = if i % 2 == 1 {
                    half_length
                } else {
                    -half_length
                };
                Vec3::new(radius * angle.cos(), radius * angle.sin(), z)
            })
            .collect();
        Ok(Convex {
            kind: Kind::Cylinder {
                radius,
                half_length,
                axis: Box::new(Hull::core(&[Vec3::Z * -half_length, Vec3::Z * half_length])),
            },
            hull: prism(rim)?,
        })
    }

    /// An ellipsoid about and along the axes.
    pub fn ellipsoid(semi_axes: Vec3) -> Result<Convex> {
        positive("ellipsoid", &semi_axes.to_array())?;
        Ok(Convex {
            kind: Kind::Ellipsoid { semi_axes },
            hull: Hull::core(&[Vec3::ZERO]),
        })
    }

    /// The polytope, for a box or a mesh.
    pub fn hull(&self) -> Option<&Hull> {
        match self.kind {
            Kind::Hull { .. } if self.hull.is_solid() => Some(&self.hull),
            _ => None,
        }
    }

    /// Radius of a ball about [`Convex::centre`] that holds the shape [m].
    pub fn size(&self) -> f64 {
        match self.kind {
            Kind::Hull { radius } => self.hull.size() + radius,
            // The corners of the prism lie on both rims.
            Kind::Cylinder { .. } => self.hull.size(),
            Kind::Ellipsoid { semi_axes } => semi_axes.max_abs(),
        }
    }

    /// Lower and upper corner of the shape's box in its own frame [m].
    pub fn aabb(&self) -> [Vec3; 2] {
        let rounded = |hull: &Hull, radius: f64| {
            let (mut low, mut high) = (hull.vertex(0), hull.vertex(0));
            for v in hull.vertices() {
                for k in 0..3 {
                    (low[k], high[k]) = (low[k].min(v[k]), high[k].max(v[k]));
                }
            }
            let shell = Vec3::new(radius, radius, radius);
            [low - shell, high + shell]
        };
        match self.kind {
            Kind::Hull { radius } => rounded(&self.hull, radius),
            Kind::Cylinder {
                radius,
                half_length,
                ..
            } => {
                let half = Vec3::new(radius, radius, half_length);
                [-half, half]
            }
            Kind::Ellipsoid { semi_axes } => [-semi_axes, semi_axes],
        }
    }

    /// A point inside.
    pub fn centre(&self) -> Vec3 {
        self.hull.centre()
    }

    /// The point farthest along a unit direction.
    pub fn extreme(&self, direction: Vec3) -> Vec3 {
        support(self, direction, None).0 + direction * self.radius()
    }

    /// Thickness of the shell around the hull with which contacts are found [m].
    pub(super) fn radius(&self) -> f64 {
        match self.kind {
            Kind::Hull { radius } => radius,
            _ => 0.0,
        }
    }

    pub(super) fn is_curved(&self) -> bool {
        !matches!(self.kind, Kind::Hull { .. })
    }
}

impl From<Hull> for Convex {
    fn from(hull: Hull) -> Convex {
        Convex {
            kind: Kind::Hull { radius: 0.0 },
            hull,
        }
    }
}

/// Support point along `dir` (body frame, not zero), and its feature number for
/// [`Vertex`](super::gjk::Vertex).
pub(super) fn support(c: &Convex, dir: Vec3, near: Option<u16>) -> (Vec3, u16) {
    match c.kind {
        Kind::Hull { .. } => {
            let i = match near {
                Some(v) => c.hull.support_from(dir, v),
                None => c.hull.support(dir),
            };
            (c.hull.vertex(i), i)
        }
        Kind::Cylinder {
            radius,
            half_length,
            ..
        } => {
            let upper = dir.z > 0.0;
            let out = Vec3::new(dir.x, dir.y, 0.0).normalized().unwrap_or(Vec3::X);
            let z = if upper { half_length } else { -half_length };
            (out * radius + Vec3::Z * z, upper.into())
        }
        Kind::Ellipsoid { semi_axes } => {
            let e = semi_axes.scale(dir);
            (semi_axes.scale(e) * (1.0 / e.norm()), 0)
        }
    }
}

fn positive(what: &str, lengths: &[f64]) -> Result<()> {
    if lengths.iter().all(|x| x.is_finite() && *x > 0.0) {
        Ok(())
    } else {
        Err(Error::invalid(format!(
            "a {what} needs positive finite lengths, got {lengths:?}"
        )))
    }
}

/// Vertices 2i below vertices 2i + 1, counter-clockwise seen from above. Faces: the sides, the
/// lower cap, the upper cap.
fn prism(vertices: Vec<Vec3>) -> Result<Hull> {
    let n = (vertices.len() / 2) as u16;
    let mut polygons: Vec<Vec<u16>> = (0..n)
        .map(|i| {
            let j = (i + 1) % n;
            vec![2 * i, 2 * j, 2 * j + 1, 2 * i + 1]
        })
        .collect();
    polygons.push((0..n).rev().map(|i| 2 * i).collect());
    polygons.push((0..n).map(|i| 2 * i + 1).collect());
    Hull::from_polygons(vertices, &polygons)
}
