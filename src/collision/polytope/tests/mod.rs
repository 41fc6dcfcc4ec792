//! Tests of contacts of convex shapes against brute force, and of their derivatives against finite
//! differences.

mod digits;
mod hulls;
mod lying;
mod round;
mod terrain;
mod warm;

use super::hull::Hull;
use super::*;
use crate::collision::{ContactDerivative, ContactPoint, Smoothness};
use crate::spatial::{Pose, Twist, Vec3, so3_exp};

/// Uniform numbers from a fixed seed (splitmix64).
struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn within(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.next()
    }

    pub fn vector(&mut self, r: f64) -> Vec3 {
        Vec3::new(self.within(-r, r), self.within(-r, r), self.within(-r, r))
    }

    pub fn pose(&mut self) -> Pose {
        Pose::new(so3_exp(self.vector(3.0)), self.vector(1.0))
    }
}

/// The number of poses: `usual`, or the value of DIFFSIM_POSES.
fn runs(usual: usize) -> usize {
    let asked = std::env::var("DIFFSIM_POSES").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(usual)
}

fn run(a: &Convex, pa: &Pose, b: &Convex, pb: &Pose, margin: f64) -> Manifold {
    let mut out = Manifold::default();
    collide(a, pa, b, pb, margin, &mut PairCache::default(), &mut out);
    out
}

fn deepest(m: &Manifold) -> Option<ContactPoint> {
    m.points()
        .iter()
        .copied()
        .min_by(|p, q| p.gap.total_cmp(&q.gap))
}

/// Largest separation over all face normals and cross products of edges, with every vertex projected.
fn separation(a: &Convex, pa: &Pose, b: &Convex, pb: &Pose) -> f64 {
    let (a, b) = (a.hull().unwrap(), b.hull().unwrap());
    let va: Vec<Vec3> = a.vertices().iter().map(|&v| pa.point(v)).collect();
    let vb: Vec<Vec3> = b.vertices().iter().map(|&v| pb.point(v)).collect();
    let mut best = f64::NEG_INFINITY;
    let mut offer = |n: Vec3| {
        for n in [n, -n] {
            let min = vb.iter().map(|v| v.dot(n)).fold(f64::INFINITY, f64::min);
            let max = va
                .iter()
                .map(|v| v.dot(n))
                .fold(f64::NEG_INFINITY, f64::max);
            best = best.max(min - max);
        }
    };
    a.faces()
        .iter()
        .for_each(|f| offer(pa.rot.mul_vec(f.normal)));
    b.faces()
        .iter()
        .for_each(|f| offer(pb.rot.mul_vec(f.normal)));
    for e in a.edges() {
        let u = pa.rot.mul_vec(a.vertex(e.ends[1]) - a.vertex(e.ends[0]));
        for f in b.edges() {
            let v = pb.rot.mul_vec(b.vertex(f.ends[1]) - b.vertex(f.ends[0]));
            let n = u.cross(v);
            if n.norm() > 1e-6 * u.norm() * v.norm() {
                offer(n * (1.0 / n.norm()));
            }
        }
    }
    best
}

/// Places B so that the gap reported by [`collide`] is about `gap`, by bisection.
fn near_touching_curved(a: &Convex, b: &Convex, gap: f64, random: &mut Random) -> (Pose, Pose) {
    let pa = random.pose();
    let mut pb = random.pose();
    let dir = random.vector(1.0).normalized().unwrap();
    let (mut near, mut far) = (0.0, a.size() + b.size() + gap.abs());
    for _ in 0..30 {
        let middle = 0.5 * (near + far);
        pb.pos = pa.pos + dir * middle;
        match deepest(&run(a, &pa, b, &pb, f64::INFINITY)) {
            Some(p) if p.gap >= gap => far = middle,
            _ => near = middle,
        }
    }
    pb.pos = pa.pos + dir * far;
    (pa, pb)
}

/// Places B so that the pair's separation is about `gap` along a random direction.
fn near_touching(a: &Convex, b: &Convex, gap: f64, random: &mut Random) -> (Pose, Pose) {
    let pa = random.pose();
    let mut pb = random.pose();
    let dir = random.vector(1.0).normalized().unwrap();
    pb.pos = pa.pos + dir * (a.size() + b.size());
    for _ in 0..30 {
        let s = separation(a, &pa, b, &pb);
        pb.pos -= dir * (s - gap);
        if (s - gap).abs() < 1e-3 * gap.abs() {
            break;
        }
    }
    (pa, pb)
}

/// Central difference of the point with `p`'s feature by displacement k of (A; B), with linear parts at
/// the contact point. `None` if that feature is missing on either side.
fn difference_of(
    pa: &Pose,
    pb: &Pose,
    p: &ContactPoint,
    k: usize,
    query: impl Fn(&Pose, &Pose) -> Manifold,
) -> Option<(Vec3, Vec3, f64)> {
    let eps = 1e-6;
    let moved = |s: f64| {
        let t = Twist::unit(k % 6) * s;
        let shift = |x: &Pose| {
            let r = so3_exp(t.ang);
            Pose::new(
                r.mul_mat(&x.rot),
                p.point + r.mul_vec(x.pos - p.point) + t.lin,
            )
        };
        let m = if k < 6 {
            query(&shift(pa), pb)
        } else {
            query(pa, &shift(pb))
        };
        m.points().iter().copied().find(|q| q.feature == p.feature)
    };
    let (plus, minus) = (moved(eps)?, moved(-eps)?);
    let h = 0.5 / eps;
    Some((
        (plus.point - minus.point) * h,
        (plus.normal - minus.normal) * h,
        (plus.gap - minus.gap) * h,
    ))
}

fn error(d: &ContactDerivative, p: &ContactPoint, k: usize, fd: (Vec3, Vec3, f64)) -> f64 {
    let t = Twist::unit(k % 6);
    let (xa, xb) = if k < 6 {
        (t, Twist::ZERO)
    } else {
        (Twist::ZERO, t)
    };
    let (dp, dn, dg) = d.apply(p.normal, xa, xb);
    let scale = 1.0 + fd.0.max_abs().max(fd.1.max_abs());
    ((dp - fd.0).max_abs())
        .max((dn - fd.1).max_abs())
        .max((dg - fd.2).abs())
        / scale
}

/// Hull of `n` random points on an ellipsoid.
fn rounded(n: usize, semi_axes: Vec3, seed: u64) -> Hull {
    let mut random = Random(seed);
    let points: Vec<Vec3> = (0..n)
        .map(|_| {
            loop {
                if let Some(u) = random.vector(1.0).normalized() {
                    break u.scale(semi_axes);
                }
            }
        })
        .collect();
    Hull::from_points(&points).unwrap()
}

/// A box as a mesh: every face a grid of points of its own. Each cell adds two triangles and one
/// without area; the winding is not consistent.
fn gridded_box(h: Vec3, cells: usize) -> crate::model::mesh::TriMesh {
    let mut m = crate::model::mesh::TriMesh::default();
    for f in 0..6 {
        let (k, s) = (f / 2, if f % 2 == 1 { 1.0 } else { -1.0 });
        let base = m.vertices.len() as u32;
        for i in 0..=cells {
            for j in 0..=cells {
                let mut v = Vec3::ZERO;
                v[k] = s * h[k];
                v[(k + 1) % 3] = h[(k + 1) % 3] * (2.0 * i as f64 / cells as f64 - 1.0);
                v[(k + 2) % 3] = h[(k + 2) % 3] * (2.0 * j as f64 / cells as f64 - 1.0);
                m.vertices.push(v);
            }
        }
        let at = |i: usize, j: usize| base + (i * (cells + 1) + j) as u32;
        for i in 0..cells {
            for j in 0..cells {
                m.triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                m.triangles
                    .push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                m.triangles.push([at(i, j), at(i, j), at(i + 1, j)]);
            }
        }
    }
    m
}
