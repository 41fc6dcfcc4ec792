//! The impulse nearest to a given one among those that give one velocity.
//!
//! With redundant rows many λ give the same G λ. The λ that obey the laws at the velocity σ form a convex
//! set: an affine space, intersected with the set of each active block (a contact's cone, a sliding
//! contact's ray, a limit's half line, friction's interval). Its point nearest to a centre c is unique.
//! With c = 0 it is the point of least norm, which depends neither on the order of the blocks nor on the
//! warm start. With the impulse of the last step it is found in a few steps:
//!
//!   min ½‖x − c‖²  with  F x = t, x ∈ K,   x = P_K(w),   w = c + Fᵀy,   F P_K(w) = t,
//!
//! solved for y by Newton's method on the dual, ½‖w‖² − ½ dist²(w, K) − tᵀy, which is convex and C¹.
//! The line search needs no product with F: it evaluates the cones one by one along w + α Fᵀs.
//!
//! To find an impulse strictly inside the cones, K is made narrower and its tip is moved inside
//! ([`Inside`]).

mod inside;
mod piece;

use crate::contact::tuning::{
    LEAST_NORM, LEAST_NORM_DAMPING, LEAST_NORM_LEAST_DAMPING, LEAST_NORM_LENGTHENED,
    LEAST_NORM_LESS, LEAST_NORM_PATIENCE, LEAST_NORM_SHORT, LEAST_NORM_SOLVED, LEAST_NORM_STALLED,
    LEAST_NORM_STEPS, LEAST_NORM_TRIALS,
};
use crate::linalg::{F4, Lu, dispatch, grow, product, total};
pub(super) use inside::INSIDES;
pub(in crate::contact::ncp) use inside::{AGAIN, Inside};
use piece::WIDEST;
pub(in crate::contact::ncp) use piece::{Piece, Set};

/// The solver's memory. Equations lie side by side in lanes, padded with zeros.
#[derive(Debug)]
pub(in crate::contact::ncp) struct LeastNorm {
    equations: usize,
    unknowns: usize,
    pieces: Vec<Piece>,
    /// Number of lanes for all equations.
    width: usize,
    /// Fᵀ, one row of lanes for each unknown.
    f: Vec<F4>,
    t: Vec<F4>,
    y: Vec<F4>,
    gradient: Vec<F4>,
    step: Vec<F4>,
    /// The centre c.
    centre: Vec<f64>,
    /// c + Fᵀy, its value at the start of the line search, and Fᵀs.
    w: Vec<f64>,
    begun: Vec<f64>,
    along: Vec<f64>,
    x: Vec<f64>,
    /// F Fᵀ, and the same with the curvature of the cones.
    gram: Vec<F4>,
    hessian: Vec<F4>,
    trace: f64,
    lu: Lu,
    scratch: Vec<[f64; 1]>,
    inside: Inside,
    solved: bool,
    /// Work of its Newton steps, in factorizations of all unknowns. The caller resets it.
    pub work: f64,
}

impl LeastNorm {
    /// Whether the budget since the last reset of [`LeastNorm::work`] is spent.
    pub fn is_spent(&self) -> bool {
        self.work >= LEAST_NORM
    }

    pub fn new(max_rows: usize) -> LeastNorm {
        let width = max_rows.div_ceil(4);
        let lanes = || F4::zeros(width);
        let square = || Vec::with_capacity(max_rows * width);
        LeastNorm {
            equations: 0,
            unknowns: 0,
            pieces: Vec::with_capacity(max_rows),
            width,
            f: square(),
            t: lanes(),
            y: lanes(),
            gradient: lanes(),
            step: lanes(),
            centre: vec![0.0; max_rows],
            w: vec![0.0; max_rows],
            begun: vec![0.0; max_rows],
            along: vec![0.0; max_rows],
            x: vec![0.0; max_rows],
            gram: square(),
            hessian: square(),
            trace: 0.0,
            lu: Lu::new(max_rows),
            scratch: vec![[0.0]; max_rows],
            inside: Inside::CLOSED,
            solved: false,
            work: 0.0,
        }
    }

    /// Starts a system of r equations in m unknowns. Returns Fᵀ (m × stride) and t, both zero, to be
    /// filled, and the stride.
    pub fn start(&mut self, r: usize, m: usize) -> (&mut [f64], &mut [f64], usize) {
        (self.equations, self.unknowns, self.width) = (r, m, r.div_ceil(4));
        grow(&mut self.f, m * self.width);
        grow(&mut self.gram, r * self.width);
        grow(&mut self.hessian, r * self.width);
        let (f, t) = (&mut self.f[..m * self.width], &mut self.t[..self.width]);
        f.fill(F4::ZERO);
        t.fill(F4::ZERO);
        (F4::flat_mut(f), F4::flat_mut(t), 4 * self.width)
    }

    /// Sets the centre of the next system; it is zero beyond the end of `centre`.
    pub fn set_centre(&mut self, centre: &[f64]) {
        let (own, zeros) = self.centre.split_at_mut(centre.len());
        own.copy_from_slice(centre);
        zeros.fill(0.0);
    }

    /// Sets the sets of the unknowns. Unknowns in no piece are free.
    pub fn set_pieces(&mut self, pieces: impl Iterator<Item = Piece>) {
        self.pieces.clear();
        self.pieces.extend(pieces);
    }

    /// The solution x at least this far inside the cones; among these x, the one nearest to the centre.
    /// `None` if the set seems to be empty.
    pub fn solve(&mut self, inside: Inside) -> Option<&[f64]> {
        self.inside = inside;
        let width = self.width;
        for piece in 0..self.pieces.len() {
            let Some(k) = self.pieces[piece].raised() else {
                continue;
            };
            self.centre[k] -= inside.least;
            for (t, f) in self.t[..width].iter_mut().zip(&self.f[k * width..]) {
                *t -= *f * inside.least;
            }
        }
        solve(self);
        for piece in &self.pieces {
            let Some(k) = piece.raised() else {
                continue;
            };
            self.x[k] += inside.least;
            self.centre[k] += inside.least;
            // Restore t for another call.
            for (t, f) in self.t[..width].iter_mut().zip(&self.f[k * width..]) {
                *t += *f * inside.least;
            }
        }
        self.solved.then_some(&self.x[..self.unknowns])
    }

    /// The least-norm solution without the cones.
    pub fn solve_alone(&mut self) -> Option<&[f64]> {
        self.inside = Inside::CLOSED;
        self.form_gram();
        let found = self.begin();
        self.evaluate();
        found.then_some(&self.w[..self.unknowns])
    }

    /// The first Newton step from y = 0 with P' = 1 gives the point nearest to the centre without cones.
    #[inline(always)]
    fn begin(&mut self) -> bool {
        let width = self.width;
        for (g, t) in self.gradient[..width].iter_mut().zip(&self.t) {
            *g = F4::ZERO - *t;
        }
        for (c, f) in self.centre[..self.unknowns]
            .iter()
            .zip(self.f.chunks_exact(width.max(1)))
        {
            for (g, f) in self.gradient[..width].iter_mut().zip(f) {
                *g += *f * *c;
            }
        }
        let found = newton_step(self, None);
        self.y[..width].copy_from_slice(&self.step[..width]);
        found
    }

    #[inline(always)]
    fn solve_kernel(&mut self) {
        self.solved = false;
        self.form_gram();
        if !self.begin() {
            return;
        }
        let mut value = self.evaluate();
        // The optimum is ½‖c‖² − ½‖x − c‖². A value far below that of the point without cones means that
        // no admissible point is near. In practice there is none: the dual of an empty set is unbounded.
        let centre: f64 = self.centre[..self.unknowns]
            .iter()
            .map(|c| 0.5 * c * c)
            .sum();
        let floor = 1e4 * (value - centre).min(-centre) - f64::MIN_POSITIVE;
        let mut damping = LEAST_NORM_DAMPING;
        let mut before = f64::INFINITY;
        let (mut least, mut stalled) = (f64::INFINITY, 0);
        for _ in 0..LEAST_NORM_STEPS {
            if value < floor || damping > 1e8 || self.is_spent() {
                return;
            }
            let off = self.update_gradient();
            self.solved =
                off <= LEAST_NORM_SOLVED || off <= LEAST_NORM_STALLED && off > 0.5 * before;
            stalled = if off < 0.5 * least { 0 } else { stalled + 1 };
            if self.solved || stalled > LEAST_NORM_PATIENCE {
                return;
            }
            (before, least) = (off, least.min(off));
            let next = match newton_step(self, Some(damping)) {
                true => self.search(value),
                false => None,
            };
            match next {
                Some((next, length)) => {
                    value = next;
                    damping = match length < LEAST_NORM_SHORT {
                        true => damping / LEAST_NORM_LESS,
                        false => (damping * LEAST_NORM_LESS).max(LEAST_NORM_LEAST_DAMPING),
                    };
                }
                None => damping *= 100.0,
            }
        }
    }

    /// Moves y along the step to a point where the dual function is below `value`. Returns the function
    /// there, and the step length.
    #[inline(always)]
    fn search(&mut self, value: f64) -> Option<(f64, f64)> {
        let (m, width) = (self.unknowns, self.width);
        let (y, t, step) = (&self.y[..width], &self.t[..width], &self.step[..width]);
        let descent = total(product(step, &self.gradient[..width]));
        let (level, rise) = (total(product(t, y)), total(product(t, step)));
        for (a, f) in self.along[..m]
            .iter_mut()
            .zip(self.f.chunks_exact(width.max(1)))
        {
            *a = total(product(f, step));
        }
        self.begun[..m].copy_from_slice(&self.w[..m]);
        let (mut length, mut found) = (1.0, None);
        for trial in 0..LEAST_NORM_TRIALS {
            let points = self.w[..m].iter_mut().zip(&self.begun).zip(&self.along);
            points.for_each(|((w, begun), along)| *w = begun + length * along);
            let next = self.project() - level - length * rise;
            let along = self.x[..m].iter().zip(&self.along);
            let slope = along.map(|(x, a)| x * a).sum::<f64>() - rise;
            // Near the solution the decrease is below round-off: accept a point that does not clearly
            // climb.
            if next <= value + 1e-4 * length * descent + 1e-15 * value.abs() {
                found = Some(length);
                if slope >= 0.5 * descent || trial >= LEAST_NORM_LENGTHENED {
                    break;
                }
                length *= 4.0;
            } else if found.is_some() {
                break;
            } else {
                // The zero of the slope if it rose linearly.
                length *= match slope > 0.0 {
                    true => (descent / (descent - slope)).clamp(0.1, 0.5),
                    false => 0.5,
                };
            }
        }
        let moved = found.unwrap_or(0.0);
        for (y, s) in self.y[..width].iter_mut().zip(&self.step) {
            *y += *s * moved;
        }
        let next = self.evaluate();
        found.map(|length| (next, length))
    }

    /// Computes F x − t. Returns its size, relative to the sizes of the summands.
    #[inline(always)]
    fn update_gradient(&mut self) -> f64 {
        let (mut residual, mut size) = (0.0f64, 0.0f64);
        for c in 0..self.width {
            let t = self.t[c];
            let (mut sum, mut total) = (F4::ZERO - t, absolute(t));
            for (f, x) in self.f[c..]
                .iter()
                .step_by(self.width)
                .zip(&self.x[..self.unknowns])
            {
                let part = *f * *x;
                sum += part;
                total += absolute(part);
            }
            self.gradient[c] = sum;
            for k in 0..4 {
                residual = residual.max(sum.0[k].abs());
                size = size.max(total.0[k]);
            }
        }
        if residual > 0.0 { residual / size } else { 0.0 }
    }

    /// w = c + Fᵀy, x = P_K(w). Returns the dual function.
    #[inline(always)]
    fn evaluate(&mut self) -> f64 {
        let (m, width) = (self.unknowns, self.width);
        let y = &self.y[..width];
        let level = total(product(&self.t[..width], y));
        let rows = self.f.chunks_exact(width.max(1));
        for ((w, c), f) in self.w[..m].iter_mut().zip(&self.centre).zip(rows) {
            *w = total(product(f, y)) + c;
        }
        self.project() - level
    }

    /// x = P_K(w). Returns xᵀw − ½‖x‖².
    #[inline(always)]
    fn project(&mut self) -> f64 {
        let m = self.unknowns;
        self.x[..m].copy_from_slice(&self.w[..m]);
        for piece in &self.pieces {
            let x = &mut self.x[piece.start..][..piece.size];
            piece.set.narrowed(self.inside.share).project(x);
        }
        let points = self.x[..m].iter().zip(&self.w);
        points.map(|(x, w)| x * w - 0.5 * x * x).sum()
    }

    /// F Fᵀ and its trace.
    #[inline(always)]
    fn form_gram(&mut self) {
        let (r, width) = (self.equations, self.width);
        let gram = &mut self.gram[..r * width];
        gram.fill(F4::ZERO);
        for f in self.f.chunks_exact(width.max(1)).take(self.unknowns) {
            add_outer(f, f, r, gram);
        }
        self.trace = (0..r).map(|i| F4::flat(gram)[i * 4 * width + i]).sum();
    }

    /// Solves (F P' Fᵀ + damping) s = −gradient into `step`. Without damping P' = 1. Returns false if
    /// the matrix is singular.
    #[inline(always)]
    fn newton_step_kernel(&mut self, damping: Option<f64>) -> bool {
        let (r, width) = (self.equations, self.width);
        self.work += (r as f64 / self.unknowns.max(1) as f64).powi(2);
        let (a, z) = (&mut self.hessian[..r * width], &mut self.step[..width]);
        a.copy_from_slice(&self.gram[..r * width]);
        if let Some(damping) = damping {
            let shift = damping * self.trace / r.max(1) as f64;
            for (i, row) in a.chunks_exact_mut(width.max(1)).enumerate() {
                row[i / 4].0[i % 4] += shift;
            }
            for piece in &self.pieces {
                let (w, f) = (&self.w[piece.start..], &self.f[piece.start * width..]);
                let set = piece.set.narrowed(self.inside.share);
                subtract_curvature(set, &w[..piece.size], f, a, r, z);
            }
        }
        for (s, g) in self.step[..width].iter_mut().zip(&self.gradient) {
            *s = F4::ZERO - *g;
        }
        let done = self.lu.factor(F4::flat(a), r, 4 * width, 0.0);
        let step = F4::flat_mut(&mut self.step).as_chunks_mut::<1>().0;
        self.lu.solve(&mut step[..r], &mut self.scratch);
        done
    }
}

dispatch! {
    fn solve = LeastNorm::solve_kernel(l: &mut LeastNorm)
}

// A function of its own: it is large, and has three callers.
dispatch! {
    fn newton_step = LeastNorm::newton_step_kernel(l: &mut LeastNorm, damping: Option<f64>) -> bool
}

#[inline(always)]
fn absolute(x: F4) -> F4 {
    F4(x.0.map(f64::abs))
}

/// A += u vᵀ, A with r rows.
#[inline(always)]
fn add_outer(u: &[F4], v: &[F4], r: usize, a: &mut [F4]) {
    let rows = a.chunks_exact_mut(v.len().max(1)).take(r);
    for (row, u) in rows.zip(F4::flat(u)) {
        for (a, v) in row.iter_mut().zip(v) {
            *a += *v * *u;
        }
    }
}

/// A ← A − F (1 − P') Fᵀ for one piece with the unknowns `w`. Does nothing if the projection leaves them
/// unchanged. `f` starts at the piece. `z` is scratch for one row of lanes.
#[inline(always)]
fn subtract_curvature(set: Set, w: &[f64], f: &[F4], a: &mut [F4], r: usize, z: &mut [F4]) {
    let (size, width) = (w.len(), z.len());
    let mut cut = [[0.0; WIDEST]; WIDEST];
    for (k, column) in cut.iter_mut().enumerate().take(size) {
        column[k] = 1.0;
        set.derivative(w, &mut column[..size]);
        column.iter_mut().for_each(|x| *x = -*x);
        column[k] += 1.0;
    }
    for (k, f_k) in f.chunks_exact(width).take(size).enumerate() {
        let row: [f64; WIDEST] = std::array::from_fn(|l| cut[l][k]);
        if row == [0.0; WIDEST] {
            continue;
        }
        z.fill(F4::ZERO);
        for (c, f) in row.into_iter().zip(f.chunks_exact(width)).take(size) {
            for (z, f) in z.iter_mut().zip(f) {
                *z -= *f * c;
            }
        }
        add_outer(f_k, z, r, a);
    }
}
