//! The XML of a model as a flat tree with its includes in place. Every element has its line.

use crate::error::{Error, Result};
use crate::load::document::{MAX_ELEMENTS, with_document};
use crate::load::read_text;
use crate::load::xml::{Element as Xml, Lines};
use std::path::{Path, PathBuf};

/// Largest depth of includes within includes.
const MAX_INCLUDE_DEPTH: usize = 16;

/// One element; children are indices into [`Tree::elements`].
pub(super) struct Element {
    pub tag: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<usize>,
    pub line: u32,
    /// Index into [`Tree::files`].
    pub file: usize,
    /// Index into [`Tree::models`].
    pub model: usize,
}

/// A model from which a part is attached. The first one is the file itself.
pub(super) struct Submodel {
    pub root: usize,
    /// Folder of the files that it names.
    pub dir: Option<PathBuf>,
}

pub(super) struct SourceFile {
    /// Its name in messages; empty for text without a file.
    label: String,
    path: Option<PathBuf>,
    /// The file that includes it, and the length of the chain of includes.
    parent: Option<usize>,
    depth: usize,
}

/// All elements, the root first. The store is flat, so that no depth of nesting overflows the stack.
pub(super) struct Tree {
    pub elements: Vec<Element>,
    /// Elements with text, which has no meaning in MJCF.
    pub stray_text: Vec<usize>,
    pub models: Vec<Submodel>,
    files: Vec<SourceFile>,
}

/// Reads XML text. Each `<include file="…"/>` is replaced by the children of that file's root.
///
/// Relative names are searched in `base_dir`, then beside the including file.
pub(super) fn read(text: &str, path: Option<&Path>, base_dir: Option<&Path>) -> Result<Tree> {
    let mut tree = Tree {
        elements: Vec::new(),
        stray_text: Vec::new(),
        models: vec![Submodel {
            root: 0,
            dir: base_dir.map(Path::to_owned),
        }],
        files: vec![SourceFile {
            label: path.map(|p| p.display().to_string()).unwrap_or_default(),
            path: path.map(canonical),
            parent: None,
            depth: 0,
        }],
    };
    tree.append(text, 0)?;
    let root = &tree.elements[0];
    if root.tag != "mujoco" {
        return Err(Error::parse(format!(
            "{}: the root element of an MJCF file is <mujoco>, found <{}>",
            tree.place(0),
            root.tag
        )));
    }
    tree.expand_includes(0, base_dir)?;
    Ok(tree)
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

impl Tree {
    /// "model.xml, line 12" or "line 12".
    pub fn place(&self, id: usize) -> String {
        let e = &self.elements[id];
        let label = &self.files[e.file].label;
        if label.is_empty() {
            format!("line {}", e.line)
        } else {
            format!("{label}, line {}", e.line)
        }
    }

    /// "line 12", with the name of the file if it is not the main one.
    pub fn origin(&self, id: usize) -> String {
        let e = &self.elements[id];
        if e.file == 0 {
            format!("line {}", e.line)
        } else {
            self.place(id)
        }
    }

    /// Parses `text` and appends its elements. Returns the index of the root.
    fn append(&mut self, text: &str, file: usize) -> Result<usize> {
        let label = self.files[file].label.clone();
        with_document(text, &label, |document| {
            self.append_document(document, file)
        })
    }

    fn append_document(
        &mut self,
        document: &roxmltree::Document<'_>,
        file: usize,
    ) -> Result<usize> {
        let lines = Lines::new(document.input_text());
        let top = Xml::root(document, &lines);
        let root = self.elements.len();
        let mut stack = vec![(document.root_element(), None)];
        while let Some((node, parent)) = stack.pop() {
            let id = self.elements.len();
            if id >= MAX_ELEMENTS {
                return Err(Error::capacity(format!(
                    "{}: more than {MAX_ELEMENTS} elements with the included ones",
                    self.place(root)
                )));
            }
            self.elements.push(Element {
                tag: top.other(node).tag().to_string(),
                // Attributes with a prefix belong to other programs.
                attributes: node
                    .attributes()
                    .filter(|a| a.namespace().is_none())
                    .map(|a| (a.name().to_string(), a.value().to_string()))
                    .collect(),
                children: Vec::new(),
                line: top.other(node).line() as u32,
                file,
                model: 0,
            });
            if let Some(parent) = parent {
                let siblings: &mut Vec<usize> = &mut self.elements[parent as usize].children;
                siblings.push(id);
            }
            let first = stack.len();
            for child in node.children() {
                if child.is_element() {
                    stack.push((child, Some(id as u32)));
                } else if child.is_text() && !child.text().unwrap_or_default().trim().is_empty() {
                    self.stray_text.push(id);
                }
            }
            stack[first..].reverse();
        }
        Ok(root)
    }

    fn expand_includes(&mut self, root: usize, base_dir: Option<&Path>) -> Result<()> {
        let mut parents = vec![root];
        while let Some(parent) = parents.pop() {
            let mut pending = std::mem::take(&mut self.elements[parent].children);
            pending.reverse();
            let mut children = Vec::with_capacity(pending.len());
            while let Some(child) = pending.pop() {
                if self.elements[child].tag == "include" {
                    let root = self.open_include(child, base_dir)?;
                    pending.extend(self.elements[root].children.iter().rev());
                } else {
                    children.push(child);
                    parents.push(child);
                }
            }
            self.elements[parent].children = children;
        }
        Ok(())
    }

    /// Reads the file that an `<include>` names. Returns the index of its root.
    fn open_include(&mut self, id: usize, base_dir: Option<&Path>) -> Result<usize> {
        let place = self.place(id);
        let fail = |message: String| Error::parse(format!("{place}: <include>: {message}"));
        let element = &self.elements[id];
        match element.attributes.as_slice() {
            [(key, value)] if key == "file" && !value.is_empty() => {}
            _ => return Err(fail("expected exactly the attribute file=\"name\"".into())),
        }
        if !element.children.is_empty() {
            return Err(fail("has children; expected none".into()));
        }
        self.open(id, base_dir)
    }

    /// Reads the model that a `<model>` of the assets names, with its includes. Returns its root and its
    /// folder.
    pub fn open_model(
        &mut self,
        id: usize,
        base_dir: Option<&Path>,
    ) -> Result<(usize, Option<PathBuf>)> {
        let root = self.open(id, base_dir)?;
        if self.elements[root].tag != "mujoco" {
            return Err(Error::parse(format!(
                "{}: the root element of an MJCF file is <mujoco>, found <{}>",
                self.place(root),
                self.elements[root].tag
            )));
        }
        let path = self.files[self.elements[root].file].path.as_deref();
        let dir = path.and_then(Path::parent).map(Path::to_owned);
        self.expand_includes(root, dir.as_deref())?;
        Ok((root, dir))
    }

    /// Adds an element without attributes and children, with the place of another one.
    pub fn add_empty(&mut self, tag: &str, at: usize) -> usize {
        let Element {
            line, file, model, ..
        } = self.elements[at];
        self.elements.push(Element {
            tag: tag.to_owned(),
            attributes: Vec::new(),
            children: Vec::new(),
            line,
            file,
            model,
        });
        self.elements.len() - 1
    }

    /// An attribute of an element.
    pub fn text(&self, id: usize, name: &str) -> Option<&str> {
        let attributes = self.elements[id].attributes.iter();
        (attributes.clone().find(|a| a.0 == name)).map(|a| a.1.as_str())
    }

    /// Reads the file that the attribute `file` of an element names. Returns the index of its root.
    fn open(&mut self, id: usize, base_dir: Option<&Path>) -> Result<usize> {
        let place = self.place(id);
        let tag = self.elements[id].tag.clone();
        let fail = |message: String| Error::parse(format!("{place}: <{tag}>: {message}"));
        let from = self.elements[id].file;
        let name = self.text(id, "file").filter(|f| !f.is_empty());
        // Windows files have backslashes.
        let name = name
            .map(|f| PathBuf::from(f.replace('\\', "/")))
            .ok_or_else(|| fail("attribute file is missing".into()))?;
        let name = name.as_path();
        let beside = self.files[from].path.as_deref().and_then(Path::parent);
        let mut candidates: Vec<PathBuf> = [base_dir, beside]
            .into_iter()
            .flatten()
            .map(|d| d.join(name))
            .collect();
        candidates.dedup();
        if candidates.is_empty() && name.is_absolute() {
            candidates.push(name.to_path_buf());
        }
        let path = candidates.iter().find(|p| p.is_file()).ok_or_else(|| {
            let tried: Vec<String> = candidates.iter().map(|p| p.display().to_string()).collect();
            Error::io(format!(
                "{place}: <{tag}>: file {:?} not found (looked for: {})",
                name.display(),
                if tried.is_empty() {
                    "no directory is known for text".to_string()
                } else {
                    tried.join(", ")
                }
            ))
        })?;
        let key = canonical(path);
        let mut ancestor = Some(from);
        while let Some(a) = ancestor {
            if self.files[a].path.as_deref() == Some(&key) {
                return Err(fail(format!("{} includes itself", path.display())));
            }
            ancestor = self.files[a].parent;
        }
        let depth = self.files[from].depth + 1;
        if depth > MAX_INCLUDE_DEPTH {
            return Err(fail(format!(
                "nested deeper than {MAX_INCLUDE_DEPTH} files"
            )));
        }
        let text = read_text(path).map_err(|e| Error {
            status: e.status,
            message: format!("{place}: <{tag}>: {}", e.message),
        })?;
        self.files.push(SourceFile {
            label: path.display().to_string(),
            path: Some(key),
            parent: Some(from),
            depth,
        });
        self.append(&text, self.files.len() - 1)
    }
}
