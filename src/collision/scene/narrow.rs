//! The narrow phase of any two geoms: dispatches contacts, closest points and derivatives to the module
//! for the pair.

use super::solid::Solid;
use crate::collision::polytope::{
    self, Convex, Depths, MAX_POINTS, Memory, PairCache, Terrain, TerrainContact, collide_plane,
    differentiate_plane,
};
use crate::collision::primitive;
use crate::collision::{Approach, ContactDerivative, ContactPoint, Shape, Smoothness};
use crate::spatial::{Pose, Vec3};

/// Buffers for the points of two convex parts, and the warm starts of their searches.
#[derive(Debug)]
pub(super) struct Buffers {
    primitive: primitive::Manifold,
    polytope: polytope::Manifold,
    terrain: [TerrainContact; MAX_POINTS],
    caches: Caches,
}

impl Buffers {
    /// With memory for the searches on about this many pairs of convex parts.
    pub fn new(pairs: usize) -> Buffers {
        Buffers {
            primitive: primitive::Manifold::default(),
            polytope: polytope::Manifold::default(),
            terrain: [TerrainContact::default(); MAX_POINTS],
            caches: Caches::new(pairs),
        }
    }

    /// Forgets all warm starts.
    pub fn forget(&mut self) {
        self.caches.forget();
    }
}

/// Most entries of the table of warm starts.
const MAX_PLACES: usize = 1 << 12;
/// Linear probing: a pair's entry is at most this many places behind the place of its key's hash.
const PROBES: usize = 16;
const MAX_DEEP: usize = 128;
/// The key of no pair: geom 0 does not touch itself.
const NOBODY: u64 = 0;

/// Warm starts: where the last search on each pair of parts ended. If entries run out, a later pair
/// replaces an earlier one. The contacts do not depend on this table, only the time to find them.
#[derive(Debug)]
struct Caches {
    /// The key of the pair that owns each entry.
    keys: Vec<u64>,
    places: Vec<PairCache>,
    shift: u32,
    /// Memory of pairs that overlap.
    depths: Depths,
}

impl Caches {
    fn new(pairs: usize) -> Caches {
        let n = (2 * pairs).next_power_of_two().clamp(2, MAX_PLACES);
        Caches {
            keys: vec![NOBODY; n],
            places: vec![Default::default(); n],
            shift: u64::BITS - n.trailing_zeros(),
            depths: Depths::new(pairs.min(MAX_DEEP)),
        }
    }

    fn forget(&mut self) {
        self.keys.fill(NOBODY);
        self.depths.forget();
    }

    #[inline]
    fn of(&mut self, pair: u32, part: [u32; 2]) -> Memory<'_> {
        let key = u64::from(pair) << 32 ^ u64::from(part[0]) << 16 ^ u64::from(part[1]);
        let place = self.place(key);
        let cache = &mut self.places[place];
        if self.keys[place] != key {
            (self.keys[place], *cache) = (key, PairCache::default());
        }
        Memory {
            cache,
            depths: &mut self.depths,
            key,
        }
    }

    /// The entry of a pair; for a new pair, the entry that it gets.
    #[inline]
    fn place(&self, key: u64) -> usize {
        // The golden ratio spreads neighbouring keys over all entries.
        let home = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize;
        let last = self.keys.len() - 1;
        let mut near = (home..home + PROBES).map(|i| i & last);
        near.find(|&i| self.keys[i] == key || self.keys[i] == NOBODY)
            .unwrap_or(home)
    }
}

/// The method for a pair, with its operands. This is the one table of pairs of solids: the queries of a
/// pair are matches over it.
enum Pair<'a> {
    /// `primitive` has a formula.
    Formula(&'a Shape, &'a Shape),
    /// A height field on side `on`, and the convex parts of the other solid.
    Terrain {
        field: &'a mut Terrain,
        parts: &'a [Convex],
        on: Side,
    },
    /// A plane on side `on`, and the convex parts of the other solid.
    Plane { parts: &'a [Convex], on: Side },
    /// The convex parts of both solids.
    Hulls(&'a [Convex], &'a [Convex]),
}

impl<'a> Pair<'a> {
    fn of(a: &'a mut Solid, b: &'a mut Solid) -> Pair<'a> {
        let (formula, planes) = (is_closed_form(a, b), [a.is_plane(), b.is_plane()]);
        match (formula, planes, a, b) {
            (true, _, Solid::Primitive { shape: a, .. }, Solid::Primitive { shape: b, .. }) => {
                Pair::Formula(a, b)
            }
            (_, _, Solid::Terrain(field), other) => Pair::Terrain {
                field,
                parts: parts(other),
                on: Side::A,
            },
            (_, _, other, Solid::Terrain(field)) => Pair::Terrain {
                field,
                parts: parts(other),
                on: Side::B,
            },
            (_, [true, _], _, other) => Pair::Plane {
                parts: parts(other),
                on: Side::A,
            },
            (_, [_, true], other, _) => Pair::Plane {
                parts: parts(other),
                on: Side::B,
            },
            (_, _, a, b) => Pair::Hulls(parts(a), parts(b)),
        }
    }
}

/// The side of a pair that a method takes first, while the pair is (A, B).
#[derive(Clone, Copy)]
enum Side {
    A,
    B,
}

impl Side {
    /// This side and the other one, from (A, B); and back.
    fn order<T>(self, [a, b]: [T; 2]) -> [T; 2] {
        match self {
            Side::A => [a, b],
            Side::B => [b, a],
        }
    }

    /// A point whose normal leaves this side, from one whose normal leaves A; and back.
    fn point(self, p: &ContactPoint) -> ContactPoint {
        match self {
            Side::A => *p,
            Side::B => swapped(p),
        }
    }

    fn approach(self, approach: &Approach) -> Approach {
        match self {
            Side::A => *approach,
            Side::B => approach.swapped(),
        }
    }

    /// A point's derivative for (A, B), from the one for this side first; `normal` leaves this side.
    fn derivative(self, d: ContactDerivative, normal: Vec3) -> ContactDerivative {
        match self {
            Side::A => d,
            Side::B => d.swapped(normal),
        }
    }
}

/// Number of pairs of parts with a warm-started search.
pub(super) fn searches(a: &Solid, b: &Solid) -> usize {
    match (a, b) {
        (Solid::Primitive { shape: a, .. }, Solid::Primitive { shape: b, .. })
            if closed_form(a, b) =>
        {
            0
        }
        (a, b) => parts(a).len() * parts(b).len(),
    }
}

/// Receives a point and the parts of both geoms that make it: the piece of a mesh, the triangle of a
/// height field, else 0.
pub(super) trait Sink: FnMut(ContactPoint, [u32; 2]) {}
impl<F: FnMut(ContactPoint, [u32; 2])> Sink for F {}

/// Whether contacts of the pair have the features of `primitive`.
pub(super) fn is_closed_form(a: &Solid, b: &Solid) -> bool {
    match (a, b) {
        (Solid::Primitive { shape: a, .. }, Solid::Primitive { shape: b, .. }) => closed_form(a, b),
        _ => false,
    }
}

/// Whether the pair is in the table of `primitive`. All other pairs belong to `polytope`.
fn closed_form(a: &Shape, b: &Shape) -> bool {
    let simple = |s: &Shape| {
        matches!(
            s,
            Shape::Plane | Shape::Sphere { .. } | Shape::Capsule { .. }
        )
    };
    simple(a) || simple(b)
}

/// The convex parts of a solid; none for a plane and a height field.
pub(super) fn parts(s: &Solid) -> &[Convex] {
    match s {
        Solid::Primitive { convex, .. } => convex.as_deref().map_or(&[], std::slice::from_ref),
        Solid::Pieces(p) => p,
        Solid::Terrain(_) => &[],
    }
}

fn swapped(p: &ContactPoint) -> ContactPoint {
    ContactPoint {
        normal: -p.normal,
        ..*p
    }
}

/// Gives the points that count to `sink`. Their order depends only on the poses and the motions. All
/// points of all pairs of pieces are kept. `pair` identifies the pair in the scene. No heap allocation.
pub(super) fn collide(
    a: &mut Solid,
    pose_a: &Pose,
    b: &mut Solid,
    pose_b: &Pose,
    approach: &Approach,
    pair: u32,
    buffers: &mut Buffers,
    sink: &mut impl Sink,
) {
    let sink = &mut |p: ContactPoint, part| {
        if approach.holds(&p) {
            sink(p, part);
        }
    };
    match Pair::of(a, b) {
        Pair::Formula(a, b) => {
            let m = &mut buffers.primitive;
            let sinks = approach.sinks.is_some();
            primitive::collide_sunk(a, pose_a, b, pose_b, approach.farthest, sinks, m);
            m.points().iter().for_each(|p| sink(*p, [0, 0]));
        }
        Pair::Terrain { field, parts, on } => {
            let ([own, other], approach) = (on.order([pose_a, pose_b]), on.approach(approach));
            for (k, piece) in parts.iter().enumerate() {
                let n = field.collide(own, piece, other, &approach, &mut buffers.terrain);
                for c in &buffers.terrain[..n] {
                    sink(on.point(&c.contact), on.order([c.triangle, k as u32]));
                }
            }
        }
        Pair::Plane { parts, on } => {
            let ([own, other], approach) = (on.order([pose_a, pose_b]), on.approach(approach));
            let m = &mut buffers.polytope;
            for (k, piece) in parts.iter().enumerate() {
                collide_plane(own, piece, other, &approach, m);
                for p in m.points() {
                    sink(on.point(p), on.order([0, k as u32]));
                }
            }
        }
        Pair::Hulls(pa, pb) => {
            let single = pa.len() == 1 && pb.len() == 1;
            for (i, a) in pa.iter().enumerate() {
                for (j, b) in pb.iter().enumerate() {
                    let far = |r: f64| (point(pose_a, a) - point(pose_b, b)).norm_squared() > r * r;
                    if !single && far(a.size() + b.size() + approach.farthest) {
                        continue;
                    }
                    let m = &mut buffers.polytope;
                    let at = [i as u32, j as u32];
                    let mut memory = buffers.caches.of(pair, at);
                    polytope::collide_deep(a, pose_a, b, pose_b, approach, &mut memory, m);
                    m.points().iter().for_each(|p| sink(*p, at));
                }
            }
        }
    }
}

/// Closest points of two solids, or the deepest ones.
#[derive(Clone, Copy)]
pub(super) struct Nearest {
    pub point: ContactPoint,
    /// The parts with these points.
    pub part: [u32; 2],
    /// Other points are as near, at another place or with another normal.
    pub tied: bool,
}

impl Nearest {
    fn alone(point: ContactPoint, part: [u32; 2]) -> Nearest {
        let tied = false;
        Nearest { point, part, tied }
    }

    /// The nearer of the two. Distances and places that differ by less than `tie` count as equal.
    fn or(self, point: ContactPoint, part: [u32; 2], tie: f64) -> Nearest {
        let (p, q) = (self.point, point);
        let apart = q.point - p.point;
        let across = apart - p.normal * p.normal.dot(apart);
        let other = across.norm() > tie || p.normal.dot(q.normal) < 1.0 - polytope::ON_FACE;
        let level = (q.gap - p.gap).abs() <= tie;
        match q.gap < p.gap {
            true => Nearest {
                point,
                part,
                tied: level && (self.tied || other),
            },
            false => Nearest {
                tied: self.tied || level && other,
                ..self
            },
        }
    }
}

/// Closest points of the two solids; `None` if they cannot touch. `reach` is a distance within which
/// some point is found [m].
pub(super) fn closest(
    a: &mut Solid,
    pose_a: &Pose,
    b: &mut Solid,
    pose_b: &Pose,
    reach: f64,
    pair: u32,
    buffers: &mut Buffers,
) -> Option<Nearest> {
    let tie = 0.25 * polytope::ROUNDING * reach;
    let (terrain, plane) = match Pair::of(a, b) {
        Pair::Formula(a, b) => {
            let (part, point) = ([0, 0], primitive::distance(a, pose_a, b, pose_b)?);
            let alone = Nearest::alone(point, part);
            let all = &mut buffers.primitive;
            primitive::collide(a, pose_a, b, pose_b, point.gap + tie, all);
            let others = all.points().iter();
            let tied = others.fold(alone, |best, p| best.or(*p, part, tie)).tied;
            return Some(Nearest { tied, ..alone });
        }
        Pair::Terrain { .. } => (true, false),
        Pair::Plane { .. } => (false, true),
        Pair::Hulls(..) => (false, false),
    };
    // A height field keeps only the points near its surface: search nearby first.
    let mut margin = if terrain { 1e-3 * reach } else { reach };
    let mut best: Option<Nearest> = None;
    for _ in 0..MAX_LOOKS {
        let before = best.map_or(f64::INFINITY, |b| b.point.gap);
        let mut keep = |point: ContactPoint, part| {
            let alone = Nearest::alone(point, part);
            best = Some(best.map_or(alone, |b| b.or(point, part, tie)));
        };
        let still = Approach::still(margin);
        collide(a, pose_a, b, pose_b, &still, pair, buffers, &mut keep);
        margin = match best {
            Some(b) if terrain && b.point.gap > 0.0 && b.point.gap < before => b.point.gap,
            Some(_) => break,
            None if margin < reach => 2.0 * margin,
            None => break,
        };
    }
    if let Some(found) = best.filter(|_| plane) {
        // The kept points may omit some that are as near as the nearest one: search again within the tie.
        let still = Approach::still(found.point.gap + tie);
        let mut keep = |p: ContactPoint, part| best = Some(best.unwrap_or(found).or(p, part, tie));
        collide(a, pose_a, b, pose_b, &still, pair, buffers, &mut keep);
    }
    best
}

/// Most searches of [`closest`]: doublings of the search distance, and returns to a smaller one.
const MAX_LOOKS: usize = 24;

fn point(pose: &Pose, c: &Convex) -> Vec3 {
    pose.point(c.centre())
}

/// Whether a solid is bounded by flat faces alone.
pub(super) fn is_sharp(s: &Solid) -> bool {
    match s {
        Solid::Primitive { shape, .. } => matches!(shape, Shape::Box { .. }),
        Solid::Pieces(_) | Solid::Terrain(_) => true,
    }
}

/// The contact at the bodies' current places, for the features of a point that [`collide`] gave at
/// other places of the same solids. `None` for features that do not define the normal: of round shapes,
/// all but flat faces.
pub(super) fn again(
    a: &mut Solid,
    pose_a: &Pose,
    b: &mut Solid,
    pose_b: &Pose,
    p: &ContactPoint,
    part: [u32; 2],
) -> Option<ContactPoint> {
    match Pair::of(a, b) {
        Pair::Formula(a, b) => primitive::again(a, pose_a, b, pose_b, p),
        Pair::Terrain { field, parts, on } => {
            let ([own, other], [triangle, piece]) = (on.order([pose_a, pose_b]), on.order(part));
            let piece = parts.get(piece as usize)?;
            let found = field.again(own, piece, other, &on.point(p), triangle)?;
            Some(on.point(&found))
        }
        Pair::Hulls(pa, pb) => {
            let [i, j] = part.map(|k| k as usize);
            polytope::of_features(pa.get(i)?, pose_a, pb.get(j)?, pose_b, p)
        }
        _ => None,
    }
}

/// The derivative of a point that [`collide`] gave for the same solids and poses.
pub(super) fn differentiate(
    a: &mut Solid,
    pose_a: &Pose,
    b: &mut Solid,
    pose_b: &Pose,
    p: &ContactPoint,
    part: [u32; 2],
    out: &mut ContactDerivative,
) -> Smoothness {
    let found = match Pair::of(a, b) {
        Pair::Formula(a, b) => {
            return primitive::differentiate(a, pose_a, b, pose_b, p, out);
        }
        Pair::Terrain { field, parts, on } => {
            let ([own, other], [triangle, piece]) = (on.order([pose_a, pose_b]), on.order(part));
            let contact = on.point(p);
            let c = TerrainContact { contact, triangle };
            parts.get(piece as usize).and_then(|piece| {
                let (d, smoothness) = field.differentiate(own, piece, other, &c).ok()?;
                Some((on.derivative(d, contact.normal), smoothness))
            })
        }
        Pair::Plane { parts, on } => {
            let ([_, piece], seen) = (on.order(part), on.point(p));
            parts.get(piece as usize).map(|piece| {
                let d = on.derivative(differentiate_plane(piece, &seen), seen.normal);
                (d, Smoothness::Smooth)
            })
        }
        Pair::Hulls(pa, pb) => {
            let [i, j] = part.map(|k| k as usize);
            pa.get(i)
                .zip(pb.get(j))
                .and_then(|(a, b)| polytope::differentiate(a, pose_a, b, pose_b, p).ok())
        }
    };
    match found {
        Some((d, smoothness)) => {
            *out = d;
            smoothness
        }
        None => {
            *out = ContactDerivative::default();
            Smoothness::Degenerate
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With one possible entry a key, about a third of these pairs replaced each other at every step
    /// and were searched from nothing.
    #[test]
    fn pairs_keep_their_memories() {
        let mut caches = Caches::new(1000);
        let pairs = || (0..1000u32).map(|i| (i / 40) << 16 | (i % 40 + 40));
        for pair in pairs() {
            caches.of(pair, [0, 0]);
        }
        let kept = |p: &u32| caches.keys.contains(&(u64::from(*p) << 32));
        assert_eq!(pairs().filter(kept).count(), 1000);
    }
}
