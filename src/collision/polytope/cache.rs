//! Warm start of the narrow phase: the memory that a query on a pair of shapes leaves for the next one.
//!
//! The narrow phase of the scene keeps one [`PairCache`] a pair and shares one [`Depths`] among all
//! pairs.

use super::bodies::Bodies;
use super::cage::Cage;
use super::convex::{Convex, Kind};
use super::gjk::{self, Proximity, Simplex, SupportMap, Vertex};
use super::pair::Pair;
use super::shell::Shell;
use crate::spatial::Vec3;

/// Relative accuracy of the distance along a separating axis.
const ROUGHLY: f64 = 1e-2;
/// An old axis counts as separating if the gap along it exceeds the margin by this multiple of the
/// round-off.
const CLEAR: f64 = 4.0;

/// The end of the last query on a pair, from which the next query starts. The result does not depend on the
/// cache, to the last bit: if another start could lead to other features (a tie), the query is a cold
/// search. Any pair may start from the default or from another pair's cache.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairCache {
    /// Separating axis: unit, A's frame. Zero if none is known.
    axis: Vec3,
    /// The vertices of A and B nearest to each other along the axis.
    near: [u16; 2],
    /// Vertices of A and B that make the simplex on which the last search ended; the first `len` are
    /// valid.
    simplex: [[u16; 2]; 4],
    len: u8,
    /// Index of the pair's entry in [`Depths`]. It is valid if the entry's owner is this pair.
    deep: u16,
    /// Number of successive warm-started searches that failed, and number of the next queries that skip the
    /// warm start.
    doubts: u8,
    spared: u8,
}

/// Each failure doubles the number of skipped searches, up to 2 to this power. Without a bound, flush
/// faces, which fail while they lie still, would never be tried again.
const MOST_DOUBTS: u8 = 4;

impl PairCache {
    /// Whether the axis of the last query still separates the shapes by more than the margin.
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

    /// Searches for a separating axis.
    pub(super) fn look_apart(&mut self, bodies: &Bodies, rounding: f64) {
        let start = Simplex::default();
        if let Proximity::Apart { simplex, normal } =
            gjk::distance(bodies, start, f64::INFINITY, rounding, ROUGHLY)
        {
            self.axis = normal;
            self.near = [simplex.vertices[0].a, simplex.vertices[0].b];
        }
    }

    /// Whether to search from the end of the last query. If not, the search is cold.
    pub(super) fn is_promising(&mut self) -> bool {
        let promising = self.len > 0 && self.spared == 0;
        self.spared = self.spared.saturating_sub(1);
        promising
    }

    /// Records whether the warm-started search found the result.
    pub(super) fn learn(&mut self, settled: bool) {
        self.doubts = match settled {
            true => 0,
            false => (self.doubts + 1).min(MOST_DOUBTS),
        };
        self.spared = (1 << self.doubts) - 1;
    }

    pub(super) fn remember(&mut self, s: &Simplex) {
        for (id, v) in self.simplex.iter_mut().zip(s.as_slice()) {
            *id = [v.a, v.b];
        }
        self.len = s.len as u8;
    }

    /// The stored simplex at this placement. Vertices that the hulls do not have are left out.
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

/// Memory of one overlapping pair of shapes.
#[derive(Clone, Debug)]
struct Deep {
    owner: u64,
    shell: Shell,
    cage: Cage,
}

/// Memory of a few overlapping pairs. A new pair replaces the one with the oldest entry. As with
/// [`PairCache`], the result does not depend on it.
#[derive(Debug)]
pub struct Depths {
    /// Entries used so far, with capacity for `most`.
    places: Vec<Deep>,
    most: usize,
    next: usize,
}

impl Depths {
    /// With zero places nothing is kept, and nothing is allocated.
    pub fn new(places: usize) -> Depths {
        Depths {
            places: Vec::with_capacity(places),
            most: places,
            next: 0,
        }
    }

    pub fn forget(&mut self) {
        self.places.clear();
        self.next = 0;
    }

    /// Clears the next entry, gives it to a new owner and returns its index; `None` with zero places.
    fn take(&mut self, owner: u64) -> Option<u16> {
        let i = self.next;
        if i == self.places.len() && i < self.most {
            self.places.push(Deep {
                owner,
                shell: Shell::default(),
                cage: Cage::default(),
            });
        }
        let deep = self.places.get_mut(i)?;
        deep.owner = owner;
        deep.shell.clear();
        deep.cage.clear();
        self.next = (i + 1) % self.most;
        Some(i as u16)
    }
}

/// The memory of one pair of shapes. `key` identifies the pair in `depths`.
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

    /// The pair's entry, or a new one; `None` with zero places.
    fn claim(&mut self) -> Option<&mut Deep> {
        if self.known().is_none() {
            self.cache.deep = self.depths.take(self.key)?;
        }
        self.known()
    }

    /// The memory of two hulls; taken if there is none.
    pub(super) fn shell(&mut self) -> Option<&mut Shell> {
        self.claim().map(|d| &mut d.shell)
    }

    /// The memory of two hulls, if an earlier query left one.
    pub(super) fn known_shell(&mut self) -> Option<&mut Shell> {
        self.known().map(|d| &mut d.shell)
    }

    /// The memory of two shapes of which one is curved; taken if there is none.
    pub(super) fn cage(&mut self) -> Option<&mut Cage> {
        self.claim().map(|d| &mut d.cage)
    }

    /// The memory of two shapes of which one is curved, if an earlier query left one.
    pub(super) fn known_cage(&mut self) -> Option<&mut Cage> {
        self.known().map(|d| &mut d.cage)
    }
}

/// The vertex, or vertex 0 if the shape's hull has no such vertex.
fn known(c: &Convex, vertex: u16) -> u16 {
    match c.kind {
        Kind::Hull { .. } if usize::from(vertex) >= c.hull.vertices().len() => 0,
        _ => vertex,
    }
}
