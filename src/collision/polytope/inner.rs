//! Polytopes inside the Minkowski difference of curved bodies, which approximate it from inside.

use super::epa::{COPLANAR, FEW, Facet, Polytope};
use super::gjk::{Simplex, SupportMap, Vertex};
use crate::spatial::Vec3;

/// Relative to the sizes of curved shapes. BARELY: how much deeper than the contact all other
/// directions must be for the polytope to be kept. WELL: how much deeper they are made if a few more
/// vertices suffice.
const BARELY: f64 = 1e-5;
const WELL: f64 = 2e-2;

/// Most corners of a cage.
pub(super) const CORNERS: usize = 40;
/// 1 − cosine of the angle to a solution within which no other solution is searched for.
pub(super) const ALIKE: f64 = 5e-5;
/// The sine of that angle.
pub(super) const ALIKE_SINE: f64 = 0.01;

pub(super) type Inner = Polytope<FEW, { 2 * FEW }>;

impl Inner {
    /// Grows a new polytope until the facets about as near to the origin as the nearest one are at most
    /// `tolerance` below the boundary, and gives their places. Returns false if the growth is cut
    /// short; the nearest facets are the best guess even then.
    pub fn approach(
        &mut self,
        map: &impl SupportMap,
        tolerance: f64,
        mut found: impl FnMut(usize),
    ) -> bool {
        self.clear();
        if self.begin(map, &Simplex::default()).is_none() {
            return false;
        }
        let whole = self.grow(map, tolerance, tolerance).is_ok();
        let least = self.facets().fold(f64::INFINITY, |m, f| m.min(f.offset));
        for (i, f) in self.facets.iter().enumerate() {
            if f.alive && f.offset <= least + 2.0 * tolerance {
                found(i);
            }
        }
        whole
    }

    /// Pushes out the facets that do not face along `normal` until they are deeper than `depth`, and
    /// well deeper if a few more vertices suffice. Returns false if some are not deeper. `size`: sum of
    /// both bodies' sizes.
    pub fn enclose(&mut self, map: &impl SupportMap, normal: Vec3, depth: f64, size: f64) -> bool {
        let (barely, well) = (depth + BARELY * size, depth + WELL * size);
        self.facets.iter_mut().for_each(|f| f.closed = false);
        let aside = |f: &Facet| f.alive && f.normal.dot(normal) < 1.0 - ALIKE;
        while self.vertices.len() < CORNERS {
            let mut pick = None;
            let mut nearest = well;
            for (i, f) in self.facets.iter().enumerate() {
                if aside(f) && !f.closed && f.offset < nearest {
                    nearest = f.offset;
                    pick = Some(i);
                }
            }
            let Some(i) = pick else {
                break;
            };
            let f = self.facets[i];
            let near = self.vertices[usize::from(f.corners[0])];
            let w = map.support(f.normal, Some(near));
            let gain = f.normal.dot(w.w) - f.offset;
            let worth = (0.1 * (well - f.offset)).max(0.25 * BARELY * size);
            if gain > worth || f.offset < barely && gain > 0.25 * BARELY * size {
                if self.add(w, i, COPLANAR * BARELY * size).is_none() {
                    return false;
                }
            } else {
                self.facets[i].closed = true;
            }
        }
        self.facets.iter().all(|f| !aside(f) || f.offset > barely)
    }

    /// The facets of the surface, in order of their places.
    pub fn facets(&self) -> impl Iterator<Item = &Facet> {
        self.facets.iter().filter(|f| f.alive)
    }

    pub fn normal(&self, place: usize) -> Vec3 {
        self.facets[place].normal
    }

    pub fn corners(&self, place: usize) -> [Vertex; 3] {
        self.corners_of(&self.facets[place])
    }
}
