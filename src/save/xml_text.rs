//! XML text, element by element.
//!
//! Its functions are called at hundreds of places. Copies of them there would fill the library.

use std::fmt::Write;

/// Deeper elements are not indented further, so that the text of a chain of thousands of links stays small.
const DEEPEST: usize = 24;

/// A document under construction.
pub(super) struct Xml {
    text: String,
    open: Vec<&'static str>,
    /// True while the last start tag still accepts attributes.
    starting: bool,
}

impl Xml {
    pub fn new() -> Xml {
        Xml {
            text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>".into(),
            open: Vec::new(),
            starting: false,
        }
    }

    #[inline(never)]
    fn line(&mut self) {
        self.text.push('\n');
        (0..self.open.len().min(DEEPEST)).for_each(|_| self.text.push_str("  "));
    }

    #[inline(never)]
    pub fn start(&mut self, tag: &'static str) -> &mut Xml {
        if self.starting {
            self.text.push('>');
        }
        self.line();
        self.text.push('<');
        self.text.push_str(tag);
        self.open.push(tag);
        self.starting = true;
        self
    }

    #[inline(never)]
    pub fn end(&mut self) {
        let Some(tag) = self.open.pop() else { return };
        if self.starting {
            self.text.push_str("/>");
        } else {
            self.line();
            let _ = write!(self.text, "</{tag}>");
        }
        self.starting = false;
    }

    /// An attribute of the last started element, before its children.
    #[inline(never)]
    pub fn attribute(&mut self, name: &str, value: &str) -> &mut Xml {
        let _ = write!(self.text, " {name}=\"");
        escape(&mut self.text, value);
        self.text.push('"');
        self
    }

    /// [`Xml::attribute`], left out if empty.
    #[inline(never)]
    pub fn named(&mut self, name: &str, value: &str) -> &mut Xml {
        match value {
            "" => self,
            _ => self.attribute(name, value),
        }
    }

    #[inline(never)]
    pub fn integer(&mut self, name: &str, value: i64) -> &mut Xml {
        let _ = write!(self.text, " {name}=\"{value}\"");
        self
    }

    /// Numbers in the fewest digits that give the same bits.
    #[inline(never)]
    pub fn numbers(&mut self, name: &str, values: &[f64]) -> &mut Xml {
        let _ = write!(self.text, " {name}=\"");
        for (k, &x) in values.iter().enumerate() {
            if k > 0 {
                self.text.push(' ');
            }
            push_number(&mut self.text, x);
        }
        self.text.push('"');
        self
    }

    /// [`Xml::numbers`], left out if they equal the readers' default.
    #[inline(never)]
    pub fn unless(&mut self, assumed: &[f64], name: &str, values: &[f64]) -> &mut Xml {
        match values == assumed {
            true => self,
            false => self.numbers(name, values),
        }
    }

    /// A coefficient with its terms of higher order, left out if all are zero.
    #[inline(never)]
    pub fn polynomial(&mut self, name: &str, linear: f64, terms: [f64; 2]) -> &mut Xml {
        match terms == [0.0; 2] {
            true => self.unless(&[0.0], name, &[linear]),
            false => self.numbers(name, &[linear, terms[0], terms[1]]),
        }
    }

    /// A colour, unless it is unset.
    #[inline(never)]
    pub fn colour(&mut self, rgba: [f32; 4]) -> &mut Xml {
        if rgba.iter().all(|x| x.is_finite()) {
            let words = rgba.map(|x| x.to_string());
            self.attribute("rgba", &words.join(" "));
        }
        self
    }

    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.end();
        }
        self.text.push('\n');
        self.text
    }
}

/// Written for an infinite bound if a reader accepts only finite ones.
pub(super) const UNBOUNDED: f64 = 1e10;

/// A finite bound; a large one for an infinite bound.
pub(super) fn bounded(x: f64) -> f64 {
    if x.is_finite() {
        x
    } else {
        UNBOUNDED.copysign(x)
    }
}

/// Appends a number in the fewest digits that give the same bits.
pub(super) fn push_number(text: &mut String, x: f64) {
    let start = text.len();
    let _ = write!(text, "{x:?}");
    if text[start..].ends_with(".0") {
        text.truncate(text.len() - 2);
    }
}

/// True if XML 1.0 has the character.
pub(super) fn has(c: char) -> bool {
    !matches!(c, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}')
}

/// Characters that XML does not have become U+FFFD. White space is kept where a reader would replace it by a
/// blank.
fn escape(text: &mut String, value: &str) {
    for c in value.chars() {
        match c {
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '&' => text.push_str("&amp;"),
            '"' => text.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(text, "&#{};", c as u32);
            }
            c if has(c) => text.push(c),
            _ => text.push('\u{fffd}'),
        }
    }
}
