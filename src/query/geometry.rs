//! Geometry: contacts without dynamics, their derivatives, distances, filters.

use super::contact_motion::{self, ContactDerivatives};
use crate::collision::ContactDerivative;
use crate::collision::Smoothness;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::step::info::{check_length, check_state};
use crate::step::{ContactReport, Gradient, Query};

/// Distance of two geoms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// If they overlap: minus the smallest translation that separates them [m].
    pub distance: f64,
    /// On the surfaces, world axes [m].
    pub point_a: [f64; 3],
    pub point_b: [f64; 3],
    /// Unit, from A to B, world axes.
    pub normal: [f64; 3],
    /// [`Gradient::OneSided`] if the distance has a kink, or if a part of its derivative is not determined;
    /// this part is left out.
    pub gradient: Gradient,
}

pub(super) fn collide(at: &mut Query<'_>, q: &[f64]) -> Result<()> {
    at.update_positions(q)?;
    let mut reports = std::mem::take(&mut at.geometry.reports);
    let mut list = std::mem::take(&mut at.geometry.found);
    reports.clear();
    list.clear();
    let (room, motions) = (at.options.max_contacts, &mut at.geometry.motions);
    motions.clear();
    let reserved = (reports.try_reserve_exact(room)).and(list.try_reserve_exact(room));
    if reserved.and(motions.try_reserve_exact(room)).is_err() {
        return Err(Error::capacity(format!(
            "options.max_contacts: there is no memory for {room} contacts"
        )));
    }
    let found = at.with_scene(|scene, model, kin| {
        scene.place(model, kin);
        scene.collide(0.0)?;
        let seen = scene.contacts().iter();
        reports.extend(seen.map(|c| ContactReport::without_forces(c, model)));
        list.extend_from_slice(scene.contacts());
        Ok(())
    });
    (at.geometry.reports, at.geometry.found) = (reports, list);
    found?;
    at.geometry.q.clear();
    at.geometry.q.extend_from_slice(q);
    Ok(())
}

/// Checks the lengths of derivatives of n contacts.
pub(super) fn check_motions(model: &Model, n: usize, out: &ContactDerivatives<'_>) -> Result<()> {
    for (name, out, rows) in [
        ("point", &out.point, 3),
        ("normal", &out.normal, 3),
        ("tangents", &out.tangents, 6),
        ("gap", &out.gap, 1),
    ] {
        if let Some(out) = out {
            check_length(name, out, rows * n * model.nv())?;
        }
    }
    Ok(())
}

/// Derivatives of the contacts in the scene with `of_rows`, otherwise of those in `geometry`. The links must
/// stand where the contacts were found.
pub(super) fn contact_derivatives(
    at: &mut Query<'_>,
    of_rows: bool,
    mut out: ContactDerivatives<'_>,
) -> Result<Gradient> {
    let nv = at.model.nv();
    let mut motions = std::mem::take(&mut at.geometry.motions);
    let mut found = std::mem::take(&mut at.geometry.found);
    motions.clear();
    let done = at.with_scene(|scene, model, kin| {
        let mut gradient = Gradient::Exact;
        if of_rows {
            found.clear();
            found.extend_from_slice(scene.contacts());
        } else {
            scene.place(model, kin);
        }
        for c in &found {
            let mut d = ContactDerivative::default();
            if certainty(scene.differentiate(c, &mut d)) != Gradient::Exact {
                gradient = Gradient::OneSided;
            }
            contact_motion::check(model, c, &d)?;
            motions.push(d);
        }
        out.clear();
        for (i, (c, d)) in found.iter().zip(&motions).enumerate() {
            contact_motion::write(model, kin, c, d, &mut out.contact(i, nv));
        }
        Ok(gradient)
    });
    (at.geometry.motions, at.geometry.found) = (motions, found);
    done
}

pub(super) fn distance(
    at: &mut Query<'_>,
    geom_a: usize,
    geom_b: usize,
    q: &[f64],
    gradient: Option<&mut [f64]>,
) -> Result<Distance> {
    check_state(at.model, q, None)?;
    if let Some(g) = &gradient {
        check_length("gradient", g, at.model.nv())?;
    }
    at.update_positions(q)?;
    at.with_scene(|scene, model, kin| {
        let geoms = [geom_a, geom_b];
        let placements = scene.placements(model, kin, geoms)?;
        let c = scene.closest(model, geoms, &placements)?;
        contact_motion::check(model, &c.contact, &c.motion)?;
        if let Some(out) = gradient {
            let mut out = ContactDerivatives {
                gap: Some(out),
                ..Default::default()
            };
            out.clear();
            contact_motion::write(model, kin, &c.contact, &c.motion, &mut out);
        }
        let p = c.contact.point;
        let half = p.normal * (0.5 * p.gap);
        Ok(Distance {
            distance: p.gap,
            point_a: (p.point - half).to_array(),
            point_b: (p.point + half).to_array(),
            normal: p.normal.to_array(),
            gradient: certainty(c.smoothness),
        })
    })
}

fn certainty(smoothness: Smoothness) -> Gradient {
    match smoothness {
        Smoothness::Smooth => Gradient::Exact,
        _ => Gradient::OneSided,
    }
}
