//! Control: the linear-quadratic regulator (LQR), and trajectory optimization by iterative LQR.

use super::args::{self, Growing, Out};
use super::model::ds_model;
use super::options::{ds_options, options};
use super::status::ds_status;
use super::wall;
use crate::control::{Ilqr, IlqrInfo, IlqrOptions, lqr};
use crate::error::{Error, Result};

/// Linear-quadratic regulator: the gains K (nu×nx) of u = −K x that minimize the sum of xᵀQx + uᵀRu
/// along x⁺ = A x + B u, and P (nx×nx), with which xᵀPx is this sum from x on. All matrices are
/// column-major. A: nx×nx; B: nx×nu; Q: nx×nx, symmetric, positive semidefinite; R: nu×nu, symmetric,
/// positive definite. For a state at rest, A and B are the Jacobians of a step
/// (ds_sim_step_jacobians), and x is the tangent of q, then v. K or P may be NULL. Allocates.
///
/// Errors: DS_ERR_INVALID_ARGUMENT naming the matrix; DS_ERR_NUMERICAL for numbers that are not
/// finite; DS_ERR_NOT_CONVERGED if no regulator stabilizes the system: an unstable direction is not
/// controllable, or a direction without decay is not observable through Q.
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

/// A horizon of steps of one model with a cost and bounds on the inputs. An iterative
/// linear-quadratic regulator improves its trajectory. The cost is a sum of ½ Σ w d² over the state
/// at the start of each step, the input of each step, and the final state. d is the deviation from a
/// reference; for configurations it is ds_model_difference. One thread at a time.
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
    /// Largest number of iterations of one solve. Default 100.
    pub max_iterations: usize,
    /// A solve ends if the cost decreases by less than this share. Default 1e-9.
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

/// Outcome of a solve of a ds_ilqr.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_ilqr_outcome {
    /// The cost no longer falls by more than the tolerance.
    DS_ILQR_CONVERGED = 0,
    /// The quadratic model predicts a decrease, but no step along it achieves one: a switch of
    /// contacts is near.
    DS_ILQR_STUCK = 1,
    /// options.max_iterations was reached: an unfinished plan, which a controller can use.
    DS_ILQR_ITERATIONS = 2,
}

/// Facts about a solve of a ds_ilqr.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_ilqr_info {
    /// A ds_ilqr_outcome.
    pub outcome: i32,
    /// 0.
    pub padding: i32,
    /// Number of improvements of the trajectory.
    pub iterations: usize,
    /// Cost of the returned trajectory.
    pub cost: f64,
    /// Cost of the initial trajectory.
    pub first_cost: f64,
    /// Largest slope of the cost by an input that no bound holds.
    pub slope: f64,
    /// Reserved; 0.
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

/// Makes a horizon of `steps` steps with the step options `step` (NULL: the defaults) and keeps the
/// model alive. Weights are 0, except 1 for each input. References are the neutral configuration at
/// rest without input. Inputs have no bounds. options: NULL for the defaults. Release *out with
/// ds_ilqr_free.
///
/// Errors: as ds_sim_create; DS_ERR_INVALID_ARGUMENT for a model without inputs, no steps, step
/// options without derivatives, or an invalid option; DS_ERR_CAPACITY if there is not enough memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_create(
    model: *const ds_model,
    step: *const ds_options,
    steps: usize,
    options: *const ds_ilqr_options,
    out: *mut *mut ds_ilqr,
) -> ds_status {
    wall::status(|| {
        let model = super::model::whole(model)?;
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

/// Releases a ds_ilqr. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_free(ilqr: *mut ds_ilqr) {
    args::take(ilqr)
}

/// Number of steps. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ilqr_steps(ilqr: *const ds_ilqr) -> usize {
    wall::value(0, || Ok(args::reference(ilqr, "ilqr")?.ilqr.steps()))
}

/// Sets the weights of deviations, at least 0: state: at the start of each step; terminal: at the
/// end; 2 nv + na numbers each (tangent of q, then v, then activations); input: nu numbers greater
/// than 0. The last plan is forgotten.
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

/// Sets the reference of a node: the start of step 0 to steps-1, or the end (steps); −1 for all
/// nodes. q: nq, v: nv, u: nu numbers; u has no effect at the end. The last plan is forgotten.
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

/// Sets the reference of the activations, na numbers; node as for ds_ilqr_set_reference. Initially
/// zeros. The last plan is forgotten.
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

/// Sets the wrench on a body in every step, as ds_sim_set_external_wrench. The last plan is
/// forgotten.
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

/// Prescribes the velocity of a dof in every step, as ds_sim_prescribe; NaN frees the dof. The last
/// plan is forgotten.
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

/// Sets the bounds of the inputs, nu numbers each; an infinite value is no bound. The last plan is
/// forgotten.
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

/// Improves the inputs u in place, nu × steps numbers, column-major, for the initial state q0 (nq),
/// v0 (nv). Inputs beyond their bounds are first moved to them. info: facts about the solve; may be
/// NULL. Each simulation of the horizon starts without warm start, so the same inputs give the same
/// bits. Allocates.
///
/// Errors: those of ds_sim_step and ds_sim_step_jacobians along the initial inputs, naming the step.
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

/// Same as ds_ilqr_solve, starting from the activations act0: na numbers, NULL for zeros.
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

/// Same as ds_ilqr_states, with the activations act: na × (steps + 1), NULL if not wanted.
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

/// Feedback gain K of a step of the last plan, nu × (2 nv + na), column-major. Apply u + K δx to a
/// state that deviates from the plan by δx = (δq, δv, δact), with δq = ds_model_difference from the
/// plan's configuration. Rows of inputs that a bound holds are zero.
///
/// Errors: DS_ERR_NO_STEP before a plan; DS_ERR_INVALID_ARGUMENT for a step out of range.
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
