//! Height fields against convex shapes.

use super::*;
use crate::model::spec::HeightField;

fn terrain(height: impl Fn(f64, f64) -> f64) -> Terrain {
    let (columns, rows) = (21, 17);
    let heights = (0..columns * rows)
        .map(|i| height((i % columns) as f64, (i / columns) as f64))
        .collect();
    Terrain::new(&HeightField {
        columns,
        rows,
        half_extents: [1.0, 0.8],
        base: 1.0,
        heights,
    })
    .unwrap()
}

fn contacts(
    t: &mut Terrain,
    pose: &Pose,
    b: &Convex,
    pose_b: &Pose,
    margin: f64,
) -> Vec<TerrainContact> {
    let mut out = [TerrainContact::default(); MAX_POINTS];
    let n = t.collide(pose, b, pose_b, &Approach::still(margin), &mut out);
    out[..n].to_vec()
}

fn shapes() -> Vec<(&'static str, Convex)> {
    vec![
        ("box", Convex::cuboid(Vec3::new(0.1, 0.07, 0.05)).unwrap()),
        ("mesh", rounded(30, Vec3::new(0.1, 0.12, 0.08), 5).into()),
        ("sphere", Convex::sphere(0.06).unwrap()),
        ("capsule", Convex::capsule(0.04, 0.1).unwrap()),
        ("cylinder", Convex::cylinder(0.05, 0.08).unwrap()),
        (
            "ellipsoid",
            Convex::ellipsoid(Vec3::new(0.1, 0.05, 0.07)).unwrap(),
        ),
    ]
}

/// Lowest point of a shape along −`up`.
fn lowest(b: &Convex, pose: &Pose, up: Vec3) -> f64 {
    let d = -pose.rot.tr_mul_vec(up);
    let (x, _) = crate::collision::polytope::convex::support(b, d, None);
    pose.point(x).dot(up) - b.radius()
}

#[test]
fn flat_field_is_a_plane() {
    let mut flat = terrain(|_, _| 0.0);
    let mut random = Random(200);
    for (name, b) in shapes() {
        for k in 0..200 {
            let field = random.pose();
            let up = field.rot.c[2];
            let mut pose = random.pose();
            // Every other shape is upright: face on face, over several cells.
            if k % 2 == 0 {
                pose.rot = field
                    .rot
                    .mul_mat(&so3_exp(Vec3::Z * random.within(-3.0, 3.0)));
            }
            let gap = random.within(-0.04, 0.004);
            let at = field.point(Vec3::new(
                random.within(-0.7, 0.7),
                random.within(-0.5, 0.5),
                0.0,
            ));
            pose.pos = at;
            pose.pos += up * (gap - lowest(&b, &pose, up) + at.dot(up));
            let found = contacts(&mut flat, &field, &b, &pose, 0.005);
            let deepest = found
                .iter()
                .map(|p| p.contact.gap)
                .fold(f64::INFINITY, f64::min);
            assert!(
                (deepest - gap).abs() < 1e-9,
                "{name}: {deepest} instead of {gap}"
            );
            for p in &found {
                assert!((p.contact.normal - up).norm() < 1e-9, "{name}");
            }
        }
    }
}

/// Nearest point of a triangle, from its plane, edges and corners.
fn distance_to(x: Vec3, t: [Vec3; 3]) -> f64 {
    let n = (t[1] - t[0]).cross(t[2] - t[0]).normalized().unwrap();
    let mut best = f64::INFINITY;
    let mut over = true;
    for k in 0..3 {
        let (p, e) = (t[k], t[(k + 1) % 3] - t[k]);
        over &= e.cross(x - p).dot(n) >= 0.0;
        let s = ((x - p).dot(e) / e.norm_squared()).clamp(0.0, 1.0);
        best = best.min((x - p - e * s).norm());
    }
    if over { (x - t[0]).dot(n).abs() } else { best }
}

#[test]
fn ball_on_a_rough_field_against_brute_force() {
    let mut random = Random(210);
    let heights: Vec<f64> = (0..400).map(|_| random.within(-0.03, 0.03)).collect();
    let mut rough = terrain(|c, r| heights[c as usize + 21 * r as usize]);
    let radius = 0.06;
    let ball = Convex::sphere(radius).unwrap();
    let node = |c: usize, r: usize| {
        Vec3::new(
            -1.0 + 0.1 * c as f64,
            -0.8 + 0.1 * r as f64,
            heights[c + 21 * r],
        )
    };
    let mut touching = 0;
    for _ in 0..500 {
        let x = Vec3::new(
            random.within(-0.8, 0.8),
            random.within(-0.6, 0.6),
            random.within(0.03, 0.1),
        );
        let mut expected = f64::INFINITY;
        for c in 0..20 {
            for r in 0..16 {
                let (p, q) = (node(c, r), node(c + 1, r + 1));
                expected = expected
                    .min(distance_to(x, [p, node(c + 1, r), q]))
                    .min(distance_to(x, [p, q, node(c, r + 1)]));
            }
        }
        expected -= radius;
        let found = contacts(
            &mut rough,
            &Pose::IDENTITY,
            &ball,
            &Pose::translation(x),
            0.01,
        );
        let deepest = found
            .iter()
            .map(|p| p.contact.gap)
            .fold(f64::INFINITY, f64::min);
        if expected < 0.01 {
            touching += 1;
            assert!(
                (deepest - expected).abs() < 1e-9,
                "{deepest} instead of {expected}"
            );
        } else {
            assert!(found.is_empty());
        }
    }
    assert!(touching > 100);
}

#[test]
fn derivatives_on_a_rough_field() {
    let mut random = Random(220);
    let heights: Vec<f64> = (0..400).map(|_| random.within(-0.02, 0.02)).collect();
    let mut rough = terrain(|c, r| heights[c as usize + 21 * r as usize]);
    for (name, b) in shapes() {
        let (mut all, mut changed, mut wrong, mut worst) = (0, 0, 0, 0.0f64);
        for _ in 0..20 {
            let field = random.pose();
            let up = field.rot.c[2];
            let mut pose = random.pose();
            pose.pos = field.point(Vec3::new(
                random.within(-0.7, 0.7),
                random.within(-0.5, 0.5),
                0.0,
            ));
            pose.pos += up * (pose.pos.dot(up) - lowest(&b, &pose, up));
            for p in contacts(&mut rough, &field, &b, &pose, 0.005) {
                let (d, _) = rough.differentiate(&field, &b, &pose, &p).unwrap();
                for k in 0..12 {
                    all += 1;
                    let query = |pa: &Pose, pb: &Pose| {
                        let mut m = Manifold::default();
                        let mut t = rough.clone();
                        for q in contacts(&mut t, pa, &b, pb, 0.005) {
                            if q.triangle == p.triangle {
                                m.push(q.contact);
                            }
                        }
                        m
                    };
                    match difference_of(&field, &pose, &p.contact, k, query) {
                        None => changed += 1,
                        Some(fd) => {
                            let e = error(&d, &p.contact, k, fd);
                            worst = worst.max(e);
                            wrong += usize::from(e > 1e-5);
                        }
                    }
                }
            }
        }
        println!(
            "field - {name}: {all} derivatives, {changed} across a feature change, {wrong} above 1e-5, worst {worst:.1e}"
        );
        assert!(all > 100 && changed * 10 < all && wrong * 100 < all - changed);
    }
}

#[test]
fn fields_with_holes_are_refused() {
    let mut field = HeightField {
        columns: 3,
        rows: 2,
        half_extents: [1.0, 1.0],
        base: 0.1,
        heights: vec![0.0; 6],
    };
    field.heights[4] = f64::NAN;
    let e = Terrain::new(&field).unwrap_err();
    assert!(e.message.contains("row 1, column 1"), "{}", e.message);
    field.heights.pop();
    let e = Terrain::new(&field).unwrap_err();
    assert!(e.message.contains("with 5 heights"), "{}", e.message);
}

#[test]
fn what_is_wholly_below_the_surface_is_pushed_out() {
    let mut random = Random(230);
    let heights: Vec<f64> = (0..400).map(|_| random.within(-0.02, 0.02)).collect();
    let mut rough = terrain(|c, r| heights[c as usize + 21 * r as usize]);
    for (name, b) in shapes() {
        for depth in [0.05, 0.15, 0.3, 0.5] {
            for _ in 0..20 {
                let mut pose = random.pose();
                pose.pos = Vec3::new(random.within(-0.7, 0.7), random.within(-0.5, 0.5), 0.0);
                // Its highest point is `depth` below the level of the field.
                pose.pos.z = -depth + lowest(&b, &Pose::new(pose.rot, Vec3::ZERO), -Vec3::Z);
                let found = contacts(&mut rough, &Pose::IDENTITY, &b, &pose, 0.0);
                assert!(!found.is_empty(), "{name} {depth} m deep");
                for p in &found {
                    let p = p.contact;
                    assert!(p.normal.z > 0.5 && p.gap < 0.0, "{name} {depth}: {p:?}");
                }
                let deepest = found.iter().fold(0.0, |d: f64, p| d.max(-p.contact.gap));
                assert!(deepest > depth, "{name} {depth}: {deepest}");
            }
        }
    }
}
