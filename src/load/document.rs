//! XML text to a document, whatever its depth and without entities.

use crate::error::{Error, Result, THREAD_NAME};
use roxmltree::{Document, ParsingOptions};

/// Largest number of elements of one document.
pub(crate) const MAX_ELEMENTS: usize = 2_000_000;
/// Largest depth of nested elements.
const MAX_DEPTH: usize = 20_000;

/// Largest number of attributes of one element: the parser compares each with all before it.
const MAX_ATTRIBUTES: usize = 1000;

/// Depth for which any caller's stack suffices.
const SHALLOW: usize = 32;
/// Bytes of stack per level, as the parser recurses into elements: it takes below 1 kB optimized,
/// about 5 kB otherwise. Only what is touched becomes memory.
const STACK_PER_LEVEL: usize = 12 * 1024;

/// Parses `text` and hands the document to `use_document`. A document type declaration is an
/// error, and with it every entity. `label` names the text in messages; it may be empty.
///
/// # Errors
/// `Parse` for text that is not well-formed XML, `Capacity` when it is too deep or too large, and
/// whatever `use_document` returns.
pub(crate) fn with_document<R: Send>(
    text: &str,
    label: &str,
    use_document: impl FnOnce(&Document<'_>) -> Result<R> + Send,
) -> Result<R> {
    let prefix = if label.is_empty() {
        String::new()
    } else {
        format!("{label}: ")
    };
    let (depth, attributes) = extent(text);
    if attributes > MAX_ATTRIBUTES {
        return Err(Error::capacity(format!(
            "{prefix}an element has {attributes} attributes; at most {MAX_ATTRIBUTES} are read"
        )));
    }
    if depth > MAX_DEPTH {
        return Err(Error::capacity(format!(
            "{prefix}elements are nested {depth} deep; at most {MAX_DEPTH} are read"
        )));
    }
    let run = || {
        let options = ParsingOptions {
            allow_dtd: false,
            nodes_limit: MAX_ELEMENTS as u32,
        };
        match Document::parse_with_options(text, options) {
            Ok(document) => use_document(&document),
            Err(roxmltree::Error::NodesLimitReached) => Err(Error::capacity(format!(
                "{prefix}more than {MAX_ELEMENTS} elements and texts"
            ))),
            Err(e) => Err(Error::parse(format!(
                "{prefix}line {}: the XML cannot be read: {e}",
                e.pos().row
            ))),
        }
    };
    if depth <= SHALLOW {
        return run();
    }
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name(THREAD_NAME.into())
            .stack_size((SHALLOW + depth) * STACK_PER_LEVEL)
            .spawn_scoped(scope, run)
            .map_err(|e| Error::capacity(format!("{prefix}no stack to read it with: {e}")))?
            .join()
            .unwrap_or_else(|_| Err(Error::internal(format!("{prefix}the reader failed"))))
    })
}

/// How deep elements are nested, and most attributes of one, or more where the text is not well-formed.
fn extent(text: &str) -> (usize, usize) {
    let bytes = text.as_bytes();
    let (mut depth, mut deepest, mut most) = (0usize, 0usize, 0usize);
    let mut at = 0;
    let skip = |from: usize, end: &str| {
        text.as_bytes()[from..]
            .windows(end.len())
            .position(|w| w == end.as_bytes())
            .map_or(bytes.len(), |k| from + k + end.len())
    };
    while let Some(k) = bytes[at..].iter().position(|&b| b == b'<') {
        let tag = at + k;
        let rest = &bytes[tag..];
        at = if rest.starts_with(b"<!--") {
            skip(tag + 4, "-->")
        } else if rest.starts_with(b"<![CDATA[") {
            skip(tag, "]]>")
        } else if rest.starts_with(b"<?") {
            skip(tag, "?>")
        } else if rest.starts_with(b"</") {
            depth = depth.saturating_sub(1);
            tag + 2
        } else {
            let (end, empty, attributes) = start_tag(bytes, tag + 1);
            most = most.max(attributes);
            deepest = deepest.max(depth + 1);
            depth += usize::from(!empty);
            end
        };
    }
    (deepest, most)
}

/// Where the start tag read from `at` ends, whether its element is empty, and its attributes.
fn start_tag(bytes: &[u8], mut at: usize) -> (usize, bool, usize) {
    let (mut quote, mut attributes) = (None, 0);
    while let Some(&b) = bytes.get(at) {
        at += 1;
        match (quote, b) {
            (Some(q), _) if b == q => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(b),
            (None, b'>') => return (at, bytes[at - 2] == b'/', attributes),
            (None, b'=') => attributes += 1,
            // Not well-formed; the parser stops here, but the count goes on.
            (None, b'<') => return (at - 1, false, attributes),
            (None, _) => {}
        }
    }
    (at, false, attributes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Status;

    #[test]
    fn depth_counts_open_elements_only() {
        for (text, expected) in [
            ("<a/>", 1),
            ("<a><b/><b/></a>", 2),
            (
                "<?xml version='1.0'?><a><!-- <x><x><x> --><b></b><b><c/></b></a>",
                3,
            ),
            ("<a x='/>' y=\"<\"><b z='a > b'><c/></b></a>", 3),
            ("<a><![CDATA[<x><x><x>]]></a>", 1),
            ("<a><b", 2),
            ("", 0),
        ] {
            assert_eq!(extent(text).0, expected, "{text}");
        }
    }

    #[test]
    fn depth_is_no_danger_to_the_stack() {
        let nested = |n: usize| format!("{}{}", "<a>".repeat(n), "</a>".repeat(n));
        let count = |text: &str| with_document(text, "", |d| Ok(d.descendants().count()));
        assert_eq!(count(&nested(MAX_DEPTH)).unwrap(), MAX_DEPTH + 1);
        let error = count(&nested(MAX_DEPTH + 1)).unwrap_err();
        assert_eq!(error.status, Status::Capacity);
        assert!(error.message.contains("20001 deep"), "{error}");
        assert_eq!(
            count(&"<a>".repeat(10_000)).unwrap_err().status,
            Status::Parse
        );
    }

    #[test]
    fn entities_are_refused() {
        let text = "<!DOCTYPE a [<!ENTITY b \"b\"><!ENTITY c \"&b;&b;\">]><a>&c;</a>";
        let error = with_document(text, "bomb.xml", |_| Ok(())).unwrap_err();
        assert_eq!(error.status, Status::Parse);
        assert!(error.message.starts_with("bomb.xml: "), "{error}");
        assert!(error.message.contains("DTD"), "{error}");
    }
}
