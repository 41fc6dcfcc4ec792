//! The sizes of a geometry's shape as numbers.

use super::spec::ShapeSpec;
use crate::spatial::Vec3;

impl ShapeSpec {
    /// Plane: half extents; sphere: radius; capsule and cylinder: radius, half length; ellipsoid:
    /// semi-axes; box: half extents; height field: half extents and depth below; mesh: none [m]. Unused
    /// entries are zero.
    pub fn sizes(&self) -> [f64; 3] {
        match self {
            ShapeSpec::Plane {
                half_extents: [x, y],
            } => [*x, *y, 0.0],
            ShapeSpec::Sphere { radius } => [*radius, 0.0, 0.0],
            ShapeSpec::Capsule {
                radius,
                half_length,
            }
            | ShapeSpec::Cylinder {
                radius,
                half_length,
            } => [*radius, *half_length, 0.0],
            ShapeSpec::Ellipsoid { semi_axes } => semi_axes.to_array(),
            ShapeSpec::Box { half_extents } => half_extents.to_array(),
            ShapeSpec::Mesh { .. } => [0.0; 3],
            ShapeSpec::HeightField(f) => [f.half_extents[0], f.half_extents[1], f.base],
        }
    }

    /// Number of its sizes that a simulation may change. Zero for a plane, which collides without edges,
    /// for a mesh and for a height field.
    pub fn variable_sizes(&self) -> usize {
        match self {
            ShapeSpec::Sphere { .. } => 1,
            ShapeSpec::Capsule { .. } | ShapeSpec::Cylinder { .. } => 2,
            ShapeSpec::Ellipsoid { .. } | ShapeSpec::Box { .. } => 3,
            ShapeSpec::Plane { .. } | ShapeSpec::Mesh { .. } | ShapeSpec::HeightField(_) => 0,
        }
    }

    /// The shape with other sizes. Shapes without variable sizes stay the same.
    pub fn resized(&self, sizes: [f64; 3]) -> ShapeSpec {
        let [radius, half_length, _] = sizes;
        match self {
            ShapeSpec::Sphere { .. } => ShapeSpec::Sphere { radius },
            ShapeSpec::Capsule { .. } => ShapeSpec::Capsule {
                radius,
                half_length,
            },
            ShapeSpec::Cylinder { .. } => ShapeSpec::Cylinder {
                radius,
                half_length,
            },
            ShapeSpec::Ellipsoid { .. } => ShapeSpec::Ellipsoid {
                semi_axes: Vec3::from_slice(&sizes),
            },
            ShapeSpec::Box { .. } => ShapeSpec::Box {
                half_extents: Vec3::from_slice(&sizes),
            },
            ShapeSpec::Plane { .. } | ShapeSpec::Mesh { .. } | ShapeSpec::HeightField(_) => {
                self.clone()
            }
        }
    }
}
