//! Triangles as the readers of mesh files find them, with their colours.

use super::polygon::cut;
use crate::error::{Error, Result};
use crate::model::mesh::TriMesh;
use crate::spatial::Vec3;
use std::collections::HashMap;
use std::sync::Arc;

/// Most triangles a mesh may have.
pub use crate::collision::polytope::MAX_TRIANGLES;

/// A colour, each part from 0 to 1; NaN if the file gives none.
pub type Rgba = [f32; 4];

/// No colour.
pub const UNPAINTED: Rgba = [f32::NAN; 4];

/// A corner's own colour r g b; or, if its triangle has an image, its place u v there (v upward) and 0;
/// NaN if it has neither.
pub type Corner = [f32; 3];

/// The colours of a mesh's corners, or their places in the bytes of a PNG or JPEG image.
#[derive(Debug)]
pub struct Coat {
    /// Of each triangle.
    pub corners: Vec<[Corner; 3]>,
    pub image: Option<Arc<[u8]>>,
}

/// A colour, and an image by its number from 1; 0 for none.
pub(super) type Paint = (Rgba, usize);

/// Triangles collected from the parts of a file.
pub(super) struct Soup {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Of each triangle.
    paint: Vec<Paint>,
    /// Of the first triangles, up to the last with a corner that has something.
    corners: Vec<[Corner; 3]>,
    /// Paint of the next triangles.
    next: Paint,
}

/// The triangles of a file.
pub(super) struct Finished {
    pub mesh: TriMesh,
    pub paint: Vec<Paint>,
    /// As many as there are triangles, or none.
    pub corners: Vec<[Corner; 3]>,
}

impl Default for Soup {
    fn default() -> Self {
        Soup {
            vertices: Vec::new(),
            triangles: Vec::new(),
            paint: Vec::new(),
            corners: Vec::new(),
            next: (UNPAINTED, 0),
        }
    }
}

impl Soup {
    /// Sets the paint of the next triangles.
    pub(super) fn paint(&mut self, paint: Paint) {
        self.next = paint;
    }

    /// Sets the corners of all triangles from number `first` on. The arguments of `of` are the number of a
    /// triangle from there, the number of a corner in it, and the vertex of the corner.
    pub(super) fn dress(&mut self, first: usize, of: impl Fn(usize, usize, u32) -> Corner) {
        self.corners.resize(first, [[f32::NAN; 3]; 3]);
        for (i, t) in self.triangles[first..].iter().enumerate() {
            self.corners.push(std::array::from_fn(|k| of(i, k, t[k])));
        }
    }

    /// Adds a vertex and gives its index.
    pub(super) fn vertex(&mut self, v: Vec3) -> Result<u32> {
        if self.vertices.len() == 3 * MAX_TRIANGLES {
            return Err(Error::unsupported(format!(
                "the mesh has more than {} vertices",
                3 * MAX_TRIANGLES
            )));
        }
        self.vertices.push(v);
        Ok(self.vertices.len() as u32 - 1)
    }

    /// Adds a triangle of existing vertices.
    pub(super) fn triangle(&mut self, t: [u32; 3]) -> Result<()> {
        if let Some(bad) = t.iter().find(|&&i| i as usize >= self.vertices.len()) {
            return Err(Error::parse(format!(
                "a triangle has vertex {bad}, counted from 0, of {}",
                self.vertices.len()
            )));
        }
        if self.triangles.len() == MAX_TRIANGLES {
            return Err(too_many(None));
        }
        self.triangles.push(t);
        self.paint.push(self.next);
        Ok(())
    }

    /// Adds the triangles of a polygon of existing vertices.
    pub(super) fn polygon(&mut self, corners: &[u32]) -> Result<()> {
        if let [a, b, c] = *corners {
            return self.triangle([a, b, c]);
        }
        let mut triangles = Vec::new();
        let vertices = &self.vertices;
        cut(
            corners,
            |i| vertices.get(i as usize).copied(),
            &mut triangles,
        );
        triangles.into_iter().try_for_each(|t| self.triangle(t))
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    pub(super) fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    pub(super) fn finish(mut self) -> Result<Finished> {
        if self.triangles.is_empty() {
            return Err(Error::parse("the mesh has no triangles"));
        }
        let mut mesh = TriMesh {
            vertices: Vec::new(),
            triangles: self.triangles,
        };
        let mut merged: HashMap<[u64; 3], u32> = HashMap::new();
        for corner in mesh.triangles.iter_mut().flatten() {
            let v = self.vertices[*corner as usize];
            if !v.is_finite() {
                return Err(Error::parse(format!(
                    "vertex {corner} is not finite: ({} {} {})",
                    v.x, v.y, v.z
                )));
            }
            // Adding zero makes −0 and 0 the same key.
            let key = v.to_array().map(|x| (x + 0.0).to_bits());
            *corner = *merged.entry(key).or_insert_with(|| {
                mesh.vertices.push(v);
                mesh.vertices.len() as u32 - 1
            });
        }
        if !self.corners.is_empty() {
            self.corners
                .resize(mesh.triangles.len(), [[f32::NAN; 3]; 3]);
        }
        Ok(Finished {
            mesh,
            paint: self.paint,
            corners: self.corners,
        })
    }
}

/// The refusal of a mesh with `count` triangles, or of one too long to count.
pub(super) fn too_many(count: Option<usize>) -> Error {
    let found = count.map_or_else(|| "more".to_owned(), |n| format!("{n} triangles, more"));
    Error::unsupported(format!(
        "the mesh has {found} than the {MAX_TRIANGLES} triangles that are read"
    ))
}

/// A coordinate of a text file, in the precision of binary files.
pub(super) fn coordinate(word: &str, line: usize) -> Result<f64> {
    word.parse::<f32>()
        .map(f64::from)
        .map_err(|_| Error::parse(format!("line {line}: expected a number, got \"{word}\"")))
}
