//! The geoms that act as ellipsoids in a fluid.

use super::fluid::Fluid;
use super::spec::{GeomSpec, ShapeSpec};
use crate::error::{Error, Result};
use crate::spatial::Vec3;

/// Semi-axes of the ellipsoid that represents a shape in a fluid [m]; `None` for planes, meshes and
/// height fields.
pub fn semi_axes(shape: &ShapeSpec) -> Option<Vec3> {
    let [a, b, c] = match shape {
        ShapeSpec::Sphere { radius } => [*radius; 3],
        ShapeSpec::Capsule {
            radius,
            half_length,
        } => [*radius, *radius, half_length + radius],
        ShapeSpec::Cylinder {
            radius,
            half_length,
        } => [*radius, *radius, *half_length],
        ShapeSpec::Ellipsoid { semi_axes } => semi_axes.to_array(),
        ShapeSpec::Box { half_extents } => half_extents.to_array(),
        ShapeSpec::Plane { .. } | ShapeSpec::Mesh { .. } | ShapeSpec::HeightField(_) => {
            return None;
        }
    };
    Some(Vec3::new(a, b, c))
}

/// Refuses coefficients that are not finite and, in a fluid, shapes without an ellipsoid. `who` names
/// the geom; `moves` says whether its body moves.
pub(super) fn check_geom_in(fluid: &Fluid, g: &GeomSpec, moves: bool, who: &str) -> Result<()> {
    let Some(coefficients) = g.fluid else {
        return Ok(());
    };
    if let Some(x) = coefficients.to_array().into_iter().find(|x| !x.is_finite()) {
        return Err(Error::invalid(format!(
            "geom {who}: coefficients in a fluid must be finite, got {x}"
        )));
    }
    if fluid.acts() && moves && semi_axes(&g.shape).is_none() {
        return Err(Error::unsupported(format!(
            "geom {who}: planes, meshes and height fields have no fluid forces as ellipsoids; without such a geom, the fluid acts on the inertia box of the body"
        )));
    }
    Ok(())
}
