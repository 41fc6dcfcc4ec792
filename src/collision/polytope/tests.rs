//! Contacts of polytopes against brute force, and their derivatives against differences.

use super::hull::Hull;
use super::*;
use super::{expand, sat};
use crate::collision::ContactDerivative;
use crate::spatial::{Mat3, Twist, Vec3, so3_exp};

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

/// Largest separation over all normals of faces and products of edges, every vertex projected.
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

/// Places B so that the gap that [`collide`] reports is about `gap`, by bisection.
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

#[test]
fn overlapping_boxes_part_along_the_axis_of_brute_force() {
    let mut random = Random(1);
    for _ in 0..1000 {
        let a = Convex::cuboid(random.vector(0.4).abs() + Vec3::new(0.1, 0.1, 0.1)).unwrap();
        let b = Convex::cuboid(random.vector(0.4).abs() + Vec3::new(0.1, 0.1, 0.1)).unwrap();
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

/// Central difference of the point with `p`'s feature by displacement k of (A; B), linear parts at
/// the contact point; `None` where that feature is not there on both sides.
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

/// Checks every derivative of `n` random contacts; panics unless 99 % agree and at most 10 % had to
/// be left out because a feature changed.
fn check_derivatives(name: &str, a: &Convex, b: &Convex, n: usize, gaps: (f64, f64), seed: u64) {
    let mut random = Random(seed);
    let (mut all, mut wrong, mut changed, mut worst) = (0, 0, 0, 0.0f64);
    let margin = 0.02;
    let mut kinds = [0; 7];
    for _ in 0..n {
        let gap = random.within(gaps.0, gaps.1);
        let (pa, pb) = if a.hull().is_some() && b.hull().is_some() {
            near_touching(a, b, gap, &mut random)
        } else {
            near_touching_curved(a, b, gap, &mut random)
        };
        for p in run(a, &pa, b, &pb, margin).points() {
            kinds[(p.feature >> 61) as usize] += 1;
            let d = differentiate(a, &pa, b, &pb, p).unwrap();
            for k in 0..12 {
                all += 1;
                match difference_of(&pa, &pb, p, k, |pa, pb| run(a, pa, b, pb, margin)) {
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
    let a = Convex::cuboid(Vec3::new(0.3, 0.2, 0.4)).unwrap();
    let b = Convex::cuboid(Vec3::new(0.2, 0.25, 0.15)).unwrap();
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
    let a = rounded(40, Vec3::new(0.3, 0.2, 0.4), 10).into();
    let b = rounded(30, Vec3::new(0.2, 0.25, 0.15), 11).into();
    let c = Convex::cuboid(Vec3::new(0.2, 0.25, 0.15)).unwrap();
    check_derivatives("mesh-mesh overlapping", &a, &b, 100, (-0.03, -0.001), 12);
    check_derivatives("mesh-mesh apart", &a, &b, 100, (0.001, 0.01), 13);
    check_derivatives("mesh-box overlapping", &a, &c, 100, (-0.03, -0.001), 14);
    check_derivatives("box-mesh apart", &c, &a, 100, (0.001, 0.01), 15);
}

fn shapes() -> Vec<(&'static str, Convex)> {
    vec![
        ("box", Convex::cuboid(Vec3::new(0.3, 0.2, 0.1)).unwrap()),
        (
            "box mesh",
            Convex::from_mesh(&gridded_box(Vec3::new(0.15, 0.3, 0.2), 3)).unwrap(),
        ),
        (
            "round mesh",
            rounded(40, Vec3::new(0.3, 0.2, 0.25), 20).into(),
        ),
        (
            "needle",
            Convex::from_mesh(&gridded_box(Vec3::new(1.0, 1e-4, 1e-4), 2)).unwrap(),
        ),
        ("plate", rounded(20, Vec3::new(1.0, 0.8, 1e-4), 21).into()),
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
                let pair = Pair::new(a.hull().unwrap(), b.hull().unwrap(), b_in_a);
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

/// Face on face, the smaller box on the larger, `gap` apart; every symmetric placement puts the
/// origin of the Minkowski difference on a face of any simplex (mujoco_warp #1526, fcl #495).
#[test]
fn boxes_face_on_face_at_and_around_touching() {
    let big = Vec3::new(0.5, 0.5, 0.1);
    let small = Vec3::new(0.1, 0.1, 0.1);
    let mesh = |h| Convex::from_mesh(&gridded_box(h, 2)).unwrap();
    let pairs = [
        (Convex::cuboid(big).unwrap(), Convex::cuboid(small).unwrap()),
        (mesh(big), mesh(small)),
        (Convex::cuboid(big).unwrap(), mesh(small)),
        (
            Convex::cuboid(small).unwrap(),
            Convex::cuboid(small).unwrap(),
        ),
        (mesh(small), mesh(small)),
    ];
    for (a, b) in &pairs {
        for gap in [-1e-2, -1e-6, -1e-10, -1e-16, 0.0, 1e-16, 1e-10, 1e-6, 1e-3] {
            for shift in [
                Vec3::ZERO,
                Vec3::new(0.05, 0.0, 0.0),
                Vec3::new(0.03, -0.07, 0.0),
            ] {
                for turn in [Vec3::ZERO, Vec3::new(0.3, -0.7, 0.2)] {
                    let pa = Pose::new(so3_exp(turn), Vec3::ZERO);
                    let pb = pa.compose(&Pose::translation(shift + Vec3::Z * (0.2 + gap)));
                    let m = run(a, &pa, b, &pb, 0.002);
                    assert_eq!(m.points().len(), 4, "{gap:e} {shift:?} {turn:?}");
                    for p in m.points() {
                        assert!((p.gap - gap).abs() < 1e-12);
                        assert!((p.normal - pa.rot.c[2]).norm() < 1e-12);
                        assert!((pa.inverse_point(p.point).z - 0.1 - 0.5 * gap).abs() < 1e-12);
                    }
                    let swapped = run(b, &pb, a, &pa, 0.002);
                    assert_eq!(swapped.points().len(), 4);
                    for p in m.points() {
                        assert!(swapped.points().iter().any(|q| {
                            (q.point - p.point).norm() < 1e-9
                                && (q.normal + p.normal).norm() < 1e-9
                                && (q.gap - p.gap).abs() < 1e-9
                        }));
                    }
                }
            }
        }
    }
}

#[test]
fn sliding_box_keeps_its_points() {
    let floor = Convex::cuboid(Vec3::new(2.0, 2.0, 0.1)).unwrap();
    let mesh = Convex::from_mesh(&gridded_box(Vec3::new(0.1, 0.15, 0.05), 4)).unwrap();
    for b in [Convex::cuboid(Vec3::new(0.1, 0.15, 0.05)).unwrap(), mesh] {
        let mut cache = PairCache::default();
        let mut features: Option<Vec<u64>> = None;
        for k in 0..=1000 {
            let x = Vec3::new(-0.5 + 1e-3 * k as f64, 0.3, 0.15 - 1e-5);
            let pose = Pose::new(so3_exp(Vec3::Z * 0.4), x);
            let mut out = Manifold::default();
            collide(
                &floor,
                &Pose::IDENTITY,
                &b,
                &pose,
                0.001,
                &mut cache,
                &mut out,
            );
            let now: Vec<u64> = out.points().iter().map(|p| p.feature).collect();
            assert_eq!(now.len(), 4);
            assert_eq!(*features.get_or_insert(now.clone()), now);
        }
    }
}

#[test]
fn vertex_on_a_face_and_edge_on_an_edge() {
    let a = Convex::cuboid(Vec3::new(0.2, 0.2, 0.2)).unwrap();
    let b = Convex::cuboid(Vec3::new(0.1, 0.1, 0.1)).unwrap();
    // The diagonal of B along −z: its lowest vertex at distance 0.1 √3.
    let up = Vec3::new(1.0, 1.0, 1.0) * (1.0 / 3.0f64.sqrt());
    let turn = up.cross(Vec3::Z).normalized().unwrap() * up.dot(Vec3::Z).acos();
    let pb = Pose::new(
        so3_exp(turn),
        Vec3::new(0.03, 0.02, 0.2 + 0.1 * 3.0f64.sqrt()),
    );
    let m = run(&a, &Pose::IDENTITY, &b, &pb, 1e-6);
    assert_eq!(m.points().len(), 1);
    assert!(m.points()[0].gap.abs() < 1e-12 && (m.points()[0].normal - Vec3::Z).norm() < 1e-12);
    // B turned by 45° about x, then z: its lowest edge across A's upper edge along x.
    let r = so3_exp(Vec3::Z * 0.9).mul_mat(&so3_exp(Vec3::X * std::f64::consts::FRAC_PI_4));
    let tilt = so3_exp(Vec3::X * -std::f64::consts::FRAC_PI_4);
    let n = Vec3::new(0.0, 1.0, 1.0) * 0.5f64.sqrt();
    let edge = Vec3::new(0.0, 0.2, 0.2);
    let pb = Pose::new(tilt.mul_mat(&r), edge + n * (0.1 * 2.0f64.sqrt()));
    for gap in [-1e-3, -1e-9, 0.0, 1e-9, 1e-4] {
        let pb = Pose::new(pb.rot, pb.pos + n * gap);
        let m = run(&a, &Pose::IDENTITY, &b, &pb, 1e-3);
        assert_eq!(m.points().len(), 1);
        let p = m.points()[0];
        assert!((p.gap - gap).abs() < 1e-12, "{} {gap}", p.gap);
        assert!((p.normal - n).norm() < 1e-9 && (p.point - edge - n * (0.5 * gap)).norm() < 1e-9);
    }
}

/// Distance of two hulls by projecting every feature of one on the other: slow and plain.
fn distance(a: &Convex, pa: &Pose, b: &Convex, pb: &Pose) -> f64 {
    let (a, b) = (a.hull().unwrap(), b.hull().unwrap());
    let mut best = f64::INFINITY;
    let mut vertex_on_hull = |x: Vec3, h: &Hull, p: &Pose| {
        let x = p.inverse_point(x);
        for f in 0..h.faces().len() as u16 {
            let polygon = h.polygon(f);
            let n = h.face(f).normal;
            let height = n.dot(x) - h.face(f).offset;
            let inside = (0..polygon.len()).all(|k| {
                let (p, q) = (
                    h.vertex(polygon[k]),
                    h.vertex(polygon[(k + 1) % polygon.len()]),
                );
                (q - p).cross(x - p).dot(n) >= 0.0
            });
            if height >= 0.0 && inside {
                best = best.min(height);
            }
        }
    };
    a.vertices()
        .iter()
        .for_each(|&v| vertex_on_hull(pa.point(v), b, pb));
    b.vertices()
        .iter()
        .for_each(|&v| vertex_on_hull(pb.point(v), a, pa));
    for e in a.edges() {
        let [p, q] = e.ends.map(|i| pa.point(a.vertex(i)));
        for f in b.edges() {
            let [r, s] = f.ends.map(|i| pb.point(b.vertex(i)));
            best = best.min(segments(p, q, r, s));
        }
    }
    best
}

/// Distance of two segments: the four ends on the other one, and the common perpendicular.
fn segments(p: Vec3, q: Vec3, r: Vec3, s: Vec3) -> f64 {
    let end = |x: Vec3, p: Vec3, q: Vec3| {
        let t = ((x - p).dot(q - p) / (q - p).norm_squared()).clamp(0.0, 1.0);
        (x - p - (q - p) * t).norm()
    };
    let ends = end(p, r, s)
        .min(end(q, r, s))
        .min(end(r, p, q))
        .min(end(s, p, q));
    let (u, v, w) = (q - p, s - r, r - p);
    let n = u.cross(v);
    let nn = n.norm_squared();
    let (t, o) = (w.cross(v).dot(n) / nn, w.cross(u).dot(n) / nn);
    if (0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&o) {
        ends.min(w.dot(n).abs() / nn.sqrt())
    } else {
        ends
    }
}

#[test]
fn every_pair_of_hulls_against_brute_force_in_both_orders() {
    let mut random = Random(40);
    let shapes = shapes();
    for (na, a) in &shapes {
        for (nb, b) in &shapes {
            let mut worst = 0.0f64;
            for k in 0..25 {
                let thin = a.size().min(b.size());
                let gap = random.within(-0.1, 0.1) * thin * if k % 2 == 0 { 1.0 } else { 1e-3 };
                let (pa, pb) = near_touching(a, b, gap, &mut random);
                let s = separation(a, &pa, b, &pb);
                let expected = if s > 0.0 { distance(a, &pa, b, &pb) } else { s };
                let m = run(a, &pa, b, &pb, f64::INFINITY);
                let p = deepest(&m).unwrap();
                let q = deepest(&run(b, &pb, a, &pa, f64::INFINITY)).unwrap();
                let e = (p.gap - expected).abs();
                worst = worst.max(e).max((p.gap - q.gap).abs());
                assert!(e < 1e-7, "{na} {nb}: {} instead of {expected}", p.gap);
                // Moving B out along the normal by the depth parts them.
                let mut parted = pb;
                parted.pos += p.normal * (1e-7 - p.gap.min(0.0));
                assert!(separation(a, &pa, b, &parted) > 0.0 || s > 0.0);
            }
            println!("{na} - {nb}: worst gap error {worst:.1e} m");
            assert!(worst < 1e-7);
        }
    }
}

/// Largest s(n) = n·(x_B(−n) − x_A(n)) over directions: a grid on the sphere, then a pattern search
/// from the best of it.
fn best_direction(support_a: &dyn Fn(Vec3) -> Vec3, support_b: &dyn Fn(Vec3) -> Vec3) -> f64 {
    let s = |n: Vec3| n.dot(support_b(-n) - support_a(n));
    let count = 1000;
    let mut starts: Vec<(f64, Vec3)> = (0..count)
        .map(|i| {
            let z = 1.0 - (2.0 * i as f64 + 1.0) / count as f64;
            let angle = 2.399963229728653 * i as f64;
            let r = (1.0 - z * z).sqrt();
            let n = Vec3::new(r * angle.cos(), r * angle.sin(), z);
            (s(n), n)
        })
        .collect();
    starts.sort_by(|p, q| q.0.total_cmp(&p.0));
    let mut best = f64::NEG_INFINITY;
    for &(mut value, mut n) in &starts[..12] {
        let mut step = 0.05;
        while step > 1e-8 {
            let across = if n.x.abs() < 0.6 { Vec3::X } else { Vec3::Y };
            let t = n.cross(across).normalized().unwrap();
            let u = n.cross(t);
            let better = (0..8)
                .map(|k| {
                    let angle = std::f64::consts::FRAC_PI_4 * k as f64;
                    let m = n + (t * angle.cos() + u * angle.sin()) * step;
                    m.normalized().unwrap()
                })
                .map(|m| (s(m), m))
                .max_by(|p, q| p.0.total_cmp(&q.0))
                .filter(|m| m.0 > value);
            match better {
                Some((v, m)) => (value, n) = (v, m),
                None => step *= 0.5,
            }
        }
        best = best.max(value);
    }
    best
}

/// Support point of the exact shape, world axes; written apart from the code under test.
fn exact_support(name: &str, c: &Convex, pose: &Pose, dir: Vec3) -> Vec3 {
    let d = pose.rot.tr_mul_vec(dir);
    let x = match name {
        "cylinder" | "coin" => {
            let (r, h) = if name == "coin" {
                (0.3, 0.01)
            } else {
                (0.1, 0.2)
            };
            let across = d.x.hypot(d.y).max(1e-300);
            Vec3::new(r * d.x / across, r * d.y / across, h * d.z.signum())
        }
        "ellipsoid" => {
            let e = Vec3::new(0.3, 0.1, 0.2);
            let l = e.scale(d).norm();
            e.scale(e).scale(d) * (1.0 / l)
        }
        "sphere" => d * 0.15,
        "capsule" => d * 0.1 + Vec3::Z * (0.2 * d.z.signum()),
        _ => {
            let h = c.hull().unwrap();
            *h.vertices()
                .iter()
                .max_by(|p, q| p.dot(d).total_cmp(&q.dot(d)))
                .unwrap()
        }
    };
    pose.point(x)
}

fn all_shapes() -> Vec<(&'static str, Convex)> {
    vec![
        ("box", Convex::cuboid(Vec3::new(0.3, 0.2, 0.1)).unwrap()),
        (
            "round mesh",
            rounded(40, Vec3::new(0.3, 0.2, 0.25), 20).into(),
        ),
        ("cylinder", Convex::cylinder(0.1, 0.2).unwrap()),
        ("coin", Convex::cylinder(0.3, 0.01).unwrap()),
        (
            "ellipsoid",
            Convex::ellipsoid(Vec3::new(0.3, 0.1, 0.2)).unwrap(),
        ),
        ("sphere", Convex::sphere(0.15).unwrap()),
        ("capsule", Convex::capsule(0.1, 0.2).unwrap()),
    ]
}

#[test]
fn every_pair_with_a_round_shape_against_brute_force() {
    let mut random = Random(50);
    let shapes = all_shapes();
    for (na, a) in &shapes {
        for (nb, b) in &shapes {
            let round = |n: &str| n == "sphere" || n == "capsule";
            if a.hull().is_some() && b.hull().is_some() || round(na) && round(nb) {
                continue;
            }
            let (mut short, mut inexact, mut mirrored) = (0.0f64, 0.0f64, 0.0f64);
            for k in 0..12 {
                let gap = random.within(-0.02, 0.02) * if k % 2 == 0 { 1.0 } else { 1e-4 };
                let (pa, pb) = near_touching_curved(a, b, gap, &mut random);
                let p = deepest(&run(a, &pa, b, &pb, f64::INFINITY)).unwrap();
                let q = deepest(&run(b, &pb, a, &pa, f64::INFINITY)).unwrap();
                let sa = |d| exact_support(na, a, &pa, d);
                let sb = |d| exact_support(nb, b, &pb, d);
                // The gap is a maximum over directions: what the normal gives is a lower bound,
                // and no other direction may give more.
                let here = p.normal.dot(sb(-p.normal) - sa(p.normal));
                inexact = inexact.max((p.gap - here).abs());
                short = short.max(best_direction(&sa, &sb) - p.gap);
                mirrored = mirrored
                    .max((p.gap - q.gap).abs())
                    .max((p.normal + q.normal).norm());
            }
            println!(
                "{na} - {nb}: gap short by {short:.1e} m, off its normal by {inexact:.1e} m, between orders {mirrored:.1e}"
            );
            assert!(short < 1e-6 && inexact < 1e-9 && mirrored < 1e-6);
        }
    }
}

#[test]
fn cylinder_on_a_box_face() {
    let floor = Convex::cuboid(Vec3::new(1.0, 1.0, 0.1)).unwrap();
    let (r, h) = (0.1, 0.2);
    let cylinder = Convex::cylinder(r, h).unwrap();
    let lying = so3_exp(Vec3::X * std::f64::consts::FRAC_PI_2);
    for gap in [-1e-3, -1e-9, 0.0, 1e-9, 1e-3] {
        for (turn, height, count) in [(so3_exp(Vec3::Z), h, 4), (lying, r, 2)] {
            for tilt in [0.0, 1e-12, 1e-7, 1e-4] {
                let rot = so3_exp(Vec3::new(1.0, 0.3, 0.0) * tilt).mul_mat(&turn);
                let pose = Pose::new(rot, Vec3::new(0.3, -0.2, 0.1 + height + gap));
                for shape in [&floor, &cylinder] {
                    // The floor, or the cap of a wide cylinder.
                    let wide = Convex::cylinder(1.5, 0.1).unwrap();
                    let below = if std::ptr::eq(shape, &cylinder) {
                        &wide
                    } else {
                        &floor
                    };
                    let m = run(below, &Pose::IDENTITY, &cylinder, &pose, 2e-3);
                    assert_eq!(m.points().len(), count, "gap {gap:e} tilt {tilt:e}");
                    for p in m.points() {
                        assert!((p.gap - gap).abs() < 0.3 * tilt + 1e-9);
                        assert!((p.normal - Vec3::Z).norm() < 2.0 * tilt + 1e-9);
                        let d = differentiate(below, &Pose::IDENTITY, &cylinder, &pose, p);
                        assert!(d.unwrap().gap[0].is_finite());
                    }
                }
            }
        }
    }
    // Over the edge of the floor, the patch ends there.
    let pose = Pose::new(lying, Vec3::new(0.3, 0.95, 0.2));
    let m = run(&floor, &Pose::IDENTITY, &cylinder, &pose, 1e-3);
    let ys: Vec<f64> = m.points().iter().map(|p| p.point.y).collect();
    assert_eq!(ys.len(), 2);
    assert!(
        ys.iter().any(|y| (y - 1.0).abs() < 1e-9) && ys.iter().any(|y| (y - 0.75).abs() < 1e-9)
    );
}

/// A capsule's axis through a box, along a face, and on it: parry #378 reports EPA as stuck there.
#[test]
fn capsule_and_box_at_degenerate_poses() {
    let cuboid = Convex::cuboid(Vec3::new(0.5, 0.5, 0.5)).unwrap();
    let capsule = Convex::capsule(0.1, 0.3).unwrap();
    let along_x = so3_exp(Vec3::Y * std::f64::consts::FRAC_PI_2);
    for (rot, pos, gap, count) in [
        (Mat3::IDENTITY, Vec3::new(0.0, 0.0, 0.7), -0.2, 1),
        (along_x, Vec3::new(0.0, 0.0, 0.5), -0.1, 2),
        (along_x, Vec3::new(0.0, 0.0, 0.6), 0.0, 2),
        (along_x, Vec3::new(0.0, 0.0, 0.6 + 1e-9), 1e-9, 2),
        (along_x, Vec3::new(0.4, 0.0, 0.59), -0.01, 2),
        (Mat3::IDENTITY, Vec3::ZERO, -0.6, 4),
        (along_x, Vec3::new(0.8, 0.5, 0.5), -0.1, 1),
        (along_x, Vec3::new(0.8, 0.0, 0.0), -0.1, 1),
    ] {
        let pose = Pose::new(rot, pos);
        let m = run(&cuboid, &Pose::IDENTITY, &capsule, &pose, 1e-3);
        let p = deepest(&m).unwrap();
        assert!(
            (p.gap - gap).abs() < 1e-8,
            "{pos:?}: {} instead of {gap}",
            p.gap
        );
        assert!(m.points().len() <= count);
        assert!(p.point.is_finite() && (p.normal.norm() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn coincident_shapes_give_finite_contacts() {
    let shapes = all_shapes();
    for (na, a) in &shapes {
        for (nb, b) in &shapes {
            let round = |n: &str| n == "sphere" || n == "capsule";
            if round(na) && round(nb) {
                continue;
            }
            for turn in [Vec3::ZERO, Vec3::X * std::f64::consts::FRAC_PI_2] {
                for shift in [Vec3::ZERO, Vec3::Z * 0.005, Vec3::new(0.1, 0.1, 0.0)] {
                    let pose = Pose::new(so3_exp(turn), shift);
                    let m = run(a, &Pose::IDENTITY, b, &pose, 1e-3);
                    let p = deepest(&m).unwrap_or_else(|| panic!("{na} {nb}: no contact"));
                    assert!(
                        p.gap < 0.0 && p.gap.is_finite() && p.point.is_finite(),
                        "{na} {nb}"
                    );
                    assert!((p.normal.norm() - 1.0).abs() < 1e-9, "{na} {nb}");
                    let sa = |d| exact_support(na, a, &Pose::IDENTITY, d);
                    let sb = |d| exact_support(nb, b, &pose, d);
                    let best = best_direction(&sa, &sb);
                    assert!(best < p.gap + 1e-6, "{na} {nb}: {} short of {best}", p.gap);
                    if Feature::decode(p.feature) == Some(Feature::Indefinite) {}
                    for p in m.points() {
                        let d = differentiate(a, &Pose::IDENTITY, b, &pose, p).unwrap();
                        assert!(d.gap[0].is_finite() && d.point[0].is_finite());
                    }
                }
            }
        }
    }
}

#[test]
fn derivatives_of_round_shapes() {
    let shapes = all_shapes();
    for (i, (na, a)) in shapes.iter().enumerate() {
        for (j, (nb, b)) in shapes.iter().enumerate() {
            let round = |n: &str| n == "sphere" || n == "capsule";
            if a.hull().is_some() && b.hull().is_some() || round(na) && round(nb) {
                continue;
            }
            let seed = (60 + 10 * i + j) as u64;
            check_derivatives(&format!("{na} - {nb}"), a, b, 12, (-0.02, 0.01), seed);
        }
    }
}

#[test]
fn parallel_cylinders_touch_at_both_ends_of_their_overlap() {
    let a = Convex::cylinder(0.1, 0.3).unwrap();
    let capsule = Convex::capsule(0.1, 0.2).unwrap();
    for b in [&Convex::cylinder(0.1, 0.2).unwrap(), &capsule] {
        for gap in [-1e-3, 0.0, 1e-3] {
            for turn in [0.0, 1e-9, 1e-5] {
                let rot = so3_exp(Vec3::X * turn);
                let pose = Pose::new(rot, Vec3::new(0.2 + gap, 0.0, 0.2));
                let m = run(&a, &Pose::IDENTITY, b, &pose, 2e-3);
                let mut zs: Vec<f64> = m.points().iter().map(|p| p.point.z).collect();
                zs.sort_by(f64::total_cmp);
                let last = zs.len() - 1;
                assert!(last >= 1, "{gap} {turn}");
                assert!(zs[0].abs() < 1e-3 && (zs[last] - 0.3).abs() < 1e-3);
                for p in m.points() {
                    assert!((p.gap - gap).abs() < 1e-6);
                    assert!(
                        differentiate(&a, &Pose::IDENTITY, b, &pose, p).unwrap().gap[0].is_finite()
                    );
                }
            }
        }
    }
}

#[test]
fn plane_against_polytopes() {
    let mut random = Random(90);
    let shapes = all_shapes();
    for (name, b) in shapes.iter().filter(|s| !b_is_curved(s.0)) {
        for _ in 0..50 {
            let (plane, mut pb) = (random.pose(), random.pose());
            let n = plane.rot.c[2];
            let s = |pb: &Pose| n.dot(exact_support(name, b, pb, -n) - plane.pos);
            pb.pos -= n * (s(&pb) - random.within(-0.01, 0.005));
            let mut out = Manifold::default();
            collide_plane(&plane, b, &pb, 0.006, &mut out);
            let p = deepest(&out).unwrap();
            assert!((p.gap - s(&pb)).abs() < 1e-12 && (p.normal - n).norm() < 1e-15);
            for p in out.points() {
                let d = differentiate_plane(b, p);
                for k in 0..12 {
                    let fd = difference_of(&plane, &pb, p, k, |pa, pb| {
                        let mut out = Manifold::default();
                        collide_plane(pa, b, pb, 0.006, &mut out);
                        out
                    });
                    assert!(fd.is_none_or(|fd| error(&d, p, k, fd) < 1e-7));
                }
            }
        }
    }
    // A box flat on the plane keeps its four corners; a wheel's rim is spanned.
    let mut out = Manifold::default();
    let cuboid = Convex::cuboid(Vec3::new(0.3, 0.2, 0.1)).unwrap();
    collide_plane(
        &Pose::IDENTITY,
        &cuboid,
        &Pose::translation(Vec3::Z * 0.1),
        1e-3,
        &mut out,
    );
    assert_eq!(out.points().len(), 4);
    assert!(out.points().iter().all(|p| p.gap.abs() < 1e-15));
    let wheel: Vec<Vec3> = (0..400)
        .map(|i| {
            let a = std::f64::consts::TAU * (i / 2) as f64 / 200.0;
            Vec3::new(a.cos(), a.sin(), if i % 2 == 0 { -0.1 } else { 0.1 })
        })
        .collect();
    let wheel: Convex = Hull::from_points(&wheel).unwrap().into();
    collide_plane(
        &Pose::IDENTITY,
        &wheel,
        &Pose::translation(Vec3::Z * 0.1),
        1e-3,
        &mut out,
    );
    assert_eq!(out.points().len(), 4);
    let m = out.points().iter().fold(Vec3::ZERO, |s, p| s + p.point) * 0.25;
    assert!(m.norm() < 0.2);
}

fn b_is_curved(name: &str) -> bool {
    ["cylinder", "coin", "ellipsoid"].contains(&name)
}
