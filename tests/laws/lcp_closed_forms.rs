//! Boxed contact against closed forms: Coulomb's law along the two tangents gives the motion of each body.

use crate::common::Rng;
use crate::common::scene::{G, World, at, ball, body, cuboid, fixed, on_ground, plane, tilt};
use diffsim::contact::mode::Mode;
use diffsim::model::Actuation;
use diffsim::model::spec::{JointKind, ModelSpec};
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, Gradient, Options};
use std::f64::consts::FRAC_PI_2;

fn options(h: f64, contact: Contact) -> Options {
    Options {
        contact,
        time_step: h,
        ..Options::default()
    }
}

fn world(spec: ModelSpec, h: f64, contact: Contact) -> World {
    World::new(spec, Actuation::FromFile, &options(h, contact))
}

/// A box on the ground at rest but for this velocity.
fn sliding_box(mu: f64, velocity: Vec3, h: f64, contact: Contact) -> World {
    let mut w = world(on_ground(mu, 0.1, 1.0, cuboid(0.2, 0.15, 0.1)), h, contact);
    w.launch(0, velocity);
    w
}

fn close(a: Vec3, b: Vec3, tolerance: f64) {
    assert!((a - b).norm() < tolerance, "{a:?}, expected {b:?}");
}

/// v − μ g h whatever corners it stands on. At 0.7 m/s with μ = 1/2 and h = 0.02 s these are 0.6019 m/s, of
/// which Nimble 0.10.52 gives 0.7: it solves four dependent corners without their friction
/// (tests/peers/against_nimble.py).
#[test]
fn a_box_on_four_corners_keeps_its_friction() {
    for (mu, speed, h) in [(0.5, 0.7, 0.02), (1.0, 0.7, 0.01), (0.4, 1.0, 0.04)] {
        // Also landing: the fall adds to the normal impulse.
        for fall in [0.0, 0.3] {
            let mut w = sliding_box(mu, Vec3::new(speed, 0.0, -fall), h, Contact::Lcp);
            w.step();
            let expected = speed - mu * (G * h + fall);
            close(w.velocity(0), Vec3::X * expected, 1e-12);
            assert!(w.spin(0).norm() < 1e-12);
            let share = (G * h + fall) / 4.0;
            for c in w.sim.contacts() {
                assert_eq!(c.mode, Mode::Bounded([-1, 0]), "{c:?}");
                // Braking turns the box forward, which the front corners bear.
                let front = if c.point[0] > 0.0 { 1.0 } else { -1.0 };
                let shift = front * mu * (G * h + fall) * 0.1 / (4.0 * 0.2);
                assert!((c.impulse[2] - share - shift).abs() < 1e-10, "{c:?}");
            }
        }
    }
}

/// Friction acts along both tangents with μ each, and so √2 μ between them; of the circular cone it is μ
/// against the motion.
#[test]
fn friction_of_the_pyramid_depends_on_direction() {
    let (mu, h, speed) = (0.4, 0.01, 1.0);
    for degrees in [0.0_f64, 20.0, 45.0, 70.0, 110.0, 200.0, 315.0] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let direction = Vec3::new(cos, sin, 0.0);
        let brake = mu * G * h;
        let mut pyramid = sliding_box(mu, direction * speed, h, Contact::Lcp);
        pyramid.step();
        let side = |x: f64| {
            if x.abs() < 1e-12 {
                0.0
            } else {
                x.signum() * brake
            }
        };
        let expected = direction * speed - Vec3::new(side(cos), side(sin), 0.0);
        close(pyramid.velocity(0), expected, 1e-12);
        let mut cone = sliding_box(mu, direction * speed, h, Contact::Ncp);
        cone.step();
        close(cone.velocity(0), direction * (speed - brake), 1e-10);
    }
}

/// At 20° to a tangent both directions lose speed at the same rate: the slower one rests first, and the body
/// turns into the nearer tangent.
#[test]
fn a_body_turns_to_the_nearer_tangent() {
    let (mu, h) = (0.3, 0.005);
    let (sin, cos) = 20.0_f64.to_radians().sin_cos();
    let mut w = sliding_box(mu, Vec3::new(cos, sin, 0.0), h, Contact::Lcp);
    let mut t = 0.0;
    let mut angle = 20.0_f64.to_radians();
    while w.velocity(0).norm() > 1e-9 {
        w.step();
        t += h;
        let v = w.velocity(0);
        close(
            v,
            Vec3::new(
                (cos - mu * G * t).max(0.0),
                (sin - mu * G * t).max(0.0),
                0.0,
            ),
            1e-9,
        );
        if v.norm() > 1e-9 {
            let now = v.y.atan2(v.x);
            assert!(now < angle || now < 1e-9);
            angle = now;
        }
    }
    assert!((t - cos / (mu * G)).abs() < h);
}

/// A point mass that slides without turning.
fn point(mu: f64, slope: f64, azimuth: f64, h: f64, contact: Contact) -> World {
    let mut spec = ModelSpec::default();
    let pose = tilt(slope, azimuth);
    plane(&mut spec, "slope", pose, mu);
    let above = at(0.0, 0.0, 0.0)
        .compose(&pose)
        .compose(&at(0.0, 0.0, 0.05));
    body(
        &mut spec,
        "point",
        JointKind::Translation,
        above,
        1.0,
        ball(0.05),
    );
    world(spec, h, contact)
}

/// On a slope that falls along a tangent a body sticks up to tan φ = μ, and else slides with g (sin φ − μ cos
/// φ); so it does on four corners.
#[test]
fn slopes_hold_up_to_the_coefficient() {
    let h = 0.01;
    // The fall line is along x or y; so are the tangents of a plane rotated about these axes.
    for azimuth in [0.0, FRAC_PI_2] {
        for (slope, mu) in [(0.3, 0.5), (0.3, 0.31), (0.3, 0.30), (0.3, 0.2), (0.6, 0.1)] {
            let slope: f64 = slope;
            let along = (G * (slope.sin() - mu * slope.cos())).max(0.0);
            let mut w = point(mu, slope, azimuth, h, Contact::Lcp);
            w.step();
            let v = Vec3::from_slice(&w.v);
            assert!((v.norm() - along * h).abs() < 1e-12, "{slope} {mu}: {v:?}");
            let contact = &w.sim.contacts()[0];
            let sticks = mu > slope.tan();
            assert_eq!(contact.mode == Mode::Sticking, sticks, "{contact:?}");

            let mut spec = ModelSpec::default();
            let pose = tilt(slope, azimuth);
            plane(&mut spec, "slope", pose, mu);
            let on = pose.compose(&at(0.0, 0.0, 0.1));
            body(
                &mut spec,
                "box",
                JointKind::Free,
                on,
                2.0,
                cuboid(0.3, 0.25, 0.1),
            );
            let mut w = world(spec, h, Contact::Lcp);
            w.step();
            assert!((w.velocity(0).norm() - along * h).abs() < 1e-11);
            assert!(w.spin(0).norm() < 1e-11);
        }
    }
}

/// Pushed along a tangent by f a box rests up to f = μ m g; between the tangents up to √2 of that.
#[test]
fn a_push_moves_a_box_beyond_its_friction() {
    let (mu, h, m) = (0.5, 0.01, 2.0);
    for (degrees, holds) in [(0.0_f64, 1.0), (45.0, 2.0_f64.sqrt()), (90.0, 1.0)] {
        for factor in [0.98, 1.02] {
            let spec = on_ground(mu, 0.1, m, cuboid(0.2, 0.2, 0.1));
            let mut w = World::new(spec, Actuation::Full, &options(h, Contact::Lcp));
            let (sin, cos) = degrees.to_radians().sin_cos();
            let push = factor * holds * mu * m * G;
            (w.u[0], w.u[1]) = (push * cos, push * sin);
            // Pushed where the friction is: it does not tip.
            (w.u[3], w.u[4]) = (0.1 * push * sin, -0.1 * push * cos);
            w.step();
            let expected = (push - holds * mu * m * G).max(0.0) * h / m;
            let got = w.velocity(0);
            assert!((got.norm() - expected).abs() < 1e-12, "{degrees}: {got:?}");
        }
    }
}

/// Boxes stand on each other: each level carries the weight above it, in equal shares, whatever the order of
/// bodies.
#[test]
fn stacks_stand_and_share_weight_equally() {
    let h = 0.005;
    let masses = [3.0, 2.0, 1.0];
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
        let mut spec = ModelSpec::default();
        fixed(
            &mut spec,
            "floor",
            at(0.0, 0.0, -0.5),
            cuboid(5.0, 5.0, 0.5),
            0.6,
        );
        for level in order {
            let z = 0.1 + 0.2 * level as f64;
            body(
                &mut spec,
                &format!("box{level}"),
                JointKind::Free,
                at(0.0, 0.0, z),
                masses[level],
                cuboid(0.1, 0.1, 0.1),
            );
        }
        let mut w = world(spec, h, Contact::Lcp);
        for _ in 0..3 {
            w.step();
            assert!(w.v.iter().all(|v| v.abs() < 1e-10), "{:?}", w.v);
            for c in w.sim.contacts() {
                let level = (c.point[2] / 0.2).round() as usize;
                let above: f64 = masses[level..].iter().sum();
                let share = above * G * h / 4.0;
                assert!((c.impulse[2].abs() - share).abs() < 1e-9, "{c:?}");
                assert!(c.impulse[0].hypot(c.impulse[1]) < 1e-9, "{c:?}");
            }
            assert_eq!(w.sim.contacts().len(), 12);
        }
    }
}

/// What four corners bear does not depend on what the solve before began from.
#[test]
fn corners_share_weight_whatever_went_before() {
    let mut w = sliding_box(0.5, Vec3::ZERO, 0.01, Contact::Lcp);
    let mut rng = Rng::new(2);
    let (q, v) = (w.q.clone(), w.v.clone());
    for _ in 0..20 {
        (w.q, w.v) = (q.clone(), rng.vector(6, 0.3));
        w.step();
        (w.q, w.v) = (q.clone(), v.clone());
        w.step();
        for c in w.sim.contacts() {
            assert!((c.impulse[2] - G * 0.01 / 4.0).abs() < 1e-12, "{c:?}");
        }
    }
}

/// A box at rest that just touches without weight is tied; so is one whose friction is at its bound without
/// slip. Sides differ.
#[test]
fn ties_are_one_sided() {
    // Weightless: falls at no speed.
    let mut spec = on_ground(0.5, 0.1, 1.0, cuboid(0.2, 0.15, 0.1));
    spec.gravity = Vec3::ZERO;
    let mut w = world(spec, 0.01, Contact::Lcp);
    w.step();
    assert_eq!(w.sim.step_info().unwrap().switch_distance, 0.0);
    w.velocity_jacobians();
    assert_eq!(w.sim.step_info().unwrap().gradient, Gradient::OneSided);
    // Pushed with exactly the limit of friction.
    let spec = on_ground(0.5, 0.05, 1.0, ball(0.05));
    let mut spec = spec;
    spec.bodies[1].joints[0].kind = JointKind::Translation;
    let mut w = World::new(spec, Actuation::Full, &options(0.01, Contact::Lcp));
    w.u[0] = 0.5 * G;
    w.step();
    assert!(w.v.iter().all(|v| v.abs() < 1e-14));
    let [_, _, by_u] = w.velocity_jacobians();
    assert_eq!(w.sim.step_info().unwrap().gradient, Gradient::OneSided);
    // The side that holds.
    assert!(by_u.iter().all(|x| x.abs() < 1e-12), "{by_u:?}");
    // Half of it, and both sides are that one.
    w.u[0] = 0.25 * G;
    (w.q[0], w.v) = (0.0, vec![0.0; 3]);
    w.step();
    w.velocity_jacobians();
    assert_eq!(w.sim.step_info().unwrap().gradient, Gradient::Exact);
}
