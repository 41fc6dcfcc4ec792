//! Symplectic Euler that keeps the linear velocity of free joints in world axes.
//!
//! A free joint's velocity is held in the body's own axes. There v⁺ = v + h a takes −h ω × v, by which those axes turn
//! away under the velocity, to first order: a body that spins gains speed, and one that rolls leaves the ground by
//! that much. Here a step is taken in the axes that the body has at its beginning, where the velocity of a free body
//! stays, and its outcome is seen from the axes at the end:
//!
//!   v̂ = v + h (a + ω × v),  x⁺ = x + h R v̂,  R⁺ = R exp(h ω̂),  v⁺ = exp(−h ω̂) v̂,  ω⁺ = ω̂,
//!
//! with impulses found for v̂. MuJoCo and Drake, whose free joints hold world velocities, step so.

use crate::dynamics::coupling::Columns;
use crate::model::Model;
use crate::model::state::{IntegrateBlocks, LinkMatrix, adjoint, block_tr_mul, free_pose};
use crate::spatial::{Mat3, Pose, Twist, Vec3, so3_exp, so3_right_jacobian};

/// out += h ω × v on free joints.
pub(super) fn carry(model: &Model, h: f64, v: &[f64], out: &mut [f64]) {
    for l in model.free_links() {
        let t = Twist::from_slice(&v[l.iv..]);
        add(&mut out[l.iv..], t.ang.cross(t.lin) * h);
    }
}

/// out += h δ(ω × v) along δv, of [v, δv].
pub(super) fn carry_direction(model: &Model, h: f64, [v, dv]: [&[f64]; 2], out: &mut [f64]) {
    for l in model.free_links() {
        let [t, d] = [v, dv].map(|v| Twist::from_slice(&v[l.iv..]));
        let change = d.ang.cross(t.lin) + t.ang.cross(d.lin);
        add(&mut out[l.iv..], change * h);
    }
}

/// Visits the change of the forces D ω × v by v, D diagonal: (row, column, value). That of inertial forces is in
/// [`FreeAxes::World`](crate::dynamics::rnea_derivatives::FreeAxes::World).
pub(super) fn for_diagonal(
    model: &Model,
    diagonal: &[f64],
    v: &[f64],
    mut visit: impl FnMut(usize, usize, f64),
) {
    for l in model.free_links() {
        let linear = &diagonal[l.iv..l.iv + 3];
        if linear.iter().all(|d| *d == 0.0) {
            continue;
        }
        let t = Twist::from_slice(&v[l.iv..]);
        for (first, by) in [(0, Mat3::skew(t.ang)), (3, Mat3::skew(-t.lin))] {
            for (row, d) in linear.iter().enumerate() {
                for column in 0..3 {
                    visit(l.iv + row, l.iv + first + column, d * by.at(row, column));
                }
            }
        }
    }
}

/// The adjoint of [`carry`] by v: `v_bar` += that of `z`.
pub(super) fn carry_adjoint(model: &Model, h: f64, v: &[f64], z: &[f64], v_bar: &mut [f64]) {
    for l in model.free_links() {
        let (t, z) = (
            Twist::from_slice(&v[l.iv..]),
            Vec3::from_slice(&z[l.iv..]) * h,
        );
        add(&mut v_bar[l.iv..], z.cross(t.ang));
        add(&mut v_bar[l.iv + 3..], t.lin.cross(z));
    }
}

fn add(out: &mut [f64], x: Vec3) {
    for (out, x) in out.iter_mut().zip(x.to_array()) {
        *out += x;
    }
}

/// Where free joints are after v̂, which `v_next` brings, and their velocity in the axes there.
pub(super) fn advance(model: &Model, h: f64, q: &[f64], q_next: &mut [f64], v_next: &mut [f64]) {
    for l in model.free_links() {
        let end = Twist::from_slice(&v_next[l.iv..]);
        let moved = free_pose(&q[l.iq..]).point(end.lin * h);
        q_next[l.iq..l.iq + 3].copy_from_slice(&moved.to_array());
        let seen = so3_exp(end.ang * h).tr_mul_vec(end.lin);
        v_next[l.iv..l.iv + 3].copy_from_slice(&seen.to_array());
    }
}

/// Of one free joint, ∂q⁺ by q and by w = h v̂, and ∂v⁺ by v̂.
pub(super) fn blocks(h: f64, v_end: &[f64]) -> (IntegrateBlocks, LinkMatrix) {
    let end = Twist::from_slice(v_end);
    let w = end.ang * h;
    let back = Pose {
        rot: so3_exp(w),
        pos: end.lin * h,
    }
    .inverse();
    let (jacobian, seen) = (so3_right_jacobian(w), back.rot.mul_vec(end.lin));
    let by_spin = Mat3::skew(seen * h).mul_mat(&jacobian);
    let position = IntegrateBlocks {
        by_q: adjoint(&back),
        by_w: [back.rot, Mat3::ZERO, jacobian],
    };
    (position, [back.rot, by_spin, Mat3::IDENTITY])
}

/// ∂v⁺ from ∂v̂, in columns of nv numbers.
#[inline(always)]
pub(super) fn turn(model: &Model, turns: &[LinkMatrix], which: Columns<'_>, columns: &mut [f64]) {
    for (turn, l) in turns.iter().zip(model.free_links()) {
        which.multiply(turn, l, columns);
    }
}

/// The adjoint by v̂ from that by v⁺.
pub(super) fn turn_back(model: &Model, turns: &[LinkMatrix], v_bar: &mut [f64]) {
    for (turn, l) in turns.iter().zip(model.free_links()) {
        block_tr_mul(turn, &mut v_bar[l.iv..l.iv + 6]);
    }
}
