//! The attributes of actuators, and what the shortcuts make of them.

use super::node::Node;
use crate::error::{Error, Result};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bias {
    None,
    Affine,
}

/// The elements that set the numbers of `<general>`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shortcut {
    Motor,
    Position,
    Velocity,
}

/// An actuator's attributes as written. The shortcuts (motor, position, velocity) only set these:
/// a default for one is a default for all.
#[derive(Clone)]
pub(super) struct ActuatorSettings {
    /// The last one read.
    shortcut: Option<Shortcut>,
    pub gain: [f64; 10],
    pub bias: [f64; 10],
    pub bias_kind: Bias,
    pub inherit_range: f64,
    pub gear: [f64; 6],
    pub control_range: [f64; 2],
    pub control_limited: Option<bool>,
    pub force_range: [f64; 2],
    pub force_limited: Option<bool>,
}

impl Default for ActuatorSettings {
    fn default() -> Self {
        ActuatorSettings {
            shortcut: None,
            gain: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            bias: [0.0; 10],
            bias_kind: Bias::None,
            inherit_range: 0.0,
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            control_range: [0.0; 2],
            control_limited: None,
            force_range: [0.0; 2],
            force_limited: None,
        }
    }
}

impl ActuatorSettings {
    pub fn read(&mut self, node: Node<'_>) -> Result<()> {
        node.numbers("gear", 1, &mut self.gear)?;
        if node.numbers("ctrlrange", 2, &mut self.control_range)? > 0 {
            self.inherit_range = 0.0;
        }
        node.numbers("forcerange", 2, &mut self.force_range)?;
        for (value, name) in [
            (&mut self.control_limited, "ctrllimited"),
            (&mut self.force_limited, "forcelimited"),
        ] {
            *value = node.tristate(name)?.unwrap_or(*value);
        }
        match node.tag() {
            "motor" => self.read_motor(),
            "position" => self.read_position(node),
            "velocity" => self.read_velocity(node),
            _ => self.read_general(node),
        }
    }

    /// A shortcut keeps the numbers of its own kind and of `<general>`, and drops those of others.
    fn enter(&mut self, shortcut: Shortcut) {
        if self.shortcut.is_some_and(|s| s != shortcut) {
            let fresh = ActuatorSettings::default();
            (self.gain, self.bias) = (fresh.gain, fresh.bias);
        }
        self.shortcut = Some(shortcut);
    }

    fn read_motor(&mut self) -> Result<()> {
        self.enter(Shortcut::Motor);
        let fresh = ActuatorSettings::default();
        (self.gain, self.bias, self.bias_kind) = (fresh.gain, fresh.bias, fresh.bias_kind);
        self.inherit_range = 0.0;
        Ok(())
    }

    fn read_position(&mut self, node: Node<'_>) -> Result<()> {
        self.enter(Shortcut::Position);
        let kp = node.number("kp")?.unwrap_or(self.gain[0]);
        self.gain[0] = kp;
        self.bias[0] = 0.0;
        self.bias[1] = -kp;
        self.bias_kind = Bias::Affine;
        if node.has("kv") && node.has("dampratio") {
            return Err(node.error("both kv and dampratio given; expected one"));
        }
        if let Some(kv) = node.magnitude("kv")? {
            self.bias[2] = -kv;
        }
        if let Some(ratio) = node.magnitude("dampratio")? {
            self.bias[2] = ratio;
        }
        self.read_inherited_range(node)
    }

    fn read_velocity(&mut self, node: Node<'_>) -> Result<()> {
        self.enter(Shortcut::Velocity);
        let kv = node.magnitude("kv")?.unwrap_or(self.gain[0]);
        self.gain[0] = kv;
        self.bias = [0.0; 10];
        self.bias[2] = -kv;
        self.bias_kind = Bias::Affine;
        self.inherit_range = 0.0;
        Ok(())
    }

    fn read_general(&mut self, node: Node<'_>) -> Result<()> {
        // Other kinds of gain, bias and dynamics exist in MJCF, but not here.
        let unsupported = |e: Error| Error::unsupported(e.message);
        node.keyword("dyntype", &[("none", ())])
            .and(node.keyword("gaintype", &[("fixed", ())]))
            .map_err(unsupported)?;
        let biases = [("none", Bias::None), ("affine", Bias::Affine)];
        self.bias_kind = node
            .keyword("biastype", &biases)
            .map_err(unsupported)?
            .unwrap_or(self.bias_kind);
        node.numbers("gainprm", 1, &mut self.gain)?;
        node.numbers("biasprm", 1, &mut self.bias)?;
        self.read_inherited_range(node)
    }

    fn read_inherited_range(&mut self, node: Node<'_>) -> Result<()> {
        let Some(scale) = node.magnitude("inheritrange")? else {
            return Ok(());
        };
        if scale > 0.0 && node.has("ctrlrange") {
            return Err(node.error("both ctrlrange and inheritrange given; expected one"));
        }
        self.inherit_range = scale;
        Ok(())
    }
}
