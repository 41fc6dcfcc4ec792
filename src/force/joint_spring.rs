//! Linear springs of joints, taken implicitly: at their length at the end of the step.

use super::face::{Force, State};
use super::slopes::Slopes;
use crate::joint::free_pose;
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::topology::{Link, LinkKind};
use crate::spatial::{Mat3, Quat, Vec3, so3_log_jacobian};

/// f = −k e(q) on each dof, with K̃ = k: a step uses −k (e + h v⁺).
#[derive(Clone, Debug)]
pub struct JointSpring {
    /// Displacement from rest, per dof. Not kept if no joint has a spring.
    displacement: Vec<f64>,
    is_slack: bool,
    /// Per dof: whether its joint adds displacements to coordinates.
    is_plain: Vec<bool>,
}

impl JointSpring {
    pub fn new(model: &Model) -> Self {
        JointSpring {
            displacement: vec![0.0; model.nv()],
            is_slack: true,
            is_plain: (model.topology().dofs.iter())
                .map(|d| model.topology().links[d.link].kind.quaternion().is_none())
                .collect(),
        }
    }

    /// Displacement from rest, per dof: q − reference; for a spherical joint the rotation vector; for a
    /// free joint the offset from the body's placement in the description, in body axes, and the
    /// rotation vector.
    fn displace(&mut self, model: &Model, params: &Params, q: &[f64]) {
        for l in &model.topology().links {
            displace(l, model, params, q, &mut self.displacement[l.dofs()]);
        }
    }

    /// ∂e/∂q of a spherical or free link in 3×3 blocks: linear by linear, linear by angular, angular by
    /// angular.
    fn jacobian(&self, model: &Model, l: &Link, q: &[f64]) -> [Mat3; 3] {
        let e = &self.displacement[l.iv..];
        match l.kind {
            LinkKind::Free => {
                let rest = Vec3::from_slice(&model.neutral()[l.iq..]);
                let at = free_pose(&q[l.iq..]);
                let d = at.rot.tr_mul_vec(at.pos - rest);
                let w = Vec3::from_slice(&e[3..]);
                [Mat3::IDENTITY, Mat3::skew(d), so3_log_jacobian(w)]
            }
            _ => {
                let w = Vec3::from_slice(e);
                [Mat3::ZERO, Mat3::ZERO, so3_log_jacobian(w)]
            }
        }
    }
}

/// Displacement of one link.
#[inline(always)]
fn displace(l: &Link, model: &Model, params: &Params, q: &[f64], e: &mut [f64]) {
    let (q, neutral) = (&q[l.iq..], model.neutral());
    let rotation = |q: &[f64], rest: &[f64]| {
        let rest = Quat::from_slice(rest).normalized().conjugate();
        rest.mul(Quat::from_slice(q).normalized()).log()
    };
    match l.kind {
        LinkKind::Revolute | LinkKind::Prismatic => {
            e[0] = q[0] - params.spring_reference[l.iv];
        }
        LinkKind::Varying { .. } => {
            for k in 0..l.nv {
                e[k] = q[k] - params.spring_reference[l.iv + k];
            }
        }
        LinkKind::Spherical => {
            let w = rotation(q, &neutral[l.iq..]);
            e[..3].copy_from_slice(&w.to_array());
        }
        LinkKind::Free => {
            let rest = &neutral[l.iq..];
            let d = Vec3::from_slice(q) - Vec3::from_slice(rest);
            let r = Quat::from_slice(&q[3..]).normalized().to_mat3();
            e[..3].copy_from_slice(&r.tr_mul_vec(d).to_array());
            e[3..6].copy_from_slice(&rotation(&q[3..], &rest[3..]).to_array());
        }
    }
}

/// An entry of [`JointSpring::jacobian`].
fn entry(jac: &[Mat3; 3], l: &Link, r: usize, c: usize) -> f64 {
    match (l.kind.nv(), r / 3, c / 3) {
        (3, ..) => jac[2].at(r, c),
        (_, 0, 0) => jac[0].at(r, c),
        (_, 0, _) => jac[1].at(r, c - 3),
        (_, _, 0) => 0.0,
        _ => jac[2].at(r - 3, c - 3),
    }
}

impl Force for JointSpring {
    fn entries(&self, model: &Model) -> usize {
        let wide = (model.topology().links.iter()).filter(|l| l.kind.quaternion().is_some());
        wide.map(|l| l.nv.pow(2)).sum()
    }

    fn implicit(&self, params: &Params, into: &mut Slopes) {
        for (k, stiffness) in params.stiffness.iter().enumerate() {
            into.add_own(k, *stiffness, 0.0);
        }
    }

    fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) {
        self.is_slack = at.params.stiffness.iter().all(|k| *k == 0.0);
        if self.is_slack {
            return;
        }
        self.displace(at.model, at.params, at.q);
        let (stiffness, h) = (&at.params.stiffness[..tau.len()], at.time_step);
        let (e, v) = (&self.displacement[..tau.len()], &at.v[..tau.len()]);
        for (k, tau) in tau.iter_mut().enumerate() {
            *tau -= stiffness[k] * (e[k] + h * v[k]);
        }
    }

    fn slopes(&self, at: &State<'_>, into: &mut Slopes) {
        if self.is_slack {
            return;
        }
        let stiffness = &at.params.stiffness;
        let plain = stiffness.iter().zip(&self.is_plain);
        for (k, (stiffness, _)) in plain.enumerate().filter(|(_, (_, is_plain))| **is_plain) {
            into.add_own(k, *stiffness, 0.0);
        }
        for l in at.model.topology().wide_links() {
            let (size, own) = (l.nv, &stiffness[l.dofs()]);
            if own.iter().any(|k| *k != 0.0) {
                let jac = self.jacobian(at.model, l, at.q);
                for (r, k) in own.iter().enumerate() {
                    for c in 0..size {
                        into.add([l.iv + r, l.iv + c], k * entry(&jac, l, r, c), 0.0);
                    }
                }
            }
        }
    }

    fn by_parameter(&self, at: &State<'_>, acc: &[f64], p: &Param, r: &mut [f64]) {
        match p.kind {
            ParamKind::JointStiffness => {
                let (k, h) = (at.model.dof_of(p), at.time_step);
                let t = at.model.topology();
                let (l, mut e) = (&t.links[t.dofs[k].link], [0.0; 6]);
                displace(l, at.model, at.params, at.q, &mut e[..l.nv]);
                r[k] = e[k - l.iv] + h * (at.v[k] + h * acc[k]);
            }
            ParamKind::JointSpringReference => {
                let k = at.model.dof_of(p);
                r[k] = -at.params.stiffness[k];
            }
            _ => {}
        }
    }

    fn energy(&mut self, model: &Model, params: &Params, q: &[f64]) -> f64 {
        self.displace(model, params, q);
        (self.displacement.iter().zip(&params.stiffness))
            .map(|(e, k)| 0.5 * k * e * e)
            .sum()
    }
}
