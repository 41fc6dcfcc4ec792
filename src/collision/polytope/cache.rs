//! What a query on a pair of shapes leaves for the next one.

use super::cage::Cage;
use super::convex::{Convex, Kind};
use super::curved::Bodies;
use super::expand::Shell;
use super::gjk::{self, Proximity, Simplex, SupportMap, Vertex};
use super::pair::Pair;
use crate::spatial::Vec3;

/// Relative accuracy of the distance along the axis that keeps two shapes apart.
const ROUGHLY: f64 = 1e-2;
/// In roundings: by this much more than the margin shapes must be apart along an old axis.
const CLEAR: f64 = 4.0;

/// Where the last query on a pair ended, for the next one to start from. What is found does not
/// depend on it, to the last bit: where another start could lead to other features (a tie), the
/// query starts afresh. Any pair may start from the default, or from what another pair left.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairCache {
    /// Unit, A's frame: the shapes were apart along it; else zero.
    axis: Vec3,
    /// The vertices of A and B nearest to each other along it.
    near: [u16; 2],
    /// Vertices of A and B that make the simplex on which the search ended.
    simplex: [[u16; 2]; 4],
    len: u8,
    /// Where [`Depths`] may have more.
    deep: u16,
}

impl PairCache {
    /// Whether the shapes are apart by more than the margin along the axis of the last query.
    #[inline]
    pub(super) fn keeps_apart(&mut self, bodies: &Bodies, margin: f64, rounding: f64) -> bool {
        if self.axis == Vec3::ZERO {
            return false;
        }
        let [a, b] = self.near;
        let near = Vertex {
            a: known(bodies.a, a),
            b: known(bodies.b, b),
            ..Vertex::default()
        };
        let v = bodies.support(self.axis, Some(near));
        let gap = -v.w.dot(self.axis) - bodies.a.radius() - bodies.b.radius();
        self.near = [v.a, v.b];
        let apart = gap > margin + CLEAR * rounding;
        if !apart {
            self.axis = Vec3::ZERO;
        }
        apart
    }

    /// Looks for an axis that keeps the shapes apart.
    pub(super) fn look_apart(&mut self, bodies: &Bodies, rounding: f64) {
        let start = Simplex::default();
        if let Proximity::Apart { simplex, normal } =
            gjk::distance(bodies, start, f64::INFINITY, rounding, ROUGHLY)
        {
            self.axis = normal;
            self.near = [simplex.vertices[0].a, simplex.vertices[0].b];
        }
    }

    pub(super) fn remember(&mut self, s: &Simplex) {
        for (id, v) in self.simplex.iter_mut().zip(s.as_slice()) {
            *id = [v.a, v.b];
        }
        self.len = s.len as u8;
    }

    /// The simplex at this placement, without vertices that the hulls do not have.
    pub(super) fn recall(&self, pair: &Pair) -> Simplex {
        let mut s = Simplex::default();
        let ids = &self.simplex[..usize::from(self.len)];
        for (k, &[a, b]) in ids.iter().enumerate() {
            if pair.has(a, b) && !ids[..k].contains(&[a, b]) {
                s.push(pair.vertex(a, b));
            }
        }
        s
    }
}

/// The key of no pair.
const NOBODY: u64 = u64::MAX;

/// What a query on a pair that overlaps leaves for the next one on the same two shapes.
#[derive(Clone, Debug)]
struct Deep {
    owner: u64,
    shell: Shell,
    cage: Cage,
}

/// Places for what the queries on a few overlapping pairs leave. The pair that took one longest ago
/// loses it first. As with [`PairCache`], what is found does not depend on it.
#[derive(Clone, Debug)]
pub struct Depths {
    places: Vec<Deep>,
    next: usize,
}

impl Depths {
    /// Without places nothing is kept, and nothing is allocated.
    pub fn new(places: usize) -> Depths {
        let empty = Deep {
            owner: NOBODY,
            shell: Shell::default(),
            cage: Cage::default(),
        };
        Depths {
            places: vec![empty; places],
            next: 0,
        }
    }

    pub fn forget(&mut self) {
        self.places.iter_mut().for_each(|p| p.owner = NOBODY);
    }
}

/// The memory of one pair of shapes, which `key` tells from all others in `depths`; not `u64::MAX`.
#[derive(Debug)]
pub struct Memory<'a> {
    pub cache: &'a mut PairCache,
    pub depths: &'a mut Depths,
    pub key: u64,
}

impl Memory<'_> {
    fn known(&mut self) -> Option<&mut Deep> {
        let deep = self.depths.places.get_mut(usize::from(self.cache.deep))?;
        (deep.owner == self.key).then_some(deep)
    }

    /// What is known, or a new one; `None` where there are no places.
    fn claim(&mut self) -> Option<&mut Deep> {
        if self.known().is_none() {
            let Depths { places, next } = &mut *self.depths;
            let deep = places.get_mut(*next)?;
            deep.owner = self.key;
            deep.shell.clear();
            deep.cage.clear();
            self.cache.deep = *next as u16;
            *next = (*next + 1) % places.len();
        }
        self.known()
    }

    /// The memory of two hulls.
    pub(super) fn shell(&mut self) -> Option<&mut Shell> {
        self.claim().map(|d| &mut d.shell)
    }

    /// The same, where an earlier query has left one.
    pub(super) fn known_shell(&mut self) -> Option<&mut Shell> {
        self.known().map(|d| &mut d.shell)
    }

    /// The memory of two shapes one of which is curved.
    pub(super) fn cage(&mut self) -> Option<&mut Cage> {
        self.claim().map(|d| &mut d.cage)
    }

    /// The same, where an earlier query has left one.
    pub(super) fn known_cage(&mut self) -> Option<&mut Cage> {
        self.known().map(|d| &mut d.cage)
    }
}

/// The vertex, or the first one where the shape's hull has no such vertex.
fn known(c: &Convex, vertex: u16) -> u16 {
    match c.kind {
        Kind::Hull { .. } if usize::from(vertex) >= c.hull.vertices().len() => 0,
        _ => vertex,
    }
}
