//! Solves steps whose rows are all of single dofs as bounds ([`DofBounds`]), and reports them in groups
//! like any other step.
//!
//! Such a step needs neither Jacobians nor G. Groups, impulses and modes are filled without them. A
//! derivative or a relaxed step needs the rest, which [`Constraints::complete`] fills. The contact stage
//! of a step calls it (`step::contact`).

use super::assemble::Constraints;
use super::dof_bounds::{End, Range, Segment, Shares};
use super::dof_pivots::DofBounds;
use super::limits::gap;
use super::memory::Key;
use super::source::{Along, Source};
use crate::collision::scene::Scene;
use crate::contact::certificate::{Certificate, Path};
use crate::contact::digits::{AT_SWITCH, SLOWEST, switch_units};
use crate::contact::mode::Mode;
use crate::contact::problem::Block;
use crate::contact::push_out::PushOut;
use crate::contact::tally::Stage;
use crate::contact::work_budget::WorkBudget;
use crate::dynamics::factors::Factors;
use crate::linalg::{larger, largest, smaller};
use crate::model::limits::Limit;
use crate::model::params::Params;
use crate::model::topology::{Topology, WORLD};
use crate::spatial::Mat3;

/// Kind of the key of dry friction.
pub(super) const FRICTION: u32 = 3;
/// Kinds of the keys of the lower and the upper bound of a limit.
const LIMITS: [u32; 2] = [1, 2];
/// Kinds of the keys of the lower and the upper bound of a speed.
const SPEEDS: [u32; 2] = [10, 11];

/// True for the row of a limit or a speed that held its dof.
pub(super) fn is_on_bound((key, mode): (Key, Mode)) -> bool {
    mode == Mode::Sticking && (LIMITS.contains(&key.kind) || SPEEDS.contains(&key.kind))
}

/// The state of a step, and its velocity without impulses.
#[derive(Clone, Copy)]
pub struct Free<'a> {
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub v_free: &'a [f64],
}

impl Constraints {
    /// From now on, bounds of single dofs are solved as such, if all other rows of the model are
    /// contacts.
    pub fn bound_dofs(&mut self, t: &Topology) {
        let alone =
            self.equalities.is_empty() && self.springs.is_empty() && self.tendons.is_empty();
        let turns = self.limits.iter().any(|l| l.turn.is_some());
        if alone && !turns && !t.is_deep() {
            self.dofs = Some(Box::new(DofBounds::new(t, self.bounded_dofs(t.nv()))));
        }
    }

    /// True if bounds of single dofs are solved as such. A must then be kept beside its factors
    /// ([`Factors::keep_whole`]).
    pub fn bounds_dofs(&self) -> bool {
        self.dofs.is_some()
    }

    /// Solves a step without contacts to this tolerance. Fills groups for the bounds that are within
    /// `reach` [rad or m] or that hold. Returns `None` if the bounds contradict each other, or if
    /// push-out throws a joint: such a step must be solved by rows.
    pub fn solve_dofs(
        &mut self,
        (t, params): (&Topology, &Params),
        mass: &Factors,
        at: Free<'_>,
        reach: f64,
        (work_budget, tolerance): (&WorkBudget, f64),
        v_end: &mut [f64],
    ) -> Option<Certificate> {
        let mut dofs = self.dofs.take()?;
        let found = self.solve_with(
            &mut dofs,
            (t, params),
            mass,
            at,
            (work_budget, tolerance),
            v_end,
        );
        let certificate = found.map(|mut certificate| {
            self.start();
            self.blocks.clear();
            self.lambda.clear();
            self.modes.clear();
            self.has_zero_normals = false;
            self.regions.join(self.desired.limited_to(PushOut::Full));
            self.fill_dofs(&dofs, at, reach, v_end, true);
            self.measure(&dofs, v_end, &mut certificate, tolerance);
            certificate
        });
        self.dofs = Some(dofs);
        let throws = certificate.is_some_and(|c| c.converged)
            && self.may_throw()
            && self.throws(at.v, at.v_free, v_end);
        certificate.filter(|_| !throws)
    }

    fn solve_with(
        &mut self,
        dofs: &mut DofBounds,
        (t, params): (&Topology, &Params),
        mass: &Factors,
        at: Free<'_>,
        (work_budget, _): (&WorkBudget, f64),
        v_end: &mut [f64],
    ) -> Option<Certificate> {
        let Factors::Packed(factors) = mass else {
            return None;
        };
        if !self.find_ranges(dofs, params, at) {
            return None;
        }
        self.guess(dofs);
        let solved = dofs.solve(t, factors, at.v_free, work_budget.newton_steps(), v_end);
        if !v_end.iter().all(|x| x.is_finite()) {
            return None;
        }
        let mut certificate = Certificate::new(match solved.factorizations {
            0 => Path::Empty,
            _ => Path::Newton,
        });
        certificate.newton = solved.factorizations;
        certificate.spent.spend(solved.factorizations, 1.0);
        certificate.least_norm = true;
        [certificate.dual, certificate.cone] = solved.beyond;
        certificate.converged = solved.is_solved;
        (certificate.tally).count(Stage::Bounds, solved.is_solved, certificate.spent.work);
        Some(certificate)
    }

    /// Finds the graphs of all dofs with bounds in a step from this state. Returns false if the bounds of a
    /// dof are inconsistent, bodies are jammed, or the velocity is not finite: rows are then needed.
    pub(super) fn find_ranges(&self, dofs: &mut DofBounds, params: &Params, at: Free<'_>) -> bool {
        let Free { q, v, v_free } = at;
        let (loss, state) = (&params.friction_loss, [q, v, v_free]);
        v_free.iter().all(|x| x.is_finite())
            && self.memory.is_free()
            && self.ranges(&dofs.own, loss, state, &mut dofs.ranges)
    }

    /// The distance of a limit within which it gets a row. `reach` [rad or m] is beyond the travel of the
    /// dof.
    fn near(&self, l: &Limit, at: Free<'_>, reach: f64) -> f64 {
        let speed = larger(at.v[l.dof].abs(), at.v_free[l.dof].abs());
        l.margin + reach + 2.0 * self.time_step() * speed
    }

    /// True if a bound of a limit is so near that it gets a row.
    fn is_near(&self, l: &Limit, at: Free<'_>, reach: f64) -> bool {
        let near = self.near(l, at, reach);
        let mut bounds = [(l.lower, 1.0), (l.upper, -1.0)].into_iter();
        bounds.any(|(bound, sign)| gap(l, bound, sign, at.q).is_some_and(|g| g.0 <= near))
    }

    /// Guesses the segments of the last step. A dof without one gets its natural segment.
    pub(super) fn guess(&self, dofs: &mut DofBounds) {
        dofs.segments.clear();
        dofs.segments
            .extend(dofs.ranges.iter().map(|r| r.natural()));
        // Bounds come before friction and take precedence.
        for (key, mode) in self.memory.modes().rev() {
            let segment = match (key.kind, mode) {
                (FRICTION, Mode::Sticking) => Segment::Held,
                (FRICTION, Mode::AtLower) => Segment::Plus,
                (FRICTION, Mode::AtUpper) => Segment::Minus,
                (kind, Mode::Sticking) if kind == LIMITS[0] || kind == SPEEDS[0] => Segment::Lower,
                (kind, Mode::Sticking) if kind == LIMITS[1] || kind == SPEEDS[1] => Segment::Upper,
                _ => continue,
            };
            if let Some(i) = dofs.place(key.a as usize) {
                dofs.segments[i] = dofs.ranges[i].nearest(segment);
            }
        }
    }

    /// Adds the groups of the bounds of a solved step: of all dofs, or of those that were taken out of the
    /// rows.
    pub(super) fn fill_dofs(
        &mut self,
        dofs: &DofBounds,
        at: Free<'_>,
        reach: f64,
        v_end: &[f64],
        all: bool,
    ) {
        self.is_deferred = true;
        let Free { q, v, v_free } = at;
        let h = self.time_step();
        let closed = AT_SWITCH * largest(v_free).max(SLOWEST);
        let shares = |i: usize| -> Shares {
            let (range, segment) = (&dofs.ranges[i], dofs.segments[i]);
            range.shares(segment, v_end[range.dof], dofs.rho[range.dof], closed)
        };
        for own in 0..dofs.own.len() {
            let (own, range) = (&dofs.own[own], &dofs.ranges[own]);
            let Some(l) = own
                .limit
                .map(|i| self.limits[i])
                .filter(|l| !range.is_prescribed && (all || self.alone[l.dof]))
            else {
                continue;
            };
            let Some(place) = dofs.place(own.dof) else {
                continue;
            };
            let near = self.near(&l, at, reach);
            let bounds = [(l.lower, 1.0), (l.upper, -1.0)];
            if range.is_open(dofs.segments[place], v_end[own.dof], closed)
                && !self.is_near(&l, at, reach)
            {
                continue;
            }
            let shares = shares(place);
            for (side, (bound, sign)) in bounds.into_iter().enumerate() {
                let Some((gap, size)) = gap(&l, bound, sign, q) else {
                    continue;
                };
                let (end, share) = match side {
                    0 => (range.lower, shares.lower),
                    _ => (range.upper, shares.upper),
                };
                let is_led = range.led == sign;
                let (impulse, mode) = match end == End::Limit && (range.led == 0.0 || is_led) {
                    true => share,
                    false => (0.0, Mode::Breaking),
                };
                if gap > near && mode == Mode::Breaking {
                    continue;
                }
                let mut s = self.desired.of(l.angular);
                s.led = is_led;
                let source = Source::Limit {
                    along: Along::Dof(l.dof),
                    sign,
                };
                let block = if is_led {
                    Block::Bilateral
                } else {
                    Block::Unilateral
                };
                self.gaps.push(gap);
                self.places.push(size);
                self.angular.push(l.angular);
                self.assembled.push(Block::Unilateral);
                // The target of the dof, from which round-off was removed.
                let target = sign * if sign > 0.0 { range.lo } else { range.hi };
                let term = match end == End::Limit && (range.led == 0.0 || is_led) {
                    true => -target,
                    false => s.term(gap, sign * v[l.dof]),
                };
                let g = sign * v_free[l.dof] + term;
                self.push_bound(LIMITS[side], l.dof, (block, source), g, (impulse, mode));
            }
        }
        for own in 0..dofs.own.len() {
            let (own, range) = (&dofs.own[own], &dofs.ranges[own]);
            let Some(l) = own
                .speed
                .map(|i| self.speeds[i])
                .filter(|l| !range.is_prescribed && (all || self.alone[l.dof]))
            else {
                continue;
            };
            let Some(place) = dofs.place(own.dof) else {
                continue;
            };
            let shares = shares(place);
            let of = |end: End, share: (f64, Mode)| match end {
                End::Speed => share,
                _ => (0.0, Mode::Breaking),
            };
            let (lower, upper) = (of(range.lower, shares.lower), of(range.upper, shares.upper));
            let both = (lower.0 - upper.0, Mode::Sticking);
            let is_still = l.speed == 0.0;
            for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                let (impulse, mode) = match side {
                    _ if is_still => both,
                    0 => lower,
                    _ => upper,
                };
                let room = l.speed + sign * v_free[l.dof];
                let is_open = !is_still && room > reach / h && mode == Mode::Breaking;
                if is_still && sign < 0.0 || is_open {
                    continue;
                }
                let source = Source::Speed {
                    dof: l.dof,
                    sign,
                    limit: l.speed,
                };
                let block = if is_still {
                    Block::Bilateral
                } else {
                    Block::Unilateral
                };
                self.gaps.push(0.0);
                self.places.push(0.0);
                self.angular.push(false);
                self.assembled.push(block);
                self.push_bound(SPEEDS[side], l.dof, (block, source), room, (impulse, mode));
            }
        }
        for (i, range) in dofs.ranges.iter().enumerate() {
            let is_open = range.is_prescribed || self.known[range.dof];
            if !dofs.own[i].has_friction || is_open || !(all || self.alone[range.dof]) {
                continue;
            }
            self.push_friction(range, v_free[range.dof], shares(i).friction);
        }
    }

    /// Adds the group of the dry friction of a dof with this velocity without impulses.
    pub(super) fn push_friction(&mut self, range: &Range, v_free: f64, solution: (f64, Mode)) {
        let block = Block::Box {
            bound: range.friction,
        };
        let source = Source::Friction {
            along: Along::Dof(range.dof),
        };
        self.gaps.push(0.0);
        self.places.push(0.0);
        self.angular.push(false);
        self.assembled.push(block);
        self.push_bound(FRICTION, range.dof, (block, source), v_free, solution);
    }

    fn push_bound(
        &mut self,
        kind: u32,
        dof: usize,
        (block, source): (Block, Source),
        g: f64,
        (impulse, mode): (f64, Mode),
    ) {
        self.sources.push(source);
        let at = self.offsets.last().copied().unwrap_or(0);
        self.offsets.push(at + 1);
        self.bounds.push(self.levers.own());
        self.blocks.push(block);
        self.keys.push(Key {
            kind,
            a: dof as u32,
            feature: 0,
        });
        self.g.push(g);
        self.lambda.push(impulse);
        self.modes.push(mode);
    }

    /// Scales the residuals to the units of all problems, and finds the distance to the nearest kink.
    fn measure(
        &self,
        dofs: &DofBounds,
        v_end: &[f64],
        certificate: &mut Certificate,
        tolerance: f64,
    ) {
        let (g, lambda) = (largest(&self.g), largest(&self.lambda));
        certificate.dual /= g.max(1.0);
        certificate.cone /= if lambda == 0.0 { 1.0 } else { lambda };
        certificate.converged &= certificate.residual() <= tolerance;
        let ranges = || {
            dofs.ranges
                .iter()
                .zip(&dofs.segments)
                .filter(|(r, _)| !r.is_prescribed)
        };
        let response = ranges().fold(0.0, |m, (r, _)| larger(dofs.mobility[r.dof], m));
        let units = switch_units([g, lambda, response]);
        certificate.margin = ranges().fold(f64::INFINITY, |least, (range, segment)| {
            let (v, rho) = (v_end[range.dof], dofs.rho[range.dof]);
            smaller(range.margin(*segment, v, rho, units), least)
        });
        certificate.at_switch = certificate.margin <= AT_SWITCH;
    }

    /// True if the groups have neither Jacobians nor G yet.
    pub fn is_deferred(&self) -> bool {
        self.is_deferred
    }

    /// Fills the Jacobians and G of groups of single dofs. `m` must be factored.
    pub fn complete(&mut self, t: &Topology, m: &Factors, scene: &Scene) {
        self.is_deferred = false;
        for group in self.rows.in_use()..self.groups() {
            let Some((dof, sign)) = self.dof_of(group) else {
                continue;
            };
            let id = self.rows.push(t, [dof, WORLD]);
            self.rows.column_mut(id, dof).0 = [sign, 0.0, 0.0, 0.0];
            self.frames.push(Mat3::IDENTITY);
        }
        self.group_weights.clear();
        let weights = self.sources.iter().map(|s| self.weights.of(s, scene));
        self.group_weights.extend(weights);
        self.softness.clear();
        self.condense(t, m);
    }

    /// True if two rows hold the same dof. For groups of single dofs.
    pub fn holds_twice(&self) -> bool {
        let held = |group: &usize| self.modes[*group] == Mode::Sticking;
        let dof = |group: usize| self.dof_of(group).map(|(dof, _)| dof);
        (0..self.groups()).filter(held).any(|group| {
            let mut others = (0..group).filter(held);
            dof(group).is_some_and(|own| others.any(|other| dof(other) == Some(own)))
        })
    }

    /// The dof on which the only row of a group acts, and the sign of the row.
    fn dof_of(&self, group: usize) -> Option<(usize, f64)> {
        match self.sources[group] {
            Source::Limit {
                along: Along::Dof(dof),
                sign,
            }
            | Source::Speed { dof, sign, .. } => Some((dof, sign)),
            Source::Friction {
                along: Along::Dof(dof),
            } => Some((dof, 1.0)),
            _ => None,
        }
    }

    /// `out` += `scale` Jᵀ λ.
    pub fn add_impulses(&self, scale: f64, out: &mut [f64]) {
        for group in 0..self.groups() {
            match self.dof_of(group).filter(|_| self.is_deferred) {
                Some((dof, sign)) => out[dof] += scale * sign * self.lambda[self.offsets[group]],
                None => {
                    let impulse = self.impulse(group) * crate::linalg::F4::splat(scale);
                    self.rows.add_transposed(group, impulse, out);
                }
            }
        }
    }
}
