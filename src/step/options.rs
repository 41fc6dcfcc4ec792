//! Options of a simulation's steps.

use crate::collision::scene::{FrictionRule, pairs_that_may_touch};
use crate::contact::ncp::Method;
use crate::error::{Error, Result};
use crate::integrator::implicit::Formula;
use crate::model::Model;
use crate::model::spec::{FileIntegrator, GeomSpec, HydroelasticKind};
use crate::model::topology::WORLD;

/// Default number of contacts for any model, and in addition for each moving link and each moving geom that
/// may touch something; the larger number counts. Links that overlap their neighbours in an ordinary stance
/// have four or more contacts with each neighbour, and links of many parts some for each part. Memory of
/// contacts that do not occur is reserved and never touched.
const CONTACTS: usize = 32;
const CONTACTS_A_LINK: usize = 8;
const CONTACTS_A_GEOM: usize = 16;

/// Largest default number of contacts by geoms if a geom has torsional or rolling friction, with the convex
/// law: its four matrices of 6 rows a contact reserve 0.3 GB.
const MOST_TURNING: usize = 512;

/// Largest number of points of a pair of geoms, and the number of contacts up to which all pairs of a model
/// get capacity by default. The few links of an arm can all overlap at once, with several geoms each; those
/// of a larger robot cannot.
const POINTS: usize = 4;
const ALL: usize = 128;

/// Default number of contacts in addition for each hydroelastic geom that moves, with the convex law: a
/// box flat on another one has some 150 faces, a sphere at a resolution of a fifth of its radius fewer.
const FACES: usize = 256;

/// Largest default product of contacts and dofs. Each entry takes some hundred bytes.
const MOST_ENTRIES: usize = 1 << 20;

/// Shortest time step [s]: the rates of derivatives that are within [`REACH`](crate::model::REACH) stay
/// finite.
const SHORTEST: f64 = 1e-100;

/// The contact law of a step.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contact {
    /// Rigid contact with the exact Coulomb cone.
    Ncp = 0,
    /// Boxed linear complementarity with a friction pyramid.
    Lcp = 1,
    /// Compliant contact as a convex problem ([`crate::contact::convex`]), which always has exactly one
    /// solution. Contacts have a stiffness and a dissipation time. Limits, dry friction and equalities are
    /// slightly compliant too.
    Convex = 2,
    /// Contacts and joint limits are springs and dampers ([`crate::force::penalty`]). They are explicit
    /// with the symplectic integrators, which are stable if about h² k + h d < 2 m for the mass m that
    /// moves at a contact of stiffness k and damping d. They are implicit with the implicit integrators.
    Penalty = 3,
    /// No contacts, limits, dry friction or equality constraints.
    None = 4,
}

/// The slip speed of [`ConvexVariant::Similar`]: friction is 70 % of its bound at this slip [m/s]. Drake's
/// default.
pub const STICTION: f64 = 1e-4;

/// The friction of [`Contact::Convex`].
#[repr(i32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConvexVariant {
    /// The normal impulse of this step bounds friction. Sliding contacts open at μ‖v_T‖ and glide at a gap
    /// of about μ h‖v_T‖.
    #[default]
    Sap = 0,
    /// The normal impulse of the state before the step bounds friction
    /// ([`constraint::Compliance`](crate::constraint::Compliance)). Sliding contacts do not open. A contact
    /// that closes in the step has no friction yet.
    Lagged = 1,
    /// The normal impulse of this step bounds friction, which is smooth in the slip. Contacts that stick
    /// creep, half of their friction at 0.6 [`STICTION`]; sliding contacts glide as with `Sap`.
    Similar = 2,
}

/// The time-stepping scheme.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrator {
    /// v⁺ = v + h a(q, v), q⁺ = q ⊕ h v⁺, with implicit joint damping and springs. The velocity of a free
    /// joint is in the body's own axes. While these rotate at ω, its linear part grows by the share (hω)²/2
    /// in each step.
    SymplecticEuler = 0,
    /// Forces at the end of an impulse-free step, found by Newton's method: M(q*)(v* − v) = h (f − b)(q*,
    /// v*, u) with q* = q ⊕ h v*. Then impulses act through M(q*) plus the implicit terms of springs and
    /// dampers, and q⁺ = q ⊕ h v⁺. Works with every contact law. First order; stiff forces are damped. Free
    /// joints keep their linear velocity in world axes, here and in `Midpoint`.
    ImplicitEuler = 1,
    /// Same as `ImplicitEuler`, with the forces at the middle of the step, at q ⊕ h/4 (v + v*) and
    /// (v + v*)/2, and with q⁺ = q ⊕ h/2 (v + v⁺). Second order while impulses vary smoothly. It adds no
    /// numerical damping: stiff modes continue to oscillate.
    Midpoint = 2,
    /// Implicit Euler with the forces at the end of the step, found by Newton's method: M(q⁺)(v⁺ − v) = h
    /// (f − b)(q⁺, v⁺, u), q⁺ = q ⊕ h v⁺. First order; stiff forces are damped. Free joints keep their
    /// linear velocity in world axes, here and in `Bdf2` and `Sdirk2`. Needs [`Contact::None`] or
    /// [`Contact::Penalty`]; penalty forces are implicit too.
    Bdf1 = 3,
    /// The backward differentiation formula of second order, from the last two states. The first step is an
    /// [`Integrator::Sdirk2`] step. Only for trajectories ([`Rollout`](crate::rollout::Rollout)): a single
    /// step has no previous state.
    Bdf2 = 4,
    /// Same as `SymplecticEuler`, but free joints keep their linear velocity in world axes, as in MuJoCo
    /// and Drake: a spinning body flies straight, and a rolling body stays on the ground. v⁺ is in the axes
    /// at the end of the step, as always. The centre of mass of a free body moves on a straight line
    /// wherever its frame is. Without torque the body keeps its angular momentum, and its energy stays in a
    /// band ([`dynamics::spin`](crate::dynamics::spin)); so does a body on a ball joint that carries no
    /// other bodies.
    SymplecticEulerWorld = 5,
    /// Two implicit stages like those of [`Integrator::Bdf1`]. Second order; stiff forces are damped as by
    /// `Bdf1`.
    Sdirk2 = 6,
    /// The integrator nearest to that of the model's file ([`Integrator::nearest`]). It works with every
    /// contact law.
    FromModel = 7,
}

/// How a step finds the velocity without impulses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// From the forces at the start of the step.
    Explicit,
    /// By the implicit stage of a scheme, after which impulses act.
    Stage,
    /// By the stages of an implicit formula, at which the step ends.
    Formula,
}

impl Integrator {
    /// The implicit formula of this name.
    pub fn formula(self) -> Option<Formula> {
        match self {
            Integrator::Bdf1 => Some(Formula::Bdf1),
            Integrator::Bdf2 => Some(Formula::Bdf2),
            Integrator::Sdirk2 => Some(Formula::Sdirk2),
            Integrator::SymplecticEuler
            | Integrator::SymplecticEulerWorld
            | Integrator::ImplicitEuler
            | Integrator::Midpoint
            | Integrator::FromModel => None,
        }
    }

    /// The way of [`Parts`](super::Parts) made from this name. `FromModel` must have been replaced
    /// ([`Options::for_model`]).
    pub fn advance(self) -> Advance {
        match self {
            Integrator::SymplecticEuler
            | Integrator::SymplecticEulerWorld
            | Integrator::FromModel => Advance::Explicit,
            Integrator::ImplicitEuler | Integrator::Midpoint => Advance::Stage,
            Integrator::Bdf1 | Integrator::Bdf2 | Integrator::Sdirk2 => Advance::Formula,
        }
    }

    /// The integrator nearest to that of a file. Euler and implicitfast treat damping implicitly, as the
    /// symplectic scheme does. Implicit treats all velocity-dependent forces implicitly, as implicit Euler
    /// does. RK4 has a high order and adds no damping, like the midpoint rule.
    pub fn nearest(asked: Option<FileIntegrator>) -> Integrator {
        match asked {
            None | Some(FileIntegrator::Euler | FileIntegrator::ImplicitFast) => {
                Integrator::SymplecticEulerWorld
            }
            Some(FileIntegrator::Implicit) => Integrator::ImplicitEuler,
            Some(FileIntegrator::Rk4) => Integrator::Midpoint,
        }
    }
}

/// Options of a simulation, fixed at its creation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Time step [s]; 0: the time step of the model ([`Model::time_step`]).
    pub time_step: f64,
    pub contact: Contact,
    pub integrator: Integrator,
    /// Method for the contact problem. The first-order methods serve to check each other and the default:
    /// they need many iterations and reach the tolerance only on easy problems.
    pub solver: Method,
    /// Largest residual of the contact problem that counts as solved. With [`Contact::Convex`] it is the
    /// residual of momentum, relative to the change of momentum by impulses.
    pub tolerance: f64,
    /// Largest number of iterations, of any kind, that the contact solver may use in a step on bodies that
    /// touch each other.
    pub max_iterations: usize,
    /// Work budget of a step's contact problem, in factorizations of it; large factorizations of jams count
    /// with a weight ([`WorkBudget`]). At least 1; infinite for no bound. A problem beyond the budget is not
    /// solved: the step takes the best iterate and reports it.
    ///
    /// [`WorkBudget`]: crate::contact::work_budget::WorkBudget
    pub max_work: f64,
    /// Number of contacts for which memory is allocated; 0: the number that the model is likely to need
    /// ([`Options::for_model`]).
    pub max_contacts: usize,
    /// Stabilization: share of a penetration, or of an equality's violation, that remains after the step,
    /// and share of its normal velocity that an active contact keeps.
    pub kp: f64,
    pub kd: f64,
    /// Stabilization speeds, 0 to ∞: the largest speed at which a step removes a penetration, a passed
    /// limit or an equality's violation, for lengths [m/s] and angles [rad/s]. Larger violations take
    /// several steps. A joint approaches its limit with decreasing speed; a contact keeps the speed with
    /// which it was pushed apart.
    pub max_push_out: f64,
    pub max_push_out_angle: f64,
    /// Contacts of geoms with restitution rebound if they approach faster than this before the step [m/s],
    /// 0 to ∞. Slower contacts come to rest. With 0 a ball bounces at ever smaller heights.
    /// [`Contact::Convex`] has dissipation and no rebounds.
    pub restitution_threshold: f64,
    /// Bounds the speed of one-dof joints at the end of a step by their velocity limits, against any load.
    pub velocity_limits: bool,
    /// Allocate the workspace of derivatives.
    pub derivatives: bool,
    /// True: a step whose contact problem is not solved to the tolerance is an error. False: the step is
    /// taken and flagged, and has no derivative.
    pub require_convergence: bool,
    /// A rollout keeps every `checkpoint_interval`-th state and recomputes the states between.
    pub checkpoint_interval: usize,
    /// For implicit integrators: the size of the correction at which Newton's method stops. It is relative
    /// to the stage's largest velocity, or to the velocity that an acceleration of 1 m/s² or rad/s² adds in
    /// the stage if that is larger. Newton's method also stops when it reaches round-off.
    pub newton_tolerance: f64,
    /// Largest number of Newton iterations in a stage. A step that needs more has not converged.
    pub max_newton: usize,
    /// Depth [m] above which contacts are counted in [`StepInfo::too_deep`](super::StepInfo::too_deep),
    /// with every law; ∞ counts none. 0: a quarter of the least half extent of either geom, which is half
    /// of the depth at which the geom would leave on the other side. It changes nothing else.
    pub max_depth: f64,
    /// Use [`Sim::step_vjp_aware`](super::Sim::step_vjp_aware) in every step of a rollout's adjoint.
    pub aware_gradient: bool,
    /// How the sliding friction of two geoms combines, with every law.
    pub friction_rule: FrictionRule,
    /// The friction of [`Contact::Convex`].
    pub convex_variant: ConvexVariant,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            time_step: 0.0,
            contact: Contact::Ncp,
            integrator: Integrator::FromModel,
            solver: Method::Auto,
            tolerance: 1e-9,
            max_iterations: 1000,
            max_work: 1000.0,
            max_contacts: 0,
            kp: 0.0,
            kd: 0.0,
            max_push_out: 0.5,
            max_push_out_angle: 1.0,
            restitution_threshold: 0.01,
            velocity_limits: false,
            derivatives: true,
            require_convergence: false,
            checkpoint_interval: 1,
            newton_tolerance: 1e-15,
            max_newton: 50,
            max_depth: 0.0,
            aware_gradient: false,
            friction_rule: FrictionRule::default(),
            convex_variant: ConvexVariant::default(),
        }
    }
}

impl Options {
    /// Replaces the options that are left to the model: the time step, the integrator and the number of
    /// contacts.
    pub fn for_model(&self, model: &Model) -> Options {
        Options {
            time_step: match self.time_step {
                0.0 => model.time_step(),
                h => h,
            },
            integrator: match self.integrator {
                // Elastic forces of deformable bodies need an implicit integrator.
                Integrator::FromModel if !model.deformables().is_empty() => {
                    Integrator::ImplicitEuler
                }
                Integrator::FromModel => Integrator::nearest(model.integrator()),
                named => named,
            },
            max_contacts: match self.max_contacts {
                0 => self.likely_contacts(model),
                n => n,
            },
            ..*self
        }
    }

    /// `CONTACTS`, plus `CONTACTS_A_LINK` for each moving link that may touch something, or
    /// `CONTACTS_A_GEOM` for each such geom; or, if that is more and up to `ALL`, `POINTS` for each pair of
    /// geoms that may touch; and `FACES` for each moving hydroelastic geom. Bounded by `MOST_ENTRIES`.
    fn likely_contacts(&self, model: &Model) -> usize {
        let mut links: Vec<usize> = (0..model.ngeom())
            .filter(|g| model.may_touch_any(*g))
            .map(|g| model.bodies()[model.geoms()[g].body].link)
            .filter(|l| *l != WORLD)
            .collect();
        let mut by_geoms = CONTACTS + CONTACTS_A_GEOM * links.len();
        if self.contact == Contact::Convex && model.resists_torsion() {
            by_geoms = by_geoms.min(MOST_TURNING);
        }
        links.sort_unstable();
        links.dedup();
        let mut likely = by_geoms.max(CONTACTS + CONTACTS_A_LINK * links.len());
        if likely < ALL {
            likely = likely.max(POINTS * pairs_that_may_touch(model, ALL / POINTS));
        }
        if self.contact == Contact::Convex {
            let has_faces = |g: &&GeomSpec| {
                g.hydroelastic.kind != HydroelasticKind::None
                    && model.bodies()[g.body].link != WORLD
            };
            likely += FACES * model.geoms().iter().filter(has_faces).count();
        }
        likely.min((MOST_ENTRIES / model.nv().max(1)).max(CONTACTS))
    }

    /// Checks the options.
    pub fn check(&self) -> Result<()> {
        let is_long = self.time_step >= SHORTEST && self.time_step.is_finite();
        if !(is_long || self.time_step == 0.0) {
            return Err(Error::invalid(format!(
                "options.time_step must be finite and at least {SHORTEST:e}, or 0 for the time step of the model, got {}",
                self.time_step
            )));
        }
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return Err(Error::invalid(format!(
                "options.tolerance must be positive and finite, got {}",
                self.tolerance
            )));
        }
        if self.max_iterations == 0 {
            return Err(Error::invalid(
                "options.max_iterations must be positive, got 0",
            ));
        }
        if self.max_work.is_nan() || self.max_work < 1.0 {
            return Err(Error::invalid(format!(
                "options.max_work must be at least 1, got {}",
                self.max_work
            )));
        }
        for (name, x) in [("kp", self.kp), ("kd", self.kd)] {
            if !(0.0..=1.0).contains(&x) {
                return Err(Error::invalid(format!(
                    "options.{name} must be in [0, 1], got {x}"
                )));
            }
        }
        for (name, x) in [
            ("max_push_out", self.max_push_out),
            ("max_push_out_angle", self.max_push_out_angle),
            ("restitution_threshold", self.restitution_threshold),
            ("max_depth", self.max_depth),
        ] {
            if x.is_nan() || x < 0.0 {
                return Err(Error::invalid(format!(
                    "options.{name} must be at least 0, got {x}"
                )));
            }
        }
        if !(self.newton_tolerance > 0.0 && self.newton_tolerance.is_finite()) {
            return Err(Error::invalid(format!(
                "options.newton_tolerance must be positive and finite, got {}",
                self.newton_tolerance
            )));
        }
        if self.max_newton == 0 {
            return Err(Error::invalid("options.max_newton must be positive, got 0"));
        }
        if self.checkpoint_interval == 0 {
            return Err(Error::invalid(
                "options.checkpoint_interval must be positive, got 0",
            ));
        }
        if matches!(self.contact, Contact::Convex | Contact::Penalty) {
            for (name, x) in [("kp", self.kp), ("kd", self.kd)] {
                if x != 0.0 {
                    return Err(Error::invalid(format!(
                        "options.{name} must be 0 with {:?}, whose contacts have stiffness and dissipation, got {x}",
                        self.contact
                    )));
                }
            }
        }
        let are_forces = matches!(self.contact, Contact::None | Contact::Penalty);
        if self.velocity_limits && are_forces {
            return Err(Error::unsupported(format!(
                "options.velocity_limits: needs impulses, so that options.contact must be Ncp, Lcp or Convex, got {:?}",
                self.contact
            )));
        }
        self.refuse_impulses(self.integrator.advance())
    }

    /// Refuses contact by impulses in steps of an implicit formula.
    pub(super) fn refuse_impulses(&self, advance: Advance) -> Result<()> {
        let are_forces = matches!(self.contact, Contact::None | Contact::Penalty);
        if advance == Advance::Formula && !are_forces {
            return Err(Error::unsupported(format!(
                "options.integrator: {:?} takes forces, not impulses; options.contact must be None or Penalty, got {:?}",
                self.integrator, self.contact
            )));
        }
        Ok(())
    }
}
