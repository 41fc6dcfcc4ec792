//! Derivatives of penalty contact between shapes of every kind against differences.

use crate::common::Rng;
use crate::common::penalty::{Tally, accept, all_parameters, check, compile, options, roughen};
use crate::common::scene::{ball, cuboid, fixed, free, ground, on_ground};
use diffsim::model::Model;
use diffsim::model::mesh::TriMesh;
use diffsim::model::spec::{HeightField, MeshMode, ModelSpec, OpenMesh, ShapeSpec};
use diffsim::spatial::{Pose, Quat, Vec3};
use diffsim::step::Sim;
use std::sync::Arc;

/// A polyhedron without symmetry.
fn hull() -> ShapeSpec {
    let vertices = [
        [0.06, 0.01, 0.0],
        [-0.05, 0.0, 0.01],
        [0.0, 0.07, 0.01],
        [0.01, -0.05, 0.0],
        [0.0, 0.01, 0.06],
        [0.01, 0.0, -0.08],
    ];
    let triangles = vec![
        [0, 2, 4],
        [2, 1, 4],
        [1, 3, 4],
        [3, 0, 4],
        [2, 0, 5],
        [1, 2, 5],
        [3, 1, 5],
        [0, 3, 5],
    ];
    ShapeSpec::Mesh {
        mesh: Arc::new(TriMesh {
            vertices: vertices.map(|v| Vec3::from_slice(&v)).to_vec(),
            triangles,
        }),
        mode: MeshMode::Hull,
        open: OpenMesh::Error,
    }
}

fn shapes() -> Vec<(&'static str, ShapeSpec)> {
    vec![
        ("sphere", ball(0.05)),
        (
            "capsule",
            ShapeSpec::Capsule {
                radius: 0.04,
                half_length: 0.06,
            },
        ),
        ("box", cuboid(0.04, 0.06, 0.05)),
        (
            "cylinder",
            ShapeSpec::Cylinder {
                radius: 0.05,
                half_length: 0.07,
            },
        ),
        (
            "ellipsoid",
            ShapeSpec::Ellipsoid {
                semi_axes: Vec3::new(0.04, 0.06, 0.05),
            },
        ),
        ("hull", hull()),
    ]
}

/// A free body of any shape with the moments of a box.
fn any_free(spec: &mut ModelSpec, name: &str, shape: ShapeSpec) -> usize {
    let id = free(spec, name, Pose::IDENTITY, 1.0, cuboid(0.04, 0.06, 0.05));
    spec.geoms.last_mut().unwrap().shape = shape;
    id
}

/// Moves the last free body along the normal of two geoms until they overlap by this much.
fn press(sim: &mut Sim, geoms: [usize; 2], q: &mut [f64], depth: f64) {
    let d = sim.distance(geoms[0], geoms[1], q, None).unwrap();
    let at = q.len() - 7;
    for k in 0..3 {
        q[at + k] -= d.normal[k] * (d.distance + depth);
    }
}

fn set_quat(q: &mut [f64], quat: Quat) {
    q.copy_from_slice(&[quat.x, quat.y, quat.z, quat.w]);
}

/// Random states of the last body against another geom, at speeds at which it sticks, slides and parts.
fn press_at_random(model: &Arc<Model>, geoms: [usize; 2], states: usize, tally: &mut Tally) {
    let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
    let list = all_parameters(model);
    sim.select_params(&list).unwrap();
    let mut rng = Rng::new(7 + geoms[1] as u64);
    for k in 0..states {
        let mut q = model.neutral().to_vec();
        let at = q.len() - 7;
        let away = rng.vec3(0.3);
        for i in 0..3 {
            q[at + i] = away[i] + if i == 2 { 0.4 } else { 0.0 };
        }
        for quat in (3..q.len()).step_by(7) {
            set_quat(&mut q[quat..quat + 4], rng.quat());
        }
        press(&mut sim, geoms, &mut q, rng.range(0.0005, 0.002));
        let v = rng.vector(model.nv(), [0.01, 0.5, 3.0][k % 3]);
        let u = rng.vector(model.nu(), 1.0);
        check(&mut sim, &list, (&q, &v, &u), 5e-6, tally);
    }
}

#[test]
fn each_shape_on_a_plane() {
    let mut tally = Tally::default();
    for (name, shape) in shapes() {
        let mut spec = ModelSpec::default();
        ground(&mut spec, 0.5);
        any_free(&mut spec, name, shape);
        roughen(&mut spec);
        press_at_random(&compile(spec), [0, 1], 6, &mut tally);
    }
    accept(&tally, "on a plane", [3, 6, 6]);
}

#[test]
fn each_shape_against_each() {
    let all = shapes();
    let mut tally = Tally::default();
    for (i, (first, a)) in all.iter().enumerate() {
        for (second, b) in &all[i..] {
            let mut spec = ModelSpec::default();
            any_free(&mut spec, first, a.clone());
            any_free(&mut spec, &format!("other {second}"), b.clone());
            roughen(&mut spec);
            press_at_random(&compile(spec), [0, 1], 2, &mut tally);
        }
    }
    accept(&tally, "against each other", [2, 10, 2]);
}

#[test]
fn a_ball_on_a_height_field() {
    let n = 9;
    let height = |k: usize| 0.1 * ((k * k) as f64).sin().abs();
    let field = ShapeSpec::HeightField(Arc::new(HeightField {
        columns: n,
        rows: n,
        half_extents: [1.0, 1.0],
        base: 0.5,
        heights: (0..n * n).map(height).collect(),
    }));
    let mut spec = ModelSpec::default();
    fixed(&mut spec, "field", Pose::IDENTITY, field, 0.5);
    any_free(&mut spec, "ball", ball(0.08));
    roughen(&mut spec);
    let mut tally = Tally::default();
    press_at_random(&compile(spec), [0, 1], 9, &mut tally);
    accept(&tally, "on a height field", [0, 1, 1]);
}

/// A box on its face: four contacts, each with all its slopes.
#[test]
fn a_box_on_its_face() {
    let mut spec = on_ground(0.1, 0.0485, 2.0, cuboid(0.1, 0.07, 0.05));
    spec.geoms[1].friction[0] = 0.3;
    let model = compile(spec);
    let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
    let list = all_parameters(&model);
    sim.select_params(&list).unwrap();
    let (mut rng, mut tally) = (Rng::new(3), Tally::default());
    for k in 0..6 {
        let mut q = model.neutral().to_vec();
        let tilt = Quat::exp(rng.vec3(0.003)).normalized();
        set_quat(&mut q[3..7], tilt);
        let mut v = rng.vector(6, [0.005, 0.1][k % 2]);
        v[k % 2] += [0.0, 1.0][k % 2];
        check(
            &mut sim,
            &list,
            (&q, &v, &rng.vector(6, 1.0)),
            5e-6,
            &mut tally,
        );
    }
    accept(&tally, "a box on its face", [0, 8, 8]);
}
