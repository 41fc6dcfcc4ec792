//! Skips groups of pairs of links that cannot meet yet.
//!
//! Each group of pairs has a lower bound on its gaps. It comes from the balls around both links, or
//! from a measurement at an earlier relative placement. The bound shrinks by the distance that the
//! links have moved relative to each other. A bound on this distance for any two links is added up from
//! search to search, so one comparison skips a group until the sum reaches the group's bound. Then the
//! bound is computed again. The contacts found do not depend on this.

use super::Scene;
use super::broad::{Group, List};
use super::pairs::ScenePair;
use super::watch::{Watch, turn};
use crate::collision::Approach;
use crate::linalg::larger;
use crate::model::topology::WORLD;
use crate::spatial::{Mat3, Vec3};

/// Distance up to which gaps are measured: the sum of RANGE radii of the smaller link and AHEAD times the
/// distance at which contacts count.
const RANGE: f64 = 0.2;
const AHEAD: f64 = 2.0;
/// This share of a measured gap counts, because gaps of round shapes are not exact to all digits.
const TRUST: f64 = 0.9;
/// Round-off of a placement, relative to the sizes and to the distance from the world's origin.
const ROUNDING: [f64; 2] = [1e-9, 1e-12];
/// Each measurement that saves no search doubles the number of searches until the next measurement, up to 2
/// to this power.
const MOST_DOUBTS: u8 = 6;

/// The odometer reading up to which a group at distance `clear` cannot meet. For a moving plane there is no
/// such reading: it has no bounding ball, so its displacement at the other body is not bounded.
fn reading_at(watch: &Watch, group: &Group, clear: f64) -> f64 {
    let stands = |side: usize| !group.planes[side] || group.link[side] == WORLD;
    match stands(0) && stands(1) {
        true => watch.odometer[usize::from(group.link.contains(&WORLD))] + clear,
        false => f64::NEG_INFINITY,
    }
}

impl Scene {
    /// Largest distances at which the search looks for contacts of two links [m]: of two moving links,
    /// and of a moving link with the world. `need`: distance for one link, beside another moving link
    /// and beside the world.
    pub(super) fn farthest(&self, need: impl Fn(usize) -> [f64; 2]) -> [f64; 2] {
        let mut most = [0.0_f64; 2];
        for link in 0..self.placed.len() {
            let [beside, alone] = need(link);
            most = [most[0].max(beside), most[1].max(alone)];
        }
        [2.0 * most[0], most[1]]
    }

    /// The next group from `index` on that is not certainly farther apart than `far`, the distances at which
    /// the search looks for groups of its kind.
    pub(super) fn next_awake(list: &List, mut index: usize, far: [f64; 2]) -> Option<usize> {
        let watch = &list.watch;
        let due = [0, 1].map(|kind| watch.odometer[kind] + far[kind]);
        let sleeps = |wake: f64, due: f64| wake > due;
        let latest = larger(due[0], due[1]);
        loop {
            let rest = watch.wake.get(index..)?;
            index += rest.iter().position(|wake| !sleeps(*wake, latest))?;
            let kind = usize::from(list.groups[index].link.contains(&WORLD));
            if !sleeps(watch.wake[index], due[kind]) {
                return Some(index);
            }
            index += 1;
        }
    }

    /// Whether no gap of a group, less its pair's margin, is within this distance. If so, skips the
    /// group for as long as that is certain.
    pub(super) fn keeps_apart(&self, list: &mut List, index: usize, distance: f64) -> bool {
        let group = &list.groups[index];
        let link = group.link.map(|l| self.slot(l));
        let mut clear = f64::NEG_INFINITY;
        if !group.unbounded {
            let apart = (self.centers[link[0]] - self.centers[link[1]]).norm();
            let sizes = self.bounds[link[0]].1 + self.bounds[link[1]].1;
            clear = apart - sizes - group.margin.max(0.0) - self.rounding(link);
        }
        let known = &list.watch.apart[index];
        if clear <= distance
            && known.clear > distance
            && let Some((now, radius)) = self.relative(group)
        {
            let then = known.place;
            let moved = (now.1 - then.1).norm() + turn(&now.0, &then.0) * radius;
            clear = clear.max(known.clear - moved);
        }
        let is_apart = clear > distance;
        if is_apart {
            list.watch.wake[index] = reading_at(&list.watch, group, clear);
        }
        is_apart
    }

    /// Round-off of the placements of two links [m].
    fn rounding(&self, [a, b]: [usize; 2]) -> f64 {
        let sizes = self.bounds[a].1 + self.bounds[b].1;
        let far = self.centers[a].norm().max(self.centers[b].norm());
        ROUNDING[0] * sizes + ROUNDING[1] * far
    }

    /// Placement of the bounded link in the frame of the other one, between both centres, and its radius.
    fn relative(&self, group: &Group) -> Option<((Mat3, Vec3), f64)> {
        let [a, b] = group.link.map(|l| self.slot(l));
        let is_first = match group.planes {
            [false, false] => self.bounds[a].1 < self.bounds[b].1,
            [true, true] => return None,
            planes => planes[1],
        };
        let (moved, base) = if is_first { (a, b) } else { (b, a) };
        let rot = &self.frames[base].rot;
        let turn = Mat3 {
            c: self.frames[moved].rot.c.map(|c| rot.tr_mul_vec(c)),
        };
        let apart = rot.tr_mul_vec(self.centers[moved] - self.centers[base]);
        Some(((turn, apart), self.bounds[moved].1))
    }

    /// Measures a lower bound on the gaps of a group of pairs (of two links) without a contact within
    /// `distance`, so that later searches can skip the group. Does nothing if recent measurements of this
    /// group saved no search.
    pub(super) fn measure(&mut self, list: &mut List, index: usize, distance: f64) {
        let apart = &mut list.watch.apart[index];
        if apart.spared > 0 {
            apart.spared -= 1;
            return;
        }
        let group = list.groups[index];
        let Some((place, radius)) = self.relative(&group) else {
            return;
        };
        let want = AHEAD * distance + RANGE * radius;
        let pairs = &list.pairs[group.first..group.end];
        let nearest = |least: f64, pair| match least > distance {
            true => least.min(self.least_gap(pair, want)),
            false => least,
        };
        let least = pairs.iter().fold(f64::INFINITY, nearest);
        let clear = least - self.rounding(group.link.map(|l| self.slot(l)));
        let apart = &mut list.watch.apart[index];
        let spares = clear > AHEAD * distance;
        apart.doubts = match spares {
            true => 0,
            false => (apart.doubts + 1).min(MOST_DOUBTS),
        };
        apart.spared = (1 << apart.doubts) - 1;
        (apart.clear, apart.place) = (clear, place);
        list.watch.wake[index] = reading_at(&list.watch, &group, clear);
    }

    /// A lower bound on the gap of a pair beyond its margin [m]; accurate up to `want`.
    fn least_gap(&mut self, pair: &ScenePair, want: f64) -> f64 {
        let margin = pair.margin.max(0.0);
        // The gaps of a hydroelastic patch are pressures over their slopes, not distances.
        if self.patches.sides([pair.a, pair.b], &self.poses).is_some() {
            return f64::NEG_INFINITY;
        }
        let bound = self.bounded_gap(pair) - margin;
        if bound >= want {
            return bound;
        }
        if self.solids[pair.a].is_terrain() || self.solids[pair.b].is_terrain() {
            return f64::NEG_INFINITY;
        }
        let reach = want + margin;
        let mut gap = reach;
        self.narrow(pair, &Approach::still(reach), |_, _, point, _, _| {
            // A NaN gap counts as near.
            gap = if point.gap >= gap { gap } else { point.gap };
        });
        match gap >= 0.0 {
            true => TRUST * gap - margin,
            false => f64::NEG_INFINITY,
        }
    }

    /// The same bound from the balls and boxes around two geoms.
    fn bounded_gap(&self, pair: &ScenePair) -> f64 {
        let (ga, gb) = (&self.geoms[pair.a], &self.geoms[pair.b]);
        let (pa, pb) = (&self.poses[pair.a], &self.poses[pair.b]);
        let [(ca, ra), (cb, rb)] = self.balls(pair);
        match (ga.plane, gb.plane) {
            (true, _) => pa.rot.c[2].dot(cb - pa.pos) - rb,
            (_, true) => pb.rot.c[2].dot(ca - pb.pos) - ra,
            _ => {
                let balls = (ca - cb).norm() - ra - rb;
                let boxes = (ga.distance(pa, cb) - rb).max(gb.distance(pb, ca) - ra);
                balls.max(boxes)
            }
        }
    }
}
