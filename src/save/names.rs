//! Names that a file can hold: of characters that XML allows, each once among its kind.

use super::losses::Losses;
use super::xml_text::has;
use crate::model::Model;
use std::collections::HashSet;

/// The names of all things of one kind, by their ids.
pub(super) struct Names {
    kind: &'static str,
    names: Vec<String>,
    used: HashSet<String>,
}

impl Names {
    /// The given names; an empty one stays empty. If a name must change, a line says so.
    pub fn new<'a>(
        kind: &'static str,
        given: impl Iterator<Item = &'a str>,
        losses: &mut Losses,
    ) -> Names {
        let given: Vec<&str> = given.collect();
        let mut names = Names {
            kind,
            names: vec![String::new(); given.len()],
            used: HashSet::new(),
        };
        // Names that may stay come first, so that no changed name takes theirs.
        let stays: Vec<bool> = (given.iter())
            .map(|n| n.chars().all(has) && !n.is_empty() && names.used.insert((*n).to_owned()))
            .collect();
        for (i, name) in given.into_iter().enumerate() {
            names.names[i] = match (stays[i], name) {
                (true, _) | (_, "") => name.to_owned(),
                _ => {
                    losses.note(
                        format!(
                            "{kind} names that are not valid in a file, or not unique, are changed"
                        ),
                        name,
                    );
                    names.fresh(name)
                }
            };
        }
        names
    }

    /// A name similar to this one that nothing of the kind has.
    pub fn fresh(&mut self, like: &str) -> String {
        let mut name: String = like
            .chars()
            .map(|c| if has(c) { c } else { '\u{fffd}' })
            .collect();
        while name.is_empty() || !self.used.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    /// Gives a name to an element to which the file must refer.
    pub fn need(&mut self, id: usize, losses: &mut Losses) {
        if self.names[id].is_empty() {
            let name = self.fresh(&format!("{}_{id}", self.kind));
            let what = format!(
                "{} names are invented because the file refers to them",
                self.kind
            );
            losses.note(what, &name);
            self.names[id] = name;
        }
    }

    /// The name, or an empty one.
    pub fn of(&self, id: usize) -> &str {
        &self.names[id]
    }
}

/// The names of a model's joints, bodies and geoms.
pub(super) fn of_model(model: &Model, losses: &mut Losses) -> [Names; 3] {
    let joints = model.joints().iter().map(|j| &j.name[..]);
    let bodies = model.bodies().iter().map(|b| &b.name[..]);
    let geoms = model.geoms().iter().map(|g| &g.name[..]);
    [
        Names::new("joint", joints, losses),
        Names::new("body", bodies, losses),
        Names::new("geom", geoms, losses),
    ]
}
