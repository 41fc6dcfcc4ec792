//! `<hfield>`: heights from the text, from a file, or constant.

use super::asset_files::Files;
use super::node::Node;
use super::warnings::Warnings;
use crate::error::{Error, Result};
use crate::load::height_file::{HeightFormat, Heights, load_heights, nodes};
use crate::model::spec::HeightField;

/// Reads a height field with at most `budget` nodes.
///
/// Heights are scaled to lie between 0 and the third number of `size`, as in MuJoCo.
pub(super) fn read(
    node: Node<'_>,
    files: &Files<'_>,
    budget: usize,
    warnings: &mut Warnings,
) -> Result<HeightField> {
    let size = node
        .array::<4>("size")?
        .ok_or_else(|| node.error("attribute size is missing"))?;
    if size.iter().any(|&x| x <= 0.0) {
        return Err(node.error(format!("size: expected numbers > 0, found {size:?}")));
    }
    let Heights {
        rows,
        columns,
        mut values,
    } = match node.text("file").filter(|file| !file.is_empty()) {
        Some(file) => from_file(node, file, files, budget, warnings)?,
        None => from_text(node, budget)?,
    };
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let scale = if high > low {
        size[2] / (high - low)
    } else {
        0.0
    };
    for z in &mut values {
        *z = (*z - low) * scale;
    }
    Ok(HeightField {
        columns,
        rows,
        half_extents: [size[0], size[1]],
        base: size[3],
        heights: values,
    })
}

fn from_file(
    node: Node<'_>,
    file: &str,
    files: &Files<'_>,
    budget: usize,
    warnings: &mut Warnings,
) -> Result<Heights> {
    let kinds = [
        ("image/png", HeightFormat::Png),
        ("image/vnd.mujoco.hfield", HeightFormat::Binary),
    ];
    let format = node.keyword("content_type", &kinds)?;
    if ["nrow", "ncol", "elevation"]
        .iter()
        .any(|name| node.has(name))
    {
        warnings.add(
            node,
            "nrow, ncol and elevation are not used beside a file, as in MuJoCo",
        );
    }
    let path = files.find(node, file)?;
    load_heights(&path, format, budget).map_err(|e| within(node, &format!("file {file:?}: "), e))
}

fn from_text(node: Node<'_>, budget: usize) -> Result<Heights> {
    let dimension = |name: &str| match node.integer(name)? {
        Some(n) if n >= 2 => Ok(n as usize),
        n => Err(node.error(format!(
            "{name}: expected 2 or more, found {}",
            n.map_or("nothing".to_string(), |n| n.to_string())
        ))),
    };
    let (rows, columns) = (dimension("nrow")?, dimension("ncol")?);
    let count = nodes(rows, columns, budget).map_err(|e| within(node, "", e))?;
    let values = match node.list("elevation")? {
        None => vec![0.0; count],
        Some(e) if e.len() != count => {
            return Err(node.error(format!(
                "elevation: expected nrow·ncol = {count} numbers, found {}",
                e.len()
            )));
        }
        // The text shows the field from above: its first row has the largest y.
        Some(e) => e.chunks(columns).rev().flatten().copied().collect(),
    };
    Ok(Heights {
        rows,
        columns,
        values,
    })
}

/// Adds the place of the element and a subject to an error. The status stays.
fn within(node: Node<'_>, about: &str, e: Error) -> Error {
    Error {
        status: e.status,
        message: node.error(format!("{about}{}", e.message)).message,
    }
}
