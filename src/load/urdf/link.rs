//! `<link>`: its inertia and its collision geometries.

use super::paths::{Folders, Missing};
use super::proximity::{self, Proximity};
use super::warnings::Warnings;
use crate::error::{Result, Status};
use crate::load::mesh_file::load_painted;
use crate::load::xml::Element;
use crate::model::mesh::TriMesh;
use crate::model::spec::{MeshMode, OpenMesh, ShapeSpec};
use crate::spatial::{Inertia, Mat3, Pose, Quat, Sym3, Vec3};
use std::collections::HashMap;
use std::path::PathBuf;
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
    pub(super) proximity: Option<Proximity>,
}

/// The meshes read so far, one for each file and scale.
pub(super) struct Meshes<'o> {
    folders: &'o Folders,
    read: HashMap<(PathBuf, [u64; 3]), Arc<TriMesh>>,
    pub(super) missing: Missing,
}

impl<'o> Meshes<'o> {
    pub(super) fn new(folders: &'o Folders) -> Self {
        Meshes {
            folders,
            read: HashMap::new(),
            missing: Missing::default(),
        }
    }

    /// The scaled mesh of a `<mesh>`; `None` if its file is missing or of an unsupported format, or the
    /// mesh is empty.
    fn get(&mut self, mesh: Element, warnings: &mut Warnings) -> Result<Option<Arc<TriMesh>>> {
        let name = mesh.required("filename")?.trim();
        let scale = from_scale(mesh)?;
        let Some(scale) = scale else {
            warnings.add(mesh, "its scale has a 0: geometry left out");
            return Ok(None);
        };
        let path = match self.folders.resolve(name) {
            Ok(path) => path,
            Err(e) if e.status == Status::Io => {
                self.missing.add(mesh.place(), name, &e);
                return Ok(None);
            }
            Err(e) => return Err(mesh.locate(e)),
        };
        let key = (path, scale.to_array().map(f64::to_bits));
        if let Some(found) = self.read.get(&key) {
            return Ok(Some(found.clone()));
        }
        let read = match load_painted(&key.0, None) {
            Ok(read) => read,
            Err(e) if e.status == Status::Unsupported => {
                self.missing.add(mesh.place(), name, &e);
                return Ok(None);
            }
            Err(e) => return Err(mesh.locate(e)),
        };
        if let Some(note) = read.up_axis {
            warnings.add(mesh, note);
        }
        let mut loaded = read.found.mesh;
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
    let inertia = match link.first("inertial") {
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
    let Some(mass) = inertial.first("mass") else {
        warnings.add(inertial, "has no <mass>: it weighs nothing");
        return Ok(Inertia::ZERO);
    };
    let value = mass.non_negative("value")?;
    let mass = value.ok_or_else(|| mass.missing("value"))?;
    let Some(tensor) = inertial.first("inertia") else {
        warnings.add(inertial, "has no <inertia>: its mass is a point");
        return Ok(Inertia::from_com(mass, placement.pos, Sym3::ZERO));
    };
    let product = |name: &str, warnings: &mut Warnings| -> Result<f64> {
        let value = tensor.number(name)?;
        if value.is_none() {
            warnings.add(tensor, &format!("has no {name}: it is 0"));
        }
        Ok(value.unwrap_or(0.0))
    };
    warnings.unknown_attributes(tensor, &["ixx", "ixy", "ixz", "iyy", "iyz", "izz"]);
    let about_com = Sym3::new(
        tensor.required_number("ixx")?,
        product("ixy", warnings)?,
        tensor.required_number("iyy")?,
        product("ixz", warnings)?,
        product("iyz", warnings)?,
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
        // Some exporters also put a material here.
        let known = ["origin", "geometry", "material", proximity::TAG];
        if !known.contains(&child.tag()) {
            warnings.unknown_element(child);
        }
    }
    let placement = origin(collision, warnings)?;
    let geometry = collision.first("geometry");
    let shapes = geometry.into_iter().flat_map(Element::children);
    let mut found = None;
    for element in shapes {
        match found {
            // Some files have an <origin> here.
            _ if element.tag() == "origin" => warnings.unknown_element(element),
            None => found = Some(element),
            Some(_) => warnings.add(element, "ignored: a <geometry> has one shape, the first"),
        }
    }
    let Some(element) = found else {
        warnings.add(collision, "has no shape, left out");
        return Ok(None);
    };
    let shape = shape(element, meshes, warnings)?;
    let proximity = proximity::read(collision, warnings)?;
    Ok(shape.map(|shape| Collision {
        proximity,
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
    if let Some(what) = nothing(element)? {
        warnings.add(element, what);
        return Ok(None);
    }
    if let Some(shape) = primitive(element)? {
        return Ok(Some(shape));
    }
    match element.tag() {
        "mesh" => Ok(meshes.get(element, warnings)?.map(|mesh| ShapeSpec::Mesh {
            mesh,
            mode: MeshMode::Hull,
            open: OpenMesh::Hull,
        })),
        _ => {
            Err(element
                .unsupported("expected a shape among box, sphere, cylinder, capsule and mesh"))
        }
    }
}

/// The scale factors of a `<mesh>`; `None` if one of them is 0.
pub(super) fn from_scale(mesh: Element) -> Result<Option<Vec3>> {
    let scale = mesh.vec3("scale")?.unwrap_or(Vec3::new(1.0, 1.0, 1.0));
    let is_flat = scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0;
    Ok(Some(scale).filter(|_| !is_flat))
}

/// The reason why a shape is empty: one of its lengths is 0.
pub(super) fn nothing(element: Element) -> Result<Option<&'static str>> {
    let is_zero = |name: &str| -> Result<bool> { Ok(element.number(name)? == Some(0.0)) };
    Ok(match element.tag() {
        "box" => {
            let size = element.vec3("size")?.unwrap_or(Vec3::X + Vec3::Y + Vec3::Z);
            (size.x == 0.0 || size.y == 0.0 || size.z == 0.0)
                .then_some("a length of its size is 0: geometry left out")
        }
        "sphere" | "cylinder" | "capsule" if is_zero("radius")? => {
            Some("its radius is 0: geometry left out")
        }
        "cylinder" if is_zero("length")? => Some("its length is 0: geometry left out"),
        _ => None,
    })
}

/// A shape other than a mesh; `None` for other elements.
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
        "capsule" if element.number("length")? == Some(0.0) => ShapeSpec::Sphere {
            radius: element.positive("radius")?,
        },
        "capsule" => ShapeSpec::Capsule {
            radius: element.positive("radius")?,
            half_length: 0.5 * element.positive("length")?,
        },
        _ => return Ok(None),
    }))
}

/// The `<origin>` of an element; the identity if it has none.
pub(super) fn origin(of: Element, warnings: &mut Warnings) -> Result<Pose> {
    let Some(origin) = of.first("origin") else {
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

/// The normalized quaternion, if its length is 1 up to printed digits.
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
