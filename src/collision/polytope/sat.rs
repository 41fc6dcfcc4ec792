//! Separating axes: the normals along which two overlapping polytopes separate soonest.
//!
//! Gottschalk, Lin, Manocha, "OBBTree" (1996) for the fifteen axes of two boxes. Gregorius, "The
//! separating axis test between convex polyhedra" (GDC 2013) for the test on the Gauss map, which
//! decides whether a pair of edges forms a face of the Minkowski difference.

use super::axis::{Axis, PARALLEL};
use super::gjk::SupportMap;
use super::pair::Pair;
use crate::spatial::Vec3;

/// The better of two axes: the first, unless the second is better by more than `tie`.
#[inline]
fn better(first: Option<Axis>, second: Axis, tie: f64) -> Option<Axis> {
    match first {
        Some(f) if f.gap() >= second.gap() - tie => Some(f),
        _ => Some(second),
    }
}

/// The axis of largest gap of two boxes with half extents `ha`, `hb`. The order is: normals of A,
/// normals of B, cross products of edges. An earlier axis is preferred to a later one that is better by
/// less than `tie`.
pub(super) fn boxes(pair: &Pair, ha: Vec3, hb: Vec3, tie: f64) -> Option<Axis> {
    let r = &pair.b_in_a.rot;
    let t = pair.b_in_a.pos;
    let tb = r.tr_mul_vec(t);
    let abs = [r.c[0].abs(), r.c[1].abs(), r.c[2].abs()];
    let mut best = None;
    for i in 0..3 {
        let reach = ha[i] + abs[0][i] * hb.x + abs[1][i] * hb.y + abs[2][i] * hb.z;
        let axis = Axis::Face {
            owner: 0,
            face: 2 * i as u16 + u16::from(t[i] > 0.0),
            gap: t[i].abs() - reach,
        };
        best = better(best, axis, tie);
    }
    let mut best_b = None;
    for j in 0..3 {
        let axis = Axis::Face {
            owner: 1,
            face: 2 * j as u16 + u16::from(tb[j] < 0.0),
            gap: tb[j].abs() - hb[j] - abs[j].dot(ha),
        };
        best_b = better(best_b, axis, tie);
    }
    if let Some(b) = best_b {
        best = better(best, b, tie);
    }
    // Vertices of a box are numbered by the signs of their coordinates.
    let edge = |dir: Vec3, free: usize| {
        let v = (0..3).fold(0, |v, k| v | u16::from(k != free && dir[k] > 0.0) << k);
        [v, v | 1 << free]
    };
    let mut best_edges: Option<Axis> = None;
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let along = Vec3::unit(i).cross(r.c[j]);
            let length = along.norm();
            if length < PARALLEL {
                continue;
            }
            let reach = ha[i1] * abs[j][i2]
                + ha[i2] * abs[j][i1]
                + hb[j1] * abs[j2][i]
                + hb[j2] * abs[j1][i];
            let centre = t.dot(along);
            let gap = (centre.abs() - reach) / length;
            if best_edges.is_some_and(|b| gap <= b.gap() + tie) {
                continue;
            }
            let normal = along * (centre.signum() / length);
            best_edges = Some(Axis::Edges {
                a: edge(normal, i),
                b: edge(-r.tr_mul_vec(normal), j),
                normal,
                gap,
            });
        }
    }
    match best_edges {
        Some(e) => better(best, e, tie),
        None => best,
    }
}

/// The axis of largest gap, from all faces and all pairs of edges whose arcs cross on the Gauss map.
/// Exact, but slow for hulls of hundreds of vertices.
///
/// `None` for two cores, which have no faces.
pub(super) fn exhaustive(pair: &Pair, tie: f64) -> Option<Axis> {
    let (a, b) = (pair.a, pair.b);
    if !(a.is_solid() && b.is_solid()) {
        return of_core(pair, tie);
    }
    let rot = &pair.b_in_a.rot;
    let mut best = None;
    let mut start = 0;
    for f in 0..a.faces().len() as u16 {
        let n = a.face(f).normal;
        start = b.support_from(-rot.tr_mul_vec(n), start);
        best = better(best, pair.face_axis(0, f, start), tie);
    }
    start = 0;
    let mut best_b = None;
    for f in 0..b.faces().len() as u16 {
        let n = rot.mul_vec(b.face(f).normal);
        start = a.support_from(-n, start);
        best_b = better(best_b, pair.face_axis(1, f, start), tie);
    }
    if let Some(axis) = best_b {
        best = better(best, axis, tie);
    }
    let mut best_edges = None;
    for e in b.edges() {
        let [c, d] = e.faces.map(|f| -rot.mul_vec(b.face(f).normal));
        let along_b = d.cross(c);
        for o in a.edges() {
            let [p, q] = o.faces.map(|f| a.face(f).normal);
            let along_a = q.cross(p);
            // Two arcs cross if the ends of each lie on both sides of the other's plane, and all on the
            // same half of the sphere.
            let (cba, dba) = (c.dot(along_a), d.dot(along_a));
            let (adc, bdc) = (p.dot(along_b), q.dot(along_b));
            if cba * dba >= 0.0 || adc * bdc >= 0.0 || cba * bdc <= 0.0 {
                continue;
            }
            if let Some(axis) = pair.edge_axis(o.ends, e.ends) {
                best_edges = match best_edges {
                    None => Some(axis),
                    some => better(some, axis, tie),
                };
            }
        }
    }
    match best_edges {
        Some(e) => better(best, e, tie),
        None => best,
    }
}

/// [`exhaustive`] if one of the two is the core of a rounded shape.
fn of_core(pair: &Pair, tie: f64) -> Option<Axis> {
    let (owner, hull, core) = match (pair.a.is_solid(), pair.b.is_solid()) {
        (true, false) => (0, pair.a, pair.b),
        (false, true) => (1, pair.b, pair.a),
        _ => return None,
    };
    // Normals out of the hull, in its own frame and in A's.
    let in_a = |n: Vec3| {
        if owner == 0 {
            n
        } else {
            pair.b_in_a.rot.mul_vec(n)
        }
    };
    let mut best = None;
    for f in 0..hull.faces().len() as u16 {
        let n = in_a(hull.face(f).normal);
        let vertex = if owner == 0 {
            pair.support(n, None).b
        } else {
            pair.support(-n, None).a
        };
        best = better(best, pair.face_axis(owner, f, vertex), tie);
    }
    let Some(segment) = core.edges().first().map(|e| e.ends) else {
        return best;
    };
    let along = core.vertex(segment[1]) - core.vertex(segment[0]);
    let along = if owner == 0 {
        pair.b_in_a.rot.mul_vec(along)
    } else {
        pair.b_in_a.rot.tr_mul_vec(along)
    };
    for e in hull.edges() {
        let [p, q] = e.faces.map(|f| hull.face(f).normal.dot(along));
        if p * q >= 0.0 {
            continue;
        }
        let axis = if owner == 0 {
            pair.edge_axis(e.ends, segment)
        } else {
            pair.edge_axis(segment, e.ends)
        };
        if let Some(axis) = axis {
            best = better(best, axis, tie);
        }
    }
    best
}
