//! Shared code of the examples: least squares by Gauss–Newton, reports, plots, and poses.

// Each example uses its part.
#![allow(dead_code)]

pub mod gauss_newton;
pub mod plot;
pub mod pose;
pub mod report;

use diffsim::error::{Error, Result};
use std::path::PathBuf;

/// A file of `examples/models`.
pub fn model_path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("examples/models")
        .join(name)
}

/// Where the figures go: the first argument, or `target/examples-out`.
pub fn output_directory() -> Result<PathBuf> {
    let path = match std::env::args_os().nth(1) {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/examples-out"),
    };
    std::fs::create_dir_all(&path).map_err(|e| Error::io(format!("{}: {e}", path.display())))?;
    Ok(path)
}
