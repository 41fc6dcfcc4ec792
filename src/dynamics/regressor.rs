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

/// Force on a body by each of its parameters, in its own axes about its origin; its placement, relative to its tree's
/// origin. `None` for a body of the world.
fn columns(
    model: &Model,
    kin: &Kinematics,
    acceleration: &[Twist],
    gravity: Vec3,
    body: usize,
) -> Option<(Pose, [Wrench; INERTIA_PARAMS])> {
    let b = &model.bodies()[body];
    if b.link == WORLD {
        return None;
    }
    let at = Pose::new(kin.rot[b.link], kin.pos[b.link]).compose(&b.in_link);
    let own = |t: Twist| at.inverse_twist(t);
    let (v, spatial) = (own(kin.v[b.link]), own(acceleration[b.link]));
    let (w, alpha) = (v.ang, spatial.ang);
    let falling = gravity * (1.0 - b.gravity_compensation);
    let a = spatial.lin + w.cross(v.lin) - at.rot.tr_mul_vec(falling);
    let mut out = [Wrench::ZERO; INERTIA_PARAMS];
    out[0] = Wrench::new(a, Vec3::ZERO);
    for (k, out) in out[1..4].iter_mut().enumerate() {
        let e = Vec3::unit(k);
        *out = Wrench::new(alpha.cross(e) + w.cross(w.cross(e)), e.cross(a));
    }
    for (k, out) in out[4..].iter_mut().enumerate() {
        let mut e = [0.0; 6];
        e[k] = 1.0;
        let e = Sym3::new(e[0], e[1], e[2], e[3], e[4], e[5]);
        let turning = e.mul_vec(alpha) + w.cross(e.mul_vec(w));
        *out = Wrench::new(Vec3::ZERO, turning);
    }
    Some((at, out))
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
    let of = |body: usize| columns(model, kin, acceleration, gravity, body);
    let reach = kin.pos.iter().map(|p| p.max_abs()).fold(1.0, f64::max);
    let size = |s: &Twist| s.lin.max_abs() + s.ang.max_abs() * reach;
    let axis = kin.s.iter().map(size).fold(1.0, f64::max);
    let bounded = (0..model.nbody()).filter_map(of).all(|(at, columns)| {
        let far = at.pos.max_abs() + 1.0;
        let bound = f64::MAX / (64.0 * axis * far);
        columns.iter().all(|c| within(bound, &c.to_array()))
    });
    if !bounded {
        return false;
    }
    out.fill(0.0);
    for body in 0..model.nbody() {
        if let Some((at, columns)) = of(body) {
            for k in t.path(model.bodies()[body].link) {
                let s = at.inverse_twist(kin.s[k]);
                for (c, force) in columns.iter().enumerate() {
                    out[(INERTIA_PARAMS * body + c) * nv + k] = s.dot(*force);
                }
            }
        }
    }
    true
}
