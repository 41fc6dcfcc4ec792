//! Labels and derivatives where faces lie exactly on each other, and where touching geoms carry no load.

use crate::common::scene::{at, ball, cuboid, fixed, free, options};
use crate::common::sides::{APART, Sides, Walk};
use diffsim::model::mesh::TriMesh;
use diffsim::model::spec::{MeshMode, ModelSpec, OpenMesh, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::query::ContactDerivatives;
use diffsim::spatial::{Pose, Vec3, so3_exp};
use diffsim::step::Contact;
use diffsim::step::{Gradient, Sim};
use std::sync::Arc;

const LAWS: [Contact; 3] = [Contact::Ncp, Contact::Convex, Contact::Lcp];
const SMALL: [f64; 3] = [0.05, 0.04, 0.02];
const LARGE: [f64; 3] = [0.3, 0.25, 0.015];

fn shape([x, y, z]: [f64; 3]) -> ShapeSpec {
    cuboid(x, y, z)
}

/// A box turned about the vertical on another one, `depth` deep and off its centre, the upper one first if
/// asked for.
fn stacked(
    [lower, upper]: [[f64; 3]; 2],
    depth: f64,
    aside: f64,
    upper_first: bool,
    law: Contact,
) -> Walk {
    let place = Pose::new(
        so3_exp(Vec3::Z * 0.3),
        Vec3::new(aside, 0.0, lower[2] + upper[2] - depth),
    );
    let mut spec = ModelSpec::default();
    let mut add = |name: &str, place: Pose, half: [f64; 3]| {
        let body = free(&mut spec, name, place, 1.0, shape(half));
        let geom = spec.geoms.last_mut().unwrap();
        assert_eq!(geom.body, body);
        geom.friction[0] = 0.2;
    };
    match upper_first {
        true => {
            add("upper", place, upper);
            add("lower", Pose::IDENTITY, lower);
        }
        false => {
            add("lower", Pose::IDENTITY, lower);
            add("upper", place, upper);
        }
    }
    walk(spec, law)
}

fn walk(spec: ModelSpec, law: Contact) -> Walk {
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let mut with = options(2e-3);
    with.contact = law;
    let q = model.neutral().to_vec();
    Walk::new(Sim::new(model, &with).unwrap(), q)
}

/// The step from rest but for a slow slide of the first body.
fn look(w: &mut Walk) -> Sides {
    (w.v[0], w.v[1]) = (0.3, -0.2);
    let u = vec![0.0; w.v.len()];
    w.look(&u, 6)
}

/// The face that holds the other decides how the normal turns, whichever body comes first: a normal fixed in
/// the smaller one was off by as much as the columns are large, and called exact.
#[test]
fn the_larger_face_has_the_normal() {
    for law in LAWS {
        for boxes in [[SMALL, LARGE], [LARGE, SMALL]] {
            for upper_first in [false, true] {
                let s = look(&mut stacked(boxes, 3e-3, 0.01, upper_first, law));
                assert_eq!(s.label, Gradient::Exact, "{law:?} {boxes:?} {s:?}");
                assert!(s.apart < APART && s.off < APART, "{law:?} {boxes:?} {s:?}");
            }
        }
    }
}

/// Where neither face contains the other, the larger one gives the normal for all motions. By the axis of
/// least depth the normal changed from one face to the other between motions, and the points jumped by the
/// overlap.
#[test]
fn faces_that_overhang_have_one_normal() {
    for law in LAWS {
        for boxes in [[SMALL, SMALL], [SMALL, LARGE], [LARGE, SMALL]] {
            let s = look(&mut stacked(
                boxes,
                3e-3,
                0.04 + boxes[0][0] - SMALL[0],
                false,
                law,
            ));
            assert!(s.apart < APART, "{law:?} {boxes:?} {s:?}");
            // The distribution over sliding rigid contacts is open, and the label says so.
            if law != Contact::Ncp {
                assert_eq!(s.label, Gradient::Exact, "{law:?} {boxes:?} {s:?}");
                assert!(s.off < APART, "{law:?} {boxes:?} {s:?}");
            }
        }
    }
}

/// A prism with so many sides.
fn prism(sides: usize, radius: f64, half_height: f64) -> ShapeSpec {
    let corner = |k: usize| {
        let angle = 2.0 * std::f64::consts::PI * k as f64 / sides as f64;
        let z = if k < sides { half_height } else { -half_height };
        Vec3::new(radius * angle.cos(), radius * angle.sin(), z)
    };
    let n = sides as u32;
    let around = (0..n).flat_map(|k| {
        let next = (k + 1) % n;
        [[k, n + next, next], [k, n + k, n + next]]
    });
    let caps = (2..n).flat_map(|k| [[0, k - 1, k], [n, n + k, n + k - 1]]);
    ShapeSpec::Mesh {
        mesh: Arc::new(TriMesh {
            vertices: (0..2 * sides).map(corner).collect(),
            triangles: around.chain(caps).collect(),
        }),
        mode: MeshMode::Hull,
        open: OpenMesh::Error,
    }
}

/// Of more than four corners those are kept that a small tilt or slide keeps: the deepest of an octagon that
/// stands level was another one at each tilt, and with it all four.
#[test]
fn what_stands_on_many_corners_keeps_its_four() {
    for law in LAWS {
        for upper in [
            prism(8, 0.06, 0.03),
            prism(5, 0.06, 0.03),
            wheel(0.06, 0.03),
        ] {
            for lower in [shape(LARGE), prism(12, 0.2, 0.015), wheel(0.3, 0.015)] {
                let mut spec = ModelSpec::default();
                free(&mut spec, "lower", Pose::IDENTITY, 2.0, lower.clone());
                let above = at(0.01, 0.02, 0.045 - 3e-3);
                free(&mut spec, "upper", above, 1.0, upper.clone());
                let s = look(&mut walk(spec, law));
                assert_eq!(
                    s.label,
                    Gradient::Exact,
                    "{law:?} {upper:?} {lower:?} {s:?}"
                );
                assert!(
                    s.apart < APART && s.off < APART,
                    "{law:?} {upper:?} {lower:?} {s:?}"
                );
            }
        }
    }
}

fn wheel(radius: f64, half_length: f64) -> ShapeSpec {
    ShapeSpec::Cylinder {
        radius,
        half_length,
    }
}

/// A corner of the patch through which three sides pass: it moves with the body or is cut off by a side of
/// the other, and a step that slides feels which. Boxes with flush sides were exact.
#[test]
fn flush_sides_are_one_sided_where_it_is_felt() {
    for law in LAWS {
        let mut spec = ModelSpec::default();
        fixed(&mut spec, "lower", Pose::IDENTITY, shape(LARGE), 0.5);
        let flush = at(0.0, LARGE[1] - SMALL[1], LARGE[2] + SMALL[2]);
        free(&mut spec, "upper", flush, 1.0, shape(SMALL));
        let mut w = walk(spec, law);
        for _ in 0..5 {
            w.step(&[0.0; 6]);
        }
        // Compliant contacts depend on their corners even at rest.
        if law != Contact::Convex {
            assert_eq!(w.step(&[0.0; 6]), Gradient::Exact, "{law:?}: at rest");
        }
        w.v.copy_from_slice(&[0.3, -0.2, 0.0, 0.0, 0.0, 1.0]);
        let s = w.look(&[0.0; 6], 6);
        // At a corner of all four pyramids friction is the same wherever they are.
        let felt = law != Contact::Lcp;
        assert_eq!(s.label == Gradient::OneSided, felt, "{law:?} {s:?}");
        assert_eq!(s.apart > APART, felt, "{law:?} {s:?}");
    }
}

/// A capsule that lies along the edge of a box, beyond its face, touches with both ends: it touched at one,
/// now here, now there.
#[test]
fn a_capsule_along_an_edge_touches_twice() {
    for law in LAWS {
        for (aside, label) in [(0.0, Gradient::OneSided), (0.01, Gradient::Exact)] {
            let mut spec = ModelSpec::default();
            fixed(&mut spec, "box", Pose::IDENTITY, shape(LARGE), 0.5);
            let capsule = ShapeSpec::Capsule {
                radius: 0.05,
                half_length: 0.1,
            };
            let lying = so3_exp(Vec3::Y * std::f64::consts::FRAC_PI_2);
            let beside = Vec3::new(0.03, LARGE[1] + aside, LARGE[2] + 0.048);
            free(&mut spec, "capsule", Pose::new(lying, beside), 1.0, capsule);
            let mut w = walk(spec, law);
            w.sim.collide(&w.q).unwrap();
            assert_eq!(w.sim.contacts().len(), 2, "{law:?} {aside}");
            w.v[0] = 0.1;
            let s = w.look(&[0.0; 6], 6);
            assert_eq!(s.label, label, "{law:?} {aside} {s:?}");
            assert!((s.off < APART) == (aside > 0.0), "{law:?} {aside} {s:?}");
        }
    }
}

/// What sticks keeps its points at rest, however their frames turn.
#[test]
fn faces_that_overhang_at_rest_are_exact() {
    let mut spec = ModelSpec::default();
    let table = at(0.0, 0.0, -SMALL[2]);
    fixed(&mut spec, "table", table, shape(SMALL), 0.8);
    free(
        &mut spec,
        "box",
        at(0.03, 0.01, SMALL[2]),
        1.0,
        shape(SMALL),
    );
    let mut w = walk(spec, Contact::Ncp);
    for _ in 0..5 {
        w.step(&[0.0; 6]);
    }
    let s = w.look(&[0.0; 6], 6);
    assert_eq!(s.label, Gradient::Exact, "{s:?}");
    assert!(s.off < APART, "{s:?}");
}

/// Both ends of a cylinder that lies on a box are rims, exactly level and with one end lifted: the point
/// there stayed at the end of its axis, and moved with that.
#[test]
fn a_lying_cylinder_touches_with_its_rims() {
    const WIDTH: f64 = 1e-6;
    let lying = |slope: f64| so3_exp(Vec3::Y * (std::f64::consts::FRAC_PI_2 + slope));
    let cylinder = ShapeSpec::Cylinder {
        radius: 0.047,
        half_length: 0.032,
    };
    for (slope, cylinder_first) in [(0.0, true), (0.0, false), (5e-3, true), (5e-3, false)] {
        let mut spec = ModelSpec::default();
        let half_length_below = 0.032 * f64::sin(slope);
        let above = Pose::new(lying(slope), Vec3::Z * (0.0465 + half_length_below));
        let mut bodies = [
            ("cylinder", above, cylinder.clone()),
            ("box", at(0.0, 0.0, -0.05), cuboid(0.2, 0.2, 0.05)),
        ];
        if !cylinder_first {
            bodies.reverse();
        }
        for (name, pose, shape) in bodies {
            free(&mut spec, name, pose, 1.0, shape);
        }
        let mut sim = walk(spec, Contact::Ncp).sim;
        let q = sim.model().neutral().to_vec();
        let points = |sim: &mut Sim, q: &[f64]| -> Vec<[f64; 3]> {
            sim.collide(q).unwrap();
            sim.contacts().iter().map(|c| c.point).collect()
        };
        let found = points(&mut sim, &q);
        let is_end = |p: &[f64; 3]| p[0].abs() > 0.03;
        let ends = found.iter().filter(|p| is_end(p)).count();
        assert_eq!(ends, 2, "{slope} {cylinder_first}");
        let mut by_q = vec![0.0; 3 * 12 * found.len()];
        sim.contact_derivatives(ContactDerivatives {
            point: Some(&mut by_q),
            ..ContactDerivatives::default()
        })
        .unwrap();
        for k in 0..12 {
            for width in [WIDTH, -WIDTH] {
                let (mut dq, mut moved) = (vec![0.0; 12], q.clone());
                dq[k] = width;
                sim.model().integrate(&q, &dq, &mut moved);
                let after = points(&mut sim, &moved);
                for (i, p) in found.iter().enumerate().filter(|(_, p)| is_end(p)) {
                    let far = |r: &[f64; 3]| (0..3).map(|x| (r[x] - p[x]).powi(2)).sum::<f64>();
                    let near = after
                        .iter()
                        .min_by(|a, b| far(a).total_cmp(&far(b)))
                        .unwrap();
                    for x in 0..3 {
                        let (slope_x, own) = ((near[x] - p[x]) / width, by_q[(i * 12 + k) * 3 + x]);
                        assert!(
                            (slope_x - own).abs() < 1e-5,
                            "{slope} {k} {i} {slope_x} {own}"
                        );
                    }
                }
            }
        }
    }
}

/// The least of several distances that are equal has a slope by side.
#[test]
fn distances_of_what_lies_flat_are_one_sided() {
    let plane = || ShapeSpec::Plane {
        half_extents: [0.0; 2],
    };
    let capsule = || ShapeSpec::Capsule {
        radius: 0.02,
        half_length: 0.1,
    };
    let lying = so3_exp(Vec3::Y * std::f64::consts::FRAC_PI_2);
    let level = so3_exp(Vec3::ZERO);
    let leaning = so3_exp(Vec3::new(0.1, 0.2, 0.0));
    for (upper, rot, label) in [
        (shape(SMALL), level, Gradient::OneSided),
        (shape(SMALL), leaning, Gradient::Exact),
        (capsule(), lying, Gradient::OneSided),
        (capsule(), leaning, Gradient::Exact),
    ] {
        for (lower, height) in [(plane(), 0.1), (shape(LARGE), 0.1), (shape(LARGE), 0.03)] {
            let mut spec = ModelSpec::default();
            fixed(&mut spec, "lower", Pose::IDENTITY, lower.clone(), 0.5);
            let pose = Pose::new(rot, Vec3::Z * height);
            free(&mut spec, "upper", pose, 1.0, upper.clone());
            let mut w = walk(spec, Contact::Ncp);
            let (q, mut slope) = (w.q.clone(), [0.0; 6]);
            let found = w.sim.distance(0, 1, &q, Some(&mut slope)).unwrap();
            assert_eq!(found.gradient, label, "{upper:?} {lower:?} {height}");
        }
    }
}

/// Two bodies that fall side by side and just touch, or a last digit more or less: on one side of the step
/// they push, on the other they do not. The margin of a mode was measured by round-off itself.
#[test]
fn what_touches_and_is_not_pressed_is_one_sided() {
    for law in LAWS.into_iter().chain([Contact::Penalty]) {
        for shape in [ball(0.02), shape(SMALL)] {
            for gap in [0.0, 3e-18, 1e-17, -1e-17] {
                let mut spec = ModelSpec::default();
                free(&mut spec, "lower", Pose::IDENTITY, 1.0, shape.clone());
                let upper = at(0.0, 0.0, 0.04 + gap);
                free(&mut spec, "upper", upper, 2.0, shape.clone());
                let mut w = walk(spec, law);
                let s = w.look(&[0.0; 12], 6);
                assert_eq!(s.label, Gradient::OneSided, "{law:?} {gap} {s:?}");
                assert!(s.apart > APART, "{law:?} {gap} {s:?}");
            }
        }
    }
}

/// Parallel cylinders side by side touch with their rims at both ends of their common length, whichever way
/// they tilt. The contacts were those of balls about the ends of the axes, until a rim was nearer.
#[test]
fn parallel_cylinders_touch_with_rims_on_both_sides() {
    // The pyramid of LCP is at one of its own switches.
    for law in [Contact::Ncp, Contact::Convex] {
        let mut spec = ModelSpec::default();
        let lying = so3_exp(Vec3::Y * std::f64::consts::FRAC_PI_2);
        for (name, x, y) in [("a", 0.0, 0.0), ("b", 0.03, 0.0998)] {
            let place = Pose::new(lying, Vec3::new(x, y, 0.0));
            free(&mut spec, name, place, 1.0, wheel(0.05, 0.08));
            spec.geoms.last_mut().unwrap().friction[0] = 0.2;
        }
        let mut w = walk(spec, law);
        w.sim.collide(&w.q).unwrap();
        assert_eq!(w.sim.contacts().len(), 2, "{law:?}");
        (w.v[0], w.v[3], w.v[7]) = (0.3, 0.2, -0.5);
        let s = w.look(&[0.0; 12], 6);
        assert_eq!(s.label, Gradient::Exact, "{law:?} {s:?}");
        assert!(s.apart < APART && s.off < 10.0 * APART, "{law:?} {s:?}");
    }
}

/// Turned by less than their ends feel, parallel cylinders keep to these: where their axes cross a third
/// point came as soon as they were turned by 1e-7, and with it half as much stiffness; a step with compliant
/// contact jumped, and derivatives held within 1e-8.
#[test]
fn nearly_parallel_cylinders_touch_with_their_ends_alone() {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    fixed(&mut spec, "post", Pose::IDENTITY, wheel(0.05, 0.08), 0.5);
    free(&mut spec, "b", at(0.099, 0.0, 0.02), 1.0, wheel(0.05, 0.08));
    let mut w = walk(spec, Contact::Convex);
    let q = w.q.clone();
    for (tilt, points) in [
        (0.0, 2),
        (1e-7, 2),
        (1e-6, 2),
        (1e-5, 2),
        (1e-2, 3),
        (0.1, 3),
    ] {
        w.q[3] = f64::sin(0.5 * tilt);
        w.q[6] = f64::cos(0.5 * tilt);
        w.sim.collide(&w.q).unwrap();
        assert_eq!(w.sim.contacts().len(), points, "{tilt}");
    }
    w.q.copy_from_slice(&q);
    let s = w.look(&[0.0; 6], 6);
    assert_eq!(s.label, Gradient::Exact, "{s:?}");
    assert!(s.apart < 10.0 * APART && s.off < 10.0 * APART, "{s:?}");
}

/// Cylinders side by side that end together touch with the rim of either at each end, along a normal
/// perpendicular to the axis of the other one; the push depends on the choice of the rim. Steps in which they
/// stuck were called exact, and columns were off by up to 0.03 of the largest entry.
#[test]
fn cylinders_that_end_together_are_one_sided_where_they_part() {
    for law in LAWS {
        let mut spec = ModelSpec {
            gravity: Vec3::ZERO,
            ..ModelSpec::default()
        };
        fixed(&mut spec, "post", Pose::IDENTITY, wheel(0.05, 0.08), 0.5);
        free(&mut spec, "b", at(0.0995, 0.0, 0.0), 1.0, wheel(0.05, 0.08));
        spec.geoms.iter_mut().for_each(|g| g.friction[0] = 1.0);
        let mut w = walk(spec, law);
        w.v.copy_from_slice(&[-0.23, -0.02, -0.12, -0.07, -0.05, -0.03]);
        let s = w.look(&[0.0; 6], 6);
        assert_eq!(s.label, Gradient::OneSided, "{law:?} {s:?}");
        assert!(s.apart > APART, "{law:?} {s:?}");
    }
}

/// Over the tangent of a rim the axis of a capsule or cylinder is at the end of crossing it: aside it touches
/// at one point, or at two that move apart as fast as a root. However all is turned, to the round-off of
/// that.
#[test]
fn what_lies_along_the_tangent_of_a_rim_is_one_sided() {
    let (radius, thin) = (0.05, 0.03);
    let lying = so3_exp(Vec3::Y * std::f64::consts::FRAC_PI_2);
    let capsule = ShapeSpec::Capsule {
        radius: thin,
        half_length: 0.08,
    };
    for law in LAWS {
        for shape in [&capsule, &wheel(thin, 0.08)] {
            for turn in 0..4 {
                let t = f64::from(turn);
                let all = Pose::new(so3_exp(Vec3::new(0.3 * t, 0.2 * t, -0.1 * t)), Vec3::ZERO);
                let mut spec = ModelSpec::default();
                let post = all.compose(&at(0.0, 0.0, -0.08));
                fixed(&mut spec, "post", post, wheel(radius, 0.08), 0.5);
                let above = Vec3::new(0.01, radius, thin - 1e-4);
                let beside = Vec3::new(0.01, radius + thin - 1e-4, 0.0);
                for (side, place) in [("above", above), ("beside", beside)] {
                    let mut spec = spec.clone();
                    let place = all.compose(&Pose::new(lying, place));
                    free(&mut spec, "rod", place, 1.0, shape.clone());
                    let mut w = walk(spec, law);
                    w.sim.collide(&w.q).unwrap();
                    let of = format!("{law:?} {shape:?} {turn} {side}");
                    assert!(!w.sim.contacts().is_empty(), "{of}");
                    w.v[0] = 0.1;
                    assert_eq!(w.step(&[0.0; 6]), Gradient::OneSided, "{of}");
                }
            }
        }
    }
}

/// A lying cylinder that crosses an edge of a box touches it there, along the normal of both lines, and a
/// face beside it nowhere: a second point with the face's normal took most of the impulse of its fall.
#[test]
fn a_cylinder_across_an_edge_touches_it_once() {
    let radius = 0.1;
    for (pitch, yaw) in [(0.1f64, 0.2f64), (0.05, 0.6), (0.13, -0.4)] {
        let along = Vec3::new(
            pitch.cos() * yaw.cos(),
            pitch.cos() * yaw.sin(),
            pitch.sin(),
        );
        let normal = along.cross(Vec3::Y).normalized().unwrap();
        let normal = normal * normal.z.signum();
        let turn = Vec3::Z.cross(along).normalized().unwrap() * along.z.acos();
        let mut spec = ModelSpec {
            gravity: Vec3::ZERO,
            ..ModelSpec::default()
        };
        let block = at(0.1, 0.0, -0.04);
        fixed(&mut spec, "block", block, shape([0.1, 0.2, 0.04]), 0.0);
        let place = Pose::new(so3_exp(turn), normal * (radius + 1e-7));
        free(&mut spec, "roller", place, 1.0, wheel(radius, 0.5));
        let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
        let q = model.neutral().to_vec();
        let mut w = Walk::new(Sim::new(model, &options(1e-2)).unwrap(), q);
        let down = so3_exp(turn).tr_mul_vec(-Vec3::Z);
        w.v[..3].copy_from_slice(&[down.x, down.y, down.z]);
        w.step(&[0.0; 6]);
        let v = so3_exp(turn).mul_vec(Vec3::new(w.v[0], w.v[1], w.v[2]));
        let expected = normal * normal.z - Vec3::Z;
        assert!(
            (v - expected).norm() < 1e-3,
            "{pitch} {yaw}: {v:?} {expected:?}"
        );
    }
}
