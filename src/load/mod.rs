//! Readers of robot descriptions and meshes.
//!
//! Files may come from untrusted sources: a malformed file is an error that names the place, never a
//! panic, an exhausted stack or an unbounded allocation. No environment variable is read.

mod affine;
mod collada;
mod document;
mod glb;
pub mod height_file;
mod json;
pub mod mesh_file;
pub mod mjcf;
mod msh;
mod mtl;
mod obj;
pub mod options;
pub mod parts;
mod polygon;
pub mod soup;
mod stl;
pub mod tet_file;
mod texture;
mod tidy;
pub mod urdf;
pub mod visual;
pub(crate) mod xml;

use crate::error::{Error, Result};
use std::fs;
use std::path::Path;

/// Reads a regular file of at most `max_bytes`.
pub(crate) fn read_bytes(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let fail = |e: std::io::Error| Error::io(format!("{}: cannot be read: {e}", path.display()));
    let meta = fs::metadata(path).map_err(fail)?;
    if !meta.is_file() {
        return Err(Error::io(format!("{}: not a file", path.display())));
    }
    if meta.len() > max_bytes {
        return Err(Error::unsupported(format!(
            "{}: {} bytes, more than the {max_bytes} that are read",
            path.display(),
            meta.len()
        )));
    }
    fs::read(path).map_err(fail)
}

/// Reads an XML file as text.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    Ok(decoded(&read_bytes(path, xml::MAX_BYTES)?))
}

/// Text in UTF-8. Invalid bytes, which occur in comments and authors' names, are read as Latin-1.
pub(crate) fn decoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&b| char::from(b)));
    }
    text
}
