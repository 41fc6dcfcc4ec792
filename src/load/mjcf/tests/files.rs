//! Files: includes, meshes, depth and size.

use super::super::read_file;
use super::*;
use crate::error::Status;
use crate::load::height_file::tests as heights;
use crate::model::spec::ShapeSpec;
use std::path::PathBuf;

/// A directory that is removed with its contents.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("diffsim-mjcf-{}-{name}", std::process::id()));
        std::fs::create_dir_all(path.join("sub")).unwrap();
        Scratch(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn read(path: &std::path::Path) -> Result<ModelSpec> {
    read_file(path, &MjcfOptions::default())
}

#[test]
fn includes_nest_in_place() {
    let dir = Scratch::new("includes");
    let main = dir.write(
        "main.xml",
        "<mujoco><worldbody><body name=\"a\"/><include file=\"sub\\b.xml\"/><body name=\"d\"/>\
         </worldbody></mujoco>",
    );
    dir.write(
        "sub/b.xml",
        "<mujocoinclude>\n<body name=\"b\"/><include file=\"c.xml\"/></mujocoinclude>",
    );
    dir.write("sub/c.xml", "<anything><body name=\"c\"/></anything>");
    let m = read(&main).unwrap();
    let names: Vec<&str> = m.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["world", "a", "b", "c", "d"]);
    assert_eq!(m.bodies[1].origin, "line 1");
    assert!(
        m.bodies[2].origin.ends_with("b.xml, line 2"),
        "{}",
        m.bodies[2].origin
    );
    // The same file included twice: the names clash, and the message gives both places.
    let twice = dir.write(
        "twice.xml",
        "<mujoco><worldbody><include file=\"sub/c.xml\"/>\n<include file=\"sub/c.xml\"/>\
         </worldbody></mujoco>",
    );
    let e = read(&twice).unwrap_err();
    assert!(e.message.contains("the name \"c\" is already taken"), "{e}");
    assert_eq!(e.message.matches("c.xml, line 1").count(), 2, "{e}");
}

#[test]
fn includes_that_fail() {
    let dir = Scratch::new("bad-includes");
    dir.write("loop.xml", "<x>\n<include file=\"back.xml\"/></x>");
    dir.write("back.xml", "<x><include file=\"loop.xml\"/></x>");
    for (k, (inside, status, expected)) in [
        (
            "<include file=\"none.xml\"/>",
            Status::Io,
            "line 2: <include>: file \"none.xml\"",
        ),
        (
            "<include file=\"loop.xml\"/>",
            Status::Parse,
            "includes itself",
        ),
        (
            "<include/>",
            Status::Parse,
            "expected exactly the attribute file",
        ),
        ("<include file=\"sub\"/>", Status::Io, "not found"),
    ]
    .into_iter()
    .enumerate()
    {
        let main = dir.write(
            &format!("main{k}.xml"),
            &format!("<mujoco>\n{inside}</mujoco>"),
        );
        let e = read(&main).unwrap_err();
        assert_eq!(e.status, status, "{e}");
        assert!(e.message.contains(expected), "{e}");
    }
    let own = dir.write("own.xml", "<mujoco><include file=\"own.xml\"/></mujoco>");
    assert!(read(&own).unwrap_err().message.contains("includes itself"));
    // A chain of files that doubles each time stops at the depth limit before memory runs out.
    for k in 0..40 {
        let next = format!("<include file=\"chain{}.xml\"/>", k + 1);
        dir.write(
            &format!("chain{k}.xml"),
            &format!("<mujoco>{next}{next}</mujoco>"),
        );
    }
    let e = read(&dir.0.join("chain0.xml")).unwrap_err();
    assert!(e.message.contains("nested deeper than 16 files"), "{e}");
}

#[test]
fn files_that_are_not_models() {
    let dir = Scratch::new("not-models");
    assert_eq!(
        read(&dir.0.join("absent.xml")).unwrap_err().status,
        Status::Io
    );
    let binary = dir.0.join("binary.xml");
    std::fs::write(&binary, [0xff, 0xfe, 0x00, 0x81]).unwrap();
    assert_eq!(read(&binary).unwrap_err().status, Status::Parse);
    for text in [
        "",
        "no xml",
        "<mujoco><worldbody><body>",
        "<robot/>",
        "<mujoco></mujoco><a/>",
    ] {
        let e = load(text).unwrap_err();
        assert_eq!(e.status, Status::Parse, "{text}: {e}");
    }
    let e = load("<robot/>").unwrap_err();
    assert!(e.message.contains("found <robot>"), "{e}");
}

#[test]
fn meshes_are_looked_for_in_order() {
    let dir = Scratch::new("meshes");
    let corner = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    dir.write("sub/t.obj", corner);
    let text = |dir: &str, file: &str| {
        format!(
            "<mujoco><compiler {dir}/><asset>\n<mesh file=\"{file}\" scale=\"2 2 2\"/></asset>\
             <worldbody><body><geom type=\"mesh\" mesh=\"t\" density=\"1\"/></body></worldbody>\
             </mujoco>"
        )
    };
    let mut options = MjcfOptions::default();
    let base = Some(dir.0.as_path());
    for (d, file) in [
        ("", "sub/t.obj"),
        ("meshdir=\"sub\"", "t.obj"),
        ("assetdir=\"sub\"", "t.obj"),
        ("meshdir=\"sub\" strippath=\"true\"", "elsewhere/t.obj"),
    ] {
        let m = read_str(&text(d, file), base, &options).unwrap();
        assert_near(m.bodies[1].inertia.mass, 8.0 / 6.0);
    }
    let e = read_str(&text("", "t.obj"), base, &options).unwrap_err();
    assert_eq!(e.status, Status::Io);
    assert!(
        e.message
            .starts_with("line 2: <mesh>: file \"t.obj\" not found"),
        "{e}"
    );
    options.mesh_dirs.push(dir.0.join("sub"));
    let m = read_str(&text("", "t.obj"), base, &options).unwrap();
    assert_near(m.bodies[1].inertia.mass, 8.0 / 6.0);
    dir.write("sub/broken.obj", "v 0 0\nf 1 2 9\n");
    let e = read_str(&text("meshdir=\"sub\"", "broken.obj"), base, &options).unwrap_err();
    assert!(
        e.message.starts_with("line 2: <mesh>: file \"broken.obj\""),
        "{e}"
    );
}

#[test]
fn ten_thousand_links_in_a_chain() {
    let n = 10_000;
    let text = format!(
        "<mujoco><worldbody>{}{}</worldbody></mujoco>",
        "<body pos=\"0 0 1\"><joint/><geom size=\".1\"/>".repeat(n),
        "</body>".repeat(n)
    );
    let m = load(&text).unwrap();
    assert_eq!(m.bodies.len(), n + 1);
    assert_eq!(m.bodies[n].parent, n - 1);
}

#[test]
fn copies_are_bounded() {
    let nested = "<replicate count=\"1000\">".repeat(5) + "<geom size=\"1\"/>";
    let text = format!(
        "<worldbody>{nested}{}</worldbody>",
        "</replicate>".repeat(5)
    );
    assert_eq!(failure(&text).status, Status::Capacity);
}

/// The grey image 10 20 30 / 40 50 70 and MuJoCo's numbers for the same field.
#[test]
fn height_fields_come_from_images_and_numbers() {
    let dir = Scratch::new("height-fields");
    let (grey, eight) = (png::ColorType::Grayscale, png::BitDepth::Eight);
    let image = heights::image(3, 2, grey, eight, &[10, 20, 30, 40, 50, 70]);
    let numbers = heights::binary(2, 3, &[4.0, 5.0, 7.0, 1.0, 2.0, 3.0]);
    for (name, bytes) in [
        ("hills.png", &image),
        ("sub/hills.PNG", &image),
        ("hills.bin", &numbers),
        ("hills", &numbers),
        ("image.dat", &image),
        ("numbers.png", &numbers),
    ] {
        std::fs::write(dir.0.join(name), bytes).unwrap();
    }
    let load = |attributes: &str| {
        read(&dir.write(
            "hills.xml",
            &format!(
                "<mujoco><asset>\n<hfield size=\"4 5 2 .1\" {attributes}/></asset><worldbody><geom type=\"hfield\" \
                 hfield=\"hills\"/></worldbody></mujoco>"
            ),
        ))
    };
    for attributes in [
        "file=\"hills.png\"",
        "file=\"sub/hills.PNG\"",
        "file=\"hills.bin\"",
        "file=\"hills\"",
        "name=\"hills\" file=\"image.dat\" content_type=\"image/png\"",
        "name=\"hills\" file=\"numbers.png\" content_type=\"image/vnd.mujoco.hfield\"",
        "name=\"hills\" nrow=\"2\" ncol=\"3\" elevation=\"1 2 3 4 5 7\"",
    ] {
        let m = load(attributes).unwrap();
        assert!(m.warnings.is_empty(), "{:?}", m.warnings);
        let ShapeSpec::HeightField(h) = &m.geoms[0].shape else {
            panic!("a height field expected")
        };
        assert_eq!((h.rows, h.columns, h.base), (2, 3, 0.1), "{attributes}");
        assert_eq!(h.half_extents, [4.0, 5.0]);
        let expected = [3.0, 4.0, 6.0, 0.0, 1.0, 2.0].map(|z| z / 6.0 * 2.0);
        for (a, b) in h.heights.iter().zip(expected) {
            assert_near(*a, b);
        }
    }
    let both = load("file=\"hills.png\" nrow=\"7\" ncol=\"2\"").unwrap();
    assert!(
        both.warnings[0].contains("not used beside a file"),
        "{:?}",
        both.warnings
    );
    for (attributes, status, expected) in [
        (
            "file=\"none.png\"",
            Status::Io,
            "file \"none.png\" not found",
        ),
        (
            "name=\"hills\" file=\"numbers.png\"",
            Status::Parse,
            "numbers.png: not a PNG",
        ),
        (
            "name=\"hills\" file=\"image.dat\"",
            Status::Parse,
            "the file has",
        ),
        (
            "file=\"hills.png\" content_type=\"image/jpeg\"",
            Status::Parse,
            "content_type: expected one of image/png",
        ),
        (
            "name=\"hills\" nrow=\"5000\" ncol=\"5000\"",
            Status::Capacity,
            "at most 16777216 heights",
        ),
        (
            "name=\"a\" nrow=\"4000\" ncol=\"4000\"/><hfield name=\"hills\" nrow=\"1000\" ncol=\"1000\" size=\"1 1 1 1\"",
            Status::Capacity,
            "777216 of them here",
        ),
    ] {
        let e = load(attributes).unwrap_err();
        assert_eq!(e.status, status, "{e}");
        assert!(e.message.contains("hills.xml, line 2: <hfield"), "{e}");
        assert!(e.message.contains(expected), "{expected}: {e}");
    }
}
