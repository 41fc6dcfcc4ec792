//! Derivative of an equality's rows and forces by the motion of its bodies.
//!
//! Let δp_X, δθ_X be the displacements of the points and bodies, δV_X the changes of their velocities,
//! (·)₁₂ the difference of side 1 and side 2, and f the impulse on side 1. Then
//!
//! - point: δ(v₁₂) = (δV₁ at p₁ + ω₁ × δp₁) − (2), and no force beyond a load fixed in the world
//! - distance: δn = (1 − n nᵀ) δp₁₂/‖p₁₂‖; δ(n·v₁₂) gets the additional term δn·v₁₂, and f = n λ changes
//!   by δn λ
//! - orientation: with Θ = R₂ᵀδθ₁₂ and Ω = R₂ᵀω₁₂, δw = −Θ·u/2, δu = (w Θ + Θ × u)/2, δΩ = R₂ᵀ(δω₁₂ −
//!   δθ₂ × ω₁₂), and the moment m = R₂ s(w λ + u × λ)/2 varies with R₂, w and u

use super::equality::{Posed, Relation};
use super::varied::{Sides, Varied};
use crate::spatial::{Twist, Vec3, Wrench};

/// An equality between two bodies after the step.
#[derive(Clone, Copy, Debug)]
pub struct EqualityState {
    pub sides: Sides,
    relation: Relation,
    impulse: Vec3,
}

/// The effect of a displacement. The wrench acts on side 1 at its point; the opposite one acts on side
/// 2.
struct Change {
    velocity: Vec3,
    gap: Vec3,
    wrench: Wrench,
}

impl EqualityState {
    pub fn new(posed: &Posed, velocity: [Twist; 2], impulse: Vec3) -> Self {
        EqualityState {
            sides: Sides {
                link: posed.link,
                point: posed.point,
                velocity,
            },
            relation: posed.relation,
            impulse,
        }
    }

    /// True if its forces vary beyond loads fixed in the world.
    pub fn turns(&self) -> bool {
        !matches!(self.relation, Relation::Point)
    }

    /// The effect of displacing side `x` alone.
    pub fn columns(&self, x: usize) -> Varied {
        let mut out = Varied::default();
        for k in 0..6 {
            let e = Twist::unit(k);
            let by_xi = self.vary(x, e, Twist::ZERO);
            out.velocity[k] = by_xi.velocity;
            out.gap[k] = by_xi.gap;
            for (y, (w, sign)) in out.wrench.iter_mut().zip([1.0, -1.0]).enumerate() {
                w[k] = by_xi.wrench.about_origin(self.sides.point[y]) * sign;
            }
            out.by_eta[k] = self.vary(x, Twist::ZERO, e).velocity;
        }
        out
    }

    /// Change of the velocity along the rows if side `x` is displaced by ξ and its velocity changes by
    /// ξ × V + η.
    pub fn velocity(&self, x: usize, xi: Twist, eta: Twist) -> Vec3 {
        self.vary(x, xi, eta).velocity
    }

    /// The effect of displacing side `x` by ξ and changing its velocity by ξ × V + η.
    fn vary(&self, x: usize, xi: Twist, eta: Twist) -> Change {
        let s = &self.sides;
        let sign = if x == 0 { 1.0 } else { -1.0 };
        let dp = xi.at(s.point[x]);
        let c = xi.cross(s.velocity[x]) + eta;
        let lin = (c.at(s.point[x]) + s.velocity[x].ang.cross(dp)) * sign;
        let (apart, turned) = (dp * sign, xi.ang * sign);
        let mut out = Change {
            velocity: self.relation.rows(lin, c.ang * sign),
            gap: self.relation.rows(apart, turned),
            wrench: Wrench::ZERO,
        };
        match self.relation {
            Relation::Point => {}
            Relation::Distance { normal, distance } => {
                let dn = (apart - normal * normal.dot(apart)) * (1.0 / distance);
                let relative = s.velocity[0].at(s.point[0]) - s.velocity[1].at(s.point[1]);
                out.velocity.x += dn.dot(relative);
                out.wrench.lin = dn * self.impulse.x;
            }
            Relation::Orientation { frame, w, u, scale } => {
                let half = 0.5 * scale;
                let (theta, l) = (frame.tr_mul_vec(turned), self.impulse);
                let dw = -0.5 * theta.dot(u);
                let du = (theta * w + theta.cross(u)) * 0.5;
                let relative = s.velocity[0].ang - s.velocity[1].ang;
                let omega = frame.tr_mul_vec(relative);
                // The frame is that of side 2.
                let turn = if x == 1 { xi.ang } else { Vec3::ZERO };
                let by_frame = -frame.tr_mul_vec(turn.cross(relative));
                out.velocity +=
                    (omega * dw + omega.cross(du) + by_frame * w + by_frame.cross(u)) * half;
                let m = frame.mul_vec((l * w + u.cross(l)) * half);
                let dm = frame.mul_vec((l * dw + du.cross(l)) * half);
                out.wrench.ang = dm + turn.cross(m);
            }
        }
        out
    }
}
