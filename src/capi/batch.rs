//! Batches: many sims of one model, stepped together.

use super::args::{self, Out};
use super::batch_edge::BatchEdge;
use super::derivatives::{self, ds_step_jacobians};
use super::edge;
use super::model::ds_model;
use super::options::{ds_options, options};
use super::params::{ds_param, params};
use super::report::ds_step_info;
use super::sim::parts;
use super::status::ds_status;
use super::wall;
use crate::batch::{Batch, BatchAdjoint};
use crate::error::{Error, Result, Status};

/// Sims of one model and the threads that step them. Each sim has its own warm start, parameters,
/// wrenches and prescribed velocities. One thread at a time may call.
pub struct ds_batch {
    pub(super) batch: Batch,
    /// Results before they are published; the caller's arrays may be arguments of the same call.
    stage: Vec<f64>,
    pub(super) each: Vec<Status>,
    pub(super) edge: BatchEdge,
}

impl ds_batch {
    /// Resizes the stage for the longest set of results of one call with np selected parameters.
    fn fit_stage(&mut self, np: usize) -> Result<()> {
        let m = self.batch.model();
        let one = m.nq() + 2 * m.nv() + m.nu() + m.na() + np;
        let count = self.batch.count();
        let n = one.saturating_mul(count);
        let more = n.saturating_sub(self.stage.len());
        if self.stage.try_reserve_exact(more).is_err() {
            return Err(Error::capacity(format!(
                "there is no memory for the results of {count} simulations"
            )));
        }
        self.stage.resize(n.max(self.stage.len()), 0.0);
        self.edge.fit(&self.batch, np)
    }

    pub(super) fn np(&self) -> Result<usize> {
        Ok(self.batch.sim(0)?.np())
    }
}

pub(super) unsafe fn get<'a>(batch: *mut ds_batch) -> Result<&'a mut ds_batch> {
    args::exclusive(batch, "batch")
}

/// A batch for calls that do not convert reduced coordinates.
pub(super) unsafe fn whole<'a>(batch: *mut ds_batch) -> Result<&'a mut ds_batch> {
    let b = get(batch)?;
    edge::refuse(b.batch.model())?;
    Ok(b)
}

pub(super) unsafe fn look<'a>(batch: *const ds_batch) -> Result<&'a ds_batch> {
    args::reference(batch, "batch")
}

/// Copies out the columns of the elements that succeeded, and the status of every element. A column
/// that is not finite fails its element.
unsafe fn publish<const N: usize>(
    outcome: Result<()>,
    each: &mut [Status],
    to_each: Option<*mut ds_status>,
    results: [(&[f64], Out); N],
) -> Result<()> {
    let count = each.len();
    let mut outcome = outcome;
    for (i, status) in each.iter_mut().enumerate() {
        if *status != Status::Ok {
            continue;
        }
        let columns = results.map(|(from, to)| {
            let rows = from.len() / count;
            (&from[i * rows..(i + 1) * rows], to.part(i, rows))
        });
        if let Err(e) = args::publish(columns) {
            *status = e.status;
            outcome = outcome.and(Err(Error {
                message: format!("element {i}: {e}"),
                ..e
            }));
        }
    }
    report(each, to_each);
    outcome
}

pub(super) unsafe fn report(each: &[Status], to: Option<*mut ds_status>) {
    if let Some(to) = to {
        for (i, &status) in each.iter().enumerate() {
            // The caller's entries may be uninitialized: write them, do not assign.
            to.add(i).write(status.into());
        }
    }
}

/// Makes `count` sims of a model and keeps the model alive. `threads` threads take part in each call,
/// including the caller's: 1 starts none, 0 means one per core; never more than count. Threads start
/// here and end with the batch. Their number changes no bit of a result. Release *out with
/// ds_batch_free.
///
/// Errors: as ds_sim_create; DS_ERR_INVALID_ARGUMENT for count = 0; DS_ERR_CAPACITY if the system
/// refuses memory or a thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_create(
    model: *const ds_model,
    options: *const ds_options,
    count: usize,
    threads: usize,
    out: *mut *mut ds_batch,
) -> ds_status {
    wall::status(|| {
        let model = super::model::get(model)?;
        let options = self::options(options)?;
        args::give(out, || {
            let mut batch = ds_batch {
                batch: Batch::new(model.model.clone(), &options, count, threads)?,
                stage: Vec::new(),
                each: vec![Status::Ok; count],
                edge: BatchEdge::default(),
            };
            batch.fit_stage(0)?;
            Ok(batch)
        })
    })
}

/// Releases a batch and ends its threads. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_free(batch: *mut ds_batch) {
    args::take(batch)
}

/// Number of elements. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_count(batch: *const ds_batch) -> usize {
    wall::value(0, || Ok(look(batch)?.batch.count()))
}

/// Time step [s], as ds_sim_time_step. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_time_step(batch: *const ds_batch) -> f64 {
    wall::value(0.0, || Ok(look(batch)?.batch.sim(0)?.options().time_step))
}

/// The ds_integrator in use, as ds_sim_integrator. -1 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_integrator(batch: *const ds_batch) -> i32 {
    wall::value(-1, || {
        Ok(look(batch)?.batch.sim(0)?.options().integrator as i32)
    })
}

/// Number of threads that take part in a call, including the caller's. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_threads(batch: *const ds_batch) -> usize {
    wall::value(0, || Ok(look(batch)?.batch.threads()))
}

/// Advances every element by one time step, as ds_sim_step; column i belongs to element i. q, q_next:
/// nq×count; v, v_next: nv×count; u: nu×count, NULL if nu = 0. q_next may be q, and v_next may be v.
/// each: count statuses, one per element; may be NULL.
///
/// If an element fails, its entry of `each` holds the error and its columns of the results do not
/// change; the other elements continue. The call then returns the error of the first failed element,
/// and ds_last_error names this element. If an argument of the call itself is invalid, nothing
/// happens and `each` does not change.
///
/// Errors: those of ds_sim_step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_step(
    batch: *mut ds_batch,
    q: *const f64,
    v: *const f64,
    u: *const f64,
    q_next: *mut f64,
    v_next: *mut f64,
    each: *mut ds_status,
) -> ds_status {
    wall::status(|| {
        let b = get(batch)?;
        let (m, count) = (b.batch.model(), b.batch.count());
        let (nq, nv) = (m.free_nq() * count, m.free_nv() * count);
        let nu = m.nu() * count;
        let (q, v) = (args::array(q, nq, "q")?, args::array(v, nv, "v")?);
        let u = args::array(u, nu, "u")?;
        let (to_q, to_v) = (
            Out::new(q_next, nq, "q_next")?,
            Out::new(v_next, nv, "v_next")?,
        );
        let to_each = args::optional_place(each, "each")?;
        let [x, y] = parts(&mut b.stage, [nq, nv]);
        let next = [&mut *x, &mut *y];
        let outcome = (b.edge).step(&mut b.batch, [q, v, u], next, &mut b.each);
        publish(outcome, &mut b.each, to_each, [(x, to_q), (y, to_v)])
    })
}

/// Jacobians of every element's last step. Each array of `out` holds count matrices of the shapes of
/// ds_step_jacobians, one after the other. The arrays must not overlap. `each` and failures: as for
/// ds_batch_step.
///
/// Errors: those of ds_sim_step_jacobians.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_step_jacobians(
    batch: *mut ds_batch,
    out: *const ds_step_jacobians,
    each: *mut ds_status,
) -> ds_status {
    wall::status(|| {
        let b = get(batch)?;
        let (count, np) = (b.batch.count(), b.np()?);
        let out = derivatives::jacobians(out, b.batch.model(), np, count)?;
        let to_each = args::optional_place(each, "each")?;
        let outcome = (b.edge).step_jacobians(&mut b.batch, out, np, &mut b.each);
        report(&b.each, to_each);
        outcome
    })
}

/// Reverse mode through every element's last step, as ds_sim_step_vjp; column i belongs to element i.
/// q_next_bar, v_next_bar, q_bar, v_bar: nv×count; u_bar: nu×count; p_bar: np×count; NULL for results
/// not wanted. Results may overlap arguments. `each` and failures: as for ds_batch_step.
///
/// Errors: those of ds_sim_step_vjp.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_step_vjp(
    batch: *mut ds_batch,
    q_next_bar: *const f64,
    v_next_bar: *const f64,
    q_bar: *mut f64,
    v_bar: *mut f64,
    u_bar: *mut f64,
    p_bar: *mut f64,
    each: *mut ds_status,
) -> ds_status {
    wall::status(|| {
        let b = get(batch)?;
        let (m, count) = (b.batch.model(), b.batch.count());
        let (nv, nu, np) = (m.free_nv() * count, m.nu() * count, b.np()? * count);
        let q_next_bar = args::array(q_next_bar, nv, "q_next_bar")?;
        let v_next_bar = args::array(v_next_bar, nv, "v_next_bar")?;
        let outs = [
            Out::optional(q_bar, nv, "q_bar")?,
            Out::optional(v_bar, nv, "v_bar")?,
            Out::optional(u_bar, nu, "u_bar")?,
            Out::optional(p_bar, np, "p_bar")?,
        ];
        let to_each = args::optional_place(each, "each")?;
        let [q, v, u, p] = parts(&mut b.stage, [nv, nv, nu, np]);
        let wanted = BatchAdjoint {
            q_bar: outs[0].wanted().then_some(&mut *q),
            v_bar: outs[1].wanted().then_some(&mut *v),
            u_bar: outs[2].wanted().then_some(&mut *u),
            p_bar: outs[3].wanted().then_some(&mut *p),
        };
        let next = [q_next_bar, v_next_bar];
        let outcome = (b.edge).step_vjp(&mut b.batch, next, wanted, &mut b.each);
        let results = [
            (&*q, outs[0]),
            (&*v, outs[1]),
            (&*u, outs[2]),
            (&*p, outs[3]),
        ];
        publish(outcome, &mut b.each, to_each, results)
    })
}

/// Facts about the last step of an element, 0 to count-1.
///
/// Errors: DS_ERR_NO_STEP before a step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_step_info(
    batch: *const ds_batch,
    element: usize,
    out: *mut ds_step_info,
) -> ds_status {
    wall::status(|| {
        let info = look(batch)?.batch.sim(element)?.step_info()?.into();
        args::place(out, "out")?.write(info);
        Ok(())
    })
}

/// Selects parameters in every element, as ds_sim_select_params. Allocates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_select_params(
    batch: *mut ds_batch,
    params: *const ds_param,
    count: usize,
) -> ds_status {
    wall::status(|| {
        let b = get(batch)?;
        let list = self::params(params, count)?;
        b.fit_stage(list.len())?;
        b.batch.select_params(&list)
    })
}

/// Number np of parameters selected in every element. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_np(batch: *const ds_batch) -> usize {
    wall::value(0, || look(batch)?.np())
}

/// Values of the selected parameters in an element, 0 to count-1. p: np numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_get_params(
    batch: *const ds_batch,
    element: usize,
    p: *mut f64,
) -> ds_status {
    wall::status(|| {
        let sim = look(batch)?.batch.sim(element)?;
        sim.get_params(args::matrix(Out::new(p, sim.np(), "p")?, &[])?)
    })
}

/// Sets the selected parameters in one element, 0 to count-1, as ds_sim_set_params. p: np numbers.
///
/// Errors: those of ds_sim_set_params.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_set_params(
    batch: *mut ds_batch,
    element: usize,
    p: *const f64,
) -> ds_status {
    wall::status(|| {
        let sim = get(batch)?.batch.sim_mut(element)?;
        let p = args::array(p, sim.np(), "p")?;
        sim.set_params(p)
    })
}

/// Sets the wrench on a body of one element, 0 to count-1, as ds_sim_set_external_wrench.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_set_external_wrench(
    batch: *mut ds_batch,
    element: usize,
    body: i32,
    wrench: *const f64,
) -> ds_status {
    wall::status(|| {
        let sim = get(batch)?.batch.sim_mut(element)?;
        let body = args::index(body, sim.model().nbody(), "body", "body")?;
        let w = args::array(wrench, 6, "wrench")?;
        sim.set_external_wrench(body, std::array::from_fn(|i| w[i]))
    })
}

/// Prescribes the velocity of a dof of one element, 0 to count-1, as ds_sim_prescribe; NaN frees the
/// dof.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_prescribe(
    batch: *mut ds_batch,
    element: usize,
    dof: i32,
    velocity: f64,
) -> ds_status {
    wall::status(|| {
        let sim = whole(batch)?.batch.sim_mut(element)?;
        let dof = args::index(dof, sim.model().nv(), "dof", "dof")?;
        sim.prescribe(dof, velocity)
    })
}

/// Forgets the warm starts of all elements and sets their activations to 0. Their next steps are those of
/// new sims with the same parameters, wrenches and prescribed velocities.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_reset(batch: *mut ds_batch) -> ds_status {
    wall::status(|| {
        get(batch)?.batch.reset();
        Ok(())
    })
}

/// Forgets the warm start of one element, 0 to count-1, and sets its activations to 0, to begin a new
/// episode.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_reset_element(batch: *mut ds_batch, element: usize) -> ds_status {
    wall::status(|| {
        get(batch)?.batch.sim_mut(element)?.reset();
        Ok(())
    })
}
