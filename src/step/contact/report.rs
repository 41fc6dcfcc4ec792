//! Reports the contacts of a step to the user.

use super::{ContactStage, contact_groups};
use crate::collision::contact_frame;
use crate::collision::scene::SceneContact;
use crate::constraint::Source;
use crate::contact::mode::Mode;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::spatial::Vec3;

/// A contact as reported to the user.
#[derive(Clone, Copy, Debug)]
pub struct ContactReport {
    pub geom: [usize; 2],
    pub body: [usize; 2],
    /// World axes [m]. The point is on the flat face that gives the normal, or midway between the
    /// surfaces. The normal points from A to B.
    pub point: [f64; 3],
    pub normal: [f64; 3],
    /// t₁ and t₂. With the normal they make a right-handed frame; see
    /// [`crate::collision::contact_frame`].
    pub tangents: [[f64; 3]; 2],
    pub gap: f64,
    /// Identifies the features of the two geoms that touch. It is constant as long as the same features
    /// touch.
    pub feature: u64,
    /// Impulse (t₁, t₂, n) on B [N s], and velocity of B relative to A after the step [m/s].
    pub impulse: [f64; 3],
    pub velocity: [f64; 3],
    /// Torque on B of rolling about t₁ and t₂ and of torsion about n [N m s].
    pub torque: [f64; 3],
    pub mode: Mode,
    /// For a pyramid: true if rolling about t₁, rolling about t₂, and torsion are at their own bounds.
    pub torsion_at_bound: [bool; 3],
    /// For a face of a hydroelastic patch: its area [m²], and the pressure at its point at the start of
    /// the step, negative if it is not closed [Pa]. Otherwise 0.
    pub area: f64,
    pub pressure: f64,
}

/// Refuses contacts whose impulses or velocities overflow: `Numerical`.
pub(in crate::step) fn check_finite(reports: &[ContactReport]) -> Result<()> {
    let is_finite = |c: &ContactReport| {
        let numbers = [c.impulse, c.velocity, c.torque];
        numbers.as_flattened().iter().all(|x| x.is_finite())
    };
    match reports.iter().position(|c| !is_finite(c)) {
        Some(i) => Err(Error::numerical(format!(
            "contact {i}: its impulse or velocity after the step is not finite"
        ))),
        None => Ok(()),
    }
}

impl ContactReport {
    /// The contact's place, without impulse and velocity, for which a step is needed.
    #[inline(always)]
    pub fn without_forces(c: &SceneContact, model: &Model) -> ContactReport {
        let [t1, t2, _] = contact_frame(c.point.normal).c;
        ContactReport {
            geom: c.geom,
            body: c.geom.map(|g| model.geoms()[g].body),
            point: c.point.point.to_array(),
            normal: c.point.normal.to_array(),
            tangents: [t1.to_array(), t2.to_array()],
            gap: c.point.gap,
            feature: c.identity(),
            impulse: [0.0; 3],
            velocity: [0.0; 3],
            torque: [0.0; 3],
            mode: Mode::Unknown,
            torsion_at_bound: [false; 3],
            area: c.press.map_or(0.0, |p| p.area),
            pressure: c.press.map_or(0.0, |p| p.pressure(c.point.gap)),
        }
    }

    /// The impulse on B times a rate, world axes.
    pub fn force_on_b(&self, rate: f64) -> Vec3 {
        self.along_frame(self.impulse) * rate
    }

    /// The torque on B of torsional and rolling friction times a rate, world axes. It is not part of the
    /// impulse.
    pub fn torque_on_b(&self, rate: f64) -> Vec3 {
        self.along_frame(self.torque) * rate
    }

    fn along_frame(&self, [x, y, z]: [f64; 3]) -> Vec3 {
        let [t1, t2] = self.tangents.map(|t| Vec3::from_slice(&t));
        t1 * x + t2 * y + Vec3::from_slice(&self.normal) * z
    }
}

impl ContactStage {
    /// Stores the warm start of the next step. Call it when the step has succeeded.
    pub fn remember(&mut self) {
        match &self.outcome {
            Some(o) => self.constraints.remember(o.certificate.converged),
            None => self.constraints.memory.forget(),
        }
    }

    /// Reports the contacts of a step that ends at `v_end`.
    ///
    /// # Errors
    /// As [`check_finite`].
    pub fn report(&mut self, model: &Model, v_end: &[f64]) -> Result<()> {
        self.reports.clear();
        for (b, source) in self.constraints.sources.iter().enumerate() {
            let Source::Contact(i) = *source else {
                continue;
            };
            let c = &self.scene.contacts()[i];
            let (s, l) = (
                self.constraints.rows.times(b, v_end).0,
                self.constraints.impulse(b).0,
            );
            let three = self.constraints.blocks[b].rows() == 3;
            let lanes = |x: [f64; 4]| {
                if three {
                    [x[0], x[1], x[2]]
                } else {
                    [0.0, 0.0, x[0]]
                }
            };
            self.reports.push(ContactReport {
                impulse: lanes(l),
                velocity: lanes(s),
                mode: self.constraints.modes[b],
                ..ContactReport::without_forces(c, model)
            });
        }
        for (torsion, torque, mode) in self.constraints.torques() {
            let report = &mut self.reports[torsion.contact];
            report.torque = torque.to_array();
            if let Mode::Turned(signs) = mode {
                for (axis, sign) in torsion.axis.iter().zip(signs).take(torsion.rows) {
                    report.torsion_at_bound[*axis] = sign != 0;
                }
            }
        }
        check_finite(&self.reports)
    }

    /// `out` −= `scale` Jᵀλ.
    pub fn subtract_impulses(&self, scale: f64, out: &mut [f64]) {
        self.constraints.add_impulses(-scale, out);
    }

    /// Derivative of the contacts' impulses (t₁ t₂ n each) along the direction of the last
    /// [`ContactStage::correct_one`].
    pub fn impulse_direction(&self, out: &mut [f64]) {
        let (c, Some(l)) = (&self.constraints, &self.linear) else {
            return;
        };
        for (out, (b, _)) in out.chunks_exact_mut(3).zip(contact_groups(c)) {
            let dlambda = &l.dlambda[c.range(b)];
            out.fill(0.0);
            // A frictionless contact has only its normal.
            out[3 - dlambda.len()..].copy_from_slice(dlambda);
        }
    }

    pub fn reports(&self) -> &[ContactReport] {
        &self.reports
    }
}
