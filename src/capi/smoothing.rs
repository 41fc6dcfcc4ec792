//! Smoothed derivatives: of the last step.

use super::args::{self, Growing, Out};
use super::derivatives::{ds_step_jacobians, jacobians};
use super::report::ds_gradient;
use super::sim::{ds_sim, get, parts};
use super::status::ds_status;
use super::wall;
use crate::error::Result;
use crate::query::{Smoothing, SmoothingInfo, SmoothingMethod};

/// Method of smoothing a derivative. Let x = (q, v, u), f the step, n standard normal and S the
/// widths. The randomized methods differentiate the mean of f(x (+) (d + S n)) over n by d, at d = 0.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_smoothing_method {
    /// Mean of exact Jacobians at random states. It has little variance but does not see jumps, such
    /// as the jump of the velocity at an impact.
    DS_SMOOTHING_FIRST_ORDER = 0,
    /// Correlation of results with random displacements. It sees jumps; its variance grows with
    /// 1/width.
    DS_SMOOTHING_ZEROTH_ORDER = 1,
    /// Exact Jacobian of the step with complementarity relaxed by kappa, see ds_sim_relaxed_step.
    /// With DS_CONTACT_NCP or DS_CONTACT_NONE, without contacts of condim 4 or 6.
    DS_SMOOTHING_CENTRAL_PATH = 2,
}

/// Options of ds_sim_smoothed_jacobians. Fill with ds_smoothing_init, then change fields. Pass NULL
/// for the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_smoothing {
    /// Size of this struct in bytes; set by ds_smoothing_init.
    pub struct_size: usize,
    /// A ds_smoothing_method. Default DS_SMOOTHING_FIRST_ORDER.
    pub method: i32,
    /// Must be 0.
    pub reserved: i32,
    /// Standard deviation of the random displacement of every entry of the tangent of q [m or rad]; 0
    /// does not displace q. Default 0.01.
    pub width_q: f64,
    /// Standard deviation of the random displacement of v [m/s or rad/s]. Default 0.01.
    pub width_v: f64,
    /// Standard deviation of the random displacement of u. Default 0.
    pub width_u: f64,
    /// Number of random displacements; each is taken with both signs, as two steps. Default 64.
    pub pairs: usize,
    /// Seed of the random numbers: the same seed gives the same bits. Default 0.
    pub seed: u64,
    /// Largest number of pairs that may be left out because a step or derivative fails. Default 0.
    pub max_failures: usize,
    /// Central path: the product of impulse and velocity at every contact and limit [J]. Default
    /// 1e-4.
    pub kappa: f64,
    /// Central path: contacts and limits up to this distance take part [m or rad]. Default 0.02.
    pub reach: f64,
}

// SAFETY: repr(C), the size first, i32 in pairs, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_smoothing {
    const NAME: &'static str = "ds_smoothing";
    const FIRST: usize = size_of::<ds_smoothing>();

    fn defaults() -> Self {
        let s = Smoothing::default();
        ds_smoothing {
            struct_size: size_of::<ds_smoothing>(),
            method: s.method as i32,
            reserved: 0,
            width_q: s.width_q,
            width_v: s.width_v,
            width_u: s.width_u,
            pairs: s.pairs,
            seed: s.seed,
            max_failures: s.max_failures,
            kappa: s.kappa,
            reach: s.reach,
        }
    }
}

unsafe fn smoothing(p: *const ds_smoothing) -> Result<Smoothing> {
    let s = args::grown(p, "smoothing")?;
    args::zero(s.reserved, "smoothing.reserved")?;
    Ok(Smoothing {
        method: choice!(s.method, "smoothing.method", ds_smoothing_method {
            DS_SMOOTHING_FIRST_ORDER => SmoothingMethod::FirstOrder,
            DS_SMOOTHING_ZEROTH_ORDER => SmoothingMethod::ZerothOrder,
            DS_SMOOTHING_CENTRAL_PATH => SmoothingMethod::CentralPath,
        })?,
        width_q: s.width_q,
        width_v: s.width_v,
        width_u: s.width_u,
        pairs: s.pairs,
        seed: s.seed,
        max_failures: s.max_failures,
        kappa: s.kappa,
        reach: s.reach,
    })
}

/// Facts about smoothed Jacobians.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_smoothing_info {
    /// DS_GRADIENT_SMOOTHED.
    pub gradient: ds_gradient,
    /// Reserved; 0.
    pub reserved: i32,
    /// Pairs in the mean; 0 for the central path.
    pub pairs: usize,
    /// Pairs that were left out; 0 for the central path.
    pub failures: usize,
}

impl From<SmoothingInfo> for ds_smoothing_info {
    fn from(i: SmoothingInfo) -> Self {
        ds_smoothing_info {
            gradient: i.gradient.into(),
            reserved: 0,
            pairs: i.pairs,
            failures: i.failures,
        }
    }
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_smoothing_init(smoothing: *mut ds_smoothing) {
    args::init(smoothing)
}

/// Smoothed Jacobians of the last step, which respond to a contact before it happens; shapes as in
/// ds_step_jacobians. info may be NULL. Computed on a copy of the sim, on the heap: the step, its
/// exact derivatives and later steps keep their bits. Zeroth order needs a positive width of every
/// variable by which you ask for a Jacobian, and gives none by parameters. See docs/gradients.md,
/// Smoothed derivatives.
///
/// Errors: DS_ERR_NO_STEP before a step; DS_ERR_INVALID_ARGUMENT naming the option or output, or
/// if options.derivatives is 0 (allowed for zeroth order); DS_ERR_NOT_CONVERGED if more than
/// max_failures pairs failed, or if the relaxed problem was not solved; DS_ERR_UNSUPPORTED for the
/// central path with a law that does not have it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_smoothed_jacobians(
    sim: *mut ds_sim,
    smoothing: *const ds_smoothing,
    out: *const ds_step_jacobians,
    info: *mut ds_smoothing_info,
) -> ds_status {
    wall::status(|| {
        let s = get(sim)?;
        let options = self::smoothing(smoothing)?;
        let info = args::optional_place(info, "info")?;
        let out = jacobians(out, s.sim.model(), s.sim.np(), 1)?;
        let made = s.sim.smoothed_jacobians(&options, out)?;
        if let Some(info) = info {
            info.write(made.into());
        }
        Ok(())
    })
}

/// The last step with relaxed complementarity: q_next (nq numbers) and v_next (nv numbers), whose
/// Jacobians DS_SMOOTHING_CENTRAL_PATH gives. smoothing.method must be DS_SMOOTHING_CENTRAL_PATH; of
/// the other options only kappa and reach are used. The last step does not change. Allocates.
///
/// Errors: as ds_sim_smoothed_jacobians.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_relaxed_step(
    sim: *mut ds_sim,
    smoothing: *const ds_smoothing,
    q_next: *mut f64,
    v_next: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = get(sim)?;
        let options = self::smoothing(smoothing)?;
        let (nq, nv) = (s.sim.model().nq(), s.sim.model().nv());
        let (to_q, to_v) = (
            Out::new(q_next, nq, "q_next")?,
            Out::new(v_next, nv, "v_next")?,
        );
        let [x, y] = parts(&mut s.stage, [nq, nv]);
        s.sim.relaxed_step(&options, x, y)?;
        args::publish([(x, to_q), (y, to_v)])
    })
}
