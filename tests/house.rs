//! The house that `src` is: files take only from below them, in no circle, and none is longer than a reader
//! holds.
//!
//! A file takes from another the items that it imports from it or names by a path; re-exports are followed to
//! where the name is defined. That a module declares and re-exports its children is no taking. Methods are
//! not seen. Tests may take anything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Rooms from the ground up. A file takes from its own room and from floors below, not from the neighbours.
const FLOORS: &[&[&str]] = &[
    &["error", "spatial", "linalg"],
    &["joint"],
    &["model"],
    // Problems made of numbers: it knows neither models nor where its rows come from.
    &["contact"],
    &["dynamics"],
    &["collision", "tendon"],
    // Readers look which geometries of their scene overlap; writers use the readers' names.
    &["load"],
    &["save"],
    &["force"],
    &["constraint"],
    &["integrator"],
    &["step"],
    &["query", "rollout", "problem", "ik", "control"],
    // An element of a batch is a rollout.
    &["batch"],
    &["record"],
    &["capi"],
];

/// Rooms with faults that are known, and how many: to be emptied.
const KNOWN: &[(&str, usize)] = &[];

type Name = Vec<String>;

/// From each file to those that it takes from, with one of the names.
type Arrows<'a> = BTreeMap<&'a str, BTreeMap<&'a str, &'a str>>;

/// What a file defines, and what it takes from others, as paths.
#[derive(Default)]
struct Module {
    file: String,
    defines: BTreeSet<String>,
    children: BTreeSet<String>,
    imports: BTreeMap<String, String>,
    takes: Vec<String>,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl Module {
    /// Reads formatted source: definitions of a module begin a line, and tests are at the end.
    fn read(file: &str, text: &str) -> Module {
        let mut module = Module {
            file: file.into(),
            ..Module::default()
        };
        let mut import = String::new();
        for line in text.split("mod tests {").next().unwrap().lines() {
            let line = line.split("//").next().unwrap();
            let told = line.trim();
            if !import.is_empty()
                || told.starts_with("use ")
                || (told.starts_with("pub") && told.contains(" use "))
            {
                import += told;
                if told.ends_with(';') {
                    module.import(&import);
                    import.clear();
                }
                continue;
            }
            if line.starts_with(is_word) {
                module.define(line);
            }
            let paths = line
                .split(|c| !is_word(c) && c != ':')
                .map(|path| path.trim_end_matches(':'));
            module.takes.extend(
                paths
                    .filter(|p| p.contains("::") && p.starts_with(is_word))
                    .map(String::from),
            );
        }
        module
    }

    fn define(&mut self, line: &str) {
        const ITEMS: [&str; 8] = [
            "fn",
            "struct",
            "enum",
            "trait",
            "type",
            "const",
            "static",
            "macro_rules",
        ];
        let words: Vec<&str> = line
            .split(|c| !is_word(c))
            .filter(|word| !word.is_empty())
            .collect();
        for two in words.windows(2) {
            if two[0] == "mod" {
                self.children.insert(two[1].into());
            } else if ITEMS.contains(&two[0]) {
                self.defines.insert(two[1].into());
            }
        }
    }

    /// A module that re-exports items of its children takes nothing.
    fn import(&mut self, line: &str) {
        let (before, tree) = line.split_once("use ").unwrap();
        let mut leaves = Vec::new();
        flatten(tree.trim_end_matches(';'), &mut leaves);
        for leaf in leaves {
            let (path, alias) = leaf.split_once(" as ").unwrap_or((&leaf, ""));
            let path = path.trim_end_matches("::self");
            let last = path.rsplit("::").next().unwrap();
            let name = if alias.is_empty() { last } else { alias };
            self.imports.insert(name.into(), path.into());
            if before.is_empty() || path.starts_with("crate::") || path.starts_with("super::") {
                self.takes.push(path.into());
            }
        }
    }
}

/// `a::{b, c::{d, e}}` as `a::b`, `a::c::d`, `a::c::e`.
fn flatten(tree: &str, leaves: &mut Vec<String>) {
    let Some((root, branches)) = tree.split_once('{') else {
        return leaves.push(tree.trim().into());
    };
    let mut depth = 0;
    let is_between = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    };
    let branches = branches.strip_suffix('}').unwrap();
    for branch in branches
        .split(is_between)
        .map(str::trim)
        .filter(|b| !b.is_empty())
    {
        flatten(&format!("{root}{branch}"), leaves);
    }
}

/// What a path leads to: a module, or something that a module defines.
#[derive(Clone)]
enum Place {
    Module(Name),
    Item(Name),
}

struct House(BTreeMap<Name, Module>);

impl House {
    /// Of files: their paths below `src`, their texts.
    fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> House {
        let read = |(file, text): (&str, &str)| {
            let mut name: Name = file[..file.len() - 3]
                .split('/')
                .map(String::from)
                .collect();
            name.pop_if(|last| last == "mod" || last == "lib");
            (name, Module::read(file, text))
        };
        let is_test = |name: &Name| name.iter().any(|part| part.ends_with("tests"));
        House(
            files
                .into_iter()
                .map(read)
                .filter(|(name, _)| !is_test(name))
                .collect(),
        )
    }

    /// Where a path leads that stands in a module; nowhere if out of the house.
    fn find(&self, from: &Name, path: &str, depth: usize) -> Option<Place> {
        let mut path = path.split("::").peekable();
        let mut place = match path.next_if(|part| ["crate", "self", "super"].contains(part)) {
            Some("crate") => Place::Module(Vec::new()),
            Some("super") => Place::Module(from[..from.len() - 1].to_vec()),
            Some(_) => Place::Module(from.clone()),
            None => self.member(from, path.next()?, path.peek().is_none(), depth)?,
        };
        while let (Place::Module(of), Some(name)) = (&place, path.next()) {
            place = match name {
                "super" => Place::Module(of[..of.len() - 1].to_vec()),
                // A name that is nowhere was made by a macro.
                _ => (self.member(of, name, path.peek().is_none(), depth))
                    .unwrap_or(Place::Item(of.clone())),
            };
        }
        Some(place)
    }

    /// A name within a module: at the end of a path rather an item than a module of that name.
    fn member(&self, of: &Name, name: &str, is_last: bool, depth: usize) -> Option<Place> {
        let module = self.0.get(of)?;
        let import = module.imports.get(name).filter(|_| depth < 9);
        let import = import.and_then(|path| self.find(of, path, depth + 1));
        let child = module
            .children
            .contains(name)
            .then(|| Place::Module([&of[..], &[name.into()]].concat()));
        let item = module
            .defines
            .contains(name)
            .then(|| Place::Item(of.clone()));
        let imported = import
            .clone()
            .filter(|place| matches!(place, Place::Item(_)));
        if is_last {
            item.or(imported).or(child).or(import)
        } else {
            child.or(item).or(import)
        }
    }

    fn arrows(&self) -> Arrows<'_> {
        let mut arrows = Arrows::new();
        for (name, module) in &self.0 {
            let from = arrows.entry(&module.file).or_default();
            for path in &module.takes {
                match self.find(name, path, 0) {
                    Some(Place::Item(item)) if item != *name => {
                        from.insert(&self.0[&item].file, path);
                    }
                    _ => {}
                }
            }
        }
        arrows
    }

    /// Violations of the rules, each with its room.
    fn faults(&self, floors: &[&[&str]]) -> Vec<(String, String)> {
        let room = |file: &str| file.split(['/', '.']).next().unwrap().to_string();
        let floor = |file: &str| {
            let floor = floors
                .iter()
                .position(|rooms| rooms.contains(&room(file).as_str()));
            floor.unwrap_or_else(|| panic!("{file} is on no floor"))
        };
        let arrows = self.arrows();
        let mut faults = Vec::new();
        for (&from, takes) in arrows.iter().filter(|(from, _)| **from != "lib.rs") {
            for (&to, name) in takes {
                let arrow = format!("{from} takes {name} from {to}");
                if room(from) != room(to) && floor(to) >= floor(from) {
                    faults.push((room(from), format!("not from below: {arrow}")));
                } else if below(&arrows, to).contains(from) {
                    faults.push((room(from), format!("in a circle: {arrow}")));
                }
            }
        }
        faults
    }
}

/// Files that one takes from, by way of others too.
fn below<'a>(arrows: &Arrows<'a>, file: &'a str) -> BTreeSet<&'a str> {
    let (mut seen, mut left) = (BTreeSet::new(), vec![file]);
    while let Some(file) = left.pop() {
        left.extend(arrows[file].keys().filter(|to| seen.insert(**to)));
    }
    seen
}

#[test]
fn the_house_is_in_order() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut files, mut folders) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path
                .strip_prefix(&root)
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/");
            files.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
    let house = House::new(
        files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str())),
    );
    let mut rooms: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (room, fault) in house.faults(FLOORS) {
        rooms.entry(room).or_default().push(fault);
    }
    rooms.retain(|room, faults| {
        !KNOWN
            .iter()
            .any(|&(r, known)| r == room && faults.len() <= known)
    });
    assert!(rooms.is_empty(), "more faults than are known: {rooms:#?}");
}

/// Files that open `impl Sim`. The fields of a simulation are for its steps; others get the parts they need
/// (`Query`, `Stepping`, `Taken`). This number may only fall.
const OPEN_SIM: usize = 5;

#[test]
fn few_files_open_the_simulation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut open, mut folders) = (Vec::new(), vec![root]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if fs::read_to_string(&path).is_ok_and(|text| text.contains("\nimpl Sim {")) {
                open.push(path);
            }
        }
    }
    assert!(open.len() <= OPEN_SIM, "{} files: {open:#?}", open.len());
    assert!(open.iter().any(|path| path.ends_with("step/sim.rs")));
}

#[test]
fn disorder_is_seen() {
    let fine = [
        ("lib.rs", "mod low;\nmod high;"),
        ("low/mod.rs", "pub mod a;\npub use a::{A as B, f};"),
        (
            "low/a.rs",
            "pub struct A;\npub fn f() {} // crate::high::Tile",
        ),
        (
            "high/mod.rs",
            "pub use tile::Tile;\nmod tile;\nmod beam;\nmod tests;",
        ),
        (
            "high/tile.rs",
            "use crate::low::{self, B};\nfn g() { low::f() }\nmod tests { use super::super::beam::X; }",
        ),
        ("high/beam.rs", "use super::Tile;\npub struct X;"),
        ("high/tests.rs", "use super::beam::X;"),
    ];
    let with = |file: &str, text: &str| -> Vec<String> {
        let house = House::new(fine.map(|(name, t)| (name, if name == file { text } else { t })));
        let faults = house.faults(&[&["low"], &["high"]]);
        faults.into_iter().map(|(_, fault)| fault).collect()
    };
    assert_eq!(with("", ""), [""; 0]);
    let takings = [
        "use super::beam::X;",
        "fn f() { super::beam::X }",
        "use crate::{high::{\nbeam::{self, X as Y}, }};",
    ];
    for taking in takings {
        let faults = with("high/tile.rs", &format!("pub struct Tile;\n{taking}"));
        assert_eq!(faults.len(), 2, "{taking}");
        assert_eq!(
            faults[0],
            "in a circle: high/beam.rs takes super::Tile from high/tile.rs"
        );
    }
    let parent = "mod tile;\nmod beam;\nuse beam::X;\npub struct Tile;";
    assert_eq!(with("high/mod.rs", parent).len(), 2);
    let upward = "not from below: low/a.rs takes crate::high::Tile from high/tile.rs";
    assert!(with("low/a.rs", "type T = crate::high::Tile;").contains(&upward.into()));
}
