//! `<joint>`: the motion of a link relative to its parent.

use super::link::origin;
use super::mimic::{Follow, read as read_mimic};
use super::policy::Mimic;
use super::warnings::Warnings;
use crate::error::Result;
use crate::load::xml::Element;
use crate::model::spec::{JointKind, JointSpec};
use crate::spatial::{Pose, Vec3};

pub(super) struct Joint<'a, 'd> {
    pub(super) element: Element<'a, 'd>,
    pub(super) parent: &'a str,
    pub(super) child: &'a str,
    /// Frame of the child in the parent's at the zero position.
    pub(super) placement: Pose,
    pub(super) spec: JointSpec,
    /// The leader of this joint.
    pub(super) follow: Option<Follow<'a, 'd>>,
}

pub(super) fn read<'a, 'd>(
    joint: Element<'a, 'd>,
    mimic: Mimic,
    warnings: &mut Warnings,
) -> Result<Joint<'a, 'd>> {
    warnings.unknown_attributes(joint, &["name", "type"]);
    for child in joint.children() {
        match child.tag() {
            "origin" | "parent" | "child" | "axis" | "limit" | "dynamics" | "mimic" => {}
            "safety_controller" => warnings.add(child, &soft_limits(child)),
            "calibration" => warnings.add(child, "ignored"),
            _ => warnings.unknown_element(child),
        }
    }
    let kind = kind(joint)?;
    let mut spec = JointSpec::new(joint.required("name")?, kind);
    spec.origin = format!("line {}", joint.line());
    let mut follow = None;
    if kind != JointKind::Fixed {
        follow = read_mimic(joint, mimic, warnings)?;
        if has_axis(kind) {
            spec.axis = axis(joint)?;
        }
        read_limits(joint, &mut spec, warnings)?;
        if let Some(dynamics) = joint.first("dynamics") {
            warnings.unknown_attributes(dynamics, &["damping", "friction"]);
            spec.damping = dynamics.non_negative("damping")?.unwrap_or(0.0);
            spec.friction_loss = dynamics.non_negative("friction")?.unwrap_or(0.0);
        }
    }
    Ok(Joint {
        element: joint,
        parent: end(joint, "parent")?,
        child: end(joint, "child")?,
        placement: origin(joint, warnings)?,
        spec,
        follow,
    })
}

/// The link at one end of a joint.
fn end<'a>(joint: Element<'a, '_>, tag: &str) -> Result<&'a str> {
    let element = joint.first(tag);
    let found = element.ok_or_else(|| joint.error(format!("expected a child <{tag}>, found none")));
    found?.required("link")
}

/// The numbers of a `<safety_controller>`, as written.
fn soft_limits(controller: Element) -> String {
    let [lower, upper, k_position, k_velocity] = [
        "soft_lower_limit",
        "soft_upper_limit",
        "k_position",
        "k_velocity",
    ]
    .map(|name| controller.attribute(name).map_or("0", str::trim));
    format!(
        "ignored, with its soft limits {lower} and {upper}, k_position {k_position}, k_velocity {k_velocity}"
    )
}

fn kind(joint: Element) -> Result<JointKind> {
    Ok(match joint.required("type")? {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute,
        "continuous" => JointKind::Continuous,
        "prismatic" => JointKind::Prismatic,
        "floating" => JointKind::Free,
        "planar" => JointKind::Planar,
        "spherical" | "ball" => JointKind::Spherical,
        other => {
            return Err(joint.error(format!(
                "attribute type: expected fixed, revolute, continuous, prismatic, floating, \
                 planar or spherical, got \"{other}\""
            )));
        }
    })
}

fn has_axis(kind: JointKind) -> bool {
    matches!(
        kind,
        JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic | JointKind::Planar
    )
}

fn axis(joint: Element) -> Result<Vec3> {
    let Some(axis) = joint.first("axis") else {
        return Ok(Vec3::X);
    };
    let xyz = axis.vec3("xyz")?;
    let xyz = xyz.ok_or_else(|| axis.missing("xyz"))?;
    if xyz == Vec3::ZERO {
        return Err(axis.error("attribute xyz: expected a direction, got 0 0 0"));
    }
    Ok(xyz)
}

fn read_limits(joint: Element, spec: &mut JointSpec, warnings: &mut Warnings) -> Result<()> {
    let bounded = matches!(spec.kind, JointKind::Revolute | JointKind::Prismatic);
    let Some(limit) = joint.first("limit") else {
        if bounded {
            warnings.add(joint, "has no <limit>: it moves without limits");
        }
        return Ok(());
    };
    warnings.unknown_attributes(limit, &["lower", "upper", "effort", "velocity"]);
    spec.effort_limit = magnitude(limit, "effort", bounded, warnings)?;
    spec.velocity_limit = magnitude(limit, "velocity", bounded, warnings)?;
    let (lower, upper) = (limit.attribute("lower"), limit.attribute("upper"));
    if !bounded {
        if lower.or(upper).is_some() {
            warnings.add(
                limit,
                "lower and upper ignored: only revolute and prismatic joints have them",
            );
        }
        return Ok(());
    }
    if lower.or(upper).is_none() {
        warnings.add_single(
            limit,
            "neither lower nor upper is given: both are 0 and the joint cannot move".to_owned(),
        );
    }
    let lower = limit.bound("lower")?.unwrap_or(0.0);
    let upper = limit.bound("upper")?.unwrap_or(0.0);
    if lower > upper {
        warnings.add_single(
            limit,
            format!("lower {lower} is above upper {upper}: the joint moves without limits"),
        );
        return Ok(());
    }
    spec.limits = Some((lower, upper)).filter(|_| lower.is_finite() || upper.is_finite());
    Ok(())
}

/// The largest force or velocity; infinite if it is missing, "inf" or negative.
fn magnitude(
    limit: Element,
    attribute: &str,
    expected: bool,
    warnings: &mut Warnings,
) -> Result<f64> {
    let Some(value) = limit.bound(attribute)? else {
        if expected {
            warnings.add(limit, &format!("has no {attribute}: it has no bound"));
        }
        return Ok(f64::INFINITY);
    };
    if value < 0.0 {
        warnings.add(
            limit,
            &format!("its {attribute} is negative: it has no bound"),
        );
        return Ok(f64::INFINITY);
    }
    Ok(value)
}
