//! Warnings about parts that are read but not used: one line per kind, for any number of occurrences.

use super::node::Node;

#[derive(Default)]
pub(super) struct Warnings {
    groups: Vec<Group>,
}

struct Group {
    message: String,
    first: String,
    count: usize,
}

impl Warnings {
    /// Adds the warning `message` at `node`.
    pub fn add(&mut self, node: Node<'_>, message: impl Into<String>) {
        let message = message.into();
        match self.groups.iter_mut().find(|g| g.message == message) {
            Some(g) => g.count += 1,
            None => self.groups.push(Group {
                message,
                first: node.origin(),
                count: 1,
            }),
        }
    }

    /// Adds the warning `message` of one place.
    pub fn at(&mut self, origin: &str, message: &str) {
        self.groups.push(Group {
            message: message.into(),
            first: origin.into(),
            count: 1,
        });
    }

    pub fn into_lines(self) -> Vec<String> {
        self.groups
            .into_iter()
            .map(|g| match g.count {
                1 => format!("{}: {}", g.first, g.message),
                n => format!("{} and {} more: {}", g.first, n - 1, g.message),
            })
            .collect()
    }
}
