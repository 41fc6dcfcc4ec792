//! Triangle meshes from STL, OBJ, COLLADA, GLB and MSH files.

use super::mtl::Materials;
pub use super::soup::MAX_TRIANGLES;
use super::soup::{Finished, Soup};
use super::{collada, glb, msh, obj, read_bytes, stl};
use crate::error::{Error, Result};
use crate::model::mesh::TriMesh;
use std::path::Path;
use std::sync::Arc;

/// Largest mesh file that is read.
pub const MAX_BYTES: u64 = 512 << 20;

/// Reads a mesh by its extension: `.stl` (text or binary), `.obj`, `.dae`, `.glb` or MuJoCo's `.msh`, in
/// any case.
///
/// Coordinates are the file's. COLLADA is read as its scene places the parts, in metres by its `<unit>`; its
/// `<up_axis>` is not used, as RViz, Gazebo, MoveIt and Pinocchio do not and robots' files expect. So is GLB,
/// without its rule that +y is up. Parts are
/// joined into one mesh, polygons cut into triangles, vertices at exactly the
/// same place merged, and those that no triangle uses dropped. STL and OBJ coordinates are rounded to single
/// precision, so that text and binary files agree.
///
/// # Errors
/// `Io` for a file that cannot be read; `Parse` for one that is not of its format, or has a
/// number that is not finite or no triangles; `Unsupported` for other extensions, more than
/// [`MAX_TRIANGLES`] triangles or more than [`MAX_BYTES`] bytes. The message names the file.
pub fn load_mesh(path: &Path) -> Result<TriMesh> {
    Ok(load_painted(path, None)?.found.mesh)
}

/// A mesh with its colours and images, and warnings about them.
pub(super) struct Painted {
    pub found: Finished,
    pub images: Vec<Arc<[u8]>>,
    pub warnings: Vec<String>,
    /// Warning about the `<up_axis>` of the file.
    pub up_axis: Option<&'static str>,
}

/// Reads a mesh as [`load_mesh`], with its colours. With a folder, the colours of an OBJ and
/// images are read from its files.
pub(super) fn load_painted(path: &Path, folder: Option<&Path>) -> Result<Painted> {
    let format = MeshFormat::of(path).ok_or_else(|| {
        Error::unsupported(format!(
            "{}: meshes are read from .stl, .obj, .dae, .glb and .msh files",
            path.display()
        ))
    })?;
    parse_painted(&read_bytes(path, MAX_BYTES)?, format, folder).map_err(|e| Error {
        status: e.status,
        message: format!("{}: {}", path.display(), e.message),
    })
}

/// The format of a mesh file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MeshFormat {
    Stl,
    Obj,
    Collada,
    Glb,
    Msh,
}

impl MeshFormat {
    fn of(path: &Path) -> Option<MeshFormat> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "stl" => Some(MeshFormat::Stl),
            "obj" => Some(MeshFormat::Obj),
            "dae" => Some(MeshFormat::Collada),
            "glb" => Some(MeshFormat::Glb),
            "msh" => Some(MeshFormat::Msh),
            _ => None,
        }
    }
}

/// Reads a mesh from the bytes of a file; see [`load_mesh`].
pub fn parse_mesh(bytes: &[u8], format: MeshFormat) -> Result<TriMesh> {
    Ok(parse_painted(bytes, format, None)?.found.mesh)
}

fn parse_painted(bytes: &[u8], format: MeshFormat, folder: Option<&Path>) -> Result<Painted> {
    let mut soup = Soup::default();
    let mut materials = Materials::new(folder);
    let mut up_axis = None;
    match format {
        MeshFormat::Stl => stl::read(bytes, &mut soup)?,
        MeshFormat::Obj => obj::read(bytes, &mut soup, &mut materials)?,
        MeshFormat::Collada => up_axis = collada::read(bytes, &mut soup, &mut materials.textures)?,
        MeshFormat::Glb => glb::read(bytes, &mut soup, &mut materials.textures)?,
        MeshFormat::Msh => msh::read(bytes, &mut soup)?,
    }
    Ok(Painted {
        found: soup.finish()?,
        images: std::mem::take(&mut materials.textures.images),
        warnings: materials.warnings(),
        up_axis,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::error::Status;
    use crate::spatial::Sym3;
    use crate::spatial::Vec3;
    use std::path::PathBuf;

    /// Corners of the unit cube and its faces as quads, counter-clockwise from outside.
    const CORNERS: [[f32; 3]; 8] = [
        [0., 0., 0.],
        [1., 0., 0.],
        [1., 1., 0.],
        [0., 1., 0.],
        [0., 0., 1.],
        [1., 0., 1.],
        [1., 1., 1.],
        [0., 1., 1.],
    ];
    const QUADS: [[usize; 4]; 6] = [
        [0, 3, 2, 1],
        [4, 5, 6, 7],
        [0, 1, 5, 4],
        [1, 2, 6, 5],
        [2, 3, 7, 6],
        [3, 0, 4, 7],
    ];

    fn facets() -> impl Iterator<Item = [[f32; 3]; 3]> {
        QUADS
            .into_iter()
            .flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]])
            .map(|t| t.map(|i| CORNERS[i]))
    }

    pub(crate) fn text_stl() -> String {
        let facet = |t: [[f32; 3]; 3]| {
            let corners: String = t
                .iter()
                .map(|[x, y, z]| format!("vertex {x} {y} {z}\n"))
                .collect();
            format!("facet normal 0 0 0\n outer loop\n{corners} endloop\nendfacet\n")
        };
        let body: String = facets().map(facet).collect();
        format!("solid a vertex of name\n{body}endsolid\n")
    }

    fn binary_stl(header: &[u8], facets: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(80, b' ');
        bytes.extend((facets.len() as u32).to_le_bytes());
        for t in facets {
            bytes.extend([0; 12]);
            bytes.extend(t.iter().flatten().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    fn obj() -> String {
        let mut text = String::from("# cube\nmtllib none.mtl\no c\n");
        for [x, y, z] in CORNERS {
            text += &format!("v {x} {y} {z} 0.5 0.5 0.5\n");
        }
        text += "vn 0 0 1\nvt 0 0\n";
        for (k, q) in QUADS.iter().enumerate() {
            let form = |i: usize| match k % 3 {
                0 => format!("{}", i + 1),
                1 => format!("{}//1", i + 1),
                _ => format!("{}/1/1", i as i64 - 8),
            };
            let [a, b, c, d] = q.map(form);
            text += &format!("f {a} {b} {c} {d} # quad\r\n");
        }
        text
    }

    pub(crate) fn parse_collada(bytes: &[u8]) -> Result<TriMesh> {
        parse_mesh(bytes, MeshFormat::Collada)
    }

    pub(crate) fn assert_is_unit_cube(mesh: &TriMesh) {
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (8, 12));
        let solid = mesh.solid();
        assert!((solid.mass - 1.0).abs() < 1e-14, "{solid:?}");
        assert!((solid.com() - Vec3::new(0.5, 0.5, 0.5)).norm() < 1e-14);
        let d = solid.about_com() - Sym3::diagonal(Vec3::new(1.0, 1.0, 1.0) * (1.0 / 6.0));
        assert!(d.to_mat3().c.iter().all(|c| c.norm() < 1e-14), "{d:?}");
    }

    #[test]
    fn every_format_gives_the_cube() {
        let facets: Vec<_> = facets().collect();
        assert_is_unit_cube(&parse_mesh(text_stl().as_bytes(), MeshFormat::Stl).unwrap());
        for header in [
            b"binary".as_slice(),
            b"solid by an exporter",
            b"solid x\nfacet",
        ] {
            let bytes = binary_stl(header, &facets);
            assert_is_unit_cube(&parse_mesh(&bytes, MeshFormat::Stl).unwrap());
        }
        assert_is_unit_cube(&parse_mesh(obj().as_bytes(), MeshFormat::Obj).unwrap());
    }

    fn error_of(bytes: &[u8], format: MeshFormat) -> Error {
        parse_mesh(bytes, format).expect_err("expected the mesh to be refused")
    }

    #[test]
    fn broken_meshes_are_refused_by_name_of_the_fault() {
        let facets: Vec<_> = facets().collect();
        let mut nan = facets.clone();
        nan[3][1][2] = f32::NAN;
        let binary = binary_stl(b"", &facets);
        let text = text_stl();
        let cases: [(&[u8], MeshFormat, &str); 14] = [
            (b"", MeshFormat::Stl, "0 bytes"),
            (b"not a mesh", MeshFormat::Stl, "neither"),
            (
                &binary[..binary.len() - 1],
                MeshFormat::Stl,
                "truncated binary STL: 12",
            ),
            (&text.as_bytes()[..text.len() / 2], MeshFormat::Stl, ""),
            (
                &text.as_bytes()[..text.len() - 10],
                MeshFormat::Stl,
                "truncated",
            ),
            (&binary_stl(b"", &nan), MeshFormat::Stl, "not finite"),
            (&binary_stl(b"", &[]), MeshFormat::Stl, "no triangles"),
            (b"solid\nendsolid\n", MeshFormat::Stl, "no triangles"),
            (
                b"solid\nvertex 1 2 x\n",
                MeshFormat::Stl,
                "line 2: expected a number, got \"x\"",
            ),
            (
                b"solid\nouter loop\nvertex 1 2 3\nendloop",
                MeshFormat::Stl,
                "line 4: expected 3 vertices",
            ),
            (b"v 0 0 0\n", MeshFormat::Obj, "no triangles"),
            (
                b"v 0 0\n",
                MeshFormat::Obj,
                "line 1: expected 3 coordinates, got 2",
            ),
            (
                b"v 0 0 0\nf 1 1 2\n",
                MeshFormat::Obj,
                "line 2: expected a corner",
            ),
            (b"v 0 0 nan\nf 1 1 1\n", MeshFormat::Obj, "not finite"),
        ];
        for (bytes, format, message) in cases {
            let e = error_of(bytes, format);
            assert_eq!(e.status, Status::Parse, "{}", e.message);
            assert!(e.message.contains(message), "{message}: {}", e.message);
        }
        for face in [
            "f 0 1 2",
            "f -4 1 2",
            "f 1 2",
            "f",
            "f 1 2 99999999999999999999",
        ] {
            let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{face}\n");
            let e = error_of(text.as_bytes(), MeshFormat::Obj);
            assert!(e.message.starts_with("line 4: "), "{}", e.message);
        }
    }

    #[test]
    fn too_many_triangles_are_refused_at_once() {
        let mut header = vec![0; 80];
        header.extend(10_000_000u32.to_le_bytes());
        let e = error_of(&header, MeshFormat::Stl);
        assert_eq!(e.status, Status::Unsupported);
        assert!(e.message.contains("10000000 triangles"), "{}", e.message);

        let face = "f 1 2 3\n";
        let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_owned() + &face.repeat(MAX_TRIANGLES + 1);
        assert_eq!(
            error_of(text.as_bytes(), MeshFormat::Obj).status,
            Status::Unsupported
        );
    }

    #[test]
    fn vertices_merge_exactly_and_unused_ones_go() {
        let text =
            "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv -0 0 0\nv 1e-30 0 0\nf 2 3 4\nf 5 4 3\nf 6 3 4";
        let mesh = parse_mesh(text.as_bytes(), MeshFormat::Obj).unwrap();
        assert_eq!(mesh.vertices.len(), 4);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 1], [3, 1, 2]]);
    }

    #[test]
    fn files_are_named_in_errors() {
        let path = PathBuf::from("no such directory/part.STL");
        let e = load_mesh(&path).unwrap_err();
        assert_eq!(e.status, Status::Io);
        assert!(e.message.contains("part.STL"), "{}", e.message);
        for name in ["part.ply", "part"] {
            let e = load_mesh(Path::new(name)).unwrap_err();
            assert_eq!(e.status, Status::Unsupported);
            assert!(e.message.starts_with(name), "{}", e.message);
        }
    }
}
