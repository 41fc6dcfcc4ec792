//! Inertias of the shapes of geoms, filled or as thin shells.

use crate::model::spec::ShapeSpec;
use crate::spatial::{Inertia, Sym3, Vec3};
use std::f64::consts::PI;

/// A homogeneous body: volume [m³] or area [m²], and the inertia at unit density about the frame.
#[derive(Clone, Copy)]
pub(super) struct Solid {
    pub measure: f64,
    /// Inertia at unit density: the mass is the measure.
    inertia: Inertia,
}

impl Solid {
    pub const NONE: Solid = Solid {
        measure: 0.0,
        inertia: Inertia::ZERO,
    };

    pub fn new(inertia: Inertia) -> Self {
        Solid {
            measure: inertia.mass,
            inertia,
        }
    }

    fn centred(measure: f64, moments: Vec3) -> Self {
        Solid::new(Inertia {
            mass: measure,
            h: Vec3::ZERO,
            i: Sym3::diagonal(moments),
        })
    }

    /// The inertia with this total mass. A shape of measure zero has none.
    pub fn with_mass(&self, mass: f64) -> Inertia {
        if self.measure == 0.0 {
            return Inertia::ZERO;
        }
        let scale = mass / self.measure;
        Inertia {
            mass,
            h: self.inertia.h * scale,
            i: self.inertia.i * scale,
        }
    }
}

/// A primitive filled with matter. A height field is the box about its frame that MuJoCo takes for it: with
/// half of the largest height, on average, above the base. Planes have no mass.
pub(super) fn filled(shape: &ShapeSpec) -> Solid {
    match *shape {
        ShapeSpec::Sphere { radius: r } => {
            let m = 4.0 / 3.0 * PI * r * r * r;
            let i = 0.4 * m * r * r;
            Solid::centred(m, Vec3::new(i, i, i))
        }
        ShapeSpec::Capsule {
            radius: r,
            half_length: h,
        } => {
            let (tube, ball) = (2.0 * PI * r * r * h, 4.0 / 3.0 * PI * r * r * r);
            // The centres of mass of the half balls are 3r/8 beyond the ends of the segment.
            let across =
                tube * (r * r / 4.0 + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
            let along = 0.5 * tube * r * r + 0.4 * ball * r * r;
            Solid::centred(tube + ball, Vec3::new(across, across, along))
        }
        ShapeSpec::Cylinder {
            radius: r,
            half_length: h,
        } => {
            let m = 2.0 * PI * r * r * h;
            let across = m * (r * r / 4.0 + h * h / 3.0);
            Solid::centred(m, Vec3::new(across, across, 0.5 * m * r * r))
        }
        ShapeSpec::Ellipsoid { semi_axes: s } => {
            let m = 4.0 / 3.0 * PI * s.x * s.y * s.z;
            Solid::centred(m, sums_of_squares(s) * (m / 5.0))
        }
        ShapeSpec::Box { half_extents: s } => {
            let m = 8.0 * s.x * s.y * s.z;
            Solid::centred(m, sums_of_squares(s) * (m / 3.0))
        }
        ShapeSpec::HeightField(ref field) => {
            let highest = field.heights.iter().copied().fold(0.0, f64::max);
            let [x, y] = field.half_extents;
            filled(&ShapeSpec::Box {
                half_extents: Vec3::new(x, y, 0.25 * highest + 0.5 * field.base),
            })
        }
        _ => Solid::NONE,
    }
}

/// A primitive with its matter on the surface; `None` if this is not known.
pub(super) fn shell(shape: &ShapeSpec) -> Option<Solid> {
    Some(match *shape {
        ShapeSpec::Sphere { radius: r } => {
            let m = 4.0 * PI * r * r;
            let i = 2.0 / 3.0 * m * r * r;
            Solid::centred(m, Vec3::new(i, i, i))
        }
        ShapeSpec::Capsule {
            radius: r,
            half_length: h,
        } => {
            let (tube, ball) = (4.0 * PI * r * h, 4.0 * PI * r * r);
            let across =
                tube * (r * r / 2.0 + h * h / 3.0) + ball * (2.0 / 3.0 * r * r + h * h + h * r);
            let along = tube * r * r + 2.0 / 3.0 * ball * r * r;
            Solid::centred(tube + ball, Vec3::new(across, across, along))
        }
        ShapeSpec::Cylinder {
            radius: r,
            half_length: h,
        } => {
            let (tube, caps) = (4.0 * PI * r * h, 2.0 * PI * r * r);
            let across = tube * (r * r / 2.0 + h * h / 3.0) + caps * (r * r / 4.0 + h * h);
            let along = tube * r * r + 0.5 * caps * r * r;
            Solid::centred(tube + caps, Vec3::new(across, across, along))
        }
        ShapeSpec::Box { half_extents: s } => {
            let mut moments = Vec3::ZERO;
            let mut area = 0.0;
            for k in 0..3 {
                // The two faces across axis k: thin along k at distance s[k], extended along the other
                // axes.
                let mut spread = s.scale(s) * (1.0 / 3.0);
                spread[k] *= 3.0;
                let faces = 8.0 * s[(k + 1) % 3] * s[(k + 2) % 3];
                area += faces;
                let total = spread.x + spread.y + spread.z;
                moments += (Vec3::new(total, total, total) - spread) * faces;
            }
            Solid::centred(area, moments)
        }
        ShapeSpec::Plane { .. } | ShapeSpec::HeightField(_) => Solid::NONE,
        ShapeSpec::Ellipsoid { .. } | ShapeSpec::Mesh { .. } => return None,
    })
}

fn sums_of_squares(s: Vec3) -> Vec3 {
    let q = s.scale(s);
    Vec3::new(q.y + q.z, q.x + q.z, q.x + q.y)
}
