//! The contact points of one pair.

use super::feature;
use crate::collision::ContactPoint;

/// The most points a pair reports.
pub const MAX_POINTS: usize = 4;

/// The contact points of one pair.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manifold {
    points: [ContactPoint; MAX_POINTS],
    count: usize,
}

impl Manifold {
    #[inline(always)]
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.count]
    }

    #[inline(always)]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a point. Points beyond [`MAX_POINTS`] are dropped.
    #[inline(always)]
    pub fn push(&mut self, point: ContactPoint) {
        if let Some(slot) = self.points.get_mut(self.count) {
            *slot = point;
            self.count += 1;
        }
    }

    #[inline]
    pub(super) fn exchange(&mut self) {
        for p in &mut self.points[..self.count] {
            *p = exchanged(p);
        }
    }
}

/// The same contact with A and B exchanged.
#[inline]
pub(super) fn exchanged(p: &ContactPoint) -> ContactPoint {
    ContactPoint {
        point: p.point,
        normal: -p.normal,
        gap: p.gap,
        feature: feature::exchange(p.feature),
    }
}
