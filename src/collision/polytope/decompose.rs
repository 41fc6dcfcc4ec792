//! Non-convex meshes as unions of convex pieces, found at load.

use super::hull::Hull;
use crate::error::{Error, Result};
use crate::model::mesh::TriMesh;
use crate::spatial::Vec3;
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};

/// How finely a mesh is decomposed.
#[derive(Clone, Copy, Debug)]
pub struct Decomposition {
    /// Voxels along the mesh's longest side.
    pub resolution: u32,
    /// Largest volume, relative to the mesh's, that a piece's hull may add.
    pub concavity: f64,
}

impl Default for Decomposition {
    fn default() -> Self {
        Decomposition {
            resolution: 64,
            concavity: 0.01,
        }
    }
}

/// Finest grid allowed: its cube is the number of voxels.
const MAX_RESOLUTION: u32 = 400;

/// Convex pieces whose union approximates the solid that `mesh` bounds, in the mesh's frame, by
/// approximate convex decomposition (Mamou, "Volumetric hierarchical approximate convex
/// decomposition", Game Engine Gems 3, 2016).
///
/// Errors: as [`Hull::from_mesh`]; a mesh with an open edge; options out of range.
pub fn decompose(mesh: &TriMesh, options: Decomposition) -> Result<Vec<Hull>> {
    let Decomposition {
        resolution,
        concavity,
    } = options;
    if !(2..=MAX_RESOLUTION).contains(&resolution) {
        return Err(Error::invalid(format!(
            "convex decomposition: a resolution from 2 to {MAX_RESOLUTION} is expected, got {resolution}"
        )));
    }
    if !(0.0..=1.0).contains(&concavity) {
        return Err(Error::invalid(format!(
            "convex decomposition: a concavity from 0 to 1 is expected, got {concavity}"
        )));
    }
    // The whole hull checks everything that the pieces need.
    Hull::from_mesh(mesh)?;
    let mesh = mesh.welded();
    if let Some([from, to]) = mesh.gaps().edge {
        return Err(Error::parse(format!(
            "convex decomposition needs a closed mesh: the edge from {:?} to {:?} is open",
            from.to_array(),
            to.to_array()
        )));
    }
    let vertex = |v: &Vec3| Vector::from_array(v.to_array());
    let vertices: Vec<Vector> = mesh.vertices.iter().map(vertex).collect();
    let triangles = mesh.triangles;
    let params = VHACDParameters {
        resolution,
        concavity,
        ..VHACDParameters::default()
    };
    // The voxelizer asserts what it assumes of meshes; a failure there is one of the mesh.
    let pieces = std::panic::catch_unwind(|| {
        VHACD::decompose(&params, &vertices, &triangles, true)
            .compute_primitive_intersections(&vertices, &triangles)
    })
    .map_err(|_| {
        Error::parse(format!(
            "convex decomposition of a mesh with {} triangles failed",
            triangles.len()
        ))
    })?;
    let mut hulls = Vec::new();
    for piece in &pieces {
        let points: Vec<Vec3> = piece.iter().map(|p| Vec3::new(p.x, p.y, p.z)).collect();
        // A sliver of the grid may hold a flat scrap of the surface, which bounds nothing.
        if let Ok(hull) = Hull::from_points(&points) {
            hulls.push(hull);
        }
    }
    if hulls.is_empty() {
        return Err(Error::parse(format!(
            "convex decomposition of a mesh with {} triangles found no solid piece",
            triangles.len()
        )));
    }
    Ok(hulls)
}
