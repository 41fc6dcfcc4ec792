//! `<drake:proximity_properties>` of a collision: contact properties in Drake's words.

use super::warnings::Warnings;
use crate::error::Result;
use crate::load::xml::Element;
use crate::model::spec::{GeomSpec, Hydroelastic, HydroelasticKind};

pub(super) const TAG: &str = "drake:proximity_properties";

/// The properties of a collision.
#[derive(Clone, Copy)]
pub(super) struct Proximity {
    hydroelastic: Hydroelastic,
    friction: Option<f64>,
    stiffness: Option<f64>,
    dissipation: Option<f64>,
}

impl Proximity {
    pub(super) fn apply(&self, geom: &mut GeomSpec) {
        geom.hydroelastic = self.hydroelastic;
        geom.friction[0] = self.friction.unwrap_or(geom.friction[0]);
        geom.stiffness = self.stiffness.unwrap_or(geom.stiffness);
        geom.dissipation = self.dissipation.unwrap_or(geom.dissipation);
    }
}

/// Those of a collision, if it has any.
pub(super) fn read(collision: Element, warnings: &mut Warnings) -> Result<Option<Proximity>> {
    let Some(properties) = collision.child(TAG)? else {
        return Ok(None);
    };
    let mut found = Proximity {
        hydroelastic: Hydroelastic::default(),
        friction: None,
        stiffness: None,
        dissipation: None,
    };
    let h = &mut found.hydroelastic;
    for child in properties.children() {
        let kind = match child.tag() {
            "drake:rigid_hydroelastic" => HydroelasticKind::Rigid,
            "drake:compliant_hydroelastic" => HydroelasticKind::Compliant,
            _ => {
                warnings.unknown_attributes(child, &["value"]);
                match child.tag() {
                    "drake:hydroelastic_modulus" => h.modulus = child.positive("value")?,
                    "drake:mesh_resolution_hint" => h.resolution = child.positive("value")?,
                    "drake:hydroelastic_margin" => h.margin = not_negative(child)?,
                    "drake:point_contact_stiffness" => {
                        found.stiffness = Some(child.positive("value")?);
                    }
                    "drake:relaxation_time" => found.dissipation = Some(not_negative(child)?),
                    "drake:mu_dynamic" => found.friction = Some(not_negative(child)?),
                    "drake:mu_static" => {
                        warnings.add(child, "ignored: sticking ends at the friction of sliding");
                    }
                    "drake:hunt_crossley_dissipation" => warnings.add(
                        child,
                        "ignored: contacts have a dissipation time, drake:relaxation_time",
                    ),
                    _ => warnings.unknown_element(child),
                }
                continue;
            }
        };
        if h.kind != HydroelasticKind::None && h.kind != kind {
            return Err(child.error("a collision is either rigid or compliant, not both"));
        }
        h.kind = kind;
    }
    Ok(Some(found))
}

fn not_negative(of: Element) -> Result<f64> {
    let value = of.non_negative("value")?;
    value.ok_or_else(|| of.missing("value"))
}
