//! Meshes of tetrahedra from text files: Gmsh's MSH, versions 2.2 and 4.1, and the legacy format of VTK.
//! Nodes that no tetrahedron uses are left out.

use super::{decoded, read_bytes};
use crate::error::{Error, Result};
use crate::spatial::Vec3;
use std::collections::HashMap;
use std::path::Path;

/// Largest file [bytes].
const MAX_BYTES: u64 = 128 << 20;

/// The numbers that Gmsh and VTK give to tetrahedra of four nodes.
const GMSH_TET: i64 = 4;
const VTK_TET: i64 = 10;

/// Nodes and tetrahedra of positive volume.
#[derive(Clone, Debug, Default)]
pub struct TetMesh {
    pub nodes: Vec<Vec3>,
    pub tets: Vec<[usize; 4]>,
}

/// Reads a file.
///
/// # Errors
/// `Io` for a file that cannot be read, otherwise those of [`parse`]. The message names the file.
pub(super) fn load(path: &Path) -> Result<TetMesh> {
    let text = decoded(&read_bytes(path, MAX_BYTES)?);
    parse(&text).map_err(|e| Error {
        status: e.status,
        message: format!("{}: {}", path.display(), e.message),
    })
}

/// Reads the text of a file.
///
/// # Errors
/// `Parse` for text of another format, numbers that are missing or out of range, and a mesh without
/// tetrahedra; `Unsupported` for a binary file and another version of Gmsh's format.
pub fn parse(text: &str) -> Result<TetMesh> {
    let mesh = match text.trim_start() {
        t if t.starts_with("$MeshFormat") => gmsh(t),
        t if t.starts_with("# vtk") => vtk(t),
        _ => Err(Error::parse(
            "expected a mesh of Gmsh, which begins with $MeshFormat, or of VTK, which begins with \"# vtk\"",
        )),
    }?;
    match mesh.tets.is_empty() {
        true => Err(Error::parse("the mesh has no tetrahedra of four nodes")),
        false => Ok(compact(mesh)),
    }
}

/// The words of a part of a file, and the name of the part for messages.
struct Words<'a> {
    words: std::str::SplitAsciiWhitespace<'a>,
    part: &'static str,
}

impl Words<'_> {
    fn next<T: std::str::FromStr>(&mut self) -> Result<T> {
        let word = self.words.next().unwrap_or("the end");
        word.parse()
            .map_err(|_| Error::parse(format!("{}: expected a number, found {word}", self.part)))
    }

    /// A number of entries, of which each takes at least one byte of the rest of the file.
    fn count(&mut self) -> Result<usize> {
        let count = self.next::<u32>()? as usize;
        match count <= MAX_BYTES as usize {
            true => Ok(count),
            false => Err(Error::parse(format!("{}: too many: {count}", self.part))),
        }
    }

    fn point(&mut self) -> Result<Vec3> {
        let [x, y, z] = [self.next()?, self.next()?, self.next()?];
        let point = Vec3::new(x, y, z);
        match point.is_finite() {
            true => Ok(point),
            false => Err(Error::parse(format!(
                "{}: expected finite numbers, found {x} {y} {z}",
                self.part
            ))),
        }
    }
}

/// The text between $NAME and $EndNAME.
fn section<'a>(text: &'a str, name: &'static str) -> Result<Words<'a>> {
    let between = text
        .split_once(name)
        .and_then(|(_, rest)| rest.split_once("$End"));
    match between {
        Some((inside, _)) => Ok(Words {
            words: inside.split_ascii_whitespace(),
            part: name,
        }),
        None => Err(Error::parse(format!("{name} is missing, or has no end"))),
    }
}

fn gmsh(text: &str) -> Result<TetMesh> {
    let mut format = section(text, "$MeshFormat")?;
    let (version, is_binary): (f64, u32) = (format.next()?, format.next()?);
    if is_binary != 0 {
        return Err(Error::unsupported(
            "$MeshFormat: the file is binary; save the mesh as text (ASCII)",
        ));
    }
    let blocks = match version {
        v if (2.0..3.0).contains(&v) => false,
        v if (4.1..5.0).contains(&v) => true,
        v => {
            return Err(Error::unsupported(format!(
                "$MeshFormat: expected version 2.2 or 4.1, found {v}"
            )));
        }
    };
    let mut mesh = TetMesh::default();
    let mut numbers: HashMap<i64, usize> = HashMap::new();
    let mut w = section(text, "$Nodes")?;
    let mut add = |tag: i64, point: Vec3, mesh: &mut TetMesh| {
        numbers.insert(tag, mesh.nodes.len());
        mesh.nodes.push(point);
    };
    if blocks {
        let count = w.count()?;
        for _ in 0..3 {
            w.next::<i64>()?;
        }
        for _ in 0..count {
            // Dimension and number of the geometric entity, and whether parameters follow a point.
            let head: [i64; 3] = [w.next()?, w.next()?, w.next()?];
            if head[2] != 0 {
                return Err(Error::unsupported(
                    "$Nodes: parametric nodes are not read; save the mesh without them",
                ));
            }
            let nodes = w.count()?;
            let tags = (0..nodes).map(|_| w.next()).collect::<Result<Vec<i64>>>()?;
            for tag in tags {
                add(tag, w.point()?, &mut mesh);
            }
        }
    } else {
        for _ in 0..w.count()? {
            let tag = w.next()?;
            add(tag, w.point()?, &mut mesh);
        }
    }
    let mut w = section(text, "$Elements")?;
    let node = |w: &mut Words| -> Result<usize> {
        let tag: i64 = w.next()?;
        (numbers.get(&tag).copied())
            .ok_or_else(|| Error::parse(format!("$Elements: there is no node {tag}")))
    };
    if blocks {
        let count = w.count()?;
        for _ in 0..3 {
            w.next::<i64>()?;
        }
        for _ in 0..count {
            let [_, _, kind]: [i64; 3] = [w.next()?, w.next()?, w.next()?];
            for _ in 0..w.count()? {
                w.next::<i64>()?;
                element(&mut w, kind, &mut mesh, node)?;
            }
        }
    } else {
        for _ in 0..w.count()? {
            let [_, kind, tags]: [i64; 3] = [w.next()?, w.next()?, w.next()?];
            for _ in 0..tags {
                w.next::<i64>()?;
            }
            element(&mut w, kind, &mut mesh, node)?;
        }
    }
    Ok(mesh)
}

/// Reads the nodes of an element, and keeps those of a tetrahedron.
fn element(
    w: &mut Words,
    kind: i64,
    mesh: &mut TetMesh,
    node: impl Fn(&mut Words) -> Result<usize>,
) -> Result<()> {
    // Lines, triangles, quadrangles, tetrahedra, hexahedra, prisms, pyramids and points.
    let count = match kind {
        1 => 2,
        2 => 3,
        3 | GMSH_TET => 4,
        5 => 8,
        6 => 6,
        7 => 5,
        15 => 1,
        kind => {
            return Err(Error::unsupported(format!(
                "$Elements: expected elements of first order, found kind {kind}"
            )));
        }
    };
    let mut corners = [0; 8];
    for corner in &mut corners[..count] {
        *corner = node(w)?;
    }
    if kind == GMSH_TET {
        mesh.tets
            .push([corners[0], corners[1], corners[2], corners[3]]);
    }
    Ok(())
}

/// The words after a keyword.
fn after<'a>(text: &'a str, part: &'static str) -> Result<Words<'a>> {
    let is_start = |at: &usize| text[..*at].ends_with('\n');
    let places = text.match_indices(part).map(|(at, _)| at);
    match places
        .filter(is_start)
        .find(|at| text[at + part.len()..].starts_with([' ', '\t']))
    {
        Some(at) => Ok(Words {
            words: text[at + part.len()..].split_ascii_whitespace(),
            part,
        }),
        None => Err(Error::parse(format!("{part} is missing"))),
    }
}

fn vtk(text: &str) -> Result<TetMesh> {
    let head: Vec<&str> = text.lines().skip(2).take(2).map(str::trim).collect();
    if head.first() == Some(&"BINARY") {
        return Err(Error::unsupported(
            "the file is binary; save the mesh as text (ASCII)",
        ));
    }
    if head != ["ASCII", "DATASET UNSTRUCTURED_GRID"] {
        return Err(Error::parse(format!(
            "expected the lines ASCII and DATASET UNSTRUCTURED_GRID, found {head:?}"
        )));
    }
    let mut mesh = TetMesh::default();
    let mut w = after(text, "POINTS")?;
    let count = w.count()?;
    w.words.next();
    for _ in 0..count {
        let point = w.point()?;
        mesh.nodes.push(point);
    }
    let (mut cells, mut kinds) = (after(text, "CELLS")?, after(text, "CELL_TYPES")?);
    let count = cells.count()?;
    cells.count()?;
    if kinds.count()? != count {
        return Err(Error::parse("CELL_TYPES: expected one for each cell"));
    }
    for _ in 0..count {
        let kind: i64 = kinds.next()?;
        let size = cells.count()?;
        let mut corners = [0; 4];
        for k in 0..size {
            let i = cells.next::<u32>()? as usize;
            if i >= mesh.nodes.len() {
                return Err(Error::parse(format!("CELLS: there is no point {i}")));
            }
            if let Some(corner) = corners.get_mut(k) {
                *corner = i;
            }
        }
        if kind == VTK_TET && size == 4 {
            mesh.tets.push(corners);
        }
    }
    Ok(mesh)
}

/// Leaves out nodes without tetrahedra, and turns tetrahedra of negative volume.
fn compact(mut mesh: TetMesh) -> TetMesh {
    let mut used = vec![false; mesh.nodes.len()];
    mesh.tets.iter().flatten().for_each(|i| used[*i] = true);
    let mut place = vec![0; mesh.nodes.len()];
    let mut nodes = Vec::new();
    for (i, x) in mesh.nodes.iter().enumerate().filter(|(i, _)| used[*i]) {
        place[i] = nodes.len();
        nodes.push(*x);
    }
    for tet in &mut mesh.tets {
        *tet = tet.map(|i| place[i]);
        turn(&nodes, tet);
    }
    mesh.nodes = nodes;
    mesh
}

/// Swaps two corners of a tetrahedron of negative volume.
pub(super) fn turn(nodes: &[Vec3], tet: &mut [usize; 4]) {
    let [a, b, c, d] = tet.map(|i| nodes[i]);
    if (b - a).dot((c - a).cross(d - a)) < 0.0 {
        tet.swap(2, 3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Status;

    const GMSH2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n9 5 5 5\n\
        $EndNodes\n$Elements\n3\n1 15 2 0 1 9\n2 2 2 0 1 1 2 3\n3 4 2 0 1 1 3 2 4\n$EndElements\n";
    const GMSH4: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n2 5 1 9\n0 1 0 1\n9\n5 5 5\n3 1 0 4\n1\n2\n3\n4\n\
        0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n2 2 1 2\n2 1 2 1\n1 1 2 3\n3 1 4 1\n2 1 3 2 4\n$EndElements\n";
    const VTK: &str = "# vtk DataFile Version 3.0\na mesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n5 5 5 0 0 0\n\
        1 0 0 0 1 0 0 0 1\nCELLS 2 9\n3 1 2 3\n4 1 3 2 4\nCELL_TYPES 2\n5\n10\n";

    #[test]
    fn formats_agree_and_leave_out_unused_nodes() {
        for text in [GMSH2, GMSH4, VTK] {
            let m = parse(text).unwrap();
            let want = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
            assert_eq!(m.nodes, want);
            assert_eq!(m.tets, [[0, 2, 3, 1]]);
        }
    }

    #[test]
    fn broken_meshes_are_refused() {
        let fails = |text: &str, status: Status, part: &str| {
            let e = parse(text).unwrap_err();
            assert!(e.status == status && e.message.contains(part), "{e:?}");
        };
        fails("", Status::Parse, "$MeshFormat");
        fails(
            &GMSH2.replace("2.2 0", "2.2 1"),
            Status::Unsupported,
            "binary",
        );
        fails(&GMSH2.replace("2.2 0", "4.0 0"), Status::Unsupported, "4.1");
        fails(
            &GMSH2.replace("1 3 2 4\n", "1 3 2 7\n"),
            Status::Parse,
            "no node 7",
        );
        fails(
            &GMSH2.replace("4 0 0 1", "4 0 0 inf"),
            Status::Parse,
            "finite",
        );
        fails(
            &GMSH2.replace("3 4 2", "3 11 2"),
            Status::Unsupported,
            "kind 11",
        );
        fails(
            &GMSH2.replace("3 4 2 0 1 1 3 2 4", "3 2 2 0 1 1 3 2"),
            Status::Parse,
            "no tetrahedra",
        );
        fails(
            &VTK.replace("4 1 3 2 4", "4 1 3 2 5"),
            Status::Parse,
            "no point 5",
        );
        fails(
            &VTK.replace("ASCII", "BINARY"),
            Status::Unsupported,
            "binary",
        );
        fails(
            &VTK.replace("CELL_TYPES 2", "CELL_TYPES 1"),
            Status::Parse,
            "CELL_TYPES",
        );
        // Every beginning of a file is refused, or gives the mesh.
        for text in [GMSH2, GMSH4, VTK] {
            for end in 0..text.len() {
                if let Ok(m) = parse(&text[..end]) {
                    assert_eq!(m.tets.len(), 1);
                }
            }
        }
    }
}
