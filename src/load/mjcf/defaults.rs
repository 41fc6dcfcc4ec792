//! Default classes: for each, the settings its elements start from.

use super::actuator_settings::ActuatorSettings;
use super::asset::MeshSettings;
use super::contact_settings::{EqualitySettings, PairSettings};
use super::geom::GeomSettings;
use super::joint::JointSettings;
use super::node::Node;
use super::orientation::Angles;
use super::paint::Paint;
use super::site::SiteSettings;
use super::tendon_settings::TendonSettings;
use crate::error::Result;
use std::collections::HashMap;

/// The settings of one class. A class starts as a copy of the enclosing one.
#[derive(Clone, Default)]
pub(super) struct Settings {
    pub joint: JointSettings,
    pub geom: GeomSettings,
    pub site: SiteSettings,
    pub mesh: MeshSettings,
    pub pair: PairSettings,
    pub equality: EqualitySettings,
    pub tendon: TendonSettings,
    pub actuator: ActuatorSettings,
    pub material: Paint,
}

impl Settings {
    fn read(&mut self, node: Node<'_>, angles: &Angles) -> Result<()> {
        for forbidden in ["name", "class"] {
            if node.has(forbidden) {
                return Err(node.error(format!("a default cannot have the attribute {forbidden}")));
            }
        }
        match node.tag() {
            "joint" => self.joint.read(node),
            "geom" => self.geom.read(node, angles),
            "site" => self.site.read(node, angles),
            "mesh" => self.mesh.read(node),
            "pair" => self.pair.read(node),
            "equality" => self.equality.read(node),
            "tendon" => self.tendon.read(node),
            "material" => {
                self.material.read(node);
                Ok(())
            }
            "general" | "motor" | "position" | "velocity" | "intvelocity" | "damper"
            | "cylinder" | "muscle" | "adhesion" => self.actuator.read(node),
            _ => Ok(()),
        }
    }
}

/// All classes of a file. The first one applies to elements without a class.
pub(super) struct Classes {
    settings: Vec<Settings>,
    by_name: HashMap<String, (usize, String)>,
}

/// Index of a class in [`Classes`].
pub(super) type Class = usize;

pub(super) const MAIN: Class = 0;

impl Classes {
    pub fn new() -> Self {
        Classes {
            settings: vec![Settings::default()],
            by_name: HashMap::from([("main".to_string(), (MAIN, String::new()))]),
        }
    }

    /// Reads a top-level `<default>`: first its own elements, then the classes nested in it.
    pub fn read(&mut self, top: Node<'_>, angles: &Angles) -> Result<()> {
        let main = match top.text("class") {
            None | Some("main") => MAIN,
            // The class of an attached model.
            Some(name) if top.model() != 0 => match self.by_name.get(name) {
                Some(&(index, _)) => index,
                None => {
                    self.settings.push(Settings::default());
                    let index = self.settings.len() - 1;
                    self.by_name.insert(name.to_owned(), (index, String::new()));
                    index
                }
            },
            Some(_) => {
                return Err(top.error("the class of the outermost <default> can only be \"main\""));
            }
        };
        let mut stack = vec![(top, main)];
        while let Some((node, class)) = stack.pop() {
            let (nested, own): (Vec<_>, Vec<_>) =
                node.children().partition(|c| c.tag() == "default");
            for element in own {
                self.settings[class].read(element, angles)?;
            }
            for inner in nested.into_iter().rev() {
                let name = inner.required("class")?;
                let index = self.settings.len();
                if let Some((_, first)) = self.by_name.get(name) {
                    return Err(inner.error(format!("class {name:?} is already defined{first}")));
                }
                self.by_name
                    .insert(name.to_string(), (index, format!(" at {}", inner.origin())));
                self.settings.push(self.settings[class].clone());
                stack.push((inner, index));
            }
        }
        Ok(())
    }

    /// The class that `attribute` of an element names; `inherited` without the attribute.
    pub fn find(&self, node: Node<'_>, attribute: &str, inherited: Class) -> Result<Class> {
        match node.text(attribute) {
            None => Ok(inherited),
            Some(name) => match self.by_name.get(name) {
                Some((index, _)) => Ok(*index),
                None => Err(node.error(format!("{attribute}: no default class {name:?}"))),
            },
        }
    }

    /// The settings an element starts from.
    pub fn of(&self, node: Node<'_>, inherited: Class) -> Result<&Settings> {
        Ok(&self.settings[self.find(node, "class", inherited)?])
    }
}
