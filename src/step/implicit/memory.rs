//! Memory of Newton's method between steps: the first guess of a stage, and the curvature of H.
//!
//! ẇ of a stage is extrapolated by a polynomial through its last values; for a later stage, its difference
//! to the stage before. The degree is the one that would have predicted the last value best. Backward
//! differences give the error: ∇ᵏ⁺¹ is the error of degree k. After a jump, for example of inputs, the
//! degree therefore starts low again.

use super::curvature::Curvature;
use super::stage::{Rule, StageState};
use crate::linalg::all_finite;
use crate::model::Model;
use crate::spatial::{Vec3, so3_exp};

/// The highest degree.
const DEGREE: usize = 15;

/// For each stage: differences ∇⁰ to ∇ᵈ of each dof, then the degree, then [`Curvature`] with its entries
/// per dof last. All zeros: no memory.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    nv: usize,
    /// The stages, one after the other.
    all: Vec<f64>,
}

const DIFFERENCES: usize = DEGREE + 1;

/// Factor by which the observed round-off decreases with each step in which it is not observed.
const FADES: f64 = 0.9;

/// Numbers that are not per dof.
const REST: usize = 5;

/// Numbers per stage.
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

    /// Forgets the curvature of H.
    pub fn forget_curvature(&mut self) {
        for own in self.all.chunks_exact_mut(length(self.nv)) {
            // All but the degree.
            own[DIFFERENCES * self.nv + 1..].fill(0.0);
        }
    }

    /// First guess of w of stage `i`, which follows the stage `before`.
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

    /// Stores the stages of an accepted step.
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
                    // One instruction; NaN does not matter here.
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
            // The shares per dof are not rotated: wrong shares are replaced when curvature is observed
            // again.
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

/// Rotates differences of free joints from the axes at the start of the step to those at its end.
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
