//! Tests of warm-started queries.

use super::*;
use crate::collision::polytope::gjk::Simplex;
use crate::collision::polytope::shell::Sought;
use crate::spatial::Mat3;

/// Poses like those of a simulation: sliding, rotating, resting flat, edge on edge, all with round-off.
#[test]
fn what_is_found_does_not_depend_on_the_poses_before() {
    let mesh_box = |h: Vec3| Convex::from_mesh(&gridded_box(h, 3)).unwrap();
    let pairs: Vec<(Convex, Convex)> = vec![
        (
            rounded(300, Vec3::new(0.1, 0.08, 0.12), 1).into(),
            rounded(300, Vec3::new(0.1, 0.1, 0.09), 2).into(),
        ),
        (
            mesh_box(Vec3::new(0.3, 0.3, 0.05)),
            mesh_box(Vec3::new(0.1, 0.08, 0.12)),
        ),
        (
            Convex::cuboid(Vec3::new(0.3, 0.3, 0.05)).unwrap(),
            mesh_box(Vec3::new(0.1, 0.08, 0.12)),
        ),
        (
            mesh_box(Vec3::new(0.3, 0.3, 0.05)),
            Convex::capsule(0.05, 0.1).unwrap(),
        ),
        (
            Convex::cylinder(0.1, 0.2).unwrap(),
            mesh_box(Vec3::new(0.1, 0.08, 0.12)),
        ),
    ];
    let flat = [
        Mat3::IDENTITY,
        so3_exp(Vec3::Z * 0.3),
        so3_exp(Vec3::X * std::f64::consts::FRAC_PI_4),
        so3_exp(Vec3::Y * std::f64::consts::FRAC_PI_2),
    ];
    let mut random = Random(140);
    for (a, b) in &pairs {
        for run in 0..40 {
            let (mut cache, mut depths) = (PairCache::default(), Depths::new(1));
            let aligned = run % 2 == 0;
            let turn = if aligned {
                flat[run / 2 % flat.len()]
            } else {
                random.pose().rot
            };
            let away = if aligned {
                Vec3::Z
            } else {
                random.vector(1.0).normalized().unwrap()
            };
            // From touching to slightly apart, to overlapping.
            let mut pb = Pose::new(turn, away * (a.size() + b.size()));
            let touching = deepest(&run_at(a, &pb, b)).map_or(0.0, |p| p.gap);
            let sunk = if run < 20 { 0.0 } else { 0.1 * b.size() };
            pb.pos -= away * (touching + sunk);
            let size = [0.0, 1e-14, 1e-11, 1e-8, 1e-4, 1e-3][run % 6];
            for _ in 0..50 {
                let spin = random.vector(1.0) * size;
                let pose = Pose::new(
                    so3_exp(spin).mul_mat(&pb.rot),
                    pb.pos + random.vector(1.0) * (10.0 * size),
                );
                let (mut warm, mut cold) = (Manifold::default(), Manifold::default());
                let pa = Pose::IDENTITY;
                let mut memory = Memory {
                    cache: &mut cache,
                    depths: &mut depths,
                    key: 0,
                };
                collide_deep(
                    a,
                    &pa,
                    b,
                    &pose,
                    &Approach::still(0.002),
                    &mut memory,
                    &mut warm,
                );
                collide(
                    a,
                    &pa,
                    b,
                    &pose,
                    0.002,
                    &mut PairCache::default(),
                    &mut cold,
                );
                assert!(warm == cold, "run {run}: {warm:?}\n{cold:?}");
            }
        }
    }
}

fn run_at(a: &Convex, pb: &Pose, b: &Convex) -> Manifold {
    run(a, &Pose::IDENTITY, b, pb, 10.0)
}

/// Overlaps of shapes of which one is curved, like robots' joint housings. Every other run moves so
/// fast that the contact changes features.
#[test]
fn curved_overlaps_do_not_depend_on_the_poses_before() {
    let shapes = [
        Convex::cylinder(0.1, 0.05).unwrap(),
        Convex::cylinder(0.02, 0.08).unwrap(),
        Convex::cylinder(0.06, 0.1).unwrap(),
        Convex::cuboid(Vec3::new(0.05, 0.08, 0.1)).unwrap(),
        Convex::cuboid(Vec3::new(0.03, 0.02, 0.08)).unwrap(),
        Convex::ellipsoid(Vec3::new(0.06, 0.09, 0.12)).unwrap(),
        rounded(60, Vec3::new(0.1, 0.08, 0.12), 1).into(),
    ];
    let mut random = Random(160);
    let (mut again, mut queries) = (0, 0);
    let runs = runs(4);
    for (i, a) in shapes.iter().enumerate() {
        for b in &shapes[i..] {
            if !(a.is_curved() || b.is_curved()) {
                continue;
            }
            for k in 0..runs {
                let (mut cache, mut depths) = (PairCache::default(), Depths::new(1));
                let gap = -random.within(0.01, 0.5) * a.size().min(b.size());
                let (pa, mut pb) = near_touching_curved(a, b, gap, &mut random);
                let speed = [1e-6, 1e-4, 1e-3, 1e-2][k % 4];
                let (spin, slide) = (random.vector(speed), random.vector(0.1 * speed));
                for _ in 0..40 {
                    pb = Pose::new(so3_exp(spin).mul_mat(&pb.rot), pb.pos + slide);
                    let mut memory = Memory {
                        cache: &mut cache,
                        depths: &mut depths,
                        key: 0,
                    };
                    let bodies = Bodies {
                        sinks: None,
                        a,
                        b,
                        b_in_a: pa.relative(&pb),
                    };
                    let rounding = ROUNDING * (a.size() + b.size());
                    queries += 1;
                    again += i32::from(bodies.solve_again(rounding, &mut memory).is_some());
                    let mut warm = Manifold::default();
                    collide_deep(
                        a,
                        &pa,
                        b,
                        &pb,
                        &Approach::still(0.002),
                        &mut memory,
                        &mut warm,
                    );
                    let cold = run(a, &pa, b, &pb, 0.002);
                    assert!(
                        warm == cold,
                        "{a:?}\n{b:?}\n{pa:?}\n{pb:?}: {warm:?}\n{cold:?}"
                    );
                }
            }
        }
    }
    println!("{again} of {queries} from where the last one ended");
    assert!(2 * again > queries);
}

/// The stored polytope proves by its facets at the new placement, without growing, that the same
/// features give the least depth.
#[test]
fn overlaps_of_turning_hulls_are_settled_by_what_the_last_query_left() {
    let shapes = [
        rounded(60, Vec3::new(0.1, 0.08, 0.12), 1),
        rounded(300, Vec3::new(0.1, 0.1, 0.09), 2),
        Hull::from_mesh(&gridded_box(Vec3::new(0.1, 0.08, 0.12), 3)).unwrap(),
    ];
    let mut random = Random(170);
    let (mut again, mut queries) = (0, 0);
    for (i, a) in shapes.iter().enumerate() {
        for b in &shapes[i..] {
            let rounding = ROUNDING * (a.size() + b.size());
            let (ca, cb) = (Convex::from(a.clone()), Convex::from(b.clone()));
            for _ in 0..runs(8) {
                let (mut cache, mut depths) = (PairCache::default(), Depths::new(1));
                let mut pose = Pose::new(so3_exp(random.vector(3.0)), Vec3::ZERO);
                pose.pos = random.vector(1.0).normalized().unwrap() * (0.7 * a.size());
                let (spin, slide) = (random.vector(2e-3), random.vector(2e-4));
                for _ in 0..40 {
                    pose = Pose::new(so3_exp(spin).mul_mat(&pose.rot), pose.pos + slide);
                    let mut memory = Memory {
                        cache: &mut cache,
                        depths: &mut depths,
                        key: 0,
                    };
                    let pair = Pair::new(a, b, pose);
                    let sought = Sought::alone(rounding);
                    let known = memory.known_shell();
                    let settled = known
                        .and_then(|s| s.settle(&pair, &mut Simplex::default(), &sought))
                        .flatten();
                    queries += 1;
                    again += i32::from(settled.is_some());
                    let (mut warm, at) = (Manifold::default(), Pose::IDENTITY);
                    let still = Approach::still(0.002);
                    collide_deep(&ca, &at, &cb, &pose, &still, &mut memory, &mut warm);
                    let cold = run(&ca, &at, &cb, &pose, 0.002);
                    assert!(warm == cold, "{warm:?}\n{cold:?}");
                }
            }
        }
    }
    println!("{again} of {queries} settled by what the last one left");
    assert!(10 * again > 7 * queries);
}
