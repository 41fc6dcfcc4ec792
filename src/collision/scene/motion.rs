//! How the links move against each other: how far apart their geometries may be and still meet within a step.
//!
//! Nothing here depends on a velocity that all links share. A link's own speed counts relative to the mean one, and
//! only to dismiss what is far away; what is left is judged by the relative motion of the two links.

use super::geom::SceneGeom;
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
    /// Of all links standing still, as the step begins, then as its solutions would have it; behind these, the motion
    /// on offer.
    twists: Vec<Twist>,
    count: usize,
    /// Of the foreseen motions; of the one on offer once it is measured.
    speeds: Vec<Speeds>,
    offered: Vec<Speeds>,
    /// Whether the one on offer moves points of this link farther than was foreseen ([`Motions::surprises`]).
    new: Vec<bool>,
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
            twists: vec![Twist::ZERO; (MOTIONS + 2) * n],
            count: 0,
            speeds: vec![Speeds::default(); n],
            offered: vec![Speeds::default(); n],
            new: vec![false; n],
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

    /// That with this number among the foreseen ones, which count from 1: all links stand still in 0, and behind the last
    /// one is the motion on offer.
    fn motion(&self, k: usize) -> &[Twist] {
        let n = self.links();
        &self.twists[k * n..][..n]
    }

    /// A motion of all links, which is not foreseen until it is accepted.
    pub fn offer(&mut self, twists: impl Iterator<Item = Twist>) {
        let n = self.links();
        let all = &mut self.twists[(self.count + 1) * n..][..n];
        for (own, v) in all.iter_mut().zip(twists) {
            *own = v;
        }
    }

    /// Takes the speeds of the motion on offer.
    pub fn measure_offer(&mut self) {
        let n = self.links();
        let all = &self.twists[(self.count + 1) * n..][..n];
        let sum = all[..n - 1].iter().fold(Vec3::ZERO, |sum, v| sum + v.lin);
        let mean = sum * (1.0 / (n - 1).max(1) as f64);
        for ((speed, v), arm) in self.offered.iter_mut().zip(all).zip(&self.arms) {
            let swing = swing(v.ang.norm(), *arm);
            *speed = Speeds {
                absolute: v.lin.norm() + swing,
                relative: (v.lin - mean).norm() + swing,
            };
        }
    }

    /// The motion on offer, measured, is foreseen from now on.
    pub fn accept(&mut self) {
        for (speed, offered) in self.speeds.iter_mut().zip(&self.offered) {
            *speed = Speeds {
                absolute: speed.absolute.max(offered.absolute),
                relative: speed.relative.max(offered.relative),
            };
        }
        self.count += 1;
    }

    /// Looks `horizon` seconds of what the motion on offer changes farther than by the motions that are foreseen, and
    /// by a grain: how much of the change contacts take back is not known yet.
    pub fn allow_change(&mut self, horizon: f64) {
        let n = self.links();
        let (before, offered) = self.twists[self.count * n..].split_at(n);
        let changes = before[..n - 1].iter().zip(offered);
        let sizes = self.radii.iter().zip(&mut self.slack);
        for ((before, offered), (radius, slack)) in changes.zip(sizes) {
            let change = *offered - *before;
            let speed = change.lin.norm() + change.ang.norm() * radius;
            *slack = horizon * speed + GRAIN * radius;
        }
    }

    /// Whether the motion on offer, kept up for `h` [s], may close a gap that was not foreseen.
    pub fn surprises(&mut self, h: f64) -> bool {
        let n = self.links();
        let (before, offered) = self.twists[self.count * n..].split_at(n);
        let changes = before.iter().zip(offered);
        let sizes = self.arms.iter().zip(&self.slack).zip(&mut self.new);
        let mut any = false;
        for ((before, offered), ((arm, slack), new)) in changes.zip(sizes) {
            let change = *offered - *before;
            *new = h * (change.lin.norm() + swing(change.ang.norm(), *arm)) > *slack;
            any |= *new;
        }
        any
    }

    /// Whether it may between two links.
    pub fn is_new_between(&self, [a, b]: [usize; 2]) -> bool {
        self.new[a] || self.new[b]
    }

    /// No point of the link moves faster against the links' mean velocity [m/s].
    pub fn speed(&self, link: usize) -> f64 {
        self.speeds[link].relative
    }

    /// The same against the world.
    pub fn absolute(&self, link: usize) -> f64 {
        self.speeds[link].absolute
    }

    /// The same of the motion on offer.
    pub fn offered_absolute(&self, link: usize) -> f64 {
        self.offered[link].absolute
    }

    /// That against the links' mean velocity.
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

    /// The foreseen motions of the second link against the first, for `horizon` seconds.
    pub fn approach(&self, link: [usize; 2], centers: &[Vec3], horizon: f64) -> Approach {
        self.between(link, centers, horizon, 1..self.count + 1)
    }

    /// That on offer.
    pub fn offered(&self, link: [usize; 2], centers: &[Vec3], horizon: f64) -> Approach {
        self.between(link, centers, horizon, self.count + 1..self.count + 2)
    }

    fn between(
        &self,
        link: [usize; 2],
        centers: &[Vec3],
        horizon: f64,
        motions: Range<usize>,
    ) -> Approach {
        let apart = centers[link[1]] - centers[link[0]];
        // Far from where the velocities are taken they lose digits.
        let at_first = self.radii[link[0]] < self.radii[link[1]];
        let centre = centers[link[usize::from(!at_first)]];
        let mut approach = Approach::new(horizon, centre);
        for k in motions {
            let all = self.motion(k);
            let [a, b] = link.map(|i| all[i]);
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
