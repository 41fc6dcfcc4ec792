//! Geometry: contacts without dynamics, their derivatives, distances, filters.

use super::contact_motion::{self, ContactDerivatives};
use crate::collision::ContactDerivative;
use crate::collision::Smoothness;
use crate::error::{Error, Result};
use crate::step::info::check_length;
use crate::step::state::Last;
use crate::step::{ContactReport, Gradient, Sim};

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

impl Sim {
    /// Switches contact between two geoms on or off, regardless of the model's filters. May allocate. The
    /// last step is forgotten.
    ///
    /// # Errors
    /// `InvalidArgument` for a geom that does not exist, a geom with itself, planes and height fields with
    /// each other; `Unsupported` if the pair's condim is unsupported.
    pub fn set_pair_enabled(&mut self, geom_a: usize, geom_b: usize, enabled: bool) -> Result<()> {
        self.with_scene(|scene, model, _| scene.set_pair_enabled(model, geom_a, geom_b, enabled))?;
        self.filter_adhesion();
        self.forget_step();
        Ok(())
    }

    /// Finds the contacts at q without dynamics: all points whose gap is at most the pair's margin.
    ///
    /// [`Sim::contacts`] then returns them, with zero impulse and velocity and mode `Unknown`. The last step
    /// is forgotten, but not its warm start. The first geometry query of a simulation with contact None
    /// allocates; no other does.
    ///
    /// # Errors
    /// As a step's for q; `Capacity` for more contacts than options.max_contacts. With contact None also the
    /// geom errors of a simulation with contact.
    pub fn collide(&mut self, q: &[f64]) -> Result<()> {
        self.check_state(q, None)?;
        self.forget_step();
        self.update_positions(q)?;
        let mut reports = std::mem::take(&mut self.geometry.reports);
        let mut list = std::mem::take(&mut self.geometry.found);
        reports.clear();
        list.clear();
        let (room, motions) = (self.options.max_contacts, &mut self.geometry.motions);
        motions.clear();
        let reserved = (reports.try_reserve_exact(room)).and(list.try_reserve_exact(room));
        if reserved.and(motions.try_reserve_exact(room)).is_err() {
            return Err(Error::capacity(format!(
                "options.max_contacts: there is no memory for {room} contacts"
            )));
        }
        let found = self.with_scene(|scene, model, kin| {
            scene.place(model, kin);
            scene.collide(0.0)?;
            let seen = scene.contacts().iter();
            reports.extend(seen.map(|c| ContactReport::without_forces(c, model)));
            list.extend_from_slice(scene.contacts());
            Ok(())
        });
        (self.geometry.reports, self.geometry.found) = (reports, list);
        found.map_err(|e| self.name_crowd(e))?;
        self.geometry.q.clear();
        self.geometry.q.extend_from_slice(q);
        self.last = Last::Collide;
        Ok(())
    }

    /// Motion of the contacts of [`Sim::contacts`] with δq. Returns [`Gradient::OneSided`] if one of them has
    /// no derivative; the undetermined part is left out.
    ///
    /// # Errors
    /// `NoStep` before a step or [`Sim::collide`]; `InvalidArgument` for a wrong length.
    pub fn contact_derivatives(&mut self, mut out: ContactDerivatives<'_>) -> Result<Gradient> {
        self.need_contacts()?;
        let (n, nv) = (self.contacts().len(), self.model.nv());
        for (name, out, rows) in [
            ("point", &out.point, 3),
            ("normal", &out.normal, 3),
            ("tangents", &out.tangents, 6),
            ("gap", &out.gap, 1),
        ] {
            if let Some(out) = out {
                check_length(name, out, rows * n * nv)?;
            }
        }
        if n == 0 {
            return Ok(Gradient::Exact);
        }
        let of_rows = self.place_contacts();
        let mut motions = std::mem::take(&mut self.geometry.motions);
        let mut found = std::mem::take(&mut self.geometry.found);
        motions.clear();
        let done = self.with_scene(|scene, model, kin| {
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
        (self.geometry.motions, self.geometry.found) = (motions, found);
        done
    }

    /// Distance of two geoms at q, regardless of the filters; `gradient` receives nv entries. Contacts and
    /// the last step do not change. Allocates as [`Sim::collide`] does.
    ///
    /// # Errors
    /// As [`Sim::collide`]; `InvalidArgument` for a geom that does not exist or for a geom with itself;
    /// `Unsupported` for two planes or height fields.
    pub fn distance(
        &mut self,
        geom_a: usize,
        geom_b: usize,
        q: &[f64],
        gradient: Option<&mut [f64]>,
    ) -> Result<Distance> {
        self.check_state(q, None)?;
        if let Some(g) = &gradient {
            check_length("gradient", g, self.model.nv())?;
        }
        self.update_positions(q)?;
        self.with_scene(|scene, model, kin| {
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
}

fn certainty(smoothness: Smoothness) -> Gradient {
    match smoothness {
        Smoothness::Smooth => Gradient::Exact,
        _ => Gradient::OneSided,
    }
}
