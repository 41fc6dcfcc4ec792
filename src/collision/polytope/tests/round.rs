//! Spheres, capsules, cylinders, ellipsoids and planes against convex shapes.

use super::*;
use crate::spatial::Mat3;

/// Largest s(n) = n·(x_B(−n) − x_A(n)) over directions: a grid on the sphere, then a pattern search
/// from its best point.
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

/// Support point of the exact shape, world axes; independent of the code under test.
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
                        assert!(d.unwrap().0.gap[0].is_finite());
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

/// A capsule's axis through a box, along a face, and on the face: parry #378 reports that EPA does not
/// terminate there.
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
                    for p in m.points() {
                        let (d, _) = differentiate(a, &Pose::IDENTITY, b, &pose, p).unwrap();
                        assert!(d.gap[0].is_finite() && d.point[0].is_finite());
                    }
                }
            }
        }
    }
}

#[test]
fn an_edge_flat_on_a_cap_touches_where_it_crosses_the_rim() {
    let (r, h, depth, aside) = (0.02, 0.07, 0.008, 0.006);
    let cylinder = Convex::cylinder(r, h).unwrap();
    let half = Vec3::new(0.05, 0.075, 0.1);
    let cuboid = Convex::cuboid(half).unwrap();
    // The box's z lies along x. Rotated about z, one of the edges along z is lowest, far beyond the rim
    // on both sides.
    let across = so3_exp(Vec3::Y * std::f64::consts::FRAC_PI_2);
    for turn in [0.4, 0.8, 1.2] {
        let rot = so3_exp(Vec3::X * turn).mul_mat(&across);
        let lowest = (0..8)
            .map(|i| {
                Vec3::from_slice(
                    &[0, 1, 2].map(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] }),
                )
            })
            .map(|x| rot.mul_vec(x))
            .min_by(|a, b| a.z.total_cmp(&b.z))
            .unwrap();
        let over = Pose::new(rot, Vec3::new(0.01, aside - lowest.y, h - depth - lowest.z));
        for first in [true, false] {
            let query = |pa: &Pose, pb: &Pose| {
                if first {
                    run(&cylinder, pa, &cuboid, pb, 0.0)
                } else {
                    run(&cuboid, pb, &cylinder, pa, 0.0)
                }
            };
            let m = query(&Pose::IDENTITY, &over);
            let mut ends: Vec<ContactPoint> = m.points().to_vec();
            ends.retain(|p| (p.gap + depth).abs() < 1e-9);
            ends.sort_by(|p, q| p.point.x.total_cmp(&q.point.x));
            assert_eq!(ends.len(), 2, "{turn} {m:?}");
            let reach = (r * r - aside * aside).sqrt();
            for (p, side) in ends.iter().zip([-1.0, 1.0]) {
                let up = if first { 1.0 } else { -1.0 };
                assert!((p.normal - Vec3::Z * up).norm() < 1e-12);
                let at = Vec3::new(side * reach, aside, h - 0.5 * depth);
                assert!((p.point - at).norm() < 0.02 * r, "{turn} {p:?}");
            }
            // All motions except those that tilt the edge off the cap.
            for (p, k) in ends.iter().flat_map(|p| (0..12).map(move |k| (p, k))) {
                if k % 6 == 4 {
                    continue;
                }
                let fd = difference_of(&Pose::IDENTITY, &over, p, k, query).unwrap();
                let d = if first {
                    differentiate(&cylinder, &Pose::IDENTITY, &cuboid, &over, p)
                } else {
                    // Displacements of the cylinder come first, as in the query.
                    differentiate(&cuboid, &over, &cylinder, &Pose::IDENTITY, p)
                };
                let k = if first { k } else { (k + 6) % 12 };
                let e = error(&d.unwrap().0, p, k, fd);
                assert!(e < 1e-6, "{turn} {first} {k}: {e:e}");
            }
        }
    }
}

/// An edge over a cap bears at its lower end, and at the other end or where it leaves the cap.
#[test]
fn an_edge_that_leans_over_a_cap_bears_at_both_ends() {
    let (height, half, depth) = (0.03, 0.05, 0.004);
    let cube = Convex::cuboid(Vec3::new(half, half, half)).unwrap();
    for radius in [0.06, 0.5] {
        let cylinder = Convex::cylinder(radius, height).unwrap();
        for lean in [-0.03, -0.01, 0.003, 0.02, 0.03] {
            // The edge along y is lowest.
            let turn = so3_exp(Vec3::Z * 0.2)
                .mul_mat(&so3_exp(Vec3::X * lean))
                .mul_mat(&so3_exp(Vec3::Y * 0.7));
            let corner = Vec3::new(half, 0.0, -half);
            let low = turn.mul_vec(corner);
            let over = Pose::new(turn, Vec3::new(-low.x, -low.y, height - depth - low.z));
            for first in [true, false] {
                let query = |pa: &Pose, pb: &Pose| match first {
                    true => run(&cylinder, pa, &cube, pb, 0.0),
                    false => run(&cube, pb, &cylinder, pa, 0.0),
                };
                let m = query(&Pose::IDENTITY, &over);
                // A third point is where the edge crosses the polygon in the rim.
                let by_gap = |p: &&ContactPoint, q: &&ContactPoint| p.gap.total_cmp(&q.gap);
                let p = m.points().iter().min_by(by_gap).unwrap();
                let q = m.points().iter().max_by(by_gap).unwrap();
                let apart = p.point - q.point;
                assert!(apart.norm() > 1.9 * half, "{radius} {lean}: {m:?}");
                let rise = (p.gap - q.gap).abs() / apart.x.hypot(apart.y);
                assert!((rise - lean.abs().tan()).abs() < 1e-5, "{lean}: {rise}");
                for (p, k) in m.points().iter().flat_map(|p| (0..12).map(move |k| (p, k))) {
                    let fd = difference_of(&Pose::IDENTITY, &over, p, k, query).unwrap();
                    let d = match first {
                        true => differentiate(&cylinder, &Pose::IDENTITY, &cube, &over, p),
                        // Displacements of the cylinder come first, as in the query.
                        false => differentiate(&cube, &over, &cylinder, &Pose::IDENTITY, p),
                    };
                    let k = if first { k } else { (k + 6) % 12 };
                    let e = error(&d.unwrap().0, p, k, fd);
                    assert!(e < 1e-6, "{radius} {lean} {first} {k}: {e:e}");
                }
            }
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
                        differentiate(&a, &Pose::IDENTITY, b, &pose, p)
                            .unwrap()
                            .0
                            .gap[0]
                            .is_finite()
                    );
                }
            }
        }
    }
}

#[test]
fn a_cylinder_along_an_edge_touches_at_both_ends_of_their_overlap() {
    let cylinder = Convex::cylinder(0.1, 0.3).unwrap();
    let block = Convex::cuboid(Vec3::new(0.1, 0.1, 0.2)).unwrap();
    let eighth = so3_exp(Vec3::Z * std::f64::consts::FRAC_PI_4);
    for gap in [-1e-3, 0.0, 1e-3] {
        for turn in [0.0, 1e-9, 1e-5] {
            let rot = so3_exp(Vec3::X * turn).mul_mat(&eighth);
            let away = 0.1 + 0.02_f64.sqrt() + gap;
            let pose = Pose::new(rot, Vec3::new(away, 0.0, 0.2));
            let one = run(&cylinder, &Pose::IDENTITY, &block, &pose, 2e-3);
            let other = run(&block, &pose, &cylinder, &Pose::IDENTITY, 2e-3);
            for m in [one, other] {
                let mut zs: Vec<f64> = m.points().iter().map(|p| p.point.z).collect();
                zs.sort_by(f64::total_cmp);
                let last = zs.len() - 1;
                assert!(last >= 1, "{gap} {turn}");
                assert!(zs[0].abs() < 1e-3 && (zs[last] - 0.3).abs() < 1e-3);
                assert!(m.points().iter().all(|p| (p.gap - gap).abs() < 1e-5));
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
            collide_plane(&plane, b, &pb, &Approach::still(0.006), &mut out);
            let p = deepest(&out).unwrap();
            assert!((p.gap - s(&pb)).abs() < 1e-12 && (p.normal - n).norm() < 1e-15);
            for p in out.points() {
                let d = differentiate_plane(b, p);
                for k in 0..12 {
                    let fd = difference_of(&plane, &pb, p, k, |pa, pb| {
                        let mut out = Manifold::default();
                        collide_plane(pa, b, pb, &Approach::still(0.006), &mut out);
                        out
                    });
                    assert!(fd.is_none_or(|fd| error(&d, p, k, fd) < 1e-7));
                }
            }
        }
    }
    // A box flat on the plane keeps its four corners. The points on a wheel's rim span the rim.
    let mut out = Manifold::default();
    let cuboid = Convex::cuboid(Vec3::new(0.3, 0.2, 0.1)).unwrap();
    collide_plane(
        &Pose::IDENTITY,
        &cuboid,
        &Pose::translation(Vec3::Z * 0.1),
        &Approach::still(1e-3),
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
        &Approach::still(1e-3),
        &mut out,
    );
    assert_eq!(out.points().len(), 4);
    let m = out.points().iter().fold(Vec3::ZERO, |s, p| s + p.point) * 0.25;
    assert!(m.norm() < 0.2);
}

/// A wheel with many vertices stands on the edge between two of them. Both are equally low, so that
/// round-off must not choose between them.
#[test]
fn the_points_of_a_standing_wheel_survive_round_off() {
    let rim = (0..400).map(|i| {
        let a = std::f64::consts::TAU * (i / 2) as f64 / 200.0;
        Vec3::new(a.cos(), a.sin(), if i % 2 == 0 { -0.1 } else { 0.1 })
    });
    let wheel: Convex = Hull::from_points(&rim.collect::<Vec<_>>()).unwrap().into();
    let upright = so3_exp(Vec3::X * std::f64::consts::FRAC_PI_2);
    let mut points = Manifold::default();
    let mut features = |turn: Vec3| {
        let pose = Pose::new(so3_exp(turn).mul_mat(&upright), Vec3::Z);
        let approach = Approach::still(0.5);
        collide_plane(&Pose::IDENTITY, &wheel, &pose, &approach, &mut points);
        let low = points.points().iter().any(|p| p.gap.abs() < 1e-11);
        assert!(low, "{turn:?}");
        (points.points().iter().map(|p| p.feature)).collect::<Vec<_>>()
    };
    let at_rest = features(Vec3::ZERO);
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        for turn in [1e-12, -1e-12] {
            assert_eq!(features(axis * turn), at_rest, "{axis:?} {turn}");
        }
    }
}

fn b_is_curved(name: &str) -> bool {
    ["cylinder", "coin", "ellipsoid"].contains(&name)
}

#[test]
fn poses_without_meaning_neither_panic_nor_hang() {
    let shapes = all_shapes();
    for x in [f64::NAN, f64::INFINITY, 1e300, -1e200] {
        for (_, a) in &shapes {
            for (_, b) in &shapes {
                let mut turned = Pose::IDENTITY;
                turned.rot.c[1].x = x;
                for pose in [Pose::translation(Vec3::new(0.1, x, 0.0)), turned] {
                    for p in run(a, &Pose::IDENTITY, b, &pose, 0.01).points() {
                        let _ = differentiate(a, &Pose::IDENTITY, b, &pose, p);
                    }
                    let mut out = Manifold::default();
                    collide_plane(&pose, b, &Pose::IDENTITY, &Approach::still(0.01), &mut out);
                }
            }
        }
    }
}

/// Thin shapes, 1:1e4, against each other and a box.
#[test]
fn needles_and_coins_stay_exact() {
    let shapes = [
        ("box", Convex::cuboid(Vec3::new(0.3, 0.2, 0.1)).unwrap()),
        ("rod", Convex::cylinder(1e-4, 1.0).unwrap()),
        ("disc", Convex::cylinder(1.0, 1e-4).unwrap()),
        (
            "flake",
            Convex::ellipsoid(Vec3::new(1.0, 0.7, 1e-4)).unwrap(),
        ),
        ("wire", Convex::capsule(1e-4, 1.0).unwrap()),
    ];
    let mut random = Random(110);
    for (na, a) in &shapes {
        for (nb, b) in &shapes {
            if na == nb && *na == "wire" {
                continue;
            }
            for k in 0..20 {
                let gap = random.within(-1e-5, 1e-3);
                let (pa, pb) = near_touching_curved(a, b, gap, &mut random);
                let m = run(a, &pa, b, &pb, f64::INFINITY);
                let p = deepest(&m).unwrap();
                let q = deepest(&run(b, &pb, a, &pa, f64::INFINITY)).unwrap();
                assert!(
                    (p.gap - q.gap).abs() < 1e-7,
                    "{na} {nb} {k}: {} {}",
                    p.gap,
                    q.gap
                );
                let (d, _) = differentiate(a, &pa, b, &pb, &p).unwrap();
                assert!(p.point.is_finite() && d.gap[0].is_finite());
                assert!((p.normal.norm() - 1.0).abs() < 1e-9);
            }
        }
    }
}
