//! Forces that a step takes from inputs, joint springs and dampers, and their partial derivatives.

use crate::joint::free_pose;
use crate::model::topology::{Link, LinkKind};
use crate::model::{Actuator, Model};
use crate::spatial::{Mat3, Vec3, so3_log_jacobian};

/// An actuator's force and its slopes.
#[derive(Clone, Copy, Debug, Default)]
pub struct ActuatorForce {
    /// [N or N m] before the gear.
    pub force: f64,
    /// By u, by length and by velocity of the transmission; zero where a clamp holds.
    pub by_u: f64,
    pub by_length: f64,
    pub by_velocity: f64,
    /// Distance of the input or force to the nearest clamp, in its own unit.
    pub margin: f64,
}

impl ActuatorForce {
    /// At a clamp itself the slope is that of the unclamped side.
    pub fn of(a: &Actuator, q: &[f64], v: &[f64], u: f64) -> Self {
        let mut margin = f64::INFINITY;
        let mut clamp = |x: f64, range: Option<(f64, f64)>| match range {
            None => (x, true),
            // Nothing passes, on either side.
            Some((lo, hi)) if lo == hi => (lo, false),
            Some((lo, hi)) => {
                margin = margin.min((x - lo).abs()).min((x - hi).abs());
                (x.clamp(lo, hi), x >= lo && x <= hi)
            }
        };
        let (u, u_free) = clamp(u, a.control_range);
        let (mut length, mut velocity) = (0.0, 0.0);
        if a.bias[1] != 0.0 || a.bias[2] != 0.0 {
            length = a.gear[0] * q[a.iq];
            velocity = a.gear[0] * v[a.iv];
        }
        let raw = a.gain * u + a.bias[0] + a.bias[1] * length + a.bias[2] * velocity;
        let (force, free) = clamp(raw, a.force_range);
        let on = |slope: f64, free: bool| if free { slope } else { 0.0 };
        ActuatorForce {
            force,
            by_u: on(a.gain, free && u_free),
            by_length: on(a.bias[1] * a.gear[0], free),
            by_velocity: on(a.bias[2] * a.gear[0], free),
            margin,
        }
    }
}

/// Derivative of a spherical or free link's spring displacement by its tangent, in 3×3 blocks
/// (linear by linear, linear by angular, angular by angular).
pub fn spring_jacobian(model: &Model, l: &Link, q: &[f64], e: &[f64]) -> [Mat3; 3] {
    match l.kind {
        LinkKind::Free => {
            let rest = Vec3::from_slice(&model.neutral()[l.iq..]);
            let at = free_pose(&q[l.iq..]);
            let d = at.rot.tr_mul_vec(at.pos - rest);
            let w = Vec3::from_slice(&e[l.iv + 3..]);
            [Mat3::IDENTITY, Mat3::skew(d), so3_log_jacobian(w)]
        }
        _ => {
            let w = Vec3::from_slice(&e[l.iv..]);
            [Mat3::ZERO, Mat3::ZERO, so3_log_jacobian(w)]
        }
    }
}
