//! Control: a linear-quadratic regulator, and trajectories improved by an iterative one.

use super::args::{self, Growing, Out};
use super::model::ds_model;
use super::options::{ds_options, options};
use super::status::ds_status;
use super::wall;
use crate::control::{Ilqr, IlqrInfo, IlqrOptions, lqr};
use crate::error::{Error, Result};

/// Gains K (nu×nx) of the regulator u = −K x that is least in the sum of xᵀQx + uᵀRu along x⁺ = A x + B u, and P (nx×nx) with
/// xᵀPx that sum from x on; all column-major. A: nx×nx, B: nx×nu, Q: nx×nx, symmetric, without negative directions, R: nu×nu,
/// symmetric and positive definite. About a state at rest A and B are the Jacobians of a step (ds_sim_step_jacobians), x the
/// tangent of q, then v. K or P may be NULL. Allocates.
///
/// Errors: DS_ERR_INVALID_ARGUMENT naming the matrix; DS_ERR_NUMERICAL for numbers that are not finite; DS_ERR_NOT_CONVERGED
/// where no regulator holds the system: an unstable direction that inputs do not reach, or one without decay that Q does not see.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_lqr(
    nx: usize,
    nu: usize,
    A: *const f64,
    B: *const f64,
    Q: *const f64,
    R: *const f64,
    K: *mut f64,
    P: *mut f64,
) -> ds_status {
    wall::status(|| {
        let count = |a: usize, b: usize| {
            a.checked_mul(b)
                .ok_or_else(|| Error::invalid(format!("nx, nu: too large, got {nx} and {nu}")))
        };
        let (state, input) = (count(nx, nx)?, count(nx, nu)?);
        let all = [
            args::numbers(A, state, "A")?,
            args::numbers(B, input, "B")?,
            args::numbers(Q, state, "Q")?,
            args::numbers(R, count(nu, nu)?, "R")?,
        ];
        let outs = [Out::optional(K, input, "K")?, Out::optional(P, state, "P")?];
        let (k, p) = lqr([nx, nu], all)?;
        let [of_k, of_p] = outs;
        args::publish([(&k, of_k), (&p, of_p)])
    })
}

/// A horizon of steps of one model with a cost and bounds of the inputs, whose trajectory is improved by an iterative
/// linear-quadratic regulator. The cost is the sum over the steps of ½ Σ w d² of the state where the step begins and of the
/// input, and that of the end; d is the deviation from a reference, of configurations by ds_model_difference. One thread at a
/// time.
pub struct ds_ilqr {
    ilqr: Ilqr,
    /// Inputs before they are published.
    stage: Vec<f64>,
}

/// Options of a ds_ilqr, fixed at its creation. Fill with ds_ilqr_options_init, then change fields.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_ilqr_options {
    /// Size of this struct in bytes; set by ds_ilqr_options_init.
    pub struct_size: usize,
    /// Of one solve. Default 100.
    pub max_iterations: usize,
    /// A decrease below this share of the cost ends a solve. Default 1e-9.
    pub tolerance: f64,
}

// SAFETY: repr(C), the size first, then words: no padding, every bit pattern a value.
unsafe impl Growing for ds_ilqr_options {
    const NAME: &'static str = "ds_ilqr_options";
    const FIRST: usize = size_of::<ds_ilqr_options>();

    fn defaults() -> Self {
        let o = IlqrOptions::default();
        ds_ilqr_options {
            struct_size: size_of::<ds_ilqr_options>(),
            max_iterations: o.max_iterations,
            tolerance: o.tolerance,
        }
    }
}

/// How a solve of a ds_ilqr ended.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_ilqr_outcome {
    /// The cost no longer falls by more than the tolerance.
    DS_ILQR_CONVERGED = 0,
    /// The quadratic model promises a decrease that no share of its change brings: a switch of contacts is near.
    DS_ILQR_STUCK = 1,
    /// options.max_iterations came first: a plan in progress, as a controller uses it.
    DS_ILQR_ITERATIONS = 2,
}

/// How a solve of a ds_ilqr went.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_ilqr_info {
    /// A ds_ilqr_outcome.
    pub outcome: i32,
    /// 0.
    pub padding: i32,
    /// Times the trajectory was improved.
    pub iterations: usize,
    /// Of the trajectory that is returned, and of the one that came.
    pub cost: f64,
    pub first_cost: f64,
    /// Largest slope of the cost by an input that no bound holds.
    pub slope: f64,
    /// 0: room.
    pub reserved: [u64; 8],
}

fn told(i: IlqrInfo) -> ds_ilqr_info {
    ds_ilqr_info {
        outcome: i.outcome as i32,
        padding: 0,
        iterations: i.iterations,
        cost: i.cost,
        first_cost: i.first_cost,
        slope: i.slope,
        reserved: [0; 8],
    }
}

unsafe fn get<'a>(ilqr: *mut ds_ilqr) -> Result<&'a mut ds_ilqr> {
    args::exclusive(ilqr, "ilqr")
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_options_init(options: *mut ds_ilqr_options) {
    args::init(options)
}

/// Makes a horizon of so many steps with these step options (NULL: the defaults), which keeps the model alive. Weights are 0 but
/// for 1 of each input; references are the neutral configuration at rest without input, and inputs have no bounds.
/// options: NULL for the defaults. Release *out with ds_ilqr_free.
///
/// Errors: as ds_sim_create; DS_ERR_INVALID_ARGUMENT for a model without inputs, no steps, step options without derivatives, or an
/// option that is none; DS_ERR_CAPACITY where memory does not suffice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_create(
    model: *const ds_model,
    step: *const ds_options,
    steps: usize,
    options: *const ds_ilqr_options,
    out: *mut *mut ds_ilqr,
) -> ds_status {
    wall::status(|| {
        let model = super::model::get(model)?;
        let step = self::options(step)?;
        let o = args::grown(options, "options")?;
        let options = IlqrOptions {
            max_iterations: o.max_iterations,
            tolerance: o.tolerance,
        };
        args::give(out, || {
            let ilqr = Ilqr::new(model.model.clone(), &step, &options, steps)?;
            let stage = vec![0.0; model.model.nu() * steps];
            Ok(ds_ilqr { ilqr, stage })
        })
    })
}

/// Releases it. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_free(ilqr: *mut ds_ilqr) {
    args::take(ilqr)
}

/// Number of steps. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_steps(ilqr: *const ds_ilqr) -> usize {
    wall::value(0, || Ok(args::reference(ilqr, "ilqr")?.ilqr.steps()))
}

/// Weights of deviations, at least 0: of the state where each step begins and of the end, 2 nv + na numbers each (tangent of q,
/// then v, then activations), and of the inputs, nu numbers greater than 0. The last plan is forgotten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_set_weights(
    ilqr: *mut ds_ilqr,
    state: *const f64,
    end: *const f64,
    input: *const f64,
) -> ds_status {
    wall::status(|| {
        let s = &mut get(ilqr)?.ilqr;
        let (nx, nu) = (2 * s.model().nv() + s.model().na(), s.model().nu());
        let state = args::numbers(state, nx, "state")?;
        let end = args::numbers(end, nx, "end")?;
        s.set_weights(state, end, args::numbers(input, nu, "input")?)
    })
}

/// What deviations are from where a step begins, 0 to the number of steps, which is the end; −1: at all of them. q: nq, v: nv,
/// u: nu numbers, the last of no use at the end. The last plan is forgotten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_set_reference(
    ilqr: *mut ds_ilqr,
    node: i32,
    q: *const f64,
    v: *const f64,
    u: *const f64,
) -> ds_status {
    wall::status(|| {
        let s = &mut get(ilqr)?.ilqr;
        let (model, node) = (s.model().clone(), self::node(node)?);
        let q = args::numbers(q, model.nq(), "q")?;
        let v = args::numbers(v, model.nv(), "v")?;
        s.set_reference(node, q, v, args::numbers(u, model.nu(), "u")?)
    })
}

/// What deviations of activations are from, na numbers; node as of ds_ilqr_set_reference. Zeros at first. The last plan is
/// forgotten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_set_act_reference(
    ilqr: *mut ds_ilqr,
    node: i32,
    act: *const f64,
) -> ds_status {
    wall::status(|| {
        let s = &mut get(ilqr)?.ilqr;
        let act = args::array(act, s.model().na(), "act")?;
        s.set_act_reference(self::node(node)?, act)
    })
}

fn node(node: i32) -> Result<Option<usize>> {
    match (node, usize::try_from(node)) {
        (-1, _) => Ok(None),
        (_, Ok(k)) => Ok(Some(k)),
        _ => Err(Error::invalid(format!(
            "node: must be −1 or a node, got {node}"
        ))),
    }
}

/// Sets the wrench that acts on a body in every step, as ds_sim_set_external_wrench. The last plan is forgotten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_set_external_wrench(
    ilqr: *mut ds_ilqr,
    body: i32,
    wrench: *const f64,
) -> ds_status {
    wall::status(|| {
        let s = &mut get(ilqr)?.ilqr;
        let body = args::index(body, s.model().nbody(), "body", "body")?;
        let w = args::array(wrench, 6, "wrench")?;
        s.sim_mut()
            .set_external_wrench(body, std::array::from_fn(|i| w[i]))
    })
}

/// Prescribes the velocity of a dof in every step, as ds_sim_prescribe; NaN frees it. The last plan is forgotten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_prescribe(
    ilqr: *mut ds_ilqr,
    dof: i32,
    velocity: f64,
) -> ds_status {
    wall::status(|| {
        let s = &mut get(ilqr)?.ilqr;
        let dof = args::index(dof, s.model().nv(), "dof", "dof")?;
        s.sim_mut().prescribe(dof, velocity)
    })
}

/// Bounds of the inputs, nu numbers each; infinite ones are none. The last plan is forgotten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_set_input_bounds(
    ilqr: *mut ds_ilqr,
    lower: *const f64,
    upper: *const f64,
) -> ds_status {
    wall::status(|| {
        let s = &mut get(ilqr)?.ilqr;
        let nu = s.model().nu();
        let lower = args::array(lower, nu, "lower")?;
        s.set_input_bounds(lower, args::array(upper, nu, "upper")?)
    })
}

/// Improves the inputs u, nu × steps numbers, column-major, from the state q0 (nq), v0 (nv) on, in place; those beyond their
/// bounds are first moved to them. info, how it went, may be NULL. Each run of the steps begins without warm starts: the same
/// inputs give the same bits. Allocates.
///
/// Errors: those of ds_sim_step and ds_sim_step_jacobians along the inputs that come, naming the step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_solve(
    ilqr: *mut ds_ilqr,
    q0: *const f64,
    v0: *const f64,
    u: *mut f64,
    info: *mut ds_ilqr_info,
) -> ds_status {
    wall::status(|| solve(ilqr, [q0, v0, std::ptr::null()], u, info))
}

/// As ds_ilqr_solve from the activations act0: na numbers, NULL for zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_solve_act(
    ilqr: *mut ds_ilqr,
    q0: *const f64,
    v0: *const f64,
    act0: *const f64,
    u: *mut f64,
    info: *mut ds_ilqr_info,
) -> ds_status {
    wall::status(|| solve(ilqr, [q0, v0, act0], u, info))
}

unsafe fn solve(
    ilqr: *mut ds_ilqr,
    [q0, v0, act0]: [*const f64; 3],
    u: *mut f64,
    info: *mut ds_ilqr_info,
) -> Result<()> {
    let s = get(ilqr)?;
    let model = s.ilqr.model().clone();
    let q0 = args::configuration(q0, &model, "q0")?;
    let v0 = args::numbers(v0, model.nv(), "v0")?;
    let act0 = args::optional_array(act0, model.na(), "act0")?;
    let n = s.stage.len();
    s.stage.copy_from_slice(args::numbers(u, n, "u")?);
    let out = Out::new(u, n, "u")?;
    let info = args::optional_place(info, "info")?;
    let found = s.ilqr.solve_act(q0, v0, act0, &mut s.stage)?;
    args::publish([(&s.stage, out)])?;
    if let Some(info) = info {
        info.write(told(found));
    }
    Ok(())
}

/// States of the last plan: q nq × (steps + 1), v nv × (steps + 1), column-major. Either may be NULL.
///
/// Errors: DS_ERR_NO_STEP before a plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_states(
    ilqr: *const ds_ilqr,
    q: *mut f64,
    v: *mut f64,
) -> ds_status {
    wall::status(|| states(ilqr, [q, v, std::ptr::null_mut()]))
}

/// As ds_ilqr_states with the activations to act: na × (steps + 1), NULL if not wanted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_states_act(
    ilqr: *const ds_ilqr,
    q: *mut f64,
    v: *mut f64,
    act: *mut f64,
) -> ds_status {
    wall::status(|| states(ilqr, [q, v, act]))
}

unsafe fn states(ilqr: *const ds_ilqr, [q, v, act]: [*mut f64; 3]) -> Result<()> {
    let plan = &args::reference(ilqr, "ilqr")?.ilqr;
    let ((of_q, of_v), of_act) = (plan.states()?, plan.activations()?);
    let outs = [
        Out::optional(q, of_q.len(), "q")?,
        Out::optional(v, of_v.len(), "v")?,
        Out::optional(act, of_act.len(), "act")?,
    ];
    let [to_q, to_v, to_act] = outs;
    args::publish([(of_q, to_q), (of_v, to_v), (of_act, to_act)])
}

/// Feedback K of a step of the last plan, nu × (2 nv + na), column-major: u + K δx answers a state that is off the plan by
/// δx = (δq, δv, δact), δq by ds_model_difference from the plan's configuration. Rows of inputs that a bound holds are zero.
///
/// Errors: DS_ERR_NO_STEP before a plan, DS_ERR_INVALID_ARGUMENT for a step that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_gains(
    ilqr: *const ds_ilqr,
    step: usize,
    K: *mut f64,
) -> ds_status {
    wall::status(|| {
        let gains = args::reference(ilqr, "ilqr")?.ilqr.gains(step)?;
        args::publish([(gains, Out::new(K, gains.len(), "K")?)])
    })
}
