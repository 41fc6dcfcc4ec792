//! The hydroelastic representation of a geom: its surface, or a pressure field in its volume.
//!
//! A tetrahedron connects the surface, where the extent of the pressure is 0, to the medial axis, where
//! it is 1. The medial axis is the centre of a sphere or an ellipsoid, the segment of a capsule, the
//! innermost points of a box or a cylinder. For a box, the field is exactly that of the distance from
//! its surface.
//!
//! Beyond the surface the field continues with the same slope through a layer, where it is negative.
//! Faces there are predicted contacts, which carry no load before they close.

use super::element::{Surface, Volume, surface};
use super::sketch::{Divisions, LAYER, Sketch};
use crate::error::{Error, Result};
use crate::model::spec::{GeomSpec, HydroelasticKind, ShapeSpec};
use std::sync::Arc;

/// Most triangles or tetrahedra of a geom.
const MOST: f64 = 65_536.0;

/// The hydroelastic representation of a geom. Clones share the meshes.
#[derive(Clone, Debug)]
pub enum Representation {
    /// The half space z ≤ 0.
    RigidPlane,
    /// The half space z ≤ 0 with a pressure that grows over the thickness of a slab, up to a layer
    /// above it.
    CompliantPlane(Slab),
    Rigid(RigidMesh),
    Compliant(CompliantMesh),
}

#[derive(Clone, Copy, Debug)]
pub struct Slab {
    pub(super) thickness: f64,
    pub(super) layer: f64,
}

#[derive(Clone, Debug)]
pub struct RigidMesh(pub(super) Arc<Surface>);

#[derive(Clone, Debug)]
pub struct CompliantMesh(pub(super) Arc<Volume>);

impl Representation {
    /// The representation of a geom, if it has one.
    ///
    /// # Errors
    /// `Capacity` for a resolution that needs too many elements, `Unsupported` for a shape without a
    /// pressure field. Both name the geom.
    pub fn of(g: &GeomSpec, shape: &ShapeSpec) -> Result<Option<Representation>> {
        let h = &g.hydroelastic;
        let is_compliant = match h.kind {
            HydroelasticKind::None => return Ok(None),
            kind => kind == HydroelasticKind::Compliant,
        };
        let who = || g.described();
        let made = match shape {
            ShapeSpec::Plane { .. } if is_compliant => {
                let (thickness, layer) = (h.slab_thickness, LAYER * h.slab_thickness);
                let layer = layer.max(h.margin);
                Representation::CompliantPlane(Slab { thickness, layer })
            }
            ShapeSpec::Plane { .. } => Representation::RigidPlane,
            ShapeSpec::Mesh { mesh, .. } if !is_compliant => {
                let corner = |i: u32| mesh.vertices[i as usize];
                let triangles = mesh.triangles.iter().map(|t| t.map(corner));
                Representation::Rigid(RigidMesh(Arc::new(surface(triangles))))
            }
            ShapeSpec::Mesh { .. } | ShapeSpec::HeightField(_) => {
                return Err(Error::unsupported(format!(
                    "geom {}: hydroelastic: expected a plane, sphere, box, capsule, cylinder or ellipsoid, or a rigid \
                     mesh, got a {}",
                    who(),
                    match shape {
                        ShapeSpec::Mesh { .. } => "compliant mesh",
                        _ => "height field",
                    }
                )));
            }
            solid => {
                let divisions = Divisions::of(solid, h.resolution);
                let count = divisions.elements(solid);
                // NaN counts as too many.
                if count > MOST || count.is_nan() {
                    return Err(Error::capacity(format!(
                        "geom {}: hydroelastic resolution {:e} m needs about {count:.0} elements, there is room for {MOST}",
                        who(),
                        h.resolution
                    )));
                }
                let sketch = Sketch::of(solid, &divisions);
                match is_compliant {
                    true => {
                        Representation::Compliant(CompliantMesh(Arc::new(sketch.fill(h.margin))))
                    }
                    false => {
                        Representation::Rigid(RigidMesh(Arc::new(surface(sketch.triangles()))))
                    }
                }
            }
        };
        Ok(Some(made))
    }

    pub fn is_compliant(&self) -> bool {
        matches!(
            self,
            Representation::Compliant(_) | Representation::CompliantPlane(_)
        )
    }

    pub fn is_plane(&self) -> bool {
        matches!(
            self,
            Representation::RigidPlane | Representation::CompliantPlane(_)
        )
    }
}
