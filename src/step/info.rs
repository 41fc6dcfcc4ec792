//! What a step reports, and the checks of what goes in and comes out.
//!
//! What comes out is checked before it is written: results that are small in a copy ([`deliver`]), matrices by
//! what they are products of, which must be [`within`](crate::linalg::within) bounds whose products are finite.

use crate::error::{Error, Result};
use crate::linalg::first_not_finite;
use crate::model::Model;
use crate::model::params::Params;
use crate::spatial::Vec3;

pub(crate) use crate::model::REACH;

/// Whether no body can be beyond [`REACH`] at q, by the sum of all that joints and their placements can move it by. What joints of
/// other kinds than the engine's own do is not known.
pub(crate) fn are_near(model: &Model, params: &Params, q: &[f64]) -> bool {
    let t = model.topology();
    let away = |p: Vec3| p.x.abs() + p.y.abs() + p.z.abs();
    let placed = params.link_placement.iter().zip(&t.links);
    let placed: f64 = placed.map(|(p, l)| away(p.pos) + l.reference.abs()).sum();
    let moved: f64 = q.iter().map(|q| q.abs()).sum();
    t.varying.is_empty() && placed + moved < REACH / 10.0
}

/// Forces between joints that are so many times stiffer than what they move is inert leave a step's derivative five digits.
pub(crate) const STIFFEST: f64 = 1e11;

/// What a derivative of the last step is.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gradient {
    /// The derivative.
    Exact = 0,
    /// The step is at a switch; the derivative is that of one side, as the law documents. When a derivative is asked
    /// for the sides are compared, and where they agree the step is [`Gradient::Exact`]. Or, as shows then, too: a
    /// contact's own derivative is not determined, or redundant constraints hold together at this state but not at
    /// those around it (four corners of a box that rocks while it is level), and the derivative answers what they
    /// have in common. Or nearly dependent constraints leave open which solution the step is near. Or a selected
    /// friction coefficient is one of two equal ones of which the larger counts.
    OneSided = 1,
    /// A smoothed derivative was asked for.
    Smoothed = 2,
    /// The contact problem was not solved to the tolerance: asking for a derivative is an error. Or, as shows
    /// then: constraints depend on each other so nearly that a derivative would be round-off.
    Refused = 3,
}

/// Facts about the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepInfo {
    /// Of the contact solver, of any kind, on all islands and for all that was asked of them.
    pub iterations: usize,
    /// What that was in factorizations of the contact problem (`Options::max_work`).
    pub work: f64,
    pub contacts: usize,
    /// Of these, how many rebound with an impulse. Where there are any ∂q⁺ by positions is that through the impact: a rebound
    /// that comes later leaves its bodies on another path, though a difference of this one step does not show it.
    pub impacts: usize,
    /// Residual of the contact problem, scaled as [`crate::contact::certificate::Certificate`] documents.
    pub residual: f64,
    /// The residual is within the tolerance; if not, `gradient` is [`Gradient::Refused`].
    pub converged: bool,
    /// With all the push-out of penetrations and passed limits the contact problem was not solved: friction can
    /// jam bodies so that no impulse moves them apart. The step was taken with less
    /// ([`PushOut`](crate::contact::push_out::PushOut)), and its derivative is that of such a step.
    pub push_out_given_up: bool,
    /// Distance to the nearest switch of a mode: of the contact solver as its certificate says, and how
    /// far an actuator is from its clamp, in its unit.
    pub switch_distance: f64,
    pub gradient: Gradient,
    /// The deepest penetration where the step began [m], and how many contacts were deeper than `Options::max_depth`.
    pub deepest: f64,
    pub too_deep: usize,
    /// Euler joints near their singularity where the step began.
    pub near_singular: usize,
}

impl StepInfo {
    pub(crate) const NONE: StepInfo = StepInfo {
        iterations: 0,
        work: 0.0,
        contacts: 0,
        impacts: 0,
        residual: 0.0,
        converged: true,
        push_out_given_up: false,
        switch_distance: f64::INFINITY,
        gradient: Gradient::Exact,
        deepest: 0.0,
        too_deep: 0,
        near_singular: 0,
    };
}

/// What [`Sim::step_vjp_aware`](super::Sim::step_vjp_aware) returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aware {
    /// Not the exact adjoint but another one.
    pub other: bool,
    /// Contacts and limits that the returned adjoint takes in another mode than the step did; 0 for the exact one.
    pub resorted: usize,
}

pub(crate) fn check_length(name: &str, x: &[f64], n: usize) -> Result<()> {
    if x.len() == n {
        Ok(())
    } else {
        Err(Error::invalid(format!(
            "{name} must have {n} entries, got {}",
            x.len()
        )))
    }
}

pub(crate) fn check_finite(name: &str, x: &[f64], n: usize) -> Result<()> {
    check_length(name, x, n)?;
    match first_not_finite(x) {
        None => Ok(()),
        Some(i) => Err(Error::numerical(format!(
            "{name}[{i}] must be finite, got {}",
            x[i]
        ))),
    }
}

/// A name, the numbers, and where they are wanted.
type Finished<'a> = (&'a str, &'a [f64], Option<&'a mut [f64]>);

/// Copies results out where all of them are finite, or none.
pub(crate) fn deliver<const N: usize>(results: [Finished<'_>; N]) -> Result<()> {
    for (name, from, to) in &results {
        if to.is_some()
            && let Some(i) = first_not_finite(from)
        {
            return Err(Error::numerical(format!(
                "{name}[{i}]: the result is not finite, the state or a parameter is too large"
            )));
        }
    }
    for (_, from, to) in results {
        if let Some(to) = to {
            to.copy_from_slice(from);
        }
    }
    Ok(())
}
