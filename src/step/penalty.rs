//! Contact reports of penalty forces.

use super::contact::{ContactReport, check_finite};
use super::geometry::Geometry;
use super::sim::Sim;
use crate::collision::contact_frame;
use crate::dynamics::kinematics::twists;
use crate::error::Result;

impl Sim {
    /// Reports the contacts of the pending step if they are penalty forces. Impulses are forces times the
    /// time step.
    ///
    /// # Errors
    /// Those of [`check_finite`].
    pub(super) fn report_penalty(&mut self) -> Result<()> {
        let Some(penalty) = &self.forces.penalty else {
            return Ok(());
        };
        let (model, h) = (&*self.model, self.options.time_step);
        let Geometry {
            reports,
            found,
            q,
            twists: links,
            ..
        } = &mut self.geometry;
        reports.clear();
        found.clear();
        q.clear();
        q.extend_from_slice(match (&self.implicit, &self.theta) {
            // The last stage of an implicit formula is the end of the step.
            (Some(_), _) => &self.pending.q_next,
            (_, Some(theta)) => theta.place(),
            _ => &self.pending.q,
        });
        if penalty.scene.contacts().is_empty() {
            return Ok(());
        }
        twists(&self.dynamics.kin, model, &self.pending.v_end, links);
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
}
