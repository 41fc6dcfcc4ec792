//! Robots in files: scenes from a package, a folder or a list.

use super::scenes::Scene;
use diffsim::constraint::place_on_ground;
use diffsim::load::options::{Base, LoadOptions, load_file};
use diffsim::load::urdf::{Mimic, MissingMesh};
use diffsim::model::Actuation;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file to measure: how it is attached to the world, and where its meshes are.
pub struct Source {
    pub name: String,
    pub path: PathBuf,
    pub base: Base,
    pub has_ground: bool,
    pub meshes: Option<PathBuf>,
}

impl Source {
    /// A file, or all files of a folder and the folders in it, in order of their names.
    pub fn below(path: &Path, into: &mut Vec<Source>) {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
            paths.sort();
            for path in paths {
                let is_model = path.extension().is_some_and(|e| e == "xml" || e == "urdf");
                if path.is_dir() || is_model {
                    Source::below(&path, into);
                }
            }
            return;
        }
        let parts: Vec<_> = path.components().rev().take(3).collect();
        let parts = parts.iter().rev().map(|part| part.as_os_str());
        let name: PathBuf = parts.collect();
        into.push(Source {
            name: name.display().to_string(),
            path: path.into(),
            base: Base::FromFile,
            has_ground: false,
            meshes: None,
        });
    }

    /// Lines of files.py: name, path, `free` or `file`, 1 with a ground, and the folder of meshes, with
    /// tabulators between.
    pub fn read(lines: &str) -> Vec<Source> {
        let of = |line: &str| {
            let parts: Vec<&str> = line.split('\t').collect();
            let [name, path, base, ground, meshes] = parts[..] else {
                panic!("expected five columns, got {line:?}");
            };
            Source {
                name: name.into(),
                path: path.into(),
                base: match base {
                    "free" => Base::Free,
                    _ => Base::FromFile,
                },
                has_ground: ground == "1",
                meshes: Some(meshes.into()),
            }
        };
        lines.lines().map(of).collect()
    }

    /// From its home, and from a random state; the reader's message if it does not load.
    pub fn scenes(&self) -> Result<[Scene; 2], String> {
        let mut options = LoadOptions {
            base: self.base,
            actuation: Actuation::Full,
            ground_friction: self.has_ground.then_some(1.0),
            mesh_dirs: self.meshes.iter().cloned().collect(),
            mimic: Mimic::Couple,
            ..LoadOptions::default()
        };
        let model = load_file(&self.path, &options).or_else(|_| {
            options.missing_mesh = MissingMesh::Skip;
            load_file(&self.path, &options)
        });
        let model = Arc::new(model.map_err(|e| e.to_string())?);
        if model.nv() == 0 {
            return Err("no joint".into());
        }
        let scene = |what: &str, h: f64, steps: usize| {
            let name = format!("{}/{what}", self.name);
            let own = Scene::of(&name, model.clone(), h, steps);
            Scene {
                u: vec![0.0; model.nu()],
                ..own
            }
        };
        let mut at_home = scene("home", 1e-3, 400);
        if let Ok(q) = place_on_ground(&model, &at_home.q) {
            at_home.q = q;
        }
        Ok([at_home, scene("thrown", 2e-3, 200).thrown(7, 0.0, 1.0)])
    }
}
