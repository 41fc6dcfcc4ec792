//! Approximate convex decomposition: a non-convex mesh as a union of convex pieces, computed at load.

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

/// How far a triangle may lie below the hull's surface if the mesh still counts as convex, relative to
/// the hull's size. It is well below a voxel, so no piece could show the dent.
const DENT: f64 = 1e-3;

/// Finest grid allowed: its cube is the number of voxels.
const MAX_RESOLUTION: u32 = 400;

/// Convex pieces whose union approximates the solid bounded by `mesh`, in the mesh's frame, by
/// approximate convex decomposition (Mamou, "Volumetric hierarchical approximate convex decomposition",
/// Game Engine Gems 3, 2016).
///
/// Errors: those of [`Hull::from_mesh`]; a mesh with an open edge; options out of range.
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
    // Building the hull of the whole mesh makes all checks that the pieces need.
    let whole = Hull::from_mesh(mesh)?;
    let mesh = mesh.welded();
    if let Some([from, to]) = mesh.gaps().edge {
        return Err(Error::parse(format!(
            "convex decomposition needs a closed mesh: the edge from {:?} to {:?} is open",
            from.to_array(),
            to.to_array()
        )));
    }
    // Do not cut a convex solid: the cuts would be faces of pieces, and a body could leave a piece
    // through a cut sooner than the solid through its surface.
    if lies_on(&mesh, &whole) {
        return Ok(vec![whole]);
    }
    let vertex = |v: &Vec3| Vector::from_array(v.to_array());
    let vertices: Vec<Vector> = mesh.vertices.iter().map(vertex).collect();
    let triangles = mesh.triangles;
    let params = VHACDParameters {
        resolution,
        concavity,
        ..VHACDParameters::default()
    };
    // The voxelizer asserts its assumptions about meshes. A failed assertion is an error of the mesh.
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
        // A sliver of the grid may hold a flat scrap of the surface, which bounds no volume.
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

/// Whether all triangles with an area lie on the hull's surface.
fn lies_on(mesh: &TriMesh, hull: &Hull) -> bool {
    let slack = DENT * hull.size();
    mesh.triangles.iter().all(|t| {
        let [a, b, c] = t.map(|i| mesh.vertices[i as usize]);
        let [ab, bc, ca] = [b - a, c - b, a - c];
        let normal = ab.cross(bc);
        let longest = ab.norm().max(bc.norm()).max(ca.norm());
        if normal.norm() <= slack * longest {
            // Narrower than the slack: the neighbouring triangles decide here.
            return true;
        }
        let normal = normal * (1.0 / normal.norm());
        [normal, -normal].into_iter().any(|n| {
            let reach = hull.vertex(hull.support(n)).dot(n);
            [a, b, c].iter().all(|v| reach - v.dot(n) <= slack)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// A closed grid over a box: sides of n by n squares, with corners moved by `place`.
    fn gridded(n: u32, place: impl Fn(Vec3) -> Vec3) -> TriMesh {
        let mut m = TriMesh::default();
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let first = m.vertices.len() as u32;
                for i in 0..=n {
                    for j in 0..=n {
                        let [u, v] = [i, j].map(|k| 2.0 * f64::from(k) / f64::from(n) - 1.0);
                        let mut x = [0.0; 3];
                        (x[axis], x[(axis + 1) % 3], x[(axis + 2) % 3]) = (side, u, v);
                        m.vertices.push(place(Vec3::from_slice(&x)));
                    }
                }
                for i in 0..n {
                    for j in 0..n {
                        let [a, b] = [first + i * (n + 1) + j, first + (i + 1) * (n + 1) + j];
                        let two = [[a, b, b + 1], [a, b + 1, a + 1]];
                        m.triangles.extend(match side > 0.0 {
                            true => two,
                            false => two.map(|[i, j, k]| [i, k, j]),
                        });
                    }
                }
            }
        }
        m
    }

    fn joined(a: &TriMesh, b: &TriMesh) -> TriMesh {
        let n = a.vertices.len() as u32;
        TriMesh {
            vertices: [&a.vertices[..], &b.vertices].concat(),
            triangles: [
                a.triangles.clone(),
                b.triangles.iter().map(|t| t.map(|i| i + n)).collect(),
            ]
            .concat(),
        }
    }

    fn count(mesh: &TriMesh) -> usize {
        decompose(mesh, Decomposition::default()).unwrap().len()
    }

    #[test]
    fn a_convex_mesh_is_its_hull() {
        let unit = |x: Vec3| x * (1.0 / x.norm());
        for scale in [1e-4, 1.0, 1e3] {
            for (name, mesh) in [
                ("box", gridded(1, |x| x * scale)),
                (
                    "gridded box",
                    gridded(7, |x| Vec3::new(x.x, 0.5 * x.y, 0.2 * x.z) * scale),
                ),
                ("ball", gridded(30, |x| unit(x) * scale)),
                (
                    "egg",
                    gridded(30, |x| {
                        let u = unit(x);
                        Vec3::new(u.x, 0.4 * u.y, 0.1 * u.z) * scale
                    }),
                ),
                (
                    "slab",
                    gridded(4, |x| Vec3::new(x.x, x.y, 0.01 * x.z) * scale),
                ),
            ] {
                let pieces = decompose(&mesh, Decomposition::default()).unwrap();
                let hull = Hull::from_mesh(&mesh).unwrap();
                assert_eq!(pieces.len(), 1, "{name} {scale}");
                assert_eq!(pieces[0].vertices(), hull.vertices(), "{name} {scale}");
            }
        }
        // Digits of a file in single precision.
        let digits = |x: Vec3| {
            let u = unit(x);
            Vec3::new(
                f64::from(u.x as f32),
                f64::from(u.y as f32),
                f64::from(u.z as f32),
            )
        };
        assert_eq!(count(&gridded(30, digits)), 1);
    }

    #[test]
    fn others_are_cut() {
        // A hollow in one side, and a ball with waves.
        let dent = gridded(12, |x| {
            let near = x.x.abs() < 0.5 && x.y.abs() < 0.5 && x.z == 1.0;
            Vec3::new(x.x, x.y, if near { 0.2 } else { x.z })
        });
        assert!(count(&dent) > 1);
        let waves = gridded(20, |x| {
            let u = x * (1.0 / x.norm());
            u * (1.0 + 0.3 * (3.0 * u.y.atan2(u.x)).cos() * (1.0 - u.z * u.z))
        });
        assert!(count(&waves) > 1);
        // Two boxes that cross, and two that are apart: none of their triangles may count as one of the
        // hull.
        let a = gridded(1, |x| Vec3::new(x.x, 0.3 * x.y, 0.3 * x.z));
        let b = gridded(1, |x| Vec3::new(0.3 * x.x, x.y, 0.3 * x.z));
        assert!(count(&joined(&a, &b)) > 1);
        let c = gridded(1, |x| x * 0.3 + Vec3::new(2.0, 2.0, 0.0));
        assert!(count(&joined(&c, &a)) > 1);
        // A ring.
        let ring = gridded(16, |x| x);
        let round = |x: Vec3| {
            let turn = 0.5 * TAU * (x.x + 1.0) * 0.95;
            let r = 1.0 + 0.3 * x.y;
            Vec3::new(r * turn.cos(), r * turn.sin(), -0.3 * x.z)
        };
        let ring = TriMesh {
            vertices: ring.vertices.iter().map(|x| round(*x)).collect(),
            ..ring
        };
        assert!(count(&ring) > 1);
        // An open mesh stays refused, convex or not.
        let mut open = gridded(2, |x| x);
        open.triangles.pop();
        let e = decompose(&open, Decomposition::default()).unwrap_err();
        assert!(e.message.contains("needs a closed mesh"), "{e}");
    }
}
