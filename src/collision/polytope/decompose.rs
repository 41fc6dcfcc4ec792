//! Non-convex meshes as unions of convex pieces, found at load.

use super::hull::Hull;
use crate::error::{Error, Result};
use crate::model::mesh::TriMesh;
use crate::spatial::Vec3;
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};
use std::collections::{BTreeMap, BTreeSet};

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
    let (vertices, triangles) = welded(mesh)?;
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
            mesh.triangles.len()
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
            mesh.triangles.len()
        )));
    }
    Ok(hulls)
}

/// The mesh with equal vertices made one and triangles without area left out; an error where an
/// edge does not have a triangle on both sides.
fn welded(mesh: &TriMesh) -> Result<(Vec<Vector>, Vec<[u32; 3]>)> {
    let mut number = BTreeMap::new();
    let mut vertices = Vec::new();
    let index: Vec<u32> = mesh
        .vertices
        .iter()
        .map(|v| {
            // −0 and 0 are the same coordinate.
            let key = v.to_array().map(|x| (x + 0.0).to_bits());
            *number.entry(key).or_insert_with(|| {
                vertices.push(Vector::from_array(v.to_array()));
                vertices.len() as u32 - 1
            })
        })
        .collect();
    let mut triangles = BTreeSet::new();
    for t in &mesh.triangles {
        let [i, j, k] = t.map(|i| index[i as usize]);
        if i != j && j != k && k != i {
            // The same triangle from its smallest corner on, so that doubles count once.
            let first = i.min(j).min(k);
            triangles.insert(if first == i {
                [i, j, k]
            } else if first == j {
                [j, k, i]
            } else {
                [k, i, j]
            });
        }
    }
    let sides: BTreeSet<(u32, u32)> = triangles
        .iter()
        .flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])])
        .collect();
    if let Some(&(i, j)) = sides.iter().find(|&&(i, j)| !sides.contains(&(j, i))) {
        return Err(Error::parse(format!(
            "convex decomposition needs a closed mesh: the edge from {:?} to {:?} has a triangle on one side only",
            vertices[i as usize].to_array(),
            vertices[j as usize].to_array()
        )));
    }
    Ok((vertices, triangles.into_iter().collect()))
}
