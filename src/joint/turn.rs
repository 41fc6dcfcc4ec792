//! Angle and axis of a rotation: the quantity that bounds a spherical joint.
//!
//! With the rotation vector φ = θ û of q, θ in [0, π], and the tangent δq of the moved frame, q ⊕ δq has
//!
//!   δθ = û·δq,   δû = (½ cot(θ/2) (1 − û ûᵀ) + ½ [û]×) δq,
//!
//! from δφ = J_r⁻¹(φ) δq. Both are smooth except at θ = 0, where no direction is preferred, and at θ = π,
//! where û changes its sign.

use crate::spatial::{Mat3, Vec3};
use std::f64::consts::PI;

/// Below this angle the direction is round-off, and has no slope across itself [rad].
const NO_DIRECTION: f64 = 1e-9;

/// Below this size the squares of a vector part underflow.
const TINY: f64 = 1e-140;

/// Angle and axis of a quaternion.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// θ [rad].
    pub angle: f64,
    /// û, the same in both frames; the first axis if there is no rotation. It is ∂θ/∂q.
    pub direction: Vec3,
}

impl Turn {
    /// From (qx qy qz qw) of any nonzero length; of a half turn about the vector part as given.
    #[inline(always)]
    pub fn of(q: &[f64]) -> Turn {
        // The sign of w has no meaning for a half turn.
        let (along, w) = (Vec3::from_slice(q), q[3] + 0.0);
        let size = along.norm();
        let direction = match size > TINY {
            true => along * (1.0f64.copysign(w) / size),
            false => Vec3::X,
        };
        Turn {
            angle: 2.0 * size.atan2(w.abs()),
            direction,
        }
    }

    /// ∂û/∂q.
    #[inline(always)]
    pub fn slope(&self) -> Mat3 {
        let u = self.direction;
        let across = match self.angle > NO_DIRECTION {
            true => 0.5 / (0.5 * self.angle).tan(),
            false => 0.0,
        };
        let columns = [Vec3::X, Vec3::Y, Vec3::Z].map(|e| {
            let along = u * u.dot(e);
            (e - along) * across + u.cross(e) * 0.5
        });
        Mat3 { c: columns }
    }

    /// Distance to the nearest jump of the slopes [rad].
    pub fn switch_distance(&self) -> f64 {
        self.angle.min(PI - self.angle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::Quat;

    #[test]
    fn slopes_are_those_of_differences() {
        for (i, w) in [
            [0.3, -0.2, 0.1],
            [1e-3, 2e-3, 0.0],
            [2.0, 1.0, -1.5],
            [-3.0, 0.5, 0.6],
            [4.0, 1.0, 0.0],
        ]
        .into_iter()
        .enumerate()
        {
            // Both quaternions of a rotation, neither of length one.
            let scale = if i % 2 == 0 { 1.3 } else { -0.7 };
            let q = Quat::exp(Vec3::from_slice(&w));
            let at = |d: Vec3| {
                let q = q.mul(Quat::exp(d));
                Turn::of(&q.to_array().map(|x| scale * x))
            };
            let own = at(Vec3::ZERO);
            let eps = 1e-5 * own.angle.min(1.0);
            assert!((own.direction.norm() - 1.0).abs() < 1e-15);
            let back = Quat::exp(own.direction * own.angle).to_mat3();
            let there = q.to_mat3();
            for k in 0..3 {
                assert!((back.c[k] - there.c[k]).norm() < 1e-14);
            }
            for (k, e) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
                let (a, b) = (at(e * eps), at(e * -eps));
                let by = (a.angle - b.angle) / (2.0 * eps);
                assert!((by - own.direction.dot(e)).abs() < 1e-8, "{w:?} {k}");
                let by = (a.direction - b.direction) * (0.5 / eps);
                let exact = own.slope().c[k];
                let size = 1.0 + exact.norm();
                assert!((by - exact).norm() < 1e-6 * size, "{w:?} {k}");
            }
        }
    }

    #[test]
    fn no_turn_and_half_a_turn_are_finite() {
        let none = Turn::of(&[0.0, 0.0, 0.0, -1.0]);
        assert_eq!((none.angle, none.direction), (0.0, Vec3::X));
        assert_eq!(none.switch_distance(), 0.0);
        let half = Turn::of(&[0.0, 2.0, 0.0, 0.0]);
        assert_eq!((half.angle, half.direction), (PI, Vec3::Y));
        assert_eq!(half.switch_distance(), 0.0);
        for turn in [none, half, Turn::of(&[1e-200, 0.0, 0.0, 1.0])] {
            assert!(turn.slope().c.iter().all(|c| c.is_finite()));
        }
    }
}
