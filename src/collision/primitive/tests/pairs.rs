use super::super::feature::{Kind, unpack};
use super::super::{Manifold, again, collide, collide_sunk, differentiate, distance, exchanged};
use super::{Random, moved, separation};
use crate::collision::{ContactDerivative, ContactPoint, Shape, Smoothness};
use crate::spatial::{Pose, Twist, Vec3, so3_exp};
use std::f64::consts::FRAC_PI_2;

const POSES: usize = 1000;

type Make = fn(&mut Random) -> Shape;

const MAKERS: [(&str, Make); 6] = [
    ("plane", |_| Shape::Plane),
    ("sphere", |r| Shape::Sphere {
        radius: r.uniform(0.1, 0.5),
    }),
    ("capsule", |r| Shape::Capsule {
        radius: r.uniform(0.05, 0.3),
        half_length: r.uniform(0.1, 0.6),
    }),
    ("cylinder", |r| Shape::Cylinder {
        radius: r.uniform(0.1, 0.5),
        half_length: r.uniform(0.1, 0.6),
    }),
    ("ellipsoid", |r| Shape::Ellipsoid {
        semi_axes: Vec3::new(
            r.uniform(0.1, 0.6),
            r.uniform(0.1, 0.6),
            r.uniform(0.1, 0.6),
        ),
    }),
    ("box", |r| Shape::Box {
        half_extents: Vec3::new(
            r.uniform(0.1, 0.5),
            r.uniform(0.1, 0.5),
            r.uniform(0.1, 0.5),
        ),
    }),
];

fn size(shape: &Shape) -> f64 {
    match *shape {
        Shape::Plane => f64::INFINITY,
        Shape::Sphere { radius } => radius,
        Shape::Capsule { radius, .. } => radius,
        Shape::Cylinder {
            radius,
            half_length,
        } => radius.min(half_length),
        Shape::Ellipsoid { semi_axes: h } | Shape::Box { half_extents: h } => h.x.min(h.y).min(h.z),
    }
}

struct Scene {
    a: Shape,
    pose_a: Pose,
    b: Shape,
    pose_b: Pose,
}

impl Scene {
    fn distance(&self) -> Option<ContactPoint> {
        distance(&self.a, &self.pose_a, &self.b, &self.pose_b)
    }

    fn collide(&self, margin: f64) -> Manifold {
        let mut out = Manifold::default();
        assert!(collide(
            &self.a,
            &self.pose_a,
            &self.b,
            &self.pose_b,
            margin,
            &mut out
        ));
        out
    }

    fn exchanged(&self) -> Scene {
        Scene {
            a: self.b,
            pose_a: self.pose_b,
            b: self.a,
            pose_b: self.pose_a,
        }
    }

    fn separation(&self, n: Vec3) -> f64 {
        if self.b == Shape::Plane {
            separation((&self.b, &self.pose_b), (&self.a, &self.pose_a), -n)
        } else {
            separation((&self.a, &self.pose_a), (&self.b, &self.pose_b), n)
        }
    }

    fn moved(&self, p: Vec3, by_a: Twist, by_b: Twist) -> Scene {
        Scene {
            pose_a: moved(&self.pose_a, p, by_a),
            pose_b: moved(&self.pose_b, p, by_b),
            ..*self
        }
    }

    /// Random poses with a gap within 10 % of the smaller size; `None` if the pair is not handled.
    fn random(make_a: Make, make_b: Make, r: &mut Random) -> Option<Scene> {
        let mut s = Scene {
            a: make_a(r),
            pose_a: Pose::new(r.rotation(), r.vector()),
            b: make_b(r),
            pose_b: Pose::new(r.rotation(), Vec3::ZERO),
        };
        s.distance()?;
        let target = r.uniform(-0.1, 0.1) * size(&s.a).min(size(&s.b));
        let way = match (s.a, s.b) {
            (Shape::Plane, _) => s.pose_a.rot.c[2],
            (_, Shape::Plane) => -s.pose_b.rot.c[2],
            _ => r.direction(),
        };
        let (mut near, mut far) = (0.0, 4.0);
        for _ in 0..60 {
            let mid = 0.5 * (near + far);
            s.pose_b.pos = s.pose_a.pos + way * mid;
            if s.distance()?.gap < target {
                near = mid;
            } else {
                far = mid;
            }
        }
        Some(s)
    }
}

/// The largest separation over all directions, by sampling and a shrinking pattern search.
fn best_separation(s: &Scene, r: &mut Random) -> f64 {
    let mut best = (f64::NEG_INFINITY, Vec3::Z);
    for _ in 0..300 {
        let n = r.direction();
        let v = s.separation(n);
        if v > best.0 {
            best = (v, n);
        }
    }
    let mut step = 0.2;
    while step > 1e-7 {
        let mut better = false;
        for _ in 0..8 {
            let n = (best.1 + r.direction() * step).normalized().unwrap();
            let v = s.separation(n);
            if v > best.0 {
                best = (v, n);
                better = true;
            }
        }
        if !better {
            step *= 0.6;
        }
    }
    best.0
}

fn for_every_pair(mut check: impl FnMut(&str, &mut dyn FnMut(&mut Random) -> Scene)) -> usize {
    let mut pairs = 0;
    for (name_a, make_a) in MAKERS {
        for (name_b, make_b) in MAKERS {
            if Scene::random(make_a, make_b, &mut Random(1)).is_none() {
                continue;
            }
            pairs += 1;
            check(&format!("{name_a}-{name_b}"), &mut |r| {
                Scene::random(make_a, make_b, r).unwrap()
            });
        }
    }
    pairs
}

#[test]
fn the_closest_point_is_the_closest() {
    let pairs = for_every_pair(|name, scene| {
        let mut r = Random(7);
        for k in 0..POSES {
            let s = scene(&mut r);
            let c = s.distance().unwrap();
            assert!((c.normal.norm() - 1.0).abs() < 1e-12);
            let at_normal = s.separation(c.normal);
            assert!(
                (at_normal - c.gap).abs() < 1e-9,
                "{name} {k}: {c:?} {at_normal}"
            );
            // The points at half the gap from the midpoint lie on the shapes: no supporting plane
            // excludes them.
            for n in [c.normal, r.direction(), r.direction()] {
                let on_b = c.point + c.normal * (0.5 * c.gap);
                let on_a = c.point - c.normal * (0.5 * c.gap);
                for (shape, pose, on) in [(&s.a, &s.pose_a, on_a), (&s.b, &s.pose_b, on_b)] {
                    if *shape != Shape::Plane {
                        for n in [n, -n] {
                            let outside = n.dot(on) - super::support(shape, pose, n);
                            assert!(outside < 1e-9, "{name} {k}: {outside} {c:?}");
                        }
                    }
                }
            }
            // The points on the surfaces prove the distance of a separated pair. A sunk pair needs the
            // search over directions.
            if c.gap < 0.0 && k % 10 == 0 && s.a != Shape::Plane && s.b != Shape::Plane {
                let best = best_separation(&s, &mut r);
                assert!(best < c.gap + 1e-6, "{name} {k}: {} but {best}", c.gap);
            }
        }
    });
    assert_eq!(pairs, PAIRS);
}

/// Every ordered pair of the module's table.
const PAIRS: usize = 26;

#[test]
fn both_orders_give_the_mirrored_result() {
    for_every_pair(|name, scene| {
        let mut r = Random(3);
        for k in 0..POSES {
            let s = scene(&mut r);
            let t = s.exchanged();
            let (m, w) = (s.collide(0.1), t.collide(0.1));
            assert_eq!(m.points().len(), w.points().len());
            for (i, p) in m.points().iter().enumerate() {
                let repeated = m.points()[..i].iter().any(|q| q.feature == p.feature);
                assert!(!repeated, "{name} {k}: {m:?}");
            }
            for p in m.points() {
                let e = exchanged(p);
                let q = w.points().iter().find(|q| q.feature == e.feature);
                let q = q.unwrap_or_else(|| panic!("{name} {k}: {p:?}"));
                assert!((q.point - e.point).norm() < 1e-12, "{name} {k}");
                assert!((q.normal - e.normal).norm() < 1e-12, "{name} {k}");
                assert!((q.gap - e.gap).abs() < 1e-12, "{name} {k}");
                let mut d = ContactDerivative::default();
                let mut de = ContactDerivative::default();
                let smooth = differentiate(&s.a, &s.pose_a, &s.b, &s.pose_b, p, &mut d);
                let smooth_e = differentiate(&t.a, &t.pose_a, &t.b, &t.pose_b, q, &mut de);
                assert_eq!(smooth, smooth_e);
                let x = Twist::new(r.vector(), r.vector());
                let y = Twist::new(r.vector(), r.vector());
                let (point, normal, gap) = d.apply(p.normal, x, y);
                let (point_e, normal_e, gap_e) = de.apply(q.normal, y, x);
                let scale = 1.0 + point.norm() + normal.norm();
                assert!((point - point_e).norm() < 1e-9 * scale, "{name} {k}");
                assert!((normal + normal_e).norm() < 1e-9 * scale, "{name} {k}");
                assert!((gap - gap_e).abs() < 1e-9 * scale, "{name} {k}");
            }
        }
    });
}

/// Counts of compared, excluded and failed derivative directions.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    excluded: usize,
    failed: usize,
    worst: f64,
}

fn compare(
    s: &Scene,
    p: &ContactPoint,
    tally: &mut Tally,
    find: impl Fn(&Scene) -> Option<ContactPoint>,
) {
    let h = 1e-6;
    let mut d = ContactDerivative::default();
    let smooth = differentiate(&s.a, &s.pose_a, &s.b, &s.pose_b, p, &mut d);
    assert_eq!(smooth, Smoothness::Smooth);
    for k in 0..12 {
        let unit = Twist::unit(k % 6);
        let (xa, xb) = if k < 6 {
            (unit, Twist::ZERO)
        } else {
            (Twist::ZERO, unit)
        };
        let at = |step: f64| find(&s.moved(p.point, xa * step, xb * step));
        let (Some(plus), Some(minus)) = (at(h), at(-h)) else {
            tally.excluded += 1;
            continue;
        };
        let (point, normal, gap) = d.apply(p.normal, xa, xb);
        let r = 0.5 / h;
        let error = ((plus.point - minus.point) * r - point).norm() / point.norm().max(1.0);
        let error =
            error.max(((plus.normal - minus.normal) * r - normal).norm() / normal.norm().max(1.0));
        let error = error.max(((plus.gap - minus.gap) * r - gap).abs());
        tally.compared += 1;
        if error > 1e-5 {
            tally.failed += 1;
        }
        tally.worst = tally.worst.max(error);
    }
}

#[test]
fn derivatives_agree_with_differences() {
    for_every_pair(|name, scene| {
        let mut r = Random(11);
        let mut tally = Tally::default();
        for _ in 0..POSES {
            let s = scene(&mut r);
            let c = s.distance().unwrap();
            compare(&s, &c, &mut tally, |t| {
                t.distance().filter(|q| q.feature == c.feature)
            });
            for p in s.collide(0.1).points() {
                compare(&s, p, &mut tally, |t| {
                    let all = t.collide(0.2);
                    all.points()
                        .iter()
                        .find(|q| q.feature == p.feature)
                        .copied()
                });
            }
        }
        let share = |n: usize| 100.0 * n as f64 / (tally.compared + tally.excluded) as f64;
        println!(
            "{name}: {} compared, {:.3} % excluded at feature changes, {:.3} % above 1e-5, worst {:.1e}",
            tally.compared,
            share(tally.excluded),
            share(tally.failed),
            tally.worst
        );
        assert!(tally.excluded * 10 < tally.compared, "{name}");
        assert!(tally.failed * 100 < tally.compared, "{name}");
    });
}

/// A compliant capsule that has sunk into a box across its border leans by up to 1e-3: the contact over the
/// border has the normal of the face, and moves with the border.
#[test]
fn a_capsule_that_has_sunk_in_over_a_border_keeps_the_normal_of_the_face() {
    let mut r = Random(23);
    let mut tally = Tally::default();
    let sunk = |s: &Scene| {
        let mut out = Manifold::default();
        assert!(collide_sunk(
            &s.a, &s.pose_a, &s.b, &s.pose_b, 0.01, true, &mut out
        ));
        let is_crossing = |p: &&ContactPoint| {
            let (a, b) = unpack(p.feature);
            a.kind == Kind::Crossing || b.kind == Kind::Crossing
        };
        out.points().iter().find(is_crossing).copied()
    };
    for k in 0..POSES {
        let (radius, half_length) = (r.uniform(0.05, 0.3), r.uniform(0.1, 0.3));
        let half = Vec3::new(
            r.uniform(0.35, 0.5),
            r.uniform(0.2, 0.5),
            r.uniform(0.2, 0.5),
        );
        let lean = r.uniform(-9e-4, 9e-4);
        let turn =
            so3_exp(Vec3::Z * r.uniform(-0.3, 0.3)).mul_mat(&so3_exp(Vec3::Y * (FRAC_PI_2 + lean)));
        // One end beyond the border at +x.
        let place = Vec3::new(
            half.x,
            r.uniform(-0.1, 0.1),
            half.z + radius - 1e-3 * half_length,
        );
        let b = Pose::new(r.rotation(), r.vector());
        let (capsule, cuboid) = (
            (
                Shape::Capsule {
                    radius,
                    half_length,
                },
                b.compose(&Pose::new(turn, place)),
            ),
            (Shape::Box { half_extents: half }, b),
        );
        let (first, second) = if k % 2 == 0 {
            (capsule, cuboid)
        } else {
            (cuboid, capsule)
        };
        let s = Scene {
            a: first.0,
            pose_a: first.1,
            b: second.0,
            pose_b: second.1,
        };
        let p = sunk(&s).unwrap();
        let up = b.rot.c[2] * if k % 2 == 0 { -1.0 } else { 1.0 };
        assert!((p.normal - up).norm() < 1e-14, "{p:?}");
        assert!((b.inverse_point(p.point).x - half.x).abs() < 1e-12);
        compare(&s, &p, &mut tally, |t| {
            sunk(t).filter(|q| q.feature == p.feature)
        });
        let at = |s: &Scene| again(&s.a, &s.pose_a, &s.b, &s.pose_b, &p);
        let same = at(&s).unwrap();
        assert!((same.point - p.point).norm() + (same.gap - p.gap).abs() < 1e-14);
        // Before the bodies meet they are apart, and the capsule may lean more.
        let before = s.moved(
            p.point,
            Twist::new(up * -0.03, r.vector() * 0.05),
            Twist::ZERO,
        );
        compare(&before, &at(&before).unwrap(), &mut tally, at);
    }
    println!("{tally:?}");
    assert!(
        tally.failed == 0 && tally.excluded * 10 < tally.compared,
        "{tally:?}"
    );
}

#[test]
fn every_point_of_a_capsule_lying_on_a_shape_is_a_contact() {
    for (name, make) in [MAKERS[2], MAKERS[3], MAKERS[5]] {
        let mut r = Random(17);
        let mut tally = Tally::default();
        let mut points = [0; 5];
        for k in 0..POSES {
            let a = MAKERS[2].1(&mut r);
            let b = make(&mut r);
            // Along the shape's z or perpendicular to it, tilted slightly (for capsules, within the
            // angle that counts as parallel).
            let (radius, tilt) = match b {
                Shape::Capsule { radius, .. } => (radius, 4e-4),
                _ => (size(&b), 0.02),
            };
            let along = k % 2 == 0 || matches!(b, Shape::Capsule { .. });
            let turn = if along {
                Vec3::ZERO
            } else {
                Vec3::Y * std::f64::consts::FRAC_PI_2
            };
            let rot = so3_exp(r.vector() * tilt).mul_mat(&so3_exp(turn));
            let out = if along { Vec3::X } else { Vec3::Z };
            let mut s = Scene {
                a,
                pose_a: Pose::new(rot, Vec3::ZERO),
                b,
                pose_b: Pose::IDENTITY,
            };
            let place = r.vector() * 0.5 * radius;
            let (mut near, mut far) = (0.0, 4.0);
            for _ in 0..60 {
                let mid = 0.5 * (near + far);
                s.pose_a.pos = place + out * mid;
                if s.distance().unwrap().gap < -0.002 {
                    near = mid;
                } else {
                    far = mid;
                }
            }
            let m = s.collide(0.02);
            points[m.points().len()] += 1;
            let least = m.points().iter().fold(f64::INFINITY, |g, p| g.min(p.gap));
            assert!((least + 0.002).abs() < 1e-6, "{name} {k}: {least} {m:?}");
            for p in m.points() {
                let half = p.normal * (0.5 * p.gap);
                let probe = Shape::Sphere { radius: 1e-4 };
                for (shape, pose, on) in [
                    (&s.a, &s.pose_a, p.point - half),
                    (&s.b, &s.pose_b, p.point + half),
                ] {
                    let at = Pose::translation(on);
                    let d = distance(&probe, &at, shape, pose).unwrap();
                    // The upper end of a tilted capsule touches with a point of its ball that lies
                    // inside the capsule, by at most radius · (1 − cos tilt).
                    let inside = -1e-4 - d.gap;
                    let bound = 1e-9 + 1.5 * tilt * tilt * size(shape);
                    assert!(inside > -1e-9 && inside < bound, "{name} {k}: {p:?} {d:?}");
                }
                compare(&s, p, &mut tally, |t| {
                    let all = t.collide(0.1);
                    all.points()
                        .iter()
                        .find(|q| q.feature == p.feature)
                        .copied()
                });
            }
        }
        println!(
            "lying on {name}: points {points:?}, {} compared, {} excluded, {} above 1e-5, worst {:.1e}",
            tally.compared, tally.excluded, tally.failed, tally.worst
        );
        assert!(points[2] > POSES / 4, "{name}");
        assert!(tally.excluded * 10 < tally.compared, "{name}");
        assert!(tally.failed * 100 < tally.compared, "{name}");
    }
}

#[test]
fn a_capsule_sunk_to_its_axis_takes_the_least_way_out() {
    for (name, make) in &MAKERS[3..] {
        let mut r = Random(13);
        let mut tally = Tally::default();
        let mut sunk = 0;
        for k in 0..POSES {
            let mut s = Scene {
                a: Shape::Capsule {
                    radius: 0.01,
                    half_length: r.uniform(0.05, 0.8),
                },
                pose_a: Pose::new(r.rotation(), Vec3::ZERO),
                b: make(&mut r),
                pose_b: Pose::new(r.rotation(), r.vector()),
            };
            s.pose_a.pos = s.pose_b.point(r.vector() * 0.4);
            let c = s.distance().unwrap();
            let at_normal = s.separation(c.normal);
            assert!(
                (at_normal - c.gap).abs() < 1e-9,
                "{name} {k}: {c:?} {at_normal}"
            );
            if c.gap > -0.02 {
                continue;
            }
            sunk += 1;
            if k % 4 == 0 {
                let best = best_separation(&s, &mut r);
                assert!(best < c.gap + 1e-6, "{name} {k}: {} but {best}", c.gap);
            }
            compare(&s, &c, &mut tally, |t| {
                t.distance().filter(|q| q.feature == c.feature)
            });
        }
        println!(
            "sunk in {name}: {sunk} poses, {} compared, {} excluded, {} above 1e-5, worst {:.1e}",
            tally.compared, tally.excluded, tally.failed, tally.worst
        );
        assert!(sunk > POSES / 4, "{name}");
        assert!(tally.excluded * 10 < tally.compared, "{name}");
        assert!(tally.failed * 100 < tally.compared, "{name}");
    }
}
