//! The contact patch: the incident face clipped by the sides of the reference face.

use super::array_vec::ArrayVec;
use super::feature::Feature;
use super::hull::{Hull, MAX_SIDES};
use super::manifold::{MAX_POINTS, Manifold};
use crate::collision::{Approach, ContactPoint};
use crate::linalg::sort_few;
use crate::spatial::{Pose, Vec3};

/// Most corners of a clipped polygon: each side of the reference face adds at most one.
pub(super) const MAX_CORNERS: usize = 2 * MAX_SIDES;

/// Cosine between two faces below which a corner is not projected from one onto the other. The
/// projection would magnify round-off by more than a thousand.
pub(super) const STEEPEST: f64 = 1e-3;

/// Relative to the extent of a patch: points whose depths or distances differ by less are equal to
/// [`choose`]. A body that lies flat then keeps its points when it tips or slides by this much, and
/// where the choice changes, the body is not at rest. With ten times this value, a body that lands
/// nearly flat finds the omitted corner so deep that it bounces.
pub(super) const ALIKE: f64 = 1e-6;

/// A direction that is unlikely to be an axis of symmetry of a body; it breaks ties.
pub(super) const GENERAL: Vec3 = Vec3::new(0.2719, 0.6180, 0.7378);

/// Most points among which [`choose`] chooses.
pub(super) const MOST_POINTS: usize = 256;
const _: () = assert!(MAX_CORNERS < MOST_POINTS);

/// Points found on one pair, in A's frame, before the reduction to [`MAX_POINTS`].
pub(super) struct Candidates(ArrayVec<ContactPoint, { MAX_CORNERS + 1 }>);

impl Candidates {
    pub fn new() -> Self {
        Candidates(ArrayVec::new())
    }

    /// Adds a point. It is left out if the capacity is used up.
    pub fn push(&mut self, p: ContactPoint) {
        let _ = self.0.push(p);
    }

    pub fn points(&self) -> &[ContactPoint] {
        &self.0
    }

    pub fn update(&mut self, change: impl Fn(&mut ContactPoint)) {
        self.0.iter_mut().for_each(change);
    }

    pub fn retain(&mut self, keep: impl Fn(&ContactPoint) -> bool) {
        self.0.retain(keep);
    }

    /// Writes the most important points, in order of feature, in world axes.
    pub fn reduce(
        &mut self,
        pose_a: &Pose,
        approach: &Approach,
        tolerance: f64,
        out: &mut Manifold,
    ) {
        let points = &mut self.0[..];
        sort_few(points, |a, b| a.feature < b.feature);
        let placed = |p: &ContactPoint| ContactPoint {
            point: pose_a.point(p.point),
            normal: pose_a.rot.mul_vec(p.normal),
            ..*p
        };
        let closes = |p: &ContactPoint| approach.closes(&placed(p));
        let (kept, count) = choose(points, closes, tolerance);
        for &i in &kept[..count] {
            out.push(placed(&points[i]));
        }
    }
}

/// The points to keep, in their order, and their number. All points if there are few. Otherwise the closing
/// points that span the patch best. If there are too few closing points, the nearest of the others are
/// added. A point that does not close has no impulse, and must not take the place of a point that may have
/// one. `tolerance` is the round-off of a length.
pub(super) fn choose(
    points: &[ContactPoint],
    closes: impl Fn(&ContactPoint) -> bool,
    tolerance: f64,
) -> ([usize; MAX_POINTS], usize) {
    let mut kept = [0, 1, 2, 3];
    if points.len() <= MAX_POINTS {
        return (kept, points.len());
    }
    let mut left = [true; MOST_POINTS];
    let from = |p: &ContactPoint| (p.point - points[0].point).norm();
    let alike = tolerance.max(ALIKE * points.iter().map(from).fold(0.0, f64::max));
    let deepest = nearest(points, &left, alike);
    for (left, p) in left.iter_mut().zip(points) {
        *left = closes(p);
    }
    left[deepest] = true;
    let closing = left[..points.len()].iter().filter(|x| **x).count();
    let count = if closing > MAX_POINTS {
        spanning(points, &left, deepest, [tolerance, alike], &mut kept)
    } else {
        let all = (0..points.len()).filter(|&i| left[i]);
        kept.iter_mut().zip(all).for_each(|(k, i)| *k = i);
        left.iter_mut().for_each(|x| *x = !*x);
        for k in &mut kept[closing..] {
            *k = nearest(points, &left, tolerance);
            left[*k] = false;
        }
        MAX_POINTS
    };
    kept[..count].sort_unstable();
    (kept, count)
}

/// The point with the smallest gap `among` the points.
fn nearest(points: &[ContactPoint], among: &[bool], tolerance: f64) -> usize {
    best(points, among, |p| -p.gap, tolerance).0
}

/// The point with the largest score `among` the points, and that score. Of equal points the one
/// farthest along [`GENERAL`], which is a corner. Ties are thus decided by position, not by the points'
/// names or by how many coincide.
fn best(
    points: &[ContactPoint],
    among: &[bool],
    score: impl Fn(&ContactPoint) -> f64,
    tolerance: f64,
) -> (usize, f64) {
    let those = || {
        points
            .iter()
            .zip(among)
            .enumerate()
            .filter(|(_, (_, x))| **x)
    };
    let scores = those().map(|(_, (p, _))| score(p));
    let most = scores.fold(f64::NEG_INFINITY, f64::max);
    let equals = those().filter(|(_, (p, _))| score(p) >= most - tolerance);
    let farther = |best: Option<(usize, f64)>, (i, (p, _)): (usize, (&ContactPoint, _))| {
        let along = GENERAL.dot(p.point);
        match best {
            Some((_, most)) if along <= most + tolerance => best,
            _ => Some((i, along)),
        }
    };
    let chosen = equals.fold(None, farther);
    (chosen.map_or(0, |(i, _)| i), most)
}

/// Chooses `among` the points the deepest, the one farthest from it, the one that makes the largest
/// triangle with these two, and the one farthest outside that triangle.
fn spanning(
    points: &[ContactPoint],
    among: &[bool],
    deepest: usize,
    [tolerance, alike]: [f64; 2],
    kept: &mut [usize; MAX_POINTS],
) -> usize {
    let largest = |score: &dyn Fn(&ContactPoint) -> f64, tolerance: f64| {
        best(points, among, score, tolerance)
    };
    let at = |i: usize| points[i].point;
    let n = points[deepest].normal;
    let (far, span) = largest(&|p| (p.point - at(deepest)).norm(), alike);
    let area = |p: &ContactPoint| (at(far) - at(deepest)).cross(p.point - at(deepest)).dot(n);
    let (third, wide) = largest(&|p| area(p).abs(), alike * span);
    let side = area(&points[third]).signum();
    // Distance outside the triangle across any of its three sides, measured as an area.
    let outside = |p: &ContactPoint| {
        [(deepest, far), (far, third), (third, deepest)]
            .iter()
            .map(|&(i, j)| -side * (at(j) - at(i)).cross(p.point - at(i)).dot(n))
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let (fourth, beyond) = largest(&outside, alike * span);
    *kept = [deepest, far, third, fourth];
    if wide <= tolerance * span {
        2
    } else if beyond <= tolerance * span {
        3
    } else {
        4
    }
}

/// The corner of a convex polygon where a linear function is largest. The search goes both ways from
/// `start` and passes over dents of up to `dent`.
fn farthest(polygon: &[Corner], start: usize, of: impl Fn(&Corner) -> f64, dent: f64) -> usize {
    let n = polygon.len();
    let start = start % n;
    let mut best = (start, of(&polygon[start]));
    for step in [1, n - 1] {
        let mut i = start;
        for _ in 1..n {
            i = (i + step) % n;
            let x = of(&polygon[i]);
            if x < best.1 - dent {
                break;
            }
            if x > best.1 {
                best = (i, x);
            }
        }
    }
    best.0
}

#[derive(Clone, Copy)]
struct Corner {
    at: Vec3,
    /// The line along which the polygon continues from here: a side of the incident face, or
    /// [`MAX_SIDES`] + a side of the reference face.
    leaving: usize,
}

/// The reference face, the other hull, and the transform of its points into a manifold in A's frame.
pub(super) struct Reference<'a> {
    /// Body that holds the reference face, 0: A, 1: B.
    pub owner: u8,
    pub hull: &'a Hull,
    pub face: u16,
    pub other: &'a Hull,
    /// Placement of the other hull in the reference hull's frame.
    pub other_pose: Pose,
    /// Placement of the reference hull in A's frame.
    pub to_a: Pose,
}

impl Reference<'_> {
    /// The point of the patch for a point `x` of the other surface (reference frame).
    pub fn point(&self, x: Vec3, feature: Feature) -> ContactPoint {
        let f = self.hull.face(self.face);
        let gap = f.normal.dot(x) - f.offset;
        let n = self.to_a.rot.mul_vec(f.normal);
        ContactPoint {
            point: self.to_a.point(x - f.normal * (0.5 * gap)),
            normal: if self.owner == 0 { n } else { -n },
            gap,
            feature: feature.encode(),
        }
    }

    /// The vertex of the other hull deepest below the reference face. The search starts from `start`.
    pub fn deepest(&self, start: u16) -> u16 {
        let n = self.hull.face(self.face).normal;
        self.other
            .support_from(-self.other_pose.rot.tr_mul_vec(n), start)
    }

    /// Clips the incident face, which is the face of the other hull at its vertex `vertex` that faces
    /// the reference face most. Adds the corners nearer than `margin`. A corner outside a side by less
    /// than `tolerance` counts as on it.
    pub fn clip(&self, vertex: u16, margin: f64, tolerance: f64, out: &mut Candidates) {
        let n = self.hull.face(self.face).normal;
        let incident = self.incident(vertex);
        let polygon = self.other.polygon(incident);
        let sides = self.hull.polygon(self.face);
        let mut corners = [const { ArrayVec::<Corner, MAX_CORNERS>::new() }; 2];
        let [clipped, rest] = &mut corners;
        let (mut clipped, mut rest) = (clipped, rest);
        for (k, &v) in polygon.iter().enumerate() {
            let _ = clipped.push(Corner {
                at: self.other_pose.point(self.other.vertex(v)),
                leaving: k,
            });
        }
        // The corner farthest across a side. It moves around the polygon as the sides do.
        let mut outermost = 0;
        for k in 0..sides.len() {
            let (from, along) = self.side(k);
            let Some(w) = along.cross(n).normalized() else {
                continue;
            };
            let across = |c: &Corner| w.dot(c.at - from);
            outermost = farthest(clipped, outermost, across, 0.1 * tolerance);
            if across(&clipped[outermost]) <= tolerance {
                continue;
            }
            // The corners beyond the side are next to each other.
            let len = clipped.len();
            let is_beyond = |i: &usize| across(&clipped[i % len]) > tolerance;
            let around = outermost..outermost + len;
            let last = around.clone().take_while(is_beyond).last();
            let first = around.map(|i| i + 1).rev().take_while(is_beyond).last();
            let (Some(first), Some(last)) = (first, last) else {
                return;
            };
            let (first, last) = (first % len, last % len);
            let (before, after) = ((first + len - 1) % len, (last + 1) % len);
            if is_beyond(&after) {
                return;
            }
            let crossing = |p: usize, q: usize| {
                let (p, q) = (clipped[p].at, clipped[q].at);
                let [dp, dq] = [p, q].map(|x| w.dot(x - from));
                p + (q - p) * (dp / (dp - dq)).clamp(0.0, 1.0)
            };
            rest.clear();
            let _ = rest.push(Corner {
                at: crossing(before, first),
                leaving: MAX_SIDES + k,
            });
            let _ = rest.push(Corner {
                at: crossing(last, after),
                leaving: clipped[last].leaving,
            });
            let kept = (before + len - after) % len + 1;
            for i in 0..kept {
                let _ = rest.push(clipped[(after + i) % len]);
            }
            std::mem::swap(&mut clipped, &mut rest);
            outermost = 0;
        }
        let len = clipped.len();
        for (i, c) in clipped.iter().enumerate() {
            let arriving = clipped[(i + len - 1) % len].leaving;
            let Some(p) = self.corner(incident, arriving, c) else {
                continue;
            };
            if p.gap <= margin {
                out.push(p);
            }
        }
    }

    /// Whether a point (reference frame) is over the face and farther than `border` from all sides.
    pub fn holds(&self, x: Vec3, border: f64) -> bool {
        let n = self.hull.face(self.face).normal;
        (0..self.hull.polygon(self.face).len()).all(|k| {
            let (from, along) = self.side(k);
            along.cross(n).dot(x - from) < -border * along.norm()
        })
    }

    /// Start and extent of a side of the reference face.
    pub fn side(&self, k: usize) -> (Vec3, Vec3) {
        let sides = self.hull.polygon(self.face);
        let from = self.hull.vertex(sides[k]);
        (from, self.hull.vertex(sides[(k + 1) % sides.len()]) - from)
    }

    /// Names a corner of the clipped polygon by the two lines that meet there.
    fn corner(&self, incident: u16, arriving: usize, c: &Corner) -> Option<ContactPoint> {
        let owner = self.owner;
        let face = self.face;
        let of_reference = |line: usize| line.checked_sub(MAX_SIDES);
        match (of_reference(arriving), of_reference(c.leaving)) {
            (None, None) => Some(self.point(
                c.at,
                Feature::FaceVertex {
                    owner,
                    face,
                    vertex: self.other.polygon(incident)[c.leaving],
                },
            )),
            // A segment is a polygon of two sides; its way back repeats its way out.
            (Some(_), None) | (None, Some(_))
                if !self.other.is_solid() && arriving.min(c.leaving) == 1 =>
            {
                None
            }
            (Some(side), None) | (None, Some(side)) => Some(self.point(
                c.at,
                Feature::SideSide {
                    owner,
                    face,
                    side: side as u8,
                    incident,
                    incident_side: arriving.min(c.leaving) as u8,
                },
            )),
            (Some(i), Some(j)) => {
                let sides = self.hull.polygon(face);
                let corner = if (i + 1) % sides.len() == j {
                    j
                } else if (j + 1) % sides.len() == i {
                    i
                } else {
                    return None;
                };
                let n = self.hull.face(face).normal;
                let m = self
                    .other_pose
                    .rot
                    .mul_vec(self.other.face(incident).normal);
                let slope = m.dot(n);
                if slope > -STEEPEST {
                    return None;
                }
                let at = self.hull.vertex(sides[corner]);
                let on_plane = self
                    .other_pose
                    .point(self.other.vertex(self.other.polygon(incident)[0]));
                let x = at + n * (m.dot(on_plane - at) / slope);
                Some(self.point(
                    x,
                    Feature::FaceCorner {
                        owner,
                        face,
                        corner: corner as u8,
                        incident,
                    },
                ))
            }
        }
    }
}
