//! Takes the dry friction of single dofs out of the rows of a step with contacts.
//!
//! In a robot that stands, most joints are held by dry friction or slip on it. As rows they would be the
//! larger part of the contact problem. Instead, a dof gets a segment of its graph ([`Range`]) if the state at
//! the start of the step makes it likely. A dof at rest is held, unless the last step needed a large part of
//! its friction. A dof that is faster than friction could stop it slips. Held dofs are locked: A is factored
//! without them. Slipping dofs have a known impulse. The rows see the free dofs F alone, with the velocity
//!
//!   A_FF (v₀ − v_f)_F = ρ_F + A_FL v_f,L,   (v₀)_L = 0,   G = J_F A_FF⁻¹ J_Fᵀ.
//!
//! The impulses of friction follow from the solution: ρ = A (v⁺ − v_f) − Jᵀλ. If every dof is still on its
//! segment, this is a solution of the problem with all rows. The dofs that are not become rows, and the step
//! repeats.
//!
//! [`Range`]: super::dof_bounds::Range

use super::assemble::Constraints;
use super::dof_bounds::Segment;
use super::dof_groups::{FRICTION, Free};
use super::dof_pivots::{BEYOND, DofBounds};
use super::source::Source;
use crate::constraint::tuning::{AT_REST, SURE};
use crate::contact::certificate::Certificate;
use crate::contact::digits::{AT_SWITCH, SLOWEST, switch_units};
use crate::contact::mode::Mode;
use crate::dynamics::factors::Factors;
use crate::linalg::{larger, largest, smaller};
use crate::model::params::Params;
use crate::model::topology::Topology;

/// The dofs of a step whose friction has no rows, and the factors of A without the held ones.
#[derive(Debug)]
pub struct FrictionAlone(Box<DofBounds>);

impl FrictionAlone {
    /// The factors of A on the free dofs.
    pub fn factors(&mut self) -> &mut Factors {
        self.0.mass.free()
    }
}

impl Constraints {
    /// Takes out the dofs that have dry friction, and no bound within `reach` [rad or m]. Writes the velocity
    /// without the impulses of the rows. Returns `None` if there are no such dofs, or if the model has rows
    /// that are not of contacts or single dofs. Give the result back with [`Constraints::put_back`].
    pub fn take_out(
        &mut self,
        (t, params): (&Topology, &Params),
        mass: &Factors,
        at: Free<'_>,
        reach: f64,
        v_without: &mut [f64],
    ) -> Option<FrictionAlone> {
        let Factors::Packed(factors) = mass else {
            return None;
        };
        let mut dofs = self.dofs.take_if(|d| d.has_friction())?;
        if !self.find_ranges(&mut dofs, params, at) {
            self.dofs = Some(dofs);
            return None;
        }
        dofs.segments.clear();
        for (own, range) in dofs.own.iter().zip(&dofs.ranges) {
            let speed = at.v[own.dof];
            let limit = own.limit.map(|i| &self.limits[i]);
            let is_near = limit.is_some_and(|l| self.is_near(l, at, reach));
            let is_single = !is_near && own.speed.is_none() && !range.is_prescribed;
            let slips = speed.abs() > larger(AT_REST, range.friction * factors.dinv[own.dof]);
            let alone =
                is_single && range.natural() == Segment::Held && (slips || speed.abs() <= AT_REST);
            self.alone[own.dof] = alone;
            dofs.segments.push(match slips {
                false => Segment::Held,
                true if speed < 0.0 => Segment::Minus,
                true => Segment::Plus,
            });
        }
        // Friction that held with a large part of its bound may begin to slip.
        for (key, [impulse, ..]) in self.memory.impulses() {
            if key.kind != FRICTION {
                continue;
            }
            if let Some(i) = dofs.place(key.a as usize)
                && impulse.abs() > SURE * dofs.ranges[i].friction
                && dofs.segments[i] == Segment::Held
            {
                self.alone[key.a as usize] = false;
            }
        }
        if !self.alone.contains(&true) {
            self.dofs = Some(dofs);
            return None;
        }
        dofs.take(factors, t);
        self.settle_alone(&mut dofs, t, at.v_free, v_without);
        Some(FrictionAlone(dofs))
    }

    /// Factors A without the held dofs, and writes the velocity without the impulses of the rows.
    fn settle_alone(
        &self,
        dofs: &mut DofBounds,
        t: &Topology,
        v_free: &[f64],
        v_without: &mut [f64],
    ) {
        dofs.respond(t, v_free, |dof| self.alone[dof]);
        for (k, v) in v_without.iter_mut().enumerate() {
            *v = match self.alone[k] && dofs.is_locked(k) {
                true => 0.0,
                false => v_free[k] + dofs.change[k],
            };
        }
    }

    /// True if a free dof moves along the normal of every contact. Otherwise G has a zero row. Call it after
    /// [`Constraints::assemble`].
    pub fn moves_free_dofs(&self, FrictionAlone(dofs): &FrictionAlone) -> bool {
        (0..self.groups()).all(|group| {
            let Source::Contact(_) = self.sources[group] else {
                return true;
            };
            let mut free = self.rows.dofs(group).filter(|k| !dofs.is_locked(*k));
            free.any(|k| !self.moves_across(group, k))
        })
    }

    /// Appends the groups of the dofs that were taken out, with their impulses, to a solved step that ends at
    /// `v_end`. Returns true if every dof is on its segment; the others become rows in the next round.
    /// Updates the distance to the nearest switch.
    pub fn append_alone(
        &mut self,
        FrictionAlone(dofs): &mut FrictionAlone,
        t: &Topology,
        v_free: &[f64],
        v_end: &[f64],
        certificate: &mut Certificate,
    ) -> bool {
        let mut load = std::mem::take(&mut dofs.load);
        let mut rho = std::mem::take(&mut dofs.rho);
        load.fill(0.0);
        for group in 0..self.groups() {
            // g without the shift by the friction.
            let shift = self.rows.times(group, &dofs.change).0;
            let range = self.range(group);
            let rows = self.g[range].iter_mut();
            rows.zip(shift).for_each(|(g, x)| *g -= x);
            self.rows
                .add_transposed(group, self.impulse(group), &mut load);
        }
        for (change, (end, free)) in dofs.change.iter_mut().zip(v_end.iter().zip(v_free)) {
            *change = end - free;
        }
        dofs.mass.times(t, &dofs.change, &mut rho);
        rho.iter_mut().zip(&load).for_each(|(rho, x)| *rho -= x);
        let alone = || dofs.ranges.iter().filter(|r| self.alone[r.dof]);
        let impulse = alone().fold(0.0, |m, r| larger(rho[r.dof].abs(), m));
        let response = alone().fold(0.0, |m, r| larger(dofs.mobility[r.dof], m));
        let largest_impulse = largest(&self.lambda).max(impulse);
        let limits = [BEYOND * largest(v_free).max(1.0), BEYOND * largest_impulse];
        let closed = AT_SWITCH * largest(v_free).max(SLOWEST);
        let units = switch_units([largest(&self.g), largest_impulse, response]);
        let (mut all, mut distance) = (true, f64::INFINITY);
        for (range, segment) in dofs.ranges.iter().zip(&dofs.segments) {
            let (dof, bound) = (range.dof, range.friction);
            if !self.alone[dof] {
                continue;
            }
            let (v, rho, is_held) = (v_end[dof], rho[dof], *segment == Segment::Held);
            let beyond = range.beyond(*segment, v, rho);
            let friction = if beyond.abs() <= limits[usize::from(is_held)] {
                range.shares(*segment, v, rho, closed).friction
            } else {
                (all, self.alone[dof]) = (false, false);
                match is_held {
                    true if beyond > 0.0 => (-bound, Mode::AtLower),
                    true => (bound, Mode::AtUpper),
                    false => (range.slip_impulse(*segment), Mode::Sticking),
                }
            };
            distance = smaller(range.margin(*segment, v, rho, units), distance);
            self.push_friction(range, v_free[dof], friction);
        }
        (dofs.rho, dofs.load) = (rho, load);
        certificate.margin = smaller(distance, certificate.margin);
        certificate.at_switch |= certificate.margin <= AT_SWITCH;
        self.is_deferred = true;
        all
    }

    /// Makes all dry friction rows in the next round.
    pub fn no_friction_alone(&mut self) {
        self.alone.fill(false);
    }

    /// Prepares another round. Returns `None` if no dof is taken out any more.
    pub fn take_out_again(
        &mut self,
        mut friction: FrictionAlone,
        t: &Topology,
        v_free: &[f64],
        v_without: &mut [f64],
    ) -> Option<FrictionAlone> {
        if !self.alone.contains(&true) {
            self.put_back(friction);
            return None;
        }
        self.settle_alone(&mut friction.0, t, v_free, v_without);
        Some(friction)
    }

    /// Ends a step with dofs that were taken out.
    pub fn put_back(&mut self, friction: FrictionAlone) {
        self.alone.fill(false);
        self.dofs = Some(friction.0);
    }
}
