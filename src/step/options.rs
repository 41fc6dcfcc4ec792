//! How a simulation steps.

use crate::collision::scene::pairs_that_may_touch;
use crate::contact::ncp::Method;
use crate::error::{Error, Result};
use crate::integrator::implicit::Formula;
use crate::model::Model;
use crate::model::spec::FileIntegrator;
use crate::model::topology::WORLD;

/// Contacts that are likely at most: of any model, and of each moving link that may touch something. Links that overlap
/// their neighbours in an ordinary stance have four and more with each.
const CONTACTS: usize = 32;
const CONTACTS_A_LINK: usize = 8;

/// Points of a pair of geoms at most, and up to how many contacts there is room for all of a model's pairs: the few links of
/// an arm can all be in each other at once, with several geoms each, those of larger robots cannot.
const POINTS: usize = 4;
const ALL: usize = 128;

/// Contacts times dofs that are made room for unasked: some hundred bytes each.
const MOST_ENTRIES: usize = 1 << 20;

/// Shortest time step [s]: the rates of derivatives that are within [`REACH`](crate::model::REACH) stay finite.
const SHORTEST: f64 = 1e-100;

/// The contact law of a step.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contact {
    /// Rigid contact with the exact Coulomb cone.
    Ncp = 0,
    /// Boxed linear complementarity with a friction pyramid.
    Lcp = 1,
    /// Compliant contact as a convex problem ([`crate::contact::convex`]), which always has one solution: contacts have a
    /// stiffness and a dissipation time, limits, dry friction and equalities yield a little, too.
    Convex = 2,
    /// Contacts and joint limits are springs and dampers of their own ([`crate::force::penalty`]). Explicit with the
    /// symplectic integrators, which are stable while h² k and h d are small against the masses that a contact of stiffness
    /// k and damping d moves, about h² k + h d < 2 m; implicit with the implicit ones.
    Penalty = 3,
    /// Nothing touches: no contacts, limits, dry friction or equality constraints.
    None = 4,
}

/// The time-stepping scheme.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrator {
    /// v⁺ = v + h a(q, v), q⁺ = q ⊕ h v⁺; joint damping and springs implicit. The velocity of a free joint is in the
    /// body's own axes: where these turn at ω, its linear part gains the share (hω)²/2 a step.
    SymplecticEuler = 0,
    /// Forces where the velocity without impulses leads, found by Newton's method: M(q*)(v* − v) = h (f − b)(q*, v*, u) with
    /// q* = q ⊕ h v*. Then impulses through M(q*) and what springs and dampers add to it, and q⁺ = q ⊕ h v⁺. With every
    /// contact law; of first order, stiff forces are damped. Free joints keep their linear velocity in world axes, in this
    /// and in `Midpoint`.
    ImplicitEuler = 1,
    /// The same with forces halfway, at q ⊕ h/4 (v + v*) and (v + v*)/2, and q⁺ = q ⊕ h/2 (v + v⁺): of second order where no
    /// impulse jumps. What is stiff is not damped: it rings on.
    Midpoint = 2,
    /// Implicit Euler with the forces where the step ends, found by Newton's method: M(q⁺)(v⁺ − v) = h (f − b)(q⁺, v⁺, u),
    /// q⁺ = q ⊕ h v⁺. Of first order; stiff forces are damped. Free joints keep their linear velocity in world axes, in this
    /// and the following two. With [`Contact::None`] or [`Contact::Penalty`], whose forces are then implicit, too.
    Bdf1 = 3,
    /// The backward differentiation formula of second order, from the last two states; the first step is one of
    /// [`Integrator::Sdirk2`]. Of trajectories only ([`Rollout`](crate::rollout::Rollout)): a single step does not know the
    /// one before it.
    Bdf2 = 4,
    /// The same, but free joints keep their linear velocity in world axes, as they do in MuJoCo and Drake: a body that
    /// spins flies straight, one that rolls stays on the ground. v⁺ is in the axes of the end, as always. The centre of mass
    /// of a free body goes on a line wherever its frame is; without torque it keeps its angular momentum, and its energy within
    /// a band ([`dynamics::spin`](crate::dynamics::spin)), as a body on a ball joint does on which nothing hangs.
    SymplecticEulerWorld = 5,
    /// Two implicit stages as those of [`Integrator::Bdf1`], of second order; what is stiff is damped as by it.
    Sdirk2 = 6,
    /// The nearest to what the model's file asks for ([`Integrator::nearest`]): one that goes with every law.
    FromModel = 7,
}

impl Integrator {
    /// The implicit formula of that name.
    pub fn formula(self) -> Option<Formula> {
        match self {
            Integrator::Bdf1 => Some(Formula::Bdf1),
            Integrator::Bdf2 => Some(Formula::Bdf2),
            Integrator::Sdirk2 => Some(Formula::Sdirk2),
            _ => None,
        }
    }

    /// The nearest to one that a file asks for. Euler and implicitfast take damping implicitly, as the symplectic scheme
    /// does. Implicit takes all forces by velocities implicitly, as implicit Euler does. RK4 is of high order and damps
    /// nothing, as the midpoint rule.
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
    /// Length of a step [s]; 0: that of the model ([`Model::time_step`]).
    pub time_step: f64,
    pub contact: Contact,
    pub integrator: Integrator,
    /// How the contact problem is solved. The first-order methods are there as checks of each other and of the
    /// default: they need many iterations, and reach the tolerance on easy problems only.
    pub solver: Method,
    /// Largest residual of the contact problem that counts as solved; with [`Contact::Convex`] that of momentum, relative
    /// to what impulses change of it.
    pub tolerance: f64,
    /// Bound on the iterations that the contact solver spends in a step on bodies that touch each other, of whatever kind.
    pub max_iterations: usize,
    /// Bound on the work of a step's contact problem, in factorizations of it, of which large ones of jams count as more
    /// ([`Allowance`]): at least 1, infinite for none.
    /// A step that would need more is taken at its best iterate and says that it is not solved.
    ///
    /// [`Allowance`]: crate::contact::allowance::Allowance
    pub max_work: f64,
    /// Contacts for which memory is made; 0: as many as the model is likely to need ([`Options::for_model`]).
    pub max_contacts: usize,
    /// Share of a penetration, or of an equality's violation, that is left after the step, and share
    /// of the normal velocity that an active contact keeps.
    pub kp: f64,
    pub kd: f64,
    /// Largest speed at which a step undoes a penetration, a passed limit or an equality's violation that it finds, of
    /// lengths [m/s] and of angles [rad/s], 0 to ∞: what is off by more takes several steps. A passed limit arrives
    /// slowly; a contact leaves at the speed it was pushed with.
    pub max_push_out: f64,
    pub max_push_out_angle: f64,
    /// Contacts of geoms with restitution rebound where they approach faster than this before the step, 0 to ∞ [m/s]. What
    /// is slower comes to rest: without a threshold a ball would bounce at ever smaller heights. [`Contact::Convex`] has
    /// dissipation instead, and no rebounds.
    pub restitution_threshold: f64,
    /// The speed of a joint of one degree of freedom is at most its velocity limit at the end of a step, by whatever acts on it.
    pub velocity_limits: bool,
    /// Make the workspace of derivatives.
    pub derivatives: bool,
    /// A step whose contact problem is not solved to the tolerance is an error; otherwise it is
    /// taken, flagged, and has no derivative.
    pub require_convergence: bool,
    /// A rollout keeps every `checkpoint_interval`-th state and recomputes those between.
    pub checkpoint_interval: usize,
    /// With an implicit integrator: the correction at which Newton's method stops, relative to the stage's largest velocity,
    /// or to what an acceleration of 1 m/s² or rad/s² adds to it where that is larger. Where round-off is reached before it
    /// stops, too.
    pub newton_tolerance: f64,
    /// Bound on the iterations of Newton's method in a stage. A step that would need more has not converged.
    pub max_newton: usize,
    /// Contacts deeper than this are counted in [`StepInfo::too_deep`](super::StepInfo::too_deep), with every law; ∞: none.
    /// 0: a quarter of the least half extent of either geom, half of what would come out on the other side. It changes
    /// nothing else [m].
    pub max_depth: f64,
    /// A rollout's adjoint takes that of [`Sim::step_vjp_aware`](super::Sim::step_vjp_aware) in every step.
    pub aware_gradient: bool,
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
        }
    }
}

impl Options {
    /// The options with what they leave to the model: the time step, the integrator and the number of contacts.
    pub fn for_model(&self, model: &Model) -> Options {
        Options {
            time_step: match self.time_step {
                0.0 => model.time_step(),
                h => h,
            },
            integrator: match self.integrator {
                Integrator::FromModel => Integrator::nearest(model.integrator()),
                named => named,
            },
            max_contacts: match self.max_contacts {
                0 => Options::likely_contacts(model),
                n => n,
            },
            ..*self
        }
    }

    /// `CONTACTS` and `CONTACTS_A_LINK` more for each moving link that may touch something, or, up to `ALL`, those that
    /// all pairs of geoms have together, within `MOST_ENTRIES`.
    fn likely_contacts(model: &Model) -> usize {
        let mut links: Vec<usize> = (0..model.ngeom())
            .filter(|g| model.may_touch_any(*g))
            .map(|g| model.bodies()[model.geoms()[g].body].link)
            .filter(|l| *l != WORLD)
            .collect();
        links.sort_unstable();
        links.dedup();
        let mut likely = CONTACTS + CONTACTS_A_LINK * links.len();
        if likely < ALL {
            likely = likely.max(POINTS * pairs_that_may_touch(model, ALL / POINTS));
        }
        likely.min((MOST_ENTRIES / model.nv().max(1)).max(CONTACTS))
    }

    /// Refuses what no step can do.
    pub fn check(&self) -> Result<()> {
        let is_long = self.time_step >= SHORTEST && self.time_step.is_finite();
        if !(is_long || self.time_step == 0.0) {
            return Err(Error::invalid(format!(
                "options.time_step must be finite and at least {SHORTEST:e}, or 0 for that of the model, got {}",
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
        if self.contact == Contact::Lcp && self.solver == Method::Admm {
            return Err(Error::unsupported(
                "options.solver: Admm projects on circular cones, with Lcp expected another one",
            ));
        }
        let are_forces = matches!(self.contact, Contact::None | Contact::Penalty);
        if self.velocity_limits && are_forces {
            return Err(Error::unsupported(format!(
                "options.velocity_limits: rows of a contact law hold them; with it options.contact must be Ncp, Lcp or Convex, got {:?}",
                self.contact
            )));
        }
        if self.integrator.formula().is_some() && !are_forces {
            return Err(Error::unsupported(format!(
                "options.integrator: {:?} solves for forces alone; with it options.contact must be None or Penalty, got {:?}",
                self.integrator, self.contact
            )));
        }
        Ok(())
    }
}
