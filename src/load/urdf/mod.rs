//! URDF: links and joints, as in the specification of the ROS `urdf` package.
//!
//! - Every link becomes a body with its name. A link on a fixed joint stays a separate body. Its joint
//!   is kept by name as [`JointKind::Fixed`](crate::model::spec::JointKind::Fixed).
//! - The root link is welded to the world by a body without joints. A root link called `world` is the
//!   world itself; its inertia is dropped.
//! - Bodies are numbered depth first, siblings in the order of their joints in the file.
//! - A link's inertia is kept unchanged, even if it is zero. A link without `<inertial>` has none.
//! - Geometries come from `<collision>` under its `name`. One without a name, or with a name in use, is
//!   called `<link>_<k>` with k its index among the link's collisions, from 0. `<visual>` is read by
//!   `visuals`.
//! - Extensions of the specification: `type="spherical"` (or `ball`) joints, `<capsule radius length>`
//!   with the length of its cylindrical part, `quat_xyzw` in `<origin>`.
//! - Parts that are read but not used are lines in [`ModelSpec::warnings`], one for each kind, with the
//!   place of the first one.

mod joint;
mod link;
mod mimic;
mod paths;
mod policy;
mod proximity;
mod transmission;
mod tree;
mod visual;
mod warnings;

#[cfg(test)]
mod tests;

use super::document::with_document;
use super::xml::{Element, Lines};
use crate::error::{Error, Result};
use crate::model::spec::ModelSpec;
use joint::Joint;
pub(crate) use link::from_rpy;
use link::{Link, Meshes};
pub(crate) use paths::Folders;
pub use policy::{Mimic, MissingMesh, UrdfOptions};
use roxmltree::Document;
use std::collections::HashMap;
use std::path::Path;
pub(crate) use visual::visuals;
use warnings::Warnings;

/// Reads a URDF file.
///
/// # Errors
/// `Io` for a file or mesh that cannot be read, `Parse` for text that is not a URDF, `Unsupported` for
/// features that this version does not have. The message has the file, the line, the element and its
/// name.
pub fn read_file(path: &Path, options: &UrdfOptions) -> Result<ModelSpec> {
    let text = super::read_text(path)?;
    let folders = Folders::of_file(path, &options.mesh_dirs);
    read_in(&text, &folders, options).map_err(|e| Error {
        status: e.status,
        message: format!("{}: {}", path.display(), e.message),
    })
}

/// Reads a URDF text. Meshes are searched as if the file were in `base_dir`.
///
/// # Errors
/// As [`read_file`], without the name of the file.
pub fn read_str(text: &str, base_dir: Option<&Path>, options: &UrdfOptions) -> Result<ModelSpec> {
    read_in(
        text,
        &Folders::of_dir(base_dir, &options.mesh_dirs),
        options,
    )
}

fn read_in(text: &str, folders: &Folders, options: &UrdfOptions) -> Result<ModelSpec> {
    with_document(text, "", |document| read_robot(document, folders, options)).map_err(|mut e| {
        if text.contains("<xacro:") {
            e.message +=
                "; the file has macros of xacro: expand it first (xacro FILE -o robot.urdf)";
        }
        e
    })
}

fn read_robot(
    document: &Document<'_>,
    folders: &Folders,
    options: &UrdfOptions,
) -> Result<ModelSpec> {
    let lines = Lines::new(document.input_text());
    let robot = Element::root(document, &lines);
    if robot.tag() != "robot" {
        return Err(robot.error("expected the root element <robot>"));
    }

    let mut warnings = Warnings::default();
    let folders = folders.of_robot(robot);
    let mut meshes = Meshes::new(&folders);
    let (mut links, mut joints) = (Vec::<Link>::new(), Vec::<Joint>::new());
    let mut transmissions = Vec::new();
    let mut names = Names::default();
    warnings.unknown_attributes(robot, &["name", "version"]);
    for child in robot.children().map(Element::as_owner) {
        match child.tag() {
            "link" => {
                names.claim("link", child)?;
                warnings.repeated(child);
                links.push(link::read(child, &mut meshes, &mut warnings)?);
            }
            "joint" => {
                names.claim("joint", child)?;
                warnings.repeated(child);
                joints.push(joint::read(child, options.mimic, &mut warnings)?);
            }
            "material" => {}
            "transmission" if options.transmissions => {
                warnings.repeated(child);
                transmissions.push(child);
            }
            "transmission" => warnings.add(
                child,
                "ignored: transmissions = 1 makes actuators of them, actuation = DS_ACTUATION_JOINTS gives \
                 joints inputs",
            ),
            "gazebo" => warnings.add(
                child,
                "ignored, with its friction, damping and sensor settings",
            ),
            "mujoco" => warnings.add(child, "ignored, except meshdir of its <compiler>"),
            "sensor" | "ros2_control" => warnings.add(child, "ignored"),
            _ => warnings.unknown_element(child),
        }
    }

    let equalities = mimic::couplings(joints.iter().map(|j| (&j.spec, j.follow.as_ref())))?;
    let driven = joints.iter().map(|j| &j.spec);
    let actuators = transmission::actuators(&transmissions, driven, &mut warnings)?;
    let mut spec = tree::assemble(robot, links, joints, &mut warnings)?;
    spec.equalities = equalities;
    spec.actuators = actuators;
    if let Some(e) = (meshes.missing.error()).filter(|_| options.missing_mesh == MissingMesh::Error)
    {
        return Err(e);
    }
    spec.name = robot.attribute("name").unwrap_or_default().to_owned();
    spec.warnings = warnings.into_lines();
    spec.warnings.extend(meshes.missing.warnings());
    Ok(spec)
}

/// Names seen so far with their lines, for each kind of element.
#[derive(Default)]
struct Names<'a>(HashMap<(&'static str, &'a str), usize>);

impl<'a> Names<'a> {
    fn claim(&mut self, kind: &'static str, element: Element<'a, '_>) -> Result<()> {
        let name = element.required("name")?;
        match self.0.insert((kind, name), element.line()) {
            Some(line) => Err(element.error(format!(
                "a second {kind} with this name; the first is at line {line}"
            ))),
            None => Ok(()),
        }
    }
}
