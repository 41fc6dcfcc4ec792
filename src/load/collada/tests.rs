use super::*;
use crate::load::mesh_file::tests::parse_collada;
use crate::model::mesh::TriMesh;

const CORNERS: &str = "0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1";
const QUADS: &str = "0 3 2 1  4 5 6 7  0 1 5 4  1 2 6 5  2 3 7 6  3 0 4 7";

/// A file with the cube of edge 1 as the given primitives, and the given nodes.
fn file(asset: &str, primitives: &str, scene: &str) -> String {
    let input = r##"<input semantic="VERTEX" source="#v" offset="0"/>"##;
    let primitives = primitives.replace("INPUT", input);
    format!(
        r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>{asset}</asset>
<library_geometries><geometry id="cube"><mesh>
 <source id="p"><float_array id="a" count="24">{CORNERS}</float_array><technique_common>
  <accessor source="#a" count="8" stride="3"/></technique_common></source>
 <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
 {primitives}
</mesh></geometry></library_geometries>
<library_nodes><node id="shared"><instance_geometry url="#cube"/></node></library_nodes>
<library_visual_scenes><visual_scene id="s">{scene}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene>
</COLLADA>"##
    )
}

fn quads() -> String {
    format!(r#"<polylist count="6">INPUT<vcount>4 4 4 4 4 4</vcount><p>{QUADS}</p></polylist>"#)
}

const NODE: &str = r##"<node><instance_geometry url="#cube"/></node>"##;

fn load(asset: &str, primitives: &str, scene: &str) -> TriMesh {
    parse_collada(file(asset, primitives, scene).as_bytes()).unwrap()
}

fn bounds(mesh: &TriMesh) -> (Vec3, Vec3) {
    let fold = |f: fn(f64, f64) -> f64, start: f64| {
        mesh.vertices
            .iter()
            .fold(Vec3::new(start, start, start), |a, v| {
                Vec3::new(f(a.x, v.x), f(a.y, v.y), f(a.z, v.z))
            })
    };
    (fold(f64::min, f64::MAX), fold(f64::max, f64::MIN))
}

#[test]
fn every_primitive_gives_the_cube() {
    let polygons: String = QUADS.split("  ").map(|q| format!("<p>{q}</p>")).collect();
    let fans = format!("<trifans>INPUT{polygons}</trifans>");
    let polygons = format!("<polygons>INPUT{polygons}</polygons>");
    let strips: String = QUADS
        .split("  ")
        .map(|q| q.split(' ').collect::<Vec<_>>())
        .map(|q| format!("<p>{} {} {} {}</p>", q[0], q[1], q[3], q[2]))
        .collect();
    let strips = format!("<tristrips>INPUT{strips}</tristrips>");
    // Three indices per corner, with the vertex in the middle.
    let corners: String = QUADS
        .split("  ")
        .map(|q| q.split(' ').collect::<Vec<_>>())
        .flat_map(|q| [q[0], q[1], q[2], q[0], q[2], q[3]].map(|i| format!("7 {i} 9 ")))
        .collect();
    let triangles = format!(
        r##"<triangles><input semantic="NORMAL" source="#n" offset="0"/>
        <input semantic="VERTEX" source="#v" offset="1"/>
        <input semantic="TEXCOORD" source="#t" offset="2"/><p>{corners}</p></triangles>"##
    );
    for primitives in [quads(), polygons, fans, strips, triangles] {
        let mesh = load("", &primitives, NODE);
        crate::load::mesh_file::tests::assert_is_unit_cube(&mesh);
    }
}

#[test]
fn nodes_and_unit_place_the_parts() {
    // Outer translation of the inner rotation by 90° about z of the scaled cube: x in
    // 5 − [0, 1], y in 0 + [0, 2], z in [0, 3]; all in centimetres.
    let scene = r##"<node><translate>5 0 0</translate><node><rotate>0 0 1 90</rotate>
        <scale>2 1 3</scale><instance_node url="#shared"/></node></node>"##;
    let mesh = load(
        r#"<unit meter="0.01"/><up_axis>Y_UP</up_axis>"#,
        &quads(),
        scene,
    );
    let (lo, hi) = bounds(&mesh);
    assert!((lo - Vec3::new(0.04, 0.0, 0.0)).norm() < 1e-15, "{lo:?}");
    assert!((hi - Vec3::new(0.05, 0.02, 0.03)).norm() < 1e-15, "{hi:?}");

    let matrix = r##"<node><matrix>0 -1 0 5  2 0 0 0  0 0 3 0  0 0 0 1</matrix>
        <instance_geometry url="#cube"/></node>"##;
    let (lo, hi) = bounds(&load("", &quads(), matrix));
    assert_eq!(
        (lo, hi),
        (Vec3::new(4.0, 0.0, 0.0), Vec3::new(5.0, 2.0, 3.0))
    );
}

#[test]
fn mirrored_parts_stay_outside_out() {
    let scene = r##"<node><scale>-1 1 1</scale><instance_geometry url="#cube"/></node>"##;
    let solid = load("", &quads(), scene).solid();
    assert!((solid.mass - 1.0).abs() < 1e-14, "{solid:?}");
}

#[test]
fn parts_add_up() {
    let apart = r##"<node><translate>2 0 0</translate><instance_node url="#shared"/></node>"##;
    let mesh = load("", &quads(), &(NODE.to_owned() + apart));
    assert_eq!(mesh.vertices.len(), 16);
    assert!((mesh.solid().mass - 2.0).abs() < 1e-14);
}

#[test]
fn broken_files_are_errors_with_a_line() {
    let loops = r##"<node id="n"><instance_node url="#n"/></node>"##;
    let cases = [
        (
            quads().replace("4 4 4 4 4 4", "4 4 4 4 4 5"),
            NODE,
            "fewer corners",
        ),
        (quads().replace("0 3 2 1", "0 3 2 8"), NODE, "index 8"),
        (
            quads().replace("0 3 2 1", "0 3 2 -1"),
            NODE,
            "expected an index, got \"-1\"",
        ),
        (
            quads().replace(
                "INPUT",
                r##"<input semantic="VERTEX" source="#x" offset="0"/>"##,
            ),
            NODE,
            "id \"x\"",
        ),
        (
            quads().replace(
                "INPUT",
                r##"<input semantic="VERTEX" source="#v" offset="x"/>"##,
            ),
            NODE,
            "small whole number",
        ),
        (
            quads(),
            r##"<node><instance_geometry url="#lost"/></node>"##,
            "id \"lost\"",
        ),
        (
            quads(),
            r##"<node><instance_geometry url="a.dae#cube"/></node>"##,
            "#id of this file",
        ),
        (
            quads(),
            "<node><translate>1 2</translate></node>",
            "3 finite numbers",
        ),
        (quads(), "<node><skew>1</skew></node>", "not read"),
        (quads(), loops, "instance each other"),
        (quads(), "", "no triangles"),
    ];
    for (primitives, scene, message) in cases {
        let e = parse_collada(file("", &primitives, scene).as_bytes()).unwrap_err();
        assert!(e.message.contains(message), "{message}: {}", e.message);
        assert!(
            e.message.starts_with("line ") || scene.is_empty(),
            "{}",
            e.message
        );
    }
    let cube = file("", &quads(), NODE);
    for text in [
        "<mesh/>",
        &cube[..cube.len() / 2],
        &cube.replace("0 0 0  1", "0 0 nan  1"),
    ] {
        assert!(parse_collada(text.as_bytes()).is_err());
    }
    assert!(parse_collada(b"<COLLADA>\xff</COLLADA>").is_err());
}
