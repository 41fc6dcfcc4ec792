//! Contact reports of penalty forces.

use super::contact::{ContactReport, check_finite};
use super::geometry::Geometry;
use crate::collision::contact_frame;
use crate::dynamics::kinematics::{Kinematics, twists};
use crate::error::Result;
use crate::force::penalty::PenaltyContacts;
use crate::model::Model;

/// Reports contacts that are penalty forces, at the configuration `q` where they were found. Impulses are
/// forces times the time step h, velocities those at the end of the step.
///
/// # Errors
/// Those of [`check_finite`].
pub(super) fn report_penalty(
    penalty: &PenaltyContacts,
    model: &Model,
    kin: &Kinematics,
    h: f64,
    q: &[f64],
    v_end: &[f64],
    out: &mut Geometry,
) -> Result<()> {
    let Geometry {
        reports,
        found,
        q: place,
        twists: links,
        ..
    } = out;
    reports.clear();
    found.clear();
    place.clear();
    place.extend_from_slice(q);
    if penalty.scene.contacts().is_empty() {
        return Ok(());
    }
    twists(kin, model, v_end, links);
    let velocities = penalty.velocities(links);
    for ((c, by), velocity) in penalty.contacts().zip(velocities) {
        let frame = contact_frame(c.point.normal);
        found.push(*c);
        reports.push(ContactReport {
            impulse: frame.tr_mul_vec(by.force * h).to_array(),
            velocity: frame.tr_mul_vec(velocity).to_array(),
            mode: by.mode,
            ..ContactReport::without_forces(c, model)
        });
    }
    check_finite(reports)
}
