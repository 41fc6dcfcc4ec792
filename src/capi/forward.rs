//! Dynamics with contact: acceleration and contact forces at a state, the force that gives an acceleration.

use super::args::{self, Out};
use super::dynamics::{moving, moving_within};
use super::edge::{self, Edge, Side};
use super::sim::{any, ds_sim, get, parts};
use super::status::ds_status;
use super::wall;
use crate::error::Result;
use crate::step::{AccelerationJacobians, InverseJacobians, Sim, StepAdjoint};
use std::ptr;

/// Acceleration and contact forces at a state by the laws of the sim's step, without advancing the
/// state. q: nq numbers; v: nv; u: nu, NULL if nu = 0; acceleration: nv numbers, may be NULL.
/// Contact forces are impulses over the time step h; springs and dampers of joints include their
/// implicit terms. Unless a free joint spins with DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD, the
/// acceleration is (v_next - v)/h of the step from this state; see docs/concepts.md, By the laws
/// of a step. Afterwards the step from this state is the last step, for ds_sim_contacts,
/// ds_sim_body_contact_wrenches, ds_sim_step_info and all derivatives. The warm start does not
/// change.
///
/// Errors: those of ds_sim_step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_forward(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    u: *const f64,
    acceleration: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = moving_within(sim, q, v)?;
        let (nv, u) = (s.nv(), args::array(u, s.sim.model().nu(), "u")?);
        let out = Out::optional(acceleration, nv, "acceleration")?;
        let [x] = parts(s.stage, [nv]);
        match s.map {
            None => s.sim.forward(s.q, s.v, u, x)?,
            Some(map) => {
                s.sim.forward(s.q, s.v, u, s.b)?;
                map.v.restrict(s.b, x);
            }
        }
        args::publish([(x, out)])
    })
}

/// Jacobians of the acceleration of the last step or ds_sim_forward by q (tangent), v, u and the
/// selected parameters, column-major with nv rows; NULL for those not wanted. They must not overlap
/// each other.
///
/// Errors: those of ds_sim_step_jacobians.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_acceleration_jacobians(
    sim: *mut ds_sim,
    da_dq: *mut f64,
    da_dv: *mut f64,
    da_du: *mut f64,
    da_dp: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let m = s.sim.model();
        let (nv, nu, np) = (m.free_nv(), m.nu(), s.sim.np());
        let outs = [
            Out::optional(da_dq, nv * nv, "da_dq")?,
            Out::optional(da_dv, nv * nv, "da_dv")?,
            Out::optional(da_du, nv * nu, "da_du")?,
            Out::optional(da_dp, nv * np, "da_dp")?,
        ];
        let [by_q, by_v, by_u, by_p] = args::in_place(outs, &[])?;
        let out = AccelerationJacobians {
            by_q,
            by_v,
            by_u,
            by_p,
            by_act: None,
        };
        let Edge {
            map,
            matrices,
            product,
            ..
        } = &mut s.edge;
        match map {
            None => s.sim.acceleration_jacobians(out),
            Some(map) => edge::acceleration_jacobians(map, &mut s.sim, [matrices, product], out),
        }
    })
}

/// Jacobian of this acceleration by the activations at the start of the step: nv×na, column-major.
///
/// Errors: those of ds_sim_step_jacobians.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_acceleration_act_jacobian(
    sim: *mut ds_sim,
    da_dact: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let (m, e) = (s.sim.model(), &mut s.edge);
        let (nv, na) = (m.nv(), m.na());
        let out = Out::new(da_dact, m.free_nv() * na, "da_dact")?;
        let x = args::matrix(out, &[])?;
        let by_act = match e.map {
            None => &mut *x,
            Some(_) => &mut e.matrices[..nv * na],
        };
        (s.sim).acceleration_jacobians(AccelerationJacobians {
            by_act: Some(by_act),
            ..AccelerationJacobians::default()
        })?;
        if let Some(map) = &e.map {
            let (from, sides) = (&e.matrices[..nv * na], [Side::Velocity, Side::Same]);
            edge::reduce(&map.v, (nv, from), sides, &mut e.product, x);
        }
        Ok(())
    })
}

/// Adjoint of the acceleration of the last step or ds_sim_forward: from the gradient a_bar by the
/// acceleration (nv numbers) it computes the gradients by q (tangent, nv), v (nv), u (nu) and the
/// selected parameters (np); NULL for those not wanted.
///
/// Errors: those of ds_sim_step_vjp.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_acceleration_vjp(
    sim: *mut ds_sim,
    a_bar: *const f64,
    q_bar: *mut f64,
    v_bar: *mut f64,
    u_bar: *mut f64,
    p_bar: *mut f64,
) -> ds_status {
    let bars = [q_bar, v_bar, ptr::null_mut(), u_bar, p_bar];
    wall::status(|| acceleration_vjp(sim, a_bar, bars))
}

/// Same as ds_sim_acceleration_vjp, with the gradient by the activations: act_bar, na numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_acceleration_vjp_act(
    sim: *mut ds_sim,
    a_bar: *const f64,
    q_bar: *mut f64,
    v_bar: *mut f64,
    act_bar: *mut f64,
    u_bar: *mut f64,
    p_bar: *mut f64,
) -> ds_status {
    let bars = [q_bar, v_bar, act_bar, u_bar, p_bar];
    wall::status(|| acceleration_vjp(sim, a_bar, bars))
}

unsafe fn acceleration_vjp(
    sim: *mut ds_sim,
    a_bar: *const f64,
    [q_bar, v_bar, act_bar, u_bar, p_bar]: [*mut f64; 5],
) -> Result<()> {
    let s = any(sim)?;
    let m = s.sim.model();
    let (nv, nu, na, np) = (m.free_nv(), m.nu(), m.na(), s.sim.np());
    let a_bar = args::array(a_bar, nv, "a_bar")?;
    let outs = [
        Out::optional(q_bar, nv, "q_bar")?,
        Out::optional(v_bar, nv, "v_bar")?,
        Out::optional(act_bar, na, "act_bar")?,
        Out::optional(u_bar, nu, "u_bar")?,
        Out::optional(p_bar, np, "p_bar")?,
    ];
    let [q, v, act, u, p] = parts(&mut s.stage, [nv, nv, na, nu, np]);
    let by_p = outs[4].wanted();
    let mut run = |sim: &mut Sim, a_bar: &[f64], [q, v]: [&mut [f64]; 2]| {
        let bars = StepAdjoint {
            q: Some(q),
            v: Some(v),
            act: Some(&mut *act),
            u: Some(&mut *u),
            p: by_p.then_some(&mut *p),
            ..StepAdjoint::default()
        };
        sim.acceleration_vjp_act(a_bar, bars)
    };
    let e = &mut s.edge;
    match &e.map {
        None => run(&mut s.sim, a_bar, [&mut *q, &mut *v])?,
        Some(map) => {
            let full = map.v.sizes()[0];
            map.v.restrict_transposed(a_bar, &mut e.a);
            let (full_q, full_v) = (&mut e.c[..full], &mut e.d[..]);
            run(&mut s.sim, &e.a, [&mut *full_q, &mut *full_v])?;
            map.v.expand_transposed(full_q, q);
            map.v.expand_transposed(full_v, v);
            if by_p {
                let ([start, _], selected) = (s.sim.ends(), s.sim.selected());
                let bars = [&*full_q, &*full_v];
                edge::add_motion_transposed(map, selected, start, (1.0, p), bars);
                let acceleration = &mut e.product[..full];
                s.sim.tell_acceleration(acceleration);
                let at = [start[0], &*acceleration];
                edge::for_moved(map, selected, at, |i, dof, [_, a]| p[i] -= a * e.a[dof]);
            }
        }
    }
    let [to_q, to_v, to_act, to_u, to_p] = outs;
    args::publish([(q, to_q), (v, to_v), (act, to_act), (u, to_u), (p, to_p)])
}

/// Inverse dynamics with contact: the generalized force (nv numbers) that, in addition to the forces
/// of a step under inputs u, makes ds_sim_forward from (q, v) return the acceleration a. Contact
/// impulses follow from the velocity at the end of the step. q: nq numbers; v, a: nv; u: nu numbers,
/// NULL for zero. With u = NULL the result is the force that actuators must supply; with
/// DS_ACTUATION_FULL it is u. The step under this force becomes the last step, as with
/// ds_sim_forward.
///
/// Errors: those of ds_sim_step; DS_ERR_UNSUPPORTED with DS_CONTACT_NCP and DS_CONTACT_LCP, whose
/// impulses are not a function of the velocity (many forces give one motion), with integrators other
/// than the symplectic ones, and while a dof has a prescribed velocity; DS_ERR_NOT_CONVERGED if the
/// contact law separates overlapping bodies so that no step ends with a.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_inverse(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    u: *const f64,
    a: *const f64,
    force: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let (nv, nu) = (v.len(), s.sim.model().nu());
        let a = args::array(a, nv, "a")?;
        let given = args::optional_array(u, nu, "u")?;
        let out = Out::new(force, nv, "force")?;
        let [x, zero] = parts(&mut s.stage, [nv, nu]);
        zero.fill(0.0);
        let u = if u.is_null() { zero } else { given };
        s.sim.inverse(q, v, u, a, x)?;
        args::publish([(x, out)])
    })
}

/// Derivatives of the force of the last ds_sim_inverse by q (tangent), v and a, nv×nv each,
/// column-major; NULL for those not wanted. They must not overlap each other.
///
/// Errors: DS_ERR_NO_STEP before ds_sim_inverse; those of ds_sim_inverse and ds_sim_step_jacobians.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_inverse_jacobians(
    sim: *mut ds_sim,
    dforce_dq: *mut f64,
    dforce_dv: *mut f64,
    dforce_da: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = get(sim)?;
        let nv = s.sim.model().nv();
        let outs = [
            Out::optional(dforce_dq, nv * nv, "dforce_dq")?,
            Out::optional(dforce_dv, nv * nv, "dforce_dv")?,
            Out::optional(dforce_da, nv * nv, "dforce_da")?,
        ];
        let [by_q, by_v, by_a] = args::in_place(outs, &[])?;
        (s.sim).inverse_jacobians(InverseJacobians { by_q, by_v, by_a })
    })
}

/// Total contact wrench (force; moment) on every body in the last step or ds_sim_forward, as impulses
/// over the time step: 6 × nbody numbers, world axes, at the bodies' origins [N, N m]; for the world
/// at its own origin.
///
/// Errors: DS_ERR_NO_STEP before a step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_body_contact_wrenches(
    sim: *mut ds_sim,
    wrenches: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let n = 6 * s.sim.model().nbody();
        let out = Out::new(wrenches, n, "wrenches")?;
        let [x] = parts(&mut s.stage, [n]);
        s.sim.body_contact_wrenches(x)?;
        args::publish([(x, out)])
    })
}
