//! The part of contacts in the derivative of the constraint problem. Directions and adjoints use the
//! formulas of a contact, columns its coefficients.

use super::ConstraintDerivative;
use super::flow::of_link;
use super::rows::{AFTER, BEFORE, Cross, LaggedBound, Side, VariedContact, lanes_to_vec};
use crate::collision::patch::FaceDerivative;
use crate::collision::scene::Scene;
use crate::collision::{Smoothness, Tie, contact_frame_derivative};
use crate::constraint::assemble::Constraints;
use crate::constraint::contact_derivative::Moved;
use crate::constraint::varied::{Sides, moving};
use crate::dynamics::external::{External, LinkStiffness, Stiffness};
use crate::dynamics::kinematics::{Kinematics, link_twists};
use crate::model::topology::{Topology, WORLD};
use crate::spatial::{Mat3, Twist, Vec3, Wrench};
use std::ops::Range;

impl ConstraintDerivative {
    /// Adds a contact. Its impulses join the external loads as forces over the step.
    #[inline(always)]
    pub(super) fn push_contact(
        &mut self,
        c: &Constraints,
        scene: &mut Scene,
        t: &Topology,
        kin: &Kinematics,
        (group, index): (usize, usize),
        external: &mut External,
    ) {
        let contact = scene.contacts()[index];
        let mut at = [contact.point.point; 2];
        let mut velocity = [Twist::ZERO; 2];
        let rows = c.range(group);
        let l = lanes_to_vec(c.impulse(group));
        let frame = c.frames[group];
        let impulse = match rows.len() {
            1 => frame.c[2] * l.x,
            _ => frame.mul_vec(l),
        };
        let f = impulse * (1.0 / self.h);
        for x in 0..2 {
            let link = contact.link[x];
            if link != WORLD {
                at[x] -= kin.origin[t.links[link].tree];
                velocity[x] = self.flow[AFTER].of(link);
                let f = if x == 1 { f } else { -f };
                external.add_wrench(link, Wrench::of_force_at(f, at[x]));
            }
        }
        // Written in place, because copying the large struct is slow.
        if self.count == self.contacts.len() {
            self.contacts.push(VariedContact::default());
        }
        let varied = &mut self.contacts[self.count];
        self.count += 1;
        varied.group = group;
        varied.rows = rows;
        let target = c.target(group);
        (varied.slope, varied.by_speed) = (target.by_gap, target.by_speed);
        let state = &mut varied.state;
        state.sides = Sides {
            link: contact.link,
            point: at,
            velocity,
        };
        state.frame = frame;
        state.turn = contact_frame_derivative(contact.point.normal);
        state.normal = contact.point.normal;
        state.impulse = impulse;
        let mut face = contact.press.map(|_| FaceDerivative::default());
        let smoothness = match &mut face {
            Some(face) => {
                let smoothness = scene.differentiate_face(&contact, face);
                // The row depends on the gap and on the stiffness. Their sum acts like one gap of slope
                // 1.
                let (by_gap, by_stiffness) = (target.by_gap, target.by_stiffness);
                state.motion = face.motion;
                for (gap, k) in state.motion.gap.iter_mut().zip(face.stiffness) {
                    *gap = *gap * by_gap + k * by_stiffness;
                }
                varied.slope = 1.0;
                varied.by_modulus = face.by_modulus;
                varied.by_face = [by_gap, by_stiffness];
                smoothness
            }
            None => scene.differentiate(&contact, &mut state.motion),
        };
        varied.tie = match smoothness {
            Smoothness::Tied(tie) => tie,
            _ => Tie::NONE,
        };
        varied.degenerate = smoothness == Smoothness::Degenerate;
        self.degenerate |= varied.degenerate;
        state.turns = contact.link[0] != WORLD || state.motion.normal != [Mat3::ZERO; 2];
        varied.bound = c.lagged(group).map(|(lag, mu)| {
            let by_gap = mu * lag.by_gap;
            let mut bound = LaggedBound {
                by_motion: state.motion.gap.map(|gap| gap * by_gap),
                by_gap,
                by_stiffness: mu * lag.by_stiffness,
                by_speed: mu * lag.by_speed,
            };
            if let Some(face) = &face {
                let both = face.motion.gap.into_iter().zip(face.stiffness);
                for (by, (gap, k)) in bound.by_motion.iter_mut().zip(both) {
                    *by = gap * by_gap + k * bound.by_stiffness;
                }
            }
            bound
        });
        if target.by_push_out != 0.0 {
            self.push_bounded(c, t, kin, group, target.by_push_out);
        }
    }

    #[inline(always)]
    pub(super) fn expand_kernel(
        &mut self,
        t: &Topology,
        kin: &Kinematics,
        stiffness: &mut LinkStiffness,
    ) {
        for flow in &mut self.flow[..self.times] {
            flow.carry(t, kin);
        }
        let reduced = &mut self.reduced;
        reduced.clear();
        for c in &self.contacts[..self.count] {
            let state = &c.state;
            for x in moving(&state.sides) {
                let (from, to) = (state.sides.link[x], state.sides.link[1 - x]);
                let varied = state.vary(x);
                let slope = Vec3::Z * c.slope;
                reduced.sides.push(Side {
                    rows: c.rows.clone(),
                    link: from,
                    time: AFTER,
                    by_xi: std::array::from_fn(|k| {
                        c.lanes(varied.velocity[k] + slope.scale(varied.gap[k]))
                    }),
                    by_eta: varied.by_eta.map(|u| c.lanes(u)),
                });
                let f = state.impulse * ([-1.0, 1.0][x] / self.h);
                let mut e = Stiffness::of_load(state.sides.point[x], f, Vec3::ZERO);
                e.take(&varied.wrench[x], self.h);
                stiffness.add(from, &e);
                Cross::add(&mut reduced.cross, [from, to], &varied.wrench[1 - x]);
            }
            if self.times > BEFORE && c.by_speed != 0.0 {
                let state = self.flow[BEFORE].see(state);
                for x in moving(&state.sides) {
                    let varied = state.vary(x);
                    let lanes = |u: Vec3| c.lanes(Vec3::Z * (c.by_speed * u.z));
                    reduced.sides.push(Side {
                        rows: c.rows.clone(),
                        link: state.sides.link[x],
                        time: BEFORE,
                        by_xi: varied.velocity.map(lanes),
                        by_eta: varied.by_eta.map(lanes),
                    });
                }
            }
        }
    }

    /// Adds to `sigma` the effect on a contact's rows of displacing its bodies by ξ, with the η at both
    /// times.
    #[inline(always)]
    fn add_displaced(
        &self,
        c: &VariedContact,
        xi: &[Twist; 2],
        eta: &[[Twist; 2]; 2],
        sigma: &mut [f64],
    ) -> Moved {
        let moved = c.state.displaced(xi, &eta[AFTER]);
        let mut velocity = moved.velocity;
        velocity.z += c.slope * moved.gap;
        if self.times > BEFORE {
            let before = self.flow[BEFORE].see(&c.state).displaced(xi, &eta[BEFORE]);
            velocity.z += c.by_speed * before.velocity.z;
        }
        c.add(velocity, sigma);
        moved
    }

    /// The contacts' part of a direction whose ξ and η are set.
    #[inline(always)]
    pub(super) fn contacts_direction(&self, sigma: &mut [f64], bounds: &mut [f64]) {
        for c in &self.contacts[..self.count] {
            let [a, b] = c.state.sides.link;
            let xi = [of_link(&self.xi, a), of_link(&self.xi, b)];
            let [after, before] = &self.eta;
            let eta = [
                [of_link(after, a), of_link(after, b)],
                [of_link(before, a), of_link(before, b)],
            ];
            self.add_displaced(c, &xi, &eta, sigma);
            bounds[c.group] += self.bound_displaced(c, &xi, &eta);
        }
    }

    /// Adds the velocities of the contacts' rows if the links move with the twists `self.xi`.
    pub(super) fn contacts_felt(&self, sigma: &mut [f64]) {
        let still = [Twist::ZERO; 2];
        for c in &self.contacts[..self.count] {
            let by = c.state.sides.link.map(|l| of_link(&self.xi, l));
            self.add_displaced(c, &still, &[by, still], sigma);
        }
    }

    /// The effect of displacing its bodies on the bound of a contact's lagged friction.
    #[inline(always)]
    fn bound_displaced(&self, c: &VariedContact, xi: &[Twist; 2], eta: &[[Twist; 2]; 2]) -> f64 {
        c.bound.map_or(0.0, |bound| {
            let before = self.flow[BEFORE].see(&c.bounded(&bound));
            let moved = before.displaced(xi, &eta[BEFORE]);
            moved.gap + bound.by_speed * moved.velocity.z
        })
    }

    /// Adds to `sigma` the variation of the contacts' rows along `dq` times any velocity x: δJ x.
    pub fn of_rows(
        &mut self,
        t: &Topology,
        kin: &Kinematics,
        dq: &[f64],
        x: &[f64],
        sigma: &mut [f64],
    ) {
        link_twists(t, &kin.s, dq, &mut self.xi);
        self.any.set(t, kin, x);
        let eta = &mut self.eta[BEFORE];
        self.any.displaced(t, kin, dq, eta);
        for c in &self.contacts[..self.count] {
            let of = |twists: &[Twist]| c.state.sides.link.map(|l| of_link(twists, l));
            let moved = self.any.see(&c.state).displaced(&of(&self.xi), &of(eta));
            c.add(moved.velocity, sigma);
        }
    }

    /// The contacts' part of the adjoints of ξ and η. `self.xi` holds the twists that weigh the impulses
    /// on the links.
    #[inline(always)]
    pub(super) fn contacts_adjoint(&mut self, sigma_bar: &[f64], bounds_bar: &[f64]) {
        for c in &self.contacts[..self.count] {
            let w = c.weights(sigma_bar);
            let link = c.state.sides.link;
            let by = [of_link(&self.xi, link[0]), of_link(&self.xi, link[1])];
            let weights = c.state.weigh(w, c.slope * w.z, &by);
            for x in 0..2 {
                if link[x] != WORLD {
                    let [xi, eta] = c.state.weigh_side(&weights, x);
                    self.xi_bar[link[x]] += xi;
                    self.eta_bar[AFTER][link[x]] += eta;
                }
            }
            if self.times > BEFORE {
                let before = self.flow[BEFORE].see(&c.state);
                let weights = before.weigh(Vec3::Z * (c.by_speed * w.z), 0.0, &by);
                for x in 0..2 {
                    if link[x] != WORLD {
                        let [xi, eta] = before.weigh_side(&weights, x);
                        self.xi_bar[link[x]] += xi;
                        self.eta_bar[BEFORE][link[x]] += eta;
                    }
                }
            }
            if let Some(bound) = &c.bound {
                let (before, bar) = (
                    self.flow[BEFORE].see(&c.bounded(bound)),
                    bounds_bar[c.group],
                );
                let still = [Twist::ZERO; 2];
                let weights = before.weigh(Vec3::Z * (bound.by_speed * bar), bar, &still);
                for x in 0..2 {
                    if link[x] != WORLD {
                        let [xi, eta] = before.weigh_side(&weights, x);
                        self.xi_bar[link[x]] += xi;
                        self.eta_bar[BEFORE][link[x]] += eta;
                    }
                }
            }
        }
    }

    /// The contacts' part of [`ConstraintDerivative::displaced`].
    pub(super) fn contacts_displaced(
        &self,
        t: &Topology,
        kin: &Kinematics,
        links: &Range<usize>,
        xi: Twist,
        eta: [Twist; 2],
        [sigma, bounds, gaps, force]: [&mut [f64]; 4],
    ) {
        for c in &self.contacts[..self.count] {
            let link = c.state.sides.link;
            for x in moving(&c.state.sides).filter(|x| links.contains(&link[*x])) {
                let of_side = |twist: Twist| {
                    let mut both = [Twist::ZERO; 2];
                    both[x] = twist;
                    both
                };
                let (own, eta) = (of_side(xi), eta.map(of_side));
                let moved = self.add_displaced(c, &own, &eta, sigma);
                bounds[c.group] += self.bound_displaced(c, &own, &eta);
                gaps[c.group] += moved.gap;
                let other = 1 - x;
                if link[other] != WORLD {
                    for k in t.path(link[other]) {
                        force[k] += kin.s[k].dot(moved.wrench[other]);
                    }
                }
            }
        }
    }
}
