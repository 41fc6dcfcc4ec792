//! The right contact, by slow means: every solid is the hull of points, thickened by a radius.

use diffsim::spatial::{Pose, Vec3};

/// Points, the normals of the faces and the directions of the edges of their hull, and a radius [m].
pub struct Solid {
    pub points: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    pub edges: Vec<Vec3>,
    pub radius: f64,
}

impl Solid {
    pub fn placed(&self, pose: &Pose) -> Solid {
        let turned = |x: &[Vec3]| x.iter().map(|x| pose.rot.mul_vec(*x)).collect();
        Solid {
            points: self.points.iter().map(|x| pose.point(*x)).collect(),
            normals: turned(&self.normals),
            edges: turned(&self.edges),
            radius: self.radius,
        }
    }

    fn reach(&self, direction: Vec3) -> f64 {
        self.points
            .iter()
            .map(|p| p.dot(direction))
            .fold(f64::NEG_INFINITY, f64::max)
            + self.radius
    }
}

/// How far B is beyond A along a unit direction: at most the gap, and equal to it along the normal of the
/// contact [m].
pub fn separation(a: &Solid, b: &Solid, direction: Vec3) -> f64 {
    -b.reach(-direction) - a.reach(direction)
}

/// The gap of two solids [m]. `None` where this does not know it: solids with faces that do not overlap, and
/// cores that do.
pub fn gap(a: &Solid, b: &Solid) -> Option<f64> {
    match (a.normals.is_empty(), b.normals.is_empty()) {
        (false, false) => overlap(a, b),
        (false, true) => gap(b, a),
        (true, _) => {
            let (start, end) = (a.points[0], a.points[a.points.len() - 1]);
            let core = along(start, end, &|p| distance(p, b));
            (core > 1e-9).then_some(core - a.radius - b.radius)
        }
    }
}

/// The least translation that parts two polyhedra: along the normal of a face of either, or across an edge of
/// each.
fn overlap(a: &Solid, b: &Solid) -> Option<f64> {
    let crossed = a
        .edges
        .iter()
        .flat_map(|e| b.edges.iter().filter_map(|f| e.cross(*f).normalized()));
    let axes = a.normals.iter().chain(&b.normals).copied().chain(crossed);
    let most = axes
        .flat_map(|n| [n, -n])
        .map(|n| separation(a, b, n))
        .fold(f64::NEG_INFINITY, f64::max);
    (most < 0.0).then_some(most)
}

/// Least value on a segment of a function that is convex there.
fn along(mut start: Vec3, mut end: Vec3, f: &dyn Fn(Vec3) -> f64) -> f64 {
    for _ in 0..120 {
        let third = (end - start) * (1.0 / 3.0);
        if f(start + third) < f(end - third) {
            end = end - third;
        } else {
            start = start + third;
        }
    }
    f((start + end) * 0.5)
}

/// From a point to a core: a point, a segment, or a box, whose normals are its axes.
fn distance(p: Vec3, solid: &Solid) -> f64 {
    let points = &solid.points;
    if solid.normals.is_empty() {
        let (start, axis) = (points[0], points[points.len() - 1] - points[0]);
        let length = axis.norm_squared();
        let t = if length > 0.0 {
            ((p - start).dot(axis) / length).clamp(0.0, 1.0)
        } else {
            0.0
        };
        return (p - start - axis * t).norm();
    }
    let outside = solid.normals.iter().map(|n| {
        let inside = points.iter().map(|x| x.dot(*n));
        let (low, high) = inside.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| {
            (l.min(x), h.max(x))
        });
        (low - p.dot(*n)).max(p.dot(*n) - high).max(0.0)
    });
    outside.map(|x| x * x).sum::<f64>().sqrt()
}
