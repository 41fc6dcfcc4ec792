//! Parses XML text to a document, of any depth and without entities.

use super::tidy::tidy;
use crate::error::{Error, Result, THREAD_NAME};
use roxmltree::{Document, ParsingOptions};

/// Largest number of elements of one document.
pub(crate) const MAX_ELEMENTS: usize = 2_000_000;
/// Largest depth of nested elements.
const MAX_DEPTH: usize = 20_000;

/// Largest number of attributes of one element: the parser compares each with all before it.
const MAX_ATTRIBUTES: usize = 1000;

/// Depth for which the stack of any caller suffices.
const SHALLOW: usize = 32;
/// Bytes of stack per level: the parser recurses into elements, and takes below 1 kB if optimized,
/// otherwise about 5 kB. Memory is only committed when it is touched.
const STACK_PER_LEVEL: usize = 12 * 1024;

/// Parses `text`, made strict by [`tidy`], and passes the document to `use_document`. Lines and ranges
/// are those of its `input_text`. A document type that defines entities is an error. `label` names the
/// text in messages; it may be empty.
///
/// # Errors
/// `Parse` for text that is not well-formed XML, `Capacity` if it is too deep or too large, and the
/// errors of `use_document`.
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
    let tidy =
        tidy(text).map_err(|(line, what)| Error::parse(format!("{prefix}line {line}: {what}")))?;
    let (depth, attributes) = (tidy.depth, tidy.attributes);
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
        match Document::parse_with_options(&tidy.text, options) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Status;

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
