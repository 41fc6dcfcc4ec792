//! Shapes written independently of the engine: their support, a test for inside, and the separation of two.

use crate::common::Rng;
use diffsim::model::mesh::TriMesh;
use diffsim::model::spec::{MeshMode, OpenMesh, ShapeSpec};
use diffsim::spatial::{Pose, Vec3};
use std::sync::Arc;

/// A convex shape in its own frame.
#[derive(Clone, Debug)]
pub enum Form {
    Plane,
    Sphere(f64),
    /// Radius and half length.
    Capsule(f64, f64),
    Cylinder(f64, f64),
    Ellipsoid(Vec3),
    Box(Vec3),
    Mesh(Polytope),
}

#[derive(Clone, Debug)]
pub struct Polytope {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Polytope {
    /// The hull of points in general position: every triple that has all others on one side.
    fn of(vertices: Vec<Vec3>) -> Polytope {
        let n = vertices.len();
        let mut triangles = Vec::new();
        for i in 0..n {
            for j in i + 1..n {
                for k in j + 1..n {
                    let normal = (vertices[j] - vertices[i]).cross(vertices[k] - vertices[i]);
                    let side = |v: &Vec3| normal.dot(*v - vertices[i]);
                    let others = || (0..n).filter(|l| ![i, j, k].contains(l));
                    let t = [i as u32, j as u32, k as u32];
                    if others().all(|l| side(&vertices[l]) < 0.0) {
                        triangles.push(t);
                    } else if others().all(|l| side(&vertices[l]) > 0.0) {
                        triangles.push([t[0], t[2], t[1]]);
                    }
                }
            }
        }
        Polytope {
            vertices,
            triangles,
        }
    }

    fn planes(&self) -> impl Iterator<Item = (Vec3, f64)> + '_ {
        self.triangles.iter().filter_map(|t| {
            let [a, b, c] = t.map(|i| self.vertices[i as usize]);
            let n = (b - a).cross(c - a).normalized()?;
            Some((n, n.dot(a)))
        })
    }
}

pub const KINDS: [&str; 7] = [
    "plane",
    "sphere",
    "capsule",
    "cylinder",
    "ellipsoid",
    "box",
    "mesh",
];

impl Form {
    pub fn draw(kind: &str, rng: &mut Rng) -> Form {
        let size = Vec3::new(
            rng.range(0.06, 0.2),
            rng.range(0.06, 0.2),
            rng.range(0.06, 0.2),
        );
        match kind {
            "plane" => Form::Plane,
            "sphere" => Form::Sphere(size.x),
            "capsule" => Form::Capsule(size.x, size.y),
            "cylinder" => Form::Cylinder(size.x, size.y),
            "ellipsoid" => Form::Ellipsoid(size),
            "box" => Form::Box(size),
            _ => Form::Mesh(Polytope::of(
                (0..14).map(|_| direction(rng).scale(size)).collect(),
            )),
        }
    }

    pub fn spec(&self) -> ShapeSpec {
        match self {
            Form::Plane => ShapeSpec::Plane {
                half_extents: [0.0; 2],
            },
            &Form::Sphere(radius) => ShapeSpec::Sphere { radius },
            &Form::Capsule(radius, half_length) => ShapeSpec::Capsule {
                radius,
                half_length,
            },
            &Form::Cylinder(radius, half_length) => ShapeSpec::Cylinder {
                radius,
                half_length,
            },
            &Form::Ellipsoid(semi_axes) => ShapeSpec::Ellipsoid { semi_axes },
            &Form::Box(half_extents) => ShapeSpec::Box { half_extents },
            Form::Mesh(p) => ShapeSpec::Mesh {
                mesh: Arc::new(TriMesh {
                    vertices: p.vertices.clone(),
                    triangles: p.triangles.clone(),
                }),
                mode: MeshMode::Hull,
                open: OpenMesh::Error,
            },
        }
    }

    /// The smallest length of the shape: how thick it is.
    pub fn thickness(&self) -> f64 {
        match self {
            Form::Plane => f64::INFINITY,
            Form::Sphere(r) | Form::Capsule(r, _) => *r,
            Form::Cylinder(r, h) => r.min(*h),
            Form::Ellipsoid(h) | Form::Box(h) => h.x.min(h.y).min(h.z),
            Form::Mesh(_) => 0.06,
        }
    }

    /// max d·x over the shape.
    fn support(&self, d: Vec3) -> f64 {
        match self {
            Form::Plane => f64::INFINITY,
            Form::Sphere(r) => r * d.norm(),
            Form::Capsule(r, h) => r * d.norm() + h * d.z.abs(),
            Form::Cylinder(r, h) => r * d.x.hypot(d.y) + h * d.z.abs(),
            Form::Ellipsoid(e) => e.scale(d).norm(),
            Form::Box(h) => h.dot(d.abs()),
            Form::Mesh(p) => p
                .vertices
                .iter()
                .map(|v| v.dot(d))
                .fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// A lower bound of how far `x` lies outside, which is positive for every point that does.
    pub fn outside(&self, x: Vec3) -> f64 {
        match self {
            Form::Plane => x.z,
            Form::Sphere(r) => x.norm() - r,
            Form::Capsule(r, h) => (x - Vec3::Z * x.z.clamp(-h, *h)).norm() - r,
            Form::Cylinder(r, h) => (x.x.hypot(x.y) - r).max(x.z.abs() - h),
            Form::Ellipsoid(e) => {
                let unit = Vec3::new(x.x / e.x, x.y / e.y, x.z / e.z);
                (unit.norm() - 1.0) * e.x.min(e.y).min(e.z)
            }
            Form::Box(h) => {
                let d = x.abs() - *h;
                d.x.max(d.y).max(d.z)
            }
            Form::Mesh(p) => p
                .planes()
                .map(|(n, offset)| n.dot(x) - offset)
                .fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// How far outside the shape a point of a patch beside the deepest may lie: a cylinder's lying
    /// on its side counts as that of the capsule about its axis, up to a tilt of 8°.
    pub fn patch_error(&self) -> f64 {
        match self {
            Form::Cylinder(radius, _) => 0.15 * radius,
            _ => 0.0,
        }
    }

    /// Normals of faces and directions of edges, of a polytope.
    fn flats(&self) -> (Vec<Vec3>, Vec<Vec3>) {
        match self {
            Form::Box(_) => (
                vec![Vec3::X, Vec3::Y, Vec3::Z],
                vec![Vec3::X, Vec3::Y, Vec3::Z],
            ),
            Form::Cylinder(..) => (vec![Vec3::Z], Vec::new()),
            Form::Mesh(p) => {
                let edges = p.triangles.iter().flat_map(|t| {
                    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]
                        .into_iter()
                        .filter(|e| e[0] < e[1])
                });
                (
                    p.planes().map(|(n, _)| n).collect(),
                    edges
                        .map(|[i, j]| p.vertices[j as usize] - p.vertices[i as usize])
                        .collect(),
                )
            }
            _ => (Vec::new(), Vec::new()),
        }
    }

    pub fn is_polytope(&self) -> bool {
        matches!(self, Form::Box(_) | Form::Mesh(_))
    }
}

/// Two placed shapes.
pub struct Placed<'a> {
    pub a: &'a Form,
    pub pose_a: Pose,
    pub b: &'a Form,
    pub pose_b: Pose,
}

impl Placed<'_> {
    /// The room between the two along the unit vector `n` from A to B. The signed distance is its
    /// largest value over all directions.
    pub fn room(&self, n: Vec3) -> f64 {
        let high = |f: &Form, p: &Pose, n: Vec3| match f {
            // A half space has one direction of support.
            Form::Plane if (n - p.rot.c[2]).norm() < 1e-9 => n.dot(p.pos),
            _ => n.dot(p.pos) + f.support(p.rot.tr_mul_vec(n)),
        };
        -high(self.b, &self.pose_b, -n) - high(self.a, &self.pose_a, n)
    }

    /// The largest room found: every axis that two polytopes can part on, or a search from many
    /// directions and from `hint`.
    pub fn largest_room(&self, hint: Vec3, rng: &mut Rng) -> f64 {
        let ((fa, ea), (fb, eb)) = (self.a.flats(), self.b.flats());
        let [fa, ea] = [fa, ea].map(|l| turned(&l, &self.pose_a));
        let [fb, eb] = [fb, eb].map(|l| turned(&l, &self.pose_b));
        let mut best = f64::NEG_INFINITY;
        for n in fa.iter().chain(&fb) {
            best = best.max(self.room(*n)).max(self.room(-*n));
        }
        for u in &ea {
            for n in eb.iter().filter_map(|v| u.cross(*v).normalized()) {
                best = best.max(self.room(n)).max(self.room(-n));
            }
        }
        if self.a.is_polytope() && self.b.is_polytope() {
            return best;
        }
        let mut starts: Vec<(f64, Vec3)> = (0..250)
            .map(|_| direction(rng))
            .chain([hint])
            .map(|n| (self.room(n), n))
            .collect();
        starts.sort_by(|p, q| q.0.total_cmp(&p.0));
        starts.truncate(3);
        starts.push((self.room(hint), hint));
        for (mut value, mut n) in starts {
            let mut step = 0.1;
            while step > 1e-5 {
                let mut found = false;
                for _ in 0..6 {
                    let m = (n + direction(rng) * step).normalized().unwrap_or(n);
                    let room = self.room(m);
                    if room > value {
                        (value, n, found) = (room, m, true);
                    }
                }
                if !found {
                    step *= 0.6;
                }
            }
            best = best.max(value);
        }
        best
    }
}

fn turned(directions: &[Vec3], pose: &Pose) -> Vec<Vec3> {
    directions.iter().map(|d| pose.rot.mul_vec(*d)).collect()
}

/// Uniform on the sphere.
pub fn direction(rng: &mut Rng) -> Vec3 {
    loop {
        let v = rng.vec3(1.0);
        if v.norm() <= 1.0
            && let Some(n) = v.normalized()
        {
            return n;
        }
    }
}
