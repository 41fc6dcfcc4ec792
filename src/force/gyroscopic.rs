//! What bodies that turn freely need beside −ω × I ω, so that they turn by the discrete Euler equations ([`Spin`]).
//!
//! Two kinds of links turn so: a free joint on the world with all that hangs on it, about the centre of mass, and a ball joint
//! on which nothing hangs, about its centre. What hangs on a free joint is taken as it is placed when the step begins, without
//! the ball joints' bodies, which turn by themselves. In the balance of a step there is M a + b with b as ever; what is
//! wrong with b is a wrench on the link, along world axes and about the tree's origin:
//!
//! - the couple that brings the angular velocity to ω⁺, and
//! - of a free joint ω × (ω × m c), c from the frame to the centre of mass, at the centre of mass: its velocity stays, and
//!   the end of the step takes the frame around it.
//!
//! The wrench depends on the inertia J, on ω, and of a ball joint on gravity's torque. With D = ∂w/∂ω, G by a turn of the link
//! against gravity, η as in [`rnea_derivatives`](crate::dynamics::rnea_derivatives), for dofs i and k on the link's path:
//!
//!   ∂τ_i/∂v_k = S_iᵀ D S_k,   ∂τ_i/∂q_k = S_iᵀ (D η_k + G S_k), and of i above k S_iᵀ (S_k ×* w) beside,
//!
//! and for k below the link ∂τ_i/∂q_k = S_iᵀ ∂w/∂J (rate of J by S_k).

use super::face::State;
use super::slopes::Entry;
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::spin::{Spin, SpinSlopes};
use crate::model::Model;
use crate::model::params::{Param, ParamKind};
use crate::model::topology::{Link, LinkKind, Topology, WORLD};
use crate::spatial::{Inertia, Mat3, Twist, Vec3, Wrench};

/// A link that turns freely, at the last state.
#[derive(Clone, Debug)]
struct Turning {
    link: usize,
    /// About the centre of mass; else about the joint's.
    is_free: bool,
    /// A dof of it has a prescribed velocity.
    is_driven: bool,
    inertia: Inertia,
    /// Of what turns, about the tree's origin.
    point: Vec3,
    /// None of what is massless or driven.
    spin: Option<Spin>,
    slopes: SpinSlopes,
    wrench: Wrench,
    /// From the link's frame to the point, along the link's axes.
    centre: Vec3,
}

/// Of all links that turn freely.
#[derive(Clone, Debug)]
pub struct Gyroscopic {
    turning: Vec<Turning>,
    /// Per link: whether it is a ball joint that turns by itself.
    is_alone: Vec<bool>,
    /// Per link: the inertia of what hangs on it, without the ball joints'.
    below: Vec<Inertia>,
    entries: Vec<Entry>,
}

/// ω × (ω × m c) of a free joint.
fn turned(omega: Vec3, first: Vec3) -> Vec3 {
    omega.cross(omega.cross(first))
}

fn carrier(kin: &Kinematics, l: &Link) -> Twist {
    match l.parent {
        WORLD => Twist::ZERO,
        parent => kin.v[parent],
    }
}

/// η of a dof.
fn carried(at: &State<'_>, t: &Topology, k: usize) -> Twist {
    let l = &t.links[t.dofs[k].link];
    let eta = carrier(at.kin, l).cross(at.kin.s[k]);
    match l.kind {
        LinkKind::Varying { index, .. } => {
            let state = &at.kin.varying[usize::from(index)];
            eta + state.by_dof(k - l.iv, &at.v[l.dofs()])
        }
        _ => eta,
    }
}

impl Turning {
    /// Finds the wrench at a state, where what turns has this inertia.
    fn take(&mut self, at: &State<'_>, inertia: Inertia) {
        (self.spin, self.wrench, self.centre) = (None, Wrench::ZERO, Vec3::ZERO);
        if self.is_driven || inertia.mass <= 0.0 {
            return;
        }
        let (kin, h) = (at.kin, at.time_step);
        self.inertia = inertia;
        self.point = match self.is_free {
            true => inertia.com(),
            false => kin.pos[self.link],
        };
        let omega = kin.v[self.link].ang;
        let about = inertia.transformed_by(&Mat3::IDENTITY, -self.point);
        let push = match self.is_free {
            true => Vec3::ZERO,
            false => about.h.cross(at.params.gravity) * h,
        };
        let spin = Spin::new(about.i, h, omega, push);
        let force = turned(omega, self.first(kin, &inertia));
        let couple = spin.impulse() * (1.0 / h);
        self.wrench = Wrench::new(force, self.point.cross(force) + couple);
        if self.is_free {
            self.centre = kin.rot[self.link].tr_mul_vec(self.point - kin.pos[self.link]);
        }
        self.spin = Some(spin);
    }

    /// The first moment about the frame, of a free joint.
    fn first(&self, kin: &Kinematics, inertia: &Inertia) -> Vec3 {
        match self.is_free {
            true => inertia.h - kin.pos[self.link] * inertia.mass,
            false => Vec3::ZERO,
        }
    }

    /// How the wrench varies with ω, and as the link turns against gravity.
    fn by_motion(&self, at: &State<'_>, spin: &Spin, spun: Vec3, turn: Vec3) -> Wrench {
        let (omega, first) = (at.kin.v[self.link].ang, self.first(at.kin, &self.inertia));
        let force = spun.cross(omega.cross(first)) + omega.cross(spun.cross(first));
        let mut impulse = spin.impulse_by_omega(&self.slopes, spun);
        if !self.is_free {
            let gravity = at.params.gravity.cross(turn);
            impulse += self.by_gravity(at, spin, &self.inertia, gravity);
        }
        let couple = impulse * (1.0 / at.time_step);
        Wrench::new(force, self.point.cross(force) + couple)
    }

    /// How a ball joint's couple times h varies with gravity's torque on an inertia.
    fn by_gravity(&self, at: &State<'_>, spin: &Spin, inertia: &Inertia, gravity: Vec3) -> Vec3 {
        let arm = inertia.h - self.point * inertia.mass;
        spin.impulse_by_push(&self.slopes, arm.cross(gravity) * at.time_step)
    }

    /// How the wrench varies with the inertia of what turns.
    fn by_inertia(&self, at: &State<'_>, spin: &Spin, by: &Inertia) -> Wrench {
        let about = by.transformed_by(&Mat3::IDENTITY, -self.point);
        let mut impulse = spin.impulse_by_inertia(&self.slopes, &about.i);
        if !self.is_free {
            impulse += self.by_gravity(at, spin, by, at.params.gravity);
        }
        let omega = at.kin.v[self.link].ang;
        let force = turned(omega, self.first(at.kin, by));
        let arm = self.moved(by).cross(self.wrench.lin) + self.point.cross(force);
        Wrench::new(force, arm + impulse * (1.0 / at.time_step))
    }

    /// How the centre of mass of a free joint moves with its inertia, along world axes.
    fn moved(&self, by: &Inertia) -> Vec3 {
        match self.is_free {
            true => (by.h - self.point * by.mass) * (1.0 / self.inertia.mass),
            false => Vec3::ZERO,
        }
    }
}

/// A parameter of a body's inertia: by how much it changes that of the body's link, about the tree's origin.
fn unit_inertia(model: &Model, kin: &Kinematics, p: &Param) -> (usize, Inertia) {
    let b = &model.bodies()[p.index as usize];
    let mut unit = [0.0; 10];
    unit[p.component as usize] = 1.0;
    let own = Inertia::from_params(&unit).transformed(&b.in_link);
    (
        b.link,
        own.transformed_by(&kin.rot[b.link], kin.pos[b.link]),
    )
}

impl Gyroscopic {
    /// None of a model without such links.
    pub fn new(model: &Model, derivatives: bool) -> Option<Box<Gyroscopic>> {
        let t = model.topology();
        let is_leaf = |(i, l): (usize, &Link)| l.kind == LinkKind::Spherical && l.end == i + 1;
        let is_alone: Vec<bool> = t.links.iter().enumerate().map(is_leaf).collect();
        let is_root = |l: &Link| l.kind == LinkKind::Free && l.parent == WORLD;
        let turning: Vec<Turning> = (t.links.iter().enumerate())
            .filter(|(i, l)| is_alone[*i] || is_root(l))
            .map(|(link, l)| Turning {
                link,
                is_free: l.kind == LinkKind::Free,
                is_driven: false,
                inertia: Inertia::ZERO,
                point: Vec3::ZERO,
                spin: None,
                slopes: SpinSlopes::default(),
                wrench: Wrench::ZERO,
                centre: Vec3::ZERO,
            })
            .collect();
        if turning.is_empty() {
            return None;
        }
        let path = |of: &Turning| t.path(of.link).count();
        let entries = turning.iter().map(|of| {
            let bends: usize = t.varying.iter().map(|v| t.links[v.link].nv.pow(2)).sum();
            path(of) * (path(of) + t.dofs[t.links[of.link].iv].end) + bends
        });
        let entries = if derivatives { entries.sum() } else { 0 };
        let links = if derivatives { t.links.len() } else { 0 };
        Some(Box::new(Gyroscopic {
            turning,
            is_alone,
            below: vec![Inertia::ZERO; links],
            entries: Vec::with_capacity(entries),
        }))
    }

    /// Takes which dofs have a prescribed velocity: links with one do not turn freely.
    pub fn drive(&mut self, t: &Topology, is_driven: &[bool]) {
        for of in &mut self.turning {
            of.is_driven = is_driven[t.links[of.link].dofs()].iter().any(|d| *d);
        }
    }

    /// Adds to the generalized force.
    pub fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) {
        let (t, kin) = (at.model.topology(), at.kin);
        for of in &mut self.turning {
            let mut inertia = kin.inertia[of.link];
            for i in of.link + 1..t.links[of.link].end {
                if !self.is_alone[i] {
                    inertia += kin.inertia[i];
                }
            }
            of.take(at, inertia);
            if of.spin.is_some() {
                kin.spread(t, of.link, of.wrench, tau);
            }
        }
    }

    /// The point of each free joint that a step takes its frame around, along its axes; zeros of those that go as they are
    /// driven.
    pub fn centres(&self, model: &Model, out: &mut [Vec3]) {
        let mut turning = self.turning.iter().filter(|of| of.is_free);
        for (out, l) in out.iter_mut().zip(model.free_links()) {
            *out = match l.parent {
                WORLD => turning.next().map_or(Vec3::ZERO, |of| of.centre),
                _ => Vec3::ZERO,
            };
        }
    }

    /// Finds the slopes at the state of the last [`Gyroscopic::apply`].
    pub fn differentiate(&mut self, at: &State<'_>) {
        let (t, kin) = (at.model.topology(), at.kin);
        self.entries.clear();
        for (i, l) in t.links.iter().enumerate().rev() {
            self.below[i] = match self.is_alone[i] {
                true => Inertia::ZERO,
                false => kin.inertia[i],
            };
            for child in i + 1..l.end {
                if t.links[child].parent == i {
                    let own = self.below[child];
                    self.below[i] += own;
                }
            }
        }
        for of in &mut self.turning {
            let Some(spin) = of.spin else { continue };
            of.slopes = spin.slopes();
            let l = &t.links[of.link];
            let entries = &mut self.entries;
            for k in t.path(of.link) {
                let (s, eta) = (kin.s[k], carried(at, t, k));
                let by_v = of.by_motion(at, &spin, s.ang, Vec3::ZERO);
                let by_q = of.by_motion(at, &spin, eta.ang, s.ang);
                let above = by_q + s.cross_wrench(of.wrench);
                for i in t.path(of.link) {
                    let is_above = t.dofs[i].link < t.dofs[k].link;
                    let by_q = if is_above { above } else { by_q };
                    entries.push(Entry {
                        row: i,
                        column: k,
                        by_q: -kin.s[i].dot(by_q),
                        by_v: -kin.s[i].dot(by_v),
                    });
                }
            }
            for k in l.iv + l.nv..t.dofs[l.iv].end {
                let moved = self.below[t.dofs[k].link].rate(kin.s[k]);
                let by_q = of.by_inertia(at, &spin, &moved);
                for i in t.path(of.link) {
                    entries.push(Entry {
                        row: i,
                        column: k,
                        by_q: -kin.s[i].dot(by_q),
                        by_v: 0.0,
                    });
                }
            }
            for (state, varying) in kin.varying.iter().zip(&t.varying) {
                let l = &t.links[varying.link];
                if !(varying.link..l.end).contains(&of.link) {
                    continue;
                }
                for (row, column) in l.dofs().flat_map(|r| l.dofs().map(move |c| (r, c))) {
                    let bent = state.slope(row - l.iv, column - l.iv);
                    entries.push(Entry {
                        row,
                        column,
                        by_q: -bent.dot(of.wrench),
                        by_v: 0.0,
                    });
                }
            }
        }
    }

    /// −∂f/∂q and −∂f/∂v, by their entries.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether a link turns with another one.
    fn belongs(&self, t: &Topology, of: &Turning, link: usize) -> bool {
        let all = of.link..t.links[of.link].end;
        link == of.link || all.contains(&link) && !self.is_alone[link]
    }

    /// Adds −∂f/∂p to `r`; after [`Gyroscopic::differentiate`].
    pub fn by_parameter(&self, at: &State<'_>, p: &Param, r: &mut [f64]) {
        let (t, kin) = (at.model.topology(), at.kin);
        // Questions without a step have no such force.
        if at.time_step == 0.0 {
            return;
        }
        for of in &self.turning {
            let Some(spin) = &of.spin else { continue };
            match p.kind {
                ParamKind::BodyInertia if at.model.bodies()[p.index as usize].link != WORLD => {
                    let (link, unit) = unit_inertia(at.model, kin, p);
                    if self.belongs(t, of, link) {
                        kin.spread(t, of.link, -of.by_inertia(at, spin, &unit), r);
                    }
                }
                ParamKind::Gravity if !of.is_free => {
                    let along = Vec3::unit(p.component as usize);
                    let impulse = of.by_gravity(at, spin, &of.inertia, along);
                    let couple = Wrench::new(Vec3::ZERO, impulse * (-1.0 / at.time_step));
                    kin.spread(t, of.link, couple, r);
                }
                ParamKind::JointPlacement => self.by_placement(at, of, spin, p, r),
                _ => {}
            }
        }
    }

    fn by_placement(&self, at: &State<'_>, of: &Turning, spin: &Spin, p: &Param, r: &mut [f64]) {
        let (t, kin) = (at.model.topology(), at.kin);
        let joint = [p.index as usize, p.component as usize];
        let first = at.model.joint(joint[0]).first_link;
        let l = &t.links[first];
        let xi = kin.placement_twist(at.model, at.params, joint);
        if (of.link + 1..t.links[of.link].end).contains(&first) {
            let by = of.by_inertia(at, spin, &self.below[first].rate(xi));
            kin.spread(t, of.link, -by, r);
        } else if (first..l.end).contains(&of.link) {
            let eta = carrier(kin, l).cross(xi);
            let by = of.by_motion(at, spin, eta.ang, xi.ang);
            kin.spread(t, of.link, -by, r);
            kin.spread(t, l.parent, -xi.cross_wrench(of.wrench), r);
        }
    }

    /// Visits how the centres of free joints move: (which free joint of the model, its first dof, dof, change along the joint's axes).
    pub fn for_centres(
        &self,
        t: &Topology,
        kin: &Kinematics,
        mut visit: impl FnMut(usize, usize, Vec3),
    ) {
        for of in self
            .turning
            .iter()
            .filter(|of| of.is_free && of.spin.is_some())
        {
            let l = &t.links[of.link];
            for k in l.iv + l.nv..t.dofs[l.iv].end {
                let moved = of.moved(&self.below[t.dofs[k].link].rate(kin.s[k]));
                visit(l.iv, k, kin.rot[of.link].tr_mul_vec(moved));
            }
        }
    }

    /// The same of a parameter: the free joint's first dof and the change.
    pub fn centre_by_parameter(
        &self,
        model: &Model,
        params: &crate::model::params::Params,
        kin: &Kinematics,
        p: &Param,
    ) -> Option<(usize, Vec3)> {
        let t = model.topology();
        let (link, by) = match p.kind {
            ParamKind::BodyInertia if model.bodies()[p.index as usize].link != WORLD => {
                unit_inertia(model, kin, p)
            }
            ParamKind::JointPlacement => {
                let joint = [p.index as usize, p.component as usize];
                let first = model.joint(joint[0]).first_link;
                if t.links[first].parent == WORLD {
                    return None;
                }
                let xi = kin.placement_twist(model, params, joint);
                (first, self.below[first].rate(xi))
            }
            _ => return None,
        };
        let mut all = self
            .turning
            .iter()
            .filter(|of| of.is_free && of.spin.is_some());
        let of = all.find(|of| self.belongs(t, of, link))?;
        let moved = kin.rot[of.link].tr_mul_vec(of.moved(&by));
        Some((t.links[of.link].iv, moved))
    }
}
