//! Options: of sims, rollouts and batches.

use super::args::{self, Growing};
use crate::collision::scene::FrictionRule;
use crate::error::Result;
use crate::step::{Contact, ConvexVariant, Integrator, Options};

/// The contact law of a step.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_contact_law {
    /// Rigid contact with the exact Coulomb cone.
    DS_CONTACT_NCP = 0,
    /// Rigid contact with a friction pyramid, a boxed linear complementarity problem. The two
    /// tangents of a contact are independent: along each, friction is at most the coefficient times
    /// the normal impulse. ds_contact.at_bound reports along which tangents the contact slides.
    DS_CONTACT_LCP = 1,
    /// Compliant contact as a convex problem, which always has exactly one solution. Use it for
    /// piles, and for contacts with a stiffness (DS_PARAM_CONTACT_STIFFNESS,
    /// DS_PARAM_CONTACT_DISSIPATION). Limits, dry friction and equalities are slightly compliant too,
    /// with the period of one time step. Sliding contacts keep a gap of friction × h × speed; a
    /// contact with a much larger gap has no friction. kp and kd must be 0.
    DS_CONTACT_CONVEX = 2,
    /// Contacts and joint limits are springs and dampers. They are explicit with the symplectic
    /// integrators: then h² k + h d < 2 m must roughly hold for the mass m that moves at a contact of
    /// stiffness k and damping d. They are implicit with DS_INTEGRATOR_BDF1, DS_INTEGRATOR_BDF2 and
    /// DS_INTEGRATOR_SDIRK2. DS_ERR_UNSUPPORTED for joints with dry friction, equalities, and tendons
    /// with bounds or dry friction. kp and kd must be 0.
    DS_CONTACT_PENALTY = 3,
    /// No contacts, limits, dry friction or equality constraints.
    DS_CONTACT_NONE = 4,
}

/// How the sliding friction of two geoms of equal priority combines. Of torsional and rolling
/// coefficients, which are lengths, the larger one counts with every rule.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_friction_rule {
    /// The larger one, as in MuJoCo.
    DS_FRICTION_LARGER = 0,
    /// 2 mu1 mu2 / (mu1 + mu2), as in Drake.
    DS_FRICTION_HARMONIC = 1,
    /// mu1 mu2.
    DS_FRICTION_PRODUCT = 2,
}

/// The friction of DS_CONTACT_CONVEX.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_convex_variant {
    /// The normal impulse of the step bounds friction. A contact that slides opens at friction × speed,
    /// and glides at a gap of friction × h × speed.
    DS_CONVEX_SAP = 0,
    /// Drake's default, lagged: friction is at most friction × h k max(-gap - dissipation × speed, 0) at
    /// the state before the step, for the contact's stiffness k. Sliding contacts do not open. A contact
    /// that closes in the step has no friction yet. It does not depend on earlier steps. Jacobians take
    /// one direction per column. DS_ERR_UNSUPPORTED with other laws, with torsional or rolling friction,
    /// for derivatives of DS_INTEGRATOR_IMPLICIT_EULER and DS_INTEGRATOR_MIDPOINT, and for those of the
    /// inverse of a step.
    DS_CONVEX_LAGGED = 1,
    /// Drake's similar: the normal impulse of the step bounds friction, which grows smoothly with the slip
    /// and reaches 70 % of its bound at 1e-4 m/s. Contacts that stick creep more slowly than this; contacts
    /// that slide glide as with DS_CONVEX_SAP. The derivative has no switch between sticking and sliding.
    /// DS_ERR_UNSUPPORTED with other laws, and with torsional or rolling friction.
    DS_CONVEX_SIMILAR = 2,
}

/// The time-stepping scheme.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_integrator {
    /// v+ = v + h a, q+ = q ⊕ h v+, with implicit joint damping and joint springs. The velocity of a
    /// free joint is in the body's own axes. While these rotate at w, its linear part grows by the
    /// share (h w)²/2 in each step.
    DS_INTEGRATOR_SYMPLECTIC_EULER = 0,
    /// Forces at the end of an impulse-free step, found by Newton's method:
    /// M(q*)(v* - v) = h (f - b)(q*, v*, u) with q* = q ⊕ h v*. Then impulses act through M(q*) plus
    /// the implicit terms of joint springs and dampers, with any contact law, and q+ = q ⊕ h v+.
    /// First order; stiff forces are damped. Free joints keep their linear velocity in world axes,
    /// here and in DS_INTEGRATOR_MIDPOINT.
    DS_INTEGRATOR_IMPLICIT_EULER = 1,
    /// Same as DS_INTEGRATOR_IMPLICIT_EULER, with the forces at the middle of the step, at
    /// q ⊕ h/4 (v + v*) and (v + v*)/2, and with q+ = q ⊕ h/2 (v + v+). Second order while impulses
    /// vary smoothly. It adds no numerical damping: stiff modes continue to oscillate.
    DS_INTEGRATOR_MIDPOINT = 2,
    /// Implicit Euler with the forces at the end of the step, found by Newton's method:
    /// M(q+)(v+ - v) = h (f - b)(q+, v+, u), q+ = q ⊕ h v+. First order; stiff forces are damped.
    /// Free joints keep their linear velocity in world axes, here and in BDF2 and SDIRK2. Needs
    /// DS_CONTACT_NONE or DS_CONTACT_PENALTY; penalty forces are implicit too.
    DS_INTEGRATOR_BDF1 = 3,
    /// The backward differentiation formula of second order, from the last two states. The first step
    /// is an SDIRK2 step. Only for ds_rollout_*: a single step has no previous state and is
    /// DS_ERR_UNSUPPORTED. Contact laws as for BDF1.
    DS_INTEGRATOR_BDF2 = 4,
    /// Same as DS_INTEGRATOR_SYMPLECTIC_EULER, but free joints keep their linear velocity in world
    /// axes, as in MuJoCo and Drake: a spinning body flies straight, and a rolling body stays on the
    /// ground. v+ is in the axes at the end of the step, as always. The centre of mass of a free body
    /// moves on a straight line wherever its frame is. Without torque the body keeps its angular
    /// momentum, and its energy stays in a band; so does a body on a ball joint that carries no other
    /// bodies.
    DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD = 5,
    /// Two implicit stages like those of BDF1. Second order; stiff forces are damped as by BDF1.
    /// Contact laws as for BDF1.
    DS_INTEGRATOR_SDIRK2 = 6,
    /// The integrator nearest to that of the model's file. MuJoCo's Euler and implicitfast, and files
    /// that name none, give DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD; implicit gives
    /// DS_INTEGRATOR_IMPLICIT_EULER; RK4 gives DS_INTEGRATOR_MIDPOINT. All of these work with every
    /// contact law. ds_sim_integrator returns the result.
    DS_INTEGRATOR_FROM_MODEL = 7,
}

/// Options of a sim, rollout or batch, fixed at its creation. Fill with ds_options_init, then change
/// fields. Pass NULL for the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_options {
    /// Size of this struct in bytes; set by ds_options_init.
    pub struct_size: usize,
    /// Time step [s], at least 1e-100. Default 0: the time step of the model (ds_model_time_step).
    /// ds_sim_time_step returns the one in use.
    pub time_step: f64,
    /// A ds_contact_law. Default DS_CONTACT_NCP.
    pub contact: i32,
    /// A ds_integrator. Default DS_INTEGRATOR_FROM_MODEL.
    pub integrator: i32,
    /// Largest residual of the contact problem that counts as solved. With DS_CONTACT_CONVEX it is
    /// the residual of momentum, relative to the change of momentum by impulses. Default 1e-9.
    pub tolerance: f64,
    /// Largest number of iterations, of any kind, that the contact solver may use in a step on bodies
    /// that touch each other. Default 1000.
    pub max_iterations: usize,
    /// Number of contacts for which memory is allocated. More contacts are DS_ERR_CAPACITY; the
    /// message says how many are needed and of which geoms. Default 0: 32, plus 16 for each moving
    /// geom that may touch something, or 8 for each moving link with such geoms; or, if that is more
    /// and up to 128, 4 for each pair of geoms that may touch. With DS_CONTACT_CONVEX at most 512 by
    /// geoms if condim is 4 or 6, and 256 more for each moving hydroelastic geom. At most 2^20 / nv,
    /// but at least 32. Memory of contacts that do not occur is reserved and not touched.
    pub max_contacts: usize,
    /// Stabilization, 0 to 1: the share of a penetration that remains after a step. Default 0.
    pub kp: f64,
    /// Stabilization, 0 to 1: the share of its normal velocity that an active contact keeps. Default
    /// 0.
    pub kd: f64,
    /// A rollout keeps every checkpoint_interval-th state and recomputes the states between. Default
    /// 1.
    pub checkpoint_interval: usize,
    /// 0: no workspace for derivatives is allocated, and asking for a derivative is
    /// DS_ERR_INVALID_ARGUMENT. Steps have the same bits with 0 and 1. Default 1.
    pub derivatives: i32,
    /// 1: a step whose contact problem is not solved to the tolerance is DS_ERR_NOT_CONVERGED. 0: the
    /// step is taken, ds_step_info reports it, and its derivatives are DS_ERR_NOT_CONVERGED. Default
    /// 0.
    pub require_convergence: i32,
    /// Stabilization speed [m/s], 0 to inf: the largest speed at which a step removes a penetration,
    /// a passed limit or the violation of an equality that is a length. Larger violations take
    /// several steps. A contact is pushed apart more slowly if joints would otherwise move faster
    /// than this bound and max_push_out_angle. Default 0.5.
    pub max_push_out: f64,
    /// Stabilization speed for violations that are angles [rad/s]: limits of hinges, couplings of
    /// hinges, orientations of welds. Default 1.
    pub max_push_out_angle: f64,
    /// Work budget of a step's contact problem, in factorizations of this problem (ds_step_info.work), 1 to
    /// inf. It does not depend on a clock. A problem beyond the budget is not solved: the step is
    /// taken with impulses inside the friction cones that add no energy, ds_step_info.converged is 0,
    /// and derivatives are DS_ERR_NOT_CONVERGED. inf lets every method run to its end, for offline
    /// use.
    ///
    /// A factorization of more than a million multiplications counts with a weight if there are more
    /// than two rows per dof, as in a jam. The weight is the smaller of multiplications / 10⁶ and
    /// rows / (2 dofs). Default 1000.
    pub max_work: f64,
    /// Contacts of geoms with restitution rebound if they approach faster than this before the step
    /// [m/s], 0 to inf; slower contacts come to rest. DS_CONTACT_CONVEX has dissipation and no
    /// rebounds. Default 0.01.
    pub restitution_threshold: f64,
    /// 1: ds_rollout_adjoint uses the gradient of ds_sim_step_vjp_aware in every step;
    /// ds_rollout_aware_report reports the effect. The option changes nothing else. Default 0.
    pub aware_gradient: i32,
    /// 1: at the end of every step the speed of a one-dof joint is at most its velocity limit
    /// (ds_model_joint_effort_velocity). An impulse on the joint enforces it against any load. A
    /// limit of 0 locks the joint. Prescribed velocities are not bounded. DS_ERR_UNSUPPORTED with
    /// DS_CONTACT_NONE and DS_CONTACT_PENALTY, and so with DS_INTEGRATOR_BDF1, DS_INTEGRATOR_BDF2 and
    /// DS_INTEGRATOR_SDIRK2. With DS_CONTACT_CONVEX the bound is slightly compliant. Default 0.
    pub velocity_limits: i32,
    /// For implicit integrators: the size of the correction at which Newton's method stops. It is
    /// relative to the stage's largest velocity, or to the velocity that an acceleration of 1 m/s² or
    /// rad/s² adds in the stage if that is larger. Newton's method also stops when it reaches
    /// round-off. Default 1e-15.
    pub newton_tolerance: f64,
    /// Largest number of Newton iterations in a stage. With penalty contact, or with cables, it
    /// applies to each of up to seven tries. A step that needs more has not converged and has no
    /// derivative. Default 50.
    pub max_newton: usize,
    /// Depth [m] above which contacts at the start of a step are counted in ds_step_info.too_deep,
    /// with every contact law; inf counts none. Nothing else depends on it. Default 0: a quarter of
    /// the least half extent of either geom, which is half of the depth at which the geom would leave
    /// on the other side.
    pub max_depth: f64,
    /// A ds_friction_rule, for all contact laws. Default DS_FRICTION_LARGER.
    pub friction_rule: i32,
    /// A ds_convex_variant. Default DS_CONVEX_SAP.
    pub convex_variant: i32,
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
            friction_rule: o.friction_rule as i32,
            convex_variant: o.convex_variant as i32,
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
        friction_rule: choice!(o.friction_rule, "options.friction_rule", ds_friction_rule {
            DS_FRICTION_LARGER => FrictionRule::Larger,
            DS_FRICTION_HARMONIC => FrictionRule::Harmonic,
            DS_FRICTION_PRODUCT => FrictionRule::Product,
        })?,
        convex_variant: choice!(o.convex_variant, "options.convex_variant", ds_convex_variant {
            DS_CONVEX_SAP => ConvexVariant::Sap,
            DS_CONVEX_LAGGED => ConvexVariant::Lagged,
            DS_CONVEX_SIMILAR => ConvexVariant::Similar,
        })?,
        // The other solvers serve the library's own tests.
        solver: Options::default().solver,
    })
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_options_init(options: *mut ds_options) {
    args::init(options)
}
