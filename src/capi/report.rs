//! What steps and queries are told with: contacts, how a step went, what a derivative is.

use super::args;
use crate::contact::mode::Mode;
use crate::step::{ContactReport, Gradient, StepInfo};

/// What a derivative of a step is.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_gradient {
    /// The derivative of the step.
    DS_GRADIENT_EXACT = 0,
    /// The step is at a switch of contact modes: the derivative is that of one side. When a derivative is asked for
    /// the sides are compared, and this is said only where they differ. Or, as shows then, too: a contact's own
    /// derivative is not determined, and what is not was left out; or redundant constraints hold together at this state but not at those around it (four corners
    /// of a box that rocks while it is level), and the derivative answers what they have in common; or
    /// nearly dependent constraints leave open which solution the step is near; or a selected friction
    /// coefficient is one of two equal ones of which the larger counts.
    DS_GRADIENT_ONE_SIDED = 1,
    /// Smoothed, because it was asked for.
    DS_GRADIENT_SMOOTHED = 2,
    /// None: the contact problem was not solved to the tolerance, and asking for a derivative is
    /// DS_ERR_NOT_CONVERGED. Or, as shows when a derivative is asked for, constraints depend on each other so
    /// nearly that it would be round-off: directions and adjoints would differ by more than 1e-6; or forces are so much stiffer
    /// than what they move is inert that solving loses all but five digits. That is DS_ERR_NUMERICAL.
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

/// How the last step went.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_step_info {
    /// Number of contacts.
    pub contacts: usize,
    /// Iterations of the contact solver, of whatever kind, on all bodies.
    pub iterations: usize,
    /// Residual at which it stopped.
    pub residual: f64,
    /// Distance to the nearest switch of a mode: of contacts and limits as the law scales it, of an
    /// actuator's clamp in its unit; inf without any.
    pub switch_distance: f64,
    /// What a derivative of this step would be. EXACT and ONE_SIDED may turn to ONE_SIDED or REFUSED when one is asked
    /// for: some reasons show only then. And ONE_SIDED turns to EXACT where modes are at a switch but the sides,
    /// which are compared then, have the same derivative.
    pub gradient: ds_gradient,
    /// 1: the residual is within the tolerance, the step is solved; a derivative may still turn out to be refused when
    /// it is asked for, which gradient says then. 0: it is not, and gradient is DS_GRADIENT_REFUSED.
    pub converged: i32,
    /// Contacts that rebound with an impulse. Where there are any, the derivative of q+ by positions (and by parameters that
    /// move surfaces) is that through the impacts: what meets later leaves on another path. A difference of this one step
    /// does not show it, the path over many steps does.
    pub impacts: u64,
    /// The deepest penetration of its contacts, where the step began [m]; 0 without any.
    pub deepest: f64,
    /// Contacts deeper than ds_options.max_depth: what is heavy sinks into what is light with DS_CONTACT_CONVEX, and with
    /// DS_CONTACT_PENALTY; DS_CONTACT_NCP and DS_CONTACT_LCP hold it.
    pub too_deep: u64,
    /// 0: room for what other laws and integrators will report, each field 0 where there is nothing to say. So the struct
    /// keeps its size.
    pub reserved: [u64; 13],
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
            reserved: [0; 13],
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
    /// The solver stopped before it knew, or nothing was solved (ds_sim_collide).
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
    /// On the flat face that gives the normal; midway between the surfaces where neither is flat or both are [m].
    pub point: [f64; 3],
    /// Unit normal from A to B.
    pub normal: [f64; 3],
    /// Distance along the normal, negative when penetrating [m].
    pub gap: f64,
    /// Impulse on B along two tangents and the normal (t1 t2 n) [N s]. Zero after ds_sim_collide.
    pub impulse: [f64; 3],
    /// Velocity of B against A after the step along the same axes [m/s]. Zero after ds_sim_collide.
    pub velocity: [f64; 3],
    /// Which constraint holds.
    pub mode: ds_contact_mode,
    /// Friction that is at its bound by itself, with DS_CONTACT_LCP, the sum of: 1 along t1, 2 along t2, 4 rolling about t1, 8
    /// rolling about t2, 16 torsion about the normal; else 0. In DS_MODE_SLIDING no more than one of the tangents may slide; in
    /// DS_MODE_STICKING, which tells of the point alone, any of the last three may. With a cone DS_MODE_SLIDING means all of
    /// the contact's friction together.
    pub at_bound: i32,
    /// t1, then t2: unit vectors that with the normal make a right-handed frame, a smooth function of
    /// the normal but where its z is -0.5.
    pub tangents: [f64; 6],
    /// Which features of the two geoms touch: equal from step to step while the same ones do, different
    /// for two contacts of one pair of geoms. The number itself means nothing.
    pub feature: u64,
    /// Of a face of a hydroelastic patch: its area [m²]; else 0.
    pub area: f64,
    /// Of such a face: the pressure at its point where the step began, negative where the face is not closed
    /// [Pa]; else 0.
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
                let all = tangents.into_iter().chain(c.turning_at_bound);
                all.zip(0..).map(|(is, bit)| i32::from(is) << bit).sum()
            },
            tangents: std::array::from_fn(|i| c.tangents[i / 3][i % 3]),
            feature: c.feature,
            area: c.area,
            pressure: c.pressure,
        }
    }
}
