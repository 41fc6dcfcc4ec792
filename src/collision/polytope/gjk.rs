//! GJK: the distance of two convex bodies that are apart, with the features nearest to each other.
//!
//! Gilbert, Johnson, Keerthi, "A fast procedure for computing the distance between complex objects"
//! (1988). The nearest point of a simplex is found by Voronoi regions (Ericson, "Real-time collision
//! detection", 2004, §5.1).

use crate::spatial::Vec3;

/// A point of the Minkowski difference, and the features of A and B that make it: vertices of a hull;
/// rims of a cylinder (0 lower, 1 upper); 0 for a smooth surface.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vertex {
    pub w: Vec3,
    /// The point of B, in B's frame.
    pub on_b: Vec3,
    pub a: u16,
    pub b: u16,
}

/// The Minkowski difference A − B of two convex bodies, in A's frame.
pub(super) trait SupportMap {
    /// The point of the difference farthest along `dir` (any length). The search starts from `near`.
    fn support(&self, dir: Vec3, near: Option<Vertex>) -> Vertex;
    /// The vector from the centre of A to the centre of B.
    fn outlook(&self) -> Vec3;
}

/// Result of the search.
pub(super) enum Proximity {
    /// The bodies are farther apart than the margin.
    Beyond,
    /// The vertices of the nearest simplex, one to three, and the unit vector from A to B.
    Apart { simplex: Simplex, normal: Vec3 },
    /// They overlap, or touch within rounding.
    Overlap(Simplex),
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Simplex {
    pub vertices: [Vertex; 4],
    pub len: usize,
}

impl Simplex {
    pub fn as_slice(&self) -> &[Vertex] {
        &self.vertices[..self.len]
    }

    pub fn push(&mut self, v: Vertex) {
        if self.len < 4 {
            self.vertices[self.len] = v;
            self.len += 1;
        }
    }

    fn keep(&mut self, which: &[usize]) {
        let old = self.vertices;
        for (k, &i) in which.iter().enumerate() {
            self.vertices[k] = old[i];
        }
        self.len = which.len();
    }

    /// Reduces the simplex to its face nearest to the origin and returns the nearest point; `None` if
    /// the simplex contains the origin.
    pub fn nearest(&mut self) -> Option<Vec3> {
        let p = |i: usize| self.vertices[i].w;
        match self.len {
            1 => Some(p(0)),
            2 => {
                let (v, kept) = on_segment(p(0), p(1));
                self.keep(kept);
                Some(v)
            }
            3 => {
                let (v, kept) = on_triangle(p(0), p(1), p(2));
                self.keep(kept);
                Some(v)
            }
            _ => {
                let mut best: Option<(Vec3, [usize; 3], usize)> = None;
                for (face, opposite) in [
                    ([0, 1, 2], 3),
                    ([0, 3, 1], 2),
                    ([0, 2, 3], 1),
                    ([1, 3, 2], 0),
                ] {
                    let [a, b, c] = face.map(p);
                    let n = (b - a).cross(c - a);
                    let inner = n.dot(p(opposite) - a);
                    let origin = -n.dot(a);
                    // A flat tetrahedron has no inside.
                    if inner * origin > 0.0 {
                        continue;
                    }
                    let (v, kept) = on_triangle(a, b, c);
                    if best.is_none_or(|(u, ..)| v.norm_squared() < u.norm_squared()) {
                        let mut ids = [0; 3];
                        for (id, &k) in ids.iter_mut().zip(kept) {
                            *id = face[k];
                        }
                        best = Some((v, ids, kept.len()));
                    }
                }
                let (v, ids, n) = best?;
                self.keep(&ids[..n]);
                Some(v)
            }
        }
    }
}

impl Simplex {
    /// The least barycentric weight of the point nearest to the origin on the line or plane through one
    /// to three vertices; 0 for more vertices.
    pub fn least_weight(&self) -> f64 {
        let p = |i: usize| self.vertices[i].w;
        match self.len {
            1 => 1.0,
            2 => {
                let u = p(1) - p(0);
                let t = -p(0).dot(u) / u.norm_squared();
                t.min(1.0 - t)
            }
            3 => {
                let n = (p(1) - p(0)).cross(p(2) - p(0));
                let area = n.norm_squared();
                let share = |i: usize, j: usize| p(i).cross(p(j)).dot(n) / area;
                share(0, 1).min(share(1, 2)).min(share(2, 0))
            }
            _ => 0.0,
        }
    }
}

/// Nearest point to the origin, and the ends between which it lies.
fn on_segment(a: Vec3, b: Vec3) -> (Vec3, &'static [usize]) {
    let ab = b - a;
    let t = -a.dot(ab);
    let length = ab.norm_squared();
    if t <= 0.0 {
        (a, &[0])
    } else if t >= length {
        (b, &[1])
    } else {
        (a + ab * (t / length), &[0, 1])
    }
}

/// Nearest point to the origin, and the corners between which it lies.
fn on_triangle(a: Vec3, b: Vec3, c: Vec3) -> (Vec3, &'static [usize]) {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, &[0]);
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, &[1]);
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, &[2]);
    }
    if d1 * d4 - d3 * d2 <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), &[0, 1]);
    }
    if d5 * d2 - d1 * d6 <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), &[0, 2]);
    }
    if d3 * d6 - d5 * d4 <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (b + (c - b) * w, &[1, 2]);
    }
    // Inside: along the normal. Barycentric weights would lose digits.
    let n = ab.cross(ac);
    (n * (a.dot(n) / n.norm_squared()), &[0, 1, 2])
}

const MAX_ITERATIONS: usize = 128;

/// Searches from the simplex `start` (empty: from the centres) until the distance is known to the
/// relative `accuracy`. Bodies nearer than `touching` count as overlapping.
pub(super) fn distance(
    pair: &impl SupportMap,
    start: Simplex,
    margin: f64,
    touching: f64,
    accuracy: f64,
) -> Proximity {
    let mut simplex = start;
    if simplex.len == 0 {
        simplex.push(pair.support(pair.outlook(), None));
    }
    let mut last = f64::INFINITY;
    let mut previous = simplex;
    for _ in 0..MAX_ITERATIONS {
        let Some(v) = simplex.nearest() else {
            return Proximity::Overlap(simplex);
        };
        let d2 = v.norm_squared();
        if d2 <= touching * touching {
            return Proximity::Overlap(simplex);
        }
        let d = d2.sqrt();
        let stalled = d2 >= last;
        if stalled {
            simplex = previous;
        }
        let w = pair.support(-v, Some(simplex.vertices[0]));
        let lower = v.dot(w.w) / d;
        if lower > margin {
            return Proximity::Beyond;
        }
        let known = simplex.as_slice().iter().any(|s| s.w == w.w);
        if stalled || known || d - lower <= accuracy * d {
            let normal = nearest_of(&simplex);
            return match normal {
                Some(normal) => Proximity::Apart { simplex, normal },
                None => Proximity::Overlap(simplex),
            };
        }
        last = d2;
        previous = simplex;
        simplex.push(w);
    }
    match nearest_of(&previous) {
        Some(normal) => Proximity::Apart {
            simplex: previous,
            normal,
        },
        None => Proximity::Overlap(previous),
    }
}

/// Unit vector from A to B at the nearest point of a simplex.
fn nearest_of(simplex: &Simplex) -> Option<Vec3> {
    let mut s = *simplex;
    s.nearest().and_then(|v| (-v).normalized())
}
