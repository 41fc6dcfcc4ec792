//! Finds the file for the `filename` of a mesh.

use crate::error::{Error, Result, Status};
use crate::load::xml::Element;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Largest number of searched places in a message.
const MAX_LISTED: usize = 6;

/// The folders that are searched for meshes.
pub(crate) struct Folders {
    /// The folder of the description: as in its path, and with links resolved.
    own: Vec<PathBuf>,
    given: Vec<PathBuf>,
    /// The folder for meshes in the extension of MuJoCo. It is searched last, also for the name without its
    /// folders, as MuJoCo does.
    extension: Vec<PathBuf>,
}

impl Folders {
    /// For the description in the file at `path`.
    pub fn of_file(path: &Path, given: &[PathBuf]) -> Self {
        let real = path.canonicalize().ok();
        Folders::new(path.parent(), real.as_deref().and_then(Path::parent), given)
    }

    /// For a description whose file would be in `dir`.
    pub fn of_dir(dir: Option<&Path>, given: &[PathBuf]) -> Self {
        let real = dir.and_then(|d| d.canonicalize().ok());
        Folders::new(dir, real.as_deref(), given)
    }

    fn new(dir: Option<&Path>, real: Option<&Path>, given: &[PathBuf]) -> Self {
        // The parent of "robot.urdf" is the empty path, which is not a folder.
        let absolute = dir.map(|d| {
            let d = if d.as_os_str().is_empty() {
                Path::new(".")
            } else {
                d
            };
            std::path::absolute(d).unwrap_or_else(|_| d.to_owned())
        });
        let mut own: Vec<PathBuf> = absolute
            .into_iter()
            .chain(real.map(Path::to_owned))
            .collect();
        own.dedup();
        Folders {
            own,
            given: given.to_vec(),
            extension: Vec::new(),
        }
    }

    /// The same with the folder in `<mujoco><compiler meshdir="..."/></mujoco>` of a robot.
    pub fn of_robot(&self, robot: Element) -> Self {
        let extensions = robot.children().filter(|c| c.tag() == "mujoco");
        let compilers = extensions.flat_map(|m| m.children().filter(|c| c.tag() == "compiler"));
        let named = compilers.filter_map(|c| c.attribute("meshdir"));
        let within = named.flat_map(|dir| self.own.iter().map(move |own| own.join(dir)));
        Folders {
            own: self.own.clone(),
            given: self.given.clone(),
            extension: within.collect(),
        }
    }

    /// Finds the file for `name`.
    ///
    /// # Errors
    /// `Io` if there is none, with the places that were searched; `Unsupported` for a scheme other than
    /// `package`, `model` and `file`.
    pub fn resolve(&self, name: &str) -> Result<PathBuf> {
        let candidates = self.candidates(name)?;
        if let Some(found) = candidates.iter().find(|path| path.is_file()) {
            return Ok(found.clone());
        }
        Err(Error::io(if candidates.is_empty() {
            format!("\"{name}\" not found: no directory to look in was given")
        } else {
            format!("\"{name}\" not found; tried {}", listed(&candidates))
        }))
    }

    /// The possible places of the file, each once.
    fn candidates(&self, name: &str) -> Result<Vec<PathBuf>> {
        // Windows files have backslashes.
        let name = name.replace('\\', "/");
        let mut places = Vec::new();
        let mut add = |place: PathBuf| {
            if !places.contains(&place) {
                places.push(place);
            }
        };
        let path = match name.split_once("://") {
            Some(("package" | "model", path)) => {
                let path = path.trim_start_matches('/');
                for dir in &self.given {
                    add(dir.join(path));
                    if let Some((_package, inner)) = path.split_once('/') {
                        add(dir.join(inner));
                    }
                }
                for dir in &self.own {
                    dir.ancestors().for_each(|above| add(above.join(path)));
                }
                self.in_extension(path).for_each(add);
                return Ok(places);
            }
            Some(("file", path)) => path.strip_prefix("localhost/").map_or(path, |_| &path[9..]),
            Some((scheme, _)) => {
                return Err(Error::unsupported(format!(
                    "\"{name}\": expected a path, package:// or file://, got {scheme}://"
                )));
            }
            None => name.as_str(),
        };
        // Joining an absolute path would drop the directory.
        match Path::new(path).is_absolute() {
            true => add(PathBuf::from(path)),
            false => {
                (self.own.iter().chain(&self.given)).for_each(|dir| add(dir.join(path)));
                self.in_extension(path).for_each(add);
            }
        }
        Ok(places)
    }

    fn in_extension(&self, path: &str) -> impl Iterator<Item = PathBuf> {
        let file = path.rsplit('/').next().unwrap_or(path);
        (self.extension.iter()).flat_map(move |dir| [dir.join(path), dir.join(file)])
    }
}

fn listed(places: &[PathBuf]) -> String {
    let shown: Vec<_> = (places.iter().take(MAX_LISTED))
        .map(|p| p.display().to_string())
        .collect();
    let mut text = shown.join(", ");
    if places.len() > MAX_LISTED {
        let _ = write!(text, " and {} more", places.len() - MAX_LISTED);
    }
    text
}

/// The meshes that were not found, or whose format is not supported, by their folders.
#[derive(Default)]
pub(super) struct Missing(Vec<Group>);

struct Group {
    folder: String,
    /// The place where the first one is named, and its error.
    place: String,
    first: Error,
    files: Vec<String>,
    /// Number of shapes that use them.
    shapes: usize,
}

impl Missing {
    /// Adds a missing mesh called `name`. `error` lists the searched places.
    pub fn add(&mut self, place: String, name: &str, error: &Error) {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        let index =
            (self.0.iter()).position(|g| g.folder == folder && g.first.status == error.status);
        let index = index.unwrap_or_else(|| {
            self.0.push(Group {
                folder: folder.to_owned(),
                place,
                first: error.clone(),
                files: Vec::new(),
                shapes: 0,
            });
            self.0.len() - 1
        });
        let group = &mut self.0[index];
        group.shapes += 1;
        if !group.files.iter().any(|f| f == file) {
            group.files.push(file.to_owned());
        }
    }

    /// One warning for each folder: the geometries left out.
    pub fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().map(|g| {
            let shapes = match g.shapes {
                1 => "geometry left out".to_owned(),
                n => format!("{n} geometries left out"),
            };
            let why = match g.first.status {
                Status::Io => "not found",
                _ => "of an unsupported format",
            };
            format!("{}: {} {why}, {shapes}", g.place, g.files())
        })
    }

    /// The error for a description that requires these meshes.
    pub fn error(&self) -> Option<Error> {
        let first = self.0.first()?;
        let mut message = format!("{}: {}", first.place, first.first.message);
        let count: usize = self.0.iter().map(|g| g.files.len()).sum();
        if count > 1 {
            let all: Vec<_> = self.0.iter().map(Group::files).collect();
            let _ = write!(
                message,
                "; with it {count} meshes cannot be used: {}",
                all.join("; ")
            );
        }
        let status = first.first.status;
        if status == Status::Io {
            message += "; give their directory in mesh_dirs";
        }
        message += "; missing_mesh = DS_MISSING_MESH_SKIP leaves the geometry out";
        Some(Error { status, message })
    }
}

impl Group {
    fn files(&self) -> String {
        let folder = &self.folder;
        match &self.files[..] {
            [file] if folder.is_empty() => format!("\"{file}\""),
            [file] => format!("\"{folder}/{file}\""),
            files => {
                let shown: Vec<&str> = files.iter().take(3).map(String::as_str).collect();
                let more = match files.len() - shown.len() {
                    0 => String::new(),
                    n => format!(" and {n} more"),
                };
                format!(
                    "{} files of \"{folder}\" ({}{more})",
                    files.len(),
                    shown.join(", ")
                )
            }
        }
    }
}
