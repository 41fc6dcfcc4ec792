//! Derivative of the push-out speed of contacts between bodies on joints, which
//! [`Levers`](crate::constraint::levers::Levers) bounds.
//!
//! δs = Σ w_k δJ_k at fixed w is the change of the contact's normal velocity while the dofs have the
//! speeds w. The formulas of a contact give this change. The dofs between the two bodies are few: their
//! slopes join those of rows on dofs.

use super::ConstraintDerivative;
use super::rows::{Bounded, OnDof};
use crate::constraint::assemble::Constraints;
use crate::constraint::contact_derivative::{Change, ContactState};
use crate::constraint::source::Source;
use crate::constraint::varied::moving;
use crate::dynamics::kinematics::{Displaced, Kinematics};
use crate::model::topology::{LinkKind, Topology, WORLD};
use crate::spatial::Twist;

/// Velocity of a link at the dofs' speeds w of a group.
fn velocity(c: &Constraints, t: &Topology, kin: &Kinematics, group: usize, link: usize) -> Twist {
    let mut sum = Twist::ZERO;
    if link != WORLD {
        for k in t.path(link) {
            sum += kin.s[k] * c.push_out_weight(group, k);
        }
    }
    sum
}

impl ConstraintDerivative {
    /// Adds the last contact, whose push-out joints bound.
    pub(super) fn push_bounded(
        &mut self,
        c: &Constraints,
        t: &Topology,
        kin: &Kinematics,
        group: usize,
        slope: f64,
    ) {
        let contact = self.count - 1;
        let row = c.range(group).end - 1;
        let sides = &self.contacts[contact].state.sides;
        let at = sides.link.map(|l| velocity(c, t, kin, group, l));
        self.bounded.push(Bounded {
            contact,
            group,
            row,
            slope,
            velocity: at,
        });
        let state = self.contacts[contact].state.at_velocities(at);
        for x in moving(&state.sides) {
            let (mut link, mut v) = (state.sides.link[x], at[x]);
            while link != WORLD {
                let l = &t.links[link];
                for k in l.dofs() {
                    v -= kin.s[k] * c.push_out_weight(group, k);
                }
                for k in l.dofs() {
                    let (xi, mut eta) = (kin.s[k], v.cross(kin.s[k]));
                    if let LinkKind::Varying { index, .. } = l.kind {
                        let state = &kin.varying[index as usize];
                        for i in l.dofs() {
                            eta += state.slope(i - l.iv, k - l.iv) * c.push_out_weight(group, i);
                        }
                    }
                    let moved = state.displaced(&on_side(x, xi), &on_side(x, eta));
                    self.on_dofs.push(OnDof {
                        row,
                        dof: k,
                        slope: slope * moved.velocity.z,
                    });
                }
                link = l.parent;
            }
        }
    }

    fn state_of(&self, bounded: &Bounded) -> ContactState {
        let state = &self.contacts[bounded.contact].state;
        state.at_velocities(bounded.velocity)
    }

    /// The part of [`ConstraintDerivative::displaced`] by the bounds of push-out.
    pub(super) fn bounds_displaced(
        &self,
        c: &Constraints,
        t: &Topology,
        kin: &Kinematics,
        moved: &Displaced,
        sigma: &mut [f64],
    ) {
        for b in &self.bounded {
            let state = self.state_of(b);
            let (xi, parent) = (moved.by.xi, t.links[moved.link].parent);
            let links = moved.link..t.links[moved.link].end;
            for x in moving(&state.sides).filter(|x| links.contains(&state.sides.link[*x])) {
                let within = moved.within(t, |k| c.push_out_weight(b.group, k));
                let carried = velocity(c, t, kin, b.group, parent).cross(xi) + within;
                b.add(
                    &state.displaced(&on_side(x, xi), &on_side(x, carried)),
                    sigma,
                );
            }
        }
    }

    /// The part of [`ConstraintDerivative::changed`] by the bounds of push-out.
    pub(super) fn bounds_changed(
        &self,
        c: &Constraints,
        of: impl Fn(usize) -> Option<Change>,
        sigma: &mut [f64],
    ) {
        for b in &self.bounded {
            let Source::Contact(i) = c.sources[b.group] else {
                continue;
            };
            if let Some(change) = of(i) {
                b.add(&self.state_of(b).changed(change), sigma);
            }
        }
    }
}

fn on_side(x: usize, twist: Twist) -> [Twist; 2] {
    let mut both = [Twist::ZERO; 2];
    both[x] = twist;
    both
}
