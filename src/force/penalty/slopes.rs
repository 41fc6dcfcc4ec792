//! Derivatives of all contacts: entries between dofs, from the contacts' arms.

use super::touch::{Arm, Touch};
use crate::collision::Smoothness;
use crate::collision::scene::Scene;
use crate::force::face::State;
use crate::force::slopes::Entry;
use crate::joint::MAX_DOFS;
use crate::model::Model;
use crate::model::params::{Param, ParamKind};
use crate::model::topology::WORLD;
use crate::spatial::{Twist, Vec3, Wrench};
use std::ops::Range;

/// The derivatives of the contacts at the last state. Sized at creation.
#[derive(Debug)]
pub struct Linear {
    arms: Vec<Arm>,
    /// The ranges of `arms` of each contact's two bodies.
    of: Vec<[Range<usize>; 2]>,
    /// Entries by the change of S within links of joints whose S depends on q.
    bends: Vec<Entry>,
    /// True if a contact has no derivative.
    pub degenerate: bool,
}

impl Linear {
    pub fn new(model: &Model, max_contacts: usize) -> Linear {
        let t = model.topology();
        // The arms of the two bodies are different dofs.
        let arms = max_contacts * model.nv().min(2 * t.max_depth);
        let widest = match t.varying.is_empty() {
            true => 0,
            false => MAX_DOFS,
        };
        Linear {
            arms: Vec::with_capacity(arms),
            of: Vec::with_capacity(max_contacts),
            bends: Vec::with_capacity(arms * widest),
            degenerate: false,
        }
    }
}

impl Linear {
    /// Takes the contacts of a state, one for each contact of the scene.
    pub fn set(&mut self, at: &State<'_>, scene: &mut Scene, touches: &mut [Touch]) {
        let t = at.model.topology();
        self.arms.clear();
        self.of.clear();
        self.bends.clear();
        self.degenerate = false;
        for (i, touch) in touches.iter_mut().enumerate() {
            let acts = touch.acts();
            if acts {
                let contact = scene.contacts()[i];
                let smoothness = scene.differentiate(&contact, &mut touch.motion);
                self.degenerate |= smoothness != Smoothness::Smooth;
            }
            let of = [0, 1].map(|side| {
                let first = self.arms.len();
                if acts {
                    touch.for_arms(t, at.kin, at.v, side, |arm| self.arms.push(arm));
                    touch.for_bends(t, at.kin, side, |row, column, by_q| {
                        self.bends.push(Entry {
                            row,
                            column,
                            by_q,
                            by_v: 0.0,
                        });
                    });
                }
                first..self.arms.len()
            });
            self.of.push(of);
        }
    }

    /// Adds the derivative of the balance of forces by a parameter that moves surfaces, −∂f/∂p. Calls
    /// `gap(r, contact, change)` with the change of the gap of each contact that acts. The contacts are
    /// those of the last [`Linear::set`].
    pub fn by_parameter(
        &self,
        at: &State<'_>,
        (scene, touches): (&Scene, &[Touch]),
        p: &Param,
        r: &mut [f64],
        gap: impl FnMut(&mut [f64], usize, f64),
    ) {
        match p.kind {
            kind if kind.displaces() => self.by_displacement(at, touches, p, r, gap),
            ParamKind::GeomSize => self.by_size(scene, touches, p, r, gap),
            _ => {}
        }
    }

    fn by_size(
        &self,
        scene: &Scene,
        touches: &[Touch],
        p: &Param,
        r: &mut [f64],
        mut gap: impl FnMut(&mut [f64], usize, f64),
    ) {
        let geom = p.index as usize;
        for (i, touch) in touches.iter().enumerate().filter(|(_, t)| t.acts()) {
            let c = &scene.contacts()[i];
            for side in (0..2).filter(|x| c.geom[*x] == geom) {
                let by = scene.size_motion(c, side, p.component as usize);
                let wrench = touch.surface_moved(side, by);
                for arm in self.arms(i) {
                    r[arm.dof] += arm.s.dot(wrench);
                }
                gap(r, i, touch.gap_change(side, Twist::new(by, Vec3::ZERO)));
            }
        }
    }

    /// A displaced joint moves the subtree like a dof at rest.
    fn by_displacement(
        &self,
        at: &State<'_>,
        touches: &[Touch],
        p: &Param,
        r: &mut [f64],
        mut gap: impl FnMut(&mut [f64], usize, f64),
    ) {
        let t = at.model.topology();
        let moved = at.kin.displaced(at.model, at.params, p);
        let (first, xi) = (moved.link, moved.by.xi);
        let l = &t.links[first];
        let subtree = first..l.end;
        let mut eta = moved.within(t, |k| at.v[k]);
        if l.parent != WORLD {
            eta += at.kin.v[l.parent].cross(xi);
        }
        for (i, touch) in touches.iter().enumerate().filter(|(_, t)| t.acts()) {
            let side = match touch.link.map(|l| subtree.contains(&l)) {
                [true, false] => 0,
                [false, true] => 1,
                _ => continue,
            };
            let (displaced, [fixed, carried]) = touch.displaced(side, xi, eta);
            moved.for_bent(t, touch.load(side), |k, x| r[k] -= x);
            for arm in self.arms(i) {
                let by = if subtree.contains(&arm.link) {
                    carried
                } else {
                    fixed
                };
                r[arm.dof] += arm.s.dot(by);
            }
            gap(r, i, touch.gap_change(side, displaced));
        }
    }

    /// The arms of a contact's bodies.
    pub fn arms(&self, contact: usize) -> impl Iterator<Item = &Arm> {
        let sides = self.of[contact].each_ref();
        sides.into_iter().flat_map(|of| &self.arms[of.clone()])
    }

    /// r += R_q δq + R_v δv for entries between branches and, if `within`, also within branches. An
    /// empty part stands for zero.
    pub fn times(&self, within: bool, [q, v]: [&[f64]; 2], r: &mut [f64]) {
        let along = |d: &[f64], arm: &Arm| d.get(arm.dof).copied().unwrap_or(0.0);
        for sides in &self.of {
            let sides = sides.each_ref().map(|of| &self.arms[of.clone()]);
            let by = sides.map(|arms| {
                arms.iter().fold(Wrench::ZERO, |sum, arm| {
                    let force = Wrench::new(arm.by_v * along(v, arm), Vec3::ZERO);
                    sum + arm.by_q[0] * along(q, arm) + force
                })
            });
            for (arms, [own, other]) in [(sides[0], [by[0], by[1]]), (sides[1], [by[1], by[0]])] {
                let mut sum = if within { own + other } else { other };
                for arms in arms.chunk_by(|a, b| a.link == b.link).rev() {
                    for arm in arms.iter().filter(|_| within) {
                        sum += arm.carried() * along(q, arm);
                    }
                    for arm in arms {
                        r[arm.dof] += arm.s.dot(sum);
                    }
                }
            }
        }
        if within && !q.is_empty() {
            for e in &self.bends {
                r[e.row] += e.by_q * q[e.column];
            }
        }
    }

    /// q_bar += R_qᵀ w and v_bar += R_vᵀ w.
    pub fn times_transposed(&self, w: &[f64], q_bar: &mut [f64], v_bar: &mut [f64]) {
        for sides in &self.of {
            let sides = sides.each_ref().map(|of| &self.arms[of.clone()]);
            let weigh = |sum: Twist, arm: &Arm| sum + arm.s * w[arm.dof];
            let all = (sides.into_iter().flatten()).fold(Twist::ZERO, weigh);
            for arms in sides {
                let mut below = Twist::ZERO;
                for arms in arms.chunk_by(|a, b| a.link == b.link) {
                    below = arms.iter().fold(below, weigh);
                    for arm in arms {
                        q_bar[arm.dof] += all.dot(arm.by_q[0]) + below.dot(arm.carried());
                        v_bar[arm.dof] += all.lin.dot(arm.by_v);
                    }
                }
            }
        }
        for e in &self.bends {
            q_bar[e.column] += e.by_q * w[e.row];
        }
    }

    /// Visits the entries of R_q and R_v between dofs of one branch: (row, column, by q, by v).
    #[inline(always)]
    pub fn for_branches(&self, mut visit: impl FnMut(usize, usize, f64, f64)) {
        for of in self.of.iter().flatten() {
            let arms = &self.arms[of.clone()];
            for column in arms {
                for row in arms {
                    let [by_q, by_v] = column.on(row);
                    visit(row.dof, column.dof, by_q, by_v);
                }
            }
        }
        for e in &self.bends {
            visit(e.row, e.column, e.by_q, e.by_v);
        }
    }

    /// Visits the entries between dofs of different branches.
    #[inline(always)]
    pub fn for_cross(&self, mut visit: impl FnMut(usize, usize, f64, f64)) {
        for [a, b] in &self.of {
            for (columns, rows) in [(a, b), (b, a)] {
                for column in &self.arms[columns.clone()] {
                    for row in &self.arms[rows.clone()] {
                        let [by_q, by_v] = column.across(row);
                        visit(row.dof, column.dof, by_q, by_v);
                    }
                }
            }
        }
    }
}
