//! Contacts and joint limits as penalty forces: explicit springs and dampers where surfaces overlap.
//!
//! There is no contact problem: the force of each contact follows from the state, and so do its
//! derivatives by all quantities that move: point, normal, gap and relative velocity. `law.rs` has the
//! law of the force.

pub(super) mod law;
mod limits;
pub(super) mod material;
pub(super) mod slopes;
mod stable;
pub(super) mod touch;

pub use limits::RATE;
pub use material::{STIFFNESS, TANGENTIAL};
pub use stable::fill;

use super::face::State;
use crate::collision::scene::{FrictionRule, Scene, SceneContact};
use crate::contact::mode::Mode;
use crate::dynamics::coupling::Coupling;
use crate::dynamics::kinematics::Kinematics;
use crate::error::{Error, Result};
use crate::linalg::{DIGITS, largest};
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::tendon::TendonSpec;
use crate::model::topology::{Topology, WORLD};
use crate::spatial::{Twist, Vec3, Wrench};
use limits::SoftLimits;
use material::Material;
use slopes::Linear;
use touch::{Arm, Touch};

/// Contacts within this gap are found, because round-off decides whether they act [m].
const TOUCHING: f64 = 1e-10;

/// The penalty contacts of a simulation. Sized at creation.
#[derive(Debug)]
pub struct PenaltyContacts {
    pub scene: Scene,
    /// One for each contact of the scene, in order.
    touches: Vec<Touch>,
    limits: SoftLimits,
    linear: Option<Linear>,
    distance: f64,
}

/// A contact's force at the last state.
#[derive(Clone, Copy, Debug)]
pub struct PenaltyForce {
    /// Force on the second body, world axes [N].
    pub force: Vec3,
    pub mode: Mode,
}

impl PenaltyContacts {
    /// h is the length of explicit steps, `None` if the forces are implicit.
    ///
    /// # Errors
    /// `Unsupported` naming a geom, joint or equality that penalty forces do not support; `Capacity`
    /// without memory.
    pub fn new(
        model: &Model,
        max_contacts: usize,
        friction: FrictionRule,
        derivatives: bool,
        h: Option<f64>,
    ) -> Result<PenaltyContacts> {
        refuse(model)?;
        let mut scene = Scene::with_friction(model, max_contacts, friction)?;
        scene.widen(TOUCHING);
        if scene.turns() {
            let wide = model.geoms().iter().find(|g| g.condim > 3);
            return Err(Error::unsupported(format!(
                "geom \"{}\": torsional and rolling friction (condim 4 and 6) are not supported with options.contact Penalty, \
                 expected condim 1 or 3",
                wide.map_or("", |g| &g.name)
            )));
        }
        Ok(PenaltyContacts {
            scene,
            touches: Vec::with_capacity(max_contacts),
            limits: SoftLimits::new(model, h)?,
            linear: derivatives.then(|| Linear::new(model, max_contacts)),
            distance: f64::INFINITY,
        })
    }

    /// Adds the forces at a state.
    ///
    /// # Errors
    /// `Capacity` for too many contacts, `Numerical` if a contact is not finite. There are no contacts
    /// then.
    pub fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) -> Result<()> {
        let t = at.model.topology();
        self.touches.clear();
        self.scene.place(at.model, at.kin);
        self.scene.collide(0.0)?;
        let mut distance = self.limits.apply(at, tau);
        for c in self.scene.contacts() {
            let p = &c.point;
            let material = Material::of(at.params, c);
            let place = (p.point, p.gap, p.normal);
            let touch = Touch::new(t, at.kin, c.link, material, place, at.ease);
            if touch.acts() {
                touch.spread(t, at.kin, tau);
            }
            distance = match p.gap.abs() <= DIGITS * largest(&p.point.to_array()) {
                true => 0.0,
                false => distance.min(touch.reaction.distance),
            };
            self.touches.push(touch);
        }
        self.distance = distance;
        Ok(())
    }

    /// Distance of the last state from the nearest jump of the derivatives: in [m] from the begin of a
    /// contact or a passed limit, in [N] or [N m] from the end of a force or the bound of friction.
    pub fn switch_distance(&self) -> f64 {
        self.distance
    }

    /// The contacts of the last state with their forces.
    pub fn contacts(&self) -> impl Iterator<Item = (&SceneContact, PenaltyForce)> {
        let forces = self.touches.iter().map(|touch| PenaltyForce {
            force: touch.reaction.force,
            mode: touch.reaction.mode,
        });
        self.scene.contacts().iter().zip(forces)
    }

    /// Relative velocities at the contacts of the second bodies against the first, with links at these
    /// velocities.
    pub fn velocities(&self, twists: &[Twist]) -> impl Iterator<Item = Vec3> {
        let of = |link: usize| match link {
            WORLD => Twist::ZERO,
            link => twists[link],
        };
        (self.touches.iter()).map(move |touch| {
            let [a, b] = touch.link.map(of);
            b.at(touch.at[1]) - a.at(touch.at[0])
        })
    }

    /// Joins the trees that touch.
    pub fn couple(&self, t: &Topology, coupling: &mut Coupling) {
        for touch in self.acting() {
            if touch.link.iter().all(|l| *l != WORLD) {
                let [a, b] = touch.link.map(|l| t.links[l].tree);
                coupling.join(a, b);
            }
        }
    }

    /// Finds the derivatives at the state of the last [`PenaltyContacts::apply`].
    pub fn differentiate(&mut self, at: &State<'_>) {
        if let Some(linear) = &mut self.linear {
            linear.set(at, &mut self.scene, &mut self.touches);
        }
    }

    /// Visits the entries of R_q and R_v between dofs of one branch: (row, column, by q, by v).
    #[inline(always)]
    pub fn for_branches(&self, mut visit: impl FnMut(usize, usize, f64, f64)) {
        self.limits.for_entries(&mut visit);
        if let Some(linear) = &self.linear {
            linear.for_branches(visit);
        }
    }

    /// Visits the entries between dofs of different branches.
    #[inline(always)]
    pub fn for_cross(&self, visit: impl FnMut(usize, usize, f64, f64)) {
        if let Some(linear) = &self.linear {
            linear.for_cross(visit);
        }
    }

    /// r += R_q δq + R_v δv for entries between branches and, if `within`, also within branches. An
    /// empty part stands for zero.
    pub fn times(&self, within: bool, along: [&[f64]; 2], r: &mut [f64]) {
        if within {
            let [q, v] = along.map(|d| move |k: usize| d.get(k).copied().unwrap_or(0.0));
            (self.limits)
                .for_entries(&mut |row, k, by_q, by_v| r[row] += by_q * q(k) + by_v * v(k));
        }
        if let Some(linear) = &self.linear {
            linear.times(within, along, r);
        }
    }

    /// q_bar += R_qᵀ w and v_bar += R_vᵀ w.
    pub fn times_transposed(&self, w: &[f64], q_bar: &mut [f64], v_bar: &mut [f64]) {
        self.limits.for_entries(&mut |row, k, by_q, by_v| {
            q_bar[k] += by_q * w[row];
            v_bar[k] += by_v * w[row];
        });
        if let Some(linear) = &self.linear {
            linear.times_transposed(w, q_bar, v_bar);
        }
    }

    /// The arms of a contact's bodies.
    fn arms(&self, contact: usize) -> impl Iterator<Item = &Arm> {
        self.linear.iter().flat_map(move |l| l.arms(contact))
    }

    /// Visits the derivatives of the force on the second body of a contact, in world axes: (dof, by q,
    /// by v). Call it after [`PenaltyContacts::differentiate`], for the same state.
    pub fn for_force(
        &self,
        contact: usize,
        t: &Topology,
        kin: &Kinematics,
        mut visit: impl FnMut(usize, Vec3, Vec3),
    ) {
        for arm in self.arms(contact) {
            visit(arm.dof, -arm.by_q[0].lin, -arm.by_v);
        }
        let touch = &self.touches[contact];
        if touch.acts() {
            for k in touch.shared(t) {
                visit(k, kin.s[k].ang.cross(touch.reaction.force), Vec3::ZERO);
            }
        }
    }

    /// Adds the generalized force of a wrench at a contact.
    fn add(&self, contact: usize, by: Wrench, r: &mut [f64]) {
        for arm in self.arms(contact) {
            r[arm.dof] += arm.s.dot(by);
        }
    }

    /// Whether any contact acts.
    pub fn acts(&self) -> bool {
        self.acting().next().is_some()
    }

    fn acting(&self) -> impl Iterator<Item = &Touch> {
        (self.touches.iter()).filter(|t| t.acts())
    }

    /// Whether the derivatives are one-sided: a contact's own derivative is not determined, or a
    /// selected friction coefficient is one of two equal ones, of which the larger counts.
    pub fn is_one_sided(&self, params: &Params, selected: &[Param]) -> bool {
        let is_tied = |c: &SceneContact| {
            let tied = c.friction.tied(&params.geom_friction, 0);
            tied.is_some_and(|geoms| {
                let chosen = |p: &Param| {
                    p.kind == ParamKind::GeomFriction
                        && p.component == 0
                        && geoms.contains(&(p.index as usize))
                };
                selected.iter().any(chosen)
            })
        };
        let slides = |t: &Touch| t.reaction.mode == Mode::Sliding && t.material.friction > 0.0;
        let mut contacts = self.scene.contacts().iter().zip(&self.touches);
        self.linear.as_ref().is_some_and(|l| l.degenerate)
            || contacts.any(|(c, touch)| slides(touch) && is_tied(c))
    }

    /// Adds the derivative of the balance of forces by a parameter, −∂f/∂p. Adds nothing for a parameter
    /// of other forces.
    pub fn by_parameter(&self, at: &State<'_>, p: &Param, r: &mut [f64]) {
        match p.kind {
            kind if kind.moves_surfaces() => {
                let touches = (&self.scene, &self.touches[..]);
                if let Some(linear) = &self.linear {
                    linear.by_parameter(at, touches, p, r, |_, _, _| {});
                }
            }
            ParamKind::GeomFriction
            | ParamKind::ContactStiffness
            | ParamKind::ContactDissipation
            | ParamKind::ContactTangential => {
                for (i, touch) in self.touches.iter().enumerate() {
                    let c = &self.scene.contacts()[i];
                    let (own, by) = (touch.material, &touch.reaction);
                    let m = own.by_parameter(at.params, c, p);
                    let normal = by.normal.by_stiffness * m.stiffness
                        + by.normal.by_dissipation * m.dissipation;
                    let f = by.by_normal(normal)
                        + by.by_friction() * m.friction
                        + by.by_tangential() * m.tangential;
                    self.add(i, Wrench::new(-f, Vec3::ZERO), r);
                }
            }
            _ => {}
        }
    }
}

/// Refuses a model with an element that penalty forces do not support.
fn refuse(model: &Model) -> Result<()> {
    if let Some(e) = model.equalities().iter().find(|e| e.active) {
        return Err(Error::unsupported(format!(
            "equality \"{}\": not supported with contact Penalty, expected Ncp, Lcp or Convex; joints of a URDF that \
             follow others move on their own if loaded with mimic = DS_MIMIC_INDEPENDENT",
            e.name
        )));
    }
    let bound = |t: &&TendonSpec| t.limits.is_some() || t.friction_loss > 0.0;
    if let Some(t) = model.tendons().iter().find(bound) {
        return Err(Error::unsupported(format!(
            "tendon \"{}\": bounds and dry friction of tendons are not supported with contact Penalty",
            t.name
        )));
    }
    let mut dry = model.params().friction_loss.iter();
    match dry.position(|f| *f > 0.0) {
        Some(k) => Err(Error::unsupported(format!(
            "joint \"{}\": dry friction is not supported with contact Penalty, expected Ncp, Lcp or Convex",
            model.joint_of_dof(k).name
        ))),
        None => Ok(()),
    }
}
