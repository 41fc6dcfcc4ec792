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

    /// Derivative by a size of a point in the shape that stretches with it. Each half of a capsule moves with
    /// its end; all else is scaled along the axes. Such a point is linear in the sizes.
    pub fn stretch(&self, component: usize, at: Vec3) -> Vec3 {
        let along = |k: usize, size: f64| Vec3::unit(k) * (at[k] / size);
        match *self {
            ShapeSpec::Sphere { radius } if component == 0 => at * (1.0 / radius),
            ShapeSpec::Capsule {
                radius,
                half_length,
            } if component < 2 => {
                let end = Vec3::Z * at.z.signum();
                match component {
                    0 => (at - end * half_length) * (1.0 / radius),
                    _ => end,
                }
            }
            ShapeSpec::Cylinder { radius, .. } if component == 0 => {
                Vec3::new(at.x, at.y, 0.0) * (1.0 / radius)
            }
            ShapeSpec::Cylinder { half_length, .. } if component == 1 => along(2, half_length),
            ShapeSpec::Ellipsoid { semi_axes } => along(component, semi_axes[component]),
            ShapeSpec::Box { half_extents } => along(component, half_extents[component]),
            _ => Vec3::ZERO,
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
