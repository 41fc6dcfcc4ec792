//! Warm start for overlapping curved shapes: refines the last query's solution, if this provably gives the
//! same result as a cold search, to the last bit.

use super::bodies::Bodies;
use super::cache::Memory;
use super::convex::{Convex, Kind};
use super::feature::Spot;
use super::inner::{ALIKE, ALIKE_SINE};
use super::stationary::{Solution, within};
use crate::spatial::Vec3;

/// The normals from which solutions are recomputed are rounded to multiples of its inverse.
const GRID: f64 = (1 << 20) as f64;
/// In units of round-off. CLEARLY: least depth of a contact that is reused. ALONE: least difference to the
/// depths of all other features.
const CLEARLY: f64 = 1e3;
const ALONE: f64 = 4.0;
/// Relative to a shape's size: two searches differ by less than this.
const WELL_WITHIN: f64 = 1e-6;

impl Bodies<'_> {
    /// The last query's contact, moved with the bodies. `None` unless a cold search would certainly find
    /// the same contact.
    pub(super) fn solve_again(&self, rounding: f64, memory: &mut Memory) -> Option<Solution> {
        let cage = memory.known_cage()?;
        let (spots, normal) = cage.solution()?;
        let s = self.refine(spots, normal, rounding)?;
        let beyond = ALONE * rounding - s.gap;
        let holds = s.settled
            && s.sharp
            && is_surely_rounded(s.normal)
            && self.is_alone(&s, rounding)
            && cage.is_deeper(&self.b_in_a, s.normal, beyond);
        if !holds {
            return None;
        }
        let s = self.canonical(&s, rounding)?;
        cage.turn(s.normal);
        Some(s)
    }

    /// A settled solution recomputed from its rounded normal, so that it is the same to the last bit for
    /// every start of the search. `None` if the recomputed solution is another one.
    pub(super) fn canonical(&self, s: &Solution, rounding: f64) -> Option<Solution> {
        if s.spots
            .iter()
            .any(|s| matches!(s, Spot::Face(_) | Spot::Cap(_)))
        {
            // The normal is that of the face or cap, and the same for every search.
            return Some(*s);
        }
        let [x, y, z] = s.normal.to_array().map(|x| (x * GRID).round());
        let n = Vec3::new(x, y, z).normalized()?;
        self.refine(s.spots, n, rounding).filter(|s| s.settled)
    }

    /// Whether the shapes clearly overlap in a point well within both features, and no other features
    /// nearby have nearly the same depth.
    pub(super) fn is_alone(&self, s: &Solution, rounding: f64) -> bool {
        let Some(point) = s.point else {
            return false;
        };
        let arm = s.normal * (0.5 * s.gap);
        let (xa, xb) = (point - arm, self.b_in_a.inverse_point(point + arm));
        let rot = &self.b_in_a.rot;
        let against = -rot.tr_mul_vec(s.normal);
        let mut alone = -s.gap > CLEARLY * rounding
            && stands_out(self.a, s.spots[0], s.normal, xa)
            && stands_out(self.b, s.spots[1], against, xb);
        if alone {
            let mut test = |n: Vec3| alone &= self.separation(n) < s.gap - ALONE * rounding;
            rivals(self.a, s.spots[0], s.normal, &mut test);
            rivals(self.b, s.spots[1], against, |n| test(-rot.mul_vec(n)));
        }
        alone
    }
}

/// Whether a point (body frame) lies well within its feature, and the outward normal `n` is far from
/// where the features at its borders begin. False for meshes, which have too many features to test.
fn stands_out(c: &Convex, spot: Spot, n: Vec3, x: Vec3) -> bool {
    // Whether n is not nearly perpendicular to this axis.
    let leans = |along: f64| along.abs() > ALIKE_SINE;
    within(c, spot, x, -WELL_WITHIN * c.size())
        && match (spot, &c.kind) {
            (Spot::Rim(_), _) => leans(n.z),
            (_, Kind::Hull { .. }) if c.hull.half_extents().is_none() => false,
            (Spot::Vertex(_), _) => leans(n.x) && leans(n.y) && leans(n.z),
            _ => true,
        }
}

/// Outward normals (body frame) of the faces or caps near `n` other than the feature of the contact.
fn rivals(c: &Convex, spot: Spot, n: Vec3, mut offer: impl FnMut(Vec3)) {
    let axes = match (spot, &c.kind) {
        (Spot::Face(_) | Spot::Cap(_), _) => 0..0,
        (_, Kind::Hull { .. }) => 0..3,
        (_, Kind::Cylinder { .. }) => 2..3,
        _ => 0..0,
    };
    for k in axes {
        if n[k].abs() > 1.0 - ALIKE {
            offer(Vec3::unit(k) * n[k].signum());
        }
    }
}

/// Whether every other search for this normal rounds it to the same one in [`Bodies::canonical`].
fn is_surely_rounded(n: Vec3) -> bool {
    n.to_array().iter().all(|x| {
        let x = x * GRID;
        (x - x.round()).abs() < 0.5 - 1e-3
    })
}
