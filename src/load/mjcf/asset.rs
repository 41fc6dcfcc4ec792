//! `<asset>`: meshes and height fields.

use super::asset_files::Files;
use super::fit::{self, Fitted};
use super::height_field;
use super::names::{NameMap, Names};
use super::node::Node;
use super::paint::{Materials, Paint};
use super::solid::Solid;
use super::warnings::Warnings;
use crate::error::Result;
use crate::load::height_file::MAX_NODES;
use crate::load::mesh_file::load_mesh;
use crate::model::mesh::TriMesh;
use crate::model::spec::HeightField;
use crate::spatial::{Inertia, Pose, Quat, Sym3, Vec3};
use std::path::Path;
use std::sync::Arc;

/// The method for a mesh's volume and inertia.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MeshInertia {
    /// Of its convex hull.
    Convex,
    /// Of the solid bounded by the triangles.
    Exact,
    /// The sum of all tetrahedra from an inner point, counted positive: exact for convex meshes, too
    /// large otherwise.
    Legacy,
    /// Of the surface.
    Shell,
}

#[derive(Clone)]
pub(super) struct MeshSettings {
    scale: Vec3,
    inertia: MeshInertia,
}

impl Default for MeshSettings {
    fn default() -> Self {
        MeshSettings {
            scale: Vec3::new(1.0, 1.0, 1.0),
            inertia: MeshInertia::Legacy,
        }
    }
}

impl MeshSettings {
    pub fn read(&mut self, node: Node<'_>) -> Result<()> {
        self.scale = node.vec3("scale")?.unwrap_or(self.scale);
        let modes = [
            ("convex", MeshInertia::Convex),
            ("exact", MeshInertia::Exact),
            ("legacy", MeshInertia::Legacy),
            ("shell", MeshInertia::Shell),
        ];
        self.inertia = node.keyword("inertia", &modes)?.unwrap_or(self.inertia);
        Ok(())
    }
}

/// A mesh in metres, as geoms use it.
pub(super) struct MeshAsset {
    pub mesh: Arc<TriMesh>,
    inertia: MeshInertia,
}

impl MeshAsset {
    /// Pose in the mesh's frame, and size, of a primitive fitted to the mesh.
    pub fn fit(&self, node: Node<'_>, shape: Fitted, to_box: bool) -> Result<(Pose, [f64; 3])> {
        let inertia = self.solid(node)?.with_mass(1.0);
        let vertices = to_box.then_some(&self.mesh.vertices[..]);
        let fit = fit::fit(&inertia, vertices, shape);
        fit.ok_or_else(|| node.error("mesh: no primitive can be fitted to it, it is flat"))
    }

    /// Volume (or area) and inertia at unit density.
    pub fn solid(&self, node: Node<'_>) -> Result<Solid> {
        let inertia = match self.inertia {
            MeshInertia::Shell => surface(&self.mesh),
            MeshInertia::Exact => self.mesh.solid(),
            MeshInertia::Legacy => legacy(&self.mesh),
            MeshInertia::Convex => hull(&self.mesh.vertices)
                .ok_or_else(|| node.error("the mesh has no convex hull"))?
                .solid(),
        };
        if inertia.mass <= 0.0 {
            return Err(node.error(format!(
                "the mesh bounds no volume ({}): its triangles are wound inwards, or it is flat",
                inertia.mass
            )));
        }
        Ok(Solid::new(inertia))
    }
}

/// Inertia of the surface at unit density by area.
fn surface(mesh: &TriMesh) -> Inertia {
    let mut total = Inertia::ZERO;
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|i| mesh.vertices[i as usize]);
        let area = 0.5 * (b - a).cross(c - a).norm();
        // ∫ x xᵀ over a triangle weighs its corners and their sum equally.
        for (point, weight) in [(a, 1.0), (b, 1.0), (c, 1.0), (a + b + c, 1.0)] {
            total.i += Sym3::of_point(point) * (weight * area / 12.0);
        }
        total.mass += area;
        total.h += (a + b + c) * (area / 3.0);
    }
    total
}

/// Centre of mass by tetrahedra from the surface's centroid, then volume and moments by tetrahedra
/// from that centre of mass, all counted positive.
fn legacy(mesh: &TriMesh) -> Inertia {
    let com = positive_tetrahedra(mesh, surface(mesh).com()).com();
    let about_com = positive_tetrahedra(mesh, com);
    Inertia::from_com(
        about_com.mass,
        com,
        about_com.transformed(&Pose::translation(-com)).i,
    )
}

/// Sum of the tetrahedra between `apex` and the triangles, each with positive volume.
fn positive_tetrahedra(mesh: &TriMesh, apex: Vec3) -> Inertia {
    let mut shifted = mesh.transformed(&Pose::translation(-apex));
    for t in &mut shifted.triangles {
        let [a, b, c] = t.map(|i| shifted.vertices[i as usize]);
        if a.dot(b.cross(c)) < 0.0 {
            t.swap(1, 2);
        }
    }
    shifted.solid().transformed(&Pose::translation(apex))
}

fn hull(vertices: &[Vec3]) -> Option<TriMesh> {
    use parry3d_f64::math::Vector;
    let points: Vec<Vector> = vertices
        .iter()
        .map(|v| Vector::new(v.x, v.y, v.z))
        .collect();
    let (points, triangles) = parry3d_f64::transformation::try_convex_hull(&points).ok()?;
    Some(TriMesh {
        vertices: points.iter().map(|p| Vec3::new(p.x, p.y, p.z)).collect(),
        triangles,
    })
}

/// The assets of a file.
#[derive(Default)]
pub(super) struct Assets {
    meshes: Vec<MeshAsset>,
    height_fields: Vec<Arc<HeightField>>,
    mesh_names: NameMap,
    height_field_names: NameMap,
    materials: Materials,
}

impl Assets {
    pub fn materials(&self) -> &Materials {
        &self.materials
    }

    pub fn mesh(&self, geom: Node<'_>, name: Option<&str>) -> Result<&MeshAsset> {
        let index = lookup(&self.mesh_names, geom, "mesh", name)?;
        Ok(&self.meshes[index])
    }

    pub fn height_field(&self, geom: Node<'_>, name: Option<&str>) -> Result<&Arc<HeightField>> {
        let index = lookup(&self.height_field_names, geom, "hfield", name)?;
        Ok(&self.height_fields[index])
    }

    /// Reads a section. `defaults` gives the settings that its elements start from.
    pub fn read(
        &mut self,
        node: Node<'_>,
        defaults: impl Fn(Node<'_>) -> Result<(MeshSettings, Paint)>,
        files: &Files<'_>,
        warnings: &mut Warnings,
    ) -> Result<()> {
        for child in node.children() {
            match child.tag() {
                "mesh" => self.read_mesh(child, defaults(child)?.0, files, warnings)?,
                "hfield" => self.read_height_field(child, files, warnings)?,
                "material" => {
                    let paint = defaults(child).map(|d| d.1).unwrap_or_default();
                    self.materials.read(child, paint);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn read_mesh(
        &mut self,
        node: Node<'_>,
        mut settings: MeshSettings,
        files: &Files<'_>,
        warnings: &mut Warnings,
    ) -> Result<()> {
        settings.read(node)?;
        let mut mesh = match (node.text("file"), node.list("vertex")?) {
            (Some(_), Some(_)) => {
                return Err(node.error("both file and vertex given; expected one"));
            }
            (Some(file), None) => {
                let path = files.find(node, file)?;
                load_mesh(&path).map_err(|e| crate::error::Error {
                    status: e.status,
                    message: node.error(format!("file {file:?}: {}", e.message)).message,
                })?
            }
            (None, Some(numbers)) => inline_mesh(node, &numbers)?,
            (None, None) => return Err(node.error("expected a file or vertices")),
        };
        if mesh.triangles.is_empty() {
            mesh = hull(&mesh.vertices)
                .ok_or_else(|| node.error("vertices without faces must have a convex hull"))?;
        }
        place(&mut mesh, node, settings.scale)?;
        if settings.inertia == MeshInertia::Legacy {
            let exact = mesh.solid().mass;
            let counted = legacy(&mesh).mass;
            if (counted - exact).abs() > 1e-6 * counted {
                warnings.add(
                    node,
                    format!(
                        "inertia=\"legacy\" takes the volume of this mesh, which is not convex or \
                         not closed, for {counted:.6e} instead of {exact:.6e}"
                    ),
                );
            }
        }
        let name = name_of(node)?;
        Names::insert(&mut self.mesh_names, node, &name, self.meshes.len())?;
        self.meshes.push(MeshAsset {
            mesh: Arc::new(mesh),
            inertia: settings.inertia,
        });
        Ok(())
    }

    fn read_height_field(
        &mut self,
        node: Node<'_>,
        files: &Files<'_>,
        warnings: &mut Warnings,
    ) -> Result<()> {
        let name = name_of(node)?;
        let used: usize = self.height_fields.iter().map(|f| f.heights.len()).sum();
        let field = height_field::read(node, files, MAX_NODES - used, warnings)?;
        let index = self.height_fields.len();
        Names::insert(&mut self.height_field_names, node, &name, index)?;
        self.height_fields.push(Arc::new(field));
        Ok(())
    }
}

/// The name of an asset: its own, or that of its file.
fn name_of(node: Node<'_>) -> Result<String> {
    let name = match (node.name(), node.text("file")) {
        ("", Some(file)) => stem(file),
        (name, _) => name.to_string(),
    };
    if name.is_empty() {
        return Err(node.error("attribute name is missing"));
    }
    Ok(name)
}

fn lookup(names: &NameMap, geom: Node<'_>, attribute: &str, name: Option<&str>) -> Result<usize> {
    let name = name.ok_or_else(|| geom.error(format!("attribute {attribute} is missing")))?;
    match names.get(name) {
        Some((index, _)) => Ok(*index),
        None => Err(geom.error(format!("{attribute}: no asset is named {name:?}"))),
    }
}

fn stem(file: &str) -> String {
    Path::new(file)
        .file_stem()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn inline_mesh(node: Node<'_>, numbers: &[f64]) -> Result<TriMesh> {
    if !numbers.len().is_multiple_of(3) || numbers.is_empty() {
        return Err(node.error(format!(
            "vertex: expected a multiple of 3 numbers, found {}",
            numbers.len()
        )));
    }
    let vertices: Vec<Vec3> = numbers.chunks(3).map(Vec3::from_slice).collect();
    let faces = node.list("face")?.unwrap_or_default();
    if !faces.len().is_multiple_of(3) {
        return Err(node.error(format!(
            "face: expected a multiple of 3 indices, found {}",
            faces.len()
        )));
    }
    let bad = |x: f64| x.fract() != 0.0 || x < 0.0 || x >= vertices.len() as f64;
    if let Some(x) = faces.iter().find(|x| bad(**x)) {
        return Err(node.error(format!(
            "face: expected indices from 0 to {}, found {x}",
            vertices.len() - 1
        )));
    }
    Ok(TriMesh {
        vertices,
        triangles: faces
            .chunks(3)
            .map(|f| [f[0] as u32, f[1] as u32, f[2] as u32])
            .collect(),
    })
}

/// Moves the mesh's reference frame to the origin, then scales it.
fn place(mesh: &mut TriMesh, node: Node<'_>, scale: Vec3) -> Result<()> {
    if (0..3).any(|k| scale[k] == 0.0) {
        return Err(node.error("scale: expected numbers other than 0"));
    }
    let position = node.vec3("refpos")?.unwrap_or_default();
    let turn = match node.array::<4>("refquat")? {
        Some([w, x, y, z]) => Quat::new(x, y, z, w).normalized(),
        None => Quat::IDENTITY,
    };
    let rotation = turn.to_mat3();
    for v in &mut mesh.vertices {
        *v = rotation.tr_mul_vec(*v - position).scale(scale);
    }
    if scale.x * scale.y * scale.z < 0.0 {
        // A reflection turns the triangles inside out.
        for t in &mut mesh.triangles {
            t.swap(1, 2);
        }
    }
    Ok(())
}
