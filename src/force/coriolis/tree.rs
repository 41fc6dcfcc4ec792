//! The implicit Coriolis forces of one tree, and their slopes.
//!
//! With s_k the column of dof k, ṡ_k = v × s_k by the velocity of its own link, and I, P the inertia and
//! momentum of the subtree of the lower of two dofs,
//!
//!   S_kj = ½ (s_kᵀ I ṡ_j − ṡ_kᵀ I s_j + (s_k × s_j)ᵀ P).
//!
//! It is invariant under a constant velocity of the whole tree. For rates a, x = S a has a recursion: with
//! α = Σ s_k a_k and μ = Σ ṡ_k a_k along the path to a link,
//!
//!   x_k = ½ s_kᵀ (F + v × A),   F = Σ I μ + α ×* I v,   A = Σ I α   over the subtree.
//!
//! A displacement σ of a subtree with the parent p is a rigid motion of the subtree, and in its axes the
//! changes ζ = v_p × σ of all v, χ = α_p × σ of all α, and, with D = Σ (α ×* I − I α ×), the change
//! I (μ_p × σ − ζ × α_p) + D ζ + χ ×* P of F. A change σ of all velocities in a subtree changes F by
//! D σ − I (σ × α_p).
//!
//! The slopes of f follow from those of b + M a_c at fixed a_c, id, and those of w h S a_c, r:
//!
//!   −δf = r − G (id + r),   G = w h S (M + w h S)⁻¹.

use super::super::face::State;
use super::super::slopes::Entry;
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::rnea_derivatives::Composite;
use crate::linalg::{factor_plain, solve_plain, solve_plain_transposed};
use crate::model::params::{Param, ParamKind};
use crate::model::topology::{Link, LinkKind, Topology, Tree, WORLD};
use crate::spatial::{INERTIA_PARAMS, Inertia, Twist, Wrench};
use std::ops::Range;

/// (h |ω|)⁴ at which implicit terms begin, and at which they are whole: rotations by 0.03 and 0.06.
const CALM: f64 = 8.1e-7;
const FAST: f64 = 1.296e-5;

/// One link at the last state. Sums are over its subtree.
#[derive(Clone, Copy, Debug, Default)]
struct At {
    /// I and P; and A and D, from α in the place of the velocity.
    moving: Composite,
    whirled: Composite,
    /// Spatial acceleration: first by velocities alone, then with a_c.
    acc: Twist,
    alpha: Twist,
    mu: Twist,
    /// F, and the force of inverse dynamics.
    whirl: Wrench,
    force: Wrench,
}

/// A tree whose joints may be fast.
#[derive(Clone, Debug)]
pub(super) struct Whirling {
    links: Range<usize>,
    dofs: Range<usize>,
    /// Per dof: 1 if it rotates, else 0; whether it has a place in S, and moves freely.
    rotates: Vec<f64>,
    is_limb: Vec<bool>,
    is_free: Vec<bool>,
    /// w, and its derivative by a velocity over the third power of the velocity.
    weight: f64,
    by_speed: f64,
    /// w h.
    scale: f64,
    at: Vec<At>,
    /// a_c, S a_c, and memory of a solution.
    acc: Vec<f64>,
    turned: Vec<f64>,
    work: Vec<f64>,
    /// w h S and the factors of M + w h S, row-major.
    skew: Vec<f64>,
    lu: Vec<f64>,
    columns: Vec<usize>,
    /// G, row-major, and −∂f/∂q and −∂f/∂v, column-major.
    passed: Vec<f64>,
    by_q: Vec<f64>,
    by_v: Vec<f64>,
}

/// The parent's quantity, or zero on the world.
fn above<T: Default>(l: &Link, of: impl Fn(usize) -> T) -> T {
    match l.parent {
        WORLD => T::default(),
        parent => of(parent),
    }
}

/// D u: the change of a subtree's inertia under α, times u.
fn rate_mul(of: &Composite, u: Twist) -> Wrench {
    let rate = Inertia {
        mass: 0.0,
        h: of.momentum.lin,
        i: of.inertia_rate,
    };
    rate.mul(u)
}

/// The change of a subtree's motion by a displacement of the subtree, or by a velocity.
struct Change {
    /// The subtree, and the displacement; zero for a velocity.
    link: usize,
    turn: Twist,
    /// ζ and χ: what is added to v and α. What is added to μ and to the acceleration at fixed α.
    v: Twist,
    alpha: Twist,
    mu: Twist,
    acc: Twist,
}

impl Whirling {
    pub fn new(
        t: &Topology,
        tree: &Tree,
        derivatives: bool,
        turns: impl Fn(usize) -> bool,
    ) -> Whirling {
        let (dofs, links) = (tree.first_dof..tree.end_dof, tree.first_link..tree.end_link);
        let n = dofs.len();
        let rotates = |k: usize| {
            let l = &t.links[t.dofs[k].link];
            f64::from(match l.kind {
                LinkKind::Prismatic => false,
                LinkKind::Free => k >= l.iv + 3,
                _ => true,
            })
        };
        let is_root = |l: &Link| l.kind == LinkKind::Free && l.parent == WORLD;
        let is_limb = |k: usize| {
            let link = t.dofs[k].link;
            !is_root(&t.links[link]) && !turns(link)
        };
        let is_limb: Vec<bool> = dofs.clone().map(is_limb).collect();
        let square = |is: bool| vec![0.0; if is { n * n } else { 0 }];
        Whirling {
            rotates: dofs.clone().map(rotates).collect(),
            is_limb,
            is_free: vec![true; n],
            weight: 0.0,
            by_speed: 0.0,
            scale: 0.0,
            at: vec![At::default(); links.len()],
            acc: vec![0.0; n],
            turned: vec![0.0; n],
            work: vec![0.0; n],
            skew: square(true),
            lu: square(true),
            columns: vec![0; n],
            passed: square(derivatives),
            by_q: square(derivatives),
            by_v: square(derivatives),
            links,
            dofs,
        }
    }

    /// Whether S may have an entry.
    pub fn has_limbs(&self) -> bool {
        self.is_limb.iter().filter(|is| **is).count() > 1
    }

    pub fn drive(&mut self, is_prescribed: &[bool]) {
        for (is_free, given) in self
            .is_free
            .iter_mut()
            .zip(&is_prescribed[self.dofs.clone()])
        {
            *is_free = !given;
        }
    }

    /// The place of (h ω)⁴ between the bounds.
    fn speed(&self, h: f64, v: &[f64]) -> f64 {
        let rates = self.rotates.iter().zip(&v[self.dofs.clone()]);
        let squares = rates.map(|(rotates, v)| (rotates * v) * v);
        let fourth = squares.map(|x| x * x).sum::<f64>();
        (fourth * (h * h) * (h * h) - CALM) / (FAST - CALM)
    }

    pub fn is_calm(&self, h: f64, v: &[f64]) -> bool {
        self.speed(h, v) <= 0.0
    }

    pub fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) {
        let (h, x) = (at.time_step, self.speed(at.time_step, at.v).min(1.0));
        self.weight = 0.0;
        if x <= 0.0 {
            return;
        }
        let (t, kin) = (at.model.topology(), at.kin);
        let weight = x * x * (3.0 - 2.0 * x);
        self.by_speed = 24.0 * x * (1.0 - x) * h.powi(4) / (FAST - CALM);
        self.gather(t, kin);
        self.fill(t, kin, at, weight * h);
        if !factor_plain(&mut self.lu, &mut self.columns, 0.0) {
            // M is singular: the balance of the step tells.
            return;
        }
        solve_plain(&self.lu, &self.columns, &mut self.acc, &mut self.work);
        (self.weight, self.scale) = (weight, weight * h);
        let rows = self.skew.chunks_exact(self.acc.len());
        for ((row, turned), tau) in rows.zip(&mut self.turned).zip(&mut tau[self.dofs.clone()]) {
            let push: f64 = row.iter().zip(&self.acc).map(|(s, a)| s * a).sum();
            *turned = push / (weight * h);
            *tau -= push;
        }
    }

    /// The sums over subtrees by velocities alone.
    fn gather(&mut self, t: &Topology, kin: &Kinematics) {
        for i in self.links.clone() {
            let (l, inertia, v) = (&t.links[i], &kin.inertia[i], kin.v[i]);
            let moving = Composite::of(inertia, v);
            let acc = above(l, |p| self.at[p - self.links.start].acc) + kin.c[i];
            self.at[i - self.links.start] = At {
                moving,
                acc,
                force: inertia.mul(acc) + v.cross_wrench(moving.momentum),
                ..At::default()
            };
        }
        for i in self.links.clone().rev() {
            let l = &t.links[i];
            if l.parent != WORLD {
                let own = self.at[i - self.links.start];
                let parent = &mut self.at[l.parent - self.links.start];
                parent.moving.add(&own.moving);
                parent.force += own.force;
            }
        }
    }

    /// −b, w h S, and M + w h S. Dofs that are given have an acceleration of zero.
    fn fill(&mut self, t: &Topology, kin: &Kinematics, at: &State<'_>, scale: f64) {
        let (first, n) = (self.dofs.start, self.dofs.len());
        self.lu.fill(0.0);
        self.skew.fill(0.0);
        for k in self.dofs.clone() {
            let own = &self.at[t.dofs[k].link - self.links.start];
            let i = k - first;
            if !self.is_free[i] {
                self.lu[i * n + i] = 1.0;
                self.acc[i] = 0.0;
                continue;
            }
            let s = kin.s[k];
            let (turned, inertia) = (rate(t, kin, k), &own.moving.inertia);
            let (force, swung) = (inertia.mul(s), inertia.mul(turned));
            self.acc[i] = -s.dot(own.force);
            self.lu[i * n + i] = s.dot(force) + at.params.armature[k];
            let mut j = t.dofs[k].parent;
            while j != WORLD {
                let a = j - first;
                if self.is_free[a] {
                    let mass = kin.s[j].dot(force);
                    let (mut to, mut back) = (mass, mass);
                    if self.is_limb[i] && self.is_limb[a] {
                        let momentum = kin.s[j].cross(s).dot(own.moving.momentum);
                        let twice = kin.s[j].dot(swung) - rate(t, kin, j).dot(force) + momentum;
                        let skew = 0.5 * scale * twice;
                        (self.skew[a * n + i], self.skew[i * n + a]) = (skew, -skew);
                        (to, back) = (mass + skew, mass - skew);
                    }
                    (self.lu[a * n + i], self.lu[i * n + a]) = (to, back);
                }
                j = t.dofs[j].parent;
            }
        }
    }

    /// The quantities of links by a_c.
    fn whirl(&mut self, t: &Topology, kin: &Kinematics) {
        let (first, start) = (self.dofs.start, self.links.start);
        for i in self.links.clone() {
            let l = &t.links[i];
            let [mut alpha, mut mu] =
                above(l, |p| [self.at[p - start].alpha, self.at[p - start].mu]);
            let mut acc = above(l, |p| self.at[p - start].acc) + kin.c[i];
            for k in l.dofs() {
                let (a, s) = (self.acc[k - first], kin.s[k]);
                acc += s * a;
                if self.is_limb[k - first] {
                    alpha += s * a;
                    mu += kin.v[i].cross(s) * a;
                }
            }
            let (inertia, v) = (&kin.inertia[i], kin.v[i]);
            let momentum = inertia.mul(v);
            let own = &mut self.at[i - start];
            (own.alpha, own.mu, own.acc) = (alpha, mu, acc);
            own.whirled = Composite::of(inertia, alpha);
            own.whirl = inertia.mul(mu) + alpha.cross_wrench(momentum);
            own.force = inertia.mul(acc) + v.cross_wrench(momentum);
        }
        for i in self.links.clone().rev() {
            let l = &t.links[i];
            if l.parent != WORLD {
                let own = self.at[i - start];
                let parent = &mut self.at[l.parent - start];
                parent.whirled.add(&own.whirled);
                parent.whirl += own.whirl;
                parent.force += own.force;
            }
        }
    }

    pub fn differentiate(&mut self, at: &State<'_>) {
        if self.weight == 0.0 {
            return;
        }
        let (t, kin, n) = (at.model.topology(), at.kin, self.dofs.len());
        self.whirl(t, kin);
        self.passed.copy_from_slice(&self.skew);
        for row in self.passed.chunks_exact_mut(n) {
            solve_plain_transposed(&self.lu, &self.columns, row, &mut self.work);
        }
        let mut by_q = std::mem::take(&mut self.by_q);
        let mut by_v = std::mem::take(&mut self.by_v);
        by_q.fill(0.0);
        by_v.fill(0.0);
        for k in self.dofs.clone() {
            let (own, i, s) = (k - self.dofs.start, t.dofs[k].link, kin.s[k]);
            let (of_q, of_v) = (self.displaced(t, kin, i, s), self.sped(t, kin, i, s));
            let by_q = &mut by_q[own * n..][..n];
            self.for_rows(t, kin, &of_q, |row, both| self.add(row, both, by_q));
            let by_v = &mut by_v[own * n..][..n];
            self.for_rows(t, kin, &of_v, |row, both| self.add(row, both, by_v));
            if self.rotates[own] != 0.0 {
                let rate = at.time_step * self.by_speed * at.v[k].powi(3);
                for (row, turned) in self.turned.iter().enumerate() {
                    self.add(row, [0.0, rate * turned], by_v);
                }
            }
        }
        (self.by_q, self.by_v) = (by_q, by_v);
    }

    fn parent(&self, t: &Topology, link: usize) -> At {
        above(&t.links[link], |p| self.at[p - self.links.start])
    }

    /// A displacement of a subtree.
    fn displaced(&self, t: &Topology, kin: &Kinematics, link: usize, turn: Twist) -> Change {
        let parent = self.parent(t, link);
        let carried = above(&t.links[link], |p| kin.v[p]);
        let v = carried.cross(turn);
        Change {
            link,
            turn,
            v,
            alpha: parent.alpha.cross(turn),
            mu: parent.mu.cross(turn) - v.cross(parent.alpha),
            acc: parent.acc.cross(turn) + carried.cross(v),
        }
    }

    /// A velocity of a subtree relative to its parent.
    fn sped(&self, t: &Topology, kin: &Kinematics, link: usize, v: Twist) -> Change {
        let parent = self.parent(t, link);
        let carried = above(&t.links[link], |p| kin.v[p]);
        Change {
            link,
            turn: Twist::ZERO,
            v,
            alpha: Twist::ZERO,
            mu: -v.cross(parent.alpha),
            acc: (kin.v[link] + carried).cross(v),
        }
    }

    /// Visits the rows that change: id and r.
    fn for_rows(
        &self,
        t: &Topology,
        kin: &Kinematics,
        by: &Change,
        mut visit: impl FnMut(usize, [f64; 2]),
    ) {
        let (first, start) = (self.dofs.start, self.links.start);
        let mut row = |k: usize, id: Wrench, whirl: Wrench, sum: Wrench| {
            let (s, v) = (kin.s[k], kin.v[t.dofs[k].link]);
            let r = match self.is_limb[k - first] {
                true => 0.5 * self.scale * s.dot(whirl + v.cross_wrench(sum)),
                false => 0.0,
            };
            visit(k - first, [s.dot(id), r]);
        };
        for i in by.link..t.links[by.link].end {
            let of = &self.at[i - start];
            let (inertia, momentum) = (&of.moving.inertia, of.moving.momentum);
            let sum = of.whirled.momentum;
            let id = inertia.mul(by.acc) + of.moving.two_b(by.v);
            let whirl = inertia.mul(by.mu)
                + rate_mul(&of.whirled, by.v)
                + by.alpha.cross_wrench(momentum)
                + by.v.cross_wrench(sum);
            (t.links[i].dofs()).for_each(|k| row(k, id, whirl, inertia.mul(by.alpha)));
        }
        let of = &self.at[by.link - start];
        let inertia = &of.moving.inertia;
        let id = by.turn.cross_wrench(of.force) + inertia.mul(by.acc) + of.moving.two_b(by.v);
        let whirl = by.turn.cross_wrench(of.whirl)
            + inertia.mul(by.mu)
            + rate_mul(&of.whirled, by.v)
            + by.alpha.cross_wrench(of.moving.momentum);
        let sum = by.turn.cross_wrench(of.whirled.momentum) + inertia.mul(by.alpha);
        let parent = t.links[by.link].parent;
        if parent != WORLD {
            t.path(parent).for_each(|k| row(k, id, whirl, sum));
        }
    }

    /// Adds the effect of a row's id and r to a column.
    fn add(&self, row: usize, [id, r]: [f64; 2], column: &mut [f64]) {
        if !self.is_free[row] {
            return;
        }
        let n = column.len();
        column[row] += r;
        for (to, passed) in column.iter_mut().zip(self.passed.chunks_exact(n)) {
            *to -= passed[row] * (id + r);
        }
    }

    /// The slopes by q and v.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        let (n, first) = (self.dofs.len(), self.dofs.start);
        let count = if self.weight == 0.0 { 0 } else { n * n };
        (0..count).map(move |at| Entry {
            row: first + at % n,
            column: first + at / n,
            by_q: self.by_q[at],
            by_v: self.by_v[at],
        })
    }

    /// Adds −∂f/∂p to `r`.
    pub fn by_parameter(&self, at: &State<'_>, p: &Param, r: &mut [f64]) {
        if self.weight == 0.0 {
            return;
        }
        let (t, kin, first) = (at.model.topology(), at.kin, self.dofs.start);
        let column = &mut r[self.dofs.clone()];
        match p.kind {
            ParamKind::BodyInertia => {
                let b = &at.model.bodies()[p.index as usize];
                if !self.links.contains(&b.link) {
                    return;
                }
                let mut unit = [0.0; INERTIA_PARAMS];
                unit[p.component as usize] = 1.0;
                let own = Inertia::from_params(&unit).transformed(&b.in_link);
                let by = own.transformed_by(&kin.rot[b.link], kin.pos[b.link]);
                let (of, v) = (&self.at[b.link - self.links.start], kin.v[b.link]);
                let momentum = by.mul(v);
                let id = by.mul(of.acc) + v.cross_wrench(momentum);
                let whirl = by.mul(of.mu) + of.alpha.cross_wrench(momentum);
                let sum = by.mul(of.alpha);
                for k in t.path(b.link) {
                    let (s, v) = (kin.s[k], kin.v[t.dofs[k].link]);
                    let turned = s.dot(whirl + v.cross_wrench(sum));
                    let r = match self.is_limb[k - first] {
                        true => 0.5 * self.scale * turned,
                        false => 0.0,
                    };
                    self.add(k - first, [s.dot(id), r], column);
                }
            }
            ParamKind::JointArmature => {
                let k = at.model.dof_of(p);
                if self.dofs.contains(&k) {
                    self.add(k - first, [self.acc[k - first], 0.0], column);
                }
            }
            kind if kind.displaces() => {
                let moved = kin.displaced(at.model, at.params, p);
                if self.links.contains(&moved.link) {
                    let by = self.displaced(t, kin, moved.link, moved.by.xi);
                    self.for_rows(t, kin, &by, |row, both| self.add(row, both, column));
                }
            }
            _ => {}
        }
    }
}

/// ṡ of a dof.
fn rate(t: &Topology, kin: &Kinematics, k: usize) -> Twist {
    kin.v[t.dofs[k].link].cross(kin.s[k])
}
