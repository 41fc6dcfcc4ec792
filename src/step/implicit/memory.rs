//! What Newton's method takes from the steps before: where a stage begins, and how much H bends.
//!
//! ẇ of a stage, of a later one what it has beyond the stage before, goes on as a polynomial through its last values. Its
//! degree is the one that would have led nearest to the last of them: backward differences tell, as ∇ᵏ⁺¹ is how far degree k
//! was off. After a jump, of inputs for instance, degrees thus begin anew.

use super::stage::{Rule, StageState};
use crate::integrator::implicit::turn;
use crate::linalg::all_finite;
use crate::model::Model;

/// The highest degree.
const DEGREE: usize = 6;

/// How fast γ is thought to grow from step to step while nothing tells.
const DOUBT: f64 = 2.0;

/// γ of a stage, half of what H varies by beside itself, as steps before have seen it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bend {
    /// Zero where none has.
    seen: f64,
    /// How many times more it may be by now.
    doubt: f64,
}

impl Bend {
    pub const UNKNOWN: Bend = Bend {
        seen: 0.0,
        doubt: 1.0,
    };

    /// How much of itself a correction of this size leaves by the H of where it begins; NaN where that is not known.
    pub fn rate(&self, size: f64) -> f64 {
        match self.seen > 0.0 {
            true => self.seen * self.doubt * size,
            false => f64::NAN,
        }
    }

    /// Such a correction has left `next`, known to within `rounding`.
    pub fn see(&mut self, size: f64, next: f64, rounding: f64) {
        let most = (next + rounding) / (size * size);
        if !most.is_finite() {
            return;
        }
        // Round-off bounds γ from above alone.
        if next > rounding || self.seen == 0.0 || most < self.seen {
            self.seen = most;
        }
        self.doubt = 1.0;
    }

    /// A step has relied on it.
    pub fn trust(&mut self) {
        self.doubt *= DOUBT;
    }
}

/// Of all stages one behind the other: differences ∇⁰ to ∇ᵈ of nv numbers each, the degree, γ and its doubt. Zero is nothing.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    nv: usize,
    all: Vec<f64>,
    /// nv numbers.
    rate: Vec<f64>,
}

const REST: usize = 3;

impl Memory {
    pub fn new(nv: usize, stages: usize) -> Memory {
        Memory {
            nv,
            all: vec![0.0; stages * ((DEGREE + 1) * nv + REST)],
            rate: vec![0.0; nv],
        }
    }

    pub fn all(&self) -> &[f64] {
        &self.all
    }

    pub fn all_mut(&mut self) -> &mut [f64] {
        &mut self.all
    }

    /// A first guess of w of stage `i`, which follows the stage `before`.
    pub fn guess(&self, i: usize, at: &mut StageState, rule: &Rule, before: Option<&StageState>) {
        let length = (DEGREE + 1) * self.nv;
        let (differences, rest) = self.all[i * (length + REST)..][..length + REST].split_at(length);
        let degree = (rest[0] as usize).min(DEGREE);
        let rate = &mut at.w;
        match before {
            Some(before) => rate.copy_from_slice(before.tangents().rate),
            None => rate.fill(0.0),
        }
        for difference in differences.chunks_exact(self.nv.max(1)).take(degree + 1) {
            for (rate, x) in rate.iter_mut().zip(difference) {
                *rate += x;
            }
        }
        for (w, w0) in at.w.iter_mut().zip(&at.w0) {
            *w = w0 + *w / rule.rate;
        }
        at.bend = Bend {
            seen: rest[1],
            doubt: rest[2].max(1.0),
        };
    }

    /// Takes in the stages of a step that has been taken.
    pub fn remember<'a>(
        &mut self,
        model: &Model,
        stages: impl Iterator<Item = &'a StageState> + Clone,
    ) {
        let nv = self.nv.max(1);
        let length = (DEGREE + 1) * self.nv;
        let Some(last) = stages.clone().last() else {
            return;
        };
        let mut before: Option<&StageState> = None;
        for (own, at) in self.all.chunks_exact_mut(length + REST).zip(stages) {
            let (differences, rest) = own.split_at_mut(length);
            self.rate.copy_from_slice(at.tangents().rate);
            if let Some(before) = before {
                let all = self.rate.iter_mut().zip(before.tangents().rate);
                all.for_each(|(rate, x)| *rate -= x);
            }
            let mut least = f64::INFINITY;
            for (degree, difference) in differences.chunks_exact_mut(nv).enumerate() {
                let mut off = 0.0;
                for (x, old) in self.rate.iter_mut().zip(difference.iter_mut()) {
                    let moved = *x - *old;
                    *old = *x;
                    *x = moved;
                    off = f64::max(off, moved.abs());
                }
                if off < least {
                    (least, rest[0]) = (off, degree as f64);
                }
                turn(model, &last.xi, difference);
            }
            (rest[1], rest[2]) = (at.bend.seen, at.bend.doubt);
            before = Some(at);
        }
        if !all_finite(&self.all) {
            self.all.fill(0.0);
        }
    }
}
