//! How a sim, rollout or batch steps.

use super::args::{self, Growing};
use crate::error::Result;
use crate::step::{Contact, Integrator, Options};

/// The contact law of a step.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_contact_law {
    /// Rigid contact with the exact Coulomb cone.
    DS_CONTACT_NCP = 0,
    /// Rigid contact with a friction pyramid, a boxed linear complementarity problem: along each of a contact's two tangents by
    /// itself friction is at most the coefficient times the normal impulse. ds_contact.at_bound says along which it slides.
    DS_CONTACT_LCP = 1,
    /// Compliant contact as a convex problem, which always has one solution: for piles, and where contacts have a stiffness
    /// (DS_PARAM_CONTACT_STIFFNESS, DS_PARAM_CONTACT_DISSIPATION). Limits, dry friction and equalities yield a little, too:
    /// they have the period of a step. Sliding contacts glide at a gap of friction × h × speed; those that are open by much more
    /// have no friction. kp and kd must be 0.
    DS_CONTACT_CONVEX = 2,
    /// Contacts and joint limits are springs and dampers. With the symplectic integrators they are explicit: about
    /// h² k + h d < 2 m must hold of the mass m that a contact of stiffness k and damping d moves; with DS_INTEGRATOR_BDF1 and
    /// the like they are implicit. Joints with dry friction, equalities, and tendons with bounds or dry friction are
    /// DS_ERR_UNSUPPORTED, kp and kd must be 0.
    DS_CONTACT_PENALTY = 3,
    /// Nothing touches: no contacts, limits, dry friction or equality constraints.
    DS_CONTACT_NONE = 4,
}

/// The time-stepping scheme.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_integrator {
    /// v+ = v + h a, q+ = q ⊕ h v+, with joint damping and springs implicit. The velocity of a free joint is in the body's
    /// own axes: where these turn at w, its linear part gains the share (h w)²/2 a step.
    DS_INTEGRATOR_SYMPLECTIC_EULER = 0,
    /// Forces where the velocity without impulses leads, found by Newton's method: M(q*) (v* - v) = h (f - b)(q*, v*, u) with
    /// q* = q ⊕ h v*. Then impulses through M(q*) and what joint springs and dampers add to it, with any contact law, and
    /// q+ = q ⊕ h v+. Of first order; stiff forces are damped. Free joints keep their linear velocity in world axes, in this
    /// and in DS_INTEGRATOR_MIDPOINT.
    DS_INTEGRATOR_IMPLICIT_EULER = 1,
    /// The same with forces halfway, at q ⊕ h/4 (v + v*) and (v + v*)/2, and q+ = q ⊕ h/2 (v + v+): of second order while
    /// impulses vary smoothly. It damps nothing: what is stiff rings on.
    DS_INTEGRATOR_MIDPOINT = 2,
    /// Implicit Euler with the forces where the step ends, found by Newton's method: M(q+) (v+ - v) = h (f - b)(q+, v+, u),
    /// q+ = q ⊕ h v+. Of first order; stiff forces are damped. Free joints keep their linear velocity in world axes, in this
    /// and in BDF2 and SDIRK2. With DS_CONTACT_NONE or DS_CONTACT_PENALTY, whose forces are then implicit, too.
    DS_INTEGRATOR_BDF1 = 3,
    /// The backward differentiation formula of second order, from the last two states; the first step is one of SDIRK2. In
    /// ds_rollout_* only: a single step does not know the one before it, and is DS_ERR_UNSUPPORTED. Contact as with BDF1.
    DS_INTEGRATOR_BDF2 = 4,
    /// The same, but free joints keep their linear velocity in world axes, as they do in MuJoCo and Drake: a body that
    /// spins flies straight, one that rolls stays on the ground. v+ is in the axes of the end, as always. The centre of mass
    /// of a free body goes on a line wherever its frame is; without torque it keeps its angular momentum, and its energy within
    /// a band, as a body on a ball joint does on which nothing hangs.
    DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD = 5,
    /// Two implicit stages as those of BDF1, of second order; what is stiff is damped as by it. Contact as with BDF1.
    DS_INTEGRATOR_SDIRK2 = 6,
    /// The nearest to what the model's file asks for: of MuJoCo's Euler and implicitfast, and where the file names none,
    /// DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD; of implicit DS_INTEGRATOR_IMPLICIT_EULER; of RK4 DS_INTEGRATOR_MIDPOINT.
    /// These go with every law. ds_sim_integrator says which it is.
    DS_INTEGRATOR_FROM_MODEL = 7,
}

/// Options of a sim, rollout or batch, fixed at its creation. Fill with ds_options_init, then change
/// fields. NULL in its place means the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_options {
    /// Size of this struct in bytes; set by ds_options_init.
    pub struct_size: usize,
    /// Length of a step [s], at least 1e-100. Default 0: that of the model (ds_model_time_step); ds_sim_time_step has it.
    pub time_step: f64,
    /// A ds_contact_law. Default DS_CONTACT_NCP.
    pub contact: i32,
    /// A ds_integrator. Default DS_INTEGRATOR_FROM_MODEL.
    pub integrator: i32,
    /// Largest residual of the contact problem that counts as solved; with DS_CONTACT_CONVEX that of momentum, relative to
    /// what impulses change of it. Default 1e-9.
    pub tolerance: f64,
    /// Largest number of iterations, of whatever kind, that the contact solver spends in a step on bodies that touch each
    /// other. Default 1000.
    pub max_iterations: usize,
    /// Contacts for which memory is made; one more is DS_ERR_CAPACITY, which says how many are needed and of which geoms.
    /// Default 0: 32, and 8 for each moving link with geoms that may touch, or, up to 128, the 4 points of each pair of geoms that
    /// may; within 2^20 / nv (but 32).
    pub max_contacts: usize,
    /// Stabilization, 0 to 1: share of a penetration that is left after a step. Default 0.
    pub kp: f64,
    /// Stabilization, 0 to 1: share of its normal velocity that an active contact keeps. Default 0.
    pub kd: f64,
    /// A rollout keeps every checkpoint_interval-th state and recomputes those between. Default 1.
    pub checkpoint_interval: usize,
    /// 0: no workspace for derivatives is made and asking for one is DS_ERR_INVALID_ARGUMENT. Results
    /// of steps are the same to the bit. Default 1.
    pub derivatives: i32,
    /// 1: a step whose contact problem is not solved to the tolerance is DS_ERR_NOT_CONVERGED.
    /// 0: it is taken, ds_step_info says so, and its derivatives are DS_ERR_NOT_CONVERGED. Default 0.
    pub require_convergence: i32,
    /// Largest speed at which a step undoes a penetration, a passed limit or an equality's violation that it finds, where
    /// this is a length [m/s], 0 to inf: bodies that overlap by more are pushed apart over several steps. A contact pushes
    /// slower where joints would answer faster than this and the next. Default 0.5.
    pub max_push_out: f64,
    /// The same where it is an angle [rad/s]: limits of hinges, couplings of hinges, orientations of welds. Default 1.
    pub max_push_out_angle: f64,
    /// Largest work of a step's contact problem, in factorizations of this problem (ds_sim_work), 1 to inf; no clock decides. One
    /// of more than a million multiplications counts as more where bodies are jammed: by their number over a million, or by
    /// that of rows over two for each dof, whichever is less.
    /// Hard problems beyond it are not solved: the step is taken with impulses inside the friction cones that add no
    /// energy, ds_step_info says that it has not converged, and its derivatives are DS_ERR_NOT_CONVERGED. inf: whatever the
    /// longest of the methods needs, for offline use. Default 1000.
    pub max_work: f64,
    /// Contacts of geoms with restitution rebound where they approach faster than this before the step, 0 to inf [m/s]; slower
    /// ones come to rest. DS_CONTACT_CONVEX has dissipation instead, and no rebounds. Default 0.01.
    pub restitution_threshold: f64,
    /// 1: ds_rollout_adjoint takes the gradient of ds_sim_step_vjp_aware in every step, and ds_rollout_aware_report says
    /// what became of that. Nothing else depends on it. Default 0.
    pub aware_gradient: i32,
    /// 1: the speed of a joint of one degree of freedom is at most its velocity limit (ds_model_joint_effort_velocity) at the end of
    /// every step, whatever acts on it, by an impulse on the joint; a limit of 0 holds it. Prescribed velocities are not
    /// bounded. With DS_CONTACT_NONE and DS_CONTACT_PENALTY, and so with DS_INTEGRATOR_BDF1 and the like,
    /// DS_ERR_UNSUPPORTED; with DS_CONTACT_CONVEX it yields a little. Default 0.
    pub velocity_limits: i32,
    /// With an implicit integrator: the correction at which Newton's method stops, relative to the stage's largest velocity,
    /// or to what an acceleration of 1 m/s² or rad/s² adds to it where that is larger. Where round-off is reached before it
    /// stops, too. Default 1e-15.
    pub newton_tolerance: f64,
    /// Largest number of iterations of Newton's method in a stage; with penalty contact, or tendons that only pull, in each of
    /// up to seven tries. A step that would need more has not converged, and has no derivative. Default 50.
    pub max_newton: usize,
    /// Contacts that are deeper than this when a step begins are counted in ds_step_info.too_deep [m], with every law; inf: none.
    /// Nothing else depends on it. Default 0: a quarter of the least half extent of either geom, which is half way to where it
    /// would come out on the other side.
    pub max_depth: f64,
}

// SAFETY: repr(C), the size first, i32 in pairs, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_options {
    const NAME: &'static str = "ds_options";
    const FIRST: usize = std::mem::offset_of!(ds_options, max_push_out_angle);

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
            max_push_out_angle: o.max_push_out_angle,
            max_work: o.max_work,
            restitution_threshold: o.restitution_threshold,
            aware_gradient: i32::from(o.aware_gradient),
            velocity_limits: i32::from(o.velocity_limits),
            newton_tolerance: o.newton_tolerance,
            max_newton: o.max_newton,
            max_depth: o.max_depth,
        }
    }
}

pub(super) unsafe fn options(p: *const ds_options) -> Result<Options> {
    let o = args::grown(p, "options")?;
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
            DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD => Integrator::SymplecticEulerWorld,
            DS_INTEGRATOR_IMPLICIT_EULER => Integrator::ImplicitEuler,
            DS_INTEGRATOR_MIDPOINT => Integrator::Midpoint,
            DS_INTEGRATOR_BDF1 => Integrator::Bdf1,
            DS_INTEGRATOR_BDF2 => Integrator::Bdf2,
            DS_INTEGRATOR_SDIRK2 => Integrator::Sdirk2,
            DS_INTEGRATOR_FROM_MODEL => Integrator::FromModel,
        })?,
        tolerance: o.tolerance,
        max_iterations: o.max_iterations,
        max_contacts: o.max_contacts,
        kp: o.kp,
        kd: o.kd,
        max_push_out: o.max_push_out,
        max_push_out_angle: o.max_push_out_angle,
        max_work: o.max_work,
        restitution_threshold: o.restitution_threshold,
        velocity_limits: args::flag(o.velocity_limits, "options.velocity_limits")?,
        derivatives: args::flag(o.derivatives, "options.derivatives")?,
        require_convergence: args::flag(o.require_convergence, "options.require_convergence")?,
        checkpoint_interval: o.checkpoint_interval,
        newton_tolerance: o.newton_tolerance,
        max_newton: o.max_newton,
        max_depth: o.max_depth,
        aware_gradient: args::flag(o.aware_gradient, "options.aware_gradient")?,
        // The other solvers are for the library's own checks.
        solver: Options::default().solver,
    })
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_options_init(options: *mut ds_options) {
    args::init(options)
}
