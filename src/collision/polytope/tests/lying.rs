//! Cylinders that lie on faces and beside lines: their contacts, and the derivatives by the bodies'
//! motion and by the radius.

use super::*;
use std::f64::consts::FRAC_PI_2;

const RADIUS: f64 = 0.05;
const HALF_LENGTH: f64 = 0.08;

fn rod(radius: f64) -> Convex {
    Convex::cylinder(radius, HALF_LENGTH).unwrap()
}

/// A pose along x with the upper end lifted by `slope`; the lowest point of the side is `depth` below z
/// = 0 at the middle.
fn lying(slope: f64, depth: f64) -> Pose {
    let turn = so3_exp(Vec3::Y * (FRAC_PI_2 - slope)).mul_mat(&so3_exp(Vec3::Z * 0.7));
    Pose::new(turn, Vec3::Z * (RADIUS - depth))
}

/// Compares the derivatives of all points of the cylinder A and B with finite differences, by
/// displacements and by the radius of one cylinder.
fn check(b: &Convex, [pa, pb]: [&Pose; 2], radius_of_b: bool, label: &str) -> Vec<ContactPoint> {
    const WIDTH: f64 = 1e-6;
    const MARGIN: f64 = 0.01;
    let a = rod(RADIUS);
    let found = run(&a, pa, b, pb, MARGIN);
    for p in found.points() {
        let (d, smoothness) = differentiate(&a, pa, b, pb, p).unwrap();
        assert_eq!(smoothness, Smoothness::Smooth, "{label}: {p:?}");
        for k in 0..12 {
            let query = |pa: &Pose, pb: &Pose| run(&a, pa, b, pb, MARGIN);
            let fd = difference_of(pa, pb, p, k, query).expect(label);
            let e = error(&d, p, k, fd);
            assert!(e < 1e-6, "{label}: {p:?} by {k}: {e:e}");
        }
        let larger = |by: f64| {
            let m = match radius_of_b {
                true => run(&a, pa, &rod(RADIUS + by), pb, MARGIN),
                false => run(&rod(RADIUS + by), pa, b, pb, MARGIN),
            };
            let same = m.points().iter().copied();
            same.into_iter().find(|q| q.feature == p.feature)
        };
        let [plus, minus] = [WIDTH, -WIDTH].map(|by| larger(by).expect(label));
        // The cylinder's surface moves outwards from its axis.
        let (pose, side) = if radius_of_b { (pb, 0.5) } else { (pa, -0.5) };
        let on = pose.inverse_point(p.point + p.normal * (side * p.gap));
        let by = Twist::new(
            pose.rot.mul_vec(Vec3::new(on.x, on.y, 0.0)) * (1.0 / RADIUS),
            Vec3::ZERO,
        );
        let displaced = if radius_of_b {
            [Twist::ZERO, by]
        } else {
            [by, Twist::ZERO]
        };
        let (dp, dn, dg) = d.apply(p.normal, displaced[0], displaced[1]);
        let slope = |plus: Vec3, minus: Vec3| (plus - minus) * (0.5 / WIDTH);
        let off = (dp - slope(plus.point, minus.point)).norm()
            + (dn - slope(plus.normal, minus.normal)).norm()
            + (dg - (plus.gap - minus.gap) * (0.5 / WIDTH)).abs();
        assert!(off < 1e-6, "{label}: {p:?} by the radius: {off:e}");
    }
    found.points().to_vec()
}

/// Both contacts over a face lie on the cylinder's surface: ends on the rims, however steep, and
/// crossings with the face's side.
#[test]
fn on_a_face_it_touches_along_a_line_of_its_side() {
    let half = Vec3::new(0.06, 0.2, 0.05);
    let table = Convex::cuboid(half).unwrap();
    for slope in [-0.1, -0.01, 1e-3, 0.03, 0.1] {
        for aside in [0.0, 0.03] {
            let over = lying(slope, 2e-3);
            let beneath = Pose::new(so3_exp(Vec3::Z * 0.2), Vec3::new(aside, 0.0, -half.z));
            let points = check(
                &table,
                [&over, &beneath],
                false,
                &format!("{slope} {aside}"),
            );
            assert_eq!(points.len(), 2, "{slope} {aside}: {points:?}");
            for p in points {
                let x = over.inverse_point(p.point + p.normal * (-0.5 * p.gap));
                assert!((x.x.hypot(x.y) - RADIUS).abs() < 1e-12, "{slope}: {x:?}");
                assert!(x.z.abs() <= HALF_LENGTH + 1e-12, "{slope}: {x:?}");
            }
        }
    }
}

/// The ends of lines beside each other are points of the rims, not of balls about the ends of the axes.
#[test]
fn beside_a_line_it_touches_with_its_rims() {
    let bar = Convex::cuboid(Vec3::new(0.1, 0.06, 0.06)).unwrap();
    let eighth = so3_exp(Vec3::X * std::f64::consts::FRAC_PI_4);
    for slope in [-0.05, -2e-3, 2e-3, 0.02, 0.05] {
        for turn in [-0.04, 0.0, 0.03] {
            let label = format!("{slope} {turn}");
            let over = lying(slope, 1e-3);
            let crest = Vec3::new(0.06, 0.0, -(0.06 * 2f64.sqrt()));
            let edge = Pose::new(so3_exp(Vec3::Z * turn).mul_mat(&eighth), crest);
            assert!(check(&bar, [&over, &edge], false, &label).len() >= 2);
            let other = Pose::new(
                so3_exp(Vec3::new(0.4, FRAC_PI_2, turn)),
                Vec3::new(0.03, 0.0, -RADIUS),
            );
            for of_b in [false, true] {
                check(&rod(RADIUS), [&over, &other], of_b, &label);
            }
        }
    }
}

/// Two parallel lines side by side that end together: both ends are equally good, so the point moves
/// with either.
#[test]
fn lines_that_end_together_are_tied() {
    let (a, b) = (rod(RADIUS), rod(RADIUS));
    for (shift, tied) in [(0.0, 2), (0.03, 0)] {
        let [pa, pb] = [0.0, 2.0 * RADIUS - 1e-4].map(|y| lying(0.0, 0.0).pos + Vec3::Y * y);
        let turn = lying(0.0, 0.0).rot;
        let (pa, pb) = (Pose::new(turn, pa), Pose::new(turn, pb + Vec3::X * shift));
        let found = run(&a, &pa, &b, &pb, 1e-3);
        assert_eq!(found.points().len(), 2, "{shift}: {found:?}");
        let is_tied = |p: &&ContactPoint| {
            let (_, smoothness) = differentiate(&a, &pa, &b, &pb, p).unwrap();
            matches!(smoothness, Smoothness::Tied(tie) if tie.slide.x.abs() > RADIUS)
        };
        assert_eq!(
            found.points().iter().filter(is_tied).count(),
            tied,
            "{shift}"
        );
    }
}

/// A level edge with one end over a cap: both ends are equally deep. The gap of the point is that of the
/// vertex in its feature.
#[test]
fn the_gap_of_a_vertex_is_its_own() {
    let post = Convex::cylinder(0.05, 0.08).unwrap();
    let half = Vec3::new(0.08, 0.03, 0.04);
    let block = Convex::cuboid(half).unwrap();
    let mut seen = 0;
    for turn in 0..40 {
        // One of the two lowest vertices is over the cap, the other one beyond its rim.
        let spun = so3_exp(Vec3::Z * (0.37 * f64::from(turn)));
        let tip = spun.mul_mat(&so3_exp(Vec3::Y * -0.01));
        let low = tip.mul_vec(Vec3::new(-half.x, 0.0, -half.z));
        let middle = spun.mul_vec(Vec3::new(-0.03, 0.04, 0.0));
        let over = Pose::new(tip, middle + Vec3::Z * (0.08 - 5e-4) - low);
        let query = |pose: &Pose| run(&post, &Pose::IDENTITY, &block, pose, 1e-3);
        let found = query(&over);
        let is_vertex = |p: &&ContactPoint| {
            matches!(
                Feature::decode(p.feature),
                Some(Feature::Spots([Spot::Cap(_), Spot::Vertex(_)]))
            )
        };
        let Some(p) = found.points().iter().find(is_vertex) else {
            continue;
        };
        seen += 1;
        let (d, _) = differentiate(&post, &Pose::IDENTITY, &block, &over, p).unwrap();
        for (k, width) in (0..6).flat_map(|k| [1e-7, -1e-7].map(|width| (k, width))) {
            let t = Twist::unit(k) * width;
            let r = so3_exp(t.ang);
            let at = p.point + r.mul_vec(over.pos - p.point) + t.lin;
            let moved = query(&Pose::new(r.mul_mat(&over.rot), at));
            let same = moved.points().iter().find(|q| q.feature == p.feature);
            // Tipped far enough, the other vertex is deeper.
            let Some(q) = same else { continue };
            let (_, _, dg) = d.apply(p.normal, Twist::ZERO, Twist::unit(k));
            let slope = (q.gap - p.gap) / width;
            assert!(
                (slope - dg).abs() < 1e-5,
                "{turn} {k} {width}: {slope} {dg}"
            );
        }
    }
    assert!(seen > 0);
}
