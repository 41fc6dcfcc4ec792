//! A part of a path between two points next to each other: its length, and what a unit of tension does to the links.

use super::displacement::Moved;
use super::round::Round;
use super::station::Station;
use super::support::{FIXED, Span, Support};
use crate::dynamics::kinematics::Kinematics;
use crate::spatial::wrap::Wrap;
use crate::spatial::{Vec3, Wrench};

/// What the length of a leg is.
#[derive(Clone, Debug)]
pub enum Shape {
    /// The distance.
    Straight,
    /// The difference of a coordinate, by its axis in the world.
    Along(Vec3),
    /// The path around a solid, where it does not pass it.
    Around(Box<Round>),
}

/// A leg, and where it is.
#[derive(Clone, Debug)]
pub struct Leg {
    pub ends: [Station; 2],
    /// Which points of the path these are.
    pub points: [usize; 2],
    shape: Shape,
    /// What it counts in the length.
    share: f64,
    /// Slopes of its length by its ends.
    pulls: [Vec3; 2],
    length: f64,
    /// The links that carry both ends do not change it.
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

    /// What it bends around at the last state, and how.
    fn bent(&self) -> Option<(&Round, &Wrap)> {
        self.round()
            .and_then(|round| Some((round, round.wrap.as_ref()?)))
    }

    /// Links on which it acts.
    pub fn links(&self) -> impl Iterator<Item = usize> + '_ {
        let solid = self.round().map(|round| &round.centre);
        self.ends.iter().chain(solid).map(Station::link)
    }

    pub fn seat(&mut self, support: &Support) {
        self.ends.iter_mut().for_each(|end| end.seat(support));
        let [a, b] = self.ends.each_ref().map(|end| end.place);
        match &mut self.shape {
            Shape::Straight => self.meet = support.meet(a, b),
            // Against an axis of the world it turns with whatever carries both.
            Shape::Along(_) => {}
            Shape::Around(round) => {
                self.meet = support.meet(a, b);
                round.seat(support, [a, b]);
            }
        }
    }

    /// Takes the stations where they are; its part of the length, and how far it is from where slopes jump.
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
                // Points that coincide have no direction between them.
                d.normalized().unwrap_or(Vec3::ZERO)
            }
        };
        self.pulls = [-pull, pull];
        (self.share * self.length, margin)
    }

    /// The links on which the slope by an end acts, and by the solid's surface opposite to it: up to where both are carried, for
    /// there they cancel.
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

    /// How the length changes as the points of its path do.
    pub fn along(&self, m: &Moved) -> f64 {
        let ends = self.ends.iter().zip(self.points).zip(self.pulls);
        let along = ends.filter_map(|((end, i), pull)| Some(m.end(end, i)?.dot(pull)));
        self.share * along.sum::<f64>()
    }

    /// Visits how those wrenches change as stations move.
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

    /// How the slopes of a straight leg change as its ends move against each other by d.
    fn turned(&self, d: Vec3) -> [Vec3; 2] {
        if matches!(self.shape, Shape::Along(_)) || self.length <= 0.0 {
            return [Vec3::ZERO; 2];
        }
        let pull = self.pulls[1];
        let turned = (d - pull * pull.dot(d)) * (1.0 / self.length);
        [-turned, turned]
    }
}
