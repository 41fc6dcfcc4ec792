//! The regressor of inverse dynamics: τ as a linear map of the bodies' inertial parameters.
//!
//! Let the origin of a body have the acceleration a (minus gravity), and let the body turn with velocity
//! ω and acceleration α. The force about its origin is linear in m, h = m c and I, in any axes:
//!
//!   f = m a + α × h + ω × (ω × h),   n = I α + ω × I ω + h × a.
//!
//! Atkeson, An & Hollerbach, Estimation of Inertial Parameters of Manipulator Loads and Links (IJRR
//! 1986).

use super::kinematics::Kinematics;
use crate::linalg::{F4, dispatch, within};
use crate::model::topology::WORLD;
use crate::model::{Body, Model};
use crate::spatial::{INERTIA_PARAMS, Mat3, Twist, Vec3};

/// Forces by a body's parameters, along world axes and about its tree's origin, one lane per parameter.
/// The inertia only causes torques.
struct BodyRegressor {
    /// Force and torque by m and h.
    force: [F4; 3],
    torque: [F4; 3],
    /// Torque by the first four components of the inertia, and by the other two; two lanes are unused.
    inertia: [[F4; 3]; 2],
}

/// The cross product, lane by lane, of `v` and the vectors of `lanes`.
#[inline(always)]
fn cross(v: Vec3, [x, y, z]: [F4; 3]) -> [F4; 3] {
    [z * v.y - y * v.z, x * v.z - z * v.x, y * v.x - x * v.y]
}

#[inline(always)]
fn sum(a: [F4; 3], b: [F4; 3]) -> [F4; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// I w by the components of I: the first four, and the other two.
#[inline(always)]
fn by_inertia(w: Vec3) -> [[F4; 3]; 2] {
    [
        [
            F4([w.x, w.y, 0.0, w.z]),
            F4([0.0, w.x, w.y, 0.0]),
            F4([0.0, 0.0, 0.0, w.x]),
        ],
        [F4::ZERO, F4([w.z, 0.0, 0.0, 0.0]), F4([w.y, w.z, 0.0, 0.0])],
    ]
}

impl BodyRegressor {
    /// The regressor of a body of the tree. `acceleration` is that of [`regressor`].
    #[inline(always)]
    fn new(kin: &Kinematics, acceleration: &[Twist], gravity: Vec3, b: &Body) -> Self {
        let link_rot = &kin.rot[b.link];
        let rot = link_rot.mul_mat(&b.in_link.rot);
        let p = link_rot.mul_vec(b.in_link.pos) + kin.pos[b.link];
        let (v, spatial) = (kin.v[b.link], acceleration[b.link]);
        let (omega, alpha) = (v.ang, spatial.ang);
        let falling = gravity * (1.0 - b.gravity_compensation);
        let a = spatial.at(p) + omega.cross(v.at(p)) - falling;

        let axes = |row: usize| F4([0.0, rot.c[0][row], rot.c[1][row], rot.c[2][row]]);
        let axes = [axes(0), axes(1), axes(2)];
        let mut force = sum(cross(alpha, axes), cross(omega, cross(omega, axes)));
        for (force, a) in force.iter_mut().zip(a.to_array()) {
            force.0[0] = a;
        }
        let torque = sum(cross(p, force), cross(-a, axes));

        let (omega, alpha) = (rot.tr_mul_vec(omega), rot.tr_mul_vec(alpha));
        let [own, own_rest] = by_inertia(alpha);
        let [momentum, momentum_rest] = by_inertia(omega);
        let first = turned(&rot, sum(own, cross(omega, momentum)));
        let rest = turned(&rot, sum(own_rest, cross(omega, momentum_rest)));
        BodyRegressor {
            force,
            torque,
            inertia: [first, rest],
        }
    }

    /// Generalized forces on a dof with this column of the motion subspace.
    #[inline(always)]
    fn on(&self, s: Twist) -> [f64; INERTIA_PARAMS] {
        let along = |v: Vec3, [x, y, z]: [F4; 3]| x * v.x + y * v.y + z * v.z;
        let F4(a) = along(s.lin, self.force) + along(s.ang, self.torque);
        let F4(b) = along(s.ang, self.inertia[0]);
        let F4(c) = along(s.ang, self.inertia[1]);
        [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], c[0], c[1]]
    }
}

/// The vectors of `lanes`, rotated.
#[inline(always)]
fn turned(rot: &Mat3, [x, y, z]: [F4; 3]) -> [F4; 3] {
    let [i, j, k] = rot.c;
    std::array::from_fn(|row| x * i[row] + y * j[row] + z * k[row])
}

/// The sum of the components' magnitudes.
#[inline(always)]
fn size(v: Vec3) -> f64 {
    v.x.abs() + v.y.abs() + v.z.abs()
}

/// An upper bound, up to a small factor, of all intermediate numbers of the regressor.
#[inline(always)]
fn bound(model: &Model, kin: &Kinematics, acceleration: &[Twist], gravity: Vec3) -> f64 {
    // Sums vectorize; maxima do not.
    let total = |twists: &[Twist]| {
        let add = |t: Twist, s: &Twist| Twist::new(t.lin + s.lin.abs(), t.ang + s.ang.abs());
        let t = twists.iter().fold(Twist::ZERO, add);
        (size(t.lin), size(t.ang))
    };
    let ((s, axes), (v, omega), (a, alpha)) = (total(&kin.s), total(&kin.v), total(acceleration));
    let links = kin.pos.iter().fold(Vec3::ZERO, |t, p| t + p.abs());
    let (mut bodies, mut weights) = (Vec3::ZERO, 1.0);
    for b in model.bodies() {
        bodies += b.in_link.pos.abs();
        weights += b.gravity_compensation.abs();
    }
    let reach = 1.0 + size(links) + size(bodies);
    let fall = a + alpha * reach + omega * (v + omega * reach) + size(gravity) * weights;
    let force = fall + alpha + omega * omega;
    (1.0 + s + axes) * reach * force
}

#[inline(always)]
fn regressor_kernel(
    model: &Model,
    kin: &Kinematics,
    acceleration: &[Twist],
    gravity: Vec3,
    out: &mut [f64],
) -> bool {
    if !within(f64::MAX / 64.0, &[bound(model, kin, acceleration, gravity)]) {
        return false;
    }
    let (t, nv) = (model.topology(), model.nv());
    let blocks = out.chunks_exact_mut((INERTIA_PARAMS * nv).max(1));
    for (b, block) in model.bodies().iter().zip(blocks) {
        block.fill(0.0);
        if b.link == WORLD {
            continue;
        }
        let body = BodyRegressor::new(kin, acceleration, gravity, b);
        let mut rest = block;
        let mut columns: [&mut [f64]; INERTIA_PARAMS] = std::array::from_fn(|_| {
            let (column, tail) = std::mem::take(&mut rest).split_at_mut(nv);
            rest = tail;
            column
        });
        for k in t.path(b.link) {
            for (column, x) in columns.iter_mut().zip(body.on(kin.s[k])) {
                column[k] = x;
            }
        }
    }
    true
}

dispatch! {
    /// ∂τ by inertial parameters, nv × (10 nbody), column-major: column 10 b + c is by parameter c of
    /// body b, in the order of [`Inertia::to_params`](crate::spatial::Inertia::to_params). `kin` must
    /// hold positions and velocities, `acceleration` those of the links without gravity. Returns whether
    /// the result is finite; if not, nothing is written.
    pub fn regressor = regressor_kernel(
        model: &Model,
        kin: &Kinematics,
        acceleration: &[Twist],
        gravity: Vec3,
        out: &mut [f64],
    ) -> bool
}
