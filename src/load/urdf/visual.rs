//! `<visual>`: the drawn shapes of links.

use super::link::{from_scale, nothing, origin, primitive};
use super::paths::{Folders, Missing};
use super::warnings::Warnings;
use crate::error::{Result, Status};
use crate::load::document::with_document;
use crate::load::parts::load_parts;
use crate::load::soup::{Coat, Rgba, UNPAINTED};
use crate::load::visual::{Visual, Visuals};
use crate::load::xml::{Element, Lines};
use crate::model::Model;
use crate::model::spec::{MeshMode, OpenMesh, ShapeSpec};
use crate::spatial::Vec3;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Pieces of a mesh file at a scale, each of one colour; `None` if it cannot be read.
type Pieces = Option<Vec<(ShapeSpec, Rgba, Option<Arc<Coat>>)>>;

struct Reader<'m> {
    folders: &'m Folders,
    missing: Missing,
    materials: HashMap<String, Rgba>,
    meshes: HashMap<(PathBuf, [u64; 3]), Pieces>,
    warned: HashSet<String>,
    found: Visuals,
}

/// The visual shapes in a URDF text, for a model that was loaded from it. Shapes with a missing or
/// unreadable mesh are left out. A mesh's own materials take precedence over those of the URDF, as in
/// RViz, Gazebo and Drake: many URDFs have a material that means nothing.
///
/// # Errors
/// `Parse` for text that is not a URDF.
pub(crate) fn visuals(text: &str, folders: &Folders, model: &Model) -> Result<Visuals> {
    with_document(text, "", |document| {
        let lines = Lines::new(document.input_text());
        let robot = Element::root(document, &lines);
        let folders = folders.of_robot(robot);
        let mut reader = Reader {
            folders: &folders,
            missing: Missing::default(),
            materials: HashMap::new(),
            meshes: HashMap::new(),
            warned: HashSet::new(),
            found: Visuals::default(),
        };
        // Materials of the robot take precedence over those that a visual defines for others.
        let of_links = robot.children().filter(|c| c.tag() == "link");
        let of_visuals = of_links.flat_map(|l| l.children().filter(|c| c.tag() == "visual"));
        for owner in std::iter::once(robot).chain(of_visuals) {
            for material in owner.children().filter(|c| c.tag() == "material") {
                if let (Some(name), Some(rgba)) = (material.attribute("name"), colour(material)?) {
                    reader.materials.entry(name.to_owned()).or_insert(rgba);
                }
            }
        }
        for link in robot.children().filter(|c| c.tag() == "link") {
            let Some(body) = model.body_id(link.required("name")?) else {
                continue;
            };
            for visual in link.children().filter(|c| c.tag() == "visual") {
                reader.visual(visual, body)?;
            }
        }
        reader.found.warnings.extend(reader.missing.warnings());
        Ok(reader.found)
    })
}

fn colour(material: Element) -> Result<Option<Rgba>> {
    let Some(color) = material.first("color") else {
        return Ok(None);
    };
    let rgba = color.numbers::<4>("rgba")?;
    Ok(rgba.map(|rgba| rgba.map(|x| x.clamp(0.0, 1.0) as f32)))
}

impl Reader<'_> {
    fn visual(&mut self, visual: Element, body: usize) -> Result<()> {
        let placement = origin(visual, &mut Warnings::default())?;
        let rgba = match visual.first("material") {
            Some(m) => match colour(m)? {
                Some(rgba) => rgba,
                None => {
                    let named = m.attribute("name").and_then(|n| self.materials.get(n));
                    named.copied().unwrap_or(UNPAINTED)
                }
            },
            None => UNPAINTED,
        };
        let name = visual.attribute("name").unwrap_or_default();
        let geometry = visual.first("geometry");
        let mut shapes = geometry.into_iter().flat_map(Element::children);
        let Some(shape) = shapes.find(|s| s.tag() != "origin") else {
            return Ok(());
        };
        if nothing(shape)?.is_some() {
            self.found.left_out += 1;
            return Ok(());
        }
        let (file, pieces) = if shape.tag() == "mesh" {
            self.mesh(shape)?
        } else {
            let pieces = primitive(shape)?.map(|primitive| vec![(primitive, UNPAINTED, None)]);
            (None, pieces)
        };
        match pieces {
            None => self.found.left_out += 1,
            Some(pieces) => {
                // Colours of STL facets are a convention of some programs, not part of the format.
                let is_stl = file
                    .as_deref()
                    .and_then(Path::extension)
                    .is_some_and(|e| e.eq_ignore_ascii_case("stl"));
                for (shape, own, coat) in pieces {
                    self.found.shapes.push(Visual {
                        name: name.to_owned(),
                        body,
                        placement,
                        shape,
                        rgba: if own[0].is_nan() || (is_stl && !rgba[0].is_nan()) {
                            rgba
                        } else {
                            own
                        },
                        coat,
                        file: file.clone(),
                    });
                }
            }
        }
        Ok(())
    }

    /// The file of a mesh, if it exists, and its pieces.
    fn mesh(&mut self, mesh: Element) -> Result<(Option<PathBuf>, Pieces)> {
        let name = mesh.required("filename")?.trim();
        let scale = from_scale(mesh)?;
        let Some(scale) = scale else {
            return Ok((None, None));
        };
        let path = match self.folders.resolve(name) {
            Ok(path) => path,
            Err(e) if e.status == Status::Io => {
                self.missing.add(mesh.place(), name, &e);
                return Ok((None, None));
            }
            Err(e) => {
                self.warn(e.message);
                return Ok((None, None));
            }
        };
        let key = (path, scale.to_array().map(f64::to_bits));
        if let Some(pieces) = self.meshes.get(&key) {
            return Ok((Some(key.0), pieces.clone()));
        }
        let pieces = self.read(&key.0, scale);
        self.meshes.insert(key.clone(), pieces.clone());
        Ok((Some(key.0), pieces))
    }

    fn read(&mut self, path: &Path, scale: Vec3) -> Pieces {
        let parts = match load_parts(path) {
            Ok(parts) => parts,
            Err(e) => {
                self.warn(e.message);
                return None;
            }
        };
        if let Some(note) = parts.up_axis {
            self.warn(format!("meshes: {note}"));
        }
        for warning in parts.warnings {
            self.warn(format!("{}: {warning}", path.display()));
        }
        let scaled = parts.pieces.into_iter().map(|(mut mesh, rgba, mut coat)| {
            mesh.vertices.iter_mut().for_each(|v| *v = v.scale(scale));
            if scale.x * scale.y * scale.z < 0.0 {
                mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
                let corners = coat.as_mut().and_then(Arc::get_mut).map(|c| &mut c.corners);
                corners.into_iter().flatten().for_each(|c| c.swap(1, 2));
            }
            let shape = ShapeSpec::Mesh {
                mesh: Arc::new(mesh),
                mode: MeshMode::Hull,
                open: OpenMesh::Hull,
            };
            (shape, rgba, coat)
        });
        Some(scaled.collect())
    }

    /// Adds a warning only once, because many shapes may have the same mesh.
    fn warn(&mut self, text: String) {
        if self.warned.insert(text.clone()) {
            self.found.warnings.push(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::options::{Format, LoadOptions, load_str};

    /// A material that a visual defines applies to all visuals that name it, before and after it. A
    /// material of the robot takes precedence.
    #[test]
    fn materials_serve_all_who_name_them() {
        let visual = |material: &str| {
            format!("<visual><geometry><sphere radius='1'/></geometry>{material}</visual>")
        };
        let text = format!(
            "<robot name='r'><link name='a'>{}{}{}{}</link><material name='red'><color rgba='1 0 0 1'/></material></robot>",
            visual("<material name='black'/>"),
            visual("<material name='black'><color rgba='0 0 0 1'/></material>"),
            visual("<material name='red'><color rgba='0 1 0 1'/></material>"),
            visual("<material name='red'/>"),
        );
        let model = load_str(&text, Format::Urdf, None, &LoadOptions::default()).expect("a model");
        let found = visuals(&text, &Folders::of_dir(None, &[]), &model).expect("visuals");
        let rgba: Vec<Rgba> = found.shapes.iter().map(|s| s.rgba).collect();
        let (black, green, red) = (
            [0.0, 0.0, 0.0, 1.0],
            [0.0, 1.0, 0.0, 1.0],
            [1.0, 0.0, 0.0, 1.0],
        );
        assert_eq!(rgba, [black, black, green, red]);
    }
}
