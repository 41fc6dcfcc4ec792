//! How the constraint problem varies with the size of a geometry.

use super::ConstraintDerivative;
use super::rows::BEFORE;
use crate::collision::scene::Scene;
use crate::constraint::assemble::Constraints;
use crate::constraint::source::Source;
use crate::dynamics::kinematics::Kinematics;
use crate::model::topology::{Topology, WORLD};

impl ConstraintDerivative {
    /// Effect of a geom's size per unit: σ into `sigma`, the gaps of contacts into `gaps`, and the impulses on the dofs into
    /// `force` (all added).
    /// After [`ConstraintDerivative::prepare`].
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
        self.bounds_resized(c, scene, (geom, component), sigma);
        self.turning_resized(c, scene, t, kin, (geom, component), sigma, force);
        for varied in &self.contacts[..self.count] {
            let Source::Contact(i) = c.sources[varied.group] else {
                continue;
            };
            let contact = &scene.contacts()[i];
            let Some(side) = contact.geom.iter().position(|g| *g == geom) else {
                continue;
            };
            let by = scene.size_motion(contact, side, component);
            let moved = varied.state.surface_moved(side, by);
            gaps[varied.group] += moved.gap;
            let mut velocity = moved.velocity;
            velocity.z += varied.slope * moved.gap;
            if self.times > BEFORE {
                let before = self.flow[BEFORE].see(&varied.state);
                velocity.z += varied.by_speed * before.surface_moved(side, by).velocity.z;
            }
            varied.add(velocity, sigma);
            for (link, wrench) in contact.link.into_iter().zip(moved.wrench) {
                if link != WORLD {
                    for k in t.path(link) {
                        force[k] += kin.s[k].dot(wrench);
                    }
                }
            }
        }
    }
}
