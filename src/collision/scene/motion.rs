//! Bounds on the relative motion of two links: the largest gap that they may close within a step.
//!
//! A velocity that all links share has no effect. The speed of each link relative to the mean velocity
//! dismisses distant pairs; for the rest the relative motion of the two links is computed.

use super::geom::SceneGeom;
use crate::collision::approach::{Approach, MOTIONS, swing};
use crate::model::topology::WORLD;
use crate::spatial::{Twist, Vec3};
use std::ops::Range;

/// Relative to a link's size: a motion that brings its points nearer by at most this much more than
/// predicted causes no new search.
const GRAIN: f64 = 1e-4;

/// The predicted motions of the links. All fields are per link, the world last. Twists are about the
/// link's centre, in world axes.
#[derive(Debug)]
pub(super) struct Motions {
    /// Twists of several motions, one after the other: all links at rest; the predicted motions (at the
    /// start of the step, then of its solutions); then the offered motion, which is not accepted yet.
    twists: Vec<Twist>,
    count: usize,
    /// Speed bounds of the predicted motions, and of the offered motion once it is measured.
    speeds: Vec<Speeds>,
    offered: Vec<Speeds>,
    /// Whether the offered motion moves points of this link farther than predicted
    /// ([`Motions::surprises`]).
    new: Vec<bool>,
    /// How much farther than the predicted motions the search looks for points of this link [m].
    slack: Vec<f64>,
    /// Radius of the bounded geoms about the centre [m].
    radii: Vec<f64>,
    /// The same radius; infinite if a moving link has a plane [m].
    arms: Vec<f64>,
}

/// Bounds on the speed of all points of a link [m/s].
#[derive(Clone, Copy, Debug, Default)]
struct Speeds {
    absolute: f64,
    /// Relative to the links' mean velocity.
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

    /// Takes new sizes of the geoms.
    pub fn measure(&mut self, geoms: &[SceneGeom], bounds: &[(Vec3, f64)]) {
        for (i, &(_, radius)) in bounds.iter().enumerate() {
            (self.radii[i], self.arms[i]) = (radius, radius);
        }
        for g in geoms.iter().filter(|g| g.link != WORLD && g.plane) {
            self.arms[g.link] = f64::INFINITY;
        }
    }

    /// Removes all predicted motions.
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

    /// The twists of motion `k`. 0: all links at rest; 1 to `count`: the predicted motions; `count` +
    /// 1: the offered motion.
    fn motion(&self, k: usize) -> &[Twist] {
        let n = self.links();
        &self.twists[k * n..][..n]
    }

    /// Offers a motion of all links. It is not predicted until it is accepted.
    pub fn offer(&mut self, twists: impl Iterator<Item = Twist>) {
        let n = self.links();
        let all = &mut self.twists[(self.count + 1) * n..][..n];
        for (own, v) in all.iter_mut().zip(twists) {
            *own = v;
        }
    }

    /// Computes the speed bounds of the offered motion.
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

    /// Accepts the offered, measured motion as a predicted one.
    pub fn accept(&mut self) {
        for (speed, offered) in self.speeds.iter_mut().zip(&self.offered) {
            *speed = Speeds {
                absolute: speed.absolute.max(offered.absolute),
                relative: speed.relative.max(offered.relative),
            };
        }
        self.count += 1;
    }

    /// Widens the search by the path within `horizon` [s] of the difference between the offered and the
    /// last predicted motion, plus a grain. Contacts may cancel any part of this difference.
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

    /// Whether the offered motion, kept up for `h` [s], may close a gap that was not predicted to close.
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

    /// Whether it may close such a gap between these two links.
    pub fn is_new_between(&self, [a, b]: [usize; 2]) -> bool {
        self.new[a] || self.new[b]
    }

    /// Bound on the speed of the link's points relative to the links' mean velocity [m/s].
    pub fn speed(&self, link: usize) -> f64 {
        self.speeds[link].relative
    }

    /// Bound on the speed of the link's points relative to the world [m/s].
    pub fn absolute(&self, link: usize) -> f64 {
        self.speeds[link].absolute
    }

    /// [`Motions::absolute`] of the offered motion.
    pub fn offered_absolute(&self, link: usize) -> f64 {
        self.offered[link].absolute
    }

    /// [`Motions::speed`] of the offered motion.
    pub fn offered_speed(&self, link: usize) -> f64 {
        self.offered[link].relative
    }

    /// Bound on the relative speed of points of two links [m/s]. Cheaper than [`Motions::approach`],
    /// and not less.
    pub fn fastest(&self, link: [usize; 2]) -> f64 {
        Speeds::between(&self.speeds, link)
    }

    /// [`Motions::fastest`] of the offered motion.
    pub fn fastest_offered(&self, link: [usize; 2]) -> f64 {
        Speeds::between(&self.offered, link)
    }

    pub fn slack(&self, link: usize) -> f64 {
        self.slack[link]
    }

    /// The predicted motions of the second link relative to the first, for `horizon` seconds.
    pub fn approach(&self, link: [usize; 2], centers: &[Vec3], horizon: f64) -> Approach {
        self.between(link, centers, horizon, 1..self.count + 1)
    }

    /// The offered motion of the second link relative to the first, for `horizon` seconds.
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
        // Taken at the smaller link: far from the bodies the velocities lose digits.
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
