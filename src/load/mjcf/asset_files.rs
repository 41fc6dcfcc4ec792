//! Finds the files that assets name.

use super::node::Node;
use super::settings::Compiler;
use crate::error::Result;
use std::path::{Path, PathBuf};

/// Options for reading an MJCF file.
#[derive(Clone, Debug, Default)]
pub struct MjcfOptions {
    /// Directories that are searched for mesh files after the file's own `meshdir`.
    pub mesh_dirs: Vec<PathBuf>,
}

/// The directories of files that assets name.
pub(super) struct Files<'a> {
    pub base_dir: Option<&'a Path>,
    pub compiler: &'a Compiler,
    pub options: &'a MjcfOptions,
}

impl Files<'_> {
    pub fn find(&self, node: Node<'_>, file: &str) -> Result<PathBuf> {
        // Windows files have backslashes.
        let file = &file.replace('\\', "/");
        let name = if self.compiler.strip_path {
            Path::new(file).file_name().map(Path::new)
        } else {
            Some(Path::new(file))
        }
        .ok_or_else(|| node.error(format!("file: {file:?} is not the name of a file")))?;
        let mut candidates = Vec::new();
        let in_mesh_dir = match &self.compiler.mesh_dir {
            Some(dir) => Path::new(&dir.replace('\\', "/")).join(name),
            None => name.to_path_buf(),
        };
        match self.base_dir {
            Some(base) => candidates.push(base.join(&in_mesh_dir)),
            None => candidates.push(in_mesh_dir),
        }
        candidates.extend(self.options.mesh_dirs.iter().map(|d| d.join(name)));
        match candidates.iter().find(|p| p.is_file()) {
            Some(path) => Ok(path.clone()),
            None => {
                let tried: Vec<String> =
                    candidates.iter().map(|p| p.display().to_string()).collect();
                Err(node.io(format!(
                    "file {file:?} not found (looked for: {}); give their directory in mesh_dirs",
                    tried.join(", ")
                )))
            }
        }
    }
}
