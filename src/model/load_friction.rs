//! Coulomb friction of a joint by the load that it carries.
//!
//! The joint carries a force F and a moment M at its anchor. A revolute joint turns in a bearing of radius r
//! and height l, a prismatic one slides in a guide of height l. A spherical one has a ball of radius r. The
//! load and the largest friction are
//!
//! | joint | load N | friction |
//! |---|---|---|
//! | revolute | √(F² + (2 M⊥/l)²) | μ r N [N m] |
//! | prismatic | √(F⊥² + (2 M/l)²) | μ N [N] |
//! | spherical | F | μ r N [N m], for the length of the moment |
//!
//! where ⊥ is the part across the axis. A moment loads the two ends of a bearing with opposite forces M/l.
//! With l = 0, moments do not contribute to the load.

use super::Joint;
use super::params::Params;
use super::spec::{JointKind, JointSpec};
use crate::error::{Error, Result};
use crate::spatial::{Twist, Vec3, Wrench};

/// Refuses friction by load for joints that do not have it.
pub(super) fn check(j: &JointSpec, who: &str) -> Result<()> {
    if j.friction_coefficient == 0.0 {
        return Ok(());
    }
    use JointKind::{Prismatic, Revolute, Spherical};
    if !matches!(j.kind, Revolute | Prismatic | Spherical) || j.varying.is_some() {
        return Err(Error::unsupported(format!(
            "joint {who}: friction coefficient must be 0 for a joint of kind {:?}; revolute, prismatic and spherical \
             joints have friction by load",
            j.kind
        )));
    }
    if j.kind != Prismatic && j.friction_radius == 0.0 {
        return Err(Error::invalid(format!(
            "joint {who}: friction radius must be positive for a {} joint with a friction coefficient, got 0",
            if j.kind == Revolute {
                "revolute"
            } else {
                "spherical"
            }
        )));
    }
    for (what, x) in [
        ("friction height", j.friction_height),
        ("friction loss", j.friction_loss),
    ] {
        if j.kind == Spherical && x != 0.0 {
            return Err(Error::unsupported(format!(
                "joint {who}: {what} must be 0 for a spherical joint with a friction coefficient, got {x}"
            )));
        }
    }
    Ok(())
}

/// The axis of a joint in motion, and a point of it.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    pub point: Vec3,
    pub along: Vec3,
}

/// The load N [N] of a joint that carries this wrench (about the origin), and its slope as a twist: δN is
/// the power of the twist on δ(wrench), with both in axes fixed to the body.
pub fn load(joint: &Joint, axis: &Axis, wrench: Wrench) -> (f64, Twist) {
    let across = |x: Vec3| x - axis.along * axis.along.dot(x);
    let (force, moment) = (wrench.lin, wrench.ang - axis.point.cross(wrench.lin));
    let (force, moment) = match joint.kind {
        JointKind::Prismatic => (across(force), moment),
        JointKind::Spherical => (force, Vec3::ZERO),
        _ => (force, across(moment)),
    };
    let arm = match joint.friction_height {
        0.0 => 0.0,
        height => 2.0 / height,
    };
    let load = (force.dot(force) + arm * arm * moment.dot(moment)).sqrt();
    if load == 0.0 {
        return (0.0, Twist::ZERO);
    }
    let turn = moment * (arm * arm / load);
    let slope = Twist::new(force * (1.0 / load) + axis.point.cross(turn), turn);
    (load, slope)
}

/// The largest friction of a joint at load 1, and its slopes by the coefficient and by the radius.
pub fn friction(joint: &Joint, params: &Params, id: usize) -> [f64; 3] {
    let [mu, radius] = params.joint_friction[id];
    match joint.kind {
        JointKind::Prismatic => [mu, 1.0, 0.0],
        _ => [mu * radius, radius, mu],
    }
}
