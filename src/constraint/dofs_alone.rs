//! Takes the bounds of single dofs out of the rows of a step with contacts.
//!
//! In a robot that stands, dry friction holds most joints, or they slip, or they rest on a limit. As rows
//! these bounds would be the larger part of the contact problem. Instead, a dof gets a segment of its graph
//! ([`Range`]) if the last step and the state make the segment likely:
//!
//! - A dof on a limit in the last step stays on it.
//! - A dof at rest is held by its friction, unless the last step needed a large part of it.
//! - A dof that slips goes on in its direction. If friction can stop it in this step, it must have slipped in
//!   the last one.
//!
//! Locked dofs (held, or on a limit) have a known velocity: A is factored without them. Slipping dofs have a
//! known impulse. The rows see the free dofs F alone, with the velocity
//!
//!   A_FF (v₀ − v_f)_F = ρ_F − A_FL (v₀ − v_f)_L,   G = J_F A_FF⁻¹ J_Fᵀ.
//!
//! The impulses of the bounds follow from the solution: ρ = A (v⁺ − v_f) − Jᵀλ. If every dof is still on its
//! segment, this is a solution of the problem with all rows. The dofs that are not become rows, and the step
//! repeats.
//!
//! [`Range`]: super::dof_bounds::Range

use super::assemble::Constraints;
use super::dof_bounds::Segment;
use super::dof_groups::{FRICTION, Free, is_on_bound};
use super::dof_pivots::{BEYOND, DofBounds};
use super::source::Source;
use crate::constraint::tuning::{AT_REST, SURE};
use crate::contact::certificate::Certificate;
use crate::contact::digits::{AT_SWITCH, switch_units};
use crate::dynamics::factors::Factors;
use crate::linalg::{larger, largest, smaller};
use crate::model::params::Params;
use crate::model::topology::Topology;

/// The dofs of a step whose bounds have no rows, and the factors of A without the locked ones.
#[derive(Debug)]
pub struct DofsAlone(Box<DofBounds>);

impl DofsAlone {
    /// The factors of A on the free dofs.
    pub fn factors(&mut self) -> &mut Factors {
        self.0.mass.free()
    }
}

impl Constraints {
    /// Takes out the dofs that have dry friction or were on a limit in the last step. Writes the velocity
    /// without the impulses of the rows. Returns `None` if there are no such dofs, or if the model has rows
    /// that are not of contacts or single dofs. Give the result back with [`Constraints::put_back`].
    pub fn take_out(
        &mut self,
        (t, params): (&Topology, &Params),
        mass: &Factors,
        at: Free<'_>,
        v_without: &mut [f64],
    ) -> Option<DofsAlone> {
        let Factors::Packed(factors) = mass else {
            return None;
        };
        let memory = &self.memory;
        let mut dofs =
            (self.dofs).take_if(|d| d.has_friction() || memory.modes().any(is_on_bound))?;
        if !self.find_ranges(&mut dofs, params, at) {
            self.dofs = Some(dofs);
            return None;
        }
        self.guess(&mut dofs);
        for (i, own) in dofs.own.iter().enumerate() {
            let (range, segment) = (&dofs.ranges[i], &mut dofs.segments[i]);
            let speed = at.v[own.dof];
            let rests = speed.abs() <= AT_REST;
            let slips = !rests && speed.abs() > range.friction * factors.dinv[own.dof];
            let way = match speed < 0.0 {
                true => Segment::Minus,
                false => Segment::Plus,
            };
            let is_on_bound = matches!(*segment, Segment::Lower | Segment::Upper);
            let acts = own.has_friction || is_on_bound;
            let mut is_sure = true;
            if range.friction > 0.0 && !is_on_bound {
                is_sure = rests || slips || *segment == way;
                *segment = range.nearest(if rests { Segment::Held } else { way });
            }
            let is_led = range.led != 0.0 || range.lo > AT_REST || range.hi < -AT_REST;
            self.alone[own.dof] = !range.is_prescribed && !is_led && acts && is_sure;
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
        Some(DofsAlone(dofs))
    }

    /// Factors A without the locked dofs, and writes the velocity without the impulses of the rows.
    fn settle_alone(
        &self,
        dofs: &mut DofBounds,
        t: &Topology,
        v_free: &[f64],
        v_without: &mut [f64],
    ) {
        dofs.respond(t, v_free, |dof| self.alone[dof]);
        for (k, v) in v_without.iter_mut().enumerate() {
            *v = v_free[k] + dofs.change[k];
        }
        for (range, segment) in dofs.ranges.iter().zip(&dofs.segments) {
            if let Some(target) = range.velocity(*segment).filter(|_| self.alone[range.dof]) {
                v_without[range.dof] = target;
            }
        }
    }

    /// True if a free dof moves along the normal of every contact. Otherwise G has a zero row. Call it after
    /// [`Constraints::assemble`].
    pub fn moves_free_dofs(&self, DofsAlone(dofs): &DofsAlone) -> bool {
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
        DofsAlone(dofs): &mut DofsAlone,
        t: &Topology,
        (at, reach): (Free<'_>, f64),
        v_end: &[f64],
        certificate: &mut Certificate,
    ) -> bool {
        let v_free = at.v_free;
        let mut load = std::mem::take(&mut dofs.load);
        let mut rho = std::mem::take(&mut dofs.rho);
        load.fill(0.0);
        for group in 0..self.groups() {
            // g without the shift by the bounds.
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
        (dofs.rho, dofs.load) = (rho, load);
        let alone = || dofs.ranges.iter().filter(|r| self.alone[r.dof]);
        let impulse = alone().fold(0.0, |m, r| larger(dofs.rho[r.dof].abs(), m));
        let response = alone().fold(0.0, |m, r| larger(dofs.mobility[r.dof], m));
        let largest_impulse = largest(&self.lambda).max(impulse);
        let limits = [BEYOND * largest(v_free).max(1.0), BEYOND * largest_impulse];
        let units = switch_units([largest(&self.g), largest_impulse, response]);
        let mut distance = f64::INFINITY;
        dofs.wrong.clear();
        for (range, segment) in dofs.ranges.iter().zip(&mut dofs.segments) {
            let dof = range.dof;
            if !self.alone[dof] {
                continue;
            }
            let (v, rho) = (v_end[dof], dofs.rho[dof]);
            distance = smaller(range.margin(*segment, v, rho, units), distance);
            let beyond = range.beyond(*segment, v, rho);
            let is_locked = range.velocity(*segment).is_some();
            if beyond.abs() > limits[usize::from(is_locked)] {
                dofs.wrong.push(dof);
                *segment = range.next(*segment, dofs.mobility[dof], [v, rho]);
            }
        }
        self.fill_dofs(dofs, at, reach, v_end, false);
        for dof in &dofs.wrong {
            self.alone[*dof] = false;
        }
        certificate.margin = smaller(distance, certificate.margin);
        certificate.at_switch |= certificate.margin <= AT_SWITCH;
        dofs.wrong.is_empty()
    }

    /// Makes all bounds rows in the next round.
    pub fn no_dofs_alone(&mut self) {
        self.alone.fill(false);
    }

    /// Prepares another round. Returns `None` if no dof is taken out any more.
    pub fn take_out_again(
        &mut self,
        mut own: DofsAlone,
        t: &Topology,
        v_free: &[f64],
        v_without: &mut [f64],
    ) -> Option<DofsAlone> {
        if !self.alone.contains(&true) {
            self.put_back(own);
            return None;
        }
        self.settle_alone(&mut own.0, t, v_free, v_without);
        Some(own)
    }

    /// Ends a step with dofs that were taken out.
    pub fn put_back(&mut self, own: DofsAlone) {
        self.alone.fill(false);
        self.dofs = Some(own.0);
    }
}
