//! `<flexcomp>`.

use super::{assert_near, assert_vec, failure, load, model};
use crate::error::Status;
use crate::model::{Actuation, Model};
use crate::spatial::Vec3;

const SOLID: &str = "<flexcomp name=\"f\" count=\"2 3 2\" spacing=\"1 1 1\" dim=\"3\" radius=\"0.05\" mass=\"2\" \
    pos=\"1 2 3\"><elasticity young=\"1e4\" poisson=\"0.3\" damping=\"0.01\"/><contact friction=\"0.7\"/>\
    <pin id=\"0\"/></flexcomp>";

fn world(inside: &str) -> String {
    format!("<worldbody>{inside}</worldbody>")
}

#[test]
fn a_grid_is_the_one_of_mujoco() {
    let m = model(&world(&format!(
        "<body name=\"b\" pos=\"0 0 1\"><freejoint/><geom size=\"0.1\"/>{SOLID}</body><body name=\"c\" mocap=\"true\"/>"
    )));
    let d = &m.deformables[0];
    assert_eq!(
        (d.name.as_str(), d.young, d.poisson, d.damping),
        ("f", 1e4, 0.3, 0.01)
    );
    // The numbers that MuJoCo 4.0 gives, with two corners swapped where the volume was negative.
    assert_eq!(d.tets.len(), 12);
    assert_eq!(
        [d.tets[0], d.tets[1], d.tets[11]]
            .map(|t| t.into_iter().collect::<std::collections::BTreeSet<_>>()),
        [
            [0, 2, 6, 3].into(),
            [0, 6, 1, 3].into(),
            [8, 11, 9, 5].into(),
        ]
    );
    assert_vec(d.rest[0], [0.5, 1.0, 3.5]);
    assert_vec(d.rest[11], [1.5, 3.0, 4.5]);
    assert_near(d.extent(), 2.0);
    assert_near(d.density, 1.0);
    // Node 0 belongs to body b, the others come after all bodies.
    assert_eq!((d.nodes[0].body, d.nodes[0].is_free), (1, false));
    assert_vec(d.nodes[0].at, [0.5, 1.0, 2.5]);
    assert_eq!((m.bodies[3].name.as_str(), d.nodes[1].body), ("f_1", 3));
    let g = m.geoms.last().unwrap();
    assert_eq!(
        (g.name.as_str(), g.friction[0], m.bodies.len()),
        ("f_11", 0.7, 14)
    );
    let free: f64 = m.bodies[3..].iter().map(|b| b.inertia.mass).sum();
    let all: f64 = d.masses().iter().sum();
    assert_near(free, all);
    assert!(m.warnings[0].contains("spheres"), "{:?}", m.warnings);
    assert!(Model::compile(m, Actuation::FromFile).is_ok());
}

#[test]
fn strings_and_given_elements() {
    let m = model(&world(
        "<flexcomp name=\"s\" count=\"4 1 1\" spacing=\"0.1 1 1\" dim=\"1\" radius=\"0\"><edge stiffness=\"50\" damping=\"2\"/>\
         <pin range=\"0 0\"/><pin grid=\"3\"/></flexcomp><flexcomp name=\"t\" type=\"direct\" dim=\"3\" scale=\"2 2 2\" \
         point=\"0 0 0 1 0 0 0 1 0 0 0 1\" element=\"0 2 1 3\"><elasticity young=\"1e3\"/>\
         <contact contype=\"0\" conaffinity=\"0\"/></flexcomp>",
    ));
    let [s, t] = [&m.deformables[0], &m.deformables[1]];
    assert_eq!(
        (&s.edges[..], s.stiffness, s.damping),
        (&[[0, 1], [1, 2], [2, 3]][..], 50.0, 0.04)
    );
    assert_eq!(
        s.nodes.iter().map(|n| n.is_free).collect::<Vec<_>>(),
        [false, true, true, false]
    );
    assert_near(s.density, 1.0 / 0.3);
    assert_eq!((t.rest[1], t.tets[0]), (Vec3::X * 2.0, [0, 2, 3, 1]));
    assert!(m.geoms.is_empty());
}

#[test]
fn membranes_are_those_of_mujoco() {
    let cloth = |elastic: &str| {
        world(&format!(
            "<flexcomp name=\"c\" count=\"3 3 1\" spacing=\"0.1 0.1 0.1\" dim=\"2\" mass=\"0.04\" radius=\"0\">\
             <elasticity young=\"1e3\" poisson=\"0.3\" thickness=\"0.01\" elastic2d=\"{elastic}\"/>\
             <pin gridrange=\"0 0 0 2\"/></flexcomp>"
        ))
    };
    let m = model(&cloth("stretch"));
    let d = &m.deformables[0];
    // The triangles that MuJoCo 4.0 gives.
    let expected = [
        [0, 3, 4],
        [0, 4, 1],
        [1, 4, 5],
        [1, 5, 2],
        [3, 6, 7],
        [3, 7, 4],
        [4, 7, 8],
        [4, 8, 5],
    ];
    assert_eq!(d.triangles, expected);
    assert_eq!((d.young, d.poisson, d.thickness), (1e3, 0.3, 0.01));
    assert_near(d.density, 100.0);
    assert_eq!(d.nodes.iter().filter(|n| n.is_free).count(), 6);
    assert_eq!(m.warnings.len(), 1);
    let both = model(&cloth("both"));
    assert!(
        both.warnings
            .iter()
            .any(|w| w.contains("bending is left out"))
    );
    assert!(Model::compile(m, Actuation::FromFile).is_ok());
}

#[test]
fn flexcomps_of_other_kinds_are_refused_with_their_line() {
    let change = |from: &str, to: &str| world(&SOLID.replace(from, to));
    for (inside, expected) in [
        (change("dim=\"3\"", "dim=\"4\""), "dim=\"4\""),
        (change("dim=\"3\"", "dim=\"2\""), "elastic2d=\"none\""),
        (
            change("dim=\"3\"", "dim=\"2\"").replace("young", "elastic2d=\"bend\" young"),
            "elastic2d=\"bend\"",
        ),
        (change("dim=\"3\"", "dim=\"3\" dof=\"trilinear\""), "dof"),
        (
            change("dim=\"3\"", "dim=\"3\" type=\"ellipsoid\""),
            "type=\"ellipsoid\"",
        ),
        (change("young=\"1e4\"", ""), "young"),
        (change("<pin", "<edge equality=\"true\"/><pin"), "equality"),
        (change("<pin", "<edge stiffness=\"1\"/><pin"), "dim=\"1\""),
        (change("young", "yield=\"3\" young"), "yield"),
    ] {
        let e = failure(&inside);
        assert!(
            e.status == Status::Unsupported
                && e.message.contains("line 2")
                && e.message.contains(expected),
            "{e:?}"
        );
    }
    for (inside, expected) in [
        (change("id=\"0\"", "id=\"12\""), "id: "),
        (change("id=\"0\"", "grid=\"0 3 0\""), "grid: "),
        (change("2 3 2", "2 3 1"), "count"),
        (change("2 3 2", "2 3.5 2"), "count"),
        (change("poisson=\"0.3\"", "poisson=\"0.5\""), "poisson"),
        (change("mass=\"2\"", "mass=\"0\""), "density"),
        (change("id=\"0\"", "ids=\"0\""), "ids"),
        (format!("{}{}", world(SOLID), world(SOLID)), "f"),
    ] {
        let e = failure(&inside);
        assert!(
            e.status == Status::Parse && e.message.contains(expected),
            "{e:?}"
        );
    }
    let text = SOLID.replace("dim=\"3\"", "dim=\"3\" type=\"gmsh\" file=\"absent.msh\"");
    let e = load(&format!("<mujoco>{}</mujoco>", world(&text))).unwrap_err();
    assert!(
        e.status == Status::Io && e.message.contains("absent.msh"),
        "{e:?}"
    );
}
