//! Computes the couple that makes freely rotating bodies follow the discrete Euler equations ([`Spin`]),
//! in addition to −ω × I ω.
//!
//! This applies to two kinds of links, each with its own inertia: the link of a free joint on the world,
//! about its centre of mass; and the link of a ball joint that carries no other link, about the joint's
//! centre. The balance of a step keeps M a + b with the explicit b. The difference to the discrete
//! equations is a couple w on the link, along world axes.
//!
//! The couple depends on ω and, for a ball joint, on the torque of gravity. Let D = ∂w/∂ω, let G be the
//! slope of w by a rotation of the link against gravity, and η as in
//! [`rnea_derivatives`](crate::dynamics::rnea_derivatives). For dofs i and k on the link's path
//!
//!   ∂τ_i/∂v_k = S_iᵀ D S_k,   ∂τ_i/∂q_k = S_iᵀ (D η_k + G S_k),
//!
//! plus S_iᵀ (S_k ×* w) if i is above k.
//!
//! For a free joint, a step carries the velocity of the centre of mass of its own link
//! ([`Gyroscopic::centres`]).

mod turning;

use super::face::State;
use super::slopes::Entry;
use crate::dynamics::Dynamics;
use crate::dynamics::spin::Spin;
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::topology::{Link, LinkKind, Topology, WORLD};
use crate::spatial::{Inertia, Twist, Vec3};
use turning::Turning;

/// The couples of all links that rotate freely.
#[derive(Clone, Debug)]
pub struct Gyroscopic {
    turning: Vec<Turning>,
    /// Entries of −∂f/∂q and −∂f/∂v.
    entries: Vec<Entry>,
}

fn entry([row, column]: [usize; 2], by_q: f64, by_v: f64) -> Entry {
    Entry {
        row,
        column,
        by_q,
        by_v,
    }
}

/// The change of a body's inertia by one of its parameters.
fn unit_inertia(p: &Param) -> Inertia {
    let mut unit = [0.0; 10];
    unit[p.component as usize] = 1.0;
    Inertia::from_params(&unit)
}

impl Gyroscopic {
    /// `None` for a model without such links.
    pub fn new(model: &Model, derivatives: bool) -> Option<Box<Gyroscopic>> {
        let t = model.topology();
        let is_leaf = |i: usize, l: &Link| l.kind == LinkKind::Spherical && l.end == i + 1;
        let is_root = |l: &Link| l.kind == LinkKind::Free && l.parent == WORLD;
        let turning: Vec<Turning> = (t.links.iter().enumerate())
            .filter(|(i, l)| is_leaf(*i, l) || is_root(l))
            .map(|(link, l)| {
                let carried = (model.bodies().iter())
                    .any(|b| b.link == link && b.gravity_compensation != 0.0);
                Turning::new(link, l, carried)
            })
            .collect();
        if turning.is_empty() {
            return None;
        }
        let path = |of: &Turning| t.path(of.link).count();
        let entries = turning.iter().map(|of| {
            let bends: usize = t.varying.iter().map(|v| t.links[v.link].nv.pow(2)).sum();
            path(of).pow(2) + bends
        });
        let entries = if derivatives { entries.sum() } else { 0 };
        Some(Box::new(Gyroscopic {
            turning,
            entries: Vec::with_capacity(entries),
        }))
    }

    /// Whether a link has such a couple if none of its dofs has a prescribed velocity.
    pub fn turns(&self, link: usize) -> bool {
        self.turning.iter().any(|of| of.link == link)
    }

    /// The links with such a couple.
    pub fn links(&self) -> impl Iterator<Item = usize> {
        self.turning.iter().map(|of| of.link)
    }

    /// Sets which dofs have a prescribed velocity. Links with such a dof do not rotate freely.
    pub fn drive(&mut self, t: &Topology, is_prescribed: &[bool]) {
        for of in &mut self.turning {
            of.is_prescribed = is_prescribed[t.links[of.link].dofs()].iter().any(|d| *d);
        }
    }

    /// Adds the couples to the generalized force.
    pub fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) {
        let (t, kin) = (at.model.topology(), at.kin);
        for of in &mut self.turning {
            let l = &t.links[of.link];
            of.take(at);
            if of.spin.is_some() {
                if of.is_lone {
                    of.tau[..l.nv].copy_from_slice(&tau[l.dofs()]);
                }
                kin.spread(t, of.link, of.wrench, tau);
            }
        }
    }

    /// Computes the accelerations of links that are alone from their couple and loads, and replaces those
    /// of the recursions. The computation is along the link's axes, in which small moments of inertia lose
    /// no digits beside large ones. `applied` is added to the generalized force. Links with an additional
    /// `diagonal` of A beyond M keep their accelerations.
    pub fn settle(
        &self,
        t: &Topology,
        h: f64,
        dynamics: &Dynamics,
        [diagonal, applied]: [&[f64]; 2],
        acc: &mut [f64],
    ) {
        for of in self.turning.iter().filter(|of| of.is_lone) {
            let dofs = t.links[of.link].dofs();
            let Some(spin) = &of.spin else { continue };
            if diagonal[dofs.clone()].iter().any(|d| *d != 0.0) {
                continue;
            }
            let mut tau = of.tau;
            if !applied.is_empty() {
                tau.iter_mut()
                    .zip(&applied[dofs.clone()])
                    .for_each(|(t, f)| *t += f);
            }
            let load = dynamics.external.link[of.link].wrench;
            let rot = &dynamics.kin.rot[of.link];
            of.alone(rot, h, spin, &tau[..dofs.len()], load, &mut acc[dofs]);
        }
    }

    /// The point of each free joint whose velocity a step carries, along the joint's axes: the centre of
    /// mass of its link; zero for joints with a prescribed dof.
    pub fn centres(&self, model: &Model, params: &Params, out: &mut [Vec3]) {
        let mut turning = self.turning.iter().filter(|of| of.is_free);
        for (out, l) in out.iter_mut().zip(model.free_links()) {
            let of = match l.parent {
                WORLD => turning.next().filter(|of| !of.is_prescribed),
                _ => None,
            };
            *out = of.map_or(Vec3::ZERO, |of| params.link_inertia[of.link].com());
        }
    }

    /// Computes the slopes at the state of the last [`Gyroscopic::apply`].
    pub fn differentiate(&mut self, at: &State<'_>) {
        let (t, kin) = (at.model.topology(), at.kin);
        self.entries.clear();
        for of in &mut self.turning {
            let Some(spin) = of.spin else { continue };
            of.slopes = spin.slopes();
            let entries = &mut self.entries;
            if of.is_free {
                // The dofs rotate about the link's own axes, and the link hangs on the world.
                let slope = *spin.impulse_by_omega(&of.slopes) * (-1.0 / at.time_step);
                for (i, k) in (0..3).flat_map(|k| (0..3).map(move |i| (i, k))) {
                    let dofs = [of.spins + i, of.spins + k];
                    entries.push(entry(dofs, 0.0, slope.at(i, k)));
                }
                continue;
            }
            // A couple does no work on a dof that only translates.
            let turns = |k: &usize| kin.s[*k].ang != Vec3::ZERO;
            for k in t.path(of.link).filter(turns) {
                let (s, eta) = (kin.s[k], kin.eta(t, k, at.v, Twist::ZERO));
                let by_v = of.by_motion(at, &spin, s.ang, Vec3::ZERO).ang;
                let by_q = of.by_motion(at, &spin, eta.ang, s.ang).ang;
                let above = by_q + s.ang.cross(of.wrench.ang);
                for i in t.path(of.link).filter(turns) {
                    let is_above = t.dofs[i].link < t.dofs[k].link;
                    let (row, by_q) = (kin.s[i].ang, if is_above { above } else { by_q });
                    entries.push(entry([i, k], -row.dot(by_q), -row.dot(by_v)));
                }
            }
            for (state, varying) in kin.varying.iter().zip(&t.varying) {
                let l = &t.links[varying.link];
                if !(varying.link..l.end).contains(&of.link) {
                    continue;
                }
                for (row, column) in l.dofs().flat_map(|r| l.dofs().map(move |c| (r, c))) {
                    let bent = state.slope(row - l.iv, column - l.iv);
                    entries.push(entry([row, column], -bent.dot(of.wrench), 0.0));
                }
            }
        }
    }

    /// The entries of −∂f/∂q and −∂f/∂v.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Adds −∂f/∂p to `r`. Call it after [`Gyroscopic::differentiate`].
    pub fn by_parameter(&self, at: &State<'_>, p: &Param, r: &mut [f64]) {
        let (t, kin) = (at.model.topology(), at.kin);
        // Queries without a step have no such force.
        if at.time_step == 0.0 {
            return;
        }
        for of in &self.turning {
            let Some(spin) = &of.spin else { continue };
            match p.kind {
                ParamKind::BodyInertia if at.model.bodies()[p.index as usize].link == of.link => {
                    let b = &at.model.bodies()[p.index as usize];
                    let by = unit_inertia(p).transformed(&b.in_link);
                    kin.spread(t, of.link, -of.by_inertia(at, spin, &by), r);
                }
                ParamKind::Gravity if !of.is_free => {
                    let along = Vec3::unit(p.component as usize);
                    let impulse = of.by_gravity(at, spin, of.first, along);
                    kin.spread(t, of.link, -of.wrench_of(at, impulse), r);
                }
                kind if kind.displaces() => self.by_displacement(at, of, spin, p, r),
                _ => {}
            }
        }
    }

    fn by_displacement(&self, at: &State<'_>, of: &Turning, spin: &Spin, p: &Param, r: &mut [f64]) {
        let (t, kin) = (at.model.topology(), at.kin);
        let moved = kin.displaced(at.model, at.params, p);
        let (first, xi) = (moved.link, moved.by.xi);
        let l = &t.links[first];
        if (first..l.end).contains(&of.link) {
            let eta = kin.parent_velocity(l).cross(xi) + moved.within(t, |k| at.v[k]);
            let by = of.by_motion(at, spin, eta.ang, xi.ang);
            kin.spread(t, of.link, -by, r);
            moved.for_bent(t, of.wrench, |k, x| r[k] -= x);
            kin.spread(t, l.parent, -xi.cross_wrench(of.wrench), r);
        }
    }

    /// Derivative of a centre by a parameter: the first dof of its free joint, and the change.
    pub fn centre_by_parameter(
        &self,
        model: &Model,
        params: &Params,
        p: &Param,
    ) -> Option<(usize, Vec3)> {
        if p.kind != ParamKind::BodyInertia {
            return None;
        }
        let b = &model.bodies()[p.index as usize];
        let mut free = self
            .turning
            .iter()
            .filter(|of| of.is_free && !of.is_prescribed);
        let of = free.find(|of| of.link == b.link)?;
        let (own, by) = (&params.link_inertia[of.link], unit_inertia(p));
        if own.mass <= 0.0 {
            return None;
        }
        let by = by.transformed(&b.in_link);
        let moved = (by.h - own.com() * by.mass) * (1.0 / own.mass);
        Some((model.topology().links[of.link].iv, moved))
    }
}
