//! The attributes of contact pairs and equalities.

use super::geom::condim;
use super::node::Node;
use crate::error::Result;

/// A pair's own contact parameters. Those of its geoms are not used.
#[derive(Clone)]
pub(super) struct PairSettings {
    pub condim: i32,
    pub friction: [f64; 5],
    pub margin: f64,
    pub gap: f64,
}

impl Default for PairSettings {
    fn default() -> Self {
        PairSettings {
            condim: 3,
            friction: [1.0, 1.0, 0.005, 0.0001, 0.0001],
            margin: 0.0,
            gap: 0.0,
        }
    }
}

impl PairSettings {
    pub fn read(&mut self, node: Node<'_>) -> Result<()> {
        self.condim = condim(node)?.unwrap_or(self.condim);
        node.numbers("friction", 1, &mut self.friction)?;
        if let Some(x) = self.friction.iter().find(|x| **x < 0.0) {
            return Err(node.error(format!("friction: expected numbers ≥ 0, found {x}")));
        }
        self.margin = node.magnitude("margin")?.unwrap_or(self.margin);
        self.gap = node.number("gap")?.map_or(self.gap, |gap| gap.max(0.0));
        Ok(())
    }
}

#[derive(Clone)]
pub(super) struct EqualitySettings {
    pub active: bool,
}

impl Default for EqualitySettings {
    fn default() -> Self {
        EqualitySettings { active: true }
    }
}

impl EqualitySettings {
    pub fn read(&mut self, node: Node<'_>) -> Result<()> {
        self.active = node.flag("active")?.unwrap_or(self.active);
        Ok(())
    }
}
