//! Meshes as OBJ files beside a URDF.

use super::losses::Losses;
use super::whole_file::Attached;
use super::xml_text::push_number;
use crate::model::mesh::TriMesh;
use crate::model::spec::MeshMode;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Units of meshes: metres, millimetres, inches, centimetres.
const SCALES: [f64; 4] = [1.0, 0.001, 0.0254, 0.01];

/// The meshes written so far, each once.
pub(super) struct Meshes {
    folder: String,
    known: HashMap<*const TriMesh, (String, f64)>,
    used: HashSet<String>,
    files: Vec<Attached>,
}

/// The part of a name that every file system allows.
fn plain(name: &str) -> String {
    let keep = |c: char| {
        if c.is_ascii_alphanumeric() || "_-".contains(c) {
            c
        } else {
            '_'
        }
    };
    name.chars().take(64).map(keep).collect()
}

impl Meshes {
    pub fn new(stem: &str) -> Meshes {
        Meshes {
            folder: format!("{}_meshes", plain(stem)),
            known: HashMap::new(),
            used: HashSet::new(),
            files: Vec::new(),
        }
    }

    /// Path and scale of a mesh in the file.
    pub fn file(&mut self, mesh: &Arc<TriMesh>, geom: &str, losses: &mut Losses) -> (String, f64) {
        if let Some(known) = self.known.get(&Arc::as_ptr(mesh)) {
            return known.clone();
        }
        let scale = SCALES.into_iter().find(|&s| exact(mesh, s));
        if scale.is_none() {
            losses.note(
                "vertices of meshes are rounded to the 24 bits that readers take",
                geom,
            );
        }
        let scale = scale.unwrap_or(1.0);
        let mut name = plain(if geom.is_empty() { "mesh" } else { geom });
        // Some file systems ignore case.
        while !self.used.insert(name.to_lowercase()) {
            name.push('_');
        }
        let path = format!("{}/{name}.obj", self.folder);
        self.files
            .push((path.clone(), obj(mesh, scale).into_bytes()));
        self.known.insert(Arc::as_ptr(mesh), (path.clone(), scale));
        (path, scale)
    }

    pub fn into_files(self) -> Vec<Attached> {
        self.files
    }
}

/// True if numbers of 24 bits times the scale give the vertices exactly.
fn exact(mesh: &TriMesh, scale: f64) -> bool {
    let mut all = mesh.vertices.iter().flat_map(|v| v.to_array());
    all.all(|x| f64::from((x / scale) as f32) * scale == x)
}

fn obj(mesh: &TriMesh, scale: f64) -> String {
    let mut text = String::new();
    for v in &mesh.vertices {
        text.push('v');
        for x in v.to_array() {
            text.push(' ');
            push_number(&mut text, f64::from((x / scale) as f32));
        }
        text.push('\n');
    }
    for t in &mesh.triangles {
        text.push_str(&format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1));
    }
    text
}

/// Ways of colliding that are chosen at load.
pub(super) fn note_modes(losses: &mut Losses, mode: MeshMode, geom: &str) {
    if mode == MeshMode::Decomposed {
        losses.note(
            "meshes that collide in pieces do so only if loaded with mesh_mode",
            geom,
        );
    }
}
