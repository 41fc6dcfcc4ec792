//! Placeholder until the branch mjcf is merged: the same names, refusing every file.

use crate::error::{Error, Result};
use crate::model::spec::ModelSpec;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default)]
pub struct MjcfOptions {
    pub mesh_dirs: Vec<PathBuf>,
}

pub fn read_file(path: &Path, _: &MjcfOptions) -> Result<ModelSpec> {
    Err(Error::unsupported(format!("{}: MJCF", path.display())))
}

pub fn read_str(_: &str, _: Option<&Path>, _: &MjcfOptions) -> Result<ModelSpec> {
    Err(Error::unsupported("MJCF"))
}
