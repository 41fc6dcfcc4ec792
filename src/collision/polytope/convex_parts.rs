//! The convex shapes as which a mesh collides.

use super::convex::Convex;
use super::decompose::{Decomposition, decompose};
use super::hull::Hull;
use crate::error::{Error, Result};
use crate::model::mesh::TriMesh;
use crate::model::spec::{MeshMode, OpenMesh};

/// The share of its surface up to which a mesh's holes are cracks, such as CAD programs leave, and not
/// openings. In the collision meshes of forty robots cracks stay below 6e-4, openings begin at 3e-3.
const CRACKS: f64 = 1e-3;

/// How the holes of a mesh matter to what it collides as; `None`: they do not.
///
/// The hull does not see cracks. A decomposition needs every edge closed: it asks which points are
/// inside.
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

/// The convex shapes as which a mesh collides, in its frame.
///
/// # Errors
/// `Parse` for an open mesh where `open` refuses it; those of [`Hull::from_mesh`] and [`decompose`].
pub fn shapes(mesh: &TriMesh, mode: MeshMode, open: OpenMesh) -> Result<Vec<Convex>> {
    // The hull checks everything else that is asked of a mesh.
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
