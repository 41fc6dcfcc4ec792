//! The central path of contacts with torsional or rolling friction, as [`interior`](super::interior) has it
//! for three rows.

use super::wide::{self, Signs, WIDEST, Wide, WideMode, dot, friction, norm};
use super::work::Work;
use crate::contact::problem::{Block, Problem};

/// Products of impulses and velocities. For a cone: the head, then by tangents. For a pyramid: the normal,
/// then the two of each tangent.
pub(super) type Products = [f64; 2 * WIDEST - 1];

/// One contact on the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct WidePairs {
    pub block: usize,
    /// s₁ and s₂ of the tangents of a pyramid, and their change.
    pub slack: [[f64; 2]; WIDEST - 1],
    pub dslack: [[f64; 2]; WIDEST - 1],
    pub correction: Products,
}

/// λ and σ of a contact, or their change.
pub(super) struct At<'a> {
    pub block: Block,
    pub l: &'a [f64],
    pub s: &'a [f64],
}

impl At<'_> {
    pub fn mu(&self) -> f64 {
        friction(self.block)
    }

    pub fn last(&self) -> usize {
        self.l.len() - 1
    }

    pub fn is_pyramid(&self) -> bool {
        matches!(self.block, Block::Pyramid { .. })
    }

    /// ỹ₀.
    fn head(&self) -> f64 {
        let last = self.last();
        self.s[last] / self.mu() + norm(&self.s[..last])
    }

    /// λ + bound and bound − λ of a tangent.
    pub fn room(&self, k: usize) -> [f64; 2] {
        let bound = self.mu() * self.l[self.last()];
        [bound + self.l[k], bound - self.l[k]]
    }

    pub fn products(&self, slack: &[[f64; 2]]) -> Products {
        let (last, mut out) = (self.last(), [0.0; 2 * WIDEST - 1]);
        let (l, s) = (self.l, self.s);
        if self.is_pyramid() {
            out[0] = l[last] * s[last];
            for (k, slack) in slack.iter().enumerate().take(last) {
                let room = self.room(k);
                out[1 + 2 * k] = room[0] * slack[0];
                out[2 + 2 * k] = room[1] * slack[1];
            }
            return out;
        }
        let (head, y) = (self.mu() * l[last], self.head());
        out[0] = head * y + dot(&l[..last], s);
        for k in 0..last {
            out[k + 1] = head * s[k] + y * l[k];
        }
        out
    }

    /// The change of σ that changes λ̃ ∘ ỹ by b at a fixed λ: that of ỹ by L(λ̃)⁻¹ b, less `by`.
    fn velocity_of(&self, b: &[f64], by: &Wide) -> Wide {
        let (last, mu) = (self.last(), self.mu());
        let (l, s) = (&self.l[..last], &self.s[..last]);
        let (head, force) = (mu * self.l[last], norm(l));
        let determinant = (head - force) * (head + force);
        let rise = (head * b[0] - dot(l, &b[1..])) / determinant;
        let mut out = [0.0; WIDEST];
        for k in 0..last {
            out[k] = (b[k + 1] - rise * l[k]) / head - by[k + 1];
        }
        let slip = norm(s);
        let along = if slip > 0.0 { dot(s, &out) / slip } else { 0.0 };
        out[last] = mu * (rise - by[0] - along);
        out
    }

    /// D: the change of σ along the path is a target minus D times that of λ.
    pub fn slope(&self, slack: &[[f64; 2]]) -> [Wide; WIDEST] {
        let (last, mu) = (self.last(), self.mu());
        let mut d = [[0.0; WIDEST]; WIDEST];
        if self.is_pyramid() {
            d[last][last] = self.s[last] / self.l[last];
            for k in 0..last {
                let room = self.room(k);
                let [lower, upper] = [0, 1].map(|j| slack[k][j] / room[j]);
                d[k][k] = lower + upper;
                d[k][last] = mu * (lower - upper);
            }
            return d;
        }
        let y = self.head();
        for c in 0..=last {
            // The column of L(ỹ) J.
            let mut b = [0.0; WIDEST];
            if c == last {
                b[0] = mu * y;
                (0..last).for_each(|k| b[k + 1] = mu * self.s[k]);
            } else {
                (b[0], b[c + 1]) = (self.s[c], y);
            }
            let column = self.velocity_of(&b, &[0.0; WIDEST]);
            for (line, x) in d.iter_mut().zip(column) {
                line[c] = x;
            }
        }
        d
    }

    /// The target of the change of σ for products of κ, minus the correction.
    pub fn target(&self, slack: &[[f64; 2]], kappa: f64, e: &Products) -> Wide {
        let (last, mut out) = (self.last(), [0.0; WIDEST]);
        if self.is_pyramid() {
            let wanted = |of: usize, by: f64| (kappa - e[of]) / by;
            out[last] = wanted(0, self.l[last]) - self.s[last];
            for k in 0..last {
                let room = self.room(k);
                let [lower, upper] = [0, 1].map(|j| {
                    (kappa - room[j] * slack[k][j] - e[1 + 2 * k + j]) / room[j] + slack[k][j]
                });
                out[k] = lower - upper - self.s[k];
            }
            return out;
        }
        // L(λ̃)⁻¹ (κe − λ̃ ∘ ỹ) = κ λ̃⁻¹ − ỹ, without the cancellation in the product.
        let (mut b, mut y) = ([0.0; WIDEST], [0.0; WIDEST]);
        b.iter_mut().zip(e).for_each(|(b, e)| *b = -e);
        b[0] += kappa;
        y[0] = self.head();
        y[1..=last].copy_from_slice(&self.s[..last]);
        self.velocity_of(&b, &y)
    }

    pub fn tending(&self, slack: &[[f64; 2]]) -> WideMode {
        let last = self.last();
        let force = norm(&self.l[..last]);
        if self.l[last] < self.s[last] {
            WideMode::Open
        } else if self.is_pyramid() {
            let mut signs: Signs = [0; WIDEST - 1];
            for (k, sign) in signs.iter_mut().enumerate().take(last) {
                let room = self.room(k);
                *sign = i8::from(room[1] < slack[k][1]) - i8::from(room[0] < slack[k][0]);
            }
            wide::bounded(signs)
        } else if self.mu() * self.l[last] - force > norm(&self.s[..last]) {
            WideMode::Held
        } else {
            WideMode::Sliding
        }
    }
}

/// x + step d.
pub(super) fn moved(x: &[f64], d: &[f64], step: f64) -> Wide {
    let mut out = [0.0; WIDEST];
    for (out, (x, d)) in out.iter_mut().zip(x.iter().zip(d)) {
        *out = x + step * d;
    }
    out
}

impl WidePairs {
    pub fn new(block: usize, part: f64) -> WidePairs {
        WidePairs {
            block,
            slack: [[part; 2]; WIDEST - 1],
            dslack: [[0.0; 2]; WIDEST - 1],
            correction: [0.0; 2 * WIDEST - 1],
        }
    }

    pub fn clear_correction(&mut self) {
        self.correction = [0.0; 2 * WIDEST - 1];
    }

    pub fn advance(&mut self, step: f64) {
        let all = self.slack.as_flattened_mut().iter_mut();
        for (s, d) in all.zip(self.dslack.as_flattened()) {
            *s += step * d;
        }
    }

    pub fn at<'a>(&self, problem: &Problem, work: &Work, [l, s]: [&'a [f64]; 2]) -> At<'a> {
        let part = work.part(self.block);
        At {
            block: problem.blocks[self.block],
            l: &l[part.clone()],
            s: &s[part],
        }
    }
}
