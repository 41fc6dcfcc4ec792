//! The attributes of tendons.

use super::joint::polynomial;
use super::node::Node;
use crate::error::Result;

/// A tendon's attributes as written.
#[derive(Clone)]
pub(super) struct TendonSettings {
    pub stiffness: [f64; 3],
    pub damping: [f64; 3],
    /// Rest lengths. If both are −1: the length with the joints' springs at rest.
    pub spring_length: [f64; 2],
    pub range: [f64; 2],
    pub limited: Option<bool>,
    pub margin: f64,
    pub friction_loss: f64,
    pub armature: f64,
}

impl Default for TendonSettings {
    fn default() -> Self {
        TendonSettings {
            stiffness: [0.0; 3],
            damping: [0.0; 3],
            spring_length: [-1.0; 2],
            range: [0.0; 2],
            limited: None,
            margin: 0.0,
            friction_loss: 0.0,
            armature: 0.0,
        }
    }
}

impl TendonSettings {
    pub fn read(&mut self, node: Node<'_>) -> Result<()> {
        polynomial(node, "stiffness", &mut self.stiffness)?;
        polynomial(node, "damping", &mut self.damping)?;
        let mut lengths = [0.0; 2];
        match node.numbers("springlength", 1, &mut lengths)? {
            0 => {}
            1 => self.spring_length = [lengths[0]; 2],
            _ => self.spring_length = lengths,
        }
        let [lower, upper] = self.spring_length;
        if lower > upper {
            return Err(node.error(format!(
                "springlength: the lower bound {lower} must not be above the upper {upper}"
            )));
        }
        node.bounds("range", &mut self.range)?;
        self.limited = node.tristate("limited")?.unwrap_or(self.limited);
        self.margin = node.magnitude("margin")?.unwrap_or(self.margin);
        self.friction_loss = node
            .magnitude("frictionloss")?
            .unwrap_or(self.friction_loss);
        self.armature = node.magnitude("armature")?.unwrap_or(self.armature);
        Ok(())
    }
}
