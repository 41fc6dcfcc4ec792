//! Writes files completely or not at all.

use crate::error::{Error, Result};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file besides the description, by its path relative to it.
pub(super) type Attached = (String, Vec<u8>);

/// A description in a format.
pub(super) struct Written {
    pub text: String,
    /// Meshes that the text names.
    pub attached: Vec<Attached>,
    pub losses: Vec<String>,
}

/// Makes the temporary names of this process's threads distinct.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// A temporary file beside its destination; it is removed unless it is put in place.
struct Aside {
    at: PathBuf,
    to: PathBuf,
}

impl Drop for Aside {
    fn drop(&mut self) {
        // Once the file is in place, there is nothing to remove.
        let _ = fs::remove_file(&self.at);
    }
}

fn fail(path: &Path, e: std::io::Error) -> Error {
    Error::io(format!("{}: cannot be written: {e}", path.display()))
}

fn aside(to: PathBuf, bytes: &[u8]) -> Result<Aside> {
    if to.is_dir() {
        return Err(Error::io(format!(
            "{}: cannot be written: it is a folder",
            to.display()
        )));
    }
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let at = to.with_file_name(format!(".diffsim-{}-{number}.part", std::process::id()));
    let mut file =
        (OpenOptions::new().write(true).create_new(true).open(&at)).map_err(|e| fail(&to, e))?;
    let aside = Aside { at, to };
    (file.write_all(bytes).and_then(|()| file.sync_all())).map_err(|e| fail(&aside.to, e))?;
    Ok(aside)
}

/// Writes the description to `path` and its attached files beside it.
///
/// # Errors
/// `Io`; no file has changed then.
pub(super) fn put(path: &Path, written: &Written) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut made = Vec::new();
    let outcome = put_in(folder, path, written, &mut made);
    if outcome.is_err() {
        // Removes folders that were made for it, if they are empty.
        made.iter().for_each(|m| drop(fs::remove_dir(m)));
    }
    outcome
}

fn put_in(folder: &Path, path: &Path, written: &Written, made: &mut Vec<PathBuf>) -> Result<()> {
    let mut all = Vec::new();
    for (name, bytes) in &written.attached {
        let to = folder.join(name);
        if let Some(parent) = to
            .parent()
            .filter(|p| !p.as_os_str().is_empty() && !p.exists())
        {
            fs::create_dir(parent).map_err(|e| fail(parent, e))?;
            made.push(parent.to_owned());
        }
        all.push(aside(to, bytes)?);
    }
    all.push(aside(path.to_owned(), written.text.as_bytes())?);
    for file in &all {
        fs::rename(&file.at, &file.to).map_err(|e| fail(&file.to, e))?;
    }
    Ok(())
}
