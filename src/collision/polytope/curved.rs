//! Contact of cylinders and ellipsoids with convex shapes.
//!
//! The gap is the maximum over directions n of s(n) = n·(x_B(−n) − x_A(n)), with x(n) the support points. A
//! search on the support maps ([`super::gjk`], [`super::epa`]) finds an approximate maximizer;
//! [`super::stationary`] refines it to round-off for each feature (rim, side, cap) near it. The contact is
//! the result with the largest s(n).

use super::array_vec::ArrayVec;
use super::bodies::Bodies;
use super::cache::Memory;
use super::convex::{Convex, support};
use super::distinct::Distinct;
use super::edges::PARALLEL_EDGES;
use super::feature::{Feature, Spot};
use super::gjk::{self, Proximity, Simplex, Vertex};
use super::inner::Inner;
use super::manifold::inflated;
use super::pair::{Pair, ROUNDING};
use super::patch::Candidates;
use super::second_order::{Condition, Local};
use super::stand_in::{self, StandIn};
use super::stationary::{Solution, spots, within};
use crate::collision::{ContactDerivative, ContactPoint, Smoothness, Tie};
use crate::linalg::sort_few;
use crate::spatial::{Pose, Vec3};

/// Relative accuracies of the distance from which Newton's method starts. If Newton's method does not
/// settle the contact, the next accuracy is used.
const COARSE: [f64; 3] = [1e-2, 1e-4, 1e-6];
/// How far below the surface the search for the least depth may stop, relative to the sizes; and 1 − cosine
/// of the angle to a start or its solution within which no other start is tried. The next entry is used if
/// Newton's method went far from a start or to features that do not bear the contact. A hull starts with
/// the second entry, because its many features may separate at nearly equal depths.
const COARSE_DEPTH: [(f64, f64); 3] = [(1e-3, 1e-3), (1e-4, 5e-5), (1e-6, 5e-5)];
/// 1 − cosine of the angle between a start and its solution, above which the start counts as too far.
const AWAY: f64 = 5e-3;
/// Most starting directions tried for overlapping shapes.
const MAX_STARTS: usize = 8;
/// Most facets among which the starts are chosen.
const MAX_FACETS: usize = 64;
/// Relative to the sizes. For two lines side by side: if the deepest point is deeper than both ends of the
/// overlap by less than this, the lines are parallel, and the ends are the contacts.
const LEVEL: f64 = 1e-10;

/// Replaces `best` by `s` if `s` has a larger s(n), or if it has the same and `s` is settled and `best` is
/// not.
fn improve(best: &mut Option<Solution>, s: Solution, rounding: f64) {
    let better = best.is_none_or(|b| {
        let d = s.gap - b.gap;
        d > rounding || d >= -rounding && s.settled && !b.settled
    });
    if better {
        *best = Some(s);
    }
}

impl Bodies<'_> {
    /// Improves `best` from one starting direction: by the first settled solution, features with more
    /// flats first, or else by the largest.
    fn try_start(
        &self,
        normal: Vec3,
        vertices: &[Vertex],
        rounding: f64,
        best: &mut Option<Solution>,
    ) {
        let ids_a = Distinct::new(vertices.iter().map(|v| v.a));
        let ids_b = Distinct::new(vertices.iter().map(|v| v.b));
        let against = -self.b_in_a.rot.tr_mul_vec(normal);
        let mut settled = false;
        spots(self.a, normal, &ids_a, |sa| {
            spots(self.b, against, &ids_b, |sb| {
                if settled {
                    return;
                }
                let mut solution = self.refine([sa, sb], normal, rounding);
                if solution.is_none_or(|s| !s.settled)
                    && let Some(aimed) = self.aimed([sa, sb], normal)
                {
                    let second = self.refine([sa, sb], aimed, rounding);
                    if let Some(s) = second
                        && (s.settled || solution.is_none_or(|f| f.gap < s.gap))
                    {
                        solution = second;
                    }
                }
                let Some(s) = solution else {
                    return;
                };
                settled = s.settled;
                improve(best, s, rounding);
            });
        });
    }

    fn solve(&self, margin: f64, rounding: f64, memory: &mut Memory) -> Option<Solution> {
        if let Some(s) = self.solve_again(rounding, memory) {
            return Some(s);
        }
        let mut best = None;
        let mut fallback = None;
        let mut start = Simplex::default();
        for accuracy in COARSE {
            match gjk::distance(self, start, margin, rounding, accuracy) {
                Proximity::Beyond => return None,
                Proximity::Apart { simplex, normal } => {
                    fallback = Some((self.separation(normal), normal));
                    self.try_start(normal, simplex.as_slice(), rounding, &mut best);
                    // A stationary point of separated shapes is the nearest one: the shapes are convex.
                    if best.is_some_and(|s: Solution| s.settled && s.gap > rounding) {
                        break;
                    }
                    start = simplex;
                }
                Proximity::Overlap(_) => {
                    fallback = self.solve_overlap(rounding, memory, &mut best);
                    break;
                }
            }
        }
        best.or_else(|| {
            let (gap, normal) = fallback?;
            Some(Solution {
                spots: [Spot::Smooth; 2],
                normal,
                gap,
                point: None,
                between: gap,
                within: false,
                settled: false,
                sharp: false,
            })
        })
    }

    /// Improves `best` from the directions along which overlapping shapes may separate soonest. Returns
    /// the best of these directions.
    fn solve_overlap(
        &self,
        rounding: f64,
        memory: &mut Memory,
        best: &mut Option<Solution>,
    ) -> Option<(f64, Vec3)> {
        let size = self.a.size() + self.b.size();
        let mut fallback = None;
        let mut inner = Inner::new();
        let mut whole = false;
        let faceted = self.a.hull().is_some() || self.b.hull().is_some();
        for &(depth, apart) in &COARSE_DEPTH[usize::from(faceted)..] {
            let mut near = ArrayVec::<usize, MAX_FACETS>::new();
            whole = inner.approach(self, depth * size, |facet| {
                let _ = near.push(facet);
            });
            let mut facets = ArrayVec::<(f64, usize), MAX_FACETS>::new();
            for &facet in near.iter() {
                let _ = facets.push((self.separation(inner.normal(facet)), facet));
            }
            sort_few(&mut facets, |f, g| {
                g.0.total_cmp(&f.0).then(f.1.cmp(&g.1)).is_lt()
            });
            fallback = facets
                .first()
                .map(|f| (f.0, inner.normal(f.1)))
                .or(fallback);
            let mut tried = [Vec3::ZERO; 2 * MAX_STARTS];
            let mut starts = 0;
            let mut settled = true;
            for &(_, facet) in facets.iter() {
                let (normal, corners) = (inner.normal(facet), inner.corners(facet));
                // Behind a facet the difference reaches at least as deep as the facet.
                let offset = normal.dot(corners[0].w);
                let behind = best.is_some_and(|s| s.settled && offset >= -s.gap - rounding);
                let known = tried[..2 * starts]
                    .iter()
                    .any(|n| n.dot(normal) > 1.0 - apart);
                if starts == MAX_STARTS || behind || known {
                    continue;
                }
                let mut own = None;
                self.try_start(normal, &corners, rounding, &mut own);
                let solution = own.filter(|s| s.settled);
                tried[2 * starts] = normal;
                tried[2 * starts + 1] = solution.map_or(normal, |s| s.normal);
                starts += 1;
                settled &= solution.is_some_and(|s| s.normal.dot(normal) > 1.0 - AWAY);
                if let Some(s) = own {
                    improve(best, s, rounding);
                }
            }
            if settled && starts < MAX_STARTS {
                break;
            }
        }
        if let Some(s) = best.filter(|s| s.settled) {
            let s = self.canonical(&s, rounding).unwrap_or(s);
            *best = Some(s);
            let lasting =
                whole && self.is_alone(&s, rounding) && inner.enclose(self, s.normal, -s.gap, size);
            if lasting && let Some(cage) = memory.cage() {
                cage.keep(&inner, &self.b_in_a, s.spots, s.normal);
            }
        }
        fallback
    }

    /// Adds the contacts of lines of cylinders' sides that run along lines of the other shape, at the
    /// vertices `vertices`: at each end that lies beside the other line.
    fn along_lines(
        &self,
        stand_ins: &[StandIn; 2],
        normal: Vec3,
        vertices: [u16; 2],
        margin: f64,
        rounding: f64,
        found: &mut Candidates,
    ) {
        let [a, b] = stand_ins;
        let (ra, rb) = (self.a.radius(), self.b.radius());
        let pair = Pair::new(a.hull, b.hull, self.b_in_a);
        pair.lengthwise(normal, vertices, rounding, |end| {
            let spots = stand_in::beside(stand_ins, end.owner, end.edge, end.vertex);
            let solution = spots
                .zip(end.normal().filter(|n| n.dot(normal) > 0.5))
                .and_then(|(spots, n)| self.refine(spots, n, rounding))
                .filter(|s| s.within && s.between - ra - rb <= margin);
            if let Some((s, point)) = solution.and_then(|s| Some((s, s.point?))) {
                let core = ContactPoint {
                    point,
                    normal: s.normal,
                    gap: s.between,
                    feature: Feature::Spots(s.spots).encode(),
                };
                let point = inflated(core, ra, rb);
                // Two lines that end together meet there once.
                if !found.points().iter().any(|p| pair.is_same(p, &point)) {
                    found.push(point);
                }
            }
        });
    }

    /// A contact midway between the support points of a direction, if no features define it.
    fn indefinite(&self, normal: Vec3, gap: f64) -> ContactPoint {
        let against = -self.b_in_a.rot.tr_mul_vec(normal);
        let (xa, _) = support(self.a, normal, None);
        let (xb, _) = support(self.b, against, None);
        ContactPoint {
            point: (xa + self.b_in_a.point(xb)) * 0.5,
            normal,
            gap,
            feature: Feature::Indefinite.encode(),
        }
    }
}

/// Finds the contact of two shapes of which at least one is curved, in A's frame.
pub(super) fn contact(bodies: &Bodies, margin: f64, memory: &mut Memory, found: &mut Candidates) {
    let Bodies {
        a,
        b,
        b_in_a,
        sinks,
    } = *bodies;
    let (ra, rb) = (a.radius(), b.radius());
    let rounding = ROUNDING * (a.size() + b.size());
    let Some(s) = bodies.solve(margin + ra + rb, rounding, memory) else {
        return;
    };
    if s.gap - ra - rb > margin {
        return;
    }
    let n = s.normal;
    let mut point = None;
    if let Some(p) = s.point {
        // Another feature with the same depth up to round-off would have another derivative.
        let gap = if s.settled { s.between } else { s.gap };
        point = Some(ContactPoint {
            point: p,
            normal: n,
            gap,
            feature: Feature::Spots(s.spots).encode(),
        });
    }
    let against = -b_in_a.rot.tr_mul_vec(n);
    let whole = point.map(|p| inflated(p, ra, rb));
    let mut along_lines = false;
    if let (Some(sa), Some(sb)) = (StandIn::choose(a, n), StandIn::choose(b, against)) {
        let stand_ins = [sa, sb];
        let vertices = [sa.hull.support(n), sb.hull.support(against)];
        let looks = bodies.looked_at(&stand_ins, n, vertices);
        let (pair, aside) = stand_in::facing(stand_ins, &b_in_a, looks);
        let pair = pair.sinking(sinks);
        let reach = margin + sa.shell + sb.shell;
        let level = pair.level_patch(n, s.between - ra - rb, vertices, reach, rounding, found);
        let lines = sa.is_line() || sb.is_line();
        let [va, vb] = vertices;
        if !level {
            match (s.cap_under_hull(), s.face_under_rim()) {
                (Some(owner), _) if !lines => {
                    pair.over_face(owner, n, vertices, reach, rounding, found);
                }
                // Both ends of a line, however steep: the body may turn the far one to the face within a
                // step.
                (_, Some((owner, face))) if lines => pair.reference(owner, face).clip(
                    vertices[usize::from(1 - owner)],
                    reach,
                    rounding,
                    found,
                ),
                _ => pair.faces(n, vertices, reach, rounding, found),
            }
        }
        if found.points().is_empty() && !lines {
            pair.parallel_edges(n, va, vb, reach, rounding, found);
        }
        found.update(|p| {
            *p = inflated(*p, sa.shell, sb.shell);
            p.point += aside;
            p.feature |= Feature::stand_ins(stand_ins.map(|s| s.which()));
        });
        if level {
            return;
        }
        let of_faces = !found.points().is_empty();
        if !of_faces && lines {
            bodies.along_lines(&stand_ins, n, vertices, margin, rounding, found);
            along_lines = true;
        }
        let least = s.gap - ra - rb - rounding;
        // A line that faces the face crosses its border near the place where the side touches the border.
        let beside = match of_faces {
            true => 2.0 * (sa.rolls() + sb.rolls()) * n.cross(looks).norm(),
            false => 0.0,
        };
        pair.drop_near(least, beside, whole.as_ref(), found);
    }
    let alone = found.points().is_empty();
    if let Some(p) = whole
        && (alone
            || s.settled && !(along_lines && is_between(&p, found.points(), a.size() + b.size())))
    {
        found.push(p);
    } else if alone {
        found.push(inflated(bodies.indefinite(n, s.gap), ra, rb));
    }
}

/// Whether the ends `found` of parallel lines represent a point between them.
fn is_between(point: &ContactPoint, found: &[ContactPoint], size: f64) -> bool {
    let is_level = |p: &ContactPoint| p.gap - point.gap <= LEVEL * size;
    found.len() == 2 && found.iter().all(is_level)
}

/// The derivative of a contact point of two features; `contact` has the gap of the cores.
pub(super) fn differentiate(
    a: &Convex,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
    spots: [Spot; 2],
    contact: &ContactPoint,
) -> Option<(ContactDerivative, Smoothness)> {
    let (n, gap) = (contact.normal, contact.gap);
    let la = Local::of(a, spots[0], pose_a.rot.tr_mul_vec(n))?.placed(pose_a);
    let lb = Local::of(b, spots[1], -pose_b.rot.tr_mul_vec(n))?.placed(pose_b);
    let condition = Condition::new(n, &la, &lb, gap)?;
    let arm = n * (0.5 * gap);
    let mut d = ContactDerivative::default();
    let mut smoothness = Smoothness::Smooth;
    for k in 0..6 {
        let e = Vec3::unit(k % 3);
        let (lin, ang) = if k < 3 {
            (e, Vec3::ZERO)
        } else {
            (Vec3::ZERO, e)
        };
        // The material point of B, and the normal carried along with B.
        let dy = lin + ang.cross(arm);
        let carried = ang.cross(n);
        let mut c = [0.0; 2];
        for (j, c) in c.iter_mut().enumerate().skip(la.flat_count) {
            *c = condition.flats[j].dot(carried);
        }
        let (dn, slides, unique) = condition.solve(dy + lb.bend.mul_vec(carried), c);
        smoothness = unique;
        let dg = n.dot(dy);
        let mut dx = la.bend.mul_vec(dn);
        for (f, s) in la.flats[..la.flat_count].iter().zip(slides) {
            dx += *f * s;
        }
        d.point[k / 3].c[k % 3] = dx + (dn * gap + n * dg) * 0.5;
        d.normal[k / 3].c[k % 3] = dn;
        d.gap[k / 3][k % 3] = dg;
    }
    if smoothness == Smoothness::Smooth
        && let Some(ended) = ended([a, b], [pose_a, pose_b], spots, contact)
    {
        smoothness = ended;
    }
    Some((d, smoothness))
}

/// Smoothness of a contact point at an end of a line (an edge, or a line of a cylinder's side); `None`
/// elsewhere. If the other shape has a parallel line that ends at the same point, the contact moves with
/// either end (a tie).
fn ended(
    shapes: [&Convex; 2],
    poses: [&Pose; 2],
    spots: [Spot; 2],
    contact: &ContactPoint,
) -> Option<Smoothness> {
    let rounding = ROUNDING * (shapes[0].size() + shapes[1].size());
    let arm = contact.normal * (0.5 * contact.gap);
    let on = [contact.point - arm, contact.point + arm];
    let side = (0..2).find(|&k| {
        let x = poses[k].inverse_point(on[k]);
        matches!(spots[k], Spot::Side | Spot::Edge(_)) && !within(shapes[k], spots[k], x, -rounding)
    })?;
    let line = match spots[side] {
        Spot::Edge([i, j]) => {
            let hull = &shapes[side].hull;
            (hull.vertex(j) - hull.vertex(i)).normalized()?
        }
        _ => Vec3::Z,
    };
    let line = poses[side].rot.mul_vec(line);
    let goes_on = match spots[1 - side] {
        Spot::Rim(_) => line.cross(poses[1 - side].rot.c[2]).norm() <= PARALLEL_EDGES,
        Spot::Vertex(_) => true,
        _ => false,
    };
    Some(match goes_on {
        true => Smoothness::Tied(Tie {
            slide: line * shapes[side].size(),
            // The normal stays perpendicular to the line that continues.
            tilt: line,
        }),
        false => Smoothness::Degenerate,
    })
}
