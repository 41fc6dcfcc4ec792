//! Taking an implicit step.

use super::chain::missing;
use super::newton::{Limits, Problem};
use super::physics::Physics;
use super::stage::{Rule, StageState, history, mix};
use crate::error::{Error, Result};
use crate::integrator::implicit::turn;
use crate::linalg::{all_finite, within};
use crate::model::Model;
use crate::spatial::Twist;
use crate::step::info::{Gradient, StepInfo};
use crate::step::sim::Sim;

impl Sim {
    /// The pending step of an implicit formula, from (q, v) at which the recursions are.
    pub(in crate::step) fn pending_implicit(&mut self) -> Result<()> {
        self.guess()?;
        let (model, h, s) = (&*self.model, self.options.time_step, &mut self.pending);
        let Some(implicit) = &mut self.implicit else {
            return Err(missing());
        };
        // They are used on the way.
        implicit.is_linear = false;
        let limits = Limits::of(&self.options);
        s.info = StepInfo::NONE;
        (s.only_modes_switch, s.aware) = (false, None);
        let nv = model.nv();
        let [v_before, displacement] = history(&s.carried, nv);
        for (i, rule) in Rule::all(implicit.formula, &s.carried, h) {
            let (done, rest) = implicit.pending.split_at_mut(i);
            let Some(at) = rest.first_mut() else {
                return Err(Error::internal("a stage is missing"));
            };
            let before = done.last();
            begin(at, &rule, &s.v, before, v_before, displacement);
            match before {
                None => at.w.copy_from_slice(&s.v_end),
                // Along the line through what was found so far.
                Some(before) => extrapolate(at, &s.v, before, rule.displacement, h),
            }
            let mut problem = Problem {
                physics: Physics {
                    model,
                    params: &self.params,
                    dynamics: &mut self.dynamics,
                    forces: &mut self.forces,
                    u: &s.drives.drive,
                    driven: &self.driven,
                    ease: 1.0,
                    tau: &mut self.tau,
                },
                rule,
                q: &s.q,
            };
            // The stages of a formula have one matrix but for where they are.
            let linear = &mut implicit.linear[0];
            implicit.newton.rest(at, &rule, &s.v, before);
            let found =
                (implicit.newton).solve(&mut problem, at, linear, limits, before.is_some())?;
            s.info.iterations += found.iterations;
            s.info.residual = found.residual.max(s.info.residual);
            s.info.converged &= found.converged;
            s.info.switch_distance = s.info.switch_distance.min(found.margin);
        }
        if !s.info.converged && self.options.require_convergence {
            return Err(Error::not_converged(format!(
                "{}, after {} iterations",
                limits.missed(s.info.residual),
                s.info.iterations
            )));
        }
        s.info.gradient = match s.info.converged {
            true if s.info.switch_distance > 0.0 => Gradient::Exact,
            true => Gradient::OneSided,
            false => Gradient::Refused,
        };
        let last = Rule::all(implicit.formula, &s.carried, h).len() - 1;
        let end = &implicit.pending[last];
        s.q_next.copy_from_slice(&end.q);
        s.v_next.copy_from_slice(&end.v);
        s.acc.copy_from_slice(&end.a);
        s.v_end.copy_from_slice(&end.v);
        if let Some(penalty) = &self.forces.penalty {
            s.info.contacts = penalty.scene.contacts().len();
        }
        if !s.carried_next.is_empty() {
            carry(model, &s.v, end, &mut s.carried_next);
        }
        if within(f64::INFINITY, &s.q_next) && all_finite(&s.v_next) && all_finite(&s.carried_next)
        {
            Ok(())
        } else {
            Err(Error::numerical(
                "q_next is not finite: the velocity is too large",
            ))
        }
    }

    /// A first guess of the first stage's w into the pending `v_end`.
    fn guess(&mut self) -> Result<()> {
        let (model, h, s) = (&*self.model, self.options.time_step, &mut self.pending);
        let Some(implicit) = &self.implicit else {
            return Ok(());
        };
        let mut rules = Rule::all(implicit.formula, &s.carried, h);
        let Some((_, rule)) = rules.next() else {
            return Ok(());
        };
        if rule.w0.history != 0.0 {
            // What the last step added to the velocity this one may add, too.
            let [v_before, _] = history(&s.carried, model.nv());
            for ((w, v), before) in s.v_end.iter_mut().zip(&s.v).zip(v_before) {
                *w = 2.0 * v - before;
            }
            return Ok(());
        }
        self.guess_by_forces(rule.rate)
    }

    /// v and what the forces where the step begins add to it in a time 1/`rate`, into the pending `v_end`.
    pub(in crate::step) fn guess_by_forces(&mut self, rate: f64) -> Result<()> {
        let h = self.implicit_step();
        let (model, s) = (&*self.model, &mut self.pending);
        let at = s.for_forces(model, &self.params, &self.dynamics.kin, h);
        self.forces.apply(&at, &mut self.tau)?;
        self.forces.set_products(&mut self.dynamics.system);
        let (params, diagonal, tau) = (&self.params, &self.driven.pivots, &self.tau);
        (self.dynamics).forward_system(model, params, diagonal, tau, &mut s.acc);
        for ((w, v), a) in s.v_end.iter_mut().zip(&s.v).zip(&s.acc) {
            *w = v + a / rate;
        }
        for l in model.free_links() {
            let turned = Twist::from_slice(&s.v[l.iv..]);
            let change = turned.ang.cross(turned.lin) * (1.0 / rate);
            for (w, x) in s.v_end[l.iv..].iter_mut().zip(change.to_array()) {
                *w += x;
            }
        }
        if !all_finite(&s.v_end) {
            s.v_end.copy_from_slice(&s.v);
        }
        Ok(())
    }
}

/// w₀ and ξ₀ of a stage.
fn begin(
    at: &mut StageState,
    rule: &Rule,
    v: &[f64],
    before: Option<&StageState>,
    v_before: &[f64],
    displacement: &[f64],
) {
    let before = before.map_or(&[][..], |b| &b.w);
    mix(rule.w0, v, before, v_before, &mut at.w0);
    mix(rule.xi0, v, before, displacement, &mut at.xi0);
}

/// From v where the step begins through w of a stage at `time` to the end of the step.
fn extrapolate(at: &mut StageState, v: &[f64], before: &StageState, time: f64, h: f64) {
    for ((w, v), before) in at.w.iter_mut().zip(v).zip(&before.w) {
        *w = v + (before - v) * (h / time);
    }
}

/// What the next step takes as its history, along the axes of this one's end.
fn carry(model: &Model, v: &[f64], end: &StageState, carried: &mut [f64]) {
    let nv = model.nv();
    let (both, flag) = carried.split_at_mut(2 * nv);
    let (velocity, displacement) = both.split_at_mut(nv);
    velocity.copy_from_slice(v);
    displacement.copy_from_slice(&end.xi);
    turn(model, &end.xi, velocity);
    turn(model, &end.xi, displacement);
    flag.fill(1.0);
}
