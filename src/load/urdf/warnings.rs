//! What was read but is not used: one line for each kind.

use crate::load::xml::Element;

#[derive(Default)]
pub(super) struct Warnings(Vec<Warning>);

struct Warning {
    /// What is the same in all warnings of a kind.
    kind: String,
    what: String,
    first: String,
    count: usize,
}

impl Warnings {
    /// `<tag>` in the first element where it comes: what.
    pub(super) fn add(&mut self, element: Element, what: &str) {
        self.push(
            format!("<{}>", element.tag()),
            what.to_owned(),
            element.place(),
        );
    }

    /// A warning of its own, never joined with others.
    pub(super) fn add_single(&mut self, element: Element, what: String) {
        self.push(element.place(), what, element.place());
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
        match self.0.iter_mut().find(|w| w.kind == kind && w.what == what) {
            Some(warning) => warning.count += 1,
            None => self.0.push(Warning {
                kind,
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
        self.0.into_iter().map(line).collect()
    }
}
