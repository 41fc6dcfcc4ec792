//! The least-norm impulse among those that give one velocity.
//!
//! With redundant rows many λ give the same G λ. Those that obey the laws at the velocity σ form a convex set: an affine
//! space cut by each held block's cone (a sliding contact's ray, a limit's half line, friction's interval). Its point of
//! least norm is unique, whatever the order of the blocks and the warm start:
//!
//!   min ½‖x‖²  with  F x = t, x ∈ K,   x = P_K(Fᵀy),   F P_K(Fᵀy) = t,
//!
//! solved for y by Newton with line search on the dual, ½‖Fᵀy‖² − ½ dist²(Fᵀy, K) − tᵀy, convex and C¹.

use super::local::project;
use super::reduced::Face;
use crate::contact::problem::Block;
use crate::linalg::Symmetric;

#[derive(Clone, Debug)]
pub(super) struct LeastNorm {
    pub f: Vec<f64>,
    y: Vec<f64>,
    trial: Vec<f64>,
    w: Vec<f64>,
    x: Vec<f64>,
    scaled: Vec<f64>,
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
            w: zeros.clone(),
            x: zeros.clone(),
            scaled: zeros,
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
        self.y[..r].fill(0.0);
        // From y = 0 the first Newton step, taken with P = 1, is the least-norm point without cones.
        self.newton_step(blocks, faces, r, m, t, true);
        for k in 0..r {
            self.y[k] = self.step[k][0];
        }
        let mut value = self.evaluate(blocks, faces, r, m, t);
        for _ in 0..60 {
            let (mut residual, mut size) = (0.0f64, 0.0f64);
            for k in 0..r {
                let row = &self.f[k * m..(k + 1) * m];
                let (mut sum, mut total) = (-t[k][0], t[k][0].abs());
                for (f, x) in row.iter().zip(&self.x) {
                    sum += f * x;
                    total += (f * x).abs();
                }
                self.step[k][0] = -sum;
                residual = residual.max(sum.abs());
                size = size.max(total);
            }
            if residual <= 2e-15 * size * (m as f64).sqrt() {
                return Some(&self.x[..m]);
            }
            let slope_of = |step: &[[f64; 1]], gradient: &[f64]| -> f64 {
                step.iter().zip(gradient).map(|(s, g)| s[0] * g).sum()
            };
            for k in 0..r {
                self.scaled[k] = -self.step[k][0];
            }
            let gradient_at = r;
            self.trial[..gradient_at].copy_from_slice(&self.scaled[..r]);
            self.newton_step(blocks, faces, r, m, t, false);
            let slope = slope_of(&self.step[..r], &self.trial[..r]);
            if !(slope < 0.0) {
                return None;
            }
            self.trial[..r].copy_from_slice(&self.y[..r]);
            let mut length = 1.0;
            loop {
                for k in 0..r {
                    self.y[k] = self.trial[k] + length * self.step[k][0];
                }
                let next = self.evaluate(blocks, faces, r, m, t);
                // Near the solution the decrease drowns in round-off: accept what does not clearly climb.
                if next <= value + 1e-4 * length * slope + 1e-15 * value.abs() {
                    value = next;
                    break;
                }
                length *= 0.5;
                if length < 1e-8 {
                    return None;
                }
            }
        }
        None
    }

    /// w = Fᵀy, x = P_K(w); returns the dual function.
    fn evaluate(
        &mut self,
        blocks: &[Block],
        faces: &[Face],
        r: usize,
        m: usize,
        t: &[[f64; 1]],
    ) -> f64 {
        self.w[..m].fill(0.0);
        let mut value = 0.0;
        for k in 0..r {
            value -= t[k][0] * self.y[k];
            for (w, f) in self.w.iter_mut().zip(&self.f[k * m..(k + 1) * m]) {
                *w += f * self.y[k];
            }
        }
        self.x[..m].copy_from_slice(&self.w[..m]);
        for face in faces {
            let x = &mut self.x[face.start..face.start + face.size];
            match (
                face.slide.is_some() || face.size < face.rows,
                blocks[face.block],
            ) {
                (true, _) => x[0] = x[0].max(0.0),
                (false, Block::Contact { .. }) if face.size == 1 => x[0] = x[0].max(0.0),
                (false, block) => project(block, x),
            }
        }
        for (x, w) in self.x[..m].iter().zip(&self.w) {
            value += x * w - 0.5 * x * x;
        }
        value
    }

    /// Solves (F P' Fᵀ) s = −(F x − t) into `step`; the right-hand side comes in `step` unless `first` (s = t then).
    fn newton_step(
        &mut self,
        blocks: &[Block],
        faces: &[Face],
        r: usize,
        m: usize,
        t: &[[f64; 1]],
        first: bool,
    ) {
        if first {
            self.step[..r].copy_from_slice(t);
        }
        let a = self.hessian.matrix(r);
        a.fill(0.0);
        let mut trace = 0.0;
        for i in 0..r {
            let row = &self.f[i * m..(i + 1) * m];
            let scaled = &mut self.scaled[..m];
            scaled.copy_from_slice(row);
            if !first {
                for face in faces {
                    let part = face.start..face.start + face.size;
                    derivative(
                        blocks[face.block],
                        face,
                        &self.w[part.clone()],
                        &mut scaled[part],
                    );
                }
            }
            for j in 0..=i {
                a[i * r + j] = self.f[j * m..(j + 1) * m]
                    .iter()
                    .zip(scaled.iter())
                    .map(|(f, s)| f * s)
                    .sum();
            }
            trace += row.iter().map(|f| f * f).sum::<f64>();
        }
        let shift = if first {
            0.0
        } else {
            1e-12 * trace / r.max(1) as f64
        };
        for i in 0..r {
            a[i * r + i] += shift;
        }
        self.hessian.factor(0.0);
        self.hessian.solve(&mut self.step, &mut self.scratch);
    }
}

/// v ← P_K'(w) v for one face.
fn derivative(block: Block, face: &Face, w: &[f64], v: &mut [f64]) {
    let ray = face.slide.is_some();
    match (block, w, v) {
        (Block::Contact { mu }, [x, y, z], [a, b, c]) => {
            let tangent = x.hypot(*y);
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
        (Block::Contact { .. } | Block::Unilateral, w, v)
            if (ray || w.len() == 1) && w[0] < 0.0 =>
        {
            v[0] = 0.0
        }
        _ => {}
    }
}
