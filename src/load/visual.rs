//! What is drawn of a robot and touches nothing.

use super::soup::Rgba;
use crate::model::spec::ShapeSpec;
use crate::spatial::Pose;
use std::path::PathBuf;

/// A drawn shape on a body.
#[derive(Clone, Debug)]
pub struct Visual {
    pub name: String,
    pub body: usize,
    /// In the body's frame.
    pub placement: Pose,
    pub shape: ShapeSpec,
    pub rgba: Rgba,
    /// Of a mesh that a file holds.
    pub file: Option<PathBuf>,
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
