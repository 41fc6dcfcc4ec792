//! `<transmission>`: motors that act on joints through a reduction.

use super::warnings::Warnings;
use crate::error::Result;
use crate::load::xml::Element;
use crate::model::spec::{ActuatorSpec, JointKind, JointSpec};
use crate::model::tendon::Transmission;

/// The actuators of all simple transmissions; all other transmissions become warnings.
///
/// # Errors
/// `Parse` for a transmission without names, or with a reduction that is zero or not a number.
pub(super) fn actuators<'s>(
    transmissions: &[Element],
    joints: impl Iterator<Item = &'s JointSpec> + Clone,
    warnings: &mut Warnings,
) -> Result<Vec<ActuatorSpec>> {
    let mut list = Vec::new();
    for &transmission in transmissions {
        let simple = kind(transmission)?.is_some_and(|k| k.trim().ends_with("SimpleTransmission"));
        let of = |tag: &'static str| transmission.children().filter(move |c| c.tag() == tag);
        let (mut ends, mut motors) = (of("joint"), of("actuator"));
        let (Some(joint), Some(motor), None, None, true) = (
            ends.next(),
            motors.next(),
            ends.next(),
            motors.next(),
            simple,
        ) else {
            warnings.add(
                transmission,
                "left out: only a SimpleTransmission of one joint and one actuator becomes an actuator",
            );
            continue;
        };
        let name = joint.required("name")?;
        if joints
            .clone()
            .any(|j| j.name == name && j.kind == JointKind::Fixed)
        {
            warnings.add_single(
                transmission,
                format!("left out: its joint \"{name}\" is fixed"),
            );
            continue;
        }
        // Within the actuator, or beside it in older files.
        let reduction = match reduction(motor)? {
            None => reduction(transmission)?,
            found => found,
        };
        list.push(ActuatorSpec {
            gear: [reduction.unwrap_or(1.0), 0.0, 0.0, 0.0, 0.0, 0.0],
            origin: format!("line {}", transmission.line()),
            ..ActuatorSpec::new(
                motor.required("name")?,
                Transmission::Joint(name.to_owned()),
            )
        });
    }
    Ok(list)
}

/// Its type: a child, or an attribute in older files.
fn kind<'a>(transmission: Element<'a, '_>) -> Result<Option<&'a str>> {
    let child = transmission.first("type");
    Ok(child
        .and_then(|c| c.node.text())
        .or(transmission.attribute("type")))
}

fn reduction(of: Element) -> Result<Option<f64>> {
    let Some(element) = of.first("mechanicalReduction") else {
        return Ok(None);
    };
    let text = element.node.text().unwrap_or_default().trim();
    match text.parse::<f64>() {
        Ok(x) if x.is_finite() && x != 0.0 => Ok(Some(x)),
        _ => Err(element.error(format!(
            "expected a finite number other than 0, got \"{text}\""
        ))),
    }
}
