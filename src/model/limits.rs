//! Bounds of joints.

use super::reduction::Reduction;
use super::spec::JointKind;
use super::topology::LinkKind;
use super::{Joint, Model};
use crate::error::{Error, Result};
use std::f64::consts::PI;

/// Bounds that a step enforces: of the coordinate of a one-dof link, or of the rotation angle of a
/// spherical link.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The first of its dofs, and the index of its first coordinate.
    pub dof: usize,
    pub iq: usize,
    /// For a spherical link: its index among those with a bound.
    pub turn: Option<usize>,
    pub lower: f64,
    pub upper: f64,
    pub margin: f64,
    /// Whether the coordinate is an angle and not a length.
    pub angular: bool,
}

impl Limit {
    /// Number of its dofs.
    pub fn nv(&self) -> usize {
        if self.turn.is_some() { 3 } else { 1 }
    }
}

/// A bound of a one-dof joint's speed in both directions [m/s or rad/s].
#[derive(Clone, Copy, Debug)]
pub struct SpeedLimit {
    pub dof: usize,
    pub speed: f64,
}

/// The speed limits of all joints of a model.
pub fn speed_limits(model: &Model) -> Vec<SpeedLimit> {
    let bounded = |j: &&Joint| j.nv == 1 && j.velocity_limit.is_finite();
    let limit = |j: &Joint| SpeedLimit {
        dof: j.iv,
        speed: j.velocity_limit,
    };
    (model.joints().iter().filter(bounded).map(limit)).collect()
}

/// The limits of all joints of a model. A rotation angle is at most π, so that this value bounds
/// nothing.
///
/// # Errors
/// `Unsupported` naming a joint whose bounds this version cannot enforce.
pub fn limits(model: &Model) -> Result<Vec<Limit>> {
    let t = model.topology();
    let (mut limits, mut turns) = (Vec::new(), 0);
    for j in model.joints() {
        let Some((lower, upper)) = j.limits else {
            continue;
        };
        if j.kind == JointKind::Spherical {
            if upper < PI {
                limits.push(Limit {
                    dof: j.iv,
                    iq: j.iq,
                    turn: Some(turns),
                    lower: f64::NEG_INFINITY,
                    upper,
                    margin: j.limit_margin,
                    angular: true,
                });
                turns += 1;
            }
            continue;
        }
        if j.nv != 1 || j.kind == JointKind::Continuous {
            return Err(Error::unsupported(format!(
                "joint \"{}\": bounds on a {:?} joint are not enforced in this version",
                j.name, j.kind
            )));
        }
        if lower.is_finite() || upper.is_finite() {
            limits.push(Limit {
                dof: j.iv,
                iq: j.iq,
                turn: None,
                lower,
                upper,
                margin: j.limit_margin,
                angular: t.links[j.first_link].kind == LinkKind::Revolute,
            });
        }
    }
    match model.reduction() {
        Some(reduction) => lead(model, reduction, limits),
        None => Ok(limits),
    }
}

/// Replaces the bounds of joints that follow a single dof by bounds of this dof, so that there is one
/// pair of bounds for each free dof.
fn lead(model: &Model, reduction: &Reduction, limits: Vec<Limit>) -> Result<Vec<Limit>> {
    let t = model.topology();
    let mut led: Vec<Limit> = Vec::new();
    for own in limits {
        let follower = reduction.followers.iter().find(|f| f.dof == own.dof);
        if follower.is_some_and(|f| f.leaders.is_empty()) {
            // It does not move.
            continue;
        }
        let mut limit = own;
        if let Some((leader, factor, constant)) = reduction.single(own.dof) {
            let link = &t.links[t.dofs[leader].link];
            let ends = [own.lower, own.upper].map(|x| (x - constant) / factor);
            limit = Limit {
                dof: leader,
                iq: link.iq + leader - link.iv,
                lower: ends[0].min(ends[1]),
                upper: ends[0].max(ends[1]),
                margin: own.margin / factor.abs(),
                angular: link.kind == LinkKind::Revolute,
                ..own
            };
        }
        match led
            .iter_mut()
            .find(|l| l.dof == limit.dof && l.turn.is_none())
        {
            None => led.push(limit),
            Some(known) => {
                known.lower = known.lower.max(limit.lower);
                known.upper = known.upper.min(limit.upper);
                known.margin = known.margin.max(limit.margin);
                if known.lower > known.upper {
                    return Err(Error::invalid(format!(
                        "{}: no coordinate of its reduction is within the bounds of all joints that follow it",
                        model.called_of_dof(known.dof)
                    )));
                }
            }
        }
    }
    led.sort_by_key(|l| l.dof);
    Ok(led)
}
