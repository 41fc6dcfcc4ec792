//! Geometry through the simulation: every pair of shapes touches, moves with an exact derivative, and holds a
//! body that falls on it.

#[path = "../common/mod.rs"]
mod common;
mod falls;
mod field;
mod loading;
mod motion;
mod overlap;
mod pairs;
mod reference;
mod relative;
mod robots;
mod scene;
mod stable;

use diffsim::model::mesh::TriMesh;
use diffsim::model::spec::{
    BodySpec, GeomSpec, HeightField, JointKind, JointSpec, MeshMode, ModelSpec, OpenMesh, ShapeSpec,
};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Pose, Sym3, Vec3};
use diffsim::step::Options;
use std::sync::Arc;

fn mesh(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> ShapeSpec {
    ShapeSpec::Mesh {
        mesh: Arc::new(TriMesh {
            vertices: vertices.iter().map(|v| Vec3::from_slice(v)).collect(),
            triangles: triangles.to_vec(),
        }),
        mode: MeshMode::Hull,
        open: OpenMesh::Error,
    }
}

/// A box as a mesh of twelve triangles.
fn block(h: [f64; 3]) -> ShapeSpec {
    let corner = |i: usize| std::array::from_fn(|k| if i >> k & 1 == 1 { h[k] } else { -h[k] });
    let vertices: Vec<[f64; 3]> = (0..8).map(corner).collect();
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let triangles: Vec<[u32; 3]> = quads
        .iter()
        .flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]])
        .collect();
    mesh(&vertices, &triangles)
}

/// A bumpy field of 4 m × 4 m.
fn field() -> ShapeSpec {
    let n = 17;
    let height = |i: usize| 0.03 * ((i % n) as f64 * 0.9).sin() + 0.02 * ((i / n) as f64).cos();
    ShapeSpec::HeightField(Arc::new(HeightField {
        columns: n,
        rows: n,
        half_extents: [2.0, 2.0],
        base: 0.5,
        heights: (0..n * n).map(height).collect(),
    }))
}

fn body(spec: &mut ModelSpec, name: &str, at: Vec3, shape: ShapeSpec) {
    let id = spec.bodies.len();
    let mut b = BodySpec::world();
    b.name = name.into();
    b.placement = Pose::translation(at);
    let i = Sym3::diagonal(Vec3::new(0.02, 0.025, 0.03));
    b.inertia = Inertia::from_com(1.0, Vec3::ZERO, i);
    b.joints = vec![JointSpec::new(format!("{name}_free"), JointKind::Free)];
    spec.bodies.push(b);
    spec.geoms
        .push(GeomSpec::new(name, id, Pose::IDENTITY, shape));
}

fn fixed(spec: &mut ModelSpec, name: &str, at: Vec3, shape: ShapeSpec) {
    spec.geoms
        .push(GeomSpec::new(name, 0, Pose::translation(at), shape));
}

fn fixed_at(spec: &mut ModelSpec, name: &str, pose: Pose, shape: ShapeSpec) {
    spec.geoms.push(GeomSpec::new(name, 0, pose, shape));
}

fn compile(spec: ModelSpec) -> Arc<Model> {
    Arc::new(Model::compile(spec, Actuation::FromFile).unwrap())
}

fn shapes() -> Vec<(&'static str, ShapeSpec)> {
    vec![
        (
            "plane",
            ShapeSpec::Plane {
                half_extents: [0.0; 2],
            },
        ),
        ("field", field()),
        ("sphere", ShapeSpec::Sphere { radius: 0.13 }),
        (
            "capsule",
            ShapeSpec::Capsule {
                radius: 0.08,
                half_length: 0.12,
            },
        ),
        (
            "cylinder",
            ShapeSpec::Cylinder {
                radius: 0.1,
                half_length: 0.09,
            },
        ),
        (
            "ellipsoid",
            ShapeSpec::Ellipsoid {
                semi_axes: Vec3::new(0.1, 0.13, 0.16),
            },
        ),
        (
            "box",
            ShapeSpec::Box {
                half_extents: Vec3::new(0.1, 0.12, 0.08),
            },
        ),
        ("mesh", block([0.11, 0.08, 0.13])),
    ]
}

fn options_without_contact() -> Options {
    Options {
        contact: diffsim::step::Contact::None,
        ..Options::default()
    }
}
