//! EPA: the least depth of two overlapping polytopes.
//!
//! A polytope inside their Minkowski difference grows until the facet nearest to the origin lies on the
//! boundary. This is the expanding-polytope algorithm (van den Bergen, "Proximity queries and
//! penetration depth computation on 3D game objects", GDC 2001) with two changes for touching and
//! face-on-face poses:
//!
//! - The first tetrahedron grows about the inside of the difference, wherever the origin lies, so that
//!   no simplex collapses on the origin.
//! - The facets found only name features, from which the axes are computed again. The result thus does
//!   not depend on the path of the search.

use super::array_vec::ArrayVec;
use super::gjk::{Simplex, SupportMap, Vertex};
use crate::spatial::Vec3;

/// Vertices that nearly always suffice. A smaller polytope is faster to set up.
pub(super) const FEW: usize = 64;
/// Relative to the tolerance: a plane nearer than this to a point counts as passing through it.
pub(super) const COPLANAR: f64 = 1e-3;
/// Relative volume of a tetrahedron (like a sine) below which the last query's is not reused.
const FLAT: f64 = 1e-3;

#[derive(Clone, Copy, Default)]
pub(super) struct Facet {
    /// Outwards, unit.
    pub normal: Vec3,
    /// Depth of the origin under the facet.
    pub offset: f64,
    pub corners: [u8; 3],
    /// The facets across the sides that start at each corner.
    pub across: [u8; 3],
    pub alive: bool,
    /// Known to lie on the boundary of the difference.
    pub closed: bool,
}

/// Reason why facets near the least depth do not lie on the boundary of the difference.
pub(super) enum Unbounded {
    /// The search needs more vertices than the capacity.
    Full,
    /// Rounding broke the surface.
    Broken,
}

/// A polytope inside a Minkowski difference that grows towards its boundary.
pub(super) struct Polytope<const V: usize, const F: usize> {
    pub vertices: ArrayVec<Vertex, V>,
    pub facets: ArrayVec<Facet, F>,
    free: ArrayVec<u8, F>,
}

/// Whether a simplex is a tetrahedron with enough volume.
fn sound(s: &Simplex) -> bool {
    if s.len < 4 {
        return false;
    }
    let [a, b, c, d] = s.vertices.map(|v| v.w);
    let (u, v, w) = (b - a, c - a, d - a);
    u.dot(v.cross(w)).abs() > FLAT * u.norm() * v.norm() * w.norm()
}

/// A tetrahedron with vertices on the boundary of the difference, the widest from a few directions.
fn around(pair: &impl SupportMap) -> Option<Simplex> {
    let mut s = Simplex::default();
    let d = pair.outlook().normalized().unwrap_or(Vec3::Z);
    let top = pair.support(d, None);
    let bottom = pair.support(-d, None);
    let axis = (bottom.w - top.w).normalized()?;
    let least = if axis.x.abs() <= axis.y.abs().min(axis.z.abs()) {
        Vec3::X
    } else if axis.y.abs() <= axis.z.abs() {
        Vec3::Y
    } else {
        Vec3::Z
    };
    let e1 = axis.cross(least).normalized()?;
    let e2 = axis.cross(e1);
    let mut side: Option<(f64, Vertex)> = None;
    for e in [e1, -e1, e2, -e2] {
        let v = pair.support(e, None);
        let distance = (v.w - top.w).cross(axis).norm();
        if side.is_none_or(|s| distance > s.0) {
            side = Some((distance, v));
        }
    }
    let (_, side) = side?;
    let n = (side.w - top.w).cross(axis).normalized()?;
    let (over, under) = (pair.support(n, None), pair.support(-n, None));
    let height = |v: Vertex| (v.w - top.w).dot(n).abs();
    let last = if height(over) >= height(under) {
        over
    } else {
        under
    };
    for v in [top, bottom, side, last] {
        s.push(v);
    }
    Some(s)
}

impl<const V: usize, const F: usize> Polytope<V, F> {
    pub fn new() -> Self {
        Polytope {
            vertices: ArrayVec::new(),
            facets: ArrayVec::new(),
            free: ArrayVec::new(),
        }
    }

    pub fn clear(&mut self) {
        self.vertices.clear();
        self.facets.clear();
        self.free.clear();
    }

    /// Starts from the tetrahedron of an earlier result, or from a new one.
    pub fn begin(&mut self, map: &impl SupportMap, start: &Simplex) -> Option<()> {
        if sound(start) {
            self.tetrahedron(start)
        } else {
            self.tetrahedron(&around(map)?)
        }
    }

    /// Pushes out facets until those within `window` of the nearest are less than `tolerance` below the
    /// boundary. Returns the offset of the nearest.
    pub fn grow(
        &mut self,
        map: &impl SupportMap,
        tolerance: f64,
        window: f64,
    ) -> Result<f64, Unbounded> {
        let mut least = f64::INFINITY;
        loop {
            let mut pick = None;
            let mut depth = least + window;
            for (i, f) in self.facets.iter().enumerate() {
                if f.alive && !f.closed && f.offset <= depth {
                    depth = f.offset;
                    pick = Some(i);
                }
            }
            let Some(i) = pick else {
                return Ok(least);
            };
            let f = self.facets[i];
            let near = self.vertices[usize::from(f.corners[0])];
            let w = map.support(f.normal, Some(near));
            let known = self.vertices.iter().any(|v| v.w == w.w);
            if known || f.normal.dot(w.w) - f.offset <= tolerance {
                self.facets[i].closed = true;
                least = least.min(f.offset);
            } else if self.vertices.len() == V {
                return Err(Unbounded::Full);
            } else if self.add(w, i, COPLANAR * tolerance).is_none() {
                return Err(Unbounded::Broken);
            }
        }
    }

    fn tetrahedron(&mut self, s: &Simplex) -> Option<()> {
        for v in s.vertices {
            self.vertices.push(v)?;
        }
        let [a, b, c, d] = s.vertices.map(|v| v.w);
        if (b - a).dot((c - a).cross(d - a)) > 0.0 {
            self.vertices.swap(2, 3);
        }
        // Corners 1 2 3 are now counter-clockwise seen from outside, opposite corner 0.
        for (corners, across) in [
            ([0, 1, 2], [1, 2, 3]),
            ([0, 3, 1], [3, 2, 0]),
            ([1, 3, 2], [1, 3, 0]),
            ([0, 2, 3], [0, 2, 1]),
        ] {
            let i = self.facet(corners)?;
            self.facets[i].across = across;
        }
        Some(())
    }

    /// Adds a facet in a free place; `None` if there is no place or the facet has no area.
    pub fn facet(&mut self, corners: [u8; 3]) -> Option<usize> {
        let [a, b, c] = corners.map(|i| self.vertices[usize::from(i)].w);
        let normal = (b - a).cross(c - a).normalized()?;
        let facet = Facet {
            normal,
            offset: normal.dot(a + b + c) / 3.0,
            corners,
            across: [0; 3],
            alive: true,
            closed: false,
        };
        Some(match self.free.pop() {
            Some(i) => {
                self.facets[usize::from(i)] = facet;
                usize::from(i)
            }
            None => {
                self.facets.push(facet)?;
                self.facets.len() - 1
            }
        })
    }

    /// Adds a vertex beyond facet `seen`: removes the facets that the vertex sees, and joins it to the
    /// outline of the hole.
    pub fn add(&mut self, w: Vertex, seen: usize, coplanar: f64) -> Option<()> {
        let apex = self.vertices.len() as u8;
        self.vertices.push(w)?;
        // Depth first around each removed facet, so that the outline comes out in order.
        let mut outline = ArrayVec::<(u8, u8), F>::new();
        let mut stack = ArrayVec::<(u8, u8), F>::new();
        self.remove(seen);
        for k in (0..3u8).rev() {
            stack.push((seen as u8, k))?;
        }
        while let Some((from, side)) = stack.pop() {
            let g = self.facets[usize::from(from)].across[usize::from(side)];
            let f = &self.facets[usize::from(g)];
            if !f.alive {
                continue;
            }
            let back = f.across.iter().position(|&x| x == from)?;
            if f.normal.dot(w.w) - f.offset > -coplanar {
                self.remove(usize::from(g));
                for step in [2, 1] {
                    stack.push((g, ((back + step) % 3) as u8))?;
                }
            } else {
                outline.push((g, back as u8))?;
            }
        }
        if outline.len() < 3 {
            return None;
        }
        // Free the removed places only now: the search above still reads them.
        for (i, f) in self.facets.iter_mut().enumerate() {
            if !f.alive && f.closed {
                f.closed = false;
                self.free.push(i as u8)?;
            }
        }
        let mut first = 0;
        let mut last = 0;
        let mut end = 0u8;
        let mut begin = 0u8;
        for (k, &(g, side)) in outline.iter().enumerate() {
            // The side of the remaining facet, in the opposite direction.
            let f = self.facets[usize::from(g)];
            let from = f.corners[(usize::from(side) + 1) % 3];
            let to = f.corners[usize::from(side)];
            let i = self.facet([from, to, apex])?;
            self.facets[i].across[0] = g;
            self.facets[usize::from(g)].across[usize::from(side)] = i as u8;
            if k == 0 {
                (first, begin) = (i, from);
            } else {
                if from != end {
                    return None;
                }
                self.facets[i].across[2] = last as u8;
                self.facets[last].across[1] = i as u8;
            }
            (last, end) = (i, to);
        }
        if end != begin {
            return None;
        }
        self.facets[first].across[2] = last as u8;
        self.facets[last].across[1] = first as u8;
        Some(())
    }

    /// Removes a facet from the surface. `closed` marks its place as not yet free.
    fn remove(&mut self, i: usize) {
        self.facets[i].alive = false;
        self.facets[i].closed = true;
    }

    pub fn corners_of(&self, f: &Facet) -> [Vertex; 3] {
        f.corners.map(|c| self.vertices[usize::from(c)])
    }
}
