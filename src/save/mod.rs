//! Writers of robot descriptions: a model as MJCF or URDF.
//!
//! A writer says all that its format can say, in numbers that this library reads back to the same bits where the
//! format's own arithmetic allows it. What the format cannot say is told to the caller, never dropped in silence.

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

/// Writes a model to a file: `.urdf`, or `.xml` and `.mjcf` for MJCF. Gives what the format cannot say, one line
/// each. Meshes stand within an MJCF; those of a URDF go to OBJ files in the folder `<name>_meshes` beside it. All is
/// written aside before any of it is put in place.
///
/// # Errors
/// `Unsupported` for another extension and, if `strict`, where the format cannot say all; `Io` where a file cannot be
/// written. No file has changed then.
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
