//! The primitives of a mesh: lists of corners that describe triangles.

use crate::error::Result;
use crate::load::polygon::cut;
use crate::load::xml::Element;
use crate::spatial::Vec3;

/// The way in which a primitive combines corners to triangles.
#[derive(Clone, Copy)]
pub(super) enum Primitive {
    Triangles,
    /// Polygons with a list of their numbers of corners.
    Polylist,
    /// A polygon in each <p>.
    Polygons,
    Strips,
    Fans,
}

impl Primitive {
    pub(super) fn of(tag: &str) -> Option<Primitive> {
        match tag {
            "triangles" => Some(Primitive::Triangles),
            "polylist" => Some(Primitive::Polylist),
            "polygons" => Some(Primitive::Polygons),
            "tristrips" => Some(Primitive::Strips),
            "trifans" => Some(Primitive::Fans),
            _ => None,
        }
    }

    /// Adds the triangles of a part, as numbers of corners. A corner has `stride` indices; those of its
    /// position and of its place in an image, at these offsets, are added to `indices`.
    pub(super) fn triangles(
        self,
        part: Element,
        (offsets, stride): ([usize; 2], usize),
        positions: &[Vec3],
        indices: &mut Vec<[u32; 2]>,
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
            let first = indices.len() as u32;
            let corners = list.chunks_exact(stride);
            indices.extend(corners.map(|corner| offsets.map(|o| corner[o])));
            let corners: Vec<u32> = (first..indices.len() as u32).collect();
            let at = |i: u32| positions.get(indices[i as usize][0] as usize).copied();
            match self {
                Primitive::Triangles => {
                    out.extend(corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]));
                }
                Primitive::Polygons => cut(&corners, at, out),
                Primitive::Fans => fan(&corners, out),
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
                        cut(polygon, at, out);
                        rest = after;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Triangles about their first corner.
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
