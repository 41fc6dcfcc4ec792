//! Poses and sizes on a coarse grid: axes are parallel, features equally near, and centres on axes,
//! exactly or up to rounding.

use super::super::{Manifold, collide, differentiate, distance};
use super::{Random, separation};
use crate::collision::{ContactDerivative, Shape};
use crate::spatial::{Mat3, Pose, Vec3, so3_exp};
use std::f64::consts::FRAC_PI_4;

const POSES: usize = 2000;

fn length(r: &mut Random, most: f64) -> f64 {
    0.1 * r.uniform(1.0, most + 1.0).floor()
}

fn shape(kind: usize, r: &mut Random) -> Shape {
    let lengths = Vec3::new(length(r, 5.0), length(r, 5.0), length(r, 5.0));
    let (radius, half_length) = (lengths.x, lengths.y);
    match kind {
        0 => Shape::Sphere { radius },
        1 => Shape::Capsule {
            radius,
            half_length,
        },
        2 => Shape::Cylinder {
            radius,
            half_length,
        },
        3 => Shape::Ellipsoid { semi_axes: lengths },
        _ => Shape::Box {
            half_extents: lengths,
        },
    }
}

/// A rotation by multiples of 45° about the axes, plus at most `noise`.
fn rotation(r: &mut Random, noise: f64) -> Mat3 {
    let mut rot = so3_exp(r.vector() * noise);
    for _ in 0..3 {
        let axis = Vec3::unit(r.uniform(0.0, 3.0) as usize);
        let angle = FRAC_PI_4 * r.uniform(0.0, 8.0).floor();
        rot = rot.mul_mat(&so3_exp(axis * angle));
    }
    rot
}

#[test]
fn poses_on_a_grid() {
    let mut r = Random(99);
    let mut touching = 0;
    for (kind_a, kind_b) in (0..2).flat_map(|a| (a..5).map(move |b| (a, b))) {
        for k in 0..POSES {
            // On the grid to rounding, or slightly off it.
            let (noise, tolerance) = if k % 2 == 0 {
                (0.0, 1e-11)
            } else {
                (10f64.powf(r.uniform(-16.0, -3.0)), 1e-6)
            };
            let (a, b) = (shape(kind_a, &mut r), shape(kind_b, &mut r));
            let place = Vec3::from_slice(&[0; 3].map(|_| 0.05 * r.uniform(-12.0, 13.0).floor()));
            let pose_a = Pose::new(rotation(&mut r, noise), place);
            let pose_b = Pose::new(rotation(&mut r, noise), Vec3::ZERO);
            let c = distance(&a, &pose_a, &b, &pose_b).unwrap();
            let room = |n: Vec3| separation((&a, &pose_a), (&b, &pose_b), n);
            let scene = format!("{a:?} {pose_a:?} {b:?} {pose_b:?} {c:?}");
            assert!((room(c.normal) - c.gap).abs() < tolerance, "{scene}");
            // No direction nearby, and none of the likely ones, is better.
            for i in 0..12 {
                let near = (c.normal + r.vector() * 0.03).normalized().unwrap();
                let axes = [&pose_a, &pose_b][i % 2].rot.c;
                let axis = axes[i / 2 % 3] * if i < 6 { 1.0 } else { -1.0 };
                let cross = axis.cross(pose_a.rot.c[2]).normalized().unwrap_or(axis);
                for n in [near, axis, cross] {
                    assert!(room(n) < c.gap + tolerance, "{n:?} {scene}");
                }
            }
            let mut m = Manifold::default();
            assert!(collide(&a, &pose_a, &b, &pose_b, 0.05, &mut m));
            if c.gap > 0.0499 {
                continue;
            }
            touching += 1;
            let least = m.points().iter().fold(f64::INFINITY, |g, p| g.min(p.gap));
            assert!((least - c.gap).abs() < 1e-5, "{scene} {m:?}");
            for (i, p) in m.points().iter().enumerate() {
                assert!(
                    m.points()[..i].iter().all(|q| q.feature != p.feature),
                    "{scene} {m:?}"
                );
                let mut d = ContactDerivative::default();
                differentiate(&a, &pose_a, &b, &pose_b, p, &mut d);
                let blocks = [d.point, d.normal];
                assert!(
                    blocks.iter().flatten().all(Mat3::is_finite),
                    "{scene} {d:?}"
                );
            }
        }
    }
    assert!(touching > POSES, "{touching}");
}
