//! Names of the file's objects by kind, with the place of the first use.

use super::node::Node;
use crate::error::Result;
use std::collections::HashMap;

/// From a name to an index and the place of its definition.
pub(super) type NameMap = HashMap<String, (usize, String)>;

#[derive(Default)]
pub(super) struct Names {
    pub bodies: NameMap,
    pub joints: NameMap,
    pub geoms: NameMap,
    pub sites: NameMap,
    pub tendons: NameMap,
    pub actuators: NameMap,
    pub sensors: NameMap,
    pub keyframes: NameMap,
    pub equalities: NameMap,
    pub contacts: NameMap,
}

impl Names {
    pub fn new() -> Self {
        let mut names = Names::default();
        names
            .bodies
            .insert("world".into(), (0, "the world itself".into()));
        names
    }

    /// Records `name`. The empty name is not recorded.
    pub fn insert(map: &mut NameMap, node: Node<'_>, name: &str, index: usize) -> Result<()> {
        if name.is_empty() {
            return Ok(());
        }
        if let Some((_, first)) = map.get(name) {
            return Err(node.error(format!("the name {name:?} is already taken: {first}")));
        }
        map.insert(name.to_string(), (index, node.origin()));
        Ok(())
    }

    /// The index of the object that `attribute` of `node` names.
    pub fn find(map: &NameMap, node: Node<'_>, attribute: &str) -> Result<usize> {
        let name = node.required(attribute)?;
        match map.get(name) {
            Some((index, _)) => Ok(*index),
            None => Err(node.error(format!("{attribute}: nothing is named {name:?}"))),
        }
    }
}
