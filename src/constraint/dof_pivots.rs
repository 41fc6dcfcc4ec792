//! Solves a step whose only constraints are bounds of single dofs: minimize ½ (v − v_f)ᵀ A (v − v_f) + Σ
//! φᵢ(vᵢ) over v.
//!
//! On guessed segments of the dofs' graphs ([`Range`]) the problem is linear. Locked dofs have the
//! velocity of their segment. The others solve
//!
//!   A_FF (v − v_f)_F = ρ_F − A_FL (v − v_f)_L,   ρ_L = [A (v − v_f)]_L
//!
//! with the factors of A in which the dofs of L are locked. Block pivoting moves all dofs that are
//! beyond their segment at once, each to the segment that is nearest for this dof alone. If this makes
//! no progress, it starts again from the natural segments. If that makes no progress either, an active-set
//! method descends (Nocedal and Wright, Numerical Optimization, 16.5, for piecewise quadratic functions):
//! it goes from a point within all bounds towards the solution for its segments, to the minimum along the
//! way; a dof whose bend the minimum lies on is locked there. At a minimum for the locked dofs, the one
//! whose impulse is farthest beyond its segment is released. The function decreases with every release, so
//! that no set of segments comes again.

use super::dof_bounds::{Bounded, Range, Segment};
use crate::constraint::tuning::PIVOT_PATIENCE;
use crate::dynamics::locked::LockedMass;
use crate::dynamics::mass::BranchMatrix;
use crate::linalg::{larger, largest, sort_few};
use crate::model::topology::Topology;

/// Relative to the largest velocity and impulse: tolerance for being beyond a segment.
pub(super) const BEYOND: f64 = 1e-12;

/// The dofs that an exchange moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// All dofs beyond their segment, from the segments of the last step.
    Warm,
    /// The same from the natural segments.
    Natural,
    /// An active-set method that descends.
    Descent,
}

/// A bend of the function on the way of the descent.
#[derive(Clone, Copy, Debug)]
struct Bend {
    /// Share of the way.
    share: f64,
    /// Rise of the slope along the way.
    rise: f64,
    /// Index of the dof among those with bounds, and the segment on which the bend locks it.
    place: usize,
    segment: Segment,
}

/// The result of a solve.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Solved {
    pub factorizations: usize,
    /// Largest remaining distances beyond segments: of velocities and of impulses.
    pub beyond: [f64; 2],
    pub is_solved: bool,
}

/// The dofs with bounds, their graphs in a step, and their segments. Sized at creation.
#[derive(Debug)]
pub struct DofBounds {
    pub(super) own: Vec<Bounded>,
    pub(super) ranges: Vec<Range>,
    pub(super) segments: Vec<Segment>,
    /// v − v_f and ρ, per dof.
    pub(super) change: Vec<f64>,
    pub(super) rho: Vec<f64>,
    /// Jᵀλ of the rows of a step with locked dofs, per dof.
    pub(super) load: Vec<f64>,
    pub(super) mass: LockedMass,
    /// Per dof: bound on the velocity by a unit impulse, 1/D.
    pub(super) mobility: Vec<f64>,
    /// Per dof: its index among the dofs with bounds.
    places: Vec<Option<u32>>,
    locked: Vec<bool>,
    /// Of the descent: its point and direction, per dof, and the bends on the way.
    point: Vec<f64>,
    way: Vec<f64>,
    bends: Vec<Bend>,
    /// The dofs that the last round of rows left beyond their segments.
    pub(super) wrong: Vec<usize>,
    /// True if the factors are those of `locked`.
    is_factored: bool,
}

impl DofBounds {
    pub(super) fn new(t: &Topology, own: impl Iterator<Item = Bounded>) -> DofBounds {
        let own: Vec<Bounded> = own.collect();
        let (n, nv) = (own.len(), t.nv());
        let mut places = vec![None; nv];
        for (i, own) in own.iter().enumerate() {
            places[own.dof] = Some(i as u32);
        }
        DofBounds {
            own,
            ranges: Vec::with_capacity(n),
            segments: Vec::with_capacity(n),
            change: vec![0.0; nv],
            rho: vec![0.0; nv],
            load: vec![0.0; nv],
            mass: LockedMass::new(t),
            mobility: vec![0.0; nv],
            places,
            locked: vec![false; nv],
            point: vec![0.0; nv],
            way: vec![0.0; nv],
            bends: Vec::with_capacity(2 * n),
            wrong: Vec::with_capacity(n),
            is_factored: false,
        }
    }

    /// True if some dof has dry friction.
    pub(super) fn has_friction(&self) -> bool {
        self.own.iter().any(|own| own.has_friction)
    }

    /// Index of a dof among the dofs with bounds.
    pub(super) fn place(&self, dof: usize) -> Option<usize> {
        let place = self.places.get(dof).copied().flatten();
        place.map(|i| i as usize)
    }

    /// Takes A. Dofs of infinite inertia are locked.
    pub(super) fn take(&mut self, factors: &BranchMatrix, t: &Topology) {
        self.mobility.copy_from_slice(&factors.dinv);
        self.mass.take(factors, t);
        for (locked, dinv) in self.locked.iter_mut().zip(&factors.dinv) {
            *locked = *dinv == 0.0;
        }
        self.is_factored = false;
    }

    /// True if the dof is left out of the factors of A.
    pub(super) fn is_locked(&self, dof: usize) -> bool {
        self.locked[dof]
    }

    /// Solves for the velocity at the end of the step, into `v`, from the present segments. It takes at
    /// most `most` factorizations.
    pub(super) fn solve(
        &mut self,
        t: &Topology,
        factors: &BranchMatrix,
        v_free: &[f64],
        most: usize,
        v: &mut [f64],
    ) -> Solved {
        let mut solved = Solved::default();
        let (mut phase, mut least, mut patience) = (Phase::Warm, usize::MAX, PIVOT_PATIENCE);
        let mut has_mass = false;
        let unit = largest(v_free).max(1.0);
        self.mobility.copy_from_slice(&factors.dinv);
        loop {
            if self.is_at_rest(v_free) {
                self.change.fill(0.0);
                self.rho.fill(0.0);
            } else {
                if !has_mass {
                    self.take(factors, t);
                    has_mass = true;
                }
                if solved.factorizations == most {
                    return solved;
                }
                solved.factorizations += 1;
                self.respond(t, v_free, |_| true);
                self.mass.times(t, &self.change, &mut self.rho);
            }
            self.take_velocity(v_free, v);
            let impulse = self
                .ranges
                .iter()
                .fold(0.0, |m, r| larger(self.rho[r.dof].abs(), m));
            let limits = [BEYOND * unit, BEYOND * impulse];
            let (wrong, beyond) = self.count(v, limits);
            solved.beyond = beyond;
            if wrong == 0 {
                solved.is_solved = true;
                return solved;
            }
            if phase != Phase::Descent {
                if wrong < least {
                    (least, patience) = (wrong, PIVOT_PATIENCE);
                } else if patience > 0 {
                    patience -= 1;
                } else if phase == Phase::Warm {
                    (phase, least, patience) = (Phase::Natural, usize::MAX, PIVOT_PATIENCE);
                    for (segment, range) in self.segments.iter_mut().zip(&self.ranges) {
                        *segment = range.natural();
                    }
                    continue;
                } else {
                    phase = Phase::Descent;
                    self.begin_descent(v);
                    continue;
                }
            }
            if !has_mass {
                self.take(factors, t);
                has_mass = true;
            }
            match phase {
                Phase::Descent => self.descend(t, v),
                _ => self.exchange(v, limits),
            }
        }
    }

    /// Begins the descent at the velocity `v`, moved into all bounds.
    fn begin_descent(&mut self, v: &[f64]) {
        self.point.copy_from_slice(v);
        for (range, segment) in self.ranges.iter().zip(&mut self.segments) {
            let x = &mut self.point[range.dof];
            if range.is_prescribed {
                continue;
            }
            *x = x.max(range.lo).min(range.hi);
            *segment = range.segment_at(*x);
        }
    }

    /// Goes from the point of the descent towards `v`, the solution for its segments, to the minimum along
    /// the way. At `v` itself, releases a locked dof.
    fn descend(&mut self, t: &Topology, v: &[f64]) {
        for ((way, v), x) in self.way.iter_mut().zip(v).zip(&self.point) {
            *way = v - x;
        }
        self.find_bends();
        self.mass.times(t, &self.way, &mut self.change);
        let pairs = self.way.iter().zip(&self.change);
        let curvature: f64 = pairs.map(|(x, y)| x * y).sum();
        let (mut risen, mut share, mut stop) = (0.0, 1.0, None);
        for bend in &self.bends {
            let slope = risen - curvature * (1.0 - bend.share);
            if slope >= 0.0 {
                break;
            }
            if slope + bend.rise >= 0.0 {
                (share, stop) = (bend.share, Some(*bend));
                break;
            }
            risen += bend.rise;
        }
        if stop.is_none() && risen == 0.0 {
            self.point.copy_from_slice(v);
            return self.release();
        }
        if stop.is_none() {
            share = 1.0 - risen / curvature;
        }
        for (x, way) in self.point.iter_mut().zip(&self.way) {
            *x += share * way;
        }
        for (range, segment) in self.ranges.iter().zip(&mut self.segments) {
            *segment = range.slip_at(self.point[range.dof], *segment);
        }
        if let Some(Bend { place, segment, .. }) = stop {
            let range = &self.ranges[place];
            self.segments[place] = segment;
            self.point[range.dof] = range.velocity(segment).unwrap_or(0.0);
        }
    }

    /// Lists the bends of the free dofs on the way of the descent, in their order.
    fn find_bends(&mut self) {
        self.bends.clear();
        for (place, (range, now)) in self.ranges.iter().zip(&self.segments).enumerate() {
            let (x, way) = (self.point[range.dof], self.way[range.dof]);
            if range.is_prescribed || range.velocity(*now).is_some() || way == 0.0 {
                continue;
            }
            let (rest, end) = match way > 0.0 {
                true => (x < 0.0 && range.hi > 0.0, Segment::Upper),
                false => (x > 0.0 && range.lo < 0.0, Segment::Lower),
            };
            let friction = 2.0 * range.friction * way.abs();
            let ahead = [
                (Segment::Held, friction, rest && friction > 0.0),
                (end, f64::INFINITY, true),
            ];
            for (segment, rise, is_ahead) in ahead {
                let share = range
                    .velocity(segment)
                    .map_or(f64::INFINITY, |at| (at - x) / way);
                if is_ahead && share <= 1.0 {
                    self.bends.push(Bend {
                        share,
                        rise,
                        place,
                        segment,
                    });
                }
            }
        }
        sort_few(&mut self.bends, |a, b| a.share < b.share);
    }

    /// Releases the locked dof whose impulse is farthest beyond its segment.
    fn release(&mut self) {
        let mut worst = (0.0, None);
        for (i, (range, segment)) in self.ranges.iter().zip(&self.segments).enumerate() {
            if range.is_prescribed || range.velocity(*segment).is_none() {
                continue;
            }
            let beyond = range.beyond(*segment, 0.0, self.rho[range.dof]);
            if beyond.abs() > f64::abs(worst.0) {
                worst = (beyond, Some(i));
            }
        }
        if let (beyond, Some(i)) = worst {
            self.segments[i] = self.ranges[i].neighbour(self.segments[i], beyond > 0.0);
        }
    }

    /// True if the locked dofs have their velocity without impulses, and no dof slips.
    fn is_at_rest(&self, v_free: &[f64]) -> bool {
        let mut all = self.ranges.iter().zip(&self.segments);
        all.all(|(range, segment)| match range.velocity(*segment) {
            Some(velocity) => velocity == v_free[range.dof],
            None => range.slip_impulse(*segment) == 0.0,
        })
    }

    /// Computes v − v_f for the segments of the dofs for which `acts` is true. No impulse acts on the others.
    pub(super) fn respond(&mut self, t: &Topology, v_free: &[f64], acts: impl Fn(usize) -> bool) {
        let (change, rho) = (&mut self.change, &mut self.rho);
        change.fill(0.0);
        let mut any = false;
        for (range, segment) in self.ranges.iter().zip(&self.segments) {
            let target = range.velocity(*segment).filter(|_| acts(range.dof));
            let locked = target.is_some() || range.is_prescribed;
            if self.locked[range.dof] != locked {
                (self.locked[range.dof], self.is_factored) = (locked, false);
            }
            if let Some(target) = target {
                change[range.dof] = target - v_free[range.dof];
                any |= change[range.dof] != 0.0;
            }
        }
        match any {
            true => self.mass.times(t, change, rho),
            false => rho.fill(0.0),
        }
        for x in rho.iter_mut() {
            *x = -*x;
        }
        let all = self.ranges.iter().zip(&self.segments);
        for (range, segment) in all.filter(|(range, _)| acts(range.dof)) {
            rho[range.dof] += range.slip_impulse(*segment);
        }
        if !self.is_factored {
            self.mass.factor(t, &self.locked);
            self.is_factored = true;
        }
        self.mass.solve(t, rho);
        for (change, x) in change.iter_mut().zip(&*rho) {
            *change += x;
        }
    }

    /// Writes the velocity; that of locked dofs is exact to the bit.
    fn take_velocity(&self, v_free: &[f64], v: &mut [f64]) {
        for ((v, free), change) in v.iter_mut().zip(v_free).zip(&self.change) {
            *v = free + change;
        }
        for (range, segment) in self.ranges.iter().zip(&self.segments) {
            if let Some(velocity) = range.velocity(*segment) {
                v[range.dof] = velocity;
            }
        }
    }

    /// Number of dofs that are beyond their segments by more than the limits of velocities and impulses,
    /// and the largest distances of both kinds.
    fn count(&self, v: &[f64], limits: [f64; 2]) -> (usize, [f64; 2]) {
        let (mut wrong, mut largest) = (0, [0.0_f64; 2]);
        for (range, segment) in self.ranges.iter().zip(&self.segments) {
            if range.is_prescribed {
                continue;
            }
            let beyond = range.beyond(*segment, v[range.dof], self.rho[range.dof]);
            let kind = usize::from(range.velocity(*segment).is_some());
            wrong += usize::from(beyond.abs() > limits[kind]);
            largest[kind] = largest[kind].max(beyond.abs());
        }
        (wrong, largest)
    }

    /// Moves all dofs that are beyond their segments.
    fn exchange(&mut self, v: &[f64], limits: [f64; 2]) {
        let mobility = &self.mobility;
        for (range, segment) in self.ranges.iter().zip(&mut self.segments) {
            let (v, rho) = (v[range.dof], self.rho[range.dof]);
            let kind = usize::from(range.velocity(*segment).is_some());
            let beyond = match range.is_prescribed {
                true => 0.0,
                false => range.beyond(*segment, v, rho),
            };
            if beyond.abs() <= limits[kind] {
                continue;
            }
            *segment = range.next(*segment, mobility[range.dof], [v, rho]);
        }
    }
}
