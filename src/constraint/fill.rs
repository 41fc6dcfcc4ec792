//! Fills the rows of a step, in this order: contacts, torsional and rolling friction, limits of joints
//! and of tendons, limits of joint speeds, dry friction of joints and of tendons, spring-dampers of
//! tendons, equalities, springs.

use super::assemble::Constraints;
use super::elastic::Elastic;
use super::limits::{place, without_roundings};
use super::memory::Key;
use super::rebound::{Rebound, of_pair};
use super::rows::Rows;
use super::source::{Along, Source};
use crate::collision::contact_frame;
use crate::collision::scene::Scene;
use crate::contact::problem::Block;
use crate::dynamics::kinematics::Kinematics;
use crate::linalg::F4;
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::{Topology, WORLD};
use crate::spatial::{Mat3, Vec3};
use crate::tendon::Paths;

/// Relative to a point's distance from the origin of its tree: a lever arm below this is round-off. A
/// force through the axis of a joint does not move it.
const ROUND_OFF: f64 = 1e-14;

impl Constraints {
    pub(super) fn start(&mut self) {
        self.rows.clear();
        self.assembled.clear();
        self.sources.clear();
        self.offsets.clear();
        self.offsets.push(0);
        self.frames.clear();
        self.gaps.clear();
        self.places.clear();
        self.group_weights.clear();
        self.angular.clear();
        self.bounds.clear();
        self.rebounds.clear();
        self.g.clear();
        self.is_begun = false;
        self.softness.clear();
        self.keys.clear();
        self.regions.join(self.desired);
    }

    /// Appends a group of `count` blocks with one law.
    pub(super) fn push(
        &mut self,
        (block, count): (Block, usize),
        source: Source,
        frame: Mat3,
        (gap, angular): (f64, bool),
        key: Key,
    ) {
        let rows = count * block.rows();
        self.sources.push(source);
        let at = self.offsets.last().copied().unwrap_or(0);
        self.offsets.push(at + rows);
        self.frames.push(frame);
        self.gaps.push(gap);
        self.places.push(0.0);
        self.angular.push(angular);
        let bound = match source {
            Source::Contact(_) => {
                let group = self.bounds.len();
                self.levers.bound(&self.rows, group, rows - 1, gap)
            }
            _ => self.levers.own(),
        };
        self.bounds.push(bound);
        self.assembled.extend(std::iter::repeat_n(block, count));
        self.keys.push(key);
    }

    /// Fills the rows of the step: all contacts of the scene, limits within reach, and all other kinds
    /// of rows. `paths` holds lengths and moments of tendons at q. `v_free` is the velocity at the end
    /// of the step without impulses.
    pub fn assemble(
        &mut self,
        model: &Model,
        params: &Params,
        kin: &Kinematics,
        scene: &Scene,
        paths: &Paths,
        q: &[f64],
        v: &[f64],
        v_free: &[f64],
        h: f64,
        speculative_margin: f64,
    ) {
        self.start();
        self.is_deferred = false;
        let t = model.topology();
        self.take_paths(paths);
        self.fill_contacts(t, params, kin, scene, [v, v_free], h);
        self.fill_torsion(t, params, kin, scene);
        self.fill_limits(t, paths, q, [v, v_free], h, speculative_margin);
        self.fill_tendon_limits(t, paths, [v, v_free], h, speculative_margin);
        self.fill_speed_limits(t, v_free, speculative_margin / h);
        self.fill_friction(t, params, h);
        self.fill_tendon_friction(t, paths, h);
        self.fill_paths(t, params, paths);
        self.fill_equalities(t, (kin, paths), q);
        self.fill_springs(t, params, (kin, paths), q);
        let weights = self.sources.iter().map(|s| self.weights.of(s, scene));
        self.group_weights.extend(weights);
    }

    /// Sets the size of the numbers whose difference is the gap of the last group.
    fn place_last(&mut self, at: f64) {
        if let (Some(place), Some(gap)) = (self.places.last_mut(), self.gaps.last_mut()) {
            *place = at;
            *gap = without_roundings(*gap, at);
        }
    }

    fn fill_contacts(
        &mut self,
        t: &Topology,
        params: &Params,
        kin: &Kinematics,
        scene: &Scene,
        [v, v_free]: [&[f64]; 2],
        h: f64,
    ) {
        for (i, c) in scene.contacts().iter().enumerate() {
            let block = if c.condim == 1 {
                Block::Unilateral
            } else {
                let mu = c.friction.sliding(&params.geom_friction);
                self.cone.block(mu)
            };
            let frame = contact_frame(c.point.normal);
            let id = self.rows.push(t, c.link.map(|l| t.tip(l)));
            let mut place = far(c.point.point);
            for (link, sign) in [(c.link[1], 1.0), (c.link[0], -1.0)] {
                if link != WORLD {
                    let p = c.point.point - kin.origin[t.links[link].tree];
                    // A point near the origin of the world has the round-off of the shape's size and place.
                    place = place.max(far(p - kin.pos[link]));
                    add_point_rows(&mut self.rows, t, kin, id, link, p, &frame, sign, block);
                }
            }
            let key = Key {
                kind: 0,
                a: c.pair_key(),
                feature: c.identity(),
            };
            self.push(
                (block, 1),
                Source::Contact(i),
                frame,
                (c.point.gap, false),
                key,
            );
            self.place_last(place);
            let (e, _) = of_pair(&params.geom_restitution, c.geom);
            let mut rebound = Rebound::default();
            // A compliant contact has dissipation instead.
            if e > 0.0 && self.compliance.is_none() {
                let normal = block.rows() - 1;
                let [speed, free] = [v, v_free].map(|v| self.rows.times(id, v).0[normal]);
                (rebound.e, rebound.speed) = (e, speed);
                rebound.opening = c.point.gap / h + free;
            }
            self.rebounds.push(rebound);
        }
    }

    fn fill_limits(
        &mut self,
        t: &Topology,
        paths: &Paths,
        q: &[f64],
        [v, v_free]: [&[f64]; 2],
        h: f64,
        speculative_margin: f64,
    ) {
        for i in 0..self.limits.len() {
            let l = self.limits[i];
            if !self.may_bind(&l) || self.alone[l.dof] {
                continue;
            }
            let (along, [at, speed]) = place(&l, paths, q, v);
            let (_, [_, free]) = place(&l, paths, q, v_free);
            for (bound, sign) in [(l.lower, 1.0), (l.upper, -1.0)] {
                let gap = sign * (at - bound);
                let speed = speed.abs().max(free.abs());
                if gap <= l.margin + speculative_margin + 2.0 * h * speed {
                    let side = u32::from(sign < 0.0);
                    let key = Key {
                        kind: 1 + side,
                        a: l.dof as u32,
                        feature: 0,
                    };
                    let row = (Block::Unilateral, Source::Limit { along, sign });
                    let gap = (gap, l.angular);
                    match l.turn {
                        None => self.push_dof(t, l.dof, sign, row, gap, key),
                        Some(turn) => {
                            let path = paths.of_turn(turn);
                            let id = self.rows.push(t, [l.dof + l.nv() - 1, WORLD]);
                            for (k, g) in paths.moments(path) {
                                self.rows.column_mut(id, k).0[0] = sign * g;
                            }
                            self.turn_margins[turn] = paths.switch_distance(path);
                            let (block, source) = row;
                            self.push((block, 1), source, Mat3::IDENTITY, gap, key);
                        }
                    }
                    self.place_last(at.abs().max(bound.abs()));
                }
            }
        }
    }

    fn fill_friction(&mut self, t: &Topology, params: &Params, h: f64) {
        for i in 0..self.friction.len() {
            let dof = self.friction[i];
            if self.prescribed[dof] || self.alone[dof] || self.known[dof] {
                continue;
            }
            let key = Key {
                kind: 3,
                a: dof as u32,
                feature: 0,
            };
            let bound = h * (params.friction_loss[dof] + self.by_load[dof]);
            let along = Along::Dof(dof);
            self.push_dof(
                t,
                dof,
                1.0,
                (Block::Box { bound }, Source::Friction { along }),
                (0.0, false),
                key,
            );
        }
    }

    fn fill_equalities(&mut self, t: &Topology, at: (&Kinematics, &Paths), q: &[f64]) {
        let (_, paths) = at;
        for index in 0..self.equalities.len() {
            let e = self.equalities[index];
            if !self.may_hold(t, paths, &e) {
                continue;
            }
            let error = e.fill(t, at, q, &mut self.rows);
            let key = Key {
                kind: 4,
                a: index as u32,
                feature: 0,
            };
            self.push(
                (Block::Bilateral, e.rows()),
                Source::Equality { index, error },
                Mat3::IDENTITY,
                (0.0, e.is_angular(t)),
                key,
            );
        }
    }

    /// Springs, three rows each.
    fn fill_springs(
        &mut self,
        t: &Topology,
        params: &Params,
        at: (&Kinematics, &Paths),
        q: &[f64],
    ) {
        for index in 0..self.springs.len() {
            let (law, h) = (params.spring[index], self.time_step());
            let moves = self.springs[index].joins_links();
            if !moves || Elastic::new(law, h, 1.0).is_none() {
                continue;
            }
            let id = self.groups();
            let error = self.springs[index].fill(t, at, q, &mut self.rows);
            let weight = self.levers.answer(&self.rows, id, 3);
            let Some(elastic) = Elastic::new(law, h, weight) else {
                continue;
            };
            self.rows.scale(id, elastic.scale);
            let key = Key {
                kind: 8,
                a: index as u32,
                feature: 0,
            };
            self.push(
                (Block::Bilateral, 3),
                Source::Spring {
                    index,
                    error,
                    elastic,
                },
                Mat3::IDENTITY,
                (0.0, false),
                key,
            );
        }
    }

    pub(super) fn push_dof(
        &mut self,
        t: &Topology,
        dof: usize,
        sign: f64,
        (block, source): (Block, Source),
        gap: (f64, bool),
        key: Key,
    ) {
        let id = self.rows.push(t, [dof, WORLD]);
        *self.rows.column_mut(id, dof) = F4([sign, 0.0, 0.0, 0.0]);
        self.push((block, 1), source, Mat3::IDENTITY, gap, key);
    }
}

/// Adds ±Rᵀ J(p) of a link's point, relative to the tree's origin, to a block.
#[inline(always)]
fn add_point_rows(
    rows: &mut Rows,
    t: &Topology,
    kin: &Kinematics,
    block: usize,
    link: usize,
    p: Vec3,
    frame: &Mat3,
    sign: f64,
    law: Block,
) {
    let (distance, of_dofs) = (p.norm(), &kin.s[..]);
    rows.add_columns(block, t.path(link), |k| {
        let s = of_dofs[k];
        let noise = ROUND_OFF * (s.lin.norm() + s.ang.norm() * distance);
        let flush = |x: f64| if x.abs() <= noise { 0.0 } else { x };
        let u = frame.tr_mul_vec(s.at(p)) * sign;
        let u = Vec3::new(flush(u.x), flush(u.y), flush(u.z));
        match law.rows() {
            3 => F4([u.x, u.y, u.z, 0.0]),
            _ => F4([u.z, 0.0, 0.0, 0.0]),
        }
    });
}

/// The largest absolute coordinate.
fn far(p: Vec3) -> f64 {
    let [x, y, z] = p.to_array().map(f64::abs);
    x.max(y).max(z)
}
