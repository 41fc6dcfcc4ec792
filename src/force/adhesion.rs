//! Adhesion: actuators that pull a body to the bodies it touches, along the normals of its contacts.
//! Explicit.
//!
//! MuJoCo divides the force F of such an actuator evenly among the contacts that a body has within their
//! margins, so that it jumps when a contact enters. Here each contact i has a weight by its gap,
//!
//!   w = 1 up to the pair's margin m, falling to 0 at m + [`FADE`] as 1 − 3 x² + 2 x³ with x = (gap −
//!   m)/FADE,
//!
//! and pulls with f_i = F w_i φ(W), where W = Σ w_j and φ(W) = 1/W. Below 1 it is 2 − W, which has the
//! same slope there. If all contacts are within their margins this is MuJoCo's even share. A single
//! contact fades out with W (2 − W). Force and derivatives are continuous when contacts come and go.
//! Rigid contacts, which rest at gaps of round-off, have full weight.
//!
//! A pull is a contact force that does not depend on the velocity, so that its derivatives are those of
//! penalty contacts (`Touch`). In addition, each pull depends on all contacts of the body, because they
//! share one force. With J_i the generalized force of a unit pull at i, M = φ Σ w_i J_i and ∂W/∂q = Σ w_i'
//! ∂gap_i/∂q,
//!
//!   τ = F M,   ∂τ/∂q = Σ_i (f_i ∂J_i/∂q + F φ w_i' J_i ∂gap_i/∂q) + F (φ'/φ) M ∂W/∂q,   ∂τ/∂F = M.

use super::face::State;
use super::penalty::law::Reaction;
use super::penalty::material::Material;
use super::penalty::slopes::Linear;
use super::penalty::touch::Touch;
use crate::collision::scene::Scene;
use crate::dynamics::coupling::Coupling;
use crate::error::Result;
use crate::model::params::Param;
use crate::model::topology::{Topology, WORLD};
use crate::model::{ActsOn, Model};

/// Distance beyond its margin over which the pull on a contact fades out [m].
pub const FADE: f64 = 1e-3;

/// A number and its derivative.
type Sloped = [f64; 2];

/// w at a distance `beyond` the margin.
fn weight(beyond: f64) -> Sloped {
    let x = (beyond / FADE).clamp(0.0, 1.0);
    [1.0 - x * x * (3.0 - 2.0 * x), -6.0 * x * (1.0 - x) / FADE]
}

/// φ of the sum of weights.
fn share(sum: f64) -> Sloped {
    match sum < 1.0 {
        true => [2.0 - sum, -1.0],
        false => [1.0 / sum, -1.0 / (sum * sum)],
    }
}

/// An actuator that pulls a body.
#[derive(Clone, Debug)]
struct Grip {
    actuator: usize,
    body: usize,
    /// A dof of the body's tree, by which adhesion couples this tree with the trees of the pulled bodies.
    home: usize,
    /// φ at the last state.
    share: Sloped,
    /// F at the last state [N].
    force: f64,
    /// M, and ∂W/∂q with a flag that says whether it is nonzero.
    moment: Vec<f64>,
    by_q: Vec<f64>,
    bends: bool,
}

impl Grip {
    /// F φ'/φ.
    fn rate(&self) -> f64 {
        self.force * self.share[1] / self.share[0]
    }
}

/// All adhesion actuators of a simulation. Sized at creation.
#[derive(Debug)]
pub struct Adhesion {
    pub scene: Scene,
    grips: Vec<Grip>,
    /// One entry for each contact of the scene: its force, the bodies of its geoms, and w.
    touches: Vec<Touch>,
    bodies: Vec<[usize; 2]>,
    weights: Vec<Sloped>,
    linear: Option<Linear>,
}

/// The actuators that pull a body, each with the body.
fn pulled(model: &Model) -> impl Iterator<Item = (usize, usize)> {
    let list = model.actuators().iter().enumerate();
    list.filter_map(|(j, a)| match a.acts_on {
        ActsOn::Body(body) => Some((j, body)),
        _ => None,
    })
}

/// A dof of the body's tree, with which adhesion joins other trees.
pub(super) fn home(model: &Model, body: usize) -> usize {
    match model.bodies()[body].link {
        WORLD => 0,
        link => model.topology().tip(link),
    }
}

impl Adhesion {
    /// `None` for a model without such actuators.
    ///
    /// # Errors
    /// The errors of [`Scene::new`].
    pub fn new(model: &Model, max_contacts: usize, derivatives: bool) -> Result<Option<Adhesion>> {
        let nv = model.nv();
        let grip = |(actuator, body)| Grip {
            actuator,
            body,
            home: home(model, body),
            share: share(0.0),
            force: 0.0,
            moment: vec![0.0; nv],
            by_q: vec![0.0; if derivatives { nv } else { 0 }],
            bends: false,
        };
        let grips: Vec<Grip> = pulled(model).map(grip).collect();
        if grips.is_empty() {
            return Ok(None);
        }
        let geoms = model.geoms().iter();
        let marked = geoms.map(|g| grips.iter().any(|grip| grip.body == g.body));
        let mut scene = Scene::about(model, max_contacts, marked.collect())?;
        // The gap of a pair is its own, or that of its two geoms.
        let own = model.pairs().iter().filter_map(|p| p.gap);
        let of_two = model.geoms().iter().map(|g| 2.0 * g.gap);
        scene.widen(FADE + own.chain(of_two).fold(0.0, f64::max));
        Ok(Some(Adhesion {
            scene,
            grips,
            touches: Vec::with_capacity(max_contacts),
            bodies: Vec::with_capacity(max_contacts),
            weights: Vec::with_capacity(max_contacts),
            linear: derivatives.then(|| Linear::new(model, max_contacts)),
        }))
    }

    /// Finds the contacts of a state and the generalized force per unit of each actuator's force.
    ///
    /// # Errors
    /// `Capacity` for too many contacts, `Numerical` if a contact is not finite. There are no contacts
    /// then.
    pub fn find(&mut self, at: &State<'_>) -> Result<()> {
        let t = at.model.topology();
        self.touches.clear();
        self.bodies.clear();
        self.weights.clear();
        for grip in &mut self.grips {
            grip.moment.fill(0.0);
            (grip.share, grip.force, grip.bends) = (share(0.0), 0.0, false);
        }
        self.scene.place(at.model, at.kin);
        self.scene.collide(0.0)?;
        for c in self.scene.contacts() {
            let (point, n) = (c.point.point, c.point.normal);
            let none = Reaction::pull(n, 0.0, 0.0);
            let place = (point, n);
            let touch = Touch::with(t, at.kin, c.link, Material::default(), place, |_| none);
            self.touches.push(touch);
            self.bodies.push(c.geom.map(|g| at.model.geoms()[g].body));
            let beyond = c.point.gap - self.scene.adhesive_margin(c);
            self.weights.push(weight(beyond));
        }
        for grip in &mut self.grips {
            let contacts = self.touches.iter().zip(&self.bodies).zip(&self.weights);
            let own = contacts.filter(|((_, bodies), _)| bodies.contains(&grip.body));
            let sum = own.clone().map(|(_, [w, _])| w).sum();
            grip.share = share(sum);
            for ((touch, _), [w, _]) in own {
                let pull = touch.n * -(w * grip.share[0]);
                touch.spread_force(pull, t, at.kin, &mut grip.moment);
            }
        }
        Ok(())
    }

    /// Generalized force per unit of an actuator's force at the last state, nv entries; `None` if the
    /// actuator pulls no body.
    pub fn moment(&self, actuator: usize) -> Option<&[f64]> {
        let grip = self.grips.iter().find(|g| g.actuator == actuator)?;
        Some(&grip.moment)
    }

    /// Sets the actuators' forces at the state of the last [`Adhesion::find`].
    pub fn pull(&mut self, force: impl Fn(usize) -> f64) {
        for grip in &mut self.grips {
            grip.force = force(grip.actuator);
        }
        let contacts = self.touches.iter_mut().zip(&self.bodies).zip(&self.weights);
        for ((touch, bodies), w) in contacts {
            let own = self.grips.iter().filter(|g| bodies.contains(&g.body));
            let per_weight: f64 = own.map(|g| g.force * g.share[0]).sum();
            let [force, by_gap] = w.map(|w| w * per_weight);
            touch.reaction = Reaction::pull(touch.n, force, by_gap);
        }
    }

    /// Whether any contact is pulled.
    pub fn acts(&self) -> bool {
        self.touches.iter().any(Touch::acts)
    }

    /// Whether a pulled contact has no derivative.
    pub fn is_degenerate(&self) -> bool {
        self.linear.as_ref().is_some_and(|l| l.degenerate)
    }

    /// Joins the trees that are pulled at each other, for any forces.
    pub fn couple(&self, t: &Topology, coupling: &mut Coupling) {
        let contacts = self.touches.iter().zip(&self.bodies).zip(&self.weights);
        for ((touch, bodies), _) in contacts.filter(|(_, [w, _])| *w > 0.0) {
            for grip in self.grips.iter().filter(|g| bodies.contains(&g.body)) {
                let home = t.links[t.dofs[grip.home].link].tree;
                for link in touch.link.into_iter().filter(|l| *l != WORLD) {
                    coupling.join(home, t.links[link].tree);
                }
            }
        }
    }

    /// Finds the derivatives at the state of the last [`Adhesion::pull`].
    pub fn differentiate(&mut self, at: &State<'_>) {
        let Some(linear) = &mut self.linear else {
            return;
        };
        linear.set(at, &mut self.scene, &mut self.touches);
        for grip in &mut self.grips {
            grip.bends = false;
            if grip.force == 0.0 {
                continue;
            }
            grip.by_q.fill(0.0);
            let contacts = self.touches.iter().zip(&self.bodies).zip(&self.weights);
            for (i, ((touch, bodies), [_, slope])) in contacts.enumerate() {
                if *slope == 0.0 || !bodies.contains(&grip.body) {
                    continue;
                }
                grip.bends = true;
                for arm in linear.arms(i) {
                    grip.by_q[arm.dof] += slope * touch.gap_change(arm.side, arm.displacement());
                }
            }
        }
    }

    /// The actuators whose sum of weights varies.
    fn bending(&self) -> impl Iterator<Item = &Grip> {
        self.grips.iter().filter(|g| g.bends)
    }

    /// Visits the entries of R_q between dofs of one branch (`within`), or of different branches: (row,
    /// column, by q, 0).
    fn for_shared(
        &self,
        t: &Topology,
        within: bool,
        mut visit: impl FnMut(usize, usize, f64, f64),
    ) {
        for grip in self.bending() {
            let rate = -grip.rate();
            for (row, moment) in grip.moment.iter().enumerate().filter(|(_, m)| **m != 0.0) {
                for (column, by_q) in grip.by_q.iter().enumerate().filter(|(_, g)| **g != 0.0) {
                    if t.are_on_a_path(row, column) == within {
                        visit(row, column, rate * moment * by_q, 0.0);
                    }
                }
            }
        }
    }

    /// Visits the entries of R_q and R_v between dofs of one branch: (row, column, by q, by v).
    pub fn for_branches(&self, t: &Topology, mut visit: impl FnMut(usize, usize, f64, f64)) {
        if let Some(linear) = &self.linear {
            linear.for_branches(&mut visit);
            self.for_shared(t, true, visit);
        }
    }

    /// Visits the entries between dofs of different branches.
    pub fn for_cross(&self, t: &Topology, mut visit: impl FnMut(usize, usize, f64, f64)) {
        if let Some(linear) = &self.linear {
            linear.for_cross(&mut visit);
            self.for_shared(t, false, visit);
        }
    }

    /// r += R_q δq for entries between branches and, if `within`, also within branches. An empty δq
    /// stands for zero.
    pub fn times(&self, t: &Topology, within: bool, along: [&[f64]; 2], r: &mut [f64]) {
        let (Some(linear), [q, _]) = (&self.linear, along) else {
            return;
        };
        linear.times(within, along, r);
        if q.is_empty() {
            return;
        }
        let mut add = |row: usize, column: usize, by_q: f64, _: f64| r[row] += by_q * q[column];
        self.for_shared(t, false, &mut add);
        if within {
            self.for_shared(t, true, &mut add);
        }
    }

    /// q_bar += R_qᵀ w.
    pub fn times_transposed(&self, w: &[f64], q_bar: &mut [f64], v_bar: &mut [f64]) {
        let Some(linear) = &self.linear else {
            return;
        };
        linear.times_transposed(w, q_bar, v_bar);
        for grip in self.bending() {
            let along: f64 = grip.moment.iter().zip(w).map(|(m, w)| m * w).sum();
            let scale = -grip.rate() * along;
            for (bar, by_q) in q_bar.iter_mut().zip(&grip.by_q) {
                *bar += scale * by_q;
            }
        }
    }

    /// Adds the derivative of the balance of forces by a parameter, −∂f/∂p. Adds nothing for a parameter
    /// that moves no surface.
    pub fn by_parameter(&self, at: &State<'_>, p: &Param, r: &mut [f64]) {
        let Some(linear) = self.linear.as_ref().filter(|_| p.kind.moves_surfaces()) else {
            return;
        };
        let touches = (&self.scene, &self.touches[..]);
        linear.by_parameter(at, touches, p, r, |r, contact, change| {
            let bodies = &self.bodies[contact];
            for grip in self.bending().filter(|g| bodies.contains(&g.body)) {
                let scale = -grip.rate() * self.weights[contact][1] * change;
                for (r, moment) in r.iter_mut().zip(&grip.moment) {
                    *r += scale * moment;
                }
            }
        });
    }
}
