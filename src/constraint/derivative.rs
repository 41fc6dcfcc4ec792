//! How the constraint problem and its forces vary with the configuration, at fixed impulses.
//!
//! A displacement ξ of a body takes a change of its velocity with it, δV = ξ × V + η. All that a group
//! of rows does is linear in the (ξ, η) of its two bodies, so each side is reduced to its coefficients
//! once: dofs, directions and adjoints then cost one product of twelve numbers a row. Forces need no
//! product at all: how a body's own motion turns them joins the stiffness of its external loads.

mod kernels;
mod size;

use super::assemble::{Constraints, Source};
use super::contact_derivative::ContactState;
use super::equality::Equality;
use super::equality_derivative::EqualityState;
use super::stabilization::Stabilization;
use crate::collision::Smoothness;
use crate::collision::contact_frame_derivative;
use crate::collision::scene::Scene;
use crate::dynamics::external::{External, Stiffness};
use crate::dynamics::kinematics::{Kinematics, link_twists, twists};
use crate::linalg::F4;
use crate::model::Model;
use crate::model::topology::{Topology, WORLD};
use crate::spatial::{Twist, Vec3, Wrench};
use std::ops::Range;

/// What displacing one side of a group does, by the coordinates of ξ and η (linear; angular) about the
/// tree's origin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Varied {
    /// J v⁺ and the gap or violation, row by row.
    pub velocity: [Vec3; 6],
    pub gap: [Vec3; 6],
    pub by_eta: [Vec3; 6],
    /// On each side, about the origin of its tree, beyond the load fixed in the world.
    pub wrench: [[Wrench; 6]; 2],
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

/// Rows of a group on one of its bodies: σ by (ξ, η) of the link.
#[derive(Clone, Debug)]
pub struct Side {
    pub rows: Range<usize>,
    pub link: usize,
    /// Which of the two velocities η belongs to.
    time: usize,
    by_xi: [F4; 6],
    by_eta: [F4; 6],
}

impl Side {
    #[inline(always)]
    fn apply(&self, xi: Twist, eta: Twist) -> F4 {
        let (x, e) = (xi.to_array(), eta.to_array());
        let mut sum = F4::ZERO;
        for k in 0..6 {
            sum += self.by_xi[k] * x[k] + self.by_eta[k] * e[k];
        }
        sum
    }
}

/// ∂σ/∂q of a row that acts on dofs, and how its force adds to R_q.
#[derive(Clone, Copy, Debug)]
pub struct OnDof {
    pub row: usize,
    pub dof: usize,
    pub slope: f64,
    stiffness: f64,
}

/// Impulses on the link `to` by a displacement of the link `from`.
#[derive(Clone, Copy, Debug)]
struct Cross {
    from: usize,
    to: usize,
    stiffness: Stiffness,
}

/// Velocities of the links and V_parent × S of the dofs.
#[derive(Clone, Debug)]
struct Flow {
    velocity: Vec<Twist>,
    carried: Vec<Twist>,
}

impl Flow {
    fn new(t: &Topology) -> Self {
        Flow {
            velocity: vec![Twist::ZERO; t.links.len()],
            carried: vec![Twist::ZERO; t.nv()],
        }
    }

    fn set(&mut self, model: &Model, kin: &Kinematics, v: &[f64]) {
        twists(kin, model, v, &mut self.velocity);
        for l in &model.topology().links {
            let parent = self.of(l.parent);
            for k in l.iv..l.iv + l.kind.nv() {
                self.carried[k] = parent.cross(kin.s[k]);
            }
        }
    }

    fn of(&self, link: usize) -> Twist {
        match link {
            WORLD => Twist::ZERO,
            link => self.velocity[link],
        }
    }
}

const AFTER: usize = 0;
const BEFORE: usize = 1;

/// The variation of a step's constraint problem by the tangent of q. Sized at creation.
#[derive(Debug)]
pub struct Variation {
    sides: Vec<Side>,
    on_dofs: Vec<OnDof>,
    cross: Vec<Cross>,
    /// After the step and before it, of which the first `times` are in use.
    flow: [Flow; 2],
    times: usize,
    /// Per link: displacement of a direction, and what is carried with it.
    xi: Vec<Twist>,
    eta: [Vec<Twist>; 2],
    /// Per link: adjoints of these.
    xi_bar: Vec<Wrench>,
    eta_bar: [Vec<Wrench>; 2],
    /// A contact has no unique derivative: its undetermined part was left out.
    pub degenerate: bool,
}

impl Variation {
    pub fn new(model: &Model, max_groups: usize) -> Self {
        let t = model.topology();
        let links = t.links.len();
        let twists = || vec![Twist::ZERO; links];
        let wrenches = || vec![Wrench::ZERO; links];
        Variation {
            // Two bodies, at two velocities.
            sides: Vec::with_capacity(4 * max_groups),
            on_dofs: Vec::with_capacity(2 * max_groups),
            cross: Vec::with_capacity(2 * max_groups),
            flow: [Flow::new(t), Flow::new(t)],
            times: 0,
            xi: twists(),
            eta: [twists(), twists()],
            xi_bar: wrenches(),
            eta_bar: [wrenches(), wrenches()],
            degenerate: false,
        }
    }

    #[inline(always)]
    fn prepare_kernel(
        &mut self,
        c: &Constraints,
        scene: &mut Scene,
        model: &Model,
        kin: &Kinematics,
        s: &Stabilization,
        [q, v, v_next]: [&[f64]; 3],
        external: &mut External,
    ) {
        self.sides.clear();
        self.on_dofs.clear();
        self.cross.clear();
        self.degenerate = false;
        self.times = 0;
        if c.groups() == 0 {
            return;
        }
        self.flow[AFTER].set(model, kin, v_next);
        // The kept share of the old normal velocity varies like a velocity, too.
        let keeps = s.kd != 0.0;
        self.times = 1 + usize::from(keeps);
        if keeps {
            self.flow[BEFORE].set(model, kin, v);
        }
        let t = model.topology();
        for b in 0..c.groups() {
            let rows = c.range(b);
            let row = rows.start;
            match c.sources[b] {
                Source::Contact(i) => {
                    let mut state = self.contact(c, scene, t, kin, b, i);
                    let frictionless = rows.len() == 1;
                    let lanes = |x: Vec3| match frictionless {
                        true => normal_lane(x),
                        false => three_lanes(x),
                    };
                    let slope = Vec3::Z * s.by_gap(c.gaps[b]);
                    for x in moving(&state.sides) {
                        let varied = state.vary(x);
                        self.push(rows.clone(), &state.sides, x, AFTER, &varied, slope, lanes);
                        self.stiffen(&state.sides, x, &varied, s.h, external);
                    }
                    let f = state.impulse * (1.0 / s.h);
                    for (x, sign) in [(0, -1.0), (1, 1.0)] {
                        if state.sides.link[x] != WORLD {
                            let p = state.sides.point[x];
                            external.add(state.sides.link[x], p, f * sign, Vec3::ZERO);
                        }
                    }
                    if keeps {
                        let flow = &self.flow[BEFORE];
                        state.sides.velocity = state.sides.link.map(|l| flow.of(l));
                        for x in moving(&state.sides) {
                            let varied = state.vary(x);
                            let kept = |u: Vec3| lanes(Vec3::Z * (-s.kd * u.z));
                            self.push(
                                rows.clone(),
                                &state.sides,
                                x,
                                BEFORE,
                                &varied,
                                Vec3::ZERO,
                                kept,
                            );
                        }
                    }
                }
                Source::Limit { dof, sign } => self.on_dofs.push(OnDof {
                    row,
                    dof,
                    slope: s.by_gap(c.gaps[b]) * sign,
                    stiffness: 0.0,
                }),
                Source::Friction { .. } => {}
                Source::Equality { index, .. } => match &c.equalities[index] {
                    Equality::Coupling(coupling) => {
                        self.on_dofs.push(OnDof {
                            row,
                            dof: coupling.follower.dof,
                            slope: s.closing(),
                            stiffness: 0.0,
                        });
                        if let Some(leader) = &coupling.leader {
                            let [_, slope, bend] = coupling.target(q);
                            self.on_dofs.push(OnDof {
                                row,
                                dof: leader.dof,
                                slope: -s.closing() * slope - bend * v_next[leader.dof],
                                // R holds −τ, and a force is an impulse per step.
                                stiffness: bend * c.impulse(b).0[0] / s.h,
                            });
                        }
                    }
                    equality => {
                        let Some(p) = equality.pose(t, kin) else {
                            continue;
                        };
                        let velocity = p.link.map(|l| self.flow[AFTER].of(l));
                        let impulse = lanes_to_vec(c.impulse(b));
                        let state = EqualityState::new(&p, velocity, impulse);
                        let slopes = Vec3::new(1.0, 1.0, 1.0) * s.closing();
                        for x in moving(&state.sides) {
                            let varied = state.columns(x);
                            self.push(
                                rows.clone(),
                                &state.sides,
                                x,
                                AFTER,
                                &varied,
                                slopes,
                                three_lanes,
                            );
                            if state.turns() {
                                self.stiffen(&state.sides, x, &varied, s.h, external);
                            }
                        }
                        let (f, m) = p.relation.transposed(impulse * (1.0 / s.h));
                        for (x, sign) in [(0, 1.0), (1, -1.0)] {
                            if p.link[x] != WORLD {
                                external.add(p.link[x], p.point[x], f * sign, m * sign);
                            }
                        }
                    }
                },
            }
        }
    }

    fn contact(
        &mut self,
        c: &Constraints,
        scene: &mut Scene,
        t: &Topology,
        kin: &Kinematics,
        group: usize,
        index: usize,
    ) -> ContactState {
        let contact = scene.contacts()[index];
        let mut motion = Default::default();
        if scene.differentiate(&contact, &mut motion) == Smoothness::Degenerate {
            self.degenerate = true;
        }
        let point = contact.link.map(|link| match link {
            WORLD => contact.point.point,
            link => contact.point.point - kin.origin[t.links[link].tree],
        });
        ContactState {
            sides: Sides {
                link: contact.link,
                point,
                velocity: contact.link.map(|l| self.flow[AFTER].of(l)),
            },
            frame: c.frames[group],
            turn: contact_frame_derivative(contact.point.normal),
            normal: contact.point.normal,
            impulse: world_impulse(c, group),
            motion,
        }
    }

    #[inline(always)]
    fn push(
        &mut self,
        rows: Range<usize>,
        sides: &Sides,
        x: usize,
        time: usize,
        varied: &Varied,
        slopes: Vec3,
        lanes: impl Fn(Vec3) -> F4,
    ) {
        self.sides.push(Side {
            rows,
            link: sides.link[x],
            time,
            by_xi: std::array::from_fn(|k| lanes(varied.velocity[k] + slopes.scale(varied.gap[k]))),
            by_eta: varied.by_eta.map(lanes),
        });
    }

    /// Adds how the impulses on both bodies turn with body `x`.
    #[inline(always)]
    fn stiffen(
        &mut self,
        sides: &Sides,
        x: usize,
        varied: &Varied,
        h: f64,
        external: &mut External,
    ) {
        let (from, to) = (sides.link[x], sides.link[1 - x]);
        // A load's stiffness is what a displacement takes from it.
        for (c, w) in external.link[from]
            .stiffness
            .c
            .iter_mut()
            .zip(varied.wrench[x])
        {
            *c -= w * (1.0 / h);
        }
        if to == WORLD {
            return;
        }
        let stiffness = Stiffness {
            c: varied.wrench[1 - x],
        };
        match self.cross.iter_mut().find(|c| (c.from, c.to) == (from, to)) {
            Some(c) => c.stiffness += &stiffness,
            None => self.cross.push(Cross {
                from,
                to,
                stiffness,
            }),
        }
    }

    /// Calls `visit(dof, x)` for what couplings between dofs add to the diagonal of R_q.
    pub fn for_couplings(&self, mut visit: impl FnMut(usize, f64)) {
        for d in self.on_dofs.iter().filter(|d| d.stiffness != 0.0) {
            visit(d.dof, d.stiffness);
        }
    }

    /// Rows on bodies: with [`Variation::column`] and [`Variation::on_dofs`] all of ∂σ/∂q at fixed v⁺ and
    /// λ, with stabilization. A row and dof may come more than once.
    pub fn sides(&self) -> &[Side] {
        &self.sides
    }

    /// ∂σ/∂q of a side at a dof that moves it.
    #[inline(always)]
    pub fn column(&self, side: &Side, kin: &Kinematics, dof: usize) -> F4 {
        side.apply(kin.s[dof], self.flow[side.time].carried[dof])
    }

    pub fn on_dofs(&self) -> &[OnDof] {
        &self.on_dofs
    }

    /// Calls `visit(dof, other, x)` for the impulses on `other` by a displacement of `dof` through groups
    /// between two moving bodies, beyond the loads' stiffness.
    pub fn for_cross(
        &self,
        t: &Topology,
        kin: &Kinematics,
        mut visit: impl FnMut(usize, usize, f64),
    ) {
        for c in &self.cross {
            for k in t.path(c.from) {
                let w = c.stiffness.mul(kin.s[k]);
                for i in t.path(c.to) {
                    visit(k, i, kin.s[i].dot(w));
                }
            }
        }
    }

    #[inline(always)]
    fn direction_kernel(
        &mut self,
        t: &Topology,
        kin: &Kinematics,
        dq: &[f64],
        sigma: &mut [f64],
        force: &mut [f64],
    ) {
        link_twists(t, &kin.s, dq, &mut self.xi);
        for (eta, flow) in self.eta.iter_mut().zip(&self.flow[..self.times]) {
            link_twists(t, &flow.carried, dq, eta);
        }
        for s in &self.sides {
            add(
                &mut sigma[s.rows.clone()],
                s.apply(self.xi[s.link], self.eta[s.time][s.link]),
            );
        }
        for d in &self.on_dofs {
            sigma[d.row] += d.slope * dq[d.dof];
        }
        for c in &self.cross {
            let w = c.stiffness.mul(self.xi[c.from]);
            for i in t.path(c.to) {
                force[i] += kin.s[i].dot(w);
            }
        }
    }

    #[inline(always)]
    fn direction_adjoint_kernel(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        sigma_bar: &[f64],
        force_bar: &[f64],
        q_bar: &mut [f64],
    ) {
        for d in &self.on_dofs {
            q_bar[d.dof] += d.slope * sigma_bar[d.row];
        }
        if self.sides.is_empty() {
            return;
        }
        self.xi_bar.fill(Wrench::ZERO);
        for e in &mut self.eta_bar[..self.times] {
            e.fill(Wrench::ZERO);
        }
        for s in &self.sides {
            let w = lanes_of(&sigma_bar[s.rows.clone()]);
            let weigh = |by: &[F4; 6]| {
                Wrench::from_slice(&by.map(|c| {
                    let p = (c * w).0;
                    p[0] + p[1] + p[2]
                }))
            };
            self.xi_bar[s.link] += weigh(&s.by_xi);
            self.eta_bar[s.time][s.link] += weigh(&s.by_eta);
        }
        if !self.cross.is_empty() {
            twists(kin, model, force_bar, &mut self.xi);
            for c in &self.cross {
                self.xi_bar[c.from] += c.stiffness.tr_mul(self.xi[c.to]);
            }
        }
        let t = model.topology();
        add_powers(t, &kin.s, &mut self.xi_bar, q_bar);
        for (eta, flow) in self.eta_bar.iter_mut().zip(&self.flow[..self.times]) {
            add_powers(t, &flow.carried, eta, q_bar);
        }
    }

    /// Effect of displacing all links of a subtree by ξ: σ into `sigma` (added) and the impulses on the
    /// dofs of [`Variation::for_cross`] into `force` (added).
    pub fn displaced(
        &self,
        t: &Topology,
        kin: &Kinematics,
        links: Range<usize>,
        xi: Twist,
        sigma: &mut [f64],
        force: &mut [f64],
    ) {
        let parent = t.links[links.start].parent;
        for s in self.sides.iter().filter(|s| links.contains(&s.link)) {
            let eta = self.flow[s.time].of(parent).cross(xi);
            add(&mut sigma[s.rows.clone()], s.apply(xi, eta));
        }
        for c in self.cross.iter().filter(|c| links.contains(&c.from)) {
            let w = c.stiffness.mul(xi);
            for i in t.path(c.to) {
                force[i] += kin.s[i].dot(w);
            }
        }
    }
}

/// Adds to `out` the powers of the dofs' columns on what acts on the links: the adjoint of [`link_twists`]. `w` is left
/// with the sums of the subtrees.
#[inline(always)]
fn add_powers(t: &Topology, s: &[Twist], w: &mut [Wrench], out: &mut [f64]) {
    for (i, l) in t.links.iter().enumerate().rev() {
        let own = w[i];
        for k in l.iv..l.iv + l.kind.nv() {
            out[k] += s[k].dot(own);
        }
        if l.parent != WORLD {
            w[l.parent] += own;
        }
    }
}

/// The sides that are not the world.
fn moving(sides: &Sides) -> impl Iterator<Item = usize> + use<> {
    let link = sides.link;
    (0..2).filter(move |x| link[*x] != WORLD)
}

fn lanes_to_vec(x: F4) -> Vec3 {
    Vec3::new(x.0[0], x.0[1], x.0[2])
}

fn three_lanes(x: Vec3) -> F4 {
    F4([x.x, x.y, x.z, 0.0])
}

fn normal_lane(x: Vec3) -> F4 {
    F4([x.z, 0.0, 0.0, 0.0])
}

/// Up to three numbers as lanes.
fn lanes_of(x: &[f64]) -> F4 {
    let mut l = F4::ZERO;
    l.0[..x.len()].copy_from_slice(x);
    l
}

fn add(x: &mut [f64], y: F4) {
    for (x, y) in x.iter_mut().zip(y.0) {
        *x += y;
    }
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
