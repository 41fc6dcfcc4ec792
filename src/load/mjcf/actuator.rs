//! `<actuator>`: gains and biases on a joint, a tendon, a site or the contacts of a body, with or without a
//! state.

use super::Loader;
use super::actuator_settings::{ActuatorSettings, Bias, Dynamics, Gain};
use super::joint::range;
use super::length_range::WaitingRange;
use super::names::Names;
use super::node::Node;
use super::servo::{DampingRatio, JointEntry};
use super::settings::LengthRange;
use crate::error::{Error, Result};
use crate::model::activation::{Activation, ActivationLaw};
use crate::model::muscle::Muscle;
use crate::model::sensor::Zone;
use crate::model::spec::{ActuatorSpec, JointKind, SiteSpec};
use crate::model::tendon::{TendonPath, Transmission};
use crate::spatial::Pose;

const NO_GEAR: [f64; 6] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];

/// The element that an actuator acts on.
struct Target {
    transmission: Transmission,
    /// Bounds of its length.
    limits: Option<(f64, f64)>,
    /// Index of the joint, if it is one.
    joint: Option<usize>,
    /// The joints whose weighted coordinates sum to the length, with their weights; `None` if the length
    /// is no such sum.
    acts_on: Option<Vec<(JointEntry, f64)>>,
}

impl Target {
    fn name(&self) -> String {
        match &self.transmission {
            Transmission::Joint(name) => format!("joint {name:?}"),
            Transmission::Tendon(name) => format!("tendon {name:?}"),
            Transmission::Body(name) => format!("body {name:?}"),
            Transmission::Site { site, .. } => format!("site {site:?}"),
        }
    }
}

/// The activation of an actuator.
fn activation(
    node: Node<'_>,
    settings: &ActuatorSettings,
    range: Option<(f64, f64)>,
) -> Result<Option<Activation>> {
    let [first, second, third, ..] = settings.dynamics;
    let law = match settings.dynamics_kind {
        Dynamics::None => {
            return match settings.act_range == [0.0; 2] && settings.act_limited != Some(true) {
                true => Ok(None),
                false => Err(node.error("actrange: the actuator has no activation (dyntype none)")),
            };
        }
        Dynamics::Integrator => ActivationLaw::Integrator,
        Dynamics::Filter => ActivationLaw::Filter {
            time_constant: first,
        },
        Dynamics::FilterExact => ActivationLaw::FilterExact {
            time_constant: first,
        },
        Dynamics::Muscle => ActivationLaw::Muscle {
            rise: first,
            fall: second,
            smoothing: third,
        },
    };
    Ok(Some(Activation {
        law,
        range,
        early: settings.act_early,
    }))
}

impl Loader {
    pub(super) fn read_actuators(&mut self, section: Node<'_>) -> Result<()> {
        for node in section.children() {
            let mut settings = self
                .classes
                .of(node, super::defaults::MAIN)?
                .actuator
                .clone();
            settings.read(node)?;
            self.read_actuator(node, &settings)?;
        }
        Ok(())
    }

    fn read_actuator(&mut self, node: Node<'_>, settings: &ActuatorSettings) -> Result<()> {
        let bias = match settings.bias_kind {
            Bias::Affine => [settings.bias[0], settings.bias[1], settings.bias[2]],
            Bias::None | Bias::Muscle => [0.0; 3],
        };
        let target = self.target(node, settings)?;
        let (mut control, mut act) = (settings.control_range, settings.act_range);
        if settings.inherit_range > 0.0 {
            let (lower, upper) = target.limits.ok_or_else(|| {
                let name = target.name();
                node.error(format!("inheritrange: {name} has no range"))
            })?;
            let (mean, radius) = (
                0.5 * (lower + upper),
                0.5 * (upper - lower) * settings.inherit_range,
            );
            let inherited = [mean - radius, mean + radius];
            match settings.inherits_activation() {
                true => act = inherited,
                false => control = inherited,
            }
        }
        let compiler = self.compiler(node);
        let control_range = range(
            node,
            compiler,
            "ctrlrange",
            "ctrllimited",
            control,
            settings.control_limited,
        )?
        .filter(|_| self.options.clamp_control);
        let force_range = range(
            node,
            compiler,
            "forcerange",
            "forcelimited",
            settings.force_range,
            settings.force_limited,
        )?;
        let act_range = range(
            node,
            compiler,
            "actrange",
            "actlimited",
            act,
            settings.act_limited,
        )?;
        let activation = activation(node, settings, act_range)?;
        let [active, passive] = self.muscles(node, settings, &target)?;
        Names::insert(&mut self.names.actuators, node, node.name(), 0)?;
        // MJCF writes a damping ratio as a positive velocity bias of a position servo.
        let fixed = settings.gain_kind == Gain::Fixed;
        if fixed && bias[2] > 0.0 && bias[1] == -settings.gain[0] {
            let actuator = self.spec.actuators.len();
            let acts_on = target.acts_on.ok_or_else(|| {
                node.unsupported(
                    "dampratio of a servo on a spatial tendon, a ball joint or at a site",
                )
            })?;
            self.damping_ratios
                .push(DampingRatio::new(node, actuator, acts_on, bias[2]));
        }
        self.actuated.push(target.joint);
        self.reflect(node, settings, target.joint)?;
        let gain = settings.gain;
        let (gain, gain_slopes) = match settings.gain_kind {
            Gain::Fixed => (gain[0], [0.0; 2]),
            Gain::Affine => (gain[0], [gain[1], gain[2]]),
            Gain::Muscle => (0.0, [0.0; 2]),
        };
        self.spec.actuators.push(ActuatorSpec {
            name: node.name().to_string(),
            transmission: target.transmission.clone(),
            gear: match &target.transmission {
                // It has no gear, even if a class sets one.
                Transmission::Body(_) => NO_GEAR,
                _ => settings.gear,
            },
            gain,
            gain_slopes,
            bias,
            active,
            passive,
            activation,
            control_range,
            force_range,
            origin: node.origin(),
        });
        Ok(())
    }

    /// Adds the inertia of the motor to its joint, and remembers its damping: both, with all terms, by the
    /// gear squared, as in MuJoCo.
    fn reflect(
        &mut self,
        node: Node<'_>,
        settings: &ActuatorSettings,
        joint: Option<usize>,
    ) -> Result<()> {
        if settings.armature == 0.0 && settings.damping == [0.0; 3] {
            return Ok(());
        }
        let Some(entry) = joint.map(|j| self.joints[j].clone()) else {
            return Err(
                node.unsupported("armature or damping of an actuator that acts on no joint")
            );
        };
        let joint = &mut self.spec.bodies[entry.body].joints[entry.position];
        if !matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic) {
            return Err(
                node.unsupported("armature or damping of an actuator on a ball or free joint")
            );
        }
        let square = settings.gear[0] * settings.gear[0];
        joint.armature += square * settings.armature;
        if self.options.damper {
            let damping = settings.damping.map(|d| square * d);
            self.motor_dampers.push((entry, damping));
        }
        Ok(())
    }

    /// Adds the damping of motors to their joints. Call it when all joints have their own damping.
    pub(super) fn apply_motor_dampers(&mut self) {
        for (joint, [linear, quadratic, cubic]) in &self.motor_dampers {
            let joint = &mut self.spec.bodies[joint.body].joints[joint.position];
            joint.damping += linear;
            joint.damping_terms[0] += quadratic;
            joint.damping_terms[1] += cubic;
        }
    }

    /// The active and passive muscle of an actuator, with the length range they need. The range may have
    /// to wait.
    fn muscles(
        &mut self,
        node: Node<'_>,
        settings: &ActuatorSettings,
        target: &Target,
    ) -> Result<[Option<Muscle>; 2]> {
        let parts = [
            (settings.gain_kind == Gain::Muscle, &settings.gain),
            (settings.bias_kind == Bias::Muscle, &settings.bias),
        ];
        if !parts.iter().any(|(is_muscle, _)| *is_muscle) {
            return Ok([None, None]);
        }
        let LengthRange {
            use_existing,
            use_limits,
            is_found,
        } = self.compiler(node).length_range;
        let [lower, upper] = settings.length_range;
        let length_range = if use_existing && lower < upper {
            (lower, upper)
        } else if let Some(limits) = target.limits.filter(|_| use_limits) {
            // As in MuJoCo, without the gear.
            limits
        } else if is_found {
            let actuator = self.spec.actuators.len();
            self.waiting_ranges.push(WaitingRange::new(node, actuator));
            self.warnings.add(
                node,
                "lengthrange of muscles is not given: computed within the limits of joints; MuJoCo computes it with soft limits",
            );
            (0.0, 0.0)
        } else {
            return Err(node.unsupported(
                "a muscle without lengthrange, and <lengthrange mode=\"none\"/> in <compiler>; give it",
            ));
        };
        Ok(parts.map(|(is_muscle, x)| {
            is_muscle.then(|| Muscle {
                length_range,
                range: (x[0], x[1]),
                force: x[2],
                scale: x[3],
                shortest: x[4],
                longest: x[5],
                fastest: x[6],
                passive: x[7],
                lengthening: x[8],
            })
        }))
    }

    /// The target of the actuator.
    fn target(&mut self, node: Node<'_>, settings: &ActuatorSettings) -> Result<Target> {
        let given = ["joint", "jointinparent", "tendon", "body", "site"];
        let mut given = given.into_iter().filter(|name| node.has(name));
        let usual = match node.tag() {
            "adhesion" => "body",
            _ => "joint",
        };
        let attribute = given.next().unwrap_or(usual);
        if let Some(other) = given.next() {
            return Err(node.error(format!("both {attribute} and {other} given; expected one")));
        }
        if attribute == "tendon" {
            let index = Names::find(&self.names.tendons, node, attribute)?;
            let tendon = &self.spec.tendons[index];
            return Ok(Target {
                transmission: Transmission::Tendon(tendon.name.clone()),
                limits: tendon.limits,
                joint: None,
                acts_on: self.joints_of_tendon(index),
            });
        }
        if attribute == "site" {
            return self.site(node);
        }
        if attribute == "body" {
            return self.adhesive_body(node, settings);
        }
        let index = Names::find(&self.names.joints, node, attribute)?;
        let entry = self.joints[index].clone();
        let joint = &self.spec.bodies[entry.body].joints[entry.position];
        let is_simple = !matches!(joint.kind, JointKind::Spherical | JointKind::Free);
        if !is_simple && attribute == "jointinparent" {
            return Err(node.unsupported("jointinparent of a ball or free joint"));
        }
        if joint.kind == JointKind::Free && settings.gear[..3] != [0.0; 3] {
            return self.pushed_base(node, settings, entry.body);
        }
        Ok(Target {
            transmission: Transmission::Joint(joint.name.clone()),
            limits: joint.limits.filter(|_| is_simple),
            joint: Some(index),
            acts_on: is_simple.then(|| vec![(entry, 1.0)]),
        })
    }

    /// A force on a free joint. It acts along the axes of the world, as at a site in the frame of the body
    /// against a site in the frame of the world; these sites are added.
    fn pushed_base(
        &mut self,
        node: Node<'_>,
        settings: &ActuatorSettings,
        body: usize,
    ) -> Result<Target> {
        // The length of a free joint is 0, that between the sites is not.
        let has_length = match (settings.gain_kind, settings.bias_kind) {
            (Gain::Muscle, _) | (_, Bias::Muscle) => true,
            (gain, bias) => {
                gain == Gain::Affine && settings.gain[1] != 0.0
                    || bias == Bias::Affine && settings.bias[1] != 0.0
            }
        };
        if has_length || settings.gear[3..] != [0.0; 3] {
            return Err(node.unsupported(
                "gear: on a free joint a force (the first three numbers) together with a torque (the last three), \
                 and a servo with a force, are not supported",
            ));
        }
        let (site, world) = (self.frame_site(node, body), self.frame_site(node, 0));
        self.warnings.add(
            node,
            format!("a force on a free joint acts at site {site:?} along the axes of site {world:?}; both are added"),
        );
        Ok(Target {
            transmission: Transmission::Site {
                site,
                reference: Some(world),
            },
            limits: None,
            joint: None,
            acts_on: None,
        })
    }

    /// The name of a site in the frame of a body, which is added if there is none.
    fn frame_site(&mut self, node: Node<'_>, body: usize) -> String {
        let is_frame = |s: &SiteSpec| s.body == body && s.placement == Pose::IDENTITY;
        let mut name = match self.spec.bodies[body].name.as_str() {
            "" => format!("body{body}_frame"),
            name => format!("{name}_frame"),
        };
        while let Some((index, _)) = self.names.sites.get(&name) {
            if is_frame(&self.spec.sites[*index]) {
                return name;
            }
            name.push('_');
        }
        let place = (self.spec.sites.len(), node.origin());
        self.names.sites.insert(name.clone(), place);
        self.spec.sites.push(SiteSpec {
            name: name.clone(),
            body,
            placement: Pose::IDENTITY,
            zone: Zone::default(),
        });
        name
    }

    /// A force and a torque at a site, along its axes or along those of a reference site.
    fn site(&self, node: Node<'_>) -> Result<Target> {
        let name = |attribute: &str| -> Result<String> {
            let index = Names::find(&self.names.sites, node, attribute)?;
            Ok(self.spec.sites[index].name.clone())
        };
        let reference = node.has("refsite").then(|| name("refsite"));
        Ok(Target {
            transmission: Transmission::Site {
                site: name("site")?,
                reference: reference.transpose()?,
            },
            limits: None,
            joint: None,
            acts_on: None,
        })
    }

    /// A body with adhesion at its contacts.
    fn adhesive_body(&self, node: Node<'_>, settings: &ActuatorSettings) -> Result<Target> {
        let name = node.required("body")?;
        Names::find(&self.names.bodies, node, "body")?;
        if settings.gain_kind != Gain::Fixed || settings.bias_kind != Bias::None {
            return Err(node.unsupported(
                "on a body a gain that is not fixed, or a bias, is not supported: adhesion is gain times input",
            ));
        }
        Ok(Target {
            transmission: Transmission::Body(name.to_string()),
            limits: None,
            joint: None,
            acts_on: None,
        })
    }

    /// Turns a joint's `actuatorfrcrange`, which bounds the sum of its actuators' torques, into the
    /// force range of its only actuator. Of several actuators the joint keeps it.
    pub(super) fn apply_joint_force_ranges(&mut self) -> Result<()> {
        let bounded = self.joints.iter().filter(|j| j.force_range.is_some());
        let mut bounded = bounded.map(|j| &self.spec.bodies[j.body].joints[j.position]);
        let pulls = |a: &ActuatorSpec, joint: &str| match &a.transmission {
            Transmission::Tendon(name) => {
                let tendon = self.spec.tendons.iter().find(|t| t.name == *name);
                tendon.is_some_and(|t| match &t.path {
                    TendonPath::Fixed(terms) => terms.iter().any(|(name, _)| name == joint),
                    TendonPath::Spatial(_) => true,
                })
            }
            Transmission::Site { .. } => true,
            Transmission::Joint(_) | Transmission::Body(_) => false,
        };
        if let Some(joint) = bounded.find(|j| self.spec.actuators.iter().any(|a| pulls(a, &j.name)))
        {
            self.warnings.at(
                &joint.origin,
                "actuatorfrcrange bounds the forces of actuators on the joint, not those of tendons and sites",
            );
        }
        for (k, &joint) in self.actuated.iter().enumerate() {
            let Some(entry) = joint.map(|j| &self.joints[j]) else {
                continue;
            };
            let Some((lower, upper)) = entry.force_range else {
                continue;
            };
            let kind = self.spec.bodies[entry.body].joints[entry.position].kind;
            if !matches!(kind, JointKind::Revolute | JointKind::Prismatic) {
                return Err(Error::unsupported(format!(
                    "{}: actuatorfrcrange of joint {:?}, which is neither hinge nor slide, is not \
                     supported",
                    self.spec.actuators[k].origin,
                    self.spec.bodies[entry.body].joints[entry.position].name
                )));
            }
            if self.actuated.iter().filter(|j| **j == joint).count() > 1 {
                let (body, position) = (entry.body, entry.position);
                self.spec.bodies[body].joints[position].actuator_bounds = Some((lower, upper));
                continue;
            }
            let actuator = &mut self.spec.actuators[k];
            let gear = actuator.gear[0];
            if gear == 0.0 {
                continue;
            }
            let (a, b) = (lower / gear, upper / gear);
            let (low, high) = (a.min(b), a.max(b));
            // A clamp after a clamp is one clamp, with the inner bounds clamped by the outer ones.
            actuator.force_range = Some(match actuator.force_range {
                Some((l, h)) => (l.clamp(low, high), h.clamp(low, high)),
                None => (low, high),
            });
        }
        Ok(())
    }
}
