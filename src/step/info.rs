//! Facts that a step reports, and checks of its arguments and results.
//!
//! Results are checked before they are written. Small results are checked in a copy ([`deliver`]). For
//! matrices, the factors are checked: they must be [`within`](crate::linalg::within) bounds whose products
//! are finite.

use crate::contact::tally::Tally;
use crate::dynamics::kinematics::Kinematics;
use crate::error::{Error, Result};
use crate::linalg::first_not_finite;
use crate::model::Model;
use crate::model::params::Params;
use crate::spatial::Vec3;

pub(crate) use crate::model::REACH;

/// True if no body can be beyond [`REACH`] at q, estimated by the sum of all displacements by joints and
/// their placements. Joints of user-defined kinds have no such bound.
pub(crate) fn are_near(model: &Model, params: &Params, q: &[f64]) -> bool {
    let t = model.topology();
    let away = |p: Vec3| p.x.abs() + p.y.abs() + p.z.abs();
    let placed = params.link_placement.iter().zip(&t.links);
    let placed: f64 = placed.map(|(p, l)| away(p.pos) + l.reference.abs()).sum();
    let moved: f64 = q.iter().map(|q| q.abs()).sum();
    t.varying.is_empty() && placed + moved < REACH / 10.0
}

/// Largest stiffness of forces between joints, relative to the inertia, at which a step's derivative keeps
/// five digits.
pub(crate) const STIFFEST: f64 = 1e11;

/// Label of a derivative of the last step.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gradient {
    /// The derivative of the step as computed.
    Exact = 0,
    /// The derivative of one side of a switch, which the law documents. When a derivative is requested the
    /// two sides are compared; if they agree, the label is [`Gradient::Exact`].
    ///
    /// Also reported in these cases, which are found only when a derivative is requested:
    /// - The geometry of a contact has no unique derivative here.
    /// - Redundant constraints are consistent at this state but not at nearby ones (four corners of a box
    ///   that rocks while it is level). The derivative is that of the motions for which they are
    ///   consistent.
    /// - Equalities depend on each other at this state but not at nearby ones (a singular pose of a loop).
    /// - Constraints are nearly dependent, so that round-off decides which solution the step is near.
    /// - A selected friction coefficient equals that of the other geom of a pair, and the larger of the two
    ///   counts.
    OneSided = 1,
    /// A smoothed derivative, computed on request.
    Smoothed = 2,
    /// No derivative: the contact problem was not solved to the tolerance. Or, found only when a derivative
    /// is requested: constraints are so nearly dependent that a derivative would be round-off.
    Refused = 3,
}

/// Facts about the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepInfo {
    /// Iterations of the contact solver, of any kind, summed over all islands and all problems of the step.
    pub iterations: usize,
    /// The work of these iterations in factorizations of the contact problem (`Options::max_work`).
    pub work: f64,
    /// Tries, solutions and work of each method of the contact solver.
    pub tally: Tally,
    pub contacts: usize,
    /// Number of contacts that rebound with an impulse. If there are any, ∂q⁺ by positions includes the
    /// change of the impact time: a later rebound displaces the bodies. Finite differences of this one step
    /// do not show it.
    pub impacts: usize,
    /// Residual of the contact problem, scaled as [`crate::contact::certificate::Certificate`] documents.
    /// With implicit stages the larger of this one and the last correction of Newton's method, relative to
    /// the velocities.
    pub residual: f64,
    /// True if the contact problem is solved within the tolerance, and Newton's method has stopped within its
    /// own or at round-off. If not, `gradient` is [`Gradient::Refused`].
    pub converged: bool,
    /// True if the contact problem was not solved with full stabilization of penetrations and passed
    /// limits: friction can jam bodies so that no impulse separates them. The step was then taken with less
    /// stabilization ([`PushOut`](crate::contact::push_out::PushOut)); its derivative is the derivative of
    /// that step.
    pub push_out_given_up: bool,
    /// Distance to the nearest switch of a mode: for contacts and limits as the solver's certificate
    /// defines it, for an actuator its distance from its clamp, in its unit.
    pub switch_distance: f64,
    pub gradient: Gradient,
    /// Deepest penetration at the start of the step [m], and number of contacts deeper than
    /// `Options::max_depth`.
    pub deepest: f64,
    pub too_deep: usize,
    /// Euler joints near their singularity where the step began.
    pub near_singular: usize,
}

impl StepInfo {
    pub(crate) const NONE: StepInfo = StepInfo {
        iterations: 0,
        work: 0.0,
        tally: Tally::NONE,
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

/// Result of [`Sim::step_vjp_aware`](super::Sim::step_vjp_aware).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aware {
    /// True if another adjoint than the exact one was returned.
    pub other: bool,
    /// Number of contacts and limits whose mode in the returned adjoint differs from their mode in the
    /// step; 0 for the exact one.
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

/// [`check_length`] for results of which some are wanted.
pub(crate) fn check_wanted<const N: usize>(
    all: [(&str, &Option<&mut [f64]>, usize); N],
) -> Result<()> {
    let mut wanted = (all.iter()).filter_map(|(name, x, n)| Some((name, x.as_deref()?, n)));
    wanted.try_for_each(|(name, x, n)| check_length(name, x, *n))
}

/// Refuses placements at which a body is too far away.
pub(crate) fn check_places(kin: &Kinematics) -> Result<()> {
    // Without a branch per number.
    let near = |p: &Vec3| p.x.abs() + p.y.abs() + p.z.abs() < REACH;
    let all_near = |points: &[Vec3]| points.iter().fold(true, |all, p| all & near(p));
    accept_places(all_near(&kin.pos) & all_near(&kin.origin))
}

/// [`check_places`] by sums of the absolute coordinates of all places.
pub(crate) fn check_place_sums(mut sums: impl Iterator<Item = f64>) -> Result<()> {
    accept_places(sums.all(|sum| sum < REACH))
}

fn accept_places(are_near: bool) -> Result<()> {
    match are_near {
        true => Ok(()),
        false => Err(Error::numerical(format!(
            "q: it places a body beyond {REACH:e} m, where results are not finite"
        ))),
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

/// Refuses a state with a wrong length, a number that is not finite, or a quaternion that cannot be
/// normalized.
pub(crate) fn check_state(model: &Model, q: &[f64], v: Option<&[f64]>) -> Result<()> {
    check_finite("q", q, model.nq())?;
    if let Some((joint, norm)) = model.bad_quaternion(q) {
        return Err(Error::invalid(format!(
            "q: the quaternion of joint \"{joint}\" must have length 1, got {norm:e}"
        )));
    }
    match v {
        Some(v) => check_finite("v", v, model.nv()),
        None => Ok(()),
    }
}

/// Refuses a body that does not exist.
pub(crate) fn check_body(model: &Model, body: usize) -> Result<()> {
    let n = model.nbody();
    match body < n {
        true => Ok(()),
        false => Err(Error::invalid(format!(
            "body must be in 0..{n}, got {body}"
        ))),
    }
}

/// A name, the numbers, and their destination if wanted.
type Finished<'a> = (&'a str, &'a [f64], Option<&'a mut [f64]>);

/// Copies results out if all of them are finite; otherwise none.
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
