//! Friction of a spherical joint by its load: a moment π within the ball |π| ≤ L, against the velocity ω.
//!
//! No row has such a bound. A ball that is held has rows of its three dofs, with bounds outside the ball. A
//! ball that slips has no rows: its moment is a force −F on the dofs, with F = L ω/|ω|. Which of both it is,
//! and the next F, follow from the joint alone. Let W be the response of its dofs to their impulses. With
//! b = ω + W p at the last solution, p = h F:
//!
//!   it is held if |W⁻¹ b| < h L; else F = p⁺/h with (W + t) p⁺ = b and |p⁺| = h L, t > 0.
//!
//! The last line is a secular equation in t. A solution of the step is a fixed point of this map for any W.
//! For a joint without contacts the map finds the direction of F at once.

use crate::contact::digits::{AT_SWITCH, SLOWEST};
use crate::linalg::{larger, smaller};
use crate::spatial::{Mat3, Vec3};

/// A held ball has rows with this multiple of its friction as the bound.
const OUTSIDE: f64 = 2.0;

/// A row within this share of its bound is at it.
const AT_BOUND: f64 = 1e-9;

/// Largest number of Newton steps for the secular equation, which converge from below.
const NEWTON_STEPS: usize = 60;

/// The friction of a spherical joint in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    /// True if the friction is a known force, else rows hold the dofs.
    pub slips: bool,
    /// Bound of each row of a held ball [N m].
    pub bound: f64,
    /// W [rad/s per N m s].
    pub response: Mat3,
    /// L of the last solution [N m], its velocity [rad/s] and p [N m s].
    pub most: f64,
    pub speed: Vec3,
    pub impulse: Vec3,
}

/// The outcome of [`Ball::judge`].
pub(super) enum Judged {
    /// The state is another one, with this force F of a ball that slips.
    Switched(Vec3),
    /// F of a ball that slips and should have this one instead; of a held ball zero.
    Same(Vec3),
}

impl Ball {
    pub const NEW: Ball = Ball {
        slips: true,
        bound: 0.0,
        response: Mat3::IDENTITY,
        most: 0.0,
        speed: Vec3::ZERO,
        impulse: Vec3::ZERO,
    };

    /// Takes a solution with this velocity and the impulses p of the friction, −p on the dofs, for the bound
    /// `most` [N m] that the load gives.
    pub fn judge(&mut self, speed: Vec3, p: Vec3, most: f64, h: f64) -> Judged {
        (self.most, self.speed, self.impulse) = (most, speed, p);
        let b = speed + self.response.mul_vec(p);
        let next = resist(&self.response, b, h * most);
        match (next, self.slips) {
            (Some(p), true) => Judged::Same(p * (1.0 / h)),
            (Some(p), false) => {
                (self.slips, self.bound) = (true, 0.0);
                Judged::Switched(p * (1.0 / h))
            }
            (None, slips) => {
                let limit = h * self.bound * (1.0 - AT_BOUND);
                let is_inside = [p.x, p.y, p.z].iter().all(|p| p.abs() < limit);
                if !slips && is_inside {
                    return Judged::Same(Vec3::ZERO);
                }
                (self.slips, self.bound) = (false, OUTSIDE * most);
                Judged::Switched(Vec3::ZERO)
            }
        }
    }

    /// Distance of the last solution to the switch between held and slipping. `fastest`: the largest
    /// velocity.
    pub fn margin(&self, h: f64, fastest: f64) -> f64 {
        match self.slips {
            true => self.speed.norm() / larger(fastest, SLOWEST),
            false => 1.0 - smaller(self.impulse.norm() / (h * self.most), 1.0),
        }
    }

    /// The direction a of a friction that slips, and its slope by the velocity, (L/|ω|)(1 − a aᵀ).
    pub fn slope(&self) -> (Vec3, Mat3) {
        let size = self.speed.norm();
        if !self.slips || size == 0.0 {
            return (Vec3::ZERO, Mat3::ZERO);
        }
        let a = self.speed * (1.0 / size);
        let across = Mat3::IDENTITY - Mat3::outer(a, a);
        (a, across * (self.most / size))
    }
}

/// True for a margin at which a solution counts as at the switch.
pub(super) fn is_at_switch(margin: f64) -> bool {
    margin <= AT_SWITCH
}

/// The p with |p| = `most` and (W + t) p = b for a t > 0; `None` if a smaller p gives W p = b.
fn resist(w: &Mat3, b: Vec3, most: f64) -> Option<Vec3> {
    if most == 0.0 {
        return Some(Vec3::ZERO);
    }
    if b == Vec3::ZERO {
        return None;
    }
    let shifted = |t: f64| {
        let column = |k: usize| w.c[k] + Vec3::unit(k) * t;
        Mat3::from_columns(column(0), column(1), column(2)).inverse()
    };
    if let Some(p) = shifted(0.0).map(|m| m.mul_vec(b))
        && p.norm() < most
    {
        return None;
    }
    // |p| ≥ |b| / (largest eigenvalue + t) ≥ |b| / (trace + t).
    let mut t = larger(b.norm() / most - w.trace(), 0.0);
    let mut p = b * (most / b.norm());
    for _ in 0..NEWTON_STEPS {
        // The largest shift that counts: W is singular where velocities are prescribed.
        let Some(m) = shifted(t) else {
            t = larger(t, f64::EPSILON * larger(w.trace(), b.norm() / most)) * 2.0;
            continue;
        };
        p = m.mul_vec(b);
        let size = p.norm();
        let next = t + (size - most) / most * size * size / p.dot(m.mul_vec(p));
        if next <= t || !next.is_finite() {
            break;
        }
        t = next;
    }
    Some(p * (most / p.norm()))
}
