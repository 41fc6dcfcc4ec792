//! Hulls of meshes from files: plane faces scatter by the digits that were written.

use super::*;
use crate::collision::polytope::gjk::Simplex;
use crate::collision::polytope::shell::Shell;
use crate::collision::polytope::{depth, sat};

/// A turned part: rings of `sides` corners at these radii and heights, in a random orientation. Its
/// coordinates are multiples of `digit`, or of single precision if `digit` is 0.
fn turned(profile: &[[f64; 2]], sides: usize, digit: f64, random: &mut Random) -> Convex {
    let placed = Pose::new(so3_exp(random.vector(3.0)), random.vector(0.1));
    let written = |x: f64| match digit {
        0.0 => f64::from(x as f32),
        _ => (x / digit).round() * digit,
    };
    let mut points = Vec::new();
    for &[radius, height] in profile {
        for k in 0..sides {
            let (s, c) = (std::f64::consts::TAU * k as f64 / sides as f64).sin_cos();
            let p = placed.point(Vec3::new(radius * c, radius * s, height));
            points.push(Vec3::from_slice(&p.to_array().map(written)));
        }
    }
    Hull::from_points(&points).unwrap().into()
}

/// The axis named by a facet may be deeper than the facet by more than rounding. An exhaustive search
/// of all pairs of edges then costs as much as hundreds of normal searches, and tens of seconds on
/// hulls of thousands of vertices.
#[test]
fn faces_plane_but_for_digits_need_no_trial_of_every_axis() {
    let mut random = Random(200);
    let profiles: [&[[f64; 2]]; 3] = [
        &[[0.05, -0.02], [0.05, 0.02]],
        &[[0.03, -0.05], [0.04, -0.045], [0.04, 0.045], [0.03, 0.05]],
        &[[0.06, 0.0], [0.02, 0.08]],
    ];
    let mut shapes = Vec::new();
    for (k, profile) in profiles.iter().enumerate() {
        for digit in [0.0, 1e-7, 1e-6] {
            shapes.push(turned(profile, 24 + 8 * k, digit, &mut random));
        }
    }
    let (mut n, mut gave_up, mut worst) = (0, 0, 0.0_f64);
    for (i, a) in shapes.iter().enumerate() {
        for b in &shapes[i..] {
            for _ in 0..4 {
                let turn = so3_exp(random.vector(3.0));
                let apart = random.vector(1.0).normalized().unwrap() * (0.8 * random.next());
                let middle = a.centre() + apart * a.size();
                let pb = Pose::new(turn, middle - turn.mul_vec(b.centre()));
                let pair = Pair::new(a.hull().unwrap(), b.hull().unwrap(), pb);
                let rounding = ROUNDING * (a.size() + b.size());
                let all = sat::exhaustive(&pair, rounding).unwrap();
                if all.gap() > -rounding {
                    continue;
                }
                n += 1;
                let (mut simplex, mut shell) = (Simplex::default(), Shell::default());
                match depth::least_depth(&pair, &mut simplex, &mut shell, rounding) {
                    Some(axis) => worst = worst.max((all.gap() - axis.gap()) / rounding),
                    None => gave_up += 1,
                }
            }
        }
    }
    println!("{n} overlaps, {gave_up} given up, at most {worst:.1} roundings too deep");
    assert!(n > 100 && gave_up == 0 && worst < 100.0);
}

/// Two searches that find nearly equal depths must give the same result, wherever they begin.
#[test]
fn what_is_found_of_such_hulls_does_not_depend_on_the_poses_before() {
    let mut random = Random(210);
    let profiles: [&[[f64; 2]]; 2] = [
        &[[0.05, -0.02], [0.05, 0.02]],
        &[[0.03, -0.05], [0.04, -0.045], [0.04, 0.045], [0.03, 0.05]],
    ];
    let mut shapes = Vec::new();
    for profile in profiles {
        for digit in [0.0, 1e-7, 1e-6] {
            shapes.push(turned(profile, 32, digit, &mut random));
        }
    }
    for (i, a) in shapes.iter().enumerate() {
        for b in &shapes[i..] {
            for run in 0..8 {
                let (mut cache, mut depths) = (PairCache::default(), Depths::new(1));
                let mut pose = Pose::new(so3_exp(random.vector(3.0)), Vec3::ZERO);
                let aside = random.vector(1.0).normalized().unwrap() * (0.8 * a.size());
                pose.pos = a.centre() + aside - pose.rot.mul_vec(b.centre());
                let size = [1e-9, 1e-6, 1e-4, 1e-3][run % 4];
                for _ in 0..30 {
                    pose.rot = so3_exp(random.vector(size)).mul_mat(&pose.rot);
                    pose.pos += random.vector(0.1 * size);
                    let (mut warm, at) = (Manifold::default(), Pose::IDENTITY);
                    let memory = &mut Memory {
                        cache: &mut cache,
                        depths: &mut depths,
                        key: 0,
                    };
                    collide_deep(a, &at, b, &pose, &Approach::still(1e-3), memory, &mut warm);
                    let cold = super::run(a, &at, b, &pose, 1e-3);
                    assert!(warm == cold, "{warm:?}\n{cold:?}");
                }
            }
        }
    }
}
