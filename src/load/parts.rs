//! Meshes in pieces of one colour, for drawing.

use super::mesh_file::load_painted;
use super::soup::{Coat, Rgba, UNPAINTED};
use crate::error::Result;
use crate::model::mesh::TriMesh;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Largest number of colours of a mesh: each is a separate shape in a recording.
const MAX_COLOURS: usize = 256;

/// A mesh with one piece for each colour or image, and warnings about them, one line each.
pub struct Parts {
    /// A piece with colours of corners has their mean as its colour.
    pub pieces: Vec<(TriMesh, Rgba, Option<Arc<Coat>>)>,
    pub warnings: Vec<String>,
    /// Warning about the `<up_axis>` of the file.
    pub up_axis: Option<&'static str>,
}

/// Reads a mesh as [`super::mesh_file::load_mesh`], with its colours: the diffuse colours of COLLADA's
/// materials and of the MTL files that an OBJ names, those of facets of a binary STL in the form of VisCAM,
/// SolidView and Magics, images of materials, and colours of the vertices of OBJ and GLB. An unreadable
/// colour is left out.
pub fn load_parts(path: &Path) -> Result<Parts> {
    let painted = load_painted(path, Some(path.parent().unwrap_or(Path::new(""))))?;
    let mut warnings = painted.warnings;
    let mut pieces: Vec<(TriMesh, Rgba, Coat)> = Vec::new();
    let mut number = HashMap::new();
    let mut too_many = false;
    let found = painted.found;
    for (i, (&t, (mut rgba, image))) in found.mesh.triangles.iter().zip(found.paint).enumerate() {
        let corners = found
            .corners
            .get(i)
            .filter(|c| !c.as_flattened().iter().any(|x| x.is_nan()));
        let image = corners.map(|_| image);
        if number.len() >= MAX_COLOURS && !number.contains_key(&(rgba.map(f32::to_bits), image)) {
            rgba = UNPAINTED;
            too_many = true;
        }
        let key = (rgba.map(f32::to_bits), image);
        let piece = *number.entry(key).or_insert_with(|| {
            let image = image.and_then(|k| painted.images.get(k.checked_sub(1)?).cloned());
            let corners = Vec::new();
            pieces.push((TriMesh::default(), rgba, Coat { corners, image }));
            pieces.len() - 1
        });
        pieces[piece].0.triangles.push(t);
        pieces[piece].2.corners.extend(corners);
    }
    if too_many {
        warnings.push(format!(
            "more than {MAX_COLOURS} colours: the others are not read"
        ));
    }
    for (piece, rgba, coat) in &mut pieces {
        if let (true, None) = (!coat.corners.is_empty(), &coat.image) {
            let all = coat.corners.as_flattened();
            let mean = |k: usize| all.iter().map(|c| c[k]).sum::<f32>() / all.len() as f32;
            let opacity = if rgba[3].is_nan() { 1.0 } else { rgba[3] };
            *rgba = [mean(0), mean(1), mean(2), opacity];
        }
        let mut moved = HashMap::new();
        for i in piece.triangles.iter_mut().flatten() {
            *i = *moved.entry(*i).or_insert_with(|| {
                piece.vertices.push(found.mesh.vertices[*i as usize]);
                piece.vertices.len() as u32 - 1
            });
        }
    }
    let dressed = |coat: Coat| (!coat.corners.is_empty()).then(|| Arc::new(coat));
    Ok(Parts {
        pieces: pieces
            .into_iter()
            .map(|(m, rgba, coat)| (m, rgba, dressed(coat)))
            .collect(),
        warnings,
        up_axis: painted.up_axis,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;
    use std::path::PathBuf;

    /// A folder of its own for each test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> std::io::Result<Folder> {
            let path = std::env::temp_dir().join(format!("diffsim_{name}_{}", std::process::id()));
            std::fs::create_dir_all(&path)?;
            Ok(Folder(path))
        }

        fn parts(&self, name: &str, bytes: &[u8]) -> Result<Parts> {
            let path = self.0.join(name);
            std::fs::write(&path, bytes).expect("the folder is there");
            load_parts(&path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn colours(parts: &Parts) -> Vec<(usize, Option<Rgba>)> {
        let colour = |rgba: Rgba| (!rgba[0].is_nan()).then_some(rgba);
        let pieces = parts.pieces.iter();
        pieces
            .map(|(mesh, rgba, _)| (mesh.triangles.len(), colour(*rgba)))
            .collect()
    }

    const POINTS: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";

    #[test]
    fn obj_has_the_colours_of_its_materials() -> std::result::Result<(), Box<dyn Error>> {
        let folder = Folder::new("obj")?;
        std::fs::write(
            folder.0.join("two words.mtl"),
            "newmtl a b\nKd 1 0 0\nd 0.5\n",
        )?;
        std::fs::write(folder.0.join("more.MTL"), "newmtl c\nKd 0 1 1\n")?;
        std::fs::write(folder.0.join("last"), "newmtl c\nKd 0 0 1\n")?;
        let text = format!(
            "mtllib  two words.mtl more.MTL last \n{POINTS}f 1 2 3\nusemtl a b # red\nf 1 2 4\nf 1 3 4\n\
             usemtl c\nf 2 3 4\nusemtl a b\nf 4 3 2\n"
        );
        let parts = folder.parts("a.obj", text.as_bytes())?;
        let want = [
            (1, None),
            (3, Some([1.0, 0.0, 0.0, 0.5])),
            (1, Some([0.0, 0.0, 1.0, 1.0])),
        ];
        assert_eq!(colours(&parts), want);
        assert!(parts.warnings.is_empty(), "{:?}", parts.warnings);
        assert_eq!(parts.pieces[2].0.vertices.len(), 3);
        Ok(())
    }

    #[test]
    fn what_cannot_be_told_of_colours_is_a_warning() -> std::result::Result<(), Box<dyn Error>> {
        let folder = Folder::new("mtl")?;
        let face = "usemtl x\nf 1 2 3\n";
        let parts = folder.parts(
            "a.obj",
            format!("mtllib lost and gone.mtl\n{POINTS}{face}").as_bytes(),
        )?;
        assert_eq!(colours(&parts), [(1, None)]);
        assert_eq!(parts.warnings.len(), 1);
        assert!(
            parts.warnings[0].contains("lost and gone.mtl"),
            "{:?}",
            parts.warnings
        );

        std::fs::write(folder.0.join("empty.mtl"), [0xff, 0, 0xfe])?;
        let parts = folder.parts(
            "b.obj",
            format!("mtllib empty.mtl\n{POINTS}{face}{face}").as_bytes(),
        )?;
        assert_eq!(parts.warnings, ["usemtl: no library has \"x\""]);

        // Folders, more libraries than are read, and each of them many times.
        let many: String = (0..10_000)
            .map(|i| format!("mtllib {}.mtl\nmtllib .\n", i % 100))
            .collect();
        let parts = folder.parts("c.obj", format!("{many}{POINTS}{face}").as_bytes())?;
        assert_eq!(colours(&parts), [(1, None)]);
        assert!(parts.warnings.len() <= 8, "{:?}", parts.warnings);
        Ok(())
    }

    #[test]
    fn more_colours_than_are_shown_are_none() -> std::result::Result<(), Box<dyn Error>> {
        let folder = Folder::new("many")?;
        let count = 2 * MAX_COLOURS;
        let library: String = (0..count)
            .map(|i| format!("newmtl m{i}\nKd 0 0 {}\n", i as f64 / count as f64))
            .collect();
        std::fs::write(folder.0.join("m.mtl"), library)?;
        let faces: String = (0..count)
            .map(|i| format!("usemtl m{i}\nf 1 2 3\n"))
            .collect();
        let parts = folder.parts("a.obj", format!("mtllib m.mtl\n{POINTS}{faces}").as_bytes())?;
        assert_eq!(parts.pieces.len(), MAX_COLOURS + 1);
        assert_eq!(colours(&parts)[MAX_COLOURS], (count - MAX_COLOURS, None));
        assert_eq!(parts.warnings.len(), 1);
        Ok(())
    }

    /// Facets with these last bytes.
    fn stl(header: &[u8], attributes: &[u16]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(80, 0);
        bytes.extend((attributes.len() as u32).to_le_bytes());
        for a in attributes {
            bytes.extend([0; 12]);
            let corners = [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
            bytes.extend(corners.iter().flat_map(|x| x.to_le_bytes()));
            bytes.extend(a.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn facets_of_binary_stl_have_colours() -> std::result::Result<(), Box<dyn Error>> {
        let folder = Folder::new("stl")?;
        // Red in the highest bits, and valid; the same without its mark; blue.
        let parts = folder.parts("a.stl", &stl(b"viscam", &[0xfc00, 0x7c00, 0x801f]))?;
        let want = [
            (1, Some([1.0, 0.0, 0.0, 1.0])),
            (1, None),
            (1, Some([0.0, 0.0, 1.0, 1.0])),
        ];
        assert_eq!(colours(&parts), want);
        // The object's colour where bit 15 is set, else the facet's own with red in the lowest bits.
        let parts = folder.parts(
            "b.stl",
            &stl(b"x COLOR=\x00\xff\x00\x33,MATERIAL=", &[0xfc00, 0x001f]),
        )?;
        let want = [
            (1, Some([0.0, 1.0, 0.0, 0.2])),
            (1, Some([1.0, 0.0, 0.0, 0.2])),
        ];
        assert_eq!(colours(&parts), want);
        // A header that ends in the word has no colour.
        let parts = folder.parts(
            "c.stl",
            &stl(&[[b' '; 73].as_slice(), b"COLOR=\xff"].concat(), &[0]),
        )?;
        assert_eq!(colours(&parts), [(1, None)]);
        Ok(())
    }
}
