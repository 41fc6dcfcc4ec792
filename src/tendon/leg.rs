//! A part of a path between two neighbouring points: its length, and the wrenches of a unit of tension on the
//! links.

use super::displacement::Moved;
use super::round::Round;
use super::station::Station;
use super::support::{FIXED, Span, Support};
use crate::dynamics::kinematics::Kinematics;
use crate::spatial::wrap::Wrap;
use crate::spatial::{Vec3, Wrench};

/// The kind of a leg's length.
#[derive(Clone, Debug)]
pub enum Shape {
    /// The distance of its ends.
    Straight,
    /// The difference of a coordinate of its ends along an axis of the world.
    Along(Vec3),
    /// The path around a solid, or the distance if the path does not bend.
    Around(Box<Round>),
}

/// A leg and its state.
#[derive(Clone, Debug)]
pub struct Leg {
    pub ends: [Station; 2],
    /// Indices of its ends among the points of the path.
    pub points: [usize; 2],
    shape: Shape,
    /// Its factor in the length.
    share: f64,
    /// Gradient of its length by its ends.
    pulls: [Vec3; 2],
    length: f64,
    /// Common ancestor of both ends; links at or above it do not change the length.
    meet: usize,
}

impl Leg {
    pub fn new(ends: [Station; 2], points: [usize; 2], shape: Shape, share: f64) -> Self {
        Leg {
            ends,
            points,
            shape,
            share,
            pulls: [Vec3::ZERO; 2],
            length: 0.0,
            meet: FIXED,
        }
    }

    fn round(&self) -> Option<&Round> {
        match &self.shape {
            Shape::Around(round) => Some(round),
            _ => None,
        }
    }

    /// The solid around which the leg bends at the last state, and the wrap.
    fn bent(&self) -> Option<(&Round, &Wrap)> {
        self.round()
            .and_then(|round| Some((round, round.wrap.as_ref()?)))
    }

    /// Links on which the leg acts.
    pub fn links(&self) -> impl Iterator<Item = usize> + '_ {
        let solid = self.round().map(|round| &round.centre);
        self.ends.iter().chain(solid).map(Station::link)
    }

    pub fn seat(&mut self, support: &Support) {
        self.ends.iter_mut().for_each(|end| end.seat(support));
        let [a, b] = self.ends.each_ref().map(|end| end.place);
        match &mut self.shape {
            Shape::Straight => self.meet = support.meet(a, b),
            // Relative to an axis of the world, the leg rotates with common ancestors of both ends.
            Shape::Along(_) => {}
            Shape::Around(round) => {
                self.meet = support.meet(a, b);
                round.seat(support, [a, b]);
            }
        }
    }

    /// Updates the stations. Returns the leg's part of the length, and the distance to the nearest jump of
    /// slopes.
    pub fn update(&mut self, kin: &Kinematics) -> (f64, f64) {
        self.ends.iter_mut().for_each(|end| end.update(kin));
        let d = Station::between(&self.ends[0], &self.ends[1]);
        let mut margin = f64::INFINITY;
        if let Shape::Around(round) = &mut self.shape {
            margin = round.update(kin, &self.ends);
        }
        if let Some((_, wrap)) = self.bent() {
            (self.length, self.pulls) = (wrap.length, wrap.pulls);
            return (self.share * self.length, margin);
        }
        let pull = match self.shape {
            Shape::Along(axis) => {
                self.length = d.dot(axis);
                axis
            }
            _ => {
                self.length = d.norm();
                margin = margin.min(self.length);
                // Coinciding points have no direction between them.
                d.normalized().unwrap_or(Vec3::ZERO)
            }
        };
        self.pulls = [-pull, pull];
        (self.share * self.length, margin)
    }

    /// The links on which the slope by an end acts, and the opposite slope on the solid's surface: up to the
    /// common ancestor, where they cancel.
    fn spans(&self, k: usize) -> [Span; 2] {
        let own = |meet: usize| Span {
            from: self.ends[k].place,
            until: meet,
        };
        match self.bent() {
            None => [own(self.meet), Span::none()],
            Some((round, _)) => {
                let meet = round.meet[k];
                let solid = Span {
                    from: round.centre.place,
                    until: meet,
                };
                [own(meet), solid]
            }
        }
    }

    /// Visits the wrenches of a unit of the slope on links, about their trees' origins.
    pub fn for_wrenches(&self, mut visit: impl FnMut(Span, Wrench)) {
        for (k, pull) in self.pulls.into_iter().enumerate() {
            let [own, solid] = self.spans(k);
            let pull = pull * self.share;
            if !own.is_empty() {
                visit(own, Wrench::of_force_at(pull, self.ends[k].rel));
            }
            if let Some((round, _)) = self.bent()
                && !solid.is_empty()
            {
                let at = round.centre.rel + round.from_centre[k];
                visit(solid, Wrench::of_force_at(-pull, at));
            }
        }
    }

    /// Change of the length when the points of its path move.
    pub fn along(&self, m: &Moved) -> f64 {
        let ends = self.ends.iter().zip(self.points).zip(self.pulls);
        let along = ends.filter_map(|((end, i), pull)| Some(m.end(end, i)?.dot(pull)));
        self.share * along.sum::<f64>()
    }

    /// Visits the changes of these wrenches when stations move.
    pub fn for_changes(&self, m: &Moved, mut visit: impl FnMut(Span, Wrench)) {
        let bent = self.bent();
        let carried = bent.and_then(|(round, _)| m.carried(&round.centre));
        let ends = [0, 1].map(|k| m.end(&self.ends[k], self.points[k]));
        if carried.is_none() && ends.iter().all(Option::is_none) {
            return;
        }
        let moved = ends.map(Option::unwrap_or_default);
        let turned = match (bent, carried) {
            (Some((round, wrap)), Some(xi)) => {
                let carried = |k: usize| xi.at(round.centre.rel + round.from_centre[k]);
                let turned = wrap.turned([0, 1].map(|k| moved[k] - carried(k)));
                [0, 1].map(|k| turned[k] + xi.ang.cross(self.pulls[k]))
            }
            (Some((_, wrap)), None) => wrap.turned(moved),
            (None, _) => self.turned(moved[1] - moved[0]),
        };
        for k in 0..2 {
            let change = |at: Vec3| {
                let moment = moved[k].cross(self.pulls[k]) + at.cross(turned[k]);
                Wrench::new(turned[k], moment) * self.share
            };
            let [own, solid] = self.spans(k);
            if !own.is_empty() {
                visit(own, change(self.ends[k].rel));
            }
            if let Some((round, _)) = bent
                && !solid.is_empty()
            {
                visit(solid, -change(round.centre.rel + round.from_centre[k]));
            }
        }
    }

    /// Change of the slopes of a straight leg when its ends move relative to each other by d.
    fn turned(&self, d: Vec3) -> [Vec3; 2] {
        if matches!(self.shape, Shape::Along(_)) || self.length <= 0.0 {
            return [Vec3::ZERO; 2];
        }
        let pull = self.pulls[1];
        let turned = (d - pull * pull.dot(d)) * (1.0 / self.length);
        [-turned, turned]
    }
}
