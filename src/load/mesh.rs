//! Triangle meshes from STL, OBJ and COLLADA files.

use super::{collada, read_bytes};
use crate::error::{Error, Result};
use crate::model::mesh::TriMesh;
use crate::spatial::Vec3;
use std::collections::HashMap;
use std::path::Path;

/// Most triangles a mesh may have.
pub const MAX_TRIANGLES: usize = 2_000_000;

/// Largest mesh file that is read.
pub const MAX_BYTES: u64 = 512 << 20;

/// Size of a binary STL's header and count, and of each of its triangles.
const STL_HEADER: usize = 84;
const STL_TRIANGLE: usize = 50;

/// Reads a mesh by its extension: `.stl` (text or binary), `.obj` or `.dae`, in any case.
///
/// Coordinates are the file's, for COLLADA those of its scene in metres. Parts are joined into
/// one mesh, polygons cut into triangles, vertices at exactly the same place merged; vertices
/// that no triangle uses are dropped, their order otherwise kept. STL and OBJ coordinates are
/// rounded to single precision, which binary STL has anyway.
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
        Format::Stl => read_stl(bytes, &mut soup)?,
        Format::Obj => read_obj(bytes, &mut soup)?,
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
    /// Adds a part; its triangles index its own vertices.
    ///
    /// # Errors
    /// `Parse` for an index that no vertex has, `Unsupported` above [`MAX_TRIANGLES`].
    pub(super) fn add(
        &mut self,
        vertices: impl ExactSizeIterator<Item = Vec3>,
        triangles: impl IntoIterator<Item = [u32; 3]>,
    ) -> Result<()> {
        let (base, count) = (self.vertices.len() as u32, vertices.len());
        if self.vertices.len() + count > 3 * MAX_TRIANGLES {
            return Err(too_many(None));
        }
        self.vertices.extend(vertices);
        for t in triangles {
            if let Some(bad) = t.iter().find(|&&i| i as usize >= count) {
                return Err(Error::parse(format!(
                    "a triangle has vertex {bad} of a part with {count} vertices"
                )));
            }
            if self.triangles.len() == MAX_TRIANGLES {
                return Err(too_many(None));
            }
            self.triangles.push(t.map(|i| i + base));
        }
        Ok(())
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

#[cold]
fn too_many(count: Option<usize>) -> Error {
    let found = count.map_or_else(|| "more".to_owned(), |n| n.to_string());
    Error::unsupported(format!(
        "the mesh has {found} triangles; at most {MAX_TRIANGLES} are read"
    ))
}

fn widen(v: &[f32; 3]) -> Vec3 {
    Vec3::new(v[0] as f64, v[1] as f64, v[2] as f64)
}

fn read_stl(bytes: &[u8], soup: &mut Soup) -> Result<()> {
    let start = bytes.trim_ascii_start();
    if !start.starts_with(b"solid") || is_binary_stl(bytes) {
        let Some(count) = stl_count(bytes) else {
            return Err(Error::parse(format!(
                "{} bytes are less than a binary STL's header, and no text STL starts so",
                bytes.len()
            )));
        };
        if count > MAX_TRIANGLES {
            return Err(too_many(Some(count)));
        }
        let need = STL_HEADER + count * STL_TRIANGLE;
        if bytes.len() < need {
            return Err(Error::parse(format!(
                "truncated: {count} triangles need {need} bytes, the file has {}",
                bytes.len()
            )));
        }
    } else {
        limit_count(bytes, b"endloop")?;
    }
    let scene =
        mesh_loader::stl::from_slice(bytes).map_err(|e| Error::parse(format!("STL: {e}")))?;
    add_scene(&scene, soup)
}

/// The number of triangles that a binary STL claims to have.
fn stl_count(bytes: &[u8]) -> Option<usize> {
    let word = bytes.get(STL_HEADER - 4..STL_HEADER)?.try_into().ok()?;
    Some(u32::from_le_bytes(word) as usize)
}

/// Whether the size is that of a binary STL: some of their headers start with "solid".
fn is_binary_stl(bytes: &[u8]) -> bool {
    stl_count(bytes).is_some_and(|n| bytes.len() == STL_HEADER + n * STL_TRIANGLE)
}

fn read_obj(bytes: &[u8], soup: &mut Soup) -> Result<()> {
    limit_count(bytes, b"\nf ")?;
    // Materials would be read from other files.
    let no_files = |_: &Path| -> std::io::Result<Vec<u8>> { Ok(Vec::new()) };
    let scene = mesh_loader::obj::from_slice(bytes, None, no_files)
        .map_err(|e| Error::parse(format!("OBJ: {e}")))?;
    add_scene(&scene, soup)
}

/// Refuses a text in which `mark`, found once a face, comes too often.
fn limit_count(bytes: &[u8], mark: &[u8]) -> Result<()> {
    let last = mark[mark.len() - 1];
    let mut count = 0;
    for (i, _) in bytes.iter().enumerate().filter(|&(_, &b)| b == last) {
        count += usize::from(bytes[..=i].ends_with(mark));
        if count > MAX_TRIANGLES {
            return Err(too_many(None));
        }
    }
    Ok(())
}

fn add_scene(scene: &mesh_loader::Scene, soup: &mut Soup) -> Result<()> {
    for part in &scene.meshes {
        soup.add(part.vertices.iter().map(widen), part.faces.iter().copied())?;
    }
    Ok(())
}
