//! How two bodies move against each other, and which of their points may touch meanwhile.
//!
//! Let w be the field of B's velocity less A's. The gap between the points a of A and b of B changes at n·w(a) =
//! n·w(b): what the bodies' own turning adds is across the connection of the two. So w at either point bounds how
//! soon they meet, and a motion that both share does not enter.

use super::ContactPoint;
use crate::spatial::{Pose, Twist, Vec3};

/// Most motions that are considered at once.
pub const MOTIONS: usize = 4;

/// Centre, and radius [m], which is infinite of a plane.
pub type Ball = (Vec3, f64);

/// Which points of two bodies count as contacts: those that are near, and those that a relative motion could
/// bring together within a while.
#[derive(Clone, Copy, Debug)]
pub struct Approach {
    /// Up to this gap points count however the bodies move [m].
    margin: f64,
    /// How long the motions last [s].
    horizon: f64,
    /// No point with a larger gap counts [m].
    pub farthest: f64,
    /// Points that slide count this share of their slip sooner than those that close.
    glide: f64,
    /// Of B against A: velocity at `centre`, and angular velocity.
    motions: [Twist; MOTIONS],
    count: usize,
    centre: Vec3,
}

impl Approach {
    /// Of bodies that do not move: all points with gaps up to `margin` [m].
    pub fn still(margin: f64) -> Approach {
        Approach {
            margin,
            farthest: margin,
            ..Approach::new(0.0, Vec3::ZERO)
        }
    }

    /// For `horizon` seconds; the motions are yet to be added, with their velocities at `centre`.
    pub fn new(horizon: f64, centre: Vec3) -> Approach {
        Approach {
            margin: 0.0,
            horizon,
            farthest: 0.0,
            glide: 0.0,
            motions: [Twist::ZERO; MOTIONS],
            count: 0,
            centre,
        }
    }

    /// Adds a motion of B against A; beyond [`MOTIONS`] nothing.
    pub fn push(&mut self, w: Twist) {
        if let Some(m) = self.motions.get_mut(self.count) {
            *m = w;
            self.count += 1;
        }
    }

    /// The same where friction of this coefficient lifts what slides.
    pub fn gliding(&self, mu: f64) -> Approach {
        Approach { glide: mu, ..*self }
    }

    /// The same with another margin, for bodies within these balls.
    pub fn within(&self, margin: f64, balls: [Ball; 2]) -> Approach {
        let faster = |most: f64, w: &Twist| most.max(self.fastest(*w, balls));
        let fastest = self.motions[..self.count].iter().fold(0.0, faster);
        Approach {
            margin,
            farthest: margin + self.horizon * stretch(self.glide) * fastest,
            ..*self
        }
    }

    /// How much nearer than by one of the motions the bodies can come by the other approach's first one [m].
    pub fn surprise(&self, other: &Approach, balls: [Ball; 2]) -> f64 {
        let nearer = |least: f64, w: &Twist| least.min(other.fastest(other.motions[0] - *w, balls));
        let motions = self.motions[..self.count].iter();
        other.horizon * stretch(other.glide) * motions.fold(f64::INFINITY, nearer)
    }

    /// Bound on the relative velocity at points of the bodies that meet: it holds in either ball.
    fn fastest(&self, w: Twist, balls: [Ball; 2]) -> f64 {
        let turning = w.ang.norm();
        let [a, b] = balls.map(|(c, r)| w.at(c - self.centre).norm() + swing(turning, r));
        a.min(b)
    }

    /// The same with the bodies exchanged.
    pub fn swapped(&self) -> Approach {
        Approach {
            motions: self.motions.map(|w| -w),
            ..*self
        }
    }

    /// The same in the frame placed at `pose`.
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

    /// Whether a point counts: whether a motion is fast enough there, in whatever direction. One that is no number
    /// does, for whoever is to refuse it.
    pub fn holds(&self, p: &ContactPoint) -> bool {
        let excess = p.gap - self.margin;
        let reach = self.horizon * stretch(self.glide);
        excess <= 0.0 || excess.is_nan() || self.any(p, |w| excess <= reach * w.norm())
    }

    /// The first motion at a point.
    pub fn first_at(&self, point: Vec3) -> Vec3 {
        self.motions[0].at(point - self.centre)
    }

    /// Whether a motion closes the gap of a point, or glides on it.
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

/// The most that μ ‖w_T‖ − w_n is beside ‖w‖.
pub fn stretch(mu: f64) -> f64 {
    if mu == 0.0 { 1.0 } else { mu.hypot(1.0) }
}

/// Speed at this distance from an axis, which is infinite for a plane.
pub fn swing(turning: f64, radius: f64) -> f64 {
    if turning == 0.0 {
        0.0
    } else {
        turning * radius
    }
}
