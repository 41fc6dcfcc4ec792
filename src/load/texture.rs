//! Textures of meshes: for drawing, never for collision. PNG and JPEG images are kept as they are for those
//! who draw, and the mean colour of a PNG for those who draw no images; another image is a warning.

use super::read_bytes;
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

/// Largest number of images of a mesh, and largest file: files come from strangers.
const MAX_IMAGES: usize = 64;
const MAX_BYTES: u64 = 64 << 20;

/// Largest image that is kept: recordings and pages hold it.
const MAX_KEPT: usize = 8 << 20;

/// Memory that reading an image may take [bytes].
const IMAGE_BYTES: usize = 256 << 20;

/// An image of 8 bits a sample.
pub(super) struct Image {
    pub rows: usize,
    pub columns: usize,
    pub channels: usize,
    pub samples: Vec<u8>,
}

impl Image {
    /// Reads a PNG, if `allowed` takes its numbers of rows and columns.
    ///
    /// # Errors
    /// Those of `allowed`; `Parse` for bytes that are no such image; `Capacity` for one that takes too much
    /// memory to read.
    pub fn read(bytes: &[u8], allowed: impl Fn(usize, usize) -> Result<()>) -> Result<Image> {
        let fault = |e: png::DecodingError| match e {
            png::DecodingError::LimitsExceeded => Error::capacity(format!(
                "the image takes more than {IMAGE_BYTES} bytes to read"
            )),
            e => Error::parse(format!("not a PNG image that can be read: {e}")),
        };
        let mut decoder =
            png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: IMAGE_BYTES });
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        // Check before allocating an image of the stated size.
        let header = decoder.read_header_info().map_err(fault)?;
        let (rows, columns) = (header.height as usize, header.width as usize);
        allowed(rows, columns)?;
        let mut reader = decoder.read_info().map_err(fault)?;
        let size = reader.output_buffer_size();
        let mut samples = vec![0; size.ok_or_else(|| fault(png::DecodingError::LimitsExceeded))?];
        let frame = reader.next_frame(&mut samples).map_err(fault)?;
        if (frame.height as usize, frame.width as usize) != (rows, columns) {
            return Err(Error::parse(format!(
                "an image of {rows} × {columns} pixels begins with one of {} × {}",
                frame.height, frame.width
            )));
        }
        let channels = frame.color_type.samples();
        samples.truncate(rows * columns * channels);
        Ok(Image {
            rows,
            columns,
            channels,
            samples,
        })
    }

    /// The mean colour. Pixels count by their opacity.
    fn mean(&self) -> [f32; 3] {
        let (mut sum, mut weight) = ([0.0; 3], 0.0);
        for pixel in self.samples.chunks_exact(self.channels) {
            let (colour, opacity) = match *pixel {
                [grey] => ([grey; 3], 255),
                [grey, opacity] => ([grey; 3], opacity),
                [r, g, b, opacity] => ([r, g, b], opacity),
                [r, g, b, ..] => ([r, g, b], 255),
                [] => continue,
            };
            let share = f64::from(opacity) / 255.0;
            weight += share;
            for (sum, x) in sum.iter_mut().zip(colour) {
                *sum += share * f64::from(x) / 255.0;
            }
        }
        sum.map(|x| {
            if weight > 0.0 {
                (x / weight) as f32
            } else {
                1.0
            }
        })
    }
}

/// The mean colour of an image, NaN for a JPEG, and its number among those kept, from 1; 0 if it is not kept.
pub(super) type Texture = ([f32; 3], usize);

/// The images that a mesh has named so far.
pub(super) struct Textures<'p> {
    /// Folder of the images; `None` if colours are not wanted.
    folder: Option<&'p Path>,
    means: HashMap<String, Option<Texture>>,
    pub images: Vec<Arc<[u8]>>,
    pub warnings: Vec<String>,
}

impl<'p> Textures<'p> {
    pub fn new(folder: Option<&'p Path>) -> Self {
        Textures {
            folder,
            means: HashMap::new(),
            images: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The image in a file.
    pub fn file(&mut self, name: &str) -> Option<Texture> {
        let folder = self.folder?;
        let place = name.strip_prefix("file://").unwrap_or(name);
        let path = folder.join(place.replace('\\', "/"));
        self.remember(name, || read_bytes(&path, MAX_BYTES))
    }

    /// An image that has a name of its own in the file of the mesh.
    pub fn bytes(&mut self, name: &str, bytes: &[u8]) -> Option<Texture> {
        self.folder?;
        self.remember(name, || Ok(bytes.to_vec()))
    }

    fn remember(&mut self, name: &str, bytes: impl FnOnce() -> Result<Vec<u8>>) -> Option<Texture> {
        if let Some(known) = self.means.get(name) {
            return *known;
        }
        if self.means.len() == MAX_IMAGES {
            return None;
        }
        let images = &mut self.images;
        let texture = bytes().and_then(|bytes| {
            let mean = match bytes.starts_with(b"\xff\xd8\xff") {
                true => [f32::NAN; 3],
                false => Image::read(&bytes, |_, _| Ok(()))?.mean(),
            };
            if bytes.len() > MAX_KEPT {
                return Ok((mean, 0));
            }
            images.push(bytes.into());
            Ok((mean, images.len()))
        });
        if let Err(e) = &texture {
            self.warnings
                .push(format!("texture \"{name}\": {}", e.message));
        }
        let texture = texture.ok();
        self.means.insert(name.to_owned(), texture);
        texture
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::height_file::tests::image;
    use crate::load::mesh_file::load_painted;
    use crate::load::parts::load_parts;

    /// Two pixels, red and blue, in the colours that a PNG may have.
    #[test]
    fn the_mean_counts_pixels_by_their_opacity() {
        let mean = |colour, samples: &[u8]| {
            let bytes = image(2, 1, colour, png::BitDepth::Eight, samples);
            Image::read(&bytes, |_, _| Ok(())).unwrap().mean()
        };
        assert_eq!(
            mean(png::ColorType::Rgb, &[255, 0, 0, 0, 0, 255]),
            [0.5, 0.0, 0.5]
        );
        let half = [255, 0, 0, 255, 0, 255, 0, 0];
        assert_eq!(mean(png::ColorType::Rgba, &half), [1.0, 0.0, 0.0]);
        assert_eq!(mean(png::ColorType::Grayscale, &[0, 255]), [0.5; 3]);
        assert!(Image::read(b"\xff\xd8\xff", |_, _| Ok(())).is_err());
    }

    #[test]
    fn meshes_have_the_mean_colours_of_their_textures() {
        let folder = std::env::temp_dir().join(format!("diffsim_texture_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let red_and_blue = image(
            2,
            1,
            png::ColorType::Rgb,
            png::BitDepth::Eight,
            &[255, 0, 0, 0, 0, 255],
        );
        let obj = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 0.5 0\nvt 0 1\nusemtl a\nf 1/1 2/2 3/3\nusemtl b\nf 1 2 4\nusemtl c\nf 1 3 4\n";
        let mtl = "newmtl a\nKd 1 1 0.5\nd 0.5\nmap_Kd -s 1 1 1 two.png\nnewmtl b\nmap_Kd two.png\nnewmtl c\nKd 1 0 0\nmap_Kd no.jpg\n";
        let dae = r##"<COLLADA><library_images><image id="i"><init_from>two.png</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON><newparam sid="f"><surface><init_from>i</init_from></surface></newparam>
<newparam sid="s"><sampler2D><source>f</source></sampler2D></newparam><technique sid="t"><phong>
<diffuse><texture texture="s" texcoord="u"/></diffuse></phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array count="9">0 0 0 1 0 0 0 1 0</float_array></source>
<source id="q"><float_array count="6">0 0 0.5 0 0 1</float_array></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles material="red"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="TEXCOORD" source="#q" offset="1"/><p>0 0 1 1 2 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="red" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>"##;
        let mut binary: Vec<u8> = [0f32, 0., 0., 1., 0., 0., 0., 1., 0.]
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        binary.extend(
            [0f32, 1., 0.5, 1., 0., 0.]
                .iter()
                .flat_map(|x| x.to_le_bytes()),
        );
        binary.extend(&red_and_blue);
        let json = format!(
            r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{}}}],
            "bufferViews":[{{"buffer":0,"byteLength":60}},{{"buffer":0,"byteOffset":60,"byteLength":{}}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}},
              {{"bufferView":0,"byteOffset":36,"componentType":5126,"count":3,"type":"VEC2"}}],
            "images":[{{"bufferView":1,"mimeType":"image/png"}}],"textures":[{{"source":0}}],
            "materials":[{{"pbrMetallicRoughness":{{"baseColorTexture":{{"index":0}},"baseColorFactor":[1,1,0,1]}}}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"TEXCOORD_0":1}},"material":0}}]}}],"nodes":[{{"mesh":0}}]}}"#,
            binary.len(),
            red_and_blue.len()
        );
        let chunk = |kind: &[u8; 4], content: &[u8], pad: u8| {
            let mut content = content.to_vec();
            content.resize(content.len().next_multiple_of(4), pad);
            let length = (content.len() as u32).to_le_bytes();
            [&length[..], kind, &content].concat()
        };
        let chunks = [
            chunk(b"JSON", json.as_bytes(), b' '),
            chunk(b"BIN\0", &binary, 0),
        ]
        .concat();
        let length = (12 + chunks.len() as u32).to_le_bytes();
        let glb = [&b"glTF"[..], &2u32.to_le_bytes(), &length, &chunks].concat();
        for (name, bytes) in [
            ("two.png", &red_and_blue[..]),
            ("a.obj", obj.as_bytes()),
            (
                "b.obj",
                b"v 0 0 0 1 0 0\nv 1 0 0 0.5 0.75 0\nv 0 1 0 0 0 0.75\nf 1 2 3\n",
            ),
            ("a.mtl", mtl.as_bytes()),
            ("a.dae", dae.as_bytes()),
            ("a.glb", &glb),
        ] {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
        let read = |name: &str| load_painted(&folder.join(name), Some(&folder)).unwrap();
        let [obj, dae, glb] = ["a.obj", "a.dae", "a.glb"].map(read);
        let parts = load_parts(&folder.join("a.obj")).unwrap();
        let colours = load_parts(&folder.join("b.obj")).unwrap();
        // Without a folder colours are not wanted: no image is read.
        let plain = load_painted(&folder.join("a.glb"), None).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(
            obj.found.paint,
            [
                ([0.5, 0.0, 0.25, 0.5], 1),
                ([0.5, 0.0, 0.5, 1.0], 1),
                ([1.0, 0.0, 0.0, 1.0], 0)
            ]
        );
        // The same places, counted from the lower edge, and the same image.
        let places = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 1.0, 0.0]];
        for painted in [&obj, &dae, &glb] {
            assert_eq!(painted.found.corners[0], places);
            assert_eq!(painted.images, [Arc::from(&red_and_blue[..])]);
        }
        // A face without places has the mean colour only.
        let coats: Vec<_> = parts.pieces.iter().map(|p| p.2.as_deref()).collect();
        assert!(coats[0].is_some_and(|c| c.image.is_some() && c.corners == [places]));
        assert!(coats[1].is_none() && coats[2].is_none());
        // Colours of vertices, in one piece with their mean.
        let [(mesh, rgba, Some(coat))] = &colours.pieces[..] else {
            panic!("expected one piece with colours");
        };
        assert_eq!((mesh.triangles.len(), *rgba), (1, [0.5, 0.25, 0.25, 1.0]));
        assert_eq!(
            coat.corners,
            [[[1.0, 0.0, 0.0], [0.5, 0.75, 0.0], [0.0, 0.0, 0.75]]]
        );
        assert!(obj.warnings.len() == 1 && obj.warnings[0].contains("no.jpg"));
        assert_eq!(dae.found.paint, [([0.5, 0.0, 0.5, 1.0], 1)]);
        assert_eq!(glb.found.paint, [([0.5, 0.0, 0.0, 1.0], 1)]);
        assert_eq!(plain.found.paint, [([1.0, 1.0, 0.0, 1.0], 0)]);
        assert!(plain.found.corners.is_empty());
    }
}
