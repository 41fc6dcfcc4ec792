//! How an equality's rows and forces vary with the motion of its bodies.
//!
//! With δp_X, δθ_X the displacements of the points and bodies, δV_X those of their velocities,
//! (·)₁₂ the difference of side 1 and side 2, and f the impulse on side 1:
//! - point: δ(v₁₂) = (δV₁ at p₁ + ω₁ × δp₁) − (2), nothing beyond a load fixed in the world
//! - distance: δn = (1 − n nᵀ) δp₁₂/‖p₁₂‖; δ(n·v₁₂) has δn·v₁₂ more, and f = n λ turns by δn λ
//! - orientation: with Θ = R₂ᵀδθ₁₂ and Ω = R₂ᵀω₁₂, δw = −Θ·u/2, δu = (w Θ + Θ × u)/2,
//!   δΩ = R₂ᵀ(δω₁₂ − δθ₂ × ω₁₂), and the moment m = R₂ s(w λ + u × λ)/2 varies with R₂, w and u

use super::derivative::{Displacement, Sides, Varied};
use super::equality::{Posed, Relation};
use crate::spatial::{Twist, Vec3, Wrench};

/// An equality between two bodies after the step.
#[derive(Clone, Copy, Debug)]
pub struct EqualityState {
    pub sides: Sides,
    relation: Relation,
    impulse: Vec3,
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

    /// Whether its forces vary beyond loads fixed in the world.
    pub fn turns(&self) -> bool {
        !matches!(self.relation, Relation::Point)
    }

    /// The effect of displacing side 1 and side 2.
    #[inline(always)]
    pub fn vary(&self, d: [Displacement; 2]) -> Varied {
        let s = &self.sides;
        let dp: [Vec3; 2] = std::array::from_fn(|x| d[x].xi.at(s.point[x]));
        let change: [Twist; 2] = std::array::from_fn(|x| {
            let c = d[x].xi.cross(s.velocity[x]) + d[x].eta;
            Twist::new(c.at(s.point[x]) + s.velocity[x].ang.cross(dp[x]), c.ang)
        });
        let (lin, ang) = (change[0].lin - change[1].lin, change[0].ang - change[1].ang);
        let apart = dp[0] - dp[1];
        let turned = d[0].xi.ang - d[1].xi.ang;
        let mut out = Varied {
            velocity: self.relation.rows(lin, ang),
            gap: self.relation.rows(apart, turned),
            ..Varied::default()
        };
        let wrench = match self.relation {
            Relation::Point => return out,
            Relation::Distance { normal, distance } => {
                let dn = (apart - normal * normal.dot(apart)) * (1.0 / distance);
                let relative = s.velocity[0].at(s.point[0]) - s.velocity[1].at(s.point[1]);
                out.velocity.x += dn.dot(relative);
                Wrench::new(dn * self.impulse.x, Vec3::ZERO)
            }
            Relation::Orientation { frame, w, u, scale } => {
                let half = 0.5 * scale;
                let (theta, l) = (frame.tr_mul_vec(turned), self.impulse);
                let dw = -0.5 * theta.dot(u);
                let du = (theta * w + theta.cross(u)) * 0.5;
                let relative = s.velocity[0].ang - s.velocity[1].ang;
                let omega = frame.tr_mul_vec(relative);
                let by_frame = -frame.tr_mul_vec(d[1].xi.ang.cross(relative));
                out.velocity +=
                    (omega * dw + omega.cross(du) + by_frame * w + by_frame.cross(u)) * half;
                let m = frame.mul_vec((l * w + u.cross(l)) * half);
                let dm = frame.mul_vec((l * dw + du.cross(l)) * half);
                Wrench::new(Vec3::ZERO, dm + d[1].xi.ang.cross(m))
            }
        };
        out.wrench = [wrench, -wrench];
        out
    }
}
