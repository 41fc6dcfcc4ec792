//! The geometry of COLLADA 1.4 and 1.5 files: meshes as the scene's nodes place them.

use super::collada_paint::Paint;
use super::document::with_document;
use super::mesh::Soup;
use super::xml::{Element, Lines};
use crate::error::{Error, Result};
use crate::spatial::{Mat3, Vec3, so3_exp};
use roxmltree::Document;
use std::collections::HashMap;

/// Most node and geometry instances that are followed, so that nodes which instance each other
/// cannot multiply without bound.
const MAX_INSTANCES: usize = 100_000;

/// x ↦ linear·x + offset. Scales make it more than a placement.
#[derive(Clone, Copy)]
struct Affine {
    linear: Mat3,
    offset: Vec3,
}

impl Affine {
    fn linear(linear: Mat3) -> Self {
        Affine {
            linear,
            offset: Vec3::ZERO,
        }
    }

    fn point(&self, x: Vec3) -> Vec3 {
        self.linear.mul_vec(x) + self.offset
    }

    fn compose(&self, o: &Affine) -> Affine {
        Affine {
            linear: self.linear.mul_mat(&o.linear),
            offset: self.point(o.offset),
        }
    }
}

/// Reads all triangles, in metres along the axes of the scene.
pub(super) fn read(bytes: &[u8], soup: &mut Soup) -> Result<()> {
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let line = 1 + bytes[..e.valid_up_to()]
            .iter()
            .filter(|&&b| b == b'\n')
            .count();
        Error::parse(format!("line {line}: not UTF-8"))
    })?;
    with_document(text, "", |document| read_scene(text, document, soup))
}

fn read_scene(text: &str, document: &Document<'_>, soup: &mut Soup) -> Result<()> {
    let lines = Lines::new(text);
    let root = Element::root(document, &lines);
    if root.tag() != "COLLADA" {
        return Err(root.error("expected the root element <COLLADA>"));
    }
    let mut by_id: HashMap<&str, Element> = HashMap::new();
    for node in root.node.descendants().filter(|n| n.is_element()) {
        if let Some(id) = node.attribute("id") {
            by_id.entry(id).or_insert(root.other(node));
        }
    }
    let reader = Reader { by_id };
    let base = Affine::linear(Mat3::IDENTITY * unit(root)?);

    let scenes = match root.child("scene")? {
        Some(scene) => match scene.child("instance_visual_scene")? {
            Some(instance) => vec![reader.target(instance, "url")?],
            None => Vec::new(),
        },
        None => Vec::new(),
    };
    if scenes.is_empty() {
        // A library of geometries without a scene: each once, as it is.
        for library in root.children().filter(|c| c.tag() == "library_geometries") {
            for geometry in library.children().filter(|c| c.tag() == "geometry") {
                reader.geometry(geometry, &base, &Paint::default(), soup)?;
            }
        }
        return Ok(());
    }
    reader.scene(scenes, base, soup)
}

/// Metres in a unit of the file.
fn unit(root: Element) -> Result<f64> {
    let unit = match root.child("asset")? {
        Some(asset) => asset.child("unit")?,
        None => None,
    };
    match unit.filter(|u| u.attribute("meter").is_some()) {
        Some(unit) => unit.positive("meter"),
        None => Ok(1.0),
    }
}

struct Reader<'a, 'd> {
    by_id: HashMap<&'a str, Element<'a, 'd>>,
}

impl<'a, 'd: 'a> Reader<'a, 'd> {
    /// The element that a `#id` in an attribute means.
    fn target(&self, from: Element<'a, 'd>, attribute: &str) -> Result<Element<'a, 'd>> {
        let url = from.required(attribute)?;
        let id = url.strip_prefix('#').ok_or_else(|| {
            from.unsupported(format!(
                "{attribute}: expected #id of this file, got \"{url}\""
            ))
        })?;
        self.by_id
            .get(id)
            .copied()
            .ok_or_else(|| from.error(format!("{attribute}: no element has the id \"{id}\"")))
    }

    /// Follows the nodes of the scenes with a stack of its own; order is the file's.
    fn scene(&self, roots: Vec<Element<'a, 'd>>, base: Affine, soup: &mut Soup) -> Result<()> {
        let mut stack: Vec<_> = roots.into_iter().map(|r| (r, base)).collect();
        let mut followed = 0;
        while let Some((element, at)) = stack.pop() {
            followed += 1;
            if followed > MAX_INSTANCES {
                return Err(element.unsupported(format!(
                    "more than {MAX_INSTANCES} nodes; do nodes instance each other?"
                )));
            }
            let below = stack.len();
            let mut here = at;
            for child in element.children() {
                match child.tag() {
                    "node" => stack.push((child, here)),
                    "instance_node" => stack.push((self.target(child, "url")?, here)),
                    "instance_geometry" => {
                        let paint = Paint::of(child, &self.by_id);
                        self.geometry(self.target(child, "url")?, &here, &paint, soup)?;
                    }
                    _ => {
                        if let Some(t) = transform(child)? {
                            here = here.compose(&t);
                        }
                    }
                }
            }
            stack[below..].reverse();
        }
        Ok(())
    }

    fn geometry(
        &self,
        geometry: Element<'a, 'd>,
        at: &Affine,
        paint: &Paint,
        soup: &mut Soup,
    ) -> Result<()> {
        let mirrored = at.linear.determinant() < 0.0;
        for mesh in geometry.children() {
            if !matches!(mesh.tag(), "mesh" | "convex_mesh") {
                continue;
            }
            for part in mesh.children() {
                let Some(kind) = Primitive::of(part.tag()) else {
                    continue;
                };
                let (source, offset, stride) = self.inputs(part)?;
                let Some(source) = source else { continue };
                let positions = self.positions(source)?;
                let mut triangles = Vec::new();
                kind.triangles(part, offset, stride, &mut triangles)?;
                if mirrored {
                    triangles.iter_mut().for_each(|t| t.swap(1, 2));
                }
                soup.paint(paint.get(part.attribute("material")));
                add(soup, positions.iter().map(|&x| at.point(x)), &triangles)
                    .map_err(|e| part.locate(e))?;
            }
        }
        Ok(())
    }

    /// The element with the positions of a primitive, the place of their index among the indices
    /// of a corner, and how many of these there are.
    fn inputs(&self, part: Element<'a, 'd>) -> Result<(Option<Element<'a, 'd>>, usize, usize)> {
        let (mut vertex, mut stride) = (None, 0);
        for input in part.children().filter(|c| c.tag() == "input") {
            let offset = index(input, "offset")?;
            stride = stride.max(offset + 1);
            if input.attribute("semantic") == Some("VERTEX") {
                vertex = Some((self.target(input, "source")?, offset));
            }
        }
        let Some((vertices, offset)) = vertex else {
            return Ok((None, 0, stride));
        };
        for input in vertices.children().filter(|c| c.tag() == "input") {
            if input.attribute("semantic") == Some("POSITION") {
                return Ok((Some(self.target(input, "source")?), offset, stride));
            }
        }
        Err(vertices.error("expected an <input> with the semantic POSITION"))
    }

    fn positions(&self, source: Element<'a, 'd>) -> Result<Vec<Vec3>> {
        let mut stride = 3;
        if let Some(technique) = source.child("technique_common")?
            && let Some(accessor) = technique.child("accessor")?
            && accessor.attribute("stride").is_some()
        {
            stride = index(accessor, "stride")?;
        }
        if stride < 3 {
            return Err(source.error(format!("expected a stride of at least 3, got {stride}")));
        }
        let array = source.required_child("float_array")?;
        let mut values = Vec::new();
        for word in array
            .node
            .text()
            .unwrap_or_default()
            .split_ascii_whitespace()
        {
            let value: f64 = word
                .parse()
                .map_err(|_| array.error(format!("expected a number, got \"{word}\"")))?;
            values.push(value);
        }
        Ok(values.chunks_exact(stride).map(Vec3::from_slice).collect())
    }
}

/// Adds a part whose triangles index its own vertices.
fn add(
    soup: &mut Soup,
    vertices: impl ExactSizeIterator<Item = Vec3>,
    triangles: &[[u32; 3]],
) -> Result<()> {
    let (base, count) = (soup.vertex_count() as u32, vertices.len());
    for v in vertices {
        soup.vertex(v)?;
    }
    for t in triangles {
        if let Some(bad) = t.iter().find(|&&i| i as usize >= count) {
            return Err(Error::parse(format!(
                "index {bad}, counted from 0, of {count} positions"
            )));
        }
        soup.triangle(t.map(|i| base + i))?;
    }
    Ok(())
}

/// How a primitive strings corners into triangles.
#[derive(Clone, Copy)]
enum Primitive {
    Triangles,
    /// Polygons with a list of their numbers of corners.
    Polylist,
    /// A polygon in each <p>.
    Polygons,
    Strips,
    Fans,
}

impl Primitive {
    fn of(tag: &str) -> Option<Primitive> {
        match tag {
            "triangles" => Some(Primitive::Triangles),
            "polylist" => Some(Primitive::Polylist),
            "polygons" => Some(Primitive::Polygons),
            "tristrips" => Some(Primitive::Strips),
            "trifans" => Some(Primitive::Fans),
            _ => None,
        }
    }

    fn triangles(
        self,
        part: Element,
        offset: usize,
        stride: usize,
        out: &mut Vec<[u32; 3]>,
    ) -> Result<()> {
        let counts = match part.child("vcount")? {
            Some(vcount) => integers(vcount)?,
            None => Vec::new(),
        };
        for child in part.children() {
            let list = match child.tag() {
                "p" => integers(child)?,
                "ph" => return Err(child.unsupported("polygons with holes are not read")),
                _ => continue,
            };
            let corners: Vec<u32> = list
                .chunks_exact(stride)
                .map(|corner| corner[offset])
                .collect();
            match self {
                Primitive::Triangles => {
                    out.extend(corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]));
                }
                Primitive::Polygons | Primitive::Fans => fan(&corners, out),
                Primitive::Strips => {
                    for (k, t) in corners.windows(3).enumerate() {
                        out.push(if k % 2 == 0 {
                            [t[0], t[1], t[2]]
                        } else {
                            [t[1], t[0], t[2]]
                        });
                    }
                }
                Primitive::Polylist => {
                    let mut rest = corners.as_slice();
                    for &n in &counts {
                        let Some((polygon, after)) = rest.split_at_checked(n as usize) else {
                            return Err(child.error("fewer corners than <vcount> says"));
                        };
                        fan(polygon, out);
                        rest = after;
                    }
                }
            }
        }
        Ok(())
    }
}

/// A polygon as the triangles about its first corner.
fn fan(corners: &[u32], out: &mut Vec<[u32; 3]>) {
    if let Some((&first, rest)) = corners.split_first() {
        out.extend(rest.windows(2).map(|e| [first, e[0], e[1]]));
    }
}

fn integers(element: Element) -> Result<Vec<u32>> {
    element
        .node
        .text()
        .unwrap_or_default()
        .split_ascii_whitespace()
        .map(|word| {
            word.parse()
                .map_err(|_| element.error(format!("expected an index, got \"{word}\"")))
        })
        .collect()
}

/// An attribute that counts or indexes; large ones are no file's and would overflow sums.
fn index(element: Element, attribute: &str) -> Result<usize> {
    let text = element.required(attribute)?;
    match text.trim().parse::<u16>() {
        Ok(value) => Ok(value.into()),
        Err(_) => Err(element.error(format!(
            "attribute {attribute}: expected a small whole number, got \"{text}\""
        ))),
    }
}

/// The transformation that a child of a <node> stands for, if it does.
fn transform(element: Element) -> Result<Option<Affine>> {
    Ok(Some(match element.tag() {
        "translate" => Affine {
            linear: Mat3::IDENTITY,
            offset: Vec3::from_slice(&values::<3>(element)?),
        },
        "scale" => Affine::linear(Mat3::diagonal(Vec3::from_slice(&values::<3>(element)?))),
        "rotate" => {
            let [x, y, z, degrees] = values::<4>(element)?;
            let axis = Vec3::new(x, y, z).normalized();
            let axis = axis.ok_or_else(|| element.error("the axis is zero"))?;
            Affine::linear(so3_exp(axis * degrees.to_radians()))
        }
        "matrix" => {
            let m = values::<16>(element)?;
            let column = |k: usize| Vec3::new(m[k], m[4 + k], m[8 + k]);
            Affine {
                linear: Mat3::from_columns(column(0), column(1), column(2)),
                offset: column(3),
            }
        }
        "skew" | "lookat" => {
            return Err(element.unsupported("this transformation is not read"));
        }
        _ => return Ok(None),
    }))
}

fn values<const N: usize>(element: Element) -> Result<[f64; N]> {
    let text = element.node.text().unwrap_or_default();
    let parsed: Vec<f64> = text
        .split_ascii_whitespace()
        .map_while(|word| word.parse().ok())
        .filter(|x: &f64| x.is_finite())
        .collect();
    <[f64; N]>::try_from(parsed).map_err(|_| {
        element.error(format!(
            "expected {N} finite numbers, got \"{}\"",
            text.trim()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::mesh::tests::parse_collada;
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
        // Three indices a corner, the vertex in the middle.
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
            crate::load::mesh::tests::assert_is_unit_cube(&mesh);
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
}
