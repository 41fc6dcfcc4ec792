//! The colours of Wavefront MTL files that an OBJ names: for drawing, never for collision. An unreadable
//! colour is a warning.

use super::read_bytes;
use super::soup::{Paint, UNPAINTED};
use super::texture::{Texture, Textures};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Largest number of libraries of one OBJ, largest library, and largest number of warnings: files come from
/// strangers.
const MAX_LIBRARIES: usize = 16;
const MAX_BYTES: u64 = 4 << 20;
const MAX_WARNINGS: usize = 8;

/// The materials of the libraries named so far.
pub(super) struct Materials<'p> {
    /// Folder of the libraries; `None` if colours are not wanted.
    folder: Option<&'p Path>,
    pub textures: Textures<'p>,
    colours: HashMap<String, Paint>,
    libraries: HashSet<String>,
    /// Materials that no library has.
    unknown: HashSet<String>,
    /// True if a library is missing, and with it perhaps any material.
    incomplete: bool,
    warnings: Vec<String>,
}

impl<'p> Materials<'p> {
    pub(super) fn new(folder: Option<&'p Path>) -> Self {
        Materials {
            folder,
            textures: Textures::new(folder),
            colours: HashMap::new(),
            libraries: HashSet::new(),
            unknown: HashSet::new(),
            incomplete: false,
            warnings: Vec::new(),
        }
    }

    pub(super) fn warnings(mut self) -> Vec<String> {
        self.warnings.append(&mut self.textures.warnings);
        self.warnings
    }

    fn warn(&mut self, text: String) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(text);
        }
    }

    /// Reads the files of a line `mtllib`: one or several. Names contain blanks in many files, so each name
    /// ends with `.mtl` or with the line.
    pub(super) fn add_libraries(&mut self, names: &str) {
        let Some(folder) = self.folder else { return };
        let (mut start, mut end) = (0, 0);
        for word in names.split_inclusive(|c: char| c.is_ascii_whitespace()) {
            end += word.len();
            let whole = word.trim_ascii().to_ascii_lowercase().ends_with(".mtl");
            if whole || end == names.len() {
                self.add_library(folder, names[start..end].trim_ascii());
                start = end;
            }
        }
    }

    fn add_library(&mut self, folder: &Path, name: &str) {
        if self.libraries.contains(name) {
            return;
        }
        if self.libraries.len() == MAX_LIBRARIES {
            self.incomplete = true;
            return;
        }
        self.libraries.insert(name.to_owned());
        if self.libraries.len() == MAX_LIBRARIES {
            self.warn(format!(
                "colours of more than {MAX_LIBRARIES} mtllib are not read"
            ));
        }
        match read_bytes(&folder.join(name), MAX_BYTES) {
            Ok(bytes) => parse(&bytes, &mut self.colours, &mut self.textures),
            Err(e) => {
                self.incomplete = true;
                self.warn(format!("mtllib: {}", e.message));
            }
        }
    }

    /// The paint of the material in a line `usemtl`.
    pub(super) fn colour(&mut self, name: &str) -> Paint {
        match self.colours.get(name) {
            Some(&paint) => paint,
            None => {
                let tell =
                    self.folder.is_some() && !self.incomplete && self.warnings.len() < MAX_WARNINGS;
                if tell && self.unknown.insert(name.to_owned()) {
                    self.warn(format!("usemtl: no library has \"{name}\""));
                }
                (UNPAINTED, 0)
            }
        }
    }
}

/// Adds the materials of a file: the diffuse colour `Kd` times the mean colour of the texture `map_Kd`,
/// with the opacity `d`, or otherwise 1 − `Tr`. A line with an invalid number leaves the material as it is.
/// Spectra (`Kd spectral`, `Kd xyz`) are not read.
fn parse(bytes: &[u8], colours: &mut HashMap<String, Paint>, textures: &mut Textures) {
    // Names may be in any encoding.
    let text = String::from_utf8_lossy(bytes);
    let mut name: Option<&str> = None;
    let (mut rgb, mut image): (Option<[f32; 3]>, Option<Texture>) = (None, None);
    let (mut opacity, mut transparency): (Option<f32>, Option<f32>) = (None, None);
    for line in text.lines().chain(["newmtl"]) {
        let content = line.split('#').next().unwrap_or_default().trim();
        let (word, rest) = content
            .split_once(|c: char| c.is_ascii_whitespace())
            .unwrap_or((content, ""));
        match word {
            "newmtl" => {
                let a = opacity.or(transparency.map(|t| 1.0 - t)).unwrap_or(1.0);
                let plain = rgb.or(image.map(|_| [1.0; 3]));
                if let (Some(name), Some([r, g, b])) = (name, plain) {
                    let ([x, y, z], image) = image.unwrap_or(([1.0; 3], 0));
                    colours.insert(name.to_owned(), ([r * x, g * y, b * z, a], image));
                }
                name = Some(rest.trim());
                (rgb, image, opacity, transparency) = (None, None, None, None);
            }
            "Kd" => rgb = triple(rest).or(rgb),
            "map_Kd" => {
                // Options may come before the name, which may have blanks if there are none.
                let file = match rest.trim() {
                    options if options.starts_with('-') => options.split_ascii_whitespace().last(),
                    file => Some(file),
                };
                image = file.and_then(|f| textures.file(f)).or(image);
            }
            "d" => {
                opacity = rest
                    .split_ascii_whitespace()
                    .last()
                    .and_then(part)
                    .or(opacity)
            }
            "Tr" => transparency = part(rest.trim()).or(transparency),
            _ => {}
        }
    }
}

/// Three parts of a colour; a single number stands for all three.
fn triple(text: &str) -> Option<[f32; 3]> {
    let mut words = text.split_ascii_whitespace();
    let r = part(words.next()?)?;
    let mut next = || words.next().map_or(Some(r), part);
    Some([r, next()?, next()?])
}

/// From 0 to 1.
fn part(word: &str) -> Option<f32> {
    let x = word.parse::<f32>().ok().filter(|x| x.is_finite())?;
    Some(x.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> HashMap<String, Paint> {
        let mut colours = HashMap::new();
        parse(text.as_bytes(), &mut colours, &mut Textures::new(None));
        colours
    }

    #[test]
    fn materials_have_diffuse_colours_and_opacities() {
        let text = "# made up\nKd 1 1 1\nnewmtl red one # a name with a blank\r\n  Kd 1 0.25 0\r\nNs 10\nnewmtl glass\n\
            Tr 0.75\nKd 0.5\nd 0.5\nnewmtl pane\nKd 0 0 1\nTr 0.75\nnewmtl halo\nKd 2 -1 0.5\nd -halo 0.25\nnewmtl none\nd 1\n\
            newmtl odd\nKd spectral a.rfl\nKd 1 nan 0\nnewmtl twice\nKd 1 0 0\nnewmtl twice\nKd 0 1 0";
        let colours = read(text);
        assert_eq!(colours["red one"].0, [1.0, 0.25, 0.0, 1.0]);
        assert_eq!(colours["glass"].0, [0.5, 0.5, 0.5, 0.5]);
        assert_eq!(colours["pane"].0, [0.0, 0.0, 1.0, 0.25]);
        assert_eq!(colours["halo"].0, [1.0, 0.0, 0.5, 0.25]);
        assert_eq!(colours["twice"].0, [0.0, 1.0, 0.0, 1.0]);
        assert_eq!(colours.len(), 5);
    }

    #[test]
    fn any_bytes_are_a_library() {
        // Words of the format among noise, from one seed.
        let words = [
            "newmtl ", "Kd ", "d ", "Tr ", "\n", "#", "1e39", "-", "nan ", "0.5 ",
        ];
        let mut state = 1u64;
        for _ in 0..2000 {
            let mut bytes = Vec::new();
            for _ in 0..40 {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                let draw = (state >> 33) as usize;
                match draw % 3 {
                    0 => bytes.push((draw >> 8) as u8),
                    _ => bytes.extend(words[(draw >> 8) % words.len()].bytes()),
                }
            }
            let mut colours = HashMap::new();
            parse(&bytes, &mut colours, &mut Textures::new(None));
            let all = colours.values().flat_map(|(rgba, _)| rgba);
            assert!(all.clone().all(|x| (0.0..=1.0).contains(x)), "{bytes:?}");
        }
    }
}
