//! Friction of joints by the loads that they carry.
//!
//! Dry friction of a dof is an interval ±h f of its impulse. For these joints f = f₀ + c N. N is the load
//! of the joint in the same step ([`crate::model::load_friction`]), a function of the accelerations and
//! impulses that depend on f. A step solves for c N by Broyden's method: each evaluation is a solution of
//! the contact problem and a backward recursion. The first guess is the load without impulses, so that a
//! step does not depend on the steps before it.
//!
//! The friction of a spherical joint that slips is a force of three numbers ([`super::ball_friction`]); they
//! belong to f.
//!
//! The derivative is that of the solution. Let x and n be the variations of velocity and of N at fixed f
//! along a direction, X and B their derivatives by f, C the slopes of f by N and P those by the velocity of
//! a ball that slips. With C = a c, a = ω/|ω| for a ball, and the diagonal of c for other joints:
//!
//!   δf = (1 − C B − P X)⁻¹ (C n + P x + a N δc),   δv̂ = x + X δf.

use super::ball_friction::{Ball, Judged, is_at_switch};
use super::contact::ContactStage;
use super::linearization::dot;
use super::options::{Advance, Contact, Options};
use super::prescribed::Prescribed;
use super::state::StepState;
use crate::contact::certificate::Certificate;
use crate::dynamics::Dynamics;
use crate::error::{Error, Result};
use crate::force::Forces;
use crate::linalg::{add_scaled, larger, largest, smaller};
use crate::model::Model;
use crate::model::load_friction::{Axis, friction, load};
use crate::model::params::{Param, ParamKind, Params};
use crate::model::spec::JointKind;
use crate::model::topology::WORLD;
use crate::spatial::{Inertia, Mat3, Twist, Vec3, Wrench};
use std::ops::Range;

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
    /// Its first friction, and the number of them.
    pub first: usize,
    pub count: usize,
}

impl Loaded {
    pub fn is_ball(&self) -> bool {
        self.count == 3
    }

    /// Its frictions.
    pub fn range(&self) -> Range<usize> {
        self.first..self.first + self.count
    }
}

/// Workspace. Loads and their slopes have one entry or row for each of the joints, frictions and responses
/// to them one or three.
#[derive(Debug)]
pub(super) struct LoadFriction {
    pub joints: Vec<Loaded>,
    /// State of the spherical joints, with an unused entry for each other joint.
    pub balls: Vec<Ball>,
    /// c N of the step, for a ball that slips its force, and the residual.
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
    /// The acceleration of the free motion with the forces of balls.
    pub pushed: Vec<f64>,
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
    /// (1 − C B − P X)⁻¹ by rows.
    pub coupled: Vec<f64>,
    pub square: Vec<f64>,
    /// Adjoint by v̂₀, and zeros for rows.
    pub start: Vec<f64>,
    pub zero: Vec<f64>,
    pub max_rows: usize,
    /// True if a joint has no load, and if a ball begins or ends to slip.
    pub one_sided: bool,
    pub at_switch: bool,
}

/// See [`LoadFriction::slopes_of`].
#[derive(Clone, Copy, Debug)]
pub(super) struct FrictionSlopes {
    /// Shares of the frictions in c N: the direction of a ball that slips.
    pub along: [f64; 3],
    pub by_load: [f64; 3],
    pub by_speed: Mat3,
}

/// Refuses models and options for which loads of joints are not known.
pub(super) fn refuse_loads(
    model: &Model,
    options: &Options,
    advance: Advance,
    turns: bool,
) -> Result<()> {
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
    if advance != Advance::Explicit {
        return fault(
            &format!("options.integrator {:?}", options.integrator),
            "SymplecticEuler or SymplecticEulerWorld",
        );
    }
    if options.convex_variant != super::options::ConvexVariant::Sap {
        let option = format!("options.convex_variant {:?}", options.convex_variant);
        return fault(&option, "Sap");
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
        let mut m = 0;
        let joints: Vec<Loaded> = (model.load_friction())
            .map(|joint| {
                let (j, first) = (model.joint(joint), m);
                m += j.nv;
                Loaded {
                    joint,
                    link: j.first_link,
                    dof: j.iv,
                    first,
                    count: j.nv,
                }
            })
            .collect();
        let (n, nv) = (joints.len(), model.nv());
        if n == 0 {
            return None;
        }
        let of =
            |count: usize, length: usize| vec![0.0; if derivatives { count * length } else { 0 }];
        Some(Box::new(LoadFriction {
            joints,
            balls: vec![Ball::NEW; n],
            friction: vec![0.0; m],
            residual: vec![0.0; m],
            best: [vec![0.0; m], vec![0.0; m]],
            inverse: vec![0.0; m * m],
            step: vec![0.0; m],
            change: vec![0.0; m],
            scratch: vec![0.0; m],
            acc: vec![0.0; nv],
            pushed: vec![0.0; nv],
            tau: vec![0.0; nv],
            loads: vec![0.0; n],
            slopes: vec![Twist::ZERO; n],
            by_q: of(n, nv),
            by_v: of(n, nv),
            by_acc: of(n, nv),
            by_impulse: of(n, max_rows),
            answer: of(m, nv),
            answer_impulse: of(m, max_rows),
            coupled: vec![0.0; m * m],
            square: vec![0.0; m * m],
            start: vec![0.0; nv],
            zero: vec![0.0; if derivatives { max_rows } else { 0 }],
            max_rows,
            one_sided: false,
            at_switch: false,
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
        let h = c.constraints.time_step();
        self.respond(model, d);
        d.inverse(model, params, &s.acc, &mut self.tau);
        self.read(model, d);
        self.friction.fill(0.0);
        for (end, (start, acc)) in s.v_end.iter_mut().zip(s.v_start.iter().zip(&s.acc)) {
            *end = start + h * acc;
        }
        self.residual_of(c, (model, params), &s.v_end, true);
        self.friction.copy_from_slice(&self.residual);
        let m = self.friction.len();
        // The direction of a ball takes as many secants as there are unknowns. Loads alone have kinks.
        let patience = if m > self.joints.len() { m } else { 0 };
        let (mut best, mut share, mut vain) = (f64::INFINITY, 1.0, 0);
        self.forget(share);
        let mut before: Option<Certificate> = None;
        for evaluation in 1.. {
            self.push(c, model, d, &s.acc);
            let (q, v) = (&s.q, &s.v);
            let mut certificate = c.solve(
                model,
                params,
                d,
                q,
                v,
                &s.v_start,
                &self.pushed,
                &mut s.v_end,
            )?;
            prescribed.write(&mut s.v_end);
            for (a, (end, start)) in self.acc.iter_mut().zip(s.v_end.iter().zip(&s.v_start)) {
                *a = (end - start) / h;
            }
            c.load(model, (&d.kin, &d.mass), [q, v, &s.v_end], &mut d.external)?;
            d.inverse(model, params, &self.acc, &mut self.tau);
            d.external.clear();
            forces.load(model, params, &d.kin, &mut d.external);
            self.read(model, d);
            let switched = self.residual_of(c, (model, params), &s.v_end, false);
            let scale = larger(largest(&self.friction), f64::MIN_POSITIVE);
            let size = largest(&self.residual);
            let off = if switched {
                f64::INFINITY
            } else {
                size / scale
            };
            if let Some(before) = &before {
                certificate.add_cost(before);
            }
            let stalls = off <= tolerance && size >= 0.5 * best;
            if off <= ENOUGH || stalls || evaluation == EVALUATIONS || !certificate.converged {
                certificate.cone = larger(certificate.cone, off);
                certificate.converged &= off <= tolerance;
                self.label(&mut certificate, h, largest(&s.v_end));
                return Ok(certificate);
            }
            if switched {
                // The friction is another unknown than before.
                (best, share, vain) = (f64::INFINITY, 1.0, 0);
                self.forget(share);
            } else {
                if best.is_finite() {
                    self.learn();
                }
                if size < best {
                    (best, vain) = (size, 0);
                    self.best[0].copy_from_slice(&self.friction);
                    self.best[1].copy_from_slice(&self.residual);
                } else {
                    vain += 1;
                    if vain > patience {
                        // There are kinks around the best solution: take a shorter step from it, in a known
                        // direction.
                        share *= 0.5;
                        self.forget(share);
                    }
                    self.friction.copy_from_slice(&self.best[0]);
                    self.residual.copy_from_slice(&self.best[1]);
                }
            }
            before = Some(certificate);
            self.advance();
        }
        Err(Error::internal(
            "the iteration for the friction of joints by load did not end",
        ))
    }

    /// The responses of spherical joints to their impulses.
    fn respond(&mut self, model: &Model, d: &mut Dynamics) {
        for (of, ball) in self.joints.iter().zip(&mut self.balls) {
            if !of.is_ball() {
                continue;
            }
            let mut column = |k: usize| {
                self.acc.fill(0.0);
                self.acc[of.dof + k] = 1.0;
                d.mass.solve(model.topology(), &mut self.acc);
                three(&self.acc[of.dof..])
            };
            let response = Mat3::from_columns(column(0), column(1), column(2));
            *ball = Ball {
                response,
                ..Ball::NEW
            };
        }
    }

    /// Gives the friction to the rows, and the forces of balls to the free motion.
    fn push(&mut self, c: &mut ContactStage, model: &Model, d: &mut Dynamics, acc: &[f64]) {
        self.pushed.fill(0.0);
        for (of, ball) in self.joints.iter().zip(&self.balls) {
            for (k, friction) in self.friction[of.range()].iter().enumerate() {
                let (dof, rows) = (of.dof + k, &mut c.constraints);
                match of.is_ball() {
                    false => rows.set_friction_by_load(dof, Some(*friction)),
                    true if ball.slips => {
                        rows.set_friction_by_load(dof, None);
                        self.pushed[dof] = -friction;
                    }
                    true => rows.set_friction_by_load(dof, Some(ball.bound)),
                }
            }
        }
        d.mass.solve(model.topology(), &mut self.pushed);
        for (x, acc) in self.pushed.iter_mut().zip(acc) {
            *x += acc;
        }
    }

    /// The next frictions: a step of Broyden's method.
    fn advance(&mut self) {
        let m = self.friction.len();
        for of in &self.joints {
            for i in of.range() {
                let row = &self.inverse[i * m..][..m];
                let next = self.friction[i] - dot(row, &self.residual);
                let next = if of.is_ball() {
                    next
                } else {
                    larger(next, 0.0)
                };
                self.step[i] = next - self.friction[i];
            }
        }
        add_scaled(1.0, &self.step, &mut self.friction);
    }

    /// The frictions that the solution asks for, minus those that it has. Returns true if a ball is in
    /// another state than before. `at_start`: the velocity is that of the free motion.
    fn residual_of(
        &mut self,
        c: &ContactStage,
        (model, params): (&Model, &Params),
        v_end: &[f64],
        at_start: bool,
    ) -> bool {
        let (mut switched, h) = (false, c.constraints.time_step());
        for (i, of) in self.joints.iter().enumerate() {
            let [per_load, ..] = friction(model.joint(of.joint), params, of.joint);
            let most = per_load * self.loads[i];
            if !of.is_ball() {
                self.residual[of.first] = most - self.friction[of.first];
                continue;
            }
            let ball = &mut self.balls[i];
            let now = &mut self.friction[of.range()];
            let held = !ball.slips;
            let p = match at_start || !held {
                true => three(now) * h,
                false => {
                    let p = |k: usize| -c.constraints.friction_impulse(of.dof + k);
                    Vec3::new(p(0), p(1), p(2))
                }
            };
            let next = match ball.judge(three(&v_end[of.dof..]), p, most, h) {
                Judged::Same(next) => next,
                Judged::Switched(next) => {
                    switched = true;
                    now.fill(0.0);
                    next
                }
            };
            let next = [next.x, next.y, next.z];
            for ((out, next), now) in self.residual[of.range()].iter_mut().zip(next).zip(now) {
                *out = next - *now;
            }
        }
        switched
    }

    /// Labels a solution at which a ball begins or ends to slip.
    fn label(&mut self, certificate: &mut Certificate, h: f64, fastest: f64) {
        let balls = self.joints.iter().zip(&self.balls);
        let margins = balls
            .filter(|(of, _)| of.is_ball())
            .map(|(_, ball)| ball.margin(h, fastest));
        let least = margins.fold(f64::INFINITY, smaller);
        self.at_switch = is_at_switch(least);
        certificate.margin = smaller(certificate.margin, least);
        certificate.at_switch |= self.at_switch;
    }

    /// Starts again with the matrix of a fixed-point iteration, damped by `share`.
    fn forget(&mut self, share: f64) {
        let m = self.friction.len();
        self.inverse.fill(0.0);
        self.inverse
            .iter_mut()
            .step_by(m + 1)
            .for_each(|x| *x = -share);
    }

    /// Broyden's update by the last step, which came from the best solution before it.
    fn learn(&mut self) {
        let m = self.friction.len();
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
        self.one_sided |= self.at_switch;
        let (m, nv, h) = (self.friction.len(), model.nv(), c.constraints.time_step());
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
            let by_q = &mut self.by_q[span];
            let of_power = (links, slope, -1.0 / h);
            c.power(
                (model.topology(), &d.kin),
                of_power,
                &self.zero,
                by_impulse,
                by_q,
            );
            for (k, j) in of.range().enumerate() {
                let answer = &mut self.answer[j * nv..][..nv];
                let impulses = &mut self.answer_impulse[j * rows..][..rows];
                match of.is_ball() {
                    false => c.answer_of_friction(model, &mut d.mass, of.dof, answer, impulses)?,
                    true if self.balls[i].slips => {
                        c.answer_of_force(model, &mut d.mass, of.dof + k, answer, impulses)?;
                    }
                    true => {
                        answer.fill(0.0);
                        impulses.fill(0.0);
                    }
                }
            }
        }
        for (i, of) in self.joints.iter().enumerate() {
            for j in 0..m {
                let answer = &self.answer[j * nv..][..nv];
                let motion = dot(&self.by_acc[i * nv..][..nv], answer);
                let impulses = dot(
                    &self.by_impulse[i * rows..][..rows],
                    &self.answer_impulse[j * rows..][..rows],
                );
                let load = motion / h + impulses;
                let by = self.slopes_of(i, (model, params));
                for (k, row) in of.range().enumerate() {
                    let one = if row == j { 1.0 } else { 0.0 };
                    let speed: f64 = (0..of.count)
                        .map(|l| by.by_speed.at(k, l) * answer[of.dof + l])
                        .sum();
                    self.square[row * m + j] = one - by.by_load[k] * load - speed;
                }
            }
        }
        invert(&mut self.square, &mut self.coupled, m)
            .ok_or_else(|| {
                Error::numerical(
                    "the friction of joints by load has no derivative: the linear system of loads and friction is singular",
                )
            })
    }

    /// The slopes of the frictions of a joint, by its load and by the velocity of its dofs.
    pub fn slopes_of(&self, i: usize, (model, params): (&Model, &Params)) -> FrictionSlopes {
        let of = self.joints[i].joint;
        let [per_load, ..] = friction(model.joint(of), params, of);
        let (along, by_speed) = match self.joints[i].is_ball() {
            true => self.balls[i].slope(),
            false => (Vec3::unit(0), Mat3::ZERO),
        };
        let along = [along.x, along.y, along.z];
        FrictionSlopes {
            along,
            by_load: along.map(|a| per_load * a),
            by_speed,
        }
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

/// The first three numbers.
fn three(x: &[f64]) -> Vec3 {
    Vec3::new(x[0], x[1], x[2])
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
