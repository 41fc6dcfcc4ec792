//! The attributes of actuators, and the numbers that shortcuts set.

use super::joint::polynomial;
use super::node::Node;
use crate::error::{Error, Result};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gain {
    Fixed = 0,
    Affine = 1,
    Muscle = 2,
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

const SHORTCUTS: usize = Shortcut::Adhesion as usize + 1;

/// The kind of gain that each shortcut sets, in the order of [`Shortcut`].
const GAIN_KINDS: [Gain; SHORTCUTS] = {
    let mut kinds = [Gain::Fixed; SHORTCUTS];
    kinds[Shortcut::Damper as usize] = Gain::Affine;
    kinds[Shortcut::Muscle as usize] = Gain::Muscle;
    kinds
};

/// Defaults of `gainprm` and `biasprm` of a muscle: range, force, scale, lmin, lmax, vmax, fpmax, fvmax.
const MUSCLE: [f64; 10] = [0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2, 0.0];

/// The numbers that a shortcut sets: the law of the force and that of the activation.
#[derive(Clone, Copy)]
struct Numbers {
    gain: [f64; 10],
    gain_kind: Gain,
    bias: [f64; 10],
    bias_kind: Bias,
    dynamics: [f64; 10],
    dynamics_kind: Dynamics,
}

/// This number first, then zeros.
const fn first(x: f64) -> [f64; 10] {
    [x, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
}

const FRESH: Numbers = Numbers {
    gain: first(1.0),
    gain_kind: Gain::Fixed,
    bias: [0.0; 10],
    bias_kind: Bias::None,
    dynamics: first(1.0),
    dynamics_kind: Dynamics::None,
};

const FRESH_MUSCLE: Numbers = Numbers {
    gain: MUSCLE,
    dynamics: [0.01, 0.04, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    ..FRESH
};

/// An actuator's attributes as written. The shortcuts (motor, position, ...) set numbers of `<general>`.
/// All kinds share the other attributes. The numbers are inherited as in MuJoCo 4.0:
///
/// - A shortcut starts from the last numbers of a shortcut of its own kind.
/// - Without one it starts from the last `<general>` with the shortcut's kind of gain.
/// - A `<general>` starts from the numbers of the element before it, of any kind. Shortcuts with its
///   kind of gain then start from it.
#[derive(Clone)]
pub(super) struct ActuatorSettings {
    /// The last numbers of each shortcut.
    own: [Option<Numbers>; SHORTCUTS],
    /// The last numbers of a `<general>` with each kind of gain.
    general: [Numbers; 3],
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
    /// Inertia and damping of the motor, on its side of the gear.
    pub armature: f64,
    pub damping: [f64; 3],
    pub length_range: [f64; 2],
    pub control_range: [f64; 2],
    pub control_limited: Option<bool>,
    pub force_range: [f64; 2],
    pub force_limited: Option<bool>,
}

impl Default for ActuatorSettings {
    fn default() -> Self {
        ActuatorSettings {
            own: [None; SHORTCUTS],
            general: [FRESH, FRESH, FRESH_MUSCLE],
            gain: FRESH.gain,
            gain_kind: FRESH.gain_kind,
            bias: FRESH.bias,
            bias_kind: FRESH.bias_kind,
            dynamics: FRESH.dynamics,
            dynamics_kind: FRESH.dynamics_kind,
            act_range: [0.0; 2],
            act_limited: None,
            act_early: false,
            inherit_range: 0.0,
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            armature: 0.0,
            damping: [0.0; 3],
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
        self.armature = node.magnitude("armature")?.unwrap_or(self.armature);
        polynomial(node, "damping", &mut self.damping)?;
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
        let shortcut = match node.tag() {
            "motor" => Shortcut::Motor,
            "position" => Shortcut::Position,
            "velocity" => Shortcut::Velocity,
            "intvelocity" => Shortcut::IntegratedVelocity,
            "damper" => Shortcut::Damper,
            "cylinder" => Shortcut::Cylinder,
            "muscle" => Shortcut::Muscle,
            "adhesion" => Shortcut::Adhesion,
            _ => return self.read_general(node),
        };
        let before = self.own[shortcut as usize];
        let before = before.unwrap_or(self.general[GAIN_KINDS[shortcut as usize] as usize]);
        self.take(&before);
        self.act_early = false;
        match shortcut {
            Shortcut::Motor => self.read_motor(),
            Shortcut::Position => self.read_position(node)?,
            Shortcut::Velocity => self.read_velocity(node)?,
            Shortcut::IntegratedVelocity => self.read_integrated_velocity(node)?,
            Shortcut::Damper => self.read_damper(node)?,
            Shortcut::Cylinder => self.read_cylinder(node)?,
            Shortcut::Muscle => self.read_muscle(node)?,
            Shortcut::Adhesion => self.read_adhesion(node)?,
        }
        self.own[shortcut as usize] = Some(self.numbers());
        Ok(())
    }

    fn numbers(&self) -> Numbers {
        Numbers {
            gain: self.gain,
            gain_kind: self.gain_kind,
            bias: self.bias,
            bias_kind: self.bias_kind,
            dynamics: self.dynamics,
            dynamics_kind: self.dynamics_kind,
        }
    }

    fn take(&mut self, numbers: &Numbers) {
        (self.gain, self.gain_kind) = (numbers.gain, numbers.gain_kind);
        (self.bias, self.bias_kind) = (numbers.bias, numbers.bias_kind);
        (self.dynamics, self.dynamics_kind) = (numbers.dynamics, numbers.dynamics_kind);
    }

    /// Whether `inheritrange` sets the range of the activation.
    pub fn inherits_activation(&self) -> bool {
        self.dynamics_kind == Dynamics::Integrator
    }

    fn read_motor(&mut self) {
        self.take(&FRESH);
        self.inherit_range = 0.0;
    }

    fn read_position(&mut self, node: Node<'_>) -> Result<()> {
        self.dynamics = first(self.dynamics[0]);
        if self.dynamics_kind != Dynamics::FilterExact {
            self.dynamics_kind = Dynamics::None;
        }
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
        (self.dynamics, self.dynamics_kind) = (FRESH.dynamics, Dynamics::Integrator);
        self.read_servo(node)
    }

    fn read_servo(&mut self, node: Node<'_>) -> Result<()> {
        let kp = node.number("kp")?.unwrap_or(self.gain[0]);
        (self.gain, self.gain_kind) = (first(kp), Gain::Fixed);
        let damping = self.bias[2];
        (self.bias, self.bias_kind) = (FRESH.bias, Bias::Affine);
        (self.bias[1], self.bias[2]) = (-kp, damping);
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
        let kv = node.magnitude("kv")?.unwrap_or(self.gain[0]);
        self.take(&FRESH);
        self.gain = first(kv);
        self.bias[2] = -kv;
        self.bias_kind = Bias::Affine;
        self.inherit_range = 0.0;
        Ok(())
    }

    /// A force −kv u l̇ against the motion of the transmission.
    fn read_damper(&mut self, node: Node<'_>) -> Result<()> {
        let before = match self.gain_kind {
            Gain::Affine => -self.gain[2],
            _ => 0.0,
        };
        let kv = node.magnitude("kv")?.unwrap_or(before);
        self.take(&FRESH);
        self.gain = [0.0; 10];
        self.gain[2] = -kv;
        self.gain_kind = Gain::Affine;
        (self.control_limited, self.inherit_range) = (Some(true), 0.0);
        if self.control_range[0] < 0.0 {
            return Err(node.error(format!(
                "ctrlrange: a damper needs a control range that is not negative, got {}",
                self.control_range[0]
            )));
        }
        Ok(())
    }

    /// A hydraulic or pneumatic cylinder: a pressure that follows the input, acting on an area.
    fn read_cylinder(&mut self, node: Node<'_>) -> Result<()> {
        (self.gain, self.gain_kind) = (first(self.gain[0]), Gain::Fixed);
        (self.dynamics, self.dynamics_kind) = (first(self.dynamics[0]), Dynamics::Filter);
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
        let gain = node.magnitude("gain")?.unwrap_or(self.gain[0]);
        self.take(&FRESH);
        self.gain = first(gain);
        (self.control_limited, self.inherit_range) = (Some(true), 0.0);
        if self.control_range[0] < 0.0 {
            return Err(node.error(format!(
                "ctrlrange: adhesion needs a control range that is not negative, got {}",
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
        let kind = self.gain_kind;
        self.general[kind as usize] = self.numbers();
        for (shortcut, own) in self.own.iter_mut().enumerate() {
            if GAIN_KINDS[shortcut] == kind {
                *own = None;
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
