//! The convex shapes with which a mesh collides: its hull or the pieces of a decomposition.

use super::convex::Convex;
use super::decompose::{Decomposition, decompose};
use super::hull::Hull;
use crate::error::{Error, Result};
use crate::model::mesh::TriMesh;
use crate::model::spec::{MeshMode, OpenMesh};

/// Holes up to this share of a mesh's surface count as cracks, as CAD programs leave them; larger holes are
/// openings. In the collision meshes of forty robots cracks are below 6e-4 and openings above 3e-3.
const CRACKS: f64 = 1e-3;

/// A description of a mesh's holes if they affect its collision shape; `None` if they do not.
///
/// Cracks do not affect the hull. A decomposition needs every edge closed, because it tests which
/// points are inside.
pub fn opening(mesh: &TriMesh, mode: MeshMode) -> Option<String> {
    let gaps = mesh.gaps();
    let [from, to] = gaps.edge?;
    let open = match mode {
        MeshMode::Hull => gaps.share > CRACKS,
        MeshMode::Decomposed => true,
    };
    open.then(|| {
        format!(
            "its holes make up {:.2} % of its surface, the edge from {:?} to {:?} borders one",
            100.0 * gaps.share,
            from.to_array(),
            to.to_array()
        )
    })
}

/// The convex shapes with which a mesh collides, in its frame.
///
/// # Errors
/// `Parse` for an open mesh if `open` refuses it; the errors of [`Hull::from_mesh`] and [`decompose`].
pub fn shapes(mesh: &TriMesh, mode: MeshMode, open: OpenMesh) -> Result<Vec<Convex>> {
    // Building the hull makes all other checks of the mesh.
    let hull = Hull::from_mesh(mesh)?;
    let opening = opening(mesh, mode);
    match (opening, open, mode) {
        (Some(where_), OpenMesh::Error, _) => Err(Error::parse(format!(
            "the mesh is open: {where_}; close it, or let it collide as its hull by open_mesh = DS_OPEN_MESH_HULL"
        ))),
        (None, _, MeshMode::Decomposed) => {
            let pieces = decompose(mesh, Decomposition::default())?;
            Ok(pieces.into_iter().map(Convex::from).collect())
        }
        _ => Ok(vec![hull.into()]),
    }
}
