//! Angles about three axes, and the rotations that they make.
//!
//! R = R(a, α) R(b, β) R(c, γ) with unit axes. The rotation changes by S (α̇, β̇, γ̇) about its own axes, and
//! the columns of S are R(c, γ)ᵀ R(b, β)ᵀ a, R(c, γ)ᵀ b and c.

use super::{Mat3, Vec3, so3_exp};
use std::f64::consts::{PI, TAU};

/// Directions nearer than this are one [rad].
const SAME: f64 = 1e-9;

/// The rotation by angles about axes, and S.
pub fn rotation_by_angles(axes: [Vec3; 3], angles: [f64; 3]) -> (Mat3, Mat3) {
    let [a, b, c] = axes;
    let turns: [Mat3; 3] = std::array::from_fn(|k| so3_exp(axes[k] * angles[k]));
    let rot = turns[0].mul_mat(&turns[1]).mul_mat(&turns[2]);
    let first = turns[2].tr_mul_vec(turns[1].tr_mul_vec(a));
    (rot, Mat3::from_columns(first, turns[2].tr_mul_vec(b), c))
}

/// The angles of a rotation, with the second axis perpendicular to both others. The second angle is within
/// half a turn that begins and ends where all axes are in one plane; none there, for the others are not
/// determined.
///
/// With λ the angle from a to c about b, R R(b, λ) = R(a, α) R(b, θ) R(a, γ), θ = β + λ.
pub fn angles_of_rotation(axes: [Vec3; 3], rot: &Mat3) -> Option<[f64; 3]> {
    let [a, b, c] = axes;
    let n = a.cross(b);
    let mut lambda = (-n.dot(c)).atan2(a.dot(c));
    // An axis opposite to the first gets +π, also if round-off gives −π.
    if lambda < SAME - PI {
        lambda += TAU;
    }
    let m = rot.mul_mat(&so3_exp(b * lambda));
    let (along, back) = (m.mul_vec(a), m.tr_mul_vec(a));
    let (side, sine) = (
        if lambda < -SAME { -1.0 } else { 1.0 },
        b.dot(along).hypot(n.dot(along)),
    );
    (sine > SAME).then(|| {
        [
            (side * b.dot(along)).atan2(-side * n.dot(along)),
            side * sine.atan2(a.dot(along)) - lambda,
            (side * b.dot(back)).atan2(side * n.dot(back)),
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_come_back() {
        let all = [Vec3::X, Vec3::Y, Vec3::Z];
        let tilt = so3_exp(Vec3::new(0.3, -0.8, 0.5));
        for (i, j, k) in (0..27).map(|n| (n / 9, n / 3 % 3, n % 3)) {
            if i == j || j == k {
                continue;
            }
            for sign in [1.0, -1.0] {
                let axes = [all[i], all[j], all[k] * sign].map(|x| tilt.mul_vec(x));
                for angles in [[0.3, -0.7, 0.9], [-2.8, 1.4, 2.2], [3.0, 0.2, -1.5]] {
                    let (rot, s) = rotation_by_angles(axes, angles);
                    let found = angles_of_rotation(axes, &rot).unwrap();
                    let (again, _) = rotation_by_angles(axes, found);
                    assert!((again - rot).c.iter().all(|c| c.max_abs() < 1e-13));
                    for (x, column) in s.c.iter().enumerate() {
                        let moved = |e: f64| {
                            let mut at = angles;
                            at[x] += e;
                            rotation_by_angles(axes, at).0
                        };
                        let h = 1e-5;
                        let turn = moved(-h).transpose().mul_mat(&moved(h));
                        let rate = super::super::so3_log(&turn) * (0.5 / h);
                        assert!((rate - *column).max_abs() < 1e-9);
                    }
                }
                let within = if i == k { 1.2 } else { 0.6 };
                let shift = if i == k && sign < 0.0 { -2.0 } else { 0.0 };
                let angles = [0.4, within + shift, -0.5];
                let (rot, _) = rotation_by_angles(axes, angles);
                let found = angles_of_rotation(axes, &rot).unwrap();
                assert!((0..3).all(|x| (found[x] - angles[x]).abs() < 1e-13));
            }
        }
        let plane = rotation_by_angles(all, [0.1, std::f64::consts::FRAC_PI_2, 0.2]).0;
        assert_eq!(angles_of_rotation(all, &plane), None);
    }
}
