//! Relative motion of two bodies, and which of their points may touch within a time.
//!
//! Let w be the velocity field of B minus that of A. The gap between the points a of A and b of B
//! changes at n·w(a) = n·w(b), because the bodies' rotations only add velocities perpendicular to the
//! line from a to b. So w at either point bounds how soon they meet. A motion that both bodies share
//! does not enter.
//!
//! The scene makes an [`Approach`] for a pair of links. The broad phase uses its bound `farthest`, the
//! narrow phase its tests [`Approach::holds`] and [`Approach::closes`].

use super::ContactPoint;
use crate::spatial::{Pose, Twist, Vec3};

/// Most predicted motions of a step.
pub const MOTIONS: usize = 4;

/// Centre and radius [m]; the radius of a plane is infinite.
pub type Ball = (Vec3, f64);

/// Angle [rad] that counts as level of compliant bodies, as a multiple of the depth across the size of the
/// smaller body; the least and the largest one.
const LEAN: f64 = 4.0;
const LEANS: [f64; 2] = [1e-3, 2e-2];

/// Sine of the angle within which compliant bodies are level. A body that has sunk into two others may lean
/// by a few times its depth across its size.
pub fn level_sine(gap: f64, size: f64) -> f64 {
    let [least, most] = LEANS;
    (-LEAN * gap / size).clamp(least, most)
}

/// Two bodies with compliant contacts, which rest while they overlap.
#[derive(Clone, Copy, Debug)]
pub struct Sinks {
    /// Whether each body is part of the world.
    pub fixed: [bool; 2],
}

/// Selects the points of two bodies that count as contacts: points with a small gap, and points whose gap a
/// predicted relative motion may close within a time.
#[derive(Clone, Copy, Debug)]
pub struct Approach {
    /// Points up to this gap count for every motion of the bodies [m].
    margin: f64,
    /// Duration of the motions [s].
    horizon: f64,
    /// No point with a larger gap counts [m].
    pub farthest: f64,
    /// Friction coefficient μ of compliant contacts, else 0. A sliding point counts at a gap that is larger
    /// by μ times its slip.
    glide: f64,
    /// Whether the contacts are compliant, so that the bodies rest while they overlap.
    pub sinks: Option<Sinks>,
    /// Velocity of B relative to A at `centre`, and relative angular velocity.
    motions: [Twist; MOTIONS],
    count: usize,
    centre: Vec3,
}

impl Approach {
    /// For bodies that do not move: all points with gaps up to `margin` [m] count.
    pub fn still(margin: f64) -> Approach {
        Approach {
            margin,
            farthest: margin,
            ..Approach::new(0.0, Vec3::ZERO)
        }
    }

    /// For `horizon` seconds. Add the motions with [`Approach::push`], their velocities at `centre`.
    pub fn new(horizon: f64, centre: Vec3) -> Approach {
        Approach {
            margin: 0.0,
            horizon,
            farthest: 0.0,
            glide: 0.0,
            sinks: None,
            motions: [Twist::ZERO; MOTIONS],
            count: 0,
            centre,
        }
    }

    /// Adds a motion of B relative to A. Motions beyond [`MOTIONS`] are ignored.
    pub fn push(&mut self, w: Twist) {
        if let Some(m) = self.motions.get_mut(self.count) {
            *m = w;
            self.count += 1;
        }
    }

    /// The same approach for compliant contacts with friction coefficient `mu`, which act above the
    /// surface on sliding bodies.
    pub fn gliding(&self, mu: f64) -> Approach {
        Approach { glide: mu, ..*self }
    }

    /// The same approach of bodies whose contacts are compliant (if `sinks` is given) or not.
    pub fn sinking(&self, sinks: Option<Sinks>) -> Approach {
        Approach { sinks, ..*self }
    }

    /// The same approach with another margin, for bodies within these balls.
    pub fn within(&self, margin: f64, balls: [Ball; 2]) -> Approach {
        let faster = |most: f64, w: &Twist| most.max(self.fastest(*w, balls));
        let fastest = self.motions[..self.count].iter().fold(0.0, faster);
        Approach {
            margin,
            farthest: margin + self.horizon * stretch(self.glide) * fastest,
            ..*self
        }
    }

    /// Extra approach distance of the other approach's first motion over the motion of this one that is
    /// most like it [m].
    pub fn surprise(&self, other: &Approach, balls: [Ball; 2]) -> f64 {
        let nearer = |least: f64, w: &Twist| least.min(other.fastest(other.motions[0] - *w, balls));
        let motions = self.motions[..self.count].iter();
        other.horizon * stretch(other.glide) * motions.fold(f64::INFINITY, nearer)
    }

    /// Bound on the relative velocity at points where the bodies meet. Such points lie in both balls,
    /// so the smaller bound holds.
    fn fastest(&self, w: Twist, balls: [Ball; 2]) -> f64 {
        let turning = w.ang.norm();
        let [a, b] = balls.map(|(c, r)| w.at(c - self.centre).norm() + swing(turning, r));
        a.min(b)
    }

    /// The same approach with the bodies exchanged.
    pub fn swapped(&self) -> Approach {
        Approach {
            motions: self.motions.map(|w| -w),
            sinks: self.sinks.map(|s| Sinks {
                fixed: [s.fixed[1], s.fixed[0]],
            }),
            ..*self
        }
    }

    /// The same approach in the frame placed at `pose`.
    pub fn seen_from(&self, pose: &Pose) -> Approach {
        let turned = |x: Vec3| pose.rot.tr_mul_vec(x);
        Approach {
            motions: self
                .motions
                .map(|w| Twist::new(turned(w.lin), turned(w.ang))),
            centre: pose.inverse_point(self.centre),
            ..*self
        }
    }

    /// Whether a point counts: its gap is at most the margin, or at most the distance that a motion covers
    /// there in any direction. A point with a NaN gap counts, so that a later check can refuse it.
    pub fn holds(&self, p: &ContactPoint) -> bool {
        let excess = p.gap - self.margin;
        let reach = self.horizon * stretch(self.glide);
        excess <= 0.0 || excess.is_nan() || self.any(p, |w| excess <= reach * w.norm())
    }

    /// Velocity of the first motion at a point [m/s].
    pub fn first_at(&self, point: Vec3) -> Vec3 {
        self.motions[0].at(point - self.centre)
    }

    /// Whether a motion closes the gap of a point, or (compliant contacts) slides near enough above the
    /// surface.
    pub fn closes(&self, p: &ContactPoint) -> bool {
        let excess = p.gap - self.margin;
        let nearer = |w: Vec3| {
            let normal = w.dot(p.normal);
            match self.glide {
                0.0 => -normal,
                mu => mu * (w - p.normal * normal).norm() - normal,
            }
        };
        excess <= 0.0 || self.any(p, |w| excess <= self.horizon * nearer(w))
    }

    fn any(&self, p: &ContactPoint, test: impl Fn(Vec3) -> bool) -> bool {
        let arm = p.point - self.centre;
        self.motions[..self.count].iter().any(|w| test(w.at(arm)))
    }
}

/// Largest ratio of μ ‖w_T‖ − w_n to ‖w‖: √(1 + μ²).
pub fn stretch(mu: f64) -> f64 {
    if mu == 0.0 { 1.0 } else { mu.hypot(1.0) }
}

/// Speed by a rotation at this distance from its axis [m/s]. The distance is infinite for a plane.
pub fn swing(turning: f64, radius: f64) -> f64 {
    if turning == 0.0 {
        0.0
    } else {
        turning * radius
    }
}
