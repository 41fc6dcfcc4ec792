//! Jacobians of bodies and of the centre of mass, momentum and energy.

use super::kinematics::Kinematics;
use super::motion::{self, Frame, ReferenceFrame};
use crate::linalg::F4;
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::WORLD;
use crate::spatial::{Pose, Vec3, Wrench};

/// A point of a body (body axes), whose motion is expressed along world axes.
fn carried(body: usize, point: Vec3) -> Frame {
    Frame {
        body,
        placement: Pose::translation(point),
        reference: ReferenceFrame::LocalWorldAligned,
    }
}

/// Twist of the frame with world axes at a point of a body, per dof: 6×nv, column-major; `point` in
/// body axes. `kin` must hold positions.
pub fn body_jacobian(model: &Model, kin: &Kinematics, body: usize, point: Vec3, j: &mut [f64]) {
    motion::jacobian(model, kin, &carried(body, point), j);
}

/// Time derivative of [`body_jacobian`] along v. `kin` must hold positions and velocities.
pub fn body_jacobian_rate(
    model: &Model,
    kin: &Kinematics,
    body: usize,
    point: Vec3,
    rate: &mut [f64],
) {
    motion::jacobian_rate(model, kin, &carried(body, point), rate);
}

/// Mass, centre of mass (world) and its Jacobian (3×nv, column-major), over all moving bodies.
///
/// `subtree` is scratch, one first moment per link. `kin` must hold positions and inertias.
pub fn center_of_mass(
    model: &Model,
    kin: &Kinematics,
    subtree: &mut [(f64, Vec3)],
    com: &mut Vec3,
    jacobian: Option<&mut [f64]>,
) -> f64 {
    let t = model.topology();
    for (s, i) in subtree.iter_mut().zip(&kin.inertia) {
        *s = (i.mass, i.h);
    }
    let (mut mass, mut first) = (0.0, Vec3::ZERO);
    for (i, l) in t.links.iter().enumerate().rev() {
        let (m, h) = subtree[i];
        if l.parent == WORLD {
            mass += m;
            first += h + kin.origin[l.tree] * m;
        } else {
            subtree[l.parent].0 += m;
            subtree[l.parent].1 += h;
        }
    }
    let scale = if mass > 0.0 { 1.0 / mass } else { 0.0 };
    *com = first * scale;
    if let Some(jac) = jacobian {
        for (k, dof) in t.dofs.iter().enumerate() {
            let (m, h) = subtree[dof.link];
            let s = kin.s[k];
            let column = (s.lin * m + s.ang.cross(h)) * scale;
            jac[3 * k..3 * k + 3].copy_from_slice(&column.to_array());
        }
    }
    mass
}

/// Linear and angular momentum of all moving bodies, world axes, angular about `about`.
///
/// `kin` must hold positions, velocities and inertias.
pub fn momentum(model: &Model, kin: &Kinematics, about: Vec3) -> Wrench {
    let mut sum = Wrench::ZERO;
    for (i, l) in model.topology().links.iter().enumerate() {
        let h = kin.inertia[i].mul(kin.v[i]);
        let o = kin.origin[l.tree] - about;
        sum += Wrench::new(h.lin, h.ang + o.cross(h.lin));
    }
    sum
}

/// Kinetic energy with rotors, and potential energy of gravity (zero at the world's origin) [J].
///
/// `kin` must hold positions, velocities and inertias.
pub fn energy(model: &Model, params: &Params, kin: &Kinematics, v: &[f64]) -> (f64, f64) {
    let (mut kinetic, mut potential) = (0.0, 0.0);
    for (i, l) in model.topology().links.iter().enumerate() {
        let inertia = &kin.inertia[i];
        kinetic += 0.5 * kin.v[i].dot(inertia.mul(kin.v[i]));
        let first = inertia.h + kin.origin[l.tree] * inertia.mass;
        potential -= params.gravity.dot(first);
    }
    for (x, rotor) in v.iter().zip(&params.armature) {
        kinetic += 0.5 * rotor * x * x;
    }
    (kinetic, potential)
}

/// Dense column-major symmetric matrix from branch-packed rows.
pub fn unpack_symmetric(model: &Model, rows: &[F4], out: &mut [f64]) {
    let flat = F4::flat(rows);
    super::rnea_derivatives::unpack(model.topology(), flat, flat, out);
}
