//! Finds a configuration to start from: within all limits, free of overlap, on the ground.
//!
//! Newton's method with the exact motion of contacts undoes overlaps and violations of equalities. Each
//! step is the shortest displacement within the joints' bounds that separates all points to first order. It
//! is found by cyclic projection on the conditions. If the search ends in an overlap, it starts again from
//! another configuration within the limits. The C API calls it.

use super::equality::Equality;
use super::equality_list::equalities;
use super::rows::Rows;
use crate::collision::scene::{Scene, SceneContact, may_touch};
use crate::constraint::tuning::{
    HOME_CLEARANCE, HOME_LONGEST, HOME_MUCH, HOME_OVERLAP, HOME_PATIENCE, HOME_POINTS, HOME_ROOM,
    HOME_ROUNDS, HOME_STARTS, HOME_STEPS,
};
use crate::dynamics::kinematics::{Kinematics, positions};
use crate::error::{Error, Result, Status};
use crate::joint::Turn;
use crate::model::Model;
use crate::model::spec::{JointKind, ShapeSpec};
use crate::model::topology::{LinkKind, WORLD};
use crate::spatial::{Quat, Vec3};
use crate::tendon::Paths;
use std::ops::Range;

/// Normals of planes that differ by less are the same.
const PARALLEL: f64 = 1e-9;

/// A condition row·δ ≥ `target`, or row·δ = `target` if `exact`.
struct Condition {
    row: Vec<(usize, f64)>,
    target: f64,
    exact: bool,
}

/// Sum of the overlaps [m] and violations of a configuration.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Excess(f64);

struct Search<'a> {
    model: &'a Model,
    scene: Scene,
    /// Planes of the world on which free robots are put down in the end. All have the same normal.
    grounds: Vec<usize>,
    kin: Kinematics,
    paths: Paths,
    equalities: Vec<Equality>,
    rows: Rows,
    /// Per bounded dof: index of its coordinate in q, and its range, less the distance to its limits.
    bounds: Vec<(usize, Range<f64>)>,
    /// Per bounded turn: index of its coordinates in q, and its largest angle, less the distance to its
    /// limit [rad].
    turns: Vec<(usize, f64)>,
    conditions: Vec<Condition>,
    step: Vec<f64>,
}

/// A configuration of nq numbers to start from.
///
/// It is within all limits, with a small distance to them. It has no overlap, if such a configuration is
/// found. Equalities are closed as well as possible. Robots with free joints stand on the ground, the first
/// infinite plane of the world, or on the highest of several planes with its normal. Robots that rest on
/// each other are put down together. A robot that rests on something else, or would be put into it, stays
/// at its height. The search starts from the keyframe "home", or else the first keyframe, or else the
/// neutral configuration. The result is always the same for the same model.
///
/// # Errors
/// As [`Scene::new`]; those of equalities without effect.
pub fn home(model: &Model) -> Result<Vec<f64>> {
    let mut search = Search::new(model)?;
    let keys = model.keyframes();
    let key = keys.iter().find(|k| k.name == "home").or(keys.first());
    let start = key.map_or(model.neutral(), |k| &k.q).to_vec();
    let mut best: Option<(Excess, Vec<f64>)> = None;
    let mut draw = uniform();
    let mut idle = 0;
    for beginning in 0..HOME_STARTS {
        let mut q = start.clone();
        for (iq, range) in &search.bounds {
            // Each start is farther away than the last.
            let far = beginning as f64 / (HOME_STARTS - 1) as f64;
            let width = (range.end - range.start).min(std::f64::consts::PI);
            q[*iq] += far * width * (draw() - 0.5);
            q[*iq] = q[*iq].clamp(range.start, range.end);
        }
        search.turn_back(&mut q);
        let found = search.descend(&mut q)?;
        // Parts that overlap by construction do so from every start.
        let much = best.as_ref().is_none_or(|(b, _)| found.0 < HOME_MUCH * b.0);
        idle = if much { 0 } else { idle + 1 };
        if best.as_ref().is_none_or(|(b, _)| found < *b) {
            best = Some((found, q));
        }
        if found == Excess(0.0) || idle == HOME_PATIENCE {
            break;
        }
    }
    let (_, mut q) = best.ok_or_else(|| Error::internal("no configuration was tried"))?;
    search.put_down(&mut q)?;
    Ok(q)
}

/// Moves every robot with a free joint along the normal of the ground until its lowest point touches it,
/// and returns q. Robots that rest on each other move together. A robot that rests on something else, or
/// would be put into it, stays at its height. The ground is the first plane of the world that is drawn
/// without bounds, or else the first plane; of several planes with its normal, the highest. Nothing else
/// moves.
///
/// # Errors
/// `InvalidArgument` for a model without such a plane, without such a robot, or without a robot that can
/// touch the plane; as [`Scene::new`].
pub fn place_on_ground(model: &Model, q: &[f64]) -> Result<Vec<f64>> {
    let mut search = Search::new(model)?;
    if search.grounds.is_empty() {
        // Planes collide as infinite; their extents are only drawn.
        search.grounds = search.grounds_like(planes(model).next())?;
    }
    if search.grounds.is_empty() {
        return Err(Error::invalid(
            "model: the world has no plane to place robots on; load it with ds_load_options.ground_plane = 1",
        ));
    }
    let mut q = q.to_vec();
    match search.put_down(&mut q)? {
        0 => Err(Error::invalid(
            "model: no robot with a free joint can touch the ground",
        )),
        _ => Ok(q),
    }
}

/// The planes of the world.
fn planes(model: &Model) -> impl Iterator<Item = usize> + '_ {
    let is_plane = |g: &usize| {
        let geom = &model.geoms()[*g];
        matches!(geom.shape, ShapeSpec::Plane { .. }) && model.bodies()[geom.body].link == WORLD
    };
    (0..model.ngeom()).filter(is_plane)
}

/// Random numbers in [0, 1), by SplitMix64.
fn uniform() -> impl FnMut() -> f64 {
    let mut state = 0u64;
    move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Index in q and range of the one-dof joints that have limits.
fn bounds(model: &Model) -> Vec<(usize, Range<f64>)> {
    let limited = model.joints().iter().filter(|j| j.nv == 1);
    let limited = limited.filter(|j| j.kind != JointKind::Continuous);
    let bounds = limited.filter_map(|j| {
        let (lower, upper) = j.limits?;
        let room = (HOME_ROOM.0 * (upper - lower)).min(HOME_ROOM.1);
        Some((j.iq, lower + room..upper - room))
    });
    bounds.filter(|(_, r)| r.start <= r.end).collect()
}

/// Index in q and largest angle of the spherical joints that have a limit [rad].
fn turns(model: &Model) -> Vec<(usize, f64)> {
    let joints = model.joints().iter();
    let limited = joints.filter(|j| j.kind == JointKind::Spherical);
    let room = |upper: f64| upper - (HOME_ROOM.0 * upper).min(HOME_ROOM.1);
    let turns = limited.filter_map(|j| Some((j.iq, room(j.limits?.1))));
    turns.filter(|(_, most)| most.is_finite()).collect()
}

impl<'a> Search<'a> {
    fn new(model: &'a Model) -> Result<Search<'a>> {
        let equalities = equalities(model)?;
        let mut search = Search {
            model,
            scene: Scene::new(model, HOME_POINTS)?,
            grounds: Vec::new(),
            kin: Kinematics::new(model),
            paths: Paths::new(model, false),
            rows: Rows::new(model.topology(), equalities.len()),
            equalities,
            bounds: bounds(model),
            turns: turns(model),
            conditions: Vec::new(),
            step: vec![0.0; model.nv()],
        };
        let is_unbounded = |g: &usize| matches!(model.geoms()[*g].shape, ShapeSpec::Plane { half_extents } if half_extents == [0.0; 2]);
        search.grounds = search.grounds_like(planes(model).find(is_unbounded))?;
        Ok(search)
    }

    /// The planes of the world with the normal of this one. Robots stand on the highest of them.
    fn grounds_like(&self, plane: Option<usize>) -> Result<Vec<usize>> {
        let Some(first) = plane else {
            return Ok(Vec::new());
        };
        let mut grounds = vec![first];
        for other in planes(self.model).filter(|g| *g != first) {
            let placed = self
                .scene
                .placements(self.model, &self.kin, [first, other])?;
            if (placed[0].rot.c[2] - placed[1].rot.c[2]).norm() < PARALLEL {
                grounds.push(other);
            }
        }
        Ok(grounds)
    }

    /// Moves q to a configuration without overlap, or to the best one on the way.
    fn descend(&mut self, q: &mut Vec<f64>) -> Result<Excess> {
        let mut best = (Excess(f64::INFINITY), q.clone());
        for _ in 0..HOME_STEPS {
            let excess = self.look(q)?;
            if excess < best.0 {
                best = (excess, q.clone());
            }
            if excess.0 == 0.0 || self.conditions.is_empty() {
                break;
            }
            self.project(q);
            let from = q.clone();
            self.model.integrate(&from, &self.step, q);
            for (iq, range) in &self.bounds {
                q[*iq] = q[*iq].clamp(range.start, range.end);
            }
            self.turn_back(q);
        }
        *q = best.1;
        Ok(best.0)
    }

    /// Turns spherical joints that are beyond their bound back to it.
    fn turn_back(&self, q: &mut [f64]) {
        for (iq, most) in &self.turns {
            let q = &mut q[*iq..*iq + 4];
            let turn = Turn::of(q);
            if turn.angle > *most {
                q.copy_from_slice(&Quat::exp(turn.direction * *most).to_array());
            }
        }
    }

    /// Finds the conditions at q, and returns their total violation.
    fn look(&mut self, q: &[f64]) -> Result<Excess> {
        let (model, t) = (self.model, self.model.topology());
        self.conditions.clear();
        positions(&mut self.kin, model, model.params(), q);
        self.scene.place(model, &self.kin);
        match self.scene.collide(0.0) {
            Err(e) if e.status == Status::Capacity => return Ok(Excess(f64::INFINITY)),
            other => other?,
        };
        let mut excess = 0.0;
        for c in self.scene.contacts() {
            if self.is_footing(c) {
                continue;
            }
            excess += (-c.point.gap - HOME_OVERLAP).max(0.0);
            let mut row = Vec::new();
            for (link, sign) in [(c.link[1], 1.0), (c.link[0], -1.0)] {
                let mut k = t.tip(link);
                while k != WORLD {
                    let p = c.point.point - self.kin.origin[t.links[link].tree];
                    let x = sign * c.point.normal.dot(self.kin.s[k].at(p));
                    match row.iter_mut().find(|(dof, _)| *dof == k) {
                        Some((_, sum)) => *sum += x,
                        None => row.push((k, x)),
                    }
                    k = t.dofs[k].parent;
                }
            }
            self.conditions.push(Condition {
                row,
                target: HOME_CLEARANCE - c.point.gap,
                exact: false,
            });
        }
        self.rows.clear();
        self.paths.update(&self.kin, q);
        let at = (&self.kin, &self.paths);
        for (i, e) in self.equalities.iter().enumerate() {
            let error = e.fill(t, at, q, &mut self.rows).to_array();
            for (k, error) in error.iter().enumerate().take(e.rows()) {
                let row = self
                    .rows
                    .dofs(i)
                    .map(|dof| (dof, self.rows.column(i, dof).0[k]));
                excess += (error.abs() - 1e-9).max(0.0);
                self.conditions.push(Condition {
                    row: row.collect(),
                    target: -error,
                    exact: true,
                });
            }
        }
        Ok(Excess(excess))
    }

    /// True for a contact between a free robot and the ground.
    fn is_footing(&self, c: &SceneContact) -> bool {
        (0..2).any(|x| {
            let (t, other) = (self.model.topology(), c.link[1 - x]);
            self.grounds.contains(&c.geom[x])
                && other != WORLD
                && t.links[t.trees[t.links[other].tree].first_link].kind == LinkKind::Free
        })
    }

    /// Finds the step that meets the conditions to first order within the joints' bounds, as nearly as
    /// it can.
    fn project(&mut self, q: &[f64]) {
        let step = &mut self.step;
        step.fill(0.0);
        let joints = self.model.joints();
        let limited: Vec<_> = (joints.iter())
            .filter_map(|j| self.bounds.iter().find(|b| b.0 == j.iq).map(|b| (j, b)))
            .map(|(j, (iq, range))| (j.iv, range.start - q[*iq], range.end - q[*iq]))
            .collect();
        for _ in 0..HOME_ROUNDS {
            for c in &self.conditions {
                let size: f64 = c.row.iter().map(|(_, x)| x * x).sum();
                let now: f64 = c.row.iter().map(|(dof, x)| step[*dof] * x).sum();
                let missing = c.target - now;
                if size > 1e-12 && (c.exact || missing > 0.0) {
                    for (dof, x) in &c.row {
                        step[*dof] += missing / size * x;
                    }
                }
            }
            for (dof, lower, upper) in &limited {
                step[*dof] = step[*dof].clamp(*lower, *upper);
            }
        }
        let longest = step.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if longest > HOME_LONGEST {
            for x in step.iter_mut() {
                *x *= HOME_LONGEST / longest;
            }
        }
    }

    /// Puts the robots with a free root on the ground. Robots that rest on each other move together. A
    /// group that rests on something else moves only if it reaches below the ground. A group also stays if
    /// the way down would lead it into another body. Returns how many robots can touch the ground.
    fn put_down(&mut self, q: &mut [f64]) -> Result<usize> {
        if self.grounds.is_empty() {
            return Ok(0);
        }
        let (heights, up) = self.heights(q)?;
        let groups = self.groups(q, up)?;
        for (first, leader) in groups.leader.iter().enumerate() {
            let members = || (0..heights.len()).filter(|x| groups.leader[*x] == first);
            let lowest = members().fold(f64::INFINITY, |low, x| low.min(heights[x]));
            if *leader != first || !lowest.is_finite() {
                continue;
            }
            if lowest < 0.0 {
                members().for_each(|x| self.shift(q, x, up * -lowest));
            } else if !groups.held[first] {
                let mut down = q.to_vec();
                members().for_each(|x| self.shift(&mut down, x, up * -lowest));
                if self.look(&down)? <= self.look(q)? {
                    q.copy_from_slice(&down);
                }
            }
        }
        Ok(heights.iter().filter(|x| x.is_finite()).count())
    }

    /// True for a tree with a free root that is no mocap body.
    fn is_free(&self, tree: usize) -> bool {
        let t = self.model.topology();
        let root = &t.links[t.trees[tree].first_link];
        root.kind == LinkKind::Free && !self.model.is_mocap(root)
    }

    /// Moves a tree with a free root.
    fn shift(&self, q: &mut [f64], tree: usize, by: Vec3) {
        let t = self.model.topology();
        let first = t.trees[tree].first_link;
        let place = &self.model.params().link_placement[first];
        let by = place.rot.tr_mul_vec(by).to_array();
        for (x, d) in q[t.links[first].iq..].iter_mut().zip(by) {
            *x += d;
        }
    }

    /// For each tree the height of its lowest point above the ground; infinite if it cannot touch the
    /// ground or has no free root. Also the normal of the ground.
    fn heights(&mut self, q: &[f64]) -> Result<(Vec<f64>, Vec3)> {
        let (model, t) = (self.model, self.model.topology());
        let (mut heights, mut up) = (vec![f64::INFINITY; t.trees.len()], Vec3::Z);
        positions(&mut self.kin, model, model.params(), q);
        for (g, geom) in model.geoms().iter().enumerate() {
            let link = model.bodies()[geom.body].link;
            if link == WORLD || !self.is_free(t.links[link].tree) {
                continue;
            }
            for ground in self.grounds.clone() {
                if !may_touch(model, ground, g) {
                    continue;
                }
                let placed = self.scene.placements(model, &self.kin, [ground, g])?;
                let closest = self.scene.closest(model, [ground, g], &placed)?;
                let height = &mut heights[t.links[link].tree];
                *height = height.min(closest.contact.point.gap);
                up = placed[0].rot.c[2];
            }
        }
        Ok((heights, up))
    }

    /// Finds the robots that move together: those that an equality joins at points, and each robot with
    /// the bodies that it meets when it moves down a little.
    fn groups(&mut self, q: &[f64], up: Vec3) -> Result<Groups> {
        let (model, t) = (self.model, self.model.topology());
        let free: Vec<bool> = (0..t.trees.len()).map(|x| self.is_free(x)).collect();
        let mut groups = Groups {
            leader: (0..free.len()).collect(),
            held: vec![false; free.len()],
        };
        let tree = |link: usize| (link != WORLD).then(|| t.links[link].tree);
        let mover = |link: usize| tree(link).filter(|x| free[*x]);
        for e in &self.equalities {
            if let Equality::Point(marks) | Equality::Distance { marks, .. } = e {
                groups.join([0, 1].map(|x| mover(marks[x].link)));
            }
        }
        for moved in (0..free.len()).filter(|x| free[*x]) {
            let mut lower = q.to_vec();
            self.shift(&mut lower, moved, up * (-2.0 * HOME_CLEARANCE));
            positions(&mut self.kin, model, model.params(), &lower);
            self.scene.place(model, &self.kin);
            match self.scene.collide(0.0) {
                Err(e) if e.status == Status::Capacity => continue,
                other => other?,
            };
            for c in self.scene.contacts() {
                let is_ground = c.geom.iter().any(|g| self.grounds.contains(g));
                let is_of = c.link.map(|link| tree(link) == Some(moved));
                if c.point.gap <= 0.0 && is_of[0] != is_of[1] && !is_ground {
                    groups.join(c.link.map(mover));
                }
            }
        }
        Ok(groups)
    }
}

/// Trees with free roots that move together.
struct Groups {
    /// Per tree: the first tree of its group.
    leader: Vec<usize>,
    /// Per tree: true if its group rests on a body without a free root. Valid for leaders.
    held: Vec<bool>,
}

impl Groups {
    /// Joins the groups of two trees. `None` stands for the world and for trees without a free root.
    fn join(&mut self, trees: [Option<usize>; 2]) {
        match trees {
            [Some(a), Some(b)] => {
                let (a, b) = (self.leader[a], self.leader[b]);
                let (first, second) = (a.min(b), a.max(b));
                self.held[first] |= self.held[second];
                for leader in self.leader.iter_mut().filter(|x| **x == second) {
                    *leader = first;
                }
            }
            [Some(a), None] | [None, Some(a)] => self.held[self.leader[a]] = true,
            [None, None] => {}
        }
    }
}
