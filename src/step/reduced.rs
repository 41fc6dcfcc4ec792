//! Derivatives of a step by the entries of reductions.
//!
//! The coordinates of the joints are x = o + G y. A step takes all joints from (x, w) to (x⁺, w⁺) with
//! w⁺ = ŵ₀ + h a, where a = G ÿ lies in the range of G. The balance r = A a + b − f − Jᵀλ/h is the force of
//! the reduction on the joints: Gᵀ r = 0. At fixed x and w a change of G gives
//!
//!   δGᵀ r + Gᵀ (δr + A (δG ÿ + G δÿ)) = 0,   so that   δŵ = h δG ÿ − P h (Bᵀ δGᵀ r + A δG ÿ + δr),
//!
//! with P = G (Gᵀ A G)⁻¹ Gᵀ and the left inverse B of G. The chain of a step adds Bᵀ δGᵀ r + A δG ÿ to the
//! balance, and h δG ÿ to the velocity before impulses. The caller knows y, not x: x moves by δo + δG y at both
//! ends of the step ([`Reduction::moved`](crate::model::reduction::Reduction::moved)).

use super::linearization::dot;
use super::link::{Along, Bars, Parameters};
use super::sim::Sim;
use crate::error::{Error, Result};
use crate::linalg::add_scaled;
use crate::model::params::{Param, ParamKind};

/// The part of an entry of a matrix at the last step.
#[derive(Debug)]
struct Entry {
    /// Index of the selected parameter.
    p: usize,
    dof: usize,
    /// Reduced dof of its column.
    by: usize,
    /// h ÿ.
    speed: f64,
}

/// Workspace, and data of the last step.
#[derive(Debug)]
pub(super) struct ByReduction {
    entries: Vec<Entry>,
    /// Per entry: its part of the balance, nv numbers.
    columns: Vec<f64>,
    balance: Vec<f64>,
    unit: Vec<f64>,
}

impl ByReduction {
    fn add(&self, p: Parameters<'_>, mut visit: impl FnMut(usize, &Entry, f64)) {
        for (i, e) in self.entries.iter().enumerate() {
            let scale = match p {
                Parameters::Unit(p) => f64::from(u8::from(p == e.p)),
                Parameters::Along(dp) => dp.get(e.p).copied().unwrap_or(0.0),
            };
            if scale != 0.0 {
                visit(i, e, scale);
            }
        }
    }
}

impl Sim {
    /// Makes memory for the selected entries of matrices.
    pub(super) fn fit_reduction(&mut self) {
        let Some(r) = &self.params.reduction else {
            return;
        };
        let nv = self.model.nv();
        let is_entry = |(_, p): &(usize, &Param)| p.kind == ParamKind::Reduction;
        let entry = |(p, of): (usize, &Param)| {
            let (dof, by) = r.dofs(of);
            by.map(|by| Entry {
                p,
                dof,
                by,
                speed: 0.0,
            })
        };
        let selected = self.selected.iter().enumerate();
        let entries: Vec<Entry> = selected.filter(is_entry).filter_map(entry).collect();
        self.by_reduction = (!entries.is_empty()).then(|| {
            Box::new(ByReduction {
                columns: vec![0.0; nv * entries.len()],
                entries,
                balance: vec![0.0; nv],
                unit: vec![0.0; nv],
            })
        });
    }

    /// Refuses an entry of a reduction whose joints have bounds that became bounds of another joint.
    pub(super) fn check_param_of_reduction(&self, p: &Param) -> Result<()> {
        let bounded = self.contact.is_some() || self.forces.penalty.is_some();
        let (Some(r), ParamKind::Reduction, true) = (&self.params.reduction, p.kind, bounded)
        else {
            return Ok(());
        };
        let is_bounded = |dof: usize| {
            let joint = self.model.joint_of_dof(dof);
            joint
                .limits
                .is_some_and(|(lower, upper)| lower.is_finite() || upper.is_finite())
        };
        let led = |dof: &usize| r.single(*dof).is_some() && is_bounded(*dof);
        match r.dofs_of(p.index as usize).iter().copied().find(led) {
            Some(dof) => Err(Error::unsupported(format!(
                "derivative by Reduction {}: {} follows another joint and has bounds, by which this version has no \
                 derivative; expected joints without bounds, or options.contact None",
                p.index,
                self.model.called_of_dof(dof)
            ))),
            None => Ok(()),
        }
    }

    /// Computes the parts of the selected entries of matrices at the last step.
    pub(super) fn differentiate_reduction(&mut self) -> Result<()> {
        let Some(mut of) = self.by_reduction.take() else {
            return Ok(());
        };
        let done = self.fill_reduction(&mut of);
        self.by_reduction = Some(of);
        done
    }

    fn fill_reduction(&mut self, of: &mut ByReduction) -> Result<()> {
        self.unheld_balance(&mut of.balance)?;
        if self.is_split() {
            return Err(Error::unsupported(
                "derivative by Reduction: this version has none with constraints beside tendons, springs between bodies or \
                 ds_sim_set_force; expected options.contact None",
            ));
        }
        let Some(r) = self.params.reduction.clone() else {
            return Ok(());
        };
        let (nv, h) = (self.model.nv(), self.options.time_step);
        for (e, column) in (of.entries.iter_mut()).zip(of.columns.chunks_exact_mut(nv.max(1))) {
            let rate = r.v.coordinate(e.by, &self.state.acc);
            of.unit[e.dof] = rate;
            (self.dynamics).times_system(&self.model, false, &of.unit, column);
            of.unit[e.dof] = 0.0;
            column[e.dof] += self.diagonal[e.dof] * rate;
            r.v.add_restricted(e.by, of.balance[e.dof], column);
            e.speed = h * rate;
        }
        Ok(())
    }

    /// r += the parts of the balance along a direction of the parameters.
    pub(super) fn add_reduction(&self, p: Parameters<'_>, r: &mut [f64]) {
        if let Some(of) = &self.by_reduction {
            let nv = r.len();
            of.add(p, |i, _, scale| {
                add_scaled(scale, &of.columns[i * nv..][..nv], r)
            });
        }
    }

    /// Transpose of [`Sim::add_reduction`], times `scale`.
    pub(super) fn add_reduction_transposed(&self, scale: f64, weights: &[f64], out: &mut [f64]) {
        if let Some(of) = &self.by_reduction {
            let columns = of.columns.chunks_exact(weights.len().max(1));
            for (e, column) in of.entries.iter().zip(columns) {
                out[e.p] += scale * dot(column, weights);
            }
        }
    }

    /// x += h δG ÿ along a direction of the parameters.
    pub(super) fn turn_range(&self, along: &Along<'_>, x: &mut [f64]) {
        if let Some(of) = &self.by_reduction {
            of.add(along.p, |_, e, scale| x[e.dof] += scale * e.speed);
        }
    }

    /// Transpose of [`Sim::turn_range`].
    pub(super) fn turn_range_transposed(&self, z: &[f64], bars: &mut Bars<'_>) {
        if let (Some(of), Some(out)) = (&self.by_reduction, &mut bars.p) {
            for e in &of.entries {
                out[e.p] += e.speed * z[e.dof];
            }
        }
    }

    /// Takes the current values of the reductions after a change of parameters.
    pub(super) fn refresh_reduction(&mut self) {
        if let Some(r) = &self.params.reduction {
            let t = self.model.topology();
            self.dynamics.mass.reduce(t, r);
            self.asked.dynamics.mass.reduce(t, r);
        }
    }

    /// The state (q, v) at the start and at the end of the last step.
    pub(crate) fn ends(&self) -> [[&[f64]; 2]; 2] {
        let s = &self.state;
        [[&s.q, &s.v], [&s.q_next, &s.v_next]]
    }
}
