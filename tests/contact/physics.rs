//! Contact physics against closed forms and against small calculations made here by hand, none of
//! which use the engine.

use crate::common::in_body;
use crate::common::scene::*;
use diffsim::contact::mode::Mode;
use diffsim::model::Actuation;
use diffsim::model::spec::{GeomSpec, JointKind, JointSpec, ModelSpec, ShapeSpec};
use diffsim::spatial::{Pose, Quat, Vec3};
use std::f64::consts::{PI, TAU};

const H: f64 = 1e-3;

/// Velocity down the slope, and what is left over in other directions, after five steps from rest,
/// by azimuth, for a point mass and for a box that lies flat.
fn slide_down(angle: f64, mu: f64) -> Vec<[(f64, f64); 2]> {
    (0..36)
        .map(|k| {
            let azimuth = TAU * f64::from(k) / 36.0;
            let slope = tilt(angle, azimuth);
            let down = fall_line(&slope, azimuth);
            let [point, block] = [
                (JointKind::Translation, ball(0.1)),
                (JointKind::Free, cuboid(0.3, 0.2, 0.1)),
            ]
            .map(|(kind, shape)| {
                let mut spec = ModelSpec::default();
                plane(&mut spec, "slope", slope, mu);
                let mut place = Pose::translation(slope.rot.c[2] * 0.1);
                if kind == JointKind::Free {
                    place.rot = slope.rot;
                }
                body(&mut spec, "body", kind, place, 2.0, shape);
                let mut w = World::new(spec, Actuation::FromFile, &options(H));
                w.run(5);
                let velocity = match kind {
                    JointKind::Free => w.velocity(0),
                    _ => Vec3::from_slice(&w.v),
                };
                let speed = velocity.dot(down);
                (speed, (velocity - down * speed).norm())
            });
            [point, block]
        })
        .collect()
}

#[test]
fn incline_sticks_and_slides_alike_in_every_direction() {
    let mu = 0.5_f64;
    let (mut spread, mut error, mut sideways) = (0.0_f64, 0.0_f64, 0.0_f64);
    for i in 1..=20 {
        // The friction angle, 26.57°, lies between the ninth and the tenth.
        let angle = (2.8 * f64::from(i)).to_radians();
        let exact = (5.0 * H * G * (angle.sin() - mu * angle.cos())).max(0.0);
        let speeds = slide_down(angle, mu);
        for kind in 0..2 {
            let of_kind = || speeds.iter().map(|s| s[kind].0);
            let (lo, hi) = of_kind().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), x| {
                (lo.min(x), hi.max(x))
            });
            spread = spread.max(hi - lo);
            error = error.max((hi - exact).abs()).max((lo - exact).abs());
            sideways = speeds.iter().fold(sideways, |m, s| m.max(s[kind].1));
        }
    }
    println!("incline: spread {spread:.1e}, error {error:.1e}, sideways {sideways:.1e} m/s");
    assert!(spread < 1e-8 && error < 1e-8 && sideways < 1e-8);
}

#[test]
fn sliding_box_stops_where_coulomb_says_and_never_leaves_the_ground() {
    let (mu, v0) = (0.4, 2.0);
    let spec = on_ground(mu, 0.1, 1.5, cuboid(0.2, 0.15, 0.1));
    let mut w = World::new(spec, Actuation::FromFile, &options(H));
    let direction = Vec3::new(0.8, 0.6, 0.0);
    w.launch(0, direction * v0);
    let (mut speed, mut path, mut gap, mut error) = (v0, 0.0, 0.0_f64, 0.0_f64);
    for _ in 0..600 {
        w.step();
        speed = (speed - mu * G * H).max(0.0);
        path += H * speed;
        gap = w.sim.contacts().iter().fold(gap, |m, c| m.max(c.gap.abs()));
        assert_eq!(w.sim.contacts().len(), 4);
        error = error.max((w.velocity(0) - direction * speed).norm());
    }
    let travel = (w.position(0) - Vec3::new(0.0, 0.0, 0.1)).norm();
    let continuous = v0 * v0 / (2.0 * mu * G);
    println!(
        "slide: travel {travel:.12}, exact {path:.12}, continuous {continuous:.6}; gap {gap:.1e}, \
         velocity {error:.1e}"
    );
    assert!((travel - path).abs() < 1e-9);
    // Symplectic Euler loses h v₀/2 against the continuous motion.
    assert!((travel - continuous + 0.5 * H * v0).abs() < 1e-5);
    assert!(gap < 1e-10 && error < 1e-9);
    assert!(w.velocity(0).norm() < 1e-12);
}

#[test]
fn dropped_sphere_lands_without_bounce_or_penetration() {
    let spec = on_ground(0.5, 0.6, 0.7, ball(0.1));
    let mut w = World::new(spec, Actuation::FromFile, &options(H));
    let (mut z, mut speed) = (0.6, 0.0);
    for _ in 0..500 {
        w.step();
        speed -= G * H;
        if z + H * speed < 0.1 {
            speed = (0.1 - z) / H;
        }
        z += H * speed;
        assert!((w.position(0).z - z).abs() < 1e-12 && (w.v[2] - speed).abs() < 1e-10);
    }
    assert!((w.position(0).z - 0.1).abs() < 1e-13 && w.v[2].abs() < 1e-13);
}

const THROWN: (f64, f64, f64) = (0.3, 2.0, 0.12);

/// A sphere of radius r on the ground of friction μ, to be thrown with v₀.
fn sphere(kind: JointKind, h: f64) -> World {
    let (mu, _, r) = THROWN;
    let mut spec = ModelSpec::default();
    ground(&mut spec, mu);
    let id = body(&mut spec, "ball", kind, at(0.0, 0.0, r), 0.9, ball(r));
    if kind == JointKind::Translation {
        let turn = JointSpec::new("turn", JointKind::Spherical);
        spec.bodies[id].joints.push(turn);
    }
    World::new(spec, Actuation::FromFile, &in_body(options(h)))
}

#[test]
fn thrown_sphere_slides_then_rolls_with_five_sevenths_of_its_speed() {
    let (mu, v0, r) = THROWN;
    let mut w = sphere(JointKind::Translation, H);
    let direction = Vec3::new(0.6, -0.8, 0.0);
    for i in 0..3 {
        w.v[i] = v0 * direction[i];
    }
    let state = |w: &World| {
        let turned = Pose::from_quat(Quat::from_slice(&w.q[3..]), Vec3::ZERO);
        let spin = turned.rot.mul_vec(Vec3::from_slice(&w.v[3..]));
        (Vec3::from_slice(&w.v), spin)
    };
    let axis = Vec3::Z.cross(direction);
    // Sliding ends when v₀ − μ g t = 5/2 μ g t.
    let steps = (2.0 * v0 / (7.0 * mu * G) / H) as u32;
    for k in 1..=steps {
        w.step();
        let t = f64::from(k) * H;
        let (velocity, spin) = state(&w);
        assert!((velocity - direction * (v0 - mu * G * t)).norm() < 1e-9);
        assert!((spin - axis * (2.5 * mu * G * t / r)).norm() < 1e-8);
        assert_eq!(w.sim.contacts()[0].mode, Mode::Sliding);
    }
    w.run(1);
    for _ in 0..2000 {
        w.step();
        let (velocity, spin) = state(&w);
        assert!((velocity - direction * (5.0 / 7.0 * v0)).norm() < 1e-9);
        assert!((spin - axis * (5.0 / 7.0 * v0 / r)).norm() < 1e-8);
        assert_eq!(w.sim.contacts()[0].mode, Mode::Sticking);
    }
}

#[test]
fn rolling_in_body_axes_errs_in_proportion_to_the_step() {
    // In body axes symplectic Euler keeps the components of v from one body frame to the next, so that the
    // speed of a free body that turns by ω h a step is off by a share of ω² h/2 in the unit of time.
    let (_, v0, r) = THROWN;
    let errors = [4e-3, 2e-3, 1e-3].map(|h| {
        let mut w = sphere(JointKind::Free, h);
        w.launch(0, Vec3::X * v0);
        w.run((0.3 / h) as usize);
        let speed = w.velocity(0).norm();
        w.run((0.2 / h) as usize);
        println!(
            "rolling, h {h}: speed {speed:.6} at 0.3 s, {:.6} at 0.5 s, exact {:.6}; slip {:.1e}",
            w.velocity(0).norm(),
            5.0 / 7.0 * v0,
            (w.velocity(0).norm() - r * w.spin(0).norm()).abs()
        );
        (w.velocity(0).norm() - 5.0 / 7.0 * v0).abs()
    });
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((0.7..1.5).contains(&order), "order {order}");
    }
}

#[test]
fn spinning_disk_is_braked_by_its_rim() {
    let (mu, r, spin0) = (0.25, 0.15, 9.0);
    let shape = ShapeSpec::Cylinder {
        radius: r,
        half_length: 0.02,
    };
    let spec = on_ground(mu, 0.02, 1.1, shape);
    let mut w = World::new(spec, Actuation::FromFile, &options(H));
    w.v[5] = spin0;
    // The whole weight rests on points of the rim: μ m g r = m r²/2 · deceleration.
    let mut spin = spin0;
    for _ in 0..400 {
        w.step();
        spin = (spin - 2.0 * mu * G / r * H).max(0.0);
        assert!(
            (w.spin(0) - Vec3::Z * spin).norm() < 1e-8,
            "{:?} {spin}",
            w.v
        );
        assert!(w.velocity(0).norm() < 1e-9);
    }
    assert!(spin == 0.0);
}

/// A block on a slope steeper or flatter than its diagonal; friction holds in either case.
fn block_on_slope(angle: f64) -> World {
    let mut spec = ModelSpec::default();
    let slope = tilt(angle, 0.0);
    plane(&mut spec, "slope", slope, 2.0);
    let pose = slope.compose(&at(0.0, 0.0, 0.2));
    free(&mut spec, "block", pose, 3.0, cuboid(0.15, 0.1, 0.2));
    World::new(spec, Actuation::FromFile, &options(H))
}

#[test]
fn block_topples_when_the_line_of_its_weight_leaves_the_base() {
    let (b, c) = (0.1_f64, 0.2_f64);
    let critical = (b / c).atan();
    for off in [0.2_f64, 1.0, 5.0] {
        let mut w = block_on_slope(critical - off.to_radians());
        let start = w.position(0);
        w.run(1000);
        assert!((w.position(0) - start).norm() < 1e-9, "{off}° below");

        let angle = critical + off.to_radians();
        let mut w = block_on_slope(angle);
        w.step();
        // About the lower edge, whose two ends stick: I ω = m g h (c sin − b cos).
        let about_edge = (b * b + c * c) * (1.0 + 1.0 / 3.0);
        let rate = H * G * (c * angle.sin() - b * angle.cos()) / about_edge;
        assert!(
            (w.spin(0).norm() - rate).abs() < 1e-9,
            "{} {rate}",
            w.spin(0).norm()
        );
        w.run(1500);
        let quat = Quat::from_slice(&w.q[3..7]);
        let up = Pose::from_quat(quat, Vec3::ZERO).rot.c[2];
        assert!(up.z < 0.3, "{off}° above: {up:?}");
    }
}

/// Largest drift and speed of all free bodies over the given time.
fn rest(w: &mut World, bodies: usize, seconds: f64) -> (f64, f64) {
    let start: Vec<Vec3> = (0..bodies).map(|n| w.position(n)).collect();
    let (mut drift, mut speed) = (0.0_f64, 0.0_f64);
    for _ in 0..(seconds / w.sim.options().time_step).round() as usize {
        w.step();
        for (n, start) in start.iter().enumerate() {
            drift = drift.max((w.position(n) - *start).norm());
        }
        speed = w.v.iter().fold(speed, |m, x| m.max(x.abs()));
    }
    (drift, speed)
}

#[test]
fn heavy_load_rests_on_light_supports_for_ten_seconds() {
    for ratio in [1.0, 1e3, 1e6] {
        let mut spec = ModelSpec::default();
        ground(&mut spec, 0.6);
        for (i, (x, y)) in [(0.2, 0.2), (0.2, -0.2), (-0.2, 0.2), (-0.2, -0.2)]
            .into_iter()
            .enumerate()
        {
            let shape = ball(0.05);
            free(&mut spec, &format!("foot{i}"), at(x, y, 0.05), 0.1, shape);
        }
        let load = cuboid(0.3, 0.3, 0.1);
        free(&mut spec, "load", at(0.0, 0.0, 0.2), 0.1 * ratio, load);
        let mut w = World::new(spec, Actuation::FromFile, &options(5e-3));
        let (drift, speed) = rest(&mut w, 5, 10.0);
        println!("heavy on light {ratio:.0e}: drift {drift:.1e} m, speed {speed:.1e}");
        assert!(drift < 1e-9 && speed < 1e-8);
        let forces: f64 = (w.sim.contacts().iter())
            .filter(|c| c.geom[0] == 0)
            .map(|c| c.impulse[2] / 5e-3)
            .sum();
        let weight = G * 0.1 * (4.0 + ratio);
        assert!((forces / weight - 1.0).abs() < 1e-9);
    }
}

#[test]
fn tower_of_ten_boxes_rests_for_ten_seconds() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    for i in 0..10 {
        let z = 0.05 + 0.1 * f64::from(i);
        free(
            &mut spec,
            &format!("box{i}"),
            at(0.0, 0.0, z),
            1.0,
            cuboid(0.05, 0.05, 0.05),
        );
    }
    let mut w = World::new(spec, Actuation::FromFile, &options(5e-3));
    let (drift, speed) = rest(&mut w, 10, 10.0);
    println!("tower: drift {drift:.1e} m, speed {speed:.1e}");
    assert!(drift < 1e-9 && speed < 1e-8);
}

#[test]
fn heavy_box_rests_on_a_light_one_for_ten_seconds() {
    let mut spec = on_ground(0.5, 0.1, 0.1, cuboid(0.1, 0.1, 0.1));
    free(
        &mut spec,
        "heavy",
        at(0.0, 0.0, 0.5),
        100.0,
        cuboid(0.3, 0.3, 0.3),
    );
    let mut w = World::new(spec, Actuation::FromFile, &options(5e-3));
    let (drift, speed) = rest(&mut w, 2, 10.0);
    println!("heavy box on light box: drift {drift:.1e} m, speed {speed:.1e}");
    assert!(drift < 1e-9 && speed < 1e-8);
}

/// Two cards with round edges of radius r that lean against each other, `lean` from the vertical;
/// axes of the edges a distance 2·`half` apart.
fn card_house(lean: f64, half: f64, r: f64, mu: f64) -> World {
    let mut spec = ModelSpec::default();
    ground(&mut spec, mu);
    for (i, side) in [(0, -1.0), (1, 1.0)] {
        let top = Vec3::new(side * r, 0.0, r + 2.0 * half * lean.cos());
        let turn = Quat::exp(Vec3::Y * (-side * lean)).normalized();
        let mut pose = Pose::from_quat(turn, Vec3::ZERO);
        pose.pos = top - pose.rot.c[2] * half;
        let edge = ShapeSpec::Capsule {
            radius: r,
            half_length: 0.04,
        };
        let id = free(
            &mut spec,
            &format!("card{i}"),
            pose,
            0.05,
            cuboid(r, 0.04, half),
        );
        spec.geoms.pop();
        let along_y = Quat::exp(Vec3::X * (0.5 * PI)).normalized();
        for z in [-half, half] {
            let place = Pose::from_quat(along_y, Vec3::Z * z);
            let mut g = GeomSpec::new(format!("edge{i} {z}"), id, place, edge.clone());
            g.friction[0] = 0.8;
            spec.geoms.push(g);
        }
    }
    World::new(spec, Actuation::FromFile, &options(H))
}

#[test]
fn card_house_stands_if_the_floor_holds_it() {
    let (lean, half, r) = (0.35_f64, 0.1, 0.003);
    // About the foot: m g half sin(lean) = F (r + 2 half cos(lean)), and N = m g.
    let needed = half * lean.sin() / (r + 2.0 * half * lean.cos());
    let mut w = card_house(lean, half, r, 1.02 * needed);
    let (drift, speed) = rest(&mut w, 2, 5.0);
    println!("card house: drift {drift:.1e} m, speed {speed:.1e}");
    assert!(drift < 1e-8 && speed < 1e-7);
    let mut w = card_house(lean, half, r, 0.98 * needed);
    w.run(1000);
    assert!(w.position(0).z < 0.5 * half, "{}", w.position(0).z);
}

#[test]
fn painleve_rod_does_not_blow_up() {
    // A rod dragged along its lower end; with friction this high and this slope rigid-body
    // acceleration has no solution, and only an impulse can answer.
    let (half, mu, m) = (0.5, 2.5, 1.0);
    for angle in [0.6_f64, 0.9, 1.2] {
        for h in [1e-2, 1e-3, 2e-4] {
            let mut spec = ModelSpec::default();
            ground(&mut spec, mu);
            let tip = ShapeSpec::Sphere { radius: 1e-3 };
            let turn = Quat::exp(Vec3::Y * (0.5 * PI - angle)).normalized();
            let mut pose = Pose::from_quat(turn, Vec3::ZERO);
            pose.pos = pose.rot.c[2] * half + Vec3::Z * 1e-3;
            let id = free(&mut spec, "rod", pose, m, cuboid(0.01, 0.01, half));
            spec.geoms.pop();
            for z in [-half, half] {
                let place = Pose::translation(Vec3::Z * z);
                spec.geoms
                    .push(GeomSpec::new(format!("tip {z}"), id, place, tip.clone()));
            }
            let mut w = World::new(spec, Actuation::FromFile, &options(h));
            w.launch(0, Vec3::new(-3.0, 0.0, 0.0));
            let (kinetic, potential) = w.sim.energy(&w.q, &w.v).unwrap();
            let mut worst = f64::NEG_INFINITY;
            for _ in 0..(1.0 / h) as usize {
                w.step();
                let (k, p) = w.sim.energy(&w.q, &w.v).unwrap();
                worst = worst.max(k + p - kinetic - potential);
                let low = w.sim.contacts().iter().all(|c| c.gap > -1e-3);
                assert!(low, "penetration {:?}", w.sim.contacts());
            }
            println!("rod at {angle}, h {h}: energy gained at most {worst:.1e} J");
            assert!(worst < 5.0 * h);
        }
    }
}

#[test]
fn joint_limits_are_never_passed() {
    let mut spec = ModelSpec::default();
    let mut parent = 0;
    for (i, kind) in [
        JointKind::Revolute,
        JointKind::Prismatic,
        JointKind::Revolute,
    ]
    .into_iter()
    .enumerate()
    {
        let rod = cuboid(0.02, 0.02, 0.2);
        let pose = at(0.0, 0.0, if i == 0 { 0.0 } else { -0.4 });
        let id = body(&mut spec, &format!("link{i}"), kind, pose, 0.8, rod);
        spec.geoms.pop();
        spec.bodies[id].parent = parent;
        spec.bodies[id].joints[0].axis = if i == 1 { Vec3::Z } else { Vec3::Y };
        spec.bodies[id].joints[0].anchor = Vec3::new(0.0, 0.0, 0.2);
        spec.bodies[id].joints[0].limits = Some([(-0.5, 0.9), (-0.1, 0.05), (-0.01, 2.0)][i]);
        parent = id;
    }
    let mut w = World::new(spec, Actuation::Full, &options(H));
    let mut rng = crate::common::Rng::new(11);
    let (mut passed, mut touched) = (0.0_f64, [0_usize; 6]);
    for step in 0..4000 {
        if step % 50 == 0 {
            w.u = rng.vector(3, 60.0);
        }
        w.step();
        for i in 0..3 {
            let (lower, upper) = w.sim.model().joint(i).limits.unwrap();
            let (below, above) = (lower - w.q[i], w.q[i] - upper);
            passed = passed.max(below).max(above);
            touched[2 * i] += usize::from(below > -1e-9);
            touched[2 * i + 1] += usize::from(above > -1e-9);
        }
    }
    println!("limits: passed by {passed:.1e}, steps at a bound {touched:?}");
    assert!(passed < 1e-9);
    assert!(touched.iter().all(|&n| n > 10));
}

/// One step of a point mass or of a box that lies flat, by hand: gravity, an inelastic ground at
/// z = 0 of the gap, Coulomb friction.
fn by_hand(gap: f64, v: Vec3, force_by_mass: Vec3, mu: f64, h: f64) -> Vec3 {
    let mut next = v + (force_by_mass - Vec3::Z * G) * h;
    if gap + h * next.z >= 0.0 {
        return next;
    }
    let normal = -gap / h - next.z;
    next.z = -gap / h;
    let slip = Vec3::new(next.x, next.y, 0.0);
    let left = (1.0 - mu * normal / slip.norm()).max(0.0);
    Vec3::new(slip.x * left, slip.y * left, next.z)
}

#[test]
fn box_drops_slides_and_sticks_as_computed_by_hand() {
    let mu = 0.35;
    let spec = on_ground(mu, 0.13, 2.5, cuboid(0.25, 0.2, 0.1));
    let mut w = World::new(spec, Actuation::FromFile, &options(H));
    let (mut x, mut v) = (Vec3::new(0.0, 0.0, 0.13), Vec3::new(0.9, -0.4, 0.2));
    w.launch(0, v);
    let (mut modes, mut error) = ([0; 3], 0.0_f64);
    for _ in 0..700 {
        let gap = x.z - 0.1;
        v = by_hand(gap, v, Vec3::ZERO, mu, H);
        x += v * H;
        w.step();
        error = error
            .max((w.velocity(0) - v).norm())
            .max((w.position(0) - x).norm())
            .max(w.spin(0).norm());
        let mode = (w.sim.contacts().first()).map_or(Mode::Breaking, |c| c.mode);
        modes[match mode {
            Mode::Breaking => 0,
            Mode::Sliding => 1,
            _ => 2,
        }] += 1;
    }
    println!("by hand: worst difference {error:.1e}; in air, sliding, sticking {modes:?} steps");
    assert!(error < 1e-9);
    assert!(modes.iter().all(|&n| n > 50));
}

/// Blocks of ∂v⁺/∂(q, v, u) of [`by_hand`], and which mode it was in.
fn gradient_by_hand(gap: f64, v: Vec3, f: Vec3, mu: f64, m: f64, h: f64) -> [[Vec3; 3]; 3] {
    let zero = [Vec3::ZERO; 3];
    let free = v + (f * (1.0 / m) - Vec3::Z * G) * h;
    if gap + h * free.z >= 0.0 {
        let unit = [Vec3::X, Vec3::Y, Vec3::Z];
        return [zero, unit, unit.map(|x| x * (h / m))];
    }
    // v_z⁺ = −z/h for every velocity.
    let mut by_q = [Vec3::ZERO, Vec3::ZERO, Vec3::Z * (-1.0 / h)];
    let normal = -gap / h - free.z;
    let slip = Vec3::new(free.x, free.y, 0.0);
    let (s, n) = (slip.norm(), slip * (1.0 / slip.norm()));
    if s <= mu * normal {
        return [by_q, zero, zero];
    }
    // v_t⁺ = s − μ N s/|s|, with N = −z/h − v_z and s the velocities without contact.
    by_q[2] += n * (mu / h);
    let along = |e: Vec3| e - (e - n * n.dot(e)) * (mu * normal / s);
    let by_v = [along(Vec3::X), along(Vec3::Y), n * mu];
    [by_q, by_v, by_v.map(|x| x * (h / m))]
}

#[test]
fn gradient_of_a_step_is_that_computed_by_hand() {
    let (mu, m, h) = (0.35, 2.5, 2e-3);
    let states = [
        ("sliding", 0.0, Vec3::new(0.9, -0.4, 0.0)),
        (
            "sliding into a penetration",
            -1e-5,
            Vec3::new(0.9, -0.4, 0.0),
        ),
        ("landing while sliding", 1e-4, Vec3::new(0.5, 0.7, -0.3)),
        ("sticking", 0.0, Vec3::new(1e-3, 2e-3, 0.0)),
        ("in the air", 1e-3, Vec3::new(0.9, -0.4, 0.1)),
    ];
    for kind in [JointKind::Translation, JointKind::Free] {
        for (name, gap, v) in states {
            let mut spec = ModelSpec::default();
            ground(&mut spec, mu);
            let (shape, half) = match kind {
                JointKind::Free => (cuboid(0.25, 0.2, 0.1), 0.1),
                _ => (ball(0.1), 0.1),
            };
            let place = at(0.3, -0.2, half + gap);
            body(&mut spec, "body", kind, place, m, shape);
            let mut w = World::new(spec, Actuation::Full, &options(h));
            let force = Vec3::new(0.7, 0.3, -1.0);
            for i in 0..3 {
                w.v[i] = v[i];
                w.u[i] = force[i];
            }
            w.step();
            let error = (Vec3::from_slice(&w.v) - by_hand(gap, v, force * (1.0 / m), mu, h)).norm();
            assert!(error < 1e-10, "{name}: {error:e}");
            let expected = gradient_by_hand(gap, v, force, mu, m, h);
            let nv = w.v.len();
            let ours = w.velocity_jacobians();
            for (which, (ours, expected)) in ours.iter().zip(&expected).enumerate() {
                let scale = expected.iter().fold(1.0_f64, |s, x| s.max(x.norm()));
                for (k, expected) in expected.iter().enumerate() {
                    let column = &ours[k * nv..(k + 1) * nv];
                    let error = (Vec3::from_slice(column) - *expected).norm()
                        + column[3..].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                    assert!(
                        error < 1e-9 * scale,
                        "{kind:?} {name}: block {which} column {k}: {column:?}, by hand {expected:?}"
                    );
                }
            }
        }
    }
}
