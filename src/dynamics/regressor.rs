//! The regressor of inverse dynamics: τ as a linear map of the bodies' inertial parameters.
//!
//! Of a body that moves with velocity (u; ω) and acceleration (a; α), a that of its origin less gravity, all in its own
//! axes, the force about its origin is linear in m, h and I:
//!
//!   f = m a + α × h + ω × (ω × h),   n = I α + ω × I ω + h × a.
//!
//! Atkeson, An & Hollerbach, Estimation of Inertial Parameters of Manipulator Loads and Links (IJRR 1986).

use super::kinematics::Kinematics;
use crate::linalg::within;
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::{INERTIA_PARAMS, Pose, Sym3, Twist, Vec3, Wrench};

/// How a body moves in its own axes.
struct Motion {
    /// Its placement, relative to its tree's origin.
    at: Pose,
    omega: Vec3,
    alpha: Vec3,
    /// Acceleration of its origin less gravity.
    a: Vec3,
}

impl Motion {
    /// `None` for a body of the world.
    fn of(
        model: &Model,
        kin: &Kinematics,
        acceleration: &[Twist],
        gravity: Vec3,
        body: usize,
    ) -> Option<Motion> {
        let b = &model.bodies()[body];
        if b.link == WORLD {
            return None;
        }
        let at = Pose::new(kin.rot[b.link], kin.pos[b.link]).compose(&b.in_link);
        let own = |t: Twist| at.inverse_twist(t);
        let (v, spatial) = (own(kin.v[b.link]), own(acceleration[b.link]));
        let falling = gravity * (1.0 - b.gravity_compensation);
        Some(Motion {
            at,
            omega: v.ang,
            alpha: spatial.ang,
            a: spatial.lin + v.ang.cross(v.lin) - at.rot.tr_mul_vec(falling),
        })
    }

    /// No entry of its columns is larger.
    fn size(&self) -> f64 {
        let spin = self.omega.max_abs();
        self.a.max_abs() + self.alpha.max_abs() + 4.0 * spin * spin
    }

    /// Force about the origin by each component of m c.
    fn by_first_moment(&self) -> [Wrench; 3] {
        let Motion {
            omega, alpha, a, ..
        } = *self;
        [Vec3::X, Vec3::Y, Vec3::Z].map(|e| {
            let force = alpha.cross(e) + omega.cross(omega.cross(e));
            Wrench::new(force, e.cross(a))
        })
    }

    /// Torque by each component of the inertia.
    fn by_inertia(&self) -> [Vec3; 6] {
        std::array::from_fn(|k| {
            let mut e = [0.0; 6];
            e[k] = 1.0;
            let e = Sym3::new(e[0], e[1], e[2], e[3], e[4], e[5]);
            e.mul_vec(self.alpha) + self.omega.cross(e.mul_vec(self.omega))
        })
    }
}

/// nv × (10 nbody), column-major: column 10 b + c has ∂τ by parameter c of body b, in the order of
/// [`Inertia::to_params`](crate::spatial::Inertia::to_params). `kin` must hold positions and velocities, `acceleration`
/// those of the links without gravity. Says whether it is finite, else nothing is written.
pub fn regressor(
    model: &Model,
    kin: &Kinematics,
    acceleration: &[Twist],
    gravity: Vec3,
    out: &mut [f64],
) -> bool {
    let (t, nv) = (model.topology(), model.nv());
    let of = |body: usize| Motion::of(model, kin, acceleration, gravity, body);
    let reach = kin.pos.iter().map(|p| p.max_abs()).fold(1.0, f64::max);
    let size = |s: &Twist| s.lin.max_abs() + s.ang.max_abs() * reach;
    let axis = kin.s.iter().map(size).fold(1.0, f64::max);
    let bounded = (0..model.nbody()).filter_map(of).all(|m| {
        let far = m.at.pos.max_abs() + 1.0;
        within(f64::MAX / (64.0 * axis * far), &[m.size()])
    });
    if !bounded {
        return false;
    }
    out.fill(0.0);
    let bodies = out.chunks_exact_mut((INERTIA_PARAMS * nv).max(1));
    for (body, out) in bodies.enumerate() {
        let Some(m) = of(body) else {
            continue;
        };
        let (first, second) = (m.by_first_moment(), m.by_inertia());
        for k in t.path(model.bodies()[body].link) {
            let s = m.at.inverse_twist(kin.s[k]);
            let forces = first.iter().map(|force| s.dot(*force));
            let torques = second.iter().map(|torque| s.ang.dot(*torque));
            let all = std::iter::once(s.lin.dot(m.a)).chain(forces).chain(torques);
            for (column, x) in out.chunks_exact_mut(nv).zip(all) {
                column[k] = x;
            }
        }
    }
    true
}
