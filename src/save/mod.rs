//! Writers of robot descriptions: a model as MJCF or URDF.
//!
//! A writer writes everything that its format can express, in numbers that this library reads back to the
//! same bits if the arithmetic of the format allows it. It reports everything that the format cannot express.

mod aim;
mod equalities;
mod inertias;
mod losses;
mod mjcf;
mod mjcf_actuators;
mod mjcf_sensors;
mod mjcf_tendons;
mod names;
mod obj;
mod pieces;
mod shapes;
mod urdf;
mod whole_file;
mod writer;
mod xml_text;

use crate::error::{Error, Result};
use crate::load::options::Format;
use crate::model::Model;
use std::path::Path;
use whole_file::Written;

/// Writes a model to a file: `.urdf`, or `.xml` and `.mjcf` for MJCF. Returns the things that the format
/// cannot express, one line each. An MJCF contains its meshes; meshes of a URDF go to OBJ files in the folder
/// `<name>_meshes` beside it. All files are written under temporary names before any is put in place.
///
/// # Errors
/// `Unsupported` for another extension and, if `strict`, if the format cannot express everything; `Io` if a
/// file cannot be written. No file has changed then.
pub fn save_file(model: &Model, path: &Path, strict: bool) -> Result<Vec<String>> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let format = match extension.as_deref() {
        Some("urdf") => Format::Urdf,
        Some("xml" | "mjcf") => Format::Mjcf,
        _ => {
            return Err(Error::unsupported(format!(
                "path: expected a file .urdf, .xml or .mjcf, got \"{}\"",
                path.display()
            )));
        }
    };
    let stem = path.file_stem().map(|s| s.to_string_lossy());
    let written = write(model, format, &stem.unwrap_or_default())?;
    if strict && !written.losses.is_empty() {
        return Err(Error::unsupported(format!(
            "{}: the format cannot say all of the model: {}",
            path.display(),
            written.losses.join("; ")
        )));
    }
    whole_file::put(path, &written)?;
    Ok(written.losses)
}

fn write(model: &Model, format: Format, stem: &str) -> Result<Written> {
    if let Some(varying) = model.topology().varying.first() {
        let joint = model.joint(model.topology().links[varying.link].joint);
        return Err(Error::unsupported(format!(
            "joint \"{}\": no file format has joints whose motion subspace varies",
            joint.name
        )));
    }
    match format {
        Format::Mjcf => mjcf::write(model),
        Format::Urdf => urdf::write(model, stem),
    }
}
