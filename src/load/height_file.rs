//! Heights of a terrain from files: PNG images, and the binary format of MuJoCo
//! (<https://mujoco.readthedocs.io/en/stable/XMLreference.html#asset-hfield>): two counts, then the heights
//! in single precision.

use super::read_bytes;
use super::texture::Image;
use crate::error::{Error, Result};
use std::path::Path;

/// Most nodes of the height fields of one description, together: a few bytes of text or of an image may
/// request many.
pub const MAX_NODES: usize = 1 << 24;

/// Largest file of heights: this many numbers of 4 bytes, and some metadata.
const MAX_BYTES: u64 = 128 << 20;

/// Bytes of the counts.
const HEADER: usize = 8;

/// The format of a file of heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeightFormat {
    /// An image whose brightness is the height: the red channel of colours, the upper 8 bits of 16, as in
    /// MuJoCo.
    Png,
    /// Numbers of rows and columns (`int32`), then the heights (`float32`), with the row of the smallest y
    /// first.
    Binary,
}

impl HeightFormat {
    /// As in MuJoCo: a file without the extension .png is binary.
    fn of(path: &Path) -> HeightFormat {
        let extension = path
            .extension()
            .and_then(|e| e.to_str())
            .unwrap_or_default();
        if extension.eq_ignore_ascii_case("png") {
            HeightFormat::Png
        } else {
            HeightFormat::Binary
        }
    }
}

/// Heights at the nodes of a grid in the file's unit, row by row along x, with the row of the smallest y
/// first.
#[derive(Debug)]
pub struct Heights {
    pub rows: usize,
    pub columns: usize,
    pub values: Vec<f64>,
}

/// Reads a file of heights, of at most `budget` nodes. Without a format the name of the file decides.
///
/// # Errors
/// `Io` for a file that cannot be read, otherwise those of [`parse_heights`]. The message names the file.
pub(super) fn load_heights(
    path: &Path,
    format: Option<HeightFormat>,
    budget: usize,
) -> Result<Heights> {
    let bytes = read_bytes(path, MAX_BYTES)?;
    let format = format.unwrap_or_else(|| HeightFormat::of(path));
    parse_heights(&bytes, format, budget).map_err(|e| Error {
        status: e.status,
        message: format!("{}: {}", path.display(), e.message),
    })
}

/// Reads the bytes of a file of heights, of at most `budget` nodes.
///
/// # Errors
/// `Parse` for bytes that are not of the format, fewer than 2 × 2 nodes, or a height that is not finite;
/// `Capacity` for more nodes.
pub fn parse_heights(bytes: &[u8], format: HeightFormat, budget: usize) -> Result<Heights> {
    match format {
        HeightFormat::Png => read_png(bytes, budget),
        HeightFormat::Binary => read_binary(bytes, budget),
    }
}

/// Number of nodes of a grid with these rows and columns.
///
/// # Errors
/// `Parse` for fewer than 2 × 2, `Capacity` for more than `budget`.
pub(super) fn nodes(rows: usize, columns: usize, budget: usize) -> Result<usize> {
    if rows < 2 || columns < 2 {
        return Err(Error::parse(format!(
            "{rows} rows and {columns} columns of heights; expected at least 2 of each"
        )));
    }
    match rows.checked_mul(columns) {
        Some(n) if n <= budget => Ok(n),
        _ => Err(Error::capacity(format!(
            "{rows} rows and {columns} columns of heights; at most {MAX_NODES} heights are read from one description, \
             {budget} of them here"
        ))),
    }
}

fn read_binary(bytes: &[u8], budget: usize) -> Result<Heights> {
    let (header, rest) = bytes.split_at_checked(HEADER).ok_or_else(|| {
        Error::parse(format!(
            "truncated heights: the numbers of rows and columns are {HEADER} bytes, the file has {}",
            bytes.len()
        ))
    })?;
    let mut counts = [0_usize; 2];
    for ((count, word), name) in counts
        .iter_mut()
        .zip(words(header))
        .zip(["rows", "columns"])
    {
        let found = i32::from_le_bytes(word);
        *count = usize::try_from(found)
            .map_err(|_| Error::parse(format!("the number of {name} is negative: {found}")))?;
    }
    let [rows, columns] = counts;
    let wanted = HEADER as u64 + 4 * rows as u64 * columns as u64;
    if wanted != bytes.len() as u64 {
        return Err(Error::parse(format!(
            "{rows} rows and {columns} columns of heights have {wanted} bytes, the file has {}",
            bytes.len()
        )));
    }
    nodes(rows, columns, budget)?;
    let values: Vec<f64> = words(rest)
        .map(|word| f64::from(f32::from_le_bytes(word)))
        .collect();
    if let Some(k) = values.iter().position(|z| !z.is_finite()) {
        return Err(Error::parse(format!(
            "the height in row {}, column {}, counted from 0, is not finite: {}",
            k / columns,
            k % columns,
            values[k]
        )));
    }
    Ok(Heights {
        rows,
        columns,
        values,
    })
}

fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> + '_ {
    bytes.chunks_exact(4).map(|b| [b[0], b[1], b[2], b[3]])
}

fn read_png(bytes: &[u8], budget: usize) -> Result<Heights> {
    let image = Image::read(bytes, |rows, columns| {
        nodes(rows, columns, budget).map(|_| ())
    })?;
    let (rows, columns) = (image.rows, image.columns);
    // The first sample of a colour is its red.
    let mut values = Vec::with_capacity(rows * columns);
    for row in image.samples.chunks_exact(columns * image.channels).rev() {
        let pixels = row.chunks_exact(image.channels);
        values.extend(pixels.map(|p| f64::from(p[0])));
    }
    Ok(Heights {
        rows,
        columns,
        values,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::error::Status;

    /// An image of 8 or 16 bits a sample.
    pub(crate) fn image(
        columns: u32,
        rows: u32,
        colour: png::ColorType,
        depth: png::BitDepth,
        samples: &[u8],
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, columns, rows);
        encoder.set_color(colour);
        encoder.set_depth(depth);
        if colour == png::ColorType::Indexed {
            encoder.set_palette(vec![10, 99, 3, 20, 5, 5, 70, 1, 1]);
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(samples).unwrap();
        writer.finish().unwrap();
        bytes
    }

    pub(crate) fn binary(rows: i32, columns: i32, heights: &[f32]) -> Vec<u8> {
        let counts = [rows, columns].into_iter().flat_map(i32::to_le_bytes);
        let numbers = heights.iter().flat_map(|z| z.to_le_bytes());
        counts.chain(numbers).collect()
    }

    fn png_of(bytes: &[u8]) -> Result<Heights> {
        parse_heights(bytes, HeightFormat::Png, MAX_NODES)
    }

    /// The same picture in every kind of pixel, as MuJoCo 4.0 reads each: the top row has the largest y,
    /// colours count by their red, wide samples by their upper byte.
    #[test]
    fn images_count_by_red_from_the_bottom() {
        use png::BitDepth::{Eight, Four, Sixteen};
        use png::ColorType::{Grayscale, GrayscaleAlpha, Indexed, Rgb, Rgba};
        let cases: [(_, _, &[u8], [f64; 4]); 7] = [
            (Grayscale, Eight, &[10, 20, 40, 70], [40., 70., 10., 20.]),
            // Four bits are spread over eight.
            (Grayscale, Four, &[0x12, 0x45], [68., 85., 17., 34.]),
            (
                Grayscale,
                Sixteen,
                &[10, 255, 20, 3, 40, 0, 70, 128],
                [40., 70., 10., 20.],
            ),
            (
                GrayscaleAlpha,
                Eight,
                &[10, 0, 20, 9, 40, 255, 70, 1],
                [40., 70., 10., 20.],
            ),
            (
                Rgb,
                Eight,
                &[10, 99, 5, 20, 7, 88, 40, 1, 1, 70, 255, 255],
                [40., 70., 10., 20.],
            ),
            (
                Rgba,
                Eight,
                &[10, 99, 5, 0, 20, 7, 88, 9, 40, 1, 1, 255, 70, 255, 255, 3],
                [40., 70., 10., 20.],
            ),
            (Indexed, Eight, &[0, 1, 2, 1], [70., 20., 10., 20.]),
        ];
        for (colour, depth, samples, expected) in cases {
            let h = png_of(&image(2, 2, colour, depth, samples)).unwrap();
            assert_eq!((h.rows, h.columns), (2, 2));
            assert_eq!(h.values, expected, "{colour:?} {depth:?}");
        }
    }

    #[test]
    fn numbers_are_read_from_the_bottom_as_they_are() {
        let bytes = binary(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, -7.25]);
        let h = parse_heights(&bytes, HeightFormat::Binary, MAX_NODES).unwrap();
        assert_eq!((h.rows, h.columns), (2, 3));
        assert_eq!(h.values, [1.0, 2.0, 3.0, 4.0, 5.0, -7.25]);
    }

    #[test]
    fn broken_files_are_refused_by_name_of_the_fault() {
        let whole = binary(2, 2, &[1.0, 2.0, 3.0, 4.0]);
        for (bytes, message) in [
            (whole[..7].to_vec(), "truncated heights"),
            (whole[..23].to_vec(), "have 24 bytes, the file has 23"),
            (
                [whole.as_slice(), &[0]].concat(),
                "have 24 bytes, the file has 25",
            ),
            (binary(2, -2, &[]), "the number of columns is negative: -2"),
            (binary(1, 4, &[1.0; 4]), "expected at least 2 of each"),
            (binary(0, 4, &[]), "expected at least 2 of each"),
            (binary(i32::MAX, i32::MAX, &[]), "the file has 8"),
            (
                binary(2, 2, &[1.0, 2.0, f32::NAN, 0.0]),
                "row 1, column 0, counted from 0, is not finite: NaN",
            ),
        ] {
            let e = parse_heights(&bytes, HeightFormat::Binary, MAX_NODES).unwrap_err();
            assert_eq!(e.status, Status::Parse, "{e}");
            assert!(e.message.contains(message), "{message}: {e}");
        }
        use png::{BitDepth::Eight, ColorType::Grayscale};
        let whole = image(2, 2, Grayscale, Eight, &[1, 2, 3, 4]);
        let mut flipped = whole.clone();
        let middle = whole.len() - 20;
        flipped[middle] ^= 0x10;
        for (bytes, message) in [
            (vec![], "not a PNG"),
            (b"P2 2 2 255 1 2 3 4".to_vec(), "not a PNG"),
            (whole[..whole.len() / 2].to_vec(), "not a PNG"),
            (flipped, "not a PNG"),
            (
                image(1, 3, Grayscale, Eight, &[1, 2, 3]),
                "3 rows and 1 columns of heights; expected at least 2",
            ),
        ] {
            let e = png_of(&bytes).unwrap_err();
            assert_eq!(e.status, Status::Parse, "{e}");
            assert!(e.message.contains(message), "{message}: {e}");
        }
    }

    #[test]
    fn what_asks_for_too_much_is_refused_before_it_is_made() {
        use png::{BitDepth::One, ColorType::Grayscale};
        // 5000 × 5000 pixels of nothing: some kilobytes.
        let bytes = image(5000, 5000, Grayscale, One, &vec![0; 625 * 5000]);
        assert!(bytes.len() < 100_000);
        let e = png_of(&bytes).unwrap_err();
        assert_eq!(e.status, Status::Capacity, "{e}");
        assert!(e.message.contains("5000 rows and 5000 columns"), "{e}");
        let few = binary(2, 2, &[0.0; 4]);
        let e = parse_heights(&few, HeightFormat::Binary, 3).unwrap_err();
        assert_eq!(e.status, Status::Capacity, "{e}");
        assert!(parse_heights(&few, HeightFormat::Binary, 4).is_ok());
    }
}
