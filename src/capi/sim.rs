//! Simulation: steps, external wrenches, memory.

use super::args::{self, Out};
use super::edge::{self, Edge};
use super::model::ds_model;
use super::options::{ds_options, options};
use super::report::{ds_contact, ds_patch, ds_step_info};
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::query::{Outlines, SensorRoom};
use crate::step::Sim;
use std::cell::RefCell;

/// One simulation, with all the memory that steps and dynamics calls need. One thread at a time.
pub struct ds_sim {
    pub(super) sim: Sim,
    /// Results before they are published: the caller's arrays are written only on success, and may be
    /// arguments of the same call.
    pub(super) stage: Vec<f64>,
    pub(super) sensors: SensorRoom,
    /// The contacts to which `ds_sim_contacts` has returned a pointer.
    pub(super) contacts: RefCell<Vec<ds_contact>>,
    /// The patches to which `ds_sim_patches` has returned a pointer.
    pub(super) patches: RefCell<Vec<ds_patch>>,
    /// The arrays to which `ds_sim_patch_faces` has returned pointers.
    pub(super) outlines: RefCell<Outlines>,
    pub(super) edge: Edge,
}

impl ds_sim {
    /// Resizes the stage for the longest set of results of one call.
    pub(super) fn fit_stage(&mut self) {
        let m = self.sim.model();
        let state = m.free_nq() + 2 * m.free_nv() + m.nu() + m.na() + self.sim.np();
        let n = state
            .max(24 * m.free_nv())
            .max(6 * m.nbody().max(m.sites().len()));
        self.stage.resize(n, 0.0);
        self.edge = Edge::of(&self.sim);
    }
}

/// Splits the stage into results of these lengths. Their sum must be within the length that
/// [`ds_sim::fit_stage`] gives the stage: 24 nv numbers at least. A longer result is a panic, and the call
/// returns an internal error.
pub(super) fn parts<const N: usize>(stage: &mut [f64], lengths: [usize; N]) -> [&mut [f64]; N] {
    let mut rest = stage;
    lengths.map(|n| {
        let (part, tail) = std::mem::take(&mut rest).split_at_mut(n);
        rest = tail;
        part
    })
}

/// A sim for calls that do not convert reduced coordinates.
pub(super) unsafe fn get<'a>(sim: *mut ds_sim) -> Result<&'a mut ds_sim> {
    let s: &mut ds_sim = args::exclusive(sim, "sim")?;
    edge::refuse(s.sim.model())?;
    Ok(s)
}

/// The same, only for reading.
pub(super) unsafe fn look<'a>(sim: *const ds_sim) -> Result<&'a ds_sim> {
    let s: &ds_sim = args::reference(sim, "sim")?;
    edge::refuse(s.sim.model())?;
    Ok(s)
}

/// A sim for calls without q and v, or that convert them.
pub(super) unsafe fn any<'a>(sim: *mut ds_sim) -> Result<&'a mut ds_sim> {
    args::exclusive(sim, "sim")
}

/// The same, only for reading.
pub(super) unsafe fn look_any<'a>(sim: *const ds_sim) -> Result<&'a ds_sim> {
    args::reference(sim, "sim")
}

/// Makes a sim of a model and keeps the model alive. Release *out with ds_sim_free.
///
/// Errors: DS_ERR_INVALID_ARGUMENT naming the option; DS_ERR_UNSUPPORTED for incompatible options,
/// and for a part of the model that the contact law does not support (the message names it);
/// DS_ERR_CAPACITY if there is not enough memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_create(
    model: *const ds_model,
    options: *const ds_options,
    out: *mut *mut ds_sim,
) -> ds_status {
    wall::status(|| {
        let model = args::reference(model, "model")?;
        let options = self::options(options)?;
        args::give(out, || {
            let sim = Sim::new(model.model.clone(), &options)?;
            let room = sim.options().max_contacts;
            let mut contacts = Vec::new();
            if contacts.try_reserve_exact(room).is_err() {
                return Err(Error::capacity(format!(
                    "options.max_contacts: there is no memory for {room} contacts"
                )));
            }
            let faces = if sim.has_patches() { room } else { 0 };
            let patches = Vec::with_capacity(faces);
            let outlines = Outlines::new(faces)?;
            let mut sim = ds_sim {
                sensors: SensorRoom::new(&sim),
                sim,
                stage: Vec::new(),
                contacts: RefCell::new(contacts),
                patches: RefCell::new(patches),
                outlines: RefCell::new(outlines),
                edge: Edge::default(),
            };
            sim.fit_stage();
            Ok(sim)
        })
    })
}

/// Releases a sim. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_free(sim: *mut ds_sim) {
    args::take(sim)
}

/// Time step [s]: options.time_step, or the model's time step if this is 0. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_time_step(sim: *const ds_sim) -> f64 {
    wall::value(0.0, || Ok(look_any(sim)?.sim.options().time_step))
}

/// The ds_integrator in use, never DS_INTEGRATOR_FROM_MODEL. -1 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_integrator(sim: *const ds_sim) -> i32 {
    wall::value(-1, || Ok(look_any(sim)?.sim.options().integrator as i32))
}

/// Advances a state by one time step. q, q_next: nq numbers; v, v_next: nv; u: nu, NULL if nu = 0.
/// q_next may be q, and v_next may be v. You can ask for derivatives of this step until the next one.
/// The sim holds the activations of actuators that have a state (ds_model_na) and advances them too
/// (ds_sim_get_act).
///
/// Errors: DS_ERR_NUMERICAL for an argument or result that is not finite, and for tendons, springs or
/// joint forces so stiff that the result would be round-off; DS_ERR_CAPACITY; DS_ERR_NOT_CONVERGED if
/// options.require_convergence is 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_step(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    u: *const f64,
    q_next: *mut f64,
    v_next: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let m = s.sim.model();
        let (nq, nv, nu) = (m.free_nq(), m.free_nv(), m.nu());
        let (q, v) = (args::array(q, nq, "q")?, args::array(v, nv, "v")?);
        let u = args::array(u, nu, "u")?;
        let (to_q, to_v) = (
            Out::new(q_next, nq, "q_next")?,
            Out::new(v_next, nv, "v_next")?,
        );
        args::apart(to_q, to_v)?;
        let [x, y] = parts(&mut s.stage, [nq, nv]);
        let Edge {
            map,
            q: own_q,
            v: own_v,
            c,
            d,
            ..
        } = &mut s.edge;
        match map {
            None => s.sim.step(q, v, u, x, y)?,
            Some(map) => {
                map.q.place(q, own_q);
                map.v.expand(v, own_v);
                s.sim.step(own_q, own_v, u, c, d)?;
                map.q.find(c, x);
                map.v.restrict(d, y);
            }
        }
        args::publish([(x, to_q), (y, to_v)])
    })
}

/// Facts about the last step.
///
/// Errors: DS_ERR_NO_STEP before a step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_step_info(sim: *const ds_sim, out: *mut ds_step_info) -> ds_status {
    wall::status(|| {
        let info = look_any(sim)?.sim.step_info()?.into();
        // The caller's struct may be uninitialized: write it, do not assign.
        args::place(out, "out")?.write(info);
        Ok(())
    })
}

/// Sets the wrench on a body for all following steps, until you change it: force [N] and moment [N
/// m], 6 numbers (linear; angular), world axes, at the body's origin. Zeros end it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_set_external_wrench(
    sim: *mut ds_sim,
    body: i32,
    wrench: *const f64,
) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let body = args::index(body, s.sim.model().nbody(), "body", "body")?;
        let w = args::array(wrench, 6, "wrench")?;
        s.sim
            .set_external_wrench(body, std::array::from_fn(|i| w[i]))
    })
}

/// Forgets warm starts and sets activations to 0. The next step is that of a new sim with the same
/// parameters, wrenches and prescribed velocities.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_reset(sim: *mut ds_sim) -> ds_status {
    wall::status(|| {
        any(sim)?.sim.reset();
        Ok(())
    })
}

/// Length of the array of ds_sim_get_memory: warm start and activations. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_memory_size(sim: *const ds_sim) -> usize {
    wall::value(0, || Ok(look_any(sim)?.sim.memory_size()))
}

/// The memory of a sim between steps, ds_sim_memory_size numbers. Together with the state it
/// determines the next step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_get_memory(sim: *const ds_sim, warm: *mut f64) -> ds_status {
    wall::status(|| {
        let s = look_any(sim)?;
        let n = s.sim.memory_size();
        s.sim
            .get_memory(args::matrix(Out::new(warm, n, "warm")?, &[])?)
    })
}

/// Restores an array of ds_sim_get_memory. The same steps follow, to the bit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_set_memory(sim: *mut ds_sim, warm: *const f64) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let warm = args::array(warm, s.sim.memory_size(), "warm")?;
        s.sim.set_memory(warm)
    })
}
