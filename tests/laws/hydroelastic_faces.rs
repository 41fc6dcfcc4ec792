//! Faces against closed forms, and their motion against differences.

use diffsim::collision::Smoothness;
use diffsim::collision::patch::{
    Face, FaceDerivative, Representation, Side, collide, differentiate, grow, meets,
};
use diffsim::error::Status;
use diffsim::linalg::scattered;
use diffsim::model::mesh::TriMesh;
use diffsim::model::spec::{
    GeomSpec, Hydroelastic, HydroelasticKind, MeshMode, OpenMesh, ShapeSpec,
};
use diffsim::spatial::{Pose, Twist, Vec3, so3_exp};
use std::f64::consts::PI;

const E: f64 = 1e7;

fn geom(shape: ShapeSpec, kind: HydroelasticKind, resolution: f64) -> GeomSpec {
    let mut g = GeomSpec::new("pad", 1, Pose::IDENTITY, shape);
    g.hydroelastic = Hydroelastic {
        kind,
        resolution,
        slab_thickness: 0.02,
        ..Hydroelastic::default()
    };
    g
}

fn body(shape: ShapeSpec, kind: HydroelasticKind, resolution: f64) -> Representation {
    let g = geom(shape, kind, resolution);
    Representation::of(&g, &g.shape).unwrap().unwrap()
}

fn soft(shape: ShapeSpec, resolution: f64) -> Representation {
    body(shape, HydroelasticKind::Compliant, resolution)
}

fn hard(shape: ShapeSpec, resolution: f64) -> Representation {
    body(shape, HydroelasticKind::Rigid, resolution)
}

fn cube(half: f64) -> ShapeSpec {
    ShapeSpec::Box {
        half_extents: Vec3::new(half, half, half),
    }
}

fn plane() -> ShapeSpec {
    ShapeSpec::Plane {
        half_extents: [0.0; 2],
    }
}

fn faces(a: (&Representation, Pose, f64), b: (&Representation, Pose, f64)) -> Vec<Face> {
    let mut all = Vec::new();
    let side = |x: &(&'_ Representation, Pose, f64)| -> (f64, Pose) { (x.2, x.1) };
    let ((ea, pa), (eb, pb)) = (side(&a), side(&b));
    collide(
        Side {
            body: a.0,
            pose: &pa,
            modulus: ea,
        },
        Side {
            body: b.0,
            pose: &pb,
            modulus: eb,
        },
        f64::INFINITY,
        |f| all.push(f),
    );
    all
}

/// Force on B, area, and the centroid of that.
fn pressed(all: &[Face]) -> (Vec3, f64, Vec3) {
    let closed = all.iter().filter(|f| f.point.gap <= 0.0);
    let (mut force, mut area, mut moment) = (Vec3::ZERO, 0.0, Vec3::ZERO);
    for f in closed {
        force += f.point.normal * (f.press.area * f.press.pressure(f.point.gap));
        area += f.press.area;
        moment += f.point.point * f.press.area;
    }
    (force, area, moment * (1.0 / area))
}

fn above(z: f64) -> Pose {
    Pose::translation(Vec3::Z * z)
}

fn close(x: f64, y: f64, relative: f64) {
    assert!((x - y).abs() <= relative * y.abs(), "{x} {y}");
}

#[test]
fn a_cube_pressed_flat_has_the_closed_form() {
    let (body, ground) = (soft(cube(0.05), 0.02), hard(plane(), 0.02));
    for (d, force) in [
        (1e-4, 199.60026667),
        (1e-3, 1960.26667),
        (1e-2, 16266.66667),
    ] {
        let all = faces((&ground, Pose::IDENTITY, 0.0), (&body, above(0.05 - d), E));
        let exact = E / 0.05 * (0.01 * d - 0.2 * d * d + 4.0 / 3.0 * d * d * d);
        close(exact, force, 1e-8);
        let (f, ..) = pressed(&all);
        close(f.z, exact, 1e-12);
        assert!(f.x.abs() + f.y.abs() < 1e-9);
        // From the other side, and with a box for the ground.
        let all = faces((&body, above(0.05 - d), E), (&ground, Pose::IDENTITY, 0.0));
        close(pressed(&all).0.z, -exact, 1e-12);
        let block = hard(cube(1.0), 0.02);
        let all = faces((&body, above(0.05 - d), E), (&block, above(-1.0), 0.0));
        close(pressed(&all).0.z, -exact, 1e-12);
    }
}

#[test]
fn other_boxes_pressed_flat_do_too() {
    let ground = hard(plane(), 0.02);
    for [a, b, c] in [[0.2, 0.3, 0.1], [0.4, 0.1, 0.06], [1.0, 0.7, 0.02]] {
        let half_extents = Vec3::new(a, b, c) * 0.5;
        let body = soft(ShapeSpec::Box { half_extents }, 0.02);
        for share in [0.01, 0.1, 0.5] {
            let d = share * 0.5 * c;
            let all = faces(
                (&ground, Pose::IDENTITY, 0.0),
                (&body, above(0.5 * c - d), E),
            );
            let exact = E / (0.5 * c) * (a * b * d - (a + b) * d * d + 4.0 / 3.0 * d * d * d);
            close(pressed(&all).0.z, exact, 1e-11);
        }
    }
}

#[test]
fn a_tilted_cube_has_the_numbers_of_its_distance_field() {
    let (body, ground) = (soft(cube(0.05), 0.02), hard(plane(), 0.02));
    let turn =
        so3_exp(Vec3::Z * 0.3).mul_mat(&so3_exp(Vec3::Y * 0.2).mul_mat(&so3_exp(Vec3::X * 0.1)));
    let pose = Pose::new(turn, Vec3::Z * 0.055);
    let (force, area, centroid) = pressed(&faces((&ground, Pose::IDENTITY, 0.0), (&body, pose, E)));
    close(area, 0.001943667835538, 1e-12);
    close(force.z, 874.680283589, 1e-12);
    assert!((centroid - Vec3::new(0.0287623747, -0.0078016275, 0.0)).norm() < 1e-10);
}

#[test]
fn spheres_converge_at_order_two() {
    let ground = hard(plane(), 0.02);
    for (d, exact) in [
        (0.01, 27.227),
        (0.02, 92.153),
        (0.03, 169.646),
        (0.04, 234.572),
    ] {
        let full = PI / 3.0 * 1e5 * d * d * (3.0 - 2.0 * d / 0.05);
        close(full, exact, 1e-4);
        let error = |resolution: f64| {
            let body = soft(ShapeSpec::Sphere { radius: 0.05 }, resolution);
            let all = faces(
                (&ground, Pose::IDENTITY, 0.0),
                (&body, above(0.05 - d), 1e5),
            );
            (full - pressed(&all).0.z) / full
        };
        let errors = [4.0, 8.0, 16.0].map(|n| error(0.05 / n));
        assert!(errors[2].abs() < 1e-2, "{errors:?}");
        for pair in errors.windows(2) {
            let order = (pair[0] / pair[1]).log2();
            assert!((1.5..2.5).contains(&order), "{errors:?}");
        }
    }
}

#[test]
fn cylinders_and_rigid_spheres_have_their_closed_forms() {
    let ground = hard(plane(), 0.02);
    let (r, d) = (0.05, 1e-3);
    let ideal = PI * E / r * (r * r * d - r * d * d + d * d * d / 3.0);
    close(ideal, 1539.590, 1e-6);
    for resolution in [0.02, 0.01, 0.005] {
        for half_length in [0.2, 0.05] {
            let shape = ShapeSpec::Cylinder {
                radius: r,
                half_length,
            };
            let body = soft(shape, resolution);
            let n = (2.0 * PI * r / resolution).ceil();
            let all = faces(
                (&ground, Pose::IDENTITY, 0.0),
                (&body, above(half_length - d), E),
            );
            let exact = ideal * n / (2.0 * PI) * (2.0 * PI / n).sin();
            close(pressed(&all).0.z, exact, 1e-10);
        }
    }
    // A rigid sphere in a compliant slab.
    let slab = soft(plane(), 0.02);
    let exact = 1e6 / 0.02 * PI * 1e-4 * (0.05 - 0.01 / 3.0);
    close(exact, 733.04, 1e-5);
    let errors = [4.0, 8.0, 16.0].map(|n| {
        let ball = hard(ShapeSpec::Sphere { radius: 0.05 }, 0.05 / n);
        let all = faces((&slab, Pose::IDENTITY, 1e6), (&ball, above(0.04), 0.0));
        (exact - pressed(&all).0.z) / exact
    });
    assert!(errors[2] > 0.0 && errors[2] < 8e-3, "{errors:?}");
    assert!(
        (1.5..2.5).contains(&(errors[1] / errors[2]).log2()),
        "{errors:?}"
    );
}

/// A rigid facet in the plane between two octants of a sphere's mesh presses as one a nanometre above it.
#[test]
fn faces_between_elements_are_found() {
    let ball = soft(ShapeSpec::Sphere { radius: 0.05 }, 0.03);
    let block = hard(cube(0.05), 0.03);
    let force = |z: f64| {
        let all = faces((&ball, Pose::IDENTITY, E), (&block, above(z), 0.0));
        pressed(&all).0.z
    };
    close(force(0.05), force(0.05 + 1e-9), 1e-6);
}

/// A rigid body is the limit of a stiff one, and two equal ones share the depth.
#[test]
fn two_compliant_bodies_act_in_series() {
    let (body, slab) = (soft(cube(0.05), 0.02), soft(plane(), 0.02));
    let ground = hard(plane(), 0.02);
    let pose = Pose::new(so3_exp(Vec3::new(0.2, 0.15, 0.4)), Vec3::Z * 0.06);
    let rigid = pressed(&faces((&ground, Pose::IDENTITY, 0.0), (&body, pose, E)))
        .0
        .z;
    let stiff = pressed(&faces((&slab, Pose::IDENTITY, 1e14), (&body, pose, E)))
        .0
        .z;
    close(stiff, rigid, 1e-6);
    let both = faces((&body, above(0.0499), E), (&body, above(-0.05), E));
    // Each yields by half of the overlap; at the edges faces are inclined.
    let d = 0.5e-4;
    let exact = E / 0.05 * (0.1 - 2.0 * d) * (0.1 - 2.0 * d) * d;
    let flat = both.iter().filter(|f| f.point.normal.z.abs() > 0.9);
    let sum: f64 = flat
        .filter(|f| f.point.gap <= 0.0)
        .map(|f| f.press.area * f.press.pressure(f.point.gap))
        .sum();
    close(sum, exact, 1e-9);
}

fn shapes() -> Vec<ShapeSpec> {
    vec![
        ShapeSpec::Sphere { radius: 0.05 },
        cube(0.05),
        ShapeSpec::Box {
            half_extents: Vec3::new(0.03, 0.05, 0.08),
        },
        ShapeSpec::Cylinder {
            radius: 0.03,
            half_length: 0.06,
        },
        ShapeSpec::Cylinder {
            radius: 0.06,
            half_length: 0.02,
        },
        ShapeSpec::Capsule {
            radius: 0.03,
            half_length: 0.05,
        },
        ShapeSpec::Ellipsoid {
            semi_axes: Vec3::new(0.03, 0.05, 0.08),
        },
    ]
}

/// Where a face is after its bodies have moved or their moduli have changed, if it is still there.
fn again(all: &[Face], of: &Face) -> Option<Face> {
    let same = |f: &&Face| f.part == of.part && f.point.feature == of.point.feature;
    all.iter().find(same).copied()
}

fn moved(pose: &Pose, about: Vec3, xi: Twist) -> Pose {
    let turn = so3_exp(xi.ang);
    Pose::new(
        turn.mul_mat(&pose.rot),
        about + turn.mul_vec(pose.pos - about) + xi.lin,
    )
}

#[test]
fn faces_move_as_their_derivatives_say() {
    let mut bodies: Vec<(Representation, bool)> = Vec::new();
    for shape in shapes() {
        bodies.push((soft(shape.clone(), 0.03), false));
        bodies.push((hard(shape, 0.03), false));
    }
    bodies.push((soft(plane(), 0.02), true));
    bodies.push((hard(plane(), 0.02), true));
    let (mut checked, mut left_out, mut seed) = (0, 0, 0);
    let mut worst: f64 = 0.0;
    for (i, (a, a_plane)) in bodies.iter().enumerate() {
        for (b, b_plane) in &bodies[i..] {
            if !meets(a, b) {
                continue;
            }
            for _ in 0..3 {
                seed += 1;
                let random = |k: usize| scattered(k, seed);
                let vector = |k: usize| Vec3::new(random(k), random(k + 1), random(k + 2));
                let far = if *a_plane || *b_plane { 0.04 } else { 0.07 };
                let (pa, pb) = (
                    Pose::new(so3_exp(vector(1) * 2.0), vector(4)),
                    Pose::new(so3_exp(vector(7) * 2.0), vector(4)),
                );
                let away = match (a_plane, b_plane) {
                    (true, _) => pa.rot.c[2],
                    (_, true) => -pb.rot.c[2],
                    _ => vector(10).normalized().unwrap(),
                };
                let pb = Pose::new(pb.rot, pb.pos + away * far);
                let (ea, eb) = (1e6, 2e6);
                let all = faces((a, pa, ea), (b, pb, eb));
                for f in all.iter().step_by(all.len() / 6 + 1) {
                    let mut d = FaceDerivative::default();
                    let side = |body, pose, modulus| Side {
                        body,
                        pose,
                        modulus,
                    };
                    let s =
                        differentiate(side(a, &pa, ea), side(b, &pb, eb), &f.point, f.part, &mut d);
                    assert_eq!(s, Smoothness::Smooth);
                    // Slivers turn too fast for differences.
                    if f.press.area < 1e-7 {
                        left_out += 1;
                        continue;
                    }
                    let h = 1e-7;
                    for k in 0..8 {
                        let xi = |s: f64| match k {
                            0..6 => Twist::unit(k) * (s * h),
                            _ => Twist::ZERO,
                        };
                        let e = |s: f64| match k {
                            6 => [ea * (1.0 + s * h), eb],
                            7 => [ea, eb * (1.0 + s * h)],
                            _ => [ea, eb],
                        };
                        let at = |s: f64| {
                            let pb = moved(&pb, f.point.point, xi(s));
                            let [ea, eb] = e(s);
                            again(&faces((a, pa, ea), (b, pb, eb)), f)
                        };
                        let (Some(up), Some(down)) = (at(1.0), at(-1.0)) else {
                            left_out += 1;
                            continue;
                        };
                        let by = 0.5 / h;
                        let point = (up.point.point - down.point.point) * by;
                        let normal = (up.point.normal - down.point.normal) * by;
                        let gap = (up.point.gap - down.point.gap) * by;
                        let stiffness = (up.press.stiffness - down.press.stiffness) * by;
                        let expected = match k {
                            0..6 => {
                                let (part, c) = (k / 3, k % 3);
                                (
                                    d.motion.point[part].c[c],
                                    d.motion.normal[part].c[c],
                                    d.motion.gap[part][c],
                                    d.stiffness[part][c],
                                )
                            }
                            _ => {
                                let (s, e) = (d.by_modulus[k - 6], [ea, eb][k - 6]);
                                (s.point * e, s.normal * e, s.gap * e, s.stiffness * e)
                            }
                        };
                        let scale = 1.0 + expected.0.norm() + expected.1.norm() + expected.2.abs();
                        let area = match k {
                            0..6 => d.area[k / 3][k % 3],
                            _ => (up.press.area - down.press.area) * by,
                        };
                        let area = (up.press.area - down.press.area) * by - area;
                        let wide = f.press.area / 0.01 + area.abs();
                        let stiff = f.press.stiffness / 0.01 + expected.3.abs();
                        let error = ((point - expected.0).norm()
                            + (normal - expected.1).norm()
                            + (gap - expected.2).abs())
                            / scale
                            + (stiffness - expected.3).abs() / stiff
                            + area.abs() / wide;
                        // A vertex may come or go within the difference.
                        if error > 1e-5 {
                            left_out += 1;
                        } else {
                            worst = worst.max(error);
                            checked += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(checked > 4_000, "{checked}");
    assert!(
        left_out * 50 < checked,
        "{left_out} of {checked}, worst {worst:e}"
    );
    println!("{checked} derivatives, {left_out} left out, worst {worst:e}");
}

/// Where edges, corners and facets lie in each other's planes, a face that counts as smooth has the
/// derivative on both sides of every motion.
#[test]
fn aligned_faces_are_right_or_labelled() {
    let quarter = |seed: usize, k: usize| (2.0 * scattered(k, seed)).round() * PI / 4.0;
    let grid = |seed: usize, k: usize| (2.0 * scattered(k, seed)).round() * 0.01;
    let (mut smooth, mut tied, mut wrong) = (0, 0, 0);
    for (first, second) in [(0, 1), (1, 1), (1, 3), (0, 7), (1, 7), (3, 7), (3, 1)] {
        let mut all = shapes();
        all.push(plane());
        for (seed, is_rigid) in (0..200).map(|k| (k, k % 2 == 0)) {
            let a = soft(all[first].clone(), 0.03);
            let b = match is_rigid {
                true => hard(all[second].clone(), 0.03),
                false => soft(all[second].clone(), 0.03),
            };
            let turn =
                so3_exp(Vec3::Z * quarter(seed, 1)).mul_mat(&so3_exp(Vec3::X * quarter(seed, 2)));
            let far = if b.is_plane() { 0.04 } else { 0.08 };
            let (pa, ea, eb) = (Pose::IDENTITY, 1e6, 2e6);
            let pb = match b.is_plane() {
                true => Pose::new(turn, turn.c[2] * -far),
                false => Pose::new(turn, Vec3::new(grid(seed, 3), grid(seed, 4), far)),
            };
            let side = |body, pose, modulus| Side {
                body,
                pose,
                modulus,
            };
            let found = faces((&a, pa, ea), (&b, pb, eb));
            for f in found.iter().step_by(found.len() / 3 + 1) {
                let mut d = FaceDerivative::default();
                let label = differentiate(
                    side(&a, &pa, ea),
                    side(&b, &pb, eb),
                    &f.point,
                    f.part,
                    &mut d,
                );
                if label != Smoothness::Smooth || f.press.area < 1e-7 {
                    tied += 1;
                    continue;
                }
                smooth += 1;
                for (k, sign) in (0..6).flat_map(|k| [(k, 1.0), (k, -1.0)]) {
                    let by = sign * 1e-7;
                    let at = |times: f64| {
                        let pb = moved(&pb, f.point.point, Twist::unit(k) * (times * by));
                        again(&faces((&a, pa, ea), (&b, pb, eb)), f).map(|f| f.point)
                    };
                    let (Some(near), Some(far)) = (at(1.0), at(2.0)) else {
                        wrong += 1;
                        continue;
                    };
                    // One-sided and of second order.
                    let (to, own) = (0.5 / by, &f.point);
                    let slope = |x: Vec3, y: Vec3, z: Vec3| (y * 4.0 - z - x * 3.0) * to;
                    let point = slope(own.point, near.point, far.point);
                    let normal = slope(own.normal, near.normal, far.normal);
                    let gap = (4.0 * near.gap - far.gap - 3.0 * own.gap) * to;
                    let (part, c) = (k / 3, k % 3);
                    let d = &d.motion;
                    let (p, n, g) = (d.point[part].c[c], d.normal[part].c[c], d.gap[part][c]);
                    let error = (point - p).norm() + (normal - n).norm() + (gap - g).abs();
                    let scale = 1.0 + p.norm() + n.norm() + g.abs();
                    wrong += usize::from(error > 1e-5 * scale);
                }
            }
        }
    }
    println!(
        "{smooth} smooth, {tied} labelled or small, {wrong} of {} wrong",
        12 * smooth
    );
    assert!(smooth > 500 && wrong == 0, "{smooth} {tied} {wrong}");
}

/// By every size of both bodies. Every second shape has other sizes than its geom: its mesh is stretched.
#[test]
fn faces_grow_as_their_derivatives_say() {
    let mut all = shapes();
    all.push(plane());
    let geoms: Vec<(GeomSpec, ShapeSpec)> = (all.into_iter().enumerate())
        .flat_map(|(i, shape)| {
            [HydroelasticKind::Compliant, HydroelasticKind::Rigid].map(|kind| {
                let g = geom(shape.clone(), kind, 0.03);
                let sizes = shape.sizes();
                let grown = [0, 1, 2].map(|k| sizes[k] * (1.0 + 0.3 * scattered(i, k + 5)));
                let now = if i % 2 == 0 {
                    shape.resized(grown)
                } else {
                    shape.clone()
                };
                (g, now)
            })
        })
        .collect();
    let made = |g: &GeomSpec, shape: &ShapeSpec| Representation::of(g, shape).unwrap().unwrap();
    let (mut checked, mut left_out, mut seed) = (0, 0, 0);
    let mut worst: f64 = 0.0;
    for (i, (ga, sa)) in geoms.iter().enumerate() {
        for (gb, sb) in &geoms[i..] {
            let (a, b) = (made(ga, sa), made(gb, sb));
            if !meets(&a, &b) {
                continue;
            }
            seed += 1;
            let random = |k: usize| scattered(k, seed);
            let vector = |k: usize| Vec3::new(random(k), random(k + 1), random(k + 2));
            let pa = Pose::new(so3_exp(vector(1) * 2.0), vector(4));
            let rot = so3_exp(vector(7) * 2.0);
            let (away, far) = match (a.is_plane(), b.is_plane()) {
                (true, _) => (pa.rot.c[2], 0.035),
                (_, true) => (-rot.c[2], 0.035),
                _ => (vector(10).normalized().unwrap(), 0.065),
            };
            let pb = Pose::new(rot, pa.pos + away * far);
            let (ea, eb) = (1e6, 2e6);
            let found = faces((&a, pa, ea), (&b, pb, eb));
            for f in found.iter().step_by(found.len() / 5 + 1) {
                // Slivers turn too fast for differences.
                if f.press.area < 1e-7 {
                    continue;
                }
                for (side, shape) in [sa, sb].into_iter().enumerate() {
                    for k in 0..shape.variable_sizes() {
                        let h = 1e-7 * shape.sizes()[k];
                        let at = |s: f64| {
                            let mut sizes = shape.sizes();
                            sizes[k] += s * h;
                            let other = shape.resized(sizes);
                            let now = match side {
                                0 => faces((&made(ga, &other), pa, ea), (&b, pb, eb)),
                                _ => faces((&a, pa, ea), (&made(gb, &other), pb, eb)),
                            };
                            again(&now, f)
                        };
                        let (Some(up), Some(down)) = (at(1.0), at(-1.0)) else {
                            left_out += 1;
                            continue;
                        };
                        let of = |body, pose, modulus| Side {
                            body,
                            pose,
                            modulus,
                        };
                        let stretch = |x: Vec3| shape.stretch(k, x);
                        let sides = (of(&a, &pa, ea), of(&b, &pb, eb));
                        let d = grow(sides.0, sides.1, &f.point, f.part, (side, stretch));
                        let by = 0.5 / h;
                        let stiff = f.press.stiffness;
                        let slope = (up.press.stiffness - down.press.stiffness) * by;
                        let error = ((up.point.point - down.point.point) * by - d.point).norm()
                            + 0.05 * ((up.point.normal - down.point.normal) * by - d.normal).norm()
                            + ((up.point.gap - down.point.gap) * by - d.gap).abs()
                            + 0.05 * (slope - d.stiffness).abs() / stiff;
                        let scale = 1.0
                            + d.point.norm()
                            + d.gap.abs()
                            + 0.05 * (d.normal.norm() + d.stiffness.abs() / stiff);
                        // A vertex may come or go within the difference.
                        if error > 1e-5 * scale {
                            left_out += 1;
                        } else {
                            worst = worst.max(error / scale);
                            checked += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(checked > 1_000, "{checked}");
    assert!(
        left_out * 50 < checked,
        "{left_out} of {checked}, worst {worst:e}"
    );
    println!("{checked} derivatives by sizes, {left_out} left out, worst {worst:e}");
}

/// The side of a rigid mesh that is outside does not depend on how its triangles are wound, if all are wound
/// the same way.
#[test]
fn rigid_meshes_may_be_wound_inwards() {
    let tetrahedron = |triangles: Vec<[u32; 3]>| ShapeSpec::Mesh {
        mesh: TriMesh {
            vertices: vec![Vec3::ZERO, Vec3::X * 0.1, Vec3::Y * 0.1, Vec3::Z * 0.1],
            triangles,
        }
        .into(),
        mode: MeshMode::Hull,
        open: OpenMesh::Error,
    };
    let ground = soft(plane(), 0.1);
    let out = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mut inwards = out.clone();
    inwards.iter_mut().for_each(|t| t.swap(1, 2));
    let force = |triangles: Vec<[u32; 3]>| {
        let mesh = hard(tetrahedron(triangles), 0.1);
        pressed(&faces(
            (&ground, Pose::IDENTITY, 1e7),
            (&mesh, above(-0.002), 0.0),
        ))
        .0
    };
    let (f, g) = (force(out.clone()), force(inwards));
    assert!(
        f.z > 1.0 && (f - g).norm() < 1e-12 * f.norm(),
        "{f:?} {g:?}"
    );
    let mut mixed = out;
    mixed[2].swap(1, 2);
    let shape = tetrahedron(mixed);
    let e =
        Representation::of(&geom(shape.clone(), HydroelasticKind::Rigid, 0.1), &shape).unwrap_err();
    assert!(
        e.status == Status::InvalidArgument && e.message.contains("wound"),
        "{e}"
    );
}

#[test]
fn resolutions_that_need_too_much_are_refused() {
    let shape = ShapeSpec::Sphere { radius: 1.0 };
    let mut g = GeomSpec::new("ball", 1, Pose::IDENTITY, shape.clone());
    g.hydroelastic.kind = HydroelasticKind::Compliant;
    g.hydroelastic.resolution = 1e-9;
    let e = Representation::of(&g, &shape).unwrap_err();
    assert_eq!(e.status, Status::Capacity);
    assert!(
        e.message.contains("ball") && e.message.contains("resolution"),
        "{e}"
    );
}
