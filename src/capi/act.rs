//! Activations: the states of actuators that have one.

use super::args::{self, Out};
use super::batch::ds_batch;
use super::derivatives::direction;
use super::model::{count, ds_model, get as model};
use super::rollout::{self, ds_rollout};
use super::sim::{any, ds_sim, get, look_any, parts};
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::rollout::{RolloutAdjoint, Trajectory};
use crate::step::{ActJacobians, StepAdjoint};
use std::ffi::c_char;

/// Number na of activations: one for each actuator with a state, in the order of u. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_na(model: *const ds_model) -> usize {
    count(model, Model::na)
}

/// Index in u of the actuator that an activation drives; -1 if the activation is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_act_actuator(model: *const ds_model, activation: i32) -> i32 {
    wall::value(-1, || {
        let m = &self::model(model)?.model;
        let i = usize::try_from(activation).ok();
        Ok(args::id(i.and_then(|i| Some(m.activated().nth(i)?.0))))
    })
}

/// The activations of a keyframe (ds_model_keyframe): na numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_keyframe_act(
    model: *const ds_model,
    name: *const c_char,
    act: *mut f64,
) -> ds_status {
    wall::status(|| {
        let m = &self::model(model)?.model;
        let k = m.keyframe(args::text(name, "name")?)?;
        args::publish([(&k.act, Out::new(act, m.na(), "act")?)])
    })
}

/// Sets the activations at the start of the next step: na numbers. They are 0 in a new sim and after
/// ds_sim_reset. The last step and its derivatives do not change.
///
/// Errors: DS_ERR_NUMERICAL for a number that is not finite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_set_act(sim: *mut ds_sim, act: *const f64) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let act = args::array(act, s.sim.act().len(), "act")?;
        s.sim.set_act(act)
    })
}

/// The activations at the start of the next step, which are those at the end of the last one: na
/// numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_get_act(sim: *const ds_sim, act: *mut f64) -> ds_status {
    wall::status(|| {
        let from = look_any(sim)?.sim.act();
        args::publish([(from, Out::new(act, from.len(), "act")?)])
    })
}

/// Jacobians of a step by the activations act at its start, and of the activations act+ at its end,
/// column-major; NULL for those not wanted. They must not overlap.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_act_jacobians {
    /// nv×na, tangent at q_next
    pub dq_dact: *mut f64,
    /// nv×na
    pub dv_dact: *mut f64,
    /// na×nv: zeros, because activations depend on inputs only
    pub dact_dq: *mut f64,
    /// na×nv: zeros
    pub dact_dv: *mut f64,
    /// na×na
    pub dact_dact: *mut f64,
    /// na×nu
    pub dact_du: *mut f64,
}

/// The part of the last step's Jacobians that ds_sim_step_jacobians leaves out.
///
/// Errors: as ds_sim_step_jacobians.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_step_act_jacobians(
    sim: *mut ds_sim,
    out: *const ds_act_jacobians,
) -> ds_status {
    wall::status(|| {
        let s = get(sim)?;
        let m = s.sim.model();
        let (nv, nu, na) = (m.nv(), m.nu(), m.na());
        let o = args::reference(out, "out")?;
        let outs = [
            Out::optional(o.dq_dact, nv * na, "dq_dact")?,
            Out::optional(o.dv_dact, nv * na, "dv_dact")?,
            Out::optional(o.dact_dq, na * nv, "dact_dq")?,
            Out::optional(o.dact_dv, na * nv, "dact_dv")?,
            Out::optional(o.dact_dact, na * na, "dact_dact")?,
            Out::optional(o.dact_du, na * nu, "dact_du")?,
        ];
        let [dq_dact, dv_dact, dact_dq, dact_dv, dact_dact, dact_du] = args::in_place(outs, &[])?;
        s.sim.step_act_jacobians(ActJacobians {
            dq_dact,
            dv_dact,
            dact_dq,
            dact_dv,
            dact_dact,
            dact_du,
        })
    })
}

/// Same as ds_sim_step_jvp, with variations of the activations: dact, dact_next: na numbers, NULL for
/// none. Results may overlap arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_step_jvp_act(
    sim: *mut ds_sim,
    dq: *const f64,
    dv: *const f64,
    dact: *const f64,
    du: *const f64,
    dp: *const f64,
    dq_next: *mut f64,
    dv_next: *mut f64,
    dact_next: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = get(sim)?;
        let (nv, na) = (s.sim.model().nv(), s.sim.act().len());
        let [dq, dv, du, dp] = direction(&s.sim, dq, dv, du, dp)?;
        let dact = args::optional_array(dact, na, "dact")?;
        let to_q = Out::optional(dq_next, nv, "dq_next")?;
        let to_v = Out::optional(dv_next, nv, "dv_next")?;
        let to_act = Out::optional(dact_next, na, "dact_next")?;
        let [x, y, z] = parts(&mut s.stage, [nv, nv, na]);
        (s.sim).step_jvp_act(dq, dv, dact, du, dp, x, y, Some(&mut *z))?;
        args::publish([(x, to_q), (y, to_v), (z, to_act)])
    })
}

/// Same as ds_sim_step_vjp for a function that also depends on the activations at the end of the
/// step: act_next_bar (na numbers, NULL for zeros) is its gradient by them. act_bar: the gradient by
/// the activations at the start, na numbers. Results may overlap arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_step_vjp_act(
    sim: *mut ds_sim,
    q_next_bar: *const f64,
    v_next_bar: *const f64,
    act_next_bar: *const f64,
    q_bar: *mut f64,
    v_bar: *mut f64,
    act_bar: *mut f64,
    u_bar: *mut f64,
    p_bar: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = get(sim)?;
        let (nv, nu, na, np) = {
            let m = s.sim.model();
            (m.nv(), m.nu(), m.na(), s.sim.np())
        };
        let q_next_bar = args::array(q_next_bar, nv, "q_next_bar")?;
        let v_next_bar = args::array(v_next_bar, nv, "v_next_bar")?;
        let act_next_bar = args::optional_array(act_next_bar, na, "act_next_bar")?;
        let outs = [
            Out::optional(q_bar, nv, "q_bar")?,
            Out::optional(v_bar, nv, "v_bar")?,
            Out::optional(act_bar, na, "act_bar")?,
            Out::optional(u_bar, nu, "u_bar")?,
            Out::optional(p_bar, np, "p_bar")?,
        ];
        let wanted = outs.each_ref().map(Out::wanted);
        let [q, v, act, u, p] = parts(&mut s.stage, [nv, nv, na, nu, np]);
        let bars = StepAdjoint {
            q: wanted[0].then_some(&mut *q),
            v: wanted[1].then_some(&mut *v),
            act: wanted[2].then_some(&mut *act),
            u: wanted[3].then_some(&mut *u),
            p: wanted[4].then_some(&mut *p),
            ..StepAdjoint::default()
        };
        (s.sim).step_vjp_act(q_next_bar, v_next_bar, act_next_bar, bars)?;
        let [to_q, to_v, to_act, to_u, to_p] = outs;
        args::publish([(q, to_q), (v, to_v), (act, to_act), (u, to_u), (p, to_p)])
    })
}

/// Same as ds_rollout_run, starting from the activations act0 (na numbers, NULL for zeros). act: the
/// activations of the trajectory, na×(N+1), NULL if not wanted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rollout_run_act(
    rollout: *mut ds_rollout,
    q0: *const f64,
    v0: *const f64,
    act0: *const f64,
    u: *const f64,
    steps: usize,
    q: *mut f64,
    v: *mut f64,
    act: *mut f64,
) -> ds_status {
    wall::status(|| {
        let r = rollout::get(rollout)?;
        rollout::check_steps(r, steps)?;
        let m = r.sim().model();
        let (nq, nv, nu, na) = (m.nq(), m.nv(), m.nu(), m.na());
        let (q0, v0) = (args::array(q0, nq, "q0")?, args::array(v0, nv, "v0")?);
        let act0 = args::optional_array(act0, na, "act0")?;
        let u = args::array(u, nu * steps, "u")?;
        let outs = [
            Out::optional(q, nq * (steps + 1), "q")?,
            Out::optional(v, nv * (steps + 1), "v")?,
            Out::optional(act, na * (steps + 1), "act")?,
        ];
        let inputs = [("q0", q0), ("v0", v0), ("act0", act0), ("u", u)];
        let [q, v, act] = args::in_place(outs, &inputs)?;
        r.run_act(q0, v0, act0, u, steps, Trajectory { q, v, act })
    })
}

/// Same as ds_rollout_adjoint for a function that also depends on the activations: act_bar (na×(N+1),
/// NULL for zeros) is its gradient by them. act0_bar: the gradient by the initial activations, na
/// numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rollout_adjoint_act(
    rollout: *mut ds_rollout,
    q_bar: *const f64,
    v_bar: *const f64,
    act_bar: *const f64,
    q0_bar: *mut f64,
    v0_bar: *mut f64,
    act0_bar: *mut f64,
    u_bar: *mut f64,
    p_bar: *mut f64,
) -> ds_status {
    wall::status(|| {
        let r = rollout::get(rollout)?;
        let Some(steps) = r.steps() else {
            return Err(Error::no_step("rollout: the adjoint needs a run first"));
        };
        let m = r.sim().model();
        let (nv, nu, na) = (m.nv(), m.nu(), m.na());
        let q_bar = args::array(q_bar, nv * (steps + 1), "q_bar")?;
        let v_bar = args::array(v_bar, nv * (steps + 1), "v_bar")?;
        let act_bar = args::optional_array(act_bar, na * (steps + 1), "act_bar")?;
        let outs = [
            Out::optional(q0_bar, nv, "q0_bar")?,
            Out::optional(v0_bar, nv, "v0_bar")?,
            Out::optional(act0_bar, na, "act0_bar")?,
            Out::optional(u_bar, nu * steps, "u_bar")?,
            Out::optional(p_bar, r.sim().np(), "p_bar")?,
        ];
        let inputs = [("q_bar", q_bar), ("v_bar", v_bar), ("act_bar", act_bar)];
        let [q0, v0, act0, u, p] = args::in_place(outs, &inputs)?;
        let out = RolloutAdjoint { q0, v0, act0, u, p };
        r.adjoint_act(q_bar, v_bar, act_bar, out)
    })
}

unsafe fn na_of_all(batch: &ds_batch) -> Result<[usize; 2]> {
    Ok([batch.batch.model().na(), batch.batch.count()])
}

/// Sets the activations at the start of the next steps of all elements: na×count numbers, as
/// ds_sim_set_act.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_set_act(batch: *mut ds_batch, act: *const f64) -> ds_status {
    wall::status(|| {
        let b = args::exclusive(batch, "batch")?;
        let [na, count] = na_of_all(b)?;
        let act = args::numbers(act, na * count, "act")?;
        (0..count).try_for_each(|i| b.batch.sim_mut(i)?.set_act(&act[i * na..][..na]))
    })
}

/// The activations at the start of the next steps of all elements: na×count numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_get_act(batch: *const ds_batch, act: *mut f64) -> ds_status {
    wall::status(|| {
        let b = args::reference(batch, "batch")?;
        let [na, count] = na_of_all(b)?;
        let out = Out::new(act, na * count, "act")?;
        for i in 0..count {
            args::publish([(b.batch.sim(i)?.act(), out.part(i, na))])?;
        }
        Ok(())
    })
}
