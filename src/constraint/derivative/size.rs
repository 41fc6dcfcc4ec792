//! How the constraint problem varies with the size of a geometry.

use super::{BEFORE, Variation, add, normal_lane, three_lanes};
use crate::collision::scene::Scene;
use crate::constraint::assemble::{Constraints, Source};
use crate::constraint::stabilization::Stabilization;
use crate::dynamics::kinematics::Kinematics;
use crate::model::topology::{Topology, WORLD};

impl Variation {
    /// Effect of a geom's size per unit: σ into `sigma` (added), and the impulses on the dofs into `force` (added).
    /// After [`Variation::prepare`].
    pub fn resized(
        &mut self,
        c: &Constraints,
        scene: &mut Scene,
        t: &Topology,
        kin: &Kinematics,
        s: &Stabilization,
        (geom, component): (usize, usize),
        sigma: &mut [f64],
        force: &mut [f64],
    ) {
        for b in 0..c.groups() {
            let Source::Contact(i) = c.sources[b] else {
                continue;
            };
            let contact = scene.contacts()[i];
            let Some(side) = contact.geom.iter().position(|g| *g == geom) else {
                continue;
            };
            let moved = scene.size_motion(&contact, side, component);
            let mut state = self.contact(c, scene, t, kin, b, i);
            let change = state.surface_moved(side, moved);
            let mut velocity = change.velocity;
            velocity.z += s.by_gap(c.gaps[b]) * change.gap;
            if s.kd != 0.0 {
                state.sides.velocity = state.sides.link.map(|l| self.flow[BEFORE].of(l));
                velocity.z -= s.kd * state.surface_moved(side, moved).velocity.z;
            }
            let rows = c.range(b);
            let lanes = match rows.len() {
                1 => normal_lane(velocity),
                _ => three_lanes(velocity),
            };
            add(&mut sigma[rows], lanes);
            for (link, wrench) in state.sides.link.into_iter().zip(change.wrench) {
                if link != WORLD {
                    for k in t.path(link) {
                        force[k] += kin.s[k].dot(wrench);
                    }
                }
            }
        }
    }
}
