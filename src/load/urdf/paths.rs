//! From the `filename` of a mesh to a file.

use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// Finds the file that `name` means.
///
/// # Errors
/// `Io` if there is none, with the places where it was looked for; `Unsupported` for a scheme other
/// than `package`, `model` and `file`.
pub(super) fn resolve(
    name: &str,
    base_dir: Option<&Path>,
    mesh_dirs: &[PathBuf],
) -> Result<PathBuf> {
    let mut candidates = Vec::new();
    match name.split_once("://") {
        Some(("file", path)) => candidates.push(PathBuf::from(path)),
        Some(("package" | "model", path)) => {
            for dir in mesh_dirs {
                candidates.push(dir.join(path));
                if let Some((_package, inner)) = path.split_once('/') {
                    candidates.push(dir.join(inner));
                }
            }
            let ancestors = base_dir.into_iter().flat_map(Path::ancestors);
            candidates.extend(ancestors.map(|dir| dir.join(path)));
        }
        Some((scheme, _)) => {
            return Err(Error::unsupported(format!(
                "\"{name}\": expected a path, package:// or file://, got {scheme}://"
            )));
        }
        None => {
            let path = Path::new(name);
            if path.is_absolute() {
                candidates.push(path.to_owned());
            } else {
                let dirs = base_dir
                    .into_iter()
                    .chain(mesh_dirs.iter().map(PathBuf::as_path));
                candidates.extend(dirs.map(|dir| dir.join(path)));
            }
        }
    }
    if let Some(found) = candidates.iter().find(|path| path.is_file()) {
        return Ok(found.clone());
    }
    let tried: Vec<_> = candidates.iter().map(|p| p.display().to_string()).collect();
    Err(Error::io(if tried.is_empty() {
        format!("\"{name}\" not found: no directory to look in was given")
    } else {
        format!("\"{name}\" not found; tried {}", tried.join(", "))
    }))
}
