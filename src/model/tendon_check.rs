//! Checks of springs and tendons from any source.

use super::check::{SIZES, check_pose};
use super::tendon::{PathPoint, SpringSpec, TendonPath, TendonSpec, WrapSpec};
use crate::error::{Error, Result};

fn not_negative(who: &str, list: &[(&str, f64)]) -> Result<()> {
    match list.iter().find(|(_, x)| !(*x >= 0.0 && x.is_finite())) {
        None => Ok(()),
        Some((what, x)) => Err(Error::invalid(format!(
            "{who}: {what} must be finite and not negative, got {x}"
        ))),
    }
}

/// Checks the numbers of a spring. `who` names it.
pub(super) fn check_spring(s: &SpringSpec, who: &str) -> Result<()> {
    not_negative(who, &[("stiffness", s.stiffness), ("damping", s.damping)])?;
    for (what, at) in [("anchor1", s.anchor1), ("anchor2", s.anchor2)] {
        if !at.is_finite() {
            return Err(Error::invalid(format!(
                "{who}: {what} must be finite, got {:?}",
                at.to_array()
            )));
        }
    }
    Ok(())
}

/// Checks the numbers of a tendon and the order of its path. `who` names it.
pub(super) fn check_tendon(t: &TendonSpec, who: &str) -> Result<()> {
    not_negative(
        who,
        &[
            ("stiffness", t.stiffness),
            ("damping", t.damping),
            ("limit margin", t.limit_margin),
            ("friction loss", t.friction_loss),
        ],
    )?;
    let terms = [t.stiffness_terms, t.damping_terms].concat();
    if let Some(x) = terms.iter().find(|x| !x.is_finite()) {
        return Err(Error::invalid(format!(
            "{who}: the terms of stiffness and damping must be finite, got {x}"
        )));
    }
    if t.pull_only && t.is_curved() {
        return Err(Error::invalid(format!(
            "{who}: a tendon that only pulls must have a linear spring and damper"
        )));
    }
    if let Some((lo, hi)) = t.rest
        && !(lo <= hi && lo.is_finite() && hi.is_finite())
    {
        return Err(Error::invalid(format!(
            "{who}: the rest lengths must be finite and ordered, got {lo} {hi}"
        )));
    }
    if let Some((lo, hi)) = t.limits
        && !(lo <= hi && lo < f64::INFINITY && hi > f64::NEG_INFINITY)
    {
        return Err(Error::invalid(format!(
            "{who}: limits must be ordered and differ, got {lo} {hi}"
        )));
    }
    match &t.path {
        TendonPath::Fixed(terms) => check_terms(terms, who),
        TendonPath::Spatial(path) => check_path(path, who),
    }
}

fn check_terms(terms: &[(String, f64)], who: &str) -> Result<()> {
    if terms.is_empty() {
        return Err(Error::invalid(format!(
            "{who}: a fixed tendon needs a joint, got none"
        )));
    }
    for (i, (joint, coefficient)) in terms.iter().enumerate() {
        if !coefficient.is_finite() {
            return Err(Error::invalid(format!(
                "{who}: the coefficient of joint \"{joint}\" must be finite, got {coefficient}"
            )));
        }
        if terms[..i].iter().any(|(other, _)| other == joint) {
            return Err(Error::invalid(format!(
                "{who}: joint \"{joint}\" must be named once"
            )));
        }
    }
    Ok(())
}

/// Checks that every branch has at least two points, and that every solid is between two points.
fn check_path(path: &[PathPoint], who: &str) -> Result<()> {
    let is_point = |i: usize| matches!(path.get(i), Some(PathPoint::Point { .. }));
    let is_pulley = |i: usize| matches!(path.get(i), Some(PathPoint::Pulley { .. }));
    let is_bracketed = |i: usize| i > 0 && is_point(i - 1) && is_point(i + 1);
    let points = (0..path.len()).filter(|i| is_point(*i)).count();
    if points < 2 {
        return Err(Error::invalid(format!(
            "{who}: the path needs two points at least, got {points}"
        )));
    }
    for (i, station) in path.iter().enumerate() {
        let fault = match station {
            PathPoint::Point { at, .. } if !at.is_finite() => {
                format!("must be finite, got {:?}", at.to_array())
            }
            PathPoint::Point { .. } => {
                let ends = [
                    i == 0 || is_pulley(i - 1),
                    i + 1 == path.len() || is_pulley(i + 1),
                ];
                match ends {
                    [true, true] => "is alone in its branch, which needs two points".into(),
                    _ => continue,
                }
            }
            PathPoint::Around(wrap) => {
                check_wrap(wrap, &format!("{who}: path[{i}]"))?;
                match is_bracketed(i) {
                    true => continue,
                    false => {
                        "wraps around a solid: there must be a point before it and after it".into()
                    }
                }
            }
            PathPoint::Pulley { divisor } if !(*divisor > 0.0 && divisor.is_finite()) => {
                format!("the divisor of a pulley must be positive and finite, got {divisor}")
            }
            PathPoint::Pulley { .. } => match is_point(i + 1) {
                true => continue,
                false => "a pulley must be followed by a point".into(),
            },
        };
        return Err(Error::invalid(format!("{who}: path[{i}]: {fault}")));
    }
    Ok(())
}

fn check_wrap(wrap: &WrapSpec, who: &str) -> Result<()> {
    check_pose(&wrap.placement, || {
        format!("{who}: the placement of the solid")
    })?;
    if !SIZES.contains(&wrap.radius) {
        return Err(Error::invalid(format!(
            "{who}: the radius of the solid must be positive and finite, got {}",
            wrap.radius
        )));
    }
    match wrap.side {
        Some((_, at)) if !at.is_finite() => Err(Error::invalid(format!(
            "{who}: the side point must be finite, got {:?}",
            at.to_array()
        ))),
        _ => Ok(()),
    }
}
