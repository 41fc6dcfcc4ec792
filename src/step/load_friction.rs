//! Friction of joints by the loads that they carry.
//!
//! Dry friction of a dof is an interval ±h f of its impulse. For these joints f = f₀ + c N. N is the load
//! of the joint in the same step ([`crate::model::load_friction`]), a function of the accelerations and
//! impulses that depend on f. A step solves for c N by Broyden's method: each evaluation is a solution of
//! the contact problem and a backward recursion. The first guess is the load without impulses, so that a
//! step does not depend on the steps before it.
//!
//! The derivative is that of the solution. Let n be the variation of N at fixed f along a direction, X and
//! B the derivatives of velocity and of N by f, and C the diagonal of c:
//!
//!   δ(c N) = (1 − C B)⁻¹ (C n + δc N),   δv̂ = x + X δ(c N).

use super::contact::ContactStage;
use super::linearization::dot;
use super::options::{Contact, Integrator, Options};
use super::prescribed::Prescribed;
use super::state::StepState;
use crate::contact::certificate::Certificate;
use crate::dynamics::Dynamics;
use crate::error::{Error, Result};
use crate::force::Forces;
use crate::linalg::{add_scaled, larger, largest};
use crate::model::Model;
use crate::model::load_friction::{Axis, friction, load};
use crate::model::params::{Param, ParamKind, Params};
use crate::model::spec::JointKind;
use crate::model::topology::WORLD;
use crate::spatial::{Inertia, Twist, Vec3, Wrench};

/// Relative residual at which the search ends.
const ENOUGH: f64 = 1e-14;

/// Largest number of solutions of the contact problem in a step.
const EVALUATIONS: usize = 60;

/// Relative to the largest force in the model: a load below this has no direction.
const NO_LOAD: f64 = 1e-12;

/// A joint with friction by load.
#[derive(Clone, Copy, Debug)]
pub struct Loaded {
    pub joint: usize,
    pub link: usize,
    pub dof: usize,
}

/// Workspace, with one entry or row for each of the joints.
#[derive(Debug)]
pub(super) struct LoadFriction {
    pub joints: Vec<Loaded>,
    /// c N of the step, and its residual.
    pub friction: Vec<f64>,
    pub residual: Vec<f64>,
    /// The same of the best solution so far.
    pub best: [Vec<f64>; 2],
    /// Broyden's inverse matrix and scratch.
    pub inverse: Vec<f64>,
    pub step: Vec<f64>,
    pub change: Vec<f64>,
    pub scratch: Vec<f64>,
    pub acc: Vec<f64>,
    pub tau: Vec<f64>,
    /// Loads and slopes by the wrench at the last step.
    pub loads: Vec<f64>,
    pub slopes: Vec<Twist>,
    /// Slopes of the loads: rows of nv numbers each, and of max_rows numbers.
    pub by_q: Vec<f64>,
    pub by_v: Vec<f64>,
    pub by_acc: Vec<f64>,
    pub by_impulse: Vec<f64>,
    /// Derivatives of velocity and impulses by the friction.
    pub answer: Vec<f64>,
    pub answer_impulse: Vec<f64>,
    /// (1 − C B)⁻¹ by rows.
    pub coupled: Vec<f64>,
    pub square: Vec<f64>,
    /// Adjoint by v̂₀, and zeros for rows.
    pub start: Vec<f64>,
    pub zero: Vec<f64>,
    pub max_rows: usize,
    pub one_sided: bool,
}

/// Refuses models and options for which loads of joints are not known.
pub(super) fn refuse_loads(model: &Model, options: &Options, turns: bool) -> Result<()> {
    let Some(joint) = model.load_friction().next() else {
        return Ok(());
    };
    let name = &model.joint(joint).name;
    let fault = |option: &str, expected: &str| {
        Err(Error::unsupported(format!(
            "{option}: joint \"{name}\" has friction by load (friction_coefficient); expected {expected}"
        )))
    };
    if !matches!(
        options.contact,
        Contact::Ncp | Contact::Lcp | Contact::Convex
    ) {
        return fault(
            &format!("options.contact {:?}", options.contact),
            "Ncp, Lcp or Convex",
        );
    }
    if !matches!(
        options.integrator,
        Integrator::SymplecticEuler | Integrator::SymplecticEulerWorld
    ) {
        return fault(
            &format!("options.integrator {:?}", options.integrator),
            "SymplecticEuler or SymplecticEulerWorld",
        );
    }
    if options.convex_variant != super::options::ConvexVariant::Sap {
        return fault("options.convex_variant Lagged", "Sap");
    }
    if turns {
        return fault(
            "geom.condim",
            "1 or 3 for all geoms, without torsional and rolling friction",
        );
    }
    let adheres = |a: &crate::model::Actuator| matches!(a.acts_on, crate::model::ActsOn::Body(_));
    for (has, what) in [
        (!model.tendons().is_empty(), "tendons"),
        (!model.springs().is_empty(), "springs between bodies"),
        (!model.deformables().is_empty(), "deformable bodies"),
        (model.reduction().is_some(), "reduced coordinates"),
        (model.actuators().iter().any(adheres), "adhesion actuators"),
        (model.fluid().acts(), "a fluid"),
    ] {
        if has {
            return fault("model", &format!("a model without {what}"));
        }
    }
    Ok(())
}

impl LoadFriction {
    /// For steps with at most this number of rows; `None` for a model without such joints.
    pub fn new(model: &Model, max_rows: usize, derivatives: bool) -> Option<Box<LoadFriction>> {
        let joints: Vec<Loaded> = (model.load_friction())
            .map(|joint| Loaded {
                joint,
                link: model.joint(joint).first_link,
                dof: model.joint(joint).iv,
            })
            .collect();
        let (m, nv) = (joints.len(), model.nv());
        if m == 0 {
            return None;
        }
        let (wide, long) = match derivatives {
            true => (m * nv, m * max_rows),
            false => (0, 0),
        };
        Some(Box::new(LoadFriction {
            joints,
            friction: vec![0.0; m],
            residual: vec![0.0; m],
            best: [vec![0.0; m], vec![0.0; m]],
            inverse: vec![0.0; m * m],
            step: vec![0.0; m],
            change: vec![0.0; m],
            scratch: vec![0.0; m],
            acc: vec![0.0; nv],
            tau: vec![0.0; nv],
            loads: vec![0.0; m],
            slopes: vec![Twist::ZERO; m],
            by_q: vec![0.0; wide],
            by_v: vec![0.0; wide],
            by_acc: vec![0.0; wide],
            by_impulse: vec![0.0; long],
            answer: vec![0.0; wide],
            answer_impulse: vec![0.0; long],
            coupled: vec![0.0; m * m],
            square: vec![0.0; m * m],
            start: vec![0.0; nv],
            zero: vec![0.0; if derivatives { max_rows } else { 0 }],
            max_rows,
            one_sided: false,
        }))
    }

    /// Reads the loads from the recursion.
    fn read(&mut self, model: &Model, d: &Dynamics) {
        let size = |w: &Wrench| w.lin.norm();
        let most = d.rnea.f.iter().map(size).fold(0.0, larger);
        self.one_sided = false;
        for (i, of) in self.joints.iter().enumerate() {
            let joint = model.joint(of.joint);
            let s = d.kin.s[of.dof];
            let axis = Axis {
                point: d.kin.pos[of.link],
                along: match joint.kind {
                    JointKind::Prismatic => s.lin,
                    _ => s.ang,
                },
            };
            let (load, slope) = load(joint, &axis, d.rnea.f[of.link]);
            let none = load <= NO_LOAD * most;
            self.one_sided |= none;
            self.loads[i] = load;
            self.slopes[i] = if none { Twist::ZERO } else { slope };
        }
    }

    /// Solves the contact problem of a step for impulses and for friction consistent with its loads.
    ///
    /// # Errors
    /// As [`ContactStage::solve`].
    pub fn solve(
        &mut self,
        c: &mut ContactStage,
        (model, params): (&Model, &Params),
        d: &mut Dynamics,
        (forces, prescribed): (&Forces, &Prescribed),
        s: &mut StepState,
        tolerance: f64,
    ) -> Result<Certificate> {
        let (m, h) = (self.joints.len(), c.constraints.time_step());
        d.inverse(model, params, &s.acc, &mut self.tau);
        self.read(model, d);
        self.friction.fill(0.0);
        self.residual_of(model, params);
        self.friction.copy_from_slice(&self.residual);
        let (mut best, mut share) = (f64::INFINITY, 1.0);
        self.forget(share);
        let mut before: Option<Certificate> = None;
        for evaluation in 1.. {
            for (of, friction) in self.joints.iter().zip(&self.friction) {
                c.constraints.set_friction_by_load(of.dof, *friction);
            }
            let (q, v) = (&s.q, &s.v);
            let mut certificate =
                c.solve(model, params, d, q, v, &s.v_start, &s.acc, &mut s.v_end)?;
            prescribed.write(&mut s.v_end);
            for (a, (end, start)) in self.acc.iter_mut().zip(s.v_end.iter().zip(&s.v_start)) {
                *a = (end - start) / h;
            }
            c.load(model, (&d.kin, &d.mass), [q, v, &s.v_end], &mut d.external)?;
            d.inverse(model, params, &self.acc, &mut self.tau);
            d.external.clear();
            forces.load(model, params, &d.kin, &mut d.external);
            self.read(model, d);
            self.residual_of(model, params);
            let scale = larger(largest(&self.friction), f64::MIN_POSITIVE);
            let size = largest(&self.residual);
            let off = size / scale;
            if let Some(before) = &before {
                certificate.add_cost(before);
            }
            let stalls = off <= tolerance && size >= 0.5 * best;
            if off <= ENOUGH || stalls || evaluation == EVALUATIONS || !certificate.converged {
                certificate.cone = larger(certificate.cone, off);
                certificate.converged &= off <= tolerance;
                return Ok(certificate);
            }
            if size < best {
                if evaluation > 1 {
                    self.learn();
                }
                best = size;
                self.best[0].copy_from_slice(&self.friction);
                self.best[1].copy_from_slice(&self.residual);
            } else {
                // There is a kink between this solution and the best one: take a shorter step from the best
                // one, in a known direction.
                share *= 0.5;
                self.forget(share);
                self.friction.copy_from_slice(&self.best[0]);
                self.residual.copy_from_slice(&self.best[1]);
            }
            before = Some(certificate);
            for i in 0..m {
                let row = &self.inverse[i * m..][..m];
                let next = larger(self.friction[i] - dot(row, &self.residual), 0.0);
                self.step[i] = next - self.friction[i];
                self.friction[i] = next;
            }
        }
        Err(Error::internal(
            "the iteration for the friction of joints by load did not end",
        ))
    }

    /// c N − friction.
    fn residual_of(&mut self, model: &Model, params: &Params) {
        for (i, of) in self.joints.iter().enumerate() {
            let [per_load, ..] = friction(model.joint(of.joint), params, of.joint);
            self.residual[i] = per_load * self.loads[i] - self.friction[i];
        }
    }

    /// Starts again with the matrix of a fixed-point iteration, damped by `share`.
    fn forget(&mut self, share: f64) {
        let m = self.joints.len();
        self.inverse.fill(0.0);
        self.inverse
            .iter_mut()
            .step_by(m + 1)
            .for_each(|x| *x = -share);
    }

    /// Broyden's update by the last step, which came from the best solution before it.
    fn learn(&mut self) {
        let m = self.joints.len();
        for ((x, now), was) in (self.change.iter_mut().zip(&self.residual)).zip(&self.best[1]) {
            *x = now - was;
        }
        // H y, and sᵀ H.
        let along: f64 = {
            for i in 0..m {
                self.scratch[i] = dot(&self.inverse[i * m..][..m], &self.change);
            }
            dot(&self.step, &self.scratch)
        };
        if along == 0.0 || !along.is_finite() {
            return;
        }
        for (x, s) in self.scratch.iter_mut().zip(&self.step) {
            *x = (s - *x) / along;
        }
        for j in 0..m {
            let weight: f64 = (0..m).map(|i| self.step[i] * self.inverse[i * m + j]).sum();
            self.change[j] = weight;
        }
        for i in 0..m {
            add_scaled(
                self.scratch[i],
                &self.change,
                &mut self.inverse[i * m..][..m],
            );
        }
    }

    /// Computes the slopes of the loads and their coupling at the last step. The recursion must hold its
    /// balance with the impulses.
    pub fn linearize(
        &mut self,
        c: &mut ContactStage,
        (model, params): (&Model, &Params),
        d: &mut Dynamics,
    ) -> Result<()> {
        self.read(model, d);
        let (m, nv, h) = (self.joints.len(), model.nv(), c.constraints.time_step());
        let rows = self.max_rows;
        for x in [&mut self.by_q, &mut self.by_v, &mut self.by_acc] {
            x.fill(0.0);
        }
        for (i, of) in self.joints.iter().enumerate() {
            let slope = self.slopes[i];
            let span = i * nv..(i + 1) * nv;
            let by_q = &mut self.by_q[span.clone()];
            let by_v = &mut self.by_v[span.clone()];
            let by_acc = &mut self.by_acc[span.clone()];
            d.subtree_adjoint((model, params), (of.link, slope), [by_q, by_v, by_acc]);
            let links = of.link..model.topology().links[of.link].end;
            let by_impulse = &mut self.by_impulse[i * rows..][..rows];
            let by_q = &mut self.by_q[span.clone()];
            let of_power = (links, slope, -1.0 / h);
            c.power(
                (model.topology(), &d.kin),
                of_power,
                &self.zero,
                by_impulse,
                by_q,
            );
            let answer = &mut self.answer[span];
            let impulses = &mut self.answer_impulse[i * rows..][..rows];
            c.answer_of_friction(model, &mut d.mass, of.dof, answer, impulses)?;
        }
        for i in 0..m {
            let of = self.joints[i].joint;
            let [per_load, ..] = friction(model.joint(of), params, of);
            for j in 0..m {
                let motion = dot(&self.by_acc[i * nv..][..nv], &self.answer[j * nv..][..nv]);
                let impulses = dot(
                    &self.by_impulse[i * rows..][..rows],
                    &self.answer_impulse[j * rows..][..rows],
                );
                let one = if i == j { 1.0 } else { 0.0 };
                self.square[i * m + j] = one - per_load * (motion / h + impulses);
            }
        }
        invert(&mut self.square, &mut self.coupled, m)
            .ok_or_else(|| {
                Error::numerical(
                    "the friction of joints by load has no derivative: the linear system of loads and friction is singular",
                )
            })
    }

    /// The slope of a load by a parameter at fixed q, v, acceleration and impulses.
    pub fn explicit(&self, i: usize, p: &Param, model: &Model, d: &Dynamics) -> f64 {
        let (link, slope) = (self.joints[i].link, self.slopes[i]);
        let t = model.topology();
        let links = link..t.links[link].end;
        let (index, component) = (p.index as usize, p.component as usize);
        match p.kind {
            ParamKind::Gravity => {
                let up = Twist::new(Vec3::unit(component), Vec3::ZERO);
                let force = |l: usize| slope.dot(d.kin.inertia[l].mul(up));
                -links.map(force).sum::<f64>()
            }
            ParamKind::BodyInertia => {
                let b = &model.bodies()[index];
                if b.link == WORLD || !links.contains(&b.link) {
                    return 0.0;
                }
                let mut unit = [0.0; 10];
                unit[component] = 1.0;
                let inertia = Inertia::from_params(&unit)
                    .transformed(&b.in_link)
                    .transformed_by(&d.kin.rot[b.link], d.kin.pos[b.link]);
                let v = d.kin.v[b.link];
                let f = inertia.mul(d.rnea.a[b.link]) + v.cross_wrench(inertia.mul(v));
                slope.dot(f)
            }
            ParamKind::ExternalWrench => {
                let b = &model.bodies()[index];
                if b.link == WORLD || !links.contains(&b.link) {
                    return 0.0;
                }
                let at = d.kin.body_pose(model, index).pos - d.kin.origin[t.links[b.link].tree];
                let wrench = match component {
                    0..3 => Wrench::of_force_at(Vec3::unit(component), at),
                    _ => Wrench::new(Vec3::ZERO, Vec3::unit(component - 3)),
                };
                -slope.dot(wrench)
            }
            _ => 0.0,
        }
    }

    /// N times the slope of the friction per load, by a parameter.
    pub fn by_coefficient(&self, i: usize, p: &Param, model: &Model, params: &Params) -> f64 {
        let of = self.joints[i].joint;
        if p.kind != ParamKind::JointFrictionCoefficient || p.index as usize != of {
            return 0.0;
        }
        let slopes = friction(model.joint(of), params, of);
        self.loads[i] * slopes[1 + p.component as usize]
    }
}

/// The inverse of a small matrix by rows, by elimination with row exchanges; `None` if it is singular.
fn invert(a: &mut [f64], out: &mut [f64], m: usize) -> Option<()> {
    out.fill(0.0);
    out.iter_mut().step_by(m + 1).for_each(|x| *x = 1.0);
    let size = largest(a);
    for k in 0..m {
        let best = (k..m).max_by(|i, j| a[i * m + k].abs().total_cmp(&a[j * m + k].abs()))?;
        let pivot = a[best * m + k];
        if pivot.abs() <= 1e-12 * size || !pivot.is_finite() {
            return None;
        }
        for j in 0..m {
            a.swap(best * m + j, k * m + j);
            out.swap(best * m + j, k * m + j);
        }
        for j in 0..m {
            a[k * m + j] /= pivot;
            out[k * m + j] /= pivot;
        }
        for i in (0..m).filter(|i| *i != k) {
            let x = a[i * m + k];
            for j in 0..m {
                a[i * m + j] -= x * a[k * m + j];
                out[i * m + j] -= x * out[k * m + j];
            }
        }
    }
    Some(())
}
