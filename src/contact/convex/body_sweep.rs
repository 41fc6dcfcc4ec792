//! Minimizes the cost of convex contact over one free body at a time.
//!
//! Newton's method uses one step length for all bodies. The first contact that starts to stick or slide
//! limits this step for all of them. Here the cost is minimized over the six coordinates of one body,
//! with all other bodies fixed. The cost never rises.

use super::impulse::{answer, impulse, moved};
use crate::contact::problem::{Problem, Regularization};
use crate::contact::tuning::{BODY_EVALUATIONS, BODY_STEPS, CONVEX_EXACT};
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::linalg::{FREE, dispatch, factor_definite, solve_definite};

/// The problem and the current point.
pub(super) struct Local<'a> {
    pub problem: &'a Problem<'a>,
    pub rows: &'a WhitenedJacobian,
    pub regularization: &'a [Regularization],
    pub z: &'a mut [[f64; 1]],
    pub sigma: &'a mut [f64],
    /// Change of σ along the step of a body, by rows.
    pub d_sigma: &'a mut [f64],
}

dispatch! {
    /// Lowers the cost over each of these trees in turn. Trees other than free bodies do not move.
    pub(super) fn relax = relax_kernel(local: &mut Local<'_>, trees: &[bool])
}

#[inline(always)]
fn relax_kernel(local: &mut Local<'_>, trees: &[bool]) {
    for (tree, _) in trees.iter().enumerate().filter(|(_, wanted)| **wanted) {
        let starts = local.rows.starts();
        if starts[tree + 1] - starts[tree] == FREE {
            for _ in 0..BODY_STEPS {
                if !local.step(tree, starts[tree]) {
                    break;
                }
            }
        }
    }
}

type Six = [f64; FREE];

impl Local<'_> {
    /// One Newton step of a tree. Returns whether a mode has changed, so that another step may help.
    #[inline(always)]
    fn step(&mut self, tree: usize, at: usize) -> bool {
        let (mut gradient, mut hessian) = ([0.0; FREE], [[0.0; FREE]; FREE]);
        for i in 0..FREE {
            gradient[i] = self.z[at + i][0];
            hessian[i][i] = 1.0;
        }
        for (b, h) in self.rows.touching(tree) {
            let range = self.rows.range(b);
            let (block, r) = (self.problem.blocks[b], self.regularization[b]);
            let sigma = &self.sigma[range];
            let gamma = impulse(block, r, sigma);
            if gamma == [0.0; 3] {
                continue;
            }
            let slope = answer(block, r, sigma).slope;
            let h = h.as_chunks::<FREE>().0;
            for ((row, gamma), slope) in h.iter().zip(gamma).zip(&slope) {
                let mut weighted = [0.0; FREE];
                for (other, s) in h.iter().zip(slope) {
                    add(&mut weighted, *s, other);
                }
                add(&mut gradient, -gamma, row);
                for (hessian, x) in hessian.iter_mut().zip(row) {
                    add(hessian, *x, &weighted);
                }
            }
        }
        let Some(d) = descent(hessian, &gradient) else {
            return false;
        };
        let (mut along, mut square, mut start) = (0.0, 0.0, 0.0);
        for i in 0..FREE {
            along += self.z[at + i][0] * d[i];
            square += d[i] * d[i];
            start += gradient[i] * d[i];
        }
        // The slope may be positive by round-off.
        if start >= 0.0 {
            return false;
        }
        for (b, h) in self.rows.touching(tree) {
            let d_sigma = &mut self.d_sigma[self.rows.range(b)];
            for (out, row) in d_sigma.iter_mut().zip(h.as_chunks::<FREE>().0) {
                *out = row.iter().zip(&d).map(|(h, d)| h * d).sum();
            }
        }
        let slope = |step: f64| {
            let mut sum = along + step * square;
            for (b, _) in self.rows.touching(tree) {
                let range = self.rows.range(b);
                let d = &self.d_sigma[range.clone()];
                let sigma = moved(&self.sigma[range], d, step);
                let (block, r) = (self.problem.blocks[b], self.regularization[b]);
                let gamma = impulse(block, r, &sigma[..d.len()]);
                sum -= d.iter().zip(gamma).map(|(d, g)| d * g).sum::<f64>();
            }
            sum
        };
        // Finds a zero of the slope between 0 and 1 by the rule of false position, kept away from the
        // ends.
        let (mut step, mut now) = (1.0, slope(1.0));
        let ([mut low, mut high], [mut below, mut above]) = ([0.0, 1.0], [start, now]);
        let mut count = 0;
        while now > -CONVEX_EXACT * start && count < BODY_EVALUATIONS {
            count += 1;
            let tenth = 0.1 * (high - low);
            step = (low * above - high * below) / (above - below);
            step = step.clamp(low + tenth, high - tenth);
            now = slope(step);
            if now > 0.0 {
                (high, above) = (step, now);
            } else {
                (low, below) = (step, now);
                if now < CONVEX_EXACT * start {
                    // The cost still falls here: the minimum is further on.
                    now = above;
                }
            }
        }
        if count == BODY_EVALUATIONS {
            // The largest step found at which the cost still falls.
            step = low;
        }
        for i in 0..FREE {
            self.z[at + i][0] += step * d[i];
        }
        for (b, _) in self.rows.touching(tree) {
            for k in self.rows.range(b) {
                self.sigma[k] += step * self.d_sigma[k];
            }
        }
        count > 0
    }
}

#[inline(always)]
fn add(y: &mut Six, a: f64, x: &Six) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// −A⁻¹ g; `None` if A is not positive definite.
#[inline(always)]
fn descent(mut a: [Six; FREE], g: &Six) -> Option<Six> {
    let (mut d, mut scratch) = (g.map(|g| [-g]), [0.0; FREE]);
    let a = a.as_flattened_mut();
    if !factor_definite(a, FREE, FREE, &mut scratch) {
        return None;
    }
    solve_definite(a, FREE, FREE, &mut d);
    Some(d.map(|[d]| d))
}
