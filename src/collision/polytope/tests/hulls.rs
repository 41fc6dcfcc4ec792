//! Hulls: construction, and contact with each other.

use super::*;
use crate::collision::polytope::gjk::Simplex;
use crate::collision::polytope::shell::Shell;
use crate::collision::polytope::{depth, sat};

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

#[test]
fn hull_of_a_gridded_box_is_the_box() {
    for (h, cells) in [
        (Vec3::new(0.3, 0.2, 0.4), 7),
        (Vec3::new(1.0, 1e-4, 1e-4), 3),
        (Vec3::new(1.0, 1.0, 1e-4), 5),
    ] {
        let mut mesh = gridded_box(h, cells);
        // Single precision and a rotation, as in files.
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
fn points_on_a_plane_are_a_plate() {
    let plane: Vec<Vec3> = (0..9)
        .map(|i| Vec3::new((i % 3) as f64, (i / 3) as f64, 1.0))
        .collect();
    let hull = Hull::from_points(&plane).unwrap();
    assert_eq!((hull.vertices().len(), hull.faces().len()), (8, 6));
    let half = 0.5e-4 * 8.0_f64.sqrt();
    for v in hull.vertices() {
        assert!(((v.z - 1.0).abs() - half).abs() < 1e-12, "{v:?}");
    }
}

#[test]
fn hulls_without_volume_are_refused() {
    let line: Vec<Vec3> = (0..9)
        .map(|i| Vec3::new(i as f64, 2.0 * i as f64, 0.0))
        .collect();
    let nan = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.0, f64::NAN, 1.0)];
    for (points, expected) in [
        (line, "lie on a line"),
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
                match depth::least_depth(
                    &pair,
                    &mut Simplex::default(),
                    &mut Shell::default(),
                    rounding,
                ) {
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

/// Face on face, the smaller box on the larger one, `gap` apart. Every symmetric placement puts the
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

/// Distance of two hulls by projecting every feature of one onto the other: slow and simple.
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

/// Distance of two segments: from the four ends to the other segment, and along the common perpendicular.
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
                // Moving B out along the normal by the depth separates the hulls.
                let mut parted = pb;
                parted.pos += p.normal * (1e-7 - p.gap.min(0.0));
                assert!(separation(a, &pa, b, &parted) > 0.0 || s > 0.0);
            }
            println!("{na} - {nb}: worst gap error {worst:.1e} m");
            assert!(worst < 1e-7);
        }
    }
}

/// A prism over the polygon `outline` in the xy plane, given with its triangles, from z = 0 to 1.
fn extruded(outline: &[[f64; 2]], triangles: &[[u32; 3]]) -> crate::model::mesh::TriMesh {
    let n = outline.len() as u32;
    let mut m = crate::model::mesh::TriMesh::default();
    for z in [0.0, 1.0] {
        m.vertices
            .extend(outline.iter().map(|p| Vec3::new(p[0], p[1], z)));
    }
    for &[i, j, k] in triangles {
        m.triangles.push([i, k, j]);
        m.triangles.push([i + n, j + n, k + n]);
    }
    for i in 0..n {
        let j = (i + 1) % n;
        m.triangles.push([i, j, j + n]);
        m.triangles.push([i, j + n, i + n]);
    }
    m
}

#[test]
fn an_angle_decomposes_into_pieces_that_leave_its_notch_free() {
    let outline = [
        [0.0, 0.0],
        [2.0, 0.0],
        [2.0, 1.0],
        [1.0, 1.0],
        [1.0, 2.0],
        [0.0, 2.0],
    ];
    let mut mesh = extruded(&outline, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]);
    let pieces = decompose(&mesh, Decomposition::default()).unwrap();
    let inside = |x: Vec3, slack: f64| {
        pieces.iter().any(|h| {
            h.faces()
                .iter()
                .all(|f| f.normal.dot(x) - f.offset <= slack)
        })
    };
    let mut random = Random(70);
    for _ in 0..2000 {
        let x = Vec3::new(
            random.within(0.0, 2.0),
            random.within(0.0, 2.0),
            random.next(),
        );
        let outside = (x.x - 1.0).min(x.y - 1.0);
        if outside < 0.0 {
            assert!(inside(x, 0.05), "{x:?} is in the solid");
        } else if outside > 0.1 {
            assert!(!inside(x, 0.0), "{x:?} is in the notch");
        }
    }
    mesh.triangles.pop();
    let e = decompose(&mesh, Decomposition::default()).unwrap_err();
    assert!(e.message.contains("needs a closed mesh"), "{}", e.message);
}

#[test]
fn queries_do_not_allocate_and_do_not_depend_on_the_cache() {
    let shapes: Vec<Convex> = vec![
        rounded(700, Vec3::new(0.1, 0.08, 0.12), 1).into(),
        rounded(700, Vec3::new(0.1, 0.1, 0.1), 2).into(),
        Convex::cuboid(Vec3::new(0.1, 0.08, 0.12)).unwrap(),
        Convex::cylinder(0.1, 0.2).unwrap(),
        Convex::ellipsoid(Vec3::new(0.1, 0.2, 0.15)).unwrap(),
        Convex::capsule(0.05, 0.1).unwrap(),
    ];
    let mut random = Random(80);
    // One cache for all pairs: even the memory of another pair must not matter.
    let mut cache = PairCache::default();
    for a in &shapes[..5] {
        for b in &shapes {
            for _ in 0..40 {
                let (pa, mut pb) = (random.pose(), random.pose());
                let away = random.vector(1.0).normalized().unwrap();
                pb.pos = pa.pos + away * (random.within(0.3, 1.0) * (a.size() + b.size()));
                let (mut warm, mut cold) = (Manifold::default(), Manifold::default());
                let used = allocation_counter::measure(|| {
                    collide(a, &pa, b, &pb, 0.01, &mut cache, &mut warm);
                    for p in warm.points() {
                        assert!(differentiate(a, &pa, b, &pb, p).is_ok());
                    }
                });
                assert_eq!(used.count_total, 0);
                collide(a, &pa, b, &pb, 0.01, &mut PairCache::default(), &mut cold);
                assert!(warm == cold);
            }
        }
    }
}

/// Clouds that are hard for hull algorithms: grids, circles, nearly plane caps, single precision,
/// repeated points, all in random orientations and extents.
#[test]
fn hulls_of_awkward_clouds() {
    let mut random = Random(100);
    for round in 0..200 {
        let scale = Vec3::new(
            10f64.powf(random.within(-3.0, 0.0)),
            10f64.powf(random.within(-3.0, 0.0)),
            1.0,
        );
        let n = 4 + (random.next() * 120.0) as usize;
        let mut cloud: Vec<Vec3> = (0..n)
            .map(|i| {
                let v = random.vector(1.0);
                let steps = (v * 2.0).to_array().map(f64::round);
                let angle = (i / 2) as f64 * 0.3;
                match round % 4 {
                    0 => Vec3::from_slice(&steps) * 0.5,
                    1 => Vec3::new(angle.cos(), angle.sin(), (i % 2) as f64),
                    2 => v.normalized().unwrap(),
                    _ => Vec3::new(
                        v.x,
                        v.y,
                        1.0 - 1e-5 * (v.x * v.x + v.y * v.y) * random.next(),
                    ),
                }
            })
            .collect();
        cloud.push(Vec3::new(0.1, 0.2, -1.0));
        cloud.extend([Vec3::X, Vec3::Y, Vec3::ZERO]);
        let pose = random.pose();
        for v in &mut cloud {
            *v = pose.point(v.scale(scale));
            if round % 3 == 0 {
                *v = Vec3::from_slice(&v.to_array().map(|x| f64::from(x as f32)));
            }
        }
        cloud.extend_from_within(..n / 2);
        let hull = Hull::from_points(&cloud).unwrap();
        for _ in 0..50 {
            let d = random.vector(1.0).normalized().unwrap();
            let best = cloud.iter().map(|v| v.dot(d)).fold(f64::MIN, f64::max);
            let found = hull.vertex(hull.support(d)).dot(d);
            assert!((found - best).abs() < 2e-6, "cloud {round}: {found} {best}");
        }
    }
}

#[test]
fn nearly_flat_boxes_keep_a_patch() {
    let h = Vec3::new(0.1, 0.1, 0.1);
    let mut random = Random(120);
    let cuboid = Convex::cuboid(h).unwrap();
    let mesh = Convex::from_mesh(&gridded_box(h, 2)).unwrap();
    for (a, b) in [(&cuboid, &cuboid), (&mesh, &mesh), (&cuboid, &mesh)] {
        let mut fewest = 9;
        for _ in 0..500 {
            let tilt = random.vector(1.0) * 10f64.powf(random.within(-9.0, -3.0));
            let turn = so3_exp(Vec3::Z * random.within(-0.8, 0.8));
            let shift = Vec3::new(random.within(-0.05, 0.05), random.within(-0.05, 0.05), 0.0);
            let pose = Pose::new(
                so3_exp(tilt).mul_mat(&turn),
                shift + Vec3::Z * (0.2 + random.within(-1e-3, 5e-4)),
            );
            let m = run(a, &Pose::IDENTITY, b, &pose, 1e-3);
            fewest = fewest.min(m.points().len());
            let sum = m.points().iter().fold(Vec3::ZERO, |s, p| s + p.point);
            let middle = sum * (1.0 / m.points().len() as f64);
            // The patch spans the overlap of the faces. The middle of the overlap is half the shift away.
            assert!(
                (middle - shift * 0.5 - Vec3::Z * 0.1).norm() < 0.04,
                "{:?}",
                m.points()
            );
        }
        assert!(fewest >= 3);
        println!("fewest points {fewest}");
    }
}

/// Where two ridges cross whose sides count as parallel, round-off decides whether one point or a patch of
/// two sides is the contact: the point has no derivative.
#[test]
fn flat_ridges_that_cross_are_labelled() {
    let (width, length, depth) = (0.05, 0.1, 4e-7);
    for (slope, smoothness) in [(1e-5, Smoothness::Degenerate), (0.1, Smoothness::Smooth)] {
        let mut points = vec![];
        for y in [-length, length] {
            points.push(Vec3::new(0.0, y, 0.0));
            for x in [-width, width] {
                points.push(Vec3::new(x, y, -slope * width));
                points.push(Vec3::new(x, y, -0.1));
            }
        }
        let hull = Hull::from_points(&points).unwrap();
        let top = [-length, length].map(|y| {
            let is_end = |v: &Vec3| (*v - Vec3::Y * y).norm() < 1e-12;
            hull.vertices().iter().position(is_end).unwrap() as u16
        });
        let ridge = Convex::from(hull);
        let over = so3_exp(Vec3::Z * 0.3).mul_mat(&so3_exp(Vec3::X * std::f64::consts::PI));
        let pb = Pose::new(over, Vec3::Z * -depth);
        let crossing = ContactPoint {
            point: Vec3::Z * (-0.5 * depth),
            normal: Vec3::Z,
            gap: -depth,
            feature: Feature::EdgeEdge { a: top, b: top }.encode(),
        };
        let found = differentiate(&ridge, &Pose::IDENTITY, &ridge, &pb, &crossing);
        assert_eq!(found.unwrap().1, smoothness, "{slope}");
    }
}
