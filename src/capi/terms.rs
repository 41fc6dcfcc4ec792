//! Terms of the equations of motion: gravity, bias, Coriolis matrix, M⁻¹, the regressor, at any state.

use super::args::{self, Out};
use super::dynamics::{moving, moving_within, placed_within};
use super::edge::{self, Side};
use super::sim::{ds_sim, parts};
use super::status::ds_status;
use super::wall;
use crate::spatial::INERTIA_PARAMS;

/// Generalized gravity: the force that holds all moving bodies still against gravity, minus gravity
/// compensation; nv numbers. Also its derivative by q (tangent): nv×nv, column-major. NULL for one
/// not wanted. q: nq numbers. The results must not overlap q or each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_gravity_forces(
    sim: *mut ds_sim,
    q: *const f64,
    g: *mut f64,
    dg_dq: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = placed_within(sim, q)?;
        let nv = s.nv();
        let (out, matrix) = (
            Out::optional(g, nv, "g")?,
            Out::optional(dg_dq, nv * nv, "dg_dq")?,
        );
        let [x, by_q] = args::in_place([out, matrix], &[("q", s.given[0])])?;
        let [unwanted] = parts(s.stage, [nv]);
        let x = x.unwrap_or(unwanted);
        let Some(map) = s.map else {
            return s.sim.gravity_forces(s.q, x, by_q);
        };
        let n = map.v.sizes()[0];
        let full = &mut s.matrices[..n * n];
        let wanted = by_q.is_some().then_some(&mut *full);
        s.sim.gravity_forces(s.q, s.b, wanted)?;
        map.v.expand_transposed(s.b, x);
        if let Some(by_q) = by_q {
            let sides = [Side::Force, Side::Velocity];
            edge::reduce(&map.v, (n, full), sides, s.product, by_q);
        }
        Ok(())
    })
}

/// Bias forces b(q, v): Coriolis, centrifugal and gravity forces, minus gravity compensation. The
/// sim's external wrenches are not included (they are in ds_inverse_dynamics). q: nq numbers; v, b:
/// nv. b may be v. The derivatives of b are those of inverse dynamics at a = 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_bias_forces(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    b: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = moving_within(sim, q, v)?;
        let nv = s.nv();
        let out = Out::new(b, nv, "b")?;
        let [x] = parts(s.stage, [nv]);
        match s.map {
            None => s.sim.bias_forces(s.q, s.v, x)?,
            Some(map) => {
                s.sim.bias_forces(s.q, s.v, s.b)?;
                map.v.expand_transposed(s.b, x);
            }
        }
        args::publish([(x, out)])
    })
}

/// The Coriolis matrix C, nv×nv, column-major. C v are the Coriolis and centrifugal forces, the bias
/// without gravity. The rate of the mass matrix is C + Cᵀ, so that M_rate - 2 C is skew-symmetric. q:
/// nq numbers; v: nv. C must not overlap them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_coriolis_matrix(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    C: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = moving_within(sim, q, v)?;
        let nv = s.nv();
        let out = Out::new(C, nv * nv, "C")?;
        let x = args::matrix(out, &[("q", s.given[0]), ("v", s.given[1])])?;
        let Some(map) = s.map else {
            return s.sim.coriolis_matrix(s.q, s.v, x);
        };
        let n = map.v.sizes()[0];
        let full = &mut s.matrices[..n * n];
        s.sim.coriolis_matrix(s.q, s.v, full)?;
        let sides = [Side::Force, Side::Velocity];
        edge::reduce(&map.v, (n, full), sides, s.product, x);
        Ok(())
    })
}

/// The inverse of ds_mass_matrix: nv×nv, all entries. q: nq numbers. M_inv must not overlap q.
///
/// Errors: DS_ERR_NUMERICAL if the mass matrix is singular, naming the joint.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_mass_matrix_inverse(
    sim: *mut ds_sim,
    q: *const f64,
    M_inv: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = placed_within(sim, q)?;
        let nv = s.nv();
        let x = args::matrix(Out::new(M_inv, nv * nv, "M_inv")?, &[("q", s.given[0])])?;
        let Some(map) = s.map else {
            return s.sim.mass_matrix_inverse(s.q, x);
        };
        let n = map.v.sizes()[0];
        let full = &mut s.matrices[..n * n];
        s.sim.mass_matrix_inverse(s.q, full)?;
        let sides = [Side::Velocity, Side::Force];
        edge::reduce(&map.v, (n, full), sides, s.product, x);
        Ok(())
    })
}

/// The regressor Y of inverse dynamics: nv × (10 nbody), column-major. Y times the inertial
/// parameters of all bodies, ten each in the order of ds_model_body_inertia, is the generalized force
/// that gives the acceleration a at (q, v), without armature and external wrenches. Columns of fixed
/// bodies are zero. q: nq numbers; v, a: nv. Y must not overlap them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_inverse_dynamics_regressor(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    a: *const f64,
    Y: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let a = args::array(a, v.len(), "a")?;
        let n = INERTIA_PARAMS * v.len() * s.sim.model().nbody();
        let x = args::matrix(Out::new(Y, n, "Y")?, &[("q", q), ("v", v), ("a", a)])?;
        s.sim.inverse_dynamics_regressor(q, v, a, x)
    })
}

/// Same as ds_inverse_dynamics, with external wrenches in addition to those of the sim: count
/// wrenches on the given bodies (ids), 6 numbers each (force; moment) [N, N m], world axes, at the
/// bodies' origins. A body may occur more than once. q: nq numbers; v, a, tau: nv. tau may be a.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_inverse_dynamics_with_wrenches(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    a: *const f64,
    bodies: *const i32,
    wrenches: *const f64,
    count: usize,
    tau: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let a = args::array(a, v.len(), "a")?;
        let bodies = args::array(bodies, count, "bodies")?;
        let wrenches = args::array(wrenches, count.saturating_mul(6), "wrenches")?;
        let out = Out::new(tau, v.len(), "tau")?;
        let [x] = parts(&mut s.stage, [v.len()]);
        s.sim
            .inverse_dynamics_with_wrenches(q, v, a, bodies, wrenches, x)?;
        args::publish([(x, out)])
    })
}

/// Same as ds_forward_dynamics, with external wrenches as in ds_inverse_dynamics_with_wrenches. q: nq
/// numbers; v, tau, a: nv. a may be tau.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_forward_dynamics_with_wrenches(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    tau: *const f64,
    bodies: *const i32,
    wrenches: *const f64,
    count: usize,
    a: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let tau = args::array(tau, v.len(), "tau")?;
        let bodies = args::array(bodies, count, "bodies")?;
        let wrenches = args::array(wrenches, count.saturating_mul(6), "wrenches")?;
        let out = Out::new(a, v.len(), "a")?;
        let [x] = parts(&mut s.stage, [v.len()]);
        s.sim
            .forward_dynamics_with_wrenches(q, v, tau, bodies, wrenches, x)?;
        args::publish([(x, out)])
    })
}
