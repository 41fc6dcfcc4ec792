//! Warm start for overlapping hulls: the polytope inside their Minkowski difference from the last query.

use super::array_vec::ArrayVec;
use super::axis::Axis;
use super::epa::Polytope;
use super::gjk::{Simplex, SupportMap};
use super::pair::Pair;
use crate::spatial::Vec3;

/// Most vertices of a polytope that is kept.
const KEPT: usize = 48;
/// An axis is alone if no other axis has the same depth up to this multiple of the round-off.
const ALONE: f64 = 4.0;

/// Which axes count as axes of least depth.
pub(super) struct Sought {
    /// Depths that differ by less are equal.
    pub rounding: f64,
    /// Facets up to this much deeper than the least one are examined.
    pub window: f64,
    /// Whether all examined facets must name the same axis.
    pub alone: bool,
}

impl Sought {
    pub fn alone(rounding: f64) -> Sought {
        Sought {
            rounding,
            window: ALONE * rounding,
            alone: true,
        }
    }

    /// How far below the boundary of the difference a facet may lie.
    pub fn tolerance(&self) -> f64 {
        0.1 * self.rounding
    }
}

/// The polytope of an earlier query: its vertices, by the vertices of A and B that make them, and its
/// facets.
#[derive(Clone, Debug)]
pub struct Shell {
    vertices: ArrayVec<[u16; 2], KEPT>,
    facets: ArrayVec<ShellFacet, { 2 * KEPT }>,
}

#[derive(Clone, Copy, Debug)]
struct ShellFacet {
    corners: [u8; 3],
    across: [u8; 3],
}

impl Default for Shell {
    fn default() -> Shell {
        Shell {
            vertices: ArrayVec::new(),
            facets: ArrayVec::new(),
        }
    }
}

impl Shell {
    pub fn clear(&mut self) {
        self.vertices.clear();
        self.facets.clear();
    }
}

impl Shell {
    /// The axis of least depth, if the stored facets prove it at this placement. `Some(None)` if
    /// another axis is nearly as good. `None` if facets must be pushed out to decide.
    ///
    /// The facets need not be convex. If they enclose the origin and none is nearer than the least one,
    /// no direction leaves the difference on a shorter way.
    pub(super) fn settle(
        &self,
        pair: &Pair,
        found: &mut Simplex,
        sought: &Sought,
    ) -> Option<Option<Axis>> {
        let mut corners = ArrayVec::<Vec3, KEPT>::new();
        for &[a, b] in self.vertices.iter() {
            pair.has(a, b).then_some(())?;
            corners.push(pair.vertex(a, b).w)?;
        }
        let mut offsets = ArrayVec::<f64, { 2 * KEPT }>::new();
        let mut least = f64::INFINITY;
        for f in self.facets.iter() {
            let [p, q, r] = f.corners.map(|c| corners[usize::from(c)]);
            let out = (q - p).cross(r - p);
            let height = out.dot(p + q + r) / 3.0;
            if height.is_nan() || height <= 0.0 {
                return None;
            }
            let offset = height / out.norm();
            least = least.min(offset);
            offsets.push(offset)?;
        }
        let mut axis: Option<Axis> = None;
        for (f, &offset) in self.facets.iter().zip(offsets.iter()) {
            if offset > least + sought.window {
                continue;
            }
            let near = f.corners.map(|c| {
                let [a, b] = self.vertices[usize::from(c)];
                pair.vertex(a, b)
            });
            let [p, q, r] = near.map(|v| v.w);
            let normal = (q - p).cross(r - p).normalized()?;
            let w = pair.support(normal, Some(near[0])).w;
            if normal.dot(w) - offset > sought.tolerance() {
                return None;
            }
            let named = pair.axis_of(&near, normal);
            let Some(named) = named.filter(|a| pair.bears(a, offset, sought.rounding)) else {
                return Some(None);
            };
            if axis.is_some_and(|a| !a.same_features(&named)) {
                return Some(None);
            }
            if axis.is_none() {
                axis = Some(named);
                let heights = corners.iter().map(|w| normal.dot(*w)).enumerate();
                let (behind, _) = heights.min_by(|x, y| x.1.total_cmp(&y.1))?;
                let [a, b] = self.vertices[behind];
                *found = Simplex::default();
                near.into_iter().for_each(|v| found.push(v));
                found.push(pair.vertex(a, b));
            }
        }
        axis.map(Some)
    }
}

impl<const V: usize, const F: usize> Polytope<V, F> {
    /// Restores the polytope of an earlier query. `None` if there is none, or if with its vertices at
    /// this placement it does not contain the origin or is not convex to within `tolerance`.
    pub(super) fn resume(&mut self, pair: &Pair, shell: &Shell, tolerance: f64) -> Option<()> {
        if shell.facets.is_empty() {
            return None;
        }
        for &[a, b] in shell.vertices.iter() {
            pair.has(a, b).then_some(())?;
            self.vertices.push(pair.vertex(a, b))?;
        }
        for f in shell.facets.iter() {
            let i = self.facet(f.corners)?;
            self.facets[i].across = f.across;
        }
        let convex = self.facets.iter().all(|f| {
            f.offset > 0.0
                && f.across.iter().all(|&g| {
                    let corners = self.facets[usize::from(g)].corners;
                    let opposite = corners.iter().find(|&c| !f.corners.contains(c));
                    opposite.is_some_and(|&c| {
                        f.normal.dot(self.vertices[usize::from(c)].w) - f.offset <= tolerance
                    })
                })
        });
        convex.then_some(())
    }

    /// Stores the polytope for [`Polytope::resume`]; stores nothing if it is too large.
    pub(super) fn keep(&self, shell: &mut Shell) {
        shell.clear();
        if self.kept(shell).is_none() {
            shell.clear();
        }
    }

    fn kept(&self, shell: &mut Shell) -> Option<()> {
        const NONE: u8 = u8::MAX;
        let mut vertex = [NONE; V];
        let mut place = [NONE; F];
        let alive = || self.facets.iter().enumerate().filter(|(_, f)| f.alive);
        for (k, (i, _)) in alive().enumerate() {
            place[i] = k as u8;
        }
        for (_, f) in alive() {
            let mut corners = [0; 3];
            for (to, &c) in corners.iter_mut().zip(&f.corners) {
                let known = &mut vertex[usize::from(c)];
                if *known == NONE {
                    *known = shell.vertices.len() as u8;
                    let v = &self.vertices[usize::from(c)];
                    shell.vertices.push([v.a, v.b])?;
                }
                *to = *known;
            }
            shell.facets.push(ShellFacet {
                corners,
                across: f.across.map(|g| place[usize::from(g)]),
            })?;
        }
        Some(())
    }
}
