//! Reads the geometry of COLLADA 1.4 and 1.5 files: meshes as the scene's nodes place them.

mod paint;
mod primitive;
mod transform;

use self::paint::Paint;
use self::primitive::Primitive;
use self::transform::transform;
use super::affine::Affine;
use super::decoded;
use super::document::with_document;
use super::soup::Soup;
use super::texture::Textures;
use super::xml::{Element, Lines};
use crate::error::{Error, Result};
use crate::spatial::{Mat3, Vec3};
use roxmltree::Document;
use std::collections::HashMap;

/// Limit of node and geometry instances that are followed, so that nodes that instance each other cannot
/// multiply without bound.
const MAX_INSTANCES: usize = 100_000;

/// Reads all triangles, in metres along the axes of the scene. Returns a warning about its `<up_axis>`,
/// which is not used.
pub(super) fn read(
    bytes: &[u8],
    soup: &mut Soup,
    textures: &mut Textures,
) -> Result<Option<&'static str>> {
    with_document(&decoded(bytes), "", |document| {
        read_scene(document, soup, textures)
    })
}

fn read_scene(
    document: &Document<'_>,
    soup: &mut Soup,
    textures: &mut Textures,
) -> Result<Option<&'static str>> {
    let lines = Lines::new(document.input_text());
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
        // A library of geometries without a scene: read each geometry once, as it is.
        for library in root.children().filter(|c| c.tag() == "library_geometries") {
            for geometry in library.children().filter(|c| c.tag() == "geometry") {
                reader.geometry(geometry, &base, &Paint::default(), soup)?;
            }
        }
        return up_axis(root);
    }
    reader.scene(scenes, base, soup, textures)?;
    up_axis(root)
}

/// The warning about an `<up_axis>`. Files of robots use the axes of their links for any `<up_axis>`,
/// and so do RViz, Gazebo and Pinocchio.
fn up_axis(root: Element) -> Result<Option<&'static str>> {
    let up = match root.child("asset")? {
        Some(asset) => asset.child("up_axis")?,
        None => None,
    };
    Ok(match up.and_then(|u| u.node.text()).map(str::trim) {
        Some("X_UP") => Some(
            "its file says <up_axis> X_UP, which is not used, as in RViz, Gazebo and Pinocchio",
        ),
        Some("Y_UP") => Some(
            "its file says <up_axis> Y_UP, which is not used, as in RViz, Gazebo and Pinocchio",
        ),
        _ => None,
    })
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

/// Sources of positions and places, their offsets and the stride.
type Inputs<'a, 'd> = ([Option<Element<'a, 'd>>; 2], ([usize; 2], usize));

struct Reader<'a, 'd> {
    by_id: HashMap<&'a str, Element<'a, 'd>>,
}

impl<'a, 'd: 'a> Reader<'a, 'd> {
    /// The element that a `#id` in an attribute refers to.
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

    /// Follows the nodes of the scenes in the order of the file, with an explicit stack.
    fn scene(
        &self,
        roots: Vec<Element<'a, 'd>>,
        base: Affine,
        soup: &mut Soup,
        textures: &mut Textures,
    ) -> Result<()> {
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
                        let paint = Paint::of(child, &self.by_id, textures);
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
                let (sources, offsets) = self.inputs(part)?;
                let Some(source) = sources[0] else { continue };
                let positions = self.vectors(source, 3)?;
                let (mut indices, mut triangles) = (Vec::new(), Vec::new());
                kind.triangles(part, offsets, &positions, &mut indices, &mut triangles)?;
                if mirrored {
                    triangles.iter_mut().for_each(|t| t.swap(1, 2));
                }
                let coat = paint.get(part.attribute("material"));
                soup.paint(coat);
                let first = soup.triangle_count();
                let position = |i: u32| indices[i as usize][0];
                let of_positions = triangles.iter().map(|t| t.map(position));
                add(soup, positions.iter().map(|&x| at.point(x)), of_positions)
                    .map_err(|e| part.locate(e))?;
                if let (true, Some(source)) = (coat.1 > 0, sources[1]) {
                    let places = self.vectors(source, 2).unwrap_or_default();
                    soup.dress(first, |t, k, _| {
                        let place = indices[triangles[t][k] as usize][1] as usize;
                        places
                            .get(place)
                            .map_or([f32::NAN; 3], |p| [p.x as f32, p.y as f32, 0.0])
                    });
                }
            }
        }
        Ok(())
    }

    /// The elements with the positions of a primitive and with the places of its corners in an image; where
    /// their indices are among those of a corner, and the number of these.
    fn inputs(&self, part: Element<'a, 'd>) -> Result<Inputs<'a, 'd>> {
        let (mut sources, mut offsets, mut stride) = ([None; 2], [0; 2], 0);
        for input in part.children().filter(|c| c.tag() == "input") {
            let offset = index(input, "offset")?;
            stride = stride.max(offset + 1);
            let which = match input.attribute("semantic") {
                Some("VERTEX") => 0,
                Some("TEXCOORD") if sources[1].is_none() => 1,
                _ => continue,
            };
            // Without places there is no image; without positions there is no mesh.
            sources[which] = match (which, self.target(input, "source")) {
                (1, source) => source.ok(),
                (_, source) => Some(source?),
            };
            offsets[which] = offset;
        }
        let Some(vertices) = sources[0] else {
            return Ok((sources, (offsets, stride)));
        };
        for input in vertices.children().filter(|c| c.tag() == "input") {
            if input.attribute("semantic") == Some("POSITION") {
                sources[0] = Some(self.target(input, "source")?);
                return Ok((sources, (offsets, stride)));
            }
        }
        Err(vertices.error("expected an <input> with the semantic POSITION"))
    }

    /// Vectors of at least so many numbers, of which the first three count.
    fn vectors(&self, source: Element<'a, 'd>, least: usize) -> Result<Vec<Vec3>> {
        let mut stride = least;
        if let Some(technique) = source.child("technique_common")?
            && let Some(accessor) = technique.child("accessor")?
            && accessor.attribute("stride").is_some()
        {
            stride = index(accessor, "stride")?;
        }
        if stride < least {
            return Err(source.error(format!(
                "expected a stride of at least {least}, got {stride}"
            )));
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
        let third = |x: &[f64]| x.get(2).copied().unwrap_or_default();
        let vectors = values.chunks_exact(stride);
        Ok(vectors.map(|x| Vec3::new(x[0], x[1], third(x))).collect())
    }
}

/// Adds a part whose triangles index its own vertices.
fn add(
    soup: &mut Soup,
    vertices: impl ExactSizeIterator<Item = Vec3>,
    triangles: impl Iterator<Item = [u32; 3]>,
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

/// An attribute that is a count or an index. Larger numbers do not occur in files and would overflow
/// sums.
fn index(element: Element, attribute: &str) -> Result<usize> {
    let text = element.required(attribute)?;
    match text.trim().parse::<u16>() {
        Ok(value) => Ok(value.into()),
        Err(_) => Err(element.error(format!(
            "attribute {attribute}: expected a small whole number, got \"{text}\""
        ))),
    }
}

#[cfg(test)]
mod tests;
