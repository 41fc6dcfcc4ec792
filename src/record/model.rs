//! The description of a model in a recording: names, tree, joints, and shapes.

use super::VERSION;
use super::bytes::{Sink, id};
use super::write::chunk_head;
use crate::load::soup::Coat;
use crate::load::visual::Visual;
use crate::model::Model;
use crate::model::mesh::TriMesh;
use crate::model::spec::{HeightField, ShapeSpec};
use crate::spatial::{Pose, Vec3};
use std::collections::HashMap;
use std::sync::Arc;

/// A named list of numbers that the caller records.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    pub name: String,
    pub size: usize,
}

/// The purpose of a shape.
#[derive(Clone, Copy)]
enum Role {
    Collision = 0,
    Visual = 1,
}

/// The chunks before all frames.
pub fn chunks(model: &Model, rate: f64, channels: &[Channel], visuals: &[Visual]) -> Vec<u8> {
    let mut all = super::SIGNATURE.to_vec();
    let mut add = |kind: &[u8; 4], mut payload: Sink| {
        payload.pad();
        all.extend(chunk_head(*kind, &[&payload.0]));
        all.extend(payload.0);
    };
    add(b"HEAD", head(model, rate, channels));
    let mut meshes = Meshes::default();
    let shapes = shapes(model, visuals, &mut meshes);
    for (number, image) in meshes.images.iter().enumerate() {
        let mut s = Sink::default();
        s.u32(id(number));
        s.u32(id(image.len()));
        s.0.extend_from_slice(image);
        add(b"IMAG", s);
    }
    for payload in meshes.payloads {
        add(b"MESH", payload);
    }
    add(b"SHAP", shapes);
    all
}

fn head(model: &Model, rate: f64, channels: &[Channel]) -> Sink {
    let mut s = Sink::default();
    s.u32(VERSION);
    for n in [
        model.nq(),
        model.nv(),
        model.nu(),
        model.nbody(),
        model.njoint(),
        channels.len(),
        0,
    ] {
        s.u32(id(n));
    }
    s.numbers(&[rate]);
    s.numbers(&model.params().gravity.to_array());
    s.text(model.name());
    for (body, inertia) in model.bodies().iter().zip(&model.params().body_inertia) {
        s.text(&body.name);
        s.u32(id(body.parent));
        s.numbers(&[inertia.mass]);
        let com = if inertia.mass > 0.0 {
            inertia.com()
        } else {
            Vec3::ZERO
        };
        s.numbers(&com.to_array());
    }
    for joint in model.joints() {
        s.text(&joint.name);
        for n in [
            joint.kind as usize,
            joint.body,
            joint.iq,
            joint.nq,
            joint.iv,
            joint.nv,
        ] {
            s.u32(id(n));
        }
        let none = (f64::NEG_INFINITY, f64::INFINITY);
        let (lower, upper) = joint.limits.unwrap_or(none);
        s.numbers(&[lower, upper]);
        s.numbers(&joint.axis.to_array());
        s.numbers(&joint.anchor.to_array());
    }
    for actuator in model.actuators() {
        s.text(&actuator.name);
    }
    for channel in channels {
        s.text(&channel.name);
        s.u32(id(channel.size));
    }
    s
}

/// Meshes and images, each once.
#[derive(Default)]
struct Meshes {
    known: HashMap<usize, usize>,
    payloads: Vec<Sink>,
    images: Vec<Arc<[u8]>>,
}

impl Meshes {
    fn of(&mut self, mesh: &Arc<TriMesh>, coat: Option<&Coat>) -> usize {
        let address = Arc::as_ptr(mesh).addr();
        *self.known.entry(address).or_insert_with(|| {
            let mut payload = triangles(self.payloads.len(), mesh);
            if let Some(coat) = coat {
                let image = coat.image.as_ref().map_or(0, |image| {
                    let known = self.images.iter().position(|i| i == image);
                    known.unwrap_or_else(|| {
                        self.images.push(image.clone());
                        self.images.len() - 1
                    }) + 1
                });
                payload.0[COAT..COAT + 4].copy_from_slice(&id(1 + image).to_le_bytes());
                let corners = coat.corners.as_flattened().as_flattened();
                corners.iter().for_each(|x| payload.f32(*x));
            }
            self.payloads.push(payload);
            self.payloads.len() - 1
        })
    }
}

/// Where the payload of a mesh says whether its corners have colours or an image.
const COAT: usize = 12;

fn triangles(number: usize, mesh: &TriMesh) -> Sink {
    let mut s = Sink::default();
    s.u32(id(number));
    s.u32(id(mesh.vertices.len()));
    s.u32(id(mesh.triangles.len()));
    s.u32(0);
    for x in mesh.vertices.iter().flat_map(|v| v.to_array()) {
        s.f32(x as f32);
    }
    for &i in mesh.triangles.iter().flatten() {
        s.u32(i);
    }
    s
}

/// The upper side of a height field.
fn surface(field: &HeightField) -> TriMesh {
    let (columns, rows) = (field.columns, field.rows);
    let mut mesh = TriMesh::default();
    for r in 0..rows {
        for c in 0..columns {
            let at = |k: usize, n: usize, half: f64| half * (2.0 * k as f64 / (n - 1) as f64 - 1.0);
            let [x, y] = field.half_extents;
            let z = field.heights[r * columns + c];
            mesh.vertices
                .push(Vec3::new(at(c, columns, x), at(r, rows, y), z));
        }
    }
    let corner = |r: usize, c: usize| (r * columns + c) as u32;
    for r in 0..rows - 1 {
        for c in 0..columns - 1 {
            let [a, b] = [corner(r, c), corner(r, c + 1)];
            let [d, e] = [corner(r + 1, c), corner(r + 1, c + 1)];
            mesh.triangles.extend([[a, b, e], [a, e, d]]);
        }
    }
    mesh
}

fn shapes(model: &Model, visuals: &[Visual], meshes: &mut Meshes) -> Sink {
    let mut s = Sink::default();
    s.u32(id(model.ngeom() + visuals.len()));
    for (i, g) in model.geoms().iter().enumerate() {
        let role = if g.contype == 0 && g.conaffinity == 0 {
            Role::Visual
        } else {
            Role::Collision
        };
        shape(&mut s, role, i, g.body, &g.shape, (g.rgba, None), meshes);
        finish(&mut s, &g.placement, g.friction[0], &g.name);
    }
    for v in visuals {
        shape(
            &mut s,
            Role::Visual,
            usize::MAX,
            v.body,
            &v.shape,
            (v.rgba, v.coat.as_deref()),
            meshes,
        );
        finish(&mut s, &v.placement, 0.0, &v.name);
    }
    s
}

fn shape(
    s: &mut Sink,
    role: Role,
    geom: usize,
    body: usize,
    of: &ShapeSpec,
    (rgba, coat): ([f32; 4], Option<&Coat>),
    meshes: &mut Meshes,
) {
    const MESH: u32 = 6;
    let (kind, mesh, size) = match of {
        ShapeSpec::Plane {
            half_extents: [x, y],
        } => (0, None, [*x, *y, 0.0]),
        ShapeSpec::Sphere { radius } => (1, None, [*radius, 0.0, 0.0]),
        ShapeSpec::Capsule {
            radius,
            half_length,
        } => (2, None, [*radius, *half_length, 0.0]),
        ShapeSpec::Cylinder {
            radius,
            half_length,
        } => (3, None, [*radius, *half_length, 0.0]),
        ShapeSpec::Ellipsoid { semi_axes } => (4, None, semi_axes.to_array()),
        ShapeSpec::Box { half_extents } => (5, None, half_extents.to_array()),
        ShapeSpec::Mesh { mesh, .. } => (MESH, Some(meshes.of(mesh, coat)), [0.0; 3]),
        ShapeSpec::HeightField(f) => {
            meshes
                .payloads
                .push(triangles(meshes.payloads.len(), &surface(f)));
            (MESH, Some(meshes.payloads.len() - 1), [0.0; 3])
        }
    };
    for n in [
        role as u32,
        kind,
        id(body),
        id(geom),
        mesh.map_or(u32::MAX, id),
    ] {
        s.u32(n);
    }
    rgba.into_iter().for_each(|x| s.f32(x));
    s.numbers(&size);
}

fn finish(s: &mut Sink, placement: &Pose, friction: f64, name: &str) {
    s.pose(placement);
    s.numbers(&[friction]);
    s.text(name);
}
