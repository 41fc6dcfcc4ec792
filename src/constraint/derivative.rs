//! How the constraint problem and its forces vary with the configuration, at fixed impulses.
//!
//! With ξ_X the displacement of the bodies, V_X their velocities after the step, and
//! (δp, δn, δΦ) the motion of the contact,
//! - δ(relative velocity) = Rᵀ(δV_B(p) − δV_A(p) + (ω_B − ω_A) × δp − δφ × v_rel)
//! - the impulse f = R λ adds to each side the wrench (δφ × f; (δp − δp_X) × f) at p, beyond what a
//!   load fixed in the world at a fixed point of the body does
//!
//! where δφ turns the contact frame (Appendix C of the differentiable-simulation paper).

use super::assemble::{Constraints, Source, Stabilization, tip};
use super::equality::{Coupling, Equality};
use super::equality_derivative::EqualityState;
use crate::collision::primitive::Smoothness;
use crate::collision::scene::Scene;
use crate::collision::{ContactDerivative, contact_frame_derivative};
use crate::dynamics::external::External;
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::rnea_derivatives::RneaDerivatives;
use crate::linalg::F4;
use crate::model::Model;
use crate::model::topology::{Topology, WORLD};
use crate::spatial::{Mat3, Twist, Vec3, Wrench};

/// A displacement of a link and the change of its velocity that goes with it, about its tree's
/// origin: δV = ξ × V + η.
#[derive(Clone, Copy, Debug, Default)]
pub struct Displacement {
    pub xi: Twist,
    pub eta: Twist,
}

/// What a displacement does to a group of rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Varied {
    /// J v⁺ and the gap or violation, row by row; a frictionless contact has the third row only.
    pub velocity: Vec3,
    pub gap: Vec3,
    /// On each side, world axes at its point, beyond the load fixed in the world.
    pub wrench: [Wrench; 2],
}

/// The two bodies between which a group acts.
#[derive(Clone, Copy, Debug)]
pub struct Sides {
    pub link: [usize; 2],
    /// Points about the origins of their trees.
    pub point: [Vec3; 2],
    /// Velocities after the step.
    pub velocity: [Twist; 2],
}

/// A contact after the step.
#[derive(Clone, Copy, Debug)]
struct ContactState {
    sides: Sides,
    /// One row, the normal.
    frictionless: bool,
    frame: Mat3,
    turn: Mat3,
    normal: Vec3,
    /// World axes, on B [N s].
    impulse: Vec3,
    relative: Vec3,
    motion: ContactDerivative,
}

impl ContactState {
    /// The effect of displacing side A and side B.
    #[inline(always)]
    fn vary(&self, d: [Displacement; 2]) -> Varied {
        let s = &self.sides;
        let at = |x: usize| Twist::new(d[x].xi.at(s.point[x]), d[x].xi.ang);
        let (a, b) = (at(0), at(1));
        let (dp, dn, gap) = self.motion.apply(self.normal, a, b);
        let phi = self.turn.mul_vec(dn);
        let change = |x: usize| (d[x].xi.cross(s.velocity[x]) + d[x].eta).at(s.point[x]);
        let omega = s.velocity[1].ang - s.velocity[0].ang;
        let velocity = change(1) - change(0) + omega.cross(dp) - phi.cross(self.relative);
        let force = phi.cross(self.impulse);
        Varied {
            velocity: self.frame.tr_mul_vec(velocity),
            gap: Vec3::Z * gap,
            wrench: [
                Wrench::new(-force, -(dp - a.lin).cross(self.impulse)),
                Wrench::new(force, (dp - b.lin).cross(self.impulse)),
            ],
        }
    }
}

/// A group between two bodies after the step.
#[derive(Clone, Copy, Debug)]
// A box would be an allocation in the step.
#[allow(clippy::large_enum_variant)]
enum State {
    Contact(ContactState),
    Equality(EqualityState),
}

impl State {
    #[inline(always)]
    fn sides(&self) -> &Sides {
        match self {
            State::Contact(c) => &c.sides,
            State::Equality(e) => &e.sides,
        }
    }

    #[inline(always)]
    fn vary(&self, d: [Displacement; 2]) -> Varied {
        match self {
            State::Contact(c) => c.vary(d),
            State::Equality(e) => e.vary(d),
        }
    }

    /// Slopes of the stabilization by the gap, row by row.
    fn slopes(&self, s: &Stabilization, gap: f64) -> Vec3 {
        match self {
            State::Contact(_) => Vec3::Z * s.by_gap(gap),
            State::Equality(_) => Vec3::new(1.0, 1.0, 1.0) * s.closing(),
        }
    }

    /// Rows from the left.
    #[inline(always)]
    fn lanes(&self, x: Vec3) -> F4 {
        match self {
            State::Contact(c) if c.frictionless => F4([x.z, 0.0, 0.0, 0.0]),
            _ => F4([x.x, x.y, x.z, 0.0]),
        }
    }

    /// Whether the forces vary beyond loads fixed in the world.
    fn turns(&self) -> bool {
        match self {
            State::Contact(_) => true,
            State::Equality(e) => e.turns(),
        }
    }
}

/// The variation of a step's constraint problem by the tangent of q. Sized at creation.
#[derive(Clone, Debug)]
pub struct Variation {
    nv: usize,
    states: Vec<Option<State>>,
    /// Per group and dof: ∂σ/∂q at fixed v⁺ and λ, with stabilization.
    by_q: Vec<F4>,
    /// Dense ∂(h τ)/∂q of groups between two moving bodies, nv×nv; the others are in R_q.
    extra: Vec<f64>,
    pub has_extra: bool,
    velocity: Vec<Twist>,
    /// A contact has no unique derivative: its undetermined part was left out.
    pub degenerate: bool,
}

impl Variation {
    pub fn new(model: &Model, max_groups: usize) -> Self {
        let nv = model.nv();
        Variation {
            nv,
            states: Vec::with_capacity(max_groups),
            by_q: F4::zeros(nv * max_groups),
            extra: vec![0.0; nv * nv],
            has_extra: false,
            velocity: vec![Twist::ZERO; model.topology().links.len()],
            degenerate: false,
        }
    }

    /// Adds the impulses on bodies, as forces over the step, to the external loads: fixed in the world,
    /// acting at fixed points of the bodies.
    pub fn load(
        &self,
        c: &Constraints,
        scene: &Scene,
        model: &Model,
        kin: &Kinematics,
        h: f64,
        out: &mut External,
    ) {
        let t = model.topology();
        for (b, source) in c.sources.iter().enumerate() {
            match *source {
                Source::Contact(i) => {
                    let contact = &scene.contacts()[i];
                    let f = world_impulse(c, b) * (1.0 / h);
                    for (x, sign) in [(0, -1.0), (1, 1.0)] {
                        let link = contact.link[x];
                        if link != WORLD {
                            let p = contact.point.point - kin.origin[t.links[link].tree];
                            out.add(link, p, f * sign, Vec3::ZERO);
                        }
                    }
                }
                Source::Equality { index, .. } => {
                    let Some(p) = c.equalities[index].pose(t, kin) else {
                        continue;
                    };
                    let (f, m) = p
                        .relation
                        .transposed(lanes_to_vec(c.impulse(b)) * (1.0 / h));
                    for (x, sign) in [(0, 1.0), (1, -1.0)] {
                        if p.link[x] != WORLD {
                            out.add(p.link[x], p.point[x], f * sign, m * sign);
                        }
                    }
                }
                Source::Limit { .. } | Source::Friction { .. } => {}
            }
        }
    }

    /// Prepares the variation at the end of a step; `q` and `v` are where it began.
    pub fn prepare(
        &mut self,
        c: &Constraints,
        scene: &mut Scene,
        model: &Model,
        kin: &Kinematics,
        s: &Stabilization,
        q: &[f64],
        v: &[f64],
        v_next: &[f64],
        id: &mut RneaDerivatives,
    ) {
        let t = model.topology();
        self.states.clear();
        self.degenerate = false;
        if self.has_extra {
            self.extra.fill(0.0);
            self.has_extra = false;
        }
        // The kept share of the old normal velocity varies like a velocity, too.
        if s.kd != 0.0 {
            self.velocities(t, kin, v);
            for b in 0..c.groups() {
                let state = self.state(c, scene, t, kin, b);
                self.states.push(state);
            }
            for b in 0..c.groups() {
                self.old_velocity(c, t, kin, b, s.kd);
            }
            self.states.clear();
        }
        self.velocities(t, kin, v_next);
        for b in 0..c.groups() {
            let state = self.state(c, scene, t, kin, b);
            self.states.push(state);
            if let Some(state) = state {
                self.group(c, t, kin, b, &state, s, id);
            } else {
                self.on_dofs(c, t, b, s, q, v_next, id);
            }
        }
    }

    fn velocities(&mut self, t: &Topology, kin: &Kinematics, v: &[f64]) {
        for (i, l) in t.links.iter().enumerate() {
            let mut own = if l.parent == WORLD {
                Twist::ZERO
            } else {
                self.velocity[l.parent]
            };
            for k in l.iv..l.iv + l.kind.nv() {
                own += kin.s[k] * v[k];
            }
            self.velocity[i] = own;
        }
    }

    fn state(
        &mut self,
        c: &Constraints,
        scene: &mut Scene,
        t: &Topology,
        kin: &Kinematics,
        group: usize,
    ) -> Option<State> {
        match c.sources[group] {
            Source::Contact(i) => {
                let contact = self.contact_state(c, scene, t, kin, group, i);
                Some(State::Contact(contact))
            }
            Source::Equality { index, .. } => {
                let p = c.equalities[index].pose(t, kin)?;
                let velocity = p.link.map(|l| self.velocity_of(l));
                let impulse = lanes_to_vec(c.impulse(group));
                let state = EqualityState::new(&p, velocity, impulse);
                Some(State::Equality(state))
            }
            Source::Limit { .. } | Source::Friction { .. } => None,
        }
    }

    fn velocity_of(&self, link: usize) -> Twist {
        match link {
            WORLD => Twist::ZERO,
            link => self.velocity[link],
        }
    }

    fn contact_state(
        &mut self,
        c: &Constraints,
        scene: &mut Scene,
        t: &Topology,
        kin: &Kinematics,
        group: usize,
        index: usize,
    ) -> ContactState {
        let contact = scene.contacts()[index];
        let mut motion = ContactDerivative::default();
        if scene.differentiate(&contact, &mut motion) == Smoothness::Degenerate {
            self.degenerate = true;
        }
        let point = contact.link.map(|link| match link {
            WORLD => contact.point.point,
            link => contact.point.point - kin.origin[t.links[link].tree],
        });
        let velocity = contact.link.map(|l| self.velocity_of(l));
        ContactState {
            sides: Sides {
                link: contact.link,
                point,
                velocity,
            },
            frictionless: c.range(group).len() == 1,
            frame: c.frames[group],
            turn: contact_frame_derivative(contact.point.normal),
            normal: contact.point.normal,
            impulse: world_impulse(c, group),
            relative: velocity[1].at(point[1]) - velocity[0].at(point[0]),
            motion,
        }
    }

    /// Displacements of both sides by a unit of a dof.
    #[inline(always)]
    fn by_dof(&self, s: &Sides, t: &Topology, kin: &Kinematics, k: usize) -> [Displacement; 2] {
        let link = t.dofs[k].link;
        let parent = t.links[link].parent;
        let xi = kin.s[k];
        let eta = if parent == WORLD {
            Twist::ZERO
        } else {
            self.velocity[parent].cross(xi)
        };
        std::array::from_fn(|x| {
            let side = s.link[x];
            if side != WORLD && link <= side && side < t.links[link].end {
                Displacement { xi, eta }
            } else {
                Displacement::default()
            }
        })
    }

    /// Keeps the share of a contact's old normal velocity until [`Variation::group`].
    fn old_velocity(&mut self, c: &Constraints, t: &Topology, kin: &Kinematics, b: usize, kd: f64) {
        let Some(State::Contact(state)) = self.states[b] else {
            return;
        };
        c.rows.for_dofs(b, |k| {
            let d = state.vary(self.by_dof(&state.sides, t, kin, k));
            self.by_q[b * self.nv + k] = F4([-kd * d.velocity.z, 0.0, 0.0, 0.0]);
        });
    }

    /// Fills ∂σ/∂q of rows that act on dofs, and adds the variation of their forces to R_q.
    fn on_dofs(
        &mut self,
        c: &Constraints,
        t: &Topology,
        b: usize,
        s: &Stabilization,
        q: &[f64],
        v_next: &[f64],
        id: &mut RneaDerivatives,
    ) {
        let at = b * self.nv;
        c.rows.for_dofs(b, |k| self.by_q[at + k] = F4::ZERO);
        match c.sources[b] {
            Source::Limit { dof, sign } => {
                self.by_q[at + dof].0[0] = s.by_gap(c.gaps[b]) * sign;
            }
            Source::Equality { index, .. } => {
                let Equality::Coupling(ref coupling) = c.equalities[index] else {
                    return;
                };
                let Coupling {
                    follower, leader, ..
                } = coupling;
                self.by_q[at + follower.dof].0[0] = s.closing();
                if let Some(leader) = leader {
                    let k = leader.dof;
                    let [_, slope, bend] = coupling.target(q);
                    self.by_q[at + k].0[0] = -s.closing() * slope - bend * v_next[k];
                    // R holds −τ, and a force is an impulse per step.
                    let r = bend * c.impulse(b).0[0] / s.h;
                    let diagonal = t.dofs[k].row + t.dofs[k].depth;
                    F4::flat_mut(&mut id.above_q)[diagonal] += r;
                    F4::flat_mut(&mut id.below_q)[diagonal] += r;
                }
            }
            Source::Contact(_) | Source::Friction { .. } => {}
        }
    }

    /// Fills ∂σ/∂q of a group between bodies and adds its forces' variation to R_q.
    fn group(
        &mut self,
        c: &Constraints,
        t: &Topology,
        kin: &Kinematics,
        b: usize,
        state: &State,
        s: &Stabilization,
        id: &mut RneaDerivatives,
    ) {
        let (nv, at) = (self.nv, b * self.nv);
        let slopes = state.slopes(s, c.gaps[b]);
        let keeps = s.kd != 0.0 && matches!(state, State::Contact(_));
        let sides = state.sides();
        let one_sided = sides.link[0] == WORLD || sides.link[1] == WORLD;
        self.has_extra |= !one_sided && state.turns();
        let (above, below) = (&mut id.above_q, &mut id.below_q);
        c.rows.for_dofs(b, |k| {
            let d = state.vary(self.by_dof(sides, t, kin, k));
            let mut sigma = d.velocity + slopes.scale(d.gap);
            if keeps {
                sigma.z += self.by_q[at + k].0[0];
            }
            self.by_q[at + k] = state.lanes(sigma);
            if !state.turns() {
                return;
            }
            for x in 0..2 {
                let w = d.wrench[x];
                let mut i = tip(t, sides.link[x]);
                while i != WORLD {
                    let s_i = kin.s[i];
                    let force = s_i.at(sides.point[x]).dot(w.lin) + s_i.ang.dot(w.ang);
                    if one_sided {
                        // R holds −τ, and a force is an impulse per step.
                        let r = -force / s.h;
                        if i <= k {
                            F4::flat_mut(above)[t.dofs[k].row + t.dofs[i].depth] += r;
                        }
                        if i >= k {
                            F4::flat_mut(below)[t.dofs[i].row + t.dofs[k].depth] += r;
                        }
                    } else {
                        self.extra[k * nv + i] += force;
                    }
                    i = t.dofs[i].parent;
                }
            }
        });
    }

    /// ∂σ/∂q of a group at a dof that it touches.
    #[inline(always)]
    pub fn column(&self, group: usize, dof: usize) -> F4 {
        self.by_q[group * self.nv + dof]
    }

    /// Column k of ∂(h τ)/∂q of groups between two moving bodies.
    pub fn extra(&self, dof: usize) -> &[f64] {
        &self.extra[dof * self.nv..(dof + 1) * self.nv]
    }

    /// Effect of displacing all links of a subtree by ξ: σ per group into `w` (added) and impulses on
    /// the dofs into `force` (added). `parent` is the velocity of the link above after the step.
    pub fn displaced(
        &self,
        c: &Constraints,
        t: &Topology,
        kin: &Kinematics,
        links: std::ops::Range<usize>,
        xi: Twist,
        s: &Stabilization,
        w: &mut [f64],
        force: &mut [f64],
    ) {
        let parent = t.links[links.start].parent;
        let eta = if parent == WORLD {
            Twist::ZERO
        } else {
            self.velocity[parent].cross(xi)
        };
        for (b, state) in self.states.iter().enumerate() {
            let Some(state) = state else { continue };
            let sides = state.sides();
            let d = std::array::from_fn(|x| {
                if links.contains(&sides.link[x]) {
                    Displacement { xi, eta }
                } else {
                    Displacement::default()
                }
            });
            let v = state.vary(d);
            let sigma = state.lanes(v.velocity + state.slopes(s, c.gaps[b]).scale(v.gap));
            for (w, x) in w[c.range(b)].iter_mut().zip(sigma.0) {
                *w += x;
            }
            for x in 0..2 {
                let mut i = tip(t, sides.link[x]);
                while i != WORLD {
                    let s_i = kin.s[i];
                    force[i] +=
                        s_i.at(sides.point[x]).dot(v.wrench[x].lin) + s_i.ang.dot(v.wrench[x].ang);
                    i = t.dofs[i].parent;
                }
            }
        }
    }
}

fn lanes_to_vec(x: F4) -> Vec3 {
    Vec3::new(x.0[0], x.0[1], x.0[2])
}

/// Impulse of a contact on side B, world axes.
fn world_impulse(c: &Constraints, group: usize) -> Vec3 {
    let l = lanes_to_vec(c.impulse(group));
    if c.range(group).len() == 3 {
        c.frames[group].mul_vec(l)
    } else {
        c.frames[group].c[2] * l.x
    }
}
