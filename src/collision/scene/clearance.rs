//! Pairs of links that cannot meet yet, and how long nobody needs to look at them.
//!
//! A group of pairs has a lower bound on its gaps: by the balls around both links, or measured at some
//! relative placement of them. A body that has moved by less against the other one is as far away. How far
//! any two links have moved against each other at most is added up from search to search, so that one
//! comparison passes over a group until that sum has reached its bound; then the bound is taken anew. What
//! the search finds does not depend on this.

use super::Scene;
use super::broad::{Group, List};
use super::pairs::ScenePair;
use super::watch::{Watch, turn};
use crate::collision::Approach;
use crate::model::topology::WORLD;
use crate::spatial::{Mat3, Vec3};

/// How far gaps are measured: in radii of the smaller link, and in the distances at which contacts count.
const RANGE: f64 = 0.2;
const AHEAD: f64 = 2.0;
/// This share of a measured gap is trusted: where shapes are round it has not all digits.
const TRUST: f64 = 0.9;
/// Relative to the sizes, and to the distance from the world's origin: round-off of a placement.
const ROUNDING: [f64; 2] = [1e-9, 1e-12];
/// After a measurement that spared nothing twice as many searches go by without one, up to 2 to this power.
const MOST_DOUBTS: u8 = 6;

/// The reading of a group's odometer before which bodies so far apart cannot meet. A plane that moves has
/// no ball: how far it goes at the other body nobody knows.
fn reading_at(watch: &Watch, group: &Group, clear: f64) -> f64 {
    let stands = |side: usize| !group.planes[side] || group.link[side] == WORLD;
    match stands(0) && stands(1) {
        true => watch.odometer[usize::from(group.link.contains(&WORLD))] + clear,
        false => f64::NEG_INFINITY,
    }
}

impl Scene {
    /// How far links are looked for at most where each is at this distance [m]: two that move, and one that
    /// moves and the world. `need`: of a link beside another one that moves, and beside the world.
    pub(super) fn farthest(&self, need: impl Fn(usize) -> [f64; 2]) -> [f64; 2] {
        let mut most = [0.0_f64; 2];
        for link in 0..self.placed.len() {
            let [beside, alone] = need(link);
            most = [most[0].max(beside), most[1].max(alone)];
        }
        [2.0 * most[0], most[1]]
    }

    /// Whether a group is farther apart for certain than any of its kind is looked for.
    pub(super) fn sleeps(
        &self,
        watch: &Watch,
        (index, group): (usize, &Group),
        far: [f64; 2],
    ) -> bool {
        let kind = usize::from(group.link.contains(&WORLD));
        watch.wake[index] > watch.odometer[kind] + far[kind]
    }

    /// Whether no gap of a group, less its pair's margin, is within this distance. Passes over the group
    /// for as long as that is certain.
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

    /// What placements of two links leave uncertain [m].
    fn rounding(&self, [a, b]: [usize; 2]) -> f64 {
        let sizes = self.bounds[a].1 + self.bounds[b].1;
        let far = self.centers[a].norm().max(self.centers[b].norm());
        ROUNDING[0] * sizes + ROUNDING[1] * far
    }

    /// Placement of the link that is bounded in the frame of the other one, at both centres, and its radius.
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

    /// Measures how far apart a group is whose contacts count up to this distance and of which the search
    /// has found none, if that is likely to spare searches.
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

    /// A lower bound on the gap of a pair beyond its margin, exact enough up to `want`.
    fn least_gap(&mut self, pair: &ScenePair, want: f64) -> f64 {
        let margin = pair.margin.max(0.0);
        // The gaps of faces are pressures over their slopes.
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
            // One that is no number is near.
            gap = if point.gap >= gap { gap } else { point.gap };
        });
        match gap >= 0.0 {
            true => TRUST * gap - margin,
            false => f64::NEG_INFINITY,
        }
    }

    /// The same of the balls and boxes around two geometries.
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
