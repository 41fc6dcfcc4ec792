//! Pairs of links that cannot meet yet, and how long nobody needs to look at them.
//!
//! Two records spare the list of pairs most of its tests, and change nothing that these find. The first holds
//! the groups whose balls were within a skin of each other: the others stay apart until the links have moved
//! against each other by the skin. The second holds a lower bound on the gaps of a group at some relative
//! placement of its two links: a body that has moved by less against the other one is as far away. Both bounds
//! hold for any motion, thus nothing accumulates from step to step.

use super::Scene;
use super::broad::{Group, List};
use super::pairs::ScenePair;
use super::watch::Watch;
use crate::collision::Approach;
use crate::spatial::{Mat3, Vec3};

/// Thickness of the skin, in mean radii of the links.
const SKIN: f64 = 0.5;
/// How much thicker it is where links are fast, in the farthest that one of them is looked for.
const LEAD: f64 = 4.0;
/// Share of the skin that is left to round-off.
const GRAIN: f64 = 1e-3;
/// How far gaps are measured: in radii of the smaller link, and in the distances at which contacts count.
const RANGE: f64 = 0.2;
const AHEAD: f64 = 2.0;
/// What a measured gap is trusted with: its accuracy where shapes are round is not that of a distance.
const TRUST: f64 = 0.9;
/// Relative to the sizes, and to the distance from the world's origin: round-off of a placement.
const ROUNDING: [f64; 2] = [1e-9, 1e-12];
/// After a measurement that spared nothing twice as many steps go by without one, up to 2 to this power.
const MOST_DOUBTS: u8 = 6;

impl Scene {
    /// Chooses the groups of a list that may come near, unless those that were chosen hold for links that are
    /// looked for at such distances.
    pub(super) fn watch(&self, list: &mut List, need: impl Fn(usize) -> f64) {
        if self.watches(&list.watch, &need) {
            return;
        }
        let moving = self.centers.len() - 1;
        let sum: f64 = self.bounds[..moving].iter().map(|b| b.1).sum();
        let most = (0..=moving).fold(0.0, |most: f64, link| most.max(need(link)));
        let skin = SKIN * sum / moving.max(1) as f64 + LEAD * most;
        let watch = &mut list.watch;
        watch.near.clear();
        for (index, group) in list.groups.iter().enumerate() {
            let link = group.link.map(|l| self.slot(l));
            if group.unbounded || self.is_near(link, skin + self.wider + group.margin) {
                watch.near.push(index as u32);
            }
        }
        watch.centers.copy_from_slice(&self.centers);
        (watch.skin, watch.wider, watch.is_chosen) = (skin, self.wider, true);
    }

    /// Whether all groups are among the chosen ones whose links come near each other where each link is looked for
    /// at this distance.
    pub(super) fn watches(&self, watch: &Watch, need: impl Fn(usize) -> f64) -> bool {
        if !watch.is_chosen || watch.wider != self.wider {
            return false;
        }
        let moving = self.centers.len() - 1;
        let (now, then) = (&self.centers[..], &watch.centers[..]);
        let both = now[..moving].iter().zip(then);
        let sum = both.fold(Vec3::ZERO, |sum, (now, then)| sum + (*now - *then));
        let common = sum * (1.0 / moving.max(1) as f64);
        let room = (0.5 - GRAIN) * watch.skin;
        (0..moving + usize::from(watch.has_world)).all(|link| {
            let left = room - need(link);
            let moved = now[link] - then[link] - common;
            left > 0.0 && moved.norm_squared() <= left * left
        })
    }

    /// Whether no gap of a group, less its pair's margin, is within this distance.
    pub(super) fn keeps_apart(
        &self,
        watch: &Watch,
        (index, group): (usize, &Group),
        distance: f64,
    ) -> bool {
        let apart = &watch.apart[index];
        if apart.clear <= distance {
            return false;
        }
        let Some((now, radius)) = self.relative(group) else {
            return false;
        };
        let then = apart.place;
        let turn = now.0 - then.0;
        let turned = turn.c.iter().fold(0.0, |sum, c| sum + c.norm_squared());
        // Two rotations differ by √2 times as much in this norm as what they do to a vector.
        let moved = (now.1 - then.1).norm() + (0.5 * turned).sqrt() * radius;
        apart.clear - moved > distance
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

    /// Measures how far apart a group is whose contacts count up to this distance and of which the search has found
    /// none, if that is likely to spare searches.
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
        let [a, b] = group.link.map(|l| self.slot(l));
        let sizes = self.bounds[a].1 + self.bounds[b].1;
        let far = self.centers[a].norm().max(self.centers[b].norm());
        let clear = least - ROUNDING[0] * sizes - ROUNDING[1] * far;
        let apart = &mut list.watch.apart[index];
        let spares = clear > AHEAD * distance;
        apart.doubts = match spares {
            true => 0,
            false => (apart.doubts + 1).min(MOST_DOUBTS),
        };
        apart.spared = (1 << apart.doubts) - 1;
        (apart.clear, apart.place) = (clear, place);
    }

    /// A lower bound on the gap of a pair beyond its margin, exact enough up to `want`.
    fn least_gap(&mut self, pair: &ScenePair, want: f64) -> f64 {
        let margin = pair.margin.max(0.0);
        let bound = self.bounded_gap(pair) - margin;
        if bound >= want {
            return bound;
        }
        if self.solids[pair.a].is_terrain() || self.solids[pair.b].is_terrain() {
            return f64::NEG_INFINITY;
        }
        let reach = want + margin;
        let mut gap = reach;
        self.narrow(pair, &Approach::still(reach), |_, _, point, _| {
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
