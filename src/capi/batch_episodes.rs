//! Trajectories of a batch that may end early, with the readings of sensors, and their adjoint.

use super::args::{self, Growing, Out};
use super::batch::{ds_batch, get, report};
use super::batch_rollout::times;
use super::report::ds_gradient;
use super::status::ds_status;
use super::wall;
use crate::batch::{Episodes, EpisodesAdjoint, EpisodesBars, EpisodesOut};
use crate::error::{Error, Result, Status};
use std::ptr;

/// Arguments and results of ds_batch_run_episodes. Fill with ds_episodes_init, then set the fields that you
/// use. q0, v0 and u are required; the others may be NULL. Arrays are column-major, element after element.
/// N is the number of steps that the call names.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_episodes {
    /// Size of this struct in bytes; set by ds_episodes_init.
    pub struct_size: usize,
    /// nq×count: initial positions.
    pub q0: *const f64,
    /// nv×count: initial velocities.
    pub v0: *const f64,
    /// nu×N×count: inputs. NULL where nu = 0.
    pub u: *const f64,
    /// na×count: initial activations. Default zero.
    pub act0: *const f64,
    /// np×count: values of the selected parameters, set as by ds_batch_set_params. By default every element
    /// keeps its own.
    pub p: *const f64,
    /// count: largest number of steps of each element, 0 to N. 0 leaves an element where it is. Default N.
    pub lengths: *const usize,
    /// nq + nv: lower bounds of (q, v) for all elements, -inf for none. An element ends after the first step
    /// that leads out of them. Default none.
    pub lower: *const f64,
    /// nq + nv: upper bounds, inf for none.
    pub upper: *const f64,
    /// nq×(N+1)×count: receives the positions, the initial ones first. Columns after the end of an element
    /// repeat its last state.
    pub q: *mut f64,
    /// nv×(N+1)×count: velocities.
    pub v: *mut f64,
    /// na×(N+1)×count: activations.
    pub act: *mut f64,
    /// nsensordata×(N+1)×count: readings of all sensors at every state, as ds_sim_sensors gives them with the
    /// input of the step that begins there. The last state of an element is read with its last input.
    pub sensors: *mut f64,
    /// count: number of steps that each element took.
    pub taken: *mut usize,
    /// N×count: labels of the steps, as ds_step_info reports them before a derivative is requested. A step
    /// that failed has DS_GRADIENT_REFUSED, steps after the end have DS_GRADIENT_EXACT. The labels of the
    /// derivatives are those of ds_batch_rollout_gradient.
    pub labels: *mut ds_gradient,
}

// SAFETY: repr(C), the size first, pointers of its size: no padding, every bit pattern a value.
unsafe impl Growing for ds_episodes {
    const NAME: &'static str = "ds_episodes";
    const FIRST: usize = size_of::<ds_episodes>();

    fn defaults() -> Self {
        ds_episodes {
            struct_size: size_of::<ds_episodes>(),
            q0: ptr::null(),
            v0: ptr::null(),
            u: ptr::null(),
            act0: ptr::null(),
            p: ptr::null(),
            lengths: ptr::null(),
            lower: ptr::null(),
            upper: ptr::null(),
            q: ptr::null_mut(),
            v: ptr::null_mut(),
            act: ptr::null_mut(),
            sensors: ptr::null_mut(),
            taken: ptr::null_mut(),
            labels: ptr::null_mut(),
        }
    }
}

/// Arguments and results of ds_batch_episodes_adjoint. Fill with ds_episodes_bars_init, then set the fields
/// that you use. Arrays are column-major, element after element. N is the number of steps of the last
/// rollouts.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_episodes_bars {
    /// Size of this struct in bytes; set by ds_episodes_bars_init.
    pub struct_size: usize,
    /// nv×(N+1)×count: gradient by the positions (tangent). NULL for zeros.
    pub q_bar: *const f64,
    /// nv×(N+1)×count: gradient by the velocities. NULL for zeros.
    pub v_bar: *const f64,
    /// na×(N+1)×count: gradient by the activations. NULL for zeros.
    pub act_bar: *const f64,
    /// nsensordata×(N+1)×count: gradient by the readings. NULL for zeros.
    pub sensors_bar: *const f64,
    /// nv×count: receives the gradient by the initial positions (tangent). NULL declines here and below.
    pub q0_bar: *mut f64,
    /// nv×count: gradient by the initial velocities.
    pub v0_bar: *mut f64,
    /// na×count: gradient by the initial activations.
    pub act0_bar: *mut f64,
    /// nu×N×count: gradient by the inputs; zero after the end of an element.
    pub u_bar: *mut f64,
    /// np×count: gradient by the selected parameters.
    pub p_bar: *mut f64,
}

// SAFETY: repr(C), the size first, pointers of its size: no padding, every bit pattern a value.
unsafe impl Growing for ds_episodes_bars {
    const NAME: &'static str = "ds_episodes_bars";
    const FIRST: usize = size_of::<ds_episodes_bars>();

    fn defaults() -> Self {
        ds_episodes_bars {
            struct_size: size_of::<ds_episodes_bars>(),
            q_bar: ptr::null(),
            v_bar: ptr::null(),
            act_bar: ptr::null(),
            sensors_bar: ptr::null(),
            q0_bar: ptr::null_mut(),
            v0_bar: ptr::null_mut(),
            act0_bar: ptr::null_mut(),
            u_bar: ptr::null_mut(),
            p_bar: ptr::null_mut(),
        }
    }
}

/// Whether a call with an error failed before it reached the elements, one of which else has a status.
fn has_not_begun(each: &[Status]) -> bool {
    each.iter().all(|s| *s == Status::Ok)
}

/// Sets all pointers to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_episodes_init(episodes: *mut ds_episodes) {
    args::init(episodes)
}

/// Sets all pointers to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_episodes_bars_init(bars: *mut ds_episodes_bars) {
    args::init(bars)
}

/// Runs up to N = steps steps in every element, with the bits of ds_batch_rollout. An element ends after its
/// length, after the first step out of bounds, or before a step that fails; an element of length 0 rests.
/// Results must not overlap the arguments or each other. Allocates for more steps than ds_batch_reserve and
/// all earlier calls had. docs/learning.md, "Early ends and readings", has failures and restarts.
///
/// `each`: count statuses, may be NULL. Errors: those of ds_batch_rollout, ds_batch_set_params and
/// ds_sim_sensors; DS_ERR_INVALID_ARGUMENT for a length above N and for NaN in a bound.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_run_episodes(
    batch: *mut ds_batch,
    steps: usize,
    episodes: *const ds_episodes,
    each: *mut ds_status,
) -> ds_status {
    wall::status(|| {
        let b = get(batch)?;
        args::reference(episodes, "episodes")?;
        let e: ds_episodes = args::grown(episodes, "episodes")?;
        if steps == 0 {
            return Err(Error::invalid("steps: must be positive, got 0"));
        }
        let (m, count) = (b.batch.model(), b.batch.count());
        let (nq, nv) = (m.free_nq(), m.free_nv());
        let (nu, na, ns) = (m.nu(), m.na(), m.nsensordata());
        let np = if e.p.is_null() { 0 } else { b.np()? };
        let states = steps.saturating_add(1);
        let q0 = args::array(e.q0, nq * count, "q0")?;
        let v0 = args::array(e.v0, nv * count, "v0")?;
        let u = args::array(e.u, times(nu, steps, count)?, "u")?;
        let act0 = args::optional_array(e.act0, na * count, "act0")?;
        let p = args::optional_array(e.p, np * count, "p")?;
        let lengths = args::optional_array(e.lengths, count, "lengths")?;
        let bound = |x, name| -> Result<&[f64]> {
            let x = args::optional_array(x, nq + nv, name)?;
            match x.iter().position(|x: &f64| x.is_nan()) {
                Some(i) => Err(Error::invalid(format!(
                    "{name}[{i}]: must be a number or infinite, got NaN"
                ))),
                None => Ok(x),
            }
        };
        let (lower, upper) = (bound(e.lower, "lower")?, bound(e.upper, "upper")?);
        let outs = [
            Out::optional(e.q, times(nq, states, count)?, "q")?,
            Out::optional(e.v, times(nv, states, count)?, "v")?,
            Out::optional(e.act, times(na, states, count)?, "act")?,
            Out::optional(e.sensors, times(ns, states, count)?, "sensors")?,
        ];
        let inputs = [
            ("q0", q0),
            ("v0", v0),
            ("u", u),
            ("act0", act0),
            ("p", p),
            ("lower", lower),
            ("upper", upper),
        ];
        let [q, v, act, sensors] = args::in_place(outs, &inputs)?;
        let to_taken = args::optional_place(e.taken, "taken")?;
        let to_labels = args::optional_place(e.labels, "labels")?;
        let to_each = args::optional_place(each, "each")?;
        let episodes = Episodes {
            steps,
            q0,
            v0,
            u,
            act0,
            p,
            lengths,
            lower,
            upper,
        };
        let out = EpisodesOut { q, v, act, sensors };
        b.each.fill(Status::Ok);
        let outcome = (b.edge).run_episodes(&mut b.batch, &episodes, out, &mut b.each);
        if outcome.is_err() && has_not_begun(&b.each) {
            return outcome;
        }
        report(&b.each, to_each);
        for i in 0..count {
            if let (Some(to), Some(n)) = (to_taken, b.batch.taken(i)?) {
                to.add(i).write(n);
            }
            if let Some(to) = to_labels {
                let known = b.batch.known_labels(i)?;
                for k in 0..steps {
                    let label = known.get(k).map(|&label| label.into());
                    to.add(i * steps + k)
                        .write(label.unwrap_or(ds_gradient::DS_GRADIENT_REFUSED));
                }
            }
        }
        outcome
    })
}

/// Gradient of a function of the last rollouts of all elements and of their readings: the derivative of the
/// steps taken. Gradients by columns after the end of an element are added to that of its last state. The
/// step at which the element ends counts as fixed. `each`, failures and labels: as ds_batch_rollout_adjoint
/// and ds_batch_rollout_gradient.
///
/// Errors: those of ds_batch_rollout_adjoint and ds_sim_sensor_vjp; DS_ERR_UNSUPPORTED for p_bar with
/// sensors_bar if a sensor reads anything but positions and velocities of frames and joints, or if a selected
/// parameter displaces a joint.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_batch_episodes_adjoint(
    batch: *mut ds_batch,
    bars: *const ds_episodes_bars,
    each: *mut ds_status,
) -> ds_status {
    wall::status(|| {
        let b = get(batch)?;
        args::reference(bars, "bars")?;
        let x: ds_episodes_bars = args::grown(bars, "bars")?;
        let steps = b.batch.rollout_steps()?;
        let (m, count) = (b.batch.model(), b.batch.count());
        let (nv, nu, na, ns) = (m.free_nv(), m.nu(), m.na(), m.nsensordata());
        let np = if x.p_bar.is_null() { 0 } else { b.np()? };
        let states = (steps + 1) * count;
        let given = [
            (
                "q_bar",
                args::optional_array(x.q_bar, nv * states, "q_bar")?,
            ),
            (
                "v_bar",
                args::optional_array(x.v_bar, nv * states, "v_bar")?,
            ),
            (
                "act_bar",
                args::optional_array(x.act_bar, na * states, "act_bar")?,
            ),
            (
                "sensors_bar",
                args::optional_array(x.sensors_bar, ns * states, "sensors_bar")?,
            ),
        ];
        let outs = [
            Out::optional(x.q0_bar, nv * count, "q0_bar")?,
            Out::optional(x.v0_bar, nv * count, "v0_bar")?,
            Out::optional(x.act0_bar, na * count, "act0_bar")?,
            Out::optional(x.u_bar, nu * steps * count, "u_bar")?,
            Out::optional(x.p_bar, np * count, "p_bar")?,
        ];
        let [q0, v0, act0, u, p] = args::in_place(outs, &given)?;
        let to_each = args::optional_place(each, "each")?;
        let [q, v, act, sensors] = given.map(|(_, x)| x);
        let bars = EpisodesBars { q, v, act, sensors };
        let out = EpisodesAdjoint { q0, v0, act0, u, p };
        b.each.fill(Status::Ok);
        let outcome = (b.edge).episodes_adjoint(&mut b.batch, bars, out, &mut b.each);
        if outcome.is_err() && has_not_begun(&b.each) {
            return outcome;
        }
        report(&b.each, to_each);
        outcome
    })
}
