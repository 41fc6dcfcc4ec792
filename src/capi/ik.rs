//! Inverse kinematics.

use super::args::{self, Growing, Out};
use super::builder::pose;
use super::model::ds_model;
use super::report::ds_gradient;
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::ik::{Ik, IkInfo, IkKind, IkOptions, IkTask};
use crate::spatial::Pose;

/// Solves inverse kinematics of one model. Add the tasks once; set their targets as often as you
/// want. ds_ik_solve, ds_ik_residual, ds_ik_gradient and the derivatives do not allocate.
/// ds_ik_set_target allocates only for the first target of a posture. One thread at a time.
///
/// A solution is a local minimum of the sum of (weight residual)²/2 over the rows of all tasks, with
/// joints within their bounds. If no configuration satisfies all tasks, their weights decide. The
/// model's equalities (loops, joints that follow others) count as tasks.
pub struct ds_ik {
    ik: Ik,
    /// Results before they are published.
    stage: Vec<f64>,
}

/// Options of a ds_ik, fixed at its creation. Fill with ds_ik_options_init, then change fields.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_ik_options {
    /// Size of this struct in bytes; set by ds_ik_options_init.
    pub struct_size: usize,
    /// Largest residual of a task that counts as solved [m, rad]. Default 1e-10.
    pub tolerance: f64,
    /// Of each start, at least 1. Default 100.
    pub max_iterations: usize,
    /// Number of further starts, at random configurations, if the first start does not solve the
    /// tasks. Joints with bounds at most 13 rad or 10 km apart start within them; other rotating
    /// joints start within half a turn of q0; free joints start as in q0. Default 0.
    pub max_restarts: usize,
    /// Seed of the random starts: the same inputs and seed give the same bits. Default 0.
    pub seed: u64,
    /// Weight of the model's equalities [1/m, 1/rad]; 0 ignores them. Default 1.
    pub equality_weight: f64,
    /// 1: joints stay within their bounds. 0: bounds are ignored. Default 1.
    pub limits: i32,
    /// Must be 0.
    pub reserved: i32,
}

// SAFETY: repr(C), the size first, i32 in pairs, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_ik_options {
    const NAME: &'static str = "ds_ik_options";
    const FIRST: usize = size_of::<ds_ik_options>();

    fn defaults() -> Self {
        let o = IkOptions::default();
        ds_ik_options {
            struct_size: size_of::<ds_ik_options>(),
            tolerance: o.tolerance,
            max_iterations: o.max_iterations,
            max_restarts: o.max_restarts,
            seed: o.seed,
            equality_weight: o.equality_weight,
            limits: i32::from(o.limits),
            reserved: 0,
        }
    }
}

/// The quantity that a task of a ds_ik prescribes.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_ik_kind {
    /// A frame on a body. Target: its placement in the world, 16 numbers of a column-major 4×4
    /// matrix. Residual: the position along the world's axes, then the rotation vector from the
    /// target's orientation, along the target's axes. Variation of the target: 6 numbers (linear;
    /// angular) along the world's axes.
    DS_IK_FRAME = 0,
    /// The centre of mass of all that moves. Target, residual and variation: 3 numbers.
    DS_IK_CENTER_OF_MASS = 1,
    /// The configuration. Target: nq numbers. Residual: nv numbers, q minus the target. For spherical
    /// joints it is the rotation vector along the target's axes; for free joints, the position in the
    /// joint's frame and then this rotation vector. Variation of the target: nv numbers, its tangent.
    DS_IK_POSTURE = 2,
}

/// A task of a ds_ik. Fill with ds_ik_task_init, then change fields.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_ik_task {
    /// Size of this struct in bytes; set by ds_ik_task_init.
    pub struct_size: usize,
    /// A ds_ik_kind. Default DS_IK_FRAME.
    pub kind: i32,
    /// Body of the frame, an id. Default 0, the world.
    pub body: i32,
    /// Pose of the frame in its body's frame, a column-major 4×4 matrix; for a site, use
    /// ds_model_site_placement. Default the identity.
    pub placement: [f64; 16],
    /// Weight of all rows [1/m, 1/rad], at least 0; 0 disables the task. Default 1.
    pub weight: f64,
    /// Factors of the weight, at least 0, in the order of the residual. A frame uses all six, the
    /// centre of mass the first three. A factor of 0 leaves its row free: with three zeros at the
    /// end, a frame task prescribes a position only. Default 1 each.
    pub axes: [f64; 6],
    /// For a posture: factors of the weight, nv numbers, read during the call; NULL: 1 each. Must be
    /// NULL for other kinds. Default NULL.
    pub dofs: *const f64,
    /// Largest residual that counts as solved, instead of options.tolerance. INFINITY makes the task
    /// a preference, which counts as solved with any residual. Default 0: options.tolerance; INFINITY
    /// for a posture.
    pub tolerance: f64,
}

// SAFETY: repr(C), the size first, i32 in pairs, else words: no padding, and zeros are values.
unsafe impl Growing for ds_ik_task {
    const NAME: &'static str = "ds_ik_task";
    const FIRST: usize = size_of::<ds_ik_task>();

    fn defaults() -> Self {
        ds_ik_task {
            struct_size: size_of::<ds_ik_task>(),
            kind: ds_ik_kind::DS_IK_FRAME as i32,
            body: 0,
            placement: Pose::IDENTITY.homogeneous(),
            weight: 1.0,
            axes: [1.0; 6],
            dofs: std::ptr::null(),
            tolerance: 0.0,
        }
    }
}

/// Outcome of a search of a ds_ik.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_ik_outcome {
    /// Every task and the model's equalities are within their tolerances, and preferences are at
    /// their best.
    DS_IK_SOLVED = 0,
    /// A local minimum with a residual above its tolerance: the target is out of reach, or the search
    /// needs another start.
    DS_IK_STATIONARY = 1,
    /// Neither of these within options.max_iterations.
    DS_IK_ITERATIONS = 2,
}

/// Facts about a search of a ds_ik.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_ik_info {
    /// A ds_ik_outcome.
    pub outcome: i32,
    /// 0.
    pub padding: i32,
    /// Iterations, summed over all starts.
    pub iterations: usize,
    /// Number of starts after the first.
    pub restarts: usize,
    /// Largest unweighted residual of the tasks that have a tolerance [m, rad].
    pub residual: f64,
    /// Sum of (weight residual)²/2.
    pub objective: f64,
    /// Largest entry of the gradient of the objective along joints that no bound holds.
    pub slope: f64,
    /// Largest violation of the model's equalities.
    pub equality_residual: f64,
    /// Reserved; 0.
    pub reserved: [u64; 8],
}

fn told(i: IkInfo, equality_residual: f64) -> ds_ik_info {
    ds_ik_info {
        outcome: i.outcome as i32,
        padding: 0,
        iterations: i.iterations,
        restarts: i.restarts,
        residual: i.residual,
        objective: i.objective,
        slope: i.slope,
        equality_residual,
        reserved: [0; 8],
    }
}

unsafe fn get<'a>(ik: *mut ds_ik) -> Result<&'a mut ds_ik> {
    args::exclusive(ik, "ik")
}

fn number(task: i32) -> Result<usize> {
    usize::try_from(task)
        .map_err(|_| Error::invalid(format!("task: must be the number of a task, got {task}")))
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_options_init(options: *mut ds_ik_options) {
    args::init(options)
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_task_init(task: *mut ds_ik_task) {
    args::init(task)
}

/// Makes a solver without tasks and keeps the model alive. options: NULL for the defaults. Release
/// *out with ds_ik_free.
///
/// Errors: DS_ERR_INVALID_ARGUMENT naming the option; DS_ERR_UNSUPPORTED naming a joint whose bounds
/// are not bounds of one coordinate (set options.limits = 0 to ignore bounds).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_create(
    model: *const ds_model,
    options: *const ds_ik_options,
    out: *mut *mut ds_ik,
) -> ds_status {
    wall::status(|| {
        let model = super::model::get(model)?;
        let o = args::grown(options, "options")?;
        args::zero(o.reserved, "options.reserved")?;
        let options = IkOptions {
            tolerance: o.tolerance,
            max_iterations: o.max_iterations,
            max_restarts: o.max_restarts,
            seed: o.seed,
            equality_weight: o.equality_weight,
            limits: args::flag(o.limits, "options.limits")?,
        };
        args::give(out, || {
            let stage = vec![0.0; model.model.free_nq().max(model.model.free_nv())];
            let ik = Ik::new(model.model.clone(), &options)?;
            Ok(ds_ik { ik, stage })
        })
    })
}

/// Releases a solver. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_free(ik: *mut ds_ik) {
    args::take(ik)
}

/// Adds a task. *number: its number, counted from 0. Set its target with ds_ik_set_target. The last
/// solution is forgotten.
///
/// Errors: DS_ERR_INVALID_ARGUMENT naming the field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_add_task(
    ik: *mut ds_ik,
    task: *const ds_ik_task,
    number: *mut i32,
) -> ds_status {
    wall::status(|| {
        let s = get(ik)?;
        args::reference(task, "task")?;
        let t = args::grown(task, "task")?;
        let number = args::place(number, "number")?;
        let model = s.ik.model().clone();
        let kind = choice!(t.kind, "task.kind", ds_ik_kind {
            DS_IK_FRAME => 0,
            DS_IK_CENTER_OF_MASS => 1,
            DS_IK_POSTURE => 2,
        })?;
        let kind = match kind {
            0 => IkKind::Frame {
                body: args::index(t.body, model.nbody(), "task.body", "body")?,
                placement: pose(&t.placement, "task.placement")?,
            },
            1 => IkKind::CenterOfMass,
            _ => IkKind::Posture,
        };
        let made = s.ik.add_task(IkTask {
            kind,
            weight: t.weight,
            axes: t.axes,
            dofs: args::optional_array(t.dofs, model.free_nv(), "task.dofs")?.to_vec(),
            tolerance: (t.tolerance != 0.0).then_some(t.tolerance),
        })?;
        s.stage.resize(s.stage.len().max(s.ik.variations()), 0.0);
        number.write(args::id(Some(made)));
        Ok(())
    })
}

/// Number of tasks. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_ntask(ik: *const ds_ik) -> usize {
    wall::value(0, || Ok(args::reference(ik, "ik")?.ik.tasks().len()))
}

/// Length of a task's target (see ds_ik_kind). 0 if there is no such task.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_target_size(ik: *const ds_ik, task: i32) -> usize {
    wall::value(0, || {
        args::reference(ik, "ik")?.ik.target_size(number(task)?)
    })
}

/// Length of a task's residual and of a variation of its target (see ds_ik_kind). 0 if there is no
/// such task.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_residual_size(ik: *const ds_ik, task: i32) -> usize {
    wall::value(0, || {
        args::reference(ik, "ik")?.ik.variation_size(number(task)?)
    })
}

/// Length of a variation of all targets: the sum of ds_ik_residual_size over all tasks. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_variation_size(ik: *const ds_ik) -> usize {
    wall::value(0, || Ok(args::reference(ik, "ik")?.ik.variations()))
}

/// Sets the target of a task: ds_ik_target_size numbers. The last solution is forgotten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_set_target(
    ik: *mut ds_ik,
    task: i32,
    target: *const f64,
) -> ds_status {
    wall::status(|| {
        let ik = &mut get(ik)?.ik;
        let task = number(task)?;
        let x = args::numbers(target, ik.target_size(task)?, "target")?;
        match ik.tasks()[task].kind {
            IkKind::Frame { .. } => ik.set_frame_target(task, &pose(x, "target")?),
            _ => ik.set_target(task, x),
        }
    })
}

/// Sets the weight of a task, as ds_ik_task.weight. The last solution is forgotten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_set_weight(ik: *mut ds_ik, task: i32, weight: f64) -> ds_status {
    wall::status(|| get(ik)?.ik.set_weight(number(task)?, weight))
}

/// Solves the tasks from q0 and writes the configuration to q: nq numbers each; q may be q0. q0 is
/// first moved into the bounds. info: facts about the search; may be NULL. Unsolved tasks are not an
/// error: info->outcome reports them, and q is the best result of all starts.
///
/// Errors: DS_ERR_INVALID_ARGUMENT if a task has no target; DS_ERR_NUMERICAL for numbers that are not
/// finite or whose squares are not finite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_solve(
    ik: *mut ds_ik,
    q0: *const f64,
    q: *mut f64,
    info: *mut ds_ik_info,
) -> ds_status {
    wall::status(|| {
        let s = get(ik)?;
        let q0 = args::numbers(q0, s.ik.nq(), "q0")?;
        let out = Out::new(q, s.ik.nq(), "q")?;
        let info = args::optional_place(info, "info")?;
        let x = &mut s.stage[..s.ik.nq()];
        let found = s.ik.solve(q0, x)?;
        args::publish([(x, out)])?;
        if let Some(info) = info {
            info.write(told(found, s.ik.equality_residual()?));
        }
        Ok(())
    })
}

/// Residual of a task at the last solution, unweighted: ds_ik_residual_size numbers.
///
/// Errors: DS_ERR_NO_STEP before a solution.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_residual(
    ik: *mut ds_ik,
    task: i32,
    residual: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = get(ik)?;
        let task = number(task)?;
        let n = s.ik.variation_size(task)?;
        let out = Out::new(residual, n, "residual")?;
        let x = &mut s.stage[..n];
        s.ik.residual(task, x)?;
        args::publish([(x, out)])
    })
}

/// Label of the derivative of the last solution by the targets. *gradient: DS_GRADIENT_EXACT, or
/// DS_GRADIENT_ONE_SIDED if a joint is at a bound that holds it with no force; then the derivative is
/// that of the side on which the joint leaves the bound. *unique: 1 if the solution is isolated. 0 if
/// it belongs to a family of solutions (an arm with more joints than the task needs); then the
/// derivative is the least-norm motion that follows the targets, and a search from another start may
/// end elsewhere. Either pointer may be NULL.
///
/// Errors: DS_ERR_NO_STEP before a solution; DS_ERR_NOT_CONVERGED after DS_IK_ITERATIONS, or if the
/// result is not yet a minimum; DS_ERR_NUMERICAL if the solution is singular; DS_ERR_UNSUPPORTED if
/// residuals remain and the model has violated equalities or joints whose axes vary.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_gradient(
    ik: *mut ds_ik,
    gradient: *mut ds_gradient,
    unique: *mut i32,
) -> ds_status {
    wall::status(|| {
        let s = get(ik)?;
        let gradient = args::optional_place(gradient, "gradient")?;
        let unique = args::optional_place(unique, "unique")?;
        let told = s.ik.gradient()?;
        if let Some(gradient) = gradient {
            gradient.write(told.gradient.into());
        }
        if let Some(unique) = unique {
            unique.write(i32::from(told.unique));
        }
        Ok(())
    })
}

/// Derivative of the last solution (tangent) by the variations of all targets, task after task:
/// nv × ds_ik_variation_size numbers, column-major.
///
/// Errors: those of ds_ik_gradient.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_jacobian(ik: *mut ds_ik, dq_dtarget: *mut f64) -> ds_status {
    wall::status(|| {
        let ik = &mut get(ik)?.ik;
        let n = ik.nv() * ik.variations();
        let out = Out::new(dq_dtarget, n, "dq_dtarget")?;
        ik.gradient()?;
        ik.jacobian(args::matrix(out, &[])?)
    })
}

/// Forward mode: the variation dq (tangent, nv numbers) of the last solution for variations dtarget
/// (ds_ik_variation_size numbers) of all targets.
///
/// Errors: those of ds_ik_gradient.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_jvp(ik: *mut ds_ik, dtarget: *const f64, dq: *mut f64) -> ds_status {
    wall::status(|| {
        let s = get(ik)?;
        let n = s.ik.nv();
        let by = args::numbers(dtarget, s.ik.variations(), "dtarget")?;
        let out = Out::new(dq, n, "dq")?;
        let x = &mut s.stage[..n];
        s.ik.jvp(by, x)?;
        args::publish([(x, out)])
    })
}

/// Reverse mode: given the gradient q_bar (tangent, nv numbers) of a function by the last solution,
/// computes its gradient by all targets: target_bar, ds_ik_variation_size numbers.
///
/// Errors: those of ds_ik_gradient.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_ik_vjp(
    ik: *mut ds_ik,
    q_bar: *const f64,
    target_bar: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = get(ik)?;
        let by = args::numbers(q_bar, s.ik.nv(), "q_bar")?;
        let n = s.ik.variations();
        let out = Out::new(target_bar, n, "target_bar")?;
        let x = &mut s.stage[..n];
        s.ik.vjp(by, x)?;
        args::publish([(x, out)])
    })
}
