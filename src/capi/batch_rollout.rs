//! Trajectories of a batch: all elements in one call, and their adjoint.

use super::args::{self, Out};
use super::batch::{ds_batch, get, look, report};
use super::report::ds_gradient;
use super::status::ds_status;
use super::wall;
use crate::batch::BatchRolloutAdjoint;
use crate::error::Error;

/// Number of entries of an array, or an error that names the steps that make it too long.
pub(super) fn times(rows: usize, steps: usize, count: usize) -> Result<usize, Error> {
    let n = rows.checked_mul(steps).and_then(|n| n.checked_mul(count));
    n.ok_or_else(|| {
        Error::capacity(format!(
            "steps: no array has room for {steps} steps of {count} elements"
        ))
    })
}

/// Makes memory for rollouts of up to `steps` steps in every element, so that ds_batch_rollout does not
/// allocate. If it allocates, the last rollouts are forgotten; otherwise nothing changes. An element takes
/// as many bytes as ds_rollout_create says.
///
/// Errors: DS_ERR_CAPACITY if there is not enough memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_reserve(batch: *mut ds_batch, steps: usize) -> ds_status {
    wall::status(|| {
        let b = get(batch)?;
        b.batch.reserve(steps)?;
        b.edge.reserve(&b.batch, steps)
    })
}

/// Runs N = steps steps in every element, each with the bits of ds_rollout_run, in one call of the
/// threads. Column-major, element after element: q0: nq×count, v0: nv×count, u: nu×N×count, NULL
/// if nu = 0; the trajectories, the initial state first, go to q: nq×(N+1)×count and v:
/// nv×(N+1)×count; NULL for one not wanted. They must not overlap the arguments or each other.
/// Warm starts and activations begin anew. each: count statuses; may be NULL. An element that
/// fails leaves its trajectory untouched and the others go on; the call returns the error of the
/// first that failed, and ds_last_error names element and step. Allocates if no call had as many
/// steps before and ds_batch_reserve made no memory for them.
///
/// Errors: those of ds_rollout_run and ds_batch_reserve.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_rollout(
    batch: *mut ds_batch,
    steps: usize,
    q0: *const f64,
    v0: *const f64,
    u: *const f64,
    q: *mut f64,
    v: *mut f64,
    each: *mut ds_status,
) -> ds_status {
    wall::status(|| {
        let b = get(batch)?;
        if steps == 0 {
            return Err(Error::invalid("steps: must be positive, got 0"));
        }
        let (m, count) = (b.batch.model(), b.batch.count());
        let (nq, nv, nu) = (m.free_nq(), m.free_nv(), m.nu());
        let states = steps.saturating_add(1);
        let sizes = [times(nq, states, count)?, times(nv, states, count)?];
        let q0 = args::array(q0, nq * count, "q0")?;
        let v0 = args::array(v0, nv * count, "v0")?;
        let u = args::array(u, times(nu, steps, count)?, "u")?;
        let outs = [
            Out::optional(q, sizes[0], "q")?,
            Out::optional(v, sizes[1], "v")?,
        ];
        let [q, v] = args::in_place(outs, &[("q0", q0), ("v0", v0), ("u", u)])?;
        let to_each = args::optional_place(each, "each")?;
        b.batch.reserve(steps)?;
        b.edge.reserve(&b.batch, steps)?;
        let start = [q0, v0, u];
        let outcome = (b.edge).rollout(&mut b.batch, steps, start, (q, v), &mut b.each);
        report(&b.each, to_each);
        outcome
    })
}

/// Gradient of a function of all elements' last rollouts, each as ds_rollout_adjoint gives it: from q_bar
/// (tangent) and v_bar, nv×(N+1)×count, to q0_bar, v0_bar: nv×count, u_bar: nu×N×count and p_bar:
/// np×count, element after element; NULL for those not wanted. They must not overlap the arguments or one
/// another. `each` and failures: as ds_batch_rollout.
///
/// Errors: those of ds_rollout_adjoint; DS_ERR_NO_STEP for an element whose rollout failed, or that was
/// stepped, changed or reset since.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_rollout_adjoint(
    batch: *mut ds_batch,
    q_bar: *const f64,
    v_bar: *const f64,
    q0_bar: *mut f64,
    v0_bar: *mut f64,
    u_bar: *mut f64,
    p_bar: *mut f64,
    each: *mut ds_status,
) -> ds_status {
    wall::status(|| {
        let b = get(batch)?;
        let steps = b.batch.rollout_steps()?;
        let (m, count) = (b.batch.model(), b.batch.count());
        let (nv, nu, np) = (m.free_nv(), m.nu(), b.np()?);
        let q_bar = args::array(q_bar, nv * (steps + 1) * count, "q_bar")?;
        let v_bar = args::array(v_bar, nv * (steps + 1) * count, "v_bar")?;
        let outs = [
            Out::optional(q0_bar, nv * count, "q0_bar")?,
            Out::optional(v0_bar, nv * count, "v0_bar")?,
            Out::optional(u_bar, nu * steps * count, "u_bar")?,
            Out::optional(p_bar, np * count, "p_bar")?,
        ];
        let inputs = [("q_bar", q_bar), ("v_bar", v_bar)];
        let [q0_bar, v0_bar, u_bar, p_bar] = args::in_place(outs, &inputs)?;
        let to_each = args::optional_place(each, "each")?;
        let out = BatchRolloutAdjoint {
            q0_bar,
            v0_bar,
            u_bar,
            p_bar,
        };
        let bars = [q_bar, v_bar];
        let outcome = (b.edge).rollout_adjoint(&mut b.batch, bars, out, &mut b.each);
        report(&b.each, to_each);
        outcome
    })
}

/// Number of steps of the last rollouts; 0 if no element has one, or for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_rollout_steps(batch: *const ds_batch) -> usize {
    wall::value(0, || {
        Ok(look(batch)?.batch.rollout_steps().unwrap_or_default())
    })
}

/// Label of every step in the last ds_batch_rollout_adjoint, a ds_gradient: steps×count. An element
/// without an adjoint of its last rollout has DS_GRADIENT_REFUSED in all its entries.
///
/// Errors: DS_ERR_NO_STEP before a rollout.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_rollout_gradient(
    batch: *const ds_batch,
    labels: *mut ds_gradient,
) -> ds_status {
    wall::status(|| {
        let b = look(batch)?;
        let steps = b.batch.rollout_steps()?;
        let to = args::place(labels, "labels")?;
        for i in 0..b.batch.count() {
            let of = b.batch.rollout_labels(i).ok();
            for k in 0..steps {
                let label = of.and_then(|of| of.get(k)).map(|&label| label.into());
                to.add(i * steps + k)
                    .write(label.unwrap_or(ds_gradient::DS_GRADIENT_REFUSED));
            }
        }
        Ok(())
    })
}
