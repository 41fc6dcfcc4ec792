//! Files: the description itself and its meshes.

use super::*;
use crate::load::mesh_file::tests::{assert_is_unit_cube, text_stl};
use crate::model::spec::BodySpec;
use std::fs;
use std::path::PathBuf;

/// A directory of its own for the test, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let dir = std::env::temp_dir().join(format!("diffsim-urdf-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        Scratch(dir)
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn with_mesh(attributes: &str) -> String {
    pair(
        "fixed",
        "",
        &format!("<collision><geometry>\n<mesh {attributes}/></geometry></collision>"),
    )
}

#[test]
fn meshes_are_found_in_their_places() {
    let dir = Scratch::new("places");
    let stl = dir.write("ws/pkg/meshes/cube.stl", text_stl());
    dir.write("other/meshes/cube.STL", text_stl());
    let file_url = format!("file://{}", stl.display());
    let absolute = stl.display().to_string();
    let cases = [
        ("package://pkg/meshes/cube.stl", vec![]),
        ("package://gone/meshes/cube.STL", vec![dir.0.join("other")]),
        ("package://other/meshes/cube.STL", vec![dir.0.clone()]),
        ("package:///pkg/meshes/cube.stl", vec![]),
        ("model://pkg/meshes/cube.stl", vec![]),
        ("package://pkg\\meshes\\cube.stl", vec![]),
        ("../meshes/cube.stl", vec![]),
        ("meshes/cube.STL", vec![dir.0.join("other")]),
        (file_url.as_str(), vec![]),
        (absolute.as_str(), vec![]),
    ];
    for (name, mesh_dirs) in cases {
        let path = dir.write(
            "ws/pkg/urdf/r.urdf",
            with_mesh(&format!("filename=\"{name}\"")),
        );
        let options = UrdfOptions {
            mesh_dirs,
            ..UrdfOptions::default()
        };
        let spec = read_file(&path, &options).unwrap_or_else(|e| panic!("{}", e.message));
        match &spec.geoms[0].shape {
            ShapeSpec::Mesh { mesh, .. } => assert_is_unit_cube(mesh),
            other => panic!("{other:?}"),
        }
    }
}

/// URDFs that are written for MuJoCo name the folder of their meshes in its extension.
#[test]
fn meshes_are_found_in_the_folder_of_the_extension() {
    let dir = Scratch::new("extension");
    dir.write("meshes/deep/cube.stl", text_stl());
    let extension =
        "<mujoco><compiler meshdir=\"../meshes/deep\" discardvisual=\"false\"/></mujoco>";
    for name in [
        "cube.stl",
        "package://gone/cube.stl",
        "../wrong/cube.stl",
        "../deep/cube.stl",
    ] {
        let text = with_mesh(&format!("filename=\"{name}\""));
        let path = dir.write(
            "urdf/r.urdf",
            text.replace("</robot>", &format!("{extension}</robot>")),
        );
        let spec =
            read_file(&path, &UrdfOptions::default()).unwrap_or_else(|e| panic!("{}", e.message));
        assert!(matches!(spec.geoms[0].shape, ShapeSpec::Mesh { .. }));
        assert_eq!(spec.warnings.len(), 1, "{:?}", spec.warnings);
        assert!(
            spec.warnings[0].contains("except meshdir"),
            "{:?}",
            spec.warnings
        );
        let without = dir.write("urdf/s.urdf", with_mesh(&format!("filename=\"{name}\"")));
        assert_eq!(
            read_file(&without, &UrdfOptions::default())
                .unwrap_err()
                .status,
            Status::Io
        );
    }
}

#[test]
fn scale_and_mirror() {
    let dir = Scratch::new("scale");
    dir.write("cube.stl", text_stl());
    let path = dir.write(
        "r.urdf",
        with_mesh("filename=\"cube.stl\" scale=\"-2 1 3\""),
    );
    let spec = read_file(&path, &UrdfOptions::default()).unwrap();
    match &spec.geoms[0].shape {
        ShapeSpec::Mesh { mesh, .. } => {
            let solid = mesh.solid();
            assert!((solid.mass - 6.0).abs() < 1e-13);
            assert!((solid.com() - Vec3::new(-1.0, 0.5, 1.5)).norm() < 1e-14);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn missing_and_broken_meshes() {
    let dir = Scratch::new("missing");
    dir.write("empty.stl", "solid\nendsolid\n");
    let read_with = |name: &str, missing_mesh| {
        let path = dir.write("r.urdf", with_mesh(&format!("filename=\"{name}\"")));
        let options = UrdfOptions {
            missing_mesh,
            ..UrdfOptions::default()
        };
        read_file(&path, &options)
    };
    let cases = [
        ("package://pkg/gone.stl", Status::Io, "mesh_dirs"),
        (
            "gone.stl",
            Status::Io,
            "missing_mesh = DS_MISSING_MESH_SKIP",
        ),
        ("http://host/a.stl", Status::Unsupported, "http://"),
        ("r.urdf", Status::Unsupported, ".dae, .glb and .msh"),
        ("empty.stl", Status::Parse, "no triangles"),
    ];
    for (name, status, word) in cases {
        let e = read_with(name, MissingMesh::Error).unwrap_err();
        assert_eq!(e.status, status, "{}", e.message);
        let place = "r.urdf: line 4: <link> \"b\", <mesh>: ";
        assert!(
            e.message.contains(place) && e.message.contains(word),
            "{}",
            e.message
        );
        let skipped = read_with(name, MissingMesh::Skip);
        // A file that is not found, and one of another format.
        assert_eq!(skipped.is_ok(), status == Status::Io || name == "r.urdf");
    }
    let text = with_mesh("filename=\"gone.stl\"").replace(
        "</link>",
        "<collision><geometry><sphere radius=\"1\"/></geometry></collision></link>",
    );
    let path = dir.write("skip.urdf", text);
    let options = UrdfOptions {
        missing_mesh: MissingMesh::Skip,
        ..UrdfOptions::default()
    };
    let spec = read_file(&path, &options).unwrap();
    let names: Vec<_> = spec.geoms.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["b_1"]);
    assert!(spec.warnings[0].contains("gone.stl"), "{:?}", spec.warnings);

    dir.write("large.stl", text_stl().replace('1', "20"));
    let path = dir.write(
        "huge.urdf",
        with_mesh("filename=\"large.stl\" scale=\"1 1e308 1\""),
    );
    let e = read_file(&path, &UrdfOptions::default()).unwrap_err();
    assert!(e.message.contains("scaled mesh"), "{}", e.message);

    let e = error_of(&with_mesh("filename=\"gone.stl\""));
    assert_eq!(e.status, Status::Io);
    assert!(e.message.contains("no directory"), "{}", e.message);
}

#[test]
fn files_that_cannot_be_read() {
    let dir = Scratch::new("files");
    let e = read_file(&dir.0.join("none.urdf"), &UrdfOptions::default()).unwrap_err();
    assert_eq!(e.status, Status::Io);
    assert!(e.message.contains("none.urdf"), "{}", e.message);
    assert_eq!(
        read_file(&dir.0, &UrdfOptions::default())
            .unwrap_err()
            .status,
        Status::Io
    );
    // Invalid UTF-8 is read as Latin-1.
    let path = dir.write(
        "bytes.urdf",
        b"<robot name='r'>\n<link name='\xe9'/></robot>",
    );
    let spec = read_file(&path, &UrdfOptions::default()).unwrap();
    assert_eq!(spec.bodies[1].name, "\u{e9}");
}

#[test]
fn the_arm_of_the_examples() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/models/arm7.urdf");
    let spec = read_file(&path, &UrdfOptions::default()).unwrap();
    assert!(spec.warnings.is_empty(), "{:?}", spec.warnings);
    let revolute = |b: &&BodySpec| b.joints.iter().any(|j| j.kind == JointKind::Revolute);
    assert_eq!(spec.bodies.iter().filter(revolute).count(), 7);
    let mass: f64 = spec.bodies.iter().map(|b| b.inertia.mass).sum();
    assert!((mass - 22.5).abs() < 1e-12);
    // Straight up at zero: 0.36 to the shoulder, 0.42 on to the elbow, 0.40, 0.126.
    let height: f64 = spec.bodies.iter().map(|b| b.placement.pos.z).sum();
    assert!((height - 1.306).abs() < 1e-12);
    assert_eq!(spec.geoms.len(), 8);
}

/// The same file by other paths: relative to the working directory, and through a link to its folder or
/// to itself.
#[test]
fn meshes_are_found_however_the_path_is_spelt() {
    let dir = Scratch::new("spelt");
    dir.write("ws/pkg/meshes/cube.stl", text_stl());
    let path = dir.write(
        "ws/pkg/urdf/r.urdf",
        with_mesh("filename=\"package://pkg/meshes/cube.stl\""),
    );
    let here = std::env::current_dir().unwrap();
    let up: PathBuf = here.iter().skip(1).map(|_| "..").collect();
    let relative = up.join(path.strip_prefix("/").unwrap());
    let mut ways = vec![path.clone(), relative];
    #[cfg(unix)]
    {
        fs::create_dir_all(dir.0.join("else")).unwrap();
        std::os::unix::fs::symlink(path.parent().unwrap(), dir.0.join("else/link")).unwrap();
        std::os::unix::fs::symlink(&path, dir.0.join("else/r.urdf")).unwrap();
        ways.extend([dir.0.join("else/link/r.urdf"), dir.0.join("else/r.urdf")]);
    }
    for way in ways {
        let spec = read_file(&way, &UrdfOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(spec.geoms.len(), 1, "{}", way.display());
    }
}

#[test]
fn missing_meshes_are_one_line_a_folder() {
    let dir = Scratch::new("lost");
    let shapes: String = [
        "a/1.stl", "a/2.stl", "a/1.stl", "a/3.stl", "a/4.stl", "b.stl",
    ]
    .map(|f| {
        format!("<collision><geometry><mesh filename='package://p/{f}'/></geometry></collision>\n")
    })
    .concat();
    let path = dir.write("r.urdf", pair("fixed", "", &shapes));
    let mut options = UrdfOptions {
        mesh_dirs: vec![dir.0.clone(), dir.0.clone()],
        ..UrdfOptions::default()
    };
    let e = read_file(&path, &options).unwrap_err();
    assert_eq!(e.status, Status::Io);
    let tried = dir.0.join("p/a/1.stl").display().to_string();
    assert_eq!(e.message.matches(&*tried).count(), 1, "{e}");
    let all = "with it 5 meshes cannot be used: 4 files of \"package://p/a\" (1.stl, 2.stl, 3.stl and 1 more); \
               \"package://p/b.stl\"";
    assert!(e.message.contains(all), "{e}");
    options.missing_mesh = MissingMesh::Skip;
    let spec = read_file(&path, &options).unwrap();
    let place = "<link> \"b\", <mesh>";
    assert_eq!(
        spec.warnings,
        [
            format!(
                "line 3: {place}: 4 files of \"package://p/a\" (1.stl, 2.stl, 3.stl and 1 more) not found, 5 geometries left out"
            ),
            format!("line 8: {place}: \"package://p/b.stl\" not found, geometry left out"),
        ]
    );
}

#[test]
fn meshes_of_an_unsupported_format_can_be_left_out() {
    let dir = Scratch::new("ply");
    let text = "<robot name=\"r\">\n<link name=\"a\"><collision><geometry>\n<mesh filename=\"m.ply\"/>\
                </geometry></collision></link></robot>";
    let path = dir.write("r.urdf", text);
    dir.write("m.ply", b"ply");
    let mut options = UrdfOptions::default();
    let e = read_file(&path, &options).unwrap_err();
    assert_eq!(e.status, Status::Unsupported);
    let end = "m.ply: meshes are read from .stl, .obj, .dae, .glb and .msh files; missing_mesh = DS_MISSING_MESH_SKIP \
               leaves the geometry out";
    assert!(
        e.message.starts_with("line 3") || e.message.contains(": line 3"),
        "{e}"
    );
    assert!(e.message.ends_with(end), "{e}");
    options.missing_mesh = MissingMesh::Skip;
    let spec = read_file(&path, &options).unwrap();
    assert!(spec.geoms.is_empty());
    let left_out =
        "line 3: <link> \"a\", <mesh>: \"m.ply\" of an unsupported format, geometry left out";
    assert_eq!(spec.warnings, [left_out]);
}
