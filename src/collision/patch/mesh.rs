//! The hydroelastic representation of a geom: its surface, or a pressure field in its volume.
//!
//! A tetrahedron connects the surface, where the extent of the pressure is 0, to the medial axis, where
//! it is 1. The medial axis is the centre of a sphere or an ellipsoid, the segment of a capsule, the
//! innermost points of a box or a cylinder. For a box, the field is exactly that of the distance from
//! its surface. For a convex mesh the medial axis is replaced by the centroid.
//!
//! Beyond the surface the field continues with the same slope through a layer, where it is negative.
//! Faces there are predicted contacts, which carry no load before they close.

use super::element::{Surface, Volume, surface};
use super::sketch::{Divisions, FEWEST, LAYER, Sketch, convex};
use crate::collision::polytope::opening;
use crate::error::{Error, Result};
use crate::model::mesh::TriMesh;
use crate::model::spec::{GeomSpec, HydroelasticKind, MeshMode, ShapeSpec};
use crate::spatial::Vec3;
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

/// # Errors
/// `Capacity` for too many elements, naming the geom.
fn check_room(count: f64, resolution: f64, who: &dyn Fn() -> String) -> Result<()> {
    // NaN counts as too many.
    if count <= MOST {
        return Ok(());
    }
    Err(Error::capacity(format!(
        "geom {}: hydroelastic resolution {resolution:e} m needs about {count:.0} elements; at most {MOST} are supported",
        who()
    )))
}

/// A mesh with a pressure that grows from its surface to its centroid.
///
/// # Errors
/// `Unsupported` for a mesh that is not convex, `Capacity` for one with too many elements.
fn compliant_mesh(
    mesh: &TriMesh,
    resolution: f64,
    margin: f64,
    who: &dyn Fn() -> String,
) -> Result<Representation> {
    let mesh = mesh.welded();
    let sides = mesh.triangles.iter().flat_map(|t| {
        let [a, b, c] = t.map(|i| mesh.vertices[i as usize]);
        [b - a, c - b, a - c]
    });
    let longest = sides.fold(0.0f64, |most, side| most.max(side.norm()));
    let parts = (longest / resolution).ceil().max(FEWEST);
    check_room(mesh.triangles.len() as f64 * parts * parts, resolution, who)?;
    let sketch = convex(&mesh, parts as usize).map_err(|why| {
        Error::unsupported(format!(
            "geom {}: hydroelastic: expected a convex mesh for a compliant one, or a rigid mesh: {why}",
            who()
        ))
    })?;
    Ok(Representation::Compliant(CompliantMesh(Arc::new(
        sketch.fill(margin, |at| at),
    ))))
}

impl Representation {
    /// The representation of a geom with this shape, if it has one. The elements are those of the geom's own
    /// shape; for other sizes the mesh is stretched. So it is a smooth function of the sizes.
    ///
    /// # Errors
    /// `Capacity` for a resolution that needs too many elements, `Unsupported` for a shape without a
    /// pressure field, `InvalidArgument` for an open mesh. All name the geom.
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
            ShapeSpec::Mesh { mesh, .. } => {
                if let Some(where_) = opening(mesh, MeshMode::Hull) {
                    return Err(Error::invalid(format!(
                        "geom {}: hydroelastic: expected a closed mesh, got an open one: {where_}",
                        who()
                    )));
                }
                match is_compliant {
                    true => compliant_mesh(mesh, h.resolution, h.margin, &who)?,
                    false => {
                        if let Some([a, b]) = mesh.twisted() {
                            return Err(Error::invalid(format!(
                                "geom {}: hydroelastic: expected triangles wound the same way, got a mesh whose \
                                 triangles at the edge from {:?} to {:?} are not",
                                who(),
                                a.to_array(),
                                b.to_array()
                            )));
                        }
                        let inwards = mesh.solid().mass < 0.0;
                        let corner = |i: u32| mesh.vertices[i as usize];
                        let triangles = mesh.triangles.iter().map(|&[i, j, k]| {
                            let outwards = if inwards { [i, k, j] } else { [i, j, k] };
                            outwards.map(corner)
                        });
                        Representation::Rigid(RigidMesh(Arc::new(surface(triangles))))
                    }
                }
            }
            ShapeSpec::HeightField(_) => {
                return Err(Error::unsupported(format!(
                    "geom {}: hydroelastic: expected a plane, sphere, box, capsule, cylinder, ellipsoid or mesh, got a \
                     height field",
                    who(),
                )));
            }
            solid => {
                let divisions = Divisions::of(&g.shape, h.resolution);
                check_room(divisions.elements(&g.shape), h.resolution, &who)?;
                let sketch = Sketch::of(&g.shape, &divisions);
                let (own, sizes) = (g.shape.sizes(), solid.sizes());
                let place = |at: Vec3| match own == sizes {
                    true => at,
                    false => {
                        (0..3).fold(Vec3::ZERO, |sum, k| sum + g.shape.stretch(k, at) * sizes[k])
                    }
                };
                match is_compliant {
                    true => Representation::Compliant(CompliantMesh(Arc::new(
                        sketch.fill(h.margin, place),
                    ))),
                    false => {
                        let triangles = sketch.triangles().map(|t| t.map(place));
                        Representation::Rigid(RigidMesh(Arc::new(surface(triangles))))
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
