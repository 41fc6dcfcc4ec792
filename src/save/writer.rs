//! The data with which the parts of an MJCF file are written.

use super::losses::Losses;
use super::names::{Names, of_model};
use super::pieces::{Piece, pieces};
use super::xml_text::{UNBOUNDED, Xml, bounded};
use super::{aim, inertias};
use crate::model::Model;
use crate::model::sensor::{Zone, ZoneShape};
use crate::spatial::{Mat3, Pose};

/// The model, its names in the file, and the losses.
pub(super) struct Writer<'m> {
    pub model: &'m Model,
    pub bodies: Names,
    pub joints: Names,
    pub geoms: Names,
    /// Pieces of each joint.
    pub pieces: Vec<Vec<Piece>>,
    /// Inertia of each body.
    pub inertias: Vec<Option<inertias::Written>>,
    pub losses: Losses,
}

impl<'m> Writer<'m> {
    pub fn new(model: &'m Model) -> Writer<'m> {
        let mut losses = Losses::default();
        let [mut joints, bodies, geoms] = of_model(model, &mut losses);
        Writer {
            model,
            bodies,
            geoms,
            pieces: pieces(model, false, &mut joints, &mut losses),
            joints,
            inertias: inertias::inertias(model, &mut losses),
            losses,
        }
    }
}

/// Writes the placement of an element in the element around it.
pub(super) fn place(xml: &mut Xml, p: &Pose) {
    xml.unless(&[0.0; 3], "pos", &p.pos.to_array());
    if p.rot != Mat3::IDENTITY {
        xml.numbers("quat", &aim::quaternion(&p.rot));
    }
}

/// Writes the zone of a site, unless it is the readers' default.
pub(super) fn zone(xml: &mut Xml, zone: &Zone) {
    if *zone == Zone::default() {
        return;
    }
    xml.attribute(
        "type",
        match zone.shape {
            ZoneShape::Sphere => "sphere",
            ZoneShape::Capsule => "capsule",
            ZoneShape::Ellipsoid => "ellipsoid",
            ZoneShape::Cylinder => "cylinder",
            ZoneShape::Box => "box",
        },
    )
    .numbers("size", &zone.size);
}

/// A range that readers accept: finite, with the lower bound below the upper one.
pub(super) fn range(
    xml: &mut Xml,
    losses: &mut Losses,
    attribute: &str,
    what: &str,
    (mut lower, mut upper): (f64, f64),
    who: &str,
) {
    if !(lower.is_finite() && upper.is_finite()) {
        (lower, upper) = (bounded(lower), bounded(upper));
        losses.note(
            format!("{what} that are open on one side are closed at {UNBOUNDED:e}"),
            who,
        );
    }
    if lower == upper {
        let wider = 1e-12 * upper.abs().max(1.0);
        upper += wider;
        losses.note(
            format!("{what} of width zero are widened by a factor of 1e-12"),
            who,
        );
    }
    xml.numbers(attribute, &[lower, upper]);
}
