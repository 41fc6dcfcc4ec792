//! The Coriolis matrix C(q, v), with C v the Coriolis and centrifugal forces and Ṁ = C + Cᵀ.
//!
//! C = Σ J_iᵀ (I_i J̇_i + B_i J_i) over the links, with 2B as in
//! [`rnea_derivatives`](super::rnea_derivatives): Echeandia & Wensing, Numerical Methods to Compute the
//! Coriolis Matrix and Christoffel Symbols for Rigid-Body Systems (J. Comput. Nonlinear Dyn. 2021). J̇
//! contains the rates of the columns in space, V × S with V of the column's own link.

use super::kinematics::Kinematics;
use super::rnea_derivatives::{Composite, gather};
use crate::linalg::{dispatch, within};
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::Twist;

/// Computes the subtrees' inertias and the rates of the columns. `kin` must hold positions, velocities
/// and inertias. Returns whether all products of the matrix are finite.
pub fn prepare(
    composite: &mut [Composite],
    rates: &mut [Twist],
    kin: &Kinematics,
    model: &Model,
) -> bool {
    let t = model.topology();
    gather(composite, kin, t);
    for ((rate, s), dof) in rates.iter_mut().zip(&kin.s).zip(&t.dofs) {
        *rate = kin.v[dof.link].cross(*s);
    }
    for (state, varying) in kin.varying.iter().zip(&t.varying) {
        let l = &t.links[varying.link];
        for (j, k) in l.dofs().enumerate() {
            rates[k] += state.along(j, state.velocity());
        }
    }
    let size = |x: [f64; 6]| x.iter().map(|x| x.abs()).sum::<f64>();
    let longest = |s: &[Twist]| s.iter().map(|s| size(s.to_array())).sum::<f64>();
    let (axis, rate) = (longest(&kin.s), longest(rates));
    let all: f64 = (composite.iter())
        .map(|c| {
            let r = &c.inertia_rate;
            let inertia: f64 = c.inertia.to_params().iter().map(|x| x.abs()).sum();
            inertia * rate
                + (size(c.momentum.to_array()) + size([r.xx, r.xy, r.yy, r.xz, r.yz, r.zz])) * axis
        })
        .sum();
    within(f64::MAX / 64.0, &[all, axis, all * axis])
}

#[inline(always)]
fn coriolis_kernel(
    composite: &[Composite],
    rates: &[Twist],
    kin: &Kinematics,
    model: &Model,
    out: &mut [f64],
) {
    let (t, n) = (model.topology(), model.nv());
    out.fill(0.0);
    for (k, dof) in t.dofs.iter().enumerate() {
        let (c, s) = (&composite[dof.link], kin.s[k]);
        let column = c.inertia.mul(rates[k]) + c.two_b(s) * 0.5;
        let (force, row) = (c.inertia.mul(s), c.two_b_row(s) * 0.5);
        let mut a = k;
        while a != WORLD {
            out[k * n + a] = kin.s[a].dot(column);
            out[a * n + k] = rates[a].dot(force) + kin.s[a].ang.dot(row);
            a = t.dofs[a].parent;
        }
    }
}

dispatch! {
    /// C dense, column-major nv×nv. Call it after [`prepare`].
    pub fn coriolis_matrix = coriolis_kernel(
        composite: &[Composite], rates: &[Twist], kin: &Kinematics, model: &Model, out: &mut [f64],
    )
}
