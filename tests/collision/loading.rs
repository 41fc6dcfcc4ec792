//! What is refused, and what is told, about geometry.

use crate::{block, body, field, fixed, mesh};
use diffsim::model::spec::{MeshMode, ModelSpec, ShapeSpec};
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
    let open = ShapeSpec::Mesh {
        mesh: Arc::new(open),
        mode: MeshMode::Decomposed,
    };
    let ShapeSpec::HeightField(f) = field() else {
        unreachable!()
    };
    let mut holes = (*f).clone();
    holes.heights[20] = f64::NAN;
    for (what, shape) in [
        ("flat", flat),
        ("nan", nan),
        ("open", open),
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
        let e = Model::compile(spec, Actuation::FromFile)
            .and_then(|m| Sim::new(Arc::new(m), &Options::default()))
            .expect_err(what);
        assert!(e.message.contains("culprit"), "{what}: {e}");
    }
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
