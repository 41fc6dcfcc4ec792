//! How the constraint problem varies with the surfaces in contact, where the bodies stay.

use super::ConstraintDerivative;
use super::rows::BEFORE;
use crate::collision::scene::Scene;
use crate::constraint::assemble::Constraints;
use crate::constraint::contact_derivative::Change;
use crate::constraint::source::Source;
use crate::dynamics::kinematics::Kinematics;
use crate::model::topology::{Topology, WORLD};

impl ConstraintDerivative {
    /// Effect of a geom's size per unit, as [`ConstraintDerivative::changed`] has it.
    pub fn resized(
        &self,
        c: &Constraints,
        scene: &Scene,
        t: &Topology,
        kin: &Kinematics,
        (geom, component): (usize, usize),
        sigma: &mut [f64],
        gaps: &mut [f64],
        force: &mut [f64],
    ) {
        let by_size = |i: usize| {
            let contact = &scene.contacts()[i];
            let side = contact.geom.iter().position(|g| *g == geom)?;
            let by = scene.size_motion(contact, side, component);
            Some(Change::Surface { side, by })
        };
        self.changed(c, t, kin, by_size, sigma, gaps, force);
    }

    /// Whether sides decide how the normal of a contact turns, by its index in the scene.
    pub fn is_tied(&self, contact: usize) -> bool {
        let contacts = &self.contacts[..self.count];
        contacts.get(contact).is_some_and(|c| c.tied)
    }

    /// Effect of turning the normal of a contact along an axis of its frame, 0 or 1, per radian, as
    /// [`ConstraintDerivative::changed`] has it.
    pub fn turned(
        &self,
        c: &Constraints,
        t: &Topology,
        kin: &Kinematics,
        (contact, axis): (usize, usize),
        sigma: &mut [f64],
        gaps: &mut [f64],
        force: &mut [f64],
    ) {
        let dn = self.contacts[contact].state.frame.c[axis];
        let turned = |i: usize| (i == contact).then_some(Change::Normal(dn));
        self.changed(c, t, kin, turned, sigma, gaps, force);
    }

    /// Effect of what changes of contacts, by their index in the scene: σ into `sigma`, the gaps of contacts into `gaps`, and
    /// the impulses on the dofs into `force` (all added). After [`ConstraintDerivative::prepare`].
    fn changed(
        &self,
        c: &Constraints,
        t: &Topology,
        kin: &Kinematics,
        of: impl Fn(usize) -> Option<Change>,
        sigma: &mut [f64],
        gaps: &mut [f64],
        force: &mut [f64],
    ) {
        self.bounds_changed(c, &of, sigma);
        self.turning_changed(c, t, kin, &of, sigma, force);
        for varied in &self.contacts[..self.count] {
            let Source::Contact(i) = c.sources[varied.group] else {
                continue;
            };
            let Some(change) = of(i) else {
                continue;
            };
            let moved = varied.state.changed(change);
            gaps[varied.group] += moved.gap;
            let mut velocity = moved.velocity;
            velocity.z += varied.slope * moved.gap;
            if self.times > BEFORE {
                let before = self.flow[BEFORE].see(&varied.state);
                velocity.z += varied.by_speed * before.changed(change).velocity.z;
            }
            varied.add(velocity, sigma);
            for (link, wrench) in varied.state.sides.link.into_iter().zip(moved.wrench) {
                if link != WORLD {
                    for k in t.path(link) {
                        force[k] += kin.s[k].dot(wrench);
                    }
                }
            }
        }
    }
}
