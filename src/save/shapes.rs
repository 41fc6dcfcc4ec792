//! Geoms and their assets in MJCF.

use super::names::Names;
use super::obj::note_modes;
use super::writer::{Writer, place};
use super::xml_text::Xml;
use crate::model::fluid::FluidCoefficients;
use crate::model::mesh::TriMesh;
use crate::model::spec::{GeomSpec, HeightField, ShapeSpec};
use crate::spatial::{Pose, Vec3};
use std::collections::HashMap;
use std::sync::Arc;

/// Names of the assets of geoms, and the shift of the zero of a height field.
pub(super) struct Assets {
    names: HashMap<usize, String>,
    lowest: HashMap<usize, f64>,
}

/// The properties of [`has_material`], which no format has.
pub(super) const MATERIAL_LOST: &str = "geoms' contact stiffness, dissipation, viscous friction and hydroelastic properties are left out";

/// True if contacts of a geom have other numbers than the defaults of the laws.
pub(super) fn has_material(g: &GeomSpec) -> bool {
    let usual = GeomSpec::new("", 0, Pose::IDENTITY, g.shape.clone());
    [g.stiffness, g.dissipation, g.tangential]
        != [usual.stiffness, usual.dissipation, usual.tangential]
        || g.hydroelastic != usual.hydroelastic
}

/// Half the thickness of a height field that has none, which MJCF does not allow [m].
const THIN: f64 = 1e-9;

impl Assets {
    /// Writes each mesh and height field once.
    pub fn write(xml: &mut Xml, w: &mut Writer) -> Assets {
        let mut assets = Assets {
            names: HashMap::new(),
            lowest: HashMap::new(),
        };
        let mut used = Names::new("asset", std::iter::empty(), &mut w.losses);
        let mut meshes: HashMap<*const TriMesh, String> = HashMap::new();
        let mut fields: HashMap<*const HeightField, String> = HashMap::new();
        let mut open = false;
        let model = w.model;
        for (id, g) in model.geoms().iter().enumerate() {
            let name = match &g.shape {
                ShapeSpec::Mesh { mesh, mode, .. } => {
                    if model.may_touch_any(id) {
                        note_modes(&mut w.losses, *mode, &g.name);
                    }
                    let known = meshes.get(&Arc::as_ptr(mesh)).cloned();
                    known.unwrap_or_else(|| {
                        begin(xml, &mut open);
                        let name = used.fresh(if g.name.is_empty() { "mesh" } else { &g.name });
                        write_mesh(xml, &name, mesh);
                        meshes.insert(Arc::as_ptr(mesh), name.clone());
                        name
                    })
                }
                ShapeSpec::HeightField(field) => {
                    let low = field.heights.iter().copied().fold(f64::INFINITY, f64::min);
                    assets.lowest.insert(id, low);
                    let known = fields.get(&Arc::as_ptr(field)).cloned();
                    known.unwrap_or_else(|| {
                        begin(xml, &mut open);
                        let name = used.fresh(if g.name.is_empty() { "field" } else { &g.name });
                        if field.base + low <= 0.0 {
                            w.losses
                                .note("height fields without thickness get one of 1e-9 m", &g.name);
                        }
                        write_field(xml, &name, field, low);
                        fields.insert(Arc::as_ptr(field), name.clone());
                        name
                    })
                }
                _ => continue,
            };
            assets.names.insert(id, name);
        }
        if open {
            xml.end();
        }
        assets
    }
}

fn begin(xml: &mut Xml, open: &mut bool) {
    if !*open {
        xml.start("asset");
        *open = true;
    }
}

/// Writes the vertices unchanged. A mesh has an inertia by its surface, also if it bounds no solid; no body
/// uses it.
fn write_mesh(xml: &mut Xml, name: &str, mesh: &TriMesh) {
    let vertices: Vec<f64> = mesh.vertices.iter().flat_map(|v| v.to_array()).collect();
    let faces: Vec<f64> = mesh
        .triangles
        .iter()
        .flatten()
        .map(|&i| f64::from(i))
        .collect();
    xml.start("mesh")
        .attribute("name", name)
        .attribute("inertia", "shell")
        .numbers("vertex", &vertices)
        .numbers("face", &faces);
    xml.end();
}

/// Readers scale the heights to lie between 0 and the third size; their first row is that of the largest y.
fn write_field(xml: &mut Xml, name: &str, field: &HeightField, low: f64) {
    let high = field
        .heights
        .iter()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    let rise = if high > low { high - low } else { 1.0 };
    let base = field.base + low;
    let [x, y] = field.half_extents;
    let rows = field.heights.chunks(field.columns).rev();
    let heights: Vec<f64> = rows.flatten().copied().collect();
    xml.start("hfield")
        .attribute("name", name)
        .integer("nrow", field.rows as i64)
        .integer("ncol", field.columns as i64)
        .numbers("size", &[x, y, rise, if base > 0.0 { base } else { THIN }])
        .numbers("elevation", &heights);
    xml.end();
}

pub(super) fn geom(xml: &mut Xml, w: &mut Writer, assets: &Assets, id: usize) {
    let g = &w.model.geoms()[id];
    let usual = GeomSpec::new("", 0, Pose::IDENTITY, g.shape.clone());
    let (kind, size): (&str, Vec<f64>) = match &g.shape {
        ShapeSpec::Plane {
            half_extents: [a, b],
        } => ("plane", vec![*a, *b, 1.0]),
        ShapeSpec::Sphere { radius } => ("sphere", vec![*radius]),
        ShapeSpec::Capsule {
            radius,
            half_length,
        } => ("capsule", vec![*radius, *half_length]),
        ShapeSpec::Cylinder {
            radius,
            half_length,
        } => ("cylinder", vec![*radius, *half_length]),
        ShapeSpec::Ellipsoid { semi_axes } => ("ellipsoid", semi_axes.to_array().to_vec()),
        ShapeSpec::Box { half_extents } => ("box", half_extents.to_array().to_vec()),
        ShapeSpec::Mesh { .. } => ("mesh", vec![]),
        ShapeSpec::HeightField(_) => ("hfield", vec![]),
    };
    xml.start("geom")
        .named("name", w.geoms.of(id))
        .attribute("type", kind);
    match assets.names.get(&id) {
        Some(name) => xml.attribute(kind, name),
        None => xml.numbers("size", &size),
    };
    let mut placement = g.placement;
    if let Some(&low) = assets.lowest.get(&id) {
        placement.pos = placement.point(Vec3::Z * low);
    }
    place(xml, &placement);
    xml.unless(&usual.friction, "friction", &g.friction);
    let integers = [
        (
            "contype",
            i64::from(g.contype.cast_signed()),
            i64::from(usual.contype),
        ),
        (
            "conaffinity",
            i64::from(g.conaffinity.cast_signed()),
            i64::from(usual.conaffinity),
        ),
        ("condim", i64::from(g.condim), i64::from(usual.condim)),
        ("priority", i64::from(g.priority), i64::from(usual.priority)),
    ];
    for (name, value, usual) in integers {
        if value != usual {
            xml.integer(name, value);
        }
    }
    if g.margin < 0.0 {
        w.losses.note("margins below zero become zero", &g.name);
    }
    if g.restitution != 0.0 {
        let what = "geoms' restitution is left out";
        w.losses.note(what, &g.name);
    }
    if has_material(g) {
        w.losses.note(MATERIAL_LOST, &g.name);
    }
    xml.unless(&[0.0], "margin", &[g.margin.max(0.0)]);
    xml.unless(&[0.0], "gap", &[g.gap]);
    if let Some(fluid) = g.fluid {
        xml.attribute("fluidshape", "ellipsoid").unless(
            &FluidCoefficients::default().to_array(),
            "fluidcoef",
            &fluid.to_array(),
        );
    }
    xml.colour(g.rgba);
    xml.end();
}
