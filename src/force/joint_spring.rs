//! Springs of joints: linear, taken implicitly at their length at the end of the step, and beyond.

use super::face::{Force, State};
use super::slopes::Slopes;
use crate::dynamics::kinematics::Kinematics;
use crate::joint::free_pose;
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::topology::{Link, LinkKind};
use crate::spatial::{Mat3, Quat, Vec3, so3_log_jacobian};
use std::ops::Range;

/// f = −k e(q) on each dof, with K̃ = k: a step uses −k (e + h v⁺). A joint may have terms beyond the linear
/// one, −c e with c = k₁ s + k₂ s², which are explicit. Here s is e on a one-dof joint, and ‖e‖ on a
/// spherical joint and on each half of a free one.
#[derive(Clone, Debug)]
pub struct JointSpring {
    /// Displacement from rest, per dof. Not kept if no joint has a spring.
    displacement: Vec<f64>,
    is_slack: bool,
    /// Links with terms beyond the linear one: k₁ and k₂.
    curved: Vec<(usize, [f64; 2])>,
    /// Per dof: whether its joint adds displacements to coordinates.
    is_plain: Vec<bool>,
}

impl JointSpring {
    pub fn new(model: &Model) -> Self {
        JointSpring {
            displacement: vec![0.0; model.nv()],
            is_slack: true,
            curved: (model
                .joints()
                .iter()
                .filter(|j| j.stiffness_terms != [0.0; 2]))
            .flat_map(|j| {
                let links = j.first_link..j.first_link + j.link_count;
                links.map(move |l| (l, j.stiffness_terms))
            })
            .collect(),
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

    /// The links with terms beyond the linear one, part by part: the dofs of the part, and k₁ and k₂.
    fn curves<'a>(
        &'a self,
        model: &'a Model,
    ) -> impl Iterator<Item = (&'a Link, Range<usize>, [f64; 2])> + 'a {
        self.curved.iter().flat_map(move |(l, terms)| {
            let l = &model.topology().links[*l];
            let size = if l.kind.quaternion().is_some() { 3 } else { 1 };
            (l.dofs().step_by(size)).map(move |k| (l, k..k + size, *terms))
        })
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

/// The displacement of a one-dof joint, or the norm of one by a vector.
fn size(e: &[f64]) -> f64 {
    match e {
        [e] => *e,
        _ => Vec3::from_slice(e).norm(),
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
        let linear: usize = wide.map(|l| l.nv.pow(2)).sum();
        let curved = self.curves(model).map(|(l, dofs, _)| dofs.len() * l.nv);
        linear + curved.sum::<usize>()
    }

    fn implicit(&self, params: &Params, into: &mut Slopes) {
        for (k, stiffness) in params.stiffness.iter().enumerate() {
            into.add_own(k, *stiffness, 0.0);
        }
    }

    fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) {
        self.is_slack = self.curved.is_empty() && at.params.stiffness.iter().all(|k| *k == 0.0);
        if self.is_slack {
            return;
        }
        self.displace(at.model, at.params, at.q);
        let (stiffness, h) = (&at.params.stiffness[..tau.len()], at.time_step);
        let (e, v) = (&self.displacement[..tau.len()], &at.v[..tau.len()]);
        for (k, tau) in tau.iter_mut().enumerate() {
            *tau -= stiffness[k] * (e[k] + h * v[k]);
        }
        for (_, dofs, [quadratic, cubic]) in self.curves(at.model) {
            let s = size(&e[dofs.clone()]);
            for k in dofs {
                tau[k] -= (quadratic * s + cubic * s * s) * e[k];
            }
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
        for (l, dofs, [quadratic, cubic]) in self.curves(at.model) {
            let e = &self.displacement;
            let s = size(&e[dofs.clone()]);
            let coefficient = quadratic * s + cubic * s * s;
            if dofs.len() == 1 {
                // ∂(c e)/∂e.
                let slope = 2.0 * quadratic * s + 3.0 * cubic * s * s;
                into.add_own(dofs.start, slope, 0.0);
                continue;
            }
            // ∂(c e)/∂q = (c + c' e eᵀ / s) J.
            let along = if s > 0.0 {
                quadratic / s + 2.0 * cubic
            } else {
                0.0
            };
            let jac = self.jacobian(at.model, l, at.q);
            for column in 0..l.nv {
                let by = |k: usize| entry(&jac, l, k - l.iv, column);
                let stretch: f64 = dofs.clone().map(|k| e[k] * by(k)).sum();
                for k in dofs.clone() {
                    let slope = coefficient * by(k) + along * e[k] * stretch;
                    into.add([k, l.iv + column], slope, 0.0);
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
                let own = |c: &(&Link, Range<usize>, [f64; 2])| c.1 == (k..k + 1);
                if let Some((.., [quadratic, cubic])) = self.curves(at.model).find(own) {
                    let e = self.displacement[k];
                    r[k] -= 2.0 * quadratic * e + 3.0 * cubic * e * e;
                }
            }
            _ => {}
        }
    }

    fn energy(&mut self, model: &Model, params: &Params, _: &Kinematics, q: &[f64]) -> f64 {
        self.displace(model, params, q);
        (self.displacement.iter().zip(&params.stiffness))
            .map(|(e, k)| 0.5 * k * e * e)
            .sum::<f64>()
            + self
                .curves(model)
                .map(|(_, dofs, [quadratic, cubic])| {
                    let s = size(&self.displacement[dofs]);
                    quadratic * s.powi(3) / 3.0 + cubic * s.powi(4) / 4.0
                })
                .sum::<f64>()
    }
}
