//! The linear system of a fixed set of modes, if G is stored by trees.
//!
//! A + εE is factored in the coordinates of the trees. Here ε is larger, and its effect is corrected
//! more often, than in [`proximal`](super::proximal). The rank is not found.

use super::face::{Face, Slide};
use super::{ActiveSetSystem, Use};
use crate::contact::digits::{NEGLIGIBLE, ROUND_OFF};
use crate::contact::tuning::{TREES_PROXIMAL, TREES_REPETITIONS, TREES_STALLED};
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::linalg::grow;
use std::array::from_fn;

impl ActiveSetSystem {
    pub(super) fn factor_by_trees(&mut self, rows: &WhitenedJacobian) {
        self.coordinates = rows.coordinates();
        self.trees.clear_weights(rows.blocks());
        self.compliance.clear();
        self.wide_compliance.clear();
        for face in &self.faces {
            if let Some(wide) = face.wide.map(|k| &self.wides[k]) {
                let k = wide.compliance(|r| rows.compliance(face.row + r), ease(face));
                self.compliance.extend(std::iter::repeat_n(0.0, face.size));
                self.trees
                    .set_wide(face.block, face.rows - 3, &wide.weight(&k));
                self.wide_compliance.push(k);
                continue;
            }
            let (w, ease) = (&mut self.trees.weights[face.block], ease(face));
            let compliance = |k: usize| rows.compliance(face.row + k);
            match face.slide {
                Some(Slide {
                    mu,
                    u,
                    across,
                    turn,
                    ..
                }) => {
                    let n = (compliance(2) + ease).recip();
                    let e = (across * compliance(0) + turn + ease).recip();
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
                        let own = (compliance(r) + ease).recip();
                        self.compliance.push(own);
                        w[first + r][first + r] = own;
                    }
                }
            }
        }
        // A singular matrix leads to numbers that no later check accepts.
        self.trees.factor(rows);
    }

    /// Multiplications of a factorization.
    pub fn cost_by_trees(&self, rows: &WhitenedJacobian) -> f64 {
        self.trees.cost(rows)
    }

    /// x ← (A + εE)⁻¹ x, with ε corrected. With Aᵀ for the transpose of a derivative.
    pub(super) fn solve_by_trees<const W: usize>(
        &mut self,
        rows: &WhitenedJacobian,
        x: &mut [[f64; W]],
        purpose: Use,
    ) {
        let transposed = purpose == Use::Derivative { transposed: true };
        let (part, stalled) = match purpose {
            // The result of a step is checked anyway, so that the round-off with this ε is enough.
            Use::Step { .. } => (NEGLIGIBLE, TREES_STALLED),
            Use::Derivative { .. } => (ROUND_OFF, f64::INFINITY),
        };
        let (m, n) = (self.order, rows.rows());
        let mut target = std::mem::take(&mut self.target);
        let mut remainder = std::mem::take(&mut self.remainder);
        let mut change = std::mem::take(&mut self.change);
        let mut y = std::mem::take(&mut self.rows);
        for (panel, n) in [
            (&mut target, m),
            (&mut remainder, m),
            (&mut change, m),
            (&mut y, n),
        ] {
            grow(panel, W * n);
        }
        {
            let b = &mut target.as_chunks_mut::<W>().0[..m];
            let r = &mut remainder.as_chunks_mut::<W>().0[..m];
            let dx = &mut change.as_chunks_mut::<W>().0[..m];
            let y = &mut y.as_chunks_mut::<W>().0[..n];
            b.copy_from_slice(x);
            r.copy_from_slice(x);
            x.fill([0.0; W]);
            let enough = sizes(b).map(|b| part * b);
            let mut before = [f64::INFINITY; W];
            for repetition in 0..=TREES_REPETITIONS {
                // dx = K (r − Lᵀ H (1 + HᵀWH)⁻¹ Hᵀ R K r)
                for ((dx, r), k) in dx.iter_mut().zip(r.iter()).zip(&self.compliance) {
                    *dx = r.map(|r| k * r);
                }
                self.add_wide_compliance(1.0, r, dx, transposed);
                self.on_rows(dx, y, transposed);
                self.trees.respond(rows, y, transposed);
                self.on_faces(y, r, transposed);
                for ((dx, r), k) in dx.iter_mut().zip(r.iter()).zip(&self.compliance) {
                    *dx = from_fn(|i| dx[i] - k * r[i]);
                }
                self.add_wide_compliance(-1.0, r, dx, transposed);
                for (x, dx) in x.iter_mut().zip(dx.iter()) {
                    *x = from_fn(|i| x[i] + dx[i]);
                }
                if repetition == TREES_REPETITIONS {
                    break;
                }
                match purpose {
                    // Up to round-off, the remainder is εE dx.
                    Use::Step { .. } => self.ease(dx, r),
                    Use::Derivative { .. } => {
                        self.on_rows(x, y, transposed);
                        self.trees.multiply(rows, y);
                        self.on_faces(y, r, transposed);
                        self.subtract_from(b, x, r);
                    }
                }
                // Each lane ends independently of its neighbours.
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
        self.target = target;
        self.remainder = remainder;
        self.change = change;
        self.rows = y;
    }

    /// dx ← dx + scale K r on wide faces, with Kᵀ if `transposed`.
    fn add_wide_compliance<const W: usize>(
        &self,
        scale: f64,
        r: &[[f64; W]],
        dx: &mut [[f64; W]],
        transposed: bool,
    ) {
        let faces = self.faces.iter().filter(|f| f.wide.is_some());
        for (face, k) in faces.zip(&self.wide_compliance) {
            let part = face.start..face.start + face.size;
            for (a, dx) in dx[part.clone()].iter_mut().enumerate() {
                for (b, r) in r[part.clone()].iter().enumerate() {
                    let k = if transposed { k[b][a] } else { k[a][b] };
                    *dx = from_fn(|i| dx[i] + scale * k * r[i]);
                }
            }
        }
    }

    /// r ← εE dx.
    fn ease<const W: usize>(&self, dx: &[[f64; W]], r: &mut [[f64; W]]) {
        for face in &self.faces {
            let ease = ease(face);
            let part = face.start..face.start + face.size;
            for (r, dx) in r[part.clone()].iter_mut().zip(&dx[part]) {
                *r = dx.map(|dx| ease * dx);
            }
        }
    }

    /// r ← b − r − Q x.
    fn subtract_from<const W: usize>(&self, b: &[[f64; W]], x: &[[f64; W]], r: &mut [[f64; W]]) {
        for (r, b) in r.iter_mut().zip(b) {
            *r = from_fn(|k| b[k] - r[k]);
        }
        for face in &self.faces {
            if let Some(slide) = &face.slide {
                let at = face.start + 1;
                r[at] = from_fn(|k| r[at][k] - slide.turn * x[at][k]);
            } else if let Some(wide) = self.wide(face) {
                for (at, turn) in (face.start..face.start + face.size).zip(wide.turn) {
                    r[at] = from_fn(|k| r[at][k] - turn * x[at][k]);
                }
            }
        }
    }

    /// y = R x, or L x if `transposed`, on all rows of the faces' blocks.
    fn on_rows<const W: usize>(&self, x: &[[f64; W]], y: &mut [[f64; W]], transposed: bool) {
        // A frictionless sliding contact has only one row on its face.
        y.fill([0.0; W]);
        let put = |row: usize, value: [f64; W]| y[row] = value;
        if transposed {
            self.expand_left(x, put);
        } else {
            self.expand(x, put);
        }
    }

    /// x = Lᵀ y, or Rᵀ y if `transposed`.
    fn on_faces<const W: usize>(&self, y: &[[f64; W]], x: &mut [[f64; W]], transposed: bool) {
        if transposed {
            self.restrict_right(|row| y[row], x);
        } else {
            self.restrict(|row| y[row], x);
        }
    }
}

/// εE of a face's unknowns.
fn ease(face: &Face) -> f64 {
    TREES_PROXIMAL * face.response.max(f64::MIN_POSITIVE)
}

/// Largest magnitude of each lane.
fn sizes<const W: usize>(x: &[[f64; W]]) -> [f64; W] {
    (x.iter()).fold([0.0; W], |m, x| from_fn(|k| m[k].max(x[k].abs())))
}
