//! GLB, the binary form of glTF 2.0 (<https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html>): the
//! triangles of the scene's meshes, with the base colours and images of their materials and the colours of
//! their vertices.
//!
//! Coordinates are the file's. glTF says that +y is up; files of robots use the axes of their links instead,
//! or turn them by the `<origin>` of the URDF, and assimp, by which RViz and Pinocchio read them, does not
//! turn them either.

use super::affine::Affine;
use super::json::Json;
use super::soup::{MAX_TRIANGLES, Paint, Soup, UNPAINTED, too_many};
use super::texture::Textures;
use crate::error::{Error, Result};
use crate::spatial::{Mat3, Quat, Vec3};

/// Bytes of the header, and of that of a chunk.
const HEADER: usize = 12;
const CHUNK: usize = 8;

/// Most nodes of a scene: more would mean that nodes hold each other.
const MAX_NODES: usize = 100_000;

/// Types of chunks.
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

/// Types of components.
const U8: usize = 5121;
const U16: usize = 5123;
const U32: usize = 5125;
const F32: usize = 5126;

pub(super) fn read(bytes: &[u8], soup: &mut Soup, textures: &mut Textures) -> Result<()> {
    let (json, binary) = chunks(bytes)?;
    let root = Json::parse(&super::decoded(json))?;
    let required = root.get("extensionsRequired").map_or(&[][..], Json::list);
    if let Some(name) = required.iter().filter_map(Json::text).next() {
        return Err(Error::unsupported(format!(
            "glTF: the extension {name} is not read; export the file without compression"
        )));
    }
    Reader {
        root: &root,
        binary,
    }
    .scene(soup, textures)
}

fn word(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?))
}

/// The JSON and the binary chunk.
fn chunks(bytes: &[u8]) -> Result<(&[u8], &[u8])> {
    let truncated = || {
        Error::parse(format!(
            "truncated GLB: {} bytes, less than its chunks have",
            bytes.len()
        ))
    };
    if bytes.get(..4) != Some(b"glTF") {
        return Err(Error::parse("no GLB: expected \"glTF\" as the first bytes"));
    }
    let version = word(bytes.get(4..).unwrap_or_default()).ok_or_else(truncated)?;
    if version != 2 {
        return Err(Error::unsupported(format!(
            "glTF {version}: only version 2 is read"
        )));
    }
    let (mut json, mut binary) = (None, None);
    let mut rest = bytes.get(HEADER..).ok_or_else(truncated)?;
    while !rest.is_empty() {
        let length = word(rest).ok_or_else(truncated)? as usize;
        let kind = word(&rest[4..]).ok_or_else(truncated)?;
        let end = CHUNK.checked_add(length).ok_or_else(truncated)?;
        let content = rest.get(CHUNK..end).ok_or_else(truncated)?;
        match kind {
            JSON => json = json.or(Some(content)),
            BIN => binary = binary.or(Some(content)),
            _ => {}
        }
        rest = &rest[end..];
    }
    let json = json.ok_or_else(|| Error::parse("GLB without a JSON chunk"))?;
    Ok((json, binary.unwrap_or_default()))
}

struct Reader<'a> {
    root: &'a Json,
    binary: &'a [u8],
}

/// A view of the binary chunk as vectors of numbers.
struct Accessor<'a> {
    bytes: &'a [u8],
    component: usize,
    width: usize,
    stride: usize,
    count: usize,
}

impl Accessor<'_> {
    /// Bytes of a component, or `None` for a type that no position or index has.
    fn size(component: usize) -> Option<usize> {
        match component {
            U8 => Some(1),
            U16 => Some(2),
            U32 | F32 => Some(4),
            _ => None,
        }
    }

    /// The bytes of a component of a vector.
    fn component(&self, vector: usize, k: usize) -> &[u8] {
        let size = Self::size(self.component).unwrap_or(1);
        &self.bytes[vector * self.stride + k * size..][..size]
    }

    /// An integer stands for its share of the largest of its type.
    fn float(&self, vector: usize, k: usize) -> f64 {
        let bytes = self.component(vector, k);
        match word(bytes) {
            Some(x) => f64::from(f32::from_bits(x)),
            None => integer(bytes) as f64 / ((1 << (8 * bytes.len())) - 1) as f64,
        }
    }

    fn integer(&self, vector: usize) -> usize {
        integer(self.component(vector, 0))
    }
}

fn integer(bytes: &[u8]) -> usize {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |n, b| n << 8 | usize::from(*b))
}

/// A linear part of a colour as sRGB, as colours of models are.
fn shown(x: f64) -> f64 {
    match x.clamp(0.0, 1.0) {
        x if x <= 0.003_130_8 => 12.92 * x,
        x => 1.055 * x.powf(1.0 / 2.4) - 0.055,
    }
}

impl<'a> Reader<'a> {
    /// An element of one of the lists of the file.
    fn element(&self, list: &str, index: usize) -> Result<&'a Json> {
        let elements = self.root.get(list).map_or(&[][..], Json::list);
        elements.get(index).ok_or_else(|| {
            Error::parse(format!(
                "glTF: {list} has {} elements, but a reference to {index}",
                elements.len()
            ))
        })
    }

    /// The nodes of the scene; without scenes all nodes that are no children.
    fn roots(&self) -> Result<Vec<usize>> {
        let indices = |of: &Json, key| -> Vec<usize> {
            let list = of.get(key).map_or(&[][..], Json::list);
            list.iter().filter_map(Json::index).collect()
        };
        if self.root.get("scenes").is_some() {
            let scene = self.root.get("scene").and_then(Json::index).unwrap_or(0);
            return Ok(indices(self.element("scenes", scene)?, "nodes"));
        }
        let nodes = self.root.get("nodes").map_or(&[][..], Json::list);
        let mut is_child = vec![false; nodes.len()];
        for child in nodes.iter().flat_map(|n| indices(n, "children")) {
            if let Some(is_child) = is_child.get_mut(child) {
                *is_child = true;
            }
        }
        Ok((0..nodes.len()).filter(|&n| !is_child[n]).collect())
    }

    /// Follows the nodes in the order of the file, with an explicit stack.
    fn scene(&self, soup: &mut Soup, textures: &mut Textures) -> Result<()> {
        let identity = Affine::linear(Mat3::IDENTITY);
        let mut stack: Vec<_> = self.roots()?.into_iter().map(|n| (n, identity)).collect();
        stack.reverse();
        let mut followed = 0;
        while let Some((index, at)) = stack.pop() {
            followed += 1;
            if followed > MAX_NODES {
                return Err(Error::unsupported(format!(
                    "glTF: more than {MAX_NODES} nodes; do nodes hold each other?"
                )));
            }
            let node = self.element("nodes", index)?;
            let here = at.compose(&transform(node)?);
            if let Some(mesh) = node.get("mesh").and_then(Json::index) {
                let primitives = self.element("meshes", mesh)?.get("primitives");
                for primitive in primitives.map_or(&[][..], Json::list) {
                    self.primitive(primitive, &here, soup, textures)?;
                }
            }
            let children = node.get("children").map_or(&[][..], Json::list);
            let children = children.iter().rev().filter_map(Json::index);
            stack.extend(children.map(|child| (child, here)));
        }
        Ok(())
    }

    fn primitive(
        &self,
        primitive: &Json,
        at: &Affine,
        soup: &mut Soup,
        textures: &mut Textures,
    ) -> Result<()> {
        let mode = primitive.get("mode").map_or(Some(4), Json::index);
        let Some(mode @ 4..=6) = mode else {
            // Points and lines.
            return Ok(());
        };
        let attributes = primitive.get("attributes");
        let Some(position) = attributes.and_then(|a| a.get("POSITION")) else {
            return Ok(());
        };
        let points = self.accessor(position)?;
        if (points.component, points.width) != (F32, 3) {
            return Err(Error::unsupported(
                "glTF: positions are read as three floats only",
            ));
        }
        let indices = primitive.get("indices").map(|i| self.accessor(i));
        let indices = indices.transpose()?;
        if (indices.iter()).any(|i| i.component == F32 || i.width != 1) {
            return Err(Error::parse("glTF: expected integers as indices"));
        }
        let count = indices.as_ref().map_or(points.count, |i| i.count);
        if count / 3 > MAX_TRIANGLES {
            return Err(too_many(Some(count / 3)));
        }
        let paint = self.colour(primitive, textures)?;
        soup.paint(paint);
        let (first, first_triangle) = (soup.vertex_count(), soup.triangle_count());
        for v in 0..points.count {
            let [x, y, z] = [0, 1, 2].map(|k| points.float(v, k));
            soup.vertex(at.point(Vec3::new(x, y, z)))?;
        }
        let corner = |k: usize| -> Result<u32> {
            let index = indices.as_ref().map_or(k, |i| i.integer(k));
            match index < points.count {
                true => Ok((first + index) as u32),
                false => Err(Error::parse(format!(
                    "glTF: a triangle has vertex {index}, counted from 0, of {}",
                    points.count
                ))),
            }
        };
        let mirrored = at.linear.determinant() < 0.0;
        let triangles = match mode {
            4 => count / 3,
            _ => count.saturating_sub(2),
        };
        for t in 0..triangles {
            let [a, b, c] = match mode {
                4 => [3 * t, 3 * t + 1, 3 * t + 2],
                // Every second triangle of a strip is turned over.
                5 => [t, t + 1 + t % 2, t + 2 - t % 2],
                _ => [0, t + 1, t + 2],
            };
            let (b, c) = if mirrored { (c, b) } else { (b, c) };
            soup.triangle([corner(a)?, corner(b)?, corner(c)?])?;
        }
        let textured = paint.1 > 0;
        let of = attributes.and_then(|a| a.get(if textured { "TEXCOORD_0" } else { "COLOR_0" }));
        if let Some(x) = of.and_then(|a| self.accessor(a).ok())
            && x.count == points.count
            && x.width >= if textured { 2 } else { 3 }
        {
            soup.dress(first_triangle, |_, _, v| {
                let at = |k| x.float(v as usize - first, k);
                match textured {
                    // Places of glTF count from the upper edge.
                    true => [at(0), 1.0 - at(1), 0.0].map(|x| x as f32),
                    false => std::array::from_fn(|k| {
                        let factor = Some(paint.0[k]).filter(|x| !x.is_nan());
                        shown(at(k)) as f32 * factor.unwrap_or(1.0)
                    }),
                }
            });
        }
        Ok(())
    }

    fn accessor(&self, index: &Json) -> Result<Accessor<'a>> {
        let fault = |what: &str| Error::parse(format!("glTF: accessor: {what}"));
        let index = index.index().ok_or_else(|| fault("expected an index"))?;
        let accessor = self.element("accessors", index)?;
        if accessor.get("sparse").is_some() {
            return Err(Error::unsupported("glTF: sparse accessors are not read"));
        }
        let number = |of: &Json, key: &str| of.get(key).map_or(Some(0), Json::index);
        let component = number(accessor, "componentType").unwrap_or_default();
        let size = Accessor::size(component)
            .ok_or_else(|| fault("positions and indices have no such componentType"))?;
        let width = match accessor.get("type").and_then(Json::text) {
            Some("SCALAR") => 1,
            Some("VEC2") => 2,
            Some("VEC3") => 3,
            Some("VEC4") => 4,
            _ => return Err(fault("expected the type SCALAR or a vector")),
        };
        let view = accessor.get("bufferView").and_then(Json::index);
        let view = view.ok_or_else(|| fault("expected a bufferView"))?;
        let view = self.element("bufferViews", view)?;
        if number(view, "buffer") != Some(0) {
            return Err(Error::unsupported(
                "glTF: only the binary chunk of the file is read, not other buffers",
            ));
        }
        let numbers = [
            number(accessor, "count"),
            number(accessor, "byteOffset"),
            number(view, "byteOffset"),
            number(view, "byteLength"),
            number(view, "byteStride"),
        ];
        let [
            Some(count),
            Some(offset),
            Some(start),
            Some(length),
            Some(stride),
        ] = numbers
        else {
            return Err(fault(
                "expected count, offset, length and stride as integers",
            ));
        };
        let stride = if stride == 0 { size * width } else { stride };
        let bytes =
            (start.checked_add(length)).and_then(|end| self.binary.get(start..end)?.get(offset..));
        // The last vector needs no full stride.
        let fits = |bytes: &&[u8]| {
            count == 0
                || stride
                    .checked_mul(count - 1)
                    .and_then(|s| s.checked_add(size * width))
                    .is_some_and(|end| end <= bytes.len())
        };
        let bytes = bytes
            .filter(fits)
            .ok_or_else(|| fault("it reaches beyond the binary chunk"))?;
        Ok(Accessor {
            bytes,
            component,
            width,
            stride,
            count,
        })
    }

    /// The bytes of the image of a texture, if they are in the file, and their number.
    fn image(&self, texture: &Json) -> Option<(usize, &'a [u8])> {
        let texture = self
            .element("textures", texture.get("index")?.index()?)
            .ok()?;
        let index = texture.get("source")?.index()?;
        let image = self.element("images", index).ok()?;
        let view = self
            .element("bufferViews", image.get("bufferView")?.index()?)
            .ok()?;
        let number = |key| view.get(key).map_or(Some(0), Json::index);
        let (start, length) = (number("byteOffset")?, number("byteLength")?);
        Some((index, self.binary.get(start..start.checked_add(length)?)?))
    }

    /// The base colour of a primitive's material, times the mean of its texture, and the texture.
    fn colour(&self, primitive: &Json, textures: &mut Textures) -> Result<Paint> {
        let Some(material) = primitive.get("material").and_then(Json::index) else {
            return Ok((UNPAINTED, 0));
        };
        let surface = self
            .element("materials", material)?
            .get("pbrMetallicRoughness");
        let factor = surface.and_then(|s| s.get("baseColorFactor"));
        let [r, g, b, a] = factor.and_then(Json::numbers).unwrap_or([1.0; 4]);
        let image = surface.and_then(|s| self.image(s.get("baseColorTexture")?));
        let texture = image.and_then(|(i, bytes)| textures.bytes(&format!("image {i}"), bytes));
        let ([x, y, z], image) = texture.unwrap_or(([1.0; 3], 0));
        let [r, g, b] = [shown(r), shown(g), shown(b)].map(|x| x as f32);
        Ok(([r * x, g * y, b * z, a.clamp(0.0, 1.0) as f32], image))
    }
}

/// The transformation of a node: a matrix, or translation, rotation and scale.
fn transform(node: &Json) -> Result<Affine> {
    fn given<const N: usize>(node: &Json, key: &str) -> Result<Option<[f64; N]>> {
        let Some(value) = node.get(key) else {
            return Ok(None);
        };
        let numbers = value.numbers().map(Some);
        numbers.ok_or_else(|| Error::parse(format!("glTF: node: {key}: expected {N} numbers")))
    }
    if let Some(m) = given::<16>(node, "matrix")? {
        let column = |k: usize| Vec3::from_slice(&m[4 * k..]);
        return Ok(Affine {
            linear: Mat3::from_columns(column(0), column(1), column(2)),
            offset: column(3),
        });
    }
    let offset = given::<3>(node, "translation")?.unwrap_or_default();
    let [x, y, z, w] = given::<4>(node, "rotation")?.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let scale = given::<3>(node, "scale")?.unwrap_or([1.0; 3]);
    let turned = Quat::new(x, y, z, w).normalized().to_mat3();
    Ok(Affine {
        linear: turned.mul_mat(&Mat3::diagonal(Vec3::from_slice(&scale))),
        offset: Vec3::from_slice(&offset),
    })
}

#[cfg(test)]
mod tests {
    use crate::error::Status;
    use crate::load::mesh_file::{MeshFormat, load_painted, parse_mesh};
    use crate::spatial::Vec3;

    fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
        let mut bytes = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
        for (kind, content) in [(b"JSON", json.as_bytes()), (b"BIN\0", binary)] {
            bytes.extend((content.len() as u32).to_le_bytes());
            bytes.extend(kind);
            bytes.extend(content);
        }
        let length = bytes.len() as u32;
        bytes[8..12].copy_from_slice(&length.to_le_bytes());
        bytes
    }

    /// A tetrahedron with interleaved positions, and indices of 16 bits.
    fn binary() -> Vec<u8> {
        let mut bytes = Vec::new();
        for corner in [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0_f32],
        ] {
            bytes.extend(corner.iter().flat_map(|x| x.to_le_bytes()));
            bytes.extend([9; 4]);
        }
        let indices: [u16; 12] = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
        bytes.extend(indices.iter().flat_map(|i| i.to_le_bytes()));
        bytes
    }

    const SCENE: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[1]}],
        "nodes":[{"mesh":0,"scale":[-2,1,1]},
                 {"children":[0],"translation":[0,0,5],"rotation":[0.7071067811865476,0,0,0.7071067811865476]}],
        "materials":[{"pbrMetallicRoughness":{"baseColorFactor":[1,0.21404114,0,0.5]}}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"material":0}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":4},
                     {"bufferView":1,"componentType":5123,"type":"SCALAR","count":12}],
        "bufferViews":[{"buffer":0,"byteLength":64,"byteStride":16},{"buffer":0,"byteOffset":64,"byteLength":24}],
        "buffers":[{"byteLength":88}]}"#;

    #[test]
    fn nodes_place_turn_and_mirror_the_triangles() {
        let mesh = parse_mesh(&glb(SCENE, &binary()), MeshFormat::Glb).unwrap();
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4));
        // Positive: the mirrored node has turned the triangles over.
        let solid = mesh.solid();
        assert!((solid.mass - 2.0 / 6.0).abs() < 1e-12, "{solid:?}");
        // A quarter turn about x takes y to z and z to −y.
        let centre = Vec3::new(-0.5, -0.25, 5.25);
        assert!((solid.com() - centre).norm() < 1e-12, "{solid:?}");
    }

    #[test]
    fn strips_and_fans_close_the_same_surface() {
        // The corners in the order of a strip that goes once around the tetrahedron.
        let strip = SCENE.replace("\"indices\":1", "\"mode\":5,\"indices\":1");
        let order: [u16; 6] = [0, 2, 1, 3, 0, 2];
        let mut bytes = binary();
        for (place, i) in order.iter().enumerate() {
            bytes[64 + 2 * place..][..2].copy_from_slice(&i.to_le_bytes());
        }
        let strip = strip.replace("\"count\":12", "\"count\":6");
        let mesh = parse_mesh(&glb(&strip, &bytes), MeshFormat::Glb).unwrap();
        assert!((mesh.solid().mass - 2.0 / 6.0).abs() < 1e-12);
        let fan = SCENE.replace("\"indices\":1", "\"mode\":6");
        let mesh = parse_mesh(&glb(&fan, &binary()), MeshFormat::Glb).unwrap();
        assert_eq!(mesh.triangles.len(), 2);
        let points = SCENE.replace("\"indices\":1", "\"mode\":0");
        let e = parse_mesh(&glb(&points, &binary()), MeshFormat::Glb).unwrap_err();
        assert!(e.message.contains("no triangles"), "{e}");
    }

    #[test]
    fn base_colours_are_shown_as_srgb() {
        let path = std::env::temp_dir().join(format!("diffsim-{}.glb", std::process::id()));
        std::fs::write(&path, glb(SCENE, &binary())).unwrap();
        let painted = load_painted(&path, None);
        std::fs::remove_file(&path).unwrap();
        let [r, g, b, a] = painted.unwrap().found.paint[0].0;
        assert!(r == 1.0 && (g - 0.5).abs() < 1e-6 && b == 0.0 && a == 0.5);
    }

    #[test]
    fn broken_files_are_refused_by_name_of_the_fault() {
        let replaced = |from: &str, to: &str| glb(&SCENE.replacen(from, to, 1), &binary());
        let whole = glb(SCENE, &binary());
        for (bytes, status, message) in [
            (b"ply".to_vec(), Status::Parse, "no GLB"),
            (b"glTF\x01\0\0\0".to_vec(), Status::Unsupported, "glTF 1"),
            (
                whole[..whole.len() - 1].to_vec(),
                Status::Parse,
                "truncated GLB",
            ),
            (whole[..12].to_vec(), Status::Parse, "without a JSON chunk"),
            (
                replaced("5126", "5130"),
                Status::Parse,
                "no such componentType",
            ),
            (
                replaced("\"count\":4", "\"count\":5"),
                Status::Parse,
                "beyond the binary chunk",
            ),
            (
                replaced("\"count\":4", "\"count\":3"),
                Status::Parse,
                "vertex 3",
            ),
            (
                replaced("\"count\":4", "\"count\":9e15"),
                Status::Parse,
                "beyond",
            ),
            (
                replaced("\"mesh\":0", "\"mesh\":7"),
                Status::Parse,
                "meshes has 1 elements",
            ),
            (
                replaced("\"mesh\":0", "\"children\":[1]"),
                Status::Unsupported,
                "hold each other",
            ),
            (
                replaced("[-2,1,1]", "[-2,1]"),
                Status::Parse,
                "scale: expected 3 numbers",
            ),
            (
                replaced("\"scene\":0", "\"extensionsRequired\":[\"KHR_draco\"]"),
                Status::Unsupported,
                "KHR_draco",
            ),
            (
                replaced("\"bufferView\":0", "\"sparse\":{}"),
                Status::Unsupported,
                "sparse",
            ),
            (
                replaced("\"buffer\":0", "\"buffer\":1"),
                Status::Unsupported,
                "other buffers",
            ),
        ] {
            let e = parse_mesh(&bytes, MeshFormat::Glb).unwrap_err();
            assert_eq!(e.status, status, "{message}: {}", e.message);
            assert!(e.message.contains(message), "{message}: {}", e.message);
        }
    }
}
