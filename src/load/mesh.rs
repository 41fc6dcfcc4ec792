//! Mesh files.

use crate::error::{Error, Result};
use crate::model::mesh::TriMesh;
use crate::spatial::Vec3;
use std::path::Path;

/// Reads a triangle mesh (STL, OBJ or COLLADA), vertices in the file's units.
///
/// # Errors
/// `Io` when the file cannot be read, `Parse` when it is not a mesh.
pub fn load_mesh(path: &Path) -> Result<TriMesh> {
    let bytes =
        std::fs::read(path).map_err(|e| Error::io(format!("mesh {}: {e}", path.display())))?;
    let scene = mesh_loader::Loader::default()
        .load_from_slice(&bytes, path)
        .map_err(|e| Error::parse(format!("mesh {}: {e}", path.display())))?;
    let mut mesh = TriMesh::default();
    for part in scene.meshes {
        let base = mesh.vertices.len() as u32;
        mesh.vertices.extend(
            part.vertices
                .iter()
                .map(|v| Vec3::new(v[0].into(), v[1].into(), v[2].into())),
        );
        mesh.triangles
            .extend(part.faces.iter().map(|f| f.map(|i| base + i)));
    }
    Ok(mesh)
}
