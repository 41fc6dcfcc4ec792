//! Elements that were read but are not used: one line for each kind.

use crate::load::xml::Element;
use std::collections::HashMap;

/// Elements that their parent has once at most.
const SINGLE: [&str; 15] = [
    "inertial",
    "origin",
    "mass",
    "inertia",
    "geometry",
    "material",
    "color",
    "parent",
    "child",
    "axis",
    "limit",
    "dynamics",
    "mimic",
    "type",
    "mechanicalReduction",
];

#[derive(Default)]
pub(super) struct Warnings {
    list: Vec<Warning>,
    /// Index in the list by the text that all warnings of a kind share: subject and sentence.
    kinds: HashMap<(String, String), usize>,
}

struct Warning {
    what: String,
    first: String,
    count: usize,
}

impl Warnings {
    /// Adds a warning under `<tag>`, with the place of its first element.
    pub(super) fn add(&mut self, element: Element, what: &str) {
        self.push(
            format!("<{}>", element.tag()),
            what.to_owned(),
            element.place(),
        );
    }

    /// Adds a separate warning, never joined with others.
    pub(super) fn add_single(&mut self, element: Element, what: String) {
        self.push(element.place(), what, element.place());
    }

    /// Warns of elements that stand a second time in their parent: as in urdfdom, the first counts.
    pub(super) fn repeated(&mut self, of: Element) {
        for (i, child) in of.children().enumerate() {
            let tag = child.tag();
            if SINGLE.contains(&tag) && of.children().take(i).any(|c| c.tag() == tag) {
                self.add(child, "a second one, ignored: the first counts");
            } else {
                self.repeated(child);
            }
        }
    }

    pub(super) fn unknown_element(&mut self, element: Element) {
        let parent = element.node.parent_element().map(|p| element.other(p));
        let within = parent.map_or_else(String::new, |p| format!(" in <{}>", p.tag()));
        self.push(
            format!("<{}>{within}", element.tag()),
            "unknown element, ignored".to_owned(),
            element.place(),
        );
    }

    pub(super) fn unknown_attributes(&mut self, element: Element, known: &[&str]) {
        for attribute in element.node.attributes() {
            if attribute.namespace().is_none() && !known.contains(&attribute.name()) {
                self.push(
                    format!("<{}>", element.tag()),
                    format!("unknown attribute {}, ignored", attribute.name()),
                    element.place(),
                );
            }
        }
    }

    fn push(&mut self, kind: String, what: String, first: String) {
        let next = self.list.len();
        let index = *self.kinds.entry((kind, what.clone())).or_insert(next);
        match self.list.get_mut(index) {
            Some(warning) => warning.count += 1,
            None => self.list.push(Warning {
                what,
                first,
                count: 1,
            }),
        }
    }

    pub(super) fn into_lines(self) -> Vec<String> {
        let line = |w: Warning| match w.count {
            1 => format!("{}: {}", w.first, w.what),
            n => format!("{}: {} ({n} times in the file)", w.first, w.what),
        };
        self.list.into_iter().map(line).collect()
    }
}
