//! The same system where G comes by trees.
//!
//! A + εE is factored by the trees' coordinates, with a larger ε that is put back more often than that of
//! [`proximal`](super::proximal); no rank is found.

use super::{Reduced, Slide};
use crate::contact::tree_rows::TreeRows;
use std::array::from_fn;

/// ε of systems by trees, and how often it is put back at most.
const PROXIMAL: f64 = 1e-6;
const REPETITIONS: usize = 4;

/// What is left of a right side is enough below the first part of it. In a step it stalls above the second part of what
/// was left before: there held rows contradict each other.
const ENOUGH: f64 = 1e-12;
const STALLED: f64 = 0.3;

/// What a solution is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// A step of an iteration.
    Step,
    /// A derivative, or its transpose.
    Derivative { transposed: bool },
}

impl Reduced {
    pub(super) fn factor_by_trees(&mut self, rows: &TreeRows) {
        self.coordinates = rows.coordinates();
        self.trees.clear_weights(rows.blocks());
        self.compliance.clear();
        for face in &self.faces {
            let (w, ease) = (
                &mut self.trees.weights[face.block],
                PROXIMAL * face.response.max(f64::MIN_POSITIVE),
            );
            match face.slide {
                Some(Slide {
                    mu,
                    u,
                    across,
                    turn,
                }) => {
                    let (n, e) = (ease.recip(), (turn + ease).recip());
                    self.compliance.extend([n, e]);
                    let side = [-u[1], u[0]];
                    for r in 0..2 {
                        for c in 0..2 {
                            w[r][c] = e * across * side[r] * side[c];
                        }
                        w[r][2] = -n * mu * u[r];
                    }
                    w[2][2] = n;
                }
                None => {
                    let first = face.row - rows.range(face.block).start;
                    for r in 0..face.size {
                        self.compliance.push(ease.recip());
                        w[first + r][first + r] = ease.recip();
                    }
                }
            }
        }
        // A singular matrix leaves numbers that no check lets pass.
        self.trees.factor(rows);
    }

    /// x ← (A + εE)⁻¹ x, ε put back; with Aᵀ for a derivative's transpose.
    pub(super) fn solve_by_trees<const W: usize>(
        &mut self,
        rows: &TreeRows,
        x: &mut [[f64; W]],
        purpose: Use,
    ) {
        let transposed = purpose == Use::Derivative { transposed: true };
        let stalled = match purpose {
            Use::Step => STALLED,
            Use::Derivative { .. } => f64::INFINITY,
        };
        let (m, n) = (self.order, rows.rows());
        let mut target = std::mem::take(&mut self.target);
        let mut remainder = std::mem::take(&mut self.remainder);
        let mut y = std::mem::take(&mut self.rows);
        {
            let b = &mut target.as_chunks_mut::<W>().0[..m];
            let r = &mut remainder.as_chunks_mut::<W>().0[..m];
            let y = &mut y.as_chunks_mut::<W>().0[..n];
            b.copy_from_slice(x);
            r.copy_from_slice(x);
            x.fill([0.0; W]);
            let enough = sizes(b).map(|b| ENOUGH * b);
            let mut before = [f64::INFINITY; W];
            for repetition in 0..=REPETITIONS {
                // x += K (r − Lᵀ H (1 + HᵀWH)⁻¹ Hᵀ R K r)
                for (r, k) in r.iter_mut().zip(&self.compliance) {
                    *r = r.map(|r| k * r);
                }
                add(x, r);
                self.on_rows(r, y, transposed);
                self.trees.respond(rows, y, transposed);
                self.on_faces(y, r, transposed);
                for (r, k) in r.iter_mut().zip(&self.compliance) {
                    *r = r.map(|r| -k * r);
                }
                add(x, r);
                if repetition < REPETITIONS {
                    self.on_rows(x, y, transposed);
                    self.trees.multiply(rows, y);
                    self.on_faces(y, r, transposed);
                    for (r, b) in r.iter_mut().zip(b.iter()) {
                        for (r, b) in r.iter_mut().zip(b) {
                            *r = b - *r;
                        }
                    }
                    for face in &self.faces {
                        if let Some(slide) = &face.slide {
                            let at = face.start + 1;
                            for (r, x) in r[at].iter_mut().zip(x[at]) {
                                *r -= slide.turn * x;
                            }
                        }
                    }
                    // Each lane ends on its own, whatever stands beside it.
                    let left = sizes(r);
                    let open: [bool; W] =
                        from_fn(|k| left[k] > enough[k] && left[k] <= stalled * before[k]);
                    if open == [false; W] {
                        break;
                    }
                    if open != [true; W] {
                        for r in r.iter_mut() {
                            *r = from_fn(|k| if open[k] { r[k] } else { 0.0 });
                        }
                    }
                    before = left;
                }
            }
        }
        (self.target, self.remainder, self.rows) = (target, remainder, y);
    }

    /// y = R x, or L x, on all rows of the faces' blocks.
    fn on_rows<const W: usize>(&self, x: &[[f64; W]], y: &mut [[f64; W]], transposed: bool) {
        // Of a contact that slides without friction only one row is on the face.
        y.fill([0.0; W]);
        let put = |row: usize, value: [f64; W]| y[row] = value;
        if transposed {
            self.expand_left(x, put);
        } else {
            self.expand(x, put);
        }
    }

    /// x = Lᵀ y, or Rᵀ y.
    fn on_faces<const W: usize>(&self, y: &[[f64; W]], x: &mut [[f64; W]], transposed: bool) {
        if transposed {
            self.restrict_right(|row| y[row], x);
        } else {
            self.restrict(|row| y[row], x);
        }
    }
}

/// Largest magnitude of each lane.
fn sizes<const W: usize>(x: &[[f64; W]]) -> [f64; W] {
    (x.iter()).fold([0.0; W], |m, x| from_fn(|k| m[k].max(x[k].abs())))
}

fn add<const W: usize>(x: &mut [[f64; W]], y: &[[f64; W]]) {
    for (x, y) in x.iter_mut().zip(y) {
        for (x, y) in x.iter_mut().zip(y) {
            *x += y;
        }
    }
}
