//! Triangle meshes as read from files, and the solids that they bound.

use crate::spatial::{Inertia, Mat3, Pose, Sym3, Vec3};
use std::collections::HashMap;

/// Vertices and triangles, as read; duplicates and open edges are allowed here.
#[derive(Clone, Debug, Default)]
pub struct TriMesh {
    /// [m], after the file's scale.
    pub vertices: Vec<Vec3>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// Volume and unit-density inertia of the solid, by signed tetrahedra from the origin. A negative
    /// volume means that the triangles are wound inwards.
    pub fn solid(&self) -> Inertia {
        let mut volume = 0.0;
        let mut first = Vec3::ZERO;
        // ∫ x xᵀ dV
        let mut second = Mat3::ZERO;
        for t in &self.triangles {
            let [a, b, c] = t.map(|i| self.vertices[i as usize]);
            let v = a.dot(b.cross(c)) / 6.0;
            let s = a + b + c;
            volume += v;
            first += s * (v / 4.0);
            second +=
                (Mat3::outer(a, a) + Mat3::outer(b, b) + Mat3::outer(c, c) + Mat3::outer(s, s))
                    * (v / 20.0);
        }
        let tr = second.trace();
        Inertia {
            mass: volume,
            h: first,
            i: Sym3::from_mat3(&(Mat3::IDENTITY * tr - second)),
        }
    }

    /// The same mesh with vertices mapped by `p`.
    pub fn transformed(&self, p: &Pose) -> TriMesh {
        TriMesh {
            vertices: self.vertices.iter().map(|&v| p.point(v)).collect(),
            triangles: self.triangles.clone(),
        }
    }

    /// The same surface with equal vertices merged, and without triangles that have no area or occur
    /// twice.
    pub fn welded(&self) -> TriMesh {
        let mut number = HashMap::new();
        let mut vertices = Vec::new();
        let index: Vec<u32> = (self.vertices.iter())
            .map(|&v| {
                // −0 and 0 are the same coordinate.
                let key = v.to_array().map(|x| (x + 0.0).to_bits());
                *number.entry(key).or_insert_with(|| {
                    vertices.push(v);
                    vertices.len() as u32 - 1
                })
            })
            .collect();
        let mut triangles: Vec<[u32; 3]> = (self.triangles.iter())
            .map(|t| t.map(|i| index[i as usize]))
            .filter(|[i, j, k]| i != j && j != k && k != i)
            .map(|mut t| {
                let first = t[0].min(t[1]).min(t[2]);
                while t[0] != first {
                    t.rotate_left(1);
                }
                t
            })
            .collect();
        triangles.sort_unstable();
        triangles.dedup();
        TriMesh {
            vertices,
            triangles,
        }
    }

    /// An edge whose triangles are wound differently: more of them pass it in one direction than in the
    /// other, and not by one, as beside a crack.
    pub fn twisted(&self) -> Option<[Vec3; 2]> {
        let mesh = self.welded();
        let mut turns: HashMap<[u32; 2], i32> = HashMap::new();
        for &[i, j, k] in &mesh.triangles {
            for (a, b) in [(i, j), (j, k), (k, i)] {
                *turns.entry([a.min(b), a.max(b)]).or_default() += if a < b { 1 } else { -1 };
            }
        }
        let edges = turns.into_iter().filter(|(_, turn)| turn.abs() > 1);
        let first = edges.map(|(edge, _)| edge).min();
        first.map(|edge| edge.map(|i| mesh.vertices[i as usize]))
    }

    /// The open edges of the surface.
    pub fn gaps(&self) -> Gaps {
        let mesh = self.welded();
        let at = |i: u32| mesh.vertices[i as usize];
        // Each triangle's sides from the smaller vertex on, and whether the triangle has this direction.
        let mut sides: Vec<([u32; 2], bool)> = Vec::with_capacity(3 * mesh.triangles.len());
        let mut surface = 0.0;
        for &[i, j, k] in &mesh.triangles {
            surface += 0.5 * (at(j) - at(i)).cross(at(k) - at(i)).norm();
            sides.extend([(i, j), (j, k), (k, i)].map(|(a, b)| ([a.min(b), a.max(b)], a < b)));
        }
        sides.sort_unstable();
        let shared = sides.chunk_by(|x, y| x.0 == y.0);
        let open: Vec<([u32; 2], bool)> = shared.filter(|s| s.len() == 1).map(|s| s[0]).collect();
        Gaps {
            edge: open.first().map(|(edge, _)| edge.map(at)),
            share: if surface > 0.0 {
                holes(&mesh.vertices, &open) / surface
            } else {
                0.0
            },
        }
    }
}

/// The area bounded by open edges, which are given by their vertices and whether their triangle runs
/// from the first to the second. For each connected group of edges it is the area of the projection
/// along the direction in which it is largest. A straight line closes a chain with a free end (for
/// example at an edge of three triangles).
fn holes(vertices: &[Vec3], open: &[([u32; 2], bool)]) -> f64 {
    let at = |i: usize| vertices[i];
    let mut group: Vec<usize> = (0..vertices.len()).collect();
    let mut degree = vec![0; vertices.len()];
    for (edge, _) in open {
        let [a, b] = edge.map(|i| first(&mut group, i as usize));
        group[a.max(b)] = a.min(b);
        edge.iter().for_each(|&i| degree[i as usize] += 1);
    }
    // Areas are taken about a vertex of the group; about an end of its chain if it has one.
    let mut about: Vec<usize> = (0..vertices.len()).collect();
    for i in 0..vertices.len() {
        if degree[i] % 2 == 1 {
            about[first(&mut group, i)] = i;
        }
    }
    let mut areas = vec![Vec3::ZERO; vertices.len()];
    for &(edge, along) in open {
        let [a, b] = edge.map(|i| i as usize);
        let of = first(&mut group, a);
        let o = at(about[of]);
        let area = (at(a) - o).cross(at(b) - o) * 0.5;
        areas[of] += if along { area } else { -area };
    }
    areas.iter().map(|a| a.norm()).sum()
}

/// The first vertex of a vertex's group.
fn first(group: &mut [usize], mut i: usize) -> usize {
    while group[i] != i {
        group[i] = group[group[i]];
        i = group[i];
    }
    i
}

/// The open parts of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaps {
    /// Ends of an edge with a triangle on one side only [m]; `None` in a closed mesh.
    pub edge: Option<[Vec3; 2]>,
    /// Area of the holes divided by that of the surface. It is tiny for the cracks that CAD programs
    /// leave where a triangle ends half way along another one's edge.
    pub share: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit cube, wound outwards. Its twelve triangles do not share vertices.
    fn cube() -> TriMesh {
        let quads: [[u32; 4]; 6] = [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
            [4, 5, 7, 6],
        ];
        let corner = |i: u32| Vec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64);
        let mut mesh = TriMesh::default();
        for [a, b, c, d] in quads {
            for t in [[a, b, c], [a, c, d]] {
                mesh.triangles
                    .push([0, 1, 2].map(|k| mesh.vertices.len() as u32 + k));
                mesh.vertices.extend(t.map(corner));
            }
        }
        mesh
    }

    #[test]
    fn gaps_are_the_holes_of_the_surface() {
        let whole = cube();
        assert_eq!(whole.welded().vertices.len(), 8);
        assert!((whole.solid().mass - 1.0).abs() < 1e-15);
        assert_eq!(
            whole.gaps(),
            Gaps {
                edge: None,
                share: 0.0
            }
        );
        // A duplicate triangle, one without area, and one turned around: the mesh is closed all the
        // same.
        let mut odd = cube();
        odd.triangles.push(odd.triangles[0]);
        odd.triangles.push([0, 1, 1]);
        odd.triangles[5].swap(0, 1);
        assert_eq!(odd.gaps().edge, None);
        // One triangle missing; two opposite faces missing; one triangle alone.
        for (gone, share) in [(0..1, 0.5 / 5.5), (0..4, 2.0 / 4.0), (0..11, 1.0)] {
            let mut mesh = cube();
            mesh.triangles.drain(gone);
            let gaps = mesh.gaps();
            assert!((gaps.share - share).abs() < 1e-12, "{gaps:?}");
            assert!(gaps.edge.is_some());
        }
        // A vertex half way along an edge that only one of the two adjacent triangles has: a crack.
        let mut cracked = cube();
        let [a, b, c] = cracked.triangles[0];
        let n = cracked.vertices.len() as u32;
        let middle = (cracked.vertices[a as usize] + cracked.vertices[b as usize]) * 0.5;
        cracked.vertices.push(middle + Vec3::new(1e-9, 0.0, 0.0));
        cracked.triangles[0] = [a, n, c];
        cracked.triangles.push([n, b, c]);
        let gaps = cracked.gaps();
        assert!(gaps.edge.is_some() && gaps.share < 1e-9, "{gaps:?}");
    }
}
