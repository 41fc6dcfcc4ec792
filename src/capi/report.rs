//! Result types of steps and queries: contacts, facts about a step, labels of derivatives.

use super::args;
use crate::contact::mode::Mode;
use crate::query::Patch;
use crate::step::{ContactReport, Gradient, StepInfo};

/// The label of a derivative of a step (docs/gradients.md).
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_gradient {
    /// The derivative of the step as computed.
    DS_GRADIENT_EXACT = 0,
    /// The derivative of one side of a switch. When you ask for a derivative, the two sides are
    /// compared; the label is ONE_SIDED only if they differ.
    ///
    /// Also reported in these cases, which are found only when you ask for a derivative:
    /// - The geometry of a contact has no unique derivative here. The undetermined part is left out.
    /// - Redundant constraints are consistent at this state but not at nearby ones (four corners of a box
    ///   that rocks while it is level). The derivative is that of the motions for which they are
    ///   consistent.
    /// - Constraints are nearly dependent, so that round-off decides which solution the step is near.
    /// - A selected friction coefficient equals that of the other geom of a pair, and the larger of
    ///   the two counts.
    DS_GRADIENT_ONE_SIDED = 1,
    /// A smoothed derivative, computed on request.
    DS_GRADIENT_SMOOTHED = 2,
    /// No derivative is given. If the contact problem was not solved to the tolerance, asking for a
    /// derivative is DS_ERR_NOT_CONVERGED.
    ///
    /// Two further cases are found only when you ask for a derivative; they are DS_ERR_NUMERICAL:
    /// - Constraints are so nearly dependent that the derivative would be round-off: JVPs and VJPs would
    ///   differ by more than 1e-6.
    /// - Forces are so stiff compared with the inertia they act on that the solution keeps only five
    ///   digits.
    DS_GRADIENT_REFUSED = 3,
}

impl From<Gradient> for ds_gradient {
    fn from(g: Gradient) -> Self {
        match g {
            Gradient::Exact => ds_gradient::DS_GRADIENT_EXACT,
            Gradient::OneSided => ds_gradient::DS_GRADIENT_ONE_SIDED,
            Gradient::Smoothed => ds_gradient::DS_GRADIENT_SMOOTHED,
            Gradient::Refused => ds_gradient::DS_GRADIENT_REFUSED,
        }
    }
}

/// Facts about the last step.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_step_info {
    /// Number of contacts.
    pub contacts: usize,
    /// Iterations of the contact solver, of any kind, summed over all bodies, and with implicit integrators
    /// evaluations of the forces by Newton's method.
    pub iterations: usize,
    /// Residual at which the contact solver stopped. With implicit integrators the larger of this one and
    /// the last correction of Newton's method, relative to the velocities.
    pub residual: f64,
    /// Distance to the nearest switch of a mode; inf if there is none. Distances of contacts and
    /// limits are scaled by the contact law. The distance of an actuator from its clamp is in the
    /// actuator's unit.
    pub switch_distance: f64,
    /// Label that a derivative of this step would have. It may change when you ask for a derivative:
    /// EXACT and ONE_SIDED may become ONE_SIDED or REFUSED, because some reasons are found only then.
    /// ONE_SIDED becomes EXACT if modes are at a switch but both sides have the same derivative.
    pub gradient: ds_gradient,
    /// 1: the residual of the contact solver is within options.tolerance, and Newton's method has stopped
    /// within options.newton_tolerance or at round-off. A derivative may still be refused when you ask for
    /// it; `gradient` shows this afterwards. 0: one of them has not, and `gradient` is
    /// DS_GRADIENT_REFUSED.
    pub converged: i32,
    /// Number of contacts that rebound with an impulse. If there are any, the derivative of q+ by positions
    /// (and by parameters that move surfaces) includes the change of the impact time: a later impact means
    /// a later rebound, which displaces the bodies. Finite differences of this one step do not show it;
    /// finite differences of a trajectory do.
    pub impacts: u64,
    /// Deepest penetration of the contacts at the start of the step [m]; 0 if there is none.
    pub deepest: f64,
    /// Number of contacts deeper than ds_options.max_depth. Heavy bodies sink into light ones with
    /// DS_CONTACT_CONVEX and DS_CONTACT_PENALTY, but not with DS_CONTACT_NCP and DS_CONTACT_LCP.
    pub too_deep: u64,
    /// Number of Euler joints that are, at the start of the step, within three degrees of their singularity
    /// (all axes in one plane, so that a direction of rotation is lost). Accelerations and their
    /// derivatives grow without bound; within about 1e-8 rad of the plane a derivative is DS_ERR_NUMERICAL,
    /// and the velocities after the step are round-off.
    pub near_singular: u64,
    /// 1: the step reduced its stabilization, because jammed bodies could not be separated, or only with a
    /// high joint speed. Penetrations, passed limits and violated equalities were compliant in this step,
    /// and the derivative is that of the compliant step. 0: all violations were stabilized as the options
    /// say.
    pub push_out_given_up: u64,
    /// Work of the contact problem, in factorizations of it; with DS_CONTACT_CONVEX in Newton steps. If
    /// bodies form several groups that do not touch each other, it is the work of the group that needed
    /// most. It is at most ds_options.max_work, plus a fixed share (about ten) with which an unsolved step
    /// is completed.
    pub work: f64,
    /// Reserved for fields of future versions, so that the struct keeps its size. 0 today, and 0
    /// later for a field with nothing to report.
    pub reserved: [u64; 10],
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
            impacts: i.impacts as u64,
            deepest: i.deepest,
            too_deep: i.too_deep as u64,
            near_singular: i.near_singular as u64,
            push_out_given_up: u64::from(i.push_out_given_up),
            work: i.work,
            reserved: [0; 10],
        }
    }
}

/// The branch of the contact law that a contact is on.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_contact_mode {
    /// No impulse.
    DS_MODE_BREAKING = 0,
    /// No relative motion.
    DS_MODE_STICKING = 1,
    /// Sliding against friction, or touching without friction.
    DS_MODE_SLIDING = 2,
    /// Not known: the solver stopped early, or no contact problem was solved (ds_sim_collide).
    DS_MODE_UNKNOWN = 3,
}

impl From<Mode> for ds_contact_mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Breaking => ds_contact_mode::DS_MODE_BREAKING,
            Mode::Sticking => ds_contact_mode::DS_MODE_STICKING,
            Mode::Sliding | Mode::Bounded(_) => ds_contact_mode::DS_MODE_SLIDING,
            Mode::Unknown | Mode::AtLower | Mode::AtUpper | Mode::Turned(_) => {
                ds_contact_mode::DS_MODE_UNKNOWN
            }
        }
    }
}

/// A contact of the last step or ds_sim_collide, world axes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_contact {
    /// Geom A.
    pub geom_a: i32,
    /// Geom B.
    pub geom_b: i32,
    /// Body of geom A.
    pub body_a: i32,
    /// Body of geom B.
    pub body_b: i32,
    /// Contact point [m]. It lies on the flat face that gives the normal. If neither or both of the
    /// surfaces are flat, it lies midway between them.
    pub point: [f64; 3],
    /// Unit normal from A to B.
    pub normal: [f64; 3],
    /// Distance along the normal, negative when penetrating [m].
    pub gap: f64,
    /// Impulse on B along two tangents and the normal (t1 t2 n) [N s]. Zero after ds_sim_collide.
    pub impulse: [f64; 3],
    /// Velocity of B against A after the step along the same axes [m/s]. Zero after ds_sim_collide.
    pub velocity: [f64; 3],
    /// The branch of the contact law.
    pub mode: ds_contact_mode,
    /// With DS_CONTACT_LCP, the friction components that are at their own bounds, as a sum of: 1
    /// along t1, 2 along t2, 4 rolling about t1, 8 rolling about t2, 16 torsion about the normal;
    /// otherwise 0. In DS_MODE_SLIDING it may be that only one of the two tangents slides. In
    /// DS_MODE_STICKING, which describes the point only, any of the last three may be at its bound.
    /// With a friction cone, DS_MODE_SLIDING means all friction of the contact together.
    pub at_bound: i32,
    /// t1, then t2: unit vectors that form a right-handed frame with the normal (t1, t2, n). They are
    /// a smooth function of the normal, except where its z component is -0.5.
    pub tangents: [f64; 6],
    /// Identifies the touching features of the two geoms. It stays equal from step to step while the
    /// same features touch, and differs between two contacts of one pair of geoms. The number has no
    /// other meaning.
    pub feature: u64,
    /// For a face of a hydroelastic patch: its area [m²]; otherwise 0.
    pub area: f64,
    /// For a face of a hydroelastic patch: the pressure at `point` at the start of the step [Pa], negative
    /// if the face is not closed; else 0.
    pub pressure: f64,
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
            at_bound: {
                let tangents = match c.mode {
                    Mode::Bounded(signs) => signs.map(|s| s != 0),
                    _ => [false; 2],
                };
                let all = tangents.into_iter().chain(c.torsion_at_bound);
                all.zip(0..).map(|(is, bit)| i32::from(is) << bit).sum()
            },
            tangents: std::array::from_fn(|i| c.tangents[i / 3][i % 3]),
            feature: c.feature,
            area: c.area,
            pressure: c.pressure,
        }
    }
}

/// The faces through which two geoms press each other, world axes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_patch {
    /// Geom A.
    pub geom_a: i32,
    /// Geom B.
    pub geom_b: i32,
    /// Area of the closed faces [m²].
    pub area: f64,
    /// Centroid of this area; of all faces if none is closed [m].
    pub centroid: [f64; 3],
    /// Unit vector from A to B: the mean over the area.
    pub normal: [f64; 3],
    /// Force on B in the last step [N]. Zero after ds_sim_collide.
    pub force: [f64; 3],
    /// Torque on B about the centroid [N m]. Zero after ds_sim_collide.
    pub torque: [f64; 3],
    /// Index of its first face in ds_sim_contacts; its faces follow one another.
    pub first_contact: usize,
    /// Number of its faces, including faces that are not closed.
    pub contact_count: usize,
}

impl From<Patch> for ds_patch {
    fn from(p: Patch) -> Self {
        ds_patch {
            geom_a: args::id(Some(p.geom[0])),
            geom_b: args::id(Some(p.geom[1])),
            area: p.area,
            centroid: p.centroid,
            normal: p.normal,
            force: p.force,
            torque: p.torque,
            first_contact: p.first,
            contact_count: p.count,
        }
    }
}
