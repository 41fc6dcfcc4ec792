//! Queries that start where the last one on the pair ended.

use super::*;
use crate::spatial::Mat3;

/// Poses as a simulation meets them: sliding, turning, resting flat, edge on edge, all with rounding.
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
            let (mut cache, mut shell) = (PairCache::default(), Shell::default());
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
            // From touching to a little apart, to overlapping.
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
                collide_deep(a, &pa, b, &pose, 0.002, &mut cache, &mut shell, &mut warm);
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
