//! Contacts of polytopes against brute force, and their derivatives against differences.

use super::*;
use crate::collision::ContactDerivative;
use crate::spatial::{Twist, so3_exp};

/// Uniform numbers from a fixed seed (splitmix64).
pub(super) struct Random(pub u64);

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

fn run(a: &Hull, pa: &Pose, b: &Hull, pb: &Pose, margin: f64) -> Manifold {
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

/// Largest separation over all normals of faces and products of edges, every vertex projected.
fn separation(a: &Hull, pa: &Pose, b: &Hull, pb: &Pose) -> f64 {
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

/// Places B so that the pair's separation is about `gap` along a random direction.
fn near_touching(a: &Hull, b: &Hull, gap: f64, random: &mut Random) -> (Pose, Pose) {
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

#[test]
fn overlapping_boxes_part_along_the_axis_of_brute_force() {
    let mut random = Random(1);
    for _ in 0..1000 {
        let a = Hull::cuboid(random.vector(0.4).abs() + Vec3::new(0.1, 0.1, 0.1)).unwrap();
        let b = Hull::cuboid(random.vector(0.4).abs() + Vec3::new(0.1, 0.1, 0.1)).unwrap();
        let depth = random.within(0.0, 0.1);
        let (pa, pb) = near_touching(&a, &b, -depth, &mut random);
        let s = separation(&a, &pa, &b, &pb);
        let m = run(&a, &pa, &b, &pb, 0.0);
        if s > 0.0 {
            continue;
        }
        let p = deepest(&m).unwrap();
        assert!((p.gap - s).abs() < 1e-7, "{} {s}", p.gap);
    }
}

fn difference(
    a: &Hull,
    pa: &Pose,
    b: &Hull,
    pb: &Pose,
    margin: f64,
    p: &ContactPoint,
    k: usize,
) -> Option<(Vec3, Vec3, f64)> {
    let eps = 1e-6;
    let moved = |s: f64| {
        let t = Twist::unit(k % 6) * s;
        // Displacement with the linear part at the contact point, world axes.
        let shift = |x: &Pose| {
            let r = so3_exp(t.ang);
            Pose::new(
                r.mul_mat(&x.rot),
                p.point + r.mul_vec(x.pos - p.point) + t.lin,
            )
        };
        let (pa, pb) = if k < 6 {
            (shift(pa), *pb)
        } else {
            (*pa, shift(pb))
        };
        run(a, &pa, b, &pb, margin)
            .points()
            .iter()
            .copied()
            .find(|q| q.feature == p.feature)
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

/// Checks every derivative of `n` random contacts; panics unless 99 % agree and at most 10 % had to
/// be left out because a feature changed.
fn check_derivatives(name: &str, a: &Hull, b: &Hull, n: usize, gaps: (f64, f64), seed: u64) {
    let mut random = Random(seed);
    let (mut all, mut wrong, mut changed, mut worst) = (0, 0, 0, 0.0f64);
    let margin = 0.02;
    let mut kinds = [0; 6];
    for _ in 0..n {
        let gap = random.within(gaps.0, gaps.1);
        let (pa, pb) = near_touching(a, b, gap, &mut random);
        for p in run(a, &pa, b, &pb, margin).points() {
            kinds[(p.feature >> 61) as usize] += 1;
            let d = differentiate(a, &pa, b, &pb, p).unwrap();
            for k in 0..12 {
                all += 1;
                match difference(a, &pa, b, &pb, margin, p, k) {
                    None => changed += 1,
                    Some(fd) => {
                        let e = error(&d, p, k, fd);
                        worst = worst.max(e);
                        wrong += usize::from(e > 1e-5);
                    }
                }
            }
        }
    }
    println!(
        "{name}: {all} derivatives, {changed} across a feature change, {wrong} above 1e-5, worst {worst:.1e}, kinds {kinds:?}"
    );
    assert!(all > 12 * n / 2);
    assert!(changed * 10 < all);
    assert!(wrong * 100 < all - changed);
}

#[test]
fn derivatives_of_boxes() {
    let a = Hull::cuboid(Vec3::new(0.3, 0.2, 0.4)).unwrap();
    let b = Hull::cuboid(Vec3::new(0.2, 0.25, 0.15)).unwrap();
    check_derivatives("box-box overlapping", &a, &b, 300, (-0.03, -0.001), 2);
    check_derivatives("box-box apart", &a, &b, 300, (0.001, 0.01), 3);
}

/// Hull of `n` points on an ellipsoid.
pub(super) fn rounded(n: usize, semi_axes: Vec3, seed: u64) -> Hull {
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

/// The box as a mesh: every face a grid of points, all triangles doubled and one without area.
pub(super) fn gridded_box(h: Vec3, cells: usize) -> crate::model::mesh::TriMesh {
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

#[test]
fn hull_of_a_gridded_box_is_the_box() {
    for (h, cells) in [
        (Vec3::new(0.3, 0.2, 0.4), 7),
        (Vec3::new(1.0, 1e-4, 1e-4), 3),
        (Vec3::new(1.0, 1.0, 1e-4), 5),
    ] {
        let mut mesh = gridded_box(h, cells);
        // Single precision and a rotation, as files have them.
        let p = Pose::new(so3_exp(Vec3::new(0.3, -0.5, 0.8)), Vec3::new(0.1, 0.2, 0.3));
        for rounded in [false, true] {
            if rounded {
                for v in &mut mesh.vertices {
                    let w = p.point(*v);
                    *v = Vec3::new(
                        f64::from(w.x as f32),
                        f64::from(w.y as f32),
                        f64::from(w.z as f32),
                    );
                }
            }
            let hull = Hull::from_mesh(&mesh).unwrap();
            let counts = (
                hull.vertices().len(),
                hull.faces().len(),
                hull.edges().len(),
            );
            assert_eq!(counts, (8, 6, 12), "{h:?} rounded: {rounded}");
        }
    }
}

#[test]
fn hulls_without_volume_are_refused() {
    let line: Vec<Vec3> = (0..9)
        .map(|i| Vec3::new(i as f64, 2.0 * i as f64, 0.0))
        .collect();
    let plane: Vec<Vec3> = (0..9)
        .map(|i| Vec3::new((i % 3) as f64, (i / 3) as f64, 1.0))
        .collect();
    let nan = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.0, f64::NAN, 1.0)];
    for (points, expected) in [
        (line, "lie on a line"),
        (plane, "lie on a plane"),
        (vec![Vec3::X; 5], "lie on a point"),
        (Vec::new(), "without vertices"),
        (nan, "mesh vertex 3 is not finite"),
    ] {
        let e = Hull::from_points(&points).unwrap_err();
        assert!(e.message.contains(expected), "{}", e.message);
    }
    let mesh = crate::model::mesh::TriMesh {
        vertices: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
        triangles: vec![[0, 1, 4]],
    };
    let e = Hull::from_mesh(&mesh).unwrap_err();
    assert!(
        e.message.contains("triangle 0 names vertex 4 of 4"),
        "{}",
        e.message
    );
}

#[test]
fn every_point_is_below_every_face_of_its_hull() {
    for seed in 0..5 {
        let hull = rounded(300, Vec3::new(0.2, 0.1, 0.3), seed);
        assert_eq!(hull.vertices().len(), 300);
        let mut random = Random(seed);
        for _ in 0..100 {
            let d = random.vector(1.0);
            let best = hull
                .vertices()
                .iter()
                .map(|v| v.dot(d))
                .fold(f64::MIN, f64::max);
            assert!(hull.vertex(hull.support(d)).dot(d) >= best - 1e-12);
        }
    }
}

#[test]
fn derivatives_of_meshes() {
    let a = rounded(40, Vec3::new(0.3, 0.2, 0.4), 10);
    let b = rounded(30, Vec3::new(0.2, 0.25, 0.15), 11);
    let c = Hull::cuboid(Vec3::new(0.2, 0.25, 0.15)).unwrap();
    check_derivatives("mesh-mesh overlapping", &a, &b, 100, (-0.03, -0.001), 12);
    check_derivatives("mesh-mesh apart", &a, &b, 100, (0.001, 0.01), 13);
    check_derivatives("mesh-box overlapping", &a, &c, 100, (-0.03, -0.001), 14);
    check_derivatives("box-mesh apart", &c, &a, 100, (0.001, 0.01), 15);
}

fn shapes() -> Vec<(&'static str, Hull)> {
    vec![
        ("box", Hull::cuboid(Vec3::new(0.3, 0.2, 0.1)).unwrap()),
        (
            "box mesh",
            Hull::from_mesh(&gridded_box(Vec3::new(0.15, 0.3, 0.2), 3)).unwrap(),
        ),
        ("round mesh", rounded(40, Vec3::new(0.3, 0.2, 0.25), 20)),
        (
            "needle",
            Hull::from_mesh(&gridded_box(Vec3::new(1.0, 1e-4, 1e-4), 2)).unwrap(),
        ),
        ("plate", rounded(20, Vec3::new(1.0, 0.8, 1e-4), 21)),
    ]
}

#[test]
fn growing_agrees_with_trying_every_axis() {
    let shapes = shapes();
    let mut random = Random(30);
    for (na, a) in &shapes {
        for (nb, b) in &shapes {
            let (mut gave_up, mut n, mut worst) = (0, 0, 0.0f64);
            for _ in 0..20 {
                let thin = a.size().min(b.size());
                let gap = -thin * random.within(0.0, 0.2);
                let (pa, pb) = near_touching(a, b, gap, &mut random);
                let b_in_a = pa.relative(&pb);
                let pair = Pair {
                    a,
                    b,
                    b_in_a,
                    b_centre: b_in_a.point(b.centre()),
                };
                let rounding = ROUNDING * (a.size() + b.size());
                let brute = separation(a, &pa, b, &pb);
                if brute > 0.0 {
                    continue;
                }
                n += 1;
                let all = sat::exhaustive(&pair, rounding).unwrap();
                assert!(
                    (all.gap() - brute).abs() < 4.0 * rounding,
                    "{na} {nb}: {} {brute}",
                    all.gap()
                );
                match expand::least_depth(&pair, &mut Simplex::default(), rounding) {
                    Some(axis) => worst = worst.max((axis.gap() - brute).abs()),
                    None => gave_up += 1,
                }
            }
            println!("{na} {nb}: {n} poses, {gave_up} given up, worst {worst:.1e} m");
            assert!(worst < 1e-7);
            assert!(gave_up * 5 <= n);
        }
    }
}
