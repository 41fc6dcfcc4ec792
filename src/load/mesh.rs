//! Triangle meshes from STL, OBJ and COLLADA files.

use super::{collada, obj, read_bytes, stl};
use crate::error::{Error, Result};
use crate::model::mesh::TriMesh;
use crate::spatial::Vec3;
use std::collections::HashMap;
use std::path::Path;

/// Most triangles a mesh may have.
pub const MAX_TRIANGLES: usize = 2_000_000;

/// Largest mesh file that is read.
pub const MAX_BYTES: u64 = 512 << 20;

/// Reads a mesh by its extension: `.stl` (text or binary), `.obj` or `.dae`, in any case.
///
/// Coordinates are the file's. COLLADA is read as its scene places the parts, in metres by its
/// `<unit>`; its `<up_axis>` is ignored, as RViz, MoveIt and Pinocchio do and robots' files expect.
/// Parts are joined into one mesh, polygons cut into the triangles about their first corner,
/// vertices at exactly the same place merged, and those that no triangle uses dropped. STL and OBJ
/// coordinates are rounded to single precision, so that text and binary files agree.
///
/// # Errors
/// `Io` for a file that cannot be read; `Parse` for one that is not of its format, or has a
/// number that is not finite or no triangles; `Unsupported` for other extensions, more than
/// [`MAX_TRIANGLES`] triangles or more than [`MAX_BYTES`] bytes. The message names the file.
pub fn load_mesh(path: &Path) -> Result<TriMesh> {
    let format = Format::of(path).ok_or_else(|| {
        Error::unsupported(format!(
            "{}: meshes are read from .stl, .obj and .dae files",
            path.display()
        ))
    })?;
    parse_mesh(&read_bytes(path, MAX_BYTES)?, format).map_err(|e| Error {
        status: e.status,
        message: format!("{}: {}", path.display(), e.message),
    })
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Stl,
    Obj,
    Collada,
}

impl Format {
    fn of(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "stl" => Some(Format::Stl),
            "obj" => Some(Format::Obj),
            "dae" => Some(Format::Collada),
            _ => None,
        }
    }
}

fn parse_mesh(bytes: &[u8], format: Format) -> Result<TriMesh> {
    let mut soup = Soup::default();
    match format {
        Format::Stl => stl::read(bytes, &mut soup)?,
        Format::Obj => obj::read(bytes, &mut soup)?,
        Format::Collada => collada::read(bytes, &mut soup)?,
    }
    soup.finish()
}

/// Triangles as they are collected from the parts of a file.
#[derive(Default)]
pub(super) struct Soup {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Soup {
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

    /// Adds a triangle of vertices that have been added.
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
        Ok(())
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    fn finish(self) -> Result<TriMesh> {
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
        Ok(mesh)
    }
}

/// The refusal of a mesh with `count` triangles, or of one too long to count.
pub(super) fn too_many(count: Option<usize>) -> Error {
    let found = count.map_or_else(|| "more".to_owned(), |n| format!("{n} triangles, more"));
    Error::unsupported(format!(
        "the mesh has {found} than the {MAX_TRIANGLES} triangles that are read"
    ))
}

/// A coordinate of a text file, in the precision that binary files have.
pub(super) fn coordinate(word: &str, line: usize) -> Result<f64> {
    word.parse::<f32>()
        .map(f64::from)
        .map_err(|_| Error::parse(format!("line {line}: expected a number, got \"{word}\"")))
}
