//! The velocity gain of a position servo given by its damping ratio.

use super::node::Node;
use crate::error::{Error, Result};
use crate::model::spec::{BodySpec, JointKind, JointSpec, ModelSpec};
use crate::spatial::{Inertia, Pose, Twist, Vec3};
use nalgebra::{Cholesky, DMatrix, DVector};

/// The mass matrix is dense here; beyond this it would take long.
const MAX_DOFS: usize = 1000;

/// A joint by its place, with the bounds on the sum of its actuators' forces.
#[derive(Clone)]
pub(super) struct JointEntry {
    pub body: usize,
    pub position: usize,
    pub force_range: Option<(f64, f64)>,
}

/// An actuator whose velocity gain waits for the bodies' inertias.
pub(super) struct DampingRatio {
    actuator: usize,
    joint: JointEntry,
    ratio: f64,
    /// For messages.
    error: Error,
}

impl DampingRatio {
    pub fn new(node: Node<'_>, actuator: usize, joint: &JointEntry, ratio: f64) -> Self {
        DampingRatio {
            actuator,
            joint: joint.clone(),
            ratio,
            error: node.error(format!(
                "dampratio: the mass matrix is singular or has more than {MAX_DOFS} rows"
            )),
        }
    }
}

/// kv = 2 ratio √(kp I) with I the inertia that the actuator feels at the reference
/// configuration: 1/(gear² (M⁻¹)ᵢᵢ), all other joints free to move.
pub(super) fn apply(servos: &[DampingRatio], spec: &mut ModelSpec) -> Result<()> {
    let Some(first) = servos.first() else {
        return Ok(());
    };
    let (mass_matrix, first_dofs) =
        reference_mass_matrix(&spec.bodies).ok_or_else(|| first.error.clone())?;
    let dofs = mass_matrix.nrows();
    let factor = Cholesky::new(mass_matrix).ok_or_else(|| first.error.clone())?;
    for servo in servos {
        let entry = &servo.joint;
        let dof = first_dofs[entry.body]
            + spec.bodies[entry.body].joints[..entry.position]
                .iter()
                .map(dof_count)
                .sum::<usize>();
        let mut unit = DVector::zeros(dofs);
        unit[dof] = 1.0;
        let inverse = factor.solve(&unit)[dof];
        let actuator = &mut spec.actuators[servo.actuator];
        let inertia = 1.0 / (actuator.gear[0] * actuator.gear[0] * inverse);
        actuator.bias[2] = -2.0 * servo.ratio * (actuator.gain * inertia).sqrt();
        if !actuator.bias[2].is_finite() {
            return Err(servo.error.clone());
        }
    }
    Ok(())
}

fn dof_count(joint: &JointSpec) -> usize {
    match joint.kind {
        JointKind::Spherical => 3,
        JointKind::Free => 6,
        _ => 1,
    }
}

/// The motions of a joint, one a dof, as world twists at the world's origin.
fn motions(joint: &JointSpec, body: &Pose) -> Vec<Twist> {
    let about = |axis: Vec3| {
        let axis = body.rot.mul_vec(axis);
        Twist::new(body.point(joint.anchor).cross(axis), axis)
    };
    let along = |axis: Vec3| Twist::new(body.rot.mul_vec(axis), Vec3::ZERO);
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    match joint.kind {
        JointKind::Prismatic => vec![along(joint.axis)],
        JointKind::Spherical => axes.map(about).to_vec(),
        JointKind::Free => [axes.map(along), axes.map(about)].concat(),
        _ => vec![about(joint.axis)],
    }
}

/// The mass matrix while every joint is at its reference, and each body's first dof. By composite
/// inertias (Featherstone 2008, §6.2), all in world axes. `None` when it would be too large.
fn reference_mass_matrix(bodies: &[BodySpec]) -> Option<(DMatrix<f64>, Vec<usize>)> {
    let dofs: usize = bodies.iter().flat_map(|b| &b.joints).map(dof_count).sum();
    if dofs > MAX_DOFS {
        return None;
    }
    let mut places = vec![Pose::IDENTITY; bodies.len()];
    let mut composite = vec![Inertia::ZERO; bodies.len()];
    for (k, body) in bodies.iter().enumerate().skip(1) {
        places[k] = places[body.parent].compose(&body.placement);
        composite[k] = body.inertia.transformed(&places[k]);
    }
    for (k, body) in bodies.iter().enumerate().skip(1).rev() {
        let inertia = composite[k];
        composite[body.parent] += inertia;
    }
    let mut matrix = DMatrix::zeros(dofs, dofs);
    let mut first_dofs = Vec::with_capacity(bodies.len());
    let mut twists: Vec<Twist> = Vec::with_capacity(dofs);
    // For each body the dofs that move it.
    let mut movers: Vec<Vec<usize>> = Vec::with_capacity(bodies.len());
    for (k, body) in bodies.iter().enumerate() {
        first_dofs.push(twists.len());
        let mut chain = if k == 0 {
            Vec::new()
        } else {
            movers[body.parent].clone()
        };
        for joint in &body.joints {
            for twist in motions(joint, &places[k]) {
                let dof = twists.len();
                twists.push(twist);
                chain.push(dof);
                let momentum = composite[k].mul(twist);
                for &other in &chain {
                    let entry = twists[other].dot(momentum);
                    matrix[(dof, other)] = entry;
                    matrix[(other, dof)] = entry;
                }
                matrix[(dof, dof)] += joint.armature;
            }
        }
        movers.push(chain);
    }
    Some((matrix, first_dofs))
}
