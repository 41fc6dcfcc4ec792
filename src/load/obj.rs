//! The polygons of Wavefront OBJ, and the colours of their materials. Groups, normals, textures and curves
//! are skipped.

use super::mtl::Materials;
use super::soup::{Soup, coordinate};
use crate::error::{Error, Result};
use crate::spatial::Vec3;

pub(super) fn read(bytes: &[u8], soup: &mut Soup, materials: &mut Materials) -> Result<()> {
    // Names and comments may be in any encoding.
    let text = String::from_utf8_lossy(bytes);
    let mut corners = Vec::new();
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
                soup.vertex(Vec3::from_slice(&point)).map_err(locate)?;
            }
            Some("f") => {
                corners.clear();
                for word in words {
                    corners.push(corner(word, soup.vertex_count()).map_err(locate)?);
                }
                if corners.len() < 3 {
                    return Err(locate(Error::parse(format!(
                        "expected a face of at least 3 corners, got {}",
                        corners.len()
                    ))));
                }
                soup.polygon(&corners).map_err(locate)?;
            }
            Some("mtllib") => materials.add_libraries(after_word(content)),
            Some("usemtl") => soup.paint(materials.colour(after_word(content))),
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

/// The vertex of a corner `v`, `v/t`, `v//n` or `v/t/n`: counted from 1, or from the last vertex by −1.
fn corner(word: &str, count: usize) -> Result<u32> {
    let index = word.split('/').next().unwrap_or_default();
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
