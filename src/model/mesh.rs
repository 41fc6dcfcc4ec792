//! Triangle meshes: what a file holds, and the solid they bound.

use crate::spatial::{Inertia, Mat3, Pose, Sym3, Vec3};

/// Vertices and triangles, as read; duplicates and open edges are allowed here.
#[derive(Clone, Debug, Default)]
pub struct TriMesh {
    /// [m], after the file's scale.
    pub vertices: Vec<Vec3>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// Volume and unit-density inertia of the solid, by signed tetrahedra from the origin.
    /// Negative volume: the triangles are wound inwards.
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
}
