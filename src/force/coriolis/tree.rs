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

mod fill;
pub(super) mod four;

use super::super::face::State;
use super::super::slopes::Entry;
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::rnea_derivatives::Composite;
use crate::linalg::F4;
use crate::model::params::{Param, ParamKind};
use crate::model::topology::{Link, LinkKind, Topology, Tree, WORLD};
use crate::spatial::{INERTIA_PARAMS, Inertia, Twist, Vec3, Wrench};
use fill::{System, fill};
use std::ops::Range;

/// (h |ω|)⁴ at which implicit terms begin, and at which they are whole: rotations by 0.03 and 0.06.
const CALM: f64 = 8.1e-7;
const FAST: f64 = 1.296e-5;

/// One link at the last state, for derivatives. Sums are over its subtree.
#[derive(Clone, Copy, Debug, Default)]
struct At {
    /// I and P; and A and D, from α in the place of the velocity.
    moving: Composite,
    whirled: Composite,
    /// Spatial acceleration with a_c.
    acc: Twist,
    alpha: Twist,
    mu: Twist,
    /// F, and the force of inverse dynamics.
    whirl: Wrench,
    force: Wrench,
}

/// Contribution of a dof to the entries in its row. The motion of its subtree changes by ζ and so on
/// ([`Change`]); with D = İ of α in the place of the velocity,
///
///   id = (I s)ᵀ acc + (2Bᵀ s)ᵀ ζ,
///   r = ½ w h ((I s)ᵀ mu + (D s − s ×* A)ᵀ ζ − (I ṡ + s ×* P)ᵀ χ).
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    force: Wrench,
    /// The angular part of 2Bᵀ s. The linear part is zero.
    bias: Vec3,
    swing: Wrench,
    whirl: Wrench,
    /// ṡ.
    rate: Twist,
    /// ½ w h for a dof in S, else 0.
    half: f64,
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
    /// S a_c and f.
    turned: Vec<f64>,
    force: Vec<f64>,
    system: System,
    rows: Vec<Row>,
    /// G, row-major, and −∂f/∂q and −∂f/∂v, column-major.
    passed: Vec<f64>,
    by_q: Vec<f64>,
    by_v: Vec<f64>,
    /// id + r of a column.
    sums: Vec<f64>,
}

/// w at a place of (h ω)⁴ between the bounds.
fn weight_at(x: f64) -> f64 {
    x * x * (3.0 - 2.0 * x)
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
    /// Additions to v (ζ), to α (χ), to μ, and to the acceleration at fixed α.
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
            at: vec![At::default(); if derivatives { links.len() } else { 0 }],
            turned: vec![0.0; n],
            force: vec![0.0; n],
            system: System::new(t, tree),
            rows: vec![Row::default(); if derivatives { n } else { 0 }],
            passed: square(derivatives),
            by_q: square(derivatives),
            by_v: square(derivatives),
            sums: vec![0.0; if derivatives { n } else { 0 }],
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
    fn speed(&self, h: f64, v: impl Iterator<Item = f64>) -> f64 {
        let squares = (self.rotates.iter().zip(v)).map(|(rotates, v)| (rotates * v) * v);
        let fourth = squares.map(|x| x * x).sum::<f64>();
        let place = (fourth * (h * h) * (h * h) - CALM) / (FAST - CALM);
        place.min(1.0)
    }

    /// Adds the force. False if the tree is calm.
    pub fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) -> bool {
        let h = at.time_step;
        let x = self.speed(h, at.v[self.dofs.clone()].iter().copied());
        self.weight = 0.0;
        if x <= 0.0 {
            return false;
        }
        let (t, kin) = (at.model.topology(), at.kin);
        let weight = weight_at(x);
        self.by_speed = 24.0 * x * (1.0 - x) * h.powi(4) / (FAST - CALM);
        let (places, flags) = (
            (&self.links, &self.dofs),
            [&self.is_free[..], &self.is_limb],
        );
        let armature = &at.params.armature[self.dofs.clone()];
        fill(
            &mut self.system,
            t,
            kin,
            places,
            flags,
            armature,
            weight * h,
        );
        if self.system.lu.factor(t).is_some() {
            // M is singular: the balance of the step tells.
            return true;
        }
        self.system.lu.solve(t, &mut self.system.acc);
        (self.weight, self.scale) = (weight, weight * h);
        self.push(t);
        let tau = &mut tau[self.dofs.clone()];
        for ((force, turned), tau) in self.force.iter().zip(&mut self.turned).zip(tau) {
            *turned = -force / (weight * h);
            *tau += force;
        }
        true
    }

    /// f = −w h S a_c.
    fn push(&mut self, t: &Topology) {
        let mut force = std::mem::take(&mut self.force);
        force.fill(0.0);
        for k in 0..force.len() {
            let mut own = 0.0;
            for (a, s) in self.above(t, k) {
                own += s * self.system.acc[a];
                force[a] -= s * self.system.acc[k];
            }
            force[k] += own;
        }
        self.force = force;
    }

    /// The dofs above a dof that have a place in S with it, and the entries of w h S in its column. Dofs are
    /// counted from the first of the tree.
    fn above(&self, t: &Topology, k: usize) -> impl Iterator<Item = (usize, f64)> {
        let dofs = &t.dofs[self.dofs.clone()];
        let first = dofs[0].row;
        let row = &F4::flat(&self.system.skew)[dofs[k].row - first..][..dofs[k].depth];
        let mut a = k;
        // No dof above one that is not of a limb is of a limb.
        (row.iter().rev())
            .map(move |s| {
                a = dofs[a].parent - self.dofs.start;
                (a, *s)
            })
            .take_while(move |(a, _)| self.is_limb[k] && self.is_limb[*a])
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
                let (a, s) = (self.system.acc[k - first], kin.s[k]);
                acc += s * a;
                if self.is_limb[k - first] {
                    alpha += s * a;
                    mu += kin.v[i].cross(s) * a;
                }
            }
            let (inertia, v) = (&kin.inertia[i], kin.v[i]);
            let momentum = inertia.mul(v);
            self.at[i - start] = At {
                moving: Composite::of(inertia, v),
                whirled: Composite::of(inertia, alpha),
                acc,
                alpha,
                mu,
                whirl: inertia.mul(mu) + alpha.cross_wrench(momentum),
                force: inertia.mul(acc) + v.cross_wrench(momentum),
            };
        }
        for i in self.links.clone().rev() {
            let l = &t.links[i];
            if l.parent != WORLD {
                let own = self.at[i - start];
                let parent = &mut self.at[l.parent - start];
                parent.moving.add(&own.moving);
                parent.whirled.add(&own.whirled);
                parent.whirl += own.whirl;
                parent.force += own.force;
            }
        }
        for k in self.dofs.clone() {
            let (link, s) = (t.dofs[k].link, kin.s[k]);
            let of = &self.at[link - start];
            let (inertia, rate) = (&of.moving.inertia, kin.v[link].cross(s));
            let is_limb = self.is_limb[k - first];
            self.rows[k - first] = Row {
                force: inertia.mul(s),
                bias: of.moving.two_b_row(s),
                swing: rate_mul(&of.whirled, s) - s.cross_wrench(of.whirled.momentum),
                whirl: inertia.mul(rate) + s.cross_wrench(of.moving.momentum),
                rate,
                half: if is_limb { 0.5 * self.scale } else { 0.0 },
            };
        }
    }

    pub fn differentiate(&mut self, at: &State<'_>) {
        if self.weight == 0.0 {
            return;
        }
        let (t, kin, n) = (at.model.topology(), at.kin, self.dofs.len());
        self.whirl(t, kin);
        self.pass(t);
        let mut by_q = std::mem::take(&mut self.by_q);
        let mut by_v = std::mem::take(&mut self.by_v);
        let mut sums = std::mem::take(&mut self.sums);
        by_q.fill(0.0);
        by_v.fill(0.0);
        for k in self.dofs.clone() {
            let (own, i, s) = (k - self.dofs.start, t.dofs[k].link, kin.s[k]);
            let by_q = &mut by_q[own * n..][..n];
            self.write(t, kin, &self.displaced(t, kin, i, s), by_q, &mut sums);
            self.finish(by_q, &sums);
            let by_v = &mut by_v[own * n..][..n];
            self.write(t, kin, &self.sped(t, kin, i, s), by_v, &mut sums);
            if self.rotates[own] != 0.0 {
                let rate = at.time_step * self.by_speed * at.v[k].powi(3);
                for (row, turned) in self.turned.iter().enumerate() {
                    if self.is_free[row] {
                        by_v[row] += rate * turned;
                        sums[row] += rate * turned;
                    }
                }
            }
            self.finish(by_v, &sums);
        }
        (self.by_q, self.by_v, self.sums) = (by_q, by_v, sums);
    }

    /// Writes r of each row to `column`, which has zeros, and id + r to `sums`.
    fn write(
        &self,
        t: &Topology,
        kin: &Kinematics,
        by: &Change,
        column: &mut [f64],
        sums: &mut [f64],
    ) {
        sums.fill(0.0);
        self.for_rows(t, kin, by, |row, [id, r]| {
            if self.is_free[row] {
                (column[row], sums[row]) = (r, id + r);
            }
        });
    }

    /// column −= G sums.
    fn finish(&self, column: &mut [f64], sums: &[f64]) {
        let rows = self.passed.chunks_exact(sums.len()).zip(&self.is_limb);
        for (to, (row, is_limb)) in column.iter_mut().zip(rows) {
            if *is_limb {
                *to -= row.iter().zip(sums).map(|(g, x)| g * x).sum::<f64>();
            }
        }
    }

    /// G = w h S (M + w h S)⁻¹.
    fn pass(&mut self, t: &Topology) {
        let (mut passed, n) = (std::mem::take(&mut self.passed), self.dofs.len());
        passed.fill(0.0);
        for k in 0..n {
            for (a, s) in self.above(t, k) {
                (passed[a * n + k], passed[k * n + a]) = (s, -s);
            }
        }
        for (row, is_limb) in passed.chunks_exact_mut(n).zip(&self.is_limb) {
            if *is_limb {
                self.system.lu.solve_transposed(t, row);
            }
        }
        self.passed = passed;
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
        let below = t.links[by.link].iv;
        for k in below..t.dofs[below].end {
            let of = &self.rows[k - first];
            let id = by.acc.dot(of.force) + of.bias.dot(by.v.ang);
            let r = by.mu.dot(of.force) + by.v.dot(of.swing) - by.alpha.dot(of.whirl);
            visit(k - first, [id, of.half * r]);
        }
        let parent = t.links[by.link].parent;
        if parent == WORLD {
            return;
        }
        let of = &self.at[by.link - start];
        let inertia = &of.moving.inertia;
        let id = by.turn.cross_wrench(of.force) + inertia.mul(by.acc) + of.moving.two_b(by.v);
        let whirl = by.turn.cross_wrench(of.whirl)
            + inertia.mul(by.mu)
            + rate_mul(&of.whirled, by.v)
            + by.alpha.cross_wrench(of.moving.momentum);
        let sum = by.turn.cross_wrench(of.whirled.momentum) + inertia.mul(by.alpha);
        for k in t.path(parent) {
            let (s, of) = (kin.s[k], &self.rows[k - first]);
            visit(
                k - first,
                [s.dot(id), of.half * (s.dot(whirl) - of.rate.dot(sum))],
            );
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
        let columns = self.by_q.chunks_exact(n).zip(self.by_v.chunks_exact(n));
        let count = if self.weight == 0.0 { 0 } else { n };
        columns
            .enumerate()
            .take(count)
            .flat_map(move |(column, (by_q, by_v))| {
                let rows = by_q.iter().zip(by_v).enumerate();
                rows.map(move |(row, (by_q, by_v))| Entry {
                    row: first + row,
                    column: first + column,
                    by_q: *by_q,
                    by_v: *by_v,
                })
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
                    self.add(k - first, [self.system.acc[k - first], 0.0], column);
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
