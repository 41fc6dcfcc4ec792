//! `<visual>`: what is drawn of a link.

use super::link::{from_scale, origin, primitive};
use super::paths;
use super::warnings::Warnings;
use crate::error::Result;
use crate::load::document::with_document;
use crate::load::mesh::{Rgba, UNPAINTED, load_parts};
use crate::load::visual::Visual;
use crate::load::xml::{Element, Lines};
use crate::model::Model;
use crate::model::mesh::TriMesh;
use crate::model::spec::{MeshMode, OpenMesh, ShapeSpec};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Pieces of a mesh file at a scale, each of one colour; none where it cannot be read.
type Parts = Option<Vec<(Arc<TriMesh>, Rgba)>>;

struct Reader<'m> {
    base_dir: Option<&'m Path>,
    mesh_dirs: &'m [PathBuf],
    materials: HashMap<String, Rgba>,
    meshes: HashMap<(PathBuf, [u64; 3]), Parts>,
    left_out: usize,
}

/// What a URDF text draws of the bodies of a model that was loaded from it, and the number of shapes whose
/// mesh is missing or cannot be read: they are left out. Colours of the URDF hold before those of a mesh.
///
/// # Errors
/// `Parse` for what is no URDF.
pub fn visuals(
    text: &str,
    base_dir: Option<&Path>,
    mesh_dirs: &[PathBuf],
    model: &Model,
) -> Result<(Vec<Visual>, usize)> {
    with_document(text, "", |document| {
        let lines = Lines::new(text);
        let robot = Element::root(document, &lines);
        let mut reader = Reader {
            base_dir,
            mesh_dirs,
            materials: HashMap::new(),
            meshes: HashMap::new(),
            left_out: 0,
        };
        for material in robot.children().filter(|c| c.tag() == "material") {
            if let (Some(name), Some(rgba)) = (material.attribute("name"), colour(material)?) {
                reader.materials.insert(name.to_owned(), rgba);
            }
        }
        let mut found = Vec::new();
        for link in robot.children().filter(|c| c.tag() == "link") {
            let Some(body) = model.body_id(link.required("name")?) else {
                continue;
            };
            for visual in link.children().filter(|c| c.tag() == "visual") {
                reader.visual(visual, body, &mut found)?;
            }
        }
        Ok((found, reader.left_out))
    })
}

fn colour(material: Element) -> Result<Option<Rgba>> {
    let Some(color) = material.child("color")? else {
        return Ok(None);
    };
    let rgba = color.numbers::<4>("rgba")?;
    Ok(rgba.map(|rgba| rgba.map(|x| x.clamp(0.0, 1.0) as f32)))
}

impl Reader<'_> {
    fn visual(&mut self, visual: Element, body: usize, found: &mut Vec<Visual>) -> Result<()> {
        let placement = origin(visual, &mut Warnings::default())?;
        let rgba = match visual.child("material")? {
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
        let shape = visual.required_child("geometry")?.children().next();
        let Some(shape) = shape else {
            return Ok(());
        };
        let mut add = |shape, rgba| {
            found.push(Visual {
                name: name.to_owned(),
                body,
                placement,
                shape,
                rgba,
            });
        };
        if shape.tag() != "mesh" {
            match primitive(shape)? {
                Some(shape) => add(shape, rgba),
                None => self.left_out += 1,
            }
            return Ok(());
        }
        match self.mesh(shape)? {
            None => self.left_out += 1,
            Some(parts) => {
                for (mesh, own) in parts {
                    let rgba = if rgba[0].is_nan() { *own } else { rgba };
                    let shape = ShapeSpec::Mesh {
                        mesh: mesh.clone(),
                        mode: MeshMode::Hull,
                        open: OpenMesh::Hull,
                    };
                    add(shape, rgba);
                }
            }
        }
        Ok(())
    }

    fn mesh(&mut self, mesh: Element) -> Result<&Parts> {
        let name = mesh.required("filename")?.trim();
        let scale = from_scale(mesh)?;
        let Ok(path) = paths::resolve(name, self.base_dir, self.mesh_dirs) else {
            return Ok(&None);
        };
        let key = (path, scale.to_array().map(f64::to_bits));
        Ok(self.meshes.entry(key).or_insert_with_key(|(path, _)| {
            let parts = load_parts(path).ok()?;
            let scaled = parts.into_iter().map(|(mut mesh, rgba)| {
                mesh.vertices.iter_mut().for_each(|v| *v = v.scale(scale));
                if scale.x * scale.y * scale.z < 0.0 {
                    mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
                }
                (Arc::new(mesh), rgba)
            });
            Some(scaled.collect())
        }))
    }
}
