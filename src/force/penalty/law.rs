//! The law of a contact or a joint limit: forces by depth and velocity, and their derivatives.
//!
//! At a depth x > 0 that grows at the rate ẋ the normal force is
//!
//!   N = max(0, k (x + c(x) ẋ)),   c = τ x / (x + τ v₀)
//!
//! with v₀ = 1 cm/s. Deeper than τ v₀ this is a spring and a damper k τ. For x below τ v₀ the damping
//! fades, N → k x (1 + ẋ/v₀), so that the force begins and ends at zero for every speed. The force never
//! pulls.
//!
//! Friction is viscous up to Coulomb's bound, T = −min(k_t ‖v_t‖, μ N) v_t/‖v_t‖.

use super::super::fade::Fade;
use super::material::Material;
use crate::contact::mode::Mode;
use crate::spatial::Vec3;

/// A normal force and its derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Normal {
    pub force: f64,
    pub by_depth: f64,
    pub by_rate: f64,
    pub by_stiffness: f64,
    pub by_dissipation: f64,
    /// Distance from the nearest kink: without contact the gap [m], with contact the smaller of depth [m]
    /// and force [N].
    pub distance: f64,
}

impl Normal {
    /// At a kink the derivatives are those of the side without force. For `ease` see
    /// [`State`](crate::force::State).
    pub fn new([stiffness, dissipation]: [f64; 2], depth: f64, rate: f64, ease: f64) -> Normal {
        let mut normal = Normal {
            distance: depth.abs(),
            ..Normal::default()
        };
        if depth <= 0.0 {
            return normal;
        }
        let Fade {
            share, by_depth, ..
        } = Fade::new(depth, dissipation, ease);
        let stretch = depth + dissipation * share * rate;
        let force = stiffness * stretch;
        normal.distance = depth.min(force.abs());
        if force <= 0.0 {
            return normal;
        }
        Normal {
            force,
            by_depth: stiffness * (1.0 + dissipation * by_depth * rate),
            by_rate: stiffness * dissipation * share,
            by_stiffness: stretch,
            by_dissipation: stiffness * share * share * rate,
            ..normal
        }
    }
}

/// The force of a contact on its second body, and the data of its derivatives.
#[derive(Clone, Copy, Debug)]
pub struct Reaction {
    pub normal: Normal,
    pub mode: Mode,
    /// Force in world axes [N].
    pub force: Vec3,
    /// Distance from the nearest kink: [`Normal::distance`]. With friction: the smaller of this number and
    /// the difference between the viscous friction and Coulomb's bound [N].
    pub distance: f64,
    material: Material,
    n: Vec3,
    /// Velocity of the second body relative to the first; its tangential part; magnitude and direction of
    /// the tangential part.
    velocity: Vec3,
    slip: Vec3,
    speed: f64,
    along: Vec3,
}

impl Reaction {
    /// The reaction at a gap, with the normal from the first body to the second and the velocity of the
    /// second relative to the first [m/s]. For `ease` see [`State`](crate::force::State).
    pub fn new(material: Material, gap: f64, n: Vec3, velocity: Vec3, ease: f64) -> Reaction {
        let rate = -n.dot(velocity);
        let spring = [material.stiffness, material.dissipation];
        let normal = Normal::new(spring, -gap, rate, ease);
        let slip = velocity + n * rate;
        let speed = slip.norm();
        let (bound, viscous) = (
            material.friction * normal.force,
            material.tangential * speed,
        );
        let mut r = Reaction {
            normal,
            mode: Mode::Breaking,
            force: n * normal.force,
            distance: normal.distance,
            material,
            n,
            velocity,
            slip,
            speed,
            along: Vec3::ZERO,
        };
        if normal.force == 0.0 {
            return r;
        }
        r.mode = Mode::Sliding;
        if material.friction > 0.0 {
            r.distance = r.distance.min((bound - viscous).abs());
            if viscous <= bound {
                r.mode = Mode::Sticking;
                r.force -= slip * material.tangential;
            } else {
                r.along = slip * (1.0 / speed);
                r.force -= r.along * bound;
            }
        }
        r
    }

    /// A pull with this force along the normal for any velocity, and its derivative by the gap.
    pub fn pull(n: Vec3, force: f64, by_gap: f64) -> Reaction {
        Reaction {
            normal: Normal {
                force: -force,
                by_depth: by_gap,
                ..Normal::default()
            },
            mode: Mode::Breaking,
            force: n * -force,
            distance: f64::INFINITY,
            material: Material::default(),
            n,
            velocity: Vec3::ZERO,
            slip: Vec3::ZERO,
            speed: 0.0,
            along: Vec3::ZERO,
        }
    }

    /// δforce by changes of the gap, the normal and the relative velocity.
    #[inline(always)]
    pub fn vary(&self, gap: f64, n: Vec3, velocity: Vec3) -> Vec3 {
        let closing = n.dot(self.velocity) + self.n.dot(velocity);
        let force = -self.normal.by_depth * gap - self.normal.by_rate * closing;
        let mut out = self.n * force + n * self.normal.force;
        if self.material.friction == 0.0 {
            return out;
        }
        let slip = velocity - n * self.n.dot(self.velocity) - self.n * closing;
        match self.mode {
            Mode::Sticking => out -= slip * self.material.tangential,
            _ => {
                let turn = (slip - self.along * self.along.dot(slip)) * (1.0 / self.speed);
                out -= (self.along * force + turn * self.normal.force) * self.material.friction;
            }
        }
        out
    }

    /// δforce by a change of the normal force alone.
    pub fn by_normal(&self, force: f64) -> Vec3 {
        // `along` is zero below the bound.
        (self.n - self.along * self.material.friction) * force
    }

    /// ∂force by the coefficient of friction, and by the viscous one.
    pub fn by_friction(&self) -> Vec3 {
        self.along * -self.normal.force
    }

    pub fn by_tangential(&self) -> Vec3 {
        match self.mode {
            Mode::Sticking => -self.slip,
            _ => Vec3::ZERO,
        }
    }
}
