//! Solving the stages of a step, and taking a step of an implicit formula.

use super::newton::{Found, Problem};
use super::physics::Physics;
use super::stage::{Rule, StageState, history, mix};
use super::way::Limits;
use super::workspace::Implicit;
use crate::error::{Error, Result};
use crate::integrator::implicit::turn;
use crate::linalg::{all_finite, within};
use crate::model::Model;
use crate::step::info::Gradient;
use crate::step::stages::Stepping;

/// Solves the stages of the pending step, from the pending (q, v). Returns the sum of their iterations, and
/// the worst of their other facts.
///
/// # Errors
/// `NotConverged` if the options require convergence; the errors of forces.
pub(in crate::step) fn solve_stages(
    step: &mut Stepping<'_>,
    implicit: &mut Implicit,
) -> Result<Found> {
    let (model, h, s) = (step.model, step.options.time_step, &*step.s);
    // The linearizations are used as scratch.
    implicit.is_linear = false;
    (implicit.stages.iter_mut()).for_each(|s| (s.is_factored, s.is_near) = (false, false));
    let limits = Limits::of(step.options);
    let [v_before, displacement] = history(&s.carried, model.nv());
    let rules = implicit.source.rules(&s.carried, h);
    // Only then do the recursions and factors stay those of the stage.
    let is_alone = rules.len() == 1;
    let is_whole = is_alone && implicit.formula().is_some();
    let mut all = Found {
        iterations: 0,
        residual: 0.0,
        converged: true,
        margin: f64::INFINITY,
    };
    for (i, rule) in rules {
        let (done, rest) = implicit.pending.split_at_mut(i);
        let Some(at) = rest.first_mut() else {
            return Err(Error::internal("a stage is missing"));
        };
        let before = done.last();
        begin(at, &rule, &s.v, before, v_before, displacement);
        implicit.newton.guess(i, at, &rule, before);
        let mut problem = Problem {
            physics: Physics {
                model,
                params: step.params,
                dynamics: step.dynamics,
                forces: step.forces,
                u: &s.drives.drive,
                prescribed: step.prescribed,
                ease: 1.0,
                tau: step.tau,
            },
            rule,
            q: &s.q,
        };
        // The stages of a formula share one matrix, evaluated at different points.
        let linear = &mut implicit.linear[0];
        let found = (implicit.newton).solve(&mut problem, at, linear, limits, &s.v, before)?;
        // The linearization that remains belongs to the last stage, but it is stored for the first.
        at.is_settled &= is_whole;
        at.is_factored &= is_whole;
        at.is_near = is_alone;
        at.missed = (!found.converged).then_some(found.residual);
        all = Found {
            iterations: all.iterations + found.iterations,
            residual: found.residual.max(all.residual),
            converged: all.converged && found.converged,
            margin: all.margin.min(found.margin),
        };
    }
    if !all.converged && step.options.require_convergence {
        return Err(Error::not_converged(format!(
            "{}, after {} iterations",
            limits.missed(all.residual),
            all.iterations
        )));
    }
    Ok(all)
}

/// Computes the pending step of an implicit formula, from the pending (q, v).
///
/// # Errors
/// Those of [`solve_stages`]; `Numerical` if a result is not finite.
pub(in crate::step) fn take(step: &mut Stepping<'_>, implicit: &mut Implicit) -> Result<()> {
    let found = solve_stages(step, implicit)?;
    let (model, s) = (step.model, &mut *step.s);
    let last = implicit
        .source
        .rules(&s.carried, step.options.time_step)
        .len()
        - 1;
    s.begin(found.margin);
    s.info.iterations = found.iterations;
    s.info.residual = found.residual;
    s.info.converged = found.converged;
    s.info.gradient = match found.converged {
        true if found.margin > 0.0 => Gradient::Exact,
        true => Gradient::OneSided,
        false => Gradient::Refused,
    };
    let end = &implicit.pending[last];
    s.q_next.copy_from_slice(&end.q);
    s.v_next.copy_from_slice(&end.v);
    s.acc.copy_from_slice(&end.a);
    s.v_end.copy_from_slice(&end.v);
    if let Some(penalty) = &step.forces.penalty {
        s.info.contacts = penalty.scene.contacts().len();
    }
    if !s.carried_next.is_empty() {
        carry(model, &s.v, end, &mut s.carried_next);
    }
    if within(f64::INFINITY, &s.q_next) && all_finite(&s.v_next) && all_finite(&s.carried_next) {
        Ok(())
    } else {
        Err(Error::numerical(
            "q_next is not finite: the velocity is too large",
        ))
    }
}

/// Computes w₀ and ξ₀ of a stage.
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

/// Stores the history of the next step, along the axes at the end of this one.
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
