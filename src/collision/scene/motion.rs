//! How the links move against each other: how far apart their geometries may be and still meet within a step.
//!
//! Nothing here depends on a velocity that all links share. A link's own speed counts relative to the mean one, and
//! only to dismiss what is far away; what is left is judged by the relative motion of the two links.

use super::SceneGeom;
use crate::collision::approach::{Approach, MOTIONS, swing};
use crate::model::topology::WORLD;
use crate::spatial::{Twist, Vec3};
use std::ops::Range;

/// Relative to a link's size: its points may come this much nearer than foreseen without another search.
const GRAIN: f64 = 1e-4;

/// What the links are foreseen to do. Everything is per link, the world last; twists are about the
/// link's centre, world axes.
#[derive(Debug)]
pub(super) struct Motions {
    /// Of all links as the step begins, then as its solutions would have it; behind these, the motion on offer.
    twists: Vec<Twist>,
    count: usize,
    /// Of the foreseen motions, and of the one on offer.
    speeds: Vec<Speeds>,
    offered: Vec<Speeds>,
    /// How much farther than by the motions points of this link are looked for [m].
    slack: Vec<f64>,
    /// Radius of the bounded geometries about the centre [m].
    radii: Vec<f64>,
    /// The same, infinite where a moving link has a plane.
    arms: Vec<f64>,
}

/// No point of a link moves faster [m/s].
#[derive(Clone, Copy, Debug, Default)]
struct Speeds {
    absolute: f64,
    /// To the links' mean velocity.
    relative: f64,
}

impl Speeds {
    fn between(all: &[Speeds], link: [usize; 2]) -> f64 {
        let [a, b] = link.map(|i| &all[i]);
        (a.absolute + b.absolute).min(a.relative + b.relative)
    }
}

impl Motions {
    pub fn new(geoms: &[SceneGeom], bounds: &[(Vec3, f64)]) -> Motions {
        let n = bounds.len();
        let mut motions = Motions {
            twists: vec![Twist::ZERO; (MOTIONS + 1) * n],
            count: 0,
            speeds: vec![Speeds::default(); n],
            offered: vec![Speeds::default(); n],
            slack: vec![0.0; n],
            radii: vec![0.0; n],
            arms: vec![0.0; n],
        };
        motions.measure(geoms, bounds);
        motions
    }

    /// Takes the sizes of the geometries anew.
    pub fn measure(&mut self, geoms: &[SceneGeom], bounds: &[(Vec3, f64)]) {
        for (i, &(_, radius)) in bounds.iter().enumerate() {
            (self.radii[i], self.arms[i]) = (radius, radius);
        }
        for g in geoms.iter().filter(|g| g.link != WORLD && g.plane) {
            self.arms[g.link] = f64::INFINITY;
        }
    }

    /// Nothing moves.
    pub fn clear(&mut self) {
        self.count = 0;
        self.speeds.fill(Speeds::default());
        self.slack.fill(0.0);
    }

    pub fn is_full(&self) -> bool {
        self.count == MOTIONS
    }

    fn links(&self) -> usize {
        self.radii.len()
    }

    /// A motion of all links, which is not foreseen until it is accepted.
    pub fn offer(&mut self, twists: impl Iterator<Item = Twist>) {
        let n = self.links();
        let all = &mut self.twists[self.count * n..][..n];
        let mut mean = Vec3::ZERO;
        for (own, v) in all.iter_mut().zip(twists) {
            *own = v;
            mean += v.lin;
        }
        mean = mean * (1.0 / (n - 1).max(1) as f64);
        for ((speed, v), arm) in self.offered.iter_mut().zip(all).zip(&self.arms) {
            let swing = swing(v.ang.norm(), *arm);
            *speed = Speeds {
                absolute: v.lin.norm() + swing,
                relative: (v.lin - mean).norm() + swing,
            };
        }
    }

    /// The motion on offer is foreseen from now on.
    pub fn accept(&mut self) {
        for (speed, offered) in self.speeds.iter_mut().zip(&self.offered) {
            *speed = Speeds {
                absolute: speed.absolute.max(offered.absolute),
                relative: speed.relative.max(offered.relative),
            };
        }
        self.count += 1;
    }

    /// Looks `reach` seconds of what the motion on offer changes farther than by the motions that are foreseen, and
    /// by a grain: how much of the change contacts take back is not known yet.
    pub fn allow_change(&mut self, reach: f64) {
        for i in 0..self.links() - 1 {
            let change = self.change(i);
            let speed = change.lin.norm() + change.ang.norm() * self.radii[i];
            self.slack[i] = reach * speed + GRAIN * self.radii[i];
        }
    }

    /// How the motion on offer differs from the last one that is foreseen.
    fn change(&self, link: usize) -> Twist {
        let n = self.links();
        let of = |motion: usize| self.twists[motion * n + link];
        of(self.count) - self.count.checked_sub(1).map_or(Twist::ZERO, of)
    }

    /// Whether the motion on offer, kept up for `h` [s], may close a gap that was not foreseen.
    pub fn surprises(&self, h: f64) -> bool {
        (0..self.links()).any(|i| self.is_new(i, h))
    }

    fn is_new(&self, link: usize, h: f64) -> bool {
        let change = self.change(link);
        h * (change.lin.norm() + swing(change.ang.norm(), self.arms[link])) > self.slack[link]
    }

    /// No point of the link moves faster against the links' mean velocity [m/s].
    pub fn speed(&self, link: usize) -> f64 {
        self.speeds[link].relative
    }

    /// The same of the motion on offer.
    pub fn offered_speed(&self, link: usize) -> f64 {
        self.offered[link].relative
    }

    /// No points of two links move faster against each other; cheaper than, and no less than by [`Motions::approach`].
    pub fn fastest(&self, link: [usize; 2]) -> f64 {
        Speeds::between(&self.speeds, link)
    }

    /// The same of the motion on offer.
    pub fn fastest_offered(&self, link: [usize; 2]) -> f64 {
        Speeds::between(&self.offered, link)
    }

    pub fn slack(&self, link: usize) -> f64 {
        self.slack[link]
    }

    /// Whether the motion on offer may close a gap between two links that was not foreseen.
    pub fn is_new_between(&self, link: [usize; 2], h: f64) -> bool {
        link.iter().any(|&i| self.is_new(i, h))
    }

    /// The foreseen motions of the second link against the first, for `reach` seconds.
    pub fn approach(&self, link: [usize; 2], centers: &[Vec3], reach: f64) -> Approach {
        self.between(link, centers, reach, 0..self.count)
    }

    /// That on offer.
    pub fn offered(&self, link: [usize; 2], centers: &[Vec3], reach: f64) -> Approach {
        self.between(link, centers, reach, self.count..self.count + 1)
    }

    fn between(
        &self,
        link: [usize; 2],
        centers: &[Vec3],
        reach: f64,
        motions: Range<usize>,
    ) -> Approach {
        let n = self.links();
        let apart = centers[link[1]] - centers[link[0]];
        // Far from where the velocities are taken they lose digits.
        let at_first = self.radii[link[0]] < self.radii[link[1]];
        let centre = centers[link[usize::from(!at_first)]];
        let mut approach = Approach::new(reach, centre);
        for k in motions {
            let [a, b] = link.map(|i| self.twists[k * n + i]);
            let lin = if at_first {
                b.at(-apart) - a.lin
            } else {
                b.lin - a.at(apart)
            };
            approach.push(Twist::new(lin, b.ang - a.ang));
        }
        approach
    }
}
