//! Geometry through the simulation: every pair of shapes touches, moves with an exact derivative, and
//! holds what falls on it.

mod common;

use common::*;
use diffsim::model::mesh::TriMesh;
use diffsim::model::spec::{
    BodySpec, GeomSpec, HeightField, JointKind, JointSpec, MeshMode, ModelSpec, ShapeSpec,
};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Pose, Sym3, Vec3};
use diffsim::step::{Options, Sim};
use std::sync::Arc;

fn mesh(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> ShapeSpec {
    ShapeSpec::Mesh {
        mesh: Arc::new(TriMesh {
            vertices: vertices.iter().map(|v| Vec3::from_slice(v)).collect(),
            triangles: triangles.to_vec(),
        }),
        mode: MeshMode::Hull,
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

fn compile(spec: ModelSpec) -> Arc<Model> {
    Arc::new(Model::compile(spec, Actuation::FromFile).unwrap())
}

#[test]
fn nothing_passes_a_mesh_floor() {
    let sphere = || ShapeSpec::Sphere { radius: 0.1 };
    let cuboid = || ShapeSpec::Box {
        half_extents: Vec3::new(0.1, 0.15, 0.08),
    };
    let floors = [("slab", block([2.0, 2.0, 0.05])), ("field", field())];
    let top = 0.05;
    for (floor, shape) in floors {
        for (name, falling) in [
            ("sphere", sphere()),
            ("box", cuboid()),
            ("mesh", block([0.12, 0.09, 0.1])),
            (
                "cylinder",
                ShapeSpec::Cylinder {
                    radius: 0.1,
                    half_length: 0.1,
                },
            ),
        ] {
            let mut spec = ModelSpec::default();
            fixed(&mut spec, floor, Vec3::ZERO, shape.clone());
            body(&mut spec, name, Vec3::new(0.03, 0.02, 0.4), falling);
            let model = compile(spec);
            let mut sim = Sim::new(model.clone(), &Options::default()).unwrap();
            let mut rng = Rng::new(7);
            for speed in [0.5, 2.0, 5.0] {
                let mut q = model.neutral().to_vec();
                let turn = rng.quat().to_array();
                q[3..7].copy_from_slice(&turn);
                let mut v = vec![0.0; 6];
                // The velocity is along the body's axes.
                let down = Pose::from_quat(diffsim::spatial::Quat::from_slice(&turn), Vec3::ZERO)
                    .rot
                    .tr_mul_vec(Vec3::Z * -speed);
                v[..3].copy_from_slice(&down.to_array());
                let (mut qn, mut vn) = (q.clone(), v.clone());
                let mut lowest = f64::INFINITY;
                for _ in 0..400 {
                    sim.step(&q, &v, &[], &mut qn, &mut vn).unwrap();
                    std::mem::swap(&mut q, &mut qn);
                    std::mem::swap(&mut v, &mut vn);
                    lowest = lowest.min(q[2]);
                }
                assert!(
                    lowest > top,
                    "{name} on {floor} at {speed} m/s sank to {lowest}"
                );
                assert!(!sim.contacts().is_empty(), "{name} on {floor}");
            }
        }
    }
}
