//! Axes along which two polytopes separate, named by the features that define them.

use crate::spatial::Vec3;

/// Sine of the angle between two edges below which they count as parallel. Their common normal is then
/// a face's, or no local minimum of the depth.
pub(super) const PARALLEL: f64 = 1e-7;

/// A direction along which two polytopes are separated by `gap` (negative: they overlap), with the
/// features that define it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Axis {
    /// The normal of a face of `owner` (0: A, 1: B).
    Face { owner: u8, face: u16, gap: f64 },
    /// Perpendicular to an edge of A and an edge of B; `normal` from A to B in A's frame.
    Edges {
        a: [u16; 2],
        b: [u16; 2],
        normal: Vec3,
        gap: f64,
    },
}

impl Axis {
    pub fn gap(&self) -> f64 {
        match *self {
            Axis::Face { gap, .. } | Axis::Edges { gap, .. } => gap,
        }
    }

    /// The features that define the axis, as numbers that order faces of A before faces of B before
    /// edges.
    fn features(&self) -> (u8, [u16; 4]) {
        match *self {
            Axis::Face { owner, face, .. } => (owner, [face, 0, 0, 0]),
            Axis::Edges { a, b, .. } => (2, [a[0], a[1], b[0], b[1]]),
        }
    }

    pub fn same_features(&self, other: &Axis) -> bool {
        self.features() == other.features()
    }
}

/// Whether `axis` is preferred to `other`. The larger gap wins. If they differ by less than `tie`, a
/// face of A comes before a face of B before edges, then the lower numbers.
pub(super) fn prefer(axis: &Axis, other: &Axis, tie: f64) -> bool {
    let better = axis.gap() - other.gap();
    better > tie || better >= -tie && axis.features() < other.features()
}
