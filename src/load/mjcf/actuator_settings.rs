//! The attributes of actuators, and what the shortcuts make of them.

use super::node::Node;
use crate::error::{Error, Result};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gain {
    Fixed,
    Affine,
    Muscle,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bias {
    None,
    Affine,
    Muscle,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dynamics {
    None,
    Integrator,
    Filter,
    FilterExact,
    Muscle,
}

/// The elements that set the numbers of `<general>`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shortcut {
    Motor,
    Position,
    Velocity,
    IntegratedVelocity,
    Damper,
    Cylinder,
    Muscle,
    Adhesion,
}

/// What `gainprm` or `biasprm` of a muscle is when nothing is said of it: range, force, scale, lmin, lmax, vmax, fpmax,
/// fvmax.
const MUSCLE: [f64; 10] = [0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2, 0.0];

/// An actuator's attributes as written. The shortcuts (motor, position, ...) only set these:
/// a default for one is a default for all.
#[derive(Clone)]
pub(super) struct ActuatorSettings {
    /// The last one read.
    shortcut: Option<Shortcut>,
    pub gain: [f64; 10],
    pub gain_kind: Gain,
    pub bias: [f64; 10],
    pub bias_kind: Bias,
    pub dynamics: [f64; 10],
    pub dynamics_kind: Dynamics,
    pub act_range: [f64; 2],
    pub act_limited: Option<bool>,
    pub act_early: bool,
    pub inherit_range: f64,
    pub gear: [f64; 6],
    pub length_range: [f64; 2],
    pub control_range: [f64; 2],
    pub control_limited: Option<bool>,
    pub force_range: [f64; 2],
    pub force_limited: Option<bool>,
}

impl Default for ActuatorSettings {
    fn default() -> Self {
        let one = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        ActuatorSettings {
            shortcut: None,
            gain: one,
            gain_kind: Gain::Fixed,
            bias: [0.0; 10],
            bias_kind: Bias::None,
            dynamics: one,
            dynamics_kind: Dynamics::None,
            act_range: [0.0; 2],
            act_limited: None,
            act_early: false,
            inherit_range: 0.0,
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            length_range: [0.0; 2],
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
        let control = node.bounds("ctrlrange", &mut self.control_range)?;
        let act = node.bounds("actrange", &mut self.act_range)?;
        if control + act > 0 {
            self.inherit_range = 0.0;
        }
        node.bounds("forcerange", &mut self.force_range)?;
        node.numbers("lengthrange", 2, &mut self.length_range)?;
        for (value, name) in [
            (&mut self.control_limited, "ctrllimited"),
            (&mut self.act_limited, "actlimited"),
            (&mut self.force_limited, "forcelimited"),
        ] {
            *value = node.tristate(name)?.unwrap_or(*value);
        }
        match node.tag() {
            "motor" => self.read_motor(),
            "position" => self.read_position(node),
            "velocity" => self.read_velocity(node),
            "intvelocity" => self.read_integrated_velocity(node),
            "damper" => self.read_damper(node),
            "cylinder" => self.read_cylinder(node),
            "muscle" => self.read_muscle(node),
            "adhesion" => self.read_adhesion(node),
            _ => self.read_general(node),
        }
    }

    /// Whether the range that is inherited is that of the activation.
    pub fn inherits_activation(&self) -> bool {
        self.dynamics_kind == Dynamics::Integrator
    }

    /// A shortcut keeps the numbers of its own kind and of `<general>`, and drops those of others. Whether it is the first
    /// of its kind.
    fn enter(&mut self, shortcut: Shortcut) -> bool {
        let fresh = ActuatorSettings::default();
        if self.shortcut.is_some_and(|s| s != shortcut) {
            (self.gain, self.bias, self.dynamics) = (fresh.gain, fresh.bias, fresh.dynamics);
        }
        let is_new = self.shortcut != Some(shortcut);
        if is_new {
            self.dynamics_kind = fresh.dynamics_kind;
        }
        (self.gain_kind, self.act_early) = (fresh.gain_kind, fresh.act_early);
        self.shortcut = Some(shortcut);
        is_new
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
        if let Some(time) = node.magnitude("timeconst")? {
            self.dynamics[0] = time;
            self.dynamics_kind = match time > 0.0 {
                true => Dynamics::FilterExact,
                false => Dynamics::None,
            };
        }
        self.read_servo(node)
    }

    fn read_integrated_velocity(&mut self, node: Node<'_>) -> Result<()> {
        self.enter(Shortcut::IntegratedVelocity);
        self.dynamics_kind = Dynamics::Integrator;
        self.read_servo(node)
    }

    fn read_servo(&mut self, node: Node<'_>) -> Result<()> {
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

    /// A force −kv u l̇ against the motion of the transmission.
    fn read_damper(&mut self, node: Node<'_>) -> Result<()> {
        let is_new = self.enter(Shortcut::Damper);
        let before = if is_new { 0.0 } else { -self.gain[2] };
        let kv = node.magnitude("kv")?.unwrap_or(before);
        self.gain = [0.0; 10];
        self.gain[2] = -kv;
        self.gain_kind = Gain::Affine;
        (self.bias, self.bias_kind) = ([0.0; 10], Bias::None);
        (self.control_limited, self.inherit_range) = (Some(true), 0.0);
        if self.control_range[0] < 0.0 {
            return Err(node.error(format!(
                "ctrlrange: that of a damper must not be negative, got {}",
                self.control_range[0]
            )));
        }
        Ok(())
    }

    /// A hydraulic or pneumatic cylinder: a pressure that follows the input, on an area.
    fn read_cylinder(&mut self, node: Node<'_>) -> Result<()> {
        self.enter(Shortcut::Cylinder);
        self.dynamics_kind = Dynamics::Filter;
        if let Some(time) = node.number("timeconst")? {
            self.dynamics[0] = time;
        }
        if let Some(area) = node.number("area")? {
            self.gain[0] = area;
        }
        if let Some(diameter) = node.number("diameter")? {
            self.gain[0] = std::f64::consts::FRAC_PI_4 * diameter * diameter;
        }
        if let Some(bias) = node.array::<3>("bias")? {
            self.bias[..3].copy_from_slice(&bias);
        }
        (self.bias_kind, self.inherit_range) = (Bias::Affine, 0.0);
        Ok(())
    }

    fn read_muscle(&mut self, node: Node<'_>) -> Result<()> {
        if self.enter(Shortcut::Muscle) {
            self.gain = MUSCLE;
            self.dynamics[..3].copy_from_slice(&[0.01, 0.04, 0.0]);
        }
        if let Some(times) = node.array::<2>("timeconst")? {
            self.dynamics[..2].copy_from_slice(&times);
        }
        if let Some(width) = node.magnitude("tausmooth")? {
            self.dynamics[2] = width;
        }
        if let Some(range) = node.array::<2>("range")? {
            self.gain[..2].copy_from_slice(&range);
        }
        let names = ["force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"];
        for (value, name) in self.gain[2..].iter_mut().zip(names) {
            *value = node.number(name)?.unwrap_or(*value);
        }
        self.bias = self.gain;
        (self.gain_kind, self.bias_kind) = (Gain::Muscle, Bias::Muscle);
        (self.dynamics_kind, self.inherit_range) = (Dynamics::Muscle, 0.0);
        Ok(())
    }

    fn read_adhesion(&mut self, node: Node<'_>) -> Result<()> {
        self.enter(Shortcut::Adhesion);
        self.gain[0] = node.magnitude("gain")?.unwrap_or(self.gain[0]);
        (self.bias_kind, self.inherit_range) = (Bias::None, 0.0);
        self.control_limited = Some(true);
        if self.control_range[0] < 0.0 {
            return Err(node.error(format!(
                "ctrlrange: that of adhesion must not be negative, got {}",
                self.control_range[0]
            )));
        }
        Ok(())
    }

    fn read_general(&mut self, node: Node<'_>) -> Result<()> {
        // Other kinds of gain, bias and dynamics exist in MJCF, but not here.
        let unsupported = |e: Error| Error::unsupported(e.message);
        let laws = [
            ("none", Dynamics::None),
            ("integrator", Dynamics::Integrator),
            ("filter", Dynamics::Filter),
            ("filterexact", Dynamics::FilterExact),
            ("muscle", Dynamics::Muscle),
        ];
        let gains = [
            ("fixed", Gain::Fixed),
            ("affine", Gain::Affine),
            ("muscle", Gain::Muscle),
        ];
        let biases = [
            ("none", Bias::None),
            ("affine", Bias::Affine),
            ("muscle", Bias::Muscle),
        ];
        let law = node.keyword("dyntype", &laws).map_err(unsupported)?;
        self.dynamics_kind = law.unwrap_or(self.dynamics_kind);
        let gain = node.keyword("gaintype", &gains).map_err(unsupported)?;
        self.gain_kind = gain.unwrap_or(self.gain_kind);
        let bias = node.keyword("biastype", &biases).map_err(unsupported)?;
        self.bias_kind = bias.unwrap_or(self.bias_kind);
        node.numbers("dynprm", 1, &mut self.dynamics)?;
        node.numbers("gainprm", 1, &mut self.gain)?;
        node.numbers("biasprm", 1, &mut self.bias)?;
        self.act_early = node.flag("actearly")?.unwrap_or(self.act_early);
        if let Some(count) = node.integer("actdim")? {
            let fits = match self.dynamics_kind {
                Dynamics::None => count <= 0,
                _ => count == 1 || count < 0,
            };
            if !fits {
                return Err(node.unsupported(format!(
                    "actdim={count} with this dyntype: an actuator has one activation or none"
                )));
            }
        }
        self.read_inherited_range(node)
    }

    fn read_inherited_range(&mut self, node: Node<'_>) -> Result<()> {
        let Some(scale) = node.magnitude("inheritrange")? else {
            return Ok(());
        };
        for name in ["ctrlrange", "actrange"] {
            let other = (name == "actrange") == self.inherits_activation();
            if scale > 0.0 && other && node.has(name) {
                return Err(node.error(format!("both {name} and inheritrange given; expected one")));
            }
        }
        self.inherit_range = scale;
        Ok(())
    }
}
