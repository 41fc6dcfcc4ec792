//! The least-norm impulse among those that give one velocity.
//!
//! With redundant rows many λ give the same G λ. Those that obey the laws at the velocity σ form a convex set: an affine
//! space cut by each held block's cone (a sliding contact's ray, a limit's half line, friction's interval). Its point of
//! least norm is unique, whatever the order of the blocks and the warm start:
//!
//!   min ½‖x‖²  with  F x = t, x ∈ K,   x = P_K(Fᵀy),   F P_K(Fᵀy) = t,
//!
//! solved for y by damped Newton on the dual, ½‖Fᵀy‖² − ½ dist²(Fᵀy, K) − tᵀy, convex and C¹.

use super::cone::planar_norm;
use super::local::project;
use super::reduced::Face;
use crate::contact::problem::Block;
use crate::linalg::{Symmetric, dot};

#[derive(Debug)]
pub(super) struct LeastNorm {
    pub f: Vec<f64>,
    y: Vec<f64>,
    trial: Vec<f64>,
    gradient: Vec<f64>,
    w: Vec<f64>,
    x: Vec<f64>,
    gram: Vec<f64>,
    trace: f64,
    step: Vec<[f64; 1]>,
    scratch: Vec<[f64; 1]>,
    hessian: Symmetric,
}

impl LeastNorm {
    pub fn new(max_rows: usize) -> LeastNorm {
        let zeros = vec![0.0; max_rows];
        LeastNorm {
            f: vec![0.0; max_rows * max_rows],
            y: zeros.clone(),
            trial: zeros.clone(),
            gradient: zeros.clone(),
            w: zeros.clone(),
            x: zeros,
            gram: vec![0.0; max_rows * max_rows],
            trace: 0.0,
            step: vec![[0.0]; max_rows],
            scratch: vec![[0.0]; max_rows],
            hessian: Symmetric::new(max_rows),
        }
    }

    /// The solution x for F = `self.f` (r × m, row-major) and t; `None` if the set is empty as far as can be told.
    pub fn solve(
        &mut self,
        blocks: &[Block],
        faces: &[Face],
        m: usize,
        t: &[[f64; 1]],
    ) -> Option<&[f64]> {
        let r = t.len();
        self.form_gram(r, m);
        // From y = 0 the first Newton step, taken with P' = 1, is the least-norm point without cones.
        self.gradient[..r]
            .iter_mut()
            .zip(t)
            .for_each(|(g, t)| *g = -t[0]);
        self.newton_step(blocks, faces, r, m, None);
        self.y[..r]
            .iter_mut()
            .zip(&self.step)
            .for_each(|(y, s)| *y = s[0]);
        let mut value = self.evaluate(blocks, faces, m, t);
        // The optimum is −½‖x‖². A value far below that of the point without cones means that no admissible point is
        // near, which in practice means none: the dual of an empty set has no bound.
        let floor = 1e4 * value - f64::MIN_POSITIVE;
        let mut damping = 1e-10;
        for _ in 0..40 {
            if value < floor {
                return None;
            }
            if self.update_gradient(m, t) {
                return Some(&self.x[..m]);
            }
            self.newton_step(blocks, faces, r, m, Some(damping));
            let slope: f64 = self.step[..r]
                .iter()
                .zip(&self.gradient)
                .map(|(s, g)| s[0] * g)
                .sum();
            self.trial[..r].copy_from_slice(&self.y[..r]);
            self.y[..r]
                .iter_mut()
                .zip(&self.step)
                .for_each(|(y, s)| *y += s[0]);
            let next = self.evaluate(blocks, faces, m, t);
            // Near the solution the decrease drowns in round-off: accept what does not clearly climb.
            if next <= value + 1e-4 * slope + 1e-15 * value.abs() {
                value = next;
                damping = (0.03 * damping).max(1e-13);
            } else {
                self.y[..r].copy_from_slice(&self.trial[..r]);
                self.evaluate(blocks, faces, m, t);
                damping *= 30.0;
                if damping > 1e8 {
                    return None;
                }
            }
        }
        None
    }

    /// F x − t; returns whether it has vanished to round-off.
    fn update_gradient(&mut self, m: usize, t: &[[f64; 1]]) -> bool {
        let (mut residual, mut size) = (0.0f64, 0.0f64);
        for (k, t) in t.iter().enumerate() {
            let (mut sum, mut total) = (-t[0], t[0].abs());
            for (f, x) in self.f[k * m..(k + 1) * m].iter().zip(&self.x) {
                sum += f * x;
                total += (f * x).abs();
            }
            self.gradient[k] = sum;
            residual = residual.max(sum.abs());
            size = size.max(total);
        }
        residual <= 4e-15 * size
    }

    /// w = Fᵀy, x = P_K(w); returns the dual function.
    fn evaluate(&mut self, blocks: &[Block], faces: &[Face], m: usize, t: &[[f64; 1]]) -> f64 {
        self.w[..m].fill(0.0);
        let mut value = 0.0;
        for (k, (t, y)) in t.iter().zip(&self.y).enumerate() {
            value -= t[0] * y;
            for (w, f) in self.w.iter_mut().zip(&self.f[k * m..(k + 1) * m]) {
                *w += f * y;
            }
        }
        self.x[..m].copy_from_slice(&self.w[..m]);
        for face in faces {
            let x = &mut self.x[face.start..face.start + face.size];
            match blocks[face.block] {
                Block::Contact { .. } if face.size < 3 => x[0] = x[0].max(0.0),
                block => project(block, x),
            }
        }
        for (x, w) in self.x[..m].iter().zip(&self.w) {
            value += x * w - 0.5 * x * x;
        }
        value
    }

    /// F Fᵀ, its lower triangle, and its trace.
    fn form_gram(&mut self, r: usize, m: usize) {
        self.trace = 0.0;
        for i in 0..r {
            let row = &self.f[i * m..(i + 1) * m];
            for j in 0..=i {
                self.gram[i * r + j] = dot(row, &self.f[j * m..(j + 1) * m]);
            }
            self.trace += self.gram[i * r + i];
        }
    }

    /// Solves (F P' Fᵀ + damping) s = −gradient into `step`; without damping P' = 1.
    fn newton_step(
        &mut self,
        blocks: &[Block],
        faces: &[Face],
        r: usize,
        m: usize,
        damping: Option<f64>,
    ) {
        for (s, g) in self.step[..r].iter_mut().zip(&self.gradient) {
            s[0] = -g;
        }
        let a = self.hessian.matrix(r);
        a.copy_from_slice(&self.gram[..r * r]);
        if let Some(damping) = damping {
            let shift = damping * self.trace / r.max(1) as f64;
            for i in 0..r {
                a[i * r + i] += shift;
            }
            for face in faces {
                subtract_curvature(blocks[face.block], face, &self.w, &self.f, m, a, r);
            }
        }
        self.hessian.factor(0.0);
        self.hessian.solve(&mut self.step, &mut self.scratch);
    }
}

/// A ← A − F (1 − P') Fᵀ for one face, on the lower triangle: nothing where the projection leaves the impulse alone.
fn subtract_curvature(
    block: Block,
    face: &Face,
    w: &[f64],
    f: &[f64],
    m: usize,
    a: &mut [f64],
    r: usize,
) {
    let part = face.start..face.start + face.size;
    let mut cut = [[0.0; 3]; 3];
    for (k, column) in cut.iter_mut().enumerate().take(face.size) {
        column[k] = 1.0;
        derivative(block, face, &w[part.clone()], &mut column[..face.size]);
        column.iter_mut().for_each(|x| *x = -*x);
        column[k] += 1.0;
    }
    if cut == [[0.0; 3]; 3] {
        return;
    }
    for i in 0..r {
        let mut z = [0.0; 3];
        for (column, x) in cut.iter().zip(&f[i * m..][part.clone()]) {
            for (z, c) in z.iter_mut().zip(column) {
                *z += c * x;
            }
        }
        if z == [0.0; 3] {
            continue;
        }
        for (j, a) in a[i * r..=i * r + i].iter_mut().enumerate() {
            *a -= f[j * m..][part.clone()]
                .iter()
                .zip(&z)
                .map(|(x, z)| x * z)
                .sum::<f64>();
        }
    }
}

/// v ← P_K'(w) v for one face.
fn derivative(block: Block, face: &Face, w: &[f64], v: &mut [f64]) {
    match (block, w, v) {
        (Block::Contact { mu }, [x, y, z], [a, b, c]) => {
            let tangent = planar_norm(*x, *y);
            if tangent <= mu * z {
                return;
            }
            if mu * tangent <= -z {
                (*a, *b, *c) = (0.0, 0.0, 0.0);
                return;
            }
            let (tx, ty) = (x / tangent, y / tangent);
            let scale = 1.0 / (1.0 + mu * mu);
            let normal = (mu * tangent + z) * scale;
            let along = tx * *a + ty * *b;
            let across = ty * *a - tx * *b;
            let rise = (mu * along + *c) * scale;
            let turn = mu * normal / tangent * across;
            (*a, *b, *c) = (mu * rise * tx + turn * ty, mu * rise * ty - turn * tx, rise);
        }
        (Block::Box { bound }, [x], [a]) if x.abs() > bound => *a = 0.0,
        (Block::Contact { .. } | Block::Unilateral, w, v) if face.size < 3 && w[0] < 0.0 => {
            v[0] = 0.0
        }
        _ => {}
    }
}
