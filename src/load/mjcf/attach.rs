//! `<attach>`: replaces the element by a part of another model, with a prefix before its names.
//!
//! As in MuJoCo, the attached part keeps its own defaults, angles and folders. It brings along the
//! tendons, equalities, actuators, sensors and contact sections that name nothing outside it. Its
//! options are not used.

use super::flat_tree::{Submodel, Tree};
use crate::error::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Largest number of attached parts of one file.
const MAX_ATTACHED: usize = 1000;

/// Name prefix of the class of an attached part's elements without a class.
const MAIN_OF: &str = "main of ";

/// Sections that an attached part brings along, and whether their elements have a class.
const SECTIONS: [(&str, bool); 6] = [
    ("asset", true),
    ("contact", true),
    ("tendon", true),
    ("equality", true),
    ("actuator", true),
    ("sensor", false),
];

/// The kind of object that an attribute names, if any.
fn kind_of(attribute: &str) -> Option<&'static str> {
    Some(match attribute {
        "class" | "childclass" => "class",
        "joint" | "joint1" | "joint2" | "jointinparent" => "joint",
        "body" | "body1" | "body2" => "body",
        "geom" | "geom1" | "geom2" => "geom",
        "site" | "site1" | "site2" | "sidesite" | "cranksite" | "slidersite" | "refsite" => "site",
        "tendon" | "tendon1" | "tendon2" => "tendon",
        "actuator" => "actuator",
        "mesh" | "hfield" | "material" | "texture" | "camera" | "target" | "flex" => "other",
        "objname" | "refname" => "object",
        _ => return None,
    })
}

/// The kind of the objects with this tag, if sections may name them.
fn kind_of_tag(tag: &str) -> Option<&'static str> {
    Some(match tag {
        "body" => "body",
        "joint" | "freejoint" => "joint",
        "geom" => "geom",
        "site" => "site",
        _ => return None,
    })
}

/// Names by kind.
type Names = HashSet<(&'static str, String)>;

/// Replaces the `<attach>` elements below `root` by the parts they name.
pub(super) fn expand(tree: &mut Tree, root: usize, base_dir: Option<&Path>) -> Result<()> {
    let files = model_files(tree, root)?;
    // In the order of the file.
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if tree.elements[id].tag == "attach" {
            if tree.models.len() > MAX_ATTACHED {
                let place = tree.place(id);
                return Err(Error::capacity(format!(
                    "{place}: <attach>: more than {MAX_ATTACHED} attached models"
                )));
            }
            attach(tree, root, id, &files, base_dir)?;
        } else {
            stack.extend(tree.elements[id].children.iter().rev());
        }
    }
    Ok(())
}

/// The `<model>` elements of the assets, by name.
fn model_files(tree: &Tree, root: usize) -> Result<Vec<(Option<String>, usize)>> {
    let mut found = Vec::new();
    for &section in &tree.elements[root].children {
        if tree.elements[section].tag != "asset" {
            continue;
        }
        let models = tree.elements[section].children.iter();
        for &id in models.filter(|&&c| tree.elements[c].tag == "model") {
            found.push((tree.text(id, "name").map(str::to_owned), id));
        }
    }
    Ok(found)
}

fn attach(
    tree: &mut Tree,
    root: usize,
    id: usize,
    files: &[(Option<String>, usize)],
    base_dir: Option<&Path>,
) -> Result<()> {
    let place = tree.place(id);
    let fail = |what: String| Error::parse(format!("{place}: <attach>: {what}"));
    for (key, _) in &tree.elements[id].attributes {
        if !["model", "body", "prefix"].contains(&key.as_str()) {
            return Err(match key.as_str() {
                "frame" => Error::unsupported(format!(
                    "{place}: <attach>: frame: only a body or a whole model is attached"
                )),
                _ => fail(format!("unknown attribute {key}")),
            });
        }
    }
    let owned = |name: &str| tree.text(id, name).map(str::to_owned);
    let wanted = owned("model").ok_or_else(|| fail("attribute model is missing".into()))?;
    let prefix = owned("prefix").ok_or_else(|| fail("attribute prefix is missing".into()))?;
    let body = owned("body");

    // A `<model>` without a name has the name in its file.
    let named = files
        .iter()
        .find(|(name, _)| name.as_deref() == Some(wanted.as_str()));
    let mut child = None;
    if let Some(&(_, asset)) = named {
        child = Some(tree.open_model(asset, base_dir)?);
    } else {
        for &(_, asset) in files.iter().filter(|(name, _)| name.is_none()) {
            let (opened, dir) = tree.open_model(asset, base_dir)?;
            if tree.text(opened, "model") == Some(wanted.as_str()) {
                child = Some((opened, dir));
                break;
            }
        }
    }
    let (child, dir) =
        child.ok_or_else(|| fail(format!("no <model> of <asset> is named {wanted:?}")))?;
    expand(tree, child, dir.as_deref().or(base_dir))?;

    let main = format!("{MAIN_OF}{wanted} #{}", tree.models.len());
    let model = tree.models.len();
    tree.models.push(Submodel { root: child, dir });
    let taken = classes_below(tree, root);
    let all = rename(tree, child, [&prefix, &main], &taken, model);
    graft(
        tree,
        root,
        id,
        child,
        body.map(|b| format!("{prefix}{b}")),
        &main,
        &all,
    )
    .map_err(fail)
}

/// The names of the default classes of a model.
fn classes_below(tree: &Tree, root: usize) -> HashSet<String> {
    let (mut names, mut stack) = (HashSet::new(), vec![root]);
    while let Some(id) = stack.pop() {
        let e = &tree.elements[id];
        if e.tag == "default" {
            names.extend(tree.text(id, "class").map(str::to_owned));
        }
        stack.extend(&e.children);
    }
    names
}

/// Adds the prefix to all names of a model, and to references to them. Returns the names of all its
/// objects. Classes whose names are taken by other ones stay separate from these.
fn rename(
    tree: &mut Tree,
    root: usize,
    [prefix, main]: [&str; 2],
    taken: &HashSet<String>,
    model: usize,
) -> Names {
    let mut names = Names::new();
    let mut stack = vec![(root, "", 0)];
    while let Some((id, section, depth)) = stack.pop() {
        let is_top = depth == 2;
        let e = &mut tree.elements[id];
        // Parts attached by an inner `<attach>` keep their own model.
        if e.model == 0 || id == root {
            e.model = model;
        }
        let of_option =
            ["compiler", "option", "size", "visual", "statistic"].contains(&e.tag.as_str());
        if id != root && !of_option {
            for (key, value) in &mut e.attributes {
                let is_class = kind_of(key) == Some("class");
                if is_class && value.starts_with(MAIN_OF) {
                    // A class of a part that the model attaches itself.
                } else if is_class && value.as_str() == "main" {
                    *value = main.to_owned();
                } else if key.as_str() == "name"
                    || (kind_of(key).is_some() && value.as_str() != "world")
                {
                    value.insert_str(0, prefix);
                    if is_class && taken.contains(value) {
                        *value = format!("{main}/{value}");
                    }
                }
            }
            let is_file = ["mesh", "hfield"].contains(&e.tag.as_str()) && section == "asset";
            let value = |name: &str| {
                e.attributes
                    .iter()
                    .find(|a| a.0 == name)
                    .map(|a| a.1.clone())
            };
            if is_file
                && value("name").is_none()
                && let Some(file) = value("file")
            {
                let stem = Path::new(&file).file_stem().unwrap_or_default();
                let name = format!("{prefix}{}", stem.to_string_lossy());
                e.attributes.push(("name".to_owned(), name));
            }
            let without = ["exclude", "hfield", "model", "texture", "skin"];
            let takes_class =
                SECTIONS.contains(&(section, true)) && !without.contains(&e.tag.as_str());
            if takes_class && is_top && !e.attributes.iter().any(|a| a.0 == "class") {
                e.attributes.push(("class".to_owned(), main.to_owned()));
            }
            let kind = match section {
                "worldbody" => kind_of_tag(&e.tag),
                "tendon" if is_top => Some("tendon"),
                "actuator" => Some("actuator"),
                _ => None,
            };
            if let (Some(kind), Some(a)) = (kind, e.attributes.iter().find(|a| a.0 == "name")) {
                names.insert((kind, a.1.clone()));
            }
        }
        let e = &tree.elements[id];
        let section = match depth {
            0 => "",
            1 => section_of(&e.tag),
            _ => section,
        };
        stack.extend(e.children.iter().map(|&c| (c, section, depth + 1)));
    }
    names
}

fn section_of(tag: &str) -> &'static str {
    let known = SECTIONS.iter().map(|s| s.0).chain(["worldbody", "default"]);
    known.into_iter().find(|s| *s == tag).unwrap_or("other")
}

/// Replaces the `<attach>` by the part, and adds its sections to those of the model.
fn graft(
    tree: &mut Tree,
    root: usize,
    id: usize,
    child: usize,
    body: Option<String>,
    main: &str,
    all: &Names,
) -> std::result::Result<(), String> {
    let worlds: Vec<usize> = sections(tree, child, "worldbody");
    let (class, content) = match &body {
        None => {
            let children = worlds
                .iter()
                .flat_map(|&w| tree.elements[w].children.clone());
            (main.to_owned(), children.collect::<Vec<_>>())
        }
        Some(name) => {
            let (class, found) = find_body(tree, &worlds, name, main).ok_or_else(|| {
                format!("body: the model has no body {name:?}, its prefix included")
            })?;
            (class, vec![found])
        }
    };
    let e = &mut tree.elements[id];
    e.tag = "frame".to_owned();
    e.attributes = vec![("childclass".to_owned(), class)];
    e.children = content;

    // Names within the part. Sections add to them in an order in which each comes after those it refers
    // to.
    let mut within = Names::new();
    let mut stack = vec![id];
    while let Some(at) = stack.pop() {
        if let (Some(kind), Some(name)) =
            (kind_of_tag(&tree.elements[at].tag), tree.text(at, "name"))
        {
            within.insert((kind, name.to_owned()));
        }
        stack.extend(&tree.elements[at].children);
    }
    // Its defaults are a separate class without a parent class.
    let mut defaults = sections(tree, child, "default");
    if defaults.is_empty() {
        defaults.push(tree.add_empty("default", id));
    }
    for &d in &defaults {
        let inner = tree
            .text(d, "class")
            .is_some_and(|c| c.starts_with(MAIN_OF));
        if inner {
            continue;
        }
        let attributes = &mut tree.elements[d].attributes;
        attributes.retain(|a| a.0 != "class");
        attributes.push(("class".to_owned(), main.to_owned()));
    }
    let mut added = defaults;
    for (name, _) in SECTIONS {
        for section in sections(tree, child, name) {
            let children = std::mem::take(&mut tree.elements[section].children);
            let mut kept = Vec::new();
            for c in children {
                if is_within(tree, c, &within, all) {
                    let kind = match name {
                        "tendon" => Some("tendon"),
                        "actuator" => Some("actuator"),
                        _ => None,
                    };
                    if let (Some(kind), Some(own)) = (kind, tree.text(c, "name")) {
                        within.insert((kind, own.to_owned()));
                    }
                    kept.push(c);
                }
            }
            tree.elements[section].children = kept;
            added.push(section);
        }
    }
    tree.elements[root].children.extend(added);
    Ok(())
}

fn sections(tree: &Tree, root: usize, tag: &str) -> Vec<usize> {
    let children = tree.elements[root].children.iter().copied();
    children.filter(|&c| tree.elements[c].tag == tag).collect()
}

/// A body, with the class of its surroundings.
fn find_body(tree: &Tree, worlds: &[usize], name: &str, main: &str) -> Option<(String, usize)> {
    let mut stack: Vec<_> = worlds.iter().map(|&w| (w, main.to_owned())).collect();
    while let Some((id, class)) = stack.pop() {
        let e = &tree.elements[id];
        if e.tag == "body" && tree.text(id, "name") == Some(name) {
            return Some((class, id));
        }
        if ["body", "frame", "worldbody"].contains(&e.tag.as_str()) {
            let class = tree.text(id, "childclass").map_or(class, str::to_owned);
            stack.extend(e.children.iter().map(|&c| (c, class.clone())));
        }
    }
    None
}

/// Whether an element of a section, and all elements in it, only name objects within the part.
fn is_within(tree: &Tree, id: usize, within: &Names, all: &Names) -> bool {
    let kinds: HashMap<&str, &'static str> = [
        ("body", "body"),
        ("xbody", "body"),
        ("geom", "geom"),
        ("site", "site"),
        ("joint", "joint"),
        ("tendon", "tendon"),
        ("actuator", "actuator"),
    ]
    .into();
    let mut stack = vec![id];
    while let Some(at) = stack.pop() {
        for (key, value) in &tree.elements[at].attributes {
            let kind = match kind_of(key) {
                Some("object") => {
                    let of = if key == "objname" {
                        "objtype"
                    } else {
                        "reftype"
                    };
                    tree.text(at, of).and_then(|t| kinds.get(t).copied())
                }
                kind => kind,
            };
            if let Some(kind) = kind {
                let name = (kind, value.clone());
                if all.contains(&name) && !within.contains(&name) {
                    return false;
                }
            }
        }
        stack.extend(&tree.elements[at].children);
    }
    true
}
