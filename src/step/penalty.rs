//! What users see of contacts by penalty forces.

use super::contact::{ContactReport, check_finite};
use super::sim::Sim;
use crate::collision::contact_frame;
use crate::dynamics::kinematics::twists;
use crate::error::Result;

impl Sim {
    /// Takes the contacts of the pending step, if they are penalty forces: impulses are those over the step.
    ///
    /// # Errors
    /// As those of [`check_finite`].
    pub(super) fn report_penalty(&mut self) -> Result<()> {
        let Some(penalty) = &self.forces.penalty else {
            return Ok(());
        };
        let (model, h) = (&*self.model, self.options.time_step);
        let reports = &mut self.geometry.reports;
        reports.clear();
        if penalty.scene.contacts().is_empty() {
            return Ok(());
        }
        let links = &mut self.geometry.twists;
        twists(&self.dynamics.kin, model, &self.pending.v_end, links);
        let velocities = penalty.velocities(links);
        for ((c, by), velocity) in penalty.contacts().zip(velocities) {
            let frame = contact_frame(c.point.normal);
            reports.push(ContactReport {
                impulse: frame.tr_mul_vec(by.force * h).to_array(),
                velocity: frame.tr_mul_vec(velocity).to_array(),
                mode: by.mode,
                ..ContactReport::without_forces(c, model)
            });
        }
        check_finite(reports)
    }
}
