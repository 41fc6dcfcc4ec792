//! `<link>`: its inertia and its collision geometries.

use super::paths;
use super::policy::{MissingMesh, UrdfOptions};
use super::warnings::Warnings;
use crate::error::{Result, Status};
use crate::load::mesh_file::load_mesh;
use crate::load::xml::Element;
use crate::model::mesh::TriMesh;
use crate::model::spec::{MeshMode, OpenMesh, ShapeSpec};
use crate::spatial::{Inertia, Mat3, Pose, Quat, Sym3, Vec3};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) struct Link<'a, 'd> {
    pub(super) name: &'a str,
    pub(super) element: Element<'a, 'd>,
    /// About and along the link's frame.
    pub(super) inertia: Inertia,
    pub(super) collisions: Vec<Collision<'a, 'd>>,
}

pub(super) struct Collision<'a, 'd> {
    /// Index among the link's collisions, including those left out.
    pub(super) index: usize,
    pub(super) name: Option<&'a str>,
    pub(super) element: Element<'a, 'd>,
    pub(super) placement: Pose,
    pub(super) shape: ShapeSpec,
}

/// The meshes read so far, each once for every scale it is used with.
pub(super) struct Meshes<'o> {
    base_dir: Option<&'o Path>,
    options: &'o UrdfOptions,
    read: HashMap<(PathBuf, [u64; 3]), Arc<TriMesh>>,
}

impl<'o> Meshes<'o> {
    pub(super) fn new(base_dir: Option<&'o Path>, options: &'o UrdfOptions) -> Self {
        Meshes {
            base_dir,
            options,
            read: HashMap::new(),
        }
    }

    /// The scaled mesh of a `<mesh>`, or `None` where its file is missing and that is allowed.
    fn get(&mut self, mesh: Element, warnings: &mut Warnings) -> Result<Option<Arc<TriMesh>>> {
        let name = mesh.required("filename")?.trim();
        let scale = from_scale(mesh)?;
        let path = match paths::resolve(name, self.base_dir, &self.options.mesh_dirs) {
            Ok(path) => path,
            Err(e) if e.status == Status::Io && self.options.missing_mesh == MissingMesh::Skip => {
                warnings.add_single(mesh, format!("\"{name}\" not found, geometry left out"));
                return Ok(None);
            }
            Err(mut e) => {
                if e.status == Status::Io {
                    e.message += "; mesh_dirs says where meshes are, missing_mesh = DS_MISSING_MESH_SKIP leaves the \
                                  geometry out";
                }
                return Err(mesh.locate(e));
            }
        };
        let key = (path, scale.to_array().map(f64::to_bits));
        if let Some(found) = self.read.get(&key) {
            return Ok(Some(found.clone()));
        }
        let mut loaded = load_mesh(&key.0).map_err(|e| mesh.locate(e))?;
        for v in &mut loaded.vertices {
            *v = v.scale(scale);
            if !v.is_finite() {
                return Err(mesh.error("attribute scale: the scaled mesh is not finite"));
            }
        }
        if scale.x * scale.y * scale.z < 0.0 {
            loaded.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        let loaded = Arc::new(loaded);
        self.read.insert(key, loaded.clone());
        Ok(Some(loaded))
    }
}

pub(super) fn read<'a, 'd>(
    link: Element<'a, 'd>,
    meshes: &mut Meshes,
    warnings: &mut Warnings,
) -> Result<Link<'a, 'd>> {
    warnings.unknown_attributes(link, &["name", "type"]);
    let (mut collisions, mut count) = (Vec::new(), 0);
    for child in link.children() {
        match child.tag() {
            "visual" | "inertial" => {}
            "collision" => {
                collisions.extend(collision(child, count, meshes, warnings)?);
                count += 1;
            }
            _ => warnings.unknown_element(child),
        }
    }
    let inertia = match link.child("inertial")? {
        Some(inertial) => inertia(inertial, warnings)?,
        None => Inertia::ZERO,
    };
    Ok(Link {
        name: link.required("name")?,
        element: link,
        inertia,
        collisions,
    })
}

fn inertia(inertial: Element, warnings: &mut Warnings) -> Result<Inertia> {
    for child in inertial.children() {
        if !matches!(child.tag(), "origin" | "mass" | "inertia") {
            warnings.unknown_element(child);
        }
    }
    let placement = origin(inertial, warnings)?;
    let mass = inertial.required_child("mass")?;
    let value = mass.non_negative("value")?;
    let mass = value.ok_or_else(|| mass.missing("value"))?;
    let tensor = inertial.required_child("inertia")?;
    warnings.unknown_attributes(tensor, &["ixx", "ixy", "ixz", "iyy", "iyz", "izz"]);
    let about_com = Sym3::new(
        tensor.required_number("ixx")?,
        tensor.required_number("ixy")?,
        tensor.required_number("iyy")?,
        tensor.required_number("ixz")?,
        tensor.required_number("iyz")?,
        tensor.required_number("izz")?,
    );
    let about_com = about_com.rotated(&placement.rot);
    Ok(Inertia::from_com(mass, placement.pos, about_com))
}

fn collision<'a, 'd>(
    collision: Element<'a, 'd>,
    index: usize,
    meshes: &mut Meshes,
    warnings: &mut Warnings,
) -> Result<Option<Collision<'a, 'd>>> {
    warnings.unknown_attributes(collision, &["name", "group"]);
    for child in collision.children() {
        // Some exporters put a material here too.
        if !matches!(child.tag(), "origin" | "geometry" | "material") {
            warnings.unknown_element(child);
        }
    }
    let placement = origin(collision, warnings)?;
    let geometry = collision.required_child("geometry")?;
    let mut shapes = geometry.children();
    let element = shapes
        .next()
        .ok_or_else(|| geometry.error("expected a shape, found none"))?;
    if let Some(second) = shapes.next() {
        return Err(second.error("expected one shape in a <geometry>, found another"));
    }
    let shape = shape(element, meshes, warnings)?;
    Ok(shape.map(|shape| Collision {
        index,
        name: collision.attribute("name").filter(|n| !n.is_empty()),
        element: collision,
        placement,
        shape,
    }))
}

fn shape(
    element: Element,
    meshes: &mut Meshes,
    warnings: &mut Warnings,
) -> Result<Option<ShapeSpec>> {
    let known: &[&str] = match element.tag() {
        "box" => &["size"],
        "sphere" => &["radius"],
        "cylinder" | "capsule" => &["radius", "length"],
        _ => &["filename", "scale"],
    };
    warnings.unknown_attributes(element, known);
    if let Some(shape) = primitive(element)? {
        return Ok(Some(shape));
    }
    match element.tag() {
        "mesh" => Ok(meshes.get(element, warnings)?.map(|mesh| ShapeSpec::Mesh {
            mesh,
            mode: MeshMode::Hull,
            open: OpenMesh::Error,
        })),
        _ => {
            Err(element
                .unsupported("expected a shape among box, sphere, cylinder, capsule and mesh"))
        }
    }
}

/// The factors of a `<mesh>`.
pub(super) fn from_scale(mesh: Element) -> Result<Vec3> {
    let scale = mesh.vec3("scale")?.unwrap_or(Vec3::new(1.0, 1.0, 1.0));
    if scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0 {
        return Err(mesh.error("attribute scale: expected factors other than 0"));
    }
    Ok(scale)
}

/// A shape that is no mesh; none for other elements.
pub(super) fn primitive(element: Element) -> Result<Option<ShapeSpec>> {
    Ok(Some(match element.tag() {
        "box" => {
            let size = element.vec3("size")?;
            let size = size.ok_or_else(|| element.missing("size"))?;
            if !(size.x > 0.0 && size.y > 0.0 && size.z > 0.0) {
                return Err(element.error(format!(
                    "attribute size: expected lengths above 0, got {} {} {}",
                    size.x, size.y, size.z
                )));
            }
            ShapeSpec::Box {
                half_extents: size * 0.5,
            }
        }
        "sphere" => ShapeSpec::Sphere {
            radius: element.positive("radius")?,
        },
        "cylinder" => ShapeSpec::Cylinder {
            radius: element.positive("radius")?,
            half_length: 0.5 * element.positive("length")?,
        },
        "capsule" => ShapeSpec::Capsule {
            radius: element.positive("radius")?,
            half_length: 0.5 * element.positive("length")?,
        },
        _ => return Ok(None),
    }))
}

/// The `<origin>` of an element; the identity where it has none.
pub(super) fn origin(of: Element, warnings: &mut Warnings) -> Result<Pose> {
    let Some(origin) = of.child("origin")? else {
        return Ok(Pose::IDENTITY);
    };
    warnings.unknown_attributes(origin, &["xyz", "rpy", "quat_xyzw"]);
    let rot = match (origin.vec3("rpy")?, origin.numbers::<4>("quat_xyzw")?) {
        (Some(_), Some(_)) => return Err(origin.error("both rpy and quat_xyzw are given")),
        (Some(rpy), None) => from_rpy(rpy),
        (None, Some(q)) => unit_quaternion(q)
            .ok_or_else(|| origin.error("attribute quat_xyzw: expected a length of 1"))?
            .to_mat3(),
        (None, None) => Mat3::IDENTITY,
    };
    Ok(Pose::new(rot, origin.vec3("xyz")?.unwrap_or(Vec3::ZERO)))
}

/// The quaternion normalized, if its length is 1 up to printed digits.
fn unit_quaternion(q: [f64; 4]) -> Option<Quat> {
    let q = Quat::from_slice(&q);
    ((q.norm_squared() - 1.0).abs() < 1e-3).then(|| q.normalized())
}

/// Rotations about the fixed axes x, then y, then z.
pub fn from_rpy(rpy: Vec3) -> Mat3 {
    let (sr, cr) = rpy.x.sin_cos();
    let (sp, cp) = rpy.y.sin_cos();
    let (sy, cy) = rpy.z.sin_cos();
    Mat3::from_rows(
        Vec3::new(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        Vec3::new(sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        Vec3::new(-sp, cp * sr, cp * cr),
    )
}
