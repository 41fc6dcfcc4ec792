//! Converts the XML of robots' files to XML that a strict parser reads. It accepts the files that
//! tinyxml2 (MuJoCo, urdfdom) accepts.
//!
//! Accepted: a byte order mark, blanks or text before the root, `--` in comments, a document type
//! without entities, prefixes that no `xmlns` declares, `&` and `<` in values, no blank between
//! attributes, closing tags after the root. Lines keep their numbers.

use std::collections::BTreeSet;

/// Largest number of prefixes in one document.
const MAX_PREFIXES: usize = 64;

/// A text for the parser, and its demands on the parser.
pub(super) struct Tidy {
    pub text: String,
    /// Largest depth of nested elements.
    pub depth: usize,
    /// Largest number of attributes of an element.
    pub attributes: usize,
}

/// The byte of an error, and its description.
type Fault = (usize, String);

/// Makes the text strict.
///
/// # Errors
/// The line and the description of an error in the text.
pub(super) fn tidy(text: &str) -> Result<Tidy, (usize, String)> {
    let mut scan = Scan {
        text,
        out: String::with_capacity(text.len() + 64),
        open: 0,
        deepest: 0,
        attributes: 0,
        root_name_end: None,
        is_over: false,
        used: BTreeSet::new(),
        declared: BTreeSet::new(),
    };
    match scan.run() {
        Ok(()) => Ok(Tidy {
            depth: scan.deepest,
            attributes: scan.attributes,
            text: scan.with_prefixes(),
        }),
        Err((at, what)) => {
            let newlines = text.as_bytes()[..at].iter().filter(|&&b| b == b'\n');
            Err((1 + newlines.count(), what))
        }
    }
}

struct Scan<'t> {
    text: &'t str,
    out: String,
    /// Number of open elements, and the largest such number so far.
    open: usize,
    deepest: usize,
    attributes: usize,
    /// The end of the root's name in `out`.
    root_name_end: Option<usize>,
    /// True after a closing tag that closes nothing: nothing may follow.
    is_over: bool,
    /// Prefixes of names, and the prefixes that the root declares.
    used: BTreeSet<&'t str>,
    declared: BTreeSet<&'t str>,
}

impl<'t> Scan<'t> {
    fn run(&mut self) -> Result<(), Fault> {
        let text = self.text;
        let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        while let Some(k) = text[at..].find('<') {
            let tag = at + k;
            self.between(at, tag)?;
            let rest = &text[tag..];
            at = if rest.starts_with("<!--") {
                let end = self.end_of(tag, 4, "-->", "the comment")?;
                self.blank(tag, end);
                end
            } else if rest.starts_with("<![CDATA[") {
                let end = self.end_of(tag, 9, "]]>", "the CDATA section")?;
                self.out.push_str(&text[tag..end]);
                end
            } else if rest.starts_with("<?") {
                let end = self.end_of(tag, 2, "?>", "the declaration")?;
                self.blank(tag, end);
                end
            } else if rest.starts_with("<!") {
                self.document_type(tag)?
            } else if rest.starts_with("</") {
                self.closing_tag(tag)?
            } else {
                self.start_tag(tag)?
            };
        }
        self.between(at, text.len())?;
        match self.root_name_end {
            Some(_) => Ok(()),
            None => Err((0, "expected an element, found none".into())),
        }
    }

    /// The end of the construct that begins at `tag`.
    fn end_of(&self, tag: usize, skip: usize, end: &str, what: &str) -> Result<usize, Fault> {
        let from = tag + skip;
        match self.text[from..].find(end) {
            Some(k) => Ok(from + k + end.len()),
            None => Err((tag, format!("{what} that begins here does not end"))),
        }
    }

    /// Replaces a piece of the text by a blank and its line breaks.
    fn blank(&mut self, from: usize, to: usize) {
        self.out.push(' ');
        let newlines = self.text[from..to].bytes().filter(|&b| b == b'\n');
        self.out.extend(newlines.map(|_| '\n'));
    }

    /// Text between two tags.
    fn between(&mut self, from: usize, to: usize) -> Result<(), Fault> {
        let piece = &self.text[from..to];
        if self.open > 0 {
            escape(piece, false, &mut self.out);
            return Ok(());
        }
        let word = piece.trim_start();
        if self.root_name_end.is_some() && !word.is_empty() {
            let at = from + piece.len() - word.len();
            return Err((at, "text after the end of the root element".into()));
        }
        self.blank(from, to);
        Ok(())
    }

    /// Skips a document type. Refuses one that defines entities.
    fn document_type(&mut self, tag: usize) -> Result<usize, Fault> {
        let bytes = self.text.as_bytes();
        let (mut at, mut within, mut quote) = (tag, 0usize, None);
        loop {
            let Some(&b) = bytes.get(at) else {
                return Err((
                    tag,
                    "the document type that begins here does not end".into(),
                ));
            };
            at += 1;
            match (quote, b) {
                (Some(q), _) if q == b => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(b),
                (None, b'[') => within += 1,
                (None, b']') => within = within.saturating_sub(1),
                (None, b'>') if within == 0 => break,
                _ => {}
            }
        }
        if self.text[tag..at].contains("<!ENTITY") {
            let what = "a document type (DTD) that defines entities is not supported; replace the entities by their text";
            return Err((tag, what.into()));
        }
        self.blank(tag, at);
        Ok(at)
    }

    fn closing_tag(&mut self, tag: usize) -> Result<usize, Fault> {
        let end = self.end_of(tag, 2, ">", "the closing tag")?;
        if self.open > 0 {
            self.open -= 1;
            self.out.push_str(&self.text[tag..end]);
        } else if self.root_name_end.is_some() {
            self.is_over = true;
            self.blank(tag, end);
        } else {
            return Err((tag, format!("{} closes no element", &self.text[tag..end])));
        }
        Ok(end)
    }

    fn start_tag(&mut self, tag: usize) -> Result<usize, Fault> {
        let text = self.text;
        let name = word(text, tag + 1);
        if name.is_empty() {
            return Err((tag, "expected the name of an element after <".into()));
        }
        let name_end = tag + 1 + name.len();
        if self.open == 0 && self.root_name_end.is_some() {
            let what = if self.is_over {
                format!(
                    "<{name}> after a closing tag that closes nothing: is an opening tag missing, or a closing one too many?"
                )
            } else {
                format!("<{name}> after the end of the root element: a file has one root")
            };
            return Err((tag, what));
        }
        self.use_prefix(name);
        self.out.push_str(&text[tag..name_end]);
        let is_root = self.root_name_end.is_none();
        if is_root {
            self.root_name_end = Some(self.out.len());
        }
        let (mut at, mut count) = (name_end, 0);
        let (end, is_empty) = loop {
            let rest = &text[at..];
            let blanks = rest.len() - rest.trim_ascii_start().len();
            let start = at + blanks;
            let rest = &text[start..];
            if rest.starts_with('>') {
                break (start + 1, false);
            }
            if rest.starts_with("/>") {
                break (start + 2, true);
            }
            let attribute = word(text, start);
            if attribute.is_empty() {
                let what = format!("<{name}>: expected name=\"value\", > or />");
                return Err((start.min(text.len()), what));
            }
            if blanks == 0 {
                self.out.push(' ');
            }
            self.out.push_str(&text[at..start]);
            at = self.attribute(name, start, attribute, is_root)?;
            count += 1;
        };
        self.out.push_str(&text[at..end]);
        self.attributes = self.attributes.max(count);
        self.deepest = self.deepest.max(self.open + 1);
        self.open += usize::from(!is_empty);
        Ok(end)
    }

    /// Copies an attribute. Returns its end.
    fn attribute(
        &mut self,
        element: &str,
        start: usize,
        name: &'t str,
        is_root: bool,
    ) -> Result<usize, Fault> {
        let text = self.text;
        let fault = |what: &str| (start, format!("<{element}>: attribute {name} {what}"));
        let after = text[start + name.len()..].trim_ascii_start();
        let Some(after) = after.strip_prefix('=') else {
            return Err(fault("has no value"));
        };
        let value = after.trim_ascii_start();
        let quote = match value.as_bytes().first() {
            Some(b'"') => '"',
            Some(b'\'') => '\'',
            _ => return Err(fault("has a value without quotes")),
        };
        let first = text.len() - value.len() + 1;
        let Some(length) = text[first..].find(quote) else {
            return Err(fault("has a value that does not end"));
        };
        match name.strip_prefix("xmlns:") {
            Some(prefix) if is_root => {
                self.declared.insert(prefix);
            }
            Some(_) => {}
            None => self.use_prefix(name),
        }
        self.out.push_str(&text[start..first]);
        escape(&text[first..first + length], true, &mut self.out);
        self.out.push(quote);
        if self.used.len() > MAX_PREFIXES {
            return Err(fault("is one of too many prefixes of names"));
        }
        Ok(first + length + 1)
    }

    fn use_prefix(&mut self, name: &'t str) {
        if let Some((prefix, local)) = name.split_once(':')
            && !(prefix.is_empty() || local.is_empty() || prefix == "xml" || prefix == "xmlns")
        {
            self.used.insert(prefix);
        }
    }

    /// The text, with all prefixes declared at the root.
    fn with_prefixes(mut self) -> String {
        let at = self.root_name_end.unwrap_or(0);
        let missing = self.used.difference(&self.declared);
        let declarations: String = missing
            .map(|p| format!(" xmlns:{p}=\"urn:undeclared:{p}\""))
            .collect();
        self.out.insert_str(at, &declarations);
        self.out
    }
}

/// The text from `at` up to a blank or a character of markup.
fn word(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '=' | '>' | '/' | '<' | '"' | '\'');
    &rest[..rest.find(ends).unwrap_or(rest.len())]
}

/// Copies text. Escaped are `&` outside an entity, `<` in a value, and `>` in other text, which could
/// otherwise end "]]>".
fn escape(piece: &str, is_value: bool, out: &mut String) {
    let mut from = 0;
    let special = |c: char| c == '&' || c == if is_value { '<' } else { '>' };
    while let Some(k) = piece[from..].find(special) {
        let at = from + k;
        out.push_str(&piece[from..at]);
        let rest = &piece[at..];
        out.push_str(match rest.as_bytes()[0] {
            b'<' => "&lt;",
            b'>' => "&gt;",
            _ if is_entity(rest) => "&",
            _ => "&amp;",
        });
        from = at + 1;
    }
    out.push_str(&piece[from..]);
}

/// Whether an entity predefined by XML begins here.
fn is_entity(text: &str) -> bool {
    // The longest one is "&#x10ffff;".
    let Some(end) = text.bytes().take(10).position(|b| b == b';') else {
        return false;
    };
    let name = &text[1..end];
    match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix('x') {
            Some(hex) => !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit()),
            None => !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()),
        },
        None => matches!(name, "amp" | "lt" | "gt" | "quot" | "apos"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use roxmltree::Document;

    fn extent(text: &str) -> (usize, usize) {
        let tidy = tidy(text).unwrap_or_else(|(line, what)| panic!("line {line}: {what}"));
        (tidy.depth, tidy.attributes)
    }

    #[test]
    fn depth_counts_open_elements_only() {
        for (text, expected) in [
            ("<a/>", (1, 0)),
            ("<a><b/><b/></a>", (2, 0)),
            (
                "<?xml version='1.0'?><a><!-- <x><x><x> --><b></b><b><c/></b></a>",
                (3, 0),
            ),
            ("<a x='/>' y=\"<\"><b z='a > b'><c/></b></a>", (3, 2)),
            ("<a><![CDATA[<x><x><x>]]></a>", (1, 0)),
        ] {
            assert_eq!(extent(text), expected, "{text}");
        }
    }

    /// tinyxml2 reads each of these; a strict parser reads none.
    #[test]
    fn files_as_they_come_are_read() {
        for text in [
            "\n<?xml version='1.0'?>\n<a k='1'/>",
            "\u{feff}<?xml version='1.0'?><a k='1'/>",
            "\u{feff}\n\n<?xml version='1.0'?><a k='1'/>",
            "[INFO] processing...\n<a k='1'/>",
            "<?xml version='1.0'?><?XML version='1.0'?><a k='1'/>",
            "<!-- a -- b ---><a k='1'/><!-- c -->\n",
            "<!DOCTYPE a><a k='1'/>",
            "<!DOCTYPE a SYSTEM \"a>b.dtd\"><a k='1'/>",
            "<!DOCTYPE a [<!ELEMENT a EMPTY>]><a k='1'/>",
            "<a k='1'></a></a>\n</b>\n",
            "<a k='1'><s:camera t:x='2'/></a>",
            "<a k='1' u:k='3'/>",
            "<a k='1'><b xmlns:s='x' s:x='2'/><s:c/></a>",
            "<a xmlns:s='x' k='1'><s:c/></a>",
            "<a k='1'l=\"2\"m='3'/>",
            "<a k='1'>]]></a>",
            "<a k = \n '1' ><b v='x & y' w='1 < 2' x='&lt;&amp;&#65;&foo;'>Foo & Sons</b ></a >",
        ] {
            let tidy = tidy(text).unwrap_or_else(|(line, what)| panic!("{text}: {line}: {what}"));
            let document = Document::parse(&tidy.text)
                .unwrap_or_else(|e| panic!("{text}: {e}: {}", tidy.text));
            let root = document.root_element();
            assert_eq!(root.attribute("k"), Some("1"), "{text}");
            let lines = |t: &str| t.bytes().filter(|&b| b == b'\n').count();
            assert_eq!(lines(text), lines(&tidy.text), "{text}");
            if let Some(b) = root.children().find(|c| c.has_tag_name("b"))
                && b.has_attribute("w")
            {
                let values: Vec<_> = b.attributes().map(|a| a.value()).collect();
                assert_eq!(values, ["x & y", "1 < 2", "<&A&foo;"]);
                assert_eq!(b.text(), Some("Foo & Sons"));
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_line() {
        for (text, line, what) in [
            ("", 1, "expected an element"),
            ("\n\nno XML", 1, "expected an element"),
            ("<a>\n<!-- b", 2, "comment that begins here does not end"),
            ("<a/>\nb", 2, "text after the end"),
            ("<a/>\n\n<b/>", 3, "<b> after the end of the root"),
            ("<a></a>\n</a>\n<b/>", 3, "closes nothing"),
            ("\n</a>", 2, "</a> closes no element"),
            ("<a\nk=1/>", 2, "attribute k has a value without quotes"),
            ("<a\nk/>", 2, "attribute k has no value"),
            ("<a\nk='1/>", 2, "attribute k has a value that does not end"),
            ("<a>\n<b c='1' < d='2'/></a>", 2, "<b>: expected name="),
            ("<a><b", 1, "<b>: expected name="),
            (
                "\n<!DOCTYPE a [<!ENTITY b 'c'>]><a/>",
                2,
                "(DTD) that defines entities",
            ),
            ("<!DOCTYPE a [ <a/>", 1, "document type"),
        ] {
            let (at, found) = tidy(text).err().unwrap_or_else(|| panic!("{text}: read"));
            assert!(at == line && found.contains(what), "{text}: {at}: {found}");
        }
        let many: String = (0..1000).map(|i| format!("<p{i}:b/>")).collect();
        let (_, what) = tidy(&format!("<a>{many}<c d='1'/></a>")).err().unwrap();
        assert!(what.contains("too many prefixes"), "{what}");
    }

    /// No bytes do harm, and accepted text keeps its lines.
    #[test]
    fn noise_is_read_or_refused() {
        let words = [
            "<",
            ">",
            "/",
            "a",
            "b:c",
            "=",
            "\"",
            "'",
            " ",
            "\n",
            "<!--",
            "-->",
            "<!",
            "[",
            "]",
            "<?",
            "?>",
            "&",
            "&amp;",
            "</a>",
            "<a>",
            "é",
            "<![CDATA[",
            "]]>",
            "\u{feff}",
        ];
        let mut state = 7u64;
        let mut read = 0;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..12 {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                text += words[(state >> 33) as usize % words.len()];
            }
            if let Ok(tidy) = tidy(&text) {
                read += 1;
                let lines = |t: &str| t.bytes().filter(|&b| b == b'\n').count();
                assert_eq!(lines(&text), lines(&tidy.text), "{text:?}");
                let _ = Document::parse(&tidy.text);
            }
        }
        assert!(read > 100, "{read}");
    }
}
