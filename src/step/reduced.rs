//! Derivatives of a step by the entries of reductions.
//!
//! The coordinates of the joints are x = o + G y. A step takes all joints from (x, w) to (x⁺, w⁺) with
//! w⁺ = ŵ₀ + h a, where a = G ÿ lies in the range of G. The balance r = A a + b − f − Jᵀλ/h is the force of
//! the reduction on the joints: Gᵀ r = 0. At fixed x and w a change of G gives
//!
//!   δGᵀ r + Gᵀ (δr + A (δG ÿ + G δÿ)) = 0,   so that   δŵ = h δG ÿ − P h (Bᵀ δGᵀ r + A δG ÿ + δr),
//!
//! with P = G (Gᵀ A G)⁻¹ Gᵀ and the left inverse B of G. The chain of a step adds Bᵀ δGᵀ r + A δG ÿ to the
//! balance, and h δG ÿ to the velocity before impulses. The caller knows y, not x: x moves by δo + δG y at
//! both ends of the step ([`Reduction::moved`](crate::model::reduction::Reduction::moved)).
//!
//! A stage of an implicit formula has its whole velocity w = G ẏ in place of h a, and its matrix H in place
//! of A: δw = δG ẏ − P (Bᵀ δGᵀ r + H δG ẏ + δr), with P = G (Gᵀ H G)⁻¹ Gᵀ. In a θ-step impulses then change
//! the velocity by Δ = G η, with the balance A Δ − Jᵀλ: in the first form, η is in place of h ÿ.

use super::implicit::Linear;
use super::linearization::dot;
use crate::dynamics::Dynamics;
use crate::linalg::add_scaled;
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::reduction::Reduction;

/// The part of an entry of a matrix at the last step.
#[derive(Debug)]
struct Entry {
    /// Index of the selected parameter.
    p: usize,
    dof: usize,
    /// Reduced dof of its column.
    by: usize,
    /// h ÿ; of a stage ẏ.
    speed: f64,
    /// η.
    change: f64,
}

/// A part of the velocities that a matrix carries to the dofs: the velocity of a stage or its change in a
/// step, or the change by impulses in a θ-step.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ReductionPart {
    Speed,
    Change,
}

impl Entry {
    fn part(&self, of: ReductionPart) -> f64 {
        match of {
            ReductionPart::Speed => self.speed,
            ReductionPart::Change => self.change,
        }
    }
}

/// Workspace for the selected entries of matrices, and their parts at the last step.
#[derive(Debug)]
pub(super) struct ByReduction {
    entries: Vec<Entry>,
    /// Per entry: its part of the balance, nv numbers.
    columns: Vec<f64>,
    /// The balance r of the last step.
    pub balance: Vec<f64>,
    unit: Vec<f64>,
    /// The stage to which the parts belong.
    pub stage: Option<usize>,
}

impl ByReduction {
    /// Makes memory for the selected entries of matrices; `None` if there is none.
    pub fn new(model: &Model, params: &Params, selected: &[Param]) -> Option<Box<ByReduction>> {
        let (r, nv) = (params.reduction.as_ref()?, model.nv());
        let entry = |(p, of): (usize, &Param)| {
            let (dof, by) = r.dofs(of);
            by.map(|by| Entry {
                p,
                dof,
                by,
                speed: 0.0,
                change: 0.0,
            })
        };
        let mut entries = Vec::new();
        for (p, of) in selected.iter().enumerate() {
            if of.kind == ParamKind::Reduction {
                entries.extend(entry((p, of)));
            }
        }
        (!entries.is_empty()).then(|| {
            Box::new(ByReduction {
                columns: vec![0.0; nv * entries.len()],
                entries,
                balance: vec![0.0; nv],
                unit: vec![0.0; nv],
                stage: None,
            })
        })
    }

    /// Computes the parts at the last step from its balance: with the accelerations `acc`, and the
    /// `diagonal` of A beyond M. Positions must be those of A.
    pub fn differentiate(
        &mut self,
        (model, r): (&Model, &Reduction),
        dynamics: &mut Dynamics,
        [diagonal, acc]: [&[f64]; 2],
        h: f64,
    ) {
        let columns = self.columns.chunks_exact_mut(model.nv().max(1));
        for (e, column) in self.entries.iter_mut().zip(columns) {
            let rate = r.v.coordinate(e.by, acc);
            self.unit[e.dof] = rate;
            dynamics.times_system(model, false, &self.unit, column);
            self.unit[e.dof] = 0.0;
            column[e.dof] += diagonal[e.dof] * rate;
            r.v.add_restricted(e.by, self.balance[e.dof], column);
            e.speed = h * rate;
        }
    }

    /// Computes the parts at stage `i`, whose balance and velocity are given.
    pub fn differentiate_stage(
        &mut self,
        r: &Reduction,
        (i, linear): (usize, &Linear),
        [balance, w]: [&[f64]; 2],
    ) {
        let columns = self.columns.chunks_exact_mut(balance.len().max(1));
        for (e, column) in self.entries.iter_mut().zip(columns) {
            e.speed = r.v.coordinate(e.by, w);
            linear.column(e.dof, e.speed, column);
            r.v.add_restricted(e.by, balance[e.dof], column);
        }
        self.stage = Some(i);
    }

    /// Subtracts the parts of the change by impulses in a θ-step from the columns of its parameters. `times`
    /// computes products with A. `balance` is A Δ − Jᵀλ.
    pub fn subtract_change(
        &mut self,
        r: &Reduction,
        [change, balance]: [&[f64]; 2],
        mut times: impl FnMut(&[f64], &mut [f64]),
        by_p: &mut [f64],
    ) {
        let nv = balance.len().max(1);
        let columns = self.columns.chunks_exact_mut(nv);
        for (e, column) in self.entries.iter_mut().zip(columns) {
            e.change = r.v.coordinate(e.by, change);
            self.unit[e.dof] = e.change;
            times(&self.unit, column);
            self.unit[e.dof] = 0.0;
            r.v.add_restricted(e.by, balance[e.dof], column);
            add_scaled(-1.0, column, &mut by_p[e.p * nv..][..nv]);
        }
    }

    /// r += the parts of the balance, with the `scale` of each parameter.
    pub fn add_balance(&self, scale: impl Fn(usize) -> f64, r: &mut [f64]) {
        let columns = self.columns.chunks_exact(r.len().max(1));
        for (e, column) in self.entries.iter().zip(columns) {
            add_scaled(scale(e.p), column, r);
        }
    }

    /// Transpose of [`ByReduction::add_balance`], times `scale`.
    pub fn add_balance_transposed(&self, scale: f64, weights: &[f64], out: &mut [f64]) {
        let columns = self.columns.chunks_exact(weights.len().max(1));
        for (e, column) in self.entries.iter().zip(columns) {
            out[e.p] += scale * dot(column, weights);
        }
    }

    /// x += h δG ÿ, with the `scale` of each parameter; or δG ẏ, or δG η.
    pub fn add_velocity(&self, of: ReductionPart, scale: impl Fn(usize) -> f64, x: &mut [f64]) {
        for e in &self.entries {
            x[e.dof] += scale(e.p) * e.part(of);
        }
    }

    /// Transpose of [`ByReduction::add_velocity`].
    pub fn add_velocity_transposed(&self, of: ReductionPart, z: &[f64], out: &mut [f64]) {
        for e in &self.entries {
            out[e.p] += e.part(of) * z[e.dof];
        }
    }
}
