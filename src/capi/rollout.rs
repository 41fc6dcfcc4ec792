//! Trajectories: rollouts and their adjoint.

use super::args::{self, Out};
use super::edge;
use super::model::ds_model;
use super::options::{ds_options, options};
use super::params::{ds_param, params};
use super::report::ds_gradient;
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::reduction::Reduction;
use crate::rollout::Rollout;
use std::sync::Arc;

/// A simulation over many steps: all the memory that a trajectory and its adjoint need. One thread
/// at a time.
pub struct ds_rollout(pub(super) Rollout, Edges);

/// States and gradients in the coordinates of all joints; empty without reduced coordinates.
#[derive(Default)]
struct Edges {
    map: Option<Arc<Reduction>>,
    /// States of the last run.
    q: Vec<f64>,
    v: Vec<f64>,
    q_bar: Vec<f64>,
    v_bar: Vec<f64>,
    /// The initial state, and gradients by it.
    q0: Vec<f64>,
    v0: Vec<f64>,
    q0_bar: Vec<f64>,
    v0_bar: Vec<f64>,
}

impl Edges {
    fn new(model: &Model, max_steps: usize) -> Result<Edges> {
        let Some(map) = model.reduction() else {
            return Ok(Edges::default());
        };
        let states = |n: usize| {
            let (mut x, n) = (Vec::new(), n.saturating_mul(max_steps.saturating_add(1)));
            if x.try_reserve_exact(n).is_err() {
                return Err(Error::capacity(format!(
                    "max_steps: there is no memory for {n} numbers"
                )));
            }
            x.resize(n, 0.0);
            Ok(x)
        };
        Ok(Edges {
            map: Some(map.clone()),
            q: states(model.nq())?,
            v: states(model.nv())?,
            q_bar: states(model.nv())?,
            v_bar: states(model.nv())?,
            q0: vec![0.0; model.nq()],
            v0: vec![0.0; model.nv()],
            q0_bar: vec![0.0; model.nv()],
            v0_bar: vec![0.0; model.nv()],
        })
    }
}

/// A rollout for calls without q and v, or that convert them.
unsafe fn any<'a>(rollout: *mut ds_rollout) -> Result<&'a mut Rollout> {
    Ok(&mut args::exclusive(rollout, "rollout")?.0)
}

/// A rollout for calls that do not convert reduced coordinates.
pub(super) unsafe fn get<'a>(rollout: *mut ds_rollout) -> Result<&'a mut Rollout> {
    let r = any(rollout)?;
    edge::refuse(r.sim().model())?;
    Ok(r)
}

unsafe fn look<'a>(rollout: *const ds_rollout) -> Result<&'a Rollout> {
    Ok(&args::reference(rollout, "rollout")?.0)
}

pub(super) fn check_steps(r: &Rollout, steps: usize) -> Result<()> {
    if steps == 0 || steps > r.max_steps() {
        return Err(Error::invalid(format!(
            "steps: must be 1 to {}, as the rollout was made, got {steps}",
            r.max_steps()
        )));
    }
    Ok(())
}

/// Makes a rollout of at most max_steps steps and keeps the model alive. Release *out with
/// ds_rollout_free. Let k be options.checkpoint_interval and m the ds_sim_memory_size of a sim with
/// these options, which grows with max_contacts. Then a rollout needs the memory of a sim plus 8
/// (nq + nv + m) (max_steps/k + k) + 16 nu max_steps bytes. Pages that no run reaches are not
/// touched.
///
/// Errors: as ds_sim_create; DS_ERR_CAPACITY if there is not enough memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rollout_create(
    model: *const ds_model,
    options: *const ds_options,
    max_steps: usize,
    out: *mut *mut ds_rollout,
) -> ds_status {
    wall::status(|| {
        let model = args::reference(model, "model")?;
        let options = self::options(options)?;
        args::give(out, || {
            let model = model.model.clone();
            let rollout = Rollout::new(model, &options, max_steps)?;
            let edges = Edges::new(rollout.sim().model(), max_steps)?;
            Ok(ds_rollout(rollout, edges))
        })
    })
}

/// Releases a rollout. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rollout_free(rollout: *mut ds_rollout) {
    args::take(rollout)
}

/// Time step [s], as ds_sim_time_step. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rollout_time_step(rollout: *const ds_rollout) -> f64 {
    wall::value(0.0, || Ok(look(rollout)?.sim().options().time_step))
}

/// The ds_integrator in use, as ds_sim_integrator. -1 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rollout_integrator(rollout: *const ds_rollout) -> i32 {
    wall::value(-1, || Ok(look(rollout)?.sim().options().integrator as i32))
}

/// Runs N = steps steps from (q0, v0): nq and nv numbers; u: nu×N, NULL if nu = 0. Activations start
/// at 0 (use ds_rollout_run_act for other values). Writes the trajectory, with the initial state
/// first, to q: nq×(N+1) and v: nv×(N+1), column-major; NULL for one not wanted. They must not
/// overlap the arguments or each other.
///
/// Errors: those of ds_sim_step, naming the step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rollout_run(
    rollout: *mut ds_rollout,
    q0: *const f64,
    v0: *const f64,
    u: *const f64,
    steps: usize,
    q: *mut f64,
    v: *mut f64,
) -> ds_status {
    wall::status(|| {
        let ds_rollout(r, e) = args::exclusive(rollout, "rollout")?;
        check_steps(r, steps)?;
        let m = r.sim().model();
        let (nq, nv, nu) = (m.free_nq(), m.free_nv(), m.nu());
        let (q0, v0) = (args::array(q0, nq, "q0")?, args::array(v0, nv, "v0")?);
        let u = args::array(u, nu * steps, "u")?;
        let outs = [
            Out::optional(q, nq * (steps + 1), "q")?,
            Out::optional(v, nv * (steps + 1), "v")?,
        ];
        let [q, v] = args::in_place(outs, &[("q0", q0), ("v0", v0), ("u", u)])?;
        let Some(map) = &e.map else {
            return r.run(q0, v0, u, steps, q, v);
        };
        map.q.place(q0, &mut e.q0);
        map.v.expand(v0, &mut e.v0);
        let (full_q, full_v) = (e.q0.len(), e.v0.len());
        let all_q = &mut e.q[..full_q * (steps + 1)];
        let all_v = &mut e.v[..full_v * (steps + 1)];
        // The adjoint by entries of reductions needs all states.
        let moves = edge::moves(r.sim());
        let want_q = (moves || q.is_some()).then_some(&mut *all_q);
        let want_v = (moves || v.is_some()).then_some(&mut *all_v);
        r.run(&e.q0, &e.v0, u, steps, want_q, want_v)?;
        if let Some(q) = q {
            let pairs = q
                .chunks_exact_mut(nq.max(1))
                .zip(all_q.chunks_exact(full_q.max(1)));
            pairs.for_each(|(y, x)| map.q.find(x, y));
        }
        if let Some(v) = v {
            let pairs = v
                .chunks_exact_mut(nv.max(1))
                .zip(all_v.chunks_exact(full_v.max(1)));
            pairs.for_each(|(y, x)| map.v.restrict(x, y));
        }
        Ok(())
    })
}

/// Adjoint of the last run. Given the gradient q_bar (tangent, nv×(N+1)) and v_bar (nv×(N+1)) of a
/// function by the states, including the initial one, computes its gradient by the initial state
/// (q0_bar, v0_bar: nv), the inputs (u_bar: nu×N) and the selected parameters (p_bar: np); NULL for
/// those not wanted. Gradients include the effect through activations. Results must not overlap the
/// arguments or one another.
///
/// Errors: DS_ERR_NO_STEP before a run; those of ds_sim_step_vjp.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rollout_adjoint(
    rollout: *mut ds_rollout,
    q_bar: *const f64,
    v_bar: *const f64,
    q0_bar: *mut f64,
    v0_bar: *mut f64,
    u_bar: *mut f64,
    p_bar: *mut f64,
) -> ds_status {
    wall::status(|| {
        let ds_rollout(r, e) = args::exclusive(rollout, "rollout")?;
        let Some(steps) = r.steps() else {
            return Err(Error::no_step("rollout: the adjoint needs a run first"));
        };
        let (nv, nu) = (r.sim().model().free_nv(), r.sim().model().nu());
        let q_bar = args::array(q_bar, nv * (steps + 1), "q_bar")?;
        let v_bar = args::array(v_bar, nv * (steps + 1), "v_bar")?;
        let outs = [
            Out::optional(q0_bar, nv, "q0_bar")?,
            Out::optional(v0_bar, nv, "v0_bar")?,
            Out::optional(u_bar, nu * steps, "u_bar")?,
            Out::optional(p_bar, r.sim().np(), "p_bar")?,
        ];
        let [q0, v0, u, p] = args::in_place(outs, &[("q_bar", q_bar), ("v_bar", v_bar)])?;
        let Some(map) = &e.map else {
            return r.adjoint(q_bar, v_bar, q0, v0, u, p);
        };
        let full = e.v0.len();
        let (all_q, all_v) = (
            &mut e.q_bar[..full * (steps + 1)],
            &mut e.v_bar[..full * (steps + 1)],
        );
        for (from, to) in [(q_bar, &mut *all_q), (v_bar, &mut *all_v)] {
            let pairs = from
                .chunks_exact(nv.max(1))
                .zip(to.chunks_exact_mut(full.max(1)));
            pairs.for_each(|(y, x)| map.v.restrict_transposed(y, x));
        }
        let (full_q0, full_v0) = (&mut e.q0_bar[..], &mut e.v0_bar[..]);
        let (start_q, start_v) = (Some(&mut *full_q0), Some(&mut *full_v0));
        let mut p = p;
        r.adjoint(all_q, all_v, start_q, start_v, u, p.as_deref_mut())?;
        if let Some(p) = p {
            let (selected, nq) = (r.sim().selected(), e.q0.len().max(1));
            let states = e.q.chunks_exact(nq).zip(e.v.chunks_exact(full.max(1)));
            let bars = all_q
                .chunks_exact(full.max(1))
                .zip(all_v.chunks_exact(full.max(1)));
            for (k, ((q, v), (q_bar, v_bar))) in states.zip(bars).enumerate() {
                if k == 0 {
                    let bars = [&*full_q0, &*full_v0];
                    edge::add_motion_transposed(map, selected, [q, v], (1.0, p), bars);
                }
                edge::add_motion_transposed(map, selected, [q, v], (-1.0, p), [q_bar, v_bar]);
            }
        }
        for (from, to) in [(full_q0, q0), (full_v0, v0)] {
            if let Some(to) = to {
                map.v.expand_transposed(from, to);
            }
        }
        Ok(())
    })
}

/// Label of the last adjoint, a ds_gradient: one-sided if any step was at a switch of modes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rollout_gradient(
    rollout: *const ds_rollout,
    out: *mut ds_gradient,
) -> ds_status {
    wall::status(|| {
        let gradient = look(rollout)?.gradient().into();
        args::place(out, "out")?.write(gradient);
        Ok(())
    })
}

/// Effect of options.aware_gradient on the last adjoint. steps: number of steps in which another
/// gradient than the exact one was used (ds_sim_step_vjp_aware). contacts: number of contacts and
/// limits whose mode in these gradients differs from the step's, summed over all steps. Both are 0
/// without the option.
///
/// Errors: DS_ERR_NO_STEP if no adjoint followed the last run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rollout_aware_report(
    rollout: *const ds_rollout,
    steps: *mut usize,
    contacts: *mut usize,
) -> ds_status {
    wall::status(|| {
        let aware = look(rollout)?.aware()?;
        let (steps, contacts) = (
            args::place(steps, "steps")?,
            args::place(contacts, "contacts")?,
        );
        steps.write(aware.steps);
        contacts.write(aware.resorted);
        Ok(())
    })
}

/// Selects parameters, as ds_sim_select_params. The last run is forgotten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rollout_select_params(
    rollout: *mut ds_rollout,
    params: *const ds_param,
    count: usize,
) -> ds_status {
    wall::status(|| any(rollout)?.select_params(&self::params(params, count)?))
}

/// Number np of selected parameters. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rollout_np(rollout: *const ds_rollout) -> usize {
    wall::value(0, || Ok(look(rollout)?.sim().np()))
}

/// Values of the selected parameters. p: np numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rollout_get_params(
    rollout: *const ds_rollout,
    p: *mut f64,
) -> ds_status {
    wall::status(|| {
        let sim = look(rollout)?.sim();
        let np = sim.np();
        sim.get_params(args::matrix(Out::new(p, np, "p")?, &[])?)
    })
}

/// Sets the selected parameters for all following runs, as ds_sim_set_params. The last run is
/// forgotten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rollout_set_params(
    rollout: *mut ds_rollout,
    p: *const f64,
) -> ds_status {
    wall::status(|| {
        let ds_rollout(r, e) = args::exclusive(rollout, "rollout")?;
        let p = args::array(p, r.sim().np(), "p")?;
        r.sim_mut().set_params(p)?;
        e.map.clone_from(&r.sim().params().reduction);
        Ok(())
    })
}

/// Sets the wrench on a body in every step of all following runs, as ds_sim_set_external_wrench. The
/// last run is forgotten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rollout_set_external_wrench(
    rollout: *mut ds_rollout,
    body: i32,
    wrench: *const f64,
) -> ds_status {
    wall::status(|| {
        let r = any(rollout)?;
        let body = args::index(body, r.sim().model().nbody(), "body", "body")?;
        let w = args::array(wrench, 6, "wrench")?;
        r.sim_mut()
            .set_external_wrench(body, std::array::from_fn(|i| w[i]))
    })
}

/// Prescribes the velocity of a dof in every step of all following runs, as ds_sim_prescribe; NaN
/// frees the dof. The last run is forgotten. The adjoint by DS_PARAM_PRESCRIBED is the sum over all
/// steps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_rollout_prescribe(
    rollout: *mut ds_rollout,
    dof: i32,
    velocity: f64,
) -> ds_status {
    wall::status(|| {
        let r = get(rollout)?;
        let dof = args::index(dof, r.sim().model().free_nv(), "dof", "dof")?;
        r.sim_mut().prescribe(dof, velocity)
    })
}
