//! Simulations: options, steps and their derivatives, parameters, memory.

use super::args::{self, Growing, Out};
use super::model::ds_model;
use super::status::ds_status;
use super::wall;
use crate::contact::ncp::Mode;
use crate::error::Result;
use crate::model::Model;
use crate::step::{
    Contact, ContactReport, Gradient, Integrator, Options, Sim, StepInfo, StepJacobians,
};
use std::cell::RefCell;
use std::ptr;

/// The contact law of a step.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_contact_law {
    /// Rigid contact with the exact Coulomb cone.
    DS_CONTACT_NCP = 0,
    /// Boxed linear complementarity with a friction pyramid.
    DS_CONTACT_LCP = 1,
    /// Convex compliant contact.
    DS_CONTACT_CONVEX = 2,
    /// Penalty forces.
    DS_CONTACT_PENALTY = 3,
    /// Nothing touches: no contacts, limits, dry friction or equality constraints.
    DS_CONTACT_NONE = 4,
}

/// The time-stepping scheme.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_integrator {
    /// v+ = v + h a, q+ = q ⊕ h v+, with joint damping and springs implicit.
    DS_INTEGRATOR_SYMPLECTIC_EULER = 0,
    DS_INTEGRATOR_IMPLICIT_EULER = 1,
    DS_INTEGRATOR_MIDPOINT = 2,
    DS_INTEGRATOR_BDF1 = 3,
    DS_INTEGRATOR_BDF2 = 4,
}

/// Options of a sim, rollout or batch, fixed at its creation. Fill with ds_options_init, then change
/// fields. NULL in its place means the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_options {
    /// Size of this struct in bytes; set by ds_options_init.
    pub struct_size: usize,
    /// Length of a step [s]. Default 0.001, whatever the file says (ds_model_time_step).
    pub time_step: f64,
    /// A ds_contact_law. Default DS_CONTACT_NCP.
    pub contact: i32,
    /// A ds_integrator. Default DS_INTEGRATOR_SYMPLECTIC_EULER.
    pub integrator: i32,
    /// Largest residual of the contact problem that counts as solved.
    pub tolerance: f64,
    /// Largest number of iterations of the contact solver.
    pub max_iterations: usize,
    /// Contacts for which memory is made; one more is DS_ERR_CAPACITY.
    pub max_contacts: usize,
    /// Stabilization, 0 to 1: share of a penetration that is left after a step.
    pub kp: f64,
    /// Stabilization, 0 to 1: share of its normal velocity that an active contact keeps.
    pub kd: f64,
    /// A rollout keeps every checkpoint_interval-th state and recomputes those between. Default 1.
    pub checkpoint_interval: usize,
    /// 0: no workspace for derivatives is made and asking for one is DS_ERR_INVALID_ARGUMENT. Results
    /// of steps are the same to the bit. Default 1.
    pub derivatives: i32,
    /// 1: a step whose contact problem is not solved to the tolerance is DS_ERR_NOT_CONVERGED.
    /// 0: it is taken, ds_step_info says so, and its derivatives are DS_ERR_NOT_CONVERGED. Default 0.
    pub require_convergence: i32,
    /// Largest speed at which a step undoes a penetration or a passed limit [m/s or rad/s], 0 to inf:
    /// bodies that overlap by more are pushed apart over several steps. Default inf.
    pub max_push_out: f64,
}

// SAFETY: repr(C), the size first, i32 in pairs, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_options {
    const NAME: &'static str = "ds_options";
    const FIRST: usize = size_of::<ds_options>();

    fn defaults() -> Self {
        let o = Options::default();
        ds_options {
            struct_size: size_of::<ds_options>(),
            time_step: o.time_step,
            contact: o.contact as i32,
            integrator: o.integrator as i32,
            tolerance: o.tolerance,
            max_iterations: o.max_iterations,
            max_contacts: o.max_contacts,
            kp: o.kp,
            kd: o.kd,
            checkpoint_interval: o.checkpoint_interval,
            derivatives: i32::from(o.derivatives),
            require_convergence: i32::from(o.require_convergence),
            max_push_out: o.max_push_out,
        }
    }
}

pub(super) unsafe fn options(p: *const ds_options) -> Result<Options> {
    // SAFETY: as the caller's.
    let o = unsafe { args::grown(p, "options")? };
    Ok(Options {
        time_step: o.time_step,
        contact: choice!(o.contact, "options.contact", ds_contact_law {
            DS_CONTACT_NCP => Contact::Ncp,
            DS_CONTACT_LCP => Contact::Lcp,
            DS_CONTACT_CONVEX => Contact::Convex,
            DS_CONTACT_PENALTY => Contact::Penalty,
            DS_CONTACT_NONE => Contact::None,
        })?,
        integrator: choice!(o.integrator, "options.integrator", ds_integrator {
            DS_INTEGRATOR_SYMPLECTIC_EULER => Integrator::SymplecticEuler,
            DS_INTEGRATOR_IMPLICIT_EULER => Integrator::ImplicitEuler,
            DS_INTEGRATOR_MIDPOINT => Integrator::Midpoint,
            DS_INTEGRATOR_BDF1 => Integrator::Bdf1,
            DS_INTEGRATOR_BDF2 => Integrator::Bdf2,
        })?,
        tolerance: o.tolerance,
        max_iterations: o.max_iterations,
        max_contacts: o.max_contacts,
        kp: o.kp,
        kd: o.kd,
        max_push_out: o.max_push_out,
        derivatives: args::flag(o.derivatives, "options.derivatives")?,
        require_convergence: args::flag(o.require_convergence, "options.require_convergence")?,
        checkpoint_interval: o.checkpoint_interval,
    })
}

/// One simulation: all the memory that steps and dynamics calls need. One thread at a time.
pub struct ds_sim {
    pub(super) sim: Sim,
    /// Results before they are published: the caller's arrays are written only on success, and may
    /// be the arguments.
    pub(super) stage: Vec<f64>,
    /// What `ds_sim_contacts` has handed out.
    contacts: RefCell<Vec<ds_contact>>,
}

impl ds_sim {
    /// Makes room for the longest set of results of one call.
    pub(super) fn fit_stage(&mut self) {
        let m = self.sim.model();
        let n = m.nq() + 2 * m.nv() + m.nu() + self.sim.np();
        self.stage.resize(n, 0.0);
    }
}

/// Splits the stage into results of these lengths.
pub(super) fn parts<const N: usize>(stage: &mut [f64], lengths: [usize; N]) -> [&mut [f64]; N] {
    let mut rest = stage;
    lengths.map(|n| {
        let (part, tail) = std::mem::take(&mut rest).split_at_mut(n);
        rest = tail;
        part
    })
}

pub(super) unsafe fn get<'a>(sim: *mut ds_sim) -> Result<&'a mut ds_sim> {
    // SAFETY: as the caller's.
    unsafe { args::exclusive(sim, "sim") }
}

pub(super) unsafe fn look<'a>(sim: *const ds_sim) -> Result<&'a ds_sim> {
    // SAFETY: as the caller's.
    unsafe { args::reference(sim, "sim") }
}

/// Jacobians of a step, column-major, nv rows each; NULL for those not wanted. Positions are
/// differentiated in tangent coordinates: dq_* holds the tangent vector at q_next, the columns of
/// *_dq are tangent directions at q. They must not overlap.
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

/// The arrays of the caller, each of `count` matrices.
pub(super) unsafe fn jacobians<'a>(
    out: *const ds_step_jacobians,
    model: &Model,
    np: usize,
    count: usize,
) -> Result<StepJacobians<'a>> {
    let nv = model.nv();
    let [square, by_u, by_p] = [nv, model.nu(), np].map(|columns| nv * columns * count);
    // SAFETY: as the caller's.
    unsafe {
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
}

/// What a derivative of a step is.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_gradient {
    /// The derivative of the step.
    DS_GRADIENT_EXACT = 0,
    /// The step is at a switch of contact modes: the derivative is that of one side.
    DS_GRADIENT_ONE_SIDED = 1,
    /// Smoothed, because it was asked for.
    DS_GRADIENT_SMOOTHED = 2,
}

impl From<Gradient> for ds_gradient {
    fn from(g: Gradient) -> Self {
        match g {
            Gradient::Exact => ds_gradient::DS_GRADIENT_EXACT,
            Gradient::OneSided => ds_gradient::DS_GRADIENT_ONE_SIDED,
            Gradient::Smoothed => ds_gradient::DS_GRADIENT_SMOOTHED,
        }
    }
}

/// Which constraint of a contact holds.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_contact_mode {
    /// No impulse.
    DS_MODE_BREAKING = 0,
    /// No relative motion.
    DS_MODE_STICKING = 1,
    /// Sliding against the friction, or touching without any.
    DS_MODE_SLIDING = 2,
    /// The solver stopped before it knew.
    DS_MODE_UNKNOWN = 3,
}

impl From<Mode> for ds_contact_mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Breaking => ds_contact_mode::DS_MODE_BREAKING,
            Mode::Sticking => ds_contact_mode::DS_MODE_STICKING,
            Mode::Sliding => ds_contact_mode::DS_MODE_SLIDING,
            Mode::Unknown | Mode::AtLower | Mode::AtUpper => ds_contact_mode::DS_MODE_UNKNOWN,
        }
    }
}

/// A contact of the last step, world axes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_contact {
    pub geom_a: i32,
    pub geom_b: i32,
    pub body_a: i32,
    pub body_b: i32,
    /// Midway between the two surfaces [m].
    pub point: [f64; 3],
    /// Unit normal from A to B.
    pub normal: [f64; 3],
    /// Distance along the normal, negative when penetrating [m].
    pub gap: f64,
    /// Impulse on B along two tangents and the normal (t1 t2 n) [N s].
    pub impulse: [f64; 3],
    /// Velocity of B against A after the step along the same axes [m/s].
    pub velocity: [f64; 3],
    pub mode: ds_contact_mode,
    /// 0
    pub reserved: i32,
}

impl From<&ContactReport> for ds_contact {
    fn from(c: &ContactReport) -> Self {
        ds_contact {
            geom_a: args::id(Some(c.geom[0])),
            geom_b: args::id(Some(c.geom[1])),
            body_a: args::id(Some(c.body[0])),
            body_b: args::id(Some(c.body[1])),
            point: c.point,
            normal: c.normal,
            gap: c.gap,
            impulse: c.impulse,
            velocity: c.velocity,
            mode: c.mode.into(),
            reserved: 0,
        }
    }
}

/// How the last step went.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_step_info {
    /// Number of contacts.
    pub contacts: usize,
    /// Iterations of the contact solver.
    pub iterations: usize,
    /// Residual at which it stopped.
    pub residual: f64,
    /// Distance to the nearest switch of a mode: of contacts and limits as the law scales it, of an
    /// actuator's clamp in its unit; inf without any.
    pub switch_distance: f64,
    /// What a derivative of this step would be.
    pub gradient: ds_gradient,
    /// 1: the residual is within the tolerance; 0: it is not, and the step has no derivative.
    pub converged: i32,
    /// 1: jammed bodies could not be pushed apart, and the step was taken without undoing penetrations
    /// and passed limits; its derivative is that of such a step, one-sided. 0: it was taken as asked.
    pub push_out_given_up: i32,
    /// 0
    pub reserved: i32,
}

impl From<StepInfo> for ds_step_info {
    fn from(i: StepInfo) -> Self {
        ds_step_info {
            contacts: i.contacts,
            iterations: i.iterations,
            residual: i.residual,
            switch_distance: i.switch_distance,
            gradient: i.gradient.into(),
            converged: i32::from(i.converged),
            push_out_given_up: i32::from(i.push_out_given_up),
            reserved: 0,
        }
    }
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_options_init(options: *mut ds_options) {
    // SAFETY: the header's rules.
    unsafe { args::init(options) }
}

/// Makes a simulation of a model, which it keeps alive. Release *out with ds_sim_free.
///
/// Errors: DS_ERR_INVALID_ARGUMENT naming the option; DS_ERR_UNSUPPORTED for a contact law or an
/// integrator that this version lacks; DS_ERR_CAPACITY where memory does not suffice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_create(
    model: *const ds_model,
    options: *const ds_options,
    out: *mut *mut ds_sim,
) -> ds_status {
    // SAFETY: the header's rules.
    wall::status(|| unsafe {
        let model = args::reference(model, "model")?;
        let options = self::options(options)?;
        args::give(out, || {
            let mut sim = ds_sim {
                sim: Sim::new(model.model.clone(), &options)?,
                stage: Vec::new(),
                contacts: RefCell::new(Vec::with_capacity(options.max_contacts)),
            };
            sim.fit_stage();
            Ok(sim)
        })
    })
}

/// Releases a simulation. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_free(sim: *mut ds_sim) {
    // SAFETY: the header's rules.
    unsafe { args::take(sim) }
}

/// Advances a state by one time step. q, q_next: nq numbers; v, v_next: nv; u: nu, NULL where
/// nu = 0. q_next may be q and v_next may be v. Derivatives of this step can be asked for until the
/// next one.
///
/// Errors: DS_ERR_NUMERICAL for a number that is not finite, in or out; DS_ERR_CAPACITY;
/// DS_ERR_NOT_CONVERGED where options.require_convergence is 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_step(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    u: *const f64,
    q_next: *mut f64,
    v_next: *mut f64,
) -> ds_status {
    // SAFETY: the header's rules.
    wall::status(|| unsafe {
        let s = get(sim)?;
        let m = s.sim.model();
        let (nq, nv, nu) = (m.nq(), m.nv(), m.nu());
        let (q, v) = (args::array(q, nq, "q")?, args::array(v, nv, "v")?);
        let u = args::array(u, nu, "u")?;
        let (to_q, to_v) = (
            Out::new(q_next, nq, "q_next")?,
            Out::new(v_next, nv, "v_next")?,
        );
        let [x, y] = parts(&mut s.stage, [nq, nv]);
        s.sim.step(q, v, u, x, y)?;
        args::publish([(x, to_q), (y, to_v)])
    })
}

/// Jacobians of the last step.
///
/// Errors: DS_ERR_NO_STEP before a step; DS_ERR_INVALID_ARGUMENT where options.derivatives
/// is 0; DS_ERR_NUMERICAL for a singular mass.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_step_jacobians(
    sim: *mut ds_sim,
    out: *const ds_step_jacobians,
) -> ds_status {
    // SAFETY: the header's rules.
    wall::status(|| unsafe {
        let s = get(sim)?;
        let out = jacobians(out, s.sim.model(), s.sim.np(), 1)?;
        s.sim.step_jacobians(out)
    })
}

/// Forward mode: the variation of the last step's result for variations dq, dv (nv numbers each,
/// tangent), du (nu), dp (np) of what went in; NULL for none. dq_next, dv_next: nv numbers, NULL
/// for those not wanted; they may be arguments.
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
    // SAFETY: the header's rules.
    wall::status(|| unsafe {
        let s = get(sim)?;
        let (nv, nu) = (s.sim.model().nv(), s.sim.model().nu());
        let dq = args::optional_array(dq, nv, "dq")?;
        let dv = args::optional_array(dv, nv, "dv")?;
        let du = args::optional_array(du, nu, "du")?;
        let dp = args::optional_array(dp, s.sim.np(), "dp")?;
        let to_q = Out::optional(dq_next, nv, "dq_next")?;
        let to_v = Out::optional(dv_next, nv, "dv_next")?;
        let [x, y] = parts(&mut s.stage, [nv, nv]);
        s.sim.step_jvp(dq, dv, du, dp, x, y)?;
        args::publish([(x, to_q), (y, to_v)])
    })
}

/// Reverse mode: the gradient of a function of the last step's result, of which q_next_bar (tangent
/// at q_next) and v_next_bar (nv numbers each) are the gradient, by what went in:
/// q_bar, v_bar: nv numbers, u_bar: nu, p_bar: np; NULL for those not wanted; they may be arguments.
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
    // SAFETY: the header's rules.
    wall::status(|| unsafe {
        let s = get(sim)?;
        let (nv, nu, np) = (s.sim.model().nv(), s.sim.model().nu(), s.sim.np());
        let q_next_bar = args::array(q_next_bar, nv, "q_next_bar")?;
        let v_next_bar = args::array(v_next_bar, nv, "v_next_bar")?;
        let outs = [
            Out::optional(q_bar, nv, "q_bar")?,
            Out::optional(v_bar, nv, "v_bar")?,
            Out::optional(u_bar, nu, "u_bar")?,
            Out::optional(p_bar, np, "p_bar")?,
        ];
        let [a, b, c, d] = parts(&mut s.stage, [nv, nv, nu, np]);
        s.sim.step_vjp(
            q_next_bar,
            v_next_bar,
            outs[0].wanted().then_some(&mut *a),
            outs[1].wanted().then_some(&mut *b),
            outs[2].wanted().then_some(&mut *c),
            outs[3].wanted().then_some(&mut *d),
        )?;
        args::publish([(a, outs[0]), (b, outs[1]), (c, outs[2]), (d, outs[3])])
    })
}

/// The contacts of the last step, in the order of their geoms: *count of them at *contacts, NULL for
/// none. They belong to the sim and live until its next call.
///
/// Errors: DS_ERR_NO_STEP before a step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_contacts(
    sim: *const ds_sim,
    contacts: *mut *const ds_contact,
    count: *mut usize,
) -> ds_status {
    // SAFETY: the header's rules.
    wall::status(|| unsafe {
        let s = look(sim)?;
        s.sim.step_info()?;
        let contacts = args::place(contacts, "contacts")?;
        let count = args::place(count, "count")?;
        let mut list = s.contacts.borrow_mut();
        list.clear();
        list.extend(s.sim.contacts().iter().map(ds_contact::from));
        count.write(list.len());
        contacts.write(if list.is_empty() {
            ptr::null()
        } else {
            list.as_ptr()
        });
        Ok(())
    })
}

/// How the last step went.
///
/// Errors: DS_ERR_NO_STEP before a step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_step_info(sim: *const ds_sim, out: *mut ds_step_info) -> ds_status {
    // SAFETY: the header's rules.
    wall::status(|| unsafe {
        let info = look(sim)?.sim.step_info()?.into();
        // The caller's struct may be uninitialized: it is written, not assigned.
        args::place(out, "out")?.write(info);
        Ok(())
    })
}

/// Sets the wrench that acts on a body in every step from now on, until it is changed: force [N]
/// and moment [N m], 6 numbers (linear; angular), world axes, at the body's origin. Zeros end it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_set_external_wrench(
    sim: *mut ds_sim,
    body: i32,
    wrench: *const f64,
) -> ds_status {
    // SAFETY: the header's rules.
    wall::status(|| unsafe {
        let s = get(sim)?;
        let body = args::index(body, s.sim.model().nbody(), "body", "body")?;
        let w = args::array(wrench, 6, "wrench")?;
        s.sim
            .set_external_wrench(body, std::array::from_fn(|i| w[i]))
    })
}

/// Forgets warm starts: the next step is that of a new sim with the same parameters and wrenches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_reset(sim: *mut ds_sim) -> ds_status {
    // SAFETY: the header's rules.
    wall::status(|| {
        unsafe { get(sim)? }.sim.reset();
        Ok(())
    })
}

/// Number of numbers of the warm start. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_memory_size(sim: *const ds_sim) -> usize {
    // SAFETY: the header's rules.
    wall::value(0, || Ok(unsafe { look(sim)? }.sim.memory_size()))
}

/// What a sim remembers from step to step, ds_sim_memory_size numbers: with the state, all that the
/// next step depends on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_get_memory(sim: *const ds_sim, warm: *mut f64) -> ds_status {
    // SAFETY: the header's rules.
    wall::status(|| unsafe {
        let s = look(sim)?;
        let n = s.sim.memory_size();
        s.sim
            .get_memory(args::matrix(Out::new(warm, n, "warm")?, &[])?)
    })
}

/// Restores what ds_sim_get_memory gave: the same steps follow, to the bit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_set_memory(sim: *mut ds_sim, warm: *const f64) -> ds_status {
    // SAFETY: the header's rules.
    wall::status(|| unsafe {
        let s = get(sim)?;
        let warm = args::array(warm, s.sim.memory_size(), "warm")?;
        s.sim.set_memory(warm)
    })
}
