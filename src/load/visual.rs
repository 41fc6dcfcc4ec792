//! What is drawn of a robot and touches nothing.

use super::mesh::Rgba;
use super::urdf;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::spec::ShapeSpec;
use crate::spatial::Pose;
use std::path::{Path, PathBuf};

/// A drawn shape on a body.
#[derive(Clone, Debug)]
pub struct Visual {
    pub name: String,
    pub body: usize,
    /// In the body's frame.
    pub placement: Pose,
    pub shape: ShapeSpec,
    pub rgba: Rgba,
}

/// What a file draws.
#[derive(Clone, Debug, Default)]
pub struct Visuals {
    pub shapes: Vec<Visual>,
    /// Number of shapes left out, because their mesh is missing or cannot be read.
    pub left_out: usize,
    /// Why, and which colours could not be told: one line each.
    pub warnings: Vec<String>,
}

/// What a file draws of the bodies of a model that was loaded from it: the `<visual>` of a URDF. Of an MJCF nothing: its
/// geoms that touch nothing are in the model.
///
/// # Errors
/// `Io`, `Parse`, and `Unsupported` for other files.
pub fn read_visuals(path: &Path, mesh_dirs: &[PathBuf], model: &Model) -> Result<Visuals> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("urdf") => {
            let text = super::read_text(path)?;
            urdf::visuals(&text, path.parent(), mesh_dirs, model).map_err(|e| Error {
                status: e.status,
                message: format!("{}: {}", path.display(), e.message),
            })
        }
        Some("xml" | "mjcf") => Ok(Visuals::default()),
        _ => Err(Error::unsupported(format!(
            "path: expected a file .urdf, .xml or .mjcf, got \"{}\"",
            path.display()
        ))),
    }
}
