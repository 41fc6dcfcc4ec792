//! `<actuator>`: everything that is a fixed gain with an affine bias on a joint.

use super::Loader;
use super::actuator_settings::{ActuatorSettings, Bias};
use super::joint::range;
use super::names::Names;
use super::node::Node;
use super::servo::DampingRatio;
use crate::error::{Error, Result};
use crate::model::cord::Transmission;
use crate::model::spec::{ActuatorSpec, JointKind};

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
        let attribute = match (node.has("joint"), node.has("jointinparent")) {
            (true, true) => {
                return Err(node.error("both joint and jointinparent given; expected one"));
            }
            (false, true) => "jointinparent",
            _ => "joint",
        };
        let index = Names::find(&self.names.joints, node, attribute)?;
        let entry = self.joints[index].clone();
        let joint = &self.spec.bodies[entry.body].joints[entry.position];
        let bias = match settings.bias_kind {
            Bias::Affine => [settings.bias[0], settings.bias[1], settings.bias[2]],
            Bias::None => [0.0; 3],
        };
        if matches!(joint.kind, JointKind::Spherical | JointKind::Free) {
            if attribute == "jointinparent" {
                return Err(node.unsupported("jointinparent of a ball or free joint"));
            }
            if bias[1] != 0.0 {
                return Err(node.unsupported("a position servo on a ball or free joint"));
            }
        }
        if joint.kind == JointKind::Free && settings.gear[..3] != [0.0; 3] {
            return Err(node.unsupported(
                "gear: a force on a free joint acts along world axes, which is not supported; \
                 only a torque (the last three numbers) is",
            ));
        }
        let mut control = settings.control_range;
        if settings.inherit_range > 0.0 {
            let (lower, upper) = joint.limits.ok_or_else(|| {
                node.error(format!("inheritrange: joint {:?} has no range", joint.name))
            })?;
            let (mean, radius) = (
                0.5 * (lower + upper),
                0.5 * (upper - lower) * settings.inherit_range,
            );
            control = [mean - radius, mean + radius];
        }
        let compiler = &self.compiler;
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
        Names::insert(&mut self.names.actuators, node, node.name(), 0)?;
        // MJCF writes a damping ratio as a positive velocity bias of a position servo.
        if bias[2] > 0.0 && bias[1] == -settings.gain[0] {
            let actuator = self.spec.actuators.len();
            self.damping_ratios.push(DampingRatio::new(
                node,
                actuator,
                vec![(entry, 1.0)],
                bias[2],
            ));
        }
        self.actuated.push(index);
        self.spec.actuators.push(ActuatorSpec {
            name: node.name().to_string(),
            transmission: Transmission::Joint(joint.name.clone()),
            gear: settings.gear,
            gain: settings.gain[0],
            bias,
            control_range,
            force_range,
            origin: node.origin(),
        });
        Ok(())
    }

    /// Turns a joint's `actuatorfrcrange`, which bounds the sum of its actuators' torques, into the
    /// force range of its only actuator.
    pub(super) fn apply_joint_force_ranges(&mut self) -> Result<()> {
        for (k, &joint) in self.actuated.iter().enumerate() {
            let entry = &self.joints[joint];
            let Some((lower, upper)) = entry.force_range else {
                continue;
            };
            let actuator = &mut self.spec.actuators[k];
            let name = &self.spec.bodies[entry.body].joints[entry.position].name;
            if self.actuated.iter().filter(|&&j| j == joint).count() > 1 {
                return Err(Error::unsupported(format!(
                    "{}: actuatorfrcrange of joint {:?} bounds the sum of several actuators, which \
                     is not supported",
                    actuator.origin, name
                )));
            }
            let kind = self.spec.bodies[entry.body].joints[entry.position].kind;
            if !matches!(kind, JointKind::Revolute | JointKind::Prismatic) {
                return Err(Error::unsupported(format!(
                    "{}: actuatorfrcrange of joint {:?}, which is neither hinge nor slide, is not \
                     supported",
                    actuator.origin, name
                )));
            }
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
