//! What a query on a pair of shapes leaves for the next one.

use super::bodies::Bodies;
use super::cage::Cage;
use super::convex::{Convex, Kind};
use super::gjk::{self, Proximity, Simplex, SupportMap, Vertex};
use super::pair::Pair;
use super::shell::Shell;
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
    /// Searches from the last one's end that came to nothing, one after the other, and how many more are spared.
    doubts: u8,
    spared: u8,
}

/// Twice as many searches are spared each time, up to 2 to this power: flush faces stay in doubt as they lie.
const MOST_DOUBTS: u8 = 4;

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

    /// Whether to search from where the last query ended, rather than afresh at once.
    pub(super) fn is_promising(&mut self) -> bool {
        let promising = self.len > 0 && self.spared == 0;
        self.spared = self.spared.saturating_sub(1);
        promising
    }

    /// Whether such a search has settled what is found.
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

/// What a query on a pair that overlaps leaves for the next one on the same two shapes.
#[derive(Clone, Debug)]
struct Deep {
    owner: u64,
    shell: Shell,
    cage: Cage,
}

/// Places for what the queries on a few overlapping pairs leave. The pair that took one longest ago
/// loses it first. As with [`PairCache`], what is found does not depend on it.
#[derive(Debug)]
pub struct Depths {
    /// Those that were needed; there is room for all.
    places: Vec<Deep>,
    most: usize,
    next: usize,
}

impl Depths {
    /// Without places nothing is kept, and nothing is allocated.
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

    /// The next place, emptied for a new owner, and its number; `None` where there are no places.
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

/// The memory of one pair of shapes, which `key` tells from all others in `depths`.
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
            self.cache.deep = self.depths.take(self.key)?;
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
