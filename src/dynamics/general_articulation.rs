//! The factors of a sum of [`LinkTerms`] that need not be symmetric, by articulated bodies: linear in
//! the links.
//!
//! A dof w moves its whole subtree by X̂ w, X = (U, V, A). The force that a subtree requires from its
//! joint is J X + p with J of 6×18; for a single body J = [E, 2B, I]. The dofs of a link are eliminated
//! together, from the tips to the root. With G = Sᵀ J, the block D = G X̂ + the terms between dofs of
//! the link, and f the force that turns with them:
//!
//!   w = D⁻¹ (r − Sᵀ p − G X),   J above += J − (J X̂ + X̂_U ×* f) D⁻¹ G,
//!
//! with X of the link above. This is the elimination of [`articulated`](super::articulated)
//! (Featherstone 2008, §7.3) for motions of eighteen numbers. Because velocities and accelerations are
//! carried along, the map from link to link is the identity.

use super::link_terms::{LinkTerms, Moved};
use crate::joint::MAX_DOFS;
use crate::linalg::F4;
use crate::model::topology::{Link, Topology, WORLD};
use crate::spatial::{Twist, Wrench};

/// A pivot of at most this share of its summands counts as zero.
const TINY: f64 = 1e-14;

/// Eighteen numbers in whole lanes.
pub(super) type Row = [F4; 5];

/// a, v and q of a link's dofs per unit of each of its unknowns.
pub type ByUnknown = [[[f64; MAX_DOFS]; 3]; MAX_DOFS];

/// The data of an eliminated dof.
#[derive(Clone, Copy, Debug, Default)]
struct Eliminated {
    s: Twist,
    /// X̂, a row of D⁻¹ G, a row of D⁻¹, and a column of (J X̂ + X̂_U ×* f) D⁻¹.
    moves: Row,
    answer: Row,
    inverse: [f64; MAX_DOFS],
    passed: Wrench,
}

/// The factorization. Sized at creation.
#[derive(Clone, Debug)]
pub struct GeneralArticulation {
    dofs: Vec<Eliminated>,
    /// Per link: J; and during a sweep X or its adjoint, and p or its adjoint.
    pub(super) asked: Vec<[Row; 6]>,
    pub(super) moved: Vec<Row>,
    pub(super) force: Vec<[f64; 6]>,
}

#[inline(always)]
fn row_of(m: &Moved) -> Row {
    let mut flat = [0.0; 20];
    for (to, x) in flat.chunks_exact_mut(6).zip(m.0) {
        to.copy_from_slice(&x.to_array());
    }
    from_flat(&flat)
}

#[inline(always)]
fn from_flat(x: &[f64; 20]) -> Row {
    std::array::from_fn(|b| F4([x[4 * b], x[4 * b + 1], x[4 * b + 2], x[4 * b + 3]]))
}

#[inline(always)]
pub(super) fn add(to: &mut [f64; 6], x: &[f64; 6]) {
    to.iter_mut().zip(x).for_each(|(to, x)| *to += x);
}

#[inline(always)]
pub(super) fn dot(a: &Row, b: &Row) -> f64 {
    let mut sum = a[0] * b[0];
    for k in 1..5 {
        sum += a[k] * b[k];
    }
    (sum.0[0] + sum.0[1]) + (sum.0[2] + sum.0[3])
}

#[inline(always)]
pub(super) fn add_scaled(to: &mut Row, s: f64, x: &Row) {
    for (to, x) in to.iter_mut().zip(x) {
        *to += *x * s;
    }
}

/// [E, 2B, I] of a body.
#[inline(always)]
pub(super) fn alone(terms: &LinkTerms, i: usize) -> [Row; 6] {
    let body = &terms.body[i];
    let mut flat = [[0.0; 20]; 6];
    let mut put = |at: usize, column: Wrench| {
        for (row, x) in flat.iter_mut().zip(column.to_array()) {
            row[at] = x;
        }
    };
    for k in 0..6 {
        let unit = Twist::unit(k);
        if let Some(e) = terms.stiffness.get(i) {
            put(k, e.mul(unit));
        }
        // The columns by linear velocities are zero.
        if k >= 3 {
            put(6 + k, body.two_b(unit));
        }
        put(12 + k, body.inertia.mul(unit));
    }
    flat.each_ref().map(from_flat)
}

/// D ← D⁻¹, with row exchanges. Returns false if it is singular relative to the `sizes` of its rows.
#[inline(always)]
fn invert(d: &mut [[f64; MAX_DOFS]; MAX_DOFS], n: usize, sizes: &[f64; MAX_DOFS]) -> bool {
    let mut inverse = [[0.0; MAX_DOFS]; MAX_DOFS];
    let mut sizes = *sizes;
    for (k, row) in inverse.iter_mut().enumerate() {
        row[k] = 1.0;
    }
    for k in 0..n {
        let best = (k..n).fold(k, |b, r| match d[r][k].abs() > d[b][k].abs() {
            true => r,
            false => b,
        });
        d.swap(k, best);
        inverse.swap(k, best);
        sizes.swap(k, best);
        let pivot = d[k][k];
        if !pivot.is_finite() || pivot.abs() <= TINY * sizes[k] {
            return false;
        }
        let scale = 1.0 / pivot;
        for c in 0..n {
            d[k][c] *= scale;
            inverse[k][c] *= scale;
        }
        for r in (0..n).filter(|r| *r != k) {
            let s = d[r][k];
            for c in 0..n {
                d[r][c] -= s * d[k][c];
                inverse[r][c] -= s * inverse[k][c];
            }
        }
    }
    *d = inverse;
    true
}

impl GeneralArticulation {
    pub fn new(t: &Topology) -> GeneralArticulation {
        let links = t.links.len();
        GeneralArticulation {
            dofs: vec![Eliminated::default(); t.nv()],
            asked: vec![[[F4::ZERO; 5]; 6]; links],
            moved: vec![[F4::ZERO; 5]; links],
            force: vec![[0.0; 6]; links],
        }
    }

    /// Eliminates the dofs of a link. Returns a dof at which the matrix is singular, if any.
    #[inline(always)]
    pub(super) fn eliminate(
        &mut self,
        terms: &LinkTerms,
        i: usize,
        l: &Link,
        by: &ByUnknown,
        given: &[bool],
    ) -> Option<usize> {
        let asked = self.asked[i];
        let n = l.nv;
        // The axis of a row: zero if the unknown is given, because the row is then that of the identity.
        let axis = |k: usize| match given[l.iv + k] {
            true => Twist::ZERO,
            false => terms.s(l.iv + k),
        };
        let mut d = [[0.0; MAX_DOFS]; MAX_DOFS];
        let mut sizes = [0.0; MAX_DOFS];
        let mut passed = [Wrench::ZERO; MAX_DOFS];
        let mut answers = [[F4::ZERO; 5]; MAX_DOFS];
        for (k, answer) in answers[..n].iter_mut().enumerate() {
            let s = axis(k).to_array();
            for (s, row) in s.iter().zip(&asked) {
                add_scaled(answer, *s, row);
            }
        }
        for c in 0..n {
            let moved = terms.moved_by(l, &by[c]);
            let moves = row_of(&moved);
            let own: [f64; 6] = std::array::from_fn(|k| dot(&asked[k], &moves));
            passed[c] = Wrench::from_slice(&own) + moved.0[0].cross_wrench(terms.force[i]);
            for r in 0..n {
                let s = axis(r).to_array();
                let local = match given[l.iv + r] {
                    true => f64::from(u8::from(r == c)),
                    false => terms.local_by(l, r, &by[c]),
                };
                let (mut sum, mut size) = (local, local.abs());
                for (s, x) in s.iter().zip(&own) {
                    sum += s * x;
                    size += (s * x).abs();
                }
                d[r][c] = sum;
                sizes[r] = f64::max(sizes[r], size);
            }
            self.dofs[l.iv + c].moves = moves;
        }
        if !invert(&mut d, n, &sizes) {
            return Some(l.iv);
        }
        for r in 0..n {
            let own = &mut self.dofs[l.iv + r];
            own.s = axis(r);
            own.inverse = d[r];
            own.answer = [F4::ZERO; 5];
            own.passed = Wrench::ZERO;
            for c in 0..n {
                add_scaled(&mut own.answer, d[r][c], &answers[c]);
                own.passed += passed[c] * d[c][r];
            }
        }
        if l.parent != WORLD {
            let above = &mut self.asked[l.parent];
            for (k, (above, own)) in above.iter_mut().zip(&asked).enumerate() {
                add_scaled(above, 1.0, own);
                for c in 0..n {
                    let x = passed[c].to_array()[k];
                    add_scaled(above, -x, &self.dofs[l.iv + c].answer);
                }
            }
        }
        None
    }

    /// The upward step at a link: replaces the right-hand side `x` of the link by the part that remains
    /// after the force of its subtree. Returns the force on its parent.
    #[inline(always)]
    pub(super) fn up(&mut self, i: usize, l: &Link, x: &mut [f64]) -> [f64; 6] {
        let mut force = self.force[i];
        let own = Wrench::from_slice(&force);
        for k in l.dofs() {
            x[k] -= self.dofs[k].s.dot(own);
        }
        for k in l.dofs() {
            for (f, p) in force.iter_mut().zip(self.dofs[k].passed.to_array()) {
                *f += p * x[k];
            }
        }
        force
    }

    /// The downward step at a link: computes its unknowns from the motion of its parent.
    #[inline(always)]
    pub(super) fn down(&mut self, i: usize, l: &Link, above: Row, x: &mut [f64]) {
        let mut moved = above;
        let mut rest = [0.0; MAX_DOFS];
        rest[..l.nv].copy_from_slice(&x[l.dofs()]);
        for k in l.dofs() {
            let own = &self.dofs[k];
            let free: f64 = (own.inverse.iter().zip(&rest)).map(|(d, x)| d * x).sum();
            x[k] = free - dot(&own.answer, &above);
            add_scaled(&mut moved, x[k], &own.moves);
        }
        self.moved[i] = moved;
    }

    /// The transpose of [`GeneralArticulation::down`]. Returns the adjoint of the parent's motion.
    #[inline(always)]
    pub(super) fn down_transposed(&mut self, i: usize, l: &Link, x: &mut [f64]) -> Row {
        let mut bar = self.moved[i];
        let below = bar;
        let mut rest = [0.0; MAX_DOFS];
        for (rest, k) in rest.iter_mut().zip(l.dofs()) {
            *rest = x[k] + dot(&self.dofs[k].moves, &below);
        }
        for (c, k) in l.dofs().enumerate() {
            add_scaled(&mut bar, -rest[c], &self.dofs[k].answer);
        }
        for (c, k) in l.dofs().enumerate() {
            let column = self.dofs[l.dofs()].iter().zip(&rest);
            x[k] = column.map(|(d, r)| d.inverse[c] * r).sum();
        }
        bar
    }

    /// The transpose of [`GeneralArticulation::up`], from the adjoint of the force on the parent.
    #[inline(always)]
    pub(super) fn up_transposed(&mut self, i: usize, l: &Link, above: [f64; 6], x: &mut [f64]) {
        let mut force = Twist::from_slice(&above);
        let above = force;
        for k in l.dofs() {
            x[k] += above.dot(self.dofs[k].passed);
        }
        for k in l.dofs() {
            force += self.dofs[k].s * -x[k];
        }
        self.force[i] = force.to_array();
    }

    /// [`GeneralArticulation::up`] for some links, each after its parent, without their other children.
    /// Returns the force on the parent of the first one.
    #[inline(always)]
    pub(super) fn sweep_up(&mut self, t: &Topology, links: &[usize], x: &mut [f64]) -> [f64; 6] {
        links.iter().for_each(|i| self.force[*i] = [0.0; 6]);
        let mut force = [0.0; 6];
        for i in links.iter().rev() {
            let l = &t.links[*i];
            force = self.up(*i, l, x);
            if l.parent != WORLD {
                add(&mut self.force[l.parent], &force);
            }
        }
        force
    }

    /// [`GeneralArticulation::down`] for these links, with the parent of the first one at rest.
    #[inline(always)]
    pub(super) fn sweep_down(&mut self, t: &Topology, links: &[usize], x: &mut [f64]) {
        for (k, i) in links.iter().enumerate() {
            let l = &t.links[*i];
            let above = match l.parent {
                p if k > 0 && p != WORLD => self.moved[p],
                _ => [F4::ZERO; 5],
            };
            self.down(*i, l, above, x);
        }
    }

    /// The transpose of `sweep_down`. Returns the adjoint of the motion of the first one's parent.
    #[inline(always)]
    pub(super) fn sweep_down_transposed(
        &mut self,
        t: &Topology,
        links: &[usize],
        x: &mut [f64],
    ) -> Row {
        (links.iter()).for_each(|i| self.moved[*i] = [F4::ZERO; 5]);
        let mut bar = [F4::ZERO; 5];
        for i in links.iter().rev() {
            let l = &t.links[*i];
            bar = self.down_transposed(*i, l, x);
            if l.parent != WORLD {
                add_scaled(&mut self.moved[l.parent], 1.0, &bar);
            }
        }
        bar
    }
}
