//! Visual shapes of a robot, which touch nothing.

use super::soup::{Coat, Rgba};
use crate::model::spec::ShapeSpec;
use crate::spatial::Pose;
use std::path::PathBuf;
use std::sync::Arc;

/// A drawn shape on a body.
#[derive(Clone, Debug)]
pub struct Visual {
    pub name: String,
    pub body: usize,
    /// In the body's frame.
    pub placement: Pose,
    pub shape: ShapeSpec,
    pub rgba: Rgba,
    /// Colours or an image of the mesh's corners.
    pub coat: Option<Arc<Coat>>,
    /// The mesh file of the shape, if it has one.
    pub file: Option<PathBuf>,
}

/// The visual shapes of a file.
#[derive(Clone, Debug, Default)]
pub struct Visuals {
    pub shapes: Vec<Visual>,
    /// Number of shapes left out because their mesh is missing or unreadable.
    pub left_out: usize,
    /// The reasons, and the unreadable colours: one line each.
    pub warnings: Vec<String>,
}
