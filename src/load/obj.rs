//! The polygons of Wavefront OBJ, the colours and images of their materials, and colours behind the
//! coordinates of vertices. Groups, normals and curves are skipped.

use super::mtl::Materials;
use super::soup::{Soup, UNPAINTED, coordinate};
use crate::error::{Error, Result};
use crate::spatial::Vec3;

pub(super) fn read(bytes: &[u8], soup: &mut Soup, materials: &mut Materials) -> Result<()> {
    // Names and comments may be in any encoding.
    let text = String::from_utf8_lossy(bytes);
    let mut corners = Vec::new();
    // The places of the corners of a face in an image, and all of them; the colours of vertices.
    let (mut at, mut places, mut colours) = (Vec::new(), Vec::new(), Vec::new());
    let mut paint = (UNPAINTED, 0);
    for (i, line) in text.lines().enumerate() {
        let line_number = i + 1;
        let locate = |e: Error| Error {
            status: e.status,
            message: format!("line {line_number}: {}", e.message),
        };
        let content = line.split('#').next().unwrap_or_default();
        let mut words = content.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let mut point = [0.0; 3];
                for (k, x) in point.iter_mut().enumerate() {
                    let word = words.next().ok_or_else(|| {
                        locate(Error::parse(format!("expected 3 coordinates, got {k}")))
                    })?;
                    *x = coordinate(word, line_number)?;
                }
                let i = soup.vertex(Vec3::from_slice(&point)).map_err(locate)?;
                if let Some(rgb) = numbers::<3>(words) {
                    colours.resize(i as usize, [f32::NAN; 3]);
                    colours.push(rgb.map(|x| x.clamp(0.0, 1.0)));
                }
            }
            Some("vt") => {
                let [u, v] = numbers(words).unwrap_or([f32::NAN; 2]);
                places.push([u, v, 0.0]);
            }
            Some("f") => {
                corners.clear();
                at.clear();
                for word in words {
                    let mut indices = word.split('/');
                    let vertex = indices.next().unwrap_or_default();
                    corners.push(corner(vertex, word, soup.vertex_count()).map_err(locate)?);
                    let place = indices.next().unwrap_or_default();
                    at.push(corner(place, word, places.len()).ok());
                }
                if corners.len() < 3 {
                    return Err(locate(Error::parse(format!(
                        "expected a face of at least 3 corners, got {}",
                        corners.len()
                    ))));
                }
                let first = soup.triangle_count();
                soup.polygon(&corners).map_err(locate)?;
                let place = |vertex: u32| {
                    let k = corners.iter().position(|&c| c == vertex)?;
                    Some(places[at[k]? as usize])
                };
                let nothing = [f32::NAN; 3];
                if paint.1 > 0 {
                    soup.dress(first, |_, _, v| place(v).unwrap_or(nothing));
                } else if !colours.is_empty() {
                    let own = |v: u32| colours.get(v as usize).copied();
                    soup.dress(first, |_, _, v| own(v).unwrap_or(nothing));
                }
            }
            Some("mtllib") => materials.add_libraries(after_word(content)),
            Some("usemtl") => {
                paint = materials.colour(after_word(content));
                soup.paint(paint);
            }
            _ => {}
        }
    }
    Ok(())
}

/// The rest of a line after its first word: names may contain blanks.
fn after_word(content: &str) -> &str {
    let rest = content.trim_ascii_start();
    let word = rest.find(|c: char| c.is_ascii_whitespace());
    rest[word.unwrap_or(rest.len())..].trim_ascii()
}

/// The first numbers of a line, if there are as many and all are finite.
fn numbers<'w, const N: usize>(mut words: impl Iterator<Item = &'w str>) -> Option<[f32; N]> {
    let mut out = [0.0; N];
    for x in &mut out {
        *x = words.next()?.parse().ok().filter(|x: &f32| x.is_finite())?;
    }
    Some(out)
}

/// An index of a corner `v`, `v/t`, `v//n` or `v/t/n`: counted from 1, or from the last of `count` by −1.
fn corner(index: &str, word: &str, count: usize) -> Result<u32> {
    let vertex = match index.parse::<i64>() {
        Ok(i) if i > 0 => i - 1,
        Ok(i) if i < 0 => count as i64 + i,
        _ => -1,
    };
    if (0..count as i64).contains(&vertex) {
        Ok(vertex as u32)
    } else {
        Err(Error::parse(format!(
            "expected a corner with one of the {count} vertices so far, got \"{word}\""
        )))
    }
}
