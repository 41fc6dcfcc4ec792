//! Elements with their line and owner, for the errors of the URDF and COLLADA readers.
//!
//! Its functions are called at hundreds of places. Copies of them there would fill the library.

use crate::error::{Error, Result};
use crate::spatial::Vec3;
use roxmltree::{Document, Node};
use std::fmt::Display;

/// Largest XML file that is read.
pub const MAX_BYTES: u64 = 256 << 20;

/// The starts of the lines of a text, for finding the line of a byte in logarithmic time.
pub struct Lines(Vec<usize>);

impl Lines {
    pub fn new(text: &str) -> Self {
        Lines(
            text.bytes()
                .enumerate()
                .filter_map(|(i, b)| (b == b'\n').then_some(i))
                .collect(),
        )
    }

    /// Line of the byte at `offset`, from 1.
    pub fn of(&self, offset: usize) -> usize {
        1 + self.0.partition_point(|&newline| newline < offset)
    }
}

/// An element, and the named thing it belongs to, such as `joint "elbow"`.
#[derive(Clone, Copy)]
pub struct Element<'a, 'd> {
    pub node: Node<'a, 'd>,
    lines: &'a Lines,
    owner: Option<Node<'a, 'd>>,
}

impl<'a, 'd: 'a> Element<'a, 'd> {
    pub fn root(document: &'a Document<'d>, lines: &'a Lines) -> Self {
        Element {
            node: document.root_element(),
            lines,
            owner: None,
        }
    }

    /// Another element of the same document.
    pub fn other(&self, node: Node<'a, 'd>) -> Self {
        Element {
            node,
            lines: self.lines,
            owner: None,
        }
    }

    /// The name in the text, with its prefix if any.
    pub fn tag(&self) -> &'a str {
        let text = &self.node.document().input_text()[self.node.range()];
        let name = text.strip_prefix('<').unwrap_or(text);
        name.split(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>')
            .next()
            .unwrap_or(name)
    }

    pub fn line(&self) -> usize {
        self.lines.of(self.node.range().start)
    }

    /// The element with its name, if it has one: `<joint> "elbow"`.
    #[inline(never)]
    pub fn label(&self) -> String {
        match self.node.attribute("name") {
            Some(name) => format!("<{}> \"{name}\"", self.tag()),
            None => format!("<{}>", self.tag()),
        }
    }

    #[inline(never)]
    pub fn place(&self) -> String {
        let line = self.line();
        match self.owner {
            Some(owner) => {
                let owner = self.other(owner);
                format!("line {line}: {}, {}", owner.label(), self.label())
            }
            None => format!("line {line}: {}", self.label()),
        }
    }

    /// "line 12: <joint> "elbow", <axis>: " and the message.
    pub fn error(&self, what: impl Display) -> Error {
        Error::parse(format!("{}: {what}", self.place()))
    }

    pub fn unsupported(&self, what: impl Display) -> Error {
        Error::unsupported(format!("{}: {what}", self.place()))
    }

    /// The same place before the message of `e`.
    pub fn locate(&self, e: Error) -> Error {
        Error {
            status: e.status,
            message: format!("{}: {}", self.place(), e.message),
        }
    }

    pub fn children(self) -> impl Iterator<Item = Element<'a, 'd>> {
        let owner = self.owner.unwrap_or(self.node);
        self.node
            .children()
            .filter(Node::is_element)
            .map(move |node| Element {
                node,
                lines: self.lines,
                owner: Some(owner),
            })
    }

    /// This element as the owner, which errors below it name.
    pub fn as_owner(self) -> Self {
        Element {
            owner: None,
            ..self
        }
    }

    /// The child with this tag; more than one is an error.
    #[inline(never)]
    pub fn child(self, tag: &str) -> Result<Option<Element<'a, 'd>>> {
        let mut found = self.children().filter(|c| c.tag() == tag);
        let first = found.next();
        match found.next() {
            Some(second) => Err(second.error(format!(
                "a second one; the first is at line {}",
                first.map_or(0, |f| f.line())
            ))),
            None => Ok(first),
        }
    }

    /// The first child with this tag.
    #[inline(never)]
    pub fn first(self, tag: &str) -> Option<Element<'a, 'd>> {
        self.children().find(|c| c.tag() == tag)
    }

    #[inline(never)]
    pub fn required_child(self, tag: &str) -> Result<Element<'a, 'd>> {
        self.child(tag)?
            .ok_or_else(|| self.error(format!("expected a child <{tag}>, found none")))
    }

    #[inline(never)]
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)
    }

    /// An attribute that must be present and not blank.
    #[inline(never)]
    pub fn required(&self, name: &str) -> Result<&'a str> {
        match self.attribute(name) {
            Some(value) if !value.trim().is_empty() => Ok(value),
            Some(_) => Err(self.error(format!("attribute {name}: expected a value, got none"))),
            None => Err(self.missing(name)),
        }
    }

    /// `N` finite numbers separated by white space.
    pub fn numbers<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>> {
        let Some(text) = self.attribute(name) else {
            return Ok(None);
        };
        let mut values = [0.0; N];
        let mut count = 0;
        for word in text.split_ascii_whitespace() {
            let value = self.parsed(name, word)?;
            if !value.is_finite() {
                return Err(self.error(format!(
                    "attribute {name}: expected a finite number, got \"{word}\""
                )));
            }
            if let Some(slot) = values.get_mut(count) {
                *slot = value;
            }
            count += 1;
        }
        if count != N {
            return Err(self.error(format!(
                "attribute {name}: expected {N} number{}, got {count} in \"{text}\"",
                if N == 1 { "" } else { "s" }
            )));
        }
        Ok(Some(values))
    }

    /// A number. A comma after it, as in hand-written lists, is ignored.
    fn parsed(&self, name: &str, word: &str) -> Result<f64> {
        let digits = word.strip_suffix(',').unwrap_or(word);
        digits.parse().map_err(|_| {
            self.error(format!(
                "attribute {name}: expected a number, got \"{word}\""
            ))
        })
    }

    /// A number that may be infinite.
    pub fn bound(&self, name: &str) -> Result<Option<f64>> {
        match self.attribute(name).map(str::trim) {
            Some(word) if !word.contains(char::is_whitespace) => {
                let value = self.parsed(name, word)?;
                if value.is_nan() {
                    return Err(
                        self.error(format!("attribute {name}: expected a number, got {value}"))
                    );
                }
                Ok(Some(value))
            }
            _ => self.number(name),
        }
    }

    #[inline(never)]
    pub fn number(&self, name: &str) -> Result<Option<f64>> {
        Ok(self.numbers::<1>(name)?.map(|[x]| x))
    }

    /// A number that must be given.
    pub fn required_number(&self, name: &str) -> Result<f64> {
        let value = self.number(name)?;
        value.ok_or_else(|| self.missing(name))
    }

    pub fn missing(&self, name: &str) -> Error {
        self.error(format!("attribute {name} is missing"))
    }

    #[inline(never)]
    pub fn vec3(&self, name: &str) -> Result<Option<Vec3>> {
        Ok(self.numbers::<3>(name)?.map(|v| Vec3::from_slice(&v)))
    }

    /// A number above zero.
    pub fn positive(&self, name: &str) -> Result<f64> {
        let value = self.required_number(name)?;
        if value > 0.0 {
            Ok(value)
        } else {
            Err(self.error(format!(
                "attribute {name}: expected a number above 0, got {value}"
            )))
        }
    }

    /// A number not below zero, if it is given.
    pub fn non_negative(&self, name: &str) -> Result<Option<f64>> {
        match self.number(name)? {
            Some(value) if value < 0.0 => Err(self.error(format!(
                "attribute {name}: expected a number not below 0, got {value}"
            ))),
            value => Ok(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one() {
        let lines = Lines::new("a\nb\n\nc");
        assert_eq!([0, 1, 2, 4, 5].map(|i| lines.of(i)), [1, 1, 2, 3, 4]);
    }
}
