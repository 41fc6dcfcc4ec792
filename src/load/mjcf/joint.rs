//! `<joint>` and `<freejoint>`.

use super::node::Node;
use super::settings::{Compiler, Options};
use crate::error::Result;
use crate::model::spec::{JointKind, JointSpec};
use crate::spatial::{Pose, Vec3};

/// A joint's attributes as written, angles in the file's unit.
#[derive(Clone)]
pub(super) struct JointSettings {
    kind: JointKind,
    position: Vec3,
    axis: Vec3,
    range: [f64; 2],
    limited: Option<bool>,
    reference: f64,
    spring_reference: f64,
    /// Linear, quadratic and cubic coefficients.
    stiffness: [f64; 3],
    damping: [f64; 3],
    armature: f64,
    friction_loss: f64,
    margin: f64,
    force_range: [f64; 2],
    force_limited: Option<bool>,
    /// Whether gravity compensation counts as an actuator force.
    actuator_compensates: bool,
    /// Time constant and damping ratio. If both are positive, they replace stiffness and damping.
    spring_damper: [f64; 2],
}

impl Default for JointSettings {
    fn default() -> Self {
        JointSettings {
            kind: JointKind::Revolute,
            position: Vec3::ZERO,
            axis: Vec3::Z,
            range: [0.0; 2],
            limited: None,
            reference: 0.0,
            spring_reference: 0.0,
            stiffness: [0.0; 3],
            damping: [0.0; 3],
            armature: 0.0,
            friction_loss: 0.0,
            margin: 0.0,
            force_range: [0.0; 2],
            force_limited: None,
            actuator_compensates: false,
            spring_damper: [0.0; 2],
        }
    }
}

impl JointSettings {
    pub fn read(&mut self, node: Node<'_>) -> Result<()> {
        let kinds = [
            ("hinge", JointKind::Revolute),
            ("slide", JointKind::Prismatic),
            ("ball", JointKind::Spherical),
            ("free", JointKind::Free),
        ];
        self.kind = node.keyword("type", &kinds)?.unwrap_or(self.kind);
        self.position = node.vec3("pos")?.unwrap_or(self.position);
        self.axis = node.vec3("axis")?.unwrap_or(self.axis);
        node.bounds("range", &mut self.range)?;
        node.bounds("actuatorfrcrange", &mut self.force_range)?;
        node.numbers("springdamper", 2, &mut self.spring_damper)?;
        self.limited = node.tristate("limited")?.unwrap_or(self.limited);
        self.actuator_compensates = node
            .flag("actuatorgravcomp")?
            .unwrap_or(self.actuator_compensates);
        self.force_limited = node
            .tristate("actuatorfrclimited")?
            .unwrap_or(self.force_limited);
        for (value, name) in [
            (&mut self.reference, "ref"),
            (&mut self.spring_reference, "springref"),
        ] {
            *value = node.number(name)?.unwrap_or(*value);
        }
        for (value, name) in [
            (&mut self.armature, "armature"),
            (&mut self.friction_loss, "frictionloss"),
            (&mut self.margin, "margin"),
        ] {
            *value = node.magnitude(name)?.unwrap_or(*value);
        }
        polynomial(node, "stiffness", &mut self.stiffness)?;
        polynomial(node, "damping", &mut self.damping)
    }

    /// Time constant and damping ratio of its spring and damper, if given.
    pub fn spring_damper(&self) -> Option<[f64; 2]> {
        Some(self.spring_damper).filter(|s| s.iter().all(|x| *x > 0.0))
    }

    /// Builds the joint of a body. Its element is in `frame` (in body axes).
    pub fn build(
        &self,
        node: Node<'_>,
        compiler: &Compiler,
        options: &Options,
        frame: &Pose,
    ) -> Result<JointSpec> {
        let kind = self.kind;
        let mut joint = JointSpec::new(node.name(), kind);
        joint.origin = node.origin();
        let axis = self.axis.normalized();
        if matches!(kind, JointKind::Revolute | JointKind::Prismatic) {
            let axis = axis.ok_or_else(|| node.error("axis: has length zero"))?;
            joint.axis = frame.rot.mul_vec(axis);
        }
        if kind != JointKind::Free {
            joint.anchor = frame.point(self.position);
        }
        // The reference of a ball or free joint has no meaning.
        let unit = match kind {
            JointKind::Revolute | JointKind::Spherical => compiler.angles.unit,
            _ => 1.0,
        };
        if matches!(kind, JointKind::Revolute | JointKind::Prismatic) {
            joint.reference = self.reference * unit;
            joint.spring_reference = self.spring_reference * unit;
        }
        joint.armature = self.armature;
        if options.damper {
            if kind == JointKind::Free && self.damping[1..] != [0.0; 2] {
                return Err(node.unsupported(
                    "damping: only the linear coefficient is supported on a free joint",
                ));
            }
            let [linear, terms @ ..] = self.damping;
            (joint.damping, joint.damping_terms) = (linear, terms);
        }
        if options.spring {
            let [linear, terms @ ..] = self.stiffness;
            (joint.stiffness, joint.stiffness_terms) = (linear, terms);
        }
        if options.friction_loss {
            joint.friction_loss = self.friction_loss;
        }
        joint.limit_margin = self.margin;
        // A free joint has no limits, even if its default class has.
        if kind == JointKind::Free {
            return Ok(joint);
        }
        let limits = range(node, compiler, "range", "limited", self.range, self.limited)?;
        if let Some((lower, upper)) = limits.filter(|_| options.limit) {
            if kind == JointKind::Spherical && lower != 0.0 {
                return Err(node.error(format!(
                    "range: the lower bound of a ball joint must be 0, found {lower}"
                )));
            }
            joint.limits = Some((lower * unit, upper * unit));
        }
        Ok(joint)
    }

    /// Bounds on the sum of the actuator forces on this joint.
    pub fn actuator_force_range(
        &self,
        node: Node<'_>,
        compiler: &Compiler,
    ) -> Result<Option<(f64, f64)>> {
        let bounds = range(
            node,
            compiler,
            "actuatorfrcrange",
            "actuatorfrclimited",
            self.force_range,
            self.force_limited,
        )?;
        // Without bounds the motion is the same, whether or not the compensation counts as an actuator
        // force.
        if bounds.is_some() && self.actuator_compensates {
            return Err(node.unsupported(
                "actuatorgravcomp with actuatorfrcrange: bounds that include the gravity compensation are not supported",
            ));
        }
        Ok(bounds)
    }

    /// Whether gravity compensation counts as an actuator force.
    pub fn actuator_compensates(&self) -> bool {
        self.actuator_compensates
    }
}

/// A coefficient with up to two terms of higher order.
pub(super) fn polynomial(node: Node<'_>, name: &str, value: &mut [f64; 3]) -> Result<()> {
    node.numbers(name, 1, value)?;
    if value[0] < 0.0 {
        return Err(node.error(format!("{name}: expected a number ≥ 0, found {}", value[0])));
    }
    Ok(())
}

/// The effective range: `limited` decides; by default a range is effective if it is given.
pub(super) fn range(
    node: Node<'_>,
    compiler: &Compiler,
    range_name: &str,
    limited_name: &str,
    range: [f64; 2],
    limited: Option<bool>,
) -> Result<Option<(f64, f64)>> {
    let given = range != [0.0; 2];
    if given && limited.is_none() && !compiler.auto_limits {
        return Err(node.error(format!(
            "{range_name} without {limited_name}, which autolimits=\"false\" requires"
        )));
    }
    if !limited.unwrap_or(given) {
        return Ok(None);
    }
    if range[0] >= range[1] {
        return Err(node.error(format!(
            "{range_name}: the lower bound {} must be below the upper {}",
            range[0], range[1]
        )));
    }
    // A range that is infinite on both sides has no effect.
    Ok(Some((range[0], range[1])).filter(|r| r.0.is_finite() || r.1.is_finite()))
}

/// `<freejoint>`: classes do not apply to it.
pub(super) fn free_joint(node: Node<'_>) -> JointSpec {
    let mut joint = JointSpec::new(node.name(), JointKind::Free);
    joint.origin = node.origin();
    joint
}
