//! Refusals and warnings about geometry.

use crate::{block, body, field, fixed, mesh};
use diffsim::collision::scene::with_geometry;
use diffsim::model::spec::{MeshMode, ModelSpec, OpenMesh, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;
use diffsim::step::{Options, Sim};
use std::sync::Arc;

#[test]
fn geometry_that_bounds_nothing_is_refused() {
    let flat = mesh(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    let nan = mesh(
        &[
            [0.0; 3],
            [1.0, 0.0, f64::NAN],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0],
        ],
        &[[0, 1, 2], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    );
    let ShapeSpec::Mesh { mesh: cube, .. } = block([0.1; 3]) else {
        unreachable!()
    };
    let mut open = (*cube).clone();
    open.triangles.pop();
    let open = Arc::new(open);
    let opened = |mode| ShapeSpec::Mesh {
        mesh: open.clone(),
        mode,
        open: OpenMesh::Error,
    };
    // An invalid mesh must be refused quickly.
    let mut huge = (*cube).clone();
    huge.triangles.resize(2_000_001, [0, 1, 2]);
    let huge = ShapeSpec::Mesh {
        mesh: Arc::new(huge),
        mode: MeshMode::Hull,
        open: OpenMesh::Error,
    };
    let ShapeSpec::HeightField(f) = field() else {
        unreachable!()
    };
    let mut holes = (*f).clone();
    holes.heights[20] = f64::NAN;
    for (what, shape) in [
        ("flat", flat),
        ("nan", nan),
        ("open", opened(MeshMode::Hull)),
        ("open to be decomposed", opened(MeshMode::Decomposed)),
        ("huge", huge),
        ("holes", ShapeSpec::HeightField(Arc::new(holes))),
    ] {
        let mut spec = ModelSpec::default();
        fixed(&mut spec, "culprit", Vec3::ZERO, shape);
        body(
            &mut spec,
            "ball",
            Vec3::Z,
            ShapeSpec::Sphere { radius: 0.1 },
        );
        let e = Model::compile(spec.clone(), Actuation::FromFile)
            .and_then(with_geometry)
            .expect_err(what);
        assert!(e.message.contains("culprit"), "{what}: {e}");
        println!("{what}: {e}");
        let e = Model::compile(spec.clone(), Actuation::FromFile)
            .and_then(|m| Sim::new(Arc::new(m), &Options::default()))
            .expect_err(what);
        assert!(e.message.contains("culprit"), "{what}: {e}");
        // A geom that touches nothing is accepted, unless it is not a geometry at all.
        for g in &mut spec.geoms {
            (g.contype, g.conaffinity) = (0, 0);
        }
        let model = Model::compile(spec, Actuation::FromFile).and_then(with_geometry);
        assert_eq!(model.is_err(), ["nan", "holes"].contains(&what), "{what}");
        if let Ok(model) = model {
            let mut sim = Sim::new(Arc::new(model), &Options::default()).unwrap();
            let q = sim.model().neutral().to_vec();
            sim.collide(&q).unwrap();
            for e in [
                sim.distance(0, 1, &q, None).map(drop),
                sim.set_pair_enabled(0, 1, true),
            ] {
                assert!(e.expect_err(what).message.contains("culprit"));
            }
        }
    }
}

/// A bowl: a box without its lid, which is its hull.
#[test]
fn open_meshes_collide_as_hulls_where_that_is_asked_for() {
    let ShapeSpec::Mesh { mesh: cube, .. } = block([0.1; 3]) else {
        unreachable!()
    };
    let mut bowl = (*cube).clone();
    bowl.triangles.truncate(10);
    let bowl = Arc::new(bowl);
    for mode in [MeshMode::Hull, MeshMode::Decomposed] {
        let mut spec = ModelSpec::default();
        let shape = ShapeSpec::Mesh {
            mesh: bowl.clone(),
            mode,
            open: OpenMesh::Hull,
        };
        fixed(&mut spec, "bowl", Vec3::ZERO, shape);
        let ball = ShapeSpec::Sphere { radius: 0.05 };
        body(&mut spec, "ball", Vec3::Z * 0.14, ball);
        let model = Model::compile(spec, Actuation::FromFile).unwrap();
        let model = with_geometry(model).unwrap();
        let warning = &model.warnings()[0];
        assert!(
            warning.contains("bowl") && warning.contains("20.00 %"),
            "{warning}"
        );
        let mut sim = Sim::new(Arc::new(model), &Options::default()).unwrap();
        let q = sim.model().neutral().to_vec();
        sim.collide(&q).unwrap();
        assert!((sim.contacts()[0].gap + 0.01).abs() < 1e-12);
    }
}

/// Holes of a thousandth of the surface and less are cracks; the hull does not see them.
#[test]
fn cracked_meshes_are_closed_enough_for_a_hull() {
    let n = 40;
    let mut vertices = Vec::new();
    for (i, j) in (0..=n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let (t, p) = (i as f64 / n as f64, 2.0 * j as f64 / n as f64);
        let [t, p] = [t, p].map(|x| x * std::f64::consts::PI);
        // The poles are the same point for all j.
        let r = if i % n == 0 { 0.0 } else { t.sin() };
        vertices.push([0.1 * r * p.cos(), 0.1 * r * p.sin(), 0.1 * t.cos()]);
    }
    let mut triangles = Vec::new();
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let at = |i: usize, j: usize| (i * n + j % n) as u32;
        triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
        triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
    }
    let load = |triangles: &[[u32; 3]], mode| {
        let ShapeSpec::Mesh { mesh, open, .. } = mesh(&vertices, triangles) else {
            unreachable!()
        };
        let mut spec = ModelSpec::default();
        body(
            &mut spec,
            "ball",
            Vec3::ZERO,
            ShapeSpec::Mesh { mesh, mode, open },
        );
        Model::compile(spec, Actuation::FromFile).and_then(with_geometry)
    };
    assert!(load(&triangles, MeshMode::Hull).is_ok());
    // At a pole, where they are small.
    let cracked = &triangles[1..];
    assert!(load(cracked, MeshMode::Hull).is_ok());
    assert!(load(cracked, MeshMode::Decomposed).is_err());
    triangles.truncate(triangles.len() - 10 * n);
    let e = load(&triangles, MeshMode::Hull).expect_err("open");
    assert!(
        e.message.contains("ball") && e.message.contains("open_mesh"),
        "{e}"
    );
}

#[test]
fn loading_tells_of_hulls_and_leaves_robots_alone() {
    use diffsim::load::options::{Format, LoadOptions, load_str};
    let dir = std::env::temp_dir().join(format!("diffsim_collision_{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    // A pyramid with a dent in its base, and one without.
    let obj = |z: f64| {
        format!(
            "v 1 1 0\nv -1 1 0\nv -1 -1 0\nv 1 -1 0\nv 0 0 1\nv 0 0 {z}\n\
             f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\nf 2 1 6\nf 3 2 6\nf 4 3 6\nf 1 4 6\n"
        )
    };
    std::fs::write(dir.join("dented.obj"), obj(0.3)).unwrap();
    std::fs::write(dir.join("whole.obj"), obj(0.0)).unwrap();
    let link = |name: &str, file: &str| {
        format!(
            "<link name='{name}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' \
             ixz='0' iyz='0'/></inertial><collision name='{name}_shape'><geometry>\
             <mesh filename='{file}'/></geometry></collision></link>"
        )
    };
    let joint = |parent: &str, child: &str| {
        format!(
            "<joint name='{child}_joint' type='continuous'><parent link='{parent}'/>\
             <child link='{child}'/><axis xyz='0 0 1'/></joint>"
        )
    };
    let text = format!(
        "<robot name='r'><link name='base'/>{}{}{}{}{}{}</robot>",
        link("a", "whole.obj"),
        link("b", "dented.obj"),
        link("c", "whole.obj"),
        joint("base", "a"),
        joint("a", "b"),
        joint("b", "c")
    );
    let load = |self_collision| {
        let options = LoadOptions {
            self_collision,
            keep_inseparable: true,
            ..LoadOptions::default()
        };
        load_str(&text, Format::Urdf, Some(&dir), &options).unwrap()
    };
    let (with, without) = (load(true), load(false));
    std::fs::remove_dir_all(&dir).unwrap();
    let warned: Vec<&String> = with
        .warnings()
        .iter()
        .filter(|w| w.contains("hull"))
        .collect();
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(warned[0].contains("b_shape"), "{warned:?}");
    let touching = |model: Model| {
        let mut sim = Sim::new(Arc::new(model), &Options::default()).unwrap();
        let q = sim.model().neutral().to_vec();
        sim.collide(&q).unwrap();
        sim.contacts().len()
    };
    assert!(touching(with) > 0);
    assert_eq!(touching(without), 0);
}
