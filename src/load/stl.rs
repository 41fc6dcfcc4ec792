//! STL, text and binary, with the colours of binary files.

use super::soup::{MAX_TRIANGLES, Rgba, Soup, UNPAINTED, coordinate, too_many};
use crate::error::{Error, Result};
use crate::spatial::Vec3;

/// Bytes before the number of triangles, before the first triangle, and of each triangle.
const COUNT: usize = 80;
const HEADER: usize = 84;
const FACET: usize = 50;

pub(super) fn read(bytes: &[u8], soup: &mut Soup) -> Result<()> {
    let claimed = claimed_count(bytes);
    let is_text = bytes.trim_ascii_start().starts_with(b"solid");
    // Some binary headers start with "solid" too: the size decides.
    match claimed {
        Some(n) if bytes.len() == HEADER + n * FACET => read_binary(bytes, n, soup),
        _ if is_text => read_text(bytes, soup),
        Some(n) => read_binary(bytes, n, soup),
        None => Err(Error::parse(format!(
            "neither a text STL, which starts with \"solid\", nor a binary one: {} bytes",
            bytes.len()
        ))),
    }
}

fn claimed_count(bytes: &[u8]) -> Option<usize> {
    let word = bytes.get(COUNT..HEADER)?.try_into().ok()?;
    Some(u32::from_le_bytes(word) as usize)
}

fn read_binary(bytes: &[u8], count: usize, soup: &mut Soup) -> Result<()> {
    if count > MAX_TRIANGLES {
        return Err(too_many(Some(count)));
    }
    let size = HEADER + count * FACET;
    let facets = bytes.get(HEADER..size).ok_or_else(|| {
        Error::parse(format!(
            "truncated binary STL: {count} triangles need {size} bytes, the file has {}",
            bytes.len()
        ))
    })?;
    let colours = Colours::of(&bytes[..COUNT]);
    for facet in facets.chunks_exact(FACET) {
        soup.paint((colours.facet(u16::from_le_bytes([facet[48], facet[49]])), 0));
        // Three numbers each: the normal, then the corners.
        let mut numbers = facet
            .chunks_exact(4)
            .map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])));
        let mut point = || -> Vec3 {
            let [x, y, z] = [(); 3].map(|()| numbers.next().unwrap_or_default());
            Vec3::new(x, y, z)
        };
        let [_normal, a, b, c] = [point(), point(), point(), point()];
        add(soup, [a, b, c])?;
    }
    Ok(())
}

/// Meaning of the last two bytes of a facet. The format leaves them open; two programs put 5 bits for each of
/// red, green and blue there, in opposite orders and with opposite meanings of bit 15.
enum Colours {
    /// VisCAM and SolidView: the facet's colour if bit 15 is set, blue in the lowest bits.
    Viscam,
    /// Materialise Magics: the header has COLOR= and four bytes, the colour of the object; the facet's own
    /// colour if bit 15 is clear, red in the lowest bits.
    Magics(Rgba),
}

impl Colours {
    fn of(header: &[u8]) -> Colours {
        const KEY: &[u8] = b"COLOR=";
        let after = header.windows(KEY.len()).position(|w| w == KEY);
        match after.and_then(|at| header.get(at + KEY.len()..at + KEY.len() + 4)) {
            Some(&[r, g, b, a]) => Colours::Magics([r, g, b, a].map(|x| f32::from(x) / 255.0)),
            _ => Colours::Viscam,
        }
    }

    fn facet(&self, bits: u16) -> Rgba {
        let part = |shift: u32| f32::from(bits >> shift & 31) / 31.0;
        match (self, bits >> 15 == 1) {
            (Colours::Viscam, true) => [part(10), part(5), part(0), 1.0],
            (Colours::Viscam, false) => UNPAINTED,
            (Colours::Magics(object), true) => *object,
            (Colours::Magics(object), false) => [part(0), part(5), part(10), object[3]],
        }
    }
}

fn read_text(bytes: &[u8], soup: &mut Soup) -> Result<()> {
    // Names may be in any encoding.
    let text = String::from_utf8_lossy(bytes);
    let mut words = text.lines().enumerate().flat_map(|(i, line)| {
        let is_name = line.trim_ascii_start().starts_with("solid")
            || line.trim_ascii_start().starts_with("endsolid");
        let keep = if is_name { 1 } else { usize::MAX };
        line.split_ascii_whitespace()
            .take(keep)
            .map(move |w| (i + 1, w))
    });
    let truncated = || Error::parse("truncated text STL: expected endsolid");
    let mut corners = Vec::new();
    let mut open = false;
    while let Some((line, word)) = words.next() {
        match word {
            "facet" | "outer" | "endfacet" => {}
            "normal" => {
                // Zero or wrong in many files: the order of the corners defines the outside.
                words.nth(2).ok_or_else(truncated)?;
            }
            "loop" => corners.clear(),
            "vertex" => {
                let mut point = [0.0; 3];
                for x in &mut point {
                    let (line, word) = words.next().ok_or_else(truncated)?;
                    *x = coordinate(word, line)?;
                }
                corners.push(Vec3::from_slice(&point));
            }
            "endloop" => {
                let corners = <[Vec3; 3]>::try_from(corners.as_slice()).map_err(|_| {
                    Error::parse(format!(
                        "line {line}: expected 3 vertices in a facet, got {}",
                        corners.len()
                    ))
                })?;
                add(soup, corners)?;
            }
            _ if word.starts_with("solid") => open = true,
            _ if word.starts_with("endsolid") => open = false,
            _ => {
                return Err(Error::parse(format!(
                    "line {line}: expected a keyword of STL, got \"{word}\""
                )));
            }
        }
    }
    if open { Err(truncated()) } else { Ok(()) }
}

fn add(soup: &mut Soup, corners: [Vec3; 3]) -> Result<()> {
    let [a, b, c] = corners;
    let t = [soup.vertex(a)?, soup.vertex(b)?, soup.vertex(c)?];
    soup.triangle(t)
}
