//! Reading attributes of an element, with errors that name element, name and line.
//!
//! Its functions are called at hundreds of places. Copies of them there would fill the library.

use super::flat_tree::Tree;
use crate::error::{Error, Result, Status};
use crate::spatial::Vec3;

/// One element of the tree.
#[derive(Clone, Copy)]
pub(super) struct Node<'t> {
    pub tree: &'t Tree,
    pub id: usize,
}

impl<'t> Node<'t> {
    pub fn tag(&self) -> &'t str {
        &self.tree.elements[self.id].tag
    }

    pub fn attributes(&self) -> &'t [(String, String)] {
        &self.tree.elements[self.id].attributes
    }

    pub fn children(&self) -> impl DoubleEndedIterator<Item = Node<'t>> + use<'t> {
        let tree = self.tree;
        let ids: &'t [usize] = &tree.elements[self.id].children;
        ids.iter().map(move |&id| Node { tree, id })
    }

    #[inline(never)]
    pub fn text(&self, name: &str) -> Option<&'t str> {
        self.attributes()
            .iter()
            .find(|(k, _)| k == name)
            .map(|(_, v)| v.as_str())
    }

    pub fn has(&self, name: &str) -> bool {
        self.text(name).is_some()
    }

    /// The attribute `name`, or the empty string.
    pub fn name(&self) -> &'t str {
        self.text("name").unwrap_or("")
    }

    /// Index of its model in the tree.
    pub fn model(&self) -> usize {
        self.tree.elements[self.id].model
    }

    /// "line 12".
    pub fn origin(&self) -> String {
        self.tree.origin(self.id)
    }

    #[inline(never)]
    fn fail(&self, status: Status, message: impl AsRef<str>) -> Error {
        let named = match self.name() {
            "" => String::new(),
            n => format!(" name={n:?}"),
        };
        Error {
            status,
            message: format!(
                "{}: <{}{named}>: {}",
                self.tree.place(self.id),
                self.tag(),
                message.as_ref()
            ),
        }
    }

    /// Error: the file violates the format here.
    #[cold]
    pub fn error(&self, message: impl AsRef<str>) -> Error {
        self.fail(Status::Parse, message)
    }

    /// Error: the file requires physics that this library does not have.
    #[cold]
    pub fn unsupported(&self, message: impl AsRef<str>) -> Error {
        self.fail(Status::Unsupported, message)
    }

    #[cold]
    pub fn io(&self, message: impl AsRef<str>) -> Error {
        self.fail(Status::Io, message)
    }

    /// All numbers of an attribute.
    #[inline(never)]
    pub fn list(&self, name: &str) -> Result<Option<Vec<f64>>> {
        self.words(name, f64::is_finite)
    }

    /// Reads up to two numbers that may be infinite into `into`. Returns their number.
    pub fn bounds(&self, name: &str, into: &mut [f64; 2]) -> Result<usize> {
        let list = self.words(name, |x| !x.is_nan())?;
        self.fill(name, 2, list, into)
    }

    #[inline(never)]
    fn words(&self, name: &str, is_right: fn(f64) -> bool) -> Result<Option<Vec<f64>>> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        text.split_whitespace()
            .map(|word| match word.parse::<f64>() {
                Ok(x) if is_right(x) => Ok(x),
                _ => Err(self.error(format!("{name}: expected a finite number, found {word:?}"))),
            })
            .collect::<Result<Vec<f64>>>()
            .map(Some)
    }

    /// Reads from `least` to N numbers into the first entries of `into`. Returns their number (0: the
    /// attribute is absent).
    pub fn numbers<const N: usize>(
        &self,
        name: &str,
        least: usize,
        into: &mut [f64; N],
    ) -> Result<usize> {
        let list = self.list(name)?;
        self.fill(name, least, list, into)
    }

    fn fill<const N: usize>(
        &self,
        name: &str,
        least: usize,
        list: Option<Vec<f64>>,
        into: &mut [f64; N],
    ) -> Result<usize> {
        let Some(list) = list else {
            return Ok(0);
        };
        if list.len() < least || list.len() > N {
            let expected = if least == N {
                format!("{N}")
            } else {
                format!("{least} to {N}")
            };
            return Err(self.error(format!(
                "{name}: expected {expected} numbers, found {} in {:?}",
                list.len(),
                self.text(name).unwrap_or_default()
            )));
        }
        into[..list.len()].copy_from_slice(&list);
        Ok(list.len())
    }

    /// Exactly N numbers.
    pub fn array<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>> {
        let mut a = [0.0; N];
        Ok((self.numbers(name, N, &mut a)? > 0).then_some(a))
    }

    #[inline(never)]
    pub fn number(&self, name: &str) -> Result<Option<f64>> {
        Ok(self.array::<1>(name)?.map(|a| a[0]))
    }

    #[inline(never)]
    pub fn vec3(&self, name: &str) -> Result<Option<Vec3>> {
        Ok(self.array::<3>(name)?.map(|a| Vec3::from_slice(&a)))
    }

    /// A number that must not be negative.
    #[inline(never)]
    pub fn magnitude(&self, name: &str) -> Result<Option<f64>> {
        match self.number(name)? {
            Some(x) if x < 0.0 => {
                Err(self.error(format!("{name}: expected a number ≥ 0, found {x}")))
            }
            x => Ok(x),
        }
    }

    #[inline(never)]
    pub fn integer(&self, name: &str) -> Result<Option<i32>> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        text.trim()
            .parse()
            .map(Some)
            .map_err(|_| self.error(format!("{name}: expected an integer, found {text:?}")))
    }

    /// One word out of `choices`.
    pub fn keyword<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<Option<T>> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        match choices.iter().find(|(k, _)| *k == text) {
            Some((_, value)) => Ok(Some(*value)),
            None => {
                let known: Vec<&str> = choices.iter().map(|(k, _)| *k).collect();
                Err(self.error(format!(
                    "{name}: expected one of {}, found {text:?}",
                    known.join(", ")
                )))
            }
        }
    }

    #[inline(never)]
    pub fn flag(&self, name: &str) -> Result<Option<bool>> {
        self.keyword(name, &[("true", true), ("false", false)])
    }

    /// true, false or auto; auto is `Some(None)`.
    #[inline(never)]
    pub fn tristate(&self, name: &str) -> Result<Option<Option<bool>>> {
        self.keyword(
            name,
            &[("true", Some(true)), ("false", Some(false)), ("auto", None)],
        )
    }

    /// A required attribute.
    #[inline(never)]
    pub fn required(&self, name: &str) -> Result<&'t str> {
        self.text(name)
            .filter(|t| !t.is_empty())
            .ok_or_else(|| self.error(format!("attribute {name} is missing")))
    }
}
