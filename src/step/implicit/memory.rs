//! What Newton's method takes from the steps before: where a stage begins, and what is known of how much H bends.
//!
//! ẇ of a stage, of a later one what it has beyond the stage before, goes on as a polynomial through its last values. Its
//! degree is the one that would have led nearest to the last of them: backward differences tell, as ∇ᵏ⁺¹ is how far degree k
//! was off. After a jump, of inputs for instance, degrees thus begin anew.

use super::curvature::Curvature;
use super::stage::{Rule, StageState};
use crate::linalg::all_finite;
use crate::model::Model;
use crate::spatial::{Vec3, so3_exp};

/// The highest degree.
const DEGREE: usize = 15;

/// Of a stage: differences ∇⁰ to ∇ᵈ of each dof, then the degree and [`Curvature`], last by dofs. Zero is nothing.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    nv: usize,
    /// Stages one behind the other.
    all: Vec<f64>,
}

const DIFFERENCES: usize = DEGREE + 1;

/// What of round-off that was seen is believed from step to step while nothing tells.
const FADES: f64 = 0.9;

/// Numbers beside those of dofs.
const REST: usize = 5;

/// Numbers of a stage.
fn length(nv: usize) -> usize {
    (DIFFERENCES + 1) * nv + REST
}

impl Memory {
    pub fn new(nv: usize, stages: usize) -> Memory {
        Memory {
            nv,
            all: vec![0.0; stages * length(nv)],
        }
    }

    pub fn all(&self) -> &[f64] {
        &self.all
    }

    pub fn all_mut(&mut self) -> &mut [f64] {
        &mut self.all
    }

    /// Forgets how much H bends.
    pub fn forget_curvature(&mut self) {
        for own in self.all.chunks_exact_mut(length(self.nv)) {
            // All but the degree.
            own[DIFFERENCES * self.nv + 1..].fill(0.0);
        }
    }

    /// A first guess of w of stage `i`, which follows the stage `before`.
    pub fn guess(&self, i: usize, at: &mut StageState, rule: &Rule, before: Option<&StageState>) {
        let length = length(self.nv);
        let own = &self.all[i * length..][..length];
        let (differences, rest) = own.split_at(DIFFERENCES * self.nv);
        let known = (rest[0] as usize).min(DEGREE) + 1;
        let differences = differences.as_chunks::<DIFFERENCES>().0;
        for (rate, all) in at.w.iter_mut().zip(differences) {
            *rate = all[..known].iter().sum();
        }
        if let Some(before) = before {
            let rates = at.w.iter_mut().zip(before.tangents().rate);
            rates.for_each(|(rate, x)| *rate += x);
        }
        for (w, w0) in at.w.iter_mut().zip(&at.w0) {
            *w = w0 + *w / rule.rate;
        }
        let Curvature {
            seen,
            moves,
            doubt,
            floor,
            along,
        } = &mut at.curvature;
        (*seen, *moves, *doubt) = (rest[1], rest[2], rest[3].max(1.0));
        *floor = FADES * rest[4];
        along.copy_from_slice(&rest[REST..]);
    }

    /// Takes in the stages of a step that has been taken.
    pub fn remember<'a>(
        &mut self,
        model: &Model,
        stages: impl DoubleEndedIterator<Item = &'a StageState> + Clone,
    ) {
        let Some(last) = stages.clone().next_back() else {
            return;
        };
        let mut before: &[f64] = &[];
        for (own, at) in self.all.chunks_exact_mut(length(self.nv)).zip(stages) {
            let (differences, rest) = own.split_at_mut(DIFFERENCES * self.nv);
            let differences = differences.as_chunks_mut::<DIFFERENCES>().0;
            let rate = at.tangents().rate;
            let mut off = [0.0; DIFFERENCES];
            for (k, (own, rate)) in differences.iter_mut().zip(rate).enumerate() {
                let mut x = rate - before.get(k).copied().unwrap_or(0.0);
                for (own, off) in own.iter_mut().zip(&mut off) {
                    let moved = x - *own;
                    *own = x;
                    x = moved;
                    // One instruction, as where it is no number does not matter.
                    *off = if moved.abs() > *off {
                        moved.abs()
                    } else {
                        *off
                    };
                }
            }
            let mut best = 0;
            for (degree, x) in off.iter().enumerate() {
                if *x < off[best] {
                    best = degree;
                }
            }
            // Shares of corrections are not turned: what is missed is seen anew.
            turn(model, &last.xi, differences);
            rest[REST..].copy_from_slice(&at.curvature.along);
            rest[..REST].copy_from_slice(&[
                best as f64,
                at.curvature.seen,
                at.curvature.moves,
                at.curvature.doubt,
                at.curvature.floor,
            ]);
            before = rate;
        }
        if !all_finite(&self.all) {
            self.all.fill(0.0);
        }
    }
}

/// From the axes where the step began to those where it ends, of free joints.
fn turn(model: &Model, xi: &[f64], differences: &mut [[f64; DIFFERENCES]]) {
    for l in model.free_links() {
        let e = so3_exp(Vec3::from_slice(&xi[l.iv + 3..]));
        for j in 0..DIFFERENCES {
            let [x, y, z] = [0, 1, 2].map(|k| differences[l.iv + k][j]);
            let seen = e.tr_mul_vec(Vec3::new(x, y, z)).to_array();
            (seen.into_iter().enumerate()).for_each(|(k, x)| differences[l.iv + k][j] = x);
        }
    }
}
