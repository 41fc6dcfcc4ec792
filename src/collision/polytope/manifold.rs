//! The contact points of one pair.

use crate::collision::ContactPoint;

/// Most points reported for a pair.
pub const MAX_POINTS: usize = 4;

/// The contact points of one pair, in order of feature.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manifold {
    points: [ContactPoint; MAX_POINTS],
    len: usize,
}

impl Manifold {
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.len]
    }

    /// Adds a point. A full manifold does not change.
    pub fn push(&mut self, p: ContactPoint) {
        if self.len < MAX_POINTS {
            self.points[self.len] = p;
            self.len += 1;
        }
    }

    pub fn clear(&mut self) {
        self.len = 0;
    }
}

impl PartialEq for Manifold {
    fn eq(&self, other: &Manifold) -> bool {
        self.points() == other.points()
    }
}

/// Converts the contact of two cores into that of the shapes with these radii about them.
pub(super) fn inflated(p: ContactPoint, ra: f64, rb: f64) -> ContactPoint {
    ContactPoint {
        point: p.point + p.normal * (0.5 * (ra - rb)),
        gap: p.gap - ra - rb,
        ..p
    }
}
