//! `<mimic>`: joints that follow others.

use super::policy::Mimic;
use super::warnings::Warnings;
use crate::error::Result;
use crate::load::xml::Element;
use crate::model::spec::{EqualityKind, EqualitySpec, JointKind, JointSpec};
use std::collections::HashMap;

/// q = multiplier·q_leader + offset.
pub(super) struct Follow<'a, 'd> {
    element: Element<'a, 'd>,
    leader: &'a str,
    multiplier: f64,
    offset: f64,
}

/// The leader of a joint; `None` if it moves independently.
pub(super) fn read<'a, 'd>(
    joint: Element<'a, 'd>,
    mimic: Mimic,
    warnings: &mut Warnings,
) -> Result<Option<Follow<'a, 'd>>> {
    let Some(element) = joint.first("mimic") else {
        return Ok(None);
    };
    let leader = element.required("joint")?;
    match mimic {
        Mimic::Error => Err(element.unsupported(format!(
            "it follows joint \"{leader}\": mimic = DS_MIMIC_COUPLE holds it there, mimic = \
             DS_MIMIC_REDUCE gives both one coordinate, mimic = DS_MIMIC_INDEPENDENT lets it move on its own"
        ))),
        Mimic::Independent => {
            warnings.add_single(
                element,
                format!("ignored: does not follow joint \"{leader}\", but moves on its own"),
            );
            Ok(None)
        }
        Mimic::Couple | Mimic::Reduce => {
            warnings.unknown_attributes(element, &["joint", "multiplier", "offset"]);
            Ok(Some(Follow {
                element,
                leader,
                multiplier: element.number("multiplier")?.unwrap_or(1.0),
                offset: element.number("offset")?.unwrap_or(0.0),
            }))
        }
    }
}

fn has_one_dof(kind: JointKind) -> bool {
    matches!(
        kind,
        JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic
    )
}

/// The equalities that couple followers to their leaders.
pub(super) fn couplings<'a, 'd: 'a>(
    joints: impl Iterator<Item = (&'a JointSpec, Option<&'a Follow<'a, 'd>>)> + Clone,
) -> Result<Vec<EqualitySpec>> {
    let kinds: HashMap<&str, JointKind> = (joints
        .clone()
        .map(|(spec, _)| (spec.name.as_str(), spec.kind)))
    .collect();
    let mut list = Vec::new();
    for (JointSpec { name, .. }, follow) in joints {
        let Some(f) = follow else { continue };
        if f.leader == name {
            return Err(f.element.error(format!("joint \"{name}\" follows itself")));
        }
        for joint in [f.leader, name] {
            match kinds.get(joint) {
                Some(kind) if has_one_dof(*kind) => {}
                Some(kind) => {
                    return Err(f.element.error(format!(
                        "expected joints of one degree of freedom, \"{joint}\" is {kind:?}"
                    )));
                }
                None => {
                    return Err(f.element.error(format!(
                        "\"{joint}\" is not a joint of the file; mimic = DS_MIMIC_INDEPENDENT lets the \
                         joint move on its own"
                    )));
                }
            }
        }
        list.push(EqualitySpec {
            name: name.clone(),
            active: true,
            kind: EqualityKind::Joint {
                joint1: name.clone(),
                joint2: Some(f.leader.to_owned()),
                coefficients: [f.offset, f.multiplier, 0.0, 0.0, 0.0],
                dofs: [0; 2],
            },
            origin: format!("line {}", f.element.line()),
        });
    }
    Ok(list)
}
