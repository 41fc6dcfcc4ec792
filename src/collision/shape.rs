//! The primitive shapes of geoms, with their bounds.

use crate::spatial::{Mat3, Pose, Vec3};

/// A convex solid in its own frame, lengths in metres.
///
/// Every size is positive and finite: the loader has checked it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// The half space z ≤ 0.
    Plane,
    /// Centred at the origin.
    Sphere { radius: f64 },
    /// All points within `radius` of the segment from −`half_length` to `half_length` on z.
    Capsule { radius: f64, half_length: f64 },
    /// Axis z, flat ends at z = ±`half_length`.
    Cylinder { radius: f64, half_length: f64 },
    /// Σ (xᵢ/aᵢ)² ≤ 1.
    Ellipsoid { semi_axes: Vec3 },
    /// |xᵢ| ≤ hᵢ.
    Box { half_extents: Vec3 },
}

impl Shape {
    /// Radius of the sphere about the frame's origin that holds the shape; infinite for a plane.
    #[inline]
    pub fn bounding_radius(&self) -> f64 {
        match *self {
            Shape::Plane => f64::INFINITY,
            Shape::Sphere { radius } => radius,
            Shape::Capsule {
                radius,
                half_length,
            } => radius + half_length,
            Shape::Cylinder {
                radius,
                half_length,
            } => radius.hypot(half_length),
            Shape::Ellipsoid { semi_axes } => semi_axes.max_abs(),
            Shape::Box { half_extents } => half_extents.norm(),
        }
    }

    /// Half sizes, along the axes of `rot`'s target frame, of the smallest box about the frame's origin
    /// that holds the shape rotated by `rot`; infinite for a plane.
    #[inline]
    pub fn half_sizes(&self, rot: &Mat3) -> Vec3 {
        let axis = rot.c[2];
        match *self {
            Shape::Plane => Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
            Shape::Sphere { radius } => Vec3::new(radius, radius, radius),
            Shape::Capsule {
                radius,
                half_length,
            } => axis.abs() * half_length + Vec3::new(radius, radius, radius),
            Shape::Cylinder {
                radius,
                half_length,
            } => {
                let across = |c: f64| radius * (1.0 - c * c).max(0.0).sqrt();
                axis.abs() * half_length + Vec3::new(across(axis.x), across(axis.y), across(axis.z))
            }
            Shape::Ellipsoid { semi_axes } => {
                let rows = rot.transpose();
                let extent = |k: usize| rows.c[k].scale(semi_axes).norm();
                Vec3::new(extent(0), extent(1), extent(2))
            }
            Shape::Box { half_extents: h } => {
                rot.c[0].abs() * h.x + rot.c[1].abs() * h.y + rot.c[2].abs() * h.z
            }
        }
    }

    /// Lower and upper corner of the shape's box in its own frame.
    #[inline]
    pub fn local_aabb(&self) -> [Vec3; 2] {
        let h = match self {
            Shape::Plane => {
                let (l, u) = (f64::NEG_INFINITY, f64::INFINITY);
                return [Vec3::new(l, l, l), Vec3::new(u, u, 0.0)];
            }
            solid => solid.half_sizes(&Mat3::IDENTITY),
        };
        [-h, h]
    }

    /// Lower and upper corner of the box along the world's axes that holds the shape at `pose`. A plane
    /// fills the world, or half of it if its normal is exactly a world axis.
    #[inline]
    pub fn aabb(&self, pose: &Pose) -> [Vec3; 2] {
        let h = self.half_sizes(&pose.rot);
        let mut bounds = [pose.pos - h, pose.pos + h];
        if *self == Shape::Plane {
            let n = pose.rot.c[2];
            for k in 0..3 {
                if n[k] == 1.0 {
                    bounds[1][k] = pose.pos[k];
                } else if n[k] == -1.0 {
                    bounds[0][k] = pose.pos[k];
                }
            }
        }
        bounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::so3_exp;

    const SHAPES: [Shape; 5] = [
        Shape::Sphere { radius: 0.3 },
        Shape::Capsule {
            radius: 0.2,
            half_length: 0.7,
        },
        Shape::Cylinder {
            radius: 0.4,
            half_length: 0.5,
        },
        Shape::Ellipsoid {
            semi_axes: Vec3::new(0.2, 0.5, 0.9),
        },
        Shape::Box {
            half_extents: Vec3::new(0.3, 0.5, 0.2),
        },
    ];

    /// Points of the surface for a fine grid of directions, in the shape's frame.
    fn surface(shape: &Shape) -> Vec<Vec3> {
        let n = 120;
        let mut points = Vec::new();
        for i in 0..=n {
            for j in 0..2 * n {
                let step = std::f64::consts::PI / f64::from(n);
                let (s, c) = (step * f64::from(i)).sin_cos();
                let (sj, cj) = (step * f64::from(j)).sin_cos();
                let u = Vec3::new(s * cj, s * sj, c);
                let sign = |v: f64| if v < 0.0 { -1.0 } else { 1.0 };
                points.push(match *shape {
                    Shape::Plane => Vec3::new(cj, sj, 0.0),
                    Shape::Sphere { radius } => u * radius,
                    Shape::Capsule {
                        radius,
                        half_length,
                    } => u * radius + Vec3::Z * (sign(c) * half_length),
                    Shape::Cylinder {
                        radius,
                        half_length,
                    } => Vec3::new(radius * cj, radius * sj, sign(c) * half_length),
                    Shape::Ellipsoid { semi_axes } => u.scale(semi_axes),
                    Shape::Box { half_extents: h } => {
                        Vec3::new(h.x * sign(u.x), h.y * sign(u.y), h.z * sign(u.z))
                    }
                });
            }
        }
        points
    }

    #[test]
    fn bounds_hold_the_surface_tightly() {
        for shape in &SHAPES {
            let points = surface(shape);
            let reach = points.iter().fold(0.0, |m: f64, p| m.max(p.norm()));
            let radius = shape.bounding_radius();
            assert!(
                reach <= radius + 1e-12 && reach > 0.999 * radius,
                "{shape:?}"
            );
            for rotation in [Vec3::ZERO, Vec3::new(0.3, -0.8, 1.1)] {
                let pose = Pose::new(so3_exp(rotation), Vec3::new(1.0, -2.0, 3.0));
                let [low, high] = shape.aabb(&pose);
                for k in 0..3 {
                    let x = |p: &Vec3| pose.point(*p)[k];
                    let least = points.iter().map(x).fold(f64::INFINITY, f64::min);
                    let most = points.iter().map(x).fold(f64::NEG_INFINITY, f64::max);
                    assert!(
                        low[k] <= least + 1e-12 && low[k] > least - 1e-3,
                        "{shape:?}"
                    );
                    assert!(
                        high[k] >= most - 1e-12 && high[k] < most + 1e-3,
                        "{shape:?}"
                    );
                }
            }
            assert_eq!(shape.local_aabb(), shape.aabb(&Pose::IDENTITY));
        }
    }

    #[test]
    fn a_plane_fills_the_half_below_it_where_it_is_level() {
        let [low, high] = Shape::Plane.aabb(&Pose::translation(Vec3::new(1.0, 2.0, 3.0)));
        assert_eq!(high.z, 3.0);
        assert_eq!(low.z, f64::NEG_INFINITY);
        assert_eq!(high.x, f64::INFINITY);
        assert_eq!(Shape::Plane.local_aabb()[1].z, 0.0);
        let tilted = Pose::new(so3_exp(Vec3::X * 0.1), Vec3::ZERO);
        assert_eq!(Shape::Plane.aabb(&tilted)[1].z, f64::INFINITY);
    }
}
