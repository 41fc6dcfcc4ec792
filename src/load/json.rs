//! JSON (RFC 8259), as far as glTF needs it.

use crate::error::{Error, Result};

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 64;

/// A value. Of equal keys of an object the first counts.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a text that holds one value.
    ///
    /// # Errors
    /// `Parse` with the place in bytes.
    pub fn parse(text: &str) -> Result<Json> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.blanks();
        match reader.at == text.len() {
            true => Ok(value),
            false => Err(reader.expected("the end")),
        }
    }

    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The elements of a list; none for another value.
    pub fn list(&self) -> &[Json] {
        match self {
            Json::List(elements) => elements,
            _ => &[],
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self {
            Json::Number(x) => Some(*x),
            _ => None,
        }
    }

    /// An integer from 0 to 2⁵³.
    pub fn index(&self) -> Option<usize> {
        let x = self.number()?;
        ((0.0..=9_007_199_254_740_992.0).contains(&x) && x.fract() == 0.0).then_some(x as usize)
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A list of exactly `N` numbers.
    pub fn numbers<const N: usize>(&self) -> Option<[f64; N]> {
        let numbers: Vec<f64> = self.list().iter().map_while(Json::number).collect();
        numbers.try_into().ok()
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn expected(&self, what: &str) -> Error {
        Error::parse(format!("JSON, byte {}: expected {what}", self.at))
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        let left = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        self.at += rest.len() - left.len();
    }

    /// Passes over a word if it comes next.
    fn skip(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn value(&mut self, depth: usize) -> Result<Json> {
        if depth > MAX_DEPTH {
            return Err(self.expected(&format!("at most {MAX_DEPTH} levels")));
        }
        self.blanks();
        for (word, value) in [
            ("null", Json::Null),
            ("true", Json::Bool(true)),
            ("false", Json::Bool(false)),
        ] {
            if self.skip(word) {
                return Ok(value);
            }
        }
        match self.rest().as_bytes().first() {
            Some(b'"') => Ok(Json::Text(self.string()?)),
            Some(b'[') => {
                let mut elements = Vec::new();
                self.listed(b']', |reader| {
                    elements.push(reader.value(depth + 1)?);
                    Ok(())
                })?;
                Ok(Json::List(elements))
            }
            Some(b'{') => {
                let mut members = Vec::new();
                self.listed(b'}', |reader| {
                    reader.blanks();
                    let key = reader.string()?;
                    reader.blanks();
                    if !reader.skip(":") {
                        return Err(reader.expected("a colon"));
                    }
                    members.push((key, reader.value(depth + 1)?));
                    Ok(())
                })?;
                Ok(Json::Object(members))
            }
            _ => {
                let is_part = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
                let rest = self.rest();
                let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
                let number = word.parse().ok().filter(|x: &f64| x.is_finite());
                let number = number.ok_or_else(|| self.expected("a value"))?;
                self.at += word.len();
                Ok(Json::Number(number))
            }
        }
    }

    /// Elements between the bracket that comes next and `end`, separated by commas.
    fn listed(&mut self, end: u8, mut element: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.at += 1;
        self.blanks();
        let end = char::from(end).to_string();
        if self.skip(&end) {
            return Ok(());
        }
        loop {
            element(self)?;
            self.blanks();
            if self.skip(&end) {
                return Ok(());
            }
            if !self.skip(",") {
                return Err(self.expected("a comma or the closing bracket"));
            }
        }
    }

    fn string(&mut self) -> Result<String> {
        if !self.skip("\"") {
            return Err(self.expected("a string"));
        }
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let end = rest.find(['"', '\\']);
            let end = end.ok_or_else(|| self.expected("the end of a string"))?;
            out.push_str(&rest[..end]);
            self.at += end;
            if self.skip("\"") {
                return Ok(out);
            }
            self.at += 1;
            let escaped = self.rest().chars().next();
            let meant = match escaped {
                Some(c @ ('"' | '\\' | '/')) => c,
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some('u') => {
                    let digits = self.text.get(self.at + 1..self.at + 5);
                    let code = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
                    let code = code.ok_or_else(|| self.expected("four hexadecimal digits"))?;
                    self.at += 4;
                    // Names with halves of surrogate pairs stay readable.
                    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
                }
                _ => return Err(self.expected("an escaped character")),
            };
            self.at += 1;
            out.push(meant);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_kind_are_read() {
        let text =
            " {\"a\": [1, -2.5e1, true, null, {}], \"b\\n\\u00e9\\\"\": \"x/\\/\", \"c\":[]}\n";
        let value = Json::parse(text).unwrap();
        let a = value.get("a").unwrap().list();
        assert_eq!(a[..2], [Json::Number(1.0), Json::Number(-25.0)]);
        assert_eq!(
            a[2..],
            [Json::Bool(true), Json::Null, Json::Object(Vec::new())]
        );
        assert_eq!(value.get("b\né\"").and_then(Json::text), Some("x//"));
        assert_eq!(value.get("c"), Some(&Json::List(Vec::new())));
        assert_eq!(
            (a[0].index(), a[1].index(), a[2].number()),
            (Some(1), None, None)
        );
        assert_eq!(Json::parse("[1,2]").unwrap().numbers(), Some([1.0, 2.0]));
        assert_eq!(Json::parse("[1,\"2\"]").unwrap().numbers::<2>(), None);
    }

    #[test]
    fn broken_texts_are_refused_with_their_place() {
        let deep = "[".repeat(100_000);
        for (text, place) in [
            ("", "byte 0: expected a value"),
            ("[1 2]", "byte 3: expected a comma"),
            ("{\"a\" 1}", "byte 5: expected a colon"),
            ("{a: 1}", "byte 1: expected a string"),
            ("\"a", "byte 1: expected the end of a string"),
            ("\"\\u12\"", "byte 2: expected four"),
            ("\"\\é\"", "byte 2: expected an escaped"),
            ("1 1", "byte 2: expected the end"),
            ("1e999", "byte 0: expected a value"),
            ("nul", "byte 0: expected a value"),
            (deep.as_str(), "at most 64 levels"),
        ] {
            let e = Json::parse(text).unwrap_err();
            assert!(e.message.contains(place), "{text:.20}: {}", e.message);
        }
    }
}
