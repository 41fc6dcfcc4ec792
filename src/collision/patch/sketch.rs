//! Meshes of primitive shapes: pieces between their surface and their medial axis.

use super::element::{Volume, tetrahedron};
use crate::linalg::sort_few;
use crate::model::mesh::TriMesh;
use crate::model::spec::ShapeSpec;
use crate::spatial::Vec3;
use std::f64::consts::PI;

/// Thickness of the layer beyond the surface, relative to the depth of the medial axis.
pub(super) const LAYER: f64 = 0.1;

/// Relative to the size of a mesh: vertices less than this beyond the plane of a triangle lie in it.
const BENT: f64 = 1e-5;

/// Least number of parts of a triangle's side. Two undivided triangles of a square face would press in two
/// points, about which a body could rock.
pub(super) const FEWEST: f64 = 2.0;

/// Numbers of parts into which the edges of a shape are divided.
pub(super) struct Divisions {
    /// For a quarter circle and for a full circle.
    quarter: f64,
    round: f64,
}

impl Divisions {
    pub fn of(shape: &ShapeSpec, resolution: f64) -> Divisions {
        let radius = match *shape {
            ShapeSpec::Sphere { radius }
            | ShapeSpec::Capsule { radius, .. }
            | ShapeSpec::Cylinder { radius, .. } => radius,
            ShapeSpec::Ellipsoid { semi_axes } => semi_axes.max_abs(),
            _ => 0.0,
        };
        Divisions {
            quarter: (0.5 * PI * radius / resolution).ceil().max(1.0),
            round: (2.0 * PI * radius / resolution).ceil().max(3.0),
        }
    }

    /// Estimated number of tetrahedra. The surface has fewer triangles.
    pub fn elements(&self, shape: &ShapeSpec) -> f64 {
        match shape {
            ShapeSpec::Box { .. } => 72.0,
            ShapeSpec::Cylinder { .. } => 12.0 * self.round,
            ShapeSpec::Capsule { .. } => self.round * (6.0 + 4.0 * self.quarter),
            _ => 8.0 * self.quarter * self.quarter,
        }
    }
}

/// A point of a sketch, on the surface or on the medial axis. Surface points move outward with the layer.
#[derive(Clone, Copy)]
struct Point {
    at: Vec3,
    /// Displacement per metre of the layer.
    outward: Vec3,
    is_inside: bool,
}

/// A triangle of the surface, and the points of the medial axis below its corners.
struct Skin {
    outer: [usize; 3],
    inner: [usize; 3],
}

pub(super) struct Sketch {
    points: Vec<Point>,
    skin: Vec<Skin>,
    /// Least depth of the medial axis below the surface [m].
    depth: f64,
}

impl Sketch {
    pub fn of(shape: &ShapeSpec, divisions: &Divisions) -> Sketch {
        let (quarter, round) = (divisions.quarter as usize, divisions.round as usize);
        match *shape {
            ShapeSpec::Sphere { radius } => ball(quarter, Vec3::new(radius, radius, radius)),
            ShapeSpec::Ellipsoid { semi_axes } => ball(quarter, semi_axes),
            ShapeSpec::Capsule {
                radius,
                half_length,
            } => capsule(quarter, round, radius, half_length),
            ShapeSpec::Cylinder {
                radius,
                half_length,
            } => cylinder(round, radius, half_length),
            ShapeSpec::Box { half_extents } => cuboid(half_extents),
            _ => Sketch::new(1.0),
        }
    }

    fn new(depth: f64) -> Sketch {
        Sketch {
            points: Vec::new(),
            skin: Vec::new(),
            depth,
        }
    }

    fn outside(&mut self, at: Vec3, outward: Vec3) -> usize {
        self.push(at, outward, false)
    }

    fn inside(&mut self, at: Vec3) -> usize {
        let mut known = self.points.iter();
        let found = known.position(|p| p.is_inside && p.at == at);
        found.unwrap_or_else(|| self.push(at, Vec3::ZERO, true))
    }

    fn push(&mut self, at: Vec3, outward: Vec3, is_inside: bool) -> usize {
        self.points.push(Point {
            at,
            outward,
            is_inside,
        });
        self.points.len() - 1
    }

    /// Adds a convex piece of the surface. Its corners are counter-clockwise seen from outside.
    fn cover(&mut self, outer: &[usize], inner: &[usize]) {
        for k in 1..outer.len() - 1 {
            self.skin.push(Skin {
                outer: [outer[0], outer[k], outer[k + 1]],
                inner: [inner[0], inner[k], inner[k + 1]],
            });
        }
    }

    /// The triangles of the surface.
    pub fn triangles(&self) -> impl Iterator<Item = [Vec3; 3]> {
        self.skin.iter().map(|s| s.outer.map(|i| self.points[i].at))
    }

    /// The tetrahedra between the surface (with its layer) and the medial axis, with all points mapped by
    /// `stretch`.
    pub fn fill(&self, margin: f64, stretch: impl Fn(Vec3) -> Vec3) -> Volume {
        let layer = margin.max(LAYER * self.depth);
        let place = |i: usize| {
            let p = &self.points[i];
            match p.is_inside {
                true => (stretch(p.at), 1.0),
                false => (stretch(p.at + p.outward * layer), -layer / self.depth),
            }
        };
        let reach = self.points.iter().map(|p| stretch(p.at).max_abs());
        let size = reach.fold(layer, f64::max);
        let mut cells = Vec::new();
        for s in &self.skin {
            for corners in prism(s) {
                cells.extend(tetrahedron(corners.map(|i| (i, place(i))), size));
            }
        }
        Volume::new(cells, size)
    }
}

/// The three tetrahedra between a triangle of the surface and the points below it, some of which may
/// coincide. On the side between two corners the diagonal starts at the corner with the lower point
/// number.
fn prism(s: &Skin) -> [[usize; 4]; 3] {
    let mut order = [0, 1, 2];
    sort_few(&mut order, |a, b| s.outer[*a] < s.outer[*b]);
    let [a, b, c] = order;
    let (o, i) = (&s.outer, &s.inner);
    [
        [o[a], o[b], o[c], i[c]],
        [o[a], o[b], i[b], i[c]],
        [o[a], i[a], i[b], i[c]],
    ]
}

/// An octahedron whose faces are divided into `n`² triangles each, projected onto a ball and stretched.
fn ball(n: usize, semi_axes: Vec3) -> Sketch {
    let least = semi_axes.x.min(semi_axes.y).min(semi_axes.z);
    let mut s = Sketch::new(least);
    let centre = s.inside(Vec3::ZERO);
    let mut known = std::collections::HashMap::new();
    for octant in 0..8 {
        let sign = |axis: usize| if octant >> axis & 1 == 0 { 1i64 } else { -1 };
        let mut corner = |[i, j, k]: [usize; 3]| {
            let at = [i as i64 * sign(0), j as i64 * sign(1), k as i64 * sign(2)];
            *known.entry(at).or_insert_with(|| {
                let v = Vec3::from_slice(&at.map(|x| x as f64));
                let at = (v * (1.0 / v.norm())).scale(semi_axes);
                s.outside(at, at * (1.0 / least))
            })
        };
        let mut triangles = Vec::new();
        for i in 0..n {
            for j in 0..n - i {
                let k = n - i - j;
                triangles.push([[i + 1, j, k - 1], [i, j + 1, k - 1], [i, j, k]]);
                if k > 1 {
                    triangles.push([[i + 1, j + 1, k - 2], [i, j + 1, k - 1], [i + 1, j, k - 1]]);
                }
            }
        }
        let is_mirrored = sign(0) * sign(1) * sign(2) < 0;
        let outer: Vec<[usize; 3]> = triangles.iter().map(|t| t.map(&mut corner)).collect();
        s.skin.extend(outer.into_iter().map(|[a, b, c]| Skin {
            outer: if is_mirrored { [a, c, b] } else { [a, b, c] },
            inner: [centre; 3],
        }));
    }
    s
}

/// A closed convex mesh around its centroid, from which the field falls to the surface. Each triangle is
/// divided into `parts`² ones.
///
/// # Errors
/// A text that says why the mesh is not convex.
pub(super) fn convex(mesh: &TriMesh, parts: usize) -> Result<Sketch, String> {
    let solid = mesh.solid();
    let inward = solid.mass < 0.0;
    let centre = solid.h * (1.0 / solid.mass);
    let size = (mesh.vertices.iter()).fold(0.0f64, |m, v| m.max((*v - centre).norm()));
    let corner = |i: u32| mesh.vertices[i as usize];
    let mut depth = f64::INFINITY;
    let mut triangles = Vec::new();
    for t in &mesh.triangles {
        let [a, b, c] = t.map(corner);
        let [a, b, c] = if inward { [a, c, b] } else { [a, b, c] };
        let Some(normal) = (b - a).cross(c - a).normalized() else {
            continue;
        };
        let above = mesh.vertices.iter().map(|v| normal.dot(*v - a));
        let beyond = above.fold(0.0, f64::max);
        // NaN counts as not convex.
        if beyond > BENT * size || beyond.is_nan() {
            return Err(format!(
                "it is not convex: a vertex lies {beyond:.3e} m beyond the plane of another triangle"
            ));
        }
        depth = depth.min(normal.dot(a - centre));
        triangles.push([a, b, c]);
    }
    if depth.is_nan() || depth <= BENT * size || depth == f64::INFINITY {
        return Err("it has no volume".into());
    }
    let mut s = Sketch::new(depth);
    let middle = s.inside(centre);
    let mut known = std::collections::HashMap::new();
    for [a, b, c] in triangles {
        let mut point = |i: usize, j: usize| {
            let k = parts - i - j;
            // Neighbours add the same two numbers on the edge between them.
            let at = a * (k as f64 / parts as f64)
                + b * (i as f64 / parts as f64)
                + c * (j as f64 / parts as f64);
            let key = (at + Vec3::ZERO).to_array().map(f64::to_bits);
            *known
                .entry(key)
                .or_insert_with(|| s.outside(at, (at - centre) * (1.0 / depth)))
        };
        let mut outer = Vec::new();
        for i in 0..parts {
            for j in 0..parts - i {
                outer.push([point(i, j), point(i + 1, j), point(i, j + 1)]);
                if i + j + 1 < parts {
                    outer.push([point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)]);
                }
            }
        }
        s.skin.extend(outer.into_iter().map(|outer| Skin {
            outer,
            inner: [middle; 3],
        }));
    }
    Ok(s)
}

fn on_circle(k: usize, n: usize) -> (f64, f64) {
    let (sin, cos) = (2.0 * PI * (k % n) as f64 / n as f64).sin_cos();
    (cos, sin)
}

fn capsule(quarter: usize, round: usize, radius: f64, half_length: f64) -> Sketch {
    let mut s = Sketch::new(radius);
    let ends = [-1.0, 1.0].map(|side| s.inside(Vec3::Z * (side * half_length)));
    // Rings of both ends from their equators, and the poles.
    let mut rings: [Vec<Vec<usize>>; 2] = Default::default();
    for (side, rings) in [-1.0, 1.0].into_iter().zip(&mut rings) {
        for i in 0..=quarter {
            let (sin, cos) = (0.5 * PI * i as f64 / quarter as f64).sin_cos();
            let count = if i == quarter { 1 } else { round };
            let ring = (0..count).map(|k| {
                let (x, y) = on_circle(k, round);
                let out = match count {
                    1 => Vec3::Z * side,
                    _ => Vec3::new(cos * x, cos * y, side * sin),
                };
                s.outside(out * radius + Vec3::Z * (side * half_length), out)
            });
            rings.push(ring.collect());
        }
    }
    for k in 0..round {
        let l = (k + 1) % round;
        let [low, high] = [&rings[0][0], &rings[1][0]];
        let side = [low[k], low[l], high[l], high[k]];
        s.cover(&side, &[ends[0], ends[0], ends[1], ends[1]]);
        for (end, rings) in ends.into_iter().zip(&rings) {
            for pair in rings.windows(2) {
                let (a, b) = (&pair[0], &pair[1]);
                let mut piece = match b.len() {
                    1 => vec![a[k], a[l], b[0]],
                    _ => vec![a[k], a[l], b[l], b[k]],
                };
                if end == ends[0] {
                    piece.reverse();
                }
                s.cover(&piece, &vec![end; piece.len()]);
            }
        }
    }
    s
}

fn cylinder(round: usize, radius: f64, half_length: f64) -> Sketch {
    let depth = radius.min(half_length);
    let mut s = Sketch::new(depth);
    let (r, l) = (radius - depth, half_length - depth);
    let mut caps = Vec::new();
    for side in [-1.0, 1.0] {
        let up = Vec3::Z * side;
        let middle = s.outside(up * half_length, up);
        let below = s.inside(up * l + Vec3::ZERO);
        let rim = (0..round).map(|k| {
            let (x, y) = on_circle(k, round);
            let out = Vec3::new(x, y, 0.0);
            let outer = s.outside(out * radius + up * half_length, out + up);
            (outer, s.inside(out * r + up * l + Vec3::ZERO))
        });
        caps.push((middle, below, rim.collect::<Vec<_>>()));
    }
    for k in 0..round {
        let n = (k + 1) % round;
        for (side, (middle, below, rim)) in caps.iter().enumerate() {
            let [a, b] = if side == 1 { [k, n] } else { [n, k] };
            s.cover(
                &[*middle, rim[a].0, rim[b].0],
                &[*below, rim[a].1, rim[b].1],
            );
        }
        let [low, high] = [&caps[0].2, &caps[1].2];
        let side = [low[k], low[n], high[n], high[k]];
        s.cover(&side.map(|p| p.0), &side.map(|p| p.1));
    }
    s
}

fn cuboid(half: Vec3) -> Sketch {
    let depth = half.x.min(half.y).min(half.z);
    let mut s = Sketch::new(depth);
    let core = half - Vec3::new(depth, depth, depth);
    let corners: Vec<(usize, usize)> = (0..8)
        .map(|c| {
            let sign = |axis: usize| if c >> axis & 1 == 0 { -1.0 } else { 1.0 };
            let out = Vec3::new(sign(0), sign(1), sign(2));
            // For a zero, both signs give one point.
            let inner = core.scale(out) + Vec3::ZERO;
            (s.outside(half.scale(out), out), s.inside(inner))
        })
        .collect();
    for axis in 0..3 {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        for side in 0..2 {
            let at = side << axis;
            let mut face = [at, at | u, at | u | v, at | v];
            if side == 0 {
                face.reverse();
            }
            // Triangles around the middle of the face: two triangles alone would press in two points,
            // about which a box could rock.
            let out = Vec3::unit(axis) * [-1.0, 1.0][side];
            let (middle, below) = (
                s.outside(half.scale(out), out),
                s.inside(core.scale(out) + Vec3::ZERO),
            );
            for k in 0..4 {
                let [a, b] = [face[k], face[(k + 1) % 4]].map(|c| corners[c]);
                s.cover(&[middle, a.0, b.0], &[below, a.1, b.1]);
            }
        }
    }
    s
}
