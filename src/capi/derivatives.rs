//! Derivatives of a step: Jacobians, JVPs, VJPs.

use super::args::{self, Out};
use super::edge::{self, Edge};
use super::sim::{any, ds_sim, get, look_any, parts};
use super::status::ds_status;
use super::wall;
use crate::error::Result;
use crate::model::Model;
use crate::step::{ImpulseGradient, ImpulseJacobians, Sim, StepJacobians};

/// Jacobians of a step, column-major, nv rows each; NULL for those not wanted. Positions are
/// differentiated in tangent coordinates: dq_* holds the tangent vector at q_next, and the columns of
/// *_dq are tangent directions at q. The arrays must not overlap.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_step_jacobians {
    /// nv×nv
    pub dq_dq: *mut f64,
    /// nv×nv
    pub dq_dv: *mut f64,
    /// nv×nu
    pub dq_du: *mut f64,
    /// nv×np, the columns in the order of ds_sim_select_params
    pub dq_dp: *mut f64,
    /// nv×nv
    pub dv_dq: *mut f64,
    /// nv×nv
    pub dv_dv: *mut f64,
    /// nv×nu
    pub dv_du: *mut f64,
    /// nv×np
    pub dv_dp: *mut f64,
}

/// Computes the gradients by q, v, u and p with `run` from those by the result, and publishes them.
unsafe fn adjoint<T>(
    s: &mut ds_sim,
    [q_next_bar, v_next_bar]: [&[f64]; 2],
    [q_bar, v_bar, u_bar, p_bar]: [*mut f64; 4],
    run: impl FnOnce(&mut Sim, [&[f64]; 2], [Option<&mut [f64]>; 4]) -> Result<T>,
) -> Result<T> {
    let (nv, nu, np) = (s.sim.model().free_nv(), s.sim.model().nu(), s.sim.np());
    let outs = [
        Out::optional(q_bar, nv, "q_bar")?,
        Out::optional(v_bar, nv, "v_bar")?,
        Out::optional(u_bar, nu, "u_bar")?,
        Out::optional(p_bar, np, "p_bar")?,
    ];
    let [a, b, c, d] = parts(&mut s.stage, [nv, nv, nu, np]);
    let wanted = [
        outs[0].wanted().then_some(&mut *a),
        outs[1].wanted().then_some(&mut *b),
        outs[2].wanted().then_some(&mut *c),
        outs[3].wanted().then_some(&mut *d),
    ];
    let found = match &s.edge.map {
        None => run(&mut s.sim, [q_next_bar, v_next_bar], wanted)?,
        Some(map) => {
            let [q, v, u, mut p] = wanted;
            let nv = map.v.sizes()[0];
            map.v.restrict_transposed(q_next_bar, &mut s.edge.a);
            map.v.restrict_transposed(v_next_bar, &mut s.edge.b);
            let next = [&s.edge.a[..], &s.edge.b];
            let by_p = p.is_some() && edge::moves(&s.sim);
            let full_q = (by_p || q.is_some()).then_some(&mut s.edge.c[..nv]);
            let full_v = (by_p || v.is_some()).then_some(&mut s.edge.d[..]);
            let found = run(&mut s.sim, next, [full_q, full_v, u, p.as_deref_mut()])?;
            if let Some(p) = p {
                let ([start, end], selected) = (s.sim.ends(), s.sim.selected());
                let bars = [&s.edge.c[..nv], &s.edge.d];
                edge::add_motion_transposed(map, selected, start, (1.0, p), bars);
                edge::add_motion_transposed(map, selected, end, (-1.0, p), next);
            }
            if let Some(q) = q {
                map.v.expand_transposed(&s.edge.c[..nv], q);
            }
            if let Some(v) = v {
                map.v.expand_transposed(&s.edge.d, v);
            }
            found
        }
    };
    args::publish([(a, outs[0]), (b, outs[1]), (c, outs[2]), (d, outs[3])])?;
    Ok(found)
}

/// The caller's arrays for `count` matrices each.
pub(super) unsafe fn jacobians<'a>(
    out: *const ds_step_jacobians,
    model: &Model,
    np: usize,
    count: usize,
) -> Result<StepJacobians<'a>> {
    let nv = model.free_nv();
    jacobians_of(
        out,
        [nv, model.nu(), np].map(|columns| nv * columns * count),
    )
}

/// The caller's arrays, with the given lengths of the matrices by q or v, by u, and by p.
pub(super) unsafe fn jacobians_of<'a>(
    out: *const ds_step_jacobians,
    [square, by_u, by_p]: [usize; 3],
) -> Result<StepJacobians<'a>> {
    let o = args::reference(out, "out")?;
    let outs = [
        Out::optional(o.dq_dq, square, "dq_dq")?,
        Out::optional(o.dq_dv, square, "dq_dv")?,
        Out::optional(o.dq_du, by_u, "dq_du")?,
        Out::optional(o.dq_dp, by_p, "dq_dp")?,
        Out::optional(o.dv_dq, square, "dv_dq")?,
        Out::optional(o.dv_dv, square, "dv_dv")?,
        Out::optional(o.dv_du, by_u, "dv_du")?,
        Out::optional(o.dv_dp, by_p, "dv_dp")?,
    ];
    let [dq_dq, dq_dv, dq_du, dq_dp, dv_dq, dv_dv, dv_du, dv_dp] = args::in_place(outs, &[])?;
    Ok(StepJacobians {
        dq_dq,
        dq_dv,
        dq_du,
        dq_dp,
        dv_dq,
        dv_dv,
        dv_du,
        dv_dp,
    })
}

/// Jacobians of the last step. If the model has activations (ds_model_na), the Jacobians here and in
/// all calls of this section are taken at fixed activations at the start of the step. An input that
/// acts only through its activation has columns of zeros. ds_sim_step_act_jacobians has the rest.
///
/// Errors: DS_ERR_NO_STEP before a step; DS_ERR_INVALID_ARGUMENT if options.derivatives is 0;
/// DS_ERR_NOT_CONVERGED or DS_ERR_NUMERICAL if ds_step_info reports DS_GRADIENT_REFUSED;
/// DS_ERR_NUMERICAL for a singular mass matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_step_jacobians(
    sim: *mut ds_sim,
    out: *const ds_step_jacobians,
) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let out = jacobians(out, s.sim.model(), s.sim.np(), 1)?;
        let Edge {
            map,
            matrices,
            product,
            ..
        } = &mut s.edge;
        let Some(map) = map else {
            return s.sim.step_jacobians(out);
        };
        edge::step_jacobians(map, &mut s.sim, [matrices, product], out)
    })
}

/// Variations of a step's arguments; empty for null pointers.
pub(super) unsafe fn direction<'a>(
    sim: &Sim,
    dq: *const f64,
    dv: *const f64,
    du: *const f64,
    dp: *const f64,
) -> Result<[&'a [f64]; 4]> {
    let (nv, nu) = (sim.model().free_nv(), sim.model().nu());
    Ok([
        args::optional_array(dq, nv, "dq")?,
        args::optional_array(dv, nv, "dv")?,
        args::optional_array(du, nu, "du")?,
        args::optional_array(dp, sim.np(), "dp")?,
    ])
}

/// Forward mode: the variation of the last step's result for variations dq, dv (nv numbers each,
/// tangent), du (nu) and dp (np) of its arguments; NULL for zero. dq_next, dv_next: nv numbers, NULL
/// for those not wanted; they may overlap arguments.
///
/// Errors: as ds_sim_step_jacobians.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_step_jvp(
    sim: *mut ds_sim,
    dq: *const f64,
    dv: *const f64,
    du: *const f64,
    dp: *const f64,
    dq_next: *mut f64,
    dv_next: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let nv = s.sim.model().free_nv();
        let [dq, dv, du, dp] = direction(&s.sim, dq, dv, du, dp)?;
        let to_q = Out::optional(dq_next, nv, "dq_next")?;
        let to_v = Out::optional(dv_next, nv, "dv_next")?;
        let [x, y] = parts(&mut s.stage, [nv, nv]);
        let Edge {
            map, v, a, b, d, ..
        } = &mut s.edge;
        match map {
            None => s.sim.step_jvp(dq, dv, du, dp, x, y)?,
            Some(of) => {
                edge::take_direction(of, &s.sim, [dq, dv, dp], [v, a]);
                s.sim.step_jvp(v, a, du, dp, b, d)?;
                let [_, end] = s.sim.ends();
                edge::add_motion(of, s.sim.selected(), end, (-1.0, dp), [b, d]);
                of.v.restrict(b, x);
                of.v.restrict(d, y);
            }
        }
        args::publish([(x, to_q), (y, to_v)])
    })
}

/// Reverse mode: given the gradient q_next_bar (tangent at q_next) and v_next_bar (nv numbers each)
/// of a function by the last step's result, computes its gradient by the step's arguments: q_bar,
/// v_bar: nv numbers, u_bar: nu, p_bar: np; NULL for those not wanted. Results may overlap arguments.
///
/// Errors: as ds_sim_step_jacobians.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_step_vjp(
    sim: *mut ds_sim,
    q_next_bar: *const f64,
    v_next_bar: *const f64,
    q_bar: *mut f64,
    v_bar: *mut f64,
    u_bar: *mut f64,
    p_bar: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let nv = s.sim.model().free_nv();
        let q_next_bar = args::array(q_next_bar, nv, "q_next_bar")?;
        let v_next_bar = args::array(v_next_bar, nv, "v_next_bar")?;
        let (next, out) = ([q_next_bar, v_next_bar], [q_bar, v_bar, u_bar, p_bar]);
        adjoint(s, next, out, |sim, [q_next, v_next], [q, v, u, p]| {
            sim.step_vjp(q_next, v_next, q, v, u, p)
        })
    })
}

/// The aware gradient: a search direction, not a derivative. Where ds_sim_step_vjp is zero because a
/// contact is active or open (a body at rest that should be lifted), it looks beyond the contact. It
/// computes ds_sim_step_vjp and two more gradients, which treat contacts as separating, or as active, if
/// that may decrease the function. It returns the gradient with the largest norm of u_bar (of v_bar if nu =
/// 0). The step and its derivatives stay the same to the bit. See docs/gradients.md.
///
/// which (must not be NULL): 0 if the exact gradient was returned (always with DS_CONTACT_CONVEX), else 1.
///
/// Errors: as ds_sim_step_jacobians.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_step_vjp_aware(
    sim: *mut ds_sim,
    q_next_bar: *const f64,
    v_next_bar: *const f64,
    q_bar: *mut f64,
    v_bar: *mut f64,
    u_bar: *mut f64,
    p_bar: *mut f64,
    which: *mut i32,
) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let nv = s.sim.model().free_nv();
        let which = args::place(which, "which")?;
        let q_next_bar = args::array(q_next_bar, nv, "q_next_bar")?;
        let v_next_bar = args::array(v_next_bar, nv, "v_next_bar")?;
        let (next, out) = ([q_next_bar, v_next_bar], [q_bar, v_bar, u_bar, p_bar]);
        let aware = adjoint(s, next, out, |sim, [q_next, v_next], [q, v, u, p]| {
            sim.step_vjp_aware(q_next, v_next, q, v, u, p)
        })?;
        which.write(i32::from(aware.other));
        Ok(())
    })
}

/// Labels of the single columns of the last step's derivative: 0 exact, 1 one-sided. q, v: nv bytes each
/// (q: tangent), u: nu bytes, p: np bytes; NULL for those not wanted. All are 0 unless info.gradient is
/// DS_GRADIENT_ONE_SIDED. Then the columns with label 0 are the derivative on all sides of the switch,
/// and a switch of one group of bodies in contact concerns no columns of another. Columns that cannot
/// be compared have the label 1. As with other derivatives, ds_step_info.gradient describes the step
/// after the call.
///
/// At a step that is one-sided it costs up to 2 (2 nv + nu + np) ds_sim_step_jvp.
///
/// Errors: as ds_sim_step_jacobians; then nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_column_labels(
    sim: *mut ds_sim,
    q: *mut u8,
    v: *mut u8,
    u: *mut u8,
    p: *mut u8,
) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        if let Some(map) = &s.edge.map {
            s.edge.labels.take(map, &mut s.sim)?;
        }
        let labels = match s.edge.map {
            None => s.sim.column_labels()?,
            Some(_) => s.edge.labels.told(),
        };
        let parts = [(q, labels.q), (v, labels.v), (u, labels.u), (p, labels.p)];
        for (to, from) in parts {
            if !to.is_null() {
                // SAFETY: not null; the header's rules promise room for these bytes. `copy` permits overlap.
                std::ptr::copy(from.as_ptr(), to, from.len());
            }
        }
        Ok(())
    })
}

/// Number of contacts and limits whose mode in the gradient of the last ds_sim_step_vjp_aware differs from
/// their mode in the step; 0 if this was the exact gradient. count must not be NULL.
///
/// Errors: DS_ERR_NO_STEP if ds_sim_step_vjp_aware was not called after the last step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_aware_contacts(sim: *const ds_sim, count: *mut usize) -> ds_status {
    wall::status(|| {
        let resorted = look_any(sim)?.sim.aware()?.resorted;
        args::place(count, "count")?.write(resorted);
        Ok(())
    })
}

/// Jacobians of the contact impulses of the last step by q (tangent), v, u and p, column-major; NULL for
/// those not wanted. Rows: t1, t2, n of each contact [N s], in the order of ds_sim_contacts: 3 count × nv,
/// nv, nu and np. They must not overlap. The components are in each contact's own frame, which moves;
/// ds_sim_contact_derivatives gives its motion. Costs one ds_sim_step_vjp per row, or one ds_sim_step_jvp
/// per column if there are fewer columns. unique (must not be NULL): 1 if the state determines every
/// impulse; 0 if constraints are redundant: only the generalized force of all impulses then has the
/// returned derivative. See docs/gradients.md, Redundant contacts.
///
/// Errors: as ds_sim_step_jacobians; DS_ERR_UNSUPPORTED with DS_CONTACT_PENALTY, whose contacts
/// have forces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_impulse_jacobians(
    sim: *mut ds_sim,
    by_q: *mut f64,
    by_v: *mut f64,
    by_u: *mut f64,
    by_p: *mut f64,
    unique: *mut i32,
) -> ds_status {
    wall::status(|| {
        let s = get(sim)?;
        let rows = 3 * s.sim.contacts().len();
        let (nv, nu) = (s.sim.model().free_nv(), s.sim.model().nu());
        let unique = args::place(unique, "unique")?;
        let outs = [
            Out::optional(by_q, rows * nv, "by_q")?,
            Out::optional(by_v, rows * nv, "by_v")?,
            Out::optional(by_u, rows * nu, "by_u")?,
            Out::optional(by_p, rows * s.sim.np(), "by_p")?,
        ];
        let [by_q, by_v, by_u, by_p] = args::in_place(outs, &[])?;
        let gradient = s.sim.impulse_jacobians(ImpulseJacobians {
            by_q,
            by_v,
            by_u,
            by_p,
        })?;
        unique.write(i32::from(gradient == ImpulseGradient::Unique));
        Ok(())
    })
}

/// Forward mode of ds_sim_impulse_jacobians: the variation of the last step's contact impulses, 3 count
/// numbers, for variations as in ds_sim_step_jvp. dimpulse must not overlap the variations. unique: as for
/// ds_sim_impulse_jacobians.
///
/// Errors: as ds_sim_step_jacobians; DS_ERR_UNSUPPORTED with DS_CONTACT_PENALTY, whose contacts have
/// forces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_impulse_jvp(
    sim: *mut ds_sim,
    dq: *const f64,
    dv: *const f64,
    du: *const f64,
    dp: *const f64,
    dimpulse: *mut f64,
    unique: *mut i32,
) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let rows = 3 * s.sim.contacts().len();
        let unique = args::place(unique, "unique")?;
        let [dq, dv, du, dp] = direction(&s.sim, dq, dv, du, dp)?;
        let inputs = [("dq", dq), ("dv", dv), ("du", du), ("dp", dp)];
        let out = args::matrix(Out::new(dimpulse, rows, "dimpulse")?, &inputs)?;
        let e = &mut s.edge;
        let gradient = match &e.map {
            None => s.sim.impulse_jvp(dq, dv, du, dp, out)?,
            Some(map) => {
                edge::take_direction(map, &s.sim, [dq, dv, dp], [&mut e.v, &mut e.a]);
                s.sim.impulse_jvp(&e.v, &e.a, du, dp, out)?
            }
        };
        unique.write(i32::from(gradient == ImpulseGradient::Unique));
        Ok(())
    })
}

/// Reverse mode of ds_sim_impulse_jacobians: given the gradient impulse_bar (3 count numbers) of a function
/// by the last step's contact impulses, computes its gradient by the step's arguments: q_bar, v_bar: nv
/// numbers, u_bar: nu, p_bar: np; NULL for those not wanted. Results may be impulse_bar. Costs one
/// ds_sim_step_vjp. unique: as for ds_sim_impulse_jacobians.
///
/// Errors: as ds_sim_step_jacobians; DS_ERR_UNSUPPORTED with DS_CONTACT_PENALTY, whose contacts have
/// forces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_impulse_vjp(
    sim: *mut ds_sim,
    impulse_bar: *const f64,
    q_bar: *mut f64,
    v_bar: *mut f64,
    u_bar: *mut f64,
    p_bar: *mut f64,
    unique: *mut i32,
) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let unique = args::place(unique, "unique")?;
        let impulse_bar = args::array(impulse_bar, 3 * s.sim.contacts().len(), "impulse_bar")?;
        let out = [q_bar, v_bar, u_bar, p_bar];
        let gradient = adjoint(s, [&[], &[]], out, |sim, _, [q, v, u, p]| {
            sim.impulse_vjp(impulse_bar, q, v, u, p)
        })?;
        unique.write(i32::from(gradient == ImpulseGradient::Unique));
        Ok(())
    })
}
