//! The mass matrix with every joint at its reference, and numbers derived from it.

use crate::model::spec::{BodySpec, JointKind, JointSpec};
use crate::spatial::{Inertia, Pose, Twist, Vec3};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// The dense mass matrix is limited to this size, because larger ones take too long.
pub(super) const MAX_DOFS: usize = 1000;

/// The factored mass matrix.
pub(super) struct ReferenceInertia {
    factor: Cholesky<f64, Dyn>,
    /// First dof of each body.
    first_dofs: Vec<usize>,
}

impl ReferenceInertia {
    /// `None` if it would be too large or is singular.
    pub fn new(bodies: &[BodySpec]) -> Option<Self> {
        let (mass_matrix, first_dofs) = mass_matrix(bodies)?;
        Some(ReferenceInertia {
            factor: Cholesky::new(mass_matrix)?,
            first_dofs,
        })
    }

    /// The dofs of a body's joint.
    pub fn dofs(
        &self,
        bodies: &[BodySpec],
        body: usize,
        position: usize,
    ) -> std::ops::Range<usize> {
        let joints = &bodies[body].joints;
        let before: usize = joints[..position].iter().map(dof_count).sum();
        let first = self.first_dofs[body] + before;
        first..first + dof_count(&joints[position])
    }

    /// gᵀ M⁻¹ g of a moment g, given by some dofs and their numbers.
    pub fn inverse(&self, moment: &[(usize, f64)]) -> f64 {
        let mut g = DVector::zeros(self.factor.l_dirty().nrows());
        for &(dof, x) in moment {
            g[dof] += x;
        }
        g.dot(&self.factor.solve(&g))
    }
}

fn dof_count(joint: &JointSpec) -> usize {
    match joint.kind {
        JointKind::Spherical => 3,
        JointKind::Free => 6,
        _ => 1,
    }
}

/// The motions of a joint, one per dof, as world twists at the world's origin.
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

/// The matrix and each body's first dof. Uses composite inertias (Featherstone 2008, §6.2), all in world
/// axes. `None` if the matrix would be too large.
fn mass_matrix(bodies: &[BodySpec]) -> Option<(DMatrix<f64>, Vec<usize>)> {
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
