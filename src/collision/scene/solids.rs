//! The geoms of a model compiled for collision, once per model.

use super::solid::Solid;
use crate::collision::polytope::{self, Convex};
use crate::error::Result;
use crate::model::Model;
use crate::model::mesh::TriMesh;
use crate::model::spec::{MeshMode, OpenMesh, ShapeSpec};
use std::sync::{Arc, OnceLock};

/// Per geom, its solid once it has been needed. Kept by [`Model::geometry`].
pub(super) struct Solids(Vec<OnceLock<Solid>>);

impl Solids {
    pub fn of(model: &Model) -> Arc<Solids> {
        let empty = || Solids(vec![OnceLock::new(); model.ngeom()]);
        model.geometry().get(empty)
    }

    /// The solid of a geom; geoms with one mesh share it.
    ///
    /// # Errors
    /// Those of [`Solid::new`].
    pub fn get(&self, model: &Model, geom: usize) -> Result<Solid> {
        if let Some(solid) = self.0[geom].get() {
            return Ok(solid.clone());
        }
        let g = &model.geoms()[geom];
        let mut others = model.geoms().iter().zip(&self.0);
        let twin = match g.shape {
            ShapeSpec::Mesh { .. } => others.find_map(|(other, solid)| {
                solid.get().filter(|_| same_mesh(&g.shape, &other.shape))
            }),
            _ => None,
        };
        let solid = match twin {
            Some(solid) => solid.clone(),
            None => Solid::new(g)?,
        };
        Ok(self.0[geom].get_or_init(|| solid).clone())
    }

    /// [`Solids::get`]. For a geom that fails but may touch nothing anyway, a solid that touches nothing.
    pub fn wanted(&self, model: &Model, geom: usize) -> Result<Solid> {
        match self.get(model, geom) {
            Err(_) if !model.may_touch_any(geom) => Ok(Solid::nothing()),
            solid => solid,
        }
    }
}

fn same_mesh(a: &ShapeSpec, b: &ShapeSpec) -> bool {
    match (a, b) {
        (
            ShapeSpec::Mesh { mesh, mode, open },
            ShapeSpec::Mesh {
                mesh: mesh_b,
                mode: mode_b,
                open: open_b,
            },
        ) => Arc::ptr_eq(mesh, mesh_b) && (mode, open) == (mode_b, open_b),
        _ => false,
    }
}

/// Volume by which a hull may exceed its mesh without a warning, relative to the mesh's.
const HULL_EXCESS: f64 = 0.05;

/// The model with all geoms compiled that may touch something, and with warnings about meshes that
/// collide as a hull larger than the mesh. Scenes of this model share the compiled geoms.
///
/// # Errors
/// The errors of the geoms, with the geom's name: an open mesh, a mesh without volume or too large.
pub fn with_geometry(mut model: Model) -> Result<Model> {
    let solids = Solids::of(&model);
    let mut warnings = Vec::new();
    for (i, g) in model.geoms().iter().enumerate() {
        if !model.may_touch_any(i) {
            continue;
        }
        let solid = solids.get(&model, i)?;
        if let (ShapeSpec::Mesh { mesh, mode, open }, Solid::Pieces(pieces)) = (&g.shape, &solid)
            && let [hull] = &pieces[..]
            && let Some(what) = doubt(mesh, *mode, *open, hull)
        {
            warnings.push(format!("geom {}: {what}", g.described()));
        }
    }
    for w in warnings {
        model = model.doubted(w);
    }
    Ok(model)
}

/// The warning about a mesh that collides as its hull, if one is needed.
fn doubt(mesh: &TriMesh, mode: MeshMode, open: OpenMesh, hull: &Convex) -> Option<String> {
    if open == OpenMesh::Hull
        && let Some(opening) = polytope::opening(mesh, mode)
    {
        return Some(format!(
            "its mesh is open and collides as its hull: {opening}"
        ));
    }
    let (hull, own) = (hull.hull()?.volume(), mesh.solid().mass);
    let excess = if own <= 0.0 {
        "and its triangles do not bound a volume".into()
    } else if hull > (1.0 + HULL_EXCESS) * own {
        format!("{:.0} % larger", 100.0 * (hull / own - 1.0))
    } else {
        return None;
    };
    Some(format!(
        "its mesh is not convex and collides as its hull, {excess}; mesh_mode can decompose it"
    ))
}
