//! Gains that depend on the bodies' inertias: the velocity gain of a position servo given by its damping
//! ratio, and the spring and damper of a joint given by their time constant and damping ratio.

use super::node::Node;
use super::reference_inertia::{MAX_DOFS, ReferenceInertia};
use crate::error::{Error, Result};
use crate::model::spec::ModelSpec;

/// A joint by its place, with the bounds on the sum of its actuator forces.
#[derive(Clone)]
pub(super) struct JointEntry {
    pub body: usize,
    pub position: usize,
    pub force_range: Option<(f64, f64)>,
}

/// The error that `attribute` requires a mass matrix that is not available.
fn no_inertia(node: Node<'_>, attribute: &str) -> Error {
    node.error(format!(
        "{attribute}: the mass matrix is singular or has more than {MAX_DOFS} rows"
    ))
}

/// An actuator whose velocity gain must wait for the inertias.
pub(super) struct DampingRatio {
    actuator: usize,
    /// One-dof joints that it acts on, with the factor of their coordinates in its length before the
    /// gear.
    acts_on: Vec<(JointEntry, f64)>,
    ratio: f64,
    /// Error with the place of the actuator, for messages.
    error: Error,
}

impl DampingRatio {
    pub fn new(
        node: Node<'_>,
        actuator: usize,
        acts_on: Vec<(JointEntry, f64)>,
        ratio: f64,
    ) -> Self {
        DampingRatio {
            actuator,
            acts_on,
            ratio,
            error: no_inertia(node, "dampratio"),
        }
    }

    /// kv = 2 ratio √(kp I), where I is the inertia that the actuator moves at the reference
    /// configuration: 1/(gᵀ M⁻¹ g) with its moment g, with all joints free to move.
    fn apply(&self, inertia: &ReferenceInertia, spec: &mut ModelSpec) -> Result<()> {
        let gear = spec.actuators[self.actuator].gear[0];
        let moment: Vec<(usize, f64)> = (self.acts_on.iter())
            .map(|(joint, coefficient)| {
                let dofs = inertia.dofs(&spec.bodies, joint.body, joint.position);
                (dofs.start, gear * coefficient)
            })
            .collect();
        let actuator = &mut spec.actuators[self.actuator];
        let felt = 1.0 / inertia.inverse(&moment);
        actuator.bias[2] = -2.0 * self.ratio * (actuator.gain * felt).sqrt();
        match actuator.bias[2].is_finite() {
            true => Ok(()),
            false => Err(self.error.clone()),
        }
    }
}

/// A joint whose spring and damper must wait for the inertias.
pub(super) struct SpringDamper {
    joint: JointEntry,
    time_constant: f64,
    ratio: f64,
    /// Whether the file enables springs, and dampers.
    acts: [bool; 2],
    /// Error with the place of the joint, for messages.
    error: Error,
}

impl SpringDamper {
    pub fn new(
        node: Node<'_>,
        joint: &JointEntry,
        [time_constant, ratio]: [f64; 2],
        acts: [bool; 2],
    ) -> Self {
        SpringDamper {
            joint: joint.clone(),
            time_constant,
            ratio,
            acts,
            error: no_inertia(node, "springdamper"),
        }
    }

    /// k = I/(T² ζ²) and d = 2 I/T, where 1/I is the mean of the diagonal of M⁻¹ over the joint's dofs.
    fn apply(&self, inertia: &ReferenceInertia, spec: &mut ModelSpec) -> Result<()> {
        let dofs = inertia.dofs(&spec.bodies, self.joint.body, self.joint.position);
        let count = dofs.len() as f64;
        let felt = count / dofs.map(|k| inertia.inverse(&[(k, 1.0)])).sum::<f64>();
        let (time, ratio) = (self.time_constant, self.ratio);
        let (k, d) = (felt / (time * ratio).powi(2), 2.0 * felt / time);
        if !(k.is_finite() && d.is_finite()) {
            return Err(self.error.clone());
        }
        let joint = &mut spec.bodies[self.joint.body].joints[self.joint.position];
        joint.stiffness = if self.acts[0] { k } else { 0.0 };
        joint.damping = if self.acts[1] { d } else { 0.0 };
        Ok(())
    }
}

/// Computes the gains. Call it when all bodies have their inertias.
pub(super) fn apply(
    servos: &[DampingRatio],
    springs: &[SpringDamper],
    spec: &mut ModelSpec,
) -> Result<()> {
    let mut waiting = (springs.iter().map(|s| &s.error)).chain(servos.iter().map(|s| &s.error));
    let Some(first) = waiting.next() else {
        return Ok(());
    };
    let inertia = ReferenceInertia::new(&spec.bodies).ok_or_else(|| first.clone())?;
    for spring in springs {
        spring.apply(&inertia, spec)?;
    }
    for servo in servos {
        servo.apply(&inertia, spec)?;
    }
    Ok(())
}
